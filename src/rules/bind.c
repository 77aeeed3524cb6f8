/* Binds the predicates of one resolved rule. Trusts the form of rules (pack.h). */
#include "rules/ruleset.h"

#include "base/problem.h"
#include "rules/regex.h"
#include "rules/resolve.h"

#include <string.h>

ll_status ll_rule_bind(ll_arena *arena, const ll_rule *rule, const ll_format *format, const ll_rule_target *at,
                       ll_bound_rule *out, ll_problem *problem)
{
    const bool alone = !rule->cases.count;
    rule = ll_rule_case(arena, rule, at->which);
    ll_status status = rule ? ll_scope_bind(arena, format, rule, &out->scope, problem) : LL_E_MEMORY;
    if (status == LL_OK) {
        status = ll_test_bind(arena, format, &rule->test, *at, &out->test, problem);
    }
    if (status == LL_OK && !alone && ll_test_finishes(&out->test)) {
        status =
            LL_PROBLEM(problem, "check '", rule->test.check, "' compares beyond a span and cannot be used in 'cases'");
    }
    if (status != LL_OK) {
        return status;
    }
    out->found = rule->found;
    out->expected = rule->expected;
    if (!*rule->when.check) {
        return LL_OK;
    }
    ll_bound_test *when = ll_arena_alloc(arena, 1, sizeof *when);
    const ll_rule_target guard = {.layout = at->layout,
                                  .field = (uint16_t)ll_layout_find(&format->layouts[at->layout], rule->when_field)};
    status = when ? ll_test_bind(arena, format, &rule->when, guard, when, problem) : LL_E_MEMORY;
    if (status == LL_OK && ll_test_judges_spans(when)) {
        status = LL_PROBLEM(problem, "check '", rule->when.check, "' judges spans and cannot be used in 'when'");
    }
    if (status == LL_OK) {
        out->when = when;
    } else {
        ll_regex_free(out->test.regex);
    }
    return status;
}

ll_status ll_guard_check(const ll_rule *rule, const ll_resolved *resolved, const ll_bound_rule *bound,
                         ll_problem *problem)
{
    const ll_rule_target *targets = resolved->targets; /* in the order of layouts */
    bool several = targets[0].layout != targets[resolved->target_count - 1].layout;
    return bound->when && several && ll_test_finishes(&bound->test)
               ? LL_PROBLEM(problem, "'when' needs a single record in 'on', because check '", rule->test.check,
                            "' compares beyond a span")
               : LL_OK;
}

static ll_status check_targets(ll_arena *scratch, const ll_rule *rule, bool shipped, ll_problem *problem)
{
    ll_resolved r;
    const ll_format *format;
    ll_status status = ll_rule_resolve(scratch, rule, &format, &r, problem);
    for (size_t i = 0; status == LL_OK && r.check == LL_NO_CHECK && i < r.target_count; i++) {
        ll_bound_rule bound = {0};
        const ll_rule_target *at = &r.targets[i];
        status = ll_rule_bind(scratch, rule, format, at, &bound, problem);
        if (status == LL_OK) {
            ll_regex_free(bound.test.regex);
            ll_regex_free(bound.when ? bound.when->regex : NULL);
        }
        status = status == LL_OK ? ll_guard_check(rule, &r, &bound, problem) : status;
        bool guess = at->field != LL_NO_FIELD && format->layouts[at->layout].fields[at->field].sure == LL_SURE_GUESS;
        if (status == LL_OK && shipped && rule->severity > LL_NOTE && guess) {
            status = LL_PROBLEM(problem, "the meaning of field '", bound.test.field->name, "' of ",
                                bound.test.layout->name, " is a guess: a rule on it must be a note");
        }
    }
    return status;
}

ll_status ll_rule_check(ll_arena *scratch, const ll_rule *rule, bool shipped, ll_problem *problem)
{
    ll_status status = check_targets(scratch, rule, shipped, problem);
    if (status == LL_E_PACK) {
        (void)ll_problem_at(problem, rule->line, 0);
    }
    return status;
}
