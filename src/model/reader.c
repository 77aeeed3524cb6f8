/* See reader.h. The parts that are being read are a stack of their owners, at most as deep as rows can nest. */
#include "model/reader.h"

#include "base/sort.h"
#include "model/derive.h"
#include "model/reader_series.h"

#include <string.h>

enum { TAG_BYTES = 4, UNKNOWN_LETTER = '?' };
#define FAR (INT64_C(1) << 40) /* beyond every file */

/* ------------------------------------------------------------------ what fields say */

/* A field of the record that ll_record_of() tells. */
static bool read_first(const reader *r, ll_field_of f, uint64_t *value)
{
    if (f.layout == r->top->layout && r->top->record.bytes) {
        *value = ll_get_uint(&r->top->record, f.field);
        return true;
    }
    return ll_read_field(r, ll_record_of(r, f.layout), 0, f.field, value);
}

/* The part is there, as far as fields say. */
static bool is_there(const reader *r, size_t row)
{
    const struct ll_part_plan *p = &r->plan->part[row];
    const uint8_t variants = r->format->parts[row].variants;
    uint64_t value = 0;
    if (variants && r->variant && !(variants >> (r->variant - 1) & 1)) {
        return false;
    }
    if (p->there.field == LL_NO_FIELD) {
        return true;
    }
    return (read_first(r, p->there, &value) && (value & p->bits) == p->value) != p->unless;
}

/* How many of a part there are to be, and the field that says it. */
static uint64_t count_of(const reader *r, size_t row, ll_where *by)
{
    const ll_part_row *part = &r->format->parts[row];
    ll_field_of f = r->plan->part[row].count;
    uint32_t span = f.field != LL_NO_FIELD ? ll_record_of(r, f.layout) : LL_NO_SPAN;
    uint64_t count = 0;
    *by = ll_at_field(r->doc, span, 0, f.field);
    if (part->how == LL_PART_COUNTED) {
        *by = ll_nowhere();
        return r->format->count(r->doc, part, r->top->span, by);
    }
    return span != LL_NO_SPAN && ll_read_field(r, span, 0, f.field, &count) ? count : 0;
}

static bool has_parts(const reader *r, unsigned layout)
{
    return r->plan->rows[layout].first < r->plan->rows[layout].end;
}

/* Whether the record that begins with these bytes says where it ends, and where. */
uint32_t ll_stated_end(const reader *r, unsigned layout, uint32_t at)
{
    const ll_layout *l = &r->doc->layouts[layout];
    uint16_t size = r->plan->size[layout];
    if (!size || !ll_fits(at, l->size, r->top->limit)) { /* a tag alone, at the end of the file, says nothing */
        return 0;
    }
    const ll_field *f = &l->fields[size - 1];
    uint64_t bytes = ll_read_uint(ll_doc_at(r->doc, at) + f->offset, f->bytes, ll_order_of(r, layout, at));
    return bytes >= l->size && ll_fits(at, bytes, r->top->limit) ? at + (uint32_t)bytes : 0;
}

/* ------------------------------------------------------------------ tags */

static bool has_tag(const struct ll_part_plan *p, const uint8_t *bytes, uint32_t left)
{
    return left >= p->tag_at + TAG_BYTES && ll_le32(bytes + p->tag_at) == p->tag;
}

/* Cheap: false where no part of the list that `p` begins has the tag; true may be wrong. */
static bool may_be_tag(const struct ll_part_plan *p, const uint8_t *bytes, uint32_t left)
{
    const uint32_t hash = left >= p->tag_at + TAG_BYTES ? ll_hash_of_tag(ll_le32(bytes + p->tag_at)) : 0;
    return left && p->list.tags[hash / 32] >> hash % 32 & 1;
}

/* The row of the list from `first` on whose tag stands at `at`; that for any other tag, or part_count. Most places are
 * asked for twice, and most tags are the same as the one before. */
static size_t row_of_tag(const reader *r, size_t first, uint32_t at, uint32_t left)
{
    const ll_list_rows *list = &r->plan->part[first].list;
    const uint8_t *bytes = left ? ll_doc_at(r->doc, at) : NULL;
    const struct ll_part_plan *p = &r->plan->part[first];
    tag_seen *seen = r->seen;
    if (seen->first == first && seen->at == at && seen->left == left) {
        return seen->row;
    }
    size_t i = may_be_tag(p, bytes, left) ? first : list->end;
    if (i < list->end && seen->first == first && seen->row < list->other &&
        has_tag(&r->plan->part[seen->row], bytes, left)) {
        i = seen->row;
    } else {
        while (i < list->end && (i == list->other || !has_tag(p, bytes, left))) {
            i++;
            p++;
        }
    }
    if (i == list->end) {
        const bool other = list->other < i && left >= r->doc->layouts[r->format->parts[list->other].layout].size;
        i = other ? list->other : r->format->part_count;
    }
    *seen = (tag_seen){at, left, first, i};
    return i;
}

/* The next part of an owner is one of a list. */
static bool is_list(const reader *r, const frame *f)
{
    return f->row < f->end &&
           (r->format->parts[f->row].how == LL_PART_TAGGED || r->format->parts[f->row].how == LL_PART_SERIES);
}

/* A part of a list, which row_of_tag() told, begins at `at`. Where any place is asked for, and for a tag of zeros, its
 * size has to be possible too; a part without parts has a fixed size. */
static bool is_part(const reader *r, size_t row, uint32_t at, uint32_t limit, bool anywhere)
{
    const ll_part_row *part = &r->format->parts[row];
    if (row == r->format->part_count || !part->tag) {
        return false;
    }
    const uint32_t size = r->doc->layouts[part->layout].size;
    if (size > limit - at || (!anywhere && part->tag[0])) {
        return size <= limit - at;
    }
    const uint32_t fixed = at + size, end = r->plan->size[part->layout] ? ll_stated_end(r, part->layout, at) : fixed;
    return end && (has_parts(r, part->layout) || end == fixed);
}

/* Does a part of the list from `first` on begin at `at`? */
static bool begins_part(const reader *r, size_t first, uint32_t at, uint32_t limit, bool anywhere)
{
    return at <= limit && is_part(r, row_of_tag(r, first, at, limit - at), at, limit, anywhere);
}

/* What the owner goes on with, whose next part is one of a list or of a series, begins at `at`. */
static bool goes_on(const reader *r, const frame *f, uint32_t at)
{
    return r->format->parts[f->row].how == LL_PART_SERIES ? ll_series_goes_on(r, f, at, LL_BEGINS_MAYBE)
                                                          : begins_part(r, f->row, at, f->limit, false);
}

/* The next place, at or behind `from`, where a part of the list begins; the limit: none does. */
static uint32_t next_part(const reader *r, size_t list, uint32_t from, uint32_t limit)
{
    const struct ll_part_plan *p = &r->plan->part[list];
    while (from < limit &&
           !(may_be_tag(p, ll_doc_at(r->doc, from), limit - from) && begins_part(r, list, from, limit, true))) {
        from++;
    }
    return from;
}

/* The next place where what the owner goes on with begins. */
static uint32_t next_of(const reader *r, const frame *f, uint32_t from)
{
    return r->format->parts[f->row].how == LL_PART_SERIES ? ll_series_next(r, f, from)
                                                          : next_part(r, f->row, from, f->limit);
}

/* ------------------------------------------------------------------ faults */

static const char size_noun[] = "size";

/* A tag or a text; nothing says what it should be. */
static void raise_bytes(reader *r, ll_read_kind kind, unsigned layout, ll_where at, ll_arg found, const char *noun)
{
    const ll_arg nothing = {0};
    ll_fault fault = ll_read_fault(r->format, kind, layout, at, found, nothing, noun);
    ll_raise(r->doc, &fault);
}

/* About the tag of a record. */
static void raise_tag(reader *r, ll_read_kind kind, unsigned layout, uint32_t span)
{
    if (span < r->doc->span_count) { /* it was claimed */
        const ll_where at = ll_at_field(r->doc, span, 0, ll_tag_field(&r->doc->layouts[layout]));
        raise_bytes(r, kind, layout, at, ll_chars(at.offset, at.length), "tag");
    }
}

/* Bytes that the rows of the owner behind the one at hand ask for, as far as numbers alone say it. */
uint64_t ll_need_behind(const reader *r)
{
    const frame *f = r->top;
    uint64_t need = 0;
    for (size_t row = f->row; row < f->end; row++) {
        const ll_part_row *part = &r->format->parts[row];
        const ll_layout *l = &r->doc->layouts[part->layout];
        const bool sized = l->kind == LL_KIND_RECORD &&
                           (part->how == LL_PART_ONE || part->how == LL_PART_ARRAY || part->how == LL_PART_TIMES);
        ll_where by;
        uint64_t count = !sized || !is_there(r, row)  ? 0
                         : part->how == LL_PART_ONE   ? 1
                         : part->how == LL_PART_TIMES ? part->times - (row == f->row ? f->number : 0)
                                                      : count_of(r, row, &by);
        need += count <= UINT32_MAX ? count * l->size : 0;
    }
    return need;
}

