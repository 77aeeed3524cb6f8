/* Makes programs from rules: binds the rules in force of one format and lists, for each record, the tests and checks
 * that the engine runs. Knows no files. */
#include "rules/ruleset.h"

#include "base/problem.h"
#include "rules/regex.h"
#include "rules/resolve.h"

#include <string.h>

/* ------------------------------------------------------------------ collecting the rules of a format */

typedef struct binder {
    const ll_ruleset *rules;
    ll_format_program *program; /* being filled; NULL: only faults of no format are bound */
    ll_program_kind kind;
    ll_problem *problem;
    ll_arena scratch;
    LL_ARRAY(ll_bound_rule) records[LL_LAYOUTS_MAX]; /* by layout, 0: the whole file; in the order of rules */
    LL_ARRAY(ll_bound_rule) named[LL_LAYOUTS_MAX];   /* the same of rules with `of` */
} binder;

/* Notes the names in a scope, each once. False: no memory. */
static bool note_classes(ll_format_program *program, const ll_scope *scope)
{
    ll_allocator allocator = ll_arena_allocator(&program->arena);
    const bool room = LL_ARRAY_ROOM(&program->classes, scope->owner_count, &allocator);
    for (uint32_t i = 0; room && i < scope->owner_count; i++) {
        size_t known = 0;
        while (known < program->classes.count && program->classes.items[known] != scope->owners[i].name) {
            known++;
        }
        program->any_class = program->any_class || scope->owners[i].any;
        if (known == program->classes.count && !scope->owners[i].any) {
            program->classes.items[program->classes.count++] = scope->owners[i].name;
            program->class_bits |= ll_name_bit(scope->owners[i].name);
        }
    }
    return room;
}

/* Makes the program the owner of the compiled patterns, which live outside the arena. On failure they are freed. */
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

/* Binds rule `number` to one of its targets. Tests of one rule that finish at the end of the file share one slot. */
static ll_status gather_target(binder *b, uint32_t number, const ll_resolved *r, const ll_rule_target *at, bool first)
{
    ll_format_program *program = b->program;
    bool is_check = r->check != LL_NO_CHECK;
    ll_bound_rule bound = {
        .rule = number, .check = is_check ? &program->format->checks[r->check] : NULL, .screened = at->screened};
    program->needs = is_check && bound.check->needs ? bound.check->needs : program->needs;
    if (!is_check) {
        const ll_rule *rule = ll_rule_at(b->rules, number);
        ll_status status = ll_rule_bind(&program->arena, rule, program->format, at, &bound, b->problem);
        if (status != LL_OK) {
            return status;
        }
        if (!own_patterns(program, &bound)) {
            return LL_E_MEMORY;
        }
        status = ll_guard_check(rule, r, &bound, b->problem);
        if (status != LL_OK) {
            return status;
        }
    }
    if (!is_check && ll_test_judges_spans(&bound.test)) {
        program->slot_count += first || !ll_test_finishes(&bound.test);
        bound.slot = program->slot_count - 1;
    }
    ll_allocator allocator = ll_arena_allocator(&b->scratch);
    if (first && !is_check && ll_test_finishes(&bound.test)) {
        ll_bound_rule *end = LL_ARRAY_ADD(&b->records[0], &allocator);
        if (!end) {
            return LL_E_MEMORY;
        }
        *end = bound;
    }
    const bool owned = bound.scope && bound.scope->owner_count;
    const bool named = owned && b->kind == LL_PROGRAM_UNSCREENED;
    ll_bound_rule *place =
        named ? LL_ARRAY_ADD(&b->named[at->layout], &allocator) : LL_ARRAY_ADD(&b->records[at->layout], &allocator);
    if (!place || (owned && !note_classes(program, bound.scope))) {
        return LL_E_MEMORY;
    }
    *place = bound;
    program->asks[at->layout] |= named ? LL_ASKS_WITHIN : LL_ASKS;
    return LL_OK;
}

/* Resolves the names of a rule. packc has done it for shipped rules. */
static ll_status resolve(binder *b, const ll_active_rule *active, ll_resolved *out)
{
    const ll_format *format;
    const ll_rule_row *row = &ll_shipped_rules[active->row];
    if (active->own) {
        return ll_rule_resolve(&b->scratch, active->own, &format, out, b->problem);
    }
    *out = (ll_resolved){row->fault, row->check, ll_shipped_targets + row->first_target, row->target_count};
    return LL_OK;
}

/* Binds one rule to all its targets, or makes it the rule of its fault. `faults` has the rules of the faults from code
 * `first` on. */
