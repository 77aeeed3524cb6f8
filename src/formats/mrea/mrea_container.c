/* Walks an area: header, tables, sections; mrea_blocks.c parses blocks. Claims all bytes. Which section holds
 * the lights, their first word shows: sections that may be, or that are read with the lights in mind, are looked into
 * when all others are claimed.
 *
 * A wrong count or size moves all that follows: mrea_sizes.c seeks it, and only when there is none the end of the file
 * is to blame. */
#include "formats/mrea/mrea_area.h"

#include "base/text.h"
#include "model/reader.h"

#include <string.h>

enum {
    WORD = 4,
    URDE_VERSION = 1, /* high half of the versions of another tool's areas */
    VISIBILITY_VERSION = 2,
    /* Bytes of a section that are kept unpacked, as a small file can stand for 4 GiB: so many, and for each byte of its
     * block so many more, but no more than the last. */
    UNPACKED_LEAST = 16 * 1024 * 1024,
    UNPACKED_PER_BYTE = 16,
    UNPACKED_MAX = 64 * 1024 * 1024
};

#define FORM(r, layers, floats_end)                                                                                    \
    {                                                                                                                  \
        mrea_##r##_LAYOUT, mrea_##r##_SIZE, layers, mrea_##r##_at_##floats_end, mrea_##r##_at_cast_shadows,            \
            mrea_##r##_at_falloff_type                                                                                 \
    }
const mrea_form mrea_form_mp12 = FORM(light, 2, unknown_30),
                mrea_form_mp3 = FORM(light_mp3, MREA_LAYERS_MAX, unknown_40);
#undef FORM

#define EDITION(version, game, record, blocks, tags, form)                                                             \
    {                                                                                                                  \
        version, game, mrea_##record##_LAYOUT, mrea_##record##_SIZE, mrea_##record##_section_count, blocks, tags,      \
            form, (game) == MREA_DKCR                                                                                  \
    }
static const mrea_edition editions[] = {
    EDITION(0x0C, MREA_MP1, header_mp1, LL_NO_FIELD, LL_NO_FIELD, &mrea_form_mp12),
    EDITION(0x0F, MREA_MP1, header_mp1, LL_NO_FIELD, LL_NO_FIELD, &mrea_form_mp12),
    EDITION(0x15, MREA_MP2, header_mp2_demo, LL_NO_FIELD, LL_NO_FIELD, &mrea_form_mp12),
    EDITION(0x19, MREA_MP2, header_mp2, mrea_header_mp2_block_count, LL_NO_FIELD, &mrea_form_mp12),
    EDITION(0x1D, MREA_MP3, header_mp3, mrea_header_mp3_block_count, mrea_header_mp3_tag_count, &mrea_form_mp3),
    EDITION(0x1E, MREA_MP3, header_mp3, mrea_header_mp3_block_count, mrea_header_mp3_tag_count, &mrea_form_mp3),
    EDITION(0x20, MREA_DKCR, header_mp3, mrea_header_mp3_block_count, mrea_header_mp3_tag_count, NULL),
};
#undef EDITION

/* Headers begin alike. */
LL_SAME_FIELD(mrea, header_mp2_demo, header_mp1, version);
LL_SAME_FIELD(mrea, header_mp2, header_mp1, version);
LL_SAME_FIELD(mrea, header_mp3, header_mp1, version);
LL_SAME_FIELD(mrea, header_unknown, header_mp1, version);
LL_SAME_FIELD(mrea, header_unknown, header_mp1, magic);

static const char *const game_names[MREA_GAMES] = {
    [MREA_MP1] = "Metroid Prime",
    [MREA_MP2] = "Metroid Prime 2",
    [MREA_MP3] = "Metroid Prime 3",
    [MREA_DKCR] = "Donkey Kong Country Returns",
};

const mrea_edition *mrea_edition_of(uint32_t version)
{
    for (size_t i = 0; i < sizeof editions / sizeof editions[0]; i++) {
        if (editions[i].version == version) {
            return &editions[i];
        }
    }
    return NULL;
}