/* The owner ends `left` bytes behind what was read, and its parts need more. */
void ll_raise_cut(reader *r, unsigned layout, uint64_t need, uint32_t left)
{
    const frame *f = r->top;
    uint64_t end = r->at - f->begin, all = end + need + ll_need_behind(r);
    ll_fault fault = ll_read_fault(r->format, LL_READ_CUT, layout, ll_at_bytes(f->span, r->at + left, 0),
                                   ll_uint(end + left), ll_uint(all), size_noun);
    fault.want = f->begin + all;
    ll_raise(r->doc, &fault);
    r->doc->unread = r->doc->unread || r->at + left == r->doc->size;
}

/* begin: of the owner. */
static void raise_surplus(reader *r, uint32_t span, unsigned layout, uint32_t begin, uint32_t from, uint32_t to)
{
    if (from < to) {
        const uint8_t *bytes = ll_doc_at(r->doc, from);
        const ll_read_kind kind = ll_is_zero(bytes, bytes + (to - from)) ? LL_READ_ZEROS : LL_READ_SURPLUS;
        ll_raise_surplus(r->doc, ll_read_fault(r->format, kind, layout, ll_claim_gap(r->doc, span, from, to),
                                               ll_uint(to - begin), ll_uint(from - begin), size_noun));
    }
}

/* Where bytes of a field are not known, those that a value has are written; returns what the field is then. */
static uint64_t fill_in(const reader *r, ll_where at, uint64_t value, uint64_t stated)
{
    ll_doc *doc = r->doc;
    const ll_layout *l = ll_doc_layout(doc, at.span);
    for (uint32_t i = 0; doc->copy && i < at.length; i++) {
        if (at.offset + i >= doc->unknown_from && at.offset + i < doc->unknown_to) {
            unsigned shift = 8 * (l->endian == LL_BIG ? at.length - 1 - i : i);
            doc->copy[at.offset + i] = (uint8_t)(value >> shift);
            stated = (stated & ~(UINT64_C(0xFF) << shift)) | (value & UINT64_C(0xFF) << shift);
        }
    }
    return stated;
}

/* A field that what was read gives another value. */
void ll_expect_with(reader *r, ll_read_kind kind, unsigned about, uint32_t span, uint32_t element, unsigned field,
                    int64_t right, evidence more)
{
    uint64_t stated;
    if (!ll_read_field(r, span, element, field, &stated)) {
        return;
    }
    unsigned bytes = ll_doc_layout(r->doc, span)->fields[field].bytes;
    uint64_t mask = bytes < sizeof mask ? (UINT64_C(1) << 8 * bytes) - 1 : UINT64_MAX;
    stated = fill_in(r, ll_at_field(r->doc, span, element, field), (uint64_t)right & mask, stated);
    if (stated != ((uint64_t)right & mask)) {
        ll_fault fault = ll_read_fault(r->format, kind, about, ll_at_field(r->doc, span, element, field),
                                       ll_uint(stated), ll_int(right), ll_doc_layout(r->doc, span)->fields[field].name);
        fault.from = more.from;
        fault.want = more.want;
        fault.related = more.related;
        ll_patch_field(r->doc, &fault, LL_PATCH_UNSAFE, (uint64_t)right & mask);
        fault.patch.guessed = more.guessed;
        ll_raise(r->doc, &fault);
    }
}

/* The same field of the part of the row before it is off by as much: one fault says it of both. */
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

/* As ll_expect_with(), of a field that is off by so much; where the one before it is as much off, that fault stands for
 * both. */
static void expect_unlike(reader *r, said *before, ll_read_kind kind, ll_where at, int64_t right, int64_t off,
                          evidence more)
{
    const uint16_t layout = ll_doc_span(r->doc, at.span)->layout;
    if (!is_alike(before, layout, at.field, off)) {
        const ll_fault_node *last = r->doc->last_fault;
        ll_expect_with(r, kind, layout, at.span, at.element, at.field, right, more);
        *before =
            (said){r->doc->last_fault != last ? &r->doc->last_fault->fault : NULL, layout, (uint16_t)at.field, off};
    }
}

/* What is wrong with an offset that leads to a place of the file where `size` bytes of a part should be. */
static ll_read_kind kind_of_offset(const reader *r, size_t row, int64_t to, uint64_t size)
{
    const frame *f = r->top;
    const ll_alignment *start = r->plan->part[row].start;
    const uint32_t unit = start ? start->unit : r->plan->unit;
    const uint64_t behind = ll_need_behind(r);
    return to < (int64_t)r->at && to + unit > (int64_t)r->at         ? LL_READ_UNALIGNED /* without the padding */
           : to < (int64_t)f->body || (uint64_t)to + size > f->limit ? LL_READ_OUTSIDE
           : to < (int64_t)r->at || (uint64_t)to + size + behind > f->limit ? LL_READ_OVERLAP
           : ((uint64_t)to - f->begin) % unit                               ? LL_READ_UNALIGNED
                                                                            : LL_READ_OFFSET;
}

/* Compares an offset, which counts from a place of the file, with the right one, for a part of `size` bytes. */
static void expect_offset(reader *r, size_t row, ll_where at, int64_t from, int64_t right, uint64_t size)
{
    const ll_layout *l = ll_doc_layout(r->doc, at.span);
    ll_element record;
    if (ll_element_at(r->doc, at.span, at.element, &record)) {
        const ll_field *f = &l->fields[at.field];
        int64_t to = ll_read_int(record.bytes + f->offset, f->bytes, ll_type_is_signed(f->type), l->endian);
        to = from + (to > FAR ? FAR : to < -FAR ? -FAR : to);
        ll_read_kind kind = to - from == right ? LL_READ_OFFSET : kind_of_offset(r, row, to, size);
        expect_unlike(r, &r->offsets[row], kind, at, right, to - from - right,
                      (evidence){.from = from, .related = ll_nowhere()});
    }
}

/* The end of the file is missing, as a fault says, and with it all that is still to be read. */
bool ll_is_behind_end(const reader *r)
{
    return r->doc->unread && r->at == r->doc->size;
}

/* Elements of a part: `count` are asked for, and there is room for `whole`. Where the field says it with other words
 * than by the number there is no value that would be right. want: size of the file with all of them. */
static void raise_count(reader *r, unsigned about, const ll_where *by, uint64_t count, uint32_t whole, uint64_t want)
{
    const ll_read_kind kind = want ? LL_READ_COUNT_BEYOND : LL_READ_COUNT;
    uint64_t stated;
    if (ll_read_field(r, by->span, by->element, by->field, &stated) && stated == count) {
        ll_expect_with(r, kind, about, by->span, by->element, by->field, whole,
                       (evidence){.want = want, .related = ll_nowhere()});
        return;
    }
    ll_fault fault = ll_read_fault(r->format, kind, about, *by, ll_uint(count), ll_uint(whole), "number");
    fault.want = want;
    ll_raise(r->doc, &fault);
}

/* What the field that leads to a part counts from. */
static int64_t base_of(const reader *r, const ll_derivation *place, uint32_t span, uint32_t element)
{
    const ll_layout *l = &r->doc->layouts[place->layout];
    int64_t record = (int64_t)ll_doc_span(r->doc, span)->offset + (int64_t)element * l->size;
    return place->how == LL_DERIVE_OFFSET_IN_FILE       ? 0
           : place->how == LL_DERIVE_OFFSET_FROM_RECORD ? record
                                                        : record + l->fields[place->field].offset;
}

/* The record with the field that leads to a part; LL_NO_SPAN: there is none. */
static uint32_t leader_of(const reader *r, size_t row)
{
    const ll_derivation *place = &r->plan->part[row].place;
    const uint16_t rather = r->plan->part[row].rather;
    bool leads = place->layout && !(rather && r->doc->firsts[rather]) && !ll_is_behind_end(r) &&
                 r->doc->layouts[place->layout].kind == LL_KIND_RECORD;
    return leads ? ll_record_of(r, place->layout) : LL_NO_SPAN;
}

/* Bytes of a part, as far as numbers alone say it. */
static uint64_t bytes_of(const reader *r, size_t row)
{
    const ll_part_row *part = &r->format->parts[row];
    const ll_layout *l = &r->doc->layouts[part->layout];
    ll_where by;
    uint64_t count = part->how == LL_PART_ARRAY ? count_of(r, row, &by) : 1;
    return l->kind != LL_KIND_RECORD || count > UINT32_MAX ? 1 : count * l->size;
}

/* Where a field says that a part begins; the address behind what was read: none says another place. */
uint64_t ll_stated_place(const reader *r, size_t row, uint32_t element)
{
    const ll_derivation *place = &r->plan->part[row].place;
    uint32_t span = leader_of(r, row);
    uint64_t stated = 0;
    return span != LL_NO_SPAN && ll_read_field(r, span, element, place->field, &stated)
               ? (uint64_t)base_of(r, place, span, element) + stated - (uint64_t)(int64_t)place->plus
               : r->at;
}

/* The part begins behind what was read; what leads to it should say so. */
static void expect_place(reader *r, size_t row, uint32_t element, uint64_t bytes)
{
    const ll_derivation *place = &r->plan->part[row].place;
    uint32_t span = leader_of(r, row);
    if (span != LL_NO_SPAN) {
        int64_t from = base_of(r, place, span, element);
        expect_offset(r, row, ll_at_field(r->doc, span, element, place->field), from, r->at - from + place->plus,
                      bytes);
    }
}

/* Where the parts of the owner end if the one of `row` begins at `at`, and the others behind it, or further on where
 * fields say so; 0: they do not fit, or that is not known before they are read. */
