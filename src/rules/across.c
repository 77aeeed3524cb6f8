/* The tables of faults and hints across files, and the lookup of the fault that a rule reports. */
#include "rules/across.h"

#include "base/problem.h"

#include <string.h>

#define NAMED(name, slug, meaning, ...) {slug, meaning},
const ll_named ll_across_faults[LL_ACROSS_COUNT] = {LL_ACROSS_FAULTS(NAMED)};
const ll_named ll_across_hints[LL_ACROSS_HINT_COUNT - 1] = {LL_ACROSS_HINTS(NAMED)};

#define PARTS(name, slug, meaning, parts) parts,
const char *const ll_across_parts[LL_ACROSS_COUNT] = {LL_ACROSS_FAULTS(PARTS)};

unsigned ll_across_fault_of(const ll_rule *rule)
{
    const ll_names faults = LL_NAMES(ll_across_faults, LL_ACROSS_COUNT, name);
    const char *dot = strcmp(rule->family, "mod") == 0 ? strchr(rule->fault, '.') : NULL;
    return dot ? (unsigned)ll_names_find(&faults, dot + 1) : LL_ACROSS_COUNT;
}
