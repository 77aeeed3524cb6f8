/* Checks files with any number of threads. Decides who takes which files, in which order results are written, and the
 * exit code. Files are taken in batches, each with a ticket; a batch is rendered into chunks by whoever took it, and
 * chunks are written in ticket order, so that output and memory depend on neither the count of threads nor of files. */
#include "cli/check.h"

#include "cli/files.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_MAX = 64,      /* files per ticket: enough to make the lock free of charge */
    HEAVY = 1024 * 1024, /* bytes after which a few files are work for more than one thread */
    PENDING_MAX = 256,   /* findings that a batch holds back before it waits for its turn and writes them */
    SLOTS_PER_THREAD = 2 /* so that a thread need not wait for a slower one before it */
};

/* One output of the run. */
typedef struct sink {
    ll_out out;
    ll_emitter *emitter;
    bool open, broken;
} sink;

/* Rendered results of one ticket, a chunk per output. */
typedef struct slot {
    ll_chunk *chunks[LL_WISHES_MAX];
    size_t end; /* files done when this ticket is written */
    bool ready; /* rendered, to be written by whoever has the turn */
} slot;

/* What belongs to one thread. */
typedef struct worker {
    ll_report *report;
    ll_os_buffer buffer;
    uint64_t bytes; /* read so far */
    bool failing, unchecked;
} worker;

typedef struct run {
    const ll_options *options;
    const ll_ruleset *rules;
    ll_files files;
    sink sinks[LL_WISHES_MAX];
    size_t sink_count;
    ll_progress progress;
    worker *workers;
    unsigned worker_count;
    slot *slots;
    size_t slot_count, batch;
    ll_os_lock *lock; /* for what follows */
    size_t next_file;
    uint64_t next_ticket, turn; /* turn: the ticket that is written next */
    unsigned broken;            /* a bit per sink that takes no more */
    bool stop;
    ll_status fatal;
} run;

typedef struct ticket {
    uint64_t number;
    size_t first, end;
    unsigned broken;
    size_t pending; /* findings rendered and not yet written */
} ticket;

/* ------------------------------------------------------------------ order */

static slot *slot_of(run *r, uint64_t number)
{
    return &r->slots[number % r->slot_count];
}

static void stop_all(run *r, ll_status status)
{
    ll_os_lock_enter(r->lock);
    if (r->fatal == LL_OK) {
        r->fatal = status;
    }
    r->stop = true;
    ll_os_lock_wake_all(r->lock);
    ll_os_lock_leave(r->lock);
}

/* The next batch, once there is a slot for its results. False when there is nothing left to do. */
static bool take_ticket(run *r, ticket *out)
{
    ll_os_lock_enter(r->lock);
    while (!r->stop && r->next_file < r->files.count && r->next_ticket - r->turn >= r->slot_count) {
        ll_os_lock_wait(r->lock);
    }
    bool any = !r->stop && r->next_file < r->files.count;
    if (any) {
        size_t left = r->files.count - r->next_file;
        size_t n = left < r->batch ? left : r->batch;
        *out = (ticket){.number = r->next_ticket, .first = r->next_file, .end = r->next_file + n, .broken = r->broken};
        r->next_ticket++;
        r->next_file += n;
    }
    ll_os_lock_leave(r->lock);
    return any;
}

/* Writes what a slot holds. Only the holder of the turn may call it; there is one at any time. */
static void write_slot(run *r, slot *s)
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

/* After write_slot(), inside the lock: tells others which outputs take no more. Findings still go to the rest. */
static void note_broken(run *r)
{
    unsigned all = (1u << r->sink_count) - 1;
    for (size_t i = 0; i < r->sink_count; i++) {
        r->broken |= r->sinks[i].broken ? 1u << i : 0;
    }
    r->stop = r->stop || r->broken == all;
}

/* Hands in a finished ticket. If its turn has come, writes it and all finished ones behind it; if not, whoever writes
 * the one before it will find it ready. */
