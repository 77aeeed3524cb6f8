/* Bump allocator. Chunks double from 16 KiB to 2 MiB with their header, the size of a huge page. A request above 1 MiB
 * gets its own chunk, which can be released when an array or map outgrows it. */
#include "base/arena.h"

#include "base/ints.h"

#include <string.h>

enum { ALIGN = 16, CHUNK_MIN = 16 * 1024, LARGE = 1024 * 1024 };

struct ll_arena_chunk {
    ll_arena_chunk *older;
    size_t size; /* usable bytes after this header */
};

enum { HEADER = (sizeof(ll_arena_chunk) + ALIGN - 1) / ALIGN * ALIGN, CHUNK_MAX = 2 * 1024 * 1024 - HEADER };

void ll_arena_init(ll_arena *arena, const ll_allocator *allocator, size_t ceiling)
{
    *arena = (ll_arena){.allocator = ll_allocator_or_default(allocator), .ceiling = ceiling};
}

static void release_chunks(ll_arena *arena, ll_arena_chunk *chunk)
{
    while (chunk) {
        ll_arena_chunk *older = chunk->older;
        arena->total -= chunk->size;
        arena->allocator.release(arena->allocator.ctx, chunk);
        chunk = older;
    }
}

void ll_arena_free(ll_arena *arena)
{
    release_chunks(arena, arena->large);
    release_chunks(arena, arena->head);
    arena->large = arena->head = NULL;
    arena->used = 0;
}

void ll_arena_reset(ll_arena *arena)
{
    release_chunks(arena, arena->large);
    arena->large = NULL;
    if (arena->head) {
        release_chunks(arena, arena->head->older);
        arena->head->older = NULL;
    }
    arena->used = 0;
}

/* Adds a chunk to the front of a list; NULL: out of memory or above the ceiling. */
static ll_arena_chunk *add_chunk(ll_arena *arena, ll_arena_chunk **list, size_t size)
{
    size_t total;
    size_t bytes;
    if (!ll_add_size(arena->total, size, &total) || total > arena->ceiling || !ll_add_size(size, HEADER, &bytes)) {
        return NULL;
    }
    ll_arena_chunk *chunk = arena->allocator.alloc(arena->allocator.ctx, bytes);
    if (chunk) {
        *chunk = (ll_arena_chunk){*list, size};
        *list = chunk;
        arena->total = total;
    }
    return chunk;
}

static unsigned char *memory_of(ll_arena_chunk *chunk)
{
    return (unsigned char *)chunk + HEADER;
}

/* Adds a chunk of at least `need` bytes as the new head. */
static bool grow(ll_arena *arena, size_t need)
{
    size_t size = arena->head ? arena->head->size * 2 : CHUNK_MIN;
    size = size > CHUNK_MAX ? CHUNK_MAX : size < need ? need : size;
    bool grown = add_chunk(arena, &arena->head, size) != NULL;
    arena->used = grown ? 0 : arena->used;
    return grown;
}

void *ll_arena_alloc(ll_arena *arena, size_t count, size_t size)
{
    size_t need;
    if (!ll_mul_size(count, size, &need) || need > SIZE_MAX - ALIGN) {
        return NULL;
    }
    need = (need + ALIGN - 1) / ALIGN * ALIGN;
    if (need > LARGE) {
        ll_arena_chunk *chunk = add_chunk(arena, &arena->large, need);
        return chunk ? memory_of(chunk) : NULL;
    }
    if ((!arena->head || arena->head->size - arena->used < need) && !grow(arena, need)) {
        return NULL;
    }
    void *p = memory_of(arena->head) + arena->used;
    arena->used += need;
    return p;
}

void *ll_arena_zalloc(ll_arena *arena, size_t count, size_t size)
{
    void *p = ll_arena_alloc(arena, count, size);
    if (p) {
        memset(p, 0, count * size);
    }
    return p;
}

static void *alloc_in_arena(void *ctx, size_t size)
{
    return ll_arena_alloc(ctx, 1, size);
}

/* Frees a large block; smaller ones stay until the arena is freed. */
static void release_in_arena(void *ctx, void *block)
{
    ll_arena *arena = ctx;
    ll_arena_chunk **at = &arena->large;
    while (*at && memory_of(*at) != block) {
        at = &(*at)->older;
    }
    ll_arena_chunk *chunk = *at;
    if (chunk) {
        *at = chunk->older;
        chunk->older = NULL;
        release_chunks(arena, chunk);
    }
}

ll_allocator ll_arena_allocator(ll_arena *arena)
{
    return (ll_allocator){alloc_in_arena, release_in_arena, arena};
}

char *ll_arena_copy(ll_arena *arena, const char *bytes, size_t n)
{
    char *copy = n < SIZE_MAX ? ll_arena_alloc(arena, n + 1, 1) : NULL;
    if (copy) {
        if (n) {
            memcpy(copy, bytes, n);
        }
        copy[n] = '\0';
    }
    return copy;
}
