/* Items: parts of an owner, each with a size of its own and one after the other. A field counts them, or the part of
 * the next row ends them. The size of an item, or its number of elements, leads to the next item; if they disagree, the
 * one that leads to an item is right. If the sizes fill the owner, they give the number of items. */
#include "model/derive.h"
#include "model/reader_like.h"
#include "model/reader_parts.h"

/* An item has one row of parts: an array that a field of the item counts. */
static bool is_counted(const reader *r, unsigned layout)
{
    const size_t first = r->plan->rows[layout].first;
    return first + 1 == r->plan->rows[layout].end && r->format->parts[first].how == LL_PART_ARRAY &&
           r->plan->part[first].count.layout == layout;
}

/* Where an item ends by its size and by its number of elements; UINT64_MAX: not stated. */
typedef struct ends {
    uint64_t by_size, by_count;
    uint32_t element; /* bytes of one element; 0: items have none */
} ends;

static ends ends_of(const reader *r, unsigned layout, uint32_t at)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const uint8_t *bytes = ll_doc_at(r->doc, at);
    const unsigned size = r->plan->size[layout];
    ends e = {UINT64_MAX, UINT64_MAX, 0};
    if (size) {
        const ll_field *f = &l->fields[size - 1];
        e.by_size = at + ll_read_uint(bytes + f->offset, f->bytes, ll_order_of(r, layout, at)) +
                    (uint64_t)(int64_t)r->plan->less[layout];
    }
    if (is_counted(r, layout)) {
        const size_t row = r->plan->rows[layout].first;
        const ll_field *f = &l->fields[r->plan->part[row].count.field];
        e.element = r->doc->layouts[r->format->parts[row].layout].size;
        e.by_count =
            at + l->size + ll_read_uint(bytes + f->offset, f->bytes, ll_order_of(r, layout, at)) * (uint64_t)e.element;
    }
    return e;
}

bool ll_ends_items(const reader *r, const ll_items *of, uint32_t at)
{
    if (!of->last || !ll_fits(at, r->doc->layouts[of->last].size, of->limit)) {
        return false;
    }
    const unsigned first = r->plan->like[of->last].first;
    const ll_constant *c = &r->plan->constants[first];
    if (first + 1 == r->plan->like[of->last].end && !c->tag && c->bytes <= LL_NUMBER_MAX &&
        r->doc->unknown_from >= r->doc->unknown_to) { /* a faster way for a single constant */
        const unsigned endian = ll_order_of(r, of->last, at);
        return ll_read_uint(ll_doc_at(r->doc, at) + c->offset, c->bytes, endian) == c->value;
    }
    return ll_count_flaws(r, of->last, at, of->limit) == 0;
}

uint32_t ll_end_of_sound(const reader *r, const ll_items *of, uint32_t at)
{
    if (!ll_fits(at, r->doc->layouts[of->layout].size, of->limit) || ll_ends_items(r, of, at)) {
        return 0;
    }
    const ends e = ends_of(r, of->layout, at);
    return e.by_size == e.by_count && e.by_size <= of->limit ? (uint32_t)e.by_size : 0;
}

/* At `at` is an item whose size and number agree, or the end of the items. */
static bool goes_on(const reader *r, const ll_items *of, uint64_t at)
{
    const bool inside = at < of->limit;
    return (at == of->limit && !of->last) ||
           (inside && (ll_ends_items(r, of, (uint32_t)at) || ll_end_of_sound(r, of, (uint32_t)at)));
}

uint32_t ll_end_of_item(const reader *r, const ll_items *of, uint32_t at)
{
    const uint32_t own = r->doc->layouts[of->layout].size;
    if (!ll_fits(at, own, of->limit)) {
        return 0;
    }
    const ends e = ends_of(r, of->layout, at);
    const bool whole = e.by_size >= (uint64_t)at + own && e.by_size <= of->limit &&
                       (!e.element || (e.by_size - at - own) % e.element == 0);
    const bool counted = e.by_count <= of->limit;
    if (whole && (!e.element || e.by_size == e.by_count ||
                  (goes_on(r, of, e.by_size) && (e.by_size < e.by_count || !goes_on(r, of, e.by_count))))) {
        return (uint32_t)e.by_size;
    }
    return e.element && counted && (!of->last || goes_on(r, of, e.by_count)) ? (uint32_t)e.by_count : 0;
}

