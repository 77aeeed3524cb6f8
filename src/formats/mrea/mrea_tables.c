/* The three tables between an area's header and its data: finds their numbers of rows and their places, and follows the
 * sizes in them. */
#include "formats/mrea/mrea_area.h"

enum {
    BLOCK_ROW = mrea_block_row_SIZE,
    SIZE_ROW = mrea_section_size_SIZE,
    TAG_ROW = mrea_tag_row_SIZE,
    ROWS_TRIED = 1024,
    ROWS_PLAUSIBLE = 0x10000 /* most rows that a cut file is believed to have had */
};

mrea_counts mrea_counts_of(const ll_doc *doc, const mrea_edition *edition)
{
    const uint16_t fields[] = {edition->section_count, edition->block_count, edition->tag_count};
    uint32_t counts[] = {0, 0, 0};
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (fields[i] != LL_NO_FIELD) {
            counts[i] = mrea_word(doc, doc->layouts[edition->header].fields[fields[i]].offset);
        }
    }
    return (mrea_counts){counts[0], counts[1], counts[2]};
}

mrea_places mrea_places_of(const mrea_edition *edition, const mrea_counts *counts)
{
    mrea_places p;
    p.sizes = ll_align_up(edition->header_size, MREA_ALIGNMENT);
    p.blocks = ll_align_up(p.sizes + (uint64_t)counts->sections * SIZE_ROW, MREA_ALIGNMENT);
    p.tags = ll_align_up(p.blocks + (uint64_t)counts->blocks * BLOCK_ROW, MREA_ALIGNMENT);
    p.data = ll_align_up(p.tags + (uint64_t)counts->tags * TAG_ROW, MREA_ALIGNMENT);
    return p;
}

uint64_t mrea_sum_of_sizes(const ll_doc *doc, uint64_t table, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += mrea_word(doc, (uint32_t)(table + i * SIZE_ROW));
    }
    return sum;
}

/* Number of blocks that hold all sections, counting rows from the start of the block table on. */
static uint32_t count_blocks(const ll_doc *doc, const mrea_edition *e, const mrea_counts *c)
{
    uint64_t row = mrea_places_of(e, c).blocks + mrea_block_row_at_section_count, sections = 0;
    uint32_t count = 0;
    for (; sections < c->sections && count < ROWS_TRIED; count++, row += BLOCK_ROW) {
        sections += mrea_word_or_none(doc, row);
    }
    return count;
}

/* Number of rows with a known tag, from the start of the tag table on, also behind its stated end. */
static uint32_t count_tags(const ll_doc *doc, const mrea_edition *e, const mrea_counts *c)
{
    const mrea_places p = mrea_places_of(e, c);
    uint32_t tags = 0;
    while (mrea_kind_of_tag(mrea_word_or_none(doc, p.tags + (uint64_t)tags * TAG_ROW)) != MREA_KIND_OTHER) {
        tags++;
    }
    return tags;
}

uint64_t mrea_sections_of_blocks(const ll_doc *doc, const mrea_edition *e, const mrea_counts *c)
{
    const uint64_t table = mrea_places_of(e, c).blocks;
    uint64_t sections = 0;
    for (uint64_t i = 0; i < c->blocks && ll_fits(table, (i + 1) * BLOCK_ROW, doc->size); i++) {
        sections += mrea_word(doc, (uint32_t)(table + i * BLOCK_ROW + mrea_block_row_at_section_count));
    }
    return sections;
}

/* Number of sections that the blocks hold or, without blocks, that the indices lead to; 0: unknown. */
static uint32_t count_sections(const ll_doc *doc, const mrea_edition *e, const mrea_counts *c)
{
    unsigned rows = 0;
    uint32_t count = 0;
    const mrea_index_row *named = mrea_has_blocks(e) ? NULL : mrea_index_rows(e->header, &rows);
    for (unsigned i = 0; i < rows; i++) {
        const uint32_t index = mrea_word(doc, doc->layouts[e->header].fields[named[i].field].offset);
        count = index != UINT32_MAX && index >= count ? index + 1 : count;
    }
    mrea_counts some = {1, c->blocks, c->tags};
    for (; mrea_has_blocks(e) && c->blocks < ROWS_TRIED && !count && some.sections < ROWS_TRIED; some.sections++) {
        count = mrea_sections_of_blocks(doc, e, &some) == some.sections ? some.sections : 0;
    }
    return count;
}

