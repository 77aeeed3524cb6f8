/* Named checks of lights, layers and other floats. A check of lights runs once per array, over all its records: a
 * section may hold a million of them, so the loops look at the bits of big-endian words and leave arithmetic to the few
 * records that need it. Which fields a type uses, and what the engines do with odd values: docs/formats/mrea.md.
 * Non-finite floats have rules of their own. */
#include "formats/mrea/mrea_check.h"

#include "base/half.h"

#include <math.h>
#include <string.h>

/* What a light acts as; types from 4 on act as custom. */
typedef enum light_class { AMBIENT, DIRECTIONAL, CUSTOM, SPOT } light_class;

static const char *const class_names[] = {"local ambient", "directional", "custom", "spot"};

typedef struct field_ref {
    uint8_t number; /* in the layout */
    uint8_t at;     /* offset in the record */
} field_ref;

/* The two record layouts hold the same fields in different places. */
typedef struct light_form {
    uint32_t size;
    field_ref type, color, position, direction, brightness, spot_cutoff, cast_shadows, falloff_type;
} light_form;

#define FIELD_REF(r, name)                                                                                             \
    {                                                                                                                  \
        mrea_##r##_##name, mrea_##r##_at_##name                                                                        \
    }
#define LIGHT_FORM(r)                                                                                                  \
    {                                                                                                                  \
        mrea_##r##_SIZE, FIELD_REF(r, type), FIELD_REF(r, color), FIELD_REF(r, position), FIELD_REF(r, direction),     \
            FIELD_REF(r, brightness), FIELD_REF(r, spot_cutoff), FIELD_REF(r, cast_shadows),                           \
            FIELD_REF(r, falloff_type)                                                                                 \
    }
static const light_form form_mp12 = LIGHT_FORM(light);
static const light_form form_mp3 = LIGHT_FORM(light_mp3);
#undef LIGHT_FORM
#undef FIELD_REF

/* The records of an array span. */
typedef struct lights {
    const light_form *form;
    const uint8_t *first;
    uint32_t count;
} lights;

static lights lights_of(const ll_doc *doc, uint32_t span)
{
    const ll_span *s = ll_doc_span(doc, span);
    return (lights){s->layout == mrea_light_mp3_LAYOUT ? &form_mp3 : &form_mp12, ll_doc_at(doc, s->offset), s->count};
}

static const uint8_t *light_at(const lights *all, uint32_t element)
{
    return all->first + (size_t)element * all->form->size;
}

static uint32_t type_of(const lights *all, const uint8_t *light)
{
    return ll_be32(light + all->form->type.at);
}

static light_class class_of(uint32_t type)
{
    return type > SPOT ? CUSTOM : (light_class)type;
}

static bool is_aimed(light_class c)
{
    return c == DIRECTIONAL || c == SPOT;
}

static bool is_attenuated(light_class c)
{
    return c == CUSTOM || c == SPOT;
}

/* ------------------------------------------------------------------ floats as bits */

/* The bits without the sign order non-negative numbers, infinity and NaNs by size. */
static uint32_t magnitude(const uint8_t *p)
{
    return ll_be32(p) & 0x7FFFFFFFU;
}

enum {
    BITS_INFINITY = 0x7F800000,
    BITS_LEAST_NORMAL = 0x00800000,
    BITS_HUGE = 0x4E6E6B28,     /* 1e9 */
    BITS_NO_LENGTH = 0x358637BD /* 1e-6, rounded down: a component above it makes a vector longer than that */
};

static const double NO_LENGTH = 1e-6;
static const double UNIT_TOLERANCE = 1e-3;
static const double ANGLE_TOLERANCE = 1e-2;          /* cosine, between direction and up vector */
static const double ROW_ANGLE_TOLERANCE = 1e-3;      /* cosine, between rows of a transform */
static const double LEAST_BRIGHTNESS = 1.1920929e-7; /* what is less the engine takes as FLOOR_BRIGHTNESS */
static const double FLOOR_BRIGHTNESS = 1e-6;
static const double ROUNDING = 1e-6;              /* products of two singles are that exact */
static const double MOST_LINEAR = 2.097152e9;     /* above, 250 / brightness is less than LEAST_BRIGHTNESS */
static const double MOST_QUADRATIC = 2.097152e11; /* the same with 25000 */

