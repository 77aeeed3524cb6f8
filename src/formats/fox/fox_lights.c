/* C checks of entities that have to do with light (rows of fox_checks.def): arrays of lights, probes and occluders, the
 * coefficients that probes link to, and the lights of gimmicks. */
#include "formats/fox/fox.h"

#include <string.h>

/* Whether the string table has the text of a hash and the two match, or the text is empty. Other rules report a text
 * that is missing or wrong. */
static bool text_known(const ll_check_run *run, uint64_t hash)
{
    const fox_string *string = fox_find_string(fox_summary_of(run), hash);
    return string ? !fox_is_misfit(run->doc, string) : hash == FOX_EMPTY;
}

/* Whether the property exists and all of its values were read. */
static bool were_read(const ll_check_run *run, const fox_values *values)
{
    ll_element property;
    return ll_element_at(run->doc, values->property, 0, &property) &&
           ll_get_uint(&property, fox_property_value_count) == values->count;
}

static ll_where at_count(const ll_check_run *run, const fox_values *values)
{
    return ll_at_field(run->doc, values->property, 0, fox_property_value_count);
}

static uint64_t link_name(const fox_values *links, uint32_t i)
{
    return fox_word_at(links, i, fox_value_link_at_target_name);
}
static uint64_t link_handle(const fox_values *links, uint32_t i)
{
    return fox_word_at(links, i, fox_value_link_at_handle);
}

/* ------------------------------------------------------------------ arrays */

static bool ends_with(const ll_doc *doc, const fox_string *text, const char *ending)
{
    size_t length = strlen(ending);
    return text && text->length > length &&
           memcmp(doc->bytes + text->text + text->length - length, ending, length) == 0;
}

void fox_check_draw_sh_count(ll_check_run *run)
{
    for (const fox_entity *entity = NULL; (entity = fox_next_light(run, FOX_WORD_TppLightProbeArray, entity));) {
        fox_values levels = fox_values_of(run->doc, entity, FOX_WORD_drawRejectionLevels, FOX_int32);
        fox_values links = fox_values_of(run->doc, entity, FOX_WORD_shDatas, FOX_EntityLink);
        if (were_read(run, &levels) && were_read(run, &links) && levels.count != links.count) {
            LL_REPORT_RELATED(run, 0, at_count(run, &levels), at_count(run, &links), ll_uint(levels.count),
                              ll_uint(links.count));
        }
    }
}

/* ------------------------------------------------------------------ harmonics of probes */

/* The address of the Data with a name, if it is the only one and of the class. 0: it is not. */
static uint64_t address_of(const ll_check_run *run, uint64_t name, fox_word class)
{
    const fox_summary *summary = fox_summary_of(run);
    const fox_string *string = fox_find_string(summary, name);
    const fox_called *called = string ? fox_called_by(summary, string) : NULL;
    const fox_entity *data =
        called && called->data && !called->several ? &summary->entities.items[called->data - 1] : NULL;
    return data && data->class == class ? data->address : 0;
}

/* Reports a link whose handle leads to no entity of a class, or to one with another name than the link states. words:
 * what the handle should be. patch: offer the handle for the name of the link, or the name of the entity. */
static void judge_link(ll_check_run *run, const fox_values *links, uint32_t i, fox_word class, const char *words,
                       bool patch)
{
    const ll_doc *doc = run->doc;
    uint64_t handle = link_handle(links, i), stated = link_name(links, i), right = 0;
    const fox_entity *target = fox_find_entity(fox_summary_of(run), handle);
    ll_fault f;
    if (target ? !fox_class_name(doc, target) || target->name == LL_NO_SPAN : !fox_summary_of(run)->counted) {
        return;
    }
    if (!target || target->class != class) {
        right = address_of(run, stated, class);
        f = LL_MAKE_FAULT(0, 0, fox_at_value(doc, links, i, FOX_LINK_HANDLE), ll_nowhere(), ll_uint(handle),
                          ll_word(words));
    } else {
        right = fox_name_of(doc, target);
        if (right == stated || !text_known(run, right) || !text_known(run, stated)) {
            return;
        }
        f = LL_MAKE_FAULT(0, 0, fox_at_value(doc, links, i, FOX_LINK_NAME), ll_nowhere(), fox_text_arg(doc, stated),
                          fox_text_arg(doc, right));
    }
    if (patch && right) {
        ll_patch_field(doc, &f, LL_PATCH_UNSAFE, right);
    }
    ll_report_fault(run, &f);
}

