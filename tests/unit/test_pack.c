/* rules/pack: what a stanza is compiled to, and what is refused before a format is consulted. */
#include "unit.h"

#include "base/problem.h"
#include "rules/cross_check.h"
#include "rules/pack.h"

#include <stdlib.h>

typedef struct fixture {
    ll_arena arena;
    ll_problem problem;
    ll_rule *rules;
    size_t count;
} fixture;

static ll_status read_text(fixture *f, const char *yaml)
{
    ll_arena_init(&f->arena, NULL, SIZE_MAX);
    memset(&f->problem, 0, sizeof f->problem);
    return ll_pack_read(&f->arena, &(ll_pack_text){"dir/my.yaml", yaml, strlen(yaml)}, &f->rules, &f->count,
                        &f->problem);
}

static void assert_words(const ll_words *words, size_t count, const char *first, const char *last)
{
    assert_int_equal(words->count, count);
    if (count) {
        assert_string_equal(words->at[0], first);
        assert_string_equal(words->at[count - 1], last);
    }
}

static const char full[] = "# a comment\n"
                           "- id: OWN001\n"
                           "  name: outer-range\n"
                           "  severity: error\n"
                           "  locked: true\n"
                           "  tags: [value, mod]\n"
                           "  on: [grx.point_light, grx.spot_light]\n"
                           "  field: '*'\n"
                           "  except: rotation\n"
                           "  check: range\n"
                           "  value: ['>= 0', '<= 1']\n"
                           "  when: {field: tag, check: one_of, value: [PL03, SL03]}\n"
                           "  yields_to: [one, two]\n"
                           "  patch: unsafe\n"
                           "  title: A title.\n"
                           "  why: |\n"
                           "    Two\n"
                           "    lines.\n"
                           "  evidence: \"seen {0} \\u00e9\"\n"
                           "  fix: Do it.\n"
                           "  found: 'at {0:x} {1:+x} {2:h} {3} {value} {{x}}'\n"
                           "  expected: something\n"
                           "  related: the other\n";

static void test_a_predicate_with_everything(void **state)
{
    (void)state;
    fixture f;
    assert_int_equal(read_text(&f, full), LL_OK);
    assert_int_equal(f.count, 1);
    const ll_rule *r = f.rules;
    assert_string_equal(r->id, "OWN001");
    assert_string_equal(r->name, "outer-range");
    assert_string_equal(r->family, "grx");
    assert_int_equal(r->severity, LL_ERROR);
    assert_true(r->locked);
    assert_int_equal(r->patch, LL_PATCH_UNSAFE);
    assert_words(&r->tags, 2, "value", "mod");
    assert_words(&r->on, 2, "grx.point_light", "grx.spot_light");
    assert_words(&r->fields, 1, "*", "*");
    assert_words(&r->except, 1, "rotation", "rotation");
    assert_string_equal(r->test.check, "range");
    assert_words(&r->test.value, 2, ">= 0", "<= 1");
    assert_string_equal(r->when_field, "tag");
    assert_string_equal(r->when.check, "one_of");
    assert_words(&r->when.value, 2, "PL03", "SL03");
    assert_words(&r->yields_to, 2, "one", "two");
    assert_string_equal(r->fault, "");
    assert_string_equal(r->title, "A title.");
    assert_string_equal(r->why, "Two lines.");
    assert_string_equal(r->evidence, "seen {0} \xC3\xA9");
    assert_string_equal(r->fix, "Do it.");
    assert_string_equal(r->found, "at {0:x} {1:+x} {2:h} {3} {value} {{x}}");
    assert_string_equal(r->expected, "something");
    assert_string_equal(r->related, "the other");
    assert_int_equal(r->hints.count, 0);
    assert_string_equal(r->origin, "dir/my.yaml");
    assert_int_equal(r->line, 2);
    assert_string_equal(r->target, "grx.point_light, grx.spot_light: * except rotation");
    assert_string_equal(r->check_text, "range '>= 0', '<= 1' when tag one_of 'PL03', 'SL03'");
    ll_arena_free(&f.arena);
}

#define WORDS_OF "  tags: t\n  title: T.\n  why: w\n  fix: f\n"

