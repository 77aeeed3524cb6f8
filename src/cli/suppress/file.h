/* Reads one suppression file, .lightlint-ignore.yaml: which findings are accepted, and why. */
#ifndef LL_CLI_SUPPRESS_FILE_H
#define LL_CLI_SUPPRESS_FILE_H

#include "base/glob.h"
#include "cli/options.h"
#include "cli/os.h"

#include <stdatomic.h>

#define LL_SUPPRESS_NAME ".lightlint-ignore.yaml"

/* What a run has learned about an entry: bits that threads set while files are checked. */
enum {
    LL_SUPPRESS_USED = 1,    /* it matches a finding */
    LL_SUPPRESS_CHECKED = 2, /* a file that it matches was checked */
    LL_SUPPRESS_HIDDEN = 4 /* so was one whose findings may be incomplete: not checked in full, or with the rule off */
};

/* An entry applies to a finding if all its conditions match; a NULL condition matches anything. */
typedef struct ll_suppression {
    const char *file; /* pattern of ll_glob_path(), relative to the directory of the suppression file */
    const char *rule; /* id; rule_index is its index in `rules`, with which the file was read */
    const ll_ruleset *rules;
    size_t rule_index;
    const char *path;        /* pattern of ll_glob() for field paths */
    const char *key;         /* longest literal part of `path`: every matching field path contains it */
    const char *fingerprint; /* 16 hex digits */
    const char *reason;
    const char *expires; /* "2026-11-21": the last day on which it applies */
    bool literal;        /* `file` contains no wildcards */
    bool expired;
    unsigned line;
    uint64_t offset, length; /* its bytes in the suppression file */
    atomic_uint seen;
} ll_suppression;

typedef struct ll_suppress_file {
    const char *shown; /* as reports show it; it can be opened by this path */
    const unsigned char *bytes;
    size_t size;
    ll_suppression *entries;
    size_t count;
    ll_globs files;    /* the file patterns of entries that have not expired; items are owned by the entries */
    ll_globs anywhere; /* the fingerprints of such entries without a file pattern */
} ll_suppress_file;

/* Reads file->shown, which the caller sets; everything is allocated in the arena. Rules are looked up in `rules`, which
 * must outlive the file. False if it is refused, which is reported on stderr. */
bool ll_suppress_file_read(ll_arena *arena, const ll_ruleset *rules, ll_suppress_file *file);

#endif
