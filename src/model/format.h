/* What other modules know of a format: one const ll_format for each family. formats/formats.def lists
 * them. */
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

/* A line of a listing. Both texts are valid during the visit; they are NULL if memory ran out. */
typedef struct ll_line {
    uint32_t offset, length; /* offset: an address, as in spans */
    unsigned indent;         /* number of blocks around the line */
    bool unparsed;           /* the bytes cannot be read */
    const char *label;       /* name of the line, for jumps to it; "": nothing leads here */
    const char *text;
} ll_line;
typedef bool (*ll_line_fn)(void *ctx, const ll_line *line);

/* A file stored in an archive, uncompressed. */
typedef struct ll_member {
    uint32_t span; /* the span that claims its bytes; LL_NO_SPAN: they are not known. Broken (ll_is_usable()): a fault
                      says that the bytes are not the whole file, or not that file */
    uint32_t path, path_length; /* its path, as bytes of the archive */
    uint32_t offset, length;    /* its bytes */
    bool unnamed;               /* its path cannot be read: it is encrypted or damaged */
} ll_member;

/* A stream in a compressed block. */
typedef struct ll_stream {
    uint32_t block, start, end; /* file offsets of the block, of the stream, and of the end of both */
    uint32_t size;              /* bytes that it unpacks to */
    ll_where length_at;         /* the field that states its bytes */
} ll_stream;

/* What unpacks streams: memory that serves all streams of a document. */
typedef struct ll_unpacker {
    ll_doc *doc;
    unsigned method; /* ll_edition.method */
    uint8_t *bytes;  /* unpacked bytes of the last stream, if they are no more than `room` */
    uint32_t room;
    bool kept;   /* somebody keeps `bytes`: the next stream needs another block */
    void *state; /* of the codec; NULL: not needed yet */
} ll_unpacker;

/* New contents of a region. */
typedef struct ll_content {
    const uint8_t *bytes; /* NULL: the contents stay */
    uint32_t size;
    uint32_t outer_length; /* bytes of the file that hold the contents then */
} ll_content;

/* LL_PART_COUNT of a <format>_layout.def. A part of LL_PART_COUNTED occurs `number` times if `bits` of a field of a
 * record equal `value`. If the field is the hash of a text and no row matches the stated hash, the hash of the text
 * itself decides. For a part of the file, the first row and record that match decide. For a part of an owner with a
 * number, the record with that number decides, and the results of all rows are added up. */
typedef struct ll_count_row {
    uint16_t part; /* layout of the part */
    uint16_t layout, field;
    uint32_t bits, value;
    uint16_t number;
    uint16_t by;    /* field of the record: the number is multiplied by its value; LL_NO_FIELD: by 1 */
    uint16_t times; /* layout of another LL_PART_COUNTED part of the file, whose number multiplies it; 0: by 1 */
} ll_count_row;

/* Streams of blocks. */
typedef struct ll_codec {
    /* Claims the parts of a stream as children of the span `block`, and unpacks them. Raises faults about them. Returns
     * the file offset at which they end, or the first bad one does. *good: none is bad. */
    uint32_t (*read)(ll_unpacker *u, uint32_t block, const ll_stream *stream, bool *good);
    /* Bytes of the stream, at the end of a block of `extent` bytes at file offset `at`, that unpacks to `size` bytes;
     * 0: there is none. */
    uint32_t (*find)(const ll_doc *doc, uint64_t at, uint64_t extent, uint32_t size);
    /* Unpacks a stream that was read into u->bytes. False: it cannot be unpacked. */
    bool (*unpack)(ll_unpacker *u, const ll_stream *stream);
} ll_codec;
/* Limit of the bytes that are unpacked from a block of `packed` bytes, as a small file can stand for 4 GiB. */
uint32_t ll_most_unpacked(uint32_t packed);

