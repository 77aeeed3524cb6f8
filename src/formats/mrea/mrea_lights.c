/* Walks a lights section and claims every byte of it. The counts alone tell where everything is, and the record layout
 * is nowhere stated: a walk is believed when it ends where the section does.
 *
 * A wrong count moves all that follows. So a walk that does not end well, or whose records do not look like
 * lights, is compared with every walk that one other value of one count would give; where a single one of them ends
 * well over records that are lights, that count is what is wrong. In a bare section, whose size nobody states, bytes
 * may also have been put into a light or taken out of it. Searches look at every record a bounded number of times, so
 * the work stays linear in the size. */
#include "formats/mrea/mrea.h"

#include "base/half.h"

enum {
    MAGIC_LENGTH = MREA_LIGHTS_MAGIC_LENGTH,
    COUNT_LENGTH = mrea_layer_SIZE,
    SAMPLE = 64,         /* records of a layer that are looked at where layouts are compared */
    SHIFT_MAX = 32,      /* bytes put in or taken out that are recognised as such */
    BAD_SHARE = 8,       /* one record out of so many may be damaged without saying that they are no lights */
    LOOKS_PER_LIGHT = 8, /* records looked at in a search, as a multiple of those that the section can hold */
    LOOKS_LEAST = 1024
};

static const uint32_t HUGE_FLOAT = 0x4E6E6B28; /* 1e9 */

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
} section;

/* Where a walk ends: not where the section does; there, with padding that is not zero; there, with zero padding. */
typedef enum ending { ENDS_WRONG, ENDS_NONZERO_PADDING, ENDS_RIGHT } ending;

/* One way to read the section. Positions are from its start. */
typedef struct walk {
    const mrea_form *form;
    uint32_t at[MREA_LAYERS_MAX];    /* of the layers' counts */
    uint32_t count[MREA_LAYERS_MAX]; /* of the layers that are there whole, and of the one at which the walk stopped */
    unsigned layers;                 /* that are there whole */
    uint32_t end;                    /* behind the last of them */
    ending ending;
} walk;

/* Bytes put into a light or taken out of it. */
typedef struct shift {
    unsigned layer;
    uint32_t record; /* the light */
    int by;          /* bytes put in; below 0: taken out; 0: everything is in place */
    uint32_t rest;   /* behind the last layer, when those bytes are left out of account */
} shift;

/* What has been found out about a section in one form. */
typedef struct reading {
    walk raw;       /* by the counts as they stand */
    walk best;      /* with the wrong count put right, else the same */
    unsigned layer; /* whose count is wrong */
    bool corrected;
    shift moved;            /* of a bare section, where no count is wrong */
    const mrea_form *other; /* the layout that fits where the one that was asked for does not, or fits as well */
} reading;

/* ------------------------------------------------------------------ records */

static bool is_plausible_float(uint32_t bits)
{
    uint32_t magnitude = bits & 0x7FFFFFFF;
    return !ll_single_is_denormal(bits) && magnitude <= HUGE_FLOAT; /* NaN and infinities are larger */
}

static double number(const uint8_t *p)
{
    return ll_single_to_double(ll_be32(p));
}

static bool is_unit(const uint8_t *p)
{
    double square = ll_sum_of_squares(p, 3, true);
    return square > 0.98 && square < 1.02;
}

static bool is_directed(uint32_t type)
{
    return type == 1 || type == 3;
}

/* Judges what no light can do without; the floats that nobody knows may hold anything. */
static bool is_light(const mrea_form *form, const uint8_t *p)
{
    uint32_t type = ll_be32(p);
    if (type > 5 || p[form->cast_shadows] > 1 || ll_be32(p + form->falloff_type) > 2) {
        return false;
    }
    uint32_t any = type;
    for (unsigned at = mrea_light_at_color; at < form->floats_end; at += 4) {
        uint32_t bits = ll_be32(p + at);
        any |= bits;
        if (!is_plausible_float(bits)) {
            return false;
        }
    }
    double square = is_directed(type) ? ll_sum_of_squares(p + form->direction, 3, true) : 1;
    return any && square > 0.25 && square < 4; /* other bytes are seldom near 1 in length */
}

