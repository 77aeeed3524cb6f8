/* See oddity.h. */
#include "model/oddity.h"

#include "base/half.h"

#include <float.h>
#include <math.h>

enum { ODD_HUGE = 200, ODD_NOT_FINITE = 300, ODD_LARGE = 50 };

/* The bits of a float without its sign: the smallest and the largest that a scene has, 1e-6 and 2e7. */
enum { BITS_LEAST = 0x358637BE, BITS_MOST = 0x4B989680, BITS_SIZE = 0x7FFFFFFF };

uint32_t ll_oddity_of_float(uint32_t bits)
{
    const uint32_t magnitude = bits & BITS_SIZE;
    if (magnitude == 0 || (magnitude >= BITS_LEAST && magnitude <= BITS_MOST)) {
        return 0;
    }
    const double size = fabs(ll_single_to_double(bits));
    return size == (double)FLT_MAX     ? 0
           : !isfinite(size)           ? ODD_NOT_FINITE
           : size > 1e8 || size < 1e-8 ? ODD_HUGE
                                       : ODD_LARGE;
}
