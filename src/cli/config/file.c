/* Converts a YAML tree to values of keys. The rows of keys.def decide what is a key and which kind of value it takes.
 * Does not check that rules, packs or baselines exist. The tree is within the limits of base/yaml.h. */
#include "cli/config/file.h"

#include "base/bind.h"
#include "base/path.h"
#include "cli/options.h"

#include <string.h>

size_t ll_config_word(const ll_yaml *node, const char *const *names)
{
    size_t i = 0;
    while (names[i] && strcmp(names[i], node->text) != 0) {
        i++;
    }
    return i;
}

/* ------------------------------------------------------------------ values, one reader a type */

/* A reader checks a value and keeps its node. */
static ll_status keep(ll_status status, const ll_yaml *node, void *out)
{
    *(const ll_yaml **)out = node;
    return status;
}

static const ll_key_row *row_of(const ll_yaml *node)
{
    ll_names names = LL_NAMES(ll_key_rows, LL_KEY_COUNT, name);
    return &ll_key_rows[ll_names_find(&names, node->key->text)];
}

static ll_status read_SWITCH(const ll_binder *b, const ll_yaml *node, void *out)
{
    bool flag = false;
    return keep(ll_bind_bool(b, node, &flag), node, out);
}

/* Checks a list of texts, or a single text. */
static ll_status check_texts(const ll_binder *b, const ll_yaml *node, const char *item_kind, const char *either)
{
    const ll_key_row *row = row_of(node);
    ll_status status = LL_OK;
    if (node->kind == LL_YAML_MAP || (node->kind == LL_YAML_SCALAR && node->length == 0)) {
        return ll_bind_expect(b, row->name, node, either);
    }
    if (row->never_empty && node->kind == LL_YAML_LIST && node->length == 0) {
        return LL_BIND_REFUSE(b, node, row->name, ": the list is empty, so ",
                              row->type == LL_TYPE_SELECTORS ? "it selects no rule; for all rules write [all]"
                                                             : "it matches no file; expected a pattern");
    }
    for (const ll_yaml *item = ll_config_first(node); item && status == LL_OK; item = ll_config_next(node, item)) {
        const char *why = NULL;
        if (item->kind != LL_YAML_SCALAR || item->length == 0) {
            status = ll_bind_expect(b, row->name, item, item_kind);
        } else if (row->type == LL_TYPE_GLOBS && !ll_glob_valid(item->text, &why)) {
            status = LL_BIND_REFUSE(b, item, row->name, ": bad pattern '", item->text, "': ", why);
        }
    }
    return status;
}

static ll_status read_SELECTORS(const ll_binder *b, const ll_yaml *node, void *out)
{
    return keep(check_texts(b, node, "a rule", "a rule or a list"), node, out);
}

static ll_status read_GLOBS(const ll_binder *b, const ll_yaml *node, void *out)
{
    return keep(check_texts(b, node, "a pattern", "a pattern or a list"), node, out);
}

static ll_status read_PATHS(const ll_binder *b, const ll_yaml *node, void *out)
{
    return keep(check_texts(b, node, "the path of a file", "the path of a file or a list"), node, out);
}

static ll_status read_LEVELS(const ll_binder *b, const ll_yaml *node, void *out)
{
    ll_status status =
        node->kind == LL_YAML_MAP ? LL_OK : ll_bind_expect(b, NULL, node, "a map as in '{name-hash: error}'");
    for (const ll_yaml *level = node->first; level && status == LL_OK; level = level->next) {
        size_t number = 0;
        status = level->key->length ? ll_bind_choice(b, node->key->text, level, ll_level_names, &number)
                                    : ll_bind_expect(b, node->key->text, level->key, "a rule before the ':'");
    }
    return keep(status, node, out);
}

static ll_status read_PATH(const ll_binder *b, const ll_yaml *node, void *out)
{
    bool fine = node->kind == LL_YAML_SCALAR && (node->length || !node->plain);
    return keep(fine ? LL_OK : ll_bind_expect(b, NULL, node, "the path of a file, or \"\" for none"), node, out);
}

/* Checks that an address is ASCII without spaces, quotes and other characters that URLs must not contain: it is written
 * to JSON and terminals unchanged. */
static ll_status read_URL(const ll_binder *b, const ll_yaml *node, void *out)
{
    static const char odd[] = "\"\\<>^`{|} ";
    size_t scheme = strncmp(node->text, "https://", 8) == 0 ? 8 : strncmp(node->text, "http://", 7) == 0 ? 7 : 0;
    bool none = node->kind == LL_YAML_SCALAR && !node->plain && !node->length;
    if (!none && (!scheme || node->length == scheme)) {
        return ll_bind_expect(b, NULL, node, "an address that begins with https:// or http://, or \"\" for none");
    }
    for (size_t i = 0; i < node->length; i++) {
        unsigned char c = (unsigned char)node->text[i];
        char shown[] = {'\'', (char)c, '\'', '\0'};
        if (c <= 0x20 || c >= 0x7F || strchr(odd, c)) {
            return LL_BIND_REFUSE(b, node, node->key->text, ": an address cannot contain ",
                                  c > 0x20 && c < 0x7F ? shown : "spaces or bytes that are not ASCII",
                                  "; expected the address of one page, to which the section of a rule is added, as in "
                                  "#grx265-name-hash");
        }
    }
    return keep(LL_OK, node, out);
}

