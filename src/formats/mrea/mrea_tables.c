/* Bytes put into the header or the tables of an area, or taken out of them. Everything behind them is then read from
 * the wrong place, so that no other fault would mean anything. Areas end on a multiple of 32, which leaves few numbers
 * of bytes to try; the one with which counts, rows, padding and the end of the file agree is right, and so are the
 * places where it does. */
#include "formats/mrea/mrea_area.h"

#include <string.h>

enum {
    ROWS_TRIED = 1024,     /* most rows of a table */
    TABLES_TRIED = 0x8000, /* bytes that header and tables of so many rows take at most */
    ROWS_READ = 0x40000,   /* rows that are read in all places together */
    SEGMENTS_AHEAD = 4,    /* that show a compressed block to be in its place */
    SIZE_ROW = mrea_section_size_SIZE,
    BLOCK_ROW = mrea_block_row_SIZE,
    TAG_ROW = mrea_tag_row_SIZE,
    START = mrea_header_unknown_SIZE /* magic and version are right, or there is no area to be read */
};

/* What has to be right: header and tables; that lights begin where they say, or displaced; that all data stands there;
 * each of the lights. */
typedef enum depth { TABLES, BEGIN, PLACES, LIGHTS } depth;

/* What the file was before `by` bytes were put in, or taken out where they lacked: header and tables as a document of
 * their own, the rest as it stands in the file. */
typedef struct reading {
    const mrea_area *area;
    ll_doc doc; /* its size is that of the whole file */
    int by;
    uint32_t gap, gap_end; /* the bytes between them are missing in the file */
    depth depth;
    uint32_t instead; /* section that is taken for the lights, whatever is called so; LL_NO_INDEX: none is */
    uint32_t budget;  /* rows to read */
    uint64_t lights;  /* where the first stand that are so far displaced; UINT32_MAX: nowhere */
    mrea_counts c;
    mrea_places p;
} reading;

static bool is_missing(const reading *r, uint64_t at, uint64_t length)
{
    return r->gap < r->gap_end && at < r->gap_end && at + length > r->gap;
}

/* 0 behind the tables that are tried: counts that are not believed yet lead anywhere. */
static uint32_t word(const reading *r, uint64_t at)
{
    return at <= TABLES_TRIED - sizeof(uint32_t) ? mrea_word(&r->doc, (uint32_t)at) : 0;
}

/* Sum of the sizes of sections [first, end) that are known. *missing: not all of them are. */
static uint64_t sum_of(const reading *r, uint32_t first, uint32_t end, bool *missing)
{
    uint64_t sum = 0;
    *missing = false;
    for (uint64_t at = r->p.sizes + (uint64_t)first * SIZE_ROW; first < end; first++, at += SIZE_ROW) {
        bool unknown = is_missing(r, at, SIZE_ROW);
        *missing = *missing || unknown;
        sum += unknown ? 0 : word(r, at);
    }
    return sum;
}

/* The sizes of these sections can make this sum. */
static bool is_sum(const reading *r, uint32_t first, uint32_t end, uint64_t sum)
{
    bool missing;
    uint64_t known = sum_of(r, first, end, &missing);
    return sum == known || (missing && sum > known && (sum - known) % MREA_ALIGNMENT == 0);
}

/* ------------------------------------------------------------------ what stands in the data */

/* The section that is called the lights; LL_NO_INDEX: not known. */
static uint32_t find_lights(const reading *r)
{
    unsigned count = 0;
    const mrea_index_row *rows = mrea_index_rows(r->area->edition->header, &count);
    if (r->instead != LL_NO_INDEX) {
        return r->instead;
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t at = r->doc.layouts[r->area->edition->header].fields[rows[i].field].offset;
        if (rows[i].kind == MREA_KIND_LIGHTS && !is_missing(r, at, sizeof at)) {
            return word(r, at);
        }
    }
    for (uint64_t i = 0, at = r->p.tags; i < r->c.tags; i++, at += TAG_ROW) {
        if (!is_missing(r, at, TAG_ROW) && mrea_kind_of_tag(word(r, at)) == MREA_KIND_LIGHTS) {
            return word(r, at + mrea_tag_row_at_section_index);
        }
    }
    return LL_NO_INDEX;
}

static const uint32_t UNKNOWN = UINT32_MAX;

