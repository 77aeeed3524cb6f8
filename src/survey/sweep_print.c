/* Prints the contents of one sweep: findings by severity, rule, folder and file. The number of names counted separately
 * is limited, and so is memory. */
#include "output/emit/counts.h"
#include "output/html/html.h"
#include "survey/page.h"
#include "survey/sweep_read.h"
#include "findings/words.h"

enum { BY_SEVERITY, BY_RULE, BY_FOLDER, BY_FILE, TABLES };
enum { SHOWN = 100, NAMES_MAX = 65536, NAME_WIDTH = 44, SEVERITY_WIDTH = 8, COUNT_WIDTH = 9 };

typedef struct overview {
    ll_sweep_source source;
    ll_counts tables[TABLES];
    uint64_t files; /* files read */
    ll_text key;
    ll_problem *problem;
} overview;

/* ------------------------------------------------------------------ counting */

/* Counts a finding under o->key, or under "(all others)" if there are too many keys. */
static ll_status count(overview *o, unsigned table)
{
    static const char others[] = "(all others)";
    ll_counts *counts = &o->tables[table];
    uint64_t hash = ll_fnv(LL_FNV_START, o->key.data, o->key.length);
    if (counts->rows.count >= NAMES_MAX && !ll_counts_find(counts, hash)) {
        ll_text_clear(&o->key);
        ll_text_str(&o->key, others);
        hash = ll_fnv(LL_FNV_START, others, sizeof others - 1);
    }
    bool done = !o->key.failed && ll_counts_add(counts, hash, o->key.data, o->key.length, 1, o->files + 1);
    ll_text_clear(&o->key);
    return done ? LL_OK : LL_E_MEMORY;
}

/* Columns of a key are separated by a tab, which escaped words never contain. */
static ll_status count_finding(overview *o)
{
    const char *words[3] = {"", "", ""};
    static const char *const keys[3] = {"severity", "rule", "name"};
    const ll_sweep_source *s = &o->source;
    ll_status status = LL_OK;
    size_t folder = s->stem;
    for (unsigned i = 0; i < 3 && status == LL_OK; i++) {
        status = ll_jsonr_text(&o->source.survey.json, keys[i], &words[i], o->problem);
    }
    if (status != LL_OK) {
        return status == LL_E_INPUT ? ll_survey_where(&o->source.survey, o->problem) : status;
    }
    while (folder && s->file[folder - 1] != '/') {
        folder--;
    }
    ll_text_escape(&o->key, words[0], strlen(words[0]));
    status = count(o, BY_SEVERITY);
    ll_text_escape(&o->key, words[0], strlen(words[0]));
    ll_text_char(&o->key, '\t');
    ll_text_escape(&o->key, words[1], strlen(words[1]));
    ll_text_char(&o->key, ' ');
    ll_text_escape(&o->key, words[2], strlen(words[2]));
    status = status == LL_OK ? count(o, BY_RULE) : status;
    ll_text_escape(&o->key, folder ? s->file : "./", folder ? folder : 2);
    status = status == LL_OK ? count(o, BY_FOLDER) : status;
    ll_text_escape(&o->key, s->file, strlen(s->file));
    return status == LL_OK ? count(o, BY_FILE) : status;
}

static ll_status count_all(overview *o)
{
    ll_status status = ll_sweep_next_file(&o->source, o->problem);
    while (status == LL_OK && o->source.file) {
        if (o->source.kind == LL_SWEEP_FINDING) {
            status = count_finding(o);
        } else {
            o->files++;
        }
        status = status == LL_OK ? ll_sweep_next_file(&o->source, o->problem) : status;
    }
    return status == LL_OK ? ll_sweep_next(&o->source, o->problem) : status; /* reports anything after the summary */
}

/* ------------------------------------------------------------------ showing */

static void put_row(ll_page *page, const ll_counts_row *row, uint64_t most, unsigned table)
{
    const char *name = row->name;
    const char *tab = strchr(name, '\t');
    size_t first = tab ? (size_t)(tab - name) : strlen(name);
    ll_text_put(&page->cell, name, first);
    const char *severity = table == BY_SEVERITY || tab ? ll_text_cstr(&page->cell) : "";
    bool known = ll_names_find(&LL_NAME_LIST(((const char *const[]){"note", "warning", "error"}), 3), severity) < 3;
    ll_page_begin_row(page, known ? severity : NULL);
    ll_page_cell(page, tab ? SEVERITY_WIDTH : NAME_WIDTH, false);
    if (tab) {
        LL_PAGE_CELL(page, NAME_WIDTH, false, "%s", tab + 1);
    }
    LL_PAGE_CELL(page, COUNT_WIDTH, true, "%" PRIu64, row->count);
    if (table == BY_RULE) {
        LL_PAGE_CELL(page, COUNT_WIDTH, true, "%" PRIu64, row->files);
    }
    ll_page_bar(page, row->count, most);
    ll_page_end_row(page);
}

