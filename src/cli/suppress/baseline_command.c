/* The commands `baseline create`, `update` and `prune`: determine the path of the baseline, keep or drop its entries,
 * and add new findings only for create or with --accept-new. The file is written after all files were checked,
 * completely or not at all. */
#include "cli/suppress/baseline.h"

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/suppress/suppress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_NAME ".lightlint-baseline.jsonl"

typedef struct job {
    const ll_options *options;
    ll_config *config;
    const char *path;
    bool has_hold; /* of the old baseline: another run that writes it waits */
    int hold;
    ll_baselines *all;
    ll_baseline_file *old; /* NULL for create */
    ll_baseline *result;   /* what will be written */
    bool takes_new;
    ll_suppressions *suppressions; /* NULL: suppressions are off */
    ll_os_lock *lock;              /* protects the members below */
    uint64_t fresh;                /* findings that are not in the old baseline */
    uint64_t unread;               /* files that could not be read */
    uint64_t failed;               /* files not checked, including those not read */
    uint64_t beyond;               /* findings beyond the limit of a report */
} job;

/* Numbers of old entries that were dropped or lowered. */
typedef struct tally {
    uint64_t dropped, reduced;
} tally;

/* ------------------------------------------------------------------ for each file */

static bool find_suppressions(void *ctx, ll_file *file)
{
    const job *j = ctx;
    return ll_suppressions_find(j->suppressions, file->scope);
}

/* True for create and update: they also renew the names and hashes of files. */
static bool is_new_form(const job *j)
{
    return strcmp(j->options->verb, "prune") != 0;
}

static ll_status gather(void *ctx, const ll_work *work)
{
    job *j = ctx;
    ll_status status = ll_suppress_mark(work->file, work->report);
    status = status == LL_OK ? ll_baselines_mark(j->old, work, true) : status;
    if (status != LL_OK || ll_report_finding_count(work->report) == 0) {
        return status;
    }
    ll_summary sum;
    ll_report_summary(work->report, &sum);
    ll_os_lock_enter(j->lock);
    j->beyond += sum.dropped;
    j->unread += !work->bytes;
    j->failed += sum.failed;
    if (is_new_form(j)) {
        status = j->old ? ll_baseline_take_moved(j->result, j->old->baseline, work->report) : LL_OK;
        status = status == LL_OK ? ll_baseline_note(j->result, work->report) : status;
    }
    status = status != LL_OK ? status : ll_baseline_take(j->takes_new ? j->result : NULL, work->report, &j->fresh);
    ll_os_lock_leave(j->lock);
    return status;
}

/* ------------------------------------------------------------------ entries */

/* New count of an entry; 0 if it is stale. */
static uint64_t count_left(job *j, const ll_outcome *outcome, const ll_baseline_entry *entry)
{
    bool lowers = strcmp(j->options->verb, "update") == 0;
    if (!entry->judged || !ll_run_asks(outcome->joined, ll_config_base(j->config)->rules, entry->rule)) {
        return ll_baselines_gone(j->all, j->old, entry) ? 0 : entry->count;
    }
    return lowers || !entry->met ? entry->met : entry->count;
}

/* Copies the entries that are not stale to the result. */
static ll_status carry_over(job *j, const ll_outcome *outcome, tally *out)
{
    ll_status status = LL_OK;
    size_t n = j->old ? ll_baseline_count(j->old->baseline) : 0;
    for (size_t i = 0; i < n && status == LL_OK; i++) {
        ll_baseline_entry entry;
        if (!ll_baseline_at(j->old->baseline, i, &entry)) {
            continue;
        }
        uint64_t left = count_left(j, outcome, &entry);
        out->dropped += left == 0;
        out->reduced += left > 0 && left < entry.count;
        entry.count = left;
        bool taken = entry.moved && entry.judged && is_new_form(j); /* already added under its new name */
        status = left && !taken ? ll_baseline_put(j->result, &entry) : LL_OK;
    }
    return status;
}

/* Does the file still have the contents that were read? A program that takes no lock may have written it, such as an
 * editor. */
static bool is_as_before(const job *j)
{
    ll_os_buffer now = {0};
    bool same = !j->old && !ll_os_is_there(j->path);
    if (j->old && ll_os_read(&now, j->path) == 0) {
        same = now.size == j->old->buffer.size && memcmp(now.bytes, j->old->buffer.bytes, now.size) == 0;
    }
    ll_os_buffer_free(&now);
    return same || ll_say("'%s' was changed by another program while files were checked; not replaced; run this again",
                          j->path);
}

static bool write_result(job *j)
{
    ll_out out;
    return is_as_before(j) && ll_out_open(&out, j->path, NULL) &&
           ll_out_end(&out, j->path, ll_baseline_write(j->result, ll_out_write, &out));
}