static uint64_t end_of_parts(const reader *r, size_t row, uint64_t at, bool follow)
{
    const frame *f = r->top;
    const size_t first = row;
    for (; row < f->end; row++) {
        const ll_part_row *part = &r->format->parts[row];
        const ll_layout *l = &r->doc->layouts[part->layout];
        if (!is_there(r, row)) {
            continue;
        }
        uint64_t place = follow && row > first ? ll_stated_place(r, row, 0) : at;
        at = place > at && place < f->limit ? place : at;
        bool text = l->kind == LL_KIND_STRING && part->how == LL_PART_ONE && at < f->limit;
        const uint8_t *from = text ? ll_doc_at(r->doc, (uint32_t)at) : NULL;
        const uint8_t *nul = text ? memchr(from, 0, (size_t)(f->limit - at)) : NULL;
        bool sized = l->kind == LL_KIND_RECORD && (part->how == LL_PART_ONE || part->how == LL_PART_ARRAY) &&
                     !has_parts(r, part->layout) && !r->plan->size[part->layout];
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

/* What is left for an owner's parts is not read. */
void ll_leave_rest(reader *r)
{
    frame *f = r->top;
    ll_mark_span(r->doc, ll_claim_unparsed(r->doc, f->span, r->at, f->limit), LL_SPAN_TOLD);
    r->at = f->limit;
    f->row = f->end;
    f->left = true;
}

/* ------------------------------------------------------------------ parts */

/* Numbers of records of a copy, from `least` bytes behind their begin on, in the other byte order. */
static void swap_numbers(const reader *r, unsigned layout, uint32_t at, uint32_t count, uint32_t least)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const bool floats = r->doc->swap.floats;
    for (uint32_t i = 0; i < count && ll_is_swapped(r, layout, at); i++, at += l->size) {
        for (unsigned k = 0; k < l->field_count; k++) {
            const ll_field *f = &l->fields[k];
            unsigned width = ll_type_bytes(f->type);
            const bool meant = width > 1 && f->offset >= least && (!floats || ll_type_is_float(f->type));
            for (uint32_t from = at + f->offset; meant && from < at + f->offset + f->bytes; from += width) {
                ll_reverse(r->doc->copy + from, width);
            }
        }
    }
}

/* Padding in front of a part of the layout, or behind it, which should be zeros; counted from `begin` on. */
static void align(reader *r, const ll_alignment *row, uint32_t begin, unsigned layout, bool numbered)
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

static void push(reader *r, size_t row, uint16_t layout, uint32_t span, uint32_t begin, uint32_t limit, uint32_t stated)
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
                      .begin = begin,
                      .body = r->at,
                      .limit = limit,
                      .stated = stated};
    if (!ll_element_at(r->doc, span, 0, &r->top->record)) {
        r->top->record.bytes = NULL;
    }
}

/* What is the hash of a text, in the record that it belongs to. */
static void expect_hash(reader *r, const ll_part_row *part, uint32_t text, uint32_t element)
{
    for (size_t k = 0; k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        const ll_layout *l = &r->format->layouts[row->layout];
        uint32_t span = ll_is_hash_of(r->format, row, part) ? ll_record_of(r, row->layout) : LL_NO_SPAN;
        uint8_t bytes[LL_DERIVED_MAX];
        if (span != LL_NO_SPAN && r->format->derive(r->doc, row, span, element, text, bytes)) {
            uint64_t value = ll_read_uint(bytes, l->fields[row->field].bytes, l->endian);
            ll_expect_with(r, LL_READ_HASH, row->layout, span, element, row->field, (int64_t)value,
                           (evidence){.related = ll_at_field(r->doc, text, 0, LL_STRING_TEXT)});
        }
    }
}

/* ------------------------------------------------------------------ parts of each record */

/* The parts of EACH rows in the order in which they are read. */
typedef struct each {
    size_t row;
    uint32_t number;
} each;

static uint32_t count_each(const reader *r, size_t row)
{
    const ll_part_row *part = &r->format->parts[row];
    const uint32_t of = part->how == LL_PART_EACH ? r->doc->firsts[part->of] : 0;
    return of ? ll_doc_span(r->doc, of - 1)->count : 0;
}

/* The next part; false: the parts of the next row, if there is one, are of no record. */
static bool next_each(const reader *r, each *e)
{
    e->number++;
    while (e->row < r->top->end && e->number >= count_each(r, e->row)) {
        if (r->format->parts[e->row].how != LL_PART_EACH) {
            return false;
        }
        e->row++;
        e->number = 0;
    }
    return e->row < r->top->end;
}

/* The record that the part belongs to: those of a row may stand in another order than their records. */
static uint32_t element_of(const reader *r, each e)
{
    return r->order && r->order_row == e.row ? r->order[e.number] : e.number;
}

/* Where the part begins, as a field says; 0: none does. */
static uint64_t place_of(const reader *r, each e)
{
    const ll_derivation *place = &r->plan->part[e.row].place;
    const bool leads = place->layout && r->format->parts[e.row].how == LL_PART_EACH;
    const uint32_t span = leads ? ll_record_of(r, place->layout) : LL_NO_SPAN, element = leads ? element_of(r, e) : 0;
    uint64_t stated = 0;
    return span != LL_NO_SPAN && ll_read_field(r, span, element, place->field, &stated)
               ? (uint64_t)base_of(r, place, span, element) + stated - (uint64_t)(int64_t)place->plus
               : 0;
}

/* How long it is, as a field says; UINT64_MAX: none does, or its bytes are not known. */
static uint64_t size_of(const reader *r, each e)
{
    const ll_field_of f = r->plan->part[e.row].size;
    const ll_doc *doc = r->doc;
    uint64_t size = 0;
    bool known =
        f.field != LL_NO_FIELD && ll_read_field(r, ll_record_of(r, f.layout), element_of(r, e), f.field, &size);
    if (known && doc->unknown_from < doc->unknown_to) {
        const ll_where at = ll_at_field(doc, ll_record_of(r, f.layout), element_of(r, e), f.field);
        known = at.offset + at.length <= doc->unknown_from || at.offset >= doc->unknown_to;
    }
    return !known ? UINT64_MAX : size < UINT64_MAX ? size : UINT64_MAX - 1;
}

/* Where the part behind this one should begin if this one begins at `at` and has `size` bytes: behind the padding. The
 * last one is followed by the end of the file. 0: the size is out of all bounds. */
static uint64_t end_of_each(const reader *r, each e, uint64_t at, uint64_t size)
{
    if (at > r->doc->size || size > UINT32_MAX) {
        return 0;
    }
    at += size + (r->doc->layouts[r->format->parts[e.row].layout].kind == LL_KIND_STRING);
    const ll_alignment *fill =
        next_each(r, &e) ? r->plan->part[e.row].start : ll_alignment_of(r->format, LL_WITHIN_FILE, LL_ALIGN_END);
    return at + ll_padding_at(fill, at);
}

/* A field says that the file ends there, and none says otherwise. */
static bool is_end_stated(const reader *r, uint64_t end)
{
    bool right = false;
    for (size_t k = 0; r->plan->ends && k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        uint64_t stated = 0;
        if (row->how == LL_DERIVE_FILE_BYTES) {
            right = ll_read_field(r, r->doc->firsts[row->layout] - 1, 0, row->field, &stated) &&
                    stated == end + (uint64_t)(int64_t)row->plus;
            if (!right) {
                return false;
            }
        }
    }
    return right;
}

/* The bytes may be a part of the row: of a text, its NUL stands behind them. */
static bool may_be_each(const reader *r, size_t row, uint64_t at, uint64_t size)
{
    if (r->doc->layouts[r->format->parts[row].layout].kind != LL_KIND_STRING) {
        return true;
    }
    const bool fits = at < r->top->limit && size < r->top->limit - at;
    const uint8_t *text = fits ? ll_doc_at(r->doc, (uint32_t)at) : NULL;
    return fits && memchr(text, 0, (size_t)size + 1) == text + size;
}

/* What stands behind the part begins, or the file ends, where it does if the part begins at `at` and has `size` bytes.
 */
static bool is_followed(const reader *r, each e, uint64_t at, uint64_t size)
{
    const uint64_t end = end_of_each(r, e, at, size);
    if (!end || end > r->top->limit) {
        return false;
    }
    return next_each(r, &e) ? place_of(r, e) == end : r->depth == 1 && end == r->doc->size && is_end_stated(r, end);
}

/* The part begins at `at`, if its size and what says where the one behind it begins, or the file ends, are right. Texts
 * that are borne out do not overlap, so that no byte of them is looked at twice. */
static bool is_borne_out(const reader *r, each e, uint64_t at)
{
    const uint64_t size = size_of(r, e);
    return ll_padding_at(r->plan->part[e.row].start, at) == 0 && is_followed(r, e, at, size) &&
           may_be_each(r, e.row, at, size);
}

/* Where the part behind this one begins, as fields say that bear each other out; 0: they do not. */
static uint64_t place_behind(const reader *r, each e)
{
    each next = e;
    if (!next_each(r, &next)) {
        return r->depth == 1 && is_end_stated(r, r->doc->size) ? r->doc->size : 0;
    }
    const uint64_t place = place_of(r, next);
    return place && is_borne_out(r, next, place) ? place : 0;
}

