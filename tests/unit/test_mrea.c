/* mrea: the layout of a bare lights section, the wrong count in a section that does not fit, and format detection.
 * The cases test the reader with whole files. */
#include "unit.h"

#include "base/ints.h"
#include "formats/mrea/mrea.h"
#include "findings/report.h"
#include "model/reader.h"

#include <stdlib.h>

enum { SECTION_MAX = 1 << 20, LIGHT_TYPES = 4, NO_FAULT = 0xFFFF };

/* Built byte by byte. The parsed copy has exactly its size, so that a sanitizer notices access outside. */
typedef struct section {
    uint8_t bytes[SECTION_MAX];
    uint32_t size;
    uint32_t count_at[MREA_LAYERS_MAX];
} section;

static void put(section *s, uint32_t at, uint32_t value)
{
    ll_put_uint(s->bytes + at, 4, 1, value);
}

static void put_float(section *s, uint32_t at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(s, at, bits);
}

/* Writes light number n. Types alternate, only the first light is ambient, and every value is plausible. */
static void put_light(section *s, const mrea_form *form, uint32_t n)
{
    bool mp3 = form == &mrea_form_mp3;
    uint32_t at = s->size;
    uint32_t direction = at + (mp3 ? (uint32_t)mrea_light_mp3_at_direction : (uint32_t)mrea_light_at_direction);
    uint32_t brightness = at + (mp3 ? (uint32_t)mrea_light_mp3_at_brightness : (uint32_t)mrea_light_at_brightness);
    uint32_t shadows = at + (mp3 ? (uint32_t)mrea_light_mp3_at_cast_shadows : (uint32_t)mrea_light_at_cast_shadows);
    uint32_t falloff = at + (mp3 ? (uint32_t)mrea_light_mp3_at_falloff_type : (uint32_t)mrea_light_at_falloff_type);
    uint32_t type = n ? 1 + (n - 1) % (LIGHT_TYPES - 1) : 0;
    memset(s->bytes + at, 0, form->record);
    put(s, at, type);
    for (uint32_t i = 0; i < 3; i++) {
        put_float(s, at + 4 + 4 * i, 0.25F + 0.125F * (float)i);
    }
    if (mp3) {
        put_float(s, at + mrea_light_mp3_at_alpha, 1.0F);
        put_float(s, at + mrea_light_mp3_at_position, (float)n);
        put_float(s, at + mrea_light_mp3_at_codirection + 4, 1.0F);
    } else {
        put_float(s, at + mrea_light_at_position, (float)n);
    }
    put_float(s, direction + 8, -1.0F);
    put_float(s, brightness, 40.0F);
    put_float(s, brightness + 4, type == 3 ? 60.0F : 0.0F);
    s->bytes[shadows] = (uint8_t)(n & 1);
    put(s, falloff, n % 3);
    s->size += form->record;
}

static void build(section *s, const mrea_form *form, const uint32_t *counts, bool padded)
{
    s->size = 4;
    put(s, 0, MREA_LIGHTS_MAGIC);
    uint32_t n = 0;
    for (unsigned k = 0; k < form->layers; k++) {
        s->count_at[k] = s->size;
        put(s, s->size, counts[k]);
        s->size += 4;
        for (uint32_t i = 0; i < counts[k]; i++) {
            put_light(s, form, n++);
        }
    }
    while (padded && s->size % MREA_ALIGNMENT) {
        s->bytes[s->size++] = 0;
    }
}

/* A parsed copy of a section. */
typedef struct parsed {
    ll_doc doc;
    uint8_t *bytes;
    const mrea_summary *summary;
} parsed;

static void parse(parsed *p, const section *s, unsigned variant)
{
    p->bytes = malloc(s->size ? s->size : 1);
    assert_non_null(p->bytes);
    memcpy(p->bytes, s->bytes, s->size);
    ll_doc_init(&p->doc, NULL);
    ll_doc_open(&p->doc, p->bytes, s->size, "a.lights");
    ll_doc_set_format(&p->doc, &mrea_format);
    p->doc.variant = variant;
    ll_doc_read(&p->doc);
    ll_doc_seal(&p->doc);
    assert_int_equal(p->doc.status, LL_OK);
    p->summary = ll_doc_memo(&p->doc, mrea_index);
}

