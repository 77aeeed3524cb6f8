/* Named checks of an area's paddings and blocks. They keep silent where the parser has found the numbers wrong that
 * they would reckon with: it has said so. Every check is linear in the file. */
#include "formats/mrea/mrea_check.h"

/* ------------------------------------------------------------------ paddings */

/* Bytes of the stretch that are not `fill`: how many, and a place from the first to the last of them. */
static uint32_t find_odd(const ll_doc *doc, uint32_t span, uint32_t length, uint8_t fill, ll_where *at)
{
    uint32_t offset = ll_doc_span(doc, span)->offset;
    const uint8_t *bytes = ll_doc_at(doc, offset);
    uint32_t count = 0;
    uint32_t first = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (bytes[i] != fill) {
            first = count ? first : i;
            last = i;
            count++;
        }
    }
    *at = ll_at_bytes(span, offset + first, count ? last - first + 1 : 0);
    return count;
}

static ll_fault odd_fault(const ll_doc *doc, uint32_t count, ll_where at)
{
    ll_fault fault = ll_fault_at(0, at);
    fault.arg[0] = ll_uint(count);
    fault.arg[1] = ll_uint(*ll_doc_at(doc, at.offset));
    return fault;
}

/* Areas of Prime 3 end on a multiple of 64, filled with 0xff; what lies behind that is no fill. */
void mrea_check_file_end_fill(ll_check_run *run)
{
    enum { END_ALIGNMENT = 64 };
    const ll_doc *doc = run->doc;
    const mrea_summary *summary = mrea_summary_of(run);
    if (!summary || (summary->game != MREA_MP3 && summary->game != MREA_DKCR)) {
        return;
    }
    const ll_span *s = ll_doc_span(doc, run->span);
    uint64_t fill = ll_align_up(s->offset, END_ALIGNMENT) - s->offset;
    ll_where at;
    uint32_t count = find_odd(doc, run->span, s->length < fill ? s->length : (uint32_t)fill, 0xFF, &at);
    if (count) {
        ll_fault fault = odd_fault(doc, count, at);
        ll_report_fault(run, &fault);
    }
}

/* ------------------------------------------------------------------ blocks */

typedef struct block {
    uint32_t row;
    uint32_t buffer, unpacked, packed; /* packed: 0 when the block is stored as it is */
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
                   .buffer = (uint32_t)ll_get_uint(w->doc, w->blocks, w->row, mrea_block_row_buffer_size),
                   .unpacked = (uint32_t)ll_get_uint(w->doc, w->blocks, w->row, mrea_block_row_decompressed_size),
                   .packed = (uint32_t)ll_get_uint(w->doc, w->blocks, w->row, mrea_block_row_compressed_size),
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
    for (const ll_fault_node *node = doc->first_fault; node; node = node->next) {
        switch (node->fault.code) {
        case MREA_FAULT_BLOCK_SECTION_COUNT:
        case MREA_FAULT_BLOCK_SIZE_SUM:
        case MREA_FAULT_BLOCK_TRUNCATED:
        case MREA_FAULT_BLOCK_STREAM_LENGTH:
        case MREA_FAULT_SEGMENT_BAD:
        case MREA_FAULT_FILE_END:
        case MREA_FAULT_FILE_END_LONG:
            return true;
        default:
            break;
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
    if (!begin_walk(run, &walk) || walk.blocks != run->span) {
        return;
    }
    bool doubt = are_blocks_in_doubt(run->doc);
    while (next_block(&walk, &b)) {
        bool fits =
            b.buffer == buffer_for(b.unpacked, b.packed) || (walk.agreed && b.buffer == buffer_for(b.size, b.packed));
        bool fits_other = doubt && b.buffer == buffer_for(b.unpacked, !b.packed);
        if (!fits && !fits_other) {
            LL_REPORT(run, MREA_HINT_NONE, ll_at_field(run->doc, run->span, b.row, mrea_block_row_buffer_size),
                      ll_uint(b.buffer), ll_uint(buffer_for(b.unpacked, b.packed)));
        }
    }
}

static bool holds(const block *b, uint64_t first, uint64_t count)
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
        bool layer = known && holds(&b, script.first, script.count);
        bool generated = known && holds(&b, script.generated, 1);
        if (b.sections < 2) {
            continue;
        }
        if (over || layer || generated) {
            unsigned field = over ? (unsigned)mrea_block_row_decompressed_size : (unsigned)mrea_block_row_section_count;
            LL_REPORT(run, MREA_HINT_NONE, ll_at_field(run->doc, walk.blocks, b.row, field), ll_uint(b.unpacked),
                      ll_uint(b.sections),
                      ll_word(over    ? "the size"
                              : layer ? "a script layer"
                                      : "the generated objects"));
        }
    }
}

