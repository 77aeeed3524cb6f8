/* Resolves the names in a rule: records, fields, faults and checks of its family. packc does this for the shipped rules
 * and writes the results into their tables; for user packs it is done at run time. Trusts the form of a rule (pack.h),
 * but no name in it. */
#include "rules/resolve.h"

#include "base/array.h"
#include "base/glob.h"
#include "base/problem.h"
#include "rules/across.h"
#include "rules/pack.h"
#include "rules/predicate.h"

#include <string.h>

/* ------------------------------------------------------------------ records and fields */

/* The records of a rule, as layout numbers. */
typedef struct record_list {
    uint16_t at[LL_LAYOUTS_MAX];
    unsigned count;
} record_list;

/* Finds the records of a rule, in the order of their layouts. Every pattern must match at least one. */
static ll_status find_records(const ll_rule *rule, const ll_format *format, record_list *out, ll_problem *problem)
{
    bool meant[LL_LAYOUTS_MAX] = {false};
    for (size_t i = 0; i < rule->on.count; i++) {
        const char *pattern = rule->on.at[i];
        bool any = false;
        for (size_t l = LL_LAYOUT_BUILTINS; l < format->layout_count; l++) {
            if (ll_glob(pattern, strlen(pattern), format->layouts[l].name)) {
                any = meant[l] = true;
            }
        }
        if (!any && strchr(pattern, '*')) {
            return LL_PROBLEM(problem, "no record matches '", pattern, "'");
        }
        if (!any) {
            ll_names records = LL_NAMES(format->layouts, format->layout_count, name);
            return ll_names_refuse(&records, "record", "", pattern, problem);
        }
    }
    out->count = 0;
    for (size_t l = LL_LAYOUT_BUILTINS; l < format->layout_count; l++) {
        if (meant[l]) {
            out->at[out->count++] = (uint16_t)l;
        }
    }
    return LL_OK;
}

/* Checks that at least one record of the rule has the field. */
static ll_status check_field(const record_list *records, const ll_format *format, const char *name, ll_problem *problem)
{
    ll_nearest nearest = {.to = name};
    for (unsigned i = 0; i < records->count; i++) {
        if (ll_layout_find(&format->layouts[records->at[i]], name) != LL_NO_FIELD) {
            return LL_OK;
        }
    }
    for (unsigned i = 0; i < records->count; i++) {
        const ll_layout *layout = &format->layouts[records->at[i]];
        ll_names fields = LL_NAMES(layout->fields, layout->field_count, name);
        ll_names_offer(&fields, &nearest);
    }
    return ll_problem_unknown(problem, "field", &nearest);
}

static bool is_every_field(const ll_words *fields)
{
    return fields->count == 1 && strcmp(fields->at[0], "*") == 0;
}

static bool is_guarded(const ll_rule *rule)
{
    return *rule->when.check;
}

