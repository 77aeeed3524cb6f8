/* Checks files with any number of threads. Files are taken in batches, each with a ticket. The thread that takes a
 * batch renders its reports into chunks, and chunks are written in ticket order. So the output does not depend on the
 * number of threads, nor memory on the number of files. */
#include "cli/run.h"

#include "base/text.h"
#include "cli/commands.h"
#include "cli/config/path.h"
#include "cli/crash.h"
#include "cli/git.h"
#include "cli/output.h"
#include "cli/timing.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_MAX = 64, /* files per ticket; makes the cost of the lock negligible */
    SHARES = 8, /* a ticket takes at most this fraction of a thread's share of the files so far, so that large files are
                   spread over threads */
    HEAVY = 1024 * 1024, /* bytes after which even a few files justify more threads */
    PENDING_MAX = 256,   /* findings that a batch keeps before it waits for its turn and writes them */
    SLOTS_PER_THREAD = 2 /* lets a thread continue while a slower one before it is not done */
};

/* One output of the run. */
typedef struct sink {
    ll_out out;
    ll_emitter *emitter;
    bool open, broken;
} sink;

/* Rendered results of one ticket: one chunk per output. */
typedef struct slot {
    ll_chunk *chunks[LL_OUTPUTS_MAX];
    uint64_t end; /* number of files done when this ticket is written */
    bool ready;   /* rendered; the holder of the turn writes it */
} slot;

/* State of one thread: its reports and buffers, and its current ticket. */
typedef struct worker {
    ll_report *report;
    ll_workspace *workspace; /* collects the files it linted; NULL: files are not checked against each other */
    ll_report *member;       /* for members of the archive in `report` */
    ll_text name;            /* of the current member */
    ll_os_buffer buffer;
    const char *held; /* in join(): path of the file in the buffer; NULL: none */
    uint64_t bytes;   /* total bytes read */
    ll_outcome sums;  /* filled by sum_up() */
    ll_times times;

    uint64_t ticket;
    unsigned broken; /* bits of the outputs that were broken when the ticket was taken */
    size_t pending;  /* findings rendered but not yet written */
    size_t count;
    ll_file files[BATCH_MAX];
    ll_arena arena;                         /* paths and scopes of `files` */
    char (*identities)[LL_CONFIG_PATH_MAX]; /* identities of the current file, for reports and for baselines */
} worker;

/* A file that is replaced at the end of the run and must not be an input. */
typedef struct guarded {
    const char *path;
    ll_os_id id;
} guarded;

struct ll_run {
    const ll_plan *plan;
    ll_files *files;
    const char *root; /* ll_files_root() with plan->below_root, else "" */
    size_t root_length;
    ll_workspace *workspace; /* during the walk: names that were seen; after join(): everything. NULL: files are not
                                checked against each other */
    bool joined;             /* all rules across files were run */
    guarded guarded[LL_OUTPUTS_MAX + 1];
    size_t guarded_count;
    sink sinks[LL_OUTPUTS_MAX];
    size_t sink_count;
    ll_arena arena;           /* for strings and arrays of the run */
    ll_provenance provenance; /* uri NULL: unknown or not needed */
    ll_progress progress;
    worker **workers;
    unsigned worker_count;
    slot *slots;
    size_t slot_count;
    ll_outcome sums;            /* from reports that belong to no worker */
    ll_os_lock *lock;           /* protects the members below */
    uint64_t taken;             /* files taken so far */
    uint64_t next_ticket, turn; /* turn: the ticket to be written next */
    unsigned broken;            /* a bit for each sink that failed */
    bool exhausted;             /* all files were taken */
    bool stop;
    bool failed; /* an error was reported that ends the run */
    ll_status fatal;
};

/* ------------------------------------------------------------------ order */

static slot *slot_of(ll_run *r, uint64_t number)
{
    return &r->slots[number % r->slot_count];
}

/* Ends the run. status LL_OK: the error was reported already. */
static void stop_all(ll_run *r, ll_status status)
{
    ll_os_lock_enter(r->lock);
    if (r->fatal == LL_OK) {
        r->fatal = status;
    }
    r->failed = true;
    r->stop = true;
    ll_os_lock_wake_all(r->lock);
    ll_os_lock_leave(r->lock);
}

static size_t batch_size(const ll_run *r)
{
    uint64_t share = r->taken / ((uint64_t)r->worker_count * SHARES);
    return share < 1 ? 1 : share > BATCH_MAX ? BATCH_MAX : (size_t)share;
}

