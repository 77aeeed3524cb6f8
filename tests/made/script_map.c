#include "script_map.h"

#include "formats/rgm/rgm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREAMBLE_BYTES = 4, FLAT_BYTES = 1111, ATTRIBUTE_BYTES = 256, TEXT_BYTES = 4, GROUP_LAST = 177 };

void map_parts_add(map_parts *parts, const made_script *script)
{
    if (parts->count == parts->capacity) {
        parts->capacity = parts->capacity * 2 + 64;
        parts->items = realloc(parts->items, parts->capacity * sizeof *parts->items);
        if (!parts->items) {
            die("memory");
        }
    }
    size_t at = grow(&parts->code, script->code.size);
    memcpy(parts->code.bytes + at, script->code.bytes, script->code.size);
    parts->items[parts->count++] =
        (map_part){(uint32_t)at, (uint32_t)script->code.size, script->pc, script->strings, script->variables};
}

void release_map_parts(map_parts *parts)
{
    free(parts->code.bytes);
    free(parts->items);
    *parts = (map_parts){0};
}

/* Totals over the actors so far. */
typedef struct totals {
    uint32_t strings, variables, most_strings;
} totals;

static totals put_actors(image *file, const map_parts *parts)
{
    totals sum = {0};
    size_t at = put_headers(file, (uint32_t)parts->count);
    for (uint32_t i = 0; i < parts->count; i++, at += rgm_actor_SIZE) {
        const map_part *part = &parts->items[i];
        static const size_t none[] = {rgm_actor_at_mpsz_normal, rgm_actor_at_mpsz_combat, rgm_actor_at_mpsz_dead,
                                      rgm_actor_at_ravc_offset};
        put_name(file, at + rgm_actor_at_script_name, i);
        put(file, at + rgm_actor_at_instances, 2, 1);
        put(file, at + rgm_actor_at_raat_offset, 4, (uint64_t)ATTRIBUTE_BYTES * i);
        put(file, at + rgm_actor_at_ragr_max_group, 4, GROUP_LAST);
        put(file, at + rgm_actor_at_num_strings, 4, part->strings);
        put(file, at + rgm_actor_at_string_offsets_index, 4, 4 * (uint64_t)sum.strings);
        put(file, at + rgm_actor_at_script_length, 4, part->length);
        put(file, at + rgm_actor_at_script_data_offset, 4, PREAMBLE_BYTES + (uint64_t)part->offset);
        put(file, at + rgm_actor_at_script_pc, 4, part->pc);
        put(file, at + rgm_actor_at_raex_length, 4, rgm_extra_SIZE);
        put(file, at + rgm_actor_at_raex_offset, 4, (uint64_t)rgm_extra_SIZE * i);
        put(file, at + rgm_actor_at_num_variables, 4, part->variables);
        put(file, at + rgm_actor_at_rava_length, 4, 4 * (uint64_t)part->variables);
        put(file, at + rgm_actor_at_variable_offset, 4, 4 * (1 + (uint64_t)sum.variables));
        put(file, at + rgm_actor_at_variable_offset_dup, 4, 4 * (1 + (uint64_t)sum.variables));
        for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
            put(file, at + none[k], 4, UINT32_MAX);
        }
        put(file, at + rgm_actor_at_raex_stat, 2, UINT16_MAX);
        put(file, at + rgm_actor_at_reserved, 2, UINT16_MAX);
        sum.strings += part->strings;
        sum.variables += part->variables;
        sum.most_strings = part->strings > sum.most_strings ? part->strings : sum.most_strings;
    }
    return sum;
}

