/* Bottom-up merge sort. */
#include "base/sort.h"

#include <stddef.h>

static bool is_after(const ll_sort_key *a, const ll_sort_key *b)
{
    return a->first != b->first ? a->first > b->first : a->second > b->second;
}

static bool is_sorted(const ll_sort_key *keys, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (is_after(&keys[i - 1], &keys[i])) {
            return false;
        }
    }
    return true;
}

ll_sort_key *ll_sort(ll_sort_key *keys, ll_sort_key *spare, uint32_t n)
{
    if (is_sorted(keys, n)) { /* the common case */
        return keys;
    }
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t low = 0; low < n; low += 2 * width) {
            uint64_t mid = low + width < n ? low + width : n;
            uint64_t high = low + 2 * width < n ? low + 2 * width : n;
            uint64_t a = low;
            uint64_t b = mid;
            for (uint64_t k = low; k < high; k++) {
                bool left = a < mid && (b >= high || !is_after(&keys[a], &keys[b]));
                spare[k] = left ? keys[a++] : keys[b++];
            }
        }
        ll_sort_key *swap = keys;
        keys = spare;
        spare = swap;
    }
    return keys;
}

const ll_sort_key *ll_sort_find(const ll_sort_key *keys, uint32_t n, const ll_sort_key *key)
{
    LL_BISECT(low, n, i, is_after(key, &keys[i]));
    return low < n && !is_after(&keys[low], key) ? &keys[low] : NULL;
}