static ll_status check_fields(const ll_rule *rule, const record_list *records, const ll_format *format,
                              ll_problem *problem)
{
    const ll_words guard = {&rule->when_field, is_guarded(rule)};
    const ll_words *lists[] = {is_every_field(&rule->fields) ? &(ll_words){0} : &rule->fields, &rule->except, &guard};
    ll_status status = LL_OK;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (size_t f = 0; status == LL_OK && f < lists[i]->count; f++) {
            status = check_field(records, format, lists[i]->at[f], problem);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ one rule */

typedef struct resolver {
    ll_arena *arena;
    const ll_rule *rule;
    unsigned which; /* number of its case */
    const ll_format *format;
    ll_problem *problem;
    ll_resolved *out;
    LL_ARRAY(ll_rule_target) targets;
} resolver;

static ll_status add_target(resolver *r, unsigned layout, unsigned field)
{
    ll_allocator allocator = ll_arena_allocator(r->arena);
    ll_rule_target *t = LL_ARRAY_ADD(&r->targets, &allocator);
    if (!t) {
        return LL_E_MEMORY;
    }
    *t = (ll_rule_target){.layout = (uint16_t)layout, .field = (uint16_t)field, .which = (uint16_t)r->which};
    return LL_OK;
}

/* Adds the fields of one record that the rule judges. A record without the field of the guard is skipped. */
static ll_status add_fields(resolver *r, unsigned number)
{
    const ll_rule *rule = r->rule;
    const ll_layout *layout = &r->format->layouts[number];
    if (is_guarded(rule) && ll_layout_find(layout, rule->when_field) == LL_NO_FIELD) {
        return LL_OK;
    }
    if (rule->fields.count == 0) {
        return add_target(r, number, LL_NO_FIELD);
    }
    bool every = is_every_field(&rule->fields);
    ll_names except = LL_NAME_LIST(rule->except.at, rule->except.count);
    ll_status status = LL_OK;
    for (unsigned i = 0; status == LL_OK && i < (every ? layout->field_count : rule->fields.count); i++) {
        unsigned field = every ? i : ll_layout_find(layout, rule->fields.at[i]);
        bool meant = every ? ll_names_find(&except, layout->fields[i].name) == except.count &&
                                 ll_predicate_accepts(rule->test.check, &layout->fields[i])
                           : field != LL_NO_FIELD;
        status = meant ? add_target(r, number, field) : LL_OK;
    }
    return status;
}

/* Most predicates provide no arguments; then the texts of the rule may use only {value}. */
static ll_status check_templates(const ll_rule *rule, ll_problem *problem)
{
    const char *const templates[] = {rule->found, rule->expected};
    for (size_t i = 0; !ll_predicate_arguments(rule->test.check) && i < sizeof templates / sizeof templates[0]; i++) {
        ll_piece piece;
        for (const char *p = templates[i]; *p && (p = ll_template_next(p, &piece));) {
            if (piece.kind == LL_PIECE_ARGUMENT) {
                return LL_PROBLEM(problem, "'", templates[i], "' has an argument, but the predicate provides none");
            }
        }
    }
    return LL_OK;
}

static ll_status resolve_case(resolver *r)
{
    record_list records;
    const size_t before = r->targets.count;
    ll_status status = ll_predicate_known(r->rule->test.check, r->problem);
    status = status == LL_OK ? check_templates(r->rule, r->problem) : status;
    status = status == LL_OK ? find_records(r->rule, r->format, &records, r->problem) : status;
    status = status == LL_OK ? check_fields(r->rule, &records, r->format, r->problem) : status;
    for (unsigned i = 0; status == LL_OK && i < records.count; i++) {
        status = add_fields(r, records.at[i]);
    }
    if (status == LL_OK && r->targets.count == before) {
        return LL_PROBLEM(r->problem, "there is no field that check '", r->rule->test.check, "' can judge");
    }
    return status;
}

static ll_status resolve_test(resolver *r)
{
    const ll_rule *whole = r->rule;
    const unsigned count = ll_rule_case_count(whole);
    ll_status status = LL_OK;
    for (; status == LL_OK && r->which < count; r->which++) {
        r->rule = ll_rule_case(r->arena, whole, r->which);
        status = r->rule ? resolve_case(r) : LL_E_MEMORY;
    }
    return status;
}

static ll_status resolve_check(resolver *r)
{
    const ll_rule *rule = r->rule;
    const char *name = rule->test.check;
    ll_names checks = LL_NAMES(r->format->checks, r->format->check_count, name);
    size_t number;
    ll_status status = ll_names_pick(&checks, "check", rule->family, strchr(name, '.') + 1, &number, r->problem);
    if (status != LL_OK) {
        return status;
    }
    r->out->check = (uint16_t)number;
    bool whole_file = r->format->checks[number].whole_file;
    if (whole_file && rule->on.count > 0) {
        return LL_PROBLEM(r->problem, "check '", name, "' judges the whole file and cannot have 'on'");
    }
    if (whole_file) {
        return add_target(r, 0, LL_NO_FIELD);
    }
    if (rule->on.count == 0) {
        return LL_PROBLEM(r->problem, "check '", name, "' needs records in 'on'");
    }
    record_list records;
    status = find_records(rule, r->format, &records, r->problem);
    for (unsigned i = 0; status == LL_OK && i < records.count; i++) {
        status = add_target(r, records.at[i], LL_NO_FIELD);
    }
    return status;
}

const char *const ll_remark_faults[] = {"unused-suppression", "expired-suppression", "stale-baseline",
                                        "manifest-refused", NULL};

bool ll_rule_is_remark(const ll_rule *rule)
{
    static const char core[] = "core.";
    const char *const *name = ll_remark_faults;
    while (*name &&
           (strncmp(rule->fault, core, sizeof core - 1) != 0 || strcmp(rule->fault + sizeof core - 1, *name) != 0)) {
        name++;
    }
    return *name;
}

bool ll_rule_may_be_marked(const ll_rule *rule)
{
    return (!rule->locked || strcmp(rule->fault, "core.unread") == 0) && !ll_rule_is_remark(rule);
}

static ll_status resolve_fault(resolver *r)
{
    const ll_rule *rule = r->rule;
    if (ll_rule_is_remark(rule)) {
        return LL_OK;
    }
    const ll_format *format = r->format;
    bool across = strcmp(rule->family, "mod") == 0;
    unsigned first = format ? LL_CORE_FAULTS : strcmp(rule->family, "ledger") == 0 ? LL_FAULT_GAP : 0;
    ll_names faults = format   ? LL_NAMES(format->faults, format->fault_count, name)
                      : across ? LL_NAMES(ll_across_faults, LL_ACROSS_COUNT, name)
                      : first  ? LL_NAMES(ll_core_faults + LL_FAULT_GAP, LL_CORE_FAULTS - LL_FAULT_GAP, name)
                               : LL_NAMES(ll_core_faults, LL_FAULT_GAP, name);
    const char *dot = strchr(rule->fault, '.');
    size_t number;
    ll_status status = ll_names_pick(&faults, "fault", rule->family, dot ? dot + 1 : rule->fault, &number, r->problem);
    r->out->fault = status == LL_OK && !across ? (uint16_t)(first + number) : LL_NO_FAULT;
    return status;
}

static ll_status find_format(const ll_rule *rule, const ll_format **format, ll_problem *problem)
{
    static const char *const own[] = {"core", "ledger", "mod"}; /* faults of no format */
    const ll_names known = LL_NAME_LIST(own, sizeof own / sizeof own[0]);
    *format = ll_format_find(rule->family);
    if (*format || (*rule->fault && ll_names_find(&known, rule->family) < known.count)) {
        return LL_OK;
    }
    ll_nearest nearest = {.to = rule->family};
    for (size_t i = 0; i < ll_format_count(); i++) {
        ll_nearest_offer(&nearest, ll_format_at(i)->family);
    }
    return ll_problem_unknown(problem, "family", &nearest);
}

ll_status ll_rule_resolve(ll_arena *arena, const ll_rule *rule, const ll_format **format, ll_resolved *out,
                          ll_problem *problem)
{
    *out = (ll_resolved){.fault = LL_NO_FAULT, .check = LL_NO_CHECK};
    ll_status status = find_format(rule, format, problem);
    if (status != LL_OK) {
        return status;
    }
    resolver r = {.arena = arena, .rule = rule, .format = *format, .problem = problem, .out = out};
    status = *rule->fault ? resolve_fault(&r) : strchr(rule->test.check, '.') ? resolve_check(&r) : resolve_test(&r);
    out->targets = r.targets.items;
    out->target_count = (uint32_t)r.targets.count;
    return status;
}
