/* Finds the way to read a lights section. The counts alone tell where everything is, and the record layout is nowhere
 * stated: a walk is believed when it ends where the section does.
 *
 * Other ways have a wrong count, bytes put in or taken out, records of another length, floats in the other byte order.
 * A way costs what it says is wrong, and all that is implausible when the section is read so. The cheapest is taken, if
 * it is the only one. No way costs less than one field that no light can hold: such a field outvotes no structure.
 * Searches look at every record a bounded number of times, so the work stays linear in the size. */
#include "formats/mrea/mrea_reading.h"

enum {
    MAGIC_LENGTH = MREA_LIGHTS_MAGIC_LENGTH,
    COUNT_LENGTH = mrea_layer_SIZE,
    SAMPLE = 64,          /* records of a layer that are looked at where layouts are compared */
    SHIFT_MAX = 32,       /* bytes put in or taken out that are recognised as such */
    LENGTH_MAX = 8,       /* bytes by which records are longer or shorter that are recognised as such */
    REST_MAX = 64,        /* bytes behind the last layer that may be padding, where something is wrong */
    BAD_SHARE = 8,        /* one record out of so many may be damaged without saying that they are no lights */
    LOOKS_PER_LIGHT = 16, /* records looked at in a search, as a multiple of those that the section can hold */
    LOOKS_LEAST = 8192,
    AMBIENT = 0 /* type of a light */
};

/* What the causes cost. None is cheaper than a field that holds what no light can. */
enum {
    FAULT = MREA_COST_FAULT,
    PRICE_COUNT = FAULT + 2,
    PRICE_SHIFT = FAULT + 8,
    PRICE_SWAP = FAULT + 8,
    PRICE_LENGTH = FAULT + 16,
    PRICE_DAMAGE = 2 * FAULT + 32,
    LEAST_PRICE = PRICE_COUNT
};

/* ------------------------------------------------------------------ walks */

uint32_t mrea_pad_of(uint32_t end)
{
    return (uint32_t)(ll_align_up(end, MREA_ALIGNMENT) - end);
}

uint32_t mrea_room_of(const mrea_section *s, const mrea_walk *w, unsigned layer)
{
    return s->length - w->at[layer] - COUNT_LENGTH;
}

/* Goes on from w->layers and w->end by the counts as they stand. */
static void walk_on(const mrea_section *s, mrea_walk *w)
{
    for (; w->layers < w->form->layers; w->layers++) {
        unsigned k = w->layers;
        w->at[k] = w->end;
        if (!ll_fits(w->end, COUNT_LENGTH, s->length)) {
            return;
        }
        w->count[k] = ll_be32(s->bytes + w->end);
        uint64_t need = (uint64_t)w->count[k] * w->record[k];
        if (need > mrea_room_of(s, w, k)) {
            return;
        }
        w->end += COUNT_LENGTH + (uint32_t)need;
    }
    if (s->length - w->end < MREA_ALIGNMENT) {
        w->ending = ll_is_zero(s->bytes + w->end, s->bytes + s->length) ? MREA_ENDS_RIGHT : MREA_ENDS_NONZERO;
    }
}

/* A walk that goes on behind a layer of so many lights, which ends there. */
static mrea_walk resumed(const mrea_section *s, const mrea_walk *w, unsigned layer, uint32_t count, uint32_t end)
{
    mrea_walk way = *w;
    way.layers = layer + 1;
    way.count[layer] = count;
    way.end = end;
    way.ending = MREA_ENDS_WRONG;
    walk_on(s, &way);
    return way;
}

static mrea_walk walk_all(const mrea_section *s, const mrea_form *form)
{
    mrea_walk w = {.form = form, .end = MAGIC_LENGTH};
    for (unsigned k = 0; k < MREA_LAYERS_MAX; k++) {
        w.record[k] = form->record;
    }
    walk_on(s, &w);
    return w;
}

bool mrea_stops_at_count(const mrea_section *s, const mrea_walk *w)
{
    return w->layers < w->form->layers && s->length - w->end >= COUNT_LENGTH;
}

