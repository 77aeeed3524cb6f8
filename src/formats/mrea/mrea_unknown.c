/* Header and tables of a copy in which bytes are put back that a file seems to lack (ll_doc.unknown_from). What they
 * were, the rest of the area tells: sums, and where the data ends. */
#include "formats/mrea/mrea_area.h"

enum { BLOCK_ROW = mrea_block_row_SIZE, SIZE_ROW = mrea_section_size_SIZE, WORD = 4, ROWS_TRIED = 1024 };

static bool is_open(const ll_doc *doc, uint64_t at)
{
    return at < doc->unknown_to && at + WORD > doc->unknown_from;
}

/* The bytes of a word that are not known. */
static void put(ll_doc *doc, uint64_t at, uint64_t value)
{
    uint8_t bytes[WORD];
    ll_put_uint(bytes, WORD, true, value & UINT32_MAX);
    for (uint32_t i = 0; i < WORD; i++) {
        if (at + i >= doc->unknown_from && at + i < doc->unknown_to) {
            doc->copy[at + i] = bytes[i];
        }
    }
}

/* ------------------------------------------------------------------ the header */

static uint64_t sections_of_blocks(const ll_doc *doc, const mrea_edition *e, const mrea_counts *c)
{
    const mrea_places p = mrea_places_of(e, c);
    uint64_t sections = 0;
    for (uint64_t i = 0; i < c->blocks && ll_fits(p.blocks, (i + 1) * BLOCK_ROW, doc->size); i++) {
        sections += mrea_word_or_none(doc, p.blocks + i * BLOCK_ROW + mrea_block_row_at_section_count);
    }
    return sections;
}

/* As many sections as the blocks hold, or as the indices lead to. */
static uint32_t count_sections(const ll_doc *doc, const mrea_edition *e, mrea_counts c)
{
    unsigned rows = 0;
    uint32_t count = 0;
    const mrea_index_row *named = mrea_has_blocks(e) ? NULL : mrea_index_rows(e->header, &rows);
    for (unsigned i = 0; i < rows; i++) {
        const uint32_t index = mrea_word_or_none(doc, doc->layouts[e->header].fields[named[i].field].offset);
        count = index != UINT32_MAX && index >= count ? index + 1 : count;
    }
    for (c.sections = 1; mrea_has_blocks(e) && c.blocks < ROWS_TRIED && !count && c.sections < ROWS_TRIED;
         c.sections++) {
        count = sections_of_blocks(doc, e, &c) == c.sections ? c.sections : 0;
    }
    return count;
}

static void fill_header(ll_doc *doc, const mrea_edition *e)
{
    const ll_field *fields = doc->layouts[e->header].fields;
    unsigned rows = 0;
    const mrea_index_row *named = mrea_index_rows(e->header, &rows);
    for (unsigned i = 0; i < rows; i++) {
        put(doc, fields[named[i].field].offset, UINT32_MAX); /* it leads nowhere */
    }
    mrea_counts c = mrea_counts_of(doc, e);
    if (is_open(doc, fields[e->section_count].offset)) {
        c.sections = count_sections(doc, e, c);
        put(doc, fields[e->section_count].offset, c.sections);
    }
    if (mrea_has_blocks(e) && is_open(doc, fields[e->block_count].offset)) {
        c.blocks = mrea_count_blocks(doc, e, &c);
        put(doc, fields[e->block_count].offset, c.blocks);
    }
    if (mrea_has_tags(e) && is_open(doc, fields[e->tag_count].offset)) {
        put(doc, fields[e->tag_count].offset, mrea_count_tags(doc, e, &c));
    }
}

/* ------------------------------------------------------------------ the tables */

