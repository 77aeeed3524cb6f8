/* Walks a lights section and claims every byte of it. The counts alone tell where everything is, and the record layout
 * is nowhere stated: a walk is believed when it ends where the section does.
 *
 * What moves everything behind it - a wrong count, bytes put into a light or taken out of it, records of another length
 * - is sought where the walk does not end well, or where records do not look like lights. Each way to read the section
 * has a cost, the fields that hold what no light can, and the cheapest one is believed if it is the only one. Against a
 * walk that ends well it must be cheaper by more than one field: a field that is wrong outvotes no structure. Searches
 * look at every record a bounded number of times, so the work stays linear in the size. */
#include "formats/mrea/mrea.h"

#include "base/half.h"

enum {
    MAGIC_LENGTH = MREA_LIGHTS_MAGIC_LENGTH,
    COUNT_LENGTH = mrea_layer_SIZE,
    SAMPLE = 64,         /* records of a layer that are looked at where layouts are compared */
    SHIFT_MAX = 32,      /* bytes put in or taken out that are recognised as such */
    LENGTH_MAX = 8,      /* bytes by which all records are longer or shorter that are recognised as such */
    DAMAGED_FIELDS = 3,  /* fields that hold what no light can: the record is damaged, or is none */
    BAD_SHARE = 8,       /* one record out of so many may be damaged without saying that they are no lights */
    LOOKS_PER_LIGHT = 8, /* records looked at in a search, as a multiple of those that the section can hold */
    LOOKS_LEAST = 1024
};

static const uint32_t HUGE_FLOAT = 0x4E6E6B28; /* 1e9 */

/* Costs. A field that holds what no light can outweighs all doubts, which decide between ways that are equal else. */
#define FAULT (UINT64_C(1) << 32)
#define DOUBT UINT64_C(1)
#define ODD (3 * DOUBT)      /* of a float that nobody knows and that is none */
#define UNLIKELY (2 * DOUBT) /* of two ways that cost about as much, a wrong count is the likelier one */
#define TOO_MUCH UINT64_MAX

/* Fields that tell a light from other bytes. */
#define FIELDS(r)                                                                                                      \
    mrea_##r##_at_direction, mrea_##r##_at_brightness, mrea_##r##_at_cast_shadows, mrea_##r##_at_falloff_type
const mrea_form mrea_form_mp12 = {
    mrea_light_LAYOUT, mrea_light_SIZE, 2, "Prime 1 and 2 (2 layers, lights of 65 bytes)", mrea_light_at_unknown_30,
    FIELDS(light),     mrea_light_SIZE};
const mrea_form mrea_form_mp3 = {mrea_light_mp3_LAYOUT,
                                 mrea_light_mp3_SIZE,
                                 MREA_LAYERS_MAX,
                                 "Prime 3 (4 layers, lights of 101 bytes)",
                                 mrea_light_mp3_at_unknown_40,
                                 FIELDS(light_mp3),
                                 mrea_light_mp3_at_unknown_61};
#undef FIELDS
_Static_assert((int)mrea_light_at_color == (int)mrea_light_mp3_at_color, "the run of floats starts at the same place");

typedef struct section {
    ll_doc *doc;
    mrea_summary *summary;
    const uint8_t *bytes;
    uint32_t offset, length;
    uint32_t looks; /* records that a search may still look at */
    bool bare;      /* the file is the section */
    bool cut;
    int by; /* bytes that it has too many, as the sections behind it show; below 0: too few */
} section;

/* Where a walk ends: not where the section does; there, with padding that is not zero; there, with zero padding. */
typedef enum ending { ENDS_WRONG, ENDS_NONZERO_PADDING, ENDS_RIGHT } ending;

/* One way to read the section. Positions are from its start. */
typedef struct walk {
    const mrea_form *form;
    uint32_t at[MREA_LAYERS_MAX];    /* of the layers' counts */
    uint32_t count[MREA_LAYERS_MAX]; /* of the layers that are there whole, and of the one at which the walk stopped */
    uint32_t record;                 /* bytes of a light */
    unsigned layers;                 /* that are there whole */
    uint32_t end;                    /* behind the last of them */
    ending ending;
} walk;

/* What keeps a section from being read as it stands. */
typedef enum cause {
    NO_CAUSE,
    WRONG_COUNT,
    SHIFTED_LIGHT, /* bytes were put into it or taken out of it */
    DAMAGED_LIGHT,
    WRONG_LENGTH,  /* of all records */
    SWAPPED_FLOATS /* in all records */
} cause;

/* What has been found out about a section in one form. */
typedef struct reading {
    walk raw;  /* by the counts as they stand */
    walk best; /* as it is claimed */
    cause cause;
    uint64_t cost;          /* of the best walk; until a cause is found, what it must stay below */
    bool ambiguous;         /* the same cause with another number costs as much */
    unsigned layer;         /* of the count or light that is wrong */
    uint32_t light;         /* number of the light */
    int by;                 /* bytes put in; below 0: taken out */
    const mrea_form *other; /* the layout that fits where the one that was asked for does not, or fits as well */
} reading;

/* ------------------------------------------------------------------ records */

static bool is_plausible_float(uint32_t bits)
{
    uint32_t magnitude = bits & 0x7FFFFFFF;
    return !ll_single_is_denormal(bits) && magnitude <= HUGE_FLOAT; /* NaN and infinities are larger */
}

static bool is_directed(uint32_t type)
{
    return type == 1 || type == 3;
}

/* What a field costs that stands at p. The floats that nobody knows may hold anything, but seldom do. Floats: what a
 * light may have and bytes read a few places off often have is a doubt. floats: their byte order. */
