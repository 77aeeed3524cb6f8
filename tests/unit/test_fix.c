/* The contract of ll_fix_run() and of journals: arguments, which patches are applied, in which order, which are
 * skipped and why, and undo. */
#include "sample.h"

#include <lightlint/lightlint.h>

#include <stdio.h>

/* ------------------------------------------------------------------ helpers */

static ll_ruleset *sealed(const char *pack)
{
    ll_ruleset *rules = NULL;
    ll_problem problem = {0};
    assert_int_equal(ll_ruleset_create(NULL, &rules), LL_OK);
    if (pack) {
        assert_int_equal(ll_ruleset_add_pack(rules, "my.yaml", pack, strlen(pack), &problem), LL_OK);
    }
    assert_int_equal(ll_ruleset_seal(rules, &problem), LL_OK);
    return rules;
}

static ll_fix *new_fix(void)
{
    ll_fix *fix = NULL;
    assert_int_equal(ll_fix_create(NULL, &fix), LL_OK);
    return fix;
}

static const ll_lint_options NAMED = {.size = sizeof(ll_lint_options), .name = "yard_light.grxla"};

static size_t run(ll_fix *fix, const ll_ruleset *rules, const sample *s, ll_patch_tier tier)
{
    ll_fix_options options = {.size = sizeof options, .tier = tier};
    const void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(ll_fix_run(fix, rules, s->bytes, s->size, &NAMED, &options), LL_OK);
    return ll_fix_result(fix, &bytes, &size);
}

static ll_fix_step step_of(const ll_fix *fix, const char *name)
{
    ll_fix_step step;
    for (size_t i = 0; ll_fix_at(fix, i, &step); i++) {
        if (strcmp(step.name, name) == 0) {
            return step;
        }
    }
    fail_msg("no patch of %s", name);
    return (ll_fix_step){.outcome = LL_FIX_APPLIED};
}

/* ------------------------------------------------------------------ tests */

