/* Prints the contents of one sweep: findings by severity, rule, folder and file. The number of names counted separately
 * is limited, and so is memory. */
#include "output/emit/counts.h"
#include "survey/sweep_read.h"
#include "findings/words.h"

enum { BY_SEVERITY, BY_RULE, BY_FOLDER, BY_FILE, TABLES };
enum { SHOWN = 100, NAMES_MAX = 65536 };

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

static void put_head(ll_outline *tree, overview *o)
{
    const ll_survey_source *s = &o->source.survey;
    ll_outline_title(tree, "Sweep");
    ll_verdict_text(&o->source.totals, tree->terminal, &o->key);
    ll_outline_verdict(tree, o->key.data, o->key.length);
    tree->words.failed = tree->words.failed || o->key.failed;
    ll_outline_open(tree, LL_NODE_PARAGRAPH, NULL);
    ll_text_str(&tree->words, "lightlint ");
    ll_text_escape(&tree->words, s->version.data, s->version.length);
    ll_text_str(&tree->words, ", rules ");
    ll_text_escape(&tree->words, s->rules.data, s->rules.length);
    if (s->part.shards) {
        ll_text_format(&tree->words, ", part %" PRIu64 " of %" PRIu64, s->part.shard, s->part.shards);
    }
}

static ll_status put_all(overview *o, const ll_outline_printer *printer, const ll_allocator *allocator,
                         ll_write_fn write, void *ctx)
{
    static const ll_counts_head heads[TABLES] = {
        [BY_SEVERITY] = {"By severity", {{"severity", LL_CELL_WORDS}}, .files = true},
        [BY_RULE] = {"By rule", {{"severity", LL_CELL_WORDS}, {"rule", LL_CELL_NAME}}, .files = true},
        [BY_FOLDER] = {"By folder", {{"folder", LL_CELL_NAME}}, .files = true},
        [BY_FILE] = {"By file", {{"file", LL_CELL_NAME}}, .files = false}};
    ll_text out;
    ll_outline tree;
    ll_text_init(&out, allocator);
    ll_outline_init(&tree, printer, NULL, allocator);
    put_head(&tree, o);
    for (unsigned i = 0; i < TABLES; i++) {
        ll_counts_outline(&o->tables[i], &heads[i], SHOWN, &tree);
    }
    ll_outline_finish(&tree, &out);
    ll_status status = ll_send_text(&out, 0, write, ctx);
    ll_outline_free(&tree);
    ll_text_free(&out);
    return status;
}

ll_status ll_sweep_print(const ll_allocator *allocator, const ll_sweep_input *input, const ll_sweep_output *out,
                         ll_problem *problem)
{
    ll_allocator a = ll_allocator_or_default(allocator);
    overview o = {.problem = problem};
    const ll_outline_printer *printer = out ? ll_outline_printer_named(out->format) : NULL;
    if (!input || !input->read || !printer || !out->write) {
        return LL_E_ARGUMENT;
    }
    ll_text_init(&o.key, &a);
    for (unsigned i = 0; i < TABLES; i++) {
        ll_counts_init(&o.tables[i], &a);
    }
    ll_status status = ll_sweep_open(&o.source, &a, input, problem);
    status = status == LL_OK ? count_all(&o) : status;
    status = status == LL_OK ? put_all(&o, printer, &a, out->write, out->ctx) : status;
    for (unsigned i = 0; i < TABLES; i++) {
        ll_counts_free(&o.tables[i]);
    }
    ll_sweep_close(&o.source);
    ll_text_free(&o.key);
    return status;
}
