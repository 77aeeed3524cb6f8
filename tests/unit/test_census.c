/* The census: counts for generated files, independence of order, limits on the number of values and kinds, and out
 * of memory. */
#include "sample.h"

#include "survey/census.h"

#include <stdio.h>

/* ------------------------------------------------------------------ helpers */

typedef struct bench {
    ll_ruleset *rules;
    ll_report *report;
} bench;

static bench open_bench(const char *select)
{
    bench b;
    ll_problem problem;
    assert_int_equal(ll_ruleset_create(NULL, &b.rules), LL_OK);
    if (select) {
        assert_int_equal(ll_ruleset_select(b.rules, select, &problem), LL_OK);
    }
    assert_int_equal(ll_ruleset_seal(b.rules, &problem), LL_OK);
    assert_int_equal(ll_report_create(NULL, &b.report), LL_OK);
    return b;
}

static void close_bench(bench *b)
{
    ll_report_free(b->report);
    ll_ruleset_free(b->rules);
}

static ll_census *new_census(const bench *b, uint32_t distinct)
{
    ll_census *census;
    ll_census_options options = {.size = sizeof options, .distinct = distinct};
    assert_int_equal(ll_census_create(NULL, b->rules, &options, &census), LL_OK);
    return census;
}

static void add(const bench *b, ll_census *census, const sample *s, const char *name)
{
    ll_lint_options options = {.size = sizeof options, .name = name};
    assert_int_equal(ll_lint(b->rules, s->bytes, s->size, &options, b->report), LL_OK);
    assert_int_equal(ll_census_add(census, b->report), LL_OK);
}

static bool gather(void *ctx, const char *bytes, size_t size)
{
    ll_text_put(ctx, bytes, size);
    return true;
}

static ll_text printed(ll_census *census, const char *format)
{
    ll_text out;
    ll_text_init(&out, &(ll_allocator){.alloc = NULL});
    out.allocator = ll_allocator_or_default(NULL);
    assert_int_equal(ll_census_print(census, format, gather, &out), LL_OK);
    return out;
}

static void assert_same(ll_census *a, ll_census *b)
{
    static const char *const formats[] = {"text", "json", "markdown", "html"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        ll_text x = printed(a, formats[i]);
        ll_text y = printed(b, formats[i]);
        assert_int_equal(x.length, y.length);
        assert_memory_equal(x.data, y.data, x.length);
        ll_text_free(&x);
        ll_text_free(&y);
    }
}

static void assert_says(ll_census *census, const char *format, const char *words)
{
    ll_text out = printed(census, format);
    if (!strstr(ll_text_cstr(&out), words)) {
        print_error("not said: %s\n%s", words, ll_text_cstr(&out));
    }
    assert_non_null(strstr(ll_text_cstr(&out), words));
    ll_text_free(&out);
}

/* Lights after sample_begin(), each with a lumen value. */
static void make_lights(sample *s, const uint32_t *lumen, size_t count)
{
    sample_begin(s);
    for (size_t i = 0; i < count; i++) {
        size_t at = sample_light(s, false);
        sample_put(s, at + SAMPLE_LUMEN, 4, lumen[i]);
    }
    sample_end(s);
}

/* ------------------------------------------------------------------ counts */

