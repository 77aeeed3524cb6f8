/* base/glob: what patterns match, which are refused, and that none is slow. */
#include "unit.h"

#include "base/glob.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct row {
    const char *pattern, *path;
    bool is_directory, expected;
} row;

#define YES(pattern, path)                                                                                             \
    {                                                                                                                  \
        pattern, path, false, true                                                                                     \
    }
#define NO(pattern, path)                                                                                              \
    {                                                                                                                  \
        pattern, path, false, false                                                                                    \
    }
#define YES_DIR(pattern, path)                                                                                         \
    {                                                                                                                  \
        pattern, path, true, true                                                                                      \
    }
#define NO_DIR(pattern, path)                                                                                          \
    {                                                                                                                  \
        pattern, path, true, false                                                                                     \
    }

static const row PATHS[] = {
    /* without a slash: a name at any depth, and everything below it */
    YES("a", "a"), YES("a", "x/a"), YES("a", "x/y/a"), YES("a", "a/b/c"), YES("a", "x/a/c"), NO("a", "ab"),
    NO("a", "ba/b"), YES("*.rgm", "map.rgm"), YES("*.rgm", "x/map.rgm"), NO("*.rgm", "map.rgmx"),
    YES("*.rgm", "map.rgm/x"), NO("*.rgm", "x.rg/m"), NO("A", "a"), YES("*", "a"), YES("*", ".a/b"), YES("a*c", "abbc"),
    YES("a*c", "ac"), NO("a*c", "a/c"), NO("a*c", "acb"), YES("a*b*c", "aXbYbZc"), YES("*a*", "bab"), NO("*a*", "bbb"),
    YES("**a", "x/bca"), YES("a**c", "abc"), NO("a**c", "a/c"),
    /* '?' and characters */
    YES("?", "a"), YES("?", "\303\251"), NO("?", "ab"), YES("a?c", "abc"), NO("a?c", "a/c"), NO("a?", "a"),
    NO("?a", "a"), YES("?", "\377"), YES("??", "\377\303"), YES("caf\303\251", "caf\303\251"),
    NO("caf?", "caf\303\251s"), YES("[\303\240-\303\277]x", "\303\251x"), NO("[\303\240-\303\277]x", "\303x"),
    YES("*\251", "\251"), NO("*\251", "\303\251"),
    /* sets */
    YES("[abc]", "b"), NO("[abc]", "d"), YES("[a-c]x", "bx"), NO("[a-c]x", "dx"), YES("[!a-c]x", "dx"),
    NO("[!a-c]x", "bx"), YES("[^a]", "b"), NO("[^a]", "a"), YES("[]]", "]"), YES("[!]]", "a"), NO("[!]]", "]"),
    YES("[a-]", "-"), YES("[-a]", "-"), YES("[\\]]", "]"), YES("[a\\-c]", "-"), NO("[a\\-c]", "b"), YES("[a-c-e]", "-"),
    NO("[a-c-e]", "d"), NO("[!a]", "/"), NO("[ab]", "ab"), YES("entry[[]3]", "entry[3]"), YES("*[0-9]", "x7"),
    NO("*[0-9]", "x"), YES("[*]", "*"), NO("[*]", "a"), YES("[?]", "?"),
    /* backslashes */
    YES("\\*", "*"), NO("\\*", "a"), YES("\\?", "?"), YES("\\[a]", "[a]"), YES("\\!a", "!a"), YES("\\a", "a"),
    YES("a\\ b", "a b"), YES("\\\\", "\\"), YES("\\\303\251", "\303\251"),
    /* with a slash: relative to the start of the path */
    YES("a/b", "a/b"), NO("a/b", "x/a/b"), YES("a/b", "a/b/c"), NO("a/b", "a"), NO("a/b", "a/bc"), YES("/a", "a"),
    NO("/a", "x/a"), YES("/a", "a/b"), YES("./a", "a"), NO("./a", "x/a"), YES("a/./b", "a/b"), YES("a//b", "a/b"),
    YES("a/*", "a/b"), YES("a/*", "a/b/c"), NO("a/*", "a"), YES("a/*.rgm", "a/b.rgm"), NO("a/*.rgm", "a/b/c.rgm"),
    YES("*/b", "a/b"), NO("*/b", "b"), NO("*/b", "x/a/b"),
    /* '**' */
    YES("**/b", "b"), YES("**/b", "a/b"), YES("**/b", "x/a/b/c"), NO("**/b", "x/ab"), YES("a/**", "a/b"),
    YES("a/**", "a/b/c"), NO("a/**", "a"), NO_DIR("a/**", "a"), NO("a/**", "b/a/c"), YES("a/**/b", "a/b"),
    YES("a/**/b", "a/x/b"), YES("a/**/b", "a/x/y/b"), NO("a/**/b", "a/xb"), NO("a/**/b", "b"), YES("**", "a"),
    YES("**/*", "a/b"), YES("**/**", "a"), YES("a/**/**/b", "a/b"), YES("**/a/**/b/**/c", "a/a/x/b/b/c"),
    NO("**/a/**/b/**/c", "a/c/b"), YES("a/**/b/*.rgm", "a/b/b/x.rgm"), YES("**/x/*/y", "x/x/x/a/y"),
    NO("**/x/*/y", "x/y"),
    /* a slash at the end: only directories */
    YES_DIR("a/", "a"), NO("a/", "a"), YES("a/", "a/b"), YES("a/", "x/a/b"), NO("a/", "x/a"), YES_DIR("a/", "x/a"),
    YES_DIR("a/b/", "a/b"), NO("a/b/", "a/b"), YES("a/b/", "a/b/c"), NO_DIR("a/b/", "x/a/b"), YES("*/", "a/b"),
    NO("*/", "a"), YES("a/**/", "a/b/c"), NO("a/**/", "a/b"), YES_DIR("a/**/", "a/b"), YES("**/a/", "x/a/b"),
    YES("a//", "a/b"),
    /* malformed patterns and empty texts */
    NO("", "a"), YES("[a", "[a"), NO("[a", "a"), YES("[]", "[]"), YES("a\\", "a\\"), NO("a", ""), NO("*", ""),
    NO("..", "a")};