/* Calls judge for each link in a property of all entities of a class. list: the property. */
static void each_link(ll_check_run *run, fox_word class, fox_word list,
                      void (*judge)(ll_check_run *run, const fox_values *links, uint32_t i))
{
    for (const fox_entity *entity = NULL; (entity = fox_next_light(run, class, entity));) {
        fox_values links = fox_values_of(run->doc, entity, list, FOX_EntityLink);
        for (uint32_t i = 0; i < links.count; i++) {
            judge(run, &links, i);
        }
    }
}

static void judge_sh_link(ll_check_run *run, const fox_values *links, uint32_t i)
{
    if (link_handle(links, i) && link_name(links, i) != FOX_EMPTY && !fox_summary_of(run)->lost) {
        judge_link(run, links, i, FOX_WORD_TppLightProbeSHCoefficients, "the address of a TppLightProbeSHCoefficients",
                   true);
    }
}

void fox_check_sh_link(ll_check_run *run)
{
    each_link(run, FOX_WORD_TppLightProbeArray, FOX_WORD_shDatas, judge_sh_link);
}

/* Reports a link that has a handle or a name, but not both. */
static void judge_half(ll_check_run *run, const fox_values *links, uint32_t i)
{
    uint64_t handle = link_handle(links, i), name = link_name(links, i);
    if ((handle == 0) != (name == FOX_EMPTY)) {
        LL_REPORT(run, 0, fox_at_value(run->doc, links, i, handle ? FOX_LINK_NAME : FOX_LINK_HANDLE), ll_uint(handle),
                  fox_text_arg(run->doc, name));
    }
}

void fox_check_sh_link_half(ll_check_run *run)
{
    each_link(run, FOX_WORD_TppLightProbeArray, FOX_WORD_shDatas, judge_half);
}

/* Reports one of the two paths of coefficients: lpshFile if only filePath ends in .lpsh, else filePath. */
void fox_check_lpsh_path(ll_check_run *run)
{
    for (const fox_entity *entity = NULL;
         (entity = fox_next_light(run, FOX_WORD_TppLightProbeSHCoefficients, entity));) {
        fox_values path = fox_values_of(run->doc, entity, FOX_WORD_filePath, FOX_Path);
        fox_values file = fox_values_of(run->doc, entity, FOX_WORD_lpshFile, FOX_FilePtr);
        if (!path.count || !file.count) {
            continue;
        }
        uint64_t paths[] = {fox_word_at(&path, 0, 0), fox_word_at(&file, 0, 0)};
        const fox_string *texts[] = {fox_find_string(fox_summary_of(run), paths[0]),
                                     fox_find_string(fox_summary_of(run), paths[1])};
        if (!text_known(run, paths[0]) || !text_known(run, paths[1])) {
            continue;
        }
        bool path_ends = ends_with(run->doc, texts[0], ".lpsh"), file_ends = ends_with(run->doc, texts[1], ".lpsh");
        if (path_ends && file_ends && paths[0] == paths[1]) {
            continue;
        }
        bool blame_file = path_ends && !file_ends;
        ll_arg other =
            path_ends || file_ends ? fox_text_arg(run->doc, paths[!blame_file]) : ll_word("a path to a .lpsh");
        const fox_values *wrong = blame_file ? &file : &path, *right = blame_file ? &path : &file;
        LL_REPORT_RELATED(run, 0, fox_at_value(run->doc, wrong, 0, 0), fox_at_value(run->doc, right, 0, 0),
                          fox_text_arg(run->doc, paths[blame_file]), other);
    }
}

