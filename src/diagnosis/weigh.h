/* Weighs bytes as a file of a format: reads them once and adds up a weight for everything that is wrong or left over.
 * Weights are hundredths; a file without oddities weighs nothing. Unread bytes weigh as much as wrongly read ones, so
 * an explanation that only makes the reader stop is not a good one. */
#ifndef LL_DIAGNOSIS_WEIGH_H
#define LL_DIAGNOSIS_WEIGH_H

#include "model/oddity.h"
#include "rules/engine.h"

/* Something that is wrong or unread: what an explanation leaves over. */
typedef struct ll_leftover {
    uint32_t weight;
    uint32_t offset, length; /* bytes of the file */
    uint32_t rule;           /* rule that found it; LL_NO_RULE: a fault of the reader, an odd number or unread bytes */
    uint16_t layout;         /* of the span at the place; 0: there is none */
    uint8_t kind;            /* ll_read_kind of the fault, the wider kind; LL_READ_KINDS: not a fault of that sort */
    bool redundant;          /* other bytes state the right value */
    bool loud;     /* an error, a warning or a fault of the reader; not a note, an odd number or unread bytes */
    bool beyond;   /* asks for bytes after the end of the file */
    bool hashed;   /* about a text that has the stated hash */
    bool leads;    /* it is a wrong offset */
    int64_t from;  /* address from which that offset counts */
    uint64_t want; /* size that the file should have, as far as it is known; 0: unknown */
    int64_t more;  /* bytes that the file has too many (> 0) or too few (< 0), by a size, an offset, surplus bytes or a
                      reader; 0: it is not about that */
    int64_t off;   /* of numbers: right value minus stated value */
    ll_where at, related;
    ll_edit patch; /* its bytes live until the next reading */
    uint8_t patch_value[LL_PATCH_VALUE];
} ll_leftover;

/* Bytes to be read. The reader may write to them (ll_doc.copy). */
typedef struct ll_candidate {
    uint8_t *bytes;
    uint32_t size;
    uint32_t unknown_from, unknown_to; /* [from, to) is unknown; equal: all bytes are known */
    uint32_t changed_from, changed_to; /* [from, to) differs from the file */
    ll_swap swap;
} ll_candidate;

/* Reads and weighs candidates, one after the other. For one thread. */
typedef struct ll_weigher {
    const ll_ruleset *rules;
    const ll_format *format;
    const char *name; /* file name */
    ll_doc doc;       /* document of the last reading */
    ll_text scratch;
    unsigned variant; /* variant of the format, as ll_doc.variant: set by the caller, or by the first reading */
    bool only_part;   /* only what is wrong in [doc.rows_from, doc.rows_to) is weighed */
    bool keep;        /* leftovers are kept, not only weighed */
    LL_ARRAY(ll_leftover) leftovers; /* the first ones found, faults of the reader before all others */
    uint32_t unowned; /* bytes between parts that belong to none, in the first reading; UINT32_MAX: before */
    uint64_t sum;
    uint64_t odd;      /* the part of `sum` that comes from notes */
    uint64_t notes;    /* a bit for the rule of each note; rules may share a bit */
    uint64_t floats;   /* the part of `sum` from odd floats outside of the changed bytes, and from bytes that no row
                          explains */
    uint64_t matched;  /* ll_doc.matched of all readings */
    uint64_t unpacked; /* ll_doc.unpacked of all readings */
    uint32_t searched; /* ll_doc.searched of all readings with `keep` */
    uint64_t limit;    /* once `sum` exceeds this, nothing more is weighed, so `sum` is too small */
    uint64_t *spans;   /* two for each span: the weights of its odd numbers, and of what rules find in it */
    ll_status status;
} ll_weigher;

void ll_weigher_init(ll_weigher *w, const ll_ruleset *rules, const ll_format *format, const char *name);
void ll_weigher_free(ll_weigher *w);
/* Reads the candidate, runs the rules, and returns its weight. UINT64_MAX: out of memory or another failure, in
 * w->status. */
uint64_t ll_weigh(ll_weigher *w, const ll_candidate *candidate);

#endif
