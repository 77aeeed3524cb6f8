/* Determines the settings of directories and files: where configuration is searched, which file decides a key, which
 * overrides apply. Each directory is looked up by name, and its file read, only once; results are kept until the end of
 * the run. */
#include "cli/config/inner.h"

#include "base/path.h"
#include "base/text.h"
#include "cli/config/path.h"
#include "cli/suppress/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of a path without its last name and slash; "/a" gives 1, "a" gives 0. */
static size_t stem_of(const char *path)
{
    size_t n = (size_t)(ll_path_name(path) - path);
    return n > 1 ? n - 1 : n;
}

/* ------------------------------------------------------------------ the table of directories */

typedef struct directory_name {
    const ll_config *config;
    const char *name;
    size_t length;
} directory_name;

static bool is_name_of(const void *sought, uint32_t index)
{
    const directory_name *d = sought;
    const ll_scope_name *known = &d->config->names.items[index];
    return known->length == d->length && memcmp(known->name, d->name, d->length) == 0;
}

static uint64_t hash_of_name(const void *owner, uint32_t index)
{
    const ll_scope_name *known = &((const ll_config *)owner)->names.items[index];
    return ll_fnv(LL_FNV_START, known->name, known->length);
}

static const ll_scope *find(const ll_config *config, const char *name, size_t n)
{
    uint32_t at =
        ll_map_find(&config->name_map, ll_fnv(LL_FNV_START, name, n), is_name_of, &(directory_name){config, name, n});
    return at == LL_MAP_NONE ? NULL : config->names.items[at].scope;
}

/* Maps a name to a scope; `name` must live as long as the configuration. */
static void insert(ll_config *config, const char *name, size_t n, const ll_scope *scope)
{
    uint32_t item = (uint32_t)config->names.count;
    (void)ll_map_room(&config->name_map, item, hash_of_name, config, &ll_heap);
    (void)ll_map_note(&config->name_map, ll_fnv(LL_FNV_START, name, n), item, is_name_of,
                      &(directory_name){config, name, n});
    *LL_ARRAY_ADD(&config->names, &ll_heap) = (ll_scope_name){name, n, scope};
}

/* ------------------------------------------------------------------ patterns */

/* May a pattern match paths outside its directory? One with a slash inside is anchored there and may not. */
static bool reaches_outside(const char *pattern)
{
    const char *slash = strchr(pattern, '/');
    return !slash || !slash[1] || strncmp(pattern, "**/", 3) == 0;
}

/* Finds the patterns of a set in directory `from` that match a file or directory of the scope. */
static void find_matches(const ll_globs *globs, const char *from, const ll_scope *scope, const char *name,
                         bool is_directory, ll_globs_hits *hits)
{
    char buffer[LL_CONFIG_PATH_MAX];
    const char *seen = buffer; /* path relative to `from`, without leading "../" */
    if (globs->count == 0 || !ll_path_between(from, scope->path, name, buffer, sizeof buffer)) {
        return; /* too long for a path that can be opened */
    }
    while (strncmp(seen, "../", 3) == 0) {
        seen += 3;
    }
    if (!*seen || strcmp(seen, ".") == 0 || strcmp(seen, "..") == 0) {
        return;
    }
    (void)ll_globs_match(globs, seen, is_directory, hits, &ll_heap);
    size_t kept = 0;
    for (size_t i = 0; i < hits->count; i++) {
        if (seen == buffer || reaches_outside(globs->items[hits->items[i]].pattern)) {
            hits->items[kept++] = hits->items[i];
        }
    }
    hits->count = kept;
}

/* The first pattern that matches; NULL: none. */
static const ll_globs_item *first_match(const ll_globs *globs, const char *from, const ll_scope *scope,
                                        const char *name, bool is_directory)
{
    ll_globs_hits hits = {.items = NULL};
    find_matches(globs, from, scope, name, is_directory, &hits);
    const ll_globs_item *item = hits.count ? &globs->items[hits.items[0]] : NULL;
    LL_ARRAY_FREE(&hits, &ll_heap);
    return item;
}

