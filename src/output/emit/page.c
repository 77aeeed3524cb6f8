/* Writes the formats `html` and `markdown`: a page with the verdict, tables, and the findings of each file. HTML has
 * each finding in full with the bytes around it, and plans; Markdown has a line for each, the severest first, for the
 * summary of a GitHub Actions step and for comments.
 *
 * Tables come first but are known last, so the page is held until the end. It is limited to a size that browsers open
 * well, or that GitHub accepts (1 MiB), and says what it leaves out. */
#include "output/emit/counts.h"
#include "output/emit/html_finding.h"
#include "output/html/plan.h"

/* What differs between the two. */
typedef struct page_kind {
    bool is_html;
    uint32_t per_file;  /* findings shown of a file, a group counting as one, */
    uint64_t findings;  /* and of all */
    size_t body, plans; /* bytes of the part by file without plans, and of the plans */
    size_t table;       /* bytes of the table by rule, roughly */
} page_kind;

static const page_kind kind_html = {
    .is_html = true, .per_file = 5000, .findings = 5000, .body = 20 << 20, .plans = 4 << 20, .table = SIZE_MAX};
static const page_kind kind_markdown = {
    .is_html = false, .per_file = 10, .findings = UINT64_MAX, .body = 900000, .plans = 0, .table = 90000};

static const page_kind *kind_of(const ll_emitter *emitter)
{
    return emitter->format->printer == &ll_outline_html ? &kind_html : &kind_markdown;
}

/* Kind of a piece of text. */
typedef enum piece_part {
    PART_FILE,    /* heading of a file; its name is in the chunk's `names`, .name bytes long; key: its anchor */
    PART_FINDING, /* a finding; without text if it is not shown */
    PART_REST,    /* says how many findings of a file are not listed */
    PART_PLAN     /* plan of a file, after its findings */
} piece_part;

/* A file that is shown. */
typedef struct row {
    size_t name, length; /* offset and length in run.names */
    uint64_t anchor, found[LL_ERROR + 1];
} row;

typedef struct run {
    ll_text body, names, key;
    ll_counts rules;
    LL_ARRAY(row) files;
    uint64_t severities[LL_ERROR + 1];
    uint64_t shown; /* findings shown, a group counting as one */
    size_t plans;   /* bytes of the plans in `body` */
    uint64_t left_files, left_findings, left_plans;
    bool full;    /* nothing more is shown */
    bool skipped; /* the current file is not shown */
} run;

/* ------------------------------------------------------------------ one report */

/* The report that is rendered. */
typedef struct page {
    const ll_emitter *emitter;
    const page_kind *kind;
    ll_chunk *chunk;
    ll_walk walk;
    ll_outline tree;
    size_t cut; /* start of the next piece */
} page;

/* Makes the text since the last cut a piece. NULL: out of memory. */
static ll_piece *cut(page *p, piece_part part)
{
    ll_chunk *chunk = p->chunk;
    ll_outline_print(&p->tree, &chunk->text);
    ll_piece *piece = LL_ARRAY_ADD(&chunk->pieces, &chunk->allocator);
    chunk->text.failed = chunk->text.failed || !piece;
    if (piece) {
        *piece = (ll_piece){.length = chunk->text.length - p->cut, .part = (uint8_t)part, .file = chunk->file};
    }
    p->cut = chunk->text.length;
    return piece;
}

static void put_file(page *p)
{
    ll_report *report = p->walk.report;
    const ll_summary *s = &report->summary;
    ll_text *out = &p->tree.words;
    ll_text *names = &p->chunk->names;
    size_t from = names->length;
    ll_name_text(report, names);
    ll_text_str(names, report->is_second ? " together with other files" : "");
    size_t length = names->failed ? 0 : names->length - from;
    uint64_t anchor = ll_fnv(LL_FNV_START, length ? names->data + from : "", length) | 1;
    ll_outline_open_at(&p->tree, LL_NODE_HEADING, anchor);
    ll_name_text(report, out);
    ll_outline_piece(&p->tree, LL_NODE_CODE, NULL);
    ll_text_str(out, report->is_second ? " together with other files" : "");
    ll_outline_open(&p->tree, LL_NODE_PARAGRAPH, "muted");
    ll_text_format(out, "%s, ", ll_report_format(report));
    ll_count_text(out, report->size, "byte");
    ll_text_str(out, ": ");
    ll_severities_text(s->errors, s->warnings, s->notes, out);
    if (!p->kind->is_html) {
        ll_outline_open(&p->tree, LL_NODE_LIST, NULL);
    }
    ll_piece *piece = cut(p, PART_FILE);
    if (piece) {
        piece->name = length;
        piece->key = anchor;
    }
}

