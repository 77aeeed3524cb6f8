/* Constants of a layout: counts wrong ones at a place, and raises faults about them. */
#include "model/reader_like.h"

#include "model/derive.h"
#include "model/reader_parts.h"

#include <limits.h>
#include <string.h>

enum {
    NOISE_BYTES = 2, /* most other bytes among zeros; more would be an overwritten range */
    REST_MAX = 64    /* most bytes that are restored at the end of a file */
};

static bool is_constant(const reader *r, unsigned layout, uint32_t at, const ll_constant *c)
{
    const ll_doc *doc = r->doc;
    const uint8_t *p = ll_doc_at(doc, at) + c->offset;
    if (doc->unknown_from < doc->unknown_to && at + c->offset < doc->unknown_to &&
        at + c->offset + c->bytes > doc->unknown_from) {
        return true;
    }
    if (!c->value) {
        return ll_is_zero(p, p + c->bytes);
    }
    return ll_read_uint(p, c->bytes, c->tag ? LL_LITTLE : ll_order_of(r, layout, at)) == c->value;
}

/* The stated size of the record is less than its fields take. */
static bool is_too_small(const reader *r, unsigned layout, uint32_t at)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const ll_field *f = r->plan->size[layout] ? &l->fields[r->plan->size[layout] - 1] : NULL;
    const bool unknown = f && at + f->offset < r->doc->unknown_to && at + f->offset + f->bytes > r->doc->unknown_from;
    return f && !unknown &&
           ll_read_uint(ll_doc_at(r->doc, at) + f->offset, f->bytes, ll_order_of(r, layout, at)) < l->size;
}

const ll_choice *ll_choice_of(const reader *r, unsigned layout, const uint8_t *record, bool is)
{
    return ll_has_choices(r->format, layout) ? ll_find_choice(r, record, is) : NULL;
}

unsigned ll_count_flaws(const reader *r, unsigned layout, uint32_t at, uint32_t limit)
{
    series_seen *seen = r->series;
    if (seen->at == at && seen->limit == limit && seen->layout == layout) {
        return seen->flaws;
    }
    unsigned flaws = UINT_MAX;
    const ll_layout *l = &r->doc->layouts[layout];
    if (ll_fits(at, l->size, limit)) {
        flaws = ll_has_choices(r->format, layout) && !ll_find_choice(r, ll_doc_at(r->doc, at), true);
        flaws += is_too_small(r, layout, at);
        const bool like = ll_is_like(r, layout, ll_doc_at(r->doc, at));
        for (unsigned i = r->plan->like[layout].first; !like && i < r->plan->like[layout].end && flaws < LL_FLAWS_MAX;
             i++) {
            flaws += !is_constant(r, layout, at, &r->plan->constants[i]);
        }
    }
    seen->at = at;
    seen->limit = limit;
    seen->layout = (uint16_t)layout;
    seen->flaws = flaws;
    return flaws;
}

bool ll_has_letters(const reader *r, unsigned layout, uint32_t at)
{
    bool has = false;
    for (unsigned i = r->plan->like[layout].first; i < r->plan->like[layout].end; i++) {
        has = has || (r->plan->constants[i].tag && is_constant(r, layout, at, &r->plan->constants[i]));
    }
    return has;
}

/* ------------------------------------------------------------------ constants */

/* All bytes of a record are constant. */
static bool is_all_constant(const reader *r, unsigned layout)
{
    const ll_layout *l = &r->doc->layouts[layout];
    return l->kind == LL_KIND_RECORD && r->plan->like[layout].mask && r->plan->like[layout].bytes == l->size;
}