/* The fault that was raised last says it of all parts of records behind this one, which are not read. */
static void stand_for_rest(const reader *r, each e)
{
    while (e.row < r->top->end && r->format->parts[e.row].how != LL_PART_EACH) {
        e.row++;
    }
    const bool sized = e.row < r->top->end && r->plan->part[e.row].size.field != LL_NO_FIELD;
    while (sized && r->doc->last_fault && next_each(r, &e)) {
        r->doc->last_fault->fault.alike++;
    }
}

/* The first NUL of the bytes at hand; NULL: there is none. Of bytes that are not known, one is where the next text says
 * that it begins behind it; the others are letters. */
static const uint8_t *find_nul(const reader *r, each e, uint32_t left)
{
    const ll_doc *doc = r->doc;
    const uint8_t *text = ll_doc_at(doc, r->at), *nul = left ? memchr(text, 0, left) : NULL;
    if (nul && r->at + (uint32_t)(nul - text) >= doc->unknown_from &&
        r->at + (uint32_t)(nul - text) < doc->unknown_to) {
        each next = e;
        const uint64_t next_at = next_each(r, &next) && next.row == e.row ? place_of(r, next) : 0;
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

/* The byte behind a text of known size should be a NUL. */
static void raise_nul(reader *r, uint32_t span)
{
    static const uint8_t nul = 0;
    const ll_where at = ll_at_field(r->doc, span, 0, LL_STRING_TERMINATOR);
    ll_fault fault = ll_read_fault(r->format, LL_READ_UNENDED, ll_doc_span(r->doc, span)->layout, at,
                                   ll_uint(*ll_doc_at(r->doc, at.offset)), ll_uint(0), "byte behind the text");
    ll_patch_bytes(r->doc, &fault, LL_PATCH_UNSAFE, at.offset, 1, &nul, 1);
    ll_raise(r->doc, &fault);
}

/* The text, behind which the next part stands as its size says, is as long as that, whatever NUL there is. Where
 * padding follows, both may be right: then a letter behind that size belongs to the text. */
static bool is_size_right(const reader *r, each e, uint64_t size, const uint8_t *text, const uint8_t *nul)
{
    const bool inside = nul && (uint64_t)(nul - text) < size;
    return inside ? text[size - 1] != 0
                  : !nul || text[size] < ' ' || text[size] > '~' || !is_followed(r, e, r->at, (uint64_t)(nul - text));
}

/* A field of the record that a text belongs to holds its hash. */
static bool has_hash(const reader *r, const ll_part_row *part, uint32_t text, uint32_t element)
{
    for (size_t k = 0; k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        const ll_field *f = &r->format->layouts[row->layout].fields[row->field];
        uint8_t bytes[LL_DERIVED_MAX];
        ll_element record;
        if (row->target == part->layout && ll_is_hash_row(r->format, row) &&
            ll_element_at(r->doc, ll_record_of(r, row->layout), element, &record) &&
            r->format->derive(r->doc, row, ll_record_of(r, row->layout), element, text, bytes) &&
            memcmp(bytes, record.bytes + f->offset, f->bytes) == 0) {
            return true;
        }
    }
    return false;
}

/* A text up to its NUL, with the padding that belongs to it. */
static void read_string(reader *r, each e)
{
    const struct ll_part_plan *p = &r->plan->part[e.row];
    const ll_part_row *part = &r->format->parts[e.row];
    const bool of_each = part->how == LL_PART_EACH;
    const uint32_t left = r->top->limit - r->at, element = of_each ? element_of(r, e) : 0, begin = r->at;
    const uint64_t stated = of_each ? size_of(r, e) : UINT64_MAX;
    const bool borne_out = stated < left && is_followed(r, e, begin, stated);
    /* one that is behind the padding ends no text that is followed by the next one as well */
    const uint32_t near = borne_out && stated + UINT8_MAX < left ? (uint32_t)stated + UINT8_MAX : left;
    const uint8_t *text = ll_doc_at(r->doc, r->at), *nul = find_nul(r, e, near);
    const uint64_t found = nul ? (uint64_t)(nul - text) : left;
    const bool sized = borne_out && stated != found && is_size_right(r, e, stated, text, nul);
    const bool certain = nul && !borne_out && is_followed(r, e, begin, found);
    const uint32_t length = (uint32_t)(sized ? stated : found);
    const bool ends = nul || sized;
    if (!ends) {
        raise_bytes(r, LL_READ_TEXT, part->layout, ll_at_bytes(r->top->span, r->at, left), ll_uint(left), "text");
        if (of_each) {
            stand_for_rest(r, e);
        }
    }
    uint64_t to = ends ? (uint64_t)r->at + length + 1 : r->top->limit;
    to += ends ? ll_padding_at(p->end, to) : 0;
    to = to < r->top->limit ? to : r->top->limit;
    const uint32_t span = ll_claim_string(r->doc, r->top->span, part->layout, r->at, (uint32_t)to, length,
                                          of_each ? element : LL_NO_INDEX);
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
                       ll_record_of(r, p->size.layout), element, p->size.field, length,
                       (evidence){.from = begin,
                                  .want = stated < UINT32_MAX ? begin + stated : UINT32_MAX,
                                  .related = ll_nowhere(),
                                  .guessed = !certain && !has_hash(r, part, span, element)});
    }
    if (p->hashed) {
        expect_hash(r, part, span, element);
    }
}

/* Where the parts behind one that ends at `at` end, by their sizes. */
static uint64_t end_of_all(const reader *r, each e, uint64_t at)
{
    while (at && next_each(r, &e)) {
        at = end_of_each(r, e, at, size_of(r, e));
    }
    return at;
}

/* How many of these bytes may be the padding behind a part of the row: zeros. */
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

/* One byte of a number is another one in the other, and not the lowest. */
static bool is_one_byte_off(uint64_t one, uint64_t other)
{
    uint64_t bits = one ^ other;
    while (bits && !(bits & UINT8_MAX)) {
        bits >>= 8;
    }
    return bits && bits <= UINT8_MAX && (uint8_t)one == (uint8_t)other;
}

/* The size of a part that begins at `from` and, as what stands behind it says, ends before `to`. Where the last bytes
 * are zeros, which may be padding, that is a guess, unless one byte of the stated size makes it one of these sizes. */
static void patch_size(const reader *r, each e, uint32_t from, uint32_t to, ll_fault *fault)
{
    const ll_field_of f = r->plan->part[e.row].size;
    const uint64_t stated = size_of(r, e);
    const uint32_t zeros = count_padding(r, e.row, to, to - from), least = to - from - zeros;
    uint32_t size = to - from;
    while (size > least && !is_one_byte_off(stated, size)) {
        size--;
    }
    ll_fault other = ll_fault_at(0, ll_at_field(r->doc, ll_record_of(r, f.layout), element_of(r, e), f.field));
    ll_patch_field(r->doc, &other, LL_PATCH_UNSAFE, size);
    fault->patch = other.patch;
    fault->patch.guessed = zeros > 0 && !is_one_byte_off(stated, size);
    memcpy(fault->patch_value, other.patch_value, sizeof fault->patch_value);
}

/* The size of a part leads into what stands behind it. */
static void raise_size(reader *r, each e, uint64_t stated, uint32_t to)
{
    const ll_field_of f = r->plan->part[e.row].size;
    const ll_where at = ll_at_field(r->doc, ll_record_of(r, f.layout), element_of(r, e), f.field);
    const bool out = stated > r->top->limit - r->at;
    ll_fault fault =
        ll_read_fault(r->format, out ? LL_READ_SIZE_BEYOND : LL_READ_SIZE_LARGE, f.layout, at, ll_uint(stated),
                      ll_uint(to - r->at), r->doc->layouts[f.layout].fields[f.field].name);
    fault.want = stated < UINT32_MAX ? r->at + stated : 0;
    patch_size(r, e, r->at, to, &fault);
    ll_raise(r->doc, &fault);
}

/* The part, which was claimed last, may have more bytes than were claimed. */
static void doubt_part(reader *r, each e)
{
    uint32_t span = r->doc->span_count;
    while (span > 0 && ll_doc_span(r->doc, span - 1)->layout != r->format->parts[e.row].layout) {
        span--;
    }
    if (span) {
        ll_mark_span(r->doc, span - 1, LL_SPAN_BROKEN | LL_SPAN_TOLD);
    }
}

/* Bytes between two parts belong to neither, or to the first one, whose size is too small then. */
static void raise_gap(reader *r, each before, uint32_t to)
{
    const struct ll_part_plan *p = &r->plan->part[before.row];
    const uint32_t from = r->at;
    ll_fault fault = ll_read_fault(r->format, LL_READ_SURPLUS, r->format->parts[before.row].layout,
                                   ll_claim_gap(r->doc, r->top->span, from, to), ll_uint(to), ll_uint(from), size_noun);
    ll_patch_bytes(r->doc, &fault, LL_PATCH_UNSAFE, from, to - from, NULL, 0);
    const uint64_t begin = place_of(r, before);
    if (p->size.field != LL_NO_FIELD && begin && begin <= from) {
        fault.related = ll_at_field(r->doc, ll_record_of(r, p->size.layout), element_of(r, before), p->size.field);
        patch_size(r, before, (uint32_t)begin, to, &fault);
        if (!ll_is_zero(ll_doc_at(r->doc, from), ll_doc_at(r->doc, from) + (to - from))) {
            doubt_part(r, before);
        }
    }
    ll_raise(r->doc, &fault);
    r->at = to;
}