const mrea_edition *mrea_edition_of_header(uint16_t layout, uint32_t version)
{
    const mrea_edition *found = mrea_edition_of(version);
    found = found && found->header == layout ? found : NULL;
    for (size_t i = 0; i < sizeof editions / sizeof editions[0] && !found; i++) {
        found = editions[i].header == layout ? &editions[i] : NULL;
    }
    return found;
}

/* ------------------------------------------------------------------ claims */

void mrea_claim_end(mrea_area *area, uint64_t end)
{
    ll_doc *doc = area->doc;
    uint32_t size = doc->size;
    uint64_t padded = mrea_has_tags(area->edition) ? ll_align_up(end, MREA_END_ALIGNMENT) : end;
    if (area->moved.by) { /* whoever moved the bytes may have filled the file up, or cut it */
        ll_claim_gap(doc, LL_NO_SPAN, end, end < size ? size : end);
        return;
    }
    if (size < padded) { /* padding to 32, as one tool writes it, is only unusual */
        uint8_t *fill = ll_doc_alloc(doc, MREA_END_ALIGNMENT, 1);
        bool unusual = size == end && size % MREA_ALIGNMENT == 0;
        uint32_t span = ll_claim_bytes(doc, LL_NO_SPAN, mrea_end_padding_LAYOUT, end, size);
        ll_fault fault = LL_MAKE_FAULT(unusual ? MREA_FAULT_FILE_END_UNFILLED : MREA_FAULT_FILE_END,
                                       unusual ? MREA_HINT_NONE : MREA_HINT_CUT_FILE, ll_at_bytes(span, size, 0),
                                       ll_nowhere(), ll_uint(size), ll_uint(padded));
        if (end <= size && fill) {
            memset(fill, MREA_END_FILL, MREA_END_ALIGNMENT);
            ll_patch_bytes(doc, &fault, LL_PATCH_SAFE, size, 0, fill, (uint32_t)(padded - size));
        }
        area->end_fault = fault;
        return;
    }
    ll_claim_bytes(doc, LL_NO_SPAN, mrea_end_padding_LAYOUT, end, padded);
    if (padded < size) {
        area->end_fault =
            LL_MAKE_FAULT(MREA_FAULT_FILE_END_LONG, MREA_HINT_NONE, ll_claim_gap(doc, LL_NO_SPAN, padded, size),
                          ll_nowhere(), ll_uint(size), ll_uint(padded));
    }
}

/* ------------------------------------------------------------------ sections */

/* The word that every visibility tree of these games begins with is missing. Said only where the lights in front of it
 * show that this is the tree: its index, and the sizes in front of it, may be wrong as well. */
static void judge_visibility_magic(const mrea_area *area, uint32_t section, ll_where at)
{
    if (section && area->summary->lights_index == section - 1 && !area->places_uncertain) {
        LL_RAISE(area->doc, MREA_FAULT_VISI_MAGIC, MREA_HINT_NONE, at, ll_chars(at.offset, at.length));
    }
}

/* A visibility tree as far as it is documented, at an address of the file or of a region. Without its magic it is one
 * if the version is. */
static void claim_visibility(mrea_area *area, uint32_t parent, uint32_t section, uint32_t at, uint32_t length)
{
    ll_doc *doc = area->doc;
    bool magic = length >= WORD && mrea_word(doc, at) == mrea_magic_of_kind(MREA_KIND_VISIBILITY);
    bool whole = length >= mrea_visibility_head_SIZE;
    bool version = whole && mrea_word(doc, at + mrea_visibility_head_at_version) == VISIBILITY_VERSION;
    if (!whole || !(magic || version)) {
        uint32_t tree = ll_claim_bytes(doc, parent, mrea_section_visibility_LAYOUT, at, at + length);
        if (!magic && length >= WORD) {
            judge_visibility_magic(area, section, ll_at_bytes(tree, at, WORD));
        }
        return;
    }
    uint32_t head = ll_claim_record(doc, parent, mrea_visibility_head_LAYOUT, at, at + length, LL_NO_INDEX);
    ll_claim_bytes(doc, head, mrea_visibility_rest_LAYOUT, at + mrea_visibility_head_SIZE, at + length);
    area->summary->visibility = head;
    if (!magic) {
        judge_visibility_magic(area, section, ll_at_field(doc, head, 0, mrea_visibility_head_magic));
    }
}

