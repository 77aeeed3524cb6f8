/* Reads the sections of a store. Their kinds follow from fields of the header, or from the table of tags. The first
 * word of a section shows whether it is the main one. Sections that may be, and those of another kind with known
 * records, are looked into when all others are claimed. */
#include "base/endian.h"
#include "base/text.h"
#include "model/reader.h"
#include "model/store_state.h"

#include <string.h>

enum {
    WORD = 4,
    SHIFT_MAX = 112, /* most bytes put in or taken out of an unpacked stream that are recognised */
    UNPACKED_LEAST = 16 * 1024 * 1024,
    UNPACKED_PER_BYTE = 16,
    UNPACKED_MAX = 64 * 1024 * 1024
};

static const ll_section_kind *kind_of(const ll_store *s, uint32_t section)
{
    return &s->doc->format->kinds[s->kinds[section]];
}

/* ------------------------------------------------------------------ kinds */

static void name_section(ll_store *s, uint32_t section, unsigned kind)
{
    if (section < s->count.sections && s->kinds[section] == 0) {
        s->kinds[section] = (uint8_t)kind;
    }
}

/* How many sections from a named one on are of its kind. LL_NO_INDEX: all up to the next named one. */
static uint32_t run_of(const ll_store *s, unsigned kind)
{
    uint32_t run = 1;
    for (size_t i = 0; i < s->doc->format->kind_by_count; i++) {
        const ll_section_by *row = &s->doc->format->kinds_by[i];
        if (row->counts && row->layout == s->edition->layout && row->kind == kind) {
            run = row->field == LL_NO_FIELD ? LL_NO_INDEX : ll_header_number(s, row->field);
        }
    }
    return run;
}

/* Gives unnamed sections the kind of the one in front of them, as far as rows say so. */
static void name_others(ll_store *s)
{
    unsigned run = 0;
    uint32_t named = 0; /* section that began the run */
    for (unsigned kind = 0; kind < s->doc->format->kind_count && !run; kind++) {
        run = run_of(s, kind) == LL_NO_INDEX ? kind : 0;
    }
    uint32_t length = run ? LL_NO_INDEX : 0; /* of the run; 0: not looked up yet */
    for (uint32_t i = 0; i < s->count.sections; i++) {
        if (s->kinds[i]) {
            run = s->kinds[i];
            named = i;
            length = 0;
        } else if (run) {
            length = length ? length : run_of(s, run);
            run = i - named < length ? run : 0;
            s->kinds[i] = (uint8_t)run;
        }
    }
}

static void defer(ll_store *s, unsigned slot, uint32_t section)
{
    if (section < s->count.sections) {
        s->deferred[slot].section = section;
    }
}

static void name_by_index(ll_store *s, const ll_section_by *rows, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const uint32_t index = ll_header_number(s, rows[i].field);
        name_section(s, index, rows[i].kind);
        if (rows[i].kind == s->plan->main) {
            defer(s, LL_DEFER_MAIN, index);
            s->main_named = ll_at_header(s, rows[i].field);
        } else if (s->doc->format->kinds[rows[i].kind].record) {
            defer(s, LL_DEFER_OTHER, index);
        }
    }
}

static void name_by_tag(ll_store *s)
{
    const ll_store_plan *plan = s->plan;
    bool tagged = false;
    for (uint32_t i = 0; i < s->count.tags; i++) {
        const uint64_t row = s->tags + (uint64_t)i * ll_row_size(s->doc, plan->tag);
        const unsigned kind = ll_kind_of_tag(s->doc->format, ll_row_number(s->doc, plan->tag, row));
        const uint32_t index = ll_row_number(s->doc, plan->index, row);
        name_section(s, index, kind);
        if (kind == plan->main && kind && !tagged) {
            defer(s, LL_DEFER_MAIN, index);
            s->main_named = ll_at_field(s->doc, s->tag_table, i, plan->index.field);
            tagged = true;
        }
    }
}

bool ll_name_numbered(ll_store *s)
{
    s->kinds = ll_doc_zalloc(s->doc, s->count.sections, 1);
    if (!s->kinds) {
        return false;
    }
    unsigned count = 0;
    const ll_section_by *rows = ll_kinds_by(s->doc->format, s->edition->layout, &count);
    if (count) {
        name_by_index(s, rows, count);
    } else {
        name_by_tag(s);
    }
    name_others(s);
    return true;
}

const uint8_t *ll_section_kinds(ll_doc *doc)
{
    ll_store s;
    return ll_open_store(doc, &s) && ll_name_numbered(&s) ? s.kinds : NULL;
}

