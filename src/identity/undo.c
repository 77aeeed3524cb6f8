/* Undoes damage in transport. Each function restores the file that the damage would turn into the present one. If
 * several files are possible, they are numbered by `which`. */
#include "identity/damage.h"

#include "base/text.h"

#include <string.h>

typedef size_t undo_fn(const ll_damaged *file, uint32_t which, uint8_t *out);

static undo_fn undo_mark, undo_utf8, undo_utf16, undo_crlf, undo_lf, undo_words, undo_pairs, undo_doubled, undo_sectors,
    undo_padded, undo_joined;

static const struct {
    undo_fn *undo;
    const char *words;
    bool undone;
} rows[LL_DAMAGES] = {
#define LL_UNDO(slug, what, function) [LL_DAMAGE_##slug] = {(function), (what), true},
#define LL_SPLIT(slug, what, function) [LL_DAMAGE_##slug] = {(function), (what), false},
#define LL_LOSS(slug, what, function) [LL_DAMAGE_##slug] = {NULL, (what), false},
#include "identity/damages.def"
#undef LL_UNDO
#undef LL_SPLIT
#undef LL_LOSS
};

size_t ll_damage_undo(ll_damage damage, const ll_damaged *file, uint32_t which, uint8_t *out)
{
    return rows[damage].undo ? rows[damage].undo(file, which, out) : 0;
}

bool ll_damage_is_undone(ll_damage damage)
{
    return rows[damage].undone;
}

const char *ll_damage_words(ll_damage damage)
{
    return rows[damage].words;
}

/* ------------------------------------------------------------------ encodings */

/* Code points of the bytes 0x80 to 0x9F in code page 1252, which some editors assume; 0: the byte's own value. */
static const uint16_t letters_1252[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                          0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                          0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                          0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

/* The byte that was decoded to this letter; -1: none. */
static int byte_of(uint32_t letter)
{
    int byte = letter <= 0xFF ? (int)letter : -1;
    for (int i = 0; byte < 0 && i < 32; i++) {
        byte = letters_1252[i] == letter ? 0x80 + i : -1;
    }
    return byte;
}

static size_t undo_mark(const ll_damaged *file, uint32_t which, uint8_t *out)
{
    size_t mark = ll_bom_length(file->bytes, file->size);
    if (which || !mark) {
        return 0;
    }
    memcpy(out, file->bytes + mark, file->size - mark);
    return file->size - mark;
}

/* Every byte above 0x7F was decoded as a letter and written as two or three bytes, perhaps after a byte order mark. */
static size_t undo_utf8(const ll_damaged *file, uint32_t which, uint8_t *out)
{
    size_t n = 0, high = 0;
    for (size_t i = ll_bom_length(file->bytes, file->size); which == 0 && i < file->size; n++) {
        const uint8_t *p = file->bytes + i;
        size_t length = ll_utf8_length(p, file->size - i);
        uint32_t letter = length == 1   ? p[0]
                          : length == 2 ? (p[0] & 0x1FU) << 6 | (p[1] & 0x3FU)
                          : length == 3 ? (p[0] & 0x0FU) << 12 | (p[1] & 0x3FU) << 6 | (p[2] & 0x3FU)
                                        : UINT32_MAX;
        int byte = byte_of(letter);
        if (!length || byte < 0) {
            return 0;
        }
        out[n] = (uint8_t)byte;
        high += length > 1;
        i += length;
    }
    return high ? n : 0;
}

/* Every byte was decoded as a letter and written as a 16-bit unit, perhaps after a byte order mark. */
static size_t undo_utf16(const ll_damaged *file, uint32_t which, uint8_t *out)
{
    const uint8_t *p = file->bytes;
    bool marked = file->size >= 2 && ((p[0] == 0xFF && p[1] == 0xFE) || (p[0] == 0xFE && p[1] == 0xFF));
    bool big = marked ? p[0] == 0xFE : file->size && p[0] == 0;
    size_t n = 0;
    for (size_t i = marked ? 2 : 0; which == 0 && file->size % 2 == 0 && i < file->size; i += 2) {
        int byte = byte_of((uint32_t)p[i + (big ? 0 : 1)] << 8 | p[i + (big ? 1 : 0)]);
        if (byte < 0) {
            return 0;
        }
        out[n++] = (uint8_t)byte;
    }
    return n;
}

/* ------------------------------------------------------------------ line ends */

static size_t undo_crlf(const ll_damaged *file, uint32_t which, uint8_t *out)
{
    size_t n = 0, pairs = 0;
    for (size_t i = 0; which == 0 && i < file->size; i++) {
        bool feed = file->bytes[i] == '\n', pair = feed && i && file->bytes[i - 1] == '\r';
        if (feed && !pair) {
            return 0;
        }
        n -= pair; /* overwrites its CR */
        pairs += pair;
        out[n++] = file->bytes[i];
    }
    return pairs ? n : 0;
}

/* Position of line feed number `which`, sorted by distance from file->first; the size of the file: none. */
static size_t near_feed(const ll_damaged *file, uint32_t which)
{
    size_t left = file->first, right = file->first, found = file->size;
    for (uint32_t i = 0; i <= which; i++) {
        while (left && file->bytes[left - 1] != '\n') {
            left--;
        }
        while (right < file->size && file->bytes[right] != '\n') {
            right++;
        }
        if (left && (right == file->size || file->first - left < right - file->first)) {
            found = --left;
        } else {
            found = right;
            right += right < file->size;
        }
    }
    return found;
}

/* Number 0: all line feeds were CR LF; other numbers: a single one was. */
static size_t undo_lf(const ll_damaged *file, uint32_t which, uint8_t *out)
{
    enum { FEEDS_MAX = 8 };
    size_t n = 0, put = 0, feeds = 0, one = which ? near_feed(file, which - 1) : file->size;
    for (size_t i = 0; i < file->size; i++) {
        bool feed = file->bytes[i] == '\n';
        if (feed && i && file->bytes[i - 1] == '\r') {
            return 0;
        }
        feeds += feed;
        if (feed && (which == 0 || i == one)) {
            out[n++] = '\r';
            put++;
        }
        out[n++] = file->bytes[i];
    }
    return put && (which == 0 || feeds > 1) && which <= FEEDS_MAX ? n : 0;
}

/* ------------------------------------------------------------------ byte order and sectors */

static size_t reverse_units(const ll_damaged *file, size_t unit, uint8_t *out)
{
    for (size_t i = 0; i < file->size; i++) {
        size_t start = i - i % unit;
        bool whole = file->size - start >= unit;
        out[i] = file->bytes[whole ? start + unit - 1 - i % unit : i];
    }
    return file->size;
}

static size_t undo_words(const ll_damaged *file, uint32_t which, uint8_t *out)
{
    return which ? 0 : reverse_units(file, 4, out);
}

static size_t undo_pairs(const ll_damaged *file, uint32_t which, uint8_t *out)
{
    return which ? 0 : reverse_units(file, 2, out);
}

/* Chooses pair number `which` of `count` sectors: first the sector of the first finding or a neighbour with that of the
 * last finding or a neighbour, then the former with every other sector. */
static void choose_pair(uint32_t which, size_t count, size_t first, size_t last, size_t pair[2])
{
    enum { BESIDE = 3 }; /* the sector itself, the next, the previous */
    static const int beside[BESIDE] = {0, 1, -1};
    bool ends = which < BESIDE * BESIDE;
    size_t number = ends ? which : which - BESIDE * BESIDE;
    size_t turn = ends ? number / BESIDE : number / count;
    pair[0] = first + (size_t)beside[turn];
    pair[1] = ends ? last + (size_t)beside[number % BESIDE] : number % count;
}

static size_t undo_sectors(const ll_damaged *file, uint32_t which, uint8_t *out)
{
    static const size_t sizes[] = {512, 4096};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t sector = sizes[i], count = file->size / sector, choices = count > 1 ? 9 + 3 * count : 0, pair[2];
        if (which >= choices) {
            which -= (uint32_t)choices;
            continue;
        }
        choose_pair(which, count, file->first / sector, file->last / sector, pair);
        memcpy(out, file->bytes, file->size);
        if (pair[0] < count && pair[1] < count) { /* numbers below 0 wrap around to large ones */
            memcpy(out + pair[0] * sector, file->bytes + pair[1] * sector, sector);
            memcpy(out + pair[1] * sector, file->bytes + pair[0] * sector, sector);
        }
        return file->size;
    }
    return 0;
}

