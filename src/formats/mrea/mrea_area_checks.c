/* Named checks of an area's end and blocks. They report nothing where the parser has found the numbers wrong that they
 * would reckon with: it has said so. Every check is linear in the file. */
#include "formats/mrea/mrea_check.h"

/* ------------------------------------------------------------------ blocks */

typedef struct block {
    uint32_t row;
    uint64_t buffer, unpacked, packed; /* packed: 0 when the block is stored as it is */
    uint64_t first, sections;          /* section numbers */
    uint64_t size;                     /* of its sections */
} block;

/* Walks the rows of the block table together with those of the size table. */
typedef struct block_walk {
    const ll_doc *doc;
    uint32_t blocks, sizes; /* the tables */
    uint32_t row;
    uint64_t section;
    bool agreed; /* the blocks have as many sections as the area, so that every section's block is known */
} block_walk;

static bool begin_walk(const ll_check_run *run, block_walk *out)
{
    const ll_doc *doc = run->doc;
    const mrea_summary *summary = mrea_summary_of(run);
    if (!summary || !ll_is_usable(doc, summary->block_table) || !ll_is_usable(doc, summary->size_table)) {
        return false;
    }
    *out = (block_walk){.doc = doc, .blocks = summary->block_table, .sizes = summary->size_table};
    uint64_t sections = 0;
    for (uint32_t row = 0; row < ll_doc_span(doc, out->blocks)->count; row++) {
        sections += ll_get_uint(doc, out->blocks, row, mrea_block_row_section_count);
    }
    out->agreed = sections == ll_doc_span(doc, out->sizes)->count;
    return true;
}

static bool next_block(block_walk *w, block *out)
{
    if (w->row == ll_doc_span(w->doc, w->blocks)->count) {
        return false;
    }
    *out = (block){.row = w->row,
                   .buffer = ll_get_uint(w->doc, w->blocks, w->row, mrea_block_row_buffer_size),
                   .unpacked = ll_get_uint(w->doc, w->blocks, w->row, mrea_block_row_decompressed_size),
                   .packed = ll_get_uint(w->doc, w->blocks, w->row, mrea_block_row_compressed_size),
                   .first = w->section,
                   .sections = ll_get_uint(w->doc, w->blocks, w->row, mrea_block_row_section_count)};
    w->row++;
    w->section += out->sections;
    for (uint64_t i = out->first; w->agreed && i < w->section; i++) {
        out->size += ll_get_uint(w->doc, w->sizes, (uint32_t)i, mrea_section_size_section_size);
    }
    return true;
}

/* The parser found the numbers of some block wrong. */
static bool are_blocks_in_doubt(const ll_doc *doc)
{
    static const uint16_t codes[] = {MREA_FAULT_BLOCK_SECTION_COUNT, MREA_FAULT_BLOCK_SIZE_SUM,
                                     MREA_FAULT_BLOCK_TRUNCATED,     MREA_FAULT_BLOCK_STREAM_LENGTH,
                                     MREA_FAULT_SEGMENT_BAD,         MREA_FAULT_FILE_END,
                                     MREA_FAULT_FILE_END_LONG};
    for (const ll_fault_node *node = doc->first_fault; node; node = node->next) {
        for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++) {
            if (node->fault.code == codes[i]) {
                return true;
            }
        }
    }
    return false;
}

static uint64_t buffer_for(uint64_t unpacked, bool packed)
{
    return packed ? unpacked + MREA_BUFFER_EXTRA : unpacked;
}

/* A buffer that suits the sizes of the sections is right, and decompressed_size is wrong. One that suits the block
 * stored the other way is right too, if the data show that compressed_size is wrong. */
void mrea_check_block_buffer_size(ll_check_run *run)
{
    block_walk walk;
    block b;
    bool doubt = are_blocks_in_doubt(run->doc);
    bool known = begin_walk(run, &walk) && walk.blocks == run->span;
    while (known && next_block(&walk, &b)) {
        uint64_t right = buffer_for(b.unpacked, b.packed);
        if (b.buffer != right && !(walk.agreed && b.buffer == buffer_for(b.size, b.packed)) &&
            !(doubt && b.buffer == buffer_for(b.unpacked, !b.packed))) {
            LL_REPORT(run, MREA_HINT_NONE, ll_at_field(run->doc, run->span, b.row, mrea_block_row_buffer_size),
                      ll_uint(b.buffer), ll_uint(right));
        }
    }
}

static bool has_section(const block *b, uint64_t first, uint64_t count)
{
    return first < b->first + b->sections && b->first < first + count;
}

/* Of games whose writers are known to keep to it. */
static bool has_known_writer(const mrea_summary *summary)
{
    return summary->game == MREA_MP2 || summary->game == MREA_MP3;
}

