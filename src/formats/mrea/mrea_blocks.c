/* Walks the blocks of an area: raw ones hold sections, compressed ones segments, which mrea_segments.c parses.
 * Decides what each row of the block table says of its block and claims the bytes.
 *
 * A block's sizes stand in several places: in its row, in the size table, in its segments, and all blocks together end
 * where the file does. Where two of them agree against one, the one is the finding and the walk goes on with what it
 * should be. */
#include "formats/mrea/mrea_area.h"

enum { ROW = mrea_block_row_SIZE, SIZE_ROW = mrea_section_size_SIZE };

/* A row of the block table with what the walk knows of its block. */
typedef struct block {
    uint32_t number;
    uint32_t buffer, decompressed, compressed; /* the latter two corrected */
    uint32_t first, count;                     /* sections; count corrected */
    uint64_t sum;                              /* sizes of its sections */
    bool sizes_wrong;                          /* not decompressed, but a size is what makes the sum differ */
    uint32_t span;
    uint64_t extent;
} block;

typedef struct walk {
    mrea_area *area;
    uint32_t pos;       /* in the file */
    uint32_t first;     /* section that the next block begins with */
    int64_t excess;     /* bytes that the extents of all blocks are too long; 0: they fit */
    uint32_t corrected; /* block whose section count is wrong, LL_NO_INDEX: none */
    uint32_t corrected_count;
    uint32_t moved; /* block that has area->moved.by bytes too many, LL_NO_INDEX: none */
    bool lost;      /* section counts cannot be trusted any more */
    bool suspected; /* one block was searched already for what makes the extents wrong */
    bool ended;     /* the file ends in the last block looked at */
} walk;

uint64_t mrea_block_extent(uint32_t decompressed, uint32_t compressed)
{
    return ll_align_up(compressed ? compressed : decompressed, MREA_ALIGNMENT);
}

static uint32_t row_word(const mrea_area *area, uint32_t number, unsigned at)
{
    return mrea_word(area->doc, area->blocks + number * ROW + at);
}

static ll_where at_row(const walk *w, uint32_t number, unsigned field)
{
    return ll_at_field(w->area->doc, w->area->summary->block_table, number, field);
}

/* ------------------------------------------------------------------ rows of the block table */

static uint64_t sum_of_sizes(const mrea_area *area, uint32_t first, uint64_t count)
{
    return mrea_sum_of_sizes(area->doc, area->sizes + (uint64_t)first * SIZE_ROW, count);
}

static uint64_t buffer_for(uint32_t decompressed, bool compressed)
{
    return (uint64_t)decompressed + (compressed ? MREA_BUFFER_EXTRA : 0);
}

/* Of decompressed size and sum of the sections' sizes that one is right which agrees with the buffer size. */
static block read_block(const walk *w, uint32_t number, uint32_t first)
{
    const mrea_area *area = w->area;
    uint32_t left = area->summary->sections - first;
    uint32_t stated = row_word(area, number, mrea_block_row_at_section_count);
    block b = {.number = number, .first = first, .span = LL_NO_SPAN};
    b.buffer = row_word(area, number, mrea_block_row_at_buffer_size);
    b.decompressed = row_word(area, number, mrea_block_row_at_decompressed_size);
    b.compressed = row_word(area, number, mrea_block_row_at_compressed_size);
    b.count = mrea_least(number == w->corrected ? w->corrected_count : stated, left);
    b.sum = w->lost ? b.decompressed : sum_of_sizes(area, first, b.count);
    if (b.sum != b.decompressed) {
        if (b.buffer == b.sum + buffer_for(0, b.compressed)) { /* so the sum has 32 bits */
            b.decompressed = (uint32_t)b.sum;
        } else {
            b.sizes_wrong = b.buffer == buffer_for(b.decompressed, b.compressed);
        }
    }
    b.extent = mrea_block_extent(b.decompressed, b.compressed);
    return b;
}

/* ------------------------------------------------------------------ section counts of blocks */

/* First block from the front, and first one from the back, whose sections do not add up to its size; `blocks` and
 * LL_NO_INDEX: none. */
typedef struct misfits {
    uint32_t front, back;
    uint32_t first; /* section that the front one begins with */
} misfits;

