/* Parts that fields of records lead to (LL_PART_LED), at any place in the owner. Several records may lead to one part,
 * which is read once. Bytes between parts are unreferenced. A part is a text, or items that end with a text each. If
 * offset, size and number of a part do not agree, but two of them do, the third is wrong. */
#include "base/sort.h"
#include "model/derive.h"
#include "model/reader_like.h"
#include "model/reader_parts.h"
#include "model/reference.h"

#include <string.h>

enum {
    WALK_FACTOR = 16, /* most bytes walked for each byte of the owner; no sound file needs two */
    SOUGHT_MAX = 64   /* most parts that are looked for at other places than their own */
};

/* A part: what a record states about it, corrected where that is wrong. */
typedef struct led_part {
    uint32_t record;      /* the first record that leads to it */
    uint32_t start, end;  /* addresses */
    uint32_t count;       /* number of items */
    uint32_t lost, inner; /* an overwritten NUL, and one inside a text; 0: none */
    bool known;           /* its numbers agree, or it is known which one is wrong */
} led_part;

/* Numbers that a record states about its part. */
typedef struct led_numbers {
    uint64_t place, size, count;
} led_numbers;

typedef struct led {
    reader *r;
    size_t row;
    const ll_reference *to;
    unsigned number;          /* field that counts the items of a part; LL_NO_FIELD: parts have none */
    uint16_t item, own, text; /* layout of an item, its size in bytes, and layout of its text, or of the part */
    led_numbers *stated;      /* numbers of all records, by record */
    uint32_t records, from, limit;
    uint64_t budget;       /* bytes that may still be walked */
    uint32_t sought;       /* number of parts that were looked for */
    const uint32_t *after; /* by record: offset of its part if all parts stood in the order of the records */
    bool *exact;           /* by record: its part is where its offset leads */
} led;

static uint64_t number_of(const led *l, uint32_t i, unsigned field)
{
    const led_numbers *s = &l->stated[i];
    return field == l->to->extent ? s->size : field == l->to->field ? s->place : field == l->number ? s->count : 0;
}
static uint32_t count_of(const led *l, uint32_t i)
{
    const int32_t count = l->number == LL_NO_FIELD ? 1 : (int32_t)number_of(l, i, l->number);
    return count > 0 ? (uint32_t)count : 0;
}

/* ------------------------------------------------------------------ items */

/* The address where the item at an address ends. 0: not in front of `end`. */
static uint32_t item_end(led *l, uint32_t at, uint32_t end)
{
    if (!ll_fits(at, (uint64_t)l->own + 1, end)) {
        return 0;
    }
    const uint8_t *text = ll_doc_at(l->r->doc, at + l->own), *nul = memchr(text, 0, end - at - l->own);
    const uint32_t bytes = l->own + (nul ? (uint32_t)(nul - text) : end - at - l->own) + 1;
    l->budget -= bytes < l->budget ? bytes : l->budget;
    return nul && l->budget ? at + bytes : 0;
}

/* Counts the items between two addresses, up to `most`. *behind: address after the last of them. */
static uint32_t count_items(led *l, uint32_t at, uint32_t end, uint32_t most, uint32_t *behind)
{
    uint32_t count = 0, next;
    while (count < most && (next = item_end(l, at, end)) != 0) {
        at = next;
        count++;
    }
    *behind = at;
    return count;
}

/* Exactly `count` items fill the bytes. */
static bool are_items(led *l, uint64_t at, uint64_t end, uint32_t count)
{
    uint32_t behind;
    return at < end && end <= l->limit && count_items(l, (uint32_t)at, (uint32_t)end, count, &behind) == count &&
           behind == end;
}

/* Looks for a NUL that is wrong: one in the middle of a text, without which the items would fill the part, or an
 * overwritten one, with which they would. After an overwritten NUL the text goes on into the next item's own bytes, or
 * up to the end. */
static bool find_nul(led *l, led_part *p)
{
    uint32_t at = p->start;
    for (uint32_t left = p->count; left && at < p->end && l->budget; left--) {
        const uint32_t next = item_end(l, at, p->end);
        const uint8_t *rest = next ? ll_doc_at(l->r->doc, next) : NULL,
                      *nul = next < p->end && rest ? memchr(rest, 0, p->end - next) : NULL;
        const uint32_t joined = nul ? next + (uint32_t)(nul - rest) + 1 : 0;
        if (joined && (left == 1 ? joined == p->end : are_items(l, joined, p->end, left - 1))) {
            p->inner = next - 1;
            return true;
        }
        const uint32_t from = next > at + 2U * l->own ? next - l->own : at + l->own + 1;
        for (uint32_t k = from; next && left > 1 && k < next; k++) {
            if (are_items(l, k, p->end, left - 1)) {
                p->lost = k - 1;
                return true;
            }
        }
        if (!next && left == 1 && p->end - at > l->own + 1U) {
            p->lost = p->end - 1;
            return true;
        }
        if (!next) {
            return false;
        }
        at = next;
    }
    return false;
}