static bool is_included(const ll_scope *scope, const char *name, ll_reason *out)
{
    const ll_config *config = scope->config;
    const ll_config_file *file = scope->settings ? scope->settings->source[LL_KEY_INCLUDE] : NULL;
    *out = (ll_reason){.pattern = NULL};
    if (first_match(&config->include, config->here, scope, name, false)) {
        return true;
    }
    if (config->include.count || !file || file->include.count == 0) {
        return config->include.count == 0;
    }
    *out = (ll_reason){.file = file, .node = file->values[LL_KEY_INCLUDE]};
    return first_match(&file->include, file->directory, scope, name, false);
}

bool ll_scope_reason(const ll_scope *scope, const char *path, bool is_directory, ll_reason *out)
{
    const char *name = ll_path_name(path);
    if (scope->left_out) {
        *out = scope->reason;
        return true;
    }
    const ll_config *config = scope->config;
    const ll_globs_item *item = first_match(&config->exclude, config->here, scope, name, is_directory);
    const ll_config_file *file = scope->settings && !item ? scope->settings->source[LL_KEY_EXCLUDE] : NULL;
    item = file ? first_match(&file->exclude, file->directory, scope, name, is_directory) : item;
    if (item) {
        *out = (ll_reason){.pattern = item->pattern, .file = file, .node = item->owner};
        return true;
    }
    return !is_directory && !is_included(scope, name, out);
}

bool ll_scope_excludes(const ll_scope *scope, const char *path, bool is_directory)
{
    ll_reason reason;
    bool excluded = ll_scope_reason(scope, path, is_directory, &reason);
    if (excluded && reason.file && reason.file->effect) {
        reason.file->effect->found.left_out++;
    }
    return excluded;
}

/* Value of a switch whose default is on. */
static bool is_on(const ll_scope *scope, ll_key key)
{
    const ll_config_file *file = scope->settings ? scope->settings->source[key] : NULL;
    bool on = false;
    return !file || (ll_yaml_bool(file->values[key], &on) && on);
}

bool ll_scope_minds_git(const ll_scope *scope)
{
    return !scope->config->options->no_ignore && is_on(scope, LL_KEY_GITIGNORE);
}

bool ll_scope_crosses(const ll_scope *scope)
{
    return !scope->config->options->no_cross && is_on(scope, LL_KEY_CROSS);
}

bool ll_scope_excludes_member(const ll_scope *scope, const char *archive, const char *name)
{
    const ll_config *config = scope->config;
    const ll_config_file *file = scope->settings ? scope->settings->source[LL_KEY_EXCLUDE] : NULL;
    const ll_globs *globs[] = {&config->exclude, file ? &file->exclude : NULL};
    bool excluded = false;
    for (size_t i = 0; i < 2 && globs[i] && !excluded; i++) {
        const char *from = i ? file->directory : config->here;
        excluded =
            first_match(globs[i], from, scope, name, false) && !first_match(globs[i], from, scope, archive, false);
    }
    return excluded;
}

ll_matching ll_scope_matching(const ll_scope *scope, const char *name)
{
    ll_matching matching = {{0}};
    const ll_config_file *file = scope->settings ? scope->settings->source[LL_KEY_OVERRIDES] : NULL;
    ll_globs_hits hits = {.items = NULL};
    if (file) {
        find_matches(&file->files, file->directory, scope, name, false, &hits);
    }
    for (size_t i = 0; i < hits.count; i++) {
        const ll_override *override = file->files.items[hits.items[i]].owner;
        size_t index = (size_t)(override - file->overrides);
        matching.bits[index / 64] |= UINT64_C(1) << (index % 64);
    }
    LL_ARRAY_FREE(&hits, &ll_heap);
    return matching;
}

/* ------------------------------------------------------------------ files and cascades */

bool ll_scope_file(const ll_scope *scope, const char *name, char buffer[LL_CONFIG_PATH_MAX])
{
    bool here = strcmp(scope->shown, ".") == 0; /* ".lightlint.yaml", not "./.lightlint.yaml" */
    const char *slash = here || scope->shown[strlen(scope->shown) - 1] == '/' ? "" : "/";
    int n = snprintf(buffer, LL_CONFIG_PATH_MAX, "%s%s%s", here ? "" : scope->shown, slash, name);
    return n > 0 && n < LL_CONFIG_PATH_MAX;
}

