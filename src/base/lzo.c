/* An LZO1X stream is a sequence of instructions that copy bytes of the stream ("literals") or repeat earlier output.
 * The format as Linux documents it (Documentation/staging/lzo.rst, bitstream version 0):
 *
 *   0000nnnn            after no literals: n + 3 literals, n = 0: 18 or more
 *   0000hhll low        after 1 to 3 literals: repeat 2 bytes from 1 + h + 4 low back
 *   0000hhll low        after 4 or more: repeat 3 bytes from 2049 + h + 4 low back
 *   0001hnnn low high   repeat n + 2 bytes, n = 0: 9 or more, from 16384 + 16384 h + d back; exactly 16384: the end
 *   001nnnnn low high   repeat n + 2 bytes, n = 0: 33 or more, from 1 + d back
 *   nnnhhhll low        repeat n + 1 bytes from 1 + h + 8 low back
 *
 * A length with n = 0 continues after the first byte: 255 for each zero byte, plus the next byte. `low high` is a
 * little-endian word: d, with the number of literals after the repetition in its lowest two bits, like ll. A stream
 * whose first byte is above 17 starts with that number of literals, minus 17. */
#include "base/lzo.h"

#include "base/endian.h"

#include <stdbool.h>
#include <string.h>

enum {
    END = 3,  /* bytes of the end instruction: at least as many follow every other one */
    WIDE = 16 /* bytes copied at a time if that many more may be read and written */
};

static const char no_end[] = "its LZO stream has no end";
static const char too_many[] = "its LZO stream gives too many bytes";
static const char too_far[] = "its LZO stream copies from in front of its first byte";
static const char left_over[] = "bytes follow the end of its LZO stream";

typedef struct stream {
    const uint8_t *in;
    const uint8_t *in_end;
    uint8_t *out;
    uint8_t *out_end;
} stream;

/* Reads the continuation of a length whose bits in the instruction are 0, and adds `least`. False: it does not end. */
static inline bool read_length(stream *s, uint64_t least, uint64_t *length)
{
    const uint8_t *p = s->in;
    while (p < s->in_end && *p == 0) {
        p++;
    }
    if (p == s->in_end) {
        return false;
    }
    *length = least + 255 * (uint64_t)(p - s->in) + *p;
    s->in = p + 1;
    return true;
}

/* Copies `step` bytes at a time, a constant for the compiler. Bytes beyond n are overwritten later. */
static inline void copy_steps(uint8_t *to, const uint8_t *from, size_t n, size_t step)
{
    for (size_t i = 0; i < n; i += step) {
        memcpy(to + i, from + i, step);
    }
}

/* Copies n literals. At least the end instruction must follow them. */
static inline const char *copy_literals(stream *s, uint64_t n)
{
    size_t room = (size_t)(s->out_end - s->out);
    size_t left = (size_t)(s->in_end - s->in);
    if (n > room) {
        return too_many;
    }
    if (left < END || n > left - END) {
        return no_end;
    }
    if (room - n >= WIDE && left - n >= WIDE) {
        copy_steps(s->out, s->in, (size_t)n, WIDE);
    } else {
        memcpy(s->out, s->in, (size_t)n);
    }
    s->in += n;
    s->out += n;
    return NULL;
}

/* Repeats n bytes of output from `back` bytes before its end; the source may overlap the new bytes. */
static inline void repeat(stream *s, size_t back, size_t n)
{
    size_t room = (size_t)(s->out_end - s->out) - n;
    if (back >= WIDE && room >= WIDE) {
        copy_steps(s->out, s->out - back, n, WIDE);
    } else if (back >= WIDE / 2 && room >= WIDE / 2) {
        copy_steps(s->out, s->out - back, n, WIDE / 2);
    } else {
        copy_steps(s->out, s->out - back, n, 1);
    }
    s->out += n;
}

static const char *decode(stream *s, const uint8_t *start)
{
    unsigned behind = 0; /* literals after the last repetition; 4: at least four, from an instruction of their own */
    const char *wrong = NULL;
    if (s->in_end > s->in && s->in[0] > 17) {
        unsigned literals = *s->in++ - 17U;
        behind = literals < 4 ? literals : 4;
        wrong = copy_literals(s, literals);
    }
    while (!wrong) {
        if (s->in_end - s->in < END) {
            return no_end;
        }
        unsigned first = *s->in++;
        uint64_t length = 0;
        size_t back = 1;
        if (first >= 64) {
            length = (first >> 5) + 1;
            back += (first >> 2 & 7) + 8U * *s->in++;
        } else if (first >= 16) {
            bool far = first < 32;
            length = (first & (far ? 7U : 31U)) + 2;
            if (length == 2 && (!read_length(s, far ? 9 : 33, &length) || s->in_end - s->in < 2)) {
                return no_end;
            }
            back = (ll_le16(s->in) >> 2) + (far ? 16384U + (first & 8) * 2048U : 1U);
            s->in += 2;
            if (far && back == 16384) {
                return s->in < s->in_end ? left_over : NULL;
            }
        } else if (behind) {
            length = behind < 4 ? 2 : 3;
            back += (behind < 4 ? 0 : 2048) + (first >> 2) + 4U * *s->in++;
        } else {
            length = first + 3;
            if (first == 0 && !read_length(s, 18, &length)) {
                return no_end;
            }
            behind = 4;
            wrong = copy_literals(s, length);
            continue;
        }
        if (back > (size_t)(s->out - start)) {
            return too_far;
        }
        if (length > (size_t)(s->out_end - s->out)) {
            return too_many;
        }
        behind = s->in[-2] & 3;
        repeat(s, back, (size_t)length);
        wrong = behind ? copy_literals(s, behind) : NULL;
    }
    return wrong;
}

const char *ll_lzo_decode(const uint8_t *in, size_t size, uint8_t *out, size_t *made)
{
    stream s = {in, in + size, out, out + *made};
    const char *wrong = decode(&s, out);
    *made = (size_t)(s.out - out);
    return wrong;
}
