/* config show, init and schema. `show` says what holds for a path and who says so, in YAML that is a configuration
 * itself; the words are those of the files, the order that of the keys. */
#include "cli/commands.h"

#include "cli/config/inner.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ YAML */

static void put(ll_out *out, const char *text)
{
    (void)ll_out_write(out, text, strlen(text)); /* the error sticks to the stream */
}

/* Fit to stand without quotes, whatever reads it. */
static bool is_plain(const char *text, size_t n)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t same = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-");
    return n && same >= n && (strchr(letters, text[0]) || (text[0] == '.' && n > 1 && strchr(letters, text[1])));
}

/* In quotes what a terminal would obey is escaped. */
static void put_scalar(ll_out *out, const char *text, size_t n)
{
    if (is_plain(text, n)) {
        (void)ll_out_write(out, text, n);
        return;
    }
    put(out, "\"");
    for (size_t i = 0; i < n;) {
        char escaped[8];
        size_t length = ll_shown_character(text + i);
        if (length == 0) {
            (void)snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned)(unsigned char)text[i]);
            put(out, escaped);
            i++;
            continue;
        }
        put(out, text[i] == '"' || text[i] == '\\' ? "\\" : "");
        (void)ll_out_write(out, text + i, length);
        i += length;
    }
    put(out, "\"");
}

static void put_text(ll_out *out, const char *text)
{
    put_scalar(out, text, strlen(text));
}

/* A value of one line: a text, [a, b] or {a: b}. */
static void put_flow(ll_out *out, const ll_yaml *node)
{
    static const char *const open[] = {"", "[", "{"};
    static const char *const close[] = {"", "]", "}"};
    put(out, open[node->kind]);
    for (const ll_yaml *item = ll_config_first(node); item; item = ll_config_next(node, item)) {
        if (node->kind == LL_YAML_MAP) {
            put_text(out, item->key->text);
            put(out, ": ");
        }
        put_text(out, item->text);
        put(out, ll_config_next(node, item) ? ", " : "");
    }
    put(out, close[node->kind]);
}

/* ------------------------------------------------------------------ what holds */

typedef struct show {
    ll_out out;
    const ll_options *options;
    const ll_scope *scope;
    const ll_profile *profile;
    ll_matching matching;
    bool is_directory;
} show;

/* One thing that is said: by a file, or by the command line (file NULL). */
typedef struct said {
    const char *text;
    size_t length;
    const char *level; /* of a severity */
    const ll_config_file *file;
    const ll_yaml *node;
    bool by_override;
} said;

typedef struct sayings {
    LL_ARRAY(said);
    bool failed;
    const ll_config_file *file; /* the one that decides the key, even if it says an empty list */
    const ll_yaml *node;
} sayings;

static void add_saying(show *s, sayings *all, said one)
{
    ll_allocator allocator = ll_arena_allocator(&s->scope->config->arena);
    said *place = LL_ARRAY_ADD(all, &allocator);
    if (place) {
        *place = one;
    }
    all->failed = all->failed || !place;
}

static void add_node(show *s, sayings *all, const ll_config_file *file, const ll_yaml *node, bool by_override)
{
    for (const ll_yaml *item = ll_config_first(node); item; item = ll_config_next(node, item)) {
        bool level = node->kind == LL_YAML_MAP;
        const ll_yaml *at = level ? item->key : item;
        add_saying(s, all, (said){at->text, at->length, level ? item->text : NULL, file, at, by_override});
    }
}

/* The values of an option; selectors have commas between them, a level stands behind the last '='. */
static void add_options(show *s, sayings *all, ll_option option, bool commas)
{
    for (size_t i = 0; i < s->options->setting_count; i++) {
        const char *value = s->options->settings[i].value;
        if (s->options->settings[i].option != option) {
            continue;
        }
        if (option == LL_OPT_SEVERITY) {
            const char *equals = strrchr(value, '=');
            add_saying(s, all, (said){.text = value, .length = (size_t)(equals - value), .level = equals + 1});
            continue;
        }
        for (;; value++) {
            size_t n = commas ? strcspn(value, ",") : strlen(value);
            add_saying(s, all, (said){.text = value, .length = n});
            value += n;
            if (!*value) {
                break;
            }
        }
    }
}