struct ll_format {
    const char *family;       /* "grx" */
    const ll_layout *layouts; /* the built-in ones first */
    size_t layout_count;
    const ll_reference *references; /* what fields point to */
    size_t reference_count;
    const ll_alignment *alignments; /* where padding is */
    size_t alignment_count;
    const ll_identity *identities; /* what identifies records when files are compared */
    size_t identity_count;
    const ll_derivation *derivations; /* what the values of fields follow from */
    size_t derivation_count;
    const ll_share *shares; /* what belongs to one record alone */
    size_t share_count;
    const ll_part_row *parts; /* what files consist of */
    size_t part_count;
    const ll_count_row *count_rows; /* how often parts are there */
    size_t count_row_count;
    const ll_choice *choices; /* layouts that a number in a record selects */
    size_t choice_count;
    const ll_edition *editions; /* versions of files with numbered sections */
    size_t edition_count;
    const ll_section_kind *kinds; /* what their sections hold */
    size_t kind_count;
    const ll_section_by *kinds_by; /* how headers say so; rows of a header stand together */
    size_t kind_by_count;
    const ll_text_table *texts; /* the table of texts whose hashes fields hold */
    const ll_named *faults;     /* indexed by code - LL_CORE_FAULTS */
    size_t fault_count;
    const ll_read_row *reads; /* the faults that the reader raises */
    size_t read_count;
    const ll_check_def *checks;
    size_t check_count;
    const ll_judge_fn *judges;
    size_t judge_count;
    const ll_named *hints; /* likely causes; the words are in rules/ */
    size_t hint_count;
    const ll_named *variants; /* variants that a user may name if the content does not tell */
    size_t variant_count;
    const ll_fact_row *fact_rows; /* rows of facts for rules across files */
    size_t fact_row_count;
    const ll_fact_name *fact_names; /* what facts are called, for messages */
    size_t fact_name_count;
    const char *const *array_ends; /* of DataSets: what paths of their arrays have in place of the extension; NULL: a
                                      gap in the list */
    size_t array_end_count;
    const ll_world *world;  /* the axes of its game */
    const ll_shape *shapes; /* what records look like in space; none: its files have nothing to draw */
    size_t shape_count;
    /* The hash of a text of n bytes. Fields with LL_DERIVE_TEXT_HASH hold its low bits. NULL: the format has no
     * hashes. */
    uint64_t (*text_hash)(const uint8_t *text, size_t n);
    /* For spans of LL_ROLE_CODE. split() visits leaves that tile the span, each with an ll_part; it returns false if a
     * visit did. part_name() appends the path, after that of the span, of the bytes at an address. Both NULL: no
     * layout has that role. */
    bool (*split)(const ll_doc *doc, uint32_t span, ll_leaf_fn visit, void *ctx);
    void (*part_name)(const ll_doc *doc, uint32_t span, uint32_t offset, uint32_t length, ll_text *out);
    /* Listings of code. list() visits the lines of the piece with a name; false: there is no such piece, or a visit
     * returned false. list_name() appends the name of piece i, escaped; false: there is no piece i. Both NULL: the
     * format has no code. */
    bool (*list)(const ll_doc *doc, const char *name, ll_line_fn visit, void *ctx);
    bool (*list_name)(const ll_doc *doc, uint32_t i, ll_text *out);
    /* What files of the format are in a package (fact.h), and the parts in which they may be, 1 << LL_MAIN and
     * 1 << LL_DATA; 0: any. At most one format has a kind other than LL_FILE_OTHER. */
    ll_file_kind file_kind;
    unsigned file_parts;
    /* Files of other formats begin with the same bytes, so a member of an archive is of this format only if its
     * extension says so. */
    bool shares_magic;
    /* Most zeros after the padding with which a file of the format may end, sound or cut. */
    uint32_t zeros_at_end;
    const ll_codec *codec; /* NULL: the format has no compressed blocks, and no regions */
    /* Decides by at most the first 64 bytes of a file whether it is of the format. NULL: no bytes show it;
     * ll_is_content_confirmed() decides after reading. */
    ll_probe_result (*probe)(const uint8_t *bytes, size_t size);
};

/* How often a part of LL_PART_COUNTED occurs after the fields of the owner, or in the file. LL_COUNT_UNKNOWN: nothing
 * states it. *by: the field that states it or should; nowhere: there is none. */
#define LL_COUNT_UNKNOWN UINT64_MAX
uint64_t ll_counted(const ll_doc *doc, const ll_part_row *part, uint32_t owner, ll_where *by);

