/* Named checks of lights and layers, and of visibility trees. A check of lights runs once for each array, over all its
 * records. A section may hold a million lights, so the loops look at the bits of big-endian words and do arithmetic
 * only for the few that need it. Which fields a type uses, and what the engines do with odd values:
 * docs/formats/mrea.md. Non-finite floats have rules of their own. */
#include "formats/mrea/mrea_check.h"

#include "base/half.h"
#include "base/vector.h"

#include <limits.h>
#include <string.h>

/* How the engine treats a light; types from 4 on are treated as custom. */
typedef enum light_class { AMBIENT, DIRECTIONAL, CUSTOM, SPOT } light_class;

static const char *const class_names[] = {"local ambient", "directional", "custom", "spot"};

/* Fields that both record layouts have, at different offsets. */
enum { COLOR, POSITION, DIRECTION, BRIGHTNESS, CUTOFF, SHADOWS, FALLOFF, TYPE, FIELDS, FLOATS = CUTOFF + 1 };

#define NUMBERS(r)                                                                                                     \
    {                                                                                                                  \
        [COLOR] = mrea_##r##_color, [POSITION] = mrea_##r##_position, [DIRECTION] = mrea_##r##_direction,              \
        [BRIGHTNESS] = mrea_##r##_brightness, [CUTOFF] = mrea_##r##_spot_cutoff, [SHADOWS] = mrea_##r##_cast_shadows,  \
        [FALLOFF] = mrea_##r##_falloff_type, [TYPE] = mrea_##r##_type                                                  \
    }
static const uint8_t numbers_mp12[FIELDS] = NUMBERS(light);
static const uint8_t numbers_mp3[FIELDS] = NUMBERS(light_mp3);
#undef NUMBERS

/* The fields that each class uses, a bit for each. A spot uses all; a position is also used by editors, which show the
 * light there. */
static const unsigned used[] = {
    [AMBIENT] = 1U << COLOR | 1U << BRIGHTNESS,
    [DIRECTIONAL] = 1U << COLOR | 1U << DIRECTION | 1U << SHADOWS,
    [CUSTOM] = 1U << COLOR | 1U << POSITION | 1U << BRIGHTNESS | 1U << SHADOWS | 1U << FALLOFF,
    [SPOT] = UINT_MAX,
};

/* The lights of an array span. */
typedef struct lights {
    const ll_doc *doc;
    uint32_t span, count, size;
    const uint8_t *first;
    const uint8_t *number; /* number of each field in the layout */
    uint8_t at[FIELDS];    /* offset of each field in the record */
} lights;

static lights lights_of(const ll_doc *doc, uint32_t span)
{
    const ll_span *s = ll_doc_span(doc, span);
    const ll_layout *layout = ll_doc_layout(doc, span);
    lights all = {.doc = doc, .span = span, .count = s->count, .size = layout->size};
    all.first = ll_doc_at(doc, s->offset);
    all.number = s->layout == mrea_light_mp3_LAYOUT ? numbers_mp3 : numbers_mp12;
    for (unsigned field = 0; field < FIELDS; field++) {
        all.at[field] = (uint8_t)layout->fields[all.number[field]].offset;
    }
    return all;
}

static const uint8_t *field_at(const lights *all, uint32_t light, unsigned field)
{
    return all->first + (size_t)light * all->size + all->at[field];
}

static unsigned parts_of(unsigned field)
{
    return field <= DIRECTION ? 3 : 1;
}

/* The place of a field of a light, or of one of its elements. */
static ll_where place_of(const lights *all, uint32_t light, unsigned field, unsigned part)
{
    ll_where at = ll_at_field(all->doc, all->span, light, all->number[field]);
    if (part != LL_NO_PART) {
        at.part = (uint16_t)part;
        at.offset += 4 * part;
        at.length = 4;
    }
    return at;
}

static uint32_t type_of(const lights *all, uint32_t light)
{
    return ll_be32(field_at(all, light, TYPE));
}

static light_class class_of(const lights *all, uint32_t light)
{
    uint32_t type = type_of(all, light);
    return type > SPOT ? CUSTOM : (light_class)type;
}

/* ------------------------------------------------------------------ floats as bits */

/* Bits of a float without the sign: as numbers they order all magnitudes up to infinity and NaNs. */
static uint32_t magnitude(const uint8_t *p)
{
    return ll_be32(p) & 0x7FFFFFFFU;
}

enum {
    BITS_INFINITY = 0x7F800000,
    BITS_LEAST_NORMAL = 0x00800000,
    BITS_HUGE = 0x4E6E6B28 /* 1e9 */
};

