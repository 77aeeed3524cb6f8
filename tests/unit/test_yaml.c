/* base/yaml: what documents are parsed to, and everything that is refused, with position and name. */
#include "unit.h"

#include "base/yaml.h"

#include <stdlib.h>

typedef struct fixture {
    ll_arena arena;
    ll_problem problem;
    const ll_yaml *root;
} fixture;

static ll_status read_bytes(fixture *f, const char *bytes, size_t size)
{
    ll_arena_init(&f->arena, NULL, SIZE_MAX);
    memset(&f->problem, 0, sizeof f->problem);
    return ll_yaml_read(&f->arena, bytes, size, &f->root, &f->problem);
}

static ll_status read_text(fixture *f, const char *text)
{
    return read_bytes(f, text, strlen(text));
}

static void assert_scalar(const ll_yaml *node, const char *text, bool plain, unsigned line, unsigned column)
{
    assert_non_null(node);
    assert_int_equal(node->kind, LL_YAML_SCALAR);
    assert_string_equal(node->text, text);
    assert_int_equal(node->length, strlen(text));
    assert_int_equal(node->plain, plain);
    assert_int_equal(node->line, line);
    assert_int_equal(node->column, column);
}

static void test_a_tree_with_places(void **state)
{
    (void)state;
    fixture f;
    assert_int_equal(read_text(&f, "# comment\n"
                                   "name: outer\n"
                                   "list:\n"
                                   "  - 1\n"
                                   "  - 'two'\n"
                                   "when: {field: tag, value: [\"a\\tb\", off]}\n"),
                     LL_OK);
    assert_int_equal(f.root->kind, LL_YAML_MAP);
    assert_int_equal(f.root->length, 3);
    assert_int_equal(f.root->line, 2);
    assert_int_equal(f.root->column, 1);
    assert_scalar(ll_yaml_get(f.root, "name"), "outer", true, 2, 7);
    assert_scalar(ll_yaml_get(f.root, "name")->key, "name", true, 2, 1);

    const ll_yaml *list = ll_yaml_get(f.root, "list");
    assert_int_equal(list->kind, LL_YAML_LIST);
    assert_int_equal(list->length, 2);
    assert_scalar(ll_yaml_at(list, 0), "1", true, 4, 5);
    assert_scalar(ll_yaml_at(list, 1), "two", false, 5, 5);
    assert_null(ll_yaml_at(list, 2));
    assert_null(ll_yaml_at(list, 0)->key);

    const ll_yaml *when = ll_yaml_get(f.root, "when");
    const ll_yaml *value = ll_yaml_get(when, "value");
    assert_int_equal(when->length, 2);
    assert_int_equal(when->column, 7);
    assert_scalar(value->first, "a\tb", false, 6, 28);
    assert_scalar(value->first->next, "off", true, 6, 36);
    assert_null(value->first->next->next);
    assert_null(ll_yaml_get(f.root, "absent"));
    assert_null(ll_yaml_get(list, "1"));
    ll_arena_free(&f.arena);
}

static void test_block_texts_keep_their_lines(void **state)
{
    (void)state;
    fixture f;
    assert_int_equal(read_text(&f, "a: |\n  x\n  y\nb: >-\n  x\n  y\n"), LL_OK);
    assert_scalar(ll_yaml_get(f.root, "a"), "x\ny\n", false, 1, 4);
    assert_scalar(ll_yaml_get(f.root, "b"), "x y", false, 4, 4);
    ll_arena_free(&f.arena);
}

static void test_nothing_is_no_tree(void **state)
{
    (void)state;
    fixture f;
    assert_int_equal(read_bytes(&f, NULL, 0), LL_OK);
    assert_null(f.root);
    ll_arena_free(&f.arena);
    assert_int_equal(read_text(&f, "# only a comment\n"), LL_OK);
    assert_null(f.root);
    ll_arena_free(&f.arena);
    assert_int_equal(read_text(&f, "---\n"), LL_OK);
    assert_scalar(f.root, "", true, 2, 1);
    ll_arena_free(&f.arena);
}

static void test_a_byte_order_mark_is_no_text(void **state)
{
    (void)state;
    fixture f;
    assert_int_equal(read_text(&f, "\xEF\xBB\xBF"
                                   "a: b\n"),
                     LL_OK);
    assert_string_equal(ll_yaml_get(f.root, "a")->text, "b");
    assert_int_equal(ll_yaml_get(f.root, "a")->column, 4);
    ll_arena_free(&f.arena);
    assert_int_equal(read_text(&f, "\xEF\xBB\xBF"
                                   "a: b\r\nc: d\r\n"),
                     LL_OK);
    assert_string_equal(ll_yaml_get(f.root, "c")->text, "d");
    ll_arena_free(&f.arena);
}

