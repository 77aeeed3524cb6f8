/* Parts of EACH rows, one for each record of an array: which part follows which, and in which order they are read. */
#include "base/sort.h"
#include "model/derive.h"
#include "model/reader_parts.h"

#include <string.h>

uint32_t ll_each_count(const reader *r, size_t row)
{
    const ll_part_row *part = &r->format->parts[row];
    const uint32_t of = part->how == LL_PART_EACH ? r->doc->firsts[part->of] : 0;
    return of ? ll_doc_span(r->doc, of - 1)->count : 0;
}

bool ll_each_next(const reader *r, each *e)
{
    e->number++;
    while (e->row < r->top->end && e->number >= ll_each_count(r, e->row)) {
        if (r->format->parts[e->row].how != LL_PART_EACH) {
            return false;
        }
        e->row++;
        e->number = 0;
    }
    return e->row < r->top->end;
}

uint32_t ll_each_element(const reader *r, each e)
{
    return r->order && r->order_row == e.row ? r->order[e.number] : e.number;
}

uint64_t ll_each_place(const reader *r, each e)
{
    const ll_derivation *place = &r->plan->part[e.row].place;
    const bool leads = place->layout && r->format->parts[e.row].how == LL_PART_EACH;
    const uint32_t span = leads ? ll_record_of(r, place->layout) : LL_NO_SPAN,
                   element = leads ? ll_each_element(r, e) : 0;
    uint64_t stated = 0;
    return span != LL_NO_SPAN && ll_read_field(r, span, element, place->field, &stated)
               ? (uint64_t)ll_base_of(r, place, span, element) + stated - (uint64_t)(int64_t)place->plus
               : 0;
}

uint64_t ll_each_size(const reader *r, each e)
{
    const ll_field_of f = r->plan->part[e.row].size;
    const ll_doc *doc = r->doc;
    uint64_t size = 0;
    bool known =
        f.field != LL_NO_FIELD && ll_read_field(r, ll_record_of(r, f.layout), ll_each_element(r, e), f.field, &size);
    if (known && doc->unknown_from < doc->unknown_to) {
        const ll_where at = ll_at_field(doc, ll_record_of(r, f.layout), ll_each_element(r, e), f.field);
        known = at.offset + at.length <= doc->unknown_from || at.offset >= doc->unknown_to;
    }
    return !known ? UINT64_MAX : size < UINT64_MAX ? size : UINT64_MAX - 1;
}

uint64_t ll_each_end(const reader *r, each e, uint64_t at, uint64_t size)
{
    if (at > r->doc->size || size > UINT32_MAX) {
        return 0;
    }
    at += size + (r->doc->layouts[r->format->parts[e.row].layout].kind == LL_KIND_STRING);
    const ll_alignment *fill =
        ll_each_next(r, &e) ? r->plan->part[e.row].start : ll_alignment_of(r->format, LL_WITHIN_FILE, LL_ALIGN_END);
    return at + ll_padding_at(fill, at);
}

bool ll_each_may_be(const reader *r, size_t row, uint64_t at, uint64_t size)
{
    if (r->doc->layouts[r->format->parts[row].layout].kind != LL_KIND_STRING) {
        return true;
    }
    const bool fits = at < r->top->limit && size < r->top->limit - at;
    const uint8_t *text = fits ? ll_doc_at(r->doc, (uint32_t)at) : NULL;
    return fits && memchr(text, 0, (size_t)size + 1) == text + size;
}

bool ll_each_is_followed(const reader *r, each e, uint64_t at, uint64_t size)
{
    const uint64_t end = ll_each_end(r, e, at, size);
    if (!end || end > r->top->limit) {
        return false;
    }
    return ll_each_next(r, &e) ? ll_each_place(r, e) == end
                               : r->depth == 1 && end == r->doc->size && ll_is_end_stated(r, end);
}

bool ll_each_is_confirmed(const reader *r, each e, uint64_t at)
{
    const uint64_t size = ll_each_size(r, e);
    return ll_padding_at(r->plan->part[e.row].start, at) == 0 && ll_each_is_followed(r, e, at, size) &&
           ll_each_may_be(r, e.row, at, size);
}

void ll_stand_for_rest(const reader *r, each e)
{
    while (e.row < r->top->end && r->format->parts[e.row].how != LL_PART_EACH) {
        e.row++;
    }
    const bool sized = e.row < r->top->end && r->plan->part[e.row].size.field != LL_NO_FIELD;
    while (sized && r->doc->last_fault && ll_each_next(r, &e)) {
        r->doc->last_fault->fault.alike++;
    }
}

/* ------------------------------------------------------------------ their order */

/* The parts of a row stand one after the other in r->order. The last one may end anywhere. */
static bool is_order(const reader *r, size_t row, uint32_t count)
{
    const uint32_t fill = ll_padding_at(r->plan->part[row].start, r->at);
    uint64_t at = (uint64_t)r->at + fill;
    bool right = true;
    for (each e = {row, 0}; right && e.number < count; e.number++) {
        right = ll_each_place(r, e) == at;
        at = ll_each_end(r, e, at, ll_each_size(r, e));
    }
    return right;
}

static void raise_order(reader *r, size_t row, uint32_t count)
{
    const ll_derivation *place = &r->plan->part[row].place;
    uint32_t first = 0, *same = ll_doc_alloc(r->doc, count, sizeof *same);
    while (r->order[first] == first) {
        first++;
    }
    const uint32_t record = ll_record_of(r, place->layout);
    uint64_t stated = 0, right = 0;
    if (same && ll_read_field(r, record, first, place->field, &stated) &&
        ll_read_field(r, record, r->order[first], place->field, &right)) {
        ll_fault fault = ll_read_fault(r->format, LL_READ_SEQUENCE, r->format->parts[row].layout,
                                       ll_at_field(r->doc, record, first, place->field),
                                       (ll_read_words){ll_uint(stated), ll_uint(right), "offset"});
        for (uint32_t i = 0; i < count; i++) {
            same[i] = i;
        }
        ll_patch_elements(&fault, same); /* the records stay, and the parts follow them */
        ll_raise(r->doc, &fault);
    }
}

void ll_find_order(reader *r, size_t row)
{
    const uint32_t count = ll_each_count(r, row);
    r->order = NULL;
    r->order_row = row;
    bool rises = true;
    uint64_t before = 0;
    for (each e = {row, 0}; rises && e.number < count; e.number++) {
        const uint64_t at = ll_each_place(r, e);
        rises = at >= before;
        before = at;
    }
    ll_sort_key *keys = rises ? NULL : ll_doc_alloc(r->doc, count, 2 * sizeof *keys);
    uint32_t *order = keys ? ll_doc_alloc(r->doc, count, sizeof *order) : NULL;
    if (!order) {
        return;
    }
    for (each e = {row, 0}; e.number < count; e.number++) {
        keys[e.number] = (ll_sort_key){ll_each_place(r, e), 0, e.number};
    }
    const ll_sort_key *sorted = ll_sort(keys, keys + count, count);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = sorted[i].item;
    }
    ll_doc_release(r->doc, keys);
    r->order = order;
    if (is_order(r, row, count)) {
        raise_order(r, row, count);
    } else {
        r->order = NULL;
    }
}
