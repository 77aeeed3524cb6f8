/* Runs rules on a document and composes the texts of findings. Decides which rules judge which bytes; the sink decides
 * severities, limits and order. Trusts the ledger: all elements of a span that is not broken lie in the file. */
#include "rules/engine.h"

#include "model/names.h"
#include "rules/pack.h"
#include "rules/regex.h"
#include "rules/screen.h"

#include <string.h>

/* The origin of a finding: a rule, its test or NULL, and for tests that judge single elements what was judged. */
typedef struct source {
    uint32_t rule;
    const ll_bound_rule *bound; /* NULL: a fault */
    const ll_bound_test *test;
    const ll_subject *subject;
    const ll_miss *miss;
} source;

typedef struct run {
    const ll_ruleset *rules;
    const ll_format_program *program; /* NULL: no format */
    const ll_format_program *all;     /* with the tests in screens; NULL: not needed so far */
    ll_screen *const *screens;        /* by layout; NULL: screens are not used */
    ll_doc *doc;
    ll_text *text;
    const ll_sink *sink;
    ll_unread_list unread;
    ll_fault_node *found; /* places of findings, the last first; kept if they may explain unread bytes */
    uint32_t found_count;
    ll_matcher matcher;
    ll_scope_names names;      /* of the span that was asked about last */
    void **states;             /* states of tests that judge spans, by slot */
    const ll_counter *counter; /* NULL: report findings; else count them */
    ll_tally *tallies;         /* of the current span, if counting */
    ll_check_run check;        /* the argument of checks, */
    source by;                 /* and the origin of the faults that they raise */
} run;

/* ------------------------------------------------------------------ words */

/* Writes the decoded value of a field, or by its form its bits, or only the text whose hash it is; nothing if the place
 * is not a field. */
static void put_value(const run *r, const ll_where *at, const char *form)
{
    const ll_field *field = ll_where_field(r->doc, at);
    const bool number = field && field->type < LL_TYPE_CHARS && at->length <= sizeof(uint64_t);
    const uint64_t bits = number && *form ? ll_read_uint(ll_doc_at(r->doc, at->offset), at->length,
                                                         ll_doc_layout(r->doc, at->span)->endian)
                                          : 0;
    const bool hashed = *form == 't' && number && ll_is_text_hash(r->doc->format, field);
    if (hashed) {
        const ll_table_text *text = r->doc->names ? ll_find_text(r->doc->names, bits) : NULL;
        const ll_arg arg = ll_chars(text ? text->text : 0, text ? text->length : 0);
        ll_arg_text(r->doc, &arg, "", 0, r->text);
    } else if (*form && *form != 't' && number) {
        const ll_arg arg = ll_uint(bits);
        ll_arg_text(r->doc, &arg, form, strlen(form), r->text);
    } else if (field) {
        ll_value_text(r->doc, field, ll_doc_layout(r->doc, at->span)->endian, at->offset, at->length, r->text);
    }
}

/* Writes a template. `args` has LL_FAULT_ARGS items. */
static void put_template(const run *r, const char *template, const ll_arg *args, const ll_where *at)
{
    ll_piece piece;
    for (const char *p = template; *p && (p = ll_template_next(p, &piece));) {
        if (piece.kind == LL_PIECE_VALUE) {
            put_value(r, at, piece.form);
        } else if (piece.kind == LL_PIECE_ARGUMENT) {
            ll_arg_text(r->doc, &args[piece.argument], piece.form, strlen(piece.form), r->text);
        } else {
            ll_text_put(r->text, piece.text, piece.length);
        }
    }
}

/* Terminates the current text; returns the offset of the next one. */
static size_t end_piece(const run *r)
{
    ll_text_char(r->text, '\0');
    return r->text->length;
}

/* Passes the finding to the sink. All texts are in one buffer, which does not move any more, so pointers to them are
 * valid. */
static ll_status hand_over(const run *r, ll_hit *hit, size_t expected, size_t hint)
{
    if (r->text->failed) {
        return LL_E_MEMORY;
    }
    hit->found = r->text->data;
    hit->expected = r->text->data + expected;
    hit->hint = r->text->data + hint;
    return r->sink->take(r->sink->ctx, hit);
}

