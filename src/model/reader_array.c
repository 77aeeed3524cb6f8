/* Arrays whose number of elements a field or code states, and the parts that an LL_CHOICE of an owner selects. */
#include "model/derive.h"
#include "model/reader_like.h"
#include "model/reader_parts.h"

/* ------------------------------------------------------------------ arrays */

static void raise_uncounted(reader *r, unsigned layout, const ll_where *by)
{
    const ll_arg nothing = {0};
    ll_fault fault = ll_read_fault(r->format, LL_READ_UNCOUNTED, layout, *by,
                                   (ll_read_words){nothing, nothing, r->doc->layouts[layout].label});
    if (r->at == r->doc->size && !ll_is_behind_end(r)) { /* what states the number may be after the end */
        ll_raise_cut(r, layout, r->doc->layouts[layout].size, 0);
    } else if (!ll_is_behind_end(r)) {
        ll_raise(r->doc, &fault);
    }
    r->doc->unread = true;
}

/* The numbers of the record at `at` lead to texts. *room: bytes left for texts, reduced by theirs, as texts do not
 * overlap. */
static bool has_texts(const reader *r, unsigned layout, uint32_t at, uint64_t *room)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const uint8_t *record = ll_doc_at(r->doc, at);
    bool right = true;
    for (size_t row = r->top->row; row < r->top->end && right; row++) {
        const ll_part_row *part = &r->format->parts[row];
        const struct ll_part_plan *p = &r->plan->part[row];
        const bool text = part->how == LL_PART_EACH && part->of == layout && p->place.layout == layout &&
                          p->size.field != LL_NO_FIELD && r->doc->layouts[part->layout].kind == LL_KIND_STRING;
        if (text) {
            const uint64_t size = ll_number_at(l, p->size.field, record);
            right = size < *room && ll_each_may_be(r, row, ll_number_at(l, p->place.field, record), size);
            *room -= right ? size + 1 : 0;
        }
    }
    return right;
}

/* All elements of the arrays from `row` on, up to the first EACH row, lead to texts. count: elements of the first
 * array. */
static bool are_counts(const reader *r, size_t row, uint64_t count)
{
    uint64_t at = r->at, room = r->doc->size;
    ll_where by;
    for (; row < r->top->end && r->format->parts[row].how == LL_PART_ARRAY; row++, count = ll_count_of(r, row, &by)) {
        const unsigned layout = r->format->parts[row].layout;
        const uint32_t size = r->doc->layouts[layout].size;
        for (uint64_t i = 0; i < count; i++, at += size) {
            if (at + size > r->top->limit || !has_texts(r, layout, (uint32_t)at, &room)) {
                return false;
            }
        }
    }
    return true;
}

/* The number of elements that an array has if the parts of records begin right after it and the arrays that follow,
 * where the first record says. Else `stated`. */
static uint64_t count_by_place(const reader *r, size_t row, uint64_t stated)
{
    const unsigned layout = r->format->parts[row].layout;
    const uint32_t size = r->doc->layouts[layout].size;
    while (row < r->top->end && r->format->parts[row].how == LL_PART_ARRAY) {
        row++;
    }
    const struct ll_part_plan *p = row < r->top->end ? &r->plan->part[row] : NULL;
    if (!p || p->size.field == LL_NO_FIELD || p->place.layout != r->format->parts[row].of || stated > UINT32_MAX ||
        r->top->limit - r->at < size) {
        return stated;
    }
    const unsigned of = p->place.layout;
    const uint32_t first = of == layout         ? r->at
                           : r->doc->firsts[of] ? ll_doc_span(r->doc, r->doc->firsts[of] - 1)->offset
                                                : 0;
    const uint64_t behind = r->at + ll_need_behind(r),
                   to = first ? ll_number_at(&r->doc->layouts[of], p->place.field, ll_doc_at(r->doc, first)) : 0;
    const bool whole = to >= behind && to <= r->top->limit && (to - behind) % size == 0;
    return whole ? (to - behind) / size : stated;
}