/* What lights may have and bytes read a few places off often have. Decides only between readings that have nothing else
 * against them. */
static unsigned doubts_of(const mrea_form *form, const uint8_t *p)
{
    unsigned doubts = !is_unit(p + form->direction);
    doubts += number(p + form->brightness) <= 0;
    doubts += number(p + form->brightness + 4) < 0; /* the spot cutoff */
    for (unsigned i = 0; i < 3; i++) {
        doubts += number(p + mrea_light_at_color + 4 * i) < 0;
    }
    return doubts;
}

/* A light that passes as one, but whose values say that its end is out of place: what its type needs is missing, or
 * floats that nobody knows hold what is no float. */
static bool is_odd(const mrea_form *form, const uint8_t *p)
{
    uint32_t type = ll_be32(p);
    bool odd =
        (is_directed(type) && !is_unit(p + form->direction)) || (type != 1 && number(p + form->brightness) <= 0) ||
        (type == 3 && number(p + form->brightness + 4) <= 0) || !is_plausible_float(ll_be32(p + form->floats_end)) ||
        !is_plausible_float(ll_be32(p + form->cast_shadows + 1));
    for (unsigned at = form->falloff_type + 4U; at < form->tail_end; at += 4) {
        odd = odd || !is_plausible_float(ll_be32(p + at));
    }
    return odd;
}

/* ------------------------------------------------------------------ walks */

static uint32_t word(const section *s, uint32_t at)
{
    return ll_be32(s->bytes + at);
}

static bool is_zero(const section *s, uint32_t from, uint32_t to)
{
    while (from < to && s->bytes[from] == 0) {
        from++;
    }
    return from == to;
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
        uint64_t need = (uint64_t)count * w->form->record;
        if (need > s->length - w->end - COUNT_LENGTH) {
            return;
        }
        w->end += COUNT_LENGTH + (uint32_t)need;
        w->layers++;
    }
    if (s->length - w->end < MREA_ALIGNMENT) {
        w->ending = is_zero(s, w->end, s->length) ? ENDS_RIGHT : ENDS_NONZERO_PADDING;
    }
}

/* A walk that goes on behind a layer of so many lights, which is as it is taken to be. */
static walk resumed(const section *s, const walk *w, unsigned layer, uint32_t at, uint32_t count)
{
    walk way = *w;
    way.layers = layer + 1;
    way.at[layer] = at;
    way.count[layer] = count;
    way.end = at + COUNT_LENGTH + count * w->form->record;
    way.ending = ENDS_WRONG;
    walk_on(s, &way);
    return way;
}

static walk walk_all(const section *s, const mrea_form *form)
{
    walk w = {.form = form, .end = MAGIC_LENGTH};
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
    return stops_at_count(s, w) ? room_of(s, w, layer) / w->form->record : 0;
}

static unsigned layers_seen(const section *s, const walk *w)
{
    return w->layers + stops_at_count(s, w);
}

