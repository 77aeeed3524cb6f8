/* Implements shapes.h. Each function returns false for an empty file, and reads the bytes once or a few times. */
#include "identity/shapes.h"

#include "base/endian.h"
#include "base/ints.h"
#include "base/text.h"

#include <string.h>

enum {
    TEXT_MIN = 8,      /* shorter text may be the beginning of anything */
    LONG_TEXT = 256,   /* from this size on, bytes without control characters are a text, whatever the others are */
    DUMP_MIN = 16,     /* bytes needed to tell hexadecimal and base64 from words */
    RANDOM_MIN = 128,  /* bytes needed for a meaningful distribution */
    RANDOM_SPREAD = 23 /* standard deviation of the chi-square of 256 equally frequent values */
};

static bool starts_with(const uint8_t *bytes, size_t size, const char *start)
{
    size_t n = strlen(start);
    return size >= n && memcmp(bytes, start, n) == 0;
}

/* As ll_find_bytes(), for a text. */
static size_t find(const uint8_t *bytes, size_t size, size_t from, const char *text)
{
    return ll_find_bytes(bytes, size, from, text, strlen(text));
}

/* ------------------------------------------------------------------ binary files */

bool ll_is_mod_archive(const uint8_t *bytes, size_t size)
{
    return starts_with(bytes, size, "PK\x03\x04") && find(bytes, size, 0, "metadata.xml") != SIZE_MAX;
}

