/* The only reader of JSON: turns a line of JSON Lines into a read-only view with typed getters. A line is one object,
 * strictly valid (RFC 8259, UTF-8) and within the limits below; anything else is refused, with its column.
 *
 * cJSON builds the tree of a line that was checked here before: by itself it accepts more than JSON, cuts a text at a
 * NUL, and does not tell bad text from lack of memory. Its numbers are doubles, so integers above 2^53 are written and
 * read as strings. A stricter library would spare the check, about 200 lines, and cost a dependency. */
#ifndef LL_BASE_JSON_READ_H
#define LL_BASE_JSON_READ_H

#include "base/problem.h"

enum { LL_JSON_LINE_MAX = 1024 * 1024, LL_JSON_DEPTH_MAX = 16, LL_JSON_NUMBER_MAX = 40 };

struct cJSON;

/* A view of one line. Zero-initialise it. Texts are valid until ll_jsonr_close(). */
typedef struct ll_jsonr {
    struct cJSON *tree; /* NULL: empty */
} ll_jsonr;

/* Reads a line without its line feed and replaces the view. LL_E_INPUT: refused; *problem gets the column and the
 * reason, but keeps its line. */
ll_status ll_jsonr_open(ll_jsonr *json, const char *bytes, size_t size, ll_problem *problem);
void ll_jsonr_close(ll_jsonr *json);

bool ll_jsonr_has(const ll_jsonr *json, const char *key);
/* Reads a string without NUL. LL_E_INPUT: the key is missing or not such a string; see *problem. */
ll_status ll_jsonr_text(const ll_jsonr *json, const char *key, const char **out, ll_problem *problem);
/* Reads a whole number >= 0: a JSON number up to 2^53, or a string of digits. */
ll_status ll_jsonr_u64(const ll_jsonr *json, const char *key, uint64_t *out, ll_problem *problem);
/* Reads exactly 16 lower-case hex digits. False: anything else. */
bool ll_read_hash(const char *digits, uint64_t *out);
ll_status ll_jsonr_hash(const ll_jsonr *json, const char *key, uint64_t *out, ll_problem *problem);

/* Sets *problem, which may be NULL, and returns LL_E_INPUT. */
#define LL_REFUSE(problem, ...) ((void)LL_PROBLEM((problem), __VA_ARGS__), (ll_status)LL_E_INPUT)

#endif
