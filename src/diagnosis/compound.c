/* Tries several changes at once, because a writer makes the same mistake in each record, and an editor corrects the
 * size of what was edited. Each attempt starts from a hypothesis (the seed) about one record that explains a part of
 * what is wrong. */
#include "diagnosis/tries.h"

#include "base/half.h"
#include "model/derive.h"

#include <string.h>

enum {
    SEEDS = 6, /* number of the best hypotheses that are used as seeds */
    FEW = 3,   /* if less than 1/this of the weight is left over, one other fault explains it, not more records */
    TAG_BYTES = 4,
    LOCAL_BY = 8,            /* most bytes that each record may have too many, or too few */
    LOCAL_READING = 1 << 10, /* reading a prefix of the file costs as much as its bytes and this many more */
    LOCAL_BEHIND = 1024,     /* bytes after the first fault that the prefix includes */
    AGAIN_MAX = 512,         /* most records of a list that get the same change */
    MENDED_MAX = 512,        /* bytes of an element, at most, each of which is tried as the place */
    COST_MORE = 15,          /* for repeating the first change in all other records */
    COST_MENDED = 20         /* for correcting the size */
};

/* The replacement that a compound change makes, from the first change to the last one. */
typedef struct draft {
    uint8_t *bytes;
    uint32_t size;
    uint32_t from, to; /* stretch [from, to) of the file that it replaces */
} draft;

/* Starts a draft at a file offset. room: the most bytes that it may have. False: no memory. */
static bool start(ll_search *s, draft *d, uint32_t from, uint64_t room)
{
    *d = (draft){.from = from, .to = from};
    d->bytes = ll_search_alloc(s, (size_t)room, 1);
    return d->bytes;
}

/* Appends the bytes of the file up to an address, then `size` bytes in place of `removed` ones. */
static void put(const ll_search *s, draft *d, uint32_t at, uint32_t removed, const uint8_t *bytes, uint32_t size)
{
    memcpy(d->bytes + d->size, s->bytes + d->to, at - d->to);
    d->size += at - d->to;
    memcpy(d->bytes + d->size, bytes, size);
    d->size += size;
    d->to = at + removed;
}

static uint32_t try_draft(ll_search *s, ll_hypothesis h, const draft *d)
{
    return ll_search_try(s, h, d->from, d->to - d->from, d->bytes, d->size);
}

static uint32_t try_repeated(ll_search *s, ll_hypothesis h, const draft *d)
{
    h.cost += COST_MORE;
    h.offset = d->from;
    h.length = h.edit.removed;
    h.unsure = h.unsure || h.kind == LL_CAUSE_MISSING;
    h.redundant = h.safe = false;
    return try_draft(s, h, d);
}

/* The bytes that the seed's change puts at another place, which holds the bytes `there`. A number changes by the same
 * difference as in the seed. value: room for it. */
static const uint8_t *bytes_again(const ll_search *s, const ll_hypothesis *seed, unsigned layout, const uint8_t *there,
                                  uint8_t *value)
{
    const uint32_t size = seed->edit.size;
    const uint8_t endian = s->weigher.format->layouts[layout].endian;
    if (seed->kind != LL_CAUSE_FIELD) {
        return seed->edit.bytes;
    }
    ll_put_uint(value, size, endian,
                ll_read_uint(there, size, endian) + ll_read_uint(seed->edit.bytes, size, endian) -
                    ll_read_uint(s->bytes + seed->edit.offset, size, endian));
    return value;
}

/* The first element of the array of `one`, and the number of its elements. */
static const ll_search_unit *array_of(const ll_search_plan *p, const ll_search_unit *one, uint32_t *count)
{
    const ll_search_unit *first = NULL;
    *count = 0;
    for (uint32_t i = 0; i < p->unit_count; i++) {
        const bool same = p->units[i].list == one->list;
        first = same && !first ? &p->units[i] : first;
        *count += same;
    }
    return first;
}

/* Tries the seed's change at the same place of each element of the array of `one`. Returns the score; UINT32_MAX: it
 * was not tried. */
