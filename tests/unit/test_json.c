/* base/json: what both it and libyaml take, they read the same. Tested with documents and with each of their bytes
 * changed to every other one. */
#include "unit.h"

#include "base/json.h"

typedef struct trees {
    ll_arena arena;
    const ll_yaml *quick, *exact;
    ll_status quickly, exactly;
} trees;

static void assert_same(const ll_yaml *a, const ll_yaml *b, const char *json)
{
    assert_true(a && b);
    if (a->kind != b->kind || a->plain != b->plain || a->length != b->length || strcmp(a->text, b->text) != 0 ||
        !a->key != !b->key || (a->key && strcmp(a->key->text, b->key->text) != 0)) {
        fail_msg("'%s' and '%s' of %s", a->text, b->text, json);
    }
}

/* The nodes of both trees, one by one. */
static void assert_same_trees(const ll_yaml *a, const ll_yaml *b, const char *json)
{
    const ll_yaml *above[LL_YAML_DEPTH_MAX + 1][2];
    unsigned depth = 0;
    for (;;) {
        assert_same(a, b, json);
        assert_int_equal(!a->first, !b->first);
        if (a->first) {
            above[depth][0] = a;
            above[depth++][1] = b;
            a = a->first;
            b = b->first;
            continue;
        }
        while (depth && !a->next) {
            assert_null(b->next);
            a = above[--depth][0];
            b = above[depth][1];
        }
        if (!depth) {
            return;
        }
        a = a->next;
        b = b->next;
    }
}

/* Reads a document both ways, and its records one by one. */
static ll_status read_both(trees *t, const char *json, const char *later)
{
    static const ll_yaml_limits limits = {1 << 20, 1 << 20, 1 << 20};
    ll_json_items items;
    ll_problem problem;
    ll_arena_init(&t->arena, NULL, SIZE_MAX);
    t->exactly = ll_yaml_read_large(&t->arena, json, strlen(json), &limits, &t->exact, &problem);
    const ll_json_text text = {json, strlen(json), NULL, later, &items};
    t->quickly = ll_json_read(&t->arena, &text, &t->quick, &problem);
    if (t->quickly == LL_OK && items.list) {
        assert_null(items.list->first);
        assert_int_equal(ll_json_rest(&items, &t->arena), LL_OK);
    }
    if (t->quickly == LL_OK && t->exactly == LL_OK) {
        assert_same_trees(t->quick, t->exact, json);
    }
    if (t->quickly != LL_OK) {
        assert_int_equal(t->quickly, LL_E_INPUT);
        assert_true(problem.text[0] && problem.line && problem.column);
    }
    ll_arena_free(&t->arena);
    return t->quickly;
}

static const char *const taken[] = {
    "{}",
    " { \"a\" : 1 }\n",
    "{\"a\":-0.5e+10,\"b\":[true,false,null],\"c\":{},\"d\":[],\"e\":\"\"}\n",
    "{\"records\":[\n{\"text\":\"say \\\"\\\\\\/\\b\\f\\n\\r\\t\",\"x\":[[1],[2,3]]} "
    ",{\"y\":\"\xc3\xa9\xf0\x9f\x8c\xb3\"}\n],\"b\":2}",
    "{\"records\":[],\"a\":[{\"records\":[1,2]}]}",
    "{\"records\":\"none\"}",
};

static void test_trees_are_those_of_libyaml(void **state)
{
    (void)state;
    trees t;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        assert_int_equal(read_both(&t, taken[i], NULL), LL_OK);
        assert_int_equal(read_both(&t, taken[i], "records"), LL_OK);
        assert_int_equal(t.exactly, LL_OK);
    }
}

static void test_changed_documents_are_read_as_by_libyaml(void **state)
{
    (void)state;
    unsigned read = 0;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        char json[256];
        size_t length = strlen(taken[i]);
        assert_true(length < sizeof json);
        for (size_t at = 0; at < length; at++) {
            for (unsigned byte = 1; byte < 256; byte++) {
                trees t;
                memcpy(json, taken[i], length + 1);
                json[at] = (char)byte;
                read += read_both(&t, json, at % 2 ? "records" : NULL) == LL_OK;
            }
        }
    }
    assert_true(read > 1000);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "",
        "[1]",
        "{\"a\":1,\"a\":2}",
        "{\"a\":[{\"b\":1,\"b\":2}]}",
        "{\"a\":1,}",
        "{\"a\":[1,]}",
        "{\"a\" 1}",
        "{\"a\":1}x",
        "{\"a\":---}",
        "{\"a\":1} # note",
        "# note\n{\"a\":1}",
        "{'a':1}",
        "{a:1}",
        "{\"a\":nul}",
        "{\"a\":truest}",
        "{\"a\":\"b",
        "{\"a\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        trees t;
        assert_int_equal(read_both(&t, refused[i], NULL), LL_E_INPUT);
    }
}

