/* The one growing array: a block that doubles when it is full. The allocator is passed with each call that may take or
 * give back memory (NULL: malloc); with ll_arena_allocator() the array lives in an arena and need not be freed.
 *
 *     LL_ARRAY(entry) entries = {0};
 *     entry *e = LL_ARRAY_ADD(&entries, allocator);       its bytes are not set; NULL: out of memory, nothing changed
 *     for (size_t i = 0; i < entries.count; i++) ... entries.items[i] ...
 *     LL_ARRAY_FREE(&entries, allocator);
 */
#ifndef LL_BASE_ARRAY_H
#define LL_BASE_ARRAY_H

#include "base/status.h"

typedef struct ll_array {
    void *items; /* NULL while nothing was added */
    size_t count, capacity;
} ll_array;

/* An array of `type`: items, count and capacity are there to be read, and count to be lowered. */
#define LL_ARRAY(type)                                                                                                 \
    union {                                                                                                            \
        struct {                                                                                                       \
            type *items;                                                                                               \
            size_t count, capacity;                                                                                    \
        };                                                                                                             \
        ll_array array;                                                                                                \
    }

/* Makes room for `more` elements of `size` bytes behind those that are there; false when memory runs out, and then
 * nothing has changed. */
bool ll_array_grow(ll_array *array, size_t more, size_t size, const ll_allocator *allocator);
/* Gives back the block; the array is empty and may be used again. */
void ll_array_free(ll_array *array, const ll_allocator *allocator);

static inline bool ll_array_room(ll_array *array, size_t more, size_t size, const ll_allocator *allocator)
{
    return array->capacity - array->count >= more || ll_array_grow(array, more, size, allocator);
}

#define LL_ARRAY_ROOM(a, more, allocator) ll_array_room(&(a)->array, (more), sizeof *(a)->items, (allocator))
#define LL_ARRAY_ADD(a, allocator) (LL_ARRAY_ROOM((a), 1, (allocator)) ? &(a)->items[(a)->count++] : NULL)
#define LL_ARRAY_FREE(a, allocator) ll_array_free(&(a)->array, (allocator))

#endif
