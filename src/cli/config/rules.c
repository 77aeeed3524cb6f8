/* Builds rule sets. Determines the order in which configurations and the command line change rules; the library
 * interprets selectors. Packs are read once, so that a run uses one version of each. */
#include "cli/config/rules.h"

#include "base/problem.h"

#include <stdlib.h>
#include <string.h>

/* A pack of rules, as it was when it was first read. */
struct ll_known_pack {
    const char *path;
    const void *bytes;
    size_t size;
    ll_os_id id;
    ll_known_pack *next;
};

struct ll_known_rules {
    ll_rule_settings wanted;
    ll_ruleset *rules; /* NULL: refused */
    ll_known_rules *next;
};

/* ------------------------------------------------------------------ refusals */

static bool accept_at(ll_status status, const ll_config_file *file, const char *key, const ll_yaml *node,
                      ll_problem *problem)
{
    (void)ll_problem_prefix(ll_problem_at(problem, node->line, node->column), key);
    return ll_accept(status, file->shown, problem);
}

/* ------------------------------------------------------------------ packs */

/* Reads a pack, or returns it if it is known. NULL: it could not be read, *error says why. */
static const ll_known_pack *find_pack(ll_rule_sets *sets, const char *path, int *error)
{
    *error = 0;
    for (const ll_known_pack *pack = sets->packs; pack; pack = pack->next) {
        if (strcmp(pack->path, path) == 0) {
            return pack;
        }
    }
    ll_os_buffer buffer = {0};
    ll_known_pack *pack = NULL;
    *error = ll_os_read(&buffer, path);
    if (!*error) {
        pack = ll_arena_zalloc(sets->arena, 1, sizeof *pack);
        *pack = (ll_known_pack){.path = ll_arena_copy(sets->arena, path, strlen(path)),
                                .bytes = ll_arena_copy(sets->arena, (const char *)buffer.bytes, buffer.size),
                                .size = buffer.size,
                                .next = sets->packs};
        (void)ll_os_identify(path, &pack->id);
        sets->packs = pack;
    }
    ll_os_buffer_free(&buffer);
    return pack;
}

static bool add_pack(ll_ruleset *rules, const ll_known_pack *pack)
{
    ll_problem problem = {0};
    return ll_accept(ll_ruleset_add_pack(rules, pack->path, pack->bytes, pack->size, &problem), pack->path, &problem);
}

static bool add_named_packs(ll_rule_sets *sets, ll_ruleset *rules, const ll_rule_value *packs)
{
    for (const ll_yaml *item = ll_config_first(packs->node); item; item = ll_config_next(packs->node, item)) {
        int error = 0;
        const ll_known_pack *pack = find_pack(sets, ll_config_resolve(sets->arena, packs->file, item->text), &error);
        if (!pack) {
            ll_problem problem = {.line = item->line, .column = item->column};
            return ll_accept(LL_PROBLEM(&problem, "rules: '", item->text, "': ", ll_os_error_text(error),
                                        "; expected a rule file, relative to the directory of this file"),
                             packs->file->shown, &problem);
        }
        if (!add_pack(rules, pack)) {
            return false;
        }
    }
    return true;
}

/* Does the configuration name this pack, too? Then it must not be added twice. */
static bool is_named(ll_rule_sets *sets, const ll_rule_value *packs, const ll_known_pack *wanted)
{
    for (const ll_yaml *item = ll_config_first(packs->node); item; item = ll_config_next(packs->node, item)) {
        int error = 0;
        const ll_known_pack *pack = find_pack(sets, ll_config_resolve(sets->arena, packs->file, item->text), &error);
        if (pack && ll_os_same(pack->id, wanted->id)) {
            return true;
        }
    }
    return false;
}

