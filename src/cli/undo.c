/* The command `fix --undo`: restores the earlier contents of files from a journal. As a journal may come from anybody,
 * only files of known formats are written, in the folder of the journal or in places named on the command line. */
#include "cli/commands.h"
#include "cli/config/path.h"
#include "cli/output.h"
#include "cli/replace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct undoing {
    ll_journal *journal;
    ll_os_buffer buffer, again;
    ll_ruleset *rules; /* the shipped rules, for detecting formats */
    ll_report *report;
    char **roots; /* real paths of folders and files that may be written */
    size_t root_count;
    uint64_t done, nothing;
} undoing;

/* May the path be written? It must be a root or below one. */
static bool is_below_a_root(const undoing *u, const char *path)
{
    char *real = ll_os_real_path(path);
    bool below = false;
    for (size_t i = 0; real && i < u->root_count && !below; i++) {
        size_t n = strlen(u->roots[i]);
        n -= n && u->roots[i][n - 1] == '/';
        below = strncmp(real, u->roots[i], n) == 0 && (real[n] == '/' || real[n] == '\0');
    }
    free(real);
    return below;
}

static bool is_of_a_family(undoing *u, const char *path, const void *bytes, size_t size)
{
    ll_lint_options options = {.size = sizeof options, .name = path};
    ll_need(ll_lint(u->rules, bytes, size, &options, u->report));
    return strcmp(ll_report_format(u->report), "unknown") != 0;
}

static bool undo_entry(undoing *u, size_t index, const ll_journal_entry *entry)
{
    ll_undone undone;
    const char *path = entry->file;
    ll_replacement r = {.path = path};
    if (ll_os_is_there(path) && !is_below_a_root(u, path)) {
        return ll_say("%s: outside the folder of the journal and the folders given (line %u); not changed. Give its "
                      "folder after the journal if the file is yours",
                      path, entry->line);
    }
    int error = ll_os_read(&u->buffer, path);
    if (error) {
        return ll_say_error(path, error);
    }
    r.was = u->buffer.bytes;
    r.was_size = u->buffer.size;
    ll_need(ll_journal_undo(u->journal, index, r.was, r.was_size, &undone));
    r.is = undone.bytes;
    r.is_size = undone.size;
    if (undone.outcome == LL_UNDO_OTHER) {
        return ll_say("%s: changed after the journal was written (line %u); not changed back", path, entry->line);
    }
    if (undone.outcome == LL_UNDO_DONE &&
        !(is_of_a_family(u, path, r.was, r.was_size) && is_of_a_family(u, path, r.is, r.is_size))) {
        return ll_say("%s: not a format that fix writes (line %u); not changed", path, entry->line);
    }
    bool fine = undone.outcome == LL_UNDO_NOTHING || ll_replace(&r, &u->again, NULL, NULL);
    u->nothing += undone.outcome == LL_UNDO_NOTHING;
    u->done += undone.outcome == LL_UNDO_DONE && fine;
    return fine;
}

/* Collects the folder of the journal and the operands. */
static bool find_roots(undoing *u, const ll_options *options)
{
    char *real = ll_os_real_path(options->undo);
    bool fine = true;
    u->roots = ll_os_alloc(options->operand_count + 1, sizeof *u->roots);
    if (real) {
        char *name = real + (ll_path_name(real) - real);
        name[name - real > 1 ? -1 : 0] = '\0'; /* keep the slash of the root directory */
        u->roots[u->root_count++] = real;
    }
    for (size_t i = 0; i < options->operand_count; i++) {
        char *root = ll_os_real_path(options->operands[i]);
        fine = (root || ll_say("%s: does not exist", options->operands[i])) && fine;
        u->roots[u->root_count] = root;
        u->root_count += root != NULL;
    }
    return fine;
}

static bool undo_all(undoing *u, const ll_options *options)
{
    ll_problem problem = {0};
    ll_journal_entry entry;
    size_t count = 0;
    bool fine = true;
    int error = ll_os_read(&u->buffer, options->undo);
    if (error) {
        return ll_say_error(options->undo, error);
    }
    ll_status status = ll_journal_create(NULL, u->buffer.bytes, u->buffer.size, &u->journal, &problem);
    if (!ll_accept(status, options->undo, &problem) || !find_roots(u, options)) {
        return false;
    }
    ll_need(ll_report_create(&ll_pages, &u->report));
    ll_need(ll_ruleset_create(NULL, &u->rules));
    ll_need(ll_ruleset_seal(u->rules, &problem));
    while (ll_journal_at(u->journal, count, &entry)) {
        count++;
    }
    while (count > 0 && ll_journal_at(u->journal, --count, &entry)) {
        fine = undo_entry(u, count, &entry) && fine;
    }
    return fine;
}

int ll_fix_undo(const ll_options *options)
{
    undoing u = {.journal = NULL};
    ll_out out;
    bool fine = undo_all(&u, options);
    if (u.journal && options->verbosity > -1 && ll_out_open(&out, NULL, NULL)) {
        ll_out_print(&out, "%" PRIu64 " change%s undone, %" PRIu64 " undone before.\n", u.done, u.done == 1 ? "" : "s",
                     u.nothing);
        fine = ll_out_close(&out) && fine;
    }
    ll_journal_free(u.journal);
    ll_os_buffer_free(&u.buffer);
    ll_os_buffer_free(&u.again);
    ll_ruleset_free(u.rules);
    ll_report_free(u.report);
    for (size_t i = 0; i < u.root_count; i++) {
        free(u.roots[i]);
    }
    free((void *)u.roots);
    return fine ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}
