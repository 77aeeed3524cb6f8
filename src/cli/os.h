/* Operating system interface of the command line. os_posix.c and os_windows.c implement it per platform, os.c holds the
 * common part; no other file of the program includes a system header. Paths follow base/path.h. Functions that return
 * int return 0 or an error number for ll_os_error_text(). */
#ifndef LL_CLI_OS_H
#define LL_CLI_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LL_OS_STDIN = 0, LL_OS_STDOUT = 1, LL_OS_STDERR = 2 };

/* Call once, before any file is opened, with the argv of main(). A closed standard stream is replaced by a stand-in on
 * which every access fails, so that no other file gets its number. Writing to a pipe without a reader becomes an error
 * of the write instead of ending the process. */
void ll_os_start(char **arguments);

/* English text for an error number; valid until this thread's next call. */
const char *ll_os_error_text(int error);
/* True for the error of writing to a pipe whose reading end is closed. */
bool ll_os_is_broken_pipe(int error);

/* True if a file could not be opened because it does not exist. */
bool ll_os_is_missing(int error);
/* True if a lock was not granted because another process holds it. */
bool ll_os_is_held(int error);

/* Allocates zeroed memory; free() it. Never returns NULL, except when count or size is 0: without memory, the process
 * reports that, removes unfinished files and ends with exit code 2. */
void *ll_os_alloc(size_t count, size_t size);
_Noreturn void ll_os_end_without_memory(void);
/* Like malloc(). Blocks of 2 MiB and more use huge pages if the system has them: over a file of 64 MB the system spends
 * a quarter of the time on providing small ones. */
void *ll_os_take(size_t size);

/* ------------------------------------------------------------------ crashes (crash.h) */

/* Installs handler() for crashes. It runs on the crashing thread, on a stack of its own. Has no effect in builds with
 * sanitizers. */
void ll_os_catch_crashes(void (*handler)(void));
/* The next five functions are for the crash handler. This one returns false if the process has read input or written
 * output that a new run could not read or write again. */
bool ll_os_can_restart(void);
/* Restarts the process with the same command line and `variable`, "NAME=value", added to the environment or replacing
 * one of that name. Removes unfinished files first. Returns only on failure. */
void ll_os_restart(const char *variable);
/* Removes unfinished files and ends the process with exit code 2. */
_Noreturn void ll_os_end_after_crash(void);
/* Waits until another thread ends the process. */
_Noreturn void ll_os_wait_for_end(void);
/* Gives other threads the processor. */
void ll_os_yield(void);

/* ------------------------------------------------------------------ reading */

/* The contents of one file. Zero-initialise before the first use; the storage is reused for the next file. */
typedef struct ll_os_buffer {
    const unsigned char *bytes; /* the contents */
    size_t size;
    unsigned char *block; /* heap storage, reused */
    size_t capacity;
    void *map; /* the mapped file, or NULL */
    size_t map_size;
} ll_os_buffer;

/* Reads a whole file, or standard input if path is NULL, and replaces the buffer's contents. Files above 1 MiB are
 * mapped; if a mapped file shrinks meanwhile, the process reports that and ends with exit code 2. Pipes and devices are
 * refused without waiting for them. */
int ll_os_read(ll_os_buffer *buffer, const char *path);
/* Like ll_os_read(), but reads pipes and devices as well. */
int ll_os_read_stream(ll_os_buffer *buffer, const char *path);
void ll_os_buffer_free(ll_os_buffer *buffer);

/* A file read in pieces from start to end, so that its size does not matter. */
int ll_os_source_open(const char *path, int *out);
/* Reads up to `capacity` bytes; sets *size to 0 at the end of the file. */
int ll_os_source_read(int source, char *buffer, size_t capacity, size_t *size);
void ll_os_source_close(int source);

/* Opens a nameless temporary file: data written to the stream `sink` can be read from `source` after the sink is
 * closed. */
int ll_os_scratch_open(int *sink, int *source);

/* ------------------------------------------------------------------ the file system */

typedef enum ll_os_kind {
    LL_OS_MISSING,
    LL_OS_HIDDEN, /* a directory on the way cannot be searched: it may exist or not */
    LL_OS_FILE,
    LL_OS_DIRECTORY,
    LL_OS_LINK, /* from ll_os_kind_of(): a dangling link */
    LL_OS_OTHER /* device, pipe, socket */
} ll_os_kind;

/* Follows links. */
ll_os_kind ll_os_kind_of(const char *path);
/* True if a directory entry of that name is visible, even if it is a dangling link. */
bool ll_os_is_there(const char *path);

/* Identity of a file or directory, independent of the path used to reach it. */
typedef struct ll_os_id {
    uint64_t device, number;
} ll_os_id;
/* False if the path does not exist. */
bool ll_os_identify(const char *path, ll_os_id *out);
static inline bool ll_os_same(ll_os_id a, ll_os_id b)
{
    return a.device == b.device && a.number == b.number;
}

/* True if writing to `a` and writing to `b` would write the same file, whether it exists or not. */
bool ll_os_same_target(const char *a, const char *b);

