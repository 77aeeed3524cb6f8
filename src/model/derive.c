/* Derives values of fields from the ledger. No value of the file is trusted, except the spans of the ledger. Targets
 * are found by bisection. */
#include "model/derive.h"

#include "base/map.h"
#include "model/names.h"
#include "model/reference.h"

/* A target: an element of a span, or the whole span. */
typedef struct target {
    uint32_t span, element;
    uint32_t offset, length;
} target;

static uint64_t family_of(uint32_t parent, unsigned layout)
{
    return (uint64_t)parent << 16 | layout;
}

/* ------------------------------------------------------------------ names */

/* Hash of the name in a field of letters, and of a layout. */
static uint64_t name_hash(const ll_doc *doc, uint32_t span, uint32_t element, unsigned field, unsigned layout)
{
    ll_where at = ll_at_field(doc, span, element, field);
    const uint8_t *text = ll_doc_at(doc, at.offset);
    const uint8_t *nul = memchr(text, 0, at.length);
    return ll_map_hash_bytes(layout, text, nul ? (size_t)(nul - text) : at.length);
}

/* The field of a counted record that holds the name of the record which counts it. LL_NO_FIELD: there is none. */
static unsigned counted_field(const ll_format *format, const ll_derivation *row)
{
    unsigned name = row->how == LL_DERIVE_NAMED ? ll_name_field(format, row->layout) : LL_NO_FIELD;
    return name == LL_NO_FIELD
               ? LL_NO_FIELD
               : ll_layout_find(&format->layouts[row->target], format->layouts[row->layout].fields[name].name);
}

/* Stores the hashes of the names of all records that are counted by name. keys NULL: only counts them. Returns their
 * number. */
static uint32_t take_names(const ll_doc *doc, ll_sort_key *keys)
{
    const ll_format *format = doc->format;
    uint32_t n = 0;
    for (size_t k = 0; format && k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        unsigned field = counted_field(format, row);
        for (uint32_t i = field == LL_NO_FIELD ? doc->span_count : 0; i < doc->span_count; i++) {
            const ll_span *s = ll_doc_span(doc, i);
            bool counts = s->layout == row->target && s->parent != LL_NO_SPAN &&
                          ll_doc_span(doc, s->parent)->layout == row->within && !ll_doc_locate(doc, s->offset)->base;
            for (uint32_t e = 0; counts && e < s->count; e++, n++) {
                if (keys) {
                    keys[n] = (ll_sort_key){name_hash(doc, i, e, field, row->target), 0, i};
                }
            }
        }
    }
    return n;
}

static bool sort_names(ll_deriver *d, ll_arena *arena)
{
    uint32_t n = take_names(d->doc, NULL);
    ll_sort_key *keys = n ? ll_arena_alloc(arena, n, 2 * sizeof *keys) : NULL;
    if (keys) {
        (void)take_names(d->doc, keys);
        d->names = ll_sort(keys, keys + n, n);
        d->name_count = n;
    }
    return keys || !n;
}

static int64_t count_named(const ll_deriver *d, const ll_derivation *row, uint32_t span, uint32_t element)
{
    uint64_t name = name_hash(d->doc, span, element, ll_name_field(d->doc->format, row->layout), row->target);
    LL_BISECT(low, d->name_count, i, d->names[i].first < name);
    LL_BISECT(high, d->name_count, i, d->names[i].first <= name);
    return (int64_t)high - low;
}

/* ------------------------------------------------------------------ order */

/* All spans, sorted by parent, layout and index, or without the parent. NULL: no memory. */
static const ll_sort_key *sort_spans(const ll_doc *doc, bool by_parent, ll_arena *arena)
{
    uint32_t n = doc->span_count;
    ll_sort_key *keys = ll_arena_alloc(arena, n ? n : 1, 2 * sizeof *keys);
    for (uint32_t i = 0; keys && i < n; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        keys[i] = (ll_sort_key){family_of(by_parent ? s->parent : 0, s->layout), s->index, i};
    }
    return keys ? ll_sort(keys, keys + n, n) : NULL;
}

