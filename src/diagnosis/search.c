/* See search.h. Costs and weights are hundredths; where they come from: docs/design.md. */
#include "diagnosis/search.h"

#include "base/half.h"
#include "diagnosis/tries.h"
#include "model/claim.h"
#include "model/derive.h"
#include "model/reader_plan.h"

#include <stdlib.h>
#include <string.h>

enum {
    READINGS_LEAST = 32,     /* a file too large for this many is not searched */
    READINGS_MAX = 4000,     /* of a file, */
    SOUGHT_SHARE = 16,       /* bytes that are read in the time in which one is sought at */
    COPIED_SHARE = 16,       /* a copy takes this share of the time of a reading */
    READ_MAX = 1 << 27,      /* and bytes that are read, so that no file takes more than a second */
    CUT_WEIGHT_LEAST = 1000, /* of what a cut explains, however small the records of the family are */
    READINGS_LAST = 600,     /* of them for changes in several places, */
    LAST_SHARE = 4,          /* and this share of them at most */
    ODD_MOVED = 600,         /* weight of odd numbers from which on bytes may be missing or too many */
    SHIFT_MAX = 16,          /* bytes put in or taken out that are looked for without an anchor */
    NUMBERS_ALIKE = 30,      /* scores of one shift at several places differ by no more */
    PLACES_ALIKE = 64,       /* bytes between such places */
    JOINED_MAX = 64,
    LIST_REACH = 64,      /* parts of a list in front of which, and behind which, a change may be as well */
    EASY_SHIFT = 350,     /* if one is as good as this no other amounts are looked for */
    PARSED_LOUD_MAX = 32, /* of a format with a parser, loud findings that one change may explain */
    EASY = 135,           /* if one is as good as this no shift is looked for */
    AMOUNTS_LEAVE = 3,    /* share of the readings that amounts which are asked for leave */
    COST_OVERWRITTEN = 320,
    COST_OVERWRITTEN_BYTE = 5,
    OVERWRITTEN_GAP = 64,  /* bytes between leftovers of one stretch */
    SHARE_OVERWRITTEN = 2, /* of the file: more than that is another file */
    OVERWRITTEN_LEAST = 3, /* things wrong in a stretch: two fields may both be old */
    MANY_LEAST = 8,        /* things wrong from which on it may be in the middle of a record that bytes were moved */
    OVERWRITTEN_MAX = 8,   /* stretches that are tried */
    REST_LEAST = 32,       /* bytes */
    SHARE_LOST = 4,        /* so much of a file is rather what is left of more than put in */
    LESS_AT_END = 40,      /* as files get bytes at their ends more often than anywhere else */
    MISSING_MANY = 64,     /* bytes, beyond which each doubling costs */
    COST_MISSING_DOUBLED = 25,
    COST_CUT = 190,
    COST_CUT_DOUBLED = 25,
    CUT_TIMES = 16, /* a whole file is at most this many times as large as what is left */
    COST_ZEROED = 200,
    COST_ZEROED_USUAL = 160
};

/* What is left over when the end of the file, from `end` on, is taken for missing: of the record that was cut, which
 * nobody read, nothing. */
static uint32_t weigh_cut(const ll_weigher *w, uint32_t end, bool *wants)
{
    uint64_t sum = w->sum, most = CUT_WEIGHT_LEAST;
    *wants = false;
    for (size_t i = 0; i < w->format->layout_count; i++) {
        const uint64_t record = (uint64_t)LL_WEIGHT_BYTE * w->format->layouts[i].size;
        most = record > most ? record : most;
    }
    for (size_t i = 0; i < w->leftovers.count; i++) {
        const ll_leftover *l = &w->leftovers.items[i];
        bool at_end = l->rule == LL_NO_RULE && !l->redundant && l->kind != LL_READ_TAG && l->kind != LL_READ_ORDER &&
                      l->offset + l->length + 8 >= end && l->weight <= most;
        *wants = *wants || (l->beyond && !ll_search_is_size_of_file(w->format, l));
        sum -= l->beyond || at_end ? l->weight : 0;
    }
    return sum < UINT32_MAX / 2 ? (uint32_t)sum : UINT32_MAX / 2;
}

