/* The catalogue and its bound form. Before sealing: rules, severities, selection. Binding resolves every selector to
 * (layout, field), compiles patterns and lays out, per record, what the engine runs. Sealing binds what may be refused;
 * shipped rules, which packc has bound already to see that they can be, wait for the first file of their format. To its
 * users a sealed rule set is immutable, and shared by any number of threads. */
#ifndef LL_RULES_RULESET_H
#define LL_RULES_RULESET_H

#include "base/array.h"
#include "rules/predicate.h"

#include <stdatomic.h>

/* One test of one rule on one field of one record. */
typedef struct ll_bound_rule {
    uint32_t rule; /* number in the rule set */
    uint32_t slot; /* of a test that judges spans: its place among ll_format_program.slot_count */
    ll_bound_test test;
    ll_bound_test *when;       /* NULL: no guard, as most */
    const ll_check_def *check; /* not NULL: a C check instead of a test */
    bool weaker;               /* holds wherever the test in front of it does */
} ll_bound_rule;

/* A quick filter, and the test of the record that is judged where it fails. */
typedef struct ll_filter {
    ll_quick quick;
    uint32_t test;
} ll_filter;

/* The same filters in cheaper forms, by kind (sieve.h). */
typedef struct ll_sieve {
    const ll_quick *at; /* up to these numbers: filters without `flip` and alternatives on little-endian numbers, the
                           same on big-endian ones, and the rest */
    uint32_t plain, plain_big, count;
} ll_sieve;

/* What runs for every element of spans of one layout. */
typedef struct ll_program {
    ll_sieve sieve;              /* a record that passes it passes all filters */
    LL_ARRAY(ll_filter) filters; /* in the order of their tests */
    uint32_t reach; /* bytes from the element's start that the filters read; where the file has fewer, all tests are
                       judged */
    const ll_bound_rule *tests; /* filtered ones first, then those that are always judged, from `always` on */
    uint32_t test_count;
    uint32_t always;
    const ll_bound_rule *checks; /* per span: C checks, and tests that judge spans */
    uint32_t check_count;
} ll_program;

/* What runs for the files of one format. */
typedef struct ll_format_program {
    ll_arena arena; /* holds all of it */
    const ll_format *format;
    const ll_program *layouts;     /* by layout number */
    const uint32_t *fault_rules;   /* by code - LL_CORE_FAULTS; LL_NO_RULE: off */
    ll_program file;               /* checks of the whole file */
    uint32_t slot_count;           /* tests that judge spans and may remember something for the file */
    LL_ARRAY(ll_regex *) patterns; /* outside the arena */
} ll_format_program;

/* Empty until the program is made, by whichever thread needs it first. */
typedef struct ll_program_slot {
    _Atomic(ll_format_program *) program;
} ll_program_slot;

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
    size_t count;
    bool sealed, selecting;
    bool at_once; /* nothing is bound later: the allocator is the caller's, and need not serve several threads */
    ll_program_slot *formats; /* by registry order; NULL: not bound */
    uint32_t core_fault_rules[LL_CORE_FAULTS];
};

/* bind.c: makes the programs of the active rules, those of shipped rules only where `at_once` says so. */
ll_status ll_ruleset_bind(ll_ruleset *rules, ll_problem *problem);
/* Drops all programs. */
void ll_ruleset_unbind(ll_ruleset *rules);
/* The program of a format, made now if need be; *out is NULL for a rule set that is not bound and for a format that is
 * none. LL_E_MEMORY. */
ll_status ll_ruleset_program(const ll_ruleset *rules, const ll_format *format, const ll_format_program **out);
/* A sealed rule set of the rules that were chosen, with those among them that are off switched on: what a census
 * counts. The rules are numbered as in `rules`, which must outlive it. */
ll_status ll_ruleset_claims(const ll_ruleset *rules, const ll_allocator *allocator, ll_ruleset **out);
/* Resolves one rule's selectors without keeping anything: does the stanza fit the formats? A shipped rule on a field
 * whose meaning is a guess is a note at most. */
ll_status ll_rule_check(ll_arena *scratch, const ll_rule *rule, bool shipped, ll_problem *problem);

#endif
