/* Writes the changes between two sweeps as a report, or all of them as JSON (docs/schema/sweep.schema.json). JSON is
 * written as it comes; a report begins with counts, known last, so a few examples per rule are held until then. */
#include "survey/sweep_diff.h"

#include "findings/words.h"

enum { EXAMPLES = 5, NAMES = 10 };

static const char *const KINDS[] = {"came", "went", "changed"};
static const char *const WHERE[] = {"both", "old", "new"};

/* ------------------------------------------------------------------ life */

static ll_outline *const *trees_of(ll_diff_page *page, ll_outline *out[4])
{
    out[0] = &page->tree;
    out[1] = &page->body;
    out[2] = &page->lists[0];
    out[3] = &page->lists[1];
    return out;
}

static ll_status flush(ll_diff_page *page)
{
    return ll_send_text(&page->out, 0, page->write, page->ctx);
}

bool ll_diff_open(ll_diff_page *page, const ll_allocator *allocator, const char *format, ll_write_fn write, void *ctx)
{
    bool json = format && strcmp(format, "json") == 0;
    *page = (ll_diff_page){.printer = json ? NULL : ll_outline_printer_named(format), .write = write, .ctx = ctx};
    ll_outline *trees[4];
    for (size_t i = 0; i < 4; i++) {
        ll_outline_init(trees_of(page, trees)[i], page->printer, NULL, allocator);
    }
    ll_text_init(&page->out, allocator);
    return json || page->printer;
}

void ll_diff_close(ll_diff_page *page)
{
    ll_outline *trees[4];
    for (size_t i = 0; i < 4; i++) {
        ll_outline_free(trees_of(page, trees)[i]);
    }
    ll_text_free(&page->out);
}

static bool same_text(const ll_text *a, const ll_text *b)
{
    return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
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

static void put_words(ll_text *out, const char *words)
{
    ll_text_escape(out, words, strlen(words));
}

static void put_rule(ll_text *out, const ll_diff_rule *rule)
{
    put_words(out, rule->id);
    ll_text_str(out, rule->name[0] ? " " : "");
    put_words(out, rule->name);
}

/* Appends what differs between two findings. */
static void put_differences(ll_text *out, const ll_diff_item *a, const ll_diff_item *b)
{
    bool severity = strcmp(a->severity, b->severity) != 0;
    bool place = a->offset != b->offset || a->length != b->length;
    bool path = strcmp(a->path, b->path) != 0;
    if (severity) {
        put_words(out, a->severity);
        ll_text_str(out, " -> ");
    }
    put_words(out, b->severity);
    if (place) {
        ll_text_str(out, ", ");
        ll_place_text(a->offset, a->length, out);
        ll_text_str(out, " -> ");
        ll_place_text(b->offset, b->length, out);
    }
    if (path) {
        ll_text_str(out, ", ");
        put_words(out, a->path);
        ll_text_str(out, " -> ");
        put_words(out, b->path);
    }
    if (!severity && !place && !path) {
        ll_text_str(out, ", message changed");
    }
}

static void put_example(ll_diff_page *page, ll_diff_rule *rule, ll_diff_kind kind, const ll_diff_item *item)
{
    ll_outline *tree = &page->body;
    ll_text *out = &tree->words;
    if (rule->shown++ >= EXAMPLES) {
        return;
    }
    if (!page->part) {
        page->part = 1;
        ll_outline_open(tree, LL_NODE_HEADING, NULL);
        put_words(out, page->file);
        ll_outline_open(tree, LL_NODE_LIST, NULL);
    }
    ll_outline_open(tree, LL_NODE_ITEM, KINDS[kind]);
    ll_text_str(out, KINDS[kind]);
    ll_outline_piece(tree, LL_NODE_MARK);
    ll_text_str(out, ": ");
    put_rule(out, rule);
    ll_text_char(out, ' ');
    if (item->other) {
        put_differences(out, item->other, item);
    } else {
        put_words(out, item->severity);
    }
    ll_text_str(out, ": ");
    put_words(out, item->message);
}

static void put_name(ll_diff_page *page, uint64_t findings)
{
    unsigned which = page->where == LL_DIFF_NEW;
    ll_outline *tree = &page->lists[which];
    if ((which ? page->changes.new_files : page->changes.old_files) <= NAMES) {
        ll_outline_open(tree, LL_NODE_ITEM, NULL);
        put_words(&tree->words, page->file);
        ll_text_str(&tree->words, " (");
        ll_count_text(&tree->words, findings, "finding");
        ll_text_str(&tree->words, ")");
    }
}

/* ------------------------------------------------------------------ the report */

static void put_row(ll_outline *tree, const ll_diff_rule *rule, uint64_t most)
{
    ll_outline_open(tree, LL_NODE_ROW, NULL);
    ll_outline_cell(tree);
    put_rule(&tree->words, rule);
    for (unsigned kind = 0; kind < LL_DIFF_KINDS; kind++) {
        ll_outline_number(tree, rule->counts[kind]);
    }
    ll_outline_cell(tree);
    for (unsigned kind = 0; most && kind < LL_DIFF_KINDS; kind++) {
        ll_outline_value(tree, LL_NODE_BAR, KINDS[kind], rule->counts[kind], most);
    }
}

static void put_table(ll_diff_page *page, const ll_diff_rule *rules, size_t count)
{
    static const ll_outline_column heads[] = {{"rule", LL_CELL_NAME},
                                              {"came", LL_CELL_NUMBER},
                                              {"went", LL_CELL_NUMBER},
                                              {"changed", LL_CELL_NUMBER},
                                              {"came, went, changed", LL_CELL_CHART}};
    const ll_sweep_changes *c = &page->changes;
    uint64_t most = 0;
    if (!count) {
        return;
    }
    for (size_t i = 0; i < count * LL_DIFF_KINDS; i++) {
        uint64_t n = rules[i / LL_DIFF_KINDS].counts[i % LL_DIFF_KINDS];
        most = n > most ? n : most;
    }
    ll_outline_open(&page->tree, LL_NODE_HEADING, NULL);
    ll_text_str(&page->tree.words, "By rule");
    ll_outline_table(&page->tree, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < count; i++) {
        put_row(&page->tree, &rules[i], most);
    }
    put_row(&page->tree, &(ll_diff_rule){"in all", "", {c->came, c->went, c->changed}, 0}, 0);
}

/* Counts the changes of which no example was shown. */
static void put_rest(ll_outline *tree, const ll_diff_rule *rules, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (rules[i].shown > EXAMPLES) {
            if (!any) {
                ll_outline_open(tree, LL_NODE_LIST, NULL);
            }
            any = true;
            ll_outline_open(tree, LL_NODE_ITEM, NULL);
            ll_text_format(&tree->words, "and %" PRIu64 " more of ", rules[i].shown - EXAMPLES);
            put_rule(&tree->words, &rules[i]);
            ll_text_str(&tree->words, "; --format json has all");
        }
    }
}

