/* A hypothesis: a change that may have happened to the file, with a cost. The search undoes it in a copy and weighs the
 * copy (weigh.h). Costs and weights are hundredths; docs/diagnosis.md says where they come from. */
#ifndef LL_DIAGNOSIS_HYPOTHESIS_H
#define LL_DIAGNOSIS_HYPOTHESIS_H

#include "diagnosis/weigh.h"

/* LL_CAUSE_<name>, "name", and the words of the finding: @ is replaced by the place, # by the number of bytes. */
#define LL_CAUSE_ROWS(ROW)                                                                                             \
    ROW(FIELD, "field", "The value at @ was changed: the rest of the file asks for another one.")                      \
    ROW(BYTE_ORDER, "byte-order", "The bytes at @ are in the other byte order.")                                       \
    ROW(TYPE, "number-type", "An integer stands at @, where a float is meant.")                                        \
    ROW(UNKNOWN, "unknown", "The value at @ was changed; what it was is unknown.")                                     \
    ROW(OVERWRITTEN, "overwritten", "The bytes at @ were overwritten; what they were is unknown.")                     \
    ROW(TEXT, "text", "A letter of the text was changed at @: with another one it has its hash.")                      \
    ROW(TERMINATOR, "terminator", "The NUL at @, which ends a text, was changed.")                                     \
    ROW(INSERTED, "inserted", "Inserted at @: #.")                                                                     \
    ROW(MISSING, "missing", "Missing at @: #.")                                                                        \
    ROW(DOUBLED, "doubled", "The record at @ is there twice.")                                                         \
    ROW(LOST, "lost", "A record of # is missing at @.")                                                                \
    ROW(ADDED, "added", "A record of # at @ belongs to nothing.")                                                      \
    ROW(EXCHANGED, "exchanged", "The record at @ and the one after it are exchanged.")                                 \
    ROW(CUT, "cut", "The end of the file is missing.")                                                                 \
    ROW(ZEROED, "zeroed", "The end of the file is lost: from @ on there are only zeros.")

enum {
    LL_SEARCH_SOUND = 75, /* a file with no more weight than this is sound */
    LL_COST_SIZED = 45,   /* for correcting the size of a part, which the reader found to be right */
    LL_SEARCH_KEPT = 60,  /* hypotheses are kept up to this much above the best score */
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
    uint32_t offset, length; /* bytes of the file that were changed */
    uint32_t score;          /* hundredths: cost plus the weight of what the copy leaves over */
    uint32_t cost;
    uint32_t left;   /* the same weight without notes and odd numbers that the file has as well */
    uint32_t number; /* number among the kept hypotheses, from 1 on, in the order in which they were tried */
    uint32_t times;  /* number of records with the same change; 0: one */
    ll_edit edit;    /* undoes the change; .tier LL_PATCH_NONE: bytes are unknown, or the patch may not be offered */
    ll_swap swap;
    bool confirmed; /* a count with which padding ends where the file does: odd numbers do not count against it */
    bool floats;    /* BYTE_ORDER: only floats are reversed */
    bool whole;     /* it is kept only if it leaves a sound file */
    bool unused;    /* nothing refers to a text of the copy */
    bool notes;     /* the copy has notes */
    bool unsure;    /* undoing the change may lose data, so no patch is offered */
    bool redundant; /* the reader states the right bytes; it is sure even if readings ran out */
    bool safe;      /* other bytes or the structure determine the patch: it is safe if no other hypothesis is as good */
} ll_hypothesis;

