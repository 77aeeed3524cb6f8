/* Writes phrases that several outputs share, and Markdown. */
#include "findings/words.h"

/* ------------------------------------------------------------------ findings and counts */

void ll_count_text(ll_text *out, uint64_t n, const char *one)
{
    ll_text_format(out, "%" PRIu64 " %s%s", n, one, n == 1 ? "" : "s");
}

void ll_files_text(uint64_t files, uint64_t members, ll_text *out)
{
    ll_count_text(out, files, "file");
    if (members) {
        ll_text_str(out, " with ");
        ll_count_text(out, members, "member");
    }
}

void ll_name_text(const ll_report *report, ll_text *out)
{
    const char *name = ll_report_name(report);
    ll_text_escape(out, name, strlen(name));
}

size_t ll_title_length(const char *title)
{
    size_t n = strlen(title);
    return n && title[n - 1] == '.' ? n - 1 : n;
}

void ll_short_text(const char *text, size_t most, ll_text *out)
{
    size_t n = strlen(text);
    bool is_cut = n > most;
    n = is_cut ? most : n;
    while (is_cut && n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) {
        n--;
    }
    ll_text_put(out, text, n);
    ll_text_str(out, is_cut ? "..." : "");
}

void ll_times_text(uint32_t times, ll_text *out)
{
    if (times > 1) {
        ll_text_format(out, " (%" PRIu32 " times in this file)", times);
    }
}

void ll_statement_text(const ll_finding *finding, ll_text *out)
{
    ll_text_put(out, finding->title, ll_title_length(finding->title));
    if (finding->found[0]) {
        ll_text_format(out, "; found %s", finding->found);
    }
    if (finding->expected[0]) {
        ll_text_format(out, "%s expected %s", finding->found[0] ? "," : ";", finding->expected);
    }
}

void ll_severities_text(uint64_t errors, uint64_t warnings, uint64_t notes, ll_text *out)
{
    ll_count_text(out, errors, "error");
    ll_text_str(out, ", ");
    ll_count_text(out, warnings, "warning");
    ll_text_str(out, ", ");
    ll_count_text(out, notes, "note");
}

void ll_dropped_text(uint64_t dropped, ll_text *out)
{
    ll_count_text(out, dropped, "finding");
    ll_text_format(out, " not shown (--all shows up to %u of a file)", (unsigned)LL_FINDINGS_MAX);
}

void ll_marked_text(uint64_t suppressed, uint64_t baselined, ll_text *out)
{
    if (suppressed) {
        ll_text_format(out, ", %" PRIu64 " suppressed", suppressed);
    }
    if (baselined) {
        ll_text_format(out, ", %" PRIu64 " in the baseline", baselined);
    }
}

void ll_end_line(ll_text *out, size_t from, size_t indent, const ll_terminal *terminal)
{
    ll_fit(out, from, indent, terminal);
    ll_text_char(out, '\n');
}

/* "; 12 rules off, 2 paths left out by mod/.lightlint.yaml" */
static void put_config(const ll_found_config *c, ll_text *out)
{
    const struct {
        uint64_t count;
        const char *one, *what;
    } counts[] = {
        {c->rules_off, "rule", " off"}, {c->rules_lowered, "rule", " less severe"}, {c->left_out, "path", " left out"}};
    const struct {
        bool holds;
        const char *what, *value;
    } switches[] = {{c->fail_on, "fail level ", c->fail_on},
                    {c->no_cross, "rules across files off", ""},
                    {c->allows_unsupported, "unsupported files allowed", ""}};
    const char *between = "; ";
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].count) {
            ll_text_str(out, between);
            ll_count_text(out, counts[i].count, counts[i].one);
            ll_text_str(out, counts[i].what);
            between = ", ";
        }
    }
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        if (switches[i].holds) {
            ll_text_format(out, "%s%s%s", between, switches[i].what, switches[i].value);
            between = ", ";
        }
    }
    ll_text_str(out, " by ");
    ll_text_escape(out, c->file, strlen(c->file));
}

static void put_configs(const ll_totals *totals, ll_text *out)
{
    enum { SHOWN = 3 };
    for (size_t i = 0; i < totals->config_count && i < SHOWN; i++) {
        put_config(&totals->configs[i], out);
    }
    if (totals->config_count > SHOWN) {
        ll_text_str(out, "; more by ");
        ll_count_text(out, totals->config_count - SHOWN, "other configuration");
    }
    if (totals->config_count) {
        ll_text_format(out, "; --isolated ignores %s", totals->config_count > 1 ? "them" : "it");
    }
}

