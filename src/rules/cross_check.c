/* Checks over all rules at once; the same for the shipped packs at build time and for a user's pack beside the shipped
 * ones at run time. Trusts each rule to have the form that pack.h promises. */
#include "rules/cross_check.h"

#include "base/problem.h"
#include "model/format.h"

#include <stdlib.h>
#include <string.h>

/* A rule in a sorted index, with its number in the caller's order. */
typedef struct entry {
    const ll_rule *rule;
    size_t number;
} entry;

static int by_number(const entry *a, const entry *b)
{
    return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_names(const ll_rule *a, const ll_rule *b)
{
    int order = strcmp(a->family, b->family);
    return order ? order : strcmp(a->name, b->name);
}

static int by_id(const void *a, const void *b)
{
    const entry *left = a;
    const entry *right = b;
    int order = strcmp(left->rule->id, right->rule->id);
    return order ? order : by_number(left, right);
}

static int by_fault(const void *a, const void *b)
{
    const entry *left = a;
    const entry *right = b;
    int order = strcmp(left->rule->fault, right->rule->fault);
    return order ? order : by_number(left, right);
}

static int by_name(const void *a, const void *b)
{
    const entry *left = a;
    const entry *right = b;
    int order = compare_names(left->rule, right->rule);
    return order ? order : by_number(left, right);
}

static ll_status check_ids(entry *index, size_t count, size_t *culprit, ll_problem *problem)
{
    qsort(index, count, sizeof *index, by_id);
    for (size_t i = 1; i < count; i++) {
        const ll_rule *first = index[i - 1].rule;
        if (strcmp(first->id, index[i].rule->id) == 0) {
            *culprit = index[i].number;
            return LL_PROBLEM(problem, "id '", first->id, "' is taken by rule ", first->name, " of ", first->origin);
        }
    }
    return LL_OK;
}

/* A fault has one rule: with two, it would be anybody's guess which of them speaks. */
static ll_status check_faults(entry *index, size_t count, size_t *culprit, ll_problem *problem)
{
    qsort(index, count, sizeof *index, by_fault);
    for (size_t i = 1; i < count; i++) {
        const ll_rule *first = index[i - 1].rule;
        if (*first->fault && strcmp(first->fault, index[i].rule->fault) == 0) {
            *culprit = index[i].number;
            return LL_PROBLEM(problem, "fault '", first->fault, "' is spoken for by ", first->id, " (", first->name,
                              ") of ", first->origin);
        }
    }
    return LL_OK;
}

/* Leaves the index sorted by name. */
static ll_status check_names(entry *index, size_t count, size_t *culprit, ll_problem *problem)
{
    qsort(index, count, sizeof *index, by_name);
    for (size_t i = 1; i < count; i++) {
        const ll_rule *first = index[i - 1].rule;
        if (compare_names(first, index[i].rule) == 0) {
            *culprit = index[i].number;
            return LL_PROBLEM(problem, "name '", first->name, "' is taken by ", first->id, " of ", first->origin);
        }
    }
    return LL_OK;
}

/* The rule of that name and family in an index sorted by name; NULL: there is none. */
static const entry *find_name(const entry *index, size_t count, const char *family, const char *name)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(family, index[middle].rule->family);
        order = order ? order : strcmp(name, index[middle].rule->name);
        if (order == 0) {
            return &index[middle];
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return NULL;
}

static ll_status check_yields(const entry *index, size_t count, const entry *at, size_t *culprit, ll_problem *problem)
{
    const ll_words *names = &at->rule->yields_to;
    for (size_t i = 0; i < names->count; i++) {
        if (find_name(index, count, at->rule->family, names->at[i])) {
            continue;
        }
        ll_nearest nearest = {.to = names->at[i]};
        for (size_t j = 0; j < count; j++) {
            if (strcmp(index[j].rule->family, at->rule->family) == 0 && index[j].rule != at->rule) {
                ll_nearest_offer(&nearest, index[j].rule->name);
            }
        }
        *culprit = at->number;
        return ll_problem_unknown(problem, "rule", &nearest);
    }
    return LL_OK;
}

/* A rule is settled when all that it yields to are settled; who never gets settled stands on a ring or yields to one.
 */
static bool is_settled(const entry *index, size_t count, const bool *settled, const ll_rule *rule)
{
    for (size_t i = 0; i < rule->yields_to.count; i++) {
        const entry *to = find_name(index, count, rule->family, rule->yields_to.at[i]);
        if (!settled[to - index]) {
            return false;
        }
    }
    return true;
}

static ll_status check_rings(ll_arena *scratch, const entry *index, size_t count, size_t *culprit, ll_problem *problem)
{
    bool *settled = ll_arena_zalloc(scratch, count, sizeof *settled);
    if (!settled) {
        return LL_E_MEMORY;
    }
    size_t left = count;
    for (bool progress = true; progress && left;) {
        progress = false;
        for (size_t i = 0; i < count; i++) {
            if (!settled[i] && is_settled(index, count, settled, index[i].rule)) {
                settled[i] = progress = true;
                left--;
            }
        }
    }
    const entry *last = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!settled[i] && (!last || index[i].number > last->number)) {
            last = &index[i];
        }
    }
    if (last) {
        *culprit = last->number;
        return LL_PROBLEM(problem, "'yields_to' of rule '", last->rule->name,
                          "' leads back to a rule that yields to it");
    }
    return LL_OK;
}

ll_status ll_rules_cross_check(ll_arena *scratch, const ll_rule *const *rules, size_t count, size_t *culprit,
                               ll_problem *problem)
{
    *culprit = 0;
    entry *index = ll_arena_alloc(scratch, count, sizeof *index);
    if (!index) {
        return LL_E_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        index[i] = (entry){rules[i], i};
    }
    ll_status status = check_ids(index, count, culprit, problem);
    if (status == LL_OK) {
        status = check_faults(index, count, culprit, problem);
    }
    if (status == LL_OK) {
        status = check_names(index, count, culprit, problem);
    }
    for (size_t i = 0; status == LL_OK && i < count; i++) {
        status = check_yields(index, count, &index[i], culprit, problem);
    }
    return status == LL_OK ? check_rings(scratch, index, count, culprit, problem) : status;
}

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
    return length == 2 && strncmp(id, "LL", length) == 0 ? "core" : ll_format_of_prefix(id, length);
}

ll_status ll_rule_check_hints(const ll_rule *rule, ll_problem *problem)
{
    const ll_format *format = ll_format_find(rule->family);
    size_t known = format ? format->hint_count : 0;
    for (size_t i = 0; i < rule->hints.count; i += 2) {
        ll_nearest nearest = {.to = rule->hints.at[i]};
        size_t k = 0;
        for (; k < known && strcmp(format->hints[k].name, rule->hints.at[i]) != 0; k++) {
            ll_nearest_offer(&nearest, format->hints[k].name);
        }
        if (k == known) {
            return ll_problem_unknown(problem, "hint", &nearest);
        }
    }
    return LL_OK;
}
