/* Rule sets: which rules there are, which of them run and with which severity; the meaning of selectors. Trusts the
 * shipped tables, which packc has checked, but no pack that is added at run time. Parses only packs that are added. */
#include "rules/ruleset.h"

#include "base/glob.h"
#include "base/problem.h"
#include "base/text.h"
#include "rules/cross_check.h"
#include "rules/pack.h"
#include "rules/regex.h"

#include <string.h>

enum { MEMORY_MAX = 256 * 1024 * 1024 };

/* ------------------------------------------------------------------ life */

/* Recomputes the severities in force from selection and levels. */
static void update_severities(ll_ruleset *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        ll_active_rule *active = &rules->rules[i];
        bool locked = active->own ? active->own->locked : ll_shipped_rules[active->row].locked;
        bool runs = locked || ((active->selected || !rules->selecting) && !active->ignored);
        active->severity = runs ? active->level : (uint8_t)LL_SEVERITY_OFF;
    }
}

/* Takes one block for what belongs to the rules, of which most pages are never touched: few rules are made. */
static bool make_room(ll_ruleset *rules)
{
    size_t count = rules->count;
    size_t made = count * sizeof(ll_rule) + ll_shipped_word_count * sizeof(char *);
    size_t zeroed = count * (sizeof(ll_active_rule) + sizeof *rules->made.states);
    char *block = ll_arena_alloc(&rules->arena, made + zeroed, 1);
    if (!block) {
        return false;
    }
    rules->made.rules = (void *)block;
    rules->made.words = (void *)(rules->made.rules + count);
    rules->rules = (void *)(rules->made.words + ll_shipped_word_count);
    rules->made.states = (void *)(rules->rules + count);
    memset(rules->rules, 0, zeroed);
    return true;
}

ll_status ll_ruleset_create(const ll_allocator *allocator, ll_ruleset **out)
{
    if (!out) {
        return LL_E_ARGUMENT;
    }
    *out = NULL;
    ll_allocator source = ll_allocator_or_default(allocator);
    ll_ruleset *rules = source.alloc(source.ctx, sizeof *rules);
    if (!rules) {
        return LL_E_MEMORY;
    }
    *rules = (ll_ruleset){.count = ll_shipped_rule_count, .at_once = allocator != NULL};
    ll_arena_init(&rules->arena, &source, MEMORY_MAX);
    if (!make_room(rules)) {
        ll_ruleset_free(rules);
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < rules->count; i++) {
        rules->rules[i].row = i;
        rules->rules[i].level = ll_shipped_rules[i].severity;
    }
    update_severities(rules);
    *out = rules;
    return LL_OK;
}

/* Frees a program, which lies in its own arena. */
void ll_free_program(ll_format_program *program)
{
    if (program) {
        for (size_t i = 0; i < program->patterns.count; i++) {
            ll_regex_free(program->patterns.items[i]);
        }
        ll_arena arena = program->arena;
        ll_arena_free(&arena);
    }
}

void ll_ruleset_unbind(ll_ruleset *rules)
{
    for (size_t i = 0; rules->formats && i < ll_format_count() * LL_PROGRAM_KINDS; i++) {
        ll_free_program(atomic_load(&rules->formats[i / LL_PROGRAM_KINDS].program[i % LL_PROGRAM_KINDS]));
    }
    rules->formats = NULL;
}

void ll_ruleset_free(ll_ruleset *rules)
{
    if (!rules) {
        return;
    }
    ll_ruleset_unbind(rules);
    ll_allocator source = rules->arena.allocator;
    ll_arena_free(&rules->arena);
    source.release(source.ctx, rules);
}

/* ------------------------------------------------------------------ packs */

/* Checks one rule of a new pack on its own: its id, its hints, and whether it fits the formats. */
static ll_status check_rule(ll_arena *scratch, const ll_rule *rule, ll_problem *problem)
{
    if (ll_shipped_family(rule->id)) {
        return LL_PROBLEM(problem, "id '", rule->id, "' has a prefix of the shipped rules; choose letters of your own");
    }
    ll_arena_reset(scratch);
    ll_status status = ll_rule_check(scratch, rule, false, problem);
    return status == LL_OK ? ll_rule_check_hints(rule, problem) : status;
}