static const ll_rule *rule_of(const run *r, uint32_t number)
{
    return ll_rule_at(r->rules, number);
}

/* ------------------------------------------------------------------ faults */

/* The text of the rule for a likely cause; "" if it has none. */
static const char *hint_text(const run *r, const ll_rule *rule, unsigned hint)
{
    const ll_format *format = r->doc->format;
    bool core = strcmp(rule->family, "core") == 0;
    const ll_named *hints = core ? ll_core_hints : format ? format->hints : NULL;
    if (!hint && rule->hints.count && *rule->test.check && !strchr(rule->test.check, '.')) {
        return rule->hints.at[1]; /* predicates recognise no causes, so the first hint applies to all findings */
    }
    if (!hint || !hints || hint > (core ? LL_CORE_HINTS : format->hint_count)) {
        return "";
    }
    for (size_t i = 0; i + 1 < rule->hints.count; i += 2) {
        if (strcmp(rule->hints.at[i], hints[hint - 1].name) == 0) {
            return rule->hints.at[i + 1];
        }
    }
    return "";
}

/* Keeps the places of a finding if it may explain unread bytes. False: no memory. */
static bool keep_places(run *r, const ll_fault *fault)
{
    ll_fault_node *node = r->unread.unexplained ? ll_arena_alloc(&r->doc->arena, 1, sizeof *node) : NULL;
    if (node) {
        *node = (ll_fault_node){r->found, ll_fault_at(0, fault->at)};
        node->fault.related = fault->related;
        r->found = node;
        r->found_count++;
    }
    return node || !r->unread.unexplained;
}

static ll_status report(run *r, const source *by, const ll_fault *fault)
{
    if (r->sink->weigh) {
        return r->sink->weigh(r->sink->ctx, by->rule, fault) ? LL_OK : LL_E_WRITE;
    }
    if (!keep_places(r, fault)) {
        return LL_E_MEMORY;
    }
    if (!r->sink->admit(r->sink->ctx, by->rule)) {
        return LL_OK;
    }
    const ll_rule *rule = rule_of(r, by->rule);
    bool related = fault->related.span != LL_NO_SPAN || fault->related.length;
    const char *found_text = by->test ? by->bound->found : rule->found;
    const char *expected_text = by->test ? by->bound->expected : rule->expected;
    ll_text_clear(r->text);
    if (*found_text) {
        put_template(r, found_text, fault->arg, &fault->at);
    } else {
        put_value(r, &fault->at, "");
    }
    size_t expected = end_piece(r);
    if (*expected_text) {
        put_template(r, expected_text, fault->arg, &fault->at);
    } else if (by->test) {
        ll_test_expected(by->test, by->subject, by->miss, r->text);
    }
    size_t hint = end_piece(r);
    put_template(r, hint_text(r, rule, fault->hint), fault->arg, &fault->at);
    (void)end_piece(r);
    ll_hit hit = {.rule = by->rule,
                  .at = fault->at,
                  .related = related ? fault->related : ll_nowhere(),
                  .related_text = related ? rule->related : "",
                  .is_unread = fault->code == LL_FAULT_UNREAD || fault->code == LL_FAULT_UNEXPLAINED ||
                               (r->unread.why && fault == &r->unread.why->fault),
                  .patch = fault->patch};
    hit.patch.bytes = ll_fault_patch(fault);
    return hand_over(r, &hit, expected, hint);
}

/* Reports bytes that were not read and that no finding explains, by rules that cannot be turned off: `unread` if the
 * rule of the fault is off, `unexplained` if there is no fault. */
