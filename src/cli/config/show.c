/* The command `config show`: prints the settings for a path and where each comes from, as YAML that is itself a
 * configuration. Values are shown as written, keys in the order of the table. */
#include "cli/commands.h"

#include "base/array.h"
#include "base/text.h"
#include "cli/config/inner.h"
#include "cli/config/path.h"
#include "cli/git.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ YAML */

/* Can a text be written without quotes for any YAML reader? */
static bool is_plain(const char *text, size_t n)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t same = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-");
    return n && same >= n && (strchr(letters, text[0]) || (text[0] == '.' && n > 1 && strchr(letters, text[1])));
}

/* Writes a scalar, in quotes with escapes if needed. */
static void put_scalar(ll_out *out, const char *text, size_t n)
{
    if (is_plain(text, n)) {
        (void)ll_out_write(out, text, n);
        return;
    }
    static const char *const escapes[] = {"\"\\\"", "\\\\\\", "#\\x23", NULL};
    ll_text quoted;
    ll_text_init(&quoted, &ll_heap);
    ll_mapped_text(text, n, escapes, &quoted);
    ll_out_print(out, "\"%s\"", ll_text_cstr(&quoted));
    ll_text_free(&quoted);
}

static void put_text(ll_out *out, const char *text)
{
    put_scalar(out, text, strlen(text));
}

/* Writes a value in one line: a text, [a, b] or {a: b}. */
static void put_flow(ll_out *out, const ll_yaml *node)
{
    static const char *const open[] = {"", "[", "{"};
    static const char *const close[] = {"", "]", "}"};
    ll_out_print(out, "%s", open[node->kind]);
    for (const ll_yaml *item = ll_config_first(node); item; item = ll_config_next(node, item)) {
        if (node->kind == LL_YAML_MAP) {
            put_text(out, item->key->text);
            ll_out_print(out, ": ");
        }
        put_text(out, item->text);
        ll_out_print(out, "%s", ll_config_next(node, item) ? ", " : "");
    }
    ll_out_print(out, "%s", close[node->kind]);
}

/* ------------------------------------------------------------------ settings */

typedef struct show {
    ll_out out;
    const ll_options *options;
    const ll_scope *scope;
    const ll_profile *profile;
    ll_matching matching;
    bool is_directory;
} show;

/* One value of a key, and where it is set. */
typedef struct setting {
    const char *text;
    size_t length;
    const char *level;          /* for the key severity */
    const ll_config_file *file; /* NULL: the command line */
    const ll_yaml *node;
    bool by_override;
} setting;

typedef LL_ARRAY(setting) setting_list;

static void add_node(setting_list *all, const ll_config_file *file, const ll_yaml *node, bool by_override)
{
    for (const ll_yaml *item = ll_config_first(node); item; item = ll_config_next(node, item)) {
        bool level = node->kind == LL_YAML_MAP;
        const ll_yaml *at = level ? item->key : item;
        *LL_ARRAY_ADD(all, &ll_heap) =
            (setting){at->text, at->length, level ? item->text : NULL, file, at, by_override};
    }
}

/* Adds the values of an option. `commas`: values are lists; a level of --severity follows the last '='. */
static void add_options(const ll_options *options, setting_list *all, ll_option option, bool commas)
{
    size_t at = 0;
    for (const char *value; (value = ll_options_next(options, option, &at)) != NULL;) {
        const char *equals = option == LL_OPT_SEVERITY ? strrchr(value, '=') : NULL;
        for (bool more = true; more;) {
            size_t n = equals ? (size_t)(equals - value) : commas ? strcspn(value, ",") : strlen(value);
            *LL_ARRAY_ADD(all, &ll_heap) = (setting){.text = value, .length = n, .level = equals ? equals + 1 : NULL};
            more = !equals && value[n];
            value += n + 1;
        }
    }
}

/* Ends a line with a comment that names the source of the value. Control characters in the path are replaced, as a line
 * feed would end the comment. */
static void put_source(show *s, const ll_config_file *file, unsigned line, const char *note)
{
    if (!file) {
        ll_out_print(&s->out, "  # command line\n");
        return;
    }
    ll_out_print(&s->out, "  # ");
    for (const char *p = file->shown; *p; p++) {
        ll_out_print(&s->out, "%c", (unsigned char)*p < 0x20 || *p == 0x7F ? '?' : *p);
    }
    ll_out_print(&s->out, ":%u%s\n", line, note);
}

/* Writes the default of a key that no configuration sets, or that `file` sets to an empty list. */
static void put_initial(show *s, ll_key key, const ll_config_file *file)
{
    ll_out_print(&s->out, "%s: %s", ll_key_rows[key].name, ll_key_rows[key].initial);
    if (file) {
        put_source(s, file, file->values[key]->line, "");
    } else {
        ll_out_print(&s->out, "  # default\n");
    }
}

/* Is there a later level for the same selector? The last one applies, and a map contains it once. */
static bool is_overridden(const setting_list *all, size_t index)
{
    const setting *one = &all->items[index];
    for (size_t i = index + 1; one->level && i < all->count; i++) {
        if (all->items[i].length == one->length && memcmp(all->items[i].text, one->text, one->length) == 0) {
            return true;
        }
    }
    return false;
}

