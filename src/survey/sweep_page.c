/* Writes the changes between two sweeps as text, Markdown, HTML and JSON. JSON is written as it comes; the others begin
 * with counts, known last, so a few examples per rule are held until then. docs/schema/sweep.schema.json describes the
 * JSON. */
#include "survey/sweep_diff.h"

#include "output/html/html.h"
#include "base/json_write.h"
#include "findings/words.h"

enum { EXAMPLES = 5, NAMES = 10, RULE_WIDTH = 44, COUNT_WIDTH = 9 };

static const char *const KINDS[] = {"came", "went", "changed"};
static const char *const WHERE[] = {"both", "old", "new"};

/* What a format puts around words; unused for JSON. */
typedef struct style {
    void (*words)(ll_text *out, const char *text, size_t n);
    const char *title, *source[2], *source_end, *sources_end, *differ, *differ_end;
    const char *table, *row, *number, *row_end, *table_end;
    const char *file, *file_words, *example[LL_DIFF_KINDS], *example_end, *file_end; /* file_words: after the name */
    const char *list, *item, *more, *item_end, *list_end; /* more: an item that counts what is not listed */
    const char *lists[2], *lists_end, *verdict, *verdict_end;
} style;

static const style styles[] = {
    [LL_DIFF_TEXT] = {.words = ll_text_escape,
                      .title = "",
                      .source = {"old: ", "new: "},
                      .source_end = "\n",
                      .sources_end = "",
                      .differ = "",
                      .differ_end = "\n",
                      .row = "",
                      .number = " ",
                      .row_end = "\n",
                      .table_end = "",
                      .file = "\n",
                      .file_words = "\n",
                      .example = {"  + ", "  - ", "  ~ "},
                      .example_end = "\n",
                      .file_end = "",
                      .list = "\n",
                      .item = "  ",
                      .more = "and ",
                      .item_end = "\n",
                      .list_end = "",
                      .lists = {"\nonly in old: ", "\nonly in new: "},
                      .lists_end = "\n",
                      .verdict = "\n",
                      .verdict_end = "\n"},
    [LL_DIFF_MARKDOWN] = {.words = ll_markdown_text,
                          .title = "## Sweeps compared\n\n",
                          .source = {"- old: ", "- new: "},
                          .source_end = "\n",
                          .sources_end = "",
                          .differ = "\n",
                          .differ_end = "\n",
                          .table = "\n| rule | came | went | changed |\n| --- | ---: | ---: | ---: |\n",
                          .row = "| ",
                          .number = " | ",
                          .row_end = " |\n",
                          .table_end = "",
                          .file = "\n### ",
                          .file_words = "\n\n",
                          .example = {"- came: ", "- went: ", "- changed: "},
                          .example_end = "\n",
                          .file_end = "",
                          .list = "\n",
                          .item = "- ",
                          .more = "- and ",
                          .item_end = "\n",
                          .list_end = "",
                          .lists = {"\nonly in old: ", "\nonly in new: "},
                          .lists_end = "\n\n",
                          .verdict = "\n",
                          .verdict_end = "\n"},
    [LL_DIFF_HTML] =
        {.words = ll_html_text,
         .title = "<ul>\n",
         .source = {"<li>old: ", "<li>new: "},
         .source_end = "</li>\n",
         .sources_end = "</ul>\n",
         .differ = "<p>",
         .differ_end = "</p>\n",
         .table = "<h2>By rule</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<tr><th scope=\"col\">rule</th>"
                  "<th scope=\"col\" class=\"number\">came</th><th scope=\"col\" class=\"number\">went</th>"
                  "<th scope=\"col\" class=\"number\">changed</th><th scope=\"col\" class=\"chart\">came, went, "
                  "changed</th></tr>\n",
         .row = "<tr><td>",
         .number = "</td><td class=\"number\">",
         .row_end = "</tr>\n",
         .table_end = "</table></div>\n",
         .file = "<article><h2>",
         .file_words = "</h2>\n<ul>\n",
         .example = {"<li class=\"came\"><b class=\"mark\">came</b>: ",
                     "<li class=\"went\"><b class=\"mark\">went</b>: ",
                     "<li class=\"changed\"><b class=\"mark\">changed</b>: "},
         .example_end = "</li>\n",
         .file_end = "</ul></article>\n",
         .list = "<ul>\n",
         .item = "<li>",
         .more = "<li>and ",
         .item_end = "</li>\n",
         .list_end = "</ul>\n",
         .lists = {"<h2>only in old: ", "<h2>only in new: "},
         .lists_end = "</h2>\n<ul>\n",
         .verdict = "<p><b>",
         .verdict_end = "</b></p>\n"},
};

