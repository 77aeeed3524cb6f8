/* A growing array: a block that doubles when it is full. The allocator is passed to each call that may allocate or free
 * (NULL: malloc); with ll_arena_allocator() the array is in an arena and need not be freed.
 *
 *     LL_ARRAY(entry) entries = {0};
 *     entry *e = LL_ARRAY_ADD(&entries, allocator);       not initialised; NULL: out of memory, nothing changed
 *     for (size_t i = 0; i < entries.count; i++) ... entries.items[i] ...
 *     LL_ARRAY_FREE(&entries, allocator); */
#ifndef LL_BASE_ARRAY_H
#define LL_BASE_ARRAY_H

#include "base/status.h"

typedef struct ll_array {
    void *items; /* NULL until something is added */
    size_t count, capacity;
} ll_array;

/* Declares an array of `type`. Users may read items, count and capacity, and decrease count. */
#define LL_ARRAY(type)                                                                                                 \
    union {                                                                                                            \
        struct {                                                                                                       \
            type *items;                                                                                               \
            size_t count, capacity;                                                                                    \
        };                                                                                                             \
        ll_array array;                                                                                                \
    }

/* Makes room for `more` elements of `size` bytes after the present ones. False: out of memory, nothing changed. */
bool ll_array_grow(ll_array *array, size_t more, size_t size, const ll_allocator *allocator);
/* Frees the block. The array is then empty and may be used again. */
void ll_array_free(ll_array *array, const ll_allocator *allocator);

static inline bool ll_array_room(ll_array *array, size_t more, size_t size, const ll_allocator *allocator)
{
    return array->capacity - array->count >= more || ll_array_grow(array, more, size, allocator);
}

#define LL_ARRAY_ROOM(a, more, allocator) ll_array_room(&(a)->array, (more), sizeof *(a)->items, (allocator))
#define LL_ARRAY_ADD(a, allocator) (LL_ARRAY_ROOM((a), 1, (allocator)) ? &(a)->items[(a)->count++] : NULL)
#define LL_ARRAY_FREE(a, allocator) ll_array_free(&(a)->array, (allocator))

#endif
