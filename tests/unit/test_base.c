/* base: checked arithmetic, byte order, half floats, arena, tables, text. */
#include "unit.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/endian.h"
#include "base/fit.h"
#include "base/glob.h"
#include "base/half.h"
#include "base/ints.h"
#include "base/map.h"
#include "base/md5.h"
#include "base/problem.h"
#include "base/sort.h"
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

static void test_fits_says_no_at_the_edges(void **state)
{
    (void)state;
    assert_true(ll_fits(0, 0, 0));
    assert_true(ll_fits(4, 4, 8));
    assert_false(ll_fits(5, 4, 8));
    assert_false(ll_fits(9, 0, 8));
    assert_false(ll_fits(UINT64_MAX, 1, UINT64_MAX));
    assert_false(ll_fits(1, UINT64_MAX, 8));
}

static void test_sums_and_products_are_checked(void **state)
{
    (void)state;
    size_t out = 0;
    assert_true(ll_add_size(SIZE_MAX - 1, 1, &out));
    assert_int_equal(out, SIZE_MAX);
    assert_false(ll_add_size(SIZE_MAX, 1, &out));
    assert_false(ll_mul_size(SIZE_MAX / 2, 3, &out));
    assert_int_equal(ll_align_up(UINT32_MAX, 4), UINT64_C(0x100000000));
}

static void test_both_byte_orders(void **state)
{
    (void)state;
    const uint8_t b[] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99};
    assert_int_equal(ll_le16(b + 1), 0x3322);
    assert_int_equal(ll_be16(b + 1), 0x2233);
    assert_int_equal(ll_le32(b + 1), 0x55443322);
    assert_int_equal(ll_be32(b + 1), 0x22334455);
    assert_true(ll_le64(b + 1) == UINT64_C(0x9988776655443322));
    assert_true(ll_be64(b + 1) == UINT64_C(0x2233445566778899));
    uint8_t out[4];
    ll_put_uint(out, 4, 0, 0x01020304);
    assert_int_equal(out[0], 4);
    ll_put_uint(out, 4, 1, 0x01020304);
    assert_int_equal(out[0], 1);
}

static void test_zeros_up_to_an_end(void **state)
{
    (void)state;
    uint8_t b[24] = {0};
    for (unsigned from = 0; from < 3; from++) {
        for (unsigned to = from; to < sizeof b; to++) {
            for (unsigned at = 0; at < sizeof b; at++) {
                b[at] = 1;
                assert_int_equal(ll_is_zero(b + from, b + to), at < from || at >= to);
                b[at] = 0;
            }
        }
    }
    assert_false(ll_is_zero(b + 2, b + 1));
}

static void test_md5_is_that_of_the_rfc(void **state)
{
    (void)state;
    static const struct {
        const char *text, *md5;
    } vectors[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"a", "0cc175b9c0f1b6a831c399e269772661"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
        /* 55 and 56 bytes: the largest size that fits into one block with the length, and the smallest that does not */
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "ef1772b6dff9a122358552954ad0df65"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "3b0c8ac703f828b04c6c197006d17218"},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint8_t md5[LL_MD5_SIZE];
        char hex[2 * LL_MD5_SIZE + 1];
        ll_md5(vectors[i].text, strlen(vectors[i].text), md5);
        for (size_t k = 0; k < LL_MD5_SIZE; k++) {
            (void)snprintf(hex + 2 * k, 3, "%02x", md5[k]);
        }
        assert_string_equal(hex, vectors[i].md5);
    }
}

static void test_every_half_survives_the_way_to_double_and_back(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits <= 0xFFFF; bits++) {
        double value = ll_half_to_double((uint16_t)bits);
        if (isnan(value)) {
            assert_false(ll_half_is_finite((uint16_t)bits));
            continue;
        }
        assert_int_equal(ll_double_to_half(value), bits);
        assert_int_equal(isfinite(value) != 0, ll_half_is_finite((uint16_t)bits));
    }
}