/* Reads the configuration file of a directory if there is one. False if it is refused. */
static bool read_here(ll_config *config, ll_scope *scope)
{
    char shown[LL_CONFIG_PATH_MAX];
    if (!ll_scope_file(scope, LL_CONFIG_NAME, shown)) {
        return true;
    }
    if (config->options->verbosity > -2) {
        ll_yaml_file_notice(shown);
    }
    ll_config_file file = {.shown = shown, .directory = scope->path};
    ll_read_result result = ll_config_file_read(&config->arena, &config->buffer, &file);
    if (result != LL_READ_DONE) {
        return result == LL_READ_MISSING;
    }
    scope->file = ll_arena_alloc(&config->arena, 1, sizeof *scope->file);
    file.shown = ll_arena_copy(&config->arena, shown, strlen(shown));
    file.effect = ll_arena_zalloc(&config->arena, 1, sizeof *file.effect);
    *file.effect = (ll_config_effect){.file = scope->file, .found = {.file = file.shown}};
    *LL_ARRAY_ADD(&config->effects, &ll_heap) = file.effect;
    *scope->file = file;
    return true;
}

/* The outermost directory with suppressions, if there is no configuration; NULL: none. */
static const char *find_marked(const ll_config *config, const ll_scope *scope)
{
    char path[LL_CONFIG_PATH_MAX];
    if (config->options->isolated || scope->settings->outermost) {
        return NULL;
    }
    if (scope->above && scope->above->marked) {
        return scope->above->marked;
    }
    bool there = ll_scope_file(scope, LL_SUPPRESS_NAME, path) && ll_os_is_there(path);
    return there ? scope->path : NULL;
}

/* Settings `under` with those of a file added; NULL if they are refused. */
static ll_settings *add_file(ll_config *config, const ll_settings *under, ll_config_file *file)
{
    ll_settings *settings = ll_arena_zalloc(&config->arena, 1, sizeof *settings);
    if (under) {
        *settings = *under;
        settings->profiles = NULL;
    }
    if (!file) {
        return settings;
    }
    for (size_t i = 0; i < LL_KEY_COUNT; i++) {
        settings->source[i] = file->values[i] ? file : settings->source[i];
    }
    settings->outermost = settings->outermost ? settings->outermost : file;
    if (file->baseline) {
        file->baseline_directory =
            ll_path_absolute(&config->arena, config->here, file->baseline, stem_of(file->baseline));
    }
    const ll_config_file *packs = settings->source[LL_KEY_RULES];
    ll_rule_value value = {LL_KEY_RULES, packs, packs ? packs->values[LL_KEY_RULES] : NULL};
    return ll_rule_sets_check(&config->sets, &value, file) ? settings : NULL;
}

/* The path under which reports show a directory: relative if the current directory is in it or above it, or if it was
 * asked for by a relative path. */
static const char *show_directory(ll_config *config, const char *path, bool relative)
{
    char buffer[LL_CONFIG_PATH_MAX];
    bool is_root = !path[ll_path_drive(path)];
    const char *shown = is_root ? ll_path_below(&config->arena, path, "") : path;
    relative = relative || ll_path_holds(config->here, path) || ll_path_holds(path, config->here);
    if (relative && ll_path_between(config->here, path, NULL, buffer, sizeof buffer)) {
        shown = buffer;
    }
    return ll_arena_copy(&config->arena, shown, strlen(shown));
}

/* ------------------------------------------------------------------ scopes */

static ll_scope *add_scope(ll_config *config, const char *path, size_t n, bool relative)
{
    ll_scope *scope = ll_arena_zalloc(&config->arena, 1, sizeof *scope);
    const char *copy = ll_arena_copy(&config->arena, path, n);
    *scope = (ll_scope){.config = config,
                        .path = copy,
                        .shown = show_directory(config, copy, relative),
                        .known = ll_arena_zalloc(&config->arena, 1, sizeof *scope->known)};
    insert(config, n ? copy : "/", n ? n : 1, scope);
    return scope;
}

