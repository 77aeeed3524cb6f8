/* Constants of a layout: letters, numbers and zeros that all its records share, and the number of LL_CHOICE, which
 * selects what follows. Only for reader_*.c. */
#ifndef LL_MODEL_READER_LIKE_H
#define LL_MODEL_READER_LIKE_H

#include "model/reader_state.h"

#include <string.h>

enum {
    LL_FLAWS_MAX = 4,  /* highest count of wrong constants; a record may have one less if its letters are right */
    LL_SURE_BYTES = 16 /* with as many constant bytes, a record is recognised even if one of its fields is wrong */
};

/* All constants of a layout are right in a record. False if the plan has no mask for the layout. */
static inline bool ll_is_like(const reader *r, unsigned layout, const uint8_t *record)
{
    const unsigned at = r->plan->like[layout].mask, words = r->plan->like[layout].words;
    uint64_t differ = 0, word[2];
    if (!at) {
        return false;
    }
    const uint64_t *mask = &r->plan->mask[at - 1], *value = &r->plan->value[at - 1];
    if (words % 2) { /* loaded in native order, like mask and value */
        memcpy(word, record + (words - 1) * sizeof *word, sizeof *word);
        differ = (word[0] & mask[words - 1]) ^ value[words - 1];
    }
    for (unsigned i = 0; i + 1 < words; i += 2) {
        memcpy(word, record + i * sizeof *word, sizeof word);
        differ |= ((word[0] & mask[i]) ^ value[i]) | ((word[1] & mask[i + 1]) ^ value[i + 1]);
    }
    return !differ;
}

/* The first LL_CHOICE row that matches a record of the layout with choices. NULL: none. is: it may be an LL_CHOICE_IS
 * row. */
static inline const ll_choice *ll_find_choice(const reader *r, const uint8_t *record, bool is)
{
    const ll_choice *rows = r->format->choices, *end = rows + r->format->choice_count;
    const uint32_t number = ll_le32(record + r->plan->choice_at);
    const unsigned first = r->plan->choice[number & UINT8_MAX];
    for (const ll_choice *row = rows + first - 1; first && row < end; row++) {
        if ((number & row->bits) == row->value && (is || row->how != LL_CHOICE_IS)) {
            return row;
        }
        if ((uint8_t)row->value != (uint8_t)number) {
            break;
        }
    }
    return NULL;
}

/* As ll_find_choice(), for a record of any layout. NULL: no row matches, or the layout has none. */
const ll_choice *ll_choice_of(const reader *r, unsigned layout, const uint8_t *record, bool is);
/* Number of wrong constants of a layout at an address, up to LL_FLAWS_MAX. UINT_MAX: there is no room for a record. */
unsigned ll_count_flaws(const reader *r, unsigned layout, uint32_t at, uint32_t limit);
/* A constant of the layout that is letters is right at an address. */
bool ll_has_letters(const reader *r, unsigned layout, uint32_t at);

/* Raises a fault if padding in front of or after a part of the layout is not zeros. span: that of the padding. */
void ll_judge_padding(reader *r, unsigned layout, uint32_t span);
/* Raises faults for wrong constants of a record. */
void ll_judge_fields(reader *r, unsigned layout, uint32_t span);
static inline void ll_judge_constants(reader *r, unsigned layout, uint32_t span)
{
    if (r->plan->like[layout].end) {
        ll_judge_fields(r, layout, span);
    }
}
/* The file ends within the parts of `row` and the rows after it, as the last fault says. If these parts have the same
 * bytes in all files, the missing bytes become the patch of that fault. */
void ll_offer_rest(reader *r, size_t row);
/* Looks for the last part of the file, of constant bytes, at the end of the file after too much or too little padding,
 * and goes there. False: it is not there. */
bool ll_find_last(reader *r, size_t row);

#endif
