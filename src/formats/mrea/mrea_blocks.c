/* Reads the blocks of an area. Raw blocks hold sections, compressed ones segments (mrea_segments.c). The sizes of a
 * block are stated in its row, in the size table and in its segments; the row is believed. */
#include "formats/mrea/mrea_area.h"

enum { ROW = mrea_block_row_SIZE, SIZE_ROW = mrea_section_size_SIZE };

/* A row of the block table, and what is known of its block. */
typedef struct block {
    uint32_t number;
    uint32_t buffer, decompressed, compressed;
    uint32_t first, count; /* number of its first section, and of its sections */
    uint64_t sum;          /* sum of the sizes of its sections */
    uint64_t extent;
    uint32_t span;
    uint32_t pos; /* file offset */
} block;

static uint32_t row_word(const mrea_area *area, uint32_t number, unsigned at)
{
    return mrea_word(area->doc, area->blocks + number * ROW + at);
}

static ll_where at_row(const mrea_area *area, const block *b, unsigned field)
{
    return ll_at_field(area->doc, area->block_table, b->number, field);
}

static uint64_t sum_of_sizes(const mrea_area *area, uint32_t first, uint64_t count)
{
    return mrea_sum_of_sizes(area->doc, area->sizes + (uint64_t)first * SIZE_ROW, count);
}

/* Reads a row. Sections that have no row in the size table are left out. */
static block read_block(const mrea_area *area, uint32_t number, uint32_t first, uint32_t pos)
{
    const uint32_t left = area->count.sections - first;
    block b = {.number = number, .first = first, .span = LL_NO_SPAN, .pos = pos};
    b.buffer = row_word(area, number, mrea_block_row_at_buffer_size);
    b.decompressed = row_word(area, number, mrea_block_row_at_decompressed_size);
    b.compressed = row_word(area, number, mrea_block_row_at_compressed_size);
    b.count = mrea_least(row_word(area, number, mrea_block_row_at_section_count), left);
    b.sum = sum_of_sizes(area, first, b.count);
    b.extent = mrea_block_extent(b.decompressed, b.compressed);
    return b;
}

/* ------------------------------------------------------------------ contents */

/* Reads the sections of a raw block, of which `have` bytes are there. */
static void read_raw(mrea_area *area, const block *b, uint32_t have)
{
    ll_doc *doc = area->doc;
    const uint32_t stored = mrea_least(b->decompressed, have), end = b->pos + stored,
                   pos = mrea_read_sections(area, b->span, b->first, b->count, NULL, b->pos, end);
    uint32_t rest = ll_claim_unparsed(doc, b->span, pos, end);
    ll_mark_span(doc, rest, LL_SPAN_EXPLAINED); /* the sizes of the sections do not add up to that of the block */
    ll_claim_bytes(doc, b->span, mrea_block_padding_LAYOUT, end, end + have - stored);
}

/* Reads the segments of a compressed block, and what they leave over. False: one is bad. */
static bool read_stream(mrea_area *area, const block *b, const mrea_stream *s)
{
    ll_doc *doc = area->doc;
    bool good = true;
    uint32_t at = mrea_parse_segments(area, b->span, s, &good);
    if (good && at < s->end) {
        mrea_raise_value(doc, LL_READ_SIZE,
                         LL_MAKE_FAULT(MREA_FAULT_BLOCK_STREAM_LENGTH, MREA_HINT_NONE,
                                       at_row(area, b, mrea_block_row_compressed_size), ll_nowhere(),
                                       ll_uint(b->compressed), ll_uint(at - s->start)),
                         at - s->start);
    } else if (good && b->extent >= b->decompressed && area->edition->form) {
        LL_RAISE(doc, MREA_FAULT_BLOCK_NOT_WORTH_IT, MREA_HINT_NONE, at_row(area, b, mrea_block_row_compressed_size),
                 ll_uint(b->compressed), ll_uint(b->decompressed));
    }
    ll_mark_span(doc, ll_claim_unparsed(doc, b->span, at, s->end), good ? LL_SPAN_EXPLAINED : 0);
    return good;
}

static void read_compressed(mrea_area *area, const block *b)
{
    const uint32_t end = b->pos + (uint32_t)b->extent, start = end - b->compressed;
    const mrea_stream s = {.block = b->pos, .start = start, .end = end, .size = b->decompressed};
    bool good = read_stream(area, b, &s);
    ll_mark_span(area->doc, b->span, LL_SPAN_PACKED);
    ll_claim_bytes(area->doc, b->span, mrea_lead_padding_LAYOUT, b->pos, start);
    if (good) {
        (void)mrea_read_sections(area, LL_NO_SPAN, b->first, b->count, &s, 0, s.size);
    } else if (area->doc->copy) { /* the size with which the stream fits the block */
        mrea_suggest(area->doc, at_row(area, b, mrea_block_row_compressed_size),
                     mrea_find_stream(area->doc, b->pos, b->extent, b->decompressed));
    }
}

