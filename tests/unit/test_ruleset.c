/* rules/ruleset: the catalogue, selectors, packs of users, sealing; and the shipped tables against the packs. */
#include "unit.h"

#include "rules/pack.h"
#include "rules/ruleset.h"

#include <stdio.h>
#include <stdlib.h>

/* A pack of two rules: one active, one off by default. */
static const char two[] = "- id: OWN010\n  name: mod-range\n  severity: warning\n  tags: [value, mod]\n"
                          "  on: grx.point_light\n  field: lumen\n  check: range\n  value: '> 0'\n"
                          "  title: T.\n  why: w\n  fix: f\n"
                          "- id: OWN011\n  name: mod-off\n  severity: off\n  tags: [value, mod]\n"
                          "  on: grx.name\n  field: text\n  check: regex\n  value: '^a'\n"
                          "  yields_to: mod-range\n  title: T.\n  why: w\n  fix: f\n";

typedef struct fixture {
    ll_ruleset *rules;
    ll_problem problem;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f || ll_ruleset_create(NULL, &f->rules) != LL_OK) {
        free(f);
        return -1;
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    ll_ruleset_free(f->rules);
    free(f);
    return 0;
}

static ll_rule_info info_of(fixture *f, const char *what)
{
    size_t index = SIZE_MAX;
    ll_rule_info info;
    if (!ll_ruleset_find(f->rules, what, &index, &f->problem)) {
        fail_msg("%s: %s", what, f->problem.text);
    }
    assert_true(ll_ruleset_rule(f->rules, index, &info));
    return info;
}

static ll_severity severity_of(fixture *f, const char *what)
{
    return info_of(f, what).severity;
}

static void add_two(fixture *f)
{
    assert_int_equal(ll_ruleset_add_pack(f->rules, "two.yaml", two, sizeof two - 1, &f->problem), LL_OK);
}

static void assert_refused(fixture *f, ll_status status, const char *words)
{
    if (status != LL_E_PACK || !strstr(f->problem.text, words)) {
        fail_msg("status %d, \"%s\" instead of \"%s\"", status, f->problem.text, words);
    }
}

/* ------------------------------------------------------------------ the shipped rules */

static void test_the_catalogue_is_sorted_and_complete(void **state)
{
    fixture *f = *state;
    size_t count = ll_ruleset_count(f->rules);
    assert_int_equal(count, ll_shipped_rule_count);
    assert_true(count > 100);
    const char *before = "";
    for (size_t i = 0; i < count; i++) {
        ll_rule_info info;
        assert_true(ll_ruleset_rule(f->rules, i, &info));
        assert_true(strcmp(before, info.id) < 0);
        before = info.id;
        const char *texts[] = {info.name,     info.family, info.title,  info.why,
                               info.evidence, info.fix,    info.target, info.check};
        for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
            assert_true(texts[t] && texts[t][0]);
        }
        assert_true(info.tag_count > 0);
        assert_int_equal(info.severity, info.default_severity);
    }
    ll_rule_info info;
    assert_false(ll_ruleset_rule(f->rules, count, &info));
}

static void assert_same_words(const ll_words *a, const ll_words *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_string_equal(a->at[i], b->at[i]);
    }
}

static void assert_same_rule(const ll_rule *a, const ll_rule *b)
{
    const char *left[] = {a->id,       a->name,    a->family, a->test.check, a->when.check, a->when_field,
                          a->fault,    a->title,   a->why,    a->evidence,   a->fix,        a->found,
                          a->expected, a->related, a->target, a->check_text, a->origin};
    const char *right[] = {b->id,       b->name,    b->family, b->test.check, b->when.check, b->when_field,
                           b->fault,    b->title,   b->why,    b->evidence,   b->fix,        b->found,
                           b->expected, b->related, b->target, b->check_text, b->origin};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        assert_string_equal(left[i], right[i]);
    }
    const ll_words *lists[] = {&a->tags,       &a->on,         &a->fields,    &a->except,
                               &a->test.value, &a->when.value, &a->yields_to, &a->hints};
    const ll_words *others[] = {&b->tags,       &b->on,         &b->fields,    &b->except,
                                &b->test.value, &b->when.value, &b->yields_to, &b->hints};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        assert_same_words(lists[i], others[i]);
    }
    assert_int_equal(a->severity, b->severity);
    assert_int_equal(a->locked, b->locked);
    assert_int_equal(a->patch, b->patch);
    assert_int_equal(a->line, b->line);
}

static char *read_file(const char *path, size_t *size)
{
    char full[1024];
    (void)snprintf(full, sizeof full, "%s/%s", LIGHTLINT_SOURCE_DIR, path);
    FILE *file = fopen(full, "rb");
    if (!file) {
        fail_msg("cannot open %s", full);
    }
    static char buffer[1024 * 1024];
    *size = fread(buffer, 1, sizeof buffer, file);
    (void)fclose(file);
    char *exact = malloc(*size + 1);
    assert_non_null(exact);
    memcpy(exact, buffer, *size);
    return exact;
}

