/* Win32 implementation of os.h: process, console, threads and time. os_windows_files.c handles files, os_windows_run.c
 * other programs, os_windows_main.c the start of the program. */
#include "cli/os_windows.h"

#include <errno.h>
#include <process.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* ------------------------------------------------------------------ errors */

typedef struct error_row {
    DWORD windows;
    int number;
} error_row;

int ll_os_error_of(DWORD error)
{
    static const error_row rows[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_BAD_NET_NAME, ENOENT},
        {ERROR_NO_UNICODE_TRANSLATION, ENOENT},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_SHARING_VIOLATION, LL_OS_IN_USE},
        {ERROR_USER_MAPPED_FILE, LL_OS_IN_USE},
        {ERROR_LOCK_VIOLATION, EAGAIN},
        {ERROR_IO_PENDING, EAGAIN},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_COMMITMENT_LIMIT, ENOMEM},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
        {ERROR_PIPE_NOT_CONNECTED, EPIPE},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_FILE_TOO_LARGE, EFBIG},
        {ERROR_SEM_TIMEOUT, ETIMEDOUT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].windows == error) {
            return rows[i].number;
        }
    }
    return LL_OS_OTHER_ERROR + (int)(error & 0xffff);
}

typedef struct error_words {
    int number;
    const char *text;
} error_words;

/* The texts of POSIX systems, as those of the Windows C library differ in part. */
const char *ll_os_error_text(int error)
{
    static const error_words rows[] = {
        {LL_OS_NO_FILE, "not a regular file, but a pipe or a device"},
        {LL_OS_IN_USE, "another program uses it"},
        {ENOENT, "No such file or directory"},
        {ENOTDIR, "Not a directory"},
        {EISDIR, "Is a directory"},
        {EACCES, "Permission denied"},
        {EROFS, "Read-only file system"},
        {EAGAIN, "Resource temporarily unavailable"},
        {ENOMEM, "Cannot allocate memory"},
        {EBADF, "Bad file descriptor"},
        {EPIPE, "Broken pipe"},
        {EEXIST, "File exists"},
        {ENOSPC, "No space left on device"},
        {EMFILE, "Too many open files"},
        {ENAMETOOLONG, "File name too long"},
        {EFBIG, "File too large"},
        {ETIMEDOUT, "Connection timed out"},
    };
    static _Thread_local char words[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].number == error) {
            return rows[i].text;
        }
    }
    bool other = error >= LL_OS_OTHER_ERROR;
    (void)snprintf(words, sizeof words, "error %d%s", other ? error - LL_OS_OTHER_ERROR : error,
                   other ? " of Windows" : "");
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
    return error == EAGAIN;
}

/* ------------------------------------------------------------------ ends of the process */

/* Support for stack protection (-fstack-protector). The compiler's library seeds its guard with CryptGenRandom(), which
 * loads eight system libraries at each start. This one uses time, process id and counter, as programs of Visual C++ do
 * (learn.microsoft.com/cpp/c-runtime-library/reference/security-init-cookie). */
uintptr_t __stack_chk_guard;
_Noreturn void __stack_chk_fail(void);
_Noreturn void __chk_fail(void);

__attribute__((constructor, no_stack_protector)) static void set_guard(void)
{
    LARGE_INTEGER counter;
    FILETIME time;
    (void)QueryPerformanceCounter(&counter);
    GetSystemTimeAsFileTime(&time);
    uint64_t guard = ((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) ^ (uint64_t)counter.QuadPart << 16 ^
                     (uint64_t)GetCurrentProcessId() << 24 ^ GetCurrentThreadId() ^ (uintptr_t)&counter;
    __stack_chk_guard = (uintptr_t)(guard * 0x9e3779b97f4a7c15) & ~(uintptr_t)0xff; /* a zero byte stops string
                                                                                     * overflows */
}

void __stack_chk_fail(void)
{
    static const char text[] = "lightlint: memory was overwritten, which is a fault of lightlint\n";
    DWORD n;
    (void)WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, sizeof text - 1, &n, NULL);
    for (;;) { /* run no more code of this process */
        (void)TerminateProcess(GetCurrentProcess(), (UINT)STATUS_STACK_BUFFER_OVERRUN);
    }
}

