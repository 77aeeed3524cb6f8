/* Decodes an LZO1X stream of arbitrary bytes; the first two bytes are the room for its output. The output depends
 * only on the stream and the room. If liblzo2 is installed, its result must be the same. */
#include "fuzz.h"

#include "base/lzo.h"

#if LIGHTLINT_WITH_LZO
#include <lzo/lzo1x.h>

static const char *words_of(int result)
{
    switch (result) {
    case LZO_E_OK:
        return "";
    case LZO_E_INPUT_OVERRUN:
        return "its LZO stream has no end";
    case LZO_E_OUTPUT_OVERRUN:
        return "its LZO stream gives too many bytes";
    case LZO_E_LOOKBEHIND_OVERRUN:
        return "its LZO stream copies from in front of its first byte";
    case LZO_E_INPUT_NOT_CONSUMED:
        return "bytes follow the end of its LZO stream";
    default:
        return "a result that is unknown";
    }
}

static void compare(const uint8_t *stream, size_t size, size_t room, const char *wrong, const uint8_t *out, size_t made)
{
    lzo_uint n = room;
    uint8_t *other = malloc(room + 1);
    FUZZ_CHECK(other, "memory");
    const char *words = words_of(lzo1x_decompress_safe(stream, size, other, &n, NULL));
    FUZZ_CHECK(strcmp(wrong ? wrong : "", words) == 0, "'%s', liblzo2 says '%s'", wrong ? wrong : "", words);
    FUZZ_CHECK(made == n && memcmp(out, other, made) == 0, "%zu bytes, of liblzo2 %zu", made, (size_t)n);
    free(other);
}
#else
static void compare(const uint8_t *stream, size_t size, size_t room, const char *wrong, const uint8_t *out, size_t made)
{
    (void)stream, (void)size, (void)room, (void)wrong, (void)out, (void)made;
}
#endif

/* Decodes into a block of exactly *room bytes. */
static uint8_t *decode(const uint8_t *stream, size_t size, size_t *room, const char **wrong)
{
    uint8_t *out = malloc(*room + !*room);
    FUZZ_CHECK(out, "memory");
    *wrong = ll_lzo_decode(stream, size, out, room);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    size_t room = (size_t)data[0] << 8 | data[1];
    size_t made = room, again = 0;
    const char *wrong = NULL, *exact = NULL;
    uint8_t *stream = malloc(size - 2 + !(size - 2));
    FUZZ_CHECK(stream, "memory");
    memcpy(stream, data + 2, size - 2);
    uint8_t *out = decode(stream, size - 2, &made, &wrong);
    FUZZ_CHECK(made <= room, "%zu bytes where there is room for %zu", made, room);
    compare(stream, size - 2, room, wrong, out, made);
    again = made;
    uint8_t *other = decode(stream, size - 2, &again, &exact);
    FUZZ_CHECK(again == made && memcmp(out, other, made) == 0, "%zu bytes, then %zu", made, again);
    FUZZ_CHECK(wrong || !exact, "'%s' where the room is what it takes", exact);
    free(other);
    free(out);
    free(stream);
    return 0;
}
