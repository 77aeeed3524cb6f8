/* Archives of the Fox Engine (.fpk, .fpkd): numbers of records, fields and faults. Byte layouts and evidence:
 * docs/formats/fpk.md. */
#ifndef LL_FORMATS_FPK_H
#define LL_FORMATS_FPK_H

#include "base/map.h"
#include "model/format.h"

#define LL_FAMILY fpk
#define LL_FAMILY_CAPS FPK
#define LL_FAMILY_LAYOUTS "formats/fpk/fpk_layout.def"
#define LL_FAMILY_FAULTS "formats/fpk/fpk_faults.def"
#define LL_FAMILY_CHECKS "formats/fpk/fpk_checks.def"
#define LL_FAMILY_NEEDS fpk_index
#include "model/family_expand.h"

extern const ll_format fpk_format;

/* The parts of a package, and the value of the header's type for each. */
enum { FPK_PART_FPK, FPK_PART_FPKD, FPK_PARTS };
extern const uint8_t fpk_types[FPK_PARTS];

typedef struct fpk_extension_row {
    const char *name;
    uint8_t part;
} fpk_extension_row;
#define FPK_EXTENSION(part, name) +1
enum {
    FPK_EXTENSIONS = 0
#include "formats/fpk/fpk_extensions.def"
};
#undef FPK_EXTENSION
extern const fpk_extension_row fpk_extensions[FPK_EXTENSIONS]; /* in the order of their groups */

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
    fpk_name *names;
    ll_member *members;
} fpk_contents;

ll_probe_result fpk_probe(const uint8_t *bytes, size_t size);
/* The letters behind the last dot of the last name of a path; 0: it has none. */
uint32_t fpk_extension(const uint8_t *path, uint32_t length, const uint8_t **out);
/* Its number in fpk_extensions.def or FPK_UNLISTED. */
uint16_t fpk_extension_number(const uint8_t *extension, uint32_t length);
/* Place of the MD5 of an entry. */
ll_where fpk_md5_of(const ll_doc *doc, uint32_t entry);
/* Bytes of a text that are no printable ASCII. */
uint32_t fpk_count_odd(const uint8_t *text, uint32_t length);
/* Span of the header; LL_NO_SPAN: there is none. */
uint32_t fpk_header_of(const ll_doc *doc);
/* The part that the extension of the file tells of, or, in fpk_part_of(), the type in the header; FPK_PARTS: neither.
 */
unsigned fpk_part_by_name(const ll_doc *doc);
unsigned fpk_part_of(const ll_doc *doc);
const fpk_contents *fpk_contents_of(const ll_check_run *run);
/* Places of a text, of the path of an entry whose path is known, and of the extension of that. */
ll_where fpk_text_of(const ll_check_run *run, uint32_t span);
ll_where fpk_name_of(const ll_check_run *run, uint32_t entry);
ll_where fpk_extension_of(const ll_check_run *run, uint32_t entry);

static inline ll_arg fpk_chars(ll_where at)
{
    return ll_chars(at.offset, at.length);
}

/* Texts that were met, whatever their case. */
typedef struct fpk_met_texts {
    ll_check_run *run;
    ll_map map;
    ll_where *at; /* by the number of the text */
    ll_where sought;
} fpk_met_texts;
/* False: no memory, or no texts. */
bool fpk_open_texts(fpk_met_texts *t, ll_check_run *run, uint32_t count);
/* The number of the text that was met before and is the same, or LL_MAP_NONE after noting this one. */
uint32_t fpk_note(fpk_met_texts *t, uint32_t number, ll_where at);

#endif