static const double UNIT_TOLERANCE = 1e-3;
static const double ANGLE_TOLERANCE = 1e-2;          /* cosine of direction and up vector */
static const double LEAST_BRIGHTNESS = 1.1920929e-7; /* the engine replaces less than this by FLOOR_BRIGHTNESS */
static const double FLOOR_BRIGHTNESS = 1e-6;
static const double ROUNDING = 1e-6;              /* relative error of the product of two singles, at most */
static const double MOST_LINEAR = 2.097152e9;     /* above this, 250 / brightness is less than LEAST_BRIGHTNESS */
static const double MOST_QUADRATIC = 2.097152e11; /* the same for 25000 / brightness */

static double number_at(const uint8_t *p)
{
    return ll_single_to_double(ll_be32(p));
}

/* ------------------------------------------------------------------ values of a light */

/* The brightness is a scale of distance, so a large value makes sense: 1e9 reaches some 800 units with quadratic
 * falloff. brightness_huge checks the limit. */
static bool is_distance_scale(const lights *all, uint32_t light)
{
    uint32_t falloff = ll_be32(field_at(all, light, FALLOFF));
    return (used[class_of(all, light)] >> FALLOFF & 1U) && (falloff == 1 || falloff == 2);
}

/* Neither 0 nor of an ordinary size. */
static bool is_odd(uint32_t bits)
{
    return (bits != 0) & (bits - BITS_LEAST_NORMAL > BITS_HUGE - BITS_LEAST_NORMAL); /* smaller ones wrap around */
}

/* Some word from the first float to the last may be odd: it is not 0, and its first byte, without the sign, is not that
 * of an ordinary size. Without branches and reversed bytes, so that compilers compare several words at once. */
static bool may_be_odd(const lights *all, uint32_t light)
{
    enum { FIRST_LEAST = BITS_LEAST_NORMAL / 0x1000000 + 1, FIRST_MOST = BITS_HUGE / 0x1000000 - 1 };
    const uint8_t *first = field_at(all, light, COLOR);
    const unsigned words = (all->at[CUTOFF] - all->at[COLOR]) / 4U + 1;
    uint32_t odd = 0;
    for (unsigned i = 0; i < words; i++) {
        const uint32_t word = ll_le32(first + 4 * (size_t)i);
        odd |= (uint32_t)((word != 0) & ((word & 0x7F) - FIRST_LEAST > FIRST_MOST - FIRST_LEAST));
    }
    return odd;
}

void mrea_check_float_extreme(ll_check_run *run)
{
    lights all = lights_of(run->doc, run->span);
    for (uint32_t i = 0; i < all.count; i++) {
        unsigned fields = may_be_odd(&all, i) ? used[class_of(&all, i)] : 0;
        for (unsigned field = 0; fields >> field && field < FLOATS; field++) {
            unsigned parts = fields >> field & 1U ? parts_of(field) : 0;
            for (unsigned part = 0; part < parts; part++) {
                uint32_t bits = magnitude(field_at(&all, i, field) + (size_t)4 * part);
                bool denormal = bits < BITS_LEAST_NORMAL;
                bool scale = field == BRIGHTNESS && !denormal && is_distance_scale(&all, i);
                if (is_odd(bits) && bits < BITS_INFINITY && !scale) {
                    LL_REPORT(run, MREA_HINT_NONE, place_of(&all, i, field, parts > 1 ? part : LL_NO_PART),
                              ll_word(denormal ? "denormal" : "huge"));
                    break; /* what damages one number of a vector damages the others */
                }
            }
        }
    }
}

/* Reports ambients that saturate a channel. One finding for each light, at the channel that exceeds 1 most, as
 * brightness and all channels share the cause. */
void mrea_check_ambient_saturated(ll_check_run *run)
{
    static const char *const channels[] = {"red", "green", "blue"};
    lights all = lights_of(run->doc, run->span);
    for (uint32_t i = 0; i < all.count; i++) {
        const uint8_t *scale = field_at(&all, i, BRIGHTNESS);
        double color[3];
        bool sound = magnitude(scale) <= BITS_HUGE; /* float_extreme reports larger ones */
        if (type_of(&all, i) != AMBIENT || !sound || !ll_read_singles(field_at(&all, i, COLOR), 3, true, color)) {
            continue;
        }
        double brightness = number_at(scale);
        unsigned most = color[1] > color[0] ? 1 : 0;
        most = color[2] > color[most] ? 2 : most;
        double product = color[most] * (brightness < LEAST_BRIGHTNESS ? FLOOR_BRIGHTNESS : brightness);
        if (product > 1 + ROUNDING) {
            LL_REPORT(run, MREA_HINT_NONE, place_of(&all, i, COLOR, most), ll_word(channels[most]), ll_float(product));
        }
    }
}

