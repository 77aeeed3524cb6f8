/* Named checks of actors: one record against another, and against the sections it points into. Every check is linear in
 * the file. */
#include "formats/rgm/rgm_check.h"

#include "model/value.h"

#include <string.h>

/* ------------------------------------------------------------------ shared */

ll_arg rgm_path_arg(ll_check_run *run, ll_where at)
{
    ll_text text;
    ll_text_init(&text, &run->arena->allocator);
    ll_path_text(run->doc, &at, &text);
    char *copy = text.failed ? NULL : ll_arena_copy(run->arena, text.data, text.length);
    if (!copy) {
        run->status = LL_E_MEMORY;
    }
    ll_text_free(&text);
    return ll_word(copy ? copy : "");
}

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

/* by_name has equal names side by side, in the order of the records. */
void rgm_check_rahd_duplicate_name(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_census *census = rgm_census_of(doc);
    uint32_t first = 0;
    for (uint32_t i = 1; i < census->actor_count && run->status == LL_OK; i++) {
        const ll_sort_key *a = &census->by_name[first];
        const ll_sort_key *b = &census->by_name[i];
        bool named = a->first || a->second;
        if (!named || a->first != b->first || a->second != b->second) {
            first = i;
            continue;
        }
        ll_fault fault = ll_fault_at(0, rgm_actor_at(doc, b->item, rgm_actor_script_name));
        fault.related = rgm_actor_at(doc, a->item, rgm_actor_script_name);
        fault.arg[0] = rgm_actor_name(doc, b->item);
        fault.arg[1] = rgm_path_arg(run, fault.related);
        ll_report_fault(run, &fault);
    }
}

/* ------------------------------------------------------------------ lengths beside counts */

/* Two fields of one record: `field` should be 4 bytes for each of `count`. */
static void report_beside(ll_check_run *run, uint32_t actor, unsigned field, unsigned count)
{
    ll_fault fault = ll_fault_at(0, rgm_actor_at(run->doc, actor, field));
    fault.related = rgm_actor_at(run->doc, actor, count);
    fault.arg[0] = ll_uint(rgm_actor_get(run->doc, actor, field));
    fault.arg[1] = ll_uint(4 * rgm_actor_get(run->doc, actor, count));
    ll_report_fault(run, &fault);
}

void rgm_check_rasb_length(ll_check_run *run)
{
    const rgm_census *census = rgm_census_of(run->doc);
    for (uint32_t i = 0; i < census->actor_count; i++) {
        uint64_t length = rgm_actor_get(run->doc, i, rgm_actor_rasb_length);
        if (length && census->actors[i].rasb_sound && length != 4 * rgm_actor_get(run->doc, i, rgm_actor_num_strings)) {
            report_beside(run, i, rgm_actor_rasb_length, rgm_actor_num_strings);
        }
    }
}

/* It is not known whether the length takes in all instances: both are let pass. */
void rgm_check_rava_length(ll_check_run *run)
{
    const rgm_census *census = rgm_census_of(run->doc);
    for (uint32_t i = 0; i < census->actor_count; i++) {
        uint64_t length = rgm_actor_get(run->doc, i, rgm_actor_rava_length);
        uint64_t one = 4 * rgm_actor_get(run->doc, i, rgm_actor_num_variables);
        bool fits = length == one || length == one * rgm_actor_get(run->doc, i, rgm_actor_instances);
        if (!fits && census->actors[i].rava_sound) {
            report_beside(run, i, rgm_actor_rava_length, rgm_actor_num_variables);
        }
    }
}

/* ------------------------------------------------------------------ slices */

/* A part of a section as an actor states it. */
typedef struct slice {
    uint64_t offset, size;
    unsigned offset_field, size_field;
} slice;

/* Says that a slice does not lie in its section. `before`: where the slice before it ended; one that begins there (a
 * word may stand between) is too long, another one begins at the wrong place. */
