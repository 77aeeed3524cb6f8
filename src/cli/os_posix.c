/* The operating system by POSIX. Sizes of files are hints only: the end of a file is where read()
 * returns 0. Holds the program's only globals: what a signal handler needs, and
 * the words of an error. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE 1 /* d_type: the kind of a directory entry without asking for each */
#define _DARWIN_C_SOURCE 1
#define _FILE_OFFSET_BITS 64
#include "cli/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Start of the reused block; far above the usual light file, and only the pages that are used cost anything. */
#define BLOCK_FIRST ((size_t)256 * 1024)
/* Up to here files are copied: a copy stays as it is when the file is cut short meanwhile. */
#define MAP_ABOVE ((size_t)16 * 1024 * 1024)
/* A pipe has no size: this much is taken from it before it is refused. */
#define STREAM_MAX ((size_t)1024 * 1024 * 1024)

/* ------------------------------------------------------------------ signals */

/* Names of unfinished output files, to be removed when a signal ends the process. */
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
    (void)raise(number); /* SA_RESETHAND: now with the default action */
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

void *ll_os_alloc(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (!block && count && size) {
        ll_os_end_without_memory();
    }
    return block;
}

static void catch_signal(int number, void (*handler)(int))
{
    struct sigaction old;
    if (sigaction(number, NULL, &old) != 0 || old.sa_handler != SIG_DFL) {
        return; /* ignored on purpose (nohup), or ours already */
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = (int)((unsigned)SA_RESTART | (unsigned)SA_RESETHAND);
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

void ll_os_start(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* the wrong way round: EBADF on use */
        }
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* too much output: the write says so */
}

const char *ll_os_error_text(int error)
{
    static _Thread_local char words[128];
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

/* ------------------------------------------------------------------ reading */

static bool resize_block(ll_os_buffer *buffer, size_t capacity)
{
    unsigned char *block = realloc(buffer->block, capacity);
    if (block) {
        buffer->block = block;
        buffer->capacity = capacity;
    }
    return block;
}

static bool map_file(ll_os_buffer *buffer, int fd, size_t size)
{
    catch_signal(SIGBUS, on_bus_error);
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) {
        return false;
    }
    buffer->map = map;
    buffer->map_size = size;
    return true;
}

/* The block is full: finds room for the rest of the file, or maps the whole of it. */
static int make_room(ll_os_buffer *buffer, int fd, size_t used)
{
    struct stat status;
    size_t capacity = buffer->capacity < SIZE_MAX / 2 ? buffer->capacity * 2 : SIZE_MAX;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 && (uintmax_t)status.st_size > used) {
        uintmax_t size = (uintmax_t)status.st_size;
        if (size >= SIZE_MAX) {
            return EFBIG;
        }
        if (size > MAP_ABOVE && map_file(buffer, fd, (size_t)size)) {
            return 0;
        }
        capacity = (size_t)size + 1; /* one more, so that the end is seen without growing again */
    }
    if (capacity > STREAM_MAX + 1) {
        return EFBIG;
    }
    return resize_block(buffer, capacity) ? 0 : ENOMEM;
}