uint32_t mrea_records_of(const mrea_section *s, const mrea_walk *w, unsigned layer)
{
    if (layer < w->layers) {
        return w->count[layer];
    }
    return mrea_stops_at_count(s, w) ? mrea_room_of(s, w, layer) / w->record[layer] : 0;
}

static unsigned layers_seen(const mrea_section *s, const mrea_walk *w)
{
    return w->layers + mrea_stops_at_count(s, w);
}

uint32_t mrea_position_of(const mrea_walk *w, unsigned layer, uint32_t light)
{
    return w->at[layer] + COUNT_LENGTH + light * w->record[layer];
}

/* Record i of a layer, which must lie in the section. */
static const uint8_t *light_at(const mrea_section *s, const mrea_walk *w, unsigned layer, uint32_t i)
{
    return s->bytes + mrea_position_of(w, layer, i);
}

/* Of the first n records of a layer, how many are no lights. Where records are shorter than lights, the last ones may
 * leave no room for a light. */
static uint32_t count_bad(const mrea_section *s, const mrea_walk *w, unsigned layer, uint32_t n)
{
    uint32_t from = mrea_position_of(w, layer, 0);
    uint32_t room = from < s->length ? s->length - from : 0;
    uint32_t whole = room < w->form->record ? 0 : (room - w->form->record) / w->record[layer] + 1;
    uint32_t looked = n < whole ? n : whole;
    uint32_t bad = n - looked;
    for (uint32_t i = 0; i < looked; i++) {
        bad += !mrea_is_light(w->form, light_at(s, w, layer, i));
    }
    return bad;
}

bool mrea_are_mostly_lights(const mrea_section *s, const mrea_walk *w, unsigned layer, uint32_t n)
{
    return count_bad(s, w, layer, n) <= n / BAD_SHARE;
}

/* What bytes of a light and other bytes seldom have in common. Without branches, as every light of an area is
 * asked. */
static bool has_plausible_numbers(const mrea_form *form, const uint8_t *p)
{
    unsigned type = ll_be32(p) <= 5;
    unsigned shadows = p[form->cast_shadows] <= 1;
    unsigned falloff = ll_be32(p + form->falloff_type) <= 2;
    unsigned color = mrea_is_plausible(ll_be32(p + mrea_light_at_color) & 0x7FFFFFFF);
    return type & shadows & falloff & color;
}

bool mrea_looks_sound(const mrea_section *s, const mrea_walk *w)
{
    bool sound = true;
    for (unsigned k = 0; sound && k < w->layers; k++) {
        uint32_t n = w->count[k];
        sound = n == 0 ||
                (mrea_is_light(w->form, light_at(s, w, k, 0)) && mrea_is_light(w->form, light_at(s, w, k, n - 1)));
        for (uint32_t i = 0; sound && i < n; i++) {
            sound = has_plausible_numbers(w->form, light_at(s, w, k, i));
        }
    }
    return sound;
}

/* ------------------------------------------------------------------ costs of walks */

/* The record at p, if looks are left. */
static uint64_t look_at(mrea_section *s, const mrea_form *form, const uint8_t *p)
{
    if (s->looks == 0) {
        return MREA_COST_TOO_MUCH;
    }
    s->looks--;
    return mrea_cost_of_light(form, p);
}

/* The first n lights of a layer. */
static uint64_t cost_of_layer(mrea_section *s, const mrea_walk *w, unsigned layer, uint32_t n)
{
    uint64_t cost = 0;
    for (uint32_t i = 0; cost < MREA_COST_TOO_MUCH && i < n; i++) {
        cost = mrea_add_costs(cost, look_at(s, w->form, light_at(s, w, layer, i)));
    }
    return cost;
}

/* The same of the layers [first, end). */
static uint64_t cost_of_layers(mrea_section *s, const mrea_walk *w, unsigned first, unsigned end)
{
    uint64_t cost = 0;
    for (unsigned k = first; k < end; k++) {
        cost = mrea_add_costs(cost, cost_of_layer(s, w, k, w->count[k]));
    }
    return cost;
}

/* What lies behind the last layer of a section that has `by` bytes more than it had, up to `length`: padding as it
 * belongs there now, as it was, or so that the section is as long as it was. */
