/* POSIX implementation of os.h. The program's only globals are here: state for signal handlers, and the texts of
 * errors. */
#define _XOPEN_SOURCE 700 /* POSIX of 2008, and wcwidth() */
#define _DEFAULT_SOURCE 1 /* d_type: the kind of a directory entry without a stat() for each */
#define _DARWIN_C_SOURCE 1
#define _FILE_OFFSET_BITS 64
#include "cli/os_inner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* Our own error number; those of the system are positive. */
#define NO_FILE (-1)
/* ------------------------------------------------------------------ signals */

/* Names of unfinished output files; a signal handler removes them when the process is ended. */
enum { UNFINISHED_MAX = 16 };
static const char *volatile unfinished[UNFINISHED_MAX];

static void remove_unfinished(void)
{
    for (size_t i = 0; i < UNFINISHED_MAX; i++) {
        if (unfinished[i]) {
            (void)unlink(unfinished[i]);
        }
    }
}

static void on_end(int number)
{
    remove_unfinished();
    (void)raise(number); /* SA_RESETHAND restored the default action */
}

static _Noreturn void end(const char *text)
{
    remove_unfinished();
    ssize_t n = write(STDERR_FILENO, text, strlen(text));
    (void)n;
    _exit(2);
}

static void on_bus_error(int number)
{
    (void)number;
    end("lightlint: a file became shorter while it was being checked\n");
}

void ll_os_end_without_memory(void)
{
    end("lightlint: out of memory\n");
}

#define ONCE ((unsigned)SA_RESTART | (unsigned)SA_RESETHAND)

static void catch_signal(int number, void (*handler)(int), unsigned flags)
{
    struct sigaction old;
    if (sigaction(number, NULL, &old) != 0 || old.sa_handler != SIG_DFL) {
        return; /* ignored on purpose (nohup), or already caught */
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = (int)flags;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

/* ------------------------------------------------------------------ crashes */

/* SIGBUS is missing: it means that a mapped file shrank (above). */
static const int crashes[] = {SIGSEGV, SIGFPE, SIGILL, SIGABRT};

/* Size of the handler's stack: a thread may crash because its own stack is full. */
enum { CRASH_STACK = 64 * 1024 };

static void (*crash_handler)(void);
static char **own_arguments;

static void on_crash(int number)
{
    (void)number;
    crash_handler();
}

/* True in builds with a sanitizer, whose reports of crashes are more detailed. */
static bool is_watched(void)
{
#ifdef LIGHTLINT_SANITIZED
    return true;
#else
    return false;
#endif
}

static void use_stack(char *stack)
{
    stack_t own;
    memset(&own, 0, sizeof own);
    own.ss_sp = stack;
    own.ss_size = CRASH_STACK;
    own.ss_flags = stack ? 0 : SS_DISABLE;
    (void)sigaltstack(&own, NULL);
}

void ll_os_catch_crashes(void (*handler)(void))
{
    static char stack[CRASH_STACK];
    if (is_watched()) {
        return;
    }
    crash_handler = handler;
    use_stack(stack);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        catch_signal(crashes[i], on_crash, SA_ONSTACK);
    }
}

extern char **environ;

/* Path of the program's own file. On Linux the system states it; elsewhere only a command line with a path does. NULL
 * if unknown. */
static const char *own_path(void)
{
    return access("/proc/self/exe", X_OK) == 0 ? "/proc/self/exe"
           : strchr(own_arguments[0], '/')     ? own_arguments[0]
                                               : NULL;
}

/* Calls only async-signal-safe functions, and mmap(), which is a plain system call everywhere. */
void ll_os_restart(const char *variable)
{
    size_t count = 0;
    while (environ[count]) {
        count++;
    }
    size_t size = (count + 2) * sizeof *environ;
    char **all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const char *path = own_path();
    if (all == MAP_FAILED || !path) {
        return;
    }
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        all[used] = environ[i];
        used += !ll_os_same_variable(variable, environ[i]);
    }
    memcpy(&all[used], &variable, sizeof *all); /* execve() takes no const, but does not change the strings */
    all[used + 1] = NULL;
    remove_unfinished();
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL); /* the new program inherits the signal mask */
    (void)execve(path, own_arguments, all);
}

void ll_os_end_after_crash(void)
{
    remove_unfinished();
    _exit(2);
}

void ll_os_wait_for_end(void)
{
    for (;;) {
        (void)pause();
    }
}

void ll_os_yield(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    (void)nanosleep(&moment, NULL);
}

void ll_os_start(char **arguments)
{
    own_arguments = arguments;
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* opened for the wrong direction, so
                                                                                * that each use fails with EBADF */
        }
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* the write reports that the file size limit is exceeded */
}

