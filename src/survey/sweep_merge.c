/* Joins the sweeps of parts of a corpus: always takes the first file of all parts, so the output is sorted like a sweep
 * of the whole. Holds one line per part. */
#include "survey/sweep_join.h"
#include "survey/sweep_read.h"

typedef struct merge {
    ll_sweep_source *sources;
    size_t count;
    ll_write_fn write;
    void *ctx;
    const ll_sweep_facts *facts; /* NULL: skipped */
    ll_totals totals;
    uint64_t exit_code;
    ll_problem *problem;
} merge;

/* Checks that all parts exist and were made by one version with one set of rules. */
static ll_status compare_headers(const merge *m, const ll_allocator *a, const ll_sweep_input *inputs)
{
    const ll_survey_source *first = &m->sources[0].survey;
    const char *version = first->version.data;
    const char *rules = first->rules.data;
    ll_survey_part *parts = a->alloc(a->ctx, m->count * sizeof *parts);
    ll_status status = parts ? LL_OK : LL_E_MEMORY;
    for (size_t i = 0; i < m->count && status == LL_OK; i++) {
        parts[i] = m->sources[i].survey.part;
        status = ll_survey_match(&m->sources[i].survey, inputs[0].name, version, rules, m->problem);
    }
    if (status == LL_OK) {
        status = ll_survey_complete(inputs, parts, m->count, m->problem);
    }
    if (parts) {
        a->release(a->ctx, parts);
    }
    return status;
}

static ll_status put_line(const merge *m, const char *bytes, size_t size)
{
    return m->write(m->ctx, bytes, size) && m->write(m->ctx, "\n", 1) ? LL_OK : LL_E_WRITE;
}

/* Copies the lines of a part's current file. */
static ll_status copy_file(const merge *m, ll_sweep_source *s)
{
    ll_status status = LL_OK;
    bool last = false;
    while (status == LL_OK && !last) {
        last = s->kind == LL_SWEEP_FILE;
        status = put_line(m, s->survey.line, s->survey.length);
        status = status == LL_OK ? ll_sweep_next(s, m->problem) : status;
    }
    return status;
}

/* Finds the part whose file comes first; *out is NULL after the last file. */
static ll_status choose(const merge *m, ll_sweep_source **out)
{
    *out = NULL;
    for (size_t i = 0; i < m->count; i++) {
        ll_sweep_source *s = &m->sources[i];
        int order = s->file ? *out ? ll_sweep_order(s, *out) : -1 : 1;
        if (s->file && order == 0) {
            return LL_SURVEY_REFUSE(&s->survey, m->problem, "'", s->file, "' is in '", (*out)->survey.input->name,
                                    "' as well; every file belongs to one part");
        }
        *out = order < 0 ? s : *out;
    }
    return LL_OK;
}

static ll_status copy_files(const merge *m)
{
    ll_sweep_source *next = NULL;
    ll_status status = choose(m, &next);
    while (status == LL_OK && next) {
        status = copy_file(m, next);
        status = status == LL_OK ? choose(m, &next) : status;
    }
    return status;
}

/* ------------------------------------------------------------------ across files */

/* Passes on what a part says its files refer to. */
static ll_status take_facts(const merge *m, ll_sweep_source *s)
{
    ll_status status = LL_OK;
    if (m->facts && s->kind == LL_SWEEP_FACTS) {
        char hash[LL_RULES_HASH];
        const ll_ruleset *rules = m->facts->open(m->facts->ctx);
        if (!rules) {
            return LL_E_ARGUMENT;
        }
        ll_survey_rules(rules, NULL, hash);
        status = ll_survey_match(&s->survey, NULL, LL_VERSION_STRING, hash, m->problem);
    }
    while (status == LL_OK && s->kind == LL_SWEEP_FACTS) {
        if (m->facts) {
            status = m->facts->take(m->facts->ctx, s->survey.line, s->survey.length, m->problem);
            status = status == LL_E_INPUT ? ll_survey_where(&s->survey, m->problem) : status;
        }
        status = status == LL_OK ? ll_sweep_next(s, m->problem) : status;
    }
    return status;
}

static ll_status send(const merge *m, ll_chunk *chunk)
{
    ll_status status = ll_send_text(&chunk->text, 0, m->write, m->ctx);
    ll_text_clear(&chunk->text);
    return status;
}

/* Writes the findings across files of all parts together. */
static ll_status put_packages(merge *m, const ll_allocator *allocator)
{
    ll_chunk *chunk = NULL;
    ll_report *report = NULL;
    ll_status status = m->facts->end(m->facts->ctx, &m->totals);
    if (status != LL_OK || !m->totals.packages) {
        return status;
    }
    status = ll_chunk_create(allocator, &chunk);
    if (status == LL_OK) {
        ll_emit_sweep.packages(&m->totals, &chunk->text);
        status = send(m, chunk);
    }
    do {
        status = status == LL_OK ? m->facts->next(m->facts->ctx, &report) : status;
        if (status == LL_OK && report) {
            ll_totals_add(&m->totals, ll_report_totals(report, chunk));
            status = ll_emit_sweep.render(NULL, report, chunk);
            status = status == LL_OK ? send(m, chunk) : status;
        }
    } while (status == LL_OK && report);
    ll_chunk_free(chunk);
    return status;
}