static void put_list(ll_diff_page *page, unsigned which)
{
    const ll_sweep_changes *c = &page->changes;
    ll_text *out = &page->tree.words;
    uint64_t files = which ? c->new_files : c->old_files;
    if (!files) {
        return;
    }
    ll_outline_open(&page->tree, LL_NODE_HEADING, NULL);
    ll_text_format(out, "only in %s: ", which ? "new" : "old");
    ll_count_text(out, files, "file");
    ll_text_str(out, ", ");
    ll_count_text(out, which ? c->new_findings : c->old_findings, "finding");
    ll_outline_open(&page->tree, LL_NODE_LIST, NULL);
    ll_outline_append(&page->tree, &page->lists[which]);
    if (files > NAMES) {
        ll_outline_open(&page->tree, LL_NODE_ITEM, NULL);
        ll_text_format(out, "and %" PRIu64 " more", files - NAMES);
    }
}

static void put_sources(ll_diff_page *page)
{
    static const char *const differences[2][2] = {{"The versions and the rules differ.", "The versions differ."},
                                                  {"The rules differ.", ""}};
    ll_outline *tree = &page->tree;
    ll_outline_open(tree, LL_NODE_LIST, NULL);
    for (unsigned i = 0; i < 2; i++) {
        const ll_survey_source *s = page->sources[i];
        ll_outline_open(tree, LL_NODE_ITEM, NULL);
        ll_text_format(&tree->words, "%s: ", WHERE[1 + i]);
        put_words(&tree->words, s->input->name);
        ll_text_str(&tree->words, " (lightlint ");
        ll_text_escape(&tree->words, s->version.data, s->version.length);
        ll_text_str(&tree->words, ", rules ");
        ll_text_escape(&tree->words, s->rules.data, s->rules.length);
        ll_text_str(&tree->words, ")");
    }
    if (!page->same_version || !page->same_rules) {
        ll_outline_open(tree, LL_NODE_PARAGRAPH, NULL);
        ll_text_str(&tree->words, differences[page->same_version][page->same_rules]);
    }
}

static void put_verdict(ll_diff_page *page)
{
    const ll_sweep_changes *c = &page->changes;
    ll_text *out = &page->tree.words;
    bool differs = c->came || c->went || c->changed || c->old_files || c->new_files;
    ll_outline_open(&page->tree, LL_NODE_VERDICT, NULL);
    ll_text_format(out, "%s: %" PRIu64 " came, %" PRIu64 " went, %" PRIu64 " changed in ",
                   differs ? "different" : "equal", c->came, c->went, c->changed);
    ll_count_text(out, c->files, "file");
    ll_text_str(out, " of both sweeps");
}

/* ------------------------------------------------------------------ what the comparison calls */

ll_status ll_diff_begin(ll_diff_page *page)
{
    page->same_version = same_text(&page->sources[0]->version, &page->sources[1]->version);
    page->same_rules = same_text(&page->sources[0]->rules, &page->sources[1]->rules);
    if (!page->printer) {
        begin_json(page);
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
    if (page->printer) {
        put_example(page, rule, kind, item);
    } else {
        put_json(page, kind, item);
    }
}

void ll_diff_list(ll_diff_page *page, const ll_diff_item *items, uint32_t count)
{
    if (page->printer) {
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
    ll_text_str(&page->out, !page->printer && page->part ? "]}" : "");
    return flush(page);
}

ll_status ll_diff_end(ll_diff_page *page, const ll_diff_rule *rules, size_t count)
{
    ll_outline *tree = &page->tree;
    if (!page->printer) {
        end_json(page, rules, count);
        return flush(page);
    }
    ll_outline_title(tree, "Sweeps compared");
    put_verdict(page);
    put_sources(page);
    put_table(page, rules, count);
    ll_outline_append(tree, &page->body);
    put_rest(tree, rules, count);
    put_list(page, 0);
    put_list(page, 1);
    ll_outline_finish(tree, &page->out);
    return flush(page);
}