static uint64_t cost_of_field(const mrea_form *form, uint32_t type, const ll_field *field, const uint8_t *p,
                              unsigned floats)
{
    unsigned at = field->offset;
    double square = 0;
    bool negative = false;
    if (field->type != LL_TYPE_F32) {
        uint64_t most = at == 0 ? 5 : at == form->cast_shadows ? 1 : at == form->falloff_type ? 2 : UINT32_MAX;
        return ll_read_uint(p, field->bytes, LL_BIG) > most ? FAULT : 0;
    }
    for (unsigned i = 0; i < field->bytes; i += 4) {
        uint32_t bits = (uint32_t)ll_read_uint(p + i, 4, floats);
        double x = ll_single_to_double(bits);
        if (!is_plausible_float(bits)) {
            return at < form->floats_end ? FAULT : ODD;
        }
        square += x * x;
        negative = negative || x < 0;
    }
    if (at == form->direction) {
        bool far = square <= 0.25 || square >= 4; /* other bytes are seldom near 1 in length */
        return far && is_directed(type) ? FAULT : square > 0.98 && square < 1.02 ? 0 : DOUBT;
    }
    bool doubtful = at == mrea_light_at_color || at == form->brightness + 4U ? negative
                    : at == form->brightness                                 ? negative || square <= 0
                    : at == mrea_light_mp3_at_alpha && field->bytes == 4     ? negative || square > 1
                                                                             : false;
    return doubtful ? DOUBT : 0;
}

static const ll_layout *layout_of(const mrea_form *form)
{
    return &mrea_format.layouts[form->layout];
}

static bool is_zero(const uint8_t *from, const uint8_t *to)
{
    while (from < to && *from == 0) {
        from++;
    }
    return from == to;
}

/* What the record at p costs. One that is all zero is no light. */
static uint64_t cost_of_record(const mrea_form *form, const uint8_t *p, unsigned floats)
{
    const ll_layout *layout = layout_of(form);
    uint64_t cost = is_zero(p, p + form->floats_end) ? FAULT : 0;
    for (unsigned i = 0; i < layout->field_count; i++) {
        cost += cost_of_field(form, ll_be32(p), &layout->fields[i], p + layout->fields[i].offset, floats);
    }
    return cost;
}

static uint64_t cost_of(const mrea_form *form, const uint8_t *p)
{
    return cost_of_record(form, p, LL_BIG);
}

static bool is_light(const mrea_form *form, const uint8_t *p)
{
    return cost_of(form, p) < FAULT;
}

/* The same of a record into which bytes were put, or out of which they were taken, in or in front of one field: that
 * field, and what was taken out, costs nothing. The least over all such fields. room: bytes that are there, at least as
 * many as the record has now. */
static uint64_t cost_of_split(const mrea_form *form, const uint8_t *p, int by, uint32_t room)
{
    const ll_layout *layout = layout_of(form);
    uint64_t behind[UINT8_MAX + 1] = {0}; /* of the fields from each on, where they are now */
    unsigned n = layout->field_count;
    uint32_t type = ll_be32(p);
    for (unsigned i = n; i-- > 0;) {
        const ll_field *f = &layout->fields[i];
        bool there = (int)f->offset + by >= 0;
        behind[i] = behind[i + 1] + (there ? cost_of_field(form, type, f, p + (int)f->offset + by, LL_BIG) : 0);
    }
    uint64_t front = 0;
    uint64_t best = TOO_MUCH;
    for (unsigned i = 0; i < n; i++) {
        const ll_field *f = &layout->fields[i];
        for (unsigned at = 0; at < 2; at++) { /* what is taken out begins where the field does, or inside it */
            int from = (int)f->offset + (at ? (int)f->bytes : 0);
            unsigned next = i + 1;
            while (next < n && (int)layout->fields[next].offset + by < from) {
                next++;
            }
            uint64_t cost = front + behind[next] + at * DOUBT;
            best = cost < best ? cost : best;
        }
        if (f->offset + (uint32_t)f->bytes > room) {
            break;
        }
        front += cost_of_field(form, type, f, p + f->offset, LL_BIG);
    }
    return best;
}

/* ------------------------------------------------------------------ walks */

static uint32_t word(const section *s, uint32_t at)
{
    return ll_be32(s->bytes + at);
}

/* Padding that belongs behind `end`. */
static uint32_t pad_of(uint32_t end)
{
    return (uint32_t)(ll_align_up(end, MREA_ALIGNMENT) - end);
}

/* Bytes behind the count of a layer. */
static uint32_t room_of(const section *s, const walk *w, unsigned layer)
{
    return s->length - w->at[layer] - COUNT_LENGTH;
}

/* Goes on from w->layers and w->end by the counts as they stand. */
static void walk_on(const section *s, walk *w)
{
    while (w->layers < w->form->layers) {
        w->at[w->layers] = w->end;
        if (s->length - w->end < COUNT_LENGTH) {
            return;
        }
        uint32_t count = word(s, w->end);
        w->count[w->layers] = count;
        uint64_t need = (uint64_t)count * w->record;
        if (need > s->length - w->end - COUNT_LENGTH) {
            return;
        }
        w->end += COUNT_LENGTH + (uint32_t)need;
        w->layers++;
    }
    if (s->length - w->end < MREA_ALIGNMENT) {
        w->ending = is_zero(s->bytes + w->end, s->bytes + s->length) ? ENDS_RIGHT : ENDS_NONZERO_PADDING;
    }
}

/* A walk that goes on behind a layer of so many lights, which is as it is taken to be. */
static walk resumed(const section *s, const walk *w, unsigned layer, uint32_t at, uint32_t count)
{
    walk way = *w;
    way.layers = layer + 1;
    way.at[layer] = at;
    way.count[layer] = count;
    way.end = at + COUNT_LENGTH + count * w->record;
    way.ending = ENDS_WRONG;
    walk_on(s, &way);
    return way;
}

static walk walk_all(const section *s, const mrea_form *form)
{
    walk w = {.form = form, .record = form->record, .end = MAGIC_LENGTH};
    walk_on(s, &w);
    return w;
}

