/* Runs a sealed rule set on a sealed document: faults first, then tests and checks of records in span order, then
 * checks of the whole file. Composes the texts of findings and passes them to a sink. Deterministic; no globals.
 *
 * Start-up binds nothing. What every file needs is bound when the first file of its format comes, and the tests after
 * screens when the first record is stopped. Formats for which a user's pack has rules are bound at once, because such
 * rules may be refused; their tests are always run, as no screen stands for them. */
#ifndef LL_RULES_ENGINE_H
#define LL_RULES_ENGINE_H

#include "rules/ruleset.h"
#include "rules/unread.h"

/* A finding as passed to the sink. The texts are valid only during the call. */
typedef struct ll_hit {
    uint32_t rule;
    ll_where at;
    ll_where related;
    const char *found, *expected, *hint;
    const char *related_text;
    bool is_unread; /* the finding says why bytes were not read */
    ll_edit patch;  /* its bytes are valid only during the call */
} ll_hit;

typedef struct ll_sink {
    void *ctx;
    /* Counts a finding of this rule. False: a limit is reached, so the finding is not composed. */
    bool (*admit)(void *ctx, uint32_t rule);
    ll_status (*take)(void *ctx, const ll_hit *hit);
    /* If not NULL, called instead of admit and take for what tests and checks find, without texts. Faults of the reader
     * are not reported then. False: the engine stops with LL_E_WRITE. */
    bool (*weigh)(void *ctx, uint32_t rule, const ll_fault *fault);
    ll_timing *timing; /* NULL: times are not measured */
} ll_sink;

/* `scratch` is a text buffer that the engine may use and clear. */
ll_status ll_engine_run(const ll_ruleset *rules, ll_doc *doc, ll_text *scratch, const ll_sink *sink);

/* How often a test was run with its guard met, and how often it failed. */
typedef struct ll_tally {
    uint64_t examined, broken;
} ll_tally;

typedef struct ll_counter {
    void *ctx;
    /* Returns the tallies for the tests of the record of a span, in the order of its program. */
    ll_tally *(*tallies)(void *ctx, uint32_t span);
    /* Test number `test` of the program failed at a place; the tally has already counted it. */
    ll_status (*broke)(void *ctx, uint32_t span, uint32_t test, const ll_where *at);
    /* This rule reports a fault of the reader or of a C check. */
    void (*found)(void *ctx, uint32_t rule);
} ll_counter;

/* Counts how often tests run and fail instead of reporting findings. Every test runs on every record whose guard is
 * met, without screens, and no rule yields to another. Separate from ll_engine_run(), which then need not count. */
ll_status ll_engine_count(const ll_ruleset *rules, ll_doc *doc, const ll_counter *counter);

#endif
