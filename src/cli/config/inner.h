/* Internal interface between the files of cli/config. */
#ifndef LL_CLI_CONFIG_INNER_H
#define LL_CLI_CONFIG_INNER_H

#include "base/array.h"
#include "base/map.h"
#include "cli/config/config.h"
#include "cli/config/rules.h"

enum { LL_MATCH_WORDS = LL_OVERRIDES_MAX / 64 };

/* Which entries of `overrides` apply, a bit each. */
typedef struct ll_matching {
    uint64_t bits[LL_MATCH_WORDS];
} ll_matching;

static inline bool ll_matches(const ll_matching *matching, size_t index)
{
    return matching->bits[index / 64] >> (index % 64) & 1;
}

typedef struct ll_known_profile {
    ll_profile profile; /* rules NULL: refused */
    bool used;          /* a file has this profile */
    ll_matching matching;
    struct ll_known_profile *next;
} ll_known_profile;

/* The combined settings of all configuration files for a directory; shared by all directories with the same files. */
typedef struct ll_settings {
    const ll_config_file *source[LL_KEY_COUNT]; /* the file that decides a key; NULL: not stated */
    const ll_config_file *outermost;            /* NULL: no configuration file */
    ll_known_profile *profiles;
} ll_settings;

/* Why a path is excluded. */
typedef struct ll_reason {
    const char *pattern;        /* the pattern that matches; NULL: no pattern of `include` matches */
    const ll_config_file *file; /* file with the pattern; NULL: the command line */
    const ll_yaml *node;
    const char *directory; /* the excluded parent directory; NULL: the path itself */
} ll_reason;

struct ll_scope {
    ll_config *config;
    const ll_scope *above;
    ll_scope *pending;     /* while scopes are added: the next one further down */
    const char *path;      /* absolute, as in path.h */
    const char *shown;     /* path that can be opened */
    ll_config_file *file;  /* its configuration file; NULL: none */
    ll_settings *settings; /* NULL: refused */
    const char *marked;    /* if there is no configuration: the outermost directory with suppressions; NULL: none */
    ll_scope_known *known;
    bool refused, left_out;
    ll_reason reason; /* if left_out */
};

/* A name of a directory; it has several if it is reached in several ways. */
typedef struct ll_scope_name {
    const char *name;
    size_t length;
    const ll_scope *scope;
} ll_scope_name;

struct ll_config {
    const ll_options *options;
    ll_arena arena; /* for everything but rule sets and arrays */
    ll_os_buffer buffer;
    ll_rule_sets sets;
    const char *here;          /* the current directory */
    ll_globs include, exclude; /* of --include and --exclude */
    ll_settings *fixed;        /* settings for all paths, with --config or --isolated */
    const char *end;           /* directory where the search ends because the file of --config says root: true; NULL:
                                * none */
    const char *baseline, *baseline_directory; /* from the command line; NULL: none */
    const ll_profile *base;
    const char *docs_url; /* NULL: none */
    LL_ARRAY(ll_scope_name) names;
    ll_map name_map;
    LL_ARRAY(ll_config_effect *) effects;
    LL_ARRAY(const char *) roots;    /* directories named on the command line; absolute */
    LL_ARRAY(const char *) unlisted; /* directories that could not be listed; absolute */
    bool roots_known;
};

/* Like ll_scope_excludes(), and returns the reason. */
bool ll_scope_reason(const ll_scope *scope, const char *path, bool is_directory, ll_reason *out);
/* The overrides that apply to a file. */
ll_matching ll_scope_matching(const ll_scope *scope, const char *name);

#endif
