/* A parsed file: the bytes, the ledger of spans, and the faults the parser met. Made by a format's parser, read by the
 * rule engine and the reports. Belongs to one thread; memory comes from one arena and goes with it.
 *
 * Ledger: a span is a claim of [offset, offset + length). A record span's first layout->size * count bytes are its own,
 * the rest belongs to its children. Leaves (fields, string parts, opaque stretches) plus gaps plus unparsed tile [0,
 * size) exactly: tiling.h. */
#ifndef LL_MODEL_DOC_H
#define LL_MODEL_DOC_H

#include "base/arena.h"
#include "base/array.h"
#include "base/endian.h"
#include "base/ints.h"
#include "model/layout.h"

/* A function that never returns NULL; clang warns where its result is compared with NULL. */
#define LL_NEVER_NULL __attribute__((returns_nonnull))

#define LL_NO_SPAN UINT32_MAX
#define LL_NO_INDEX UINT32_MAX

enum ll_span_flag {
    LL_SPAN_BROKEN = 1,   /* a fault says why: rules do not look at its fields */
    LL_SPAN_ARRAY = 2,    /* elements are numbered in the path, also where there is one */
    LL_SPAN_DOUBTFUL = 4, /* a fault says that its length or number of elements may be wrong: references into it are not
                            judged by them */
    LL_SPAN_TOLD = 8,     /* why it is broken, or was not read, a fault of another record says */
    LL_SPAN_PACKED = 16   /* it holds something compressed, whose sizes follow from nothing else in the file */
};

typedef struct ll_span {
    uint32_t offset;
    uint32_t length;
    uint32_t parent; /* span number or LL_NO_SPAN */
    uint32_t index;  /* ordinal among its kind, shown in the path as [index]; LL_NO_INDEX: none */
    uint32_t count;  /* records: elements; strings: length of the text */
    uint16_t layout; /* number in the format's layout table */
    uint16_t flags;  /* ll_span_flag */
} ll_span;

/* A stretch of bytes in one piece: the file, or what the file holds in another form, as a section out of a compressed
 * block. A document is one space of 32-bit addresses. The file is its first region and begins at address 0, so there an
 * address is the offset in the file; the others follow, each at its base. Spans, places and arguments hold addresses.
 */
typedef struct ll_region {
    uint32_t base, size; /* addresses [base, base + size); no region begins where another one ends */
    const uint8_t *bytes;
    const char *name;                    /* path of what it is, "section[5]", in the doc's arena; NULL: the file */
    uint32_t outer_offset, outer_length; /* the bytes that hold it, of the file that the user has: a document may be a
                                            member of an archive */
} ll_region;

enum { LL_REGIONS_MAX = 8 };

/* One argument of a message. */
typedef enum ll_arg_kind { LL_ARG_NONE, LL_ARG_UINT, LL_ARG_INT, LL_ARG_FLOAT, LL_ARG_WORD, LL_ARG_BYTES } ll_arg_kind;

typedef struct ll_arg {
    uint8_t kind; /* ll_arg_kind */
    union {
        uint64_t u;
        int64_t i;
        double f;
        const char *word; /* static storage or the doc's arena; trusted text */
        struct {
            uint32_t offset, length; /* bytes of the file, escaped when shown */
        } bytes;
    } v;
} ll_arg;

static inline ll_arg ll_uint(uint64_t u)
{
    return (ll_arg){LL_ARG_UINT, {.u = u}};
}
static inline ll_arg ll_int(int64_t i)
{
    return (ll_arg){LL_ARG_INT, {.i = i}};
}
static inline ll_arg ll_float(double f)
{
    return (ll_arg){LL_ARG_FLOAT, {.f = f}};
}
static inline ll_arg ll_word(const char *word)
{
    return (ll_arg){LL_ARG_WORD, {.word = word}};
}
static inline ll_arg ll_chars(uint32_t offset, uint32_t length)
{
    return (ll_arg){LL_ARG_BYTES, {.bytes = {offset, length}}};
}

enum { LL_FAULT_ARGS = 4, LL_PATCH_VALUE = 8 };

