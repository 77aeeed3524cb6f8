/* A parsed file: its bytes, the ledger of spans, and the faults that were raised. The reader (reader.h) fills it; the
 * rule engine and the reports read it. A document belongs to one thread. One arena holds its memory and frees it at
 * once.
 *
 * Ledger: a span claims the bytes [offset, offset + length). The first layout->size * count bytes of a record span are
 * its own fields; the rest belongs to its children. Leaves (fields, parts of strings, opaque bytes), gaps and unparsed
 * bytes together cover [0, size) exactly once: tiling.h. */
#ifndef LL_MODEL_DOC_H
#define LL_MODEL_DOC_H

#include "base/arena.h"
#include "base/array.h"
#include "base/endian.h"
#include "base/ints.h"
#include "model/layout.h"

/* A function that never returns NULL. clang warns where its result is compared with NULL. */
#define LL_NEVER_NULL __attribute__((returns_nonnull))

#define LL_NO_SPAN UINT32_MAX
#define LL_NO_INDEX UINT32_MAX

enum ll_span_flag {
    LL_SPAN_BROKEN = 1,    /* its fields mean nothing, as a fault says: rules skip them */
    LL_SPAN_ARRAY = 2,     /* paths number its elements, even if there is only one */
    LL_SPAN_DOUBTFUL = 4,  /* its length or element count may be wrong, as a fault says: references into it are not
                              checked against them */
    LL_SPAN_EXPLAINED = 8, /* a fault of another record says why it is broken or unread */
    LL_SPAN_PACKED = 16    /* it holds compressed bytes, so no row can derive its sizes */
};

typedef struct ll_span {
    uint32_t offset;
    uint32_t length;
    uint32_t parent; /* span number or LL_NO_SPAN */
    uint32_t index;  /* ordinal among its kind, shown in the path as [index]; LL_NO_INDEX: it has none */
    uint32_t count;  /* records: number of elements; strings: length of the text in bytes; else 0 */
    uint16_t layout; /* number in the format's layout table */
    uint16_t flags;  /* ll_span_flag */
} ll_span;

/* A contiguous run of bytes: the file, or bytes unpacked from it, such as the contents of a compressed block. All
 * regions of a document share one space of 32-bit addresses. The file is the first region and begins at address 0, so
 * an address in it is a file offset. Each other region begins at its base. Spans, places and arguments hold
 * addresses. */
