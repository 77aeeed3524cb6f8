/* Small GRX files for tests of the public API, built from named parts, so that a test can name what it breaks.
 * Floats are given as bits. Name hashes are vectors of docs/formats/grx.md. */
#ifndef LL_TESTS_SAMPLE_H
#define LL_TESTS_SAMPLE_H

#include "unit.h"

#include <stdbool.h>
#include <stdlib.h>

enum {
    SAMPLE_MAX = 4096,
    SAMPLE_CM00 = 0x10,  /* start of the DataSet entry */
    SAMPLE_LIGHT = 0x60, /* start of the first light */
    SAMPLE_LIGHT_SIZE = 0x68,
    SAMPLE_NAME_HASH = 0x08, /* offsets of fields in a light */
    SAMPLE_RESERVED = 0x14,
    SAMPLE_TRANSLATION = 0x24,
    SAMPLE_INNER_RANGE = 0x32,
    SAMPLE_COLOR = 0x36,
    SAMPLE_LUMEN = 0x44,
    SAMPLE_RADIUS_LEVEL = 0x54,
    SAMPLE_NAME = 0x60
};

typedef struct sample {
    uint8_t bytes[SAMPLE_MAX];
    size_t size;
} sample;

static inline void sample_put(sample *s, size_t at, unsigned n, uint64_t value)
{
    for (unsigned i = 0; i < n; i++) {
        s->bytes[at + i] = (uint8_t)(value >> 8 * i);
    }
}

static inline void sample_text(sample *s, size_t at, const char *text)
{
    memcpy(s->bytes + at, text, strlen(text));
}

static inline void sample_row(sample *s, size_t at, unsigned n, const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sample_put(s, at + i * n, n, values[i]);
    }
}

/* Writes header and DataSet entry. The first light follows. */
static inline void sample_begin(sample *s)
{
    static const char path[] = "/Assets/ssd/level/mission/debug/common/robby_asset.fox2";
    *s = (sample){.size = SAMPLE_LIGHT};
    sample_text(s, 0, "FGxL");
    sample_put(s, 8, 4, 0x10);
    sample_put(s, 12, 4, 1);
    sample_text(s, SAMPLE_CM00, "CM00");
    sample_put(s, SAMPLE_CM00 + 4, 4, SAMPLE_LIGHT - SAMPLE_CM00);
    sample_put(s, SAMPLE_CM00 + 8, 8, UINT64_C(0x71870524FA66));
    sample_put(s, SAMPLE_CM00 + 0x10, 4, 8);
    sample_text(s, SAMPLE_CM00 + 0x18, path);
}

/* Adds a point light named LP_0038 or, without a name, with only a hash. Returns its offset. */
static inline size_t sample_light(sample *s, bool named)
{
    static const uint32_t halves[] = {0x4A00, 0x4000, 0,      0x3C00, 0x3800,
                                      0x3400, 0x3C00, 0x6C65, 0x251F}; /* starting with outer_range */
    static const uint32_t place[] = {0x41400000, 0x40600000, 0xC2200000};
    size_t at = s->size;
    sample_text(s, at, "PL03");
    sample_put(s, at + 4, 4, named ? SAMPLE_LIGHT_SIZE : SAMPLE_NAME);
    sample_put(s, at + SAMPLE_NAME_HASH, 8, named ? UINT64_C(0x728F9B2C769B) : UINT64_C(0x1000) + at);
    sample_put(s, at + 0x10, 4, named ? SAMPLE_NAME - 0x10 : 0);
    sample_put(s, at + 0x18, 4, 9);
    sample_put(s, at + 0x1C, 4, 3);
    sample_row(s, at + SAMPLE_TRANSLATION, 4, place, 3);
    sample_row(s, at + 0x30, 2, halves, sizeof halves / sizeof halves[0]);
    sample_put(s, at + SAMPLE_LUMEN, 4, 0x453B8000);
    sample_put(s, at + 0x4A, 2, 0x3C00); /* shadow_bias */
    sample_put(s, at + 0x4C, 2, 0x3C00); /* lod_shadow_draw_rate */
    sample_put(s, at + 0x4E, 2, 0x4100); /* lod_far_size */
    sample_put(s, at + 0x50, 2, 0x4900); /* lod_near_size */
    sample_put(s, at + SAMPLE_RADIUS_LEVEL, 4, 4);
    s->size += SAMPLE_NAME;
    if (named) {
        sample_text(s, s->size, "LP_0038");
        s->size += 8;
    }
    return at;
}