/* Bytes that nothing is known of but how many they are. Where what stands behind them says otherwise, that holds. */
static void read_bytes(reader *r, each e)
{
    ll_doc *doc = r->doc;
    const ll_field_of f = r->plan->part[e.row].size;
    const uint32_t element = element_of(r, e), left = r->top->limit - r->at;
    const uint64_t stated = size_of(r, e), next = place_behind(r, e), end = end_of_each(r, e, r->at, stated);
    uint64_t size = stated;
    if (stated == UINT64_MAX) { /* up to what stands behind it */
        each behind = e;
        const uint64_t to = next_each(r, &behind) ? place_of(r, behind) : r->top->limit;
        size = to >= r->at && to <= r->top->limit ? to - r->at : 0;
    }
    const bool wrong = stated != UINT64_MAX && next && next >= r->at && next <= r->top->limit && (!end || next < end);
    if (wrong) {
        raise_size(r, e, stated, (uint32_t)next);
        size = next - r->at;
    } else if (size > left) { /* hence it is stated */
        const uint64_t all = stated < UINT32_MAX ? end_of_all(r, e, end) : 0;
        ll_expect_with(r, LL_READ_SIZE_BEYOND, f.layout, ll_record_of(r, f.layout), element, f.field, left,
                       (evidence){.want = all, .related = ll_at_bytes(LL_NO_SPAN, doc->size - 1, 1)});
        stand_for_rest(r, e);
        size = left;
    }
    const uint32_t to = r->at + (uint32_t)size,
                   span = ll_claim_group(doc, r->top->span, r->format->parts[e.row].layout, r->at, to, element);
    r->at = to;
    if (stated != size && stated != UINT64_MAX) {
        ll_mark_span(doc, span, LL_SPAN_BROKEN | LL_SPAN_TOLD);
    }
    if (!wrong && stated > left && stated != UINT64_MAX) {
        doc->unread = true;
        ll_leave_rest(r);
    }
}

/* Nothing of a stretch of bytes is tried. */
static bool is_untried(const ll_doc *doc, uint32_t from, uint32_t to)
{
    return !doc->copy || (doc->swap.from == doc->swap.to && (to <= doc->unknown_from || from >= doc->unknown_to));
}

/* Where a part of a plain record that begins at `at` ends, which is behind `end` where it does not fit; claims it.
 * count: of the elements of an array. */
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
            (void)ll_claim_string(r->doc, span, layout, at, (uint32_t)filled, length, LL_NO_INDEX);
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

/* A record whose parts stand one behind the other where its fields say, up to its end, as nearly all do, in one go.
 * False: something is not so. */
static bool read_plain(reader *r, size_t row, uint16_t layout, uint32_t index, uint32_t end)
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

/* What follows a record begins at `stated`, where its size says that it ends. */
static bool is_size_leading(const reader *r, uint32_t stated, uint32_t limit)
{
    return stated && (stated == limit || (is_list(r, r->top) && goes_on(r, r->top, stated)));
}

/* The layout that a number in the record at hand makes of the one of its row, where its size is the right one for it,
 * or leads nowhere. */
static uint16_t meant_layout(const reader *r, uint16_t layout, uint32_t limit)
{
    const ll_choice *choice = ll_choice_of(r, layout, ll_doc_at(r->doc, r->at), true);
    const uint32_t size = choice && choice->how == LL_CHOICE_IS ? r->doc->layouts[choice->part].size : 0;
    const uint32_t stated = size ? ll_stated_end(r, layout, r->at) : 0;
    const bool meant = size && size <= limit - r->at && (stated == r->at + size || !is_size_leading(r, stated, limit));
    return meant ? choice->part : layout;
}

/* The fault that was raised last is about one of several parts, of which the file has nothing but zeros, up to where
 * its padding ends: the last ones were left out, and zeros in their place may be what is missing. */
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
        ll_patch_bytes(r->doc, &r->doc->last_fault->fault, LL_PATCH_UNSAFE, f->limit, 0, zeros, need);
    }
}

/* A record and, if it has any, its parts, which are read next. False: it does not fit. */
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
        swap_numbers(r, layout, begin, record, 0);
    }
    if (r->format->choice_count) {
        layout = meant_layout(r, layout, limit);
        if (r->doc->copy && layout != r->format->parts[row].layout) {
            swap_numbers(r, layout, begin, 1, least);
        }
    }
    const uint32_t own = record ? r->doc->layouts[layout].size : 0, stated = ll_stated_end(r, layout, begin);
    uint32_t span = r->doc->span_count;
    if (!has_parts(r, layout) && !r->plan->size[layout]) {
        (void)ll_claim_record(r->doc, r->top->span, layout, begin, begin + own, index);
        ll_judge_constants(r, layout, span);
        r->at += own;
        return true;
    }
    const bool leads = is_size_leading(r, stated, limit);
    const uint32_t end = leads ? stated : limit;
    const bool plain = leads && r->plan->plain[layout] && is_untried(r->doc, begin, end);
    if (!plain || !read_plain(r, row, layout, index, end)) {
        span = record ? ll_claim_record(r->doc, r->top->span, layout, begin, end, index)
                      : ll_claim_group(r->doc, r->top->span, layout, begin, end, index);
        r->at += own;
        push(r, row, layout, span, begin, end, stated);
    }
    ll_judge_constants(r, layout, span);
    return true;
}

static void raise_uncounted(reader *r, unsigned layout, const ll_where *by)
{
    const ll_arg nothing = {0};
    ll_fault fault =
        ll_read_fault(r->format, LL_READ_UNCOUNTED, layout, *by, nothing, nothing, r->doc->layouts[layout].label);
    if (r->at == r->doc->size && !ll_is_behind_end(r)) { /* what says it may be behind the end */
        ll_raise_cut(r, layout, r->doc->layouts[layout].size, 0);
    } else if (!ll_is_behind_end(r)) {
        ll_raise(r->doc, &fault);
    }
    r->doc->unread = true;
}

/* The parts of the record that is at `at` are texts as its numbers say. *room: bytes that are left for texts, which do
 * not overlap. */
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
            right = size < *room && may_be_each(r, row, ll_number_at(l, p->place.field, record), size);
            *room -= right ? size + 1 : 0;
        }
    }
    return right;
}