/* Fills in a scope whose parents are complete. */
static void finish_scope(ll_config *config, ll_scope *scope)
{
    const ll_scope *above = scope->above;
    if (scope->refused || (above && !above->settings)) {
        return;
    }
    scope->settings = config->fixed           ? config->fixed
                      : above && !scope->file ? above->settings
                                              : add_file(config, above ? above->settings : NULL, scope->file);
    scope->marked = scope->settings ? find_marked(config, scope) : NULL;
    if (above && ll_scope_reason(above, scope->path, true, &scope->reason)) {
        scope->left_out = true;
        scope->reason.directory = above->left_out ? scope->reason.directory : scope->shown;
    }
}

/* Finds the scope of a directory: adds scopes upwards until one is known or the search ends, then completes them
 * downwards. */
static const ll_scope *find_directory(ll_config *config, const char *path, bool relative)
{
    const ll_scope *lowest = NULL;
    const ll_scope **link = &lowest;
    ll_scope *pending = NULL;
    size_t drive = ll_path_drive(path);
    for (size_t n = strlen(path);;) {
        *link = find(config, n ? path : "/", n ? n : 1);
        if (*link) {
            break;
        }
        ll_scope *scope = add_scope(config, path, n, relative);
        *link = scope;
        link = &scope->above;
        scope->pending = pending;
        pending = scope;
        scope->refused = !config->fixed && !read_here(config, scope);
        bool end = n == drive || config->options->isolated || (scope->file && scope->file->root) ||
                   (config->end && strcmp(config->end, scope->path) == 0);
        if (end) {
            break;
        }
        while (n > drive && path[--n] != '/') {
        }
    }
    for (ll_scope *scope = pending; scope; scope = scope->pending) {
        finish_scope(config, scope);
    }
    return lowest;
}

static const ll_scope *find_scope(ll_config *config, const char *directory, size_t n)
{
    if (n == 0) {
        directory = ".";
        n = 1;
    }
    const ll_scope *scope = find(config, directory, n);
    if (!scope) {
        const char *path = ll_path_absolute(&config->arena, config->here, directory, n);
        scope = find_directory(config, path, !ll_path_is_absolute(directory));
        insert(config, ll_arena_copy(&config->arena, directory, n), n, scope);
    }
    return scope->settings ? scope : NULL;
}

const ll_scope *ll_config_scope(ll_config *config, const char *directory)
{
    return find_scope(config, directory, strlen(directory));
}

const ll_scope *ll_config_scope_of(ll_config *config, const char *path)
{
    return find_scope(config, path, stem_of(path));
}

const ll_scope *ll_scope_below(const ll_scope *above, const char *directory, ll_arena *arena)
{
    ll_scope *scope = ll_arena_alloc(arena, 1, sizeof *scope);
    const char *path = ll_path_below(arena, above->path, ll_path_name(directory));
    if (above->config->end && strcmp(above->config->end, path) == 0) {
        return ll_config_scope(above->config, directory);
    }
    *scope = *above;
    scope->above = above;
    scope->path = scope->shown = path;
    return scope;
}

const ll_scope *ll_scope_copy(const ll_scope *scope, ll_arena *arena)
{
    ll_scope *copy = ll_arena_alloc(arena, 1, sizeof *copy);
    *copy = *scope;
    copy->above = NULL;
    copy->path = copy->shown = ll_arena_copy(arena, scope->path, strlen(scope->path));
    return copy;
}

const ll_scope *ll_scope_above(const ll_scope *scope)
{
    return scope->above;
}

ll_scope_known *ll_scope_known_of(const ll_scope *scope)
{
    return scope->known;
}

const char *ll_scope_directory(const ll_scope *scope)
{
    return scope->shown;
}

