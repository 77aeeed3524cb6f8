/* See reader.h. The parts that are being read are a stack of their owners, at most as deep as rows can nest. */
#include "model/reader.h"

#include "base/ints.h"
#include "model/claim.h"
#include "model/derive.h"
#include "model/reference.h"

#include <string.h>

enum { DEPTH_MAX = 8, TAG_BYTES = 4, UNKNOWN_LETTER = '?' };

static bool is_about(const ll_read_row *row, ll_read_kind kind, unsigned layout, unsigned field)
{
    return row->kind == kind && (row->layout == LL_ANY_LAYOUT || row->layout == layout) &&
           (row->field == LL_NO_FIELD || row->field == field);
}

unsigned ll_read_code(const ll_format *format, ll_read_kind kind, unsigned layout, unsigned field)
{
    size_t i = 0;
    while (i < format->read_count && !is_about(&format->reads[i], kind, layout, field)) {
        i++;
    }
    return i < format->read_count    ? format->reads[i].fault
           : kind == LL_READ_OUTSIDE ? ll_read_code(format, LL_READ_OFFSET, layout, field)
           : kind == LL_READ_UNENDED ? ll_read_code(format, LL_READ_TEXT, layout, field)
                                     : LL_FAULT_GAP; /* packc sees that each has a row */
}

/* A field of a record that is read to know about a part. */
typedef struct field_of {
    uint16_t layout, field; /* field: LL_NO_FIELD: there is none */
} field_of;

/* What other rows say of each part and each layout. */
typedef struct plan {
    uint16_t first[LL_LAYOUTS_MAX]; /* by owner: 1 + its first row; 0: it has none */
    uint16_t size[LL_LAYOUTS_MAX];  /* by layout: 1 + the field that says how long record and parts are; 0: none */
    struct {
        const ll_reference *reference; /* of the owner; NULL: none leads to the part */
        ll_derivation place;           /* that or another field that says where it is; .layout 0: none does */
        field_of count;                /* how many there are */
        field_of chain;                /* what leads from one to the next one */
        int32_t chain_end;             /* what says that there is none */
        const ll_alignment *start, *first, *end;
    } part[LL_PARTS_MAX];
} plan;

/* An owner whose parts are being read. */
typedef struct frame {
    uint32_t span; /* LL_NO_SPAN: the file */
    uint16_t layout;
    uint16_t row;    /* of the next part */
    uint32_t begin;  /* its first byte */
    uint32_t limit;  /* behind the last byte that its parts may have */
    uint32_t stated; /* where its size says that it ends; 0: it has none, or one that cannot be */
    uint32_t number; /* of the next part of a list, or of an EACH row */
    uint16_t before; /* layout of the part read last */
} frame;

typedef struct reader {
    ll_doc *doc;
    const ll_format *format;
    plan plan;
    frame stack[DEPTH_MAX];
    unsigned depth;
    frame *top;        /* the last of them */
    uint32_t at;       /* everything before it is claimed */
    uint32_t paddings; /* claimed */
    struct {
        ll_fault *fault; /* that was raised about an offset last; NULL: there is none */
        uint32_t span, element;
        unsigned field;
        int64_t off; /* by so many bytes */
    } last;
    bool swapped; /* the file is for another machine, and not read */
} reader;

/* ------------------------------------------------------------------ the plan */

/* A field of an owner, or of any record where it is the file's part, that leads to the part from the start of the file,
 * of the record, or from itself. */
static void plan_place(reader *r, size_t i)
{
    const ll_format *format = r->format;
    const ll_part_row *part = &format->parts[i];
    ll_derivation *place = &r->plan.part[i].place;
    const ll_reference *reference = r->plan.part[i].reference;
    if (reference && reference->how != LL_BY_OFFSET_IN_BODY) {
        bool from_field = reference->how == LL_BY_OFFSET_FROM_FIELD;
        *place = (ll_derivation){.layout = reference->layout,
                                 .field = reference->field,
                                 .how = from_field ? LL_DERIVE_OFFSET_FROM_FIELD : LL_DERIVE_OFFSET_IN_FILE,
                                 .which = LL_WHICH_FIRST};
    }
    for (size_t k = 0; k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        bool leads = row->how == LL_DERIVE_OFFSET_IN_FILE || row->how == LL_DERIVE_OFFSET_FROM_RECORD ||
                     row->how == LL_DERIVE_OFFSET_FROM_FIELD;
        bool each = part->how == LL_PART_EACH;
        bool meant = row->which == (each ? LL_WHICH_SAME_NUMBER : LL_WHICH_FIRST) && (!each || row->layout == part->of);
        if (leads && meant && row->target == part->layout && row->within == part->owner) {
            *place = *row;
        }
    }
}

