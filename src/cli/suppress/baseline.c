/* Implements baseline.h. Each baseline is read once. An entry is stale if its file was checked and had fewer findings
 * of the kind, or if its file is gone from a directory that was walked. An entry whose rule or file was not checked is
 * not stale. */
#include "cli/suppress/baseline.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/config/path.h"
#include "cli/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ll_baselines {
    const ll_options *options;
    ll_config *config;
    ll_baseline_file *first; /* sorted by path, so that the output does not depend on the order of operands */
};

/* ------------------------------------------------------------------ life */

ll_baselines *ll_baselines_open(const ll_options *options, ll_config *config)
{
    ll_baselines *all = ll_os_alloc(1, sizeof *all);
    *all = (ll_baselines){.options = options, .config = config};
    return all;
}

static void close_file(ll_baseline_file *file)
{
    ll_baseline_free(file->baseline);
    ll_os_buffer_free(&file->buffer);
    free(file);
}

void ll_baselines_close(ll_baselines *all)
{
    while (all && all->first) {
        ll_baseline_file *next = all->first->next;
        close_file(all->first);
        all->first = next;
    }
    free(all);
}

/* ------------------------------------------------------------------ reading */

static bool read_file(ll_baseline_file *file)
{
    ll_problem problem = {0};
    int error = ll_os_read(&file->buffer, file->path);
    if (error) {
        return ll_say("baseline '%s': %s%s", file->path, ll_os_error_text(error),
                      ll_os_is_missing(error) ? "; lightlint baseline create makes one" : "");
    }
    ll_need(ll_baseline_create(NULL, &file->baseline));
    return ll_accept(ll_baseline_read(file->baseline, file->buffer.bytes, file->buffer.size, &problem), file->path,
                     &problem);
}

bool ll_baselines_read(ll_baselines *all, const char *path, ll_baseline_file **out)
{
    ll_baseline_file **at = &all->first;
    *out = NULL;
    while (*at && strcmp((*at)->path, path) < 0) {
        at = &(*at)->next;
    }
    if (*at && strcmp((*at)->path, path) == 0) {
        *out = *at;
        return true;
    }
    ll_baseline_file *file = ll_os_alloc(1, sizeof *file);
    file->path = path;
    if (!read_file(file)) {
        close_file(file);
        return false;
    }
    file->next = *at;
    *at = *out = file;
    return true;
}

bool ll_baselines_find(ll_baselines *all, const ll_scope *scope, ll_baseline_file **out)
{
    const char *path = all ? ll_scope_baseline(scope) : NULL;
    *out = NULL;
    return !path || ll_baselines_read(all, path, out);
}

bool ll_baselines_load(ll_baselines *all, bool *any)
{
    const ll_options *options = all->options;
    size_t places = options->operand_count + (options->files_from != NULL); /* for --files-from, only the baseline of
                                                                             * "." is known before the list is read */
    bool fine = true;
    for (size_t i = 0; i < places && fine; i++) {
        const char *path = i < options->operand_count ? options->operands[i] : ".";
        ll_baseline_file *file = NULL;
        bool directory = ll_os_kind_of(path) == LL_OS_DIRECTORY;
        const ll_scope *scope = directory ? ll_config_scope(all->config, path) : ll_config_scope_of(all->config, path);
        fine = scope && ll_baselines_find(all, scope, &file);
    }
    *any = all->first != NULL;
    return fine;
}

/* ------------------------------------------------------------------ files that are gone */

/* Replaces each "\xNN" by the byte it stands for, in place. Returns true if there was one. */
static bool unescape(char *text)
{
    char *out = text;
    for (const char *in = text; *in;) {
        *out++ = (char)ll_unescaped_byte(&in);
    }
    bool any = *out != '\0'; /* the text became shorter */
    *out = '\0';
    return any;
}

enum { ENTRY_PATH_MAX = 2 * LL_CONFIG_PATH_MAX };

/* True if neither the file nor an archive that would contain it exists. Members that an archive has lost are noticed
 * when it is checked. */
static bool is_nowhere(char *path)
{
    bool gone = true;
    for (char *mark = strchr(path, '!'); gone && mark; mark = strchr(mark + 1, '!')) {
        *mark = '\0';
        gone = ll_os_kind_of(path) != LL_OS_FILE;
        *mark = '!';
    }
    return gone && ll_os_kind_of(path) == LL_OS_MISSING;
}

