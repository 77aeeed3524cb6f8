/* The catalogue and its bound form. Before sealing: rules, severities, selection. Binding compiles patterns and lays
 * out, per record, what the engine runs. Sealing binds what may be refused; shipped rules, which packc has bound
 * already to see that they can be, wait for the first file of their format, and those that a screen stands for, for the
 * first record that its screen does not pass. To its users a sealed rule set is immutable, and shared by any number of
 * threads. */
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
    uint8_t screened;          /* its number in the screen of the record; 0: the screen does not ask it */
} ll_bound_rule;

/* What runs for every element of spans of one layout. */
typedef struct ll_program {
    const ll_bound_rule *tests; /* those that a screen stands for come first */
    uint32_t test_count, screened_count;
    const ll_bound_rule *checks; /* per span: C checks, and tests that judge spans */
    uint32_t check_count;
} ll_program;

/* What runs for the files of one format. */
typedef struct ll_format_program {
    ll_arena arena; /* holds all of it */
    const ll_format *format;
    size_t number;                     /* of the format, in registry order */
    const ll_program *layouts;         /* by layout number */
    const uint32_t *fault_rules;       /* by code - LL_CORE_FAULTS; LL_NO_RULE: off */
    bool asks[LL_LAYOUTS_MAX];         /* by layout: a rule asks something of its spans, if only by a screen */
    ll_program file;                   /* checks of the whole file */
    const void *(*needs)(ll_doc *doc); /* what checks look up (ll_check_def.needs); NULL: none looks up anything */
    uint32_t slot_count;               /* tests that judge spans and may remember something for the file */
    LL_ARRAY(ll_regex *) patterns;     /* outside the arena */
} ll_format_program;

/* Programs of a format: with everything that is in force, and without the tests that screens stand for. */
typedef enum ll_program_kind { LL_PROGRAM_ALL, LL_PROGRAM_UNSCREENED, LL_PROGRAM_KINDS } ll_program_kind;

/* Empty until the program is made, by whichever thread needs it first. */
typedef struct ll_program_slot {
    _Atomic(ll_format_program *) program[LL_PROGRAM_KINDS];
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
/* A program of a format, made now if need be; *out is NULL for a rule set that is not bound and for a format that is
 * none. LL_E_MEMORY. */
ll_status ll_ruleset_program(const ll_ruleset *rules, const ll_format *format, ll_program_kind kind,
                             const ll_format_program **out);
/* Binds the test and the guard of a rule to one of its targets; neither is bound unless both are. The caller frees the
 * patterns. LL_E_PACK as in ll_test_bind(). */
ll_status ll_rule_bind(ll_arena *arena, const ll_rule *rule, const ll_format *format, const ll_resolved *resolved,
                       const ll_rule_target *at, ll_bound_rule *out, ll_problem *problem);
/* Selected, if any was, and not ignored. */
bool ll_ruleset_chose(const ll_ruleset *rules, size_t index);
/* A sealed rule set of the rules that were chosen, with those among them that are off switched on: what a census
 * counts. The rules are numbered as in `rules`, which must outlive it. */
ll_status ll_ruleset_claims(const ll_ruleset *rules, const ll_allocator *allocator, ll_ruleset **out);
/* Resolves one rule's selectors without keeping anything: does the stanza fit the formats? A shipped rule on a field
 * whose meaning is a guess is a note at most. */
ll_status ll_rule_check(ll_arena *scratch, const ll_rule *rule, bool shipped, ll_problem *problem);

#endif