/* The walk stopped at a count, not in front of one. */
static bool stops_at_count(const section *s, const walk *w)
{
    return w->layers < w->form->layers && s->length - w->end >= COUNT_LENGTH;
}

/* Records of a layer that lie in the section, also of the one at which the walk stopped. */
static uint32_t records_of(const section *s, const walk *w, unsigned layer)
{
    if (layer < w->layers) {
        return w->count[layer];
    }
    return stops_at_count(s, w) ? room_of(s, w, layer) / w->record : 0;
}

static unsigned layers_seen(const section *s, const walk *w)
{
    return w->layers + stops_at_count(s, w);
}

static uint32_t position_of(const walk *w, unsigned layer, uint32_t i)
{
    return w->at[layer] + COUNT_LENGTH + i * w->record;
}

/* Record i of a layer, which must lie in the section. */
static const uint8_t *light_at(const section *s, const walk *w, unsigned layer, uint32_t i)
{
    return s->bytes + position_of(w, layer, i);
}

/* Of the first n records of a layer, how many are no lights. */
static uint32_t count_bad(const section *s, const walk *w, unsigned layer, uint32_t n)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < n; i++) {
        bad += !is_light(w->form, light_at(s, w, layer, i));
    }
    return bad;
}

/* What bytes of a light and other bytes seldom have in common. */
static bool has_plausible_numbers(const mrea_form *form, const uint8_t *p)
{
    return (ll_be32(p) <= 5) & (p[form->cast_shadows] <= 1) & (ll_be32(p + form->falloff_type) <= 2) &
           is_plausible_float(ll_be32(p + mrea_light_at_color));
}

/* First and last record of every layer are lights, and the others are not plainly none: where a count is wrong, one of
 * them is. */
static bool looks_sound(const section *s, const walk *w)
{
    bool sound = true;
    for (unsigned k = 0; sound && k < w->layers; k++) {
        uint32_t n = w->count[k];
        sound = n == 0 || (is_light(w->form, light_at(s, w, k, 0)) && is_light(w->form, light_at(s, w, k, n - 1)));
        for (uint32_t i = 0; sound && i < n; i++) {
            sound = has_plausible_numbers(w->form, light_at(s, w, k, i));
        }
    }
    return sound;
}

/* ------------------------------------------------------------------ why it is not as it should be */

static uint64_t add_costs(uint64_t a, uint64_t b)
{
    return a < TOO_MUCH - b ? a + b : TOO_MUCH;
}

/* What n lights of a layer cost, from the first one on; TOO_MUCH when no looks are left. */
static uint64_t cost_of_layer(section *s, const walk *w, unsigned layer, uint32_t n)
{
    uint64_t cost = n <= s->looks ? 0 : TOO_MUCH;
    s->looks -= n <= s->looks ? n : s->looks;
    int by = (int)w->record - (int)w->form->record;
    for (uint32_t i = 0; cost < TOO_MUCH && i < n; i++) {
        const uint8_t *light = light_at(s, w, layer, i);
        cost += by ? cost_of_split(w->form, light, by, w->record) : cost_of(w->form, light);
    }
    return cost;
}

/* The same of the layers [first, end). */
static uint64_t cost_of_layers(section *s, const walk *w, unsigned first, unsigned end)
{
    uint64_t cost = 0;
    for (unsigned k = first; k < end; k++) {
        cost = add_costs(cost, cost_of_layer(s, w, k, w->count[k]));
    }
    return cost;
}

/* Keeps a way to read the section that costs less than those before it. */
static void consider(reading *r, const reading *way)
{
    if (way->cost < r->cost) {
        r->ambiguous = false;
        r->cause = way->cause;
        r->best = way->best;
        r->cost = way->cost;
        r->layer = way->layer;
        r->light = way->light;
        r->by = way->by;
    } else if (way->cost == r->cost && way->cause == r->cause) {
        r->ambiguous =
            r->ambiguous || way->by == 0 || way->by != r->by; /* of neighbours that could be shifted, the first */
    }
}

static bool is_padded(const section *s, uint32_t end)
{
    return s->length == end || s->length - end == pad_of(end);
}

/* Tries every other count of one layer. */
static void try_counts(section *s, reading *r, unsigned layer)
{
    const walk w = r->raw;
    uint32_t most = room_of(s, &w, layer) / w.record;
    uint64_t front = cost_of_layers(s, &w, 0, layer);
    for (uint32_t count = 0; count <= most && front <= r->cost; count++) {
        walk other = resumed(s, &w, layer, w.at[layer], count);
        if (count != w.count[layer] && other.ending == ENDS_RIGHT && is_padded(s, other.end)) {
            uint64_t cost = add_costs(front, cost_of_layers(s, &other, layer + 1, other.layers));
            consider(r, &(reading){.best = other, .cause = WRONG_COUNT, .cost = cost, .layer = layer});
        }
        front = add_costs(front, count < most ? cost_of(w.form, light_at(s, &w, layer, count)) : 0);
    }
}

/* Tries every number of bytes put into one light or taken out of it. `front`: what the lights in front of it cost.
 * Where none are behind it, or all are sound as they stand, more than one of its own fields must be the better for it:
 * else the padding is too long. */