/* The last size that is not known, of `count` of them, is what is missing in their sum. */
static void fill_sizes(ll_doc *doc, uint64_t table, uint64_t count, uint64_t sum)
{
    const uint64_t known = mrea_sum_of_sizes(doc, table, count);
    const bool whole = sum > known && (sum - known) % MREA_ALIGNMENT == 0; /* as all sizes are */
    for (uint64_t at = table + count * SIZE_ROW; at > table && whole; at -= SIZE_ROW) {
        if (is_open(doc, at - SIZE_ROW)) {
            put(doc, at - SIZE_ROW, mrea_word_or_none(doc, at - SIZE_ROW) + (sum - known));
            return;
        }
    }
}

/* Sections and sizes of each block. Of the first compressed size that is not known *place: its row, *at: its block;
 * 0: all are known. Returns where the blocks end, that one as if it was not compressed. */
static uint64_t fill_rows(mrea_area *area, const mrea_counts *c, const mrea_places *p, uint64_t *place, uint64_t *at)
{
    ll_doc *doc = area->doc;
    const uint64_t sections = sections_of_blocks(doc, area->edition, c);
    uint64_t first = 0, end = p->data, row = p->blocks;
    bool counted = sections >= c->sections;
    *place = *at = 0;
    for (uint32_t i = 0; i < c->blocks; i++, row += BLOCK_ROW) {
        const uint64_t number = row + mrea_block_row_at_section_count, size = row + mrea_block_row_at_decompressed_size;
        if (is_open(doc, number) && !counted) {
            put(doc, number, mrea_word_or_none(doc, number) + (c->sections - sections));
            counted = true;
        }
        const uint64_t left = c->sections - first, stated = mrea_word_or_none(doc, number),
                       count = stated < left ? stated : left;
        const uint64_t table = p->sizes + first * SIZE_ROW;
        if (is_open(doc, size)) {
            put(doc, size, mrea_sum_of_sizes(doc, table, count));
        } else {
            fill_sizes(doc, table, count, mrea_word_or_none(doc, size));
        }
        if (is_open(doc, row + mrea_block_row_at_compressed_size) && !*place) {
            *place = row;
            *at = end;
        }
        end += mrea_block_extent(mrea_word_or_none(doc, size),
                                 mrea_word_or_none(doc, row + mrea_block_row_at_compressed_size));
        first += count;
    }
    return end;
}

static void fill_blocks(mrea_area *area, const mrea_counts *c, const mrea_places *p)
{
    ll_doc *doc = area->doc;
    uint64_t open = 0, at = 0;
    const uint64_t end = fill_rows(area, c, p, &open, &at), right = doc->size - mrea_fill_of(area);
    for (uint64_t i = 0, row = p->blocks; i < c->blocks; i++, row += BLOCK_ROW) {
        const uint32_t size = mrea_word_or_none(doc, row + mrea_block_row_at_decompressed_size);
        const uint64_t compressed = row + mrea_block_row_at_compressed_size;
        if (row == open && end > right && mrea_block_extent(size, 0) > end - right) {
            put(doc, compressed, mrea_find_stream(doc, at, mrea_block_extent(size, 0) - (end - right), size));
        }
        put(doc, row + mrea_block_row_at_buffer_size,
            size + (mrea_word_or_none(doc, compressed) ? UINT64_C(0) + MREA_BUFFER_EXTRA : 0));
    }
}

void mrea_fill_unknown(mrea_area *area)
{
    ll_doc *doc = area->doc;
    const mrea_edition *e = area->edition;
    if (!doc->copy || doc->unknown_from >= doc->unknown_to || doc->unknown_from < mrea_header_unknown_SIZE) {
        return;
    }
    fill_header(doc, e);
    const mrea_counts c = mrea_counts_of(doc, e);
    const mrea_places p = mrea_places_of(e, &c);
    if (p.data > doc->size || doc->unknown_from >= p.data) {
        return;
    }
    if (mrea_has_blocks(e)) {
        fill_blocks(area, &c, &p);
    } else {
        fill_sizes(doc, p.sizes, c.sections, doc->size - p.data);
    }
}
