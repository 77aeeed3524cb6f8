/* See plan.h. A writer makes the same mistake in each record; an editor corrects the size of what he edits. Each begins
 * with a hypothesis about one record that explains a part of what is wrong. */
#include "diagnosis/plan.h"

#include "base/half.h"
#include "model/derive.h"

#include <string.h>

enum {
    SEEDS = 6,        /* of the best hypotheses begin one */
    MENDED_MAX = 512, /* bytes of an element of which each place is tried */
    COST_MORE = 15,   /* for all others beyond the first change */
    COST_MENDED = 20  /* for the size */
};

/* The element of an array or a list that holds an address. within: 0: the innermost one, 1: the one that holds that.
 * NULL: there is none. */
static const ll_search_unit *unit_at(const ll_search_plan *p, uint32_t at, unsigned within)
{
    LL_BISECT(behind, p->unit_count, u, p->units[u].at <= at);
    while (behind > 0) {
        const ll_search_unit *unit = &p->units[--behind];
        if (unit->list != UINT32_MAX && at < unit->at + unit->size && within-- == 0) {
            return unit;
        }
    }
    return NULL;
}

/* What is put together, from the first change to the last one. */
typedef struct draft {
    uint8_t *bytes;
    uint32_t size;
    uint32_t from, to; /* of the file */
} draft;

/* room: the most bytes that it will have. */
static bool start(ll_search *s, draft *d, uint32_t from, uint64_t room)
{
    *d = (draft){.from = from, .to = from};
    d->bytes = ll_arena_alloc(&s->arena, (size_t)room, 1);
    s->weigher.status = d->bytes ? s->weigher.status : LL_E_MEMORY;
    return d->bytes;
}

/* The bytes of the file up to an address, then `size` bytes for `removed` ones. */
static void put(const ll_search *s, draft *d, uint32_t at, uint32_t removed, const uint8_t *bytes, uint32_t size)
{
    memcpy(d->bytes + d->size, s->bytes + d->to, at - d->to);
    d->size += at - d->to;
    memcpy(d->bytes + d->size, bytes, size);
    d->size += size;
    d->to = at + removed;
}

static void try_draft(ll_search *s, ll_hypothesis h, const draft *d)
{
    (void)ll_search_try(s, h, d->from, d->to - d->from, d->bytes, d->size);
}

/* The change of a hypothesis at the same place of each element like the one that it is about. */
static void try_everywhere(ll_search_plan *p, const ll_hypothesis *seed)
{
    ll_search *s = p->s;
    const ll_search_unit *one = unit_at(p, seed->edit.offset, 0);
    if (!one) {
        return;
    }
    const uint32_t rel = seed->edit.offset - one->at, removed = seed->edit.removed, size = seed->edit.size;
    const uint32_t first = p->head[one->layout] - 1, last = p->tail[one->layout] - 1;
    const uint32_t stride = one->size + removed - size;
    draft d = {.size = 0};
    ll_hypothesis h = *seed;
    h.times = 0;
    for (uint32_t i = first; i <= last; i++) {
        const ll_search_unit *u = &p->units[i];
        if (u->layout != one->layout || u->list != one->list) {
            continue;
        }
        const uint64_t at = (one->counted ? p->units[first].at + (uint64_t)h.times * stride : u->at) + rel;
        if (!ll_fits(at, removed, s->size) || (d.bytes && at < d.to) || (!one->counted && rel + removed > u->size)) {
            break;
        }
        if (!d.bytes && !start(s, &d, (uint32_t)at, s->size - at + (uint64_t)(last - first + 1) * size + 1)) {
            return;
        }
        uint8_t value[LL_DERIVED_MAX];
        const uint8_t *bytes = seed->edit.bytes;
        if (seed->kind == LL_CAUSE_FIELD) { /* each is off by as much */
            const uint8_t endian = s->weigher.format->layouts[one->layout].endian;
            const uint64_t off =
                ll_read_uint(seed->edit.bytes, size, endian) - ll_read_uint(s->bytes + seed->edit.offset, size, endian);
            ll_put_uint(value, size, endian, ll_read_uint(s->bytes + at, size, endian) + off);
            bytes = value;
        }
        put(s, &d, (uint32_t)at, removed, bytes, size);
        h.times++;
    }
    if (h.times > 1) {
        h.cost += COST_MORE;
        h.offset = d.from;
        h.length = removed;
        h.unsure = h.unsure || seed->kind == LL_CAUSE_MISSING;
        h.redundant = h.safe = false;
        try_draft(s, h, &d);
    }
}

/* Bytes put in, or taken out, at an address in an element, and the size of the element corrected with them. */
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
    try_draft(s, h, &d);
}

/* The same at each place of the element: which one it is, the numbers in it tell. */
static void try_mended(ll_search_plan *p, const ll_hypothesis *seed)
{
    ll_search *s = p->s;
    const ll_format *format = s->weigher.format;
    const ll_search_unit *u = unit_at(p, seed->edit.offset, 0);
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

/* Numbers of the records among these bytes in the other byte order. The reader turns those round that it comes to. */
static void try_swap(ll_search *s, unsigned cost, ll_swap swap)
{
    const ll_hypothesis h = {
        .kind = LL_CAUSE_BYTE_ORDER, .offset = swap.from, .length = swap.to - swap.from, .cost = cost, .swap = swap};
    (void)ll_search_try(s, h, swap.from, h.length, s->bytes + swap.from, h.length);
}

/* Of an element and its parts, of all like it, and of the file. */
static void try_orders(ll_search_plan *p)
{
    ll_search *s = p->s;
    for (unsigned i = 0; i < 2 * p->firsts; i++) { /* and of what holds it, if that is an element too */
        const ll_search_unit *u = unit_at(p, p->first[i / 2], i % 2);
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
    if (s->tried.count == 0 || s->tried.items[0].left > LL_SEARCH_SOUND) {
        try_orders(p);
    }
    for (size_t i = 0; i < s->tried.count && count < SEEDS && s->tried.items[i].left > LL_SEARCH_SOUND; i++) {
        const ll_hypothesis *h = &s->tried.items[i];
        if ((h->kind == LL_CAUSE_FIELD || h->kind == LL_CAUSE_INSERTED || h->kind == LL_CAUSE_MISSING) &&
            h->edit.size <= (h->kind == LL_CAUSE_FIELD ? sizeof(uint64_t) : LL_DERIVED_MAX)) {
            seeds[count++] = *h;
        }
    }
    const ll_hypothesis *moved = NULL;
    for (unsigned i = 0; i < count; i++) {
        try_everywhere(p, &seeds[i]);
        moved = !moved && seeds[i].kind != LL_CAUSE_FIELD ? &seeds[i] : moved;
    }
    if (moved) {
        try_mended(p, moved);
    }
}