static bool starts_with_magic(mrea_area *area, mrea_deferred *deferred)
{
    mrea_source source = {deferred->offset, deferred->have, deferred->packed ? &deferred->stream : NULL};
    uint32_t word;
    return deferred->found && deferred->have >= mrea_lights_SIZE &&
           mrea_source_word(area, &source, deferred->packed ? deferred->offset : 0, &word) && word == MREA_LIGHTS_MAGIC;
}

bool mrea_defer(mrea_area *area, mrea_deferred *section)
{
    unsigned slot = 0;
    while (slot < MREA_DEFERRED && area->deferred[slot].section != section->section) {
        slot++;
    }
    bool vacant = area->deferred[MREA_DEFER_LIGHTS_ELSE].section == LL_NO_INDEX && area->edition->form;
    if (slot == MREA_DEFERRED && vacant && starts_with_magic(area, section)) {
        slot = MREA_DEFER_LIGHTS_ELSE;
    }
    if (slot == MREA_DEFERRED) {
        return false;
    }
    area->deferred[slot] = *section;
    return true;
}

void mrea_claim_section(mrea_area *area, uint32_t parent, uint32_t section, uint32_t offset, uint32_t size,
                        uint32_t have)
{
    ll_doc *doc = area->doc;
    mrea_deferred here = {
        .found = true, .section = section, .size = size, .have = have, .offset = offset, .group = LL_NO_SPAN};
    if (have) { /* an empty one would be a span that shows nowhere, and a size table may hold millions of them */
        here.group = ll_claim_group(doc, parent, mrea_section_LAYOUT, offset, offset + have, section);
    }
    if (section >= area->moved.first && section <= area->moved.last) {
        bool begins = area->moved_span == LL_NO_SPAN;
        area->moved_at = begins ? offset : area->moved_at;
        area->moved_span = begins ? here.group : area->moved_span;
        area->moved_end = offset + have;
    }
    if (!mrea_defer(area, &here) && have) {
        ll_claim_bytes(doc, here.group, mrea_layout_of_kind((mrea_kind)area->kinds[section]), offset, offset + have);
    }
}

/* "section[5]", in the arena; NULL: no memory. */
static const char *region_name(ll_doc *doc, uint32_t section)
{
    ll_text text;
    ll_text_init(&text, &doc->arena.allocator);
    ll_text_format(&text, "section[%" PRIu32 "]", section);
    const char *name = text.failed ? NULL : ll_arena_copy(&doc->arena, text.data, text.length);
    ll_text_free(&text);
    return name;
}

uint32_t mrea_most_unpacked(uint32_t packed)
{
    uint64_t most = UNPACKED_LEAST + UNPACKED_PER_BYTE * (uint64_t)packed;
    return most < UNPACKED_MAX ? (uint32_t)most : UNPACKED_MAX;
}

/* Unpacks a section into a region with a section span over it; LL_NO_SPAN when it cannot be had. */
static uint32_t unpack(mrea_area *area, mrea_deferred *deferred, uint32_t *base)
{
    ll_doc *doc = area->doc;
    const mrea_stream *s = &deferred->stream;
    bool kept = s->kept && deferred == &area->deferred[MREA_DEFER_LIGHTS] && deferred->offset == s->kept_at &&
                deferred->size == s->kept_size;
    uint8_t *bytes = kept ? s->kept : ll_doc_alloc(doc, deferred->size, 1);
    const char *name = region_name(doc, deferred->section);
    if (!bytes || !name) {
        doc->status = LL_E_MEMORY;
        return LL_NO_SPAN;
    }
    bool there = kept || mrea_stream_copy(area, &deferred->stream, deferred->offset, deferred->size, bytes);
    *base = there ? ll_doc_add_region(doc, name, bytes, deferred->size, deferred->outer, deferred->outer_length) : 0;
    return *base
               ? ll_claim_group(doc, LL_NO_SPAN, mrea_section_LAYOUT, *base, *base + deferred->size, deferred->section)
               : LL_NO_SPAN;
}

