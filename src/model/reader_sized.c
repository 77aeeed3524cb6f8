/* Parts whose size a field states: texts, which also end with a NUL, and bytes with no other documented property. */
#include "model/derive.h"
#include "model/reader_parts.h"

#include <string.h>

enum { UNKNOWN_LETTER = '?' };

/* ------------------------------------------------------------------ texts */

/* The first NUL at r->at. NULL: there is none. If it is an unknown byte, the NUL is in front of the next text, where
 * that states its place; else it is the first known one. In a copy, unknown zeros in front become letters. */
static const uint8_t *find_nul(const reader *r, each e, uint32_t left)
{
    const ll_doc *doc = r->doc;
    const uint8_t *text = ll_doc_at(doc, r->at), *nul = left ? memchr(text, 0, left) : NULL;
    if (nul && r->at + (uint32_t)(nul - text) >= doc->unknown_from &&
        r->at + (uint32_t)(nul - text) < doc->unknown_to) {
        each next = e;
        const uint64_t next_at = ll_each_next(r, &next) && next.row == e.row ? ll_each_place(r, next) : 0;
        const uint32_t behind = doc->unknown_to - r->at;
        const uint8_t *known = behind < left ? memchr(text + behind, 0, left - behind) : NULL;
        const bool within = next_at > doc->unknown_from && next_at > r->at && next_at <= doc->unknown_to;
        nul = within ? text + (next_at - 1 - r->at) : known;
        for (uint32_t i = doc->unknown_from < r->at ? r->at : doc->unknown_from;
             doc->copy && nul && i < doc->unknown_to && i < r->at + (uint32_t)(nul - text); i++) {
            doc->copy[i] = doc->copy[i] ? doc->copy[i] : UNKNOWN_LETTER;
        }
    }
    return nul;
}

/* Raises the fault that the byte after a text of known size is no NUL. */
static void raise_nul(reader *r, uint32_t span)
{
    static const uint8_t nul = 0;
    const ll_where at = ll_at_field(r->doc, span, 0, LL_STRING_TERMINATOR);
    ll_fault fault =
        ll_read_fault(r->format, LL_READ_UNENDED, ll_doc_span(r->doc, span)->layout, at,
                      (ll_read_words){ll_uint(*ll_doc_at(r->doc, at.offset)), ll_uint(0), "byte after the text"});
    ll_patch_replace(r->doc, &fault, LL_PATCH_UNSAFE, at.offset, &nul, 1);
    ll_raise(r->doc, &fault);
}

/* The stated size, which leads to the next part, is the length of the text, wherever its first NUL is. If padding
 * follows, both may be right: then a letter after the size belongs to the text. */
static bool is_size_right(const reader *r, each e, uint64_t size, const uint8_t *text, const uint8_t *nul)
{
    const bool inside = nul && (uint64_t)(nul - text) < size;
    return inside ? text[size - 1] != 0
                  : !nul || text[size] < ' ' || text[size] > '~' ||
                        !ll_each_is_followed(r, e, r->at, (uint64_t)(nul - text));
}