static void test_halves_of_known_value(void **state)
{
    (void)state;
    assert_true(fabs(ll_half_to_double(0x3C00) - 1.0) < 1e-12);
    assert_true(fabs(ll_half_to_double(0x7BFF) - 65504.0) < 1e-12);
    assert_true(fabs(ll_half_to_double(0x0001) - ldexp(1, -24)) < 1e-12);
    assert_true(signbit(ll_half_to_double(0x8000)));
    assert_int_equal(ll_double_to_half(65519.9), 0x7BFF);       /* below the tie */
    assert_int_equal(ll_double_to_half(65520.0), 0x7C00);       /* the tie goes to even: infinity */
    assert_int_equal(ll_double_to_half(ldexp(1, -25)), 0x0000); /* tie to even: zero */
    assert_int_equal(ll_double_to_half(ldexp(3, -25)), 0x0002);
    assert_int_equal(ll_double_to_half(2047.5 / 2048.0), 0x3C00); /* rounds up into the next exponent */
    assert_true(ll_half_is_denormal(0x03FF));
    assert_false(ll_half_is_denormal(0x0400));
    assert_false(ll_half_is_denormal(0x0000));
    assert_true(ll_single_is_denormal(0x007FFFFF));
    assert_false(ll_single_is_finite(0xFF800000));
}

static void test_arena_keeps_its_ceiling(void **state)
{
    (void)state;
    ll_arena arena;
    ll_arena_init(&arena, NULL, 64 * 1024);
    assert_non_null(ll_arena_alloc(&arena, 1, 40 * 1024));
    assert_null(ll_arena_alloc(&arena, 1, 40 * 1024));
    assert_null(ll_arena_alloc(&arena, SIZE_MAX, 2));
    assert_null(ll_arena_alloc(&arena, SIZE_MAX, 1));
    ll_arena_free(&arena);
}

static void test_arena_gives_large_blocks_back(void **state)
{
    (void)state;
    enum { MIB = 1024 * 1024 };
    ll_arena arena;
    ll_arena_init(&arena, NULL, 8 * MIB);
    ll_allocator allocator = ll_arena_allocator(&arena);
    char *small = ll_arena_copy(&arena, "abc", 3);
    for (size_t i = 0; i < 3; i++) {
        char *large = allocator.alloc(allocator.ctx, 5 * MIB);
        assert_non_null(large);
        assert_null(allocator.alloc(allocator.ctx, 5 * MIB));
        memset(large, 'x', 5 * MIB);
        assert_ptr_equal(ll_arena_copy(&arena, "def", 3), small + (i + 1) * 16); /* the chunk is still in use */
        allocator.release(allocator.ctx, large);
    }
    allocator.release(allocator.ctx, small);
    assert_string_equal(small, "abc");
    assert_true(arena.total < MIB);
    assert_non_null(allocator.alloc(allocator.ctx, 5 * MIB));
    ll_arena_reset(&arena);
    assert_true(arena.total < MIB);
    ll_arena_free(&arena);
    assert_int_equal(arena.total, 0);
}

static void test_arena_blocks_are_apart_and_zeroed_on_demand(void **state)
{
    (void)state;
    ll_arena arena;
    ll_arena_init(&arena, NULL, SIZE_MAX);
    unsigned char *last = NULL;
    for (int i = 0; i < 5000; i++) {
        unsigned char *p = ll_arena_zalloc(&arena, 7, 3);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (int k = 0; k < 21; k++) {
            assert_int_equal(p[k], 0);
            p[k] = 0xFF;
        }
        assert_true(!last || p >= last + 21 || p + 21 <= last);
        last = p;
    }
    ll_arena_reset(&arena);
    assert_non_null(ll_arena_zalloc(&arena, 1, 1));
    assert_string_equal(ll_arena_copy(&arena, "abc", 2), "ab");
    ll_arena_free(&arena);
}

