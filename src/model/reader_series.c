/* Parts of a SERIES row, which have no tag and no reliable count. A part begins where the constants of its layout are
 * right, but for one field that may be wrong, or where a text has the hash that its record states (reader_begin.c). A
 * series ends where a part begins that may follow it, in its owner or in one around it. */
#include "model/derive.h"
#include "model/reader_like.h"
#include "model/reader_parts.h"

/* ------------------------------------------------------------------ one part */

/* The end of what stands at `at` confirms that it is a part of the row. */
static bool leads_on(const reader *r, size_t row, uint32_t at)
{
    const frame *f = r->top;
    const unsigned layout = r->format->parts[row].layout;
    const size_t text = ll_text_row(r, layout);
    if (text < r->format->part_count) {
        return ll_leads_by_texts(r, f, layout, text, at) || ll_fitting_size(r, layout, text, at, f->limit);
    }
    const size_t first = r->plan->rows[layout].first;
    const uint32_t body = at + r->doc->layouts[layout].size;
    if (first < r->plan->rows[layout].end && r->format->parts[first].how == LL_PART_SERIES && body < f->limit &&
        ll_series_begins(r, first, body, f->limit, LL_BEGINS_SURELY)) {
        return true; /* its parts are there, even if its fields are damaged */
    }
    const uint32_t end = ll_stated_end(r, layout, at);
    return end && (end == f->limit || ll_series_goes_on(r, f, end, LL_BEGINS_MAYBE));
}

/* Claims bytes up to where the series goes on as unparsed, and raises a fault. */
static void pass_over(reader *r, size_t row)
{
    frame *f = r->top;
    const unsigned layout = r->format->parts[row].layout;
    const uint32_t from = r->at, next = ll_series_next(r, f, from);
    const uint32_t span = ll_claim_unparsed(r->doc, f->span, from, next);
    f->damaged = true;
    r->at = next;
    if (next < r->doc->size) {
        ll_fault fault = ll_read_fault(r->format, LL_READ_SURPLUS, layout, ll_at_bytes(span, from, next - from),
                                       (ll_read_words){ll_uint(next - f->begin), ll_uint(from - f->begin), "size"});
        ll_mark_span(r->doc, span, LL_SPAN_EXPLAINED);
        ll_raise(r->doc, &fault);
    }
}

/* Raises a fault: the file ends in the series or right after it, so the next parts are missing. */
static void raise_cut(reader *r, size_t row)
{
    uint64_t all = r->at + ll_need_behind(r);
    for (size_t i = row + 1; i < r->top->end; i++) {
        const uint64_t place = ll_stated_place(r, i, 0);
        all = place > all && place <= UINT32_MAX ? place + ll_need_behind(r) : all;
    }
    const uint64_t missing = all - r->at - ll_need_behind(r);
    if (!ll_is_behind_end(r)) {
        ll_raise_cut(r, r->format->parts[row + !missing].layout, missing, r->top->limit - r->at);
        if (!missing) {
            ll_offer_rest(r, row + 1);
        }
    }
    ll_leave_rest(r);
}

/* Checks the field that counts the parts. */
static void judge_number(reader *r, size_t row)
{
    const ll_field_of count = r->plan->part[row].count;
    const frame *f = r->top;
    if (count.field != LL_NO_FIELD && !f->damaged) {
        ll_expect_with(r, LL_READ_COUNT, count.layout, ll_field_in(ll_record_of(r, count.layout), 0, count.field),
                       f->number, &(evidence){.related = ll_nowhere()});
    }
}

/* ------------------------------------------------------------------ plain parts */

/* A part whose size agrees with its kind and with its number of elements. */
typedef struct plain {
    const ll_choice *choice; /* NULL: there is none */
    uint32_t size, count;
} plain;