/* ------------------------------------------------------------------ life */

static ll_status flush(ll_diff_page *page)
{
    bool failed = page->body.failed || page->lists[0].failed || page->lists[1].failed;
    return failed ? LL_E_MEMORY : ll_send_text(&page->out, 0, page->write, page->ctx);
}

bool ll_diff_open(ll_diff_page *page, const ll_allocator *allocator, const char *format, ll_write_fn write, void *ctx)
{
    static const char *const formats[] = {"text", "markdown", "html", "json"}; /* as ll_diff_format */
    size_t at = ll_names_find(&LL_NAME_LIST(formats, LL_DIFF_FORMATS), format ? format : "");
    *page = (ll_diff_page){.format = (ll_diff_format)at, .write = write, .ctx = ctx};
    ll_text *const texts[] = {&page->out, &page->body, &page->lists[0], &page->lists[1]};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ll_text_init(texts[i], allocator);
    }
    return at < LL_DIFF_FORMATS;
}

void ll_diff_close(ll_diff_page *page)
{
    ll_text_free(&page->out);
    ll_text_free(&page->body);
    ll_text_free(&page->lists[0]);
    ll_text_free(&page->lists[1]);
}

static bool same_text(const ll_text *a, const ll_text *b)
{
    return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

/* ------------------------------------------------------------------ words */

static const style *style_of(const ll_diff_page *page)
{
    return &styles[page->format];
}

/* Appends words from a sweep, escaped for the format. */
static void put_words(const ll_diff_page *page, ll_text *out, const char *words)
{
    style_of(page)->words(out, words, strlen(words));
}

static void put_rule(const ll_diff_page *page, ll_text *out, const ll_diff_rule *rule)
{
    put_words(page, out, rule->id);
    ll_text_str(out, rule->name[0] ? " " : "");
    put_words(page, out, rule->name);
}

static void put_source(const ll_diff_page *page, unsigned which, ll_text *out)
{
    const ll_survey_source *s = page->sources[which];
    ll_text_str(out, style_of(page)->source[which]);
    put_words(page, out, s->input->name);
    ll_text_str(out, " (lightlint ");
    style_of(page)->words(out, s->version.data, s->version.length);
    ll_text_str(out, ", rules ");
    style_of(page)->words(out, s->rules.data, s->rules.length);
    ll_text_str(out, ")");
    ll_text_str(out, style_of(page)->source_end);
}

/* Appends what changed in a finding: "warning -> error, +0x10..0x14 -> +0x20..0x24". */
static void put_differences(const ll_diff_page *page, ll_text *out, const ll_diff_item *a, const ll_diff_item *b)
{
    bool severity = strcmp(a->severity, b->severity) != 0;
    bool place = a->offset != b->offset || a->length != b->length;
    bool path = strcmp(a->path, b->path) != 0;
    if (severity) {
        put_words(page, out, a->severity);
        ll_text_str(out, " -> ");
    }
    put_words(page, out, b->severity);
    if (place) {
        ll_text_str(out, ", ");
        ll_place_text(a->offset, a->length, out);
        ll_text_str(out, " -> ");
        ll_place_text(b->offset, b->length, out);
    }
    if (path) {
        ll_text_str(out, ", ");
        put_words(page, out, a->path);
        ll_text_str(out, " -> ");
        put_words(page, out, b->path);
    }
    if (!severity && !place && !path) {
        ll_text_str(out, ", message changed");
    }
}

/* ------------------------------------------------------------------ json */

/* Writes the members of a finding that may change. */
static void put_state(ll_jsonw *json, const ll_diff_item *item)
{
    LL_JSON_STR(json, "severity", item->severity);
    LL_JSON_U64(json, "offset", item->offset);
    LL_JSON_U64(json, "length", item->length);
    LL_JSON_STR(json, "path", item->path);
    LL_JSON_STR(json, "message", item->message);
}

static void put_item(ll_jsonw *json, const ll_diff_item *item)
{
    ll_jsonw_begin(json, '{');
    LL_JSON_STR(json, "rule", item->rule);
    LL_JSON_STR(json, "name", item->name);
    ll_jsonw_key(json, "fingerprint");
    ll_jsonw_hash(json, item->fingerprint);
    put_state(json, item);
    if (item->other) {
        LL_JSON_BEGIN(json, "before", '{');
        put_state(json, item->other);
        ll_jsonw_end(json, '}');
    }
    ll_jsonw_end(json, '}');
}

/* Begins a file once there is something to write about it. */
static void begin_json_file(ll_diff_page *page)
{
    ll_jsonw json = {&page->out, page->comma};
    ll_jsonw_line(&json);
    page->comma = true;
    ll_jsonw_begin(&json, '{');
    LL_JSON_STR(&json, "file", page->file);
    LL_JSON_PLAIN(&json, "in", WHERE[page->where]);
}

static void put_json(ll_diff_page *page, ll_diff_kind kind, const ll_diff_item *item)
{
    bool more = page->part == kind + 1u;
    if (!page->part) {
        begin_json_file(page);
    }
    if (!more) {
        ll_text_format(&page->out, "%s%s\":[", page->part ? "],\"" : ",\"", KINDS[kind]);
        page->part = kind + 1u;
    }
    ll_jsonw json = {&page->out, more};
    put_item(&json, item);
}

static void put_json_source(ll_jsonw *json, const ll_survey_source *s)
{
    ll_jsonw_begin(json, '{');
    LL_JSON_STR(json, "name", s->input->name);
    ll_jsonw_key(json, "lightlint");
    ll_jsonw_string(json, s->version.data, s->version.length);
    ll_jsonw_key(json, "rules");
    ll_jsonw_string(json, s->rules.data, s->rules.length);
    ll_jsonw_end(json, '}');
}

static void begin_json(ll_diff_page *page)
{
    ll_jsonw json = {&page->out, false};
    ll_jsonw_begin(&json, '{');
    LL_JSON_PLAIN(&json, "type", "sweep-diff");
    LL_JSON_U64(&json, "schema", 1);
    ll_jsonw_key(&json, "old");
    put_json_source(&json, page->sources[0]);
    ll_jsonw_key(&json, "new");
    put_json_source(&json, page->sources[1]);
    LL_JSON_BOOL(&json, "same_version", page->same_version);
    LL_JSON_BOOL(&json, "same_rules", page->same_rules);
    LL_JSON_BEGIN(&json, "files", '[');
}

static void put_json_rule(ll_jsonw *json, const ll_diff_rule *rule)
{
    ll_jsonw_begin(json, '{');
    LL_JSON_STR(json, "rule", rule->id);
    LL_JSON_STR(json, "name", rule->name);
    for (unsigned kind = 0; kind < LL_DIFF_KINDS; kind++) {
        ll_jsonw_name(json, KINDS[kind]);
        ll_jsonw_u64(json, rule->counts[kind]);
    }
    ll_jsonw_end(json, '}');
}

static void end_json(ll_diff_page *page, const ll_diff_rule *rules, size_t count)
{
    const ll_sweep_changes *c = &page->changes;
    ll_jsonw json = {&page->out, true};
    ll_text_char(&page->out, '\n');
    ll_jsonw_end(&json, ']');
    LL_JSON_BEGIN(&json, "rules", '[');
    for (size_t i = 0; i < count; i++) {
        put_json_rule(&json, &rules[i]);
    }
    ll_jsonw_end(&json, ']');
    LL_JSON_BEGIN(&json, "summary", '{');
    LL_JSON_U64(&json, "came", c->came);
    LL_JSON_U64(&json, "went", c->went);
    LL_JSON_U64(&json, "changed", c->changed);
    LL_JSON_U64(&json, "files", c->files);
    LL_JSON_U64(&json, "old_files", c->old_files);
    LL_JSON_U64(&json, "old_findings", c->old_findings);
    LL_JSON_U64(&json, "new_files", c->new_files);
    LL_JSON_U64(&json, "new_findings", c->new_findings);
    ll_jsonw_end(&json, '}');
    ll_jsonw_end(&json, '}');
    ll_text_char(&page->out, '\n');
}

/* ------------------------------------------------------------------ examples */

static void put_example(ll_diff_page *page, ll_diff_rule *rule, ll_diff_kind kind, const ll_diff_item *item)
{
    const style *look = style_of(page);
    ll_text *out = &page->body;
    if (rule->shown++ >= EXAMPLES) {
        return;
    }
    if (!page->part) {
        page->part = 1;
        ll_text_str(out, look->file);
        put_words(page, out, page->file);
        ll_text_str(out, look->file_words);
    }
    ll_text_str(out, look->example[kind]);
    put_rule(page, out, rule);
    ll_text_char(out, ' ');
    if (item->other) {
        put_differences(page, out, item->other, item);
    } else {
        put_words(page, out, item->severity);
    }
    ll_text_str(out, ": ");
    put_words(page, out, item->message);
    ll_text_str(out, look->example_end);
}

static void put_name(ll_diff_page *page, uint64_t findings)
{
    unsigned which = page->where == LL_DIFF_NEW;
    ll_text *out = &page->lists[which];
    if ((which ? page->changes.new_files : page->changes.old_files) > NAMES) {
        return;
    }
    ll_text_str(out, style_of(page)->item);
    put_words(page, out, page->file);
    ll_text_str(out, " (");
    ll_count_text(out, findings, "finding");
    ll_text_str(out, ")");
    ll_text_str(out, style_of(page)->item_end);
}

/* ------------------------------------------------------------------ text, Markdown, HTML */

/* Writes a bar per kind, one below the other; none if `most` is 0. */
static void put_bars(ll_text *out, const uint64_t counts[LL_DIFF_KINDS], uint64_t most)
{
    ll_text_str(out, "</td><td class=\"chart\">");
    for (unsigned kind = 0; most && kind < LL_DIFF_KINDS; kind++) {
        ll_text_format(out, "<span class=\"%s\">", KINDS[kind]);
        ll_html_bar(out, counts[kind], most);
        ll_text_str(out, "</span>");
    }
    ll_text_str(out, "</td>");
}

static void put_row(ll_diff_page *page, const ll_diff_rule *rule, uint64_t most)
{
    ll_text *out = &page->out;
    bool text = page->format == LL_DIFF_TEXT;
    ll_text_str(out, style_of(page)->row);
    size_t at = out->length;
    put_rule(page, out, rule);
    size_t width = out->length - at;
    ll_text_repeat(out, ' ', text && width < RULE_WIDTH ? RULE_WIDTH - width : 0);
    for (unsigned kind = 0; kind < LL_DIFF_KINDS; kind++) {
        ll_text_format(out, "%s%*" PRIu64, style_of(page)->number, text ? COUNT_WIDTH : 0, rule->counts[kind]);
    }
    if (page->format == LL_DIFF_HTML) {
        put_bars(out, rule->counts, most);
    }
    ll_text_str(out, style_of(page)->row_end);
}

static void put_table(ll_diff_page *page, const ll_diff_rule *rules, size_t count)
{
    const ll_sweep_changes *c = &page->changes;
    uint64_t most = 0;
    if (!count) {
        return;
    }
    if (page->format == LL_DIFF_TEXT) {
        ll_text_format(&page->out, "\n%-*s      came      went   changed\n", RULE_WIDTH, "rule");
    } else {
        ll_text_str(&page->out, style_of(page)->table);
    }
    for (size_t i = 0; i < count * LL_DIFF_KINDS; i++) {
        uint64_t n = rules[i / LL_DIFF_KINDS].counts[i % LL_DIFF_KINDS];
        most = n > most ? n : most;
    }
    for (size_t i = 0; i < count; i++) {
        put_row(page, &rules[i], most);
    }
    put_row(page, &(ll_diff_rule){"in all", "", {c->came, c->went, c->changed}, 0}, 0);
    ll_text_str(&page->out, style_of(page)->table_end);
}

static void put_rest(ll_diff_page *page, const ll_diff_rule *rules, size_t count)
{
    const style *look = style_of(page);
    ll_text *out = &page->out;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t more = rules[i].shown > EXAMPLES ? rules[i].shown - EXAMPLES : 0;
        if (more) {
            ll_text_format(out, "%s%s%" PRIu64 " more of ", any ? "" : look->list, look->more, more);
            put_rule(page, out, &rules[i]);
            ll_text_format(out, "; --format json has all%s", look->item_end);
            any = true;
        }
    }
    ll_text_str(out, any ? look->list_end : "");
}

