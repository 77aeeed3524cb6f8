/* Predicates on the value of a field alone. Numbers are compared as keys (literal.h), so one comparison serves all numeric types and no
 * integer ever passes through a double. */
#include "rules/predicate_row.h"

#include "base/half.h"
#include "rules/literal.h"
#include "rules/quick.h"

#include <math.h>

static bool is_numeric(const ll_bound_test *t)
{
    return ll_holds(t->field) & LL_NUMERIC;
}

/* ------------------------------------------------------------------ equals, not_equals, one_of, bytes_one_of */

static ll_status bind_list(ll_binding *b, bool hex)
{
    ll_bound_test *t = b->test;
    ll_value *values = ll_arena_zalloc(b->arena, b->words->count, sizeof *values);
    ll_status status = values ? LL_OK : LL_E_MEMORY;
    for (size_t i = 0; status == LL_OK && i < b->words->count; i++) {
        const char *text = b->words->at[i];
        if (is_numeric(t)) {
            status = ll_literal_key(text, t->field->type, &values[i].key, b->problem);
        } else if (hex || t->field->type == LL_TYPE_BYTES) {
            status = ll_literal_hex(b->arena, text, t->field->bytes, &values[i].bytes, b->problem);
        } else {
            status = ll_literal_chars(b->arena, text, t->field->bytes, &values[i].bytes, b->problem);
        }
        if (status == LL_OK && values[i].bytes && t->load != LL_QUICK_NEVER) {
            values[i].key = ll_quick_read(values[i].bytes, t->load);
        }
    }
    t->value = values;
    t->value_count = (uint32_t)b->words->count;
    return status;
}

static ll_status bind_values(ll_binding *b)
{
    return bind_list(b, false);
}

static ll_status bind_hex(ll_binding *b)
{
    return bind_list(b, true);
}

static ll_status bind_equals(ll_binding *b)
{
    if (b->words->count != 1 && b->words->count != ll_field_elements(b->test->field)) {
        return LL_PROBLEM(b->problem, "check 'equals' takes one value, or one for each element of field '", b->test->field->name, "'");
    }
    return bind_list(b, false);
}

static bool bytes_are_listed(const ll_case *c)
{
    for (size_t i = 0; i < c->test->value_count; i++) {
        if (memcmp(c->subject->bytes, c->test->value[i].bytes, c->test->field->bytes) == 0) {
            return true;
        }
    }
    return false;
}

static bool bytes_are_not_listed(const ll_case *c)
{
    return !bytes_are_listed(c);
}

static bool is_value(const ll_bound_test *t, uint64_t key)
{
    for (size_t i = 0; i < t->value_count; i++) {
        if (t->value[i].key == key) {
            return true;
        }
    }
    return false;
}

static bool key_is_listed(const ll_case *c, uint64_t key)
{
    return is_value(c->test, key);
}

static bool key_is_not_listed(const ll_case *c, uint64_t key)
{
    return !is_value(c->test, key);
}

/* The value that belongs to an element. */
static const ll_value *value_for(const ll_bound_test *t, unsigned part)
{
    return &t->value[t->value_count > 1 ? part : 0];
}

static bool key_equals(const ll_case *c, uint64_t key)
{
    return value_for(c->test, c->part)->key == key;
}

/* As the report shows values of such a field; numbers stay as the rule wrote them. */
static void put_value(const ll_bound_test *t, size_t i, ll_text *out)
{
    if (t->field->type == LL_TYPE_CHARS) {
        ll_text_char(out, '"');
        ll_text_escape(out, (const char *)t->value[i].bytes, t->field->bytes);
        ll_text_char(out, '"');
    } else if (t->field->type == LL_TYPE_BYTES) {
        ll_text_bytes(out, t->value[i].bytes, t->field->bytes);
    } else {
        ll_text_str(out, t->words->at[i]);
    }
}

static void expect_listed(const ll_case *c, ll_text *out)
{
    ll_text_str(out, c->test->value_count > 1 ? "one of " : "");
    for (size_t i = 0; i < c->test->value_count; i++) {
        ll_text_str(out, i ? ", " : "");
        put_value(c->test, i, out);
    }
}

static void expect_not_listed(const ll_case *c, ll_text *out)
{
    ll_text_str(out, "anything but ");
    expect_listed(c, out);
}

static void expect_equal(const ll_case *c, ll_text *out)
{
    put_value(c->test, c->test->value_count > 1 ? c->part : 0, out);
}

