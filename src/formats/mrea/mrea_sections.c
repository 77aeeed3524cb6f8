/* Reads the sections of an area. The first word of a section shows whether it holds the lights. Sections that may do
 * so, and the visibility tree, are looked into when all others are claimed. */
#include "formats/mrea/mrea_area.h"

#include "base/text.h"
#include "model/oddity.h"
#include "model/reader.h"
#include "model/reader_kind.h"

#include <string.h>

enum {
    WORD = 4,
    VISIBILITY_VERSION = 2,
    TYPE_MAX = 5, /* highest type of a light */
    FALLOFF_MAX = 2,
    /* Bytes that are unpacked of a block, as a small file can stand for 4 GiB: the first number, and the second for
     * each byte of the block, but no more than the third. */
    UNPACKED_LEAST = 16 * 1024 * 1024,
    UNPACKED_PER_BYTE = 16,
    UNPACKED_MAX = 64 * 1024 * 1024
};

/* ------------------------------------------------------------------ lights */

bool mrea_is_light(const mrea_form *form, const uint8_t *p)
{
    uint32_t odd = 0;
    for (unsigned at = mrea_light_at_color; at < form->floats_end; at += LL_TYPE_BYTES_F32) {
        odd |= ll_oddity_of_float(ll_be32(p + at));
    }
    return !odd && ll_be32(p) <= TYPE_MAX && p[form->cast_shadows] <= 1 &&
           ll_be32(p + form->falloff_type) <= FALLOFF_MAX;
}

/* The bytes read as lights, from behind the magic up to the padding. */
static bool are_lights(const ll_doc *doc, uint32_t offset, uint32_t length, const mrea_form *form)
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

/* ------------------------------------------------------------------ sections */

/* Reports a missing first word of a visibility tree. Only if the lights in front of it show that this is the tree: its
 * index may be wrong as well. */
static void judge_visibility_magic(const mrea_area *area, uint32_t section, ll_where at)
{
    if (section && area->lights_index == section - 1) {
        LL_RAISE(area->doc, MREA_FAULT_VISI_MAGIC, MREA_HINT_NONE, at, ll_chars(at.offset, at.length));
    }
}

/* Claims the documented part of a visibility tree, at an address of the file or of a region. Without the magic, the
 * version has to be right: else the tree stays opaque. */
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
    if (!magic) {
        judge_visibility_magic(area, section, ll_at_field(doc, head, 0, mrea_visibility_head_magic));
    }
}

static bool starts_with_magic(const mrea_deferred *d)
{
    return d->found && d->have >= mrea_lights_SIZE && d->bytes && ll_be32(d->bytes) == MREA_LIGHTS_MAGIC;
}

/* The first two bytes are two neighbouring bytes of the word. */
static bool holds_two(const uint8_t *bytes, uint32_t word)
{
    const uint32_t two = ll_be16(bytes);
    return two == word >> 16 || two == (word >> 8 & UINT16_MAX) || two == (word & UINT16_MAX);
}

/* The word is at another place in the data of the file, or close by in an unpacked stream, or a part of it is left
 * close to where it should be. */
static bool is_elsewhere(const mrea_area *area, const mrea_stream *stream, uint32_t at, uint32_t magic)
{
    const uint8_t *bytes = stream ? area->unpacked : area->doc->bytes;
    const uint32_t size = stream ? stream->size : area->doc->size;
    const uint32_t end = stream && size - at > MREA_SHIFT_MAX ? at + MREA_SHIFT_MAX : size;
    bool found = false;
    for (uint32_t i = stream ? at - mrea_least(at, MREA_SHIFT_MAX) : area->data; i + sizeof magic <= end && !found;
         i++) {
        const uint32_t apart = i > at ? i - at : at - i;
        found = ll_be32(bytes + i) == magic || (apart < sizeof magic && holds_two(bytes + i, magic));
    }
    return found;
}

static ll_where size_at(const mrea_area *area, uint32_t section)
{
    return ll_at_field(area->doc, area->size_table, section, mrea_section_size_section_size);
}

/* On a copy, tells the search if a section does not begin with the word of its kind, but the word is found elsewhere.
 * Notes the sections that begin rightly. */
static void judge_begin(mrea_area *area, uint32_t section, const mrea_stream *stream, uint32_t at, uint32_t have)
{
    const uint32_t magic = mrea_magic_of_kind((mrea_kind)area->kinds[section]);
    uint32_t word;
    if (!magic || have < sizeof word) {
        return;
    }
    word = ll_be32((stream ? area->unpacked : area->doc->bytes) + at);
    if (word == magic) {
        area->sound_to = stream ? area->sound_to : at;
        return;
    }
    if (!area->doc->copy || !is_elsewhere(area, stream, at, magic)) {
        return;
    }
    const uint32_t place = stream ? stream->start : at;
    ll_fault fault = ll_read_fault(area->doc->format, LL_READ_CONSTANT, mrea_section_LAYOUT,
                                   ll_at_bytes(LL_NO_SPAN, place, sizeof word), ll_uint(word), ll_uint(magic), "magic");
    fault.related = size_at(area, section ? section - 1 : 0); /* this size states where the section begins */
    ll_raise(area->doc, &fault);
}

