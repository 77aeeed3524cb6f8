/* The command `diff`: reads and lints pairs of files; the library compares and describes them. */
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/subject.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Git's name for the missing side of an added or deleted file. */
static const char nothing[] = "/dev/null";

typedef struct diffing {
    const ll_options *options;
    ll_config *config;
    ll_differences *differences;
    ll_out out;
    bool trouble;
    bool written; /* false after a write error: nothing more is compared */
} diffing;

/* ------------------------------------------------------------------ two files */

static void add(diffing *d, ll_report *before, ll_report *after)
{
    ll_status status = d->written ? ll_differences_add(d->differences, before, after) : LL_OK;
    if (status != LL_OK) {
        d->written = false;
        d->trouble = true;
        (void)(status == LL_E_WRITE || ll_say("diff: %s", ll_status_text(status)));
    }
}

static bool lint_member(const ll_subject *s, size_t i)
{
    ll_lint_options lint = s->lint;
    lint.name = NULL;
    ll_status status = ll_lint_member(s->profile->rules, s->file, i, &lint, s->inner);
    return status == LL_OK || ll_say("%s: %s", s->name, ll_status_text(status));
}

/* Compares members that both archives have; both lists are sorted. Members of one side only appear in the comparison of
 * the archives. */
static void compare_members(diffing *d, ll_subject sides[2])
{
    ll_member_info members[2];
    size_t at[2] = {0, 0};
    while (at[0] < ll_report_member_count(sides[0].file) && at[1] < ll_report_member_count(sides[1].file)) {
        for (unsigned i = 0; i < 2; i++) {
            ll_need(ll_report_member(sides[i].file, at[i], &members[i]));
        }
        int order = strcmp(members[0].path, members[1].path);
        if (order == 0) {
            bool done = lint_member(&sides[0], at[0]) && lint_member(&sides[1], at[1]);
            d->trouble = d->trouble || !done;
            if (done) {
                add(d, sides[0].inner, sides[1].inner);
            }
        }
        at[0] += order <= 0;
        at[1] += order >= 0;
    }
}

/* Compares two files. NULL for one of them: the file exists on the other side only. `shown`: the name reported for
 * both, NULL for their own names. */
static void compare(diffing *d, const char *before, const char *after, const char *shown)
{
    const char *words[2] = {before, after};
    ll_subject sides[2];
    bool done = true;
    for (unsigned i = 0; i < 2; i++) {
        ll_subject_open(&sides[i], words[i] ? words[i] : "", NULL);
        sides[i].shown = shown;
        done = done && (!words[i] || ll_subject_read(&sides[i], d->config));
    }
    for (unsigned i = 0; i < 2 && done; i++) {
        done = !words[i] || ll_report_size(sides[i].report) <= UINT32_MAX ||
               ll_say("%s: 4 GiB or more; not compared", words[i]);
    }
    d->trouble = d->trouble || !done;
    if (done) {
        add(d, before ? sides[0].report : NULL, after ? sides[1].report : NULL);
        if (before && after && !sides[0].member && !sides[1].member) {
            compare_members(d, sides);
        }
    }
    ll_subject_close(&sides[0]);
    ll_subject_close(&sides[1]);
}

/* ------------------------------------------------------------------ two directories */

typedef struct tree {
    ll_arena arena;
    LL_ARRAY(const char *) paths; /* sorted */
    size_t stem;                  /* bytes of the directory's own path at the start of each */
} tree;

static bool list(const diffing *d, const char **root, tree *out)
{
    ll_options one = *d->options;
    ll_files *files = NULL;
    ll_file file;
    one.operands = root;
    one.operand_count = 1;
    ll_next next = ll_files_open(&one, d->config, &files) ? LL_NEXT_FILE : LL_NEXT_TROUBLE;
    while (next == LL_NEXT_FILE && (next = ll_files_next(files, &file)) == LL_NEXT_FILE) {
        if (file.error) {
            (void)ll_say("%s: %s", file.path, ll_os_error_text(file.error));
            next = LL_NEXT_TROUBLE;
        } else if (!file.is_manifest) {
            *LL_ARRAY_ADD(&out->paths, &ll_heap) = ll_arena_copy(&out->arena, file.path, strlen(file.path));
        }
    }
    out->stem = files ? strlen(ll_files_root(files)) : 0;
    ll_files_close(files);
    return next == LL_NEXT_END;
}

static void compare_trees(diffing *d)
{
    tree sides[2] = {{.stem = 0}, {.stem = 0}};
    bool done = true;
    for (unsigned i = 0; i < 2; i++) {
        ll_arena_init(&sides[i].arena, &ll_heap, SIZE_MAX);
        done = list(d, &d->options->operands[i], &sides[i]) && done;
    }
    d->trouble = d->trouble || !done;
    size_t at[2] = {0, 0};
    while (done && d->written && (at[0] < sides[0].paths.count || at[1] < sides[1].paths.count)) {
        const char *a = at[0] < sides[0].paths.count ? sides[0].paths.items[at[0]] : NULL;
        const char *b = at[1] < sides[1].paths.count ? sides[1].paths.items[at[1]] : NULL;
        int order = !a ? 1 : !b ? -1 : strcmp(a + sides[0].stem, b + sides[1].stem);
        compare(d, order <= 0 ? a : NULL, order >= 0 ? b : NULL, NULL);
        at[0] += order <= 0;
        at[1] += order >= 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        LL_ARRAY_FREE(&sides[i].paths, &ll_heap);
        ll_arena_free(&sides[i].arena);
    }
}

/* ------------------------------------------------------------------ the command */

/* Called by Git as an external diff, with PATH OLD-FILE OLD-HASH OLD-MODE NEW-FILE NEW-HASH NEW-MODE and two more for a
 * renamed file? */
static bool is_of_git(const ll_options *options)
{
    return options->operand_count > 2;
}

static void compare_operands(diffing *d)
{
    const char *const *words = d->options->operands;
    bool git = is_of_git(d->options);
    const char *before = words[git ? 1 : 0];
    const char *after = words[git ? 4 : 1];
    bool roots[2] = {ll_os_kind_of(before) == LL_OS_DIRECTORY, ll_os_kind_of(after) == LL_OS_DIRECTORY};
    if (roots[0] != roots[1]) {
        d->trouble = true;
        (void)ll_say("diff: cannot compare: '%s' is a directory, '%s' is not", roots[0] ? before : after,
                     roots[0] ? after : before);
    } else if (roots[0]) {
        compare_trees(d);
    } else {
        compare(d, strcmp(before, nothing) != 0 ? before : NULL, strcmp(after, nothing) != 0 ? after : NULL,
                git ? words[0] : NULL);
    }
}

int ll_diff_command(const ll_options *options, ll_config *config)
{
    diffing d = {.options = options, .config = config, .written = true};
    bool git = is_of_git(options);
    uint64_t count = 0;
    if (!ll_out_open(&d.out, options->output, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    ll_diff_options how = {.size = sizeof how,
                           .format = options->format,
                           .color = ll_options_color(options, !options->output),
                           .heads = git || ll_os_kind_of(options->operands[0]) == LL_OS_DIRECTORY,
                           .write = ll_out_write,
                           .ctx = &d.out};
    ll_need(ll_differences_create(NULL, &how, &d.differences));
    compare_operands(&d);
    ll_status status = d.written ? ll_differences_finish(d.differences, &count) : LL_OK;
    bool done = ll_out_end(&d.out, "diff", status);
    ll_differences_free(d.differences);
    return d.trouble || !done ? LL_EXIT_TROUBLE : count && !git ? LL_EXIT_FINDINGS : LL_EXIT_CLEAN;
}