/* The tables written by packc equal what the reader makes of the packs at run time. */
static void test_tables_are_what_the_packs_say(void **state)
{
    fixture *f = *state;
    size_t seen = 0;
    for (size_t i = 0; i < ll_shipped_rule_count; i++) {
        const char *origin = ll_rule_at(f->rules, i)->origin;
        bool first = true;
        for (size_t j = 0; j < i; j++) {
            first = first && strcmp(ll_rule_at(f->rules, j)->origin, origin) != 0;
        }
        if (!first) {
            continue;
        }
        size_t size;
        char *text = read_file(origin, &size);
        ll_arena arena;
        ll_arena_init(&arena, NULL, SIZE_MAX);
        ll_rule *rules;
        size_t count;
        assert_int_equal(ll_pack_read(&arena, &(ll_pack_text){origin, text, size}, &rules, &count, &f->problem), LL_OK);
        free(text);
        for (size_t j = 0; j < count; j++) {
            size_t index;
            assert_true(ll_ruleset_find(f->rules, rules[j].id, &index, NULL));
            assert_same_rule(ll_rule_at(f->rules, index), &rules[j]);
            assert_string_equal(ll_rule_family(f->rules, index), rules[j].family);
            assert_ptr_equal(ll_rule_at(f->rules, index), ll_rule_at(f->rules, index));
        }
        seen += count;
        ll_arena_free(&arena);
    }
    assert_int_equal(seen, ll_shipped_rule_count);
}

/* ------------------------------------------------------------------ look-up */

