/* Implements growing arrays. The first block has about 256 bytes. */
#include "base/array.h"

#include "base/ints.h"

enum { FIRST_BYTES = 256, FIRST_MIN = 4 };

bool ll_array_grow(ll_array *array, size_t more, size_t size, const ll_allocator *allocator)
{
    ll_allocator a = ll_allocator_or_default(allocator);
    size_t first = FIRST_BYTES / size > FIRST_MIN ? FIRST_BYTES / size : FIRST_MIN;
    size_t capacity = array->capacity ? array->capacity : first;
    size_t need;
    size_t bytes;
    if (!ll_add_size(array->count, more, &need)) {
        return false;
    }
    while (capacity < need) {
        if (!ll_mul_size(capacity, 2, &capacity)) {
            return false;
        }
    }
    void *items = ll_mul_size(capacity, size, &bytes) ? ll_regrow(&a, array->items, array->count * size, bytes) : NULL;
    if (!items) {
        return false;
    }
    array->items = items;
    array->capacity = capacity;
    return true;
}

void ll_array_free(ll_array *array, const ll_allocator *allocator)
{
    ll_allocator a = ll_allocator_or_default(allocator);
    if (array->items) {
        a.release(a.ctx, array->items);
    }
    *array = (ll_array){.items = NULL};
}
