/* Predicates: tests that a rule can apply to a field, a record, a reference or a span. Each is one row
 * (predicate_row.h) in predicate_value.c, _text.c, _place.c, _span.c or _reference.c, with its name, the fields it
 * accepts, and functions that parse its values, judge, and describe what is expected. How to add one:
 * docs/adding-a-rule.md. */
#ifndef LL_RULES_PREDICATE_H
#define LL_RULES_PREDICATE_H

#include "base/arena.h"
#include "base/text.h"
#include "model/format.h"
#include "model/reference.h"
#include "model/value.h"
#include "rules/rule.h"

typedef struct ll_regex ll_regex;

/* A value of a rule in the form in which fields are compared: numbers, and up to 8 CHARS or BYTES, as keys (literal.h);
 * CHARS and BYTES also as bytes. Integers are never converted to double. */
typedef struct ll_value {
    uint64_t key;
    const uint8_t *bytes; /* as many as the field has; NULL for numbers */
} ll_value;

typedef struct ll_bound {
    uint64_t first, last; /* range: least and greatest allowed key */
} ll_bound;

typedef struct ll_predicate ll_predicate;

/* A predicate bound to one field of one layout, or to a layout as a whole. */
typedef struct ll_bound_test {
    const ll_predicate *predicate; /* NULL: no test, always true */
    const ll_layout *layout;
    const ll_field *field; /* NULL: the layout as a whole */
    uint16_t field_number; /* LL_NO_FIELD: the layout as a whole */
    uint16_t other;        /* the other field, for same_as, ordered and below; else LL_NO_FIELD */
    uint16_t elements;     /* of a vector; else 1 */
    bool numeric;          /* the field holds numbers */
    uint8_t step;          /* bytes of an element; 1 for bytes, letters and text */
    uint8_t which;         /* a variant of the predicate: equals_measure, unique, ... */
    uint64_t flip;         /* of the field's type, as in ll_term */
    const ll_value *value; /* parsed values */
    uint32_t value_count;
    union {
        ll_bound bound;   /* range */
        uint64_t mask;    /* mask_clear, mask_set; multiple_of: the divisor */
        double tolerance; /* unit_norm */
    };
    ll_regex *regex;
    const ll_words *words;         /* values as written, for messages */
    const uint16_t *operands;      /* numbers of other fields */
    const ll_reference *reference; /* row of the reference field; NULL: not a test of references */
} ll_bound_test;

/* The bytes under test. */
typedef struct ll_subject {
    const ll_doc *doc;
    uint32_t span, element;
    const uint8_t *record;      /* first byte of the element, or of the string */
    struct ll_matcher *matcher; /* of this thread; needed by regex */
    const uint8_t *bytes;       /* first byte of the field */
    uint32_t length;            /* of the field; parts of strings vary */
} ll_subject;

/* Region address of the field. */
static inline uint32_t ll_subject_offset(const ll_subject *subject)
{
    uint32_t record =
        ll_doc_span(subject->doc, subject->span)->offset +
        subject->element * ll_doc_layout(subject->doc, subject->span)->size; /* strings have no size and one element */
    return record + (uint32_t)(subject->bytes - subject->record);
}

/* The result of a failed test: the wrong part of a vector (LL_NO_PART: the whole field) and the wrong bytes. */
typedef struct ll_miss {
    uint16_t part;
    uint8_t status;          /* ll_status. LL_E_MEMORY: could not be tested */
    bool undecided;          /* a pattern exceeded its limits */
    uint32_t offset, length; /* region address, bytes */
} ll_miss;

/* One condition of a test, as packc writes it into the screen of a record (screen.h). Bytes of the record are moved to
 * the top of a 64-bit number, converted to the order of the values (ll_in_order() with `flip`) and masked. The result
 * less `low`, modulo 2^64, must be at most `width`. */
typedef struct ll_term {
    uint16_t offset; /* from the element's start */
    uint8_t bytes;   /* 1 to 8 */
    bool big;        /* byte order */
    bool or_next;    /* this condition or the next one must be met */
    uint64_t flip;   /* 0: unsigned; the top bit: signed; all bits: float */
    uint64_t mask, low, width;
} ll_term;

