/* What a format tells other modules about itself: one const ll_format per family, listed in
 * formats/formats.def. */
#ifndef LL_MODEL_FORMAT_H
#define LL_MODEL_FORMAT_H

#include "identity/damage.h"
#include "identity/identity.h"
#include "model/check.h"
#include "model/claim.h"
#include "model/fact.h"
#include "model/shape.h"
#include "model/tiling.h"

typedef enum ll_probe_result { LL_PROBE_NO, LL_PROBE_MAYBE, LL_PROBE_SURE } ll_probe_result;

/* A line of a listing; both texts are valid during the visit, and NULL when memory ran out. */
typedef struct ll_line {
    uint32_t offset, length; /* an address, as in spans */
    unsigned indent;         /* blocks that the line stands in */
    bool unparsed;           /* bytes that cannot be read */
    const char *label;       /* what leads here goes by it; "": nothing does */
    const char *text;
} ll_line;
typedef bool (*ll_line_fn)(void *ctx, const ll_line *line);

/* A file that lies in another one, as it is. */
typedef struct ll_member {
    uint32_t span;              /* that claims its bytes; LL_NO_SPAN: they cannot be told. A broken one (ll_is_usable())
                                   has bytes of which a fault says that they are not the whole file, or not that file */
    uint32_t path, path_length; /* bytes of the file that are its path there */
    uint32_t offset, length;    /* its bytes */
    bool unnamed;               /* what its path is cannot be read: it is encrypted, or damaged */
} ll_member;

/* What a region is to hold. */
typedef struct ll_content {
    const uint8_t *bytes; /* NULL: what it holds */
    uint32_t size;
    uint32_t outer_length; /* bytes of the file that hold it then */
} ll_content;

/* LL_PART_COUNT of a <format>_layout.def: where `bits` of a field of a record are `value`, a part of LL_PART_COUNTED is
 * there `number` times. Of a field with the hash of a text that no record holds, the text tells. In the file the
 * first record for which it holds decides; a part of an owner with a number asks the record with that number, and what
 * all rows give is added up. */
typedef struct ll_count_row {
    uint16_t part; /* layout */
    uint16_t layout, field;
    uint32_t bits, value;
    uint16_t number;
    uint16_t by;    /* field of the record: as often as it says; LL_NO_FIELD: once */
    uint16_t times; /* layout of a part of LL_PART_COUNTED of the file: as often as there are such; 0: once */
} ll_count_row;

struct ll_format {
    const char *family;       /* "grx" */
    const ll_layout *layouts; /* built-ins first */
    size_t layout_count;
    const ll_reference *references; /* what fields point to */
    size_t reference_count;
    const ll_alignment *alignments; /* where padding stands */
    size_t alignment_count;
    const ll_identity *identities; /* what records go by where files are compared */
    size_t identity_count;
    const ll_derivation *derivations; /* what the values of fields follow from */
    size_t derivation_count;
    const ll_share *shares; /* what belongs to one record alone */
    size_t share_count;
    const ll_part_row *parts; /* what files consist of; none: parse() knows */
    size_t part_count;
    const ll_count_row *count_rows; /* how often parts are there */
    size_t count_row_count;
    const ll_choice *choices; /* what numbers make of records */
    size_t choice_count;
    const ll_text_table *texts; /* what hashes stand for */
    const ll_named *faults;     /* indexed by code - LL_CORE_FAULTS */
    size_t fault_count;
    const ll_read_row *reads; /* which of them the reader raises */
    size_t read_count;
    const ll_check_def *checks;
    size_t check_count;
    const ll_judge_fn *judges;
    size_t judge_count;
    const ll_named *hints; /* likely causes; the words are in rules/ */
    size_t hint_count;
    const ll_named *variants; /* what users may say a file is where content does not tell */
    size_t variant_count;
    const ll_fact_row *fact_rows; /* what other files may ask about */
    size_t fact_row_count;
    const ll_world *world;  /* its axes, */
    const ll_shape *shapes; /* and what its records look like in them; none: files of the format have no place */
    size_t shape_count;
    /* The hash of a text, of which fields with LL_DERIVE_TEXT_HASH hold the low bits. NULL: there are none. */
    uint64_t (*text_hash)(const uint8_t *text, size_t n);
    /* For spans of LL_ROLE_CODE. split visits leaves that tile the span and have a part; false: a visit said so.
     * part_name appends what the bytes at an address in the span are, as the paths of those leaves do. NULL, both of
     * them: no layout has that role. */
    bool (*split)(const ll_doc *doc, uint32_t span, ll_leaf_fn visit, void *ctx);
    void (*part_name)(const ll_doc *doc, uint32_t span, uint32_t offset, uint32_t length, ll_text *out);
    /* Lines of the code that goes by a name; false: there is none of that name, or a visit said so. list_name appends
     * the name of piece i, escaped, and is false behind the last one. NULL, both of them: files of the format hold no
     * code. */
    bool (*list)(const ll_doc *doc, const char *name, ll_line_fn visit, void *ctx);
    bool (*list_name)(const ll_doc *doc, uint32_t i, ll_text *out);
    /* Files of the format hold others: a judge sets doc->members. */
    bool is_archive;
    /* Files of other kinds begin in the same way, so that a member of an archive is one only by its extension. */
    bool shares_magic;
    /* Zeros that files of the format may end with, sound or cut, beyond padding. */
    uint32_t zeros_at_end;
    /* Writes the document anew so that regions hold other bytes, in a form that every reader of the file takes:
     * `contents` by region, whose outer_length it fills in. file->size: at first the most bytes that there may be; the
     * bytes live in the document's arena. False: the document is not sound, or it would get too large. NULL: there are
     * no regions.
     */
    bool (*rewrite)(ll_doc *doc, ll_content *contents, ll_content *file);
    /* Looks at the content only (at most the first 64 bytes). NULL: no bytes tell files of the format from others; what
     * was read of them does (ll_is_borne_out()). */
    ll_probe_result (*probe)(const uint8_t *bytes, size_t size);
    /* NULL: the file is read by its parts (reader.h). Claims spans and raises faults, and leaves nothing else behind.
     * Bounded by doc->size; checks doc->status in its loops. */
    void (*parse)(ll_doc *doc);
};

