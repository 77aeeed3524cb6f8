/* What must change with patches that move bytes: references that no row derives, and the order of elements. Sizes,
 * offsets and counts are tested by the cases and by prop/fixes.py. */
#include "unit.h"

#include "base/md5.h"
#include "formats/fpk/fpk.h"
#include "formats/rgm/rgm.h"
#include "model/consequence.h"
#include "model/reader.h"

enum { ROOM = 1024 };

typedef struct file {
    uint8_t bytes[ROOM];
    uint32_t size;
    ll_doc doc;
    ll_arena arena;
    ll_consequences now;
} file;

static void put(file *f, const void *bytes, uint32_t n)
{
    memcpy(f->bytes + f->size, bytes, n);
    f->size += n;
}

static void put_number(file *f, uint64_t value, unsigned n, bool big)
{
    ll_put_uint(f->bytes + f->size, n, big, value);
    f->size += n;
}

static void parse(file *f, const ll_format *format)
{
    const ll_allocator a = ll_allocator_or_default(NULL);
    ll_doc_init(&f->doc, NULL);
    ll_doc_open(&f->doc, f->bytes, f->size, "test");
    ll_doc_set_format(&f->doc, format);
    ll_doc_read(&f->doc);
    ll_doc_seal(&f->doc);
    assert_int_equal(f->doc.status, LL_OK);
    ll_arena_init(&f->arena, &a, SIZE_MAX);
}

static void end(file *f)
{
    ll_arena_free(&f->arena);
    ll_doc_free(&f->doc);
}

/* ------------------------------------------------------------------ references */

enum { STRINGS = 8 + 8 + rgm_actor_SIZE + 8, OFFSETS = STRINGS + 9 + 8 };

/* RAHD with an actor, RAST with three strings, RASB with their offsets in another order. */
static void build_map(file *f)
{
    uint8_t actor[rgm_actor_SIZE] = "LAMP";
    *f = (file){.size = 0};
    put(f, "RAHD", 4);
    put_number(f, 8 + rgm_actor_SIZE, 4, true);
    put_number(f, 1, 4, false);
    put(f, "\x1B\x80\x37", 4);
    ll_put_uint(actor + rgm_actor_at_num_strings, 4, 0, 3);
    put(f, actor, sizeof actor);
    put(f, "RAST", 4);
    put_number(f, 9, 4, true);
    assert_int_equal(f->size, STRINGS);
    put(f, "ab\0cd\0ef", 9);
    put(f, "RASB", 4);
    put_number(f, 12, 4, true);
    assert_int_equal(f->size, OFFSETS);
    put_number(f, 6, 4, false);
    put_number(f, 0, 4, false);
    put_number(f, 3, 4, false);
    put(f, "END ", 4);
    parse(f, &rgm_format);
}

static void offsets_are(const uint8_t *at, uint32_t a, uint32_t b, uint32_t c)
{
    assert_int_equal(ll_le32(at), a);
    assert_int_equal(ll_le32(at + 4), b);
    assert_int_equal(ll_le32(at + 8), c);
}

static void test_references_follow_what_they_lead_to(void **state)
{
    (void)state;
    file f;
    build_map(&f);
    uint32_t first = f.doc.firsts[rgm_string_LAYOUT] - 1;
    ll_edit longer = {.tier = LL_PATCH_UNSAFE, .offset = STRINGS + 1, .size = 2, .bytes = (const uint8_t *)"xy"};
    assert_int_equal(ll_consequences_of(&f.doc, first, &longer, true, &f.arena, &f.now), LL_OK);
    assert_int_equal(f.now.size, f.size + 2);
    assert_memory_equal(f.now.bytes + STRINGS, "axyb\0cd\0ef", 11);
    assert_int_equal(ll_be32(f.now.bytes + STRINGS - 4), 11);
    offsets_are(f.now.bytes + OFFSETS + 2, 8, 0, 5);
    ll_edit shorter = {.tier = LL_PATCH_UNSAFE, .offset = STRINGS + 3, .removed = 1};
    assert_int_equal(ll_consequences_of(&f.doc, first + 1, &shorter, true, &f.arena, &f.now), LL_OK);
    offsets_are(f.now.bytes + OFFSETS - 1, 5, 0, 3);
    end(&f);
}

