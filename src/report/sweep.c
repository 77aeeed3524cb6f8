/* `sweep`: all findings of a corpus for comparing, one object a line. A header names the version and the rules, then
 * every file has its findings as `jsonl` writes them and one line about itself, and a summary ends it: what lacks one
 * was not finished. docs/schema/sweep.schema.json describes what is written. */
#include "report/emit.h"
#include "report/jsonw.h"

/* Which rules run, how severe they are and what they test. */
static uint64_t hash_rules(const ll_ruleset *rules)
{
    uint64_t hash = LL_FNV_START;
    for (size_t i = 0; i < rules->count; i++) {
        const ll_active_rule *active = &rules->rules[i];
        if (active->severity != LL_SEVERITY_OFF) {
            hash = ll_fnv(hash, active->rule->id, strlen(active->rule->id) + 1);
            hash = ll_fnv(hash, &active->severity, 1);
            hash = ll_fnv(hash, active->rule->target, strlen(active->rule->target) + 1);
            hash = ll_fnv(hash, active->rule->check_text, strlen(active->rule->check_text) + 1);
        }
    }
    return hash;
}

static void put_header(ll_emitter *emitter)
{
    char digits[16];
    uint64_t hash = hash_rules(emitter->rules);
    for (unsigned i = 0; i < 16; i++) {
        digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    }
    ll_jsonw json = {&emitter->out, false};
    ll_jsonw_begin(&json, '{');
    ll_jsonw_key(&json, "type");
    ll_jsonw_plain(&json, "sweep");
    ll_jsonw_key(&json, "schema");
    ll_jsonw_u64(&json, 1);
    ll_jsonw_key(&json, "lightlint");
    ll_jsonw_plain(&json, LL_VERSION_STRING);
    ll_jsonw_key(&json, "rules");
    ll_jsonw_string(&json, digits, sizeof digits);
    ll_jsonw_end(&json, '}');
    ll_text_char(&emitter->out, '\n');
    (void)ll_emit_text(emitter, &emitter->out);
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_summary sum = report->summary;
    ll_status status = ll_emit_jsonl.render(emitter, report, chunk);
    ll_jsonw json = {&chunk->text, false};
    ll_jsonw_begin(&json, '{');
    ll_jsonw_key(&json, "type");
    ll_jsonw_plain(&json, "file");
    ll_json_file(&json, report);
    ll_jsonw_key(&json, "errors");
    ll_jsonw_u64(&json, sum.errors);
    ll_jsonw_key(&json, "warnings");
    ll_jsonw_u64(&json, sum.warnings);
    ll_jsonw_key(&json, "notes");
    ll_jsonw_u64(&json, sum.notes);
    ll_jsonw_end(&json, '}');
    ll_text_char(&chunk->text, '\n');
    return status;
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    if (!emitter->started) {
        put_header(emitter);
    }
    return ll_emit_plain(emitter, chunk);
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    if (!emitter->started) {
        put_header(emitter);
    }
    return ll_emit_jsonl.finish(emitter, exit_code);
}

const ll_emit_format ll_emit_sweep = {.render = render, .commit = commit, .finish = finish};
