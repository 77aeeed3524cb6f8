/* Tables of the fox family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/fox/fox.h"

#include "formats/strcode.h"
#include "model/derive.h"

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

/* Where the property number `sought` of an entity begins; behind the last one where there is no such. */
static uint32_t place_of(const ll_doc *doc, uint32_t entity, uint64_t sought, uint64_t *count)
{
    const ll_span *e = ll_doc_span(doc, entity);
    uint32_t place = e->offset + e->length;
    *count = 0;
    for (uint32_t i = entity + 1; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        if (s->parent == LL_NO_SPAN || s->parent < entity) {
            break;
        }
        if (s->parent == entity) {
            place = *count == sought ? s->offset : place;
            ++*count;
        }
    }
    return place;
}

/* Static properties are those that are not dynamic, which begin behind them. */
static bool fox_derive(const ll_doc *doc, const ll_derivation *row, uint32_t span, uint32_t element, uint32_t target,
                       uint8_t *bytes)
{
    if (row->layout != fox_entity_LAYOUT) {
        return ll_strcode_derive(doc, row, span, element, target, bytes);
    }
    ll_element entity;
    if (!ll_element_at(doc, span, 0, &entity)) {
        return false;
    }
    uint64_t all, dynamic = ll_get_uint(&entity, fox_entity_dynamic_count);
    (void)place_of(doc, span, 0, &all);
    int64_t value = (int64_t)all - (int64_t)dynamic;
    if (row->field == fox_entity_dynamic_offset) {
        value = (int64_t)place_of(doc, span, all - dynamic, &all) - ll_doc_span(doc, span)->offset;
    }
    return ll_put_number(ll_doc_layout(doc, span), row->field, value, bytes);
}

const ll_format fox_format = {
    LL_FORMAT_TABLES(fox),
    .shares_magic = true,
    .span_name = fox_span_name,
    .hash_text = fox_hash_text,
    .text_hash = ll_strcode64_unended,
    .facts = fox_visit_facts,
    .derive = fox_derive,
    .probe = fox_probe,
    .index = fox_index,
    .parse = fox_parse,
};
