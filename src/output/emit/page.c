/* Writes the formats `html`, `markdown` and `statistics...`: a page with the verdict, tables, and the findings of each
 * file, of which statistics have none: their memory grows with the rules, fields and records that have findings. HTML
 * has each finding in full with the bytes around it, and plans; Markdown has a line for each, the severest first, for
 * the summary of a GitHub Actions step and for comments.
 *
 * Tables come first but are known last, so the page is held until the end. It is limited to a size that browsers open
 * well, or that GitHub accepts (1 MiB), and says what it leaves out. */
#include "output/emit/counts.h"
#include "output/emit/html_finding.h"
#include "output/html/plan.h"

#include "model/value.h"

enum { BY_SEVERITY, BY_RULE, BY_FIELD, BY_RECORD, BY_FILE, TABLES };

/* What a page shows, and its limits; a group of findings counts as one. */
typedef struct page_kind {
    uint32_t per_file; /* findings shown of a file, */
    uint64_t findings; /* and of all */
    size_t body;       /* bytes of the part by file without plans, */
    size_t plans;      /* of the plans, */
    size_t table;      /* and of the table by rule, roughly */
    unsigned tables;   /* bit set */
} page_kind;

static bool is_html(const ll_emitter *emitter)
{
    return emitter->format == &ll_emit_html;
}

static const page_kind *kind_of(const ll_emitter *emitter)
{
    static const page_kind html = {1000,    5000,     20 << 20,
                                   4 << 20, SIZE_MAX, 1U << BY_SEVERITY | 1U << BY_RULE | 1U << BY_FILE};
    static const page_kind markdown = {10, UINT64_MAX, 900000, 0, 90000, 1U << BY_RULE};
    static const page_kind statistics = {0, 0, 0, 0, SIZE_MAX, 1U << BY_RULE | 1U << BY_FIELD | 1U << BY_RECORD};
    return is_html(emitter) ? &html : emitter->format == &ll_emit_markdown ? &markdown : &statistics;
}

typedef struct run {
    ll_text body; /* the part by file */
    ll_counts tables[TABLES];
    uint64_t shown; /* findings */
    size_t plans;   /* bytes of the plans in `body` */
    uint64_t left_files, left_findings, left_plans;
    bool full; /* nothing more is shown */
} run;

/* ------------------------------------------------------------------ one report */

/* Puts the heading of a file, and appends its key in the table by file to the chunk's names. */
static void put_file(ll_report *report, ll_outline *tree, ll_text *names)
{
    const ll_summary *s = &report->summary;
    unsigned worst = s->errors ? LL_ERROR : s->warnings ? LL_WARNING : LL_NOTE;
    ll_text_format(names, "%s\t", ll_severity_text((ll_severity)worst));
    size_t from = names->length;
    ll_name_text(report, names);
    ll_text_str(names, report->file.is_second ? " together with other files" : "");
    uint64_t start = ll_report_start(report); /* members of an archive may share a path */
    uint64_t hash = ll_fnv(LL_FNV_START, &start, sizeof start);
    uint64_t anchor = names->failed ? 0 : ll_fnv(hash, names->data + from, names->length - from) | 1;
    ll_text_format(names, "\n#part-%" PRIu64, anchor);
    ll_text_char(names, '\0');
    ll_outline_open_at(tree, LL_NODE_HEADING, anchor);
    ll_name_text(report, &tree->words);
    ll_outline_piece(tree, LL_NODE_CODE);
    ll_text_str(&tree->words, report->file.is_second ? " together with other files" : "");
    ll_outline_open(tree, LL_NODE_PARAGRAPH, "muted");
    ll_text_format(&tree->words, "%s, ", ll_report_format(report));
    ll_count_text(&tree->words, report->file.size, "byte");
    ll_text_str(&tree->words, ": ");
    ll_severities_text(s->errors, s->warnings, s->notes, &tree->words);
}

/* **error** GRX012 name-hash at `+0x10..0x14`, `entry[0].hash`: Title; found `x`, expected `y` (3 times in this file)
 */