/* Where something is: a field of a span's element, and the exact bytes. */
typedef struct ll_where {
    uint32_t span;    /* LL_NO_SPAN: none */
    uint32_t element; /* of an array span, else 0 */
    uint16_t field;   /* LL_NO_FIELD: the span as a whole */
    uint16_t part;    /* element of a vector field, 0xFFFF: all of it */
    uint32_t offset, length;
} ll_where;

enum { LL_NO_PART = 0xFFFF };

/* A patch: `size` bytes take the place of `removed` ones at an offset of the file. Where these are not as many, the
 * sizes, offsets and counts that depend on the place follow (consequence.h). */
typedef struct ll_edit {
    uint8_t tier; /* ll_patch_tier */
    uint32_t offset, removed, size;
    uint32_t places; /* the next so many offsets may be meant as well: linting tells which, and whether one is right */
    const uint8_t *bytes;
    bool guessed; /* offered only if linting shows that it holds, as are all that change how many bytes there are */
    const uint32_t *order; /* elements of the array that the finding is at, which take each other's places with all that
                              belongs to them, the first one first; lives as long as the document. NULL: none do */
} ll_edit;

/* Something wrong, as a parser or a check says it: no words, no severity. Which rule it is, and the words, are in
 * rules/. */
typedef struct ll_fault {
    uint16_t code;  /* parser faults: number in the fault table; ignored in checks */
    uint16_t hint;  /* likely cause: 1 + number in the format's hint table; 0: none */
    uint16_t read;  /* 1 + ll_read_kind: what the reader found; 0: another one found it */
    uint32_t alike; /* offsets of the records behind this one that are off by as many bytes, for which it stands too */
    int64_t from;   /* of the reader about an offset: the place of the file that it counts from */
    uint64_t want;  /* size of the file that the reader asks for, as far as it knows; 0: it does not */
    ll_where at;
    ll_where related; /* .span == LL_NO_SPAN and .length == 0: none */
    ll_arg arg[LL_FAULT_ARGS];
    ll_edit patch; /* bytes in the doc's arena or static storage; NULL: patch_value holds them */
    uint8_t patch_value[LL_PATCH_VALUE];
} ll_fault;

typedef struct ll_named {
    const char *name;    /* slug */
    const char *meaning; /* for faults and checks: what the arguments {0}..{3} are */
} ll_named;

typedef struct ll_format ll_format;

enum { LL_SPANS_PER_CHUNK = 1024, LL_FAULTS_MAX = 4096 };

typedef struct ll_fault_node ll_fault_node;

/* Numbers in the other byte order: those of records that begin in [from, to). */
typedef struct ll_swap {
    uint32_t from, to; /* equal: there are none */
    uint16_t layout;   /* only of records of it, and of what they own; LL_ANY_LAYOUT: of all */
    bool floats;       /* only these */
} ll_swap;

/* What a document keeps when another file is opened; of its allocator, which it goes back to with the document. The
 * memory that is kept begins with it. */
typedef struct ll_kept {
    struct ll_kept *next;
} ll_kept;

/* What a family looks up in a document again and again. */
typedef struct ll_memo {
    struct ll_doc *doc;
    const void *made; /* NULL: nobody asked for it */
} ll_memo;