/* The cost rises with each doubling of the file. False: the whole file would be too large to believe. */
static bool cost_of_cut(const ll_weigher *w, uint32_t size, unsigned *cost)
{
    uint64_t want = 0;
    for (size_t i = 0; i < w->leftovers.count; i++) {
        const ll_leftover *l = &w->leftovers.items[i];
        want = l->beyond && l->want > want ? l->want : want;
    }
    for (uint64_t n = (uint64_t)size * 2; n && n <= want && want <= (uint64_t)size * CUT_TIMES; n *= 2) {
        *cost += COST_CUT_DOUBLED;
    }
    return want <= (uint64_t)size * CUT_TIMES;
}

static void keep_cut(ll_search *s, ll_cause_kind kind, uint32_t at, unsigned cost, uint32_t left)
{
    if (s->by_rows && !s->weigher.doc.by_rows) { /* a parser knows where the file ends, and finds it right */
        return;
    }
    ll_search_keep(
        s, &(ll_hypothesis){
               .kind = kind, .offset = at, .length = s->size - at, .cost = cost, .score = cost + left, .left = left});
}

/* Only padding is missing, as the reader knows; false: more is, or nothing. */
static bool try_padding(ll_search *s)
{
    for (size_t i = 0; i < s->leftovers.count; i++) {
        const ll_edit *patch = &s->leftovers.items[i].patch;
        if (patch->tier != LL_PATCH_NONE && !patch->removed && patch->bytes && patch->offset == s->size) {
            const ll_hypothesis h = {.kind = LL_CAUSE_CUT,
                                     .offset = s->size,
                                     .cost = LL_COST_FIELD,
                                     .redundant = true,
                                     .safe = patch->tier == LL_PATCH_SAFE};
            (void)ll_search_try(s, h, s->size, 0, patch->bytes, patch->size);
            return true;
        }
    }
    return false;
}

/* The last bytes of the file are the part: it was read there, or its tag and its size say so. */
static bool ends_with(const ll_doc *doc, const ll_part_row *part)
{
    const ll_layout *l = &doc->layouts[part->layout];
    if (l->size > doc->size || !part->tag) {
        return false;
    }
    const uint32_t span = doc->firsts[part->layout] - 1, at = doc->size - l->size;
    const uint8_t *record = doc->bytes + at;
    bool sized = span != LL_NO_SPAN && ll_doc_span(doc, span)->offset == at, tagged = sized;
    for (size_t i = 0; i < l->field_count; i++) {
        const ll_field *f = &l->fields[i];
        tagged = tagged || ((f->role == LL_ROLE_MAGIC || f->role == LL_ROLE_TERMINATOR) && f->bytes <= 4 &&
                            memcmp(record + f->offset, part->tag, f->bytes) == 0);
        sized = sized || (f->role == LL_ROLE_SIZE && ll_read_uint(record + f->offset, f->bytes, l->endian) == l->size);
    }
    return tagged && sized;
}

/* Nothing of its owner stands behind the part of the row. */
static bool is_last_part(const ll_format *format, size_t row)
{
    const ll_part_row *part = &format->parts[row];
    return part->how == LL_PART_ONE && (row + 1 == format->part_count || part[1].owner != part->owner);
}

/* Bytes of the part that ends the file, if it stands there; 0: there is none. */
static uint32_t size_of_end(const ll_search *s)
{
    const ll_doc *doc = &s->weigher.doc;
    uint32_t size = 0;
    for (size_t i = 0; i < doc->format->part_count; i++) {
        const ll_part_row *part = &doc->format->parts[i];
        const bool last = part->owner == LL_WITHIN_FILE && is_last_part(doc->format, i);
        size = last && ends_with(doc, part) ? doc->layouts[part->layout].size : size;
    }
    return size;
}

/* Nothing is wrong but that the file ends with more zeros than it should. */
static bool are_only_surplus(const ll_search *s, uint32_t zeros)
{
    bool only = true;
    for (size_t i = 0; i < s->leftovers.count && only; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        only = !l->loud || (l->kind == LL_READ_SURPLUS && l->offset >= s->size - zeros);
    }
    return only;
}