static size_t mend_equal(const ll_case *c, uint8_t *out)
{
    const ll_value *value = value_for(c->test, c->part);
    if (is_numeric(c->test)) {
        return ll_put_bits(c->test, ll_bits_of_key(c->test->field->type, value->key), out);
    }
    memcpy(out, value->bytes, c->miss->length);
    return c->miss->length;
}

static size_t mend_listed(const ll_case *c, uint8_t *out)
{
    return c->test->value_count == 1 ? mend_equal(c, out) : 0;
}

/* The field's bytes are exactly these; NULL: all zero. */
static void filter_bytes(const ll_bound_test *t, const uint8_t *wanted, ll_filters *out)
{
    static const ll_layout little_endian = {.endian = LL_LITTLE};
    for (unsigned at = 0; at < t->field->bytes;) {
        unsigned left = t->field->bytes - at;
        unsigned step = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
        unsigned load = ll_bits_load(&little_endian, step);
        ll_filter_add(&(ll_quick){.offset = (uint16_t)(t->field->offset + at),
                                  .load = (uint8_t)load,
                                  .mask = UINT64_MAX,
                                  .low = wanted ? ll_quick_read(wanted + at, load) : 0},
                      out);
        at += step;
    }
}

static void quick_equal(const ll_bound_test *t, ll_filters *out)
{
    if (!is_numeric(t)) {
        filter_bytes(t, t->value[0].bytes, out);
        return;
    }
    for (unsigned part = 0; part < ll_field_elements(t->field); part++) {
        ll_field element = *t->field;
        element.bytes = (uint16_t)ll_type_bytes(element.type);
        element.offset = (uint16_t)(element.offset + part * element.bytes);
        ll_bound_test one = *t;
        one.field = &element;
        ll_filter_keys(&one, value_for(t, part)->key, value_for(t, part)->key, out);
    }
}

/* The longest run of values without a gap; the others are judged. */
static void quick_listed(const ll_bound_test *t, ll_filters *out)
{
    enum { SEARCHED_MAX = 64 }; /* of a longer list, the run of the first value will do */
    if (t->load == LL_QUICK_NEVER) {
        if (t->value_count == 1) {
            filter_bytes(t, t->value[0].bytes, out);
        }
        return;
    }
    uint64_t best = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < (t->value_count <= SEARCHED_MAX ? t->value_count : 1); i++) {
        uint64_t first = t->value[i].key;
        uint64_t length = 1;
        while (length < t->value_count && is_value(t, first + length)) {
            length++;
        }
        if (length > most) {
            best = first;
            most = length;
        }
    }
    ll_filter_keys(t, best, best + most - 1, out);
}

/* All keys but one, or but both zeros: the interval goes round the end. */
static void quick_not_listed(const ll_bound_test *t, ll_filters *out)
{
    if (t->load == LL_QUICK_NEVER) {
        return;
    }
    size_t at = out->count;
    ll_filter_keys(t, t->value[0].key, t->value[0].key, out);
    for (; at < out->count; at++) {
        uint64_t excluded = out->at[at].width + 1;
        out->at[at].low += excluded;
        out->at[at].width = UINT64_MAX - excluded;
    }
}

/* ------------------------------------------------------------------ range */

static ll_status bind_range(ll_binding *b)
{
    unsigned type = b->test->field->type;
    unsigned low_bounds = 0;
    b->test->bound = ll_keys_of_type(type);
    for (size_t i = 0; i < b->words->count; i++) {
        ll_status status = ll_literal_narrow(b->words->at[i], type, &b->test->bound, b->problem);
        if (status != LL_OK) {
            return status;
        }
        low_bounds += b->words->at[i][0] == '>';
    }
    if (b->words->count == 2 && low_bounds != 1) {
        return LL_PROBLEM(b->problem, "two bounds on the same side: '", b->words->at[0], "', '", b->words->at[1], "'");
    }
    bool empty = b->test->bound.first > b->test->bound.last;
    return empty ? LL_PROBLEM(b->problem, "no value of the type ", ll_type_name(type), " lies in the range") : LL_OK;
}

static bool key_is_in_range(const ll_case *c, uint64_t key)
{
    return key >= c->test->bound.first && key <= c->test->bound.last;
}