static void put_list(ll_diff_page *page, unsigned which)
{
    const style *look = style_of(page);
    const ll_sweep_changes *c = &page->changes;
    ll_text *out = &page->out;
    uint64_t files = which ? c->new_files : c->old_files;
    if (!files) {
        return;
    }
    ll_text_str(out, look->lists[which]);
    ll_count_text(out, files, "file");
    ll_text_str(out, ", ");
    ll_count_text(out, which ? c->new_findings : c->old_findings, "finding");
    ll_text_str(out, look->lists_end);
    ll_text_put(out, page->lists[which].data, page->lists[which].length);
    if (files > NAMES) {
        ll_text_format(out, "%s%s%" PRIu64 " more%s", page->format == LL_DIFF_TEXT ? "  " : "", look->more,
                       files - NAMES, look->item_end);
    }
    ll_text_str(out, look->list_end);
}

static void put_verdict(ll_diff_page *page)
{
    const ll_sweep_changes *c = &page->changes;
    ll_text *out = &page->out;
    bool differs = c->came || c->went || c->changed || c->old_files || c->new_files;
    ll_text_str(out, style_of(page)->verdict);
    ll_text_format(out, "%s: %" PRIu64 " came, %" PRIu64 " went, %" PRIu64 " changed", differs ? "different" : "equal",
                   c->came, c->went, c->changed);
    ll_text_str(out, " in ");
    ll_count_text(out, c->files, "file");
    ll_text_str(out, " of both sweeps");
    ll_text_str(out, style_of(page)->verdict_end);
}