/* ------------------------------------------------------------------ sections */

/* The section begins with the first word of the main kind. */
static bool starts_rightly(const ll_store *s, const ll_deferred *d)
{
    return s->plan->main && d->found && d->have >= WORD && d->bytes &&
           ll_be32(d->bytes) == s->doc->format->kinds[s->plan->main].magic;
}

/* The first two bytes are two neighbouring bytes of the word. */
static bool holds_two(const uint8_t *bytes, uint32_t word)
{
    const uint32_t two = ll_be16(bytes);
    return two == word >> 16 || two == (word >> 8 & UINT16_MAX) || two == (word & UINT16_MAX);
}

/* The word is at another place in the data of the file, or close by in an unpacked stream, or a part of it is left
 * close to where it should be. */
static bool is_elsewhere(const ll_store *s, const ll_stream *stream, uint32_t at, uint32_t magic)
{
    const uint8_t *bytes = stream ? s->unpacker.bytes : s->doc->bytes;
    const uint32_t size = stream ? stream->size : s->doc->size;
    const uint32_t end = stream && size - at > SHIFT_MAX ? at + SHIFT_MAX : size;
    const uint32_t from = stream ? at - ll_least(at, SHIFT_MAX) : s->data;
    const uint32_t near = at - ll_least(at, sizeof magic - 1);
    uint8_t word[WORD];
    ll_put_uint(word, WORD, true, magic);
    bool found = false;
    for (uint32_t i = near > from ? near : from; i < at + sizeof magic && !found; i++) {
        found = ll_fits(i, sizeof magic, end) && holds_two(bytes + i, magic);
    }
    return found || ll_find_bytes(bytes, end, from, word, WORD) != SIZE_MAX;
}

static ll_where size_at(const ll_store *s, uint32_t section)
{
    return ll_at_field(s->doc, s->size_table, section, s->plan->size.field);
}

/* On a copy, tells the search if a section does not begin with the word of its kind, but the word is found elsewhere.
 * Notes the sections that begin rightly. */
static void judge_begin(ll_store *s, uint32_t section, const ll_stream *stream, uint32_t at, uint32_t have)
{
    const uint32_t magic = kind_of(s, section)->magic;
    uint32_t word;
    if (!magic || have < sizeof word) {
        return;
    }
    word = ll_be32((stream ? s->unpacker.bytes : s->doc->bytes) + at);
    if (word == magic) {
        s->sound_to = stream ? s->sound_to : at;
        return;
    }
    if (!s->doc->copy || !is_elsewhere(s, stream, at, magic)) {
        return;
    }
    const uint32_t place = stream ? stream->start : at;
    ll_fault fault =
        ll_read_fault(s->doc->format, LL_READ_CONSTANT, s->plan->section, ll_at_bytes(LL_NO_SPAN, place, sizeof word),
                      (ll_read_words){ll_uint(word), ll_uint(magic), "magic"});
    fault.related = size_at(s, section ? section - 1 : 0); /* this size states where the section begins */
    ll_raise(s->doc, &fault);
}

/* Keeps a section that has to be looked into later. False: it has not. */
static bool keep(ll_store *s, const ll_deferred *section)
{
    unsigned slot = 0;
    while (slot < LL_DEFERRED && s->deferred[slot].section != section->section) {
        slot++;
    }
    const bool vacant = s->deferred[LL_DEFER_ELSE].section == LL_NO_INDEX && s->edition->variant;
    if (slot == LL_DEFERRED && vacant && starts_rightly(s, section)) {
        slot = LL_DEFER_ELSE;
    }
    if (slot == LL_DEFERRED) {
        return false;
    }
    s->deferred[slot] = *section;
    if (!section->outer_length || !section->bytes || !section->size) {
        return true;
    }
    s->unpacker.kept = s->unpacker.kept || section->size >= s->unpacker.room / 2;
    uint8_t *copy = s->unpacker.kept ? NULL : ll_doc_alloc(s->doc, section->size, 1);
    if (copy) { /* the next block overwrites the bytes */
        memcpy(copy, section->bytes, section->size);
        s->deferred[slot].bytes = copy;
    }
    return true;
}