/* Number of items that fill an owner of known size. UINT32_MAX: no number does. */
static uint32_t count_filling(reader *r, unsigned layout)
{
    const frame *f = r->top;
    const ll_items of = {.layout = (uint16_t)layout, .limit = f->stated};
    uint32_t count = 0, at = r->at;
    while (f->stated && at && at < f->stated && r->ahead) {
        at = ll_end_of_item(r, &of, at);
        r->ahead--;
        count++;
    }
    return f->stated && at == f->stated ? count : UINT32_MAX;
}

/* The number of items: as many as fill the owner, else what its field says. Fields that state another number are
 * faults. */
static uint32_t count_items(reader *r, size_t row)
{
    const ll_part_row *part = &r->format->parts[row];
    const ll_field_of counts = r->plan->part[row].count;
    const uint32_t filling = count_filling(r, part->layout), span = ll_record_of(r, counts.layout);
    ll_where by;
    uint64_t stated = ll_count_of(r, row, &by), again;
    const uint64_t count = filling == UINT32_MAX ? stated : filling;
    if (count != stated) {
        ll_raise_count(r, part->layout, &by, stated, filling, 0);
    }
    for (size_t k = 0; k < r->format->derivation_count; k++) {
        const ll_derivation *d = &r->format->derivations[k];
        if (d->how == LL_DERIVE_COUNT && d->layout == counts.layout && d->field != counts.field &&
            d->target == part->layout && d->within == part->owner && ll_read_field(r, span, 0, d->field, &again) &&
            again != count) {
            ll_expect_with(r, LL_READ_COUNT, d->layout, ll_field_in(span, 0, d->field), (int64_t)count,
                           &(evidence){.related = by});
        }
    }
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

void ll_read_counted(reader *r, uint16_t layout, uint32_t index, uint32_t end)
{
    const size_t row = r->plan->rows[layout].first;
    const uint16_t element = r->format->parts[row].layout;
    const uint32_t own = r->doc->layouts[layout].size, begin = r->at;
    const uint32_t count = (end - begin - own) / r->doc->layouts[element].size;
    if (r->doc->copy) {
        ll_swap_numbers(r, layout, begin, 1, 0);
        ll_swap_numbers(r, element, begin + own, count, 0);
    }
    const uint32_t span = ll_claim_record(r->doc, r->top->span, layout, begin, end, index);
    ll_judge_constants(r, layout, span);
    (void)ll_claim_array(r->doc, span, element, begin + own, count);
    r->at = end;
    const unsigned counted = r->plan->part[row].count.field, size = r->plan->size[layout];
    if (ll_number_at(&r->doc->layouts[layout], counted, ll_doc_at(r->doc, begin)) != count || r->doc->copy) {
        ll_expect_with(r, LL_READ_COUNT, element, ll_field_in(span, 0, counted), count,
                       &(evidence){.related = ll_nowhere()});
    }
    if (size) {
        const uint64_t stated = ll_number_at(&r->doc->layouts[layout], size - 1U, ll_doc_at(r->doc, begin));
        const int64_t right = (int64_t)(end - begin) - r->plan->less[layout];
        r->top->off += stated < UINT32_MAX ? (int64_t)stated - right : 0;
        if ((int64_t)stated != right || r->doc->copy) {
            ll_expect_with(r, LL_READ_SIZE, layout, ll_field_in(span, 0, size - 1U), right,
                           &(evidence){.related = ll_nowhere()});
        }
    }
}

void ll_read_items(reader *r, size_t row)
{
    frame *f = r->top;
    const uint16_t layout = r->format->parts[row].layout;
    const uint32_t to = f->stated ? f->stated : f->limit;
    f->items = f->number ? f->items : count_items(r, row);
    if (f->number >= f->items) {
        f->number = 0;
        f->row++;
        return;
    }
    const bool counted = is_counted(r, layout);
    const ll_items in = {.layout = layout, .limit = to}, out = {.layout = layout, .limit = f->limit};
    uint32_t end = counted ? ll_end_of_item(r, &in, r->at) : 0;
    end = counted && !end ? ll_end_of_item(r, &out, r->at) : end;
    if (counted ? !end : f->limit - r->at < r->doc->layouts[layout].size) {
        ll_where by;
        const uint64_t count = ll_count_of(r, row, &by);
        r->doc->unread = r->doc->unread || f->limit == r->doc->size;
        if (count == f->items && count != f->number) { /* otherwise a fault was raised */
            ll_raise_count(r, layout, &by, count, f->number, 0);
        }
        ll_leave_rest(r);
        return;
    }
    const uint32_t index = f->number++;
    if (counted) {
        ll_read_counted(r, layout, index, end);
    } else if (!ll_read_record(r, row, index, f->limit)) {
        ll_leave_rest(r);
    }
}