static misfits find_misfits(const mrea_area *area)
{
    uint32_t sections = area->summary->sections;
    uint32_t blocks = area->summary->blocks;
    misfits m = {0, LL_NO_INDEX, 0};
    for (; m.front < blocks; m.front++) {
        uint32_t count = row_word(area, m.front, mrea_block_row_at_section_count);
        if (count > sections - m.first ||
            sum_of_sizes(area, m.first, count) != row_word(area, m.front, mrea_block_row_at_decompressed_size)) {
            break;
        }
        m.first += count;
    }
    uint32_t behind = sections;
    for (uint32_t i = blocks; i-- > 0 && m.back == LL_NO_INDEX;) {
        uint32_t count = row_word(area, i, mrea_block_row_at_section_count);
        if (count > behind ||
            sum_of_sizes(area, behind - count, count) != row_word(area, i, mrea_block_row_at_decompressed_size)) {
            m.back = i;
        } else {
            behind -= count;
        }
    }
    return m;
}

/* The section counts add up to the sections of the area, or one count can be told that must be another. */
static void resolve_section_counts(walk *w)
{
    mrea_area *area = w->area;
    uint32_t sections = area->summary->sections;
    uint64_t total = 0;
    for (uint32_t i = 0; i < area->summary->blocks; i++) {
        total += row_word(area, i, mrea_block_row_at_section_count);
    }
    if (total == sections) {
        return;
    }
    misfits m = find_misfits(area);
    if (m.front ==
        area->summary->blocks) { /* the last one then, as what is too many or too few comes behind all that fit */
        m.front--;
        m.first -= row_word(area, m.front, mrea_block_row_at_section_count);
    }
    uint32_t stated = row_word(area, m.front, mrea_block_row_at_section_count);
    int64_t count = (int64_t)stated + ((int64_t)sections - (int64_t)total);
    bool alone = (m.back == LL_NO_INDEX || m.back <= m.front) && count > 0 && count <= (int64_t)sections - m.first;
    if (alone &&
        sum_of_sizes(area, m.first, (uint64_t)count) == row_word(area, m.front, mrea_block_row_at_decompressed_size)) {
        w->corrected = m.front;
        w->corrected_count = (uint32_t)count;
        ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_BLOCK_SECTION_COUNT, MREA_HINT_COUNT_FIELD,
                                       at_row(w, m.front, mrea_block_row_section_count), ll_nowhere(), ll_uint(stated),
                                       ll_uint((uint64_t)count));
        block b = read_block(w, m.front, m.first);
        if (b.buffer == buffer_for(b.decompressed, b.compressed)) { /* else more of the row may be wrong */
            ll_patch_field(area->doc, &fault, LL_PATCH_SAFE, (uint64_t)count);
        }
        ll_raise(area->doc, &fault);
        return;
    }
    w->lost = true;
    LL_RAISE(area->doc, MREA_FAULT_BLOCK_SECTION_COUNT, MREA_HINT_NONE,
             ll_at_field(area->doc, area->summary->header, 0, area->edition->section_count), ll_uint(sections),
             ll_uint(total));
}

uint32_t mrea_fill_of(const mrea_area *area)
{
    const ll_doc *doc = area->doc;
    uint32_t fill = 0;
    while (fill < MREA_ALIGNMENT && fill < doc->size && doc->bytes[doc->size - 1 - fill] == MREA_END_FILL) {
        fill++;
    }
    return mrea_has_tags(area->edition) && fill == MREA_ALIGNMENT ? fill : 0;
}

/* How far the blocks together miss the end of the file. */
static int64_t find_excess(walk *w)
{
    const ll_doc *doc = w->area->doc;
    uint64_t end = w->area->data;
    uint32_t first = 0;
    for (uint32_t i = 0; i < w->area->summary->blocks; i++) {
        block b = read_block(w, i, first);
        end += b.extent;
        first += b.count;
    }
    return (int64_t)end - (int64_t)(doc->size - mrea_fill_of(w->area));
}

/* ------------------------------------------------------------------ compressed or not, and how long */

/* The first segment of a stream decodes. */
static bool starts_sound(const walk *w, uint32_t start, uint32_t end, uint32_t size)
{
    mrea_stream s = {.start = start, .end = end, .size = size, .corrected = LL_NO_INDEX, .next_at = start};
    uint8_t byte;
    return mrea_stream_copy(w->area, &s, 0, 1, &byte);
}

/* Compressed size with which the segments of a block that takes `extent` bytes fit; 0: none. The stream starts at the
 * first byte behind the zeros, or one before it, as the size of a short segment starts with one. */
