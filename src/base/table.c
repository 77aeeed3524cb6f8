/* Tables of item numbers: how large they are. */
#include "base/table.h"

#include <string.h>

enum { SLOTS_MIN = 16 };
#define SLOTS_MAX UINT32_C(0x80000000)

uint32_t ll_table_slots(uint64_t items)
{
    uint32_t slots = SLOTS_MIN;
    while (slots < SLOTS_MAX && slots / 2 < items) {
        slots *= 2;
    }
    return slots;
}

bool ll_table_open(ll_arena *arena, uint32_t items, uint32_t numbers, ll_table *out)
{
    uint32_t slots = ll_table_slots(items);
    while (slots < SLOTS_MAX && slots <= numbers) { /* a number fits below the tag and is never all ones */
        slots *= 2;
    }
    out->slots = slots > numbers ? ll_arena_alloc(arena, slots, sizeof *out->slots) : NULL;
    out->mask = slots - 1;
    if (out->slots) {
        memset(out->slots, 0xFF, slots * sizeof *out->slots); /* LL_TABLE_NONE */
    }
    return out->slots;
}
