/* Status codes and allocators, as in the public header. */
#ifndef LL_BASE_STATUS_H
#define LL_BASE_STATUS_H

#include <lightlint/lightlint.h>

#include <stddef.h>

/* Marks a function whose argument `format_at` is a printf format in standard C, with its values from argument `first`
 * on. */
#if defined(__MINGW32__)
#define LL_PRINTF(format_at, first) __attribute__((format(gnu_printf, format_at, first)))
#elif defined(__GNUC__)
#define LL_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))
#else
#define LL_PRINTF(format_at, first)
#endif

/* The given allocator, or malloc and free if `given` is NULL. */
ll_allocator ll_allocator_or_default(const ll_allocator *given);

/* Replaces a block (or NULL) by one of `size` bytes with the same first `used` bytes. NULL: out of memory, the block is
 * unchanged. */
void *ll_regrow(const ll_allocator *allocator, void *block, size_t used, size_t size);

#endif
