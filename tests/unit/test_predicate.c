/* predicate, literal: what each predicate accepts, how it parses its values, its verdicts, the bytes it blames, its
 * messages and its patches. A filter never passes a record that its test would reject. The records are made up: one
 * field of each type, in both byte orders. */
#include "unit.h"

#include "rules/key.h"

#include "base/endian.h"
#include "base/half.h"
#include "model/format.h"
#include "rules/literal.h"
#include "rules/regex.h"

#include <math.h>
#include <stdio.h>

/* ------------------------------------------------------------------ records */

enum {
    F_U8,
    F_U16,
    F_U16B,
    F_U32,
    F_U64,
    F_I16,
    F_I32,
    F_F16,
    F_F16B,
    F_F32,
    F_TRIPLE,
    F_QUAT,
    F_HALVES,
    F_BYTES3,
    F_TAG,
    F_NAME,
    F_HASH,
    F_BLOB,
    F_PAD,
    F_U32B,
    F_U64B,
    F_TAGB,
    F_QUATB,
    F_U24,
    F_I24,
    F_I8,
    F_PAIR,
    FIELDS
};

#define FIELD(name, offset, bytes, type)                                                                               \
    {                                                                                                                  \
        name, offset, bytes, LL_TYPE_##type, LL_ROLE_DATA, LL_SURE_KNOWN, "", ""                                       \
    }
static const ll_field fields[FIELDS] = {
    [F_U8] = FIELD("u8", 0, 1, U8),
    [F_U16] = FIELD("u16", 1, 2, U16),
    [F_U16B] = FIELD("u16b", 3, 2, U16),
    [F_U32] = FIELD("u32", 5, 4, U32),
    [F_U64] = FIELD("u64", 9, 8, U64),
    [F_I16] = FIELD("i16", 17, 2, I16),
    [F_I32] = FIELD("i32", 19, 4, I32),
    [F_F16] = FIELD("f16", 23, 2, F16),
    [F_F16B] = FIELD("f16b", 25, 2, F16),
    [F_F32] = FIELD("f32", 27, 4, F32),
    [F_TRIPLE] = FIELD("triple", 31, 12, F32),
    [F_QUAT] = FIELD("quat", 43, 16, F32),
    [F_HALVES] = FIELD("halves", 59, 12, F16),
    [F_BYTES3] = FIELD("bytes3", 71, 3, U8),
    [F_TAG] = FIELD("tag", 74, 4, CHARS),
    [F_NAME] = FIELD("name", 78, 9, CHARS),
    [F_HASH] = FIELD("hash", 87, 8, BYTES),
    [F_BLOB] = FIELD("blob", 95, 20, BYTES),
    [F_PAD] = FIELD("pad", 115, 12, U16),
    [F_U32B] = FIELD("u32b", 127, 4, U32),
    [F_U64B] = FIELD("u64b", 131, 8, U64),
    [F_TAGB] = FIELD("tagb", 139, 4, CHARS),
    [F_QUATB] = FIELD("quatb", 143, 16, F32),
    [F_U24] = FIELD("u24", 159, 3, U24),
    [F_I24] = FIELD("i24", 162, 3, I24),
    [F_I8] = FIELD("i8", 165, 1, I8),
    [F_PAIR] = FIELD("pair", 59, 4, U16), /* same bytes as the half floats */
};

enum { LITTLE = LL_LAYOUT_BUILTINS, BIG, STRING, CHILD, LAYOUTS, SIZE = 166, PLACE = 32, FILE_SIZE = 512 };

static const ll_field child_fields[] = {FIELD("only", 0, 1, U8)};
static const ll_layout layouts[LAYOUTS] = {
    [LITTLE] = {"t.little", "little", LL_KIND_RECORD, LL_LITTLE, LL_ROLE_DATA, SIZE, FIELDS, LL_NO_FIELD, fields, ""},
    [BIG] = {"t.big", "big", LL_KIND_RECORD, LL_BIG, LL_ROLE_DATA, SIZE, FIELDS, LL_NO_FIELD, fields, ""},
    [STRING] = {"t.string", "string", LL_KIND_STRING, LL_LITTLE, LL_ROLE_STRING, 0, LL_STRING_PARTS, LL_NO_FIELD,
                ll_string_fields, ""},
    [CHILD] = {"t.child", "child", LL_KIND_RECORD, LL_LITTLE, LL_ROLE_DATA, 1, 1, LL_NO_FIELD, child_fields, ""},
};
static const ll_format format = {.family = "t", .layouts = layouts, .layout_count = LAYOUTS};

/* A file with one record at PLACE, and a test of it. */
typedef struct bench {
    uint8_t bytes[FILE_SIZE];
    unsigned layout;
    ll_doc doc;
    uint32_t span;
    ll_arena arena;
    ll_matcher matcher;
    ll_text text;
    ll_test written;
    ll_bound_test test;
    ll_problem problem;
    ll_miss miss;
} bench;

static int set_up(void **state)
{
    bench *b = test_calloc(1, sizeof *b);
    b->layout = LITTLE;
    ll_doc_init(&b->doc, NULL);
    ll_doc_open(&b->doc, b->bytes, FILE_SIZE, "test");
    ll_doc_set_format(&b->doc, &format);
    b->span = ll_claim(
        &b->doc,
        (ll_span){
            .offset = PLACE, .length = 400, .parent = LL_NO_SPAN, .index = LL_NO_INDEX, .count = 1, .layout = LITTLE});
    ll_arena_init(&b->arena, NULL, SIZE_MAX);
    ll_text_init(&b->text, NULL);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    ll_regex_free(b->test.regex);
    ll_matcher_free(&b->matcher);
    ll_text_free(&b->text);
    ll_arena_free(&b->arena);
    ll_doc_free(&b->doc);
    test_free(b);
    return 0;
}

#define WORDS(...)                                                                                                     \
    ((ll_words){(const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)})
#define NO_WORDS ((ll_words){NULL, 0})

static ll_status bind(bench *b, const char *check, unsigned field, ll_words values)
{
    ll_regex_free(b->test.regex);
    b->test.regex = NULL;
    b->written = (ll_test){check, values};
    return ll_test_bind(&b->arena, &format, &b->written,
                        (ll_rule_target){.layout = (uint16_t)b->layout, .field = (uint16_t)field}, &b->test,
                        &b->problem);
}

static void must_bind(bench *b, const char *check, unsigned field, ll_words values)
{
    b->problem.text[0] = '\0';
    if (bind(b, check, field, values) != LL_OK) {
        fail_msg("%s %s: %s", check, fields[field].name, b->problem.text);
    }
}

/* Writes an element of a field, in the byte order of the record. */
static void put_at(bench *b, unsigned field, unsigned part, uint64_t bits)
{
    unsigned step = ll_type_bytes(fields[field].type);
    ll_put_uint(b->bytes + PLACE + fields[field].offset + part * step, step, layouts[b->layout].endian == LL_BIG, bits);
}

static void put(bench *b, unsigned field, uint64_t bits)
{
    put_at(b, field, 0, bits);
}

static uint32_t bits_of(float value)
{
    return ll_double_to_single((double)value);
}

static void put_floats(bench *b, unsigned field, const float *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        put_at(b, field, i, bits_of(values[i]));
    }
}

static void put_text(bench *b, unsigned field, const char *bytes, size_t n)
{
    memcpy(b->bytes + PLACE + fields[field].offset, bytes, n);
}