/* Reports a brightness that is too low, for black lights only: it makes no difference to them. */
void mrea_check_brightness_black(ll_check_run *run)
{
    lights all = lights_of(run->doc, run->span);
    for (uint32_t i = 0; i < all.count; i++) {
        const uint8_t *color = field_at(&all, i, COLOR);
        double brightness = number_at(field_at(&all, i, BRIGHTNESS));
        light_class c = class_of(&all, i);
        if (brightness < LEAST_BRIGHTNESS && (c == CUSTOM || c == SPOT) &&
            !(magnitude(color) | magnitude(color + 4) | magnitude(color + 8))) {
            LL_REPORT(run, MREA_HINT_NONE, place_of(&all, i, BRIGHTNESS, LL_NO_PART), ll_float(brightness));
        }
    }
}

void mrea_check_brightness_huge(ll_check_run *run)
{
    lights all = lights_of(run->doc, run->span);
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t bits = ll_be32(field_at(&all, i, BRIGHTNESS)); /* negative ones are above infinity */
        if (bits <= BITS_HUGE || bits >= BITS_INFINITY || !is_distance_scale(&all, i)) {
            continue;
        }
        double brightness = ll_single_to_double(bits);
        double most = ll_be32(field_at(&all, i, FALLOFF)) == 1 ? MOST_LINEAR : MOST_QUADRATIC;
        if (brightness > most) {
            LL_REPORT(run, MREA_HINT_NONE, place_of(&all, i, BRIGHTNESS, LL_NO_PART), ll_float(brightness),
                      ll_float(most));
        }
    }
}

/* What is wrong with the up vector of a light with this direction; NULL: nothing. *measure: its length, or its cosine
 * with the direction. */
static const char *wrong_codirection(const uint8_t *up_bytes, const uint8_t *direction_bytes, double *measure)
{
    double up[3];
    double direction[3];
    if (!ll_read_singles(up_bytes, 3, true, up)) {
        return NULL;
    }
    double length = ll_length(up);
    *measure = length;
    if (fabs(length - 1) > UNIT_TOLERANCE) {
        return "of length";
    }
    bool aimed = ll_read_singles(direction_bytes, 3, true, direction) &&
                 fabs(ll_length(direction) - 1) <= UNIT_TOLERANCE; /* else other rules report it */
    double cosine = aimed ? ll_dot(up, direction) / (length * ll_length(direction)) : 0;
    *measure = cosine;
    return fabs(cosine) > ANGLE_TOLERANCE ? "whose cosine with the direction is" : NULL;
}

void mrea_check_codirection(ll_check_run *run)
{
    lights all = lights_of(run->doc, run->span);
    for (uint32_t i = 0; i < all.count; i++) {
        ll_where up = ll_at_field(run->doc, run->span, i, mrea_light_mp3_codirection);
        double measure = 0;
        const char *wrong =
            used[class_of(&all, i)] >> DIRECTION & 1U
                ? wrong_codirection(ll_doc_at(run->doc, up.offset), field_at(&all, i, DIRECTION), &measure)
                : NULL;
        if (wrong) {
            LL_REPORT(run, MREA_HINT_NONE, up, ll_word(wrong), ll_float(measure));
        }
    }
}

static bool is_set(const lights *all, uint32_t light, unsigned field)
{
    const uint8_t *p = field_at(all, light, field);
    switch (field) {
    case DIRECTION:
        return magnitude(p) || magnitude(p + 4) || magnitude(p + 8);
    case SHADOWS:
        return p[0];
    case FALLOFF:
        return ll_be32(p);
    default:
        return magnitude(p);
    }
}

void mrea_check_unused_for_type(ll_check_run *run)
{
    lights all = lights_of(run->doc, run->span);
    for (uint32_t i = 0; i < all.count; i++) {
        light_class c = class_of(&all, i);
        for (unsigned field = DIRECTION; field <= FALLOFF; field++) {
            if (!(used[c] >> field & 1U) && is_set(&all, i, field)) {
                LL_REPORT(run, MREA_HINT_NONE, place_of(&all, i, field, LL_NO_PART), ll_word(class_names[c]));
            }
        }
    }
}

/* ------------------------------------------------------------------ layers */

/* Number of ambients in an array. *last: the one that the engine keeps. Those without brightness are reported
 * elsewhere. */