static void expect_in_range(const ll_case *c, ll_text *out)
{
    static const char *const words[] = {
        [LL_AT_LEAST] = "at least ", [LL_ABOVE] = "above ", [LL_AT_MOST] = "at most ", [LL_BELOW] = "below "};
    for (size_t i = 0; i < c->test->words->count; i++) {
        ll_relation relation = LL_AT_LEAST;
        const char *number = ll_literal_relation(c->test->words->at[i], &relation);
        ll_text_str(out, i ? " and " : "");
        ll_text_str(out, words[relation]);
        ll_text_str(out, number);
    }
}

static void quick_in_range(const ll_bound_test *t, ll_filters *out)
{
    ll_filter_keys(t, t->bound.first, t->bound.last, out);
}

/* ------------------------------------------------------------------ multiple_of, mask_clear, mask_set */

/* Reads bits: masks, and divisors, which are no masks but as little signed. */
static ll_status bind_bits(ll_binding *b, uint64_t *bits)
{
    static const uint8_t type[] = {[1] = LL_TYPE_U8, [2] = LL_TYPE_U16, [4] = LL_TYPE_U32, [8] = LL_TYPE_U64};
    ll_status status = ll_literal_key(b->words->at[0], type[ll_type_bytes(b->test->field->type)], bits, b->problem);
    return status == LL_OK && *bits == 0 ? LL_PROBLEM(b->problem, "0 says nothing here") : status;
}

static ll_status bind_mask(ll_binding *b)
{
    return bind_bits(b, &b->test->mask);
}

static ll_status bind_divisor(ll_binding *b)
{
    return bind_bits(b, &b->test->divisor);
}

static uint64_t bits_of(const ll_case *c, uint64_t key)
{
    return ll_bits_of_key(c->test->field->type, key);
}

static bool key_is_multiple(const ll_case *c, uint64_t key)
{
    uint64_t bits = bits_of(c, key);
    uint64_t sign = UINT64_C(1) << (8U * ll_type_bytes(c->test->field->type) - 1U);
    uint64_t magnitude = ll_field_is_signed(c->test->field) && (bits & sign) ? 2 * sign - bits : bits;
    return magnitude % c->test->divisor == 0;
}

static bool mask_is_clear(const ll_case *c, uint64_t key)
{
    return (bits_of(c, key) & c->test->mask) == 0;
}

static bool mask_is_set(const ll_case *c, uint64_t key)
{
    return (bits_of(c, key) & c->test->mask) == c->test->mask;
}

static void put_mask(const ll_bound_test *t, uint64_t mask, ll_text *out)
{
    ll_text_str(out, "0x");
    ll_text_hex(out, mask, 2U * ll_type_bytes(t->field->type));
}

static void expect_multiple(const ll_case *c, ll_text *out)
{
    ll_text_str(out, "a multiple of ");
    ll_text_str(out, c->test->words->at[0]);
}

static void expect_mask_clear(const ll_case *c, ll_text *out)
{
    uint64_t all = UINT64_MAX >> (64U - 8U * ll_type_bytes(c->test->field->type));
    if (c->test->mask == all) {
        ll_text_char(out, '0');
        return;
    }
    ll_text_str(out, "no bits but ");
    put_mask(c->test, all & ~c->test->mask, out);
}

static void expect_mask_set(const ll_case *c, ll_text *out)
{
    ll_text_str(out, "bits ");
    put_mask(c->test, c->test->mask, out);
    ll_text_str(out, " set");
}

static size_t mend_mask_clear(const ll_case *c, uint8_t *out)
{
    return ll_put_bits(c->test, ll_case_bits(c) & ~c->test->mask, out);
}

static size_t mend_mask_set(const ll_case *c, uint8_t *out)
{
    return ll_put_bits(c->test, ll_case_bits(c) | c->test->mask, out);
}

static void filter_bits(const ll_bound_test *t, uint64_t mask, uint64_t wanted, ll_filters *out)
{
    unsigned load = ll_bits_load(t->layout, ll_type_bytes(t->field->type));
    ll_filter_each(t, (ll_quick){.load = (uint8_t)load, .mask = mask, .low = wanted}, out);
}

static void quick_multiple(const ll_bound_test *t, ll_filters *out)
{
    if ((t->divisor & (t->divisor - 1)) == 0) {
        filter_bits(t, t->divisor - 1, 0, out);
    }
}

static void quick_mask_clear(const ll_bound_test *t, ll_filters *out)
{
    filter_bits(t, t->mask, 0, out);
}

static void quick_mask_set(const ll_bound_test *t, ll_filters *out)
{
    filter_bits(t, t->mask, t->mask, out);
}

/* ------------------------------------------------------------------ all_zero, not_zero */