typedef struct ll_region {
    uint32_t base, size; /* addresses [base, base + size); no region begins where another one ends */
    const uint8_t *bytes;
    const char *name; /* path of its contents, such as "section[5]", in the doc's arena; NULL: the file */
    uint32_t outer_offset, outer_length; /* the bytes that hold it, in the file that the user has: the document may be a
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
        const char *word; /* in static storage or the doc's arena; trusted text */
        struct {
            uint32_t offset, length; /* bytes of the document, escaped when shown */
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

/* A place: a field of an element of a span, and the exact bytes. */
typedef struct ll_where {
    uint32_t span;    /* LL_NO_SPAN: none */
    uint32_t element; /* element of an array span, else 0 */
    uint16_t field;   /* LL_NO_FIELD: the span as a whole */
    uint16_t part;    /* element of a vector field; LL_NO_PART: the whole field */
    uint32_t offset, length;
} ll_where;

enum { LL_NO_PART = 0xFFFF };

/* A patch: `size` bytes replace `removed` bytes at a file offset. If the two numbers differ, the sizes, offsets and
 * counts that depend on the place are updated as well (consequence.h). */
typedef struct ll_edit {
    uint8_t tier; /* ll_patch_tier */
    uint32_t offset, removed, size;
    uint32_t places; /* the patch may belong at any offset up to `offset + places`; linting decides which one holds, if
                        any */
    const uint8_t *bytes;
    bool guessed; /* offered only if linting shows that it holds; so is every patch that changes the number of bytes */
    const uint32_t *order; /* new order of the elements of the array at the finding's place: order[0] is the element
                              that becomes the first. All that belongs to an element moves with it. Lives as long as the
                              document; NULL: the elements stay */
} ll_edit;

/* Something wrong, as the reader or a check states it: no words, no severity. The rule and its words are in rules/. */
typedef struct ll_fault {
    uint16_t code;  /* faults of the reader and of judges: number in the fault table; ignored in checks */
    uint16_t hint;  /* likely cause: 1 + number in the format's hint table; 0: none */
    uint16_t read;  /* 1 + ll_read_kind: what the reader found; 0: not raised by the reader */
    uint32_t alike; /* number of further records that this fault stands for: their offsets are off by as many bytes */
    int64_t from;   /* reader, about an offset: address that the offset counts from */
    uint64_t want;  /* file size that the stated value needs, as far as the reader knows it; 0: not known */
    ll_where at;
    ll_where related; /* .span == LL_NO_SPAN and .length == 0: there is none */
    ll_arg arg[LL_FAULT_ARGS];
    ll_edit patch; /* bytes in the doc's arena or static storage; .bytes NULL: patch_value holds them */
    uint8_t patch_value[LL_PATCH_VALUE];
} ll_fault;

typedef struct ll_named {
    const char *name;    /* its name in rules, a slug */
    const char *meaning; /* for faults and checks: what the arguments {0}..{3} are */
} ll_named;

typedef struct ll_format ll_format;

enum { LL_SPANS_PER_CHUNK = 1024, LL_FAULTS_MAX = 4096 };

typedef struct ll_fault_node ll_fault_node;

/* Reads numbers in the other byte order: those of records that begin at an address in [from, to). */
typedef struct ll_swap {
    uint32_t from, to; /* equal: no record is swapped */
    uint16_t layout;   /* only records of this layout and what they own; LL_ANY_LAYOUT: all records */
    bool floats;       /* swap only floats */
} ll_swap;

/* Memory that a document keeps when it opens another file, such as plans of the reader. It comes from the allocator of
 * the document and is released with the document. Each kept block begins with this structure. */
typedef struct ll_kept {
    struct ll_kept *next;
} ll_kept;

/* A table that a family builds from a document on first use and looks things up in. */
typedef struct ll_memo {
    struct ll_doc *doc;
    const void *made; /* NULL: not built yet */
} ll_memo;

typedef struct ll_doc {
    const uint8_t *bytes; /* borrowed from the caller */
    uint32_t size;
    ll_region regions[LL_REGIONS_MAX]; /* the first one is the file */
    uint32_t region_count;
    const char *name;           /* file name as reports show it; may hold any bytes */
    const ll_format *format;    /* set by ll_doc_set_format(); NULL: no format */
    const ll_layout *layouts;   /* layouts of the format, or the built-in ones */
    ll_arena arena;             /* ll_doc_open() resets it */
    LL_ARRAY(ll_span *) chunks; /* each of LL_SPANS_PER_CHUNK spans */
    ll_span *last_span;         /* NULL: there is none */
    uint32_t span_count;
    uint32_t fault_count; /* faults in the list; faults_dropped counts those beyond the limit */
    uint32_t faults_dropped;
    ll_fault_node *first_fault, *last_fault;
    uint32_t firsts[LL_LAYOUTS_MAX]; /* by layout: 1 + number of its first span; 0: there is none */
    uint64_t tiled;      /* spans in the order of their claims cover [0, tiled) exactly once; UINT64_MAX: they do not */
    uint32_t *order;     /* span numbers sorted by offset, parents first; NULL: they were claimed in that order */
    ll_status status;    /* first failure of memory or limits; the reader stops once it is not LL_OK */
    bool fatal;          /* the reader could not go on to the end */
    bool unchecked;      /* part of what was asked could not be checked; a fault says which */
    bool broken;         /* a span was marked as broken */
    bool unread;         /* bytes were not read, or are missing at the end; rules/unread.c sets it too */
    bool unread_besides; /* some bytes were not read for another reason than `unsupported` */
    bool unsupported;    /* this version of the program cannot check part of the file */
    bool unsupported_allowed;               /* the caller accepts unsupported parts: no message is needed */
    const ll_fault_node *unsupported_fault; /* the fault that reports `unsupported`; NULL: none */
    uint64_t matched;  /* steps that patterns of rules took, checked against their limit (rules/regex.c) */
    uint32_t searched; /* sum of the squared lengths of texts searched for one wrong byte: strcode.h */
    uint64_t unpacked; /* bytes unpacked from compressed streams, counted again each time a stream is read */
    unsigned variant;  /* the variant of the format that the caller asked for: 1 + its number; 0: content decides */
    unsigned read_as;  /* 1 + number of the variant that the reader chose; 0: it had no choice */
    bool by_rows;      /* the reader only reported what is wrong; the search decides the cause. False for files made of
                          sections (LL_PLACE_ONCE), whose causes the reader decides itself */
    /* If not by_rows: the addresses [rows_from, rows_to) of the parts that were read by rows, from the first
     * part with a fault to the last one, or of the part read last if none has a fault. Equal: there is no such part. */
    uint32_t rows_from, rows_to;
    uint32_t rows_part;    /* address of the first of them; a faulty field that leads to a part may be in front of it */
    bool rows_wrong;       /* one of these parts has a fault */
    unsigned rows_variant; /* 1 + number of the variant that they were read as */
    bool opaque;           /* the bytes are not of the format and were claimed as unparsed: there is nothing to check */
    /* Only for a copy on which a hypothesis is tried. Its bytes [unknown_from, unknown_to) are not known: the reader
     * writes those that follow from the rest. `swap` names numbers whose bytes the reader reverses. The reader need not
     * look for causes in a copy, as the search for causes reads thousands of them. copy NULL: the document is no
     * copy. */
    uint8_t *copy;
    uint32_t unknown_from, unknown_to;
    ll_swap swap;
    ll_kept *kept;                    /* plans of the reader, one for each format */
    const struct ll_doc_names *names; /* names of records (names.h); NULL: none */
    ll_memo own_memo;
    ll_memo *memo;                   /* see ll_doc_memo(); NULL: the document is not sealed */
    bool judged;                     /* the judges of the format have run (check.h) */
    const struct ll_member *members; /* members of an archive, set by its judge */
    uint32_t member_count;
} ll_doc;

struct ll_fault_node {
    ll_fault_node *next;
    ll_fault fault;
};

void ll_doc_init(ll_doc *doc, const ll_allocator *allocator);
void ll_doc_free(ll_doc *doc);
/* Starts over with other bytes, which stay the caller's. Frees everything in the arena. */
void ll_doc_open(ll_doc *doc, const uint8_t *bytes, uint32_t size, const char *name);

/* Sets the format before anything is claimed. NULL: no format. */
void ll_doc_set_format(ll_doc *doc, const ll_format *format);

/* Memory that lives as long as the document, count * size bytes: ll_doc_alloc() leaves it uninitialised,
 * ll_doc_zalloc() zeroes it. No memory: NULL, and doc->status is LL_E_MEMORY. */
void *ll_doc_alloc(ll_doc *doc, size_t count, size_t size);
void *ll_doc_zalloc(ll_doc *doc, size_t count, size_t size);
/* Frees a block early if it is large, so that the work of one reader does not add to the peak of a large file. Other
 * blocks stay until the document ends. NULL: no effect. */
void ll_doc_release(ll_doc *doc, void *block);

/* Returns what `make` builds from a sealed document: from its spans and their flags, its regions and its bytes alone.
 * The first caller triggers the build; the result lives in the document's arena. A family has only one such function.
 * NULL: no memory, as doc->status says, or the document is not sealed. */
static inline const void *ll_doc_memo(const ll_doc *doc, const void *(*make)(ll_doc *doc))
{
    ll_memo *memo = doc->memo;
    if (memo && !memo->made && memo->doc->status == LL_OK) {
        memo->made = make(memo->doc);
    }
    return memo ? memo->made : NULL;
}

/* Adds a region. Its bytes live in the document's arena. outer_offset and outer_length are the bytes of the document
 * that hold it. Returns the base address of the region, or 0 if there are too many regions or no addresses left. */
uint32_t ll_doc_add_region(ll_doc *doc, const char *name, const uint8_t *bytes, uint32_t size, uint32_t outer_offset,
                           uint32_t outer_length);
/* The region that contains an address. The address may be the region's end. */
LL_NEVER_NULL static inline const ll_region *ll_doc_locate(const ll_doc *doc, uint32_t address)
{
    const ll_region *region = &doc->regions[doc->region_count - 1];
    while (address < region->base) {
        region--;
    }
    return region;
}
/* The bytes at an address. Claimed bytes are contiguous there. */
static inline const uint8_t *ll_doc_at(const ll_doc *doc, uint32_t address)
{
    const ll_region *region = ll_doc_locate(doc, address);
    return region->bytes + (address - region->base);
}

LL_NEVER_NULL static inline const ll_span *ll_doc_span(const ll_doc *doc, uint32_t span)
{
    return &doc->chunks.items[span / LL_SPANS_PER_CHUNK][span % LL_SPANS_PER_CHUNK];
}
/* Like ll_doc_span(), faster for walks: `before` is the span in front of it. */
LL_NEVER_NULL static inline const ll_span *ll_doc_span_behind(const ll_doc *doc, const ll_span *before, uint32_t span)
{
    return span % LL_SPANS_PER_CHUNK ? before + 1 : ll_doc_span(doc, span);
}
LL_NEVER_NULL static inline const ll_layout *ll_doc_layout(const ll_doc *doc, uint32_t span)
{
    return &doc->layouts[ll_doc_span(doc, span)->layout];
}

/* The number of the i-th span, sorted by offset, parents first. Valid after ll_doc_seal(). */
static inline uint32_t ll_span_in_order(const ll_doc *doc, uint32_t i)
{
    return doc->order ? doc->order[i] : i;
}

/* The span exists, and its fields mean something. */
static inline bool ll_is_usable(const ll_doc *doc, uint32_t span)
{
    return span != LL_NO_SPAN && !(ll_doc_span(doc, span)->flags & LL_SPAN_BROKEN);
}

/* Room for the next span if the chunk in use is full. NULL: no memory, as doc->status says. */
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

/* Claims bytes. The range must lie in one region and in the parent, or doc->status becomes LL_E_INTERNAL. Returns the
 * number of the span, or LL_NO_SPAN once doc->status is not LL_OK. Parsers use the wrappers in claim.h. */
static inline uint32_t ll_claim(ll_doc *doc, ll_span claim)
{
    uint32_t number = doc->span_count;
    if (doc->status != LL_OK) {
        return LL_NO_SPAN;
    }
    const ll_layout *l = &doc->layouts[claim.layout];
    uint64_t own = l->kind == LL_KIND_RECORD  ? (uint64_t)l->size * claim.count
                   : l->kind == LL_KIND_GROUP ? 0
                                              : claim.length;
    bool sound = ll_claim_is_sound(doc, claim.parent, claim.offset, claim.length) && own <= claim.length &&
                 (l->kind != LL_KIND_STRING || claim.count <= claim.length);
    if (!sound || number == LL_NO_SPAN - 1) {
        doc->status = LL_E_INTERNAL;
        return LL_NO_SPAN;
    }
    ll_span *s = number % LL_SPANS_PER_CHUNK ? doc->last_span + 1 : ll_doc_next_chunk(doc);
    if (!s) {
        return LL_NO_SPAN;
    }
    /* By member, so that gcc keeps the claim in registers. */
    *s = (ll_span){claim.offset, claim.length, claim.parent, claim.index, claim.count, claim.layout, claim.flags};
    doc->last_span = s;
    doc->tiled = claim.offset == doc->tiled ? claim.offset + own : UINT64_MAX;
    if (!doc->firsts[claim.layout]) {
        doc->firsts[claim.layout] = number + 1;
    }
    doc->span_count = number + 1;
    return number;
}
/* Adds ll_span_flag bits to a span. */
void ll_mark_span(ll_doc *doc, uint32_t span, unsigned flags);
/* Moves the end of a span to an address after its last child, for a reader that learns only from the children where
 * the span ends. */
void ll_end_span(ll_doc *doc, uint32_t span, uint32_t end);

/* An integer field of 1, 2, 3, 4 or 8 bytes as an unsigned integer. */
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

/* One element of a claimed record, to read fields from. Only ll_element_at() makes one, so that nothing is read from a
 * record that was not claimed. */
typedef struct ll_element {
    const uint8_t *bytes;
    const ll_layout *layout;
} ll_element;
/* An element of a record span. False: the span does not exist, holds no records or has too few; *out is not set. Loops
 * over elements end on false. */
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
/* The field of a record: ll_get_uint() as an unsigned integer, ll_get_number() element `part` of a numeric field as a
 * double, which is exact except for u64. */
static inline uint64_t ll_get_uint(const ll_element *record, unsigned field)
{
    const ll_field *f = &record->layout->fields[field];
    return ll_read_uint(record->bytes + f->offset, f->bytes, record->layout->endian);
}
double ll_get_number(const ll_element *record, unsigned field, unsigned part);
/* An integer of 1, 2, 3, 4 or 8 bytes, with its sign. An unsigned one of 64 bits is taken modulo 2^64. */
static inline int64_t ll_read_int(const uint8_t *p, unsigned bytes, bool is_signed, unsigned endian)
{
    uint64_t sign = (uint64_t)is_signed << (8 * bytes - 1);
    return (int64_t)((ll_read_uint(p, bytes, endian) ^ sign) - sign);
}
double ll_read_number(const uint8_t *p, unsigned type, unsigned endian);

/* A point that the reader can return to with ll_doc_rewind(), which takes back all spans and faults since then. */
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
/* Takes back only the faults. */
void ll_doc_forget(ll_doc *doc, const ll_doc_mark *mark);

#endif