static void test_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        const row *r = &PATHS[i];
        if (ll_glob_path(r->pattern, r->path, r->is_directory) != r->expected) {
            fail_msg("pattern '%s' and %s '%s': expected %s", r->pattern, r->is_directory ? "directory" : "file",
                     r->path, r->expected ? "a match" : "none");
        }
    }
}

static void test_texts(void **state)
{
    static const row rows[] = {YES("entry[3].name", "entry[3].name"),
                               NO("entry[3].name", "entry3.name"),
                               YES("entry[*].name", "entry[12].name"),
                               NO("entry[*].name", "entry[12].names"),
                               YES("*", ""),
                               YES("*", "a/b"),
                               YES("*.name", "a.b/c.name"),
                               YES("", ""),
                               NO("", "a"),
                               YES("a?c", "abc"),
                               YES("a\\*", "a*"),
                               NO("a\\*", "ab"),
                               YES("*[0]*", "x[0].y"),
                               NO("*[0]*", "x0y")};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (ll_glob(rows[i].pattern, strlen(rows[i].pattern), rows[i].path) != rows[i].expected) {
            fail_msg("pattern '%s' and text '%s': expected %s", rows[i].pattern, rows[i].path,
                     rows[i].expected ? "a match" : "none");
        }
    }
}

static void test_malformed_patterns_are_refused(void **state)
{
    static const char *const rows[][2] = {
        {"", "empty"},      {"/", "names nothing"}, {".", "names nothing"}, {"./", "names nothing"},
        {"[a", "']'"},      {"a[", "']'"},          {"[]", "']'"},          {"[!]", "']'"},
        {"a/[b/c]", "']'"}, {"[a\\]", "']'"},       {"a\\", "backslash"},   {"a\\/b", "backslash"},
        {"[z-a]", "range"}, {"../a", "'..'"},       {"a/../b", "'..'"},     {"a/..", "'..'"},
        {"!a", "'!'"},      {"x/[\\", "']'"},       {"a[\\", "']'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *why = NULL;
        if (ll_glob_valid(rows[i][0], &why) || !why || !strstr(why, rows[i][1])) {
            fail_msg("pattern '%s' was refused with '%s', expected %s", rows[i][0], why ? why : "nothing", rows[i][1]);
        }
    }
}

/* Every pattern that matches something is valid, except the malformed ones at the end of the table. */
static void test_patterns_that_match_are_valid(void **state)
{
    (void)state;
    for (size_t i = 0; strcmp(PATHS[i].pattern, "") != 0; i++) {
        const char *why = NULL;
        if (!ll_glob_valid(PATHS[i].pattern, &why)) {
            fail_msg("pattern '%s' was refused: %s", PATHS[i].pattern, why);
        }
        assert_null(why);
    }
}

/* All cuts of patterns and paths are accepted. Blocks have exactly the size of the text, so that a sanitizer notices
 * access outside. */
static void test_every_cut_is_answered(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        for (size_t n = 0; n <= strlen(PATHS[i].pattern); n++) {
            const char *why;
            char *cut = malloc(n + 1);
            assert_non_null(cut);
            memcpy(cut, PATHS[i].pattern, n);
            cut[n] = '\0';
            (void)ll_glob_path(cut, PATHS[i].path, false);
            (void)ll_glob(cut, strlen(cut), PATHS[i].path);
            (void)ll_glob_valid(cut, &why);
            free(cut);
        }
    }
}

