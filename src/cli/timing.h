/* Where the time of a run goes: by phase, and by rule. */
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
    const char *id, *name; /* of a rule set that lives as long */
    uint64_t spent;
} ll_rule_time;

/* Of one thread, or of several that were added up. Nothing is allocated, and no clock is read, unless it is wanted. */
typedef struct ll_times {
    bool wanted;
    uint64_t phases[LL_PHASES]; /* nanoseconds */
    ll_timing lint;             /* of files since ll_times_enter() */
    const ll_ruleset *rules;
    LL_ARRAY(ll_rule_time) by_rule;
} ll_times;

/* What lints with these rules report to; NULL: nothing is wanted. */
ll_timing *ll_times_enter(ll_times *times, const ll_ruleset *rules);
/* Now, for ll_times_spend(); 0 where nothing is wanted. */
uint64_t ll_times_now(const ll_times *times);
/* What was spent since then belongs to a phase. */
void ll_times_spend(ll_times *times, ll_phase phase, uint64_t since);
void ll_times_add(ll_times *to, ll_times *from);
/* Writes the phases and the slowest rules to standard error. */
void ll_times_say(ll_times *times, uint64_t whole, unsigned threads);
void ll_times_free(ll_times *times);

#endif