/* Takes the next files; called inside the lock. False on an error, which is reported. */
static bool fill(ll_run *r, worker *w)
{
    const ll_plan *plan = r->plan;
    size_t batch = batch_size(r);
    ll_file file;
    uint64_t since = ll_times_now(&w->times);
    w->count = 0;
    ll_arena_reset(&w->arena);
    while (w->count < batch && !r->exhausted) {
        ll_next next = ll_files_next(r->files, &file);
        if (next == LL_NEXT_TROUBLE || (next == LL_NEXT_FILE && plan->admit && !plan->admit(plan->ctx, &file))) {
            return false;
        }
        r->exhausted = next == LL_NEXT_END;
        if (next == LL_NEXT_FILE) {
            file.path = ll_arena_copy(&w->arena, file.path, strlen(file.path));
            file.scope = ll_scope_copy(file.scope, &w->arena);
            w->files[w->count++] = file;
        }
    }
    r->taken += w->count;
    ll_times_spend(&w->times, LL_PHASE_WALK, since);
    return true;
}

/* Creates the chunks of a slot before its first use. */
static void prepare_slot(ll_run *r, slot *s)
{
    for (size_t i = 0; i < r->sink_count && !s->chunks[i]; i++) {
        ll_need(ll_chunk_create(NULL, &s->chunks[i]));
    }
}

/* Takes the next batch, after waiting for a slot for its results. False if no files are left or the run ends. */
static bool take_ticket(ll_run *r, worker *w)
{
    ll_os_lock_enter(r->lock);
    while (!r->stop && !r->exhausted && r->next_ticket - r->turn >= r->slot_count) {
        ll_os_lock_wait(r->lock);
    }
    bool any = false;
    if (!r->stop && !r->exhausted) {
        bool alive = fill(r, w);
        prepare_slot(r, slot_of(r, r->next_ticket));
        any = alive && w->count;
        r->stop = r->stop || !alive;
        r->failed = r->failed || !alive;
    }
    if (any) {
        w->ticket = r->next_ticket++;
        w->broken = r->broken;
        w->pending = 0;
        slot_of(r, w->ticket)->end = r->taken;
    }
    if (r->stop || r->exhausted) {
        ll_os_lock_wake_all(r->lock);
    }
    ll_os_lock_leave(r->lock);
    return any;
}

/* Writes the chunks of a slot. Only the holder of the turn may call it. */
static void write_slot(ll_run *r, slot *s)
{
    for (size_t i = 0; i < r->sink_count; i++) {
        sink *k = &r->sinks[i];
        if (k->broken) {
            continue;
        }
        ll_status status = ll_emitter_commit(k->emitter, s->chunks[i]);
        if (status != LL_OK && status != LL_E_WRITE) {
            stop_all(r, status);
            return;
        }
        k->broken = status == LL_E_WRITE;
    }
}

/* After write_slot(), inside the lock: records which outputs failed. The run stops when all have failed. */
static void note_broken(ll_run *r)
{
    unsigned all = (1u << r->sink_count) - 1;
    for (size_t i = 0; i < r->sink_count; i++) {
        r->broken |= r->sinks[i].broken ? 1u << i : 0;
    }
    r->stop = r->stop || (all && r->broken == all);
}

/* Hands in a finished ticket. If it is its turn, writes it and all finished ones after it; otherwise the holder of the
 * turn writes it later. */
static void hand_in(ll_run *r, const worker *w)
{
    slot *s = slot_of(r, w->ticket);
    ll_os_lock_enter(r->lock);
    s->ready = true;
    bool mine = r->turn == w->ticket;
    while (mine && !r->stop) {
        ll_os_lock_leave(r->lock);
        write_slot(r, s);
        ll_progress_update(&r->progress, s->end);
        ll_os_lock_enter(r->lock);
        note_broken(r);
        s->ready = false;
        r->turn++;
        s = slot_of(r, r->turn);
        mine = r->turn < r->next_ticket && s->ready;
        ll_os_lock_wake_all(r->lock);
    }
    ll_os_lock_leave(r->lock);
}

/* Waits for the turn of the worker's ticket and writes its chunks so far. */
static void write_early(ll_run *r, worker *w)
{
    ll_os_lock_enter(r->lock);
    while (!r->stop && r->turn != w->ticket) {
        ll_os_lock_wait(r->lock);
    }
    bool stop = r->stop;
    ll_os_lock_leave(r->lock);
    if (!stop) {
        write_slot(r, slot_of(r, w->ticket));
        w->pending = 0;
    }
}

void ll_run_wait(const ll_work *work)
{
    write_early(work->run, work->run->workers[work->worker]);
}

static void write_full(void *ctx)
{
    ll_run_wait(ctx);
}

/* ------------------------------------------------------------------ one file */

