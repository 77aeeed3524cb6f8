/* A rule as data: one stanza of a pack, before it is bound to layouts. pack.c reads user packs into this struct. packc
 * writes the shipped rules as rows without pointers, from which a rule set makes the same struct (ll_rule_at()). */
#ifndef LL_RULES_RULE_H
#define LL_RULES_RULE_H

#include "base/arena.h"
#include "base/status.h"

/* A list of NUL-terminated strings; none of them is NULL. */
typedef struct ll_words {
    const char *const *at;
    size_t count;
} ll_words;

/* "check: range / value: ['>= 0']". An empty check means no test. */
typedef struct ll_test {
    const char *check; /* predicate, or "<family>.<name>" of a C check */
    ll_words value;    /* scalars as written */
} ll_test;

/* A record and the field of it that a rule judges. LL_NO_FIELD: the record as a whole, or a C check. */
typedef struct ll_rule_target {
    uint16_t layout; /* 0: the whole file */
    uint16_t field;
    uint16_t which;   /* number of the case; 0 also for a rule without cases */
    uint8_t screened; /* number of the test in the screen of the record (screen.h), from 1; 0: not in the screen */
} ll_rule_target;

/* The names in a rule, resolved to numbers. */
typedef struct ll_resolved {
    uint16_t fault;                /* code of the fault; LL_NO_FAULT for a test, a check or a remark */
    uint16_t check;                /* number of the C check; LL_NO_CHECK for anything else */
    const ll_rule_target *targets; /* in the order of layouts */
    uint32_t target_count;
} ll_resolved;
enum { LL_NO_FAULT = UINT16_MAX, LL_NO_CHECK = UINT16_MAX };

typedef struct ll_rule {
    const char *id;     /* "GRX012" */
    const char *name;   /* "name-hash" */
    const char *family; /* derived: prefix of `on`, of the C check or of the fault; "core" and "ledger" for the built-in
                           faults */
    uint8_t severity;   /* ll_severity */
    bool locked;
    uint8_t patch; /* ll_patch_tier of the patches that the rule offers */
    ll_words tags;
    ll_words on;     /* records, or globs that match them ("grx.*"); empty: a fault or a check of the whole file */
    ll_words fields; /* "*": every field of the record that the predicate can judge */
    ll_words except; /* fields that "*" leaves out */
    ll_words of;     /* names of what the records belong to (scope.h); empty: anything */
    ll_words files;  /* patterns of file names; empty: any */
    ll_words cases;  /* what each case has in place of these keys, as ll_rule_case() reads it; empty: no cases */
    ll_test test;    /* .check is empty if the rule reports a fault */
    ll_test when;    /* guard on when_field of the same element */
    const char *when_field;
    const char *fault;  /* "<family>.<slug>", or "" */
    ll_words yields_to; /* rules of the family; a finding is dropped if one of them reports the same bytes */
    const char *title;  /* one sentence */
    const char *why;
    const char *evidence;
    const char *fix;
    const char *found; /* templates with {0}..{3}, {value}; "": the default words of the predicate */
    const char *expected;
    const char *related;    /* description of the related place */
    ll_words hints;         /* name, text, name, text, ... */
    const char *target;     /* composed: "grx.probe.priority", "file" */
    const char *check_text; /* composed: "range '>= 0'", "fault entry-size-min", "check name_hash" */
    const char *origin;     /* file that holds the stanza */
    unsigned line;
} ll_rule;

/* The members that are texts, which are never NULL, and those that are lists. */
#define LL_RULE_TEXTS(X)                                                                                               \
    X(id)                                                                                                              \
    X(name)                                                                                                            \
    X(family)                                                                                                          \
    X(test.check)                                                                                                      \
    X(when.check)                                                                                                      \
    X(when_field)                                                                                                      \
    X(fault) X(title) X(why) X(evidence) X(fix) X(found) X(expected) X(related) X(target) X(check_text) X(origin)
#define LL_RULE_LISTS(X)                                                                                               \
    X(tags) X(on) X(fields) X(except) X(of) X(files) X(cases) X(test.value) X(when.value) X(yields_to) X(hints)

/* The members that a case may replace. */
#define LL_CASE_TEXTS(X) X(test.check) X(when.check) X(when_field) X(found) X(expected)
#define LL_CASE_LISTS(X) X(on) X(fields) X(except) X(of) X(files) X(test.value) X(when.value)

#define LL_RULE_ONE(member) +1
enum { LL_RULE_TEXT_COUNT = LL_RULE_TEXTS(LL_RULE_ONE), LL_RULE_LIST_COUNT = LL_RULE_LISTS(LL_RULE_ONE) };
#undef LL_RULE_ONE

/* A shipped rule. There is no pointer in it: the loader would write every page of a table of pointers each time the
 * program starts, which took a tenth of the time of a run. */
typedef struct ll_rule_row {
    uint32_t texts[LL_RULE_TEXT_COUNT];  /* offsets in ll_shipped_texts, in the order of LL_RULE_TEXTS */
    uint16_t listed[LL_RULE_LIST_COUNT]; /* lengths of its lists, in the order of LL_RULE_LISTS */
    uint32_t first_word;                 /* of its lists, which follow each other in ll_shipped_words */
    uint32_t family;                     /* offset of the text; equal for rules of one family */
    uint32_t first_yield, yield_count;   /* in ll_shipped_yields */
    uint32_t first_target, target_count; /* in ll_shipped_targets */
    uint16_t fault, check;               /* as in ll_resolved */
    uint32_t line;
    uint8_t severity, patch;
    bool locked;
} ll_rule_row;

/* The shipped rules, sorted by id (generated by packc). */
extern const ll_rule_row ll_shipped_rules[];
extern const size_t ll_shipped_rule_count;
extern const char *const ll_shipped_texts;
/* The items of all lists, as offsets in ll_shipped_texts, and their number. */
extern const uint32_t ll_shipped_words[];
extern const size_t ll_shipped_word_count;
/* The yields_to of all shipped rules, as indices into ll_shipped_rules. */
extern const uint32_t ll_shipped_yields[];
extern const ll_rule_target ll_shipped_targets[];

/* Adds a case, a copy of the rule with the members of the case, to the list of cases; ll_rule_case() makes the copy
 * again. NULL, or false: no memory. */
bool ll_rule_add_case(ll_arena *arena, ll_rule *rule, const ll_rule *one);
const ll_rule *ll_rule_case(ll_arena *arena, const ll_rule *rule, unsigned number);
/* Number of cases; 1 if the rule has none and is its own case. */
unsigned ll_rule_case_count(const ll_rule *rule);

/* Core faults that no reader raises. ll_lint_remarks() raises them for suppressions, baselines and manifests. The list
 * ends with NULL. */
extern const char *const ll_remark_faults[];
bool ll_rule_is_remark(const ll_rule *rule);
/* May a suppression or a baseline hide findings of the rule? Not of remarks, and not of locked rules but `unread`. */
bool ll_rule_may_be_marked(const ll_rule *rule);

#endif