static double number_at(const uint8_t *p)
{
    return ll_single_to_double(ll_be32(p));
}

/* False when a component is not finite. */
static bool read_vector(const uint8_t *p, double out[3])
{
    bool finite = true;
    for (unsigned k = 0; k < 3; k++) {
        finite = finite && magnitude(p + (size_t)4 * k) < BITS_INFINITY;
        out[k] = number_at(p + (size_t)4 * k);
    }
    return finite;
}

/* Components are singles, so that no square overflows a double. */
static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length_of(const double v[3])
{
    return sqrt(dot(v, v));
}

static ll_where part_of(ll_where at, unsigned part)
{
    at.part = (uint16_t)part;
    at.offset += 4 * part;
    at.length = 4;
    return at;
}

/* ------------------------------------------------------------------ values of a light */

enum { SLOTS = 11, SLOT_BRIGHTNESS = 9 };

/* The floats that some type uses: three each of color, position and direction, then brightness and cutoff. */
static const uint16_t used_slots[] = {[AMBIENT] = 0x207, [DIRECTIONAL] = 0x1C7, [CUSTOM] = 0x23F, [SPOT] = 0x7FF};

static void find_slots(const light_form *form, field_ref out[SLOTS])
{
    const field_ref fields[] = {form->color, form->position, form->direction, form->brightness, form->spot_cutoff};
    for (unsigned k = 0; k < SLOTS; k++) {
        field_ref field = fields[k < SLOT_BRIGHTNESS ? k / 3 : k - SLOT_BRIGHTNESS + 3];
        unsigned part = k < SLOT_BRIGHTNESS ? k % 3 : 0;
        out[k] = (field_ref){field.number, (uint8_t)(field.at + 4 * part)};
    }
}

/* Bit k: the float of slot k is neither 0 nor an ordinary number. */
static unsigned odd_slots(const uint8_t *light, const field_ref slots[SLOTS])
{
    unsigned odd = 0;
    for (unsigned k = 0; k < SLOTS; k++) {
        uint32_t bits = magnitude(light + slots[k].at);
        bool ordinary = bits - BITS_LEAST_NORMAL <= BITS_HUGE - BITS_LEAST_NORMAL; /* less wraps around */
        odd |= (unsigned)(!ordinary & (bits != 0)) << k;
    }
    return odd;
}

/* As a scale of distance a large brightness makes sense: 1e9 reaches some 800 units where it falls off by the square.
 * brightness_huge knows the limit. */
static bool is_distance_scale(const lights *all, const uint8_t *light)
{
    uint32_t falloff = ll_be32(light + all->form->falloff_type.at);
    return is_attenuated(class_of(type_of(all, light))) && (falloff == 1 || falloff == 2);
}

void mrea_check_float_extreme(ll_check_run *run)
{
    lights all = lights_of(run->doc, run->span);
    field_ref slots[SLOTS];
    find_slots(all.form, slots);
    for (uint32_t i = 0; i < all.count; i++) {
        const uint8_t *light = light_at(&all, i);
        unsigned odd = odd_slots(light, slots) & used_slots[class_of(type_of(&all, light))];
        for (unsigned k = 0; odd >> k; k++) {
            uint32_t bits = magnitude(light + slots[k].at);
            bool denormal = bits < BITS_LEAST_NORMAL;
            bool judged = bits < BITS_INFINITY && (denormal || k != SLOT_BRIGHTNESS || !is_distance_scale(&all, light));
            if ((odd >> k & 1U) && judged) {
                ll_where at = ll_at_field(run->doc, run->span, i, slots[k].number);
                LL_REPORT(run, MREA_HINT_NONE, k < SLOT_BRIGHTNESS ? part_of(at, k % 3) : at,
                          ll_word(denormal ? "denormal" : "huge"));
            }
        }
    }
}