/* Each conversion, with widths from the format and from arguments. */
static void test_sentences(void **state)
{
    (void)state;
    ll_text t;
    ll_text_init(&t, NULL);
    ll_text_format(&t, "%s|%c|%u|%zu|%" PRIu64 "|%x|100%%", "a", 'b', 3U, (size_t)4, UINT64_MAX, 0xABU);
    assert_string_equal(ll_text_cstr(&t), "a|b|3|4|18446744073709551615|ab|100%");
    ll_text_clear(&t);
    ll_text_format(&t, "%5s|%-5s|%*s|%-*s|%.*s|%3u|%04x|%0*" PRIx64 "|%1s", "a", "b", 3, "c", 2, "d", 2, "efg", 7U,
                   0x1FU, 6, UINT64_C(0x2A), "longer");
    assert_string_equal(ll_text_cstr(&t), "    a|b    |  c|d |ef|  7|001f|00002a|longer");
    ll_text_clear(&t);
    ll_text_format(&t, "%*s%s", -1, "x", "");
    assert_string_equal(ll_text_cstr(&t), "x");
    ll_text_free(&t);
}

static const char *shown(ll_text *text, const char *bytes, size_t n)
{
    ll_text_clear(text);
    ll_text_escape(text, bytes, n);
    return ll_text_cstr(text);
}

static void test_escaping_for_a_terminal(void **state)
{
    (void)state;
    ll_text t;
    ll_text_init(&t, NULL);
    assert_string_equal(shown(&t, "plain |name", 11), "plain |name");
    assert_string_equal(shown(&t, "\x1b[31m", 5), "\\x1b[31m");
    assert_string_equal(shown(&t, "a\\b", 3), "a\\\\b");
    assert_string_equal(shown(&t, "a\0b\n", 4), "a\\x00b\\x0a");
    assert_string_equal(shown(&t, "\xC3\xA9", 2), "\xC3\xA9");                              /* valid UTF-8 passes */
    assert_string_equal(shown(&t, "\xC3", 1), "\\xc3");                                     /* cut off */
    assert_string_equal(shown(&t, "\xC0\xAF", 2), "\\xc0\\xaf");                            /* overlong */
    assert_string_equal(shown(&t, "\xED\xA0\x80", 3), "\\xed\\xa0\\x80");                   /* surrogate */
    assert_string_equal(shown(&t, "\xC2\x9B", 2), "\\xc2\\x9b");                            /* C1 control: CSI */
    assert_string_equal(shown(&t, "\xE2\x80\xAE", 3), "\\xe2\\x80\\xae");                   /* right-to-left override */
    assert_string_equal(shown(&t, "\xF4\x90\x80\x80", 4), "\\xf4\\x90\\x80\\x80");          /* beyond Unicode */
    assert_string_equal(shown(&t, "\xD8\x9C\xE2\x80\xA8", 5), "\\xd8\\x9c\\xe2\\x80\\xa8"); /* U+061C, U+2028 */
    assert_string_equal(shown(&t, "::error::a:b:::", 15), ":\\x3aerror:\\x3aa:b:\\x3a\\x3a"); /* runner commands */
    assert_string_equal(shown(&t, "a##[error]#b", 12), "a#\\x23[error]#b");
    ll_text_free(&t);
}

static void test_json_strings(void **state)
{
    (void)state;
    ll_text t;
    ll_text_init(&t, NULL);
    ll_text_json(&t, "a\"b\\c\n\x01\x7F\xFF\xC3\xA9", 11);
    assert_string_equal(ll_text_cstr(&t), "a\\\"b\\\\c\\n\\u0001\\u007f\\\\xff\xC3\xA9");
    ll_text_clear(&t);
    ll_text_json(&t, "\xC2\x9B\xD8\x9C\xE2\x80\xAE\xE2\x81\xA6\xE2\x82\xAC", 13);
    assert_string_equal(ll_text_cstr(&t), "\\u009b\\u061c\\u202e\\u2066\xE2\x82\xAC");
    ll_text_clear(&t);
    ll_text_json(&t, "a text of more than sixteen bytes: ##[error] # ::", 49);
    assert_string_equal(ll_text_cstr(&t), "a text of more than sixteen bytes: #\\u0023[error] # ::");
    ll_text_free(&t);
}

static const char *number(ll_text *text, double value, unsigned bits)
{
    ll_text_clear(text);
    ll_text_float(text, value, bits);
    return ll_text_cstr(text);
}