/* Lights begin at a place of the file, and their counts give their size; UNKNOWN: any. */
static bool are_lights(const reading *r, uint64_t at, uint32_t size)
{
    const ll_doc *file = r->area->doc;
    const mrea_form *form = r->area->edition->form;
    uint64_t end = at + MREA_LIGHTS_MAGIC_LENGTH;
    bool found =
        ll_fits(at, MREA_LIGHTS_MAGIC_LENGTH, file->size) && mrea_word(file, (uint32_t)at) == MREA_LIGHTS_MAGIC;
    if (!found || size == UNKNOWN) {
        return found;
    }
    for (unsigned i = 0; i < form->layers && found; i++) {
        found = ll_fits(end, mrea_layer_SIZE, file->size);
        end += mrea_layer_SIZE + (found ? (uint64_t)mrea_word(file, (uint32_t)end) * form->record : 0);
    }
    return found && ll_align_up(end - at, MREA_ALIGNMENT) == size &&
           (r->depth < LIGHTS || (ll_fits(at, size, file->size) && mrea_are_lights(file, (uint32_t)at, size, form)));
}

/* Sections [first, first + count) lie from a place on, in front of `end`; the lights among them are in their place. */
static bool do_sections_stand(const reading *r, uint32_t first, uint32_t count, uint64_t at, uint64_t end)
{
    uint32_t lights = r->area->edition->form ? find_lights(r) : LL_NO_INDEX;
    if (r->depth == TABLES || lights < first || lights - first >= count) {
        return true;
    }
    bool missing_before;
    bool missing_behind;
    uint64_t row = r->p.sizes + (uint64_t)lights * SIZE_ROW;
    uint64_t least = at + sum_of(r, first, lights, &missing_before);
    uint64_t most = end - sum_of(r, lights, first + count, &missing_behind);
    bool any = r->by % MREA_ALIGNMENT || mrea_has_blocks(r->area->edition); /* else next to nothing is known */
    at = !missing_before ? least : !missing_behind ? most : any ? r->lights : UINT64_MAX;
    if (r->depth == BEGIN) {
        return at >= r->area->doc->size || are_lights(r, at, UNKNOWN) || are_lights(r, at + (uint64_t)r->by, UNKNOWN);
    }
    return at >= least && at <= most &&
           are_lights(r, at + (uint64_t)r->by, is_missing(r, row, SIZE_ROW) ? UNKNOWN : word(r, row));
}

/* A row of the block table says what is in the block, from a section and a place on. */
static bool does_block_stand(const reading *r, uint64_t row, uint32_t first, uint64_t at)
{
    const ll_doc *file = r->area->doc;
    uint32_t decompressed = word(r, row + mrea_block_row_at_decompressed_size);
    uint32_t compressed = word(r, row + mrea_block_row_at_compressed_size);
    uint64_t end = at + mrea_block_extent(decompressed, compressed) + (uint64_t)r->by;
    if (!compressed) {
        uint32_t count = word(r, row + mrea_block_row_at_section_count);
        return do_sections_stand(r, first, count, at, at + decompressed);
    }
    return r->depth < PLACES || (end <= file->size && mrea_segments_fit(file, (uint32_t)(end - compressed),
                                                                        (uint32_t)end, decompressed, SEGMENTS_AHEAD));
}

/* ------------------------------------------------------------------ tables */

/* A row of the block table holds sections from one on, or up to one; *count of them. */
static bool does_row_fit(const reading *r, uint64_t row, uint32_t first, uint32_t end, bool up_to, uint32_t *count)
{
    *count = word(r, row + mrea_block_row_at_section_count);
    if (*count == 0 || *count > end - first) {
        return false;
    }
    first = up_to ? end - *count : first;
    return is_sum(r, first, first + *count, word(r, row + mrea_block_row_at_decompressed_size));
}

static uint64_t extent_of(const reading *r, uint64_t row)
{
    return mrea_block_extent(word(r, row + mrea_block_row_at_decompressed_size),
                             word(r, row + mrea_block_row_at_compressed_size));
}

/* From the front, and from the back, all blocks up to missing rows hold their sections, are in their places and leave
 * some for those. */
