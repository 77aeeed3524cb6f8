/* Reads the blocks of a store. Raw blocks hold sections, compressed ones a stream, which the codec of the format
 * unpacks. The sizes of a block are stated in its row, in the size table and by its stream; the row is believed. */
#include "model/store_state.h"

/* A row of the block table, and what is known of its block. */
typedef struct block {
    uint32_t number;
    uint32_t buffer, unpacked, packed;
    uint32_t first, count; /* number of its first section, and of its sections */
    uint32_t stated;       /* number of sections by the row */
    uint64_t sum;          /* sum of the sizes of its sections */
    uint64_t extent;
    uint32_t span;
    uint32_t pos; /* file offset */
} block;

static uint32_t row_number(const ll_store *s, uint32_t number, ll_field_of f)
{
    return ll_row_number(s->doc, f, s->blocks + (uint64_t)number * ll_row_size(s->doc, f));
}

static ll_where at_row(const ll_store *s, const block *b, ll_field_of f)
{
    return ll_at_field(s->doc, s->block_table, b->number, f.field);
}

/* Reads a row. Sections that have no row in the size table are left out. */
static block read_block(const ll_store *s, uint32_t number, uint32_t first, uint32_t pos)
{
    const ll_store_plan *plan = s->plan;
    block b = {.number = number, .first = first, .span = LL_NO_SPAN, .pos = pos};
    b.buffer = row_number(s, number, plan->buffer);
    b.unpacked = row_number(s, number, plan->unpacked);
    b.packed = row_number(s, number, plan->packed);
    b.stated = row_number(s, number, plan->count);
    b.count = ll_least(b.stated, s->count.sections - first);
    b.sum = ll_sum_of_sizes(s->doc, plan, s->sizes + (uint64_t)first * ll_row_size(s->doc, plan->size), b.count);
    b.extent = ll_block_extent(plan, b.unpacked, b.packed);
    return b;
}

/* ------------------------------------------------------------------ contents */

/* Reads the sections of a raw block, of which `have` bytes are there. */
static void read_raw(ll_store *s, const block *b, uint32_t have)
{
    ll_doc *doc = s->doc;
    const uint32_t stored = ll_least(b->unpacked, have), end = b->pos + stored,
                   pos = ll_read_numbered(s, b->first, b->count, NULL,
                                          (ll_stretch){.parent = b->span, .from = b->pos, .to = end});
    const uint32_t rest = ll_claim_unparsed(doc, b->span, pos, end);
    ll_mark_span(doc, rest, LL_SPAN_EXPLAINED); /* the sizes of the sections do not add up to that of the block */
    ll_claim_bytes(doc, b->span, s->plan->behind, end, end + have - stored);
}

/* Reads the stream of a compressed block, and what it leaves over. False: it cannot be unpacked. */
static bool read_stream(ll_store *s, const block *b, const ll_stream *stream)
{
    ll_doc *doc = s->doc;
    bool good = true;
    const uint32_t at = doc->format->codec->read(&s->unpacker, b->span, stream, &good);
    if (good && at < stream->end) {
        ll_raise_value(doc,
                       ll_read_fault(doc->format, LL_READ_SIZE, s->plan->packed.layout, stream->length_at,
                                     (ll_read_words){ll_uint(b->packed), ll_uint(at - stream->start), "size"}),
                       at - stream->start);
    }
    ll_mark_span(doc, ll_claim_unparsed(doc, b->span, at, stream->end), good ? LL_SPAN_EXPLAINED : 0);
    return good;
}

static void read_compressed(ll_store *s, const block *b)
{
    const uint32_t end = b->pos + (uint32_t)b->extent, start = end - b->packed;
    const ll_stream stream = {b->pos, start, end, b->unpacked, at_row(s, b, s->plan->packed)};
    const bool good = read_stream(s, b, &stream);
    ll_mark_span(s->doc, b->span, LL_SPAN_PACKED);
    ll_claim_bytes(s->doc, b->span, s->plan->lead, b->pos, start);
    if (good) {
        (void)ll_read_numbered(s, b->first, b->count, &stream, (ll_stretch){.parent = LL_NO_SPAN, .to = stream.size});
    } else if (s->doc->copy) { /* the size with which the stream fits the block */
        ll_suggest(s->doc, stream.length_at, s->doc->format->codec->find(s->doc, b->pos, b->extent, b->unpacked));
    }
}

/* Size of the stream of a block. The next blocks end at the end of the file, so their sizes say where this one ends. 0:
 * no stream ends there. */
static uint32_t find_extent(const ll_store *s, const block *b)
{
    const ll_doc *doc = s->doc;
    uint64_t behind = b->pos + ll_fill_at_end(s);
    for (uint32_t i = b->number + 1; i < s->count.blocks; i++) {
        behind += ll_block_extent(s->plan, row_number(s, i, s->plan->unpacked), row_number(s, i, s->plan->packed));
    }
    return behind < doc->size ? doc->format->codec->find(doc, b->pos, doc->size - behind, b->unpacked) : 0;
}