static void report_outside(ll_check_run *run, uint32_t actor, const slice *s, const rgm_section *section,
                           uint64_t before)
{
    bool follows = s->offset >= before && s->offset - before <= 4 && s->offset <= section->length;
    bool too_long = s->size > section->length || follows;
    ll_fault fault = ll_fault_at(0, rgm_actor_at(run->doc, actor, too_long ? s->size_field : s->offset_field));
    fault.related = rgm_length_at(run->doc, section);
    fault.arg[0] = ll_uint(s->offset);
    fault.arg[1] = ll_uint(s->offset + s->size);
    fault.arg[2] = ll_uint(section->length);
    ll_report_fault(run, &fault);
}

void rgm_check_rahk_range(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_section *hooks = rgm_section_of(doc, RGM_RAHK);
    uint64_t before = 0;
    for (uint32_t i = 0; rgm_is_sound(hooks) && i < rgm_census_of(doc)->actor_count; i++) {
        slice s = {rgm_actor_get(doc, i, rgm_actor_rahk_offset), rgm_actor_get(doc, i, rgm_actor_rahk_length),
                   rgm_actor_rahk_offset, rgm_actor_rahk_length};
        if (s.size && !ll_fits(s.offset, s.size, hooks->length)) {
            report_outside(run, i, &s, hooks, before);
        } else if (s.size) {
            before = s.offset + s.size;
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
    uint32_t actors = rgm_census_of(doc)->actor_count;
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

void rgm_check_ralc_range(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_section *places = rgm_section_of(doc, RGM_RALC);
    uint64_t before = 0;
    for (uint32_t i = 0; rgm_is_sound(places) && i < rgm_census_of(doc)->actor_count; i++) {
        uint64_t count = rgm_actor_get(doc, i, rgm_actor_ralc_count);
        slice s = {rgm_actor_get(doc, i, rgm_actor_ralc_offset), rgm_actor_get(doc, i, rgm_actor_ralc_length),
                   rgm_actor_ralc_offset, rgm_actor_ralc_length};
        if (s.size != rgm_location_SIZE * count && !is_count_wrong(doc, i, count, s.size)) {
            s.size = rgm_location_SIZE * count; /* ralc_length speaks of the other one */
        }
        if (s.size && s.offset % rgm_location_SIZE == 0 && !ll_fits(s.offset, s.size, places->length)) {
            report_outside(run, i, &s, places, before);
        } else if (s.size) {
            before = s.offset + s.size;
        }
    }
}

void rgm_check_ralc_length(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    for (uint32_t i = 0; i < rgm_census_of(doc)->actor_count; i++) {
        uint64_t count = rgm_actor_get(doc, i, rgm_actor_ralc_count);
        uint64_t length = rgm_actor_get(doc, i, rgm_actor_ralc_length);
        if (length == rgm_location_SIZE * count) {
            continue;
        }
        bool wrong_count = is_count_wrong(doc, i, count, length);
        ll_fault fault =
            ll_fault_at(0, rgm_actor_at(doc, i, wrong_count ? rgm_actor_ralc_count : rgm_actor_ralc_length));
        fault.related = rgm_actor_at(doc, i, wrong_count ? rgm_actor_ralc_length : rgm_actor_ralc_count);
        fault.arg[0] = ll_uint(wrong_count ? count : length);
        fault.arg[1] = ll_uint(wrong_count ? length / rgm_location_SIZE : rgm_location_SIZE * count);
        fault.arg[2] = ll_uint(count);
        fault.arg[3] = ll_uint(length);
        ll_report_fault(run, &fault);
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

/* What speaks of the size or offset as such has not been said already. */
static bool is_unjudged(const ll_doc *doc, uint32_t actor, unsigned ordinal)
{
    const rgm_actor_info *info = &rgm_census_of(doc)->actors[actor];
    switch (ordinal) {
    case RGM_RASB:
        return info->rasb_sound;
    case RGM_RASC:
        return info->rasc_sound;
    case RGM_RAVA: /* rava-dup speaks of a copy that differs */
        return info->rava_sound && rgm_actor_get(doc, actor, rgm_actor_variable_offset) ==
                                       rgm_actor_get(doc, actor, rgm_actor_variable_offset_dup);
    default:
        return true;
    }
}

static bool note_places(ll_check_run *run, idle_actors *idle)
{
    uint32_t actors = rgm_census_of(run->doc)->actor_count;
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
    for (uint32_t i = 0; i < rgm_census_of(doc)->actor_count; i++) {
        uint64_t offset = rgm_actor_get(doc, i, ref->offset);
        if (!has_none(doc, i, ref)) {
            idle.last = ref->unit ? 0 : offset + rgm_actor_get(doc, i, ref->size);
        } else if (is_unjudged(doc, i, ref->ordinal) && !is_idle_offset(run, &idle, offset)) {
            ll_fault fault = ll_fault_at(0, rgm_actor_at(doc, i, ref->offset));
            fault.related = rgm_length_at(doc, idle.section);
            fault.arg[0] = ll_uint(offset);
            fault.arg[1] = ll_chars(ll_doc_span(doc, idle.section->span)->offset, 4);
            fault.arg[2] = ll_uint(idle.section->length);
            ll_report_fault(run, &fault);
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

void rgm_check_raex_range(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    const rgm_section *extras = rgm_section_of(doc, RGM_RAEX);
    for (uint32_t i = 0; rgm_is_sound(extras) && i < rgm_census_of(doc)->actor_count; i++) {
        uint64_t offset = rgm_actor_get(doc, i, rgm_actor_raex_offset);
        if (rgm_actor_get(doc, i, rgm_actor_raex_length) && !ll_fits(offset, rgm_extra_SIZE, extras->length)) {
            ll_fault fault = ll_fault_at(0, rgm_actor_at(doc, i, rgm_actor_raex_offset));
            fault.related = rgm_length_at(doc, extras);
            fault.arg[0] = ll_uint(offset);
            fault.arg[1] = ll_uint(offset + rgm_extra_SIZE);
            fault.arg[2] = ll_uint(extras->length);
            ll_report_fault(run, &fault);
        }
    }
}

/* An offset of one entry of `size` bytes for every actor. */
static void check_order(ll_check_run *run, uint32_t actor, unsigned field, uint64_t size)
{
    uint64_t offset = rgm_actor_get(run->doc, actor, field);
    if (offset != size * actor) {
        ll_fault fault = ll_fault_at(0, rgm_actor_at(run->doc, actor, field));
        fault.arg[0] = ll_uint(offset);
        fault.arg[1] = ll_uint(size * actor);
        ll_report_fault(run, &fault);
    }
}

void rgm_check_raex_order(ll_check_run *run)
{
    const ll_doc *doc = run->doc;
    for (uint32_t i = 0; i < rgm_census_of(doc)->actor_count; i++) {
        if (rgm_actor_get(doc, i, rgm_actor_raex_length)) {
            check_order(run, i, rgm_actor_raex_offset, rgm_extra_SIZE);
        }
    }
}

void rgm_check_raat_offset(ll_check_run *run)
{
    for (uint32_t i = 0; i < rgm_census_of(run->doc)->actor_count; i++) {
        check_order(run, i, rgm_actor_raat_offset, rgm_attribute_set_SIZE);
    }
}

/* An actor's field and the field of its RAEX entry that should agree with it. Of an actor that has another one's entry
 * raex_order speaks. */
typedef struct extra_pair {
    int64_t own, other;
    ll_where related;
} extra_pair;

static bool read_pair(const ll_doc *doc, uint32_t actor, unsigned own, unsigned other, extra_pair *out)
{
    const rgm_section *extras = rgm_section_of(doc, RGM_RAEX);
    uint64_t offset = rgm_actor_get(doc, actor, rgm_actor_raex_offset);
    if (!rgm_is_sound(extras) || !rgm_actor_get(doc, actor, rgm_actor_raex_length) || actor >= extras->count ||
        offset != (uint64_t)rgm_extra_SIZE * actor) {
        return false;
    }
    out->own = rgm_actor_int(doc, actor, own);
    out->other = (int64_t)ll_get_number(doc, extras->records, actor, other, 0);
    out->related = ll_at_field(doc, extras->records, actor, other);
    return true;
}

/* Raises at the RAEX entry or at the actor; {0} is always the value at the place. */
static void report_pair(ll_check_run *run, uint32_t actor, unsigned own, const extra_pair *pair, bool at_entry)
{
    ll_where field = rgm_actor_at(run->doc, actor, own);
    ll_fault fault = ll_fault_at(0, at_entry ? pair->related : field);
    fault.related = at_entry ? field : pair->related;
    fault.arg[0] = ll_int(at_entry ? pair->other : pair->own);
    fault.arg[1] = ll_int(at_entry ? pair->own : pair->other);
    fault.arg[2] = rgm_actor_name(run->doc, actor);
    ll_report_fault(run, &fault);
}

/* Only things that move have both. */
void rgm_check_raex_frame_ref(ll_check_run *run)
{
    extra_pair pair;
    for (uint32_t i = 0; i < rgm_census_of(run->doc)->actor_count; i++) {
        if (read_pair(run->doc, i, rgm_actor_frame_count, rgm_extra_frame_ref, &pair) && pair.own > 0 &&
            pair.other > 0 && pair.own != pair.other) {
            report_pair(run, i, rgm_actor_frame_count, &pair, true);
        }
    }
}

void rgm_check_raex_stat(ll_check_run *run)
{
    extra_pair pair;
    for (uint32_t i = 0; i < rgm_census_of(run->doc)->actor_count; i++) {
        if (read_pair(run->doc, i, rgm_actor_raex_stat, rgm_extra_stat, &pair) && pair.own != -1 &&
            pair.own != pair.other) {
            report_pair(run, i, rgm_actor_raex_stat, &pair, false);
        }
    }
}

void rgm_check_raex_texture(ll_check_run *run)
{
    extra_pair pair;
    for (uint32_t i = 0; i < rgm_census_of(run->doc)->actor_count; i++) {
        if (read_pair(run->doc, i, rgm_actor_texture_id, rgm_extra_texture, &pair) && pair.own > 0 && pair.other > 0 &&
            pair.own != pair.other) {
            report_pair(run, i, rgm_actor_texture_id, &pair, false);
        }
    }
}

/* 127 and up have no names and no use. */
void rgm_check_raat_unnamed(ll_check_run *run)
{
    enum { NAMED = 127, UNNAMED = rgm_attribute_set_SIZE - NAMED };
    static const uint8_t none[UNNAMED];
    const ll_doc *doc = run->doc;
    const ll_span *span = ll_doc_span(doc, run->span);
    const uint8_t *set = ll_doc_at(doc, span->offset);
    for (uint32_t i = 0; i < span->count; i++, set += rgm_attribute_set_SIZE) {
        if (memcmp(set + NAMED, none, UNNAMED) == 0) {
            continue;
        }
        for (uint32_t k = NAMED; k < rgm_attribute_set_SIZE; k++) {
            if (set[k]) {
                ll_fault fault = ll_fault_at(0, ll_at_field(doc, run->span, i, rgm_attribute_set_attributes));
                fault.at.part = (uint16_t)k;
                fault.at.offset += k;
                fault.at.length = 1;
                fault.arg[0] = ll_uint(set[k]);
                fault.arg[1] = ll_uint(k);
                ll_report_fault(run, &fault);
            }
        }
    }
}

/* ------------------------------------------------------------------ bounds */

void rgm_check_mpsz_index(ll_check_run *run)
{
    static const uint8_t fields[] = {rgm_actor_mpsz_normal, rgm_actor_mpsz_combat, rgm_actor_mpsz_dead};
    const ll_doc *doc = run->doc;
    const rgm_section *bounds = rgm_section_of(doc, RGM_MPSZ);
    for (uint32_t i = 0; rgm_is_sound(bounds) && i < rgm_census_of(doc)->actor_count; i++) {
        for (unsigned k = 0; k < sizeof fields; k++) {
            int64_t index = rgm_actor_int(doc, i, fields[k]);
            if (index < -1 || index >= (int64_t)bounds->count) {
                ll_fault fault = ll_fault_at(0, rgm_actor_at(doc, i, fields[k]));
                fault.related = rgm_length_at(doc, bounds);
                fault.arg[0] = ll_int(index);
                fault.arg[1] = ll_uint(bounds->count);
                ll_report_fault(run, &fault);
            }
        }
    }
}