/* Keeps a section that has to be looked into later. False: it has not. */
static bool defer(mrea_area *area, const mrea_deferred *section)
{
    unsigned slot = 0;
    while (slot < MREA_DEFERRED && area->deferred[slot].section != section->section) {
        slot++;
    }
    bool vacant = area->deferred[MREA_DEFER_LIGHTS_ELSE].section == LL_NO_INDEX && area->edition->form;
    if (slot == MREA_DEFERRED && vacant && starts_with_magic(section)) {
        slot = MREA_DEFER_LIGHTS_ELSE;
    }
    if (slot == MREA_DEFERRED) {
        return false;
    }
    uint8_t *copy =
        section->outer_length && section->bytes && section->size ? ll_doc_alloc(area->doc, section->size, 1) : NULL;
    area->deferred[slot] = *section;
    if (copy) { /* the next block overwrites the bytes */
        memcpy(copy, section->bytes, section->size);
        area->deferred[slot].bytes = copy;
    }
    return true;
}

/* Claims or keeps a section of which `have` bytes are there. */
static void read_section(mrea_area *area, uint32_t parent, uint32_t section, const mrea_stream *stream, uint32_t at,
                         uint32_t size, uint32_t have)
{
    ll_doc *doc = area->doc;
    mrea_deferred here = {.found = true, .section = section, .size = size, .have = have, .offset = at};
    here.bytes = stream ? area->unpacked + at : doc->bytes + at;
    here.group = LL_NO_SPAN;
    if (stream) {
        here.outer = stream->block;
        here.outer_length = stream->end - stream->block;
    } else if (have) { /* not for an empty one: a size table may hold millions, and their spans would show nothing */
        here.group = ll_claim_group(doc, parent, mrea_section_LAYOUT, at, at + have, section);
    }
    if (stream && stream->size > area->room) {
        here.bytes = NULL;
        here.have = size ? stream->size : 0;
    } else {
        judge_begin(area, section, stream, at, have);
    }
    if (!defer(area, &here) && !stream && have) {
        ll_claim_bytes(doc, here.group, mrea_layout_of_kind((mrea_kind)area->kinds[section]), at, at + have);
    }
}

uint32_t mrea_read_sections(mrea_area *area, uint32_t parent, uint32_t first, uint32_t count, const mrea_stream *stream,
                            uint32_t pos, uint32_t end)
{
    for (uint32_t i = first; i < first + count && area->doc->status == LL_OK; i++) {
        const uint32_t size = mrea_word(area->doc, area->sizes + i * mrea_section_size_SIZE);
        const uint32_t there = mrea_least(size, end - pos);
        if (there == size || (there && !stream)) {
            read_section(area, parent, i, stream, pos, size, there);
        }
        pos += there;
    }
    return pos;
}

/* Name of the region of a section, such as "section[5]", in the arena; NULL: no memory. */
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

/* Makes a region of an unpacked section, with a section span over it. Returns the span; LL_NO_SPAN: it cannot be
 * made. */
static uint32_t add_region(ll_doc *doc, const mrea_deferred *d, uint32_t *base)
{
    const char *name = region_name(doc, d->section);
    if (!name) {
        doc->status = LL_E_MEMORY;
        return LL_NO_SPAN;
    }
    *base = ll_doc_add_region(doc, name, d->bytes, d->size, d->outer, d->outer_length);
    return *base ? ll_claim_group(doc, LL_NO_SPAN, mrea_section_LAYOUT, *base, *base + d->size, d->section)
                 : LL_NO_SPAN;
}

/* Reports lights whose size is not a multiple of 32, as the padding for that is missing. */
static void judge_alignment(const mrea_area *area, const mrea_deferred *lights)
{
    const uint64_t right = ll_align_up(lights->size, MREA_ALIGNMENT);
    if (right != lights->size) {
        LL_RAISE(area->doc, MREA_FAULT_SECTION_UNALIGNED, MREA_HINT_NONE, size_at(area, lights->section),
                 ll_uint(lights->size), ll_uint(right));
    }
}

/* Claims a section that should hold lights, but has neither their magic nor their contents. */
static void leave_lights(ll_doc *doc, uint32_t parent, uint32_t at, uint32_t end)
{
    const uint32_t head = ll_claim_record(doc, parent, mrea_lights_LAYOUT, at, end, LL_NO_INDEX);
    ll_mark_span(doc, ll_claim_unparsed(doc, head, at + mrea_lights_SIZE, end), LL_SPAN_EXPLAINED);
    mrea_raise(doc, LL_READ_CONSTANT,
               LL_MAKE_FAULT(MREA_FAULT_LIGHTS_MAGIC, MREA_HINT_NONE, ll_at_field(doc, head, 0, mrea_lights_magic),
                             ll_nowhere(), ll_uint(mrea_word(doc, at))));
}

