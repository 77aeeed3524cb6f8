/* Writes the inputs of the benchmark: clean files, and files with ten findings each. Deterministic. Uses only layout
 * and name hash of the project; bench.py lets the program check whether the files are clean.
 *
 *   make_inputs FOLDER FILES BIG_BYTES
 *
 * makes FOLDER/clean/NNN/NNNN.grxla (1.8 kB on average), FOLDER/short/NNN/NNNN.grxla (0.45 kB) and
 * FOLDER/faulty/NNN/NNNN.grxla, FILES of each, 40 per directory; FOLDER/big.grxla, FOLDER/damaged.grxla (the same
 * with one fault that has a safe patch), FOLDER/quarter.grxla (a quarter as large), FOLDER/big.mrea (Prime 1),
 * FOLDER/raw.mrea and FOLDER/packed.mrea (Prime 2, the latter only with liblzo2), FOLDER/big.rgm, FOLDER/code.rgm,
 * FOLDER/small.grxla (288 bytes). No section of an area has more than BIG_BYTES unpacked: lightlint unpacks at most
 * 64 MiB. */
#include "base/ints.h"
#include "formats/grx/grx.h"
#include "formats/mrea/mrea.h"
#include "formats/rgm/rgm.h"
#include "formats/strcode.h"
#include "made/image.h"
#include "made/script_map.h"

#if LIGHTLINT_WITH_LZO
#include <lzo/lzo1x.h>
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DIRECTORY_FILES = 40 };
enum { SMALL_BYTES = 288, LIGHTS_MAX = 24, FAULTS = 10, PATH_MAX_BYTES = 4096 };

static const char DATASET[] = "/Assets/tpp/level/location/bench/yard.fox2";

/* Adds the fixed part of an entry and its name. The name block has the same offset in all entries. */
static size_t put_named(image *file, const char *tag, size_t fixed, const char *name)
{
    size_t length = strlen(name);
    size_t at = grow(file, fixed + (length + 4) / 4 * 4);
    memcpy(file->bytes + at, tag, 4);
    put(file, at + grx_dataset_at_name_hash, 8, ll_strcode64((const uint8_t *)name, length));
    put(file, at + grx_dataset_at_name_offset, 4, fixed - grx_dataset_at_name_offset);
    memcpy(file->bytes + at + fixed, name, length);
    return at;
}

static void close_entry(image *file, size_t at)
{
    put(file, at + grx_unknown_entry_at_entry_size, 4, file->size - at);
}

static void open_file(image *file)
{
    file->size = 0;
    size_t at = grow(file, grx_header_SIZE);
    memcpy(file->bytes + at, "FGxL", 4);
    put(file, at + grx_header_at_first_entry_offset, 4, grx_header_SIZE);
    put(file, at + grx_header_at_version, 4, 1);
    close_entry(file, put_named(file, "CM00", grx_dataset_SIZE, DATASET));
}

static void close_file(image *file)
{
    size_t at = grow(file, grx_terminator_SIZE);
    put(file, at + grx_terminator_at_entry_size, 4, grx_terminator_SIZE);
}

/* ------------------------------------------------------------------ lights */

static const uint32_t ONE = 0x3F800000; /* floats and half floats are given as bits */

static void put_area(image *file, size_t light, size_t field)
{
    static const uint32_t area[] = {0x41200000, 0x41000000, 0x41200000, 0,          0,
                                    0,          ONE,        0x41400000, 0x40400000, 0xC2200000};
    size_t at = grow(file, grx_light_area_SIZE);
    put(file, light + field, 4, at - light - field);
    put_row(file, at, 4, area, sizeof area / sizeof area[0]);
}

static void put_place(image *file, size_t at, unsigned number)
{
    uint32_t place[] = {0x41000000 + number * 64 % 0x800000, 0x40600000, 0xC2200000 - number * 16 % 0x100000};
    put_row(file, at, 4, place, 3);
}

