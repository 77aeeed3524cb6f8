/* Archives of the Fox Engine (.fpk, .fpkd): numbers of records, fields and faults. Byte layouts and evidence:
 * docs/formats/fpk.md. */
#ifndef LL_FORMATS_FPK_H
#define LL_FORMATS_FPK_H

#include "model/format.h"

#define LL_FAMILY fpk
#define LL_FAMILY_CAPS FPK
#define LL_FAMILY_LAYOUTS "formats/fpk/fpk_layout.def"
#define LL_FAMILY_FAULTS "formats/fpk/fpk_faults.def"
#include "model/family_expand.h"

extern const ll_format fpk_format;

void fpk_parse(ll_doc *doc);
ll_probe_result fpk_probe(const uint8_t *bytes, size_t size);
bool fpk_member(const ll_doc *doc, uint32_t i, ll_member *out);

#endif