static void drop(parsed *p)
{
    ll_doc_free(&p->doc);
    free(p->bytes);
}

/* The code of the only fault, not counting MREA_FAULT_VARIANT_AMBIGUOUS of a damaged section; NO_FAULT if there is
 * none. */
static unsigned only_fault(const parsed *p)
{
    const ll_fault_node *node = p->doc.first_fault;
    bool doubt = p->doc.fault_count == 2 && node->next->fault.code == MREA_FAULT_VARIANT_AMBIGUOUS;
    assert_true(p->doc.fault_count <= 1 || doubt);
    return node ? node->fault.code : (unsigned)NO_FAULT;
}

static uint32_t lights_of(const parsed *p, unsigned layer)
{
    uint32_t lights = 0;
    for (uint32_t i = 0; i < p->doc.span_count; i++) {
        const ll_span *span = ll_doc_span(&p->doc, i);
        bool record = span->layout == mrea_light_LAYOUT || span->layout == mrea_light_mp3_LAYOUT;
        lights += record && span->parent == p->summary->layer[layer] ? span->count : 0;
    }
    return lights;
}

static section file;
static ll_ruleset *rules;

static void expect_form(const mrea_form *form, const uint32_t *counts, bool padded)
{
    parsed p;
    build(&file, form, counts, padded);
    parse(&p, &file, 0);
    assert_ptr_equal(p.summary->form, form);
    bool aligned = file.size % MREA_ALIGNMENT == 0;
    assert_int_equal(only_fault(&p), aligned ? (unsigned)NO_FAULT : (unsigned)MREA_FAULT_SECTION_UNALIGNED_BARE);
    for (unsigned k = 0; k < form->layers; k++) {
        assert_int_equal(lights_of(&p, k), counts[k]);
    }
    drop(&p);
}

static void expect_both(uint32_t a, uint32_t b, bool padded)
{
    for (uint32_t second = 0; second <= 2; second++) {
        uint32_t in_two[] = {a - (second < a ? second : a), second < a ? second : a};
        uint32_t in_four[] = {b - (second < b ? second : b), second < b ? second : b, 0, 0};
        expect_form(&mrea_form_mp12, in_two, padded);
        expect_form(&mrea_form_mp3, in_four, padded);
    }
}

/* ------------------------------------------------------------------ the layout of a bare section */

/* Numbers of lights with which sections of the two layouts have the same padded size. */
static void test_size_coincidences(void **state)
{
    (void)state;
    static const uint8_t pairs[][2] = {{3, 2},   {5, 3},   {8, 5},   {11, 7},  {16, 10}, {19, 12},
                                       {23, 15}, {25, 16}, {28, 18}, {31, 20}, {36, 23}, {39, 25},
                                       {42, 27}, {47, 30}, {50, 32}, {56, 36}, {59, 38}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        uint32_t a = pairs[i][0];
        uint32_t b = pairs[i][1];
        assert_true(ll_align_up(12 + 65 * a, 32) == ll_align_up(20 + 101 * b, 32));
        expect_both(a, b, true);
    }
}

static void test_size_coincidences_unpadded(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 3; k++) {
        expect_both(11 + 101 * k, 7 + 65 * k, false);
    }
}

static void test_small_sections(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 6; first++) {
        for (uint32_t second = 0; second < 6; second++) {
            uint32_t counts[] = {first, second, 0, 0};
            if (first + second) {
                expect_form(&mrea_form_mp12, counts, true);
                expect_form(&mrea_form_mp3, counts, true);
            }
        }
    }
    expect_form(&mrea_form_mp3, (const uint32_t[]){0, 0, 0, 1}, true);
    expect_form(&mrea_form_mp3, (const uint32_t[]){2, 1, 3, 5}, true);
}