/* How often a part of LL_PART_COUNTED is there, behind the fields of the owner or at the top of the file. *by: the
 * field that states it, or should; nowhere: none does. LL_COUNT_UNKNOWN: nothing states it. */
#define LL_COUNT_UNKNOWN UINT64_MAX
uint64_t ll_counted(const ll_doc *doc, const ll_part_row *part, uint32_t owner, ll_where *by);

/* Records of the layout have the number that LL_CHOICE rows are about. */
static inline bool ll_has_choices(const ll_format *format, unsigned layout)
{
    return format->choice_count && format->choices[0].layout == layout;
}
/* The same, or an LL_CHOICE_IS makes the layout of one. */
bool ll_is_chosen(const ll_format *format, unsigned layout);

/* The row of a layout, LL_WITHIN_FILE for the file; NULL: there is none. */
const ll_alignment *ll_alignment_of(const ll_format *format, unsigned layout, ll_align_where where);
/* That of the end of a file, or of a region, which begins with a span of layout `first`; the same. */
const ll_alignment *ll_end_alignment_of(const ll_format *format, unsigned first);
/* Bytes of padding that a row asks for behind `offset` bytes. */
static inline uint32_t ll_padding_at(const ll_alignment *row, uint64_t offset)
{
    return row && row->unit ? (uint32_t)((row->unit - offset % row->unit) % row->unit) : 0;
}
/* The bytes are what fills spans of a layout: zeros where no row says another byte. */
bool ll_is_filling(const ll_format *format, unsigned layout, const uint8_t *bytes, uint32_t n);

/* What was read says that the file is of its format, which has no probe: most rotations (shape.h) have the length 1, or
 * a file of one record has at most one field that is not as rows say. Patches are offered only then. */
bool ll_is_borne_out(const ll_doc *doc);

/* Faults every format can have; numbered before the format's own. Families "core" (input) and "ledger". */
enum ll_core_fault {
    LL_FAULT_UNREADABLE,
    LL_FAULT_FOREIGN_FILE,
    LL_FAULT_OTHER_FAMILY,
    LL_FAULT_TRANSPORT,
    LL_FAULT_EMPTY,
    LL_FAULT_UNKNOWN_FORMAT,
    LL_FAULT_CRASH,
    LL_FAULT_TOO_LARGE,
    LL_FAULT_LIMIT,
    LL_FAULT_UNREAD,
    LL_FAULT_UNEXPLAINED,
    LL_FAULT_UNDECIDED,
    LL_FAULT_ARCHIVE_UNREAD,
    LL_FAULT_GAP,
    LL_FAULT_OVERLAP,
    LL_CORE_FAULTS
};
/* The first LL_FAULT_GAP of them are "core", the rest "ledger". */
extern const ll_named ll_core_faults[LL_CORE_FAULTS];
/* The kinds of files that core.foreign-file names, whose numbers are its hints, then the damages of core.transport: its
 * hint is LL_FOREIGN_COUNT and more. The words are in rules/core.yaml. */
enum { LL_CORE_HINTS = LL_FOREIGN_COUNT - 1 + LL_DAMAGES };
extern const ll_named ll_core_hints[LL_CORE_HINTS];

/* Registry, in probe order (formats/formats.c, formats/formats.def). */
size_t ll_format_count(void);
const ll_format *ll_format_at(size_t index);
/* Extensions of all formats, lower case with dot, NULL-terminated. Static storage. */
const char *const *ll_format_extensions(void);
/* The index-th variant of all formats, NULL behind the last. Static storage. */
const ll_named *ll_format_variant_at(size_t index);
/* 1 + number of the format's variant of that name; 0: it has none. */
unsigned ll_format_variant(const ll_format *format, const char *name);
/* The format named so, or NULL. */
const ll_format *ll_format_find(const char *family);
/* The family whose rules have ids of these letters and a number; NULL: none. */
const char *ll_format_of_prefix(const char *prefix, size_t length);
/* The first of its extensions. */
const char *ll_format_extension(const ll_format *format);
/* The format that has the extension of `name`, or NULL. */
const ll_format *ll_format_by_name(const char *name);
/* The format whose probe says that the bytes are of it, and how sure it is. NULL: none. */
const ll_format *ll_format_by_content(const uint8_t *bytes, size_t size, ll_probe_result *sure);
/* Content first: a sure probe wins, then the extension of `name`, then a maybe. NULL: none. */
const ll_format *ll_format_choose(const uint8_t *bytes, size_t size, const char *name);

#endif
