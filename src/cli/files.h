/* The files to check: operands, lists and directory contents as one sorted stream without duplicates. */
#ifndef LL_CLI_FILES_H
#define LL_CLI_FILES_H

#include "cli/config/config.h"
#include "cli/os.h"

typedef struct ll_file {
    const char *path; /* as reports show it; opens the file, unless it is a member of an archive */
    size_t stem;      /* bytes of the path before the file name in its directory */
    uint64_t index;   /* number of the file in this run, from 0; does not depend on the number of threads */
    int error;        /* nonzero: the entry is a directory that could not be read */
    bool is_stdin;
    bool is_manifest;          /* manifest of an archive: has no format, but its list is compared with the files */
    const ll_scope *scope;     /* scope of its directory */
    const ll_profile *profile; /* rules, game and fail level */
} ll_file;

typedef struct ll_files ll_files;

typedef enum ll_next { LL_NEXT_FILE, LL_NEXT_END, LL_NEXT_TROUBLE } ll_next;

/* False if operands or lists cannot be read, which is reported on stderr. Call ll_files_close() in both cases. A stream
 * may be used by one thread at a time, and calls into the configuration. */
bool ll_files_open(const ll_options *options, ll_config *config, ll_files **out);
void ll_files_close(ll_files *files);

/* From now on reports to `workspace` the files without a format inside unpacked archives, and each unpacked archive
 * that was walked completely; the stream also returns manifests. Paths are passed without their first `strip` bytes. */
void ll_files_tell(ll_files *files, ll_workspace *workspace, size_t strip);

/* Returns the next file in bytewise order of paths; out->path and out->scope are valid until the next call.
 * LL_NEXT_TROUBLE ends the run and was reported on stderr. Memory grows with the largest directory times the depth, and
 * with the names on the command line and in lists. */
ll_next ll_files_next(ll_files *files, ll_file *out);

/* Common beginning of all paths if only one operand was given; "" otherwise. */
const char *ll_files_root(const ll_files *files);

/* Lower bound of the number of files and directories still to come. */
size_t ll_files_ahead(const ll_files *files);

/* Call at the end of the run. Reports each named directory that gave no file, and links that were not followed
 * because they lead out of the named directories. False if a directory gave no file or nothing was named. */
bool ll_files_notices(const ll_files *files);

/* True if `id` is one of the named files, or a file that an option reads. */
bool ll_files_hold(const ll_files *files, ll_os_id id);

#endif
