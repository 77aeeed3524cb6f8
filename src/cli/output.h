/* Messages on stderr, and output streams to stdout or files. */
#ifndef LL_CLI_OUTPUT_H
#define LL_CLI_OUTPUT_H

#include "base/arena.h"
#include "cli/os.h"

/* Writes one line "lightlint: ..." to stderr. Control and similar characters are escaped, so arguments may be file
 * names and words of the command line as they are. Returns false, so that refusing is one statement. */
LL_PRINTF(1, 2) bool ll_say(const char *format, ...);
/* Allocator of the program: without memory it ends the process as ll_os_alloc() does. */
extern const ll_allocator ll_heap;
/* Allocator for reports, whose memory grows with the file: see ll_os_take(). Without memory it returns NULL. */
extern const ll_allocator ll_pages;
/* For calls that can fail only for lack of memory: ends the process as ll_os_alloc() does. */
void ll_need(ll_status status);

/* Reports why `what` (an option or a file) was refused, with line and column if known. Returns true for LL_OK. */
bool ll_accept(ll_status status, const char *what, const ll_problem *problem);

/* Formats a text into an arena, which must use ll_heap. */
LL_PRINTF(2, 3)
char *ll_format(ll_arena *arena, const char *format, ...);

/* Progress line "checked N files" on stderr, if that is a terminal and the run takes longer than a second. */
typedef struct ll_progress {
    bool wanted; /* stderr is a terminal and --quiet was not given */
    bool shown;
    uint64_t due; /* time of the next update, in ll_os_milliseconds() */
} ll_progress;

void ll_progress_start(ll_progress *progress, bool wanted);
void ll_progress_update(ll_progress *progress, uint64_t done);
void ll_progress_clear(ll_progress *progress);

/* A buffered output stream: a standard stream, or a file that appears when it is complete. After an error, everything
 * else is discarded. */
typedef struct ll_out {
    const char *name;      /* path, or NULL for a standard stream */
    ll_os_target *target;  /* NULL for a standard stream */
    int stream;            /* standard stream; set it to use another than stdout */
    ll_progress *progress; /* cleared before writing to a standard stream; may be NULL */
    char *block;
    size_t used;
    bool touched; /* something was written */
    int error;
} ll_out;

/* `file` NULL: stdout. A failure is reported; the stream then needs no closing. */
bool ll_out_open(ll_out *out, const char *file, ll_progress *progress);
/* An ll_write_fn; ctx is an ll_out. */
bool ll_out_write(void *ctx, const char *bytes, size_t size);
/* Writes a formatted text of less than 64 KiB; a longer one is dropped. ll_out_close() reports write errors. */
LL_PRINTF(2, 3)
void ll_out_print(ll_out *out, const char *format, ...);
/* Completes and closes the stream. False if data was lost, which is reported, except for a pipe whose reader closed
 * it. */
bool ll_out_close(ll_out *out);
/* Discards the stream: a file does not appear. */
void ll_out_abandon(ll_out *out);
/* Ends a stream to which the library wrote with the result `status`: closes it, or discards it and reports the status
 * with `what`. */
bool ll_out_end(ll_out *out, const char *what, ll_status status);

#endif
