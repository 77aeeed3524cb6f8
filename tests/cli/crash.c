/* Linked into a copy of the program, with --wrap for the functions below, to make it crash: by a wrong address, by
 * abort() or by using up its stack (CRASH_HOW: "memory", "abort", "stack"). It crashes when it reads a file named
 * CRASH_AT, or at allocation number CRASH_ALLOCATION. CRASH_ONCE names a file that is created at the crash; if it
 * already exists, nothing crashes.
 *
 * CRASH_CHANGE kills it instead, as by SIGKILL, at that moment of its changes of files: before a file is opened, before,
 * in the middle of and after each write, and before and after an unfinished file gets its name. */
#include "cli/os_inner.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
#include <windows.h>
#else
#include <signal.h>
#include <unistd.h>
#endif

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
int __real_ll_os_read_path(ll_os_buffer *buffer, const char *path, bool any_kind);
int __wrap_ll_os_read_path(ll_os_buffer *buffer, const char *path, bool any_kind);
int __real_ll_os_target_open(const char *path, ll_os_target **out);
int __wrap_ll_os_target_open(const char *path, ll_os_target **out);
int __real_ll_os_target_write(ll_os_target *target, const char *bytes, size_t size);
int __wrap_ll_os_target_write(ll_os_target *target, const char *bytes, size_t size);
int __real_ll_os_target_commit(ll_os_target *target, int *hold);
int __wrap_ll_os_target_commit(ll_os_target *target, int *hold);
int __real_ll_os_log_write(int log, const char *bytes, size_t size);
int __wrap_ll_os_log_write(int log, const char *bytes, size_t size);

static int use_up_stack(volatile char *before)
{
    volatile char more[65536];
    more[0] = before[0];
    if (before[0]) {
        return 0; /* never reached; avoids the compiler's warning about endless recursion */
    }
    return use_up_stack(more) + more[0];
}

static void fail(void)
{
    const char *once = getenv("CRASH_ONCE");
    const char *how = getenv("CRASH_HOW");
    volatile char begin[1] = {0};
    volatile uintptr_t wrong = 8;
    if (once && open(once, O_WRONLY | O_CREAT | O_EXCL, 0600) < 0) {
        return;
    }
    if (how && strcmp(how, "abort") == 0) {
        abort();
    }
    if (how && strcmp(how, "stack") == 0) {
        (void)use_up_stack(begin);
    }
    *(volatile char *)wrong = 0;
}

static void count(void)
{
    static unsigned long calls, fail_at;
    if (calls++ == 0) {
        const char *at = getenv("CRASH_ALLOCATION");
        fail_at = at ? strtoul(at, NULL, 10) : 0;
    }
    if (fail_at && calls == fail_at) {
        fail();
    }
}

void *__wrap_malloc(size_t size)
{
    count();
    return __real_malloc(size);
}

void *__wrap_realloc(void *block, size_t size)
{
    count();
    return __real_realloc(block, size);
}

int __wrap_ll_os_read_path(ll_os_buffer *buffer, const char *path, bool any_kind)
{
    const char *at = getenv("CRASH_AT");
    if (at && strcmp(ll_os_last_name(path), at) == 0) {
        fail();
    }
    return __real_ll_os_read_path(buffer, path, any_kind);
}

/* True once, at the moment that CRASH_CHANGE names. */
static bool is_the_moment(void)
{
    static unsigned long moments;
    const char *at = getenv("CRASH_CHANGE");
    return at && ++moments == strtoul(at, NULL, 10);
}

static void end_at_once(void)
{
#ifdef _WIN32
    TerminateProcess(GetCurrentProcess(), 137);
#else
    raise(SIGKILL);
#endif
}

static void pass(void)
{
    if (is_the_moment()) {
        end_at_once();
    }
}

int __wrap_ll_os_target_open(const char *path, ll_os_target **out)
{
    pass();
    return __real_ll_os_target_open(path, out);
}

int __wrap_ll_os_target_write(ll_os_target *target, const char *bytes, size_t size)
{
    pass();
    if (is_the_moment()) {
        (void)__real_ll_os_target_write(target, bytes, size / 2);
        end_at_once();
    }
    int error = __real_ll_os_target_write(target, bytes, size);
    pass();
    return error;
}

int __wrap_ll_os_target_commit(ll_os_target *target, int *hold)
{
    pass();
    int error = __real_ll_os_target_commit(target, hold);
    pass();
    return error;
}

int __wrap_ll_os_log_write(int log, const char *bytes, size_t size)
{
    pass();
    if (is_the_moment()) {
        (void)__real_ll_os_log_write(log, bytes, size / 2);
        end_at_once();
    }
    int error = __real_ll_os_log_write(log, bytes, size);
    pass();
    return error;
}