static uint32_t find_compressed(const walk *w, uint64_t extent, uint32_t size)
{
    const ll_doc *doc = w->area->doc;
    if (!ll_fits(w->pos, extent, doc->size) || extent / MREA_LEAST_SEGMENT < mrea_segments_of(size)) {
        return 0;
    }
    uint32_t end = w->pos + (uint32_t)extent;
    uint32_t lead = 0;
    while (lead < MREA_ALIGNMENT && w->pos + lead < end && doc->bytes[w->pos + lead] == 0) {
        lead++;
    }
    for (uint32_t back = 0; back <= 1 && back <= lead; back++) {
        uint32_t start = w->pos + lead - back;
        if (lead - back < MREA_ALIGNMENT && start < end && mrea_segments_fit(doc, start, end, size, UINT64_MAX) &&
            starts_sound(w, start, end, size)) {
            return end - start;
        }
    }
    return 0;
}

static bool row_fits(const walk *w, const block *b)
{
    const ll_doc *doc = w->area->doc;
    if (!b->compressed) { /* nothing to look at but the buffer size */
        return w->excess == 0 || b->buffer != (uint64_t)b->decompressed + MREA_BUFFER_EXTRA;
    }
    if (!ll_fits(w->pos, b->extent, doc->size) || b->extent / MREA_LEAST_SEGMENT < mrea_segments_of(b->decompressed)) {
        return false;
    }
    uint32_t end = w->pos + (uint32_t)b->extent;
    return mrea_segments_fit(doc, end - b->compressed, end, b->decompressed, UINT64_MAX);
}

/* Looks for another compressed size where the stated one does not lead to sound segments. The extents of all blocks
 * tell how long this one should be, if it is the first that does not fit. */
static void resolve_compressed(walk *w, block *b)
{
    if (row_fits(w, b)) {
        return;
    }
    uint64_t extents[2];
    unsigned tries = 0;
    if (w->excess && !w->suspected && (int64_t)b->extent > w->excess) {
        extents[tries++] = (uint64_t)((int64_t)b->extent - w->excess);
    }
    if (b->compressed) {
        extents[tries++] = b->extent;
    }
    w->suspected = true;
    for (unsigned i = 0; i < tries; i++) {
        bool raw = b->compressed && b->buffer == b->decompressed && extents[i] == mrea_block_extent(b->decompressed, 0);
        uint32_t found = raw ? 0 : find_compressed(w, extents[i], b->decompressed);
        if ((!raw && !found) ||
            found == b->compressed) { /* the size is right: what is wrong is where the stream stands */
            continue;
        }
        uint64_t left = w->area->doc->size - w->pos;
        bool beyond = b->extent > left;
        mrea_raise_value(w->area->doc,
                         LL_MAKE_FAULT(beyond ? MREA_FAULT_BLOCK_TRUNCATED : MREA_FAULT_BLOCK_STREAM_LENGTH,
                                       MREA_HINT_SIZE_FIELD, at_row(w, b->number, mrea_block_row_compressed_size),
                                       ll_nowhere(), ll_uint(beyond ? b->number : b->compressed),
                                       ll_uint(beyond ? b->extent : found), ll_uint(left)),
                         found);
        w->excess -= (int64_t)b->extent - (int64_t)extents[i];
        b->compressed = found;
        b->extent = extents[i];
        return;
    }
}

/* ------------------------------------------------------------------ bytes put in or taken out */

/* What shows that a block is in its place: segments that fit, or the first word of one of its sections. */
typedef struct anchor {
    bool known;
    uint32_t magic;  /* of a block that is stored as it is */
    uint64_t offset; /* of the word, in the block */
} anchor;

static anchor find_anchor(const mrea_area *area, const block *b)
{
    anchor a = {b->compressed != 0, 0, 0};
    bool sound = b->sum == b->decompressed;
    for (uint32_t i = b->first; i < b->first + b->count && sound && !a.known; i++) {
        a.magic = mrea_magic_of_kind((mrea_kind)area->kinds[i]);
        a.known = a.magic && mrea_section_size(area, i);
        a.offset += a.known ? 0 : mrea_section_size(area, i);
    }
    return a;
}