static uint64_t cost_of_rest(const mrea_section *s, uint32_t end, int64_t by, uint32_t length)
{
    int64_t before = (int64_t)end - by;
    uint32_t rest = length - end;
    if (rest >= REST_MAX || !ll_is_zero(s->bytes + end, s->bytes + length)) { /* also where it ends before `end` */
        return MREA_COST_TOO_MUCH;
    }
    bool padded = rest == 0 || rest == mrea_pad_of(end) || rest == mrea_pad_of((uint32_t)before) ||
                  length == ll_align_up((uint64_t)before, MREA_ALIGNMENT);
    return padded ? 0 : FAULT;
}

/* The same of a walk. Where bytes were taken out of a section inside an area, the next one has moved up: *others is how
 * many bytes of it are here. */
static uint64_t cost_of_end(const mrea_section *s, const mrea_walk *w, int64_t by, uint32_t *others)
{
    *others = 0;
    if (w->layers < w->form->layers) {
        return MREA_COST_TOO_MUCH;
    }
    uint64_t cost = cost_of_rest(s, w->end, by, s->length);
    if (cost && s->inside && !s->cut && !s->by && by < 0 && -by <= s->length) {
        uint32_t moved = (uint32_t)-by;
        uint64_t other = cost_of_rest(s, w->end, by, s->length - moved);
        *others = other < cost ? moved : 0;
        cost = other < cost ? other : cost;
    }
    return cost;
}

/* ------------------------------------------------------------------ other ways */

/* Keeps a way to read the section that costs less than those before it. Of two lights in a row that could be shifted
 * alike, or of a light and the count behind it, it is the first one: what ends a light is more often zero than what
 * follows it begins with. */
static void consider(mrea_reading *r, const mrea_reading *way)
{
    bool tie = way->cost == r->cost && way->by == r->by && r->cause == MREA_SHIFTED_LIGHT;
    bool neighbour = tie && way->cause == MREA_SHIFTED_LIGHT && way->layer == r->layer && way->light + 1 == r->light;
    bool tie_of_numbers = way->cost == r->cost && r->cause == MREA_SHIFTED_LIGHT && way->cause == r->cause &&
                          way->layer == r->layer && way->light == r->light && (way->by < 0) == (r->by < 0);
    r->or_next = r->or_next || (tie && way->cause == MREA_SHIFTED_COUNT && way->layer == r->layer + 1 &&
                                r->light + 1 == r->best.count[r->layer]);
    if (way->cost < r->cost || neighbour) {
        mrea_walk raw = r->raw;
        *r = *way;
        r->by_last = r->by;
        r->raw = raw;
        r->or_next = neighbour;
    } else if (tie_of_numbers) {
        r->by_last = way->by;
    } else if (way->cost == r->cost && way->cause == r->cause) {
        r->ambiguous = r->ambiguous || way->by == 0 || way->by != r->by;
    }
}

/* So many bytes may be what the section has too many. */
static bool may_have(const mrea_section *s, int64_t by)
{
    return s->by ? by == s->by : by < 0 || !s->cut;
}

/* Tries every other count of one layer, with `by` bytes put in at it or taken out. front: cost of the layers in front
 * of it. Where the count alone is wrong, its lights may have been put in or taken out; a second ambient light among
 * more than it says rather begins the next layer. */