static void test_values_and_claims(void **state)
{
    (void)state;
    bench b = open_bench(NULL);
    ll_census *census = new_census(&b, 0);
    static const uint32_t lumen[] = {0x3F800000, 0x3F800000, 0x7FC00000, 0xFF800000,
                                     0x80000000, 0x00000001, 0xC0000000};
    sample s;
    make_lights(&s, lumen, 7);
    add(&b, census, &s, "lights.grxla");
    assert_says(census, "text", "grx.point_light PL03: 7 records in 1 of 1 file, 7 in each");
    assert_says(census, "json",
                "{\"field\":\"lumen\",\"type\":\"f32 "
                "LE\",\"role\":\"\",\"meaning\":\"lumen\",\"count\":7,\"distinct\":6,\"exact\":true,\"sampled\":7,"
                "\"min\":-2,\"max\":1,\"nan\":1,\"infinite\":1,\"denormal\":1,\"negative_zero\":1,"
                "\"values\":[{\"value\":1,\"count\":2},");
    assert_says(
        census, "json",
        "\"rule\":\"GRX505\",\"name\":\"float-nonfinite\",\"severity\":\"error\",\"field\":\"lumen\",\"check\":"
        "\"finite\",\"examined\":7,"
        "\"broken\":2,\"places\":[{\"file\":\"lights.grxla\",\"offset\":356,\"length\":4,\"path\":\"entry[3].lumen\","
        "\"value\":\"NaN\"},"
        "{\"file\":\"lights.grxla\",\"offset\":452,\"length\":4,\"path\":\"entry[4].lumen\",\"value\":\"-Infinity\"}]");
    assert_says(census, "text", "1 x2, -Infinity x1, -2 x1, -0 x1");
    ll_census_free(census);
    close_bench(&b);
}

/* Guards and selection. Where a guard does not hold, the claim is not examined; a rule that is not selected is no
 * claim. */
static void test_guards_and_selection(void **state)
{
    (void)state;
    bench b = open_bench("GRX536");
    ll_census *census = new_census(&b, 0);
    sample s;
    sample_begin(&s);
    size_t old = sample_light(&s, false);
    sample_put(&s, old, 4, 0x32304C50); /* PL02 */
    sample_put(&s, old + 0x1C, 4, 7);
    size_t new = sample_light(&s, false);
    sample_put(&s, new + 0x1C, 4, 2);
    sample_end(&s);
    add(&b, census, &s, "a.grxla");
    assert_says(
        census, "json",
        "\"examined\":0,\"broken\":0}]},\n{\"format\":\"grx\",\"record\":\"grx.point_light\",\"kind\":\"PL03\"");
    assert_says(census, "json",
                "\"examined\":1,\"broken\":1,\"places\":[{\"file\":\"a.grxla\",\"offset\":220,\"length\":4,"
                "\"path\":\"entry[2].unknown_14\",\"value\":\"2\"}]");
    ll_text out = printed(census, "text");
    assert_null(strstr(ll_text_cstr(&out), "GRX505"));
    ll_text_free(&out);
    ll_census_free(census);
    close_bench(&b);
}

/* References. An offset is null, points to a target, between targets or outside the file; or it is unknown, because
 * the file ends too early. */
static void test_references(void **state)
{
    (void)state;
    enum { NAME_OFFSET = 0x10 };
    static const uint32_t offsets[] = {0, 0x50, 0x51, 0x7FFFFFFF, 0xFFFFFFFF, 0x50};
    bench b = open_bench(NULL);
    ll_census *parts[2] = {new_census(&b, 0), new_census(&b, 0)};
    for (unsigned part = 0; part < 2; part++) {
        sample s;
        sample_begin(&s);
        for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
            sample_put(&s, sample_light(&s, true) + NAME_OFFSET, 4, offsets[i]);
        }
        sample_end(&s);
        add(&b, parts[part], &s, "a.grxla");
    }
    assert_says(parts[0], "json",
                "{\"reference\":\"grx.point_light.name_offset\",\"to\":\"grx.name\",\"count\":6,\"null\":1,"
                "\"target\":2,\"between\":1,\"outside\":2,\"unknown\":0},\n");
    assert_int_equal(ll_census_merge(parts[1], parts[0]), LL_OK);
    assert_says(parts[1], "markdown", "| grx.point\\_light.name\\_offset | grx.name | 12 | 2 | 4 | 2 | 4 | 0 |");
    ll_census_free(parts[0]);
    ll_census_free(parts[1]);
    close_bench(&b);
}

/* ------------------------------------------------------------------ order */

