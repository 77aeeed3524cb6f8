/* The filter that most clean values pass: the inner loop of the engine. */
#ifndef LL_RULES_QUICK_H
#define LL_RULES_QUICK_H

#include "base/endian.h"
#include "rules/predicate.h"

#define LL_TOP_BIT (UINT64_C(1) << 63)

/* Bits of a number that stand at the top, so that unsigned order is the order of the values: signed integers have the
 * sign flipped, floats too and all other bits of negative ones. -0 comes just before +0, NaNs lie beyond the infinities
 * on both sides. */
static inline uint64_t ll_in_order(uint64_t bits, uint64_t flip)
{
    uint64_t negative = 0 - (bits >> 63);
    return bits ^ ((negative | LL_TOP_BIT) & flip);
}

static inline bool ll_quick_passes(const ll_quick *quick, const uint8_t *record)
{
    const uint8_t *p = record + quick->offset;
    uint64_t bits = quick->big ? ll_be64(p) : ll_le64(p);
    return (ll_in_order(bits << quick->shift, quick->flip) & quick->mask) - quick->low <= quick->width;
}

#endif