static void test_the_other_two_origins(void **state)
{
    (void)state;
    fixture f;
    assert_int_equal(
        read_text(
            &f,
            "- id: AB001\n  name: a\n  severity: 'off'\n  fault: core.unreadable\n" WORDS_OF
            "  found: x\n  expected: y\n  hints: {one: First., two: Second.}\n"
            "- id: ABCDEFGH001\n  name: b2-c\n  severity: off\n  check: rgm.some_check\n  on: rgm.a.b\n" WORDS_OF
            "  found: x\n  expected: y\n"
            "- id: A1001\n  name: c\n  severity: note\n  on: grx.name\n  field: text\n  check: printable\n" WORDS_OF),
        LL_OK);
    assert_int_equal(f.count, 3);
    const ll_rule *fault = &f.rules[0];
    assert_string_equal(fault->family, "core");
    assert_int_equal(fault->severity, LL_SEVERITY_OFF);
    assert_false(fault->locked);
    assert_string_equal(fault->test.check, "");
    assert_string_equal(fault->evidence, "");
    assert_words(&fault->tags, 1, "t", "t");
    assert_words(&fault->hints, 4, "one", "Second.");
    assert_string_equal(fault->target, "file");
    assert_string_equal(fault->check_text, "fault unreadable");
    assert_string_equal(f.rules[1].family, "rgm");
    assert_string_equal(f.rules[1].target, "rgm.a.b");
    assert_string_equal(f.rules[1].check_text, "check some_check");
    assert_int_equal(f.rules[1].severity, LL_SEVERITY_OFF);
    assert_string_equal(f.rules[2].target, "grx.name.text");
    assert_string_equal(f.rules[2].check_text, "printable");
    assert_string_equal(f.rules[2].when.check, "");
    ll_arena_free(&f.arena);
}

#define HEAD "- id: OWN001\n  name: a-name\n  severity: note\n"
#define TEST "  on: grx.name\n  field: text\n  check: printable\n"

/* ------------------------------------------------------------------ ladders */

#define STEPS                                                                                                          \
    "  ladder:\n"                                                                                                      \
    "  - {id: OWN001, name: bad, severity: error, check: not_zero, title: T., why: w, fix: f}\n"                       \
    "  - {id: OWN002, name: odd, severity: note, check: range, value: '> 3', title: U., why: v, fix: g}\n"             \
    "  - {id: OWN003, name: rare, severity: note, check: equals, value: 9, yields_to: x, title: V., why: u, fix: h}\n"

static void test_a_ladder_is_a_rule_a_step(void **state)
{
    (void)state;
    fixture f;
    assert_int_equal(
        read_text(&f, "- on: grx.probe\n  field: priority\n  tags: [value, mod]\n" STEPS HEAD TEST WORDS_OF), LL_OK);
    assert_int_equal(f.count, 4);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(f.rules[i].target, "grx.probe.priority");
        assert_string_equal(f.rules[i].family, "grx");
        assert_words(&f.rules[i].tags, 2, "value", "mod");
        assert_int_equal(f.rules[i].line, 5 + i);
    }
    assert_int_equal(f.rules[0].yields_to.count, 0);
    assert_words(&f.rules[1].yields_to, 1, "bad", "bad");
    assert_words(&f.rules[2].yields_to, 3, "x", "odd");
    assert_string_equal(f.rules[1].check_text, "range '> 3'");
    assert_string_equal(f.rules[0].title, "T.");
    assert_string_equal(f.rules[3].name, "a-name");
    assert_int_equal(f.rules[3].yields_to.count, 0);
    ll_arena_free(&f.arena);
}

static void test_a_problem_of_a_step_is_placed_there(void **state)
{
    (void)state;
    static const char text[] = HEAD TEST WORDS_OF "- on: grx.probe\n  field: priority\n  tags: t\n" STEPS;
    ll_problem problem = {.text = "unknown check 'range'"};
    assert_int_equal(ll_pack_locate(NULL, &(ll_pack_text){"p", text, sizeof text - 1}, 2, &problem), LL_E_PACK);
    assert_int_equal(problem.line, 16);
    problem = (ll_problem){.text = "nothing that stands there"};
    assert_int_equal(ll_pack_locate(NULL, &(ll_pack_text){"p", text, sizeof text - 1}, 3, &problem), LL_E_PACK);
    assert_int_equal(problem.line, 17);
}