/* decode: the first segment of a compressed block must decode as well. */
static bool stands_at(const walk *w, const block *b, const anchor *a, int64_t at, bool decode)
{
    const ll_doc *doc = w->area->doc;
    if (at < 0 || !ll_fits((uint64_t)at, b->extent, doc->size)) {
        return false;
    }
    uint32_t end = (uint32_t)((uint64_t)at + b->extent);
    if (b->compressed) {
        return mrea_segments_fit(doc, end - b->compressed, end, b->decompressed, UINT64_MAX) &&
               (!decode || starts_sound(w, end - b->compressed, end, b->decompressed));
    }
    return a->offset + 4 <= b->extent && mrea_word(doc, (uint32_t)at + (uint32_t)a->offset) == a->magic;
}

static const int64_t NOWHERE = INT64_MAX;

/* How many bytes off its place a block is; a multiple of 32 only where the end of the file is off by as much, as other
 * blocks begin there, and where no size is wrong. */
static int64_t displacement_of(const walk *w, const block *b, const anchor *a, int64_t at, bool sizes_agree)
{
    if (stands_at(w, b, a, at, false)) {
        return 0;
    }
    if (sizes_agree && w->excess && stands_at(w, b, a, at - w->excess, true)) {
        return -w->excess;
    }
    for (int64_t by = -MREA_SHIFT_MAX; by <= MREA_SHIFT_MAX; by++) {
        if (by % MREA_ALIGNMENT && stands_at(w, b, a, at + by, true)) {
            return by;
        }
    }
    return NOWHERE;
}

/* What the blocks in front of one say about where it should be. */
typedef struct leeway {
    uint32_t from;    /* sections from this one on may have bytes too many or too few */
    block last;       /* the last block that may; .number == LL_NO_INDEX: none */
    bool in_place;    /* its segments fit, and still bytes may be missing in them */
    uint32_t at;      /* where it begins */
    bool sizes_wrong; /* of some block in front */
} leeway;

/* Finds how far blocks lie off their places, and the last block in front of them that may be why. 0: they do not. */
static int64_t find_displaced(const walk *w, leeway *found)
{
    uint64_t at = w->area->data;
    uint32_t first = 0;
    *found = (leeway){.last.number = LL_NO_INDEX};
    for (uint32_t i = 0; i < w->area->summary->blocks && at <= w->area->doc->size; i++) {
        block b = read_block(w, i, first);
        anchor a = find_anchor(w->area, &b);
        bool unproved = found->last.number != LL_NO_INDEX && found->last.compressed && !found->in_place;
        int64_t by = a.known ? displacement_of(w, &b, &a, (int64_t)at, !unproved && !found->sizes_wrong) : 0;
        bool shifted = by && by != NOWHERE;
        found->sizes_wrong =
            found->sizes_wrong || b.sum != b.decompressed || b.buffer != buffer_for(b.decompressed, b.compressed);
        if (a.known && by == 0) {
            found->from = b.compressed ? first + b.count : first;
        }
        if (!unproved && !(shifted && (b.compressed || a.offset == 0))) {
            found->last = b;
            found->in_place = b.compressed && by == 0;
            found->at = (uint32_t)at;
        }
        if (shifted) {
            return by;
        }
        at += b.extent;
        first += b.count;
    }
    return 0;
}

/* Finds the block into which bytes were put, or of which they were taken, by a number that is no multiple of 32. Where
 * no block behind it shows that, the end of the file may, and the lights in it. */
static void find_moved(walk *w)
{
    mrea_area *area = w->area;
    leeway where;
    int64_t by = find_displaced(w, &where);
    bool certain = by != 0;
    by = certain ? by : -w->excess;
    const block *b = &where.last;
    area->sound_to = b->number != LL_NO_INDEX ? where.at : area->sound_to;
    bool inside = b->number != LL_NO_INDEX && ll_fits(where.at, b->extent, area->doc->size);
    bool small = by && ((by >= -MREA_SHIFT_MAX && by <= MREA_SHIFT_MAX) || (certain && by == -w->excess));
    int64_t stored = b->compressed ? (int64_t)b->compressed : (int64_t)b->extent;
    bool may_be = certain || by % MREA_ALIGNMENT || (!b->compressed && !where.sizes_wrong);
    if (w->lost || b->number == LL_NO_INDEX || !small || !may_be ||
        stored + by < (b->compressed ? MREA_LEAST_SEGMENT : 0) ||
        (b->compressed && !certain && (where.in_place || !inside))) {
        return;
    }
    const mrea_suspects whole = {b->first, b->first + b->count - 1, by, true};
    mrea_suspects moved = whole;
    if (!b->compressed) {
        uint64_t left = area->doc->size - where.at;
        uint64_t length = (uint64_t)((int64_t)b->extent + by);
        mrea_source source = {where.at, (uint32_t)(length < left ? length : left), NULL};
        moved = mrea_suspect_size(area, &source, b->first, b->count, by, certain);
        if (moved.first == LL_NO_INDEX && certain) {
            moved = whole;
        } else if (moved.first == LL_NO_INDEX || (!moved.moved && !certain)) {
            area->corrected = LL_NO_INDEX;
            return;
        }
        bool lights = moved.first == moved.last && area->kinds[moved.last] == MREA_KIND_LIGHTS;
        moved.first = where.from < b->first && !lights ? where.from : moved.first;
    }
    area->moved = moved;
    area->moved_at = where.at;
    area->moved_end = where.at + (uint32_t)((int64_t)b->extent + by);
    w->moved = b->number;
}

