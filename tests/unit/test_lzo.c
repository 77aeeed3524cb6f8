/* base: LZO1X, tested with streams written by hand: each form of instruction, each form of a long length, and each
 * bound exceeded by one byte. */
#include "unit.h"

#include "base/lzo.h"

#include <stdlib.h>

#define END 0x11, 0, 0
#define NO_END "its LZO stream has no end"
#define TOO_MANY "its LZO stream gives too many bytes"
#define TOO_FAR "its LZO stream copies from in front of its first byte"
#define LEFT_OVER "bytes follow the end of its LZO stream"

/* Decodes into exactly `room` bytes. Both buffers are on the heap, so that sanitizers check each bound. */
static const char *decode(const uint8_t *in, size_t size, size_t room, uint8_t *out, size_t *made)
{
    uint8_t *stream = malloc(size + !size);
    uint8_t *buffer = malloc(room + !room);
    assert_non_null(stream);
    assert_non_null(buffer);
    memcpy(stream, in, size);
    *made = room;
    const char *wrong = ll_lzo_decode(stream, size, buffer, made);
    assert_true(*made <= room);
    memcpy(out, buffer, *made);
    free(stream);
    free(buffer);
    return wrong;
}

/* Expects the output of a stream. Less room is an error, and so is a shorter or longer stream. */
static void check(const uint8_t *in, size_t size, const uint8_t *expected, size_t n)
{
    uint8_t out[0x12000];
    uint8_t longer[0x800] = {0};
    size_t made = 0;
    assert_null(decode(in, size, n, out, &made));
    assert_int_equal(made, n);
    assert_memory_equal(out, expected, n);
    assert_null(decode(in, size, n + 64, out, &made)); /* with room for copies of larger blocks */
    assert_int_equal(made, n);
    assert_memory_equal(out, expected, n);
    if (n) {
        assert_string_equal(decode(in, size, n - 1, out, &made), TOO_MANY);
        assert_memory_equal(out, expected, made);
    }
    for (size_t cut = 0; cut < size; cut++) {
        assert_string_equal(decode(in, cut, n, out, &made), NO_END);
        assert_memory_equal(out, expected, made);
    }
    assert_true(size < sizeof longer);
    memcpy(longer, in, size);
    assert_string_equal(decode(longer, size + 1, n, out, &made), LEFT_OVER);
    assert_int_equal(made, n);
}

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__}), sizeof((const uint8_t[]){__VA_ARGS__})

static void test_a_stream_of_nothing(void **state)
{
    (void)state;
    check(BYTES(END), (const uint8_t *)"", 0);
}

static void test_literals_first(void **state)
{
    (void)state;
    check(BYTES(18, 'a', END), (const uint8_t *)"a", 1);
    check(BYTES(20, 'a', 'b', 'c', END), (const uint8_t *)"abc", 3);
    check(BYTES(21, 'a', 'b', 'c', 'd', END), (const uint8_t *)"abcd", 4);
    uint8_t stream[1 + 238 + 3] = {255};
    memset(stream + 1, 'x', 238);
    stream[239] = 0x11;
    check(stream, sizeof stream, stream + 1, 238);
}

/* `head`, then n literals, then the end. */
static void check_run(const uint8_t *head, size_t size, size_t n)
{
    uint8_t stream[0x400];
    memcpy(stream, head, size);
    for (size_t i = 0; i < n; i++) {
        stream[size + i] = (uint8_t)(i * 7);
    }
    memcpy(stream + size + n, (const uint8_t[]){END}, 3);
    check(stream, size + n + 3, stream + size, n);
}

static void test_literals_by_an_instruction(void **state)
{
    (void)state;
    check_run(BYTES(1), 4);
    check_run(BYTES(15), 18);
    check_run(BYTES(0, 1), 19);
    check_run(BYTES(0, 255), 273);
    check_run(BYTES(0, 0, 1), 274);
    check_run(BYTES(0, 0, 255), 528);
}

/* Writes `before` bytes that count up, an instruction that repeats some of them, and the end. */
static void check_repeat(size_t before, const uint8_t *instruction, size_t size, size_t back, size_t n)
{
    uint8_t *stream = malloc(before / 200 + before + 32);
    uint8_t *expected = malloc(before + n);
    assert_non_null(stream);
    assert_non_null(expected);
    size_t at = 0;
    stream[at++] = 0; /* before >= 273: 18, and 255 for each zero */
    size_t rest = before - 18;
    for (; rest > 255; rest -= 255) {
        stream[at++] = 0;
    }
    stream[at++] = (uint8_t)rest;
    for (size_t i = 0; i < before; i++) {
        expected[i] = stream[at++] = (uint8_t)(i + i / 251);
    }
    memcpy(stream + at, instruction, size);
    memcpy(stream + at + size, (const uint8_t[]){END}, 3);
    for (size_t i = before; i < before + n; i++) {
        expected[i] = expected[i - back];
    }
    uint8_t out[0x12000];
    for (size_t room = before + n; room <= before + n + 33; room++) {
        size_t made = 0;
        assert_null(decode(stream, at + size + 3, room, out, &made));
        assert_int_equal(made, before + n);
        assert_memory_equal(out, expected, made);
    }
    size_t made = 0;
    assert_string_equal(decode(stream, at + size + 3, before + n - 1, out, &made), TOO_MANY);
    assert_int_equal(made, before);
    for (size_t cut = at; cut < at + size + 3; cut++) {
        assert_string_equal(decode(stream, cut, before + n, out, &made), NO_END);
    }
    free(stream);
    free(expected);
}

