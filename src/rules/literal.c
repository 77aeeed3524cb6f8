/* Reads literals of rules. Does not trust their form, never rounds an integer through a double, and does not depend on
 * the locale. */
#include "rules/literal.h"

#include "base/half.h"
#include "base/problem.h"
#include "base/text.h"
#include "rules/key.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ keys */

static unsigned spare_bits(unsigned type)
{
    return 64U - 8U * ll_type_bytes(type);
}

uint64_t ll_flip_of(unsigned type)
{
    return ll_type_is_float(type) ? UINT64_MAX : ll_type_is_signed(type) ? LL_TOP_BIT : 0;
}

/* The key without the exception for -0: -0 and 0 have different keys. */
static uint64_t raw_key(unsigned type, uint64_t bits)
{
    return ll_in_order(bits << spare_bits(type), ll_flip_of(type)) >> spare_bits(type);
}

uint64_t ll_key_of_bits(unsigned type, uint64_t bits)
{
    return ll_key(ll_flip_of(type), ll_type_bytes(type), bits);
}

uint64_t ll_bits_of_key(unsigned type, uint64_t key)
{
    uint64_t top = key << spare_bits(type);
    uint64_t flipped = (top & LL_TOP_BIT) ? LL_TOP_BIT : UINT64_MAX;
    return (top ^ (flipped & ll_flip_of(type))) >> spare_bits(type);
}

ll_bound ll_keys_of_type(unsigned type)
{
    if (type == LL_TYPE_F16) {
        return (ll_bound){raw_key(type, 0xFBFFU), raw_key(type, 0x7BFFU)};
    }
    if (type == LL_TYPE_F32) {
        return (ll_bound){raw_key(type, 0xFF7FFFFFU), raw_key(type, 0x7F7FFFFFU)};
    }
    return (ll_bound){0, UINT64_MAX >> spare_bits(type)};
}

/* ------------------------------------------------------------------ numbers */

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (unsigned)(c - 'a') + 10U;
    }
    return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10U : 99U;
}

static bool is_hex(const char *digits)
{
    return digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
}

static const char *skip_sign(const char *text, bool *negative)
{
    *negative = text[0] == '-';
    return text[0] == '-' || text[0] == '+' ? text + 1 : text;
}

typedef enum reading { READ_WELL, READ_NOTHING, READ_TOO_LARGE } reading;

static reading read_integer(const char *text, bool *negative, uint64_t *magnitude)
{
    const char *p = skip_sign(text, negative);
    unsigned base = is_hex(p) ? 16 : 10;
    p += base == 16 ? 2 : 0;
    uint64_t value = 0;
    reading result = *p ? READ_WELL : READ_NOTHING;
    for (; *p; p++) {
        unsigned digit = digit_value(*p);
        if (digit >= base) {
            return READ_NOTHING;
        }
        if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value)) {
            result = READ_TOO_LARGE;
        }
    }
    *magnitude = value;
    return result;
}

/* Removes the decimal point ("1.25e3" becomes "125e1"), so that the result of strtod does not depend on the locale. */
static bool read_decimal(const char *text, double *out)
{
    enum { DIGITS_MAX = 40, EXPONENT_MAX = 999 };
    char plain[DIGITS_MAX + 8];
    size_t digits = 0;
    int exponent = 0;
    bool negative;
    bool seen_point = false;
    const char *p = skip_sign(text, &negative);
    for (; digit_value(*p) < 10 || (*p == '.' && !seen_point); p++) {
        if (*p == '.') {
            seen_point = true;
        } else if (digits == DIGITS_MAX) {
            return false;
        } else {
            plain[digits++] = *p;
            exponent -= seen_point;
        }
    }
    if (digits == 0) {
        return false;
    }
    if (*p == 'e' || *p == 'E') {
        bool down;
        int written = 0;
        p = skip_sign(p + 1, &down);
        if (digit_value(*p) >= 10) {
            return false;
        }
        for (; digit_value(*p) < 10 && written <= EXPONENT_MAX; p++) {
            written = written * 10 + (int)digit_value(*p);
        }
        exponent += down ? -written : written;
    }
    if (*p || exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX) {
        return false;
    }
    plain[digits++] = 'e';
    plain[digits++] = exponent < 0 ? '-' : '+';
    unsigned power = (unsigned)(exponent < 0 ? -exponent : exponent);
    plain[digits++] = (char)('0' + power / 100);
    plain[digits++] = (char)('0' + power / 10 % 10);
    plain[digits++] = (char)('0' + power % 10);
    plain[digits] = '\0';
    *out = negative ? -strtod(plain, NULL) : strtod(plain, NULL);
    return true;
}