/* RAST and RASB: string k is the same for every actor. */
static void put_strings(image *file, const map_parts *parts, totals sum)
{
    size_t at = put_array(file, "RAST", 0, sum.most_strings, TEXT_BYTES);
    for (uint32_t i = 0; i < sum.most_strings; i++) {
        char text[TEXT_BYTES + 8];
        (void)snprintf(text, sizeof text, "s%02u", i % 100);
        memcpy(file->bytes + at + (size_t)i * TEXT_BYTES, text, TEXT_BYTES - 1);
    }
    at = put_array(file, "RASB", 0, sum.strings, rgm_string_offset_SIZE);
    for (size_t i = 0; i < parts->count; i++) {
        for (uint32_t k = 0; k < parts->items[i].strings; k++, at += rgm_string_offset_SIZE) {
            put(file, at, 4, (uint64_t)k * TEXT_BYTES);
        }
    }
}

/* RAGR: one list for all actors. */
static void put_groups(image *file)
{
    static const uint8_t groups[SCRIPT_GROUP_COUNT] = SCRIPT_GROUPS;
    size_t at = open_section(file, "RAGR");
    for (size_t i = 0; i < SCRIPT_GROUP_COUNT; i++) {
        size_t group = grow(file, rgm_group_SIZE + rgm_command_SIZE);
        put(file, group + rgm_group_at_entry_size, 2, 8 + rgm_command_SIZE);
        put(file, group + rgm_group_at_group_index, 2, groups[i]);
        put(file, group + rgm_group_at_anim_id, 2, 3);
        put(file, group + rgm_group_at_frame_count, 2, 1);
        put(file, group + rgm_group_SIZE, 1, 1); /* end command */
    }
    (void)grow(file, rgm_group_end_SIZE);
    close_section(file, at);
}

static void put_objects(image *file, uint32_t count)
{
    size_t at = put_array(file, "MPOB", rgm_count_SIZE, count, rgm_object_SIZE);
    for (uint32_t i = 0; i < count; i++, at += rgm_object_SIZE) {
        put(file, at + rgm_object_at_id, 4, i);
        put(file, at + rgm_object_at_object_type, 1, 1);
        put_name(file, at + rgm_object_at_script_name, i);
        memcpy(file->bytes + at + rgm_object_at_model_name, "CRATE.3D", NAME_BYTES);
    }
}

size_t make_script_map(image *file, const map_parts *parts)
{
    static const struct {
        const char *tag;
        size_t record;
    } empty[] = {{"MPRP", rgm_rope_SIZE},
                 {"MPSO", rgm_static_object_SIZE},
                 {"MPSL", rgm_light_SIZE},
                 {"MPSF", rgm_flat_object_SIZE},
                 {"MPMK", rgm_marker_SIZE}};
    uint32_t count = (uint32_t)parts->count;
    file->size = 0;
    totals sum = put_actors(file, parts);
    (void)put_array(file, "RAFS", 0, 1, rgm_rafs_byte_SIZE);
    put_strings(file, parts, sum);
    (void)put_array(file, "RAVA", 0, 1 + sum.variables, rgm_variable_SIZE);
    size_t section = open_section(file, "RASC");
    size_t code = grow(file, PREAMBLE_BYTES + parts->code.size) + PREAMBLE_BYTES;
    memcpy(file->bytes + code, parts->code.bytes, parts->code.size);
    close_section(file, section);
    (void)put_array(file, "RAHK", 0, 1, rgm_hook_SIZE);
    (void)put_array(file, "RALC", 0, 0, rgm_location_SIZE);
    (void)put_array(file, "RAEX", 0, count, rgm_extra_SIZE);
    (void)put_array(file, "RAAT", 0, count, rgm_attribute_set_SIZE);
    (void)put_array(file, "RAAN", 0, 0, rgm_model_file_SIZE);
    put_groups(file);
    (void)put_array(file, "RANM", 0, 0, 1);
    put_objects(file, count);
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
        (void)put_array(file, empty[i].tag, rgm_count_SIZE, 0, empty[i].record);
    }
    (void)put_array(file, "MPSZ", 0, 0, rgm_bounds_SIZE);
    (void)put_array(file, "WDNM", rgm_count_SIZE, 0, rgm_walk_map_SIZE);
    (void)put_array(file, "FLAT", 0, 1, FLAT_BYTES);
    put_end(file);
    return code;
}
