/* The catalogue and its bound form. Before sealing: rules, severities, selection. Sealing resolves every selector to (layout,
 * field), compiles patterns and lays out, per record, what the engine runs. Immutable afterwards, shared by any number of threads. */
#ifndef LL_RULES_RULESET_H
#define LL_RULES_RULESET_H

#include "rules/predicate.h"

/* One test of one rule on one field of one record. */
typedef struct ll_bound_rule {
    uint32_t rule; /* number in the rule set */
    ll_bound_test test;
    ll_bound_test when;        /* predicate NULL: no guard */
    const ll_check_def *check; /* not NULL: a C check instead of a test */
    uint8_t weaker;            /* so many tests behind it hold where it holds */
} ll_bound_rule;

/* A quick filter and the tests [first, first + count) of the record that it stands for. */
typedef struct ll_filter {
    ll_quick quick;
    uint32_t first, count;
} ll_filter;

/* What runs for every element of spans of one layout. */
typedef struct ll_program {
    const ll_filter *filters; /* tests behind filters: judged only where the filter fails */
    uint32_t filter_count;
    uint32_t reach; /* bytes from the element's start that the filters read; where the file has fewer, all tests are judged */
    const ll_bound_rule *tests; /* filtered ones first, then those that are always judged, from `always` on */
    uint32_t test_count;
    uint32_t always;
    const ll_bound_rule *checks; /* per span */
    uint32_t check_count;
} ll_program;

typedef struct ll_format_program {
    const ll_format *format;
    const ll_program *layouts;   /* by layout number */
    const uint32_t *fault_rules; /* by code - LL_CORE_FAULTS; LL_NO_RULE: off */
    const ll_bound_rule *file_checks;
    uint32_t file_check_count;
} ll_format_program;

#define LL_NO_RULE UINT32_MAX

/* Rule in force (severity after selection), for engine and reports. */
typedef struct ll_active_rule {
    const ll_rule *rule;
    uint8_t severity; /* in force; LL_SEVERITY_OFF: does not run */
    uint8_t level;    /* what it has whenever it is selected and not ignored */
    bool selected, ignored;
    const uint32_t *yields_to; /* rule numbers */
    uint32_t yields_count;
} ll_active_rule;

struct ll_ruleset {
    ll_arena arena;
    ll_active_rule *rules; /* sorted by id */
    size_t count, capacity;
    bool sealed, selecting;
    const ll_format_program *formats; /* by registry order */
    uint32_t core_fault_rules[LL_CORE_FAULTS];
    ll_bound_rule **to_unbind; /* everything with compiled patterns */
    size_t to_unbind_count;
};

const ll_format_program *ll_ruleset_program(const ll_ruleset *rules, const ll_format *format);

/* bind.c: fills programs from the active rules. Used by sealing, by packc and by ll_ruleset_add_pack to refuse bad packs early. */
ll_status ll_ruleset_bind(ll_ruleset *rules, ll_problem *problem);
/* Resolves one rule's selectors without keeping anything: does the stanza fit the formats? */
ll_status ll_rule_check(ll_arena *scratch, const ll_rule *rule, ll_problem *problem);

#endif
