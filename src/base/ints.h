/* Checked arithmetic and bounds. A bound is checked as need <= end - position, never as position + need <= end. */
#ifndef LL_BASE_INTS_H
#define LL_BASE_INTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool ll_add_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool ll_mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* True if [offset, offset + need) is inside [0, end). */
static inline bool ll_fits(uint64_t offset, uint64_t need, uint64_t end)
{
    return offset <= end && need <= end - offset;
}

/* n rounded up to a multiple of a, which is a power of two. With 64 bits, no 32-bit n can overflow. */
static inline uint64_t ll_align_up(uint64_t n, uint64_t a)
{
    return (n + (a - 1)) & ~(a - 1);
}

#endif
