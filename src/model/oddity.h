/* How odd the contents of a file are: bytes that belong to nothing, and numbers that no scene holds. */
#ifndef LL_MODEL_ODDITY_H
#define LL_MODEL_ODDITY_H

#include <stdbool.h>
#include <stdint.h>

enum { LL_WEIGHT_BYTE = 12 }; /* weight of an unread byte, in hundredths, as all weights */

/* The bits of a float without its sign: the smallest and the largest usual magnitude, 1e-6 and 2e7, and the mask. */
enum { LL_FLOAT_LEAST = 0x358637BE, LL_FLOAT_MOST = 0x4B989680, LL_FLOAT_SIZE = 0x7FFFFFFF };

/* As ll_oddity_of_float(), for a magnitude that is neither 0 nor usual. */
uint32_t ll_oddity_of_rare(uint32_t magnitude);

/* How odd a float is. 0: its magnitude is 0, usual, or the largest possible, which may mean "no limit". bits: the
 * binary32. */
static inline uint32_t ll_oddity_of_float(uint32_t bits)
{
    const uint32_t magnitude = bits & LL_FLOAT_SIZE;
    const bool usual = magnitude == 0 || (magnitude >= LL_FLOAT_LEAST && magnitude <= LL_FLOAT_MOST);
    return usual ? 0 : ll_oddity_of_rare(magnitude);
}

#endif
