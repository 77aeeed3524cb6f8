/* Finds suppression files, marks the findings that they suppress, and reports unused or expired entries. An entry is
 * unused only if every file it could match was checked with its rule on. */
#include "cli/suppress/suppress.h"

#include "base/array.h"
#include "cli/config/path.h"
#include "cli/config/yaml_file.h"
#include "cli/output.h"
#include "cli/suppress/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The suppression files in force in a directory: a list of its own and those above. */
typedef struct ll_suppress_level {
    struct ll_suppress_level *above; /* NULL: none */
    const ll_scope *scope;           /* of the directory of the suppression file */
    ll_suppress_file file;
    /* with these rules a file was checked in full, and all entries without a file pattern have been marked as
     * checked */
    _Atomic(const ll_ruleset *) noted;
} ll_suppress_level;

struct ll_suppressions {
    const ll_options *options;
    ll_config *config;
    ll_arena arena;
    LL_ARRAY(ll_suppress_level *) files; /* those with entries, in the order in which they were read */
};

ll_suppressions *ll_suppressions_open(const ll_options *options, ll_config *config)
{
    if (options->no_suppressions) {
        return NULL;
    }
    ll_suppressions *all = ll_os_alloc(1, sizeof *all);
    all->options = options;
    all->config = config;
    ll_arena_init(&all->arena, &ll_heap, SIZE_MAX);
    return all;
}

void ll_suppressions_close(ll_suppressions *all)
{
    if (all) {
        ll_arena_free(&all->arena);
        LL_ARRAY_FREE(&all->files, &ll_heap);
        free(all);
    }
}

/* ------------------------------------------------------------------ directories */

/* Reads the suppression file of one directory, if there is one, and adds it to *level, the list in force above it. */
static bool read_level(ll_suppressions *all, const ll_scope *scope, ll_suppress_level **level)
{
    char buffer[LL_CONFIG_PATH_MAX];
    if (!ll_scope_file(scope, LL_SUPPRESS_NAME, buffer)) {
        return true;
    }
    if (all->options->verbosity > -2) {
        ll_yaml_file_notice(buffer);
    }
    if (!ll_os_is_there(buffer)) {
        return true;
    }
    const char *path = ll_arena_copy(&all->arena, buffer, strlen(buffer));
    const ll_profile *profile = ll_config_profile(all->config, scope, LL_SUPPRESS_NAME);
    ll_suppress_level *here = ll_arena_zalloc(&all->arena, 1, sizeof *here);
    here->above = *level;
    here->scope = scope;
    here->file.shown = path;
    atomic_init(&here->noted, NULL);
    if (!profile || !ll_suppress_file_read(&all->arena, profile->rules, &here->file)) {
        return false;
    }
    if (here->file.count) {
        *level = *LL_ARRAY_ADD(&all->files, &ll_heap) = here;
    }
    return true;
}

bool ll_suppressions_find(ll_suppressions *all, const ll_scope *scope)
{
    if (!all || all->options->isolated) {
        return true;
    }
    /* Go up to a known directory or the end of the search, and fill in the topmost unknown one; repeat. Each level goes
     * up once more, but directories are few levels deep. */
    for (;;) {
        const ll_scope *todo = NULL;
        ll_suppress_level *level = NULL;
        for (const ll_scope *at = scope; at; at = ll_scope_above(at)) {
            const ll_scope_known *known = ll_scope_known_of(at);
            if (known->has_suppressions) {
                level = known->suppressions;
                break;
            }
            todo = at;
        }
        if (!todo) {
            return true;
        }
        if (!read_level(all, todo, &level)) {
            return false;
        }
        ll_scope_known_of(todo)->has_suppressions = true;
        ll_scope_known_of(todo)->suppressions = level;
    }
}

/* ------------------------------------------------------------------ marking */

