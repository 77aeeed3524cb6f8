/* Brings the filters of a record into cheaper forms and sorts them by kind. Decides nothing about rules: a sieve passes
 * nothing that one of its filters stops. */
#include "rules/sieve.h"

#include "base/endian.h"
#include "rules/quick.h"

enum { WINDOW = sizeof(uint64_t) };

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

static bool join_any(ll_quick *fixed, uint32_t count, const ll_quick *one)
{
    for (uint32_t i = 0; i < count; i++) {
        if (join(&fixed[i], one)) {
            return true;
        }
    }
    return false;
}

/* One of several ways to pass: only together do they say something. */
static bool is_alternative(const ll_quick *quick, size_t i)
{
    return quick[i].or_next || (i > 0 && quick[i - 1].or_next);
}

/* Narrows `a` to what both let pass; false, and nothing is changed, where they look at different bits or one interval
 * goes round the end. */
static bool intersect(ll_quick *a, const ll_quick *b)
{
    uint64_t a_end = a->low + a->width;
    uint64_t b_end = b->low + b->width;
    uint64_t low = a->low > b->low ? a->low : b->low;
    uint64_t end = a_end < b_end ? a_end : b_end;
    bool alike = a->offset == b->offset && a->shift == b->shift && a->flip == b->flip && a->mask == b->mask;
    if (!alike || a_end < a->low || b_end < b->low || low > end) {
        return false;
    }
    a->low = low;
    a->width = end - low;
    return true;
}

/* The filters of a record, those of one field that ask for intervals as one. Returns how many. */
static size_t merge(const ll_program *program, ll_quick *out)
{
    size_t count = 0;
    for (size_t i = 0; i < program->filters.count; i++) {
        out[count] = program->filters.items[i].quick;
        size_t like = is_alternative(out, count) ? count : 0;
        while (like < count && (is_alternative(out, like) || !intersect(&out[like], &out[count]))) {
            like++;
        }
        count += like == count;
    }
    return count;
}

/* Kinds of filters, in the order of the sieve. */
enum { FIXED, PLAIN, PLAIN_BIG, OTHER, KINDS };

/* Of filter i, and the form in which it goes into the sieve. */
static unsigned kind_of(const ll_quick *filters, size_t i, ll_quick *out)
{
    *out = filters[i];
    if (is_alternative(filters, i)) {
        return OTHER;
    }
    if (as_fixed(&filters[i], out)) {
        return FIXED;
    }
    *out = simplified(&filters[i]);
    return out->flip ? OTHER : out->big ? PLAIN_BIG : PLAIN;
}

bool ll_sieve_make(ll_arena *arena, ll_arena *scratch, ll_program *program)
{
    ll_quick *at = ll_arena_alloc(arena, program->filters.count, sizeof *at);
    ll_quick *filters = ll_arena_alloc(scratch, program->filters.count, sizeof *filters);
    if (!at || !filters) {
        return false;
    }
    size_t count = merge(program, filters);
    uint32_t n = 0;
    uint32_t ends[KINDS];
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (size_t i = 0; i < count; i++) {
            ll_quick quick;
            if (kind_of(filters, i, &quick) == kind && (kind != FIXED || !join_any(at, n, &quick))) {
                at[n++] = quick;
            }
        }
        ends[kind] = n;
    }
    program->sieve = (ll_sieve){at, ends[FIXED], ends[PLAIN], ends[PLAIN_BIG], ends[OTHER]};
    return true;
}