/* One finding per light, at the channel that is the most over: brightness and the three channels have one cause. */
void mrea_check_ambient_saturated(ll_check_run *run)
{
    static const char *const channels[] = {"red", "green", "blue"};
    lights all = lights_of(run->doc, run->span);
    for (uint32_t i = 0; i < all.count; i++) {
        const uint8_t *light = light_at(&all, i);
        const uint8_t *scale = light + all.form->brightness.at;
        double color[3];
        bool sound = magnitude(scale) <= BITS_HUGE; /* float_extreme reports more */
        if (class_of(type_of(&all, light)) != AMBIENT || !sound || !read_vector(light + all.form->color.at, color)) {
            continue;
        }
        double brightness = number_at(scale);
        unsigned most = color[1] > color[0] ? 1 : 0;
        most = color[2] > color[most] ? 2 : most;
        double product = color[most] * (brightness < LEAST_BRIGHTNESS ? FLOOR_BRIGHTNESS : brightness);
        if (product > 1 + ROUNDING) {
            LL_REPORT(run, MREA_HINT_NONE, part_of(ll_at_field(run->doc, run->span, i, all.form->color.number), most),
                      ll_word(channels[most]), ll_float(product));
        }
    }
}

void mrea_check_brightness_huge(ll_check_run *run)
{
    lights all = lights_of(run->doc, run->span);
    for (uint32_t i = 0; i < all.count; i++) {
        const uint8_t *light = light_at(&all, i);
        const uint8_t *brightness = light + all.form->brightness.at;
        uint32_t bits = ll_be32(brightness); /* with its sign: negative ones are beyond infinity */
        if (bits <= BITS_HUGE || bits >= BITS_INFINITY || !is_distance_scale(&all, light)) {
            continue;
        }
        bool linear = ll_be32(light + all.form->falloff_type.at) == 1;
        double most = linear ? MOST_LINEAR : MOST_QUADRATIC;
        if (number_at(brightness) > most) {
            LL_REPORT(run, MREA_HINT_NONE, ll_at_field(run->doc, run->span, i, all.form->brightness.number),
                      ll_float(number_at(brightness)), ll_float(most));
        }
    }
}

/* What is wrong with an up vector of a light of that direction; NULL: nothing. *measure: by what it is wrong. */
static const char *wrong_codirection(const uint8_t *up_bytes, const uint8_t *direction_bytes, double *measure)
{
    double up[3];
    double direction[3];
    if (!read_vector(up_bytes, up)) {
        return NULL;
    }
    double length = length_of(up);
    *measure = length;
    if (length < NO_LENGTH) {
        return "zero";
    }
    if (fabs(length - 1) > UNIT_TOLERANCE) {
        return "not of unit length";
    }
    bool aimed = read_vector(direction_bytes, direction) &&
                 fabs(length_of(direction) - 1) <= UNIT_TOLERANCE; /* else others speak */
    double cosine = aimed ? dot(up, direction) / (length * length_of(direction)) : 0;
    *measure = cosine;
    return fabs(cosine) > ANGLE_TOLERANCE ? "not perpendicular to the direction" : NULL;
}

void mrea_check_codirection(ll_check_run *run)
{
    lights all = lights_of(run->doc, run->span);
    for (uint32_t i = 0; all.form == &form_mp3 && i < all.count; i++) {
        const uint8_t *light = light_at(&all, i);
        if (!is_aimed(class_of(type_of(&all, light)))) {
            continue;
        }
        double measure = 0;
        const char *wrong =
            wrong_codirection(light + mrea_light_mp3_at_codirection, light + mrea_light_mp3_at_direction, &measure);
        if (wrong) {
            LL_REPORT(run, MREA_HINT_NONE, ll_at_field(run->doc, run->span, i, mrea_light_mp3_codirection),
                      ll_word(wrong), ll_float(measure));
        }
    }
}

/* Fields that a type does not use, unless tools set them for every light: a position is where an editor shows the
 * light. */
