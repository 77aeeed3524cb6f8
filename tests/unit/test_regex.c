/* regex: patterns match bytes, Unicode modes are refused with PCRE2's message, and no match can run forever. */
#include "unit.h"

#include "packc/automaton.h"
#include "rules/regex.h"

static ll_regex *compile(const char *pattern)
{
    ll_regex *regex;
    ll_problem problem = {0};
    if (ll_regex_create(NULL, pattern, &regex, &problem) != LL_OK) {
        fail_msg("%s: %s", pattern, problem.text);
    }
    return regex;
}

static ll_regex_result match_bytes(const char *pattern, const void *bytes, size_t size)
{
    ll_regex *regex = compile(pattern);
    ll_matcher matcher = {NULL};
    ll_regex_result result = ll_regex_match(regex, &matcher, bytes, size);
    ll_matcher_free(&matcher);
    ll_regex_free(regex);
    return result;
}

static ll_regex_result match(const char *pattern, const char *text)
{
    return match_bytes(pattern, text, strlen(text));
}

static void test_matching(void **state)
{
    (void)state;
    assert_int_equal(match("^[A-Za-z0-9_]+$", "LP_0038"), LL_REGEX_YES);
    assert_int_equal(match("^[A-Za-z0-9_]+$", "LP 0038"), LL_REGEX_NO);
    assert_int_equal(match("b", "abc"), LL_REGEX_YES);
    assert_int_equal(match("^(a|b)\\1$", "bb"), LL_REGEX_YES);
    assert_int_equal(match("^$", ""), LL_REGEX_YES);
    assert_int_equal(match_bytes("^$", NULL, 0), LL_REGEX_YES);
    assert_int_equal(match("a", ""), LL_REGEX_NO);
}

static void test_a_dollar_is_the_very_end(void **state)
{
    (void)state;
    assert_int_equal(match("^a$", "a\n"), LL_REGEX_NO);
    assert_int_equal(match("^a\\n$", "a\n"), LL_REGEX_YES);
}

static void test_bytes_are_bytes(void **state)
{
    (void)state;
    assert_int_equal(match("^.$", "\xFF"), LL_REGEX_YES);
    assert_int_equal(match("^.$", "\xC3\xA4"), LL_REGEX_NO);
    assert_int_equal(match("^[\\x20-\\x7E]*$", "\xC3\xA4"), LL_REGEX_NO);
    assert_int_equal(match("^\\w$", "\xE4"), LL_REGEX_NO);
    assert_int_equal(match_bytes("^a\\0b$", "a\0b", 3), LL_REGEX_YES);
    assert_int_equal(match_bytes("^a$", "a\0b", 3), LL_REGEX_NO);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *words;
    } rows[] = {
        {"(a", "pattern '(a' is refused at offset 2: missing closing parenthesis"},
        {"[z-a]", "pattern '[z-a]' is refused at offset 3: range out of order in character class"},
        {"a\\Cb", "pattern 'a\\Cb' is refused at offset 3: "},
        {"(*UTF)a", "pattern '(*UTF)a' is refused at offset "},
        {"(*UCP)a", "pattern '(*UCP)a' is refused at offset "},
        {"a(?C1)b", "pattern 'a(?C1)b' is refused: callouts are not supported"},
        {"a(?C'x')b", "pattern 'a(?C'x')b' is refused: callouts are not supported"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char junk;
        ll_regex *regex = (void *)&junk; /* must be cleared */
        ll_problem problem = {0};
        assert_int_equal(ll_regex_create(NULL, rows[i].pattern, &regex, &problem), LL_E_PACK);
        assert_null(regex);
        assert_memory_equal(problem.text, rows[i].words, strlen(rows[i].words));
        assert_int_equal(ll_regex_create(NULL, rows[i].pattern, &regex, NULL), LL_E_PACK);
    }
}

static void test_matching_ends(void **state)
{
    (void)state;
    char text[4096];
    memset(text, 'a', sizeof text);
    assert_int_equal(match_bytes("^(a+)+(a+)+(a+)+[bc]", text, 40), LL_REGEX_LIMIT);
    assert_int_equal(match_bytes("^(?:a|aa)+(?:a|aa)+[bc]", text, sizeof text), LL_REGEX_LIMIT);
    assert_int_equal(match_bytes("^((?:a(?1)?)+)[bc]", text, sizeof text), LL_REGEX_LIMIT); /* recursion */
    assert_int_equal(match_bytes("^a+$", text, sizeof text), LL_REGEX_YES);
}

