/* What the files of cli/config share. */
#ifndef LL_CLI_CONFIG_INNER_H
#define LL_CLI_CONFIG_INNER_H

#include "base/array.h"
#include "base/map.h"
#include "cli/config/config.h"
#include "cli/config/rules.h"

enum { LL_MATCH_WORDS = LL_OVERRIDES_MAX / 64 };

/* Which entries of `overrides` hold, a bit each. */
typedef struct ll_matching {
    uint64_t bits[LL_MATCH_WORDS];
} ll_matching;

static inline bool ll_matches(const ll_matching *matching, size_t index)
{
    return matching->bits[index / 64] >> (index % 64) & 1;
}

typedef struct ll_known_profile {
    ll_profile profile; /* rules NULL: refused */
    bool used;          /* for some file */
    ll_matching matching;
    struct ll_known_profile *next;
} ll_known_profile;

/* What the files of a cascade say together; shared by all directories for which the same files count. */
typedef struct ll_settings {
    const ll_config_file *source[LL_KEY_COUNT]; /* the file that decides a key; NULL: none states it */
    const ll_config_file *outermost;            /* NULL: no file at all */
    ll_known_profile *profiles;
} ll_settings;

/* Why something is left out. */
typedef struct ll_reason {
    const char *pattern;        /* the one that matches; NULL: no pattern of `include` does */
    const ll_config_file *file; /* where it stands; NULL: on the command line */
    const ll_yaml *node;
    const char *directory; /* what it matches is this directory above; NULL: the path itself */
} ll_reason;

struct ll_scope {
    ll_config *config;
    const ll_scope *above;
    ll_scope *pending;     /* while a chain is made: the next one further down */
    const char *path;      /* absolute, as path.h has it */
    const char *shown;     /* opens it */
    ll_config_file *file;  /* the one that lies here; NULL: none */
    ll_settings *settings; /* NULL: refused */
    const char *marked;    /* without configuration: the outermost directory with suppressions; NULL: none */
    ll_scope_known *known;
    bool refused, left_out;
    ll_reason reason; /* if it is left out */
};

/* What a directory is called; one has several names when it is reached in several ways. */
typedef struct ll_scope_name {
    const char *name;
    size_t length;
    const ll_scope *scope;
} ll_scope_name;

struct ll_config {
    const ll_options *options;
    ll_arena arena; /* everything but rule sets and the table */
    ll_os_buffer buffer;
    ll_rule_sets sets;
    const char *here;          /* the current directory */
    ll_globs include, exclude; /* of the command line */
    ll_settings *fixed;        /* with --config or --isolated: what holds everywhere */
    const char *end;           /* the directory at which the search ends because --config says root: true; NULL: none */
    const char *baseline, *baseline_directory; /* of the command line; NULL: none */
    const ll_profile *base;
    const char *docs_url; /* NULL: none */
    LL_ARRAY(ll_scope_name) names;
    ll_map name_map;
    LL_ARRAY(ll_config_effect *) effects;
    LL_ARRAY(const char *) roots;    /* directories that the command line names; absolute */
    LL_ARRAY(const char *) unlisted; /* those of which nobody knows what they hold; absolute */
    bool roots_known;
};

/* As ll_scope_excludes(), with the reason. */
bool ll_scope_reason(const ll_scope *scope, const char *path, bool is_directory, ll_reason *out);
/* Which overrides hold for a file. */
ll_matching ll_scope_matching(const ll_scope *scope, const char *name);

#endif
