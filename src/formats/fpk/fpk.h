/* Archives of the Fox Engine (.fpk, .fpkd): numbers of records, fields and faults. Byte layouts and evidence:
 * docs/formats/fpk.md. */
#ifndef LL_FORMATS_FPK_H
#define LL_FORMATS_FPK_H

#include "model/format.h"

#define LL_FAMILY fpk
#define LL_FAMILY_CAPS FPK
#define LL_FAMILY_LAYOUTS "formats/fpk/fpk_layout.def"
#define LL_FAMILY_FAULTS "formats/fpk/fpk_faults.def"
#define LL_FAMILY_CHECKS "formats/fpk/fpk_checks.def"
#include "model/family_expand.h"

extern const ll_format fpk_format;

/* The path of an entry, where it is the one that the MD5 is of. */
typedef struct fpk_name {
    uint32_t span;      /* LL_NO_SPAN: it is not known */
    uint16_t extension; /* number in fpk_extensions.def, or FPK_UNLISTED */
    uint32_t path;      /* the text at its place, whatever it is; LL_NO_SPAN: there is none */
} fpk_name;
enum { FPK_UNLISTED = 0xFFFF };

/* What fpk_index() makes: the entries, with what stands at their places. */
typedef struct fpk_contents {
    uint32_t count;
    ll_member *members;
    fpk_name *names;
} fpk_contents;

const void *fpk_index(ll_doc *doc);
ll_probe_result fpk_probe(const uint8_t *bytes, size_t size);
bool fpk_member(const ll_doc *doc, uint32_t i, ll_member *out);
/* The letters behind the last dot of the last name of a path; 0: it has none. */
uint32_t fpk_extension(const uint8_t *path, uint32_t length, const uint8_t **out);
/* Its number in fpk_extensions.def or FPK_UNLISTED. */
uint16_t fpk_extension_number(const uint8_t *extension, uint32_t length);

#endif
