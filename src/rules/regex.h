/* The one file that knows PCRE2. Patterns match bytes, not UTF-8; \C and callouts are refused; match, depth and heap
 * are limited, each match by itself and those of one matcher together, so that no pattern and no file can hang or
 * exhaust us. */
#ifndef LL_RULES_REGEX_H
#define LL_RULES_REGEX_H

#include "model/doc.h"

typedef struct ll_regex ll_regex;

/* Compiles (JIT where there is one). `$` matches at the very end only, not before a line feed there. The struct's
 * memory is from `allocator`, PCRE2's from malloc. On LL_E_PACK *problem holds PCRE2's words and the place in the
 * pattern. Immutable afterwards, and shared by threads. */
ll_status ll_regex_create(const ll_allocator *allocator, const char *pattern, ll_regex **out, ll_problem *problem);
void ll_regex_free(ll_regex *regex);

/* What matching needs besides the pattern: one for all matches of one file, of one thread at a time. Zeros at first. */
typedef struct ll_matcher {
    void *data, *limits; /* NULL until the first match */
    uint64_t spent;      /* steps that counted */
    uint64_t undecided;  /* counted by whoever asks: matches that were not decided, */
    const char *pattern; /* and the first of them: what, */
    ll_where at;         /* and where */
} ll_matcher;
void ll_matcher_free(ll_matcher *matcher);

typedef enum ll_regex_result {
    LL_REGEX_NO,
    LL_REGEX_YES,
    LL_REGEX_LIMIT, /* not decided within the limits */
    LL_REGEX_MEMORY
} ll_regex_result;
ll_regex_result ll_regex_match(const ll_regex *regex, ll_matcher *matcher, const uint8_t *bytes, size_t size);

#endif
