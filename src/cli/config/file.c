/* Converts a YAML tree to values of keys. The rows of keys.def decide what is a key and which kind of value it takes.
 * Does not check that rules, packs or baselines exist. The tree is within the limits of base/yaml.h. */
#include "cli/config/file.h"

#include "base/path.h"
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ words */

static bool wrong_kind(const ll_config_file *file, const char *key, const ll_yaml *node, const char *expected)
{
    return ll_refuse_at(file->shown, node, "%s: expected %s, not %s", key, expected, ll_kind_found(node));
}

size_t ll_config_word(const ll_yaml *node, const char *const *names)
{
    size_t i = 0;
    while (names[i] && strcmp(names[i], node->text) != 0) {
        i++;
    }
    return i;
}

static bool check_word(const ll_config_file *file, const char *key, const ll_yaml *node, const char *const *names)
{
    char list[LL_NAME_LIST_MAX];
    char text[LL_UNKNOWN_MAX];
    if (node->kind != LL_YAML_SCALAR || node->length == 0) {
        return ll_refuse_at(file->shown, node, "%s: expected one of %s, not %s", key, ll_list_names(names, list),
                            ll_kind_found(node));
    }
    return names[ll_config_word(node, names)] ||
           ll_refuse_at(file->shown, node, "%s: %s", key, ll_unknown_name("no such value:", node->text, names, text));
}

/* ------------------------------------------------------------------ values */

static bool check_glob(const ll_config_file *file, const char *key, const ll_yaml *item)
{
    const char *why = NULL;
    if (ll_glob_valid(item->text, &why)) {
        return true;
    }
    return ll_refuse_at(file->shown, item, "%s: bad pattern '%s': %s", key, item->text, why);
}

/* Checks a list of texts, or a single text. */
static bool check_texts(const ll_config_file *file, const ll_key_row *row, const ll_yaml *node)
{
    const char *item_kind = row->type == LL_TYPE_SELECTORS ? "a rule"
                            : row->type == LL_TYPE_GLOBS   ? "a pattern"
                                                           : "the path of a file";
    if (node->kind == LL_YAML_MAP || (node->kind == LL_YAML_SCALAR && node->length == 0)) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "%s or a list", item_kind);
        return wrong_kind(file, row->name, node, expected);
    }
    if (row->never_empty && node->kind == LL_YAML_LIST && node->length == 0) {
        return ll_refuse_at(file->shown, node, "%s: the list is empty, so %s; %s", row->name,
                            row->type == LL_TYPE_SELECTORS ? "it selects no rule" : "it matches no file",
                            row->type == LL_TYPE_SELECTORS ? "for all rules write [all]" : "expected a pattern");
    }
    for (const ll_yaml *item = ll_config_first(node); item; item = ll_config_next(node, item)) {
        if (item->kind != LL_YAML_SCALAR || item->length == 0) {
            return wrong_kind(file, row->name, item, item_kind);
        }
        if (row->type == LL_TYPE_GLOBS && !check_glob(file, row->name, item)) {
            return false;
        }
    }
    return true;
}

static bool check_levels(const ll_config_file *file, const ll_key_row *row, const ll_yaml *node)
{
    if (node->kind != LL_YAML_MAP) {
        return wrong_kind(file, row->name, node, "a map as in '{name-hash: error}'");
    }
    for (const ll_yaml *level = node->first; level; level = level->next) {
        if (level->key->length == 0) {
            return ll_refuse_at(file->shown, level->key, "%s: expected a rule before the ':'", row->name);
        }
        if (!check_word(file, row->name, level, ll_level_names)) {
            return false;
        }
    }
    return true;
}

/* Checks that an address is ASCII without spaces, quotes and other characters that URLs must not contain: it is written
 * to JSON and terminals unchanged. */