static ll_status gather_rule(binder *b, uint32_t number, uint32_t *faults, unsigned first)
{
    ll_resolved r;
    ll_status status = resolve(b, &b->rules->rules[number], &r);
    if (status == LL_OK && r.fault != LL_NO_FAULT) {
        uint32_t *slot = &faults[r.fault - first];
        if (*slot != LL_NO_RULE) {
            return LL_PROBLEM(b->problem, "fault '", ll_rule_at(b->rules, number)->fault, "' already has rule '",
                              ll_rule_at(b->rules, *slot)->name, "'");
        }
        *slot = number;
    }
    for (uint32_t i = 0; status == LL_OK && i < r.target_count; i++) {
        b->program->asks[r.targets[i].layout] |= r.targets[i].screened ? LL_ASKS : 0;
        if (b->kind == LL_PROGRAM_ALL || !r.targets[i].screened) {
            status = gather_target(b, number, &r, &r.targets[i], i == 0);
        }
    }
    return status;
}

/* Binds the rules in force of one format; NULL: the rules of no format, which only report faults. */
static ll_status gather(binder *b, const ll_format *format, uint32_t *faults, size_t fault_count)
{
    ll_status status = LL_OK;
    for (size_t i = 0; i < fault_count; i++) {
        faults[i] = LL_NO_RULE;
    }
    const char *family = NULL; /* of the rule before; rules of a family usually follow each other */
    bool meant = false;
    for (uint32_t i = 0; status == LL_OK && i < b->rules->count; i++) {
        const char *own = ll_rule_family(b->rules, i);
        if (own != family) {
            family = own;
            meant = format ? strcmp(family, format->family) == 0 : !ll_format_find(family);
        }
        if (meant && b->rules->rules[i].severity != LL_SEVERITY_OFF) {
            status = gather_rule(b, i, faults, format ? LL_CORE_FAULTS : 0);
        }
        if (status == LL_E_PACK) {
            (void)ll_problem_at(b->problem, ll_rule_at(b->rules, i)->line, 0);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ the program of a record */

/* Does it run once for a span and raise faults itself? */
static bool is_check(const ll_bound_rule *bound)
{
    return bound->check || ll_test_judges_spans(&bound->test);
}

/* Copies the rules of a record: tests in its screen first, then other tests, then checks. False: no memory. */
static bool lay_out_record(binder *b, const ll_bound_rule *bound, size_t count, ll_program *out)
{
    ll_bound_rule *tests = ll_arena_alloc(&b->program->arena, count, sizeof *tests);
    if (!tests) {
        return false;
    }
    for (unsigned screened = 2; screened-- > 0;) {
        for (size_t i = 0; i < count; i++) {
            if (!is_check(&bound[i]) && !bound[i].screened == !screened) {
                tests[out->test_count++] = bound[i];
            }
        }
        out->screened_count = screened ? out->test_count : out->screened_count;
    }
    out->tests = tests;
    out->checks = tests + out->test_count;
    for (size_t i = 0; i < count; i++) {
        if (is_check(&bound[i])) {
            tests[out->test_count + out->check_count++] = bound[i];
        }
    }
    return true;
}

/* ------------------------------------------------------------------ one format */

/* Lays out the rules with `of`. False: no memory. */
static bool lay_out_named(binder *b, ll_format_program *out)
{
    const ll_format *format = out->format;
    ll_program *named = ll_arena_zalloc(&out->arena, format->layout_count, sizeof *named);
    uint16_t *fields = ll_arena_alloc(&out->arena, format->layout_count, sizeof *fields);
    bool done = named && fields;
    for (unsigned i = 0; done && i < format->layout_count; i++) {
        named[i].own_names = ll_is_chosen(format, i); /* values and items have other names, or none */
        for (size_t k = 0; k < b->named[i].count; k++) {
            named[i].own_names = named[i].own_names && b->named[i].items[k].scope->only_members;
            named[i].names |= b->named[i].items[k].scope->names;
        }
        fields[i] = i < LL_LAYOUT_BUILTINS ? LL_NO_FIELD : (uint16_t)ll_scope_field(format, i);
        done = b->named[i].count == 0 || lay_out_record(b, b->named[i].items, b->named[i].count, &named[i]);
    }
    out->named = named;
    out->name_fields = fields;
    const unsigned owner = b->kind == LL_PROGRAM_UNSCREENED ? ll_scope_owner(format) : 0;
    if (done && owner) {
        out->owner_at = format->layouts[owner].fields[fields[owner]].offset;
        out->owner_big = format->layouts[owner].endian == LL_BIG;
        out->asks[owner] |= LL_ASKS_NAME;
    }
    return done;
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
    bool done = status == LL_OK && lay_out_record(b, b->records[0].items, b->records[0].count, &out->file);
    for (unsigned i = LL_LAYOUT_BUILTINS; done && i < format->layout_count; i++) {
        done = b->records[i].count == 0 || lay_out_record(b, b->records[i].items, b->records[i].count, &programs[i]);
    }
    done = done && ((out->classes.count == 0 && !out->any_class) || lay_out_named(b, out));
    return status == LL_OK && !done ? LL_E_MEMORY : status;
}

/* Makes a program of the format with that number. The caller frees *out with ll_free_program(). */
static ll_status make_program(const ll_ruleset *rules, size_t number, ll_program_kind kind, ll_format_program **out,
                              ll_problem *problem)
{
    ll_arena arena;
    *out = NULL;
    ll_arena_init(&arena, &rules->arena.allocator, rules->arena.ceiling);
    ll_format_program *program = ll_arena_alloc(&arena, 1, sizeof *program);
    if (!program) {
        return LL_E_MEMORY;
    }
    *program = (ll_format_program){.arena = arena, .format = ll_format_at(number), .number = number};
    binder b = {.rules = rules, .program = program, .kind = kind, .problem = problem};
    ll_arena_init(&b.scratch, &rules->arena.allocator, SIZE_MAX);
    ll_status status = fill_program(&b);
    ll_arena_free(&b.scratch);
    if (status == LL_OK) {
        *out = program;
    } else {
        ll_free_program(program);
    }
    return status;
}

/* ------------------------------------------------------------------ the rule set */

/* Does the format have user rules in force? Only those may be refused, because packc has checked the shipped ones. */
static bool may_be_refused(const ll_ruleset *rules, const ll_format *format)
{
    for (size_t i = 0; i < rules->count; i++) {
        const ll_active_rule *active = &rules->rules[i];
        if (active->own && active->severity != LL_SEVERITY_OFF && strcmp(active->own->family, format->family) == 0) {
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
    for (size_t i = 0; rules->formats && i < count * LL_PROGRAM_KINDS; i++) {
        atomic_init(&rules->formats[i / LL_PROGRAM_KINDS].program[i % LL_PROGRAM_KINDS], NULL);
    }
    status = status == LL_OK && !rules->formats ? LL_E_MEMORY : status;
    for (size_t i = 0; status == LL_OK && i < count * LL_PROGRAM_KINDS; i++) {
        size_t number = i / LL_PROGRAM_KINDS;
        ll_program_kind kind = (ll_program_kind)(i % LL_PROGRAM_KINDS);
        bool refusable = kind == LL_PROGRAM_UNSCREENED && may_be_refused(rules, ll_format_at(number));
        if (rules->at_once || refusable) {
            ll_format_program *program;
            status = make_program(rules, number, kind, &program, problem);
            atomic_init(&rules->formats[number].program[kind], program);
        }
    }
    if (status != LL_OK) {
        ll_ruleset_unbind(rules);
    }
    return status;
}

ll_status ll_ruleset_seal(ll_ruleset *rules, ll_problem *problem)
{
    if (!rules || rules->sealed) {
        return LL_E_ARGUMENT;
    }
    (void)ll_problem_at(problem, 0, 0);
    ll_status status = ll_resolve_yields(rules);
    if (status == LL_OK) {
        status = ll_ruleset_bind(rules, problem);
    }
    rules->sealed = status == LL_OK;
    return status;
}

ll_status ll_ruleset_program(const ll_ruleset *rules, const ll_format *format, ll_program_kind kind,
                             const ll_format_program **out)
{
    size_t i = 0;
    *out = NULL;
    while (i < ll_format_count() && ll_format_at(i) != format) {
        i++;
    }
    if (!rules->formats || i == ll_format_count()) {
        return LL_OK;
    }
    _Atomic(ll_format_program *) *slot = &rules->formats[i].program[kind];
    ll_format_program *there = atomic_load_explicit(slot, memory_order_acquire);
    if (!there) {
        ll_format_program *made;
        ll_status status = make_program(rules, i, kind, &made, NULL);
        if (status != LL_OK) {
            return status == LL_E_MEMORY ? status : LL_E_INTERNAL; /* packc has checked these rules */
        }
        /* If two threads make the program at the same time, one of them frees its own. This is rare, and cheaper than a
         * lock. */
        if (atomic_compare_exchange_strong(slot, &there, made)) {
            there = made;
        } else {
            ll_free_program(made);
        }
    }
    *out = there;
    return LL_OK;
}