static void try_shifts(section *s, reading *r, unsigned layer, uint32_t light, uint64_t front)
{
    const walk w = r->raw;
    const uint8_t *p = light_at(s, &w, layer, light);
    uint32_t room = s->length - position_of(&w, layer, light);
    uint64_t behind = w.count[layer] - light - 1;
    bool sound = w.layers == w.form->layers && looks_sound(s, &w);
    for (int by = s->by ? s->by : -SHIFT_MAX; by <= (s->by ? s->by : SHIFT_MAX); by++) {
        int64_t next = (int64_t)position_of(&w, layer, light + 1) + by;
        if (by == 0 || next + (int64_t)(behind * w.record) > s->length) {
            continue;
        }
        walk moved = resumed(s, &w, layer, (uint32_t)next - COUNT_LENGTH, (uint32_t)behind);
        bool kept = s->length - moved.end == pad_of((uint32_t)((int64_t)moved.end - by)); /* the padding as it was */
        if (moved.ending == ENDS_WRONG || !(kept || is_padded(s, moved.end))) {
            continue;
        }
        uint64_t own = cost_of_split(w.form, p, by, room);
        uint32_t lights = 0;
        for (unsigned k = layer; k < moved.layers; k++) {
            lights |= moved.count[k];
        }
        if ((lights && !sound) || room < w.record || cost_of(w.form, p) > own + ODD) {
            own += moved.ending == ENDS_RIGHT ? UNLIKELY : 2 * UNLIKELY;
            uint64_t cost = add_costs(front + own, cost_of_layers(s, &moved, layer, moved.layers));
            consider(
                r, &(reading){
                       .best = moved, .cause = SHIFTED_LIGHT, .cost = cost, .layer = layer, .light = light, .by = by});
        }
    }
}

/* Steps to the light in front of one; false: there is none. */
static bool step_back(const section *s, const walk *w, unsigned *layer, uint32_t *light)
{
    while (*light == 0 && *layer > 0) {
        --*layer;
        *light = records_of(s, w, *layer);
    }
    bool there = *light > 0;
    *light -= there;
    return there;
}

/* Bytes were put in or taken out at the first record that is no light or not all there, or a little in front of it, as
 * what follows may pass for a light; where all are lights, at one of the last. */
static void find_shift(section *s, reading *r)
{
    enum { BACK = 3, SHORTEST = 16 };
    static const uint8_t order[BACK] = {1, 0, 2}; /* the end of a light says less than the front of the next */
    const walk *w = &r->raw;
    unsigned layer = 0;
    uint32_t light = 0;
    bool found = false;
    for (; !found && layer < layers_seen(s, w); layer += !found) {
        uint32_t n = records_of(s, w, layer);
        for (light = 0; light < n && is_light(w->form, light_at(s, w, layer, light));) {
            light++;
        }
        found = light < n || (n < w->count[layer] && s->length - position_of(w, layer, n) >= SHORTEST);
    }
    light = found ? light : 0;
    uint64_t front[BACK + 1] = {0}; /* what the lights between each and those farther back cost */
    uint32_t lights[BACK];
    unsigned layers[BACK];
    unsigned count = 0;
    for (; count < BACK && (found || step_back(s, w, &layer, &light)); found = false) {
        layers[count] = layer;
        lights[count++] = light;
    }
    for (unsigned i = count; i-- > 1;) {
        front[i] = front[i + 1] + cost_of(w->form, light_at(s, w, layers[i], lights[i]));
    }
    for (unsigned i = 0; i < BACK; i++) {
        if (order[i] < count) {
            try_shifts(s, r, layers[order[i]], lights[order[i]], front[order[i] + 1]);
        }
    }
}

/* All records are longer or shorter by as much. Of a single one that would say no more than that it is. */
static void find_length(section *s, reading *r)
{
    for (int by = looks_sound(s, &r->raw) ? LENGTH_MAX + 1 : -LENGTH_MAX; by <= LENGTH_MAX; by++) {
        walk w = {.form = r->raw.form, .record = (uint32_t)((int)r->raw.record + by), .end = MAGIC_LENGTH};
        walk_on(s, &w);
        uint64_t lights = 0;
        for (unsigned k = 0; k < w.layers; k++) {
            lights += w.count[k];
        }
        if (by && lights > 1 && w.ending == ENDS_RIGHT && is_padded(s, w.end)) {
            uint64_t cost = add_costs(UNLIKELY, cost_of_layers(s, &w, 0, w.layers));
            consider(r, &(reading){.best = w, .cause = WRONG_LENGTH, .cost = cost, .by = by});
        }
    }
}

/* The walk is right, and what is wrong are the floats of all lights, or most of one. */
static void find_bad_lights(const section *s, reading *r)
{
    const walk *w = &r->raw;
    uint64_t turned = 0; /* cost of all lights once the bytes of their floats are turned */
    uint32_t worse = 0;  /* lights for which that is no good */
    uint32_t damaged = 0;
    uint32_t all = 0;
    for (unsigned k = 0; k < w->layers; k++) {
        for (uint32_t i = 0; i < w->count[k]; i++, all++) {
            const uint8_t *light = light_at(s, w, k, i);
            uint64_t cost = cost_of(w->form, light);
            uint64_t other = cost_of_record(w->form, light, LL_LITTLE);
            turned += other;
            worse += other >= cost;
            if (cost >= DAMAGED_FIELDS * FAULT && damaged++ == 0) {
                r->layer = k;
                r->light = i;
            }
        }
    }
    bool swapped = all && worse <= all / BAD_SHARE && turned < (all / BAD_SHARE + 1) * FAULT;
    r->cause = swapped ? SWAPPED_FLOATS : damaged == 1 ? DAMAGED_LIGHT : NO_CAUSE;
}

/* The walk ends well, and over lights only, and at the end of each layer nothing looks out of place. */
static bool are_all_lights(section *s, const walk *w)
{
    s->looks = UINT32_MAX;
    bool sound = w->ending == ENDS_RIGHT && cost_of_layers(s, w, 0, w->layers) < FAULT;
    for (unsigned k = 0; k < w->layers && sound; k++) {
        uint32_t n = w->count[k];
        sound = n == 0 || cost_of(w->form, light_at(s, w, k, n - 1)) < ODD;
    }
    return sound;
}

/* Reads the section in one form, and finds out what is wrong with it. A walk that ends well is believed unless another
 * way to read the section has no fault where it has one and doubts, or more. */
