/* Win32 implementation of ll_os_run(): runs another program and reads its output. */
#include "cli/os_windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* Milliseconds a program has for its first output. */
#define PATIENCE 10000

/* A growing UTF-16 text; base/text.h has only UTF-8. */
typedef struct wide {
    wchar_t *data;
    size_t length, capacity;
} wide;

static void put(wide *out, const wchar_t *text, size_t n)
{
    if (out->capacity - out->length <= n) {
        out->capacity = 2 * out->capacity + n + 256;
        wchar_t *data = realloc(out->data, out->capacity * sizeof *data);
        if (!data) {
            ll_os_end_without_memory();
        }
        out->data = data;
    }
    wmemcpy(out->data + out->length, text, n);
    out->length += n;
    out->data[out->length] = 0;
}

static void put_narrow(wide *out, const char *text, size_t more)
{
    wchar_t *converted = ll_os_wide(text);
    put(out, converted ? converted : L"", converted ? wcslen(converted) + more : more);
    free(converted);
}

/* ------------------------------------------------------------------ what is run, and how */

/* Finds NAME.exe in the folders of PATH only. CreateProcess() would search the current directory first, which may
 * belong to an untrusted mod. free() the result; NULL if there is none. */
static wchar_t *find_program(const char *name)
{
    const wchar_t *path = _wgetenv(L"PATH");
    wchar_t *file = ll_os_wide(name);
    wide full = {0};
    bool found = false;
    while (path && *path && file && !found) {
        size_t n = wcscspn(path, L";");
        size_t quote = n > 1 && path[0] == L'"';
        full.length = 0;
        put(&full, path + quote, n - 2 * quote);
        bool absolute = full.length > 2 && (full.data[1] == L':' || full.data[1] == L'\\');
        put(&full, L"\\", 1);
        put(&full, file, wcslen(file));
        put(&full, L".exe", 4);
        DWORD attributes = absolute ? GetFileAttributesW(full.data) : INVALID_FILE_ATTRIBUTES;
        found = attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
        path += n + (path[n] == L';');
    }
    free(file);
    if (!found) {
        free(full.data);
    }
    return found ? full.data : NULL;
}

/* Appends one argument, quoted so that the program's C library reads it back unchanged
 * (learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments): backslashes are special only before a
 * quote. */
static void put_argument(wide *out, const char *word)
{
    wchar_t *text = ll_os_wide(word);
    size_t backslashes = 0;
    put(out, out->length ? L" \"" : L"\"", out->length ? 2 : 1);
    for (const wchar_t *p = text ? text : L""; *p; p++) {
        for (size_t i = 0; *p == L'"' && i < backslashes + 1; i++) {
            put(out, L"\\", 1);
        }
        put(out, p, 1);
        backslashes = *p == L'\\' ? backslashes + 1 : 0;
    }
    while (backslashes--) {
        put(out, L"\\", 1);
    }
    put(out, L"\"", 1);
    free(text);
}

/* The environment with the changes of ll_os_run(), in the format of CreateProcess(); free() it. */
static wchar_t *changed_environment(const char *const *changes)
{
    wchar_t *all = GetEnvironmentStringsW();
    wide out = {0};
    for (const wchar_t *next = all; next && *next; next += wcslen(next) + 1) {
        char *variable = ll_os_narrow(next, wcslen(next));
        size_t at = 0;
        while (changes[at] && !ll_os_same_variable(changes[at], variable)) {
            at++;
        }
        if (!changes[at]) {
            put(&out, next, wcslen(next) + 1);
        }
        free(variable);
    }
    for (size_t i = 0; changes[i]; i++) {
        if (strchr(changes[i], '=')) {
            put_narrow(&out, changes[i], 1);
        }
    }
    put(&out, L"\0", 1);
    if (all) {
        (void)FreeEnvironmentStringsW(all);
    }
    return out.data;
}

/* ------------------------------------------------------------------ running */