typedef struct ll_doc {
    const uint8_t *bytes; /* borrowed */
    uint32_t size;
    ll_region regions[LL_REGIONS_MAX]; /* the first is the file */
    uint32_t region_count;
    const char *name;           /* file name as reports show it; may hold any bytes */
    const ll_format *format;    /* NULL: no format took it; set by ll_doc_set_format() */
    const ll_layout *layouts;   /* of the format, or the built-in ones */
    ll_arena arena;             /* reset by ll_doc_open */
    LL_ARRAY(ll_span *) chunks; /* of LL_SPANS_PER_CHUNK spans */
    ll_span *last_span;         /* NULL: there is none */
    uint32_t span_count;
    uint32_t fault_count; /* recorded; dropped ones are in faults_dropped */
    uint32_t faults_dropped;
    ll_fault_node *first_fault, *last_fault;
    uint32_t firsts[LL_LAYOUTS_MAX]; /* by layout: 1 + the number of its first span; 0: there is none */
    uint64_t tiled;           /* spans in the order of their claims cover [0, tiled) once; UINT64_MAX: they do not */
    uint32_t *order;          /* spans sorted by offset, parents first; NULL: they were claimed in that order */
    ll_status status;         /* first failure of memory or limits; parsers stop when it is not LL_OK */
    bool fatal;               /* the parser could not go on to the end */
    bool unchecked;           /* part of what was asked could not be checked; a fault says what */
    bool broken;              /* a span was marked as broken */
    bool unread;              /* bytes were not read, or are missing at the end; rules/unread.c sets it as well */
    bool unread_besides;      /* part of it was not read for another reason than the next one */
    bool unsupported;         /* part of it this version of the program cannot check */
    bool unsupported_allowed; /* by the caller: that need not be said */
    const ll_fault_node *unsupported_fault; /* that says so; NULL: none does */
    uint64_t matched;  /* steps of patterns of rules that count against their limit (rules/regex.c) */
    uint32_t searched; /* squares of the lengths of texts that were searched for one wrong byte: strcode.h */
    uint64_t unpacked; /* bytes that came out of compressed streams, each time that one was read */
    unsigned variant;  /* which of the format's variants the caller asked for: 1 + its number, 0: told by content */
    unsigned read_as;  /* the variant as which the reader took the file; 0: it had no choice */
    bool by_rows;      /* what read it said what is wrong and decided no cause: the search does that. The reader does it
                          where the file consists of sections (LL_PLACE_ONCE) */
    uint32_t rows_from, rows_to; /* else the addresses of what was, from the first part of which something is wrong to
                                    the last one; equal: of nothing */
    uint32_t rows_part;          /* the first of them; fields that lead to a part may stand outside of it */
    bool rows_wrong;             /* something is */
    unsigned rows_variant;       /* and the variant as which: 1 + its number */
    bool opaque; /* the bytes are not what the format expects and were claimed unparsed: nothing to check */
    /* Of a copy on which something is tried: its bytes [from, to) are not known, and the reader writes those that
     * follow from the rest; swap: it turns round the bytes of the numbers that it comes to. A parser need not seek a
     * cause in it: the search for causes reads thousands of copies. NULL: it is no copy. */
    uint8_t *copy;
    uint32_t unknown_from, unknown_to;
    ll_swap swap;
    ll_kept *kept;                    /* plans of the reader, by format */
    const struct ll_doc_names *names; /* what records go by; NULL: nothing */
    ll_memo own_memo;
    ll_memo *memo;                   /* see ll_doc_memo(); NULL: the document is not sealed */
    bool judged;                     /* the judges of its format ran (check.h) */
    const struct ll_member *members; /* of an archive, as its judge found them */
    uint32_t member_count;
} ll_doc;

struct ll_fault_node {
    ll_fault_node *next;
    ll_fault fault;
};

void ll_doc_init(ll_doc *doc, const ll_allocator *allocator);
void ll_doc_free(ll_doc *doc);
/* Starts over with other bytes; everything that lived in the arena is gone. */
void ll_doc_open(ll_doc *doc, const uint8_t *bytes, uint32_t size, const char *name);

/* Takes the document for a format, before anything is claimed; NULL: for none. */
void ll_doc_set_format(ll_doc *doc, const ll_format *format);

/* Memory that lives as long as the document, count * size bytes, not zeroed or zeroed. NULL and LL_E_MEMORY in
 * doc->status when there is none. */
void *ll_doc_alloc(ll_doc *doc, size_t count, size_t size);
void *ll_doc_zalloc(ll_doc *doc, size_t count, size_t size);

/* What `make` makes of a sealed document alone: of its spans with their flags, its regions and its bytes, in its arena.
 * The first who asks has it made. A family has one such function, and a document belongs to one thread. NULL: there is
 * no memory, as doc->status says, or the document is not sealed. */
static inline const void *ll_doc_memo(const ll_doc *doc, const void *(*make)(ll_doc *doc))
{
    ll_memo *memo = doc->memo;
    if (memo && !memo->made && memo->doc->status == LL_OK) {
        memo->made = make(memo->doc);
    }
    return memo ? memo->made : NULL;
}