/* Reports coefficients that no probe links to, by handle or by name. */
void fox_check_lpsh_unlinked(ll_check_run *run)
{
    const fox_summary *summary = fox_summary_of(run);
    if (!summary->first[FOX_WORD_TppLightProbeArray] || !summary->first[FOX_WORD_TppLightProbeSHCoefficients] ||
        summary->lost) {
        return;
    }
    bool *linked = ll_check_zalloc(run, summary->entities.count, sizeof *linked);
    for (const fox_entity *entity = NULL;
         linked && (entity = fox_next_light(run, FOX_WORD_TppLightProbeArray, entity));) {
        fox_values links = fox_values_of(run->doc, entity, FOX_WORD_shDatas, FOX_EntityLink);
        if (!were_read(run, &links)) {
            return;
        }
        for (uint32_t i = 0; i < links.count; i++) {
            const fox_entity *target = fox_find_entity(summary, link_handle(&links, i));
            const fox_string *name = fox_find_string(summary, link_name(&links, i));
            if (target) {
                linked[target - summary->entities.items] = true;
            }
            if (name && fox_called_by(summary, name)->data) {
                linked[fox_called_by(summary, name)->data - 1] = true;
            }
        }
    }
    for (const fox_entity *entity = NULL;
         linked && (entity = fox_next_light(run, FOX_WORD_TppLightProbeSHCoefficients, entity));) {
        if (!linked[entity - summary->entities.items]) {
            LL_REPORT(run, 0, ll_at_field(run->doc, entity->span, 0, fox_entity_class_name),
                      fox_text_arg(run->doc, fox_name_of(run->doc, entity)));
        }
    }
}

/* ------------------------------------------------------------------ lights of gimmicks */

void fox_check_gimmick_count(ll_check_run *run)
{
    for (const fox_entity *entity = NULL;
         (entity = fox_next_light(run, FOX_WORD_TppGimmickLightLinkSetData, entity));) {
        fox_values number = fox_values_of(run->doc, entity, FOX_WORD_numLightGimmick, FOX_uint32);
        fox_values links = fox_values_of(run->doc, entity, FOX_WORD_lightList, FOX_EntityLink);
        if (number.count && were_read(run, &links) && ll_le32(number.at) != links.count) {
            ll_fault f = LL_MAKE_FAULT(0, 0, fox_at_value(run->doc, &number, 0, 0), at_count(run, &links),
                                       ll_uint(ll_le32(number.at)), ll_uint(links.count));
            ll_patch_field(run->doc, &f, LL_PATCH_SAFE, links.count);
            ll_report_fault(run, &f);
        }
    }
}

/* Reports a link of a gimmick that does not lead to a StaticModelArrayLinkTarget of its name, and a target that is an
 * element of a StaticModelArray. Lights are elements of a LightArray; targets that no gimmick lists may be models. */
static void judge_gimmick_link(ll_check_run *run, const fox_values *links, uint32_t i)
{
    if (fox_summary_of(run)->lost) {
        return;
    }
    judge_link(run, links, i, FOX_WORD_StaticModelArrayLinkTarget, "the address of a StaticModelArrayLinkTarget",
               false);
    const fox_entity *target = fox_find_entity(fox_summary_of(run), link_handle(links, i));
    ll_element link;
    if (!target || target->class != FOX_WORD_StaticModelArrayLinkTarget ||
        !ll_element_at(run->doc, target->array, 0, &link)) {
        return;
    }
    uint64_t address = ll_get_uint(&link, fox_single_entity_value);
    const fox_entity *array = fox_find_entity(fox_summary_of(run), address);
    if (array && array->class == FOX_WORD_StaticModelArray) {
        LL_REPORT_RELATED(run, 0, ll_at_field(run->doc, target->array, 0, fox_single_entity_value),
                          fox_at_value(run->doc, links, i, FOX_LINK_HANDLE), ll_uint(address),
                          ll_word("the address of a LightArray"));
    }
}

void fox_check_gimmick_link(ll_check_run *run)
{
    each_link(run, FOX_WORD_TppGimmickLightLinkSetData, FOX_WORD_lightList, judge_gimmick_link);
}

void fox_check_link_target_array(ll_check_run *run)
{
    for (const fox_entity *entity = NULL;
         fox_summary_of(run)->counted && !fox_summary_of(run)->lost &&
         (entity = fox_next_light(run, FOX_WORD_StaticModelArrayLinkTarget, entity));) {
        ll_element link;
        bool there = ll_element_at(run->doc, entity->array, 0, &link);
        uint64_t address = there ? ll_get_uint(&link, fox_single_entity_value) : entity->address;
        const fox_entity *array = fox_find_entity(fox_summary_of(run), address);
        bool right = array && (array->class == FOX_WORD_LightArray || array->class == FOX_WORD_StaticModelArray ||
                               !fox_class_name(run->doc, array));
        if (there && !right) {
            LL_REPORT(run, 0, ll_at_field(run->doc, entity->array, 0, fox_single_entity_value), ll_uint(address));
        }
    }
}