/* Bytes of the stream of a block, if it ends where the following blocks, counted back from the end of the file, begin;
 * 0: there is no such stream. */
static uint32_t find_extent(const mrea_area *area, const block *b)
{
    const ll_doc *doc = area->doc;
    uint64_t behind = b->pos + mrea_fill_of(area);
    for (uint32_t i = b->number + 1; i < area->count.blocks; i++) {
        behind += mrea_block_extent(row_word(area, i, mrea_block_row_at_decompressed_size),
                                    row_word(area, i, mrea_block_row_at_compressed_size));
    }
    return behind < doc->size ? mrea_find_stream(doc, b->pos, doc->size - behind, b->decompressed) : 0;
}

/* Reads a block that reaches beyond the end of the file. */
static void read_cut(mrea_area *area, const block *b)
{
    ll_doc *doc = area->doc;
    const uint32_t left = doc->size - b->pos;
    if (left && b->compressed) {
        ll_mark_span(doc, ll_claim_unparsed(doc, b->span, b->pos, doc->size), LL_SPAN_EXPLAINED);
    } else if (left) {
        read_raw(area, b, left);
    }
    ll_fault fault =
        LL_MAKE_FAULT(MREA_FAULT_BLOCK_TRUNCATED, MREA_HINT_CUT_FILE, ll_at_bytes(LL_NO_SPAN, doc->size, 0),
                      mrea_unproved(area), ll_uint(doc->size), ll_uint(b->pos + b->extent));
    fault.want = b->pos + b->extent;
    mrea_raise(doc, LL_READ_CUT, fault);
    if (doc->copy) {
        mrea_suggest(doc, at_row(area, b, mrea_block_row_compressed_size), find_extent(area, b));
    }
}

/* ------------------------------------------------------------------ rows of the block table */

/* Raises a fault if a size in the row is not what the rest of the area asks for. */
static void expect(const mrea_area *area, unsigned code, ll_where at, uint32_t stated, uint64_t right, const block *b)
{
    if (stated != right) {
        ll_fault fault = LL_MAKE_FAULT(code, MREA_HINT_NONE, at, ll_nowhere(), ll_uint(stated), ll_uint(right),
                                       ll_uint(b->first), ll_uint(b->count ? b->first + b->count - 1 : b->first));
        mrea_raise_value(area->doc, LL_READ_SIZE, fault, right);
    }
}

static void judge_row(const mrea_area *area, const block *b)
{
    const uint64_t extra = b->compressed ? MREA_BUFFER_EXTRA : 0;
    if (row_word(area, b->number, mrea_block_row_at_section_count) == 0) {
        mrea_raise(area->doc, LL_READ_COUNT,
                   LL_MAKE_FAULT(MREA_FAULT_BLOCK_SECTION_COUNT, MREA_HINT_NONE,
                                 at_row(area, b, mrea_block_row_section_count), ll_nowhere(), ll_uint(0), ll_uint(1)));
    } else {
        expect(area, MREA_FAULT_BLOCK_SIZE_SUM, at_row(area, b, mrea_block_row_decompressed_size), b->decompressed,
               b->sum, b);
    }
    expect(area, MREA_FAULT_BLOCK_BUFFER_SIZE, at_row(area, b, mrea_block_row_buffer_size), b->buffer,
           b->decompressed + extra, b);
}

/* On a copy, fills in unknown bytes of the rows: with what the sizes of sections, the other rows and the end of the
 * file ask for. */