/* A list of all rules, with those of a new pack at the end; NULL: no memory. */
static const ll_rule **list_rules(ll_arena *arena, const ll_ruleset *rules, const ll_rule *pack, size_t count)
{
    size_t total;
    const ll_rule **all = ll_add_size(rules->count, count, &total) ? ll_arena_alloc(arena, total, sizeof *all) : NULL;
    for (size_t i = 0; all && i < total; i++) {
        all[i] = i < rules->count ? ll_rule_at(rules, i) : &pack[i - rules->count];
    }
    return all;
}

/* Checks the new rules, first one by one and then together with the existing ones. *culprit is the index of the wrong
 * new rule. */
static ll_status check_pack(const ll_ruleset *rules, ll_arena *scratch, const ll_rule *pack, size_t count,
                            size_t *culprit, ll_problem *problem)
{
    for (size_t i = 0; i < count; i++) {
        *culprit = i;
        ll_status status = check_rule(scratch, &pack[i], problem);
        if (status != LL_OK) {
            return status;
        }
    }
    const ll_rule **all = list_rules(scratch, rules, pack, count);
    if (!all) {
        return LL_E_MEMORY;
    }
    size_t late;
    ll_status status = ll_rules_cross_check(scratch, all, rules->count + count, &late, problem);
    *culprit = late >= rules->count ? late - rules->count : 0;
    return status;
}

/* Inserts the rules of a checked pack, sorted by id. Changes nothing if memory runs out. */
static ll_status merge(ll_ruleset *rules, const ll_rule *pack, size_t count)
{
    size_t total;
    ll_active_rule *all = NULL;
    if (ll_add_size(rules->count, count, &total)) {
        all = ll_arena_zalloc(&rules->arena, total, sizeof *all);
    }
    if (!all) {
        return LL_E_MEMORY;
    }
    memcpy(all, rules->rules, rules->count * sizeof *all);
    for (size_t i = 0; i < count; i++) {
        size_t at = rules->count + i;
        for (; at > 0 && strcmp(ll_rule_of(rules, &all[at - 1])->id, pack[i].id) > 0; at--) {
            all[at] = all[at - 1];
        }
        all[at] = (ll_active_rule){.own = &pack[i], .level = pack[i].severity};
    }
    rules->rules = all;
    rules->count = total;
    update_severities(rules);
    return LL_OK;
}

ll_status ll_ruleset_add_pack(ll_ruleset *rules, const char *name, const void *yaml, size_t size, ll_problem *problem)
{
    if (!rules || rules->sealed || !name || (!yaml && size)) {
        return LL_E_ARGUMENT;
    }
    (void)ll_problem_at(problem, 0, 0);
    ll_rule *pack;
    size_t count;
    ll_status status = ll_pack_read(&rules->arena, &(ll_pack_text){name, yaml, size}, &pack, &count, problem);
    if (status != LL_OK) {
        return status;
    }
    ll_arena scratch;
    ll_arena_init(&scratch, &rules->arena.allocator, MEMORY_MAX);
    size_t culprit = 0;
    status = check_pack(rules, &scratch, pack, count, &culprit, problem);
    ll_arena_free(&scratch);
    if (status == LL_E_PACK) {
        return ll_pack_locate(&rules->arena.allocator, &(ll_pack_text){name, yaml, size}, culprit, problem);
    }
    return status == LL_OK ? merge(rules, pack, count) : status;
}

/* ------------------------------------------------------------------ selectors */

typedef enum match { MATCH_NONE, MATCH_GROUP, MATCH_EXACT } match;

enum { NEEDLE_MAX = 256 };

typedef enum form { FORM_ALL, FORM_TAG, FORM_GLOB, FORM_PLAIN } form;

/* A parsed selector. Case does not matter: ids have no small letters; names, families and tags have no capitals. */
typedef struct needle {
    const char *text; /* as given, without "tag:" */
    form form;
    bool has_family;                       /* "family/name" */
    size_t family;                         /* length of the family */
    char id[NEEDLE_MAX], name[NEEDLE_MAX]; /* the text in capitals and in small letters; "" if it is too long */
} needle;

