/* What Git says of the directories that are walked. Git itself is asked, as a program, so that its rules are its own;
 * where it cannot be asked that is said once, and it says nothing. */
#ifndef LL_CLI_GIT_H
#define LL_CLI_GIT_H

#include "base/arena.h"
#include "cli/os.h"

#include <lightlint/lightlint.h>

/* Paths that .gitignore and the like leave out. Tracked files are never among them. */
typedef struct ll_ignored ll_ignored;
ll_ignored *ll_ignored_create(void);
void ll_ignored_free(ll_ignored *ignored);

/* Learns what is left out below a directory, if it lies in a work tree. `directory` has its '/' behind it, "" is the
 * current one, and so have the paths that ll_ignored_holds() is asked for afterwards. `around` holds it, and others
 * that will be asked for: all of them are learnt at once if they are in one work tree. False: Git could not be asked,
 * which was said if `loud`. */
bool ll_ignored_learn(ll_ignored *ignored, const char *directory, const char *around, bool loud);

/* True when a path below such a directory is left out: that of a file, or of a directory with its '/'. What lies in a
 * directory that is left out is not told one by one. */
bool ll_ignored_holds(const ll_ignored *ignored, const char *path);
/* The same for a path that no walk has reached: it, or a directory above it, is left out. */
bool ll_ignored_leaves_out(ll_ignored *ignored, const char *path);

/* The bytes of a file of a commit, as "COMMIT:PATH". False: Git has no such file, which was said. */
bool ll_git_show(const char *name, ll_os_buffer *out);

/* True where the commit that is checked out has a file with these very bytes under this path, so that Git gives them
 * back. */
bool ll_git_holds(const char *path, const void *bytes, size_t size);

/* The commit that the files of the current directory are of, by the environment of a CI job or by Git; everything lies
 * in the arena, or in the environment. False: neither says where the repository is. */
bool ll_provenance_find(ll_arena *arena, ll_provenance *out);

#endif