/* Adds the packs of the configuration, then those of the command line. */
static bool add_packs(ll_rule_sets *sets, ll_ruleset *rules, const ll_rule_value *packs)
{
    if (!add_named_packs(sets, rules, packs)) {
        return false;
    }
    size_t at = 0;
    for (const char *path; (path = ll_options_next(sets->options, LL_OPT_RULES, &at)) != NULL;) {
        int error = 0;
        const ll_known_pack *pack = find_pack(sets, path, &error);
        if (!pack) {
            return ll_say("--rules %s: %s", path, ll_os_error_text(error));
        }
        if (!is_named(sets, packs, pack) && !add_pack(rules, pack)) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ the command line */

typedef ll_status selector_fn(ll_ruleset *rules, const char *selector, ll_problem *problem);

/* Applies comma-separated selectors. Unless `strict`, selectors without a match are ignored. Adds the number of the
 * others to *matched. */
static bool apply_selectors(ll_ruleset *rules, bool strict, selector_fn *apply, const char *option, const char *list,
                            size_t *matched)
{
    for (const char *at = list;; at++) {
        char selector[256] = "";
        ll_problem problem = {0};
        size_t n = strcspn(at, ",");
        if (n == 0 || n >= sizeof selector) {
            return ll_say("%s %s: a selector is %s", option, list, n ? "too long" : "empty");
        }
        memcpy(selector, at, n);
        ll_status status = apply(rules, selector, &problem);
        if (status != LL_OK && (strict || status != LL_E_PACK)) {
            return ll_accept(status, option, &problem);
        }
        *matched += status == LL_OK;
        at += n;
        if (!*at) {
            return true;
        }
    }
}

/* Applies RULE=LEVEL. */
static bool apply_severity(ll_ruleset *rules, bool strict, const char *value)
{
    char selector[256] = "";
    ll_problem problem = {0};
    ll_severity severity = LL_SEVERITY_OFF;
    const char *equals = strrchr(value, '=');
    size_t n = equals ? (size_t)(equals - value) : 0;
    if (n == 0 || n >= sizeof selector) {
        return ll_say("--severity %s: expected RULE=LEVEL", value);
    }
    memcpy(selector, value, n);
    if (!ll_options_severity(equals + 1, ll_level_names, "--severity", &severity)) {
        return false;
    }
    ll_status status = ll_ruleset_set_severity(rules, selector, severity, &problem);
    return (!strict && status == LL_E_PACK) || ll_accept(status, "--severity", &problem);
}

/* Switches all rules off: for a selection in which no selector matches. */
static bool select_nothing(ll_ruleset *rules)
{
    ll_problem problem = {0};
    return ll_accept(ll_ruleset_ignore(rules, "all", &problem), "--select", &problem);
}

static bool apply_options(const ll_rule_sets *sets, ll_ruleset *rules)
{
    const ll_options *options = sets->options;
    size_t selected = 0;
    size_t ignored = 0;
    for (size_t i = 0; i < options->setting_count; i++) {
        const ll_setting *setting = &options->settings[i];
        bool fine = true;
        if (setting->option == LL_OPT_SELECT) {
            fine = apply_selectors(rules, sets->strict, ll_ruleset_select, "--select", setting->value, &selected);
        } else if (setting->option == LL_OPT_IGNORE) {
            fine = apply_selectors(rules, sets->strict, ll_ruleset_ignore, "--ignore", setting->value, &ignored);
        } else if (setting->option == LL_OPT_SEVERITY) {
            fine = apply_severity(rules, sets->strict, setting->value);
        }
        if (!fine) {
            return false;
        }
    }
    return !ll_options_given(options, LL_OPT_SELECT) || selected || select_nothing(rules);
}

/* ------------------------------------------------------------------ configurations */

/* Applies a value of a configuration file. Its selectors were checked with the packs of its own directory; with other
 * packs they may match nothing, which is an error only if `strict`. */
static bool apply_value(ll_ruleset *rules, bool strict, const ll_rule_value *value, size_t *matched)
{
    const char *name = ll_key_rows[value->key].name;
    for (const ll_yaml *item = ll_config_first(value->node); item; item = ll_config_next(value->node, item)) {
        ll_problem problem = {0};
        const ll_yaml *at = value->key == LL_KEY_SEVERITY ? item->key : item;
        ll_status status =
            value->key == LL_KEY_SELECT ? ll_ruleset_select(rules, at->text, &problem)
            : value->key == LL_KEY_IGNORE
                ? ll_ruleset_ignore(rules, at->text, &problem)
                : ll_ruleset_set_severity(rules, at->text, (ll_severity)ll_config_word(item, ll_level_names), &problem);
        if (status != LL_OK && (strict || status != LL_E_PACK)) {
            return accept_at(status, value->file, name, at, &problem);
        }
        *matched += status == LL_OK;
    }
    return true;
}

static bool apply_settings(const ll_rule_sets *sets, ll_ruleset *rules, const ll_rule_settings *wanted)
{
    bool selecting =
        ll_options_given(sets->options, LL_OPT_SELECT); /* --select replaces select and ignore of all files */
    size_t matched = 0;
    if (wanted->select.node && !selecting) {
        if (!apply_value(rules, false, &wanted->select, &matched) || (!matched && !select_nothing(rules))) {
            return false;
        }
    }
    for (size_t i = 0; i < wanted->change_count; i++) {
        const ll_rule_value *change = &wanted->changes[i];
        if (!(selecting && change->key == LL_KEY_IGNORE) && !apply_value(rules, false, change, &matched)) {
            return false;
        }
    }
    return apply_options(sets, rules);
}

static bool build(ll_rule_sets *sets, const ll_rule_settings *wanted, ll_ruleset **out)
{
    ll_problem problem = {0};
    ll_need(ll_ruleset_create(NULL, out));
    return add_packs(sets, *out, &wanted->packs) && apply_settings(sets, *out, wanted) &&
           ll_accept(ll_ruleset_seal(*out, &problem), "rules", &problem);
}

/* Do two values say the same, even in different files? Many mods may each contain the same configuration. */
static bool same_value(const ll_rule_value *a, const ll_rule_value *b)
{
    const ll_yaml *one = ll_config_first(a->node);
    const ll_yaml *two = ll_config_first(b->node);
    if (a->node == b->node) {
        return true;
    }
    bool same = a->key == b->key && a->node && b->node;
    same = same && (a->key != LL_KEY_RULES || strcmp(a->file->directory, b->file->directory) == 0);
    for (; same && one && two; one = ll_config_next(a->node, one), two = ll_config_next(b->node, two)) {
        same = strcmp(one->text, two->text) == 0 &&
               (a->key != LL_KEY_SEVERITY || strcmp(one->key->text, two->key->text) == 0);
    }
    return same && !one && !two;
}

static bool same_settings(const ll_rule_settings *a, const ll_rule_settings *b)
{
    bool same =
        a->change_count == b->change_count && same_value(&a->packs, &b->packs) && same_value(&a->select, &b->select);
    for (size_t i = 0; same && i < a->change_count; i++) {
        same = same_value(&a->changes[i], &b->changes[i]);
    }
    return same;
}

const ll_ruleset *ll_rule_sets_get(ll_rule_sets *sets, const ll_rule_settings *wanted)
{
    for (const ll_known_rules *known = sets->rules; known; known = known->next) {
        if (same_settings(&known->wanted, wanted)) {
            return known->rules;
        }
    }
    ll_known_rules *known = ll_arena_zalloc(sets->arena, 1, sizeof *known);
    ll_rule_value *changes = ll_arena_alloc(sets->arena, wanted->change_count + 1, sizeof *changes);
    *known = (ll_known_rules){.wanted = *wanted, .next = sets->rules};
    for (size_t i = 0; i < wanted->change_count; i++) {
        changes[i] = wanted->changes[i];
    }
    known->wanted.changes = changes;
    sets->rules = known;
    if (!build(sets, wanted, &known->rules)) {
        ll_ruleset_free(known->rules);
        known->rules = NULL;
    }
    return known->rules;
}

/* Checks the selectors at the top of a file or in one override. */
static bool check_values(ll_ruleset *rules, const ll_config_file *file, const ll_yaml *const *values)
{
    static const ll_key keys[] = {LL_KEY_SELECT, LL_KEY_IGNORE, LL_KEY_SEVERITY};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        ll_rule_value value = {keys[i], file, values[keys[i]]};
        size_t matched = 0;
        if (!apply_value(rules, true, &value, &matched)) {
            return false;
        }
    }
    return true;
}

bool ll_rule_sets_check(ll_rule_sets *sets, const ll_rule_value *packs, const ll_config_file *file)
{
    ll_ruleset *rules = NULL;
    ll_need(ll_ruleset_create(NULL, &rules));
    bool fine = add_packs(sets, rules, packs) && check_values(rules, file, file->values);
    for (size_t i = 0; fine && i < file->override_count; i++) {
        fine = check_values(rules, file, file->overrides[i].values);
    }
    ll_ruleset_free(rules);
    return fine;
}

void ll_rule_sets_free(ll_rule_sets *sets)
{
    for (ll_known_rules *known = sets->rules; known; known = known->next) {
        ll_ruleset_free(known->rules);
    }
    sets->rules = NULL;
}