/* Absolute path of an existing file without links, "." and ".."; free() it. NULL if it does not exist. */
char *ll_os_real_path(const char *path);

/* Calls entry() for each entry of a directory except "." and "..", in no particular order. May return an error after
 * some entries were passed. */
typedef void (*ll_os_entry_fn)(void *ctx, const char *name, ll_os_kind kind);
int ll_os_list(const char *path, ll_os_entry_fn entry, void *ctx);

#ifdef _WIN32
/* Calls take() for each path that an operand stands for. Windows shells do not expand patterns: '*' and '?' in the last
 * name of the operand match entries of its directory. Without a match, take() gets the operand itself. */
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
/* Closes a standard stream and reports write errors that show only then. */
int ll_os_close(int stream);

/* An output file that gets its name only when it is complete. Devices and pipes are written directly. */
typedef struct ll_os_target ll_os_target;
int ll_os_target_open(const char *path, ll_os_target **out);
int ll_os_target_write(ll_os_target *target, const char *bytes, size_t size);
/* Gives the file its name and releases the target. On error the target is released too and the old file is unchanged.
 * `hold`: NULL, or the ll_os_hold() of the old file. Where the system cannot replace an open file, the hold is released
 * first and set to -1. */
int ll_os_target_commit(ll_os_target *target, int *hold);
/* Removes the unfinished file and releases the target. NULL is allowed. */
void ll_os_target_abandon(ll_os_target *target);

/* Removes all unfinished files that killed processes left in the directory of `path`. Files of running processes stay.
 * ll_os_target_open() calls it, too. */
void ll_os_remove_leftovers(const char *path);

/* Before commit: gives the file the owner and mode of the one at `path`, as far as the user is permitted to. */
void ll_os_target_like(ll_os_target *target, const char *path);

/* An append-only file for one process at a time, created if missing. The data is on the disk when ll_os_log_write()
 * returns. */
int ll_os_log_open(const char *path, int *out);
int ll_os_log_write(int log, const char *bytes, size_t size);

/* True if a file has more hard links. Replacing it under one name would leave the others with the old contents. */
bool ll_os_is_shared(const char *path);

/* Locks the file that `path` names at that moment. If another process holds the lock, waits, or fails if `wait` is
 * false. The lock ends with ll_os_release() or with the process; a lock file would stay when a process is killed. If
 * the file is replaced while a call waits, the new file is locked. On a file system without locks, every call succeeds,
 * and comparing the bytes before writing is the only guard. */
int ll_os_hold(const char *path, bool wait, int *out);
void ll_os_release(int hold); /* -1 is allowed */

/* ------------------------------------------------------------------ other programs */

/* Runs a program found in PATH and reads its standard output into `out`. Its standard input is empty, its standard
 * error is discarded. `words`: its name and arguments, ended by NULL. `environment`: "NAME=value" sets a variable,
 * "NAME" removes it, ended by NULL. *code: its exit code, -1 if it ended in another way, such as by a signal. A program
 * that writes nothing in its first ten seconds is killed. */
int ll_os_run(const char *const *words, const char *const *environment, ll_os_buffer *out, int *code);

/* ------------------------------------------------------------------ the machine */

bool ll_os_is_terminal(int stream);
/* Columns and lines of the terminal behind a stream; 0 and 0 if unknown. */
void ll_os_terminal_size(int stream, unsigned *columns, unsigned *lines);
/* Columns that a character takes on a terminal. On POSIX by the C library; 1 for every character without a Unicode
 * locale. */
unsigned ll_os_columns_of(uint32_t character);
unsigned ll_os_cpu_count(void);
/* Writes today's date in UTC as "2026-11-21", or the date of SOURCE_DATE_EPOCH
 * (https://reproducible-builds.org/specs/source-date-epoch/) if that is set. False if that variable is not a number of
 * seconds since 1970 before the year 10000. */
enum { LL_OS_DATE = 11 };
bool ll_os_today(char out[LL_OS_DATE]);
/* Monotonic time since an arbitrary start. */
uint64_t ll_os_nanoseconds(void);
static inline uint64_t ll_os_milliseconds(void)
{
    return ll_os_nanoseconds() / 1000000;
}

/* A mutex with a condition variable: wait() leaves the lock, waits for wake_all(), and enters the lock again. */
typedef struct ll_os_lock ll_os_lock;
ll_os_lock *ll_os_lock_create(void);
void ll_os_lock_free(ll_os_lock *lock);
void ll_os_lock_enter(ll_os_lock *lock);
void ll_os_lock_leave(ll_os_lock *lock);
void ll_os_lock_wait(ll_os_lock *lock);
void ll_os_lock_wake_all(ll_os_lock *lock);

enum { LL_OS_THREADS_MAX = 256 };

/* Runs work(ctx, 0) on this thread and work(ctx, 1 .. n-1) on others, and returns when all are done. If a thread cannot
 * be created, its call is not made: fewer threads must be able to do all of the work. */
void ll_os_parallel(unsigned n, void (*work)(void *ctx, unsigned index), void *ctx);

#endif
