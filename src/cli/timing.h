/* Measures the time of a run by phase and by rule. */
#ifndef LL_CLI_TIMING_H
#define LL_CLI_TIMING_H

#include "base/array.h"

#include <lightlint/lightlint.h>

typedef enum ll_phase {
    LL_PHASE_WALK,
    LL_PHASE_READ,
    LL_PHASE_PARSE,
    LL_PHASE_RULES,
    LL_PHASE_REPORT,
    LL_PHASES
} ll_phase;

typedef struct ll_rule_time {
    const char *id, *name; /* from a rule set that must outlive this */
    uint64_t spent;
} ll_rule_time;

/* Times of one thread, or the sum of several. Unless `wanted`, nothing is allocated and no clock is read. */
typedef struct ll_times {
    bool wanted;
    uint64_t phases[LL_PHASES]; /* nanoseconds */
    ll_timing lint;             /* of lints since ll_times_enter() */
    const ll_ruleset *rules;
    LL_ARRAY(ll_rule_time) by_rule;
} ll_times;

/* Returns where lints with these rules add their times; NULL if not wanted. */
ll_timing *ll_times_enter(ll_times *times, const ll_ruleset *rules);
/* Present time for ll_times_spend(); 0 if not wanted. */
uint64_t ll_times_now(const ll_times *times);
/* Adds the time since `since` to a phase. */
void ll_times_spend(ll_times *times, ll_phase phase, uint64_t since);
void ll_times_add(ll_times *to, ll_times *from);
/* Prints the phases and the slowest rules to standard error. */
void ll_times_say(ll_times *times, uint64_t whole, unsigned threads);
void ll_times_free(ll_times *times);

#endif
