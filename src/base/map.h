/* A hash map: finds the number of the item with a key. The map holds no keys, only item numbers, with bits of the hash
 * above them; the owner of the items compares the few that may be equal. Open addressing with at most half of the slots
 * in use, so that no run of slots is expected to exceed 5 ln n. A file made to cause collisions loses findings, not
 * time: after LL_MAP_PROBES slots an item is not added, or not found, and `lost` is set. Zero-initialised, a map is
 * empty. The allocator is passed to each call that may allocate or free (NULL: malloc); with ll_arena_allocator() the
 * map is in an arena and need not be freed.
 *
 *     static bool has_name(const void *sought, uint32_t item) ...
 *     uint32_t item = ll_map_find(&map, hash, has_name, &sought);              LL_MAP_NONE: there is none
 *     ... after ll_map_open() or ll_map_room():
 *     uint32_t earlier = ll_map_note(&map, hash, item, has_name, &sought);     LL_MAP_NONE: `item` was added */
#ifndef LL_BASE_MAP_H
#define LL_BASE_MAP_H

#include "base/endian.h"
#include "base/status.h"

#define LL_MAP_NONE UINT32_MAX

enum { LL_MAP_PROBES = 128 };

typedef struct ll_map {
    uint32_t *slots; /* NULL, or a power of two of slots; LL_MAP_NONE: free */
    uint32_t mask;   /* number of slots - 1: the bits of a slot that hold an item number */
    uint32_t count;  /* items in the map */
    bool lost;       /* an item could not be added: one that is not found may exist */
} ll_map;

/* Returns the hash of an item in the map. */
typedef uint64_t ll_map_hash_of(const void *owner, uint32_t item);
/* Does the item have the sought key? */
typedef bool ll_map_equal(const void *sought, uint32_t item);

/* Opens a map for a known number of items with numbers below `numbers`. False: out of memory. */
bool ll_map_open(ll_map *map, uint64_t items, uint64_t numbers, const ll_allocator *allocator);
/* For an owner that numbers items from 0: makes room for the next item, moving all if needed. False: out of memory,
 * nothing changed. */
bool ll_map_grow(ll_map *map, uint32_t item, ll_map_hash_of *hash_of, const void *owner, const ll_allocator *allocator);
static inline bool ll_map_room(ll_map *map, uint32_t item, ll_map_hash_of *hash_of, const void *owner,
                               const ll_allocator *allocator)
{
    return (map->slots && item <= map->mask / 2) || ll_map_grow(map, item, hash_of, owner, allocator);
}
/* Removes all items and keeps the slots. */
void ll_map_clear(ll_map *map);
/* Frees the slots. The map is then empty and may be used again. */
void ll_map_free(ll_map *map, const ll_allocator *allocator);

/* Hash of a number; for several: ll_map_hash(ll_map_hash(a) ^ b). */
static inline uint64_t ll_map_hash(uint64_t key)
{
    return (key ^ key >> 32) * UINT64_C(0x9E3779B97F4A7C15);
}

/* Hash of bytes, eight at a time; for several pieces, pass the hash of one as `start` of the next. Uses two chains, so
 * that their multiplications run in parallel. */
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
    if (size >= 4) { /* loads may overlap: the size was hashed */
        rest = ll_le32(p) | (uint64_t)ll_le32(p + size - 4) << 32;
    } else if (size) {
        rest = p[0] | (uint64_t)p[size / 2] << 8 | (uint64_t)p[size - 1] << 16;
    }
    return size ? ll_map_hash(hash ^ rest) : hash;
}

/* For items that are rows of a table, each beginning with its key, a uint64_t: the argument of ll_map_has_key() and
 * ll_map_key_hash(). The hash of a key is ll_map_hash(key). */
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

/* The slot of an equal item, or the free slot where it belongs; NULL: neither was found. The upper half of the hash
 * selects the first slot; items are compared if bits of the lower half agree. */
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

/* The item with the sought key; LL_MAP_NONE: none. */
static inline uint32_t ll_map_find(const ll_map *map, uint64_t hash, ll_map_equal *equal, const void *sought)
{
    const uint32_t *slot = ll_map_seek(map, hash, equal, sought);
    return slot && *slot != LL_MAP_NONE ? *slot & map->mask : LL_MAP_NONE;
}

/* The item with the sought key; LL_MAP_NONE: there was none, and `item` was added. */
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

/* The row with a key; LL_MAP_NONE: none. */
static inline uint32_t ll_map_find_row(const ll_map *map, const void *rows, size_t row_size, uint64_t key)
{
    ll_map_key sought = {rows, row_size, key};
    return ll_map_find(map, ll_map_hash(key), ll_map_has_key, &sought);
}

/* Adds a row, whose number must be the next one; *again: an earlier row has the same key. False: out of memory. */
static inline bool ll_map_add_row(ll_map *map, const void *rows, size_t row_size, uint32_t row, bool *again,
                                  const ll_allocator *allocator)
{
    ll_map_key table = {rows, row_size, 0};
    table.key = ll_map_key_of(&table, row);
    bool room = ll_map_room(map, row, ll_map_key_hash, &table, allocator);
    *again = room && ll_map_note(map, ll_map_hash(table.key), row, ll_map_has_key, &table) != LL_MAP_NONE;
    return room;
}

/* Prefetches the slot where a search will start, for owners that hash many items before the first search. */
static inline void ll_map_fetch(const ll_map *map, uint64_t hash)
{
    __builtin_prefetch(&map->slots[(uint32_t)(hash >> 32) & map->mask], 1);
}

#endif