/* Is a rule off that is on by default? */
static bool is_narrowed(const ll_ruleset *rules)
{
    ll_rule_info info;
    for (size_t i = 0; ll_ruleset_rule(rules, i, &info); i++) {
        if (info.severity == LL_SEVERITY_OFF && info.default_severity != LL_SEVERITY_OFF) {
            return true;
        }
    }
    return false;
}

static bool is_off(const ll_ruleset *rules, const ll_suppression *entry)
{
    ll_rule_info info;
    size_t index = entry->rule_index;
    bool there = rules == entry->rules || ll_ruleset_find(rules, entry->rule, &index, NULL);
    return !there || !ll_ruleset_rule(rules, index, &info) || info.severity == LL_SEVERITY_OFF;
}

/* May a finding that the entry would match be missing because rules are off? An entry with only a fingerprint may match
 * any rule. */
static bool may_hide_matches(const ll_suppression *entry, const ll_ruleset *rules, bool narrowed)
{
    return entry->rule ? is_off(rules, entry) : narrowed;
}

static bool fits(const ll_suppression *entry, const ll_finding *finding)
{
    return (!entry->rule || strcmp(entry->rule, finding->id) == 0) &&
           (!entry->fingerprint || strcmp(entry->fingerprint, finding->fingerprint) == 0) &&
           (!entry->path || (strstr(finding->path, entry->key) && /* cheap test that most entries fail */
                             ll_glob(entry->path, strlen(entry->path), finding->path)));
}

static void note(ll_suppression *entry, unsigned what)
{
    if (!(atomic_load_explicit(&entry->seen, memory_order_relaxed) & what)) {
        (void)atomic_fetch_or_explicit(&entry->seen, what, memory_order_relaxed);
    }
}

/* A file that was checked. */
typedef struct checked {
    const ll_file *file;
    const ll_ruleset *rules;
    ll_report *report;
    bool whole;           /* it was checked in full */
    bool unread;          /* part of it was not read */
    bool narrowed, asked; /* is_narrowed(), computed when needed */
} checked;

/* The entry that owns a pattern. */
static ll_suppression *entry_of(const ll_suppress_level *level, const ll_globs_item *item)
{
    return &level->file.entries[(const ll_suppression *)item->owner - level->file.entries];
}

static void note_checked(checked *c, ll_suppression *entry)
{
    if (!entry->rule && !c->asked) {
        c->narrowed = is_narrowed(c->rules);
        c->asked = true;
    }
    note(entry, !c->whole || may_hide_matches(entry, c->rules, c->narrowed) ? LL_SUPPRESS_HIDDEN : LL_SUPPRESS_CHECKED);
}

/* The contents of an archive not read in full are unknown: marks entries for its members as HIDDEN. */
static void note_members(const checked *c, const ll_suppress_level *level, const char *archive)
{
    size_t n = strlen(archive);
    for (size_t i = 0; c->unread && i < level->file.count; i++) {
        const char *file = level->file.entries[i].file;
        if (file && strncmp(file + 1, archive, n) == 0 && file[1 + n] == '!') {
            note(&level->file.entries[i], LL_SUPPRESS_HIDDEN);
        }
    }
}

/* Finds the entries whose file pattern matches, and notes for them and for entries without a file pattern that the file
 * was checked. */
static void find_entries(checked *c, ll_suppress_level *level, ll_globs_hits *hits)
{
    char buffer[LL_CONFIG_PATH_MAX];
    const ll_globs *files = &level->file.files;
    const ll_globs *anywhere = &level->file.anywhere;
    const char *relative = ll_scope_relative(c->file->scope, c->file->path + c->file->stem, level->scope, buffer);
    hits->count = 0;
    if (relative) {
        (void)ll_globs_match(files, relative, false, hits, &ll_heap);
        note_members(c, level, relative);
    }
    for (size_t i = 0; i < hits->count; i++) {
        note_checked(c, entry_of(level, &files->items[hits->items[i]]));
    }
    bool noted = c->whole && atomic_load_explicit(&level->noted, memory_order_relaxed) == c->rules;
    for (size_t i = 0; !noted && i < anywhere->count; i++) {
        note_checked(c, entry_of(level, &anywhere->items[i]));
    }
    if (c->whole) {
        atomic_store_explicit(&level->noted, c->rules, memory_order_relaxed);
    }
}