static ll_status read_word(const ll_binder *b, const ll_yaml *node, void *out)
{
    const char *games[LL_GAME_NAMES_MAX];
    size_t number = 0;
    return keep(ll_bind_choice(b, NULL, node, ll_key_words(row_of(node), games), &number), node, out);
}

#define read_FAIL_LEVEL read_word
#define read_UNSUPPORTED read_word
#define read_GAME read_word

static ll_bind_fn read_OVERRIDES;

/* ------------------------------------------------------------------ keys */

static const ll_bind_key keys[LL_KEY_COUNT] = {
/* a key that is only for overrides says what they are for, so each must have it */
#define LL_KEY_ROW(id, name, type, where, ...)                                                                         \
    [LL_KEY_##id] = {name, read_##type, LL_KEY_##id * sizeof(const ll_yaml *), LL_KEY_##where,                         \
                     LL_KEY_##where == LL_KEY_IN_OVERRIDE ? LL_KEY_IN_OVERRIDE : 0},
#include "cli/config/keys.def"
#undef LL_KEY_ROW
};
static const char *const kinds[] = {"at the top of the file: it is only for an entry of 'overrides'",
                                    "in an override: it applies to whole directories"};
static const ll_bind_map top_map = {keys, LL_KEY_COUNT, "the file", "a map of keys, as in 'fail-on: error'", kinds};
static const ll_bind_map override_map = {keys, LL_KEY_COUNT, "the entry of 'overrides'",
                                         "a map with 'files' and their settings", kinds};

/* Adds the patterns of a list to a set. `owner` NULL: each pattern is owned by its node. */
static void add_patterns(ll_arena *arena, const ll_yaml *list, const void *owner, ll_globs *out)
{
    ll_allocator allocator = ll_arena_allocator(arena);
    for (const ll_yaml *item = ll_config_first(list); item; item = ll_config_next(list, item)) {
        (void)ll_globs_add(out, item->text, owner ? owner : item, &allocator);
    }
}

static ll_status read_OVERRIDES(const ll_binder *b, const ll_yaml *list, void *out)
{
    ll_config_file *file = b->owner;
    ll_status status = LL_OK;
    if (list->kind != LL_YAML_LIST) {
        return ll_bind_expect(b, NULL, list, "a list of maps, each with 'files' and their settings");
    }
    _Static_assert(LL_OVERRIDES_MAX == 4096, "the message says so");
    if (list->length > LL_OVERRIDES_MAX) {
        return LL_BIND_REFUSE(b, list,
                              "overrides: more than 4096 entries; move some to a " LL_CONFIG_NAME
                              " in the directories that they are for");
    }
    file->overrides = ll_arena_zalloc(b->arena, list->length + 1, sizeof *file->overrides);
    for (const ll_yaml *entry = list->first; entry && status == LL_OK; entry = entry->next) {
        ll_override *override = &file->overrides[file->override_count++];
        override->node = entry;
        status = ll_bind(b, &override_map, LL_KEY_IN_OVERRIDE, entry, override->values);
        if (status == LL_OK && entry->length < 2) {
            return LL_BIND_REFUSE(b, entry, "overrides: expected a key besides 'files': a setting for them");
        }
        if (status == LL_OK) {
            add_patterns(b->arena, override->values[LL_KEY_FILES], override, &file->files);
        }
    }
    return keep(status, list, out);
}

const char *ll_config_resolve(ll_arena *arena, const ll_config_file *file, const char *path)
{
    const char *slash = ll_path_is_absolute(path) ? NULL : strrchr(file->shown, '/');
    return ll_format(arena, "%.*s%s", slash ? (int)(slash - file->shown) + 1 : 0, file->shown, path);
}

static void take_values(ll_arena *arena, ll_config_file *file)
{
    add_patterns(arena, file->values[LL_KEY_INCLUDE], NULL, &file->include);
    add_patterns(arena, file->values[LL_KEY_EXCLUDE], NULL, &file->exclude);
    if (file->values[LL_KEY_ROOT]) {
        (void)ll_yaml_bool(file->values[LL_KEY_ROOT], &file->root);
    }
    const ll_yaml *baseline = file->values[LL_KEY_BASELINE];
    if (baseline && baseline->length) {
        file->baseline = ll_config_resolve(arena, file, baseline->text);
    }
}

ll_read_result ll_config_file_read(ll_arena *arena, ll_os_buffer *buffer, ll_config_file *file)
{
    ll_problem problem = {0};
    const ll_binder binder = {arena, &problem, file};
    const ll_yaml *root = NULL;
    ll_read_result result =
        ll_yaml_file_read(arena, buffer, file->shown, "; --isolated ignores all configuration", &root);
    if (result != LL_READ_DONE || !root) {
        return result; /* no root: only comments */
    }
    if (!ll_accept(ll_bind(&binder, &top_map, LL_KEY_AT_TOP, root, file->values), file->shown, &problem)) {
        return LL_READ_REFUSED;
    }
    take_values(arena, file);
    return LL_READ_DONE;
}