static size_t put_point(image *file, const char *name, unsigned number, bool area)
{
    static const uint32_t values[] = {0x4A00, 0x4000, 0,      0x3C00, 0x3800,
                                      0x3400, 0x3C00, 0x6C65, 0x251F}; /* starting with outer_range */
    size_t at = put_named(file, "PL03", grx_point_light_SIZE, name);
    put(file, at + grx_point_light_at_light_flags, 4, 9);
    put(file, at + grx_point_light_at_unknown_14, 4, 3);
    put_place(file, at + grx_point_light_at_translation, number);
    put_row(file, at + grx_point_light_at_outer_range, 2, values, sizeof values / sizeof values[0]);
    put(file, at + grx_point_light_at_lumen, 4, 0x453B8000);
    put(file, at + grx_point_light_at_shadow_bias, 2, 0x3C00);
    put(file, at + grx_point_light_at_lod_shadow_draw_rate, 2, 0x3C00);
    put(file, at + grx_point_light_at_lod_far_size, 2, 0x4100);
    put(file, at + grx_point_light_at_lod_near_size, 2, 0x4900);
    put(file, at + grx_point_light_at_lod_radius_level, 4, number % 8);
    if (area) {
        put_area(file, at, grx_point_light_at_light_area_offset);
    }
    close_entry(file, at);
    return at;
}

static void put_spot(image *file, const char *name, unsigned number)
{
    static const uint32_t down[] = {0, 0xBF800000, 0, 0, 0, 0, ONE}; /* reach_point, rotation */
    static const uint32_t values[] = {0x4B80, 0x3C00, 0x55A0, 0x4F80, 0x3CCD, 0,
                                      0x3C00, 0x3800, 0x3400, 0x3C00, 0x6C65, 0x251F};
    static const uint32_t shadow[] = {0,      0x5500, 0x51A0, 0x3CCD, 0xAA66,
                                      0xAA66, 0x3C00, 0x4100, 0x4900}; /* starting with light_size */
    size_t at = put_named(file, "SL03", grx_spot_light_SIZE, name);
    put(file, at + grx_spot_light_at_light_flags, 4, 9);
    put(file, at + grx_spot_light_at_unknown_14, 4, 3);
    put_place(file, at + grx_spot_light_at_translation, number);
    put_row(file, at + grx_spot_light_at_reach_point, 4, down, sizeof down / sizeof down[0]);
    put_row(file, at + grx_spot_light_at_outer_range, 2, values, sizeof values / sizeof values[0]);
    put(file, at + grx_spot_light_at_lumen, 4, 0x453B8000);
    put_row(file, at + grx_spot_light_at_light_size, 2, shadow, sizeof shadow / sizeof shadow[0]);
    put(file, at + grx_spot_light_at_lod_radius_level, 4, number % 8);
    close_entry(file, at);
}

/* Adds `count` lights with unique names, about a third of them spot lights. Returns the offset of the first one. */
static size_t put_lights(image *file, unsigned first, unsigned count)
{
    size_t start = file->size;
    for (unsigned i = 0; i < count; i++) {
        char name[32];
        bool spot = i >= count - count / 3; /* after the point lights, as in real files */
        (void)snprintf(name, sizeof name, "%s_yard_%0*u", spot ? "SL" : "PL", 3 + (int)(i % 4), first + i);
        if (spot) {
            put_spot(file, name, first + i);
        } else {
            (void)put_point(file, name, first + i, i % 2 == 0);
        }
    }
    return start;
}

/* ------------------------------------------------------------------ files */

static void clean_file(image *file, unsigned number)
{
    open_file(file);
    (void)put_lights(file, number, 1 + number * 7 % LIGHTS_MAX);
    close_file(file);
}

/* A file with one to four lights. */
static void short_file(image *file, unsigned number)
{
    open_file(file);
    (void)put_lights(file, number, 1 + number % 4);
    close_file(file);
}

/* A file with ten lights, each with one fault: two with a patch, one that compares two fields, one of a vector, one
 * of a name. */
