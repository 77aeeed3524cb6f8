/* The summary of a DataSet file, which checks look up: texts by hash, entities by address and class, some of their
 * properties, and the items of dataList. */
#include "formats/fox/fox.h"

/* Adds the entity of a span. False: no memory. */
static bool add_entity(fox_summary *out, const ll_doc *doc, uint32_t span, const ll_allocator *arena)
{
    const uint8_t *p = doc->bytes + ll_doc_span(doc, span)->offset;
    uint32_t number = (uint32_t)out->entities.count;
    fox_entity *entity = LL_ARRAY_ADD(&out->entities, arena);
    if (!entity) {
        return false;
    }
    *entity = (fox_entity){.address = ll_le64(p + fox_entity_at_address),
                           .span = span,
                           .name = LL_NO_SPAN,
                           .data_set = LL_NO_SPAN,
                           .array = LL_NO_SPAN};
    while (entity->class < FOX_CLASSES && fox_words[entity->class] != ll_le64(p + fox_entity_at_class_name)) {
        entity->class ++;
    }
    if (entity->class < FOX_CLASSES && !out->first[entity->class]) {
        out->first[entity->class] = number + 1;
    }
    return ll_map_add_row(&out->entity_map, out->entities.items, sizeof *entity, number, &entity->again, arena);
}

/* Notes a property of the last entity, if it is one that checks look for. head: its bytes. */
static void add_property(fox_summary *out, const uint8_t *head, uint32_t span)
{
    fox_entity *entity = &out->entities.items[out->entities.count - 1];
    uint64_t hash = ll_le64(head);
    unsigned type = head[fox_property_at_type];
    if (hash == fox_words[FOX_WORD_name] && type == FOX_String) {
        entity->name = span;
    } else if (hash == fox_words[FOX_WORD_dataSet] && type == FOX_EntityHandle) {
        entity->data_set = span;
    } else if (hash == fox_words[FOX_WORD_staticModelArray] && type == FOX_EntityHandle) {
        entity->array = span;
    }
}

/* Finds the names of Data in the string table, and the Data of each name. */
static void note_names(const ll_doc *doc, fox_summary *out)
{
    for (size_t i = 0; i < out->entities.count; i++) {
        fox_entity *entity = &out->entities.items[i];
        const fox_string *name = fox_is_data(entity) ? fox_find_string(out, fox_name_of(doc, entity)) : NULL;
        entity->label = name;
        if (name) {
            fox_called *called = fox_called_by(out, name);
            called->several = called->data != 0;
            called->data = called->data ? called->data : (uint32_t)i + 1;
        }
    }
}

/* Notes dataList of the first DataSet and its items. False: no memory. */
static bool note_list(const ll_doc *doc, fox_summary *out, const ll_allocator *arena)
{
    uint32_t first = out->first[FOX_WORD_DataSet];
    out->list_in = LL_NO_SPAN;
    if (first) {
        const fox_entity *dataset = &out->entities.items[first - 1];
        out->list_in = fox_values_of(doc, dataset, FOX_WORD_dataList, FOX_EntityPtr).property;
    }
    for (uint32_t i = out->list_in; i != LL_NO_SPAN && ++i < doc->span_count;) {
        const ll_span *s = ll_doc_span(doc, i);
        const uint8_t *p = doc->bytes + s->offset;
        if (s->layout != fox_item_entity_LAYOUT || s->parent != out->list_in) {
            break;
        }
        fox_item *item = LL_ARRAY_ADD(&out->list, arena);
        if (!item) {
            return false;
        }
        *item = (fox_item){i, ll_le64(p + fox_item_entity_at_key),
                           fox_find_entity(out, ll_le64(p + fox_item_entity_at_value))};
    }
    return true;
}

/* Whether the values of a property were read: its type and container exist, and bytes follow if it states values. */
static bool are_values_known(const ll_span *property, const uint8_t *head)
{
    unsigned type = head[fox_property_at_type];
    bool known = type < FOX_TYPES && fox_types[type].size && head[fox_property_at_container] < FOX_CONTAINERS;
    return known && (property->length > fox_property_SIZE || ll_le16(head + fox_property_at_value_count) == 0);
}

/* Takes the string table from doc->names, and makes room for as many entities as a file of this size usually has.
 * False: no memory. */
