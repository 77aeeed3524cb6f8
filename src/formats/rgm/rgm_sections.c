/* Claims what is in the sections of a scene file that are arrays of equal records, with a count or without, and keeps
 * the actors' names for look-ups. Trusts no count before it fits the payload; where count and length disagree, the
 * length has been proved by where the next section begins. */
#include "formats/rgm/rgm_parser.h"

#include "model/reader.h"

static const uint64_t SLICE_MAX = UINT64_C(1) << 40; /* so that sums over all actors stay in 64 bits */

/* ------------------------------------------------------------------ actors */

/* Bytes of one actor's slices: entries in RASB, variables of all instances in RAVA, block in RASC. */
static uint64_t slice_size(const rgm_parser *p, unsigned ordinal, uint32_t actor)
{
    if (ordinal == RGM_RASC) {
        return rgm_actor_word(p, actor, rgm_actor_at_script_length);
    }
    if (ordinal == RGM_RASB) {
        return 4 * (uint64_t)rgm_actor_word(p, actor, rgm_actor_at_num_strings);
    }
    const uint32_t instances = rgm_actor_word(p, actor, rgm_actor_at_instances) & UINT16_MAX;
    const uint64_t size = 4 * (uint64_t)rgm_actor_word(p, actor, rgm_actor_at_num_variables) * instances;
    return size < SLICE_MAX ? size : SLICE_MAX;
}

void rgm_find_actors(rgm_parser *p, uint32_t payload, uint32_t length)
{
    memset(p->slices, 0, sizeof p->slices);
    p->collides = false;
    p->summary->actor_count = 0;
    p->summary->actors = NULL;
    p->summary->heads = NULL;
    if (length < rgm_rahd_head_SIZE) {
        return;
    }
    p->summary->heads = p->doc->bytes + payload + rgm_rahd_head_SIZE;
    length -= rgm_rahd_head_SIZE;
    p->summary->actor_count = length % rgm_actor_SIZE ? 0 : length / rgm_actor_SIZE;
    for (uint32_t i = 0; i < p->summary->actor_count; i++) {
        for (unsigned ordinal = RGM_RASB; ordinal <= RGM_RASC; ordinal++) {
            p->slices[ordinal] += slice_size(p, ordinal, i);
        }
        p->collides = p->collides || (rgm_actor_word(p, i, rgm_actor_at_ravc_count) &&
                                      rgm_actor_word(p, i, rgm_actor_at_ravc_offset) != UINT32_MAX);
    }
}

ll_arg rgm_name_arg(const ll_doc *doc, uint32_t offset, uint32_t size)
{
    return ll_chars(offset, rgm_name_length(doc->bytes + offset, size));
}

ll_arg rgm_actor_name(const ll_doc *doc, uint32_t actor)
{
    return rgm_name_arg(doc, rgm_actor_at(doc, actor, rgm_actor_script_name).offset, RGM_NAME);
}

void rgm_note_names(rgm_parser *p)
{
    rgm_summary *summary = p->summary;
    const ll_doc_names *names = p->doc->names;
    summary->actors = ll_doc_zalloc(p->doc, summary->actor_count, sizeof *summary->actors);
    for (uint32_t i = 0; summary->actors && i < summary->actor_count; i++) {
        summary->actors[i].shared = names && names->shared[i];
        summary->actors[i].ragr_list = summary->actors[i].block = LL_NO_SPAN;
    }
}

/* ------------------------------------------------------------------ arrays */

/* Records up to the end of the payload. */
static void parse_array(rgm_parser *p, unsigned ordinal)
{
    rgm_section *section = &p->summary->section[ordinal];
    const rgm_form *form = &rgm_forms[ordinal];
    const uint32_t count = section->length / form->size, whole = count * form->size;
    const bool shifted = section->surplus && (whole != section->length || rgm_reach(p, ordinal) ||
                                              rgm_expected_length(p, ordinal, section->start, 0));
    if (shifted || (whole != section->length && rgm_count_plausible(p, form->layout, section->start, count) < count)) {
        rgm_claim_front(p, ordinal, section->start, shifted ? section->surplus : rgm_excess(section, form->size));
        return;
    }
    rgm_claim_array(p, section, form->layout, section->start, count);
    ll_claim_bytes(p->doc, section->span, LL_LAYOUT_UNPARSED, section->start + whole, section->start + section->length);
    section->sound = whole == section->length;
    if (!section->sound) {
        ll_mark_span(p->doc, section->records, LL_SPAN_BROKEN);
    }
}

/* One record for each actor. */
static void parse_attributes(rgm_parser *p, unsigned ordinal)
{
    rgm_section *section = &p->summary->section[ordinal];
    const uint64_t expected = (uint64_t)rgm_attribute_set_SIZE * p->summary->actor_count;
    parse_array(p, ordinal);
    if (!section->shifted && p->summary->actor_count && section->length != expected) {
        section->sound = false;
        LL_RAISE_RELATED(p->doc, RGM_FAULT_RAAT_SIZE, RGM_HINT_NONE, rgm_length_at(p->doc, section),
                         rgm_length_at(p->doc, &p->summary->section[RGM_RAHD]), ll_uint(section->length),
                         ll_uint(expected), ll_uint(p->summary->actor_count));
    }
}

