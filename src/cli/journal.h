/* The journal that `fix` writes and undo.c reads: the file of --journal, or else a new file for changes to files that
 * Git cannot restore. */
#ifndef LL_CLI_JOURNAL_H
#define LL_CLI_JOURNAL_H

#include "base/text.h"
#include "cli/options.h"
#include "cli/replace.h"

#include <lightlint/lightlint.h>

/* Initialise with ll_log_init(), release with ll_log_close(). */
typedef struct ll_log {
    const ll_options *options;
    ll_text path;    /* "": no journal so far */
    int stream;      /* -1: not open */
    bool failed;     /* it could not be opened, which was reported */
    bool held;       /* Git holds the original of the current file */
    uint64_t in_git; /* number of such files */
    uint64_t noted;  /* replacements written to the journal */
} ll_log;

/* True if the last name of `path` is one that `fix` gives to its own journals: such files are never checked. */
bool ll_is_log(const char *path);

void ll_log_init(ll_log *log, const ll_options *options);
/* Opens the file of --journal before anything is changed. False if it cannot be written or is not a journal, which is
 * reported. */
bool ll_log_open(ll_log *log);
/* Writes a replacement to the journal before it is made; it is on the disk when this returns. `first`: it is the first
 * one of its file. If Git holds the original, no replacement of the file is written, unless --journal is given. False
 * on failure, which is reported: the file must then stay unchanged. */
bool ll_log_note(ll_log *log, ll_fix *fix, const ll_replacement *r, bool first);
/* Appends the commands that undo all changes, one line each for the journal and Git; nothing if nothing was changed. */
void ll_log_put_way_back(ll_log *log, ll_text *out);
/* False: data may be lost. */
bool ll_log_close(ll_log *log);

#endif