/* ------------------------------------------------------------------ blocks */

/* Then rows may have taken each other's places. */
static bool is_size_of_another(const walk *w, uint32_t number, uint64_t size)
{
    bool found = false;
    for (uint32_t i = 0; i < w->area->summary->blocks && !found; i++) {
        found = i != number && row_word(w->area, i, mrea_block_row_at_decompressed_size) == size;
    }
    return found;
}

/* Then one of them may be a copy, and the row that stood there lost. */
static bool is_row_of_neighbour(const walk *w, uint32_t number)
{
    const uint8_t *row = w->area->doc->bytes + w->area->blocks + (size_t)number * ROW;
    uint32_t blocks = w->area->summary->blocks;
    return (number && !memcmp(row, row - ROW, ROW)) || (number + 1 < blocks && !memcmp(row, row + ROW, ROW));
}

/* Says which size is wrong when the sizes of the sections miss the size of the block. */
static void judge_sizes(walk *w, const block *b, const mrea_source *source)
{
    int64_t by = (int64_t)b->decompressed - (int64_t)b->sum;
    mrea_suspects suspects = mrea_suspect_size(w->area, source, b->first, b->count, by, true);
    mrea_raise_sizes(w->area, MREA_FAULT_BLOCK_SIZE_SUM, suspects, b->first, b->count,
                     is_size_of_another(w, b->number, b->sum) || is_row_of_neighbour(w, b->number));
}

/* Sections of a raw block, of which `have` bytes are there. */
static void parse_raw(walk *w, const block *b, uint32_t have)
{
    ll_doc *doc = w->area->doc;
    uint32_t pos = w->pos;
    uint32_t stored = mrea_least(b->decompressed, have);
    uint32_t end = pos + stored;
    if (b->sizes_wrong && b->count) {
        mrea_source source = {pos, stored, NULL};
        judge_sizes(w, b, &source);
    }
    for (uint32_t i = 0; i < b->count && !w->lost && doc->status == LL_OK; i++) {
        uint32_t size = mrea_section_size(w->area, b->first + i);
        uint32_t there = mrea_least(size, end - pos);
        if (there || size == 0) {
            mrea_claim_section(w->area, b->span, b->first + i, pos, size, there);
        }
        pos += there;
    }
    uint32_t rest = ll_claim_unparsed(doc, b->span, pos, end);
    ll_mark_span(doc, rest, LL_SPAN_TOLD); /* a row of a table says so: a size or a count is wrong, or bytes moved */
    ll_claim_bytes(doc, b->span, mrea_block_padding_LAYOUT, end, end + have - stored);
}

/* Keeps the sections of a sound compressed block that are looked into later. */
static void defer_sections(walk *w, const block *b, const mrea_stream *s)
{
    mrea_deferred here = {.found = true,
                          .packed = true,
                          .group = LL_NO_SPAN,
                          .stream = *s,
                          .outer = w->pos,
                          .outer_length = (uint32_t)b->extent};
    uint64_t offset = 0;
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        here.section = i;
        here.size = here.have = mrea_section_size(w->area, i);
        here.offset = (uint32_t)offset;
        if (ll_fits(offset, here.size, s->size)) {
            (void)mrea_defer(w->area, &here);
        }
        offset += here.size;
    }
}