static needle read_selector(const char *text, bool may_be_group)
{
    static const char tag[] = "tag:";
    bool is_tag = may_be_group && strlen(text) >= sizeof tag - 1 && ll_same_letters(text, tag, sizeof tag - 1);
    needle what = {.text = is_tag ? text + sizeof tag - 1 : text, .form = FORM_PLAIN};
    size_t n = strlen(what.text);
    for (size_t i = 0; n < NEEDLE_MAX && i < n; i++) {
        what.id[i] = ll_upper(what.text[i]);
        what.name[i] = ll_lower(what.text[i]);
    }
    const char *slash = strchr(what.name, '/');
    what.has_family = slash != NULL;
    what.family = slash ? (size_t)(slash - what.name) : 0;
    if (may_be_group) {
        what.form = is_tag                             ? FORM_TAG
                    : strcmp(what.name, "all") == 0    ? FORM_ALL
                    : strpbrk(what.text, "*?") != NULL ? FORM_GLOB
                                                       : FORM_PLAIN;
    }
    return what;
}

static bool has_tag(const ll_rule *rule, const char *tag)
{
    ll_names tags = LL_NAME_LIST(rule->tags.at, rule->tags.count);
    return ll_names_find(&tags, tag) < tags.count;
}

/* The name without "family/". */
static const char *own_name(const needle *what)
{
    return what->name + (what->has_family ? what->family + 1 : 0);
}

static bool globs(const needle *what, const ll_rule *rule)
{
    size_t n = strlen(what->name);
    if (what->has_family) {
        return ll_glob(what->name, what->family, rule->family) &&
               ll_glob(own_name(what), n - what->family - 1, rule->name);
    }
    return ll_glob(what->id, n, rule->id) || ll_glob(what->name, n, rule->name);
}

static match match_plain(const needle *what, const ll_rule *rule)
{
    size_t n = strlen(what->id);
    if (what->has_family) {
        bool same = strncmp(what->name, rule->family, what->family) == 0 && !rule->family[what->family];
        return same && strcmp(own_name(what), rule->name) == 0 ? MATCH_EXACT : MATCH_NONE;
    }
    if (n == 0) {
        return MATCH_NONE;
    }
    return strcmp(what->id, rule->id) == 0 || strcmp(what->name, rule->name) == 0 ? MATCH_EXACT
           : strncmp(what->id, rule->id, n) == 0                                  ? MATCH_GROUP
                                                                                  : MATCH_NONE;
}

static match match_rule(const needle *what, const ll_rule *rule)
{
    switch (what->form) {
    case FORM_ALL:
        return MATCH_GROUP;
    case FORM_TAG:
        return has_tag(rule, what->name) ? MATCH_GROUP : MATCH_NONE;
    case FORM_GLOB:
        return globs(what, rule) ? MATCH_GROUP : MATCH_NONE;
    case FORM_PLAIN:
        return match_plain(what, rule);
    }
    return MATCH_NONE;
}

static void offer_all(const ll_ruleset *rules, const needle *what, ll_nearest *nearest)
{
    form of = what->form;
    for (size_t i = 0; i < rules->count; i++) {
        const ll_rule *rule = ll_rule_at(rules, i);
        for (size_t t = 0; of == FORM_TAG && t < rule->tags.count; t++) {
            ll_nearest_offer(nearest, rule->tags.at[t]);
        }
        if (of == FORM_PLAIN) {
            ll_nearest_offer(nearest, rule->id);
            ll_nearest_offer(nearest, rule->name);
            if (what->has_family && strcmp(rule->name, own_name(what)) == 0) { /* same name, another family */
                nearest->name = rule->name;
                nearest->distance = 0;
            }
        }
    }
}

/* Reports an unknown selector, with the nearest name. */
static ll_status refuse_selector(const ll_ruleset *rules, const needle *what, ll_problem *problem)
{
    if (what->form == FORM_GLOB) {
        return LL_PROBLEM(problem, "no rule matches '", what->text, "'");
    }
    ll_nearest nearest = {.to = what->has_family ? own_name(what) : what->text}; /* the family does not count */
    offer_all(rules, what, &nearest);
    nearest.to = what->text;
    return ll_problem_unknown(problem, what->form == FORM_TAG ? "tag" : "rule", &nearest);
}

