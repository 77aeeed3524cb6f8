/* Reads a line of JSON. Checks the grammar first, without recursion, because cJSON accepts more than JSON, cuts strings
 * at a NUL and reports out of memory like a syntax error. After the check only memory can fail. */
#include "base/json_read.h"

#include "base/text.h"

#include <cjson/cJSON.h>

#include <math.h>

/* ------------------------------------------------------------------ grammar */

typedef struct scan {
    const uint8_t *p;
    size_t n, at;
    uint32_t objects; /* one bit per level: 1 object, 0 array */
    unsigned depth;
    const char *why; /* the first error, found at `at` */
} scan;
_Static_assert(LL_JSON_DEPTH_MAX < 32, "a bit per level");

static bool fault(scan *s, const char *why)
{
    s->why = s->why ? s->why : why;
    return false;
}

/* The byte at `at`; 0 at the end, since no NUL is valid anywhere. */
static uint8_t peek(const scan *s)
{
    return s->at < s->n ? s->p[s->at] : 0;
}

static void skip_space(scan *s)
{
    while (s->at < s->n && (s->p[s->at] == ' ' || s->p[s->at] == '\t' || s->p[s->at] == '\r' || s->p[s->at] == '\n')) {
        s->at++;
    }
}

/* Reads the four hex digits after "\u". False: they are missing. */
static bool take_unit(scan *s, uint32_t *out)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint8_t c = peek(s);
        uint8_t low = c | 0x20;
        bool digit = c >= '0' && c <= '9';
        if (!digit && (low < 'a' || low > 'f')) {
            return fault(s, "\\u needs four hex digits");
        }
        value = value << 4 | (uint32_t)(digit ? c - '0' : low - 'a' + 10);
        s->at++;
    }
    *out = value;
    return true;
}

static bool take_escape(scan *s)
{
    uint32_t unit = 0;
    uint32_t second = 0;
    s->at++;
    uint8_t c = peek(s);
    if (c != 'u') {
        if (!c || !strchr("\"\\/bfnrt", c)) {
            return fault(s, "not a JSON escape");
        }
        s->at++;
        return true;
    }
    s->at++;
    if (!take_unit(s, &unit)) {
        return false;
    }
    if (unit == 0) {
        return fault(s, "a NUL in a text");
    }
    if (unit < 0xD800 || unit > 0xDFFF) {
        return true;
    }
    bool pair = unit < 0xDC00 && s->n - s->at >= 2 && s->p[s->at] == '\\' && s->p[s->at + 1] == 'u';
    s->at += pair ? 2 : 0;
    if (!pair || !take_unit(s, &second) || second < 0xDC00 || second > 0xDFFF) {
        return fault(s, "half of a surrogate pair");
    }
    return true;
}

static bool take_string(scan *s)
{
    if (peek(s) != '"') {
        return fault(s, "expected a text in quotation marks");
    }
    s->at++;
    while (s->at < s->n) {
        uint8_t c = s->p[s->at];
        if (c == '"') {
            s->at++;
            return true;
        }
        if (c == '\\') {
            if (!take_escape(s)) {
                return false;
            }
            continue;
        }
        size_t length = c < 0x20 ? 0 : ll_utf8_length(s->p + s->at, s->n - s->at);
        if (!length) {
            return fault(s, c < 0x20 ? "a control character in a text" : "not UTF-8");
        }
        s->at += length;
    }
    return fault(s, "the text does not end");
}

static size_t take_digits(scan *s)
{
    size_t from = s->at;
    while (peek(s) >= '0' && peek(s) <= '9') {
        s->at++;
    }
    return s->at - from;
}

static bool take_number(scan *s)
{
    size_t from = s->at;
    s->at += peek(s) == '-';
    bool zero = peek(s) == '0';
    size_t digits = take_digits(s);
    bool fine = digits == 1 || (digits > 1 && !zero);
    if (fine && peek(s) == '.') {
        s->at++;
        fine = take_digits(s) > 0;
    }
    if (fine && (peek(s) | 0x20) == 'e') {
        s->at++;
        s->at += peek(s) == '+' || peek(s) == '-';
        fine = take_digits(s) > 0;
    }
    return fine && s->at - from <= LL_JSON_NUMBER_MAX ? true : fault(s, "not a JSON number");
}

/* Reads a string, number or word; afterwards no value can follow directly. */
static bool take_scalar(scan *s, bool *value)
{
    static const char *const words[] = {"true", "false", "null"};
    uint8_t c = peek(s);
    *value = false;
    if (c == '"') {
        return take_string(s);
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        return take_number(s);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (s->n - s->at >= n && memcmp(s->p + s->at, words[i], n) == 0) {
            s->at += n;
            return true;
        }
    }
    return fault(s, s->at < s->n ? "expected a value" : "the line ends early");
}

static bool in_object(const scan *s)
{
    return s->objects >> s->depth & 1;
}

