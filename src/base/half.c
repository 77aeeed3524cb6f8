/* Conversions of IEEE 754 binary16 and binary32. Layouts: 1 sign, 5 or 8 exponent, 10 or 23 fraction bits. */
#include "base/half.h"

#include <math.h>
#include <string.h>

double ll_half_to_double(uint16_t bits)
{
    double sign = (bits & 0x8000U) ? -1.0 : 1.0;
    int exponent = (int)((bits >> 10) & 0x1FU);
    double fraction = (double)(bits & 0x3FFU);
    if (exponent == 31) {
        return (bits & 0x3FFU) ? (double)NAN : sign * (double)INFINITY;
    }
    if (exponent == 0) {
        return sign * ldexp(fraction, -24);
    }
    return sign * ldexp(fraction + 1024.0, exponent - 25);
}

double ll_single_to_double(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
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
    if (a >= 65520.0) { /* half way between the largest half and the next step rounds to infinity */
        return (uint16_t)(sign | 0x7C00U);
    }
    int exponent = 0;
    if (a > 0) {
        (void)frexp(a, &exponent); /* a = m * 2^exponent, 0.5 <= m < 1 */
    }
    int step = exponent - 11 < -24 ? -24 : exponent - 11; /* weight of the last fraction bit */
    double units = nearbyint(ldexp(a, -step));            /* 0..2048 */
    if (units >= 2048.0) {
        units = 1024.0;
        step++;
    }
    uint32_t u = (uint32_t)units;
    if (u < 1024U) {
        return (uint16_t)(sign | u); /* zero or subnormal: step is -24 */
    }
    return (uint16_t)(sign | (uint32_t)(step + 25) << 10 | (u - 1024U));
}