static void faulty_file(image *file, unsigned number)
{
    open_file(file);
    for (unsigned i = 0; i < FAULTS; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, i % 5 == 4 ? "PL yard %03u" : "PL_yard_%03u", i);
        size_t at = put_point(file, name, number + i, false);
        switch (i % 5) {
        case 0:
            put(file, at + grx_point_light_at_name_reserved, 4, number + 1);
            break;
        case 1:
            put(file, at + grx_point_light_at_padding_4a, 2, 1);
            break;
        case 2:
            put(file, at + grx_point_light_at_inner_range, 2, 0x5000);
            break;
        case 3:
            put(file, at + grx_point_light_at_translation + 4, 4, 0x7F800000);
            break;
        default:
            break;
        }
    }
    close_file(file);
}

/* A file with one light, whose name fills the file. */
static void small_file(image *file)
{
    char name[SMALL_BYTES] = "PL_";
    open_file(file);
    size_t left = SMALL_BYTES - file->size - grx_point_light_SIZE - grx_light_area_SIZE - grx_terminator_SIZE;
    memset(name + 3, 'a', left - 1 - 3);
    (void)put_point(file, name, 1, true);
    close_file(file);
}

/* A file of about `bytes` bytes. Returns the offset of the last light. */
static size_t big_file(image *file, size_t bytes)
{
    enum { LIGHTS_AT_ONCE = 64 };
    unsigned first = 0;
    size_t light = 0;
    open_file(file);
    for (; file->size + LIGHTS_AT_ONCE * 256 < bytes; first += LIGHTS_AT_ONCE) {
        for (unsigned i = 0; i < LIGHTS_AT_ONCE; i++) {
            char name[32];
            (void)snprintf(name, sizeof name, "PL_yard_%08u", first + i);
            light = put_point(file, name, first + i, i % 2 == 0);
        }
    }
    close_file(file);
    return light;
}

/* ------------------------------------------------------------------ areas */

static void put_area_light(image *file, size_t at, uint32_t type, uint32_t number)
{
    put_be(file, at + mrea_light_at_type, type);
    for (size_t i = 0; i < 3; i++) {
        put_be(file, at + mrea_light_at_color + 4 * i, 0x3F000000);
        put_be(file, at + mrea_light_at_position + 4 * i, 0x41000000 + number * (uint32_t)(i + 1) % 0x1000000);
    }
    put_be(file, at + mrea_light_at_direction, ONE);
    put_be(file, at + mrea_light_at_brightness, ONE);
    put_be(file, at + mrea_light_at_spot_cutoff, 0x42340000);
    file->bytes[at + mrea_light_at_cast_shadows] = (uint8_t)(number % 2);
    put_be(file, at + mrea_light_at_falloff_type, type ? number % 3 : 0);
}

/* Writes a lights section: an ambient light, then spot and custom lights, in one layer. */
static void put_area_lights(image *file, size_t at, uint32_t count)
{
    put_be(file, at, MREA_LIGHTS_MAGIC);
    put_be(file, at + mrea_lights_SIZE, count);
    at += mrea_lights_SIZE + mrea_layer_SIZE;
    for (uint32_t i = 0; i < count; i++, at += mrea_light_SIZE) {
        put_area_light(file, at, i ? 2 + i % 2 : 0, i);
    }
}

/* Number of lights in a section that has at most `bytes` bytes with counts and padding. */
static uint32_t lights_in(size_t bytes)
{
    return (uint32_t)((bytes - mrea_lights_SIZE - 2 * mrea_layer_SIZE - MREA_ALIGNMENT) / mrea_light_SIZE);
}