const char *ll_scope_relative(const ll_scope *scope, const char *name, const ll_scope *from,
                              char buffer[LL_CONFIG_PATH_MAX])
{
    return ll_path_between(from->path, scope->path, name, buffer, LL_CONFIG_PATH_MAX) ? buffer : NULL;
}

/* ------------------------------------------------------------------ what is named */

/* Finds the directories named on the command line, once, as there may be thousands of operands. */
static void find_roots(ll_config *config)
{
    const ll_options *options = config->options;
    for (size_t i = 0; !config->roots_known && i < options->operand_count; i++) {
        const char *operand = options->operands[i];
        if (ll_os_kind_of(operand) == LL_OS_DIRECTORY) {
            *LL_ARRAY_ADD(&config->roots, &ll_heap) =
                ll_path_absolute(&config->arena, config->here, operand, strlen(operand));
        }
    }
    config->roots_known = true;
}

bool ll_config_walks(ll_config *config, const char *path, size_t n)
{
    find_roots(config);
    const char *absolute = config->roots.count ? ll_path_absolute(&config->arena, config->here, path, n) : "";
    for (size_t i = 0; i < config->unlisted.count; i++) {
        const char *unlisted = config->unlisted.items[i];
        if (ll_path_holds(unlisted, absolute) || ll_path_holds(absolute, unlisted)) {
            return false;
        }
    }
    for (size_t i = 0; i < config->roots.count; i++) {
        if (ll_path_holds(config->roots.items[i], absolute)) {
            return true;
        }
    }
    return false;
}

void ll_config_note_unlisted(ll_config *config, const char *directory)
{
    *LL_ARRAY_ADD(&config->unlisted, &ll_heap) =
        ll_path_absolute(&config->arena, config->here, directory, strlen(directory));
}

/* ------------------------------------------------------------------ profiles */

/* Value of a key: from the last override that applies, else from the file that decides the key; NULL: not set. */
static const ll_yaml *last_word(const ll_settings *settings, const ll_matching *matching, ll_key key)
{
    const ll_config_file *file = settings->source[LL_KEY_OVERRIDES];
    for (size_t i = file ? file->override_count : 0; i-- > 0;) {
        if (ll_matches(matching, i) && file->overrides[i].values[key]) {
            return file->overrides[i].values[key];
        }
    }
    return settings->source[key] ? settings->source[key]->values[key] : NULL;
}

static const char *game_of(const ll_config *config, const ll_settings *settings, const ll_matching *matching)
{
    const char *games[LL_GAME_NAMES_MAX];
    const ll_yaml *node = last_word(settings, matching, LL_KEY_GAME);
    if (config->options->game_given || !node) {
        return config->options->game;
    }
    ll_game_names(games);
    size_t index = ll_config_word(node, games);
    return index ? games[index] : NULL;
}

static ll_severity fail_level_of(const ll_config *config, const ll_settings *settings, const ll_matching *matching)
{
    const ll_yaml *node = last_word(settings, matching, LL_KEY_FAIL_ON);
    return config->options->fail_level_given || !node ? config->options->fail_level
                                                      : (ll_severity)ll_config_word(node, ll_fail_level_names);
}

static bool allows_unsupported(const ll_config *config, const ll_settings *settings, const ll_matching *matching)
{
    const ll_yaml *node = last_word(settings, matching, LL_KEY_UNSUPPORTED);
    return config->options->unsupported_given || !node ? config->options->allow_unsupported
                                                       : ll_config_word(node, ll_unsupported_names) > 0;
}

typedef LL_ARRAY(ll_rule_value) change_list;

/* Adds the value of a key to `changes`. `only`: NULL, or the only file whose values count. */
static void add_change(change_list *changes, ll_key key, const ll_config_file *file, const ll_yaml *const *values,
                       const ll_config_file *only)
{
    if (values && values[key] && (!only || only == file)) {
        *LL_ARRAY_ADD(changes, &ll_heap) = (ll_rule_value){key, file, values[key]};
    }
}

