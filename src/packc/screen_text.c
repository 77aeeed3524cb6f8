/* Writes tests as C: tests of numbers as intervals of their bits, others as calls of functions of rules/screen.h. */
#include "packc/screen_text.h"

#include "packc/automaton.h"
#include "rules/screen.h"

#include <inttypes.h>
#include <string.h>

enum { TERMS_MAX = 64 }; /* conditions of a test; tests with more have no screen */

/* ------------------------------------------------------------------ intervals */

/* Returns the interval without `flip`, if possible. -0 may then fail an interval that contains 0. */
static ll_term simplified(const ll_term *term)
{
    ll_term plain = *term;
    uint64_t high = term->low + term->width;
    plain.flip = 0;
    if (!(term->mask & LL_TOP_BIT) || high < term->low) {
        return *term;
    }
    if (term->flip == LL_TOP_BIT) { /* signed integer: shift the interval by the offset of all values */
        plain.low = term->low - LL_TOP_BIT;
        return plain;
    }
    if (term->flip != UINT64_MAX) {
        return *term;
    }
    if (term->low == (~high & term->mask)) { /* float up to a magnitude: ignore its sign */
        plain.mask = term->mask & ~LL_TOP_BIT;
        plain.low = 0;
        plain.width = high - LL_TOP_BIT;
        return plain;
    }
    uint64_t zero = LL_TOP_BIT;
    uint64_t below = zero - (term->mask & (0 - term->mask)); /* -0 */
    if (term->low >= below && high >= zero) {                /* non-negative float: bits are ordered like values */
        plain.low = term->low < zero ? 0 : term->low - zero;
        plain.width = high - zero - plain.low;
        return plain;
    }
    return *term;
}

/* Writes an expression for the field's bits as a number of `bits` bits, at its low end. */
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

/* Writes an interval test. 64-bit numbers are narrowed to the width of the field, 8, 16, 32 or 64 bits, at the low end;
 * signed integers and floats below 32 bits, whose top bit matters, are at the high end of 32. */
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

/* Writes conditions; alternatives bind more tightly than conjunctions. */
static void put_terms(const ll_term *terms, size_t count, bool exact, ll_text *out)
{
    for (size_t i = 0; i < count; i++) {
        ll_term plain = exact ? terms[i] : simplified(&terms[i]);
        ll_text_str(out, i == 0 ? "((" : terms[i - 1].or_next ? " | (" : ") & ((");
        put_interval(&plain, out);
        ll_text_char(out, ')');
    }
    ll_text_char(out, ')');
}

/* Writes a table with one word per byte that holds the next states of all states. */
static void put_few(const ll_automaton *automaton, ll_text *out, size_t number)
{
    ll_text_format(out, "static const uint64_t pattern_%zu[256] = {", number);
    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t row = 0;
        for (unsigned state = 0; state < automaton->count; state++) {
            row |= (uint64_t)(LL_STATE_BITS * automaton->next[state][byte]) << LL_STATE_BITS * state;
        }
        ll_text_format(out, "%s0x%" PRIx64 "U", byte ? "," : "", row);
    }
    ll_text_str(out, "};\n");
}

/* Writes the table of a pattern; false: the pattern is not simple. */
static bool put_table(const char *pattern, ll_text *out, size_t number, ll_automaton *automaton)
{
    if (!ll_automaton_make(pattern, automaton)) {
        return false;
    }
    if (automaton->count <= LL_FEW_STATES) {
        put_few(automaton, out, number);
        return true;
    }
    ll_text_format(out, "static const uint8_t pattern_%zu[%u][256] = {\n", number, automaton->count);
    for (unsigned state = 0; state < automaton->count; state++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            ll_text_format(out, "%s%u", byte ? "," : "{", automaton->next[state][byte]);
        }
        ll_text_str(out, "},\n");
    }
    ll_text_str(out, "};\n");
    return true;
}

/* Writes pointer and length of the field; parts of a string have no fixed offset. */
static void put_bytes(const ll_bound_test *t, ll_text *out)
{
    if (t->layout->kind == LL_KIND_RECORD) {
        ll_text_format(out, "p + %u, %u", t->field->offset, t->field->bytes);
    } else if (t->field_number == LL_STRING_TEXT) {
        ll_text_str(out, "p, count");
    } else {
        ll_text_str(out, "p + count + 1, count < length ? length - count - 1 : 0");
    }
}

