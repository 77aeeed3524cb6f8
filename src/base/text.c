/* Implements the text buffer, number formats and escapes. */
#include "base/text.h"

#include "base/array.h"
#include "base/half.h"
#include "base/ints.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void ll_text_init(ll_text *text, const ll_allocator *allocator)
{
    *text = (ll_text){.allocator = ll_allocator_or_default(allocator)};
}

void ll_text_free(ll_text *text)
{
    if (text->data) {
        text->allocator.release(text->allocator.ctx, text->data);
    }
    text->data = NULL;
    text->length = text->capacity = 0;
}

static bool reserve(ll_text *text, size_t more)
{
    ll_array array = {text->data, text->length, text->capacity};
    text->failed = text->failed || !ll_array_room(&array, more, 1, &text->allocator);
    text->data = array.items;
    text->capacity = array.capacity;
    return !text->failed;
}

const char *ll_text_cstr(ll_text *text)
{
    if (!reserve(text, 1)) {
        return "";
    }
    text->data[text->length] = '\0';
    return text->data;
}

char *ll_text_grow(ll_text *text, size_t n)
{
    return reserve(text, n ? n : 1) ? text->data + text->length : NULL; /* not NULL, even for no bytes */
}

/* Pads the text since `start` to a width. */
static void pad(ll_text *text, size_t start, size_t width, char fill, bool left)
{
    size_t used = text->length - start;
    size_t missing = width > used ? width - used : 0;
    ll_text_repeat(text, ' ', missing);
    if (missing && !left && !text->failed) {
        memmove(text->data + start + missing, text->data + start, used);
        memset(text->data + start, fill, missing);
    }
}

/* Reads a width or precision: digits, or '*' for an argument. */
static size_t take_width(const char **p, va_list *arguments)
{
    size_t width = 0;
    if (**p == '*') {
        (*p)++;
        int given = va_arg(*arguments, int);
        return given > 0 ? (size_t)given : 0;
    }
    for (; **p >= '0' && **p <= '9'; (*p)++) {
        width = width * 10 + (size_t)(**p - '0');
    }
    return width;
}

static uint64_t take_number(const char **p, va_list *arguments)
{
    if (**p == 'z') {
        (*p)++;
        return va_arg(*arguments, size_t);
    }
    unsigned longs = 0;
    for (; **p == 'l'; (*p)++) {
        longs++;
    }
    return longs == 0   ? va_arg(*arguments, unsigned)
           : longs == 1 ? va_arg(*arguments, unsigned long)
                        : va_arg(*arguments, unsigned long long);
}

/* Writes one conversion; p is after its '%'. Returns the position after it. */
static const char *put_conversion(ll_text *text, const char *p, va_list *arguments)
{
    if (*p == 's') { /* the most common one */
        ll_text_str(text, va_arg(*arguments, const char *));
        return p + 1;
    }
    size_t start = text->length;
    bool left = *p == '-';
    p += left;
    char fill = *p == '0' ? '0' : ' ';
    p += fill == '0';
    size_t width = take_width(&p, arguments);
    if (*p == '%') {
        ll_text_char(text, '%');
    } else if (*p == 'c') {
        ll_text_char(text, (char)va_arg(*arguments, int));
    } else if (*p == 's') {
        ll_text_str(text, va_arg(*arguments, const char *));
    } else if (*p == '.') { /* before 's': maximum number of bytes */
        p++;
        size_t n = take_width(&p, arguments);
        ll_text_put(text, va_arg(*arguments, const char *), n);
    } else {
        uint64_t number = take_number(&p, arguments);
        if (*p == 'x') {
            ll_text_hex(text, number, 1);
        } else {
            ll_text_u64(text, number);
        }
    }
    if (width) {
        pad(text, start, width, fill, left);
    }
    return p + 1;
}

void ll_text_format(ll_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *p = format; *p;) {
        const char *percent = p;
        while (*percent && *percent != '%') {
            percent++;
        }
        ll_text_put(text, p, (size_t)(percent - p));
        p = *percent ? put_conversion(text, percent + 1, &arguments) : percent;
    }
    va_end(arguments);
}