typedef struct streams {
    HANDLE input, output, errors;
} streams;

/* Starts the program with these streams; it inherits no other handle of this process. */
static int start(const wchar_t *program, wchar_t *line, wchar_t *environment, const streams *s, HANDLE *out)
{
    STARTUPINFOEXW how = {.StartupInfo = {.cb = sizeof how,
                                          .dwFlags = STARTF_USESTDHANDLES,
                                          .hStdInput = s->input,
                                          .hStdOutput = s->output,
                                          .hStdError = s->errors}};
    PROCESS_INFORMATION made;
    HANDLE inherited[] = {s->input, s->output, s->errors};
    SIZE_T size = 0;
    (void)InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    how.lpAttributeList = ll_os_alloc(size ? size : 1, 1);
    bool done = InitializeProcThreadAttributeList(how.lpAttributeList, 1, 0, &size) &&
                UpdateProcThreadAttribute(how.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, (void *)inherited,
                                          sizeof inherited, NULL, NULL) &&
                CreateProcessW(program, line, NULL, NULL, TRUE,
                               CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT,
                               environment, NULL, &how.StartupInfo, &made);
    int error = done ? 0 : ll_os_last_error();
    free((void *)how.lpAttributeList);
    if (done) {
        (void)CloseHandle(made.hThread);
        *out = made.hProcess;
    }
    return error;
}

/* Waits until there is output to read or the pipe is closed. False after PATIENCE. */
static bool wait_for_words(HANDLE pipe)
{
    uint64_t end = ll_os_milliseconds() + PATIENCE;
    DWORD n = 0;
    while (PeekNamedPipe(pipe, NULL, 0, NULL, &n, NULL) && n == 0) {
        if (ll_os_milliseconds() >= end) {
            return false;
        }
        Sleep(1);
    }
    return true;
}

static int run(const wchar_t *program, wchar_t *line, wchar_t *environment, ll_os_buffer *out, int *code)
{
    SECURITY_ATTRIBUTES inherit = {.nLength = sizeof inherit, .bInheritHandle = TRUE};
    streams s;
    HANDLE reader;
    HANDLE process = NULL;
    if (!CreatePipe(&reader, &s.output, &inherit, 0)) {
        return ll_os_last_error();
    }
    (void)SetHandleInformation(reader, HANDLE_FLAG_INHERIT, 0);
    s.input = CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ, &inherit, OPEN_EXISTING, 0, NULL);
    s.errors = CreateFileW(L"NUL", GENERIC_WRITE, FILE_SHARE_WRITE, &inherit, OPEN_EXISTING, 0, NULL);
    int error = start(program, line, environment, &s, &process);
    (void)CloseHandle(s.input);
    (void)CloseHandle(s.output);
    (void)CloseHandle(s.errors);
    if (!error && !wait_for_words(reader)) {
        (void)TerminateProcess(process, 1);
        error = ETIMEDOUT;
    }
    error = error ? error : ll_os_read_all(out, ll_os_number(reader), 0);
    (void)CloseHandle(reader); /* before waiting: the program may still write, and would block on a full pipe */
    DWORD status = 0;
    if (process) {
        (void)WaitForSingleObject(process, INFINITE);
        bool known = GetExitCodeProcess(process, &status);
        *code = known && status < 256 ? (int)status : -1;
        (void)CloseHandle(process);
    }
    return error;
}

int ll_os_run(const char *const *words, const char *const *environment, ll_os_buffer *out, int *code)
{
    wide line = {0};
    ll_os_clear(out);
    wchar_t *program = find_program(words[0]);
    if (!program) {
        return ENOENT;
    }
    for (size_t i = 0; words[i]; i++) {
        put_argument(&line, words[i]);
    }
    wchar_t *variables = changed_environment(environment);
    int error = run(program, line.data, variables, out, code);
    free(variables);
    free(line.data);
    free(program);
    return error;
}
