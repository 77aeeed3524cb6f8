/* What the parts of the implementation for Windows share. */
#ifndef LL_CLI_OS_WINDOWS_H
#define LL_CLI_OS_WINDOWS_H

#include "cli/os_inner.h"

#include <windows.h>

/* Beside the error numbers of the C library. */
enum { LL_OS_NO_FILE = -1, LL_OS_IN_USE = -2, LL_OS_OTHER_ERROR = 0x10000 /* and an error number of Windows */ };

/* The number that ll_os_error_text() knows, for one of Windows. */
int ll_os_error_of(DWORD error);
static inline int ll_os_last_error(void)
{
    return ll_os_error_of(GetLastError());
}

/* Files are numbers in os.h: those of the standard streams, or the value of a handle, which has 32 bits and is a
 * multiple of 4 (learn.microsoft.com/windows/win32/winprog64/interprocess-communication). */
HANDLE ll_os_handle(int file);
static inline int ll_os_number(HANDLE handle)
{
    return (int)(intptr_t)handle;
}

/* UTF-16 without an end of `n` units as UTF-8, with '/' for '\\' if it is a path; and the other way round, NULL where
 * it is no UTF-8. free() both. */
char *ll_os_narrow(const wchar_t *text, size_t n);
char *ll_os_narrow_path(const wchar_t *text);
wchar_t *ll_os_wide(const char *text);

/* A path as the wide functions want it: absolute and with the prefix that switches off the limit of 260 characters and
 * the names of devices. NULL: it is no UTF-8; GetLastError() says so. free() it. */
wchar_t *ll_os_wide_path(const char *path);

/* Opens what is there, whoever else has it open. A directory, too. */
HANDLE ll_os_open(const char *path, DWORD access);

/* Unfinished files, which are removed when the process ends before they are complete. */
enum { LL_OS_UNFINISHED_MAX = 16 };
extern HANDLE volatile ll_os_unfinished[LL_OS_UNFINISHED_MAX];
void ll_os_remove_when_closed(HANDLE file);
/* From now on they are removed as well when the user or the system interrupts the process. */
void ll_os_catch_interruption(void);
/* From now on a mapped file that cannot be read ends the process with a word. */
void ll_os_catch_page_errors(void);
_Noreturn void ll_os_end(const char *text);

#endif