static void plan_part(reader *r, size_t i)
{
    const ll_format *format = r->format;
    const ll_part_row *part = &format->parts[i];
    uint16_t owner = part->owner;
    field_of count = {0, LL_NO_FIELD}, chain = {part->layout, LL_NO_FIELD};
    for (size_t k = 0; k < format->reference_count; k++) {
        const ll_reference *row = &format->references[k];
        bool leads = row->target == part->layout && row->how != LL_BY_INDEX && row->within == owner;
        bool from = owner == LL_WITHIN_FILE || row->layout == owner;
        if (leads && from && !r->plan.part[i].reference) {
            r->plan.part[i].reference = row;
            count = row->unit == LL_COUNTS_TARGETS ? (field_of){row->layout, row->extent} : count;
        }
    }
    for (size_t k = 0; k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        if (row->how == LL_DERIVE_COUNT && row->target == part->layout && row->within == owner) {
            count = (field_of){row->layout, row->field};
        }
        if (row->which == LL_WHICH_NEXT && row->layout == part->layout) {
            chain.field = row->field;
            r->plan.part[i].chain_end = row->plus;
        }
    }
    plan_place(r, i);
    r->plan.part[i].count = count;
    r->plan.part[i].chain = chain;
    r->plan.part[i].start = ll_alignment_of(format, part->layout, LL_ALIGN_START);
    r->plan.part[i].first = ll_alignment_of(format, part->layout, LL_ALIGN_FIRST);
    r->plan.part[i].end = ll_alignment_of(format, part->layout, LL_ALIGN_END);
}

static void make_plan(reader *r)
{
    const ll_format *format = r->format;
    for (size_t i = format->part_count; i > 0; i--) {
        r->plan.first[format->parts[i - 1].owner] = (uint16_t)i;
        plan_part(r, i - 1);
    }
    for (size_t k = 0; k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        if (row->how == LL_DERIVE_BYTES && row->which == LL_WHICH_ITSELF) {
            r->plan.size[row->layout] = (uint16_t)(row->field + 1);
        }
    }
}

/* ------------------------------------------------------------------ what fields say */

/* The owner of the parts that are being read, if it has the layout, else the first record of it in the file. */
static uint32_t record_of(const reader *r, unsigned layout)
{
    const frame *f = r->top;
    return f->layout == layout && f->span != LL_NO_SPAN ? f->span : r->doc->firsts[layout] - 1;
}

/* False: there is no such record. */
static bool read_field(const reader *r, uint32_t span, uint32_t element, unsigned field, uint64_t *value)
{
    ll_element record;
    if (!ll_element_at(r->doc, span, element, &record)) {
        return false;
    }
    *value = ll_get_uint(&record, field);
    return true;
}

/* The part is there, as far as fields say. */
static bool is_there(const reader *r, size_t row)
{
    const ll_part_row *part = &r->format->parts[row];
    const ll_reference *reference = r->plan.part[row].reference;
    uint64_t value = 0;
    if (part->field != LL_NO_FIELD) {
        return read_field(r, record_of(r, part->of), 0, part->field, &value) && (value & part->bits) == part->value;
    }
    bool null = reference && reference->null & LL_NULL_ZERO &&
                read_field(r, record_of(r, reference->layout), 0, reference->field, &value) && value == 0;
    return !null;
}

/* How many of a part there are to be, and the field that says it. */
static uint64_t count_of(const reader *r, size_t row, ll_where *by)
{
    const ll_part_row *part = &r->format->parts[row];
    field_of f = r->plan.part[row].count;
    uint32_t span = f.field != LL_NO_FIELD ? record_of(r, f.layout) : LL_NO_SPAN;
    uint64_t count = 0;
    *by = ll_at_field(r->doc, span, 0, f.field);
    if (part->how == LL_PART_COUNTED) {
        *by = ll_nowhere();
        return r->format->count(r->doc, part, r->top->span, by);
    }
    return span != LL_NO_SPAN && read_field(r, span, 0, f.field, &count) ? count : 0;
}

/* The byte order of a record that was not come to yet. */
static unsigned order_of(const reader *r, const ll_layout *layout)
{
    return r->doc->swap ? layout->endian == LL_LITTLE ? LL_BIG : LL_LITTLE : layout->endian;
}

/* Whether the record that begins with these bytes says where it ends, and where. */
static uint32_t stated_end(const reader *r, unsigned layout, uint32_t at)
{
    const ll_layout *l = &r->doc->layouts[layout];
    uint16_t size = r->plan.size[layout];
    if (!size) {
        return 0;
    }
    const ll_field *f = &l->fields[size - 1];
    uint64_t bytes = ll_read_uint(ll_doc_at(r->doc, at) + f->offset, f->bytes, order_of(r, l));
    return bytes >= l->size && ll_fits(at, bytes, r->top->limit) ? at + (uint32_t)bytes : 0;
}

/* ------------------------------------------------------------------ tags */