/* An area of Prime 1 that is nearly all lights section, of at most `bytes` bytes. */
static void big_area(image *file, size_t bytes)
{
    enum { SECTIONS = 8, LIGHTS = 5, VISIBILITY = 6, STUB = 32, TABLE = SECTIONS * mrea_section_size_SIZE };
    static const uint32_t indices[] = {0, 2, 3, 4, LIGHTS, 6, 7, 1};
    uint32_t count = lights_in(bytes);
    size_t lights =
        (size_t)ll_align_up(mrea_lights_SIZE + 2 * mrea_layer_SIZE + (uint64_t)count * mrea_light_SIZE, MREA_ALIGNMENT);
    file->size = 0;
    (void)grow(file, mrea_header_mp1_SIZE + TABLE + (SECTIONS - 2) * STUB + lights);
    put_be(file, mrea_header_mp1_at_magic, MREA_MAGIC);
    put_be(file, mrea_header_mp1_at_version, 0xF);
    for (size_t i = 0; i < 3; i++) {
        put_be(file, mrea_header_mp1_at_transform + 20 * i, ONE);
    }
    put_be(file, mrea_header_mp1_at_section_count, SECTIONS);
    for (size_t i = 0; i < SECTIONS; i++) {
        put_be(file, mrea_header_mp1_at_geometry_index + 4 * i, indices[i]);
        put_be(file, mrea_header_mp1_SIZE + 4 * i, i == LIGHTS ? (uint32_t)lights : i == VISIBILITY ? 0U : STUB);
    }
    size_t at = mrea_header_mp1_SIZE + TABLE + LIGHTS * STUB;
    put_area_lights(file, at, count);
}

/* Packs the bytes from `at` to the end of the file into a block. Returns their number without the leading padding. */
static size_t pack(image *file, size_t at)
{
#if LIGHTLINT_WITH_LZO
    enum { SEGMENT = 0x4000, WORST = SEGMENT + SEGMENT / 16 + 67 };
    image packed = {NULL, 0, 0};
    uint8_t *work = malloc(LZO1X_1_MEM_COMPRESS);
    if (!work || lzo_init() != LZO_E_OK) {
        die("liblzo2");
    }
    for (size_t from = at; from < file->size; from += SEGMENT) {
        size_t n = file->size - from < SEGMENT ? file->size - from : SEGMENT;
        size_t to = grow(&packed, 2 + WORST);
        lzo_uint used = 0;
        (void)lzo1x_1_compress(file->bytes + from, n, packed.bytes + to + 2, &used, work);
        packed.bytes[to] = (uint8_t)(used >> 8);
        packed.bytes[to + 1] = (uint8_t)used;
        packed.size = to + 2 + used;
    }
    size_t size = packed.size;
    size_t aligned = (size_t)ll_align_up(size, MREA_ALIGNMENT);
    file->size = at;
    (void)grow(file, aligned);
    memcpy(file->bytes + at + aligned - size, packed.bytes, size);
    free(work);
    free(packed.bytes);
    return size;
#else
    (void)file;
    (void)at;
    return 0;
#endif
}

/* An area of Prime 2 whose lights, of at most `bytes` bytes, have a block of their own. */
static void big_area_mp2(image *file, size_t bytes, bool packed)
{
    enum { SECTIONS = 13, LIGHTS = 8, VISIBILITY = 9, STUB = 32, BLOCKS = 6, HEADER = 0x80, SIZES = 0x40 };
    static const uint32_t indices[] = {0, 4, 5, 6, 7, LIGHTS, VISIBILITY, 10, 3, 11, 12};
    static const uint32_t block_sections[BLOCKS] = {4, 1, 1, 2, 1, 4};
    static const uint32_t block_stubs[BLOCKS] = {4, 1, 1, 2, 0, 3};
    uint32_t count = lights_in(bytes);
    size_t lights =
        (size_t)ll_align_up(mrea_lights_SIZE + 2 * mrea_layer_SIZE + (uint64_t)count * mrea_light_SIZE, MREA_ALIGNMENT);
    file->size = 0;
    size_t at = grow(file, HEADER + SIZES + BLOCKS * mrea_block_row_SIZE + LIGHTS * STUB);
    (void)grow(file, lights);
    put_be(file, mrea_header_mp2_at_magic, MREA_MAGIC);
    put_be(file, mrea_header_mp2_at_version, 0x19);
    for (size_t i = 0; i < 3; i++) {
        put_be(file, mrea_header_mp2_at_transform + 20 * i, ONE);
    }
    put_be(file, mrea_header_mp2_at_script_layer_count, 1);
    put_be(file, mrea_header_mp2_at_section_count, SECTIONS);
    put_be(file, mrea_header_mp2_at_block_count, BLOCKS);
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
        put_be(file, mrea_header_mp2_at_geometry_index + 4 * i, indices[i]);
    }
    for (size_t i = 0; i < SECTIONS; i++) {
        put_be(file, HEADER + 4 * i, i == LIGHTS ? (uint32_t)lights : i == VISIBILITY ? 0U : STUB);
    }
    at = HEADER + SIZES + BLOCKS * mrea_block_row_SIZE + LIGHTS * STUB;
    put_area_lights(file, at, count);
    size_t stored = packed ? pack(file, at) : 0;
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t row = HEADER + SIZES + i * mrea_block_row_SIZE;
        uint32_t size = block_stubs[i] ? block_stubs[i] * STUB : (uint32_t)lights;
        uint32_t compressed = block_stubs[i] ? 0 : (uint32_t)stored;
        put_be(file, row + mrea_block_row_at_buffer_size, size + (compressed ? 0x120U : 0U));
        put_be(file, row + mrea_block_row_at_decompressed_size, size);
        put_be(file, row + mrea_block_row_at_compressed_size, compressed);
        put_be(file, row + mrea_block_row_at_section_count, block_sections[i]);
    }
    (void)grow(file, 3 * STUB);
}

