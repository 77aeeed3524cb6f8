/* Writes the HTML report: one file without script, with the verdict, tables, and the findings of each file with the
 * bytes around them.
 *
 * Tables come first but are known last, so the page is held until the end. It is limited to a size that browsers open
 * well, and says what it leaves out. */
#include "output/emit/counts.h"
#include "output/emit/html_finding.h"
#include "output/html/plan.h"

enum {
    FINDINGS_MAX = 5000, /* findings shown, a group counting as one */
    BODY_MAX = 20 << 20, /* bytes of the part by file without plans, */
    PLANS_MAX = 4 << 20  /* and of the plans */
};

/* Kind of a piece of text. */
typedef enum piece_part {
    PART_FILE,    /* heading of a file; begins with its name, .name bytes long */
    PART_FINDING, /* a finding; without text if it is not shown */
    PART_PLAN     /* plan of a file, after its findings */
} piece_part;

/* A file that is shown. */
typedef struct row {
    size_t name, length; /* offset and length in run.names */
    uint64_t found[LL_ERROR + 1];
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

static ll_piece *add_piece(ll_chunk *chunk, piece_part part, size_t from)
{
    ll_piece *piece = LL_ARRAY_ADD(&chunk->pieces, &chunk->allocator);
    chunk->text.failed = chunk->text.failed || !piece;
    if (piece) {
        *piece = (ll_piece){.length = chunk->text.length - from, .part = (uint8_t)part};
    }
    return piece;
}

static void put_file(ll_report *report, ll_chunk *chunk)
{
    const ll_summary *s = &report->summary;
    ll_text *out = &chunk->text;
    size_t from = out->length;
    ll_text_clear(&chunk->scratch);
    ll_name_text(report, &chunk->scratch);
    ll_html_move(out, &chunk->scratch, 0);
    ll_text_str(out, report->is_second ? " <span class=\"muted\">together with other files</span>" : "");
    size_t name = out->length - from;
    ll_text_format(out, "</h2>\n<p class=\"muted\">%s, ", ll_report_format(report));
    ll_count_text(out, report->size, "byte");
    ll_text_str(out, ": ");
    ll_severities_text(s->errors, s->warnings, s->notes, out);
    ll_text_str(out, "</p>\n");
    ll_piece *piece = add_piece(chunk, PART_FILE, from);
    if (piece) {
        piece->name = name;
    }
}

static void note_finding(ll_chunk *chunk, const ll_walk *walk, size_t from)
{
    const ll_entry *entry = &walk->report->entries[walk->entry];
    ll_piece *piece = add_piece(chunk, PART_FINDING, from);
    if (piece) {
        piece->rule = ll_rule_at(walk->report->rules, entry->rule);
        piece->severity = entry->severity;
        piece->findings = walk->times;
        piece->file = chunk->file;
    }
}

/* Writes the plan from above of a file with findings. */
static void put_plan(ll_report *report, ll_chunk *chunk)
{
    static const char head[] =
        "<h3>From above</h3>\n<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"Plan\">\n";
    size_t from = chunk->text.length;
    ll_text_str(&chunk->text, head);
    if (!report->is_second && !report->is_text && ll_space_plan(report, &chunk->text)) {
        ll_text_str(&chunk->text, "</div>\n");
        (void)add_piece(chunk, PART_PLAN, from);
    } else if (!chunk->text.failed) {
        chunk->text.length = from;
    }
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    const ll_summary *s = &report->summary;
    unsigned shown = 0;
    if (!(s->errors + s->warnings + s->notes)) {
        return LL_OK;
    }
    ll_walk walk = ll_walk_groups(emitter, report);
    put_file(report, chunk);
    while (shown < FINDINGS_MAX && !chunk->text.failed && ll_walk_next(&walk)) {
        size_t from = chunk->text.length;
        ll_html_finding(emitter, &walk, &chunk->text, &chunk->scratch);
        note_finding(chunk, &walk, from);
        shown++;
        (void)ll_chunk_pass_on(chunk);
    }
    while (!chunk->text.failed && ll_walk_next_entry(&walk)) {
        note_finding(chunk, &walk, chunk->text.length);
    }
    if (walk.status == LL_OK && !chunk->text.failed) {
        put_plan(report, chunk);
    }
    return walk.status;
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

/* Writes the first columns of a row of the table by rule. */
static void put_key(const ll_emitter *emitter, const ll_piece *piece, ll_text *out, ll_text *raw)
{
    const ll_rule *rule = piece->rule;
    ll_severity severity = (ll_severity)piece->severity;
    ll_text_format(out, "<tr class=\"%s\"><td>", ll_severity_text(severity));
    ll_html_mark(out, severity);
    ll_text_str(out, "</td><th scope=\"row\">");
    ll_html_rule(emitter, rule->id, rule->name, out, raw);
    ll_html_element(out, "p", rule->title);
    ll_text_str(out, "</th>");
}

static void count_finding(ll_emitter *emitter, const ll_piece *piece)
{
    run *r = emitter->state;
    const ll_rule *rule = piece->rule;
    uint64_t hash = ll_map_hash(piece->severity);
    hash = ll_map_hash_bytes(hash, rule->id, strlen(rule->id));
    hash = ll_map_hash_bytes(hash, rule->name, strlen(rule->name));
    ll_text_clear(&r->key);
    if (!ll_counts_find(&r->rules, hash)) {
        put_key(emitter, piece, &r->key, &emitter->out);
    }
    bool counted =
        !r->key.failed && ll_counts_add(&r->rules, hash, r->key.data, r->key.length, piece->findings, piece->file);
    r->body.failed = r->body.failed || !counted;
    r->severities[piece->severity] += piece->findings;
}

/* Whether there is no room for another piece. */
static bool is_beyond(const run *r, const ll_piece *piece)
{
    return r->shown == FINDINGS_MAX || r->body.length - r->plans + piece->length > BODY_MAX;
}

/* Begins a file, if there is room. */
static void begin_file(ll_emitter *emitter, const char *text, const ll_piece *piece)
{
    run *r = emitter->state;
    r->full = r->full || is_beyond(r, piece);
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
    *file = (row){.name = r->names.length, .length = piece->name};
    ll_text_put(&r->names, text, piece->name);
    ll_text_format(&r->body, "<h2 id=\"f%zu\">", r->files.count);
    ll_text_put(&r->body, text, piece->length);
}

static void add_finding(ll_emitter *emitter, const char *text, const ll_piece *piece)
{
    run *r = emitter->state;
    count_finding(emitter, piece);
    r->full = r->full || !piece->length || is_beyond(r, piece);
    if (r->full) {
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
static void add_plan(run *r, const char *text, const ll_piece *piece)
{
    bool fits = piece->length <= PLANS_MAX - r->plans;
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
    for (size_t i = 0; i < chunk->pieces.count && !r->body.failed; i++) {
        const ll_piece *piece = &chunk->pieces.items[i];
        if (piece->part == PART_FILE) {
            begin_file(emitter, text, piece);
        } else if (piece->part == PART_FINDING) {
            add_finding(emitter, text, piece);
        } else {
            add_plan(r, text, piece);
        }
        text += piece->length;
    }
    return r->body.failed || r->names.failed ? LL_E_MEMORY : LL_OK;
}

/* ------------------------------------------------------------------ tables */

static void put_head(ll_text *out, const char *title, const char *const *columns, size_t count)
{
    ll_text_format(out,
                   "<section>\n<h2>%s</h2>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
                   "aria-label=\"%s\"><table class=\"counts\">\n<thead><tr>",
                   title, title);
    for (size_t i = 0; i < count; i++) {
        const char *look = *columns[i] == 'n' ? " class=\"number\"" : *columns[i] == 'c' ? " class=\"chart\"" : "";
        ll_text_format(out, "<th scope=\"col\"%s>%s</th>", look, columns[i] + 1);
    }
    ll_text_str(out, "</tr></thead>\n<tbody>\n");
}

static void put_end(ll_text *out)
{
    ll_text_str(out, "</tbody>\n</table></div>\n</section>\n");
}

static void put_number(ll_text *out, uint64_t n)
{
    ll_text_format(out, "<td class=\"number\">%" PRIu64 "</td>", n);
}

/* First letter of a column: 'n' a number, 'c' a chart. */
#define COLUMNS(name, ...) static const char *const name[] = {__VA_ARGS__}

static void put_severities(const run *r, ll_text *out)
{
    COLUMNS(columns, " severity", "nfindings", "ccompared");
    uint64_t most = 0;
    for (unsigned i = LL_NOTE; i <= LL_ERROR; i++) {
        most = r->severities[i] > most ? r->severities[i] : most;
    }
    put_head(out, "By severity", columns, sizeof columns / sizeof *columns);
    for (unsigned i = LL_ERROR; i >= LL_NOTE; i--) {
        ll_text_format(out, "<tr class=\"%s\"><th scope=\"row\">", ll_severity_text((ll_severity)i));
        ll_html_mark(out, (ll_severity)i);
        ll_text_str(out, "</th>");
        put_number(out, r->severities[i]);
        ll_html_bar_cell(out, r->severities[i], most);
        ll_text_str(out, "</tr>\n");
    }
    put_end(out);
}

static void put_rules(run *r, ll_text *out)
{
    COLUMNS(columns, " severity", " rule", "nfindings", "nfiles", "ccompared");
    ll_counts_sort(&r->rules);
    put_head(out, "By rule", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < r->rules.rows.count; i++) {
        const ll_counts_row *rule = &r->rules.rows.items[i];
        ll_text_str(out, rule->name);
        put_number(out, rule->count);
        put_number(out, rule->files);
        ll_html_bar_cell(out, rule->count, r->rules.rows.items[0].count);
        ll_text_str(out, "</tr>\n");
    }
    put_end(out);
}

static uint64_t found_in(const row *file)
{
    return file->found[LL_ERROR] + file->found[LL_WARNING] + file->found[LL_NOTE];
}

static void put_files(const run *r, ll_text *out)
{
    COLUMNS(columns, " file", "nerrors", "nwarnings", "nnotes", "ccompared");
    uint64_t most = 0;
    for (size_t i = 0; i < r->files.count; i++) {
        uint64_t n = found_in(&r->files.items[i]);
        most = n > most ? n : most;
    }
    ll_text_str(out, "<nav aria-label=\"Files\">\n");
    put_head(out, "By file", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < r->files.count; i++) {
        const row *file = &r->files.items[i];
        unsigned worst = file->found[LL_ERROR] ? LL_ERROR : file->found[LL_WARNING] ? LL_WARNING : LL_NOTE;
        ll_text_format(out, "<tr class=\"%s\"><th scope=\"row\"><a href=\"#f%zu\">",
                       ll_severity_text((ll_severity)worst), i + 1);
        ll_text_put(out, r->names.data + file->name, file->length);
        ll_text_str(out, "</a></th>");
        for (unsigned severity = LL_ERROR; severity >= LL_NOTE; severity--) {
            put_number(out, file->found[severity]);
        }
        ll_html_bar_cell(out, found_in(file), most);
        ll_text_str(out, "</tr>\n");
    }
    put_end(out);
    ll_text_str(out, "</nav>\n");
}

/* The facts of the verdict as a table. */
static void put_checked(const ll_totals *t, ll_text *out)
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
    COLUMNS(columns, " what was checked", "nnumber");
    put_head(out, "Checked", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].n) {
            ll_text_format(out, "<tr><th scope=\"row\">%s</th>", rows[i].label);
            put_number(out, rows[i].n);
            ll_text_str(out, "</tr>\n");
        }
    }
    put_end(out);
}

static void put_left(const run *r, ll_text *out)
{
    if (r->full) {
        ll_text_str(out, "<p class=\"warning\"><strong class=\"mark\">The page is full:</strong> ");
        ll_count_text(out, r->left_findings, "finding");
        ll_text_str(out, " not shown");
        if (r->left_files) {
            ll_text_str(out, ", all of ");
            ll_count_text(out, r->left_files, "file");
            ll_text_str(out, " among them");
        }
        ll_text_str(out, ". The tables count them, and other formats have them.</p>\n");
    }
    if (r->left_plans) {
        ll_text_str(out, "<p class=\"muted\">Not drawn, as the page would be too large: ");
        ll_count_text(out, r->left_plans, "plan");
        ll_text_str(out, ".</p>\n");
    }
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
    run *r = emitter->state;
    ll_text *out = &emitter->out;
    ll_html_begin(out, titles[exit_code >= 0 && exit_code < 2 ? exit_code : 2]);
    ll_text_str(out, "<p class=\"verdict\">");
    ll_text_clear(&r->key);
    ll_verdict_text(&emitter->totals, &(ll_terminal){.columns = 0}, &r->key);
    ll_html_text(out, r->key.data, r->key.length - (r->key.length > 0)); /* without the line feed */
    ll_text_str(out, "\n</p>\n");
    put_left(r, out);
    put_checked(&emitter->totals, out);
    if (r->rules.rows.count) {
        put_severities(r, out);
        put_rules(r, out);
        if (r->files.count > 1) {
            put_files(r, out);
        }
        ll_text_str(out, legend);
    }
    (void)ll_emit_text(emitter, out);
    (void)ll_emit_text(emitter, &r->body);
    ll_html_end(out);
    return LL_OK;
}

const ll_emit_format ll_emit_html = {.state_size = sizeof(run),
                                     .open = open_run,
                                     .close = close_run,
                                     .render = render,
                                     .commit = commit,
                                     .folds = true,
                                     .patches = true,
                                     .for_people = true,
                                     .finish = finish};
