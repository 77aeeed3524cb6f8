/* Brings the filters of a record into cheaper forms and sorts them by kind. Decides nothing about rules: a sieve passes
 * nothing that one of its filters stops. */
#include "rules/sieve.h"

#include "rules/quick.h"

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
enum { PLAIN, PLAIN_BIG, OTHER, KINDS };

/* Of filter i, and the form in which it goes into the sieve. */
static unsigned kind_of(const ll_quick *filters, size_t i, ll_quick *out)
{
    *out = filters[i];
    if (is_alternative(filters, i)) {
        return OTHER;
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
            if (kind_of(filters, i, &quick) == kind) {
                at[n++] = quick;
            }
        }
        ends[kind] = n;
    }
    program->sieve = (ll_sieve){at, ends[PLAIN], ends[PLAIN_BIG], ends[OTHER]};
    return true;
}