static uint32_t try_everywhere(ll_search_plan *p, const ll_search_unit *one, const ll_hypothesis *seed)
{
    ll_search *s = p->s;
    uint32_t count;
    const ll_search_unit *first = array_of(p, one, &count);
    const uint32_t removed = seed->edit.removed, size = seed->edit.size, stride = one->size + removed - size;
    draft d = {.size = 0};
    ll_hypothesis h = *seed;
    for (h.times = 0; h.times < count; h.times++) {
        const uint64_t at = first->at + (uint64_t)h.times * stride + (seed->edit.offset - one->at);
        if (!ll_fits(at, removed, s->size) || (d.bytes && at < d.to)) {
            break;
        }
        if (!d.bytes && !start(s, &d, (uint32_t)at, s->size - at + (uint64_t)count * size + 1)) {
            return UINT32_MAX;
        }
        uint8_t value[LL_DERIVED_MAX];
        put(s, &d, (uint32_t)at, removed, bytes_again(s, seed, one->layout, s->bytes + at, value), size);
    }
    return h.times > 1 ? try_repeated(s, h, &d) : UINT32_MAX;
}

/* ------------------------------------------------------------------ records of a list */

/* The first address at or after `from` that a loud leftover of the reader is about, or, with by_rule, of rules as
 * well. UINT32_MAX: there is none. */
static uint32_t first_wrong(const ll_leftover *leftovers, size_t count, bool by_rule, uint32_t from)
{
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        const ll_leftover *l = &leftovers[i];
        const bool wrong = l->loud && (by_rule || l->rule == LL_NO_RULE);
        first = wrong && l->offset >= from && l->offset < first ? l->offset : first;
    }
    return first;
}

/* The last record of a list that begins at or before an address; NULL: there is none. */
static const ll_span *record_before(const ll_doc *doc, uint32_t list, uint32_t place)
{
    const ll_span *last = NULL;
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *span = ll_doc_span(doc, i);
        const bool listed =
            span->offset < doc->size && span->index != LL_NO_INDEX && LL_SEARCH_LIST(span->parent) == list;
        last = listed && span->offset <= place && (!last || span->offset > last->offset) ? span : last;
    }
    return last;
}

/* Weight of the leftovers in a record, up to and including the tag of the next one. */
static uint64_t left_of(const ll_weigher *w, const ll_span *record)
{
    uint64_t left = 0;
    for (size_t i = 0; record && i < w->leftovers.count; i++) {
        const ll_leftover *l = &w->leftovers.items[i];
        left += l->offset >= record->offset && l->offset < record->offset + record->length + TAG_BYTES ? l->weight : 0;
    }
    return left;
}

/* Reads a candidate and keeps its leftovers. */
static void read_kept(ll_search *s, const ll_candidate *c)
{
    s->weigher.keep = true;
    (void)ll_weigh(&s->weigher, c);
    s->weigher.keep = false;
}

/* Repeats the seed's change in the next wrong record of the list, as long as each change repairs its record: a record
 * is found only if those before it are read rightly. */
static void try_again(ll_search_plan *p, const ll_search_unit *one, const ll_hypothesis *seed)
{
    ll_search *s = p->s;
    const uint32_t rel = seed->edit.offset - one->at, removed = seed->edit.removed, size = seed->edit.size;
    draft d = {.size = s->size, .from = seed->edit.offset};
    ll_hypothesis h = *seed;
    uint32_t at = 0, done = 0, next = seed->edit.offset; /* done: end of the bytes that were put in last */
    uint64_t before = UINT64_MAX; /* weight left in the record when those before it are repaired */
    if (s->readings < s->most) {  /* else nothing is tried */
        d.bytes = ll_search_alloc(s, (size_t)s->size + (size_t)AGAIN_MAX * size, 1);
    }
    if (!d.bytes) {
        return;
    }
    memcpy(d.bytes, s->bytes, s->size);
    for (h.times = 0; h.times < AGAIN_MAX && s->readings < s->most && next > at && next >= done &&
                      ll_fits(next, removed, d.size) && s->weigher.status == LL_OK;
         h.times++) {
        uint8_t value[LL_DERIVED_MAX];
        at = next;
        const uint8_t *bytes = bytes_again(s, seed, one->layout, d.bytes + at, value);
        memmove(d.bytes + at + size, d.bytes + at + removed, d.size - at - removed);
        memcpy(d.bytes + at, bytes, size);
        d.size = d.size - removed + size;
        done = at + size;
        const uint32_t known = h.kind == LL_CAUSE_MISSING ? 0 : size;
        s->readings++;
        read_kept(
            s, &(ll_candidate){.bytes = d.bytes, .size = d.size, .unknown_from = at + known, .unknown_to = at + size});
        const ll_span *record = record_before(&s->weigher.doc, one->list, at);
        const uint32_t behind = record ? record->offset + record->length : d.size;
        const uint32_t wrong = first_wrong(s->weigher.leftovers.items, s->weigher.leftovers.count, true, behind);
        const bool mends = left_of(&s->weigher, record) <= before / 2;
        record = mends && wrong < d.size ? record_before(&s->weigher.doc, one->list, wrong) : NULL;
        before = left_of(&s->weigher, record);
        next = record ? record->offset + rel : 0;
    }
    if (h.times > 1 && s->weigher.status == LL_OK) {
        d.to = s->size - (d.size - at - size);
        d.bytes += d.from;
        d.size = at + size - d.from;
        (void)try_repeated(s, h, &d);
    }
}

