/* Tries hypotheses: makes the copy, has it weighed, and keeps the hypotheses with good scores. */
#include "diagnosis/hypothesis.h"

#include "diagnosis/settle.h"
#include "model/derive.h"
#include "model/reader_kind.h"

#include <stdlib.h>
#include <string.h>

enum {
    MATCHED_MAX = 1 << 22, /* limit of ll_doc.matched, summed over all readings */
    COST_WITHIN = 40,  /* added if bytes moved in the field that states the size of a part: it may then be any size */
    GAIN_BEFORE = 100, /* a missing end may lower the weight of what precedes it by this much */
    SHARE_LEFT = 8,    /* with most of the file removed, at most this share of its weight may be left */
    ZEROS_LOST = 16    /* this many zeros at the end of a file are rather lost bytes than a last record */
};

const char *const ll_cause_names[LL_CAUSES] = {
#define LL_CAUSE_NAME(kind, name, words) [LL_CAUSE_##kind] = name,
    LL_CAUSE_ROWS(LL_CAUSE_NAME)
#undef LL_CAUSE_NAME
};
const char *const ll_cause_words[LL_CAUSES] = {
#define LL_CAUSE_WORDS(kind, name, words) [LL_CAUSE_##kind] = words,
    LL_CAUSE_ROWS(LL_CAUSE_WORDS)
#undef LL_CAUSE_WORDS
};

void *ll_search_alloc(ll_search *s, size_t count, size_t bytes)
{
    void *items = ll_arena_alloc(&s->arena, count ? count : 1, bytes);
    s->weigher.status = items ? s->weigher.status : LL_E_MEMORY;
    return items;
}

void ll_search_keep(ll_search *s, const ll_hypothesis *h)
{
    /* A record that is removed or moved takes its own faults along. So the rest of the file has to be sound, or nearly
     * so if most of the file is removed. */
    const bool takes = h->kind == LL_CAUSE_ADDED || h->kind == LL_CAUSE_EXCHANGED || h->whole;
    const bool most = h->edit.removed > h->edit.size + s->size / 2;
    const bool in_part = (takes && h->left > LL_SEARCH_SOUND) || (most && h->left > s->base / SHARE_LEFT);
    if (h->score > s->best + LL_SEARCH_KEPT || in_part) {
        return;
    }
    s->best = h->score < s->best ? h->score : s->best;
    ll_hypothesis *slot = LL_ARRAY_ADD(&s->tried, NULL);
    if (slot) {
        *slot = *h;
        slot->number = (uint32_t)s->tried.count;
    } else {
        s->weigher.status = LL_E_MEMORY;
    }
}

bool ll_search_is_zero_end(const ll_search *s, uint32_t offset, uint32_t removed, uint32_t size)
{
    const uint32_t from = s->size > ZEROS_LOST ? s->size - ZEROS_LOST : 0;
    return size == removed && size && offset >= from && ll_is_zero(s->bytes + from, s->bytes + s->size);
}

/* Inserting `n` bytes pushes as many out at the end of the part. Cost of these: nothing if they are padding, else as
 * much as unread bytes. */
static uint32_t cost_of_end(const ll_search *s, uint32_t n)
{
    const uint32_t all = s->rows_to - s->rows_from, out = n < all ? n : all;
    bool padding = ll_is_zero(s->bytes + s->rows_to - out, s->bytes + s->rows_to);
    for (size_t i = 0; i < s->leftovers.count && padding; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        padding = l->kind != LL_READ_SURPLUS || (uint64_t)l->offset + l->length < s->rows_to;
    }
    return padding ? 0 : LL_WEIGHT_BYTE * out;
}

/* Removing the end of the file from `at` on explains something only if the weight of what is wrong there, or of values
 * that state sizes and places, accounts for the gain: surplus bytes do no harm to what precedes them. */