static void fill_rows(const mrea_area *area)
{
    const uint32_t blocks = area->count.blocks, tables[] = {area->block_table, area->size_table};
    uint32_t first = 0;
    uint64_t pos = area->data;
    mrea_fill_term(area, tables[0], mrea_block_row_section_count, 0, blocks,
                   area->count.sections - mrea_sections_of_blocks(area->doc, area->edition, &area->count));
    for (uint32_t i = 0; i < blocks; i++) {
        const block b = read_block(area, i, first, 0);
        if (!ll_fill_in(area->doc, at_row(area, &b, mrea_block_row_decompressed_size), b.sum)) {
            mrea_fill_term(area, tables[1], mrea_section_size_section_size, first, b.count, b.decompressed - b.sum);
        }
        first += b.count;
    }
    first = 0;
    for (uint32_t i = 0; i < blocks && pos < area->doc->size; i++) {
        block b = read_block(area, i, first, (uint32_t)pos);
        const ll_where size = at_row(area, &b, mrea_block_row_compressed_size);
        const uint32_t stream = ll_fill_in(area->doc, size, 0) ? find_extent(area, &b) : 0;
        b.compressed = ll_fill_in(area->doc, size, stream) ? stream : b.compressed;
        (void)ll_fill_in(area->doc, at_row(area, &b, mrea_block_row_buffer_size),
                         b.decompressed + (b.compressed ? UINT64_C(0) + MREA_BUFFER_EXTRA : 0));
        first += b.count;
        pos += mrea_block_extent(b.decompressed, b.compressed);
    }
}

/* Judges the rows of the table, and the number of sections in all blocks. */
static void judge_rows(const mrea_area *area)
{
    const uint32_t sections = area->count.sections;
    uint64_t total = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < area->count.blocks && area->doc->status == LL_OK; i++) {
        const block b = read_block(area, i, first, 0);
        judge_row(area, &b);
        first += b.count;
        const uint32_t stated = row_word(area, i, mrea_block_row_at_section_count);
        total += stated || area->doc->unknown_from == area->doc->unknown_to ? stated : 1U; /* at least 1 */
    }
    if (total != sections) {
        mrea_raise_value(area->doc, LL_READ_COUNT,
                         LL_MAKE_FAULT(MREA_FAULT_BLOCK_SECTION_COUNT, MREA_HINT_NONE,
                                       mrea_at_header(area, area->edition->section_count), ll_nowhere(),
                                       ll_uint(sections), ll_uint(total)),
                         total);
    }
}

/* Names what in a block should have a block of its own; NULL: nothing. Generated objects that do not follow script
 * layers may be another section. */
static const char *find_alone(const mrea_area *area, const block *b)
{
    const char *alone = b->decompressed > MREA_BLOCK_CAP ? "the size" : NULL;
    for (uint32_t i = b->first; i < b->first + b->count && !alone; i++) {
        bool script = area->kinds[i] == MREA_KIND_SCRIPT_LAYERS;
        bool generated =
            area->kinds[i] == MREA_KIND_GENERATED_OBJECTS && i && area->kinds[i - 1] == MREA_KIND_SCRIPT_LAYERS;
        alone = script ? "a script layer" : generated ? "the generated objects" : NULL;
    }
    return alone;
}

/* Judges the conventions of writers. Only if nothing else is wrong. */
static void judge_writer(const mrea_area *area)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < area->count.blocks && area->edition->form; i++) {
        const block b = read_block(area, i, first, 0);
        const char *alone = b.count < 2 ? NULL : find_alone(area, &b);
        if (alone) {
            bool over = b.decompressed > MREA_BLOCK_CAP;
            LL_RAISE(area->doc, MREA_FAULT_BLOCK_OVER_CAP, MREA_HINT_NONE,
                     at_row(area, &b, over ? mrea_block_row_decompressed_size : mrea_block_row_section_count),
                     ll_uint(b.decompressed), ll_uint(b.count), ll_word(alone));
        }
        first += b.count;
    }
}

/* A fault says that numbers or streams are wrong. */
static bool is_in_doubt(const ll_doc *doc)
{
    const ll_fault_node *node = doc->first_fault;
    while (node && node->fault.code == MREA_FAULT_BLOCK_NOT_WORTH_IT) {
        node = node->next;
    }
    return node != NULL;
}

uint64_t mrea_read_blocks(mrea_area *area)
{
    ll_doc *doc = area->doc;
    uint32_t pos = area->data, first = 0;
    uint64_t end = pos;
    if (doc->unknown_from < doc->unknown_to) {
        fill_rows(area);
    }
    judge_rows(area);
    for (uint32_t i = 0; i < area->count.blocks && end == pos && doc->status == LL_OK; i++) {
        block b = read_block(area, i, first, pos);
        const uint32_t left = doc->size - pos, length = (uint32_t)(b.extent < left ? b.extent : left);
        b.span = ll_claim_group(doc, LL_NO_SPAN, mrea_block_LAYOUT, pos, pos + length, i);
        if (b.extent > left) {
            read_cut(area, &b);
        } else if (b.compressed) {
            read_compressed(area, &b);
        } else {
            read_raw(area, &b, length);
        }
        end = pos + b.extent;
        pos += length;
        first += b.count;
    }
    if (!is_in_doubt(doc)) {
        judge_writer(area);
    }
    return end;
}
