/* base/bind: what rows accept, and the words and places of refusals. */
#include "unit.h"

#include "base/bind.h"

typedef struct lamp {
    const char *name;
    size_t colour;
    bool lit, deep;
} lamp;

enum { TOP = 1, INNER = 2 };

static ll_status read_name(const ll_binder *b, const ll_yaml *node, void *out)
{
    *(const char **)out = node->text;
    return node->length ? LL_OK : ll_bind_expect(b, NULL, node, "a name");
}

static ll_status read_colour(const ll_binder *b, const ll_yaml *node, void *out)
{
    static const char *const colours[] = {"red", "green", "blue", NULL};
    return ll_bind_choice(b, NULL, node, colours, out);
}

static const ll_bind_key keys[] = {
    {"name", read_name, offsetof(lamp, name), TOP | INNER, TOP},
    {"colour", read_colour, offsetof(lamp, colour), TOP | INNER, 0},
    {"lit", ll_bind_bool, offsetof(lamp, lit), TOP | INNER, INNER},
    {"deep", ll_bind_bool, offsetof(lamp, deep), INNER, 0},
};
static const char *const kinds[] = {"at the top", "inside"};
static const ll_bind_map map = {keys, sizeof keys / sizeof *keys, "the lamp", "a lamp such as {name: a}", kinds};

static ll_status bind_text(const char *text, unsigned kind, lamp *out, ll_problem *problem)
{
    ll_arena arena;
    const ll_yaml *root = NULL;
    ll_arena_init(&arena, NULL, SIZE_MAX);
    *problem = (ll_problem){0};
    assert_int_equal(ll_yaml_read(&arena, text, strlen(text), &root, problem), LL_OK);
    ll_status status = ll_bind(&(ll_binder){&arena, problem, NULL}, &map, kind, root, out);
    ll_arena_free(&arena);
    return status;
}

static void test_values_reach_their_members(void **state)
{
    (void)state;
    ll_problem problem;
    lamp out = {.deep = false};
    assert_int_equal(bind_text("colour: blue\nname: a\nlit: true\n", TOP, &out, &problem), LL_OK);
    assert_true(out.colour == 2 && out.lit && !out.deep && out.name);
    assert_int_equal(bind_text("{lit: false, deep: true}\n", INNER, &out, &problem), LL_OK);
    assert_true(!out.lit && out.deep);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned kind, line, column;
        const char *words;
    } rows[] = {
        {"a\n", TOP, 1, 1, "expected a lamp such as {name: a}, not 'a'"},
        {"[]\n", TOP, 1, 1, "expected a lamp such as {name: a}, not a list"},
        {"name: a\ncolor: red\n", TOP, 2, 1, "unknown key 'color'; did you mean 'colour'?"},
        {"name: a\nzzz: red\n", TOP, 2, 1, "unknown key 'zzz'; there are: name, colour, lit"},
        {"name: a\nzzz: red\n", INNER, 2, 1, "unknown key 'zzz'; there are: name, colour, lit, deep"},
        {"name: a\ndeep: true\n", TOP, 2, 1, "key 'deep' is not allowed at the top"},
        {"colour: red\n", TOP, 1, 1, "the lamp lacks the key 'name'"},
        {"name: a\n", INNER, 1, 1, "the lamp lacks the key 'lit'"},
        {"name:\n", TOP, 1, 6, "name: expected a name, not nothing"},
        {"name: a\ncolour: gren\n", TOP, 2, 9, "colour: no such value: 'gren'; did you mean 'green'?"},
        {"name: a\ncolour: 7\n", TOP, 2, 9, "colour: no such value: '7'; there are: red, green, blue"},
        {"name: a\ncolour: [red]\n", TOP, 2, 9, "colour: expected one word, not a list"},
        {"name: a\nlit: yes\n", TOP, 2, 6, "lit: expected true or false, not 'yes'"},
        {"name: a\nlit: 'true'\n", TOP, 2, 6, "lit: expected true or false, not 'true'"},
        {"name: a\nlit: ''\n", TOP, 2, 6, "lit: expected true or false, not ''"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ll_problem problem;
        lamp out = {.deep = false};
        assert_int_equal(bind_text(rows[i].text, rows[i].kind, &out, &problem), LL_E_PACK);
        assert_string_equal(problem.text, rows[i].words);
        assert_int_equal(problem.line, rows[i].line);
        assert_int_equal(problem.column, rows[i].column);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_reach_their_members),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("bind", tests, NULL, NULL);
}