/* Maximum processor time on a slow machine; sanitizers multiply it. */
#ifdef __SANITIZE_ADDRESS__
static const double SECONDS_MAX = 20;
#else
static const double SECONDS_MAX = 2;
#endif

/* `unit` repeated `times` times, then `end`. The caller frees it. */
static char *repeated(const char *unit, size_t times, const char *end)
{
    size_t n = strlen(unit);
    char *text = malloc(times * n + strlen(end) + 1);
    assert_non_null(text);
    for (size_t i = 0; i < times; i++) {
        memcpy(text + i * n, unit, n);
    }
    memcpy(text + times * n, end, strlen(end) + 1);
    return text;
}

static void test_hostile_patterns_are_fast(void **state)
{
    static const char *const rows[][4] = {
        {"a*", "b", "a", ""},        {"*a", "b", "a", "c"},     {"**/", "b", "a/", "a"},
        {"**/a/", "b", "a/", "a"},   {"**/*/", "b", "a/", "a"}, {"*/", "b", "a/", "a"},
        {"a*/**/", "b", "a/", "a"},  {"[a-z]*", "!", "a", ""},  {"?*", "/b", "a", ""},
        {"**/*a*/", "b", "aa/", ""}, {"*", "b", "a", ""},       {"[!b]*[ab]*", "c", "a", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *pattern = repeated(rows[i][0], 1000, rows[i][1]);
        char *path = repeated(rows[i][2], 1000, rows[i][3]);
        clock_t start = clock();
        assert_false(ll_glob_path(pattern, path, false));
        assert_false(ll_glob(pattern, strlen(pattern), path));
        double spent = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (spent > SECONDS_MAX) {
            fail_msg("pattern '%s' 1000 times: %.1f s", rows[i][0], spent);
        }
        free(pattern);
        free(path);
    }
}

/* A set of patterns matches a path exactly as its patterns do individually. */
static void expect_set_agrees(const ll_globs *globs, const char *path, bool is_directory)
{
    ll_globs_hits hits = {.items = NULL};
    size_t met = 0;
    assert_true(ll_globs_match(globs, path, is_directory, &hits, NULL));
    for (uint32_t i = 0; i < globs->count; i++) {
        bool expected = ll_glob_path(globs->items[i].pattern, path, is_directory);
        if (expected != (met < hits.count && hits.items[met] == i)) {
            fail_msg("pattern '%s' and '%s': the set says %s", globs->items[i].pattern, path, expected ? "no" : "yes");
        }
        met += expected;
    }
    assert_int_equal(met, hits.count);
    LL_ARRAY_FREE(&hits, NULL);
}

static void free_set(ll_globs *globs)
{
    LL_ARRAY_FREE(globs, NULL);
    ll_map_free(&globs->map, NULL);
}

static void test_sets_agree_with_their_patterns(void **state)
{
    ll_globs globs = {.items = NULL};
    (void)state;
    expect_set_agrees(&globs, "a", false);
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        assert_true(ll_globs_add(&globs, PATHS[i].pattern, NULL, NULL));
    }
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        expect_set_agrees(&globs, PATHS[i].path, false);
        expect_set_agrees(&globs, PATHS[i].path, true);
    }
    free_set(&globs);
}