static ll_where size_at(const mrea_area *area, uint32_t section)
{
    return mrea_at_sizes(area, (mrea_suspects){.first = section, .last = section});
}

static bool has_fault(const ll_doc *doc, unsigned code)
{
    const ll_fault_node *node = doc->first_fault;
    while (node && node->fault.code != code) {
        node = node->next;
    }
    return node != NULL;
}

/* The size of the lights is not a multiple of 32, and the padding that would make it one is not there. */
static void judge_alignment(const mrea_area *area, const mrea_deferred *lights)
{
    const uint64_t right = ll_align_up(lights->size, MREA_ALIGNMENT);
    if (right != lights->size) {
        LL_RAISE(area->doc, MREA_FAULT_SECTION_UNALIGNED, MREA_HINT_NONE, size_at(area, lights->section),
                 ll_uint(lights->size), ll_uint(right));
    }
}

/* Neither the magic nor what is behind it says that these are lights. */
static void leave_lights(ll_doc *doc, uint32_t parent, uint32_t at, uint32_t end)
{
    const uint32_t head = ll_claim_record(doc, parent, mrea_lights_LAYOUT, at, end, LL_NO_INDEX);
    ll_mark_span(doc, ll_claim_unparsed(doc, head, at + mrea_lights_SIZE, end), LL_SPAN_TOLD);
    LL_RAISE(doc, MREA_FAULT_LIGHTS_MAGIC, MREA_HINT_NONE, ll_at_field(doc, head, 0, mrea_lights_magic),
             ll_uint(mrea_word(doc, at)));
}

/* The lights are read by their rows. Where bytes were put into them or taken out of them, or the file ends in them, it
 * has been said, and nothing else that is wrong with them is worth a word. */
static void read_lights(mrea_area *area, const mrea_deferred *deferred, uint32_t parent, uint32_t at)
{
    ll_doc *doc = area->doc;
    const mrea_form *form = area->edition->form;
    const bool moved = area->moved.first <= deferred->section && deferred->section <= area->moved.last;
    const bool told = (moved && !doc->copy) || deferred->have < deferred->size;
    const bool broken = moved && !doc->copy && !mrea_are_lights(doc, at, deferred->have, form);
    const uint32_t count = doc->fault_count, first = doc->span_count;
    ll_fault_node *last = doc->last_fault;
    const ll_stretch lights = {mrea_lights_LAYOUT, parent, at, at + deferred->have, false};
    const bool all = deferred->have >= mrea_lights_SIZE;
    if (!told && all && mrea_word(doc, at) != MREA_LIGHTS_MAGIC && !mrea_are_lights(doc, at, deferred->have, form)) {
        leave_lights(doc, parent, at, at + deferred->have);
        return;
    }
    ll_read_part(doc, &lights, 1U + (unsigned)(form == &mrea_form_mp3 ? MREA_MP3 : MREA_MP1));
    if (told) {
        *(last ? &last->next : &doc->first_fault) = NULL;
        doc->last_fault = last;
        doc->fault_count = count;
        for (uint32_t i = first; i < doc->span_count; i++) {
            const bool light = ll_doc_span(doc, i)->layout == form->layout;
            ll_mark_span(doc, i, broken && light ? LL_SPAN_BROKEN | LL_SPAN_TOLD : LL_SPAN_TOLD);
        }
    } else if (doc->fault_count == count) {
        judge_alignment(area, deferred);
    }
}

