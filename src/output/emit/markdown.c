/* Writes a page of Markdown for the summary of a GitHub Actions step and for comments: the verdict, a table by rule,
 * and the findings of each file.
 *
 * The verdict comes first but is known last, so the page is held until the end. GitHub accepts 1 MiB per step: each
 * part of the page has a limit, and the page says what it leaves out. */
#include "output/emit/counts.h"

enum {
    PER_FILE = 10,      /* findings listed, the most severe first */
    TABLE_MAX = 90000,  /* bytes of the table by rule */
    FILES_MAX = 900000, /* bytes of the lists by file */
};

typedef struct run {
    ll_counts rules;
    ll_text files; /* lists of the files, as far as there is room */
    bool full;
    uint64_t left_files, left_findings; /* not listed since `full` */
} run;

/* ------------------------------------------------------------------ one file */

/* - **error** GRX012 name-hash at `+0x10..0x14`, `entry[0].hash`: Title; found `x`, expected `y` (3 times in this
 * file) */
static void put_finding(const ll_walk *walk, ll_text *scratch, ll_text *out)
{
    const ll_finding *f = &walk->finding;
    ll_text_format(out, "- **%s** %s %s at ", ll_severity_text(f->severity), f->id, f->name);
    ll_text_clear(scratch);
    ll_position_text(walk->report, scratch);
    ll_markdown_code(out, ll_text_cstr(scratch));
    out->failed = out->failed || scratch->failed;
    ll_text_str(out, ", ");
    ll_markdown_code(out, f->path);
    ll_text_str(out, ": ");
    ll_markdown_text(out, f->title, ll_title_length(f->title));
    if (f->found[0]) {
        ll_text_str(out, "; found ");
        ll_markdown_code(out, f->found);
    }
    if (f->expected[0]) {
        ll_text_str(out, f->found[0] ? ", expected " : "; expected ");
        ll_markdown_code(out, f->expected);
    }
    ll_times_text(walk->times, out);
    ll_text_char(out, '\n');
}

/* Writes findings by severity, highest first, then by place. */
static void put_findings(ll_walk *walk, uint64_t findings, ll_text *scratch, ll_text *out)
{
    uint32_t listed = 0;
    for (unsigned severity = LL_ERROR; severity >= LL_NOTE; severity--) {
        walk->next = 0;
        walk->severities = 1U << severity;
        while (listed < PER_FILE && ll_walk_next(walk)) {
            put_finding(walk, scratch, out);
            listed++;
            findings -= walk->times;
        }
    }
    if (findings) {
        ll_text_format(out, "- and %" PRIu64 " more\n", findings);
    }
}

/* Notes the columns of the table by rule. */
static ll_status note_rules(ll_chunk *chunk, ll_walk *walk)
{
    ll_text *key = &chunk->scratch;
    walk->next = 0;
    walk->severities = LL_ALL_SEVERITIES;
    while (ll_walk_next_entry(walk)) {
        const ll_entry *entry = &walk->report->entries[walk->entry];
        const ll_rule *rule = ll_rule_at(walk->report->rules, entry->rule);
        ll_text_clear(key);
        ll_text_format(key, "%s | %s %s | ", ll_severity_text((ll_severity)entry->severity), rule->id, rule->name);
        ll_markdown_text(key, rule->title, strlen(rule->title));
        walk->status = ll_counts_note(chunk, 0, key, walk->times);
    }
    return walk->status;
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    const ll_summary *s = &report->summary;
    uint64_t findings = s->errors + s->warnings + s->notes;
    ll_text *out = &chunk->text;
    if (!findings) {
        return LL_OK;
    }
    ll_walk walk = ll_walk_groups(emitter, report);
    ll_piece *piece = LL_ARRAY_ADD(&chunk->pieces, &chunk->allocator);
    if (!piece) {
        return LL_E_MEMORY;
    }
    size_t before = out->length;
    ll_text_clear(&chunk->scratch);
    ll_name_text(report, &chunk->scratch);
    ll_text_str(out, "\n#### ");
    ll_markdown_code(out, ll_text_cstr(&chunk->scratch));
    out->failed = out->failed || chunk->scratch.failed;
    ll_text_str(out, "\n\n");
    put_findings(&walk, findings, &chunk->scratch, out);
    *piece = (ll_piece){.length = out->length - before, .findings = findings};
    return note_rules(chunk, &walk);
}

/* ------------------------------------------------------------------ the run */

static void open_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    ll_counts_init(&r->rules, &emitter->allocator);
    ll_text_init(&r->files, &emitter->allocator);
}

static void close_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    ll_counts_free(&r->rules);
    ll_text_free(&r->files);
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    run *r = emitter->state;
    const char *text = chunk->text.data;
    for (size_t i = 0; i < chunk->pieces.count; i++) {
        const ll_piece *piece = &chunk->pieces.items[i];
        r->full = r->full || r->files.length + piece->length > FILES_MAX;
        if (r->full) {
            r->left_files++;
            r->left_findings += piece->findings;
        } else {
            ll_text_put(&r->files, text, piece->length);
        }
        text += piece->length;
    }
    return r->files.failed ? LL_E_MEMORY : ll_counts_commit(&r->rules, chunk);
}

static void put_table(ll_counts *rules, ll_text *out)
{
    size_t i = 0;
    if (!rules->rows.count) {
        return;
    }
    ll_counts_sort(rules);
    ll_text_str(out, "\n| findings | files | severity | rule | what is wrong |\n| ---: | ---: | --- | --- | --- |\n");
    size_t start = out->length;
    for (; i < rules->rows.count; i++) {
        const ll_counts_row *row = &rules->rows.items[i];
        if (out->length - start + row->length + 64 > TABLE_MAX) {
            break;
        }
        ll_text_format(out, "| %" PRIu64 " | %" PRIu64 " | %s |\n", row->count, row->files, row->name);
    }
    if (i < rules->rows.count) {
        ll_text_str(out, "\nThe page is full: ");
        ll_count_text(out, rules->rows.count - i, "rule");
        ll_text_str(out, " with fewer findings not in the table.\n");
    }
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    static const char *const words[] = {"passed", "failed", "not everything was checked"};
    run *r = emitter->state;
    ll_text *out = &emitter->out;
    ll_text_format(out, "### lightlint: %s\n\n", words[exit_code >= 0 && exit_code < 2 ? exit_code : 2]);
    ll_text verdict;
    ll_text_init(&verdict, &emitter->allocator);
    ll_verdict_text(&emitter->totals, &(ll_terminal){.columns = 0}, &verdict);
    ll_markdown_text(out, verdict.data, verdict.length - (verdict.length > 0)); /* without the line feed */
    ll_text_char(out, '\n');
    out->failed = out->failed || verdict.failed;
    ll_text_free(&verdict);
    put_table(&r->rules, out);
    ll_text_put(out, r->files.data, r->files.length);
    if (r->full) {
        ll_text_str(out, "\nThe page is full: ");
        ll_count_text(out, r->left_findings, "finding");
        ll_text_str(out, " in ");
        ll_count_text(out, r->left_files, "file");
        ll_text_str(out, " not listed. The log of the run, or another format, has them.\n");
    }
    return LL_OK;
}

const ll_emit_format ll_emit_markdown = {.state_size = sizeof(run),
                                         .open = open_run,
                                         .close = close_run,
                                         .render = render,
                                         .commit = commit,
                                         .folds = true,
                                         .finish = finish};
