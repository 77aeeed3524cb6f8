/* Finds predicates by name, binds them to fields and runs them. The predicates themselves are rows in
 * predicate_value.c, _text.c, _place.c, _span.c and _reference.c. Trusts that the bytes of a subject lie in the file,
 * which the ledger guarantees; trusts nothing in a rule. */
#include "model/names.h"
#include "rules/predicate_span.h"

#include "rules/literal.h"
#include "rules/key.h"
#include "rules/regex.h"

/* ------------------------------------------------------------------ fields */

unsigned ll_holds(const ll_field *field)
{
    bool vector = ll_field_elements(field) > 1;
    if (ll_type_is_float(field->type)) {
        return vector ? LL_HOLDS_FLOATS : LL_HOLDS_FLOAT;
    }
    if (ll_type_is_integer(field->type)) {
        return vector ? LL_HOLDS_INTS : LL_HOLDS_INT;
    }
    if (field->type == LL_TYPE_CHARS) {
        return LL_HOLDS_CHARS;
    }
    if (field->type == LL_TYPE_BYTES) {
        return field->bytes ? LL_HOLDS_BYTES : LL_HOLDS_PART;
    }
    return LL_HOLDS_TEXT;
}

static void set_miss_range(ll_case *c, unsigned part, uint32_t from, uint32_t length)
{
    c->miss->part = (uint16_t)part;
    c->miss->offset = ll_subject_offset(c->subject) + from;
    c->miss->length = length;
    c->miss_is_set = true;
}

void ll_miss_set_part(ll_case *c)
{
    set_miss_range(c, c->test->elements > 1 ? c->part : LL_NO_PART, c->part * c->test->step, c->test->step);
}

void ll_miss_set_bytes(ll_case *c, uint32_t from, uint32_t to)
{
    set_miss_range(c, LL_NO_PART, from, to - from);
}

size_t ll_put_bits(const ll_bound_test *t, uint64_t bits, uint8_t *out)
{
    ll_put_uint(out, t->step, ll_is_big(t), bits);
    return t->step;
}

size_t ll_put_zeros(const ll_case *c, uint8_t *out)
{
    memset(out, 0, c->miss->length);
    return c->miss->length;
}

/* ------------------------------------------------------------------ screens */

void ll_term_add(const ll_term *term, ll_terms *out)
{
    if (out->count < out->most) {
        out->at[out->count++] = *term;
    } else {
        out->full = true;
    }
}

ll_term ll_term_on(const ll_bound_test *t, unsigned at, unsigned bytes, bool big)
{
    return (ll_term){.offset = (uint16_t)(t->field->offset + at),
                     .bytes = (uint8_t)bytes,
                     .big = big,
                     .mask = UINT64_MAX << (64U - 8U * bytes),
                     .width = UINT64_MAX};
}

void ll_term_bits(const ll_bound_test *t, uint64_t mask, uint64_t low, uint64_t width, ll_terms *out)
{
    unsigned spare = 64U - 8U * t->step;
    for (unsigned part = 0; part < t->elements; part++) {
        ll_term term = ll_term_on(t, part * t->step, t->step, ll_is_big(t));
        term.mask = mask << spare;
        term.low = low << spare;
        term.width = width << spare;
        ll_term_add(&term, out);
    }
}

void ll_term_keys(const ll_bound_test *t, uint64_t first, uint64_t last, ll_terms *out)
{
    size_t at = out->count;
    bool from_zero = ll_type_is_float(t->field->type) && first == ll_key_of_bits(t->field->type, 0);
    uint64_t low = from_zero ? first - 1 : first;
    ll_term_bits(t, UINT64_MAX, low, last - low, out);
    for (; at < out->count; at++) {
        out->at[at].flip = t->flip;
    }
}

static ll_terms terms_of(const ll_bound_test *test, ll_term *out, size_t most)
{
    ll_terms terms = {.at = out, .most = most};
    if (test->layout->kind == LL_KIND_RECORD && test->predicate->screen) {
        test->predicate->screen(test, &terms);
    }
    terms.count = terms.full ? 0 : terms.count;
    return terms;
}

