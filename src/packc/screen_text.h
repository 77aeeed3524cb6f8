/* Tests as the C text of screens (rules/screen.h). */
#ifndef LL_PACKC_SCREEN_TEXT_H
#define LL_PACKC_SCREEN_TEXT_H

#include "base/array.h"
#include "base/text.h"
#include "rules/ruleset.h"

/* What a record is asked. The C text of "the test holds, or its guard does not" of each test, and conditions that stand
 * together for those of them whose text is `joined`. */
typedef struct ll_screen_test {
    const char *text;
    bool joined;
} ll_screen_test;
typedef struct ll_screen_tests {
    LL_ARRAY(ll_screen_test);
    LL_ARRAY(ll_term) all;
} ll_screen_tests;
/* Adds a test; false: no screen can stand for it. Tables of patterns go to *tables, *table_count of them so far. */
bool ll_screen_add(ll_arena *arena, const ll_bound_rule *bound, ll_screen_tests *tests, ll_text *tables,
                   size_t *table_count, ll_status *status);
/* The C text of a condition. */
void ll_screen_put_term(const ll_term *term, ll_text *out);

#endif
