/* Connects workspaces and outputs: packages in the verdict, workspace data in the sweep of a shard, and findings across
 * files in a merged sweep. */
#include "output/emit/emit.h"
#include "survey/sweep_join.h"
#include "packages/kept.h"

ll_status ll_emitter_join(ll_emitter *emitter, const ll_workspace *workspace)
{
    ll_workspace_summary sum;
    if (!emitter || !workspace) {
        return LL_E_ARGUMENT;
    }
    if (emitter->options.shards > 1) {
        return emitter->format->packages ? ll_workspace_write(workspace, ll_emit_bytes, emitter) : LL_OK;
    }
    ll_workspace_summarize(workspace, &sum);
    return ll_emit_packages(emitter, sum.packages, sum.rules_not_run);
}

/* ------------------------------------------------------------------ sweeps of parts */

typedef struct joining {
    const ll_sweep_join *join;
    ll_workspace *workspace; /* NULL: no part contained data so far */
    ll_report *report;
    size_t next; /* next file of the workspace */
} joining;

static const ll_ruleset *open_facts(void *ctx)
{
    joining *j = ctx;
    j->workspace = j->workspace ? j->workspace : j->join->open(j->join->ctx);
    return j->workspace ? j->workspace->rules : NULL;
}

static ll_status take_facts(void *ctx, const char *line, size_t size, ll_problem *problem)
{
    const joining *j = ctx;
    return ll_workspace_read(j->workspace, line, size, problem);
}

static ll_status end_facts(void *ctx, ll_totals *totals)
{
    ll_workspace_summary sum;
    const joining *j = ctx;
    if (!j->workspace) {
        return LL_OK;
    }
    ll_status status = ll_workspace_join(j->workspace);
    ll_workspace_summarize(j->workspace, &sum);
    totals->packages = sum.packages;
    totals->rules_not_run = sum.rules_not_run;
    return status;
}

static ll_status next_report(void *ctx, ll_report **out)
{
    joining *j = ctx;
    const ll_sweep_join *join = j->join;
    ll_workspace_file file;
    *out = NULL;
    if (!ll_workspace_file_at(j->workspace, j->next, &file)) {
        return LL_OK;
    }
    const ll_ruleset *rules = join->rules_of ? join->rules_of(join->ctx, &file) : j->workspace->rules;
    *out = j->report;
    return rules ? ll_workspace_report(j->workspace, rules, j->next++, NULL, j->report) : LL_E_ARGUMENT;
}

ll_status ll_sweep_merge(const ll_allocator *allocator, const ll_sweep_input *inputs, size_t count,
                         const ll_sweep_join *join, const ll_sweep_output *out, ll_problem *problem)
{
    joining j = {.join = join};
    ll_sweep_facts facts = {&j, open_facts, take_facts, end_facts, next_report};
    if (!inputs || !count || !out || !out->write || (join && (join->size != sizeof *join || !join->open))) {
        return LL_E_ARGUMENT;
    }
    ll_status status = join ? ll_report_create(allocator, &j.report) : LL_OK;
    if (status == LL_OK) {
        status = ll_sweep_merge_parts(allocator, inputs, count, join ? &facts : NULL, out, problem);
    }
    ll_report_free(j.report);
    return status;
}