static void test_references_may_stay(void **state)
{
    (void)state;
    file f;
    build_map(&f);
    uint32_t first = f.doc.firsts[rgm_string_LAYOUT] - 1;
    ll_edit longer = {.tier = LL_PATCH_UNSAFE, .offset = STRINGS + 1, .size = 2, .bytes = (const uint8_t *)"xy"};
    assert_int_equal(ll_consequences_of(&f.doc, first, &longer, false, &f.arena, &f.now), LL_OK);
    offsets_are(f.now.bytes + OFFSETS + 2, 6, 0, 3);
    assert_true(f.now.leads);
    longer.offset = OFFSETS + 12; /* after all targets */
    assert_int_equal(ll_consequences_of(&f.doc, LL_NO_SPAN, &longer, false, &f.arena, &f.now), LL_OK);
    assert_false(f.now.leads);
    end(&f);
}

static void test_only_starts_are_followed(void **state)
{
    (void)state;
    file f;
    build_map(&f);
    ll_put_uint(f.bytes + OFFSETS, 4, 0, 7); /* inside the last string */
    uint32_t first = f.doc.firsts[rgm_string_LAYOUT] - 1;
    ll_edit longer = {.tier = LL_PATCH_UNSAFE, .offset = STRINGS + 1, .size = 2, .bytes = (const uint8_t *)"xy"};
    assert_int_equal(ll_consequences_of(&f.doc, first, &longer, true, &f.arena, &f.now), LL_OK);
    offsets_are(f.now.bytes + OFFSETS + 2, 7, 0, 5);
    end(&f);
}

static void test_what_the_patch_writes_stays(void **state)
{
    (void)state;
    file f;
    build_map(&f);
    uint32_t rows = f.doc.firsts[rgm_string_offset_LAYOUT] - 1;
    ll_edit other = {
        .tier = LL_PATCH_UNSAFE, .offset = OFFSETS, .removed = 1, .size = 1, .bytes = (const uint8_t *)"\3"};
    assert_int_equal(ll_consequences_of(&f.doc, rows, &other, true, &f.arena, &f.now), LL_OK);
    offsets_are(f.now.bytes + OFFSETS, 3, 0, 3);
    end(&f);
}

/* ------------------------------------------------------------------ order */

static const char *const paths[] = {"/Assets/a.evf", "/Assets/bb.lua", "/Assets/c.lua"};
static const char *const members[] = {"0123456789abcdefg", "x", "yyyyyyyyyyyyyyyy"};
enum { ENTRIES = 3, TABLE = fpk_header_SIZE, PATHS = TABLE + ENTRIES * fpk_entry_SIZE };

/* An archive with these members in the given order. */
static void build_archive(file *f, const uint32_t order[ENTRIES])
{
    *f = (file){.size = PATHS};
    memcpy(f->bytes, "foxfpk\0win", 10);
    f->bytes[fpk_header_at_constant] = 2;
    f->bytes[fpk_header_at_entry_count] = ENTRIES;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        const char *path = paths[order[i]];
        uint8_t *row = f->bytes + TABLE + i * fpk_entry_SIZE;
        ll_put_uint(row + fpk_entry_at_path_offset, 8, 0, f->size);
        ll_put_uint(row + fpk_entry_at_path_length, 8, 0, strlen(path));
        ll_md5((const uint8_t *)path, (uint32_t)strlen(path), row + fpk_entry_at_path_md5);
        put(f, path, (uint32_t)strlen(path) + 1);
    }
    for (uint32_t i = 0; i < ENTRIES; i++) {
        const char *member = members[order[i]];
        uint8_t *row = f->bytes + TABLE + i * fpk_entry_SIZE;
        f->size = (uint32_t)ll_align_up(f->size, 16);
        ll_put_uint(row + fpk_entry_at_data_offset, 8, 0, f->size);
        ll_put_uint(row + fpk_entry_at_data_size, 8, 0, strlen(member));
        put(f, member, (uint32_t)strlen(member));
    }
    f->size = (uint32_t)ll_align_up(f->size, 16);
    ll_put_uint(f->bytes + fpk_header_at_file_size, 4, 0, f->size);
}

