/* Gives the elements of an array another order, with all that belongs to them by number. */
#ifndef LL_MODEL_REORDER_H
#define LL_MODEL_REORDER_H

#include "model/doc.h"

/* The document before, and what it becomes. */
typedef struct ll_reordering {
    const ll_doc *doc;
    uint8_t *bytes;           /* the new bytes of the file; on entry, a copy */
    ll_span *spans;           /* the new spans; on entry, a copy */
    const uint32_t **numbers; /* by span: the new numbers of its elements; NULL: they keep theirs */
} ll_reordering;

/* span: the array. order: the old numbers of its elements in their new order. LL_E_ARGUMENT: something else stands
 * among what would move. */
ll_status ll_reorder(const ll_reordering *m, uint32_t span, const uint32_t *order, ll_arena *arena);

#endif
