/* Paths as the whole program writes them, on every system: '/' between names, and in front of an absolute one the drive
 * or the share, where the system has these. */
#ifndef LL_BASE_PATH_H
#define LL_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef _WIN32
/* Bytes of "C:" or "//server/share" in front of a path; 0 where there is neither. */
size_t ll_path_drive(const char *path);
/* Puts '/' in the place of each '\\', in place. */
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