/* A random concatenation of pieces from a list. */
static char *compose(uint32_t *seed, const char *const *pieces, size_t count, char out[64])
{
    size_t n = 0;
    *seed = *seed * 1664525 + 1013904223;
    for (size_t left = 1 + (*seed >> 24) % 8; left; left--) {
        *seed = *seed * 1664525 + 1013904223;
        const char *piece = pieces[(*seed >> 16) % count];
        memcpy(out + n, piece, strlen(piece));
        n += strlen(piece);
    }
    out[n] = '\0';
    return out;
}

static void test_sets_agree_on_random_patterns(void **state)
{
    static const char *const parts[] = {"a", "b", "ab", "/", "/",    "*",   "**/", "/**", "?",
                                        ".", "a", "\\", "[", "[ab]", "[!]", "]",   "b/",  "\303\251"};
    static const char *const names[] = {"a", "b", "/a", "/b", "ab", "/ab", "]", "[", ".b", "\303\251", "/a/b"};
    static char patterns[400][64];
    uint32_t seed = 20261122;
    (void)state;
    for (size_t round = 0; round < 20; round++) {
        char path[64];
        ll_globs globs = {.items = NULL};
        for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
            (void)compose(&seed, parts, sizeof parts / sizeof *parts, patterns[i]);
            assert_true(ll_globs_add(&globs, patterns[i], NULL, NULL));
        }
        for (size_t i = 0; i < 200; i++) {
            const char *seen = compose(&seed, names, sizeof names / sizeof *names, path);
            expect_set_agrees(&globs, seen + (*seen == '/'), i & 1);
        }
        free_set(&globs);
    }
}

/* Patterns that differ only in the middle of the name. */
static void test_patterns_with_one_end_are_fast(void **state)
{
    enum { PATTERNS = 1000, PATHS_ASKED = 15000 };
    static char patterns[PATTERNS][24];
    ll_globs globs = {.items = NULL};
    ll_globs_hits hits = {.items = NULL};
    size_t met = 0;
    (void)state;
    for (unsigned i = 0; i < PATTERNS; i++) {
        (void)snprintf(patterns[i], sizeof patterns[i], "*lamp%03u*.grxla", i);
        assert_true(ll_globs_add(&globs, patterns[i], NULL, NULL));
    }
    clock_t start = clock();
    for (unsigned i = 0; i < PATHS_ASKED; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "fox/afgh/s10_lamp%03u_fox2_grxla_win.grxla", i % PATTERNS);
        assert_true(ll_globs_match(&globs, path, false, &hits, NULL));
        met += hits.count;
    }
    double spent = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(met, PATHS_ASKED);
    if (spent > SECONDS_MAX) {
        fail_msg("1,000 patterns, 15,000 paths: %.1f s", spent);
    }
    LL_ARRAY_FREE(&hits, NULL);
    free_set(&globs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_malformed_patterns_are_refused),
        cmocka_unit_test(test_patterns_that_match_are_valid),
        cmocka_unit_test(test_every_cut_is_answered),
        cmocka_unit_test(test_hostile_patterns_are_fast),
        cmocka_unit_test(test_sets_agree_with_their_patterns),
        cmocka_unit_test(test_sets_agree_on_random_patterns),
        cmocka_unit_test(test_patterns_with_one_end_are_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
