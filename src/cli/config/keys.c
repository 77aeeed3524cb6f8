/* Defines the tables of keys.h. */
#include "cli/config/keys.h"

const ll_key_row ll_key_rows[LL_KEY_COUNT] = {
#define LL_KEY_ROW(id, name, type, where, never_empty, initial, meaning, example)                                      \
    [LL_KEY_##id] = {name, LL_TYPE_##type, LL_KEY_##where, never_empty, initial, meaning, example},
#include "cli/config/keys.def"
#undef LL_KEY_ROW
};

const char *const ll_level_names[] = {"off", "note", "warning", "error", NULL};
const char *const ll_fail_level_names[] = {"never", "note", "warning", "error", NULL};

const char *const ll_unsupported_names[] = {"refuse", "allow", NULL};

void ll_game_names(const char *names[LL_GAME_NAMES_MAX])
{
    size_t n = 0;
    names[n++] = "auto";
    for (const char *name; n < LL_GAME_NAMES_MAX - 1 && (name = ll_variant(n - 1, NULL)) != NULL;) {
        names[n++] = name;
    }
    names[n] = NULL;
}

const char *const *ll_key_words(const ll_key_row *row, const char *games[LL_GAME_NAMES_MAX])
{
    ll_game_names(games);
    return row->type == LL_TYPE_LEVELS        ? ll_level_names
           : row->type == LL_TYPE_FAIL_LEVEL  ? ll_fail_level_names
           : row->type == LL_TYPE_UNSUPPORTED ? ll_unsupported_names
           : row->type == LL_TYPE_GAME        ? games
                                              : NULL;
}
