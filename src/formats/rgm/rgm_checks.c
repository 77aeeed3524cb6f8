/* Named checks of the lengths that actors state beside counts. Every check is linear in the file. */
#include "formats/rgm/rgm.h"

/* Two fields of one record: `field` should be 4 bytes for each of `count`. */
static void report_length(ll_check_run *run, uint32_t actor, unsigned field, unsigned count)
{
    LL_REPORT_RELATED(run, RGM_HINT_NONE, rgm_actor_at(run->doc, actor, field), rgm_actor_at(run->doc, actor, count),
                      ll_uint(rgm_actor_get(run->doc, actor, field)),
                      ll_uint(4 * rgm_actor_get(run->doc, actor, count)));
}

void rgm_check_rasb_length(ll_check_run *run)
{
    const rgm_summary *summary = rgm_summary_of(run->doc);
    for (uint32_t i = 0; i < summary->actor_count; i++) {
        uint64_t length = rgm_actor_get(run->doc, i, rgm_actor_rasb_length);
        if (length && rgm_is_slice_sound(run->doc, i, RGM_RASB) &&
            length != 4 * rgm_actor_get(run->doc, i, rgm_actor_num_strings)) {
            report_length(run, i, rgm_actor_rasb_length, rgm_actor_num_strings);
        }
    }
}

/* It is not known whether the length takes in all instances: both are let pass. */
void rgm_check_rava_length(ll_check_run *run)
{
    const rgm_summary *summary = rgm_summary_of(run->doc);
    for (uint32_t i = 0; i < summary->actor_count; i++) {
        uint64_t length = rgm_actor_get(run->doc, i, rgm_actor_rava_length);
        uint64_t one = 4 * rgm_actor_get(run->doc, i, rgm_actor_num_variables);
        bool fits = length == one || length == one * rgm_actor_get(run->doc, i, rgm_actor_instances);
        if (!fits && rgm_is_slice_sound(run->doc, i, RGM_RAVA)) {
            report_length(run, i, rgm_actor_rava_length, rgm_actor_num_variables);
        }
    }
}

static bool has_places(const ll_doc *doc, uint32_t actor)
{
    return rgm_actor_get(doc, actor, rgm_actor_ralc_count) || rgm_actor_get(doc, actor, rgm_actor_ralc_length);
}

/* Count and length of an actor's places contradict each other: is the count the wrong one? The slice should reach to
 * the next actor's. Actors without places are passed by once for every actor that has some, so that all calls together
 * are linear. */
static bool is_count_wrong(const ll_doc *doc, uint32_t actor, uint64_t count, uint64_t length)
{
    const rgm_section *places = rgm_section_of(doc, RGM_RALC);
    uint32_t actors = rgm_summary_of(doc)->actor_count;
    uint32_t next = actor + 1;
    while (next < actors && !has_places(doc, next)) {
        next++;
    }
    uint64_t end = next < actors ? rgm_actor_get(doc, next, rgm_actor_ralc_offset) : places->length;
    uint64_t offset = rgm_actor_get(doc, actor, rgm_actor_ralc_offset);
    uint64_t counted = offset + rgm_location_SIZE * count;
    bool length_good =
        rgm_is_sound(places) && length % rgm_location_SIZE == 0 && ll_fits(offset, length, places->length);
    return length_good && counted != end && (offset + length == end || length == 0 || counted > places->length);
}

void rgm_check_ralc_length(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    for (uint32_t i = 0; i < rgm_summary_of(doc)->actor_count; i++) {
        uint64_t count = rgm_actor_get(doc, i, rgm_actor_ralc_count);
        uint64_t length = rgm_actor_get(doc, i, rgm_actor_ralc_length);
        if (length == rgm_location_SIZE * count) {
            continue;
        }
        bool wrong = is_count_wrong(doc, i, count, length);
        ll_where count_at = rgm_actor_at(doc, i, rgm_actor_ralc_count);
        ll_where length_at = rgm_actor_at(doc, i, rgm_actor_ralc_length);
        LL_REPORT_RELATED(run, RGM_HINT_NONE, wrong ? count_at : length_at, wrong ? length_at : count_at,
                          ll_uint(wrong ? count : length),
                          ll_uint(wrong ? length / rgm_location_SIZE : rgm_location_SIZE * count), ll_uint(count),
                          ll_uint(length));
    }
}