ll_status ll_literal_number(const char *text, double *number, ll_problem *problem)
{
    bool negative;
    uint64_t magnitude;
    const char *digits = skip_sign(text, &negative);
    bool read = false;
    if (is_hex(digits)) {
        read = read_integer(text, &negative, &magnitude) == READ_WELL;
        *number = read ? (negative ? -(double)magnitude : (double)magnitude) : 0;
    } else {
        read = read_decimal(text, number);
    }
    if (!read) {
        return LL_PROBLEM(problem, "'", text, "' is not a number");
    }
    return isfinite(*number) ? LL_OK : LL_PROBLEM(problem, "'", text, "' is too large");
}

static ll_status does_not_fit(const char *text, unsigned type, ll_problem *problem)
{
    return LL_PROBLEM(problem, "'", text, "' does not fit the type ", ll_type_name(type));
}

static ll_status integer_key(const char *text, unsigned type, uint64_t *key, ll_problem *problem)
{
    bool negative;
    uint64_t magnitude = 0;
    reading result = read_integer(text, &negative, &magnitude);
    if (result == READ_NOTHING) {
        return LL_PROBLEM(problem, "'", text, "' is not an integer");
    }
    uint64_t sign = ll_flip_of(type) >> spare_bits(type); /* the key of 0 */
    uint64_t most = ll_type_is_signed(type) ? sign - !negative : negative ? 0 : ll_keys_of_type(type).last;
    if (result == READ_TOO_LARGE || magnitude > most) {
        return does_not_fit(text, type, problem);
    }
    *key = negative ? sign - magnitude : sign + magnitude;
    return LL_OK;
}

static uint64_t nearest_float(double number, unsigned type)
{
    return ll_key_of_bits(type, type == LL_TYPE_F16 ? ll_double_to_half(number) : ll_double_to_single(number));
}

static ll_status float_key(const char *text, unsigned type, double *number, uint64_t *key, ll_problem *problem)
{
    ll_status status = ll_literal_number(text, number, problem);
    if (status != LL_OK) {
        return status;
    }
    ll_bound all = ll_keys_of_type(type);
    *key = nearest_float(*number, type);
    return *key < all.first || *key > all.last ? does_not_fit(text, type, problem) : LL_OK;
}

ll_status ll_literal_key(const char *text, unsigned type, uint64_t *key, ll_problem *problem)
{
    double number;
    return ll_type_is_float(type) ? float_key(text, type, &number, key, problem)
                                  : integer_key(text, type, key, problem);
}

/* ------------------------------------------------------------------ bounds */

const char *ll_literal_relation(const char *text, ll_relation *relation)
{
    if (text[0] != '<' && text[0] != '>') {
        return NULL;
    }
    bool closed = text[1] == '=';
    if (text[0] == '>') {
        *relation = closed ? LL_AT_LEAST : LL_ABOVE;
    } else {
        *relation = closed ? LL_AT_MOST : LL_BELOW;
    }
    text += closed ? 2 : 1;
    while (*text == ' ') {
        text++;
    }
    return text;
}

/* The key of the outermost value of the type that satisfies the relation to `number`. `key` is that of the value
 * nearest to it. */
static uint64_t float_edge(double number, uint64_t key, unsigned type, ll_relation relation)
{
    uint64_t bits = ll_bits_of_key(type, key);
    double nearest = type == LL_TYPE_F16 ? ll_half_to_double((uint16_t)bits) : ll_single_to_double((uint32_t)bits);
    bool same = nearest >= number && nearest <= number;
    bool open = relation == LL_ABOVE || relation == LL_BELOW;
    uint64_t zero = raw_key(type, 0);
    if (relation == LL_AT_LEAST || relation == LL_ABOVE) {
        uint64_t first = nearest < number || (same && open) ? key + 1 : key;
        return first == zero - 1 ? zero : first;
    }
    uint64_t last = nearest > number || (same && open) ? key - 1 : key;
    return last == zero - 1 ? last - 1 : last;
}

