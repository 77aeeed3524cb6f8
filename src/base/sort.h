/* The one sort of the library: stable, without recursion, n log n whatever the input, memory from the caller. */
#ifndef LL_BASE_SORT_H
#define LL_BASE_SORT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ll_sort_key {
    uint64_t first;  /* compared first */
    uint32_t second; /* then this */
    uint32_t item;   /* what is sorted, by number */
} ll_sort_key;

/* Sorts `keys`, using as much room again in `spare`. Returns the one of the two arrays that holds the result. */
ll_sort_key *ll_sort(ll_sort_key *keys, ll_sort_key *spare, uint32_t n);
/* The first of sorted keys that equals `key`, whatever their items, or NULL. */
const ll_sort_key *ll_sort_find(const ll_sort_key *keys, uint32_t n, const ll_sort_key *key);

/* Declares `low`: how many of n items in order lie below what is sought; `below` says it of the item `i`. */
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
