/* Predicates on a field and what it stands beside, counts or leads to: another field, the span, the file. */
#include "rules/predicate_row.h"

#include "rules/literal.h"
#include "rules/quick.h"

/* ------------------------------------------------------------------ same_as, ordered */

static ll_status bind_other(ll_binding *b)
{
    ll_bound_test *t = b->test;
    ll_status status = ll_bind_operand(b, t->layout, b->words->at[0], &t->other);
    if (status != LL_OK) {
        return status;
    }
    const ll_field *other = &t->layout->fields[t->other];
    bool alike = ll_holds(other) == ll_holds(t->field);
    alike = alike && (ll_holds(other) & LL_NUMERIC ? ll_field_elements(other) == ll_field_elements(t->field)
                                                   : other->bytes == t->field->bytes);
    if (!alike || other == t->field) {
        return LL_PROBLEM(b->problem, "field '", t->field->name, "' cannot be compared with '", other->name,
                          alike ? "', which is itself" : "', which holds something else");
    }
    return LL_OK;
}

static const ll_field *other_field(const ll_case *c)
{
    return &c->test->layout->fields[c->test->other];
}

/* An integer widened to 64 bits; true if it is negative. */
static bool read_integer(const ll_field *field, unsigned endian, const uint8_t *p, uint64_t *value)
{
    unsigned bytes = ll_type_bytes(field->type);
    uint64_t bits = ll_read_uint(p, bytes, endian);
    bool negative = ll_field_is_signed(field) && bits >> (8U * bytes - 1U) != 0;
    *value = negative ? bits - (UINT64_C(1) << 8U * bytes) : bits;
    return negative;
}

static int sign_of(bool above, bool below)
{
    return (int)above - (int)below;
}

/* < 0, 0 or > 0 as the element is below, equal to or above the other field's; 0 also where one is no number. */
static int compare(const ll_case *c)
{
    const ll_field *a = c->test->field;
    const ll_field *b = other_field(c);
    unsigned endian = c->test->layout->endian;
    const uint8_t *p = ll_case_part(c);
    const uint8_t *q = c->subject->record + b->offset + (size_t)c->part * ll_type_bytes(b->type);
    if (ll_type_is_float(a->type)) {
        bool numbers = ll_bits_are_finite(a->type, ll_case_bits(c)) &&
                       ll_bits_are_finite(b->type, ll_read_uint(q, ll_type_bytes(b->type), endian));
        double x = ll_read_number(p, a->type, endian);
        double y = ll_read_number(q, b->type, endian);
        return numbers ? sign_of(x > y, x < y) : 0;
    }
    uint64_t x;
    uint64_t y;
    bool x_negative = read_integer(a, endian, p, &x);
    bool y_negative = read_integer(b, endian, q, &y);
    return x_negative != y_negative ? sign_of(y_negative, x_negative) : sign_of(x > y, x < y);
}

static bool holds_same_as(ll_case *c)
{
    const ll_field *field = c->test->field;
    if (!(ll_holds(field) & LL_NUMERIC)) {
        return memcmp(c->subject->bytes, c->subject->record + other_field(c)->offset, field->bytes) == 0;
    }
    for (c->part = 0; c->part < c->test->elements; c->part++) {
        if (compare(c) != 0) {
            ll_blame_part(c);
            return false;
        }
    }
    return true;
}

/* Where both fields have one type, bits in order mean numbers in order: what clean files show is decided without
 * decoding. */
static bool bits_are_ordered(const ll_case *c)
{
    const ll_bound_test *t = c->test;
    const ll_field *other = other_field(c);
    if (other->type != t->field->type) {
        return false;
    }
    unsigned spare = 64U - 8U * t->step;
    const uint8_t *q = c->subject->record + other->offset + (size_t)c->part * t->step;
    uint64_t here = ll_bits_at(ll_case_part(c), t->step, ll_is_big(t)) << spare;
    uint64_t there = ll_bits_at(q, t->step, ll_is_big(t)) << spare;
    return ll_in_order(here, t->flip) <= ll_in_order(there, t->flip);
}

static bool holds_ordered(ll_case *c)
{
    for (c->part = 0; c->part < c->test->elements; c->part++) {
        if (!bits_are_ordered(c) && compare(c) > 0) {
            ll_blame_part(c);
            return false;
        }
    }
    return true;
}