/* The change that a selector makes to its rules. */
typedef struct change {
    enum { CHANGE_SELECT, CHANGE_IGNORE, CHANGE_LEVEL } what;
    uint8_t level;
} change;

/* Locked rules cannot be ignored or lowered. A selector that names one exactly is an error; one that matches it as part
 * of a group leaves it unchanged. */
static bool is_refused(const ll_rule *rule, const change *wanted)
{
    return rule->locked &&
           (wanted->what == CHANGE_IGNORE || (wanted->what == CHANGE_LEVEL && wanted->level < rule->severity));
}

/* A rule that is off by default is turned on only by its exact name. */
static void apply(ll_active_rule *active, const ll_rule *rule, match how, const change *wanted)
{
    bool is_off = rule->severity == LL_SEVERITY_OFF && active->level == LL_SEVERITY_OFF;
    switch (wanted->what) {
    case CHANGE_SELECT:
        active->selected = true;
        if (is_off && how == MATCH_EXACT) {
            active->level = LL_NOTE;
        }
        break;
    case CHANGE_IGNORE:
        active->ignored = true;
        break;
    case CHANGE_LEVEL:
        if (!is_off || how == MATCH_EXACT) {
            active->level = wanted->level;
        }
        break;
    }
}

static ll_status change_rules(ll_ruleset *rules, const char *text, const change *wanted, ll_problem *problem)
{
    if (!rules || rules->sealed || !text) {
        return LL_E_ARGUMENT;
    }
    (void)ll_problem_at(problem, 0, 0);
    needle what = read_selector(text, true);
    bool matched = false;
    for (size_t i = 0; i < rules->count; i++) {
        const ll_rule *rule = ll_rule_at(rules, i);
        match how = match_rule(&what, rule);
        if (how == MATCH_EXACT && is_refused(rule, wanted)) {
            return LL_PROBLEM(problem, "rule ", rule->id, " (", rule->name, ") is locked: it cannot be ",
                              wanted->what == CHANGE_IGNORE ? "ignored" : "lowered");
        }
        matched = matched || how != MATCH_NONE;
    }
    if (!matched) {
        return refuse_selector(rules, &what, problem);
    }
    for (size_t i = 0; i < rules->count; i++) {
        const ll_rule *rule = ll_rule_at(rules, i);
        match how = match_rule(&what, rule);
        if (how != MATCH_NONE && !is_refused(rule, wanted)) {
            apply(&rules->rules[i], rule, how, wanted);
        }
    }
    rules->selecting = rules->selecting || wanted->what == CHANGE_SELECT;
    update_severities(rules);
    return LL_OK;
}

ll_status ll_ruleset_choose(const ll_ruleset *rules, const char *selector, bool *chosen, ll_problem *problem)
{
    if (!rules || !selector || !chosen) {
        return LL_E_ARGUMENT;
    }
    needle what = read_selector(selector, true);
    bool matched = false;
    for (size_t i = 0; i < rules->count; i++) {
        bool matches = match_rule(&what, ll_rule_at(rules, i)) != MATCH_NONE;
        chosen[i] = chosen[i] || matches;
        matched = matched || matches;
    }
    return matched ? LL_OK : refuse_selector(rules, &what, problem);
}

ll_status ll_ruleset_select(ll_ruleset *rules, const char *selector, ll_problem *problem)
{
    return change_rules(rules, selector, &(change){.what = CHANGE_SELECT}, problem);
}

ll_status ll_ruleset_ignore(ll_ruleset *rules, const char *selector, ll_problem *problem)
{
    return change_rules(rules, selector, &(change){.what = CHANGE_IGNORE}, problem);
}

ll_status ll_ruleset_set_severity(ll_ruleset *rules, const char *selector, ll_severity severity, ll_problem *problem)
{
    if ((unsigned)severity > LL_ERROR) {
        return LL_E_ARGUMENT;
    }
    return change_rules(rules, selector, &(change){.what = CHANGE_LEVEL, .level = (uint8_t)severity}, problem);
}

/* ------------------------------------------------------------------ sealing */

