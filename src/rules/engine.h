/* Runs a sealed rule set over a sealed document: faults first, then per-record tests and checks in span order, then
 * checks of the whole file. Composes found and expected; hands findings to a sink. Deterministic; no globals.
 *
 * Start-up binds nothing. What every file needs is bound when the first file of its format comes, and the tests behind
 * screens when the first record is stopped. Formats for which a user's pack has rules are bound at once, because such
 * rules may be refused; their tests are always run, as no screen stands for them. */
#ifndef LL_RULES_ENGINE_H
#define LL_RULES_ENGINE_H

#include "rules/ruleset.h"
#include "rules/unread.h"

/* A finding as the engine hands it over. Texts are borrowed for the call. */
typedef struct ll_hit {
    uint32_t rule;
    ll_where at;
    ll_where related;
    const char *found, *expected, *hint;
    const char *related_text;
    bool is_unread; /* it says why something was not read */
    ll_edit patch;  /* bytes borrowed for the call */
} ll_hit;

typedef struct ll_sink {
    void *ctx;
    /* Counts a finding of this rule; false: over a limit, do not compose it. */
    bool (*admit)(void *ctx, uint32_t rule);
    ll_status (*take)(void *ctx, const ll_hit *hit);
    /* Not NULL: what tests and checks of records and of the file find goes here in place of the two, and nothing is put
     * into words. Faults of the parser are left to the caller. */
    void (*weigh)(void *ctx, uint32_t rule, const ll_fault *fault);
    ll_timing *timing; /* NULL: nobody asks */
} ll_sink;

/* `scratch` is a text buffer that the engine may use and clear. */
ll_status ll_engine_run(const ll_ruleset *rules, ll_doc *doc, ll_text *scratch, const ll_sink *sink);

/* How often a test was asked, its guard being met, and how often it did not hold. */
typedef struct ll_tally {
    uint64_t examined, broken;
} ll_tally;

typedef struct ll_counter {
    void *ctx;
    /* Where the tests of the span's record are counted, in the order of its program. */
    ll_tally *(*tallies)(void *ctx, uint32_t span);
    /* Test number `test` of the program did not hold at a place; it was counted already. */
    ll_status (*broke)(void *ctx, uint32_t span, uint32_t test, const ll_where *at);
    /* A fault of the parser or of a C check, which this rule reports. */
    void (*found)(void *ctx, uint32_t rule);
} ll_counter;

/* Counts what the rules ask instead of telling what they found: every test is asked of every record whose guard is met,
 * and no rule gives way to another. A run of its own, so that ll_engine_run() need not count. */
ll_status ll_engine_count(const ll_ruleset *rules, ll_doc *doc, const ll_counter *counter);

#endif