bool ll_deriver_start(ll_deriver *d, const ll_doc *doc, ll_arena *arena)
{
    *d = (ll_deriver){.doc = doc, .spans = sort_spans(doc, true, arena)};
    bool numbers = false;
    for (size_t i = 0; doc->format && i < doc->format->derivation_count; i++) {
        numbers = numbers || doc->format->derivations[i].which == LL_WHICH_SAME_NUMBER_BELOW;
    }
    d->numbered = numbers ? sort_spans(doc, false, arena) : NULL;
    if (!d->spans || (numbers && !d->numbered)) {
        return false;
    }
    for (size_t i = doc->format ? doc->format->derivation_count : 0; i > 0; i--) {
        d->rows[doc->format->derivations[i - 1].layout] = (uint16_t)i;
    }
    for (size_t i = doc->format ? doc->format->reference_count : 0; i > 0; i--) {
        d->references[doc->format->references[i - 1].layout] = (uint16_t)i;
    }
    return sort_names(d, arena);
}

/* ------------------------------------------------------------------ targets */

/* The first position in `spans` with at least this family and index. */
static uint32_t first_of(const ll_deriver *d, const ll_sort_key *spans, uint64_t family, uint32_t index)
{
    LL_BISECT(low, d->doc->span_count, i,
              spans[i].first < family || (spans[i].first == family && spans[i].second < index));
    return low;
}

/* The first position in d->spans of a span right below `parent` with this layout, and an index of at least `index`. */
static uint32_t first_below(const ll_deriver *d, uint32_t parent, unsigned layout, uint32_t index)
{
    return first_of(d, d->spans, family_of(parent, layout), index);
}

static target element_of(const ll_doc *doc, uint32_t span, uint32_t element)
{
    const ll_span *s = ll_doc_span(doc, span);
    uint32_t size = doc->layouts[s->layout].size;
    bool whole = !(s->flags & LL_SPAN_ARRAY);
    return (target){span, element, s->offset + (whole ? 0U : element * size), whole ? s->length : size};
}

static const target no_target = {.span = LL_NO_SPAN};

/* The span of a layout with a number, anywhere in the file. */
static target numbered(const ll_deriver *d, unsigned layout, uint32_t number)
{
    uint32_t i = first_of(d, d->numbered, family_of(0, layout), number);
    bool found = i < d->doc->span_count && d->numbered[i].first == layout && d->numbered[i].second == number;
    return found ? element_of(d->doc, d->numbered[i].item, 0) : no_target;
}

static bool is_below(const ll_deriver *d, uint32_t i, uint32_t parent, unsigned layout)
{
    return i < d->doc->span_count && d->spans[i].first == family_of(parent, layout);
}

/* Finds the span that holds the targets; LL_NO_SPAN: the file. False: there is none. */
static bool find_holder(const ll_deriver *d, const ll_derivation *row, uint32_t span, uint32_t *holder)
{
    const ll_doc *doc = d->doc;
    *holder = LL_NO_SPAN;
    if (row->within == LL_WITHIN_FILE) {
        return true;
    }
    *holder = span;
    while (*holder != LL_NO_SPAN && ll_doc_span(doc, *holder)->layout != row->within) {
        *holder = ll_doc_span(doc, *holder)->parent;
    }
    if (*holder == LL_NO_SPAN && row->how != LL_DERIVE_COUNT) { /* a record counts only what is around it */
        *holder = doc->firsts[row->within] - 1;
    }
    return *holder != LL_NO_SPAN;
}

/* Both are in the file, or in the same region. Another region is made from the file, so nothing in the file follows
 * from it. */
static bool are_near(const ll_doc *doc, uint32_t a, uint32_t b)
{
    return ll_doc_locate(doc, ll_doc_span(doc, a)->offset) == ll_doc_locate(doc, ll_doc_span(doc, b)->offset);
}

/* Elements of all spans of a layout right below the holder, in the region of the record `span`. */
static uint64_t count_below(const ll_deriver *d, uint32_t holder, unsigned layout, uint32_t span)
{
    uint64_t count = 0;
    bool any = layout == LL_ANY_LAYOUT;
    for (uint32_t i = first_below(d, holder, layout, 0); i < d->doc->span_count; i++) {
        const ll_span *s = ll_doc_span(d->doc, d->spans[i].item);
        if (s->parent != holder || (s->layout != layout && !any)) {
            break;
        }
        bool record = d->doc->layouts[s->layout].kind == LL_KIND_RECORD;
        bool counts = are_near(d->doc, d->spans[i].item, span);
        count += !counts ? 0U : record ? s->count : any ? 0U : 1U;
    }
    return count;
}

