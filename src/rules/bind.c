/* From rules to programs: resolves records, fields, faults and checks by name, binds the predicates, and lays out for
 * each record what the engine runs. Decides nothing about files. Trusts that rules have the form that pack.h promises;
 * trusts no name in them. */
#include "rules/ruleset.h"

#include "base/glob.h"
#include "base/problem.h"
#include "rules/cross_check.h"
#include "rules/sieve.h"

#include <string.h>

enum {
    QUICK_MAX = 16, /* filters of one test; a longer vector is judged */
    GROUP_MAX = 64, /* filters of one field */
    NO_FAULT = UINT16_MAX
};

/* ------------------------------------------------------------------ records and fields */

static bool is_listed(const ll_words *words, const char *name)
{
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(words->at[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The records that a rule is about, by number of their layout. */
typedef struct record_list {
    uint16_t at[LL_LAYOUTS_MAX];
    unsigned count;
} record_list;

static ll_status refuse_record(const ll_format *format, const char *pattern, ll_problem *problem)
{
    if (strchr(pattern, '*')) {
        return LL_PROBLEM(problem, "no record matches '", pattern, "'");
    }
    ll_nearest nearest = {.to = pattern};
    for (size_t l = LL_LAYOUT_BUILTINS; l < format->layout_count; l++) {
        ll_nearest_offer(&nearest, format->layouts[l].name);
    }
    return ll_problem_unknown(problem, "record", &nearest);
}

/* Records in the order of their layouts. Every pattern leads to one at least. */
static ll_status find_records(const ll_rule *rule, const ll_format *format, record_list *out, ll_problem *problem)
{
    bool meant[LL_LAYOUTS_MAX] = {false};
    size_t family = strlen(rule->family); /* all names begin with it and a dot; what both have need not be compared */
    for (size_t i = 0; i < rule->on.count; i++) {
        const char *pattern = rule->on.at[i];
        size_t same = strncmp(pattern, rule->family, family) == 0 && pattern[family] == '.' ? family + 1 : 0;
        size_t length = strlen(pattern + same);
        bool any = false;
        for (size_t l = LL_LAYOUT_BUILTINS; l < format->layout_count; l++) {
            if (ll_glob(pattern + same, length, format->layouts[l].name + same)) {
                any = meant[l] = true;
            }
        }
        if (!any) { /* names are compared for nearness only once one is wrong: that is slow */
            return refuse_record(format, pattern, problem);
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
    for (unsigned i = 0; i < records->count; i++) {
        if (ll_layout_find(&format->layouts[records->at[i]], name) != LL_NO_FIELD) {
            return LL_OK;
        }
    }
    ll_nearest nearest = {.to = name};
    for (unsigned i = 0; i < records->count; i++) {
        const ll_layout *layout = &format->layouts[records->at[i]];
        for (unsigned f = 0; f < layout->field_count; f++) {
            ll_nearest_offer(&nearest, layout->fields[f].name);
        }
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
    const ll_words *lists[] = {is_every_field(&rule->fields) ? NULL : &rule->fields, &rule->except};
    ll_status status = LL_OK;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (size_t f = 0; lists[i] && status == LL_OK && f < lists[i]->count; f++) {
            status = check_field(records, format, lists[i]->at[f], problem);
        }
    }
    return status == LL_OK && is_guarded(rule) ? check_field(records, format, rule->when_field, problem) : status;
}

/* ------------------------------------------------------------------ one rule */

/* What a rule comes to. `field` is LL_NO_FIELD, and `layout` 0 for the whole file, where the rule has a C check. */
typedef struct target {
    const ll_rule *rule;
    const ll_format *format;
    const ll_check_def *check;
    unsigned layout, field;
} target;

typedef struct visitor {
    ll_status (*visit)(struct visitor *v, const target *at);
    ll_problem *problem;
} visitor;

/* The fields of one record that the rule is about. */
static ll_status visit_fields(visitor *v, target *at, size_t *visited)
{
    const ll_rule *rule = at->rule;
    const ll_layout *layout = &at->format->layouts[at->layout];
    if (is_guarded(rule) && ll_layout_find(layout, rule->when_field) == LL_NO_FIELD) {
        return LL_OK;
    }
    bool every = is_every_field(&rule->fields);
    bool whole = rule->fields.count == 0;
    size_t count = every ? layout->field_count : whole ? 1 : rule->fields.count;
    ll_status status = LL_OK;
    for (size_t i = 0; status == LL_OK && i < count; i++) {
        at->field = every ? (unsigned)i : whole ? (unsigned)LL_NO_FIELD : ll_layout_find(layout, rule->fields.at[i]);
        bool meant = whole || at->field != LL_NO_FIELD;
        if (every) {
            const ll_field *field = &layout->fields[i];
            meant = !is_listed(&rule->except, field->name) && ll_predicate_accepts(rule->test.check, field);
        }
        if (meant) {
            ++*visited;
            status = v->visit(v, at);
        }
    }
    return status;
}

/* Most predicates give no arguments: their words may hold {value} only. */
static ll_status check_templates(const ll_rule *rule, ll_problem *problem)
{
    const char *const templates[] = {rule->found, rule->expected};
    for (size_t i = 0; !ll_predicate_arguments(rule->test.check) && i < sizeof templates / sizeof templates[0]; i++) {
        for (const char *p = templates[i]; *p; p++) {
            if (*p == '{' && p[1] >= '0' && p[1] <= '9') {
                return LL_PROBLEM(problem, "'", templates[i], "' has an argument, which a predicate does not give");
            }
            p += *p == '{' && p[1] == '{';
        }
    }
    return LL_OK;
}

static ll_status visit_tests(visitor *v, const ll_rule *rule, const ll_format *format)
{
    ll_nearest nearest = {.to = rule->test.check};
    if (!ll_predicate_known(rule->test.check, &nearest.name)) {
        return ll_problem_unknown(v->problem, "check", &nearest);
    }
    record_list records;
    ll_status status = check_templates(rule, v->problem);
    if (status == LL_OK) {
        status = find_records(rule, format, &records, v->problem);
    }
    if (status == LL_OK) {
        status = check_fields(rule, &records, format, v->problem);
    }
    size_t visited = 0;
    for (unsigned i = 0; status == LL_OK && i < records.count; i++) {
        status = visit_fields(v, &(target){rule, format, NULL, records.at[i], LL_NO_FIELD}, &visited);
    }
    if (status == LL_OK && visited == 0) {
        return LL_PROBLEM(v->problem, "no field is left for check '", rule->test.check, "'");
    }
    return status;
}

/* "unknown check 'grx.nme_hash'; did you mean 'grx.name_hash'?" */
static ll_status refuse_name(const char *what, const char *name, const char *family, const char *nearest,
                             ll_problem *problem)
{
    if (!nearest) {
        return LL_PROBLEM(problem, "unknown ", what, " '", name, "'");
    }
    return LL_PROBLEM(problem, "unknown ", what, " '", name, "'; did you mean '", family, ".", nearest, "'?");
}

static ll_status find_check(const ll_rule *rule, const ll_format *format, const ll_check_def **check,
                            ll_problem *problem)
{
    ll_nearest nearest = {.to = strchr(rule->test.check, '.') + 1};
    for (size_t i = 0; i < format->check_count; i++) {
        if (strcmp(format->checks[i].name, nearest.to) == 0) {
            *check = &format->checks[i];
            return LL_OK;
        }
    }
    for (size_t i = 0; i < format->check_count; i++) {
        ll_nearest_offer(&nearest, format->checks[i].name);
    }
    return refuse_name("check", rule->test.check, rule->family, nearest.name, problem);
}

static ll_status visit_check(visitor *v, const ll_rule *rule, const ll_format *format)
{
    const ll_check_def *check = NULL;
    ll_status status = find_check(rule, format, &check, v->problem);
    if (status != LL_OK) {
        return status;
    }
    if (check->whole_file == (rule->on.count > 0)) {
        return LL_PROBLEM(v->problem, "check '", rule->test.check,
                          check->whole_file ? "' looks at the whole file and takes no 'on'"
                                            : "' needs records in 'on'");
    }
    if (check->whole_file) {
        return v->visit(v, &(target){rule, format, check, 0, LL_NO_FIELD});
    }
    record_list records;
    status = find_records(rule, format, &records, v->problem);
    for (unsigned i = 0; status == LL_OK && i < records.count; i++) {
        status = v->visit(v, &(target){rule, format, check, records.at[i], LL_NO_FIELD});
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

/* Number of the fault that the rule speaks for; NO_FAULT for a remark. */
static ll_status find_fault(const ll_rule *rule, const ll_format *format, unsigned *code, ll_problem *problem)
{
    if (ll_rule_is_remark(rule)) {
        *code = NO_FAULT;
        return LL_OK;
    }
    bool ledger = strcmp(rule->family, "ledger") == 0;
    unsigned first = format ? LL_CORE_FAULTS : ledger ? LL_FAULT_GAP : 0;
    size_t count = format ? format->fault_count : ledger ? LL_CORE_FAULTS - LL_FAULT_GAP : LL_FAULT_GAP;
    const ll_named *faults = format ? format->faults : ll_core_faults + first;
    const char *dot = strchr(rule->fault, '.');
    ll_nearest nearest = {.to = dot ? dot + 1 : rule->fault};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(faults[i].name, nearest.to) == 0) {
            *code = first + (unsigned)i;
            return LL_OK;
        }
    }
    for (size_t i = 0; i < count; i++) {
        ll_nearest_offer(&nearest, faults[i].name);
    }
    return refuse_name("fault", rule->fault, rule->family, nearest.name, problem);
}

/* NULL in *format: the rule is of "core" or "ledger". */
static ll_status find_format(const ll_rule *rule, const ll_format **format, ll_problem *problem)
{
    *format = ll_format_find(rule->family);
    bool built_in = strcmp(rule->family, "core") == 0 || strcmp(rule->family, "ledger") == 0;
    if (*format || (built_in && *rule->fault)) {
        return LL_OK;
    }
    ll_nearest nearest = {.to = rule->family};
    for (size_t i = 0; i < ll_format_count(); i++) {
        ll_nearest_offer(&nearest, ll_format_at(i)->family);
    }
    return ll_problem_unknown(problem, "family", &nearest);
}

/* Visits everything that the rule comes to; *fault is its fault, or NO_FAULT. */
static ll_status visit_rule(visitor *v, const ll_rule *rule, unsigned *fault)
{
    const ll_format *format;
    *fault = NO_FAULT;
    ll_status status = find_format(rule, &format, v->problem);
    if (status == LL_OK && *rule->fault) {
        status = find_fault(rule, format, fault, v->problem);
    } else if (status == LL_OK) {
        status = strchr(rule->test.check, '.') ? visit_check(v, rule, format) : visit_tests(v, rule, format);
    }
    if (status == LL_E_PACK && v->problem) {
        v->problem->line = rule->line;
        v->problem->column = 0;
    }
    return status;
}

static void unbind_tests(ll_bound_rule *bound)
{
    ll_test_unbind(&bound->test);
    if (bound->when) {
        ll_test_unbind(bound->when);
    }
}

/* Binds test and guard; neither is bound unless both are. */
static ll_status bind_tests(ll_arena *arena, const target *at, ll_bound_rule *out, ll_problem *problem)
{
    const ll_layout *layout = &at->format->layouts[at->layout];
    ll_status status = ll_test_bind(arena, at->format, &at->rule->test, layout, at->field, &out->test, problem);
    if (status == LL_OK && is_guarded(at->rule)) {
        unsigned field = ll_layout_find(layout, at->rule->when_field);
        ll_bound_test *when = ll_arena_alloc(arena, 1, sizeof *when);
        status = when ? ll_test_bind(arena, at->format, &at->rule->when, layout, field, when, problem) : LL_E_MEMORY;
        if (status == LL_OK && ll_test_judges_spans(when)) {
            status =
                LL_PROBLEM(problem, "check '", at->rule->when.check, "' judges spans and cannot be asked in 'when'");
        }
        if (status == LL_OK) {
            out->when = when;
        } else {
            ll_test_unbind(&out->test);
        }
    }
    return status;
}

typedef struct rule_checker {
    visitor base;
    ll_arena *scratch;
} rule_checker;

static ll_status check_target(visitor *v, const target *at)
{
    rule_checker *checker = (rule_checker *)v;
    if (at->check) {
        return LL_OK;
    }
    ll_bound_rule bound = {0};
    ll_status status = bind_tests(checker->scratch, at, &bound, v->problem);
    if (status == LL_OK) {
        unbind_tests(&bound);
    }
    return status;
}

ll_status ll_rule_check(ll_arena *scratch, const ll_rule *rule, ll_problem *problem)
{
    rule_checker checker = {{check_target, problem}, scratch};
    unsigned fault;
    return visit_rule(&checker.base, rule, &fault);
}

static ll_status check_certainty(visitor *v, const target *at)
{
    const ll_layout *layout = &at->format->layouts[at->layout];
    if (at->field == LL_NO_FIELD || layout->fields[at->field].sure != LL_SURE_GUESS) {
        return LL_OK;
    }
    return LL_PROBLEM(v->problem, "the meaning of field '", layout->fields[at->field].name, "' of ", layout->name,
                      " is a guess: a rule on it is a note");
}

ll_status ll_rule_check_certainty(const ll_rule *rule, ll_problem *problem)
{
    visitor v = {check_certainty, problem};
    unsigned fault;
    return rule->severity > LL_NOTE ? visit_rule(&v, rule, &fault) : LL_OK;
}

/* ------------------------------------------------------------------ gathering */

/* A rule bound to one target, until all are known and can be laid out by record. */
typedef struct piece {
    struct piece *next; /* of the same record */
    bool placed;
    ll_bound_rule bound;
} piece;

typedef struct binder {
    visitor base;
    const ll_ruleset *rules;
    ll_format_program *program; /* of one format */
    ll_arena scratch;
    uint32_t number;    /* of the rule at hand */
    uint32_t slot_rule; /* the last one that got a slot */
    struct {
        piece *first, *last; /* in the order of rule numbers */
        size_t count;
    } records[LL_LAYOUTS_MAX]; /* by layout, 0: the whole file */
    piece **selected;          /* room for the pieces of one record */
    ll_filter *filters;        /* and for their filters */
} binder;

/* Compiled patterns live outside the arena. The program owns them from here on, whatever becomes of the binding. */
static ll_status own_patterns(binder *b, ll_bound_rule *bound)
{
    ll_format_program *program = b->program;
    if (!bound->test.regex && !(bound->when && bound->when->regex)) {
        return LL_OK;
    }
    ll_allocator allocator = ll_arena_allocator(&program->arena);
    ll_bound_rule *owner = ll_arena_alloc(&program->arena, 1, sizeof *owner);
    ll_bound_rule **place = owner ? LL_ARRAY_ADD(&program->to_unbind, &allocator) : NULL;
    if (!place) {
        unbind_tests(bound);
        return LL_E_MEMORY;
    }
    *owner = *bound;
    *place = owner;
    return LL_OK;
}

/* Tests of one rule that remember things together have one slot. */
static void give_slot(binder *b, ll_bound_rule *bound)
{
    if (ll_test_judges_spans(&bound->test)) {
        bool again = b->slot_rule == b->number && ll_test_shares_state(&bound->test) && b->program->slot_count;
        bound->slot = again ? b->program->slot_count - 1 : b->program->slot_count++;
        b->slot_rule = b->number;
    }
}

static ll_status gather_target(visitor *v, const target *at)
{
    binder *b = (binder *)v;
    piece *p = ll_arena_alloc(&b->scratch, 1, sizeof *p);
    if (!p) {
        return LL_E_MEMORY;
    }
    *p = (piece){.bound = {.rule = b->number, .check = at->check}};
    if (!at->check) {
        ll_status status = bind_tests(&b->program->arena, at, &p->bound, v->problem);
        status = status == LL_OK ? own_patterns(b, &p->bound) : status;
        if (status != LL_OK) {
            return status;
        }
        give_slot(b, &p->bound);
    }
    piece **end = b->records[at->layout].last ? &b->records[at->layout].last->next : &b->records[at->layout].first;
    *end = b->records[at->layout].last = p;
    b->records[at->layout].count++;
    return LL_OK;
}

/* ------------------------------------------------------------------ one record */

/* Both filters look at the same bits, and neither interval goes round the end: one interval says what the two say. */
static bool intersect(ll_quick *a, const ll_quick *b)
{
    bool alike =
        a->offset == b->offset && a->shift == b->shift && a->big == b->big && a->flip == b->flip && a->mask == b->mask;
    uint64_t a_high = a->low + a->width;
    uint64_t b_high = b->low + b->width;
    if (!alike || a_high < a->low || b_high < b->low) {
        return alike && a->low == b->low && a->width == b->width;
    }
    uint64_t low = a->low > b->low ? a->low : b->low;
    uint64_t high = a_high < b_high ? a_high : b_high;
    if (low > high) {
        return false;
    }
    a->low = low;
    a->width = high - low;
    return true;
}

/* One of several ways to pass: says nothing by itself. */
static bool is_alternative(const ll_quick *quick, size_t i)
{
    return quick[i].or_next || (i > 0 && quick[i - 1].or_next);
}

/* Adds the filters of one more test to those of its field; false, and nothing added, when there is none or no room. */
static bool add_filters(const ll_bound_test *test, ll_quick *group, size_t *count)
{
    ll_quick quick[QUICK_MAX];
    size_t more = ll_test_quick(test, quick, QUICK_MAX);
    if (more == 0 || *count + more > GROUP_MAX) {
        return false;
    }
    for (size_t i = 0; i < more; i++) {
        size_t at = is_alternative(quick, i) ? *count : 0;
        while (at < *count && (is_alternative(group, at) || !intersect(&group[at], &quick[i]))) {
            at++;
        }
        if (at == *count) {
            group[(*count)++] = quick[i];
        }
    }
    return true;
}

/* The pieces of one record, and its program while it is laid out. */
typedef struct layouter {
    piece **pieces;
    size_t count;
    ll_filter *filters;
    ll_bound_rule *tests, *checks;
    uint32_t filter_count, test_count, check_count;
} layouter;

/* What runs once for a span and raises what it finds. */
static bool is_check(const ll_bound_rule *bound)
{
    return bound->check || ll_test_judges_spans(&bound->test);
}

/* The tests of one field that have filters stand together behind all of these: if one fails, each of them is judged
 * once. */
static void lay_out_field(layouter *l, unsigned field)
{
    ll_quick group[GROUP_MAX];
    size_t filters = 0;
    uint32_t first = l->test_count;
    for (size_t i = 0; i < l->count; i++) {
        piece *p = l->pieces[i];
        if (!is_check(&p->bound) && p->bound.test.field_number == field &&
            add_filters(&p->bound.test, group, &filters)) {
            p->placed = true;
            l->tests[l->test_count++] = p->bound;
        }
    }
    for (size_t i = 0; i < filters; i++) {
        l->filters[l->filter_count++] = (ll_filter){group[i], first, l->test_count - first};
    }
}

/* Of two tests that follow each other and of which the second holds wherever the first does, the second need not be
 * judged then. */
static void put_strictest_first(ll_bound_rule *tests, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t k = i; k > 0 && ll_test_implies(&tests[k].test, &tests[k - 1].test); k--) {
            ll_bound_rule swap = tests[k];
            tests[k] = tests[k - 1];
            tests[k - 1] = swap;
        }
    }
    for (uint32_t i = count; i-- > 1;) {
        bool weaker = ll_test_implies(&tests[i - 1].test, &tests[i].test) && tests[i].weaker < UINT8_MAX;
        tests[i - 1].weaker = weaker ? (uint8_t)(tests[i].weaker + 1) : 0;
    }
}

static ll_status lay_out_record(binder *b, const ll_layout *layout, layouter *l, ll_program *out)
{
    ll_arena *arena = &b->program->arena;
    size_t checks = 0;
    for (size_t i = 0; i < l->count; i++) {
        checks += is_check(&l->pieces[i]->bound);
    }
    l->tests = ll_arena_alloc(arena, l->count - checks, sizeof *l->tests);
    l->checks = ll_arena_alloc(arena, checks, sizeof *l->checks);
    if (!l->tests || !l->checks) {
        return LL_E_MEMORY;
    }
    for (unsigned f = 0; f < layout->field_count; f++) {
        lay_out_field(l, f);
    }
    uint32_t always = l->test_count;
    for (size_t i = 0; i < l->count; i++) {
        const piece *p = l->pieces[i];
        if (is_check(&p->bound)) {
            l->checks[l->check_count++] = p->bound;
        } else if (!p->placed) {
            l->tests[l->test_count++] = p->bound;
        }
    }
    put_strictest_first(l->tests + always, l->test_count - always);
    ll_filter *filters = ll_arena_alloc(arena, l->filter_count, sizeof *filters);
    if (!filters) {
        return LL_E_MEMORY;
    }
    uint32_t reach = 0;
    for (uint32_t i = 0; i < l->filter_count; i++) {
        filters[i] = l->filters[i];
        uint32_t end = filters[i].quick.offset + (uint32_t)sizeof(uint64_t);
        reach = end > reach ? end : reach;
    }
    *out = (ll_program){.filters = filters,
                        .filter_count = l->filter_count,
                        .reach = reach,
                        .tests = l->tests,
                        .test_count = l->test_count,
                        .always = always,
                        .checks = l->checks,
                        .check_count = l->check_count};
    return ll_sieve_make(arena, filters, l->filter_count, &out->sieve) ? LL_OK : LL_E_MEMORY;
}

/* ------------------------------------------------------------------ one format */

/* Room for the record with the most pieces. */
static bool make_room(binder *b)
{
    size_t most = 0;
    for (unsigned i = 0; i < LL_LAYOUTS_MAX; i++) {
        most = b->records[i].count > most ? b->records[i].count : most;
    }
    b->selected = ll_arena_alloc(&b->scratch, most, sizeof *b->selected);
    b->filters = ll_arena_alloc(&b->scratch, most, QUICK_MAX * sizeof *b->filters);
    return b->selected && b->filters;
}

static layouter select_pieces(const binder *b, unsigned layout)
{
    layouter l = {.pieces = b->selected, .filters = b->filters};
    for (piece *p = b->records[layout].first; p; p = p->next) {
        l.pieces[l.count++] = p;
    }
    return l;
}

static ll_status lay_out(binder *b)
{
    ll_format_program *out = b->program;
    const ll_format *format = out->format;
    ll_program *programs = ll_arena_zalloc(&out->arena, format->layout_count, sizeof *programs);
    ll_status status = programs ? LL_OK : LL_E_MEMORY;
    layouter file = select_pieces(b, 0);
    ll_bound_rule *checks = ll_arena_alloc(&out->arena, file.count, sizeof *checks);
    for (size_t i = 0; checks && i < file.count; i++) {
        checks[i] = file.pieces[i]->bound;
    }
    for (unsigned i = LL_LAYOUT_BUILTINS; status == LL_OK && i < format->layout_count; i++) {
        layouter l = select_pieces(b, i);
        status = l.count ? lay_out_record(b, &format->layouts[i], &l, &programs[i]) : LL_OK;
    }
    out->layouts = programs;
    out->file_checks = checks;
    out->file_check_count = (uint32_t)file.count;
    return checks ? status : LL_E_MEMORY;
}

static uint32_t *no_rules(uint32_t *table, size_t count)
{
    for (size_t i = 0; table && i < count; i++) {
        table[i] = LL_NO_RULE;
    }
    return table;
}

/* A fault has one rule that speaks for it. */
static ll_status take_fault(binder *b, const ll_rule *rule, uint32_t *slot)
{
    if (*slot != LL_NO_RULE) {
        (void)ll_problem_at(b->base.problem, rule->line, 0);
        return LL_PROBLEM(b->base.problem, "rule '", b->rules->rules[*slot].rule->name, "' speaks for the fault '",
                          rule->fault, "' already");
    }
    *slot = b->number;
    return LL_OK;
}

/* Binds the rules in force of one format; NULL: those of no format, which speak for faults alone. `faults` holds the
 * rules of the faults from number `first` on. */
static ll_status gather(binder *b, const ll_format *format, uint32_t *faults, unsigned first)
{
    ll_status status = LL_OK;
    for (b->number = 0; status == LL_OK && b->number < b->rules->count; b->number++) {
        const ll_active_rule *active = &b->rules->rules[b->number];
        bool meant = format ? strcmp(active->rule->family, format->family) == 0 : !ll_format_find(active->rule->family);
        unsigned fault = NO_FAULT;
        if (meant && active->severity != LL_SEVERITY_OFF) {
            status = visit_rule(&b->base, active->rule, &fault);
        }
        if (status == LL_OK && fault != NO_FAULT) {
            status = take_fault(b, active->rule, &faults[fault - first]);
        }
    }
    return status;
}

/* The program holds itself in its arena. */
static void free_program(ll_format_program *program)
{
    if (program) {
        for (size_t i = 0; i < program->to_unbind.count; i++) {
            unbind_tests(program->to_unbind.items[i]);
        }
        ll_arena arena = program->arena;
        ll_arena_free(&arena);
    }
}

static ll_status fill_program(binder *b)
{
    const ll_format *format = b->program->format;
    uint32_t *faults =
        no_rules(ll_arena_alloc(&b->program->arena, format->fault_count, sizeof *faults), format->fault_count);
    b->program->fault_rules = faults;
    ll_status status = faults ? gather(b, format, faults, LL_CORE_FAULTS) : LL_E_MEMORY;
    if (status == LL_OK && !make_room(b)) {
        return LL_E_MEMORY;
    }
    return status == LL_OK ? lay_out(b) : status;
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
    binder b = {.base = {gather_target, problem}, .rules = rules, .program = program};
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
    binder b = {.base = {gather_target, problem}, .rules = rules};
    (void)no_rules(rules->core_fault_rules, LL_CORE_FAULTS);
    ll_status status = gather(&b, NULL, rules->core_fault_rules, 0);
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
