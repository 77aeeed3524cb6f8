/* The one hash map: finds the number of the item that has a key. The map holds no keys, only numbers of items with bits
 * of the hash above them; the owner of the items compares the few that may be equal. Open addressing; at most
 * every second slot is taken, so that no run of slots is expected to exceed 5 ln n. Whoever makes a file to collide
 * loses findings, not time: after LL_MAP_PROBES slots an item is not noted, or not found, and `lost` says so from then
 * on. A map of zeros is empty. The allocator is passed with each call that may take or give back memory (NULL: malloc);
 * with ll_arena_allocator() the map lives in an arena and need not be freed.
 *
 *     static bool has_name(const void *sought, uint32_t item) ...
 *     uint32_t item = ll_map_find(&map, hash, has_name, &sought);              LL_MAP_NONE: there is none
 *     ... after ll_map_open() or ll_map_room():
 *     uint32_t earlier = ll_map_note(&map, hash, item, has_name, &sought);     LL_MAP_NONE: `item` was noted
 */
#ifndef LL_BASE_MAP_H
#define LL_BASE_MAP_H

#include "base/endian.h"
#include "base/status.h"

#define LL_MAP_NONE UINT32_MAX

enum { LL_MAP_PROBES = 128 };

typedef struct ll_map {
    uint32_t *slots; /* NULL, or a power of two of them; LL_MAP_NONE: free */
    uint32_t mask;   /* how many, less one: the bits of a slot that are the number of an item */
    uint32_t count;  /* items that were noted */
    bool lost;       /* an item was not noted: one that is not found may be there */
} ll_map;

/* The hash of an item that was noted. */
typedef uint64_t ll_map_hash_of(const void *owner, uint32_t item);
/* Has the item the key that is sought? */
typedef bool ll_map_equal(const void *sought, uint32_t item);

/* For as many items as are known beforehand, whose numbers are below `numbers`. False when memory runs out. */
bool ll_map_open(ll_map *map, uint64_t items, uint64_t numbers, const ll_allocator *allocator);
/* For an owner that numbers its items from 0 on: makes room for the next one, moving all when there are too many. False
 * when memory runs out, and then nothing has changed. */
bool ll_map_grow(ll_map *map, uint32_t item, ll_map_hash_of *hash_of, const void *owner, const ll_allocator *allocator);
static inline bool ll_map_room(ll_map *map, uint32_t item, ll_map_hash_of *hash_of, const void *owner,
                               const ll_allocator *allocator)
{
    return (map->slots && item <= map->mask / 2) || ll_map_grow(map, item, hash_of, owner, allocator);
}
/* Forgets all items; the room stays. */
void ll_map_clear(ll_map *map);
/* Gives back the slots; the map is empty and may be used again. */
void ll_map_free(ll_map *map, const ll_allocator *allocator);

/* A hash of a number; of several: ll_map_hash(ll_map_hash(a) ^ b). */
static inline uint64_t ll_map_hash(uint64_t key)
{
    return (key ^ key >> 32) * UINT64_C(0x9E3779B97F4A7C15);
}

/* A hash of bytes, eight at a time; of several pieces: the hash of one as the start of the next. Two chains, so that
 * the multiplications of one run beside those of the other. */
static inline uint64_t ll_map_hash_bytes(uint64_t start, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    uint64_t hash = start;
    uint64_t other = size;
    uint64_t rest = 0;
    for (; size > 16; p += 16, size -= 16) {
        hash = ll_map_hash(hash ^ ll_le64(p));
        other = ll_map_hash(other ^ ll_le64(p + 8));
    }
    hash = ll_map_hash(hash ^ other);
    for (; size >= 8; p += 8, size -= 8) {
        hash = ll_map_hash(hash ^ ll_le64(p));
    }
    for (size_t i = 0; i < size; i++) {
        rest = rest << 8 | p[i];
    }
    return size ? ll_map_hash(hash ^ rest) : hash;
}