/* ------------------------------------------------------------------ surplus bytes */

static size_t undo_doubled(const ll_damaged *file, uint32_t which, uint8_t *out)
{
    size_t half = file->size / 2;
    bool filled = half && memcmp(file->bytes, file->bytes + 1, half - 1) == 0; /* all the same byte */
    if (which || filled || file->size % 2 || memcmp(file->bytes, file->bytes + half, half) != 0) {
        return 0;
    }
    memcpy(out, file->bytes, half);
    return half;
}

/* Only some of the zeros at the end belong to the file. */
static size_t undo_padded(const ll_damaged *file, uint32_t which, uint8_t *out)
{
    enum { ZEROS_MIN = 96, NEAR = 17, FAR = 32 }; /* proposals: no zeros, then more by 4 bytes, then more by 32 */
    size_t end = file->size;
    while (end && file->bytes[end - 1] == 0) {
        end--;
    }
    size_t size = which == 0     ? end
                  : which < NEAR ? (end + 3) / 4 * 4 + 4 * (size_t)(which - 1)
                                 : (end + 31) / 32 * 32 + 32 * ((size_t)which - NEAR + 2);
    if (file->size - end < ZEROS_MIN || which >= NEAR + FAR || size + ZEROS_MIN > file->size) {
        return 0;
    }
    memcpy(out, file->bytes, size);
    return size;
}

/* Another file begins at the first finding, at the last one, or where the first four bytes occur again. A cut at 0
 * gives one byte, as 0 would end the proposals. */
static size_t undo_joined(const ll_damaged *file, uint32_t which, uint8_t *out)
{
    enum { MAGIC = 4, WRONG = 2, TRIES_MAX = 8 };
    size_t size = which >= WRONG ? 0 : which ? file->last : file->first;
    for (uint32_t i = WRONG - 1; size != SIZE_MAX && i < which && which < TRIES_MAX; i++) {
        size = ll_find_bytes(file->bytes, file->size, size + 1, file->bytes, MAGIC);
    }
    size = size == SIZE_MAX ? 0 : size;
    memcpy(out, file->bytes, size ? size : which < WRONG);
    return size ? size : which < WRONG;
}
