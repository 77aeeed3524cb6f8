/* IEEE 754 floats as bits: binary16 and binary32 to double, and back. Values are classified by their bits before they
 * are compared, so that no NaN is compared by accident. */
#ifndef LL_BASE_HALF_H
#define LL_BASE_HALF_H

#include "base/endian.h"

#include <stdbool.h>
#include <string.h>

/* Exact: each binary16 and binary32 value is a double. */
double ll_half_to_double(uint16_t bits);
static inline double ll_single_to_double(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* Sum of the squares of n adjacent binary32 values in either byte order; for a vector, its length squared. */
static inline double ll_sum_of_squares(const uint8_t *p, unsigned n, bool big_endian)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++, p += 4) {
        double value = ll_single_to_double(big_endian ? ll_be32(p) : ll_le32(p));
        sum += value * value;
    }
    return sum;
}

/* Reads n adjacent binary32 values in either byte order. False if one is not finite. */
static inline bool ll_read_singles(const uint8_t *p, unsigned n, bool big_endian, double *out)
{
    uint32_t greatest = 0;
    for (unsigned i = 0; i < n; i++, p += 4) {
        uint32_t bits = big_endian ? ll_be32(p) : ll_le32(p);
        greatest = (bits & 0x7FFFFFFFU) > greatest ? bits & 0x7FFFFFFFU : greatest;
        out[i] = ll_single_to_double(bits);
    }
    return greatest < 0x7F800000U;
}

/* Round to the nearest value, ties to even; overflow gives infinity. */
uint16_t ll_double_to_half(double value);
uint32_t ll_double_to_single(double value);

static inline bool ll_half_is_finite(uint16_t bits)
{
    return (bits & 0x7C00U) != 0x7C00U;
}

static inline bool ll_single_is_finite(uint32_t bits)
{
    return (bits & 0x7F800000U) != 0x7F800000U;
}

/* Non-zero with a zero exponent. */
static inline bool ll_half_is_denormal(uint16_t bits)
{
    return (bits & 0x7C00U) == 0 && (bits & 0x03FFU) != 0;
}

static inline bool ll_single_is_denormal(uint32_t bits)
{
    return (bits & 0x7F800000U) == 0 && (bits & 0x007FFFFFU) != 0;
}

#endif