/* Copies the findings across files of sweeps that are no parts, but of different paths. */
static ll_status copy_packages(merge *m, const ll_allocator *allocator)
{
    ll_text line;
    ll_status status = LL_OK;
    for (size_t i = 0; i < m->count && status == LL_OK; i++) {
        ll_sweep_source *s = &m->sources[i];
        if (s->kind == LL_SWEEP_PACKAGES) {
            m->totals.packages += s->totals.packages;
            m->totals.rules_not_run += s->totals.rules_not_run;
            status = ll_sweep_next(s, m->problem);
        }
    }
    if (status != LL_OK || !m->totals.packages) {
        return status;
    }
    ll_text_init(&line, allocator);
    ll_emit_sweep.packages(&m->totals, &line);
    status = ll_send_text(&line, 0, m->write, m->ctx);
    ll_text_free(&line);
    return status == LL_OK ? copy_files(m) : status;
}

static ll_status join_packages(merge *m, const ll_allocator *allocator)
{
    ll_status status = LL_OK;
    bool facts = false;
    for (size_t i = 0; i < m->count && status == LL_OK; i++) {
        facts = facts || m->sources[i].kind == LL_SWEEP_FACTS;
        status = take_facts(m, &m->sources[i]);
    }
    return status != LL_OK ? status
           : !facts        ? copy_packages(m, allocator)
           : m->facts      ? put_packages(m, allocator)
                           : LL_OK;
}

/* Adds up the summaries, which all inputs have reached. */
static ll_status add_summaries(merge *m)
{
    ll_status status = LL_OK;
    for (size_t i = 0; i < m->count && status == LL_OK; i++) {
        ll_totals_add(&m->totals, m->sources[i].totals);
        m->exit_code = m->exit_code > m->sources[i].exit_code ? m->exit_code : m->sources[i].exit_code;
        status = ll_sweep_next(&m->sources[i], m->problem); /* reports anything after the summary */
    }
    return status;
}

static ll_status write_header(const merge *m, const ll_allocator *allocator)
{
    const ll_survey_source *first = &m->sources[0].survey;
    ll_text line;
    ll_text_init(&line, allocator);
    ll_survey_header(&line, "sweep", first->version.data, first->rules.data, 0, 0);
    ll_status status = ll_send_text(&line, 0, m->write, m->ctx);
    ll_text_free(&line);
    return status;
}

static ll_status join(merge *m, const ll_allocator *allocator)
{
    ll_status status = LL_OK;
    for (size_t i = 0; i < m->count && status == LL_OK; i++) {
        status = ll_sweep_next(&m->sources[i], m->problem);
    }
    status = status == LL_OK ? copy_files(m) : status;
    status = status == LL_OK ? join_packages(m, allocator) : status;
    return status == LL_OK ? add_summaries(m) : status;
}

static ll_status write_summary(const merge *m, const ll_allocator *allocator)
{
    ll_text line;
    ll_text_init(&line, allocator);
    ll_json_summary_line(&m->totals, (int)m->exit_code, &line);
    ll_status status = ll_send_text(&line, 0, m->write, m->ctx);
    ll_text_free(&line);
    return status;
}

ll_status ll_sweep_merge_parts(const ll_allocator *allocator, const ll_sweep_input *inputs, size_t count,
                               const ll_sweep_facts *facts, const ll_sweep_output *out, ll_problem *problem)
{
    if (count > SIZE_MAX / sizeof(ll_sweep_source)) {
        return LL_E_ARGUMENT;
    }
    ll_allocator a = ll_allocator_or_default(allocator);
    merge m = {.write = out->write, .ctx = out->ctx, .facts = facts, .problem = problem};
    m.sources = a.alloc(a.ctx, count * sizeof *m.sources);
    ll_status status = m.sources ? LL_OK : LL_E_MEMORY;
    while (status == LL_OK && m.count < count) {
        status = ll_sweep_open(&m.sources[m.count], &a, &inputs[m.count], problem);
        m.count++;
    }
    status = status == LL_OK ? compare_headers(&m, &a, inputs) : status;
    status = status == LL_OK ? write_header(&m, &a) : status;
    status = status == LL_OK ? join(&m, &a) : status;
    status = status == LL_OK ? write_summary(&m, &a) : status;
    for (size_t i = 0; i < m.count; i++) {
        ll_sweep_close(&m.sources[i]);
    }
    if (m.sources) {
        a.release(a.ctx, m.sources);
    }
    return status;
}
