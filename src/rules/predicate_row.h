/* What the predicate files share: the row that is a predicate, and the few ways in which rows look at a field. Private
 * to predicate*.c. */
#ifndef LL_RULES_PREDICATE_ROW_H
#define LL_RULES_PREDICATE_ROW_H

#include "base/endian.h"
#include "base/half.h"
#include "base/problem.h"
#include "rules/predicate.h"

#include <string.h>

/* What a field holds, as far as predicates care; one bit each. */
enum {
    LL_HOLDS_INT = 1,
    LL_HOLDS_INTS = 2, /* a vector of them */
    LL_HOLDS_FLOAT = 4,
    LL_HOLDS_FLOATS = 8,
    LL_HOLDS_CHARS = 16,
    LL_HOLDS_BYTES = 32,
    LL_HOLDS_TEXT = 64,
    LL_HOLDS_PART = 128,    /* terminator or padding of a string: bytes of variable number */
    LL_HOLDS_RECORD = 256,  /* a record as a whole */
    LL_HOLDS_STRETCH = 512, /* bytes without fields */
    LL_HOLDS_KINDS = 10,
    LL_ANY_INT = LL_HOLDS_INT | LL_HOLDS_INTS,
    LL_ANY_FLOAT = LL_HOLDS_FLOAT | LL_HOLDS_FLOATS,
    LL_SCALAR = LL_HOLDS_INT | LL_HOLDS_FLOAT,
    LL_NUMERIC = LL_ANY_INT | LL_ANY_FLOAT,
    LL_ANY_FIELD = 255
};

/* How many values a rule gives. */
enum { LL_NO_VALUE, LL_ONE_VALUE, LL_TWO_VALUES, LL_ANY_VALUES, LL_SOME_VALUES };

/* A test being bound. */
typedef struct ll_binding {
    ll_arena *arena;
    const ll_format *format;
    const ll_words *words;
    ll_bound_test *test; /* all that the field decides is set */
    ll_problem *problem;
} ll_binding;

/* A test at work. Judges walk over the elements of a vector by `part`. */
typedef struct ll_case {
    const ll_bound_test *test;
    const ll_subject *subject;
    ll_miss *miss; /* set only where the test fails */
    unsigned part;
    bool miss_is_set; /* the miss says where; else it is the whole field */
} ll_case;

/* Conditions being made; `full` where there were too many. */
typedef struct ll_terms {
    ll_term *at;
    size_t count, most;
    bool full;
    bool strict; /* they are not met by all that the test lets pass; infinities and NaNs are no matter here */
} ll_terms;

typedef struct ll_span_case ll_span_case;

struct ll_predicate {
    const char *name;
    unsigned accepts; /* LL_HOLDS_... */
    unsigned values;  /* LL_NO_VALUE: none; LL_TWO_VALUES: one or two; LL_ANY_VALUES: at least one; LL_SOME_VALUES: none
                         or more */
    ll_status (*bind)(ll_binding *b);
    /* One of these judges: numeric fields element by element by key, any field as a whole, all elements of a span, or
     * each of them. NaN and infinities never reach `element`. */
    bool (*element)(const ll_case *c, uint64_t key);
    bool (*holds)(ll_case *c);
    void (*judge_span)(const ll_span_case *c);
    void (*judge_element)(const ll_span_case *c, uint32_t element);
    void (*finish)(const ll_span_case *c); /* judge_span: judges what it gathered, behind the last span of the file; the
                                              tests of one rule on several records gather together */
    const char *arguments;                 /* of those two: what {0} to {3} are */
    /* What is right, in words: fixed ones or composed. */
    const char *words;
    void (*expect)(const ll_case *c, ll_text *out);
    /* Right bytes in place of those at *offset, which is that of the miss; how many, or 0. */
    size_t (*right_stretch)(const ll_case *c, uint8_t *out, uint32_t *offset);
    /* The same of one element, in place of the miss. */
    size_t (*right_bytes)(const ll_case *c, uint8_t *out);
    bool guesses; /* other bytes may be right as well */
    /* What packc writes into screens: conditions, or else the name of a function of screen.h. */
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

/* One of LL_HOLDS_... */
unsigned ll_holds(const ll_field *field);
/* The number of the field of `layout` that a rule names as a value. */
ll_status ll_bind_operand(const ll_binding *b, const ll_layout *layout, const char *name, uint16_t *field);
/* One word that a rule may give as a value; `which` says whether it does. */
ll_status ll_bind_word(ll_binding *b, const char *word);
/* `step` bytes as an unsigned number. */
static inline uint64_t ll_bits_at(const uint8_t *p, unsigned step, bool big)
{
    return ll_read_uint(p, step, big ? LL_BIG : LL_LITTLE);
}
static inline bool ll_is_big(const ll_bound_test *t)
{
    return t->layout->endian == LL_BIG;
}

/* First byte of the part under test; its bits. */
static inline const uint8_t *ll_case_part(const ll_case *c)
{
    return c->subject->bytes + (size_t)c->part * c->test->step;
}
static inline uint64_t ll_case_bits(const ll_case *c)
{
    return ll_bits_at(ll_case_part(c), c->test->step, ll_is_big(c->test));
}
/* False of a NaN or an infinity. */
static inline bool ll_bits_are_finite(unsigned type, uint64_t bits)
{
    if (type == LL_TYPE_F16) {
        return ll_half_is_finite((uint16_t)bits);
    }
    return type != LL_TYPE_F32 || ll_single_is_finite((uint32_t)bits);
}
/* Narrows the miss to the part under test; to bytes [from, to) of the field. */
void ll_miss_set_part(ll_case *c);
void ll_miss_set_bytes(ll_case *c, uint32_t from, uint32_t to);

/* Bits of one element into out, in the field's byte order; how many bytes. */
size_t ll_put_bits(const ll_bound_test *t, uint64_t bits, uint8_t *out);
size_t ll_put_zeros(const ll_case *c, uint8_t *out);

/* A condition on `bytes` bytes (1 to 8) of a field, from byte `at` of it on, that is always met. */
ll_term ll_term_on(const ll_bound_test *t, unsigned at, unsigned bytes, bool big);
/* Every element has a key in first..last; of floats, -0 counts as 0. */
void ll_term_keys(const ll_bound_test *t, uint64_t first, uint64_t last, ll_terms *out);
/* Of every element, the bits in `mask` less `low`, modulo its size, are at most `width`. */
void ll_term_bits(const ll_bound_test *t, uint64_t mask, uint64_t low, uint64_t width, ll_terms *out);
void ll_term_add(const ll_term *term, ll_terms *out);

#endif