static bool was_given(const show *s, ll_option option)
{
    for (size_t i = 0; i < s->options->setting_count; i++) {
        if (s->options->settings[i].option == option) {
            return true;
        }
    }
    return false;
}

static void put_source(show *s, const ll_config_file *file, unsigned line, const char *note)
{
    char text[LL_CONFIG_PATH_MAX + 64];
    (void)snprintf(text, sizeof text, "%s:%u", file->shown, line);
    put(&s->out, "  # ");
    for (const char *p = text; *p; p++) { /* a comment ends where a line does */
        char c[2] = {(unsigned char)*p < 0x20 || *p == 0x7F ? '?' : *p, '\0'};
        put(&s->out, c);
    }
    put(&s->out, note);
    put(&s->out, "\n");
}

static void put_key(show *s, ll_key key)
{
    put(&s->out, ll_key_rows[key].name);
    put(&s->out, ":");
}

/* A key of which nothing is said, or an empty list. */
static void put_initial(show *s, ll_key key, const sayings *all)
{
    put_key(s, key);
    put(&s->out, " ");
    put(&s->out, ll_key_rows[key].initial);
    if (all && all->file) {
        put_source(s, all->file, all->node->line, "");
    } else {
        put(&s->out, "  # default\n");
    }
}

/* Of a selector that is said twice the last level holds, and a map has it once. */
static bool is_said_again(const sayings *all, size_t index)
{
    const said *one = &all->items[index];
    for (size_t i = index + 1; one->level && i < all->count; i++) {
        if (all->items[i].length == one->length && memcmp(all->items[i].text, one->text, one->length) == 0) {
            return true;
        }
    }
    return false;
}

static void put_sayings(show *s, ll_key key, const sayings *all)
{
    if (all->count == 0) {
        put_initial(s, key, all);
        return;
    }
    put_key(s, key);
    put(&s->out, "\n");
    for (size_t i = 0; i < all->count; i++) {
        const said *one = &all->items[i];
        if (is_said_again(all, i)) {
            continue;
        }
        put(&s->out, one->level ? "  " : "  - ");
        put_scalar(&s->out, one->text, one->length);
        if (one->level) {
            put(&s->out, ": ");
            put(&s->out, one->level);
        }
        if (one->file) {
            put_source(s, one->file, one->node->line, one->by_override ? ", override" : "");
        } else {
            put(&s->out, "  # command line\n");
        }
    }
}

/* Lists and maps that configurations, overrides and the command line make together. */
static bool show_list(show *s, ll_key key, ll_option option)
{
    const ll_settings *settings = s->scope->settings;
    const ll_config_file *overrides = settings->source[LL_KEY_OVERRIDES];
    bool is_rules = key == LL_KEY_SELECT || key == LL_KEY_IGNORE;
    bool replaced =
        (is_rules && was_given(s, LL_OPT_SELECT)) || (key == LL_KEY_INCLUDE && was_given(s, LL_OPT_INCLUDE));
    sayings all = {.file = NULL};
    if (!replaced && settings->source[key]) {
        all.file = settings->source[key];
        all.node = all.file->values[key];
        add_node(s, &all, all.file, all.node, false);
    }
    for (size_t i = 0; overrides && !replaced && i < overrides->override_count; i++) {
        const ll_yaml *node = overrides->overrides[i].values[key];
        if (node && key != LL_KEY_FILES && ll_matches(&s->matching, i)) {
            all.count = key == LL_KEY_SELECT ? 0 : all.count; /* takes the place of what was selected */
            add_node(s, &all, overrides, node, true);
        }
    }
    add_options(s, &all, option, is_rules);
    put_sayings(s, key, &all);
    return !all.failed;
}