/* Adds a region over bytes that live in the document's arena. outer_offset and outer_length: the bytes of the document
 * that hold it. Returns its base, or 0 when the addresses or the places for regions are used up. */
uint32_t ll_doc_add_region(ll_doc *doc, const char *name, const uint8_t *bytes, uint32_t size, uint32_t outer_offset,
                           uint32_t outer_length);
/* The region of an address, which may be that of its end. */
LL_NEVER_NULL static inline const ll_region *ll_doc_locate(const ll_doc *doc, uint32_t address)
{
    const ll_region *region = &doc->regions[doc->region_count - 1];
    while (address < region->base) {
        region--;
    }
    return region;
}
/* The bytes at an address. What is claimed lies there in one piece. */
static inline const uint8_t *ll_doc_at(const ll_doc *doc, uint32_t address)
{
    const ll_region *region = ll_doc_locate(doc, address);
    return region->bytes + (address - region->base);
}

LL_NEVER_NULL static inline const ll_span *ll_doc_span(const ll_doc *doc, uint32_t span)
{
    return &doc->chunks.items[span / LL_SPANS_PER_CHUNK][span % LL_SPANS_PER_CHUNK];
}
/* The same for walks, which have the span before at hand. */
LL_NEVER_NULL static inline const ll_span *ll_doc_span_behind(const ll_doc *doc, const ll_span *before, uint32_t span)
{
    return span % LL_SPANS_PER_CHUNK ? before + 1 : ll_doc_span(doc, span);
}
LL_NEVER_NULL static inline const ll_layout *ll_doc_layout(const ll_doc *doc, uint32_t span)
{
    return &doc->layouts[ll_doc_span(doc, span)->layout];
}

/* The span number i of those that are sorted by offset, parents first; after ll_doc_seal(). */
static inline uint32_t ll_span_in_order(const ll_doc *doc, uint32_t i)
{
    return doc->order ? doc->order[i] : i;
}

/* The span is there, and its fields mean something. */
static inline bool ll_is_usable(const ll_doc *doc, uint32_t span)
{
    return span != LL_NO_SPAN && !(ll_doc_span(doc, span)->flags & LL_SPAN_BROKEN);
}

/* Where the next span goes when those before it fill their chunks; NULL: no memory, as doc->status says. */
ll_span *ll_doc_next_chunk(ll_doc *doc);
static inline bool ll_claim_is_sound(const ll_doc *doc, uint32_t parent, uint32_t offset, uint32_t length)
{
    if (parent == LL_NO_SPAN) {
        const ll_region *region = ll_doc_locate(doc, offset);
        return ll_fits(offset - region->base, length, region->size);
    }
    if (parent >= doc->span_count) {
        return false;
    }
    const ll_span *p = ll_doc_span(doc, parent);
    return offset >= p->offset && ll_fits(offset - p->offset, length, p->length);
}

/* Claims bytes. The range must lie in the file or in one region, and in the parent (else LL_E_INTERNAL in doc->status).
 * Returns the span's number, or LL_NO_SPAN when doc->status is not LL_OK. count: elements of a record, text length of a
 * string, else 0. Parsers use the wrappers of claim.h. */
static inline uint32_t ll_claim(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t offset, uint32_t length,
                                uint32_t count, uint32_t index)
{
    uint32_t number = doc->span_count;
    if (doc->status != LL_OK) {
        return LL_NO_SPAN;
    }
    const ll_layout *l = &doc->layouts[layout];
    uint64_t own = l->kind == LL_KIND_RECORD ? (uint64_t)l->size * count : l->kind == LL_KIND_GROUP ? 0 : length;
    bool sound = ll_claim_is_sound(doc, parent, offset, length) && own <= length &&
                 (l->kind != LL_KIND_STRING || count <= length);
    if (!sound || number == LL_NO_SPAN - 1) {
        doc->status = LL_E_INTERNAL;
        return LL_NO_SPAN;
    }
    ll_span *s = number % LL_SPANS_PER_CHUNK ? doc->last_span + 1 : ll_doc_next_chunk(doc);
    if (!s) {
        return LL_NO_SPAN;
    }
    *s = (ll_span){offset, length, parent, index, count, layout, 0};
    doc->last_span = s;
    doc->tiled = offset == doc->tiled ? offset + own : UINT64_MAX;
    if (!doc->firsts[layout]) {
        doc->firsts[layout] = number + 1;
    }
    doc->span_count = number + 1;
    return number;
}
/* flags: ll_span_flag; 0: nothing is marked. */
void ll_mark_span(ll_doc *doc, uint32_t span, unsigned flags);
/* Ends a span at an address behind its last child, for a parser that learns only from these where it ends. */
void ll_end_span(ll_doc *doc, uint32_t span, uint32_t end);

