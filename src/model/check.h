/* C checks: what they are called with, and how they report. A check reads the document and raises faults; the engine
 * knows the rule that reports them. A judge runs before all rules. Like the reader, it raises faults of its family,
 * each with a rule of its own, and may mark spans.
 *
 *     LL_REPORT(run, hint, at, ll_uint(1));                       one finding with its arguments
 *     LL_REPORT_RELATED(run, hint, at, related, ll_uint(1));      and a second place
 *
 * For a finding with a patch, make a fault with LL_MAKE_FAULT (fault.h) and pass it to ll_report_fault(). */
#ifndef LL_MODEL_CHECK_H
#define LL_MODEL_CHECK_H

#include "base/text.h"
#include "model/fault.h"

typedef struct ll_check_run {
    const ll_doc *doc;
    uint32_t span;    /* the record to check, with all its elements; LL_NO_SPAN: the check is about the whole file */
    ll_arena *arena;  /* scratch memory; lives until the file is done */
    const void *memo; /* what `needs` of the check returned */
    void (*raise)(void *ctx, const ll_fault *fault);
    void *raise_ctx;
    ll_status status;   /* LL_E_MEMORY once scratch memory ran out */
    uint32_t *searched; /* doc->searched */
} ll_check_run;

typedef struct ll_check_def {
    const char *name; /* slug with underscores; rules say "check: <family>.<name>" */
    bool whole_file;  /* runs once for each file; else once for each span of the rule's records */
    void (*run)(ll_check_run *run);
    const char *meaning;               /* what the arguments {0}..{3} are */
    const void *(*needs)(ll_doc *doc); /* builds what the check looks things up in (ll_doc_memo()); NULL: nothing */
} ll_check_def;

/* A judge: LL_JUDGE of a <format>_checks.def. */
typedef void (*ll_judge_fn)(ll_doc *doc);
/* Runs the judges of the format on a sealed document, unless they have run. Raises LL_FAULT_LIMIT if faults were
 * dropped. */
void ll_doc_judge(ll_doc *doc);

static inline void ll_report_fault(ll_check_run *run, const ll_fault *fault)
{
    run->raise(run->raise_ctx, fault);
}
void ll_report_with(ll_check_run *run, unsigned hint, ll_where at, ll_where related, const ll_arg *args,
                    unsigned count);
#define LL_REPORT_RELATED(run, hint, at, related, ...) ll_report_with(run, hint, at, related, LL_ARGUMENTS(__VA_ARGS__))
#define LL_REPORT(run, hint, at, ...) LL_REPORT_RELATED(run, hint, at, ll_nowhere(), __VA_ARGS__)

/* Scratch memory, count * size bytes: ll_check_alloc() leaves it uninitialised, ll_check_zalloc() zeroes it. No memory:
 * NULL, and run->status is LL_E_MEMORY. */
void *ll_check_alloc(ll_check_run *run, size_t count, size_t size);
void *ll_check_zalloc(ll_check_run *run, size_t count, size_t size);

/* Arguments that are text: ll_text_arg() takes over a composed text and frees it; ll_escaped_arg() escapes bytes;
 * ll_path_arg() is the path of a place. The text lives in the scratch memory. */
ll_arg ll_text_arg(ll_check_run *run, ll_text *text);
ll_arg ll_escaped_arg(ll_check_run *run, const char *bytes, size_t length);
ll_arg ll_path_arg(ll_check_run *run, ll_where at);

#endif