/* Segments of a compressed block, with what they leave over. False when one is bad. */
static bool parse_stream(walk *w, const block *b, mrea_stream *s)
{
    ll_doc *doc = w->area->doc;
    bool good = true;
    uint32_t at = mrea_parse_segments(w->area, b->span, s, &good);
    if (good && at < s->end && b->number != w->moved) {
        LL_RAISE(doc, MREA_FAULT_BLOCK_STREAM_LENGTH, MREA_HINT_NONE,
                 at_row(w, b->number, mrea_block_row_compressed_size), ll_uint(b->compressed), ll_uint(at - s->start));
    } else if (good && b->extent >= b->decompressed && w->area->edition->form) {
        LL_RAISE(doc, MREA_FAULT_BLOCK_NOT_WORTH_IT, MREA_HINT_NONE,
                 at_row(w, b->number, mrea_block_row_compressed_size), ll_uint(b->compressed),
                 ll_uint(b->decompressed));
    }
    ll_mark_span(doc, ll_claim_unparsed(doc, b->span, at, s->end), good ? LL_SPAN_TOLD : 0);
    return good;
}

/* Sees to it that the lights, if they are in this block, are kept as the segments of its stream are proved. */
static void keep_lights(const walk *w, const block *b, mrea_stream *s)
{
    mrea_area *area = w->area;
    uint32_t lights = area->deferred[MREA_DEFER_LIGHTS].section;
    if (w->lost || lights < b->first || lights - b->first >= b->count) {
        return;
    }
    uint64_t at = sum_of_sizes(area, b->first, lights - b->first);
    uint32_t size = mrea_section_size(area, lights);
    if (size && b->sum == b->decompressed && ll_fits(at, size, b->decompressed) &&
        size <= mrea_most_unpacked((uint32_t)b->extent)) {
        s->kept_at = (uint32_t)at;
        s->kept_size = size;
        s->kept = ll_doc_alloc(area->doc, size, 1);
    }
}

static void parse_compressed(walk *w, const block *b)
{
    ll_doc *doc = w->area->doc;
    uint32_t end = w->pos + (uint32_t)b->extent;
    uint32_t start = end - b->compressed - (uint32_t)(b->number == w->moved ? w->area->moved.by : 0);
    mrea_stream s = {.start = start, .end = end, .size = b->decompressed, .corrected = LL_NO_INDEX, .next_at = start};
    keep_lights(w, b, &s);
    bool good = parse_stream(w, b, &s);
    uint32_t lead = ll_claim_bytes(doc, b->span, mrea_lead_padding_LAYOUT, w->pos, start);
    if (w->area->moved.by) { /* what is left of another section may be there */
        ll_mark_span(doc, lead, LL_SPAN_BROKEN | LL_SPAN_TOLD);
    }
    if (b->sizes_wrong && b->count) {
        mrea_source unknown = {start, 0, NULL};
        mrea_source known = {start, 0, &s};
        judge_sizes(w, b, good ? &known : &unknown);
    }
    if (good && !w->lost) {
        defer_sections(w, b, &s);
    }
}

/* A block that the file ends in. */
static void parse_cut(walk *w, const block *b)
{
    ll_doc *doc = w->area->doc;
    uint32_t left = doc->size - w->pos;
    w->ended = true;
    w->area->end_fault =
        LL_MAKE_FAULT(MREA_FAULT_BLOCK_TRUNCATED, MREA_HINT_CUT_FILE, ll_at_bytes(LL_NO_SPAN, doc->size, 0),
                      ll_nowhere(), ll_uint(b->number), ll_uint(b->extent), ll_uint(left));
    if (left && b->compressed) {
        uint32_t rest = ll_claim_unparsed(doc, b->span, w->pos, doc->size);
        ll_mark_span(doc, rest, LL_SPAN_TOLD); /* the fault of the end, or where bytes were taken out */
    } else if (left) {
        parse_raw(w, b, left);
    }
}