/* ------------------------------------------------------------------ maps */

/* Sizes and numbers for each actor of a big map. */
enum {
    MODEL_BYTES = sizeof "3dart\\A0000000.3dc", /* with NUL */
    FRAMES = 4,
    INSTANCES = 2,
    VARIABLES = 2,
    SCRIPT_BYTES = 5,
    PREAMBLE_BYTES = 4,
    LIST_BYTES = rgm_group_SIZE + (FRAMES + 1) * rgm_command_SIZE + rgm_group_end_SIZE,
    FILE_BYTES = rgm_model_file_SIZE + MODEL_BYTES,
    MAP_NODES = 64
};

/* Words in an actor's header: `base`, plus `step` for each preceding actor. */
static const struct {
    uint32_t at, base, step;
} header_words[] = {
    {rgm_actor_at_ranm_length, STRING_BYTES, 0},
    {rgm_actor_at_ranm_offset, 0, STRING_BYTES},
    {rgm_actor_at_raat_offset, 0, rgm_attribute_set_SIZE},
    {rgm_actor_at_raan_count, 1, 0},
    {rgm_actor_at_raan_data_size, FILE_BYTES, 0},
    {rgm_actor_at_raan_offset, 0, FILE_BYTES},
    {rgm_actor_at_ragr_offset, 0, LIST_BYTES},
    {rgm_actor_at_num_strings, 2, 0},
    {rgm_actor_at_string_offsets_index, 0, 2 * rgm_string_offset_SIZE},
    {rgm_actor_at_script_length, SCRIPT_BYTES, 0},
    {rgm_actor_at_script_data_offset, PREAMBLE_BYTES, SCRIPT_BYTES},
    {rgm_actor_at_ralc_count, 1, 0},
    {rgm_actor_at_ralc_length, rgm_location_SIZE, 0},
    {rgm_actor_at_ralc_offset, 0, rgm_location_SIZE},
    {rgm_actor_at_raex_length, rgm_extra_SIZE, 0},
    {rgm_actor_at_raex_offset, 0, rgm_extra_SIZE},
    {rgm_actor_at_num_variables, VARIABLES, 0},
    {rgm_actor_at_rava_length, VARIABLES *rgm_variable_SIZE, 0},
    {rgm_actor_at_variable_offset, rgm_variable_SIZE, INSTANCES *VARIABLES *rgm_variable_SIZE},
    {rgm_actor_at_variable_offset_dup, rgm_variable_SIZE, INSTANCES *VARIABLES *rgm_variable_SIZE},
    {rgm_actor_at_mpsz_normal, 0, 1},
    {rgm_actor_at_mpsz_combat, UINT32_MAX, 0},
    {rgm_actor_at_mpsz_dead, UINT32_MAX, 0},
    {rgm_actor_at_ravc_offset, UINT32_MAX, 0},
};

