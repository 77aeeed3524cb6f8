/* Regular expressions; the only user of PCRE2. Patterns match bytes, not UTF-8; \C and callouts are refused. Steps,
 * depth and heap of a match are limited, and so are the steps of all matches of one matcher, so that no pattern and no
 * file can hang the program or exhaust its memory. */
#ifndef LL_RULES_REGEX_H
#define LL_RULES_REGEX_H

#include "model/doc.h"

typedef struct ll_regex ll_regex;

/* Compiles a pattern, with JIT if available. `$` matches only at the very end, not before a final line feed. The struct
 * comes from `allocator`, the memory of PCRE2 from malloc. On LL_E_PACK *problem holds the message of PCRE2 and the
 * offset in the pattern. The result is immutable and may be shared by threads. */
ll_status ll_regex_create(const ll_allocator *allocator, const char *pattern, ll_regex **out, ll_problem *problem);
void ll_regex_free(ll_regex *regex);

/* The state of matching for one file: used by one thread at a time, for all patterns. Starts as zeros. */
typedef struct ll_matcher {
    void *data, *limits; /* of PCRE2; NULL until the first match */
    uint64_t spent;      /* steps that count against the limit of the file */
    uint64_t undecided;  /* matches that exceeded a limit; counted by the caller of ll_regex_match() */
    const char *pattern; /* the pattern of the first of them, */
    ll_where at;         /* and the place where it was tried */
} ll_matcher;
void ll_matcher_free(ll_matcher *matcher);

typedef enum ll_regex_result {
    LL_REGEX_NO,
    LL_REGEX_YES,
    LL_REGEX_LIMIT, /* undecided: a limit was exceeded */
    LL_REGEX_MEMORY
} ll_regex_result;
ll_regex_result ll_regex_match(const ll_regex *regex, ll_matcher *matcher, const uint8_t *bytes, size_t size);

#endif