const char *ll_os_error_text(int error)
{
    static _Thread_local char words[128];
    if (error == NO_FILE) {
        return "not a regular file, but a pipe or a device";
    }
    if (strerror_r(error, words, sizeof words) != 0) {
        (void)snprintf(words, sizeof words, "error %d", error);
    }
    return words;
}

bool ll_os_is_broken_pipe(int error)
{
    return error == EPIPE;
}

bool ll_os_is_missing(int error)
{
    return error == ENOENT || error == ENOTDIR;
}

bool ll_os_is_held(int error)
{
    return error == EWOULDBLOCK;
}

/* ------------------------------------------------------------------ memory */

enum { HUGE_PAGE = 2 * 1024 * 1024 }; /* of x86-64, and of ARM with pages of 4 KiB */

void *ll_os_take(size_t size)
{
#ifdef MADV_HUGEPAGE
    void *block = NULL;
    if (size >= HUGE_PAGE) {
        if (posix_memalign(&block, HUGE_PAGE, size) == 0) {
            (void)madvise(block, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* an error changes nothing */
        }
        return block;
    }
#endif
    return malloc(size);
}

/* ------------------------------------------------------------------ reading */

uint64_t ll_os_size(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 ? (uint64_t)status.st_size : 0;
}

bool ll_os_map(ll_os_buffer *buffer, int file, size_t size)
{
    catch_signal(SIGBUS, on_bus_error, ONCE);
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED) {
        return false;
    }
    buffer->map = map;
    buffer->map_size = size;
    return true;
}

void ll_os_unmap(void *map, size_t size)
{
    (void)munmap(map, size);
}

/* Determines the kind from the open descriptor, as the path could be exchanged between two calls. */
int ll_os_read_path(ll_os_buffer *buffer, const char *path, bool any_kind)
{
    struct stat status;
    int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY;
    int fd = open(path, any_kind ? flags : flags | O_NONBLOCK);
    if (fd < 0 && errno == EWOULDBLOCK && ll_os_kind_of(path) == LL_OS_FILE) {
        fd = open(path, flags); /* a file server holds a lease on it; a blocking open() makes it release that */
    }
    if (fd < 0) {
        return errno;
    }
    bool known = !any_kind && fstat(fd, &status) == 0;
    bool regular = known && S_ISREG(status.st_mode);
    bool special = known && !regular && !S_ISDIR(status.st_mode);
    int error = special ? NO_FILE : ll_os_read_all(buffer, fd, regular ? (uint64_t)status.st_size : 0);
    (void)close(fd); /* read only: no error can matter */
    return error;
}

int ll_os_source_open(const char *path, int *out)
{
    *out = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return *out >= 0 ? 0 : errno;
}

int ll_os_source_read(int source, char *buffer, size_t capacity, size_t *size)
{
    ssize_t n;
    do {
        n = read(source, buffer, capacity);
    } while (n < 0 && errno == EINTR);
    *size = n > 0 ? (size_t)n : 0;
    return n < 0 ? errno : 0;
}

void ll_os_source_close(int source)
{
    (void)close(source); /* read only: no error can matter */
}

int ll_os_scratch_open(int *sink, int *source)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/lightlint-XXXXXX", folder && *folder ? folder : "/tmp");
    if (n < 0 || (size_t)n >= sizeof path) {
        return ENAMETOOLONG;
    }
    *sink = mkstemp(path);
    if (*sink < 0) {
        return errno;
    }
    int error = ll_os_source_open(path, source);
    (void)unlink(path);
    if (error) {
        (void)close(*sink);
    }
    return error;
}

/* ------------------------------------------------------------------ the file system */

static ll_os_kind kind_of_mode(mode_t mode)
{
    return S_ISREG(mode) ? LL_OS_FILE : S_ISDIR(mode) ? LL_OS_DIRECTORY : S_ISLNK(mode) ? LL_OS_LINK : LL_OS_OTHER;
}

ll_os_kind ll_os_kind_of(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0) {
        return ll_os_is_missing(errno) ? LL_OS_MISSING : LL_OS_HIDDEN;
    }
    if (S_ISLNK(status.st_mode) && stat(path, &status) != 0) {
        return ll_os_is_missing(errno) || errno == ELOOP ? LL_OS_LINK : LL_OS_HIDDEN;
    }
    return kind_of_mode(status.st_mode);
}

bool ll_os_identify(const char *path, ll_os_id *out)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return false;
    }
    *out = (ll_os_id){(uint64_t)status.st_dev, (uint64_t)status.st_ino};
    return true;
}

