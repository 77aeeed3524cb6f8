/* Implements timing.h. Times of rules are collected by index in the current rule set, and summed up by id. */
#include "cli/timing.h"

#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

enum { RULES_SHOWN = 10 };

uint64_t ll_times_now(const ll_times *times)
{
    return times->wanted ? ll_os_nanoseconds() : 0;
}

void ll_times_spend(ll_times *times, ll_phase phase, uint64_t since)
{
    times->phases[phase] += ll_times_now(times) - since;
}

static void add_rule(ll_times *times, const char *id, const char *name, uint64_t spent)
{
    size_t i = 0;
    while (i < times->by_rule.count && strcmp(times->by_rule.items[i].id, id) != 0) {
        i++;
    }
    if (i == times->by_rule.count) {
        *LL_ARRAY_ADD(&times->by_rule, &ll_heap) = (ll_rule_time){.id = id, .name = name};
    }
    times->by_rule.items[i].spent += spent;
}

/* Adds the times collected since ll_times_enter() to the sums. */
static void leave(ll_times *times)
{
    ll_rule_info rule;
    for (size_t i = 0; i < times->lint.rule_count; i++) {
        if (times->lint.by_rule[i] && ll_ruleset_rule(times->rules, i, &rule)) {
            add_rule(times, rule.id, rule.name, times->lint.by_rule[i]);
        }
    }
    times->phases[LL_PHASE_PARSE] += times->lint.parse;
    times->phases[LL_PHASE_RULES] += times->lint.rules;
    free(times->lint.by_rule);
    times->lint = (ll_timing){.now = ll_os_nanoseconds};
    times->rules = NULL;
}

ll_timing *ll_times_enter(ll_times *times, const ll_ruleset *rules)
{
    if (times->wanted && times->rules != rules) {
        leave(times);
        times->rules = rules;
        times->lint.rule_count = ll_ruleset_count(rules);
        times->lint.by_rule = ll_os_alloc(times->lint.rule_count + 1, sizeof *times->lint.by_rule);
    }
    return times->wanted ? &times->lint : NULL;
}

void ll_times_add(ll_times *to, ll_times *from)
{
    leave(from);
    for (size_t i = 0; i < LL_PHASES; i++) {
        to->phases[i] += from->phases[i];
    }
    for (size_t i = 0; i < from->by_rule.count; i++) {
        const ll_rule_time *rule = &from->by_rule.items[i];
        add_rule(to, rule->id, rule->name, rule->spent);
    }
}

static int compare(const void *a, const void *b)
{
    const ll_rule_time *x = a;
    const ll_rule_time *y = b;
    return x->spent != y->spent ? (x->spent > y->spent ? -1 : 1) : strcmp(x->id, y->id);
}

static double seconds(uint64_t nanoseconds)
{
    return (double)nanoseconds / 1e9;
}

void ll_times_say(ll_times *times, uint64_t whole, unsigned threads)
{
    static const char *const phases[LL_PHASES] = {
        [LL_PHASE_WALK] = "walk",   [LL_PHASE_READ] = "read",     [LL_PHASE_PARSE] = "parse",
        [LL_PHASE_RULES] = "rules", [LL_PHASE_REPORT] = "report",
    };
    uint64_t single = 0;
    (void)ll_say("timing: %.6f s, %u thread%s; the phases of all threads together:", seconds(whole), threads,
                 threads == 1 ? "" : "s");
    for (size_t i = 0; i < LL_PHASES; i++) {
        (void)ll_say("timing: %12.6f s  %s", seconds(times->phases[i]), phases[i]);
    }
    for (size_t i = 0; i < times->by_rule.count; i++) {
        single += times->by_rule.items[i].spent;
    }
    (void)ll_say("timing: %12.6f s  of rules that were timed one by one, the slowest first:", seconds(single));
    if (times->by_rule.count) {
        qsort(times->by_rule.items, times->by_rule.count, sizeof *times->by_rule.items, compare);
    }
    for (size_t i = 0; i < times->by_rule.count && i < RULES_SHOWN; i++) {
        const ll_rule_time *rule = &times->by_rule.items[i];
        (void)ll_say("timing: %12.6f s  %s %s", seconds(rule->spent), rule->id, rule->name);
    }
}

void ll_times_free(ll_times *times)
{
    free(times->lint.by_rule);
    LL_ARRAY_FREE(&times->by_rule, &ll_heap);
}