/* Claims the contents of a deferred section, as lights or by its kind. */
static void claim_deferred(mrea_area *area, mrea_deferred *deferred, bool lights)
{
    ll_doc *doc = area->doc;
    mrea_kind kind = deferred->found ? (mrea_kind)area->kinds[deferred->section] : MREA_KIND_OTHER;
    bool visibility = kind == MREA_KIND_VISIBILITY && !mrea_has_tags(area->edition);
    uint32_t parent = deferred->group;
    uint32_t at = deferred->offset;
    if (!deferred->found || deferred->have == 0 || (deferred->packed && !lights && !visibility)) {
        return;
    }
    uint32_t most = mrea_most_unpacked(deferred->outer_length);
    if (deferred->packed && deferred->size > most) {
        doc->unchecked = doc->unchecked || lights;
        LL_RAISE(doc, MREA_FAULT_SECTION_TOO_LARGE, MREA_HINT_NONE, size_at(area, deferred->section),
                 ll_uint(deferred->section), ll_uint(deferred->size), ll_uint(most));
        return;
    }
    if (deferred->packed) {
        parent = unpack(area, deferred, &at);
        if (parent == LL_NO_SPAN) {
            doc->unchecked = doc->unchecked || lights;
            return;
        }
    }
    if (lights && area->edition->form) {
        area->summary->lights_index = deferred->section;
        read_lights(area, deferred, parent, at);
    } else if (visibility) {
        claim_visibility(area, parent, deferred->section, at, deferred->have);
    } else {
        ll_claim_bytes(doc, parent, mrea_layout_of_kind(kind), at, at + deferred->have);
    }
}

/* Where the lights are compressed, nobody could look at them before their block was read. */
static void find_exchange(mrea_area *area)
{
    mrea_deferred *lights = &area->deferred[MREA_DEFER_LIGHTS];
    mrea_source source = {.stream = &lights->stream};
    bool may_be = lights->found && lights->packed && area->edition->form && !area->doc->fault_count;
    if (may_be && mrea_are_sizes_exchanged(area, &source, lights, &area->exchange.row)) {
        area->exchange =
            (mrea_exchange){.pairs = 1, .row = area->exchange.row, .last = area->exchange.row + 1, .decided = true};
        mrea_raise_exchange(area);
        area->deferred[MREA_DEFER_VISIBILITY].found = false; /* it may have the size of the lights */
    }
}

/* The lights are the section that the header names, unless it does not begin like them and another one does. */
static void claim_all_deferred(mrea_area *area)
{
    ll_doc *doc = area->doc;
    mrea_deferred *deferred = area->deferred;
    find_exchange(area);
    bool elsewhere = deferred[MREA_DEFER_LIGHTS_ELSE].found && !starts_with_magic(area, &deferred[MREA_DEFER_LIGHTS]);
    mrea_deferred *lights = &deferred[elsewhere ? MREA_DEFER_LIGHTS_ELSE : MREA_DEFER_LIGHTS];
    for (unsigned i = 0; i < MREA_DEFERRED && doc->status == LL_OK; i++) {
        claim_deferred(area, &deferred[i], &deferred[i] == lights);
    }
    if (area->lights_untagged) {
        mrea_raise_untagged(area, lights->section);
    } else if (elsewhere && deferred->found && !doc->fault_count && !area->end_fault.code && !area->moved.by) {
        LL_RAISE_RELATED(doc, MREA_FAULT_LIGHTS_ELSEWHERE, MREA_HINT_NONE, area->lights_named,
                         size_at(area, lights->section), ll_uint(deferred->section), ll_uint(lights->section));
    } else if (lights->found && lights->size == 0 && area->edition->form) {
        LL_RAISE(doc, MREA_FAULT_LIGHTS_SECTION_EMPTY, MREA_HINT_NONE, size_at(area, lights->section),
                 ll_uint(lights->section));
    }
}

/* Sections that lie in the file one behind the other, without blocks. */
static void parse_sections(mrea_area *area)
{
    ll_doc *doc = area->doc;
    uint32_t sections = area->summary->sections;
    uint64_t end = mrea_end_of(doc, area->edition, &(mrea_counts){sections, 0, 0});
    int64_t by = (int64_t)doc->size - (int64_t)end;
    mrea_source source = {area->data, doc->size - area->data, NULL};
    mrea_suspects suspects = mrea_suspect_size(area, &source, 0, sections, by, false);
    if (suspects.moved) {
        area->moved = suspects;
        end += (uint64_t)suspects.by;
    } else if (suspects.first != LL_NO_INDEX) {
        mrea_raise_sizes(area, MREA_FAULT_SECTION_SIZE, suspects, 0, sections, false);
        end += (uint64_t)suspects.by;
    }
    uint32_t pos = area->data;
    for (uint32_t i = 0; i < sections && doc->status == LL_OK; i++) {
        uint32_t size = mrea_section_size(area, i);
        uint32_t have = mrea_least(size, doc->size - pos);
        if (have || size == 0) {
            mrea_claim_section(area, LL_NO_SPAN, i, pos, size, have);
        }
        pos += have;
    }
    mrea_claim_end(area, end);
}