static bool explains_end(const ll_search *s, uint32_t at, uint64_t weight)
{
    uint64_t most = GAIN_BEFORE;
    for (size_t i = 0; i < s->leftovers.count; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        most += l->redundant || (uint64_t)l->offset + l->length > at ? l->weight : 0;
    }
    return weight + most >= s->base;
}

void ll_copy_changed(uint8_t *copy, const uint8_t *bytes, uint32_t size, const ll_edit *edit)
{
    const uint32_t end = edit->offset + edit->removed;
    memcpy(copy, bytes, edit->offset);
    if (edit->bytes) {
        memcpy(copy + edit->offset, edit->bytes, edit->size);
    } else {
        memset(copy + edit->offset, 0, edit->size);
    }
    memcpy(copy + edit->offset + edit->size, bytes + end, size - end);
}

uint32_t ll_search_left(const ll_search *s, uint64_t weight, bool fewer)
{
    const ll_weigher *w = &s->weigher;
    uint64_t left = weight < UINT32_MAX / 2 ? weight : UINT32_MAX / 2;
    left -= !(w->notes & ~s->notes) && left >= w->odd ? w->odd : 0;
    const bool had = w->floats == s->floats || (fewer && w->floats <= s->floats);
    return (uint32_t)(left - (had && left >= w->floats ? w->floats : 0));
}

/* Nothing refers to a text. */
static bool has_unused(const ll_doc *doc)
{
    const unsigned code = ll_read_code(doc->format, LL_READ_UNUSED, LL_ANY_LAYOUT, LL_NO_FIELD);
    const ll_fault_node *node = code == LL_FAULT_GAP ? NULL : doc->first_fault;
    while (node && node->fault.code != code) {
        node = node->next;
    }
    return node;
}

uint32_t ll_search_try(ll_search *s, ll_hypothesis h, uint32_t offset, uint32_t removed, const uint8_t *bytes,
                       uint32_t size)
{
    const uint32_t total = s->size - removed + size, sized = s->sized.offset + s->sized.size;
    const bool mended = s->sized.size && total != s->size && offset >= sized;
    const bool sizes = s->weigher.only_part && total != s->size; /* else its size is wrong */
    const bool within = s->sized.size && total != s->size && offset >= s->sized.offset && !mended;
    h.cost += within ? LL_COST_SIZED + COST_WITHIN : mended || sizes ? LL_COST_SIZED : 0;
    h.cost += sizes && total > s->size ? cost_of_end(s, total - s->size) : 0;
    bool same = bytes && size == removed && memcmp(bytes, s->bytes + offset, size) == 0 && h.swap.from == h.swap.to;
    const bool outside = offset < s->rows_from || offset + removed > s->rows_to;
    if (same || (s->by_rows && outside) || s->weigher.status != LL_OK ||
        h.cost > s->best + LL_SEARCH_KEPT) { /* it would not be kept */
        return UINT32_MAX;
    }
    if (s->readings >= s->most || s->weigher.matched >= MATCHED_MAX || s->weigher.unpacked >= s->most_unpacked) {
        s->untried = h.cost < s->untried ? h.cost : s->untried;
        return UINT32_MAX;
    }
    s->copy.count = 0;
    if (!LL_ARRAY_ROOM(&s->copy, total ? total : 1, NULL)) {
        s->weigher.status = LL_E_MEMORY;
        return UINT32_MAX;
    }
    uint8_t *copy = s->copy.items;
    ll_copy_changed(copy, s->bytes, s->size,
                    &(ll_edit){.offset = offset, .removed = removed, .bytes = bytes, .size = size});
    if (mended) {
        uint8_t *field = copy + s->sized.offset;
        ll_put_uint(field, s->sized.size, s->sized.endian == LL_BIG,
                    ll_read_uint(field, s->sized.size, s->sized.endian) + total - s->size);
    }
    const ll_candidate c = {.bytes = copy,
                            .size = total,
                            .unknown_from = offset,
                            .unknown_to = bytes ? offset : offset + size,
                            .changed_from = offset,
                            .changed_to = offset + size,
                            .swap = h.swap};
    s->readings++;
    s->weigher.limit = s->ranked ? UINT64_MAX : s->best + LL_SEARCH_KEPT - h.cost;
    uint64_t weight = ll_weigh(&s->weigher, &c);
    s->weigher.limit = UINT64_MAX;
    if (!size && offset + removed == s->size && !explains_end(s, offset, weight)) {
        return UINT32_MAX;
    }
    h.score = weight > UINT32_MAX / 2 ? UINT32_MAX : h.cost + (uint32_t)weight;
    h.unsure = h.unsure || (ll_search_is_zero_end(s, offset, removed, size) && !(h.redundant && weight == 0));
    h.left = ll_search_left(s, weight, h.kind == LL_CAUSE_DOUBLED);
    const uint64_t odd = s->weigher.odd + s->weigher.floats;
    h.left = h.confirmed && weight < UINT32_MAX / 2 ? (uint32_t)(weight > odd ? weight - odd : 0) : h.left;
    if (h.score <= s->best + LL_SEARCH_KEPT && !s->only_weighed) {
        h.notes = s->weigher.odd > 0;
        h.unused = has_unused(&s->weigher.doc);
        const uint32_t from = mended ? s->sized.offset : offset, more = offset - from;
        uint8_t *own = ll_search_alloc(s, more + size, 1);
        if (!own) {
            return UINT32_MAX;
        }
        memcpy(own, copy + from, more + size);
        h.edit = (ll_edit){.tier = (bytes || !size) && !h.unsure && !sizes ? LL_PATCH_UNSAFE : LL_PATCH_NONE,
                           .offset = from,
                           .removed = more + removed,
                           .size = more + size,
                           .bytes = own};
        ll_search_keep(s, &h);
    }
    return h.score;
}