static void test_empty_section_is_ambiguous(void **state)
{
    (void)state;
    parsed p;
    build(&file, &mrea_form_mp3, (const uint32_t[]){0, 0, 0, 0}, true);
    parse(&p, &file, 0);
    assert_int_equal(only_fault(&p), MREA_FAULT_VARIANT_AMBIGUOUS);
    assert_ptr_equal(p.summary->form, &mrea_form_mp12);
    drop(&p);
    parse(&p, &file, 1 + MREA_MP3);
    assert_int_equal(only_fault(&p), NO_FAULT);
    assert_ptr_equal(p.summary->form, &mrea_form_mp3);
    assert_int_equal(p.summary->game, MREA_MP3);
    drop(&p);
}

static void test_wrong_variant(void **state)
{
    (void)state;
    static const uint32_t counts[] = {4, 2, 0, 0};
    static const mrea_form *const forms[] = {&mrea_form_mp12, &mrea_form_mp3};
    for (unsigned i = 0; i < 2; i++) {
        parsed p;
        build(&file, forms[i], counts, true);
        parse(&p, &file, i ? 1 + MREA_MP2 : 1 + MREA_MP3);
        assert_int_equal(only_fault(&p), MREA_FAULT_OTHER_LAYOUT);
        assert_null(p.summary->form);
        drop(&p);
    }
}

/* ------------------------------------------------------------------ counts */

/* Lints a section; returns the first finding. */
static const ll_entry *lint(const section *s, ll_report *report)
{
    const ll_lint_options options = {.size = sizeof options, .name = "a.lights"};
    assert_int_equal(ll_lint(rules, s->bytes, s->size, &options, report), LL_OK);
    assert_true(report->entries.count > 0);
    return &report->entries.items[0];
}

/* Changes one count. The first finding is about that count, and its patch restores it. */
static void expect_count_blamed(const mrea_form *form, const uint32_t *counts, unsigned layer, uint32_t wrong)
{
    ll_report *report;
    build(&file, form, counts, true);
    put(&file, file.count_at[layer], wrong);
    assert_int_equal(ll_report_create(NULL, &report), LL_OK);
    const ll_entry *first = lint(&file, report);
    assert_int_equal(first->at.offset, file.count_at[layer]);
    assert_int_equal(first->patch.tier, LL_PATCH_UNSAFE);
    assert_int_equal(first->patch.size, 4);
    assert_int_equal(ll_be32(first->patch.bytes), counts[layer]);
    ll_report_free(report);
}

static void expect_counts_blamed(const mrea_form *form, const uint32_t *counts)
{
    for (unsigned layer = 0; layer < form->layers; layer++) {
        for (unsigned bit = 0; bit < 32; bit += 5) {
            expect_count_blamed(form, counts, layer, counts[layer] ^ UINT32_C(1) << bit);
        }
        expect_count_blamed(form, counts, layer, counts[layer] + 1);
        if (counts[layer]) {
            expect_count_blamed(form, counts, layer, counts[layer] - 1);
        }
    }
}

static void test_wrong_count(void **state)
{
    (void)state;
    static const uint32_t some[][4] = {{4, 2, 0, 0}, {7, 0, 0, 0}, {3, 3, 0, 0}};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        expect_counts_blamed(&mrea_form_mp12, some[i]);
        expect_counts_blamed(&mrea_form_mp3, some[i]);
    }
}

/* With three lights instead of four, the type of the fourth light, read as a count, makes the walk end where the
 * section ends. */
static void test_wrong_count_that_fits(void **state)
{
    (void)state;
    expect_count_blamed(&mrea_form_mp12, (const uint32_t[]){4, 2}, 0, 3);
    expect_count_blamed(&mrea_form_mp12, (const uint32_t[]){4, 1}, 0, 5);
}

/* ------------------------------------------------------------------ sections that end too early or too late */