static uint32_t count_ambients(const lights *all, uint32_t *last)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        if (type_of(all, i) == AMBIENT && magnitude(field_at(all, i, BRIGHTNESS))) {
            *last = i;
            count++;
        }
    }
    return count;
}

void mrea_check_ambient_multiple(ll_check_run *run)
{
    lights all = lights_of(run->doc, run->span);
    uint32_t last = 0;
    uint32_t count = count_ambients(&all, &last);
    for (uint32_t i = 0; count > 1 && i < last; i++) {
        if (type_of(&all, i) == AMBIENT) {
            LL_REPORT_RELATED(run, MREA_HINT_NONE, place_of(&all, i, TYPE, LL_NO_PART),
                              place_of(&all, last, TYPE, LL_NO_PART), ll_uint(last), ll_uint(count));
        }
    }
}

/* Number of lights of a layer; 0: there is no such layer, or not all its lights are there. Does not use the stated
 * count, which the reader may have found wrong. */
static uint32_t count_lights(const ll_doc *doc, unsigned layer)
{
    const mrea_summary *summary = ll_doc_memo(doc, mrea_index);
    bool known = summary->form && layer < summary->form->layers && ll_is_usable(doc, summary->layer[layer]);
    uint32_t array = known ? summary->array[layer] : LL_NO_SPAN;
    return array == LL_NO_SPAN ? 0 : ll_doc_span(doc, array)->count;
}

static ll_where layer_at(const ll_doc *doc, unsigned layer)
{
    const mrea_summary *summary = ll_doc_memo(doc, mrea_index);
    return ll_at_field(doc, summary->layer[layer], 0, mrea_layer_count);
}

/* Reports a layer without an ambient. Not if a type is unknown: it may be a damaged ambient, and is reported
 * already. */
void mrea_check_ambient_missing(ll_check_run *run)
{
    unsigned layer = ll_doc_span(run->doc, run->span)->index;
    if (count_lights(run->doc, layer) == 0) {
        return;
    }
    lights all = lights_of(run->doc, mrea_summary_of(run)->array[layer]);
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t type = type_of(&all, i);
        if (type == AMBIENT || type > SPOT) {
            return;
        }
    }
    LL_REPORT(run, MREA_HINT_NONE, layer_at(run->doc, layer), ll_uint(all.count));
}

void mrea_check_layer_first_empty(ll_check_run *run)
{
    const mrea_summary *summary = mrea_summary_of(run);
    unsigned layer = 0;
    while (layer < MREA_LAYERS_MAX && count_lights(run->doc, layer) == 0) {
        layer++;
    }
    if (layer > 0 && layer < MREA_LAYERS_MAX && ll_is_usable(run->doc, summary->layer[0])) {
        LL_REPORT_RELATED(run, MREA_HINT_NONE, layer_at(run->doc, 0), layer_at(run->doc, layer), ll_uint(layer),
                          ll_uint(count_lights(run->doc, layer)));
    }
}

/* Reports lights in layers from the third on: objects are only known to choose the first or the second layer. */
void mrea_check_layer_unreachable(ll_check_run *run)
{
    for (unsigned layer = 2; layer < MREA_LAYERS_MAX; layer++) {
        uint32_t count = count_lights(run->doc, layer);
        if (count > 0) {
            LL_REPORT(run, MREA_HINT_NONE, layer_at(run->doc, layer), ll_uint(layer), ll_uint(count));
        }
    }
}

/* Reports a visibility tree that counts fewer lights than a layer has. It may count none of the second layer. */
void mrea_check_visi_light_count(ll_check_run *run)
{
    static const uint8_t fields[] = {mrea_visibility_head_light_count, mrea_visibility_head_second_layer_light_count};
    const ll_doc *doc = run->doc;
    const mrea_summary *summary = mrea_summary_of(run);
    ll_element record;
    if (summary->game > MREA_MP2 || !ll_is_usable(doc, summary->visibility) ||
        !ll_element_at(doc, summary->visibility, 0, &record) || memcmp(record.bytes, "VISI", 4) != 0) {
        return;
    }
    for (unsigned layer = 0; layer < sizeof fields; layer++) {
        uint64_t known = ll_get_uint(&record, fields[layer]);
        uint32_t count = count_lights(doc, layer);
        if (known < count && (known || layer == 0)) {
            LL_REPORT_RELATED(run, MREA_HINT_NONE, ll_at_field(doc, summary->visibility, 0, fields[layer]),
                              layer_at(doc, layer), ll_uint(known), ll_uint(count), ll_uint(layer));
        }
    }
}