static void put_other(const ll_case *c, ll_text *out)
{
    const ll_field *other = other_field(c);
    uint32_t offset = ll_subject_offset(c->subject) - c->test->field->offset + other->offset;
    uint32_t length = other->bytes;
    if (c->miss->part != LL_NO_PART) {
        length = ll_type_bytes(other->type);
        offset += c->part * length;
    }
    ll_value_text(c->subject->doc, other, c->test->layout->endian, offset, length, c->miss->part, out);
}

static void expect_same(const ll_case *c, ll_text *out)
{
    put_other(c, out);
    ll_text_str(out, ", as in ");
    ll_text_str(out, other_field(c)->name);
}

static void expect_ordered(const ll_case *c, ll_text *out)
{
    ll_text_str(out, "at most ");
    put_other(c, out);
    ll_text_str(out, ", the value of ");
    ll_text_str(out, other_field(c)->name);
}

static size_t mend_same(const ll_case *c, uint8_t *out)
{
    const ll_field *other = other_field(c);
    if (other->type != c->test->field->type) {
        return 0;
    }
    memcpy(out, c->subject->record + other->offset + (c->miss->offset - ll_subject_offset(c->subject)),
           c->miss->length);
    return c->miss->length;
}

/* ------------------------------------------------------------------ equals_measure */

typedef struct choice {
    const char *name, *words;
} choice;

enum { SPAN_LENGTH, RECORD_SIZE, TO_RECORD_END, ELEMENT_COUNT, CHILD_COUNT, MEASURES };

static const choice measures[MEASURES] = {
    [SPAN_LENGTH] = {"span_length", "the length of the span"},
    [RECORD_SIZE] = {"record_size", "the size of the fixed record"},
    [TO_RECORD_END] = {"distance_to_record_end", "the distance to the end of the fixed record"},
    [ELEMENT_COUNT] = {"element_count", "the number of elements"},
    [CHILD_COUNT] = {"child_count", "the number of children"},
};

static ll_status bind_choice(ll_binding *b, const char *what, const choice *table, unsigned count)
{
    ll_nearest nearest = {.to = b->words->at[0]};
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(table[i].name, nearest.to) == 0) {
            b->test->which = (uint8_t)i;
            return LL_OK;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        ll_nearest_offer(&nearest, table[i].name);
    }
    return ll_problem_unknown(b->problem, what, &nearest);
}

static ll_status bind_measure(ll_binding *b)
{
    return bind_choice(b, "measure", measures, MEASURES);
}