static void try_counts(mrea_section *s, mrea_reading *r, unsigned layer, int by, uint64_t front)
{
    mrea_walk w = r->raw;
    uint32_t stated = w.count[layer];
    w.at[layer] = (uint32_t)((int64_t)w.at[layer] + by);
    if (w.at[layer] + COUNT_LENGTH > s->length) {
        return;
    }
    uint32_t most = mrea_room_of(s, &w, layer) / w.record[layer];
    uint64_t price = by ? PRICE_SHIFT : PRICE_COUNT;
    bool ambients = false;
    for (uint32_t count = 0; count <= most && mrea_add_costs(front, price) <= r->cost; count++) {
        mrea_walk other = resumed(s, &w, layer, count, mrea_position_of(&w, layer, count));
        int64_t more = by ? by : ((int64_t)count - stated) * w.record[layer];
        uint32_t others = 0;
        uint32_t none = 0;
        uint64_t end = may_have(s, more) ? cost_of_end(s, &other, more, &others) : MREA_COST_TOO_MUCH;
        uint64_t same = by || !may_have(s, 0) ? MREA_COST_TOO_MUCH : cost_of_end(s, &other, 0, &none);
        others = same <= end ? 0 : others;
        end = same < end ? same : end;
        if (end < MREA_COST_TOO_MUCH && (by || count != stated)) {
            uint64_t cost = mrea_add_costs(front + price + end, cost_of_layers(s, &other, layer + 1, other.layers));
            consider(r, &(mrea_reading){.best = other,
                                        .cause = by ? MREA_SHIFTED_COUNT : MREA_WRONG_COUNT,
                                        .cost = cost,
                                        .layer = layer,
                                        .others = others,
                                        .by = by});
        }
        const uint8_t *light = count < most ? light_at(s, &w, layer, count) : NULL;
        bool ambient = light && ll_be32(light) == AMBIENT;
        front = mrea_add_costs(front, light ? look_at(s, w.form, light) : 0);
        front = mrea_add_costs(front, ambient && ambients && count >= stated && !by ? MREA_COST_UNLIKELY : 0);
        ambients = ambients || ambient;
    }
}

static uint64_t lights_behind(const mrea_walk *w, unsigned layer)
{
    uint64_t lights = 0;
    for (unsigned k = layer + 1; k < w->layers; k++) {
        lights += w->count[k];
    }
    return lights;
}

/* Tries `by` bytes put into every light of a layer up to the number `last`, or taken out of it. front: what all in
 * front of that one costs. Where nothing but padding is behind it, which is as it should be, it takes three of its
 * fields. */
static void try_shift(mrea_section *s, mrea_reading *r, unsigned layer, int by, uint32_t last, uint64_t front)
{
    const mrea_walk w = r->raw;
    uint64_t end = (uint64_t)((int64_t)mrea_position_of(&w, layer, 0) + (int64_t)w.count[layer] * w.record[layer] + by);
    if (end > s->length) {
        return;
    }
    mrea_walk moved = resumed(s, &w, layer, w.count[layer], (uint32_t)end);
    uint32_t others;
    uint64_t behind = cost_of_end(s, &moved, by, &others);
    if (behind == MREA_COST_TOO_MUCH) {
        return;
    }
    behind = mrea_add_costs(behind + PRICE_SHIFT, cost_of_layers(s, &moved, layer + 1, moved.layers));
    uint32_t none;
    bool alone = lights_behind(&r->raw, layer) == 0 && cost_of_end(s, &r->raw, 0, &none) == 0;
    for (uint32_t i = w.count[layer]; i-- > 0 && behind <= r->cost;) {
        const uint8_t *light = light_at(s, &w, layer, i);
        if (i <= last) {
            uint64_t splits[MREA_SPLITS] = {0};
            front -= i < last ? mrea_cost_of_light(w.form, light) : 0;
            mrea_add_splits(w.form, light, by, s->length - mrea_position_of(&w, layer, i), splits);
            uint64_t own = mrea_least_split(w.form, splits) + (alone && i + 1 == w.count[layer] ? FAULT : 0);
            uint64_t cost = mrea_add_costs(mrea_add_costs(front, behind), own);
            consider(r, &(mrea_reading){.best = moved,
                                        .cause = MREA_SHIFTED_LIGHT,
                                        .cost = cost,
                                        .layer = layer,
                                        .light = i,
                                        .lights = 1,
                                        .others = others,
                                        .by = by});
        }
        behind = mrea_add_costs(behind, i ? look_at(s, w.form, light + by) : 0);
    }
}