/* On a copy, fills in unknown bytes of the header: counts by the tables, indices with one that leads nowhere. */
static void fill_header(const mrea_area *area)
{
    const ll_doc *doc = area->doc;
    const mrea_edition *e = area->edition;
    uint32_t (*const counts[])(const ll_doc *, const mrea_edition *, const mrea_counts *) = {count_sections,
                                                                                             count_blocks, count_tags};
    const uint16_t fields[] = {e->section_count, e->block_count, e->tag_count};
    unsigned rows = 0;
    const mrea_index_row *named = mrea_index_rows(e->header, &rows);
    for (unsigned i = 0; i < rows; i++) {
        (void)ll_fill_in(doc, mrea_at_header(area, named[i].field), UINT32_MAX);
    }
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const ll_where at = fields[i] == LL_NO_FIELD ? ll_nowhere() : mrea_at_header(area, fields[i]);
        if (ll_fill_in(doc, at, 0)) {
            const mrea_counts c = mrea_counts_of(doc, e);
            (void)ll_fill_in(doc, at, counts[i](doc, e, &c));
        }
    }
}

void mrea_fill_term(const mrea_area *area, uint32_t table, unsigned field, uint32_t first, uint32_t count,
                    uint64_t missing)
{
    const ll_doc *doc = area->doc;
    const bool sizes = table == area->size_table, whole = !sizes || missing % MREA_ALIGNMENT == 0;
    bool done = !whole || missing > UINT32_MAX || doc->unknown_from == doc->unknown_to;
    for (uint32_t i = 0; i < count && !done; i++) {
        const ll_where at = ll_at_field(doc, table, first + (sizes ? count - 1 - i : i), field);
        done = ll_fill_in(doc, at, mrea_word(doc, at.offset) + missing);
    }
}

uint32_t mrea_fill_of(const mrea_area *area)
{
    const ll_doc *doc = area->doc;
    uint32_t fill = 0;
    while (mrea_has_tags(area->edition) && fill < MREA_ALIGNMENT && fill < doc->size &&
           doc->bytes[doc->size - 1 - fill] == MREA_END_FILL) {
        fill++;
    }
    return fill == MREA_ALIGNMENT ? fill : 0;
}

ll_where mrea_unproved(const mrea_area *area)
{
    const uint32_t size = area->doc->size, from = area->sound_to ? area->sound_to : area->data;
    return from < size ? ll_at_bytes(LL_NO_SPAN, from, size - from) : ll_nowhere();
}

/* Blocks have the sizes of their sections and hold all sections. *end: offset of their end. */
static bool do_blocks_fit(const ll_doc *doc, const mrea_counts *c, const mrea_places *p, uint64_t *end)
{
    uint64_t sections = 0;
    bool fit = true;
    *end = p->data;
    for (uint32_t i = 0; i < c->blocks && fit; i++) {
        const uint32_t row = (uint32_t)p->blocks + i * BLOCK_ROW;
        const uint32_t count = mrea_word(doc, row + mrea_block_row_at_section_count);
        const uint32_t decompressed = mrea_word(doc, row + mrea_block_row_at_decompressed_size);
        fit = count <= c->sections - sections &&
              mrea_sum_of_sizes(doc, p->sizes + sections * SIZE_ROW, count) == decompressed;
        *end += mrea_block_extent(decompressed, mrea_word(doc, row + mrea_block_row_at_compressed_size));
        sections += count;
    }
    return fit && sections == c->sections;
}

bool mrea_do_counts_fit(const ll_doc *doc, const mrea_edition *edition, const mrea_counts *c)
{
    const mrea_places p = mrea_places_of(edition, c);
    if (!c->sections || p.data >= doc->size || doc->size % MREA_ALIGNMENT != 0) {
        return false;
    }
    uint64_t end = p.data + mrea_sum_of_sizes(doc, p.sizes, c->sections);
    if (mrea_has_blocks(edition) && !do_blocks_fit(doc, c, &p, &end)) {
        return false;
    }
    return end == doc->size || (mrea_has_tags(edition) && ll_align_up(end, MREA_END_ALIGNMENT) == doc->size);
}