/* Claims or keeps a section of which `have` bytes are there. */
static void read_section(ll_store *s, uint32_t parent, ll_deferred here, const ll_stream *stream)
{
    ll_doc *doc = s->doc;
    const uint32_t at = here.offset;
    here.found = true;
    here.bytes = (stream ? s->unpacker.bytes : doc->bytes) + at;
    here.group = LL_NO_SPAN;
    if (stream) {
        here.outer = stream->block;
        here.outer_length = stream->end - stream->block;
    } else if (here.have) { /* none for empty ones: a size table may hold millions */
        here.group = ll_claim_group(doc, parent, s->plan->section, at, at + here.have, here.section);
    }
    if (stream && stream->size > s->unpacker.room) {
        here.bytes = NULL;
        here.have = here.size ? stream->size : 0;
    } else {
        judge_begin(s, here.section, stream, at, here.have);
    }
    if (!keep(s, &here) && !stream && here.have) {
        ll_claim_bytes(doc, here.group, kind_of(s, here.section)->layout, at, at + here.have);
    }
}

uint32_t ll_read_numbered(ll_store *s, uint32_t first, uint32_t count, const ll_stream *stream, ll_stretch within)
{
    const uint32_t row = ll_row_size(s->doc, s->plan->size);
    uint32_t pos = within.from;
    for (uint32_t i = first; i < first + count && s->doc->status == LL_OK; i++) {
        const uint32_t size = ll_row_number(s->doc, s->plan->size, s->sizes + (uint64_t)i * row);
        const uint32_t there = ll_least(size, within.to - pos);
        if (there == size || (there && !stream)) {
            const ll_deferred section = {.section = i, .size = size, .have = there, .offset = pos};
            read_section(s, within.parent, section, stream);
        }
        pos += there;
    }
    return pos;
}

/* ------------------------------------------------------------------ contents */

uint32_t ll_most_unpacked(uint32_t packed)
{
    const uint64_t most = UNPACKED_LEAST + UNPACKED_PER_BYTE * (uint64_t)packed;
    return most < UNPACKED_MAX ? (uint32_t)most : UNPACKED_MAX;
}

/* Name of the region of a section, such as "section[5]", in the arena; NULL: no memory. */
static const char *region_name(const ll_store *s, uint32_t section)
{
    ll_text text;
    ll_text_init(&text, &s->doc->arena.allocator);
    ll_text_format(&text, "%s[%" PRIu32 "]", s->doc->layouts[s->plan->section].label, section);
    const char *name = text.failed ? NULL : ll_arena_copy(&s->doc->arena, text.data, text.length);
    ll_text_free(&text);
    return name;
}

/* Makes a region of an unpacked section, with a section span over it. Returns the span; LL_NO_SPAN: it cannot be
 * made. */
static uint32_t add_region(const ll_store *s, const ll_deferred *d, uint32_t *base)
{
    ll_doc *doc = s->doc;
    const char *name = region_name(s, d->section);
    if (!name) {
        doc->status = LL_E_MEMORY;
        return LL_NO_SPAN;
    }
    *base = ll_doc_add_region(doc, name, d->bytes, d->size, d->outer, d->outer_length);
    return *base ? ll_claim_group(doc, LL_NO_SPAN, s->plan->section, *base, *base + d->size, d->section) : LL_NO_SPAN;
}

/* Claims a section that should hold the main record, but has neither its first word nor its contents. */
static void leave_main(const ll_store *s, uint32_t parent, uint32_t at, uint32_t end)
{
    ll_doc *doc = s->doc;
    const ll_section_kind *kind = &doc->format->kinds[s->plan->main];
    const uint32_t head = ll_claim_record(doc, parent, kind->record, at, end, LL_NO_INDEX);
    const ll_where magic = ll_at_field(doc, head, 0, ll_tag_field(&doc->layouts[kind->record]));
    ll_mark_span(doc, ll_claim_unparsed(doc, head, at + doc->layouts[kind->record].size, end), LL_SPAN_EXPLAINED);
    ll_fault fault =
        ll_read_fault(doc->format, LL_READ_CONSTANT, kind->record, magic,
                      (ll_read_words){ll_uint(ll_be32(ll_doc_at(doc, at))), ll_uint(kind->magic), "magic"});
    ll_raise(doc, &fault);
}

/* Reads the main section by its rows. If the file ends in it, a fault says so already, and all faults of the section
 * are dropped. */