void mrea_check_unused_for_type(ll_check_run *run)
{
    enum { DIRECTION = 1, BRIGHTNESS = 2, CUTOFF = 4, SHADOWS = 8, FALLOFF = 16, FIELDS = 5 };
    static const uint8_t unused[] = {[AMBIENT] = DIRECTION | CUTOFF | SHADOWS | FALLOFF,
                                     [DIRECTIONAL] = BRIGHTNESS | CUTOFF | FALLOFF,
                                     [CUSTOM] = DIRECTION | CUTOFF,
                                     [SPOT] = 0};
    lights all = lights_of(run->doc, run->span);
    const light_form *form = all.form;
    const field_ref fields[FIELDS] = {form->direction, form->brightness, form->spot_cutoff, form->cast_shadows,
                                      form->falloff_type};
    for (uint32_t i = 0; i < all.count; i++) {
        const uint8_t *light = light_at(&all, i);
        const uint8_t *direction = light + form->direction.at;
        light_class c = class_of(type_of(&all, light));
        unsigned set = 0;
        set |= magnitude(direction) || magnitude(direction + 4) || magnitude(direction + 8) ? DIRECTION : 0;
        set |= magnitude(light + form->brightness.at) ? BRIGHTNESS : 0;
        set |= magnitude(light + form->spot_cutoff.at) ? CUTOFF : 0;
        set |= light[form->cast_shadows.at] ? SHADOWS : 0;
        set |= ll_be32(light + form->falloff_type.at) ? FALLOFF : 0;
        for (unsigned k = 0; k < FIELDS; k++) {
            if ((set & unused[c]) >> k & 1U) {
                LL_REPORT(run, MREA_HINT_NONE, ll_at_field(run->doc, run->span, i, fields[k].number),
                          ll_word(class_names[c]));
            }
        }
    }
}

/* ------------------------------------------------------------------ layers */

/* Ambients of an array; *last: the one that the engine keeps. */
static uint32_t count_ambients(const lights *all, uint32_t *last)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        if (type_of(all, light_at(all, i)) == AMBIENT) {
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
        if (type_of(&all, light_at(&all, i)) == AMBIENT) {
            LL_REPORT_RELATED(run, MREA_HINT_NONE, ll_at_field(run->doc, run->span, i, all.form->type.number),
                              ll_at_field(run->doc, run->span, last, all.form->type.number), ll_uint(last),
                              ll_uint(count));
        }
    }
}

/* The array of a layer; LL_NO_SPAN: it has none, or not all of its lights are there (then the layer is broken). */
static uint32_t whole_array(const ll_doc *doc, const mrea_summary *summary, unsigned layer)
{
    uint32_t span = summary->layer[layer];
    bool whole = ll_is_usable(doc, span);
    return whole ? summary->array[layer] : LL_NO_SPAN;
}

/* The lights of a layer; false: not known. The count that the file states is not asked: the parser may have found it
 * wrong. */
static bool count_lights(const ll_doc *doc, const mrea_summary *summary, unsigned layer, uint32_t *count)
{
    uint32_t span = summary->layer[layer];
    uint32_t array = whole_array(doc, summary, layer);
    *count = array == LL_NO_SPAN ? 0 : ll_doc_span(doc, array)->count;
    return ll_is_usable(doc, span);
}

static unsigned layers_of(const mrea_summary *summary)
{
    return summary && summary->form ? summary->form->layers : 0;
}

/* A type that is none may be a damaged ambient's; that is said already. */
static bool all_types_known(const lights *all)
{
    uint32_t i = 0;
    while (i < all->count && type_of(all, light_at(all, i)) <= SPOT) {
        i++;
    }
    return i == all->count;
}

void mrea_check_ambient_missing(ll_check_run *run)
{
    const mrea_summary *summary = mrea_summary_of(run);
    for (unsigned i = 0; i < layers_of(summary); i++) {
        uint32_t array = summary->layer[i] == run->span ? whole_array(run->doc, summary, i) : LL_NO_SPAN;
        uint32_t last = 0;
        if (array == LL_NO_SPAN) {
            continue;
        }
        lights all = lights_of(run->doc, array);
        if (all.count && count_ambients(&all, &last) == 0 && all_types_known(&all)) {
            LL_REPORT(run, MREA_HINT_NONE, ll_at_field(run->doc, run->span, 0, mrea_layer_count), ll_uint(all.count));
        }
    }
}

static ll_fault layer_fault(const ll_doc *doc, uint32_t at, unsigned layer, uint32_t count)
{
    ll_fault fault = ll_fault_at(0, ll_at_field(doc, at, 0, mrea_layer_count));
    fault.arg[0] = ll_uint(layer);
    fault.arg[1] = ll_uint(count);
    return fault;
}