/* Marks the entries in `hits` that match a finding as used. Returns the first of them, or `first` if that comes
 * before. */
static const ll_suppression *use(const ll_suppress_level *level, const ll_globs *globs, const ll_globs_hits *hits,
                                 const ll_finding *finding, const ll_suppression *first)
{
    for (size_t i = 0; i < hits->count; i++) {
        ll_suppression *entry = entry_of(level, &globs->items[hits->items[i]]);
        if (fits(entry, finding)) {
            note(entry, LL_SUPPRESS_USED);
            first = first && first < entry ? first : entry;
        }
    }
    return first;
}

/* Marks all matching entries as used. The first one of the nearest suppression file gives the mark. */
static ll_status mark_finding(const checked *c, const ll_suppress_level *level, const ll_globs_hits *hits, size_t index,
                              ll_globs_hits *more)
{
    ll_finding finding;
    ll_rule_info info;
    ll_status status = ll_report_finding(c->report, index, &finding);
    if (status != LL_OK || !ll_ruleset_rule(c->rules, finding.rule, &info) || !info.may_be_marked) {
        return status;
    }
    (void)ll_globs_match(&level->file.anywhere, finding.fingerprint, false, more, &ll_heap);
    const ll_suppression *entry = use(level, &level->file.files, hits, &finding, NULL);
    entry = use(level, &level->file.anywhere, more, &finding, entry);
    const ll_mark mark = {LL_MARK_SUPPRESSED, entry ? entry->reason : NULL, level->file.shown, entry ? entry->line : 0};
    return entry && finding.mark.kind == LL_MARK_NONE ? ll_report_mark(c->report, index, &mark) : LL_OK;
}

ll_status ll_suppress_mark(const ll_file *file, ll_report *report)
{
    ll_summary summary;
    ll_report_summary(report, &summary);
    ll_globs_hits hits = {.items = NULL};
    ll_globs_hits more = {.items = NULL};
    checked c = {.file = file,
                 .rules = file->profile->rules,
                 .report = report,
                 .whole = !summary.failed && !summary.unsupported && !summary.truncated,
                 .unread = summary.unchecked};
    ll_status status = LL_OK;
    for (ll_suppress_level *level = ll_scope_known_of(file->scope)->suppressions; level; level = level->above) {
        find_entries(&c, level, &hits);
        bool any = hits.count || level->file.anywhere.count;
        for (size_t i = 0; any && i < ll_report_finding_count(report) && status == LL_OK; i++) {
            status = mark_finding(&c, level, &hits, i, &more);
        }
    }
    LL_ARRAY_FREE(&hits, &ll_heap);
    LL_ARRAY_FREE(&more, &ll_heap);
    return status;
}

/* ------------------------------------------------------------------ were all files checked? */

/* Do options restrict the run to part of the directories? */
static bool is_part(const ll_options *options)
{
    return ll_options_given(options, LL_OPT_INCLUDE) || ll_options_given(options, LL_OPT_EXCLUDE) ||
           options->shards > 1;
}

/* Were all files checked that an entry could match, those below its pattern up to the first wildcard? */
static bool was_walked(ll_suppressions *all, const ll_suppress_level *level, const ll_suppression *entry)
{
    char path[2 * LL_CONFIG_PATH_MAX];
    const char *pattern = entry->file ? entry->file : "";
    size_t plain = strcspn(pattern, "*?[\\");
    while (plain > 0 && pattern[plain - 1] != '/') {
        plain--;
    }
    int n = snprintf(path, sizeof path, "%s%.*s", ll_scope_directory(level->scope), (int)plain, pattern);
    return !is_part(all->options) && n > 0 && n < (int)sizeof path && ll_config_walks(all->config, path, (size_t)n);
}

