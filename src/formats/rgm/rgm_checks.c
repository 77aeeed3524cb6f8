/* Named checks of actors: one record against another, and against the sections it points into. Every check is linear in
 * the file. */
#include "formats/rgm/rgm_check.h"

#include "model/value.h"

#include <string.h>

/* ------------------------------------------------------------------ shared */

bool rgm_table_open(ll_check_run *run, uint64_t keys, rgm_table *out)
{
    ll_allocator allocator = ll_arena_allocator(run->arena);
    *out = (rgm_table){.keys = keys <= SIZE_MAX ? ll_arena_alloc(run->arena, (size_t)keys, sizeof *out->keys) : NULL};
    if (!out->keys || !ll_map_open(&out->map, keys, keys, &allocator)) {
        run->status = LL_E_MEMORY;
        return false;
    }
    return true;
}

typedef struct sought_key {
    const rgm_table *table;
    const ll_sort_key *key;
} sought_key;

static bool is_same_key(const void *sought, uint32_t number)
{
    const sought_key *s = sought;
    const ll_sort_key *other = &s->table->keys[number];
    return other->first == s->key->first && other->second == s->key->second;
}

static uint64_t hash_of(const ll_sort_key *key)
{
    return ll_map_hash(ll_map_hash(key->first) ^ key->second);
}

uint32_t rgm_table_note(rgm_table *table, const ll_sort_key *key)
{
    uint32_t next = table->map.count;
    table->keys[next] = *key;
    uint32_t number = ll_map_note(&table->map, hash_of(key), next, is_same_key, &(sought_key){table, key});
    return number == LL_MAP_NONE ? LL_NO_INDEX : table->keys[number].item;
}

uint32_t rgm_table_find(const rgm_table *table, const ll_sort_key *key, bool *lost)
{
    uint32_t number = ll_map_find(&table->map, hash_of(key), is_same_key, &(sought_key){table, key});
    *lost = number == LL_MAP_NONE && table->map.lost;
    return number == LL_MAP_NONE ? LL_NO_INDEX : table->keys[number].item;
}

/* ------------------------------------------------------------------ names */

/* ------------------------------------------------------------------ lengths beside counts */

/* Two fields of one record: `field` should be 4 bytes for each of `count`. */
static void report_beside(ll_check_run *run, uint32_t actor, unsigned field, unsigned count)
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
        if (length && summary->actors[i].rasb_sound &&
            length != 4 * rgm_actor_get(run->doc, i, rgm_actor_num_strings)) {
            report_beside(run, i, rgm_actor_rasb_length, rgm_actor_num_strings);
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
        if (!fits && summary->actors[i].rava_sound) {
            report_beside(run, i, rgm_actor_rava_length, rgm_actor_num_variables);
        }
    }
}

/* ------------------------------------------------------------------ slices */

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
        bool wrong_count = is_count_wrong(doc, i, count, length);
        LL_REPORT_RELATED(run, RGM_HINT_NONE,
                          rgm_actor_at(doc, i, wrong_count ? rgm_actor_ralc_count : rgm_actor_ralc_length),
                          rgm_actor_at(doc, i, wrong_count ? rgm_actor_ralc_length : rgm_actor_ralc_count),
                          ll_uint(wrong_count ? count : length),
                          ll_uint(wrong_count ? length / rgm_location_SIZE : rgm_location_SIZE * count), ll_uint(count),
                          ll_uint(length));
    }
}

/* ------------------------------------------------------------------ offsets of nothing */

/* An offset into a section, and the fields that say what is there. */
typedef struct reference {
    uint8_t ordinal;
    uint8_t unit; /* bytes of an entry; 0: entries are of any size */
    uint8_t offset, count, size;
} reference;

/* Actors that have nothing in the section of a reference, and the places where those of others begin or end. */
typedef struct idle_actors {
    const rgm_section *section;
    const reference *ref;
    uint64_t last;    /* where the entries of the nearest actor in front that has any end */
    bool noted;       /* places is filled: not before an offset is met that nothing simpler explains */
    rgm_table places; /* only of a reference without a unit */
} idle_actors;

static bool has_none(const ll_doc *doc, uint32_t actor, const reference *ref)
{
    return rgm_actor_get(doc, actor, ref->count) == 0 && rgm_actor_get(doc, actor, ref->size) == 0;
}