static bool holds_all_zero(const ll_case *c)
{
    const uint8_t *bytes = c->subject->bytes;
    uint32_t first = 0;
    uint32_t end = c->subject->length;
    while (first < end && bytes[first] == 0) {
        first++;
    }
    if (first == end) {
        return true;
    }
    while (bytes[end - 1] == 0) {
        end--;
    }
    if (is_numeric(c->test)) {
        ll_blame_part(c, first / ll_type_bytes(c->test->field->type));
    } else {
        ll_blame_bytes(c, first, end);
    }
    return false;
}

static void expect_all_zero(const ll_case *c, ll_text *out)
{
    ll_text_str(out, ll_holds(c->test->field) & LL_ANY_INT ? "0" : "all bytes zero");
}

static void quick_all_zero(const ll_bound_test *t, ll_filters *out)
{
    filter_bytes(t, NULL, out);
}

static bool holds_not_zero(const ll_case *c)
{
    unsigned type = c->test->field->type;
    uint64_t zero = ll_key_of_bits(type, 0); /* that of -0 too */
    ll_case element = *c;
    for (element.part = 0; element.part < ll_field_elements(c->test->field); element.part++) {
        if (ll_key_of_bits(type, ll_case_bits(&element)) != zero) {
            return true;
        }
    }
    return false;
}

static void expect_not_zero(const ll_case *c, ll_text *out)
{
    ll_text_str(out, ll_field_elements(c->test->field) > 1 ? "not all elements 0" : "anything but 0");
}

/* Looks at the first bytes of a long vector only: a value there is enough. */
static void quick_not_zero(const ll_bound_test *t, ll_filters *out)
{
    unsigned bytes = t->field->bytes >= 8 ? 8 : t->field->bytes >= 4 ? 4 : t->field->bytes >= 2 ? 2 : 1;
    uint64_t mask = UINT64_MAX; /* without the signs of floats */
    if (ll_type_is_float(t->field->type)) {
        mask = t->field->type == LL_TYPE_F16 ? UINT64_C(0x7FFF7FFF7FFF7FFF) : UINT64_C(0x7FFFFFFF7FFFFFFF);
    }
    ll_filter_add(&(ll_quick){.offset = t->field->offset,
                              .load = (uint8_t)ll_bits_load(t->layout, bytes),
                              .mask = mask,
                              .low = 1,
                              .width = UINT64_MAX - 1},
                  out);
}

/* ------------------------------------------------------------------ finite, normal, unit_norm */

static bool holds_finite(const ll_case *c)
{
    ll_case element = *c;
    for (element.part = 0; element.part < ll_field_elements(c->test->field); element.part++) {
        if (!ll_bits_are_finite(c->test->field->type, ll_case_bits(&element))) {
            ll_blame_part(c, element.part);
            return false;
        }
    }
    return true;
}

static void quick_finite(const ll_bound_test *t, ll_filters *out)
{
    ll_bound all = ll_keys_of_type(t->field->type);
    ll_filter_keys(t, all.first, all.last, out);
}

static bool key_is_normal(const ll_case *c, uint64_t key)
{
    uint64_t bits = bits_of(c, key);
    return !(c->test->field->type == LL_TYPE_F16 ? ll_half_is_denormal((uint16_t)bits) : ll_single_is_denormal((uint32_t)bits));
}

/* Without the sign: all but the denormals, an interval that goes round the end and so holds zero too. */
static void quick_normal(const ll_bound_test *t, ll_filters *out)
{
    bool half = t->field->type == LL_TYPE_F16;
    uint64_t least = half ? 0x0400U : 0x00800000U;
    ll_filter_each(t,
                   (ll_quick){.load = (uint8_t)ll_bits_load(t->layout, ll_type_bytes(t->field->type)),
                              .mask = half ? 0x7FFFU : 0x7FFFFFFFU,
                              .low = least,
                              .width = UINT64_MAX - least + 1},
                   out);
}

static ll_status bind_tolerance(ll_binding *b)
{
    double number = 0;
    ll_status status = ll_literal_number(b->words->at[0], &number, b->problem);
    b->test->tolerance = number;
    return status == LL_OK && number < 0 ? LL_PROBLEM(b->problem, "a tolerance below 0: ", b->words->at[0]) : status;
}

static double single(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;
    memcpy(&f, &word, sizeof f);
    return (double)f;
}