static bool check_url(const ll_config_file *file, const ll_key_row *row, const ll_yaml *node)
{
    static const char odd[] = "\"\\<>^`{|} ";
    static const char expected[] = "an address that begins with https:// or http://, or \"\" for none";
    if (node->kind != LL_YAML_SCALAR || (!node->length && node->plain)) {
        return wrong_kind(file, row->name, node, expected);
    }
    size_t scheme = strncmp(node->text, "https://", 8) == 0 ? 8 : strncmp(node->text, "http://", 7) == 0 ? 7 : 0;
    if (node->length && (!scheme || node->length == scheme)) {
        return ll_refuse_at(file->shown, node, "%s: expected %s, not '%s'", row->name, expected, node->text);
    }
    for (size_t i = 0; i < node->length; i++) {
        unsigned char c = (unsigned char)node->text[i];
        char shown[] = {'\'', (char)c, '\'', '\0'};
        if (c <= 0x20 || c >= 0x7F || strchr(odd, c)) {
            return ll_refuse_at(file->shown, node,
                                "%s: an address cannot contain %s; expected the address of one page, to which the "
                                "section of a rule is added, as in #grx265-name-hash",
                                row->name, c > 0x20 && c < 0x7F ? shown : "spaces or bytes that are not ASCII");
        }
    }
    return true;
}

static bool check_value(const ll_config_file *file, const ll_key_row *row, const ll_yaml *node)
{
    const char *games[LL_GAME_NAMES_MAX];
    bool flag = false;
    switch (row->type) {
    case LL_TYPE_SWITCH:
        return ll_yaml_bool(node, &flag) ||
               ll_refuse_at(file->shown, node, "%s: expected true or false, not %s%s%s", row->name, ll_kind_found(node),
                            node->length && node->kind == LL_YAML_SCALAR ? " that says " : "", node->text);
    case LL_TYPE_SELECTORS:
    case LL_TYPE_PATHS:
    case LL_TYPE_GLOBS:
        return check_texts(file, row, node);
    case LL_TYPE_LEVELS:
        return check_levels(file, row, node);
    case LL_TYPE_PATH:
        return (node->kind == LL_YAML_SCALAR && (node->length || !node->plain)) ||
               wrong_kind(file, row->name, node, "the path of a file, or \"\" for none");
    case LL_TYPE_URL:
        return check_url(file, row, node);
    case LL_TYPE_FAIL_LEVEL:
    case LL_TYPE_UNSUPPORTED:
    case LL_TYPE_GAME:
        return check_word(file, row->name, node, ll_key_words(row, games));
    case LL_TYPE_OVERRIDES:
        return node->kind == LL_YAML_LIST ||
               wrong_kind(file, row->name, node, "a list of maps, each with 'files' and their settings");
    }
    return true;
}

/* ------------------------------------------------------------------ keys */

static bool unknown_key(const ll_config_file *file, const ll_yaml *key, unsigned where)
{
    const char *names[LL_KEY_COUNT + 1];
    size_t n = 0;
    for (size_t i = 0; i < LL_KEY_COUNT; i++) {
        if (ll_key_rows[i].where & where) {
            names[n++] = ll_key_rows[i].name;
        } else if (strcmp(ll_key_rows[i].name, key->text) == 0) {
            return ll_refuse_at(file->shown, key,
                                where == LL_KEY_AT_TOP
                                    ? "the key '%s' is only for an entry of 'overrides'"
                                    : "the key '%s' cannot be used in an override: it applies to whole directories",
                                key->text);
        }
    }
    names[n] = NULL;
    return ll_refuse_key(file->shown, key, names);
}

static bool read_map(const ll_config_file *file, const ll_yaml *map, unsigned where, const ll_yaml **values)
{
    for (const ll_yaml *value = map->first; value; value = value->next) {
        size_t i = 0;
        while (i < LL_KEY_COUNT &&
               !((ll_key_rows[i].where & where) && strcmp(ll_key_rows[i].name, value->key->text) == 0)) {
            i++;
        }
        if (i == LL_KEY_COUNT) {
            return unknown_key(file, value->key, where);
        }
        if (!check_value(file, &ll_key_rows[i], value)) {
            return false;
        }
        values[i] = value;
    }
    return true;
}