static bool do_blocks_fit(const reading *r)
{
    uint32_t first = 0;
    uint32_t end = r->c.sections;
    uint32_t count = 0;
    uint64_t at = r->p.data;
    uint64_t row = r->p.blocks;
    uint64_t last = row + (uint64_t)r->c.blocks * BLOCK_ROW;
    for (; row < last && !is_missing(r, row, BLOCK_ROW); row += BLOCK_ROW) {
        if (!does_row_fit(r, row, first, end, false, &count) || !does_block_stand(r, row, first, at)) {
            return false;
        }
        first += count;
        at += extent_of(r, row);
    }
    uint64_t back = r->doc.size - (uint64_t)mrea_fill_of(r->area);
    for (; last > row && !is_missing(r, last - BLOCK_ROW, BLOCK_ROW); last -= BLOCK_ROW) {
        uint64_t extent = extent_of(r, last - BLOCK_ROW);
        if (back < at || extent > back - at || !does_row_fit(r, last - BLOCK_ROW, first, end, true, &count) ||
            !does_block_stand(r, last - BLOCK_ROW, end - count, back - extent)) {
            return false;
        }
        back -= extent;
        end -= count;
    }
    uint64_t missing = (last - row) / BLOCK_ROW;
    if (missing) {
        return end - first >= missing && at < back && missing < r->c.blocks;
    }
    return first == end && mrea_is_end(r->area->edition, at, r->doc.size);
}

/* All tags are known, of the game whose tags are. */
static bool do_tags_fit(const reading *r)
{
    bool named = r->area->edition->game == MREA_MP3;
    for (uint64_t i = 0, at = r->p.tags; i < r->c.tags; i++, at += TAG_ROW) {
        if (!is_missing(r, at, TAG_ROW) && (word(r, at + mrea_tag_row_at_section_index) >= r->c.sections ||
                                            (named && mrea_kind_of_tag(word(r, at)) == MREA_KIND_OTHER))) {
            return false;
        }
    }
    return true;
}

static bool is_zero(const reading *r, uint64_t at, uint64_t end)
{
    return ll_is_zero(r->doc.bytes + at, r->doc.bytes + end);
}

/* The same with these counts. */
static bool do_rows_read(reading *r)
{
    const mrea_edition *e = r->area->edition;
    uint32_t rows = r->c.sections + r->c.blocks + r->c.tags;
    r->p = mrea_places_of(e, &r->c);
    r->budget--;
    if (r->p.data >= mrea_least(r->doc.size, TABLES_TRIED) || !is_zero(r, e->header_size, r->p.sizes) ||
        !is_zero(r, r->p.sizes + (uint64_t)r->c.sections * SIZE_ROW, r->p.blocks) ||
        !is_zero(r, r->p.blocks + (uint64_t)r->c.blocks * BLOCK_ROW, r->p.tags) ||
        !is_zero(r, r->p.tags + (uint64_t)r->c.tags * TAG_ROW, r->p.data)) {
        return false;
    }
    r->budget -= mrea_least(rows, r->budget);
    uint32_t lights = e->form ? find_lights(r) : 0;
    if (r->gap <= r->p.sizes && r->gap_end >= r->p.sizes + (uint64_t)r->c.sections * SIZE_ROW) {
        return false; /* nothing is known of the sections */
    }
    if (!r->budget || (lights != LL_NO_INDEX && lights >= r->c.sections)) {
        return false;
    }
    if (mrea_has_blocks(e)) {
        return do_tags_fit(r) && do_blocks_fit(r);
    }
    return is_sum(r, 0, r->c.sections, r->doc.size - r->p.data) &&
           do_sections_stand(r, 0, r->c.sections, r->p.data, r->doc.size);
}

static bool is_count_missing(const reading *r, uint16_t field)
{
    return field != LL_NO_FIELD &&
           is_missing(r, r->doc.layouts[r->area->edition->header].fields[field].offset, sizeof(uint32_t));
}

/* Counts whose fields are not all there: as many blocks as hold all sections, as many tags as are known. */
static void count_rows(reading *r)
{
    const mrea_edition *e = r->area->edition;
    uint64_t left = r->c.sections;
    if (is_count_missing(r, e->block_count)) {
        uint64_t row = mrea_places_of(e, &r->c).blocks;
        uint32_t count = 1;
        for (r->c.blocks = 0; left && count && r->c.blocks < ROWS_TRIED; r->c.blocks++, row += BLOCK_ROW) {
            count = word(r, row + mrea_block_row_at_section_count);
            left -= mrea_least(count, (uint32_t)left);
        }
    }
    if (is_count_missing(r, e->tag_count)) {
        uint64_t row = mrea_places_of(e, &r->c).tags;
        for (r->c.tags = 0; r->c.tags < ROWS_TRIED && mrea_kind_of_tag(word(r, row)); r->c.tags++, row += TAG_ROW) {
        }
    }
}

