/* LZO1X, the codec of Prime 2 and Prime 3 blocks; the only file that knows liblzo2. The safe decoder is a pure function
 * of its arguments: it keeps no state and takes no work memory. All that lzo_init() does is to compare the sizes of
 * types in header and library; nothing that the decoder needs is set up there, so it is not called, and nothing here
 * needs a lock. */
#include "formats/mrea/mrea.h"

#if defined LIGHTLINT_WITH_LZO && LIGHTLINT_WITH_LZO
#include <lzo/lzo1x.h>

static const char *reason(int result)
{
    switch (result) {
    case LZO_E_INPUT_OVERRUN:
    case LZO_E_EOF_NOT_FOUND:
        return "its LZO stream has no end";
    case LZO_E_OUTPUT_OVERRUN:
        return "its LZO stream gives too many bytes";
    case LZO_E_LOOKBEHIND_OVERRUN:
        return "its LZO stream copies from in front of its first byte";
    case LZO_E_INPUT_NOT_CONSUMED:
        return "bytes are left behind the end of its LZO stream";
    default:
        return "it is no LZO stream";
    }
}

const char *mrea_lzo_decode(const uint8_t *stream, uint32_t n, uint8_t *out, uint32_t want)
{
    lzo_uint made = want;
    int result = lzo1x_decompress_safe(stream, n, out, &made, NULL);
    if (result != LZO_E_OK) {
        return reason(result);
    }
    return made == want ? NULL : "its LZO stream gives too few bytes";
}

bool mrea_lzo_available(void)
{
    return true;
}
#else
const char *mrea_lzo_decode(const uint8_t *stream, uint32_t n, uint8_t *out, uint32_t want)
{
    (void)stream;
    (void)n;
    (void)out;
    (void)want;
    return "it cannot be decoded by this build";
}

bool mrea_lzo_available(void)
{
    return false;
}
#endif
