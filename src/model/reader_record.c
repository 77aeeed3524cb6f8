/* Reads records and their owners: claims a record, reads its parts, then checks its size. */
#include "model/derive.h"
#include "model/reader_like.h"
#include "model/reader_parts.h"

#include <string.h>

enum { EXCHANGED_MAX = 256 }; /* bytes by which one part of a series may be larger than another */

/* ------------------------------------------------------------------ plain records */

/* Claims a part of a plain record at `at`. Returns where it ends: after `end` if it does not fit, and then claims
 * nothing. count: elements of an array. */
static uint64_t read_plain_part(reader *r, size_t row, uint32_t span, uint64_t count, uint32_t at, uint32_t end)
{
    const struct ll_part_plan *p = &r->plan->part[row];
    const uint16_t layout = r->format->parts[row].layout;
    const ll_layout *l = &r->doc->layouts[layout];
    if (l->kind == LL_KIND_STRING) {
        const uint8_t *text = ll_doc_at(r->doc, at), *nul = memchr(text, 0, end - at);
        const uint32_t length = nul ? (uint32_t)(nul - text) : end - at;
        const uint64_t to = (uint64_t)at + length + 1, filled = to + (p->end ? ll_padding_at(p->end, to) : 0);
        if (filled <= end) {
            (void)ll_claim(r->doc, (ll_span){.offset = at,
                                             .length = (uint32_t)filled - at,
                                             .parent = span,
                                             .index = LL_NO_INDEX,
                                             .count = length,
                                             .layout = layout});
        }
        return filled;
    }
    if (count > (end - at) / l->size) {
        return UINT64_MAX;
    }
    if (r->format->parts[row].how == LL_PART_ARRAY) {
        (void)ll_claim_array(r->doc, span, layout, at, (uint32_t)count);
    } else {
        (void)ll_claim_record(r->doc, span, layout, at, at + l->size, LL_NO_INDEX);
    }
    return at + count * l->size;
}

bool ll_read_plain_record(reader *r, size_t row, uint16_t layout, uint32_t index, uint32_t end)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const ll_doc_mark mark = ll_doc_mark_here(r->doc);
    const uint32_t begin = r->at, span = ll_claim_record(r->doc, r->top->span, layout, begin, end, index);
    const uint8_t *own = ll_doc_at(r->doc, begin);
    uint64_t at = (uint64_t)begin + l->size;
    for (size_t i = r->plan->rows[layout].first; at <= end && i < r->plan->rows[layout].end; i++) {
        const struct ll_part_plan *p = &r->plan->part[i];
        const uint64_t stated = ll_number_at(l, p->place.field, own);
        if (!stated && p->unless) {
            continue;
        }
        if (stated + (uint64_t)((int64_t)begin + p->from) != at) {
            at = UINT64_MAX;
            break;
        }
        r->offsets[i].fault = NULL;
        const bool array = r->format->parts[i].how == LL_PART_ARRAY;
        const uint64_t count = array ? ll_number_at(l, p->count.field, own) : 1;
        at = read_plain_part(r, i, span, count, (uint32_t)at, end);
    }
    if (at != end || (end - begin) % r->plan->unit) {
        ll_doc_rewind(r->doc, &mark);
        return false;
    }
    r->sizes[row].fault = NULL;
    r->at = end;
    return true;
}

/* ------------------------------------------------------------------ records */

void ll_push_owner(reader *r, size_t row, uint16_t layout, uint32_t span, bounds at)
{
    if (r->depth == LL_DEPTH_MAX) {
        r->doc->status = LL_E_INTERNAL;
        return;
    }
    r->top = &r->stack[r->depth++];
    *r->top = (frame){.span = span,
                      .layout = layout,
                      .row = r->plan->rows[layout].first,
                      .end = r->plan->rows[layout].end,
                      .part = (uint16_t)row,
                      .begin = at.begin,
                      .body = r->at,
                      .limit = at.limit,
                      .stated = at.stated,
                      .first = r->doc->span_count};
    if (!ll_element_at(r->doc, span, 0, &r->top->record)) {
        r->top->record.bytes = NULL;
    }
}

/* What follows a record begins at `stated`, the end according to its size. */
static bool is_size_leading(const reader *r, uint32_t stated, uint32_t limit)
{
    return stated && (stated == limit || (ll_is_list(r, r->top) && ll_goes_on(r, r->top, stated)));
}

/* The layout that a number in the record at r->at selects in place of `layout`, if its size fits that layout, or leads
 * nowhere. */
static uint16_t meant_layout(const reader *r, uint16_t layout, uint32_t limit)
{
    const ll_choice *choice = ll_choice_of(r, layout, ll_doc_at(r->doc, r->at), true);
    const uint32_t size = choice && choice->how == LL_CHOICE_IS ? r->doc->layouts[choice->part].size : 0;
    const uint32_t stated = size ? ll_stated_end(r, layout, r->at) : 0;
    const bool meant = size && size <= limit - r->at && (stated == r->at + size || !is_size_leading(r, stated, limit));
    return meant ? choice->part : layout;
}