static void put_settings(show *s, ll_key key, const setting_list *all, bool single)
{
    ll_out_print(&s->out, "%s:%s", ll_key_rows[key].name, single ? " " : "\n");
    for (size_t i = 0; i < all->count; i++) {
        const setting *one = &all->items[i];
        if (!is_overridden(all, i)) {
            ll_out_print(&s->out, "%s", single ? "" : one->level ? "  " : "  - ");
            put_scalar(&s->out, one->text, one->length);
            ll_out_print(&s->out, "%s%s", one->level ? ": " : "", one->level ? one->level : "");
            put_source(s, one->file, one->file ? one->node->line : 0, one->by_override ? ", override" : "");
        }
    }
}

/* Shows a key with the values from configurations, overrides and the command line. `value`: value of the command line
 * for a key with a single value; NULL: none. */
static void show_key(show *s, ll_key key, ll_option option, const char *value)
{
    const ll_settings *settings = s->scope->settings;
    const ll_config_file *file = settings->source[key];
    const ll_config_file *overrides = settings->source[LL_KEY_OVERRIDES];
    bool single = option == LL_OPT_COUNT;
    bool is_rules = key == LL_KEY_SELECT || key == LL_KEY_IGNORE;
    bool replaced = value || (is_rules && ll_options_given(s->options, LL_OPT_SELECT)) ||
                    (key == LL_KEY_INCLUDE && ll_options_given(s->options, LL_OPT_INCLUDE));
    setting_list all = {.items = NULL};
    if (!replaced && file) {
        add_node(&all, file, file->values[key], false);
    }
    for (size_t i = 0; overrides && !replaced && i < overrides->override_count; i++) {
        const ll_yaml *node = overrides->overrides[i].values[key];
        if (node && ll_matches(&s->matching, i)) {
            all.count = single || key == LL_KEY_SELECT ? 0 : all.count; /* replaces earlier values */
            add_node(&all, overrides, node, true);
        }
    }
    if (value) {
        *LL_ARRAY_ADD(&all, &ll_heap) = (setting){.text = value, .length = strlen(value)};
    }
    add_options(s->options, &all, option, is_rules);
    if (all.count) {
        put_settings(s, key, &all, single);
    } else {
        put_initial(s, key, replaced ? NULL : file);
    }
    LL_ARRAY_FREE(&all, &ll_heap);
}

/* Shows the key root of the file at which the search ends. */
static void show_root(show *s)
{
    const ll_scope *top = s->scope;
    while (top->above) {
        top = top->above;
    }
    const ll_config_file *file = s->scope->config->fixed ? s->scope->settings->outermost : NULL;
    file = file ? file : top->file;
    if (!file || !file->values[LL_KEY_ROOT]) {
        put_initial(s, LL_KEY_ROOT, NULL);
        return;
    }
    ll_out_print(&s->out, "root: %s", file->root ? "true" : "false");
    put_source(s, file, file->values[LL_KEY_ROOT]->line, "");
}

static void show_overrides(show *s)
{
    const ll_config_file *file = s->scope->settings->source[LL_KEY_OVERRIDES];
    if (!file || file->override_count == 0) {
        put_initial(s, LL_KEY_OVERRIDES, file);
        return;
    }
    ll_out_print(&s->out, "overrides:\n");
    for (size_t i = 0; i < file->override_count; i++) {
        const ll_override *entry = &file->overrides[i];
        const ll_yaml *files = entry->values[LL_KEY_FILES];
        ll_out_print(&s->out, "  - files: ");
        put_flow(&s->out, files);
        put_source(s, file, files->line,
                   s->is_directory               ? ""
                   : ll_matches(&s->matching, i) ? ", applies to this file"
                                                 : ", does not apply to this file");
        for (const ll_yaml *value = entry->node->first; value; value = value->next) {
            if (value != files) {
                ll_out_print(&s->out, "    %s: ", value->key->text);
                put_flow(&s->out, value);
                ll_out_print(&s->out, "\n");
            }
        }
    }
}

static void show_keys(show *s)
{
    const ll_options *o = s->options;
    show_root(s);
    show_key(s, LL_KEY_SELECT, LL_OPT_SELECT, NULL);
    show_key(s, LL_KEY_IGNORE, LL_OPT_IGNORE, NULL);
    show_key(s, LL_KEY_SEVERITY, LL_OPT_SEVERITY, NULL);
    show_key(s, LL_KEY_RULES, LL_OPT_RULES, NULL);
    show_key(s, LL_KEY_FAIL_ON, LL_OPT_COUNT, o->fail_level_given ? ll_fail_level_names[o->fail_level] : NULL);
    show_key(s, LL_KEY_UNSUPPORTED, LL_OPT_COUNT,
             o->unsupported_given ? ll_unsupported_names[o->allow_unsupported] : NULL);
    show_key(s, LL_KEY_GAME, LL_OPT_COUNT, !o->game_given ? NULL : o->game ? o->game : "auto");
    show_key(s, LL_KEY_INCLUDE, LL_OPT_INCLUDE, NULL);
    show_key(s, LL_KEY_EXCLUDE, LL_OPT_EXCLUDE, NULL);
    show_key(s, LL_KEY_GITIGNORE, LL_OPT_COUNT, o->no_ignore ? "false" : NULL);
    show_key(s, LL_KEY_CROSS, LL_OPT_COUNT, o->no_cross ? "false" : NULL);
    show_key(s, LL_KEY_BASELINE, LL_OPT_COUNT, o->baseline);
    show_key(s, LL_KEY_DOCS_URL, LL_OPT_COUNT, NULL);
    show_overrides(s);
}

