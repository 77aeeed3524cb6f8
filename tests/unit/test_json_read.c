/* base/json_read: valid and invalid JSON, typed getters, limits. */
#include "unit.h"

#include "base/json_read.h"

#include <stdlib.h>

static ll_jsonr json;

static int start(void **state)
{
    (void)state;
    ll_jsonr_init(&json, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    ll_jsonr_free(&json);
    return 0;
}

static ll_status open_bytes(const char *text, size_t size, ll_problem *problem)
{
    *problem = (ll_problem){.line = 7};
    return ll_jsonr_open(&json, text, size, problem);
}

static void test_what_is_json(void **state)
{
    static const char *const lines[] = {"{}",
                                        " {\t} \r",
                                        "{\"a\":1}",
                                        "{\"a\":[]}",
                                        "{\"a\":[1,-2.5e+3,true,false,null,{\"b\":{}}]}",
                                        "{\"a\":0}",
                                        "{\"a\":0.5}",
                                        "{\"a\":1E9}",
                                        "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"}",
                                        "{\"a\":\"\xc3\xa9\xf0\x9f\x98\x80\"}",
                                        "{\"\":\"\"}",
                                        "{\"a\":[[[[]]],{}],\"b\":[{},{}]}"};
    ll_problem problem;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (open_bytes(lines[i], strlen(lines[i]), &problem) != LL_OK) {
            fail_msg("%s: %u: %s", lines[i], problem.column, problem.text);
        }
    }
}

static void test_what_is_not(void **state)
{
    static const struct {
        const char *line;
        unsigned column;
        const char *words;
    } rows[] = {
        {"", 1, "expected '{'"},
        {"[]", 1, "expected '{'"},
        {"1", 1, "expected '{'"},
        {"\xEF\xBB\xBF{}", 1, "expected '{'"},
        {"{", 2, "expected a text"},
        {"{\"a\"", 5, "expected ':'"},
        {"{\"a\":", 6, "it ends early"},
        {"{\"a\":1", 7, "it ends early"},
        {"{\"a\":1,}", 8, "expected a text"},
        {"{\"a\":1 \"b\":2}", 8, "expected ','"},
        {"{\"a\":[1,]}", 9, "expected a value"},
        {"{\"a\":[1}", 8, "expected ','"},
        {"{\"a\":{]}", 7, "expected a text"},
        {"{a:1}", 2, "expected a text"},
        {"{\"a\":01}", 8, "not a JSON number"},
        {"{\"a\":1.}", 8, "not a JSON number"},
        {"{\"a\":.5}", 6, "expected a value"},
        {"{\"a\":-}", 7, "not a JSON number"},
        {"{\"a\":1e}", 8, "not a JSON number"},
        {"{\"a\":+1}", 6, "expected a value"},
        {"{\"a\":NaN}", 6, "expected a value"},
        {"{\"a\":tru}", 6, "expected a value"},
        {"{\"a\":truest}", 10, "expected ','"},
        {"{\"a\":1} # note", 9, "no comments"},
        {"{ # note\n\"a\":1}", 3, "no comments"},
        {"{\"a\":1,\"b\":2,\"a\":3}", 14, "duplicate key 'a'"},
        {"{\"a\":1,\"\\u0061\":3}", 8, "duplicate key 'a'"},
        {"{\"a\":\"x}", 9, "does not end"},
        {"{\"a\":\"\t\"}", 7, "control character"},
        {"{\"a\":\"\xff\"}", 7, "not UTF-8"},
        {"{\"a\":\"\xc3\"}", 7, "not UTF-8"},
        {"{\"a\":\"\\x\"}", 8, "not a JSON escape"},
        {"{\"a\":\"\\", 8, "not a JSON escape"},
        {"{\"a\":\"\\u12g4\"}", 11, "four hex digits"},
        {"{\"a\":\"\\u0000\"}", 13, "a NUL"},
        {"{\"a\":\"\\ud83d\"}", 13, "surrogate"},
        {"{\"a\":\"\\ude00\"}", 13, "surrogate"},
        {"{\"a\":\"\\ud83d\\u0041\"}", 19, "surrogate"},
        {"{} {}", 4, "after the object"},
    };
    ll_problem problem;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ll_status status = open_bytes(rows[i].line, strlen(rows[i].line), &problem);
        if (status != LL_E_INPUT || problem.column != rows[i].column || problem.line != 7 ||
            !strstr(problem.text, rows[i].words) || json.root) {
            fail_msg("%s: status %d, column %u: %s", rows[i].line, (int)status, problem.column, problem.text);
        }
        assert_int_equal(ll_jsonr_open(&json, rows[i].line, strlen(rows[i].line), NULL), LL_E_INPUT);
    }
    assert_int_equal(open_bytes("{\"a\0\":1}", 8, &problem), LL_E_INPUT);
}

