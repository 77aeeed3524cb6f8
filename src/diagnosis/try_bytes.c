/* Tries bytes put in or taken out, at the edges of elements first, then at each byte around the best of these. Tries
 * overwritten bytes from the first to the last of several things that are wrong. */
#include "diagnosis/tries.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHIFT_MAX = 16, /* most bytes put in or taken out that are tried without a sign of that amount */
    COST_OVERWRITTEN = 320,
    COST_OVERWRITTEN_BYTE = 5,
    OVERWRITTEN_GAP = 64,  /* most bytes between leftovers of one stretch */
    SHARE_OVERWRITTEN = 2, /* at most 1/this of the file is overwritten: more would be another file */
    OVERWRITTEN_LEAST = 3, /* least number of errors in a stretch: two may be outdated fields */
    MANY_LEAST = 8,        /* with this many leftovers, bytes may have moved inside a record */
    REST_LEAST = 32,       /* bytes; fewer are no rest of a part */
    SHARE_LOST = 4,        /* more than 1/this of the file is rather a rest of something larger than inserted bytes */
    LESS_AT_END = 40,      /* files get bytes at their ends more often than elsewhere */
    MISSING_MANY = 64,     /* bytes; each doubling beyond this costs more */
    COST_MISSING_DOUBLED = 25
};

/* ------------------------------------------------------------------ bytes put in or taken out */

