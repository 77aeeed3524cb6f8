/* Writes JUnit XML for Jenkins, GitLab and other viewers of test results: every file is a test case, also those without
 * findings.
 *
 * Jenkins' schema wants the number of test cases at the start of a suite, where a stream cannot know it. So every file
 * is a suite with one case. A file that was not checked is an error, findings at the fail level are a failure, all
 * others are output of the case. Viewers show only the first failure of a case, so one failure holds all findings. No
 * times are written: equal input gives equal output. */
#include "output/emit/emit.h"

/* ------------------------------------------------------------------ XML */

/* Line feeds and tabs become references, which attributes keep; other control characters, which XML forbids, become
 * \xNN. "##[" would be a command in a log. */
static const char *const xml_escapes[] = {"&&amp;", "<&lt;",   ">&gt;",   "\"&quot;", "#&#35;",
                                          "\t&#9;", "\n&#10;", "\r&#13;", NULL};

static void put_xml(ll_text *out, const char *text)
{
    ll_mapped_text(text, strlen(text), xml_escapes, out);
}

/* ------------------------------------------------------------------ one finding */

/* Writes the findings of these severities: "error[GRX012 name-hash] 'path' at '+0x10..0x14': ..." and the fix. */
static void put_findings(ll_walk *walk, unsigned severities, ll_text *out)
{
    const ll_finding *f = &walk->finding;
    walk->next = 0;
    walk->severities = severities;
    while (ll_walk_next(walk)) {
        ll_heading_text(false, f->severity, f->id, f->name, out);
        ll_text_char(out, ' ');
        put_xml(out, f->message);
        ll_times_text(walk->times, out);
        if (f->fix[0]) {
            ll_text_str(out, "\n  help: ");
            put_xml(out, f->fix);
        }
        ll_text_char(out, '\n');
    }
}

/* ------------------------------------------------------------------ one file */

static void put_start(const ll_report *report, bool error, bool failure, ll_text *out)
{
    const char *name = ll_plain_name(ll_report_name(report));
    ll_text_str(out, "<testsuite name=\"");
    put_xml(out, name);
    ll_text_format(out, "\" tests=\"1\" failures=\"%u\" errors=\"%u\" skipped=\"0\">\n<testcase name=\"",
                   (unsigned)failure, (unsigned)error);
    put_xml(out, name);
    ll_text_format(out, "\" classname=\"lightlint.%s\"", ll_report_format(report));
}

/* Writes <error> or <failure>. type: a severity, or what happened. */
static void put_verdict(ll_walk *walk, const char *element, const char *type, unsigned severities, ll_text *out)
{
    const ll_summary *s = &walk->report->summary;
    ll_text_format(out, "<%s type=\"%s\" message=\"%s", element, type,
                   s->incomplete ? "Not checked, or not in full: " : "");
    ll_severities_text(s->errors, s->warnings, s->notes, out);
    if (ll_report_missing(walk->report)) {
        ll_text_str(out, "; ");
        ll_dropped_text(ll_report_missing(walk->report), out);
    }
    ll_text_str(out, "\">");
    put_findings(walk, severities, out);
    ll_text_format(out, "</%s>\n", element);
}

/* Writes the findings that do not fail the test and, if none fails it, the number of findings beyond the limits. */
static void put_rest(ll_walk *walk, unsigned failing, bool failed, ll_text *out)
{
    size_t before = out->length;
    ll_text_str(out, "<system-out>");
    size_t start = out->length;
    put_findings(walk, LL_ALL_SEVERITIES & ~failing, out);
    if (!failed && ll_report_missing(walk->report)) {
        ll_dropped_text(ll_report_missing(walk->report), out);
        ll_text_char(out, '\n');
    }
    bool empty = out->length == start;
    ll_text_str(out, "</system-out>\n");
    out->length = empty ? before : out->length;
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_text *out = &chunk->text;
    const ll_summary *s = &report->summary;
    ll_severity worst = s->errors ? LL_ERROR : s->warnings ? LL_WARNING : s->notes ? LL_NOTE : LL_SEVERITY_OFF;
    bool failed = worst != LL_SEVERITY_OFF && ll_emit_fails(emitter, report, worst);
    unsigned failing = 0;
    for (unsigned severity = LL_NOTE; severity <= LL_ERROR; severity++) {
        failing |= (unsigned)ll_emit_fails(emitter, report, severity) << severity;
    }
    put_start(report, s->incomplete, !s->incomplete && failed, out);
    if (worst == LL_SEVERITY_OFF && !s->incomplete) {
        ll_text_str(out, "/>\n</testsuite>\n");
        return LL_OK;
    }
    ll_walk walk = ll_walk_groups(emitter, report);
    ll_text_str(out, ">\n");
    if (s->incomplete) {
        put_verdict(&walk, "error", "unchecked", LL_ALL_SEVERITIES, out);
    } else {
        if (failed) {
            put_verdict(&walk, "failure", ll_severity_text(worst), failing, out);
        }
        put_rest(&walk, failing, failed, out);
    }
    ll_text_str(out, "</testcase>\n</testsuite>\n");
    return walk.status;
}

/* ------------------------------------------------------------------ the run */

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    (void)exit_code;
    ll_text_str(&emitter->out, "</testsuites>\n");
    return LL_OK;
}

const ll_emit_format ll_emit_junit = {
    .head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lightlint\">\n",
    .render = render,
    .folds = true,
    .finish = finish};