static ll_subject subject_of(bench *b)
{
    uint32_t offset = PLACE + b->test.field->offset;
    return (ll_subject){.doc = &b->doc,
                        .span = b->span,
                        .record = b->bytes + PLACE,
                        .matcher = &b->matcher,
                        .bytes = b->bytes + offset,
                        .length = b->test.field->bytes};
}

static bool holds(bench *b)
{
    ll_subject s = subject_of(b);
    return ll_test_holds(&b->test, &s, &b->miss);
}

static const char *expected(bench *b)
{
    ll_subject s = subject_of(b);
    ll_text_clear(&b->text);
    ll_test_expected(&b->test, &s, &b->miss, &b->text);
    return ll_text_cstr(&b->text);
}

/* Expects that the test fails, and blames this part and these bytes of the field, with this text. */
static void assert_miss(bench *b, unsigned part, uint32_t from, uint32_t length, const char *words)
{
    assert_false(holds(b));
    assert_int_equal(b->miss.part, part);
    assert_int_equal(b->miss.offset, PLACE + b->test.field->offset + from);
    assert_int_equal(b->miss.length, length);
    assert_string_equal(expected(b), words);
}

static void assert_whole_miss(bench *b, const char *words)
{
    assert_miss(b, LL_NO_PART, 0, b->test.field->bytes, words);
}

/* Applies the patch of the test, which then holds. */
static void assert_corrects(bench *b)
{
    uint8_t right[LL_RIGHT_BYTES_MAX];
    ll_subject s = subject_of(b);
    uint32_t offset = 0;
    bool guess = false;
    assert_false(holds(b));
    size_t length = ll_test_right_bytes(&b->test, &s, &b->miss, right, &offset, &guess);
    assert_true(length >= b->miss.length && offset <= b->miss.offset);
    memcpy(b->bytes + offset, right, length);
    assert_true(holds(b));
}

static void assert_cannot_correct(bench *b)
{
    uint8_t right[LL_RIGHT_BYTES_MAX];
    ll_subject s = subject_of(b);
    uint32_t offset;
    bool guess = false;
    assert_false(holds(b));
    assert_int_equal(ll_test_right_bytes(&b->test, &s, &b->miss, right, &offset, &guess), 0);
}

/* Expects that the test holds for `good` and fails for `bad`. */
static void assert_decides(bench *b, uint64_t good, uint64_t bad)
{
    unsigned field = b->test.field_number;
    put(b, field, bad);
    assert_false(holds(b));
    put(b, field, good);
    assert_true(holds(b));
}

/* ------------------------------------------------------------------ numbers */

static void test_equals(void **state)
{
    bench *b = *state;
    must_bind(b, "equals", F_U16, WORDS("0x10"));
    assert_decides(b, 0x10, 0x1000);
    put(b, F_U16, 0x11);
    assert_whole_miss(b, "0x10");
    assert_corrects(b);
    must_bind(b, "equals", F_I16, WORDS("-2"));
    assert_decides(b, 0xFFFE, 2);
    must_bind(b, "equals", F_I32, WORDS("-0x80000000"));
    assert_decides(b, 0x80000000U, 0x7FFFFFFFU);
    assert_corrects((put(b, F_I32, 0), b));
    must_bind(b, "equals", F_U8, WORDS("255"));
    assert_decides(b, 255, 254);
}

static void test_integers_keep_64_bits(void **state)
{
    bench *b = *state;
    must_bind(b, "equals", F_U64, WORDS("9007199254740993"));
    assert_decides(b, UINT64_C(9007199254740993), UINT64_C(9007199254740992));
    must_bind(b, "equals", F_U64, WORDS("18446744073709551615"));
    assert_decides(b, UINT64_MAX, UINT64_MAX - 1);
    must_bind(b, "range", F_U64, WORDS("> 0x8000000000000000", "< 0xffffffffffffffff"));
    assert_decides(b, UINT64_C(0x8000000000000001), UINT64_C(0x8000000000000000));
    assert_decides(b, UINT64_MAX - 1, UINT64_MAX);
    must_bind(b, "mask_clear", F_U64, WORDS("0xFFFF000000000000"));
    assert_decides(b, UINT64_C(0x0000FFFFFFFFFFFF), UINT64_C(0x0001000000000000));
    put(b, F_U64, UINT64_MAX);
    assert_whole_miss(b, "no bits other than 0x0000ffffffffffff");
    assert_corrects(b);
}

static void test_equals_rounds_to_the_type(void **state)
{
    bench *b = *state;
    must_bind(b, "equals", F_F16, WORDS("0.1"));
    assert_decides(b, ll_double_to_half(0.1), ll_double_to_half(0.1) + 1U);
    put(b, F_F16, 0x3C00);
    assert_whole_miss(b, "0.1");
    assert_corrects(b);
    must_bind(b, "equals", F_F32, WORDS("0.1"));
    assert_decides(b, bits_of(0.1F), bits_of(0.1F) - 1U);
    must_bind(b, "equals", F_F32, WORDS("-1.25e3"));
    assert_decides(b, bits_of(-1250.0F), bits_of(1250.0F));
    must_bind(b, "equals", F_F32, WORDS("0x10"));
    assert_decides(b, bits_of(16.0F), bits_of(10.0F));
}

static void test_exponents(void **state)
{
    bench *b = *state;
    must_bind(b, "equals", F_F32, WORDS("1e-999"));
    assert_decides(b, 0, 1);
    must_bind(b, "equals", F_F32, WORDS("0.001e+3"));
    assert_decides(b, bits_of(1), 0);
    must_bind(b, "equals", F_F32, WORDS("1.5e19"));
    assert_decides(b, bits_of(1.5e19F), bits_of(1.5e18F));
    must_bind(b, "equals", F_F32, WORDS("1e-18"));
    assert_decides(b, bits_of(1e-18F), bits_of(1e-28F));
}

static void test_both_zeros_are_zero(void **state)
{
    bench *b = *state;
    must_bind(b, "equals", F_F16, WORDS("0"));
    assert_decides(b, 0x8000, 1);
    assert_decides(b, 0, 0x8001);
    must_bind(b, "equals", F_F32, WORDS("-0"));
    assert_decides(b, 0, 1);
    assert_decides(b, 0x80000000U, 1);
    must_bind(b, "range", F_F16, WORDS(">= 0"));
    assert_decides(b, 0x8000, 0x8001);
    must_bind(b, "range", F_F16, WORDS("< 0"));
    assert_decides(b, 0x8001, 0x8000);
    must_bind(b, "range", F_F16, WORDS("> 0"));
    assert_decides(b, 1, 0);
    must_bind(b, "not_equals", F_F16, WORDS("0"));
    assert_decides(b, 1, 0x8000);
    must_bind(b, "all_zero", F_F16, NO_WORDS);
    assert_decides(b, 0, 0x8000); /* compares bytes, not numbers */
}

static void test_range_words_and_bounds(void **state)
{
    bench *b = *state;
    must_bind(b, "range", F_U16, WORDS(">= 3", "<= 7"));
    put(b, F_U16, 8);
    assert_whole_miss(b, "at least 3 and at most 7");
    assert_cannot_correct(b); /* the original value need not be the bound */
    assert_decides(b, 3, 2);
    assert_decides(b, 7, 8);
    must_bind(b, "range", F_I16, WORDS("<0x10", "> -5"));
    put(b, F_I16, 0x10);
    assert_whole_miss(b, "below 0x10 and above -5");
    put(b, F_I16, 0xFFFA);
    assert_cannot_correct(b); /* nor does a wrong sign tell the value */
    assert_decides(b, 15, 16);
    assert_decides(b, 0xFFFC, 0xFFFB);
    must_bind(b, "range", F_I32, WORDS("<= -1"));
    assert_decides(b, 0x80000000U, 0);
}

