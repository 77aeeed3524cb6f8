/* StrCode64, the name hash of the Fox Engine: CityHash64 1.0.3 over the name and its NUL, mixed with a seed and cut to
 * the low 48 bits. CityHash64 1.1 changed every branch up to 64 bytes and gives other hashes. Words are little-endian.
 * Formulas and test vectors: docs/formats/grx.md, "StrCode64". */
#include "formats/strcode.h"

#include "base/endian.h"

#include <string.h>

static const uint64_t K0 = UINT64_C(0xC3A5C85C97CB3127);
static const uint64_t K1 = UINT64_C(0xB492B66FBE98F273);
static const uint64_t K2 = UINT64_C(0x9AE16A3B2F90404F);
static const uint64_t K3 = UINT64_C(0xC949D7C7509E6557);
static const uint64_t M = UINT64_C(0x9DDFEA08EB382D69);

typedef struct pair {
    uint64_t first, second;
} pair;

static uint64_t rotate(uint64_t x, unsigned n)
{
    return n ? x >> n | x << (64 - n) : x;
}

static uint64_t shift_mix(uint64_t x)
{
    return x ^ (x >> 47);
}

static uint64_t hash16(uint64_t u, uint64_t v)
{
    uint64_t p = shift_mix((u ^ v) * M);
    return shift_mix((v ^ p) * M) * M;
}

/* last, here and in the branches up to 64 bytes: the last 8 of the n bytes as a word, used if n > 8. Then s[n - 1]
 * itself is not read, so that the NUL after a name need not be in memory. */
static uint64_t up_to_16(const uint8_t *s, size_t n, uint64_t last)
{
    if (n > 8) {
        return hash16(ll_le64(s), rotate(last + n, (unsigned)n)) ^ last;
    }
    if (n >= 4) {
        return hash16(n + 8 * (uint64_t)ll_le32(s), ll_le32(s + n - 4));
    }
    if (n > 0) {
        uint32_t y = s[0] + 256U * s[n / 2];
        uint32_t z = (uint32_t)n + 4U * s[n - 1];
        return shift_mix(y * K2 ^ z * K3) * K2;
    }
    return K2;
}

static uint64_t up_to_32(const uint8_t *s, size_t n, uint64_t last)
{
    uint64_t a = ll_le64(s) * K1;
    uint64_t b = ll_le64(s + 8);
    uint64_t c = last * K2;
    uint64_t d = ll_le64(s + n - 16) * K0;
    return hash16(rotate(a - b, 43) + rotate(c, 30) + d, a + rotate(b ^ K3, 20) - c + n);
}

/* One half of the branch from 33 to 64 bytes: hashes 32 bytes at s. The caller has added the word at s to a, and passes
 * the word at s + 24 as z. */
static pair half_of_64(const uint8_t *s, uint64_t a, uint64_t z)
{
    uint64_t b = rotate(a + z, 52);
    uint64_t c = rotate(a, 37);
    a += ll_le64(s + 8);
    c += rotate(a, 7);
    a += ll_le64(s + 16);
    return (pair){a + z, b + rotate(a, 31) + c};
}

static uint64_t up_to_64(const uint8_t *s, size_t n, uint64_t last)
{
    pair v = half_of_64(s, ll_le64(s) + (n + ll_le64(s + n - 16)) * K0, ll_le64(s + 24));
    pair w = half_of_64(s + n - 32, ll_le64(s + 16) + ll_le64(s + n - 32), last);
    uint64_t r = shift_mix((v.first + w.second) * K2 + (w.first + v.second) * K0);
    return shift_mix(r * K0 + v.second) * K2;
}

static pair weak_hash(const uint8_t *s, uint64_t a, uint64_t b)
{
    uint64_t z = ll_le64(s + 24);
    a += ll_le64(s);
    b = rotate(b + a + z, 21);
    uint64_t c = a;
    a += ll_le64(s + 8);
    a += ll_le64(s + 16);
    b += rotate(a, 44);
    return (pair){a + z, b + c};
}

/* The branch above 64 bytes. tail: the last 64 of the n bytes, here or in a copy; s[n - 1] itself is not read. */
static uint64_t long_hash(const uint8_t *s, const uint8_t *tail, size_t n)
{
    uint64_t x = ll_le64(tail + 24);
    uint64_t y = ll_le64(tail + 48) + ll_le64(tail + 8);
    uint64_t z = hash16(ll_le64(tail + 16) + n, ll_le64(tail + 40));
    pair v = weak_hash(tail, n, z);
    pair w = weak_hash(tail + 32, y + K1, x);
    x = x * K1 + ll_le64(s);
    for (size_t left = (n - 1) / 64; left > 0; left--, s += 64) {
        x = rotate(x + y + v.first + ll_le64(s + 8), 37) * K1;
        y = rotate(y + v.second + ll_le64(s + 48), 42) * K1;
        x ^= w.second;
        y += v.first + ll_le64(s + 40);
        z = rotate(z + w.first, 33) * K1;
        v = weak_hash(s, v.second * K1, x + w.first);
        w = weak_hash(s + 32, z + w.second, y + ll_le64(s + 16));
        uint64_t swap = x;
        x = z;
        z = swap;
    }
    return hash16(hash16(v.first, w.first) + shift_mix(y) * K1 + z, hash16(v.second, w.second) + x);
}

static uint64_t short_hash(const uint8_t *s, size_t n, uint64_t last)
{
    return n <= 16 ? up_to_16(s, n, last) : n <= 32 ? up_to_32(s, n, last) : up_to_64(s, n, last);
}

uint64_t ll_city64(const uint8_t *bytes, size_t n)
{
    return n <= 64 ? short_hash(bytes, n, n > 8 ? ll_le64(bytes + n - 8) : 0) : long_hash(bytes, bytes + n - 64, n);
}

/* Mixes CityHash64 of a name and its NUL with the seed. n: length without the NUL. */
static uint64_t seeded(uint64_t city, const uint8_t *name, size_t n)
{
    uint64_t seed = n ? ((uint64_t)name[0] << 16) + n : 0;
    return hash16(city - K2, seed) & UINT64_C(0x0000FFFFFFFFFFFF);
}

uint64_t ll_strcode64(const uint8_t *name, size_t n)
{
    return seeded(ll_city64(name, n + 1), name, n);
}

uint64_t ll_strcode64_unended(const uint8_t *name, size_t n)
{
    uint8_t tail[64];
    size_t length = n < 63 ? n : 63;
    if (n >= 8 && n < 64) {
        return seeded(short_hash(name, n + 1, ll_le64(name + n - 8) >> 8), name, n);
    }
    if (n > 0) {
        memcpy(tail, name + n - length, length);
    }
    tail[length] = '\0';
    return seeded(n < 64 ? ll_city64(tail, n + 1) : long_hash(name, tail, n + 1), name, n);
}