static uint32_t position_of(const walk *w, unsigned layer, uint32_t i)
{
    return w->at[layer] + COUNT_LENGTH + i * w->form->record;
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

/* Of the lights of the layers in front of one. */
static uint32_t bad_before(const section *s, const walk *w, unsigned layer)
{
    uint32_t bad = 0;
    for (unsigned k = 0; k < layer; k++) {
        bad += count_bad(s, w, k, w->count[k]);
    }
    return bad;
}

/* First and last record of every layer are lights: where a count is wrong, one of them is none. */
static bool looks_sound(const section *s, const walk *w)
{
    for (unsigned k = 0; k < w->layers; k++) {
        uint32_t n = w->count[k];
        if (n && !(is_light(w->form, light_at(s, w, k, 0)) && is_light(w->form, light_at(s, w, k, n - 1)))) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ which count is wrong */

static unsigned is_bad(const mrea_form *form, const uint8_t *light)
{
    return !is_light(form, light);
}

/* What all lights of the layers from `first` on come to; more than `most` when that is too much or no looks are left.
 */
static uint64_t sum_over(section *s, const walk *w, unsigned first, uint64_t most,
                         unsigned (*points)(const mrea_form *form, const uint8_t *light))
{
    uint64_t sum = 0;
    for (unsigned k = first; k < w->layers; k++) {
        for (uint32_t i = 0; i < w->count[k] && sum <= most; i++) {
            if (s->looks == 0) {
                return most + 1;
            }
            s->looks--;
            sum += points(w->form, light_at(s, w, k, i));
        }
    }
    return sum;
}

/* Best walk so far that one other count gives. */
typedef struct search {
    uint32_t most; /* bad records that a walk may have: as many as the best one's */
    uint64_t doubts;
    unsigned layer;
    unsigned ways; /* walks as good as the best one */
    walk best;
} search;

/* Keeps a walk of `bad` <= found->most bad records if it is the best one. */
static void consider(section *s, const walk *way, unsigned layer, uint32_t bad, search *found)
{
    uint64_t doubts = sum_over(s, way, 0, UINT64_MAX - 1, doubts_of);
    bool better = !found->ways || bad < found->most || doubts < found->doubts;
    if (better) {
        *found = (search){bad, doubts, layer, 1, *way};
    } else if (doubts == found->doubts) {
        found->ways++;
    }
}

/* Tries every other count of one layer. `w` is the raw walk. */
static void search_layer(section *s, const walk *w, unsigned layer, search *found)
{
    uint32_t most = room_of(s, w, layer) / w->form->record;
    uint32_t bad = bad_before(s, w, layer);
    for (uint32_t count = 0; count <= most && bad <= found->most; count++) {
        walk way = resumed(s, w, layer, w->at[layer], count);
        uint32_t rest = s->length - way.end;
        if (count != w->count[layer] && way.ending == ENDS_RIGHT && (rest == 0 || rest == pad_of(way.end))) {
            uint64_t all = bad + sum_over(s, &way, layer + 1, found->most - bad, is_bad);
            if (all <= found->most) {
                consider(s, &way, layer, (uint32_t)all, found);
            }
        }
        bad += count < most && !is_light(w->form, light_at(s, w, layer, count));
    }
}

/* Finds the one count that, with another value, makes the walk end well over at most `limit` records that are no
 * lights. */
static void correct_count(section *s, reading *r, uint32_t limit)
{
    const walk *w = &r->raw;
    uint32_t lights = s->length / w->form->record;
    search found = {.most = lights / BAD_SHARE < limit ? lights / BAD_SHARE : limit};
    s->looks =
        lights > (UINT32_MAX - LOOKS_LEAST) / LOOKS_PER_LIGHT ? UINT32_MAX : lights * LOOKS_PER_LIGHT + LOOKS_LEAST;
    for (unsigned layer = 0; layer < layers_seen(s, w); layer++) {
        search_layer(s, w, layer, &found);
    }
    if (found.ways == 1 && s->looks) { /* with no looks left there may be other ways */
        r->corrected = true;
        r->layer = found.layer;
        r->best = found.best;
    }
}

/* ------------------------------------------------------------------ bytes put in or taken out */

/* Everything behind the record is in place when it is read at->by bytes on. */
static bool fits_shifted(const section *s, const walk *w, shift *at)
{
    uint32_t behind = w->count[at->layer] - at->record - 1;
    int64_t next = (int64_t)w->at[at->layer] + COUNT_LENGTH + ((int64_t)at->record + 1) * w->form->record + at->by;
    int64_t end = next + (int64_t)behind * w->form->record;
    if (end > s->length) {
        return false;
    }
    walk way = resumed(s, w, at->layer, (uint32_t)next - COUNT_LENGTH, behind);
    uint32_t lights = 0;
    for (unsigned k = at->layer; k < way.layers; k++) {
        lights |= way.count[k];
    }
    at->rest = s->length - way.end;
    return way.ending != ENDS_WRONG && lights && looks_sound(s, &way) &&
           (at->rest == 0 || at->rest == pad_of((uint32_t)((int64_t)way.end - at->by)));
}

/* The first record of a layer that is no light, or the last one where it is odd: behind it comes no light that would
 * show it. */
static uint32_t first_suspect(const section *s, const walk *w, unsigned layer)
{
    uint32_t n = records_of(s, w, layer);
    uint32_t i = 0;
    while (i < n && is_light(w->form, light_at(s, w, layer, i))) {
        i++;
    }
    bool all = i && i == w->count[layer];
    return all && is_odd(w->form, light_at(s, w, layer, i - 1)) ? i - 1 : i;
}

/* Finds the one number of bytes that, put in or taken out at one light, explains the rest of the section. */
static shift find_shift(const section *s, const walk *w)
{
    for (unsigned k = 0; k < layers_seen(s, w); k++) {
        shift found = {k, first_suspect(s, w, k), 0, 0};
        unsigned ways = 0;
        for (int by = -SHIFT_MAX; by <= SHIFT_MAX && found.record < w->count[k]; by++) {
            shift at = {k, found.record, by, 0};
            if (by && fits_shifted(s, w, &at)) {
                found = at;
                ways++;
            }
        }
        if (ways == 1) {
            found.record -= found.record && is_odd(w->form, light_at(s, w, k, found.record - 1));
            return found;
        }
    }
    return (shift){0, 0, 0, 0};
}

/* Reads the section in one form, and finds out what is wrong with it. */
static void resolve(section *s, reading *r)
{
    r->best = r->raw;
    bool failed = r->raw.ending == ENDS_WRONG;
    if (s->cut || (!failed && looks_sound(s, &r->raw))) {
        return;
    }
    correct_count(s, r, failed ? UINT32_MAX : bad_before(s, &r->raw, r->raw.layers) - 1);
    if (s->bare && !r->corrected) {
        r->moved = find_shift(s, &r->raw);
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

/* Where neither form fits as it stands: the one that bytes put in or taken out explain, then the one whose records are
 * lights, then the one that ends better or that one count corrects. */
static int compare_corrected(section *s, reading *a, reading *b)
{
    resolve(s, a);
    resolve(s, b);
    int by_shift = (a->moved.by != 0) - (b->moved.by != 0);
    int by_share = compare_shares(share_of(s, &a->best), share_of(s, &b->best));
    int by_ending = (int)a->raw.ending - (int)b->raw.ending;
    return by_shift ? by_shift : by_share ? by_share : by_ending ? by_ending : a->corrected - b->corrected;
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
    static const uint8_t zeros[MREA_ALIGNMENT] = {0};
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
    if (rest > pad) {
        LL_RAISE(s->doc, MREA_FAULT_PADDING_TOO_LONG, MREA_HINT_NONE,
                 ll_claim_gap(s->doc, s->summary->lights, from, from + rest), ll_uint(rest), ll_uint(pad));
        return;
    }
    ll_claim_bytes(s->doc, s->summary->lights, mrea_lights_padding_LAYOUT, from, from + rest);
    if (rest < pad && !s->cut && !r->corrected) {
        report_unaligned(s, end);
    }
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
        LL_RAISE(doc, MREA_FAULT_LAYER_MISSING, hint, at, ll_uint(w->layers), ll_uint(w->form->layers), ll_uint(rest));
    } else {
        uint32_t count = w->count[w->layers];
        LL_RAISE(doc, MREA_FAULT_LAYER_TRUNCATED, hint, at_count(s, w->layers), ll_uint(count),
                 ll_uint((uint64_t)count * w->form->record), ll_uint(room_of(s, w, w->layers)),
                 ll_uint(records_of(s, w, w->layers)));
    }
}

/* Claims a layer with n lights behind which the rest of the section is lost. */
static void claim_broken_layer(const section *s, const walk *w, unsigned layer, uint32_t n)
{
    claim_layer(s, w, layer, s->length - w->at[layer], n);
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
        claim_broken_layer(s, w, w->layers, n);
        leave_rest(s, s->summary->layer[w->layers], position_of(w, w->layers, n));
        hint = n ? MREA_HINT_CUT_FILE : MREA_HINT_NONE;
    } else {
        leave_rest(s, s->summary->lights, w->end);
    }
    report_stop(s, w, hint);
}

/* The lights in front of the one where it is are believed; that one is named, but nothing from there on is believed. */
static void report_shift(const section *s, const walk *w, const shift *at)
{
    ll_doc *doc = s->doc;
    uint32_t offset = s->offset + position_of(w, at->layer, at->record);
    walk front = *w;
    front.layers = at->layer;
    claim_layers(s, &front);
    claim_broken_layer(s, w, at->layer, at->record);
    uint32_t light = ll_claim_broken(doc, s->summary->layer[at->layer], w->form->layout, offset,
                                     offset + w->form->record, at->record);
    leave_rest(s, s->summary->layer[at->layer], position_of(w, at->layer, at->record + 1));
    doc->fatal = true;
    LL_RAISE(doc, MREA_FAULT_LIGHT_SHIFTED, MREA_HINT_NONE, ll_at_bytes(light, offset, w->form->record),
             ll_uint((uint64_t)(at->by < 0 ? -at->by : at->by)), ll_word(at->by < 0 ? "taken out" : "put in"));
}

/* The form that was asked for does not fit, and the other one does: lights read in the wrong form would be nonsense. */
static void refuse_form(const section *s, const walk *w)
{
    if (stops_at_count(s, w)) {
        ll_claim_unparsed(s->doc, s->summary->lights, s->offset + MAGIC_LENGTH, s->offset + w->end);
        claim_broken_layer(s, w, w->layers, 0);
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
    walk w = {.form = &mrea_form_mp12, .at = {0}};
    uint32_t count = word(s, 0);
    uint64_t end = COUNT_LENGTH + (uint64_t)count * w.form->record;
    return count && end <= s->length && ll_align_up(end, MREA_ALIGNMENT) == s->length &&
           count_bad(s, &w, 0, count) <= count / BAD_SHARE;
}

static void report_magic(const section *s, bool fits)
{
    uint32_t magic = word(s, 0);
    ll_where at = ll_at_field(s->doc, s->summary->lights, 0, mrea_lights_magic);
    if (magic == MREA_LIGHTS_MAGIC_SWAPPED) {
        const uint8_t *count = s->bytes + MAGIC_LENGTH;
        bool all = s->length >= MAGIC_LENGTH + COUNT_LENGTH && ll_le32(count) < ll_be32(count);
        ll_raise_with(s->doc, MREA_FAULT_LIGHTS_MAGIC_SWAPPED, all ? MREA_HINT_SWAPPED : MREA_HINT_NONE, at,
                      ll_nowhere(), NULL, 0);
    } else {
        unsigned hint = !fits && is_legacy(s) ? MREA_HINT_LEGACY_SINGLE_LAYER : MREA_HINT_NONE;
        LL_RAISE(s->doc, MREA_FAULT_LIGHTS_MAGIC, hint, at, ll_uint(magic));
    }
}

/* Claims what the reading gives, below the section's span, and says what is wrong with it. */
static void parse_reading(const section *s, const reading *r, bool magic)
{
    bool fits = r->best.ending != ENDS_WRONG;
    if (!magic && (!fits || r->corrected)) { /* nothing says that these are lights */
        s->doc->fatal = true;
        leave_rest(s, s->summary->lights, MAGIC_LENGTH);
        return;
    }
    if (r->other && !fits) {
        refuse_form(s, &r->raw);
        return;
    }
    s->summary->form = r->best.form;
    if (r->moved.by) {
        report_shift(s, &r->raw, &r->moved);
        return;
    }
    if (!fits && r->best.layers < r->best.form->layers) {
        stop_short(s, &r->best);
        return;
    }
    claim_layers(s, &r->best);
    if (r->corrected) {
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
                       const mrea_form *form, bool cut)
{
    section s = {doc, summary, ll_doc_at(doc, offset), offset, length, 0, summary->header == LL_NO_SPAN, cut};
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
        report_magic(&s, r.best.ending != ENDS_WRONG && !r.corrected);
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
    bool sound = w.ending == ENDS_RIGHT;
    for (unsigned k = 0; k < w.layers && sound; k++) {
        sound = count_bad(&s, &w, k, w.count[k]) == 0;
    }
    return sound;
}
