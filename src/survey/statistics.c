/* Writes the formats `statistics...`: findings by rule, field and record. Memory grows with the rules, fields and
 * records that have findings, not with findings or files. */
#include "output/emit/counts.h"

#include "model/value.h"

enum { BY_RULE, BY_FIELD, BY_RECORD, TABLES };

typedef struct run {
    ll_counts tables[TABLES];
} run;

/* ------------------------------------------------------------------ one report */

/* "grx.point_light"; a word in parentheses for findings outside records. */
static const char *record_of(const ll_doc *doc, const ll_where *at)
{
    if (at->span == LL_NO_SPAN) {
        return "(file)";
    }
    const ll_layout *layout = ll_record_layout(doc, at->span);
    switch ((ll_kind)layout->kind) {
    case LL_KIND_GAP:
        return "(gap)";
    case LL_KIND_UNPARSED:
        return "(unparsed)";
    case LL_KIND_RECORD:
    case LL_KIND_STRING:
    case LL_KIND_BYTES:
    case LL_KIND_GROUP:
        break;
    }
    return layout->name;
}

static ll_status note_counts(ll_chunk *chunk, const ll_report *report, const ll_entry *entry, uint32_t times)
{
    const ll_rule *rule = ll_rule_at(report->rules, entry->rule);
    const ll_field *field = ll_where_field(&report->doc, &entry->at);
    ll_text *key = &chunk->scratch;
    ll_text_clear(key);
    ll_text_format(key, "%s\t%s %s", ll_severity_text((ll_severity)entry->severity), rule->id, rule->name);
    ll_status status = ll_counts_note(chunk, BY_RULE, key, times);
    ll_text_clear(key);
    ll_text_str(key, record_of(&report->doc, &entry->at));
    status = status == LL_OK ? ll_counts_note(chunk, BY_RECORD, key, times) : status;
    if (field) {
        ll_text_format(key, ".%s", field->name);
    }
    return status == LL_OK ? ll_counts_note(chunk, BY_FIELD, key, times) : status;
}

/* Passes groups through the chunk, not single findings. */
static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_walk walk = ll_walk_groups(emitter, report);
    while (ll_walk_next_entry(&walk)) {
        walk.status = note_counts(chunk, report, &report->entries[walk.entry], walk.times);
    }
    return walk.status;
}

/* ------------------------------------------------------------------ the run */

static void open_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    for (unsigned i = 0; i < TABLES; i++) {
        ll_counts_init(&r->tables[i], &emitter->allocator);
    }
}

static void close_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    for (unsigned i = 0; i < TABLES; i++) {
        ll_counts_free(&r->tables[i]);
    }
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    run *r = emitter->state;
    return ll_counts_commit(r->tables, chunk);
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    static const ll_counts_head heads[TABLES] = {
        [BY_RULE] = {"By rule", {{"severity", LL_CELL_WORDS}, {"rule", LL_CELL_NAME}}, .files = true},
        [BY_FIELD] = {"By field", {{"field", LL_CELL_NAME}}, .files = true},
        [BY_RECORD] = {"By record", {{"record", LL_CELL_NAME}}, .files = true},
    };
    run *r = emitter->state;
    ll_outline tree;
    (void)exit_code;
    ll_outline_init(&tree, emitter->format->printer, &emitter->options.terminal, &emitter->allocator);
    ll_outline_title(&tree, "Statistics");
    ll_emit_verdict_node(emitter, &tree);
    for (unsigned i = 0; i < TABLES; i++) {
        ll_counts_outline(&r->tables[i], &heads[i], SIZE_MAX, &tree);
    }
    ll_outline_finish(&tree, &emitter->out);
    ll_outline_free(&tree);
    return LL_OK;
}

#define STATISTICS(row, print)                                                                                         \
    const ll_emit_format ll_emit_##row = {.state_size = sizeof(run),                                                   \
                                          .printer = &print,                                                           \
                                          .open = open_run,                                                            \
                                          .close = close_run,                                                          \
                                          .render = render,                                                            \
                                          .commit = commit,                                                            \
                                          .folds = true,                                                               \
                                          .finish = finish}
STATISTICS(statistics, ll_outline_text);
STATISTICS(statistics_markdown, ll_outline_markdown);
STATISTICS(statistics_html, ll_outline_html);
STATISTICS(statistics_json, ll_outline_json);