static void try_shifts(mrea_section *s, mrea_reading *r, unsigned layer, uint64_t front)
{
    const mrea_walk w = r->raw;
    int least = s->by ? s->by : -SHIFT_MAX;
    int most = s->by ? s->by : s->cut ? -1 : SHIFT_MAX;
    if (least < -SHIFT_MAX || most > SHIFT_MAX) {
        return;
    }
    for (int by = least < -(int)COUNT_LENGTH ? -(int)COUNT_LENGTH : least; by <= most; by++) {
        if (by) {
            try_counts(s, r, layer, by, front);
        }
    }
    uint32_t there = mrea_records_of(s, &w, layer);
    uint32_t last = 0; /* the last light that may be shifted, as what is in front of it is not too bad */
    uint64_t cost = there ? look_at(s, w.form, light_at(s, &w, layer, 0)) : MREA_COST_TOO_MUCH;
    while (last + 1 < w.count[layer] && mrea_add_costs(front, cost) <= r->cost) {
        front += cost;
        last++;
        cost = last < there ? look_at(s, w.form, light_at(s, &w, layer, last)) : MREA_COST_TOO_MUCH;
    }
    for (int by = least; by <= most; by++) {
        if (by && w.count[layer]) {
            try_shift(s, r, layer, by, last, front);
        }
    }
}

/* Lights of a layer that are all longer or shorter, by bytes in the same place. */
static void add_layer_splits(mrea_section *s, const mrea_walk *w, unsigned layer, uint64_t costs[MREA_SPLITS])
{
    int by = (int)w->record[layer] - (int)w->form->record;
    for (uint32_t i = 0; i < w->count[layer] && s->looks; i++, s->looks--) {
        mrea_add_splits(w->form, light_at(s, w, layer, i), by, w->record[layer], costs);
    }
}

/* Tries records of another length in the layers [first, end). Of a single one that would say no more than that it is
 * shifted. */
static void try_length(mrea_section *s, mrea_reading *r, unsigned first, unsigned end, int by)
{
    mrea_walk w = {.form = r->raw.form, .end = MAGIC_LENGTH};
    for (unsigned k = 0; k < MREA_LAYERS_MAX; k++) {
        w.record[k] = w.form->record + (first <= k && k < end ? (uint32_t)by : 0);
    }
    walk_on(s, &w);
    uint64_t lights = 0;
    for (unsigned k = first; k < end && k < w.layers; k++) {
        lights += w.count[k];
    }
    int64_t more = (int64_t)lights * by;
    uint32_t others = 0;
    uint64_t cost = lights < 2 || !may_have(s, more) ? MREA_COST_TOO_MUCH : cost_of_end(s, &w, more, &others);
    uint64_t splits[MREA_SPLITS] = {0};
    for (unsigned k = 0; k < w.layers && cost < MREA_COST_TOO_MUCH; k++) {
        if (first <= k && k < end) {
            add_layer_splits(s, &w, k, splits);
        } else {
            cost = mrea_add_costs(cost, cost_of_layer(s, &w, k, w.count[k]));
        }
    }
    cost = mrea_add_costs(
        cost, cost < MREA_COST_TOO_MUCH ? mrea_add_costs(mrea_least_split(w.form, splits), PRICE_LENGTH) : 0);
    consider(r, &(mrea_reading){
                    .best = w, .cause = MREA_WRONG_LENGTH, .cost = cost, .layer = first, .others = others, .by = by});
}

static void try_lengths(mrea_section *s, mrea_reading *r)
{
    const mrea_walk w = r->raw;
    for (int by = -LENGTH_MAX; by <= LENGTH_MAX; by++) {
        for (unsigned k = 0; by && k < layers_seen(s, &w); k++) {
            try_length(s, r, k, k + 1, by);
        }
        if (by) {
            try_length(s, r, 0, w.form->layers, by);
        }
    }
}

/* The walk is right, and what is wrong are the floats of all lights or of some, or most of one. stands: what all cost.
 */
static void try_bad_lights(const mrea_section *s, mrea_reading *r, uint64_t stands)
{
    const mrea_walk *w = &r->raw;
    mrea_reading swapped = {.best = *w, .cause = MREA_SWAPPED_FLOATS, .cost = stands + PRICE_SWAP};
    mrea_reading damaged = {.best = *w, .cause = MREA_DAMAGED_LIGHT, .lights = 1};
    uint32_t most = 0;
    for (unsigned k = 0; k < w->layers; k++) {
        for (uint32_t i = 0; i < w->count[k]; i++) {
            const uint8_t *light = light_at(s, w, k, i);
            uint32_t cost = mrea_cost_of_light(w->form, light);
            if (cost > most) {
                most = cost;
                damaged.layer = k;
                damaged.light = i;
            }
            if (mrea_is_swapped(w->form, light)) {
                swapped.cost -= cost - mrea_cost_of_record(w->form, light, LL_LITTLE);
                swapped.layer = swapped.lights ? swapped.layer : k;
                swapped.light = swapped.lights ? swapped.light : i;
                swapped.lights++;
            }
        }
    }
    damaged.cost = stands - most + PRICE_DAMAGE;
    consider(r, &swapped);
    consider(r, &damaged);
}