static void put_actors(image *file, uint32_t actors)
{
    size_t at = put_headers(file, actors);
    for (uint32_t i = 0; i < actors; i++, at += rgm_actor_SIZE) {
        put_name(file, at + rgm_actor_at_script_name, i);
        put(file, at + rgm_actor_at_instances, 2, INSTANCES);
        for (size_t k = 0; k < sizeof header_words / sizeof header_words[0]; k++) {
            put(file, at + header_words[k].at, 4, header_words[k].base + i * header_words[k].step);
        }
        put(file, at + rgm_actor_at_raex_stat, 2, UINT16_MAX);
        put(file, at + rgm_actor_at_reserved, 2, UINT16_MAX);
    }
}

/* RAFS to RAAT: every actor has a string of its own, and that of the preceding actor. */
static void put_scripts(image *file, uint32_t actors)
{
    (void)put_array(file, "RAFS", 0, 1, rgm_rafs_byte_SIZE);
    size_t at = put_array(file, "RAST", 0, actors, STRING_BYTES);
    for (uint32_t i = 0; i < actors; i++) {
        put_name(file, at + (size_t)i * STRING_BYTES, i);
    }
    at = put_array(file, "RASB", 0, 2 * actors, rgm_string_offset_SIZE);
    for (uint32_t i = 0; i < actors; i++) {
        put(file, at + (size_t)i * 8, 4, i * STRING_BYTES);
        put(file, at + (size_t)i * 8 + 4, 4, (i ? i - 1 : 1) * STRING_BYTES);
    }
    at = put_array(file, "RAVA", 0, 1 + actors * INSTANCES * VARIABLES, rgm_variable_SIZE);
    for (uint32_t i = 0; i < actors * INSTANCES; i++) {
        put(file, at + 4 * (1 + (size_t)i * VARIABLES), 4, i / INSTANCES);
    }
    at = open_section(file, "RASC");
    size_t block = grow(file, PREAMBLE_BYTES + (size_t)actors * SCRIPT_BYTES) + PREAMBLE_BYTES;
    for (uint32_t i = 0; i < actors; i++) {
        file->bytes[block + (size_t)i * SCRIPT_BYTES] = 0x05;
    }
    close_section(file, at);
    (void)put_array(file, "RAHK", 0, 1, rgm_hook_SIZE);
    (void)put_array(file, "RALC", 0, actors, rgm_location_SIZE);
    (void)put_array(file, "RAEX", 0, actors, rgm_extra_SIZE);
    (void)put_array(file, "RAAT", 0, actors, rgm_attribute_set_SIZE);
}

/* RAAN to RANM: every actor has one model file, and one group that shows its frames. */
static void put_animations(image *file, uint32_t actors)
{
    size_t at = put_array(file, "RAAN", 0, actors, FILE_BYTES);
    for (uint32_t i = 0; i < actors; i++, at += FILE_BYTES) {
        put(file, at + rgm_model_file_at_frame_count, 1, FRAMES);
        file->bytes[at + rgm_model_file_at_model_type] = 'c';
        memcpy(file->bytes + at + rgm_model_file_SIZE, "3dart\\A0000000.3dc", MODEL_BYTES - 1);
        put_name(file, at + rgm_model_file_SIZE + 6, i);
    }
    at = put_array(file, "RAGR", 0, actors, LIST_BYTES);
    for (uint32_t i = 0; i < actors; i++, at += LIST_BYTES) {
        put(file, at + rgm_group_at_entry_size, 2, LIST_BYTES - 4);
        put(file, at + rgm_group_at_anim_id, 2, 3);
        put(file, at + rgm_group_at_frame_count, 2, FRAMES + 1);
        for (uint32_t k = 0; k <= FRAMES; k++) {
            put(file, at + rgm_group_SIZE + (size_t)k * rgm_command_SIZE, 2, k < FRAMES ? k << 4 : 1);
        }
    }
    at = put_array(file, "RANM", 0, actors, STRING_BYTES);
    for (uint32_t i = 0; i < actors; i++) {
        put_name(file, at + (size_t)i * STRING_BYTES, i);
    }
}

