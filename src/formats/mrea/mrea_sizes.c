/* Which count or size of an area is wrong. What the numbers state is believed while it ends where the file does; else
 * that number is sought which, changed alone, makes everything end there. */
#include "formats/mrea/mrea_area.h"

#include "model/oddity.h"

enum {
    BLOCK_ROW = mrea_block_row_SIZE,
    SIZE_ROW = mrea_section_size_SIZE,
    TAG_ROW = mrea_tag_row_SIZE,
    TYPE_MAX = 5, /* of a light */
    FALLOFF_MAX = 2,
    COUNT_TRIES = 16,        /* counts that look right and are tried against the whole file */
    ROWS_PLAUSIBLE = 0x10000 /* most rows that a cut file is believed to have had */
};

/* ------------------------------------------------------------------ counts */

mrea_places mrea_places_of(const mrea_edition *edition, const mrea_counts *counts)
{
    mrea_places p;
    p.sizes = ll_align_up(edition->header_size, MREA_ALIGNMENT);
    p.blocks = ll_align_up(p.sizes + (uint64_t)counts->sections * SIZE_ROW, MREA_ALIGNMENT);
    p.tags = ll_align_up(p.blocks + (uint64_t)counts->blocks * BLOCK_ROW, MREA_ALIGNMENT);
    p.data = ll_align_up(p.tags + (uint64_t)counts->tags * TAG_ROW, MREA_ALIGNMENT);
    return p;
}

/* A table whose rows are not all in the file. */
typedef struct cut_table {
    const char *name; /* NULL: all of them are there */
    uint16_t field;
    uint32_t rows;
    uint64_t need, left;
} cut_table;

static cut_table first_cut_table(const mrea_edition *edition, const mrea_counts *c, uint32_t size)
{
    mrea_places p = mrea_places_of(edition, c);
    const cut_table tables[] = {
        {"size table", edition->section_count, c->sections, (uint64_t)c->sections * SIZE_ROW, p.sizes},
        {"block table", edition->block_count, c->blocks, (uint64_t)c->blocks * BLOCK_ROW, p.blocks},
        {"tag table", edition->tag_count, c->tags, (uint64_t)c->tags * TAG_ROW, p.tags},
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        cut_table t = tables[i]; /* .left holds the place so far */
        t.left = t.left < size ? size - t.left : 0;
        if (t.need > t.left) {
            return t;
        }
    }
    return (cut_table){0};
}

uint64_t mrea_sum_of_sizes(const ll_doc *doc, uint64_t table, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += mrea_word(doc, (uint32_t)(table + i * SIZE_ROW));
    }
    return sum;
}

static uint32_t row_word(const ll_doc *doc, const mrea_places *p, uint32_t block, unsigned at)
{
    return mrea_word(doc, (uint32_t)p->blocks + block * BLOCK_ROW + at);
}

uint64_t mrea_end_of(const ll_doc *doc, const mrea_edition *edition, const mrea_counts *counts)
{
    mrea_places p = mrea_places_of(edition, counts);
    if (!mrea_has_blocks(edition)) {
        return p.data + mrea_sum_of_sizes(doc, p.sizes, counts->sections);
    }
    uint64_t end = p.data;
    for (uint32_t i = 0; i < counts->blocks; i++) {
        end += mrea_block_extent(row_word(doc, &p, i, mrea_block_row_at_decompressed_size),
                                 row_word(doc, &p, i, mrea_block_row_at_compressed_size));
    }
    return end;
}

/* The sections that all blocks have together. */
static uint64_t sections_of_blocks(const ll_doc *doc, const mrea_edition *edition, const mrea_counts *c)
{
    mrea_places p = mrea_places_of(edition, c);
    uint64_t sections = 0;
    for (uint32_t i = 0; i < c->blocks; i++) {
        sections += row_word(doc, &p, i, mrea_block_row_at_section_count);
    }
    return sections;
}