static void try_end(ll_search_plan *p)
{
    ll_search *s = p->s;
    bool wants;
    if (try_padding(s)) {
        return;
    }
    uint32_t zeros = 0, left = weigh_cut(&s->weigher, s->size, &wants);
    unsigned cost = COST_CUT;
    if (wants && !p->ends_right && cost_of_cut(&s->weigher, s->size, &cost)) {
        keep_cut(s, LL_CAUSE_CUT, s->size, cost, left);
    }
    while (zeros < s->size && s->bytes[s->size - 1 - zeros] == 0) {
        zeros++;
    }
    s->only_surplus = are_only_surplus(s, zeros);
    if (zeros < 5 || zeros == s->size || wants || zeros < size_of_end(s) || s->only_surplus) {
        return;
    }
    ll_candidate c = {.bytes = s->copy.items, .size = s->size - zeros};
    memcpy(s->copy.items, s->bytes, c.size);
    s->weigher.keep = true;
    s->readings++;
    (void)ll_weigh(&s->weigher, &c);
    left = weigh_cut(&s->weigher, c.size, &wants);
    s->weigher.keep = false;
    if (wants) {
        const bool usual = zeros <= s->weigher.format->zeros_at_end; /* sound files may have as many */
        keep_cut(s, LL_CAUSE_ZEROED, c.size, COST_ZEROED + (usual ? COST_ZEROED_USUAL : zeros < 32 ? 80 : 0), left);
    }
}

/* The tag of a part stands among these bytes: what was there, they are the rest of. */
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

/* A size field, or what the header says of a place, says that the file is `by` bytes too long. whole: the size of the
 * file. */
static bool is_stated(const ll_search *s, int32_t by, bool whole)
{
    bool stated = false;
    for (unsigned i = 0; i < s->difference_count && !stated; i++) {
        stated = s->differences[i] == by;
    }
    for (size_t i = 0; i < s->leftovers.count && !stated; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        const bool of_file = l->at.span == 0 || ll_search_is_size_of_file(s->weigher.format, l);
        stated = l->redundant && l->more == by && (of_file || (!l->leads && !whole));
    }
    return stated;
}