/* The rule set for these settings. `only`: as in add_change(); packs are always used. NULL if it is refused. */
static const ll_ruleset *rules_of(ll_config *config, const ll_settings *settings, const ll_matching *matching,
                                  const ll_config_file *only)
{
    change_list changes = {.items = NULL};
    ll_rule_settings wanted = {.changes = NULL};
    const ll_config_file *const *source = settings->source;
    const ll_config_file *packs = source[LL_KEY_RULES];
    const ll_config_file *overrides = source[LL_KEY_OVERRIDES];
    wanted.packs = (ll_rule_value){LL_KEY_RULES, packs, packs ? packs->values[LL_KEY_RULES] : NULL};
    const ll_yaml *select = last_word(settings, matching, LL_KEY_SELECT);
    bool overridden = select && (!source[LL_KEY_SELECT] || select != source[LL_KEY_SELECT]->values[LL_KEY_SELECT]);
    const ll_config_file *selects = overridden ? overrides : source[LL_KEY_SELECT];
    if (!only || selects == only) {
        wanted.select = (ll_rule_value){LL_KEY_SELECT, selects, select};
    }
    for (ll_key key = LL_KEY_IGNORE; key <= LL_KEY_SEVERITY; key++) {
        add_change(&changes, key, source[key], source[key] ? source[key]->values : NULL, only);
    }
    for (size_t i = 0; overrides && i < overrides->override_count; i++) {
        if (ll_matches(matching, i)) {
            const ll_yaml *const *values = overrides->overrides[i].values;
            add_change(&changes, LL_KEY_IGNORE, overrides, values, only);
            add_change(&changes, LL_KEY_SEVERITY, overrides, values, only);
        }
    }
    wanted.changes = changes.items;
    wanted.change_count = changes.count;
    const ll_ruleset *rules = ll_rule_sets_get(&config->sets, &wanted);
    LL_ARRAY_FREE(&changes, &ll_heap);
    return rules;
}

static ll_known_profile *find_profile(ll_config *config, ll_settings *settings, const ll_matching *matching)
{
    for (ll_known_profile *known = settings->profiles; known; known = known->next) {
        if (memcmp(&known->matching, matching, sizeof *matching) == 0) {
            return known;
        }
    }
    ll_known_profile *known = ll_arena_zalloc(&config->arena, 1, sizeof *known);
    known->profile =
        (ll_profile){rules_of(config, settings, matching, NULL), game_of(config, settings, matching),
                     fail_level_of(config, settings, matching), allows_unsupported(config, settings, matching)};
    known->matching = *matching;
    known->next = settings->profiles;
    settings->profiles = known;
    return known;
}

/* ------------------------------------------------------------------ findings that a configuration hides */

/* Does `level` make fewer findings fail than `than`? */
static bool fails_on_less(ll_severity level, ll_severity than)
{
    return than != LL_SEVERITY_OFF && (level == LL_SEVERITY_OFF || level > than);
}

/* Counts the rules that a found configuration file switches off or lowers. False if rules are refused, which is
 * reported. */
static bool note_rules(ll_config *config, const ll_settings *settings, const ll_matching *matching,
                       ll_config_effect *effect)
{
    static const ll_config_file nobody;
    const ll_ruleset *without = rules_of(config, settings, matching, &nobody);
    const ll_ruleset *with = rules_of(config, settings, matching, effect->file);
    ll_rule_info before;
    ll_rule_info after;
    uint64_t off = 0;
    uint64_t lowered = 0;
    if (!without || !with) {
        return false;
    }
    for (size_t i = 0; ll_ruleset_rule(without, i, &before) && ll_ruleset_rule(with, i, &after); i++) {
        off += before.severity != LL_SEVERITY_OFF && after.severity == LL_SEVERITY_OFF;
        lowered += after.severity != LL_SEVERITY_OFF && after.severity < before.severity;
    }
    ll_found_config *found = &effect->found; /* overrides differ by path: report the largest numbers */
    found->rules_off = off > found->rules_off ? off : found->rules_off;
    found->rules_lowered = lowered > found->rules_lowered ? lowered : found->rules_lowered;
    return true;
}

/* Does the file decide one of the keys from `first` to `last`? */
static bool decides(const ll_settings *settings, const ll_config_file *file, ll_key first, ll_key last)
{
    for (size_t key = first; key <= (size_t)last; key++) {
        if (settings->source[key] == file) {
            return true;
        }
    }
    return false;
}

