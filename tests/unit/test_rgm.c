/* rgm: format detection, look-up of actors by name, and names in paths. The cases test the reader. */
#include "unit.h"

#include "formats/rgm/rgm.h"
#include "model/reader.h"
#include "model/value.h"

enum {
    ACTORS = 5,
    RAHD_LENGTH = rgm_rahd_head_SIZE + ACTORS * rgm_actor_SIZE,
    SIZE = 8 + RAHD_LENGTH + 8 + 4 + 8 + ACTORS
};

static const char *const names[ACTORS] = {"LAMP", "CYRUS", "LAMP", "NINELETTS", "A.B"};

/* Builds RAHD with five actors, and RASC with a preamble and a block of one byte for each. */
static void build(uint8_t bytes[SIZE])
{
    memset(bytes, 0, SIZE);
    memcpy(bytes, "RAHD", 4);
    ll_put_uint(bytes + 4, 4, 1, RAHD_LENGTH);
    ll_put_uint(bytes + 8, 4, 0, ACTORS);
    memcpy(bytes + 12, "\x1B\x80\x37", 4);
    for (uint32_t i = 0; i < ACTORS; i++) {
        uint8_t *actor = bytes + 16 + i * rgm_actor_SIZE;
        memcpy(actor + rgm_actor_at_script_name, names[i], strlen(names[i]));
        ll_put_uint(actor + rgm_actor_at_script_length, 4, 0, 1);
        ll_put_uint(actor + rgm_actor_at_script_data_offset, 4, 0, 4 + i);
    }
    uint8_t *code = bytes + 8 + RAHD_LENGTH;
    memcpy(code, "RASC", 4);
    ll_put_uint(code + 4, 4, 1, 4 + ACTORS);
    memcpy(bytes + SIZE - 8, "END ", 4);
}

static int64_t find(const ll_doc *doc, const char *name)
{
    return ll_find_named(doc, (const uint8_t *)name, (uint32_t)strlen(name));
}

static void path_is(const ll_doc *doc, uint32_t span, const char *expected)
{
    ll_text text;
    ll_text_init(&text, NULL);
    ll_where at = ll_at_bytes(span, ll_doc_span(doc, span)->offset, ll_doc_span(doc, span)->length);
    ll_path_text(doc, &at, &text);
    assert_string_equal(ll_text_cstr(&text), expected);
    ll_text_free(&text);
}

static void test_actors_are_found_by_name(void **state)
{
    (void)state;
    uint8_t bytes[SIZE];
    build(bytes);
    ll_doc doc;
    ll_doc_init(&doc, NULL);
    ll_doc_open(&doc, bytes, SIZE, "test.rgm");
    ll_doc_set_format(&doc, &rgm_format);
    ll_doc_read(&doc);
    ll_doc_seal(&doc);
    assert_int_equal(doc.status, LL_OK);
    assert_int_equal(rgm_summary_of(&doc)->actor_count, ACTORS);
    assert_int_equal(find(&doc, "LAMP"), 0); /* the first of two */
    assert_int_equal(find(&doc, "CYRUS"), 1);
    assert_int_equal(find(&doc, "NINELETTS"), 3);
    assert_int_equal(find(&doc, "NINELETT"), RGM_NO_ACTOR);
    assert_int_equal(find(&doc, "NINELETTSX"), RGM_NO_ACTOR);
    assert_int_equal(find(&doc, "cyrus"), RGM_NO_ACTOR);
    assert_int_equal(find(&doc, ""), RGM_NO_ACTOR);
    uint32_t block = rgm_summary_of(&doc)->section[RGM_RASC].records;
    path_is(&doc, block, "RASC.block[0]"); /* the name is not unique */
    path_is(&doc, block + 1, "RASC.block[CYRUS]");
    path_is(&doc, block + 3, "RASC.block[NINELETTS]");
    path_is(&doc, block + 4, "RASC.block[4]"); /* a dot would look like a separator of the path */
    ll_doc_free(&doc);
}

static void test_names_end_at_their_nul(void **state)
{
    (void)state;
    assert_int_equal(rgm_name_length((const uint8_t *)"AB\0C", 4), 2);
    assert_int_equal(rgm_name_length((const uint8_t *)"ABCD", 4), 4);
    assert_int_equal(rgm_name_length((const uint8_t *)"", 1), 0);
}

static void test_probe_of_the_format(void **state)
{
    (void)state;
    uint8_t bytes[SIZE];
    build(bytes);
    assert_int_equal(rgm_probe(bytes, 64), LL_PROBE_SURE);
    assert_int_equal(rgm_probe(bytes, 8), LL_PROBE_MAYBE);
    assert_int_equal(rgm_probe(bytes, 4), LL_PROBE_MAYBE);
    assert_int_equal(rgm_probe(bytes, 3), LL_PROBE_NO);
    bytes[0] = 'X'; /* any one of tag, prefix and length may be damaged */
    assert_int_equal(rgm_probe(bytes, 64), LL_PROBE_SURE);
    bytes[0] = 'R';
    bytes[12] = 0;
    assert_int_equal(rgm_probe(bytes, 64), LL_PROBE_SURE);
    bytes[12] = 0x1B;
    ll_put_uint(bytes + 4, 4, 0, RAHD_LENGTH);
    assert_int_equal(rgm_probe(bytes, 64), LL_PROBE_SURE);
    bytes[12] = 0;
    ll_put_uint(bytes + 4, 4, 1, 5);
    assert_int_equal(rgm_probe(bytes, 64), LL_PROBE_MAYBE);
    assert_int_equal(rgm_probe((const uint8_t *)"MPSL\0\0\0\4\0\0\0\0", 12), LL_PROBE_MAYBE);
    assert_int_equal(rgm_probe((const uint8_t *)"FGxL\0\0\0\0\0\0\0\0", 12), LL_PROBE_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_actors_are_found_by_name),
        cmocka_unit_test(test_names_end_at_their_nul),
        cmocka_unit_test(test_probe_of_the_format),
    };
    return cmocka_run_group_tests_name("rgm", tests, NULL, NULL);
}
