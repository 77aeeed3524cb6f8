/* Light-probe harmonics (.lpsh): numbers of records, fields and faults. Byte layouts and evidence:
 * docs/formats/lpsh.md. */
#ifndef LL_FORMATS_LPSH_H
#define LL_FORMATS_LPSH_H

#include "model/format.h"

#define LL_FAMILY lpsh
#define LL_FAMILY_CAPS LPSH
#define LL_FAMILY_LAYOUTS "formats/lpsh/lpsh_layout.def"
#define LL_FAMILY_FAULTS "formats/lpsh/lpsh_faults.def"
#define LL_FAMILY_CHECKS "formats/lpsh/lpsh_checks.def"
#define LL_FAMILY_FACTS "formats/lpsh/lpsh_facts.def"
#include "model/family_expand.h"

extern const ll_format lpsh_format;

void lpsh_parse(ll_doc *doc);
ll_probe_result lpsh_probe(const uint8_t *bytes, size_t size);

#endif