static unsigned tag_offset(const reader *r, unsigned layout)
{
    const ll_layout *l = &r->doc->layouts[layout];
    unsigned i = 0;
    while (i + 1 < l->field_count && l->fields[i].role != LL_ROLE_MAGIC && l->fields[i].role != LL_ROLE_TERMINATOR) {
        i++;
    }
    return l->fields[i].offset;
}

/* The row of a list, of which `row` is one, whose tag stands at `at`; that for any other tag, or part_count. */
static size_t row_of_tag(const reader *r, size_t row, uint32_t at, uint32_t left)
{
    const ll_part_row *parts = r->format->parts;
    size_t other = r->format->part_count, i = row;
    const uint8_t *bytes = left ? ll_doc_at(r->doc, at) : NULL;
    for (; i < r->format->part_count && parts[i].how == LL_PART_TAGGED && parts[i].owner == parts[row].owner; i++) {
        bool fits = left >= r->doc->layouts[parts[i].layout].size;
        if (!parts[i].tag) {
            other = fits ? i : other;
        } else if (fits && memcmp(bytes + tag_offset(r, parts[i].layout), parts[i].tag, TAG_BYTES) == 0) {
            return i;
        }
    }
    return other;
}

/* The rows of the list that is being read begin here; part_count: none is. */
static size_t list_row(const reader *r)
{
    const frame *f = r->top;
    bool lists = f->row < r->format->part_count && r->format->parts[f->row].owner == f->layout &&
                 r->format->parts[f->row].how == LL_PART_TAGGED;
    return lists ? f->row : r->format->part_count;
}

/* Does a part of the list of rows from `row` on begin at `at`? It does if a tag of the list stands there. Where any
 * place is asked for, and for a tag of zeros, its size has to be possible too; a part without parts has a fixed size.
 */
static bool begins_part(const reader *r, size_t row, uint32_t at, uint32_t limit, bool anywhere)
{
    size_t i = at <= limit ? row_of_tag(r, row, at, limit - at) : r->format->part_count;
    const ll_part_row *part = &r->format->parts[i];
    if (i == r->format->part_count || !part->tag) {
        return false;
    }
    uint32_t fixed = at + r->doc->layouts[part->layout].size;
    uint32_t end = r->plan.size[part->layout] ? stated_end(r, part->layout, at) : fixed;
    bool sized = end && (r->plan.first[part->layout] || end == fixed);
    return sized || (!anywhere && part->tag[0]);
}

/* ------------------------------------------------------------------ faults */

ll_fault ll_read_fault(const ll_format *format, ll_read_kind kind, unsigned layout, ll_where at, ll_arg found,
                       ll_arg expected, const char *noun)
{
    ll_fault fault = ll_fault_at(ll_read_code(format, kind, layout, at.field), at);
    fault.read = (uint16_t)(kind + 1);
    fault.arg[0] = found;
    fault.arg[1] = expected;
    fault.arg[2] = ll_word(noun);
    return fault;
}

static const char size_noun[] = "size";

/* A tag or a text; nothing says what it should be. */
static void raise_bytes(reader *r, ll_read_kind kind, unsigned layout, ll_where at, ll_arg found, const char *noun)
{
    const ll_arg nothing = {0};
    ll_fault fault = ll_read_fault(r->format, kind, layout, at, found, nothing, noun);
    ll_raise(r->doc, &fault);
}

/* Bytes that the rows of the owner behind the one at hand ask for, as far as numbers alone say it. */
static uint64_t need_behind(const reader *r)
{
    const frame *f = r->top;
    uint64_t need = 0;
    for (size_t row = f->row; row < r->format->part_count && r->format->parts[row].owner == f->layout; row++) {
        const ll_part_row *part = &r->format->parts[row];
        const ll_layout *l = &r->doc->layouts[part->layout];
        bool sized = l->kind == LL_KIND_RECORD && (part->how == LL_PART_ONE || part->how == LL_PART_ARRAY);
        ll_where by;
        uint64_t count = !sized || !is_there(r, row) ? 0 : part->how == LL_PART_ONE ? 1 : count_of(r, row, &by);
        need += count <= UINT32_MAX ? count * l->size : 0;
    }
    return need;
}

