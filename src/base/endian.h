/* Unaligned reads in both byte orders, by shifts, so that neither alignment nor host byte order matters; gcc and clang
 * compile each to one load. */
#ifndef LL_BASE_ENDIAN_H
#define LL_BASE_ENDIAN_H

#include <stdbool.h>
#include <stdint.h>

/* A tag of four letters as the word that a read in either byte order gives; constant expressions. */
#define LL_LETTERS_LE(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define LL_LETTERS_BE(a, b, c, d) LL_LETTERS_LE(d, c, b, a)

static inline uint16_t ll_le16(const uint8_t *p)
{
    return (uint16_t)((uint32_t)p[0] | (uint32_t)p[1] << 8);
}

static inline uint32_t ll_le24(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

static inline uint32_t ll_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t ll_le64(const uint8_t *p)
{
    return (uint64_t)ll_le32(p) | (uint64_t)ll_le32(p + 4) << 32;
}

static inline uint16_t ll_be16(const uint8_t *p)
{
    return (uint16_t)((uint32_t)p[1] | (uint32_t)p[0] << 8);
}

static inline uint32_t ll_be24(const uint8_t *p)
{
    return (uint32_t)p[2] | (uint32_t)p[1] << 8 | (uint32_t)p[0] << 16;
}

static inline uint32_t ll_be32(const uint8_t *p)
{
    return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static inline uint64_t ll_be64(const uint8_t *p)
{
    return (uint64_t)ll_be32(p + 4) | (uint64_t)ll_be32(p) << 32;
}

/* Are all bytes in [from, to) zero? False if `to` is before `from`. */
static inline bool ll_is_zero(const uint8_t *from, const uint8_t *to)
{
    while (to - from >= 8 && ll_le64(from) == 0) {
        from += 8;
    }
    while (from < to && *from == 0) {
        from++;
    }
    return from == to;
}

/* Narrows [*from, *to) to the range from the first to the last byte in which two blocks differ; empty if they are
 * equal. */
static inline void ll_trim_alike(const uint8_t *one, const uint8_t *other, uint32_t *from, uint32_t *to)
{
    while (*from < *to && one[*from] == other[*from]) {
        ++*from;
    }
    while (*from < *to && one[*to - 1] == other[*to - 1]) {
        --*to;
    }
}

/* Writes the low `bytes` bytes (1 to 8) of v to `out` in the given byte order. */
static inline void ll_put_uint(uint8_t *out, unsigned bytes, int big_endian, uint64_t v)
{
    for (unsigned i = 0; i < bytes; i++) {
        unsigned shift = 8U * (big_endian ? bytes - 1U - i : i);
        out[i] = (uint8_t)(v >> shift);
    }
}

/* Reverses n bytes. */
static inline void ll_reverse(uint8_t *bytes, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[n - 1 - i];
        bytes[n - 1 - i] = byte;
    }
}

#endif