/* The walk ends well, and over lights only, and at the end of each layer nothing looks out of place. */
static bool are_all_lights(const mrea_section *s, const mrea_walk *w)
{
    bool sound = w->ending == MREA_ENDS_RIGHT;
    for (unsigned k = 0; k < w->layers && sound; k++) {
        uint32_t n = w->count[k];
        sound = count_bad(s, w, k, n) == 0 &&
                (n == 0 || mrea_cost_of_light(w->form, light_at(s, w, k, n - 1)) < MREA_COST_ODD);
    }
    return sound;
}

/* Lights, and from somewhere on zeros to the end, a row or more behind what would be padding: nothing is wrong but
 * these. */
static bool is_whole_but_for_zeros(const mrea_section *s, const mrea_walk *w)
{
    uint32_t zeros = s->length;
    while (zeros && s->bytes[zeros - 1] == 0) {
        zeros--;
    }
    bool lights =
        w->layers == w->form->layers && zeros <= w->end && s->length - w->end >= mrea_pad_of(w->end) + MREA_ALIGNMENT;
    uint32_t seen = 0;
    for (unsigned k = 0; k < w->layers && lights; k++) {
        uint32_t first = mrea_position_of(w, k, 0);
        uint32_t front = first < zeros ? (zeros - first) / w->record[k] : 0; /* that do not reach into the zeros */
        uint32_t n = front < w->count[k] ? front : w->count[k];
        seen += n;
        lights = count_bad(s, w, k, n) == 0;
    }
    return lights && seen && !s->inside && !s->by;
}

/* Every way that is not the stated one. */
static void try_ways(mrea_section *s, mrea_reading *r)
{
    const mrea_walk w = r->raw;
    uint64_t front = 0;
    for (unsigned layer = 0; layer < layers_seen(s, &w) && front < MREA_COST_TOO_MUCH; layer++) {
        try_counts(s, r, layer, 0, front);
        front =
            layer < w.layers ? mrea_add_costs(front, cost_of_layer(s, &w, layer, w.count[layer])) : MREA_COST_TOO_MUCH;
    }
    try_lengths(s, r);
    front = 0;
    for (unsigned layer = 0; layer < layers_seen(s, &w) && front <= r->cost; layer++) {
        try_shifts(s, r, layer, front);
        front =
            layer < w.layers ? mrea_add_costs(front, cost_of_layer(s, &w, layer, w.count[layer])) : MREA_COST_TOO_MUCH;
    }
}

/* What lies behind the last layer is one more of them. */
static bool is_another_layer(const mrea_section *s, const mrea_walk *w)
{
    uint32_t rest = s->length - w->end;
    if (w->layers < w->form->layers || rest < COUNT_LENGTH) {
        return false;
    }
    mrea_walk more = {.form = w->form, .at = {w->end}, .count = {ll_be32(s->bytes + w->end)}, .record = {w->record[0]}};
    if (more.count[0] > (rest - COUNT_LENGTH) / more.record[0] || count_bad(s, &more, 0, more.count[0])) {
        return false;
    }
    return cost_of_rest(s, mrea_position_of(&more, 0, more.count[0]), 0, s->length) < MREA_COST_TOO_MUCH;
}

/* What the section costs as it stands. end: what lies behind the last layer does; MREA_COST_TOO_MUCH: the walk does not
 * get there. Then the section may have been cut off, its last counts left out, or a layer put in. */
