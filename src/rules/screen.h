/* Screens: fast filters for records. For each layout packc writes a function that combines many tests of the shipped
 * rules. A record that passes has no finding of these tests, whatever rules are in force. A record that fails may still
 * be correct; the engine then runs the tests one by one. Screens have no branches that depend on bytes of a record. */
#ifndef LL_RULES_SCREEN_H
#define LL_RULES_SCREEN_H

#include "base/half.h"
#include "rules/key.h"
#include "rules/ruleset.h"

#include <string.h>

/* For consecutive records: returns how many of `count` pass before the first that fails. For a string of `count` bytes,
 * with NUL and padding `length` bytes: returns `count` if it passes, otherwise another number. If `fails` is not NULL,
 * it gets, by number, which tests may fail for the first record. */
typedef uint32_t ll_screen(const uint8_t *p, uint32_t count, uint32_t length, bool *fails);
enum { LL_SCREENED_MAX = 200 }; /* tests of a layout */

/* By format, in registry order, and by layout; NULL: no screen. */
extern ll_screen *const *const ll_shipped_screens[];

/* ------------------------------------------------------------------ functions called by screens */

/* If an automaton has few states, the states are numbered in steps of LL_STATE_BITS. Then the transition is a shift of
 * the table word for a byte, and the look-up of that word does not depend on the state. */
enum { LL_STATE_BITS = 6, LL_FEW_STATES = 64 / LL_STATE_BITS };

/* The parameters of a test, as in ll_bound_test, and the automaton of its pattern. */
typedef struct ll_asked {
    uint16_t other; /* distance from the field to the other field, modulo 2^16 */
    uint8_t step;
    bool big, which, same_type;
    uint64_t flip;
    uint64_t bits;               /* the divisor, or the bits of the tolerance, a double */
    const uint8_t (*table)[256]; /* next state by state and byte; NULL: there are few states, which use `few` */
    const uint64_t *few;         /* by byte: next states, LL_STATE_BITS for each state, from the lowest bits on */
    uint8_t first, accepting;    /* the first state, and the lowest state that matches */
} ll_asked;

/* Each function is true only if the test holds for the `size` bytes of the field at p. */
static inline bool ll_screen_never(const uint8_t *p, uint32_t size, ll_asked asked)
{
    (void)p;
    (void)size;
    (void)asked;
    return false;
}

static inline bool ll_screen_printable(const uint8_t *p, uint32_t size, ll_asked asked)
{
    bool inside = true; /* before the NUL */
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

/* Fields of the same type are compared by their ordered bits. If these differ by one, they may be -0 and 0. */
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