static void test_rules_are_found_by_id_and_name(void **state)
{
    fixture *f = *state;
    assert_string_equal(info_of(f, "GRX010").name, "grx-magic");
    assert_string_equal(info_of(f, "grx-magic").id, "GRX010");
    assert_string_equal(info_of(f, "grx/grx-magic").id, "GRX010");
    assert_string_equal(info_of(f, "grx010").name, "grx-magic");
    assert_string_equal(info_of(f, "GRX-Magic").id, "GRX010");
    assert_string_equal(info_of(f, "Grx/GRX-magic").id, "GRX010");
    assert_string_equal(info_of(f, "core/unreadable").id, "LL001");
    assert_true(info_of(f, "LL001").locked);
    assert_string_equal(info_of(f, "LL001").check, "fault unreadable");
    assert_string_equal(info_of(f, "LL001").target, "file");
    static const struct {
        const char *what, *words;
    } rows[] = {
        {"grx-magik", "unknown rule 'grx-magik'; did you mean 'grx-magic'?"},
        {"GRX01O", "unknown rule 'GRX01O'; did you mean 'GRX01"},
        {"core/grx-magic", "unknown rule 'core/grx-magic'; did you mean 'grx-magic'?"},
        {"GRX", "unknown rule 'GRX'; did you mean"},
        {"tag:seed", "unknown rule 'tag:seed'"},
        {"GRX01*", "unknown rule 'GRX01*'"},
        {"", "unknown rule ''"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t index;
        assert_false(ll_ruleset_find(f->rules, rows[i].what, &index, &f->problem));
        assert_refused(f, LL_E_PACK, rows[i].words);
        assert_false(ll_ruleset_find(f->rules, rows[i].what, &index, NULL));
    }
}

/* ------------------------------------------------------------------ selectors */

static size_t count_running(fixture *f)
{
    size_t running = 0;
    for (size_t i = 0; i < ll_ruleset_count(f->rules); i++) {
        ll_rule_info info;
        assert_true(ll_ruleset_rule(f->rules, i, &info));
        running += info.severity != LL_SEVERITY_OFF;
    }
    return running;
}

static size_t count_locked(fixture *f)
{
    size_t locked = 0;
    for (size_t i = 0; i < ll_ruleset_count(f->rules); i++) {
        ll_rule_info info;
        assert_true(ll_ruleset_rule(f->rules, i, &info));
        locked += info.locked;
    }
    return locked;
}

static void test_the_first_selection_switches_the_rest_off(void **state)
{
    fixture *f = *state;
    assert_int_equal(ll_ruleset_select(f->rules, "grx-magic", &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "GRX010"), LL_ERROR);
    assert_int_equal(severity_of(f, "LED001"), LL_SEVERITY_OFF);
    assert_int_equal(severity_of(f, "LL001"), LL_ERROR); /* locked: unread files are always reported */
    assert_int_equal(count_running(f), 1 + count_locked(f));
    assert_int_equal(ll_ruleset_select(f->rules, "LED", &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "GRX010"), LL_ERROR);
    assert_int_equal(severity_of(f, "LED001"), LL_WARNING);
    assert_int_equal(info_of(f, "LED001").default_severity, LL_WARNING);
    assert_int_equal(count_running(f), 3 + count_locked(f));
}

static void test_ignoring_wins(void **state)
{
    fixture *f = *state;
    assert_int_equal(ll_ruleset_ignore(f->rules, "GRX010", &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "GRX010"), LL_SEVERITY_OFF);
    assert_int_equal(ll_ruleset_select(f->rules, "GRX", &f->problem), LL_OK);
    assert_int_equal(ll_ruleset_select(f->rules, "GRX010", &f->problem), LL_OK);
    assert_int_equal(ll_ruleset_set_severity(f->rules, "GRX010", LL_ERROR, &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "GRX010"), LL_SEVERITY_OFF);
    assert_int_equal(severity_of(f, "GRX015"), LL_ERROR);
}

static void test_every_form_of_selector(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *selector;
        const char *in, *out;
    } rows[] = {
        {"GRX010", "GRX010", "GRX015"},
        {"GRX01", "GRX015", "GRX020"},
        {"GRX", "GRX010", "LED001"},
        {"gap", "LED001", "LED002"},
        {"ledger/gap", "LED001", "LED002"},
        {"ledger/*", "LED002", "GRX010"},
        {"grx-m*c", "GRX010", "GRX015"},
        {"LED00?", "LED002", "GRX010"},
        {"*gi?", "GRX010", "GRX015"},
        {"tag:corpus", "GRX010", "LED001"},
        {"*/grx-magic", "GRX010", "GRX015"},
        {"all", "LED001", NULL},
        {"*", "LED001", NULL},
        {"grx01", "GRX015", "GRX020"},
        {"grx010", "GRX010", "GRX015"},
        {"Gap", "LED001", "LED002"},
        {"led00?", "LED002", "GRX010"},
        {"GRX-M*", "GRX010", "GRX015"},
        {"Tag:CORPUS", "GRX010", "LED001"},
        {"LEDGER/*", "LED002", "GRX010"},
        {"ALL", "LED001", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture own = {0};
        assert_int_equal(ll_ruleset_create(NULL, &own.rules), LL_OK);
        if (ll_ruleset_select(own.rules, rows[i].selector, &own.problem) != LL_OK) {
            fail_msg("%s: %s", rows[i].selector, own.problem.text);
        }
        assert_int_not_equal(severity_of(&own, rows[i].in), LL_SEVERITY_OFF);
        if (rows[i].out && severity_of(&own, rows[i].out) != LL_SEVERITY_OFF) {
            fail_msg("%s: %s runs", rows[i].selector, rows[i].out);
        }
        ll_ruleset_free(own.rules);
    }
    static const struct {
        const char *selector, *words;
    } bad[] = {
        {"grx-magik", "unknown rule 'grx-magik'; did you mean 'grx-magic'?"},
        {"tag:corpse", "unknown tag 'corpse'; did you mean 'corpus'?"},
        {"tag:", "unknown tag ''"},
        {"zzz*", "no rule matches 'zzz*'"},
        {"", "unknown rule ''"},
        {"grx/", "unknown rule 'grx/'"},
        {"/grx-magic", "unknown rule '/grx-magic'; did you mean 'grx-magic'?"},
        {"gr/grx-magic", "unknown rule 'gr/grx-magic'; did you mean 'grx-magic'?"},
    };
    size_t running = count_running(f);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        f->problem.line = f->problem.column = 7; /* left from an earlier problem */
        assert_refused(f, ll_ruleset_select(f->rules, bad[i].selector, &f->problem), bad[i].words);
        assert_int_equal(f->problem.line, 0);
        assert_int_equal(f->problem.column, 0);
        assert_refused(f, ll_ruleset_ignore(f->rules, bad[i].selector, &f->problem), bad[i].words);
        assert_refused(f, ll_ruleset_set_severity(f->rules, bad[i].selector, LL_NOTE, &f->problem), bad[i].words);
    }
    assert_int_equal(count_running(f), running); /* refused selectors change nothing */
}

static void test_globs_do_not_blow_up(void **state)
{
    fixture *f = *state;
    char pattern[201];
    for (size_t i = 0; i < 200; i++) {
        pattern[i] = i % 2 ? 'e' : '*';
    }
    pattern[200] = '\0';
    assert_refused(f, ll_ruleset_select(f->rules, pattern, &f->problem), "no rule matches");
}

