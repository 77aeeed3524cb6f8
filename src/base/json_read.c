/* Typed getters for a line of JSON Lines. */
#include "base/json_read.h"

#include "base/json.h"

#include <string.h>

void ll_jsonr_init(ll_jsonr *json, const ll_allocator *allocator)
{
    ll_arena_init(&json->arena, allocator, SIZE_MAX);
    json->root = NULL;
}

void ll_jsonr_free(ll_jsonr *json)
{
    ll_arena_free(&json->arena);
    json->root = NULL;
}

ll_status ll_jsonr_open(ll_jsonr *json, const char *bytes, size_t size, ll_problem *problem)
{
    unsigned line = problem ? problem->line : 0;
    json->root = NULL;
    ll_arena_reset(&json->arena);
    if (size > LL_JSON_LINE_MAX) {
        return LL_REFUSE(problem, "the line is longer than 1 MiB");
    }
    ll_status status = ll_json_read(&json->arena, &(ll_json_text){.bytes = bytes, .size = size}, &json->root, problem);
    if (status == LL_E_INPUT && problem) {
        problem->line = line;
    }
    return status;
}

bool ll_jsonr_has(const ll_jsonr *json, const char *key)
{
    return ll_yaml_get(json->root, key);
}

static ll_status refuse_value(const ll_yaml *value, const char *key, const char *expected, ll_problem *problem)
{
    if (problem) {
        problem->column = value ? value->column : 0;
    }
    return value ? LL_REFUSE(problem, "key '", key, "': expected ", expected)
                 : LL_REFUSE(problem, "missing key '", key, "'; expected ", expected);
}

ll_status ll_jsonr_text(const ll_jsonr *json, const char *key, const char **out, ll_problem *problem)
{
    const ll_yaml *value = ll_yaml_get(json->root, key);
    if (!value || value->kind != LL_YAML_SCALAR || value->plain) {
        return refuse_value(value, key, "a text", problem);
    }
    *out = value->text;
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
    const ll_yaml *value = ll_yaml_get(json->root, key);
    return value && read_digits(value->text, out) ? LL_OK : refuse_value(value, key, "a whole number", problem);
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
    const ll_yaml *value = ll_yaml_get(json->root, key);
    return value && !value->plain && ll_read_hash(value->text, out)
               ? LL_OK
               : refuse_value(value, key, "16 hex digits in lower case", problem);
}