/* -1 where an element is no number. There is no quick form of this, so it runs for every record and reads without calls. */
static double norm(const ll_case *c)
{
    const ll_field *field = c->test->field;
    unsigned step = ll_type_bytes(field->type);
    unsigned load = ll_bits_load(c->test->layout, step);
    double sum = 0;
    for (unsigned at = 0; at < field->bytes; at += step) {
        uint64_t bits = ll_quick_read(c->subject->bytes + at, load);
        if (!ll_bits_are_finite(field->type, bits)) {
            return -1;
        }
        double x = step == 4 ? single(bits) : ll_half_to_double((uint16_t)bits);
        sum += x * x;
    }
    return sqrt(sum);
}

static bool holds_unit_norm(const ll_case *c)
{
    double length = norm(c);
    return length < 0 || fabs(length - 1.0) <= c->test->tolerance;
}

static void expect_unit_norm(const ll_case *c, ll_text *out)
{
    ll_text_str(out, ll_field_elements(c->test->field) == 4 ? "a unit quaternion" : "a unit vector");
    ll_text_str(out, " (norm 1 within ");
    ll_text_str(out, c->test->words->at[0]);
    ll_text_str(out, "; this one has ");
    ll_text_float(out, norm(c), 32);
    ll_text_char(out, ')');
}

/* ------------------------------------------------------------------ the rows */

const ll_predicate ll_value_predicates[] = {
    {.name = "equals", .accepts = LL_NUMERIC | LL_HOLDS_CHARS | LL_HOLDS_BYTES, .values = LL_ANY_VALUES, .bind = bind_equals,
     .element = key_equals, .holds = bytes_are_listed, .expect = expect_equal, .mend = mend_equal, .quick = quick_equal},
    {.name = "not_equals", .accepts = LL_SCALAR | LL_HOLDS_CHARS, .values = LL_ONE_VALUE, .bind = bind_values,
     .element = key_is_not_listed, .holds = bytes_are_not_listed, .expect = expect_not_listed, .quick = quick_not_listed},
    {.name = "one_of", .accepts = LL_SCALAR | LL_HOLDS_CHARS, .values = LL_ANY_VALUES, .bind = bind_values,
     .element = key_is_listed, .holds = bytes_are_listed, .expect = expect_listed, .mend = mend_listed, .quick = quick_listed},
    {.name = "bytes_one_of", .accepts = LL_HOLDS_BYTES | LL_HOLDS_CHARS, .values = LL_ANY_VALUES, .bind = bind_hex,
     .holds = bytes_are_listed, .expect = expect_listed, .mend = mend_listed, .quick = quick_listed},
    {.name = "range", .accepts = LL_NUMERIC, .values = LL_TWO_VALUES, .bind = bind_range,
     .element = key_is_in_range, .expect = expect_in_range, .quick = quick_in_range},
    {.name = "multiple_of", .accepts = LL_ANY_INT, .values = LL_ONE_VALUE, .bind = bind_divisor,
     .element = key_is_multiple, .expect = expect_multiple, .quick = quick_multiple},
    {.name = "mask_clear", .accepts = LL_ANY_INT, .values = LL_ONE_VALUE, .bind = bind_mask,
     .element = mask_is_clear, .expect = expect_mask_clear, .mend = mend_mask_clear, .quick = quick_mask_clear},
    {.name = "mask_set", .accepts = LL_ANY_INT, .values = LL_ONE_VALUE, .bind = bind_mask,
     .element = mask_is_set, .expect = expect_mask_set, .mend = mend_mask_set, .quick = quick_mask_set},
    {.name = "all_zero", .accepts = LL_ANY_FIELD,
     .holds = holds_all_zero, .expect = expect_all_zero, .mend = ll_put_zeros, .quick = quick_all_zero},
    {.name = "not_zero", .accepts = LL_NUMERIC,
     .holds = holds_not_zero, .expect = expect_not_zero, .quick = quick_not_zero},
    {.name = "finite", .accepts = LL_ANY_FLOAT,
     .holds = holds_finite, .words = "a finite number", .quick = quick_finite},
    {.name = "normal", .accepts = LL_ANY_FLOAT,
     .element = key_is_normal, .words = "0 or a normal number, not a denormal one", .quick = quick_normal},
    {.name = "unit_norm", .accepts = LL_HOLDS_FLOATS, .values = LL_ONE_VALUE, .bind = bind_tolerance,
     .holds = holds_unit_norm, .expect = expect_unit_norm},
};
const size_t ll_value_predicate_count = sizeof ll_value_predicates / sizeof ll_value_predicates[0];
