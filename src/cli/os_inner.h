/* What the parts of os.h share that do not depend on the system (os.c) or do (os_posix.c, os_windows.c). */
#ifndef LL_CLI_OS_INNER_H
#define LL_CLI_OS_INNER_H

#include "cli/os.h"

/* A pipe has no size: this much is taken from it before it is refused. */
#define LL_OS_STREAM_MAX ((size_t)1024 * 1024 * 1024)

/* ------------------------------------------------------------------ os.c */

/* Something is read or written that a new run could not read or write once more. */
void ll_os_forbid_restart(void);

/* Reads a file to its end into the buffer, or maps it. `size`: what the system says of a regular file; 0 for what has
 * none. */
int ll_os_read_all(ll_os_buffer *buffer, int file, uint64_t size);
void ll_os_clear(ll_os_buffer *buffer);

/* What is behind the last slash, and the directory in which a path lies; free() that. */
const char *ll_os_last_name(const char *path);
char *ll_os_directory_of(const char *path);

/* What a file is called before it is complete: NAME.lightlint-1234-0.tmp, by process and number; free() it. */
char *ll_os_temporary_name(const char *path, unsigned long process, unsigned number);

/* Is the string "NAME=value" or "NAME" about the same variable as the other? */
bool ll_os_same_variable(const char *one, const char *other);

/* ------------------------------------------------------------------ the system's part */

/* Bytes of a regular file, 0 for what has no size. */
uint64_t ll_os_size(int file);
/* Reads a file into an empty buffer, of any kind or, without waiting, of those that have an end. */
int ll_os_read_path(ll_os_buffer *buffer, const char *path, bool any_kind);
/* Removes a file of such a name, unless the process that writes it is alive. */
void ll_os_remove_leftover(const char *path);
/* Fills buffer->map; false when the file cannot be mapped. */
bool ll_os_map(ll_os_buffer *buffer, int file, size_t size);
void ll_os_unmap(void *map, size_t size);

#endif
