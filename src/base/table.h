/* Which item was the first that equals this one? A hash table of item numbers, sized once, with open addressing. It
 * holds no keys: whoever asks compares the few items that come into question. A slot is the number of an item with bits
 * of its hash above it, so that few slots lead to a look at an item.
 *
 *     ll_probe probe = ll_probe_start(&table, hash);
 *     uint32_t other = ll_probe_next(&table, &probe);
 *     while (other != LL_TABLE_NONE && !equal(other, item)) {
 *         other = ll_probe_next(&table, &probe);
 *     }
 *     if (other == LL_TABLE_NONE) {
 *         ll_probe_note(&table, &probe, item);
 *     }
 */
#ifndef LL_BASE_TABLE_H
#define LL_BASE_TABLE_H

#include "base/arena.h"

#define LL_TABLE_NONE UINT32_MAX

/* At most every second slot is taken: among n items no run is expected to exceed 5 ln n, unless a file is made to
 * collide; such a file loses findings, not time. */
enum { LL_TABLE_PROBES = 128 };

typedef struct ll_table {
    uint32_t *slots;
    uint32_t mask;
} ll_table;

/* Slots for so many items: a power of two. */
uint32_t ll_table_slots(uint64_t items);
/* Room for `items` items, which are called by numbers below `numbers`. False when memory runs out. */
bool ll_table_open(ll_arena *arena, uint32_t items, uint32_t numbers, ll_table *out);

/* A walk over what may equal an item. Both halves of the hash are used, so all its bits should depend on the item. */
typedef struct ll_probe {
    uint32_t at;
    uint32_t tag; /* the bits of the hash that stand above numbers */
    uint32_t left;
} ll_probe;

static inline ll_probe ll_probe_start(const ll_table *table, uint64_t hash)
{
    return (ll_probe){(uint32_t)hash & table->mask, (uint32_t)(hash >> 32) & ~table->mask, LL_TABLE_PROBES};
}

/* LL_TABLE_NONE: there are no others. */
static inline uint32_t ll_probe_next(const ll_table *table, ll_probe *probe)
{
    for (; probe->left; probe->left--) {
        uint32_t slot = table->slots[probe->at];
        if (slot == LL_TABLE_NONE) {
            return LL_TABLE_NONE;
        }
        probe->at = (probe->at + 1) & table->mask;
        if (((slot ^ probe->tag) & ~table->mask) == 0) {
            probe->left--;
            return slot & table->mask;
        }
    }
    return LL_TABLE_NONE;
}

/* Notes an item where its walk ended. */
static inline void ll_probe_note(const ll_table *table, const ll_probe *probe, uint32_t number)
{
    if (probe->left) {
        table->slots[probe->at] = probe->tag | number;
    }
}

/* Asks the processor for the slot at which a walk will start. */
static inline void ll_table_fetch(const ll_table *table, uint64_t hash)
{
    __builtin_prefetch(&table->slots[(uint32_t)hash & table->mask], 1);
}

#endif