static void test_order_and_parts(void **state)
{
    (void)state;
    bench b = open_bench(NULL);
    for (uint32_t distinct = 4; distinct <= 64; distinct *= 4) { /* fewer and more than the number of values */
        ll_census *forward = new_census(&b, distinct);
        ll_census *parts[3] = {new_census(&b, distinct), new_census(&b, distinct), new_census(&b, distinct)};
        for (unsigned pass = 0; pass < 2; pass++) {
            for (unsigned i = 0; i < 12; i++) {
                unsigned file = pass ? 11 - i : i;
                uint32_t lumen[3] = {0x42000000 + file * 0x1234U, 0x41000000 + file / 3 * 0x777U,
                                     file % 2 ? 0x7FC00000U : 0xBF800000U};
                char name[16];
                (void)snprintf(name, sizeof name, "%02u.grxla", file);
                sample s;
                make_lights(&s, lumen, 3);
                add(&b, pass ? parts[file * 5 % 3] : forward, &s, name);
            }
        }
        assert_int_equal(ll_census_merge(parts[2], parts[0]), LL_OK);
        assert_int_equal(ll_census_merge(parts[2], parts[1]), LL_OK);
        assert_same(forward, parts[2]);
        ll_census_free(forward);
        for (unsigned i = 0; i < 3; i++) {
            ll_census_free(parts[i]);
        }
    }
    close_bench(&b);
}

static void test_arguments(void **state)
{
    (void)state;
    bench b = open_bench(NULL);
    bench other = open_bench(NULL);
    ll_census *census = new_census(&b, 0);
    ll_census *smaller = new_census(&b, 8);
    ll_census *foreign = new_census(&other, 0);
    assert_int_equal(ll_census_merge(census, smaller), LL_E_ARGUMENT);
    assert_int_equal(ll_census_merge(census, foreign), LL_E_ARGUMENT);
    assert_int_equal(ll_census_merge(census, census), LL_E_ARGUMENT);
    assert_int_equal(ll_census_add(census, b.report), LL_E_ARGUMENT); /* nothing was linted */
    assert_int_equal(ll_census_print(census, "yaml", gather, NULL), LL_E_ARGUMENT);
    ll_census_free(census);
    ll_census_free(smaller);
    ll_census_free(foreign);
    ll_census_free(NULL);
    close_bench(&b);
    close_bench(&other);
}

/* ------------------------------------------------------------------ the table of one column */

static const ll_field number_field = {"n", 0, 4, LL_TYPE_U32, LL_ROLE_DATA, LL_SURE_KNOWN, "", ""};
static const ll_column_def number_column = {.field = &number_field,
                                            .suffix = "",
                                            .part = LL_COLUMN_ALL,
                                            .elements = 1,
                                            .form = LL_COLUMN_NUMBER,
                                            .type = LL_TYPE_U32,
                                            .bytes = 4};

static uint64_t count_of(const ll_column *column, uint64_t key)
{
    for (size_t i = 0; i < column->seen.count; i++) {
        if (column->seen.items[i].key == key) {
            return column->seen.items[i].count;
        }
    }
    return 0;
}

/* Far more values than the limit, each several times: stored values have complete counts, small ones are among them,
 * and the number of distinct values is right within a few percent. */
