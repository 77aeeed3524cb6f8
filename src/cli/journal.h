/* The journal that `fix` writes, which undo.c reads: the one of --journal, else one that it names itself, for what Git
 * does not hold. */
#ifndef LL_CLI_JOURNAL_H
#define LL_CLI_JOURNAL_H

#include "base/text.h"
#include "cli/options.h"
#include "cli/replace.h"

#include <lightlint/lightlint.h>

/* Begin with ll_log_init(), end with ll_log_close(). */
typedef struct ll_log {
    const ll_options *options;
    ll_text path;    /* "": there is none yet */
    int stream;      /* -1: it is not open */
    bool failed;     /* it could not be opened, which was said */
    bool held;       /* Git holds what the file at hand was */
    uint64_t in_git; /* files of which that is true */
    uint64_t noted;  /* replacements that the journal holds */
} ll_log;

/* True for the name of a journal that `fix` named itself: such a file is never checked. `path`: what leads there. */
bool ll_is_log(const char *path);

void ll_log_init(ll_log *log, const ll_options *options);
/* Opens what --journal names, before anything is changed. False: it cannot be written, or is something else than a
 * journal, which was said. */
bool ll_log_open(ll_log *log);
/* Notes down a replacement before it is made: it is on the disk when this returns. `first`: of this file; where Git
 * holds what it was, neither this one nor those that follow are noted, unless --journal asks for it. False: that could
 * not be done, which was said, and the file must stay as it is. */
bool ll_log_note(ll_log *log, ll_fix *fix, const ll_replacement *r, bool first);
/* How everything is taken back, a line each for the journal and Git; nothing where nothing was changed. */
void ll_log_put_way_back(ll_log *log, ll_text *out);
/* False: bytes of it may be lost. */
bool ll_log_close(ll_log *log);

#endif
