/* Names of entities, names of classes and texts of hashes, for checks. */
#include "formats/fox/fox.h"

bool fox_is_misfit(const ll_doc *doc, const fox_string *string)
{
    return ll_doc_span(doc, string->span)->flags & LL_SPAN_DOUBTFUL;
}

uint64_t fox_name_of(const ll_doc *doc, const fox_entity *entity)
{
    return entity->name == LL_NO_SPAN
               ? FOX_EMPTY
               : ll_le64(doc->bytes + ll_doc_span(doc, entity->name)->offset + fox_single_string_at_value);
}

const fox_string *fox_class_name(const ll_doc *doc, const fox_entity *entity)
{
    ll_element record;
    return ll_element_at(doc, entity->span, 0, &record)
               ? fox_find_string(ll_doc_memo(doc, fox_index), ll_get_uint(&record, fox_entity_class_name))
               : NULL;
}

ll_arg fox_text_arg(const ll_doc *doc, uint64_t hash)
{
    const fox_string *string = fox_find_string(ll_doc_memo(doc, fox_index), hash);
    return string ? ll_chars(string->text, string->length) : ll_chars(0, 0);
}