/* The owner ends `left` bytes behind what was read, and its parts need more. */
static void raise_cut(reader *r, unsigned layout, uint64_t need, uint32_t left)
{
    const frame *f = r->top;
    uint64_t end = r->at - f->begin, all = end + need + need_behind(r);
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
        ll_raise_surplus(r->doc, ll_read_fault(r->format, LL_READ_SURPLUS, layout, ll_claim_gap(r->doc, span, from, to),
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

/* What a fault of a field says besides. */
typedef struct evidence {
    int64_t from;     /* what an offset counts from */
    uint64_t want;    /* size of the file with the value that is stated; 0: it is not known */
    ll_where related; /* what the value is of; nowhere: all that was read */
} evidence;

/* A field that what was read gives another value. */
static void expect_with(reader *r, ll_read_kind kind, unsigned about, uint32_t span, uint32_t element, unsigned field,
                        int64_t right, evidence more)
{
    uint64_t stated;
    if (!read_field(r, span, element, field, &stated)) {
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
        ll_raise(r->doc, &fault);
    }
}

static void expect(reader *r, ll_read_kind kind, unsigned about, uint32_t span, uint32_t element, unsigned field,
                   int64_t right)
{
    expect_with(r, kind, about, span, element, field, right, (evidence){.related = ll_nowhere()});
}

/* The offset of the record before it is off by as many bytes: something in front of both has moved what they lead to,
 * and one fault says so. */
static bool is_alike(reader *r, uint32_t span, uint32_t element, unsigned field, int64_t off)
{
    const bool alike = off && r->last.fault && r->last.span == span && r->last.element + 1 == element &&
                       r->last.field == field && r->last.off == off;
    if (alike) {
        r->last.element = element;
        r->last.fault->alike++;
    }
    return alike;
}

/* Compares an offset, which counts from a place of the file, with the right one. */
static void expect_offset(reader *r, uint32_t span, uint32_t element, unsigned field, int64_t from, int64_t right)
{
    const ll_layout *l = ll_doc_layout(r->doc, span);
    ll_element record;
    if (ll_element_at(r->doc, span, element, &record)) {
        const ll_field *f = &l->fields[field];
        int64_t to = from + ll_read_int(record.bytes + f->offset, f->bytes, ll_type_is_signed(f->type), l->endian);
        bool inside = to >= 0 && to < r->doc->size;
        if (is_alike(r, span, element, field, to - from - right)) {
            return;
        }
        const ll_fault_node *before = r->doc->last_fault;
        expect_with(r, inside ? LL_READ_OFFSET : LL_READ_OUTSIDE, ll_doc_span(r->doc, span)->layout, span, element,
                    field, right, (evidence){.from = from, .related = ll_nowhere()});
        r->last.fault = r->doc->last_fault != before ? &r->doc->last_fault->fault : NULL;
        r->last.span = span;
        r->last.element = element;
        r->last.field = field;
        r->last.off = to - from - right;
    }
}

/* The end of the file is missing, as a fault says, and with it all that is still to be read. */
static bool is_behind_end(const reader *r)
{
    return r->doc->unread && r->at == r->doc->size;
}

/* Elements of a part: `count` are asked for, and there is room for `whole`. Where the field says it with other words
 * than by the number there is no value that would be right. want: size of the file with all of them. */
static void raise_count(reader *r, unsigned about, const ll_where *by, uint64_t count, uint32_t whole, uint64_t want)
{
    uint64_t stated;
    if (read_field(r, by->span, by->element, by->field, &stated) && stated == count) {
        expect_with(r, LL_READ_COUNT, about, by->span, by->element, by->field, whole,
                    (evidence){.want = want, .related = ll_nowhere()});
        return;
    }
    ll_fault fault = ll_read_fault(r->format, LL_READ_COUNT, about, *by, ll_uint(count), ll_uint(whole), "number");
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

/* The part that begins at `at` is there; what leads to it should say so. */
static void expect_place(reader *r, size_t row, uint32_t element, uint32_t at)
{
    const ll_derivation *place = &r->plan.part[row].place;
    uint32_t span = place->layout ? record_of(r, place->layout) : LL_NO_SPAN;
    if (span == LL_NO_SPAN || is_behind_end(r) || r->doc->layouts[place->layout].kind != LL_KIND_RECORD) {
        return;
    }
    int64_t from = base_of(r, place, span, element);
    expect_offset(r, span, element, place->field, from, at - from + place->plus);
}

/* What is left for an owner's parts is not read. */
static void leave(reader *r)
{
    frame *f = r->top;
    ll_mark_span(r->doc, ll_claim_unparsed(r->doc, f->span, r->at, f->limit), LL_SPAN_TOLD);
    r->at = f->limit;
    f->row = (uint16_t)r->format->part_count;
}

/* ------------------------------------------------------------------ parts */

/* Numbers of records of a copy in the other byte order. */
static void swap_numbers(const reader *r, unsigned layout, uint32_t at, uint32_t count)
{
    const ll_layout *l = &r->doc->layouts[layout];
    for (uint32_t i = 0; r->doc->swap && i < count; i++, at += l->size) {
        for (unsigned k = 0; k < l->field_count; k++) {
            const ll_field *f = &l->fields[k];
            unsigned width = ll_type_bytes(f->type);
            for (uint32_t from = at + f->offset; width > 1 && from < at + f->offset + f->bytes; from += width) {
                ll_reverse(r->doc->copy + from, width);
            }
        }
    }
}

/* Padding in front of a part. */
static void align(reader *r, const ll_alignment *row)
{
    uint32_t need = ll_padding_at(row, r->at), left = r->top->limit - r->at;
    uint32_t n = need < left ? need : left;
    if (n) {
        (void)ll_claim_group(r->doc, r->top->span, row->padding, r->at, r->at + n, r->paddings++);
        r->at += n;
    }
}

static void push(reader *r, uint16_t layout, uint32_t span, uint32_t begin, uint32_t limit, uint32_t stated)
{
    if (r->depth == DEPTH_MAX) {
        r->doc->status = LL_E_INTERNAL;
        return;
    }
    uint16_t first = r->plan.first[layout];
    uint16_t none = (uint16_t)r->format->part_count;
    r->top = &r->stack[r->depth++];
    *r->top = (frame){.span = span,
                      .layout = layout,
                      .row = first ? (uint16_t)(first - 1) : none,
                      .begin = begin,
                      .limit = limit,
                      .stated = stated};
}

/* What is the hash of a text, in the record that it belongs to. */
static void expect_hash(reader *r, const ll_part_row *part, uint32_t text, uint32_t element)
{
    for (size_t k = 0; k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        const ll_field *f = &r->format->layouts[row->layout].fields[row->field];
        uint32_t span = row->target == part->layout ? record_of(r, row->layout) : LL_NO_SPAN;
        uint8_t bytes[LL_DERIVED_MAX];
        bool hash = row->how == LL_DERIVE_CODE && f->role == LL_ROLE_HASH && span != LL_NO_SPAN &&
                    ll_read_code(r->format, LL_READ_HASH, row->layout, row->field) != LL_FAULT_GAP;
        if (hash && r->format->derive(r->doc, row, span, element, text, bytes)) {
            uint64_t value = ll_read_uint(bytes, f->bytes, r->format->layouts[row->layout].endian);
            expect_with(r, LL_READ_HASH, row->layout, span, element, row->field, (int64_t)value,
                        (evidence){.related = ll_at_field(r->doc, text, 0, LL_STRING_TEXT)});
        }
    }
}

/* Where the text with the next number begins, as a field says; 0: none does. */
static uint64_t next_text(const reader *r, size_t row, uint32_t index)
{
    const ll_derivation *place = &r->plan.part[row].place;
    uint32_t span =
        place->layout && r->format->parts[row].how == LL_PART_EACH ? record_of(r, place->layout) : LL_NO_SPAN;
    uint64_t stated = 0;
    bool there = span != LL_NO_SPAN && read_field(r, span, index + 1, place->field, &stated);
    return there ? (uint64_t)base_of(r, place, span, index + 1) + stated - (uint64_t)(int64_t)place->plus : 0;
}

/* The first NUL of the bytes at hand; NULL: there is none. Of bytes that are not known, one is where the next text says
 * that it begins behind it; the others are letters. */
static const uint8_t *find_nul(const reader *r, size_t row, uint32_t index, uint32_t left)
{
    const ll_doc *doc = r->doc;
    const uint8_t *text = ll_doc_at(doc, r->at), *nul = left ? memchr(text, 0, left) : NULL;
    if (nul && r->at + (uint32_t)(nul - text) >= doc->unknown_from &&
        r->at + (uint32_t)(nul - text) < doc->unknown_to) {
        const uint64_t next = next_text(r, row, index);
        const uint32_t behind = doc->unknown_to - r->at;
        const uint8_t *known = behind < left ? memchr(text + behind, 0, left - behind) : NULL;
        const bool within = next > doc->unknown_from && next > r->at && next <= doc->unknown_to;
        nul = within ? text + (next - 1 - r->at) : known;
        for (uint32_t i = doc->unknown_from < r->at ? r->at : doc->unknown_from;
             doc->copy && nul && i < doc->unknown_to && i < r->at + (uint32_t)(nul - text); i++) {
            doc->copy[i] = doc->copy[i] ? doc->copy[i] : UNKNOWN_LETTER;
        }
    }
    return nul;
}

/* A text up to its NUL, with the padding that belongs to it. */
static void read_string(reader *r, size_t row, uint32_t index)
{
    const ll_part_row *part = &r->format->parts[row];
    const ll_alignment *end = r->plan.part[row].end;
    uint32_t left = r->top->limit - r->at;
    const uint8_t *text = ll_doc_at(r->doc, r->at);
    const uint8_t *nul = find_nul(r, row, index, left);
    uint32_t length = nul ? (uint32_t)(nul - text) : left;
    if (!nul) {
        raise_bytes(r, LL_READ_TEXT, part->layout, ll_at_bytes(r->top->span, r->at, left), ll_uint(left), "text");
    }
    uint64_t to = nul ? (uint64_t)r->at + length + 1 : r->top->limit;
    to += nul ? ll_padding_at(end, to) : 0;
    to = to < r->top->limit ? to : r->top->limit;
    uint32_t span = ll_claim_string(r->doc, r->top->span, part->layout, r->at, (uint32_t)to, length, index);
    r->at = (uint32_t)to;
    if (!nul) {
        r->doc->unread = r->doc->unread || r->top->limit == r->doc->size;
        ll_mark_span(r->doc, span, LL_SPAN_BROKEN);
        leave(r);
    } else {
        expect_hash(r, part, span, part->how == LL_PART_EACH ? index : 0);
    }
}

/* A record and, if it has any, its parts, which are read next. False: it does not fit. */
static bool read_record(reader *r, uint16_t layout, uint32_t index, uint32_t limit)
{
    const ll_layout *l = &r->doc->layouts[layout];
    uint32_t left = limit - r->at;
    if (l->kind == LL_KIND_RECORD && left < l->size) {
        raise_cut(r, layout, l->size, left);
        return false;
    }
    uint32_t own = l->kind == LL_KIND_RECORD ? l->size : 0;
    swap_numbers(r, layout, r->at, own > 0);
    bool extends = r->plan.first[layout] || r->plan.size[layout];
    if (!extends) {
        (void)ll_claim_record(r->doc, r->top->span, layout, r->at, r->at + own, index);
        r->at += own;
        return true;
    }
    uint32_t stated = stated_end(r, layout, r->at), begin = r->at;
    size_t list = list_row(r);
    bool leads =
        stated && (stated == limit || (list < r->format->part_count && begins_part(r, list, stated, limit, false)));
    uint32_t end = leads ? stated : limit;
    uint32_t span = l->kind == LL_KIND_RECORD ? ll_claim_record(r->doc, r->top->span, layout, begin, end, index)
                                              : ll_claim_group(r->doc, r->top->span, layout, begin, end, index);
    r->at += own;
    push(r, layout, span, begin, end, stated);
    return true;
}

static void raise_uncounted(reader *r, unsigned layout, const ll_where *by)
{
    const ll_arg nothing = {0};
    ll_fault fault =
        ll_read_fault(r->format, LL_READ_UNCOUNTED, layout, *by, nothing, nothing, r->doc->layouts[layout].label);
    if (r->at == r->doc->size && !is_behind_end(r)) { /* what says it may be behind the end */
        raise_cut(r, layout, r->doc->layouts[layout].size, 0);
    } else if (!is_behind_end(r)) {
        ll_raise(r->doc, &fault);
    }
    r->doc->unread = true;
}

/* `by`: the field that says how many there are; nowhere: no single one does. */
static void read_array(reader *r, size_t row, uint64_t count, const ll_where *by)
{
    const ll_part_row *part = &r->format->parts[row];
    uint32_t size = r->doc->layouts[part->layout].size, left = r->top->limit - r->at;
    if (count == LL_COUNT_UNKNOWN) {
        raise_uncounted(r, part->layout, by);
        leave(r);
        return;
    }
    bool fits = count <= left / size;
    uint32_t whole = fits ? (uint32_t)count : left / size;
    swap_numbers(r, part->layout, r->at, whole);
    (void)ll_claim_array(r->doc, r->top->span, part->layout, r->at, whole);
    r->at += whole * size;
    if (!fits && is_behind_end(r)) {
        leave(r);
    } else if (!fits) {
        r->doc->unread = r->doc->unread || r->top->limit == r->doc->size;
        if (by->span != LL_NO_SPAN) {
            raise_count(r, part->layout, by, count, whole, r->at + (count - whole) * size + need_behind(r));
        } else {
            raise_cut(r, part->layout, count * size, left - whole * size);
        }
        leave(r);
    }
}

/* Each record of a chain leads to the next one, and the last one to none. */
static void judge_chain(reader *r, size_t row, uint32_t span)
{
    field_of chain = r->plan.part[row].chain;
    const uint32_t count = span == LL_NO_SPAN || chain.field == LL_NO_FIELD ? 0 : ll_doc_span(r->doc, span)->count;
    const uint16_t size = r->doc->layouts[chain.layout].size;
    for (uint32_t i = 0; i < count; i++) {
        int64_t at = (int64_t)ll_doc_span(r->doc, span)->offset + (int64_t)i * size;
        expect_offset(r, span, i, chain.field, at, i + 1 < count ? size : r->plan.part[row].chain_end);
    }
}

/* ------------------------------------------------------------------ lists */

/* The next place, at or behind `from`, where a part of the list begins; the limit: none does. */
static uint32_t next_part(const reader *r, size_t list, uint32_t from, uint32_t limit)
{
    while (from < limit && !begins_part(r, list, from, limit, true)) {
        from++;
    }
    return from;
}

/* One part of a list; the list goes on until its last part, or its owner's end. */
static void read_tagged(reader *r)
{
    frame *f = r->top;
    const ll_part_row *parts = r->format->parts;
    size_t count = r->format->part_count, list = f->row, row = row_of_tag(r, list, r->at, f->limit - r->at);
    size_t end = list;
    bool has_last = false;
    for (; end < count && parts[end].how == LL_PART_TAGGED && parts[end].owner == f->layout; end++) {
        has_last = has_last || parts[end].place == LL_PLACE_LAST;
    }
    if (row == count) { /* no room for a part */
        if (has_last || r->at < f->limit) {
            raise_bytes(r, LL_READ_END, parts[list].layout, ll_at_bytes(f->span, r->at, 0), ll_uint(r->at), "end");
        }
        leave(r);
        return;
    }
    const ll_part_row *part = &parts[row];
    bool first = part->place == LL_PLACE_FIRST;
    uint32_t at = r->at, span = r->doc->span_count, index = f->number++;
    unsigned tag = at + tag_offset(r, part->layout);
    if (part->place == LL_PLACE_LAST) {
        f->row = (uint16_t)end;
        (void)read_record(r, part->layout, LL_NO_INDEX, f->limit);
    } else if (part->tag) {
        (void)read_record(r, part->layout, index, f->limit);
    } else {
        uint32_t own = r->doc->layouts[part->layout].size, to = stated_end(r, part->layout, at);
        to = to && (to == f->limit || begins_part(r, list, to, f->limit, false))
                 ? to
                 : next_part(r, list, at + own, f->limit);
        span = ll_claim_broken(r->doc, f->span, part->layout, at, to, index);
        raise_bytes(r, LL_READ_TAG, part->layout, ll_at_bytes(span, tag, TAG_BYTES), ll_chars(tag, TAG_BYTES), "tag");
        (void)ll_claim_unparsed(r->doc, span, at + own, to);
        r->at = to;
    }
    if (parts[list].place == LL_PLACE_FIRST && first != (index == 0)) {
        raise_bytes(r, LL_READ_ORDER, part->layout, ll_at_bytes(span, tag, TAG_BYTES), ll_chars(tag, TAG_BYTES), "tag");
    }
}

/* ------------------------------------------------------------------ owners */

/* All parts of an owner were read. Where its contents and its size do not end at the same place, another part, or the
 * end, tells which of the two is right. */
static void pop(reader *r)
{
    frame f = r->stack[--r->depth];
    if (!r->depth) {
        return;
    }
    r->top--;
    uint32_t limit = r->top->limit;
    size_t list = list_row(r);
    bool lists = list < r->format->part_count;
    uint32_t end = r->at;
    if (f.stated && f.limit == f.stated) { /* what follows stands where the size leads */
        end = f.stated;
    } else if (r->plan.size[f.layout] && lists && f.stated != r->at && !begins_part(r, list, r->at, limit, false)) {
        end = next_part(r, list, f.begin + r->doc->layouts[f.layout].size, limit);
        end = end < r->at ? r->at : end;
    }
    raise_surplus(r, f.span, f.layout, f.begin, r->at, end);
    ll_end_span(r->doc, f.span, end);
    r->at = end;
    if (r->plan.size[f.layout]) {
        expect(r, LL_READ_SIZE, f.layout, f.span, 0, r->plan.size[f.layout] - 1U, (int64_t)end - f.begin);
    }
}

/* What a field of the first record of the file says if the next part stands behind it; 0: it says something else. */
static uint64_t right_at_start(const reader *r, unsigned field)
{
    const uint16_t layout = r->format->parts[0].layout;
    const ll_derivation *place = r->format->part_count > 1 ? &r->plan.part[1].place : NULL;
    if (place && place->layout == layout && place->field == field && place->how != LL_DERIVE_OFFSET_FROM_FIELD) {
        return r->doc->layouts[layout].size + (uint64_t)place->plus;
    }
    for (size_t k = 0; k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        if (row->layout == layout && row->field == field && row->how == LL_DERIVE_FILE_BYTES) {
            return r->doc->size + (uint64_t)row->plus;
        }
    }
    return 0;
}

/* Of the first record, numbers that say where the next part or the end of the file is are right in the other byte
 * order, and none is as it stands: then the file is for another machine, and nothing behind the record is read. */
static void judge_byte_order(reader *r, uint32_t span)
{
    const ll_layout *l = ll_doc_layout(r->doc, span);
    const uint8_t *bytes = ll_doc_at(r->doc, ll_doc_span(r->doc, span)->offset);
    unsigned swapped = LL_NO_FIELD, order = l->endian;
    uint64_t right = 0;
    bool any = false;
    for (unsigned i = 0; i < l->field_count && !any; i++) {
        const ll_field *f = &l->fields[i];
        uint64_t value = right_at_start(r, i);
        any = value && ll_read_uint(bytes + f->offset, f->bytes, order) == value;
        if (value && !any && ll_read_uint(bytes + f->offset, f->bytes, order == LL_BIG ? LL_LITTLE : LL_BIG) == value) {
            swapped = swapped == LL_NO_FIELD ? i : swapped;
            right = swapped == i ? value : right;
        }
    }
    if (!any && swapped != LL_NO_FIELD) {
        const ll_where at = ll_at_field(r->doc, span, 0, swapped);
        ll_fault fault = ll_read_fault(r->format, LL_READ_SWAPPED, ll_doc_span(r->doc, span)->layout, at,
                                       ll_uint(ll_read_uint(bytes + l->fields[swapped].offset, at.length, order)),
                                       ll_uint(right), l->fields[swapped].name);
        ll_raise(r->doc, &fault);
        ll_mark_unsupported(r->doc);
        ll_mark_span(r->doc, span, LL_SPAN_BROKEN);
        r->swapped = true;
        leave(r);
    }
}

/* The parts of the next row of the owner. */
static void read_row(reader *r)
{
    frame *f = r->top;
    size_t row = f->row;
    const ll_part_row *part = &r->format->parts[row];
    if (part->how == LL_PART_TAGGED) {
        read_tagged(r);
        return;
    }
    bool each = part->how == LL_PART_EACH;
    uint32_t of = each ? r->doc->firsts[part->of] : 0;
    if (each ? !of || f->number >= ll_doc_span(r->doc, of - 1)->count : !is_there(r, row)) {
        f->number = 0;
        f->row++;
        return;
    }
    f->row += !each;
    uint32_t index = each ? f->number++ : LL_NO_INDEX;
    align(r, r->plan.part[row].start);
    if (f->before != part->layout) {
        align(r, r->plan.part[row].first);
    }
    f->before = part->layout;
    expect_place(r, row, each ? index : 0, r->at);
    if (part->how == LL_PART_REST) {
        uint32_t to = f->stated ? f->stated : f->limit;
        (void)ll_claim_bytes(r->doc, f->span, part->layout, r->at, to);
        r->at = to;
    } else if (part->how == LL_PART_ARRAY || part->how == LL_PART_COUNTED) {
        ll_where by;
        const uint64_t count = count_of(r, row, &by);
        const uint32_t span = r->doc->span_count;
        read_array(r, row, count, &by);
        judge_chain(r, row, span < r->doc->span_count ? span : LL_NO_SPAN);
    } else if (r->doc->layouts[part->layout].kind == LL_KIND_STRING) {
        read_string(r, row, index);
    } else if (!read_record(r, part->layout, index, f->limit)) {
        leave(r);
    } else if (row == 0 && r->depth == 1 && part->how == LL_PART_ONE && !r->doc->swap &&
               ll_read_code(r->format, LL_READ_SWAPPED, part->layout, LL_NO_FIELD) != LL_FAULT_GAP) {
        judge_byte_order(r, r->doc->firsts[part->layout] - 1);
    }
}

/* Fields that say where the file ends. */
static void judge_ends(reader *r)
{
    for (size_t k = 0; k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        uint32_t span = r->doc->firsts[row->layout] - 1, target = r->doc->firsts[row->target] - 1;
        bool to_end = row->how == LL_DERIVE_BYTES_TO_END && target != LL_NO_SPAN;
        if (row->how == LL_DERIVE_FILE_BYTES || to_end) {
            int64_t from = to_end ? ll_doc_span(r->doc, target)->offset : 0;
            expect(r, LL_READ_SIZE, row->layout, span, 0, row->field, r->doc->size - from + row->plus);
        }
    }
}

/* Padding at the end of the file; where it is not all there the end is missing. */
static void pad_end(reader *r)
{
    const ll_alignment *row = ll_alignment_of(r->format, LL_WITHIN_FILE, LL_ALIGN_END);
    const uint32_t need = ll_padding_at(row, r->at), left = r->doc->size - r->at;
    if (need > left && !r->doc->unread) {
        raise_cut(r, LL_ANY_LAYOUT, need, left);
    }
    align(r, row);
}

void ll_doc_read(ll_doc *doc)
{
    if (doc->format->parse) {
        doc->format->parse(doc);
    } else {
        ll_read(doc);
    }
}

void ll_read(ll_doc *doc)
{
    reader r = {.doc = doc, .format = doc->format};
    make_plan(&r);
    push(&r, LL_WITHIN_FILE, LL_NO_SPAN, 0, doc->size, 0);
    while (r.depth && doc->status == LL_OK) {
        frame *f = r.top;
        bool more = f->row < r.format->part_count && r.format->parts[f->row].owner == f->layout;
        if (more) {
            read_row(&r);
        } else {
            if (r.depth == 1 && !r.swapped) {
                judge_ends(&r);
                pad_end(&r);
                raise_surplus(&r, LL_NO_SPAN, LL_WITHIN_FILE, 0, r.at, doc->size);
            }
            pop(&r);
        }
    }
}
