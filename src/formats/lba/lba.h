/* Locators of the Fox Engine (.lba): constants for records, fields and faults. Byte layouts and evidence:
 * docs/formats/lba.md. */
#ifndef LL_FORMATS_LBA_H
#define LL_FORMATS_LBA_H

#include "model/format.h"

#define LL_FAMILY lba
#define LL_FAMILY_CAPS LBA
#define LL_FAMILY_LAYOUTS "formats/lba/lba_layout.def"
#define LL_FAMILY_FAULTS "formats/lba/lba_faults.def"
#define LL_FAMILY_SPACE "formats/lba/lba_space.def"
#include "model/family_expand.h"

extern const ll_format lba_format;

#endif