/* Binds `test` (check and values) to a field of a layout of `format`, or, with LL_NO_FIELD, to the layout as a whole.
 * LL_E_PACK with a message in *problem (the caller adds the line): unknown predicate, with the nearest name; a field
 * type that it cannot judge; a bad value. Memory comes from the arena; the caller frees `regex`. */
ll_status ll_test_bind(ll_arena *arena, const ll_format *format, const ll_test *test, ll_rule_target at,
                       ll_bound_test *out, ll_problem *problem);
/* Can the predicate judge a field of this type? Used for field "*". */
bool ll_predicate_accepts(const char *predicate, const ll_field *field);
/* LL_E_PACK with the nearest name if there is no such predicate. */
ll_status ll_predicate_known(const char *name, ll_problem *problem);

/* The meanings of the arguments {0} to {3} in the texts of a rule; NULL: the predicate provides none. */
const char *ll_predicate_arguments(const char *predicate);
/* Sets bytes and length of the subject to the field of a test. The other members are set before. */
static inline void ll_subject_aim(ll_subject *subject, const ll_bound_test *test)
{
    if (test->layout->kind == LL_KIND_STRING) {
        ll_where at = ll_at_field(subject->doc, subject->span, 0, test->field_number);
        subject->bytes = ll_doc_at(subject->doc, at.offset);
        subject->length = at.length;
    } else {
        subject->bytes = subject->record + test->field->offset;
        subject->length = test->field->bytes;
    }
}

/* Does the test hold? If not, *miss says where; an undecided pattern holds. */
bool ll_test_holds(const ll_bound_test *test, const ll_subject *subject, ll_miss *miss);
/* Does the guard hold? True if `when` is NULL, false if a pattern is undecided. Aims the subject at the field of the
 * guard. *status becomes LL_E_MEMORY if the guard could not be tested. */
bool ll_guard_holds(const ll_bound_test *when, ll_subject *subject, ll_status *status);

/* Does the test judge all elements of a span together and raise faults itself? */
bool ll_test_judges_spans(const ll_bound_test *test);
/* Does the test collect elements from all spans and judge them after the last one? Then the tests of one rule share
 * their state. */
bool ll_test_finishes(const ll_bound_test *test);
/* Runs a test that judges spans on run->span; with LL_NO_SPAN, after the last span, on what it collected. *state
 * belongs to the test; it is NULL at the first span of a file and may point to tests of the rule. `patch` is the
 * ll_patch_tier of the patches that it offers. */
void ll_test_judge_span(const ll_bound_test *test, const ll_bound_test *when, ll_check_run *run,
                        struct ll_matcher *matcher, unsigned patch, void **state);
/* Writes at most `most` conditions for a test of a record: if all of them are met, the test holds. Returns their
 * number; 0: the test cannot be expressed by conditions. */
size_t ll_test_terms(const ll_bound_test *test, ll_term *out, size_t most);
/* Writes at most `most` conditions for a guard: if the guard holds, all of them are met. Returns their number; 0: the
 * guard cannot be expressed by conditions. */
size_t ll_guard_terms(const ll_bound_test *when, ll_term *out, size_t most);

/* The name of the function of screen.h that is true only if the test holds; NULL: there is none. */
const char *ll_test_asks(const ll_bound_test *test);

/* Writes what the rule expects: "at least 0 and at most 1". Subject and miss may be NULL for tests that judge spans. */
void ll_test_expected(const ll_bound_test *test, const ll_subject *subject, const ll_miss *miss, ll_text *out);
/* Writes the right bytes, to replace as many at region address *offset, if the predicate alone determines them: those
 * of the miss, or of the whole vector, because later elements may be wrong too. Returns their number, or 0. *guess:
 * other bytes may be right as well. */
enum { LL_RIGHT_BYTES_MAX = 64 };
size_t ll_test_right_bytes(const ll_bound_test *test, const ll_subject *subject, const ll_miss *miss,
                           uint8_t out[LL_RIGHT_BYTES_MAX], uint32_t *offset, bool *guess);

#endif