static void put_table(ll_page *page, ll_counts *counts, unsigned table)
{
    static const char *const titles[TABLES] = {"By severity", "By rule", "By folder", "By file"};
    static const char *const names[TABLES] = {"severity", "rule", "folder", "file"};
    static const char *const around[LL_PAGE_FORMATS][2] = {{"  ", "\n"}, {"\n", "\n"}, {"<p>", "</p>\n"}};
    ll_page_head heads[5];
    size_t n = 0;
    size_t rows = counts->rows.count;
    if (!rows) {
        return;
    }
    ll_counts_sort(counts);
    if (table == BY_RULE) {
        heads[n++] = (ll_page_head){"severity", SEVERITY_WIDTH, .right = false};
    }
    heads[n++] = (ll_page_head){names[table], NAME_WIDTH, .right = false};
    heads[n++] = (ll_page_head){"findings", COUNT_WIDTH, .right = true};
    if (table == BY_RULE) {
        heads[n++] = (ll_page_head){"files", COUNT_WIDTH, .right = true};
    }
    heads[n++] = (ll_page_head){"of the most", .chart = true};
    ll_page_heading(page, titles[table]);
    ll_page_begin_table(page, heads, n);
    for (size_t i = 0; i < rows && i < SHOWN; i++) {
        put_row(page, &counts->rows.items[i], counts->rows.items[0].count, table);
    }
    ll_page_end_table(page);
    if (rows > SHOWN) {
        ll_text_format(page->out, "%sand %zu more%s", around[page->format][0], rows - SHOWN, around[page->format][1]);
    }
}

static void put_head(ll_page *page, const overview *o)
{
    static const char *const around[LL_PAGE_FORMATS][3] = {
        {"", "\n", "\n"}, {"# Sweep\n\n", "\n\n", "\n"}, {"<p>", "</p>\n<p>", "</p>\n"}};
    const char *const *words = around[page->format];
    const ll_survey_source *s = &o->source.survey;
    if (page->style->draws) {
        ll_html_begin(page->out, "Sweep");
    }
    ll_text_str(page->out, words[0]);
    ll_verdict_text(&o->source.totals, &(ll_terminal){.columns = 0}, &page->cell);
    page->cell.length -= page->cell.length > 0; /* its line feed */
    ll_page_words(page);
    ll_text_str(page->out, words[1]);
    ll_text_str(&page->cell, "lightlint ");
    ll_text_escape(&page->cell, s->version.data, s->version.length);
    ll_text_str(&page->cell, ", rules ");
    ll_text_escape(&page->cell, s->rules.data, s->rules.length);
    if (s->part.shards) {
        ll_text_format(&page->cell, ", part %" PRIu64 " of %" PRIu64, s->part.shard, s->part.shards);
    }
    ll_page_words(page);
    ll_text_str(page->out, words[2]);
}

static ll_status put_all(overview *o, ll_page_format format, const ll_allocator *allocator, ll_write_fn write,
                         void *ctx)
{
    ll_text out;
    ll_page page;
    ll_text_init(&out, allocator);
    ll_page_init(&page, format, &out);
    put_head(&page, o);
    for (unsigned i = 0; i < TABLES; i++) {
        put_table(&page, &o->tables[i], i);
    }
    if (page.style->draws) {
        ll_html_end(&out);
    }
    ll_status status = ll_send_text(&out, 0, write, ctx);
    ll_text_free(&page.cell);
    ll_text_free(&out);
    return status;
}

ll_status ll_sweep_print(const ll_allocator *allocator, const ll_sweep_input *input, const char *format,
                         ll_write_fn write, void *ctx, ll_problem *problem)
{
    static const char *const formats[] = {"text", "markdown", "html"}; /* as ll_page_format */
    ll_allocator a = ll_allocator_or_default(allocator);
    overview o = {.problem = problem};
    size_t at = ll_names_find(&LL_NAME_LIST(formats, LL_PAGE_FORMATS), format ? format : "");
    if (!input || !input->read || !write || at == LL_PAGE_FORMATS) {
        return LL_E_ARGUMENT;
    }
    ll_text_init(&o.key, &a);
    for (unsigned i = 0; i < TABLES; i++) {
        ll_counts_init(&o.tables[i], &a);
    }
    ll_status status = ll_sweep_open(&o.source, &a, input, problem);
    status = status == LL_OK ? count_all(&o) : status;
    status = status == LL_OK ? put_all(&o, (ll_page_format)at, &a, write, ctx) : status;
    for (unsigned i = 0; i < TABLES; i++) {
        ll_counts_free(&o.tables[i]);
    }
    ll_sweep_close(&o.source);
    ll_text_free(&o.key);
    return status;
}
