/* Reads a line of JSON Lines, and values in it by the readers of bind.h. */
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

ll_status ll_jsonr_get(const ll_jsonr *json, const char *key, ll_bind_fn *read, void *out, ll_problem *problem)
{
    const ll_yaml *value = ll_yaml_get(json->root, key);
    const ll_binder binder = {.problem = problem};
    unsigned line = problem ? problem->line : 0;
    ll_status status =
        value ? read(&binder, value, out) : LL_BIND_REFUSE(&binder, json->root, "the line lacks the key '", key, "'");
    (void)ll_problem_at(problem, line, problem ? problem->column : 0);
    return status == LL_E_PACK ? LL_E_INPUT : status;
}