static void test_bools_are_plain_true_and_false(void **state)
{
    (void)state;
    fixture f;
    bool b = false;
    assert_int_equal(read_text(&f, "[true, false, 'true', yes, on, True, [true]]"), LL_OK);
    assert_true(ll_yaml_bool(ll_yaml_at(f.root, 0), &b) && b);
    assert_true(ll_yaml_bool(ll_yaml_at(f.root, 1), &b) && !b);
    for (size_t i = 2; i < f.root->length; i++) {
        assert_false(ll_yaml_bool(ll_yaml_at(f.root, i), &b));
    }
    ll_arena_free(&f.arena);
}

typedef struct refusal {
    const char *yaml;
    unsigned line, column;
    const char *words;
} refusal;

static const refusal refusals[] = {
    {"a: &x 1\n", 1, 4, "anchor '&x'"},
    {"- a\n- &x [1]\n", 2, 3, "anchor '&x'"},
    {"&x\na: 1\n", 1, 1, "anchor '&x'"},
    {"a: 1\nb: *x\n", 2, 4, "alias '*x'"},
    {"a: !!str 1\n", 1, 4, "tag 'tag:yaml.org,2002:str'"},
    {"a: !own {b: 1}\n", 1, 4, "tag '!own'"},
    {"- ! x\n", 1, 3, "tag '!'"},
    {"a: 1\nb: 2\na: 3\n", 3, 1, "duplicate key 'a'"},
    {"a: 1\n'a': 3\n", 2, 1, "duplicate key 'a'"},
    {"k: {x: 1, x: 2}\n", 1, 11, "duplicate key 'x'"},
    {"a: 1\n---\nb: 2\n", 2, 1, "a second document"},
    {"%YAML 1.1\n---\na: 1\n", 1, 1, "directives"},
    {"%TAG ! !x\n---\na: 1\n", 1, 1, "directives"},
    {"{[a]: 1}\n", 1, 2, "key of a map must be a text, not a list"},
    {"? {a: 1}\n: 2\n", 1, 3, "key of a map must be a text, not a map"},
    {"a: \"x\\0y\"\n", 1, 4, "NUL character"},
    {"\"a\\0\": 1\n", 1, 1, "NUL character"},
    {"[1\n", 2, 1, "not YAML: did not find expected ',' or ']'"},
    {"a: 'b\nc: d\n", 1, 4, "not YAML: found unexpected end of stream while scanning a quoted scalar"},
    {"a: 1\n b: 2\n", 2, 3, "not YAML: mapping values are not allowed in this context"},
    {"a: \"\\q\"\n", 1, 5, "not YAML: found unknown escape character"},
};

static void test_refusals_say_where_and_what(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        fixture f;
        const refusal *r = &refusals[i];
        ll_status status = read_text(&f, r->yaml);
        if (status != LL_E_PACK || !strstr(f.problem.text, r->words) || f.problem.line != r->line ||
            f.problem.column != r->column) {
            fail_msg("%s: status %d, %u:%u: %s", r->yaml, status, f.problem.line, f.problem.column, f.problem.text);
        }
        assert_null(f.root);
        ll_arena_free(&f.arena);
    }
}