/* What rows say of the section. */
static void parse_rows(rgm_parser *p, unsigned ordinal)
{
    ll_doc *doc = p->doc;
    rgm_section *section = &p->summary->section[ordinal];
    const rgm_form *form = &rgm_forms[ordinal];
    const uint32_t faults = doc->fault_count, end = section->start + section->length,
                   rest = ordinal == RGM_RAHK ? section->length % form->size : 0; /* legal */
    uint32_t none;
    if (section->length < doc->layouts[rgm_forms[ordinal].head].size) {
        (void)rgm_claim_count(p, ordinal, &none);
        return;
    }
    ll_read_part(
        doc, &(ll_stretch){rgm_forms[ordinal].header, section->span, section->start - RGM_HEADER, end - rest, true}, 0);
    ll_claim_bytes(doc, section->span, rgm_unreferenced_LAYOUT, end - rest, end);
    section->sound = doc->fault_count == faults;
}

/* The actors: a count and as many records. Where they do not fill the section, they are none. */
static void parse_heads(rgm_parser *p, unsigned ordinal)
{
    rgm_section *section = &p->summary->section[ordinal];
    const uint32_t room = section->length >= rgm_rahd_head_SIZE ? section->length - rgm_rahd_head_SIZE : 1;
    parse_rows(p, ordinal);
    const uint32_t first = p->doc->firsts[rgm_actor_LAYOUT];
    section->sound = room % rgm_actor_SIZE == 0;
    section->records = section->sound && first ? first - 1 : LL_NO_SPAN;
    section->count = room / rgm_actor_SIZE;
    if (section->records != LL_NO_SPAN && p->summary->actor_count) {
        rgm_note_names(p);
    } else if (first && section->records == LL_NO_SPAN) {
        ll_mark_span(p->doc, first - 1, LL_SPAN_BROKEN);
    }
}

/* Entries of RASB; where they lead beside the strings, bytes of RAST moved. */
static void parse_entries(rgm_parser *p, unsigned ordinal)
{
    rgm_section *section = &p->summary->section[ordinal];
    parse_rows(p, ordinal);
    section->records = p->doc->firsts[rgm_string_offset_LAYOUT] - 1U;
    section->count = section->length / rgm_string_offset_SIZE;
    if (section->sound) {
        rgm_judge_strings(p);
    }
}

static void parse_variables(rgm_parser *p, unsigned ordinal)
{
    const rgm_section *section = &p->summary->section[ordinal];
    parse_rows(p, ordinal);
    if (section->length >= rgm_variable_SIZE && rgm_word(p->doc, section->start)) {
        const ll_where at = ll_at_field(p->doc, p->doc->firsts[rgm_variable_LAYOUT] - 1, 0, rgm_variable_value);
        rgm_raise_value(p->doc,
                        LL_MAKE_FAULT(RGM_FAULT_RAVA_SENTINEL, RGM_HINT_NONE, at, ll_nowhere(),
                                      ll_int((int32_t)rgm_word(p->doc, section->start))),
                        LL_PATCH_UNSAFE, 0);
    }
}

/* ------------------------------------------------------------------ RAFS, RAST, FLAT */

static void parse_rast(rgm_parser *p, unsigned ordinal)
{
    ll_doc *doc = p->doc;
    rgm_section *section = &p->summary->section[ordinal];
    uint32_t end = section->start + section->length;
    uint32_t count = 0;
    section->sound = !section->surplus;
    for (uint32_t pos = section->start; pos < end && doc->status == LL_OK; count++) {
        uint32_t length = rgm_name_length(doc->bytes + pos, end - pos);
        uint32_t next = pos + length + (pos + length < end);
        uint32_t span = ll_claim_string(doc, section->span, rgm_string_LAYOUT, pos, next, length, count);
        section->records = count ? section->records : span;
        if (next == pos + length && !section->surplus) {
            section->sound = false;
            LL_RAISE(doc, RGM_FAULT_RAST_UNTERMINATED, RGM_HINT_NONE, ll_at_bytes(span, end - 1, 1), ll_uint(length));
        }
        pos = next;
    }
    section->count = count;
}

static void parse_body(rgm_parser *p, unsigned ordinal)
{
    rgm_section *section = &p->summary->section[ordinal];
    if (section->surplus) {
        rgm_claim_front(p, ordinal, section->start, section->surplus);
        return;
    }
    section->sound = true;
    if (ordinal == RGM_RAFS && section->length == rgm_rafs_byte_SIZE) {
        rgm_claim_array(p, section, rgm_rafs_byte_LAYOUT, section->start, 1);
        return;
    }
    ll_claim_bytes(p->doc, section->span, ordinal == RGM_FLAT ? rgm_flat_body_LAYOUT : rgm_opaque_body_LAYOUT,
                   section->start, section->start + section->length);
}

/* ------------------------------------------------------------------ all of them */

void rgm_parse_section(rgm_parser *p, unsigned ordinal)
{
    static void (*const parse_by_ordinal[])(rgm_parser *, unsigned) = {
#define LL_RGM_SECTION(name, header, a, b, c, d, parse, head, record, per_item) [RGM_##name] = parse,
#include "formats/rgm/rgm_sections.def"
#undef LL_RGM_SECTION
    };
    parse_by_ordinal[ordinal](p, ordinal);
}
