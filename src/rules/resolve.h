/* Resolves the names in a rule to the numbers of records, fields, faults and C checks of its format. */
#ifndef LL_RULES_RESOLVE_H
#define LL_RULES_RESOLVE_H

#include "base/arena.h"
#include "model/format.h"
#include "rules/rule.h"

/* Resolves one rule. *format is NULL for rules of "core", "ledger" and "mod". *out points into the arena. LL_E_PACK
 * with a message in *problem (the caller adds the line): an unknown family, record, field, fault, check or predicate,
 * with the nearest name; or no field that the predicate can judge. */
ll_status ll_rule_resolve(ll_arena *arena, const ll_rule *rule, const ll_format **format, ll_resolved *out,
                          ll_problem *problem);

#endif