static void test_severities(void **state)
{
    fixture *f = *state;
    assert_int_equal(ll_ruleset_set_severity(f->rules, "LED001", LL_ERROR, &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "LED001"), LL_ERROR);
    assert_int_equal(info_of(f, "LED001").default_severity, LL_WARNING);
    assert_int_equal(ll_ruleset_set_severity(f->rules, "LED001", LL_SEVERITY_OFF, &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "LED001"), LL_SEVERITY_OFF);
    assert_int_equal(ll_ruleset_set_severity(f->rules, "tag:structure", LL_NOTE, &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "LED001"), LL_NOTE);
    assert_int_equal(severity_of(f, "GRX010"), LL_NOTE);
    assert_int_equal(ll_ruleset_set_severity(f->rules, "LED001", (ll_severity)4, &f->problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_select(f->rules, "GRX015", &f->problem), LL_OK);
    assert_int_equal(ll_ruleset_set_severity(f->rules, "GRX010", LL_ERROR, &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "GRX010"), LL_SEVERITY_OFF); /* setting a severity does not select a rule */
}

static void test_locked_rules_stay(void **state)
{
    fixture *f = *state;
    assert_refused(f, ll_ruleset_ignore(f->rules, "LL001", &f->problem),
                   "rule LL001 (unreadable) is locked: it cannot be ignored");
    assert_refused(f, ll_ruleset_ignore(f->rules, "core/unreadable", &f->problem), "is locked");
    assert_refused(f, ll_ruleset_set_severity(f->rules, "unreadable", LL_NOTE, &f->problem),
                   "is locked: it cannot be lowered");
    assert_refused(f, ll_ruleset_set_severity(f->rules, "LL001", LL_SEVERITY_OFF, &f->problem), "is locked");
    assert_int_equal(ll_ruleset_set_severity(f->rules, "LL001", LL_ERROR, &f->problem), LL_OK);
    assert_int_equal(ll_ruleset_ignore(f->rules, "all", &f->problem), LL_OK);
    assert_int_equal(ll_ruleset_set_severity(f->rules, "LL", LL_NOTE, &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "LL001"), LL_ERROR);
    assert_int_equal(severity_of(f, "LL004"), LL_SEVERITY_OFF);
    assert_int_equal(count_running(f), count_locked(f));
}

static void test_rules_that_are_off_wake_by_name_only(void **state)
{
    fixture *f = *state;
    add_two(f);
    assert_int_equal(severity_of(f, "OWN011"), LL_SEVERITY_OFF);
    assert_int_equal(ll_ruleset_select(f->rules, "OWN", &f->problem), LL_OK);
    assert_int_equal(ll_ruleset_select(f->rules, "all", &f->problem), LL_OK);
    assert_int_equal(ll_ruleset_set_severity(f->rules, "tag:mod", LL_ERROR, &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "OWN010"), LL_ERROR);
    assert_int_equal(severity_of(f, "OWN011"), LL_SEVERITY_OFF);
    assert_int_equal(ll_ruleset_select(f->rules, "grx/mod-off", &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "OWN011"), LL_NOTE);
    assert_int_equal(ll_ruleset_set_severity(f->rules, "OWN011", LL_WARNING, &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "OWN011"), LL_WARNING);
}

static void test_a_severity_wakes_a_rule_by_name(void **state)
{
    fixture *f = *state;
    add_two(f);
    assert_int_equal(ll_ruleset_set_severity(f->rules, "mod-off", LL_ERROR, &f->problem), LL_OK);
    assert_int_equal(severity_of(f, "OWN011"), LL_ERROR);
}

/* ------------------------------------------------------------------ packs */

static void test_a_pack_is_merged_by_id(void **state)
{
    fixture *f = *state;
    size_t before = ll_ruleset_count(f->rules);
    add_two(f);
    assert_int_equal(ll_ruleset_count(f->rules), before + 2);
    const char *last = "";
    for (size_t i = 0; i < before + 2; i++) {
        ll_rule_info info;
        assert_true(ll_ruleset_rule(f->rules, i, &info));
        assert_true(strcmp(last, info.id) < 0);
        last = info.id;
    }
    ll_rule_info info = info_of(f, "mod-range");
    assert_string_equal(info.id, "OWN010");
    assert_string_equal(info.family, "grx");
    assert_string_equal(info.target, "grx.point_light.lumen");
    assert_string_equal(info.check, "range '> 0'");
    assert_string_equal(info.evidence, "");
    assert_int_equal(info.tag_count, 2);
    assert_refused(f, ll_ruleset_add_pack(f->rules, "again.yaml", two, sizeof two - 1, &f->problem),
                   "again.yaml: id 'OWN010' is taken by OWN010 (mod-range) of two.yaml");
    assert_int_equal(f->problem.line, 1);
    assert_int_equal(ll_ruleset_count(f->rules), before + 2);
}

static void test_selections_outlive_a_pack(void **state)
{
    fixture *f = *state;
    assert_int_equal(ll_ruleset_ignore(f->rules, "GRX010", &f->problem), LL_OK);
    assert_int_equal(ll_ruleset_select(f->rules, "GRX015", &f->problem), LL_OK);
    add_two(f);
    assert_int_equal(severity_of(f, "GRX010"), LL_SEVERITY_OFF);
    assert_int_equal(severity_of(f, "GRX015"), LL_ERROR);
    assert_int_equal(severity_of(f, "OWN010"), LL_SEVERITY_OFF);
}

typedef struct bad_pack {
    const char *file;
    unsigned line, column;
    const char *words;
} bad_pack;

static const bad_pack bad_packs[] = {
    {"bad-anchor.yaml", 5, 9, "anchor '&tags'"},
    {"bad-case.yaml", 11, 41, "unknown key 'severity'; there are: on, field"},
    {"bad-case-unique.yaml", 10, 34, "check 'unique' compares beyond a span and cannot be used in 'cases'"},
    {"bad-duplicate-id.yaml", 15, 7, "id 'OWN001' is taken by OWN001 (name-prefix)"},
    {"bad-duplicate-key.yaml", 14, 3, "duplicate key 'severity'"},
    {"bad-empty.yaml", 1, 1, "there is no rule"},
    {"bad-id-pattern.yaml", 2, 7, "id 'MOD01'"},
    {"bad-missing-title.yaml", 2, 3, "the rule lacks the key 'title'"},
    {"bad-misspelt-field.yaml", 7, 10, "unknown field 'outer_rnge'"},
    {"bad-name-pattern.yaml", 3, 9, "'NamePrefix' must be lower-case"},
    {"bad-not-yaml.yaml", 9, 10, "not YAML"},
    {"bad-owner.yaml", 7, 7, "'.flags' is not a name, or two with a dot"},
    {"bad-owner-family.yaml", 7, 3, "records of family 'grx' have none"},
    {"bad-regex.yaml", 9, 10, "missing closing parenthesis"},
    {"bad-severity.yaml", 4, 13, "severity: no such value: 'fatal'"},
    {"bad-shipped-id.yaml", 2, 7, "id 'GRX999' has a prefix of the shipped rules"},
    {"bad-shipped-name.yaml", 3, 9, "name 'grx-magic' is taken by GRX010 (grx-magic) of rules/grx.yaml"},
    {"bad-template.yaml", 14, 10, "'found' has a brace"},
    {"bad-title-without-stop.yaml", 10, 10, "ends with a full stop"},
    {"bad-two-documents.yaml", 14, 1, "a second document"},
    {"bad-two-families.yaml", 6, 18, "'rgm.name' belongs to another family"},
    {"bad-two-origins.yaml", 2, 3, "a rule needs either"},
    {"bad-unknown-check.yaml", 7, 10, "did you mean 'grx.name_hash'?"},
    {"bad-unknown-fault.yaml", 10, 10, "did you mean 'grx.grx-header-gap'?"},
    {"bad-unknown-hint.yaml", 14, 11, "unknown hint 'one-byte-of-nam'; did you mean 'one-byte-of-name'?"},
    {"bad-unknown-key.yaml", 13, 3, "unknown key 'sevrity'; did you mean 'severity'?"},
    {"bad-unknown-predicate.yaml", 8, 10, "did you mean 'regex'?"},
    {"bad-unknown-record.yaml", 6, 7, "did you mean 'grx.name'?"},
    {"bad-value.yaml", 9, 10, "'bright' is not a number"},
    {"bad-wrong-type.yaml", 8, 10, "regex"},
    {"bad-yields-nowhere.yaml", 14, 14, "unknown rule 'name-hsh'; did you mean 'name-hash'?"},
    {"bad-yields-ring.yaml", 28, 3, "leads back"},
};

static void test_bad_packs_are_refused_whole(void **state)
{
    fixture *f = *state;
    size_t before = ll_ruleset_count(f->rules);
    for (size_t i = 0; i < sizeof bad_packs / sizeof bad_packs[0]; i++) {
        const bad_pack *bad = &bad_packs[i];
        char path[256];
        (void)snprintf(path, sizeof path, "corpus/packs/%s", bad->file);
        size_t size;
        char *text = read_file(path, &size);
        ll_status status = ll_ruleset_add_pack(f->rules, bad->file, text, size, &f->problem);
        free(text);
        bool prefixed = strncmp(f->problem.text, bad->file, strlen(bad->file)) == 0;
        if (status != LL_E_PACK || f->problem.line != bad->line || f->problem.column != bad->column || !prefixed ||
            !strstr(f->problem.text, bad->words)) {
            fail_msg("%s: status %d, %u:%u: %s", bad->file, status, f->problem.line, f->problem.column,
                     f->problem.text);
        }
        assert_int_equal(ll_ruleset_count(f->rules), before);
    }
    assert_int_equal(ll_ruleset_seal(f->rules, &f->problem), LL_OK);
}

static void test_good_packs_are_taken_together(void **state)
{
    fixture *f = *state;
    static const char *const files[] = {"good-name-prefix.yaml", "good-guarded-range.yaml", "good-named-check.yaml",
                                        "good-properties.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[256];
        (void)snprintf(path, sizeof path, "corpus/packs/%s", files[i]);
        size_t size;
        char *text = read_file(path, &size);
        if (ll_ruleset_add_pack(f->rules, files[i], text, size, &f->problem) != LL_OK) {
            fail_msg("%s", f->problem.text);
        }
        free(text); /* the rules keep no pointer into it */
    }
    assert_string_equal(info_of(f, "name-prefix").check, "regex '\\Amymod_[a-z0-9_]+\\z'");
    assert_int_equal(ll_ruleset_seal(f->rules, &f->problem), LL_OK);
    assert_string_equal(info_of(f, "hash-of-name").target, "grx.point_light, grx.spot_light");
    assert_string_equal(info_of(f, "light-path").target,
                        "fox.single_string.value of LightArray.lightArrayFile, TppLightProbeArray.lightArrayFile");
    assert_string_equal(info_of(f, "usual-values").check, "equals '7'; equals '3'; range '>= 1'");
}

/* All examples on the page about packs are accepted. */
static void test_examples_of_the_page_are_taken(void **state)
{
    fixture *f = *state;
    size_t size;
    char *page = read_file("rules/README.md", &size);
    page[size] = '\0';
    size_t examples = 0;
    for (char *p = page; (p = strstr(p, "\n```yaml\n")) != NULL; examples++) {
        p += strlen("\n```yaml\n");
        char *end = strstr(p, "\n```");
        assert_non_null(end);
        if (ll_ruleset_add_pack(f->rules, "README.md", p, (size_t)(end - p), &f->problem) != LL_OK) {
            fail_msg("%u:%u: %s", f->problem.line, f->problem.column, f->problem.text);
        }
        p = end;
    }
    free(page);
    assert_true(examples > 0);
    assert_int_equal(ll_ruleset_seal(f->rules, &f->problem), LL_OK);
}

static void test_a_shipped_fault_has_its_rule(void **state)
{
    fixture *f = *state;
    static const char pack[] =
        "- id: OWN001\n  name: mine\n  severity: note\n  tags: mod\n  fault: grx.grx-header-gap\n"
        "  title: T.\n  why: w\n  fix: f\n  found: x\n  expected: y\n";
    assert_refused(f, ll_ruleset_add_pack(f->rules, "p", pack, sizeof pack - 1, &f->problem),
                   "p: fault 'grx.grx-header-gap' is taken by GRX035 (grx-header-gap) of rules/grx.yaml");
    assert_int_equal(f->problem.line, 5);
}

/* ------------------------------------------------------------------ sealing */

static const ll_format_program *program_of(const fixture *f, const ll_format *format)
{
    const ll_format_program *program = NULL;
    assert_int_equal(ll_ruleset_program(f->rules, format, LL_PROGRAM_ALL, &program), LL_OK);
    return program;
}

static void test_sealing_binds_and_ends_changes(void **state)
{
    fixture *f = *state;
    add_two(f);
    assert_int_equal(ll_ruleset_select(f->rules, "OWN011", &f->problem), LL_OK);
    const ll_format *grx = ll_format_find("grx");
    assert_null(program_of(f, grx));
    assert_int_equal(ll_ruleset_seal(f->rules, &f->problem), LL_OK);
    const ll_format_program *program = program_of(f, grx);
    assert_non_null(program);
    assert_ptr_equal(program->format, grx);
    assert_null(program_of(f, NULL));
    assert_int_equal(ll_ruleset_seal(f->rules, &f->problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_add_pack(f->rules, "p", two, sizeof two - 1, &f->problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_select(f->rules, "GRX", &f->problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_ignore(f->rules, "GRX", &f->problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_set_severity(f->rules, "GRX", LL_NOTE, &f->problem), LL_E_ARGUMENT);
    size_t off;
    size_t range;
    assert_true(ll_ruleset_find(f->rules, "mod-off", &off, NULL));
    assert_true(ll_ruleset_find(f->rules, "mod-range", &range, NULL));
    assert_int_equal(f->rules->rules[off].yields_count, 1);
    assert_int_equal(f->rules->rules[off].yields_to[0], range);
}

static void test_only_rules_in_force_are_bound(void **state)
{
    fixture *f = *state;
    add_two(f);
    assert_int_equal(ll_ruleset_select(f->rules, "OWN010", &f->problem), LL_OK);
    assert_int_equal(ll_ruleset_seal(f->rules, &f->problem), LL_OK);
    const ll_format *grx = ll_format_find("grx");
    const ll_format_program *program = program_of(f, grx);
    size_t tests = 0;
    for (size_t i = 0; i < grx->layout_count; i++) {
        tests += program->layouts[i].test_count;
        assert_int_equal(program->layouts[i].check_count, 0);
    }
    assert_int_equal(tests, 1);
    for (size_t i = 0; i < grx->fault_count; i++) {
        assert_int_equal(program->fault_rules[i], LL_NO_RULE);
    }
    assert_int_not_equal(f->rules->core_fault_rules[LL_FAULT_UNREADABLE], LL_NO_RULE);
    assert_int_equal(f->rules->core_fault_rules[LL_FAULT_GAP], LL_NO_RULE);
}

/* ------------------------------------------------------------------ memory */

typedef struct meter {
    size_t left, blocks;
} meter;

static void *metered_alloc(void *ctx, size_t size)
{
    meter *m = ctx;
    if (m->left == 0) {
        return NULL;
    }
    m->left--;
    m->blocks++;
    return malloc(size);
}

static void metered_release(void *ctx, void *block)
{
    meter *m = ctx;
    m->blocks--;
    free(block);
}

static ll_status whole_life(const ll_allocator *allocator)
{
    ll_ruleset *rules = NULL;
    ll_problem problem;
    ll_status status = ll_ruleset_create(allocator, &rules);
    if (status == LL_OK) {
        status = ll_ruleset_add_pack(rules, "two.yaml", two, sizeof two - 1, &problem);
    }
    if (status == LL_OK) {
        assert_int_equal(ll_ruleset_select(rules, "all", &problem), LL_OK);
        assert_int_equal(ll_ruleset_select(rules, "mod-off", &problem), LL_OK);
        status = ll_ruleset_seal(rules, &problem);
    }
    ll_ruleset_free(rules);
    return status;
}

static void test_memory_may_end_at_any_allocation(void **state)
{
    (void)state;
    size_t n = 0;
    for (ll_status status = LL_E_MEMORY; status != LL_OK; n++) {
        meter m = {.left = n};
        status = whole_life(&(ll_allocator){metered_alloc, metered_release, &m});
        assert_true(status == LL_OK || status == LL_E_MEMORY);
        assert_int_equal(m.blocks, 0);
    }
    assert_true(n > 5);
}

static bool is_bound(const ll_ruleset *rules, const char *family, ll_program_kind kind)
{
    size_t i = 0;
    while (ll_format_at(i) != ll_format_find(family)) {
        i++;
    }
    return atomic_load(&rules->formats[i].program[kind]) != NULL;
}

/* Shipped rules are bound when a file needs them; rules that may be refused are bound when the set is sealed. */
static void test_formats_are_bound_when_needed(void **state)
{
    fixture *f = *state;
    const ll_format_program *first = NULL;
    const ll_format_program *again = NULL;
    add_two(f);
    assert_int_equal(ll_ruleset_seal(f->rules, &f->problem), LL_OK);
    assert_true(is_bound(f->rules, "grx", LL_PROGRAM_UNSCREENED)); /* because of the rules in the pack */
    assert_false(is_bound(f->rules, "mrea", LL_PROGRAM_UNSCREENED));
    assert_int_equal(ll_ruleset_program(f->rules, ll_format_find("mrea"), LL_PROGRAM_UNSCREENED, &first), LL_OK);
    assert_int_equal(ll_ruleset_program(f->rules, ll_format_find("mrea"), LL_PROGRAM_UNSCREENED, &again), LL_OK);
    assert_true(is_bound(f->rules, "mrea", LL_PROGRAM_UNSCREENED));
    assert_non_null(first);
    assert_ptr_equal(first, again);
    assert_false(is_bound(f->rules, "rgm", LL_PROGRAM_UNSCREENED));
}

/* The program for every file lacks exactly the tests that have screens. */
static void test_screened_tests_are_bound_later(void **state)
{
    fixture *f = *state;
    const ll_format *mrea = ll_format_find("mrea");
    const ll_format_program *rest = NULL;
    const ll_format_program *all = NULL;
    size_t screened = 0;
    assert_int_equal(ll_ruleset_seal(f->rules, &f->problem), LL_OK);
    assert_int_equal(ll_ruleset_program(f->rules, mrea, LL_PROGRAM_UNSCREENED, &rest), LL_OK);
    assert_false(is_bound(f->rules, "mrea", LL_PROGRAM_ALL));
    assert_int_equal(ll_ruleset_program(f->rules, mrea, LL_PROGRAM_ALL, &all), LL_OK);
    for (size_t i = 0; i < mrea->layout_count; i++) {
        assert_int_equal(rest->layouts[i].screened_count, 0);
        assert_int_equal(rest->layouts[i].test_count + all->layouts[i].screened_count, all->layouts[i].test_count);
        assert_int_equal(rest->layouts[i].check_count, all->layouts[i].check_count);
        screened += all->layouts[i].screened_count;
    }
    assert_true(screened > 20);
}

/* A caller's allocator is used only up to sealing, not later by whichever thread comes first. */
static void test_an_allocator_is_not_asked_later(void **state)
{
    (void)state;
    meter m = {.left = SIZE_MAX};
    ll_allocator allocator = {metered_alloc, metered_release, &m};
    ll_ruleset *rules;
    ll_problem problem;
    const ll_format_program *program = NULL;
    assert_int_equal(ll_ruleset_create(&allocator, &rules), LL_OK);
    assert_int_equal(ll_ruleset_seal(rules, &problem), LL_OK);
    m.left = 0;
    assert_int_equal(ll_ruleset_program(rules, ll_format_find("rgm"), LL_PROGRAM_ALL, &program), LL_OK);
    assert_non_null(program);
    ll_ruleset_free(rules);
    assert_int_equal(m.blocks, 0);
}

static void test_late_binding_without_memory(void **state)
{
    (void)state;
    meter m = {.left = SIZE_MAX};
    ll_allocator allocator = {metered_alloc, metered_release, &m};
    ll_ruleset *rules;
    ll_problem problem;
    const ll_format_program *program = NULL;
    assert_int_equal(ll_ruleset_create(&allocator, &rules), LL_OK);
    rules->at_once = false;
    assert_int_equal(ll_ruleset_seal(rules, &problem), LL_OK);
    size_t blocks = m.blocks;
    ll_status status = LL_E_MEMORY;
    for (size_t n = 0; status != LL_OK; n++) {
        m.left = n;
        status = ll_ruleset_program(rules, ll_format_find("grx"), LL_PROGRAM_ALL, &program);
        assert_true(status == LL_OK || status == LL_E_MEMORY);
        assert_true(status == LL_OK ? program != NULL : program == NULL && m.blocks == blocks);
    }
    ll_ruleset_free(rules);
    assert_int_equal(m.blocks, 0);
}

/* packc resolved the names in `yields_to` correctly. */
static void test_shipped_rules_yield_to_those_they_name(void **state)
{
    fixture *f = *state;
    size_t seen = 0;
    assert_int_equal(ll_ruleset_seal(f->rules, &f->problem), LL_OK);
    for (size_t i = 0; i < f->rules->count; i++) {
        const ll_active_rule *active = &f->rules->rules[i];
        const ll_rule *rule = ll_rule_of(f->rules, active);
        const ll_words *names = &rule->yields_to;
        bool runs = active->severity != LL_SEVERITY_OFF;
        assert_int_equal(active->yields_count, runs ? names->count : 0);
        for (size_t j = 0; j < active->yields_count; j++, seen++) {
            const ll_rule *to = ll_rule_at(f->rules, active->yields_to[j]);
            assert_string_equal(to->name, names->at[j]);
            assert_string_equal(to->family, rule->family);
        }
    }
    assert_true(seen > 100);
}

static void test_a_failed_pack_leaves_the_set_usable(void **state)
{
    (void)state;
    for (size_t n = 0;; n++) {
        meter m = {.left = SIZE_MAX};
        ll_allocator allocator = {metered_alloc, metered_release, &m};
        ll_ruleset *rules;
        ll_problem problem;
        assert_int_equal(ll_ruleset_create(&allocator, &rules), LL_OK);
        m.left = n;
        ll_status status = ll_ruleset_add_pack(rules, "two.yaml", two, sizeof two - 1, &problem);
        m.left = SIZE_MAX;
        assert_int_equal(ll_ruleset_count(rules), ll_shipped_rule_count + (status == LL_OK ? 2 : 0));
        assert_int_equal(ll_ruleset_seal(rules, &problem), LL_OK);
        ll_ruleset_free(rules);
        assert_int_equal(m.blocks, 0);
        if (status == LL_OK) {
            break;
        }
        assert_int_equal(status, LL_E_MEMORY);
    }
}

/* Creating a set parses nothing and takes two blocks: the set and the states of its rules. */
static void test_creating_takes_two_blocks(void **state)
{
    (void)state;
    meter m = {.left = 2};
    ll_allocator allocator = {metered_alloc, metered_release, &m};
    ll_ruleset *rules;
    assert_int_equal(ll_ruleset_create(&allocator, &rules), LL_OK);
    ll_ruleset_free(rules);
    assert_int_equal(m.blocks, 0);
    ll_ruleset_free(NULL);
}

static void test_arguments(void **state)
{
    fixture *f = *state;
    assert_int_equal(ll_ruleset_add_pack(NULL, "p", "", 0, &f->problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_add_pack(f->rules, NULL, "", 0, &f->problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_add_pack(f->rules, "p", NULL, 1, &f->problem), LL_E_ARGUMENT);
    assert_refused(f, ll_ruleset_add_pack(f->rules, "p", NULL, 0, &f->problem), "there is no rule");
    assert_int_equal(ll_ruleset_add_pack(f->rules, "p", "x", 1, NULL), LL_E_PACK);
    assert_int_equal(ll_ruleset_select(NULL, "all", &f->problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_select(f->rules, NULL, &f->problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_select(f->rules, "nothing", NULL), LL_E_PACK);
    assert_int_equal(ll_ruleset_seal(NULL, &f->problem), LL_E_ARGUMENT);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_the_catalogue_is_sorted_and_complete),
        CASE(test_tables_are_what_the_packs_say),
        CASE(test_rules_are_found_by_id_and_name),
        CASE(test_the_first_selection_switches_the_rest_off),
        CASE(test_ignoring_wins),
        CASE(test_every_form_of_selector),
        CASE(test_globs_do_not_blow_up),
        CASE(test_severities),
        CASE(test_locked_rules_stay),
        CASE(test_rules_that_are_off_wake_by_name_only),
        CASE(test_a_severity_wakes_a_rule_by_name),
        CASE(test_a_pack_is_merged_by_id),
        CASE(test_selections_outlive_a_pack),
        CASE(test_bad_packs_are_refused_whole),
        CASE(test_good_packs_are_taken_together),
        CASE(test_examples_of_the_page_are_taken),
        CASE(test_a_shipped_fault_has_its_rule),
        CASE(test_sealing_binds_and_ends_changes),
        CASE(test_only_rules_in_force_are_bound),
        CASE(test_formats_are_bound_when_needed),
        CASE(test_screened_tests_are_bound_later),
        CASE(test_shipped_rules_yield_to_those_they_name),
        cmocka_unit_test(test_an_allocator_is_not_asked_later),
        cmocka_unit_test(test_late_binding_without_memory),
        cmocka_unit_test(test_memory_may_end_at_any_allocation),
        cmocka_unit_test(test_a_failed_pack_leaves_the_set_usable),
        cmocka_unit_test(test_creating_takes_two_blocks),
        CASE(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