static void test_arguments(void **state)
{
    (void)state;
    sample good;
    ll_fix_options options = {.size = sizeof options, .tier = LL_PATCH_SAFE};
    ll_fix_options none = {.size = sizeof none};
    ll_fix_options small = {.size = 1, .tier = LL_PATCH_SAFE};
    ll_lint_options other = {.size = 1};
    ll_ruleset *rules = sealed(NULL);
    ll_ruleset *open = NULL;
    ll_fix *fix = new_fix();
    sample_good(&good);
    assert_int_equal(ll_ruleset_create(NULL, &open), LL_OK);
    assert_int_equal(ll_fix_create(NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_fix_run(NULL, rules, good.bytes, good.size, NULL, &options), LL_E_ARGUMENT);
    assert_int_equal(ll_fix_run(fix, NULL, good.bytes, good.size, NULL, &options), LL_E_ARGUMENT);
    assert_int_equal(ll_fix_run(fix, open, good.bytes, good.size, NULL, &options), LL_E_ARGUMENT);
    assert_int_equal(ll_fix_run(fix, rules, NULL, good.size, NULL, &options), LL_E_ARGUMENT);
    assert_int_equal(ll_fix_run(fix, rules, good.bytes, good.size, NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_fix_run(fix, rules, good.bytes, good.size, NULL, &none), LL_E_ARGUMENT);
    assert_int_equal(ll_fix_run(fix, rules, good.bytes, good.size, NULL, &small), LL_E_ARGUMENT);
    assert_int_equal(ll_fix_run(fix, rules, good.bytes, good.size, &other, &options), LL_E_ARGUMENT);
    assert_int_equal(ll_fix_run(fix, rules, good.bytes, good.size, NULL, &options), LL_OK);
    assert_int_equal(ll_fix_print(fix, "html", true, NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_fix_run(fix, rules, NULL, 0, NULL, &options), LL_OK);
    ll_fix_free(fix);
    ll_fix_free(NULL);
    ll_ruleset_free(open);
    ll_ruleset_free(rules);
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    sample good;
    const void *bytes = NULL;
    size_t size = 0;
    ll_fix_step step;
    ll_ruleset *rules = sealed(NULL);
    ll_fix *fix = new_fix();
    sample_good(&good);
    assert_int_equal(run(fix, rules, &good, LL_PATCH_UNSAFE), 0);
    assert_int_equal(ll_fix_result(fix, &bytes, &size), 0);
    assert_ptr_equal(bytes, good.bytes);
    assert_int_equal(size, good.size);
    assert_int_equal(ll_fix_count(fix), 0);
    assert_false(ll_fix_at(fix, 0, &step));
    ll_fix_free(fix);
    ll_ruleset_free(rules);
}

static void test_safe_ones_and_all(void **state)
{
    (void)state;
    sample bad;
    ll_ruleset *rules = sealed(NULL);
    ll_fix *fix = new_fix();
    sample_good(&bad);
    sample_put(&bad, SAMPLE_CM00 + 8 + 7, 1, 8); /* a bit that no hash has set */
    size_t safe = run(fix, rules, &bad, LL_PATCH_SAFE);
    assert_true(safe > 0);
    assert_int_equal(step_of(fix, "name-hash-48bit-named").patch.offset, SAMPLE_CM00 + 8);
    sample_bad(&bad);
    size_t all = run(fix, rules, &bad, LL_PATCH_UNSAFE);
    assert_true(all > safe);
    bool unsafe = false;
    ll_fix_step step;
    for (size_t i = 0; i < all && ll_fix_at(fix, i, &step); i++) {
        assert_false(unsafe && step.patch.tier == LL_PATCH_SAFE); /* safe ones come first */
        unsafe = step.patch.tier == LL_PATCH_UNSAFE;
        assert_memory_equal(step.was, bad.bytes + step.patch.offset, (size_t)step.patch.removed);
    }
    ll_fix_free(fix);
    ll_ruleset_free(rules);
}

/* Four bytes are inserted into or removed from a light, with and without a change of its size. Either several places
 * are possible and the file stays as it is, or it is restored. */
static void test_bytes_that_were_moved(void **state)
{
    (void)state;
    enum { AT = SAMPLE_LIGHT + SAMPLE_TRANSLATION };
    ll_ruleset *rules = sealed(NULL);
    ll_fix *fix = new_fix();
    sample good;
    sample_good(&good);
    for (unsigned i = 0; i < 3; i++) {
        sample bad = good;
        const void *bytes = NULL;
        size_t size = 0;
        bool in = i < 2;
        memmove(bad.bytes + AT + (in ? 4 : 0), good.bytes + AT + (in ? 0 : 4), good.size - AT - (in ? 0 : 4));
        bad.size = in ? good.size + 4 : good.size - 4;
        if (in) {
            memset(bad.bytes + AT, 0, 4);
        }
        sample_put(&bad, SAMPLE_LIGHT + 4, 4,
                   i == 0 ? SAMPLE_LIGHT_SIZE
                   : in   ? SAMPLE_LIGHT_SIZE + 4
                          : SAMPLE_LIGHT_SIZE - 4);
        assert_int_equal(run(fix, rules, &bad, LL_PATCH_SAFE), 0);
        size_t patches = run(fix, rules, &bad, LL_PATCH_UNSAFE);
        (void)ll_fix_result(fix, &bytes, &size);
        const sample *right = patches ? &good : &bad;
        assert_int_equal(size, right->size);
        assert_memory_equal(bytes, right->bytes, right->size);
    }
    ll_fix_free(fix);
    ll_ruleset_free(rules);
}

static const char SPOIL[] = "- {id: YARD001, name: reserved-set, severity: note, tags: [yard], on: grx.header,\n"
                            "   field: reserved, check: range, value: '>= 1', title: T., why: W., fix: F.}\n";

static void test_one_that_spoils_something(void **state)
{
    (void)state;
    sample bad;
    ll_ruleset *rules = sealed(SPOIL);
    ll_ruleset *plain = sealed(NULL);
    ll_fix *fix = new_fix();
    sample_bad(&bad);
    size_t all = run(fix, plain, &bad, LL_PATCH_UNSAFE);
    const char *name = step_of(fix, "name-hash-48bit-named").name; /* another patch, offered by both rule sets */
    ll_fix_step first;
    assert_true(ll_fix_at(fix, 0, &first));
    for (size_t i = 0; ll_fix_at(fix, i, &first) && first.patch.offset != 4; i++) {
    }
    assert_int_equal(first.patch.offset, 4); /* header.reserved */
    char spoils[64];
    (void)snprintf(spoils, sizeof spoils, "%s", first.name);
    assert_int_equal(run(fix, rules, &bad, LL_PATCH_UNSAFE), all - 1);
    assert_int_equal(step_of(fix, name).outcome, LL_FIX_APPLIED);
    ll_fix_step left = step_of(fix, spoils);
    assert_int_equal(left.outcome, LL_FIX_SPOILS);
    assert_string_equal(left.spoiler_name, "reserved-set");
    assert_string_equal(left.spoiler_path, "header.reserved");
    assert_int_equal(left.spoiler_severity, LL_NOTE);

    ll_fix_options options = {
        .size = sizeof options, .tier = LL_PATCH_UNSAFE, .judge = rules}; /* same result if `rules` only judges */
    assert_int_equal(ll_fix_run(fix, plain, bad.bytes, bad.size, &NAMED, &options), LL_OK);
    assert_string_equal(step_of(fix, spoils).spoiler_name, "reserved-set");
    assert_int_equal(run(fix, plain, &bad, LL_PATCH_UNSAFE), all);
    ll_fix_free(fix);
    ll_ruleset_free(plain);
    ll_ruleset_free(rules);
}

typedef struct asked {
    unsigned times;
    const char *name; /* name of the wanted rule; NULL: none */
} asked;

static bool wants(void *ctx, const ll_finding *finding)
{
    asked *a = ctx;
    a->times++;
    return a->name && strcmp(finding->name, a->name) == 0;
}

static ll_status mark_all(void *ctx, ll_report *report)
{
    static const ll_mark mark = {LL_MARK_SUPPRESSED, "known", "x", 1};
    ll_status status = LL_OK;
    (void)ctx;
    for (size_t i = 0; i < ll_report_finding_count(report) && status == LL_OK; i++) {
        status = ll_report_mark(report, i, &mark);
    }
    return status;
}

static void test_who_is_asked(void **state)
{
    (void)state;
    sample bad;
    asked a = {0, "name-hash-48bit-named"};
    ll_fix_options options = {.size = sizeof options, .tier = LL_PATCH_UNSAFE, .wants = wants, .ctx = &a};
    ll_ruleset *rules = sealed(NULL);
    ll_fix *fix = new_fix();
    const void *bytes = NULL;
    size_t size = 0;
    sample_bad(&bad);
    assert_int_equal(ll_fix_run(fix, rules, bad.bytes, bad.size, &NAMED, &options), LL_OK);
    assert_int_equal(ll_fix_result(fix, &bytes, &size), 1);
    assert_int_equal(size, bad.size);
    assert_int_equal(a.times, ll_fix_count(fix)); /* once per finding */
    assert_true(a.times >= 1);
    options = (ll_fix_options){.size = sizeof options, .tier = LL_PATCH_UNSAFE, .mark = mark_all};
    assert_int_equal(ll_fix_run(fix, rules, bad.bytes, bad.size, &NAMED, &options), LL_OK);
    assert_int_equal(ll_fix_count(fix), 0);
    options.marked = true;
    assert_int_equal(ll_fix_run(fix, rules, bad.bytes, bad.size, &NAMED, &options), LL_OK);
    assert_true(ll_fix_result(fix, &bytes, &size) >= 1);
    ll_fix_free(fix);
    ll_ruleset_free(rules);
}

/* ------------------------------------------------------------------ journals */

#define ENTRY                                                                                                          \
    "{\"type\":\"file\",\"schema\":1,\"file\":\"a\",\"patches\":2,\"size_before\":3,\"size_after\":4,"                 \
    "\"hash_before\":\"e71fa2190541574b\",\"hash_after\":\"fc179f83ee0724dd\"}\n" /* hashes of "abc" and "abcd" */
#define FIRST "{\"type\":\"patch\",\"offset\":0,\"was\":\"61\",\"bytes\":\"61\"}\n"
#define SECOND "{\"type\":\"patch\",\"offset\":3,\"was\":\"\",\"bytes\":\"64\"}\n"

static ll_journal *journal_of(const char *text)
{
    ll_journal *journal = NULL;
    ll_problem problem = {0};
    assert_int_equal(ll_journal_create(NULL, text, strlen(text), &journal, &problem), LL_OK);
    return journal;
}

static ll_undo undo(ll_journal *journal, size_t index, const char *bytes, const char *wanted)
{
    ll_undone out;
    assert_int_equal(ll_journal_undo(journal, index, bytes, strlen(bytes), &out), LL_OK);
    if (out.outcome == LL_UNDO_DONE) {
        assert_int_equal(out.size, strlen(wanted));
        assert_memory_equal(out.bytes, wanted, out.size);
    }
    return out.outcome;
}

static void test_journal(void **state)
{
    (void)state;
    ll_journal_entry entry;
    ll_journal *journal =
        journal_of(ENTRY FIRST SECOND "{\"type\":\"summary\"}\n" ENTRY FIRST "{\"type\":\"pa\n" ENTRY);
    assert_true(ll_journal_at(journal, 0, &entry));
    assert_string_equal(entry.file, "a");
    assert_int_equal(entry.line, 1);
    assert_true(entry.whole);
    assert_true(ll_journal_at(journal, 1, &entry));
    assert_int_equal(entry.line, 5);
    assert_false(entry.whole);
    assert_true(ll_journal_at(journal, 2, &entry) && !entry.whole);
    assert_false(ll_journal_at(journal, 3, &entry));
    assert_int_equal(undo(journal, 0, "abcd", "abc"), LL_UNDO_DONE);
    assert_int_equal(undo(journal, 0, "abc", ""), LL_UNDO_NOTHING);
    assert_int_equal(undo(journal, 0, "abce", ""), LL_UNDO_OTHER);
    assert_int_equal(undo(journal, 1, "abcd", ""), LL_UNDO_OTHER);
    assert_int_equal(undo(journal, 1, "abc", ""), LL_UNDO_NOTHING);
    ll_journal_free(journal);
    ll_journal_free(NULL);
    ll_journal_free(journal_of(""));
}

static void test_no_journal(void **state)
{
    (void)state;
    static const char *const refused[] = {"x\n",
                                          "{}\n",
                                          SECOND,
                                          ENTRY "\n" FIRST SECOND SECOND,
                                          "{\"type\":\"file\",\"schema\":2}\n",
                                          "{\"type\":\"file\",\"schema\":1}\n",
                                          ENTRY "{\"type\":\"patch\",\"offset\":0,\"was\":\"6\",\"bytes\":\"61\"}\n",
                                          ENTRY "{\"type\":\"patch\",\"offset\":0,\"was\":\"6x\",\"bytes\":\"61\"}\n",
                                          ENTRY "{\"type\":\"patch\",\"was\":\"61\",\"bytes\":\"61\"}\n"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ll_journal *journal = NULL;
        ll_problem problem = {0};
        assert_int_equal(ll_journal_create(NULL, refused[i], strlen(refused[i]), &journal, &problem), LL_E_INPUT);
        assert_null(journal);
        assert_true(problem.line > 0 && problem.text[0]);
    }
    assert_int_equal(ll_journal_create(NULL, NULL, 1, NULL, NULL), LL_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),         cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_safe_ones_and_all), cmocka_unit_test(test_one_that_spoils_something),
        cmocka_unit_test(test_who_is_asked),      cmocka_unit_test(test_journal),
        cmocka_unit_test(test_no_journal),        cmocka_unit_test(test_bytes_that_were_moved),
    };
    return cmocka_run_group_tests_name("fix", tests, NULL, NULL);
}
