/* grx: StrCode64 against its vectors, tags, and format detection. The cases test the reader. */
#include "unit.h"

#include "formats/grx/grx.h"
#include "formats/strcode.h"

/* docs/formats/grx.md, "StrCode64": one or more strings for every branch of the hash. */
static const struct {
    const char *name;
    uint64_t city, code;
} vectors[] = {
    {"", UINT64_C(0x085F654E398E757C), UINT64_C(0xB8A0BF169F98)},
    {"a", UINT64_C(0x8235F11B36620B8C), UINT64_C(0xB220B9BC34D5)},
    {"ab", UINT64_C(0x22558782B7E93C6A), UINT64_C(0x649F4EAA1CFB)},
    {"abc", UINT64_C(0x92000174962B539D), UINT64_C(0x8A6B82CBECE8)},
    {"LP_0038", UINT64_C(0x24BD07EA6BBBD3E5), UINT64_C(0x728F9B2C769B)},
    {"PointLight0000", UINT64_C(0xB1D5497260DF74E1), UINT64_C(0xA47F209ED8D8)},
    {"LP_auto_0000", UINT64_C(0xFBBE636C4C160765), UINT64_C(0x8601892F2C24)},
    {"FireSpotLight0002", UINT64_C(0x133937E56157C9EF), UINT64_C(0x0E2A2BA28B21)},
    {"mafr_hous005_0001|LP_mafr_hous005_0003", UINT64_C(0x5D99468AF1083519), UINT64_C(0x60989A09D8DE)},
    {"/Assets/ssd/level/mission/debug/common/robby_asset.fox2", UINT64_C(0x8294D10AE9B99203), UINT64_C(0x71870524FA66)},
    {"/Assets/ssd/level/location/ssav/block_small/144/144_128/ssav_144_128_light.fox2", UINT64_C(0xE73D16FF52168793),
     UINT64_C(0x4B20745922D3)},
    {"012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
     "012345678901234567890123456789012345678901234567890123456789",
     UINT64_C(0x5F7B3F4A6778467F), UINT64_C(0x12E0C510B222)},
};

static void test_strcode64_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const uint8_t *name = (const uint8_t *)vectors[i].name;
        size_t n = strlen(vectors[i].name);
        assert_true(ll_city64(name, n + 1) == vectors[i].city);
        assert_true(ll_strcode64(name, n) == vectors[i].code);
    }
    char unended[160] = {0};
    for (size_t n = 0; n < sizeof unended - 1; n++) { /* all lengths, with any next byte */
        unended[n] = '\0';
        uint64_t code = ll_strcode64((const uint8_t *)unended, n);
        unended[n] = (char)('a' + n % 26);
        assert_true(ll_strcode64_unended((const uint8_t *)unended, n) == code);
    }
}

static void test_words_of_datasets_have_their_hashes(void **state)
{
    (void)state;
#define FOX_WORD(name, hash) assert_true(ll_strcode64((const uint8_t *)#name, sizeof #name - 1) == UINT64_C(hash));
#include "formats/fox/fox_words.def"
#undef FOX_WORD
}

/* Names are hashed with their NUL, which hides errors in the last byte. Vectors without it, from
 * tests/tools/strcode64.py. */
static void test_city64_of_a_last_byte(void **state)
{
    (void)state;
    assert_true(ll_city64((const uint8_t *)"a", 1) == UINT64_C(0x2420662CD003ACFA));
    assert_true(ll_city64((const uint8_t *)"ab", 2) == UINT64_C(0x17F0A30FF3CC3F3E));
    assert_true(ll_city64((const uint8_t *)"abc", 3) == UINT64_C(0x3A912F483A4ECE31));
}

static void test_strcode64_is_case_sensitive(void **state)
{
    (void)state;
    assert_true(ll_strcode64((const uint8_t *)"lp_0038", 7) != ll_strcode64((const uint8_t *)"LP_0038", 7));
}

static void test_tags(void **state)
{
    (void)state;
    static const char *const known[] = {"CM00", "PL01", "PL02", "PL03", "SL01", "SL02",
                                        "SL03", "EP00", "OC00", "DL00", "LP00"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_non_null(grx_kind_of((uint32_t)ll_read_uint((const uint8_t *)known[i], 4, LL_LITTLE)));
    }
    assert_null(grx_kind_of((uint32_t)ll_read_uint((const uint8_t *)"PL04", 4, LL_LITTLE)));
    assert_null(grx_kind_of(0));
}

static void test_probe_of_the_format(void **state)
{
    (void)state;
    assert_int_equal(grx_format.probe((const uint8_t *)"FGxL", 4), LL_PROBE_SURE);
    assert_int_equal(grx_format.probe((const uint8_t *)"FGxO....", 8), LL_PROBE_SURE);
    assert_int_equal(grx_format.probe((const uint8_t *)"FGx", 3), LL_PROBE_NO);
    assert_int_equal(grx_format.probe((const uint8_t *)"GIF89a", 6), LL_PROBE_NO);
    static const uint8_t damaged[24] = {'F', 'G', 'y', 'L', 0, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 'C', 'M', '0', '0'};
    assert_int_equal(grx_format.probe(damaged, sizeof damaged), LL_PROBE_MAYBE);
}

static void test_content_wins_over_extension(void **state)
{
    (void)state;
    assert_ptr_equal(ll_format_choose((const uint8_t *)"FGxL", 4, "file.bin"), &grx_format);
    assert_ptr_equal(ll_format_choose((const uint8_t *)"junk", 4, "FILE.GRXLA"), &grx_format);
    assert_null(ll_format_choose((const uint8_t *)"junk", 4, "file.bin"));
    assert_null(ll_format_choose((const uint8_t *)"junk", 4, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strcode64_vectors),
        cmocka_unit_test(test_words_of_datasets_have_their_hashes),
        cmocka_unit_test(test_city64_of_a_last_byte),
        cmocka_unit_test(test_strcode64_is_case_sensitive),
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_probe_of_the_format),
        cmocka_unit_test(test_content_wins_over_extension),
    };
    return cmocka_run_group_tests_name("grx", tests, NULL, NULL);
}
