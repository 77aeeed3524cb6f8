/* The codec of areas: the stream of a compressed block is segments, one after the other, each compressed by itself.
 * All of them are unpacked to verify them; the bytes of a stream stay available until the next one is read. */
#include "formats/mrea/mrea_codec.h"

#include "base/lzo.h"
#include "model/reader.h"

#include <string.h>

enum {
    SEGMENT = 0x4000, /* bytes that a segment decompresses to; the last one to what remains */
    LEAST_SEGMENT = mrea_segment_SIZE + 1,
    STORED_FLAG = 0x8000 /* set in the size of a segment that is stored uncompressed: the size is negative */
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint64_t segments_of(uint32_t size)
{
    return ((uint64_t)size + SEGMENT - 1) / SEGMENT;
}

/* What the size field of a segment states. */
typedef struct frame {
    uint32_t length; /* bytes that follow */
    bool stored;     /* uncompressed */
    bool possible;
} frame;

/* Reads the size field of the segment at `at`. Returns what is wrong with the size itself; NULL: nothing. */
static const char *read_frame(const ll_doc *doc, uint32_t at, uint32_t end, uint32_t expected, frame *out)
{
    uint32_t size = ll_be16(doc->bytes + at);
    out->stored = (size & STORED_FLAG) != 0;
    out->length = out->stored ? 2U * STORED_FLAG - size : size;
    if (size == 0 || size == STORED_FLAG) {
        return "its size says nothing";
    }
    if (out->length > end - at - mrea_segment_SIZE) {
        return "it reaches beyond its block";
    }
    return out->stored && out->length != expected ? "it is stored as it is, but with another length" : NULL;
}

/* Allocates room for the unpacked bytes of a stream or, if they are more than `most`, for one segment. False: no
 * memory. */
static bool have_room(ll_unpacker *u, uint32_t size, uint32_t most)
{
    const uint32_t need = size <= most && size > SEGMENT ? size : SEGMENT,
                   more = least(2 * u->room, ll_most_unpacked(UINT32_MAX));
    if (u->kept || u->room < need) {
        u->room = more > need && !u->kept ? more : need; /* it seldom grows */
        u->bytes = ll_doc_alloc(u->doc, u->room, 1);
        u->kept = false;
    }
    return u->bytes != NULL;
}

/* Unpacks the data of a compressed segment into `out`. Returns what is wrong with it; NULL: no fault was found. */
static const char *decode(ll_unpacker *u, uint32_t at, uint32_t length, uint32_t expected, uint8_t *out)
{
    const uint8_t *data = u->doc->bytes + at;
    bool zlib = u->method == MREA_ZLIB;
    size_t made = expected;
    const char *wrong = zlib ? mrea_inflate(u, data, length, out, &made) : ll_lzo_decode(data, length, out, &made);
    u->doc->unpacked += made;
    bool few = !wrong && made < expected && u->doc->status == LL_OK;
    return !few ? wrong : zlib ? "its zlib stream gives too few bytes" : "its LZO stream gives too few bytes";
}

/* Unpacks segment `number` of a stream. At least the size field and a byte must be there. Returns what is wrong with
 * it; NULL: nothing. */
static const char *unpack(ll_unpacker *u, const ll_stream *s, uint32_t number, uint32_t at, frame *f)
{
    const uint32_t from = number * SEGMENT, expected = least(s->size - from, SEGMENT);
    uint8_t *out = u->bytes + (s->size <= u->room ? from : 0);
    const char *wrong = read_frame(u->doc, at, s->end, expected, f);
    f->possible = !wrong;
    if (wrong) {
        return wrong;
    }
    if (f->stored) {
        memcpy(out, u->doc->bytes + at + mrea_segment_SIZE, expected);
        return NULL;
    }
    return decode(u, at + mrea_segment_SIZE, f->length, expected, out);
}

static bool unpack_stream(ll_unpacker *u, const ll_stream *stream)
{
    uint32_t at = stream->start;
    bool good = have_room(u, stream->size, UINT32_MAX);
    for (uint32_t i = 0; i < segments_of(stream->size) && good; i++) {
        frame f;
        good = stream->end - at >= LEAST_SEGMENT && !unpack(u, stream, i, at, &f);
        at += good ? mrea_segment_SIZE + f.length : 0;
    }
    return good;
}

/* ------------------------------------------------------------------ the segments of a block */

/* Reports a compressed segment that is not smaller than its contents: writers store such blocks and segments
 * uncompressed. Not in a block that is not smaller itself, nor for zlib streams, of which no source says so. */
static void judge_worth(const ll_unpacker *u, const ll_stream *s, uint32_t span, const frame *f, uint32_t expected)
{
    bool block = ll_align_up(s->end - s->start, MREA_ALIGNMENT) < s->size;
    if (block && !f->stored && f->length >= expected && u->method != MREA_ZLIB) {
        LL_RAISE(u->doc, MREA_FAULT_BLOCK_NOT_WORTH_IT, MREA_HINT_NONE,
                 ll_at_field(u->doc, span, 0, mrea_segment_stored_size), ll_uint(f->length), ll_uint(expected));
    }
}

/* The sizes of segments for `left` bytes lead from `at` exactly to the end of the stream. */
static bool do_segments_lead(const ll_stream *s, const ll_doc *doc, uint32_t at, uint32_t left)
{
    while (left && s->end - at >= LEAST_SEGMENT) {
        const uint32_t expected = least(left, SEGMENT);
        frame f;
        if (read_frame(doc, at, s->end, expected, &f)) {
            return false;
        }
        at += mrea_segment_SIZE + f.length;
        left -= expected;
    }
    return !left && at == s->end;
}

/* The stream begins at the first byte that is not 0, or one byte earlier: the size of a short segment begins with a
 * 0. */
static uint32_t find_stream(const ll_doc *doc, uint64_t at, uint64_t extent, uint32_t size)
{
    uint32_t lead = 0, found = 0;
    if (!ll_fits(at, extent, doc->size)) {
        return 0;
    }
    while (lead < MREA_ALIGNMENT && lead < extent && doc->bytes[at + lead] == 0) {
        lead++;
    }
    const ll_stream s = {.end = (uint32_t)(at + extent)};
    for (uint32_t back = 0; back <= 1 && back <= lead && !found; back++) {
        const uint32_t start = (uint32_t)at + lead - back;
        found = do_segments_lead(&s, doc, start, size) ? s.end - start : 0;
    }
    return found;
}

/* Another size for a wrong segment, with which it can be unpacked and the following segments lead to the end of the
 * stream; 0: none. */
static uint32_t find_size(ll_unpacker *u, const ll_stream *s, uint32_t data, uint32_t stated, uint32_t left)
{
    const uint32_t expected = least(left, SEGMENT), most = least(s->end - data, STORED_FLAG - 1);
    uint32_t n = left == expected ? most : 1;
    while (n <= most && (n == stated || !do_segments_lead(s, u->doc, data + n, left - expected) ||
                         (n != expected && decode(u, data, n, expected, u->bytes)))) {
        n++;
    }
    return n > most ? 0 : n == expected ? 2U * STORED_FLAG - n : n;
}

/* Claims and unpacks one segment. At least the size field and a byte must be there. Returns where it ends; *good: the
 * next one begins there. */
static uint32_t read_segment(ll_unpacker *u, uint32_t block, const ll_stream *s, uint32_t number, uint32_t at,
                             bool *good)
{
    ll_doc *doc = u->doc;
    const uint32_t left = s->size - number * SEGMENT, expected = least(left, SEGMENT);
    const uint32_t data = at + mrea_segment_SIZE;
    frame f;
    const char *wrong = unpack(u, s, number, at, &f);
    const uint32_t length = f.possible ? f.length : 0;
    const uint32_t span = ll_claim_record(doc, block, mrea_segment_LAYOUT, at, data + length, number);
    const uint32_t bytes = ll_claim_bytes(doc, span, mrea_segment_data_LAYOUT, data, data + length);
    *good = doc->status == LL_OK && !wrong;
    if (!wrong) {
        judge_worth(u, s, span, &f, expected);
    } else if (doc->status == LL_OK) {
        const bool zlib = u->method != MREA_ZLIB && mrea_is_zlib(doc->bytes + data, length);
        const ll_where size = ll_at_field(doc, span, 0, mrea_segment_stored_size);
        const uint32_t other = find_size(u, s, data, f.length, left);
        LL_RAISE_RELATED(u->doc, MREA_FAULT_SEGMENT_BAD, zlib ? MREA_HINT_ZLIB_STREAM : MREA_HINT_NONE,
                         f.possible ? ll_at_bytes(bytes, data, length) : size, other ? size : ll_nowhere(),
                         ll_word(wrong), ll_uint(f.length), ll_uint(expected));
        if (other) {
            ll_suggest(doc, size, other);
        }
    }
    return data + length;
}

static uint32_t read_stream(ll_unpacker *u, uint32_t block, const ll_stream *stream, bool *good)
{
    uint32_t at = stream->start;
    const uint64_t count = segments_of(stream->size);
    const uint32_t bytes = stream->end - stream->start, extent = (uint32_t)ll_align_up(bytes, MREA_ALIGNMENT);
    *good = have_room(u, count <= bytes / LEAST_SEGMENT ? stream->size : 0, ll_most_unpacked(extent));
    for (uint32_t i = 0; i < count && *good && u->doc->status == LL_OK; i++) {
        const uint32_t left = stream->end - at;
        if (left < LEAST_SEGMENT) {
            LL_RAISE_RELATED(u->doc, MREA_FAULT_SEGMENT_BAD, MREA_HINT_NONE, ll_at_bytes(block, at, left), ll_nowhere(),
                             ll_word("the stream ends in front of it"), ll_uint(left),
                             ll_uint(least(stream->size - i * SEGMENT, SEGMENT)));
            *good = false;
        } else {
            at = read_segment(u, block, stream, i, at, good);
        }
    }
    if (*good && at == stream->end && extent >= stream->size && u->method != MREA_ZLIB) {
        LL_RAISE(u->doc, MREA_FAULT_BLOCK_NOT_WORTH_IT, MREA_HINT_NONE, stream->length_at, ll_uint(bytes),
                 ll_uint(stream->size));
    }
    return at;
}

const ll_codec mrea_codec = {.read = read_stream, .find = find_stream, .unpack = unpack_stream};