static void test_too_many_values(void **state)
{
    (void)state;
    enum { LIMIT = 2048, VALUES = 100000, TIMES = 3 };
    ll_column_store store = {ll_allocator_or_default(NULL), LIMIT};
    ll_column up = {.highest_rank = UINT64_MAX};
    ll_column down = {.highest_rank = UINT64_MAX};
    for (uint32_t i = 0; i < VALUES * TIMES; i++) {
        assert_true(ll_column_number(&up, &number_column, i % VALUES, &store));
        assert_true(ll_column_number(&down, &number_column, (VALUES * TIMES - 1 - i) % VALUES, &store));
        assert_true(up.seen.count <= LIMIT + LIMIT / 2);
    }
    assert_true(ll_column_cut(&up, &number_column, &store));
    assert_true(ll_column_cut(&down, &number_column, &store));
    assert_false(ll_column_is_whole(&up));
    assert_int_equal(up.seen.count, LIMIT);
    assert_int_equal(up.count, VALUES * TIMES);
    for (size_t i = 0; i < up.seen.count; i++) {
        assert_int_equal(up.seen.items[i].count, TIMES);
        assert_int_equal(count_of(&down, up.seen.items[i].key), TIMES);
    }
    assert_int_equal(count_of(&up, 0), TIMES);
    assert_int_equal(count_of(&up, 255), TIMES);
    uint64_t about = ll_column_distinct(&up, &number_column);
    assert_true(about > VALUES * 9 / 10 && about < VALUES * 11 / 10);
    assert_int_equal(ll_column_unordered(&number_column, up.high), VALUES - 1);
    ll_column_free(&up, &store);
    ll_column_free(&down, &store);
}

/* At the limit the count is exact, one value above it is not. */
static void test_limit(void **state)
{
    (void)state;
    ll_column_store store = {ll_allocator_or_default(NULL), 1000};
    for (uint32_t values = 1000; values <= 1001; values++) {
        ll_column column = {.highest_rank = UINT64_MAX};
        for (uint32_t i = 0; i < values; i++) {
            assert_true(ll_column_number(&column, &number_column, 1000000 + i, &store));
        }
        assert_true(ll_column_cut(&column, &number_column, &store));
        assert_int_equal(ll_column_is_whole(&column), values == 1000);
        assert_int_equal(column.seen.count, 1000);
        ll_column_free(&column, &store);
    }
}

static void test_order_of_numbers(void **state)
{
    (void)state;
    static const struct {
        uint8_t type;
        uint64_t low, high;
    } rows[] = {{LL_TYPE_I16, 0x8000, 0x7FFF},         {LL_TYPE_I24, 0xFFFFFF, 0x000001},
                {LL_TYPE_U24, 0x000001, 0xFFFFFF},     {LL_TYPE_F16, 0xFBFF, 0x3C00},
                {LL_TYPE_F32, 0xBF800000, 0x3F800000}, {LL_TYPE_F32, 0x80000000, 0x00000000}};
    ll_column_store store = {ll_allocator_or_default(NULL), 16};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ll_column_def def = number_column;
        def.type = rows[i].type;
        def.bytes = (uint8_t)ll_type_bytes(rows[i].type);
        def.flip = ll_type_is_float(def.type) ? UINT64_MAX : ll_type_is_signed(def.type) ? UINT64_C(1) << 63 : 0;
        def.exponent = def.type == LL_TYPE_F16 ? 0x7C00 : def.type == LL_TYPE_F32 ? 0x7F800000 : 0;
        def.sign = def.type == LL_TYPE_F16 ? 0x8000 : def.type == LL_TYPE_F32 ? 0x80000000 : 0;
        ll_column column = {.highest_rank = UINT64_MAX};
        assert_true(ll_column_number(&column, &def, rows[i].high, &store));
        assert_true(ll_column_number(&column, &def, rows[i].low, &store));
        assert_int_equal(ll_column_unordered(&def, column.low), rows[i].low);
        assert_int_equal(ll_column_unordered(&def, column.high), rows[i].high);
        ll_column_free(&column, &store);
    }
}

/* ------------------------------------------------------------------ kinds */

/* A map with one section of an unknown tag. */
static void make_map(sample *s, unsigned letter)
{
    static const char bytes[] = "RAHD\0\0\0\x08\0\0\0\0\x1b\x80\x37\0XX?0\0\0\0\x04"
                                "abcdEND ";
    *s = (sample){.size = sizeof bytes - 1};
    memcpy(s->bytes, bytes, s->size);
    s->bytes[18] = (uint8_t)letter;
}