/* The last fault is about one of several parts that the row repeats, and from there on the file holds only zeros, up to
 * a padded end. The last parts were left out. Offers zeros in their place. */
static void offer_zeros(reader *r, size_t row, uint32_t size)
{
    const frame *f = r->top;
    const ll_alignment *fill = f->span == LL_NO_SPAN ? NULL : ll_fill_of(r, f->layout);
    const uint8_t *from = ll_doc_at(r->doc, r->at), *to = from + (f->limit - r->at);
    if (r->format->parts[row].how != LL_PART_TIMES || !fill || f->limit != r->doc->size || !r->doc->last_fault ||
        ll_padding_at(fill, f->limit - f->begin) || !ll_is_zero(from, to) || r->doc->fault_count > 1) {
        return;
    }
    const uint64_t end = r->at + (uint64_t)size + ll_need_behind(r), filled = end + ll_padding_at(fill, end - f->begin);
    const uint32_t need = (uint32_t)(filled - f->limit);
    uint8_t *zeros = ll_doc_zalloc(r->doc, need, 1);
    if (zeros) {
        ll_patch_insert(r->doc, &r->doc->last_fault->fault, LL_PATCH_UNSAFE, f->limit, zeros, need);
    }
}

bool ll_read_record(reader *r, size_t row, uint32_t index, uint32_t limit)
{
    uint16_t layout = r->format->parts[row].layout;
    const uint32_t left = limit - r->at, begin = r->at, least = r->doc->layouts[layout].size;
    const bool record = r->doc->layouts[layout].kind == LL_KIND_RECORD;
    if (record && left < least) {
        if (!ll_is_behind_end(r)) {
            ll_raise_cut(r, layout, least, left);
            ll_offer_rest(r, row);
            offer_zeros(r, row, least);
        }
        return false;
    }
    if (r->doc->copy) {
        ll_swap_numbers(r, layout, begin, record, 0);
    }
    if (r->format->choice_count) {
        layout = meant_layout(r, layout, limit);
        if (r->doc->copy && layout != r->format->parts[row].layout) {
            ll_swap_numbers(r, layout, begin, 1, least);
        }
    }
    const uint32_t own = record ? r->doc->layouts[layout].size : 0, stated = ll_stated_end(r, layout, begin);
    uint32_t span = r->doc->span_count;
    if (!ll_has_parts(r, layout) && !r->plan->size[layout]) {
        (void)ll_claim_record(r->doc, r->top->span, layout, begin, begin + own, index);
        ll_judge_constants(r, layout, span);
        r->at += own;
        return true;
    }
    const bool leads = is_size_leading(r, stated, limit);
    const uint32_t end = leads ? stated : limit;
    const bool plain = leads && r->plan->plain[layout] && ll_is_untried(r->doc, begin, end);
    if (!plain || !ll_read_plain_record(r, row, layout, index, end)) {
        span = record ? ll_claim_record(r->doc, r->top->span, layout, begin, end, index)
                      : ll_claim_group(r->doc, r->top->span, layout, begin, end, index);
        r->at += own;
        ll_push_owner(r, row, layout, span, (bounds){begin, end, stated});
    }
    ll_judge_constants(r, layout, span);
    return true;
}

/* ------------------------------------------------------------------ owners that were read */

/* Parts of the owner may differ by as many bytes: they are a multiple of the unit that parts are padded to. */
static bool is_whole(const reader *r, const frame *f, int64_t bytes)
{
    const ll_part_row *part = &r->format->parts[r->plan->rows[f->layout].first];
    const ll_alignment *fill = ll_fill_of(r, part->layout);
    return bytes % (fill && fill->unit ? fill->unit : 1) == 0;
}

void ll_judge_derived(reader *r, const frame *f)
{
    const ll_layout *l = &r->doc->layouts[f->layout];
    const size_t first = f->damaged ? 0 : r->plan->tallied[f->layout];
    for (size_t k = first; k && k <= r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k - 1];
        uint8_t bytes[LL_DERIVED_MAX] = {0};
        if (row->layout != f->layout) {
            return;
        }
        if (!ll_is_parts_row(row)) {
            continue;
        }
        const ll_field *field = &l->fields[row->field];
        const bool told = ll_derive_parts(r->doc, row, f->span, bytes);
        if (told && memcmp(bytes, f->record.bytes + field->offset, field->bytes) == 0) {
            continue;
        }
        if (!told) {
            ll_fault fault = ll_read_fault(
                r->format, LL_READ_COUNT, f->layout, ll_at_field(r->doc, f->span, 0, row->field),
                (ll_read_words){ll_uint(ll_get_uint(&f->record, row->field)), ll_uint(f->number), field->name});
            ll_raise(r->doc, &fault);
        } else {
            const bool counts = field->role == LL_ROLE_COUNT;
            const int64_t right = (int64_t)ll_read_uint(bytes, field->bytes, l->endian);
            const int64_t off = right - (int64_t)ll_get_uint(&f->record, row->field);
            const bool exchanged = !counts && off < EXCHANGED_MAX && off > -EXCHANGED_MAX && is_whole(r, f, off);
            ll_expect_with(r, counts ? LL_READ_COUNT : LL_READ_OFFSET, f->layout, ll_field_in(f->span, 0, row->field),
                           right, &(evidence){.from = f->begin, .related = ll_nowhere(), .guessed = exchanged});
        }
    }
}