void __chk_fail(void)
{
    __stack_chk_fail();
}

HANDLE volatile ll_os_unfinished[LL_OS_UNFINISHED_MAX];

void ll_os_remove_when_closed(HANDLE file)
{
    FILE_DISPOSITION_INFO info = {.DeleteFile = TRUE};
    (void)SetFileInformationByHandle(file, FileDispositionInfo, &info, sizeof info);
}

static void remove_unfinished(void)
{
    for (size_t i = 0; i < LL_OS_UNFINISHED_MAX; i++) {
        if (ll_os_unfinished[i]) {
            ll_os_remove_when_closed(ll_os_unfinished[i]);
        }
    }
}

void ll_os_end(const char *text)
{
    remove_unfinished();
    DWORD n;
    (void)WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, (DWORD)strlen(text), &n, NULL);
    ExitProcess(2);
}

void ll_os_end_without_memory(void)
{
    ll_os_end("lightlint: out of memory\n");
}

static LONG CALLBACK on_exception(EXCEPTION_POINTERS *what)
{
    if (what->ExceptionRecord->ExceptionCode == (DWORD)EXCEPTION_IN_PAGE_ERROR) {
        ll_os_end("lightlint: a file could not be read any more while it was being checked\n");
    }
    return EXCEPTION_CONTINUE_SEARCH;
}

void ll_os_catch_page_errors(void)
{
    static volatile LONG caught;
    if (InterlockedExchange(&caught, 1) == 0) {
        (void)AddVectoredExceptionHandler(1, on_exception);
    }
}

static BOOL WINAPI on_interruption(DWORD kind)
{
    (void)kind;
    remove_unfinished();
    return FALSE; /* the next handler ends the process */
}

void ll_os_catch_interruption(void)
{
    static volatile LONG caught;
    if (InterlockedExchange(&caught, 1) == 0) {
        (void)SetConsoleCtrlHandler(on_interruption, TRUE);
    }
}

/* ------------------------------------------------------------------ crashes */

static void (*crash_handler)(void);

static LONG WINAPI on_crash(EXCEPTION_POINTERS *what)
{
    (void)what;
    crash_handler();
    return EXCEPTION_EXECUTE_HANDLER;
}

static void on_abort(int number)
{
    (void)number;
    crash_handler();
}

/* Reserves stack for the handler in case a thread's stack is full. */
static void guard_stack(void)
{
    ULONG size = 64 * 1024;
    (void)SetThreadStackGuarantee(&size);
}

void ll_os_catch_crashes(void (*handler)(void))
{
    crash_handler = handler;
    guard_stack();
    (void)SetUnhandledExceptionFilter(on_crash);
    (void)signal(SIGABRT, on_abort);
}

/* Windows cannot replace a process: the new one gets the same streams, and this one waits for it and ends with its exit
 * code. */
void ll_os_restart(const char *variable)
{
    static wchar_t program[32768];
    static char name[64];
    STARTUPINFOW how = {.cb = sizeof how,
                        .dwFlags = STARTF_USESTDHANDLES,
                        .hStdInput = GetStdHandle(STD_INPUT_HANDLE),
                        .hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE),
                        .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
    PROCESS_INFORMATION made;
    DWORD code = 2;
    const char *value = strchr(variable, '=');
    DWORD n = GetModuleFileNameW(NULL, program, sizeof program / sizeof *program);
    if (!value || (size_t)(value - variable) >= sizeof name || n == 0 || n == sizeof program / sizeof *program) {
        return;
    }
    memcpy(name, variable, (size_t)(value - variable));
    remove_unfinished();
    if (SetEnvironmentVariableA(name, value + 1) &&
        CreateProcessW(program, GetCommandLineW(), NULL, NULL, TRUE, 0, NULL, NULL, &how, &made)) {
        (void)WaitForSingleObject(made.hProcess, INFINITE);
        (void)GetExitCodeProcess(made.hProcess, &code);
        (void)TerminateProcess(GetCurrentProcess(), code);
    }
}

void ll_os_end_after_crash(void)
{
    remove_unfinished();
    for (;;) { /* ExitProcess() would run code whose data may be damaged */
        (void)TerminateProcess(GetCurrentProcess(), 2);
    }
}

