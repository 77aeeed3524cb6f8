/* How much of a file is odd: bytes that nobody reads, and numbers that no writer of a scene means. */
#ifndef LL_MODEL_ODDITY_H
#define LL_MODEL_ODDITY_H

#include <stdbool.h>
#include <stdint.h>

enum { LL_WEIGHT_BYTE = 12 }; /* of a byte that nobody reads, in hundredths as all weights are */

/* The bits of a float without its sign: the smallest and the largest that a scene has, 1e-6 and 2e7. */
enum { LL_FLOAT_LEAST = 0x358637BE, LL_FLOAT_MOST = 0x4B989680, LL_FLOAT_SIZE = 0x7FFFFFFF };

/* The same as ll_oddity_of_float(), of one that is neither 0 nor between the two. */
uint32_t ll_oddity_of_rare(uint32_t magnitude);

/* How odd a float is: 0 for one that is finite and neither smaller nor larger than all that a scene has, and for the
 * largest there is, which may stand for "no limit". bits: of the binary32. */
static inline uint32_t ll_oddity_of_float(uint32_t bits)
{
    const uint32_t magnitude = bits & LL_FLOAT_SIZE;
    const bool usual = magnitude == 0 || (magnitude >= LL_FLOAT_LEAST && magnitude <= LL_FLOAT_MOST);
    return usual ? 0 : ll_oddity_of_rare(magnitude);
}

#endif
