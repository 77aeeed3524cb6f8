/* Bytes that were put into a file or taken out of it: what the file holds stands where it should up to some place, and
 * as many bytes further on, or further to the front, behind it. A format marks, in file order, whatever shows that it
 * stands where it should; the place is where most marks in front of it hold as they are, and most behind it elsewhere.
 */
#ifndef LL_FORMATS_SHIFT_H
#define LL_FORMATS_SHIFT_H

#include "model/fault.h"

typedef struct ll_shift {
    int64_t more;      /* bytes put in; below 0: taken out */
    int64_t sum, best; /* marks that hold as they are, less those that hold elsewhere: all, and those in front of it */
    uint64_t from, to; /* start of the last mark in front of the place, and end of the first one behind it, where they
                          should be; 0: none */
} ll_shift;

/* Something of `size` bytes that should be at an address: it is there, or `more` bytes behind it. */
static inline void ll_shift_mark(ll_shift *s, uint64_t at, uint64_t size, bool here, bool there)
{
    s->sum += here - there;
    if (s->sum > s->best) {
        s->best = s->sum;
        s->from = at;
        s->to = 0;
    } else if (there > here && s->to == 0) {
        s->to = at + size;
    }
}

/* How many marks speak for it. */
static inline int64_t ll_shift_weight(const ll_shift *s)
{
    return s->best - s->sum;
}

/* Where the bytes are, or are missing. */
static inline ll_where ll_shift_place(const ll_doc *doc, const ll_shift *s)
{
    uint64_t to = s->to ? s->to + (s->more > 0 ? (uint64_t)s->more : 0) : doc->size;
    to = to < doc->size ? to : doc->size;
    return ll_at_bytes(LL_NO_SPAN, (uint32_t)s->from, to > s->from ? (uint32_t)(to - s->from) : 0);
}

#endif
