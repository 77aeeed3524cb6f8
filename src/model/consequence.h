/* What follows from a patch that puts bytes in or takes bytes out: the spans behind it move, the ones around it grow or
 * shrink, and every field whose value was the one that follows from the rest (derive.h) gets the value that follows
 * now. A field that had another value keeps it: a size that is too large because bytes were lost is right once they are
 * back. So may be a reference that no row derives, wherever it leads now: whether it follows what it leads to, the
 * caller says.
 *
 * And what follows from another order of the elements of an array: spans and elements that have their numbers and
 * belong to them (ll_owner_layout()) go where they go, with all that they hold and with the padding in front of them;
 * what leads to them is derived anew or follows. There is none where something else stands among them. */
#ifndef LL_MODEL_CONSEQUENCE_H
#define LL_MODEL_CONSEQUENCE_H

#include "model/doc.h"

/* The file as it is then, and the one stretch that tells it from the file as it was. */
typedef struct ll_consequences {
    uint8_t *bytes;
    uint32_t size;
    uint32_t from;    /* the first byte that is another */
    uint32_t was, is; /* so many bytes from there on were, and are, others */
    bool leads;       /* there are references that led to the start of something which was moved */
} ll_consequences;

/* Bytes that are replaced by as many, in the same order, have no consequences.
 * edit: its places are not looked at. span: the array whose elements go elsewhere; of several spans that end or begin
 * at the place of bytes, this one and those around it hold it. lead: references follow what they lead to. */
ll_status ll_consequences_of(const ll_doc *doc, uint32_t span, const ll_edit *edit, bool lead, ll_arena *arena,
                             ll_consequences *out);

#endif
