/* Baselines through the public API: arguments, which findings are taken and marked, how often, and what entries then
 * contain. */
#include "sample.h"

#include <lightlint/lightlint.h>

#include <stdio.h>

typedef struct fixture {
    ll_ruleset *rules;
    ll_report *report;
    ll_baseline *baseline;
    sample bad;
    char out[65536];
    size_t size;
} fixture;

static bool collect(void *ctx, const char *bytes, size_t size)
{
    fixture *f = ctx;
    if (size > sizeof f->out - f->size - 1) {
        return false;
    }
    memcpy(f->out + f->size, bytes, size);
    f->size += size;
    f->out[f->size] = '\0';
    return true;
}

static void lint_with(fixture *f, const ll_ruleset *rules, const char *name, const char *identity)
{
    ll_lint_options options = {.size = sizeof options, .name = name, .identity = identity};
    assert_int_equal(ll_lint(rules, f->bad.bytes, f->bad.size, &options, f->report), LL_OK);
}

static int set_up(void **state)
{
    static fixture f;
    ll_problem problem;
    f = (fixture){.size = 0};
    sample_bad(&f.bad);
    assert_int_equal(ll_ruleset_create(NULL, &f.rules), LL_OK);
    assert_int_equal(ll_ruleset_seal(f.rules, &problem), LL_OK);
    assert_int_equal(ll_report_create(NULL, &f.report), LL_OK);
    assert_int_equal(ll_baseline_create(NULL, &f.baseline), LL_OK);
    lint_with(&f, f.rules, "shown.grxla", "a.grxla");
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    ll_baseline_free(f->baseline);
    ll_report_free(f->report);
    ll_ruleset_free(f->rules);
    return 0;
}

static uint64_t marked(const fixture *f)
{
    ll_summary sum;
    ll_report_summary(f->report, &sum);
    return sum.baselined;
}

static void test_take_write_read_apply(void **state)
{
    fixture *f = *state;
    ll_baseline *read = NULL;
    ll_problem problem;
    uint64_t added = 0;
    size_t n = ll_report_finding_count(f->report);
    assert_true(n > 3);
    assert_int_equal(ll_baseline_take(f->baseline, f->report, &added), LL_OK);
    assert_int_equal(added, n);
    assert_int_equal(ll_baseline_write(f->baseline, collect, f), LL_OK);
    assert_int_equal(ll_baseline_create(NULL, &read), LL_OK);
    assert_int_equal(ll_baseline_read(read, f->out, f->size, &problem), LL_OK);
    assert_int_equal(ll_baseline_count(read), ll_baseline_count(f->baseline));
    assert_int_equal(ll_baseline_apply(read, f->report, "base.jsonl"), LL_OK);
    assert_int_equal(marked(f), n);
    for (size_t i = 0; i < n; i++) {
        ll_finding finding;
        ll_baseline_entry entry;
        assert_int_equal(ll_report_finding(f->report, i, &finding), LL_OK);
        assert_int_equal(finding.mark.kind, LL_MARK_BASELINED);
        assert_string_equal(finding.mark.file, "base.jsonl");
        assert_true(ll_baseline_at(read, finding.mark.line - 2, &entry)); /* the header is line 1 */
        assert_string_equal(entry.fingerprint, finding.fingerprint);
        assert_string_equal(entry.file, "a.grxla");
        assert_true(entry.judged);
        assert_int_equal(entry.met, 1);
        assert_memory_equal(f->out + entry.offset, "{\"fingerprint\"", 14);
        assert_int_equal(f->out[entry.offset + entry.length], '\n');
    }
    added = 0;
    assert_int_equal(ll_baseline_take(NULL, f->report, &added), LL_OK);
    assert_int_equal(added, 0); /* all are marked already */
    ll_baseline_free(read);
}

static void test_another_file_is_another_matter(void **state)
{
    fixture *f = *state;
    ll_baseline_entry entry;
    assert_int_equal(ll_baseline_take(f->baseline, f->report, NULL), LL_OK);
    assert_true(ll_baseline_count(f->baseline) > 0);
    lint_with(f, f->rules, "a.grxla", "b.grxla");
    assert_int_equal(ll_baseline_apply(f->baseline, f->report, "x"), LL_OK);
    assert_int_equal(marked(f), 0);
    assert_true(ll_baseline_at(f->baseline, 0, &entry));
    assert_false(entry.judged);
}