static void put_line(const ll_walk *walk, ll_outline *tree)
{
    const ll_finding *f = &walk->finding;
    ll_text *out = &tree->words;
    ll_outline_open(tree, LL_NODE_ITEM, NULL);
    ll_text_str(out, ll_severity_text(f->severity));
    ll_outline_piece(tree, LL_NODE_MARK);
    ll_text_format(out, " %s %s at ", f->id, f->name);
    ll_outline_piece(tree, LL_NODE_WORDS);
    ll_position_text(walk->report, out);
    ll_outline_piece(tree, LL_NODE_CODE);
    const char *const codes[][2] = {{", ", f->path}, {"; found ", f->found}, {"; expected ", f->expected}};
    for (unsigned i = 0; i < 3; i++) {
        if (codes[i][1][0]) {
            ll_text_str(out, i == 2 && f->found[0] ? ", expected " : codes[i][0]);
            ll_outline_piece(tree, LL_NODE_WORDS);
            ll_text_str(out, codes[i][1]);
            ll_outline_piece(tree, LL_NODE_CODE);
        }
        if (i == 0) {
            ll_text_str(out, ": ");
            ll_text_put(out, f->title, ll_title_length(f->title));
        }
    }
    ll_times_text(walk->times, out);
}

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

/* Severity, the rule with its address, and what is wrong. */
static void put_rule_key(const ll_emitter *emitter, const ll_rule *rule, unsigned severity, ll_text *key)
{
    ll_text_format(key, "%s\t%s %s\n", ll_severity_text((ll_severity)severity), rule->id, rule->name);
    key->length -= !key->failed && !ll_rule_url(emitter, rule->id, rule->name, key);
    ll_text_format(key, "\t%s", rule->title);
}

/* Appends the key of a finding in a table. */
static void put_key(const ll_emitter *emitter, const ll_walk *walk, unsigned table, ll_text *key)
{
    const ll_report *report = walk->report;
    const ll_entry *entry = &report->entries.items[walk->entry];
    const ll_field *field = table == BY_FIELD ? ll_where_field(&report->doc, &entry->at) : NULL;
    if (table == BY_SEVERITY) {
        ll_text_str(key, ll_severity_text((ll_severity)entry->severity));
    } else if (table == BY_RULE) {
        put_rule_key(emitter, ll_rule_at(report->rules, entry->rule), entry->severity, key);
    } else {
        ll_text_str(key, record_of(&report->doc, &entry->at));
        ll_text_format(key, "%s%s", field ? "." : "", field ? field->name : "");
    }
}

/* Counts a finding, or a group. */
static void count_finding(const ll_emitter *emitter, ll_walk *walk, ll_chunk *chunk)
{
    ll_text *key = &chunk->scratch;
    for (unsigned table = 0; table < BY_FILE && walk->status == LL_OK; table++) {
        if (kind_of(emitter)->tables >> table & 1) {
            ll_text_clear(key);
            put_key(emitter, walk, table, key);
            walk->status = ll_counts_note(chunk, table, key, walk->times);
        }
    }
    ll_text_clear(key);
}

/* Puts the findings of a walk up to the limit and counts all. Returns how many are shown; subtracts them from *left. */
static uint32_t put_findings(const ll_emitter *emitter, ll_walk *walk, ll_outline *tree, ll_chunk *chunk,
                             uint64_t *left)
{
    uint32_t shown = 0;
    for (unsigned severity = LL_ERROR; severity >= LL_NOTE; severity--) {
        walk->next = 0;
        walk->severities = emitter->format == &ll_emit_markdown ? 1U << severity : LL_ALL_SEVERITIES;
        for (; shown < kind_of(emitter)->per_file && ll_walk_next(walk); shown++) {
            if (is_html(emitter)) {
                ll_html_finding(emitter, walk, &chunk->text, &chunk->scratch);
            } else {
                put_line(walk, tree);
            }
            *left -= walk->times;
            count_finding(emitter, walk, chunk);
        }
        while (ll_walk_next_entry(walk)) {
            count_finding(emitter, walk, chunk);
        }
        if (walk->severities == LL_ALL_SEVERITIES) {
            break;
        }
    }
    return shown;
}

/* Writes the plan from above of a file with findings. Returns its bytes. */
static size_t put_plan(ll_report *report, ll_text *out)
{
    static const char head[] =
        "<h3>From above</h3>\n<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"Plan\">\n";
    size_t from = out->length;
    ll_text_str(out, head);
    if (!report->file.is_second && !report->file.is_text && ll_space_plan(report, NULL, out)) {
        ll_text_str(out, "</div>\n");
    } else if (!out->failed) {
        out->length = from;
    }
    return out->length - from;
}

