/* Checks that need more than one rule: unique ids and names, rules named in `yields_to`, prefixes of shipped rules. */
#ifndef LL_RULES_CROSS_CHECK_H
#define LL_RULES_CROSS_CHECK_H

#include "base/arena.h"
#include "rules/rule.h"

/* A rule in a sorted index, with its index in the caller's list. */
typedef struct ll_indexed_rule {
    const ll_rule *rule;
    size_t number;
} ll_indexed_rule;
/* Makes an index sorted by family and name; NULL: no memory. ll_rules_find() finds a rule in it; NULL: no such rule. */
const ll_indexed_rule *ll_rules_by_name(ll_arena *arena, const ll_rule *const *rules, size_t count);
const ll_indexed_rule *ll_rules_find(const ll_indexed_rule *index, size_t count, const char *family, const char *name);

/* Checks that ids are unique, names are unique in their family, each fault has at most one rule, and `yields_to` names
 * rules of the same family without a cycle. On LL_E_PACK *culprit is the index of the wrong rule; of two equal ones,
 * the one that comes later in `rules`. Uses only scratch memory. */
ll_status ll_rules_cross_check(ll_arena *scratch, const ll_rule *const *rules, size_t count, size_t *culprit,
                               ll_problem *problem);

/* The family whose shipped rules have the prefix of this id ("GRX012" -> "grx"); NULL: not a shipped prefix. */
const char *ll_shipped_family(const char *id);

/* Checks that the hints of a rule are causes that its format knows. LL_E_PACK with the nearest name. */
ll_status ll_rule_check_hints(const ll_rule *rule, ll_problem *problem);

#endif
