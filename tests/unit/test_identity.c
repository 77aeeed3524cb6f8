/* identity: kinds of files by their first bytes and by shape, damages that can be undone, and traces of those that
 * cannot. All bytes are in blocks of exactly their size, so that sanitizers check each bound. */
#include "unit.h"

#include "identity/damage.h"
#include "identity/identity.h"

#include <stdlib.h>

static ll_foreign kind_of(const void *bytes, size_t size)
{
    uint8_t *block = malloc(size + !size);
    assert_non_null(block);
    memcpy(block, bytes, size);
    ll_foreign kind = ll_foreign_of(block, size);
    free(block);
    return kind;
}

#define KIND_OF(text) kind_of(text, sizeof(text) - 1)

static void test_kinds(void **state)
{
    (void)state;
    assert_int_equal(KIND_OF(""), LL_FOREIGN_NONE);
    assert_int_equal(KIND_OF("\x1F\x8B\x08"), LL_FOREIGN_gzip);
    assert_int_equal(KIND_OF("\x1F\x8B"), LL_FOREIGN_NONE);
    assert_int_equal(KIND_OF("PK\x03\x04\0\0metadata.xml"), LL_FOREIGN_mgsv);
    assert_int_equal(KIND_OF("PK\x03\x04\0\0metadata.xm"), LL_FOREIGN_zip);
    assert_int_equal(KIND_OF("BZh91AY&SY"), LL_FOREIGN_bzip2);
    assert_int_equal(KIND_OF("BZh01AY&SY"), LL_FOREIGN_text);
    assert_int_equal(KIND_OF(" <!-- a > b --> <FOX>"), LL_FOREIGN_dataset);
    assert_int_equal(KIND_OF("<?xml version=\"1.0\"?>\n<ArchiveFile x=\"1\">"), LL_FOREIGN_manifest);
    assert_int_equal(KIND_OF("<ArchiveFiles x=\"1\">"), LL_FOREIGN_xml);
    assert_int_equal(KIND_OF("\xEF\xBB\xBF<!doctype HTML>"), LL_FOREIGN_html);
    assert_int_equal(KIND_OF("<!-- no end"), LL_FOREIGN_text);
    assert_int_equal(KIND_OF("[ ]     "), LL_FOREIGN_json);
    assert_int_equal(KIND_OF("[x]     "), LL_FOREIGN_text);
    assert_int_equal(KIND_OF("-- light\nlocal this = {}\n"), LL_FOREIGN_lua);
    assert_int_equal(KIND_OF("46 47 78 4C 00 00 00 00\n"), LL_FOREIGN_hexdump);
    assert_int_equal(KIND_OF("46 47 78 4C 00 00 00 0g\n"), LL_FOREIGN_text);
    assert_int_equal(KIND_OF("RkdmeEwAAAAAEAAAAAEAAAA="), LL_FOREIGN_base64);
    assert_int_equal(KIND_OF("RkdmeEwAAAAAEAAA=AAEAAAA"), LL_FOREIGN_text);
    assert_int_equal(KIND_OF("\x1Flights\x08\x1B[0m\x1A"), LL_FOREIGN_text);
    assert_int_equal(KIND_OF("lights\x07\n"), LL_FOREIGN_NONE);
    assert_int_equal(KIND_OF("l\0i\0g\0h\0t\0s\0,\0 \0"), LL_FOREIGN_utf16);
    assert_int_equal(KIND_OF("<<<<<<< a\n=======\n>>>>>>> b"), LL_FOREIGN_conflict);
    assert_int_equal(KIND_OF("<<<<<<< a\n>>>>>>> b\n======="), LL_FOREIGN_text);
    assert_int_equal(KIND_OF("\0"), LL_FOREIGN_zeros);
    assert_int_equal(KIND_OF("\xFF\xFF"), LL_FOREIGN_filled);
    assert_int_equal(KIND_OF("\x5D\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0"), LL_FOREIGN_lzma);
    assert_int_equal(KIND_OF("\x5D\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1"), LL_FOREIGN_NONE);
    assert_string_equal(ll_foreign_words(LL_FOREIGN_gzip), "a gzip archive");
    assert_string_equal(ll_foreign_words(LL_FOREIGN_NONE), "");
}

/* Expects `right` as proposal number `which` for undoing the damage; n = 0: there is no such proposal. */
static void check_undone(ll_damage damage, uint32_t which, const void *damaged, size_t size, const void *right,
                         size_t n)
{
    uint8_t *block = malloc(size);
    uint8_t *out = malloc(ll_undone_room(size));
    assert_non_null(block);
    assert_non_null(out);
    memcpy(block, damaged, size);
    assert_int_equal(ll_damage_undo(damage, &(ll_damaged){block, size, 0, 0}, which, out), n);
    assert_memory_equal(out, right, n);
    free(block);
    free(out);
}