/* Resolves the names in yields_to of all rules that run. */
ll_status ll_resolve_yields(ll_ruleset *rules)
{
    bool as_shipped = rules->count == ll_shipped_rule_count; /* packc has resolved all names */
    const ll_rule **all = as_shipped ? NULL : list_rules(&rules->arena, rules, NULL, 0);
    const ll_indexed_rule *index = all ? ll_rules_by_name(&rules->arena, all, rules->count) : NULL;
    for (size_t i = 0; i < rules->count; i++) {
        ll_active_rule *active = &rules->rules[i];
        if (active->severity == LL_SEVERITY_OFF) {
            continue;
        }
        if (as_shipped) {
            active->yields_count = ll_shipped_rules[active->row].yield_count;
            active->yields_to = ll_shipped_yields + ll_shipped_rules[active->row].first_yield;
            continue;
        }
        const ll_rule *rule = ll_rule_of(rules, active);
        const ll_words *names = &rule->yields_to;
        active->yields_count = (uint32_t)names->count;
        uint32_t *numbers = index ? ll_arena_alloc(&rules->arena, names->count, sizeof *numbers) : NULL;
        if (!numbers) {
            return LL_E_MEMORY;
        }
        for (size_t j = 0; j < names->count; j++) { /* ll_rules_cross_check() has checked that these rules exist */
            numbers[j] = (uint32_t)ll_rules_find(index, rules->count, rule->family, names->at[j])->number;
        }
        active->yields_to = numbers;
    }
    return LL_OK;
}

/* ------------------------------------------------------------------ the catalogue */

size_t ll_ruleset_count(const ll_ruleset *rules)
{
    return rules->count;
}

bool ll_ruleset_rule(const ll_ruleset *rules, size_t index, ll_rule_info *out)
{
    if (index >= rules->count) {
        return false;
    }
    const ll_active_rule *active = &rules->rules[index];
    const ll_rule *rule = ll_rule_of(rules, active);
    *out = (ll_rule_info){
        .id = rule->id,
        .name = rule->name,
        .family = rule->family,
        .severity = (ll_severity)active->severity,
        .default_severity = (ll_severity)rule->severity,
        .locked = rule->locked,
        .may_be_marked = ll_rule_may_be_marked(rule),
        .tags = rule->tags.at,
        .tag_count = rule->tags.count,
        .title = rule->title,
        .why = rule->why,
        .evidence = rule->evidence,
        .fix = rule->fix,
        .target = rule->target,
        .check = rule->check_text,
        .patch = (ll_patch_tier)rule->patch,
    };
    return true;
}

bool ll_ruleset_find(const ll_ruleset *rules, const char *what, size_t *index, ll_problem *problem)
{
    (void)ll_problem_at(problem, 0, 0);
    needle text = read_selector(what, false);
    const ll_rule *first = NULL;
    for (size_t i = 0; i < rules->count; i++) {
        const ll_rule *rule = ll_rule_at(rules, i);
        if (match_plain(&text, rule) != MATCH_EXACT) {
            continue;
        }
        if (first) {
            (void)LL_PROBLEM(problem, "several rules are called '", what, "': ", first->family, "/", first->name,
                             " and ", rule->family, "/", rule->name);
            return false;
        }
        first = rule;
        *index = i;
    }
    if (!first) {
        (void)refuse_selector(rules, &text, problem);
    }
    return first != NULL;
}

bool ll_ruleset_chose(const ll_ruleset *rules, size_t index)
{
    const ll_active_rule *rule = &rules->rules[index];
    return (rule->selected || !rules->selecting) && !rule->ignored;
}

ll_status ll_ruleset_claims(const ll_ruleset *rules, const ll_allocator *allocator, ll_ruleset **out)
{
    ll_problem problem;
    ll_status status = ll_ruleset_create(allocator, out);
    if (status != LL_OK) {
        return status;
    }
    ll_ruleset *claims = *out;
    ll_active_rule *all = ll_arena_zalloc(&claims->arena, rules->count, sizeof *all);
    if (!all) {
        return LL_E_MEMORY;
    }
    for (size_t i = 0; i < rules->count; i++) {
        all[i] = (ll_active_rule){.own = rules->rules[i].own,
                                  .row = rules->rules[i].row,
                                  .severity = ll_ruleset_chose(rules, i) ? LL_NOTE : LL_SEVERITY_OFF};
    }
    claims->rules = all;
    claims->count = rules->count;
    return ll_ruleset_seal(claims, &problem);
}