void ll_os_wait_for_end(void)
{
    for (;;) {
        Sleep(INFINITE);
    }
}

void ll_os_yield(void)
{
    Sleep(1);
}

void ll_os_start(char **arguments)
{
    (void)arguments;                                                     /* not needed: Windows keeps the command
                                                                          * line */
    (void)SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX); /* an empty drive is an error, not a dialog */
    (void)ll_os_is_terminal(LL_OS_STDOUT);                               /* enables escape sequences on consoles */
    (void)ll_os_is_terminal(LL_OS_STDERR);
}

/* ------------------------------------------------------------------ the console */

HANDLE ll_os_handle(int file)
{
    static const DWORD streams[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    return file >= LL_OS_STDIN && file <= LL_OS_STDERR ? GetStdHandle(streams[file]) : (HANDLE)(intptr_t)file;
}

/* Terminals of Cygwin and MSYS2 (Git Bash) are pipes named like \msys-0123456789abcdef-pty0-to-master. */
static bool is_named_terminal(HANDLE handle)
{
    struct {
        FILE_NAME_INFO info;
        wchar_t rest[MAX_PATH];
    } name;
    if (GetFileType(handle) != FILE_TYPE_PIPE ||
        !GetFileInformationByHandleEx(handle, FileNameInfo, &name, sizeof name - sizeof(wchar_t))) {
        return false;
    }
    wchar_t *text = name.info.FileName;
    text[name.info.FileNameLength / sizeof *text] = 0;
    return (wcsncmp(text, L"\\msys-", 6) == 0 || wcsncmp(text, L"\\cygwin-", 8) == 0) && wcsstr(text, L"-pty");
}

/* A console without escape sequences (before Windows 10) does not count as a terminal, as it would show them as
 * garbage. */
bool ll_os_is_terminal(int stream)
{
    HANDLE handle = ll_os_handle(stream);
    DWORD mode;
    if (!GetConsoleMode(handle, &mode)) {
        return is_named_terminal(handle);
    }
    return stream == LL_OS_STDIN || SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

void ll_os_terminal_size(int stream, unsigned *columns, unsigned *lines)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    bool known = GetConsoleScreenBufferInfo(ll_os_handle(stream), &info);
    *columns = known ? (unsigned)(info.srWindow.Right - info.srWindow.Left + 1) : 0;
    *lines = known ? (unsigned)(info.srWindow.Bottom - info.srWindow.Top + 1) : 0;
}

typedef struct range {
    uint32_t first, last;
} range;

static bool is_in(const range *ranges, size_t count, uint32_t character)
{
    size_t from = 0;
    while (count) { /* the first range whose end is >= character is in [from, from + count] */
        size_t half = count / 2;
        bool behind = ranges[from + half].last < character;
        from = behind ? from + half + 1 : from;
        count = behind ? count - half - 1 : half;
    }
    return ranges[from].first <= character && character <= ranges[from].last;
}

/* From East_Asian_Width (W and F) and General_Category (Mn, Me, Cf) of Unicode 15, for the blocks in use. */
unsigned ll_os_columns_of(uint32_t character)
{
    static const range none[] = {
        {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},     {0x64b, 0x65f},
        {0x6d6, 0x6dc},   {0x93c, 0x93c},   {0x941, 0x948},   {0x94d, 0x94d},     {0xe31, 0xe31},
        {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0x1ab0, 0x1ace}, {0x1dc0, 0x1dff},   {0x200b, 0x200f},
        {0x202a, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20f0}, {0x302a, 0x302d},   {0x3099, 0x309a},
        {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0001, 0xe01ef}, {UINT32_MAX, UINT32_MAX},
    };
    static const range two[] = {
        {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},         {0x23f0, 0x23f0},
        {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},         {0x267f, 0x267f},
        {0x2693, 0x2693},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},         {0x26c4, 0x26c5},
        {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},         {0x26f5, 0x26f5},
        {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},         {0x2728, 0x2728},
        {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},         {0x2795, 0x2797},
        {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},         {0x2b55, 0x2b55},
        {0x2e80, 0x303e},   {0x3041, 0x3247},   {0x3250, 0x4dbf},   {0x4e00, 0xa4c6},         {0xa960, 0xa97c},
        {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},         {0xff01, 0xff60},
        {0xffe0, 0xffe6},   {0x16fe0, 0x18cd5}, {0x1aff0, 0x1b2fb}, {0x1f004, 0x1f004},       {0x1f0cf, 0x1f0cf},
        {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335},       {0x1f337, 0x1f37c},
        {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0},       {0x1f3f4, 0x1f3f4},
        {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d},       {0x1f54b, 0x1f54e},
        {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4},       {0x1f5fb, 0x1f64f},
        {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6df},       {0x1f6eb, 0x1f6ec},
        {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945},       {0x1f947, 0x1f9ff},
        {0x1fa70, 0x1faff}, {0x20000, 0x2fffd}, {0x30000, 0x3fffd}, {UINT32_MAX, UINT32_MAX},
    };
    return is_in(none, sizeof none / sizeof *none - 1, character) ? 0
           : is_in(two, sizeof two / sizeof *two - 1, character)  ? 2
                                                                  : 1;
}

