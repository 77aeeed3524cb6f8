/* Writes the formats `html` and `markdown`: a page with the verdict, tables, and the findings of each file. HTML has
 * each finding in full with the bytes around it, and plans; Markdown has a line for each, the severest first, for the
 * summary of a GitHub Actions step and for comments.
 *
 * Tables come first but are known last, so the page is held until the end. It is limited to a size that browsers open
 * well, or that GitHub accepts (1 MiB), and says what it leaves out. */
#include "output/emit/counts.h"
#include "output/emit/html_finding.h"
#include "output/html/plan.h"

/* Limits of a page; a group of findings counts as one. */
typedef struct limits {
    uint32_t per_file; /* findings shown of a file, */
    uint64_t findings; /* and of all */
    size_t body;       /* bytes of the part by file without plans, */
    size_t plans;      /* of the plans, */
    size_t table;      /* and of the table by rule, roughly */
} limits;

static bool is_html(const ll_emitter *emitter)
{
    return emitter->format->printer == &ll_outline_html;
}

static const limits *limits_of(const ll_emitter *emitter)
{
    static const limits html = {1000, 5000, 20 << 20, 4 << 20, SIZE_MAX};
    static const limits markdown = {10, UINT64_MAX, 900000, 0, 90000};
    return is_html(emitter) ? &html : &markdown;
}

enum { BY_SEVERITY, BY_RULE, BY_FILE, TABLES };

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
    ll_text_str(names, report->is_second ? " together with other files" : "");
    uint64_t start = ll_report_start(report); /* members of an archive may share a path */
    uint64_t hash = ll_fnv(LL_FNV_START, &start, sizeof start);
    uint64_t anchor = names->failed ? 0 : ll_fnv(hash, names->data + from, names->length - from) | 1;
    ll_text_format(names, "\n#part-%" PRIu64, anchor);
    ll_text_char(names, '\0');
    ll_outline_open_at(tree, LL_NODE_HEADING, anchor);
    ll_name_text(report, &tree->words);
    ll_outline_piece(tree, LL_NODE_CODE);
    ll_text_str(&tree->words, report->is_second ? " together with other files" : "");
    ll_outline_open(tree, LL_NODE_PARAGRAPH, "muted");
    ll_text_format(&tree->words, "%s, ", ll_report_format(report));
    ll_count_text(&tree->words, report->size, "byte");
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

/* Counts a finding, or a group, by severity and by rule. */
static void count_finding(const ll_emitter *emitter, ll_walk *walk, ll_chunk *chunk)
{
    const ll_entry *entry = &walk->report->entries[walk->entry];
    ll_text *key = &chunk->scratch;
    ll_text_clear(key);
    ll_text_str(key, ll_severity_text((ll_severity)entry->severity));
    walk->status = ll_counts_note(chunk, BY_SEVERITY, key, walk->times);
    ll_text_clear(key);
    ll_counts_rule_key(emitter, ll_rule_at(walk->report->rules, entry->rule), entry->severity, key);
    walk->status = walk->status == LL_OK ? ll_counts_note(chunk, BY_RULE, key, walk->times) : walk->status;
    ll_text_clear(key);
}

/* Puts the findings of a walk up to the limit and counts all. Returns how many are shown; subtracts them from *left. */
static uint32_t put_findings(const ll_emitter *emitter, ll_walk *walk, ll_outline *tree, ll_chunk *chunk,
                             uint64_t *left)
{
    uint32_t shown = 0;
    for (unsigned severity = LL_ERROR; severity >= LL_NOTE; severity--) {
        walk->next = 0;
        walk->severities = is_html(emitter) ? LL_ALL_SEVERITIES : 1U << severity;
        for (; shown < limits_of(emitter)->per_file && ll_walk_next(walk); shown++) {
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
        if (is_html(emitter)) {
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
    if (!report->is_second && !report->is_text && ll_space_plan(report, out)) {
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
static bool keep_file(run *r, const limits *most, const ll_piece *piece, const char *text, const char *key)
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
        kept = keep_file(r, limits_of(emitter), piece, text, chunk->names.data + piece->name);
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
    "<span class=\"hex\"><i>dotted below</i></span> its related place. Colours tell what fields are for: "
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
    static const ll_counts_head by_severity = {"By severity", {{"severity", LL_CELL_WORDS}}, .files = true};
    static const ll_counts_head by_file = {
        "By file", {{"severity", LL_CELL_WORDS}, {"file", LL_CELL_NAME}}, .files = false};
    run *r = emitter->state;
    ll_text *out = &emitter->out;
    bool any = r->tables[BY_RULE].rows.count;
    ll_outline tree;
    ll_outline_init(&tree, emitter->format->printer, NULL, &emitter->allocator);
    ll_outline_title(&tree, titles[exit_code >= 0 && exit_code < 2 ? exit_code : 2]);
    ll_emit_verdict_node(emitter, &tree);
    put_left(r, &tree);
    if (is_html(emitter)) {
        ll_counts_outline(&r->tables[BY_SEVERITY], &by_severity, SIZE_MAX, &tree);
    }
    ll_counts_outline(&r->tables[BY_RULE], &ll_counts_by_rule,
                      rows_within(&r->tables[BY_RULE], limits_of(emitter)->table), &tree);
    if (is_html(emitter) && r->tables[BY_FILE].rows.count > 1) {
        ll_counts_outline(&r->tables[BY_FILE], &by_file, SIZE_MAX, &tree);
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
