/* Keys: unsigned integers made of the bits of numbers, in the same order as the numbers. */
#ifndef LL_RULES_KEY_H
#define LL_RULES_KEY_H

#include <stdbool.h>
#include <stdint.h>

#define LL_TOP_BIT (UINT64_C(1) << 63)

/* Converts a number to a key. The bits of the number are in the highest bits. `flip` is 0 for unsigned integers. It is
 * the top bit for signed integers, whose sign is flipped. It is all bits for floats: the sign is flipped, and of
 * negative numbers all other bits too. -0 comes just before +0; NaNs lie beyond the infinities on both sides. */
static inline uint64_t ll_in_order(uint64_t bits, uint64_t flip)
{
    uint64_t negative = 0 - (bits >> 63);
    return bits ^ ((negative | LL_TOP_BIT) & flip);
}

/* ll_in_order() for a number of 32 bits. */
static inline uint32_t ll_in_order32(uint32_t bits, uint32_t flip)
{
    uint32_t negative = 0 - (bits >> 31);
    return bits ^ ((negative | UINT32_C(1) << 31) & flip);
}

/* ll_key_of_bits() for a type of `bytes` bytes, given its `flip` (ll_flip_of()). */
static inline uint64_t ll_key(uint64_t flip, unsigned bytes, uint64_t bits)
{
    unsigned spare = 64U - 8U * bytes;
    uint64_t key = ll_in_order(bits << spare, flip) >> spare;
    return key + (flip == UINT64_MAX && key + 1 == LL_TOP_BIT >> spare);
}

#endif