static void hand_in(run *r, const ticket *t)
{
    slot *s = slot_of(r, t->number);
    ll_os_lock_enter(r->lock);
    s->ready = true;
    s->end = t->end;
    bool mine = r->turn == t->number;
    while (mine && !r->stop) {
        ll_os_lock_leave(r->lock);
        write_slot(r, s);
        ll_progress_update(&r->progress, s->end, r->files.count);
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

/* A batch full of findings waits for its turn and writes as it goes. */
static void write_early(run *r, ticket *t)
{
    ll_os_lock_enter(r->lock);
    while (!r->stop && r->turn != t->number) {
        ll_os_lock_wait(r->lock);
    }
    bool stop = r->stop;
    ll_os_lock_leave(r->lock);
    if (!stop) {
        write_slot(r, slot_of(r, t->number));
        t->pending = 0;
    }
}

/* ------------------------------------------------------------------ one file */

/* Judges one file into the worker's report. */
static ll_status lint(run *r, worker *w, const ll_file *file)
{
    ll_lint_options options = {.size = sizeof options,
                               .name = file->path,
                               .variant = r->options->game,
                               .max_per_rule = r->options->max_per_rule,
                               .max_per_file = r->options->max_per_file};
    char words[128];
    int error = file->error ? file->error : ll_os_read(&w->buffer, file->is_stdin ? NULL : file->path);
    if (error) {
        w->unchecked = true;
        const char *reason = ll_os_error_text(error, words, sizeof words);
        return ll_lint_unreadable(r->rules, reason, &options, w->report);
    }
    w->bytes += w->buffer.size;
    ll_status status = ll_lint(r->rules, w->buffer.bytes, w->buffer.size, &options, w->report);
    if (status == LL_OK || status == LL_E_MEMORY) {
        return status;
    }
    w->unchecked = true;
    return ll_lint_unreadable(r->rules, ll_status_text(status), &options, w->report);
}

static void sum_up(const run *r, worker *w)
{
    ll_summary sum;
    ll_report_summary(w->report, &sum);
    ll_severity level = r->options->fail_level;
    w->unchecked = w->unchecked || sum.unchecked;
    w->failing = w->failing || (level != LL_SEVERITY_OFF && sum.errors) || (level == LL_NOTE && sum.notes) ||
                 ((level == LL_NOTE || level == LL_WARNING) && sum.warnings);
}

static ll_status check_file(run *r, worker *w, ticket *t, const ll_file *file)
{
    ll_status status = lint(r, w, file);
    if (status != LL_OK) {
        return status;
    }
    sum_up(r, w);
    slot *s = slot_of(r, t->number);
    for (size_t i = 0; i < r->sink_count && status == LL_OK; i++) {
        if (!(t->broken >> i & 1)) {
            status = ll_emitter_render(r->sinks[i].emitter, w->report, s->chunks[i]);
        }
    }
    t->pending += ll_report_finding_count(w->report);
    if (status == LL_OK && t->pending > PENDING_MAX) {
        write_early(r, t);
    }
    return status;
}

/* Takes tickets until there are none, or until `enough` bytes were read (0: no such limit). */
static void work_until(run *r, worker *w, uint64_t enough)
{
    ticket t;
    while ((!enough || w->bytes < enough) && take_ticket(r, &t)) {
        for (size_t i = t.first; i < t.end; i++) {
            ll_status status = check_file(r, w, &t, &r->files.items[i]);
            if (status != LL_OK) {
                stop_all(r, status);
                return;
            }
        }
        hand_in(r, &t);
    }
}

static void work(void *ctx, unsigned index)
{
    run *r = ctx;
    work_until(r, &r->workers[index], 0);
}

/* A handful of small files is done before a second thread has started. */
static void check_all(run *r)
{
    if (r->files.count <= BATCH_MAX) {
        work_until(r, &r->workers[0], HEAVY);
    }
    if (r->next_file < r->files.count) {
        ll_os_parallel(r->worker_count, work, r);
    }
}

/* ------------------------------------------------------------------ the run */

static bool out_of_memory(void)
{
    ll_say("out of memory");
    return false;
}

static bool prepare_workers(run *r)
{
    size_t n = r->options->jobs ? r->options->jobs : r->files.count > 1 ? ll_os_cpu_count() : 1;
    n = n < LL_OS_THREADS_MAX ? n : LL_OS_THREADS_MAX;
    n = n < r->files.count ? n : r->files.count;
    n = n ? n : 1;
    size_t share = r->files.count / (n * 8); /* small shares even out what big files cost */
    r->batch = share < 1 ? 1 : share > BATCH_MAX ? BATCH_MAX : share;
    r->slot_count = n > 1 ? n * SLOTS_PER_THREAD : 1;
    r->lock = ll_os_lock_create();
    r->workers = calloc(n, sizeof *r->workers);
    r->slots = calloc(r->slot_count, sizeof *r->slots);
    if (!r->lock || !r->workers || !r->slots) {
        return out_of_memory();
    }
    r->worker_count = (unsigned)n;
    for (size_t i = 0; i < n; i++) {
        if (ll_report_create(NULL, &r->workers[i].report) != LL_OK) {
            return out_of_memory();
        }
    }
    for (size_t i = 0; i < r->slot_count * r->sink_count; i++) {
        if (ll_chunk_create(NULL, &r->slots[i / r->sink_count].chunks[i % r->sink_count]) != LL_OK) {
            return out_of_memory();
        }
    }
    return true;
}

/* Two outputs must not share a file, and none may replace what is read. */
static bool may_write(const run *r, size_t index)
{
    const char *file = r->options->wishes[index].file;
    for (size_t i = 0; file && i < index; i++) {
        if (r->options->wishes[i].file && ll_os_same_target(r->options->wishes[i].file, file)) {
            ll_say("two outputs cannot go to one file: '%s'", file);
            return false;
        }
    }
    if (file && ll_files_hold(&r->files, r->options, file)) {
        ll_say("'%s' is an input; it will not be overwritten", file);
        return false;
    }
    return true;
}

static bool open_sink(run *r, const ll_wish *wish)
{
    sink *k = &r->sinks[r->sink_count];
    if (!ll_out_open(&k->out, wish->file, &r->progress)) {
        return false;
    }
    k->open = true;
    r->sink_count++;
    ll_emit_options options = {.size = sizeof options,
                               .format = wish->format,
                               .color = ll_options_color(r->options, !wish->file),
                               .all = r->options->all,
                               .verbosity = r->options->verbosity,
                               .fail_level = r->options->fail_level};
    ll_status status = ll_emitter_create(NULL, r->rules, &options, ll_out_write, &k->out, &k->emitter);
    if (status != LL_OK) {
        ll_say("--format %s: %s", wish->format, ll_status_text(status));
    }
    return status == LL_OK;
}

static bool open_sinks(run *r)
{
    for (size_t i = 0; i < r->options->wish_count; i++) {
        if (!may_write(r, i)) {
            return false;
        }
    }
    for (size_t i = 0; i < r->options->wish_count; i++) {
        if (!open_sink(r, &r->options->wishes[i])) {
            return false;
        }
    }
    return true;
}

static int exit_code(const run *r)
{
    bool failing = false;
    bool unchecked = r->broken != 0;
    for (size_t i = 0; i < r->worker_count; i++) {
        failing = failing || r->workers[i].failing;
        unchecked = unchecked || r->workers[i].unchecked;
    }
    return unchecked ? LL_EXIT_TROUBLE : failing ? LL_EXIT_FINDINGS : LL_EXIT_CLEAN;
}

/* Ends all outputs. What they say of the exit code is true unless writing that very end fails. */
static int finish(run *r)
{
    int code = exit_code(r);
    bool complete = true;
    for (size_t i = 0; i < r->sink_count; i++) {
        sink *k = &r->sinks[i];
        ll_status status = k->broken ? LL_E_WRITE : ll_emitter_finish(k->emitter, code);
        k->open = false;
        if (status != LL_OK && status != LL_E_WRITE) {
            ll_say("%s", ll_status_text(status));
            ll_out_abandon(&k->out);
            complete = false;
        } else {
            complete = ll_out_close(&k->out) && complete;
        }
    }
    return complete ? code : LL_EXIT_TROUBLE;
}

static void release(run *r)
{
    for (size_t i = 0; i < r->sink_count; i++) {
        if (r->sinks[i].open) {
            ll_out_abandon(&r->sinks[i].out);
        }
        ll_emitter_free(r->sinks[i].emitter);
    }
    for (size_t i = 0; r->slots && i < r->slot_count * r->sink_count; i++) {
        ll_chunk_free(r->slots[i / r->sink_count].chunks[i % r->sink_count]);
    }
    for (size_t i = 0; i < r->worker_count; i++) {
        ll_report_free(r->workers[i].report);
        ll_os_buffer_free(&r->workers[i].buffer);
    }
    free(r->slots);
    free(r->workers);
    ll_os_lock_free(r->lock);
    ll_files_free(&r->files);
}

int ll_check(const ll_options *options, const ll_ruleset *rules)
{
    run r = {.options = options, .rules = rules};
    int code = LL_EXIT_TROUBLE;
    if (ll_files_collect(options, &r.files) && open_sinks(&r) && prepare_workers(&r)) {
        ll_progress_start(&r.progress, options->verbosity > -1);
        check_all(&r);
        ll_progress_clear(&r.progress);
        if (r.fatal == LL_OK) {
            code = finish(&r);
        } else {
            ll_say("%s", ll_status_text(r.fatal));
        }
    }
    release(&r);
    return code;
}