static ll_status reorder(file *f, const uint32_t *order)
{
    ll_edit edit = {.tier = LL_PATCH_UNSAFE, .order = order};
    parse(f, &fpk_format);
    return ll_consequences_of(&f->doc, f->doc.firsts[fpk_entry_LAYOUT] - 1, &edit, false, &f->arena, &f->now);
}

static void test_elements_go_with_what_belongs_to_them(void **state)
{
    (void)state;
    const uint32_t orders[][ENTRIES] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        file f, right;
        build_archive(&f, (const uint32_t[]){0, 1, 2});
        build_archive(&right, orders[i]);
        assert_int_equal(reorder(&f, orders[i]), LL_OK);
        assert_int_equal(f.now.size, right.size);
        assert_memory_equal(f.now.bytes, right.bytes, right.size);
        assert_int_equal(f.now.was, f.now.is);
        assert_memory_equal(f.bytes, right.bytes, f.now.from);
        assert_int_not_equal(f.bytes[f.now.from], right.bytes[f.now.from]);
        uint32_t behind = f.now.from + f.now.was;
        assert_memory_equal(f.bytes + behind, right.bytes + behind, right.size - behind);
        end(&f);
    }
}

/* Only rows are reordered; their targets must follow the order of the rows. */
static void test_the_same_order_puts_the_rest_in_order(void **state)
{
    (void)state;
    file f, right;
    build_archive(&f, (const uint32_t[]){0, 1, 2});
    build_archive(&right, (const uint32_t[]){1, 0, 2});
    uint8_t row[fpk_entry_SIZE];
    memcpy(row, f.bytes + TABLE, sizeof row);
    memmove(f.bytes + TABLE, f.bytes + TABLE + sizeof row, sizeof row);
    memcpy(f.bytes + TABLE + sizeof row, row, sizeof row);
    assert_int_equal(reorder(&f, (const uint32_t[]){0, 1, 2}), LL_OK);
    assert_memory_equal(f.now.bytes, right.bytes, right.size);
    end(&f);
}

static void test_nothing_is_lost_between_elements(void **state)
{
    (void)state;
    file f;
    build_archive(&f, (const uint32_t[]){0, 1, 2});
    uint32_t second = ll_le32(f.bytes + TABLE + fpk_entry_SIZE + fpk_entry_at_data_offset);
    f.bytes[second - 1] = 'P'; /* padding that is not zero */
    assert_int_equal(reorder(&f, (const uint32_t[]){1, 0, 2}), LL_E_ARGUMENT);
    end(&f);
    build_archive(&f, (const uint32_t[]){0, 1, 2});
    f.bytes[f.size - 16 - 1] = 'P'; /* padding of the second member; the last one has none */
    assert_int_equal(reorder(&f, (const uint32_t[]){2, 1, 0}), LL_E_ARGUMENT);
    end(&f);
    build_archive(&f, (const uint32_t[]){0, 1, 2});
    memmove(f.bytes + second + 16, f.bytes + second, f.size - second); /* inserts a gap */
    memset(f.bytes + second, 0, 16);
    for (uint32_t i = 1; i < ENTRIES; i++) {
        uint8_t *offset = f.bytes + TABLE + i * fpk_entry_SIZE + fpk_entry_at_data_offset;
        ll_put_uint(offset, 8, 0, ll_le32(offset) + 16);
    }
    f.size += 16;
    ll_put_uint(f.bytes + fpk_header_at_file_size, 4, 0, f.size);
    assert_int_equal(reorder(&f, (const uint32_t[]){1, 0, 2}), LL_E_ARGUMENT);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references_follow_what_they_lead_to),
        cmocka_unit_test(test_references_may_stay),
        cmocka_unit_test(test_only_starts_are_followed),
        cmocka_unit_test(test_what_the_patch_writes_stays),
        cmocka_unit_test(test_elements_go_with_what_belongs_to_them),
        cmocka_unit_test(test_the_same_order_puts_the_rest_in_order),
        cmocka_unit_test(test_nothing_is_lost_between_elements),
    };
    return cmocka_run_group_tests_name("consequence", tests, NULL, NULL);
}