/* ------------------------------------------------------------------ the header and its tables */

/* The area's header is not the one of a version that is known, or not all there: claims what can be named. */
static void claim_unknown(mrea_area *area)
{
    ll_doc *doc = area->doc;
    area->summary->header = ll_claim_fixed(doc, LL_NO_SPAN, mrea_header_unknown_LAYOUT, 0);
    ll_claim_unparsed(doc, LL_NO_SPAN, mrea_header_unknown_SIZE, doc->size);
    doc->fatal = true;
}

/* Takes the edition of the version, unless header and tables are those of another one; of several the last. */
static void find_edition(mrea_area *area, uint32_t version)
{
    ll_doc *doc = area->doc;
    const mrea_edition *stated = mrea_edition_of(version);
    mrea_counts c = stated && stated->header_size <= doc->size ? mrea_counts_of(doc, stated) : (mrea_counts){0};
    bool right = version >> 16 == URDE_VERSION || (c.sections && mrea_do_counts_fit(doc, stated, &c));
    for (size_t i = sizeof editions / sizeof editions[0]; !right && i-- > 0;) {
        area->edition = &editions[i];
        right = area->edition->form && area->edition->header_size <= doc->size && mrea_do_tables_read(area);
    }
    area->edition = right && area->edition ? area->edition : stated;
}

static void judge_version(mrea_area *area, uint32_t stated)
{
    ll_doc *doc = area->doc;
    const mrea_edition *e = area->edition;
    ll_where at = mrea_at_header(area, mrea_header_mp1_version);
    unsigned asked = doc->variant;
    if (stated != e->version) {
        ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_VERSION_LAYOUT, MREA_HINT_NONE, at, ll_nowhere(), ll_uint(stated),
                                       ll_uint(e->version), ll_word(game_names[e->game]));
        ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, e->version);
        ll_raise(doc, &fault);
    }
    if (asked && asked != 1U + (unsigned)e->game) {
        bool named = doc->format && asked <= doc->format->variant_count;
        LL_RAISE(doc, MREA_FAULT_GAME_MISMATCH, MREA_HINT_NONE, at,
                 ll_word(named ? doc->format->variants[asked - 1].name : ""), ll_uint(e->version),
                 ll_word(game_names[e->game]));
        doc->unchecked = true;
    }
    if (!e->form) {
        LL_RAISE(doc, MREA_FAULT_VERSION_LIGHTS_UNDOCUMENTED, MREA_HINT_NONE, at, ll_uint(e->version));
        ll_mark_unsupported(doc);
    }
}

/* Nothing behind the version means what it says. */
static void raise_table_shift(const mrea_area *area, const mrea_table_shift *shift)
{
    uint32_t length = shift->to - shift->from + (uint32_t)(shift->by > 0 ? shift->by : 0);
    ll_fault fault = LL_MAKE_FAULT(
        MREA_FAULT_TABLES_SHIFTED, MREA_HINT_NONE, ll_at_bytes(LL_NO_SPAN, shift->from, length), ll_nowhere(),
        ll_uint((uint64_t)(shift->by < 0 ? -shift->by : shift->by)), ll_word(shift->by < 0 ? "taken out" : "put in"));
    ll_patch_moved(area->doc, &fault, fault.at, shift->by);
    ll_raise(area->doc, &fault);
}

