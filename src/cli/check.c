/* The command `check`. run.c reads, lints and reports the files; here findings that suppressions or baselines know are
 * marked, so that they do not count. */
#include "cli/commands.h"

#include "cli/suppress/baseline.h"
#include "cli/output.h"
#include "cli/suppress/suppress.h"

typedef struct check {
    const ll_options *options;
    ll_suppressions *suppressions; /* NULL: none are looked for */
    ll_baselines *baselines;
} check;

/* Finds what is known where the file is, once for each directory. */
static bool find_known(void *ctx, ll_file *file)
{
    const check *c = ctx;
    ll_scope_known *known = ll_scope_known_of(file->scope);
    known->complete = known->complete || (ll_suppressions_find(c->suppressions, file->scope) &&
                                          ll_baselines_find(c->baselines, file->scope, &known->baseline));
    return known->complete;
}

/* Between the lint and the count of its findings, on any thread: findings that are suppressed or in a baseline are
 * marked. */
static ll_status mark_findings(void *ctx, const ll_work *work)
{
    const ll_scope_known *known = ll_scope_known_of(work->file->scope);
    (void)ctx;
    if (!known->suppressions && !known->baseline) {
        return LL_OK;
    }
    ll_status status = ll_suppress_mark(work->file, work->report);
    return status == LL_OK ? ll_baselines_mark(known->baseline, work, false) : status;
}

/* What was written about findings and fits none of them. */
static ll_status report_leftovers(void *ctx, ll_run *run)
{
    const check *c = ctx;
    ll_status status = ll_suppressions_report(c->suppressions, run);
    return status == LL_OK ? ll_baselines_report(c->baselines, run) : status;
}

int ll_check(const ll_options *options, ll_config *config)
{
    check c = {options, ll_suppressions_open(options, config), ll_baselines_open(options, config)};
    bool baseline = false;
    bool loaded = ll_baselines_load(c.baselines, &baseline);
    ll_plan plan = {.options = options,
                    .config = config,
                    .outputs = options->outputs,
                    .output_count = options->output_count,
                    .findings_fail = true,
                    .joins = true,
                    .baseline = baseline,
                    .ctx = &c,
                    .admit = find_known,
                    .after = mark_findings,
                    .tail = report_leftovers};
    int code = loaded ? ll_run_files(&plan, NULL) : LL_EXIT_TROUBLE;
    ll_suppressions_close(c.suppressions);
    ll_baselines_close(c.baselines);
    return code;
}
