/* Several threads share one sealed rule set and one emitter: each finds and renders the same as a single thread. Run
 * with the thread sanitizer, this proves that a sealed rule set is only read. */
#include "sample.h"

#include <lightlint/lightlint.h>

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, FILES = 24, ROUNDS = 2 };

typedef struct output {
    char *bytes;
    size_t size;
} output;

static bool append(void *ctx, const char *bytes, size_t size)
{
    output *out = ctx;
    char *grown = realloc(out->bytes, out->size + size);
    if (!grown) {
        return false;
    }
    memcpy(grown + out->size, bytes, size);
    out->bytes = grown;
    out->size += size;
    return true;
}

typedef struct job {
    const ll_ruleset *rules;
    const ll_emitter *emitter;
    const sample *files;
    unsigned first;          /* first file of this thread */
    ll_chunk *chunks[FILES]; /* by file, from the last round */
    size_t found[FILES];
    bool failed;
} job;

/* Makes files of all kinds: clean, with faults that use patterns and values, in another format, empty. */
static void make_file(unsigned number, sample *out)
{
    switch (number % 4) {
    case 0:
        sample_good(out);
        break;
    case 1:
        sample_bad(out);
        sample_put(out, SAMPLE_LIGHT + SAMPLE_LUMEN, 4, 0xC0000000U + number);
        break;
    case 2:
        sample_bad(out);
        out->size -= 1 + number;
        break;
    default:
        *out = (sample){.size = number % 8 == 3 ? 0 : 5};
        break;
    }
}

static bool lint_file(job *j, unsigned number, ll_report *report)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%u.%s", number, number % 8 == 7 ? "bin" : "grxla");
    ll_lint_options options = {.size = sizeof options, .name = name};
    const sample *file = &j->files[number];
    ll_chunk_free(j->chunks[number]);
    j->chunks[number] = NULL;
    if (ll_chunk_create(NULL, &j->chunks[number]) != LL_OK ||
        ll_lint(j->rules, file->bytes, file->size, &options, report) != LL_OK) {
        return false;
    }
    j->found[number] = ll_report_finding_count(report);
    return ll_emitter_render(j->emitter, report, j->chunks[number]) == LL_OK;
}

static void *work(void *ctx)
{
    job *j = ctx;
    ll_report *report = NULL;
    j->failed = ll_report_create(NULL, &report) != LL_OK;
    for (unsigned i = 0; !j->failed && i < FILES * ROUNDS; i++) {
        j->failed = !lint_file(j, (j->first + i) % FILES, report);
    }
    ll_report_free(report);
    return NULL;
}

/* Commits the chunks of a job in file order. */
static output write_out(const ll_ruleset *rules, const ll_emit_options *options, job *j)
{
    output out = {NULL, 0};
    ll_emitter *emitter = NULL;
    assert_int_equal(ll_emitter_create(NULL, rules, options, append, &out, &emitter), LL_OK);
    for (unsigned i = 0; i < FILES; i++) {
        assert_int_equal(ll_emitter_commit(emitter, j->chunks[i]), LL_OK);
        ll_chunk_free(j->chunks[i]);
        j->chunks[i] = NULL;
    }
    assert_int_equal(ll_emitter_finish(emitter, 1), LL_OK);
    ll_emitter_free(emitter);
    return out;
}

static void check_format(const ll_ruleset *rules, const sample *files, const char *format)
{
    static job jobs[THREADS + 1]; /* the last one runs alone */
    pthread_t threads[THREADS];
    output nowhere = {NULL, 0};
    ll_emit_options options = {.size = sizeof options, .format = format, .fail_level = LL_WARNING};
    ll_emitter *emitter = NULL;
    assert_int_equal(ll_emitter_create(NULL, rules, &options, append, &nowhere, &emitter), LL_OK);
    for (unsigned i = 0; i <= THREADS; i++) {
        jobs[i] = (job){.rules = rules, .emitter = emitter, .files = files, .first = i * FILES / THREADS % FILES};
    }
    (void)work(&jobs[THREADS]);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_false(jobs[THREADS].failed);
    output alone = write_out(rules, &options, &jobs[THREADS]);
    assert_true(alone.size > 0);
    for (unsigned i = 0; i < THREADS; i++) {
        assert_false(jobs[i].failed);
        assert_memory_equal(jobs[i].found, jobs[THREADS].found, sizeof jobs[i].found);
        output out = write_out(rules, &options, &jobs[i]);
        assert_int_equal(out.size, alone.size);
        assert_memory_equal(out.bytes, alone.bytes, alone.size);
        free(out.bytes);
    }
    free(alone.bytes);
    free(nowhere.bytes);
    ll_emitter_free(emitter);
}

static void test_threads_find_what_one_thread_finds(void **state)
{
    (void)state;
    static sample files[FILES];
    ll_ruleset *rules = NULL;
    ll_problem problem;
    for (unsigned i = 0; i < FILES; i++) {
        make_file(i, &files[i]);
    }
    assert_int_equal(ll_ruleset_create(NULL, &rules), LL_OK);
    assert_int_equal(ll_ruleset_seal(rules, &problem), LL_OK);
    for (const char *const *format = ll_emit_formats(); *format; format++) {
        check_format(rules, files, *format);
    }
    ll_ruleset_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_find_what_one_thread_finds)};
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
