/* Conversions of IEEE 754 binary16 and binary32. Layouts: 1 sign, 5 or 8 exponent, 10 or 23 fraction bits. They call no
 * function of the mathematics library, as a program that does not load it starts a tenth faster. */
#include "base/half.h"

#include <math.h>
#include <string.h>

enum { DOUBLE_FRACTION = 52, DOUBLE_BIAS = 1023 };

/* 2^exponent, which must be a normal double. */
static double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + DOUBLE_BIAS) << DOUBLE_FRACTION;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

double ll_half_to_double(uint16_t bits)
{
    double sign = (bits & 0x8000U) ? -1.0 : 1.0;
    int exponent = (int)((bits >> 10) & 0x1FU);
    double fraction = (double)(bits & 0x3FFU);
    if (exponent == 31) {
        return (bits & 0x3FFU) ? (double)NAN : sign * (double)INFINITY;
    }
    if (exponent == 0) {
        return sign * fraction * power_of_two(-24);
    }
    return sign * (fraction + 1024.0) * power_of_two(exponent - 25);
}

uint32_t ll_double_to_single(double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

uint16_t ll_double_to_half(double value)
{
    uint16_t sign = signbit(value) ? 0x8000U : 0;
    double a = fabs(value);
    if (isnan(value)) {
        return (uint16_t)(sign | 0x7E00U);
    }
    if (a >= 65520.0) { /* half way between the largest half and the next step: rounds to infinity */
        return (uint16_t)(sign | 0x7C00U);
    }
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    int exponent = (int)(bits >> DOUBLE_FRACTION) - DOUBLE_BIAS; /* of the leading bit; far below all halves for zero
                                                                    and subnormal doubles */
    int step = exponent - 10 < -24 ? -24 : exponent - 10;        /* weight of the last fraction bit */
    double units = a * power_of_two(-step);                      /* exact, 0 to 2048 */
    uint32_t u = (uint32_t)units;
    double rest = units - u;
    u += rest > 0.5 || (rest >= 0.5 && (u & 1U)); /* to nearest, ties to even */
    if (u >= 2048U) {
        u = 1024U;
        step++;
    }
    if (u < 1024U) {
        return (uint16_t)(sign | u); /* zero or subnormal: step is -24 */
    }
    return (uint16_t)(sign | (uint32_t)(step + 25) << 10 | (u - 1024U));
}