static ll_status run_unread(run *r)
{
    ll_status status = ll_unread_settle(r->doc, r->found, r->found_count, &r->unread);
    for (size_t i = 0; status == LL_OK && i < r->unread.count; i++) {
        const ll_unread *unread = &r->unread.items[i];
        unsigned code = unread->why ? LL_FAULT_UNREAD : LL_FAULT_UNEXPLAINED;
        const char *what = unread->why && unread->why == r->doc->unsupported_fault
                               ? "bytes that this version cannot check"
                           : unread->at.length ? "bytes that were not read"
                                               : "a file that ends too early";
        const char *why = unread->why ? ll_fault_name(r->doc, unread->why->fault.code) : "";
        ll_fault fault = LL_MAKE_FAULT(code, 0, unread->at, ll_nowhere(), ll_word(what), ll_word(why));
        uint32_t number = r->rules->core_fault_rules[code];
        status = number == LL_NO_RULE ? LL_OK : report(r, &(source){.rule = number}, &fault);
    }
    return status;
}

static ll_status run_faults(run *r)
{
    ll_status status = r->sink->weigh ? LL_OK : ll_unread_find(r->doc, r->rules, r->program, &r->unread);
    for (const ll_fault_node *node = r->doc->first_fault; status == LL_OK && node; node = node->next) {
        uint32_t number = ll_rule_of_fault(r->rules, r->program, node->fault.code);
        number = r->sink->weigh && (node->fault.read || node->fault.code < LL_CORE_FAULTS) ? LL_NO_RULE : number;
        status = number == LL_NO_RULE ? LL_OK : report(r, &(source){.rule = number}, &node->fault);
    }
    return status;
}

/* Reports patterns that exceeded their limits, so that their rules may have missed findings. */
static ll_status report_undecided(run *r)
{
    const ll_matcher *m = &r->matcher;
    if (m->undecided == 0) {
        return LL_OK;
    }
    r->doc->unchecked = true;
    ll_fault fault =
        LL_MAKE_FAULT(LL_FAULT_UNDECIDED, 0, m->at, ll_nowhere(), ll_word(m->pattern), ll_uint(m->undecided));
    return report(r, &(source){.rule = r->rules->core_fault_rules[LL_FAULT_UNDECIDED]}, &fault);
}

static void raise_from_check(void *ctx, const ll_fault *fault)
{
    run *r = ctx;
    if (r->check.status == LL_OK) {
        r->check.status = report(r, &r->by, fault);
    }
}

/* The current time for tock(), which adds the time since then to a rule; 0 if times are not measured. */
static uint64_t tick(const run *r)
{
    return r->sink->timing ? r->sink->timing->now() : 0;
}

static void tock(const run *r, uint32_t rule, uint64_t since)
{
    if (r->sink->timing) {
        r->sink->timing->by_rule[rule] += r->sink->timing->now() - since;
    }
}

/* Is a span within the scope of a rule? */
static bool is_within(run *r, const ll_scope *scope, uint32_t span)
{
    const uint16_t *fields = r->program->name_fields;
    if (fields && r->names.span != span && span != LL_NO_SPAN) {
        ll_scope_read(r->doc, span, fields, &r->names);
    }
    return span == LL_NO_SPAN || ll_scope_holds(scope, r->doc, &r->names);
}

static ll_status run_checks(run *r, const ll_bound_rule *checks, uint32_t count, uint32_t span)
{
    r->check.span = span;
    for (uint32_t i = 0; r->check.status == LL_OK && i < count; i++) {
        const ll_bound_rule *bound = &checks[i];
        if (bound->scope && !is_within(r, bound->scope, span)) {
            continue;
        }
        uint64_t since = tick(r);
        r->by.rule = bound->rule;
        r->by.bound = bound;
        r->by.test = bound->check ? NULL : &bound->test;
        if (bound->check) {
            bound->check->run(&r->check);
        } else {
            ll_test_judge_span(&bound->test, bound->when, &r->check, &r->matcher, rule_of(r, bound->rule)->patch,
                               &r->states[bound->slot]);
        }
        tock(r, bound->rule, since);
    }
    return r->check.status;
}

/* ------------------------------------------------------------------ tests */

/* The sink used for counting: counts faults and checks, and composes no texts. */
static bool count_finding(void *ctx, uint32_t rule)
{
    const ll_counter *counter = ctx;
    counter->found(counter->ctx, rule);
    return false;
}

