/* From rules to programs: resolves records, fields, faults and checks by name, binds the predicates, and lays out for
 * each record what the engine runs. Decides nothing about files. Trusts that rules have the form that pack.h promises;
 * trusts no name in them. */
#include "rules/ruleset.h"

#include "base/glob.h"
#include "base/problem.h"
#include "rules/cross_check.h"
#include "rules/pack.h"
#include "rules/regex.h"
#include "rules/sieve.h"

#include <string.h>

enum {
    QUICK_MAX = 16, /* filters of one test; a longer vector is judged */
    NO_FAULT = UINT16_MAX
};

/* ------------------------------------------------------------------ records and fields */

/* The records that a rule is about, by number of their layout. */
typedef struct record_list {
    uint16_t at[LL_LAYOUTS_MAX];
    unsigned count;
} record_list;

/* Records in the order of their layouts. Every pattern leads to one at least. */
static ll_status find_records(const ll_rule *rule, const ll_format *format, record_list *out, ll_problem *problem)
{
    bool meant[LL_LAYOUTS_MAX] = {false};
    size_t family = strlen(rule->family); /* all names begin with it and a dot; what both have need not be compared */
    for (size_t i = 0; i < rule->on.count; i++) {
        const char *pattern = rule->on.at[i];
        size_t same = strncmp(pattern, rule->family, family) == 0 && pattern[family] == '.' ? family + 1 : 0;
        size_t length = strlen(pattern + same);
        bool plain = !strpbrk(pattern, "*?[\\"); /* most are, and starting up compares thousands of names */
        bool any = false;
        for (size_t l = LL_LAYOUT_BUILTINS; l < format->layout_count; l++) {
            const char *name = format->layouts[l].name + same;
            if (plain ? strcmp(pattern + same, name) == 0 : ll_glob(pattern + same, length, name)) {
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

/* At least one record of the rule has the field. */
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

/* A record, and the field of it that is judged; LL_NO_FIELD: the record as a whole, or a C check. */
typedef struct target {
    uint16_t layout; /* 0: the whole file */
    uint16_t field;
} target;

/* What a rule comes to. */
typedef struct resolved {
    const ll_format *format;   /* NULL: the rule is of "core" or "ledger" */
    unsigned fault;            /* NO_FAULT: the rule has a check */
    const ll_check_def *check; /* NULL: a predicate */
    LL_ARRAY(target) targets;  /* in the order of layouts */
} resolved;

static ll_status add_target(ll_arena *arena, resolved *out, unsigned layout, unsigned field)
{
    ll_allocator allocator = ll_arena_allocator(arena);
    target *t = LL_ARRAY_ADD(&out->targets, &allocator);
    if (!t) {
        return LL_E_MEMORY;
    }
    *t = (target){(uint16_t)layout, (uint16_t)field};
    return LL_OK;
}

/* The fields of one record that the rule is about. */
static ll_status add_fields(ll_arena *arena, const ll_rule *rule, unsigned number, resolved *out)
{
    const ll_layout *layout = &out->format->layouts[number];
    if (is_guarded(rule) && ll_layout_find(layout, rule->when_field) == LL_NO_FIELD) {
        return LL_OK;
    }
    if (rule->fields.count == 0) {
        return add_target(arena, out, number, LL_NO_FIELD);
    }
    bool every = is_every_field(&rule->fields);
    ll_names except = LL_NAME_LIST(rule->except.at, rule->except.count);
    ll_status status = LL_OK;
    for (unsigned i = 0; status == LL_OK && i < (every ? layout->field_count : rule->fields.count); i++) {
        unsigned field = every ? i : ll_layout_find(layout, rule->fields.at[i]);
        bool meant = every ? ll_names_find(&except, layout->fields[i].name) == except.count &&
                                 ll_predicate_accepts(rule->test.check, &layout->fields[i])
                           : field != LL_NO_FIELD;
        status = meant ? add_target(arena, out, number, field) : LL_OK;
    }
    return status;
}

/* Most predicates give no arguments: their words may hold {value} only. */
static ll_status check_templates(const ll_rule *rule, ll_problem *problem)
{
    const char *const templates[] = {rule->found, rule->expected};
    for (size_t i = 0; !ll_predicate_arguments(rule->test.check) && i < sizeof templates / sizeof templates[0]; i++) {
        ll_piece piece;
        for (const char *p = templates[i]; *p && (p = ll_template_next(p, &piece));) {
            if (piece.kind == LL_PIECE_ARGUMENT) {
                return LL_PROBLEM(problem, "'", templates[i], "' has an argument, which a predicate does not give");
            }
        }
    }
    return LL_OK;
}

static ll_status resolve_test(ll_arena *arena, const ll_rule *rule, resolved *out, ll_problem *problem)
{
    record_list records;
    ll_status status = ll_predicate_known(rule->test.check, problem);
    status = status == LL_OK ? check_templates(rule, problem) : status;
    status = status == LL_OK ? find_records(rule, out->format, &records, problem) : status;
    status = status == LL_OK ? check_fields(rule, &records, out->format, problem) : status;
    for (unsigned i = 0; status == LL_OK && i < records.count; i++) {
        status = add_fields(arena, rule, records.at[i], out);
    }
    if (status == LL_OK && out->targets.count == 0) {
        return LL_PROBLEM(problem, "no field is left for check '", rule->test.check, "'");
    }
    return status;
}

static ll_status resolve_check(ll_arena *arena, const ll_rule *rule, resolved *out, ll_problem *problem)
{
    const char *name = rule->test.check;
    ll_names checks = LL_NAMES(out->format->checks, out->format->check_count, name);
    size_t number;
    ll_status status = ll_names_pick(&checks, "check", rule->family, strchr(name, '.') + 1, &number, problem);
    if (status != LL_OK) {
        return status;
    }
    out->check = &out->format->checks[number];
    if (out->check->whole_file && rule->on.count > 0) {
        return LL_PROBLEM(problem, "check '", name, "' looks at the whole file and takes no 'on'");
    }
    if (out->check->whole_file) {
        return add_target(arena, out, 0, LL_NO_FIELD);
    }
    if (rule->on.count == 0) {
        return LL_PROBLEM(problem, "check '", name, "' needs records in 'on'");
    }
    record_list records;
    status = find_records(rule, out->format, &records, problem);
    for (unsigned i = 0; status == LL_OK && i < records.count; i++) {
        status = add_target(arena, out, records.at[i], LL_NO_FIELD);
    }
    return status;
}

const char *const ll_remark_faults[] = {"unused-suppression", "expired-suppression", "stale-baseline", NULL};

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

static bool is_family(const ll_rule *rule, const char *family)
{
    return strcmp(rule->family, family) == 0;
}

static ll_status resolve_fault(const ll_rule *rule, resolved *out, ll_problem *problem)
{
    if (ll_rule_is_remark(rule)) {
        out->fault = NO_FAULT;
        return LL_OK;
    }
    unsigned first = out->format ? LL_CORE_FAULTS : is_family(rule, "ledger") ? LL_FAULT_GAP : 0;
    ll_names faults = out->format ? LL_NAMES(out->format->faults, out->format->fault_count, name)
                      : first     ? LL_NAMES(ll_core_faults + LL_FAULT_GAP, LL_CORE_FAULTS - LL_FAULT_GAP, name)
                                  : LL_NAMES(ll_core_faults, LL_FAULT_GAP, name);
    const char *dot = strchr(rule->fault, '.');
    size_t number;
    ll_status status = ll_names_pick(&faults, "fault", rule->family, dot ? dot + 1 : rule->fault, &number, problem);
    out->fault = status == LL_OK ? first + (unsigned)number : NO_FAULT;
    return status;
}

static ll_status find_format(const ll_rule *rule, const ll_format **format, ll_problem *problem)
{
    *format = ll_format_find(rule->family);
    if (*format || (*rule->fault && (is_family(rule, "core") || is_family(rule, "ledger")))) {
        return LL_OK;
    }
    ll_nearest nearest = {.to = rule->family};
    for (size_t i = 0; i < ll_format_count(); i++) {
        ll_nearest_offer(&nearest, ll_format_at(i)->family);
    }
    return ll_problem_unknown(problem, "family", &nearest);
}

static ll_status resolve(ll_arena *arena, const ll_rule *rule, resolved *out, ll_problem *problem)
{
    *out = (resolved){.fault = NO_FAULT};
    ll_status status = find_format(rule, &out->format, problem);
    if (status != LL_OK) {
        return status;
    }
    if (*rule->fault) {
        return resolve_fault(rule, out, problem);
    }
    return strchr(rule->test.check, '.') ? resolve_check(arena, rule, out, problem)
                                         : resolve_test(arena, rule, out, problem);
}

/* Gives a problem the place of the rule. */
static ll_status at_rule(const ll_rule *rule, ll_status status, ll_problem *problem)
{
    if (status == LL_E_PACK) {
        (void)ll_problem_at(problem, rule->line, 0);
    }
    return status;
}

/* Binds the test and the guard of a rule; neither is bound unless both are. */
static ll_status bind_target(ll_arena *arena, const resolved *r, const ll_rule *rule, const target *at,
                             ll_bound_rule *out, ll_problem *problem)
{
    const ll_format *format = r->format;
    const ll_layout *layout = &format->layouts[at->layout];
    ll_status status = ll_test_bind(arena, format, &rule->test, layout, at->field, &out->test, problem);
    if (status != LL_OK || !is_guarded(rule)) {
        return status;
    }
    ll_bound_test *when = ll_arena_alloc(arena, 1, sizeof *when);
    unsigned field = ll_layout_find(layout, rule->when_field);
    status = when ? ll_test_bind(arena, format, &rule->when, layout, field, when, problem) : LL_E_MEMORY;
    bool several =
        at->layout != r->targets.items[0].layout; /* the guard of what is judged at the end is the first one's */
    if (status == LL_OK && several && ll_test_finishes(&out->test)) {
        status = LL_PROBLEM(problem, "'when' goes with one record where check '", rule->test.check,
                            "' compares beyond a span");
    }
    if (status == LL_OK && ll_test_judges_spans(when)) {
        status = LL_PROBLEM(problem, "check '", rule->when.check, "' judges spans and cannot be asked in 'when'");
    }
    if (status == LL_OK) {
        out->when = when;
    } else {
        ll_regex_free(out->test.regex);
    }
    return status;
}

static bool is_guess(const resolved *r, const target *at)
{
    return at->field != LL_NO_FIELD && r->format->layouts[at->layout].fields[at->field].sure == LL_SURE_GUESS;
}

static ll_status check_targets(ll_arena *scratch, const ll_rule *rule, bool shipped, ll_problem *problem)
{
    resolved r;
    ll_status status = resolve(scratch, rule, &r, problem);
    for (size_t i = 0; status == LL_OK && !r.check && i < r.targets.count; i++) {
        ll_bound_rule bound = {0};
        const target *at = &r.targets.items[i];
        status = bind_target(scratch, &r, rule, at, &bound, problem);
        if (status == LL_OK) {
            ll_regex_free(bound.test.regex);
            ll_regex_free(bound.when ? bound.when->regex : NULL);
        }
        if (status == LL_OK && shipped && rule->severity > LL_NOTE && is_guess(&r, at)) {
            status = LL_PROBLEM(problem, "the meaning of field '", bound.test.field->name, "' of ",
                                bound.test.layout->name, " is a guess: a rule on it is a note");
        }
    }
    return status;
}

ll_status ll_rule_check(ll_arena *scratch, const ll_rule *rule, bool shipped, ll_problem *problem)
{
    return at_rule(rule, check_targets(scratch, rule, shipped, problem), problem);
}

/* ------------------------------------------------------------------ gathering */

typedef struct binder {
    const ll_ruleset *rules;
    ll_format_program *program; /* of one format; NULL: of none */
    ll_problem *problem;
    ll_arena scratch;
    LL_ARRAY(ll_bound_rule) records[LL_LAYOUTS_MAX]; /* by layout, 0: the whole file; in the order of rules */
} binder;

/* Compiled patterns live outside the arena. The program owns them from here on, whatever becomes of the binding. */
static bool own_patterns(ll_format_program *program, const ll_bound_rule *bound)
{
    ll_regex *patterns[] = {bound->test.regex, bound->when ? bound->when->regex : NULL};
    ll_allocator allocator = ll_arena_allocator(&program->arena);
    bool room = LL_ARRAY_ROOM(&program->patterns, 2, &allocator);
    for (size_t i = 0; i < 2; i++) {
        if (room && patterns[i]) {
            program->patterns.items[program->patterns.count++] = patterns[i];
        } else {
            ll_regex_free(patterns[i]);
        }
    }
    return room;
}

/* Binds rule `number` to one of its targets. Tests of one rule that remember things together have one slot. */
static ll_status gather_target(binder *b, uint32_t number, const resolved *r, const target *at, bool first)
{
    ll_format_program *program = b->program;
    ll_bound_rule bound = {.rule = number, .check = r->check};
    if (!r->check) {
        const ll_rule *rule = b->rules->rules[number].rule;
        ll_status status = bind_target(&program->arena, r, rule, at, &bound, b->problem);
        if (status != LL_OK) {
            return status;
        }
        if (!own_patterns(program, &bound)) {
            return LL_E_MEMORY;
        }
    }
    if (!r->check && ll_test_judges_spans(&bound.test)) {
        program->slot_count += first || !ll_test_finishes(&bound.test);
        bound.slot = program->slot_count - 1;
    }
    ll_allocator allocator = ll_arena_allocator(&b->scratch);
    if (first && !r->check && ll_test_finishes(&bound.test)) {
        ll_bound_rule *end = LL_ARRAY_ADD(&b->records[0], &allocator);
        if (!end) {
            return LL_E_MEMORY;
        }
        *end = bound;
    }
    ll_bound_rule *place = LL_ARRAY_ADD(&b->records[at->layout], &allocator);
    if (place) {
        *place = bound;
    }
    return place ? LL_OK : LL_E_MEMORY;
}

/* A fault has one rule that reports it. `faults` holds the rules of the faults from number `first` on. */
static ll_status gather_rule(binder *b, uint32_t number, uint32_t *faults, unsigned first)
{
    const ll_rule *rule = b->rules->rules[number].rule;
    resolved r;
    ll_status status = resolve(&b->scratch, rule, &r, b->problem);
    if (status == LL_OK && r.fault != NO_FAULT) {
        uint32_t *slot = &faults[r.fault - first];
        if (*slot != LL_NO_RULE) {
            return LL_PROBLEM(b->problem, "fault '", rule->fault, "' already has rule '",
                              b->rules->rules[*slot].rule->name, "'");
        }
        *slot = number;
    }
    for (size_t i = 0; status == LL_OK && i < r.targets.count; i++) {
        status = gather_target(b, number, &r, &r.targets.items[i], i == 0);
    }
    return status;
}

/* Binds the rules in force of one format; NULL: those of no format, which report faults alone. */
static ll_status gather(binder *b, const ll_format *format, uint32_t *faults, size_t fault_count)
{
    ll_status status = LL_OK;
    for (size_t i = 0; i < fault_count; i++) {
        faults[i] = LL_NO_RULE;
    }
    for (uint32_t i = 0; status == LL_OK && i < b->rules->count; i++) {
        const ll_active_rule *active = &b->rules->rules[i];
        bool meant = format ? is_family(active->rule, format->family) : !ll_format_find(active->rule->family);
        if (meant && active->severity != LL_SEVERITY_OFF) {
            status = at_rule(active->rule, gather_rule(b, i, faults, format ? LL_CORE_FAULTS : 0), b->problem);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ laying out */

/* What runs once for a span and raises what it finds. */
static bool is_check(const ll_bound_rule *bound)
{
    return bound->check || ll_test_judges_spans(&bound->test);
}

/* Puts the filters of a test behind those that are there. */
static ll_status add_filters(binder *b, const ll_bound_test *test, uint32_t number, ll_program *out, bool *any)
{
    ll_quick quick[QUICK_MAX];
    size_t count = ll_test_quick(test, quick, QUICK_MAX);
    ll_allocator allocator = ll_arena_allocator(&b->program->arena);
    *any = count > 0;
    if (!LL_ARRAY_ROOM(&out->filters, count, &allocator)) {
        return LL_E_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        out->filters.items[out->filters.count++] = (ll_filter){quick[i], number};
        uint32_t end = quick[i].offset + (uint32_t)sizeof(uint64_t);
        out->reach = end > out->reach ? end : out->reach;
    }
    return LL_OK;
}

/* Puts a test behind the others, or in front of those at the end that hold wherever it does. */
static void put_test(ll_bound_rule *tests, uint32_t count, const ll_bound_rule *one)
{
    uint32_t at = count;
    for (; at > 0 && ll_test_implies(&one->test, &tests[at - 1].test); at--) {
        tests[at] = tests[at - 1];
        tests[at].weaker = true;
    }
    tests[at] = *one;
    tests[at].weaker = at > 0 && ll_test_implies(&tests[at - 1].test, &one->test);
}

/* Tests that have filters come first, then those that are always judged, then the checks. */
static ll_status lay_out_record(binder *b, unsigned layout, ll_program *out)
{
    ll_bound_rule *bound = b->records[layout].items;
    size_t rest = 0;
    ll_bound_rule *tests = ll_arena_alloc(&b->program->arena, b->records[layout].count, sizeof *tests);
    ll_status status = tests ? LL_OK : LL_E_MEMORY;
    for (size_t i = 0; status == LL_OK && i < b->records[layout].count; i++) {
        bool filtered = false;
        if (!is_check(&bound[i])) {
            status = add_filters(b, &bound[i].test, out->test_count, out, &filtered);
        }
        *(filtered ? &tests[out->test_count++] : &bound[rest++]) = bound[i];
    }
    if (status != LL_OK) {
        return status;
    }
    out->always = out->test_count;
    for (size_t i = 0; i < rest; i++) {
        if (!is_check(&bound[i])) {
            put_test(tests + out->always, out->test_count++ - out->always, &bound[i]);
        }
    }
    out->tests = tests;
    out->checks = tests + out->test_count;
    for (size_t i = 0; i < rest; i++) {
        if (is_check(&bound[i])) {
            tests[out->test_count + out->check_count++] = bound[i];
        }
    }
    return ll_sieve_make(&b->program->arena, &b->scratch, out) ? LL_OK : LL_E_MEMORY;
}

/* ------------------------------------------------------------------ one format */

/* The program holds itself in its arena. */
static void free_program(ll_format_program *program)
{
    if (program) {
        for (size_t i = 0; i < program->patterns.count; i++) {
            ll_regex_free(program->patterns.items[i]);
        }
        ll_arena arena = program->arena;
        ll_arena_free(&arena);
    }
}

static ll_status fill_program(binder *b)
{
    ll_format_program *out = b->program;
    const ll_format *format = out->format;
    uint32_t *faults = ll_arena_alloc(&out->arena, format->fault_count, sizeof *faults);
    ll_program *programs = ll_arena_zalloc(&out->arena, format->layout_count, sizeof *programs);
    if (!faults || !programs) {
        return LL_E_MEMORY;
    }
    out->fault_rules = faults;
    out->layouts = programs;
    ll_status status = gather(b, format, faults, format->fault_count);
    status = status == LL_OK ? lay_out_record(b, 0, &out->file) : status;
    for (unsigned i = LL_LAYOUT_BUILTINS; status == LL_OK && i < format->layout_count; i++) {
        status = b->records[i].count ? lay_out_record(b, i, &programs[i]) : LL_OK;
    }
    return status;
}

static ll_status make_program(const ll_ruleset *rules, const ll_format *format, ll_format_program **out,
                              ll_problem *problem)
{
    ll_arena arena;
    *out = NULL;
    ll_arena_init(&arena, &rules->arena.allocator, rules->arena.ceiling);
    ll_format_program *program = ll_arena_alloc(&arena, 1, sizeof *program);
    if (!program) {
        return LL_E_MEMORY;
    }
    *program = (ll_format_program){.arena = arena, .format = format};
    binder b = {.rules = rules, .program = program, .problem = problem};
    ll_arena_init(&b.scratch, &rules->arena.allocator, SIZE_MAX);
    ll_status status = fill_program(&b);
    ll_arena_free(&b.scratch);
    if (status == LL_OK) {
        *out = program;
    } else {
        free_program(program);
    }
    return status;
}

/* ------------------------------------------------------------------ the rule set */

/* A rule in force that packc has not seen may be refused. */
static bool may_be_refused(const ll_ruleset *rules, const ll_format *format)
{
    for (size_t i = 0; i < rules->count; i++) {
        const ll_active_rule *active = &rules->rules[i];
        if (active->severity != LL_SEVERITY_OFF && strcmp(active->rule->family, format->family) == 0 &&
            !ll_shipped_family(active->rule->id)) {
            return true;
        }
    }
    return false;
}

ll_status ll_ruleset_bind(ll_ruleset *rules, ll_problem *problem)
{
    binder b = {.rules = rules, .problem = problem};
    ll_arena_init(&b.scratch, &rules->arena.allocator, SIZE_MAX);
    ll_status status = gather(&b, NULL, rules->core_fault_rules, LL_CORE_FAULTS);
    ll_arena_free(&b.scratch);
    size_t count = ll_format_count();
    rules->formats = status == LL_OK ? ll_arena_alloc(&rules->arena, count, sizeof *rules->formats) : NULL;
    for (size_t i = 0; rules->formats && i < count; i++) {
        atomic_init(&rules->formats[i].program, NULL);
    }
    status = status == LL_OK && !rules->formats ? LL_E_MEMORY : status;
    for (size_t i = 0; status == LL_OK && i < count; i++) {
        if (rules->at_once || may_be_refused(rules, ll_format_at(i))) {
            ll_format_program *program;
            status = make_program(rules, ll_format_at(i), &program, problem);
            atomic_init(&rules->formats[i].program, program);
        }
    }
    if (status != LL_OK) {
        ll_ruleset_unbind(rules);
    }
    return status;
}

void ll_ruleset_unbind(ll_ruleset *rules)
{
    for (size_t i = 0; rules->formats && i < ll_format_count(); i++) {
        free_program(atomic_load(&rules->formats[i].program));
    }
    rules->formats = NULL;
}

ll_status ll_ruleset_program(const ll_ruleset *rules, const ll_format *format, const ll_format_program **out)
{
    size_t i = 0;
    *out = NULL;
    while (i < ll_format_count() && ll_format_at(i) != format) {
        i++;
    }
    if (!rules->formats || i == ll_format_count()) {
        return LL_OK;
    }
    ll_format_program *there = atomic_load_explicit(&rules->formats[i].program, memory_order_acquire);
    if (!there) {
        ll_format_program *made;
        ll_status status = make_program(rules, format, &made, NULL);
        if (status != LL_OK) {
            return status == LL_E_MEMORY ? status : LL_E_INTERNAL; /* packc let nothing else in */
        }
        /* Of two threads that come at the same time one was in vain: rarer, and cheaper, than a lock for all. */
        if (atomic_compare_exchange_strong(&rules->formats[i].program, &there, made)) {
            there = made;
        } else {
            free_program(made);
        }
    }
    *out = there;
    return LL_OK;
}
