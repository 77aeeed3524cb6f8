/* Writes the format `sweep`: all findings of a corpus for comparison, one object per line
 * (docs/schema/sweep.schema.json). A header names version and rules. Each file has its findings, as in `jsonl`, and a
 * line about itself. A part of a corpus adds what its files refer to; a whole corpus adds the number of packages and
 * the findings across files. A summary ends it; without one the sweep is incomplete. */
#include "findings/json.h"
#include "survey/survey_read.h"

static void begin(ll_emitter *emitter)
{
    char rules[LL_RULES_HASH];
    ll_survey_rules(emitter->rules, NULL, rules);
    ll_survey_header(&emitter->out, "sweep", LL_VERSION_STRING, rules, emitter->options.shard, emitter->options.shards);
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    (void)emitter;
    ll_status status = ll_json_lines(report, chunk);
    ll_jsonw json = {&chunk->text, false};
    ll_jsonw_begin(&json, '{');
    LL_JSON_PLAIN(&json, "type", "file");
    ll_json_file(&json, report);
    LL_JSON_U64(&json, "errors", report->summary.errors);
    LL_JSON_U64(&json, "warnings", report->summary.warnings);
    LL_JSON_U64(&json, "notes", report->summary.notes);
    ll_jsonw_end(&json, '}');
    ll_text_char(&chunk->text, '\n');
    return status;
}

static void put_packages(const ll_totals *totals, ll_text *out)
{
    ll_jsonw json = {out, false};
    ll_jsonw_begin(&json, '{');
    LL_JSON_PLAIN(&json, "type", "packages");
    LL_JSON_U64(&json, "packages", totals->packages);
    LL_JSON_U64(&json, "rules_not_run", totals->rules_not_run);
    ll_jsonw_end(&json, '}');
    ll_text_char(out, '\n');
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    ll_json_summary_line(&emitter->totals, exit_code, &emitter->out);
    return LL_OK;
}

const ll_emit_format ll_emit_sweep = {
    .begin = begin, .render = render, .patches = true, .packages = put_packages, .finish = finish};