/* The tag of a part is among the bytes, so they may be the rest of a lost part. */
static bool holds_tag(const ll_search *s, uint32_t at, uint32_t n)
{
    const ll_format *format = s->weigher.format;
    for (size_t i = 0; i < format->part_count; i++) {
        const char *tag = format->parts[i].tag;
        for (uint32_t k = 0; tag && tag[0] && k + 4 <= n; k++) {
            if (memcmp(s->bytes + at + k, tag, 4) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* A size field, or an offset in the header, says that the file is `by` bytes too long. whole: only what states the size
 * of the file, or a value in the header, counts. */
static bool is_stated(const ll_search *s, int32_t by, bool whole)
{
    bool stated = false;
    for (unsigned i = 0; i < s->difference_count && !stated; i++) {
        stated = s->differences[i] == by;
    }
    for (size_t i = 0; i < s->leftovers.count && !stated; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        stated = l->redundant && l->more == by &&
                 ((!l->leads && !whole) || l->at.span == 0 || ll_search_is_size_of_file(s->weigher.format, l));
    }
    return stated;
}

/* The leftover about surplus bytes that is exactly this stretch; NULL: there is none. */
static const ll_leftover *left_over(const ll_search *s, uint32_t at, uint32_t n)
{
    for (size_t i = 0; i < s->leftovers.count; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        if (l->kind == LL_READ_SURPLUS && l->offset == at && l->length == n) {
            return l;
        }
    }
    return NULL;
}

/* Tries that `by` bytes were inserted at `at`, or, if by < 0, that -by bytes are missing there. Returns the score;
 * UINT32_MAX: it was not tried. */
static uint32_t try_shift(ll_search *s, uint32_t at, int32_t by)
{
    uint32_t n = (uint32_t)(by > 0 ? by : -by), few = n < 32 ? n : 32, least = n < 16 ? n : 16;
    if (by < 0 && (at == s->size || n > s->size)) { /* that is a missing end, or too much */
        return UINT32_MAX;
    }
    if (by < 0) {
        ll_hypothesis h = {.kind = LL_CAUSE_MISSING, .offset = at, .length = n, .cost = LL_COST_MISSING + 6 * least};
        const bool many = n > MISSING_MANY && s->readings < s->most && !is_stated(s, by, false);
        for (uint32_t most = MISSING_MANY; many && most < n; most *= 2) {
            h.cost += COST_MISSING_DOUBLED;
        }
        return ll_search_try(s, h, at, 0, NULL, n);
    }
    if (!ll_fits(at, n, s->size)) {
        return UINT32_MAX;
    }
    const ll_leftover *left = s->sized.size ? left_over(s, at, n) : NULL;
    const bool at_end = at + n == s->size,
               stated = at && (left || is_stated(s, by, !at_end)); /* another file may follow this one */
    if (!(stated && at_end) && n > s->size - n) {                  /* more than half of a file is not inserted */
        return UINT32_MAX;
    }
    ll_hypothesis h = {.kind = LL_CAUSE_INSERTED, .offset = at, .length = n, .cost = LL_COST_INSERTED + 2 * few};
    h.cost += stated ? 0 : 8 * (n - few);
    if (left) { /* preferred to equal bytes elsewhere; at its end the part is only too long */
        h.cost -= at + n == s->rows_to && n >= REST_LEAST ? LL_COST_SIZED + 2 * LESS_AT_END : 1;
    }
    h.cost -= at_end ? s->only_surplus ? 2 * LESS_AT_END : LESS_AT_END : 0;
    if (h.cost <= s->best + LL_SEARCH_KEPT && s->readings < s->most) { /* only then it is tried */
        h.unsure = (!ll_search_is_repeated(s, at, n) && holds_tag(s, at, n)) ||
                   (!at_end && n > REST_LEAST && n > s->size / SHARE_LOST) || /* it may be a rest */
                   (left && left->patch.guessed) ||                           /* or all that a part has */
                   (s->sized.size && n >= s->rows_to - s->sized.offset - s->sized.size);
    }
    return ll_search_try(s, h, at, n, s->bytes, 0);
}

typedef struct shift {
    uint32_t at, score;
    int32_t by;
} shift;

static int by_score(const void *a, const void *b)
{
    const shift *x = a, *y = b;
    return x->score != y->score ? (x->score > y->score) - (x->score < y->score)
           : x->at != y->at     ? (x->at > y->at) - (x->at < y->at)
                                : (x->by > y->by) - (x->by < y->by);
}

enum {
    EDGES_MAX = 64,
    STRETCH_EDGES = 32, /* edges in a stretch in which bytes moved */
    SHIFTS_MAX = EDGES_MAX * LL_SEARCH_AMOUNTS * 2,
    AMOUNTS = 5,
    PLACES = 3,
    ALIKE = 12,
    FURTHER = 320 /* bytes around a place that are tried */
};

/* Adds an edge, unless it is known, out of reach or one too many. Returns the new number of edges. */
static unsigned add_edge(const ll_search_plan *p, uint32_t edges[EDGES_MAX], unsigned count, uint32_t at)
{
    bool known = !ll_search_is_in_reach(p, at, at) || at > p->s->size || count == EDGES_MAX - 1;
    for (unsigned m = 0; m < count && !known; m++) {
        known = edges[m] == at;
    }
    if (!known) {
        edges[count++] = at;
    }
    return count;
}

/* Adds places spread over each stretch in which, as the reader says, bytes moved: it read nothing there. */
static unsigned add_stretches(const ll_search *s, uint32_t edges[EDGES_MAX], unsigned count)
{
    for (size_t i = 0; i < s->leftovers.count; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        const uint64_t step = l->length / STRETCH_EDGES + 1;
        for (uint64_t n = 0; l->kind == LL_READ_SHIFTED && n < l->length && count < EDGES_MAX - 1; n += step) {
            if (ll_fits(l->offset, n, s->size)) {
                edges[count++] = l->offset + (uint32_t)n;
            }
        }
    }
    return count;
}

/* Collects the places to look at, and both ends of the elements near them. Returns their number. */
static unsigned find_edges(const ll_search_plan *p, uint32_t edges[EDGES_MAX])
{
    unsigned count = add_stretches(p->s, edges, 0);
    for (size_t i = 0; i < p->s->leftovers.count && p->s->only_surplus; i++) {
        count = add_edge(p, edges, count, p->s->leftovers.items[i].offset);
    }
    for (unsigned k = 0; k < p->firsts && p->s->leftovers.count >= MANY_LEAST; k++) {
        count = add_edge(p, edges, count, p->first[k]);
    }
    for (unsigned k = p->firsts; k-- > 0;) {
        LL_BISECT(at, p->unit_count, u, p->units[u].at <= p->first[k]);
        for (uint32_t i = at > LL_SEARCH_NEAR ? at - LL_SEARCH_NEAR : 0; i < p->unit_count && i < at + LL_SEARCH_NEAR;
             i++) {
            count = add_edge(p, edges, count, p->units[i].at);
            count = add_edge(p, edges, count, p->units[i].at + p->units[i].size);
        }
    }
    edges[count++] = p->s->size;
    return count;
}

/* Tries an amount at each byte of the elements in front of the place where it scored best, and after it as long as the
 * score is as good as the best. */
static void refine(ll_search_plan *p, const shift *best)
{
    uint32_t low = best->at > FURTHER ? best->at - FURTHER : 0, high = best->at + 17 + (uint32_t)abs(best->by);
    LL_BISECT(before, p->unit_count, u, p->units[u].at < best->at);
    uint32_t back = before >= 2 ? p->units[before - 2].at : 0;
    low = back > low ? back : low;
    uint32_t last = 0;
    for (uint32_t at = low; at <= p->s->size && (at <= high || (at - high < FURTHER && last <= p->s->best)); at++) {
        last = try_shift(p->s, at, best->by);
    }
}

void ll_search_try_amounts(ll_search_plan *p, const int32_t *by, unsigned amount_count)
{
    ll_search *s = p->s;
    uint32_t edges[EDGES_MAX];
    shift *found = ll_search_alloc(s, SHIFTS_MAX, sizeof *found);
    if (!found) {
        return;
    }
    unsigned edge_count = find_edges(p, edges), count = 0;
    s->ranked = true;
    for (unsigned i = 0; i < edge_count; i++) {
        for (unsigned k = 0; k < amount_count; k++) {
            found[count++] = (shift){edges[i], try_shift(s, edges[i], by[k]), by[k]};
            if (by[k] < 0 && edges[i] >= (uint32_t)-by[k]) { /* in the record that ends there */
                uint32_t inside = edges[i] - (uint32_t)-by[k];
                found[count++] = (shift){inside, try_shift(s, inside, by[k]), by[k]};
            }
        }
    }
    s->ranked = false;
    qsort(found, count, sizeof *found, by_score);
    unsigned amounts = 0;
    shift best[AMOUNTS * PLACES];
    unsigned kept = 0;
    for (unsigned i = 0; i < count && kept < AMOUNTS * PLACES && found[i].score < UINT32_MAX; i++) {
        unsigned same = 0;
        bool alike = false;
        for (unsigned k = 0; k < kept; k++) {
            bool equal = best[k].by == found[i].by;
            uint32_t apart = best[k].at > found[i].at ? best[k].at - found[i].at : found[i].at - best[k].at;
            same += equal;
            alike = alike || (equal && apart < ALIKE);
        }
        if (!alike && same < PLACES && (same || amounts < AMOUNTS)) {
            amounts += same == 0;
            best[kept++] = found[i];
        }
    }
    for (unsigned i = 0; i < kept; i++) {
        refine(p, &best[i]);
    }
}

void ll_search_try_shifts(ll_search_plan *p)
{
    int32_t by[2 * SHIFT_MAX];
    for (int32_t n = 1; n <= SHIFT_MAX; n++) {
        by[2 * n - 2] = n;
        by[2 * n - 1] = -n;
    }
    ll_search_try_amounts(p, by, 2 * SHIFT_MAX);
}

/* ------------------------------------------------------------------ overwritten bytes */

static int by_offset(const void *a, const void *b)
{
    const ll_leftover *const *x = a, *const *y = b;
    return (*x)->offset != (*y)->offset ? ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset)
                                        : ((*x)->length > (*y)->length) - ((*x)->length < (*y)->length);
}

void ll_search_try_overwritten(ll_search_plan *p)
{
    ll_search *s = p->s;
    const ll_leftover **all = ll_search_alloc(s, s->leftovers.count + 1, sizeof *all);
    size_t count = 0;
    unsigned tried = 0;
    if (!all) {
        return;
    }
    for (size_t i = 0; i < s->leftovers.count; i++) {
        all[count] = &s->leftovers.items[i];
        count += s->leftovers.items[i].loud;
    }
    qsort(all, count, sizeof *all, by_offset);
    for (size_t i = 0, next; i < count && tried < LL_SEARCH_OVERWRITTEN; i = next) {
        const uint32_t from = all[i]->offset;
        uint32_t to = from;
        for (next = i; next < count && all[next]->offset <= (uint64_t)to + OVERWRITTEN_GAP; next++) {
            const uint64_t end = (uint64_t)all[next]->offset + all[next]->length;
            to = end > to && end <= s->size ? (uint32_t)end : to;
        }
        const uint32_t n = to - from;
        if (next - i >= OVERWRITTEN_LEAST && n && n <= s->size / SHARE_OVERWRITTEN) {
            const ll_hypothesis h = {.kind = LL_CAUSE_OVERWRITTEN,
                                     .cost = COST_OVERWRITTEN + COST_OVERWRITTEN_BYTE * n};
            ll_search_try_bytes(s, h, from, NULL, n);
            tried++;
        }
    }
}