/* ------------------------------------------------------------------ segments */

/* Bytes that follow a segment's size field. */
static uint32_t stored_bytes(const ll_doc *doc, uint32_t segment, bool *packed)
{
    uint32_t word = (uint32_t)ll_get_uint(doc, segment, 0, mrea_segment_stored_size);
    *packed = word < 0x8000;
    return *packed ? word : 0x10000 - word;
}

/* Whether a span stands below `group`: parents come before their children. */
static bool is_below(const ll_doc *doc, uint32_t span, uint32_t group)
{
    uint32_t parent = ll_doc_span(doc, span)->parent;
    return parent != LL_NO_SPAN && parent >= group;
}

static bool is_segment_of(const ll_doc *doc, uint32_t span, uint32_t group)
{
    const ll_span *s = ll_doc_span(doc, span);
    return s->layout == mrea_segment_LAYOUT && s->parent == group;
}

static void report_sizes(ll_check_run *run, ll_where at, uint64_t stored, uint64_t unpacked)
{
    LL_REPORT(run, MREA_HINT_NONE, at, ll_uint(stored), ll_uint(unpacked));
}

/* Segments of a block that are all there and as long as the row says; false for others: the parser has reported them.
 */
static bool is_stream_sound(const ll_doc *doc, uint32_t group, uint32_t end, const block *b)
{
    uint64_t total = 0;
    uint64_t segments = 0;
    for (uint32_t span = group + 1; span < end; span++) {
        if (is_segment_of(doc, span, group)) {
            bool packed;
            if (ll_doc_span(doc, span)->flags & LL_SPAN_BROKEN) {
                return false;
            }
            total += mrea_segment_SIZE + stored_bytes(doc, span, &packed);
            segments++;
        }
    }
    return total == b->packed && segments == ((uint64_t)b->unpacked + MREA_SEGMENT - 1) / MREA_SEGMENT;
}

static void check_stream(ll_check_run *run, uint32_t table, uint32_t group, uint32_t end, const block *b)
{
    const ll_doc *doc = run->doc;
    uint64_t left = b->unpacked;
    if (ll_align_up(b->packed, MREA_ALIGNMENT) >= b->unpacked) {
        report_sizes(run, ll_at_field(doc, table, b->row, mrea_block_row_compressed_size), b->packed, b->unpacked);
        return; /* its segments cannot be worth it either */
    }
    for (uint32_t span = group + 1; span < end; span++) {
        if (is_segment_of(doc, span, group)) {
            bool packed;
            uint32_t stored = stored_bytes(doc, span, &packed);
            uint64_t unpacked = left < MREA_SEGMENT ? left : MREA_SEGMENT;
            if (packed && stored >= unpacked) {
                report_sizes(run, ll_at_field(doc, span, 0, mrea_segment_stored_size), stored, unpacked);
            }
            left -= unpacked;
        }
    }
}

/* Writers store a block, or a segment, as it is unless packing makes it smaller. */
void mrea_check_block_not_worth_it(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const mrea_summary *summary = mrea_summary_of(run);
    block_walk walk;
    block b = {0};
    if (!begin_walk(run, &walk) || !has_known_writer(summary)) {
        return;
    }
    bool more = next_block(&walk, &b);
    for (uint32_t group = 0; more && group < doc->span_count; group++) {
        const ll_span *s = ll_doc_span(doc, group);
        if (s->layout != mrea_block_LAYOUT) {
            continue;
        }
        while (more && b.row < s->index) { /* not every row need have a block: the file may be cut */
            more = next_block(&walk, &b);
        }
        uint32_t end = group + 1;
        while (end < doc->span_count && is_below(doc, end, group)) {
            end++;
        }
        if (more && b.row == s->index && b.packed && is_stream_sound(doc, group, end, &b)) {
            check_stream(run, walk.blocks, group, end, &b);
        }
        group = end - 1;
    }
}
