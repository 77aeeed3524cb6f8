/* Raises faults about fields to which other bytes give another value, and about bytes that are missing or surplus. */
#include "model/reader.h"
#include "model/reader_parts.h"
#include "model/store_state.h"

static const char size_noun[] = "size";

void ll_raise_bytes(reader *r, ll_read_kind kind, unsigned layout, ll_where at, ll_arg found, const char *noun)
{
    const ll_arg nothing = {0};
    ll_fault fault = ll_read_fault(r->format, kind, layout, at, (ll_read_words){found, nothing, noun});
    ll_raise(r->doc, &fault);
}

void ll_raise_cut(reader *r, unsigned layout, uint64_t need, uint32_t left)
{
    const frame *f = r->top;
    uint64_t end = r->at - f->begin, all = end + need + ll_need_behind(r);
    ll_fault fault = ll_read_fault(r->format, LL_READ_CUT, layout, ll_at_bytes(f->span, r->at + left, 0),
                                   (ll_read_words){ll_uint(end + left), ll_uint(all), size_noun});
    fault.want = f->begin + all;
    ll_raise(r->doc, &fault);
    r->doc->unread = r->doc->unread || r->at + left == r->doc->size;
}

void ll_raise_left(reader *r, uint32_t span, unsigned layout, uint32_t begin, uint32_t from, uint32_t to)
{
    const uint8_t *bytes = ll_doc_at(r->doc, from);
    const ll_read_kind kind = ll_is_zero(bytes, bytes + (to - from)) ? LL_READ_ZEROS : LL_READ_SURPLUS;
    ll_raise_surplus(r->doc, ll_read_fault(r->format, kind, layout, ll_claim_gap(r->doc, span, from, to),
                                           (ll_read_words){ll_uint(to - begin), ll_uint(from - begin), size_noun}));
}

void ll_expect_with(reader *r, ll_read_kind kind, unsigned about, ll_where at, int64_t right, const evidence *more)
{
    uint64_t stated;
    if (!ll_read_field(r, at.span, at.element, at.field, &stated)) {
        return;
    }
    const ll_field *field = &ll_doc_layout(r->doc, at.span)->fields[at.field];
    uint64_t mask = field->bytes < sizeof mask ? (UINT64_C(1) << 8 * field->bytes) - 1 : UINT64_MAX;
    at = ll_at_field(r->doc, at.span, at.element, at.field);
    if (ll_fill_in(r->doc, at, (uint64_t)right & mask)) {
        (void)ll_read_field(r, at.span, at.element, at.field, &stated);
    }
    if (stated != ((uint64_t)right & mask)) {
        ll_fault fault =
            ll_read_fault(r->format, kind, about, at, (ll_read_words){ll_uint(stated), ll_int(right), field->name});
        fault.from = more->from;
        fault.want = more->want;
        fault.related = more->related;
        ll_patch_field(r->doc, &fault, LL_PATCH_UNSAFE, (uint64_t)right & mask);
        fault.patch.guessed = more->guessed;
        ll_raise(r->doc, &fault);
    }
}

/* Is this field of the part before off by as much? If so, counts this fault in that one. */
static bool is_alike(said *before, uint16_t layout, unsigned field, int64_t off)
{
    const bool alike = off && before->fault && before->layout == layout && before->field == field && before->off == off;
    if (alike) {
        before->fault->alike++;
    } else {
        before->fault = NULL;
    }
    return alike;
}

void ll_expect_unlike(reader *r, said *before, ll_read_kind kind, ll_where at, int64_t right, const evidence *more)
{
    const uint16_t layout = ll_doc_span(r->doc, at.span)->layout;
    if (!is_alike(before, layout, at.field, more->off)) {
        const ll_fault_node *last = r->doc->last_fault;
        ll_expect_with(r, kind, layout, at, right, more);
        *before = (said){r->doc->last_fault != last ? &r->doc->last_fault->fault : NULL, layout, (uint16_t)at.field,
                         more->off};
    }
}

void ll_leave_rest(reader *r)
{
    frame *f = r->top;
    ll_mark_span(r->doc, ll_claim_unparsed(r->doc, f->span, r->at, f->limit), LL_SPAN_EXPLAINED);
    r->at = f->limit;
    f->row = f->end;
    f->left = true;
}

void ll_raise_value(ll_doc *doc, ll_fault fault, uint64_t value)
{
    if (ll_fill_in(doc, fault.at, value) && ll_read_uint(ll_doc_at(doc, fault.at.offset), fault.at.length,
                                                         ll_doc_layout(doc, fault.at.span)->endian) == value) {
        return;
    }
    if (!(value >> 8 * fault.at.length)) {
        ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, value);
    }
    ll_raise(doc, &fault);
}

void ll_suggest(ll_doc *doc, ll_where at, uint64_t value)
{
    if (doc->copy) {
        ll_fault fault = ll_fault_at(LL_FAULT_GAP, at);
        fault.read = LL_READ_ALTERNATIVE + 1;
        ll_raise_value(doc, fault, value);
    }
}