/* Bounds are not rounded: 0.1 has no exact half float, so neither neighbour counts as equal. */
static void test_bounds_are_exact(void **state)
{
    bench *b = *state;
    uint16_t nearest = ll_double_to_half(0.1);
    uint64_t below = ll_half_to_double(nearest) < 0.1 ? nearest : nearest - 1U;
    static const char *const relations[] = {">= 0.1", "> 0.1", "<= 0.1", "< 0.1"};
    for (unsigned i = 0; i < 4; i++) {
        must_bind(b, "range", F_F16, WORDS(relations[i]));
        assert_decides(b, i < 2 ? below + 1 : below, i < 2 ? below : below + 1);
    }
}

static void test_floats_are_silent_on_what_is_no_number(void **state)
{
    bench *b = *state;
    static const uint16_t odd[] = {0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7C01};
    static const char *const checks[] = {"equals", "not_equals", "one_of", "range", "normal"};
    for (size_t c = 0; c < sizeof checks / sizeof checks[0]; c++) {
        bool range = strcmp(checks[c], "range") == 0;
        bool normal = strcmp(checks[c], "normal") == 0;
        must_bind(b, checks[c], F_F16, normal ? NO_WORDS : range ? WORDS("> 1", "< 2") : WORDS("1"));
        for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
            put(b, F_F16, odd[i]);
            assert_true(holds(b));
        }
    }
    must_bind(b, "finite", F_F16, NO_WORDS);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        put(b, F_F16, odd[i]);
        assert_whole_miss(b, "a finite number");
    }
    assert_decides(b, 0x7BFF, 0x7C00);
}

static void test_one_of(void **state)
{
    bench *b = *state;
    must_bind(b, "one_of", F_U32, WORDS("0", "2", "0x80"));
    assert_decides(b, 0x80, 1);
    put(b, F_U32, 3);
    assert_whole_miss(b, "one of 0, 2, 0x80");
    assert_corrects(b); /* one bit */
    put(b, F_U32, 5);
    assert_cannot_correct(b);
    must_bind(b, "one_of", F_F16, WORDS("0.5", "-2"));
    assert_decides(b, 0xC000, 0x4000);
    must_bind(b, "one_of", F_TAG, WORDS("PL02", "PL03"));
    put_text(b, F_TAG, "PL\n4", 4);
    assert_whole_miss(b, "one of \"PL02\", \"PL03\"");
    assert_cannot_correct(b);
    put_text(b, F_TAG, "PM03", 4);
    assert_corrects(b); /* one letter */
    put_text(b, F_TAG, "PL04", 4);
    assert_cannot_correct(b); /* two are equally near */
    put_text(b, F_TAG, "PL03", 4);
    assert_true(holds(b));
    must_bind(b, "one_of", F_U8, WORDS("7"));
    put(b, F_U8, 8);
    assert_whole_miss(b, "7");
    assert_corrects(b);
    must_bind(b, "not_equals", F_TAG, WORDS("PL03"));
    assert_whole_miss(b, "anything but \"PL03\"");
    assert_cannot_correct(b);
}

static void test_bytes(void **state)
{
    bench *b = *state;
    must_bind(b, "equals", F_TAG, WORDS("\\0\\x41\\\\\\0"));
    put_text(b, F_TAG, "\0A\\\0", 4);
    assert_true(holds(b));
    put_text(b, F_TAG, "\0A\\B", 4);
    assert_whole_miss(b, "\"\\x00A\\\\\\x00\"");
    assert_corrects(b);
    must_bind(b, "bytes_one_of", F_HASH, WORDS("00 01 02 03 04 05 06 07", "0000000000000000"));
    assert_true(holds(b));
    put_text(b, F_HASH, "\0\1\2\3\4\5\6\7", 8);
    assert_true(holds(b));
    put_text(b, F_HASH, "\7\6\5\4\3\2\1\0", 8);
    assert_whole_miss(b, "one of 00 01 02 03 04 05 06 07, 00 00 00 00 00 00 00 00");
    assert_cannot_correct(b);
    must_bind(b, "equals", F_BLOB, WORDS("0102030405060708090a0b0c0d0e0f1011121314"));
    assert_corrects(b);
    must_bind(b, "equals", F_HASH, WORDS("00 01 02 03 04 05 06 ff"));
    assert_corrects(b);
}

static void test_vectors_are_judged_by_element(void **state)
{
    bench *b = *state;
    must_bind(b, "equals", F_TRIPLE, WORDS("1"));
    put_floats(b, F_TRIPLE, (const float[]){1, 1, 2}, 3);
    assert_miss(b, 2, 8, 4, "1");
    assert_corrects(b);
    must_bind(b, "equals", F_TRIPLE, WORDS("0", "-1", "0"));
    put_floats(b, F_TRIPLE, (const float[]){0, 1, 0}, 3);
    assert_miss(b, 1, 4, 4, "-1");
    assert_corrects(b);
    must_bind(b, "equals", F_PAIR, WORDS("1", "2"));
    put_at(b, F_PAIR, 0, 1);
    put_at(b, F_PAIR, 1, 1);
    assert_miss(b, 1, 2, 2, "2");
    assert_corrects(b);
    must_bind(b, "range", F_HALVES, WORDS("<= 1"));
    put_at(b, F_HALVES, 5, 0x3C01);
    assert_miss(b, 5, 10, 2, "at most 1");
    must_bind(b, "finite", F_HALVES, NO_WORDS);
    put_at(b, F_HALVES, 3, 0x7C00);
    assert_miss(b, 3, 6, 2, "a finite number");
    must_bind(b, "all_zero", F_PAD, NO_WORDS);
    assert_true(holds(b));
    put_at(b, F_PAD, 4, 0x0100);
    assert_miss(b, 4, 8, 2, "0");
    assert_corrects(b);
    must_bind(b, "mask_set", F_BYTES3, WORDS("1"));
    put_at(b, F_BYTES3, 0, 1);
    assert_miss(b, 1, 1, 1, "bits 0x01 set");
}

static void test_masks_and_multiples(void **state)
{
    bench *b = *state;
    must_bind(b, "mask_clear", F_U32, WORDS("0xFFFFFF00"));
    assert_decides(b, 0xFF, 0x100);
    put(b, F_U32, 0x12345678);
    assert_whole_miss(b, "no bits other than 0x000000ff");
    assert_corrects(b);
    must_bind(b, "mask_clear", F_U8, WORDS("0xFF"));
    put(b, F_U8, 1);
    assert_whole_miss(b, "0");
    must_bind(b, "mask_clear", F_I16, WORDS("0x8000"));
    assert_decides(b, 0x7FFF, 0x8000);
    must_bind(b, "mask_set", F_U16, WORDS("0x0101"));
    assert_decides(b, 0x0101, 0x0100);
    put(b, F_U16, 0xF000);
    assert_whole_miss(b, "bits 0x0101 set");
    assert_corrects(b);
    must_bind(b, "multiple_of", F_U32, WORDS("4"));
    assert_decides(b, 8, 6);
    must_bind(b, "multiple_of", F_I32, WORDS("3"));
    assert_decides(b, (uint32_t)-9, (uint32_t)-8);
    assert_decides(b, 0x80000002U, 0x80000000U);
    put(b, F_I32, 7);
    assert_whole_miss(b, "a multiple of 3");
    assert_cannot_correct(b);
}

