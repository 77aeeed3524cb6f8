/* MD5 as in RFC 1321: 64 steps over each block of 64 bytes. */
#include "base/md5.h"

#include "base/endian.h"

#include <string.h>

enum { BLOCK = 64, ROUND = 16 };

/* The integer part of 2^32 times abs(sin(i + 1)). */
static const uint32_t sines[BLOCK] = {
    0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 0xF57C0FAF, 0x4787C62A, 0xA8304613, 0xFD469501,
    0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE, 0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821,
    0xF61E2562, 0xC040B340, 0x265E5A51, 0xE9B6C7AA, 0xD62F105D, 0x02441453, 0xD8A1E681, 0xE7D3FBC8,
    0x21E1CDE6, 0xC33707D6, 0xF4D50D87, 0x455A14ED, 0xA9E3E905, 0xFCEFA3F8, 0x676F02D9, 0x8D2A4C8A,
    0xFFFA3942, 0x8771F681, 0x6D9D6122, 0xFDE5380C, 0xA4BEEA44, 0x4BDECFA9, 0xF6BB4B60, 0xBEBFBC70,
    0x289B7EC6, 0xEAA127FA, 0xD4EF3085, 0x04881D05, 0xD9D4D039, 0xE6DB99E5, 0x1FA27CF8, 0xC4AC5665,
    0xF4292244, 0x432AFF97, 0xAB9423A7, 0xFC93A039, 0x655B59C3, 0x8F0CCC92, 0xFFEFF47D, 0x85845DD1,
    0x6FA87E4F, 0xFE2CE6E0, 0xA3014314, 0x4E0811A1, 0xF7537E82, 0xBD3AF235, 0x2AD7D2BB, 0xEB86D391,
};
/* By round: rotation of each step, and the word for step i: first + step * i. */
static const uint8_t turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
static const uint8_t words[4][2] = {{0, 1}, {1, 5}, {5, 3}, {0, 7}};

static uint32_t mix(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
    switch (round) {
    case 0:
        return (b & c) | (~b & d);
    case 1:
        return (b & d) | (c & ~d);
    case 2:
        return b ^ c ^ d;
    default:
        return c ^ (b | ~d);
    }
}

static void add_block(uint32_t state[4], const uint8_t *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (unsigned i = 0; i < BLOCK; i++) {
        unsigned round = i / ROUND, word = (words[round][0] + words[round][1] * i) % ROUND, turn = turns[round][i % 4];
        uint32_t sum = a + mix(round, b, c, d) + ll_le32(block + 4 * (size_t)word) + sines[i];
        a = d;
        d = c;
        c = b;
        b += sum << turn | sum >> (32 - turn);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void ll_md5(const void *bytes, size_t size, uint8_t out[LL_MD5_SIZE])
{
    uint32_t state[4] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
    const uint8_t *p = bytes;
    size_t left = size;
    for (; left >= BLOCK; p += BLOCK, left -= BLOCK) {
        add_block(state, p);
    }
    uint8_t last[2 * BLOCK] = {0};
    if (left) {
        memcpy(last, p, left);
    }
    last[left] = 0x80;
    size_t end = left + 1 + 8 <= BLOCK ? BLOCK : sizeof last;
    ll_put_uint(last + end - 8, 8, 0, (uint64_t)size * 8);
    for (size_t at = 0; at < end; at += BLOCK) {
        add_block(state, last + at);
    }
    for (unsigned i = 0; i < 4; i++) {
        ll_put_uint(out + 4 * (size_t)i, 4, 0, state[i]);
    }
}