/* For items that are rows of a table, each beginning with its key, a uint64_t: what ll_map_has_key() seeks, and what
 * ll_map_key_hash() takes the keys from. The hash to seek by is ll_map_hash(key). */
typedef struct ll_map_key {
    const void *rows;
    size_t row_size;
    uint64_t key;
} ll_map_key;

static inline uint64_t ll_map_key_of(const ll_map_key *table, uint32_t item)
{
    return *(const uint64_t *)(const void *)((const char *)table->rows + item * table->row_size);
}
static inline bool ll_map_has_key(const void *sought, uint32_t item)
{
    return ll_map_key_of(sought, item) == ((const ll_map_key *)sought)->key;
}
static inline uint64_t ll_map_key_hash(const void *table, uint32_t item)
{
    return ll_map_hash(ll_map_key_of(table, item));
}

/* The slot of an equal item, or the free one where it belongs; NULL: neither was met. A search starts by the upper half
 * of the hash, and compares items that have the same bits of the lower one. */
static inline uint32_t *ll_map_seek(const ll_map *map, uint64_t hash, ll_map_equal *equal, const void *sought)
{
    uint32_t start = (uint32_t)(hash >> 32);
    uint32_t probes = map->slots ? LL_MAP_PROBES : 0;
    for (uint32_t i = 0; i < probes; i++) {
        uint32_t *slot = &map->slots[(start + i) & map->mask];
        if (*slot == LL_MAP_NONE ||
            (((*slot ^ (uint32_t)hash) & ~map->mask) == 0 && equal(sought, *slot & map->mask))) {
            return slot;
        }
    }
    return NULL;
}

/* The item that equals what is sought, or LL_MAP_NONE. */
static inline uint32_t ll_map_find(const ll_map *map, uint64_t hash, ll_map_equal *equal, const void *sought)
{
    const uint32_t *slot = ll_map_seek(map, hash, equal, sought);
    return slot && *slot != LL_MAP_NONE ? *slot & map->mask : LL_MAP_NONE;
}

/* The item that equals what is sought, or LL_MAP_NONE after noting `item` for it. */
static inline uint32_t ll_map_note(ll_map *map, uint64_t hash, uint32_t item, ll_map_equal *equal, const void *sought)
{
    uint32_t *slot = ll_map_seek(map, hash, equal, sought);
    if (slot && *slot != LL_MAP_NONE) {
        return *slot & map->mask;
    }
    if (slot) {
        *slot = ((uint32_t)hash & ~map->mask) | item;
        map->count++;
    }
    map->lost = map->lost || !slot;
    return LL_MAP_NONE;
}

/* The row that has a key, or LL_MAP_NONE. */
static inline uint32_t ll_map_find_row(const ll_map *map, const void *rows, size_t row_size, uint64_t key)
{
    ll_map_key sought = {rows, row_size, key};
    return ll_map_find(map, ll_map_hash(key), ll_map_has_key, &sought);
}

/* Notes the row behind those that were noted before; *again: one of them has its key. False when memory runs out. */
static inline bool ll_map_add_row(ll_map *map, const void *rows, size_t row_size, uint32_t row, bool *again,
                                  const ll_allocator *allocator)
{
    ll_map_key table = {rows, row_size, 0};
    table.key = ll_map_key_of(&table, row);
    bool room = ll_map_room(map, row, ll_map_key_hash, &table, allocator);
    *again = room && ll_map_note(map, ll_map_hash(table.key), row, ll_map_has_key, &table) != LL_MAP_NONE;
    return room;
}

/* Asks the processor for the slot at which a search will start: for owners that hash many items before the first
 * search. */
static inline void ll_map_fetch(const ll_map *map, uint64_t hash)
{
    __builtin_prefetch(&map->slots[(uint32_t)(hash >> 32) & map->mask], 1);
}

#endif