/* Claims elements that fit, as one span, or with `apart` each as a span. */
static void claim_elements(reader *r, uint16_t layout, bool apart, uint32_t count)
{
    const uint32_t size = r->doc->layouts[layout].size;
    if (r->doc->copy) {
        ll_swap_numbers(r, layout, r->at, count, 0);
    }
    if (!apart) {
        (void)ll_claim_array(r->doc, r->top->span, layout, r->at, count);
    }
    for (uint32_t i = 0; apart && i < count && r->doc->status == LL_OK; i++) {
        const uint32_t at = r->at + i * size;
        ll_judge_constants(r, layout, ll_claim_record(r->doc, r->top->span, layout, at, at + size, i));
    }
    r->at += count * size;
}

void ll_raise_count(reader *r, unsigned about, const ll_where *by, uint64_t count, uint32_t whole, uint64_t want)
{
    const ll_read_kind kind = want ? LL_READ_COUNT_BEYOND : LL_READ_COUNT;
    uint64_t stated;
    if (ll_read_field(r, by->span, by->element, by->field, &stated) && stated == count) {
        ll_expect_with(r, kind, about, *by, whole, &(evidence){.want = want, .related = ll_nowhere()});
        return;
    }
    ll_fault fault =
        ll_read_fault(r->format, kind, about, *by, (ll_read_words){ll_uint(count), ll_uint(whole), "number"});
    fault.want = want;
    ll_raise(r->doc, &fault);
}

/* The array of `row` has the same count field as that of `other`. */
static bool is_counted_alike(const reader *r, size_t row, size_t other)
{
    const ll_field_of a = r->plan->part[row].count, b = r->plan->part[other].count;
    return r->format->parts[row].how == LL_PART_ARRAY && a.layout == b.layout && a.field == b.field;
}

uint64_t ll_count_filling(reader *r, size_t row, uint64_t stated, const ll_where *by)
{
    frame *f = r->top;
    uint32_t unit = 0;
    if (r->depth > 1 || f->stated != f->limit || r->plan->part[row].count.field == LL_NO_FIELD) {
        return stated;
    }
    if (row > r->plan->rows[f->layout].first && is_counted_alike(r, row - 1, row)) {
        return f->items ? f->items : stated;
    }
    for (size_t i = row; i < f->end; i++) {
        if (!is_counted_alike(r, i, row)) {
            return stated;
        }
        unit += r->doc->layouts[r->format->parts[i].layout].size;
    }
    const uint32_t room = f->limit - r->at;
    if (room % unit) {
        return stated;
    }
    f->items = room / unit;
    if (f->items != stated) {
        const unsigned size = r->plan->size[f->layout];
        ll_expect_with(r, LL_READ_COUNT, r->format->parts[row].layout, *by, f->items,
                       &(evidence){.related = size ? ll_at_field(r->doc, f->span, 0, size - 1U) : ll_nowhere()});
    }
    return f->items;
}

void ll_read_array(reader *r, size_t row, uint16_t layout, bool apart, uint64_t count, const ll_where *by)
{
    const uint32_t size = r->doc->layouts[layout].size, left = r->top->limit - r->at;
    const unsigned how = r->format->parts[row].how;
    if (how == LL_PART_SHARED || (how == LL_PART_ARRAY && r->plan->part[row].count.field == LL_NO_FIELD)) {
        /* a fault of the owner reports surplus bytes */
        claim_elements(r, layout, apart, left / size);
        return;
    }
    if (count == LL_COUNT_UNKNOWN) {
        raise_uncounted(r, layout, by);
        ll_leave_rest(r);
        return;
    }
    const uint64_t right = count_by_place(r, row, count);
    if (right != count && are_counts(r, row, right)) {
        ll_raise_count(r, layout, by, count, (uint32_t)right, 0);
        count = right;
    }
    bool fits = count <= left / size;
    uint32_t whole = fits ? (uint32_t)count : left / size;
    /* the size of this part is known: if less than half of the stated elements fit and they do not fill it, it holds
     * none */
    const bool none = r->depth == 1 && r->top->stated == r->top->limit && left % size && count / 2 > whole;
    claim_elements(r, layout, apart, none ? 0 : whole);
    if (!fits && ll_is_behind_end(r)) {
        ll_leave_rest(r);
    } else if (!fits) {
        r->doc->unread = r->doc->unread || r->top->limit == r->doc->size;
        if (by->span != LL_NO_SPAN) {
            ll_raise_count(r, layout, by, count, whole, r->at + (count - whole) * size + ll_need_behind(r));
        } else {
            ll_raise_cut(r, layout, count * size, left - whole * size);
        }
        ll_stand_for_rest(r, (each){r->top->row, UINT32_MAX});
        ll_leave_rest(r);
    }
}

