/* What the command line asks of the operating system. One implementation per platform (os_posix.c, os_windows.c), with
 * what they have in common in os.c; nothing else in the program includes a system header. Paths are those of
 * base/path.h. Functions return 0 or an error number that ll_os_error_text() puts into words. */
#ifndef LL_CLI_OS_H
#define LL_CLI_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LL_OS_STDIN = 0, LL_OS_STDOUT = 1, LL_OS_STDERR = 2 };

/* Call once, before anything is opened, with the command line as main() has it: a closed standard stream gets a
 * stand-in that refuses every access, so that no other file takes its number, and a reader that hangs up is an error of
 * the write, not the end of the process. */
void ll_os_start(char **arguments);

/* The system's words for an error number, in English; until the thread asks again. */
const char *ll_os_error_text(int error);
/* True for the error of writing to a pipe whose reading end is closed. */
bool ll_os_is_broken_pipe(int error);

/* True when a file could not be opened because there is none. */
bool ll_os_is_missing(int error);
/* True when a lock could not be had because another process holds it. */
bool ll_os_is_held(int error);

/* Memory, zeroed; free() it. Where there is none left the process says so, removes unfinished files, and ends with exit
 * code 2: the result is never NULL, unless nothing was asked for. */
void *ll_os_alloc(size_t count, size_t size);
_Noreturn void ll_os_end_without_memory(void);

/* ------------------------------------------------------------------ crashes (crash.h) */

/* From now on handler() is called on the thread that crashes, on a stack of its own, and on no other. In builds with
 * sanitizers never. */
void ll_os_catch_crashes(void (*handler)(void));
/* These five are for that handler. False: something was read or written that a new run could not read or write once
 * more. */
bool ll_os_can_restart(void);
/* The process begins anew with its command line and one more variable, "NAME=value",
 * in place of one of that name. Unfinished files are removed first. Returns where that failed. */
void ll_os_restart(const char *variable);
/* Removes unfinished files and ends the process with exit code 2. */
_Noreturn void ll_os_end_after_crash(void);
/* Waits until another thread ends the process. */
_Noreturn void ll_os_wait_for_end(void);
/* Gives other threads the processor. */
void ll_os_yield(void);

/* ------------------------------------------------------------------ reading */

/* The bytes of one file; the storage is reused from file to file. Zero-initialise before first use. */
typedef struct ll_os_buffer {
    const unsigned char *bytes; /* the file */
    size_t size;
    unsigned char *block; /* heap storage, reused */
    size_t capacity;
    void *map; /* or the mapped file */
    size_t map_size;
} ll_os_buffer;

/* Reads a whole file, or standard input when path is NULL. What the buffer held before is gone. Files above 1 MiB are
 * mapped; if such a file shrinks meanwhile, the process says so and ends with exit code 2. A pipe or a device is
 * refused, and never waited for. */
int ll_os_read(ll_os_buffer *buffer, const char *path);
/* The same, but a pipe or a device is read as standard input is. */
int ll_os_read_stream(ll_os_buffer *buffer, const char *path);
void ll_os_buffer_free(ll_os_buffer *buffer);

/* A file that is read from its beginning to its end, in pieces, so that its size does not matter. */
int ll_os_source_open(const char *path, int *out);
/* Up to `capacity` bytes; *size is 0 at the end. */
int ll_os_source_read(int source, char *buffer, size_t capacity, size_t *size);
void ll_os_source_close(int source);

/* A file without a name: what is written to the stream `sink` is read from `source`, once the sink is closed. */
int ll_os_scratch_open(int *sink, int *source);

/* ------------------------------------------------------------------ the file system */

typedef enum ll_os_kind {
    LL_OS_MISSING,
    LL_OS_HIDDEN, /* what leads there cannot be searched: nobody knows */
    LL_OS_FILE,
    LL_OS_DIRECTORY,
    LL_OS_LINK, /* from ll_os_kind_of() one that leads nowhere */
    LL_OS_OTHER /* device, pipe, socket */
} ll_os_kind;

/* Links are followed. */
ll_os_kind ll_os_kind_of(const char *path);
/* True when something of that name is to be seen, be it a link that leads nowhere. */
bool ll_os_is_there(const char *path);

/* What a path leads to, whatever it is called. */
typedef struct ll_os_id {
    uint64_t device, number;
} ll_os_id;
/* False when there is nothing. */
bool ll_os_identify(const char *path, ll_os_id *out);
static inline bool ll_os_same(ll_os_id a, ll_os_id b)
{
    return a.device == b.device && a.number == b.number;
}

/* True when writing to both would write one file, whether it exists already or not. */
bool ll_os_same_target(const char *a, const char *b);

/* Absolute path without links, "." and ".." of something that is there; free() it. NULL when there is nothing. */
char *ll_os_real_path(const char *path);

/* Names the entries of a directory in no order, without "." and "..". An error may come behind some of them. */
typedef void (*ll_os_entry_fn)(void *ctx, const char *name, ll_os_kind kind);
int ll_os_list(const char *path, ll_os_entry_fn entry, void *ctx);