/* True if a file of the baseline does not exist; `path` is then set to its path. */
static bool is_missing(const ll_baseline_file *file, const char *name, char path[ENTRY_PATH_MAX])
{
    const char *slash =
        ll_path_is_absolute(name) ? NULL : strrchr(file->path, '/'); /* relative to the directory of the baseline */
    int n = snprintf(path, ENTRY_PATH_MAX, "%.*s%s", slash ? (int)(slash - file->path) + 1 : 0, file->path, name);
    bool gone = n > 0 && n < ENTRY_PATH_MAX && is_nowhere(path);
    if (gone && unescape(path)) { /* the name may contain escapes */
        gone = is_nowhere(path);
    }
    return gone;
}

bool ll_baselines_gone(ll_baselines *all, const ll_baseline_file *file, const ll_baseline_entry *entry)
{
    char path[ENTRY_PATH_MAX];
    return !entry->moved && is_missing(file, entry->file, path) && ll_config_walks(all->config, path, strlen(path));
}

/* ------------------------------------------------------------------ marks */

static bool is_gone(void *ctx, const char *name)
{
    char path[ENTRY_PATH_MAX];
    return is_missing(ctx, name, path);
}

ll_status ll_baselines_mark(ll_baseline_file *file, const ll_work *work, bool even_clean)
{
    bool moved = false;
    if (!file) {
        return LL_OK;
    }
    bool asks = even_clean || ll_report_finding_count(work->report);
    ll_status status = asks ? ll_baseline_may_follow(file->baseline, work->report, &moved) : LL_OK;
    if (status == LL_OK && moved) {
        ll_run_wait(work); /* if several files could be the moved one, take the first of the walk */
        ll_baseline_follow(file->baseline, work->report, is_gone, file);
    }
    return status == LL_OK ? ll_baseline_apply(file->baseline, work->report, file->path) : status;
}

/* ------------------------------------------------------------------ reports of stale entries */

/* The text of the finding about a stale entry. */
static const char *describe(ll_arena *arena, const ll_baseline_entry *e, bool gone)
{
    return gone ? ll_format(arena, "file '%s' is gone, and with it %s at '%s'", e->file, e->rule, e->path)
                : ll_format(arena, "%llu of %llu findings of %s at '%s' in '%s'", (unsigned long long)e->met,
                            (unsigned long long)e->count, e->rule, e->path, e->file);
}

/* Is the entry stale? With shards, only the first one reports files that are gone, as they belong to none. */
static bool is_stale(ll_baselines *all, const ll_baseline_file *file, const ll_baseline_entry *entry, ll_run *run,
                     bool *gone)
{
    bool asked = ll_run_asks(ll_run_joined(run), ll_config_base(all->config)->rules, entry->rule);
    *gone = !entry->judged && all->options->shard == 1 && ll_baselines_gone(all, file, entry);
    return *gone || (asked && entry->judged && entry->met < entry->count);
}

typedef LL_ARRAY(ll_remark) remarks;

static void collect(ll_baselines *all, const ll_baseline_file *file, ll_run *run, ll_arena *arena, remarks *out)
{
    ll_allocator allocator = ll_arena_allocator(arena);
    ll_baseline_entry entry;
    for (size_t i = 0; ll_baseline_at(file->baseline, i, &entry); i++) {
        bool gone = false;
        if (is_stale(all, file, &entry, run, &gone)) {
            *LL_ARRAY_ADD(out, &allocator) = (ll_remark){.rule = "stale-baseline",
                                                         .offset = entry.offset,
                                                         .length = entry.length,
                                                         .path = "",
                                                         .found = describe(arena, &entry, gone),
                                                         .expected = ""};
        }
    }
}

static ll_status report_file(ll_baselines *all, const ll_baseline_file *file, ll_run *run)
{
    ll_arena arena;
    remarks list = {.items = NULL};
    const ll_scope *scope = ll_config_scope_of(all->config, file->path);
    const ll_profile *profile = scope ? ll_config_profile(all->config, scope, ll_path_name(file->path)) : NULL;
    profile = profile ? profile : ll_config_base(all->config);
    ll_arena_init(&arena, &ll_heap, SIZE_MAX);
    collect(all, file, run, &arena, &list);
    const ll_remarked remarked = {scope, profile, file->path, file->buffer.bytes, file->buffer.size};
    ll_status status = ll_run_remarks(run, &remarked, (ll_remarks){list.items, list.count});
    ll_arena_free(&arena);
    return status;
}

ll_status ll_baselines_report(ll_baselines *all, ll_run *run)
{
    ll_status status = LL_OK;
    for (const ll_baseline_file *file = all ? all->first : NULL; file && status == LL_OK; file = file->next) {
        status = report_file(all, file, run);
    }
    return status;
}
