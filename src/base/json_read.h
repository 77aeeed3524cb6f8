/* Reads JSON Lines that lightlint wrote: a line, one object, is a read-only view with typed getters. */
#ifndef LL_BASE_JSON_READ_H
#define LL_BASE_JSON_READ_H

#include "base/bind.h"

enum { LL_JSON_LINE_MAX = 1024 * 1024 };

/* A view of one line. Texts are valid until the next ll_jsonr_open(). */
typedef struct ll_jsonr {
    ll_arena arena;
    const ll_yaml *root;
} ll_jsonr;

void ll_jsonr_init(ll_jsonr *json, const ll_allocator *allocator);
void ll_jsonr_free(ll_jsonr *json);

/* Reads a line without its line feed (json.h) and replaces the view. LL_E_INPUT: refused; *problem gets the column and
 * the reason, but keeps its line. LL_E_MEMORY. */
ll_status ll_jsonr_open(ll_jsonr *json, const char *bytes, size_t size, ll_problem *problem);

bool ll_jsonr_has(const ll_jsonr *json, const char *key);
/* Reads the value of a key. LL_E_INPUT: the key is missing or `read` refuses the value; *problem gets the column and
 * the reason, but keeps its line. */
ll_status ll_jsonr_get(const ll_jsonr *json, const char *key, ll_bind_fn *read, void *out, ll_problem *problem);
static inline ll_status ll_jsonr_text(const ll_jsonr *json, const char *key, const char **out, ll_problem *problem)
{
    return ll_jsonr_get(json, key, ll_bind_text, out, problem);
}
static inline ll_status ll_jsonr_u64(const ll_jsonr *json, const char *key, uint64_t *out, ll_problem *problem)
{
    return ll_jsonr_get(json, key, ll_bind_u64, out, problem);
}
static inline ll_status ll_jsonr_hash(const ll_jsonr *json, const char *key, uint64_t *out, ll_problem *problem)
{
    return ll_jsonr_get(json, key, ll_bind_hash, out, problem);
}

/* Sets *problem, which may be NULL, and returns LL_E_INPUT. */
#define LL_REFUSE(problem, ...) ((void)LL_PROBLEM((problem), __VA_ARGS__), (ll_status)LL_E_INPUT)

#endif
