/* A rule set: rules, severities and selection, and the programs that are bound from them. Binding compiles patterns and
 * lists, for each record, the tests and checks that the engine runs. Sealing binds the rules of user packs, which may
 * be refused. Shipped rules were bound once by packc, so they cannot be refused: they are bound at the first file of
 * their format, and those that are part of a screen at the first record that fails the screen. A sealed rule set looks
 * immutable to its users and may be shared by any number of threads. */
#ifndef LL_RULES_RULESET_H
#define LL_RULES_RULESET_H

#include "base/array.h"
#include "rules/predicate.h"
#include "rules/scope.h"

#include <stdatomic.h>

/* One test of one rule on one field of one record. */
typedef struct ll_bound_rule {
    uint32_t rule; /* number in the rule set */
    uint32_t slot; /* of a test that judges spans: its state, below ll_format_program.slot_count */
    ll_bound_test test;
    ll_bound_test *when;          /* NULL: no guard */
    const ll_scope *scope;        /* NULL: no limits beyond the record */
    const char *found, *expected; /* templates of the case; NULL: a C check */
    const ll_check_def *check;    /* not NULL: a C check instead of a test */
    uint8_t screened;             /* number in the screen of the record, from 1; 0: not in the screen */
} ll_bound_rule;

/* What runs for every element of spans of one layout. */
typedef struct ll_program {
    const ll_bound_rule *tests; /* those in the screen come first */
    uint32_t test_count, screened_count;
    const ll_bound_rule *checks; /* run once for a span: C checks, and tests that judge spans */
    uint32_t check_count;
    uint64_t names; /* of rules with `of`: bits of the names that they are about */
    bool own_names; /* the record must have one of these names itself */
} ll_program;

/* Some rule judges spans of a layout: perhaps only through the screen, or only within records that it names. NAME:
 * rules name these records. */
enum { LL_ASKS = 1, LL_ASKS_WITHIN = 2, LL_ASKS_NAME = 4 };

/* What runs for the files of one format. */
typedef struct ll_format_program {
    ll_arena arena; /* holds this struct and all that it points to, except the patterns */
    const ll_format *format;
    size_t number;                /* of the format, in registry order */
    const ll_program *layouts;    /* by layout number */
    const uint32_t *fault_rules;  /* by code - LL_CORE_FAULTS; LL_NO_RULE: off */
    uint8_t asks[LL_LAYOUTS_MAX]; /* by layout: LL_ASKS... */
    const ll_program *named;      /* by layout: rules with `of`; NULL: there are none */
    const uint16_t *name_fields;  /* ll_scope_field() by layout; NULL: no rule has `of` */
    uint16_t owner_at;            /* offset of the name, of 8 bytes, in the records that they name */
    bool owner_big;               /* its byte order */
    LL_ARRAY(uint64_t) classes;   /* their names */
    uint64_t class_bits;
    bool any_class;                    /* a rule is about records of any name */
    ll_program file;                   /* checks of the whole file */
    const void *(*needs)(ll_doc *doc); /* makes the index that checks use (ll_check_def.needs); NULL: not needed */
    uint32_t slot_count;               /* states of tests that judge spans, one each for a file */
    LL_ARRAY(ll_regex *) patterns;     /* outside the arena */
} ll_format_program;

/* Programs of a format: with all rules in force, and without the tests that are part of screens. */
typedef enum ll_program_kind { LL_PROGRAM_ALL, LL_PROGRAM_UNSCREENED, LL_PROGRAM_KINDS } ll_program_kind;

/* NULL until the first thread that needs the program makes it. */
typedef struct ll_program_slot {
    _Atomic(ll_format_program *) program[LL_PROGRAM_KINDS];
} ll_program_slot;

#define LL_NO_RULE UINT32_MAX

/* A rule with the severity that it has after selection, for engine and reports. Its texts: ll_rule_at(). */
typedef struct ll_active_rule {
    const ll_rule *own; /* of a pack that was added; NULL: a shipped rule */
    uint32_t row;       /* of a shipped rule: its number in ll_shipped_rules */
    uint8_t severity;   /* in force; LL_SEVERITY_OFF: does not run */
    uint8_t level;      /* severity while the rule is selected and not ignored */
    bool selected, ignored;
    const uint32_t *yields_to; /* rule numbers */
    uint32_t yields_count;
} ll_active_rule;