/* **error** GRX012 name-hash at `+0x10..0x14`, `entry[0].hash`: Title; found `x`, expected `y` (3 times in this file)
 */
static void put_line(const ll_walk *walk, ll_outline *tree)
{
    const ll_finding *f = &walk->finding;
    ll_text *out = &tree->words;
    ll_outline_open(tree, LL_NODE_ITEM, NULL);
    ll_text_str(out, ll_severity_text(f->severity));
    ll_outline_piece(tree, LL_NODE_MARK, NULL);
    ll_text_format(out, " %s %s at ", f->id, f->name);
    ll_outline_piece(tree, LL_NODE_WORDS, NULL);
    ll_position_text(walk->report, out);
    ll_outline_piece(tree, LL_NODE_CODE, NULL);
    const char *const codes[][2] = {{", ", f->path}, {"; found ", f->found}, {"; expected ", f->expected}};
    for (unsigned i = 0; i < 3; i++) {
        if (codes[i][1][0]) {
            ll_text_str(out, i == 2 && f->found[0] ? ", expected " : codes[i][0]);
            ll_outline_piece(tree, LL_NODE_WORDS, NULL);
            ll_text_str(out, codes[i][1]);
            ll_outline_piece(tree, LL_NODE_CODE, NULL);
        }
        if (i == 0) {
            ll_text_str(out, ": ");
            ll_text_put(out, f->title, ll_title_length(f->title));
        }
    }
    ll_times_text(walk->times, out);
}

static void note_finding(page *p)
{
    const ll_entry *entry = &p->walk.report->entries[p->walk.entry];
    ll_piece *piece = cut(p, PART_FINDING);
    if (piece) {
        piece->rule = ll_rule_at(p->walk.report->rules, entry->rule);
        piece->severity = entry->severity;
        piece->findings = p->walk.times;
    }
}

/* Puts the findings of some severities; those behind the limit are counted. Subtracts those that are shown from
 * *left. */
static void put_findings(page *p, unsigned severities, uint32_t *shown, uint64_t *left)
{
    p->walk.next = 0;
    p->walk.severities = severities;
    while (*shown < p->kind->per_file && !p->chunk->text.failed && ll_walk_next(&p->walk)) {
        if (p->kind->is_html) {
            ll_html_finding(p->emitter, &p->walk, &p->chunk->text, &p->chunk->scratch);
        } else {
            put_line(&p->walk, &p->tree);
        }
        note_finding(p);
        (*shown)++;
        *left -= p->walk.times;
        p->cut = ll_chunk_pass_on(p->chunk) ? 0 : p->cut;
    }
    while (!p->chunk->text.failed && ll_walk_next_entry(&p->walk)) {
        note_finding(p);
    }
}

/* Writes the plan from above of a file with findings. */
static void put_plan(page *p)
{
    static const char head[] =
        "<h3>From above</h3>\n<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"Plan\">\n";
    ll_report *report = p->walk.report;
    ll_text *out = &p->chunk->text;
    ll_text_str(out, head);
    if (!report->is_second && !report->is_text && ll_space_plan(report, out)) {
        ll_text_str(out, "</div>\n");
        (void)cut(p, PART_PLAN);
    } else if (!out->failed) {
        out->length = p->cut;
    }
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    const ll_summary *s = &report->summary;
    uint32_t shown = 0;
    uint64_t left = s->errors + s->warnings + s->notes;
    if (!left) {
        return LL_OK;
    }
    page p = {.emitter = emitter,
              .kind = kind_of(emitter),
              .chunk = chunk,
              .walk = ll_walk_groups(emitter, report),
              .cut = chunk->text.length};
    ll_outline_init(&p.tree, emitter->format->printer, NULL, &chunk->allocator);
    put_file(&p);
    if (p.kind->is_html) {
        put_findings(&p, LL_ALL_SEVERITIES, &shown, &left);
    }
    for (unsigned severity = LL_ERROR; severity >= LL_NOTE && !p.kind->is_html; severity--) {
        put_findings(&p, 1U << severity, &shown, &left);
    }
    if (left && !p.kind->is_html) {
        ll_outline_open(&p.tree, LL_NODE_ITEM, NULL);
        ll_text_format(&p.tree.words, "and %" PRIu64 " more", left);
        (void)cut(&p, PART_REST);
    }
    if (p.walk.status == LL_OK && !chunk->text.failed && p.kind->is_html) {
        put_plan(&p);
    }
    ll_outline_free(&p.tree);
    return p.walk.status;
}

/* ------------------------------------------------------------------ the run */

static void open_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    ll_text_init(&r->body, &emitter->allocator);
    ll_text_init(&r->names, &emitter->allocator);
    ll_text_init(&r->key, &emitter->allocator);
    ll_counts_init(&r->rules, &emitter->allocator);
}