static void test_bytes_that_are_no_text(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        unsigned line, column;
    } rows[] = {
        {"a: 1\nb: \xFF\n", 10, 2, 4},        /* not UTF-8 */
        {"a: \xC3\xA4\nb: \x1B\n", 11, 2, 4}, /* a control character after a two-byte character */
        {"a: 1\nb: \0\n", 10, 2, 4},          /* NUL */
        {"\xFF\xFE\x61\x00", 4, 1, 1},        /* UTF-16 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        assert_int_equal(read_bytes(&f, rows[i].bytes, rows[i].size), LL_E_PACK);
        assert_int_equal(f.problem.line, rows[i].line);
        assert_int_equal(f.problem.column, rows[i].column);
        assert_non_null(strstr(f.problem.text, "not YAML"));
        ll_arena_free(&f.arena);
    }
}

/* Concatenates head, `count` times `piece`, and tail. The caller frees it. */
static char *repeat(const char *head, const char *piece, size_t count, const char *tail)
{
    size_t n = strlen(piece);
    char *text = malloc(strlen(head) + n * count + strlen(tail) + 1);
    assert_non_null(text);
    memcpy(text, head, strlen(head));
    char *p = text + strlen(head);
    for (size_t i = 0; i < count; i++, p += n) {
        memcpy(p, piece, n);
    }
    memcpy(p, tail, strlen(tail) + 1);
    return text;
}

static void assert_limit(char *text, const char *words)
{
    fixture f;
    ll_status status = read_text(&f, text);
    if (words) {
        assert_int_equal(status, LL_E_PACK);
        assert_non_null(strstr(f.problem.text, words));
    } else {
        assert_int_equal(status, LL_OK);
    }
    ll_arena_free(&f.arena);
    free(text);
}

static char *keys(size_t count)
{
    char *text = malloc(count * 16);
    assert_non_null(text);
    char *p = text;
    for (size_t i = 0; i < count; i++) {
        memcpy(p, "k_____: 1\n", 10);
        for (size_t d = 0, n = i; d < 5; d++, n /= 10) {
            p[1 + d] = (char)('0' + n % 10);
        }
        p += 10;
    }
    *p = '\0';
    return text;
}

static void test_limits_hold_on_both_sides(void **state)
{
    (void)state;
    assert_limit(repeat("", "[", 16, "]]]]]]]]]]]]]]]]"), NULL);
    assert_limit(repeat("", "[", 17, "]]]]]]]]]]]]]]]]]"), "nested deeper than 16");
    assert_limit(repeat("", "- ", 17, "x"), "nested deeper than 16");
    assert_limit(repeat("", "[", 500000, ""), "nested deeper than 16");
    assert_limit(repeat("'", "x", LL_YAML_SCALAR_MAX, "'"), NULL);
    assert_limit(repeat("'", "x", LL_YAML_SCALAR_MAX + 1, "'"), "longer than 64 KiB");
    assert_limit(keys(LL_YAML_KEYS_MAX), NULL);
    assert_limit(keys(LL_YAML_KEYS_MAX + 1), "more than 1024 keys");
    assert_limit(repeat("[", "x,", LL_YAML_NODES_MAX - 1, "]"), NULL);
    assert_limit(repeat("[", "x,", LL_YAML_NODES_MAX, "]"), "more than 262144");
    assert_limit(repeat("#", "x", LL_YAML_BYTES_MAX - 1, ""), NULL);
    assert_limit(repeat("#", "x", LL_YAML_BYTES_MAX, ""), "more than 1 MiB");
}

static const char sample[] = "- id: ABC001\n"
                             "  tags: [a, 'b', \"c\\x41\\u20ac\"]\n"
                             "  when: {field: x, check: one_of, value: [1, 2]}\n"
                             "  why: >-\n"
                             "    folded\n"
                             "    text\n"
                             "- second: [[], {}, [{a: b}]]\n";

static void test_every_cut_is_answered(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof sample; n++) {
        char *exact = malloc(n + 1); /* a block of its own, so that sanitizers notice access outside */
        assert_non_null(exact);
        memcpy(exact, sample, n);
        fixture f;
        ll_status status = read_bytes(&f, exact, n);
        assert_true(status == LL_OK || status == LL_E_PACK);
        assert_true(status == LL_OK || f.problem.text[0] != '\0');
        ll_arena_free(&f.arena);
        free(exact);
    }
}

static void test_one_byte_changes_are_answered(void **state)
{
    (void)state;
    static const char bytes[] = {'\0', '&', '*', '!', '[', ']', '{', '}', ':', '\n', '"', '\'', '%', '\xFF', '\t', '?'};
    char text[sizeof sample];
    for (size_t at = 0; at + 1 < sizeof sample; at++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            memcpy(text, sample, sizeof sample);
            text[at] = bytes[i];
            fixture f;
            ll_status status = read_bytes(&f, text, sizeof sample - 1);
            assert_true(status == LL_OK || status == LL_E_PACK);
            ll_arena_free(&f.arena);
        }
    }
}

/* ------------------------------------------------------------------ memory */

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
    char *text = repeat("", "- {a: [some text, 'another', third], b: x}\n", 2000, "");
    size_t n = 0;
    for (ll_status status = LL_E_MEMORY; status != LL_OK; n++) {
        size_t left = n;
        ll_allocator allocator = {countdown_alloc, countdown_release, &left};
        ll_arena arena;
        ll_arena_init(&arena, &allocator, SIZE_MAX);
        const ll_yaml *root;
        ll_problem problem;
        status = ll_yaml_read(&arena, text, strlen(text), &root, &problem);
        assert_true(status == LL_OK || status == LL_E_MEMORY);
        assert_int_equal(root != NULL, status == LL_OK);
        ll_arena_free(&arena);
    }
    assert_true(n > 5);
    free(text);
}

static void test_a_ceiling_is_no_crash(void **state)
{
    (void)state;
    ll_arena arena;
    ll_arena_init(&arena, NULL, 16 * 1024);
    char *text = repeat("[", "abc,", 1000, "]");
    const ll_yaml *root;
    ll_problem problem;
    assert_int_equal(ll_yaml_read(&arena, text, strlen(text), &root, &problem), LL_E_MEMORY);
    ll_arena_free(&arena);
    free(text);
}