/* Shipped rules as structs, each made from its row by whichever thread asks for it first: a run needs few of them. */
typedef enum ll_made { LL_NOT_MADE, LL_BEING_MADE, LL_MADE } ll_made;
typedef struct ll_made_rules {
    _Atomic(uint8_t) *states; /* ll_made, by number in ll_shipped_rules */
    ll_rule *rules;           /* without values until they are made */
    const char **words;       /* what their lists point to, as in ll_shipped_words */
} ll_made_rules;

struct ll_ruleset {
    ll_arena arena;
    ll_active_rule *rules; /* sorted by id */
    size_t count;
    ll_made_rules made;
    bool sealed, selecting;
    bool at_once;             /* sealing binds everything, because the caller's allocator may not be thread-safe */
    ll_program_slot *formats; /* in registry order; NULL: not bound */
    uint32_t core_fault_rules[LL_CORE_FAULTS];
};

/* shipped.c: returns when the shipped rule with this number is made. */
void ll_make_rule(const ll_ruleset *rules, uint32_t row);
/* A rule as a struct, which lives as long as the rule set. Any number of threads may call it. */
static inline const ll_rule *ll_rule_of(const ll_ruleset *rules, const ll_active_rule *active)
{
    if (active->own) {
        return active->own;
    }
    if (atomic_load_explicit(&rules->made.states[active->row], memory_order_acquire) != LL_MADE) {
        ll_make_rule(rules, active->row);
    }
    return &rules->made.rules[active->row];
}
static inline const ll_rule *ll_rule_at(const ll_ruleset *rules, size_t index)
{
    return ll_rule_of(rules, &rules->rules[index]);
}
/* The name of its family, without making the rule. */
const char *ll_rule_family(const ll_ruleset *rules, size_t index);

/* program.c: makes the programs of formats that have user rules in force; with `at_once`, of all formats. */
ll_status ll_ruleset_bind(ll_ruleset *rules, ll_problem *problem);
/* Frees a program, or nothing. */
void ll_free_program(ll_format_program *program);
/* Drops all programs. */
void ll_ruleset_unbind(ll_ruleset *rules);
/* Notes for each rule in force the numbers of the rules that it yields to. */
ll_status ll_resolve_yields(ll_ruleset *rules);
/* A program of a format, which is made if it does not exist. *out is NULL if the rule set is not bound or
 * `format` is not registered. May return LL_E_MEMORY. */
ll_status ll_ruleset_program(const ll_ruleset *rules, const ll_format *format, ll_program_kind kind,
                             const ll_format_program **out);
/* Binds the test and the guard of a rule to one of its targets. On failure neither stays bound. The caller frees the
 * patterns. LL_E_PACK as in ll_test_bind(). */
ll_status ll_rule_bind(ll_arena *arena, const ll_rule *rule, const ll_format *format, const ll_rule_target *at,
                       ll_bound_rule *out, ll_problem *problem);
/* Refuses a guard of a test that compares beyond a span if the rule is about several kinds of records: at the end of
 * the file, only the first guard is used. LL_E_PACK. */
ll_status ll_guard_check(const ll_rule *rule, const ll_resolved *resolved, const ll_bound_rule *bound,
                         ll_problem *problem);
/* The rule is not ignored, and it is selected or nothing is selected. */
bool ll_ruleset_chose(const ll_ruleset *rules, size_t index);
/* Makes a sealed rule set for a census: all chosen rules are on as notes, even those that are off by default. Rules
 * have the same numbers as in `rules`, which must outlive *out. */
ll_status ll_ruleset_claims(const ll_ruleset *rules, const ll_allocator *allocator, ll_ruleset **out);
/* Checks that the names and values of one rule fit the formats, without keeping anything. A shipped rule on a field
 * whose meaning is a guess must be a note or off. */
ll_status ll_rule_check(ll_arena *scratch, const ll_rule *rule, bool shipped, ll_problem *problem);

#endif
