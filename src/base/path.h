/* Paths in the form used by the whole program on every system: '/' between names; on Windows, absolute paths begin with
 * a drive or share. */
#ifndef LL_BASE_PATH_H
#define LL_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef _WIN32
/* Length of "C:" or "//server/share" at the start of a path; 0: neither. */
size_t ll_path_drive(const char *path);
/* Replaces each '\\' by '/', in place. */
void ll_path_adopt(char *path);
#else
static inline size_t ll_path_drive(const char *path)
{
    (void)path;
    return 0;
}
static inline void ll_path_adopt(char *path)
{
    (void)path;
}
#endif

static inline bool ll_path_is_absolute(const char *path)
{
    return path[ll_path_drive(path)] == '/';
}

#endif
