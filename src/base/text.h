/* A growing buffer of text, and the one way in which this project writes numbers, bytes and names as text.
 * Nothing here depends on the locale. After an allocation fails the buffer stays valid, ignores what is put and says
 * so in `failed`: callers test once, at the end. */
#ifndef LL_BASE_TEXT_H
#define LL_BASE_TEXT_H

#include "base/status.h"

#include <inttypes.h>
#include <string.h>

typedef struct ll_text {
    ll_allocator allocator;
    char *data; /* not NUL-terminated; see ll_text_cstr */
    size_t length;
    size_t capacity;
    bool failed;
} ll_text;

void ll_text_init(ll_text *text, const ll_allocator *allocator);
void ll_text_free(ll_text *text);
static inline void ll_text_clear(ll_text *text)
{
    text->length = 0;
    text->failed = false;
}
/* The text with a NUL behind it; "" when the buffer failed. Valid until the next put. */
const char *ll_text_cstr(ll_text *text);

/* Makes room for n bytes more; NULL when memory ran out. */
char *ll_text_grow(ll_text *text, size_t n);
/* Where the next n bytes go: a caller that knows how many it may need writes there and adds what it wrote to `length`.
 */
static inline char *ll_text_room(ll_text *text, size_t n)
{
    return !text->failed && text->capacity - text->length > n ? text->data + text->length : ll_text_grow(text, n);
}

static inline void ll_text_put(ll_text *text, const char *bytes, size_t n)
{
    char *room = n ? ll_text_room(text, n) : NULL;
    if (room) {
        memcpy(room, bytes, n);
        text->length += n;
    }
}
static inline void ll_text_str(ll_text *text, const char *s)
{
    ll_text_put(text, s, strlen(s));
}
static inline void ll_text_char(ll_text *text, char c)
{
    char *room = ll_text_room(text, 1);
    if (room) {
        *room = c;
        text->length++;
    }
}
/* A sentence, as printf() writes it: %s, %c, unsigned %u and %x of every length, %%; with a width, '-' or '0' before
 * it, and "%.*s" for that many bytes, which need no NUL. */
LL_PRINTF(2, 3) void ll_text_format(ll_text *text, const char *format, ...);
void ll_text_repeat(ll_text *text, char c, size_t n);
void ll_text_u64(ll_text *text, uint64_t value);
void ll_text_i64(ll_text *text, int64_t value);
/* Lower-case hex digits without prefix, zero-filled to at least `digits`. */
void ll_text_hex(ll_text *text, uint64_t value, unsigned digits);
/* The shortest decimal form that reads back as the same binary16 (bits 16), binary32 (32) or binary64 (64) value;
 * "NaN", "Infinity", "-Infinity". */
void ll_text_float(ll_text *text, double value, unsigned bits);
/* "00 1f a0": n bytes as hex pairs. */
void ll_text_bytes(ll_text *text, const uint8_t *bytes, size_t n);
/* Bytes that may be anything, made safe for a terminal and for the log of a CI job: valid UTF-8 passes except C0, DEL
 * and C1 controls, separators of lines, bidirectional marks, the backslash and the second sign of "::" and "##", with
 * which commands to runners begin; the rest becomes \xNN, the backslash \\. */
void ll_text_escape(ll_text *text, const char *bytes, size_t n);
/* Bytes for a format with escapes of its own. Each text of `map`, which NULL ends, is a sign of ASCII (no letter, no
 * digit) and behind it what stands for it. Then whatever is no UTF-8, no character, or something that a terminal would
 * obey becomes \xNN, byte by byte. */
void ll_mapped_text(const char *bytes, size_t n, const char *const *map, ll_text *out);
/* The next byte of a name that was shown so, and goes behind it: \xNN is one that was not UTF-8, and so above 7F. */
unsigned ll_unescaped_byte(const char **at);
/* Bytes as the inside of a JSON string (no quotes): quote and backslash are escaped, what a terminal would obey and the
 * second sign of "##" are \uNNNN, a byte that is not UTF-8 becomes the four characters \\xNN. The result is always
 * valid UTF-8. */
void ll_text_json(ll_text *text, const char *bytes, size_t n);
/* The same for JSON without line feeds that another writer made, which is valid UTF-8 and escaped no more than it had
 * to. */
void ll_text_safe_json(ll_text *text, const char *json, size_t n);

/* Bytes of the byte order mark that editors on Windows put in front of a text: 3, or 0. It is no part of the first
 * line. */
size_t ll_bom_length(const void *bytes, size_t n);
/* Is one of the bytes outside ASCII? */
bool ll_has_high_bytes(const uint8_t *bytes, size_t n);
/* The four letters of a tag or a key, of which none is a control character or beyond ASCII. */
static inline bool ll_is_printable(const uint8_t *letters)
{
    bool printable = true;
    for (unsigned i = 0; i < 4; i++) {
        printable = printable && letters[i] >= ' ' && letters[i] <= '~';
    }
    return printable;
}
/* Length (1 to 4) of the valid UTF-8 sequence at p, 0 when there is none. */
size_t ll_utf8_length(const uint8_t *p, size_t n);
/* The same if a terminal may be shown it, else 0: what ll_text_escape() lets pass, and the backslash. */
size_t ll_shown_length(const uint8_t *p, size_t n);

/* Is p[at] the second sign of a pair that begins a command to a runner of CI jobs? "::" does so where a line starts
 * with it, "##" as in "##[error]" and "##vso[...]" anywhere. */
bool ll_is_command_sign(const uint8_t *p, size_t at);

/* A number in decimal, for texts that do not grow; returns where in `out` it begins. */
enum { LL_DIGITS_MAX = 21 };
const char *ll_digits(uint64_t value, char out[LL_DIGITS_MAX]);

/* Number of edits (insert, delete, replace, swap of neighbours) between two names, for "did you mean"; names longer
 * than 63 bytes count as far apart. */
unsigned ll_edit_distance(const char *a, const char *b);

/* A to Z and a to z are each other's; other bytes stand for themselves, whatever the locale. The comparisons take them
 * for the same. */
char ll_lower(char c);
char ll_upper(char c);
bool ll_same_letters(const char *a, const char *b, size_t n);
bool ll_ends_with(const char *name, const char *end);

/* FNV-1a, 64 bits: start with LL_FNV_START; for fingerprints, not against malice. */
#define LL_FNV_START UINT64_C(0xCBF29CE484222325)
uint64_t ll_fnv(uint64_t hash, const void *bytes, size_t n);

#endif
