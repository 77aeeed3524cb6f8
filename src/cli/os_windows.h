/* Internal interface between the os_windows*.c files. */
#ifndef LL_CLI_OS_WINDOWS_H
#define LL_CLI_OS_WINDOWS_H

#include "cli/os_inner.h"

#include <windows.h>

/* Our own error numbers; others are those of the C library. */
enum { LL_OS_NO_FILE = -1, LL_OS_IN_USE = -2, LL_OS_OTHER_ERROR = 0x10000 /* plus an error code of Windows */ };

/* Converts an error code of Windows to an error number for ll_os_error_text(). */
int ll_os_error_of(DWORD error);
static inline int ll_os_last_error(void)
{
    return ll_os_error_of(GetLastError());
}

/* os.h identifies files by int: a standard stream, or the value of a handle, which has 32 significant bits and is a
 * multiple of 4 (learn.microsoft.com/windows/win32/winprog64/interprocess-communication). */
HANDLE ll_os_handle(int file);
static inline int ll_os_number(HANDLE handle)
{
    return (int)(intptr_t)handle;
}

/* ll_os_narrow() converts `n` UTF-16 units to UTF-8, ll_os_narrow_path() a terminated path, with '/' for '\\';
 * ll_os_wide() converts back and returns NULL for invalid UTF-8. free() the results. */
char *ll_os_narrow(const wchar_t *text, size_t n);
char *ll_os_narrow_path(const wchar_t *text);
wchar_t *ll_os_wide(const char *text);

/* Converts a path for the wide functions: absolute, with the prefix that lifts the limit of 260 characters and disables
 * device names. NULL if it is empty or not UTF-8; GetLastError() tells which. free() it. */
wchar_t *ll_os_wide_path(const char *path);

/* Opens an existing file or directory, even if others have it open. */
HANDLE ll_os_open(const char *path, DWORD access);

/* Unfinished files; they are removed if the process ends early. */
enum { LL_OS_UNFINISHED_MAX = 16 };
extern HANDLE volatile ll_os_unfinished[LL_OS_UNFINISHED_MAX];
void ll_os_remove_when_closed(HANDLE file);
/* From now on an interruption by the user or the system removes them, too. */
void ll_os_catch_interruption(void);
/* From now on the process reports a read error in a mapped file and ends. */
void ll_os_catch_page_errors(void);
_Noreturn void ll_os_end(const char *text);

#endif