/* Every block has the size of its sections; their counts add up. */
static bool do_sizes_agree(const ll_doc *doc, const mrea_edition *edition, const mrea_counts *c)
{
    mrea_places p = mrea_places_of(edition, c);
    uint64_t at = p.sizes;
    for (uint32_t i = 0; i < c->blocks; i++) {
        uint32_t count = row_word(doc, &p, i, mrea_block_row_at_section_count);
        if (mrea_sum_of_sizes(doc, at, count) != row_word(doc, &p, i, mrea_block_row_at_decompressed_size)) {
            return false;
        }
        at += (uint64_t)count * SIZE_ROW;
    }
    return true;
}

/* The counts, and all sizes that are stated, lead to the end of the file. strict: the sizes of sections and blocks
 * agree as well. */
static bool is_consistent(const ll_doc *doc, const mrea_edition *edition, const mrea_counts *c, bool strict)
{
    if (c->sections == 0 || first_cut_table(edition, c, doc->size).name) {
        return false;
    }
    if (!mrea_is_end(edition, mrea_end_of(doc, edition, c), doc->size)) {
        return false;
    }
    return !mrea_has_blocks(edition) ||
           (sections_of_blocks(doc, edition, c) == c->sections && (!strict || do_sizes_agree(doc, edition, c)));
}

bool mrea_do_counts_fit(const ll_doc *doc, const mrea_edition *edition, const mrea_counts *counts)
{
    return is_consistent(doc, edition, counts, true);
}

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

/* The indices or tags end with the last of so many sections. */
static bool is_named_to_the_end(const mrea_area *area, const mrea_counts *c)
{
    unsigned count = 0;
    const mrea_index_row *rows = mrea_index_rows(area->edition->header, &count);
    uint32_t last = 0;
    for (unsigned i = 0; i < count; i++) {
        uint32_t index = mrea_header_word(area, rows[i].field);
        last = index > last ? index : last;
    }
    uint64_t row = mrea_places_of(area->edition, c).tags;
    for (uint32_t i = 0; i < c->tags && ll_fits(row, TAG_ROW, area->doc->size); i++, row += TAG_ROW) {
        uint32_t index = mrea_word(area->doc, (uint32_t)row + mrea_tag_row_at_section_index);
        last = index > last ? index : last;
    }
    return (uint64_t)last + 1 == c->sections;
}

/* The number of sections that the last indices of the header give; of the games that have indices. */
static bool find_sections_by_index(const mrea_area *area, const mrea_counts *stated, mrea_counts *right)
{
    unsigned count = 0;
    const mrea_index_row *rows = mrea_index_rows(area->edition->header, &count);
    for (unsigned i = 0; i < count; i++) {
        /* sections behind the path: portal area, static geometry map */
        uint32_t behind = area->edition->game == MREA_MP1 ? 0 : 2;
        bool lights = rows[i].kind == MREA_KIND_LIGHTS;
        *right = *stated;
        right->sections = mrea_header_word(area, rows[i].field) + behind + (lights ? 3 : 1);
        if ((lights || rows[i].kind == MREA_KIND_PATH) && is_consistent(area->doc, area->edition, right, true)) {
            return true;
        }
    }
    return false;
}

/* The number of sections that the section counts of the blocks add up to, if the block table begins where a size table
 * of so many rows ends. The sum slides along the file with the supposed table. */
