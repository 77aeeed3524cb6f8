/* Findings as a page of Markdown, for the summary of a GitHub Actions step and for comments: the verdict, a table by
 * rule, then what was found in each file.
 *
 * The verdict comes first but is known last, so that the page is held until then. It never grows beyond what GitHub
 * takes of a step (1 MiB): each of its parts has a limit, and where one is reached the page says what it leaves out. */
#include "report/digest.h"

enum {
    PER_FILE = 10,      /* findings listed, the severest first */
    TABLE_MAX = 90000,  /* bytes of the table by rule */
    FILES_MAX = 900000, /* bytes of the lists by file */
};

typedef struct file_mark { /* a file with findings: its list in the chunk's text */
    size_t length;
    uint64_t findings;
} file_mark;

typedef struct run {
    ll_counts rules;
    uint64_t file;
    ll_text files; /* the lists, as far as there is room */
    bool full;
    uint64_t left_files, left_findings; /* not listed since */
} run;

/* ------------------------------------------------------------------ one file */

/* - **error** GRX012 name-hash at `+0x10..0x14`, `entry[0].hash`: Title; found `x`, expected `y` (3 times in this file)
 */
static void put_finding(const ll_report *report, const ll_finding *f, uint32_t times, ll_text *scratch, ll_text *out)
{
    size_t title = strlen(f->title);
    ll_text_str(out, "- **");
    ll_text_str(out, ll_severity_text(f->severity));
    ll_text_str(out, "** ");
    ll_label_text(f, out);
    ll_text_str(out, " at ");
    ll_text_clear(scratch);
    ll_view_text(&report->view, scratch);
    ll_markdown_code(out, ll_text_cstr(scratch));
    out->failed = out->failed || scratch->failed;
    ll_text_str(out, ", ");
    ll_markdown_code(out, f->path);
    ll_text_str(out, ": ");
    ll_markdown_text(out, f->title, title && f->title[title - 1] == '.' ? title - 1 : title);
    if (f->found[0]) {
        ll_text_str(out, "; found ");
        ll_markdown_code(out, f->found);
    }
    if (f->expected[0]) {
        ll_text_str(out, f->found[0] ? ", expected " : "; expected ");
        ll_markdown_code(out, f->expected);
    }
    ll_times_text(times, out);
    ll_text_char(out, '\n');
}

/* The severest first, then by place. */
static ll_status put_findings(ll_report *report, const ll_fold *fold, ll_text *scratch, ll_text *out)
{
    uint64_t told = 0;
    uint32_t listed = 0;
    for (unsigned severity = LL_ERROR; severity >= LL_NOTE; severity--) {
        for (uint32_t i = ll_report_next(report, 0); i != LL_NO_ENTRY; i = ll_report_next(report, i + 1)) {
            uint32_t times = ll_digest_times(fold, i);
            if (report->entries[i].severity != severity || !times || listed == PER_FILE) {
                continue;
            }
            ll_finding f;
            ll_status status = ll_finding_compose(report, i, &f);
            if (status != LL_OK) {
                return status;
            }
            put_finding(report, &f, times, scratch, out);
            listed++;
            told += times;
        }
    }
    const ll_summary *s = &report->summary;
    uint64_t more = s->errors + s->warnings + s->notes - told;
    if (more) {
        ll_text_str(out, "- and ");
        ll_text_u64(out, more);
        ll_text_str(out, " more\n");
    }
    return LL_OK;
}

/* Columns of the table, which commit counts. */
static void put_rules(const ll_report *report, const ll_fold *fold, ll_text *key, ll_text *notes)
{
    for (uint32_t i = ll_report_next(report, 0); i != LL_NO_ENTRY; i = ll_report_next(report, i + 1)) {
        const ll_rule *rule = report->rules->rules[report->entries[i].rule].rule;
        uint32_t times = ll_digest_times(fold, i);
        if (!times) {
            continue;
        }
        ll_text_clear(key);
        ll_text_str(key, ll_severity_text((ll_severity)report->entries[i].severity));
        ll_text_str(key, " | ");
        ll_text_str(key, rule->id);
        ll_text_char(key, ' ');
        ll_text_str(key, rule->name);
        ll_text_str(key, " | ");
        ll_markdown_text(key, rule->title, strlen(rule->title));
        ll_counts_put(notes, 0, key, times);
    }
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    const char *name = ll_report_name(report);
    const ll_summary *s = &report->summary;
    uint64_t findings = s->errors + s->warnings + s->notes;
    ll_text scratch;
    ll_fold fold;
    ll_counts_next_file(&chunk->marks);
    if (!findings) {
        return LL_OK;
    }
    if (ll_digest_open(emitter, report, &fold) != LL_OK) {
        return LL_E_MEMORY;
    }
    ll_text_init(&scratch, &chunk->allocator);
    size_t before = chunk->text.length;
    ll_text_escape(&scratch, name, strlen(name));
    ll_text_str(&chunk->text, "\n#### ");
    ll_markdown_code(&chunk->text, ll_text_cstr(&scratch));
    chunk->text.failed = chunk->text.failed || scratch.failed;
    ll_text_str(&chunk->text, "\n\n");
    ll_status status = put_findings(report, &fold, &scratch, &chunk->text);
    put_rules(report, &fold, &scratch, &chunk->marks);
    file_mark mark = {chunk->text.length - before, findings};
    ll_text_put(&chunk->files, (const char *)&mark, sizeof mark);
    ll_text_free(&scratch);
    return status;
}