static void test_floats_are_shortest_in_their_own_precision(void **state)
{
    (void)state;
    ll_text t;
    ll_text_init(&t, NULL);
    assert_string_equal(number(&t, ll_half_to_double(0x3CCD), 16), "1.2");
    assert_string_equal(number(&t, ll_half_to_double(0x3CCC), 16), "1.199");
    assert_string_equal(number(&t, ll_single_to_double(0x3DCCCCCD), 32), "0.1");
    assert_string_equal(number(&t, 0.1, 64), "0.1");
    assert_string_equal(number(&t, 1.25e-7, 32), "1.25e-07");
    assert_string_equal(number(&t, -123456789.5, 64), "-123456789.5");
    assert_string_equal(number(&t, 16777216.0, 32), "16777216");
    assert_string_equal(number(&t, -0.0, 32), "-0");
    assert_string_equal(number(&t, (double)NAN, 32), "NaN");
    assert_string_equal(number(&t, -(double)INFINITY, 16), "-Infinity");
    ll_text_free(&t);
}

static void test_integers(void **state)
{
    (void)state;
    ll_text t;
    ll_text_init(&t, NULL);
    ll_text_u64(&t, UINT64_MAX);
    ll_text_char(&t, ' ');
    ll_text_i64(&t, INT64_MIN);
    ll_text_char(&t, ' ');
    ll_text_hex(&t, 0x1f, 4);
    ll_text_char(&t, ' ');
    ll_text_hex(&t, 0, 1);
    assert_string_equal(ll_text_cstr(&t), "18446744073709551615 -9223372036854775808 001f 0");
    ll_text_free(&t);
}

static void test_globs(void **state)
{
    (void)state;
    assert_true(ll_glob("grx.*", 5, "grx.probe"));
    assert_true(ll_glob("*", 1, ""));
    assert_true(ll_glob("a*b*c", 5, "aXbXbXc"));
    assert_true(ll_glob("GRX?15", 6, "GRX015"));
    assert_true(ll_glob("GRX*tail", 4, "GRX405")); /* the first four bytes of the pattern */
    assert_false(ll_glob("grx.*", 5, "grx"));
    assert_false(ll_glob("a*b", 3, "ac"));
    assert_false(ll_glob("", 0, "a"));
}

static void test_letters_match_in_any_case(void **state)
{
    (void)state;
    assert_true(ll_ends_with("A.GRXLA", ".grxla"));
    assert_false(ll_ends_with("grxla", ".grxla"));
    assert_false(ll_ends_with("a.grxl\xE1", ".grxla"));
    assert_true(ll_same_letters("aBz[", "AbZ[", 4));
    assert_false(ll_same_letters("[", "{", 1)); /* 0x20 apart, but not letters */
}

static void test_sort_is_stable_for_every_length(void **state)
{
    (void)state;
    enum { MOST = 70 };
    uint32_t seed = 1;
    for (uint32_t n = 0; n <= MOST; n++) {
        ll_sort_key a[MOST];
        ll_sort_key b[MOST];
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1664525U + 1013904223U;
            a[i] = (ll_sort_key){seed >> 30, seed >> 29 & 1, i};
        }
        const ll_sort_key *sorted = ll_sort(a, b, n);
        uint64_t items = 0;
        for (uint32_t i = 0; i < n; i++) {
            items += sorted[i].item;
            if (i) {
                const ll_sort_key *last = &sorted[i - 1];
                uint64_t before = last->first << 40 | (uint64_t)last->second << 32 | last->item;
                uint64_t now = sorted[i].first << 40 | (uint64_t)sorted[i].second << 32 | sorted[i].item;
                assert_true(before < now);
            }
        }
        assert_int_equal(items, (uint64_t)n * (n ? n - 1 : 0) / 2);
    }
}

static bool is_same(const void *sought, uint32_t item)
{
    const uint64_t *const *at = sought;
    return at[0][item] == *at[1];
}

