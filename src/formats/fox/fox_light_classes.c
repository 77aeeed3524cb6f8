/* The classes that have to do with light (rows of fox_classes.def), and the C check of their properties. */
#include "formats/fox/fox.h"

static const bool has_light[FOX_CLASSES + 1] = {
#define FOX_CLASS(name, version, ending, gz_ending) [FOX_WORD_##name] = true,
#include "formats/fox/fox_classes.def"
};

/* A property of a light class. */
typedef struct member {
    fox_word class, name;
    const char *text;
    uint8_t type, container;
} member;
static const member members[] = {
#define FOX_MEMBER(class, name, type, container)                                                                       \
    {FOX_WORD_##class, FOX_WORD_##name, #name, FOX_##type, FOX_##container},
#include "formats/fox/fox_classes.def"
};
enum { MEMBERS = sizeof members / sizeof members[0] };

const fox_entity *fox_next_light(const ll_check_run *run, unsigned class, const fox_entity *before)
{
    const fox_summary *summary = fox_summary_of(run);
    const fox_entity *all = summary->entities.items;
    bool none = class != FOX_ANY_LIGHT && !summary->first[class];
    for (size_t i = before ? (size_t)(before - all) + 1 : 0; !none && i < summary->entities.count; i++) {
        if (class == FOX_ANY_LIGHT ? has_light[all[i].class] : all[i].class == class) {
            return &all[i];
        }
    }
    return NULL;
}

/* The next property of an entity after a span. LL_NO_SPAN: there is none, or something else follows. */
static uint32_t next_property(const ll_doc *doc, uint32_t entity, uint32_t span)
{
    for (uint32_t i = span + 1; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        if (s->parent == LL_NO_SPAN) {
            break;
        }
        if (s->parent == entity) {
            return ll_doc_layout(doc, i)->kind == LL_KIND_RECORD ? i : LL_NO_SPAN;
        }
    }
    return LL_NO_SPAN;
}

/* The field in which a property differs from the one that the class has there: name, type or container. LL_NO_FIELD: it
 * does not differ, or its name is not in the string table. */
static unsigned differing_field(const ll_doc *doc, uint32_t property, const member *right)
{
    const uint8_t *p = doc->bytes + ll_doc_span(doc, property)->offset;
    uint64_t name = ll_le64(p);
    if (name != fox_words[right->name]) {
        return fox_find_string(ll_doc_memo(doc, fox_index), name) ? (unsigned)fox_property_name : (unsigned)LL_NO_FIELD;
    }
    return p[fox_property_at_type] != right->type             ? (unsigned)fox_property_type
           : p[fox_property_at_container] != right->container ? (unsigned)fox_property_container
                                                              : (unsigned)LL_NO_FIELD;
}

/* Reports the first property of an entity that differs from those of its class, or that there are more or fewer. */
static void judge_members(ll_check_run *run, const fox_entity *entity)
{
    const ll_doc *doc = run->doc;
    uint32_t property = entity->span;
    ll_element record;
    if (!ll_element_at(doc, entity->span, 0, &record)) {
        return;
    }
    uint64_t left = ll_get_uint(&record, fox_entity_static_count);
    ll_where count = ll_at_field(doc, entity->span, 0, fox_entity_static_count);
    for (unsigned i = 0; i < MEMBERS; i++) {
        if (members[i].class != entity->class) {
            continue;
        }
        property = left ? next_property(doc, entity->span, property) : LL_NO_SPAN;
        if (property == LL_NO_SPAN) {
            LL_REPORT(run, 0, count, ll_word("none"), ll_word(members[i].text));
            return;
        }
        unsigned field = differing_field(doc, property, &members[i]);
        if (field != LL_NO_FIELD && ll_element_at(doc, property, 0, &record)) {
            ll_where at = ll_at_field(doc, property, 0, field);
            uint64_t stated = ll_get_uint(&record, field);
            LL_REPORT(run, 0, at, field == fox_property_name ? fox_text_arg(doc, stated) : ll_uint(stated),
                      ll_word(members[i].text));
            return;
        }
        left--;
    }
    if (left) {
        LL_REPORT(run, 0, count, ll_word("more properties"), ll_word("no more"));
    }
}

void fox_check_light_properties(ll_check_run *run)
{
    for (const fox_entity *entity = NULL;
         !fox_summary_of(run)->lost && (entity = fox_next_light(run, FOX_ANY_LIGHT, entity));) {
        judge_members(run, entity);
    }
}
