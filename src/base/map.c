/* Opens, grows and clears hash maps. */
#include "base/map.h"

#include <string.h>

#define SLOTS_MIN UINT64_C(16)
#define SLOTS_MAX (UINT64_C(1) << 31)

static bool is_other(const void *sought, uint32_t item)
{
    (void)sought;
    (void)item;
    return false;
}

bool ll_map_open(ll_map *map, uint64_t items, uint64_t numbers, const ll_allocator *allocator)
{
    ll_allocator a = ll_allocator_or_default(allocator);
    uint64_t slots = SLOTS_MIN;
    while (slots < SLOTS_MAX &&
           (slots / 2 < items || slots <= numbers)) { /* no item number may be all ones: that marks a free slot */
        slots *= 2;
    }
    bool fits = slots / 2 >= items && slots > numbers && slots <= SIZE_MAX / sizeof *map->slots;
    *map = (ll_map){.slots = fits ? a.alloc(a.ctx, (size_t)slots * sizeof *map->slots) : NULL};
    if (!map->slots) {
        return false;
    }
    map->mask = (uint32_t)slots - 1;
    ll_map_clear(map);
    return true;
}

bool ll_map_grow(ll_map *map, uint32_t item, ll_map_hash_of *hash_of, const void *owner, const ll_allocator *allocator)
{
    ll_map bigger;
    if (!ll_map_open(&bigger, (uint64_t)item + 1, (uint64_t)item + 1, allocator)) {
        return false;
    }
    for (uint32_t i = 0; map->slots && i <= map->mask; i++) {
        if (map->slots[i] != LL_MAP_NONE) {
            uint32_t moved = map->slots[i] & map->mask;
            (void)ll_map_note(&bigger, hash_of(owner, moved), moved, is_other, NULL);
        }
    }
    bigger.lost = bigger.lost || map->lost;
    ll_map_free(map, allocator);
    *map = bigger;
    return true;
}

void ll_map_clear(ll_map *map)
{
    if (map->slots) {
        memset(map->slots, 0xFF, ((size_t)map->mask + 1) * sizeof *map->slots); /* LL_MAP_NONE */
    }
    map->count = 0;
    map->lost = false;
}

void ll_map_free(ll_map *map, const ll_allocator *allocator)
{
    ll_allocator a = ll_allocator_or_default(allocator);
    if (map->slots) {
        a.release(a.ctx, map->slots);
    }
    *map = (ll_map){.slots = NULL};
}
