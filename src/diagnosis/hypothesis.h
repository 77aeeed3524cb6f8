/* A hypothesis: what may have happened to a file, and what that costs. It is tried on a copy in which it is undone, and
 * the copy is weighed (weigh.h). Costs and weights are hundredths; where they come from: docs/diagnosis.md. */
#ifndef LL_DIAGNOSIS_HYPOTHESIS_H
#define LL_DIAGNOSIS_HYPOTHESIS_H

#include "diagnosis/weigh.h"

/* LL_CAUSE_<name>, "name", and what it means to a reader: @ stands for the place, # for how many bytes. */
#define LL_CAUSE_ROWS(ROW)                                                                                             \
    ROW(FIELD, "field", "The value at @ was changed: the rest of the file asks for another one.")                      \
    ROW(BYTE_ORDER, "byte-order", "The bytes at @ are in the other byte order.")                                       \
    ROW(TYPE, "number-type", "An integer stands at @, where a float is meant.")                                        \
    ROW(UNKNOWN, "unknown", "The value at @ was changed, and nothing tells what it was.")                              \
    ROW(OVERWRITTEN, "overwritten", "The bytes at @ were overwritten, and nothing tells what they were.")              \
    ROW(TEXT, "text", "A letter of the text was changed at @: with another one it has its hash.")                      \
    ROW(TERMINATOR, "terminator", "The NUL at @, which ends a text, was changed.")                                     \
    ROW(INSERTED, "inserted", "Inserted at @: #.")                                                                     \
    ROW(MISSING, "missing", "Missing at @: #.")                                                                        \
    ROW(DOUBLED, "doubled", "The record at @ is there twice.")                                                         \
    ROW(LOST, "lost", "A record of # is missing at @.")                                                                \
    ROW(ADDED, "added", "A record of # at @ belongs to nothing.")                                                      \
    ROW(EXCHANGED, "exchanged", "The record at @ and the one behind it are exchanged.")                                \
    ROW(CUT, "cut", "The end of the file is missing.")                                                                 \
    ROW(ZEROED, "zeroed", "The end of the file is lost: from @ on there are only zeros.")

enum {
    LL_SEARCH_SOUND = 75, /* a file that leaves no more over is sound */
    LL_COST_SIZED = 45,   /* for the corrected size of a part that a parser found */
    LL_SEARCH_KEPT = 60,  /* hypotheses are kept whose score is not above the best one by more */
    LL_DIFFERENCES_MAX = 8
};

typedef enum ll_cause_kind {
#define LL_CAUSE_NUMBER(kind, name, words) LL_CAUSE_##kind,
    LL_CAUSE_ROWS(LL_CAUSE_NUMBER)
#undef LL_CAUSE_NUMBER
        LL_CAUSES
} ll_cause_kind;
extern const char *const ll_cause_names[LL_CAUSES], *const ll_cause_words[LL_CAUSES];

typedef struct ll_hypothesis {
    ll_cause_kind kind;
    uint32_t offset, length; /* bytes of the file that it is about */
    uint32_t score;          /* hundredths: what it costs, and what it leaves over */
    uint32_t cost;
    uint32_t left;   /* what it leaves over, without the notes if the file as it is has such as well */
    uint32_t number; /* among those that were kept, in the order in which they were tried */
    uint32_t times;  /* records that have the change; 0: one has */
    ll_edit edit;    /* that undoes it; .tier: LL_PATCH_NONE where its bytes are not known */
    ll_swap swap;
    bool borne_out; /* a count with which padding ends where the file does: odd numbers say nothing against it */
    bool floats;    /* BYTE_ORDER: only floats are turned round */
    bool unsure;    /* what undoes it may lose something: there is no patch */
    bool redundant; /* the reader says what undoes it: it holds also where not all could be tried */
    bool safe;      /* other bytes, or the structure of the rest, decide what undoes it, if nothing else is as good */
} ll_hypothesis;

typedef struct ll_search {
    ll_weigher weigher;
    const uint8_t *bytes;
    uint32_t size;
    const struct ll_plan *rows;  /* of the format's rows; NULL: it has none */
    bool by_rows;                /* nothing is wrong but what was read by rows */
    uint32_t rows_from, rows_to; /* where that is */
    struct {
        uint32_t offset, size; /* bytes of the file; .size 0: there is none */
        uint8_t endian;
    } sized;           /* a field that says how long that is, and is right */
    bool only_surplus; /* nothing is wrong but zeros behind the end */
    bool filled;       /* the file ends where padding ends */
    uint64_t base;     /* weight of the file as it is, */
    uint64_t notes;    /* and its notes, see ll_weigher */
    uint64_t floats;
    uint64_t bytes_read;    /* by each reading */
    uint32_t readings;      /* that were made */
    uint32_t most;          /* that may be made, */
    uint64_t most_unpacked; /* and bytes that may come out of compressed streams, in all of them */
    uint32_t untried;       /* lowest cost of a hypothesis for which no reading was left; UINT32_MAX: there was none */
    bool only_weighed;      /* a hypothesis is not kept, whatever its score */
    bool ranked;            /* each hypothesis is weighed to the end, also where it is worse than another */
    uint64_t best;          /* the lowest score */
    ll_arena arena;         /* bytes of edits */
    LL_ARRAY(uint8_t) copy;
    int64_t differences[LL_DIFFERENCES_MAX]; /* of what a parser read from what first records state, in bytes */
    unsigned difference_count;
    LL_ARRAY(ll_leftover) leftovers; /* of the file as it is */
    LL_ARRAY(ll_hypothesis) tried;   /* those that may be among the best */
} ll_search;

/* Lives as long as the search. NULL: no memory, as its status says. */
void *ll_search_alloc(ll_search *s, size_t count, size_t bytes);
/* Keeps a hypothesis with its score, unless it is too much above the best one. */
void ll_search_keep(ll_search *s, const ll_hypothesis *h);
/* `size` bytes take the place of `removed` ones at `offset`; bytes: NULL: they are not known. The score; UINT32_MAX: it
 * was not tried. */
uint32_t ll_search_try(ll_search *s, ll_hypothesis h, uint32_t offset, uint32_t removed, const uint8_t *bytes,
                       uint32_t size);
/* Tries other bytes for those at an address; the hypothesis is about these. */
void ll_search_try_bytes(ll_search *s, ll_hypothesis h, uint32_t at, const uint8_t *bytes, uint32_t size);
/* A number in a field of a record. what: cost, and how sure it is. */
void ll_search_try_number(ll_search *s, ll_hypothesis what, const ll_layout *l, uint32_t record, unsigned field,
                          int64_t value);
/* The best of those that were tried come first. */
void ll_search_sort(ll_search *s);

/* Both make the same file of it. */
bool ll_search_is_same_file(const ll_search *s, const ll_hypothesis *a, const ll_hypothesis *b);
/* The same, and all its bytes are known. */
bool ll_is_same_hypothesis(const ll_search *s, const ll_hypothesis *one, const ll_hypothesis *other);

#endif