/* ------------------------------------------------------------------ refusals */

#define FAULT "  fault: grx.some\n  found: x\n  expected: y\n"

typedef struct refusal {
    const char *yaml;
    unsigned line, column;
    const char *words;
} refusal;

static const refusal refusals[] = {
    /* the pack as a whole */
    {"", 1, 1, "there is no rule in the pack"},
    {"---\n", 1, 1, "there is no rule in the pack"},
    {"[]\n", 1, 1, "expected a list of rules"},
    {"id: OWN001\n", 1, 1, "expected a list of rules"},
    {"- just a text\n", 1, 3, "expected a rule, which is a map of keys, not 'just a text'"},
    {"- [a]\n", 1, 3, "expected a rule, which is a map of keys, not a list"},
    {"- &a b\n", 1, 3, "anchor '&a'"},
    {"- id: [\n", 2, 1, "not YAML"},

    /* keys */
    {HEAD TEST WORDS_OF "  sevrity: note\n", 11, 3, "unknown key 'sevrity'; did you mean 'severity'?"},
    {"- id: M001\n  chekc: range\n", 2, 3, "unknown key 'chekc'; did you mean 'check'?"},
    {HEAD TEST WORDS_OF "  when: {feld: x, check: y}\n", 11, 10, "unknown key 'feld'; did you mean 'field'?"},
    {HEAD TEST WORDS_OF "  name: twice\n", 11, 3, "duplicate key 'name'"},
    {"- name: a\n  severity: note\n" TEST WORDS_OF, 1, 3, "the rule lacks the key 'id'"},
    {"- id: OWN001\n  severity: note\n" TEST WORDS_OF, 1, 3, "the rule lacks the key 'name'"},
    {"- id: OWN001\n  name: a\n" TEST WORDS_OF, 1, 3, "the rule lacks the key 'severity'"},
    {HEAD TEST "  title: T.\n  why: w\n  fix: f\n", 1, 3, "the rule lacks the key 'tags'"},
    {HEAD TEST "  tags: t\n  why: w\n  fix: f\n", 1, 3, "the rule lacks the key 'title'"},
    {HEAD TEST "  tags: t\n  title: T.\n  fix: f\n", 1, 3, "the rule lacks the key 'why'"},
    {HEAD TEST "  tags: t\n  title: T.\n  why: w\n", 1, 3, "the rule lacks the key 'fix'"},
    {HEAD "  field: text\n  check: printable\n" WORDS_OF, 1, 3, "the rule lacks the key 'on'"},
    {HEAD "  fault: grx.some\n  expected: y\n" WORDS_OF, 1, 3, "the rule lacks the key 'found'"},
    {HEAD "  check: grx.some\n  found: y\n" WORDS_OF, 1, 3, "the rule lacks the key 'expected'"},
    {HEAD TEST WORDS_OF "  when: {check: y}\n", 11, 9, "'when' lacks the key 'field'"},

    /* origins */
    {HEAD "  on: grx.name\n  field: text\n" WORDS_OF, 1, 3, "this one has none"},
    {HEAD TEST FAULT WORDS_OF, 1, 3, "this one has both"},
    {HEAD FAULT "  on: grx.name\n" WORDS_OF, 7, 3, "key 'on' is not allowed in a rule with a fault"},
    {HEAD "  check: grx.some\n  value: 1\n", 5, 3, "key 'value' is not allowed in a rule with a named check"},
    {HEAD "  check: grx.some\n  when: {field: a, check: b}\n", 5, 3,
     "key 'when' is not allowed in a rule with a named check"},

    /* scalars */
    {"- id: mod001\n", 1, 3, "this one has none"},
    {"- id: mod001\n  fault: grx.a\n", 1, 7, "id 'mod001'"},
    {"- id: M01\n  fault: grx.a\n", 1, 7, "id 'M01'"},
    {"- id: ABCDEFGHI001\n  fault: grx.a\n", 1, 7, "id 'ABCDEFGHI001'"},
    {"- id: MOD01A\n  fault: grx.a\n", 1, 7, "id 'MOD01A'"},
    {"- id: 1MOD001\n  fault: grx.a\n", 1, 7, "id '1MOD001'"},
    {"- id: [OWN001]\n  fault: grx.a\n", 1, 7, "id: expected a text, not a list"},
    {"- id:\n  fault: grx.a\n", 1, 6, "'id' is empty"},
    {"- name: A\n  fault: grx.a\n", 1, 9, "'A' must be lower-case"},
    {"- name: a--b\n  fault: grx.a\n", 1, 9, "'a--b' must be lower-case"},
    {"- name: a-\n  fault: grx.a\n", 1, 9, "'a-' must be lower-case"},
    {"- name: 1a\n  fault: grx.a\n", 1, 9, "'1a' must be lower-case"},
    {"- name: a_b\n  fault: grx.a\n", 1, 9, "'a_b' must be lower-case"},
    {"- severity: warn\n  fault: grx.a\n", 1, 13, "severity: no such value: 'warn'; did you mean 'warning'?"},
    {"- patch: save\n  check: a\n", 1, 10, "patch: no such value: 'save'; did you mean 'safe'?"},
    {"- locked: yes\n  fault: grx.a\n", 1, 11, "locked: expected true or false, not 'yes'"},
    {"- title: T\n  fault: grx.a\n", 1, 10, "'title' must be a sentence that ends with a full stop"},
    {"- why: ''\n  fault: grx.a\n", 1, 8, "'why' is empty"},
    {"- why: >-\n\n  fault: grx.a\n", 1, 8, "'why' is empty"},
    {"- why: \"a\\eb\"\n  fault: grx.a\n", 1, 8, "'why' holds a control character"},
    {"- why: \"a\\u202eb\"\n  fault: grx.a\n", 1, 8, "'why' holds a control character or an invisible mark"},
    {"- why: {a: b}\n  fault: grx.a\n", 1, 8, "why: expected a text, not a map"},
    {"- name: |\n    a\n  fault: grx.a\n", 1, 9, "'name' must be on one line"},

    /* lists */
    {"- tags: []\n  fault: grx.a\n", 1, 9, "tags: expected a text or a list of texts"},
    {"- tags: {a: b}\n  fault: grx.a\n", 1, 9, "tags: expected a text or a list of texts"},
    {"- tags: [a, B]\n  fault: grx.a\n", 1, 13, "'B' must be lower-case"},
    {"- value: [a, [b]]\n  check: x\n", 1, 14, "expected a text, not a list"},
    {"- value: [a, ]\n  check: x\n  value: b\n", 3, 3, "duplicate key 'value'"},
    {"- value: [a, \"\\n\"]\n  check: x\n", 1, 14, "'item' must be on one line"},
    {"- value:\n  check: x\n", 1, 9, "'value' is empty"},
    {"- hints: []\n  fault: grx.a\n", 1, 10, "hints: expected a map"},
    {"- hints: {A: b}\n  fault: grx.a\n", 1, 11, "'A' must be lower-case"},
    {"- hints: {a: [b]}\n  fault: grx.a\n", 1, 14, "a: expected a text, not a list"},
    {"- when: tag\n  check: a\n", 1, 9, "when: expected a map of field, check and value, not 'tag'"},
    {"- when: {field: a, check: grx.b}\n  check: a\n", 1, 9, "'when' takes a predicate, not the named check 'grx.b'"},

    /* templates */
    {"- found: 'a {4}'\n  fault: grx.a\n", 1, 10, "'found' has a brace that does not belong to {0} to {3}"},
    {"- found: 'a {0:X}'\n  fault: grx.a\n", 1, 10, "'found' has a brace"},
    {"- found: 'a {0:}'\n  fault: grx.a\n", 1, 10, "'found' has a brace"},
    {"- found: 'a {'\n  fault: grx.a\n", 1, 10, "'found' has a brace"},
    {"- found: 'a }'\n  fault: grx.a\n", 1, 10, "'found' has a brace"},
    {"- found: 'a {}'\n  fault: grx.a\n", 1, 10, "'found' has a brace"},
    {"- expected: 'a {values}'\n  fault: grx.a\n", 1, 13, "'expected' has a brace"},
    {"- expected: '{{0}'\n  fault: grx.a\n", 1, 13, "'expected' has a brace"},

    /* cases */
    {HEAD TEST WORDS_OF "  cases: x\n", 11, 10, "cases: expected a list of two cases or more"},
    {HEAD TEST WORDS_OF "  cases: [{value: b}]\n", 11, 10, "cases: expected a list of two cases or more"},
    {HEAD TEST WORDS_OF "  cases: [{value: b}, 3]\n", 11, 23, "expected a case, which is a map of keys"},
    {HEAD TEST WORDS_OF "  cases: [{value: b}, {check: grx.b}]\n", 11, 23,
     "a case takes a predicate, not the named check 'grx.b'"},
    {HEAD TEST WORDS_OF "  cases: [{value: b}, {on: rgm.light}]\n", 11, 28, "'rgm.light' belongs to another family"},
    {HEAD TEST WORDS_OF "  cases: [{value: b}, {field: ['*', tag]}]\n", 11, 31, "field '*' means every field"},
    {"- cases: [{value: 1}, {value: 2}]\n  fault: grx.a\n", 1, 3, "key 'cases' is not allowed in a rule with a fault"},

    /* ladders */
    {HEAD TEST WORDS_OF "  ladder: x\n", 11, 11, "ladder: expected a list of two rules or more"},
    {HEAD TEST WORDS_OF "  ladder: [{name: b}]\n", 11, 11, "ladder: expected a list of two rules or more"},
    {HEAD TEST WORDS_OF "  ladder: [{name: b}, {nme: c}]\n", 11, 24, "unknown key 'nme'; did you mean 'name'?"},
    {HEAD TEST WORDS_OF "  ladder: [{name: b}, 3]\n", 11, 23, "expected a rule, which is a map of keys"},
    {"- on: grx.a\n  field: b\n" WORDS_OF "  ladder: [{id: A1001, name: b, severity: note}, {name: b}]\n", 7, 12,
     "this one has none"},
    {"- on: grx.a\n  check: c\n" WORDS_OF "  ladder: [{name: b, severity: note}, {name: b}]\n", 7, 12,
     "lacks the key 'id'"},
    {HEAD TEST WORDS_OF "  ladder: [{name: b}, {name: c, ladder: [{name: d}, {name: e}]}]\n", 11, 33,
     "key 'ladder' is not allowed in a rule with a predicate"},
    /* families and fields */
    {HEAD "  on: name\n  field: text\n  check: printable\n" WORDS_OF, 4, 7,
     "'name' does not begin with a family and a dot"},
    {HEAD "  on: [grx.a, '*']\n  field: text\n  check: printable\n" WORDS_OF, 4, 15,
     "'*' does not begin with a family"},
    {HEAD "  on: [grx.a, rgm.b]\n  field: text\n  check: printable\n" WORDS_OF, 4, 15,
     "'rgm.b' belongs to another family than 'grx'"},
    {HEAD "  on: rgm.b\n  check: grx.a\n  found: x\n  expected: y\n" WORDS_OF, 4, 7,
     "'rgm.b' belongs to another family than 'grx'"},
    {HEAD "  fault: grx.\n  found: x\n  expected: y\n" WORDS_OF, 4, 10, "'grx.' does not begin with a family"},
    {HEAD "  fault: some\n  found: x\n  expected: y\n" WORDS_OF, 4, 10, "'some' does not begin with a family"},
    {HEAD "  on: grx.a\n  field: ['*', b]\n  check: range\n" WORDS_OF, 5, 10, "field '*' means every field"},
    {HEAD "  on: grx.a\n  field: b\n  except: c\n  check: range\n" WORDS_OF, 6, 11,
     "'except' is allowed only with field '*'"},
};