/* A chunk has a piece for each file: name is the offset of its key in the chunk's names, plain the bytes of the plan at
 * its end, key the findings that are shown. */
static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    const ll_summary *s = &report->summary;
    uint64_t left = s->errors + s->warnings + s->notes;
    ll_text *out = &chunk->text;
    if (!left) {
        return LL_OK;
    }
    ll_outline tree;
    ll_walk walk = ll_walk_groups(emitter, report);
    if (!kind_of(emitter)->per_file) {
        (void)put_findings(emitter, &walk, NULL, chunk, &left);
        return walk.status;
    }
    ll_piece piece = {.findings = left, .name = chunk->names.length, .file = chunk->file};
    size_t from = out->length;
    ll_outline_init(&tree, emitter->format->printer, NULL, &chunk->allocator);
    put_file(report, &tree, &chunk->names);
    if (!is_html(emitter)) {
        ll_outline_open(&tree, LL_NODE_LIST, NULL);
    }
    ll_outline_print(&tree, out);
    piece.key = put_findings(emitter, &walk, &tree, chunk, &left);
    if (left) {
        ll_outline_open(&tree, LL_NODE_PARAGRAPH, NULL);
        ll_text_format(&tree.words, "and %" PRIu64 " more", left);
    }
    ll_outline_print(&tree, out);
    ll_outline_free(&tree);
    piece.plain = is_html(emitter) && walk.status == LL_OK && !out->failed ? put_plan(report, out) : 0;
    piece.length = out->length - from;
    ll_piece *added = LL_ARRAY_ADD(&chunk->pieces, &chunk->allocator);
    if (added) {
        *added = piece;
    }
    return added ? walk.status : LL_E_MEMORY;
}

/* ------------------------------------------------------------------ the run */

static void open_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    ll_text_init(&r->body, &emitter->allocator);
    for (unsigned i = 0; i < TABLES; i++) {
        ll_counts_init(&r->tables[i], &emitter->allocator);
    }
}

static void close_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    ll_text_free(&r->body);
    for (unsigned i = 0; i < TABLES; i++) {
        ll_counts_free(&r->tables[i]);
    }
}

/* Keeps a file if there is room. Plans have a limit of their own, so that they displace no findings. */
static bool keep_file(run *r, const page_kind *most, const ll_piece *piece, const char *text, const char *key)
{
    size_t length = piece->length - piece->plain;
    r->full = r->full || piece->key > most->findings - r->shown || r->body.length - r->plans + length > most->body;
    if (r->full) {
        r->left_files++;
        r->left_findings += piece->findings;
        return true;
    }
    bool fits = piece->plain <= most->plans - r->plans;
    r->left_plans += !fits;
    ll_text_put(&r->body, text, fits ? piece->length : length);
    r->plans += fits ? piece->plain : 0;
    r->shown += piece->key;
    uint64_t hash = ll_fnv(LL_FNV_START, key, strlen(key));
    return ll_counts_add(&r->tables[BY_FILE], hash, key, strlen(key), piece->findings, piece->file);
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    run *r = emitter->state;
    const char *text = chunk->text.data;
    bool kept = true;
    for (size_t i = 0; i < chunk->pieces.count && kept; i++) {
        const ll_piece *piece = &chunk->pieces.items[i];
        kept = keep_file(r, kind_of(emitter), piece, text, chunk->names.data + piece->name);
        text += piece->length;
    }
    return kept && !r->body.failed ? ll_counts_commit(r->tables, chunk) : LL_E_MEMORY;
}

/* ------------------------------------------------------------------ the page */

static void put_left(const run *r, ll_outline *tree)
{
    ll_text *out = &tree->words;
    if (r->full) {
        ll_outline_open(tree, LL_NODE_PARAGRAPH, "warning");
        ll_text_str(out, "The page is full:");
        ll_outline_piece(tree, LL_NODE_STRONG);
        ll_text_char(out, ' ');
        ll_count_text(out, r->left_findings, "finding");
        ll_text_str(out, " in ");
        ll_count_text(out, r->left_files, "file");
        ll_text_str(out, " not shown. The tables count them, and other formats have them.");
    }
    if (r->left_plans) {
        ll_outline_open(tree, LL_NODE_PARAGRAPH, NULL);
        ll_text_str(out, "Not drawn, as the page would be too large: ");
        ll_count_text(out, r->left_plans, "plan");
        ll_text_str(out, ".");
    }
}