static void test_zeros(void **state)
{
    bench *b = *state;
    must_bind(b, "all_zero", F_BLOB, NO_WORDS);
    assert_true(holds(b));
    put_text(b, F_BLOB, "\0\0\0\1\0\2\0", 7);
    assert_miss(b, LL_NO_PART, 3, 3, "all bytes zero");
    assert_corrects(b);
    must_bind(b, "not_zero", F_QUAT, NO_WORDS);
    put_at(b, F_QUAT, 2, 0x80000000U);
    assert_whole_miss(b, "not all elements 0");
    put_at(b, F_QUAT, 0, 1);
    assert_true(holds(b));
    must_bind(b, "not_zero", F_U16, NO_WORDS);
    assert_decides(b, 0x100, 0);
    put(b, F_U16, 0);
    assert_whole_miss(b, "anything but 0");
}

static void test_normal_and_unit_norm(void **state)
{
    bench *b = *state;
    must_bind(b, "normal", F_F16, NO_WORDS);
    assert_decides(b, 0, 0x0001);
    assert_decides(b, 0x0400, 0x03FF);
    put(b, F_F16, 0x83FF);
    assert_whole_miss(b, "0 or a normal number, not a denormal one");
    must_bind(b, "unit_norm", F_QUAT, WORDS("0.01"));
    put_floats(b, F_QUAT, (const float[]){0.5F, 0.5F, -0.5F, 0.5F}, 4);
    assert_true(holds(b));
    put_floats(b, F_QUAT, (const float[]){0, 0, 0, 1.0099F}, 4);
    assert_true(holds(b));
    put_floats(b, F_QUAT, (const float[]){0, 0, 0, 2}, 4);
    assert_whole_miss(b, "a unit quaternion (norm 1 within 0.01; this one has 2)");
    assert_cannot_correct(b);
    put_floats(b, F_QUAT, (const float[]){0, 0, 0, 1}, 4);
    put_at(b, F_QUAT, 1, 0x7FC00000U);
    assert_true(holds(b)); /* the predicate `finite` reports that */
    must_bind(b, "unit_norm", F_HALVES, WORDS("0"));
    assert_whole_miss(b, "a unit vector (norm 1 within 0; this one has 0)");
    put_at(b, F_HALVES, 2, 0xBC00);
    assert_true(holds(b));
}

/* ------------------------------------------------------------------ text */

static void test_text_in_fields(void **state)
{
    bench *b = *state;
    put_text(b, F_NAME, "LAMP\0\0\0\0\0", 9);
    must_bind(b, "regex", F_NAME, WORDS("^[A-Z]+\\0*$"));
    assert_true(holds(b));
    must_bind(b, "zero_after_nul", F_NAME, NO_WORDS);
    assert_true(holds(b));
    put_text(b, F_NAME, "LAMP\0\0x\0y", 9);
    assert_miss(b, LL_NO_PART, 6, 3, "nothing but NULs after the first NUL");
    assert_corrects(b);
    put_text(b, F_NAME, "\0LAMP\0\0\0\0", 9);
    assert_miss(b, LL_NO_PART, 1, 4, "nothing but NULs after the first NUL");
    put_text(b, F_NAME, "NINECHARS", 9);
    assert_true(holds(b));
    must_bind(b, "printable", F_NAME, NO_WORDS);
    assert_true(holds(b));
    put_text(b, F_NAME, " NI~CHAR ", 9); /* the first and the last printable character */
    assert_true(holds(b));
    put_text(b, F_NAME, "NI\x7f\x1fxHAR\0", 9);
    assert_miss(b, LL_NO_PART, 2, 2, "printable ASCII characters only");
    must_bind(b, "printable", F_NAME, WORDS("terminated"));
    assert_miss(b, LL_NO_PART, 2, 2, "printable ASCII characters, then a NUL");
    put_text(b, F_NAME, "LAMP\0\x80\0\0\0", 9);
    assert_true(holds(b));
    put_text(b, F_NAME, "NINECHARS", 9);
    assert_whole_miss(b, "printable ASCII characters, then a NUL");
    must_bind(b, "not_empty", F_NAME, NO_WORDS);
    assert_true(holds(b));
    put_text(b, F_NAME, "\0AMP\0\0\0\0\0", 9);
    assert_whole_miss(b, "text that does not begin with a NUL");
    must_bind(b, "regex", F_NAME, WORDS("^[A-Z]+$"));
    assert_whole_miss(b, "text that matches ^[A-Z]+$");
    assert_cannot_correct(b);
}

static void test_parts_of_strings(void **state)
{
    bench *b = *state;
    uint8_t *string = b->bytes + PLACE;
    memset(string, 0, 12);
    b->layout = STRING;
    must_bind(b, "all_zero", LL_STRING_PADDING, NO_WORDS);
    ll_subject s = {
        .doc = &b->doc, .span = b->span, .record = string, .matcher = &b->matcher, .bytes = string + 9, .length = 3};
    assert_true(ll_test_holds(&b->test, &s, &b->miss));
    string[10] = 'x';
    assert_false(ll_test_holds(&b->test, &s, &b->miss));
    assert_int_equal(b->miss.offset, PLACE + 10);
    assert_int_equal(b->miss.length, 1);
    uint8_t right[LL_RIGHT_BYTES_MAX] = {1};
    uint32_t offset;
    bool guess = false;
    assert_int_equal(ll_test_right_bytes(&b->test, &s, &b->miss, right, &offset, &guess), 1);
    assert_int_equal(offset, PLACE + 10);
    assert_int_equal(right[0], 0);
    ll_term terms[4];
    assert_int_equal(ll_test_terms(&b->test, terms, 4), 0);
    must_bind(b, "regex", LL_STRING_TEXT, WORDS("^x?$"));
    s.bytes = string + 10;
    s.length = 1;
    assert_true(ll_test_holds(&b->test, &s, &b->miss));
    s.length = 0;
    assert_true(ll_test_holds(&b->test, &s, &b->miss));
    s.length = 2;
    assert_false(ll_test_holds(&b->test, &s, &b->miss));
    assert_int_equal(b->miss.length, 2);
}

static void test_a_pattern_that_gives_up_is_no_miss_and_counted(void **state)
{
    bench *b = *state;
    put_text(b, F_BLOB, "aaaaaaaaaaaaaaaaaaaa", 20);
    b->layout = STRING;
    must_bind(b, "regex", LL_STRING_TEXT, WORDS("^(a+)+(a+)+(a+)+(a+)+[bc]"));
    ll_subject s = {.doc = &b->doc,
                    .span = b->span,
                    .record = b->bytes + PLACE,
                    .matcher = &b->matcher,
                    .bytes = b->bytes + PLACE + fields[F_BLOB].offset,
                    .length = 20};
    for (unsigned i = 0; i < 2; i++) {
        assert_true(ll_test_holds(&b->test, &s, &b->miss));
        assert_true(b->miss.undecided);
    }
    assert_int_equal(b->matcher.undecided, 2);
    assert_string_equal(b->matcher.pattern, "^(a+)+(a+)+(a+)+(a+)+[bc]");
    assert_int_equal(b->matcher.at.length, 20);
}

/* ------------------------------------------------------------------ relations */