static void test_refusals_say_where_and_what(void **state)
{
    (void)state;
    static const char prefix[] = "dir/my.yaml: ";
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        fixture f;
        const refusal *r = &refusals[i];
        ll_status status = read_text(&f, r->yaml);
        bool placed = f.problem.line == r->line && f.problem.column == r->column;
        bool worded = strncmp(f.problem.text, prefix, sizeof prefix - 1) == 0 && strstr(f.problem.text, r->words);
        if (status != LL_E_PACK || !placed || !worded || strchr(f.problem.text, '\n')) {
            fail_msg("%s: status %d, %u:%u: %s", r->yaml, status, f.problem.line, f.problem.column, f.problem.text);
        }
        ll_arena_free(&f.arena);
    }
}

static void test_a_problem_may_be_nowhere(void **state)
{
    (void)state;
    ll_arena arena;
    ll_arena_init(&arena, NULL, SIZE_MAX);
    ll_rule *rules;
    size_t count;
    assert_int_equal(ll_pack_read(&arena, &(ll_pack_text){"x", "- nonsense", 10}, &rules, &count, NULL), LL_E_PACK);
    ll_arena_free(&arena);
}

static void test_names_of_packs_are_shown_safely(void **state)
{
    (void)state;
    ll_arena arena;
    ll_arena_init(&arena, NULL, SIZE_MAX);
    ll_rule *rules;
    size_t count;
    ll_problem problem = {0};
    assert_int_equal(ll_pack_read(&arena, &(ll_pack_text){"a\x1B[31m\xFF.yaml", "", 0}, &rules, &count, &problem),
                     LL_E_PACK);
    assert_string_equal(problem.text, "a\\x1b[31m\\xff.yaml: there is no rule in the pack");
    char name[2000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_int_equal(ll_pack_read(&arena, &(ll_pack_text){name, "", 0}, &rules, &count, &problem), LL_E_PACK);
    assert_non_null(strstr(problem.text, "xxx: there is no rule in the pack"));
    assert_int_equal(
        ll_pack_read(&arena, &(ll_pack_text){"a\x1B.yaml", full, sizeof full - 1}, &rules, &count, &problem), LL_OK);
    assert_string_equal(rules->origin, "a\\x1b.yaml");
    ll_arena_free(&arena);
}

static void test_long_words_leave_room_for_the_rest(void **state)
{
    (void)state;
    char word[1000];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    ll_problem problem = {.line = 7};
    assert_int_equal(LL_PROBLEM(&problem, "a '", word, "' b"), LL_E_PACK);
    assert_non_null(strstr(problem.text, "xxx...' b"));
    assert_int_equal(problem.line, 7);
    assert_int_equal(LL_PROBLEM(&problem, word, word, word, word, word), LL_E_PACK);
    assert_in_range(strlen(problem.text), sizeof problem.text / 2, sizeof problem.text - 1);
    assert_string_equal(problem.text + strlen(problem.text) - 3, "...");
    assert_int_equal(ll_problem_prefix(&problem, "name"), LL_E_PACK);
    assert_memory_equal(problem.text, "name: xxx", 9);
    assert_in_range(strlen(problem.text), sizeof problem.text / 2, sizeof problem.text - 1);
    for (size_t i = 0; i + 2 < sizeof word; i += 2) {
        memcpy(word + i, "\xC3\xA4", 2);
    }
    assert_int_equal(LL_PROBLEM(&problem, word + 1), LL_E_PACK); /* starts inside a character */
    assert_memory_equal(problem.text, "\\xa4\xC3\xA4", 6);
    size_t n = strlen(problem.text);
    assert_memory_equal(problem.text + n - 5, "\xC3\xA4...", 5); /* and ends after one */
}

static void test_too_many_rules_are_refused(void **state)
{
    (void)state;
    static const char rule[] = "- id: OWN001\n  name: a\n  severity: note\n" TEST WORDS_OF;
    size_t n = sizeof rule - 1;
    for (size_t count = LL_PACK_RULES_MAX; count <= LL_PACK_RULES_MAX + 1; count++) {
        char *text = malloc(n * count + 1);
        assert_non_null(text);
        for (size_t i = 0; i < count; i++) {
            memcpy(text + i * n, rule, n);
        }
        text[n * count] = '\0';
        fixture f;
        ll_status status = read_text(&f, text);
        assert_int_equal(status, count == LL_PACK_RULES_MAX ? LL_OK : LL_E_PACK);
        if (status == LL_OK) {
            assert_int_equal(f.count, count);
        } else {
            assert_non_null(strstr(f.problem.text, "more than 4096 rules"));
        }
        ll_arena_free(&f.arena);
        free(text);
    }
}

/* ------------------------------------------------------------------ positions of later problems */

static void assert_located(const char *said, size_t rule, unsigned line, unsigned column)
{
    static const char pack[] = "- id: OWN001\n"
                               "  field: [outer_range, outer_rnge]\n"
                               "  when: {field: tga, value: ['>= 0']}\n"
                               "- id: OWN002\n"
                               "  check: regex\n"
                               "  value: '\\A('\n";
    ll_problem problem = {0};
    memcpy(problem.text, said, strlen(said) + 1);
    assert_int_equal(ll_pack_locate(NULL, &(ll_pack_text){"p", pack, sizeof pack - 1}, rule, &problem), LL_E_PACK);
    assert_int_equal(problem.line, line);
    assert_int_equal(problem.column, column);
    assert_memory_equal(problem.text, "p: ", 3);
    assert_string_equal(problem.text + 3, said);
}

static void test_the_quoted_word_is_found_again(void **state)
{
    (void)state;
    assert_located("unknown field 'outer_rnge'; did you mean 'outer_range'?", 0, 2, 24);
    assert_located("unknown field 'tga'", 0, 3, 17);
    assert_located("no number in \">= 0\"", 0, 3, 30);
    assert_located("pattern '\\A(' does not compile", 1, 6, 10);
    assert_located("'0' is no number", 0, 3, 30);
    assert_located("'yields_to' of it, and 'value'", 1, 6, 3);
    assert_located("nothing quoted", 1, 4, 3);
    assert_located("'not there'", 0, 1, 3);
    assert_located("no such rule", 7, 1, 1);
    assert_int_equal(ll_pack_locate(NULL, &(ll_pack_text){"p", "", 0}, 0, NULL), LL_E_PACK);
}

/* ------------------------------------------------------------------ conflicts between rules */

static ll_status cross(const char *yaml, size_t *culprit, ll_problem *problem)
{
    fixture f;
    assert_int_equal(read_text(&f, yaml), LL_OK);
    const ll_rule *rules[8];
    assert_in_range(f.count, 1, 8);
    for (size_t i = 0; i < f.count; i++) {
        rules[i] = &f.rules[i];
    }
    ll_status status = ll_rules_cross_check(&f.arena, rules, f.count, culprit, problem);
    ll_arena_free(&f.arena);
    return status;
}

#define RULE(id, name, family, more)                                                                                   \
    "- id: " id "\n  name: " name "\n  severity: note\n  on: " family ".x\n  field: y\n  check: range\n" WORDS_OF more
#define SPEAKS(id, name, fault)                                                                                        \
    "- id: " id "\n  name: " name "\n  severity: note\n  fault: " fault "\n  found: x\n  expected: y\n" WORDS_OF

static void test_rules_beside_each_other(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        size_t culprit; /* SIZE_MAX: no conflict */
        const char *words;
    } rows[] = {
        {RULE("OWN001", "a", "grx", "") RULE("OWN002", "b", "grx", "  yields_to: a\n"), SIZE_MAX, NULL},
        {RULE("OWN001", "a", "grx", "") RULE("OWN002", "a", "rgm", ""), SIZE_MAX, NULL},
        {RULE("OWN003", "c", "grx", "  yields_to: [b, a]\n") RULE("OWN002", "b", "grx", "  yields_to: a\n")
             RULE("OWN001", "a", "grx", ""),
         SIZE_MAX, NULL},
        {RULE("OWN001", "b", "grx", "") RULE("OWN001", "a", "grx", ""), 1,
         "id 'OWN001' is taken by OWN001 (b) of dir/my.yaml"},
        {RULE("OWN002", "a", "grx", "") RULE("OWN001", "a", "grx", ""), 1, "name 'a' is taken by OWN002 (a)"},
        {RULE("OWN001", "apple", "grx", "") RULE("OWN002", "b", "grx", "  yields_to: aple\n"), 1,
         "unknown rule 'aple'; did you mean 'apple'?"},
        {RULE("OWN001", "a", "rgm", "") RULE("OWN002", "b", "grx", "  yields_to: a\n"), 1, "unknown rule 'a'"},
        {RULE("OWN001", "a", "grx", "  yields_to: a\n"), 0, "leads back"},
        {RULE("OWN001", "a", "grx", "  yields_to: b\n") RULE("OWN002", "b", "grx", "  yields_to: c\n")
             RULE("OWN003", "c", "grx", "  yields_to: a\n") RULE("OWN004", "d", "grx", ""),
         2, "leads back"},
        {SPEAKS("OWN001", "a", "grx.f") SPEAKS("OWN002", "b", "rgm.f"), SIZE_MAX, NULL},
        {SPEAKS("OWN001", "a", "grx.f") SPEAKS("OWN002", "b", "grx.f"), 1, "fault 'grx.f' is taken by OWN001 (a)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t culprit = SIZE_MAX;
        ll_problem problem = {0};
        ll_status status = cross(rows[i].yaml, &culprit, &problem);
        if (rows[i].culprit == SIZE_MAX) {
            assert_int_equal(status, LL_OK);
            continue;
        }
        if (status != LL_E_PACK || culprit != rows[i].culprit || !strstr(problem.text, rows[i].words)) {
            fail_msg("row %zu: status %d, culprit %zu, %s", i, status, culprit, problem.text);
        }
    }
}

static void test_prefixes_of_shipped_rules(void **state)
{
    (void)state;
    assert_string_equal(ll_shipped_family("GRX001"), "grx");
    assert_string_equal(ll_shipped_family("SOUP999"), "rgm");
    assert_string_equal(ll_shipped_family("LL001"), "core");
    assert_string_equal(ll_shipped_family("LED001"), "ledger");
    assert_null(ll_shipped_family("GRXX001"));
    assert_null(ll_shipped_family("GR001"));
    assert_null(ll_shipped_family("LLX001"));
    assert_null(ll_shipped_family(""));
}

/* ------------------------------------------------------------------ memory and random input */

static void *countdown_alloc(void *ctx, size_t size)
{
    size_t *left = ctx;
    if (*left == 0) {
        return NULL;
    }
    --*left;
    return malloc(size);
}

static void countdown_release(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

static void test_memory_may_end_at_any_allocation(void **state)
{
    (void)state;
    size_t n = 0;
    for (ll_status status = LL_E_MEMORY; status != LL_OK; n++) {
        size_t left = n;
        ll_allocator allocator = {countdown_alloc, countdown_release, &left};
        ll_arena arena;
        ll_arena_init(&arena, &allocator, SIZE_MAX);
        ll_rule *rules;
        size_t count;
        ll_problem problem;
        status = ll_pack_read(&arena, &(ll_pack_text){"p", full, sizeof full - 1}, &rules, &count, &problem);
        assert_true(status == LL_OK || status == LL_E_MEMORY);
        ll_arena_free(&arena);
    }
    assert_true(n > 3);
}

static void test_every_cut_is_answered(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof full - 1; n++) {
        char *exact = malloc(n + 1);
        assert_non_null(exact);
        memcpy(exact, full, n);
        exact[n] = '\0';
        fixture f;
        ll_status status = read_text(&f, exact);
        bool whole_but_related = strstr(exact, "expected: s") != NULL; /* `expected` and `related` are optional here */
        assert_true(status == LL_E_PACK || (status == LL_OK && (whole_but_related || strstr(exact, "fix: D"))));
        assert_true(status == LL_OK || f.problem.text[0] != '\0');
        ll_arena_free(&f.arena);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_predicate_with_everything),
        cmocka_unit_test(test_the_other_two_origins),
        cmocka_unit_test(test_a_ladder_is_a_rule_a_step),
        cmocka_unit_test(test_a_problem_of_a_step_is_placed_there),
        cmocka_unit_test(test_refusals_say_where_and_what),
        cmocka_unit_test(test_a_problem_may_be_nowhere),
        cmocka_unit_test(test_names_of_packs_are_shown_safely),
        cmocka_unit_test(test_long_words_leave_room_for_the_rest),
        cmocka_unit_test(test_too_many_rules_are_refused),
        cmocka_unit_test(test_the_quoted_word_is_found_again),
        cmocka_unit_test(test_rules_beside_each_other),
        cmocka_unit_test(test_prefixes_of_shipped_rules),
        cmocka_unit_test(test_memory_may_end_at_any_allocation),
        cmocka_unit_test(test_every_cut_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