void ll_search_try_bytes(ll_search *s, ll_hypothesis h, uint32_t at, const uint8_t *bytes, uint32_t size)
{
    h.offset = at;
    h.length = size;
    (void)ll_search_try(s, h, at, size, bytes, size);
}

void ll_search_try_number(ll_search *s, ll_hypothesis what, const ll_layout *l, uint32_t record, unsigned field,
                          int64_t value)
{
    uint8_t bytes[8];
    const ll_field *f = &l->fields[field];
    what.kind = LL_CAUSE_FIELD;
    if (f->bytes <= sizeof bytes && ll_put_number(l, field, value, bytes)) {
        ll_search_try_bytes(s, what, record + f->offset, bytes, f->bytes);
    }
}

static int by_rank(const void *a, const void *b)
{
    const ll_hypothesis *x = a, *y = b;
    return x->score != y->score     ? (x->score > y->score) - (x->score < y->score)
           : x->cost != y->cost     ? (x->cost > y->cost) - (x->cost < y->cost)
           : x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
           : x->kind != y->kind     ? (int)x->kind - (int)y->kind
                                    : (x->number > y->number) - (x->number < y->number);
}

void ll_search_sort(ll_search *s)
{
    if (s->tried.count) {
        qsort(s->tried.items, s->tried.count, sizeof *s->tried.items, by_rank);
    }
}

/* All bytes that undo the hypothesis are known, whether or not there is a patch. */
static bool is_known(const ll_hypothesis *h)
{
    return h->edit.tier != LL_PATCH_NONE || h->unsure;
}

bool ll_search_is_same_file(const ll_search *s, const ll_hypothesis *a, const ll_hypothesis *b)
{
    return is_known(a) == is_known(b) && ll_is_same_patch(s->bytes, &a->edit, &b->edit);
}

bool ll_is_same_hypothesis(const ll_search *s, const ll_hypothesis *one, const ll_hypothesis *other)
{
    return is_known(one) && ll_search_is_same_file(s, one, other);
}
