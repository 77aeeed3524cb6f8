/* Kinds of faults of the reader: which rule a LL_READ row of the format gives each of them, and a fault of such a kind.
 */
#ifndef LL_MODEL_READER_KIND_H
#define LL_MODEL_READER_KIND_H

#include "model/format.h"

/* Faults of the reader are those that LL_READ rows of the format say. Their patch, where there is one, is the value
 * that what was read asks for. */
/* The wider kind that a kind is one of, or itself. */
ll_read_kind ll_read_base(ll_read_kind kind);
/* The code of a fault of the reader about a record, or a part, of a layout, or a field of it (LL_NO_FIELD: none). */
unsigned ll_read_code(const ll_format *format, ll_read_kind kind, unsigned layout, unsigned field);
/* A fault of just that kind, and of no wider one, is said of the layout. */
bool ll_is_said(const ll_format *format, ll_read_kind kind, unsigned layout);
/* The same by a row about that layout alone. */
bool ll_is_said_of(const ll_format *format, ll_read_kind kind, unsigned layout);
/* What a fault of a parser would be of the reader, the wider kind; LL_READ_KINDS: the reader has no such fault. */
ll_read_kind ll_read_kind_of(const ll_doc *doc, const ll_fault *fault);
/* Such a fault, with its arguments {0} to {2}. noun: what the numbers are of, in static storage. */
ll_fault ll_read_fault(const ll_format *format, ll_read_kind kind, unsigned layout, ll_where at, ll_arg found,
                       ll_arg expected, const char *noun);

#endif