/* Records what found configuration files keep out of reports, at the first file of a profile. False as for
 * note_rules(). */
static bool note_effects(ll_config *config, const ll_settings *settings, const ll_known_profile *known)
{
    const ll_options *options = config->options;
    const ll_profile *profile = &known->profile;
    bool fine = true;
    for (size_t i = 0; i < config->effects.count && fine; i++) {
        const ll_config_file *file = config->effects.items[i]->file;
        ll_found_config *found = &config->effects.items[i]->found;
        bool overrides = decides(settings, file, LL_KEY_OVERRIDES, LL_KEY_OVERRIDES);
        if (overrides || decides(settings, file, LL_KEY_SELECT, LL_KEY_SEVERITY)) {
            fine = note_rules(config, settings, &known->matching, config->effects.items[i]);
        }
        if ((overrides || decides(settings, file, LL_KEY_FAIL_ON, LL_KEY_FAIL_ON)) &&
            fails_on_less(profile->fail_level, options->fail_level)) {
            found->fail_on = ll_fail_level_names[profile->fail_level];
        }
        bool on = true;
        found->no_cross |= decides(settings, file, LL_KEY_CROSS, LL_KEY_CROSS) && !options->no_cross &&
                           ll_yaml_bool(file->values[LL_KEY_CROSS], &on) && !on;
        found->allows_unsupported |= (overrides || decides(settings, file, LL_KEY_UNSUPPORTED, LL_KEY_UNSUPPORTED)) &&
                                     profile->allow_unsupported && !options->allow_unsupported;
    }
    return fine;
}

bool ll_config_found_at(const ll_config *config, size_t index, ll_found_config *out)
{
    for (size_t i = 0; i < config->effects.count; i++) {
        const ll_found_config *f = &config->effects.items[i]->found;
        bool keeps =
            f->rules_off || f->rules_lowered || f->left_out || f->fail_on || f->no_cross || f->allows_unsupported;
        if (keeps && index-- == 0) {
            *out = *f;
            return true;
        }
    }
    return false;
}

const ll_profile *ll_config_profile(ll_config *config, const ll_scope *scope, const char *name)
{
    ll_matching matching = ll_scope_matching(scope, name);
    ll_known_profile *known = find_profile(config, scope->settings, &matching);
    known->used = known->used || (known->profile.rules && note_effects(config, scope->settings, known));
    return known->used ? &known->profile : NULL;
}

const ll_profile *ll_config_base(const ll_config *config)
{
    return config->base;
}

const char *ll_config_docs_url(const ll_config *config)
{
    return config->docs_url;
}

/* ------------------------------------------------------------------ baselines and identity */

const char *ll_scope_baseline(const ll_scope *scope)
{
    const ll_config_file *file = scope->settings ? scope->settings->source[LL_KEY_BASELINE] : NULL;
    return scope->config->baseline ? scope->config->baseline : file ? file->baseline : NULL;
}

void ll_config_use_baseline(ll_config *config, const char *path)
{
    config->baseline_directory = ll_path_absolute(&config->arena, config->here, path, stem_of(path));
    config->baseline = path;
}

/* Directory of the baseline in force; NULL: none. */
static const char *baseline_directory(const ll_scope *scope)
{
    const ll_config_file *file = scope->settings ? scope->settings->source[LL_KEY_BASELINE] : NULL;
    return scope->config->baseline_directory ? scope->config->baseline_directory
           : file && file->baseline          ? file->baseline_directory
                                             : NULL;
}

const char *ll_scope_identity(const ll_scope *scope, const char *path, char buffer[LL_CONFIG_PATH_MAX])
{
    const ll_settings *settings = scope->settings;
    const char *from = settings && settings->outermost ? settings->outermost->directory
                       : scope->marked                 ? scope->marked
                                                       : baseline_directory(scope);
    return from && ll_path_between(from, scope->path, ll_path_name(path), buffer, LL_CONFIG_PATH_MAX) ? buffer : path;
}

