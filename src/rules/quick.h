/* The filter that most clean values pass: the inner loop of the engine. */
#ifndef LL_RULES_QUICK_H
#define LL_RULES_QUICK_H

#include "base/endian.h"
#include "rules/ruleset.h"

#define LL_TOP_BIT (UINT64_C(1) << 63)

/* Bits of a number that stand at the top, so that unsigned order is the order of the values: signed integers have the
 * sign flipped, floats too and all other bits of negative ones. -0 comes just before +0, NaNs lie beyond the infinities
 * on both sides. */
static inline uint64_t ll_in_order(uint64_t bits, uint64_t flip)
{
    uint64_t negative = 0 - (bits >> 63);
    return bits ^ ((negative | LL_TOP_BIT) & flip);
}

/* ll_key_of_bits() for a type of `bytes` bytes whose `flip` is known. */
static inline uint64_t ll_key(uint64_t flip, unsigned bytes, uint64_t bits)
{
    unsigned spare = 64U - 8U * bytes;
    uint64_t key = ll_in_order(bits << spare, flip) >> spare;
    return key + (flip == UINT64_MAX && key + 1 == LL_TOP_BIT >> spare);
}

static inline bool ll_quick_passes(const ll_quick *quick, const uint8_t *record)
{
    const uint8_t *p = record + quick->offset;
    uint64_t bits = quick->big ? ll_be64(p) : ll_le64(p);
    return (ll_in_order(bits << quick->shift, quick->flip) & quick->mask) - quick->low <= quick->width;
}

/* One loop of the sieve, for filters without `flip`. True when one of them fails. */
static inline bool ll_quick_any_fails(const ll_quick *quick, const ll_quick *end, const uint8_t *record, bool big)
{
    bool fails = false;
    for (; quick < end; quick++) {
        uint64_t bits = (big ? ll_be64(record + quick->offset) : ll_le64(record + quick->offset)) << quick->shift;
        fails |= (bits & quick->mask) - quick->low > quick->width;
    }
    return fails;
}

/* What all filters of the sieve pass: no branch depends on a byte of the record. */
static inline bool ll_sieve_passes(const ll_sieve *sieve, const uint8_t *record)
{
    const ll_quick *at = sieve->at;
    bool fails = ll_quick_any_fails(at, at + sieve->plain, record, false);
    fails |= ll_quick_any_fails(at + sieve->plain, at + sieve->plain_big, record, true);
    bool passes = false;
    for (uint32_t i = sieve->plain_big; i < sieve->count; i++) {
        passes |= ll_quick_passes(&at[i], record);
        fails |= !passes & !at[i].or_next;
        passes &= at[i].or_next;
    }
    return !fails;
}

#endif