static void test_cut_section(void **state)
{
    (void)state;
    static const uint32_t counts[] = {4, 2, 0, 0};
    static const mrea_form *const forms[] = {&mrea_form_mp12, &mrea_form_mp3};
    for (unsigned i = 0; i < 2; i++) {
        build(&file, forms[i], counts, false);
        uint32_t whole = file.size;
        for (file.size = 0; file.size < whole; file.size++) {
            parsed p;
            parse(&p, &file, 1 + (i ? MREA_MP3 : MREA_MP1));
            assert_int_equal(p.doc.fault_count, 1);
            drop(&p);
        }
        file.size = file.count_at[0] + 4 + 2 * forms[i]->record + 40; /* in the third light */
        parsed p;
        parse(&p, &file, 0);
        assert_int_equal(only_fault(&p), MREA_FAULT_LAYER_TRUNCATED);
        assert_ptr_equal(p.summary->form, forms[i]);
        assert_int_equal(lights_of(&p, 0), 2);
        drop(&p);
    }
}

/* Inserts or removes bytes in a light. The first finding is about that light. */
static void expect_shift(const mrea_form *form, uint32_t record, int by)
{
    build(&file, form, (const uint32_t[]){6, 2, 0, 0}, true);
    uint32_t light = file.count_at[0] + 4 + record * form->record;
    uint32_t at = light + 20;
    uint32_t from = at + (by < 0 ? (uint32_t)-by : 0);
    uint32_t to = at + (by > 0 ? (uint32_t)by : 0);
    ll_report *report;
    memmove(file.bytes + to, file.bytes + from, file.size - from);
    memset(file.bytes + at, 0xFF, to - at); /* NaN */
    file.size = file.size - from + to;
    assert_int_equal(ll_report_create(NULL, &report), LL_OK);
    const ll_where *place = &lint(&file, report)->at;
    assert_string_equal(ll_rule_at(report->rules, report->entries.items[0].rule)->name, "light-shifted");
    assert_true(place->offset < light + form->record && place->offset + place->length > light);
    ll_report_free(report);
}

static void test_shifted_records(void **state)
{
    (void)state;
    static const int8_t shifts[] = {-8, -4, -1, 1, 4, 8};
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        for (uint32_t record = 0; record < 4; record++) {
            expect_shift(&mrea_form_mp12, record, shifts[i]);
            expect_shift(&mrea_form_mp3, record, shifts[i]);
        }
    }
}

static void test_bytes_behind(void **state)
{
    (void)state;
    parsed p;
    build(&file, &mrea_form_mp12, (const uint32_t[]){4, 2}, true);
    memset(file.bytes + file.size, 0, 32);
    file.size += 32;
    for (unsigned variant = 0; variant <= 1; variant++) {
        parse(&p, &file, variant);
        assert_int_equal(only_fault(&p), MREA_FAULT_PADDING_TOO_LONG);
        assert_int_equal(lights_of(&p, 0), 4);
        assert_int_equal(lights_of(&p, 1), 2);
        drop(&p);
    }
}

/* ------------------------------------------------------------------ magic words */

static void test_damaged_magic(void **state)
{
    (void)state;
    static const uint32_t words[] = {0xBABEDEAC, 0xADDEBEBA, 0, 0x12345678};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        parsed p;
        build(&file, &mrea_form_mp12, (const uint32_t[]){4, 2}, true);
        put(&file, 0, words[i]);
        parse(&p, &file, 0);
        assert_int_equal(only_fault(&p), i == 1 ? MREA_FAULT_LIGHTS_MAGIC_SWAPPED : MREA_FAULT_LIGHTS_MAGIC);
        assert_int_equal(p.doc.first_fault->fault.at.length, 4);
        assert_int_equal(p.doc.first_fault->fault.hint, MREA_HINT_NONE);
        assert_int_equal(lights_of(&p, 0), 4);
        assert_int_equal(lights_of(&p, 1), 2);
        drop(&p);
    }
}