/* Raises one fault for all wrong bytes of a record whose bytes are all constant. */
static void judge_whole(reader *r, unsigned layout, ll_where at)
{
    const uint8_t *bytes = ll_doc_at(r->doc, at.offset);
    const uint32_t size = at.length;
    const uint8_t *right = (const uint8_t *)&r->plan->value[r->plan->like[layout].mask - 1];
    uint32_t from = 0, to = size;
    ll_trim_alike(bytes, right, &from, &to);
    ll_fault fault =
        ll_read_fault(r->format, LL_READ_CONSTANT, layout, ll_at_bytes(at.span, at.offset + from, to - from),
                      (ll_read_words){ll_uint(size), ll_uint(size), "size"});
    ll_patch_replace(r->doc, &fault, LL_PATCH_UNSAFE, at.offset + from, right + from, to - from);
    ll_raise(r->doc, &fault);
}

/* Raises one fault for bytes that should be zeros, from the first to the last wrong one. */
static void judge_zeros(reader *r, ll_read_kind kind, unsigned layout, ll_where at, const char *noun)
{
    static const uint8_t zeros[UINT8_MAX];
    while (*ll_doc_at(r->doc, at.offset) == 0) {
        at.offset++;
        at.length--;
    }
    while (*ll_doc_at(r->doc, at.offset + at.length - 1) == 0) {
        at.length--;
    }
    ll_fault fault = ll_read_fault(r->format, kind, layout, at,
                                   (ll_read_words){ll_uint(*ll_doc_at(r->doc, at.offset)), ll_uint(0), noun});
    if (at.length <= sizeof zeros) {
        ll_patch_replace(r->doc, &fault, LL_PATCH_UNSAFE, at.offset, zeros, at.length);
    }
    fault.patch.guessed = at.length > NOISE_BYTES; /* more bytes around them may be wrong */
    ll_raise(r->doc, &fault);
}

static void judge_letters(reader *r, unsigned layout, const ll_constant *c, ll_where at)
{
    ll_fault fault = ll_read_fault(
        r->format, LL_READ_CONSTANT, layout, at,
        (ll_read_words){ll_chars(at.offset, at.length), ll_uint(0), r->doc->layouts[layout].fields[c->field].name});
    ll_patch_replace(r->doc, &fault, LL_PATCH_UNSAFE, at.offset, c->tag, at.length);
    ll_raise(r->doc, &fault);
}

void ll_judge_padding(reader *r, unsigned layout, uint32_t span)
{
    const ll_span *s = span != LL_NO_SPAN ? ll_doc_span(r->doc, span) : NULL;
    const uint8_t *bytes = s ? ll_doc_at(r->doc, s->offset) : NULL;
    if (s && s->length <= UINT8_MAX && !ll_is_zero(bytes, bytes + s->length) &&
        ll_read_code(r->format, LL_READ_PADDING, layout, LL_NO_FIELD) != LL_FAULT_GAP) {
        judge_zeros(r, LL_READ_PADDING, layout, ll_at_bytes(span, s->offset, s->length), "padding");
    }
}

void ll_judge_fields(reader *r, unsigned layout, uint32_t span)
{
    const unsigned end = r->plan->like[layout].end;
    if (span == LL_NO_SPAN || ll_is_like(r, layout, ll_doc_at(r->doc, ll_doc_span(r->doc, span)->offset))) {
        return;
    }
    for (unsigned i = r->plan->like[layout].first; i < end; i++) {
        const ll_constant *c = &r->plan->constants[i];
        const ll_span *s = ll_doc_span(r->doc, span);
        const ll_field *f = &r->doc->layouts[layout].fields[c->field];
        const ll_read_kind kind = f->role == LL_ROLE_RESERVED  ? LL_READ_RESERVED
                                  : f->role == LL_ROLE_PADDING ? LL_READ_PADDING
                                                               : LL_READ_CONSTANT;
        if (is_constant(r, layout, s->offset, c) || ll_read_code(r->format, kind, layout, c->field) == LL_FAULT_GAP) {
            continue;
        }
        if (ll_type_is_integer(f->type)) {
            const unsigned other = r->doc->layouts[layout].endian == LL_BIG ? LL_LITTLE : LL_BIG;
            const uint8_t *bytes = ll_doc_at(r->doc, s->offset + c->offset);
            const bool swapped = kind == LL_READ_CONSTANT && ll_has_read_row(r->format, LL_READ_SWAPPED, layout) &&
                                 ll_read_uint(bytes, c->bytes, other) == c->value;
            ll_expect_with(r, swapped ? LL_READ_SWAPPED : kind, layout, ll_field_in(span, 0, c->field),
                           (int64_t)c->value, &(evidence){.related = ll_nowhere()});
        } else if (is_all_constant(r, layout)) {
            judge_whole(r, layout, ll_at_bytes(span, s->offset, r->doc->layouts[layout].size));
            return;
        } else if (c->tag) {
            judge_letters(r, layout, c, ll_at_field(r->doc, span, 0, c->field));
        } else {
            judge_zeros(r, kind, layout, ll_at_field(r->doc, span, 0, c->field), f->name);
        }
    }
}

