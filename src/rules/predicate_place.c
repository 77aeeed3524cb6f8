/* Predicates that compare a field with another field of the record or with a measure of the span; and `never`. */
#include "rules/predicate_row.h"

#include "rules/literal.h"
#include "rules/key.h"

/* ------------------------------------------------------------------ same_as, ordered, below */

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
                          alike ? "', which is the same field" : "', which has another type or size");
    }
    return LL_OK;
}

static const ll_field *other_field(const ll_case *c)
{
    return &c->test->layout->fields[c->test->other];
}

/* < 0, 0 or > 0 if the element is below, equal to or above that of the other field; `unknown` if the other is not
 * finite. Values of different types are compared as doubles. That is exact except for large 64-bit values, which differ
 * too much from values of other types for it to matter. */
static int compare(const ll_case *c, uint64_t key, int unknown)
{
    const ll_field *other = other_field(c);
    unsigned endian = c->test->layout->endian;
    unsigned bytes = ll_type_bytes(other->type);
    const uint8_t *p = c->subject->record + other->offset + (size_t)c->part * bytes;
    uint64_t bits = ll_read_uint(p, bytes, endian);
    if (!ll_bits_are_finite(other->type, bits)) {
        return unknown;
    }
    if (other->type == c->test->field->type) {
        uint64_t there = ll_key(c->test->flip, bytes, bits);
        return (int)(key > there) - (int)(key < there);
    }
    double here = ll_read_number(ll_case_part(c), c->test->field->type, endian);
    double there = ll_read_number(p, other->type, endian);
    return (int)(here > there) - (int)(here < there);
}

static bool is_same(const ll_case *c, uint64_t key)
{
    return compare(c, key, 0) == 0;
}

static ll_status bind_below(ll_binding *b)
{
    b->test->which = true;
    return bind_other(b);
}

/* A NaN or an infinity on either side counts as ordered. */
static bool holds_ordered(ll_case *c)
{
    const ll_bound_test *t = c->test;
    int most = t->which ? -1 : 0;
    for (c->part = 0; c->part < t->elements; c->part++) {
        uint64_t bits = ll_case_bits(c);
        if (ll_bits_are_finite(t->field->type, bits) && compare(c, ll_key(t->flip, t->step, bits), most) > most) {
            ll_miss_set_part(c);
            return false;
        }
    }
    return true;
}

static bool bytes_are_same(ll_case *c)
{
    return memcmp(c->subject->bytes, c->subject->record + other_field(c)->offset, c->test->field->bytes) == 0;
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
    ll_value_text(c->subject->doc, other, c->test->layout->endian, offset, length, out);
}

static void expect_same(const ll_case *c, ll_text *out)
{
    put_other(c, out);
    ll_text_format(out, ", as in %s", other_field(c)->name);
}

static void expect_below(const ll_case *c, ll_text *out)
{
    ll_text_str(out, "less than ");
    put_other(c, out);
    ll_text_str(out, ", the value of ");
    ll_text_str(out, other_field(c)->name);
}

static void expect_ordered(const ll_case *c, ll_text *out)
{
    ll_text_str(out, "at most ");
    put_other(c, out);
    ll_text_format(out, ", the value of %s", other_field(c)->name);
}

static size_t put_right_same(const ll_case *c, uint8_t *out)
{
    const ll_field *other = other_field(c);
    if (other->type != c->test->field->type) {
        return 0;
    }
    memcpy(out, c->subject->record + other->offset + (c->miss->offset - ll_subject_offset(c->subject)),
           c->miss->length);
    return c->miss->length;
}

/* Writes both fields and the bytes between them, with the elements that are out of order swapped. */
static size_t put_swapped(const ll_case *c, uint8_t *out, uint32_t *offset)
{
    const ll_field *field = c->test->field;
    const ll_field *other = other_field(c);
    size_t first = field->offset < other->offset ? field->offset : other->offset;
    size_t last = field->offset + (size_t)other->offset - first;
    size_t length = last + field->bytes - first;
    if (field->type != other->type || length > LL_RIGHT_BYTES_MAX) {
        return 0;
    }
    memcpy(out, c->subject->record + first, length);
    bool swapped = false; /* stays false for equal values, which swapping does not change */
    ll_case one = *c;
    for (one.part = 0; one.part < c->test->elements; one.part++) {
        size_t at = (size_t)one.part * c->test->step;
        const uint8_t *there = c->subject->record + other->offset + at;
        uint64_t bits = ll_case_bits(&one);
        if (compare(&one, ll_key(c->test->flip, c->test->step, bits), 0) > 0) {
            if (!bits || !ll_bits_at(there, c->test->step, ll_is_big(c->test))) {
                return 0; /* 0 means no value, not a swapped one */
            }
            memcpy(out + at, c->subject->record + last + at, c->test->step);
            memcpy(out + (last - first) + at, c->subject->record + first + at, c->test->step);
            swapped = true;
        }
    }
    *offset = ll_subject_offset(c->subject) - field->offset + (uint32_t)first;
    return swapped ? length : 0;
}

