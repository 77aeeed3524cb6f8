/* Lists one script as text: statements beside their bytes, labels at jump targets, findings below the line where their
 * bytes begin. The format composes the lines; this file names and places them. */
#include "base/problem.h"
#include "base/sort.h"
#include "findings/words.h"

enum { HEX_ROW = 8, HEX_WIDTH = 3 * HEX_ROW - 1, UNPARSED_ROWS = 4, INDENT = 4, FINDING_INDENT = 10 };

typedef struct list_run {
    ll_report *report;
    ll_terminal terminal; /* limits of the text output */
    ll_text out;
    ll_write_fn write;
    void *ctx;
    bool any; /* a line was written */
    ll_status status;
} list_run;

/* ------------------------------------------------------------------ findings */

/* First entry at or after an address; entries are sorted by address. */
static uint32_t seek_entry(const ll_report *report, uint32_t address)
{
    LL_BISECT(low, report->entries.count, i, report->entries.items[i].at.offset < address);
    return low;
}

static void put_finding(const ll_finding *finding, const ll_view *view, const ll_terminal *terminal, ll_text *out)
{
    size_t from = out->length + FINDING_INDENT;
    ll_text_repeat(out, ' ', FINDING_INDENT);
    ll_heading_text(false, finding->severity, finding->id, finding->name, out);
    ll_text_char(out, ' ');
    ll_view_text(view, out);
    ll_text_str(out, ": ");
    ll_statement_text(finding, out);
    ll_end_line(out, from, FINDING_INDENT + INDENT, terminal);
    if (finding->hint[0]) {
        from = out->length + FINDING_INDENT;
        ll_text_format(out, "%*slikely: %s", FINDING_INDENT, "", finding->hint);
        ll_end_line(out, from, FINDING_INDENT + INDENT, terminal);
    }
}

/* Writes the findings whose bytes begin in the line. */
static void put_findings(list_run *run, const ll_line *line)
{
    ll_report *report = run->report;
    uint32_t i = seek_entry(report, line->offset);
    while (run->status == LL_OK && i < report->entries.count &&
           report->entries.items[i].at.offset - line->offset < line->length) {
        ll_finding finding;
        bool counts = !report->entries.items[i].mark;
        run->status = counts ? ll_finding_compose(report, i, &finding) : LL_OK;
        i++;
        if (counts && run->status == LL_OK) {
            put_finding(&finding, &report->last.view, &run->terminal, &run->out);
        }
    }
}

/* ------------------------------------------------------------------ lines */

/* Writes one row of a line's bytes, from byte `done` on; the first row is followed by the text. */
static void put_row(const list_run *run, const ll_line *line, uint32_t done, ll_text *out)
{
    const ll_doc *doc = &run->report->doc;
    uint32_t address = line->offset + done;
    uint32_t left = line->length - done;
    size_t from = out->length;
    size_t indent = 0;
    ll_text_format(out, "0x%06" PRIx32 "  ", address - ll_doc_locate(doc, address)->base);
    size_t start = out->length;
    ll_text_bytes(out, ll_doc_at(doc, address), left < HEX_ROW ? left : HEX_ROW);
    if (done == 0) {
        const char *head = !line->unparsed ? "" : line->text[0] ? "unparsed: " : "unparsed";
        int width = HEX_WIDTH - (int)(out->length - start) + 2 + INDENT * (int)line->indent;
        ll_text_format(out, "%*s", width, "");
        indent = out->length - from + INDENT;
        from = out->length;
        ll_text_format(out, "%s%s", head, line->text);
    }
    ll_end_line(out, from, indent, &run->terminal);
}

static void put_line(const list_run *run, const ll_line *line, ll_text *out)
{
    if (line->label[0]) {
        ll_text_format(out, "%s:\n", line->label);
    }
    uint32_t rows = line->length / HEX_ROW + (line->length % HEX_ROW != 0);
    uint32_t shown = line->unparsed && rows > UNPARSED_ROWS ? UNPARSED_ROWS : rows;
    for (uint32_t row = 0; row < shown; row++) {
        put_row(run, line, row * HEX_ROW, out);
    }
    if (shown < rows) {
        ll_text_str(out, "..\n");
    }
}

static bool list_line(void *ctx, const ll_line *line)
{
    list_run *run = ctx;
    run->any = true;
    if (!line->text || !line->label) {
        run->status = LL_E_MEMORY;
        return false;
    }
    put_line(run, line, &run->out);
    put_findings(run, line);
    run->status = run->status == LL_OK ? ll_send_text(&run->out, LL_SEND_AT, run->write, run->ctx) : run->status;
    return run->status == LL_OK;
}

/* ------------------------------------------------------------------ names */

static ll_status refuse_name(ll_report *report, const char *name, ll_problem *problem)
{
    const ll_format *format = report->doc.format;
    ll_nearest nearest = {.to = name};
    ll_text *text = &report->scratch;
    ll_text_clear(text);
    for (uint32_t i = 0; format->list_name(&report->doc, i, text); i++) {
        const char *known = text->failed ? NULL : ll_arena_copy(&report->doc.arena, text->data, text->length);
        if (!known) {
            return LL_E_MEMORY;
        }
        ll_nearest_offer(&nearest, known);
        ll_text_clear(text);
    }
    (void)ll_problem_unknown(problem, "script", &nearest);
    return LL_E_ARGUMENT;
}

/* ------------------------------------------------------------------ the listing */

ll_status ll_list(ll_report *report, const char *name, const ll_terminal *terminal, ll_write_fn write, void *ctx,
                  ll_problem *problem)
{
    if (!report || !name || !write) {
        return LL_E_ARGUMENT;
    }
    const ll_format *format = report->doc.format;
    if (!format || !format->list || report->doc.opaque) {
        (void)LL_PROBLEM(problem, "the file holds no scripts that can be read");
        return LL_E_ARGUMENT;
    }
    list_run run = {
        .report = report, .terminal = terminal ? *terminal : (ll_terminal){.columns = 0}, .write = write, .ctx = ctx};
    ll_text_init(&run.out, &report->doc.arena.allocator);
    ll_name_text(report, &run.out);
    size_t from = run.out.length;
    ll_text_format(&run.out, ": %s, script of ", ll_report_format(report));
    ll_text_escape(&run.out, name, strlen(name));
    ll_end_line(&run.out, from, INDENT, &run.terminal);
    bool listed = format->list(&report->doc, name, list_line, &run);
    if (listed || run.any) {
        ll_text_str(&run.out, run.any ? "" : "no bytes of it were found\n");
        run.status = run.status == LL_OK ? ll_send_text(&run.out, 0, write, ctx) : run.status;
    } else {
        run.status = refuse_name(report, name, problem);
    }
    ll_text_free(&run.out);
    return run.status;
}