static void resolve(section *s, reading *r)
{
    const walk *w = &r->raw;
    bool failed = w->ending == ENDS_WRONG;
    uint32_t lights = s->length / w->record;
    uint64_t enough = FAULT + DOUBT;
    r->best = *w;
    if (s->by) {
        r->cost = TOO_MUCH;
        if (!are_all_lights(s, w)) {
            find_shift(s, r);
        }
        return;
    }
    if (s->cut || (!failed && is_padded(s, w->end) && looks_sound(s, w))) {
        return;
    }
    s->looks =
        lights > (UINT32_MAX - LOOKS_LEAST) / LOOKS_PER_LIGHT ? UINT32_MAX : lights * LOOKS_PER_LIGHT + LOOKS_LEAST;
    uint64_t stands = cost_of_layers(s, w, 0, w->layers);
    stands = add_costs(
        stands, failed && stops_at_count(s, w) ? cost_of_layer(s, w, w->layers, records_of(s, w, w->layers)) : 0);
    uint64_t most =
        stands / FAULT < lights / BAD_SHARE ? stands / FAULT : lights / BAD_SHARE; /* faults of the best way */
    stands = failed ? TOO_MUCH : stands;
    stands = add_costs(stands, w->ending == ENDS_RIGHT ? 0 : FAULT);
    stands = add_costs(stands, is_padded(s, w->end) ? 0 : 2 * FAULT);
    if (stands < enough) {
        return;
    }
    r->cost = failed ? (most + 1) * FAULT : stands - enough < FAULT ? stands - enough + 1 : FAULT;
    for (unsigned layer = 0; layer < layers_seen(s, w); layer++) {
        try_counts(s, r, layer);
    }
    find_length(s, r);
    find_shift(s, r);
    if (r->ambiguous || s->looks == 0) { /* with no looks left there may be other ways */
        r->cause = NO_CAUSE;
        r->best = *w;
        r->by = 0;
    }
    if (!failed && !r->cause && stands >= 2 * FAULT) {
        find_bad_lights(s, r);
        r->cost = stands;
    }
}

/* ------------------------------------------------------------------ which form */

typedef struct share {
    uint32_t good, looked;
} share;

/* Lights among the records that the walk gives. Where it gives none, only its end is against it. */
static share share_of(const section *s, const walk *w)
{
    share all = {0, 0};
    for (unsigned k = 0; k < layers_seen(s, w); k++) {
        uint32_t n = records_of(s, w, k);
        n = n < SAMPLE ? n : SAMPLE;
        all.looked += n;
        all.good += n - count_bad(s, w, k, n);
    }
    return all.looked ? all : (share){w->ending != ENDS_WRONG, 1};
}

/* Above 0: a is the better one. */
static int compare_shares(share a, share b)
{
    uint64_t left = (uint64_t)a.good * b.looked;
    uint64_t right = (uint64_t)b.good * a.looked;
    return (left > right) - (left < right);
}

/* Ends where the section does, and not by chance: at least half of the records are lights. */
static bool fits(const section *s, const walk *w)
{
    share lights = share_of(s, w);
    return w->ending == ENDS_RIGHT && lights.good >= lights.looked - lights.good;
}

/* Where neither form fits as it stands: the one with the better cause for that, or with a cause that is no count, then
 * the one whose records are lights, then the one that ends better or that one count corrects. */
static int compare_corrected(section *s, reading *a, reading *b)
{
    resolve(s, a);
    resolve(s, b);
    int by_cost = a->cause && b->cause ? (a->cost < b->cost) - (a->cost > b->cost) : 0;
    int by_cause = (a->cause > WRONG_COUNT) - (b->cause > WRONG_COUNT);
    int by_share = compare_shares(share_of(s, &a->best), share_of(s, &b->best));
    int by_ending = (int)a->raw.ending - (int)b->raw.ending;
    return by_cost     ? by_cost
           : by_cause  ? by_cause
           : by_share  ? by_share
           : by_ending ? by_ending
                       : (a->cause != NO_CAUSE) - (b->cause != NO_CAUSE);
}

/* A bare section says nowhere what form it is in. */
static reading tell_form(section *s)
{
    reading a = {.raw = walk_all(s, &mrea_form_mp12)};
    reading b = {.raw = walk_all(s, &mrea_form_mp3)};
    bool a_fits = fits(s, &a.raw);
    bool b_fits = fits(s, &b.raw);
    if (!a_fits && !b_fits) {
        return compare_corrected(s, &a, &b) < 0 ? b : a;
    }
    int better = a_fits != b_fits ? a_fits - b_fits : compare_shares(share_of(s, &a.raw), share_of(s, &b.raw));
    reading *taken = better < 0 ? &b : &a;
    taken->other = better ? NULL : &mrea_form_mp3;
    resolve(s, taken);
    return *taken;
}

/* Reads in the form that the user or the version of the area says. Where only the other one fits, no count is wrong. */
static reading take_form(section *s, const mrea_form *form)
{
    reading r = {.raw = walk_all(s, form)};
    walk other = walk_all(s, form == &mrea_form_mp3 ? &mrea_form_mp12 : &mrea_form_mp3);
    if (r.raw.ending == ENDS_WRONG && fits(s, &other)) {
        r.other = other.form;
        r.best = r.raw;
    } else {
        resolve(s, &r);
    }
    return r;
}

/* ------------------------------------------------------------------ claims and faults */

static ll_where at_count(const section *s, unsigned layer)
{
    return ll_at_field(s->doc, s->summary->layer[layer], 0, mrea_layer_count);
}