/* ------------------------------------------------------------------ reports of unused entries */

/* Does the entry match nothing, as far as is known? */
static bool is_unused(ll_suppressions *all, const ll_suppress_level *level, const ll_suppression *entry,
                      const ll_ruleset *rules, bool narrowed)
{
    unsigned seen = atomic_load_explicit(&entry->seen, memory_order_relaxed);
    if (seen & (LL_SUPPRESS_USED | LL_SUPPRESS_HIDDEN)) {
        return false;
    }
    if (!(seen & LL_SUPPRESS_CHECKED) && may_hide_matches(entry, rules, narrowed)) {
        return false;
    }
    return (seen & LL_SUPPRESS_CHECKED && entry->file && entry->literal) || was_walked(all, level, entry);
}

/* Describes an entry: "nothing of GRX012 in room.grxla at entry[*].name". */
static const char *say_what(ll_arena *arena, const ll_suppression *e)
{
    return ll_format(arena, "nothing%s%.160s%s%.160s%s%.160s%s%.160s", e->rule ? " of " : "", e->rule ? e->rule : "",
                     e->fingerprint ? " with fingerprint " : "", e->fingerprint ? e->fingerprint : "",
                     e->file ? " in " : "", e->file ? e->file + 1 : "", e->path ? " at " : "", e->path ? e->path : "");
}

static ll_remark remark_of(ll_arena *arena, const ll_suppression *e, size_t index)
{
    char today[LL_OS_DATE] = "today";
    (void)ll_os_today(today); /* cannot fail: an expiry date was compared with it before */
    return (ll_remark){.rule = e->expired ? "expired-suppression" : "unused-suppression",
                       .offset = e->offset,
                       .length = e->length,
                       .path = ll_format(arena, "suppress[%zu]", index),
                       .found = e->expired ? ll_format(arena, "expires: %s", e->expires) : say_what(arena, e),
                       .expected = e->expired ? ll_format(arena, "%s or later", today) : ""};
}

static ll_status report_file(ll_suppressions *all, const ll_suppress_level *level, ll_run *run)
{
    const ll_suppress_file *file = &level->file;
    const ll_profile *profile =
        ll_config_profile(all->config, level->scope, LL_SUPPRESS_NAME); /* not NULL: it was found before */
    ll_remark *list = ll_arena_alloc(&all->arena, file->count, sizeof *list);
    bool narrowed = is_narrowed(profile->rules);
    size_t count = 0;
    for (size_t i = 0; i < file->count; i++) {
        const ll_suppression *entry = &file->entries[i];
        bool unused = is_unused(all, level, entry, profile->rules, narrowed) &&
                      ll_run_asks(ll_run_joined(run), profile->rules, entry->rule);
        if (entry->expired || unused) {
            list[count++] = remark_of(&all->arena, entry, i);
        }
    }
    const ll_remarked remarked = {level->scope, profile, file->shown, file->bytes, file->size};
    return ll_run_remarks(run, &remarked, (ll_remarks){list, count});
}

static int by_path(const void *a, const void *b)
{
    const ll_suppress_level *const *one = a;
    const ll_suppress_level *const *other = b;
    return strcmp((*one)->file.shown, (*other)->file.shown);
}

ll_status ll_suppressions_report(ll_suppressions *all, ll_run *run)
{
    if (!all || all->files.count == 0) {
        return LL_OK;
    }
    ll_status status = LL_OK;
    qsort(all->files.items, all->files.count, sizeof all->files.items[0], by_path);
    for (size_t i = 0; i < all->files.count && status == LL_OK; i++) {
        status = report_file(all, all->files.items[i], run);
    }
    return status;
}
