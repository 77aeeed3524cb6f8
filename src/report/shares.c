#include "report/shares.h"

#include "base/map.h"
#include "model/reference.h"

const ll_share_list *ll_share_of(const ll_shares *shares, unsigned layout)
{
    for (unsigned i = 0; i < shares->count; i++) {
        const ll_share_list *list = &shares->lists[i];
        if (list->told && list->reference->target == layout) {
            return list;
        }
    }
    return NULL;
}

bool ll_share_value(const ll_format *format, const ll_share_list *list, unsigned field, uint32_t record, int64_t *value)
{
    const ll_share *row = list->row;
    const ll_reference *reference = list->reference;
    uint32_t size = format->layouts[reference->target].size;
    uint32_t count = list->count[record];
    if (field == row->field || field == row->again) {
        bool none = count == 0 && reference->null & LL_NULL_MINUS_ONE;
        *value = none ? -1 : (int64_t)list->start[record] - list->body;
        return list->split || count == 0;
    }
    *value = field == reference->extent && reference->unit == LL_COUNTS_TARGETS ? count : (int64_t)count * size;
    return (field == reference->extent || field == row->bytes) && (list->split || count == 0);
}

/* ------------------------------------------------------------------ reading */

/* The only span of a layout; LL_NO_SPAN: there are several, or none. */
static uint32_t only_span(const ll_doc *doc, unsigned layout, bool *none)
{
    uint32_t found = doc->firsts[layout] ? doc->firsts[layout] - 1 : LL_NO_SPAN;
    *none = found == LL_NO_SPAN;
    for (uint32_t i = found == LL_NO_SPAN ? doc->span_count : found + 1; i < doc->span_count; i++) {
        if (ll_doc_span(doc, i)->layout == layout) {
            return LL_NO_SPAN;
        }
    }
    return found;
}

static int64_t number_of(const ll_doc *doc, uint32_t span, uint32_t record, unsigned field)
{
    const ll_field *f = &ll_doc_layout(doc, span)->fields[field];
    ll_where at = ll_at_field(doc, span, record, field);
    return ll_read_int(ll_doc_at(doc, at.offset), f->bytes, ll_type_is_signed(f->type),
                       ll_doc_layout(doc, span)->endian);
}

/* Elements that a record says are its own, each time; false: they are no whole number of elements. */
static bool read_extent(const ll_doc *doc, const ll_share_list *list, uint32_t owner, uint32_t record, uint64_t *count)
{
    const ll_reference *r = list->reference;
    int64_t size = doc->layouts[r->target].size;
    int64_t stated = r->extent == LL_NO_FIELD ? 1 : number_of(doc, owner, record, r->extent);
    bool in_bytes = r->extent != LL_NO_FIELD && r->unit == LL_COUNTS_BYTES;
    *count = (uint64_t)(r->unit == LL_COUNTS_PRESENCE && stated ? 1 : in_bytes ? stated / size : stated);
    return stated >= 0 && (!in_bytes || stated % size == 0);
}

/* Elements are added to the share of a record, up to an address. */
static void extend(ll_share_list *list, uint32_t record, uint32_t end, uint32_t size)
{
    list->count[record] += (end - list->end[record]) / size;
    list->end[record] = end;
}

/* Parts of an array, one behind the other. What is between two of them, as the end of a list, belongs to the one in
 * front of it; with `times` there is nothing. */