/* ------------------------------------------------------------------ the page */

ll_status ll_diff_begin(ll_diff_page *page)
{
    static const char *const differences[2][2] = {{"The versions and the rules differ.", "The versions differ."},
                                                  {"The rules differ.", ""}};
    page->same_version = same_text(&page->sources[0]->version, &page->sources[1]->version);
    page->same_rules = same_text(&page->sources[0]->rules, &page->sources[1]->rules);
    if (page->format == LL_DIFF_JSON) {
        begin_json(page);
        return flush(page);
    }
    const style *look = style_of(page);
    if (page->format == LL_DIFF_HTML) {
        ll_html_begin(&page->out, "Sweeps compared");
    }
    ll_text_str(&page->out, look->title);
    put_source(page, 0, &page->out);
    put_source(page, 1, &page->out);
    ll_text_str(&page->out, look->sources_end);
    if (!page->same_version || !page->same_rules) {
        ll_text_format(&page->out, "%s%s%s", look->differ, differences[page->same_version][page->same_rules],
                       look->differ_end);
    }
    return flush(page);
}

void ll_diff_begin_file(ll_diff_page *page, const char *file, ll_diff_where where)
{
    page->file = file;
    page->where = where;
    page->part = 0;
}

void ll_diff_put(ll_diff_page *page, ll_diff_rule *rule, ll_diff_kind kind, const ll_diff_item *item)
{
    if (page->format == LL_DIFF_JSON) {
        put_json(page, kind, item);
    } else {
        put_example(page, rule, kind, item);
    }
}

