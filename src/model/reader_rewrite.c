/* Writes a store anew if compressed sections have other contents. A block with such a section is stored uncompressed,
 * which the tables can always state. Relies on the tables, and gives up if streams and sizes do not agree with them. */
#include "model/reader.h"
#include "model/store_state.h"

#include <string.h>

typedef struct rewriter {
    ll_store store;
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
    const ll_doc *doc = w->store.doc;
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        if (s->layout == w->store.plan->section && s->offset > doc->size) {
            w->sections[ll_doc_locate(doc, s->offset) - doc->regions] = s->index;
        }
    }
}

/* The new contents of one of `count` sections; NULL: all keep theirs. */
static ll_content *find_content(const rewriter *w, uint32_t first, uint32_t count)
{
    for (uint32_t i = 1; i < w->store.doc->region_count; i++) {
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

/* Puts a number into a field of a row of a table. */
static void put_number(const rewriter *w, ll_field_of f, uint64_t row, uint64_t value)
{
    const ll_layout *l = &w->store.doc->layouts[f.layout];
    if (w->out) {
        ll_put_uint(w->out + row + l->fields[f.field].offset, l->fields[f.field].bytes, l->endian == LL_BIG, value);
    }
}

/* Writes the next `count` sections, which are in this stream, uncompressed. False: the stream cannot be unpacked. */
static bool put_sections(rewriter *w, const ll_stream *stream, uint32_t count)
{
    const ll_doc *doc = w->store.doc;
    const ll_field_of f = w->store.plan->size;
    uint32_t offset = 0;
    if (w->out && !doc->format->codec->unpack(&w->store.unpacker, stream)) {
        return false;
    }
    for (uint32_t i = w->section; i < w->section + count; i++) {
        const uint64_t row = w->store.sizes + (uint64_t)i * ll_row_size(doc, f);
        const uint32_t size = ll_row_number(doc, f, row);
        const ll_content *content = find_content(w, i, 1);
        if (content) {
            put(w, content->bytes, content->size);
            put_number(w, f, row, content->size);
        } else {
            put(w, w->out ? w->store.unpacker.bytes + offset : NULL, size);
        }
        offset += size;
    }
    return true;
}

/* Writes the next block. False: it does not agree with its row or with the sizes of its sections. */
static bool put_block(rewriter *w, uint64_t row)
{
    const ll_doc *doc = w->store.doc;
    const ll_store_plan *plan = w->store.plan;
    const uint32_t unpacked = ll_row_number(doc, plan->unpacked, row), packed = ll_row_number(doc, plan->packed, row),
                   count = ll_row_number(doc, plan->count, row);
    const uint64_t extent = ll_block_extent(plan, unpacked, packed), start = w->to,
                   first = w->store.sizes + (uint64_t)w->section * ll_row_size(doc, plan->size);
    if (count > w->store.count.sections - w->section || !ll_fits(w->from, extent, doc->size) ||
        ll_sum_of_sizes(doc, plan, first, count) != unpacked) {
        return false;
    }
    const uint32_t end = w->from + (uint32_t)extent;
    const bool changed = find_content(w, w->section, count) != NULL;
    if (!changed) {
        put(w, doc->bytes + w->from, (uint32_t)extent);
    } else {
        const ll_stream stream = {.start = end - packed, .end = end, .size = unpacked};
        if (!packed || !put_sections(w, &stream, count)) {
            return false;
        }
        put_number(w, plan->buffer, row, w->to - start);
        put_number(w, plan->unpacked, row, w->to - start);
        put_number(w, plan->packed, row, 0);
        w->to = start + ll_align_up(w->to - start, plan->unit);
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

/* Writes all blocks, and the fill after them. False: the blocks do not agree with the tables. */
static bool put_blocks(rewriter *w)
{
    const ll_doc *doc = w->store.doc;
    const uint32_t row = ll_row_size(doc, w->store.plan->packed);
    w->section = 0;
    w->from = w->store.data;
    w->to = w->store.data;
    for (uint32_t i = 0; i < w->store.count.blocks; i++) {
        if (!put_block(w, w->store.blocks + (uint64_t)i * row)) {
            return false;
        }
    }
    const ll_alignment *end = ll_end_alignment_of(doc->format, w->store.edition->layout);
    const bool filled = end && w->from + ll_padding_at(end, w->from) == doc->size;
    const uint32_t fill = filled ? ll_padding_at(end, w->to) : doc->size - w->from;
    if (filled && w->out && fill) {
        memset(w->out + w->to, end->fill, fill);
        w->to += fill;
    } else if (filled) {
        w->to += fill;
    } else {
        put(w, doc->bytes + w->from, fill);
    }
    return w->section == w->store.count.sections;
}

bool ll_rewrite(ll_doc *doc, ll_content *contents, ll_content *file)
{
    rewriter w = {.contents = contents};
    if (!ll_open_store(doc, &w.store) || !w.store.count.blocks) {
        return false;
    }
    name_regions(&w);
    if (!put_blocks(&w) || w.to > file->size) {
        return false;
    }
    file->size = (uint32_t)w.to;
    w.out = ll_doc_zalloc(doc, file->size, 1);
    file->bytes = w.out;
    if (!w.out) {
        return false;
    }
    memcpy(w.out, doc->bytes, w.store.data);
    return put_blocks(&w);
}
