/* What the parts of the search share: the elements of the file as it is, where to look, and the one way to try
 * something. Costs are hundredths; where they come from: docs/design.md. */
#ifndef LL_DIAGNOSIS_PLAN_H
#define LL_DIAGNOSIS_PLAN_H

#include "diagnosis/search.h"

/* An element of the file as it is. */
typedef struct ll_search_unit {
    uint32_t at, size;
    uint32_t list; /* elements of one array, or of one list, have the same number; UINT32_MAX: it is in none */
    uint16_t layout;
    bool counted; /* it is an element of an array */
} ll_search_unit;

enum { LL_SEARCH_MOVED = 8, LL_COST_SWAP_FLOATS = 130, LL_COST_SWAP_RECORD = 140 };

typedef struct ll_search_plan {
    ll_search *s;
    ll_search_unit *units; /* by offset */
    uint32_t unit_count;
    uint32_t first[4]; /* where to look: the first leftover, the first that is not a value that others decide, the first
                          that is only odd, and where the first offset leads that is wrong */
    uint32_t head[LL_LAYOUTS_MAX], tail[LL_LAYOUTS_MAX]; /* by layout: 1 + numbers of the first and the last unit */
    unsigned firsts;
    int32_t moved[LL_SEARCH_MOVED]; /* distances in bytes from the place of a text to a text with its hash */
    unsigned moved_count;
    bool reads;      /* the reader finds nothing wrong */
    bool ends_right; /* a field says that the file ends where it does */
} ll_search_plan;

/* `size` bytes take the place of `removed` ones at `offset`; bytes: NULL: they are not known. The score; UINT32_MAX: it
 * was not tried. */
uint32_t ll_search_try(ll_search *s, ll_hypothesis h, uint32_t offset, uint32_t removed, const uint8_t *bytes,
                       uint32_t size);
/* The best of those that were tried come first. */
void ll_search_sort(ll_search *s);

/* Several changes at once (compound.c): the same one in each record of a list, and bytes put in or taken out with the
 * size of their record made right again. After all others, as they begin with the best of these. */
void ll_search_try_compounds(ll_search_plan *p);

#endif