static void put_coordinates(image *file, size_t at, uint32_t i)
{
    put(file, at, 2, i % 0x8000);
    put(file, at + 4, 2, i * 7 % 0x8000);
    put(file, at + 8, 2, i * 13 % 0x8000);
}

/* MPOB to MPSZ. The objects of one actor are far apart. */
static void put_placed(image *file, uint32_t actors)
{
    static const uint32_t sides[] = {48, 128, 49, 0, 0, 0, 24, 62, 11, 24, 66, 38}; /* starting with total */
    size_t at = put_array(file, "MPOB", rgm_count_SIZE, actors * INSTANCES, rgm_object_SIZE);
    for (uint32_t i = 0; i < actors * INSTANCES; i++, at += rgm_object_SIZE) {
        put(file, at + rgm_object_at_id, 4, i * 2654435761U);
        put(file, at + rgm_object_at_object_type, 1, 1);
        put_name(file, at + rgm_object_at_script_name, i % actors);
        put(file, at + rgm_object_at_pos_x, 2, i % 0x8000);
        put(file, at + rgm_object_at_angle + 4, 4, i % 2048);
    }
    (void)put_array(file, "MPRP", rgm_count_SIZE, 0, rgm_rope_SIZE);
    at = put_array(file, "MPSO", rgm_count_SIZE, actors, rgm_static_object_SIZE);
    for (uint32_t i = 0; i < actors; i++, at += rgm_static_object_SIZE) {
        put(file, at + rgm_static_object_at_id, 4, i * 2654435761U);
        put_name(file, at + rgm_static_object_at_model_name, i / 8);
        put_coordinates(file, at + rgm_static_object_at_pos_x, i);
        for (size_t k = 0; k < 3; k++) {
            put(file, at + rgm_static_object_at_rotation + 16 * k, 4, 0x10000000);
        }
    }
    at = put_array(file, "MPSL", rgm_count_SIZE, actors / 2, rgm_light_SIZE);
    for (uint32_t i = 0; i < actors / 2; i++) {
        put_coordinates(file, at + (size_t)i * rgm_light_SIZE + rgm_light_at_pos_x, i);
    }
    (void)put_array(file, "MPSF", rgm_count_SIZE, actors / 2, rgm_flat_object_SIZE);
    at = open_section(file, "MPMK");
    size_t markers = grow(file, rgm_count_SIZE + actors * (size_t)(rgm_marker_SIZE + rgm_auxiliary_SIZE));
    put(file, markers, 4, actors);
    memset(file->bytes + file->size - actors, 1, actors);
    close_section(file, at);
    at = put_array(file, "MPSZ", 0, actors, rgm_bounds_SIZE);
    for (uint32_t i = 0; i < actors; i++) {
        put_row(file, at + (size_t)i * rgm_bounds_SIZE + rgm_bounds_at_total, 4, sides, sizeof sides / sizeof sides[0]);
    }
}

/* WDNM: every node of a map has routes to its two neighbours. */
static void put_walk_maps(image *file, uint32_t maps)
{
    enum { ROUTES = 2, NODE_BYTES = rgm_walk_node_SIZE + ROUTES * rgm_route_SIZE };
    size_t at = put_array(file, "WDNM", rgm_count_SIZE, maps, rgm_walk_map_SIZE + MAP_NODES * NODE_BYTES);
    for (uint32_t i = 0; i < maps; i++) {
        put(file, at + rgm_walk_map_at_map_length, 4, rgm_walk_map_SIZE + MAP_NODES * NODE_BYTES);
        put(file, at + rgm_walk_map_at_node_count, 4, MAP_NODES);
        put(file, at + rgm_walk_map_at_node_count_dup, 4, MAP_NODES);
        put_coordinates(file, at + rgm_walk_map_at_pos_x, i);
        at += rgm_walk_map_SIZE;
        for (uint32_t k = 0; k < MAP_NODES; k++, at += NODE_BYTES) {
            put(file, at + rgm_walk_node_at_node_length, 4, NODE_BYTES);
            put(file, at + rgm_walk_node_at_route_count, 1, ROUTES);
            put(file, at + rgm_walk_node_SIZE, 2, (k + 1) % MAP_NODES);
            put(file, at + rgm_walk_node_SIZE + rgm_route_SIZE, 2, (k + MAP_NODES - 1) % MAP_NODES);
        }
    }
}

