/* Reads one configuration file and checks all that can be checked without its rules. */
#ifndef LL_CLI_CONFIG_FILE_H
#define LL_CLI_CONFIG_FILE_H

#include "base/glob.h"
#include "cli/config/keys.h"
#include "cli/output.h"
#include "cli/config/yaml_file.h"

enum { LL_OVERRIDES_MAX = 4096 };

/* Values by key; NULL: not stated. Their kinds have been checked against the rows of the keys. */
typedef struct ll_override {
    const ll_yaml *node;
    const ll_yaml *values[LL_KEY_COUNT];
} ll_override;

/* What a configuration file that was found keeps out of reports, so far. */
typedef struct ll_config_effect {
    const struct ll_config_file *file;
    ll_found_config found;
} ll_config_effect;

typedef struct ll_config_file {
    const char *shown;     /* as messages show it; it can be opened by this path */
    const char *directory; /* absolute; base of paths and patterns */
    const ll_yaml *values[LL_KEY_COUNT];
    ll_override *overrides;
    size_t override_count;
    ll_globs include, exclude; /* owner of an item: the node of its pattern */
    ll_globs files;            /* of all overrides; owner of an item: its ll_override */
    bool root;
    const char *baseline;           /* path that can be opened; NULL: none */
    const char *baseline_directory; /* absolute; config.c fills it in */
    ll_config_effect *effect;       /* NULL: the file was named by --config */
} ll_config_file;

/* Reads the file at file->shown; the caller sets that and file->directory. Everything is allocated in the arena.
 * Refusals are reported on stderr, a missing file is not. */
ll_read_result ll_config_file_read(ll_arena *arena, ll_os_buffer *buffer, ll_config_file *file);

/* Iterate over the items of a list, or over a scalar as its only item: `for (item = ll_config_first(node); item; item =
 * ll_config_next(node, item))`. */
static inline const ll_yaml *ll_config_first(const ll_yaml *node)
{
    return !node || node->kind == LL_YAML_SCALAR ? node : node->first;
}
static inline const ll_yaml *ll_config_next(const ll_yaml *node, const ll_yaml *item)
{
    return node->kind == LL_YAML_SCALAR ? NULL : item->next;
}

/* Index of a word in `names`; must have been checked. */
size_t ll_config_word(const ll_yaml *node, const char *const *names);

/* Path in a configuration file, converted to one that can be opened from the current directory. */
const char *ll_config_resolve(ll_arena *arena, const ll_config_file *file, const char *path);

#endif
