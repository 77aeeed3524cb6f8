/* What the predicates that look at whole spans share. Private to predicate_span.c and predicate_reference.c. */
#ifndef LL_RULES_PREDICATE_SPAN_H
#define LL_RULES_PREDICATE_SPAN_H

#include "rules/predicate_row.h"

/* A predicate at work on a span. */
struct ll_span_case {
    const ll_bound_test *test;
    const ll_bound_test *when; /* NULL: no guard */
    ll_check_run *run;         /* of the span; takes what is raised */
    const ll_span *span;
    const uint8_t *first;       /* byte of the span */
    void **state;               /* of the test, for all spans of the file; NULL in it at first */
    struct ll_matcher *matcher; /* for the guard */
    uint8_t patch;              /* ll_patch_tier that the rule gives to patches; 0: none is wanted */
};

static inline const uint8_t *ll_span_element(const ll_span_case *c, uint32_t element)
{
    return c->first + (size_t)element * c->test->layout->size;
}
/* A fault at the field of an element, at one part of it, or, for tests without a field, at the element or the span as
 * a whole. {3} is the name of the record. */
ll_fault ll_span_fault(const ll_span_case *c, uint32_t element, unsigned part);
/* Does the rule's guard hold for the element, if it has one? */
bool ll_span_is_judged(const ll_span_case *c, uint32_t element);
/* Raises it unless the guard says otherwise for that element. */
void ll_span_raise(const ll_span_case *c, uint32_t element, ll_fault *fault);
/* A number of a record, of any of its fields. */
static inline int64_t ll_number_of(const ll_layout *layout, const uint8_t *record, unsigned field, unsigned part)
{
    const ll_field *f = &layout->fields[field];
    unsigned bytes = ll_type_bytes(f->type);
    return ll_read_int(record + f->offset + (size_t)part * bytes, bytes, ll_type_is_signed(f->type), layout->endian);
}
static inline int64_t ll_span_number(const ll_span_case *c, uint32_t element, unsigned field, unsigned part)
{
    return ll_number_of(c->test->layout, ll_span_element(c, element), field, part);
}
/* Memory for the rest of the file, all zero at first; NULL when there is none. */
void *ll_span_state(const ll_span_case *c, size_t size);

#endif