void mrea_check_block_over_cap(ll_check_run *run)
{
    enum { CAP = 0x20000 };
    const mrea_summary *summary = mrea_summary_of(run);
    block_walk walk;
    block b;
    mrea_script script = {0, 0, 0};
    if (!begin_walk(run, &walk) || !walk.agreed || !has_known_writer(summary) || are_blocks_in_doubt(run->doc)) {
        return;
    }
    bool known = mrea_find_script(run->doc, summary, &script);
    while (next_block(&walk, &b)) {
        bool over = b.unpacked > CAP;
        const char *alone = over                                                   ? "the size"
                            : known && has_section(&b, script.first, script.count) ? "a script layer"
                            : known && has_section(&b, script.generated, 1)        ? "the generated objects"
                                                                                   : NULL;
        if (alone && b.sections >= 2) {
            unsigned field = over ? (unsigned)mrea_block_row_decompressed_size : (unsigned)mrea_block_row_section_count;
            LL_REPORT(run, MREA_HINT_NONE, ll_at_field(run->doc, walk.blocks, b.row, field), ll_uint(b.unpacked),
                      ll_uint(b.sections), ll_word(alone));
        }
    }
}

/* ------------------------------------------------------------------ segments */

/* The segment of a block behind a span of it, or behind the block's own; LL_NO_SPAN: there is none. */
static uint32_t next_segment(const ll_doc *doc, uint32_t group, uint32_t span)
{
    for (span++; span < doc->span_count; span++) {
        const ll_span *s = ll_doc_span(doc, span);
        if (s->parent == LL_NO_SPAN || s->parent < group) {
            break;
        }
        if (s->layout == mrea_segment_LAYOUT) {
            return span;
        }
    }
    return LL_NO_SPAN;
}

/* Bytes that follow a segment's size field. */
static uint32_t stored_bytes(const ll_doc *doc, uint32_t segment, bool *packed)
{
    uint32_t word = (uint32_t)ll_get_uint(doc, segment, 0, mrea_segment_stored_size);
    *packed = word < 0x8000;
    return *packed ? word : 0x10000 - word;
}

/* The segments of a block are all there and as long as the row says; the parser has reported others. */
static bool is_stream_sound(const ll_doc *doc, uint32_t group, uint64_t packed_size, uint64_t unpacked)
{
    uint64_t total = 0;
    uint64_t segments = 0;
    for (uint32_t span = group; (span = next_segment(doc, group, span)) != LL_NO_SPAN; segments++) {
        bool packed;
        total += mrea_segment_SIZE + stored_bytes(doc, span, &packed);
        if (!ll_is_usable(doc, span)) {
            return false;
        }
    }
    return total == packed_size && segments == (unpacked + MREA_SEGMENT - 1) / MREA_SEGMENT;
}

static void check_segments(ll_check_run *run, uint32_t group, uint64_t left)
{
    for (uint32_t span = group; (span = next_segment(run->doc, group, span)) != LL_NO_SPAN;) {
        bool packed;
        uint32_t stored = stored_bytes(run->doc, span, &packed);
        uint64_t unpacked = left < MREA_SEGMENT ? left : MREA_SEGMENT;
        if (packed && stored >= unpacked) {
            LL_REPORT(run, MREA_HINT_NONE, ll_at_field(run->doc, span, 0, mrea_segment_stored_size), ll_uint(stored),
                      ll_uint(unpacked));
        }
        left -= unpacked;
    }
}

/* Writers store a block, or a segment, as it is unless packing makes it smaller. Of a block that is not worth it, no
 * segment can be. */
void mrea_check_block_not_worth_it(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const mrea_summary *summary = mrea_summary_of(run);
    if (!summary || !ll_is_usable(doc, summary->block_table) || !has_known_writer(summary)) {
        return;
    }
    uint32_t table = summary->block_table;
    for (uint32_t group = 0; group < doc->span_count; group++) {
        const ll_span *s = ll_doc_span(doc, group);
        if (s->layout != mrea_block_LAYOUT || s->index >= ll_doc_span(doc, table)->count) {
            continue;
        }
        uint64_t packed = ll_get_uint(doc, table, s->index, mrea_block_row_compressed_size);
        uint64_t unpacked = ll_get_uint(doc, table, s->index, mrea_block_row_decompressed_size);
        if (!packed || !is_stream_sound(doc, group, packed, unpacked)) {
            continue;
        }
        if (ll_align_up(packed, MREA_ALIGNMENT) >= unpacked) {
            LL_REPORT(run, MREA_HINT_NONE, ll_at_field(doc, table, s->index, mrea_block_row_compressed_size),
                      ll_uint(packed), ll_uint(unpacked));
        } else {
            check_segments(run, group, unpacked);
        }
    }
}
