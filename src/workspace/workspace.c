/* The files of a run as a whole: what is kept of each of them. */
#include "report/report.h"

struct ll_workspace {
    ll_allocator allocator;
    const ll_ruleset *rules;
};

ll_status ll_workspace_create(const ll_allocator *allocator, const ll_ruleset *rules, ll_workspace **out)
{
    if (!out || !rules || !rules->sealed) {
        return LL_E_ARGUMENT;
    }
    ll_allocator a = ll_allocator_or_default(allocator);
    *out = a.alloc(a.ctx, sizeof **out);
    if (!*out) {
        return LL_E_MEMORY;
    }
    **out = (ll_workspace){a, rules};
    return LL_OK;
}

void ll_workspace_free(ll_workspace *workspace)
{
    if (workspace) {
        workspace->allocator.release(workspace->allocator.ctx, workspace);
    }
}

ll_status ll_workspace_add(ll_workspace *workspace, ll_report *report)
{
    return workspace && report ? LL_OK : LL_E_ARGUMENT;
}

ll_status ll_workspace_add_name(ll_workspace *workspace, const char *path)
{
    return workspace && path ? LL_OK : LL_E_ARGUMENT;
}

ll_status ll_workspace_add_folder(ll_workspace *workspace, const char *path)
{
    return workspace && path ? LL_OK : LL_E_ARGUMENT;
}

ll_status ll_workspace_add_manifest(ll_workspace *workspace, const char *path, const void *bytes, size_t size,
                                    ll_problem *problem)
{
    (void)problem;
    return workspace && path && (bytes || !size) ? LL_OK : LL_E_ARGUMENT;
}

ll_status ll_workspace_merge(ll_workspace *into, const ll_workspace *from)
{
    return into && from && into != from ? LL_OK : LL_E_ARGUMENT;
}

ll_status ll_workspace_write(const ll_workspace *workspace, ll_write_fn write, void *ctx)
{
    (void)ctx;
    return workspace && write ? LL_OK : LL_E_ARGUMENT;
}

ll_status ll_workspace_read(ll_workspace *workspace, const char *lines, size_t size, ll_problem *problem)
{
    (void)problem;
    return workspace && (lines || !size) ? LL_OK : LL_E_ARGUMENT;
}

ll_status ll_workspace_join(ll_workspace *workspace)
{
    return workspace ? LL_OK : LL_E_ARGUMENT;
}

size_t ll_workspace_file_count(const ll_workspace *workspace)
{
    (void)workspace;
    return 0;
}

bool ll_workspace_file_at(const ll_workspace *workspace, size_t index, ll_workspace_file *out)
{
    (void)workspace;
    (void)index;
    (void)out;
    return false;
}

ll_status ll_workspace_report(const ll_workspace *workspace, const ll_ruleset *rules, size_t index, const void *bytes,
                              size_t size, const ll_lint_options *options, ll_report *report)
{
    (void)bytes;
    (void)size;
    (void)options;
    return workspace && rules && report && index < ll_workspace_file_count(workspace) ? LL_OK : LL_E_ARGUMENT;
}

void ll_workspace_summarize(const ll_workspace *workspace, ll_workspace_summary *out)
{
    (void)workspace;
    *out = (ll_workspace_summary){0};
}

bool ll_workspace_notice_at(const ll_workspace *workspace, size_t index, ll_workspace_notice *out)
{
    (void)workspace;
    (void)index;
    (void)out;
    return false;
}

ll_status ll_workspace_print(const ll_workspace *workspace, const char *format, ll_write_fn write, void *ctx)
{
    (void)ctx;
    return workspace && format && write ? LL_OK : LL_E_ARGUMENT;
}