static void test_same_as(void **state)
{
    bench *b = *state;
    must_bind(b, "same_as", F_U16, WORDS("u16b"));
    put(b, F_U16B, 0x1234);
    put(b, F_U16, 0x1235);
    assert_whole_miss(b, "4660, as in u16b");
    assert_corrects(b);
    must_bind(b, "same_as", F_U16, WORDS("i32"));
    put(b, F_I32, 0x1234);
    assert_true(holds(b));
    put(b, F_I32, 0xFFFF1234U);
    assert_cannot_correct(b);
    must_bind(b, "same_as", F_U64, WORDS("i32"));
    put(b, F_I32, UINT32_MAX);
    put(b, F_U64, UINT64_MAX);
    assert_false(holds(b)); /* -1 is not 2^64 - 1 */
    must_bind(b, "same_as", F_TAG, WORDS("tagb"));
    put_text(b, F_TAG, "ABCD", 4);
    put_text(b, F_TAGB, "ABCE", 4);
    assert_whole_miss(b, "\"ABCE\", as in tagb");
    assert_corrects(b);
    must_bind(b, "same_as", F_QUAT, WORDS("quatb"));
    put_floats(b, F_QUAT, (const float[]){0, 1, 2, 3}, 4);
    put_floats(b, F_QUATB, (const float[]){-0.0F, 1, 2, 4}, 4);
    assert_miss(b, 3, 12, 4, "4, as in quatb");
    assert_corrects(b);
    put_at(b, F_QUATB, 1, 0x7F800000U);
    assert_true(holds(b));
}

static void test_below(void **state)
{
    bench *b = *state;
    must_bind(b, "below", F_F16, WORDS("f16b"));
    put(b, F_F16B, 0x4000);
    put(b, F_F16, 0x4000);
    assert_whole_miss(b, "less than 2, the value of f16b");
    assert_cannot_correct(b);
    assert_decides(b, 0x3FFF, 0x4000);
    put(b, F_F16B, 0x8000);
    assert_decides(b, 0x8001, 0); /* 0 is not below -0 */
    put(b, F_F16B, 0x7E00);
    put(b, F_F16, 0x4400);
    assert_true(holds(b));
    must_bind(b, "below", F_I16, WORDS("u64"));
    put(b, F_U64, 5);
    assert_decides(b, 4, 5);
}

static void test_ordered(void **state)
{
    bench *b = *state;
    must_bind(b, "ordered", F_F16, WORDS("f16b"));
    put(b, F_F16B, 0x4000);
    put(b, F_F16, 0x4001);
    assert_whole_miss(b, "at most 2, the value of f16b");
    assert_corrects(b);
    ll_element record = {NULL, NULL};
    assert_true(ll_element_at(&b->doc, b->span, 0, &record));
    assert_int_equal(ll_get_uint(&record, F_F16), 0x4000);
    assert_int_equal(ll_get_uint(&record, F_F16B), 0x4001);
    put(b, F_F16B, 0);
    assert_cannot_correct(b); /* 0 is not the value of the other field */
    put(b, F_F16B, 0x4000);
    assert_decides(b, 0x4000, 0x4400);
    assert_decides(b, 0xC400, 0x4400);
    put(b, F_F16B, 0x8000);
    assert_decides(b, 0, 1); /* 0 is not above -0 */
    put(b, F_F16B, 0x7E00);
    put(b, F_F16, 0x4400);
    assert_true(holds(b));
    must_bind(b, "ordered", F_F16, WORDS("f32"));
    put(b, F_F32, bits_of(3.9F));
    assert_decides(b, 0x4300, 0x4400);
    must_bind(b, "ordered", F_I16, WORDS("u64"));
    put(b, F_U64, 5);
    assert_decides(b, 0xFFFF, 6);
    must_bind(b, "ordered", F_U64, WORDS("i16"));
    put(b, F_I16, 0xFFFF);
    put(b, F_U64, 0);
    assert_whole_miss(b, "at most -1, the value of i16");
}