/* Everything from a place on that is below `parent`. */
static void leave_rest(const section *s, uint32_t parent, uint32_t from)
{
    ll_claim_unparsed(s->doc, parent, s->offset + from, s->offset + s->length);
}
/* Claims a layer that takes `length` bytes, with n lights. */
static void claim_layer(const section *s, const walk *w, unsigned layer, uint32_t length, uint32_t n)
{
    uint32_t at = s->offset + w->at[layer];
    uint32_t span = ll_claim_record(s->doc, s->summary->lights, mrea_layer_LAYOUT, at, at + length, layer);
    s->summary->layer[layer] = span;
    s->summary->array[layer] = ll_claim_array(s->doc, span, w->form->layout, at + COUNT_LENGTH, n);
}

static void claim_layers(const section *s, const walk *w)
{
    for (unsigned k = 0; k < w->layers; k++) {
        claim_layer(s, w, k, COUNT_LENGTH + w->count[k] * w->form->record, w->count[k]);
    }
}

/* A count with the value that makes everything fit as its repair. */
static void blame_count(const section *s, const reading *r)
{
    uint32_t stated = r->raw.count[r->layer];
    uint32_t right = r->best.count[r->layer];
    uint32_t left = room_of(s, &r->raw, r->layer);
    uint64_t need = (uint64_t)stated * r->raw.form->record;
    ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_LAYER_COUNT, MREA_HINT_COUNT_FIELD, at_count(s, r->layer), ll_nowhere(),
                                   ll_uint(stated), ll_uint(right));
    if (need > left) {
        fault.code = MREA_FAULT_LAYER_TRUNCATED;
        fault.hint =
            right && right == ll_le32(s->bytes + r->raw.at[r->layer]) ? MREA_HINT_SWAPPED : MREA_HINT_COUNT_FIELD;
        fault.arg[1] = ll_uint(need);
        fault.arg[2] = ll_uint(left);
        fault.arg[3] = ll_uint(right);
        s->doc->unread = s->doc->unread || (s->bare && fault.hint != MREA_HINT_SWAPPED); /* the file may be cut */
    }
    if (s->length - r->best.end == pad_of(r->best.end)) { /* else the file may have been cut */
        ll_patch_field(s->doc, &fault, LL_PATCH_UNSAFE, right);
    }
    ll_raise(s->doc, &fault);
}

static const uint8_t zeros[2 * MREA_ALIGNMENT] = {0};

/* The size of the section, where its table states it; else its last row of 32 bytes. */
static ll_where at_size(const section *s)
{
    const mrea_summary *summary = s->summary;
    if (summary->size_table != LL_NO_SPAN && summary->lights_index < ll_doc_span(s->doc, summary->size_table)->count) {
        return ll_at_field(s->doc, summary->size_table, summary->lights_index, mrea_section_size_section_size);
    }
    uint32_t partial = s->length % MREA_ALIGNMENT;
    return ll_at_bytes(summary->lights, s->offset + s->length - partial, partial);
}

/* Padding is missing. A bare section can be given it. */
static void report_unaligned(const section *s, uint32_t end)
{
    uint64_t right = ll_align_up(end, MREA_ALIGNMENT);
    ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_SECTION_UNALIGNED, MREA_HINT_NONE, at_size(s), ll_nowhere(),
                                   ll_uint(s->length), ll_uint(right));
    if (s->bare) {
        fault.code = MREA_FAULT_SECTION_UNALIGNED_BARE;
        fault.at = ll_at_bytes(LL_NO_SPAN, s->length, 0);
        if (end == s->length) { /* else bytes may have been taken out elsewhere */
            ll_patch_bytes(s->doc, &fault, LL_PATCH_SAFE, s->length, 0, zeros, (uint32_t)(right - s->length));
        }
    }
    ll_raise(s->doc, &fault);
}

/* What lies behind the last layer. */
static void finish(const section *s, const reading *r)
{
    uint32_t end = r->best.end;
    uint32_t rest = s->length - end;
    uint32_t pad = pad_of(end);
    uint32_t from = s->offset + end;
    if (rest > pad && !r->cause && !s->by) {
        LL_RAISE(s->doc, MREA_FAULT_PADDING_TOO_LONG, MREA_HINT_NONE,
                 ll_claim_gap(s->doc, s->summary->lights, from, from + rest), ll_uint(rest), ll_uint(pad));
        return;
    }
    ll_claim_bytes(s->doc, s->summary->lights, mrea_lights_padding_LAYOUT, from, from + rest);
    if (rest < pad && !s->cut && !r->cause && !s->by) {
        report_unaligned(s, end);
    }
}

/* A section that is whole but for counts of its last layers. Padded as it is, one tool left them out, and zeros in
 * front of the padding are what it should have written. */
static void report_missing(const section *s, const walk *w, unsigned hint)
{
    uint32_t rest = s->length - w->end;
    uint32_t end = w->end + (w->form->layers - w->layers) * COUNT_LENGTH;
    ll_where at = ll_at_bytes(s->summary->lights, s->offset + w->end, rest);
    bool padded = w->form == &mrea_form_mp12 && w->layers && s->length % MREA_ALIGNMENT == 0 &&
                  is_zero(s->bytes + w->end, s->bytes + s->length) && looks_sound(s, w);
    ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_LAYER_MISSING, padded ? MREA_HINT_LEFT_OUT : hint, at, ll_nowhere(),
                                   ll_uint(w->layers), ll_uint(w->form->layers), ll_uint(rest));
    if (s->bare && padded) {
        uint32_t right = (uint32_t)ll_align_up(end, MREA_ALIGNMENT);
        ll_patch_bytes(s->doc, &fault, LL_PATCH_UNSAFE, s->length, 0, zeros, right - s->length);
    }
    ll_raise(s->doc, &fault);
}

