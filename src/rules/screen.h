/* Screens: of each record, a function that packc writes from the shipped rules, straight-line and without a branch that
 * depends on a byte of the record. A record that passes is clean under all tests that its screen stands for, whatever
 * is in force; one that does not may be clean too, and is judged by those tests (engine.c), which alone decide. */
#ifndef LL_RULES_SCREEN_H
#define LL_RULES_SCREEN_H

#include "base/half.h"
#include "rules/key.h"
#include "rules/ruleset.h"

/* How many of `count` records, one behind the other, pass before one that does not. */
typedef uint32_t ll_screen(const uint8_t *records, uint32_t count);

/* By format, in registry order, and layout; NULL: nothing of the record is screened. */
extern ll_screen *const *const ll_shipped_screens[];

/* ------------------------------------------------------------------ what screens ask */

/* Conditions on bytes of fixed number, as the predicates of predicate_text.c ask for them. */
static inline bool ll_screen_printable(const uint8_t *p, unsigned count, bool terminated)
{
    bool inside = true; /* in front of the NUL */
    bool fails = false;
    for (unsigned i = 0; i < count; i++) {
        inside &= (p[i] != 0) | !terminated;
        fails |= inside & ((p[i] < 0x20) | (p[i] > 0x7E));
    }
    return !(fails | (inside & terminated));
}

static inline bool ll_screen_zero_after_nul(const uint8_t *p, unsigned count)
{
    bool ended = false;
    bool fails = false;
    for (unsigned i = 0; i < count; i++) {
        ended |= p[i] == 0;
        fails |= ended & (p[i] != 0);
    }
    return !fails;
}

static inline bool ll_screen_unit_norm(const uint8_t *p, unsigned elements, bool big, double tolerance)
{
    double off = ll_sum_of_squares(p, elements, big) - 1.0;
    return (off <= tolerance) & (off >= -tolerance);
}

/* Of two numbers of one type. */
static inline bool ll_screen_ordered(const uint8_t *a, const uint8_t *b, unsigned bytes, unsigned endian, uint64_t flip,
                                     bool below)
{
    unsigned spare = 64U - 8U * bytes;
    uint64_t here = ll_in_order(ll_read_uint(a, bytes, endian) << spare, flip);
    uint64_t there = ll_in_order(ll_read_uint(b, bytes, endian) << spare, flip);
    return (here <= there) & (!below | ((there - here) >> spare > 1));
}

/* ------------------------------------------------------------------ how packc writes them */

/* The C text of "the test holds, or its guard does not", in which `p` is the record; NULL: no screen can stand for the
 * test, or memory ran out (*status). */
const char *ll_screen_text(ll_arena *arena, const ll_bound_rule *bound, ll_status *status);

#endif