/* Raises a fault and returns true if not all rows of a table are in the file. */
static bool is_cut(const mrea_area *area, uint16_t field, uint32_t rows, uint64_t need, uint64_t at)
{
    const uint32_t size = area->doc->size;
    const bool cut = need > (at < size ? size - at : 0);
    if (cut) {
        ll_fault fault = LL_MAKE_FAULT(
            MREA_FAULT_SECTION_TABLE_TRUNCATED, rows <= ROWS_PLAUSIBLE ? MREA_HINT_CUT_FILE : MREA_HINT_NONE,
            ll_at_bytes(LL_NO_SPAN, size, 0), mrea_at_header(area, field), ll_uint(size), ll_uint(at + need));
        fault.want = at + need;
        mrea_raise(area->doc, LL_READ_CUT, fault);
    }
    return cut;
}

/* The counts give tables that can be read. False: a fault was raised. */
static bool are_counts_usable(const mrea_area *area, const mrea_counts *c, const mrea_places *p)
{
    const mrea_edition *e = area->edition;
    if (c->sections == 0) {
        mrea_raise(area->doc, LL_READ_COUNT,
                   LL_MAKE_FAULT(MREA_FAULT_SECTION_COUNT_ZERO, MREA_HINT_NONE, mrea_at_header(area, e->section_count),
                                 ll_nowhere(), ll_uint(0)));
        return false;
    }
    if (is_cut(area, e->section_count, c->sections, (uint64_t)c->sections * SIZE_ROW, p->sizes) ||
        is_cut(area, e->block_count, c->blocks, (uint64_t)c->blocks * BLOCK_ROW, p->blocks) ||
        is_cut(area, e->tag_count, c->tags, (uint64_t)c->tags * TAG_ROW, p->tags)) {
        return false;
    }
    if (mrea_has_blocks(e) && c->blocks == 0) {
        mrea_raise(area->doc, LL_READ_COUNT,
                   LL_MAKE_FAULT(MREA_FAULT_BLOCK_SECTION_COUNT, MREA_HINT_NONE, mrea_at_header(area, e->block_count),
                                 ll_nowhere(), ll_uint(0), ll_uint(c->sections)));
        return false;
    }
    return true;
}

/* Claims a table and the padding behind it, up to `next` or the end of the file. Returns the span of the table. */
static uint32_t claim_table(mrea_area *area, uint16_t layout, uint16_t padding, uint64_t at, uint32_t rows,
                            uint64_t next)
{
    ll_doc *doc = area->doc;
    uint64_t end = at + (uint64_t)rows * doc->layouts[layout].size;
    uint32_t span = ll_claim_array(doc, LL_NO_SPAN, layout, (uint32_t)at, rows);
    ll_claim_bytes(doc, LL_NO_SPAN, padding, end, next < doc->size ? next : doc->size);
    return span;
}

bool mrea_read_tables(mrea_area *area)
{
    ll_doc *doc = area->doc;
    if (doc->unknown_from < doc->unknown_to) {
        fill_header(area);
    }
    const mrea_counts c = mrea_counts_of(doc, area->edition);
    const mrea_places p = mrea_places_of(area->edition, &c);
    area->sizes = (uint32_t)p.sizes;
    if (!are_counts_usable(area, &c, &p)) {
        doc->fatal = true;
        ll_mark_span(doc, ll_claim_unparsed(doc, LL_NO_SPAN, area->sizes, doc->size), LL_SPAN_EXPLAINED);
        return false;
    }
    area->blocks = (uint32_t)p.blocks;
    area->tags = (uint32_t)p.tags;
    area->data = p.data < doc->size ? (uint32_t)p.data : doc->size;
    area->count = c;
    area->size_table =
        claim_table(area, mrea_section_size_LAYOUT, mrea_table_padding_sizes_LAYOUT, p.sizes, c.sections, p.blocks);
    area->block_table =
        claim_table(area, mrea_block_row_LAYOUT, mrea_table_padding_blocks_LAYOUT, p.blocks, c.blocks, p.tags);
    area->tag_table = claim_table(area, mrea_tag_row_LAYOUT, mrea_table_padding_tags_LAYOUT, p.tags, c.tags, p.data);
    const uint32_t tags = doc->copy && mrea_has_tags(area->edition) ? count_tags(doc, area->edition, &c) : 0;
    if (tags > c.tags) {
        mrea_raise_value(doc, LL_READ_UNCOUNTED,
                         ll_fault_at(LL_FAULT_GAP, mrea_at_header(area, area->edition->tag_count)), tags);
    }
    return doc->status == LL_OK;
}