static bool find_sections_by_blocks(const mrea_area *area, const mrea_counts *stated, mrea_counts *right)
{
    enum { ROWS_PER_STEP = MREA_ALIGNMENT / BLOCK_ROW, SIZES_PER_STEP = MREA_ALIGNMENT / SIZE_ROW };
    const ll_doc *doc = area->doc;
    uint64_t table = (uint64_t)area->sizes + MREA_ALIGNMENT;
    uint64_t bytes = (uint64_t)stated->blocks * BLOCK_ROW;
    uint64_t sum = 0;
    uint64_t summed = table; /* rows in front of it are in the sum */
    unsigned tries = 0;
    *right = *stated;
    for (uint64_t steps = 1; ll_fits(table, bytes, doc->size) && tries < COUNT_TRIES;
         steps++, table += MREA_ALIGNMENT) {
        for (summed = summed < table ? table : summed; summed < table + bytes; summed += BLOCK_ROW) {
            sum += mrea_word(doc, (uint32_t)summed + mrea_block_row_at_section_count);
        }
        if (sum <= steps * SIZES_PER_STEP && sum > (steps - 1) * SIZES_PER_STEP) {
            tries++;
            right->sections = (uint32_t)sum;
            if (is_consistent(doc, area->edition, right, true)) {
                return true;
            }
        }
        for (unsigned i = 0; i < ROWS_PER_STEP && i < stated->blocks; i++) {
            sum -= mrea_word(doc, (uint32_t)table + i * BLOCK_ROW + mrea_block_row_at_section_count);
        }
    }
    return false;
}

/* As many blocks as it takes to hold all sections. */
static bool find_blocks(const mrea_area *area, const mrea_counts *stated, mrea_counts *right)
{
    uint64_t row = mrea_places_of(area->edition, stated).blocks;
    uint64_t sections = 0;
    *right = *stated;
    for (right->blocks = 0; sections < stated->sections && ll_fits(row, BLOCK_ROW, area->doc->size);
         right->blocks++, row += BLOCK_ROW) {
        sections += mrea_word(area->doc, (uint32_t)row + mrea_block_row_at_section_count);
    }
    return sections == stated->sections && is_consistent(area->doc, area->edition, right, true);
}

/* As many tags as have names that are known, that of the lights among them. */
static bool find_tags(const mrea_area *area, const mrea_counts *stated, mrea_counts *right)
{
    uint64_t row = mrea_places_of(area->edition, stated).tags;
    bool lights = false;
    *right = *stated;
    for (right->tags = 0; ll_fits(row, TAG_ROW, area->doc->size); right->tags++, row += TAG_ROW) {
        mrea_kind kind = mrea_kind_of_tag(mrea_word(area->doc, (uint32_t)row));
        if (kind == MREA_KIND_OTHER) {
            break;
        }
        lights = lights || kind == MREA_KIND_LIGHTS;
    }
    return lights && is_consistent(area->doc, area->edition, right, true);
}

/* The one count field that, changed alone, makes everything fit; *right holds the counts then. LL_NO_FIELD: none. */
static uint16_t wrong_count(const mrea_area *area, const mrea_counts *stated, mrea_counts *right)
{
    const mrea_edition *e = area->edition;
    if (area->doc->copy) { /* it is read as it stands */
        return LL_NO_FIELD;
    }
    if (find_sections_by_index(area, stated, right)) {
        return e->section_count;
    }
    if (mrea_has_blocks(e) && find_blocks(area, stated, right)) {
        return e->block_count;
    }
    if (mrea_has_blocks(e) && !is_named_to_the_end(area, stated) && find_sections_by_blocks(area, stated, right)) {
        return e->section_count;
    }
    if (mrea_has_tags(e) && find_tags(area, stated, right)) {
        return e->tag_count;
    }
    return LL_NO_FIELD;
}

