/* One suppression file, .lightlint-ignore.yaml: which findings are known, and why they may stay. */
#ifndef LL_CLI_SUPPRESS_FILE_H
#define LL_CLI_SUPPRESS_FILE_H

#include "base/glob.h"
#include "cli/options.h"
#include "cli/os.h"

#include <stdatomic.h>

#define LL_SUPPRESS_NAME ".lightlint-ignore.yaml"

/* What a run learned about an entry, as bits: threads add to them while files are checked. */
enum {
    LL_SUPPRESS_USED = 1,    /* it fits a finding */
    LL_SUPPRESS_CHECKED = 2, /* a file that it fits was checked */
    LL_SUPPRESS_HIDDEN = 4 /* so was one whose findings are not all known: not checked in full, or with the rule off */
};

/* What an entry asks for must all fit; NULL: anything does. */
typedef struct ll_suppression {
    const char *file; /* pattern of ll_glob_path(), from the directory of the suppression file on */
    const char *rule; /* id, and where it is in the rules that the file was read with */
    const ll_ruleset *rules;
    size_t rule_index;
    const char *path;        /* pattern of ll_glob() for field paths */
    const char *key;         /* what all that fits the pattern has in it: its longest part without wildcards */
    const char *fingerprint; /* 16 hex digits */
    const char *reason;
    const char *expires; /* "2026-11-21": the last day on which it holds */
    bool literal;        /* the file is no pattern */
    bool expired;
    unsigned line;
    uint64_t offset, length; /* its bytes in the suppression file */
    atomic_uint seen;
} ll_suppression;

typedef struct ll_suppress_file {
    const char *shown; /* as reports show it; it opens the file as well */
    const unsigned char *bytes;
    size_t size;
    ll_suppression *entries;
    size_t count;
    ll_globs files;    /* of the entries that have not expired: the files that they name; owned by the entries */
    ll_globs anywhere; /* of those for any file: their fingerprints */
} ll_suppress_file;

/* Reads file->shown, which the caller sets; everything lies in the arena. Rules are looked up in `rules`, which outlive
 * the file. False when it was refused, which was said on stderr. */
bool ll_suppress_file_read(ll_arena *arena, const ll_ruleset *rules, ll_suppress_file *file);

#endif
