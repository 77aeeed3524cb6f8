/* The keys of a configuration file, as data. The reader of .lightlint.yaml, `config init`, `config schema`, `config
 * show` and the manual use these rows. */
#ifndef LL_CLI_CONFIG_KEYS_H
#define LL_CLI_CONFIG_KEYS_H

#include <lightlint/lightlint.h>

#define LL_CONFIG_NAME ".lightlint.yaml"

typedef enum ll_key {
#define LL_KEY_ROW(id, ...) LL_KEY_##id,
#include "cli/config/keys.def"
#undef LL_KEY_ROW
    LL_KEY_COUNT
} ll_key;

typedef enum ll_key_type {
    LL_TYPE_SWITCH,    /* true or false */
    LL_TYPE_SELECTORS, /* selectors of rules: a list, or a single one */
    LL_TYPE_LEVELS,    /* a map from selectors to levels */
    LL_TYPE_PATHS,     /* paths of files: a list, or a single one */
    LL_TYPE_GLOBS,     /* patterns for paths: a list, or a single one */
    LL_TYPE_PATH,
    LL_TYPE_URL,
    LL_TYPE_FAIL_LEVEL,
    LL_TYPE_UNSUPPORTED,
    LL_TYPE_GAME,
    LL_TYPE_OVERRIDES
} ll_key_type;

enum { LL_KEY_AT_TOP = 1, LL_KEY_IN_OVERRIDE = 2, LL_KEY_ANYWHERE = LL_KEY_AT_TOP | LL_KEY_IN_OVERRIDE };

typedef struct ll_key_row {
    const char *name;
    ll_key_type type;
    unsigned where;      /* LL_KEY_AT_TOP, LL_KEY_IN_OVERRIDE */
    bool never_empty;    /* a list must not be empty */
    const char *initial; /* the default, as YAML */
    const char *meaning; /* sentences; literal words in `backquotes` */
    const char *example; /* lines of YAML that may stand in a file as they are */
} ll_key_row;

extern const ll_key_row ll_key_rows[LL_KEY_COUNT];

extern const char *const ll_level_names[];      /* severities of rules, in the order of ll_severity; NULL-terminated */
extern const char *const ll_fail_level_names[]; /* values of fail-on, in the same order */

extern const char *const ll_unsupported_names[]; /* values of unsupported */

/* The names of the games, "auto" first; NULL-terminated. */
enum { LL_GAME_NAMES_MAX = 18 };
void ll_game_names(const char *names[LL_GAME_NAMES_MAX]);

/* The words allowed as the value of a key or, for LL_TYPE_LEVELS, of the entries of its map; NULL: not a list of words.
 * `games` provides storage. */
const char *const *ll_key_words(const ll_key_row *row, const char *games[LL_GAME_NAMES_MAX]);

#endif