/* Small files cost one read that takes all and one that says so: cheaper than asking for the size, and never wrong. */
static int read_all(ll_os_buffer *buffer, int fd)
{
    size_t used = 0;
    if (!buffer->block && !resize_block(buffer, BLOCK_FIRST)) {
        return ENOMEM;
    }
    for (;;) {
        if (used == buffer->capacity) {
            int error = make_room(buffer, fd, used);
            if (error) {
                return error;
            }
            if (buffer->map) {
                buffer->bytes = buffer->map;
                buffer->size = buffer->map_size;
                return 0;
            }
        }
        ssize_t n = read(fd, buffer->block + used, buffer->capacity - used);
        if (n > 0) {
            used += (size_t)n;
        } else if (n == 0) {
            break;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    buffer->bytes = buffer->block;
    buffer->size = used;
    return 0;
}

static void unmap(ll_os_buffer *buffer)
{
    if (buffer->map) {
        (void)munmap(buffer->map, buffer->map_size);
        buffer->map = NULL;
    }
    buffer->bytes = NULL;
    buffer->size = 0;
}

int ll_os_read(ll_os_buffer *buffer, const char *path)
{
    unmap(buffer);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
    if (fd < 0) {
        return errno;
    }
    int error = read_all(buffer, fd);
    if (path) {
        (void)close(fd); /* nothing was written: nothing can be lost */
    }
    return error;
}

void ll_os_buffer_free(ll_os_buffer *buffer)
{
    unmap(buffer);
    free(buffer->block);
    buffer->block = NULL;
    buffer->capacity = 0;
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
    (void)close(source); /* nothing was written: nothing can be lost */
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
    return stat(path, &status) == 0 ? kind_of_mode(status.st_mode) : LL_OS_MISSING;
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

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The directory in which a path lies; a path too long for any file has none. */
static bool identify_parent(const char *path, ll_os_id *out)
{
    char parent[4096];
    size_t n = (size_t)(last_name(path) - path);
    if (n == 0) {
        return ll_os_identify(".", out);
    }
    if (n >= sizeof parent) {
        return false;
    }
    memcpy(parent, path, n);
    parent[n] = '\0';
    return ll_os_identify(parent, out);
}

bool ll_os_same_target(const char *a, const char *b)
{
    ll_os_id one;
    ll_os_id two;
    bool have_one = ll_os_identify(a, &one);
    bool have_two = ll_os_identify(b, &two);
    if (have_one || have_two) {
        return have_one && have_two && ll_os_same(one, two);
    }
    return strcmp(last_name(a), last_name(b)) == 0 && identify_parent(a, &one) && identify_parent(b, &two) &&
           ll_os_same(one, two);
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
        break; /* this file system does not say */
    default:
        return LL_OS_OTHER;
    }
#endif
    struct stat status;
    if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return LL_OS_FILE; /* let opening it say what is wrong */
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
            /* a stream that its other owner made non-blocking */
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
    size_t slot;     /* in unfinished[] */
    char *path;      /* what the file will be called */
    char *temporary; /* what it is called now; NULL when it is written directly */
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

/* The first free name beside the target, created and remembered for the signal handlers. */
static int open_temporary(ll_os_target *target)
{
    while (unfinished[target->slot]) {
        if (++target->slot == UNFINISHED_MAX) {
            return EMFILE;
        }
    }
    size_t size = strlen(target->path) + 48;
    char *name = ll_os_alloc(size, 1);
    catch_signal(SIGHUP, on_end);
    catch_signal(SIGINT, on_end);
    catch_signal(SIGTERM, on_end);
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* a signal between the two would leave the file behind */
    int error = EEXIST;
    for (unsigned i = 0; i < 100 && error == EEXIST; i++) {
        (void)snprintf(name, size, "%s.%ld-%u.tmp", target->path, (long)getpid(), i);
        target->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        error = target->fd >= 0 ? 0 : errno;
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

static int open_target(ll_os_target *target, const char *path)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        return EISDIR;
    }
    if (exists && access(path, W_OK) != 0) {
        return errno; /* renaming would get round the protection */
    }
    if (exists && !S_ISREG(old.st_mode)) {
        target->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return target->fd >= 0 ? 0 : errno;
    }
    target->path = exists ? realpath(path, NULL) : strdup(path); /* a link stays a link: its target is replaced */
    if (!target->path) {
        return errno;
    }
    int error = open_temporary(target);
    if (!error && exists) {
        (void)fchmod(target->fd, old.st_mode & 07777);
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

int ll_os_target_commit(ll_os_target *target)
{
    int error = ll_os_close(target->fd);
    if (!error && target->temporary && rename(target->temporary, target->path) != 0) {
        error = errno;
    }
    if (error && target->temporary) {
        (void)unlink(target->temporary);
    }
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

/* ------------------------------------------------------------------ the machine */

bool ll_os_is_terminal(int stream)
{
    return isatty(stream) == 1;
}

unsigned ll_os_cpu_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > LL_OS_THREADS_MAX ? LL_OS_THREADS_MAX : (unsigned)n;
}

bool ll_os_today(char out[LL_OS_DATE])
{
    static const long long last = 253402300799; /* of the year 9999 */
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    long long seconds = (long long)time(NULL);
    if (epoch) {
        size_t n = strlen(epoch);
        if (n == 0 || n > 12 || strspn(epoch, "0123456789") != n) {
            return false;
        }
        seconds = strtoll(epoch, NULL, 10);
    }
    time_t moment = (time_t)seconds;
    struct tm day;
    return seconds >= 0 && seconds <= last && gmtime_r(&moment, &day) &&
           strftime(out, LL_OS_DATE, "%Y-%m-%d", &day) == LL_OS_DATE - 1;
}

uint64_t ll_os_milliseconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
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
    me->work(me->ctx, me->index);
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