/* Reads a block that reaches beyond the end of the file. */
static void read_cut(ll_store *s, const block *b)
{
    ll_doc *doc = s->doc;
    const uint32_t left = doc->size - b->pos;
    if (left && b->packed) {
        ll_mark_span(doc, ll_claim_unparsed(doc, b->span, b->pos, doc->size), LL_SPAN_EXPLAINED);
    } else if (left) {
        read_raw(s, b, left);
    }
    ll_fault fault = ll_read_fault(doc->format, LL_READ_CUT, s->plan->block, ll_at_bytes(LL_NO_SPAN, doc->size, 0),
                                   (ll_read_words){ll_uint(doc->size), ll_uint(b->pos + b->extent), "size"});
    fault.related = ll_unproved(s);
    fault.want = b->pos + b->extent;
    ll_raise(doc, &fault);
    if (doc->copy) {
        ll_suggest(doc, at_row(s, b, s->plan->packed), find_extent(s, b));
    }
}

/* ------------------------------------------------------------------ rows of the block table */

/* Raises a fault if a size in the row is not what the rest of the store asks for. */
static void expect(const ll_store *s, const block *b, ll_field_of f, uint32_t stated, uint64_t right)
{
    if (stated != right) {
        ll_fault fault = ll_read_fault(s->doc->format, LL_READ_SIZE, f.layout, at_row(s, b, f),
                                       (ll_read_words){ll_uint(stated), ll_uint(right), "size"});
        fault.arg[2] = ll_uint(b->first);
        fault.arg[3] = ll_uint(b->count ? b->first + b->count - 1 : b->first);
        ll_raise_value(s->doc, fault, right);
    }
}

static void judge_row(const ll_store *s, const block *b)
{
    if (b->stated == 0) {
        ll_fault fault = ll_read_fault(s->doc->format, LL_READ_COUNT, s->plan->count.layout,
                                       at_row(s, b, s->plan->count), (ll_read_words){ll_uint(0), ll_uint(1), "count"});
        ll_raise(s->doc, &fault);
    } else {
        expect(s, b, s->plan->unpacked, b->unpacked, b->sum);
    }
    expect(s, b, s->plan->buffer, b->buffer, (uint64_t)b->unpacked + (b->packed ? s->plan->extra : 0));
}

/* On a copy, fills in unknown bytes of the rows: with what the sizes of sections, the other rows and the end of the
 * file ask for. */
static void fill_rows(const ll_store *s)
{
    const ll_store_plan *plan = s->plan;
    const ll_doc *doc = s->doc;
    uint32_t first = 0;
    uint64_t pos = s->data;
    ll_fill_term(s, s->block_table, plan->count.field, 0, s->count.blocks,
                 s->count.sections - ll_sections_of_blocks(doc, plan, s->edition, &s->count));
    for (uint32_t i = 0; i < s->count.blocks; i++) {
        const block b = read_block(s, i, first, 0);
        if (!ll_fill_in(doc, at_row(s, &b, plan->unpacked), b.sum)) {
            ll_fill_term(s, s->size_table, plan->size.field, first, b.count, b.unpacked - b.sum);
        }
        first += b.count;
    }
    first = 0;
    for (uint32_t i = 0; i < s->count.blocks && pos < doc->size; i++) {
        block b = read_block(s, i, first, (uint32_t)pos);
        const ll_where size = at_row(s, &b, plan->packed);
        const uint32_t stream = ll_fill_in(doc, size, 0) ? find_extent(s, &b) : 0;
        b.packed = ll_fill_in(doc, size, stream) ? stream : b.packed;
        (void)ll_fill_in(doc, at_row(s, &b, plan->buffer), (uint64_t)b.unpacked + (b.packed ? plan->extra : 0));
        first += b.count;
        pos += ll_block_extent(plan, b.unpacked, b.packed);
    }
}

/* Judges the rows of the table, and the number of sections in all blocks. */
static void judge_rows(const ll_store *s)
{
    const ll_doc *doc = s->doc;
    uint64_t total = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < s->count.blocks && doc->status == LL_OK; i++) {
        const block b = read_block(s, i, first, 0);
        judge_row(s, &b);
        first += b.count;
        const uint32_t stated = row_number(s, i, s->plan->count);              /* it may have been filled in */
        total += stated || doc->unknown_from == doc->unknown_to ? stated : 1U; /* at least 1 */
    }
    if (total != s->count.sections) {
        const ll_where at = ll_at_header(s, ll_count_field(doc->format, s->edition->layout, s->plan->size));
        ll_raise_value(s->doc,
                       ll_read_fault(doc->format, LL_READ_COUNT, s->plan->count.layout, at,
                                     (ll_read_words){ll_uint(s->count.sections), ll_uint(total), "count"}),
                       total);
    }
}

uint64_t ll_read_blocks(ll_store *s)
{
    ll_doc *doc = s->doc;
    uint32_t pos = s->data, first = 0;
    uint64_t end = pos;
    if (doc->unknown_from < doc->unknown_to) {
        fill_rows(s);
    }
    judge_rows(s);
    for (uint32_t i = 0; i < s->count.blocks && end == pos && doc->status == LL_OK; i++) {
        block b = read_block(s, i, first, pos);
        const uint32_t left = doc->size - pos, length = (uint32_t)(b.extent < left ? b.extent : left);
        b.span = ll_claim_group(doc, LL_NO_SPAN, s->plan->block, pos, pos + length, i);
        if (b.extent > left) {
            read_cut(s, &b);
        } else if (b.packed) {
            read_compressed(s, &b);
        } else {
            read_raw(s, &b, length);
        }
        end = pos + b.extent;
        pos += length;
        first += b.count;
    }
    return end;
}
