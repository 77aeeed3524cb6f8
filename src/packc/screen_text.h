/* Writes tests as C for screens (rules/screen.h). */
#ifndef LL_PACKC_SCREEN_TEXT_H
#define LL_PACKC_SCREEN_TEXT_H

#include "base/array.h"
#include "base/text.h"
#include "rules/ruleset.h"

/* The tests of a record: for each, C for "the test holds or its guard does not", and merged conditions that replace the
 * tests with `joined`. */
typedef struct ll_screen_test {
    const char *text;
    bool joined;
} ll_screen_test;
typedef struct ll_screen_tests {
    LL_ARRAY(ll_screen_test);
    LL_ARRAY(ll_term) all;
} ll_screen_tests;
/* Adds a test; false: it cannot be part of a screen. Tables of patterns are appended to *tables; *table_count counts
 * them. */
bool ll_screen_add(ll_arena *arena, const ll_bound_rule *bound, ll_screen_tests *tests, ll_text *tables,
                   size_t *table_count, ll_status *status);
/* Writes the C expression of a condition. */
void ll_screen_put_term(const ll_term *term, ll_text *out);

#endif