void ll_offer_rest(reader *r, size_t row)
{
    uint8_t *rest = ll_doc_zalloc(r->doc, REST_MAX, 1);
    uint64_t at = r->at;
    for (; rest && row < r->top->end; row++) {
        const unsigned layout = r->format->parts[row].layout;
        const ll_alignment *start = r->plan->part[row].start;
        at += start ? ll_padding_at(start, at) : 0;
        if (r->format->parts[row].how != LL_PART_ONE || !is_all_constant(r, layout) ||
            at - r->at + r->doc->layouts[layout].size > REST_MAX) {
            return;
        }
        memcpy(rest + (at - r->at), &r->plan->value[r->plan->like[layout].mask - 1], r->doc->layouts[layout].size);
        at += r->doc->layouts[layout].size;
    }
    const uint32_t left = r->doc->size - r->at;
    if (rest && r->depth == 1 && at > r->doc->size && r->doc->last_fault &&
        memcmp(ll_doc_at(r->doc, r->at), rest, left) == 0) {
        ll_patch_insert(r->doc, &r->doc->last_fault->fault, LL_PATCH_SAFE, r->doc->size, rest + left,
                        (uint32_t)(at - r->doc->size));
    }
}

bool ll_find_last(reader *r, size_t row)
{
    const frame *f = r->top;
    const unsigned layout = r->format->parts[row].layout;
    const uint32_t size = r->doc->layouts[layout].size;
    const ll_alignment *start = r->plan->part[row].start;
    const uint32_t need = ll_padding_at(start, r->at), from = r->at;
    if (ll_read_code(r->format, LL_READ_MISPLACED, layout, LL_NO_FIELD) == LL_FAULT_GAP || r->depth != 1 ||
        row + 1 != f->end || !start || !is_all_constant(r, layout) || f->limit - from < size ||
        f->limit - size - from >= 2U * start->unit || f->limit - size - from == need ||
        ll_count_flaws(r, layout, f->limit - size, f->limit) ||
        !ll_is_zero(ll_doc_at(r->doc, from), ll_doc_at(r->doc, f->limit - size))) {
        return false;
    }
    const uint32_t to = f->limit - size;
    const uint32_t span = ll_claim_bytes(r->doc, f->span, start->padding, from, to);
    ll_fault fault = ll_read_fault(r->format, LL_READ_MISPLACED, layout, ll_at_bytes(span, from, to - from),
                                   (ll_read_words){ll_uint(to - from + size), ll_uint(need + size), "size"});
    uint8_t *zeros = ll_doc_zalloc(r->doc, need + 1, 1);
    if (zeros && !r->doc->fault_count) { /* else another fault explains the place */
        ll_patch_edit(
            r->doc, &fault,
            (ll_edit){.tier = LL_PATCH_UNSAFE, .offset = from, .removed = to - from, .bytes = zeros, .size = need});
        ll_raise(r->doc, &fault);
    }
    r->at = to;
    return true;
}