static uint64_t cost_as_stated(const mrea_section *s, const mrea_walk *w, uint64_t lights, uint64_t end)
{
    bool whole = w->layers == w->form->layers;
    if (s->cut) { /* what is missing says nothing */
        return lights;
    }
    if (s->by && whole) { /* the bytes may be in the padding */
        bool zero = ll_is_zero(s->bytes + w->end, s->bytes + s->length);
        return mrea_add_costs(lights, zero ? PRICE_SHIFT : PRICE_SHIFT + FAULT);
    }
    if (end < MREA_COST_TOO_MUCH) {
        return mrea_add_costs(lights, end);
    }
    bool plain = whole ? !s->by && is_another_layer(s, w) : s->by <= 0;
    return plain ? mrea_add_costs(lights, mrea_stops_at_count(s, w) ? PRICE_SHIFT : LEAST_PRICE) : MREA_COST_TOO_MUCH;
}

/* Reads the section in one form, and finds out what is wrong with it. No way is believed that costs as much as the
 * section as it stands, or in which more than a few records are no lights. */
static void resolve(mrea_section *s, mrea_reading *r)
{
    const mrea_walk w = r->raw;
    uint32_t most = s->length / w.form->record;
    uint32_t others;
    uint64_t end = w.ending == MREA_ENDS_NONZERO ? FAULT : cost_of_end(s, &w, 0, &others);
    bool sound = w.ending != MREA_ENDS_WRONG && (s->by ? are_all_lights(s, &w) : end == 0 && mrea_looks_sound(s, &w));
    r->best = w;
    if (sound || s->plain || is_whole_but_for_zeros(s, &w)) {
        return;
    }
    s->looks = most > (UINT32_MAX - LOOKS_LEAST) / LOOKS_PER_LIGHT ? UINT32_MAX : most * LOOKS_PER_LIGHT + LOOKS_LEAST;
    uint64_t lights = cost_of_layers(s, &w, 0, w.layers);
    if (mrea_stops_at_count(s, &w)) {
        lights = mrea_add_costs(lights, cost_of_layer(s, &w, w.layers, mrea_records_of(s, &w, w.layers)));
    }
    uint64_t stated = cost_as_stated(s, &w, lights, end);
    uint64_t faults = lights / FAULT < most / BAD_SHARE ? lights / FAULT : most / BAD_SHARE;
    uint64_t enough = (faults + 4) * FAULT + (uint64_t)most * MREA_COST_UNLIKELY;
    if (stated < LEAST_PRICE) {
        r->cost = stated;
        return;
    }
    r->cost = stated < enough ? stated : enough;
    try_ways(s, r);
    if (end < MREA_COST_TOO_MUCH && !s->by && !s->cut) {
        try_bad_lights(s, r, stated);
    }
    if (r->ambiguous || s->looks == 0) { /* with no looks left there may be other ways */
        r->cause = MREA_NO_CAUSE;
        r->best = w;
        r->by = 0;
    }
    r->cost = r->cause ? r->cost : stated;
}

/* ------------------------------------------------------------------ which form */

/* Lights among the records that the walk gives. */
static mrea_share share_of(const mrea_section *s, const mrea_walk *w)
{
    mrea_share all = {0, 0};
    for (unsigned k = 0; k < layers_seen(s, w); k++) {
        uint32_t n = mrea_records_of(s, w, k);
        n = n < SAMPLE ? n : SAMPLE;
        all.looked += n;
        all.good += n - count_bad(s, w, k, n);
    }
    return all;
}

/* Above 0: a is the better one. */
static int compare_shares(mrea_share a, mrea_share b)
{
    uint64_t left = (uint64_t)a.good * b.looked;
    uint64_t right = (uint64_t)b.good * a.looked;
    return (left > right) - (left < right);
}

/* What the walk gives as a share. Where there is no record, only its end is against it. */
static mrea_share weight_of(const mrea_section *s, const mrea_walk *w)
{
    mrea_share lights = share_of(s, w);
    return lights.looked ? lights : (mrea_share){w->ending != MREA_ENDS_WRONG, 1};
}

/* Ends where the section does, and not by chance: at least half of the records are lights. */
static bool fits(const mrea_section *s, const mrea_walk *w)
{
    mrea_share lights = weight_of(s, w);
    return w->ending == MREA_ENDS_RIGHT && lights.good >= lights.looked - lights.good;
}