char *ll_os_real_path(const char *path)
{
    return realpath(path, NULL);
}

static ll_os_kind kind_of_entry(int directory, const struct dirent *entry)
{
#ifdef DT_UNKNOWN
    switch (entry->d_type) {
    case DT_REG:
        return LL_OS_FILE;
    case DT_DIR:
        return LL_OS_DIRECTORY;
    case DT_LNK:
        return LL_OS_LINK;
    case DT_UNKNOWN:
        break; /* the file system does not tell */
    default:
        return LL_OS_OTHER;
    }
#endif
    struct stat status;
    if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return LL_OS_FILE; /* opening it reports what is wrong */
    }
    return kind_of_mode(status.st_mode);
}

static void name_entry(int directory, const struct dirent *entry, ll_os_entry_fn visit, void *ctx)
{
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
        visit(ctx, entry->d_name, kind_of_entry(directory, entry));
    }
}

int ll_os_list(const char *path, ll_os_entry_fn entry, void *ctx)
{
    DIR *stream = opendir(path);
    if (!stream) {
        return errno;
    }
    const struct dirent *next;
    while (errno = 0, (next = readdir(stream)) != NULL) {
        name_entry(dirfd(stream), next, entry, ctx);
    }
    int error = errno;
    (void)closedir(stream);
    return error;
}

/* ------------------------------------------------------------------ writing */

int ll_os_write(int stream, const char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(stream, bytes, size);
        if (n >= 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            /* another owner of the stream made it non-blocking */
            struct pollfd ready = {.fd = stream, .events = POLLOUT};
            (void)poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int ll_os_close(int stream)
{
    return close(stream) == 0 || errno == EINTR ? 0 : errno;
}

struct ll_os_target {
    int fd;
    size_t slot;     /* index in unfinished[] */
    char *path;      /* final name */
    char *temporary; /* current name; NULL if the file is written directly */
};

static void target_free(ll_os_target *target)
{
    if (target->temporary) {
        unfinished[target->slot] = NULL;
    }
    free(target->path);
    free(target->temporary);
    free(target);
}

/* ------------------------------------------------------------------ locks */

static int lock(int fd, bool wait)
{
    int error;
    do {
        error = flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB)) == 0 ? 0 : errno;
    } while (error == EINTR);
    return error;
}

