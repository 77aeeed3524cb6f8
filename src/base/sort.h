/* The sort of the library: stable, not recursive, n log n for any input, with memory from the caller. */
#ifndef LL_BASE_SORT_H
#define LL_BASE_SORT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ll_sort_key {
    uint64_t first;  /* compared first */
    uint32_t second; /* then this */
    uint32_t item;   /* number of the sorted item */
} ll_sort_key;

/* Sorts `keys`, with `spare` of the same size as scratch. Returns whichever array holds the result. */
ll_sort_key *ll_sort(ll_sort_key *keys, ll_sort_key *spare, uint32_t n);
/* The first of sorted keys equal to `key`, ignoring items; NULL: none. */
const ll_sort_key *ll_sort_find(const ll_sort_key *keys, uint32_t n, const ll_sort_key *key);

/* Declares `low`: the number of items, of n sorted ones, that are below the sought position; `below` tests item `i`. */
#define LL_BISECT(low, n, i, below)                                                                                    \
    uint32_t low = 0;                                                                                                  \
    for (uint32_t ll_high = (uint32_t)(n); low < ll_high;) {                                                           \
        uint32_t i = low + (ll_high - low) / 2;                                                                        \
        if (below) {                                                                                                   \
            low = i + 1;                                                                                               \
        } else {                                                                                                       \
            ll_high = i;                                                                                               \
        }                                                                                                              \
    }

#endif
