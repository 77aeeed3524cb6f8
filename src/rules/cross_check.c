/* Checks on all rules together: on the shipped packs at build time, and on a user's pack together with the shipped ones
 * at run time. Trusts the form of each rule (pack.h). */
#include "rules/cross_check.h"

#include "base/problem.h"
#include "model/format.h"
#include "rules/across.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ unique ids, faults and names */

static int compare_ids(const ll_rule *a, const ll_rule *b)
{
    return strcmp(a->id, b->id);
}

/* Rules without a fault are ordered by id, so they never compare equal. */
static int compare_faults(const ll_rule *a, const ll_rule *b)
{
    int order = strcmp(a->fault, b->fault);
    return order || *a->fault ? order : compare_ids(a, b);
}

static int compare_names(const ll_rule *a, const ll_rule *b)
{
    int order = strcmp(a->family, b->family);
    return order ? order : strcmp(a->name, b->name);
}

static int in_order(const ll_indexed_rule *a, const ll_indexed_rule *b,
                    int (*compare)(const ll_rule *, const ll_rule *))
{
    int order = compare(a->rule, b->rule);
    return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

static int by_id(const void *a, const void *b)
{
    return in_order(a, b, compare_ids);
}

static int by_fault(const void *a, const void *b)
{
    return in_order(a, b, compare_faults);
}

static int by_name(const void *a, const void *b)
{
    return in_order(a, b, compare_names);
}

static const struct {
    const char *what;
    size_t at; /* in ll_rule */
    int (*compare)(const ll_rule *, const ll_rule *);
    int (*sort)(const void *, const void *);
} unique[] = {{"id", offsetof(ll_rule, id), compare_ids, by_id},
              {"fault", offsetof(ll_rule, fault), compare_faults, by_fault},
              {"name", offsetof(ll_rule, name), compare_names, by_name}};

/* Leaves the index sorted by name. */
static ll_status check_unique(ll_indexed_rule *index, size_t count, size_t *culprit, ll_problem *problem)
{
    for (size_t u = 0; u < sizeof unique / sizeof unique[0]; u++) {
        qsort(index, count, sizeof *index, unique[u].sort);
        for (size_t i = 1; i < count; i++) {
            const ll_rule *first = index[i - 1].rule;
            if (unique[u].compare(first, index[i].rule) == 0) {
                const char *text;
                memcpy(&text, (const char *)first + unique[u].at, sizeof text);
                *culprit = index[i].number;
                return LL_PROBLEM(problem, unique[u].what, " '", text, "' is taken by ", first->id, " (", first->name,
                                  ") of ", first->origin);
            }
        }
    }
    return LL_OK;
}

/* ------------------------------------------------------------------ yields_to */

static ll_indexed_rule *make_index(ll_arena *arena, const ll_rule *const *rules, size_t count)
{
    ll_indexed_rule *index = ll_arena_alloc(arena, count, sizeof *index);
    for (size_t i = 0; index && i < count; i++) {
        index[i] = (ll_indexed_rule){rules[i], i};
    }
    return index;
}

const ll_indexed_rule *ll_rules_by_name(ll_arena *arena, const ll_rule *const *rules, size_t count)
{
    ll_indexed_rule *index = make_index(arena, rules, count);
    if (index) {
        qsort(index, count, sizeof *index, by_name);
    }
    return index;
}

const ll_indexed_rule *ll_rules_find(const ll_indexed_rule *index, size_t count, const char *family, const char *name)
{
    const ll_rule wanted = {.family = family, .name = name};
    for (size_t low = 0, high = count; low < high;) {
        size_t middle = low + (high - low) / 2;
        int order = compare_names(&wanted, index[middle].rule);
        if (order == 0) {
            return &index[middle];
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return NULL;
}

/* Checks that every name in yields_to is that of a rule of the family. */
static ll_status check_names(const ll_indexed_rule *index, size_t count, size_t *culprit, ll_problem *problem)
{
    for (size_t i = 0; i < count; i++) {
        const ll_rule *rule = index[i].rule;
        for (size_t n = 0; n < rule->yields_to.count; n++) {
            ll_nearest nearest = {.to = rule->yields_to.at[n]};
            if (ll_rules_find(index, count, rule->family, nearest.to)) {
                continue;
            }
            for (size_t j = 0; j < count; j++) {
                if (strcmp(index[j].rule->family, rule->family) == 0 && j != i) {
                    ll_nearest_offer(&nearest, index[j].rule->name);
                }
            }
            *culprit = index[i].number;
            return ll_problem_unknown(problem, "rule", &nearest);
        }
    }
    return LL_OK;
}

/* Are all rules that this one yields to marked? */
static bool may_be_marked(const ll_indexed_rule *index, size_t count, const bool *marked, const ll_rule *rule)
{
    bool may = true;
    for (size_t i = 0; may && i < rule->yields_to.count; i++) {
        may = marked[ll_rules_find(index, count, rule->family, rule->yields_to.at[i]) - index];
    }
    return may;
}

/* Marks the rules that yield to none, then those that yield only to marked ones, and so on. The rules left over are in
 * a cycle or yield to a rule in a cycle. */
static ll_status check_cycles(ll_arena *scratch, const ll_indexed_rule *index, size_t count, size_t *culprit,
                              ll_problem *problem)
{
    bool *marked = ll_arena_zalloc(scratch, count, sizeof *marked);
    if (!marked) {
        return LL_E_MEMORY;
    }
    const ll_indexed_rule *last = NULL;
    for (bool progress = true; progress;) {
        progress = false;
        last = NULL;
        for (size_t i = 0; i < count; i++) {
            if (!marked[i] && may_be_marked(index, count, marked, index[i].rule)) {
                marked[i] = progress = true;
            }
            last = !marked[i] && (!last || index[i].number > last->number) ? &index[i] : last;
        }
    }
    if (!last) {
        return LL_OK;
    }
    *culprit = last->number;
    return LL_PROBLEM(problem, "'yields_to' of rule '", last->rule->name, "' makes a cycle: it leads back to the rule");
}

ll_status ll_rules_cross_check(ll_arena *scratch, const ll_rule *const *rules, size_t count, size_t *culprit,
                               ll_problem *problem)
{
    *culprit = 0;
    ll_indexed_rule *index = make_index(scratch, rules, count);
    ll_status status = index ? check_unique(index, count, culprit, problem) : LL_E_MEMORY;
    status = status == LL_OK ? check_names(index, count, culprit, problem) : status;
    return status == LL_OK ? check_cycles(scratch, index, count, culprit, problem) : status;
}

/* ------------------------------------------------------------------ one rule and its format */

const char *ll_shipped_family(const char *id)
{
    enum { DIGITS = 3 };
    size_t length = strlen(id);
    if (length <= DIGITS) {
        return NULL;
    }
    length -= DIGITS;
    if (length == 3 && strncmp(id, "LED", length) == 0) {
        return "ledger";
    }
    if (length == 3 && strncmp(id, "MOD", length) == 0) {
        return "mod";
    }
    return length == 2 && strncmp(id, "LL", length) == 0 ? "core" : ll_format_of_prefix(id, length);
}

ll_status ll_rule_check_hints(const ll_rule *rule, ll_problem *problem)
{
    const ll_format *format = ll_format_find(rule->family);
    ll_names causes = {0};
    if (format) {
        causes = LL_NAMES(format->hints, format->hint_count, name);
    } else if (strcmp(rule->family, "core") == 0) {
        causes = LL_NAMES(ll_core_hints, LL_CORE_HINTS, name);
    } else if (strcmp(rule->family, "mod") == 0) {
        causes = LL_NAMES(ll_across_hints, LL_ACROSS_HINT_COUNT - 1, name);
    }
    ll_status status = LL_OK;
    for (size_t i = 0; status == LL_OK && i < rule->hints.count; i += 2) {
        size_t number;
        status = ll_names_pick(&causes, "hint", "", rule->hints.at[i], &number, problem);
    }
    return status;
}
