/* From the names in a rule to numbers: of its format's records and fields, of a fault, of a C check. */
#ifndef LL_RULES_RESOLVE_H
#define LL_RULES_RESOLVE_H

#include "base/arena.h"
#include "model/format.h"
#include "rules/rule.h"

/* Resolves one rule; *format is NULL for a rule of "core" or "ledger". What *out points to is from the arena. LL_E_PACK
 * with words in *problem (the caller adds the line): an unknown family, record, field, fault, check or predicate with
 * the nearest name; nothing left to judge. */
ll_status ll_rule_resolve(ll_arena *arena, const ll_rule *rule, const ll_format **format, ll_resolved *out,
                          ll_problem *problem);

#endif