/* How well the section reads: to its end; as lights throughout, but with more zeros behind them; or not. */
static int degree_of(const mrea_section *s, const mrea_walk *w)
{
    enum { NOT, BUT_FOR_ZEROS, TO_ITS_END };
    return fits(s, w) ? TO_ITS_END : is_whole_but_for_zeros(s, w) ? BUT_FOR_ZEROS : NOT;
}

/* Where neither form fits as it stands: the one that costs less, then the one whose records are lights, then the one
 * that ends better. */
static int compare_corrected(mrea_section *s, mrea_reading *a, mrea_reading *b)
{
    resolve(s, a);
    resolve(s, b);
    int by_cost = (a->cost < b->cost) - (a->cost > b->cost);
    int by_share = compare_shares(weight_of(s, &a->best), weight_of(s, &b->best));
    return by_cost ? by_cost : by_share ? by_share : (int)a->raw.ending - (int)b->raw.ending;
}

/* Most records are lights in the one form, and hardly any in the other. */
static bool is_told_by_lights(mrea_share own, mrea_share rivals)
{
    return own.good > own.looked / 4 * 3 && rivals.good <= rivals.looked / 2;
}

/* A bare section says nowhere what form it is in: the one as which it reads better. Where it reads as well in either,
 * that is certain only if the lights tell, or if what is wrong with it costs less than half in the one. */
static mrea_reading tell_form(mrea_section *s)
{
    mrea_reading a = {.raw = walk_all(s, &mrea_form_mp12)};
    mrea_reading b = {.raw = walk_all(s, &mrea_form_mp3)};
    int a_reads = degree_of(s, &a.raw);
    int better = a_reads - degree_of(s, &b.raw);
    bool equal = better == 0;
    bool end = fits(s, &a.raw) || fits(s, &b.raw);
    if (equal) {
        better = end ? compare_shares(weight_of(s, &a.raw), weight_of(s, &b.raw)) : compare_corrected(s, &a, &b);
    }
    mrea_reading *taken = better < 0 ? &b : &a;
    const mrea_reading *other = better < 0 ? &a : &b;
    if (!equal || end) {
        resolve(s, taken);
    }
    taken->own = share_of(s, &taken->best);
    taken->rivals = share_of(s, &other->raw);
    bool cheaper = !end && taken->cost < other->cost / 2;
    bool certain = !equal || cheaper || is_told_by_lights(taken->own, taken->rivals);
    taken->rival = certain || (!end && !taken->own.looked) ? NULL : other->raw.form;
    return *taken;
}

mrea_reading mrea_read_lights(mrea_section *s, const mrea_form *form)
{
    if (!form) {
        return tell_form(s);
    }
    mrea_reading r = {.raw = walk_all(s, form)};
    mrea_walk other = walk_all(s, form == &mrea_form_mp3 ? &mrea_form_mp12 : &mrea_form_mp3);
    if (r.raw.ending == MREA_ENDS_WRONG && fits(s, &other)) { /* no count is wrong then */
        r.other = other.form;
        r.best = r.raw;
    } else {
        resolve(s, &r);
    }
    return r;
}

bool mrea_is_legacy(const mrea_section *s)
{
    mrea_walk w = {.form = &mrea_form_mp12, .record = {mrea_form_mp12.record}};
    uint32_t count = ll_be32(s->bytes);
    uint64_t end = COUNT_LENGTH + (uint64_t)count * w.form->record;
    return count && end <= s->length && ll_align_up(end, MREA_ALIGNMENT) == s->length &&
           mrea_are_mostly_lights(s, &w, 0, count);
}

bool mrea_are_lights(const ll_doc *doc, uint32_t offset, uint32_t length, const mrea_form *form)
{
    mrea_section s = {.bytes = ll_doc_at(doc, offset), .length = length};
    mrea_walk w = walk_all(&s, form);
    return are_all_lights(&s, &w);
}

bool mrea_explain_bytes(const ll_doc *doc, uint32_t offset, uint32_t length, const mrea_form *form, int by)
{
    mrea_section s = {.bytes = ll_doc_at(doc, offset), .length = length, .inside = true, .by = by};
    mrea_reading r = {.raw = walk_all(&s, form)};
    resolve(&s, &r);
    return r.cause != MREA_NO_CAUSE;
}