/* The amounts that are tried, for n from 2 on: 1, -1, 2, -2, ... */
static int32_t amount_of(int32_t n)
{
    return n % 2 ? -n / 2 : n / 2;
}

/* The hypothesis that bytes were put in (by > 0) or are missing (by < 0), without a place. */
static ll_hypothesis change_of(int32_t by)
{
    static const uint8_t zeros[LL_DERIVED_MAX];
    const uint32_t n = (uint32_t)(by < 0 ? -by : by);
    return by > 0 ? (ll_hypothesis){.kind = LL_CAUSE_INSERTED,
                                    .cost = LL_COST_INSERTED + 2 * n,
                                    .edit = {.removed = n, .bytes = zeros}}
                  : (ll_hypothesis){
                        .kind = LL_CAUSE_MISSING, .cost = LL_COST_MISSING + 6 * n, .edit = {.size = n, .bytes = zeros}};
}

/* A change of one record, and the weight that it leaves over in the record. */
typedef struct local {
    uint64_t left;
    uint32_t at;
    int32_t by;     /* bytes put in (> 0) or missing (< 0) */
    uint32_t tried; /* places */
} local;

/* Weight left over in the record `one`, up to the tag of the next one, if `by` bytes were put in at an address (> 0) or
 * are missing there (< 0). Reads the file only up to `end`. copy: room for that. UINT64_MAX: no record begins at the
 * place. */
static uint64_t weigh_local(ll_search *s, const ll_search_unit *one, uint8_t *copy, uint32_t end, uint32_t at,
                            int32_t by)
{
    const uint32_t removed = by > 0 ? (uint32_t)by : 0, size = by < 0 ? (uint32_t)-by : 0;
    memcpy(copy, s->bytes, at);
    memset(copy + at, 0, size);
    memcpy(copy + at + size, s->bytes + at + removed, end - at - removed);
    read_kept(
        s, &(ll_candidate){.bytes = copy, .size = end - removed + size, .unknown_from = at, .unknown_to = at + size});
    const ll_span *record = record_before(&s->weigher.doc, one->list, one->at);
    return record && record->offset == one->at ? left_of(&s->weigher, record) : UINT64_MAX;
}

/* There is room for another record after this one. */
static bool is_followed(const ll_search *s, const ll_search_unit *one)
{
    return s->size - one->at - one->size >= s->weigher.format->layouts[one->layout].size;
}

/* The record of a list that holds the first fault of the reader, or the record before it: surplus bytes are noticed
 * after their record. *left: weight left over in it. NULL: nothing is left over in either, or no other record follows
 * in which the change could be repeated. */
static const ll_search_unit *find_record(const ll_search_plan *p, uint32_t first, uint8_t *copy, uint32_t end,
                                         uint64_t *left)
{
    const ll_search_unit *here = ll_search_unit_at(p, first, 0);
    const ll_search_unit *before = here && here->at ? ll_search_unit_at(p, here->at - 1, 0) : NULL;
    const ll_search_unit *const both[] = {before, here};
    for (unsigned i = 0; i < 2; i++) {
        const bool tried = both[i] && !both[i]->counted && is_followed(p->s, both[i]);
        *left = tried ? weigh_local(p->s, both[i], copy, end, both[i]->at, 0) : 0;
        if (*left && *left < UINT64_MAX) {
            return both[i];
        }
    }
    return NULL;
}

static uint32_t places_of(const ll_search_unit *one)
{
    return one->size < MENDED_MAX ? one->size : MENDED_MAX;
}

/* The byte at this offset in a record is inside a number. */
static bool is_in_number(const ll_layout *l, uint32_t offset)
{
    for (unsigned k = 0; k < l->field_count; k++) {
        const ll_field *f = &l->fields[k];
        if (f->offset < offset && offset - f->offset < f->bytes) {
            return f->type < LL_TYPE_CHARS && (offset - f->offset) % ll_type_bytes(f->type) != 0;
        }
    }
    return false;
}

