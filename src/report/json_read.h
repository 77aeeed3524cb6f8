/* The one place that reads JSON: a line of JSON Lines becomes a small read-only view with typed getters. A line is one
 * object, valid to the letter (RFC 8259, UTF-8), no longer and no deeper than the limits say; anything else is refused
 * with its column.
 *
 * cJSON builds the tree of a line that was checked here before: by itself it accepts more than JSON, cuts a text at a
 * NUL, and does not tell bad text from lack of memory. Its numbers are doubles, so integers above 2^53 are written and
 * read as strings. A stricter library would spare the check, about 200 lines, and cost a dependency. */
#ifndef LL_REPORT_JSON_READ_H
#define LL_REPORT_JSON_READ_H

#include "base/problem.h"

enum { LL_JSON_LINE_MAX = 1024 * 1024, LL_JSON_DEPTH_MAX = 16, LL_JSON_NUMBER_MAX = 40 };

struct cJSON;

/* Its texts live until ll_jsonr_close(). Zero-initialise. */
typedef struct ll_jsonr {
    struct cJSON *tree; /* NULL: holds nothing */
} ll_jsonr;

/* Reads the line, without its line feed. What the view held before is gone. LL_E_INPUT: refused; *problem has the
 * column and says why, its line stays as it is. */
ll_status ll_jsonr_open(ll_jsonr *json, const char *bytes, size_t size, ll_problem *problem);
void ll_jsonr_close(ll_jsonr *json);

bool ll_jsonr_has(const ll_jsonr *json, const char *key);
/* A text without a NUL. LL_E_INPUT: there is none of that key, and *problem says so. */
ll_status ll_jsonr_text(const ll_jsonr *json, const char *key, const char **out, ll_problem *problem);
/* A whole number from 0 on: up to 2^53 as a number, above that as a string of digits. */
ll_status ll_jsonr_u64(const ll_jsonr *json, const char *key, uint64_t *out, ll_problem *problem);
/* 16 hex digits in lower case, and nothing else. */
bool ll_read_hash(const char *digits, uint64_t *out);
ll_status ll_jsonr_hash(const ll_jsonr *json, const char *key, uint64_t *out, ll_problem *problem);

/* Says that a line was refused. Returns LL_E_INPUT. `problem` may be NULL. */
#define LL_REFUSE(problem, ...) ((void)LL_PROBLEM((problem), __VA_ARGS__), (ll_status)LL_E_INPUT)

#endif
