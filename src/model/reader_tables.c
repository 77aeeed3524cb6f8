/* The three tables between the header of a store and its data: finds their numbers of rows and their places, and
 * follows the sizes in them. */
#include "model/store_state.h"

enum {
    ROWS_TRIED = 1024,
    ROWS_PLAUSIBLE = 0x10000 /* most rows that a cut file is believed to have had */
};

ll_counts ll_counts_of(const ll_doc *doc, const ll_store_plan *plan, const ll_edition *edition)
{
    const ll_field_of tables[] = {plan->size, plan->packed, plan->tag};
    uint32_t counts[] = {0, 0, 0};
    for (unsigned i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const unsigned field = ll_count_field(doc->format, edition->layout, tables[i]);
        if (field != LL_NO_FIELD) {
            counts[i] = ll_row_number(doc, (ll_field_of){edition->layout, (uint16_t)field}, 0);
        }
    }
    return (ll_counts){counts[0], counts[1], counts[2]};
}

ll_places ll_places_of(const ll_doc *doc, const ll_store_plan *plan, const ll_edition *edition, const ll_counts *counts)
{
    ll_places p;
    p.sizes = ll_align_up(doc->layouts[edition->layout].size, plan->unit);
    p.blocks = ll_align_up(p.sizes + (uint64_t)counts->sections * ll_row_size(doc, plan->size), plan->unit);
    p.tags = ll_align_up(p.blocks + (uint64_t)counts->blocks * ll_row_size(doc, plan->packed), plan->unit);
    p.data = ll_align_up(p.tags + (uint64_t)counts->tags * ll_row_size(doc, plan->tag), plan->unit);
    return p;
}

uint64_t ll_sum_of_sizes(const ll_doc *doc, const ll_store_plan *plan, uint64_t table, uint64_t count)
{
    const ll_layout *l = &doc->layouts[plan->size.layout];
    const uint8_t *row = count ? ll_doc_at(doc, (uint32_t)table) : NULL;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++, row += l->size) {
        sum += ll_number_at(l, plan->size.field, row);
    }
    return sum;
}

/* ------------------------------------------------------------------ unknown counts */

/* A number in a row that may be after the end of the file; 0: it is. */
static uint32_t number_or_none(const ll_doc *doc, ll_field_of f, uint64_t row)
{
    return ll_fits(row, ll_row_size(doc, f), doc->size) ? ll_row_number(doc, f, row) : 0;
}

/* Number of blocks that hold all sections, counting rows from the start of the block table on. */
static uint32_t count_blocks(const ll_store *s, const ll_counts *c)
{
    uint64_t row = ll_places_of(s->doc, s->plan, s->edition, c).blocks, sections = 0;
    uint32_t count = 0;
    for (; sections < c->sections && count < ROWS_TRIED; count++, row += ll_row_size(s->doc, s->plan->count)) {
        sections += number_or_none(s->doc, s->plan->count, row);
    }
    return count;
}

/* Number of rows with a known tag, from the start of the table of tags on, also after its stated end. */
static uint32_t count_tags(const ll_store *s, const ll_counts *c)
{
    uint64_t row = ll_places_of(s->doc, s->plan, s->edition, c).tags;
    uint32_t tags = 0;
    while (ll_kind_of_tag(s->doc->format, number_or_none(s->doc, s->plan->tag, row)) != 0) {
        tags++;
        row += ll_row_size(s->doc, s->plan->tag);
    }
    return tags;
}

uint64_t ll_sections_of_blocks(const ll_doc *doc, const ll_store_plan *plan, const ll_edition *edition,
                               const ll_counts *counts)
{
    const uint64_t table = ll_places_of(doc, plan, edition, counts).blocks;
    const uint32_t row = ll_row_size(doc, plan->count);
    uint64_t sections = 0;
    for (uint64_t i = 0; i < counts->blocks && ll_fits(table, (i + 1) * row, doc->size); i++) {
        sections += ll_row_number(doc, plan->count, table + i * row);
    }
    return sections;
}