void mrea_check_layer_first_empty(ll_check_run *run)
{
    const mrea_summary *summary = mrea_summary_of(run);
    unsigned layers = layers_of(summary);
    uint32_t count = 0;
    if (layers == 0 || !count_lights(run->doc, summary, 0, &count) || count > 0) {
        return;
    }
    for (unsigned i = 1; i < layers; i++) {
        if (count_lights(run->doc, summary, i, &count) && count > 0) {
            ll_fault fault = layer_fault(run->doc, summary->layer[0], i, count);
            fault.related = ll_at_field(run->doc, summary->layer[i], 0, mrea_layer_count);
            ll_report_fault(run, &fault);
            return;
        }
    }
}

/* Objects choose the first layer or the second; nothing is known to choose the others. */
void mrea_check_layer_unreachable(ll_check_run *run)
{
    enum { REACHABLE = 2 };
    const mrea_summary *summary = mrea_summary_of(run);
    for (unsigned i = REACHABLE; i < layers_of(summary); i++) {
        uint32_t count = 0;
        if (count_lights(run->doc, summary, i, &count) && count > 0) {
            ll_fault fault = layer_fault(run->doc, summary->layer[i], i, count);
            ll_report_fault(run, &fault);
        }
    }
}

void mrea_check_visi_light_count(ll_check_run *run)
{
    static const uint8_t fields[] = {mrea_visibility_head_light_count, mrea_visibility_head_second_layer_light_count};
    const ll_doc *doc = run->doc;
    const mrea_summary *summary = mrea_summary_of(run);
    if (!summary || summary->game > MREA_MP2 || summary->visibility == LL_NO_SPAN ||
        (ll_doc_span(doc, summary->visibility)->flags & LL_SPAN_BROKEN) ||
        memcmp(ll_doc_at(doc, ll_doc_span(doc, summary->visibility)->offset), "VISI", 4) != 0) {
        return;
    }
    for (unsigned i = 0; i < sizeof fields && i < layers_of(summary); i++) {
        uint64_t spoken = ll_get_uint(doc, summary->visibility, 0, fields[i]);
        uint32_t count = 0;
        bool optional = i > 0; /* a tree need not know the second layer */
        if (count_lights(doc, summary, i, &count) && spoken < count && (spoken || !optional)) {
            LL_REPORT_RELATED(run, MREA_HINT_NONE, ll_at_field(doc, summary->visibility, 0, fields[i]),
                              ll_at_field(doc, summary->layer[i], 0, mrea_layer_count), ll_uint(spoken), ll_uint(count),
                              ll_uint(i));
        }
    }
}

/* ------------------------------------------------------------------ transform */

/* Three rows of four; the fourth column is the translation. One finding: the first row that is no row of a rotation. */
void mrea_check_transform_orthonormal(ll_check_run *run)
{
    enum { ROW = 16, ROW_PART = 12 };
    const ll_doc *doc = run->doc;
    ll_where field = ll_at_field(doc, run->span, 0, mrea_header_mp1_transform); /* the same field in every header */
    const uint8_t *bytes = ll_doc_at(doc, field.offset);
    double row[3][3];
    bool finite = true;
    for (unsigned i = 0; i < 3; i++) {
        finite = read_vector(bytes + (size_t)ROW * i, row[i]) && finite;
    }
    for (unsigned i = 0; finite && i < 3; i++) {
        double length = length_of(row[i]);
        ll_fault fault = ll_fault_at(0, field);
        fault.at.offset += ROW * i;
        fault.at.length = ROW_PART;
        if (fabs(length - 1) > UNIT_TOLERANCE) {
            fault.arg[0] = ll_word("a row that is not of unit length");
            fault.arg[1] = ll_float(length);
            ll_report_fault(run, &fault);
            return;
        }
        for (unsigned k = 0; k < i; k++) {
            double cosine = dot(row[i], row[k]) / (length * length_of(row[k]));
            if (fabs(cosine) > ROW_ANGLE_TOLERANCE) {
                fault.related = field;
                fault.related.offset += ROW * k;
                fault.related.length = ROW_PART;
                fault.arg[0] = ll_word("rows that are not perpendicular");
                fault.arg[1] = ll_float(cosine);
                ll_report_fault(run, &fault);
                return;
            }
        }
    }
}