ll_status ll_literal_narrow(const char *text, unsigned type, ll_bound *bound, ll_problem *problem)
{
    ll_relation relation;
    const char *digits = ll_literal_relation(text, &relation);
    if (!digits) {
        return LL_PROBLEM(problem, "'", text, "' is not a bound such as '>= 0', '> 0', '<= 1' or '< 1'");
    }
    bool low = relation == LL_AT_LEAST || relation == LL_ABOVE;
    double number;
    uint64_t key = 0;
    ll_status status;
    if (ll_type_is_float(type)) {
        status = float_key(digits, type, &number, &key, problem);
        key = status == LL_OK ? float_edge(number, key, type, relation) : 0;
    } else {
        status = integer_key(digits, type, &key, problem);
        bool open = relation == LL_ABOVE || relation == LL_BELOW;
        if (status == LL_OK && open && key == (low ? UINT64_MAX : 0)) {
            return LL_PROBLEM(problem, "'", text, "' holds for no value of the type ", ll_type_name(type));
        }
        key = !open ? key : low ? key + 1 : key - 1;
    }
    if (status != LL_OK) {
        return status;
    }
    *(low ? &bound->first : &bound->last) = key;
    return LL_OK;
}

/* ------------------------------------------------------------------ bytes */

static ll_status wrong_length(const char *text, const char *unit, size_t size, ll_problem *problem)
{
    char digits[LL_DIGITS_MAX];
    return LL_PROBLEM(problem, "'", text, "' must be ", ll_digits(size, digits), " ", unit, size == 1 ? "" : "s",
                      " long, the size of the field");
}

/* Reads one pair of hex digits. Returns its length with the spaces after it; 0: not a pair. */
static size_t read_pair(const char *p, uint8_t *out)
{
    unsigned high = digit_value(p[0]);
    unsigned low = high < 16 ? digit_value(p[1]) : 99U;
    *out = (uint8_t)(high << 4 | low);
    return low < 16 ? 2 + strspn(p + 2, " ") : 0;
}

/* Reads one character or escape. Returns its length in the text; 0: unknown escape. */
static size_t read_char(const char *p, uint8_t *out)
{
    *out = (uint8_t)*p;
    if (*p != '\\') {
        return 1;
    }
    if (p[1] == '0' || p[1] == '\\') {
        *out = p[1] == '0' ? 0 : (uint8_t)'\\';
        return 2;
    }
    if (p[1] != 'x' || digit_value(p[2]) >= 16 || digit_value(p[3]) >= 16) {
        return 0;
    }
    *out = (uint8_t)(digit_value(p[2]) << 4 | digit_value(p[3]));
    return 4;
}

/* How the bytes of a literal are written. */
typedef struct notation {
    size_t (*read)(const char *p, uint8_t *out);
    const char *unit, *refusal;
} notation;

static ll_status read_bytes(ll_arena *arena, const char *text, size_t size, const notation *as, const uint8_t **bytes,
                            ll_problem *problem)
{
    uint8_t *out = ll_arena_alloc(arena, size, 1);
    if (!out) {
        return LL_E_MEMORY;
    }
    size_t n = 0;
    for (const char *p = text; *p;) {
        uint8_t byte;
        size_t length = as->read(p, &byte);
        if (length == 0) {
            return LL_PROBLEM(problem, "'", text, as->refusal);
        }
        if (n == size) {
            return wrong_length(text, as->unit, size, problem);
        }
        out[n++] = byte;
        p += length;
    }
    *bytes = out;
    return n == size ? LL_OK : wrong_length(text, as->unit, size, problem);
}

ll_status ll_literal_hex(ll_arena *arena, const char *text, size_t size, const uint8_t **bytes, ll_problem *problem)
{
    static const notation hex = {read_pair, "byte", "' is not a list of hex pairs such as '00 1f a0'"};
    return read_bytes(arena, text + strspn(text, " "), size, &hex, bytes, problem);
}

ll_status ll_literal_chars(ll_arena *arena, const char *text, size_t size, const uint8_t **bytes, ll_problem *problem)
{
    static const notation chars = {read_char, "character", "' has an unknown escape; use \\0, \\xNN or \\\\"};
    return read_bytes(arena, text, size, &chars, bytes, problem);
}