static ll_status take_nothing(void *ctx, const ll_hit *hit)
{
    (void)ctx;
    (void)hit;
    return LL_E_INTERNAL; /* nothing was admitted */
}

static ll_where place_of(const ll_bound_rule *bound, const ll_subject *subject, const ll_miss *miss)
{
    return (ll_where){subject->span, subject->element, bound->test.field_number,
                      miss->part,    miss->offset,     miss->length};
}

static ll_status count_miss(const run *r, const ll_bound_rule *bound, const ll_subject *subject, const ll_miss *miss)
{
    uint32_t test = (uint32_t)(bound - r->program->layouts[ll_doc_span(r->doc, subject->span)->layout].tests);
    ll_where at = place_of(bound, subject, miss);
    r->tallies[test].broken++;
    return r->counter->broke(r->counter->ctx, subject->span, test, &at);
}

/* Terminator and padding of a string may be missing; then there is nothing to judge. */
static bool is_absent(const ll_bound_test *test, const ll_subject *subject)
{
    return subject->length == 0 && test->field->type != LL_TYPE_TEXT;
}

static ll_status report_miss(run *r, const ll_bound_rule *bound, const ll_subject *subject, const ll_miss *miss)
{
    uint8_t bytes[LL_RIGHT_BYTES_MAX];
    unsigned tier = rule_of(r, bound->rule)->patch;
    uint32_t offset = 0;
    bool guess = false;
    size_t right = tier ? ll_test_right_bytes(&bound->test, subject, miss, bytes, &offset, &guess) : 0;
    ll_fault fault = ll_fault_at(0, place_of(bound, subject, miss));
    if (right && !(guess && tier == LL_PATCH_SAFE)) {
        ll_patch_replace(r->doc, &fault, (ll_patch_tier)tier, offset, bytes, (uint32_t)right);
        fault.patch.guessed = guess;
    }
    return report(r, &(source){bound->rule, bound, &bound->test, subject, miss}, &fault);
}

/* The guard is tested last: most fields are correct, so most guards need not be tested. */
static ll_status judge_field(run *r, const ll_bound_rule *bound, ll_subject *subject)
{
    ll_miss miss;
    ll_status status = LL_OK;
    ll_subject_aim(subject, &bound->test);
    if (is_absent(&bound->test, subject) || ll_test_holds(&bound->test, subject, &miss)) {
        return LL_OK;
    }
    if (miss.status == LL_E_MEMORY || !ll_guard_holds(bound->when, subject, &status)) {
        return miss.status == LL_E_MEMORY ? LL_E_MEMORY : status;
    }
    ll_subject_aim(subject, &bound->test);
    return r->counter ? count_miss(r, bound, subject, &miss) : report_miss(r, bound, subject, &miss);
}

static ll_status judge(run *r, const ll_bound_rule *bound, ll_subject *subject)
{
    if (bound->scope && !is_within(r, bound->scope, subject->span)) {
        return LL_OK;
    }
    uint64_t since = tick(r);
    ll_status status = judge_field(r, bound, subject);
    tock(r, bound->rule, since);
    return status;
}

/* Counts the tests that apply to an element: guard met and field present. */
static ll_status count_examined(run *r, const ll_program *p, ll_subject *subject)
{
    ll_status status = LL_OK;
    for (uint32_t i = 0; status == LL_OK && i < p->test_count; i++) {
        const ll_scope *scope = p->tests[i].scope;
        bool met = (!scope || is_within(r, scope, subject->span)) && ll_guard_holds(p->tests[i].when, subject, &status);
        ll_subject_aim(subject, &p->tests[i].test);
        r->tallies[i].examined += met && !is_absent(&p->tests[i].test, subject);
    }
    return status;
}

