/* PCRE2 behind a few functions. Trusts neither patterns (they come from packs) nor subjects (they come from files):
 * options that would leave the byte world are refused, everything that can grow is limited. A compiled pattern is
 * shared by threads, so matching never uses the allocator that made it: small blocks come from the matcher, large ones
 * (the interpreter's frames) from the matcher's allocator. */
#include "rules/regex.h"

#include "base/problem.h"

#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct ll_regex {
    ll_allocator allocator;
    pcre2_code *code;
    pcre2_match_context *limits;
    bool jit;
};

enum { MATCH_LIMIT = 100000, DEPTH_LIMIT = 1000, HEAP_LIMIT_KIB = 256 };

/* ------------------------------------------------------------------ memory */

static void *take(size_t size, void *ctx)
{
    ll_allocator *allocator = ctx;
    return allocator->alloc(allocator->ctx, size);
}

static void give_back(void *block, void *ctx)
{
    ll_allocator *allocator = ctx;
    if (block) {
        allocator->release(allocator->ctx, block);
    }
}

static void *matcher_take(size_t size, void *ctx)
{
    ll_matcher *m = ctx;
    enum { ALIGN = 16 };
    if (size > sizeof m->bytes - m->used) {
        return m->allocator->alloc(m->allocator->ctx, size);
    }
    void *block = m->bytes + m->used;
    m->used += (size + ALIGN - 1) / ALIGN * ALIGN;
    return block;
}

static void matcher_give_back(void *block, void *ctx)
{
    ll_matcher *m = ctx;
    uintptr_t at = (uintptr_t)block;
    uintptr_t start = (uintptr_t)m->bytes;
    if (block && (at < start || at - start >= sizeof m->bytes)) {
        m->allocator->release(m->allocator->ctx, block);
    }
}

/* ------------------------------------------------------------------ compiling */

static ll_status refuse(const char *pattern, int error, size_t offset, ll_problem *problem)
{
    PCRE2_UCHAR words[160];
    char place[24];
    size_t at = sizeof place;
    if (error == PCRE2_ERROR_HEAP_FAILED) {
        return LL_E_MEMORY;
    }
    if (pcre2_get_error_message(error, words, sizeof words) < 0) {
        memcpy(words, "unknown error", sizeof "unknown error");
    }
    place[--at] = '\0';
    do {
        place[--at] = (char)('0' + offset % 10);
        offset /= 10;
    } while (offset);
    return LL_PROBLEM(problem, "pattern '", pattern, "' is refused at offset ", place + at, ": ", (const char *)words);
}

static int refuse_callout(pcre2_callout_enumerate_block *block, void *ctx)
{
    *(size_t *)ctx = block->pattern_position;
    return 1;
}

static ll_status compile(ll_regex *regex, pcre2_general_context *memory, const char *pattern, ll_problem *problem)
{
    pcre2_compile_context *context = pcre2_compile_context_create(memory);
    regex->limits = pcre2_match_context_create(memory);
    if (!context || !regex->limits) {
        pcre2_compile_context_free(context);
        return LL_E_MEMORY;
    }
    /* Not what the library happens to be built with. */
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    (void)pcre2_set_bsr(context, PCRE2_BSR_ANYCRLF);
    (void)pcre2_set_match_limit(regex->limits, MATCH_LIMIT);
    (void)pcre2_set_depth_limit(regex->limits, DEPTH_LIMIT);
    (void)pcre2_set_heap_limit(regex->limits, HEAP_LIMIT_KIB);
    int error = 0;
    size_t offset = 0;
    uint32_t options = PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_DOLLAR_ENDONLY;
    regex->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &error, &offset, context);
    pcre2_compile_context_free(context);
    if (!regex->code) {
        return refuse(pattern, error, offset, problem);
    }
    if (pcre2_callout_enumerate(regex->code, refuse_callout, &offset) != 0) {
        return LL_PROBLEM(problem, "pattern '", pattern, "' is refused: callouts mean nothing here");
    }
    /* Measured on name patterns: 15 to 50 us a pattern, and half of the time of each match is saved; a dozen patterns
     * stay below a tenth of starting the process. Where there is no JIT, or the pattern will not have it, the
     * interpreter matches. */
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
    pcre2_general_context *memory = pcre2_general_context_create(take, give_back, &regex->allocator);
    ll_status status = memory ? compile(regex, memory, pattern, problem) : LL_E_MEMORY;
    pcre2_general_context_free(memory);
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
        pcre2_match_context_free(regex->limits);
        allocator.release(allocator.ctx, regex);
    }
}

/* ------------------------------------------------------------------ matching */

void ll_matcher_init(ll_matcher *matcher, const ll_allocator *allocator)
{
    matcher->allocator = allocator;
    matcher->data = NULL;
    matcher->used = 0;
}

void ll_matcher_free(ll_matcher *matcher)
{
    pcre2_match_data_free(matcher->data);
    matcher->data = NULL;
}

/* Context and match data, some 200 bytes, come from the matcher's own. The context is not needed afterwards. */
static bool prepare(ll_matcher *matcher)
{
    if (!matcher->data) {
        matcher->used = 0;
        pcre2_general_context *context = pcre2_general_context_create(matcher_take, matcher_give_back, matcher);
        matcher->data = context ? pcre2_match_data_create(1, context) : NULL;
        pcre2_general_context_free(context);
    }
    return matcher->data != NULL;
}

ll_regex_result ll_regex_match(const ll_regex *regex, ll_matcher *matcher, const uint8_t *bytes, size_t size)
{
    if (!prepare(matcher)) {
        return LL_REGEX_MEMORY;
    }
    PCRE2_SPTR subject = size ? bytes : (PCRE2_SPTR) "";
    int result = PCRE2_ERROR_JIT_STACKLIMIT;
    if (regex->jit) {
        result = pcre2_jit_match(regex->code, subject, size, 0, 0, matcher->data, regex->limits);
    }
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
        /* The interpreter has more room, and decides as where there is no JIT. */
        result = pcre2_match(regex->code, subject, size, 0, PCRE2_NO_JIT, matcher->data, regex->limits);
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