/* The arrays from the one of `row`, which has `count` elements, up to the first part of a record have texts each. */
static bool are_counts(const reader *r, size_t row, uint64_t count)
{
    uint64_t at = r->at, room = r->doc->size;
    ll_where by;
    for (; row < r->top->end && r->format->parts[row].how == LL_PART_ARRAY; row++, count = count_of(r, row, &by)) {
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

/* How many elements an array has if the parts of records, which begin behind it and the arrays that follow, stand where
 * the first record says, and all of them have such parts; else the number that is stated. */
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

/* Elements that fit, as one span, or each as a span of its own. */
static void claim_elements(reader *r, uint16_t layout, bool apart, uint32_t count)
{
    const uint32_t size = r->doc->layouts[layout].size;
    if (r->doc->copy) {
        swap_numbers(r, layout, r->at, count, 0);
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

/* `by`: the field that says how many there are; nowhere: no single one does. apart: each is a span of its own. */
static void read_array(reader *r, size_t row, uint16_t layout, bool apart, uint64_t count, const ll_where *by)
{
    const uint32_t size = r->doc->layouts[layout].size, left = r->top->limit - r->at;
    if (count == LL_COUNT_UNKNOWN) {
        raise_uncounted(r, layout, by);
        ll_leave_rest(r);
        return;
    }
    const uint64_t right = count_by_place(r, row, count);
    if (right != count && are_counts(r, row, right)) {
        raise_count(r, layout, by, count, (uint32_t)right, 0);
        count = right;
    }
    bool fits = count <= left / size;
    uint32_t whole = fits ? (uint32_t)count : left / size;
    claim_elements(r, layout, apart, whole);
    if (!fits && ll_is_behind_end(r)) {
        ll_leave_rest(r);
    } else if (!fits) {
        r->doc->unread = r->doc->unread || r->top->limit == r->doc->size;
        if (by->span != LL_NO_SPAN) {
            raise_count(r, layout, by, count, whole, r->at + (count - whole) * size + ll_need_behind(r));
        } else {
            ll_raise_cut(r, layout, count * size, left - whole * size);
        }
        stand_for_rest(r, (each){r->top->row, UINT32_MAX});
        ll_leave_rest(r);
    }
}

/* No LL_CHOICE holds for the owner: the first field that with those before it has no row is wrong, and the bytes up to
 * what stands behind the owner are not read. */
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
    ll_fault fault = ll_read_fault(r->format, LL_READ_CHOICE, f->layout, at, ll_uint(ll_get_uint(&f->record, field)),
                                   ll_uint(0), l->fields[field].name);
    ll_raise(r->doc, &fault);
    const bool ends = f->stated && f->stated == f->limit;
    const uint32_t to = ends ? f->limit : next_of(r, f - 1, r->at);
    ll_mark_span(r->doc, ll_claim_unparsed(r->doc, f->span, r->at, to), LL_SPAN_TOLD);
    r->at = to;
}

/* What follows the owner begins where its size says, or behind `count` elements. */
static bool is_borne_out_by_next(const reader *r, const ll_choice *choice, uint64_t count)
{
    const frame *f = r->top;
    const uint64_t size = r->doc->layouts[choice->part].size, left = f->limit - r->at;
    if (f->stated && f->stated == f->limit) {
        return true;
    }
    const uint64_t end = count <= left / size ? r->at + count * size : UINT32_MAX;
    const ll_alignment *fill = ll_fill_of(r, f->layout);
    const uint64_t filled = end + (fill ? ll_padding_at(fill, end - f->begin) : 0);
    return filled <= f->limit && is_list(r, f - 1) && goes_on(r, f - 1, (uint32_t)filled);
}

/* What an LL_CHOICE of the owner says to follow its fields, as many as a field says. */
static void read_choice(reader *r, size_t row)
{
    const frame *f = r->top;
    const ll_choice *choice = ll_choice_of(r, f->layout, f->record.bytes, false);
    ll_where by;
    const uint64_t count = count_of(r, row, &by);
    if (!choice) {
        read_no_choice(r);
        return;
    }
    const bool borne_out = is_borne_out_by_next(r, choice, count);
    const uint32_t to = borne_out ? 0 : next_of(r, f - 1, r->at);
    if (borne_out || count <= (to - r->at) / r->doc->layouts[choice->part].size) {
        read_array(r, row, choice->part, choice->how == LL_CHOICE_ITEMS, count, &by);
    }
    if (!borne_out && r->at < to) { /* pop() says which size would be right */
        align(r, ll_fill_of(r, f->layout), f->begin, f->layout, false);
        ll_mark_span(r->doc, ll_claim_unparsed(r->doc, f->span, r->at, to), LL_SPAN_TOLD);
        r->at = to;
    }
}

/* Each record of a chain leads to the next one, and the last one to none. */
static void judge_chain(reader *r, size_t row, uint32_t span)
{
    ll_field_of chain = r->plan->part[row].chain;
    const uint32_t count = span == LL_NO_SPAN || chain.field == LL_NO_FIELD ? 0 : ll_doc_span(r->doc, span)->count;
    const uint16_t size = r->doc->layouts[chain.layout].size;
    for (uint32_t i = 0; i < count; i++) {
        int64_t at = (int64_t)ll_doc_span(r->doc, span)->offset + (int64_t)i * size;
        expect_offset(r, row, ll_at_field(r->doc, span, i, chain.field), at,
                      i + 1 < count ? size : r->plan->part[row].chain_end, size);
    }
}

/* ------------------------------------------------------------------ places */

/* What follows the parts of the owner begins at an address. */
static bool is_end(const reader *r, uint64_t at)
{
    const frame *f = r->top;
    if (f->stated == f->limit || r->depth < 2) {
        return at == f->limit;
    }
    const frame *below = f - 1;
    return at == f->limit || (at < f->limit && is_list(r, below) && goes_on(r, below, (uint32_t)at));
}

/* A field leads to the part further on: there it begins if only so all parts of the owner fit, and the bytes between
 * belong to nothing. */
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
    const uint64_t size = how == LL_PART_EACH ? size_of(r, e) : UINT64_MAX,
                   bytes = size <= UINT32_MAX ? size : bytes_of(r, row);
    if (place < r->at || place >= f->limit) {
        expect_place(r, row, element, bytes);
        return;
    }
    bool there;
    if (how == LL_PART_EACH) {
        there = is_borne_out(r, e, place);
    } else if (how == LL_PART_TAGGED || how == LL_PART_SERIES) {
        there = !goes_on(r, f, r->at) && goes_on(r, f, (uint32_t)place);
    } else {
        const uint64_t end = end_of_parts(r, row, r->at, false), other = end_of_parts(r, row, place, true);
        there = !(end && is_end(r, end)) && other && is_end(r, other);
    }
    if (there && how == LL_PART_EACH && f->number > 1) {
        raise_gap(r, (each){row, f->number - 2}, (uint32_t)place);
    } else if (there) {
        raise_surplus(r, f->span, f->before ? f->before : r->format->parts[row].layout, f->begin, r->at,
                      (uint32_t)place);
        r->at = (uint32_t)place;
    }
    expect_place(r, row, element, bytes);
}

/* ------------------------------------------------------------------ lists */

/* The list ends, as there is no room for a part: where there was its last part, that is its end. */
static void end_list(reader *r, size_t first)
{
    const frame *f = r->top;
    const ll_part_row *parts = r->format->parts;
    const ll_list_rows *list = &r->plan->part[first].list;
    const uint32_t left = f->limit - r->at;
    if (f->ended) {
        raise_surplus(r, f->span, f->layout, f->begin, r->at, f->limit);
        r->at = f->limit;
    } else if (left && list->other < r->format->part_count) {
        ll_raise_cut(r, parts[list->other].layout, r->doc->layouts[parts[list->other].layout].size, left);
    } else if (left || list->last < r->format->part_count) {
        raise_bytes(r, LL_READ_END, parts[first].layout, ll_at_bytes(f->span, r->at, 0), ll_uint(r->at), "end");
    }
    ll_leave_rest(r);
}

/* The list goes on behind what should be its last part. */
static void go_on(reader *r, size_t first)
{
    frame *f = r->top;
    const uint16_t layout = r->format->parts[r->plan->part[first].list.last].layout;
    ll_where at = ll_at_bytes(f->span, r->at, f->limit - r->at);
    raise_bytes(r, LL_READ_ORDER, layout, at, ll_uint(r->at - r->doc->layouts[layout].size), "end");
    f->ended = false;
}

/* A part that has none of the tags, up to the next one. */
static void read_unknown(reader *r, size_t first, uint32_t index)
{
    const frame *f = r->top;
    const uint16_t layout = r->format->parts[r->plan->part[first].list.other].layout;
    const uint32_t at = r->at, own = r->doc->layouts[layout].size;
    uint32_t to = ll_stated_end(r, layout, at);
    to = to && (to == f->limit || begins_part(r, first, to, f->limit, false)) ? to
                                                                              : next_part(r, first, at + own, f->limit);
    const uint32_t span = ll_claim_broken(r->doc, f->span, layout, at, to, index);
    raise_tag(r, LL_READ_TAG, layout, span);
    (void)ll_claim_unparsed(r->doc, span, at + own, to);
    r->at = to;
}

/* The size that stands behind what seems to be the tag of the last part leads to another part of the list. */
static bool leads_on(const reader *r, size_t row, size_t first)
{
    const uint32_t end = ll_stated_end(r, r->format->parts[row].layout, r->at);
    return end > r->at + r->doc->layouts[r->format->parts[row].layout].size &&
           begins_part(r, first, end, r->top->limit, false);
}

/* The next parts of a list as long as they are plain, and neither its first nor its last. */
static void read_plain_parts(reader *r, size_t first)
{
    frame *f = r->top;
    const size_t none = r->format->part_count;
    size_t row = row_of_tag(r, first, r->at, f->limit - r->at);
    while (row < none && r->format->parts[row].tag && !r->format->parts[row].place &&
           r->plan->plain[r->format->parts[row].layout]) {
        const uint32_t end = ll_stated_end(r, r->format->parts[row].layout, r->at);
        const size_t next = end ? row_of_tag(r, first, end, f->limit - end) : none;
        const bool leads = end && (end == f->limit || is_part(r, next, end, f->limit, false));
        if (!leads || !is_untried(r->doc, r->at, end) ||
            !read_plain(r, row, r->format->parts[row].layout, f->number, end)) {
            return;
        }
        f->number++;
        row = next;
    }
}

/* One part of a list; the list goes on until its last part, or its owner's end. */
static void read_tagged(reader *r)
{
    frame *f = r->top;
    const ll_part_row *parts = r->format->parts;
    const size_t first = f->row, none = r->format->part_count;
    const ll_list_rows *list = &r->plan->part[first].list;
    if (f->number == 0) {
        ll_follow(r, first, 0);
    } else if (!f->ended) {
        read_plain_parts(r, first);
    }
    size_t row = row_of_tag(r, first, r->at, f->limit - r->at);
    if (f->ended && !begins_part(r, first, r->at, f->limit, true)) { /* what stands there is not of the list */
        f->row = list->end;
        return;
    }
    if (row == none) {
        end_list(r, first);
        return;
    }
    if (f->ended) {
        go_on(r, first);
    }
    row = row == list->last && list->other < none && leads_on(r, row, first) ? list->other : row;
    const ll_part_row *part = &parts[row];
    const uint32_t span = r->doc->span_count, index = f->number++;
    if (!part->tag) {
        read_unknown(r, first, index);
    } else if (!ll_read_record(r, row, part->place == LL_PLACE_LAST ? LL_NO_INDEX : index, f->limit)) {
        ll_leave_rest(r);
        return;
    }
    f->ended = part->place == LL_PLACE_LAST;
    if (parts[first].place == LL_PLACE_FIRST && (part->place == LL_PLACE_FIRST) != (index == 0)) {
        raise_tag(r, LL_READ_ORDER, part->layout, span);
    }
}

/* ------------------------------------------------------------------ owners */

/* The size of an owner that was read should be `right`. */
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
    const unsigned bytes = r->doc->layouts[f->layout].fields[field].bytes;
    const bool wraps = bytes < sizeof right && right >> 8 * bytes;
    const ll_read_kind kind = wraps                                         ? LL_READ_SIZE_WRAPS
                              : stated < f->body - f->begin                 ? LL_READ_SIZE_LEAST
                              : stated > (uint64_t)r->top->limit - f->begin ? LL_READ_SIZE_BEYOND
                              : stated % r->plan->unit                      ? LL_READ_SIZE_ALIGN
                              : stated > right                              ? LL_READ_SIZE_LARGE
                                                                            : LL_READ_SIZE;
    if (wraps) {
        ll_fault fault = ll_read_fault(r->format, kind, f->layout, ll_at_field(r->doc, f->span, 0, field),
                                       ll_uint(stated), ll_uint(right), r->doc->layouts[f->layout].fields[field].name);
        ll_raise(r->doc, &fault);
        return;
    }
    expect_unlike(r, &r->sizes[f->part], kind, ll_at_field(r->doc, f->span, 0, field), right, (int64_t)stated - right,
                  (evidence){.related = ll_nowhere(), .want = f->begin + stated});
}

/* What fills the owner up behind its parts is not all there. If none of it is, and nothing else is wrong with a file
 * that ends here, it is its patch: else bytes may be missing anywhere. */
static void judge_fill(reader *r, const ll_alignment *fill)
{
    const frame *f = r->top;
    const uint32_t need = ll_padding_at(fill, r->at - f->begin), left = f->limit - r->at;
    if (f->left || ll_is_behind_end(r) || need <= left || f->limit != r->doc->size ||
        !ll_is_said(r->format, LL_READ_UNFILLED, f->layout)) {
        return;
    }
    ll_fault fault = ll_read_fault(r->format, LL_READ_UNFILLED, f->layout, ll_at_bytes(f->span, f->limit, 0),
                                   ll_uint(f->limit - f->begin), ll_uint(r->at + need - f->begin), size_noun);
    uint8_t *bytes = left || r->doc->fault_count ? NULL : ll_doc_alloc(r->doc, need, 1);
    if (bytes) {
        memset(bytes, fill->fill, need);
        ll_patch_bytes(r->doc, &fault, LL_PATCH_SAFE, f->limit, 0, bytes, need);
    }
    ll_raise(r->doc, &fault);
}

/* All parts of an owner were read. Where its contents and its size do not end at the same place, another part, or the
 * end, tells which of the two is right. */
static void pop(reader *r)
{
    const frame *f = r->top;
    const ll_alignment *fill = f->span == LL_NO_SPAN ? NULL : ll_fill_of(r, f->layout);
    if (fill) {
        judge_fill(r, fill);
        align(r, fill, f->begin, f->layout, false);
    }
    if (!--r->depth) {
        return;
    }
    r->top--;
    if (f->left && f->limit == r->top->limit && f->limit != r->doc->size) { /* nor what stands behind it */
        r->top->left = true;
        r->top->row = r->top->end;
    }
    uint32_t end = r->at;
    if (f->stated && f->limit == f->stated) { /* what follows stands where the size leads */
        end = f->stated;
    } else if (r->plan->size[f->layout] && f->stated != r->at && is_list(r, r->top) && !goes_on(r, r->top, r->at)) {
        end = next_of(r, r->top, f->begin + r->doc->layouts[f->layout].size);
        end = end < r->at ? r->at : end;
    }
    raise_surplus(r, f->span, f->layout, f->begin, r->at, end);
    ll_end_span(r->doc, f->span, end);
    r->at = end;
    const bool cut = r->format->parts[f->part].how == LL_PART_SERIES && end == r->doc->size;
    if (r->plan->size[f->layout] && !cut) { /* else that is said of the file */
        expect_size(r, f, end - f->begin);
    }
    if (!cut) {
        ll_judge_derived(r, f);
    }
}

/* What a field of the first record of the file says if the next part stands behind it; 0: it says something else. */
static uint64_t right_at_start(const reader *r, unsigned field)
{
    const uint16_t layout = r->format->parts[0].layout;
    const ll_derivation *place = r->format->part_count > 1 ? &r->plan->part[1].place : NULL;
    if (place && place->layout == layout && place->field == field && place->how != LL_DERIVE_OFFSET_FROM_FIELD) {
        return r->doc->layouts[layout].size + (uint64_t)place->plus;
    }
    for (size_t k = 0; r->plan->ends && k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        if (row->layout == layout && row->field == field && row->how == LL_DERIVE_FILE_BYTES) {
            return r->doc->size + (uint64_t)row->plus;
        }
    }
    return 0;
}

/* The field counts records; *fits: the file has room for so many. */
static bool is_count_of_records(const reader *r, unsigned layout, unsigned field, uint64_t count, bool *fits)
{
    for (size_t k = 0; k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        const uint32_t size = r->doc->layouts[row->target].size;
        if (row->layout == layout && row->field == field && row->how == LL_DERIVE_COUNT && size) {
            *fits = count <= r->doc->size / size;
            return true;
        }
    }
    return false;
}

/* The first part of the record is an array's owner whose count, as it stands, there is room for. */
static bool is_next_sound(const reader *r, unsigned layout)
{
    const size_t row = r->plan->rows[layout].first;
    const unsigned next = row < r->plan->rows[layout].end ? r->format->parts[row].layout : LL_ANY_LAYOUT;
    const size_t array = next ? r->plan->rows[next].first : 0;
    const bool counts = next && array < r->plan->rows[next].end && r->format->parts[array].how == LL_PART_ARRAY &&
                        r->plan->part[array].count.layout == next;
    const uint32_t own = counts ? r->doc->layouts[next].size : 0, left = r->top->limit - r->at;
    return counts && left >= own &&
           ll_number_at(&r->doc->layouts[next], r->plan->part[array].count.field, ll_doc_at(r->doc, r->at)) <=
               (left - own) / r->doc->layouts[r->format->parts[array].layout].size;
}

/* The file is for another machine. */
static void leave_swapped(reader *r, uint32_t span)
{
    ll_mark_unsupported(r->doc);
    ll_mark_span(r->doc, span, LL_SPAN_BROKEN);
    r->swapped = true;
    ll_leave_rest(r);
}

/* A letter or number of the first record that is always the same is in the other byte order, and so is what follows. */
static void judge_magic_order(reader *r, uint32_t span)
{
    ll_fault *last = r->doc->last_fault ? &r->doc->last_fault->fault : NULL;
    if (last && last->read == LL_READ_SWAPPED + 1 && last->at.span == span &&
        !is_next_sound(r, ll_doc_span(r->doc, span)->layout)) {
        ll_patch_none(last);
        leave_swapped(r, span);
    }
}

/* Of the first record, numbers that say where the next part or the end of the file is are right in the other byte
 * order, and none is as it stands, nor is a count that is not 0: then the file is for another machine, and nothing
 * behind the record is read. Where all counts are 0 nothing tells that. */
static void judge_byte_order(reader *r, uint32_t span)
{
    const ll_layout *l = ll_doc_layout(r->doc, span);
    const unsigned layout = ll_doc_span(r->doc, span)->layout;
    const uint8_t *bytes = ll_doc_at(r->doc, ll_doc_span(r->doc, span)->offset);
    unsigned swapped = LL_NO_FIELD, order = l->endian;
    uint64_t right = 0;
    bool any = false, counted = false, asked = false;
    for (unsigned i = 0; i < l->field_count && !any; i++) {
        const ll_field *f = &l->fields[i];
        uint64_t value = right_at_start(r, i);
        const uint64_t stated = f->bytes <= sizeof stated ? ll_read_uint(bytes + f->offset, f->bytes, order) : 0;
        bool fits = false;
        const bool counts = is_count_of_records(r, layout, i, stated, &fits);
        counted = counted || counts;
        asked = asked || (counts && stated);
        any = (value && stated == value) || (stated && fits);
        if (value && !any && ll_read_uint(bytes + f->offset, f->bytes, order == LL_BIG ? LL_LITTLE : LL_BIG) == value) {
            swapped = swapped == LL_NO_FIELD ? i : swapped;
            right = swapped == i ? value : right;
        }
    }
    if (!any && swapped != LL_NO_FIELD && (asked || !counted)) {
        const ll_where at = ll_at_field(r->doc, span, 0, swapped);
        ll_fault fault = ll_read_fault(r->format, LL_READ_SWAPPED, layout, at,
                                       ll_uint(ll_read_uint(bytes + l->fields[swapped].offset, at.length, order)),
                                       ll_uint(right), l->fields[swapped].name);
        ll_raise(r->doc, &fault);
        leave_swapped(r, span);
    }
}

/* The parts of a row stand one behind the other, as the order has them; the last one may end anywhere. */
static bool is_order(const reader *r, size_t row, uint32_t count)
{
    const uint32_t fill = ll_padding_at(r->plan->part[row].start, r->at);
    uint64_t at = (uint64_t)r->at + fill;
    bool right = true;
    for (each e = {row, 0}; right && e.number < count; e.number++) {
        right = place_of(r, e) == at;
        at = end_of_each(r, e, at, size_of(r, e));
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
        ll_fault fault =
            ll_read_fault(r->format, LL_READ_SEQUENCE, r->format->parts[row].layout,
                          ll_at_field(r->doc, record, first, place->field), ll_uint(stated), ll_uint(right), "offset");
        for (uint32_t i = 0; i < count; i++) {
            same[i] = i;
        }
        ll_patch_elements(&fault, same); /* the records stay, and the parts follow them */
        ll_raise(r->doc, &fault);
    }
}

/* The order in which the parts of a row are read: that in which they stand, which should be that of their records. */
static void find_order(reader *r, size_t row)
{
    const uint32_t count = count_each(r, row);
    r->order = NULL;
    r->order_row = row;
    bool rises = true;
    uint64_t before = 0;
    for (each e = {row, 0}; rises && e.number < count; e.number++) {
        const uint64_t at = place_of(r, e);
        rises = at >= before;
        before = at;
    }
    ll_sort_key *keys = rises ? NULL : ll_doc_alloc(r->doc, count, 2 * sizeof *keys);
    uint32_t *order = keys ? ll_doc_alloc(r->doc, count, sizeof *order) : NULL;
    if (!order) {
        return;
    }
    for (each e = {row, 0}; e.number < count; e.number++) {
        keys[e.number] = (ll_sort_key){place_of(r, e), 0, e.number};
    }
    const ll_sort_key *sorted = ll_sort(keys, keys + count, count);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = sorted[i].item;
    }
    r->order = order;
    if (is_order(r, row, count)) {
        raise_order(r, row, count);
    } else {
        r->order = NULL;
    }
}