/* Reports in one line what was done. */
static void report(const job *j, const tally *t)
{
    bool update = strcmp(j->options->verb, "update") == 0;
    uint64_t left = ll_baseline_count(j->result);
    const char *entries = left == 1 ? "entry" : "entries";
    const char *stale = t->dropped == 1 ? "stale entry" : "stale entries";
    if (j->options->verbosity < 0) {
        return;
    }
    if (!j->old) {
        (void)ll_say("%s: written with %" PRIu64 " %s", j->path, left, entries);
    } else if (!update) {
        (void)ll_say("%s: %" PRIu64 " %s dropped, %" PRIu64 " %s left", j->path, t->dropped, stale, left, entries);
    } else {
        const char *done = j->takes_new ? "added" : j->fresh ? "left out (--accept-new adds them)" : "left out";
        (void)ll_say("%s: %" PRIu64 " %s dropped, %" PRIu64 " count%s reduced, %" PRIu64 " new finding%s %s, %" PRIu64
                     " %s left",
                     j->path, t->dropped, stale, t->reduced, t->reduced == 1 ? "" : "s", j->fresh,
                     j->fresh == 1 ? "" : "s", done, left, entries);
    }
}

/* ------------------------------------------------------------------ path */

/* Chooses the baseline: from the command line, else from the configuration of the current directory, else the default
 * name in it. */
static bool choose_path(job *j)
{
    const ll_options *o = j->options;
    if (o->output && o->baseline && strcmp(o->output, o->baseline) != 0) {
        return ll_say("-o %s: --baseline names another file, '%s'; give one of them", o->output, o->baseline);
    }
    if (!o->output && ll_options_given(o, LL_OPT_OUTPUT)) {
        return ll_say("-o -: a baseline needs a file, because its paths are relative to it; name one");
    }
    const ll_scope *here = ll_config_scope(j->config, ".");
    if (!here) {
        return false;
    }
    const char *configured = ll_scope_baseline(here);
    j->path = o->output ? o->output : o->baseline ? o->baseline : configured ? configured : DEFAULT_NAME;
    ll_config_use_baseline(j->config, j->path);
    return true;
}

/* Locks the old baseline. A second run that writes it waits until the first is done. */
static bool hold_old(job *j)
{
    int error = ll_os_hold(j->path, false, &j->hold);
    if (ll_os_is_held(error)) {
        (void)(j->options->verbosity > -2 && ll_say("notice: waiting for another run that writes '%s'", j->path));
        error = ll_os_hold(j->path, true, &j->hold);
    }
    j->has_hold = !error;
    return !error || ll_os_is_missing(error) || ll_say("baseline '%s': %s", j->path, ll_os_error_text(error));
}

static bool open_old(job *j)
{
    bool create = strcmp(j->options->verb, "create") == 0;
    if (create && ll_os_is_there(j->path)) {
        return ll_say("'%s' already exists; lightlint baseline update brings it up to date", j->path);
    }
    return create || (hold_old(j) && ll_baselines_read(j->all, j->path, &j->old));
}

static bool prepare(job *j)
{
    j->lock = ll_os_lock_create();
    ll_need(ll_baseline_create(NULL, &j->result));
    j->all = ll_baselines_open(j->options, j->config);
    j->suppressions = ll_suppressions_open(j->options, j->config);
    return choose_path(j) && open_old(j);
}

/* ------------------------------------------------------------------ the command */

static int run(job *j)
{
    tally t = {0};
    ll_outcome outcome;
    ll_plan plan = {.options = j->options,
                    .config = j->config,
                    .target = j->path,
                    .joins = true,
                    .ctx = j,
                    .admit = find_suppressions,
                    .after = gather};
    j->takes_new = !j->old || j->options->accept_new;
    int code = ll_run_files(&plan, &outcome);
    if (!outcome.complete) {
        return LL_EXIT_TROUBLE;
    }
    if (!j->old && outcome.files > 0 && j->unread == outcome.files) {
        (void)ll_say("no file could be read, so no baseline was written; lightlint check says why");
        return LL_EXIT_TROUBLE;
    }
    ll_status status = carry_over(j, &outcome, &t);
    if (status != LL_OK) {
        (void)ll_say("%s: %s", j->path, ll_status_text(status));
        return LL_EXIT_TROUBLE;
    }
    if (!write_result(j)) {
        return LL_EXIT_TROUBLE;
    }
    report(j, &t);
    if (j->failed && j->options->verbosity > -2) {
        (void)ll_say("%s: %" PRIu64 " file%s not checked; lightlint check says why", j->path, j->failed,
                     j->failed == 1 ? " was" : "s were");
    }
    if (j->beyond) {
        (void)ll_say("%s: %" PRIu64 " finding%s not in it: it keeps at most %u per file", j->path, j->beyond,
                     j->beyond == 1 ? " is" : "s are", (unsigned)LL_FINDINGS_MAX);
        return LL_EXIT_TROUBLE;
    }
    bool left_out = strcmp(j->options->verb, "update") == 0 && !j->takes_new && j->fresh;
    return code == LL_EXIT_CLEAN && left_out ? LL_EXIT_FINDINGS : code;
}

int ll_baseline_command(const ll_options *options, ll_config *config)
{
    job j = {.options = options, .config = config};
    int code = prepare(&j) ? run(&j) : LL_EXIT_TROUBLE;
    ll_suppressions_close(j.suppressions);
    ll_baselines_close(j.all);
    ll_baseline_free(j.result);
    ll_os_lock_free(j.lock);
    if (j.has_hold) {
        ll_os_release(j.hold);
    }
    return code;
}
