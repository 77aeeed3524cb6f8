/* Collects the facts of a DataSet about other files, by the rows of fox_property_facts.def. */
#include "formats/fox/fox.h"

typedef struct row row;

/* The entity whose facts are collected, and a row for its class. */
typedef struct source {
    const ll_doc *doc;
    const fox_summary *summary;
    const fox_entity *entity;
    const row *row;
    uint32_t owner; /* ordinal of the entity */
    ll_fact_fn visit;
    void *ctx;
} source;

struct row {
    uint8_t class, property, type;                           /* fox_word, fox_word, FOX_<type> */
    bool (*form)(const source *s, const fox_values *values); /* false: the visit ended the collection */
    uint16_t kind;
};

static ll_fact fact_of(const source *s, uint32_t index, uint64_t number, ll_where at)
{
    return (ll_fact){.kind = (ll_fact_kind)s->row->kind, .owner = s->owner, .index = index, .number = number, .at = at};
}

/* Gives a fact the text of a hash, if the string table has it. */
static void set_text(const source *s, uint64_t hash, ll_fact *fact)
{
    const fox_string *string = fox_find_string(s->summary, hash);
    if (string) {
        fact->text = s->doc->bytes + string->text;
        fact->text_length = string->length;
    }
}

static bool form_TEXT(const source *s, const fox_values *values)
{
    if (values->count == 0) {
        return true;
    }
    ll_fact fact = fact_of(s, 0, fox_word_at(values, 0, 0), fox_at_value(s->doc, values, 0, 0));
    set_text(s, fact.number, &fact);
    return s->visit(s->ctx, &fact);
}

static bool form_COUNT(const source *s, const fox_values *values)
{
    ll_element property;
    if (!ll_element_at(s->doc, values->property, 0, &property)) {
        return true;
    }
    ll_where at = ll_at_field(s->doc, values->property, 0, fox_property_value_count);
    ll_fact fact = fact_of(s, 0, ll_get_uint(&property, fox_property_value_count), at);
    return s->visit(s->ctx, &fact);
}

/* 1 + ordinal of the entity at an address. LL_FACT_NOWHERE: there is none. */
static uint64_t ordinal_of(const source *s, uint64_t address)
{
    const fox_entity *entity = fox_find_entity(s->summary, address);
    return entity ? (uint64_t)(entity - s->summary->entities.items) + 1 : LL_FACT_NOWHERE;
}

static bool form_LINK(const source *s, const fox_values *values)
{
    bool more = true;
    for (uint32_t i = 0; more && i < values->count; i++) {
        uint64_t name = fox_word_at(values, i, fox_value_link_at_target_name);
        uint64_t handle = fox_word_at(values, i, fox_value_link_at_handle);
        bool empty = handle == 0 && name == FOX_EMPTY;
        ll_fact fact =
            fact_of(s, i, empty ? 0 : ordinal_of(s, handle), fox_at_value(s->doc, values, i, FOX_LINK_HANDLE));
        set_text(s, name, &fact);
        more = s->visit(s->ctx, &fact);
    }
    return more;
}

static bool form_ARCHIVE(const source *s, const fox_values *values)
{
    bool more = true;
    for (uint32_t i = 0; more && i < values->count; i++) {
        if (fox_word_at(values, i, fox_value_link_at_handle)) {
            ll_fact fact = fact_of(s, i, fox_word_at(values, i, fox_value_link_at_archive_path),
                                   fox_at_value(s->doc, values, i, FOX_LINK_ARCHIVE));
            set_text(s, fact.number, &fact);
            more = s->visit(s->ctx, &fact);
        }
    }
    return more;
}

static bool form_TARGET(const source *s, const fox_values *values)
{
    ll_element link;
    if (values->count == 0 || !ll_element_at(s->doc, s->entity->array, 0, &link)) {
        return true;
    }
    uint64_t array = ll_get_uint(&link, fox_single_entity_value);
    const fox_entity *target = fox_find_entity(s->summary, array);
    if (!target || target->class != FOX_WORD_LightArray) {
        return true;
    }
    uint32_t index = (uint32_t)(target - s->summary->entities.items);
    ll_fact fact = fact_of(s, index, ll_le32(values->at), fox_at_value(s->doc, values, 0, 0));
    set_text(s, fox_name_of(s->doc, s->entity), &fact);
    return s->visit(s->ctx, &fact);
}

static const row rows[] = {
#define FOX_FACT(class, property, type, form, kind)                                                                    \
    {FOX_WORD_##class, FOX_WORD_##property, FOX_##type, form_##form, LL_FACT_##kind},
#include "formats/fox/fox_property_facts.def"
#undef FOX_FACT
};

bool fox_facts_properties(const ll_doc *doc, ll_fact_fn visit, void *ctx)
{
    source s = {.doc = doc, .summary = ll_doc_memo(doc, fox_index), .visit = visit, .ctx = ctx};
    bool more = true;
    for (size_t i = 0; more && s.summary && i < s.summary->entities.count; i++) {
        s.entity = &s.summary->entities.items[i];
        s.owner = (uint32_t)i;
        for (size_t r = 0; more && s.entity->class != FOX_CLASSES && r < sizeof rows / sizeof rows[0]; r++) {
            if (rows[r].class == s.entity->class && ll_is_usable(doc, s.entity->span)) {
                fox_values values = fox_values_of(doc, s.entity, (fox_word)rows[r].property, rows[r].type);
                s.row = &rows[r];
                more = values.property == LL_NO_SPAN || rows[r].form(&s, &values);
            }
        }
    }
    return more;
}