/* The elements that the record counts fill it, up to padding. */
static bool is_filled(const reader *r, unsigned layout, const uint8_t *record, plain *out)
{
    const uint32_t size = r->doc->layouts[layout].size, one = r->doc->layouts[out->choice->part].size;
    const size_t row = r->plan->rows[layout].first;
    const uint64_t count = ll_number_at(&r->doc->layouts[layout], r->plan->part[row].count.field, record);
    const uint64_t used = size + count * one; /* a count has at most four bytes */
    const ll_alignment *fill = ll_fill_of(r, layout);
    const uint8_t *item = record + size;
    bool like = used + (fill ? ll_padding_at(fill, used) : 0) == out->size && ll_is_like(r, layout, record) &&
                ll_is_zero(record + used, record + out->size);
    const bool judged = out->choice->how == LL_CHOICE_ITEMS && r->plan->like[out->choice->part].end;
    for (uint64_t i = 0; like && judged && i < count; i++, item += one) {
        like = ll_is_like(r, out->choice->part, item);
    }
    out->count = (uint32_t)count;
    return like;
}

static bool is_plain_array(const reader *r, unsigned layout, const uint8_t *record, uint32_t left, plain *out)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const uint64_t stated = left >= l->size ? ll_number_at(l, r->plan->size[layout] - 1U, record) : 0;
    out->choice = stated ? ll_find_choice(r, record, false) : NULL;
    out->size = (uint32_t)stated;
    return out->choice && stated >= l->size && stated <= left && is_filled(r, layout, record, out);
}

/* The part is of a kind and has the size that its constants state. left: bytes up to the end of the owner. */
static inline bool is_plain(const reader *r, unsigned layout, const uint8_t *record, uint32_t left, plain *out)
{
    const uint32_t number = r->plan->choice_at;
    const unsigned first = left > number ? r->plan->choice[record[number]] : 0;
    if (!first) {
        return false;
    }
    out->choice = &r->format->choices[first - 1];
    out->size = r->doc->layouts[out->choice->part].size;
    return (out->choice->how == LL_CHOICE_IS && out->size <= left && ll_is_like(r, out->choice->part, record)) ||
           is_plain_array(r, layout, record, left, out);
}

static void claim_plain_array(reader *r, unsigned layout, uint32_t owner, uint32_t index, uint32_t at, const plain *p)
{
    const uint16_t part = p->choice->part;
    const uint32_t one = r->doc->layouts[part].size, end = at + p->size;
    const uint32_t span = ll_claim_record(r->doc, owner, (uint16_t)layout, at, end, index);
    at += r->doc->layouts[layout].size;
    if (p->choice->how == LL_CHOICE_ARRAY) {
        (void)ll_claim_array(r->doc, span, part, at, p->count);
        at += p->count * one;
    }
    for (uint32_t i = 0; p->choice->how == LL_CHOICE_ITEMS && i < p->count && r->doc->status == LL_OK; i++) {
        (void)ll_claim_record(r->doc, span, part, at, at + one, i);
        at += one;
    }
    if (at < end) {
        (void)ll_claim_bytes(r->doc, span, ll_fill_of(r, layout)->padding, at, end);
    }
}

/* Claims the next parts of an owner, of one layout, in a loop while they are plain. Returns their number. *at: address
 * after them. */
static uint32_t claim_plain_choices(reader *r, unsigned layout, uint32_t owner, uint32_t *at, uint32_t limit)
{
    const uint8_t *record = ll_doc_at(r->doc, *at);
    uint32_t number = 0;
    plain p;
    for (; r->doc->status == LL_OK && is_plain(r, layout, record, limit - *at, &p); number++) {
        if (p.choice->how == LL_CHOICE_IS) {
            (void)ll_claim_record(r->doc, owner, p.choice->part, *at, *at + p.size, number);
        } else {
            claim_plain_array(r, layout, owner, number, *at, &p);
        }
        *at += p.size;
        record += p.size;
    }
    return number;
}

/* The parts of an owner are one series in which each states its kind and size, and no other field leads to them. */
static bool owns_choices(const reader *r, unsigned layout)
{
    const size_t row = r->plan->rows[layout].first;
    if (r->plan->rows[layout].end != row + 1) {
        return false;
    }
    const ll_part_row *part = &r->format->parts[row];
    return part->how == LL_PART_SERIES && ll_has_choices(r->format, part->layout) && r->plan->size[part->layout] &&
           r->plan->part[row].count.field == LL_NO_FIELD && !r->plan->part[row].place.layout && r->plan->size[layout] &&
           !r->plan->fill[layout] && r->plan->unit == 1 && r->plan->like[layout].bytes >= LL_SURE_BYTES;
}

