/* LZO1X, the codec that packs data for fast unpacking. Only unpacking, and within bounds whatever the bytes are. */
#ifndef LL_BASE_LZO_H
#define LL_BASE_LZO_H

#include <stddef.h>
#include <stdint.h>

/* Unpacks a stream, all of whose `size` bytes it must take, into `out`. *made: how many bytes fit there; then how many
 * came out, what is behind them up to there being of no meaning. NULL when all is well, else what is wrong, in words
 * (static storage). */
const char *ll_lzo_decode(const uint8_t *in, size_t size, uint8_t *out, size_t *made);

#endif