/* The first item with the key of this one, or LL_MAP_NONE after adding it. */
static uint32_t first_of(ll_map *map, uint64_t hash, uint32_t item, const uint64_t *keys)
{
    const uint64_t *sought[] = {keys, &keys[item]};
    return ll_map_note(map, hash, item, is_same, sought);
}

static uint64_t hash_of(const void *owner, uint32_t item)
{
    return ll_map_hash(((const uint64_t *)owner)[item]);
}

static void test_a_map_finds_the_first_of_equal_items(void **state)
{
    (void)state;
    enum { ITEMS = 1000, DISTINCT = 300, FARTHEST = 70000 };
    static uint64_t keys[FARTHEST + ITEMS];
    for (uint32_t first = 0; first <= FARTHEST; first += FARTHEST) { /* also numbers far above that of items */
        ll_arena arena;
        ll_map map;
        ll_arena_init(&arena, NULL, SIZE_MAX);
        ll_allocator allocator = ll_arena_allocator(&arena);
        assert_true(ll_map_open(&map, ITEMS, first + ITEMS, &allocator));
        for (uint32_t i = 0; i < ITEMS; i++) {
            keys[first + i] = i % DISTINCT;
            uint32_t expected = i < DISTINCT ? LL_MAP_NONE : first + i % DISTINCT;
            assert_int_equal(first_of(&map, ll_map_hash(keys[first + i]), first + i, keys), expected);
        }
        assert_int_equal(map.count, DISTINCT);
        assert_false(map.lost);
        ll_arena_free(&arena);
    }
}

static void test_a_map_grows(void **state)
{
    (void)state;
    enum { ITEMS = 1000 };
    uint64_t keys[ITEMS];
    ll_map map = {0};
    assert_int_equal(ll_map_find(&map, 0, is_same, NULL), LL_MAP_NONE);
    for (uint32_t i = 0; i < ITEMS; i++) {
        keys[i] = i * UINT64_C(0x100000001);
        assert_true(ll_map_room(&map, i, hash_of, keys, NULL));
        assert_int_equal(first_of(&map, ll_map_hash(keys[i]), i, keys), LL_MAP_NONE);
    }
    assert_int_equal(map.count, ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint64_t *sought[] = {keys, &keys[i]};
        assert_int_equal(ll_map_find(&map, ll_map_hash(keys[i]), is_same, sought), i);
    }
    ll_map_clear(&map);
    assert_int_equal(first_of(&map, ll_map_hash(0), 0, keys), LL_MAP_NONE);
    ll_map_free(&map, NULL);
    assert_null(map.slots);
}

static uint64_t hash_of_none(const void *owner, uint32_t item)
{
    (void)owner;
    (void)item;
    return 0;
}

static void test_a_map_bounds_the_work_on_items_that_collide(void **state)
{
    (void)state;
    enum { ITEMS = 400 };
    uint64_t keys[ITEMS];
    ll_map map = {0};
    for (uint32_t i = 0; i < ITEMS; i++) {
        keys[i] = i;
        assert_true(ll_map_room(&map, i, hash_of_none, NULL, NULL));
        assert_int_equal(first_of(&map, 0, i, keys), LL_MAP_NONE);
        assert_int_equal(map.lost, i >= LL_MAP_PROBES);
    }
    assert_int_equal(map.count, LL_MAP_PROBES);
    assert_int_equal(first_of(&map, 0, LL_MAP_PROBES - 1, keys), LL_MAP_PROBES - 1);
    assert_int_equal(first_of(&map, 0, LL_MAP_PROBES, keys), LL_MAP_NONE);
    ll_map_free(&map, NULL);
}

static void test_a_map_has_room_for_its_numbers(void **state)
{
    (void)state;
    ll_arena arena;
    ll_map map;
    ll_arena_init(&arena, NULL, 64 * 1024);
    ll_allocator allocator = ll_arena_allocator(&arena);
    static const struct {
        uint32_t items, numbers, mask;
    } rows[] = {{0, 0, 15}, {8, 8, 15}, {9, 9, 31}, {2, 511, 511}, {2, 512, 1023}}; /* all bits set: a free slot */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(ll_map_open(&map, rows[i].items, rows[i].numbers, &allocator));
        assert_int_equal(map.mask, rows[i].mask);
    }
    assert_false(ll_map_open(&map, 2, 64 * 1024, &allocator)); /* above the maximum */
    assert_false(ll_map_open(&map, 2, UINT32_MAX, &allocator));
    assert_false(ll_map_open(&map, UINT64_MAX, 2, &allocator));
    assert_false(ll_map_room(&map, UINT32_MAX - 1, hash_of, NULL, &allocator));
    ll_arena_free(&arena);
}

