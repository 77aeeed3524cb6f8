/* Queries Git about the directories that are walked. Git runs as a program, so its own rules apply. If it cannot be
 * run, that is reported once, and nothing counts as ignored. */
#ifndef LL_CLI_GIT_H
#define LL_CLI_GIT_H

#include "base/arena.h"
#include "cli/os.h"

#include <lightlint/lightlint.h>

/* Set of the paths that .gitignore and similar files leave out. Tracked files are never in it. */
typedef struct ll_ignored ll_ignored;
ll_ignored *ll_ignored_create(void);
void ll_ignored_free(ll_ignored *ignored);

/* Asks Git what is ignored below a directory, if that is in a work tree. `directory` ends with '/', or is "" for the
 * current one; later calls of ll_ignored_holds() must use paths that begin with it. `around`: a directory above it that
 * will be asked for as a whole; if both are in one work tree, all of it is read at once. False if Git could not be run,
 * which is reported if `loud`. */
bool ll_ignored_learn(ll_ignored *ignored, const char *directory, const char *around, bool loud);

/* True if a path below such a directory is ignored: of a file, or of a directory with its '/'. The contents of an
 * ignored directory are not listed one by one. */
bool ll_ignored_holds(const ll_ignored *ignored, const char *path);
/* Like ll_ignored_holds(), for a path that no walk has reached: true if it or a directory above it is ignored. */
bool ll_ignored_leaves_out(ll_ignored *ignored, const char *path);

/* Reads a file of a commit, named "COMMIT:PATH". False if Git has no such file, which is reported. */
bool ll_git_show(const char *name, ll_os_buffer *out);

/* True if HEAD has a file with exactly these bytes at this path, so that Git can restore it. */
bool ll_git_holds(const char *path, const void *bytes, size_t size);

/* Finds the commit of the files in the current directory, from the environment of a CI job or from Git. The strings are
 * in the arena or in the environment. False if neither knows where the repository is. */
bool ll_provenance_find(ll_arena *arena, ll_provenance *out);

#endif