void ll_judge_chain(reader *r, size_t row, uint32_t span)
{
    ll_field_of chain = r->plan->part[row].chain;
    const uint32_t count = span == LL_NO_SPAN || chain.field == LL_NO_FIELD ? 0 : ll_doc_span(r->doc, span)->count;
    const uint16_t size = r->doc->layouts[chain.layout].size;
    for (uint32_t i = 0; i < count; i++) {
        int64_t at = (int64_t)ll_doc_span(r->doc, span)->offset + (int64_t)i * size;
        ll_expect_offset(r, row, ll_at_field(r->doc, span, i, chain.field), at,
                         i + 1 < count ? size : r->plan->part[row].chain_end, size);
    }
}

/* ------------------------------------------------------------------ choices */

/* No LL_CHOICE row matches the owner. Blames the first field up to which no row matches, and claims the bytes up to
 * what follows the owner as unparsed. */
static void read_no_choice(reader *r)
{
    const frame *f = r->top;
    const ll_layout *l = &r->doc->layouts[f->layout];
    const ll_choice *rows = r->format->choices;
    const unsigned first = rows[0].field;
    const uint32_t number = ll_le32(f->record.bytes + l->fields[first].offset);
    unsigned field = first;
    bool any = true;
    for (unsigned i = first; any && i < l->field_count && l->fields[i].offset < l->fields[first].offset + 4; i++) {
        const unsigned bits = 8 * (unsigned)(l->fields[i].offset + l->fields[i].bytes - l->fields[first].offset);
        const uint32_t mask = bits < 32 ? (UINT32_C(1) << bits) - 1 : UINT32_MAX;
        field = i;
        any = false;
        for (size_t k = 0; k < r->format->choice_count; k++) {
            any = any || ((number ^ rows[k].value) & rows[k].bits & mask) == 0;
        }
    }
    const ll_where at = ll_at_field(r->doc, f->span, 0, field);
    ll_fault fault =
        ll_read_fault(r->format, LL_READ_CHOICE, f->layout, at,
                      (ll_read_words){ll_uint(ll_get_uint(&f->record, field)), ll_uint(0), l->fields[field].name});
    ll_raise(r->doc, &fault);
    const bool ends = f->stated && f->stated == f->limit;
    const uint32_t to = ends ? f->limit : ll_next_of(r, f - 1, r->at);
    ll_mark_span(r->doc, ll_claim_unparsed(r->doc, f->span, r->at, to), LL_SPAN_EXPLAINED);
    r->at = to;
}

/* What follows the owner begins where its size says, or after `count` elements. */
static bool is_confirmed_by_next(const reader *r, const ll_choice *choice, uint64_t count)
{
    const frame *f = r->top;
    const uint64_t size = r->doc->layouts[choice->part].size, left = f->limit - r->at;
    if (f->stated && f->stated == f->limit) {
        return true;
    }
    const uint64_t end = count <= left / size ? r->at + count * size : UINT32_MAX;
    const ll_alignment *fill = ll_fill_of(r, f->layout);
    const uint64_t filled = end + (fill ? ll_padding_at(fill, end - f->begin) : 0);
    return filled <= f->limit && ll_is_list(r, f - 1) && ll_goes_on(r, f - 1, (uint32_t)filled);
}

void ll_read_choice(reader *r, size_t row)
{
    const frame *f = r->top;
    const ll_choice *choice = ll_choice_of(r, f->layout, f->record.bytes, false);
    ll_where by;
    const uint64_t count = ll_count_of(r, row, &by);
    if (!choice) {
        read_no_choice(r);
        return;
    }
    const bool confirmed = is_confirmed_by_next(r, choice, count);
    const uint32_t to = confirmed ? 0 : ll_next_of(r, f - 1, r->at);
    if (confirmed || count <= (to - r->at) / r->doc->layouts[choice->part].size) {
        ll_read_array(r, row, choice->part, choice->how == LL_CHOICE_ITEMS, count, &by);
    }
    if (!confirmed && r->at < to) { /* ll_pop_owner() raises the fault about the size */
        ll_read_padding(r, ll_fill_of(r, f->layout), f->begin, f->layout, false);
        ll_mark_span(r->doc, ll_claim_unparsed(r->doc, f->span, r->at, to), LL_SPAN_EXPLAINED);
        r->at = to;
    }
}