/* Reads the lights by their rows. If the file ends in them, a fault says so already, and all faults of the lights are
 * dropped. */
static void read_lights(mrea_area *area, const mrea_deferred *deferred, uint32_t parent, uint32_t at)
{
    ll_doc *doc = area->doc;
    const mrea_form *form = area->edition->form;
    const bool told = deferred->have < deferred->size;
    const uint32_t count = doc->fault_count, first = doc->span_count;
    ll_fault_node *last = doc->last_fault;
    const ll_stretch lights = {mrea_lights_LAYOUT, parent, at, at + deferred->have, false};
    const bool all = deferred->have >= mrea_lights_SIZE;
    if (!told && all && mrea_word(doc, at) != MREA_LIGHTS_MAGIC && !are_lights(doc, at, deferred->have, form)) {
        leave_lights(doc, parent, at, at + deferred->have);
        return;
    }
    ll_read_part(doc, &lights, 1U + (unsigned)(form == &mrea_form_mp3 ? MREA_MP3 : MREA_MP1));
    if (told) {
        *(last ? &last->next : &doc->first_fault) = NULL;
        doc->last_fault = last;
        doc->fault_count = count;
        for (uint32_t i = first; i < doc->span_count; i++) {
            ll_mark_span(doc, i, LL_SPAN_EXPLAINED);
        }
    } else if (doc->fault_count == count) {
        judge_alignment(area, deferred);
    }
}

/* Claims the contents of a kept section, as lights or by its kind. */
static void claim_deferred(mrea_area *area, mrea_deferred *deferred, bool lights)
{
    ll_doc *doc = area->doc;
    mrea_kind kind = deferred->found ? (mrea_kind)area->kinds[deferred->section] : MREA_KIND_OTHER;
    bool visibility = kind == MREA_KIND_VISIBILITY && !mrea_has_tags(area->edition);
    const bool packed = deferred->outer_length;
    uint32_t parent = deferred->group;
    uint32_t at = deferred->offset;
    if (!deferred->found || deferred->have == 0 || (packed && !lights && !visibility)) {
        return;
    }
    if (!deferred->bytes) {
        doc->unchecked = doc->unchecked || lights;
        LL_RAISE(doc, MREA_FAULT_SECTION_TOO_LARGE, MREA_HINT_NONE, size_at(area, deferred->section),
                 ll_uint(deferred->section), ll_uint(deferred->have),
                 ll_uint(mrea_most_unpacked(deferred->outer_length)));
        return;
    }
    if (packed) {
        parent = add_region(doc, deferred, &at);
        if (parent == LL_NO_SPAN) {
            doc->unchecked = doc->unchecked || lights;
            return;
        }
    }
    if (lights && area->edition->form) {
        area->lights_index = deferred->section;
        read_lights(area, deferred, parent, at);
    } else if (visibility) {
        claim_visibility(area, parent, deferred->section, at, deferred->have);
    } else {
        ll_claim_bytes(doc, parent, mrea_layout_of_kind(kind), at, at + deferred->have);
    }
}

/* The lights are the section that the header names, unless it does not begin like lights and another one does. */
void mrea_claim_deferred(mrea_area *area)
{
    ll_doc *doc = area->doc;
    mrea_deferred *deferred = area->deferred;
    bool elsewhere = deferred[MREA_DEFER_LIGHTS_ELSE].found && !starts_with_magic(&deferred[MREA_DEFER_LIGHTS]);
    mrea_deferred *lights = &deferred[elsewhere ? MREA_DEFER_LIGHTS_ELSE : MREA_DEFER_LIGHTS];
    for (unsigned i = 0; i < MREA_DEFERRED && doc->status == LL_OK; i++) {
        claim_deferred(area, &deferred[i], &deferred[i] == lights);
    }
    if (area->lights_untagged) {
        mrea_raise_untagged(area, lights->section);
    } else if (elsewhere && deferred->found && !doc->fault_count) {
        LL_RAISE_RELATED(doc, MREA_FAULT_LIGHTS_ELSEWHERE, MREA_HINT_NONE, area->lights_named,
                         size_at(area, lights->section), ll_uint(deferred->section), ll_uint(lights->section));
    } else if (lights->found && lights->size == 0 && area->edition->form) {
        /* their first word is missing */
        const ll_where at = doc->unknown_from < doc->unknown_to ? area->lights_named : size_at(area, lights->section);
        mrea_raise(
            doc, LL_READ_TAG,
            LL_MAKE_FAULT(MREA_FAULT_LIGHTS_SECTION_EMPTY, MREA_HINT_NONE, at, ll_nowhere(), ll_uint(lights->section)));
    }
}