static void test_measures(void **state)
{
    bench *b = *state;
    struct {
        const char *name;
        uint64_t value;
        const char *words;
    } const rows[] = {
        {"span_length", 400, "400, the length of the span"},
        {"record_size", SIZE, "166, the size of the fixed record"},
        {"distance_to_record_end", SIZE - 5, "161, the distance to the end of the fixed record"},
        {"element_count", 1, "1, the number of elements"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        must_bind(b, "equals_measure", F_U32, WORDS(rows[i].name));
        put(b, F_U32, 77);
        assert_whole_miss(b, rows[i].words);
        assert_corrects(b);
        assert_decides(b, rows[i].value, rows[i].value + 1);
    }
    must_bind(b, "equals_measure", F_U8, WORDS("span_length"));
    assert_cannot_correct(b); /* 400 does not fit */
    must_bind(b, "equals_measure", F_I16, WORDS("element_count"));
    assert_decides(b, 1, 0xFFFF);
    must_bind(b, "equals_measure", F_U64, WORDS("record_size"));
    assert_decides(b, SIZE, SIZE + 1);
}

static void test_never(void **state)
{
    bench *b = *state;
    must_bind(b, "never", F_TAG, NO_WORDS);
    assert_whole_miss(b, "no t.little");
    assert_cannot_correct(b);
}

/* ------------------------------------------------------------------ refusals */

static void test_what_is_refused(void **state)
{
    bench *b = *state;
    const struct {
        const char *check;
        unsigned field;
        ll_words values;
        const char *words;
    } rows[] = {
        {"rnge", F_U8, NO_WORDS, "unknown check 'rnge'; did you mean 'range'?"},
        {"unit_norm", F_U32, WORDS("1"), "check 'unit_norm' judges vectors of floats; field 'u32' is an integer"},
        {"regex", F_TRIPLE, WORDS("x"),
         "check 'regex' judges characters, strings, hashes of texts; field 'triple' is a vector of floats"},
        {"one_of", F_PAD, WORDS("1"),
         "check 'one_of' judges integers, floats, characters; field 'pad' is a vector of integers"},
        {"finite", F_TAG, NO_WORDS, "check 'finite' judges floats, vectors of floats; field 'tag' is characters"},
        {"printable", F_NAME, WORDS("ended"), "check 'printable' takes no value except 'terminated', not 'ended'"},
        {"finite", F_F16, WORDS("1"), "check 'finite' takes no value"},
        {"equals", F_U8, NO_WORDS, "check 'equals' takes at least one value"},
        {"equals", F_TRIPLE, WORDS("1", "2"),
         "check 'equals' takes one value, or one for each element of field 'triple'"},
        {"range", F_U8, WORDS(">= 1", "<= 2", "<= 3"), "check 'range' takes one or two values"},
        {"range", F_U8, WORDS("1"), "'1' is not a bound such as '>= 0', '> 0', '<= 1' or '< 1'"},
        {"range", F_U8, WORDS(">= 1", "> 2"), "two bounds on the same side: '>= 1', '> 2'"},
        {"range", F_U8, WORDS("> 5", "< 6"), "no value of the type u8 is in the range"},
        {"range", F_U8, WORDS("> 255"), "no value of the type u8 is in the range"},
        {"range", F_U64, WORDS("> 18446744073709551615"),
         "'> 18446744073709551615' holds for no value of the type u64"},
        {"range", F_U16, WORDS("< 0"), "'< 0' holds for no value of the type u16"},
        {"range", F_F16, WORDS("<= 65520"), "'65520' does not fit the type f16"},
        {"range", F_F16, WORDS("> 65510", "<= 65515"), "no value of the type f16 is in the range"},
        {"equals", F_U8, WORDS("256"), "'256' does not fit the type u8"},
        {"equals", F_U8, WORDS("-1"), "'-1' does not fit the type u8"},
        {"equals", F_I16, WORDS("32768"), "'32768' does not fit the type i16"},
        {"equals", F_I16, WORDS("-32769"), "'-32769' does not fit the type i16"},
        {"equals", F_I8, WORDS("128"), "'128' does not fit the type i8"},
        {"equals", F_U24, WORDS("16777216"), "'16777216' does not fit the type u24"},
        {"equals", F_I24, WORDS("8388608"), "'8388608' does not fit the type i24"},
        {"equals", F_I24, WORDS("-8388609"), "'-8388609' does not fit the type i24"},
        {"equals", F_U64, WORDS("18446744073709551616"), "'18446744073709551616' does not fit the type u64"},
        {"equals", F_U64, WORDS("1.0"), "'1.0' is not an integer"},
        {"equals", F_U64, WORDS("0x"), "'0x' is not an integer"},
        {"equals", F_U64, WORDS(""), "'' is not an integer"},
        {"equals", F_F32, WORDS("1e39"), "'1e39' does not fit the type f32"},
        {"equals", F_F32, WORDS("1e999"), "'1e999' is too large"},
        {"equals", F_F32, WORDS("1e1000"), "'1e1000' is not a number"},
        {"equals", F_F32, WORDS("1e-1000"), "'1e-1000' is not a number"},
        {"equals", F_F32, WORDS("nan"), "'nan' is not a number"},
        {"equals", F_F32, WORDS("."), "'.' is not a number"},
        {"equals", F_F32, WORDS("1.2.3"), "'1.2.3' is not a number"},
        {"equals", F_F32, WORDS("1e"), "'1e' is not a number"},
        {"equals", F_F32, WORDS("1e1a"), "'1e1a' is not a number"},
        {"equals", F_F32, WORDS("1:"), "'1:' is not a number"},
        {"equals", F_F32, WORDS("1,5"), "'1,5' is not a number"},
        {"equals", F_TAG, WORDS("PL2"), "'PL2' must be 4 characters long, the size of the field"},
        {"equals", F_TAG, WORDS("PL002"), "'PL002' must be 4 characters long, the size of the field"},
        {"equals", F_TAG, WORDS("PL\\n2"), "'PL\\n2' has an unknown escape; use \\0, \\xNN or \\\\"},
        {"equals", F_TAG, WORDS("PL0\\x1"), "'PL0\\x1' has an unknown escape; use \\0, \\xNN or \\\\"},
        {"equals", F_TAG, WORDS("PL0\\x1g"), "'PL0\\x1g' has an unknown escape; use \\0, \\xNN or \\\\"},
        {"equals", F_TAG, WORDS("PL0\\xg1"), "'PL0\\xg1' has an unknown escape; use \\0, \\xNN or \\\\"},
        {"bytes_one_of", F_TAG, WORDS("00 11 22"), "'00 11 22' must be 4 bytes long, the size of the field"},
        {"bytes_one_of", F_TAG, WORDS("00 11 22 3"), "'00 11 22 3' is not a list of hex pairs such as '00 1f a0'"},
        {"multiple_of", F_U8, WORDS("0"), "a mask or divisor must not be 0"},
        {"multiple_of", F_I16, WORDS("-4"), "'-4' does not fit the type u16"},
        {"mask_set", F_U8, WORDS("0x100"), "'0x100' does not fit the type u8"},
        {"rotation", F_QUAT, WORDS("0.1"), "field 'quat' is not a matrix of three rows"},
        {"unit_norm", F_QUAT, WORDS("-1"), "a tolerance below 0: '-1'"},
        {"regex", F_NAME, WORDS("(a"), "pattern '(a' is refused at offset 2: missing closing parenthesis"},
        {"same_as", F_U16, WORDS("u16bb"), "unknown field 'u16bb'; did you mean 'u16b'?"},
        {"same_as", F_U16, WORDS("u16"), "field 'u16' cannot be compared with 'u16', which is the same field"},
        {"same_as", F_U16, WORDS("f16"), "field 'u16' cannot be compared with 'f16', which has another type or size"},
        {"same_as", F_TAG, WORDS("name"), "field 'tag' cannot be compared with 'name', which has another type or size"},
        {"equals_measure", F_U32, WORDS("span_lenght"), "unknown measure 'span_lenght'; did you mean 'span_length'?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(bind(b, rows[i].check, rows[i].field, rows[i].values), LL_E_PACK);
        assert_string_equal(b->problem.text, rows[i].words);
        assert_null(b->test.predicate);
    }
    assert_int_equal(ll_test_bind(&b->arena, &format, &(ll_test){"rnge", NO_WORDS},
                                  (ll_rule_target){.layout = (uint16_t)LITTLE, .field = (uint16_t)0}, &b->test, NULL),
                     LL_E_PACK);
}

static void test_strings_are_no_numbers(void **state)
{
    bench *b = *state;
    b->layout = STRING;
    assert_int_equal(bind(b, "equals", LL_STRING_TERMINATOR, WORDS("00")), LL_E_PACK);
    assert_string_equal(
        b->problem.text,
        "check 'equals' judges integers, vectors of integers, floats, vectors of floats, characters, bytes; "
        "field 'terminator' is part of a string");
    assert_int_equal(bind(b, "same_as", LL_STRING_TEXT, WORDS("padding")), LL_E_PACK);
}

static void test_names(void **state)
{
    bench *b = *state;
    assert_int_equal(ll_predicate_known("mask_set", &b->problem), LL_OK);
    assert_int_equal(ll_predicate_known("mask_get", &b->problem), LL_E_PACK);
    assert_string_equal(b->problem.text, "unknown check 'mask_get'; did you mean 'mask_set'?");
    assert_true(ll_predicate_accepts("finite", &fields[F_QUAT]));
    assert_false(ll_predicate_accepts("finite", &fields[F_U16]));
    assert_false(ll_predicate_accepts("fnite", &fields[F_QUAT]));
}

static void test_memory_runs_out(void **state)
{
    bench *b = *state;
    ll_arena none;
    ll_arena_init(&none, NULL, 0);
    static const struct {
        const char *check, *value;
        unsigned field;
    } rows[] = {{"equals", "1", F_U8}, {"equals", "ABCD", F_TAG}, {"bytes_one_of", "00 00 00 00 00 00 00 00", F_HASH}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ll_test test = {rows[i].check, WORDS(rows[i].value)};
        assert_int_equal(ll_test_bind(&none, &format, &test,
                                      (ll_rule_target){.layout = (uint16_t)LITTLE, .field = (uint16_t)rows[i].field},
                                      &b->test, &b->problem),
                         LL_E_MEMORY);
    }
    ll_arena_free(&none);
}

/* ------------------------------------------------------------------ conditions of screens */

enum { TERMS = 16 };

static bool is_met(const ll_term *term, const uint8_t *record)
{
    uint64_t bits = ll_read_uint(record + term->offset, term->bytes, term->big ? LL_BIG : LL_LITTLE);
    return (ll_in_order(bits << (64U - 8U * term->bytes), term->flip) & term->mask) - term->low <= term->width;
}

static bool passes(bench *b, const ll_term *terms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool one = is_met(&terms[i], b->bytes + PLACE);
        while (terms[i].or_next) {
            i++;
            one = one || is_met(&terms[i], b->bytes + PLACE);
        }
        if (!one) {
            return false;
        }
    }
    return true;
}

/* Tests with filters, each with a value of the field's first element that passes. */
static const struct filtered {
    const char *check;
    unsigned field;
    const char *values[3];
    uint64_t clean;
} filtered[] = {
    {"equals", F_U8, {"7"}, 7},
    {"equals", F_U16, {"0x1234"}, 0x1234},
    {"equals", F_I16, {"-3"}, 0xFFFD},
    {"equals", F_I8, {"-128"}, 0x80},
    {"equals", F_U24, {"0xfedcba"}, 0xFEDCBA},
    {"equals", F_I24, {"-8388608"}, 0x800000},
    {"equals", F_F16, {"0"}, 0x8000},
    {"equals", F_F16, {"0.1"}, 0x2E66},
    {"equals", F_U32, {"65536"}, 65536},
    {"equals", F_I32, {"-1"}, UINT32_MAX},
    {"equals", F_U64, {"0x8000000000000001"}, UINT64_C(0x8000000000000001)},
    {"equals", F_F32, {"-0.5"}, 0xBF000000U},
    {"not_equals", F_U16, {"0"}, 1},
    {"not_equals", F_U16, {"65535"}, 0},
    {"not_equals", F_I16, {"-32768"}, 0x7FFF},
    {"not_equals", F_F16, {"0"}, 0x0001},
    {"not_equals", F_F16, {"-1"}, 0},
    {"not_equals", F_U64, {"0"}, 5},
    {"not_equals", F_F32, {"0"}, 0x80000001U},
    {"one_of", F_U16, {"1", "2", "3"}, 2},
    {"one_of", F_U16, {"9", "0", "8"}, 9},
    {"one_of", F_I16, {"-1", "0", "1"}, 0},
    {"one_of", F_F16, {"1", "2", "0"}, 0x3C00},
    {"one_of", F_U64, {"0xffffffffffffffff", "0"}, UINT64_MAX},
    {"range", F_U8, {">= 3", "<= 9"}, 9},
    {"range", F_U16, {"> 0x100"}, 0x101},
    {"range", F_I16, {">= -5", "<= 5"}, 0xFFFB},
    {"range", F_I8, {"> -2", "< 2"}, 0xFF},
    {"range", F_U24, {">= 0x800000"}, 0xFFFFFF},
    {"range", F_I24, {">= -5", "<= 5"}, 0xFFFFFB},
    {"range", F_I32, {"<= -1"}, 0x80000000U},
    {"range", F_U64, {"< 0x8000000000000000"}, 1},
    {"range", F_F16, {">= 0", "<= 1"}, 0x8000},
    {"range", F_F16, {"> 0"}, 1},
    {"range", F_F16, {"<= 0"}, 0},
    {"range", F_F16, {"< 0"}, 0x8001},
    {"range", F_F16, {"> -0.3", "< 0.1"}, 0x8000},
    {"range", F_F32, {"> -1e-3", "<= 2.5"}, 0},
    {"multiple_of", F_U16, {"4"}, 12},
    {"multiple_of", F_I16, {"8"}, 0xFFF8},
    {"multiple_of", F_I24, {"8"}, 0xFFFFF8},
    {"multiple_of", F_U64, {"0x8000000000000000"}, 0},
    {"mask_clear", F_U16, {"0xF00F"}, 0x0FF0},
    {"mask_clear", F_I16, {"0x8000"}, 1},
    {"mask_clear", F_U24, {"0xf00001"}, 0x0FFFFE},
    {"mask_clear", F_U64, {"0xFFFF000000000000"}, 1},
    {"mask_set", F_U16, {"0x8001"}, 0xFFFF},
    {"mask_set", F_I32, {"0x80000000"}, 0x80000001U},
    {"all_zero", F_U16, {NULL}, 0},
    {"all_zero", F_F32, {NULL}, 0},
    {"not_zero", F_U16, {NULL}, 0x100},
    {"not_zero", F_F16, {NULL}, 0x8001},
    {"not_zero", F_F32, {NULL}, 0x3F800000U},
    {"finite", F_F16, {NULL}, 0xFBFF},
    {"finite", F_F32, {NULL}, 0x7F7FFFFFU},
    {"normal", F_F16, {NULL}, 0x8000},
    {"normal", F_F16, {NULL}, 0x8400},
    {"normal", F_F32, {NULL}, 0x00800000U},
    {"equals_measure", F_U16, {"record_size"}, SIZE},
    {"equals_measure", F_I16, {"distance_to_record_end"}, SIZE - 17},
};

static size_t bind_filtered(bench *b, const struct filtered *row, ll_term *terms)
{
    size_t count = 0;
    while (count < 3 && row->values[count]) {
        count++;
    }
    must_bind(b, row->check, row->field, (ll_words){row->values, count});
    return ll_test_terms(&b->test, terms, TERMS);
}

static void assert_sound(bench *b, const struct filtered *row, const ll_term *terms, size_t count, uint64_t bits)
{
    if (passes(b, terms, count) && !holds(b)) {
        fail_msg("%s %s: 0x%llx passes the filter, but the test does not", row->check, fields[row->field].name,
                 (unsigned long long)bits);
    }
}

static void test_terms_pass_clean_values(void **state)
{
    bench *b = *state;
    for (b->layout = LITTLE; b->layout <= BIG; b->layout++) {
        for (size_t i = 0; i < sizeof filtered / sizeof filtered[0]; i++) {
            ll_term terms[TERMS];
            size_t count = bind_filtered(b, &filtered[i], terms);
            assert_true(count == 1 || terms[0].or_next); /* one term, or alternatives */
            memset(b->bytes, 0xA5, sizeof b->bytes);     /* neighbouring bytes do not matter */
            put(b, filtered[i].field, filtered[i].clean);
            assert_true(holds(b));
            if (!passes(b, terms, count)) {
                fail_msg("%s %s rejects a clean value", filtered[i].check, fields[filtered[i].field].name);
            }
        }
    }
}

static void test_terms_are_sound_on_all_values_of_16_bits(void **state)
{
    bench *b = *state;
    for (b->layout = LITTLE; b->layout <= BIG; b->layout++) {
        for (size_t i = 0; i < sizeof filtered / sizeof filtered[0]; i++) {
            ll_term terms[TERMS];
            size_t count = bind_filtered(b, &filtered[i], terms);
            unsigned bytes = fields[filtered[i].field].bytes;
            for (uint32_t bits = 0; bytes <= 2 && bits < 1U << 8 * bytes; bits++) {
                put(b, filtered[i].field, bits);
                assert_sound(b, &filtered[i], terms, count, bits);
            }
        }
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void test_terms_are_sound_on_random_values(void **state)
{
    bench *b = *state;
    uint64_t seed = UINT64_C(0x9E3779B97F4A7C15);
    static const uint64_t corners[] = {0,           0x80000000U, 0x7F800000U, 0xFF800000U,
                                       0x7FC00000U, 1,           UINT64_MAX,  UINT64_C(1) << 63};
    for (b->layout = LITTLE; b->layout <= BIG; b->layout++) {
        for (size_t i = 0; i < sizeof filtered / sizeof filtered[0]; i++) {
            ll_term terms[TERMS];
            size_t count = bind_filtered(b, &filtered[i], terms);
            for (unsigned round = 0; round < 4000; round++) {
                uint64_t near = (round & 1 ? filtered[i].clean : corners[round / 4 % 8]) + next_random(&seed) % 5 - 2;
                uint64_t bits = round & 2 ? near : next_random(&seed);
                put(b, filtered[i].field, bits);
                assert_sound(b, &filtered[i], terms, count, bits);
            }
        }
    }
}

/* Vectors and byte fields: each element takes a few values, so that filters often pass and often fail. */
static void test_terms_of_vectors_and_bytes(void **state)
{
    bench *b = *state;
    static const struct filtered rows[] = {
        {"equals", F_HALVES, {"0"}, 0},
        {"equals", F_TRIPLE, {"0", "-1", "0"}, 0},
        {"equals", F_BYTES3, {"0"}, 0},
        {"range", F_TRIPLE, {">= 0"}, 0},
        {"finite", F_QUAT, {NULL}, 0},
        {"finite", F_HALVES, {NULL}, 0},
        {"normal", F_TRIPLE, {NULL}, 0},
        {"not_zero", F_QUAT, {NULL}, 0},
        {"not_zero", F_HALVES, {NULL}, 0},
        {"not_zero", F_BYTES3, {NULL}, 0},
        {"all_zero", F_PAD, {NULL}, 0},
        {"all_zero", F_BLOB, {NULL}, 0},
        {"all_zero", F_NAME, {NULL}, 0},
        {"mask_clear", F_PAD, {"0x8000"}, 0},
        {"equals", F_TAG, {"\\0\\0\\0\\0"}, 0},
        {"one_of", F_TAG, {"PL01", "PL02", "PL03"}, 0},
        {"not_equals", F_TAG, {"\\0\\0\\0\\0"}, 0},
        {"one_of", F_NAME, {"\\0\\0\\0\\0\\0\\0\\0\\0\\0"}, 0},
        {"bytes_one_of", F_HASH, {"00 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01"}, 0},
    };
    static const uint32_t few[] = {0, 0, 0, 0x80000000U, 0xBF800000U, 1, 0x7F800000U, 0x3F800000U};
    uint64_t seed = 88172645463325252U;
    for (b->layout = LITTLE; b->layout <= BIG; b->layout++) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            ll_term terms[TERMS];
            size_t count = bind_filtered(b, &rows[i], terms);
            assert_true(count > 0);
            const ll_field *field = &fields[rows[i].field];
            unsigned passed = 0;
            for (unsigned round = 0; round < 20000; round++) {
                for (unsigned at = 0; at < field->bytes / ll_type_bytes(field->type); at++) {
                    uint32_t bits = few[next_random(&seed) >> 32 & (round & 1 ? 7 : 3)];
                    unsigned step = ll_type_bytes(field->type);
                    put_at(b, rows[i].field, at, step == 4 ? bits : step == 2 ? bits >> 16 : bits & 1);
                }
                if (rows[i].field == F_TAG && round & 4) {
                    put_text(b, F_TAG, "PL00", 4);
                    b->bytes[PLACE + field->offset + 3] = (uint8_t)('0' + round / 8 % 6);
                }
                passed += passes(b, terms, count);
                assert_sound(b, &rows[i], terms, count, 0);
            }
            assert_true(passed > 0);
        }
    }
    b->layout = LITTLE;
    assert_int_equal(
        bind_filtered(b, &(struct filtered){"bytes_one_of", F_BLOB, {"0000000000000000000000000000000000000000"}, 0},
                      (ll_term[TERMS]){{0}}),
        3);
}

static void test_what_no_screen_stands_for(void **state)
{
    bench *b = *state;
    static const struct filtered rows[] = {
        {"multiple_of", F_I16, {"3"}, 0},
        {"same_as", F_U16, {"u16b"}, 0},
        {"equals_measure", F_U32, {"span_length"}, 0},
        {"regex", F_NAME, {"x"}, 0},
    };
    ll_term terms[TERMS];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(bind_filtered(b, &rows[i], terms), 0);
    }
    must_bind(b, "finite", F_HALVES, NO_WORDS);
    assert_int_equal(ll_test_terms(&b->test, terms, 5), 0); /* no room for six */
    assert_int_equal(ll_test_terms(&b->test, terms, 6), 6);
}