/* All words are swapped; the first count shows it. */
static void test_little_endian_section(void **state)
{
    (void)state;
    parsed p;
    build(&file, &mrea_form_mp12, (const uint32_t[]){4, 2}, true);
    put(&file, 0, 0xADDEBEBA);
    put(&file, file.count_at[0], 0x04000000);
    parse(&p, &file, 0);
    assert_int_equal(only_fault(&p), MREA_FAULT_LIGHTS_MAGIC_SWAPPED);
    assert_int_equal(p.doc.first_fault->fault.patch.tier, LL_PATCH_NONE);
    drop(&p);
}

static void test_legacy_section(void **state)
{
    (void)state;
    parsed p;
    file.size = 4;
    put(&file, 0, 3);
    for (uint32_t i = 0; i < 3; i++) {
        put_light(&file, &mrea_form_mp12, i);
    }
    while (file.size % MREA_ALIGNMENT) {
        file.bytes[file.size++] = 0;
    }
    parse(&p, &file, 0);
    assert_int_equal(only_fault(&p), MREA_FAULT_LIGHTS_MAGIC);
    assert_int_equal(p.doc.first_fault->fault.hint, MREA_HINT_LEGACY_SINGLE_LAYER);
    assert_null(p.summary->form);
    drop(&p);
}

static void test_probe_of_the_format(void **state)
{
    (void)state;
    assert_int_equal(mrea_probe((const uint8_t *)"\xBA\xBE\xDE\xAD", 4), LL_PROBE_SURE);
    assert_int_equal(mrea_probe((const uint8_t *)"\xDE\xAD\xBE\xEF", 4), LL_PROBE_SURE);
    assert_int_equal(mrea_probe((const uint8_t *)"\xAD\xDE\xBE\xBA", 4), LL_PROBE_SURE);
    assert_int_equal(mrea_probe((const uint8_t *)"\xEF\xBE\xAD\xDE", 4), LL_PROBE_SURE);
    assert_int_equal(mrea_probe((const uint8_t *)"\xBA\xBE\xDE\xAC", 4), LL_PROBE_MAYBE);
    assert_int_equal(mrea_probe((const uint8_t *)"\xDE\xAD\xBE", 3), LL_PROBE_NO);
    assert_int_equal(mrea_probe((const uint8_t *)"\xCA\xFE\xBA\xBE", 4), LL_PROBE_NO);
    uint8_t area[64] = {'n', 'o', 'n', 'e', 0, 0, 0, 0x0F};
    for (unsigned row = 0; row < 3; row++) {
        ll_put_uint(area + 8 + 20 * row, 4, 1, 0x3F800000);
    }
    assert_int_equal(mrea_probe(area, sizeof area), LL_PROBE_MAYBE);
    area[7] = 0x0E; /* unknown version */
    assert_int_equal(mrea_probe(area, sizeof area), LL_PROBE_NO);
}

static int make_rules(void **state)
{
    ll_problem problem;
    (void)state;
    return ll_ruleset_create(NULL, &rules) != LL_OK || ll_ruleset_seal(rules, &problem) != LL_OK;
}

static int free_rules(void **state)
{
    (void)state;
    ll_ruleset_free(rules);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size_coincidences),     cmocka_unit_test(test_size_coincidences_unpadded),
        cmocka_unit_test(test_small_sections),        cmocka_unit_test(test_empty_section_is_ambiguous),
        cmocka_unit_test(test_wrong_variant),         cmocka_unit_test(test_wrong_count),
        cmocka_unit_test(test_wrong_count_that_fits), cmocka_unit_test(test_cut_section),
        cmocka_unit_test(test_shifted_records),       cmocka_unit_test(test_bytes_behind),
        cmocka_unit_test(test_damaged_magic),         cmocka_unit_test(test_little_endian_section),
        cmocka_unit_test(test_legacy_section),        cmocka_unit_test(test_probe_of_the_format),
    };
    return cmocka_run_group_tests_name("mrea", tests, make_rules, free_rules);
}