/* Says which count is wrong, or why the tables end the parse (field LL_NO_FIELD); false for the latter. */
static bool judge_counts(mrea_area *area, const mrea_counts *stated, uint16_t field, const mrea_counts *right)
{
    ll_doc *doc = area->doc;
    const mrea_edition *e = area->edition;
    cut_table cut = first_cut_table(e, stated, doc->size);
    if (field != LL_NO_FIELD) {
        bool sections = field == e->section_count;
        bool blocks = field == e->block_count;
        uint32_t count = sections ? right->sections : blocks ? right->blocks : right->tags;
        ll_where at = mrea_at_header(area, field);
        uint32_t was = mrea_header_word(area, field);
        ll_fault fault =
            LL_MAKE_FAULT(MREA_FAULT_TABLE_COUNT, MREA_HINT_NONE, at, ll_nowhere(), ll_uint(was), ll_uint(count),
                          ll_word(sections ? "size table"
                                  : blocks ? "block table"
                                           : "tag table"));
        uint32_t row = sections ? mrea_section_size_SIZE : blocks ? mrea_block_row_SIZE : mrea_tag_row_SIZE;
        uint64_t by = (uint64_t)row * (was > count ? was - count : count - was);
        if (was == 0 || by % MREA_ALIGNMENT ||
            by > doc->size) { /* else rows may be lost, or there twice, and nothing else has moved */
            mrea_raise_value(doc, fault, count);
        } else {
            ll_raise(doc, &fault);
        }
        return true;
    }
    if (stated->sections == 0) {
        LL_RAISE(doc, MREA_FAULT_SECTION_COUNT_ZERO, MREA_HINT_NONE, mrea_at_header(area, e->section_count),
                 ll_uint(0));
    } else if (cut.name) {
        LL_RAISE(doc, MREA_FAULT_SECTION_TABLE_TRUNCATED,
                 cut.rows <= ROWS_PLAUSIBLE ? MREA_HINT_CUT_FILE : MREA_HINT_NONE, mrea_at_header(area, cut.field),
                 ll_uint(cut.rows), ll_uint(cut.need), ll_uint(cut.left), ll_word(cut.name));
    } else if (mrea_has_blocks(e) && stated->blocks == 0) {
        LL_RAISE(doc, MREA_FAULT_BLOCK_SECTION_COUNT, MREA_HINT_NONE, mrea_at_header(area, e->block_count), ll_uint(0),
                 ll_uint(stated->sections));
    } else {
        return true;
    }
    return false;
}

/* Another number of tags leads to the same end, as tables and files are padded, and the rows show that it is the right
 * one: known tags go on behind the last row, or what follows the last known tag is zero. */
static bool is_tag_count_wrong(const mrea_area *area, const mrea_counts *stated, mrea_counts *right)
{
    const ll_doc *doc = area->doc;
    if (!mrea_has_tags(area->edition) || !find_tags(area, stated, right) || right->tags == stated->tags) {
        return false;
    }
    uint32_t row = (uint32_t)mrea_places_of(area->edition, right).tags + right->tags * TAG_ROW;
    return right->tags > stated->tags ||
           (mrea_word(doc, row) == 0 && mrea_word(doc, row + mrea_tag_row_at_section_index) == 0);
}

/* The first blocks hold all sections, and what is left of the table is padding. */
static bool is_block_count_wrong(const mrea_area *area, const mrea_counts *stated, mrea_counts *right)
{
    return mrea_has_blocks(area->edition) && find_blocks(area, stated, right) && right->blocks < stated->blocks;
}

bool mrea_resolve_counts(mrea_area *area, mrea_counts *counts)
{
    mrea_counts right = *counts;
    uint16_t field = LL_NO_FIELD;
    if (!is_consistent(area->doc, area->edition, counts, false)) {
        field = wrong_count(area, counts, &right);
    } else if (is_tag_count_wrong(area, counts, &right)) {
        field = area->edition->tag_count;
    } else if (is_block_count_wrong(area, counts, &right)) {
        field = area->edition->block_count;
    } else {
        return true;
    }
    bool goes_on = judge_counts(area, counts, field, &right);
    *counts = field != LL_NO_FIELD ? right : *counts;
    return goes_on;
}

/* ------------------------------------------------------------------ sizes */

static uint32_t stated_size(const mrea_area *area, uint32_t section)
{
    return mrea_word(area->doc, area->sizes + section * SIZE_ROW);
}

uint32_t mrea_section_size(const mrea_area *area, uint32_t section)
{
    return section == area->corrected ? area->corrected_size : stated_size(area, section);
}

ll_where mrea_at_sizes(const mrea_area *area, mrea_suspects suspects)
{
    ll_where at = ll_at_field(area->doc, area->summary->size_table, suspects.first, mrea_section_size_section_size);
    if (suspects.last > suspects.first) {
        at.field = LL_NO_FIELD;
        at.length = (suspects.last - suspects.first + 1) * SIZE_ROW;
    }
    return at;
}

