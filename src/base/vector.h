/* Arithmetic of three-dimensional vectors. */
#ifndef LL_BASE_VECTOR_H
#define LL_BASE_VECTOR_H

#include <math.h>

static inline double ll_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Components must be binary32 values, whose squares fit a double. */
static inline double ll_length(const double v[3])
{
    return sqrt(ll_dot(v, v));
}

static inline void ll_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
