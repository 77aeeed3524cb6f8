/* The inner loop of the engine: one field's bytes as a number whose unsigned order is the numeric order ("key"), and the filter that
 * most clean values pass. Included by predicate.c, which makes filters, and engine.c, which runs them, so that both load alike. */
#ifndef LL_RULES_QUICK_H
#define LL_RULES_QUICK_H

#include "base/endian.h"
#include "rules/predicate.h"

/* Float bits as keys: negative values have all bits flipped, the others the sign bit. -0 comes just before +0, NaNs lie beyond
 * the infinities on both sides. */
static inline uint64_t ll_key_f16(uint32_t bits)
{
    return bits ^ ((bits & 0x8000U) ? 0xFFFFU : 0x8000U);
}

static inline uint64_t ll_key_f32(uint32_t bits)
{
    return bits ^ ((bits & 0x80000000U) ? 0xFFFFFFFFU : 0x80000000U);
}

/* `load` is one of ll_quick_load, with LL_QUICK_BIG or not, but LL_QUICK_NEVER. */
static inline uint64_t ll_quick_read(const uint8_t *p, unsigned load)
{
    switch (load) {
    case LL_QUICK_U8:
    case LL_QUICK_U8 + LL_QUICK_BIG:
        return p[0];
    case LL_QUICK_U16:
        return ll_le16(p);
    case LL_QUICK_U32:
        return ll_le32(p);
    case LL_QUICK_U64:
        return ll_le64(p);
    case LL_QUICK_I16:
        return ll_le16(p) ^ 0x8000U;
    case LL_QUICK_I32:
        return ll_le32(p) ^ 0x80000000U;
    case LL_QUICK_F16:
        return ll_key_f16(ll_le16(p));
    case LL_QUICK_F32:
        return ll_key_f32(ll_le32(p));
    case LL_QUICK_U16 + LL_QUICK_BIG:
        return ll_be16(p);
    case LL_QUICK_U32 + LL_QUICK_BIG:
        return ll_be32(p);
    case LL_QUICK_U64 + LL_QUICK_BIG:
        return ll_be64(p);
    case LL_QUICK_I16 + LL_QUICK_BIG:
        return ll_be16(p) ^ 0x8000U;
    case LL_QUICK_I32 + LL_QUICK_BIG:
        return ll_be32(p) ^ 0x80000000U;
    case LL_QUICK_F16 + LL_QUICK_BIG:
        return ll_key_f16(ll_be16(p));
    default: /* LL_QUICK_F32 + LL_QUICK_BIG */
        return ll_key_f32(ll_be32(p));
    }
}

static inline bool ll_quick_passes(const ll_quick *quick, const uint8_t *record)
{
    return (ll_quick_read(record + quick->offset, quick->load) & quick->mask) - quick->low <= quick->width;
}

#endif