/* What the first words of sections say about their places. */
typedef struct marks {
    uint32_t low;   /* sections up to this one lie where their sizes lead */
    int64_t low_at; /* where it begins */
    uint32_t high;  /* this one, and those behind it, lie `by` bytes further on */
    int64_t by;
    bool several;                    /* not all of those behind it do */
    uint32_t lights;                 /* section of the lights, LL_NO_INDEX: not found */
    uint64_t lights_at, lights_size; /* where they begin, and what their counts give */
    bool lights_cut;                 /* not all of them are there, so the size is at least that */
} marks;

bool mrea_is_light(const mrea_form *form, const uint8_t *p)
{
    uint32_t odd = 0;
    for (unsigned at = mrea_light_at_color; at < form->floats_end; at += LL_TYPE_BYTES_F32) {
        odd |= ll_oddity_of_float(ll_be32(p + at));
    }
    return !odd && ll_be32(p) <= TYPE_MAX && p[form->cast_shadows] <= 1 &&
           ll_be32(p + form->falloff_type) <= FALLOFF_MAX;
}

bool mrea_are_lights(const ll_doc *doc, uint32_t offset, uint32_t length, const mrea_form *form)
{
    const uint8_t *bytes = ll_doc_at(doc, offset);
    uint64_t at = mrea_lights_SIZE;
    for (unsigned layer = 0; layer < form->layers; layer++) {
        const uint32_t count = at + mrea_layer_SIZE <= length ? ll_be32(bytes + at) : UINT32_MAX;
        at += mrea_layer_SIZE;
        if (at > length || count > (length - at) / form->record) {
            return false;
        }
        for (uint32_t i = 0; i < count; i++, at += form->record) {
            if (!mrea_is_light(form, bytes + at)) {
                return false;
            }
        }
    }
    return length - at < MREA_ALIGNMENT && ll_is_zero(bytes + at, bytes + length);
}

static void measure_lights(mrea_area *area, const mrea_source *source, uint64_t at, marks *m)
{
    const mrea_form *form = area->edition->form;
    uint64_t pos = at + mrea_lights_SIZE;
    for (unsigned i = 0; form && i < form->layers; i++) {
        uint32_t count = 0;
        m->lights_cut = m->lights_cut || !mrea_source_word(area, source, pos, &count);
        pos += mrea_layer_SIZE + (uint64_t)count * form->record;
    }
    m->lights_size = ll_align_up(pos - at, MREA_ALIGNMENT);
}

/* A section begins with a word at this place. */
static bool starts_at(mrea_area *area, const mrea_source *source, int64_t at, uint32_t magic)
{
    uint32_t word;
    return at >= 0 && mrea_source_word(area, source, (uint64_t)at, &word) && word == magic;
}

/* Lights begin at this place, and their counts give this size. */
static bool are_measured_lights(mrea_area *area, const mrea_source *source, int64_t at, uint32_t size)
{
    marks m = {.lights_cut = !starts_at(area, source, at, MREA_LIGHTS_MAGIC)};
    if (!m.lights_cut) {
        measure_lights(area, source, (uint64_t)at, &m);
    }
    return !m.lights_cut && m.lights_size == size;
}

bool mrea_are_sizes_exchanged(mrea_area *area, const mrea_source *source, mrea_deferred *lights, uint32_t *row)
{
    uint32_t i = lights->section;
    uint32_t own = stated_size(area, i);
    uint32_t before = i ? stated_size(area, i - 1) : own;
    uint32_t behind = i + 1 < area->summary->sections ? stated_size(area, i + 1) : own;
    int64_t moved = (int64_t)lights->offset - before + own;
    bool in_place = are_measured_lights(area, source, lights->offset, own);
    bool with_before = !in_place && before != own && are_measured_lights(area, source, moved, before);
    bool with_behind = !in_place && behind != own && are_measured_lights(area, source, lights->offset, behind);
    *row = with_before ? i - 1 : i;
    lights->offset = with_before ? (uint32_t)moved : lights->offset;
    lights->size = lights->have = with_before ? before : with_behind ? behind : lights->size;
    return with_before || with_behind;
}