/* ------------------------------------------------------------------ the run */

static void close_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    if (r) {
        ll_counts_free(&r->rules);
        ll_text_free(&r->files);
        emitter->allocator.release(emitter->allocator.ctx, r);
    }
}

static ll_status open_run(ll_emitter *emitter)
{
    run *r = emitter->allocator.alloc(emitter->allocator.ctx, sizeof *r);
    if (!r) {
        return LL_E_MEMORY;
    }
    *r = (run){.file = 0};
    ll_counts_init(&r->rules, &emitter->allocator);
    ll_text_init(&r->files, &emitter->allocator);
    emitter->state = r;
    return LL_OK;
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    run *r = emitter->state;
    const char *text = chunk->text.data;
    for (size_t at = 0; at < chunk->files.length;) {
        file_mark mark;
        memcpy(&mark, chunk->files.data + at, sizeof mark);
        at += sizeof mark;
        r->full = r->full || r->files.length + mark.length > FILES_MAX;
        if (r->full) {
            r->left_files++;
            r->left_findings += mark.findings;
        } else {
            ll_text_put(&r->files, text, mark.length);
        }
        text += mark.length;
    }
    return r->files.failed ? LL_E_MEMORY : ll_counts_commit(&r->rules, &chunk->marks, &r->file);
}

static ll_status put_table(ll_counts *rules, ll_text *out)
{
    if (!rules->row_count) {
        return LL_OK;
    }
    ll_status status = ll_counts_sort(rules);
    ll_text_str(out, "\n| findings | files | severity | rule | what is wrong |\n| ---: | ---: | --- | --- | --- |\n");
    size_t start = out->length;
    uint32_t i = 0;
    for (; i < rules->row_count; i++) {
        const ll_counts_row *row = &rules->rows[i];
        if (out->length - start + row->length + 64 > TABLE_MAX) {
            break;
        }
        ll_text_str(out, "| ");
        ll_text_u64(out, row->count);
        ll_text_str(out, " | ");
        ll_text_u64(out, row->files);
        ll_text_str(out, " | ");
        ll_text_put(out, ll_counts_key(rules, row), row->length);
        ll_text_str(out, " |\n");
    }
    if (i < rules->row_count) {
        ll_text_str(out, "\nThe page is full: ");
        ll_count_text(out, rules->row_count - i, "rule");
        ll_text_str(out, " with fewer findings not in the table.\n");
    }
    return status;
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    static const char *const words[] = {"passed", "failed", "not everything was checked"};
    run *r = emitter->state;
    ll_text *out = &emitter->out;
    ll_text_str(out, "### lightlint: ");
    ll_text_str(out, words[exit_code >= 0 && exit_code < 2 ? exit_code : 2]);
    ll_text_str(out, "\n\n");
    ll_verdict_text(&emitter->totals, out);
    ll_status status = put_table(&r->rules, out);
    (void)ll_emit_text(emitter, out);
    (void)ll_emit_text(emitter, &r->files);
    if (r->full) {
        ll_text_str(out, "\nThe page is full: ");
        ll_count_text(out, r->left_findings, "finding");
        ll_text_str(out, " in ");
        ll_count_text(out, r->left_files, "file");
        ll_text_str(out, " not listed. The log of the run, or another format, has them.\n");
    }
    return status == LL_OK ? ll_emit_text(emitter, out) : status;
}

const ll_emit_format ll_emit_markdown = {open_run, render, commit, finish, close_run};
