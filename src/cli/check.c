/* Checks files and reports what was found. The way of the files is run.c's; what is known of already, and does not
 * count, is decided here. */
#include "cli/commands.h"

#include "cli/suppress/baseline.h"
#include "cli/output.h"
#include "cli/suppress/suppress.h"

#include <stdlib.h>

/* What is known about the files of one directory: ll_file.extra, or NULL when that is nothing. */
typedef struct known {
    struct known *next; /* of all */
    const ll_suppress_level *suppressions;
    ll_baseline_file *baseline;
} known;

typedef struct check {
    const ll_options *options;
    ll_suppressions *suppressions; /* NULL: none are looked for */
    ll_baselines *baselines;
    known *all;
    const ll_scope *scope; /* of the file before, and what is known there */
    known *here;
} check;

/* Finds what is known where the file is. Files come directory by directory, for the most part. */
static bool find_known(void *ctx, ll_file *file)
{
    check *c = ctx;
    if (file->scope != c->scope) {
        known found = {.next = c->all};
        if (!ll_suppressions_find(c->suppressions, file->scope, &found.suppressions) ||
            !ll_baselines_find(c->baselines, file->scope, &found.baseline)) {
            return false;
        }
        c->scope = file->scope;
        c->here = NULL;
        if (found.suppressions || found.baseline) {
            c->here = malloc(sizeof *c->here);
            if (!c->here) {
                return ll_out_of_memory();
            }
            *c->here = found;
            c->all = c->here;
        }
    }
    file->extra = c->here;
    return true;
}

/* Where findings may get marks, all of them must be there: limits follow behind the marks. */
static ll_status lift_limits(void *ctx, const ll_work *work, ll_lint_options *options)
{
    (void)ctx;
    if (work->file->extra) {
        options->max_per_rule = options->max_per_file = 0;
    }
    return LL_OK;
}

/* Between the lint and the count of its findings, on any thread: the place where findings that somebody knows of
 * already get their marks. */
static ll_status mark_findings(void *ctx, const ll_work *work)
{
    const check *c = ctx;
    const known *here = work->file->extra;
    if (!here) {
        return LL_OK;
    }
    ll_status status = ll_suppress_mark(here->suppressions, work->file, work->report);
    status = status == LL_OK ? ll_baselines_mark(here->baseline, work->report) : status;
    return status == LL_OK ? ll_report_limit(work->report, c->options->max_per_rule, c->options->max_per_file) : status;
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
    check c = {.options = options};
    bool baseline = false;
    if ((!options->no_suppressions && !ll_suppressions_open(options, config, &c.suppressions)) ||
        !ll_baselines_open(options, config, &c.baselines) || !ll_baselines_load(c.baselines, &baseline)) {
        ll_baselines_close(c.baselines);
        ll_suppressions_close(c.suppressions);
        return LL_EXIT_TROUBLE;
    }
    ll_plan plan = {.options = options,
                    .config = config,
                    .outputs = options->outputs,
                    .output_count = options->output_count,
                    .max_per_rule = options->max_per_rule,
                    .max_per_file = options->max_per_file,
                    .findings_fail = true,
                    .baseline = baseline,
                    .ctx = &c,
                    .admit = find_known,
                    .before = lift_limits,
                    .after = mark_findings,
                    .tail = report_leftovers};
    int code = ll_run_files(&plan, NULL);
    while (c.all) {
        known *next = c.all->next;
        free(c.all);
        c.all = next;
    }
    ll_suppressions_close(c.suppressions);
    ll_baselines_close(c.baselines);
    return code;
}