bool ll_is_bzip2(const uint8_t *bytes, size_t size)
{
    return size >= 10 && memcmp(bytes, "BZh", 3) == 0 && bytes[3] >= '1' && bytes[3] <= '9' &&
           (memcmp(bytes + 4, "1AY&SY", 6) == 0 || memcmp(bytes + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/* "MZ", and "PE" at the offset in the word at 0x3C. */
bool ll_is_windows_program(const uint8_t *bytes, size_t size)
{
    return size >= 64 && bytes[0] == 'M' && bytes[1] == 'Z' && ll_fits(ll_le32(bytes + 0x3C), 4, size) &&
           memcmp(bytes + ll_le32(bytes + 0x3C), "PE\0", 4) == 0;
}

/* Header of the legacy .lzma format: the usual properties byte, a dictionary size that encoders offer, and the size or
 * -1. */
bool ll_is_lzma(const uint8_t *bytes, size_t size)
{
    if (size < 14 || bytes[0] != 0x5D || bytes[13] != 0) {
        return false;
    }
    uint32_t dictionary = ll_le32(bytes + 1);
    uint32_t rest = dictionary & (dictionary - 1);
    uint64_t stated = ll_le64(bytes + 5);
    return dictionary >= 4096 && (rest == 0 || (rest & (rest - 1)) == 0) &&
           (stated == UINT64_MAX || stated < UINT64_C(1) << 40);
}

/* A zlib header (RFC 1950), and a first block of a valid type. */
bool ll_is_zlib(const uint8_t *bytes, size_t size)
{
    return size >= 8 && bytes[0] == 0x78 &&
           (bytes[1] == 0x01 || bytes[1] == 0x5E || bytes[1] == 0x9C || bytes[1] == 0xDA) && (bytes[2] >> 1 & 3) != 3;
}

bool ll_is_filled(const uint8_t *bytes, size_t size)
{
    return size > 1 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

bool ll_is_zeros(const uint8_t *bytes, size_t size)
{
    return size && bytes[0] == 0 && (size == 1 || ll_is_filled(bytes, size));
}

/* Are all byte values about equally frequent, within six standard deviations? */
bool ll_is_random(const uint8_t *bytes, size_t size)
{
    enum { VALUES = 256 };
    uint64_t count[VALUES] = {0};
    double sum = 0;
    for (size_t i = 0; i < size; i++) {
        count[bytes[i]]++;
    }
    for (unsigned i = 0; i < VALUES; i++) {
        sum += (double)count[i] * (double)count[i];
    }
    double spread = size ? sum * VALUES / (double)size - (double)size : 0;
    return size >= RANDOM_MIN && spread < VALUES + 6 * RANDOM_SPREAD;
}

/* ------------------------------------------------------------------ texts */

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex_digit(uint8_t c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Length of a UTF-8 byte order mark at the start. */
static size_t text_start(const uint8_t *bytes, size_t size)
{
    return starts_with(bytes, size, "\xEF\xBB\xBF") ? 3 : 0;
}

static size_t past_blanks(const uint8_t *bytes, size_t size, size_t at)
{
    while (at < size && is_blank(bytes[at])) {
        at++;
    }
    return at;
}

/* Backspace, DOS end of file, escape, and the unit separator of "info" files. */
static bool is_control_of_texts(uint8_t c)
{
    return c == 0x08 || c == 0x1A || c == 0x1B || c == 0x1F;
}

/* Only control characters of texts; bytes above 0x7F are UTF-8 or another encoding, which must be rare in a short text.
 * Light files contain zero bytes. */
bool ll_is_text(const uint8_t *bytes, size_t size)
{
    size_t other = 0;
    for (size_t i = text_start(bytes, size); i < size;) {
        if (bytes[i] < 0x80) {
            if ((bytes[i] < ' ' && !is_blank(bytes[i]) && !is_control_of_texts(bytes[i])) || bytes[i] == 0x7F) {
                return false;
            }
            i++;
            continue;
        }
        size_t n = ll_utf8_length(bytes + i, size - i);
        other += n == 0;
        i += n ? n : 1;
    }
    return size >= TEXT_MIN && (other <= size / 8 || size >= LONG_TEXT);
}

bool ll_is_utf16(const uint8_t *bytes, size_t size)
{
    size_t units = size / 2;
    if (units < 2) {
        return false;
    }
    if ((bytes[0] == 0xFF && bytes[1] == 0xFE) || (bytes[0] == 0xFE && bytes[1] == 0xFF)) {
        return true;
    }
    size_t plain[2] = {0, 0}; /* letters followed by their zero byte, and preceded by it */
    for (size_t i = 0; i < units; i++) {
        for (unsigned big = 0; big < 2; big++) {
            uint8_t letter = bytes[2 * i + big];
            plain[big] += bytes[2 * i + 1 - big] == 0 && ((letter >= ' ' && letter < 0x7F) || is_blank(letter));
        }
    }
    return units >= TEXT_MIN && (plain[0] > units / 8 * 7 || plain[1] > units / 8 * 7);
}

bool ll_is_conflict(const uint8_t *bytes, size_t size)
{
    static const char *const markers[] = {"<<<<<<< ", "\n=======", "\n>>>>>>> "};
    size_t at = find(bytes, size, 0, markers[0]);
    while (at != SIZE_MAX && at && bytes[at - 1] != '\n') {
        at = find(bytes, size, at + 1, markers[0]);
    }
    for (size_t i = 1; i < sizeof markers / sizeof *markers && at != SIZE_MAX; i++) {
        at = find(bytes, size, at, markers[i]);
    }
    return at != SIZE_MAX;
}

/* ------------------------------------------------------------------ markup */

static bool starts_with_any_case(const uint8_t *bytes, size_t size, const char *start)
{
    size_t n = strlen(start), i = 0;
    while (i < n && i < size && ll_lower((char)bytes[i]) == start[i]) {
        i++;
    }
    return i == n;
}

/* Position of the root element's name, after declarations and comments; `size`: none. */
static size_t root_of(const uint8_t *bytes, size_t size)
{
    size_t at = past_blanks(bytes, size, text_start(bytes, size));
    while (at < size && bytes[at] == '<') {
        size_t name = at + 1;
        if (name < size && is_letter(bytes[name])) {
            return name;
        }
        bool comment = starts_with(bytes + name, size - name, "!--");
        if (name == size || (bytes[name] != '?' && bytes[name] != '!')) {
            return size;
        }
        size_t end = find(bytes, size, name, comment ? "-->" : ">");
        at = end == SIZE_MAX ? size : past_blanks(bytes, size, end + (comment ? 3 : 1));
    }
    return size;
}

static bool has_root(const uint8_t *bytes, size_t size, const char *name)
{
    size_t at = root_of(bytes, size), n = strlen(name);
    return size - at > n && starts_with_any_case(bytes + at, size - at, name) &&
           (is_blank(bytes[at + n]) || bytes[at + n] == '>' || bytes[at + n] == '/');
}

bool ll_is_xml(const uint8_t *bytes, size_t size)
{
    size_t at = past_blanks(bytes, size, text_start(bytes, size));
    bool declared = starts_with(bytes + at, size - at, "<?xml");
    return declared ||
           (root_of(bytes, size) < size && ll_is_text(bytes, size) && find(bytes, size, at, ">") != SIZE_MAX);
}

bool ll_is_html(const uint8_t *bytes, size_t size)
{
    size_t at = past_blanks(bytes, size, text_start(bytes, size));
    return starts_with_any_case(bytes + at, size - at, "<!doctype html") || has_root(bytes, size, "html") ||
           has_root(bytes, size, "head") || has_root(bytes, size, "body");
}

bool ll_is_dataset_xml(const uint8_t *bytes, size_t size)
{
    return has_root(bytes, size, "fox");
}

bool ll_is_archive_xml(const uint8_t *bytes, size_t size)
{
    return has_root(bytes, size, "archivefile");
}

/* ------------------------------------------------------------------ notations */

/* Begins like an object or array, up to the start of its first item or its end. */
bool ll_is_json(const uint8_t *bytes, size_t size)
{
    size_t at = past_blanks(bytes, size, text_start(bytes, size));
    if (at == size || (bytes[at] != '{' && bytes[at] != '[')) {
        return false;
    }
    size_t next = past_blanks(bytes, size, at + 1);
    const char *may = bytes[at] == '{' ? "\"}" : "\"]{[-tfn";
    return next < size && (strchr(may, bytes[next]) || (bytes[at] == '[' && is_digit(bytes[next]))) &&
           bytes[next] != 0 && ll_is_text(bytes, size);
}

/* Has a line that begins like only Lua does. */
bool ll_is_lua(const uint8_t *bytes, size_t size)
{
    static const char *const starts[] = {"local ", "function ", "return {", "--[[", "require(", "require \""};
    bool found = false;
    for (size_t at = text_start(bytes, size); at < size && !found;) {
        at = past_blanks(bytes, size, at);
        for (size_t i = 0; i < sizeof starts / sizeof *starts && !found; i++) {
            found = starts_with(bytes + at, size - at, starts[i]);
        }
        size_t end = find(bytes, size, at, "\n");
        at = end == SIZE_MAX ? size : end + 1;
    }
    return found && ll_is_text(bytes, size);
}

/* A line of hexadecimal pairs, perhaps with an offset before and the bytes as text after. */
static bool is_dump_line(const uint8_t *line, size_t n)
{
    size_t digits = 0, at = 0;
    while (at < n && is_hex_digit(line[at])) {
        at++;
    }
    bool offset = at >= 4 && at < n && (line[at] == ':' || (line[at] == ' ' && n - at > 1 && line[at + 1] == ' '));
    for (at = offset ? at + 1 : 0; at < n; at++) {
        if (is_hex_digit(line[at])) {
            digits++;
        } else if (!is_blank(line[at]) && line[at] != ',' && line[at] != '-') {
            break;
        }
        if (offset && digits >= 2 && n - at > 2 && line[at + 1] == ' ' && line[at + 2] == ' ' && digits % 16 == 0) {
            return true;
        }
    }
    return offset ? digits >= 2 : digits >= 2 && digits % 2 == 0 && at == n;
}

bool ll_is_hex_dump(const uint8_t *bytes, size_t size)
{
    size_t lines = 0;
    bool has_digit = false;
    for (size_t at = text_start(bytes, size); at < size; lines++) {
        size_t end = find(bytes, size, at, "\n");
        size_t n = (end == SIZE_MAX ? size : end) - at;
        bool last = end == SIZE_MAX;
        if (n && bytes[at + n - 1] == '\r') {
            n--;
        }
        if (n && !(bytes[at] == '*' && n == 1) && !is_dump_line(bytes + at, n) && !(last && lines)) {
            return false;
        }
        for (size_t i = 0; i < n && !has_digit; i++) {
            has_digit = is_digit(bytes[at + i]);
        }
        at = last ? size : end + 1;
    }
    return size >= DUMP_MIN && lines && has_digit && ll_is_text(bytes, size);
}

/* Only base64 characters of all classes, line ends, and padding at the end. */
bool ll_is_base64(const uint8_t *bytes, size_t size)
{
    size_t letters = 0, fill = 0, upper = 0, lower = 0, digits = 0;
    for (size_t i = 0; i < size; i++) {
        uint8_t c = bytes[i];
        if (c == '\r' || c == '\n') {
            continue;
        }
        bool letter = is_letter(c) || is_digit(c) || c == '+' || c == '/' || c == '-' || c == '_';
        if (!(letter && !fill) && c != '=') {
            return false;
        }
        fill += c == '=';
        letters += letter;
        upper += c >= 'A' && c <= 'Z';
        lower += c >= 'a' && c <= 'z';
        digits += is_digit(c) || c == '+' || c == '/';
    }
    return letters + fill >= DUMP_MIN && fill <= 2 && upper && lower && digits + fill && letters % 4 != 1;
}