size_t ll_test_terms(const ll_bound_test *test, ll_term *out, size_t most)
{
    return terms_of(test, out, most).count;
}

const char *ll_test_asks(const ll_bound_test *test)
{
    return test->predicate->asks;
}

size_t ll_guard_terms(const ll_bound_test *when, ll_term *out, size_t most)
{
    ll_terms terms = terms_of(when, out, most);
    bool all_alternatives = terms.count > 0 && !terms.strict;
    for (size_t i = 0; i + 1 < terms.count; i++) {
        all_alternatives = all_alternatives && out[i].or_next;
    }
    if (!all_alternatives || !when->predicate->element || !ll_type_is_float(when->field->type)) {
        return terms.strict ? 0 : terms.count;
    }
    out[terms.count - 1].or_next = true; /* infinities and NaNs are not judged, so the guard holds for them */
    uint64_t exponent = when->field->type == LL_TYPE_F16 ? 0x7C00U : 0x7F800000U;
    ll_term_bits(when, exponent, exponent, 0, &terms);
    return terms.full ? 0 : terms.count;
}

/* ------------------------------------------------------------------ names */

static const ll_predicates *const tables[] = {&ll_value_predicates, &ll_text_predicates, &ll_place_predicates,
                                              &ll_span_predicates, &ll_reference_predicates};
enum { TABLES = sizeof tables / sizeof tables[0] };

static const ll_predicate *find(const char *name)
{
    for (size_t t = 0; t < TABLES; t++) {
        ll_names names = LL_NAMES(tables[t]->rows, tables[t]->count, name);
        size_t row = ll_names_find(&names, name);
        if (row < names.count) {
            return &tables[t]->rows[row];
        }
    }
    return NULL;
}

ll_status ll_predicate_known(const char *name, ll_problem *problem)
{
    ll_nearest nearest = {.to = name};
    if (find(name)) {
        return LL_OK;
    }
    for (size_t t = 0; t < TABLES; t++) {
        ll_names names = LL_NAMES(tables[t]->rows, tables[t]->count, name);
        ll_names_offer(&names, &nearest);
    }
    return ll_problem_unknown(problem, "check", &nearest);
}

const char *ll_predicate_arguments(const char *predicate)
{
    const ll_predicate *p = find(predicate);
    return p ? p->arguments : NULL;
}

bool ll_predicate_accepts(const char *predicate, const ll_field *field)
{
    const ll_predicate *p = find(predicate);
    return p && (p->accepts & ll_holds(field));
}

/* ------------------------------------------------------------------ binding */

/* The kind (LL_HOLDS_...) of a field or, if `field` is NULL, of the layout as a whole. */
static unsigned holds_of(const ll_layout *layout, const ll_field *field)
{
    unsigned whole = layout->kind == LL_KIND_RECORD  ? LL_HOLDS_RECORD
                     : layout->kind == LL_KIND_BYTES ? LL_HOLDS_STRETCH
                                                     : 0;
    return field ? ll_holds(field) : whole;
}

static ll_status refuse_type(const ll_predicate *p, const ll_layout *layout, const ll_field *field, ll_problem *problem)
{
    static const char *const words[LL_HOLDS_KINDS][2] = {{"integers", "an integer"},
                                                         {"vectors of integers", "a vector of integers"},
                                                         {"floats", "a float"},
                                                         {"vectors of floats", "a vector of floats"},
                                                         {"characters", "characters"},
                                                         {"bytes", "bytes"},
                                                         {"strings", "a string"},
                                                         {"parts of strings", "part of a string"},
                                                         {"records as a whole", "a record"},
                                                         {"bytes without fields", "bytes without fields"},
                                                         {"hashes of texts", "a hash"}};
    if (!field && !(p->accepts & (LL_HOLDS_RECORD | LL_HOLDS_STRETCH))) {
        return LL_PROBLEM(problem, "check '", p->name, "' judges fields, but the rule lacks the key 'field'");
    }
    const char *pieces[2 * LL_HOLDS_KINDS + 8] = {"check '", p->name, "' judges"};
    size_t count = 3;
    const char *is = "something else";
    for (unsigned i = 0; i < LL_HOLDS_KINDS; i++) {
        if (p->accepts & 1U << i) {
            pieces[count] = count == 3 ? " " : ", ";
            pieces[count + 1] = words[i][0];
            count += 2;
        }
        is = holds_of(layout, field) == 1U << i ? words[i][1] : is;
    }
    pieces[count++] = field ? "; field '" : "; without a field, '";
    pieces[count++] = field ? field->name : layout->name;
    pieces[count++] = "' is ";
    pieces[count++] = is;
    return ll_problem_say(problem, pieces);
}