/* Looks for an overwritten NUL in a part that its items fill by chance: a byte that is no letter, near the end of a
 * text, so that the text goes on into the next item's own bytes. */
static void find_odd(led *l, led_part *p)
{
    uint32_t at = p->start, next;
    for (uint32_t left = p->count; left > 1 && (next = item_end(l, at, p->end)) != 0 && !p->lost; left--) {
        const uint32_t first = next > at + 2U * l->own ? next - l->own : at + l->own + 1;
        for (uint32_t k = first; k < next && !p->lost; k++) {
            const uint8_t byte = *ll_doc_at(l->r->doc, k - 1);
            p->lost = (byte < ' ' || byte > '~') && are_items(l, k, p->end, left - 1) ? k - 1 : 0;
        }
        at = next;
    }
}

/* ------------------------------------------------------------------ numbers */

/* The kind of fault for a wrong size or number of a part. */
static ll_read_kind kind_of(const led *l, const led_part *p, uint32_t i, unsigned field)
{
    const bool beyond = number_of(l, i, field) > l->limit - p->start;
    return field == l->to->extent ? (beyond ? LL_READ_SIZE_BEYOND : LL_READ_SIZE)
           : beyond               ? LL_READ_COUNT_BEYOND
                                  : LL_READ_COUNT;
}

static void expect(const led *l, const led_part *p, ll_read_kind kind, uint32_t i, unsigned field, uint64_t right)
{
    const ll_where related = ll_at_bytes(l->r->top->span, p->start, p->end > p->start ? p->end - p->start : 0);
    ll_expect_with(l->r, kind, l->to->layout, ll_field_in(l->records, i, field), (int64_t)right,
                   &(evidence){.from = l->from, .related = related});
}

/* The record has no part: `field` should be 0. The patch is a guess unless the other field is 0 too. */
static void expect_none(const led *l, const led_part *p, uint32_t i, unsigned field)
{
    const unsigned other = field == l->number ? l->to->extent : l->number;
    const bool agree = other != LL_NO_FIELD && number_of(l, i, other) == 0;
    ll_expect_with(l->r, kind_of(l, p, i, field), l->to->layout, ll_field_in(l->records, i, field), 0,
                   &(evidence){.from = l->from,
                               .related = agree ? ll_at_field(l->r->doc, l->records, i, other)
                                                : ll_at_bytes(l->r->top->span, p->start, 0),
                               .guessed = !agree});
}

/* In a copy, also raises a fault for the other of two numbers that may be wrong, so that the search tries both. */
static void expect_or(const led *l, const led_part *p, uint32_t i, unsigned field, uint64_t right)
{
    if (l->r->doc->copy) {
        expect(l, p, LL_READ_ALTERNATIVE, i, field, right);
    }
}

/* Sets *p to the part that a record states, at an offset. True: its numbers agree. */
static bool is_exact_at(led *l, uint32_t i, uint64_t place, led_part *p)
{
    const uint64_t start = l->from + place, end = start + number_of(l, i, l->to->extent);
    const uint32_t count = count_of(l, i);
    *p = (led_part){.record = i,
                    .start = start < l->limit ? (uint32_t)start : l->limit,
                    .end = end < l->limit ? (uint32_t)end : l->limit,
                    .count = count,
                    .known = l->exact[i] || (count && are_items(l, start, end, count))};
    return p->known;
}

/* The offset of another record's part with as many items and bytes. UINT64_MAX: there is none. */
static uint64_t place_of_twin(const led *l, uint32_t i)
{
    const uint64_t size = number_of(l, i, l->to->extent), place = number_of(l, i, l->to->field);
    for (uint32_t k = 0; k < ll_doc_span(l->r->doc, l->records)->count; k++) {
        if (k != i && number_of(l, k, l->to->extent) == size && count_of(l, k) == count_of(l, i) &&
            number_of(l, k, l->to->field) != place) {
            return number_of(l, k, l->to->field);
        }
    }
    return UINT64_MAX;
}

/* Another record leads to a part at this offset. */
static bool is_led_to(const led *l, uint32_t i, uint64_t place)
{
    bool is = false;
    for (uint32_t k = 0; k < ll_doc_span(l->r->doc, l->records)->count && !is; k++) {
        is = k != i && number_of(l, k, l->to->extent) && number_of(l, k, l->to->field) == place;
    }
    return is;
}

