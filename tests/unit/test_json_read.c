/* base/json_read: valid and invalid JSON, typed getters, limits, out of memory. */
#include "unit.h"

#include "base/json_read.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static ll_status open_bytes(ll_jsonr *json, const char *text, size_t size, ll_problem *problem)
{
    *problem = (ll_problem){.line = 7};
    return ll_jsonr_open(json, text, size, problem);
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
    ll_jsonr json = {NULL};
    ll_problem problem;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (open_bytes(&json, lines[i], strlen(lines[i]), &problem) != LL_OK) {
            fail_msg("%s: %u: %s", lines[i], problem.column, problem.text);
        }
    }
    ll_jsonr_close(&json);
    ll_jsonr_close(&json);
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
        {"{\"a\":", 6, "the line ends early"},
        {"{\"a\":1", 7, "the line ends early"},
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
        {"{\"a\":11111111111111111111111111111111111111111}", 47, "not a JSON number"},
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
    ll_jsonr json = {NULL};
    ll_problem problem;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ll_status status = open_bytes(&json, rows[i].line, strlen(rows[i].line), &problem);
        if (status != LL_E_INPUT || problem.column != rows[i].column || problem.line != 7 ||
            !strstr(problem.text, rows[i].words) || json.tree) {
            fail_msg("%s: status %d, column %u: %s", rows[i].line, (int)status, problem.column, problem.text);
        }
        assert_int_equal(ll_jsonr_open(&json, rows[i].line, strlen(rows[i].line), NULL), LL_E_INPUT);
    }
    assert_int_equal(open_bytes(&json, "{\"a\0\":1}", 8, &problem), LL_E_INPUT);
}

/* cJSON accepts everything that this accepts: for a text cut at every length and with every byte replaced, only lack
 * of memory can make it fail. */
static void test_never_out_of_memory_by_itself(void **state)
{
    static const char line[] =
        "{\"a\":[1,-2.5e+3,true,null,{\"b\\u00e9\":\"\\ud83d\\ude00\xc3\xa9\"}],\"c\":{\"d\":[[]]}}";
    static const char others[] = "{}[]\",:\\u0e-+.tfn \x01\xc3\xff";
    ll_jsonr json = {NULL};
    ll_problem problem;
    (void)state;
    for (size_t n = 0; n < sizeof line; n++) {
        assert_int_equal(open_bytes(&json, line, n, &problem), n == sizeof line - 1 ? LL_OK : LL_E_INPUT);
    }
    for (size_t at = 0; at < sizeof line - 1; at++) {
        for (size_t k = 0; k < sizeof others; k++) {
            char copy[sizeof line];
            memcpy(copy, line, sizeof line);
            copy[at] = others[k];
            assert_int_not_equal(open_bytes(&json, copy, sizeof line - 1, &problem), LL_E_MEMORY);
        }
    }
    ll_jsonr_close(&json);
}

static void test_limits(void **state)
{
    char line[2 * LL_JSON_DEPTH_MAX + 64];
    ll_jsonr json = {NULL};
    ll_problem problem;
    (void)state;
    for (size_t depth = LL_JSON_DEPTH_MAX; depth <= LL_JSON_DEPTH_MAX + 1; depth++) {
        size_t n = 0;
        memcpy(line, "{\"a\":", 5);
        n = 5;
        memset(line + n, '[', depth - 1);
        memset(line + n + depth - 1, ']', depth - 1);
        n += 2 * (depth - 1);
        line[n++] = '}';
        bool fits = depth <= LL_JSON_DEPTH_MAX;
        assert_int_equal(open_bytes(&json, line, n, &problem), fits ? LL_OK : LL_E_INPUT);
        assert_true(fits || strstr(problem.text, "too deep"));
    }
    char *lines[2];
    for (size_t i = 0; i < 2; i++) {
        size_t n = LL_JSON_LINE_MAX + i;
        lines[i] = malloc(n);
        assert_non_null(lines[i]);
        memset(lines[i], ' ', n);
        lines[i][0] = '{';
        lines[i][n - 1] = '}';
        assert_int_equal(open_bytes(&json, lines[i], n, &problem), i ? LL_E_INPUT : LL_OK);
        free(lines[i]);
    }
    assert_non_null(strstr(problem.text, "longer than"));
    ll_jsonr_close(&json);
}

