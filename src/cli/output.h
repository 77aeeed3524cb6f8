/* What leaves the program: messages on stderr, and reports on stdout or in files. */
#ifndef LL_CLI_OUTPUT_H
#define LL_CLI_OUTPUT_H

#include "base/arena.h"
#include "cli/os.h"

/* One line on stderr behind "lightlint: ". Control characters and the like are escaped: names of files and
 * words of the command line may stand in the arguments as they are. Returns false, so that a refusal is one statement.
 */
LL_PRINTF(1, 2) bool ll_say(const char *format, ...);
/* For what takes an allocator: where there is no memory left, the program ends as with ll_os_alloc(). */
extern const ll_allocator ll_heap;
/* For calls that fail for want of memory alone: ends the program as ll_os_alloc() does. */
void ll_need(ll_status status);

/* Says why `what` (an option, or a file) was refused, with the place where there is one. Returns whether it was not. */
bool ll_accept(ll_status status, const char *what, const ll_problem *problem);

/* "a, b, c"; names for which there is no room are left off. Returns `out`. */
enum { LL_NAME_LIST_MAX = 256, LL_UNKNOWN_MAX = 1024 };
const char *ll_list_names(const char *const *names, char out[LL_NAME_LIST_MAX]);
/* "<lead> '<word>'; did you mean '<name>'?", else with all names; NULL stands behind the last. Returns `out`. */
const char *ll_unknown_name(const char *lead, const char *word, const char *const *names, char out[LL_UNKNOWN_MAX]);

/* Formatted text in an arena over ll_heap. */
LL_PRINTF(2, 3)
char *ll_format(ll_arena *arena, const char *format, ...);

/* "checked N files" on a terminal's stderr, once the run takes longer than a second. */
typedef struct ll_progress {
    bool wanted; /* stderr is a terminal and --quiet was not given */
    bool shown;
    uint64_t due; /* when to show it next, in ll_os_milliseconds() */
} ll_progress;

void ll_progress_start(ll_progress *progress, bool wanted);
void ll_progress_update(ll_progress *progress, uint64_t done);
void ll_progress_clear(ll_progress *progress);

/* One stream of bytes: standard output, or a file that appears when it is complete. The first error sticks. */
typedef struct ll_out {
    const char *name;      /* path, or NULL: a standard stream */
    ll_os_target *target;  /* NULL: a standard stream */
    int stream;            /* which, if the caller wants another than stdout */
    ll_progress *progress; /* cleared before a terminal is written to; may be NULL */
    char *block;
    size_t used;
    bool touched; /* something was written */
    int error;
} ll_out;

/* `file` NULL: stdout. On failure it was said on stderr and the stream needs no closing. */
bool ll_out_open(ll_out *out, const char *file, ll_progress *progress);
/* An ll_write_fn; ctx is the ll_out. */
bool ll_out_write(void *ctx, const char *bytes, size_t size);
/* Formatted text of less than 64 KiB; a longer one is left out. The error stays with the stream, which says it when it
 * is closed. */
LL_PRINTF(2, 3)
void ll_out_print(ll_out *out, const char *format, ...);
/* Sends what is held back. */
bool ll_out_flush(ll_out *out);
/* Completes the stream. False when bytes were lost, which was said on stderr (but for a reader that hung up). */
bool ll_out_close(ll_out *out);
/* Gives up the stream: a file does not appear. */
void ll_out_abandon(ll_out *out);
/* The end of a stream to which the library wrote, and of which it made `status`: closes it, or says why not, about
 * `what`, and gives it up. */
bool ll_out_end(ll_out *out, const char *what, ll_status status);

#endif
