/* Paths of directories as texts. A directory is absolute and folded here: "/a/b", and "" for the root ("C:" for that of
 * a drive), so that "/name" may be put behind every one. Links stay as they are written; only where a path goes up
 * behind one is the file system asked where that leads. */
#ifndef LL_CLI_CONFIG_PATH_H
#define LL_CLI_CONFIG_PATH_H

#include "base/arena.h"

/* The directory that `path` (n bytes) means, seen from `here`. */
const char *ll_path_absolute(ll_arena *arena, const char *here, const char *path, size_t n);

/* What is behind the last slash. */
const char *ll_path_name(const char *path);

/* The directory of that name in another. */
const char *ll_path_below(ll_arena *arena, const char *directory, const char *name);

/* `to`, or `name` in it, as seen from `from`: ".", "..", "a/b", "../a/name"; of another drive all of it. `name` may be
 * NULL. False when the buffer is too small. */
bool ll_path_between(const char *from, const char *to, const char *name, char *buffer, size_t size);

/* True when `below` is `directory` or lies in it. */
bool ll_path_holds(const char *directory, const char *below);

#endif