static bool open_maps(ll_doc *doc, fox_summary *out, const ll_allocator *arena)
{
    enum { USUAL_ENTITY = 1024 }; /* bytes */
    const uint32_t entities = doc->size / USUAL_ENTITY;
    out->names = doc->names;
    out->strings = doc->names->texts.items;
    out->string_count = doc->names->texts.count;
    out->called = ll_doc_zalloc(doc, out->string_count + 1, sizeof *out->called);
    for (size_t i = 0; i < out->string_count; i++) {
        out->lost = out->lost || out->strings[i].length == 0;
    }
    return out->called && ll_map_open(&out->entity_map, entities, entities, arena);
}

const void *fox_index(ll_doc *doc)
{
    fox_summary *out = ll_doc_zalloc(doc, 1, sizeof *out);
    ll_allocator arena = ll_arena_allocator(&doc->arena);
    bool room = out != NULL && open_maps(doc, out, &arena), counted = true;
    uint32_t stated = 0, properties = 0; /* numbers of the last entity */
    const ll_span *s = NULL;
    enum { OTHER, ENTITY, PROPERTY, VALUED, ONE_VALUE };
    uint8_t what[LL_LAYOUTS_MAX] = {[fox_entity_LAYOUT] = ENTITY, [fox_property_LAYOUT] = PROPERTY};
    for (unsigned i = FOX_FIRST_SHAPE; i <= FOX_LAST_SHAPE; i += FOX_SHAPES) {
        what[i] = i == fox_single_string_LAYOUT || i == fox_types[FOX_EntityHandle].single ? ONE_VALUE : VALUED;
    }
    const uint32_t end = room && out->string_count ? out->strings[0].span : doc->span_count; /* texts follow */
    for (uint32_t i = 0; room && i < end; i++) {
        s = ll_doc_span_behind(doc, s, i);
        const uint8_t *at = doc->bytes + s->offset;
        switch (what[s->layout]) {
        case ENTITY:
            counted = counted && stated == properties;
            stated = (uint32_t)ll_le16(at + fox_entity_at_static_count) + ll_le16(at + fox_entity_at_dynamic_count);
            properties = 0;
            room = add_entity(out, doc, i, &arena);
            break;
        case ONE_VALUE:
            if (out->entities.count) {
                add_property(out, at, i);
            }
            properties++;
            break;
        case PROPERTY:
            out->lost = out->lost || !are_values_known(s, at);
            properties++;
            break;
        case VALUED:
            properties++;
            break;
        default:
            break;
        }
    }
    if (!room || !note_list(doc, out, &arena)) {
        doc->status = LL_E_MEMORY;
        return NULL;
    }
    ll_element header;
    out->header = doc->firsts[fox_header_LAYOUT] - 1; /* LL_NO_SPAN where there is none */
    out->lost = out->lost || doc->firsts[LL_LAYOUT_UNPARSED] || !doc->firsts[fox_terminator_LAYOUT];
    out->counted = counted && stated == properties && ll_element_at(doc, out->header, 0, &header) &&
                   ll_get_uint(&header, fox_header_entity_count) == out->entities.count;
    note_names(doc, out);
    return out;
}

fox_values fox_values_of(const ll_doc *doc, const fox_entity *entity, fox_word name, unsigned type)
{
    const fox_type *t = &fox_types[type];
    for (uint32_t i = entity->span + 1; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        const uint8_t *p = doc->bytes + s->offset;
        bool single = s->layout == t->single;
        if (s->layout == fox_entity_LAYOUT || s->layout == fox_string_LAYOUT) {
            break;
        }
        if ((!single && s->layout != fox_property_LAYOUT) || ll_le64(p) != fox_words[name] ||
            p[fox_property_at_type] != type) {
            continue;
        }
        if (single) {
            return (fox_values){i, i, 1, fox_single_string_value, p + fox_property_SIZE, t->size};
        }
        const ll_span *values = i + 1 < doc->span_count ? ll_doc_span(doc, i + 1) : s;
        return values->parent == i && values->layout == t->value
                   ? (fox_values){i, i + 1, values->count, 0, doc->bytes + values->offset, t->size}
                   : (fox_values){i, i, 0, 0, NULL, 0}; /* no values, a map, or values that were not read */
    }
    return (fox_values){LL_NO_SPAN, LL_NO_SPAN, 0, 0, NULL, 0};
}