void ll_verdict_text(const ll_totals *totals, const ll_terminal *terminal, ll_text *out)
{
    size_t from = out->length;
    if (totals->dropped) {
        ll_dropped_text(totals->dropped, out);
        ll_end_line(out, from, 2, terminal);
    }
    from = out->length;
    ll_files_text(totals->files - totals->unchecked, totals->members, out);
    if (totals->packages) {
        ll_text_str(out, " and ");
        ll_count_text(out, totals->packages, "package");
    }
    ll_text_str(out, " checked");
    if (totals->unchecked) {
        ll_text_format(out, ", %" PRIu64 " not checked or not in full", totals->unchecked);
    }
    if (totals->partly) {
        ll_text_format(out, ", %" PRIu64 " in part, which is allowed", totals->partly);
    }
    if (totals->errors + totals->warnings + totals->notes) {
        ll_text_format(out, ", %" PRIu64 " with findings: ", totals->files_with_findings);
        ll_severities_text(totals->errors, totals->warnings, totals->notes, out);
    } else {
        ll_text_str(out, ", no findings");
    }
    ll_marked_text(totals->suppressed, totals->baselined, out);
    if (totals->rules_not_run) {
        ll_text_str(out, "; ");
        ll_text_format(out, "%" PRIu64 " rule", totals->rules_not_run);
        ll_text_str(out, totals->rules_not_run == 1
                             ? " across files was skipped, as parts of packages are not known"
                             : "s across files were skipped, as parts of packages are not known");
    }
    put_configs(totals, out);
    ll_text_char(out, '.');
    ll_end_line(out, from, 2, terminal);
}

const char *ll_style_code(bool color, ll_style style)
{
    static const char *const codes[] = {
        [LL_PLAIN] = "\x1b[0m",         [LL_STRONG] = "\x1b[1m",           [LL_GUTTER] = "\x1b[1;34m",
        [LL_STYLE_NOTE] = "\x1b[1;36m", [LL_STYLE_WARNING] = "\x1b[1;33m", [LL_STYLE_ERROR] = "\x1b[1;31m",
    };
    return color ? codes[style] : "";
}

ll_style ll_severity_style(ll_severity severity)
{
    static const ll_style styles[] = {LL_STRONG, LL_STYLE_NOTE, LL_STYLE_WARNING, LL_STYLE_ERROR};
    return styles[severity & 3];
}

void ll_heading_text(bool color, ll_severity severity, const char *id, const char *name, ll_text *out)
{
    ll_text_format(out, "%s%s[%s %s]%s", ll_style_code(color, ll_severity_style(severity)), ll_severity_text(severity),
                   id, name, ll_style_code(color, LL_PLAIN));
}

void ll_characters_text(const uint8_t *bytes, size_t n, ll_text *out)
{
    char *room = ll_text_room(out, n);
    for (size_t i = 0; room && i < n; i++) {
        bool command =
            i && bytes[i] == '#' && bytes[i - 1] == '#'; /* "##[error]" is a command to the runners of CI jobs */
        room[i] = bytes[i] >= 0x20 && bytes[i] < 0x7F && !command ? (char)bytes[i] : '.';
    }
    out->length += room ? n : 0;
}

ll_status ll_send_text(ll_text *text, size_t least, ll_write_fn write, void *ctx)
{
    if (text->failed) {
        return LL_E_MEMORY;
    }
    if (text->length <= least) {
        return LL_OK;
    }
    bool written = write(ctx, text->data, text->length);
    ll_text_clear(text);
    return written ? LL_OK : LL_E_WRITE;
}

/* ------------------------------------------------------------------ Markdown */

/* Characters that Markdown, HTML or GitHub's references give a meaning to. */
static const char *const markdown_escapes[] = {"\\\\\\", "`\\`",  "*\\*",  "_\\_", "[\\[",   "]\\]",
                                               "|\\|",   "~\\~",  "#\\#",  "$\\$", "@&#64;", "!\\!",
                                               "&&amp;", "<&lt;", ">&gt;", "\n ",  NULL};

void ll_markdown_text(ll_text *out, const char *text, size_t n)
{
    ll_mapped_text(text, n, markdown_escapes, out);
}

/* Length of the longest run of backticks. */
static size_t backticks(const char *text)
{
    size_t longest = 0;
    for (const char *p = text; *p;) {
        size_t n = strspn(p, "`");
        longest = n > longest ? n : longest;
        p += n ? n : 1;
    }
    return longest;
}

void ll_markdown_code(ll_text *out, const char *text)
{
    size_t fence = backticks(text) + 1;
    size_t n = strlen(text);
    bool padded = fence > 1 || n == 0 || text[0] == ' ' || text[n - 1] == ' ';
    ll_text_repeat(out, '`', fence);
    ll_text_str(out, padded ? " " : "");
    ll_text_put(out, text, n);
    ll_text_str(out, padded ? " " : "");
    ll_text_repeat(out, '`', fence);
}
