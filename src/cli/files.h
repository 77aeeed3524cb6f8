/* Which files to check: operands, lists and directories as one sorted stream without doubles. */
#ifndef LL_CLI_FILES_H
#define LL_CLI_FILES_H

#include "cli/config/config.h"
#include "cli/os.h"

typedef struct ll_file {
    const char *path; /* as reports show it; it opens the file as well, unless that is a member of an archive */
    size_t stem;      /* bytes of the path in front of what the file is called in the directory of its scope */
    uint64_t index;   /* its place among the files of this run, from 0: the same for any number of threads */
    int error;        /* not 0: a directory that could not be read, and why */
    bool is_stdin;
    bool is_manifest;          /* of an archive: what it lists is joined with the files; it has no format */
    const ll_scope *scope;     /* of its directory */
    const ll_profile *profile; /* rules, game and fail level */
} ll_file;

typedef struct ll_files ll_files;

typedef enum ll_next { LL_NEXT_FILE, LL_NEXT_END, LL_NEXT_TROUBLE } ll_next;

/* False when there is no such stream, which was said on stderr. ll_files_close() is needed in both cases. Everything
 * here belongs to one thread at a time; the configuration is asked as files come. */
bool ll_files_open(const ll_options *options, ll_config *config, ll_files **out);
void ll_files_close(ll_files *files);

/* From now on tells a workspace of files of no format that lie in unpacked archives, and of unpacked archives that were
 * seen to the last file; and gives manifests. The names begin `strip` bytes further on. */
void ll_files_tell(ll_files *files, ll_workspace *workspace, size_t strip);

/* The next file, byte-wise by path; out->path and out->scope live until the next call. Trouble was said on stderr and
 * ends the run. Memory is bounded by the largest directory times the depth, and by what is named on the command line
 * and in lists. */
ll_next ll_files_next(ll_files *files, ll_file *out);

/* What all paths begin with, where one thing is all that was named; "" elsewhere. */
const char *ll_files_root(const ll_files *files);

/* How many files and directories are known to come: at least so many, as far as anybody knows. */
size_t ll_files_ahead(const ll_files *files);

/* Says of every directory that was named and gave no file that it did so, and of links that lead out of these
 * directories that they were not followed. False when a directory gave none, or nothing was named. For the end of the
 * run. */
bool ll_files_notices(const ll_files *files);

/* True when `id` is one of the files that were named, or one that an option reads. */
bool ll_files_hold(const ll_files *files, ll_os_id id);

#endif