/* Refuses an input that an output is going to replace. */
static bool is_safe_to_read(const ll_run *r, const ll_file *file)
{
    ll_os_id id;
    if (r->guarded_count == 0 || file->is_stdin || !ll_os_identify(file->path, &id)) {
        return true;
    }
    for (size_t i = 0; i < r->guarded_count; i++) {
        if (ll_os_same(r->guarded[i].id, id)) {
            return ll_say("'%s' is an input ('%s'); it will not be overwritten", r->guarded[i].path, file->path);
        }
    }
    return true;
}

static ll_lint_options lint_options(const ll_plan *plan, const ll_profile *profile)
{
    return (ll_lint_options){.size = sizeof(ll_lint_options),
                             .variant = profile->game,
                             .has_fail_level = true,
                             .fail_level = profile->fail_level,
                             .max_per_rule = plan->max_per_rule,
                             .max_per_file = plan->max_per_file,
                             .allow_unsupported = profile->allow_unsupported};
}

/* Makes the report of a file that was not linted. `why`: the reason; NULL: the program crashed on it. */
static ll_status give_up(worker *w, const char *why, const ll_lint_options *options, ll_work *work)
{
    const ll_ruleset *rules = work->file->profile->rules;
    w->sums.unchecked = true;
    return why ? ll_lint_unreadable(rules, why, options, work->report) : ll_lint_crashed(rules, options, work->report);
}

/* Reads and lints one file into the worker's report. */
static ll_status lint(const ll_run *r, worker *w, ll_work *work)
{
    const ll_plan *plan = r->plan;
    const ll_file *file = work->file;
    const ll_profile *profile = file->profile;
    bool below = r->root_length && strlen(file->path) > r->root_length; /* false for the root itself */
    const char *name = below ? file->path + r->root_length : file->path;
    ll_lint_options options = lint_options(plan, profile);
    options.name = name;
    options.identity = below ? name : ll_scope_identity(file->scope, file->path, w->identities[0]);
    options.baseline_identity = ll_scope_baseline_identity(file->scope, file->path, w->identities[1]);
    if (ll_crash_at(file->path, LL_CRASH_ALONE)) {
        return give_up(w, NULL, &options, work);
    }
    uint64_t since = ll_times_now(&w->times);
    options.timing = ll_times_enter(&w->times, profile->rules);
    int error = file->error ? file->error : ll_os_read(&w->buffer, file->is_stdin ? NULL : file->path);
    ll_times_spend(&w->times, LL_PHASE_READ, since);
    if (error) {
        return give_up(w, ll_os_error_text(error), &options, work);
    }
    work->bytes = w->buffer.bytes;
    work->size = w->buffer.size;
    w->bytes += w->buffer.size;
    ll_status status =
        file->is_manifest ? ll_lint_manifest(profile->rules, w->workspace, work->bytes, work->size, &options, w->report)
                          : ll_lint(profile->rules, work->bytes, work->size, &options, w->report);
    return status == LL_OK || status == LL_E_MEMORY ? status : give_up(w, ll_status_text(status), &options, work);
}

/* Adds the counts of a report to `out`, and sets `failing` if a finding reaches the level, `unchecked` if the file was
 * not checked in full. */
static void sum_up(const ll_report *report, ll_severity level, ll_outcome *out)
{
    ll_summary sum;
    ll_report_summary(report, &sum);
    out->errors += sum.errors;
    out->warnings += sum.warnings;
    out->notes += sum.notes;
    out->unchecked = out->unchecked || sum.incomplete;
    out->failing = out->failing || (level != LL_SEVERITY_OFF && sum.errors) || (level == LL_NOTE && sum.notes) ||
                   ((level == LL_NOTE || level == LL_WARNING) && sum.warnings);
}

/* Calls plan->after, counts the findings and renders the report for all outputs. */
static ll_status conclude(ll_run *r, worker *w, ll_work *work)
{
    const ll_plan *plan = r->plan;
    uint64_t since = ll_times_now(&w->times);
    ll_status status = plan->after ? plan->after(plan->ctx, work) : LL_OK;
    if (status != LL_OK) {
        return status;
    }
    sum_up(work->report, work->file->profile->fail_level, &w->sums);
    slot *s = slot_of(r, w->ticket);
    for (size_t i = 0; i < r->sink_count && status == LL_OK; i++) {
        if (!(w->broken >> i & 1)) {
            ll_chunk_when_full(s->chunks[i], write_full, work);
            status = ll_emitter_render(r->sinks[i].emitter, work->report, s->chunks[i]);
            ll_chunk_when_full(s->chunks[i], NULL, NULL);
        }
    }
    w->pending += r->sink_count ? ll_report_finding_count(work->report) : 0;
    if (status == LL_OK && w->pending > PENDING_MAX) {
        write_early(r, w);
    }
    ll_times_spend(&w->times, LL_PHASE_REPORT, since);
    return status;
}

