/* Named checks of variables, hooks and places, which scripts use. Each check is linear in the file. */
#include "formats/rgm/rgm.h"

/* ------------------------------------------------------------------ variables */

/* The variables of an actor, one copy for each instance. */
typedef struct copies {
    const uint8_t *bytes;
    uint32_t first;     /* first element of RAVA */
    uint32_t variables; /* number of variables of one instance */
    uint32_t instances;
} copies;

static uint32_t copy_at(const copies *c, uint32_t instance, uint32_t variable)
{
    return ll_le32(c->bytes + 4 * ((size_t)instance * c->variables + variable));
}

/* An instance that has the value of most others; LL_NO_INDEX: there is none. Only the first two instances are
 * considered; of two instances it is the first. */
static uint32_t find_usual(const copies *c, uint32_t variable)
{
    uint32_t votes[2] = {0};
    for (uint32_t k = 0; k < c->instances; k++) {
        votes[0] += copy_at(c, k, variable) == copy_at(c, 0, variable);
        votes[1] += copy_at(c, k, variable) == copy_at(c, 1, variable);
    }
    uint32_t usual = votes[1] > votes[0];
    return c->instances == 2 || votes[usual] > c->instances / 2 ? usual : LL_NO_INDEX;
}

static void compare_copies(ll_check_run *run, uint32_t actor, const copies *c, uint32_t variable)
{
    const ll_doc *doc = run->doc;
    uint32_t array = rgm_section_of(doc, RGM_RAVA)->records;
    uint32_t usual = find_usual(c, variable);
    for (uint32_t k = 0; usual != LL_NO_INDEX && k < c->instances; k++) {
        int32_t value = (int32_t)copy_at(c, k, variable), right = (int32_t)copy_at(c, usual, variable);
        if (value != right) {
            LL_REPORT_RELATED(run, RGM_HINT_NONE,
                              ll_at_field(doc, array, c->first + k * c->variables + variable, rgm_variable_value),
                              ll_at_field(doc, array, c->first + usual * c->variables + variable, rgm_variable_value),
                              ll_int(value), ll_int(right), rgm_actor_name(doc, actor), ll_uint(k));
        }
    }
}

void rgm_check_rava_sentinel(ll_check_run *run)
{
    const ll_where at = ll_at_field(run->doc, run->span, 0, rgm_variable_value);
    ll_element first;
    if (ll_element_at(run->doc, run->span, 0, &first) && ll_get_uint(&first, rgm_variable_value)) {
        ll_fault fault =
            LL_MAKE_FAULT(0, RGM_HINT_NONE, at, ll_nowhere(), ll_int((int32_t)ll_get_uint(&first, rgm_variable_value)));
        rgm_report_value(run, &fault, 0);
    }
}

void rgm_check_rava_instance_diff(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_section *section = rgm_section_of(doc, RGM_RAVA);
    ll_element actor;
    for (uint32_t i = 0; section->sound && rgm_actor_record(doc, i, &actor); i++) {
        uint64_t first = ll_get_uint(&actor, rgm_actor_variable_offset) / rgm_variable_SIZE;
        uint64_t variables = ll_get_uint(&actor, rgm_actor_num_variables);
        uint64_t instances = ll_get_uint(&actor, rgm_actor_instances);
        bool several = variables && instances > 1 && rgm_is_slice_sound(doc, i, RGM_RAVA);
        if (!several || !ll_fits(first, variables * instances, section->count)) {
            continue;
        }
        copies c = {ll_doc_at(doc, section->start) + first * rgm_variable_SIZE, (uint32_t)first, (uint32_t)variables,
                    (uint32_t)instances};
        for (uint32_t v = 0; v < c.variables; v++) {
            compare_copies(run, i, &c, v);
        }
    }
}

/* ------------------------------------------------------------------ bytecode and hooks */

/* Reports hooks that lead outside of the actor's block: the low half is an offset in it. Slices may overlap. Judging
 * stops after as many hooks as the section has, which bounds the work. */
