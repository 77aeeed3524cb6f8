/* Texts of status codes and severities, and the default allocator. The only file of the library that calls malloc. */
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static void *default_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size);
}

static void default_release(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

ll_allocator ll_allocator_or_default(const ll_allocator *given)
{
    if (given) {
        return *given;
    }
    return (ll_allocator){default_alloc, default_release, NULL};
}

/* realloc() can move the pages of a large block instead of copying them. */
void *ll_regrow(const ll_allocator *allocator, void *block, size_t used, size_t size)
{
    if (allocator->alloc == default_alloc) {
        return realloc(block, size);
    }
    void *larger = allocator->alloc(allocator->ctx, size);
    if (larger && block) {
        memcpy(larger, block, used);
        allocator->release(allocator->ctx, block);
    }
    return larger;
}

const char *ll_version(void)
{
    return LL_VERSION_STRING;
}

const char *ll_status_text(ll_status status)
{
    static const char *const text[] = {
        [LL_OK] = "ok",
        [LL_E_MEMORY] = "out of memory",
        [LL_E_ARGUMENT] = "arguments that do not fit the call",
        [LL_E_PACK] = "rule pack or selector refused",
        [LL_E_WRITE] = "output could not be written",
        [LL_E_INTERNAL] = "internal error",
        [LL_E_INPUT] = "input refused",
    };
    unsigned at = (unsigned)status;
    return at < sizeof text / sizeof text[0] && text[at] ? text[at] : "unknown status";
}

const char *ll_severity_text(ll_severity severity)
{
    static const char *const text[] = {"off", "note", "warning", "error"};
    unsigned at = (unsigned)severity;
    return at < 4 ? text[at] : "unknown";
}
