/* Tries all plausible values of a count of parts: the rest of the file tells what the parts are. */
#include "diagnosis/tries.h"

#include "model/reference.h"

enum {
    COUNTS_MAX = 400, /* most values of a count that are tried */
    CODED_MAX = 64,   /* the same for a field that LL_PART_COUNT rows take a number from */
    COUNTS_SHARE = 8  /* most values are 1/this of the remaining readings */
};

/* The field is a number of parts, or holds one that LL_PART_COUNT rows take. */
static bool is_count(const ll_format *format, unsigned layout, unsigned field)
{
    const ll_field *f = &format->layouts[layout].fields[field];
    bool coded = false;
    for (size_t i = 0; i < format->derivation_count && f->role == LL_ROLE_DATA; i++) {
        const ll_derivation *row = &format->derivations[i];
        coded = coded || (row->layout == layout && row->field == field && row->how == LL_DERIVE_COUNTED);
    }
    return f->role == LL_ROLE_COUNT || coded;
}

bool ll_search_is_shared(const ll_format *format, unsigned layout, unsigned field)
{
    bool shared = false;
    for (size_t i = 0; i < format->share_count && !shared; i++) {
        const ll_share *share = &format->shares[i];
        const ll_reference *to = ll_reference_of(format, share->layout, share->field);
        const bool meant = to && share->layout == layout && (to->extent == field || share->times == field);
        for (size_t k = 0; meant && k < format->part_count && !shared; k++) {
            const ll_part_row *part = &format->parts[k];
            shared = part->how == LL_PART_SHARED && part->owner == to->within && part->layout == to->target;
        }
    }
    return shared;
}

/* A row derives the field, or the field is the extent of a reference that is no share of an array. Otherwise it
 * is unknown what the number of an element counts. */
static bool is_derived(const ll_format *format, unsigned layout, unsigned field)
{
    bool derived = false;
    for (size_t i = 0; i < format->derivation_count && !derived; i++) {
        derived = format->derivations[i].layout == layout && format->derivations[i].field == field;
    }
    for (size_t i = 0; i < format->reference_count && !derived; i++) {
        const ll_reference *row = &format->references[i];
        derived = row->layout == layout && row->extent == field && !ll_search_is_shared(format, layout, field);
    }
    return derived;
}

/* Some layout has `count` elements of arrays, and the last one is all zeros. */
static bool ends_with_zeros(const ll_search_plan *p, int64_t count)
{
    bool zeros = false;
    for (unsigned layout = 0; layout < LL_LAYOUTS_MAX && !zeros; layout++) {
        const ll_search_unit *last = p->tail[layout] ? &p->units[p->tail[layout] - 1] : NULL;
        const uint8_t *bytes = last ? p->s->bytes + last->at : NULL;
        zeros = last && last->counted && (int64_t)p->tail[layout] - p->head[layout] + 1 == count &&
                ll_is_zero(bytes, bytes + last->size);
    }
    return zeros;
}

/* The surplus bytes after the record's elements repeat these, or are all zeros: then they may have been put in. */
static bool is_again(const ll_search *s, const ll_search_unit *u)
{
    bool again = false;
    for (size_t i = 0; i < s->leftovers.count && !again; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        const uint32_t n = (uint32_t)l->length, at = l->offset;
        const bool behind = l->kind == LL_READ_SURPLUS && at >= u->at && at + n <= u->at + u->size && at >= n && n;
        again = behind && (ll_search_is_repeated(s, at - n, n) || ll_is_zero(s->bytes + at, s->bytes + at + n));
    }
    return again;
}

/* Upper limit for the number of elements that the field counts, by their size. */
static int64_t most_elements(const ll_search *s, unsigned layout, unsigned field)
{
    const ll_format *format = s->weigher.format;
    uint32_t least = 0;
    for (size_t k = 0; k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        const uint32_t size = row->target ? format->layouts[row->target].size : 0;
        const bool counts = row->layout == layout && row->field == field && row->how == LL_DERIVE_COUNT;
        least = counts && size && (!least || size < least) ? size : least;
    }
    return s->size / (least ? least : 1) + 1;
}

static void try_count(ll_search_plan *p, const ll_search_unit *u, unsigned field)
{
    ll_search *s = p->s;
    const ll_layout *l = &s->weigher.format->layouts[u->layout];
    const ll_field *f = &l->fields[field];
    const int64_t stated = (int64_t)ll_read_uint(s->bytes + u->at + f->offset, f->bytes, l->endian);
    const bool zeros = f->role == LL_ROLE_DATA && p->reads && ends_with_zeros(p, stated);
    int64_t room = (s->most - s->readings) / COUNTS_SHARE;
    const int64_t all = f->role == LL_ROLE_DATA ? CODED_MAX : most_elements(s, u->layout, field);
    int64_t most = all < COUNTS_MAX ? all : COUNTS_MAX;
    most = most < room ? most : room;
    int64_t from = most < all && stated > most / 2 && stated < s->size ? stated - most / 2 : 0;
    const bool own = ll_search_counts_own(s->weigher.format, u->layout, field), again = own && is_again(s, u);
    const bool sized = ll_search_is_sized(s, u->layout), confirmed = own && !sized && s->filled;
    const bool shared = ll_search_is_shared(s->weigher.format, u->layout, field);
    for (int64_t value = from; value < from + most; value++) {
        if (value != stated) { /* a smaller count may hide elements of zeros in padding */
            const ll_hypothesis h = {
                .cost = p->padded ? LL_COST_KIND_PADDED : LL_COST_FIELD,
                .unsure = (value < stated && zeros) || (p->padded && own) || (value > stated && again) ||
                          (value == 0 && own && sized && s->leftovers.count > 1),
                .redundant = confirmed,
                .confirmed = confirmed,
                .safe = f->role == LL_ROLE_COUNT && value > 0 && !shared}; /* elements confirm it */
            ll_search_try_number(s, h, l, u->at, field, value);
        }
    }
}