void rgm_check_rahk_target(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_section *hooks = rgm_section_of(doc, RGM_RAHK);
    uint64_t left = hooks->sound ? hooks->count : 0;
    ll_element actor, hook;
    for (uint32_t i = 0; rgm_actor_record(doc, i, &actor); i++) {
        uint64_t first = ll_get_uint(&actor, rgm_actor_rahk_offset) / rgm_hook_SIZE;
        uint64_t count = ll_get_uint(&actor, rgm_actor_rahk_length) / rgm_hook_SIZE;
        uint64_t block = ll_get_uint(&actor, rgm_actor_script_length);
        bool aligned = ll_get_uint(&actor, rgm_actor_rahk_offset) % rgm_hook_SIZE == 0;
        if (!aligned || count > left || !rgm_is_slice_sound(doc, i, RGM_RASC) || !ll_fits(first, count, hooks->count)) {
            continue;
        }
        left -= count;
        for (uint64_t k = first; k < first + count && ll_element_at(doc, hooks->records, (uint32_t)k, &hook); k++) {
            uint64_t place = ll_get_uint(&hook, rgm_hook_value) & 0xFFFF;
            if (place && place >= block) {
                LL_REPORT_RELATED(run, RGM_HINT_HOOKS_STALE,
                                  ll_at_field(doc, hooks->records, (uint32_t)k, rgm_hook_value),
                                  rgm_actor_at(doc, i, rgm_actor_script_length), ll_uint(place), ll_uint(block),
                                  rgm_actor_name(doc, i));
            }
        }
    }
}

/* ------------------------------------------------------------------ places */

/* Decides whether the count, rather than the length, of an actor's places is wrong: the slice should reach to that of
 * the next actor with places. Actors without places are skipped once for each actor that has some, so all calls
 * together are linear. */
static bool is_count_wrong(const ll_doc *doc, uint32_t actor, uint64_t count, uint64_t length)
{
    const rgm_section *places = rgm_section_of(doc, RGM_RALC);
    ll_element head, behind;
    bool there = rgm_actor_record(doc, actor, &head), more;
    do {
        more = rgm_actor_record(doc, ++actor, &behind);
    } while (more && !ll_get_uint(&behind, rgm_actor_ralc_count) && !ll_get_uint(&behind, rgm_actor_ralc_length));
    uint64_t end = more ? ll_get_uint(&behind, rgm_actor_ralc_offset) : places->length;
    uint64_t offset = there ? ll_get_uint(&head, rgm_actor_ralc_offset) : UINT32_MAX;
    uint64_t counted = offset + rgm_location_SIZE * count;
    bool length_good = places->sound && length % rgm_location_SIZE == 0 && ll_fits(offset, length, places->length);
    return length_good && counted != end && (offset + length == end || length == 0 || counted > places->length);
}

void rgm_check_ralc_length(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    ll_element actor;
    for (uint32_t i = 0; rgm_actor_record(doc, i, &actor); i++) {
        uint64_t count = ll_get_uint(&actor, rgm_actor_ralc_count);
        uint64_t length = ll_get_uint(&actor, rgm_actor_ralc_length);
        if (length == rgm_location_SIZE * count) {
            continue;
        }
        bool wrong = is_count_wrong(doc, i, count, length);
        ll_where count_at = rgm_actor_at(doc, i, rgm_actor_ralc_count);
        ll_where length_at = rgm_actor_at(doc, i, rgm_actor_ralc_length);
        uint64_t right = wrong ? length / rgm_location_SIZE : rgm_location_SIZE * count;
        ll_fault fault =
            LL_MAKE_FAULT(0, RGM_HINT_NONE, wrong ? count_at : length_at, wrong ? length_at : count_at,
                          ll_uint(wrong ? count : length), ll_uint(right), ll_uint(count), ll_uint(length));
        rgm_report_value(run, &fault, right);
    }
}