static bool read_parts(const ll_doc *doc, ll_share_list *list, uint32_t owner, uint32_t array)
{
    const ll_span *a = ll_doc_span(doc, array);
    uint32_t size = doc->layouts[a->layout].size, last = LL_NO_SPAN;
    bool repeats = list->row->times != LL_NO_FIELD;
    for (uint32_t i = 0; i < ll_doc_span(doc, owner)->count; i++) {
        uint64_t count, times = repeats ? (uint64_t)number_of(doc, owner, i, list->row->times) : 1;
        if (!read_extent(doc, list, owner, i, &count)) {
            return false;
        }
        if (!count || !times) {
            continue;
        }
        int64_t from = list->body + number_of(doc, owner, i, list->row->field) - a->offset;
        if (from < 0 || from % size || times > a->count || count > a->count ||
            (uint64_t)(from / size) + count * times > a->count) {
            return false;
        }
        uint32_t start = a->offset + (uint32_t)from;
        if (last != LL_NO_SPAN && (start < list->end[last] || (repeats && start != list->end[last]))) {
            return false;
        }
        if (last != LL_NO_SPAN && !repeats) {
            extend(list, last, start, size);
        }
        list->start[i] = start;
        list->count[i] = (uint32_t)count;
        list->end[i] = start + (uint32_t)(count * times) * size;
        last = i;
    }
    if (last != LL_NO_SPAN && !repeats) {
        extend(list, last, a->offset + a->length, size);
    }
    return true;
}

/* Spans of their own, which have the numbers of records and stand one behind the other. */
static bool read_wholes(const ll_doc *doc, ll_share_list *list, uint32_t owner, uint32_t holder)
{
    uint32_t end = 0, next = 0;
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, ll_span_in_order(doc, i));
        if (s->layout != list->reference->target) {
            continue;
        }
        if (s->parent != holder || s->flags & LL_SPAN_ARRAY || s->index >= ll_doc_span(doc, owner)->count ||
            s->index < next || (next && s->offset != end)) {
            return false;
        }
        end = s->offset + s->length;
        list->start[s->index] = s->offset;
        list->end[s->index] = end;
        list->count[s->index] = 1;
        next = s->index + 1;
    }
    return true;
}

/* Where shares of nothing would begin: behind the one before them, or in front of the first. */
static void place_empty(ll_share_list *list, uint32_t records, uint32_t pos)
{
    uint32_t first = 0;
    while (first < records && !list->count[first]) {
        first++;
    }
    pos = first < records ? list->start[first] : pos;
    for (uint32_t i = 0; i < records; i++) {
        if (!list->count[i]) {
            list->start[i] = pos;
            list->end[i] = pos;
        }
        pos = list->end[i];
    }
}

static ll_status read_list(const ll_doc *doc, ll_arena *arena, const ll_share *row, uint32_t owner, ll_share_list *list)
{
    bool none, no_target;
    const ll_reference *reference = ll_reference_of(doc->format, row->layout, row->field);
    uint32_t records = ll_doc_span(doc, owner)->count;
    *list = (ll_share_list){.row = row, .reference = reference};
    uint32_t holder = only_span(doc, reference->within, &none);
    uint32_t target = only_span(doc, reference->target, &no_target);
    if (holder == LL_NO_SPAN) {
        return LL_OK;
    }
    const ll_span *h = ll_doc_span(doc, holder);
    list->split = doc->layouts[reference->target].kind == LL_KIND_RECORD;
    list->body = h->offset + doc->layouts[reference->within].size;
    list->start = ll_arena_zalloc(arena, records, sizeof *list->start);
    list->end = ll_arena_zalloc(arena, records, sizeof *list->end);
    list->count = ll_arena_zalloc(arena, records, sizeof *list->count);
    if (!list->start || !list->end || !list->count) {
        return LL_E_MEMORY;
    }
    bool array = target != LL_NO_SPAN && ll_doc_span(doc, target)->flags & LL_SPAN_ARRAY &&
                 ll_doc_span(doc, target)->parent == holder && !(ll_doc_span(doc, target)->flags & LL_SPAN_BROKEN);
    list->told = !list->split ? read_wholes(doc, list, owner, holder)
                 : no_target  ? true
                              : array && read_parts(doc, list, owner, target);
    place_empty(list, records, h->offset + h->length);
    return LL_OK;
}

/* ------------------------------------------------------------------ splitting */

