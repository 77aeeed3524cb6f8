/* Findings that suppressions or baselines know of, for the commands that mind them. */
#ifndef LL_CLI_CHECK_H
#define LL_CLI_CHECK_H

#include "cli/suppress/baseline.h"
#include "cli/suppress/suppress.h"

typedef struct ll_known {
    ll_suppressions *suppressions; /* NULL: none are looked for */
    ll_baselines *baselines;
} ll_known;

/* False when a baseline was refused, which was said. ll_known_close() is needed in both cases. *baseline: there is one.
 */
bool ll_known_open(ll_known *known, const ll_options *options, ll_config *config, bool *baseline);
void ll_known_close(ll_known *known);

/* An ll_plan.admit, of an ll_known: finds what is known where the file is, once for each directory. */
bool ll_known_find(void *ctx, ll_file *file);
/* An ll_plan.after: between the lint and the count of its findings, on any thread, marks those that are suppressed or
 * in a baseline. */
ll_status ll_known_mark(void *ctx, const ll_work *work);
/* An ll_plan.tail, of an ll_known: what was written about findings and fits none of them. */
ll_status ll_known_report(void *ctx, ll_run *run);

#endif
