/* What all records of a layout have alike: letters, constants, zeros, and the number that chooses what follows. For
 * reader_*.c alone. */
#ifndef LL_MODEL_READER_LIKE_H
#define LL_MODEL_READER_LIKE_H

#include "model/reader_state.h"

#include <string.h>

enum {
    LL_FLAWS_MAX = 4,  /* more are not counted: with its letters a record may have one less */
    LL_SURE_BYTES = 16 /* that a record has alike with all others: one field of them may be wrong */
};

/* All that records of the layout have alike is there. */
static inline bool ll_is_like(const reader *r, unsigned layout, const uint8_t *record)
{
    const unsigned at = r->plan->like[layout].mask, words = r->plan->like[layout].words;
    uint64_t differ = 0, word[2];
    if (!at) {
        return false;
    }
    const uint64_t *mask = &r->plan->mask[at - 1], *value = &r->plan->value[at - 1];
    if (words % 2) { /* as it stands there, like these */
        memcpy(word, record + (words - 1) * sizeof *word, sizeof *word);
        differ = (word[0] & mask[words - 1]) ^ value[words - 1];
    }
    for (unsigned i = 0; i + 1 < words; i += 2) {
        memcpy(word, record + i * sizeof *word, sizeof word);
        differ |= ((word[0] & mask[i]) ^ value[i]) | ((word[1] & mask[i + 1]) ^ value[i + 1]);
    }
    return !differ;
}

/* The row that holds for the record of which the bytes begin; NULL: none does. */
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

/* The row that holds for the record of which the bytes begin; NULL: none does, or the layout has none. is: it may be
 * one of LL_CHOICE_IS. */
const ll_choice *ll_choice_of(const reader *r, unsigned layout, const uint8_t *record, bool is);
/* How much of what all records of the layout have alike is not there; UINT_MAX: there is no room for one. No more than
 * LL_FLAWS_MAX are counted. */
unsigned ll_count_flaws(const reader *r, unsigned layout, uint32_t at, uint32_t limit);
/* The letters of the layout stand there. */
bool ll_has_letters(const reader *r, unsigned layout, uint32_t at);

/* Padding that a span holds, of a part of the layout. */
void ll_judge_padding(reader *r, unsigned layout, uint32_t span);
/* Fields that are the same in all records of the layout. */
void ll_judge_fields(reader *r, unsigned layout, uint32_t span);
static inline void ll_judge_constants(reader *r, unsigned layout, uint32_t span)
{
    if (r->plan->like[layout].end) {
        ll_judge_fields(r, layout, span);
    }
}
/* The file ends within the parts of the row and those behind it, as the fault that was raised last says. Where these
 * parts have the same bytes in all files, the missing ones become the patch of that fault. */
void ll_offer_rest(reader *r, size_t row);
/* The last part of the file stands at its end, behind more padding, or less, than there should be: goes there. False:
 * it does not. */
bool ll_find_last(reader *r, size_t row);

#endif
