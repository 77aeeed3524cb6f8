/* Predicates: what a rule can ask of one field. One row of predicates.c each: name, what it accepts, how it parses its
 * values, how it judges, how it words what it expects. Adding one is a row, a unit test and a line in rules/README.md. */
#ifndef LL_RULES_PREDICATE_H
#define LL_RULES_PREDICATE_H

#include "base/arena.h"
#include "base/text.h"
#include "model/format.h"
#include "model/value.h"
#include "rules/rule.h"

typedef struct ll_regex ll_regex;

/* Values in binary form. Integers of up to 64 bits and floats keep both views, bytes their own. */
typedef struct ll_value {
    double number;
    uint64_t bits;        /* the field's bytes as an unsigned integer in host order, for fields of up to 8 bytes */
    const uint8_t *bytes; /* for CHARS and BYTES fields; field->bytes of them */
} ll_value;

typedef struct ll_bound {
    bool has_low, low_open, has_high, high_open;
    double low, high;
} ll_bound;

typedef struct ll_predicate ll_predicate;

/* A predicate bound to one field of one layout. */
typedef struct ll_bound_test {
    const ll_predicate *predicate; /* NULL: no test, always true */
    const ll_layout *layout;
    const ll_field *field;
    uint16_t field_number;
    uint16_t other;        /* second field, for same_as, ordered; LL_NO_FIELD */
    const ll_value *value; /* parsed values */
    uint32_t value_count;
    ll_bound bound; /* range, norm */
    uint64_t mask;
    uint8_t measure; /* equals_measure: which */
    const ll_regex *regex;
    const ll_words *words; /* as written, for messages */
} ll_bound_test;

/* The bytes under test. For string parts the length varies, so it is stated. */
typedef struct ll_subject {
    const ll_doc *doc;
    uint32_t span, element;
    const uint8_t *record; /* first byte of the element; strings: of the string */
    const uint8_t *bytes;  /* first byte of the field */
    uint32_t offset;       /* of the field, in the file */
    uint32_t length;
} ll_subject;

/* Result of a failed test: the offending part of a vector (LL_NO_PART: the whole field) and sub-range of the bytes. */
typedef struct ll_miss {
    uint16_t part;
    uint32_t offset, length;
} ll_miss;

/* A test in the form (load(bytes at offset) [& mask, float order]) - low <= width as unsigned: what a clean value passes in a
 * nanosecond. A conservative filter: false means "judge with ll_test_holds". */
typedef struct ll_quick {
    uint16_t offset; /* from the element's start */
    uint8_t load;    /* ll_quick_load */
    uint64_t mask, low, width;
} ll_quick;

enum ll_quick_load {
    LL_QUICK_NEVER, /* no quick form: always judge */
    LL_QUICK_U8,
    LL_QUICK_U16,
    LL_QUICK_U32,
    LL_QUICK_U64,
    LL_QUICK_I16, /* sign bit flipped: order kept as unsigned */
    LL_QUICK_I32,
    LL_QUICK_F16, /* bits mapped so that unsigned order is numeric order */
    LL_QUICK_F32,
    LL_QUICK_BIG = 16 /* added for big-endian fields */
};

/* Resolves `test` (check and values) against a field. LL_E_PACK with words in *problem (line is the caller's business): unknown predicate (nearest
 * name), field type it cannot judge, bad value. Memory from the arena. */
ll_status ll_test_bind(ll_arena *arena, const ll_test *test, const ll_layout *layout, unsigned field, ll_bound_test *out,
                       ll_problem *problem);
/* Frees what lives outside the arena (compiled patterns). */
void ll_test_unbind(ll_bound_test *test);
/* Could a field of this type be judged by the predicate? For field "*". */
bool ll_predicate_accepts(const char *predicate, const ll_field *field);
/* True if `name` is a predicate; else false and *nearest the nearest predicate name. */
bool ll_predicate_known(const char *name, const char **nearest);

bool ll_test_holds(const ll_bound_test *test, const ll_subject *subject, ll_miss *miss);
/* One quick filter per vector element at most `most` of them; returns how many, 0: there is no quick form. */
size_t ll_test_quick(const ll_bound_test *test, ll_quick *out, size_t most);
bool ll_quick_holds(const ll_quick *quick, const uint8_t *record);

/* What the rule asks for, in words: "at least 0 and at most 1". */
void ll_test_expected(const ll_bound_test *test, const ll_subject *subject, ll_text *out);
/* The bytes that would be right, if the predicate alone decides them; 0 when it does not. At most 16. */
size_t ll_test_right_bytes(const ll_bound_test *test, const ll_subject *subject, const ll_miss *miss, uint8_t out[16]);

#endif
