/* Decoder of LZO1X, a codec for fast decompression. It stays within bounds for any input. */
#ifndef LL_BASE_LZO_H
#define LL_BASE_LZO_H

#include <stddef.h>
#include <stdint.h>

/* Decodes a stream of exactly `size` bytes to `out`. *made: room in `out`, then the number of bytes decoded; bytes
 * beyond them, up to the room, are undefined. Returns NULL, or what is wrong (static storage). */
const char *ll_lzo_decode(const uint8_t *in, size_t size, uint8_t *out, size_t *made);

#endif
