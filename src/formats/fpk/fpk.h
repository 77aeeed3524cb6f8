/* Archives of the Fox Engine (.fpk, .fpkd): constants for records, fields and faults, and what the checks share: the
 * index of entries, extensions and places. Byte layouts and evidence: docs/formats/fpk.md. */
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

/* The two parts of a package, and the value of the header's field `type` in each. FPK_PARTS: the part is unknown. */
enum { FPK_PART_FPK, FPK_PART_FPKD, FPK_PARTS };
extern const uint8_t fpk_types[FPK_PARTS];

typedef struct fpk_extension_row {
    const char *name; /* lower case, without dot */
    uint8_t part;     /* FPK_PART_FPK or FPK_PART_FPKD */
} fpk_extension_row;
#define FPK_EXTENSION(part, name) +1
enum {
    FPK_EXTENSIONS = 0
#include "formats/fpk/fpk_extensions.def"
};
#undef FPK_EXTENSION
extern const fpk_extension_row fpk_extensions[FPK_EXTENSIONS]; /* in the order in which archives hold their groups */

/* The path of an entry. It is verified if the MD5 of its text is the one that the entry states. */
typedef struct fpk_name {
    uint32_t span;      /* of the verified path; LL_NO_SPAN: the path is not verified */
    uint16_t extension; /* of the verified path: row of fpk_extensions.def, or FPK_UNLISTED */
    uint32_t path;      /* span of the text, verified or not; LL_NO_SPAN: there is none */
} fpk_name;
enum { FPK_UNLISTED = 0xFFFF };

/* The index of an archive, made by fpk_index(): path and member of each entry. Memory of the document. */
typedef struct fpk_contents {
    uint32_t count;     /* entries */
    fpk_name *names;    /* by entry */
    ll_member *members; /* by entry */
} fpk_contents;

ll_probe_result fpk_probe(const uint8_t *bytes, size_t size);
/* Length of the extension of a path, without the dot; *out: its first byte. 0: the last name of the path has none. */
uint32_t fpk_extension(const uint8_t *path, uint32_t length, const uint8_t **out);
/* Row of an extension in fpk_extensions.def, whatever its case. FPK_UNLISTED: it is in no row. */
uint16_t fpk_extension_number(const uint8_t *extension, uint32_t length);
/* Place of the field path_md5 of an entry. */
ll_where fpk_md5_of(const ll_doc *doc, uint32_t entry);
/* Number of bytes of a text that are not printable ASCII. */
uint32_t fpk_count_odd(const uint8_t *text, uint32_t length);
/* Span of the header; LL_NO_SPAN: there is none. */
uint32_t fpk_header_of(const ll_doc *doc);
/* The part that the extension of the file name says, else the type in the header. FPK_PARTS: unknown. */
unsigned fpk_part_of(const ll_doc *doc);
const fpk_contents *fpk_contents_of(const ll_check_run *run);
/* Places of the text of a string span, of the verified path of an entry, and of the extension of that path. */
ll_where fpk_text_of(const ll_check_run *run, uint32_t span);
ll_where fpk_name_of(const ll_check_run *run, uint32_t entry);
ll_where fpk_extension_of(const ll_check_run *run, uint32_t entry);

static inline ll_arg fpk_chars(ll_where at)
{
    return ll_chars(at.offset, at.length);
}

/* A set of texts of the file, compared without regard to case. */
typedef struct fpk_met_texts {
    ll_check_run *run;
    ll_map map;
    ll_where *at;    /* by the number of the text; scratch of the check */
    ll_where sought; /* the text that fpk_note() looks up */
} fpk_met_texts;
/* Makes an empty set with room for the texts 0 to count - 1. False: no memory. */
bool fpk_open_texts(fpk_met_texts *t, ll_check_run *run, uint32_t count);
/* Looks up the text at a place: returns the number of the equal text that was added before, or adds this one under
 * `number` and returns LL_MAP_NONE. */
uint32_t fpk_note(fpk_met_texts *t, uint32_t number, ll_where at);

#endif