/* Says why a walk did not end where the section does, when what it gives has been claimed. */
static void report_stop(const section *s, const walk *w, unsigned hint)
{
    ll_doc *doc = s->doc;
    uint32_t rest = s->length - w->end;
    ll_where at = ll_at_bytes(s->summary->lights, s->offset + w->end, rest);
    if (s->cut) { /* of a cut file it has been said */
        return;
    }
    doc->fatal = true;
    if (w->layers == w->form->layers) {
        LL_RAISE(doc, MREA_FAULT_PADDING_TOO_LONG, hint, at, ll_uint(rest), ll_uint(pad_of(w->end)));
    } else if (!stops_at_count(s, w)) {
        report_missing(s, w, hint);
    } else {
        uint32_t count = w->count[w->layers];
        LL_RAISE(doc, MREA_FAULT_LAYER_TRUNCATED, hint, at_count(s, w->layers), ll_uint(count),
                 ll_uint((uint64_t)count * w->record), ll_uint(room_of(s, w, w->layers)),
                 ll_uint(records_of(s, w, w->layers)));
    }
}

/* Claims a layer up to an address, with n lights at its front; the rest of it is for the caller to claim. */
static void claim_broken_layer(const section *s, const walk *w, unsigned layer, uint32_t end, uint32_t n)
{
    claim_layer(s, w, layer, end - s->offset - w->at[layer], n);
    ll_mark_span(s->doc, s->summary->layer[layer], LL_SPAN_BROKEN);
}

/* A walk that does not come to the end and that no other count corrects. The lights of its last layer are believed when
 * they are lights: then they run out with the section, and the count need not be wrong. */
static void stop_short(const section *s, const walk *w)
{
    unsigned hint = s->bare && w->layers && looks_sound(s, w) ? MREA_HINT_CUT_FILE : MREA_HINT_NONE;
    claim_layers(s, w);
    if (stops_at_count(s, w)) {
        uint32_t n = records_of(s, w, w->layers);
        bool lights = s->cut || count_bad(s, w, w->layers, n) <= n / BAD_SHARE;
        n = lights ? n : 0;
        claim_broken_layer(s, w, w->layers, s->offset + s->length, n);
        leave_rest(s, s->summary->layer[w->layers], position_of(w, w->layers, n));
        hint = n ? MREA_HINT_CUT_FILE : MREA_HINT_NONE;
    } else {
        leave_rest(s, s->summary->lights, w->end);
    }
    report_stop(s, w, hint);
}

/* A light of which no more is believed than its place. */
static uint32_t claim_unread(ll_doc *doc, uint32_t layer, uint32_t from, uint32_t to, uint32_t number)
{
    uint32_t span = ll_claim_group(doc, layer, mrea_light_unread_LAYOUT, from, to, number);
    ll_mark_span(doc, span, LL_SPAN_BROKEN);
    return span;
}

/* All lights are believed but one, of which no more than its place is. */
static void claim_around(const section *s, const reading *r)
{
    ll_doc *doc = s->doc;
    const walk *w = &r->raw;
    uint32_t from = s->offset + position_of(w, r->layer, r->light);
    uint32_t next = (uint32_t)((int64_t)from + w->record + r->by);
    uint32_t behind = w->count[r->layer] - r->light - 1;
    for (unsigned k = 0; k < r->best.layers; k++) {
        const walk *here = k <= r->layer ? w : &r->best;
        if (k != r->layer) {
            claim_layer(s, here, k, COUNT_LENGTH + here->count[k] * here->record, here->count[k]);
            continue;
        }
        claim_broken_layer(s, w, k, next + behind * w->record, r->light);
        uint32_t layer = s->summary->layer[k];
        uint32_t light = claim_unread(doc, layer, from, next, r->light);
        for (uint32_t i = 0; i < behind && doc->status == LL_OK; i++) {
            uint32_t at = next + i * w->record;
            ll_claim_record(doc, layer, w->form->layout, at, at + w->record, r->light + 1 + i);
        }
        ll_where at = ll_at_bytes(light, from, next - from);
        if (r->cause == SHIFTED_LIGHT) {
            LL_RAISE(doc, MREA_FAULT_LIGHT_SHIFTED, MREA_HINT_NONE, at, ll_uint((uint64_t)(r->by < 0 ? -r->by : r->by)),
                     ll_word(r->by < 0 ? "taken out" : "put in"));
        } else {
            LL_RAISE(doc, MREA_FAULT_LIGHT_DAMAGED, MREA_HINT_NONE, at,
                     ll_uint(cost_of(w->form, ll_doc_at(doc, from)) / FAULT));
        }
    }
}

/* Nothing of the lights is believed but how many they are and how long. */
static void claim_lengths(const section *s, const reading *r)
{
    ll_doc *doc = s->doc;
    const walk *w = &r->best;
    ll_where first = ll_nowhere();
    for (unsigned k = 0; k < w->layers; k++) {
        uint32_t lights = s->offset + position_of(w, k, 0);
        uint32_t end = s->offset + position_of(w, k, w->count[k]);
        claim_broken_layer(s, w, k, end, 0);
        uint32_t from = lights;
        if (first.span == LL_NO_SPAN && w->count[k]) {
            from = lights + w->record;
            uint32_t light = claim_unread(doc, s->summary->layer[k], lights, from, 0);
            first = ll_at_bytes(light, lights, w->record);
        }
        ll_claim_unparsed(doc, s->summary->layer[k], from, end);
    }
    doc->fatal = true;
    LL_RAISE(doc, MREA_FAULT_LIGHT_LENGTH, MREA_HINT_NONE, first, ll_uint(w->record), ll_uint(w->form->record));
}

/* The lights are there, but their floats say nothing. */
static void claim_swapped(const section *s, const walk *w)
{
    ll_where first = ll_nowhere();
    claim_layers(s, w);
    for (unsigned k = 0; k < w->layers; k++) {
        uint32_t array = s->summary->array[k];
        if (array != LL_NO_SPAN) {
            ll_mark_span(s->doc, array, LL_SPAN_BROKEN);
            first = first.span == LL_NO_SPAN ? ll_at_field(s->doc, array, 0, mrea_light_color) : first;
        }
    }
    ll_raise_with(s->doc, MREA_FAULT_FLOATS_SWAPPED, MREA_HINT_NONE, first, ll_nowhere(), NULL, 0);
}

