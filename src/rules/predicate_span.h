/* Shared by the predicates that judge whole spans. Private to predicate_span.c and predicate_reference.c. */
#ifndef LL_RULES_PREDICATE_SPAN_H
#define LL_RULES_PREDICATE_SPAN_H

#include "rules/predicate_row.h"

/* One run of a predicate on a span. */
struct ll_span_case {
    const ll_bound_test *test;
    const ll_bound_test *when; /* NULL: no guard */
    ll_check_run *run;         /* of the span; receives the faults */
    const ll_span *span;
    const uint8_t *first;       /* first byte of the span */
    void **state;               /* of the test, for all spans of the file; *state is NULL at first */
    struct ll_matcher *matcher; /* for the guard */
    uint8_t patch;              /* ll_patch_tier of the patches of the rule; 0: it offers none */
};

static inline const uint8_t *ll_span_element(const ll_span_case *c, uint32_t element)
{
    return c->first + (size_t)element * c->test->layout->size;
}
/* Makes a fault at the field of an element, or at one part of a vector. For tests without a field, it is at the
 * element, or at the span if the layout has no size. {3} is the name of the record. */
ll_fault ll_span_fault(const ll_span_case *c, uint32_t element, unsigned part);
/* Does the guard hold for the element? True if there is no guard. */
bool ll_span_is_judged(const ll_span_case *c, uint32_t element);
/* Raises the fault if the guard holds for the element. */
void ll_span_raise(const ll_span_case *c, uint32_t element, ll_fault *fault);
/* Reads an integer of a record: element `part` of a field. */
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
/* The state of the test, `size` bytes that live as long as the file; zeros at first. NULL: no memory. */
void *ll_span_state(const ll_span_case *c, size_t size);

#endif