/* Checks that the size of an owner is `right` bytes, plus padding. */
static void expect_size(reader *r, const frame *f, uint32_t right)
{
    const unsigned field = r->plan->size[f->layout] - 1U;
    const ll_alignment *fill = ll_fill_of(r, f->layout);
    right = (uint32_t)ll_align_up(right, fill ? fill->unit : r->plan->unit);
    const uint64_t stated = f->record.bytes ? ll_get_uint(&f->record, field) : right;
    if (stated == right) {
        r->sizes[f->part].fault = NULL;
        return;
    }
    if (f->off && (int64_t)stated - right == f->off && r->doc->last_fault) { /* the sizes of its items explain it */
        r->doc->last_fault->fault.alike++;
        return;
    }
    const unsigned bytes = r->doc->layouts[f->layout].fields[field].bytes;
    const bool wraps = bytes < sizeof right && right >> 8 * bytes;
    const ll_read_kind kind = wraps                                         ? LL_READ_SIZE_WRAPS
                              : stated < f->body - f->begin                 ? LL_READ_SIZE_LEAST
                              : stated > (uint64_t)r->top->limit - f->begin ? LL_READ_SIZE_BEYOND
                              : stated % r->plan->unit                      ? LL_READ_SIZE_ALIGN
                              : stated > right                              ? LL_READ_SIZE_LARGE
                                                                            : LL_READ_SIZE;
    if (wraps) {
        ll_fault fault = ll_read_fault(
            r->format, kind, f->layout, ll_at_field(r->doc, f->span, 0, field),
            (ll_read_words){ll_uint(stated), ll_uint(right), r->doc->layouts[f->layout].fields[field].name});
        ll_raise(r->doc, &fault);
        return;
    }
    ll_expect_unlike(r, &r->sizes[f->part], kind, ll_at_field(r->doc, f->span, 0, field), right,
                     &(evidence){.off = (int64_t)stated - right, .related = ll_nowhere(), .want = f->begin + stated});
}

/* Raises a fault if padding after the parts of the owner is missing at the end of the file. Offers it as a patch if
 * all of it is missing and nothing else is wrong; otherwise bytes may be missing anywhere. */
static void judge_fill(reader *r, const ll_alignment *fill)
{
    const frame *f = r->top;
    const uint32_t need = ll_padding_at(fill, r->at - f->begin), left = f->limit - r->at;
    if (f->left || ll_is_behind_end(r) || need <= left || f->limit != r->doc->size ||
        !ll_has_read_row(r->format, LL_READ_UNFILLED, f->layout)) {
        return;
    }
    ll_fault fault =
        ll_read_fault(r->format, LL_READ_UNFILLED, f->layout, ll_at_bytes(f->span, f->limit, 0),
                      (ll_read_words){ll_uint(f->limit - f->begin), ll_uint(r->at + need - f->begin), "size"});
    uint8_t *bytes = left || r->doc->fault_count ? NULL : ll_doc_alloc(r->doc, need, 1);
    if (bytes) {
        memset(bytes, fill->fill, need);
        ll_patch_insert(r->doc, &fault, LL_PATCH_SAFE, f->limit, bytes, need);
    }
    ll_raise(r->doc, &fault);
}

void ll_pop_owner(reader *r)
{
    const frame *f = r->top;
    const ll_alignment *fill = f->span == LL_NO_SPAN ? NULL : ll_fill_of(r, f->layout);
    if (fill) {
        judge_fill(r, fill);
        ll_read_padding(r, fill, f->begin, f->layout, false);
    }
    if (!--r->depth) {
        return;
    }
    r->top--;
    if (f->left && f->limit == r->top->limit && f->limit != r->doc->size) { /* and what follows */
        r->top->left = true;
        r->top->row = r->top->end;
    }
    uint32_t end = r->at;
    if (f->stated && f->limit == f->stated) { /* the size leads to what follows */
        end = f->stated;
    } else if (r->plan->size[f->layout] && f->stated != r->at && ll_is_list(r, r->top) &&
               !ll_goes_on(r, r->top, r->at)) {
        end = ll_next_of(r, r->top, f->begin + r->doc->layouts[f->layout].size);
        end = end < r->at ? r->at : end;
    }
    ll_raise_rest(r, f->span, f->layout, f->begin, r->at, end);
    ll_end_span(r->doc, f->span, end);
    r->at = end;
    const bool cut = r->format->parts[f->part].how == LL_PART_SERIES && end == r->doc->size;
    if (r->plan->size[f->layout] && !cut) { /* otherwise the file is cut, and a fault says so */
        expect_size(r, f, end - f->begin);
    }
    if (!cut) {
        ll_judge_derived(r, f);
    }
}
