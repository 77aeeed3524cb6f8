/* Chunked bump allocator. One owner per arena: a linted file's memory is freed in one step.
 * The ceiling bounds what an input can use; the caller's allocator is asked for chunks only. */
#ifndef LL_BASE_ARENA_H
#define LL_BASE_ARENA_H

#include "base/status.h"

typedef struct ll_arena_chunk ll_arena_chunk;

typedef struct ll_arena {
    ll_allocator allocator;
    ll_arena_chunk *head;  /* newest chunk */
    ll_arena_chunk *large; /* chunks of one block each */
    size_t used;           /* bytes used of head */
    size_t total;          /* bytes of all chunks */
    size_t ceiling;        /* total never grows beyond it */
} ll_arena;

void ll_arena_init(ll_arena *arena, const ll_allocator *allocator, size_t ceiling);
void ll_arena_free(ll_arena *arena);
/* Forgets everything; keeps one chunk, so that a run over many small files allocates once. */
void ll_arena_reset(ll_arena *arena);

/* count * size bytes, aligned for any object, not zeroed; NULL when memory, the ceiling or the product runs out. */
void *ll_arena_alloc(ll_arena *arena, size_t count, size_t size);
/* The same, zeroed. */
void *ll_arena_zalloc(ll_arena *arena, size_t count, size_t size);
/* NUL-terminated copy of n bytes; NULL when out of memory. */
char *ll_arena_copy(ll_arena *arena, const char *bytes, size_t n);
/* An allocator over the arena, for arrays and maps that live in it: of what they outgrow, or give back, only blocks
 * above 1 MiB go before the arena does. */
ll_allocator ll_arena_allocator(ll_arena *arena);

#endif
