/* Unpacks the segments of Donkey Kong Country Returns, which are zlib streams. The memory of zlib comes from the
 * document and lives as long, so one inflater serves all segments. */
#define ZLIB_CONST
#include "formats/mrea/mrea_codec.h"

#include "base/endian.h"

#include <string.h>
#include <zlib.h>

enum { METHOD = 8, METHOD_MASK = 15, WINDOW_MAX = 0x7F, DICTIONARY = 0x20, CHECK = 31 };

static voidpf take_memory(voidpf doc, uInt count, uInt size)
{
    return ll_doc_alloc(doc, count, size);
}

static void leave_memory(voidpf doc, voidpf memory)
{
    (void)doc;
    (void)memory;
}

bool mrea_is_zlib(const uint8_t *bytes, size_t size)
{
    return size >= 2 && (bytes[0] & METHOD_MASK) == METHOD && bytes[0] <= WINDOW_MAX && !(bytes[1] & DICTIONARY) &&
           ll_be16(bytes) % CHECK == 0;
}

/* The inflater, reset; NULL: no memory. */
static z_stream *have_inflater(ll_unpacker *u)
{
    z_stream *z = u->state;
    if (z) {
        return inflateReset(z) == Z_OK ? z : NULL;
    }
    z = ll_doc_zalloc(u->doc, 1, sizeof *z);
    if (z) {
        *z = (z_stream){.zalloc = take_memory, .zfree = leave_memory, .opaque = u->doc};
        u->state = inflateInit(z) == Z_OK ? z : NULL;
        u->doc->status = u->state ? u->doc->status : LL_E_MEMORY;
    }
    return u->state;
}

const char *mrea_inflate(ll_unpacker *u, const uint8_t *in, size_t size, uint8_t *out, size_t *made)
{
    size_t room = *made;
    *made = 0;
    if (!mrea_is_zlib(in, size)) {
        return "it does not start like a zlib stream";
    }
    z_stream *z = have_inflater(u);
    if (!z) {
        return NULL;
    }
    z->next_in = in;
    z->avail_in = (uInt)size; /* a segment's size has 15 bits */
    z->next_out = out;
    z->avail_out = (uInt)room;
    int end = inflate(z, Z_FINISH);
    *made = room - z->avail_out;
    if (end == Z_STREAM_END) {
        return z->avail_in ? "bytes follow the end of its zlib stream" : NULL;
    }
    if (end == Z_MEM_ERROR) {
        u->doc->status = LL_E_MEMORY;
        return NULL;
    }
    if (end == Z_BUF_ERROR) {
        return z->avail_in ? "its zlib stream gives too many bytes" : "its zlib stream has no end";
    }
    bool checksum = z->msg && strcmp(z->msg, "incorrect data check") == 0;
    return checksum ? "what its zlib stream gives does not have the checksum at its end (Adler-32)"
                    : "its zlib stream is no data of that method (deflate)";
}