/* The spans of a part, one each time. */
static void claim_part(ll_doc *out, const ll_doc *doc, uint32_t span, uint32_t parent, const ll_share_list *list,
                       uint32_t record)
{
    const ll_span *s = ll_doc_span(doc, span);
    uint32_t bytes = list->count[record] * doc->layouts[s->layout].size;
    for (uint32_t pos = list->start[record]; bytes && pos < list->end[record]; pos += bytes) {
        ll_mark_span(out, ll_claim(out, parent, s->layout, pos, bytes, list->count[record], record), s->flags);
    }
}

/* Elements of an array that belong to no record. */
static void claim_rest(ll_doc *out, const ll_doc *doc, uint32_t span, uint32_t parent, uint32_t from, uint32_t to)
{
    const ll_span *s = ll_doc_span(doc, span);
    if (from < to) {
        uint32_t count = (to - from) / doc->layouts[s->layout].size;
        ll_mark_span(out, ll_claim(out, parent, s->layout, from, to - from, count, s->index), s->flags);
    }
}

static void claim_array(ll_doc *out, const ll_doc *doc, uint32_t span, uint32_t parent, const ll_share_list *list,
                        uint32_t records)
{
    const ll_span *s = ll_doc_span(doc, span);
    uint32_t first = s->offset + s->length, last = first;
    for (uint32_t i = records; i-- > 0;) {
        first = list->count[i] ? list->start[i] : first;
    }
    for (uint32_t i = 0; i < records; i++) {
        last = list->count[i] ? list->end[i] : last;
    }
    claim_rest(out, doc, span, parent, s->offset, first);
    for (uint32_t i = 0; i < records; i++) {
        claim_part(out, doc, span, parent, list, i);
    }
    claim_rest(out, doc, span, parent, last, s->offset + s->length);
}

static bool sort_spans(ll_doc *out, ll_shares *shares)
{
    ll_sort_key *keys = ll_arena_alloc(&out->arena, out->span_count ? out->span_count : 1, 2 * sizeof *keys);
    uint32_t n = 0;
    for (uint32_t i = 0; keys && i < out->span_count; i++) {
        const ll_span *s = ll_doc_span(out, ll_span_in_order(out, i));
        if (ll_share_of(shares, s->layout) && s->index != LL_NO_INDEX) {
            keys[n++] = (ll_sort_key){s->index, i, i};
        }
    }
    shares->span_count = n;
    shares->spans = keys ? ll_sort(keys, keys + out->span_count, n) : NULL;
    return keys;
}

ll_status ll_shares_split(const ll_doc *doc, ll_doc *out, ll_shares *shares)
{
    const ll_format *format = doc->format;
    bool none;
    ll_status status = LL_OK;
    uint32_t owner = format->share_count ? only_span(doc, format->shares[0].layout, &none) : LL_NO_SPAN;
    bool told = owner != LL_NO_SPAN && doc->region_count == 1 && ll_doc_span(doc, owner)->flags & LL_SPAN_ARRAY;
    uint32_t *numbers = ll_arena_alloc(&out->arena, doc->span_count + 1U, sizeof *numbers);
    *shares = (ll_shares){.records = told ? ll_doc_span(doc, owner)->count : 0};
    for (size_t i = 0; told && i < format->share_count && i < LL_SHARES_MAX && status == LL_OK; i++) {
        status = read_list(doc, &out->arena, &format->shares[i], owner, &shares->lists[shares->count++]);
    }
    if (!numbers || status != LL_OK) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        const ll_share_list *list = ll_share_of(shares, s->layout);
        uint32_t parent = s->parent == LL_NO_SPAN ? LL_NO_SPAN : numbers[s->parent];
        numbers[i] = out->span_count;
        if (list && list->split) {
            claim_array(out, doc, i, parent, list, shares->records);
        } else {
            ll_mark_span(out, ll_claim(out, parent, s->layout, s->offset, s->length, s->count, s->index), s->flags);
        }
    }
    ll_doc_seal(out);
    return out->status != LL_OK ? out->status : sort_spans(out, shares) ? LL_OK : LL_E_MEMORY;
}
