/* What the rows of a format say of each of its parts, gathered for the reader: where it is, how many there are, how
 * long they are, and whether they are there. */
#ifndef LL_MODEL_READER_PLAN_H
#define LL_MODEL_READER_PLAN_H

#include "model/doc.h"
#include "model/format.h"

enum {
    LL_TAG_BITS = 8,        /* of the hash of a tag */
    LL_CONSTANTS_MAX = 192, /* fields that are the same in all records, of a format */
    LL_NUMBER_MAX = 8,      /* bytes */
    LL_MASK_WORDS = 512     /* of eight bytes, of all layouts with such fields together */
};

/* A field of a record that is read to know about a part. */
typedef struct ll_field_of {
    uint16_t layout, field; /* field: LL_NO_FIELD: there is none */
} ll_field_of;

/* The rows of a list, up to `end`, of format->parts; format->part_count: there is none. */
typedef struct ll_list_rows {
    uint16_t end;
    uint16_t last;                          /* its last part */
    uint16_t other;                         /* that of a part with any other tag */
    uint32_t tags[(1 << LL_TAG_BITS) / 32]; /* a bit for the hash of each tag */
} ll_list_rows;

/* A field that is the same in all records: letters, a number of up to 8 bytes, or zeros. */
typedef struct ll_constant {
    uint16_t field, offset, bytes;
    uint64_t value;     /* of letters: as a little-endian number */
    const uint8_t *tag; /* the letters; NULL: it is a number, or zeros */
} ll_constant;

/* What other rows say of each part and each layout: made once for a document and each format that it has. */
typedef struct ll_plan {
    ll_kept kept; /* the plan of another format behind it: members of an archive are of several, in turns */
    const ll_format *format;
    uint32_t unit;                    /* texts are filled up to a multiple of it; 1: they are not */
    uint16_t derived[LL_LAYOUTS_MAX]; /* by layout: 1 + the first of its derivations, which stand together; 0: none */
    struct {
        uint16_t first, end;
    } rows[LL_LAYOUTS_MAX];           /* by owner, of format->parts: those of its parts; the same: it has none */
    uint16_t size[LL_LAYOUTS_MAX];    /* by layout: 1 + the field that says how long record and parts are; 0: none */
    int8_t less[LL_LAYOUTS_MAX];      /* and what that leaves out of them */
    uint8_t fill[LL_LAYOUTS_MAX];     /* by layout: 1 + the alignment of its end that has a padding; 0: none */
    uint16_t tallied[LL_LAYOUTS_MAX]; /* by owner of a series: 1 + the first derivation from its parts; 0: none */
    bool judges_padding;              /* a fault of the format says that it is not zeros */
    bool ends;                        /* fields say where the file ends */
    bool varies;                      /* some parts are those of some variants of the format only */
    bool plain[LL_LAYOUTS_MAX];       /* by owner that says its size: its fields alone say all of its parts */
    struct {
        uint8_t first, end;
        uint16_t bytes;
        uint16_t words;     /* of eight bytes */
        uint16_t mask;      /* 1 + the first of its words in `mask` and `value`; 0: it is not told by such words */
    } like[LL_LAYOUTS_MAX]; /* by layout, of `constants`: what tells its records where no tag or place does */
    ll_constant constants[LL_CONSTANTS_MAX];
    uint64_t mask[LL_MASK_WORDS], value[LL_MASK_WORDS]; /* bits that are the same in all records, and what they are */
    uint16_t choice_at;                                 /* where in the record the number of the choices is */
    uint16_t choice[UINT8_MAX + 1]; /* by the first byte of the field: 1 + the first of format->choices; 0: none */
    struct ll_part_plan {
        ll_derivation place; /* the field that says where it is; .layout 0: none does */
        uint16_t rather;     /* layout of what the field leads to instead, where there is one; 0: nothing */
        ll_field_of count;   /* how many there are */
        ll_field_of size;    /* how long it is: EACH, or a text of its owner; of a text, without its NUL */
        ll_field_of hash;    /* the hash of a text, in its owner */
        ll_field_of chain;   /* what leads from one to the next one */
        int32_t chain_end;   /* what says that there is none */
        ll_field_of there;   /* whether it is there: its `bits` are `value`, or, `unless`, are not */
        uint32_t bits, value;
        bool unless;
        int64_t from; /* what the place counts from, from the start of the record, and less what is added */
        bool hashed;  /* a text, of which a field holds the hash */
        const ll_alignment *start, *first, *end;
        uint32_t tag, tag_at; /* TAGGED: its tag as it is read, and where in the part that stands */
        ll_list_rows list;    /* TAGGED: from this row on */
    } part[LL_PARTS_MAX];
} ll_plan;

/* The plan of the document's format, which lives as long as the document; NULL: no memory, which its status says. */
const ll_plan *ll_plan_of(ll_doc *doc);
/* The field that holds the tag. */
unsigned ll_tag_field(const ll_layout *l);
/* A text of which a field of its owner holds the hash, as the reader is to judge. */
bool ll_is_hash_of(const ll_format *format, const ll_derivation *row, const ll_part_row *part);
/* Fibonacci hashing (Knuth, TAOCP 3, 6.4). */
static inline uint32_t ll_hash_of_tag(uint32_t tag)
{
    return tag * UINT32_C(0x9E3779B1) >> (32 - LL_TAG_BITS);
}

#endif