/* How many bytes off its place a section begins with a word: the number that is expected, else a small one that is no
 * multiple of 32, as other sections may begin there; 0: none. */
static int64_t displacement_of(mrea_area *area, const mrea_source *source, int64_t at, uint32_t magic, int64_t expected)
{
    if (expected && starts_at(area, source, at + expected, magic)) {
        return expected;
    }
    for (int64_t by = -MREA_SHIFT_MAX; by <= MREA_SHIFT_MAX; by++) {
        if (by % MREA_ALIGNMENT && starts_at(area, source, at + by, magic)) {
            return by;
        }
    }
    return 0;
}

static marks find_marks(mrea_area *area, const mrea_source *source, uint32_t first, uint32_t count, int64_t by)
{
    marks m = {.low = first, .high = first + count, .lights = LL_NO_INDEX};
    bool seen[MREA_KINDS] = {false}; /* one of each kind will do, and bounds the work */
    int64_t at = 0;
    for (uint32_t i = first; i < first + count; i++) {
        unsigned kind = area->kinds[i];
        uint32_t magic = mrea_magic_of_kind((mrea_kind)kind);
        uint32_t size = stated_size(area, i);
        if (magic && !seen[kind]) {
            seen[kind] = true;
            bool in_place = starts_at(area, source, at, magic);
            int64_t off = in_place || !size ? 0 : displacement_of(area, source, at, magic, m.by ? m.by : by);
            m.several = m.several || (m.by && off != m.by && (in_place || off));
            if (in_place && !m.by) {
                m.low = i;
                m.low_at = at;
            } else if (off && !m.by) {
                m.high = i;
                m.by = off;
            }
            if (kind == MREA_KIND_LIGHTS && (in_place || off)) {
                m.lights = i;
                m.lights_at = (uint64_t)(at + off);
                measure_lights(area, source, m.lights_at, &m);
            }
        }
        at += size;
    }
    return m;
}

/* What a section would have to do with a difference of `by` bytes. */
typedef enum suspicion { CANNOT_BE, MAY_BE, IS_LIKELY, IS_CERTAIN } suspicion;

/* The counts of the lights give the stated size, and all that they count are lights: nothing is wrong with them. */
static bool are_lights_stated(const mrea_area *area, const mrea_source *source, const marks *m, uint32_t size)
{
    bool stated = area->edition->form && !m->lights_cut && m->lights_size == size;
    if (stated && !source->stream && ll_fits(m->lights_at, size, mrea_source_length(source))) {
        stated = mrea_are_lights(area->doc, source->start + (uint32_t)m->lights_at, size, area->edition->form);
    }
    return stated;
}

/* Of the lights their counts tell: the size that they give is the stated one, the corrected one, or neither. Then bytes
 * were put in or taken out; also where records are no lights, and where nothing else can be why the sections behind
 * them are displaced. */
static suspicion suspicion_of_lights(const mrea_area *area, const mrea_source *source, const marks *m, uint32_t size,
                                     int64_t corrected)
{
    bool alone = m->by && m->low == m->lights && m->high == m->lights + 1;
    bool right = !m->lights_cut && (int64_t)m->lights_size == corrected;
    bool inside = ll_fits(m->lights_at, size, mrea_source_length(source));
    bool beyond = !m->by && corrected < size && !inside;
    return right || alone ? IS_CERTAIN : are_lights_stated(area, source, m, size) || beyond ? CANNOT_BE : IS_CERTAIN;
}