/* Header and tables are those of a sound area that ends where the file does. */
static bool does_read(reading *r)
{
    const mrea_edition *e = r->area->edition;
    mrea_counts stated = mrea_counts_of(&r->doc, e);
    bool any = is_count_missing(r, e->section_count);
    bool right = false;
    for (uint32_t n = any ? 1 : stated.sections; !right && n && n <= ROWS_TRIED && r->budget; n = any ? n + 1 : 0) {
        r->c = (mrea_counts){n, stated.blocks, stated.tags};
        count_rows(r);
        right = r->c.blocks <= ROWS_TRIED && r->c.tags <= ROWS_TRIED && do_rows_read(r);
    }
    return right;
}

/* ------------------------------------------------------------------ numbers of bytes and places */

/* Where the first lights stand by so many bytes off the grid. */
static uint64_t find_displaced_lights(const reading *r)
{
    const ll_doc *file = r->area->doc;
    uint64_t at = (uint64_t)((r->by + MREA_ALIGNMENT) % MREA_ALIGNMENT);
    while (ll_fits(at, MREA_LIGHTS_MAGIC_LENGTH, file->size) && mrea_word(file, (uint32_t)at) != MREA_LIGHTS_MAGIC) {
        at += MREA_ALIGNMENT;
    }
    return at < file->size ? at - (uint64_t)r->by : UINT32_MAX;
}

/* The copy is what the file holds as it stands; zeros behind its end. */
static void start(reading *r, uint8_t *copy)
{
    const ll_doc *file = r->area->doc;
    uint32_t own = mrea_least(file->size, TABLES_TRIED);
    memcpy(copy, file->bytes, own);
    memset(copy + own, 0, TABLES_TRIED - own);
    r->doc.size = (uint32_t)((int64_t)file->size - r->by);
    r->doc.bytes = r->doc.regions[0].bytes = copy;
    r->budget = ROWS_READ;
    r->depth = PLACES;
    r->instead = LL_NO_INDEX;
}

/* Tries every place for r->by bytes put in, below 0: taken out. The copy is what the file was without them: up to the
 * place its bytes as they stand, then zeros for what is missing, then those behind what is too much. */
static bool try_number(reading *r, uint8_t *copy, mrea_table_shift *found)
{
    const ll_doc *file = r->area->doc;
    uint32_t missing = r->by < 0 ? (uint32_t)-r->by : 0;
    uint32_t extra = r->by > 0 ? (uint32_t)r->by : 0;
    uint32_t own = mrea_least(file->size, TABLES_TRIED);
    if (own < START + missing + extra) {
        return false;
    }
    start(r, copy);
    r->lights = find_displaced_lights(r);
    memset(copy + START, 0, TABLES_TRIED - START);
    memcpy(copy + START + missing, file->bytes + START + extra, own - START - missing - extra);
    *found = (mrea_table_shift){r->by, 0, 0};
    const mrea_edition *e = r->area->edition;
    const mrea_counts stated = mrea_counts_of(file, e); /* which are right if all that is wrong is behind the header */
    uint64_t data = mrea_places_of(e, &stated).data;
    uint64_t last = data < e->header_size ? e->header_size : data;
    for (uint32_t at = START; at < last && at + missing < own && r->budget; at++) {
        r->gap = at;
        r->gap_end = at + missing;
        bool right = does_read(r) && at < r->p.data;
        if (!right && found->to) {
            break;
        }
        found->from = right && !found->to ? at : found->from;
        found->to = right ? at + 1 : 0;
        copy[at] = file->bytes[at];
        if (missing) {
            copy[at + missing] = 0;
        }
    }
    return found->to != 0;
}

/* The tables as they stand are those of a file without r->by bytes: then the data is displaced. */
static bool is_data_displaced(reading *r, uint8_t *copy, depth most)
{
    start(r, copy);
    r->depth = most;
    return does_read(r);
}

/* A table: where it begins, its rows. */
typedef struct table {
    uint64_t at;
    uint32_t count, size;
} table;

/* The tables as they stand in the file; false: they cannot be. */
static bool open_tables(reading *r, uint8_t *copy, table tables[3])
{
    start(r, copy);
    const mrea_counts c = mrea_counts_of(&r->doc, r->area->edition);
    const mrea_places p = mrea_places_of(r->area->edition, &c);
    tables[0] = (table){p.sizes, c.sections, SIZE_ROW};
    tables[1] = (table){p.blocks, c.blocks, BLOCK_ROW};
    tables[2] = (table){p.tags, c.tags, TAG_ROW};
    return p.data <= mrea_least(r->doc.size, TABLES_TRIED);
}