static bool put_call(const ll_bound_test *t, ll_text *tables, size_t *table_count, ll_text *out)
{
    ll_automaton automaton = {.count = 0};
    const char *asks = ll_test_asks(t);
    bool terminator = t->layout->kind == LL_KIND_STRING && t->field_number == LL_STRING_TERMINATOR;
    bool hashed = t->regex && t->numeric; /* its text is elsewhere */
    if (!asks || terminator || hashed || (t->regex && !put_table(t->words->at[0], tables, *table_count, &automaton))) {
        return false;
    }
    const ll_field *other = t->other == LL_NO_FIELD ? t->field : &t->layout->fields[t->other];
    ll_text_format(out, "%s(", asks);
    put_bytes(t, out);
    ll_text_format(out, ", (ll_asked){.other = %u, .step = %u, .big = %u, .which = %u, .same_type = %u",
                   (uint16_t)(other->offset - t->field->offset), t->step, t->layout->endian == LL_BIG, t->which,
                   other->type == t->field->type);
    uint64_t tolerance;
    memcpy(&tolerance, &t->tolerance, sizeof tolerance);
    ll_text_format(out, ", .flip = 0x%" PRIx64 "U, .bits = 0x%" PRIx64 "U", t->flip, tolerance);
    if (t->regex) {
        bool few = automaton.count <= LL_FEW_STATES;
        unsigned step = few ? LL_STATE_BITS : 1;
        ll_text_format(out, ", .%s = pattern_%zu, .first = %u, .accepting = %u", few ? "few" : "table",
                       (*table_count)++, step * automaton.first, step * automaton.accepting);
    }
    ll_text_str(out, "})");
    return true;
}

void ll_screen_put_term(const ll_term *term, ll_text *out)
{
    put_terms(term, 1, false, out);
}

/* Merges two conditions on the same number into one; false: not possible. */
static bool meet(ll_term *one, const ll_term *other)
{
    bool same = one->offset == other->offset && one->bytes == other->bytes && one->big == other->big;
    if (!same || one->flip != other->flip) {
        return false;
    }
    if (!one->flip && !(one->low | one->width | other->low | other->width)) { /* both: these bits are 0 */
        one->mask |= other->mask;
        return true;
    }
    uint64_t low = one->low > other->low ? one->low : other->low;
    uint64_t end = one->low + one->width;
    uint64_t other_end = other->low + other->width;
    uint64_t high = end < other_end ? end : other_end;
    if (one->mask != other->mask || end < one->low || other_end < other->low || high < low) {
        return false;
    }
    one->low = low;
    one->width = high - low;
    return true;
}

/* Merges the unconditional conditions of a test with those of other tests; false: the test has alternatives. */
static bool join(const ll_term *terms, size_t count, ll_screen_tests *tests, const ll_allocator *allocator)
{
    bool plain = count > 0;
    for (size_t i = 0; i < count; i++) {
        plain = plain && !terms[i].or_next;
    }
    plain = plain && LL_ARRAY_ROOM(&tests->all, count, allocator);
    for (size_t i = 0; plain && i < count; i++) {
        size_t at = 0;
        while (at < tests->all.count && !meet(&tests->all.items[at], &terms[i])) {
            at++;
        }
        if (at == tests->all.count) {
            tests->all.items[tests->all.count++] = terms[i];
        }
    }
    return plain;
}

bool ll_screen_add(ll_arena *arena, const ll_bound_rule *bound, ll_screen_tests *tests, ll_text *tables,
                   size_t *table_count, ll_status *status)
{
    ll_allocator allocator = ll_arena_allocator(arena);
    if (bound->scope) {
        return false; /* right values beyond the scope would fail the screen */
    }
    ll_term terms[TERMS_MAX];
    ll_term guard[TERMS_MAX];
    size_t count = ll_test_terms(&bound->test, terms, TERMS_MAX);
    size_t guards = bound->when ? ll_guard_terms(bound->when, guard, TERMS_MAX) : 0;
    ll_text text = {.allocator = allocator};
    if (guards) {
        ll_text_str(&text, "(!(");
        put_terms(guard, guards, true, &text);
        ll_text_str(&text, ")) | (");
    }
    if (count) {
        put_terms(terms, count, false, &text);
    } else if (!put_call(&bound->test, tables, table_count, &text)) {
        return false;
    }
    ll_text_str(&text, guards ? ")" : "");
    ll_text_char(&text, '\0');
    if (tests->count == LL_SCREENED_MAX) {
        return false;
    }
    ll_screen_test *test = LL_ARRAY_ADD(tests, &allocator);
    *status = !test || text.failed || tables->failed ? LL_E_MEMORY : LL_OK;
    if (test) {
        *test = (ll_screen_test){text.data, !guards && join(terms, count, tests, &allocator)};
    }
    return *status == LL_OK;
}