/* How many rows the table by rule may have, whose texts are at most twice as long when they are escaped. */
static size_t rows_within(ll_counts *rules, size_t bytes)
{
    size_t rows = 0;
    ll_counts_sort(rules);
    for (size_t sum = 0; rows < rules->rows.count && sum < bytes; rows++) {
        sum += 2 * rules->rows.items[rows].length + 64;
    }
    return rows;
}

static const char legend[] =
    "<p class=\"muted\">In the bytes: <span class=\"hex\"><b>bold and underlined</b></span> what the finding is about, "
    "<span class=\"hex\"><i>dotted below</i></span> its related place. Colours show the role of a field: "
    "<span class=\"role-magic\">magic</span>, <span class=\"role-size\">size</span>, <span "
    "class=\"role-count\">count</span>, "
    "<span class=\"role-offset\">offset</span>, <span class=\"role-hash\">hash</span>, <span "
    "class=\"role-string\">text</span>, "
    "<span class=\"role-terminator\">end mark</span>, <span class=\"role-padding\">padding, reserved</span>, "
    "<span class=\"role-gap\">gap, not read</span>. What <code>lightlint fix</code> may do by itself is a safe "
    "patch.</p>\n";

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    static const char *const titles[] = {"lightlint: passed", "lightlint: failed",
                                         "lightlint: not everything was checked"};
    static const ll_counts_head heads[TABLES] = {
        [BY_SEVERITY] = {"By severity", {{"severity", LL_CELL_WORDS}}, .files = true},
        [BY_RULE] = {"By rule",
                     {{"severity", LL_CELL_WORDS}, {"rule", LL_CELL_NAME}, {"what is wrong", LL_CELL_WORDS}},
                     .files = true},
        [BY_FIELD] = {"By field", {{"field", LL_CELL_NAME}}, .files = true},
        [BY_RECORD] = {"By record", {{"record", LL_CELL_NAME}}, .files = true},
        [BY_FILE] = {"By file", {{"severity", LL_CELL_WORDS}, {"file", LL_CELL_NAME}}, .files = false},
    };
    run *r = emitter->state;
    ll_text *out = &emitter->out;
    bool any = r->tables[BY_RULE].rows.count;
    ll_outline tree;
    ll_outline_init(&tree, emitter->format->printer, &emitter->options.terminal, &emitter->allocator);
    ll_outline_title(&tree, titles[exit_code >= 0 && exit_code < 2 ? exit_code : 2]);
    ll_emit_verdict_node(emitter, &tree);
    put_left(r, &tree);
    for (unsigned i = 0; i < TABLES; i++) {
        size_t most = i == BY_RULE ? rows_within(&r->tables[i], kind_of(emitter)->table) : SIZE_MAX;
        bool shown = kind_of(emitter)->tables >> i & 1 && r->tables[i].rows.count > (i == BY_FILE);
        ll_counts_outline(&r->tables[i], &heads[i], shown ? most : 0, &tree);
    }
    ll_outline_print(&tree, out);
    ll_text_str(out, any && is_html(emitter) ? legend : "");
    (void)ll_emit_text(emitter, out);
    (void)ll_emit_text(emitter, &r->body);
    ll_outline_finish(&tree, out);
    ll_outline_free(&tree);
    return LL_OK;
}

#define PAGE(row, print, html)                                                                                         \
    const ll_emit_format ll_emit_##row = {.state_size = sizeof(run),                                                   \
                                          .printer = &print,                                                           \
                                          .open = open_run,                                                            \
                                          .close = close_run,                                                          \
                                          .render = render,                                                            \
                                          .commit = commit,                                                            \
                                          .folds = true,                                                               \
                                          .patches = html,                                                             \
                                          .for_people = html,                                                          \
                                          .finish = finish}
PAGE(html, ll_outline_html, true);
PAGE(markdown, ll_outline_markdown, false);
PAGE(statistics, ll_outline_text, false);
PAGE(statistics_markdown, ll_outline_markdown, false);
PAGE(statistics_html, ll_outline_html, false);
PAGE(statistics_json, ll_outline_json, false);
