/* Bytes put into the header or the tables of an area, or taken out of them. Everything behind them is then read from
 * the wrong place, so that no other fault would mean anything. Areas end on a multiple of 32, which leaves few numbers
 * of bytes to try; the one with which counts, rows and the end of the file agree is right, and so are the places where
 * it does. */
#include "formats/mrea/mrea_area.h"

#include <string.h>

enum {
    ROWS_TRIED = 1024,     /* most rows of a table */
    TABLES_TRIED = 0x8000, /* bytes that header and tables of so many rows take at most */
    PLACES_TRIED = 0x2000,
    START = mrea_header_unknown_SIZE /* magic and version are right, or there is no area to be read */
};

/* The lights are where the index and the sizes lead, `by` bytes on in the file; of the games without blocks, in which
 * the sum of the sizes alone says too little. */
static bool leads_to_lights(const mrea_area *area, const ll_doc *trial, const mrea_counts *c, int by)
{
    unsigned count = 0;
    const mrea_index_row *rows = mrea_index_rows(area->edition->header, &count);
    mrea_places p = mrea_places_of(area->edition, c);
    for (unsigned i = 0; i < count && !mrea_has_blocks(area->edition); i++) {
        if (rows[i].kind == MREA_KIND_LIGHTS) {
            uint32_t index = mrea_word(trial, trial->layouts[area->edition->header].fields[rows[i].field].offset);
            uint64_t at = index < c->sections ? p.data + mrea_sum_of_sizes(trial, p.sizes, index) : UINT32_MAX;
            return ll_fits(at + (uint64_t)by, MREA_LIGHTS_MAGIC_LENGTH, area->doc->size) &&
                   ll_be32(area->doc->bytes + at + by) == MREA_LIGHTS_MAGIC;
        }
    }
    return true;
}

/* Where the last row of the last table ends; 0: the trial does not read like an area of that edition. A tag may be
 * unknown, or the one that lacks bytes. */
static uint32_t end_of_rows(const mrea_area *area, const ll_doc *trial, int by)
{
    mrea_counts c = mrea_counts_of(trial, area->edition);
    if (c.sections > ROWS_TRIED || c.blocks > ROWS_TRIED || c.tags > ROWS_TRIED ||
        !mrea_do_counts_fit(trial, area->edition, &c) || !leads_to_lights(area, trial, &c, by)) {
        return 0;
    }
    mrea_places p = mrea_places_of(area->edition, &c);
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < c.tags; i++) {
        unknown += mrea_kind_of_tag(mrea_word(trial, (uint32_t)p.tags + i * mrea_tag_row_SIZE)) == MREA_KIND_OTHER;
    }
    uint64_t sizes = p.sizes + (uint64_t)c.sections * mrea_section_size_SIZE;
    uint64_t blocks = c.blocks ? p.blocks + (uint64_t)c.blocks * mrea_block_row_SIZE : sizes;
    uint64_t end = c.tags ? p.tags + (uint64_t)c.tags * mrea_tag_row_SIZE : blocks;
    return unknown > 1 ? 0 : (uint32_t)end;
}

/* Tries every place for `by` bytes put in, below 0: taken out. The copy is what the file was without them: up to the
 * place its bytes as they stand, then zeros for what is missing, then those behind what is too much. */
static bool try_number(const mrea_area *area, uint8_t *copy, int by, mrea_table_shift *found)
{
    const ll_doc *doc = area->doc;
    uint32_t missing = by < 0 ? (uint32_t)-by : 0;
    uint32_t extra = by > 0 ? (uint32_t)by : 0;
    ll_doc trial = *doc;
    trial.size = doc->size + missing - extra;
    uint32_t length = mrea_least(trial.size, TABLES_TRIED);
    uint32_t own = mrea_least(length, doc->size);
    memcpy(copy, doc->bytes, own);
    memset(copy + own, 0, length - own);
    trial.bytes = trial.regions[0].bytes = copy;
    if (length < START + missing || end_of_rows(area, &trial, by)) { /* then the data is displaced */
        return false;
    }
    memcpy(copy, doc->bytes, START);
    memset(copy + START, 0, missing);
    memcpy(copy + START + missing, doc->bytes + START + extra, length - START - missing);
    *found = (mrea_table_shift){by, 0, 0};
    uint32_t last = mrea_least(length - missing, PLACES_TRIED);
    for (uint32_t at = START; at < last; at++) {
        bool right = at < end_of_rows(area, &trial, by);
        if (!right && found->to) {
            break;
        }
        found->from = right && !found->to ? at : found->from;
        found->to = right ? at + 1 : 0;
        copy[at] = doc->bytes[at];
        if (missing) {
            copy[at + missing] = 0;
        }
    }
    return found->to != 0;
}

bool mrea_find_table_shift(mrea_area *area, mrea_table_shift *found)
{
    ll_doc *doc = area->doc;
    mrea_counts c = mrea_counts_of(doc, area->edition);
    int rest = (int)(doc->size % MREA_ALIGNMENT);
    bool fits = rest == 0 || mrea_do_counts_fit(doc, area->edition, &c);
    uint8_t *copy = fits ? NULL : ll_doc_alloc(doc, TABLES_TRIED, 1);
    return copy && (try_number(area, copy, rest, found) || try_number(area, copy, rest - MREA_ALIGNMENT, found));
}