/* ------------------------------------------------------------------ comparison with plain arithmetic */

static void test_ranges_of_halves_agree_with_arithmetic(void **state)
{
    bench *b = *state;
    static const struct {
        const char *text;
        double number;
    } bounds[] = {{"-65504", -65504}, {"-1.0001", -1.0001}, {"-1e-8", -1e-8},  {"0", 0},
                  {"5e-8", 5e-8},     {"0.1", 0.1},         {"2048.5", 2048.5}};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        for (unsigned relation = 0; relation < 4; relation++) {
            static const char *const signs[] = {">= ", "> ", "<= ", "< "};
            char text[32];
            (void)snprintf(text, sizeof text, "%s%s", signs[relation], bounds[i].text);
            if (i == 0 && relation == 3) {
                continue; /* nothing is below the minimum */
            }
            must_bind(b, "range", F_F16, WORDS(text));
            for (uint32_t bits = 0; bits <= 0xFFFF; bits++) {
                double v = ll_half_to_double((uint16_t)bits);
                double n = bounds[i].number;
                bool right = relation == 0 ? v >= n : relation == 1 ? v > n : relation == 2 ? v <= n : v < n;
                put(b, F_F16, bits);
                assert_int_equal(holds(b), right || !isfinite(v));
            }
        }
    }
}

