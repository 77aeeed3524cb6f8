/* What a run found, in numbers: findings by rule, by field and by record. Memory grows with the rules, fields and
 * records that were spoken of, never with findings or files. */
#include "report/digest.h"

#include "model/value.h"

enum { BY_RULE, BY_FIELD, BY_RECORD, TABLES };

typedef struct run {
    ll_counts tables[TABLES];
    uint64_t file;
} run;

/* ------------------------------------------------------------------ one report */

/* "grx.point_light", also for findings that belong to no record. */
static const char *record_of(const ll_doc *doc, const ll_where *at)
{
    if (at->span == LL_NO_SPAN) {
        return "(file)";
    }
    const ll_layout *layout = ll_doc_layout(doc, at->span);
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

static void put_counts(const ll_report *report, const ll_entry *entry, uint32_t times, ll_text *key, ll_text *notes)
{
    const ll_rule *rule = report->rules->rules[entry->rule].rule;
    const ll_field *field = ll_where_field(&report->doc, &entry->at);
    ll_text_clear(key);
    ll_text_str(key, ll_severity_text((ll_severity)entry->severity));
    ll_text_repeat(key, ' ', 9 - key->length); /* a column of the table */
    ll_text_str(key, rule->id);
    ll_text_char(key, ' ');
    ll_text_str(key, rule->name);
    ll_counts_put(notes, BY_RULE, key, times);
    ll_text_clear(key);
    ll_text_str(key, record_of(&report->doc, &entry->at));
    ll_counts_put(notes, BY_RECORD, key, times);
    if (field) {
        ll_text_char(key, '.');
        ll_text_str(key, field->name);
    }
    ll_counts_put(notes, BY_FIELD, key, times);
}

/* Groups, not findings, go through the chunk. */
static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    (void)emitter;
    ll_fold fold = {NULL, NULL};
    uint32_t i = ll_report_next(report, 0);
    ll_counts_next_file(&chunk->marks);
    if (i == LL_NO_ENTRY) {
        return LL_OK;
    }
    if (ll_report_fold(report, &fold) != LL_OK) {
        return LL_E_MEMORY;
    }
    for (; i != LL_NO_ENTRY; i = ll_report_next(report, i + 1)) {
        if (fold.count[i]) {
            put_counts(report, &report->entries[i], fold.count[i], &report->scratch, &chunk->marks);
        }
    }
    return LL_OK;
}

/* ------------------------------------------------------------------ the run */

static void close_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    for (unsigned i = 0; r && i < TABLES; i++) {
        ll_counts_free(&r->tables[i]);
    }
    if (r) {
        emitter->allocator.release(emitter->allocator.ctx, r);
    }
}

static ll_status open_run(ll_emitter *emitter)
{
    run *r = emitter->allocator.alloc(emitter->allocator.ctx, sizeof *r);
    if (!r) {
        return LL_E_MEMORY;
    }
    r->file = 0;
    for (unsigned i = 0; i < TABLES; i++) {
        ll_counts_init(&r->tables[i], &emitter->allocator);
    }
    emitter->state = r;
    return LL_OK;
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    run *r = emitter->state;
    return ll_counts_commit(r->tables, &chunk->marks, &r->file);
}

static size_t digits_of(uint64_t n)
{
    size_t digits = 1;
    for (; n > 9; n /= 10) {
        digits++;
    }
    return digits;
}

static void put_number(uint64_t n, size_t width, ll_text *out)
{
    ll_text_repeat(out, ' ', width - digits_of(n));
    ll_text_u64(out, n);
}

static ll_status put_table(ll_counts *counts, const char *title, const char *heads, ll_text *out)
{
    static const char findings[] = "findings";
    static const char files[] = "files";
    size_t wide[] = {sizeof findings - 1, sizeof files - 1};
    if (!counts->row_count) {
        return LL_OK;
    }
    for (uint32_t i = 0; i < counts->row_count; i++) {
        size_t count = digits_of(counts->rows[i].count);
        size_t file = digits_of(counts->rows[i].files);
        wide[0] = count > wide[0] ? count : wide[0];
        wide[1] = file > wide[1] ? file : wide[1];
    }
    ll_text_str(out, title);
    ll_text_str(out, "\n  ");
    ll_text_repeat(out, ' ', wide[0] - (sizeof findings - 1));
    ll_text_str(out, findings);
    ll_text_repeat(out, ' ', 2 + wide[1] - (sizeof files - 1));
    ll_text_str(out, files);
    ll_text_str(out, "  ");
    ll_text_str(out, heads);
    ll_status status = ll_counts_sort(counts);
    for (uint32_t i = 0; i < counts->row_count; i++) {
        const ll_counts_row *row = &counts->rows[i];
        ll_text_str(out, "\n  ");
        put_number(row->count, wide[0], out);
        ll_text_str(out, "  ");
        put_number(row->files, wide[1], out);
        ll_text_str(out, "  ");
        ll_text_put(out, ll_counts_key(counts, row), row->length);
    }
    ll_text_str(out, "\n\n");
    return status;
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    (void)exit_code;
    static const struct {
        const char *title, *heads;
    } words[TABLES] = {
        [BY_RULE] = {"By rule", "severity rule"},
        [BY_FIELD] = {"By field", "field"},
        [BY_RECORD] = {"By record", "record"},
    };
    run *r = emitter->state;
    ll_status status = LL_OK;
    for (unsigned i = 0; i < TABLES && status == LL_OK; i++) {
        status = put_table(&r->tables[i], words[i].title, words[i].heads, &emitter->out);
    }
    if (ll_wants_verdict(emitter)) {
        ll_verdict_text(&emitter->totals, &emitter->out);
    }
    return status == LL_OK ? ll_emit_text(emitter, &emitter->out) : status;
}

const ll_emit_format ll_emit_statistics = {open_run, render, commit, finish, close_run};
