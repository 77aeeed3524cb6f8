/* What the files of the codec share: streams of areas are segments, each compressed by itself. */
#ifndef LL_FORMATS_MREA_CODEC_H
#define LL_FORMATS_MREA_CODEC_H

#include "formats/mrea/mrea.h"

/* mrea_zlib.c */
/* The bytes begin like a zlib stream (RFC 1950). */
bool mrea_is_zlib(const uint8_t *bytes, size_t size);
/* Unpacks a zlib stream of exactly `size` bytes into `out` and verifies its checksum. *made: room in `out` before,
 * bytes written after the call. Returns NULL if all is well or memory runs out (see doc->status); else what is wrong,
 * in words in static storage. */
const char *mrea_inflate(ll_unpacker *u, const uint8_t *in, size_t size, uint8_t *out, size_t *made);

#endif