/* The offset of a record's part. If the part is not where the stated offset leads, looks for it where it would stand in
 * the order of the records, and where another record has an equal one. Raises a fault if it is there. */
static uint64_t place_of(led *l, uint32_t i)
{
    led_part p;
    const uint64_t stated = number_of(l, i, l->to->field), size = number_of(l, i, l->to->extent);
    l->exact[i] = is_exact_at(l, i, stated, &p);
    if (l->exact[i] || l->sought == SOUGHT_MAX) {
        return stated;
    }
    l->sought++;
    const uint64_t twin = place_of_twin(l, i);
    const bool own = stated != l->after[i] && is_exact_at(l, i, l->after[i], &p), free = !is_led_to(l, i, l->after[i]);
    const bool again =
        twin != UINT64_MAX && twin != l->after[i] && l->number != LL_NO_FIELD && is_exact_at(l, i, twin, &p);
    const uint64_t right = own && (free || !again) ? l->after[i] : twin;
    if (!own && !again) {
        return stated;
    }
    (void)is_exact_at(l, i, right, &p);
    ll_expect_with(l->r, stated + size > l->limit - l->from ? LL_READ_OUTSIDE : LL_READ_OFFSET, l->to->layout,
                   ll_field_in(l->records, i, l->to->field), (int64_t)right,
                   &(evidence){.from = l->from,
                               .related = ll_at_bytes(l->r->top->span, p.start, p.end - p.start),
                               .guessed = own && !free && twin != UINT64_MAX && twin != right});
    return right;
}

/* No number of a part is right, or all are and bytes of the part are missing: raises a fault. all, behind: number of
 * items that are there, and the address after them. */
static void judge_cut(led *l, led_part *p, uint32_t all, uint32_t behind)
{
    const uint32_t i = p->record, at = l->r->at;
    const uint64_t size = number_of(l, i, l->to->extent);
    const bool outside = p->start == l->limit, due = p->start == (uint64_t)l->from + l->after[i];
    if (outside && p->count && l->from + l->after[i] < l->limit) {
        expect(l, p, LL_READ_OUTSIDE, i, l->to->field, l->after[i]);
    } else if (!p->count || (l->number == LL_NO_FIELD && (outside || !due || size <= l->limit - p->start))) {
        expect_none(l, p, i, l->to->extent);
    } else if (outside || size <= l->limit - p->start) {
        expect(l, p, LL_READ_COUNT_BEYOND, i, l->number, all);
    } else {
        l->r->at = p->start;
        ll_raise_cut(l->r, l->r->format->parts[l->row].layout, size, l->limit - p->start);
        l->r->at = at;
        behind = l->limit;
    }
    p->count = p->count ? all : 0;
    p->end = behind;
}

/* Finds the wrong number of a part whose numbers disagree in all records that lead to it. next: address of the next
 * part; a size that leads to it is right. */
static void judge_part(led *l, led_part *p, uint32_t next)
{
    const uint32_t i = p->record, stated = p->count;
    const uint64_t size = number_of(l, i, l->to->extent);
    uint32_t by_count, by_size;
    const uint32_t all = count_items(l, p->start, l->limit, stated, &by_count),
                   filling = count_items(l, p->start, p->end, UINT32_MAX, &by_size);
    const bool fits = size && p->start + size == p->end, fills = fits && by_size == p->end;
    const bool tiled = stated && fits && p->end == next;
    p->known = true;
    if (tiled && find_nul(l, p)) {
        return;
    } else if (fills && l->number != LL_NO_FIELD) {
        p->count = filling;
        expect(l, p, kind_of(l, p, i, l->number), i, l->number, filling);
        if (all == stated && stated) {
            expect_or(l, p, i, l->to->extent, by_count - p->start);
        }
    } else if (tiled && all == stated && l->number == LL_NO_FIELD && by_count < p->end) {
        p->inner = by_count - 1;
    } else if (all == stated && stated && (size || by_count == next)) {
        p->end = by_count;
        expect(l, p, kind_of(l, p, i, l->to->extent), i, l->to->extent, by_count - p->start);
        expect_or(l, p, i, l->to->field, l->after[i]);
    } else if (!size && l->number != LL_NO_FIELD) {
        expect_none(l, p, i, l->number);
        p->count = 0;
        p->end = p->start;
        p->known = false;
    } else {
        judge_cut(l, p, all, by_count);
        p->known = false;
    }
}

/* Compares the two numbers of a record with those of its part. If one of them is 0 and the other differs from that of
 * the part, the record has no part. */