/* Number of sections that the blocks hold or, without blocks, that the indices lead to; 0: unknown. */
static uint32_t count_sections(const ll_store *s, const ll_counts *c)
{
    const bool blocks = ll_has_blocks(s->doc, s->plan, s->edition);
    unsigned rows = 0;
    uint32_t count = 0;
    const ll_section_by *named = ll_kinds_by(s->doc->format, s->edition->layout, &rows);
    for (unsigned i = 0; i < rows && !blocks; i++) {
        const uint32_t index = ll_header_number(s, named[i].field);
        count = index != UINT32_MAX && index >= count ? index + 1 : count;
    }
    ll_counts some = {1, c->blocks, c->tags};
    for (; blocks && c->blocks < ROWS_TRIED && !count && some.sections < ROWS_TRIED; some.sections++) {
        count = ll_sections_of_blocks(s->doc, s->plan, s->edition, &some) == some.sections ? some.sections : 0;
    }
    return count;
}

/* On a copy, fills in unknown bytes of the header: counts by the tables, indices with one that leads nowhere. */
static void fill_header(const ll_store *s)
{
    const ll_doc *doc = s->doc;
    uint32_t (*const counts[])(const ll_store *, const ll_counts *) = {count_sections, count_blocks, count_tags};
    const ll_field_of tables[] = {s->plan->size, s->plan->packed, s->plan->tag};
    unsigned rows = 0;
    const ll_section_by *named = ll_kinds_by(doc->format, s->edition->layout, &rows);
    for (unsigned i = 0; i < rows; i++) {
        (void)ll_fill_in(doc, ll_at_header(s, named[i].field), UINT32_MAX);
    }
    for (unsigned i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const unsigned field = ll_count_field(doc->format, s->edition->layout, tables[i]);
        const ll_where at = field == LL_NO_FIELD ? ll_nowhere() : ll_at_header(s, field);
        if (ll_fill_in(doc, at, 0)) {
            const ll_counts c = ll_counts_of(doc, s->plan, s->edition);
            (void)ll_fill_in(doc, at, counts[i](s, &c));
        }
    }
}

void ll_fill_term(const ll_store *s, uint32_t table, unsigned field, uint32_t first, uint32_t count, uint64_t missing)
{
    const ll_doc *doc = s->doc;
    const bool sizes = table == s->size_table, whole = !sizes || missing % s->plan->unit == 0;
    bool done = !whole || missing > UINT32_MAX || doc->unknown_from == doc->unknown_to;
    for (uint32_t i = 0; i < count && !done; i++) {
        const uint32_t row = first + (sizes ? count - 1 - i : i);
        const ll_where at = ll_at_field(doc, table, row, field);
        uint64_t stated = 0;
        ll_element record;
        if (ll_element_at(doc, table, row, &record)) {
            stated = ll_get_uint(&record, field);
        }
        done = ll_fill_in(doc, at, stated + missing);
    }
}

/* ------------------------------------------------------------------ the end of the file */

uint32_t ll_fill_at_end(const ll_store *s)
{
    const ll_doc *doc = s->doc;
    const ll_alignment *end = ll_end_alignment_of(doc->format, s->edition->layout);
    uint32_t fill = 0;
    while (end && fill < s->plan->unit && fill < doc->size && doc->bytes[doc->size - 1 - fill] == end->fill) {
        fill++;
    }
    return fill == s->plan->unit ? fill : 0;
}

ll_where ll_unproved(const ll_store *s)
{
    const uint32_t size = s->doc->size, from = s->sound_to ? s->sound_to : s->data;
    return from < size ? ll_at_bytes(LL_NO_SPAN, from, size - from) : ll_nowhere();
}