static void test_each_way_to_repeat(void **state)
{
    (void)state;
    check_repeat(300, BYTES(0x40, 0), 1, 3);
    check_repeat(300, BYTES(0x5C, 0), 8, 3);
    check_repeat(300, BYTES(0x60, 1), 9, 4);
    check_repeat(2048, BYTES(0x80 | 0x1C, 255), 2048, 5);
    check_repeat(300, BYTES(0xFC, 1), 16, 8);
    check_repeat(300, BYTES(0x21, 0, 0), 1, 3);
    check_repeat(300, BYTES(0x3F, 0x3C, 0), 16, 33);
    check_repeat(300, BYTES(0x20, 1, 0x38, 0), 15, 34);
    check_repeat(16384, BYTES(0x20, 255, 0xFC, 0xFF), 16384, 288);
    check_repeat(300, BYTES(0x20, 0, 0, 3, 0x14, 0), 6, 546);
    check_repeat(16385, BYTES(0x11, 4, 0), 16385, 3);
    check_repeat(32768, BYTES(0x19, 0, 0), 32768, 3);
    check_repeat(49151, BYTES(0x1F, 0xFC, 0xFF), 49151, 9);
    check_repeat(20000, BYTES(0x10, 7, 8, 0), 16386, 16);
    check_repeat(20000, BYTES(0x10, 0, 1, 4, 0), 16385, 265);
    check_repeat(2049, BYTES(0, 0), 2049, 3); /* after a run */
    check_repeat(3072, BYTES(0x0C, 255), 3072, 3);
}

/* All distances at which a copy reads bytes that it has just written, with different amounts of room after it. */
static void test_repetition_of_what_it_makes(void **state)
{
    (void)state;
    for (unsigned back = 1; back <= 40; back++) {
        check_repeat(300, BYTES(0x20, 40, (uint8_t)((back - 1) << 2), (uint8_t)((back - 1) >> 6)), back, 73);
    }
}

static void test_literals_behind_a_repetition(void **state)
{
    (void)state;
    check(BYTES(22, 'a', 'b', 'c', 'd', 'e', 0x41, 0, 'x', END), (const uint8_t *)"abcdeeeex", 9);
    check(BYTES(22, 'a', 'b', 'c', 'd', 'e', 0x22, 3, 0, 'x', 'y', 'z', END), (const uint8_t *)"abcdeeeeexyz", 12);
    /* a two-byte match after few literals, which may be at the start */
    check(BYTES(19, 'a', 'b', 4, 0, END), (const uint8_t *)"abab", 4);
    check(BYTES(22, 'a', 'b', 'c', 'd', 'e', 0x42, 0, 'x', 'y', 0x08 | 1, 1, 'q', 0, 0, END),
          (const uint8_t *)"abcdeeeexydeqqq", 15);
    /* a run after a match without literals */
    check(BYTES(21, 'a', 'b', 'c', 'd', 0x40, 0, 1, '1', '2', '3', '4', END), (const uint8_t *)"abcdddd1234", 11);
}

static void check_refused(const uint8_t *in, size_t size, size_t room, const char *wrong, size_t made)
{
    uint8_t out[0x100];
    size_t came = 0;
    assert_string_equal(decode(in, size, room, out, &came), wrong);
    assert_int_equal(came, made);
}

static void test_each_bound_missed_by_one(void **state)
{
    (void)state;
    check_refused(BYTES(21, 'a', 'b', 'c', 'd', 0x50, 0, END), 64, TOO_FAR, 4); /* distance five after four bytes */
    check_refused(BYTES(21, 'a', 'b', 'c', 'd', 0x21, 0x10, 0, END), 64, TOO_FAR, 4);
    check_refused(BYTES(21, 'a', 'b', 'c', 'd', 0x11, 4, 0, END), 64, TOO_FAR, 4);
    check_refused(BYTES(21, 'a', 'b', 'c', 'd', 0, 0, END), 64, TOO_FAR, 4);
    check_refused(BYTES(18, 'a', 4, 0, END), 64, TOO_FAR, 1);
    check_refused(BYTES(16, 1, 4, 0, END), 64, TOO_FAR, 0);
    check_refused(BYTES(17, 4, 0, END), 64, TOO_FAR, 0);
    /* if two bounds are exceeded: the distance is reported before the room, the room before the end */
    check_refused(BYTES(21, 'a', 'b', 'c', 'd', 0x50, 0, END), 4, TOO_FAR, 4);
    check_refused(BYTES(22, 'a', 'b', 'c', 'd'), 4, TOO_MANY, 0);
    check_refused(BYTES(21, 'a', 'b', 'c', 'd', 0x43, 0, 'x', 'y', 'z', END), 9, TOO_MANY, 7);
    check_refused(BYTES(21, 'a', 'b', 'c', 'd', 0x43, 0, 'x', 'y', 'z', 0x11, 0), 10, NO_END, 7);
    check_refused(BYTES(21, 'a', 'b', 'c', 'd', END, 0), 4, LEFT_OVER, 4);
    check_refused(BYTES(21, 'a', 'b', 'c', 'd', END, END), 4, LEFT_OVER, 4);
    check_refused(BYTES(0, 0, 0, 0, 0, 0), 64, NO_END, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stream_of_nothing),         cmocka_unit_test(test_literals_first),
        cmocka_unit_test(test_literals_by_an_instruction),  cmocka_unit_test(test_each_way_to_repeat),
        cmocka_unit_test(test_repetition_of_what_it_makes), cmocka_unit_test(test_literals_behind_a_repetition),
        cmocka_unit_test(test_each_bound_missed_by_one),
    };
    return cmocka_run_group_tests_name("lzo", tests, NULL, NULL);
}
