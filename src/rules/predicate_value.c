/* Predicates on the value of a single field. Numbers are compared as keys (literal.h), so one comparison serves all
 * numeric types, and integers are never converted to double. */
#include "rules/predicate_row.h"

#include "base/half.h"
#include "rules/literal.h"
#include "rules/key.h"

#include <math.h>

/* ------------------------------------------------------------------ equals, not_equals, one_of, bytes_one_of */

/* Letters and bytes of up to KEY_BYTES_MAX bytes have keys too: the bytes as a big-endian number, so that PL01, PL02
 * and PL03 are neighbours. */
enum { KEY_BYTES_MAX = 8 };

static uint64_t bytes_key(const uint8_t *bytes, unsigned count)
{
    uint64_t key = 0;
    for (unsigned i = 0; i < count; i++) {
        key = key << 8 | bytes[i];
    }
    return key;
}

static bool has_keys(const ll_bound_test *t)
{
    return t->numeric || t->field->bytes <= KEY_BYTES_MAX;
}

static ll_status bind_list(ll_binding *b, bool hex)
{
    ll_bound_test *t = b->test;
    ll_value *values = ll_arena_zalloc(b->arena, b->words->count, sizeof *values);
    ll_status status = values ? LL_OK : LL_E_MEMORY;
    for (size_t i = 0; status == LL_OK && i < b->words->count; i++) {
        const char *text = b->words->at[i];
        if (t->numeric) {
            status = ll_literal_key(text, t->field->type, &values[i].key, b->problem);
        } else if (hex || t->field->type == LL_TYPE_BYTES) {
            status = ll_literal_hex(b->arena, text, t->field->bytes, &values[i].bytes, b->problem);
        } else {
            status = ll_literal_chars(b->arena, text, t->field->bytes, &values[i].bytes, b->problem);
        }
        if (status == LL_OK && values[i].bytes && t->field->bytes <= KEY_BYTES_MAX) {
            values[i].key = bytes_key(values[i].bytes, t->field->bytes);
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
        return LL_PROBLEM(b->problem, "check 'equals' takes one value, or one for each element of field '",
                          b->test->field->name, "'");
    }
    return bind_list(b, false);
}

static bool bytes_are_listed(ll_case *c)
{
    for (size_t i = 0; i < c->test->value_count; i++) {
        if (memcmp(c->subject->bytes, c->test->value[i].bytes, c->test->field->bytes) == 0) {
            return true;
        }
    }
    return false;
}

static bool bytes_are_not_listed(ll_case *c)
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

/* The value for an element of a vector. */
static const ll_value *value_for(const ll_bound_test *t, unsigned part)
{
    return &t->value[t->value_count > 1 ? part : 0];
}

static bool key_equals(const ll_case *c, uint64_t key)
{
    return value_for(c->test, c->part)->key == key;
}

/* Writes a value as reports show values of the field; numbers as written in the rule. */
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

static size_t put_right_equal(const ll_case *c, uint8_t *out)
{
    const ll_value *value = value_for(c->test, c->part);
    if (c->test->numeric) {
        return ll_put_bits(c->test, ll_bits_of_key(c->test->field->type, value->key), out);
    }
    memcpy(out, value->bytes, c->miss->length);
    return c->miss->length;
}

/* How much two values differ: the number of bits for a number, eight times the number of bytes for a text. */
static unsigned unlikeness(const ll_bound_test *t, const uint8_t *bytes, const ll_value *value)
{
    uint8_t right[KEY_BYTES_MAX];
    unsigned count = 0;
    if (t->numeric) {
        (void)ll_put_bits(t, ll_bits_of_key(t->field->type, value->key), right);
    }
    for (unsigned i = 0; i < (t->numeric ? t->step : t->field->bytes); i++) {
        unsigned others = (unsigned)(bytes[i] ^ (t->numeric ? right[i] : value->bytes[i]));
        for (count += others && !t->numeric ? 8 : 0; others && t->numeric; others &= others - 1) {
            count++;
        }
    }
    return count;
}

/* The right value: the only one, or of several the only one that differs in a single bit (numbers) or byte (texts). */
static size_t put_right_listed(const ll_case *c, uint8_t *out)
{
    const ll_bound_test *t = c->test;
    const ll_value *near = t->value_count == 1 ? t->value : NULL;
    unsigned most = t->numeric ? 1 : 8;
    unsigned found = t->value_count == 1;
    for (size_t i = 0; t->value_count > 1 && i < t->value_count; i++) {
        bool is_near = unlikeness(t, c->subject->bytes, &t->value[i]) <= most;
        near = is_near ? &t->value[i] : near;
        found += is_near;
    }
    if (found != 1) {
        return 0;
    }
    if (t->numeric) {
        return ll_put_bits(t, ll_bits_of_key(t->field->type, near->key), out);
    }
    memcpy(out, near->bytes, c->miss->length);
    return c->miss->length;
}

/* Conditions that the bytes of the field equal `wanted`; NULL: are all zero. */
static void screen_bytes(const ll_bound_test *t, const uint8_t *wanted, ll_terms *out)
{
    for (unsigned at = 0; at < t->field->bytes; at += KEY_BYTES_MAX) {
        unsigned left = t->field->bytes - at;
        unsigned count = left < KEY_BYTES_MAX ? left : KEY_BYTES_MAX;
        ll_term term = ll_term_on(t, at, count, true);
        term.low = wanted ? bytes_key(wanted + at, count) << (64U - 8U * count) : 0;
        term.width = 0;
        ll_term_add(&term, out);
    }
}

/* Conditions that every element, or the key of a few bytes, lies in first..last. The interval may wrap around. */
static void screen_values(const ll_bound_test *t, uint64_t first, uint64_t last, ll_terms *out)
{
    if (t->numeric) {
        ll_term_keys(t, first, last, out);
        return;
    }
    unsigned spare = 64U - 8U * t->field->bytes;
    ll_term term = ll_term_on(t, 0, t->field->bytes, true);
    term.low = first << spare;
    term.width = (last - first) << spare;
    ll_term_add(&term, out);
}

static void screen_equal(const ll_bound_test *t, ll_terms *out)
{
    if (!t->numeric) {
        screen_bytes(t, t->value[0].bytes, out);
        return;
    }
    size_t first = out->count;
    ll_term_keys(t, t->value[0].key, t->value[0].key, out);
    for (size_t i = 1; i < t->value_count && first + i < out->count; i++) { /* one value for each element */
        ll_terms one = {.at = &out->at[first + i], .most = 1};
        ll_bound_test part = *t;
        part.elements = 1;
        ll_term_keys(&part, t->value[i].key, t->value[i].key, &one);
        out->at[first + i].offset = (uint16_t)(t->field->offset + i * t->step);
    }
}

/* Makes the conditions from number `first` on alternatives. */
static void any_of_them(ll_terms *out, size_t first)
{
    for (size_t i = first; i + 1 < out->count; i++) {
        out->at[i].or_next = true;
    }
}

/* Conditions for a list of values: an interval if the values have no gaps; alternatives if they are few; otherwise the
 * longest run, so that the other values fail the screen and are judged. */
static void screen_listed(const ll_bound_test *t, ll_terms *out)
{
    enum { SEARCHED_MAX = 64, ALTERNATIVES_MAX = 4 }; /* for a longer list, the run of the first value is used */
    if (!has_keys(t)) {
        if (t->value_count == 1) {
            screen_bytes(t, t->value[0].bytes, out);
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
    if (most == t->value_count || t->elements > 1 || t->value_count > ALTERNATIVES_MAX) {
        screen_values(t, best, best + most - 1, out);
        out->strict = most < t->value_count;
        return;
    }
    size_t before = out->count;
    for (size_t i = 0; i < t->value_count; i++) {
        screen_values(t, t->value[i].key, t->value[i].key, out);
    }
    any_of_them(out, before);
}

/* Condition for all keys but one, or but both zeros: an interval from the next key, around the end, to the last. */
static void screen_not_listed(const ll_bound_test *t, ll_terms *out)
{
    if (has_keys(t)) {
        uint64_t key = t->value[0].key;
        bool zero = ll_type_is_float(t->field->type) && key == ll_key_of_bits(t->field->type, 0);
        screen_values(t, key + 1, key - (zero ? 2 : 1), out);
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
    return empty ? LL_PROBLEM(b->problem, "no value of the type ", ll_type_name(type), " is in the range") : LL_OK;
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
        ll_text_format(out, "%s%s%s", i ? " and " : "", words[relation], number);
    }
}

static void screen_in_range(const ll_bound_test *t, ll_terms *out)
{
    ll_term_keys(t, t->bound.first, t->bound.last, out);
}

/* ------------------------------------------------------------------ multiple_of, mask_clear, mask_set */

/* Binds masks and divisors, which are unsigned. */
static ll_status bind_bits(ll_binding *b)
{
    static const uint8_t type[] = {
        [1] = LL_TYPE_U8, [2] = LL_TYPE_U16, [3] = LL_TYPE_U24, [4] = LL_TYPE_U32, [8] = LL_TYPE_U64};
    ll_status status = ll_literal_key(b->words->at[0], type[b->test->step], &b->test->mask, b->problem);
    return status == LL_OK && b->test->mask == 0 ? LL_PROBLEM(b->problem, "a mask or divisor must not be 0") : status;
}

static uint64_t bits_of(const ll_case *c, uint64_t key)
{
    return ll_bits_of_key(c->test->field->type, key);
}

static bool key_is_multiple(const ll_case *c, uint64_t key)
{
    uint64_t bits = bits_of(c, key);
    uint64_t sign = UINT64_C(1) << (8U * c->test->step - 1U);
    uint64_t magnitude = ll_type_is_signed(c->test->field->type) && (bits & sign) ? 2 * sign - bits : bits;
    return magnitude % c->test->mask == 0;
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
    ll_text_hex(out, mask, 2U * t->step);
}

static void expect_multiple(const ll_case *c, ll_text *out)
{
    ll_text_format(out, "a multiple of %s", c->test->words->at[0]);
}

static void expect_mask_clear(const ll_case *c, ll_text *out)
{
    uint64_t all = UINT64_MAX >> (64U - 8U * c->test->step);
    if (c->test->mask == all) {
        ll_text_char(out, '0');
        return;
    }
    ll_text_str(out, "no bits other than ");
    put_mask(c->test, all & ~c->test->mask, out);
}

static void expect_mask_set(const ll_case *c, ll_text *out)
{
    ll_text_str(out, "bits ");
    put_mask(c->test, c->test->mask, out);
    ll_text_str(out, " set");
}

static size_t put_right_mask_clear(const ll_case *c, uint8_t *out)
{
    return ll_put_bits(c->test, ll_case_bits(c) & ~c->test->mask, out);
}

static size_t put_right_mask_set(const ll_case *c, uint8_t *out)
{
    return ll_put_bits(c->test, ll_case_bits(c) | c->test->mask, out);
}

static void screen_multiple(const ll_bound_test *t, ll_terms *out)
{
    if ((t->mask & (t->mask - 1)) == 0) {
        ll_term_bits(t, t->mask - 1, 0, 0, out);
    }
}

static void screen_mask_clear(const ll_bound_test *t, ll_terms *out)
{
    ll_term_bits(t, t->mask, 0, 0, out);
}

static void screen_mask_set(const ll_bound_test *t, ll_terms *out)
{
    ll_term_bits(t, t->mask, t->mask, 0, out);
}

/* ------------------------------------------------------------------ all_zero, not_zero */

static bool holds_all_zero(ll_case *c)
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
    if (c->test->numeric) {
        c->part = first / c->test->step;
        ll_miss_set_part(c);
    } else {
        ll_miss_set_bytes(c, first, end);
    }
    return false;
}

static void expect_all_zero(const ll_case *c, ll_text *out)
{
    ll_text_str(out, ll_holds(c->test->field) & LL_ANY_INT ? "0" : "all bytes zero");
}

static void screen_all_zero(const ll_bound_test *t, ll_terms *out)
{
    screen_bytes(t, NULL, out);
}

static bool holds_not_zero(ll_case *c)
{
    unsigned type = c->test->field->type;
    uint64_t zero = ll_key_of_bits(type, 0); /* also the key of -0 */
    for (c->part = 0; c->part < c->test->elements; c->part++) {
        if (ll_key_of_bits(type, ll_case_bits(c)) != zero) {
            return true;
        }
    }
    return false;
}

static void expect_not_zero(const ll_case *c, ll_text *out)
{
    ll_text_str(out, c->test->elements > 1 ? "not all elements 0" : "anything but 0");
}

/* Alternatives: one nonzero element is enough. The last element comes first, because W of a quaternion is rarely 0. */
static void screen_not_zero(const ll_bound_test *t, ll_terms *out)
{
    size_t before = out->count;
    for (unsigned i = t->elements; i-- > 0;) {
        ll_term term = ll_term_on(t, i * t->step, t->step, ll_is_big(t));
        uint64_t one = UINT64_C(1) << (64U - 8U * t->step);
        term.low = one;
        term.width = 0 - 2 * one;
        if (ll_type_is_float(t->field->type)) {
            term.mask &= ~LL_TOP_BIT; /* ignore the sign */
        }
        ll_term_add(&term, out);
    }
    any_of_them(out, before);
}

/* ------------------------------------------------------------------ finite, normal, unit_norm */

static bool holds_finite(ll_case *c)
{
    for (c->part = 0; c->part < c->test->elements; c->part++) {
        if (!ll_bits_are_finite(c->test->field->type, ll_case_bits(c))) {
            ll_miss_set_part(c);
            return false;
        }
    }
    return true;
}

static void screen_finite(const ll_bound_test *t, ll_terms *out)
{
    ll_bound all = ll_keys_of_type(t->field->type);
    ll_term_keys(t, all.first, all.last, out);
}

static bool key_is_normal(const ll_case *c, uint64_t key)
{
    uint64_t bits = bits_of(c, key);
    return !(c->test->field->type == LL_TYPE_F16 ? ll_half_is_denormal((uint16_t)bits)
                                                 : ll_single_is_denormal((uint32_t)bits));
}

/* Condition on the bits without the sign: from the least normal value, around the end, to zero. */
static void screen_normal(const ll_bound_test *t, ll_terms *out)
{
    bool half = t->field->type == LL_TYPE_F16;
    uint64_t least = half ? 0x0400U : 0x00800000U;
    ll_term_bits(t, half ? 0x7FFFU : 0x7FFFFFFFU, least, 0 - least, out);
}

static ll_status bind_tolerance(ll_binding *b)
{
    double number = 0;
    ll_status status = ll_literal_number(b->words->at[0], &number, b->problem);
    b->test->tolerance = number;
    return status == LL_OK && number < 0 ? LL_PROBLEM(b->problem, "a tolerance below 0: '", b->words->at[0], "'")
                                         : status;
}

/* The sum of the squares. It is not finite only if an element is not finite, because squares of singles do not overflow
 * a double. */
static double squares(const ll_case *c)
{
    const ll_bound_test *t = c->test;
    double sum = 0;
    if (t->step == 4) {
        return ll_sum_of_squares(c->subject->bytes, t->elements, ll_is_big(t));
    }
    for (unsigned at = 0; at < t->field->bytes; at += t->step) {
        double x = ll_half_to_double((uint16_t)ll_bits_at(c->subject->bytes + at, t->step, ll_is_big(t)));
        sum += x * x;
    }
    return sum;
}

/* The root is nearer to 1 than the sum, so most vectors need no root. Vectors that are not finite pass. */
static bool holds_unit_norm(ll_case *c)
{
    double sum = squares(c);
    return !isfinite(sum) || fabs(sum - 1.0) <= c->test->tolerance || fabs(sqrt(sum) - 1.0) <= c->test->tolerance;
}

static void expect_unit_norm(const ll_case *c, ll_text *out)
{
    ll_text_format(out, "a unit %s (norm 1 within %s; this one has ", c->test->elements == 4 ? "quaternion" : "vector",
                   c->test->words->at[0]);
    ll_text_float(out, sqrt(squares(c)), 32);
    ll_text_char(out, ')');
}

/* ------------------------------------------------------------------ the rows */

static const ll_predicate rows[] = {
    {.name = "equals",
     .accepts = LL_NUMERIC | LL_HOLDS_CHARS | LL_HOLDS_BYTES,
     .values = LL_ANY_VALUES,
     .bind = bind_equals,
     .element = key_equals,
     .holds = bytes_are_listed,
     .expect = expect_equal,
     .right_bytes = put_right_equal,
     .screen = screen_equal},
    {.name = "not_equals",
     .accepts = LL_SCALAR | LL_HOLDS_CHARS,
     .values = LL_ONE_VALUE,
     .bind = bind_values,
     .element = key_is_not_listed,
     .holds = bytes_are_not_listed,
     .expect = expect_not_listed,
     .screen = screen_not_listed},
    {.name = "one_of",
     .accepts = LL_SCALAR | LL_HOLDS_CHARS,
     .values = LL_ANY_VALUES,
     .bind = bind_values,
     .element = key_is_listed,
     .holds = bytes_are_listed,
     .expect = expect_listed,
     .right_bytes = put_right_listed,
     .guesses = true,
     .screen = screen_listed},
    {.name = "bytes_one_of",
     .accepts = LL_HOLDS_BYTES | LL_HOLDS_CHARS,
     .values = LL_ANY_VALUES,
     .bind = bind_hex,
     .holds = bytes_are_listed,
     .expect = expect_listed,
     .right_bytes = put_right_listed,
     .guesses = true,
     .screen = screen_listed},
    {.name = "range",
     .accepts = LL_NUMERIC,
     .values = LL_TWO_VALUES,
     .bind = bind_range,
     .element = key_is_in_range,
     .expect = expect_in_range,
     .screen = screen_in_range},
    {.name = "multiple_of",
     .accepts = LL_ANY_INT,
     .values = LL_ONE_VALUE,
     .bind = bind_bits,
     .element = key_is_multiple,
     .expect = expect_multiple,
     .screen = screen_multiple,
     .asks = "ll_screen_multiple"},
    {.name = "mask_clear",
     .accepts = LL_ANY_INT,
     .values = LL_ONE_VALUE,
     .bind = bind_bits,
     .element = mask_is_clear,
     .expect = expect_mask_clear,
     .right_bytes = put_right_mask_clear,
     .screen = screen_mask_clear},
    {.name = "mask_set",
     .accepts = LL_ANY_INT,
     .values = LL_ONE_VALUE,
     .bind = bind_bits,
     .element = mask_is_set,
     .expect = expect_mask_set,
     .right_bytes = put_right_mask_set,
     .screen = screen_mask_set},
    {.name = "all_zero",
     .accepts = LL_ANY_FIELD,
     .holds = holds_all_zero,
     .expect = expect_all_zero,
     .right_bytes = ll_put_zeros,
     .screen = screen_all_zero,
     .asks = "ll_screen_all_zero"},
    {.name = "not_zero",
     .accepts = LL_NUMERIC,
     .holds = holds_not_zero,
     .expect = expect_not_zero,
     .screen = screen_not_zero},
    {.name = "finite",
     .accepts = LL_ANY_FLOAT,
     .holds = holds_finite,
     .words = "a finite number",
     .screen = screen_finite},
    {.name = "normal",
     .accepts = LL_ANY_FLOAT,
     .element = key_is_normal,
     .words = "0 or a normal number, not a denormal one",
     .screen = screen_normal},
    {.name = "unit_norm",
     .accepts = LL_HOLDS_FLOATS,
     .values = LL_ONE_VALUE,
     .bind = bind_tolerance,
     .holds = holds_unit_norm,
     .expect = expect_unit_norm,
     .asks = "ll_screen_unit_norm"},
};
const ll_predicates ll_value_predicates = LL_PREDICATES(rows);