static void test_skipped_values_are_checked_and_empty(void **state)
{
    (void)state;
    ll_arena arena;
    const ll_yaml *root;
    const char *json = "{\"spans\":[{\"a\":[1,\"x\"]}],\"in\":{\"spans\":{\"b\":2}},\"c\":3}";
    const char *bad = "{\"spans\":[{\"a\":1,\"a\":2}]}";
    ll_arena_init(&arena, NULL, SIZE_MAX);
    assert_int_equal(ll_json_read(&arena, &(ll_json_text){json, strlen(json), "spans", NULL, NULL}, &root, NULL),
                     LL_OK);
    assert_int_equal(root->length, 3);
    assert_null(ll_yaml_get(root, "spans")->first);
    assert_int_equal(ll_yaml_get(root, "spans")->length, 0);
    assert_null(ll_yaml_get(ll_yaml_get(root, "in"), "spans")->first);
    assert_string_equal(ll_yaml_get(root, "c")->text, "3");
    assert_int_equal(ll_json_read(&arena, &(ll_json_text){bad, strlen(bad), "spans", NULL, NULL}, &root, NULL),
                     LL_E_INPUT);
    ll_arena_free(&arena);
}

static void test_places(void **state)
{
    (void)state;
    ll_arena arena;
    const ll_yaml *root;
    ll_problem problem = {0};
    const char *json = "{\n \"\xc3\xa9\\u0041\": [1,\t\"\xf0\x9f\x8c\xb3\", true]}";
    ll_arena_init(&arena, NULL, SIZE_MAX);
    assert_int_equal(ll_json_read(&arena, &(ll_json_text){.bytes = json, .size = strlen(json)}, &root, &problem),
                     LL_OK);
    const ll_yaml *list = root->first;
    static const unsigned columns[] = {14, 17, 22};
    assert_string_equal(list->key->text, "\xc3\xa9"
                                         "A");
    assert_true(root->line == 1 && root->column == 1 && list->key->line == 2 && list->key->column == 2);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ll_yaml_at(list, i)->line, 2);
        assert_int_equal(ll_yaml_at(list, i)->column, columns[i]);
    }
    const char *bad = "{\n \"\xc3\xa9\": [1,]}";
    assert_int_equal(ll_json_read(&arena, &(ll_json_text){.bytes = bad, .size = strlen(bad)}, &root, &problem),
                     LL_E_INPUT);
    assert_null(root);
    assert_true(problem.line == 2 && problem.column == 10);
    assert_string_equal(problem.text, "not JSON: expected a value");
    ll_arena_free(&arena);
}

static void test_items_one_by_one(void **state)
{
    (void)state;
    ll_arena arena, nodes;
    ll_json_items items;
    const ll_yaml *root, *item;
    const char *json = "{\"records\":[ {\"a\":1} ,\n[2],\"three\"],\"b\":2}";
    static const ll_yaml_kind kinds[] = {LL_YAML_MAP, LL_YAML_LIST, LL_YAML_SCALAR};
    ll_arena_init(&arena, NULL, SIZE_MAX);
    ll_arena_init(&nodes, NULL, SIZE_MAX);
    assert_int_equal(ll_json_read(&arena, &(ll_json_text){json, strlen(json), NULL, "records", &items}, &root, NULL),
                     LL_OK);
    assert_ptr_equal(items.list, ll_yaml_get(root, "records"));
    for (unsigned i = 0; i < 3; i++) {
        ll_arena_reset(&nodes);
        assert_int_equal(ll_json_next(&items, &nodes, &item), LL_OK);
        assert_int_equal(item->kind, kinds[i]);
    }
    assert_string_equal(item->text, "three");
    assert_int_equal(ll_json_next(&items, &nodes, &item), LL_OK);
    assert_null(item);
    ll_arena_free(&nodes);
    ll_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_are_those_of_libyaml),
        cmocka_unit_test(test_changed_documents_are_read_as_by_libyaml),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_skipped_values_are_checked_and_empty),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_items_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
