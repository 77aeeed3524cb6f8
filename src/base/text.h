/* A growing text buffer, and the project's only way to write numbers, bytes and names as text. Nothing depends on the
 * locale. After a failed allocation the buffer stays valid, ignores further text and sets `failed`: callers test it
 * once, at the end. */
#ifndef LL_BASE_TEXT_H
#define LL_BASE_TEXT_H

#include "base/status.h"

#include <inttypes.h>
#include <string.h>

typedef struct ll_text {
    ll_allocator allocator;
    char *data; /* not NUL-terminated; see ll_text_cstr() */
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
/* The text with a NUL appended; "" if the buffer failed. Valid until the next change. */
const char *ll_text_cstr(ll_text *text);

/* Makes room for n more bytes and returns it; NULL: out of memory. */
char *ll_text_grow(ll_text *text, size_t n);
/* Room for the next n bytes: the caller writes up to n bytes there and adds their number to `length`. NULL: out of
 * memory. */
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
/* Appends formatted text like printf(): %s, %c, unsigned %u and %x of every length, %%, each with width and '-' or '0'
 * before it; "%.*s" takes that many bytes, which need no NUL. */
LL_PRINTF(2, 3) void ll_text_format(ll_text *text, const char *format, ...);
void ll_text_repeat(ll_text *text, char c, size_t n);
void ll_text_u64(ll_text *text, uint64_t value);
void ll_text_i64(ll_text *text, int64_t value);
/* Lower-case hex digits without prefix, with leading zeros up to `digits`. */
void ll_text_hex(ll_text *text, uint64_t value, unsigned digits);
/* The shortest decimal number that reads back as the same binary16 (bits 16), binary32 (32) or binary64 (64) value;
 * "NaN", "Infinity", "-Infinity". */
void ll_text_float(ll_text *text, double value, unsigned bits);
/* n bytes as hex pairs: "00 1f a0". */
void ll_text_bytes(ll_text *text, const uint8_t *bytes, size_t n);
/* Makes any bytes safe for a terminal and a CI log. Valid UTF-8 passes, except C0, DEL and C1 controls, line
 * separators, bidirectional marks, backslashes and the second character of "::" and "##", with which commands to CI
 * runners begin. Those become \xNN, and a backslash becomes \\. */
void ll_text_escape(ll_text *text, const char *bytes, size_t n);
/* Escapes bytes for a format. Each text in `map` (ended by NULL) is an ASCII character, neither letter nor digit,
 * followed by its replacement. Other bytes that are not UTF-8, noncharacters or unsafe for a terminal become \xNN, byte
 * by byte. */
void ll_mapped_text(const char *bytes, size_t n, const char *const *map, ll_text *out);
/* Reads the next byte of an escaped name and advances: \xNN with NN above 7F is a byte that was not UTF-8. */
unsigned ll_unescaped_byte(const char **at);
/* Bytes as the inside of a JSON string (no quotes): quote and backslash are escaped, characters unsafe for a terminal
 * and the second '#' of "##" are \uNNNN, and a byte that is not UTF-8 becomes the four characters \\xNN. The result is
 * always valid UTF-8. */
void ll_text_json(ll_text *text, const char *bytes, size_t n);
/* Like ll_text_json(), for JSON without line feeds from another writer: valid UTF-8 with minimal escapes. */
void ll_text_safe_json(ll_text *text, const char *json, size_t n);

/* First position at or after `from` of the n > 0 bytes of `part`; SIZE_MAX: none. */
size_t ll_find_bytes(const uint8_t *bytes, size_t size, size_t from, const void *part, size_t n);
/* Length of a byte order mark, which editors on Windows write at the start of a text: 3, or 0. */
size_t ll_bom_length(const void *bytes, size_t n);
/* Is a byte outside ASCII? */
bool ll_has_high_bytes(const uint8_t *bytes, size_t n);
/* Are the four letters of a tag or key printable ASCII? */
static inline bool ll_is_printable(const uint8_t *letters)
{
    bool printable = true;
    for (unsigned i = 0; i < 4; i++) {
        printable = printable && letters[i] >= ' ' && letters[i] <= '~';
    }
    return printable;
}
/* Number of line feeds in a text. */
static inline uint32_t ll_count_lines(const char *text, size_t n)
{
    uint32_t lines = 0;
    for (size_t i = 0; i < n; i++) {
        lines += text[i] == '\n';
    }
    return lines;
}
/* Length (1 to 4) of the valid UTF-8 sequence at p; 0: none. */
size_t ll_utf8_length(const uint8_t *p, size_t n);
/* Like ll_utf8_length(), but 0 if the character is unsafe for a terminal: a control character, a line separator or a
 * mark that reorders text. */
size_t ll_shown_length(const uint8_t *p, size_t n);

/* Is p[at] the second character of a pair that begins a command to CI runners? "::" does at the start of a line, "##"
 * anywhere, as in "##[error]" and "##vso[...]". */
bool ll_is_command_sign(const uint8_t *p, size_t at);

/* Writes a number in decimal to the end of `out` and returns its start there. */
enum { LL_DIGITS_MAX = 21 };
const char *ll_digits(uint64_t value, char out[LL_DIGITS_MAX]);

/* Number of edits (insert, delete, replace, swap of neighbours) between two names, for "did you mean". 63 for names
 * longer than 63 bytes. */
unsigned ll_edit_distance(const char *a, const char *b);

/* Case of ASCII letters; other bytes are unchanged, whatever the locale. The comparisons ignore this case. */
char ll_lower(char c);
char ll_upper(char c);
bool ll_same_letters(const char *a, const char *b, size_t n);
bool ll_ends_with(const char *name, const char *end);

/* FNV-1a, 64 bits; start with LL_FNV_START. For fingerprints, not against malice. */
#define LL_FNV_START UINT64_C(0xCBF29CE484222325)
uint64_t ll_fnv(uint64_t hash, const void *bytes, size_t n);

#endif
