/* For C checks: runs judges, and provides faults with arguments, scratch memory, and text as an argument. */
#include "model/check.h"

#include "model/format.h"
#include "model/value.h"

void ll_doc_judge(ll_doc *doc)
{
    const size_t count = doc->format && !doc->opaque && !doc->judged ? doc->format->judge_count : 0;
    for (size_t i = 0; i < count && doc->status == LL_OK; i++) {
        doc->format->judges[i](doc);
    }
    if (!doc->judged && doc->faults_dropped) {
        LL_RAISE(doc, LL_FAULT_LIMIT, 0, ll_at_bytes(LL_NO_SPAN, 0, doc->size), ll_word("faults of one file"),
                 ll_uint(doc->faults_dropped));
    }
    doc->judged = true;
}

static void *or_no_memory(ll_check_run *run, void *memory)
{
    if (!memory) {
        run->status = LL_E_MEMORY;
    }
    return memory;
}

void *ll_check_alloc(ll_check_run *run, size_t count, size_t size)
{
    return or_no_memory(run, ll_arena_alloc(run->arena, count, size));
}

void *ll_check_zalloc(ll_check_run *run, size_t count, size_t size)
{
    return or_no_memory(run, ll_arena_zalloc(run->arena, count, size));
}

void ll_report_with(ll_check_run *run, unsigned hint, ll_where at, ll_where related, const ll_arg *args, unsigned count)
{
    ll_fault fault = ll_fault_with(0, hint, at, related, args, count);
    ll_report_fault(run, &fault);
}

ll_arg ll_text_arg(ll_check_run *run, ll_text *text)
{
    char *copy = or_no_memory(run, text->failed ? NULL : ll_arena_copy(run->arena, text->data, text->length));
    ll_text_free(text);
    return ll_word(copy ? copy : "");
}

ll_arg ll_escaped_arg(ll_check_run *run, const char *bytes, size_t length)
{
    ll_text text;
    ll_text_init(&text, &run->arena->allocator);
    ll_text_escape(&text, bytes, length);
    return ll_text_arg(run, &text);
}

ll_arg ll_path_arg(ll_check_run *run, ll_where at)
{
    ll_text text;
    ll_text_init(&text, &run->arena->allocator);
    ll_path_text(run->doc, &at, &text);
    return ll_text_arg(run, &text);
}
