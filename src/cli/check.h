/* Marks findings that suppressions or baselines know, for the commands that honour them. */
#ifndef LL_CLI_CHECK_H
#define LL_CLI_CHECK_H

#include "cli/suppress/baseline.h"
#include "cli/suppress/suppress.h"

typedef struct ll_known {
    ll_suppressions *suppressions; /* NULL: suppressions are off */
    ll_baselines *baselines;
} ll_known;

/* Opens suppressions and baselines. Sets *baseline if there is a baseline. False if a baseline was refused, which is
 * reported. Call ll_known_close() in both cases. */
bool ll_known_open(ll_known *known, const ll_options *options, ll_config *config, bool *baseline);
void ll_known_close(ll_known *known);

/* An ll_plan.admit; ctx is an ll_known. Loads suppressions and baseline for the file's directory, once per
 * directory. */
bool ll_known_find(void *ctx, ll_file *file);
/* An ll_plan.after, on any thread: marks the findings of a file that are suppressed or in a baseline before they are
 * counted. */
ll_status ll_known_mark(void *ctx, const ll_work *work);
/* An ll_plan.tail; ctx is an ll_known. Reports suppressions and baseline entries that match no finding. */
ll_status ll_known_report(void *ctx, ll_run *run);

#endif