/* Without these bytes, that are wrong, everything is right. */
static bool is_wrong(reading *r, uint64_t at, uint32_t size)
{
    r->gap = (uint32_t)at;
    r->gap_end = r->gap + size;
    return !r->budget || does_read(r);
}

/* One row or one count that is wrong explains everything: no bytes are missing then. */
static bool is_one_wrong(reading *r, uint8_t *copy)
{
    const mrea_edition *e = r->area->edition;
    const uint16_t counts[] = {e->section_count, e->block_count, e->tag_count};
    table tables[3];
    bool open = open_tables(r, copy, tables);
    bool found = false;
    for (unsigned i = 0; i < 3 && !found; i++) {
        found = counts[i] != LL_NO_FIELD &&
                is_wrong(r, r->doc.layouts[e->header].fields[counts[i]].offset, sizeof(uint32_t));
        for (uint32_t row = 0; open && !found && row < tables[i].count; row++) {
            found = is_wrong(r, tables[i].at + (uint64_t)row * tables[i].size, tables[i].size);
        }
    }
    return found;
}

static void exchange(uint8_t *row, uint32_t size)
{
    uint8_t kept[BLOCK_ROW];
    memcpy(kept, row, size);
    memmove(row, row + size, size);
    memcpy(row + size, kept, size);
}

/* Another section holds the lights as the tables stand, so that what calls this one so is wrong. */
static bool are_lights_elsewhere(reading *r)
{
    bool found = false;
    uint32_t sections = r->c.sections;
    for (r->instead = 0; r->instead < sections && r->budget && !found; r->instead++) {
        found = does_read(r);
    }
    r->instead = LL_NO_INDEX;
    return found;
}

/* Neighbouring rows of the size table or of the block table with which, exchanged, everything is right. */
static bool find_exchange(reading *r, uint8_t *copy, mrea_exchange *found)
{
    table tables[3];
    bool open = open_tables(r, copy, tables);
    bool fits = open && is_data_displaced(r, copy, TABLES); /* but for what the data holds */
    *found = (mrea_exchange){0};
    r->depth = LIGHTS;
    open = open && !(fits && are_lights_elsewhere(r));
    for (unsigned i = 0; i < 2 && open; i++) {
        for (uint32_t row = 0; row + 1 < tables[i].count && r->budget; row++) {
            uint8_t *bytes = copy + tables[i].at + (size_t)row * tables[i].size;
            if (memcmp(bytes, bytes + tables[i].size, tables[i].size)) {
                exchange(bytes, tables[i].size);
                if (does_read(r)) {
                    found->row = found->pairs ? found->row : row;
                    found->last = row + 1;
                    found->blocks = i == 1;
                    found->decided = !found->blocks || !fits;
                    found->pairs++;
                }
                exchange(bytes, tables[i].size);
            }
        }
    }
    return found->pairs != 0;
}

/* Blocks may be what is exchanged where their rows hold the same sums. */
void mrea_raise_exchange(const mrea_area *area)
{
    ll_doc *doc = area->doc;
    const mrea_exchange *e = &area->exchange;
    uint32_t size = e->blocks ? BLOCK_ROW : SIZE_ROW;
    ll_where at = ll_at_field(doc, e->blocks ? area->summary->block_table : area->summary->size_table, e->row, 0);
    at.field = LL_NO_FIELD;
    at.length = (e->last - e->row + 1) * size;
    ll_where data = ll_nowhere();
    if (!e->decided) {
        mrea_counts c = {area->summary->sections, e->row, area->summary->tags};
        uint64_t gap = mrea_end_of(doc, area->edition, &c) - mrea_places_of(area->edition, &c).data;
        c.blocks = e->last + 1;
        uint64_t end = mrea_end_of(doc, area->edition, &c) - mrea_places_of(area->edition, &c).data;
        data = ll_at_bytes(LL_NO_SPAN, area->data + (uint32_t)gap, (uint32_t)(end - gap));
    }
    ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_ROWS_EXCHANGED, MREA_HINT_NONE, at, data, ll_uint(e->row),
                                   ll_uint(e->last), ll_word(e->blocks ? "block table" : "size table"));
    uint8_t *rows = e->pairs == 1 && e->decided ? ll_doc_alloc(doc, at.length, 1) : NULL;
    if (rows) {
        memcpy(rows, ll_doc_at(doc, at.offset), at.length);
        exchange(rows, size);
        ll_patch_bytes(doc, &fault, LL_PATCH_SAFE, at.offset, at.length, rows, at.length);
    }
    ll_raise(doc, &fault);
}