#ifdef _WIN32
/* Takes each path that an operand means: on Windows shells leave patterns to the programs, and '*' and '?' in its last
 * name stand for the entries of a directory that fit. Where none does, the operand itself. */
void ll_os_expand(const char *operand, void (*take)(void *ctx, const char *path), void *ctx);
#else
static inline void ll_os_expand(const char *operand, void (*take)(void *ctx, const char *path), void *ctx)
{
    take(ctx, operand);
}
#endif

/* ------------------------------------------------------------------ writing */

/* Writes all bytes to a standard stream. */
int ll_os_write(int stream, const char *bytes, size_t size);
/* Closes a standard stream: the last chance to learn that bytes were lost. */
int ll_os_close(int stream);

/* A file that appears under its name when it is complete, or not at all. Devices and pipes are written directly. */
typedef struct ll_os_target ll_os_target;
int ll_os_target_open(const char *path, ll_os_target **out);
int ll_os_target_write(ll_os_target *target, const char *bytes, size_t size);
/* Gives the file its name. Releases the target, also on error; then the old file is untouched. `hold`: NULL, or that of
 * the old file by ll_os_hold(); where the system cannot replace a file that is open, it is released first, and set to
 * -1. */
int ll_os_target_commit(ll_os_target *target, int *hold);
/* Removes what was written and releases the target. NULL is fine. */
void ll_os_target_abandon(ll_os_target *target);

/* Removes unfinished files that killed processes left beside `path`, whatever they were to become. Those of living ones
 * stay. ll_os_target_open() does it, too. */
void ll_os_remove_leftovers(const char *path);

/* Before commit: the file gets owner and mode of the one at `path`, as far as this user may give them. */
void ll_os_target_like(ll_os_target *target, const char *path);

/* A file that is only ever added to, made if there is none, by one process at a time. What is written is on the disk
 * when ll_os_log_write() returns. */
int ll_os_log_open(const char *path, int *out);
int ll_os_log_write(int log, const char *bytes, size_t size);

/* True when a file has other names, too, which replacing it would leave with what it was. */
bool ll_os_is_shared(const char *path);

/* Holds a file, by the name that it has then: another process that asks for it waits, or fails where it does not want
 * to. The hold ends with ll_os_release() or with the process, whatever ends it; a lock file would stay when a process
 * is killed. If the file is replaced while a process waits, the new file is held. A file system that has no locks gives
 * the hold to all who ask; comparing the bytes before writing is then the only guard. */
int ll_os_hold(const char *path, bool wait, int *out);
void ll_os_release(int hold); /* -1 is fine */

/* ------------------------------------------------------------------ other programs */

/* Runs a program that PATH leads to, and takes what it writes to standard output; it has no input, and what it says on
 * standard error is lost. `words`: its name and arguments, NULL behind. `environment`: "NAME=value" sets a variable,
 * "NAME" takes it away, NULL behind. *code: its exit code, -1 where a signal ended it. One that says nothing
 * for ten seconds is ended. */
int ll_os_run(const char *const *words, const char *const *environment, ll_os_buffer *out, int *code);

/* ------------------------------------------------------------------ the machine */

bool ll_os_is_terminal(int stream);
/* Columns and lines of the terminal that a stream leads to; 0 and 0 where the system does not know. */
void ll_os_terminal_size(int stream, unsigned *columns, unsigned *lines);
/* Columns that a character takes on a terminal, as the C library knows it; 1 where it knows no Unicode. */
unsigned ll_os_columns_of(uint32_t character);
unsigned ll_os_cpu_count(void);
/* "2026-11-21", in UTC: the day of today, or that of SOURCE_DATE_EPOCH
 * (https://reproducible-builds.org/specs/source-date-epoch/) where that is set. False when it is, and to something else
 * than a number of seconds since 1970, before the year 10000. */
enum { LL_OS_DATE = 11 };
bool ll_os_today(char out[LL_OS_DATE]);
/* Since some point in the past; never goes back. */
uint64_t ll_os_nanoseconds(void);
static inline uint64_t ll_os_milliseconds(void)
{
    return ll_os_nanoseconds() / 1000000;
}

/* A lock with a condition: wait() leaves the lock, waits for wake_all(), and enters the lock again. */
typedef struct ll_os_lock ll_os_lock;
ll_os_lock *ll_os_lock_create(void);
void ll_os_lock_free(ll_os_lock *lock);
void ll_os_lock_enter(ll_os_lock *lock);
void ll_os_lock_leave(ll_os_lock *lock);
void ll_os_lock_wait(ll_os_lock *lock);
void ll_os_lock_wake_all(ll_os_lock *lock);

enum { LL_OS_THREADS_MAX = 256 };

/* Runs work(ctx, 0) on this thread and work(ctx, 1 .. n-1) on others, and returns when all are done. Where a thread
 * cannot be had its call is not made: the work must be such that fewer threads can do it. */
void ll_os_parallel(unsigned n, void (*work)(void *ctx, unsigned index), void *ctx);

#endif