static void test_keys_are_in_order_and_come_back(void **state)
{
    (void)state;
    static const uint8_t types[] = {LL_TYPE_U16, LL_TYPE_I16, LL_TYPE_F16};
    for (size_t t = 0; t < sizeof types; t++) {
        for (uint32_t bits = 0; bits <= 0xFFFF; bits++) {
            uint64_t key = ll_key_of_bits(types[t], bits);
            bool minus_zero = types[t] == LL_TYPE_F16 && bits == 0x8000;
            assert_true(key <= 0xFFFF);
            assert_int_equal(ll_bits_of_key(types[t], key), minus_zero ? 0 : bits);
        }
    }
    assert_true(ll_key_of_bits(LL_TYPE_I32, 0x80000000U) < ll_key_of_bits(LL_TYPE_I32, 0));
    assert_true(ll_key_of_bits(LL_TYPE_F32, 0xBF800000U) < ll_key_of_bits(LL_TYPE_F32, 0x80000001U));
    assert_int_equal(ll_key_of_bits(LL_TYPE_U64, UINT64_MAX), UINT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_equals),
        TEST(test_integers_keep_64_bits),
        TEST(test_equals_rounds_to_the_type),
        TEST(test_exponents),
        TEST(test_both_zeros_are_zero),
        TEST(test_range_words_and_bounds),
        TEST(test_bounds_are_exact),
        TEST(test_floats_are_silent_on_what_is_no_number),
        TEST(test_one_of),
        TEST(test_bytes),
        TEST(test_vectors_are_judged_by_element),
        TEST(test_masks_and_multiples),
        TEST(test_zeros),
        TEST(test_normal_and_unit_norm),
        TEST(test_text_in_fields),
        TEST(test_parts_of_strings),
        TEST(test_a_pattern_that_gives_up_is_no_miss_and_counted),
        TEST(test_same_as),
        TEST(test_ordered),
        TEST(test_below),
        TEST(test_measures),
        TEST(test_never),
        TEST(test_what_is_refused),
        TEST(test_strings_are_no_numbers),
        TEST(test_names),
        TEST(test_memory_runs_out),
        TEST(test_terms_pass_clean_values),
        TEST(test_terms_are_sound_on_all_values_of_16_bits),
        TEST(test_terms_are_sound_on_random_values),
        TEST(test_terms_of_vectors_and_bytes),
        TEST(test_what_no_screen_stands_for),
        TEST(test_ranges_of_halves_agree_with_arithmetic),
        TEST(test_keys_are_in_order_and_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
