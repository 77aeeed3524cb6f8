/* Weights of floats that are neither 0 nor of a usual size. */
#include "model/oddity.h"

#include "base/half.h"

#include <float.h>
#include <math.h>

enum { ODD_HUGE = 200, ODD_NOT_FINITE = 300, ODD_LARGE = 50 };

uint32_t ll_oddity_of_rare(uint32_t magnitude)
{
    const double size = ll_single_to_double(magnitude);
    return size == (double)FLT_MAX     ? 0
           : !isfinite(size)           ? ODD_NOT_FINITE
           : size > 1e8 || size < 1e-8 ? ODD_HUGE
                                       : ODD_LARGE;
}
