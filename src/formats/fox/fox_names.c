/* The names that entities and hashes go by, for checks and in reports. */
#include "formats/fox/fox.h"

#include <string.h>

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
               ? fox_find_string(doc->index, ll_get_uint(&record, fox_entity_class_name))
               : NULL;
}

ll_arg fox_text_arg(const ll_doc *doc, uint64_t hash)
{
    const fox_string *string = fox_find_string(doc->index, hash);
    return string ? ll_chars(string->text, string->length) : ll_chars(0, 0);
}

/* ------------------------------------------------------------------ names in reports */

enum { NAME_SHOWN = 200 }; /* bytes: a name may be shown any number of times */

bool fox_span_name(const ll_doc *doc, uint32_t span, ll_text *out)
{
    const fox_summary *summary = doc->index;
    const ll_span *s = ll_doc_span(doc, span);
    bool entity = s->layout == fox_entity_LAYOUT;
    if (s->layout < fox_entity_LAYOUT || s->layout > FOX_LAST_SHAPE || !summary) {
        return false;
    }
    const fox_string *name =
        fox_find_string(summary, ll_le64(doc->bytes + s->offset + (entity ? fox_entity_at_class_name : 0)));
    if (!name || !name->length || name->length > NAME_SHOWN) {
        return false;
    }
    const char *text = (const char *)doc->bytes + name->text;
    for (uint32_t i = 0; i < name->length; i++) {
        char c = text[i];
        if (c <= ' ' || c > '~' || strchr("[]{}.\\", c)) {
            return false;
        }
    }
    ll_text_char(out, '[');
    if (entity) {
        ll_text_u64(out, s->index);
        ll_text_char(out, ':');
    }
    ll_text_put(out, text, name->length);
    ll_text_char(out, ']');
    return true;
}

void fox_hash_text(const ll_doc *doc, uint64_t hash, ll_text *out)
{
    const fox_string *string = doc->index ? fox_find_string(doc->index, hash) : NULL;
    if (string || hash == FOX_EMPTY) {
        uint32_t length = string ? string->length : 0;
        uint32_t shown = length < NAME_SHOWN ? length : NAME_SHOWN;
        ll_text_str(out, " \"");
        ll_text_escape(out, string ? (const char *)doc->bytes + string->text : "", shown);
        ll_text_str(out, shown < length ? "...\"" : "\"");
    }
}