static ll_status check_count(const ll_predicate *p, size_t count, ll_problem *problem)
{
    static const struct {
        size_t least, most;
        const char *words;
    } takes[] = {[LL_NO_VALUE] = {0, 0, "no value"},
                 [LL_ONE_VALUE] = {1, 1, "one value"},
                 [LL_TWO_VALUES] = {1, 2, "one or two values"},
                 [LL_ANY_VALUES] = {1, UINT32_MAX, "at least one value"},
                 [LL_SOME_VALUES] = {0, UINT32_MAX, "any values"}};
    if (count >= takes[p->values].least && count <= takes[p->values].most) {
        return LL_OK;
    }
    return LL_PROBLEM(problem, "check '", p->name, "' takes ", takes[p->values].words);
}

ll_status ll_bind_operand(const ll_binding *b, const ll_layout *layout, const char *name, uint16_t *field)
{
    ll_names fields = LL_NAMES(layout->fields, layout->field_count, name);
    size_t number;
    ll_status status = ll_names_pick(&fields, "field", "", name, &number, b->problem);
    *field = (uint16_t)number;
    return status;
}

ll_status ll_bind_word(ll_binding *b, const char *word)
{
    b->test->which = b->words->count > 0;
    if (b->words->count > 1 || (b->test->which && strcmp(b->words->at[0], word) != 0)) {
        return LL_PROBLEM(b->problem, "check '", b->test->predicate->name, "' takes no value except '", word,
                          "', not '", b->words->at[0], "'");
    }
    return LL_OK;
}

ll_status ll_test_bind(ll_arena *arena, const ll_format *format, const ll_test *test, ll_rule_target at,
                       ll_bound_test *out, ll_problem *problem)
{
    const ll_predicate *p = find(test->check);
    const ll_layout *layout = &format->layouts[at.layout];
    *out = (ll_bound_test){0};
    if (!p) {
        return ll_predicate_known(test->check, problem);
    }
    const ll_field *f = at.field == LL_NO_FIELD ? NULL : &layout->fields[at.field];
    const bool hash = (p->accepts & LL_HOLDS_HASH) && f && ll_is_text_hash(format, f);
    if (!hash && !(p->accepts & holds_of(layout, f))) {
        return refuse_type(p, layout, f, problem);
    }
    ll_status status = check_count(p, test->value.count, problem);
    if (status != LL_OK) {
        return status;
    }
    *out = (ll_bound_test){.predicate = p,
                           .layout = layout,
                           .field = f,
                           .field_number = at.field,
                           .other = LL_NO_FIELD,
                           .elements = (uint16_t)(f ? ll_field_elements(f) : 1),
                           .numeric = f && f->type < LL_TYPE_CHARS,
                           .step = (uint8_t)(f ? ll_type_bytes(f->type) : 1),
                           .flip = f ? ll_flip_of(f->type) : 0,
                           .words = &test->value};
    status = p->bind ? p->bind(&(ll_binding){arena, format, &test->value, out, problem}) : LL_OK;
    if (status != LL_OK) {
        *out = (ll_bound_test){0};
    }
    return status;
}

/* ------------------------------------------------------------------ judging */

static bool holds_each(ll_case *c)
{
    unsigned type = c->test->field->type;
    for (c->part = 0; c->part < c->test->elements; c->part++) {
        uint64_t bits = ll_case_bits(c);
        if (ll_bits_are_finite(type, bits) &&
            !c->test->predicate->element(c, ll_key(c->test->flip, c->test->step, bits))) {
            ll_miss_set_part(c);
            return false;
        }
    }
    return true;
}

