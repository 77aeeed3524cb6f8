/* The command `check`: lints files with run.c, and marks findings known to suppressions or baselines so that they do
 * not count. */
#include "cli/check.h"

#include "cli/commands.h"
#include "cli/output.h"

bool ll_known_find(void *ctx, ll_file *file)
{
    const ll_known *c = ctx;
    ll_scope_known *known = ll_scope_known_of(file->scope);
    known->complete = known->complete || (ll_suppressions_find(c->suppressions, file->scope) &&
                                          ll_baselines_find(c->baselines, file->scope, &known->baseline));
    return known->complete;
}

ll_status ll_known_mark(void *ctx, const ll_work *work)
{
    const ll_scope_known *known = ll_scope_known_of(work->file->scope);
    (void)ctx;
    if (!known->suppressions && !known->baseline) {
        return LL_OK;
    }
    ll_status status = ll_suppress_mark(work->file, work->report);
    return status == LL_OK ? ll_baselines_mark(known->baseline, work, false) : status;
}

bool ll_known_open(ll_known *known, const ll_options *options, ll_config *config, bool *baseline)
{
    *known = (ll_known){ll_suppressions_open(options, config), ll_baselines_open(options, config)};
    return ll_baselines_load(known->baselines, baseline);
}

void ll_known_close(ll_known *known)
{
    ll_suppressions_close(known->suppressions);
    ll_baselines_close(known->baselines);
}

ll_status ll_known_report(void *ctx, ll_run *run)
{
    const ll_known *c = ctx;
    ll_status status = ll_suppressions_report(c->suppressions, run);
    return status == LL_OK ? ll_baselines_report(c->baselines, run) : status;
}

int ll_check(const ll_options *options, ll_config *config)
{
    bool baseline = false;
    ll_known c;
    bool loaded = ll_known_open(&c, options, config, &baseline);
    ll_plan plan = {.options = options,
                    .config = config,
                    .outputs = options->outputs,
                    .output_count = options->output_count,
                    .findings_fail = true,
                    .joins = true,
                    .baseline = baseline,
                    .ctx = &c,
                    .admit = ll_known_find,
                    .after = ll_known_mark,
                    .tail = ll_known_report};
    int code = loaded ? ll_run_files(&plan, NULL) : LL_EXIT_TROUBLE;
    ll_known_close(&c);
    return code;
}