/* Does the path still name the opened file? */
static bool is_named(int fd, const char *path)
{
    struct stat opened;
    struct stat named;
    return fstat(fd, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

int ll_os_hold(const char *path, bool wait, int *out)
{
    for (;;) {
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (fd < 0) {
            return errno;
        }
        int error = lock(fd, wait);
        if (!ll_os_is_held(error) && is_named(fd, path)) {
            *out = fd;
            return 0;
        }
        (void)close(fd);
        if (ll_os_is_held(error)) {
            return error;
        } /* else the file was replaced meanwhile: lock the new one */
    }
}

void ll_os_release(int hold)
{
    (void)close(hold); /* nothing was written: no error can matter */
}

/* ------------------------------------------------------------------ files that appear when they are complete */

/* Removes a file that a killed process has left. A running process holds a lock on what it writes. */
void ll_os_remove_leftover(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    if (fd >= 0 && lock(fd, false) == 0 && is_named(fd, path)) {
        (void)unlink(path);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

/* Syncs a file. Some file systems, such as those of FUSE, do not support that. */
static int sync_file(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/* Syncs the directory of a renamed file, so that the rename survives a crash. Errors are ignored: the rename cannot be
 * undone. */
static void sync_directory(const char *path)
{
    char *directory = ll_os_directory_of(path);
    int fd = open(directory, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(directory);
}

/* Creates a file beside the target under the first free name, and registers it for the signal handlers. */
static int open_temporary(ll_os_target *target)
{
    while (unfinished[target->slot]) {
        if (++target->slot == UNFINISHED_MAX) {
            return EMFILE;
        }
    }
    ll_os_remove_leftovers(target->path);
    char *name = NULL;
    catch_signal(SIGHUP, on_end, ONCE);
    catch_signal(SIGINT, on_end, ONCE);
    catch_signal(SIGTERM, on_end, ONCE);
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* a signal between open() and registration would leave the file
                                                        * behind */
    int error = EEXIST;
    for (unsigned i = 0; i < 100 && error == EEXIST; i++) {
        free(name);
        name = ll_os_temporary_name(target->path, (unsigned long)getpid(), i);
        target->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        error = target->fd >= 0 ? 0 : errno;
        if (!error && (ll_os_is_held(lock(target->fd, false)) || !is_named(target->fd, name))) {
            (void)close(target->fd); /* another process removed it as left behind before it was locked */
            error = EEXIST;
        }
    }
    if (!error) {
        target->temporary = name;
        unfinished[target->slot] = name;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        free(name);
    }
    return error;
}

/* Owner first: changing the owner clears set-uid and set-gid bits. */
static void make_like(int fd, const struct stat *old)
{
    bool same = fchown(fd, old->st_uid, old->st_gid) == 0;
    (void)fchmod(fd, old->st_mode & (same ? 07777 : 0777)); /* without the owner, set-uid would run the program as
                                                             * another user */
}

static int open_target(ll_os_target *target, const char *path)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        return EISDIR;
    }
    if (exists && access(path, W_OK) != 0) {
        return errno; /* a rename would bypass the write protection */
    }
    if (exists && !S_ISREG(old.st_mode)) {
        target->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        ll_os_forbid_restart();
        return target->fd >= 0 ? 0 : errno;
    }
    target->path = exists ? realpath(path, NULL) : strdup(path); /* follow a link: its target is replaced, the link
                                                                  * stays */
    if (!target->path) {
        return errno;
    }
    int error = open_temporary(target);
    if (!error && exists) {
        make_like(target->fd, &old);
    }
    return error;
}

int ll_os_target_open(const char *path, ll_os_target **out)
{
    ll_os_target *target = ll_os_alloc(1, sizeof *target);
    int error = open_target(target, path);
    if (error) {
        target_free(target);
        return error;
    }
    *out = target;
    return 0;
}

int ll_os_target_write(ll_os_target *target, const char *bytes, size_t size)
{
    return ll_os_write(target->fd, bytes, size);
}

void ll_os_target_like(ll_os_target *target, const char *path)
{
    struct stat old;
    if (stat(path, &old) == 0) {
        make_like(target->fd, &old);
    }
}

int ll_os_target_commit(ll_os_target *target, int *hold)
{
    (void)hold; /* not needed: rename() works on open files */
    int error = 0;
    if (target->temporary) {
        error = sync_file(target->fd);
        error = error || rename(target->temporary, target->path) == 0 ? error : errno;
    }
    if (error) {
        (void)unlink(target->temporary);
    } else if (target->temporary) {
        sync_directory(target->path);
    }
    int closed = ll_os_close(target->fd); /* after the rename, as it releases the lock */
    error = target->temporary ? error : closed;
    target_free(target);
    return error;
}

void ll_os_target_abandon(ll_os_target *target)
{
    if (target) {
        (void)close(target->fd);
        if (target->temporary) {
            (void)unlink(target->temporary);
        }
        target_free(target);
    }
}

/* ------------------------------------------------------------------ files that grow */

int ll_os_log_open(const char *path, int *out)
{
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    char last = '\n';
    int error = fd < 0 ? errno : 0;
    off_t size = error ? 0 : lseek(fd, 0, SEEK_END);
    if (!error) {
        (void)lock(fd, true); /* fails on file systems without locks: then no process waits */
        sync_directory(path);
    }
    if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n') {
        error = ll_os_log_write(fd, "\n", 1); /* end the line that a killed run left incomplete */
    }
    if (error && fd >= 0) {
        (void)close(fd);
    }
    *out = fd;
    return error;
}

int ll_os_log_write(int log, const char *bytes, size_t size)
{
    int error = ll_os_write(log, bytes, size);
    return error ? error : sync_file(log);
}

bool ll_os_is_shared(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1;
}

/* ------------------------------------------------------------------ other programs */

/* Milliseconds a program has for its first output. Git could otherwise wait forever on a pipe in place of a file. */
#define PATIENCE 10000

/* The environment with the changes of ll_os_run(); free() the array. The strings are shared. */
static char **changed_environment(const char *const *changes)
{
    size_t count = 0;
    size_t used = 0;
    while (environ[count]) {
        count++;
    }
    for (size_t i = 0; changes[i]; i++) {
        count++;
    }
    char **out = ll_os_alloc(count + 1, sizeof *out);
    for (size_t i = 0; environ[i]; i++) {
        size_t at = 0;
        while (changes[at] && !ll_os_same_variable(changes[at], environ[i])) {
            at++;
        }
        out[used] = environ[i];
        used += !changes[at];
    }
    for (size_t i = 0; changes[i]; i++) {
        memcpy(&out[used], &changes[i], sizeof *out); /* posix_spawn() takes no const, but does not change the
                                                       * strings */
        used += strchr(changes[i], '=') != NULL;
    }
    out[used] = NULL;
    return out;
}

/* Starts the program with `output` as its standard output. Resets the signals that this process ignores to their
 * defaults. */
static int start(const char *const *words, const char *const *environment, int output, pid_t *out)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    (void)sigemptyset(&defaults);
    (void)sigaddset(&defaults, SIGPIPE);
    (void)sigaddset(&defaults, SIGXFSZ);
    int error = posix_spawn_file_actions_init(&files);
    if (error) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        char **variables = changed_environment(environment);
        bool ready = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
                     posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO) == 0 &&
                     posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                     posix_spawnattr_setsigdefault(&attributes, &defaults) == 0 &&
                     posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF) == 0;
        char *const *arguments;
        memcpy(&arguments, &words, sizeof arguments);
        error = ready ? posix_spawnp(out, words[0], &files, &attributes, arguments, variables) : ENOMEM;
        free((void *)variables);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&files);
    return error;
}

