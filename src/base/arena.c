/* The bump allocator. Chunks double from 16 KiB to 1 MiB; a larger request gets a chunk of its own. */
#include "base/arena.h"

#include "base/ints.h"

#include <string.h>

enum { ALIGN = 16, CHUNK_MIN = 16 * 1024, CHUNK_MAX = 1024 * 1024 };

struct ll_arena_chunk {
    ll_arena_chunk *older;
    size_t size; /* usable bytes behind this header */
};

enum { HEADER = (sizeof(ll_arena_chunk) + ALIGN - 1) / ALIGN * ALIGN };

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
    release_chunks(arena, arena->head);
    arena->head = NULL;
    arena->used = 0;
}

void ll_arena_reset(ll_arena *arena)
{
    ll_arena_chunk *keep = arena->head;
    if (keep && keep->size > CHUNK_MAX) {
        keep = NULL; /* one huge file must not pin its memory for the rest of the run */
        release_chunks(arena, arena->head);
    } else if (keep) {
        release_chunks(arena, keep->older);
        keep->older = NULL;
    }
    arena->head = keep;
    arena->used = 0;
}

static bool grow(ll_arena *arena, size_t need)
{
    size_t size = arena->head ? arena->head->size : CHUNK_MIN / 2;
    size = size >= CHUNK_MAX / 2 ? CHUNK_MAX : size * 2;
    if (size < need) {
        size = need;
    }
    size_t total;
    size_t bytes;
    if (!ll_add_size(arena->total, size, &total) || total > arena->ceiling || !ll_add_size(size, HEADER, &bytes)) {
        return false;
    }
    ll_arena_chunk *chunk = arena->allocator.alloc(arena->allocator.ctx, bytes);
    if (!chunk) {
        return false;
    }
    chunk->older = arena->head;
    chunk->size = size;
    arena->head = chunk;
    arena->used = 0;
    arena->total = total;
    return true;
}

void *ll_arena_alloc(ll_arena *arena, size_t count, size_t size)
{
    size_t need;
    if (!ll_mul_size(count, size, &need) || need > SIZE_MAX - ALIGN) {
        return NULL;
    }
    need = (need + ALIGN - 1) / ALIGN * ALIGN;
    if ((!arena->head || arena->head->size - arena->used < need) && !grow(arena, need)) {
        return NULL;
    }
    void *p = (unsigned char *)arena->head + HEADER + arena->used;
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

static void release_nothing(void *ctx, void *block)
{
    (void)ctx;
    (void)block;
}

ll_allocator ll_arena_allocator(ll_arena *arena)
{
    return (ll_allocator){alloc_in_arena, release_nothing, arena};
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
