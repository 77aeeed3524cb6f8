/* How much speaks against bytes being a file of a format: one reading of them, and a weight for all that is left over.
 * Weights are hundredths; a file without oddities weighs nothing. Bytes that are not read weigh as much as bytes that
 * are read wrongly, so that no explanation is good that makes the reader stop. */
#ifndef LL_DIAGNOSIS_WEIGH_H
#define LL_DIAGNOSIS_WEIGH_H

#include "model/oddity.h"
#include "rules/engine.h"

/* Something that is left over. */
typedef struct ll_leftover {
    uint32_t weight;
    uint32_t offset, length; /* bytes of the file */
    uint32_t rule;           /* that found it; LL_NO_RULE: the reader, or nobody */
    uint16_t layout;         /* of the record, or part, at the place */
    uint8_t kind;            /* ll_read_kind of the reader, the wider one; LL_READ_KINDS: it is not of the reader */
    bool redundant;          /* other bytes say what it should be */
    bool loud;               /* more than odd: an error or a warning, or not as the rows say */
    bool beyond;             /* bytes behind the end of the file are wanted */
    bool hashed;             /* a text that has the hash that is stated */
    bool leads;              /* it is an offset, */
    int64_t from;            /* and counts from this place */
    uint64_t want;           /* size of the file with them, as far as it is known; 0: it is not */
    int64_t more; /* by how many bytes the file has more than a size or an offset says, or a parser that says where they
                     are; 0: that is not what is wrong */
    int64_t off;  /* of numbers: what it should be, less what it is */
    ll_where at, related;
    ll_edit patch; /* its bytes live until the next reading */
    uint8_t patch_value[LL_PATCH_VALUE];
} ll_leftover;

/* Bytes to be read: a copy that the reader may write to, see ll_doc.copy. */
typedef struct ll_candidate {
    uint8_t *bytes;
    uint32_t size;
    uint32_t unknown_from, unknown_to; /* equal: all bytes are known */
    uint32_t changed_from, changed_to; /* bytes that the file has not */
    ll_swap swap;
} ll_candidate;

/* One thread. */
typedef struct ll_weigher {
    const ll_ruleset *rules;
    const ll_format *format;
    const char *name; /* of the file */
    ll_doc doc;       /* of the last reading */
    ll_text scratch;
    unsigned variant; /* of the format, as the caller said, or as the first reading found */
    bool only_part;   /* nothing is weighed but what is wrong in the part that was read by rows of its own */
    bool keep;        /* leftovers are kept, not only weighed */
    LL_ARRAY(ll_leftover) leftovers; /* those found first, faults of the reader before all others */
    uint32_t nobodys;                /* bytes between parts that belong to none, in the first reading */
    uint64_t sum;
    uint64_t odd;      /* the part of the sum that is of notes */
    uint64_t notes;    /* a bit for the rule of each; rules may share one */
    uint64_t floats;   /* the part of numbers that no writer means, and of bytes that no row explains, in what was not
                          changed */
    uint64_t matched;  /* steps of patterns in all readings: ll_doc.matched */
    uint64_t unpacked; /* bytes that came out of compressed streams in all readings */
    uint32_t searched; /* ll_doc.searched of all readings that kept leftovers */
    uint64_t limit;    /* where it is passed before rules are asked, they are not: the sum is too small then */
    uint64_t *spans;   /* by span: the weights of its odd numbers, and of what rules find in it */
    ll_status status;
} ll_weigher;

void ll_weigher_init(ll_weigher *w, const ll_ruleset *rules, const ll_format *format, const char *name);
void ll_weigher_free(ll_weigher *w);
/* Reads the candidate, by the rules; its weight. UINT64_MAX: no memory, as w->status says. */
uint64_t ll_weigh(ll_weigher *w, const ll_candidate *candidate);

#endif
