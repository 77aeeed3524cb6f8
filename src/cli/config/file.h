/* One configuration file, read and checked as far as that goes without its rules. */
#ifndef LL_CLI_CONFIG_FILE_H
#define LL_CLI_CONFIG_FILE_H

#include "base/glob.h"
#include "cli/config/keys.h"
#include "cli/output.h"
#include "cli/config/yaml_file.h"

enum { LL_OVERRIDES_MAX = 256 };

/* Values by key; NULL where the file does not state one. They have the kinds that their rows ask for, so that readers
 * need not look again. */
typedef struct ll_override {
    const ll_yaml *node;
    const ll_yaml *values[LL_KEY_COUNT];
} ll_override;

/* What a file that was found does to the run so far. */
typedef struct ll_config_effect {
    const struct ll_config_file *file;
    ll_found_config found;
} ll_config_effect;

typedef struct ll_config_file {
    const char *shown;     /* as messages show it; it opens the file as well */
    const char *directory; /* absolute: paths and patterns start here */
    const ll_yaml *values[LL_KEY_COUNT];
    ll_override *overrides;
    size_t override_count;
    ll_globs include, exclude; /* owned by the nodes of the patterns */
    ll_globs files;            /* of all overrides, which own them */
    bool root;
    const char *baseline;           /* as a path that opens it; NULL: none */
    const char *baseline_directory; /* absolute; for config.c to fill in */
    ll_config_effect *effect;       /* NULL: the command line names the file */
} ll_config_file;

/* Reads file->shown; the caller sets that and file->directory. Everything lies in the arena. What was refused was said
 * on stderr, a missing file was not. */
ll_read_result ll_config_file_read(ll_arena *arena, ll_os_buffer *buffer, ll_config_file *file);

/* The items of a list, or the one that stands for a list: `for (item = ll_first(node); item; item = ll_next(node,
 * item))`. */
static inline const ll_yaml *ll_config_first(const ll_yaml *node)
{
    return !node || node->kind == LL_YAML_SCALAR ? node : node->first;
}
static inline const ll_yaml *ll_config_next(const ll_yaml *node, const ll_yaml *item)
{
    return node->kind == LL_YAML_SCALAR ? NULL : item->next;
}

/* The index of a checked word. */
size_t ll_config_word(const ll_yaml *node, const char *const *names);

/* A path of the file as one that opens it from the current directory. */
const char *ll_config_resolve(ll_arena *arena, const ll_config_file *file, const char *path);

#endif