const char *ll_scope_baseline_identity(const ll_scope *scope, const char *path, char buffer[LL_CONFIG_PATH_MAX])
{
    const char *from = baseline_directory(scope);
    return from && ll_path_between(from, scope->path, ll_path_name(path), buffer, LL_CONFIG_PATH_MAX) ? buffer : NULL;
}

/* ------------------------------------------------------------------ life */

/* Reads the file of --config, which applies to all paths. */
static bool read_named(ll_config *config, const char *path)
{
    ll_config_file *file = ll_arena_zalloc(&config->arena, 1, sizeof *file);
    *file = (ll_config_file){.shown = path,
                             .directory = ll_path_absolute(&config->arena, config->here, path, stem_of(path))};
    ll_read_result result = ll_config_file_read(&config->arena, &config->buffer, file);
    if (result == LL_READ_MISSING) {
        (void)ll_say("--config %s: no such file", path);
    }
    config->fixed = result == LL_READ_DONE ? add_file(config, NULL, file) : NULL;
    config->end = file->root ? file->directory : NULL;
    return config->fixed;
}

/* Reads the patterns of --include or --exclude. False if one is malformed. */
static bool read_patterns(ll_config *config, ll_option option, ll_globs *out)
{
    ll_allocator allocator = ll_arena_allocator(&config->arena);
    size_t at = 0;
    for (const char *pattern; (pattern = ll_options_next(config->options, option, &at)) != NULL;) {
        const char *why = NULL;
        if (!ll_glob_valid(pattern, &why)) {
            return ll_say("%s %s: bad pattern: %s", option == LL_OPT_INCLUDE ? "--include" : "--exclude", pattern, why);
        }
        (void)ll_globs_add(out, pattern, NULL, &allocator);
    }
    return true;
}

/* Sets the current directory; "" if it was removed, as relative paths then lead nowhere. */
static void learn_here(ll_config *config)
{
    char *here = ll_os_real_path(".");
    config->here = ll_format(&config->arena, "%s", here && here[1] ? here : "");
    free(here);
}

static bool make_base(ll_config *config)
{
    const ll_scope *scope = ll_config_scope(config, ".");
    ll_matching none = {{0}};
    if (!scope) {
        return false;
    }
    const ll_config_file *says = scope->settings->source[LL_KEY_DOCS_URL];
    config->docs_url = says ? says->values[LL_KEY_DOCS_URL]->text : NULL;
    config->sets.strict = true;
    const ll_profile *base = &find_profile(config, scope->settings, &none)->profile;
    config->base = base->rules ? base : NULL;
    config->sets.strict = false;
    return config->base;
}

bool ll_config_open(const ll_options *options, ll_config **out)
{
    ll_config *config = *out = ll_os_alloc(1, sizeof *config);
    config->options = options;
    ll_arena_init(&config->arena, &ll_heap, SIZE_MAX);
    config->sets = (ll_rule_sets){.options = options, .arena = &config->arena};
    learn_here(config);
    if (!read_patterns(config, LL_OPT_INCLUDE, &config->include) ||
        !read_patterns(config, LL_OPT_EXCLUDE, &config->exclude)) {
        return false;
    }
    if (options->config && !read_named(config, options->config)) {
        return false;
    }
    if (options->isolated && !config->fixed) {
        config->fixed = add_file(config, NULL, NULL);
    }
    if (options->baseline) {
        ll_config_use_baseline(config, options->baseline);
    }
    return make_base(config);
}

void ll_config_close(ll_config *config)
{
    if (config) {
        ll_rule_sets_free(&config->sets);
        ll_os_buffer_free(&config->buffer);
        ll_arena_free(&config->arena);
        LL_ARRAY_FREE(&config->names, &ll_heap);
        LL_ARRAY_FREE(&config->effects, &ll_heap);
        LL_ARRAY_FREE(&config->roots, &ll_heap);
        LL_ARRAY_FREE(&config->unlisted, &ll_heap);
        ll_map_free(&config->name_map, &ll_heap);
        free(config);
    }
}
