/* The plan of a format: what its rows say about each of its parts and layouts, gathered for the reader. */
#ifndef LL_MODEL_READER_PLAN_H
#define LL_MODEL_READER_PLAN_H

#include "model/doc.h"
#include "model/format.h"

enum {
    LL_TAG_BITS = 8,        /* bits of the hash of a tag */
    LL_CONSTANTS_MAX = 192, /* most constant fields of a format */
    LL_NUMBER_MAX = 8,      /* most bytes of a number */
    LL_MASK_WORDS = 512     /* most words of eight bytes for the masks of all layouts */
};

/* A field of a record that is read to learn something about a part. */
typedef struct ll_field_of {
    uint16_t layout, field; /* field: LL_NO_FIELD: there is none */
} ll_field_of;

/* The rows of a list in format->parts, up to `end`. */
typedef struct ll_list_rows {
    uint16_t end;
    uint16_t last;                          /* row of its last part; format->part_count: none */
    uint16_t other;                         /* row of a part with any other tag; format->part_count: none */
    uint32_t tags[(1 << LL_TAG_BITS) / 32]; /* a bit for the hash of each tag */
} ll_list_rows;

/* A constant: a field that is the same in all records. It is letters, a number of up to 8 bytes, or zeros. */
typedef struct ll_constant {
    uint16_t field, offset, bytes;
    uint64_t value;     /* letters: read as a little-endian number */
    const uint8_t *tag; /* the letters; NULL: a number, or zeros */
} ll_constant;

/* Fields and layouts of a store (store_state.h). .section 0: the format has none. */
typedef struct ll_store_plan {
    uint16_t section, block;                     /* the groups of sections and blocks */
    ll_field_of size;                            /* bytes of a section; the layout is that of the size table */
    ll_field_of buffer, unpacked, packed, count; /* of the block table: sizes of a block, its number of sections */
    uint32_t extra;                              /* what `buffer` states beyond `unpacked` for a compressed block */
    ll_field_of tag, index;                      /* of the table of tags */
    uint8_t unit;                                /* tables, sections and blocks start at multiples of this */
    uint16_t lead, behind;                       /* padding in front of a stream, and after a block */
    uint16_t main;                               /* number of the kind of section that a file may also be alone */
    uint32_t magic;                              /* first word of a store, big-endian */
    uint32_t least;                              /* bytes of the shortest header, with its padding */
} ll_store_plan;

/* The plan of a format. It is made once for a document and format. */
typedef struct ll_plan {
    ll_kept kept; /* links the plans of other formats: an archive has members of several */
    const ll_format *format;
    uint32_t unit;                    /* texts are padded to a multiple of it; 1: they are not */
    uint16_t derived[LL_LAYOUTS_MAX]; /* by layout: 1 + its first derivation; they stand together; 0: none */
    struct {
        uint16_t first, end;
    } rows[LL_LAYOUTS_MAX];           /* by owner: its rows in format->parts; empty: it has no parts */
    uint16_t size[LL_LAYOUTS_MAX];    /* by layout: 1 + the field with the bytes of record and parts; 0: none */
    int8_t less[LL_LAYOUTS_MAX];      /* by layout: bytes that this field does not count */
    uint8_t fill[LL_LAYOUTS_MAX];     /* by layout: 1 + the alignment of its end with a padding; 0: none */
    uint16_t tallied[LL_LAYOUTS_MAX]; /* by owner of a series: 1 + its first derivation from its parts; 0: none */
    bool judges_padding;              /* the format has a fault for padding that is not zeros */
    bool ends;                        /* fields state where the file ends */
    bool varies;                      /* some parts belong to some variants only */
    bool plain[LL_LAYOUTS_MAX];       /* by owner that states its size: its fields alone describe all its parts */
    struct {
        uint8_t first, end;
        uint16_t bytes;
        uint16_t words;     /* number of words of eight bytes */
        uint16_t mask;      /* 1 + the first of its words in `mask` and `value`; 0: it has no mask */
    } like[LL_LAYOUTS_MAX]; /* by layout: its `constants`, [first, end), and how many bytes they have */
    ll_constant constants[LL_CONSTANTS_MAX];
    uint64_t mask[LL_MASK_WORDS], value[LL_MASK_WORDS]; /* bits that are the same in all records, and their values */
    ll_store_plan store;
    uint16_t choice_at;             /* offset in the record of the number for choices */
    uint16_t choice[UINT8_MAX + 1]; /* by the low byte of that number: 1 + the first of format->choices; 0: none */
    struct ll_part_plan {
        ll_derivation place; /* the field with its place; .layout 0: none */
        uint16_t rather;     /* layout to which that field leads instead, if the document has one; 0: none */
        ll_field_of count;   /* the field that counts the parts */
        ll_field_of size;    /* the field with its bytes: EACH, or a text of its owner, without the NUL */
        ll_field_of hash;    /* the field of its owner with the hash of the text */
        ll_field_of chain;   /* the field that leads from one part to the next */
        int32_t chain_end;   /* its value in the last part */
        ll_field_of there;   /* whether it is there: its `bits` equal `value`, or, with `unless`, do not */
        uint32_t bits, value;
        bool unless;
        int64_t from; /* address that the place counts from, from the start of the record, minus what the row adds */
        bool hashed;  /* a text whose hash a field holds */
        const ll_alignment *start, *first, *end;
        uint32_t tag, tag_at; /* TAGGED: the tag as a little-endian number, and its offset in the part */
        ll_list_rows list;    /* TAGGED: its list, from this row on */
    } part[LL_PARTS_MAX];
} ll_plan;

/* The plan of the document's format, which lives as long as the document. NULL: no memory, as doc->status says. */
const ll_plan *ll_plan_of(ll_doc *doc);
/* The number of the field with the tag. */
unsigned ll_tag_field(const ll_layout *l);
/* The row derives a field of the part's owner as the hash of this text, and the format has a fault for a wrong one. */
bool ll_is_hash_of(const ll_format *format, const ll_derivation *row, const ll_part_row *part);
/* A number of a record that is not claimed. */
static inline uint64_t ll_number_at(const ll_layout *l, unsigned field, const uint8_t *record)
{
    return ll_read_uint(record + l->fields[field].offset, l->fields[field].bytes, l->endian);
}
/* Fibonacci hashing (Knuth, TAOCP 3, 6.4). */
static inline uint32_t ll_hash_of_tag(uint32_t tag)
{
    return tag * UINT32_C(0x9E3779B1) >> (32 - LL_TAG_BITS);
}

/* The field of the header that counts the rows of a table; LL_NO_FIELD: it has no such table. */
unsigned ll_count_field(const ll_format *format, unsigned header, ll_field_of table);

#endif