/* A field of the record that a text belongs to holds its hash. */
static bool has_hash(const reader *r, const ll_part_row *part, uint32_t text, uint32_t element)
{
    for (size_t k = 0; k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        const ll_field *f = &r->format->layouts[row->layout].fields[row->field];
        uint8_t bytes[LL_DERIVED_MAX];
        ll_element record;
        if (row->target == part->layout && ll_is_hash_row(row) &&
            ll_element_at(r->doc, ll_record_of(r, row->layout), element, &record)) {
            (void)ll_derive_hash(r->doc, row, text, bytes);
            if (memcmp(bytes, record.bytes + f->offset, f->bytes) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Checks the fields that should hold the hash of a text. */
static void expect_hash(reader *r, const ll_part_row *part, uint32_t text, uint32_t element)
{
    for (size_t k = 0; k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        const ll_layout *l = &r->format->layouts[row->layout];
        uint32_t span = ll_is_hash_of(r->format, row, part) ? ll_record_of(r, row->layout) : LL_NO_SPAN;
        uint8_t bytes[LL_DERIVED_MAX];
        if (span != LL_NO_SPAN) {
            (void)ll_derive_hash(r->doc, row, text, bytes);
            uint64_t value = ll_read_uint(bytes, l->fields[row->field].bytes, l->endian);
            ll_expect_with(r, LL_READ_HASH, row->layout, ll_field_in(span, element, row->field), (int64_t)value,
                           &(evidence){.related = ll_at_field(r->doc, text, 0, LL_STRING_TEXT)});
        }
    }
}

void ll_read_string(reader *r, each e)
{
    const struct ll_part_plan *p = &r->plan->part[e.row];
    const ll_part_row *part = &r->format->parts[e.row];
    const bool of_each = part->how == LL_PART_EACH;
    const uint32_t left = r->top->limit - r->at, element = of_each ? ll_each_element(r, e) : 0, begin = r->at;
    const uint64_t stated = of_each ? ll_each_size(r, e) : UINT64_MAX;
    const bool confirmed = stated < left && ll_each_is_followed(r, e, begin, stated);
    /* a NUL after the padding ends no text that the next part confirms */
    const uint32_t near = confirmed && stated + UINT8_MAX < left ? (uint32_t)stated + UINT8_MAX : left;
    const uint8_t *text = ll_doc_at(r->doc, r->at), *nul = find_nul(r, e, near);
    const uint64_t found = nul ? (uint64_t)(nul - text) : left;
    const bool sized = confirmed && stated != found && is_size_right(r, e, stated, text, nul);
    const bool certain = nul && !confirmed && ll_each_is_followed(r, e, begin, found);
    const uint32_t length = (uint32_t)(sized ? stated : found);
    const bool ends = nul || sized;
    if (!ends) {
        ll_raise_bytes(r, LL_READ_TEXT, part->layout, ll_at_bytes(r->top->span, r->at, left), ll_uint(left), "text");
        if (of_each) {
            ll_stand_for_rest(r, e);
        }
    }
    uint64_t to = ends ? (uint64_t)r->at + length + 1 : r->top->limit;
    to += ends ? ll_padding_at(p->end, to) : 0;
    to = to < r->top->limit ? to : r->top->limit;
    const uint32_t span = ll_claim(r->doc, (ll_span){.offset = r->at,
                                                     .length = (uint32_t)to - r->at,
                                                     .parent = r->top->span,
                                                     .index = of_each ? element : LL_NO_INDEX,
                                                     .count = length,
                                                     .layout = part->layout});
    r->at = (uint32_t)to;
    if (!ends) {
        r->doc->unread = r->doc->unread || r->top->limit == r->doc->size;
        ll_mark_span(r->doc, span, LL_SPAN_BROKEN);
        ll_leave_rest(r);
        return;
    }
    if (sized && text[length] != 0) {
        raise_nul(r, span);
    } else if (!sized && stated != UINT64_MAX && stated != length) {
        ll_expect_with(r, stated < left ? LL_READ_SIZE : LL_READ_SIZE_BEYOND, p->size.layout,
                       ll_field_in(ll_record_of(r, p->size.layout), element, p->size.field), length,
                       &(evidence){.from = begin,
                                   .want = stated < UINT32_MAX ? begin + stated : UINT32_MAX,
                                   .related = ll_nowhere(),
                                   .guessed = !certain && !has_hash(r, part, span, element)});
    }
    if (p->hashed) {
        expect_hash(r, part, span, element);
    }
}

/* Reads texts up to the end of the owner. */
static void read_texts(reader *r, uint16_t layout)
{
    static const uint8_t nul = 0;
    const frame *f = r->top;
    for (uint32_t i = 0; r->at < f->limit && r->doc->status == LL_OK; i++) {
        const uint32_t left = f->limit - r->at;
        const uint8_t *text = ll_doc_at(r->doc, r->at), *end = memchr(text, 0, left);
        const uint32_t length = end ? (uint32_t)(end - text) : left, to = r->at + length + (end != NULL);
        const uint32_t span = ll_claim(r->doc, (ll_span){.offset = r->at,
                                                         .length = to - r->at,
                                                         .parent = f->span,
                                                         .index = i,
                                                         .count = length,
                                                         .layout = layout});
        if (!end) {
            ll_fault fault = ll_read_fault(r->format, LL_READ_TEXT, layout, ll_at_bytes(span, to - 1, 1),
                                           (ll_read_words){ll_uint(length), ll_uint(0), "text"});
            ll_patch_guess(r->doc, &fault, to - 1, &nul, 1); /* the NUL was overwritten, or bytes are missing */
            ll_raise(r->doc, &fault);
        }
        r->at = to;
    }
}

void ll_read_filling(reader *r, size_t row)
{
    const frame *f = r->top;
    const ll_part_row *part = &r->format->parts[row];
    const ll_layout *l = &r->doc->layouts[part->layout];
    if (l->kind == LL_KIND_STRING) {
        read_texts(r, part->layout);
    } else if (l->kind == LL_KIND_BYTES) { /* nothing is known about them */
        (void)ll_claim_bytes(r->doc, f->span, part->layout, r->at, f->limit);
        r->at = f->limit;
    } else if (f->limit - r->at == ll_usual_count(part) * l->size) { /* another number of bytes is something else */
        (void)ll_claim_array(r->doc, f->span, part->layout, r->at, ll_usual_count(part));
        r->at = f->limit;
    }
}

/* ------------------------------------------------------------------ bytes */

/* Number of bytes in front of `to`, at most `most`, that may be padding after a part of the row: zeros. */
static uint32_t count_padding(const reader *r, size_t row, uint32_t to, uint32_t most)
{
    const ll_alignment *fill = r->plan->part[row].start;
    uint32_t zeros = 0;
    most = fill && fill->unit && most >= fill->unit ? fill->unit - 1U : fill && fill->unit ? most : 0;
    while (zeros < most && *ll_doc_at(r->doc, to - 1 - zeros) == 0) {
        zeros++;
    }
    return zeros;
}

/* The stated number differs from the other one in one byte, which is not the lowest. All bytes of a 0 may be wrong. */
static bool is_one_byte_off(uint64_t stated, uint64_t other)
{
    uint64_t bits = stated ^ other;
    while (bits && !(bits & UINT8_MAX)) {
        bits >>= 8;
    }
    return stated && bits && bits <= UINT8_MAX && (uint8_t)stated == (uint8_t)other;
}

/* Patches the size of a part that begins at `from` and ends in front of `to`, where the next part begins. Zeros at the
 * end may be padding, so the size is a guess, unless one wrong byte explains the stated size. */
static void patch_size(const reader *r, each e, uint32_t from, uint32_t to, ll_fault *fault)
{
    const ll_field_of f = r->plan->part[e.row].size;
    const uint64_t stated = ll_each_size(r, e);
    const uint32_t zeros = count_padding(r, e.row, to, to - from), least = to - from - zeros;
    uint32_t size = to - from;
    while (size > least && !is_one_byte_off(stated, size)) {
        size--;
    }
    ll_fault other = ll_fault_at(0, ll_at_field(r->doc, ll_record_of(r, f.layout), ll_each_element(r, e), f.field));
    ll_patch_field(r->doc, &other, LL_PATCH_UNSAFE, size);
    fault->patch = other.patch;
    fault->patch.guessed = zeros > 0 && !is_one_byte_off(stated, size);
    memcpy(fault->patch_value, other.patch_value, sizeof fault->patch_value);
}

/* Raises the fault that the size of a part leads into the next part. */
static void raise_size(reader *r, each e, uint64_t stated, uint32_t to)
{
    const ll_field_of f = r->plan->part[e.row].size;
    const ll_where at = ll_at_field(r->doc, ll_record_of(r, f.layout), ll_each_element(r, e), f.field);
    const bool out = stated > r->top->limit - r->at;
    ll_fault fault = ll_read_fault(
        r->format, out ? LL_READ_SIZE_BEYOND : LL_READ_SIZE_LARGE, f.layout, at,
        (ll_read_words){ll_uint(stated), ll_uint(to - r->at), r->doc->layouts[f.layout].fields[f.field].name});
    fault.want = stated < UINT32_MAX ? r->at + stated : 0;
    patch_size(r, e, r->at, to, &fault);
    ll_raise(r->doc, &fault);
}

/* Marks the span of the part that was claimed last as broken, as it may be larger. */
static void doubt_part(reader *r, each e)
{
    uint32_t span = r->doc->span_count;
    while (span > 0 && ll_doc_span(r->doc, span - 1)->layout != r->format->parts[e.row].layout) {
        span--;
    }
    if (span) {
        ll_mark_span(r->doc, span - 1, LL_SPAN_BROKEN | LL_SPAN_EXPLAINED);
    }
}

void ll_raise_gap(reader *r, each before, uint32_t to)
{
    const struct ll_part_plan *p = &r->plan->part[before.row];
    const uint32_t from = r->at;
    ll_fault fault = ll_read_fault(r->format, LL_READ_SURPLUS, r->format->parts[before.row].layout,
                                   ll_claim_gap(r->doc, r->top->span, from, to),
                                   (ll_read_words){ll_uint(to), ll_uint(from), "size"});
    ll_patch_remove(r->doc, &fault, LL_PATCH_UNSAFE, from, to - from);
    const uint64_t begin = ll_each_place(r, before);
    if (p->size.field != LL_NO_FIELD && begin && begin <= from) {
        fault.related = ll_at_field(r->doc, ll_record_of(r, p->size.layout), ll_each_element(r, before), p->size.field);
        patch_size(r, before, (uint32_t)begin, to, &fault);
        if (!ll_is_zero(ll_doc_at(r->doc, from), ll_doc_at(r->doc, from) + (to - from))) {
            doubt_part(r, before);
        }
    }
    ll_raise(r->doc, &fault);
    r->at = to;
}

/* The address of the next part, as fields state and confirm it. 0: they do not. */
static uint64_t place_behind(const reader *r, each e)
{
    each next = e;
    if (!ll_each_next(r, &next)) {
        return r->depth == 1 && ll_is_end_stated(r, r->doc->size) ? r->doc->size : 0;
    }
    const uint64_t place = ll_each_place(r, next);
    return place && ll_each_is_confirmed(r, next, place) ? place : 0;
}

/* The address where all parts end, by their sizes, if this part ends at `at`. */
static uint64_t end_of_all(const reader *r, each e, uint64_t at)
{
    while (at && ll_each_next(r, &e)) {
        at = ll_each_end(r, e, at, ll_each_size(r, e));
    }
    return at;
}

void ll_read_bytes(reader *r, each e)
{
    ll_doc *doc = r->doc;
    const ll_field_of f = r->plan->part[e.row].size;
    const uint32_t element = ll_each_element(r, e), left = r->top->limit - r->at;
    const uint64_t stated = ll_each_size(r, e), next = place_behind(r, e), end = ll_each_end(r, e, r->at, stated);
    uint64_t size = stated;
    if (stated == UINT64_MAX) { /* it ends where the next part begins */
        each behind = e;
        const uint64_t to = ll_each_next(r, &behind) ? ll_each_place(r, behind) : r->top->limit;
        size = to >= r->at && to <= r->top->limit ? to - r->at : 0;
    }
    const bool wrong = stated != UINT64_MAX && next && next >= r->at && next <= r->top->limit && (!end || next < end);
    if (wrong) {
        raise_size(r, e, stated, (uint32_t)next);
        size = next - r->at;
    } else if (size > left) { /* so it is stated */
        const uint64_t all = stated < UINT32_MAX ? end_of_all(r, e, end) : 0;
        ll_expect_with(r, LL_READ_SIZE_BEYOND, f.layout, ll_field_in(ll_record_of(r, f.layout), element, f.field), left,
                       &(evidence){.want = all, .related = ll_at_bytes(LL_NO_SPAN, doc->size - 1, 1)});
        ll_stand_for_rest(r, e);
        size = left;
    }
    const uint32_t to = r->at + (uint32_t)size,
                   span = ll_claim_group(doc, r->top->span, r->format->parts[e.row].layout, r->at, to, element);
    r->at = to;
    if (stated != size && stated != UINT64_MAX) {
        ll_mark_span(doc, span, LL_SPAN_BROKEN | LL_SPAN_EXPLAINED);
    }
    if (!wrong && stated > left && stated != UINT64_MAX) {
        doc->unread = true;
        ll_leave_rest(r);
    }
}
