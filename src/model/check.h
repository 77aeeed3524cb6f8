/* C checks: what they are called with, and how they report. A check reads the document and raises faults; which rule
 * reports them, the engine knows. A judge raises faults of its family, each of which has a rule of its own, as a parser
 * does: it runs before all rules, and may mark spans.
 *
 *     LL_REPORT(run, hint, at, ll_uint(1));                       one finding with its arguments
 *     LL_REPORT_RELATED(run, hint, at, related, ll_uint(1));      and a second place
 *
 * One with a patch is made with LL_MAKE_FAULT (fault.h) and handed to ll_report_fault(). */
#ifndef LL_MODEL_CHECK_H
#define LL_MODEL_CHECK_H

#include "base/text.h"
#include "model/fault.h"

typedef struct ll_check_run {
    const ll_doc *doc;
    uint32_t span;    /* the record to look at (all its elements); LL_NO_SPAN for checks of the whole file */
    ll_arena *arena;  /* scratch, lives until the file is done */
    const void *memo; /* what checks of the family look up (ll_check_def.needs) */
    void (*raise)(void *ctx, const ll_fault *fault);
    void *raise_ctx;
    ll_status status;   /* set to LL_E_MEMORY when scratch ran out */
    uint32_t *searched; /* of the document */
} ll_check_run;

typedef struct ll_check_def {
    const char *name; /* slug with underscores; rules say "check: <family>.<name>" */
    bool whole_file;  /* run once per file; else once per span of the rule's records */
    void (*run)(ll_check_run *run);
    const char *meaning;               /* what the arguments {0}..{3} are */
    const void *(*needs)(ll_doc *doc); /* makes what it looks up, before it runs; NULL: nothing */
} ll_check_def;

/* LL_JUDGE of a <format>_checks.def. */
typedef void (*ll_judge_fn)(ll_doc *doc);
/* Runs the judges of the format over a sealed document, once, and says it if faults were dropped. */
void ll_doc_judge(ll_doc *doc);

static inline void ll_report_fault(ll_check_run *run, const ll_fault *fault)
{
    run->raise(run->raise_ctx, fault);
}
void ll_report_with(ll_check_run *run, unsigned hint, ll_where at, ll_where related, const ll_arg *args,
                    unsigned count);
#define LL_REPORT_RELATED(run, hint, at, related, ...) ll_report_with(run, hint, at, related, LL_ARGUMENTS(__VA_ARGS__))
#define LL_REPORT(run, hint, at, ...) LL_REPORT_RELATED(run, hint, at, ll_nowhere(), __VA_ARGS__)

/* Scratch, count * size bytes, not zeroed or zeroed. NULL and LL_E_MEMORY in run->status when there is none. */
void *ll_check_alloc(ll_check_run *run, size_t count, size_t size);
void *ll_check_zalloc(ll_check_run *run, size_t count, size_t size);

/* Arguments made of text: composed words, which are freed; bytes of any kind, escaped; the path of a place. */
ll_arg ll_text_arg(ll_check_run *run, ll_text *text);
ll_arg ll_escaped_arg(ll_check_run *run, const char *bytes, size_t length);
ll_arg ll_path_arg(ll_check_run *run, ll_where at);

#endif
