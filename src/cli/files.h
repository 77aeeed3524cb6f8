/* Which files to check: operands, lists and directories become one sorted list without doubles. */
#ifndef LL_CLI_FILES_H
#define LL_CLI_FILES_H

#include "cli/options.h"

typedef struct ll_file {
    const char *path; /* as reports show it; it opens the file as well */
    uint64_t key;     /* for sorting */
    int error;        /* not 0: a directory that could not be read, and why */
    bool is_stdin;
} ll_file;

typedef struct ll_files {
    ll_file *items; /* sorted bytewise by path */
    size_t count, capacity;
    struct ll_path_pool *pool; /* holds the paths */
    char *here[2];             /* the current directory, by its real name and by the shell's; NULL when unknown */
    bool here_known;
} ll_files;

/* False when the list cannot be made, which was said on stderr. ll_files_free() is needed in both cases. */
bool ll_files_collect(const ll_options *options, ll_files *out);
void ll_files_free(ll_files *files);

/* True when `path` leads to one of the files, or to a file that an option reads. */
bool ll_files_hold(const ll_files *files, const ll_options *options, const char *path);

#endif
