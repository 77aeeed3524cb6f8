/* Faults of the reader: the LL_READ rows of a format say which fault, and so which rule, each kind of finding is. */
#ifndef LL_MODEL_READER_KIND_H
#define LL_MODEL_READER_KIND_H

#include "model/format.h"

/* The wider kind that includes a kind, or the kind itself. */
ll_read_kind ll_read_base(ll_read_kind kind);
/* The fault code for a finding about a layout or one of its fields (LL_NO_FIELD: none). LL_FAULT_GAP: the format has no
 * row for it. */
unsigned ll_read_code(const ll_format *format, ll_read_kind kind, unsigned layout, unsigned field);
/* The format has a row for this very kind, not a wider one, that applies to the layout. */
bool ll_has_read_row(const ll_format *format, ll_read_kind kind, unsigned layout);
/* The format has a row for this very kind and this very layout. */
bool ll_has_own_read_row(const ll_format *format, ll_read_kind kind, unsigned layout);
/* The wider kind of the reader to which a fault of the family corresponds. LL_READ_KINDS: the reader has no such
 * fault. */
ll_read_kind ll_read_kind_of(const ll_doc *doc, const ll_fault *fault);
/* The arguments {0} to {2} of a fault of the reader. */
typedef struct ll_read_words {
    ll_arg found, expected;
    const char *noun; /* what the numbers are, in static storage */
} ll_read_words;
ll_fault ll_read_fault(const ll_format *format, ll_read_kind kind, unsigned layout, ll_where at, ll_read_words words);

#endif