/* Adds a report to the worker's workspace. Called after conclude(), as marked findings do not count. */
static ll_status add_to_workspace(worker *w, const ll_work *work)
{
    const ll_file *file = work->file;
    bool joins = w->workspace && !file->is_stdin && ll_scope_crosses(file->scope);
    return joins && (!file->is_manifest || !work->bytes) ? ll_workspace_add(w->workspace, work->report) : LL_OK;
}

/* Lints one member into the worker's report for members. */
static ll_status lint_member(const ll_run *r, worker *w, ll_work *work, size_t index)
{
    const ll_profile *profile = work->file->profile;
    ll_lint_options options = lint_options(r->plan, profile);
    options.timing = ll_times_enter(&w->times, profile->rules);
    bool failed = ll_crash_at(work->file->path, LL_CRASH_ALONE);
    ll_status status = failed ? LL_OK : ll_lint_member(profile->rules, w->report, index, &options, work->report);
    options.name = work->file->path;
    if (failed) {
        return give_up(w, NULL, &options, work);
    }
    return status == LL_OK || status == LL_E_MEMORY ? status : give_up(w, ll_status_text(status), &options, work);
}

/* Settings of a member; NULL: its rules are refused, which is reported. */
static const ll_profile *profile_of(ll_run *r, const ll_file *file)
{
    ll_os_lock_enter(r->lock); /* one thread at a time may use the configuration */
    const ll_profile *profile = ll_config_profile(r->plan->config, file->scope, file->path + file->stem);
    ll_os_lock_leave(r->lock);
    return profile;
}

/* Checks the members of the archive in the worker's report. */
static ll_status check_members(ll_run *r, worker *w, const ll_work *archive)
{
    ll_file file = *archive->file;
    ll_member_info member;
    ll_work work = {.run = r, .file = &file, .is_member = true, .worker = archive->worker, .report = w->member};
    ll_status status = LL_OK;
    for (size_t i = 0; i < ll_report_member_count(w->report) && status == LL_OK; i++) {
        ll_need(ll_report_member(w->report, i, &member));
        ll_text_clear(&w->name);
        ll_text_format(&w->name, "%s!%s", archive->file->path, member.path);
        file.path = ll_text_cstr(&w->name);
        if (ll_scope_excludes_member(file.scope, archive->file->path + file.stem, file.path + file.stem)) {
            continue;
        }
        file.profile = profile_of(r, &file);
        if (!file.profile) {
            stop_all(r, LL_OK);
            break;
        }
        work.bytes = archive->bytes + member.offset;
        work.size = (size_t)member.length;
        status = lint_member(r, w, &work, i);
        status = status == LL_OK ? conclude(r, w, &work) : status;
        status = status == LL_OK ? add_to_workspace(w, &work) : status;
    }
    return status;
}

static ll_status check_file(ll_run *r, worker *w, unsigned index, const ll_file *file)
{
    ll_work work = {.run = r, .file = file, .worker = index, .report = w->report};
    ll_status status = lint(r, w, &work);
    status = status == LL_OK ? conclude(r, w, &work) : status;
    status = status == LL_OK ? add_to_workspace(w, &work) : status;
    status = status == LL_OK ? check_members(r, w, &work) : status;
    (void)ll_crash_at(NULL, LL_CRASH_ALONE);
    return status;
}

/* Processes one ticket; false if none is left. */
static bool work_once(ll_run *r, unsigned index)
{
    worker *w = r->workers[index];
    if (!take_ticket(r, w)) {
        return false;
    }
    for (size_t i = 0; i < w->count; i++) {
        if (!is_safe_to_read(r, &w->files[i])) {
            stop_all(r, LL_OK);
            return false;
        }
        ll_status status = check_file(r, w, index, &w->files[i]);
        if (status != LL_OK) {
            stop_all(r, status);
            return false;
        }
    }
    uint64_t since = ll_times_now(&w->times);
    hand_in(r, w);
    ll_times_spend(&w->times, LL_PHASE_REPORT, since);
    return true;
}

static void make_worker(ll_run *r, unsigned index)
{
    worker *w = r->workers[index] = ll_os_alloc(1, sizeof *w);
    ll_arena_init(&w->arena, &ll_heap, SIZE_MAX);
    w->identities = ll_heap.alloc(ll_heap.ctx, 2 * sizeof *w->identities);
    ll_need(ll_report_create(&ll_pages, &w->report));
    ll_need(ll_report_create(&ll_pages, &w->member));
    ll_text_init(&w->name, &ll_heap);
    w->times.wanted = r->plan->options->timing;
    if (r->workspace) {
        ll_need(ll_workspace_create(NULL, ll_config_base(r->plan->config)->rules, &w->workspace));
    }
}