static target seek_target(const ll_deriver *d, const ll_derivation *row, uint32_t span, uint32_t element)
{
    const ll_doc *doc = d->doc;
    const ll_span *s = ll_doc_span(doc, span);
    uint32_t holder;
    if (row->which == LL_WHICH_ITSELF) {
        return element_of(doc, span, element);
    }
    if (row->which == LL_WHICH_NEXT) {
        return element + 1 < s->count ? element_of(doc, span, element + 1) : no_target;
    }
    uint32_t number = s->flags & LL_SPAN_ARRAY ? element : s->index;
    if (row->which == LL_WHICH_SAME_NUMBER_BELOW) {
        return numbered(d, row->target, number);
    }
    if (!find_holder(d, row, span, &holder)) {
        return no_target;
    }
    uint32_t i = first_below(d, holder, row->target, 0);
    if (row->which == LL_WHICH_FIRST) {
        return is_below(d, i, holder, row->target) ? element_of(doc, d->spans[i].item, 0) : no_target;
    }
    uint32_t low = first_below(d, holder, row->target, number);
    if (is_below(d, low, holder, row->target) && d->spans[low].second == number) {
        return element_of(doc, d->spans[low].item, 0);
    }
    bool in_array = is_below(d, i, holder, row->target) && ll_doc_span(doc, d->spans[i].item)->flags & LL_SPAN_ARRAY;
    return in_array && number < ll_doc_span(doc, d->spans[i].item)->count ? element_of(doc, d->spans[i].item, number)
                                                                          : no_target;
}

static target find_target(const ll_deriver *d, const ll_derivation *row, uint32_t span, uint32_t element)
{
    target t = seek_target(d, row, span, element);
    return t.span == LL_NO_SPAN || are_near(d->doc, t.span, span) ? t : no_target;
}

/* ------------------------------------------------------------------ values */

bool ll_put_number(const ll_layout *layout, unsigned field, int64_t value, uint8_t *bytes)
{
    const ll_field *f = &layout->fields[field];
    ll_put_uint(bytes, f->bytes, layout->endian == LL_BIG, (uint64_t)value);
    return (value >= 0 || ll_type_is_signed(f->type)) &&
           ll_read_int(bytes, f->bytes, ll_type_is_signed(f->type), layout->endian) == value;
}

/* The value of a row without `plus`. t: the target, if the row has one. */
static int64_t value_of(const ll_deriver *d, const ll_derivation *row, uint32_t span, uint32_t element, const target *t)
{
    const ll_doc *doc = d->doc;
    target record = element_of(doc, span, element);
    const ll_region *region = ll_doc_locate(doc, t->span == LL_NO_SPAN ? record.offset : t->offset);
    uint32_t field = doc->layouts[row->layout].fields[row->field].offset;
    uint32_t holder;
    switch ((ll_derive_how)row->how) {
    case LL_DERIVE_COUNT:
        return find_holder(d, row, span, &holder) ? (int64_t)count_below(d, holder, row->target, span) : 0;
    case LL_DERIVE_NAMED:
        return count_named(d, row, span, element);
    case LL_DERIVE_RECORDS:
        return (int64_t)count_below(d, t->span, LL_ANY_LAYOUT, span);
    case LL_DERIVE_FILE_BYTES:
        return region->size;
    case LL_DERIVE_BYTES:
    case LL_DERIVE_STORED:
        return t->length;
    case LL_DERIVE_BUFFER:
        return (int64_t)t->length - row->plus;
    case LL_DERIVE_TEXT_BYTES:
        return ll_doc_span(doc, t->span)->count;
    case LL_DERIVE_BYTES_TO_END:
        return (int64_t)region->base + region->size - t->offset;
    case LL_DERIVE_OFFSET_IN_FILE:
        return (int64_t)t->offset - region->base;
    case LL_DERIVE_OFFSET_FROM_RECORD:
        return (int64_t)t->offset - record.offset;
    case LL_DERIVE_OFFSET_FROM_FIELD:
        return (int64_t)t->offset - record.offset - field;
    case LL_DERIVE_CONSTANT:
    case LL_DERIVE_REFERENCE:
    case LL_DERIVE_PARTS:
    case LL_DERIVE_PARTS_END:
    case LL_DERIVE_TEXT_HASH:
    case LL_DERIVE_TEXT_MD5:
    case LL_DERIVE_COUNTED:
    case LL_DERIVE_PACKED:
        break;
    }
    return 0;
}