static void judge_sharer(const led *l, const led_part *p, uint32_t i)
{
    const uint64_t size = number_of(l, i, l->to->extent), right = p->end - p->start;
    const uint64_t count = l->number == LL_NO_FIELD ? p->count : number_of(l, i, l->number);
    const bool none = (!count && size != right) || (!size && count != p->count);
    if (none) {
        expect_none(l, p, i, count ? l->number : l->to->extent);
        return;
    }
    if (l->number != LL_NO_FIELD && count != p->count) {
        expect(l, p, kind_of(l, p, i, l->number), i, l->number, p->count);
    }
    if (size != right) {
        expect(l, p, kind_of(l, p, i, l->to->extent), i, l->to->extent, right);
    }
}

/* The record states that it has a part. */
static bool has_both(const led *l, uint32_t i)
{
    return count_of(l, i) && number_of(l, i, l->to->extent);
}

/* Finds the part of all records from `k` on that lead to one place. Returns the first record that leads elsewhere. */
static uint32_t judge_place(led *l, const ll_sort_key *keys, uint32_t k, uint32_t n, led_part *p)
{
    uint32_t behind = k;
    while (behind < n && keys[behind].first == keys[k].first) {
        behind++;
    }
    uint32_t exact = k;
    while (exact < behind && !is_exact_at(l, keys[exact].item, keys[exact].first, p)) {
        exact++;
    }
    const uint64_t next = behind < n ? l->from + keys[behind].first : l->limit;
    uint32_t lead = exact < behind ? exact : k;
    while (exact == behind && lead + 1 < behind && !has_both(l, keys[lead].item)) {
        lead++;
    }
    if (exact == behind) {
        (void)is_exact_at(l, keys[lead].item, keys[lead].first, p);
        judge_part(l, p, next < l->limit ? (uint32_t)next : l->limit);
    } else if (l->own) {
        find_odd(l, p);
    }
    p->record = keys[k].item;
    for (uint32_t i = k; i < behind && p->known && !p->lost && !p->inner; i++) {
        if (i != lead) {
            judge_sharer(l, p, keys[i].item);
        }
    }
    return behind;
}

/* ------------------------------------------------------------------ claims */

/* Raises the fault about an overwritten NUL, or one in the middle of a text. */
static void raise_nul(const led *l, const led_part *p, uint32_t span)
{
    static const uint8_t nul[1] = {0};
    const uint32_t at = p->lost ? p->lost : p->inner;
    ll_where where = ll_at_field(l->r->doc, span, 0, LL_STRING_TEXT);
    where.offset = at;
    where.length = 1;
    ll_fault fault = ll_read_fault(l->r->format, p->lost ? LL_READ_UNENDED : LL_READ_TEXT, l->text, where,
                                   (ll_read_words){ll_uint(*ll_doc_at(l->r->doc, at)), ll_uint(at), "text"});
    fault.related = ll_at_field(l->r->doc, l->records, p->record, l->to->field);
    if (p->lost) {
        ll_mark_span(l->r->doc, span, LL_SPAN_BROKEN);
        ll_patch_replace(l->r->doc, &fault, LL_PATCH_UNSAFE, at, nul, 1);
    }
    ll_raise(l->r->doc, &fault);
}

static void claim_part(led *l, const led_part *p)
{
    ll_doc *doc = l->r->doc;
    const bool apart = l->own > 0;
    const uint32_t list =
        apart ? ll_claim_group(doc, l->r->top->span, l->r->format->parts[l->row].layout, p->start, p->end, p->record)
              : l->r->top->span;
    uint32_t at = p->start;
    for (uint32_t i = 0; i < p->count && at < p->end && doc->status == LL_OK; i++) {
        uint32_t next = item_end(l, at, p->end);
        if (p->inner && p->inner + 1 == next) {
            const uint8_t *rest = ll_doc_at(doc, next), *nul = memchr(rest, 0, p->end - next);
            next = nul ? next + (uint32_t)(nul - rest) + 1 : p->end;
        }
        const bool lost = p->lost >= at + l->own && p->lost && (p->lost < next || !next);
        next = lost ? p->lost + 1 : next;
        if (!next) {
            break;
        }
        if (doc->copy && apart) {
            ll_swap_numbers(l->r, l->item, at, 1, 0);
        }
        const uint32_t item = apart ? ll_claim_record(doc, list, l->item, at, next, i) : list;
        const uint32_t text = at + l->own, span = ll_claim(doc, (ll_span){.offset = text,
                                                                          .length = next - text,
                                                                          .parent = item,
                                                                          .index = apart ? LL_NO_INDEX : p->record,
                                                                          .count = next - text - !lost,
                                                                          .layout = l->text});
        if (lost || (p->inner >= text && p->inner + 1 < next)) {
            raise_nul(l, p, span);
        }
        at = next;
    }
    ll_mark_span(doc, ll_claim_unparsed(doc, list, at, p->end), LL_SPAN_EXPLAINED);
    l->r->at = p->end;
}