/* A key with one value. */
static void show_value(show *s, ll_key key, bool given, const char *value)
{
    const ll_settings *settings = s->scope->settings;
    const ll_config_file *overrides = settings->source[LL_KEY_OVERRIDES];
    const ll_config_file *file = settings->source[key];
    const ll_yaml *node = file ? file->values[key] : NULL;
    bool by_override = false;
    for (size_t i = 0; overrides && i < overrides->override_count; i++) {
        if (ll_matches(&s->matching, i) && overrides->overrides[i].values[key]) {
            node = overrides->overrides[i].values[key];
            file = overrides;
            by_override = true;
        }
    }
    if (!given && !node) {
        put_initial(s, key, NULL);
        return;
    }
    put_key(s, key);
    put(&s->out, " ");
    put_text(&s->out, given ? value : node->text);
    if (given) {
        put(&s->out, "  # command line\n");
    } else {
        put_source(s, file, node->line, by_override ? ", override" : "");
    }
}

/* Of the file at which the search ends, if it says so. */
static void show_root(show *s)
{
    const ll_scope *top = s->scope;
    while (top->above) {
        top = top->above;
    }
    const ll_config_file *named = s->scope->config->fixed ? s->scope->settings->outermost : NULL;
    const ll_config_file *file = named ? named : top->file;
    const ll_yaml *node = file ? file->values[LL_KEY_ROOT] : NULL;
    if (!node) {
        put_initial(s, LL_KEY_ROOT, NULL);
        return;
    }
    put(&s->out, file->root ? "root: true" : "root: false");
    put_source(s, file, node->line, "");
}

static void show_overrides(show *s)
{
    const ll_config_file *file = s->scope->settings->source[LL_KEY_OVERRIDES];
    if (!file || file->override_count == 0) {
        put_initial(s, LL_KEY_OVERRIDES,
                    &(sayings){.file = file, .node = file ? file->values[LL_KEY_OVERRIDES] : NULL});
        return;
    }
    put(&s->out, "overrides:\n");
    for (size_t i = 0; i < file->override_count; i++) {
        const ll_override *entry = &file->overrides[i];
        const ll_yaml *files = entry->values[LL_KEY_FILES];
        put(&s->out, "  - files: ");
        put_flow(&s->out, files);
        put_source(s, file, files->line,
                   s->is_directory               ? ""
                   : ll_matches(&s->matching, i) ? ", holds for this file"
                                                 : ", not for this file");
        for (const ll_yaml *value = entry->node->first; value; value = value->next) {
            if (value != files) {
                put(&s->out, "    ");
                put(&s->out, value->key->text);
                put(&s->out, ": ");
                put_flow(&s->out, value);
                put(&s->out, "\n");
            }
        }
    }
}

/* ------------------------------------------------------------------ what follows from it */

static void show_rules(show *s)
{
    ll_rule_info info;
    char line[512];
    size_t on = 0;
    size_t count = ll_ruleset_count(s->profile->rules);
    for (size_t i = 0; i < count; i++) {
        on += ll_ruleset_rule(s->profile->rules, i, &info) && info.severity != LL_SEVERITY_OFF;
    }
    (void)snprintf(line, sizeof line, "\n# %zu of %zu rules are on", on, count);
    put(&s->out, line);
    size_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        if (ll_ruleset_rule(s->profile->rules, i, &info) && info.severity != LL_SEVERITY_OFF &&
            info.severity != info.default_severity) {
            (void)snprintf(line, sizeof line, "%s#   %s %s/%s: %s, not %s\n",
                           changed++ ? "" : "; with another severity:\n", info.id, info.family, info.name,
                           ll_severity_text(info.severity), ll_severity_text(info.default_severity));
            put(&s->out, line);
        }
    }
    put(&s->out, changed ? "" : ", all with their own severity\n");
}

static void show_reason(show *s, bool left_out, const ll_reason *reason)
{
    if (!left_out) {
        put(&s->out, "# not left out when directories are searched\n");
        return;
    }
    put(&s->out, "# left out when directories are searched: ");
    if (reason->directory) {
        put(&s->out, "the directory ");
        put_text(&s->out, reason->directory);
        put(&s->out, " matches ");
    }
    if (reason->pattern) {
        put(&s->out, reason->directory ? "" : "it matches ");
        put_text(&s->out, reason->pattern);
        put(&s->out, " of exclude");
    } else {
        put(&s->out, "no pattern of include matches it");
    }
    if (reason->file) {
        put_source(s, reason->file, reason->node->line, "");
    } else {
        put(&s->out, "  # command line\n");
    }
}