/* ------------------------------------------------------------------ effects */

static void show_rules(show *s)
{
    ll_rule_info info;
    size_t on = 0;
    size_t changed = 0;
    size_t count = ll_ruleset_count(s->profile->rules);
    for (size_t i = 0; i < count; i++) {
        on += ll_ruleset_rule(s->profile->rules, i, &info) && info.severity != LL_SEVERITY_OFF;
    }
    ll_out_print(&s->out, "\n# %zu of %zu rules are on", on, count);
    for (size_t i = 0; i < count; i++) {
        if (ll_ruleset_rule(s->profile->rules, i, &info) && info.severity != LL_SEVERITY_OFF &&
            info.severity != info.default_severity) {
            ll_out_print(&s->out, "%s#   %s %s/%s: %s, not %s\n", changed++ ? "" : "; with a changed severity:\n",
                         info.id, info.family, info.name, ll_severity_text(info.severity),
                         ll_severity_text(info.default_severity));
        }
    }
    ll_out_print(&s->out, "%s", changed ? "" : ", all with their default severity\n");
}

/* Does Git ignore the path? Converts it to the form that git.h expects. */
static bool is_ignored(const show *s, const char *path)
{
    bool here = strcmp(path, ".") == 0;
    size_t n = strlen(path);
    char *name = ll_format(&s->scope->config->arena, "%s%s", here ? "" : path,
                           s->is_directory && !here && path[n - 1] != '/' ? "/" : "");
    const char *slash = strrchr(name, '/');
    char *directory = ll_arena_copy(&s->scope->config->arena, name, slash ? (size_t)(slash - name) + 1 : 0);
    ll_ignored *ignored = ll_ignored_create();
    bool out = ll_ignored_learn(ignored, directory, directory, true) && ll_ignored_leaves_out(ignored, name);
    ll_ignored_free(ignored);
    return out;
}

static void show_reason(show *s, const char *path, bool left_out, const ll_reason *reason)
{
    bool ignored = !left_out && ll_scope_minds_git(s->scope) && is_ignored(s, path);
    if (!left_out) {
        ll_out_print(&s->out, "# %sleft out when directories are searched%s\n", ignored ? "" : "not ",
                     ignored ? ": Git ignores it" : "");
        return;
    }
    ll_out_print(&s->out, "# left out when directories are searched: ");
    if (reason->directory) {
        ll_out_print(&s->out, "the directory ");
        put_text(&s->out, reason->directory);
        ll_out_print(&s->out, " matches ");
    }
    if (reason->pattern) {
        ll_out_print(&s->out, "%s", reason->directory ? "" : "the path matches ");
        put_text(&s->out, reason->pattern);
        ll_out_print(&s->out, " of exclude");
    } else {
        ll_out_print(&s->out, "no include pattern matches it");
    }
    put_source(s, reason->file, reason->file ? reason->node->line : 0, "");
}

int ll_config_show(const ll_options *options, ll_config *config)
{
    const char *path = options->operands[0];
    ll_os_kind kind = ll_os_kind_of(path);
    if (kind <= LL_OS_HIDDEN) {
        (void)ll_say("config show: '%s' does not exist; expected a file or a directory", path);
        return LL_EXIT_TROUBLE;
    }
    show s = {.options = options, .is_directory = kind == LL_OS_DIRECTORY};
    s.scope = s.is_directory ? ll_config_scope(config, path) : ll_config_scope_of(config, path);
    if (!s.scope) {
        return LL_EXIT_TROUBLE;
    }
    s.matching = s.is_directory ? (ll_matching){{0}} : ll_scope_matching(s.scope, ll_path_name(path));
    s.profile = ll_config_profile(config, s.scope, s.is_directory ? "." : ll_path_name(path));
    if (!s.profile || !ll_out_open(&s.out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    ll_out_print(&s.out, "# Settings for ");
    put_text(&s.out, path);
    ll_out_print(&s.out, ", and where each is set. Paths and patterns are relative to the file that sets them.\n");
    show_keys(&s);
    ll_reason reason = s.scope->reason;
    bool left_out = s.is_directory ? s.scope->left_out : ll_scope_reason(s.scope, path, false, &reason);
    show_rules(&s);
    show_reason(&s, path, left_out, &reason);
    return ll_out_close(&s.out) ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}