/* Blocks have the sizes of their sections and hold all sections. *end: offset of their end. */
static bool do_blocks_fit(const ll_doc *doc, const ll_store_plan *plan, const ll_counts *c, const ll_places *p,
                          uint64_t *end)
{
    uint64_t sections = 0;
    bool fit = true;
    *end = p->data;
    for (uint32_t i = 0; i < c->blocks && fit; i++) {
        const uint64_t row = p->blocks + (uint64_t)i * ll_row_size(doc, plan->packed);
        const uint32_t count = ll_row_number(doc, plan->count, row), unpacked = ll_row_number(doc, plan->unpacked, row);
        const uint64_t first = p->sizes + sections * ll_row_size(doc, plan->size);
        fit = count <= c->sections - sections && ll_sum_of_sizes(doc, plan, first, count) == unpacked;
        *end += ll_block_extent(plan, unpacked, ll_row_number(doc, plan->packed, row));
        sections += count;
    }
    return fit && sections == c->sections;
}

bool ll_do_counts_fit(const ll_doc *doc, const ll_store_plan *plan, const ll_edition *edition, const ll_counts *counts)
{
    const ll_places p = ll_places_of(doc, plan, edition, counts);
    if (!counts->sections || p.data >= doc->size || doc->size % plan->unit != 0) {
        return false;
    }
    uint64_t end = p.data + ll_sum_of_sizes(doc, plan, p.sizes, counts->sections);
    if (ll_has_blocks(doc, plan, edition) && !do_blocks_fit(doc, plan, counts, &p, &end)) {
        return false;
    }
    return end == doc->size || end + ll_padding_at(ll_end_alignment_of(doc->format, edition->layout), end) == doc->size;
}

/* ------------------------------------------------------------------ the tables */

/* Raises a fault and returns true if not all rows of a table are in the file. */
static bool is_cut(const ll_store *s, ll_field_of table, uint32_t rows, uint64_t at)
{
    const uint32_t size = s->doc->size;
    const uint64_t need = (uint64_t)rows * ll_row_size(s->doc, table);
    const bool cut = need > (at < size ? size - at : 0);
    if (cut) {
        ll_fault fault = ll_read_fault(s->doc->format, LL_READ_CUT, table.layout, ll_at_bytes(LL_NO_SPAN, size, 0),
                                       (ll_read_words){ll_uint(size), ll_uint(at + need), "size"});
        fault.hint = rows <= ROWS_PLAUSIBLE ? fault.hint : 0;
        fault.related = ll_at_header(s, ll_count_field(s->doc->format, s->edition->layout, table));
        fault.want = at + need;
        ll_raise(s->doc, &fault);
    }
    return cut;
}

/* Raises the fault that a table has no rows. */
static void raise_none(const ll_store *s, ll_field_of table, ll_arg right)
{
    const ll_where at = ll_at_header(s, ll_count_field(s->doc->format, s->edition->layout, table));
    ll_fault fault =
        ll_read_fault(s->doc->format, LL_READ_COUNT, table.layout, at, (ll_read_words){ll_uint(0), right, "count"});
    ll_raise(s->doc, &fault);
}

/* The counts give tables that can be read. False: a fault was raised. */
static bool are_counts_usable(const ll_store *s, const ll_counts *c, const ll_places *p)
{
    if (c->sections == 0) {
        raise_none(s, s->plan->size, (ll_arg){0});
        return false;
    }
    if (is_cut(s, s->plan->size, c->sections, p->sizes) || is_cut(s, s->plan->packed, c->blocks, p->blocks) ||
        is_cut(s, s->plan->tag, c->tags, p->tags)) {
        return false;
    }
    if (ll_has_blocks(s->doc, s->plan, s->edition) && c->blocks == 0) {
        raise_none(s, s->plan->packed, ll_uint(c->sections));
        return false;
    }
    return true;
}

/* Claims a table and the padding in front of what follows it, up to `next` or the end of the file. Returns the span of
 * the table. */
