/* What the parts of the search share: the elements of the file as it is, and where to look. Costs are hundredths; where
 * they come from: docs/design.md. */
#ifndef LL_DIAGNOSIS_PLAN_H
#define LL_DIAGNOSIS_PLAN_H

#include "diagnosis/hypothesis.h"

/* An element of the file as it is. */
typedef struct ll_search_unit {
    uint32_t at, size;
    uint32_t list; /* elements of one array, or of one list, have the same number; UINT32_MAX: it is in none */
    uint16_t layout;
    bool counted; /* it is an element of an array */
} ll_search_unit;

/* The number of the list that an element of a list is of; parent: the span that holds it. */
#define LL_SEARCH_LIST(parent) (UINT32_MAX - 1 - ((parent) + 1))

enum {
    LL_SEARCH_AMOUNTS = 48,
    LL_READING_BYTES = 1 << 13, /* that one reading takes the time of, beyond those of the file */
    LL_COST_SWAP_FLOATS = 130,
    LL_COST_SWAP_RECORD = 140,
    LL_COST_INSERTED = 180,
    LL_COST_MISSING = 200
};

typedef struct ll_search_plan {
    ll_search *s;
    ll_search_unit *units; /* by offset */
    uint32_t unit_count;
    uint32_t first[5]; /* where to look: the first leftover, the first that is not a value that others decide, the first
                          that is only odd, the last size that is wrong, and where the first offset leads that is */
    uint32_t head[LL_LAYOUTS_MAX], tail[LL_LAYOUTS_MAX]; /* by layout: 1 + numbers of the first and the last unit */
    unsigned firsts;
    int32_t amounts[LL_SEARCH_AMOUNTS]; /* bytes that may have been inserted (> 0) or be missing (< 0): differences of
                                           sizes, places and counts, and of a text with its hash from its place */
    unsigned amount_count;
    bool padded;     /* it finds nothing but bytes that differ from what they always are */
    bool reads;      /* the reader finds nothing wrong */
    bool ends_right; /* a field says that the file ends where it does */
} ll_search_plan;

/* The element of an array or a list that holds an address. within: 0: the innermost one, 1: the one that holds that.
 * NULL: there is none. */
const ll_search_unit *ll_search_unit_at(const ll_search_plan *p, uint32_t at, unsigned within);

/* Several changes at once (compound.c): the same one in each record of a list, and bytes put in or taken out with the
 * size of their record made right again. After all others, as they begin with the best of these. */
void ll_search_try_compounds(ll_search_plan *p);

#endif