static void test_an_array_grows(void **state)
{
    (void)state;
    enum { ITEMS = 1000 };
    LL_ARRAY(uint32_t) numbers = {0};
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t *place = LL_ARRAY_ADD(&numbers, NULL);
        assert_non_null(place);
        *place = i;
    }
    assert_int_equal(numbers.count, ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_equal(numbers.items[i], i);
    }
    assert_false(LL_ARRAY_ROOM(&numbers, SIZE_MAX, NULL));
    assert_false(LL_ARRAY_ROOM(&numbers, SIZE_MAX / 2, NULL));
    assert_int_equal(numbers.count, ITEMS);
    LL_ARRAY_FREE(&numbers, NULL);
    assert_null(numbers.items);
    assert_int_equal(numbers.capacity, 0);
}

static void test_an_array_says_when_memory_runs_out(void **state)
{
    (void)state;
    ll_arena arena;
    ll_arena_init(&arena, NULL, 64 * 1024);
    ll_allocator allocator = ll_arena_allocator(&arena);
    LL_ARRAY(uint64_t) numbers = {0};
    uint32_t added = 0;
    while (LL_ARRAY_ADD(&numbers, &allocator)) {
        added++;
    }
    assert_int_equal(numbers.count, added);
    assert_true(added >= 1024 && added < 8192);
    LL_ARRAY_FREE(&numbers, &allocator);
    ll_arena_free(&arena);
}

