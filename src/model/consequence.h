/* What follows from a patch that puts bytes in or takes bytes out. Spans after it move, spans around it grow or
 * shrink, and each field whose value was the derived one (derive.h) gets the new derived value. A field with another
 * value keeps it: a size that is too large because bytes were lost is right once they are back. A reference that no row
 * derives may be right too, wherever it leads now; the caller decides whether it follows its target.
 *
 * It also works out what follows from a new order of the elements of an array. Spans and elements that belong to them
 * by number (ll_owner_layout()) move with them, with all that they hold and the padding in front. References to them
 * are derived anew or follow. There is no result if something else stands among them. */
#ifndef LL_MODEL_CONSEQUENCE_H
#define LL_MODEL_CONSEQUENCE_H

#include "model/doc.h"

/* The new file, and the range in which it differs from the old one. */
typedef struct ll_consequences {
    uint8_t *bytes;
    uint32_t size;
    uint32_t from;    /* first byte that differs */
    uint32_t was, is; /* bytes from there on, in the old and in the new file */
    bool leads;       /* references led to the start of something that was moved */
} ll_consequences;

/* Works out the consequences of a patch. A patch that replaces bytes by as many, in the same order, has none.
 * edit->places is not used. span: the array to reorder; or, if several spans begin or end where bytes are put in, the
 * span that gets them. lead: references follow their targets. LL_E_ARGUMENT: it is not possible. */
ll_status ll_consequences_of(const ll_doc *doc, uint32_t span, const ll_edit *edit, bool lead, ll_arena *arena,
                             ll_consequences *out);

#endif