static bool show_keys(show *s)
{
    const ll_options *options = s->options;
    show_root(s);
    bool fine = show_list(s, LL_KEY_SELECT, LL_OPT_SELECT) && show_list(s, LL_KEY_IGNORE, LL_OPT_IGNORE) &&
                show_list(s, LL_KEY_SEVERITY, LL_OPT_SEVERITY) && show_list(s, LL_KEY_RULES, LL_OPT_RULES);
    show_value(s, LL_KEY_FAIL_ON, options->fail_level_given, ll_fail_level_names[options->fail_level]);
    show_value(s, LL_KEY_GAME, options->game_given, options->game ? options->game : "auto");
    fine = fine && show_list(s, LL_KEY_INCLUDE, LL_OPT_INCLUDE) && show_list(s, LL_KEY_EXCLUDE, LL_OPT_EXCLUDE);
    show_value(s, LL_KEY_BASELINE, options->baseline, options->baseline);
    show_overrides(s);
    return fine;
}

static int show_path(const ll_options *options, ll_config *config)
{
    const char *path = options->operands[0];
    ll_os_kind kind = ll_os_kind_of(path);
    if (kind == LL_OS_MISSING) {
        ll_say("config show: '%s' is not there; expected a file or a directory", path);
        return LL_EXIT_TROUBLE;
    }
    show s = {.options = options, .is_directory = kind == LL_OS_DIRECTORY};
    s.scope = s.is_directory ? ll_config_scope(config, path) : ll_config_scope_of(config, path);
    if (!s.scope) {
        return LL_EXIT_TROUBLE;
    }
    s.matching = s.is_directory ? (ll_matching){{0}} : ll_scope_matching(s.scope, path);
    s.profile = ll_config_profile(config, s.scope, s.is_directory ? "." : path);
    if (!s.profile || !ll_out_open(&s.out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    put(&s.out, "# What holds for ");
    put_text(&s.out, path);
    put(&s.out, " and where it is said. Paths and patterns are seen from the file that says them.\n");
    bool fine = show_keys(&s);
    ll_reason reason = s.scope->reason;
    bool left_out = s.is_directory ? s.scope->left_out : ll_scope_reason(s.scope, path, false, &reason);
    show_rules(&s);
    show_reason(&s, left_out, &reason);
    if (!fine) {
        (void)ll_out_of_memory();
    }
    return ll_out_close(&s.out) && fine ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}

/* ------------------------------------------------------------------ init and schema */

static int write_start(void)
{
    ll_out out;
    if (ll_os_kind_of(LL_CONFIG_NAME) != LL_OS_MISSING) {
        ll_say("config init: " LL_CONFIG_NAME " is there already and was left as it is");
        return LL_EXIT_TROUBLE;
    }
    if (!ll_out_open(&out, LL_CONFIG_NAME, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    ll_config_write_start(ll_out_write, &out);
    if (!ll_out_close(&out) || !ll_out_open(&out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    put(&out, "wrote " LL_CONFIG_NAME ": all keys with an example each; nothing but root: true is in force yet\n");
    return ll_out_close(&out) ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}

static int write_schema(void)
{
    ll_out out;
    if (!ll_out_open(&out, NULL, NULL)) {
        return LL_EXIT_TROUBLE;
    }
    ll_config_write_schema(ll_out_write, &out);
    return ll_out_close(&out) ? LL_EXIT_CLEAN : LL_EXIT_TROUBLE;
}

int ll_config_command(const ll_options *options, ll_config *config)
{
    return strcmp(options->verb, "init") == 0     ? write_start()
           : strcmp(options->verb, "schema") == 0 ? write_schema()
                                                  : show_path(options, config);
}
