/* Elements of an array take each other's places, with what has their numbers and belongs to them. */
#ifndef LL_MODEL_REORDER_H
#define LL_MODEL_REORDER_H

#include "model/doc.h"

/* The document as it was, and what it becomes. */
typedef struct ll_reordering {
    const ll_doc *doc;
    uint8_t *bytes;           /* at first as they were */
    ll_span *spans;           /* the same */
    const uint32_t **numbers; /* by span: of its elements, where they take each other's places; else NULL */
} ll_reordering;

/* span: the array. order: its elements, the first one first. LL_E_ARGUMENT: something else stands among what would have
 * to move. */
ll_status ll_reorder(const ll_reordering *m, uint32_t span, const uint32_t *order, ll_arena *arena);

#endif
