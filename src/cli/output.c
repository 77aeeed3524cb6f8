/* Implements messages and output streams. Names are escaped, and the result of every write is checked. */
#include "cli/output.h"

#include "base/problem.h"
#include "base/text.h"
#include "cli/crash.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 * 1024, SAY_MAX = 8 * 1024 };

/* ------------------------------------------------------------------ messages */

bool ll_say(const char *format, ...)
{
    char text[SAY_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ll_text line;
    ll_text_init(&line, &ll_heap);
    ll_text_str(&line, "lightlint: ");
    ll_mapped_text(text, strlen(text), (const char *const[]){"#\\x23", NULL}, &line); /* "##[" starts commands of CI
                                                                                       * runners */
    ll_text_char(&line, '\n');
    (void)ll_os_write(LL_OS_STDERR, line.data, line.length); /* an error here cannot be reported */
    ll_text_free(&line);
    return false;
}

static void *take(void *ctx, size_t size)
{
    (void)ctx;
    void *block = malloc(size);
    if (!block && size) {
        ll_os_end_without_memory();
    }
    return block;
}

static void give_back(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

const ll_allocator ll_heap = {take, give_back, NULL};

static void *take_pages(void *ctx, size_t size)
{
    (void)ctx;
    return ll_os_take(size);
}

const ll_allocator ll_pages = {take_pages, give_back, NULL};

void ll_need(ll_status status)
{
    if (status != LL_OK) {
        ll_os_end_without_memory();
    }
}

bool ll_accept(ll_status status, const char *what, const ll_problem *problem)
{
    size_t n = strlen(what);
    bool refused = status == LL_E_PACK || status == LL_E_INPUT;
    bool named = refused && strncmp(problem->text, what, n) == 0 && strncmp(problem->text + n, ": ", 2) == 0;
    const char *text = !refused ? ll_status_text(status) : named ? problem->text + n + 2 : problem->text;
    if (status == LL_OK) {
        return true;
    }
    if (refused && problem->line && problem->column) {
        (void)ll_say("%s:%u:%u: %s", what, problem->line, problem->column, text);
    } else if (refused && problem->line) {
        (void)ll_say("%s:%u: %s", what, problem->line, text);
    } else {
        (void)ll_say("%s: %s", what, text);
    }
    return false;
}

char *ll_format(ll_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = ll_arena_alloc(arena, (size_t)n + 1, 1);
    va_start(arguments, format);
    (void)vsnprintf(text, (size_t)n + 1, format, arguments);
    va_end(arguments);
    return text;
}

/* ------------------------------------------------------------------ progress */

enum { PROGRESS_AFTER = 1000, PROGRESS_EVERY = 200 };

void ll_progress_start(ll_progress *progress, bool wanted)
{
    *progress = (ll_progress){.wanted = wanted && ll_os_is_terminal(LL_OS_STDERR)};
    progress->due = progress->wanted ? ll_os_milliseconds() + PROGRESS_AFTER : 0;
}

void ll_progress_update(ll_progress *progress, uint64_t done)
{
    if (!progress->wanted || ll_os_milliseconds() < progress->due) {
        return;
    }
    char line[96];
    int n = snprintf(line, sizeof line, "\rchecked %" PRIu64 " file%s\033[K", done, done == 1 ? "" : "s");
    (void)ll_os_write(LL_OS_STDERR, line, (size_t)n);
    progress->shown = true;
    progress->due = ll_os_milliseconds() + PROGRESS_EVERY;
}

void ll_progress_clear(ll_progress *progress)
{
    if (progress->shown) {
        (void)ll_os_write(LL_OS_STDERR, "\r\033[K", 4);
        progress->shown = false;
    }
}

/* ------------------------------------------------------------------ streams */

static void say_error(const ll_out *out, int error)
{
    (void)ll_say("%s: %s", out->name ? out->name : "standard output", ll_os_error_text(error));
}

bool ll_out_open(ll_out *out, const char *file, ll_progress *progress)
{
    *out = (ll_out){.name = file, .stream = LL_OS_STDOUT, .progress = progress};
    out->block = take(NULL, BLOCK);
    int error = file ? ll_os_target_open(file, &out->target) : 0;
    if (error) {
        say_error(out, error);
        free(out->block);
        out->block = NULL;
    }
    return !error;
}

static void send(ll_out *out, const char *bytes, size_t size)
{
    if (out->error || !size) {
        return;
    }
    if (out->progress && !out->target) {
        ll_progress_clear(out->progress);
    }
    out->touched = true;
    out->error = out->target ? ll_os_target_write(out->target, bytes, size) : ll_crash_write(out->stream, bytes, size);
}

/* Writes out the buffer. */
static bool flush(ll_out *out)
{
    send(out, out->block, out->used);
    out->used = 0;
    return !out->error;
}

bool ll_out_write(void *ctx, const char *bytes, size_t size)
{
    ll_out *out = ctx;
    if (size > BLOCK - out->used) {
        (void)flush(out);
    }
    if (size > BLOCK) {
        send(out, bytes, size);
    } else if (size) {
        memcpy(out->block + out->used, bytes, size);
        out->used += size;
    }
    return !out->error;
}

void ll_out_print(ll_out *out, const char *format, ...)
{
    for (int tries = 0; tries < 2; tries++) {
        va_list arguments;
        size_t room = BLOCK - out->used;
        va_start(arguments, format);
        int n = vsnprintf(out->block + out->used, room, format, arguments);
        va_end(arguments);
        if (n >= 0 && (size_t)n < room) {
            out->used += (size_t)n;
            return;
        }
        (void)flush(out); /* now the whole buffer is free */
    }
}

bool ll_out_close(ll_out *out)
{
    (void)flush(out);
    if (out->error) {
        ll_os_target_abandon(out->target);
    } else if (out->target) {
        out->error = ll_os_target_commit(out->target, NULL);
    } else if (out->touched) {
        out->error = ll_os_close(out->stream);
    }
    free(out->block);
    out->block = NULL;
    out->target = NULL;
    if (out->error && !ll_os_is_broken_pipe(out->error)) {
        say_error(out, out->error);
    }
    return !out->error;
}

void ll_out_abandon(ll_out *out)
{
    if (!out->target) {
        (void)flush(out); /* show at least what was produced so far */
    }
    ll_os_target_abandon(out->target);
    free(out->block);
    out->block = NULL;
    out->target = NULL;
}

bool ll_out_end(ll_out *out, const char *what, ll_status status)
{
    if (status == LL_OK || status == LL_E_WRITE) { /* the stream has recorded the write error */
        return ll_out_close(out);
    }
    ll_out_abandon(out);
    return ll_say("%s: %s", what, ll_status_text(status));
}