static void test_getters(void **state)
{
    static const char line[] = "{\"t\":\"caf\xc3\xa9\\n\",\"n\":9007199254740992,\"big\":\"18446744073709551615\","
                               "\"more\":\"18446744073709551616\","
                               "\"over\":9007199254740994,\"half\":1.5,\"minus\":-1,\"none\":null,\"h\":"
                               "\"00ff00000000000a\",\"H\":\"00FF00000000000A\","
                               "\"e\":\"\",\"n\":1}";
    ll_jsonr json = {NULL};
    ll_problem problem;
    const char *text = NULL;
    uint64_t n = 0;
    (void)state;
    assert_int_equal(open_bytes(&json, line, sizeof line - 1, &problem), LL_OK);
    assert_int_equal(ll_jsonr_text(&json, "t", &text, &problem), LL_OK);
    assert_string_equal(text, "caf\xc3\xa9\n");
    assert_int_equal(ll_jsonr_u64(&json, "n", &n, &problem), LL_OK);
    assert_true(n == UINT64_C(1) << 53);
    assert_int_equal(ll_jsonr_u64(&json, "big", &n, &problem), LL_OK);
    assert_true(n == UINT64_MAX);
    assert_int_equal(ll_jsonr_hash(&json, "h", &n, &problem), LL_OK);
    assert_true(n == UINT64_C(0x00ff00000000000a));
    static const char *const wrong[] = {"more", "over", "half", "minus", "none", "e", "h", "there is none"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ll_jsonr_u64(&json, wrong[i], &n, &problem), LL_E_INPUT);
        assert_non_null(strstr(problem.text, "a whole number"));
    }
    assert_int_equal(ll_jsonr_hash(&json, "H", &n, &problem), LL_E_INPUT);
    assert_int_equal(ll_jsonr_hash(&json, "e", &n, &problem), LL_E_INPUT);
    assert_int_equal(ll_jsonr_text(&json, "n", &text, &problem), LL_E_INPUT);
    assert_string_equal(problem.text, "key 'n': expected a text");
    assert_int_equal(ll_jsonr_text(&json, "T", &text, &problem), LL_E_INPUT);
    assert_string_equal(problem.text, "missing key 'T'; expected a text");
    assert_true(ll_jsonr_has(&json, "none"));
    assert_false(ll_jsonr_has(&json, "N"));
    ll_jsonr_close(&json);
}

/* ------------------------------------------------------------------ memory */

static long calls;
static long fail_at;

static void *failing_malloc(size_t size)
{
    return ++calls == fail_at ? NULL : malloc(size);
}

static void test_memory_runs_out(void **state)
{
    static const char line[] = "{\"a\":[1,{\"b\":\"text\"}],\"c\":\"d\"}";
    cJSON_Hooks hooks = {failing_malloc, free};
    ll_jsonr json = {NULL};
    ll_problem problem;
    ll_status status = LL_E_MEMORY;
    (void)state;
    cJSON_InitHooks(&hooks);
    for (fail_at = 1; status == LL_E_MEMORY; fail_at++) {
        calls = 0;
        status = open_bytes(&json, line, sizeof line - 1, &problem);
        assert_true(status == LL_E_MEMORY || calls < fail_at);
    }
    assert_int_equal(status, LL_OK);
    assert_true(fail_at > 6);
    ll_jsonr_close(&json);
    cJSON_InitHooks(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_json),
        cmocka_unit_test(test_what_is_not),
        cmocka_unit_test(test_never_out_of_memory_by_itself),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_getters),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests_name("json_read", tests, NULL, NULL);
}
