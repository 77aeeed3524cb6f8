/* Writes an area anew if compressed sections have other contents. A block with such a section is stored uncompressed,
 * which all readers of versions with blocks accept (docs/formats/mrea.md), so no compressor is needed. Relies on the
 * tables, and gives up if streams and sizes do not agree with them. */
#include "formats/mrea/mrea_area.h"

#include <string.h>

enum { ROW = mrea_block_row_SIZE, SIZE_ROW = mrea_section_size_SIZE };

typedef struct rewriter {
    mrea_area area;
    mrea_places places;
    ll_content *contents;              /* new contents, by region */
    uint32_t sections[LL_REGIONS_MAX]; /* number of the section that each region holds */
    uint32_t from;                     /* file offset up to which the old file was handled */
    uint32_t section;                  /* number of the next section */
    uint64_t to;                       /* offset of the next byte in the new file */
    uint8_t *out;                      /* new file, zeros at first; NULL: sizes are only added up */
} rewriter;

/* Finds the section that each region holds. */
static void name_regions(rewriter *w)
{
    const ll_doc *doc = w->area.doc;
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        if (s->layout == mrea_section_LAYOUT && s->offset > doc->size) {
            w->sections[ll_doc_locate(doc, s->offset) - doc->regions] = s->index;
        }
    }
}

/* The new contents of one of `count` sections; NULL: all keep theirs. */
static ll_content *find_content(const rewriter *w, uint32_t first, uint32_t count)
{
    for (uint32_t i = 1; i < w->area.doc->region_count; i++) {
        if (w->contents[i].bytes && w->sections[i] >= first && w->sections[i] - first < count) {
            return &w->contents[i];
        }
    }
    return NULL;
}

static void put(rewriter *w, const uint8_t *bytes, uint32_t size)
{
    if (w->out && size) {
        memcpy(w->out + w->to, bytes, size);
    }
    w->to += size;
}

static void put_word(const rewriter *w, uint64_t at, uint64_t value)
{
    if (w->out) {
        ll_put_uint(w->out + at, 4, true, value);
    }
}

/* Writes the next `count` sections, which are in this stream, uncompressed. False: the stream cannot be unpacked. */
static bool put_sections(rewriter *w, const mrea_stream *stream, uint32_t count)
{
    uint32_t offset = 0;
    if (w->out && !mrea_unpack(&w->area, stream)) {
        return false;
    }
    for (uint32_t i = w->section; i < w->section + count; i++) {
        uint32_t size = mrea_word(w->area.doc, (uint32_t)w->places.sizes + i * SIZE_ROW);
        const ll_content *content = find_content(w, i, 1);
        if (content) {
            put(w, content->bytes, content->size);
            put_word(w, w->places.sizes + (uint64_t)i * SIZE_ROW, content->size);
        } else {
            put(w, w->out ? w->area.unpacked + offset : NULL, size);
        }
        offset += size;
    }
    return true;
}

/* Writes the next block. False: it does not agree with its row or with the sizes of its sections. */
static bool put_block(rewriter *w, uint32_t row)
{
    const ll_doc *doc = w->area.doc;
    uint32_t decompressed = mrea_word(doc, row + mrea_block_row_at_decompressed_size);
    uint32_t compressed = mrea_word(doc, row + mrea_block_row_at_compressed_size);
    uint32_t count = mrea_word(doc, row + mrea_block_row_at_section_count);
    uint64_t extent = mrea_block_extent(decompressed, compressed);
    uint64_t start = w->to;
    if (count > w->area.count.sections - w->section || !ll_fits(w->from, extent, doc->size) ||
        mrea_sum_of_sizes(doc, w->places.sizes + (uint64_t)w->section * SIZE_ROW, count) != decompressed) {
        return false;
    }
    uint32_t end = w->from + (uint32_t)extent;
    bool changed = find_content(w, w->section, count) != NULL;
    if (!changed) {
        put(w, doc->bytes + w->from, (uint32_t)extent);
    } else {
        const mrea_stream stream = {.start = end - compressed, .end = end, .size = decompressed};
        if (!compressed || !put_sections(w, &stream, count)) {
            return false;
        }
        put_word(w, row + mrea_block_row_at_buffer_size, w->to - start);
        put_word(w, row + mrea_block_row_at_decompressed_size, w->to - start);
        put_word(w, row + mrea_block_row_at_compressed_size, 0);
        w->to = start + ll_align_up(w->to - start, MREA_ALIGNMENT);
    }
    for (uint32_t i = 1; i < doc->region_count && changed; i++) {
        if (w->sections[i] - w->section < count) {
            w->contents[i].outer_length = (uint32_t)(w->to - start);
        }
    }
    w->section += count;
    w->from = end;
    return true;
}

/* Writes all blocks, and the fill behind them. False: the blocks do not agree with the tables. */
static bool put_blocks(rewriter *w)
{
    const ll_doc *doc = w->area.doc;
    w->section = 0;
    w->from = (uint32_t)w->places.data;
    w->to = w->places.data;
    for (uint32_t i = 0; i < w->area.count.blocks; i++) {
        if (!put_block(w, (uint32_t)w->places.blocks + i * ROW)) {
            return false;
        }
    }
    bool filled = mrea_has_tags(w->area.edition) && ll_align_up(w->from, MREA_END_ALIGNMENT) == doc->size;
    uint32_t fill = filled ? (uint32_t)(ll_align_up(w->to, MREA_END_ALIGNMENT) - w->to) : doc->size - w->from;
    if (filled && w->out && fill) {
        memset(w->out + w->to, MREA_END_FILL, fill);
        w->to += fill;
    } else if (filled) {
        w->to += fill;
    } else {
        put(w, doc->bytes + w->from, fill);
    }
    return w->section == w->area.count.sections;
}

bool mrea_rewrite(ll_doc *doc, ll_content *contents, ll_content *file)
{
    const mrea_summary *index = ll_doc_memo(doc, mrea_index);
    const mrea_edition *edition = index ? mrea_edition_of(index->version) : NULL;
    if (!edition || !mrea_has_blocks(edition)) {
        return false;
    }
    const mrea_counts counts = {index->sections, index->blocks, index->tags};
    rewriter w = {.places = mrea_places_of(edition, &counts), .contents = contents};
    w.area = (mrea_area){.doc = doc, .count = counts, .edition = edition, .sizes = (uint32_t)w.places.sizes};
    name_regions(&w);
    if (w.places.data > doc->size || !put_blocks(&w) || w.to > file->size) {
        return false;
    }
    file->size = (uint32_t)w.to;
    w.out = ll_doc_zalloc(doc, file->size, 1);
    file->bytes = w.out;
    if (!w.out) {
        return false;
    }
    memcpy(w.out, doc->bytes, (size_t)w.places.data);
    return put_blocks(&w);
}
