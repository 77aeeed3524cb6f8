/* Screens: for each layout a function that packc writes from the shipped rules. What passes it is clean under all tests
 * that it stands for, whatever is in force; what does not may be clean too, and is judged by those tests (engine.c),
 * which alone decide. Records are looked at without a branch that depends on one of their bytes. */
#ifndef LL_RULES_SCREEN_H
#define LL_RULES_SCREEN_H

#include "base/half.h"
#include "rules/key.h"
#include "rules/ruleset.h"

#include <string.h>

/* How many of `count` records, one behind the other, pass before one that does not. A string of `count` bytes, NUL and
 * padding, `length` bytes in all: `count` where it passes, else another number. With `fails`: says of the first record
 * which of the tests, by number, may not hold. */
typedef uint32_t ll_screen(const uint8_t *p, uint32_t count, uint32_t length, bool *fails);
enum { LL_SCREENED_MAX = 200 }; /* tests of a layout */

/* By format, in registry order, and layout; NULL: there is none. */
extern ll_screen *const *const ll_shipped_screens[];

/* ------------------------------------------------------------------ what screens ask */

/* States of few are numbered in steps of their bits: then the way from one to the next is a shift, and the look-ups
 * wait for nothing. */
enum { LL_STATE_BITS = 6, LL_FEW_STATES = 64 / LL_STATE_BITS };

/* The test, as ll_bound_test has it, and the table of its pattern. */
typedef struct ll_asked {
    uint16_t other; /* bytes from the field to the other one, modulo 2^16 */
    uint8_t step;
    bool big, which, same_type;
    uint64_t flip;
    uint64_t bits;               /* the divisor, or those of the tolerance, a double */
    const uint8_t (*table)[256]; /* the state behind a state and a byte; NULL: there are few states, */
    const uint64_t *few;         /* and by byte, LL_STATE_BITS for each, from the lowest on, the state behind it */
    uint8_t first, accepting;    /* the first state, and the first of those that match */
} ll_asked;

/* Each is true only where the test holds for the `size` bytes of the field at p. */
static inline bool ll_screen_never(const uint8_t *p, uint32_t size, ll_asked asked)
{
    (void)p;
    (void)size;
    (void)asked;
    return false;
}

static inline bool ll_screen_printable(const uint8_t *p, uint32_t size, ll_asked asked)
{
    bool inside = true; /* in front of the NUL */
    bool fails = false;
    for (uint32_t i = 0; i < size; i++) {
        inside &= (p[i] != 0) | !asked.which;
        fails |= inside & ((p[i] < 0x20) | (p[i] > 0x7E));
    }
    return !(fails | (inside & asked.which));
}

static inline bool ll_screen_zero_after_nul(const uint8_t *p, uint32_t size, ll_asked asked)
{
    bool ended = false;
    bool fails = false;
    (void)asked;
    for (uint32_t i = 0; i < size; i++) {
        ended |= p[i] == 0;
        fails |= ended & (p[i] != 0);
    }
    return !fails;
}

static inline bool ll_screen_all_zero(const uint8_t *p, uint32_t size, ll_asked asked)
{
    uint8_t all = 0;
    (void)asked;
    for (uint32_t i = 0; i < size; i++) {
        all |= p[i];
    }
    return all == 0;
}

static inline bool ll_screen_not_empty(const uint8_t *p, uint32_t size, ll_asked asked)
{
    (void)asked;
    return size > 0 && p[0] != 0;
}

static inline bool ll_screen_matches(const uint8_t *p, uint32_t size, ll_asked asked)
{
    uint64_t state = asked.first;
    for (uint32_t i = 0; i < size; i++) {
        state = asked.few ? asked.few[p[i]] >> (state & 63) : asked.table[state][p[i]];
    }
    return (asked.few ? state & 63 : state) >= asked.accepting;
}

static inline bool ll_screen_multiple(const uint8_t *p, uint32_t size, ll_asked asked)
{
    uint64_t bits = ll_read_uint(p, asked.step, asked.big ? LL_BIG : LL_LITTLE);
    return (size == asked.step) & (asked.flip == 0) & (bits % asked.bits == 0);
}

static inline bool ll_screen_unit_norm(const uint8_t *p, uint32_t size, ll_asked asked)
{
    double off = ll_sum_of_squares(p, size / 4, asked.big) - 1.0;
    double tolerance;
    memcpy(&tolerance, &asked.bits, sizeof tolerance);
    return (asked.step == 4) & (off <= tolerance) & (off >= -tolerance);
}

/* Of one type, bits in order mean numbers in order. Bits that are one apart may be those of -0 and 0. */
static inline bool ll_screen_ordered(const uint8_t *p, uint32_t size, ll_asked asked)
{
    unsigned spare = 64U - 8U * asked.step;
    int16_t other = (int16_t)asked.other;
    bool fails = !asked.same_type;
    for (uint32_t at = 0; at < size; at += asked.step) {
        uint64_t here = ll_read_uint(p + at, asked.step, asked.big ? LL_BIG : LL_LITTLE);
        uint64_t there = ll_read_uint(p + other + at, asked.step, asked.big ? LL_BIG : LL_LITTLE);
        here = ll_in_order(here << spare, asked.flip);
        there = ll_in_order(there << spare, asked.flip);
        fails |= (here > there) | (asked.which & ((there - here) >> spare <= 1));
    }
    return !fails;
}

#endif