/* The field counts the parts of a series. The reader finds these without the count and compares the numbers. */
static bool counts_series(const ll_format *format, unsigned layout, unsigned field)
{
    bool series = false;
    for (size_t i = 0; i < format->derivation_count; i++) {
        const ll_derivation *row = &format->derivations[i];
        for (size_t k = 0; row->layout == layout && row->field == field && k < format->part_count; k++) {
            const ll_part_row *part = &format->parts[k];
            series =
                series || (part->how == LL_PART_SERIES && row->how == LL_DERIVE_COUNT && part->layout == row->target);
        }
    }
    return series;
}

/* Surplus bytes were found after the address. */
static bool is_behind(const ll_search *s, uint32_t at)
{
    bool behind = false;
    for (size_t i = 0; i < s->leftovers.count && !behind; i++) {
        behind = s->leftovers.items[i].kind == LL_READ_SURPLUS && s->leftovers.items[i].offset > at;
    }
    return behind;
}

/* For a record whose size no field states: something is wrong with the next record of its layout, which may begin at a
 * wrong place, or surplus bytes follow. */
static bool is_followed_by_touched(const ll_search_plan *p, uint32_t i)
{
    const uint16_t layout = p->units[i].layout;
    uint32_t next = i + 1;
    while (next < p->unit_count && p->units[next].layout != layout) {
        next++;
    }
    return (next < p->unit_count && ll_search_is_touched(p->s, &p->units[next])) || is_behind(p->s, p->units[i].at);
}

/* The count of a unit may be wrong. alone: consider only counts of the unit's own parts where no field states its size;
 * false: only the others. */
static bool is_count_suspect(const ll_search_plan *p, uint32_t i, unsigned field, bool alone)
{
    const ll_search *s = p->s;
    const ll_search_unit *u = &p->units[i];
    const bool own = ll_search_counts_own(s->weigher.format, u->layout, field);
    if (alone != (own && s->by_rows && !ll_search_is_sized(s, u->layout)) ||
        counts_series(s->weigher.format, u->layout, field)) {
        return false;
    }
    return alone ? ll_search_is_touched(s, u) || is_followed_by_touched(p, i)
           : own ? !p->reads && ll_search_is_touched(s, u) /* its size confirms the count */
                 : ll_search_is_in_reach(p, u->at, s->size);
}

void ll_search_try_counts(ll_search_plan *p, bool unsized)
{
    const ll_search *s = p->s;
    for (uint32_t i = 0; i < p->unit_count && !s->only_surplus; i++) { /* surplus zeros are no elements */
        const ll_search_unit *u = &p->units[i];
        const ll_layout *l = &s->weigher.format->layouts[u->layout];
        const bool meant = l->kind == LL_KIND_RECORD && !(unsized && ll_search_is_sized(s, u->layout));
        for (unsigned k = 0; meant && k < l->field_count; k++) {
            if (!(u->counted && !is_derived(s->weigher.format, u->layout, k)) &&
                is_count(s->weigher.format, u->layout, k) && is_count_suspect(p, i, k, unsized)) {
                try_count(p, u, k);
            }
        }
    }
}

/* Tries a number next to the best one. If the file reads with it just as well but for notes and odd numbers, perhaps
 * with a second fault as with the best one, the best one is a guess. */
static void try_beside(ll_search *s, const ll_layout *l, uint32_t record, unsigned field, int64_t value)
{
    const ll_weigher *w = &s->weigher;
    const ll_hypothesis best = s->tried.items[0];
    const uint64_t before = s->readings, second = best.left > LL_SEARCH_SOUND ? best.left : 0;
    s->ranked = true;
    ll_search_try_number(s, (ll_hypothesis){.cost = best.cost}, l, record, field, value);
    s->ranked = false;
    const bool as_good = s->readings > before && w->sum <= second + w->odd + w->floats && w->floats <= s->floats;
    for (size_t i = 0; i < s->tried.count && as_good; i++) {
        ll_hypothesis *h = &s->tried.items[i];
        h->safe = h->safe && (h->offset != best.offset || h->length != best.length);
    }
}

void ll_search_try_next_counts(ll_search_plan *p)
{
    ll_search *s = p->s;
    const ll_hypothesis *best = s->tried.count ? &s->tried.items[0] : NULL;
    for (uint32_t i = 0; best && best->kind == LL_CAUSE_FIELD && i < p->unit_count; i++) {
        const ll_search_unit *u = &p->units[i];
        const ll_layout *l = &s->weigher.format->layouts[u->layout];
        for (unsigned k = 0; l->kind == LL_KIND_RECORD && k < l->field_count; k++) {
            const ll_field *f = &l->fields[k];
            if (u->at + f->offset == best->offset && f->bytes == best->length && f->role == LL_ROLE_COUNT) {
                const int64_t value = (int64_t)ll_read_uint(best->edit.bytes, f->bytes, l->endian);
                s->most = s->readings + 2;
                try_beside(s, l, u->at, k, value + 1);
                try_beside(s, l, u->at, k, value - 1);
                return;
            }
        }
    }
}
