/* C checks of the DataSet entity and of its Data, the entities that have a name and a handle of the DataSet (rows of
 * fox_checks.def). The DataSet lists its Data by name in the map dataList. */
#include "formats/fox/fox.h"

static const fox_entity *entity_at(const ll_check_run *run, size_t i)
{
    return &fox_summary_of(run)->entities.items[i];
}

static size_t entity_count(const ll_check_run *run)
{
    return fox_summary_of(run)->entities.count;
}

/* The first DataSet entity. NULL: there is none. */
static const fox_entity *dataset_of(const ll_check_run *run)
{
    uint32_t first = fox_summary_of(run)->first[FOX_WORD_DataSet];
    return first ? entity_at(run, first - 1) : NULL;
}

static ll_where at_name(const ll_check_run *run, const fox_entity *entity)
{
    return ll_at_field(run->doc, entity->name, 0, fox_single_string_value);
}

void fox_check_dataset_entity(ll_check_run *run)
{
    const fox_summary *summary = fox_summary_of(run);
    uint32_t first = summary->first[FOX_WORD_DataSet];
    bool found = false;
    if (summary->lost) {
        return;
    }
    bool known = entity_count(run) == 0 || fox_class_name(run->doc, entity_at(run, 0));
    if (!first && known) {
        ll_where at = summary->entities.count ? ll_at_field(run->doc, entity_at(run, 0)->span, 0, fox_entity_class_name)
                                              : ll_at_field(run->doc, summary->header, 0, fox_header_entity_count);
        LL_REPORT(run, 0, at, ll_word("no DataSet"));
    }
    for (size_t i = first ? first - 1 : entity_count(run); i < entity_count(run); i++) {
        const fox_entity *entity = entity_at(run, i);
        if (entity->class == FOX_WORD_DataSet) {
            if (found ? summary->counted : i > 0) {
                LL_REPORT(run, 0, ll_at_field(run->doc, entity->span, 0, fox_entity_class_name),
                          ll_word(found ? "a second DataSet" : "a DataSet after another entity"));
            }
            found = true;
        }
    }
}

void fox_check_data_name_duplicate(ll_check_run *run)
{
    for (size_t i = 0; fox_summary_of(run)->counted && i < entity_count(run); i++) {
        const fox_string *name = entity_at(run, i)->label;
        const uint32_t first = name ? fox_called_by(fox_summary_of(run), name)->data : 0;
        if (name && first != i + 1) {
            LL_REPORT_RELATED(run, 0, at_name(run, entity_at(run, i)), at_name(run, entity_at(run, first - 1)),
                              ll_chars(name->text, name->length));
        }
    }
}

/* ------------------------------------------------------------------ the list of the DataSet */

void fox_check_datalist_target(ll_check_run *run)
{
    const fox_summary *summary = fox_summary_of(run);
    for (size_t i = 0; summary->counted && !summary->lost && i < summary->list.count; i++) {
        const fox_item *item = &summary->list.items[i];
        ll_element record;
        if (!item->entity && ll_element_at(run->doc, item->span, 0, &record)) {
            LL_REPORT(run, 0, ll_at_field(run->doc, item->span, 0, fox_item_entity_value),
                      ll_uint(ll_get_uint(&record, fox_item_entity_value)));
        }
    }
}

void fox_check_datalist_key(ll_check_run *run)
{
    const fox_summary *summary = fox_summary_of(run);
    const fox_string *all = summary->strings;
    bool *keys = ll_check_zalloc(run, summary->string_count + 1, sizeof *keys); /* by string: it is a key */
    for (size_t i = 0; keys && i < summary->list.count; i++) {
        const fox_string *key = fox_find_string(summary, summary->list.items[i].key);
        keys[key ? (size_t)(key - all) : summary->string_count] = true;
    }
    for (size_t i = 0; keys && i < summary->list.count; i++) {
        const fox_item *item = &summary->list.items[i];
        const fox_string *string = item->entity ? item->entity->label : NULL;
        if (string && string->hash != item->key && !fox_called_by(summary, string)->several) {
            ll_fault f = LL_MAKE_FAULT(0, 0, ll_at_field(run->doc, item->span, 0, fox_item_entity_key),
                                       at_name(run, item->entity), fox_text_arg(run->doc, item->key),
                                       fox_text_arg(run->doc, string->hash));
            if (!keys[string - all]) {
                ll_patch_field(run->doc, &f, LL_PATCH_UNSAFE, string->hash);
            }
            ll_report_fault(run, &f);
        }
    }
}

/* Reports Data that dataList does not list. An item lists the entity at its address or, if there is none, the first
 * Data that has its key as name. */
void fox_check_datalist_missing(ll_check_run *run)
{
    const fox_summary *summary = fox_summary_of(run);
    if (summary->list_in == LL_NO_SPAN || summary->lost) {
        return;
    }
    bool *listed = ll_check_zalloc(run, entity_count(run) + 1, sizeof *listed);
    for (size_t i = 0; listed && i < summary->list.count; i++) {
        const fox_item *item = &summary->list.items[i];
        const fox_string *key = item->entity ? NULL : fox_find_string(summary, item->key);
        if (item->entity) {
            listed[item->entity - entity_at(run, 0)] = true;
        } else if (key && fox_called_by(summary, key)->data) {
            listed[fox_called_by(summary, key)->data - 1] = true;
        }
    }
    for (size_t i = 0; listed && i < entity_count(run); i++) {
        const fox_entity *entity = entity_at(run, i);
        if (fox_is_data(entity) && !listed[i]) {
            LL_REPORT(run, 0, at_name(run, entity), fox_text_arg(run->doc, fox_name_of(run->doc, entity)));
        }
    }
}

/* The address in the property `dataSet` of a Data. */
static uint64_t handle_of(const ll_check_run *run, const fox_entity *entity)
{
    return ll_le64(run->doc->bytes + ll_doc_span(run->doc, entity->data_set)->offset + fox_single_entity_at_value);
}

/* If two or more Data agree on one address that is not that of the DataSet, the address of the DataSet is wrong. Else
 * the handle of each Data that differs from it is. */
void fox_check_dataset_handle(ll_check_run *run)
{
    const fox_entity *dataset = dataset_of(run);
    uint64_t common = 0;
    size_t data = 0;
    bool agree = true;
    for (size_t i = 0; dataset && i < entity_count(run); i++) {
        if (fox_is_data(entity_at(run, i))) {
            uint64_t handle = handle_of(run, entity_at(run, i));
            agree = agree && (data == 0 || handle == common);
            common = handle;
            data++;
        }
    }
    if (data && agree && common == dataset->address) {
        return;
    }
    if (data > 1 && agree) {
        LL_REPORT(run, 0, ll_at_field(run->doc, dataset->span, 0, fox_entity_address), ll_uint(dataset->address),
                  ll_uint(common));
        return;
    }
    for (size_t i = 0; dataset && i < entity_count(run); i++) {
        const fox_entity *entity = entity_at(run, i);
        uint64_t handle = fox_is_data(entity) ? handle_of(run, entity) : dataset->address;
        if (handle != dataset->address) {
            ll_fault f = LL_MAKE_FAULT(0, 0, ll_at_field(run->doc, entity->data_set, 0, fox_single_entity_value),
                                       ll_at_field(run->doc, dataset->span, 0, fox_entity_address), ll_uint(handle),
                                       ll_uint(dataset->address));
            ll_patch_field(run->doc, &f, LL_PATCH_UNSAFE, dataset->address);
            ll_report_fault(run, &f);
        }
    }
}
