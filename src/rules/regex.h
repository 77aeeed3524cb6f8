/* The one room that knows PCRE2. Patterns match bytes, not UTF-8; \C and callouts are refused; match, depth and heap are limited, so
 * that no pattern and no file can hang or exhaust us. */
#ifndef LL_RULES_REGEX_H
#define LL_RULES_REGEX_H

#include "base/status.h"

typedef struct ll_regex ll_regex;

/* Compiles (JIT where there is one). `$` matches at the very end only, not before a line feed there. Memory from `allocator`. On LL_E_PACK
 * *problem holds PCRE2's words and the place in the pattern. Immutable afterwards. */
ll_status ll_regex_create(const ll_allocator *allocator, const char *pattern, ll_regex **out, ll_problem *problem);
void ll_regex_free(ll_regex *regex);

typedef enum ll_regex_result {
    LL_REGEX_NO,
    LL_REGEX_YES,
    LL_REGEX_LIMIT, /* not decided within the limits */
    LL_REGEX_MEMORY
} ll_regex_result;
/* Thread-safe. `allocator` is the caller's own, of its thread; JIT code asks it for nothing. */
ll_regex_result ll_regex_match(const ll_regex *regex, const ll_allocator *allocator, const uint8_t *bytes, size_t size);

#endif