static bool take_key(scan *s)
{
    skip_space(s);
    if (!take_string(s)) {
        return false;
    }
    skip_space(s);
    if (peek(s) != ':') {
        return fault(s, "expected ':' after a key");
    }
    s->at++;
    return true;
}

/* Enters an object or array at '{' or '['; leaves it again if it is empty. *value: a value comes next. */
static bool go_in(scan *s, bool *value)
{
    bool object = peek(s) == '{';
    if (s->depth == LL_JSON_DEPTH_MAX) {
        return fault(s, "too deep");
    }
    s->depth++;
    s->objects = (s->objects & ~((uint32_t)1 << s->depth)) | (uint32_t)object << s->depth;
    s->at++;
    skip_space(s);
    *value = peek(s) != (object ? '}' : ']');
    if (!*value) {
        s->depth--;
        s->at++;
        return true;
    }
    return !object || take_key(s);
}

/* Reads what follows a value: a comma, or the end of its object or array. *value: a value comes next. */
static bool go_on(scan *s, bool *value)
{
    uint8_t c = peek(s);
    *value = c == ',';
    if (c != ',' && c != (in_object(s) ? '}' : ']')) {
        return fault(s, s->at < s->n ? "expected ',' or the end of the object" : "the line ends early");
    }
    s->at++;
    s->depth -= !*value;
    return !*value || !in_object(s) || take_key(s);
}

static bool check(scan *s)
{
    bool value = true; /* a value comes next; else what follows one */
    skip_space(s);
    if (peek(s) != '{') {
        return fault(s, "a line is one JSON object: expected '{'");
    }
    do {
        skip_space(s);
        bool enters = peek(s) == '{' || peek(s) == '[';
        if (!(!value ? go_on(s, &value) : enters ? go_in(s, &value) : take_scalar(s, &value))) {
            return false;
        }
    } while (s->depth);
    skip_space(s);
    return s->at == s->n || fault(s, "unexpected text after the object");
}

/* ------------------------------------------------------------------ view */

ll_status ll_jsonr_open(ll_jsonr *json, const char *bytes, size_t size, ll_problem *problem)
{
    scan s = {.p = (const uint8_t *)bytes, .n = size};
    ll_jsonr_close(json);
    if (size > LL_JSON_LINE_MAX) {
        return LL_REFUSE(problem, "the line is longer than 1 MiB");
    }
    if (!check(&s)) {
        if (problem) {
            problem->column = (unsigned)s.at + 1;
        }
        return LL_REFUSE(problem, "not JSON: ", s.why);
    }
    json->tree = cJSON_ParseWithLength(bytes, size);
    return json->tree ? LL_OK : LL_E_MEMORY;
}

void ll_jsonr_close(ll_jsonr *json)
{
    cJSON_Delete(json->tree); /* NULL is fine */
    json->tree = NULL;
}

bool ll_jsonr_has(const ll_jsonr *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json->tree, key) != NULL;
}

static ll_status refuse_key(const ll_jsonr *json, const char *key, const char *expected, ll_problem *problem)
{
    return ll_jsonr_has(json, key) ? LL_REFUSE(problem, "key '", key, "': expected ", expected)
                                   : LL_REFUSE(problem, "missing key '", key, "'; expected ", expected);
}

ll_status ll_jsonr_text(const ll_jsonr *json, const char *key, const char **out, ll_problem *problem)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json->tree, key));
    if (!text) {
        return refuse_key(json, key, "a text", problem);
    }
    *out = text;
    return LL_OK;
}

static bool read_digits(const char *digits, uint64_t *out)
{
    uint64_t value = 0;
    for (const char *p = digits; *p; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (*p < '0' || *p > '9' || value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return *digits != '\0';
}

ll_status ll_jsonr_u64(const ll_jsonr *json, const char *key, uint64_t *out, ll_problem *problem)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json->tree, key);
    if (cJSON_IsString(item) && read_digits(item->valuestring, out)) {
        return LL_OK;
    }
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (value < 0 || value > (double)(UINT64_C(1) << 53) || floor(value) < value) {
        return refuse_key(json, key, "a whole number", problem);
    }
    *out = (uint64_t)value;
    return LL_OK;
}

bool ll_read_hash(const char *digits, uint64_t *out)
{
    static const char hex[] = "0123456789abcdef";
    uint64_t value = 0;
    for (unsigned i = 0; i < 16; i++) {
        const char *at = digits[i] ? strchr(hex, digits[i]) : NULL;
        if (!at) {
            return false;
        }
        value = value << 4 | (uint64_t)(at - hex);
    }
    *out = value;
    return !digits[16];
}

ll_status ll_jsonr_hash(const ll_jsonr *json, const char *key, uint64_t *out, ll_problem *problem)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json->tree, key));
    return text && ll_read_hash(text, out) ? LL_OK : refuse_key(json, key, "16 hex digits in lower case", problem);
}
