/* Merge sort on existing ascending runs: nearly sorted input costs little more than one pass. */
#include "base/sort.h"

#include <stddef.h>

static bool is_after(const ll_sort_key *a, const ll_sort_key *b)
{
    return a->first != b->first ? a->first > b->first : a->second > b->second;
}

/* End of the ascending run that starts at `low`. */
static uint32_t run_end(const ll_sort_key *keys, uint32_t low, uint32_t n)
{
    while (low + 1 < n && !is_after(&keys[low], &keys[low + 1])) {
        low++;
    }
    return low < n ? low + 1 : n;
}

static void merge(const ll_sort_key *keys, uint32_t low, uint32_t mid, uint32_t high, ll_sort_key *out)
{
    uint32_t a = low;
    uint32_t b = mid;
    for (uint32_t k = low; k < high; k++) {
        bool left = a < mid && (b >= high || !is_after(&keys[a], &keys[b]));
        out[k] = left ? keys[a++] : keys[b++];
    }
}

ll_sort_key *ll_sort(ll_sort_key *keys, ll_sort_key *spare, uint32_t n)
{
    while (run_end(keys, 0, n) < n) {
        for (uint32_t low = 0; low < n;) {
            uint32_t mid = run_end(keys, low, n);
            uint32_t high = run_end(keys, mid, n);
            merge(keys, low, mid, high, spare);
            low = high;
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