static void raise_short(ll_doc *doc, uint32_t least)
{
    LL_RAISE(doc, MREA_FAULT_FILE_TOO_SHORT, MREA_HINT_CUT_FILE, ll_at_bytes(LL_NO_SPAN, 0, doc->size),
             ll_uint(doc->size), ll_uint(least), ll_word("the header of an area"));
}

/* Claims the header. False when the parse ends here. */
static bool parse_header(mrea_area *area)
{
    ll_doc *doc = area->doc;
    if (doc->size < mrea_header_unknown_SIZE) {
        raise_short(doc, mrea_header_mp1_SIZE);
        ll_claim_unparsed(doc, LL_NO_SPAN, 0, doc->size);
        doc->fatal = true;
        return false;
    }
    uint32_t version = mrea_word(doc, mrea_header_unknown_at_version);
    find_edition(area, version);
    const mrea_edition *e = area->edition;
    if (!e) {
        claim_unknown(area);
        bool swapped = mrea_edition_of(ll_le32(doc->bytes + mrea_header_unknown_at_version)) != NULL;
        unsigned hint = swapped ? MREA_HINT_SWAPPED : MREA_HINT_NONE;
        hint = version >> 16 == URDE_VERSION ? MREA_HINT_URDE_COOKED : hint;
        LL_RAISE(doc, MREA_FAULT_VERSION_UNKNOWN, hint, mrea_at_header(area, mrea_header_unknown_version),
                 ll_uint(version));
        return false;
    }
    area->summary->version = e->version;
    area->summary->game = e->game;
    uint32_t tables = (uint32_t)ll_align_up(e->header_size, MREA_ALIGNMENT);
    if (doc->size < tables) {
        claim_unknown(area);
        raise_short(doc, tables);
        return false;
    }
    mrea_table_shift shift;
    if (mrea_find_table_shift(area, &shift)) {
        claim_unknown(area);
        raise_table_shift(area, &shift);
        return false;
    }
    area->summary->header = ll_claim_record(doc, LL_NO_SPAN, e->header, 0, 0 + e->header_size, LL_NO_INDEX);
    ll_claim_bytes(doc, LL_NO_SPAN, mrea_table_padding_header_LAYOUT, e->header_size, tables);
    judge_version(area, version);
    return doc->status == LL_OK;
}

/* Claims a table and the padding behind it, as far as the file goes. */
static uint32_t claim_table(mrea_area *area, uint16_t layout, uint16_t padding, uint64_t at, uint32_t rows,
                            uint64_t next)
{
    ll_doc *doc = area->doc;
    uint64_t end = at + (uint64_t)rows * doc->layouts[layout].size;
    uint32_t span = ll_claim_array(doc, LL_NO_SPAN, layout, (uint32_t)at, rows);
    ll_claim_bytes(doc, LL_NO_SPAN, padding, end, next < doc->size ? next : doc->size);
    return span;
}

