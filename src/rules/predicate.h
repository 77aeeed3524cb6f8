/* Predicates: what a rule can ask of a field, a record, a reference or a span. A row each (predicate_row.h), in
 * predicate_value.c, _text.c, _place.c, _span.c or _reference.c: name, what it accepts, how it parses its values, how
 * it judges, how it words what it expects. How to add one: docs/adding-a-rule.md. */
#ifndef LL_RULES_PREDICATE_H
#define LL_RULES_PREDICATE_H

#include "base/arena.h"
#include "base/text.h"
#include "model/format.h"
#include "model/reference.h"
#include "model/value.h"
#include "rules/rule.h"

typedef struct ll_regex ll_regex;

/* A value of a rule in the form in which fields are compared: numbers (and up to 8 CHARS or BYTES) as keys, whose
 * unsigned order is the order of the values (literal.h), CHARS and BYTES also as bytes. No integer goes through a
 * double. */
typedef struct ll_value {
    uint64_t key;
    const uint8_t *bytes; /* as many as the field has */
} ll_value;

typedef struct ll_bound {
    uint64_t first, last; /* range: least and greatest key that is right */
} ll_bound;

typedef struct ll_predicate ll_predicate;

/* A predicate bound to one field of one layout, or to a layout as a whole. */
typedef struct ll_bound_test {
    const ll_predicate *predicate; /* NULL: no test, always true */
    const ll_layout *layout;
    const ll_field *field; /* NULL: the whole */
    uint16_t field_number; /* LL_NO_FIELD: the whole */
    uint16_t other;        /* second field, for same_as, ordered; LL_NO_FIELD */
    uint16_t elements;     /* of a vector; else 1 */
    bool numeric;          /* the field holds numbers */
    uint8_t step;          /* bytes of an element; 1 for bytes, letters and text */
    uint8_t which;         /* equals_measure, unique, ...: the one of several kinds */
    uint64_t flip;         /* as in ll_term */
    const ll_value *value; /* parsed values */
    uint32_t value_count;
    union {
        ll_bound bound;   /* range */
        uint64_t mask;    /* mask_clear, mask_set; multiple_of: the divisor */
        double tolerance; /* unit_norm */
    };
    ll_regex *regex;
    const ll_words *words;         /* as written, for messages */
    const uint16_t *operands;      /* other fields */
    const ll_reference *reference; /* the row of the field that points */
} ll_bound_test;

/* The bytes under test. For string parts the length varies, so it is stated. */
typedef struct ll_subject {
    const ll_doc *doc;
    uint32_t span, element;
    const uint8_t *record;      /* first byte of the element; strings: of the string */
    struct ll_matcher *matcher; /* of the thread at work; regex needs one */
    const uint8_t *bytes;       /* first byte of the field */
    uint32_t length;
} ll_subject;

/* Address of the field. */
static inline uint32_t ll_subject_offset(const ll_subject *subject)
{
    uint32_t record =
        ll_doc_span(subject->doc, subject->span)->offset +
        subject->element * ll_doc_layout(subject->doc, subject->span)->size; /* strings have no size and one element */
    return record + (uint32_t)(subject->bytes - subject->record);
}

/* Result of a failed test: the offending part of a vector (LL_NO_PART: the whole field) and sub-range of the bytes. */
typedef struct ll_miss {
    uint16_t part;
    uint8_t status; /* ll_status. LL_E_MEMORY: not tried */
    bool undecided; /* a pattern was not decided within its limits */
    uint32_t offset, length;
} ll_miss;

/* One condition of a test as packc writes it into the screen of a record (screen.h): bits of the record are moved to
 * the top of a number of 64, brought into the order of the values (`flip`), masked, and lie in an interval, unsigned
 * and modulo 2^64. */
typedef struct ll_term {
    uint16_t offset; /* from the element's start */
    uint8_t bytes;   /* 1 to 8 */
    bool big;        /* byte order */
    bool or_next;    /* the condition behind it is an alternative */
    uint64_t flip;   /* 0: unsigned; the top bit: signed; all bits: float */
    uint64_t mask, low, width;
} ll_term;

/* Resolves `test` (check and values) against a field of a layout of `format`, or, with LL_NO_FIELD, against the layout
 * as a whole. LL_E_PACK with words in *problem (the caller adds the line): unknown predicate (nearest name), field
 * type it cannot judge, bad value. Memory from the arena; the caller frees `regex`. */
ll_status ll_test_bind(ll_arena *arena, const ll_format *format, const ll_test *test, const ll_layout *layout,
                       unsigned field, ll_bound_test *out, ll_problem *problem);
/* Could a field of this type be judged by the predicate? For field "*". */
bool ll_predicate_accepts(const char *predicate, const ll_field *field);
/* LL_E_PACK with the nearest name for what is no predicate. */
ll_status ll_predicate_known(const char *name, ll_problem *problem);

/* What the arguments {0} to {3} of the rule's words are; NULL: the predicate gives none. */
const char *ll_predicate_arguments(const char *predicate);
/* Points the subject, which knows its record, at the field of a test. */
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

bool ll_test_holds(const ll_bound_test *test, const ll_subject *subject, ll_miss *miss);
/* Does the guard hold? True without one, false where it was not decided. *status becomes LL_E_MEMORY where it could not
 * be tried. */
bool ll_guard_holds(const ll_bound_test *when, ll_subject *subject, ll_status *status);

/* Tests that judge all elements of a span together and raise what they find. Some of them remember things from span to
 * span: *state, NULL at the first span of a file, is theirs, and may point to the tests of their rule. `patch`: the
 * ll_patch_tier of what they offer to write. run->span is LL_NO_SPAN: behind the last span, for tests that finish. */
bool ll_test_judges_spans(const ll_bound_test *test);
/* Does it judge behind the last span what it gathered from all of them? Then the tests of one rule gather together. */
bool ll_test_finishes(const ll_bound_test *test);
void ll_test_judge_span(const ll_bound_test *test, const ll_bound_test *when, ll_check_run *run,
                        struct ll_matcher *matcher, unsigned patch, void **state);
/* Conditions of a test of a record, at most `most`: where all of them are met, the test holds. Returns how many; 0:
 * such conditions cannot say it. */
size_t ll_test_terms(const ll_bound_test *test, ll_term *out, size_t most);
/* The same of a guard, whose conditions must be met wherever it holds. */
size_t ll_guard_terms(const ll_bound_test *when, ll_term *out, size_t most);

/* The function of screen.h that is true only where such a test holds; NULL: there is none. */
const char *ll_test_asks(const ll_bound_test *test);

/* What the rule asks for, in words: "at least 0 and at most 1". Tests that judge spans need no subject and no miss. */
void ll_test_expected(const ll_bound_test *test, const ll_subject *subject, const ll_miss *miss, ll_text *out);
/* The bytes that would be right in place of as many at *offset, if the predicate alone decides them: of the miss, or
 * of all elements of a vector, as others may be wrong beside the first. Returns how many; 0 when it does not. */
enum { LL_RIGHT_BYTES_MAX = 64 };
size_t ll_test_right_bytes(const ll_bound_test *test, const ll_subject *subject, const ll_miss *miss,
                           uint8_t out[LL_RIGHT_BYTES_MAX], uint32_t *offset, bool *guess);

#endif
