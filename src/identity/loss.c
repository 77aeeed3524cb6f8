/* Recognises damage that destroyed bytes, by what it left behind. */
#include "identity/damage.h"

#include "base/text.h"

#include <string.h>

typedef bool loss_fn(const ll_damaged *file, uint32_t which, ll_lost *out);

static loss_fn lost_replaced, lost_high, lost_tail, lost_hole;

bool ll_damage_lost(ll_damage damage, const ll_damaged *file, uint32_t which, ll_lost *out)
{
    static loss_fn *const rows[LL_DAMAGES] = {
#define LL_UNDO(slug, what, function)
#define LL_SPLIT(slug, what, function)
#define LL_LOSS(slug, what, function) [LL_DAMAGE_##slug] = (function),
#include "identity/damages.def"
#undef LL_UNDO
#undef LL_SPLIT
#undef LL_LOSS
    };
    return rows[damage] && rows[damage](file, which, out);
}

/* ------------------------------------------------------------------ letters */

/* The file is valid UTF-8 with replacement characters. A file of ours with many bytes above 127 is not valid UTF-8. */
static bool lost_replaced(const ll_damaged *file, uint32_t which, ll_lost *out)
{
    uint64_t marks = 0;
    size_t first = 0;
    for (size_t i = 0; which == 0 && i < file->size;) {
        size_t length = ll_utf8_length(file->bytes + i, file->size - i);
        if (!length) {
            return false;
        }
        if (length == 3 && memcmp(file->bytes + i, "\xEF\xBF\xBD", 3) == 0) {
            first = marks++ ? first : i;
        }
        i += length;
    }
    *out = (ll_lost){first, file->size, marks, 0, false};
    return marks > 0;
}

/* No byte is above 127, although there are enough binary bytes that some should be. */
static bool lost_high(const ll_damaged *file, uint32_t which, ll_lost *out)
{
    enum { NUMBERS_MIN = 12, LETTERS_PERCENT_MAX = 80 };
    size_t numbers = 0; /* bytes that are neither text nor zero */
    size_t letters = 0; /* bytes of text: a file of almost nothing else is a text */
    *out = (ll_lost){0, file->size, file->size, 0, false};
    for (size_t i = 0; i < file->size; i++) {
        uint8_t byte = file->bytes[i];
        if (byte > 127) {
            return false;
        }
        numbers += (byte && byte < ' ') || byte == '?' || byte == 127;
        letters += (byte >= ' ' && byte < 127 && byte != '?') || byte == '\n';
    }
    return which == 0 && numbers >= NUMBERS_MIN && letters * 100 <= file->size * LETTERS_PERCENT_MAX;
}

/* ------------------------------------------------------------------ zeros */

static bool lost_tail(const ll_damaged *file, uint32_t which, ll_lost *out)
{
    enum { TAIL_MIN = 40 }; /* fewer zeros are padding */
    size_t from = file->size;
    while (from && file->bytes[from - 1] == 0) {
        from--;
    }
    *out = (ll_lost){from, file->size, file->size - from, 0, false};
    return which == 0 && file->size - from >= TAIL_MIN;
}

/* Finds zeros that fill whole 512-byte sectors. If they extend only a little beyond, that is no coincidence; otherwise
 * the place is weak. */
static bool lost_hole(const ll_damaged *file, uint32_t which, ll_lost *out)
{
    enum { SECTOR = 512, MORE_MAX = 32, RECORD = 64 };
    for (size_t at = 0; file->size - at >= SECTOR; at += SECTOR) {
        size_t from = at, to = at;
        while (to < file->size && file->bytes[to] == 0) {
            to++;
        }
        while (from && file->bytes[from - 1] == 0) {
            from--;
        }
        size_t end = to / SECTOR * SECTOR;
        bool fills = at - from <= MORE_MAX && to - end <= MORE_MAX;
        if (end > at && to < file->size && which-- == 0) {
            *out = (ll_lost){at, end, end - at, fills ? RECORD : 0, !fills};
            return true;
        }
        at = end > at ? end - SECTOR : at;
    }
    return false;
}