/* Adds the patterns of a list to a set. `owner` NULL: each pattern is owned by its node. */
static void add_patterns(ll_arena *arena, const ll_yaml *list, const void *owner, ll_globs *out)
{
    ll_allocator allocator = ll_arena_allocator(arena);
    for (const ll_yaml *item = ll_config_first(list); item; item = ll_config_next(list, item)) {
        (void)ll_globs_add(out, item->text, owner ? owner : item, &allocator);
    }
}

static bool read_overrides(ll_arena *arena, ll_config_file *file)
{
    const ll_yaml *list = file->values[LL_KEY_OVERRIDES];
    size_t count = list ? list->length : 0;
    if (count > LL_OVERRIDES_MAX) {
        return ll_refuse_at(file->shown, list,
                            "overrides: more than %d entries; move some to a " LL_CONFIG_NAME
                            " in the directories that they are for",
                            (int)LL_OVERRIDES_MAX);
    }
    file->overrides = ll_arena_zalloc(arena, count + 1, sizeof *file->overrides);
    for (const ll_yaml *entry = list ? list->first : NULL; entry; entry = entry->next) {
        ll_override *override = &file->overrides[file->override_count++];
        override->node = entry;
        if (entry->kind != LL_YAML_MAP) {
            return wrong_kind(file, "overrides", entry, "a map with 'files' and their settings");
        }
        if (!read_map(file, entry, LL_KEY_IN_OVERRIDE, override->values)) {
            return false;
        }
        if (!override->values[LL_KEY_FILES]) {
            return ll_refuse_at(file->shown, entry,
                                "overrides: expected the key 'files': the files that the entry applies to");
        }
        if (entry->length < 2) {
            return ll_refuse_at(file->shown, entry, "overrides: expected a key besides 'files': a setting for them");
        }
        add_patterns(arena, override->values[LL_KEY_FILES], override, &file->files);
    }
    return true;
}

const char *ll_config_resolve(ll_arena *arena, const ll_config_file *file, const char *path)
{
    const char *slash = ll_path_is_absolute(path) ? NULL : strrchr(file->shown, '/');
    return ll_format(arena, "%.*s%s", slash ? (int)(slash - file->shown) + 1 : 0, file->shown, path);
}

static bool read_root(ll_arena *arena, ll_config_file *file, const ll_yaml *root)
{
    if (!root) {
        return true; /* only comments: the file states nothing */
    }
    if (root->kind != LL_YAML_MAP) {
        return ll_refuse_at(file->shown, root, "expected a map of keys, as in 'fail-on: error', not %s",
                            ll_kind_found(root));
    }
    if (!read_map(file, root, LL_KEY_AT_TOP, file->values) || !read_overrides(arena, file)) {
        return false;
    }
    add_patterns(arena, file->values[LL_KEY_INCLUDE], NULL, &file->include);
    add_patterns(arena, file->values[LL_KEY_EXCLUDE], NULL, &file->exclude);
    if (file->values[LL_KEY_ROOT]) {
        (void)ll_yaml_bool(file->values[LL_KEY_ROOT], &file->root);
    }
    const ll_yaml *baseline = file->values[LL_KEY_BASELINE];
    if (baseline && baseline->length) {
        file->baseline = ll_config_resolve(arena, file, baseline->text);
    }
    return true;
}

ll_read_result ll_config_file_read(ll_arena *arena, ll_os_buffer *buffer, ll_config_file *file)
{
    const ll_yaml *root = NULL;
    ll_read_result result =
        ll_yaml_file_read(arena, buffer, file->shown, "; --isolated ignores all configuration", &root);
    return result == LL_READ_DONE && !read_root(arena, file, root) ? LL_READ_REFUSED : result;
}