/* The LL_CHOICE rows are about records of this layout. */
static inline bool ll_has_choices(const ll_format *format, unsigned layout)
{
    return format->choice_count && format->choices[0].layout == layout;
}
/* The LL_CHOICE rows are about records of this layout, or an LL_CHOICE_IS row selects it. */
bool ll_is_chosen(const ll_format *format, unsigned layout);

/* The edition of a version; NULL: there is none. */
const ll_edition *ll_edition_of(const ll_format *format, uint32_t version);
/* The edition of the version if it has a header of this layout, else the first that has one; NULL: none has. */
const ll_edition *ll_edition_with(const ll_format *format, unsigned header, uint32_t version);
/* The LL_SECTION_BY rows of a header. *count: their number. */
const ll_section_by *ll_kinds_by(const ll_format *format, unsigned header, unsigned *count);
/* Number of the kind of section with a tag; 0: there is none. */
unsigned ll_kind_of_tag(const ll_format *format, uint32_t tag);

/* The row for a layout, LL_WITHIN_FILE for the file. NULL: there is none. */
const ll_alignment *ll_alignment_of(const ll_format *format, unsigned layout, ll_align_where where);
/* The row for the end of the file, or of a region, that begins with a span of layout `first`. NULL: there is none. */
const ll_alignment *ll_end_alignment_of(const ll_format *format, unsigned first);
/* Bytes of padding that a row requires after `offset` bytes. row NULL: 0. */
static inline uint32_t ll_padding_at(const ll_alignment *row, uint64_t offset)
{
    return row && row->unit ? (uint32_t)((row->unit - offset % row->unit) % row->unit) : 0;
}
/* All bytes have the fill value of a layout: 0, unless an alignment row states another one. */
bool ll_is_filling(const ll_format *format, unsigned layout, const uint8_t *bytes, uint32_t n);

/* For formats without a probe: the contents confirm that the file is of its format. Most rotations (shape.h) have the
 * length 1; without rotations, the file is one record with at most one field that contradicts the rows. Otherwise no
 * patch is offered. */
bool ll_is_content_confirmed(const ll_doc *doc);

/* Faults that every format can have. Their numbers come before those of the format. Families "core" (input) and
 * "ledger". */
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
/* Hints: the kinds of files for core.foreign-file, then, from LL_FOREIGN_COUNT on, the damages for core.transport.
 * Their words are in rules/core.yaml. */
enum { LL_CORE_HINTS = LL_FOREIGN_COUNT - 1 + LL_DAMAGES };
extern const ll_named ll_core_hints[LL_CORE_HINTS];

/* Registry, in probe order (formats/formats.c, formats/formats.def). */
size_t ll_format_count(void);
const ll_format *ll_format_at(size_t index);
/* Extensions of all formats, lower case with dot, NULL-terminated. Static storage. */
const char *const *ll_format_extensions(void);
/* Variant number `index` over all formats; NULL: there are no more. Static storage. */
const ll_named *ll_format_variant_at(size_t index);
/* 1 + number of the format's variant with that name; 0: it has none. */
unsigned ll_format_variant(const ll_format *format, const char *name);
/* The format of a family, or NULL. */
const ll_format *ll_format_find(const char *family);
/* The format with a file_kind other than LL_FILE_OTHER, or NULL. */
const ll_format *ll_format_of_kind(ll_file_kind kind);
/* The family whose rule ids begin with these letters; NULL: none. */
const char *ll_format_of_prefix(const char *prefix, size_t length);
/* The first extension of the format. */
const char *ll_format_extension(const ll_format *format);
/* The format with the extension of a file name, or NULL. */
const ll_format *ll_format_by_name(const char *name);
/* The format whose probe accepts the bytes; *sure: how certain it is. NULL: none. */
const ll_format *ll_format_by_content(const uint8_t *bytes, size_t size, ll_probe_result *sure);
/* The format of a file: that of a sure probe, else of the extension of `name`, else of a probe that says maybe. NULL:
 * none. */
const ll_format *ll_format_choose(const uint8_t *bytes, size_t size, const char *name);

#endif
