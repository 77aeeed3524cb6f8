/* Tables of the fox family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/fox/fox.h"

#include "formats/strcode.h"

#include <string.h>

#define FOX_TYPE(name, number, kind)                                                                                   \
    [FOX_##name] = {fox_single_##kind##_LAYOUT, fox_value_##kind##_LAYOUT, fox_item_##kind##_LAYOUT,                   \
                    fox_value_##kind##_SIZE},
const fox_type fox_types[FOX_TYPES] = {
#include "formats/fox/fox_types.def"
};
#undef FOX_TYPE

#define FOX_WORD(name, hash) UINT64_C(hash),
const uint64_t fox_words[FOX_WORDS] = {
#include "formats/fox/fox_words.def"
};
#undef FOX_WORD

enum { VERSION = 0x35 };

ll_probe_result fox_probe(const uint8_t *bytes, size_t size)
{
    static const char magic[] = "\xf2"
                                "box";
    if (size >= sizeof magic - 1 && memcmp(bytes, magic, sizeof magic - 1) == 0) {
        return LL_PROBE_SURE;
    }
    bool likely = size >= fox_header_SIZE && ll_le32(bytes + fox_header_at_version) == VERSION &&
                  ll_le32(bytes + fox_header_at_first_entity_offset) == fox_header_SIZE;
    return likely ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

/* Where the property number `sought` of an entity begins, from the entity; behind the last one where there is no such.
 * *count: how many there are. */
static int64_t place_of(const ll_doc *doc, uint32_t entity, uint64_t sought, uint64_t *count)
{
    const ll_span *e = ll_doc_span(doc, entity), *s = e;
    int64_t place = e->length;
    *count = 0;
    for (uint32_t i = entity + 1; i < doc->span_count; i++) {
        s = ll_doc_span_behind(doc, s, i);
        if (s->parent == LL_NO_SPAN || s->parent < entity) {
            break;
        }
        if (s->parent == entity && s->layout >= LL_LAYOUT_BUILTINS) {
            place = *count == sought ? (int64_t)s->offset - e->offset : place;
            ++*count;
        }
    }
    return place;
}

/* Static properties are those that are not dynamic, which begin behind them. */
static bool fox_derive(const ll_doc *doc, const ll_derivation *row, uint32_t span, uint32_t element, uint32_t target,
                       uint8_t *bytes)
{
    (void)element, (void)target;
    const uint8_t *record = ll_doc_at(doc, ll_doc_span(doc, span)->offset);
    const uint64_t dynamic = ll_le16(record + fox_entity_at_dynamic_count);
    const bool counts = row->field == fox_entity_static_count;
    uint64_t all = 0;
    int64_t value = ll_doc_span(doc, span)->length; /* of one without dynamic properties, these end at its end */
    if (counts || dynamic) {
        (void)place_of(doc, span, 0, &all);
        value = counts ? (int64_t)all - (int64_t)dynamic : place_of(doc, span, all - dynamic, &all);
    }
    const uint64_t most = counts ? UINT16_MAX : UINT32_MAX;
    for (unsigned i = 0; i < (counts ? sizeof(uint16_t) : sizeof(uint32_t)); i++) {
        bytes[i] = (uint8_t)((uint64_t)value >> 8 * i);
    }
    return value >= 0 && (uint64_t)value <= most;
}

/* Nearly all entities have static properties only, which end where they do. */
static bool fox_is_derived(const uint8_t *record, uint32_t bytes, uint32_t parts)
{
    return ll_le16(record + fox_entity_at_dynamic_count) == 0 &&
           ll_le16(record + fox_entity_at_static_count) == parts &&
           ll_le32(record + fox_entity_at_dynamic_offset) == bytes;
}

const ll_format fox_format = {
    LL_FORMAT_TABLES(fox),
    .shares_magic = true,
    .span_name = fox_span_name,
    .hash_text = fox_hash_text,
    .text_hash = ll_strcode64_unended,
    .facts = fox_visit_facts,
    .derive = fox_derive,
    .is_derived = fox_is_derived,
    .probe = fox_probe,
    .index = fox_index,
};