/* ------------------------------------------------------------------ memory */

void *ll_os_take(size_t size)
{
    return malloc(size);
}

/* ------------------------------------------------------------------ the machine */

unsigned ll_os_cpu_count(void)
{
    DWORD n = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return n < 1 ? 1 : n > LL_OS_THREADS_MAX ? LL_OS_THREADS_MAX : (unsigned)n;
}

uint64_t ll_os_nanoseconds(void)
{
    LARGE_INTEGER ticks;
    LARGE_INTEGER second;
    (void)QueryPerformanceFrequency(&second);
    (void)QueryPerformanceCounter(&ticks);
    uint64_t whole = (uint64_t)ticks.QuadPart / (uint64_t)second.QuadPart;
    uint64_t rest = (uint64_t)ticks.QuadPart % (uint64_t)second.QuadPart;
    return whole * 1000000000 + rest * 1000000000 / (uint64_t)second.QuadPart;
}

struct ll_os_lock {
    SRWLOCK lock;
    CONDITION_VARIABLE changed;
};

ll_os_lock *ll_os_lock_create(void)
{
    ll_os_lock *lock = ll_os_alloc(1, sizeof *lock);
    *lock = (ll_os_lock){SRWLOCK_INIT, CONDITION_VARIABLE_INIT};
    return lock;
}

void ll_os_lock_free(ll_os_lock *lock)
{
    free(lock);
}

void ll_os_lock_enter(ll_os_lock *lock)
{
    AcquireSRWLockExclusive(&lock->lock);
}

void ll_os_lock_leave(ll_os_lock *lock)
{
    ReleaseSRWLockExclusive(&lock->lock);
}

void ll_os_lock_wait(ll_os_lock *lock)
{
    (void)SleepConditionVariableSRW(&lock->changed, &lock->lock, INFINITE, 0);
}

void ll_os_lock_wake_all(ll_os_lock *lock)
{
    WakeAllConditionVariable(&lock->changed);
}

typedef struct helper {
    HANDLE thread;
    void (*work)(void *ctx, unsigned index);
    void *ctx;
    unsigned index;
} helper;

static unsigned __stdcall run_helper(void *argument)
{
    helper *me = argument;
    guard_stack();
    me->work(me->ctx, me->index);
    return 0;
}

void ll_os_parallel(unsigned n, void (*work)(void *ctx, unsigned index), void *ctx)
{
    helper helpers[LL_OS_THREADS_MAX];
    unsigned started = 0;
    for (unsigned i = 1; i < n && i < LL_OS_THREADS_MAX; i++) {
        helper *me = &helpers[started];
        *me = (helper){.work = work, .ctx = ctx, .index = i};
        me->thread = (HANDLE)_beginthreadex(NULL, 0, run_helper, me, 0, NULL);
        if (!me->thread) {
            break;
        }
        started++;
    }
    work(ctx, 0);
    for (unsigned i = 0; i < started; i++) {
        (void)WaitForSingleObject(helpers[i].thread, INFINITE);
        (void)CloseHandle(helpers[i].thread);
    }
}
