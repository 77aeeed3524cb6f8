/* Settings that apply to each file: from the command line, the configuration files of its directory and those above,
 * and their overrides. Everything is determined once and cached; files with equal settings share one sealed rule
 * set. */
#ifndef LL_CLI_CONFIG_H
#define LL_CLI_CONFIG_H

#include "base/arena.h"
#include "cli/options.h"

typedef struct ll_config ll_config;

/* Settings of one directory. Every directory that contains configuration, suppressions or a baseline has its own scope,
 * shared by all its names. A scope lives as long as its ll_config, except those of ll_scope_below() and
 * ll_scope_copy(). */
typedef struct ll_scope ll_scope;

/* Suppressions and baseline of one directory; suppress/ and check.c fill it in. */
typedef struct ll_scope_known {
    bool has_suppressions;                  /* suppressions were searched */
    struct ll_suppress_level *suppressions; /* NULL: none */
    bool complete;                          /* the baseline was searched, too */
    struct ll_baseline_file *baseline;      /* NULL: none */
} ll_scope_known;

/* Settings of one file. Immutable, may be read by any thread, lives as long as its ll_config. */
typedef struct ll_profile {
    const ll_ruleset *rules; /* sealed */
    const char *game;        /* a name of ll_variant(); NULL: detect by content */
    ll_severity fail_level;
    bool allow_unsupported;
} ll_profile;

/* False if the command line, the file of --config or the configuration of the current directory is refused, which is
 * reported on stderr. Call ll_config_close() in both cases. The options must outlive the configuration. Functions that
 * take an ll_config may be used by one thread at a time; those that take only a scope do not change anything and may be
 * called from any thread. */
bool ll_config_open(const ll_options *options, ll_config **out);
void ll_config_close(ll_config *config);

/* Settings of the current directory without overrides: for reports outside the reach of any file's configuration, and
 * for commands without files. */
const ll_profile *ll_config_base(const ll_config *config);

/* A configuration file that was found, not named by --config, and that makes reports shorter or less strict. `index`
 * counts from 0, in the order in which they were found. False: there are no more. */
bool ll_config_found_at(const ll_config *config, size_t index, ll_found_config *out);

/* Web page that describes the rules, from the configuration of the current directory; NULL: not set. */
const char *ll_config_docs_url(const ll_config *config);

/* Scope of a directory ("." for the current one), which need not exist. Cached. NULL if a configuration file is
 * refused, which is reported. */
const ll_scope *ll_config_scope(ll_config *config, const char *directory);
/* Scope of a file's directory; `path` as in ll_file.path: "a/b.grxla", "b.grxla", "/x/b.grxla". */
const ll_scope *ll_config_scope_of(ll_config *config, const char *path);
/* Scope of a directory directly inside that of `above`, if its listing shows no file of lightlint's own, so that none
 * is looked for. It is allocated in the arena and must not outlive `above`; walking many such directories keeps
 * nothing. */
const ll_scope *ll_scope_below(const ll_scope *above, const char *directory, ll_arena *arena);
/* Copy of a scope in the arena, valid as long as that. ll_scope_above() returns NULL for it. */
const ll_scope *ll_scope_copy(const ll_scope *scope, ll_arena *arena);

/* Settings of a file in the scope's directory. NULL if its rules are refused, which is reported. In this header, `path`
 * is like ll_file.path and means something in the directory of the scope; `name` is the name in that directory:
 * "b.grxla", or "b.fpk!/Assets/a.grxla" for a member of an archive. */
const ll_profile *ll_config_profile(ll_config *config, const ll_scope *scope, const char *name);

/* True if a path is excluded by the configuration or --exclude, or not matched by --include. An excluded directory need
 * not be entered: everything in it is excluded. */
bool ll_scope_excludes(const ll_scope *scope, const char *path, bool is_directory);

/* True if an exclude pattern matches a member of an archive, but not the archive itself. */
bool ll_scope_excludes_member(const ll_scope *scope, const char *archive, const char *name);

/* True if files that Git ignores are left out of a search there. */
bool ll_scope_minds_git(const ll_scope *scope);
/* True if files there are checked against each other. */
bool ll_scope_crosses(const ll_scope *scope);

/* ------------------------------------------------------------------ the directories above */

/* The parent directory for the search of files such as .lightlint-ignore.yaml. NULL where the search ends: at root:
 * true, the root of the file system, or with --isolated, which searches nothing. */
const ll_scope *ll_scope_above(const ll_scope *scope);
/* The directory as reports show it; it can be opened by this path: ".", "..", "a/b", "/x". */
const char *ll_scope_directory(const ll_scope *scope);

/* Lives as long as the configuration. A directory without files of lightlint's own shares it with its parent. */
ll_scope_known *ll_scope_known_of(const ll_scope *scope);

enum { LL_CONFIG_PATH_MAX = 8192 };

/* Path of a file in `scope`, relative to the directory of `from`: "a/b.grxla", "../a/b.grxla". It is in `buffer`; NULL
 * if it does not fit. */
const char *ll_scope_relative(const ll_scope *scope, const char *name, const ll_scope *from,
                              char buffer[LL_CONFIG_PATH_MAX]);

/* Writes the path of the file `name` in the directory to `buffer`. False if the path is too long. */
bool ll_scope_file(const ll_scope *scope, const char *name, char buffer[LL_CONFIG_PATH_MAX]);

/* True if a path of n bytes is in a directory named on the command line (or is one), and all of the path's contents
 * were listed. Directories from --files-from do not count, as that list is read only once. */
bool ll_config_walks(ll_config *config, const char *path, size_t n);
/* Records for ll_config_walks() that a directory could not be listed. */
void ll_config_note_unlisted(ll_config *config, const char *directory);

/* ------------------------------------------------------------------ identity and baselines */

/* The name of a file for fingerprints: its path relative to the directory of the outermost configuration file in force,
 * else of the outermost suppression file, else of the baseline; else the path itself. The result is in `buffer` or is
 * `path`. With a configuration, adding or removing a baseline does not change it: suppressions, sweeps and code
 * scanning rely on fingerprints. */
const char *ll_scope_identity(const ll_scope *scope, const char *path, char buffer[LL_CONFIG_PATH_MAX]);
/* The name of a file in the baseline in force: its path relative to the directory of the baseline, whatever the
 * configuration. NULL if there is no baseline or the path is too long. */
const char *ll_scope_baseline_identity(const ll_scope *scope, const char *path, char buffer[LL_CONFIG_PATH_MAX]);

/* Path of the baseline in force, ready to be opened: that of --baseline, else the configured one; NULL: none. */
const char *ll_scope_baseline(const ll_scope *scope);

/* From now on uses `path` as the baseline for all files, like --baseline: for commands that choose where to write a new
 * one. Call it before other threads ask for identities. `path` must outlive the configuration. */
void ll_config_use_baseline(ll_config *config, const char *path);

#endif