/* A line cut at every length, and with every byte replaced: only the whole line is read, and nothing crashes. */
static void test_cut_and_changed(void **state)
{
    static const char line[] =
        "{\"a\":[1,-2.5e+3,true,null,{\"b\\u00e9\":\"\\ud83d\\ude00\xc3\xa9\"}],\"c\":{\"d\":[[]]}}";
    static const char others[] = "{}[]\",:\\u0e-+.tfn \x01\xc3\xff";
    ll_problem problem;
    (void)state;
    for (size_t n = 0; n < sizeof line; n++) {
        assert_int_equal(open_bytes(line, n, &problem), n == sizeof line - 1 ? LL_OK : LL_E_INPUT);
    }
    for (size_t at = 0; at < sizeof line - 1; at++) {
        for (size_t k = 0; k < sizeof others; k++) {
            char copy[sizeof line];
            memcpy(copy, line, sizeof line);
            copy[at] = others[k];
            assert_int_not_equal(open_bytes(copy, sizeof line - 1, &problem), LL_E_MEMORY);
        }
    }
}

static void test_escapes(void **state)
{
    static const char line[] = "{\"t\":\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\\/\\t\",\"\\u006b\":\"v\"}";
    const char *text = NULL;
    ll_problem problem;
    (void)state;
    assert_int_equal(open_bytes(line, sizeof line - 1, &problem), LL_OK);
    assert_int_equal(ll_jsonr_text(&json, "t", &text, &problem), LL_OK);
    assert_string_equal(text, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80/\t");
    assert_int_equal(ll_jsonr_text(&json, "k", &text, &problem), LL_OK);
    assert_string_equal(text, "v");
}

static void test_limits(void **state)
{
    char line[2 * LL_YAML_DEPTH_MAX + 64];
    ll_problem problem;
    (void)state;
    for (size_t depth = LL_YAML_DEPTH_MAX; depth <= LL_YAML_DEPTH_MAX + 1; depth++) {
        size_t n = 0;
        memcpy(line, "{\"a\":", 5);
        n = 5;
        memset(line + n, '[', depth - 1);
        memset(line + n + depth - 1, ']', depth - 1);
        n += 2 * (depth - 1);
        line[n++] = '}';
        bool fits = depth <= LL_YAML_DEPTH_MAX;
        assert_int_equal(open_bytes(line, n, &problem), fits ? LL_OK : LL_E_INPUT);
        assert_true(fits || strstr(problem.text, "deeper than 16"));
    }
    char *lines[2];
    for (size_t i = 0; i < 2; i++) {
        size_t n = LL_JSON_LINE_MAX + i;
        lines[i] = malloc(n);
        assert_non_null(lines[i]);
        memset(lines[i], ' ', n);
        lines[i][0] = '{';
        lines[i][n - 1] = '}';
        assert_int_equal(open_bytes(lines[i], n, &problem), i ? LL_E_INPUT : LL_OK);
        free(lines[i]);
    }
    assert_non_null(strstr(problem.text, "longer than"));
}

static void test_getters(void **state)
{
    static const char line[] = "{\"t\":\"caf\xc3\xa9\\n\",\"n\":9007199254740992,\"big\":\"18446744073709551615\","
                               "\"more\":\"18446744073709551616\","
                               "\"exact\":9007199254740993,\"half\":1.5,\"minus\":-1,\"none\":null,\"h\":"
                               "\"00ff00000000000a\",\"H\":\"00FF00000000000A\","
                               "\"e\":\"\",\"one\":1.0}";
    ll_problem problem;
    const char *text = NULL;
    uint64_t n = 0;
    (void)state;
    assert_int_equal(open_bytes(line, sizeof line - 1, &problem), LL_OK);
    assert_int_equal(ll_jsonr_text(&json, "t", &text, &problem), LL_OK);
    assert_string_equal(text, "caf\xc3\xa9\n");
    assert_int_equal(ll_jsonr_u64(&json, "n", &n, &problem), LL_OK);
    assert_true(n == UINT64_C(1) << 53);
    assert_int_equal(ll_jsonr_u64(&json, "big", &n, &problem), LL_OK);
    assert_true(n == UINT64_MAX);
    assert_int_equal(ll_jsonr_u64(&json, "exact", &n, &problem), LL_OK);
    assert_true(n == UINT64_C(9007199254740993));
    assert_int_equal(ll_jsonr_hash(&json, "h", &n, &problem), LL_OK);
    assert_true(n == UINT64_C(0x00ff00000000000a));
    static const char *const wrong[] = {"more", "one", "half", "minus", "none", "e", "h", "there is none"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ll_jsonr_u64(&json, wrong[i], &n, &problem), LL_E_INPUT);
        assert_non_null(strstr(problem.text, i < 7 ? "a whole number" : "lacks the key"));
    }
    assert_int_equal(ll_jsonr_hash(&json, "H", &n, &problem), LL_E_INPUT);
    assert_int_equal(ll_jsonr_hash(&json, "e", &n, &problem), LL_E_INPUT);
    assert_int_equal(ll_jsonr_text(&json, "n", &text, &problem), LL_E_INPUT);
    assert_string_equal(problem.text, "n: expected a text, not '9007199254740992'");
    assert_int_equal(problem.column, 19);
    assert_int_equal(ll_jsonr_text(&json, "T", &text, &problem), LL_E_INPUT);
    assert_string_equal(problem.text, "the line lacks the key 'T'");
    assert_true(ll_jsonr_has(&json, "none"));
    assert_false(ll_jsonr_has(&json, "N"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_json), cmocka_unit_test(test_what_is_not), cmocka_unit_test(test_cut_and_changed),
        cmocka_unit_test(test_escapes),      cmocka_unit_test(test_limits),      cmocka_unit_test(test_getters),
    };
    return cmocka_run_group_tests_name("json_read", tests, start, end);
}