int ll_os_run(const char *const *words, const char *const *environment, ll_os_buffer *out, int *code)
{
    int ends[2];
    pid_t child = 0;
    int status = 0;
    ll_os_clear(out);
    if (pipe(ends) != 0) {
        return errno;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int error = start(words, environment, ends[1], &child);
    (void)close(ends[1]);
    struct pollfd first = {.fd = ends[0], .events = POLLIN};
    int ready = 1;
    do {
        ready = error ? 1 : poll(&first, 1, PATIENCE);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) {
        (void)kill(child, SIGKILL);
        error = ETIMEDOUT;
    }
    error = error ? error : ll_os_read_all(out, ends[0], 0);
    (void)close(ends[0]); /* before waiting: the program may still write, and would block on a full pipe */
    while (child && waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return error ? error : errno;
        }
    }
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return error;
}

/* ------------------------------------------------------------------ the machine */

bool ll_os_is_terminal(int stream)
{
    return isatty(stream) == 1;
}

void ll_os_terminal_size(int stream, unsigned *columns, unsigned *lines)
{
    struct winsize size;
    bool known = ioctl(stream, TIOCGWINSZ, &size) == 0;
    *columns = known ? size.ws_col : 0;
    *lines = known ? size.ws_row : 0;
}

/* A locale in which wcwidth() knows all of Unicode, independent of the user's; 0 if there is none. */
static locale_t unicode;

static void open_unicode(void)
{
    unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

unsigned ll_os_columns_of(uint32_t character)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_unicode);
    if (!unicode) {
        return 1;
    }
    locale_t before = uselocale(unicode);
    int columns = wcwidth((wchar_t)character);
    (void)uselocale(before);
    return columns < 0 ? 1 : (unsigned)columns;
}

unsigned ll_os_cpu_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > LL_OS_THREADS_MAX ? LL_OS_THREADS_MAX : (unsigned)n;
}

uint64_t ll_os_nanoseconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct ll_os_lock {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

ll_os_lock *ll_os_lock_create(void)
{
    ll_os_lock *lock = ll_os_alloc(1, sizeof *lock);
    *lock = (ll_os_lock){PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
    return lock;
}

void ll_os_lock_free(ll_os_lock *lock)
{
    free(lock);
}

void ll_os_lock_enter(ll_os_lock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
}

void ll_os_lock_leave(ll_os_lock *lock)
{
    (void)pthread_mutex_unlock(&lock->mutex);
}

void ll_os_lock_wait(ll_os_lock *lock)
{
    (void)pthread_cond_wait(&lock->changed, &lock->mutex);
}

void ll_os_lock_wake_all(ll_os_lock *lock)
{
    (void)pthread_cond_broadcast(&lock->changed);
}

typedef struct helper {
    pthread_t thread;
    void (*work)(void *ctx, unsigned index);
    void *ctx;
    unsigned index;
} helper;

static void *run_helper(void *argument)
{
    helper *me = argument;
    char *stack = crash_handler ? malloc(CRASH_STACK) : NULL;
    if (stack) {
        use_stack(stack);
    }
    me->work(me->ctx, me->index);
    if (stack) {
        use_stack(NULL);
    }
    free(stack);
    return NULL;
}

void ll_os_parallel(unsigned n, void (*work)(void *ctx, unsigned index), void *ctx)
{
    helper helpers[LL_OS_THREADS_MAX];
    unsigned started = 0;
    for (unsigned i = 1; i < n && i < LL_OS_THREADS_MAX; i++) {
        helpers[started] = (helper){.work = work, .ctx = ctx, .index = i};
        if (pthread_create(&helpers[started].thread, NULL, run_helper, &helpers[started]) != 0) {
            break;
        }
        started++;
    }
    work(ctx, 0);
    for (unsigned i = 0; i < started; i++) {
        (void)pthread_join(helpers[i].thread, NULL);
    }
}