/* Runs the tests of a screen on a record that failed it: only those that may fail. */
static ll_status judge_screened(run *r, ll_screen *screen, ll_subject *subject)
{
    bool fails[LL_SCREENED_MAX + 1];
    ll_status status = r->all ? LL_OK : ll_ruleset_program(r->rules, r->doc->format, LL_PROGRAM_ALL, &r->all);
    if (status != LL_OK) {
        return status;
    }
    const ll_span *span = ll_doc_span(r->doc, subject->span);
    const ll_program *p = &r->all->layouts[span->layout];
    (void)screen(subject->record, span->count, span->length, fails);
    for (uint32_t i = 0; status == LL_OK && i < p->screened_count; i++) {
        if (fails[p->tests[i].screened]) {
            status = judge(r, &p->tests[i], subject);
        }
    }
    return status;
}

/* Runs the tests of a program on all elements of a span. `screen` is NULL if there is none or if counting. */
static ll_status run_tests(run *r, const ll_program *p, ll_screen *screen, uint32_t number)
{
    const ll_span *span = ll_doc_span(r->doc, number);
    const ll_layout *layout = &r->doc->format->layouts[span->layout];
    bool string = layout->kind != LL_KIND_RECORD;
    uint32_t count = string ? 1 : span->count;
    ll_subject subject = {
        .doc = r->doc, .span = number, .record = ll_doc_at(r->doc, span->offset), .matcher = &r->matcher};
    ll_status status = LL_OK;
    uint32_t passed = 0; /* elements before this one passed the screen or were judged */
    r->tallies = r->counter ? r->counter->tallies(r->counter->ctx, number) : NULL;
    while (status == LL_OK && subject.element < count) {
        if (screen && subject.element >= passed) {
            uint32_t asked = string ? span->count : count - passed;
            uint32_t clean = screen(subject.record, asked, span->length, NULL);
            passed += string ? clean == asked : clean;
            if (passed == subject.element) {
                status = judge_screened(r, screen, &subject);
                passed++;
            }
        }
        for (uint32_t i = 0; status == LL_OK && i < p->test_count; i++) {
            status = judge(r, &p->tests[i], &subject);
        }
        if (r->counter && status == LL_OK) {
            status = count_examined(r, p, &subject);
        }
        uint32_t done = screen && p->test_count == 0 ? passed - subject.element : 1;
        subject.element += done;
        subject.record += (size_t)done * layout->size;
    }
    return status;
}

/* May a rule be about this record, or about what belongs to it? */
static bool is_named(const ll_format_program *p, const uint8_t *record)
{
    const uint64_t name = p->owner_big ? ll_be64(record + p->owner_at) : ll_le64(record + p->owner_at);
    bool is = p->any_class;
    for (size_t i = 0; !is && p->class_bits & ll_name_bit(name) && i < p->classes.count; i++) {
        is = p->classes.items[i] == name;
    }
    return is;
}

/* Runs the rules on a span that name what it belongs to. */
static ll_status run_named(run *r, uint32_t span)
{
    const ll_program *p = &r->program->named[ll_doc_span(r->doc, span)->layout];
    const ll_layout *layout = ll_doc_layout(r->doc, span);
    const unsigned field = r->program->name_fields[ll_doc_span(r->doc, span)->layout];
    uint64_t names = p->names;
    if (field != LL_NO_FIELD && p->own_names) { /* most members are of no rule */
        const uint8_t *record = ll_doc_at(r->doc, ll_doc_span(r->doc, span)->offset);
        const uint8_t *name = record + layout->fields[field].offset;
        names &= ll_name_bit(layout->endian == LL_BIG ? ll_be64(name) : ll_le64(name));
    }
    if (!names) {
        return LL_OK;
    }
    ll_status status = p->test_count ? run_tests(r, p, NULL, span) : LL_OK;
    return status == LL_OK && p->check_count ? run_checks(r, p->checks, p->check_count, span) : status;
}

/* Judges a span that rules name, or that is within a record that they name. *asked: LL_ASKS... from here on. */
static ll_status run_asked(run *r, const ll_span *span, uint32_t number, unsigned *asked)
{
    const unsigned how = r->program->asks[span->layout];
    if (how & LL_ASKS_NAME) {
        const bool named = is_named(r->program, ll_doc_at(r->doc, span->offset));
        *asked = LL_ASKS | LL_ASKS_NAME | (named ? LL_ASKS_WITHIN : 0);
    }
    return how & *asked & LL_ASKS_WITHIN ? run_named(r, number) : LL_OK;
}

