/* Compiles and runs patterns with PCRE2. Trusts neither patterns, which come from packs, nor subjects, which come from
 * files: refuses options that would not work on bytes, and limits steps, depth and heap. */
#include "rules/regex.h"

#include "base/problem.h"
#include "base/text.h"

#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct ll_regex {
    ll_allocator allocator; /* of this struct; PCRE2 uses malloc */
    pcre2_code *code;
    bool jit;
};

enum { DEPTH_LIMIT = 1000, HEAP_LIMIT_KIB = 256 };

/* The steps of a match are limited. PCRE2 does not report the steps that a match took, only that it exceeded a limit.
 * So each match is tried with the first limit and, if that is exceeded, again with the next. A try counts its limit as
 * spent if it exceeds it, or if it is not the first. After BUDGET steps of a file, matches get only the first limit;
 * after twice as many, nothing is matched any more. */
static const uint32_t match_limits[] = {1000, 10000, 100000};
enum { MATCH_LIMITS = 3, BUDGET = 10000000 };

/* ------------------------------------------------------------------ compiling */

static ll_status refuse(const char *pattern, int error, size_t offset, ll_problem *problem)
{
    PCRE2_UCHAR words[160];
    char place[LL_DIGITS_MAX];
    if (error == PCRE2_ERROR_HEAP_FAILED) {
        return LL_E_MEMORY;
    }
    if (pcre2_get_error_message(error, words, sizeof words) < 0) {
        memcpy(words, "unknown error", sizeof "unknown error");
    }
    return LL_PROBLEM(problem, "pattern '", pattern, "' is refused at offset ", ll_digits(offset, place), ": ",
                      (const char *)words);
}

static int refuse_callout(pcre2_callout_enumerate_block *block, void *ctx)
{
    *(size_t *)ctx = block->pattern_position;
    return 1;
}

static ll_status compile(ll_regex *regex, const char *pattern, ll_problem *problem)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context) {
        return LL_E_MEMORY;
    }
    /* Do not depend on the defaults that PCRE2 was built with. */
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    (void)pcre2_set_bsr(context, PCRE2_BSR_ANYCRLF);
    int error = 0;
    size_t offset = 0;
    uint32_t options = PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_DOLLAR_ENDONLY;
    regex->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &error, &offset, context);
    pcre2_compile_context_free(context);
    if (!regex->code) {
        return refuse(pattern, error, offset, problem);
    }
    if (pcre2_callout_enumerate(regex->code, refuse_callout, &offset) != 0) {
        return LL_PROBLEM(problem, "pattern '", pattern, "' is refused: callouts are not supported");
    }
    /* Measured on name patterns: JIT compilation takes 15 to 50 us for a pattern and halves the time of each match; for
     * a dozen patterns that is less than a tenth of the start of the process. If JIT is not available or does not
     * support the pattern, the interpreter is used. */
    size_t jit_size = 0;
    (void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE);
    regex->jit = pcre2_pattern_info(regex->code, PCRE2_INFO_JITSIZE, &jit_size) == 0 && jit_size > 0;
    return LL_OK;
}

ll_status ll_regex_create(const ll_allocator *allocator, const char *pattern, ll_regex **out, ll_problem *problem)
{
    ll_allocator source = ll_allocator_or_default(allocator);
    *out = NULL;
    ll_regex *regex = source.alloc(source.ctx, sizeof *regex);
    if (!regex) {
        return LL_E_MEMORY;
    }
    *regex = (ll_regex){.allocator = source};
    ll_status status = compile(regex, pattern, problem);
    if (status != LL_OK) {
        ll_regex_free(regex);
        return status;
    }
    *out = regex;
    return LL_OK;
}

void ll_regex_free(ll_regex *regex)
{
    if (regex) {
        ll_allocator allocator = regex->allocator;
        pcre2_code_free(regex->code);
        allocator.release(allocator.ctx, regex);
    }
}

/* ------------------------------------------------------------------ matching */

void ll_matcher_free(ll_matcher *matcher)
{
    pcre2_match_data_free(matcher->data);
    pcre2_match_context_free(matcher->limits);
    *matcher = (ll_matcher){.data = NULL};
}

static bool prepare(ll_matcher *matcher)
{
    if (!matcher->data) {
        matcher->data = pcre2_match_data_create(1, NULL);
    }
    if (!matcher->limits) {
        matcher->limits = pcre2_match_context_create(NULL);
        if (matcher->limits) {
            (void)pcre2_set_depth_limit(matcher->limits, DEPTH_LIMIT);
            (void)pcre2_set_heap_limit(matcher->limits, HEAP_LIMIT_KIB);
        }
    }
    return matcher->data && matcher->limits;
}

static int match(const ll_regex *regex, const ll_matcher *matcher, PCRE2_SPTR subject, size_t size)
{
    int result = PCRE2_ERROR_JIT_STACKLIMIT;
    if (regex->jit) {
        result = pcre2_jit_match(regex->code, subject, size, 0, 0, matcher->data, matcher->limits);
    }
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
        /* The interpreter has more stack, and gives the same result as without JIT. */
        result = pcre2_match(regex->code, subject, size, 0, PCRE2_NO_JIT, matcher->data, matcher->limits);
    }
    return result;
}

ll_regex_result ll_regex_match(const ll_regex *regex, ll_matcher *matcher, const uint8_t *bytes, size_t size)
{
    if (!prepare(matcher)) {
        return LL_REGEX_MEMORY;
    }
    unsigned most = matcher->spent < BUDGET ? MATCH_LIMITS : matcher->spent < 2 * BUDGET ? 1 : 0;
    int result = PCRE2_ERROR_MATCHLIMIT;
    for (unsigned i = 0; i < most && result == PCRE2_ERROR_MATCHLIMIT; i++) {
        (void)pcre2_set_match_limit(matcher->limits, match_limits[i]);
        result = match(regex, matcher, size ? bytes : (PCRE2_SPTR) "", size);
        matcher->spent += i || result == PCRE2_ERROR_MATCHLIMIT ? match_limits[i] : 0;
    }
    switch (result) {
    case PCRE2_ERROR_NOMATCH:
        return LL_REGEX_NO;
    case PCRE2_ERROR_NOMEMORY:
        return LL_REGEX_MEMORY;
    default:
        return result >= 0 ? LL_REGEX_YES : LL_REGEX_LIMIT;
    }
}