/* The first span, in file order, that begins where `span` does or behind. */
static uint32_t place_in_order(const ll_doc *doc, uint32_t span)
{
    uint32_t offset = ll_doc_span(doc, span)->offset;
    uint32_t low = doc->order ? 0 : span;
    uint32_t high = doc->order ? doc->span_count : span;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ll_doc_span(doc, doc->order[middle])->offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Children lie in their parent's range, so only the spans that begin there are looked at. */
static uint64_t count_children(const ll_doc *doc, uint32_t span)
{
    const ll_span *parent = ll_doc_span(doc, span);
    uint64_t count = 0;
    for (uint32_t i = place_in_order(doc, span); i < doc->span_count; i++) {
        const ll_span *child = ll_doc_span(doc, doc->order ? doc->order[i] : i);
        if (child->offset - parent->offset > parent->length) {
            break;
        }
        count += child->parent == span;
    }
    return count;
}

static uint64_t measure(const ll_case *c)
{
    const ll_span *span = ll_doc_span(c->subject->doc, c->subject->span);
    switch (c->test->which) {
    case SPAN_LENGTH:
        return span->length;
    case RECORD_SIZE:
        return c->test->layout->size;
    case TO_RECORD_END:
        return (uint64_t)c->test->layout->size - c->test->field->offset;
    case ELEMENT_COUNT:
        return span->count;
    default: /* CHILD_COUNT */
        return count_children(c->subject->doc, c->subject->span);
    }
}

static bool holds_measure(ll_case *c)
{
    uint64_t value;
    bool negative = read_integer(c->test->field, c->test->layout->endian, c->subject->bytes, &value);
    return !negative && value == measure(c);
}

static void expect_measure(const ll_case *c, ll_text *out)
{
    ll_text_u64(out, measure(c));
    ll_text_str(out, ", ");
    ll_text_str(out, measures[c->test->which].words);
}

static bool type_can_hold(const ll_field *field, uint64_t value)
{
    unsigned bits = 8U * ll_type_bytes(field->type) - ll_field_is_signed(field);
    return bits == 64 || value >> bits == 0;
}

static size_t mend_measure(const ll_case *c, uint8_t *out)
{
    uint64_t value = measure(c);
    return type_can_hold(c->test->field, value) ? ll_put_bits(c->test, value, out) : 0;
}

/* Two of the measures are constants of the layout. */
static void quick_measure(const ll_bound_test *t, ll_filters *out)
{
    uint64_t value = (uint64_t)t->layout->size - (t->which == TO_RECORD_END ? t->field->offset : 0U);
    if ((t->which == RECORD_SIZE || t->which == TO_RECORD_END) && type_can_hold(t->field, value)) {
        uint64_t key = ll_key_of_bits(t->field->type, value);
        ll_filter_keys(t, key, key, out);
    }
}

/* ------------------------------------------------------------------ in_region, never */

enum { REGION_SPAN, REGION_FILE, REGION_RECORD_TAIL, REGIONS };

static const choice regions[REGIONS] = {
    [REGION_SPAN] = {"span", "the span"},
    [REGION_FILE] = {"file", "the file"},
    [REGION_RECORD_TAIL] = {"record_tail", "the span behind the fixed record"},
};

static ll_status bind_region(ll_binding *b)
{
    return bind_choice(b, "region", regions, REGIONS);
}

static void find_region(const ll_case *c, uint64_t *start, uint64_t *end)
{
    const ll_span *span = ll_doc_span(c->subject->doc, c->subject->span);
    const ll_region *region = ll_doc_locate(c->subject->doc, span->offset);
    bool file = c->test->which == REGION_FILE;
    *start = file ? region->base : span->offset;
    *end = *start + (file ? region->size : span->length);
    if (c->test->which == REGION_RECORD_TAIL) {
        *start += (uint64_t)c->test->layout->size * span->count;
    }
}

/* Where the field leads; false if that lies before the first byte of the file or beyond all that 64 bits can count. */
static bool find_target(const ll_case *c, uint64_t *target)
{
    uint64_t value;
    bool negative = read_integer(c->test->field, c->test->layout->endian, c->subject->bytes, &value);
    uint64_t from = ll_subject_offset(c->subject);
    *target = from + value;
    return negative ? from >= 0 - value : *target >= value;
}

static bool holds_region(ll_case *c)
{
    uint64_t start;
    uint64_t end;
    uint64_t target;
    find_region(c, &start, &end);
    return find_target(c, &target) && target >= start && target < end;
}

static void put_place(const char *before, uint64_t place, ll_text *out)
{
    ll_text_str(out, before);
    ll_text_str(out, "+0x");
    ll_text_hex(out, place, 1);
}

static void expect_region(const ll_case *c, ll_text *out)
{
    uint64_t start;
    uint64_t end;
    uint64_t target;
    find_region(c, &start, &end);
    put_place("an offset that leads into ", start, out);
    put_place("..", end, out);
    ll_text_str(out, ", ");
    ll_text_str(out, regions[c->test->which].words);
    if (find_target(c, &target)) {
        put_place("; this one leads to ", target, out);
    }
}

static bool holds_never(ll_case *c)
{
    (void)c;
    return false;
}

static void expect_never(const ll_case *c, ll_text *out)
{
    ll_text_str(out, "no ");
    ll_text_str(out, c->test->layout->name);
}

/* ------------------------------------------------------------------ the rows */

const ll_predicate ll_place_predicates[] = {
    {.name = "same_as",
     .accepts = LL_NUMERIC | LL_HOLDS_CHARS | LL_HOLDS_BYTES,
     .values = LL_ONE_VALUE,
     .bind = bind_other,
     .holds = holds_same_as,
     .expect = expect_same,
     .mend = mend_same},
    {.name = "ordered",
     .accepts = LL_NUMERIC,
     .values = LL_ONE_VALUE,
     .bind = bind_other,
     .holds = holds_ordered,
     .expect = expect_ordered},
    {.name = "equals_measure",
     .accepts = LL_HOLDS_INT,
     .values = LL_ONE_VALUE,
     .bind = bind_measure,
     .holds = holds_measure,
     .expect = expect_measure,
     .mend = mend_measure,
     .quick = quick_measure},
    {.name = "in_region",
     .accepts = LL_HOLDS_INT,
     .values = LL_ONE_VALUE,
     .bind = bind_region,
     .holds = holds_region,
     .expect = expect_region},
    {.name = "never", .accepts = LL_ANY_FIELD, .holds = holds_never, .expect = expect_never},
};
const size_t ll_place_predicate_count = sizeof ll_place_predicates / sizeof ll_place_predicates[0];
