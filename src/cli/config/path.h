/* Operations on paths of directories as strings. Directories are absolute and folded: "/a/b", "" for the root and "C:"
 * for that of a drive, so that "/name" can be appended to each. Links are not resolved, except before "..", where the
 * file system is asked for the parent. */
#ifndef LL_CLI_CONFIG_PATH_H
#define LL_CLI_CONFIG_PATH_H

#include "base/arena.h"

/* The directory at `path` (n bytes), relative to `here`. */
const char *ll_path_absolute(ll_arena *arena, const char *here, const char *path, size_t n);

/* The part after the last slash. */
const char *ll_path_name(const char *path);

/* Path of `name` in a directory. */
const char *ll_path_below(ll_arena *arena, const char *directory, const char *name);

/* Writes the path of `to`, or of `name` in it, relative to `from`: ".", "..", "a/b", "../a/name"; absolute on another
 * drive. `name` may be NULL. False if the buffer is too small. */
bool ll_path_between(const char *from, const char *to, const char *name, char *buffer, size_t size);

/* True if `below` is `directory` or inside it. */
bool ll_path_holds(const char *directory, const char *below);

#endif
