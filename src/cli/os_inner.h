/* Internal interface between os.c, which is the same on all systems, and os_posix.c or os_windows.c. */
#ifndef LL_CLI_OS_INNER_H
#define LL_CLI_OS_INNER_H

#include "cli/os.h"

/* A pipe has no size. It is refused when it delivers more than this. */
#define LL_OS_STREAM_MAX ((size_t)1024 * 1024 * 1024)

/* ------------------------------------------------------------------ os.c */

/* Call when data is read from or written to a stream that a new run could not read or write again. */
void ll_os_forbid_restart(void);

/* Reads a file to its end into the buffer, or maps it. `size`: bytes of a regular file as the system states them; 0 if
 * unknown. */
int ll_os_read_all(ll_os_buffer *buffer, int file, uint64_t size);
void ll_os_clear(ll_os_buffer *buffer);

/* The part of a path after its last slash, and the directory part; free() the latter. */
const char *ll_os_last_name(const char *path);
char *ll_os_directory_of(const char *path);

/* Name of an unfinished file: NAME.lightlint-1234-0.tmp, with process id and number; free() it. */
char *ll_os_temporary_name(const char *path, unsigned long process, unsigned number);

/* Do two strings "NAME=value" or "NAME" have the same NAME? */
bool ll_os_same_variable(const char *one, const char *other);

/* ------------------------------------------------------------------ per system */

/* Size of a regular file in bytes, 0 for other files. */
uint64_t ll_os_size(int file);
/* Reads a file into an empty buffer. Unless `any_kind`, pipes and devices are refused without waiting for them. */
int ll_os_read_path(ll_os_buffer *buffer, const char *path, bool any_kind);
/* Removes an unfinished file unless the process that writes it is running. */
void ll_os_remove_leftover(const char *path);
/* Sets buffer->map and map_size; false if the file cannot be mapped. */
bool ll_os_map(ll_os_buffer *buffer, int file, size_t size);
void ll_os_unmap(void *map, size_t size);

#endif