void ll_text_repeat(ll_text *text, char c, size_t n)
{
    if (n && reserve(text, n)) {
        memset(text->data + text->length, c, n);
        text->length += n;
    }
}

const char *ll_digits(uint64_t value, char out[LL_DIGITS_MAX])
{
    char *p = out + LL_DIGITS_MAX - 1;
    *p = '\0';
    do {
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    return p;
}

void ll_text_u64(ll_text *text, uint64_t value)
{
    char out[LL_DIGITS_MAX];
    const char *digits = ll_digits(value, out);
    ll_text_put(text, digits, (size_t)(out + LL_DIGITS_MAX - 1 - digits));
}

void ll_text_i64(ll_text *text, int64_t value)
{
    if (value < 0) {
        ll_text_char(text, '-');
        ll_text_u64(text, 0 - (uint64_t)value);
    } else {
        ll_text_u64(text, (uint64_t)value);
    }
}

void ll_text_hex(ll_text *text, uint64_t value, unsigned digits)
{
    char out[16];
    size_t at = sizeof out;
    do {
        out[--at] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (at > 0 && (value || sizeof out - at < digits));
    ll_text_put(text, out + at, sizeof out - at);
}

static bool reads_back(const char *s, double value, unsigned bits)
{
    double back = strtod(s, NULL);
    if (bits == 16) {
        return ll_double_to_half(back) == ll_double_to_half(value);
    }
    if (bits == 32) {
        return ll_double_to_single(back) == ll_double_to_single(value);
    }
    return back >= value && back <= value;
}

void ll_text_float(ll_text *text, double value, unsigned bits)
{
    if (isnan(value) || isinf(value)) {
        ll_text_str(text, isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
        return;
    }
    if (fabs(value) < 1e15 && value >= trunc(value) && value <= trunc(value) && !(value == 0.0 && signbit(value))) {
        ll_text_i64(text, (int64_t)value); /* common, and much cheaper than trying precisions */
        return;
    }
    char digits[40];
    int most = bits == 16 ? 5 : bits == 32 ? 9 : 17;
    for (int precision = 1; precision <= most; precision++) {
        (void)snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (reads_back(digits, value, bits)) {
            break;
        }
    }
    /* the host program may have set a locale with another decimal point, of one or several bytes */
    for (const char *p = digits; *p;) {
        size_t plain = strspn(p, "0123456789+-eE");
        ll_text_put(text, p, plain);
        p += plain;
        ll_text_str(text, *p ? "." : "");
        p += strcspn(p, "0123456789+-eE");
    }
}

void ll_text_bytes(ll_text *text, const uint8_t *bytes, size_t n)
{
    char *room = ll_text_room(text, 3 * n);
    for (size_t i = 0; room && i < n; i++) {
        room[3 * i] = "0123456789abcdef"[bytes[i] >> 4];
        room[3 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
        room[3 * i + 2] = ' ';
    }
    text->length += room && n ? 3 * n - 1 : 0;
}

size_t ll_find_bytes(const uint8_t *bytes, size_t size, size_t from, const void *part, size_t n)
{
    while (ll_fits(from, n, size)) {
        const uint8_t *first = memchr(bytes + from, *(const uint8_t *)part, size - n + 1 - from);
        if (!first || memcmp(first, part, n) == 0) {
            return first ? (size_t)(first - bytes) : SIZE_MAX;
        }
        from = (size_t)(first - bytes) + 1;
    }
    return SIZE_MAX;
}

size_t ll_bom_length(const void *bytes, size_t n)
{
    return n >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

bool ll_has_high_bytes(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] >= 0x80) {
            return true;
        }
    }
    return false;
}

size_t ll_utf8_length(const uint8_t *p, size_t n)
{
    if (n == 0) {
        return 0;
    }
    if (p[0] < 0x80) {
        return 1;
    }
    size_t length = p[0] >= 0xC2 && p[0] <= 0xDF ? 2 : (p[0] & 0xF0) == 0xE0 ? 3 : p[0] >= 0xF0 && p[0] <= 0xF4 ? 4 : 0;
    if (length == 0 || n < length) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xF0 && p[1] < 0x90);
    bool surrogate = p[0] == 0xED && p[1] > 0x9F;
    bool beyond = p[0] == 0xF4 && p[1] > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

/* Control characters, line separators (U+2028/9), and marks that reorder text on a terminal (U+061C, U+200E/F,
 * U+202A-E, U+2066-9). */
static bool is_unsafe(const uint8_t *p, size_t length)
{
    if (length == 1) {
        return p[0] < 0x20 || p[0] == 0x7F;
    }
    if (length == 2) {
        return (p[0] == 0xC2 && p[1] < 0xA0) || (p[0] == 0xD8 && p[1] == 0x9C);
    }
    if (length == 3 && p[0] == 0xE2) {
        return (p[1] == 0x80 && (p[2] == 0x8E || p[2] == 0x8F || (p[2] >= 0xA8 && p[2] <= 0xAE))) ||
               (p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9);
    }
    return false;
}

bool ll_is_command_sign(const uint8_t *p, size_t at)
{
    return at && (p[at] == '#' || p[at] == ':') && p[at - 1] == p[at];
}

size_t ll_shown_length(const uint8_t *p, size_t n)
{
    size_t length = ll_utf8_length(p, n);
    return length && !is_unsafe(p, length) ? length : 0;
}

static void put_hex_escapes(ll_text *text, const char *prefix, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ll_text_str(text, prefix);
        ll_text_hex(text, p[i], 2);
    }
}

void ll_text_escape(ll_text *text, const char *bytes, size_t n)
{
    const uint8_t *p = (const uint8_t *)bytes;
    size_t plain = 0; /* start of the unchanged run */
    for (size_t at = 0; at < n;) {
        if (p[at] >= 0x20 && p[at] < 0x7F && p[at] != '\\' && p[at] != '#' && p[at] != ':') { /* as most are */
            at++;
            continue;
        }
        size_t length = ll_shown_length(p + at, n - at);
        if (length && p[at] != '\\' && !ll_is_command_sign(p, at)) {
            at += length;
            continue;
        }
        ll_text_put(text, bytes + plain, at - plain);
        length = ll_utf8_length(p + at, n - at);
        length = length ? length : 1;
        if (p[at] == '\\') {
            ll_text_str(text, "\\\\");
        } else {
            put_hex_escapes(text, "\\x", p + at, length);
        }
        at += length;
        plain = at;
    }
    ll_text_put(text, bytes + plain, n - plain);
}

/* U+FFFE and U+FFFF are noncharacters, which XML must not contain. */
static bool is_noncharacter(const uint8_t *p, size_t length)
{
    return length == 3 && p[0] == 0xEF && p[1] == 0xBF && p[2] >= 0xBE;
}

/* The replacement of a byte; NULL: none. */
static const char *find_instead(const char *const *map, uint8_t c)
{
    bool alphanumeric = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    while (!alphanumeric && *map && (uint8_t)(*map)[0] != c) {
        map++;
    }
    return !alphanumeric && *map ? *map + 1 : NULL;
}

void ll_mapped_text(const char *bytes, size_t n, const char *const *map, ll_text *out)
{
    const uint8_t *p = (const uint8_t *)bytes;
    for (size_t at = 0; at < n;) {
        const char *instead = find_instead(map, p[at]);
        size_t length = ll_shown_length(p + at, n - at);
        if (instead) {
            ll_text_str(out, instead);
            at++;
        } else if (length && !is_noncharacter(p + at, length)) {
            ll_text_put(out, bytes + at, length);
            at += length;
        } else {
            size_t hidden = ll_utf8_length(p + at, n - at);
            put_hex_escapes(out, "\\x", p + at, hidden ? hidden : 1);
            at += hidden ? hidden : 1;
        }
    }
}

unsigned ll_unescaped_byte(const char **at)
{
    static const char digits[] = "0123456789abcdef";
    const char *p = *at;
    const char *high = p[0] == '\\' && p[1] == 'x' && p[2] ? strchr(digits + 8, p[2]) : NULL;
    const char *low = high && p[3] ? strchr(digits, p[3]) : NULL;
    *at += low ? 4 : 1;
    return low ? (unsigned)(high - digits) << 4 | (unsigned)(low - digits) : (unsigned char)p[0];
}

enum { BLOCK = 16 };

/* Do 16 bytes need no escape in JSON? They must be ASCII without controls, quotes, backslashes and '#'. Compilers
 * vectorise the loop. */
static bool is_plain_block(const uint8_t *p)
{
    uint8_t odd[BLOCK];
    for (unsigned i = 0; i < BLOCK; i++) {
        odd[i] = (int8_t)p[i] < 0x20 || p[i] == '"' || p[i] == '\\' || p[i] == '#' || p[i] == 0x7F;
    }
    uint64_t halves[2];
    memcpy(halves, odd, sizeof halves);
    return !(halves[0] | halves[1]);
}

/* Code point of a UTF-8 sequence of one to three bytes. */
static unsigned code_point(const uint8_t *p, size_t length)
{
    return length == 1   ? p[0]
           : length == 2 ? (p[0] & 0x1FU) << 6 | (p[1] & 0x3FU)
                         : (p[0] & 0xFU) << 12 | (p[1] & 0x3FU) << 6 | (p[2] & 0x3FU);
}

/* Must the character be written as \\uNNNN? Also the second '#' of "##", for programs that read a log line by line. */
static bool is_escaped_in_json(const uint8_t *p, size_t at, size_t length)
{
    return is_unsafe(p + at, length) || (p[at] == '#' && ll_is_command_sign(p, at));
}

/* raw: quotes and backslashes are escaped; else the bytes are JSON already. */
static void put_json(ll_text *text, const char *bytes, size_t n, bool raw)
{
    const uint8_t *p = (const uint8_t *)bytes;
    size_t plain = 0;
    for (size_t at = 0; at < n;) {
        size_t end = n - at < BLOCK ? n : at + BLOCK; /* the last block may overlap the one before */
        if (end >= BLOCK && is_plain_block(p + end - BLOCK)) {
            at = end;
            continue;
        }
        bool ascii = p[at] < 0x80;
        size_t length = ascii ? 1 : ll_utf8_length(p + at, n - at);
        bool sign = raw && (p[at] == '"' || p[at] == '\\');
        bool letter = ascii && p[at] >= 0x20 && p[at] != 0x7F && p[at] != '#';
        if (length && !sign && (letter || !is_escaped_in_json(p, at, length))) {
            at += length;
            continue;
        }
        ll_text_put(text, bytes + plain, at - plain);
        if (!length) {
            put_hex_escapes(text, "\\\\x", p + at, 1);
        } else if (sign || p[at] == '\n') {
            ll_text_char(text, '\\');
            ll_text_char(text, p[at] == '\n' ? 'n' : bytes[at]);
        } else {
            ll_text_str(text, "\\u");
            ll_text_hex(text, code_point(p + at, length), 4);
        }
        at += length ? length : 1;
        plain = at;
    }
    ll_text_put(text, bytes + plain, n - plain);
}

void ll_text_json(ll_text *text, const char *bytes, size_t n)
{
    put_json(text, bytes, n, true);
}

void ll_text_safe_json(ll_text *text, const char *json, size_t n)
{
    put_json(text, json, n, false);
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;
    return ab < c ? ab : c;
}

unsigned ll_edit_distance(const char *a, const char *b)
{
    enum { MOST = 63 };
    size_t n = strlen(a);
    size_t m = strlen(b);
    if (n > MOST || m > MOST) {
        return MOST;
    }
    unsigned row[3][MOST + 1];
    for (size_t j = 0; j <= m; j++) {
        row[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = row[i % 3];
        unsigned *last = row[(i + 2) % 3];
        unsigned *before = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < now[j]) {
                now[j] = before[j - 2] + 1;
            }
        }
    }
    return row[n % 3][m];
}

char ll_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

char ll_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

bool ll_same_letters(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ll_lower(a[i]) != ll_lower(b[i])) {
            return false;
        }
    }
    return true;
}

bool ll_ends_with(const char *name, const char *end)
{
    size_t n = strlen(name);
    size_t m = strlen(end);
    return n >= m && ll_same_letters(name + n - m, end, m);
}

uint64_t ll_fnv(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ p[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}