#define UNDONE(damage, which, damaged, right)                                                                          \
    check_undone(LL_DAMAGE_##damage, which, damaged, sizeof(damaged) - 1, right, sizeof(right) - 1)

static void test_damages_are_undone(void **state)
{
    (void)state;
    UNDONE(bom, 0,
           "\xEF\xBB\xBF"
           "FGxL",
           "FGxL");
    UNDONE(bom, 1,
           "\xEF\xBB\xBF"
           "FGxL",
           "");
    UNDONE(latin, 0, "F\xC2\x80\xC3\xBF\xE2\x82\xAC", "F\x80\xFF\x80");
    UNDONE(latin, 0, "F\xC2", "");
    UNDONE(latin, 0, "F\xE4\xB8\x80", "");
    UNDONE(latin, 0, "FGxL", "");
    UNDONE(wide, 0,
           "\xFF\xFE"
           "F\0\xFF\0",
           "F\xFF");
    UNDONE(wide, 0,
           "\xFE\xFF"
           "\0F\0\xFF",
           "F\xFF");
    UNDONE(wide, 0, "F\0G", "");
    UNDONE(crlf, 0, "\r\n\r\r\n", "\n\r\n");
    UNDONE(crlf, 0, "\r\n\n", "");
    UNDONE(lf, 0, "a\nb\n", "a\r\nb\r\n");
    UNDONE(lf, 2, "a\nb\n", "a\nb\r\n");
    UNDONE(lf, 3, "a\nb\n", "");
    UNDONE(lf, 0, "a\r\nb\n", "");
    UNDONE(words, 0, "LxGF12", "FGxL12");
    UNDONE(pairs, 0, "GFLx1", "FGxL1");
    UNDONE(doubled, 0, "FGxLFGxL", "FGxL");
    UNDONE(doubled, 0, "FFFF", "");
    UNDONE(joined, 2, "FGxL--FGxL", "FGxL--");
    UNDONE(joined, 3, "FGxL--FGxL", "");
}

static void test_sectors(void **state)
{
    (void)state;
    uint8_t bytes[1030] = {0};
    uint8_t right[1030] = {0};
    memset(bytes, 'b', 512);
    memset(bytes + 512, 'a', 512);
    memset(right, 'a', 512);
    memset(right + 512, 'b', 512);
    check_undone(LL_DAMAGE_sectors, 1, bytes, sizeof bytes, right, sizeof right);
    check_undone(LL_DAMAGE_sectors, 15, bytes, sizeof bytes, right, 0);
    check_undone(LL_DAMAGE_sectors, 0, bytes, 1023, right, 0);
}

static void check_weak(ll_damage damage, const uint8_t *bytes, size_t size, bool weak)
{
    ll_lost out;
    assert_true(ll_damage_lost(damage, &(ll_damaged){bytes, size, 0, 0}, 0, &out));
    assert_int_equal(out.weak, weak);
}

static void check_lost(ll_damage damage, const uint8_t *bytes, size_t size, bool lost, size_t from, size_t to)
{
    uint8_t *block = malloc(size);
    ll_lost out;
    assert_non_null(block);
    memcpy(block, bytes, size);
    assert_int_equal(ll_damage_lost(damage, &(ll_damaged){block, size, 0, 0}, 0, &out), lost);
    if (lost) {
        assert_int_equal(out.from, from);
        assert_int_equal(out.to, to);
    }
    free(block);
}

static void test_losses(void **state)
{
    (void)state;
    uint8_t bytes[2048];
    memset(bytes, 'x', sizeof bytes);
    check_lost(LL_DAMAGE_plain, bytes, sizeof bytes, false, 0, 0); /* no numbers */
    memset(bytes, 1, 12);
    check_lost(LL_DAMAGE_plain, bytes, sizeof bytes, false, 0, 0); /* a text */
    memset(bytes, 1, sizeof bytes / 5 + 1);
    check_lost(LL_DAMAGE_plain, bytes, sizeof bytes, true, 0, sizeof bytes);
    check_lost(LL_DAMAGE_tail, bytes, sizeof bytes, false, 0, 0);
    memset(bytes + sizeof bytes - 40, 0, 40);
    check_lost(LL_DAMAGE_tail, bytes, sizeof bytes, true, sizeof bytes - 40, sizeof bytes);
    check_lost(LL_DAMAGE_tail, bytes, sizeof bytes - 1, false, 0, 0);
    check_lost(LL_DAMAGE_hole, bytes, sizeof bytes, false, 0, 0);
    memset(bytes + 512, 0, 1024);
    check_lost(LL_DAMAGE_hole, bytes, sizeof bytes, true, 512, 1536);
    check_weak(LL_DAMAGE_hole, bytes, sizeof bytes, false);
    memset(bytes + 512 - 40, 0, 40); /* more than a sector, which may be coincidence */
    check_lost(LL_DAMAGE_hole, bytes, sizeof bytes, true, 512, 1536);
    check_weak(LL_DAMAGE_hole, bytes, sizeof bytes, true);
    memcpy(bytes + 100, "\xEF\xBF\xBD", 3);
    check_lost(LL_DAMAGE_replaced, bytes, sizeof bytes, true, 100, sizeof bytes);
    bytes[200] = 0x80;
    check_lost(LL_DAMAGE_replaced, bytes, sizeof bytes, false, 0, 0);
    check_lost(LL_DAMAGE_crlf, bytes, sizeof bytes, false, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_damages_are_undone),
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