/* The parts of the next row of the owner. */
static void read_row(reader *r)
{
    frame *f = r->top;
    size_t row = f->row;
    const ll_part_row *part = &r->format->parts[row];
    if (part->how == LL_PART_TAGGED || part->how == LL_PART_SERIES) {
        (part->how == LL_PART_TAGGED ? read_tagged : ll_read_series)(r);
        return;
    }
    if (r->plan->part[row].hash.field != LL_NO_FIELD && r->plan->part[row].size.field != LL_NO_FIELD) {
        ll_read_hashed(r, row);
        return;
    }
    const bool of_each = part->how == LL_PART_EACH, times = part->how == LL_PART_TIMES;
    uint32_t of = of_each ? r->doc->firsts[part->of] : 0;
    if (of_each && r->plan->part[row].size.field != LL_NO_FIELD && !f->number && part[-1].how != LL_PART_EACH) {
        f->body = r->at; /* all that is led to stands behind the records */
    }
    const uint32_t most = of ? ll_doc_span(r->doc, of - 1)->count : times ? part->times : 0;
    if (((of_each || times) && f->number >= most) || (!of_each && !is_there(r, row))) {
        f->number = 0;
        f->row++;
        return;
    }
    f->row += (uint16_t)(!of_each && !times);
    if (of_each && !f->number && r->plan->part[row].size.field != LL_NO_FIELD) {
        find_order(r, row);
    }
    const each e = {row, of_each || times ? f->number++ : 0};
    const uint32_t index = of_each ? element_of(r, e) : times ? e.number : LL_NO_INDEX;
    if (row + 1 != f->end || r->depth > 1 || !r->plan->like[part->layout].mask || !ll_find_last(r, row)) {
        align(r, r->plan->part[row].start, 0, part->layout, part->how != LL_PART_ONE);
    }
    if (f->before != part->layout) {
        align(r, r->plan->part[row].first, 0, part->layout, part->how != LL_PART_ONE);
    }
    ll_follow(r, row, of_each ? index : 0);
    f->before = part->layout;
    if (part->how == LL_PART_REST) {
        uint32_t to = f->stated ? f->stated : f->limit;
        (void)ll_claim_bytes(r->doc, f->span, part->layout, r->at, to);
        r->doc->unsupported = true; /* nothing is known of what they mean */
        r->at = to;
    } else if (part->how == LL_PART_ARRAY || part->how == LL_PART_COUNTED) {
        ll_where by;
        const uint64_t count = count_of(r, row, &by);
        const uint32_t span = r->doc->span_count;
        read_array(r, row, part->layout, false, count, &by);
        judge_chain(r, row, span < r->doc->span_count ? span : LL_NO_SPAN);
    } else if (part->how == LL_PART_CHOICE) {
        read_choice(r, row);
    } else if (r->doc->layouts[part->layout].kind == LL_KIND_STRING) {
        read_string(r, e);
    } else if (of_each && r->plan->part[row].size.field != LL_NO_FIELD) {
        read_bytes(r, e);
    } else if (!ll_read_record(r, row, index, f->limit)) {
        ll_leave_rest(r);
    } else if (row == 0 && f == r->stack && part->how == LL_PART_ONE && r->doc->firsts[part->layout] &&
               r->doc->swap.from == r->doc->swap.to && ll_is_said(r->format, LL_READ_SWAPPED, part->layout)) {
        (part->tag ? judge_magic_order : judge_byte_order)(r, r->doc->firsts[part->layout] - 1);
    }
}

