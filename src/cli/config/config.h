/* What holds for which file: the command line, the configuration files above it, and their overrides for paths.
 * Everything is found once and kept; files that share their settings share one sealed rule set. */
#ifndef LL_CLI_CONFIG_H
#define LL_CLI_CONFIG_H

#include "base/arena.h"
#include "cli/options.h"

typedef struct ll_config ll_config;

/* What holds in one directory. A directory with files of the tool's own has one, whatever it is called; it lives as
 * long as its ll_config, but for those of ll_scope_below() and ll_scope_copy(). */
typedef struct ll_scope ll_scope;

/* What is known of the findings in one directory, for suppress/ and check.c to fill in. */
typedef struct ll_scope_known {
    bool has_suppressions;                  /* they were looked for */
    struct ll_suppress_level *suppressions; /* NULL: there are none */
    bool complete;                          /* so was the baseline */
    struct ll_baseline_file *baseline;      /* NULL: there is none */
} ll_scope_known;

/* What holds for one file. Immutable, lives as long as its ll_config, and may be read by any thread. */
typedef struct ll_profile {
    const ll_ruleset *rules; /* sealed */
    const char *game;        /* a name of ll_variant(), NULL: by content */
    ll_severity fail_level;
    bool allow_unsupported;
} ll_profile;

/* False when the command line, the file of --config or the configuration of the current directory was refused, which
 * was said on stderr. ll_config_close() is needed in both cases. The options outlive the configuration. The functions
 * that take an ll_config belong to one thread at a time; those that take a scope alone only read, and may run in any
 * thread. */
bool ll_config_open(const ll_options *options, ll_config **out);
void ll_config_close(ll_config *config);

/* What holds in the current directory, overrides aside: for reports that no file's configuration reaches, and for what
 * knows no file. */
const ll_profile *ll_config_base(const ll_config *config);

/* Configurations that were found, not given, and keep something out of the reports of the files so far, in the order in
 * which they were found. False behind the last. */
bool ll_config_found_at(const ll_config *config, size_t index, ll_found_config *out);

/* The page that describes the rules, as the configuration of the current directory says; NULL: it does not. */
const char *ll_config_docs_url(const ll_config *config);

/* What holds in a directory ("." for the current one), which need not be there. Found once per directory. NULL when a
 * configuration file was refused, which was said. */
const ll_scope *ll_config_scope(ll_config *config, const char *directory);
/* The same for the directory of a file, given as ll_file.path: "a/b.grxla", "b.grxla", "/x/b.grxla". */
const ll_scope *ll_config_scope_of(ll_config *config, const char *path);
/* The same for a directory in that of `above` whose listing shows no file of the tool's own, so that none is looked
 * for. The scope lives in the arena, and as long as `above` does: a walk over any number of such directories keeps
 * none. */
const ll_scope *ll_scope_below(const ll_scope *above, const char *directory, ll_arena *arena);
/* What a scope says of the files in it, for as long as the arena has it; it has no way up (ll_scope_above()). */
const ll_scope *ll_scope_copy(const ll_scope *scope, ll_arena *arena);

/* What holds for a file in that scope. NULL when its rules were refused, which was said. Every `path` in this header is
 * as ll_file.path, of something that lies in the directory of the scope, and every `name` what it is called there:
 * "b.grxla", or of a member of an archive "b.fpk!/Assets/a.grxla". */
const ll_profile *ll_config_profile(ll_config *config, const ll_scope *scope, const char *name);

/* True when the configuration of that scope, or --exclude, leaves a path out, or when --include does not take it in. A
 * directory that is left out need not be entered: all that it holds is left out. */
bool ll_scope_excludes(const ll_scope *scope, const char *path, bool is_directory);

/* True when a pattern that does not mean the archive leaves out a member of it. */
bool ll_scope_excludes_member(const ll_scope *scope, const char *archive, const char *name);

/* True when what Git ignores is left out of a search there. */
bool ll_scope_minds_git(const ll_scope *scope);
/* True when files there are checked against each other. */
bool ll_scope_crosses(const ll_scope *scope);

/* ------------------------------------------------------------------ the directories above */

/* The next directory up in which files such as .lightlint-ignore.yaml are looked for; NULL where the search ends (root:
 * true, the root of the file system, or --isolated, with which nothing is searched for at all). */
const ll_scope *ll_scope_above(const ll_scope *scope);
/* The directory as reports show it, and by which it can be opened: "." for the current one, "..", "a/b", "/x". */
const char *ll_scope_directory(const ll_scope *scope);

/* Lives as long as the configuration; shared with the directory above where there is no file of the tool's own. */
ll_scope_known *ll_scope_known_of(const ll_scope *scope);

enum { LL_CONFIG_PATH_MAX = 8192 };

/* The path of a file of `scope` as seen from the directory `from`: "a/b.grxla", "../a/b.grxla". It lies in `buffer`;
 * NULL when it is longer. */
const char *ll_scope_relative(const ll_scope *scope, const char *name, const ll_scope *from,
                              char buffer[LL_CONFIG_PATH_MAX]);

/* The path by which a file of that name in the directory can be opened. False when it is longer than any that can. */
bool ll_scope_file(const ll_scope *scope, const char *name, char buffer[LL_CONFIG_PATH_MAX]);

/* True when a path of n bytes is, or lies in, a directory that the command line names, and all that it may hold was
 * seen. Directories that --files-from names do not count: the list is not read a second time. */
bool ll_config_walks(ll_config *config, const char *path, size_t n);
/* That nobody knows what a directory holds, as it could not be listed: for ll_config_walks(). */
void ll_config_note_unlisted(ll_config *config, const char *directory);

/* ------------------------------------------------------------------ identity and baselines */

/* The name from which a file's fingerprints are made: its path as seen from the directory of the outermost
 * configuration file in force, else of the outermost suppression file, else of the baseline, else the path as it is.
 * Lies in `buffer`, or is `path`. A baseline that comes or goes must not change the fingerprints of who has a
 * configuration: suppressions, sweeps and code scanning go by them. */
const char *ll_scope_identity(const ll_scope *scope, const char *path, char buffer[LL_CONFIG_PATH_MAX]);
/* The name under which the baseline in force knows the file: its path as seen from the directory of the baseline, so
 * that it does not matter whether there is a configuration. NULL: there is none, or the path is too long. */
const char *ll_scope_baseline_identity(const ll_scope *scope, const char *path, char buffer[LL_CONFIG_PATH_MAX]);

/* The baseline in force there as a path that opens it: that of --baseline, else the one that the configuration names;
 * NULL: none. */
const char *ll_scope_baseline(const ll_scope *scope);

/* From now on `path` is the baseline for all files, as if --baseline had named it: for a command that chooses where a
 * new one goes. Call it before other threads ask for identities; `path` outlives the configuration. */
void ll_config_use_baseline(ll_config *config, const char *path);

#endif