/* by > 0: that number of bytes was inserted at `at`; by < 0: -by bytes are missing there. */
static uint32_t try_shift(ll_search *s, uint32_t at, int32_t by)
{
    uint32_t n = (uint32_t)(by > 0 ? by : -by), few = n < 32 ? n : 32, least = n < 16 ? n : 16;
    if (by < 0 && (at == s->size || n > s->size)) { /* the end is missing, or not so much */
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
    const bool at_end = at + n == s->size, stated = at && is_stated(s, by, !at_end); /* another file may stand behind */
    if (!(stated && at_end) && n > s->size - n) { /* more than half of a file is not put in */
        return UINT32_MAX;
    }
    ll_hypothesis h = {.kind = LL_CAUSE_INSERTED, .offset = at, .length = n, .cost = LL_COST_INSERTED + 2 * few};
    h.cost += stated ? 0 : 8 * (n - few);
    h.cost -= at_end ? s->only_surplus ? 2 * LESS_AT_END : LESS_AT_END : 0;
    if (h.cost <= s->best + LL_SEARCH_KEPT && s->readings < s->most) { /* else it is not tried */
        h.unsure = (!ll_search_is_repeated(s, at, n) && holds_tag(s, at, n)) ||
                   (!at_end && n > REST_LEAST && n > s->size / SHARE_LOST); /* it may be a rest */
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
    SHIFTS_MAX = EDGES_MAX * LL_SEARCH_AMOUNTS * 2,
    AMOUNTS = 5,
    PLACES = 3,
    ALIKE = 12,
    FURTHER = 320 /* bytes from a place up to which its neighbourhood is tried */
};

/* How many there are with one more, unless it is known, or far from where to look. */
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

/* The places that are looked at, and ends of records near them. */
static unsigned find_edges(const ll_search_plan *p, uint32_t edges[EDGES_MAX])
{
    unsigned count = 0;
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

/* Each byte of the records in front of a place where an amount goes best, and on as long as none is better. */
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

/* Tries these amounts at the edges, then the best of them at each byte around. */
static void try_amounts(ll_search_plan *p, const int32_t *by, unsigned amount_count)
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

/* Small amounts, where none that is asked for explains the file. */
static void try_shifts(ll_search_plan *p)
{
    int32_t by[2 * SHIFT_MAX];
    for (int32_t n = 1; n <= SHIFT_MAX; n++) {
        by[2 * n - 2] = n;
        by[2 * n - 1] = -n;
    }
    try_amounts(p, by, 2 * SHIFT_MAX);
}

static int by_offset(const void *a, const void *b)
{
    const ll_leftover *const *x = a, *const *y = b;
    return (*x)->offset != (*y)->offset ? ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset)
                                        : ((*x)->length > (*y)->length) - ((*x)->length < (*y)->length);
}

/* Several things in one stretch are wrong, from the first to the last of them: what stood there was overwritten. */
static void try_overwritten(ll_search_plan *p)
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
    for (size_t i = 0, next; i < count && tried < OVERWRITTEN_MAX; i = next) {
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

/* One shift at places that cannot be told apart is one hypothesis, about all of them. */
static bool join(const ll_search *s, ll_hypothesis *to, const ll_hypothesis *h)
{
    if (ll_search_is_same_file(s, to, h) && to->edit.offset == h->edit.offset) {
        to->safe = to->safe || h->safe;
        return true;
    }
    bool moves = h->kind == LL_CAUSE_INSERTED || h->kind == LL_CAUSE_MISSING || h->kind == LL_CAUSE_LOST ||
                 h->kind == LL_CAUSE_ADDED;
    bool shifts = moves && to->kind == h->kind;
    uint32_t apart = h->edit.size + h->edit.removed > PLACES_ALIKE ? h->edit.size + h->edit.removed : PLACES_ALIKE;
    bool equal = h->edit.size == to->edit.size && h->edit.removed == to->edit.removed;
    uint32_t end = to->offset + to->length, behind = h->offset + h->length;
    bool close = (uint64_t)h->offset <= (uint64_t)end + apart && (uint64_t)behind + apart >= to->offset;
    if (!shifts || !equal || !close || h->score > to->score + NUMBERS_ALIKE) {
        return false;
    }
    if (h->unsure || !ll_search_is_same_file(s, to, h)) {
        to->edit.tier = LL_PATCH_NONE;
    }
    end = end > behind ? end : behind;
    to->offset = to->offset < h->offset ? to->offset : h->offset;
    to->length = end - to->offset;
    return true;
}

/* The hypothesis, tried at another place, scores about as well. */
static bool is_as_good(ll_search_plan *p, const ll_hypothesis *h, uint32_t at)
{
    ll_search *s = p->s;
    if (h->edit.removed && !ll_fits(at, h->edit.removed, s->size)) {
        return false;
    }
    ll_hypothesis other = {.kind = h->kind, .offset = at, .length = h->edit.removed, .cost = h->cost, .unsure = true};
    s->only_weighed = true;
    const uint32_t score = ll_search_try(s, other, at, h->edit.removed, h->edit.size ? NULL : s->bytes, h->edit.size);
    s->only_weighed = false;
    return score <= h->score + NUMBERS_ALIKE;
}

/* Without the bytes at the other place, the file is the same. */
static bool is_same_without(const ll_search *s, const ll_hypothesis *h, uint32_t at)
{
    const uint32_t n = h->edit.removed, low = at < h->edit.offset ? at : h->edit.offset,
                   high = at < h->edit.offset ? h->edit.offset : at;
    return n && !h->edit.size && ll_fits(high, n, s->size) &&
           memcmp(s->bytes + low, s->bytes + low + n, high - low) == 0;
}

/* A part of a list is missing, and nothing tells in front of which one: the best hypothesis is about all of them. */
static void widen_list(ll_search_plan *p)
{
    ll_hypothesis *best = &p->s->tried.items[0];
    const ll_hypothesis h = *best;
    const ll_search_unit *one = ll_search_unit_at(p, h.offset ? h.offset - 1 : 0, 0);
    one = one ? one : ll_search_unit_at(p, h.offset + h.length, 0);
    one = one && one->counted ? ll_search_unit_at(p, h.offset ? h.offset - 1 : 0, 1) : one;
    uint32_t low = h.offset, high = h.offset + h.length;
    if (!one || one->counted || (h.kind != LL_CAUSE_MISSING && h.kind != LL_CAUSE_LOST) ||
        h.edit.tier != LL_PATCH_NONE) {
        return;
    }
    const uint32_t here = (uint32_t)(one - p->units);
    unsigned tries = 0;
    bool good = true;
    for (uint32_t i = here + 1; i-- > 0 && good && tries < LIST_REACH;) {
        if (p->units[i].list == one->list) {
            good = is_as_good(p, &h, p->units[i].at);
            low = good && p->units[i].at < low ? p->units[i].at : low;
            tries++;
        }
    }
    good = true;
    for (uint32_t i = here; i < p->unit_count && good && tries < 2 * LIST_REACH; i++) {
        if (p->units[i].list == one->list) {
            const uint32_t end = p->units[i].at + p->units[i].size;
            good = is_as_good(p, &h, end);
            high = good && end > high ? end : high;
            tries++;
        }
    }
    best = &p->s->tried.items[0];
    best->edit.tier = low < h.offset || high > h.offset + h.length ? LL_PATCH_NONE : best->edit.tier;
    best->offset = low;
    best->length = high - low;
}

/* Where elements are alike, nothing tells at which of them bytes were inserted, or are missing: the best hypothesis is
 * about all of them, as far as it is as good at the first and the last one. */
static void widen(ll_search_plan *p)
{
    ll_search *s = p->s;
    if (!s->tried.count) {
        return;
    }
    ll_hypothesis h = s->tried.items[0];
    const bool moves = h.kind == LL_CAUSE_INSERTED || h.kind == LL_CAUSE_MISSING || h.kind == LL_CAUSE_LOST ||
                       h.kind == LL_CAUSE_ADDED;
    LL_BISECT(behind, p->unit_count, u, p->units[u].at <= h.offset);
    const bool whole = behind && (h.edit.size + h.edit.removed) % p->units[behind - 1].size == 0;
    if (!moves || !behind || !p->units[behind - 1].counted || (!whole && s->by_rows)) {
        widen_list(p);
        return;
    }
    const uint16_t layout = p->units[behind - 1].layout;
    uint32_t low = h.offset, high = h.offset + h.length, here = behind - 1;
    for (uint32_t step = 1; here >= step && p->units[here - step].layout == layout; step *= 2) {
        if (!is_as_good(p, &h, p->units[here - step].at)) {
            break;
        }
        low = p->units[here - step].at;
    }
    if (is_as_good(p, &h, p->units[p->head[layout] - 1].at)) {
        low = p->units[p->head[layout] - 1].at;
    }
    for (uint32_t step = 1; here + step < p->unit_count && p->units[here + step].layout == layout; step *= 2) {
        if (!is_as_good(p, &h, p->units[here + step].at)) {
            break;
        }
        high = p->units[here + step].at + p->units[here + step].size;
    }
    const ll_search_unit *last = &p->units[p->tail[layout] - 1];
    if (is_as_good(p, &h, last->at)) {
        high = last->at + last->size;
    }
    if (low < h.offset || high > h.offset + h.length) {
        ll_hypothesis *best = &s->tried.items[0];
        best->offset = low;
        best->length = high - low;
        const bool same =
            is_same_without(s, &h, low) && is_same_without(s, &h, high > h.edit.removed ? high - h.edit.removed : 0);
        best->edit.tier = same ? best->edit.tier : LL_PATCH_NONE;
    } else {
        widen_list(p);
    }
}

static void join_alike(ll_search *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->tried.count; i++) {
        ll_hypothesis h = s->tried.items[i];
        if (h.kind == LL_CAUSE_MISSING || h.kind == LL_CAUSE_LOST) {
            h.length = 0; /* the place where they are missing */
        }
        bool joined = false;
        for (size_t k = 0; k < kept && !joined && k < JOINED_MAX; k++) {
            joined = join(s, &s->tried.items[k], &h);
        }
        if (!joined) {
            s->tried.items[kept++] = h;
        }
    }
    s->tried.count = kept;
}

/* The last part of the file's list, or of the file, is its end, or a field says where it ends, and is right. */
static bool has_right_end(const ll_search *s)
{
    const ll_doc *doc = &s->weigher.doc;
    bool right = false;
    for (size_t i = 0; i < doc->format->part_count; i++) {
        const ll_part_row *part = &doc->format->parts[i];
        const bool last = part->place == LL_PLACE_LAST || is_last_part(doc->format, i);
        right = right || (last && part->owner == LL_WITHIN_FILE && ends_with(doc, part));
    }
    for (size_t k = 0; k < doc->format->derivation_count && !right; k++) {
        const ll_derivation *row = &doc->format->derivations[k];
        const bool ends = row->how == LL_DERIVE_FILE_BYTES || row->how == LL_DERIVE_BYTES_TO_END;
        const uint32_t span = doc->firsts[row->layout] - 1;
        if (ends && span != LL_NO_SPAN && (row->how == LL_DERIVE_FILE_BYTES || doc->firsts[row->target])) {
            const uint32_t at = ll_at_field(doc, span, 0, row->field).offset;
            size_t i = 0;
            while (i < s->leftovers.count && s->leftovers.items[i].offset != at) {
                i++;
            }
            right = i == s->leftovers.count;
        }
    }
    return right;
}

/* Nothing loud is left over but in what was read by the rows of the format. */
static bool is_by_rows(const ll_search *s)
{
    const ll_doc *doc = &s->weigher.doc;
    bool rows = doc->by_rows || doc->rows_from < doc->rows_to;
    for (size_t i = 0; !doc->by_rows && rows && i < s->leftovers.count; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        rows = !l->loud || (l->offset >= doc->rows_from && l->offset < doc->rows_to &&
                            (uint64_t)l->offset + l->length <= doc->rows_to);
    }
    return rows;
}

/* Reads the file as it is, and keeps what is left over. */
static bool read_base(ll_search_plan *p)
{
    ll_search *s = p->s;
    if (!LL_ARRAY_ROOM(&s->copy, s->size ? s->size : 1, NULL)) {
        s->weigher.status = LL_E_MEMORY;
        return false;
    }
    memcpy(s->copy.items, s->bytes, s->size);
    s->weigher.keep = true;
    s->base = ll_weigh(&s->weigher, &(ll_candidate){.bytes = s->copy.items, .size = s->size});
    s->weigher.keep = false;
    s->notes = s->weigher.notes;
    s->floats = s->weigher.floats;
    for (size_t i = 0; i < s->weigher.leftovers.count && s->weigher.status == LL_OK; i++) {
        ll_leftover *l = LL_ARRAY_ADD(&s->leftovers, NULL);
        if (!l) {
            s->weigher.status = LL_E_MEMORY;
            return false;
        }
        *l = s->weigher.leftovers.items[i];
        if (l->patch.tier != LL_PATCH_NONE && l->patch.bytes && l->patch.size) {
            uint8_t *own = ll_search_alloc(s, l->patch.size, 1);
            if (!own) {
                return false;
            }
            memcpy(own, l->patch.bytes, l->patch.size);
            l->patch.bytes = own;
        }
    }
    p->ends_right = s->weigher.status == LL_OK && has_right_end(s);
    const ll_doc *doc = &s->weigher.doc;
    s->rows = s->weigher.format->part_count ? ll_plan_of(&s->weigher.doc) : NULL;
    s->by_rows = is_by_rows(s);
    s->rows_from = doc->by_rows ? 0 : doc->rows_from;
    s->rows_to = doc->by_rows ? s->size : doc->rows_to;
    const uint32_t filled = ll_search_unit_of_end(s);
    s->filled = filled && doc->by_rows && s->size % filled == 0;
    return s->weigher.status == LL_OK && ll_search_find_units(p);
}

/* Bytes that a reading takes the time of: of parts that nobody looks into only the copy. */
static uint64_t bytes_read(const ll_doc *doc)
{
    uint64_t bytes = doc->size;
    bool seeks = false; /* at each byte that cannot be read, the next part of a series is sought */
    for (size_t i = 0; i < doc->format->part_count; i++) {
        seeks = seeks || doc->format->parts[i].how == LL_PART_SERIES;
    }
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *span = ll_doc_span(doc, i);
        const unsigned kind = ll_doc_layout(doc, i)->kind;
        if (seeks && kind == LL_KIND_UNPARSED) {
            bytes += (uint64_t)span->length * SOUGHT_SHARE;
            continue;
        }
        const bool part =
            span->offset < doc->size &&
            (kind == LL_KIND_UNPARSED || kind == LL_KIND_GAP ||
             (kind == LL_KIND_BYTES && span->index != LL_NO_INDEX && ll_doc_layout(doc, i)->role == LL_ROLE_DATA));
        bytes -= part ? span->length - span->length / COPIED_SHARE : 0;
    }
    return bytes;
}

/* Of a format with a parser, which goes on behind what it cannot read: something besides values and a missing end is
 * wrong, and no more than one change may explain. */
static bool is_beyond_values(const ll_search_plan *p)
{
    unsigned loud = 0;
    bool cut = false;
    for (size_t i = 0; i < p->s->leftovers.count; i++) {
        loud += p->s->leftovers.items[i].loud;
        cut = cut || p->s->leftovers.items[i].kind == LL_READ_CUT;
    }
    return !p->reads && !cut && loud <= PARSED_LOUD_MAX;
}

/* Leaves the `share`-th part of the readings up to `whole` to what is tried later. */
static void leave(ll_search *s, uint32_t whole, unsigned share)
{
    s->most = whole - (whole - s->readings) / share;
}

/* The reader finds nothing but bytes that differ from what they always are. */
static bool is_only_padding(const ll_search *s)
{
    bool only = true;
    for (size_t i = 0; i < s->leftovers.count && only; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        only = l->rule != LL_NO_RULE || l->kind == LL_READ_CONSTANT;
    }
    return only;
}

/* Changes of several places, and what the best of all say: after all others. */
static void finish(ll_search_plan *p, uint32_t most, bool moved)
{
    ll_search *s = p->s;
    if (moved) {
        s->most = most - OVERWRITTEN_MAX;
        ll_search_try_compounds(p);
    }
    s->most = most;
    try_overwritten(p);
    ll_search_sort(s);
    ll_search_try_next_counts(p);
    ll_search_sort(s);
    join_alike(s);
    widen(p);
}

bool ll_search_run(ll_search *s, const ll_ruleset *rules, const ll_format *format, const char *name, unsigned variant,
                   const uint8_t *bytes, uint32_t size, uint32_t spent)
{
    *s = (ll_search){.bytes = bytes, .size = size};
    ll_weigher_init(&s->weigher, rules, format, name);
    s->weigher.variant = variant;
    ll_arena_init(&s->arena, NULL, SIZE_MAX);
    ll_search_plan p = {.s = s};
    if (READ_MAX / ((uint64_t)size / COPIED_SHARE + LL_READING_BYTES) < READINGS_LEAST) {
        s->exhausted = true;
        return true;
    }
    if (!read_base(&p)) {
        return false;
    }
    s->bytes_read = bytes_read(&s->weigher.doc);
    const uint64_t bound = READ_MAX / (s->bytes_read + LL_READING_BYTES);
    const uint32_t all = bound < READINGS_MAX ? (uint32_t)bound : READINGS_MAX;
    const uint32_t most = all > spent ? all - spent : 0;
    const uint32_t last = most / LAST_SHARE < READINGS_LAST ? most / LAST_SHARE : READINGS_LAST;
    s->most = most - last;
    if (most < READINGS_LEAST) {
        s->exhausted = true;
        return true;
    }
    s->best = s->base + 100;
    if (!ll_search_find_firsts(&p)) {
        return true;
    }
    if (!s->by_rows && !is_beyond_values(&p)) {
        ll_search_try_orders(&p);
        ll_search_sort(s);
        return s->weigher.status == LL_OK;
    }
    /* where the reader finds nothing, and hardly any number is odd, single values are wrong */
    p.padded = is_only_padding(s);
    const bool moved = !p.reads || s->floats + s->weigher.odd > ODD_MOVED;
    ll_search_try_texts(&p);
    try_end(&p);
    ll_search_try_values(&p);
    ll_search_try_sizes(&p);
    ll_search_try_choices(&p);
    ll_search_try_kinds(&p);
    ll_search_try_chains(&p);
    ll_search_try_tags(&p);
    ll_search_try_options(&p);
    ll_search_try_counts(&p, true);
    const uint32_t whole = s->most;
    if (moved && s->best > EASY) {
        leave(s, whole, AMOUNTS_LEAVE);
        try_amounts(&p, p.amounts, p.amount_count);
    }
    leave(s, whole, 2); /* for amounts that nothing asks for */
    ll_search_try_elements(&p);
    ll_search_try_types(&p);
    ll_search_try_orders(&p);
    ll_search_try_counts(&p, false);
    s->most = whole;
    if (moved && s->best > EASY_SHIFT) {
        try_shifts(&p);
    }
    finish(&p, most, moved);
    return s->weigher.status == LL_OK;
}

void ll_search_free(ll_search *s)
{
    ll_weigher_free(&s->weigher);
    ll_arena_free(&s->arena);
    LL_ARRAY_FREE(&s->copy, NULL);
    LL_ARRAY_FREE(&s->leftovers, NULL);
    LL_ARRAY_FREE(&s->tried, NULL);
}
