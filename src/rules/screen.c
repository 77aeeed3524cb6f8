/* Writes the conditions of tests as C. Part of packc. */
#include "rules/screen.h"

#include <inttypes.h>

enum { TERMS_MAX = 64 }; /* conditions of one test; no screen stands for a test of more */

/* ------------------------------------------------------------------ intervals */

/* The same interval without `flip`, where that is possible. -0 may then fail where it is 0. */
static ll_term simplified(const ll_term *term)
{
    ll_term plain = *term;
    uint64_t high = term->low + term->width;
    plain.flip = 0;
    if (!(term->mask & LL_TOP_BIT) || high < term->low) {
        return *term;
    }
    if (term->flip == LL_TOP_BIT) { /* an integer with a sign: the interval moves by as much as all values do */
        plain.low = term->low - LL_TOP_BIT;
        return plain;
    }
    if (term->flip != UINT64_MAX) {
        return *term;
    }
    if (term->low == (~high & term->mask)) { /* a float up to some size: its sign does not matter */
        plain.mask = term->mask & ~LL_TOP_BIT;
        plain.low = 0;
        plain.width = high - LL_TOP_BIT;
        return plain;
    }
    uint64_t zero = LL_TOP_BIT;
    uint64_t below = zero - (term->mask & (0 - term->mask)); /* -0 */
    if (term->low >= below && high >= zero) {                /* a float without a sign: bits sort as values do */
        plain.low = term->low < zero ? 0 : term->low - zero;
        plain.width = high - zero - plain.low;
        return plain;
    }
    return *term;
}

/* The field's bits at the low end, as a number of `bits` bits. */
static void put_load(const ll_term *term, unsigned bits, ll_text *out)
{
    const char *order = term->big ? "be" : "le";
    unsigned bytes = term->bytes;
    if (bytes == 1) {
        ll_text_format(out, "(uint%u_t)p[%u]", bits, term->offset);
    } else if (bytes <= 4 || bytes == 8) {
        ll_text_format(out, "(uint%u_t)ll_%s%u(p + %u)", bits, order, 8 * bytes, term->offset);
    } else {
        ll_text_format(out, "ll_read_uint(p + %u, %u, %s)", term->offset, bytes, term->big ? "LL_BIG" : "LL_LITTLE");
    }
}

/* Numbers of 64 bits are narrowed to what holds the field: 8, 16, 32 or 64 bits, at the low end; signed ones and floats
 * of less than 32 bits, whose top is asked for, stand at the top of 32. */
static void put_interval(const ll_term *term, ll_text *out)
{
    unsigned size = 8U * term->bytes;
    unsigned bits = size > 32 ? 64 : size == 24 || term->flip ? 32 : size;
    uint64_t all = term->mask ? UINT64_MAX >> (64U - bits) : 0;
    uint64_t low = term->low >> (64U - bits);
    uint64_t width = term->width >> (64U - bits);
    uint64_t mask = term->mask >> (64U - bits);
    if (width == all) {
        ll_text_str(out, "true");
        return;
    }
    ll_text_format(out, "(uint%u_t)((", bits);
    if (term->flip) {
        ll_text_format(out, "ll_in_order%s(", bits == 32 ? "32" : "");
    }
    put_load(term, bits, out);
    if (bits > size) {
        ll_text_format(out, " << %u", bits - size);
    }
    if (term->flip) {
        ll_text_format(out, ", 0x%" PRIx64 "U)", term->flip >> (64U - bits));
    }
    ll_text_format(out, " & 0x%" PRIx64 "U) - 0x%" PRIx64 "U) <= 0x%" PRIx64 "U", mask, low, width);
}

/* ------------------------------------------------------------------ tests */

/* Alternatives are joined first. */
static void put_terms(const ll_term *terms, size_t count, bool exact, ll_text *out)
{
    for (size_t i = 0; i < count; i++) {
        bool follows = i > 0 && terms[i - 1].or_next;
        ll_text_str(out, i == 0 ? "(" : follows ? " | " : ") & (");
        ll_text_char(out, '(');
        if (*terms[i].holds) {
            ll_text_str(out, terms[i].holds);
        } else {
            ll_term plain = exact ? terms[i] : simplified(&terms[i]);
            put_interval(&plain, out);
        }
        ll_text_char(out, ')');
    }
    ll_text_char(out, ')');
}

const char *ll_screen_text(ll_arena *arena, const ll_bound_rule *bound, ll_status *status)
{
    ll_term terms[TERMS_MAX];
    ll_term guard[TERMS_MAX];
    size_t count = ll_test_terms(&bound->test, terms, TERMS_MAX);
    size_t guards = bound->when && count ? ll_guard_terms(bound->when, guard, TERMS_MAX) : 0;
    if (count == 0) {
        return NULL;
    }
    ll_text text = {.allocator = ll_arena_allocator(arena)};
    if (guards) {
        ll_text_str(&text, "(!(");
        put_terms(guard, guards, true, &text);
        ll_text_str(&text, ")) | (");
    }
    put_terms(terms, count, false, &text);
    ll_text_str(&text, guards ? ")" : "");
    ll_text_char(&text, '\0');
    *status = text.failed ? LL_E_MEMORY : LL_OK;
    return text.failed ? NULL : text.data;
}