static void test_nearest_names(void **state)
{
    (void)state;
    assert_int_equal(ll_edit_distance("outer_range", "outer_range"), 0);
    assert_int_equal(ll_edit_distance("outer_rnage", "outer_range"), 1); /* a swap of neighbours counts as one edit */
    assert_int_equal(ll_edit_distance("", "abc"), 3);
    assert_int_equal(ll_edit_distance("kitten", "sitting"), 3);
    static const char *const names[] = {"select", "severity", "GRX610", "GRX611", "mpsz-size", "off", NULL};
    static const struct {
        const char *typed, *meant;
    } rows[] = {
        {"slect", "select"},  {"sevrety", "severity"},
        {"sev", "severity"}, /* a prefix */
        {"SELECT", "select"}, {"GRX61", "GRX610"},
        {"GRX611", "GRX610"}, /* never the typed word itself */
        {"zzzzzz", NULL},     {"", NULL},
        {"s", NULL},          {"of", "off"},
        {"on", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *found = ll_nearest_of(rows[i].typed, names);
        if (!rows[i].meant) {
            assert_null(found);
        } else {
            assert_string_equal(found, rows[i].meant);
        }
    }
}

static unsigned wide_from_2e80(uint32_t character)
{
    return character == 0x301 ? 0 : character >= 0x2E80 ? 2 : 1;
}

static void check_fit(const char *line, size_t from, size_t indent, unsigned columns, const char *expected)
{
    const ll_terminal terminal = {.columns = columns, .columns_of = wide_from_2e80};
    ll_text text;
    ll_text_init(&text, NULL);
    ll_text_str(&text, "a line before\n");
    ll_text_str(&text, line);
    ll_fit(&text, sizeof "a line before" + from, indent, &terminal);
    assert_string_equal(ll_text_cstr(&text) + sizeof "a line before", expected);
    ll_text_free(&text);
}

static void test_lines_are_broken_where_they_end(void **state)
{
    (void)state;
    check_fit("", 0, 2, 40, "");
    check_fit("one two three", 0, 2, 0, "one two three");
    check_fit("a line of twenty-two..", 0, 2, 22, "a line of twenty-two..");
    check_fit("a line of twenty-two..", 0, 2, 21, "a line of\n  twenty-two..");
    check_fit("found:  a line of more than thirty columns", 8, 8, 30,
              "found:  a line of more than\n        thirty columns");
    check_fit("a name that is long, and more", 20, 2, 22,
              "a name that is long,\n  and more"); /* does not break the first part */
    check_fit("0123456789012345678901234567890123", 0, 1, 22, "0123456789012345678901\n 234567890123");
    check_fit("x 0123456789012345678901234", 0, 1, 22, "x\n 012345678901234567890\n 1234");
    check_fit("\xe7\x85\xa7\xe6\x98\x8e \xe7\x85\xa7\xe6\x98\x8e", 0, 0, 8,
              "\xe7\x85\xa7\xe6\x98\x8e\n\xe7\x85\xa7\xe6\x98\x8e");
    check_fit("e\xcc\x81\xcc\x81 e\xcc\x81", 0, 0, 3, "e\xcc\x81\xcc\x81 e\xcc\x81");
    check_fit("\x1b[1;31mred\x1b[0m and \x1b]8;;https://example.org/\x1b\\link\x1b]8;;\a", 0, 2, 12,
              "\x1b[1;31mred\x1b[0m and \x1b]8;;https://example.org/\x1b\\link\x1b]8;;\a");
    check_fit("  0123456789", 0, 0, 8, "  012345\n6789");
    check_fit("\xff\xff\xff word", 0, 0, 4, "\xff\xff\xff\nword"); /* a byte that is not UTF-8 takes one column */
    check_fit("a b c", 0, 30, 2, "a\n  b\n  c");                   /* no room at all */
}

static void test_lines_are_cut_where_they_end(void **state)
{
    (void)state;
    const struct {
        const char *text, *expected;
    } rows[] = {{"0123456789", "0123456789"},
                {"01234567890", "0123456..."},
                {"\x1b[1m0123456789\x1b[0m", "\x1b[1m0123456789\x1b[0m"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ll_text text;
        ll_text_init(&text, NULL);
        ll_text_str(&text, rows[i].text);
        ll_cut(&text, 0, &(ll_terminal){.columns = 10});
        assert_string_equal(ll_text_cstr(&text), rows[i].expected);
        ll_text_free(&text);
    }
}

int main(void)
{
    /* as host programs do; prop/locales.py runs these tests with other decimal points */
    (void)setlocale(LC_ALL, "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits_says_no_at_the_edges),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_lines_are_broken_where_they_end),
        cmocka_unit_test(test_lines_are_cut_where_they_end),
        cmocka_unit_test(test_sums_and_products_are_checked),
        cmocka_unit_test(test_both_byte_orders),
        cmocka_unit_test(test_zeros_up_to_an_end),
        cmocka_unit_test(test_md5_is_that_of_the_rfc),
        cmocka_unit_test(test_every_half_survives_the_way_to_double_and_back),
        cmocka_unit_test(test_halves_of_known_value),
        cmocka_unit_test(test_arena_keeps_its_ceiling),
        cmocka_unit_test(test_arena_gives_large_blocks_back),
        cmocka_unit_test(test_arena_blocks_are_apart_and_zeroed_on_demand),
        cmocka_unit_test(test_escaping_for_a_terminal),
        cmocka_unit_test(test_json_strings),
        cmocka_unit_test(test_floats_are_shortest_in_their_own_precision),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_globs),
        cmocka_unit_test(test_letters_match_in_any_case),
        cmocka_unit_test(test_sort_is_stable_for_every_length),
        cmocka_unit_test(test_a_map_finds_the_first_of_equal_items),
        cmocka_unit_test(test_a_map_bounds_the_work_on_items_that_collide),
        cmocka_unit_test(test_a_map_grows),
        cmocka_unit_test(test_a_map_has_room_for_its_numbers),
        cmocka_unit_test(test_an_array_grows),
        cmocka_unit_test(test_an_array_says_when_memory_runs_out),
        cmocka_unit_test(test_nearest_names),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