static ll_derived derive_number(const ll_doc *doc, unsigned layout, unsigned field, int64_t value, uint8_t *bytes)
{
    return ll_put_number(&doc->layouts[layout], field, value, bytes) ? LL_DERIVED : LL_DERIVED_TOO_LARGE;
}

/* The value that leads to the target; without a target, the null value of the row. */
static ll_derived derive_reference(const ll_doc *doc, const ll_reference *row, uint32_t span, uint32_t element,
                                   const target *t, uint8_t *bytes)
{
    if (t->span != LL_NO_SPAN) {
        int64_t value = ll_reference_value(doc, row, span, element, t->span, t->element);
        return derive_number(doc, row->layout, row->field, value, bytes);
    }
    if (!(row->null & (LL_NULL_ZERO | LL_NULL_MINUS_ONE))) {
        return LL_NOT_DERIVED;
    }
    ll_put_uint(bytes, doc->layouts[row->layout].fields[row->field].bytes, 0,
                row->null & LL_NULL_ZERO ? 0 : UINT64_MAX);
    return LL_DERIVED;
}

static ll_derived derive_row(const ll_deriver *d, const ll_derivation *row, uint32_t span, uint32_t element,
                             uint8_t *bytes)
{
    const ll_doc *doc = d->doc;
    bool counts = row->how == LL_DERIVE_COUNT, file = row->how == LL_DERIVE_FILE_BYTES;
    target t = counts || file || row->how == LL_DERIVE_CONSTANT ? no_target : find_target(d, row, span, element);
    if (row->how == LL_DERIVE_REFERENCE) {
        const ll_reference *reference = ll_reference_of(doc->format, row->layout, row->field);
        return reference ? derive_reference(doc, reference, span, element, &t, bytes) : LL_NOT_DERIVED;
    }
    if (row->how >= LL_DERIVE_STORED && t.span != LL_NO_SPAN && ll_doc_span(doc, t.span)->flags & LL_SPAN_PACKED) {
        return LL_NOT_DERIVED;
    }
    bool none = t.span == LL_NO_SPAN && !counts && !file && row->how != LL_DERIVE_CONSTANT;
    if (none && row->which != LL_WHICH_NEXT) {
        return LL_NOT_DERIVED;
    }
    bool (*const work_out)(const ll_doc *, const ll_derivation *, uint32_t, uint8_t *) =
        ll_is_parts_row(row)            ? ll_derive_parts
        : ll_is_hash_row(row)           ? ll_derive_hash
        : row->how == LL_DERIVE_COUNTED ? ll_derive_counted
                                        : NULL;
    if (work_out) {
        return work_out(doc, row, t.span, bytes) ? LL_DERIVED : LL_NOT_DERIVED;
    }
    int64_t value = none ? 0 : value_of(d, row, span, element, &t);
    if (counts && value == 0 && row + 1 < doc->format->derivations + doc->format->derivation_count &&
        row[1].layout == row->layout && row[1].field == row->field) {
        return LL_NOT_DERIVED; /* the next row of this field may count some */
    }
    return derive_number(doc, row->layout, row->field, value + row->plus, bytes);
}

ll_derived ll_derive(const ll_deriver *d, uint32_t span, uint32_t element, unsigned field,
                     uint8_t bytes[LL_DERIVED_MAX])
{
    const ll_format *format = d->doc->format;
    unsigned layout = ll_doc_span(d->doc, span)->layout;
    for (size_t i = d->rows[layout] ? d->rows[layout] - 1U : format->derivation_count; i < format->derivation_count;
         i++) {
        const ll_derivation *row = &format->derivations[i];
        ll_derived derived =
            row->layout == layout && row->field == field ? derive_row(d, row, span, element, bytes) : LL_NOT_DERIVED;
        if (derived != LL_NOT_DERIVED) {
            return derived;
        }
        if (row->layout != layout) {
            break;
        }
    }
    size_t i = d->references[layout] ? d->references[layout] - 1U : format->reference_count;
    for (; i < format->reference_count; i++) {
        const ll_reference *row = &format->references[i];
        if (row->layout == layout && row->field == field && row->within == layout) {
            ll_derivation own = {.target = row->target, .within = row->within, .which = LL_WHICH_FIRST};
            target t = find_target(d, &own, span, element);
            return derive_reference(d->doc, row, span, element, &t, bytes);
        }
    }
    return LL_NOT_DERIVED;
}