/* Fields of a record hold what follows from its `count` parts, which end `bytes` bytes after its start. False:
 * ll_derive_parts(), which looks at each part, has to decide. */
static bool has_right_numbers(const reader *r, unsigned layout, const uint8_t *record, uint64_t bytes, uint64_t count)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const uint16_t first = r->plan->tallied[layout];
    const ll_derivation *row = &r->format->derivations[first ? first - 1U : 0],
                        *end = r->format->derivations + r->format->derivation_count;
    bool right = !first || ll_number_at(l, (unsigned)row->plus, record) == 0;
    for (; first && right && row < end && row->layout == layout && ll_is_parts_row(row); row++) {
        right = ll_number_at(l, row->field, record) == (row->how == LL_DERIVE_PARTS ? count : bytes);
    }
    return right;
}

/* Reads the next records that own parts in a loop while nothing is wrong with them, as with nearly all: their parts end
 * where their sizes say, and the series goes on there. */
static void read_plain_owners(reader *r, size_t row)
{
    frame *f = r->top;
    ll_doc *doc = r->doc;
    const uint16_t layout = r->format->parts[row].layout;
    const size_t part = r->plan->rows[layout].first;
    const ll_layout *l = &doc->layouts[layout];
    const uint32_t before = f->number;
    const uint8_t *record = ll_doc_at(doc, r->at);
    bool like = ll_fits(r->at, l->size, f->limit) && ll_is_like(r, layout, record);
    while (like && doc->status == LL_OK) {
        const uint64_t stated = ll_number_at(l, r->plan->size[layout] - 1U, record);
        if (stated < l->size || stated >= f->limit - r->at) {
            break;
        }
        const uint32_t end = r->at + (uint32_t)stated;
        like = f->limit - end >= l->size && ll_is_like(r, layout, record + stated);
        if (!like && !ll_series_goes_on(r, f, end, LL_BEGINS_MAYBE)) {
            break;
        }
        const ll_doc_mark mark = ll_doc_mark_here(doc);
        const uint32_t span = ll_claim_record(doc, f->span, layout, r->at, end, f->number);
        uint32_t at = r->at + l->size;
        const uint32_t count = claim_plain_choices(r, r->format->parts[part].layout, span, &at, end);
        if (at != end) {
            ll_doc_rewind(doc, &mark);
            break;
        }
        if (!has_right_numbers(r, layout, record, stated, count)) {
            frame owner = {.span = span, .layout = layout, .begin = r->at, .number = count};
            if (ll_element_at(doc, span, 0, &owner.record)) {
                ll_judge_derived(r, &owner);
            }
        }
        record += stated;
        r->at = end;
        f->number++;
    }
    if (f->number > before) {
        r->sizes[row].fault = r->sizes[part].fault = NULL;
    }
}

/* Reads the next parts that are a record and a text with its hash. */
static void read_plain_texts(reader *r, size_t row, size_t text)
{
    frame *f = r->top;
    const uint16_t layout = r->format->parts[row].layout, of_text = r->format->parts[text].layout;
    const ll_layout *l = &r->doc->layouts[layout];
    const unsigned hash = r->plan->part[text].hash.field, size = r->plan->part[text].size.field;
    const uint8_t *base = r->at < f->limit ? ll_doc_at(r->doc, r->at) - r->at : NULL;
    while (r->doc->status == LL_OK && ll_fits(r->at, l->size, f->limit)) {
        const uint8_t *record = base + r->at;
        const uint32_t left = f->limit - r->at - l->size, from = r->at + l->size;
        const uint64_t length = ll_number_at(l, size, record);
        if (length == 0 || length > left || (length > LL_SHORT_TEXT && r->series->hashed > LL_HASHED_MAX) ||
            r->format->text_hash(record + l->size, (size_t)length) != ll_number_at(l, hash, record)) {
            r->series->hashed += length <= left ? length : 0; /* hashed in vain */
            return;
        }
        r->at = from + (uint32_t)length;
        const uint32_t span = ll_claim_record(r->doc, f->span, layout, from - l->size, r->at, f->number++);
        (void)ll_claim(r->doc, (ll_span){.offset = from,
                                         .length = r->at - from,
                                         .parent = span,
                                         .index = LL_NO_INDEX,
                                         .count = (uint32_t)length,
                                         .layout = of_text});
    }
}