static inline void sample_end(sample *s)
{
    sample_put(s, s->size + 4, 4, 8);
    s->size += 8;
}

/* A file without findings. */
static inline void sample_good(sample *s)
{
    sample_begin(s);
    (void)sample_light(s, true);
    sample_end(s);
}

/* A file with findings of all kinds: of predicates, of checks, with patches of both tiers, with a related place, in
 * one element of a vector. */
static inline void sample_bad(sample *s)
{
    sample_begin(s);
    size_t first = sample_light(s, true);
    size_t second = sample_light(s, true);
    sample_put(s, 4, 4, 7);                        /* header.reserved */
    sample_put(s, first + SAMPLE_NAME_HASH, 1, 0); /* no longer the hash of the name */
    sample_put(s, first + SAMPLE_RESERVED, 4, 1);
    sample_put(s, first + SAMPLE_COLOR, 2, 0x7E00); /* NaN */
    sample_put(s, first + SAMPLE_TRANSLATION + 4, 4, 0x7F800000);
    sample_put(s, second + SAMPLE_INNER_RANGE, 2, 0x5000); /* 32, beyond outer_range */
    sample_put(s, second + SAMPLE_RADIUS_LEVEL, 4, 8);
    sample_text(s, second + SAMPLE_NAME, "LP_\x1b[m"); /* a name with a terminal command */
    sample_put(s, SAMPLE_CM00 + 8 + 7, 1, 8);          /* a bit that no hash has set */
    sample_end(s);
}

/* A copy in a block of exactly its size, so that a sanitizer notices access outside. The caller frees it. */
static inline uint8_t *sample_exact(const sample *s)
{
    uint8_t *copy = malloc(s->size ? s->size : 1);
    if (copy) {
        memcpy(copy, s->bytes, s->size);
    }
    return copy;
}

/* An archive of a damaged file, a text, and a sound file, in this order. at: offset of each. */
static inline void sample_archive(sample *archive, size_t at[3])
{
    enum { COUNT = 3, ROW = 0x30, UNIT = 16 };
    static const char *const paths[COUNT] = {"/b/bad.grxla", "/c.lua", "/a/good.grxla"};
    static const uint64_t md5[COUNT][2] = {
        {UINT64_C(0x7EDF35F5B88D920A), UINT64_C(0xA122B2889A003093)},
        {UINT64_C(0xF76B12313B434E10), UINT64_C(0x7D71429C71609C90)},
        {UINT64_C(0x52037313A3CDD5B4), UINT64_C(0x87DA6C3D57B9B046)}}; /* of the paths */
    static sample content[COUNT];
    size_t path = ROW * (COUNT + 1);
    *archive = (sample){.size = path};
    sample_text(archive, 0, "foxfpk");
    sample_text(archive, 7, "win");
    sample_put(archive, 0x20, 4, 2);
    sample_put(archive, 0x24, 4, COUNT);
    sample_bad(&content[0]);
    content[1] = (sample){.bytes = "print(1)", .size = 8};
    sample_good(&content[2]);
    for (size_t i = 0; i < COUNT; i++) {
        archive->size += strlen(paths[i]) + 1;
    }
    for (size_t i = 0; i < COUNT; i++) {
        at[i] = (archive->size + UNIT - 1) / UNIT * UNIT;
        const uint64_t fields[] = {at[i], content[i].size, path, strlen(paths[i]), md5[i][0], md5[i][1]};
        for (size_t k = 0; k < 6; k++) {
            sample_put(archive, ROW * (i + 1) + 8 * k, 8, fields[k]);
        }
        sample_text(archive, path, paths[i]);
        memcpy(archive->bytes + at[i], content[i].bytes, content[i].size);
        path += strlen(paths[i]) + 1;
        archive->size = at[i] + content[i].size;
    }
    archive->size = (archive->size + UNIT - 1) / UNIT * UNIT;
    sample_put(archive, 0x0A, 4, archive->size);
}

#endif
