/* Joins the sweeps of parts of a corpus. The parts' lines on packages are passed to callbacks, which return the
 * findings across files. */
#ifndef LL_SURVEY_SWEEP_JOIN_H
#define LL_SURVEY_SWEEP_JOIN_H

#include "findings/report.h"

typedef struct ll_sweep_facts {
    void *ctx;
    /* The rules that the parts must have been made with. NULL: failed. */
    const ll_ruleset *(*open)(void *ctx);
    /* Takes a line without its line feed. */
    ll_status (*take)(void *ctx, const char *line, size_t size, ll_problem *problem);
    /* Called after all lines; adds to the totals. */
    ll_status (*end)(void *ctx, ll_totals *totals);
    /* The next report with findings across files. *out is NULL after the last. */
    ll_status (*next)(void *ctx, ll_report **out);
} ll_sweep_facts;

/* facts NULL: findings across files are left out. */
ll_status ll_sweep_merge_parts(const ll_allocator *allocator, const ll_sweep_input *inputs, size_t count,
                               const ll_sweep_facts *facts, const ll_sweep_output *out, ll_problem *problem);

#endif