typedef struct ll_search {
    ll_weigher weigher;
    const uint8_t *bytes;
    uint32_t size;
    const struct ll_plan *rows;  /* plan of the format's rows; NULL: the format has none */
    bool by_rows;                /* everything that is wrong lies in what was read by rows */
    uint32_t rows_from, rows_to; /* addresses [from, to) of that */
    struct {
        uint32_t offset, size; /* field of the file, .size in bytes; 0: there is none */
        uint8_t endian;
    } sized;           /* the field that states how long the part in [rows_from, rows_to) is; its value is right */
    bool only_surplus; /* all errors and warnings are about surplus zeros at the end of the file */
    bool filled;       /* the file ends at a multiple of the unit that it is padded to */
    uint64_t base;     /* weight of the file as it is */
    uint64_t notes;    /* ll_weigher.notes and ll_weigher.floats of the file as it is */
    uint64_t floats;
    uint64_t bytes_read;    /* bytes that one reading costs */
    uint32_t readings;      /* readings made so far */
    uint32_t most;          /* limit of readings */
    uint64_t most_unpacked; /* limit of bytes that all readings together may unpack */
    uint32_t untried;  /* lowest cost of a hypothesis that was skipped for want of readings; UINT32_MAX: none was */
    bool only_weighed; /* hypotheses are scored but not kept */
    bool ranked;       /* hypotheses are weighed completely, even if they are worse than the best one */
    uint64_t best;     /* lowest score so far */
    ll_arena arena;    /* holds bytes of edits */
    LL_ARRAY(uint8_t) copy;
    int64_t differences[LL_DIFFERENCES_MAX]; /* in bytes: value derived from what was read, minus value stated in
                                                the first record of a layout */
    unsigned difference_count;
    LL_ARRAY(ll_leftover) leftovers; /* leftovers of the file as it is */
    LL_ARRAY(ll_hypothesis) tried;   /* kept hypotheses */
} ll_search;

/* Allocates memory that lives as long as the search. NULL: no memory; the weigher's status says so too. */
void *ll_search_alloc(ll_search *s, size_t count, size_t bytes);
/* Keeps a copy of a hypothesis, unless its score is more than LL_SEARCH_KEPT above the best one. */
void ll_search_keep(ll_search *s, const ll_hypothesis *h);
/* Tries a hypothesis on a copy in which `size` bytes replace `removed` ones at file offset `offset`, and keeps it if it
 * is good enough. bytes: NULL: unknown bytes. Returns the score; UINT32_MAX: it was not tried or is useless. */
uint32_t ll_search_try(ll_search *s, ll_hypothesis h, uint32_t offset, uint32_t removed, const uint8_t *bytes,
                       uint32_t size);
/* Writes `size` bytes with a change made; the copy has room for size - edit->removed + edit->size bytes. Bytes that the
 * change does not state (edit->bytes NULL) are 0. */
void ll_copy_changed(uint8_t *copy, const uint8_t *bytes, uint32_t size, const ll_edit *edit);
/* The weight of the last reading without notes and odd numbers that the file has as well. fewer: the copy may have
 * fewer odd numbers than the file, as removing a doubled record removes those in it. */
uint32_t ll_search_left(const ll_search *s, uint64_t weight, bool fewer);
/* Tries `size` other bytes at an address; sets the place of the hypothesis to these. bytes: NULL: unknown bytes. */
void ll_search_try_bytes(ll_search *s, ll_hypothesis h, uint32_t at, const uint8_t *bytes, uint32_t size);
/* Tries another number in a field of the record at address `record`. what: gives the cost and how certain it is. */
void ll_search_try_number(ll_search *s, ll_hypothesis what, const ll_layout *l, uint32_t record, unsigned field,
                          int64_t value);
/* Sorts the kept hypotheses, best first. */
void ll_search_sort(ll_search *s);

/* The change keeps the length and lies in the last 16 bytes of the file, which are all zeros: rather lost bytes than a
 * last record. */
bool ll_search_is_zero_end(const ll_search *s, uint32_t offset, uint32_t removed, uint32_t size);
/* Undoing either hypothesis makes the same file. */
bool ll_search_is_same_file(const ll_search *s, const ll_hypothesis *a, const ll_hypothesis *b);
/* Undoing either makes one file, all bytes of which are known. */
bool ll_is_same_hypothesis(const ll_search *s, const ll_hypothesis *one, const ll_hypothesis *other);

#endif