/* Counts: an entry for more findings than there are marks all of them; `met` is their number. */
static void test_counts(void **state)
{
    fixture *f = *state;
    ll_baseline_entry entry;
    size_t n = ll_report_finding_count(f->report);
    assert_int_equal(ll_baseline_take(f->baseline, f->report, NULL), LL_OK);
    assert_true(ll_baseline_at(f->baseline, 0, &entry));
    entry.count = 4;
    assert_int_equal(ll_baseline_put(f->baseline, &entry), LL_OK);
    assert_int_equal(ll_baseline_count(f->baseline), n);
    assert_true(ll_baseline_at(f->baseline, 0, &entry));
    assert_int_equal(entry.count, 5);
    for (unsigned twice = 0; twice < 2; twice++) {
        lint_with(f, f->rules, "a.grxla", NULL);
        assert_int_equal(ll_baseline_apply(f->baseline, f->report, "x"), LL_OK);
        assert_int_equal(marked(f), n);
        assert_true(ll_baseline_at(f->baseline, 0, &entry));
        assert_int_equal(entry.met, 1); /* the maximum per report, not the sum */
    }
}

static void test_rules_that_are_off_and_gone(void **state)
{
    fixture *f = *state;
    ll_problem problem;
    ll_ruleset *some = NULL;
    ll_baseline_entry entry;
    ll_baseline_entry gone = {
        .fingerprint = "00000000000000aa", .rule = "ZZZ999", .file = "a.grxla", .path = "", .count = 1};
    assert_int_equal(ll_baseline_take(f->baseline, f->report, NULL), LL_OK);
    assert_int_equal(ll_baseline_put(f->baseline, &gone), LL_OK);
    assert_int_equal(ll_ruleset_create(NULL, &some), LL_OK);
    assert_int_equal(ll_ruleset_ignore(some, "GRX", &problem), LL_OK);
    assert_int_equal(ll_ruleset_seal(some, &problem), LL_OK);
    lint_with(f, some, "a.grxla", NULL);
    size_t n = ll_baseline_count(f->baseline);
    assert_int_equal(ll_baseline_apply(f->baseline, f->report, "x"), LL_OK);
    for (size_t i = 0; i < n; i++) {
        assert_true(ll_baseline_at(f->baseline, i, &entry));
        assert_int_equal(entry.judged, strncmp(entry.rule, "GRX", 3) != 0);
    }
    assert_string_equal(entry.rule, "ZZZ999");
    ll_report_free(f->report); /* frees the report before its rule set */
    f->report = NULL;
    ll_ruleset_free(some);
}

static void test_unreadable_files_say_nothing(void **state)
{
    fixture *f = *state;
    ll_baseline_entry entry;
    ll_lint_options options = {.size = sizeof options, .name = "a.grxla"};
    assert_int_equal(ll_baseline_take(f->baseline, f->report, NULL), LL_OK);
    size_t n = ll_baseline_count(f->baseline);
    assert_int_equal(ll_lint_unreadable(f->rules, "gone", &options, f->report), LL_OK);
    assert_int_equal(ll_baseline_take(f->baseline, f->report, NULL), LL_OK);
    assert_int_equal(ll_baseline_count(f->baseline), n); /* the only rule, LL001, is locked */
    assert_int_equal(ll_baseline_apply(f->baseline, f->report, "x"), LL_OK);
    assert_true(ll_baseline_at(f->baseline, 0, &entry));
    assert_false(entry.judged);
}

static bool is_gone(void *ctx, const char *file)
{
    assert_string_equal(file, "a.grxla");
    return *(bool *)ctx;
}

/* Number of marks of a file with the same bytes under another name. */
static uint64_t marked_elsewhere(fixture *f, bool gone, bool *may)
{
    lint_with(f, f->rules, "b.grxla", "b.grxla");
    assert_int_equal(ll_baseline_may_follow(f->baseline, f->report, may), LL_OK);
    ll_baseline_follow(f->baseline, f->report, is_gone, &gone);
    assert_int_equal(ll_baseline_apply(f->baseline, f->report, "x"), LL_OK);
    return marked(f);
}