/* The place in the record at which putting in, or missing, that many bytes leaves least over. roughly: places inside
 * numbers are left out. */
static local find_place(ll_search *s, const ll_search_unit *one, uint8_t *copy, uint32_t end, int32_t by, bool roughly)
{
    const ll_layout *l = &s->weigher.format->layouts[one->layout];
    local best = {.left = UINT64_MAX, .by = by};
    const uint32_t to = one->at + places_of(one);
    for (uint32_t at = one->at + TAG_BYTES; at < to && at + LOCAL_BY <= end; at++) {
        const bool skipped = roughly && is_in_number(l, at - one->at);
        const uint64_t left = skipped ? UINT64_MAX : weigh_local(s, one, copy, end, at, by);
        best.tried += !skipped;
        if (left < best.left) {
            best.left = left;
            best.at = at;
        }
    }
    return best;
}

/* Handles a writer with another layout, which gives each record of a list the same bytes too many or too few. The
 * amount is searched for in the first wrong record, then the place; that change is then repeated in all. */
static void try_records(ll_search_plan *p)
{
    ll_search *s = p->s;
    const uint32_t first = first_wrong(s->leftovers.items, s->leftovers.count, false, 0);
    const uint64_t reach = (uint64_t)(first < s->size ? first : 0) + LOCAL_BEHIND;
    const uint32_t end = reach < s->size ? (uint32_t)reach : s->size;
    uint8_t *copy = ll_search_alloc(s, (size_t)end + LOCAL_BY, 1);
    const uint64_t all = (uint64_t)s->size + LL_READING_BYTES;
    uint64_t left = 0, bytes = 0;
    const ll_search_unit *one = copy && first < s->size ? find_record(p, first, copy, end, &left) : NULL;
    local best = {.left = left / 2};
    const uint64_t each = (uint64_t)end + LOCAL_READING, most = one ? places_of(one) * each : 0; /* for all places */
    for (int32_t n = 2; one && n < 2 * (LOCAL_BY + 1) && best.left && s->weigher.status == LL_OK &&
                        s->readings + (bytes + 2 * most) / all < s->most; /* this amount, and then the place */
         n++) {
        const local found = find_place(s, one, copy, end, amount_of(n), true);
        bytes += found.tried * each;
        best = found.left < best.left ? found : best;
    }
    if (best.by) {
        best = find_place(s, one, copy, end, best.by, false);
        bytes += best.tried * each;
    }
    s->readings += (uint32_t)(bytes / all);
    if (best.by) {
        ll_hypothesis h = change_of(best.by);
        h.edit.offset = best.at;
        try_again(p, one, &h);
    }
}

/* Handles the same for the elements of an array. Finds the amount that reads best in front of any field, then tries it
 * at each place of the element. */
static void try_resized(ll_search_plan *p, const ll_search_unit *one)
{
    ll_search *s = p->s;
    const ll_layout *l = &s->weigher.format->layouts[one->layout];
    uint32_t least = UINT32_MAX;
    int32_t by = 0;
    s->ranked = true;
    for (unsigned k = 0; k < l->field_count; k++) {
        for (int32_t n = 2; n < 2 * (LOCAL_BY + 1); n++) {
            ll_hypothesis h = change_of(amount_of(n));
            h.edit.offset = one->at + l->fields[k].offset;
            const uint32_t score = try_everywhere(p, one, &h);
            by = score < least ? amount_of(n) : by;
            least = score < least ? score : least;
        }
    }
    s->ranked = false;
    for (uint32_t at = 0; by && at < places_of(one); at++) {
        ll_hypothesis h = change_of(by);
        h.edit.offset = one->at + at;
        (void)try_everywhere(p, one, &h);
    }
}

/* Tries bytes put in, or taken out, at an address in an element, with the size of the element corrected. */
static void try_mended_at(ll_search *s, const ll_search_unit *u, const ll_derivation *size, const ll_hypothesis *seed,
                          uint32_t place)
{
    const ll_layout *l = &s->weigher.format->layouts[u->layout];
    const ll_field *f = &l->fields[size->field];
    const uint32_t at = u->at + f->offset;
    draft d;
    if (!start(s, &d, at, (uint64_t)u->size + seed->edit.size)) {
        return;
    }
    uint8_t value[LL_DERIVED_MAX];
    ll_put_uint(value, f->bytes, l->endian,
                ll_read_uint(s->bytes + at, f->bytes, l->endian) + seed->edit.size - seed->edit.removed);
    put(s, &d, at, f->bytes, value, f->bytes);
    put(s, &d, place, seed->edit.removed, seed->edit.bytes, seed->edit.size);
    ll_hypothesis h = *seed;
    h.safe = false;
    h.offset = place;
    h.cost += COST_MENDED;
    h.unsure = h.unsure || seed->kind == LL_CAUSE_MISSING;
    (void)try_draft(s, h, &d);
}