static ll_status run_spans(run *r)
{
    ll_status status = LL_OK;
    const ll_doc *doc = r->doc;
    const ll_program *layouts = r->program->layouts;
    const uint8_t *asks = r->program->asks; /* most spans are judged by no rule */
    unsigned asked = LL_ASKS | LL_ASKS_NAME;
    const ll_span *span = NULL;
    for (uint32_t i = 0; status == LL_OK && i < doc->span_count; i++) {
        span = ll_doc_span_behind(doc, span, i);
        if (!(asks[span->layout] & asked) || span->flags & LL_SPAN_BROKEN) {
            continue;
        }
        if (asks[span->layout] != LL_ASKS) {
            status = run_asked(r, span, i, &asked);
            if (status != LL_OK || !(asks[span->layout] & LL_ASKS)) {
                continue;
            }
        }
        ll_screen *screen = r->screens ? r->screens[span->layout] : NULL;
        bool clean = screen && screen(ll_doc_at(doc, span->offset), span->count, span->length, NULL) == span->count;
        const ll_program *p = &layouts[span->layout];
        if (p->test_count || (screen && !clean)) {
            status = run_tests(r, p, screen, i);
        }
        if (status == LL_OK && p->check_count) {
            status = run_checks(r, p->checks, p->check_count, i);
        }
    }
    return status;
}

static ll_status run_all(run *r, ll_doc *doc)
{
    ll_program_kind kind = r->counter ? LL_PROGRAM_ALL : LL_PROGRAM_UNSCREENED;
    ll_status status = ll_ruleset_program(r->rules, doc->format, kind, &r->program);
    r->screens = r->program && !r->counter ? ll_shipped_screens[r->program->number] : NULL;
    r->doc = doc;
    r->names.span = LL_NO_SPAN;
    r->matcher.spent = r->counter ? 0 : doc->matched;
    r->check = (ll_check_run){doc, LL_NO_SPAN, &doc->arena, NULL, raise_from_check, r, LL_OK, &doc->searched};
    if (status == LL_OK && r->program && r->program->slot_count) {
        r->states = ll_arena_zalloc(&doc->arena, r->program->slot_count, sizeof *r->states);
        status = r->states ? LL_OK : LL_E_MEMORY;
    }
    bool weighs = r->sink->weigh;
    ll_doc_judge(doc);
    status = status == LL_OK ? doc->status : status;
    status = status == LL_OK ? run_faults(r) : status;
    bool readable = r->program && !doc->opaque;
    if (readable && status == LL_OK && doc->span_count > 0 && r->program->needs) {
        r->check.memo = ll_doc_memo(doc, r->program->needs);
        status = r->check.memo ? LL_OK : LL_E_MEMORY;
    }
    if (readable && status == LL_OK) {
        status = run_spans(r);
    }
    if (readable && status == LL_OK && doc->span_count > 0) {
        status = run_checks(r, r->program->file.checks, r->program->file.check_count, LL_NO_SPAN);
    }
    status = status == LL_OK && !r->counter && !weighs ? run_unread(r) : status;
    status = status == LL_OK ? report_undecided(r) : status;
    doc->matched = r->counter ? doc->matched : r->matcher.spent;
    ll_matcher_free(&r->matcher);
    return status;
}

ll_status ll_engine_run(const ll_ruleset *rules, ll_doc *doc, ll_text *scratch, const ll_sink *sink)
{
    run r = {.rules = rules, .text = scratch, .sink = sink};
    return run_all(&r, doc);
}

ll_status ll_engine_count(const ll_ruleset *rules, ll_doc *doc, const ll_counter *counter)
{
    ll_counter copy = *counter;
    ll_sink sink = {.ctx = &copy, .admit = count_finding, .take = take_nothing};
    run r = {.rules = rules, .sink = &sink, .counter = counter};
    return run_all(&r, doc);
}