/* The steps of a matcher are limited in total: when few are left, only cheap matches succeed, and at last none. */
static void test_steps_are_limited_over_all_matches(void **state)
{
    (void)state;
    ll_regex *worst = compile("^(a+)+(a+)+(a+)+[bc]");
    ll_regex *plain = compile("^a+$");
    ll_matcher matcher = {NULL};
    uint8_t text[40];
    unsigned tries = 0;
    memset(text, 'a', sizeof text);
    uint64_t spent = 0;
    do {
        spent = matcher.spent;
        assert_int_equal(ll_regex_match(worst, &matcher, text, sizeof text), LL_REGEX_LIMIT);
        tries++;
    } while (matcher.spent - spent > 1000);
    assert_in_range(tries, 50, 500);
    assert_int_equal(ll_regex_match(plain, &matcher, text, sizeof text), LL_REGEX_YES);
    for (unsigned i = 0; i < 20000; i++) {
        assert_int_equal(ll_regex_match(worst, &matcher, text, sizeof text), LL_REGEX_LIMIT);
    }
    spent = matcher.spent;
    assert_int_equal(ll_regex_match(plain, &matcher, text, sizeof text), LL_REGEX_LIMIT);
    assert_int_equal(matcher.spent, spent);
    ll_matcher_free(&matcher);
    assert_int_equal(ll_regex_match(plain, &matcher, text, sizeof text), LL_REGEX_YES);
    ll_matcher_free(&matcher);
    ll_regex_free(worst);
    ll_regex_free(plain);
}

static void test_a_matcher_serves_many_patterns(void **state)
{
    (void)state;
    ll_regex *one = compile("^a");
    ll_regex *two = compile("(b)(c)(d)");
    ll_matcher matcher = {NULL};
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(ll_regex_match(one, &matcher, (const uint8_t *)"abcd", 4), LL_REGEX_YES);
        assert_int_equal(ll_regex_match(two, &matcher, (const uint8_t *)"abcd", 4), LL_REGEX_YES);
        assert_int_equal(ll_regex_match(two, &matcher, (const uint8_t *)"abdc", 4), LL_REGEX_NO);
    }
    ll_matcher_free(&matcher);
    ll_regex_free(one);
    ll_regex_free(two);
}

/* A pattern that opts out of the JIT. */
static void test_the_interpreter(void **state)
{
    (void)state;
    assert_int_equal(match("(*NO_JIT)^a+$", "aaa"), LL_REGEX_YES);
    assert_int_equal(match("(*NO_JIT)^a+$", "aab"), LL_REGEX_NO);
}

static void *refuse(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return NULL;
}

static void test_compiling_without_memory(void **state)
{
    (void)state;
    ll_allocator allocator = {refuse, NULL, NULL};
    ll_regex *regex;
    ll_problem problem;
    assert_int_equal(ll_regex_create(&allocator, "^a$", &regex, &problem), LL_E_MEMORY);
    assert_null(regex);
    ll_regex_free(NULL);
}

/* Tables, which only packc makes, give the same results as PCRE2. */
static void test_tables_of_simple_patterns_agree(void **state)
{
    (void)state;
    static const char *const patterns[] = {"\\A[ab]*\\z",  "^a(?:b|c)+d?$",
                                           "(?:ab)*|c",    "a.b",
                                           "\\Aab",        "ba$",
                                           "^(a?)(b?)$",   "",
                                           "^$",           "\\A[^a]+\\z",
                                           "[a-b-]c",      "[]a]b",
                                           "\\A\\.\\x61+", "^(?:a|b)*a(?:a|b)(?:a|b)$",
                                           "(^a)|b"};
    static const char letters[] = "abcd.-]\n";
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        ll_automaton table;
        bool made = ll_automaton_make(patterns[i], &table);
        assert_int_equal(made, i + 1 < sizeof patterns / sizeof patterns[0]);
        unsigned yes = 0;
        for (unsigned round = 0; made && round < 3000; round++) {
            char text[8];
            size_t size = round % sizeof text;
            uint8_t at = table.first;
            for (size_t c = 0; c < size; c++) {
                seed = seed * UINT64_C(6364136223846793005) + 1;
                text[c] = letters[(seed >> 40) % (round & 8 ? sizeof letters - 1 : 3)];
                at = table.next[at][(uint8_t)text[c]];
            }
            bool matches = match_bytes(patterns[i], text, size) == LL_REGEX_YES;
            assert_int_equal(at >= table.accepting, matches);
            yes += matches;
        }
        assert_true(yes > 0 || !made);
    }
}

static void test_other_patterns_have_no_table(void **state)
{
    (void)state;
    static const char *const patterns[] = {"a{2}",        "a+?",  "a*+",   "\\d",  "(?!a)", "(?i)a",
                                           "[[:alpha:]]", "a|b$", "^a|b",  "(a",   "a)",    "[a",
                                           "*a",          "a\\",  "[b-a]", "\\bx", "a^b",   "(*ACCEPT)"};
    ll_automaton table;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (ll_automaton_make(patterns[i], &table)) {
            fail_msg("%s is taken as a simple pattern", patterns[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matching),
        cmocka_unit_test(test_a_dollar_is_the_very_end),
        cmocka_unit_test(test_bytes_are_bytes),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_matching_ends),
        cmocka_unit_test(test_steps_are_limited_over_all_matches),
        cmocka_unit_test(test_a_matcher_serves_many_patterns),
        cmocka_unit_test(test_the_interpreter),
        cmocka_unit_test(test_compiling_without_memory),
        cmocka_unit_test(test_tables_of_simple_patterns_agree),
        cmocka_unit_test(test_other_patterns_have_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
