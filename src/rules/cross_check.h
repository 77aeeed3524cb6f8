/* What no rule shows by itself: ids and names that must be unique, `yields_to` that must lead somewhere, prefixes that
 * are taken. */
#ifndef LL_RULES_CROSS_CHECK_H
#define LL_RULES_CROSS_CHECK_H

#include "base/arena.h"
#include "rules/rule.h"

/* A rule in a sorted index, with its number in the caller's order. */
typedef struct ll_indexed_rule {
    const ll_rule *rule;
    size_t number;
} ll_indexed_rule;
/* All rules by family and name; NULL without memory. And the one of that name, or NULL. */
const ll_indexed_rule *ll_rules_by_name(ll_arena *arena, const ll_rule *const *rules, size_t count);
const ll_indexed_rule *ll_rules_find(const ll_indexed_rule *index, size_t count, const char *family, const char *name);

/* Ids are unique, names are unique in their family, a fault has one rule, `yields_to` names rules of the same family
 * and makes no cycle (in which each rule would yield to the next). On LL_E_PACK *culprit is the number of the
 * rule at fault: of two alike, the one that comes later in `rules`. Scratch memory only. */
ll_status ll_rules_cross_check(ll_arena *scratch, const ll_rule *const *rules, size_t count, size_t *culprit,
                               ll_problem *problem);

/* The family whose shipped rules have the prefix of this id ("GRX012" -> "grx"); NULL: no shipped rule has it. */
const char *ll_shipped_family(const char *id);

/* The hints of a rule, if any, are causes that its format knows. */
ll_status ll_rule_check_hints(const ll_rule *rule, ll_problem *problem);

#endif
