/* Brings the filters of a record into cheaper forms and sorts them by kind. Decides nothing about rules: a sieve passes
 * nothing that one of its filters stops. */
#include "rules/sieve.h"

#include "base/endian.h"
#include "rules/quick.h"

enum { WINDOW = sizeof(uint64_t) };

/* One of several ways to pass: only together do they say something. */
static bool is_alternative(const ll_filter *filters, uint32_t i)
{
    return filters[i].quick.or_next || (i > 0 && filters[i - 1].quick.or_next);
}

/* The same filter without `flip`, where its interval allows that. */
static ll_quick simplified(const ll_quick *quick)
{
    ll_quick plain = *quick;
    uint64_t high = quick->low + quick->width;
    plain.flip = 0;
    if (!(quick->mask & LL_TOP_BIT) || high < quick->low) {
        return *quick;
    }
    if (quick->flip == LL_TOP_BIT) { /* an integer with a sign: the interval moves by as much as all values do */
        plain.low = quick->low - LL_TOP_BIT;
        return plain;
    }
    if (quick->flip != UINT64_MAX) {
        return *quick;
    }
    if (quick->low == (~high & quick->mask)) { /* a float up to some size: its sign does not matter */
        plain.mask = quick->mask & ~LL_TOP_BIT;
        plain.low = 0;
        plain.width = high - LL_TOP_BIT;
        return plain;
    }
    uint64_t zero = LL_TOP_BIT;
    uint64_t below = zero - (quick->mask & (0 - quick->mask)); /* -0, for which the filters will be asked */
    if (quick->low >= below) {                                 /* a float without a sign: bits sort as values do */
        plain.low = quick->low < zero ? 0 : quick->low - zero;
        plain.width = high - zero - plain.low;
        return high >= zero ? plain : *quick;
    }
    return *quick;
}

/* The filter asks for fixed bits: *out is the same on eight bytes as they come, without a shift. */
static bool as_fixed(const ll_quick *quick, ll_quick *out)
{
    uint64_t kept = UINT64_MAX << quick->shift; /* bits that the shift can fill */
    if (quick->flip || quick->width || (quick->low & ~(quick->mask & kept))) {
        return false;
    }
    uint8_t mask[WINDOW];
    uint8_t low[WINDOW];
    ll_put_uint(mask, WINDOW, quick->big, (quick->mask & kept) >> quick->shift);
    ll_put_uint(low, WINDOW, quick->big, quick->low >> quick->shift);
    *out = (ll_quick){.offset = quick->offset, .mask = ll_le64(mask), .low = ll_le64(low)};
    return true;
}

/* Moves a filter of fixed bits to eight bytes that begin earlier; false when it reaches beyond them. */
static bool shift_to(ll_quick *fixed, uint16_t offset)
{
    unsigned bits = 8U * (fixed->offset - offset);
    if (bits >= 64 || fixed->mask << bits >> bits != fixed->mask) {
        return false;
    }
    *fixed = (ll_quick){.offset = offset, .mask = fixed->mask << bits, .low = fixed->low << bits};
    return true;
}

/* Makes `a` ask for what both ask for; false, and nothing is changed, when one window does not do or they contradict
 * each other. */
static bool join(ll_quick *a, const ll_quick *b)
{
    ll_quick first = *a;
    ll_quick second = *b;
    bool near = first.offset <= second.offset ? shift_to(&second, first.offset) : shift_to(&first, second.offset);
    if (!near || (first.low ^ second.low) & first.mask & second.mask) {
        return false;
    }
    *a = (ll_quick){.offset = first.offset, .mask = first.mask | second.mask, .low = first.low | second.low};
    return true;
}

static uint32_t add_fixed(ll_quick *fixed, uint32_t count, const ll_quick *one)
{
    for (uint32_t i = 0; i < count; i++) {
        if (join(&fixed[i], one)) {
            return count;
        }
    }
    fixed[count] = *one;
    return count + 1;
}

/* Kinds behind the fixed ones, in the order of the sieve. */
enum { PLAIN, PLAIN_BIG, ORDERED, ORDERED_BIG, ALTERNATIVE, KINDS };

/* Of filter i, and the form in which it goes into the sieve; KINDS: it is among the fixed ones. */
static unsigned kind_of(const ll_filter *filters, uint32_t i, ll_quick *out)
{
    *out = filters[i].quick;
    if (is_alternative(filters, i)) {
        return ALTERNATIVE;
    }
    if (as_fixed(&filters[i].quick, out)) {
        return KINDS;
    }
    *out = simplified(&filters[i].quick);
    return (out->flip ? ORDERED : PLAIN) + (out->big ? 1U : 0U);
}

bool ll_sieve_make(ll_arena *arena, const ll_filter *filters, uint32_t count, ll_sieve *out)
{
    *out = (ll_sieve){0};
    ll_quick *at = ll_arena_alloc(arena, count, sizeof *at);
    if (!at) {
        return false;
    }
    ll_quick quick;
    uint32_t ends[KINDS];
    for (uint32_t i = 0; i < count; i++) {
        if (kind_of(filters, i, &quick) == KINDS) {
            out->fixed = add_fixed(at, out->fixed, &quick);
        }
    }
    uint32_t n = out->fixed;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (uint32_t i = 0; i < count; i++) {
            if (kind_of(filters, i, &quick) == kind) {
                at[n++] = quick;
            }
        }
        ends[kind] = n;
    }
    out->at = at;
    out->plain = ends[PLAIN];
    out->plain_big = ends[PLAIN_BIG];
    out->ordered = ends[ORDERED];
    out->ordered_big = ends[ORDERED_BIG];
    out->count = n;
    return true;
}
