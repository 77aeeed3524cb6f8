/* Findings as JUnit XML, for Jenkins, GitLab and whatever else draws test results: every file is a test case, also the
 * clean ones.
 *
 * The schema of Jenkins wants the number of test cases at the head of a suite, where a stream cannot know it: so every
 * file is a suite of its own with one case. What was not checked is an error, what fails at the fail level is a
 * failure, everything else is output of the case. Readers show the first failure of a case only, so that there is one
 * with all findings in its text. No times: equal input gives equal output. */
#include "report/digest.h"

/* ------------------------------------------------------------------ XML */

/* Line feeds and tabs in the form that attributes keep; other controls cannot be in XML and become \xNN. */
static const char *escape_xml(uint8_t c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\t':
        return "&#9;";
    case '\n':
        return "&#10;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

static void put_xml(ll_text *out, const char *text)
{
    ll_mapped_text(text, strlen(text), escape_xml, out);
}

/* ------------------------------------------------------------------ one finding */

/* "error[GRX012 name-hash] 'path' at '+0x10..0x14': ..." and what to do. */
static ll_status put_finding(ll_report *report, uint32_t index, uint32_t times, ll_text *out)
{
    ll_finding f;
    ll_status status = ll_finding_compose(report, index, &f);
    if (status != LL_OK) {
        return status;
    }
    ll_text_str(out, ll_severity_text(f.severity));
    ll_text_char(out, '[');
    ll_label_text(&f, out);
    ll_text_str(out, "] ");
    put_xml(out, f.message);
    ll_times_text(times, out);
    if (f.fix[0]) {
        ll_text_str(out, "\n  help: ");
        put_xml(out, f.fix);
    }
    ll_text_char(out, '\n');
    return LL_OK;
}

/* Which findings an element holds. */
typedef enum part { ALL, FAILING, PASSING } part;

static bool belongs(const ll_emitter *emitter, const ll_report *report, unsigned severity, part which)
{
    return which == ALL || ll_emit_fails(emitter, report, severity) == (which == FAILING);
}

static ll_status put_findings(const ll_emitter *emitter, ll_report *report, const ll_fold *fold, part which,
                              ll_text *out)
{
    ll_status status = LL_OK;
    for (uint32_t i = ll_report_next(report, 0); i != LL_NO_ENTRY && status == LL_OK;
         i = ll_report_next(report, i + 1)) {
        uint32_t times = ll_digest_times(fold, i);
        if (times && belongs(emitter, report, report->entries[i].severity, which)) {
            status = put_finding(report, i, times, out);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ one file */

/* The severest that fails, LL_SEVERITY_OFF: nothing does. */
static ll_severity worst(const ll_emitter *emitter, const ll_report *report)
{
    const ll_summary *s = &report->summary;
    ll_severity severity = s->errors ? LL_ERROR : s->warnings ? LL_WARNING : s->notes ? LL_NOTE : LL_SEVERITY_OFF;
    return severity != LL_SEVERITY_OFF && ll_emit_fails(emitter, report, severity) ? severity : LL_SEVERITY_OFF;
}

static void put_counts(const ll_summary *s, ll_text *out)
{
    ll_count_text(out, s->errors, "error");
    ll_text_str(out, ", ");
    ll_count_text(out, s->warnings, "warning");
    ll_text_str(out, ", ");
    ll_count_text(out, s->notes, "note");
}

/* What limits left out. */
static void put_dropped(const ll_summary *s, const char *before, const char *after, ll_text *out)
{
    if (s->dropped) {
        ll_text_str(out, before);
        ll_count_text(out, s->dropped, "finding");
        ll_text_str(out, " not shown (limit reached; --all shows them)");
        ll_text_str(out, after);
    }
}

static void put_start(const ll_report *report, bool error, bool failure, ll_text *out)
{
    const char *name = ll_plain_name(ll_report_name(report));
    ll_text_str(out, "<testsuite name=\"");
    put_xml(out, name);
    ll_text_str(out, "\" tests=\"1\" failures=\"");
    ll_text_char(out, failure ? '1' : '0');
    ll_text_str(out, "\" errors=\"");
    ll_text_char(out, error ? '1' : '0');
    ll_text_str(out, "\" skipped=\"0\">\n<testcase name=\"");
    put_xml(out, name);
    ll_text_str(out, "\" classname=\"lightlint.");
    ll_text_str(out, ll_report_format(report));
    ll_text_char(out, '"');
}

/* <error> or <failure>; type: a severity, or what happened. */
static ll_status put_verdict(const ll_emitter *emitter, ll_report *report, const ll_fold *fold, const char *type,
                             part which, ll_text *out)
{
    const char *element = which == ALL ? "error" : "failure";
    ll_text_char(out, '<');
    ll_text_str(out, element);
    ll_text_str(out, " type=\"");
    ll_text_str(out, type);
    ll_text_str(out, "\" message=\"");
    ll_text_str(out, which == ALL ? "Not checked, or not in full: " : "");
    put_counts(&report->summary, out);
    put_dropped(&report->summary, "; ", "", out);
    ll_text_str(out, "\">");
    ll_status status = put_findings(emitter, report, fold, which, out);
    ll_text_str(out, "</");
    ll_text_str(out, element);
    ll_text_str(out, ">\n");
    return status;
}

/* What does not fail, and what limits left out where nothing does. */
static ll_status put_rest(const ll_emitter *emitter, ll_report *report, const ll_fold *fold, bool failing, ll_text *out)
{
    size_t before = out->length;
    ll_text_str(out, "<system-out>");
    size_t start = out->length;
    ll_status status = put_findings(emitter, report, fold, PASSING, out);
    if (!failing) {
        put_dropped(&report->summary, "", "\n", out);
    }
    bool empty = out->length == start;
    ll_text_str(out, "</system-out>\n");
    out->length = empty ? before : out->length;
    return status;
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_text *out = &chunk->text;
    const ll_summary *s = &report->summary;
    ll_severity failing = worst(emitter, report);
    bool any = s->errors + s->warnings + s->notes > 0;
    ll_fold fold;
    ll_status status = ll_digest_open(emitter, report, &fold);
    put_start(report, s->unchecked, !s->unchecked && failing != LL_SEVERITY_OFF, out);
    if (!any && !s->unchecked) {
        ll_text_str(out, "/>\n</testsuite>\n");
        return status;
    }
    ll_text_str(out, ">\n");
    if (status == LL_OK && s->unchecked) {
        status = put_verdict(emitter, report, &fold, "unchecked", ALL, out);
    } else if (status == LL_OK && failing != LL_SEVERITY_OFF) {
        status = put_verdict(emitter, report, &fold, ll_severity_text(failing), FAILING, out);
    }
    if (status == LL_OK && !s->unchecked) {
        status = put_rest(emitter, report, &fold, failing != LL_SEVERITY_OFF, out);
    }
    ll_text_str(out, "</testcase>\n</testsuite>\n");
    return status;
}

/* ------------------------------------------------------------------ the run */

static const char DOCUMENT_START[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lightlint\">\n";

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    if (!emitter->started) {
        (void)ll_emit_bytes(emitter, DOCUMENT_START, sizeof DOCUMENT_START - 1);
    }
    return ll_emit_plain(emitter, chunk);
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    (void)exit_code;
    if (!emitter->started) {
        (void)ll_emit_bytes(emitter, DOCUMENT_START, sizeof DOCUMENT_START - 1);
    }
    ll_text_str(&emitter->out, "</testsuites>\n");
    return ll_emit_text(emitter, &emitter->out);
}

const ll_emit_format ll_emit_junit = {NULL, render, commit, finish, NULL};