static void close_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    ll_text_free(&r->body);
    ll_text_free(&r->names);
    ll_text_free(&r->key);
    ll_counts_free(&r->rules);
    LL_ARRAY_FREE(&r->files, &emitter->allocator);
}

/* Counts a finding by rule: its severity, the rule with its address, and what is wrong. */
static void count_finding(ll_emitter *emitter, const ll_piece *piece)
{
    run *r = emitter->state;
    const ll_rule *rule = piece->rule;
    uint64_t hash = ll_map_hash(piece->severity);
    hash = ll_map_hash_bytes(hash, rule->id, strlen(rule->id));
    hash = ll_map_hash_bytes(hash, rule->name, strlen(rule->name));
    ll_text_clear(&r->key);
    if (!ll_counts_find(&r->rules, hash)) {
        ll_counts_rule_key(emitter, rule, piece->severity, &r->key);
    }
    bool counted =
        !r->key.failed && ll_counts_add(&r->rules, hash, r->key.data, r->key.length, piece->findings, piece->file);
    r->body.failed = r->body.failed || !counted;
    r->severities[piece->severity] += piece->findings;
}

/* Whether there is no room for another piece. */
static bool is_beyond(const run *r, const page_kind *kind, const ll_piece *piece)
{
    return r->shown == kind->findings || r->body.length - r->plans + piece->length > kind->body;
}

/* Begins a file, if there is room. */
static void begin_file(ll_emitter *emitter, const char *text, const char *name, const ll_piece *piece)
{
    run *r = emitter->state;
    r->full = r->full || is_beyond(r, kind_of(emitter), piece);
    r->skipped = r->full;
    if (r->full) {
        r->left_files++;
        return;
    }
    row *file = LL_ARRAY_ADD(&r->files, &emitter->allocator);
    if (!file) {
        r->body.failed = true;
        return;
    }
    *file = (row){.name = r->names.length, .length = piece->name, .anchor = piece->key};
    ll_text_put(&r->names, name, piece->name);
    ll_text_put(&r->body, text, piece->length);
}

static void add_finding(ll_emitter *emitter, const char *text, const ll_piece *piece)
{
    run *r = emitter->state;
    count_finding(emitter, piece);
    r->full = r->full || is_beyond(r, kind_of(emitter), piece);
    if (r->full || !piece->length) {
        r->left_findings += piece->findings;
    } else {
        ll_text_put(&r->body, text, piece->length);
        r->shown++;
    }
    if (!r->skipped && !r->body.failed) {
        r->files.items[r->files.count - 1].found[piece->severity] += piece->findings;
    }
}

/* Adds a plan if it fits. Plans have a limit of their own, so that they displace no findings. */
static void add_plan(ll_emitter *emitter, const char *text, const ll_piece *piece)
{
    run *r = emitter->state;
    bool fits = piece->length <= kind_of(emitter)->plans - r->plans;
    if (r->skipped || !fits) {
        r->left_plans += !r->skipped;
    } else {
        ll_text_put(&r->body, text, piece->length);
        r->plans += piece->length;
    }
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    run *r = emitter->state;
    const char *text = chunk->text.data;
    const char *name = chunk->names.data;
    for (size_t i = 0; i < chunk->pieces.count && !r->body.failed; i++) {
        const ll_piece *piece = &chunk->pieces.items[i];
        if (piece->part == PART_FILE) {
            begin_file(emitter, text, name, piece);
            name += piece->name;
        } else if (piece->part == PART_FINDING) {
            add_finding(emitter, text, piece);
        } else if (piece->part == PART_PLAN) {
            add_plan(emitter, text, piece);
        } else if (!r->full) {
            ll_text_put(&r->body, text, piece->length);
        }
        text += piece->length;
    }
    return r->body.failed || r->names.failed ? LL_E_MEMORY : LL_OK;
}

/* ------------------------------------------------------------------ tables */

static void begin_table(ll_outline *tree, const char *title, const ll_outline_column *columns, size_t count)
{
    ll_outline_open(tree, LL_NODE_HEADING, NULL);
    ll_text_str(&tree->words, title);
    ll_outline_table(tree, columns, count);
}