/* ------------------------------------------------------------------ equals_measure */

enum { SPAN_LENGTH, RECORD_SIZE, TO_RECORD_END, ELEMENT_COUNT, MEASURES };

static const ll_named measures[MEASURES] = {
    [SPAN_LENGTH] = {"span_length", "the length of the span"},
    [RECORD_SIZE] = {"record_size", "the size of the fixed record"},
    [TO_RECORD_END] = {"distance_to_record_end", "the distance to the end of the fixed record"},
    [ELEMENT_COUNT] = {"element_count", "the number of elements"},
};

static ll_status bind_measure(ll_binding *b)
{
    const ll_names names = LL_NAMES(measures, MEASURES, name);
    size_t number;
    ll_status status = ll_names_pick(&names, "measure", "", b->words->at[0], &number, b->problem);
    b->test->which = (uint8_t)number;
    return status;
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
    default: /* ELEMENT_COUNT */
        return span->count;
    }
}

static bool type_can_hold(const ll_field *field, uint64_t value)
{
    unsigned bits = 8U * ll_type_bytes(field->type) - ll_type_is_signed(field->type);
    return bits == 64 || value >> bits == 0;
}

static bool is_measure(const ll_case *c, uint64_t key)
{
    uint64_t value = measure(c);
    return type_can_hold(c->test->field, value) && key == ll_key_of_bits(c->test->field->type, value);
}

static void expect_measure(const ll_case *c, ll_text *out)
{
    ll_text_format(out, "%" PRIu64 ", %s", measure(c), measures[c->test->which].meaning);
}

/* Offers no bytes if a gap follows the record: the measure may be right and the bytes of the gap wrong. */
static size_t put_right_measure(const ll_case *c, uint8_t *out)
{
    const ll_doc *doc = c->subject->doc;
    uint32_t next = c->subject->span + 1;
    bool gap = c->test->which == TO_RECORD_END && next < doc->span_count &&
               ll_doc_span(doc, next)->layout == LL_LAYOUT_GAP && ll_doc_span(doc, next)->parent == c->subject->span;
    uint64_t value = measure(c);
    return !gap && type_can_hold(c->test->field, value) ? ll_put_bits(c->test, value, out) : 0;
}

/* Only the two measures that are constants of the layout have a condition. */
static void screen_measure(const ll_bound_test *t, ll_terms *out)
{
    uint64_t value = (uint64_t)t->layout->size - (t->which == TO_RECORD_END ? t->field->offset : 0U);
    if ((t->which == RECORD_SIZE || t->which == TO_RECORD_END) && type_can_hold(t->field, value)) {
        uint64_t key = ll_key_of_bits(t->field->type, value);
        ll_term_keys(t, key, key, out);
    }
}

/* ------------------------------------------------------------------ never */

static bool holds_never(ll_case *c)
{
    (void)c;
    return false;
}

static void expect_never(const ll_case *c, ll_text *out)
{
    ll_text_format(out, "no %s", c->test->layout->name);
}

/* ------------------------------------------------------------------ the rows */

static const ll_predicate rows[] = {
    {.name = "same_as",
     .accepts = LL_NUMERIC | LL_HOLDS_CHARS | LL_HOLDS_BYTES,
     .values = LL_ONE_VALUE,
     .bind = bind_other,
     .element = is_same,
     .holds = bytes_are_same,
     .expect = expect_same,
     .right_bytes = put_right_same},
    {.name = "ordered",
     .accepts = LL_NUMERIC,
     .values = LL_ONE_VALUE,
     .bind = bind_other,
     .holds = holds_ordered,
     .expect = expect_ordered,
     .right_stretch = put_swapped,
     .asks = "ll_screen_ordered"},
    {.name = "below",
     .accepts = LL_NUMERIC,
     .values = LL_ONE_VALUE,
     .bind = bind_below,
     .holds = holds_ordered,
     .expect = expect_below,
     .right_stretch = put_swapped,
     .asks = "ll_screen_ordered"},
    {.name = "equals_measure",
     .accepts = LL_HOLDS_INT,
     .values = LL_ONE_VALUE,
     .bind = bind_measure,
     .element = is_measure,
     .expect = expect_measure,
     .right_bytes = put_right_measure,
     .screen = screen_measure},
    {.name = "never", .accepts = LL_ANY_FIELD, .holds = holds_never, .expect = expect_never, .asks = "ll_screen_never"},
};
const ll_predicates ll_place_predicates = LL_PREDICATES(rows);