static uint32_t claim_table(ll_store *s, unsigned layout, unsigned behind, uint64_t at, uint32_t rows, uint64_t next)
{
    ll_doc *doc = s->doc;
    const ll_alignment *padding = ll_alignment_of(doc->format, behind, LL_ALIGN_FIRST);
    const uint64_t end = at + (uint64_t)rows * doc->layouts[layout].size;
    const uint32_t span = ll_claim_array(doc, LL_NO_SPAN, (uint16_t)layout, (uint32_t)at, rows);
    if (padding) {
        ll_claim_bytes(doc, LL_NO_SPAN, padding->padding, end, next < doc->size ? next : doc->size);
    }
    return span;
}

bool ll_read_tables(ll_store *s)
{
    ll_doc *doc = s->doc;
    const ll_store_plan *plan = s->plan;
    if (doc->unknown_from < doc->unknown_to) {
        fill_header(s);
    }
    const ll_counts c = ll_counts_of(doc, plan, s->edition);
    const ll_places p = ll_places_of(doc, plan, s->edition, &c);
    s->sizes = (uint32_t)p.sizes;
    if (!are_counts_usable(s, &c, &p)) {
        doc->fatal = true;
        ll_mark_span(doc, ll_claim_unparsed(doc, LL_NO_SPAN, s->sizes, doc->size), LL_SPAN_EXPLAINED);
        return false;
    }
    s->blocks = (uint32_t)p.blocks;
    s->tags = (uint32_t)p.tags;
    s->data = p.data < doc->size ? (uint32_t)p.data : doc->size;
    s->count = c;
    s->size_table = claim_table(s, plan->size.layout, plan->packed.layout, p.sizes, c.sections, p.blocks);
    s->block_table = claim_table(s, plan->packed.layout, plan->tag.layout, p.blocks, c.blocks, p.tags);
    s->tag_table = claim_table(s, plan->tag.layout, plan->block, p.tags, c.tags, p.data);
    const unsigned field = ll_count_field(doc->format, s->edition->layout, plan->tag);
    const uint32_t tags = doc->copy && field != LL_NO_FIELD ? count_tags(s, &c) : 0;
    if (tags > c.tags) {
        ll_fault fault = ll_fault_at(LL_FAULT_GAP, ll_at_header(s, field));
        fault.read = LL_READ_UNCOUNTED + 1;
        ll_raise_value(doc, fault, tags);
    }
    return doc->status == LL_OK;
}

/* ------------------------------------------------------------------ tables that were read */

/* The number of rows of a table that was read. */
static uint32_t rows_of(const ll_doc *doc, uint32_t table)
{
    return table == LL_NO_SPAN ? 0 : ll_doc_span(doc, table)->count;
}

bool ll_open_store(ll_doc *doc, ll_store *s)
{
    const ll_plan *all = ll_plan_of(doc);
    const unsigned header = all && doc->span_count ? ll_doc_span(doc, 0)->layout : LL_ANY_LAYOUT;
    const bool known = header && ll_edition_with(doc->format, header, 0);
    if (!known) {
        return false;
    }
    *s = (ll_store){.doc = doc, .all = all, .plan = &all->store, .unpacker = {.doc = doc}};
    s->edition = ll_edition_with(doc->format, header, ll_version_of(doc));
    s->unpacker.method = s->edition->method;
    s->size_table = doc->firsts[s->plan->size.layout] - 1U;
    s->block_table = s->plan->packed.layout ? doc->firsts[s->plan->packed.layout] - 1U : LL_NO_SPAN;
    s->tag_table = s->plan->tag.layout ? doc->firsts[s->plan->tag.layout] - 1U : LL_NO_SPAN;
    s->count = (ll_counts){rows_of(doc, s->size_table), rows_of(doc, s->block_table), rows_of(doc, s->tag_table)};
    const ll_places p = ll_places_of(doc, s->plan, s->edition, &s->count);
    s->sizes = (uint32_t)p.sizes;
    s->blocks = (uint32_t)p.blocks;
    s->tags = (uint32_t)p.tags;
    s->data = (uint32_t)p.data;
    return s->count.sections && p.data <= doc->size;
}
