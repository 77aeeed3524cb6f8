/* Shared by the predicate files: the row that defines a predicate, and helpers that read fields. Private to
 * predicate*.c. */
#ifndef LL_RULES_PREDICATE_ROW_H
#define LL_RULES_PREDICATE_ROW_H

#include "base/endian.h"
#include "base/half.h"
#include "base/problem.h"
#include "rules/predicate.h"

#include <string.h>

/* Kinds of fields that predicates distinguish; one bit each. */
enum {
    LL_HOLDS_INT = 1,
    LL_HOLDS_INTS = 2, /* a vector of integers */
    LL_HOLDS_FLOAT = 4,
    LL_HOLDS_FLOATS = 8,
    LL_HOLDS_CHARS = 16,
    LL_HOLDS_BYTES = 32,
    LL_HOLDS_TEXT = 64,
    LL_HOLDS_PART = 128,    /* terminator or padding of a string, of variable length */
    LL_HOLDS_RECORD = 256,  /* a record as a whole */
    LL_HOLDS_STRETCH = 512, /* a byte range without fields */
    LL_HOLDS_HASH = 1024,   /* an integer that is the hash of a text of the file; LL_HOLDS_INT too */
    LL_HOLDS_KINDS = 11,
    LL_ANY_INT = LL_HOLDS_INT | LL_HOLDS_INTS,
    LL_ANY_FLOAT = LL_HOLDS_FLOAT | LL_HOLDS_FLOATS,
    LL_SCALAR = LL_HOLDS_INT | LL_HOLDS_FLOAT,
    LL_NUMERIC = LL_ANY_INT | LL_ANY_FLOAT,
    LL_ANY_FIELD = 255
};

/* How many values a rule must give; see ll_predicate.values. */
enum { LL_NO_VALUE, LL_ONE_VALUE, LL_TWO_VALUES, LL_ANY_VALUES, LL_SOME_VALUES };

/* A test being bound. */
typedef struct ll_binding {
    ll_arena *arena;
    const ll_format *format;
    const ll_words *words;
    ll_bound_test *test; /* members that depend on the field alone are set */
    ll_problem *problem;
} ll_binding;

/* One run of a test on a field. */
typedef struct ll_case {
    const ll_bound_test *test;
    const ll_subject *subject;
    ll_miss *miss;    /* set only if the test fails */
    unsigned part;    /* the element of a vector at hand */
    bool miss_is_set; /* false after a failed test: the miss is the whole field */
} ll_case;

/* Conditions being written. */
typedef struct ll_terms {
    ll_term *at;
    size_t count, most;
    bool full;   /* there were more than `most` */
    bool strict; /* some values that pass the test do not meet them (apart from infinities and NaNs) */
} ll_terms;

typedef struct ll_span_case ll_span_case;

struct ll_predicate {
    const char *name;
    unsigned accepts; /* LL_HOLDS_... */
    unsigned values;  /* LL_NO_VALUE: none; LL_TWO_VALUES: one or two; LL_ANY_VALUES: at least one; LL_SOME_VALUES: none
                         or more */
    ll_status (*bind)(ll_binding *b); /* parses the values; NULL: nothing to parse */
    /* One of these judges: the key of each element of a numeric field (never of a NaN or an infinity), a field as a
     * whole, all elements of a span, or each element of a span. */
    bool (*element)(const ll_case *c, uint64_t key);
    bool (*holds)(ll_case *c);
    void (*judge_span)(const ll_span_case *c);
    void (*judge_element)(const ll_span_case *c, uint32_t element);
    void (*finish)(const ll_span_case *c); /* with judge_span: judges what was collected, after the last span of the
                                              file; the tests of one rule on several records share their state */
    const char *arguments;                 /* of judge_span and judge_element: the meanings of {0} to {3} */
    /* Describe what is expected: a fixed text, or a function that writes it. */
    const char *words;
    void (*expect)(const ll_case *c, ll_text *out);
    /* Writes the right bytes and sets *offset, the region address where they belong; returns their number, or 0. */
    size_t (*right_stretch)(const ll_case *c, uint8_t *out, uint32_t *offset);
    /* Writes the right bytes for the place of the miss; returns their number, or 0. */
    size_t (*right_bytes)(const ll_case *c, uint8_t *out);
    bool guesses; /* other bytes may be right as well */
    /* Used by packc for screens: conditions, or else the name of a function of screen.h. */
    void (*screen)(const ll_bound_test *t, ll_terms *out);
    const char *asks;
};

/* The rows of one file. */
typedef struct ll_predicates {
    const ll_predicate *rows;
    size_t count;
} ll_predicates;
#define LL_PREDICATES(rows)                                                                                            \
    {                                                                                                                  \
        rows, sizeof(rows) / sizeof(rows)[0]                                                                           \
    }

extern const ll_predicates ll_value_predicates, ll_text_predicates, ll_place_predicates;
extern const ll_predicates ll_span_predicates, ll_reference_predicates; /* predicate_span.h */

/* The kind of a field: one of LL_HOLDS_... */
unsigned ll_holds(const ll_field *field);
/* Finds the field of `layout` that a rule names as a value. */
ll_status ll_bind_operand(const ll_binding *b, const ll_layout *layout, const char *name, uint16_t *field);
/* Accepts no value or `word` as the only value, and sets test->which to whether it is given. */
ll_status ll_bind_word(ll_binding *b, const char *word);
/* Reads `step` bytes as an unsigned number. */
static inline uint64_t ll_bits_at(const uint8_t *p, unsigned step, bool big)
{
    return ll_read_uint(p, step, big ? LL_BIG : LL_LITTLE);
}
static inline bool ll_is_big(const ll_bound_test *t)
{
    return t->layout->endian == LL_BIG;
}

/* The first byte of the element under test, and its bits. */
static inline const uint8_t *ll_case_part(const ll_case *c)
{
    return c->subject->bytes + (size_t)c->part * c->test->step;
}
static inline uint64_t ll_case_bits(const ll_case *c)
{
    return ll_bits_at(ll_case_part(c), c->test->step, ll_is_big(c->test));
}
/* False for a NaN or an infinity; true for all integers. */
static inline bool ll_bits_are_finite(unsigned type, uint64_t bits)
{
    if (type == LL_TYPE_F16) {
        return ll_half_is_finite((uint16_t)bits);
    }
    return type != LL_TYPE_F32 || ll_single_is_finite((uint32_t)bits);
}
/* Set the miss to the element under test, or to bytes [from, to) of the field. */
void ll_miss_set_part(ll_case *c);
void ll_miss_set_bytes(ll_case *c, uint32_t from, uint32_t to);

/* Writes the bits of one element in the byte order of the field; returns the number of bytes. */
size_t ll_put_bits(const ll_bound_test *t, uint64_t bits, uint8_t *out);
/* Writes zeros for the place of the miss; returns the number of bytes. */
size_t ll_put_zeros(const ll_case *c, uint8_t *out);

/* A condition on `bytes` bytes (1 to 8) of a field, starting at byte `at`, that is always met. */
ll_term ll_term_on(const ll_bound_test *t, unsigned at, unsigned bytes, bool big);
/* Adds conditions that every element has a key in first..last; for floats, -0 counts as 0. */
void ll_term_keys(const ll_bound_test *t, uint64_t first, uint64_t last, ll_terms *out);
/* Adds conditions on every element: its bits in `mask` less `low`, modulo the size of the type, are at most `width`. */
void ll_term_bits(const ll_bound_test *t, uint64_t mask, uint64_t low, uint64_t width, ll_terms *out);
void ll_term_add(const ll_term *term, ll_terms *out);

#endif
