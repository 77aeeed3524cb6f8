/* Places of parts: the padding between them, and the fields that lead to them. */
#include "model/derive.h"
#include "model/reader_like.h"
#include "model/reader_parts.h"

#include <string.h>

#define FAR (INT64_C(1) << 40) /* beyond the end of any file */

void ll_read_padding(reader *r, const ll_alignment *row, uint32_t begin, unsigned layout, bool numbered)
{
    const uint32_t need = row ? ll_padding_at(row, r->at - begin) : 0, left = r->top->limit - r->at;
    const uint32_t n = need < left ? need : left;
    if (n) {
        const uint32_t span = ll_claim_group(r->doc, r->top->span, row->padding, r->at, r->at + n,
                                             numbered ? r->paddings++ : LL_NO_INDEX);
        if (r->plan->judges_padding) {
            ll_judge_padding(r, layout, span);
        }
        r->at += n;
    }
}

/* What is wrong with an offset that leads to the address `to`, where `size` bytes of a part should be. */
static ll_read_kind kind_of_offset(const reader *r, size_t row, int64_t to, uint64_t size)
{
    const frame *f = r->top;
    const ll_alignment *start = r->plan->part[row].start;
    const uint32_t unit = start ? start->unit : r->plan->unit;
    const uint64_t behind = ll_need_behind(r);
    return to < (int64_t)r->at && to + unit > (int64_t)r->at         ? LL_READ_UNALIGNED /* in front of the padding */
           : to < (int64_t)f->body || (uint64_t)to + size > f->limit ? LL_READ_OUTSIDE
           : to < (int64_t)r->at || (uint64_t)to + size + behind > f->limit ? LL_READ_OVERLAP
           : ((uint64_t)to - f->begin) % unit                               ? LL_READ_UNALIGNED
                                                                            : LL_READ_OFFSET;
}

void ll_expect_offset(reader *r, size_t row, ll_where at, int64_t from, int64_t right, uint64_t size)
{
    const ll_layout *l = ll_doc_layout(r->doc, at.span);
    ll_element record;
    if (ll_element_at(r->doc, at.span, at.element, &record)) {
        const ll_field *f = &l->fields[at.field];
        int64_t to = ll_read_int(record.bytes + f->offset, f->bytes, ll_type_is_signed(f->type), l->endian);
        to = from + (to > FAR ? FAR : to < -FAR ? -FAR : to);
        ll_read_kind kind = to - from == right ? LL_READ_OFFSET : kind_of_offset(r, row, to, size);
        ll_expect_unlike(r, &r->offsets[row], kind, at, right,
                         &(evidence){.off = to - from - right, .from = from, .related = ll_nowhere()});
    }
}

/* Bytes of a part, as far as numbers state them. */
static uint64_t bytes_of(const reader *r, size_t row)
{
    const ll_part_row *part = &r->format->parts[row];
    const ll_layout *l = &r->doc->layouts[part->layout];
    ll_where by;
    uint64_t count = part->how == LL_PART_ARRAY ? ll_count_of(r, row, &by) : 1;
    return l->kind != LL_KIND_RECORD || count > UINT32_MAX ? 1 : count * l->size;
}

/* Checks that the field that leads to a part states r->at. */
static void expect_place(reader *r, size_t row, uint32_t element, uint64_t bytes)
{
    const ll_derivation *place = &r->plan->part[row].place;
    uint32_t span = ll_leader_of(r, row);
    if (span != LL_NO_SPAN) {
        int64_t from = ll_base_of(r, place, span, element);
        ll_expect_offset(r, row, ll_at_field(r->doc, span, element, place->field), from, r->at - from + place->plus,
                         bytes);
    }
}

/* The address after the parts of the owner if that of `row` begins at `at` and the others after it. follow: they
 * begin further on if fields say so. 0: they do not fit, or their size is not known yet. */
static uint64_t end_of_parts(const reader *r, size_t row, uint64_t at, bool follow)
{
    const frame *f = r->top;
    const size_t first = row;
    for (; row < f->end; row++) {
        const ll_part_row *part = &r->format->parts[row];
        const ll_layout *l = &r->doc->layouts[part->layout];
        if (!ll_is_there(r, row)) {
            continue;
        }
        uint64_t place = follow && row > first ? ll_stated_place(r, row, 0) : at;
        at = place > at && place < f->limit ? place : at;
        bool text = l->kind == LL_KIND_STRING && part->how == LL_PART_ONE && at < f->limit;
        const uint8_t *from = text ? ll_doc_at(r->doc, (uint32_t)at) : NULL;
        const uint8_t *nul = text ? memchr(from, 0, (size_t)(f->limit - at)) : NULL;
        bool sized = l->kind == LL_KIND_RECORD && (part->how == LL_PART_ONE || part->how == LL_PART_ARRAY) &&
                     !ll_has_parts(r, part->layout) && !r->plan->size[part->layout];
        if (!nul && !sized) {
            return 0;
        }
        at += nul ? (uint64_t)(nul - from) + 1 : bytes_of(r, row);
        at += nul ? ll_padding_at(r->plan->part[row].end, at) : 0;
        if (at > f->limit) {
            return 0;
        }
    }
    return at;
}

/* What follows the owner begins at `at`. */
static bool is_end(const reader *r, uint64_t at)
{
    const frame *f = r->top;
    if (f->stated == f->limit || r->depth < 2) {
        return at == f->limit;
    }
    const frame *below = f - 1;
    return at == f->limit || (at < f->limit && ll_is_list(r, below) && ll_goes_on(r, below, (uint32_t)at));
}

void ll_follow(reader *r, size_t row, uint32_t element)
{
    const frame *f = r->top;
    const uint64_t place = ll_stated_place(r, row, element);
    if (place == r->at) {
        r->offsets[row].fault = NULL;
        return;
    }
    const unsigned how = r->format->parts[row].how;
    const each e = {row, how == LL_PART_EACH ? f->number - 1 : 0};
    const uint64_t size = how == LL_PART_EACH ? ll_each_size(r, e) : UINT64_MAX,
                   bytes = size <= UINT32_MAX ? size : bytes_of(r, row);
    if (place < r->at || place >= f->limit) {
        expect_place(r, row, element, bytes);
        return;
    }
    bool there;
    if (how == LL_PART_EACH) {
        there = ll_each_is_confirmed(r, e, place);
    } else if (how == LL_PART_TAGGED || how == LL_PART_SERIES) {
        there = !ll_goes_on(r, f, r->at) && ll_goes_on(r, f, (uint32_t)place);
    } else {
        const uint64_t end = end_of_parts(r, row, r->at, false), other = end_of_parts(r, row, place, true);
        there = !(end && is_end(r, end)) && other && is_end(r, other);
    }
    if (there && how == LL_PART_EACH && f->number > 1) {
        ll_raise_gap(r, (each){row, f->number - 2}, (uint32_t)place);
    } else if (there) {
        ll_raise_rest(r, f->span, f->before ? f->before : r->format->parts[row].layout, f->begin, r->at,
                      (uint32_t)place);
        r->at = (uint32_t)place;
    }
    expect_place(r, row, element, bytes);
}