/* Sections with twenty unknown tags, in any order: sixteen are counted individually, the others as one group. */
static void test_too_many_kinds(void **state)
{
    (void)state;
    bench b = open_bench(NULL);
    ll_census *up = new_census(&b, 0);
    ll_census *down = new_census(&b, 0);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < 20; i++) {
            unsigned n = pass ? 19 - i : i;
            sample s;
            make_map(&s, 'A' + n);
            char name[16];
            (void)snprintf(name, sizeof name, "%02u.rgm", n);
            add(&b, pass ? down : up, &s, name);
        }
    }
    assert_says(up, "text", "rgm.unknown XXP0: 1 record ");
    assert_says(up, "text", "rgm.unknown other: 4 records.");
    assert_same(up, down);
    ll_census_free(up);
    ll_census_free(down);
    close_bench(&b);
}

/* ------------------------------------------------------------------ out of memory */

typedef struct meter {
    long live, calls, fail_at;
} meter;

static void *metered_alloc(void *ctx, size_t size)
{
    meter *m = ctx;
    void *block = ++m->calls == m->fail_at ? NULL : malloc(size);
    m->live += block != NULL;
    return block;
}

static void metered_release(void *ctx, void *block)
{
    meter *m = ctx;
    m->live -= block != NULL;
    free(block);
}

/* Makes two censuses, merges and prints them. */
static ll_status run_metered(const bench *b, const ll_allocator *allocator, ll_text *out)
{
    ll_census *a = NULL;
    ll_census *c = NULL;
    ll_census_options options = {.size = sizeof options, .distinct = 4};
    ll_status status = ll_census_create(allocator, b->rules, &options, &a);
    status = status == LL_OK ? ll_census_create(allocator, b->rules, &options, &c) : status;
    sample s;
    sample_bad(&s);
    ll_lint_options lint = {.size = sizeof lint, .name = "bad.grxla"};
    assert_int_equal(ll_lint(b->rules, s.bytes, s.size, &lint, b->report), LL_OK);
    for (unsigned i = 0; status == LL_OK && i < 2; i++) {
        status = ll_census_add(i ? c : a, b->report);
    }
    status = status == LL_OK ? ll_census_merge(a, c) : status;
    status = status == LL_OK ? ll_census_print(a, "json", gather, out) : status;
    if (status == LL_OK) {
        status = ll_census_print(a, "html", gather, out);
    }
    ll_census_free(a);
    ll_census_free(c);
    return status;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    bench b = open_bench(NULL);
    ll_text whole;
    ll_text out;
    ll_allocator plain = ll_allocator_or_default(NULL);
    ll_text_init(&whole, &plain);
    ll_text_init(&out, &plain);
    assert_int_equal(run_metered(&b, NULL, &whole), LL_OK);
    long fail_at = 1;
    for (bool failed = true; failed; fail_at++) { /* some failures have no effect */
        meter m = {.fail_at = fail_at};
        ll_allocator allocator = {metered_alloc, metered_release, &m};
        ll_text_clear(&out);
        ll_status status = run_metered(&b, &allocator, &out);
        failed = m.calls >= fail_at;
        assert_int_equal(m.live, 0);
        assert_true(status == LL_OK || (failed && status == LL_E_MEMORY));
        if (status == LL_OK) {
            assert_int_equal(out.length, whole.length);
            assert_memory_equal(out.data, whole.data, out.length);
        }
    }
    assert_true(fail_at > 200);
    ll_text_free(&whole);
    ll_text_free(&out);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_claims), cmocka_unit_test(test_guards_and_selection),
        cmocka_unit_test(test_order_and_parts),   cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_too_many_values),   cmocka_unit_test(test_limit),
        cmocka_unit_test(test_order_of_numbers),  cmocka_unit_test(test_too_many_kinds),
        cmocka_unit_test(test_out_of_memory),     cmocka_unit_test(test_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