/* Fields that say where the file ends. padding: how many zeros are missing there, and nothing else. */
static void judge_ends(reader *r, uint32_t padding)
{
    static const uint8_t zeros[UINT8_MAX];
    for (size_t k = 0; r->plan->ends && k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        uint32_t span = r->doc->firsts[row->layout] - 1, target = r->doc->firsts[row->target] - 1;
        bool to_end = row->how == LL_DERIVE_BYTES_TO_END && target != LL_NO_SPAN;
        if (row->how == LL_DERIVE_FILE_BYTES || to_end) {
            int64_t from = to_end ? ll_doc_span(r->doc, target)->offset : 0;
            const ll_fault_node *last = r->doc->last_fault;
            ll_expect_with(
                r, LL_READ_SIZE, row->layout, span, 0, row->field, r->doc->size - from + row->plus,
                (evidence){.related = padding ? ll_at_bytes(LL_NO_SPAN, r->doc->size - 1, 1) : ll_nowhere()});
            if (padding && r->doc->last_fault != last) {
                ll_patch_bytes(r->doc, &r->doc->last_fault->fault, LL_PATCH_SAFE, r->doc->size, 0, zeros, padding);
            }
        }
    }
}

/* Padding at the end of the file; where it is not all there, and no field says that the file ends here, the end is
 * missing. Returns how many zeros are, if the size that is stated has them and nothing else is wrong: in front of them
 * is no byte that would be zero if others were missing. */
static uint32_t pad_end(reader *r)
{
    const ll_alignment *row = ll_alignment_of(r->format, LL_WITHIN_FILE, LL_ALIGN_END);
    const uint32_t need = ll_padding_at(row, r->at), left = r->doc->size - r->at;
    const uint32_t missing = need > left && !r->doc->unread ? need - left : 0;
    const bool alone = missing && r->at > missing && !r->doc->fault_count && is_end_stated(r, (uint64_t)r->at + need) &&
                       !ll_is_zero(ll_doc_at(r->doc, r->at - missing), ll_doc_at(r->doc, r->at - missing) + missing);
    if (missing && !alone && !is_end_stated(r, r->doc->size)) {
        ll_raise_cut(r, LL_ANY_LAYOUT, need, left);
    }
    align(r, row, 0, LL_WITHIN_FILE, true);
    return alone ? missing : 0;
}

/* Bytes behind the last part: it may have more than its size says, if the size of the file is right. */
static void end_file(reader *r)
{
    const size_t row = r->top->end - (size_t)(r->top->end > 0);
    const uint32_t count = r->top->end ? count_each(r, row) : 0;
    if (count && r->at < r->doc->size && !r->doc->unread && is_end_stated(r, r->doc->size)) {
        raise_gap(r, (each){row, count - 1}, r->doc->size);
    } else {
        const bool once = r->top->end && r->format->parts[row].how == LL_PART_ONE;
        raise_surplus(r, LL_NO_SPAN, once ? r->format->parts[row].layout : LL_WITHIN_FILE, 0, r->at, r->doc->size);
    }
}

/* Reads parts until none is left, or memory runs out. */
static void read_parts(reader *r)
{
    while (r->depth && r->doc->status == LL_OK) {
        const frame *f = r->top;
        if (f->row < f->end) {
            read_row(r);
            continue;
        }
        if (r->depth == 1 && f->layout == LL_WITHIN_FILE && !r->swapped && f->end) {
            judge_ends(r, pad_end(r));
            end_file(r);
        }
        pop(r);
    }
}

/* of: a layout whose record stands at `from` and, with its parts, goes on to `to`; LL_WITHIN_FILE: the file does. */
void ll_read_as(ll_doc *doc, const ll_plan *plan, const ll_stretch *what, unsigned variant)
{
    tag_seen seen = {.at = UINT32_MAX};
    series_seen series = {.at = UINT32_MAX, .sound = UINT32_MAX};
    reader r; /* not all of it is needed, and files are small */
    r.doc = doc;
    r.format = doc->format;
    r.plan = plan;
    r.seen = &seen;
    r.series = &series;
    r.depth = 0;
    r.at = what->from;
    r.paddings = 0;
    r.order = NULL;
    r.swapped = false;
    r.variant = variant;
    memset(r.offsets, 0, sizeof *r.offsets * doc->format->part_count);
    memset(r.sizes, 0, sizeof *r.sizes * doc->format->part_count);
    push(&r, 0, LL_WITHIN_FILE, what->parent, what->from, what->to, 0);
    if (what->layout != LL_WITHIN_FILE) {
        size_t row = 0;
        while (row + 1 < doc->format->part_count && doc->format->parts[row].layout != what->layout) {
            row++;
        }
        r.top->row = r.top->end = 0; /* none of the file's */
        if (!ll_read_record(&r, row, LL_NO_INDEX, what->to)) {
            ll_leave_rest(&r);
        }
    }
    read_parts(&r);
    if (what->layout != LL_WITHIN_FILE) {
        raise_surplus(&r, what->parent, what->layout, what->from, r.at, what->to);
        if (r.at < what->to) { /* the parser says how long it is: it cannot just become shorter */
            ll_patch_none(&doc->last_fault->fault);
        }
    }
}