static suspicion suspicion_of(const mrea_area *area, const mrea_source *source, const marks *m, uint32_t section,
                              int64_t by)
{
    uint32_t size = stated_size(area, section);
    int64_t corrected = (int64_t)size + by;
    bool aligned = corrected % MREA_ALIGNMENT == 0;
    bool small = by >= -MREA_SHIFT_MAX && by <= MREA_SHIFT_MAX;
    if (corrected < 0 || corrected > (int64_t)UINT32_MAX ||
        (!aligned && (!small || size % MREA_ALIGNMENT || by % MREA_ALIGNMENT == 0))) {
        return CANNOT_BE;
    }
    if (section == m->lights) {
        return suspicion_of_lights(area, source, m, size, corrected);
    }
    bool empty = !size && by > 0 && !mrea_magic_of_kind((mrea_kind)area->kinds[section]);
    bool beyond = size >= area->doc->size && !source->stream;
    return size % MREA_ALIGNMENT || empty || beyond ? IS_LIKELY : MAY_BE;
}

mrea_suspects mrea_suspect_size(mrea_area *area, const mrea_source *source, uint32_t first, uint32_t count, int64_t by,
                                bool certain)
{
    marks m = find_marks(area, source, first, count, by);
    area->sound_to = source->stream ? area->sound_to : source->start + (uint32_t)m.low_at;
    mrea_suspects any = {LL_NO_INDEX, 0, m.by ? m.by : by, false};
    mrea_suspects likely = any;
    uint32_t likely_ones = 0;
    for (uint32_t i = m.low; i < m.high && any.by && !m.several; i++) {
        suspicion how = suspicion_of(area, source, &m, i, any.by);
        if (how >= MAY_BE) {
            any.first = any.first == LL_NO_INDEX ? i : any.first;
            any.last = i;
        }
        if (how >= IS_LIKELY) {
            likely.first = likely.last = i;
            likely_ones = how == IS_CERTAIN ? 1 : likely_ones + 1;
        }
        if (how == IS_CERTAIN) {
            break;
        }
    }
    mrea_suspects suspects = likely_ones == 1 ? likely : any;
    bool found = suspects.first != LL_NO_INDEX && (likely_ones == 1 || certain || m.by);
    area->places_uncertain = area->places_uncertain || ((by || m.by) && (!found || suspects.first < suspects.last));
    if (!found) {
        suspects.first = LL_NO_INDEX;
        return suspects;
    }
    area->corrected = suspects.last;
    area->corrected_size = (uint32_t)(stated_size(area, suspects.last) + suspects.by);
    bool lights = suspects.last == m.lights && (m.lights_cut || m.lights_size != area->corrected_size);
    suspects.moved = area->corrected_size % MREA_ALIGNMENT || lights;
    return suspects;
}

void mrea_raise_sizes(const mrea_area *area, unsigned code, mrea_suspects suspects, uint32_t first, uint32_t count,
                      bool others)
{
    uint32_t last = first + count - 1;
    bool told = suspects.first != LL_NO_INDEX;
    bool single = told && suspects.first == suspects.last;
    uint64_t stated = single ? stated_size(area, suspects.first)
                             : mrea_sum_of_sizes(area->doc, area->sizes + (uint64_t)first * SIZE_ROW, count);
    uint64_t right = (uint64_t)((int64_t)stated + suspects.by);
    ll_where at = mrea_at_sizes(area, told ? suspects : (mrea_suspects){first, last, 0, false});
    ll_fault fault = LL_MAKE_FAULT(code, told ? MREA_HINT_SIZE_FIELD : MREA_HINT_NONE, at, ll_nowhere(),
                                   ll_uint(stated), ll_uint(right), ll_uint(first), ll_uint(last));
    /* as many bytes as parts are aligned to may have been put in or taken out instead, with nothing to tell them by */
    bool odd = suspects.by % MREA_ALIGNMENT || stated % MREA_ALIGNMENT || stated > area->doc->size;
    if (single && (odd || code != MREA_FAULT_SECTION_SIZE)) {
        ll_patch_field(area->doc, &fault, LL_PATCH_SAFE, right);
    }
    if (others && !odd) {
        ll_patch_none(&fault);
    }
    ll_raise(area->doc, &fault);
}