static void parse_block(walk *w, uint32_t number)
{
    ll_doc *doc = w->area->doc;
    block b = read_block(w, number, w->first);
    uint32_t stated = row_word(w->area, number, mrea_block_row_at_section_count);
    if (number == w->moved) {
        w->excess += w->area->moved.by;
        b.extent = (uint64_t)((int64_t)b.extent + w->area->moved.by);
        b.decompressed = b.compressed ? b.decompressed : (uint32_t)b.extent;
    } else {
        resolve_compressed(w, &b);
    }
    if (stated == 0 && number != w->corrected) {
        LL_RAISE(doc, MREA_FAULT_BLOCK_SECTION_COUNT, MREA_HINT_NONE, at_row(w, number, mrea_block_row_section_count),
                 ll_uint(0), ll_uint(1));
    } else if (row_word(w->area, number, mrea_block_row_at_decompressed_size) != b.sum && !b.sizes_wrong) {
        uint32_t last = b.count ? b.first + b.count - 1 : b.first;
        ll_where at = at_row(w, number, mrea_block_row_decompressed_size);
        ll_fault fault = LL_MAKE_FAULT(
            MREA_FAULT_BLOCK_SIZE_SUM, b.decompressed == b.sum ? MREA_HINT_SIZE_FIELD : MREA_HINT_NONE, at,
            ll_nowhere(), ll_uint(mrea_word(doc, at.offset)), ll_uint(b.sum), ll_uint(b.first), ll_uint(last));
        if (b.decompressed == b.sum && !is_size_of_another(w, number, b.sum)) {
            ll_patch_field(doc, &fault, LL_PATCH_SAFE, b.sum);
        }
        ll_raise(doc, &fault);
    }
    uint64_t left = doc->size - w->pos;
    uint32_t length = (uint32_t)(b.extent < left ? b.extent : left);
    b.span = ll_claim_group(doc, LL_NO_SPAN, mrea_block_LAYOUT, w->pos, w->pos + length, number);
    if (number == w->moved && b.compressed) {
        w->area->moved_span = b.span;
    }
    if (w->moved != LL_NO_INDEX && number <= w->moved) {
        ll_mark_span(doc, b.span, LL_SPAN_DOUBTFUL);
    }
    if (b.extent > left) {
        parse_cut(w, &b);
    } else if (b.compressed) {
        parse_compressed(w, &b);
    } else {
        parse_raw(w, &b, length);
    }
    w->pos += length;
    w->first += b.count;
}

/* ------------------------------------------------------------------ what writers keep to */

/* What there is in a block that should stand alone; NULL: nothing. Generated objects that do not follow the script
 * layers may be some other section. */
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

/* The walk found numbers or streams wrong. */
static bool is_in_doubt(const ll_doc *doc)
{
    const ll_fault_node *node = doc->first_fault;
    while (node && node->fault.code == MREA_FAULT_BLOCK_NOT_WORTH_IT) {
        node = node->next;
    }
    return node != NULL;
}

/* Judges the rows of the block table when the walk has found what is wrong with the blocks. A buffer that suits the
 * block stored the other way is right where compressed_size may be wrong. */
static void judge_rows(const walk *w)
{
    const mrea_area *area = w->area;
    bool doubt = is_in_doubt(area->doc);
    uint32_t first = 0;
    for (uint32_t i = 0; i < area->summary->blocks; i++) {
        block b = read_block(w, i, first);
        uint64_t right = buffer_for(b.decompressed, b.compressed);
        if (b.buffer != right && !(doubt && b.buffer == buffer_for(b.decompressed, !b.compressed))) {
            mrea_raise_value(area->doc,
                             LL_MAKE_FAULT(MREA_FAULT_BLOCK_BUFFER_SIZE, MREA_HINT_NONE,
                                           at_row(w, i, mrea_block_row_buffer_size), ll_nowhere(), ll_uint(b.buffer),
                                           ll_uint(right)),
                             right);
        }
        const char *alone = b.count < 2 || doubt || !area->edition->form ? NULL : find_alone(area, &b);
        if (alone) {
            bool over = b.decompressed > MREA_BLOCK_CAP;
            LL_RAISE(area->doc, MREA_FAULT_BLOCK_OVER_CAP, MREA_HINT_NONE,
                     at_row(w, i, over ? mrea_block_row_decompressed_size : mrea_block_row_section_count),
                     ll_uint(b.decompressed), ll_uint(b.count), ll_word(alone));
        }
        first += b.count;
    }
}

void mrea_parse_blocks(mrea_area *area)
{
    walk w = {.area = area, .pos = area->data, .corrected = LL_NO_INDEX, .moved = LL_NO_INDEX};
    resolve_section_counts(&w);
    w.excess = find_excess(&w);
    find_moved(&w);
    for (uint32_t i = 0; i < area->summary->blocks && !w.ended && area->doc->status == LL_OK; i++) {
        parse_block(&w, i);
    }
    if (!w.ended && area->doc->status == LL_OK) {
        mrea_claim_end(area, w.pos);
    }
    judge_rows(&w);
}