static reading as_it_stands(const mrea_area *area)
{
    return (reading){.area = area, .doc = *area->doc, .depth = PLACES, .instead = LL_NO_INDEX, .budget = ROWS_READ};
}

bool mrea_do_tables_read(const mrea_area *area)
{
    reading same = as_it_stands(area);
    return does_read(&same);
}

bool mrea_find_table_shift(mrea_area *area, mrea_table_shift *found)
{
    ll_doc *doc = area->doc;
    int rest = (int)(doc->size % MREA_ALIGNMENT);
    reading same = as_it_stands(area);
    if (doc->copy || does_read(&same)) {
        return false;
    }
    const mrea_counts c = mrea_counts_of(doc, area->edition);
    reading less = {.area = area, .doc = *doc, .by = rest ? rest : MREA_ALIGNMENT};
    reading more = {.area = area, .doc = *doc, .by = rest - MREA_ALIGNMENT};
    uint8_t *copy = ll_doc_alloc(doc, TABLES_TRIED, 1);
    if (!copy || find_exchange(&same, copy, &area->exchange) || mrea_do_counts_fit(doc, area->edition, &c) ||
        is_data_displaced(&less, copy, PLACES) || is_data_displaced(&more, copy, BEGIN) ||
        (!rest && is_one_wrong(&same, copy))) {
        return false;
    }
    bool begins = is_data_displaced(&less, copy, BEGIN); /* the lights may have what the tables have not */
    return try_number(&less, copy, found) || (!begins && try_number(&more, copy, found));
}

/* ------------------------------------------------------------------ rows that cannot be */

/* How many rows of a table, or indices of the header, were looked at, how many of them cannot be, and the first one. */
typedef struct odd_rows {
    uint32_t looked, odd, first;
} odd_rows;

static void add_row(odd_rows *rows, uint64_t at, bool odd)
{
    rows->first = odd && !rows->odd ? (uint32_t)at : rows->first;
    rows->odd += odd;
    rows->looked++;
}

bool mrea_are_tables_damaged(const mrea_area *area, const mrea_counts *c, uint32_t *from)
{
    enum { ODD_LEAST = 4, ODD_SHARE = 4 }; /* at least 4 rows, and at least a quarter of all */
    const ll_doc *doc = area->doc;
    const mrea_places p = mrea_places_of(area->edition, c);
    const bool packed = mrea_has_blocks(area->edition);
    odd_rows rows = {0};
    unsigned count = 0;
    const mrea_index_row *named = mrea_index_rows(area->edition->header, &count);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t index = mrea_header_word(area, named[i].field);
        /* of an index that cannot be, what is wrong may be as far in front of it as the counts */
        add_row(&rows, doc->layouts[area->edition->header].fields[area->edition->section_count].offset,
                index != UINT32_MAX && index >= c->sections);
    }
    for (uint64_t i = 0, at = p.sizes; i < c->sections; i++, at += SIZE_ROW) {
        const uint32_t size = mrea_word(doc, (uint32_t)at);
        add_row(&rows, at, size % MREA_ALIGNMENT || (!packed && size > doc->size));
    }
    for (uint64_t i = 0, at = p.blocks; i < c->blocks; i++, at += BLOCK_ROW) {
        const uint32_t sections = mrea_word(doc, (uint32_t)at + mrea_block_row_at_section_count);
        const uint32_t stored = mrea_word(doc, (uint32_t)at + mrea_block_row_at_compressed_size);
        add_row(&rows, at, sections == 0 || sections > c->sections || stored > doc->size);
    }
    for (uint64_t i = 0, at = p.tags; i < c->tags; i++, at += TAG_ROW) {
        const uint32_t index = mrea_word(doc, (uint32_t)at + mrea_tag_row_at_section_index);
        add_row(&rows, at, mrea_kind_of_tag(mrea_word(doc, (uint32_t)at)) == MREA_KIND_OTHER || index >= c->sections);
    }
    *from = rows.first;
    return rows.odd >= ODD_LEAST && rows.odd >= rows.looked / ODD_SHARE && !mrea_do_counts_fit(doc, area->edition, c);
}