static void work(void *ctx, unsigned index)
{
    ll_run *r = ctx;
    if (!r->workers[index]) {
        make_worker(r, index);
    }
    while (work_once(r, index)) {
    }
}

/* ------------------------------------------------------------------ all files */

/* Sets the number of threads. No ticket may be in use; used slots remain valid. */
static void set_threads(ll_run *r, size_t n)
{
    r->worker_count = (unsigned)n;
    r->slot_count = n > 1 ? n * SLOTS_PER_THREAD : 1;
}

/* Are the files so few and small that a second thread is not worth starting? */
static bool is_small(const ll_run *r)
{
    return r->taken + ll_files_ahead(r->files) <= BATCH_MAX && r->workers[0]->bytes < HEAVY;
}

static void go(ll_run *r)
{
    size_t n = r->plan->options->jobs ? r->plan->options->jobs : ll_os_cpu_count();
    n = n < LL_WORKERS_MAX ? n : LL_WORKERS_MAX;
    r->workers = ll_os_alloc(n, sizeof(worker *));
    r->slots = ll_os_alloc(n * SLOTS_PER_THREAD, sizeof *r->slots);
    r->lock = ll_os_lock_create();
    set_threads(r, 1);
    make_worker(r, 0);
    bool more = true;
    while (more && is_small(r)) {
        more = work_once(r, 0);
    }
    if (more) {
        set_threads(r, n);
        ll_os_parallel(r->worker_count, work, r);
    }
}

/* ------------------------------------------------------------------ files together */

/* Path in this run of a file of the workspace or of its archive. */
static const char *path_of(ll_run *r, const char *name)
{
    return ll_format(&r->arena, "%s%s", r->root, name);
}

/* Reads a file into the buffer, unless it is there already, as for members of one archive. */
static bool hold(worker *w, const char *path)
{
    if (!w->held || strcmp(w->held, path) != 0) {
        w->held = ll_os_read(&w->buffer, path) == 0 ? path : NULL;
    }
    return w->held;
}

/* Makes and concludes the report of the findings across files of one file. */
static ll_status check_joined(ll_run *r, worker *w, const ll_workspace_file *joined, size_t index)
{
    const ll_plan *plan = r->plan;
    const char *opens = path_of(r, joined->archive ? joined->archive : joined->name);
    const char *inside = joined->archive ? joined->name + strlen(joined->archive) : "";
    ll_file file = {.path = path_of(r, joined->name),
                    .stem = (size_t)(ll_path_name(opens) - opens),
                    .scope = ll_config_scope_of(plan->config, opens)};
    file.profile = file.scope ? ll_config_profile(plan->config, file.scope, file.path + file.stem) : NULL;
    if (!file.profile || (plan->admit && !plan->admit(plan->ctx, &file))) {
        r->failed = true;
        return LL_OK;
    }
    const char *known = ll_scope_baseline_identity(file.scope, opens, w->identities[1]);
    ll_lint_options options = lint_options(plan, file.profile);
    options.baseline_identity = known ? ll_format(&r->arena, "%s%s", known, inside) : NULL;
    ll_work work = {.run = r, .file = &file, .is_joined = true, .report = w->report};
    if (ll_crash_at(file.path, LL_CRASH_JOINED)) {
        options.name = file.path;
        ll_status failed = give_up(w, NULL, &options, &work);
        return failed == LL_OK ? conclude(r, w, &work) : failed;
    }
    ll_status status = ll_workspace_report(r->workspace, file.profile->rules, index, &options, w->report);
    bool shows_bytes = plan->options->command != LL_COMMAND_SWEEP; /* merging shards has no bytes, either */
    if (status == LL_OK && shows_bytes && hold(w, opens)) {
        work.bytes = w->buffer.bytes;
        work.size = w->buffer.size;
        (void)ll_report_show(w->report, work.bytes, work.size); /* refused if the file has shrunk */
    }
    return status == LL_OK ? conclude(r, w, &work) : status;
}

