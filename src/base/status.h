/* Status codes and the allocator, as the public header declares them: every module returns the same kind of status. */
#ifndef LL_BASE_STATUS_H
#define LL_BASE_STATUS_H

#include <lightlint/lightlint.h>

#include <stddef.h>

/* A function whose arguments from number `first` on are those of the format, in standard C, that is argument
 * `format_at`. */
#if defined(__MINGW32__)
#define LL_PRINTF(format_at, first) __attribute__((format(gnu_printf, format_at, first)))
#elif defined(__GNUC__)
#define LL_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))
#else
#define LL_PRINTF(format_at, first)
#endif

/* The allocator in use: the caller's, or malloc and free when `given` is NULL. */
ll_allocator ll_allocator_or_default(const ll_allocator *given);

/* A block of `size` bytes in place of a smaller one, or of none (NULL), with the first `used` bytes of it. NULL: there
 * is no memory, and the block is as it was. */
void *ll_regrow(const ll_allocator *allocator, void *block, size_t used, size_t size);

#endif
