/* Named checks of the lengths that actors state beside counts. Every check is linear in the file. */
#include "formats/rgm/rgm.h"

/* A length beside a count: 4 bytes for each; of strings none, of variables those of all instances. Where the slice
 * itself is reported, nothing is said of it. */
static void judge_lengths(ll_check_run *run, unsigned ordinal, unsigned field, unsigned count)
{
    for (uint32_t i = 0; i < rgm_summary_of(run->doc)->actor_count; i++) {
        uint64_t length = rgm_actor_get(run->doc, i, field);
        uint64_t one = 4 * rgm_actor_get(run->doc, i, count);
        uint64_t other = ordinal == RGM_RAVA ? one * rgm_actor_get(run->doc, i, rgm_actor_instances) : 0;
        if (length != one && length != other && rgm_is_slice_sound(run->doc, i, ordinal)) {
            LL_REPORT_RELATED(run, RGM_HINT_NONE, rgm_actor_at(run->doc, i, field), rgm_actor_at(run->doc, i, count),
                              ll_uint(length), ll_uint(one));
        }
    }
}

void rgm_check_rasb_length(ll_check_run *run)
{
    judge_lengths(run, RGM_RASB, rgm_actor_rasb_length, rgm_actor_num_strings);
}

/* It is not known whether the length takes in all instances: both are let pass. */
void rgm_check_rava_length(ll_check_run *run)
{
    judge_lengths(run, RGM_RAVA, rgm_actor_rava_length, rgm_actor_num_variables);
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