static void test_a_moved_file(void **state)
{
    fixture *f = *state;
    ll_baseline_entry entry;
    ll_baseline *updated = NULL;
    bool may = true;
    uint64_t taken = 0;
    assert_int_equal(ll_baseline_take(f->baseline, f->report, &taken), LL_OK);
    size_t count = ll_baseline_count(f->baseline);
    assert_true(taken > 0);
    assert_int_equal(marked_elsewhere(f, true, &may), 0); /* no hash of the bytes was stored */
    assert_false(may);
    lint_with(f, f->rules, "a.grxla", "a.grxla");
    assert_int_equal(ll_baseline_note(f->baseline, f->report), LL_OK);
    assert_int_equal(ll_baseline_count(f->baseline), count);
    assert_int_equal(ll_baseline_may_follow(f->baseline, f->report, &may), LL_OK);
    assert_false(may); /* the file has entries of its own */
    assert_int_equal(ll_baseline_write(f->baseline, collect, f), LL_OK);
    assert_int_equal(marked_elsewhere(f, false, &may), 0);
    assert_true(may);
    ll_baseline_free(f->baseline); /* it has already asked whether the file is gone */
    assert_int_equal(ll_baseline_create(NULL, &f->baseline), LL_OK);
    assert_int_equal(ll_baseline_read(f->baseline, f->out, f->size, NULL), LL_OK);
    assert_int_equal(marked_elsewhere(f, true, &may), taken);
    assert_true(ll_baseline_at(f->baseline, 0, &entry));
    assert_true(entry.moved && entry.judged);
    assert_int_equal(ll_baseline_create(NULL, &updated), LL_OK);
    assert_int_equal(ll_baseline_take_moved(updated, f->baseline, f->report), LL_OK);
    assert_int_equal(ll_baseline_count(updated), count);
    assert_true(ll_baseline_at(updated, 0, &entry));
    assert_string_equal(entry.file, "b.grxla");
    assert_int_equal(ll_baseline_take_moved(updated, f->baseline, f->report), LL_OK); /* only once */
    assert_int_equal(ll_baseline_count(updated), count);
    ll_baseline_free(updated);
    assert_int_equal(marked_elsewhere(f, true, &may), 0); /* and only for one file */
}

static void test_arguments(void **state)
{
    fixture *f = *state;
    ll_problem problem;
    ll_baseline_entry entry = {.fingerprint = "00000000000000aa", .rule = "R", .file = "f", .path = "p", .count = 1};
    static const char header[] = "{\"type\":\"baseline\",\"schema\":1}";
    assert_int_equal(ll_baseline_create(NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_baseline_read(f->baseline, NULL, 3, &problem), LL_E_ARGUMENT);
    assert_int_equal(ll_baseline_read(f->baseline, header, sizeof header - 1, NULL), LL_OK);
    assert_int_equal(ll_baseline_read(f->baseline, "{", 1, NULL), LL_E_INPUT);
    assert_int_equal(ll_baseline_apply(NULL, f->report, "x"), LL_E_ARGUMENT);
    assert_int_equal(ll_baseline_apply(f->baseline, f->report, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_baseline_put(f->baseline, &entry), LL_OK);
    assert_int_equal(ll_baseline_apply(f->baseline, f->report, "x"), LL_E_ARGUMENT); /* not sorted yet */
    assert_int_equal(ll_baseline_count(f->baseline), 1);
    assert_int_equal(ll_baseline_apply(f->baseline, f->report, "x"), LL_OK);
    assert_int_equal(ll_baseline_read(f->baseline, header, sizeof header - 1, &problem), LL_E_ARGUMENT);
    assert_int_equal(ll_baseline_write(f->baseline, NULL, NULL), LL_E_ARGUMENT);
    f->size = sizeof f->out - 1;
    assert_int_equal(ll_baseline_write(f->baseline, collect, f), LL_E_WRITE);
    assert_false(ll_baseline_at(f->baseline, 1, &entry));
    entry.fingerprint[3] = 'G';
    assert_int_equal(ll_baseline_put(f->baseline, &entry), LL_E_ARGUMENT);
    entry.fingerprint[3] = '0';
    entry.content[0] = 'x';
    assert_int_equal(ll_baseline_put(f->baseline, &entry), LL_E_ARGUMENT);
    bool may = false;
    assert_int_equal(ll_baseline_may_follow(NULL, f->report, &may), LL_E_ARGUMENT);
    assert_int_equal(ll_baseline_note(NULL, f->report), LL_E_ARGUMENT);
    assert_int_equal(ll_baseline_take_moved(f->baseline, NULL, f->report), LL_E_ARGUMENT);
    ll_baseline_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_take_write_read_apply, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_another_file_is_another_matter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rules_that_are_off_and_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unreadable_files_say_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_moved_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_arguments, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("baseline", tests, NULL, NULL);
}