/* ------------------------------------------------------------------ all of them */

static bool open_led(reader *r, size_t row, led *l)
{
    const ll_part_row *part = &r->format->parts[row];
    *l = (led){.r = r, .row = row, .from = r->at, .limit = r->top->limit, .number = LL_NO_FIELD};
    l->to = ll_reference_to(r->format, part);
    const size_t items = r->plan->rows[part->layout].first;
    l->text = part->layout;
    if (items < r->plan->rows[part->layout].end) {
        l->item = r->format->parts[items].layout;
        l->own = r->doc->layouts[l->item].size;
        l->text = r->format->parts[r->plan->rows[l->item].first].layout;
    }
    for (size_t k = 0; k < r->format->derivation_count; k++) {
        const ll_derivation *row_of = &r->format->derivations[k];
        l->number = row_of->how == LL_DERIVE_RECORDS && row_of->target == part->layout ? row_of->field : l->number;
    }
    l->records = l->to ? r->doc->firsts[l->to->layout] - 1U : LL_NO_SPAN;
    if (!ll_is_usable(r->doc, l->records)) {
        return false;
    }
    const uint32_t n = ll_doc_span(r->doc, l->records)->count;
    const ll_layout *layout = ll_doc_layout(r->doc, l->records);
    const uint8_t *record = ll_doc_at(r->doc, ll_doc_span(r->doc, l->records)->offset);
    l->stated = ll_doc_alloc(r->doc, (size_t)n + 1, sizeof *l->stated);
    for (uint32_t i = 0; l->stated && i < n; i++, record += layout->size) {
        l->stated[i].place = ll_number_at(layout, l->to->field, record);
        l->stated[i].size = ll_number_at(layout, l->to->extent, record);
        l->stated[i].count = l->number == LL_NO_FIELD ? 0 : ll_number_at(layout, l->number, record);
    }
    l->budget = (uint64_t)WALK_FACTOR * (l->limit - l->from) + WALK_FACTOR;
    return l->stated != NULL;
}

void ll_read_led(reader *r, size_t row)
{
    led l;
    const uint16_t gap = ll_gap_of(r, row + 1);
    const uint32_t n = open_led(r, row, &l) ? ll_doc_span(r->doc, l.records)->count : 0;
    ll_sort_key *keys = ll_doc_alloc(r->doc, (size_t)n + 1, 2 * sizeof *keys);
    led_part *parts = ll_doc_alloc(r->doc, (size_t)n + 1, sizeof *parts);
    uint32_t *after = ll_doc_alloc(r->doc, (size_t)n + 1, sizeof *after), count = 0, places = 0;
    l.exact = ll_doc_zalloc(r->doc, (size_t)n + 1, sizeof *l.exact);
    if (!keys || !parts || !after || !l.exact) {
        return;
    }
    uint64_t end = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t size = number_of(&l, i, l.to->extent);
        after[i] = end < l.limit - l.from ? (uint32_t)end : l.limit - l.from;
        end += size;
        if (size || (l.number != LL_NO_FIELD && number_of(&l, i, l.number))) {
            keys[count++] = (ll_sort_key){0, i, i};
        }
    }
    l.after = after;
    for (uint32_t k = 0; k < count; k++) {
        keys[k].first = place_of(&l, keys[k].item);
    }
    const ll_sort_key *sorted = ll_sort(keys, keys + n + 1, count);
    for (uint32_t k = 0; k < count && r->doc->status == LL_OK; places++) {
        k = judge_place(&l, sorted, k, count, &parts[places]);
    }
    for (uint32_t i = 0; i < places && r->doc->status == LL_OK; i++) {
        const led_part *p = &parts[i];
        if (p->start >= r->at && p->end > p->start) { /* otherwise its bytes belong to another part too */
            (void)ll_claim_bytes(r->doc, r->top->span, gap, r->at, p->start);
            claim_part(&l, p);
        }
    }
    (void)ll_claim_bytes(r->doc, r->top->span, gap, r->at, l.limit);
    r->at = l.limit;
    void *const work[] = {keys, parts, after, l.exact, l.stated};
    for (size_t i = 0; i < sizeof work / sizeof work[0]; i++) {
        ll_doc_release(r->doc, work[i]);
    }
}