/* Reports which rules were skipped, and why. */
static void say_notices(const ll_run *r)
{
    enum { SHOWN = 3 };
    ll_workspace_notice n;
    size_t count = 0;
    ll_workspace_summary sum;
    ll_workspace_summarize(r->workspace, &sum);
    if (sum.unread && r->plan->options->verbosity > -2) {
        (void)ll_say("notice: manifests are not checked, as this build has no expat: %" PRIu64, sum.unread);
    }
    for (; ll_workspace_notice_at(r->workspace, count, &n); count++) {
        if (count < SHOWN && r->plan->options->verbosity > -2) {
            (void)ll_say("notice: package '%s': %zu rule%s skipped: %s", n.package, n.rules,
                         n.rules == 1 ? " was" : "s were", n.why);
        }
    }
    if (count > SHOWN && r->plan->options->verbosity > -2) {
        (void)ll_say("notice: rules were skipped for %zu more package%s; lightlint packages shows why", count - SHOWN,
                     count - SHOWN == 1 ? "" : "s");
    }
}

static ll_status report_joined(ll_run *r, worker *w)
{
    ll_workspace_file file;
    ll_status status = LL_OK;
    for (size_t i = 0; status == LL_OK && !r->failed && ll_workspace_file_at(r->workspace, i, &file); i++) {
        status = check_joined(r, w, &file, i);
    }
    (void)ll_crash_at(NULL, LL_CRASH_JOINED);
    return status;
}

/* Runs the rules across files on what all workers linted, as one more ticket. A shard does not have all files, so it
 * only outputs the contents of its workspace. */
static ll_status join(ll_run *r)
{
    const ll_options *options = r->plan->options;
    worker *w = r->workers[0];
    ll_status status = LL_OK;
    if (ll_crash_at("", LL_CRASH_JOINED)) {
        r->sums.unchecked = true;
        (void)ll_say("files were not checked against each other: the program failed there, please report it");
        return LL_OK;
    }
    ll_workspace *seen = r->workspace; /* small compared with what was linted */
    r->workspace = w->workspace;
    w->workspace = seen;
    for (size_t i = 0; i < r->worker_count && status == LL_OK; i++) {
        status = r->workers[i] ? ll_workspace_merge(r->workspace, r->workers[i]->workspace) : LL_OK;
    }
    status = status == LL_OK && options->shards < 2 ? ll_workspace_join(r->workspace) : status;
    for (size_t i = 0; i < r->sink_count && status == LL_OK; i++) {
        status = r->sinks[i].broken ? LL_OK : ll_emitter_join(r->sinks[i].emitter, r->workspace);
        r->sinks[i].broken = r->sinks[i].broken || status == LL_E_WRITE;
        status = status == LL_E_WRITE ? LL_OK : status;
    }
    if (status != LL_OK || options->shards > 1) {
        return status;
    }
    ll_workspace_summary sum;
    ll_workspace_summarize(r->workspace, &sum);
    r->joined = sum.not_run == 0;
    w->ticket = r->next_ticket++;
    w->pending = 0;
    slot_of(r, w->ticket)->end = r->taken;
    prepare_slot(r, slot_of(r, w->ticket));
    status = report_joined(r, w);
    hand_in(r, w);
    say_notices(r);
    return status;
}

const ll_workspace *ll_run_workspace(const ll_run *r)
{
    return r->workspace;
}

bool ll_run_joined(const ll_run *r)
{
    return r->joined;
}

bool ll_run_asks(bool joined, const ll_ruleset *rules, const char *rule)
{
    ll_rule_info info;
    size_t index = 0;
    return joined || (rule && ll_ruleset_find(rules, rule, &index, NULL) && ll_ruleset_rule(rules, index, &info) &&
                      strcmp(info.family, "mod") != 0);
}

/* ------------------------------------------------------------------ outputs */

/* Records a file that will be replaced. False if it is a known input. A file that does not exist yet cannot be one. */
static bool guard(ll_run *r, const char *path)
{
    ll_os_id id;
    if (!path || ll_os_kind_of(path) != LL_OS_FILE || !ll_os_identify(path, &id)) {
        return true;
    }
    if (ll_files_hold(r->files, id)) {
        return ll_say("'%s' is an input; it will not be overwritten", path);
    }
    r->guarded[r->guarded_count++] = (guarded){path, id};
    return true;
}

/* Two outputs must not share a file, and none may replace an input. */
static bool may_write(ll_run *r, size_t index)
{
    const ll_output *outputs = r->plan->outputs;
    const char *file = outputs[index].file;
    for (size_t i = 0; file && i < index; i++) {
        if (outputs[i].file && ll_os_same_target(outputs[i].file, file)) {
            return ll_say("two outputs cannot go to one file: '%s'", file);
        }
    }
    return guard(r, file);
}