/* ------------------------------------------------------------------ the regular form */

/* Documents in the regular form, and near it. */
static const char *const regular[] = {
    "suppress:\n  - {file: a/b.grxla, rule: name-hash, reason: measured}\n  - {file: c-d.grxla, rule: "
    "grx/name-charset, "
    "reason: \"one, two\"}\n",
    "# why\nsuppress:\n\n- file: \"rooms/**/*.grxla\"\n  rule: GRX265\n  # next\n  path: entry[*].name\n  reason: "
    "Looked at, it "
    "is empty.\n  expires: 2030-06-30\n- fingerprint: 4209cec520375069\n  reason: 'it''s #1'\n",
    "fail-on: error\nroot: true\nexclude:\n  - old/*.grxla\n  - \"*-1.grxla\"\n  - 'a b'\nselect:\n- all\n",
    "a: b\n",
    "a:\n - b: ''\n   c: d\n - e\n",
};

static void assert_same_node(const ll_yaml *a, const ll_yaml *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->plain, b->plain);
    assert_int_equal(a->line + 1, b->line);
    assert_int_equal(a->column, b->column);
    assert_int_equal(a->index + 4, b->index);
    assert_int_equal(a->length, b->length);
    assert_string_equal(a->text, b->text);
}

static void assert_same_tree(const ll_yaml *a, const ll_yaml *b)
{
    for (; a && b; a = a->next, b = b->next) {
        assert_same_node(a, b);
        assert_int_equal(!a->key, !b->key);
        if (a->key) {
            assert_same_node(a->key, b->key);
        }
        assert_same_tree(a->first, b->first);
    }
    assert_true(!a && !b);
}

/* Reads a document as it is, and once more below a comment that is not in the regular form, so that libyaml reads it.
 * Both must give the same tree, or the same refusal, one line of four characters later. */
static bool read_both_ways(const char *text)
{
    char whole[1024];
    fixture given, general;
    size_t n = strlen(text);
    assert_true(n + 8 < sizeof whole);
    memcpy(whole, "# \xc3\xa9\n", 5);
    memcpy(whole + 5, text, n + 1);
    ll_status status = read_text(&given, text);
    if (read_text(&general, whole) != status) {
        fail_msg("%d, else %s: %s", (int)status, general.problem.text, text);
    }
    if (status == LL_OK) {
        assert_same_tree(given.root, general.root);
    } else {
        assert_string_equal(given.problem.text, general.problem.text);
        assert_int_equal(given.problem.line + 1, general.problem.line);
        assert_int_equal(given.problem.column, general.problem.column);
    }
    ll_arena_free(&given.arena);
    ll_arena_free(&general.arena);
    return status == LL_OK;
}

static uint32_t random_below(uint32_t *state, size_t n)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) % (uint32_t)n;
}

/* Replaces, inserts or removes a character that matters to YAML. */
static void mutate(char *text, uint32_t *state)
{
    static const char signs[] = "  :-,{}[]\"'#\n\\*&!|>%@`?.~a0\t\xc3";
    size_t n = strlen(text), at = random_below(state, n);
    char sign = signs[random_below(state, sizeof signs - 1)];
    unsigned how = random_below(state, 3);
    if (how == 0) {
        text[at] = sign;
    } else if (how == 1) {
        memmove(text + at + 1, text + at, n - at + 1);
        text[at] = sign;
    } else {
        memmove(text + at, text + at + 1, n - at);
    }
}

static void test_the_regular_form_is_read_as_by_libyaml(void **state)
{
    (void)state;
    char text[1024];
    uint32_t seed = 1;
    unsigned read = 0;
    for (size_t i = 0; i < sizeof regular / sizeof *regular; i++) {
        assert_true(read_both_ways(regular[i]));
        for (unsigned round = 0; round < 4000; round++) {
            strcpy(text, regular[i]);
            for (unsigned changes = 1 + round % 3; changes; changes--) {
                mutate(text, &seed);
            }
            read += read_both_ways(text);
        }
    }
    assert_true(read > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_tree_with_places),
        cmocka_unit_test(test_block_texts_keep_their_lines),
        cmocka_unit_test(test_nothing_is_no_tree),
        cmocka_unit_test(test_a_byte_order_mark_is_no_text),
        cmocka_unit_test(test_bools_are_plain_true_and_false),
        cmocka_unit_test(test_refusals_say_where_and_what),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_limits_hold_on_both_sides),
        cmocka_unit_test(test_every_cut_is_answered),
        cmocka_unit_test(test_one_byte_changes_are_answered),
        cmocka_unit_test(test_memory_may_end_at_any_allocation),
        cmocka_unit_test(test_a_ceiling_is_no_crash),
        cmocka_unit_test(test_the_regular_form_is_read_as_by_libyaml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