static void read_plain(reader *r, size_t row)
{
    const unsigned layout = r->format->parts[row].layout;
    const size_t text = ll_text_row(r, layout);
    if (text < r->format->part_count) {
        read_plain_texts(r, row, text);
    } else if (owns_choices(r, layout)) {
        read_plain_owners(r, row);
    }
}

/* ------------------------------------------------------------------ series */

void ll_read_series(reader *r)
{
    frame *f = r->top;
    const size_t row = f->row;
    const bool last = row + 1 == f->end; /* no part follows it */
    if (f->number == 0 && !f->damaged && (last || f->limit - r->at >= ll_need_behind(r))) {
        ll_follow(r, row, 0);
    }
    if (!r->doc->copy) {
        read_plain(r, row);
    }
    while (r->at < f->limit && !ll_is_behind_end(r)) {
        const bool ends = r->at == f->stated && f->number > 0; /* according to its size */
        const bool here = !(ends && ll_is_unknown(r, r->at)) &&
                          (ll_series_begins(r, row, r->at, f->limit, LL_BEGINS_MAYBE) || leads_on(r, row, r->at));
        if (here) {
            if (!ll_read_record(r, row, f->number++, f->limit)) {
                ll_leave_rest(r);
            }
            return;
        }
        if (ends || ll_series_goes_on(r, f, r->at, LL_BEGINS_MAYBE)) {
            break;
        }
        pass_over(r, row);
    }
    if (!last && f->limit - r->at < ll_need_behind(r)) {
        raise_cut(r, row);
        return;
    }
    if (r->at < r->doc->size || r->depth == 1) { /* otherwise a fault says that the file is cut */
        judge_number(r, row);
    }
    f->row++;
    f->number = f->row < f->end ? 0 : f->number;
}

/* ------------------------------------------------------------------ texts with a hash */

void ll_read_hashed(reader *r, size_t row)
{
    frame *f = r->top;
    ll_doc *doc = r->doc;
    const ll_field_of size = r->plan->part[row].size, hash = r->plan->part[row].hash;
    const uint32_t left = f->limit - r->at;
    const uint64_t stated = ll_get_uint(&f->record, size.field), own = ll_get_uint(&f->record, hash.field);
    const bool right = ll_is_text_right(r, f->layout, row, f->begin, f->limit, UINT32_MAX);
    const bool fits = stated <= left && (right || ll_leads_by_texts(r, f - 1, f->layout, row, f->begin) ||
                                         ll_series_goes_on(r, f - 1, r->at + (uint32_t)stated, LL_BEGINS_MAYBE));
    const uint32_t other = fits ? 0 : ll_fitting_size(r, f->layout, row, f->begin, f->limit);
    const uint32_t length = fits ? (uint32_t)stated : other ? other : ll_series_next(r, f - 1, r->at) - r->at;
    const uint32_t span = ll_claim(doc, (ll_span){.offset = r->at,
                                                  .length = length,
                                                  .parent = f->span,
                                                  .index = LL_NO_INDEX,
                                                  .count = length,
                                                  .layout = r->format->parts[row].layout});
    const ll_where text = ll_at_bytes(span, r->at, length);
    f->row++;
    r->at += length;
    if (stated != length || length == 0) {
        ll_expect_with(r,
                       stated == 0     ? LL_READ_SIZE_LEAST
                       : stated > left ? LL_READ_SIZE_BEYOND
                                       : LL_READ_SIZE,
                       f->layout, ll_field_in(f->span, 0, size.field), length,
                       &(evidence){.from = r->at - length, .want = r->at - length + stated, .related = text});
        doc->unread = doc->unread || (stated > left && !other);
    }
    if (!right && !other) {
        ll_mark_span(doc, f->span, LL_SPAN_DOUBTFUL);
    }
    if (own == 0 && length) { /* a hash of 0 would end the series */
        const uint64_t of_text = r->format->text_hash(ll_doc_at(doc, text.offset), length);
        ll_expect_with(r, LL_READ_HASH, f->layout, ll_field_in(f->span, 0, hash.field), (int64_t)of_text,
                       &(evidence){.related = text});
    }
}