static bool open_sink(ll_run *r, const ll_output *output)
{
    const ll_options *options = r->plan->options;
    const ll_profile *base = ll_config_base(r->plan->config);
    sink *k = &r->sinks[r->sink_count];
    if (!ll_out_open(&k->out, output->file, &r->progress)) {
        return false;
    }
    k->out.stream = r->plan->stream ? r->plan->stream : k->out.stream;
    k->open = true;
    r->sink_count++;
    bool states_commit = strncmp(output->format, "sarif", 5) == 0;
    if (states_commit && !r->provenance.uri && !ll_provenance_find(&r->arena, &r->provenance)) {
        r->provenance.uri = NULL;
    }
    ll_emit_options emit = {.size = sizeof emit,
                            .format = output->format,
                            .color = ll_options_color(options, !output->file),
                            .all = options->all,
                            .verbosity = options->verbosity,
                            .fail_level = base->fail_level,
                            .baseline = r->plan->baseline,
                            .provenance = r->provenance.uri ? &r->provenance : NULL,
                            .docs_url = ll_config_docs_url(r->plan->config),
                            .shard = options->shard,
                            .shards = options->shards};
    if (!output->file) {
        emit.terminal = ll_options_terminal(LL_OS_STDOUT);
        emit.links = emit.color && emit.terminal.columns > 0;
    }
    ll_options_limits(options, output->format, &emit.max_per_rule, &emit.max_per_file);
    ll_status status = ll_emitter_create(NULL, base->rules, &emit, ll_out_write, &k->out, &k->emitter);
    if (status != LL_OK) {
        (void)ll_say("--format %s: %s", output->format, ll_status_text(status));
    }
    return status == LL_OK;
}

static bool open_sinks(ll_run *r)
{
    if (!guard(r, r->plan->target)) {
        return false;
    }
    for (size_t i = 0; i < r->plan->output_count; i++) {
        if (!may_write(r, i)) {
            return false;
        }
    }
    for (size_t i = 0; i < r->plan->output_count; i++) {
        if (!open_sink(r, &r->plan->outputs[i])) {
            return false;
        }
    }
    return true;
}

static ll_status render_at_end(ll_run *r, ll_report *report, ll_severity fail_level)
{
    slot *s = slot_of(r, 0);
    ll_status status = LL_OK;
    prepare_slot(r, s);
    sum_up(report, fail_level, &r->sums);
    for (size_t i = 0; i < r->sink_count && status == LL_OK; i++) {
        status = r->sinks[i].broken ? LL_OK : ll_emitter_render(r->sinks[i].emitter, report, s->chunks[i]);
    }
    if (status == LL_OK) {
        write_slot(r, s);
        note_broken(r);
    }
    return status == LL_OK ? r->fatal : status;
}

ll_status ll_run_remarks(ll_run *r, const ll_remarked *file, ll_remarks remarks)
{
    char buffer[LL_CONFIG_PATH_MAX];
    ll_report *report = NULL;
    ll_lint_options options = {.size = sizeof options,
                               .name = file->path,
                               .identity =
                                   file->scope ? ll_scope_identity(file->scope, file->path, buffer) : file->path,
                               .has_fail_level = true,
                               .fail_level = file->profile->fail_level};
    if (remarks.count == 0) {
        return LL_OK;
    }
    ll_need(ll_report_create(&ll_pages, &report));
    ll_status status = ll_lint_remarks(file->profile->rules, file->bytes, file->size, &options, remarks, report);
    if (status == LL_OK && ll_report_finding_count(report)) {
        status = render_at_end(r, report, file->profile->fail_level);
    }
    ll_report_free(report);
    return status;
}

static void add_up(const ll_run *r, ll_outcome *out)
{
    *out = r->sums;
    out->files = r->taken;
    out->joined = r->joined;
    out->unchecked = out->unchecked || r->broken != 0;
    static const ll_outcome nothing = {0};
    for (size_t i = 0; i < r->worker_count; i++) {
        const ll_outcome *sums = r->workers[i] ? &r->workers[i]->sums : &nothing;
        out->errors += sums->errors;
        out->warnings += sums->warnings;
        out->notes += sums->notes;
        out->failing = out->failing || sums->failing;
        out->unchecked = out->unchecked || sums->unchecked;
    }
}

/* Reports how many findings an output lacks; formats for people say so themselves. */
static void say_missing(const ll_emitter *emitter, const char *format)
{
    unsigned long long missing = ll_emitter_missing(emitter);
    if (missing && !ll_emit_is_for_people(format)) {
        (void)ll_say("--format %s: %llu finding%s left out, by a limit or because another one explains them; the "
                     "severest are kept",
                     format, missing, missing == 1 ? " is" : "s are");
    }
}

