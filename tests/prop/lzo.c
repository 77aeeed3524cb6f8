/* usage: lzo [STREAMS]
 *
 * Packs random data with liblzo2, damages the streams at random, and decodes each as tests/fuzz/fuzz_lzo.c does:
 * status, size and bytes must equal those of liblzo2. */
#include "fuzz/fuzz.h"

#if LIGHTLINT_WITH_LZO
#include <lzo/lzo1x.h>

enum { STREAMS = 20000, DATA = 20000, PACKED = DATA + DATA / 16 + 67, CHANGED = PACKED + 8, OF_ONE = 40 };

static uint64_t state = 0x4C5A4F;

/* xorshift64: a number below n; any number if n is 0 */
static uint32_t random_below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint32_t value = (uint32_t)(state >> 20);
    return n ? (uint32_t)(value % n) : value;
}

/* Data of few or many different bytes, with near and far, short and long repetitions. */
static size_t make_data(uint8_t *data)
{
    size_t size = random_below(random_below(3) ? 600 : DATA);
    unsigned letters = 1 + random_below(random_below(2) ? 4 : 256);
    for (size_t at = 0; at < size;) {
        if (at && random_below(3) == 0) {
            size_t back = 1 + random_below(random_below(2) ? at : at < 20 ? at : 20);
            for (size_t n = 1 + random_below(random_below(20) ? 20 : 2000); n && at < size; n--, at++) {
                data[at] = data[at - back];
            }
        } else {
            data[at++] = (uint8_t)random_below(letters);
        }
    }
    return size;
}

/* A stream of one of the two packers, which use different instructions, or random bytes. */
static size_t make_stream(const uint8_t *data, size_t size, uint8_t *stream, uint8_t *work)
{
    lzo_uint n = 0;
    unsigned kind = random_below(64);
    if (kind < 40) {
        (void)lzo1x_1_compress(data, size, stream, &n, work);
    } else if (kind < 44) {
        (void)lzo1x_999_compress(data, size, stream, &n, work);
    } else {
        for (n = 0; n < random_below(40); n++) {
            stream[n] = (uint8_t)random_below(random_below(3) ? 256 : 40);
        }
        memcpy(stream + n, "\x11\0", 3);
        n += random_below(2) ? 3 : 0;
    }
    return n;
}

/* Changes a byte or a bit, cuts off the end, inserts or removes a byte. There is room for one more byte. */
static size_t change(uint8_t *stream, size_t n)
{
    size_t at = random_below(n);
    switch (random_below(5)) {
    case 0:
        stream[at] = (uint8_t)random_below(256);
        return n;
    case 1:
        stream[at] ^= (uint8_t)(1U << random_below(8));
        return n;
    case 2:
        return n - random_below(random_below(4) && n > 5 ? 5 : n);
    case 3:
        memmove(stream + at + 1, stream + at, n - at);
        stream[at] = (uint8_t)random_below(random_below(2) ? 1 : 256);
        return n + 1;
    default:
        memmove(stream + at, stream + at + 1, n - at - 1);
        return n - 1;
    }
}

int main(int count, char **arguments)
{
    static uint8_t data[DATA], packed[PACKED], work[LZO1X_999_MEM_COMPRESS], input[2 + CHANGED];
    unsigned long streams = count > 1 ? strtoul(arguments[1], NULL, 10) : STREAMS;
    size_t n = 0, room = 0;
    for (unsigned long i = 0; i < streams; i++) {
        unsigned long changes = 0;
        if (i % OF_ONE == 0) {
            size_t size = make_data(data);
            n = make_stream(data, size, packed, work);
            room = random_below(4)   ? size
                   : random_below(2) ? size + random_below(40)
                                     : size - random_below(size + 1) % 20;
        } else {
            changes = 1 + random_below(3);
        }
        input[0] = (uint8_t)(room >> 8);
        input[1] = (uint8_t)room;
        memcpy(input + 2, packed, n);
        size_t changed = n;
        while (changes-- && changed) {
            changed = change(input + 2, changed);
        }
        (void)LLVMFuzzerTestOneInput(input, 2 + changed);
    }
    printf("%lu streams\n", streams);
    return 0;
}
#else
int main(void)
{
    (void)puts("skipped: liblzo2 is not installed");
    return 77;
}
#endif