/* Decides the counts and claims the three tables. False when the parse ends here. */
static bool parse_tables(mrea_area *area)
{
    ll_doc *doc = area->doc;
    const mrea_edition *e = area->edition;
    mrea_summary *summary = area->summary;
    mrea_counts c = mrea_counts_of(doc, e);
    area->sizes = (uint32_t)mrea_places_of(e, &c).sizes;
    if (!mrea_resolve_counts(area, &c)) {
        doc->fatal = true;
        ll_mark_span(doc, ll_claim_unparsed(doc, LL_NO_SPAN, area->sizes, doc->size), LL_SPAN_TOLD);
        return false;
    }
    mrea_places p = mrea_places_of(e, &c);
    uint32_t damaged;
    if (mrea_are_tables_damaged(area, &c, &damaged)) {
        doc->fatal = true;
        uint32_t rest = ll_claim_unparsed(doc, LL_NO_SPAN, area->sizes, doc->size);
        ll_mark_span(doc, rest, LL_SPAN_TOLD);
        ll_mark_span(doc, summary->header, damaged < area->sizes ? LL_SPAN_BROKEN | LL_SPAN_TOLD : 0);
        uint32_t end = p.data < doc->size ? (uint32_t)p.data : doc->size;
        LL_RAISE(doc, MREA_FAULT_TABLES_DAMAGED, MREA_HINT_NONE, ll_at_bytes(LL_NO_SPAN, damaged, end - damaged),
                 ll_uint(c.sections), ll_uint(c.blocks), ll_uint(c.tags));
        return false;
    }
    area->blocks = (uint32_t)p.blocks;
    area->tags = (uint32_t)p.tags;
    area->data = p.data < doc->size ? (uint32_t)p.data : doc->size;
    summary->sections = c.sections;
    summary->blocks = c.blocks;
    summary->tags = c.tags;
    summary->size_table =
        claim_table(area, mrea_section_size_LAYOUT, mrea_table_padding_sizes_LAYOUT, p.sizes, c.sections, p.blocks);
    summary->block_table =
        claim_table(area, mrea_block_row_LAYOUT, mrea_table_padding_blocks_LAYOUT, p.blocks, c.blocks, p.tags);
    summary->tag_table = claim_table(area, mrea_tag_row_LAYOUT, mrea_table_padding_tags_LAYOUT, p.tags, c.tags, p.data);
    if (area->exchange.pairs) {
        mrea_raise_exchange(area);
        ll_mark_span(doc, ll_claim_unparsed(doc, LL_NO_SPAN, area->data, doc->size), LL_SPAN_TOLD);
        doc->fatal = true;
    }
    return doc->status == LL_OK && !doc->fatal;
}

/* Bytes put into a section or taken out of it: wherever it was, the end of the file is off for the same reason. */
static void judge_moved(const mrea_area *area)
{
    ll_doc *doc = area->doc;
    mrea_suspects moved = area->moved;
    if (moved.first != LL_NO_INDEX && !has_fault(doc, MREA_FAULT_SEGMENT_BAD)) {
        uint32_t length = area->moved_end - area->moved_at;
        bool first = area->moved_at == area->data; /* so that nothing shows the tables to have all their bytes */
        ll_where tables = first ? ll_at_bytes(LL_NO_SPAN, area->sizes, area->data - area->sizes) : ll_nowhere();
        ll_fault fault = LL_MAKE_FAULT(
            MREA_FAULT_SECTION_SHIFTED, MREA_HINT_NONE, ll_at_bytes(area->moved_span, area->moved_at, length), tables,
            ll_uint((uint64_t)(moved.by < 0 ? -moved.by : moved.by)), ll_word(moved.by < 0 ? "taken out" : "put in"),
            ll_uint(moved.first), ll_uint(moved.last));
        ll_patch_moved(doc, &fault, fault.at, moved.by);
        ll_raise(doc, &fault);
    } else if (area->end_fault.code) {
        ll_fault fault = area->end_fault;
        if (doc->fault_count) { /* what else is wrong may be why, so that nothing is offered */
            fault.patch = (ll_edit){.tier = LL_PATCH_NONE};
        }
        uint32_t end = mrea_least(fault.at.offset, doc->size);
        if (fault.patch.tier != LL_PATCH_SAFE &&
            area->sound_to < end) { /* whatever lies in front of the end may lack them, or have them */
            fault.related = ll_at_bytes(LL_NO_SPAN, area->sound_to, end - area->sound_to);
        }
        ll_raise(doc, &fault);
    }
}

void mrea_parse_area(ll_doc *doc, mrea_summary *summary)
{
    mrea_area area = {.doc = doc,
                      .summary = summary,
                      .corrected = LL_NO_INDEX,
                      .buffered = LL_NO_INDEX,
                      .moved = {LL_NO_INDEX, LL_NO_INDEX, 0, false},
                      .moved_span = LL_NO_SPAN};
    for (unsigned i = 0; i < MREA_DEFERRED; i++) {
        area.deferred[i].section = LL_NO_INDEX;
    }
    if (!parse_header(&area) || !parse_tables(&area) || !mrea_name_sections(&area)) {
        return;
    }
    if (mrea_has_blocks(area.edition)) {
        mrea_parse_blocks(&area);
    } else {
        parse_sections(&area);
    }
    claim_all_deferred(&area);
    judge_moved(&area);
}