void ll_diff_list(ll_diff_page *page, const ll_diff_item *items, uint32_t count)
{
    if (page->format != LL_DIFF_JSON) {
        put_name(page, count);
        return;
    }
    begin_json_file(page);
    page->part = 1;
    ll_text_str(&page->out, ",\"findings\":[");
    ll_jsonw json = {&page->out, false};
    for (uint32_t i = 0; i < count; i++) {
        put_item(&json, &items[i]);
    }
}

ll_status ll_diff_end_file(ll_diff_page *page)
{
    if (page->format != LL_DIFF_JSON) {
        ll_text_str(&page->body, page->part ? style_of(page)->file_end : "");
        return page->body.failed ? LL_E_MEMORY : LL_OK;
    }
    ll_text_str(&page->out, page->part ? "]}" : "");
    return flush(page);
}

ll_status ll_diff_end(ll_diff_page *page, const ll_diff_rule *rules, size_t count)
{
    if (page->format == LL_DIFF_JSON) {
        end_json(page, rules, count);
        return flush(page);
    }
    if (page->format == LL_DIFF_HTML) {
        put_verdict(page); /* at the top: only the sources were written so far */
    }
    put_table(page, rules, count);
    ll_text_put(&page->out, page->body.data, page->body.length);
    put_rest(page, rules, count);
    put_list(page, 0);
    put_list(page, 1);
    if (page->format == LL_DIFF_HTML) {
        ll_html_end(&page->out);
    } else {
        put_verdict(page);
    }
    return flush(page);
}