/* Tries the change of the seed at each byte of its element, with the size of the element corrected: other fields of the
 * element show which place is right. */
static void try_mended(ll_search_plan *p, const ll_hypothesis *seed)
{
    ll_search *s = p->s;
    const ll_format *format = s->weigher.format;
    const ll_search_unit *u = ll_search_unit_at(p, seed->edit.offset, 0);
    for (size_t k = 0; u && k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        if (row->layout == u->layout && row->how == LL_DERIVE_BYTES && row->which == LL_WHICH_ITSELF) {
            const ll_field *f = &format->layouts[row->layout].fields[row->field];
            for (uint32_t at = u->at + f->offset + f->bytes;
                 at + seed->edit.removed <= u->at + u->size && u->size <= MENDED_MAX; at++) {
                try_mended_at(s, u, row, seed, at);
            }
        }
    }
}

/* Tries the records in a stretch with their numbers in the other byte order. The reader reverses the numbers that it
 * comes to. */
static void try_swap(ll_search *s, unsigned cost, ll_swap swap)
{
    const ll_hypothesis h = {.kind = LL_CAUSE_BYTE_ORDER,
                             .offset = swap.from,
                             .length = swap.to - swap.from,
                             .cost = cost,
                             .swap = swap,
                             .floats = swap.floats};
    (void)ll_search_try(s, h, swap.from, h.length, s->bytes + swap.from, h.length);
}

void ll_search_try_part_orders(ll_search_plan *p)
{
    ll_search *s = p->s;
    for (unsigned i = 0; i < 2 * p->firsts; i++) { /* i % 2: the element around it, if there is one */
        const ll_search_unit *u = ll_search_unit_at(p, p->first[i / 2], i % 2);
        if (u) {
            const ll_swap one = {.from = u->at, .to = u->at + u->size};
            try_swap(s, LL_COST_SWAP_RECORD, one);
            try_swap(s, LL_COST_SWAP_FLOATS, (ll_swap){.from = one.from, .to = one.to, .floats = true});
            try_swap(s, LL_COST_SWAP_FLOATS + COST_MORE, (ll_swap){.to = s->size, .layout = u->layout, .floats = true});
        }
    }
    try_swap(s, LL_COST_SWAP_FLOATS + COST_MORE, (ll_swap){.to = s->size, .floats = true});
}

void ll_search_try_compounds(ll_search_plan *p)
{
    ll_search *s = p->s;
    ll_search_sort(s);
    ll_hypothesis seeds[SEEDS];
    unsigned count = 0;
    for (size_t i = 0; i < s->tried.count && count < SEEDS && s->tried.items[i].left > LL_SEARCH_SOUND; i++) {
        const ll_hypothesis *h = &s->tried.items[i];
        if ((h->kind == LL_CAUSE_FIELD || h->kind == LL_CAUSE_INSERTED || h->kind == LL_CAUSE_MISSING) &&
            h->edit.size <= (h->kind == LL_CAUSE_FIELD ? sizeof(uint64_t) : LL_DERIVED_MAX)) {
            seeds[count++] = *h;
        }
    }
    const ll_hypothesis *moved = NULL;
    for (unsigned i = 0; i < count; i++) {
        const ll_search_unit *one = ll_search_unit_at(p, seeds[i].edit.offset, 0);
        if (one && one->counted) {
            (void)try_everywhere(p, one, &seeds[i]);
        } else if (one) {
            try_again(p, one, &seeds[i]);
        }
        moved = !moved && seeds[i].kind != LL_CAUSE_FIELD ? &seeds[i] : moved;
    }
    if (moved) {
        try_mended(p, moved);
    }
    ll_search_sort(s);
    if (!s->tried.count || s->tried.items[0].left > s->base / FEW) {
        try_records(p);
    }
    const ll_search_unit *one = ll_search_unit_at(p, p->first[0], 0);
    if (one && one->counted && (!s->tried.count || s->tried.items[0].left > LL_SEARCH_SOUND)) {
        try_resized(p, one);
    }
}
