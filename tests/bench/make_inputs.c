/* Writes the inputs of the benchmark: files that nothing is wrong with, and some with ten findings each.
 * Deterministic. Uses the layout and the name hash of the project, nothing else of it; whether the files really are
 * clean, bench.py asks the program.
 *
 *   make_inputs FOLDER FILES BIG_BYTES
 *
 * makes FOLDER/clean/NNNN.grxla and FOLDER/faulty/NNNN.grxla (FILES of each), FOLDER/big.grxla, FOLDER/big.mrea,
 * FOLDER/small.grxla (288 bytes). */
#include "base/endian.h"
#include "base/ints.h"
#include "formats/grx/grx.h"
#include "formats/mrea/mrea.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_BYTES = 288, LIGHTS_MAX = 24, FAULTS = 10, PATH_MAX_BYTES = 4096 };

static const char DATASET[] = "/Assets/tpp/level/location/bench/yard.fox2";

_Noreturn static void die(const char *what)
{
    (void)fprintf(stderr, "make_inputs: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* ------------------------------------------------------------------ a file in memory */

typedef struct image {
    uint8_t *bytes;
    size_t size, capacity;
} image;

/* `n` zero bytes more; returns where they start. */
static size_t grow(image *file, size_t n)
{
    size_t at = file->size;
    if (n > file->capacity - at) {
        file->capacity = (at + n) * 2;
        file->bytes = realloc(file->bytes, file->capacity);
        if (!file->bytes) {
            die("memory");
        }
    }
    memset(file->bytes + at, 0, n);
    file->size += n;
    return at;
}

static void put(image *file, size_t at, unsigned bytes, uint64_t value)
{
    ll_put_uint(file->bytes + at, bytes, LL_LITTLE, value);
}

static void put_row(image *file, size_t at, unsigned bytes, const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(file, at + i * bytes, bytes, values[i]);
    }
}

/* The fixed part of an entry and its name; the name block lies at the same place in all of them. */
static size_t put_named(image *file, const char *tag, size_t fixed, const char *name)
{
    size_t length = strlen(name);
    size_t at = grow(file, fixed + (length + 4) / 4 * 4);
    memcpy(file->bytes + at, tag, 4);
    put(file, at + grx_dataset_at_name_hash, 8, grx_strcode64((const uint8_t *)name, length));
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

static const uint32_t ONE = 0x3F800000; /* floats and halves are given as bits */

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
                                      0x3400, 0x3C00, 0x6C65, 0x251F}; /* from outer_range */
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
                                      0xAA66, 0x3C00, 0x4100, 0x4900}; /* from light_size */
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

/* `count` lights with names of their own, about a third of them spot lights. Returns where the first one starts. */
static size_t put_lights(image *file, unsigned first, unsigned count)
{
    size_t start = file->size;
    for (unsigned i = 0; i < count; i++) {
        char name[32];
        bool spot = i >= count - count / 3; /* as in real files, behind the point lights */
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

/* One fault in each of ten lights: two that have a patch, one that compares two fields, one of a vector, one of a name.
 */
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

/* One light, with a name that fills the file. */
static void small_file(image *file)
{
    char name[SMALL_BYTES] = "PL_";
    open_file(file);
    size_t left = SMALL_BYTES - file->size - grx_point_light_SIZE - grx_light_area_SIZE - grx_terminator_SIZE;
    memset(name + 3, 'a', left - 1 - 3);
    (void)put_point(file, name, 1, true);
    close_file(file);
}

static void big_file(image *file, size_t bytes)
{
    enum { LIGHTS_AT_ONCE = 64 };
    unsigned first = 0;
    open_file(file);
    for (; file->size + LIGHTS_AT_ONCE * 256 < bytes; first += LIGHTS_AT_ONCE) {
        for (unsigned i = 0; i < LIGHTS_AT_ONCE; i++) {
            char name[32];
            (void)snprintf(name, sizeof name, "PL_yard_%08u", first + i);
            (void)put_point(file, name, first + i, i % 2 == 0);
        }
    }
    close_file(file);
}

/* ------------------------------------------------------------------ areas */

static void put_be(image *file, size_t at, uint32_t value)
{
    ll_put_uint(file->bytes + at, 4, LL_BIG, value);
}

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

/* An area of Prime 1 of about so many bytes, nearly all of them lights: an ambient, then spots and custom ones. */
static void big_area(image *file, size_t bytes)
{
    enum { SECTIONS = 8, LIGHTS = 5, STUB = 32, TABLE = SECTIONS * mrea_section_size_SIZE };
    static const uint32_t indices[] = {0, 2, 3, 4, LIGHTS, 6, 7, 1};
    uint32_t count = (uint32_t)(bytes / mrea_light_SIZE);
    size_t lights = (size_t)ll_align_up(mrea_lights_SIZE + 2 * mrea_layer_SIZE + (uint64_t)count * mrea_light_SIZE, MREA_ALIGNMENT);
    file->size = 0;
    (void)grow(file, mrea_header_mp1_SIZE + TABLE + (SECTIONS - 1) * STUB + lights);
    put_be(file, mrea_header_mp1_at_magic, MREA_MAGIC);
    put_be(file, mrea_header_mp1_at_version, 0xF);
    for (size_t i = 0; i < 3; i++) {
        put_be(file, mrea_header_mp1_at_transform + 20 * i, ONE);
    }
    put_be(file, mrea_header_mp1_at_section_count, SECTIONS);
    for (size_t i = 0; i < SECTIONS; i++) {
        put_be(file, mrea_header_mp1_at_geometry_index + 4 * i, indices[i]);
        put_be(file, mrea_header_mp1_SIZE + 4 * i, i == LIGHTS ? (uint32_t)lights : STUB);
    }
    size_t at = mrea_header_mp1_SIZE + TABLE + LIGHTS * STUB;
    put_be(file, at, MREA_LIGHTS_MAGIC);
    put_be(file, at + mrea_lights_SIZE, count);
    at += mrea_lights_SIZE + mrea_layer_SIZE;
    for (uint32_t i = 0; i < count; i++, at += mrea_light_SIZE) {
        put_area_light(file, at, i ? 2 + i % 2 : 0, i);
    }
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

int main(int count, char **arguments)
{
    image file = {NULL, 0, 0};
    if (count != 4) {
        (void)fputs("usage: make_inputs FOLDER FILES BIG_BYTES\n", stderr);
        return 2;
    }
    unsigned long files = strtoul(arguments[2], NULL, 10);
    for (unsigned i = 0; i < files; i++) {
        char name[64];
        clean_file(&file, i);
        (void)snprintf(name, sizeof name, "clean/%04u.grxla", i);
        write_file(&file, arguments[1], name);
        faulty_file(&file, i);
        (void)snprintf(name, sizeof name, "faulty/%04u.grxla", i);
        write_file(&file, arguments[1], name);
    }
    small_file(&file);
    write_file(&file, arguments[1], "small.grxla");
    big_file(&file, (size_t)strtoull(arguments[3], NULL, 10));
    write_file(&file, arguments[1], "big.grxla");
    big_area(&file, (size_t)strtoull(arguments[3], NULL, 10));
    write_file(&file, arguments[1], "big.mrea");
    free(file.bytes);
    return 0;
}
