/* What each section of a scene file is, how long its payload should be, and the claims that all of them have in common.
 */
#include "formats/rgm/rgm_parser.h"

enum { FLAT_LENGTH = 1111, FLAT_LENGTH_HIDEOUT = 1108 };

enum { rgm_none_LAYOUT, rgm_none_SIZE = 0 };

const rgm_form rgm_forms[RGM_SECTIONS + 1] = {
#define LL_RGM_SECTION(name, header, a, b, c, d, parse, head, record, per_item)                                        \
    [RGM_##name] = {#name,                                                                                             \
                    LL_LETTERS_LE(a, b, c, d),                                                                         \
                    rgm_##header##_LAYOUT,                                                                             \
                    rgm_##head##_LAYOUT,                                                                               \
                    rgm_##record##_LAYOUT,                                                                             \
                    rgm_##record##_SIZE,                                                                               \
                    per_item},
#include "formats/rgm/rgm_sections.def"
#undef LL_RGM_SECTION
    [RGM_SECTIONS] = {.name = "END", .tag = LL_LETTERS_LE('E', 'N', 'D', ' '), .header = rgm_unknown_LAYOUT},
};

uint64_t rgm_expected_length(const rgm_parser *p, unsigned ordinal, uint32_t payload, uint32_t left)
{
    const rgm_form *form = &rgm_forms[ordinal];
    if (form->per_item) {
        uint32_t head = p->doc->layouts[form->head].size;
        return left >= head ? head + (uint64_t)form->per_item * rgm_word(p->doc, payload) : 0;
    }
    if (ordinal == RGM_RAFS) {
        return rgm_rafs_byte_SIZE;
    }
    if (ordinal == RGM_FLAT) {
        uint32_t end = FLAT_LENGTH_HIDEOUT; /* of the two lengths, the one behind which END stands */
        bool hideout = left >= end + rgm_end_SIZE && memcmp(p->doc->bytes + payload + end, "END ", rgm_end_SIZE) == 0;
        return hideout ? FLAT_LENGTH_HIDEOUT : FLAT_LENGTH;
    }
    if (p->summary->actor_count == 0) {
        return 0;
    }
    if (ordinal == RGM_RAAT) {
        return (uint64_t)rgm_attribute_set_SIZE * p->summary->actor_count;
    }
    uint32_t first = ordinal == RGM_RASC   ? rgm_actor_word(p, 0, rgm_actor_at_script_data_offset)
                     : ordinal == RGM_RAVA ? rgm_variable_SIZE
                                           : 0;
    return first + p->slices[ordinal];
}

void rgm_claim_array(rgm_parser *p, rgm_section *section, uint16_t layout, uint32_t from, uint32_t count)
{
    section->records = ll_claim_array(p->doc, section->span, layout, from, count);
    section->count = count;
}

bool rgm_claim_count(rgm_parser *p, unsigned ordinal, uint32_t *span)
{
    ll_doc *doc = p->doc;
    rgm_section *section = &p->summary->section[ordinal];
    ll_where length = rgm_length_at(doc, section);
    if (section->length >= doc->layouts[rgm_forms[ordinal].head].size) {
        *span = ll_claim_fixed(doc, section->span, rgm_forms[ordinal].head, section->start);
        return *span != LL_NO_SPAN;
    }
    ll_claim_unparsed(doc, section->span, section->start, section->start + section->length);
    static const uint8_t none[4] = {0};
    ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_COUNT_WORD_MISSING, RGM_HINT_NONE, length, ll_nowhere(),
                                   ll_word(rgm_forms[ordinal].name), ll_uint(section->length));
    if (ordinal != RGM_RAHD) {
        ll_patch_bytes(doc, &fault, LL_PATCH_UNSAFE, section->start, section->length, none, sizeof none);
    }
    ll_raise(doc, &fault);
    section->sound = section->length == 0 && ordinal != RGM_RAHD; /* nothing is there, as most readers take it */
    return false;
}
