/* Tries whole elements of arrays and lists as doubled, exchanged, lost or added. */
#include "diagnosis/tries.h"

#include <string.h>

enum {
    COST_DOUBLED = 35, /* less than for a wrong count, which explains as much */
    COST_DOUBLED_ZEROS = 160,
    COST_LOST = 140,
    COST_LOST_MORE = 15, /* for each element beyond the first */
    LOST_MAX = 3,        /* most elements that are tried */
    COST_EXCHANGED = 180
};

/* Unit `i` is the first or the last of its layout, and the file has as many bytes too many, or too few, as a few of
 * these elements take. */
static bool is_asked_for(const ll_search_plan *p, uint32_t i)
{
    const ll_search_unit *u = &p->units[i];
    bool asked = false;
    for (size_t k = 0; u->counted && (i + 1 == p->head[u->layout] || i + 1 == p->tail[u->layout]) && !asked &&
                       k < p->s->leftovers.count;
         k++) {
        const int64_t more = p->s->leftovers.items[k].more;
        asked = more != 0 && more % u->size == 0 && more / u->size <= LOST_MAX && more / u->size >= -LOST_MAX;
    }
    return asked;
}

/* A record or padding does not fit at the end of the file: the end is missing, not an element in front of it. */
static bool is_cut_off(const ll_search *s)
{
    bool cut = false;
    for (size_t i = 0; i < s->leftovers.count && !cut; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        cut = l->kind == LL_READ_CUT && (l->beyond || l->offset == s->size);
    }
    return cut;
}

/* Tries to take out elements that repeat those before them, as many bytes as the file has too many. They may be far
 * from all that is wrong, as offsets lead past them: then nothing else may be wrong. */
static void try_copies(ll_search_plan *p)
{
    ll_search *s = p->s;
    for (uint32_t i = 0; i < p->unit_count; i++) {
        const ll_search_unit *u = &p->units[i];
        for (unsigned k = 0; u->counted && k < p->amount_count; k++) {
            const int32_t by = p->amounts[k];
            const uint32_t n = by > 0 && (uint32_t)by % u->size == 0 ? (uint32_t)by : s->size;
            const uint8_t *bytes = s->bytes + u->at;
            if (ll_fits(u->at, 2 * (uint64_t)n, s->size) && !ll_search_is_in_reach(p, u->at, u->at + n) &&
                memcmp(bytes, bytes + n, n) == 0 && !ll_is_zero(bytes, bytes + n) &&
                !(u->at >= n && memcmp(bytes - n, bytes, n) == 0)) { /* the first of a row makes the same file */
                const ll_hypothesis h = {.kind = LL_CAUSE_DOUBLED,
                                         .offset = u->at,
                                         .length = n,
                                         .cost = COST_DOUBLED,
                                         .whole = true,
                                         .unsure = p->reads};
                (void)ll_search_try(s, h, u->at, n, s->bytes, 0);
            }
        }
    }
}

void ll_search_try_elements(ll_search_plan *p)
{
    ll_search *s = p->s;
    try_copies(p);
    for (uint32_t i = 0; i < p->unit_count; i++) {
        const ll_search_unit *a = &p->units[i];
        if (a->list == UINT32_MAX || (!ll_search_is_in_reach(p, a->at, a->at + a->size) && !is_asked_for(p, i))) {
            continue;
        }
        uint32_t k = i + 1;
        while (k < p->unit_count && p->units[k].list != a->list) {
            k++;
        }
        const ll_search_unit *b = k < p->unit_count && p->units[k].at == a->at + a->size ? &p->units[k] : NULL;
        uint32_t behind = a->at + a->size;
        bool twice = ll_fits(behind, a->size, s->size) && memcmp(s->bytes + a->at, s->bytes + behind, a->size) == 0;
        const bool zeros = twice && ll_is_zero(s->bytes + a->at, s->bytes + behind);
        const bool opaque = s->weigher.format->layouts[a->layout].kind == LL_KIND_GROUP;
        if (twice && !(zeros && opaque)) { /* opaque zeros are equal everywhere */
            ll_hypothesis h = {.kind = LL_CAUSE_DOUBLED,
                               .offset = a->at,
                               .length = a->size,
                               .cost = zeros ? COST_DOUBLED_ZEROS : COST_DOUBLED,
                               .unsure = p->reads}; /* another record may be lost, with the count right */
            (void)ll_search_try(s, h, a->at, a->size, s->bytes, 0);
        }
        if (b) {
            uint8_t *bytes = ll_search_alloc(s, a->size + b->size, 1);
            if (!bytes) {
                return;
            }
            memcpy(bytes, s->bytes + b->at, b->size);
            memcpy(bytes + b->size, s->bytes + a->at, a->size);
            const uint32_t both = a->size + b->size;
            const ll_hypothesis h = {.kind = LL_CAUSE_EXCHANGED, .cost = COST_EXCHANGED, .safe = !p->reads};
            ll_search_try_bytes(s, h, a->at, bytes, both);
        }
        if (!a->counted) {
            continue;
        }
        for (uint32_t n = 1; n <= LOST_MAX; n++) {
            uint32_t size = n * a->size;
            ll_hypothesis lost = {.kind = LL_CAUSE_LOST, .offset = a->at, .length = size};
            lost.cost = COST_LOST + COST_LOST_MORE * (n - 1);
            (void)ll_search_try(s, lost, a->at, 0, NULL, size);
            if (!b && !(behind == s->size && is_cut_off(s))) {
                lost.offset = behind;
                (void)ll_search_try(s, lost, behind, 0, NULL, size);
            }
            if (!twice && ll_fits(a->at, size, s->size)) {
                lost.kind = LL_CAUSE_ADDED;
                lost.offset = a->at;
                (void)ll_search_try(s, lost, a->at, size, s->bytes, 0);
            }
        }
    }
}