/* Ends all outputs. The exit code that they state is correct unless writing their end fails. */
static int finish(ll_run *r, ll_outcome *out)
{
    add_up(r, out);
    int code = out->unchecked                           ? LL_EXIT_TROUBLE
               : out->failing && r->plan->findings_fail ? LL_EXIT_FINDINGS
                                                        : LL_EXIT_CLEAN;
    size_t count = 0;
    ll_found_config found;
    while (ll_config_found_at(r->plan->config, count, &found)) {
        count++;
    }
    ll_found_config *configs = ll_arena_alloc(&r->arena, count + 1, sizeof *configs);
    for (size_t i = 0; i < count; i++) {
        (void)ll_config_found_at(r->plan->config, i, &configs[i]);
    }
    out->complete = true;
    for (size_t i = 0; i < r->sink_count; i++) {
        sink *k = &r->sinks[i];
        ll_emitter_found_configs(k->emitter, configs, count);
        ll_status status = k->broken ? LL_E_WRITE : ll_emitter_finish(k->emitter, code);
        k->open = false;
        say_missing(k->emitter, r->plan->outputs[i].format);
        out->complete = ll_out_end(&k->out, r->plan->outputs[i].format, status) && out->complete;
    }
    return out->complete ? code : LL_EXIT_TROUBLE;
}

static void release(ll_run *r)
{
    for (size_t i = 0; i < r->sink_count; i++) {
        if (r->sinks[i].open) {
            ll_out_abandon(&r->sinks[i].out);
        }
        ll_emitter_free(r->sinks[i].emitter);
    }
    for (size_t i = 0; i < r->slot_count * r->sink_count; i++) {
        ll_chunk_free(r->slots[i / r->sink_count].chunks[i % r->sink_count]);
    }
    for (size_t i = 0; i < r->worker_count; i++) {
        if (r->workers[i]) {
            ll_report_free(r->workers[i]->report);
            ll_workspace_free(r->workers[i]->workspace);
            ll_report_free(r->workers[i]->member);
            ll_text_free(&r->workers[i]->name);
            ll_os_buffer_free(&r->workers[i]->buffer);
            ll_arena_free(&r->workers[i]->arena);
            ll_times_free(&r->workers[i]->times);
            free(r->workers[i]->identities);
            free(r->workers[i]);
        }
    }
    free(r->slots);
    free((void *)r->workers);
    ll_os_lock_free(r->lock);
    ll_workspace_free(r->workspace);
    ll_arena_free(&r->arena);
    ll_files_close(r->files);
}

static void say_times(const ll_run *r, uint64_t began)
{
    ll_times all = {.wanted = r->plan->options->timing};
    for (size_t i = 0; all.wanted && i < r->worker_count; i++) {
        if (r->workers[i]) {
            ll_times_add(&all, &r->workers[i]->times);
        }
    }
    if (all.wanted) {
        ll_times_say(&all, ll_os_nanoseconds() - began, r->worker_count);
    }
    ll_times_free(&all);
}

int ll_run_files(const ll_plan *plan, ll_outcome *out)
{
    uint64_t began = plan->options->timing ? ll_os_nanoseconds() : 0;
    ll_run r = {.plan = plan};
    ll_outcome outcome = {0};
    int code = LL_EXIT_TROUBLE;
    ll_arena_init(&r.arena, &ll_heap, SIZE_MAX);
    if (ll_files_open(plan->options, plan->config, &r.files) && open_sinks(&r)) {
        r.root = plan->below_root ? ll_files_root(r.files) : "";
        r.root_length = strlen(r.root);
        if (plan->joins && !plan->options->no_cross) {
            ll_need(ll_workspace_create(NULL, ll_config_base(plan->config)->rules, &r.workspace));
            ll_files_tell(r.files, r.workspace, r.root_length);
        }
        ll_progress_start(&r.progress, plan->options->verbosity > -1);
        if (!plan->changes_files) {
            ll_crash_allow_restart();
        }
        go(&r);
        if (r.workspace && !r.failed && !r.stop) {
            ll_status status = join(&r);
            r.fatal = r.fatal == LL_OK ? status : r.fatal; /* an output may have failed before */
        }
        ll_progress_clear(&r.progress);
        bool found = ll_files_notices(r.files);
        r.sums.unchecked = r.sums.unchecked || (plan->options->require_files && !found);
        if (!r.failed && r.fatal == LL_OK && plan->tail) {
            r.fatal = plan->tail(plan->ctx, &r);
        }
        if (r.fatal != LL_OK) {
            (void)ll_say("%s", ll_status_text(r.fatal));
        } else if (!r.failed) {
            code = finish(&r, &outcome);
        }
        say_times(&r, began);
    }
    release(&r);
    if (out) {
        *out = outcome;
    }
    return code;
}