/* A map of about `bytes` bytes. */
static void big_map(image *file, size_t bytes)
{
    enum { ACTOR_BYTES = 876, FLAT_BYTES = 1111 };
    uint32_t actors = (uint32_t)(bytes / ACTOR_BYTES);
    file->size = 0;
    put_actors(file, actors);
    put_scripts(file, actors);
    put_animations(file, actors);
    put_placed(file, actors);
    put_walk_maps(file, actors / MAP_NODES);
    (void)put_array(file, "FLAT", 0, 1, FLAT_BYTES);
    put_end(file);
}

/* A map with about `bytes` bytes of scripts, each nearly as long as the only known assembler allows. */
static void code_map(image *file, size_t bytes)
{
    enum { SCRIPT_BYTES_MOST = 60000 };
    made_random random = {1};
    made_script script = {.only_common = true};
    map_parts parts = {0};
    while (parts.code.size < bytes) {
        make_script(&script, &random, SCRIPT_BYTES_MOST);
        map_parts_add(&parts, &script);
    }
    (void)make_script_map(file, &parts);
    release_script(&script);
    release_map_parts(&parts);
}

static void write_file(const image *file, const char *folder, const char *name)
{
    char path[PATH_MAX_BYTES];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = n > 0 && (size_t)n < sizeof path ? fopen(path, "wb") : NULL;
    if (!out || fwrite(file->bytes, 1, file->size, out) != file->size || fclose(out) != 0) {
        die(path);
    }
}

static void make_directory(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        die(path);
    }
}

/* Writes `count` files of one kind into FOLDER/KIND. */
static void write_files(image *file, const char *folder, const char *kind, void (*make)(image *, unsigned),
                        unsigned count)
{
    char path[PATH_MAX_BYTES];
    char name[64];
    (void)snprintf(path, sizeof path, "%s/%s", folder, kind);
    make_directory(path);
    for (unsigned i = 0; i < count; i++) {
        if (i % DIRECTORY_FILES == 0) {
            (void)snprintf(path, sizeof path, "%s/%s/%03u", folder, kind, i / DIRECTORY_FILES);
            make_directory(path);
        }
        make(file, i);
        (void)snprintf(name, sizeof name, "%s/%03u/%04u.grxla", kind, i / DIRECTORY_FILES, i);
        write_file(file, folder, name);
    }
}

static void write_big_files(image *file, const char *folder, size_t bytes)
{
    size_t light = big_file(file, bytes);
    write_file(file, folder, "big.grxla");
    put(file, light + grx_point_light_at_name_reserved, 4, 1);
    write_file(file, folder, "damaged.grxla");
    (void)big_file(file, bytes / 4);
    write_file(file, folder, "quarter.grxla");
    big_area(file, bytes);
    write_file(file, folder, "big.mrea");
    big_area_mp2(file, bytes, false);
    write_file(file, folder, "raw.mrea");
#if LIGHTLINT_WITH_LZO
    big_area_mp2(file, bytes, true);
    write_file(file, folder, "packed.mrea");
#endif
    big_map(file, bytes);
    write_file(file, folder, "big.rgm");
    code_map(file, bytes);
    write_file(file, folder, "code.rgm");
}

int main(int count, char **arguments)
{
    image file = {NULL, 0, 0};
    if (count != 4) {
        (void)fputs("usage: make_inputs FOLDER FILES BIG_BYTES\n", stderr);
        return 2;
    }
    unsigned files = (unsigned)strtoul(arguments[2], NULL, 10);
    write_files(&file, arguments[1], "clean", clean_file, files);
    write_files(&file, arguments[1], "short", short_file, files);
    write_files(&file, arguments[1], "faulty", faulty_file, files);
    small_file(&file);
    write_file(&file, arguments[1], "small.grxla");
    write_big_files(&file, arguments[1], (size_t)strtoull(arguments[3], NULL, 10));
    free(file.bytes);
    return 0;
}
