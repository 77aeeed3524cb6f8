/* Parts that no tag of a list and no count tells (LL_PART_SERIES): one stands where what all records of its layout have
 * alike does (letters, constants, zeros), but for one field that may be wrong, or where a text has the hash that its
 * record states. What may stand behind the series, in its owner or in one around it, ends it. */
#ifndef LL_MODEL_READER_SERIES_H
#define LL_MODEL_READER_SERIES_H

#include "model/reader_state.h"

/* How sure it is that something begins at a place. */
typedef enum ll_begins {
    LL_BEGINS_MAYBE,  /* one field that all have alike may be wrong */
    LL_BEGINS_SOUND,  /* none is */
    LL_BEGINS_SURELY, /* and that may be any place of the file */
} ll_begins;
/* A part of the series that is being read in an owner begins at `at`, or what may stand behind it. */
bool ll_series_goes_on(const reader *r, const frame *f, uint32_t at, ll_begins how);
/* The next place where it certainly does, at or behind `from`; the limit of the owner: none is. */
uint32_t ll_series_next(const reader *r, const frame *f, uint32_t from);
/* One part of the series that is being read, or its end. */
void ll_read_series(reader *r);
/* The number and the place of parts of an owner that was read, which code works out. */
void ll_judge_coded(reader *r, const frame *f);
static inline void ll_judge_derived(reader *r, const frame *f)
{
    if (r->plan->coded[f->layout] && !f->damaged) {
        ll_judge_coded(r, f);
    }
}
/* Fields that are the same in all records of the layout. */
void ll_judge_fields(reader *r, unsigned layout, uint32_t span);
static inline void ll_judge_constants(reader *r, unsigned layout, uint32_t span)
{
    if (r->plan->like[layout].end) {
        ll_judge_fields(r, layout, span);
    }
}
/* Padding that a span holds, of a part of the layout. */
void ll_judge_padding(reader *r, unsigned layout, uint32_t span);
/* The file ends within the parts of the row and those behind it, as the fault that was raised last says. Where these
 * parts have the same bytes in all files, the missing ones become the patch of that fault. */
void ll_offer_rest(reader *r, size_t row);
/* The last part of the file stands at its end, behind more padding, or less, than there should be: goes there. False:
 * it does not. */
bool ll_find_last(reader *r, size_t row);
/* The row that holds for the record of which the bytes begin; NULL: none does, or the layout has none. is: it may be
 * one of LL_CHOICE_IS. */
const ll_choice *ll_choice_of(const reader *r, unsigned layout, const uint8_t *record, bool is);
/* A text of as many bytes as its owner says, in which a hash of it stands. */
void ll_read_hashed(reader *r, size_t row);

#endif