bool ll_test_judges_spans(const ll_bound_test *test)
{
    return test->predicate && (test->predicate->judge_span || test->predicate->judge_element);
}

bool ll_test_finishes(const ll_bound_test *test)
{
    return test->predicate->finish && test->which;
}

void ll_test_judge_span(const ll_bound_test *test, const ll_bound_test *when, ll_check_run *run,
                        struct ll_matcher *matcher, unsigned patch, void **state)
{
    ll_span_case c = {.test = test, .when = when, .run = run, .state = state, .matcher = matcher};
    c.patch = (uint8_t)patch;
    if (run->span == LL_NO_SPAN) {
        test->predicate->finish(&c);
        return;
    }
    const ll_span *span = ll_doc_span(run->doc, run->span);
    if (span->parent != LL_NO_SPAN && (ll_doc_span(run->doc, span->parent)->flags & LL_SPAN_DOUBTFUL)) {
        return; /* a fault casts doubt on the number of elements or on where they begin */
    }
    c.span = span;
    c.first = ll_doc_at(run->doc, span->offset);
    for (uint32_t i = 0; test->predicate->judge_element && i < span->count; i++) {
        test->predicate->judge_element(&c, i);
    }
    if (test->predicate->judge_span) {
        test->predicate->judge_span(&c);
    }
}

bool ll_test_holds(const ll_bound_test *test, const ll_subject *subject, ll_miss *miss)
{
    if (!test->predicate) {
        return true;
    }
    miss->status = LL_OK;
    miss->undecided = false;
    ll_case c = {test, subject, miss, 0, false};
    bool by_element = test->predicate->element && test->numeric;
    bool holds = by_element ? holds_each(&c) : test->predicate->holds(&c);
    if (!holds && !c.miss_is_set) {
        ll_miss_set_bytes(&c, 0, subject->length);
    }
    return holds;
}

bool ll_guard_holds(const ll_bound_test *when, ll_subject *subject, ll_status *status)
{
    ll_miss unmet = {.status = LL_OK};
    if (!when) {
        return true;
    }
    ll_subject_aim(subject, when);
    bool holds = ll_test_holds(when, subject, &unmet);
    *status = unmet.status == LL_E_MEMORY ? LL_E_MEMORY : *status;
    return holds && !unmet.undecided;
}

/* Makes the case of a failed test from its miss. */
static ll_case case_of(const ll_bound_test *test, const ll_subject *subject, ll_miss *miss)
{
    return (ll_case){test, subject, miss, miss->part == LL_NO_PART ? 0 : miss->part, true};
}

void ll_test_expected(const ll_bound_test *test, const ll_subject *subject, const ll_miss *miss, ll_text *out)
{
    if (test->predicate->words) {
        ll_text_str(out, test->predicate->words);
        return;
    }
    ll_miss copy = *miss;
    ll_case c = case_of(test, subject, &copy);
    test->predicate->expect(&c, out);
}

size_t ll_test_right_bytes(const ll_bound_test *test, const ll_subject *subject, const ll_miss *miss,
                           uint8_t out[LL_RIGHT_BYTES_MAX], uint32_t *offset, bool *guess)
{
    bool all = miss->part != LL_NO_PART && test->field->bytes <= LL_RIGHT_BYTES_MAX;
    unsigned end = all ? test->elements : 1;
    size_t length = 0;
    ll_miss copy = *miss;
    ll_case c = case_of(test, subject, &copy);
    *guess = test->predicate->guesses && (test->value_count != 1 || !test->value);
    *offset = all ? miss->offset - miss->part * test->step : miss->offset;
    if (test->predicate->right_stretch) {
        return test->predicate->right_stretch(&c, out, offset);
    }
    if (!test->predicate->right_bytes || miss->length > LL_RIGHT_BYTES_MAX) {
        return 0;
    }
    for (unsigned part = 0; part < end; part++) {
        if (all) {
            c.part = part;
            ll_miss_set_part(&c);
        }
        size_t right = copy.length ? test->predicate->right_bytes(&c, out + length) : 0;
        if (!right) {
            return 0;
        }
        length += right;
    }
    return length;
}