static void put_severities(const run *r, ll_outline *tree)
{
    static const ll_outline_column columns[] = {
        {"severity", LL_CELL_NAME}, {"findings", LL_CELL_NUMBER}, {"compared", LL_CELL_CHART}};
    uint64_t most = 0;
    for (unsigned i = LL_NOTE; i <= LL_ERROR; i++) {
        most = r->severities[i] > most ? r->severities[i] : most;
    }
    begin_table(tree, "By severity", columns, sizeof columns / sizeof *columns);
    for (unsigned i = LL_ERROR; i >= LL_NOTE; i--) {
        ll_outline_open(tree, LL_NODE_ROW, ll_severity_text((ll_severity)i));
        LL_OUTLINE_CELL(tree, "%s", ll_severity_text((ll_severity)i));
        ll_outline_piece(tree, LL_NODE_MARK, NULL);
        ll_outline_number(tree, r->severities[i]);
        ll_outline_bar(tree, r->severities[i], most);
    }
}

static uint64_t found_in(const row *file)
{
    return file->found[LL_ERROR] + file->found[LL_WARNING] + file->found[LL_NOTE];
}

static void put_files(const run *r, ll_outline *tree)
{
    static const ll_outline_column columns[] = {{"file", LL_CELL_NAME},
                                                {"errors", LL_CELL_NUMBER},
                                                {"warnings", LL_CELL_NUMBER},
                                                {"notes", LL_CELL_NUMBER},
                                                {"compared", LL_CELL_CHART}};
    uint64_t most = 0;
    for (size_t i = 0; i < r->files.count; i++) {
        uint64_t n = found_in(&r->files.items[i]);
        most = n > most ? n : most;
    }
    begin_table(tree, "By file", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < r->files.count; i++) {
        const row *file = &r->files.items[i];
        unsigned worst = file->found[LL_ERROR] ? LL_ERROR : file->found[LL_WARNING] ? LL_WARNING : LL_NOTE;
        ll_outline_open(tree, LL_NODE_ROW, ll_severity_text((ll_severity)worst));
        ll_outline_cell(tree);
        ll_text_put(&tree->words, r->names.data + file->name, file->length);
        ll_outline_value(tree, LL_NODE_LINK, file->anchor, 0);
        for (unsigned severity = LL_ERROR; severity >= LL_NOTE; severity--) {
            ll_outline_number(tree, file->found[severity]);
        }
        ll_outline_bar(tree, found_in(file), most);
    }
}

/* The facts of the verdict as a table. */
static void put_checked(const ll_totals *t, ll_outline *tree)
{
    const struct {
        const char *label;
        uint64_t n;
    } rows[] = {{"files", t->files},
                {"with findings", t->files_with_findings},
                {"not checked or not in full", t->unchecked},
                {"checked in part, which is allowed", t->partly},
                {"members of archives", t->members},
                {"packages", t->packages},
                {"rules not run", t->rules_not_run},
                {"suppressed", t->suppressed},
                {"in the baseline", t->baselined},
                {"not shown", t->dropped}};
    static const ll_outline_column columns[] = {{"what was checked", LL_CELL_NAME}, {"number", LL_CELL_NUMBER}};
    begin_table(tree, "Checked", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].n) {
            ll_outline_open(tree, LL_NODE_ROW, NULL);
            LL_OUTLINE_CELL(tree, "%s", rows[i].label);
            ll_outline_number(tree, rows[i].n);
        }
    }
}

static void put_left(const run *r, ll_outline *tree)
{
    ll_text *out = &tree->words;
    if (r->full) {
        ll_outline_open(tree, LL_NODE_PARAGRAPH, "warning");
        ll_text_str(out, "The page is full:");
        ll_outline_piece(tree, LL_NODE_STRONG, NULL);
        ll_text_char(out, ' ');
        ll_count_text(out, r->left_findings, "finding");
        ll_text_str(out, " not shown");
        if (r->left_files) {
            ll_text_str(out, ", all of ");
            ll_count_text(out, r->left_files, "file");
            ll_text_str(out, " among them");
        }
        ll_text_str(out, ". The tables count them, and other formats have them.");
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

/* ------------------------------------------------------------------ the page */

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
    const page_kind *kind = kind_of(emitter);
    run *r = emitter->state;
    ll_text *out = &emitter->out;
    ll_outline tree;
    ll_outline_init(&tree, emitter->format->printer, NULL, &emitter->allocator);
    ll_outline_title(&tree, titles[exit_code >= 0 && exit_code < 2 ? exit_code : 2]);
    ll_emit_verdict_node(emitter, &tree);
    put_left(r, &tree);
    if (kind->is_html) {
        put_checked(&emitter->totals, &tree);
    }
    if (r->rules.rows.count) {
        if (kind->is_html) {
            put_severities(r, &tree);
        }
        ll_counts_tree(&r->rules, &ll_counts_by_rule, rows_within(&r->rules, kind->table), &tree);
        if (r->files.count > 1 && kind->is_html) {
            put_files(r, &tree);
        }
    }
    ll_outline_print(&tree, out);
    ll_text_str(out, r->rules.rows.count && kind->is_html ? legend : "");
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