/* Bytes of a field (1, 2, 3, 4 or 8 of them) as an unsigned integer / a double, straight from the file. */
static inline uint64_t ll_read_uint(const uint8_t *p, unsigned bytes, unsigned endian)
{
    switch (bytes) {
    case 1:
        return p[0];
    case 2:
        return endian == LL_BIG ? ll_be16(p) : ll_le16(p);
    case 3:
        return endian == LL_BIG ? ll_be24(p) : ll_le24(p);
    case 4:
        return endian == LL_BIG ? ll_be32(p) : ll_le32(p);
    default:
        return endian == LL_BIG ? ll_be64(p) : ll_le64(p);
    }
}

/* One element of a claimed record: what fields are read from. ll_element_at() alone makes one, so that nothing can be
 * read of a record that was not claimed. */
typedef struct ll_element {
    const uint8_t *bytes;
    const ll_layout *layout;
} ll_element;
/* An element of the records of a span. False: the span was not claimed, holds no records, or not as many; *out is not
 * set. A loop over elements ends by it. */
LL_MUST_CHECK static inline bool ll_element_at(const ll_doc *doc, uint32_t span, uint32_t element, ll_element *out)
{
    const ll_span *s = span < doc->span_count ? ll_doc_span(doc, span) : NULL;
    if (!s || doc->layouts[s->layout].kind != LL_KIND_RECORD || element >= s->count) {
        return false;
    }
    const ll_layout *layout = &doc->layouts[s->layout];
    *out = (ll_element){ll_doc_at(doc, s->offset) + (size_t)element * layout->size, layout};
    return true;
}
/* A field of the record's layout. Element `part` of a numeric field as a double; exact but for u64. */
static inline uint64_t ll_get_uint(const ll_element *record, unsigned field)
{
    const ll_field *f = &record->layout->fields[field];
    return ll_read_uint(record->bytes + f->offset, f->bytes, record->layout->endian);
}
double ll_get_number(const ll_element *record, unsigned field, unsigned part);
/* As an integer; an unsigned one of 64 bits is taken modulo 2^64. */
static inline int64_t ll_read_int(const uint8_t *p, unsigned bytes, bool is_signed, unsigned endian)
{
    uint64_t sign = (uint64_t)is_signed << (8 * bytes - 1);
    return (int64_t)((ll_read_uint(p, bytes, endian) ^ sign) - sign);
}
double ll_read_number(const uint8_t *p, unsigned type, unsigned endian);

/* A point of the parse to which a parser may go back: what was claimed and raised since then is taken back. */
typedef struct ll_doc_mark {
    uint64_t tiled;
    uint32_t span_count, fault_count, faults_dropped;
    uint32_t rows_from, rows_to, rows_part;
    bool rows_wrong;
    ll_fault_node *last_fault;
} ll_doc_mark;
static inline ll_doc_mark ll_doc_mark_here(const ll_doc *doc)
{
    return (ll_doc_mark){doc->tiled,   doc->span_count, doc->fault_count, doc->faults_dropped, doc->rows_from,
                         doc->rows_to, doc->rows_part,  doc->rows_wrong,  doc->last_fault};
}
void ll_doc_rewind(ll_doc *doc, const ll_doc_mark *mark);
/* Only what was raised is taken back. */
void ll_doc_forget(ll_doc *doc, const ll_doc_mark *mark);

#endif
