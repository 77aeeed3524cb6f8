/* Bump allocator in chunks. Each arena has one owner, so that all memory of a linted file is freed in one step. The
 * ceiling limits how much an input can use; the caller's allocator provides only chunks. */
#ifndef LL_BASE_ARENA_H
#define LL_BASE_ARENA_H

#include "base/status.h"

typedef struct ll_arena_chunk ll_arena_chunk;

typedef struct ll_arena {
    ll_allocator allocator;
    ll_arena_chunk *head;  /* newest chunk */
    ll_arena_chunk *large; /* list of chunks with one block each */
    size_t used;           /* bytes used in head */
    size_t total;          /* bytes in all chunks */
    size_t ceiling;        /* largest allowed total */
} ll_arena;

void ll_arena_init(ll_arena *arena, const ll_allocator *allocator, size_t ceiling);
void ll_arena_free(ll_arena *arena);
/* Discards all blocks but keeps one chunk, so that a run over many small files allocates once. */
void ll_arena_reset(ll_arena *arena);

/* Allocates count * size bytes, aligned for any object, not zeroed. NULL if memory runs out, the ceiling is reached or
 * the product overflows. */
void *ll_arena_alloc(ll_arena *arena, size_t count, size_t size);
/* Like ll_arena_alloc(), zeroed. */
void *ll_arena_zalloc(ll_arena *arena, size_t count, size_t size);
/* Copies n bytes and adds a NUL; NULL: out of memory. */
char *ll_arena_copy(ll_arena *arena, const char *bytes, size_t n);
/* An allocator on the arena for arrays and maps. Blocks up to 1 MiB that it releases stay allocated until the arena is
 * freed. */
ll_allocator ll_arena_allocator(ll_arena *arena);

#endif