/* What reports the size or offset as such has not been said already. */
static bool is_unjudged(const ll_doc *doc, uint32_t actor, unsigned ordinal)
{
    const rgm_actor_info *info = &rgm_summary_of(doc)->actors[actor];
    switch (ordinal) {
    case RGM_RASB:
        return info->rasb_sound;
    case RGM_RASC:
        return info->rasc_sound;
    case RGM_RAVA: /* rava-dup reports a copy that differs */
        return info->rava_sound && rgm_actor_get(doc, actor, rgm_actor_variable_offset) ==
                                       rgm_actor_get(doc, actor, rgm_actor_variable_offset_dup);
    default:
        return true;
    }
}

static bool note_places(ll_check_run *run, idle_actors *idle)
{
    uint32_t actors = rgm_summary_of(run->doc)->actor_count;
    if (idle->noted) {
        return true;
    }
    if (!rgm_table_open(run, 2 * (uint64_t)actors, &idle->places)) {
        return false;
    }
    for (uint32_t i = 0; i < actors; i++) {
        uint64_t start = rgm_actor_get(run->doc, i, idle->ref->offset);
        uint64_t end = start + rgm_actor_get(run->doc, i, idle->ref->size);
        if (!has_none(run->doc, i, idle->ref)) {
            (void)rgm_table_note(&idle->places, &(ll_sort_key){start, 0, i});
            (void)rgm_table_note(&idle->places, &(ll_sort_key){end, 0, i});
        }
    }
    idle->noted = true;
    return true;
}

/* Offsets of nothing are 0 or -1, or come from a tool that writes down where the next entry would be. Without memory
 * nothing is judged. */
static bool is_idle_offset(ll_check_run *run, idle_actors *idle, uint64_t offset)
{
    bool lost;
    if (offset == 0 || offset == UINT32_MAX || offset == idle->section->length || offset == idle->last) {
        return true;
    }
    if (idle->ref->unit) {
        return offset % idle->ref->unit == 0 && offset < idle->section->length;
    }
    return !note_places(run, idle) ||
           rgm_table_find(&idle->places, &(ll_sort_key){offset, 0, 0}, &lost) != LL_NO_INDEX || lost;
}

static void check_idle(ll_check_run *run, const reference *ref)
{
    const ll_doc *doc = run->doc;
    idle_actors idle = {.section = rgm_section_of(doc, ref->ordinal), .ref = ref};
    if (!rgm_is_sound(idle.section)) {
        return;
    }
    for (uint32_t i = 0; i < rgm_summary_of(doc)->actor_count; i++) {
        uint64_t offset = rgm_actor_get(doc, i, ref->offset);
        if (!has_none(doc, i, ref)) {
            idle.last = ref->unit ? 0 : offset + rgm_actor_get(doc, i, ref->size);
        } else if (is_unjudged(doc, i, ref->ordinal) && !is_idle_offset(run, &idle, offset)) {
            LL_REPORT_RELATED(run, RGM_HINT_NONE, rgm_actor_at(doc, i, ref->offset), rgm_length_at(doc, idle.section),
                              ll_uint(offset), ll_chars(ll_doc_span(doc, idle.section->span)->offset, 4),
                              ll_uint(idle.section->length));
        }
    }
}

void rgm_check_rahd_offset_unused(ll_check_run *run)
{
    static const reference references[] = {
        {RGM_RASB, rgm_string_offset_SIZE, rgm_actor_string_offsets_index, rgm_actor_num_strings,
         rgm_actor_num_strings},
        {RGM_RAVA, rgm_variable_SIZE, rgm_actor_variable_offset, rgm_actor_num_variables, rgm_actor_num_variables},
        {RGM_RASC, 0, rgm_actor_script_data_offset, rgm_actor_script_length, rgm_actor_script_length},
        {RGM_RAHK, rgm_hook_SIZE, rgm_actor_rahk_offset, rgm_actor_rahk_length, rgm_actor_rahk_length},
        {RGM_RALC, rgm_location_SIZE, rgm_actor_ralc_offset, rgm_actor_ralc_count, rgm_actor_ralc_length},
        {RGM_RAEX, rgm_extra_SIZE, rgm_actor_raex_offset, rgm_actor_raex_length, rgm_actor_raex_length},
        {RGM_RAAN, 0, rgm_actor_raan_offset, rgm_actor_raan_count, rgm_actor_raan_data_size},
        {RGM_RANM, 0, rgm_actor_ranm_offset, rgm_actor_ranm_length, rgm_actor_ranm_length},
    };
    for (unsigned i = 0; i < sizeof references / sizeof references[0] && run->status == LL_OK; i++) {
        check_idle(run, &references[i]);
    }
}

/* ------------------------------------------------------------------ extra values, attributes */

/* ------------------------------------------------------------------ bounds */