/* The form that was asked for does not fit, and the other one does: lights read in the wrong form would be nonsense. */
static void refuse_form(const section *s, const walk *w)
{
    if (stops_at_count(s, w)) {
        ll_claim_unparsed(s->doc, s->summary->lights, s->offset + MAGIC_LENGTH, s->offset + w->end);
        claim_broken_layer(s, w, w->layers, s->offset + s->length, 0);
        leave_rest(s, s->summary->layer[w->layers], position_of(w, w->layers, 0));
    } else {
        leave_rest(s, s->summary->lights, MAGIC_LENGTH);
    }
    report_stop(s, w, MREA_HINT_OTHER_LAYOUT);
}

/* ------------------------------------------------------------------ the section */

/* Before there was a magic, a section was a count and the lights of one layer. */
static bool is_legacy(const section *s)
{
    walk w = {.form = &mrea_form_mp12, .record = mrea_form_mp12.record};
    uint32_t count = word(s, 0);
    uint64_t end = COUNT_LENGTH + (uint64_t)count * w.form->record;
    return count && end <= s->length && ll_align_up(end, MREA_ALIGNMENT) == s->length &&
           count_bad(s, &w, 0, count) <= count / BAD_SHARE;
}

/* lights: all that follows is right, so that no other word can stand there. */
static void report_magic(const section *s, bool lights)
{
    uint32_t magic = word(s, 0);
    ll_where at = ll_at_field(s->doc, s->summary->lights, 0, mrea_lights_magic);
    ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_LIGHTS_MAGIC, MREA_HINT_NONE, at, ll_nowhere(), ll_uint(magic));
    if (magic == MREA_LIGHTS_MAGIC_SWAPPED) {
        const uint8_t *count = s->bytes + MAGIC_LENGTH;
        bool all = s->length >= MAGIC_LENGTH + COUNT_LENGTH && ll_le32(count) < ll_be32(count);
        fault.code = MREA_FAULT_LIGHTS_MAGIC_SWAPPED;
        fault.hint = all ? MREA_HINT_SWAPPED : MREA_HINT_NONE;
    } else {
        fault.hint = !lights && is_legacy(s) ? MREA_HINT_LEGACY_SINGLE_LAYER : MREA_HINT_NONE;
    }
    if (lights) {
        ll_patch_field(s->doc, &fault, LL_PATCH_SAFE, MREA_LIGHTS_MAGIC);
    }
    ll_raise(s->doc, &fault);
}

/* Claims what the reading gives, below the section's span, and says what is wrong with it. */
static void parse_reading(const section *s, const reading *r, bool magic)
{
    bool fits = r->best.ending != ENDS_WRONG;
    if (!magic && (!fits || r->cause)) { /* nothing says that these are lights */
        s->doc->fatal = true;
        leave_rest(s, s->summary->lights, MAGIC_LENGTH);
        return;
    }
    if (r->other && !fits) {
        refuse_form(s, &r->raw);
        return;
    }
    s->summary->form = r->best.form;
    if (!fits && r->best.layers < r->best.form->layers) {
        stop_short(s, &r->best);
        return;
    }
    if (r->cause == SHIFTED_LIGHT || r->cause == DAMAGED_LIGHT) {
        claim_around(s, r);
    } else if (r->cause == WRONG_LENGTH) {
        claim_lengths(s, r);
    } else if (r->cause == SWAPPED_FLOATS) {
        claim_swapped(s, &r->best);
    } else {
        claim_layers(s, &r->best);
    }
    if (r->cause == WRONG_COUNT) {
        blame_count(s, r);
    }
    finish(s, r);
    if (r->other && magic) {
        LL_RAISE(s->doc, MREA_FAULT_VARIANT_AMBIGUOUS, MREA_HINT_NONE,
                 ll_at_bytes(s->summary->lights, s->offset, s->length), ll_word(r->best.form->name),
                 ll_word(r->other->name));
    }
}

void mrea_parse_lights(ll_doc *doc, mrea_summary *summary, uint32_t parent, uint32_t offset, uint32_t length,
                       const mrea_form *form, bool cut, int by)
{
    section s = {doc, summary, ll_doc_at(doc, offset), offset, length, 0, summary->header == LL_NO_SPAN, cut, by};
    if (length < MAGIC_LENGTH) { /* bare ones and empty ones have been reported */
        if (length && !cut) {
            LL_RAISE(doc, MREA_FAULT_LAYER_MISSING, MREA_HINT_NONE, ll_at_bytes(parent, offset, length), ll_uint(0),
                     ll_uint((form ? form : &mrea_form_mp12)->layers), ll_uint(length));
        }
        leave_rest(&s, parent, 0);
        return;
    }
    summary->lights = ll_claim_record(doc, parent, mrea_lights_LAYOUT, offset, offset + length, LL_NO_INDEX);
    if (!form && doc->variant) {
        form = doc->variant == 1 + MREA_MP3 ? &mrea_form_mp3 : &mrea_form_mp12;
    }
    reading r = form ? take_form(&s, form) : tell_form(&s);
    bool magic = word(&s, 0) == MREA_LIGHTS_MAGIC;
    if (!magic) {
        report_magic(&s, r.best.ending == ENDS_RIGHT && !r.cause &&
                             r.best.end > MAGIC_LENGTH + r.best.layers * COUNT_LENGTH);
    }
    parse_reading(&s, &r, magic);
    if (s.bare && summary->form == &mrea_form_mp3) {
        summary->game = MREA_MP3;
    }
}

bool mrea_are_lights(const ll_doc *doc, uint32_t offset, uint32_t length, const mrea_form *form)
{
    section s = {.bytes = ll_doc_at(doc, offset), .offset = offset, .length = length};
    walk w = walk_all(&s, form);
    return are_all_lights(&s, &w);
}