static void read_main(ll_store *s, const ll_deferred *deferred, uint32_t parent, uint32_t at)
{
    ll_doc *doc = s->doc;
    const uint16_t record = doc->format->kinds[s->plan->main].record;
    const bool told = deferred->have < deferred->size, all = deferred->have >= doc->layouts[record].size;
    const ll_doc_mark before = ll_doc_mark_here(doc);
    const ll_stretch main = {record, parent, at, at + deferred->have, false};
    if (!told && all && !starts_rightly(s, deferred) && !ll_reads_well(doc, &main, s->edition->variant, 1)) {
        leave_main(s, parent, at, at + deferred->have);
        return;
    }
    ll_read_part(doc, &main, s->edition->variant);
    const uint64_t right = ll_align_up(deferred->size, s->plan->unit);
    if (told) {
        ll_doc_forget(doc, &before);
        for (uint32_t i = before.span_count; i < doc->span_count; i++) {
            ll_mark_span(doc, i, LL_SPAN_EXPLAINED);
        }
    } else if (doc->fault_count == before.fault_count && right != deferred->size) { /* its padding is missing */
        ll_raise_by_rule(doc, ll_read_fault(doc->format, LL_READ_END, s->plan->section, size_at(s, deferred->section),
                                            (ll_read_words){ll_uint(deferred->size), ll_uint(right), "size"}));
    }
}

/* Claims the record of a kind of section, and bytes after its fields. Without its first word, it stays opaque. */
static void claim_head(const ll_store *s, const ll_section_kind *kind, uint32_t parent, uint32_t at, uint32_t length)
{
    ll_doc *doc = s->doc;
    const uint32_t own = doc->layouts[kind->record].size;
    if (length < own || ll_be32(ll_doc_at(doc, at)) != kind->magic) {
        (void)ll_claim_bytes(doc, parent, kind->layout, at, at + length);
        return;
    }
    const uint32_t head = ll_claim_record(doc, parent, kind->record, at, at + length, LL_NO_INDEX);
    const ll_part_row *behind = &doc->format->parts[s->all->rows[kind->record].first];
    (void)ll_claim_bytes(doc, head, behind->layout, at + own, at + length);
}

/* Claims the contents of a kept section. main: as the main record; otherwise by its kind. */
static void claim_deferred(ll_store *s, const ll_deferred *deferred, bool main)
{
    ll_doc *doc = s->doc;
    const ll_section_kind *kind = deferred->found ? kind_of(s, deferred->section) : NULL;
    const bool packed = deferred->outer_length,
               head = kind && kind->record && s->kinds[deferred->section] != s->plan->main && !ll_has_tags(s);
    uint32_t parent = deferred->group;
    uint32_t at = deferred->offset;
    if (!kind || deferred->have == 0 || (packed && !main && !head)) {
        return;
    }
    if (!deferred->bytes) {
        doc->unchecked = doc->unchecked || main;
        ll_fault fault = ll_read_fault(doc->format, LL_READ_TOO_LARGE, s->plan->section, size_at(s, deferred->section),
                                       (ll_read_words){ll_uint(deferred->section), ll_uint(deferred->have), ""});
        fault.arg[2] = ll_uint(ll_most_unpacked(deferred->outer_length));
        ll_raise_by_rule(doc, fault);
        return;
    }
    if (packed) {
        parent = add_region(s, deferred, &at);
        if (parent == LL_NO_SPAN) {
            doc->unchecked = doc->unchecked || main;
            return;
        }
    }
    if (main && s->edition->variant) {
        read_main(s, deferred, parent, at);
    } else if (head) {
        claim_head(s, kind, parent, at, deferred->have);
    } else {
        ll_claim_bytes(doc, parent, kind->layout, at, at + deferred->have);
    }
}

/* The main section is the one that the header names, unless it does not begin like one and another one does. */
void ll_claim_deferred(ll_store *s)
{
    ll_doc *doc = s->doc;
    const ll_deferred *deferred = s->deferred;
    const bool elsewhere = deferred[LL_DEFER_ELSE].found && !starts_rightly(s, &deferred[LL_DEFER_MAIN]);
    const ll_deferred *main = &deferred[elsewhere ? LL_DEFER_ELSE : LL_DEFER_MAIN];
    for (unsigned i = 0; i < LL_DEFERRED && doc->status == LL_OK; i++) {
        claim_deferred(s, &deferred[i], &deferred[i] == main);
    }
    if (main->found && main->size == 0 && s->edition->variant) { /* its first word is missing */
        const ll_where at = doc->unknown_from < doc->unknown_to ? s->main_named : size_at(s, main->section);
        ll_fault fault = ll_read_fault(doc->format, LL_READ_TAG, s->plan->section, at,
                                       (ll_read_words){ll_uint(main->section), (ll_arg){0}, "size"});
        ll_raise(doc, &fault);
    }
}
