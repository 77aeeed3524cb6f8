#include "files/shares.h"

#include "base/map.h"
#include "model/reference.h"

const ll_share_list *ll_share_of(const ll_shares *shares, unsigned layout)
{
    for (unsigned i = 0; i < shares->count; i++) {
        const ll_share_list *list = &shares->lists[i];
        if (list->told && !list->same && list->reference->target == layout) {
            return list;
        }
    }
    return NULL;
}

/* Computes a field that a share determines, for one record. False: no share does. */
static bool value_of(const ll_format *format, const ll_share_list *list, unsigned field, uint32_t record,
                     int64_t *value)
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
    return ((field == reference->extent && !list->same) || field == row->bytes) && (list->split || count == 0);
}

ll_derived ll_shares_derive(const ll_shares *shares, const ll_deriver *deriver, uint32_t span, uint32_t element,
                            unsigned field, uint8_t bytes[LL_DERIVED_MAX])
{
    const ll_doc *doc = deriver->doc;
    ll_derived derived = ll_derive(deriver, span, element, field, bytes);
    int64_t value;
    for (unsigned i = 0; i < shares->count && span == shares->owner && derived == LL_NOT_DERIVED; i++) {
        const ll_share_list *list = &shares->lists[i];
        if (list->told && value_of(doc->format, list, field, element, &value)) {
            bool room = ll_put_number(ll_doc_layout(doc, span), field, value, bytes);
            derived = room ? LL_DERIVED : LL_DERIVED_TOO_LARGE;
        }
    }
    return derived;
}

/* ------------------------------------------------------------------ reading */

/* The only span of a layout; LL_NO_SPAN: none (*none) or several. */
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

/* Elements in each copy of a record's share. False: not a whole number of elements. */
static bool read_extent(const ll_doc *doc, const ll_share_list *list, uint32_t owner, uint32_t record, uint64_t *count)
{
    const ll_reference *r = list->reference;
    int64_t size = doc->layouts[r->target].size;
    int64_t stated = r->extent == LL_NO_FIELD ? 1 : number_of(doc, owner, record, r->extent);
    bool in_bytes = r->extent != LL_NO_FIELD && r->unit == LL_COUNTS_BYTES;
    *count = (uint64_t)(r->unit == LL_COUNTS_PRESENCE && stated ? 1 : in_bytes ? stated / size : stated);
    return stated >= 0 && (!in_bytes || stated % size == 0);
}

/* Extends the share of a record up to an offset. */
static void extend(ll_share_list *list, uint32_t record, uint32_t end, uint32_t size)
{
    list->count[record] += (end - list->end[record]) / size;
    list->end[record] = end;
}

/* Reads shares that are parts of an array, one after the other. Elements between two parts, such as an end mark, count
 * to the part before them; with `times` there must be none. */
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

/* Reads shares that are spans with the numbers of records, one after the other. */
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

/* Sets the start of empty shares: the end of the share before, or the start of the first. */
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
    list->from = array ? ll_doc_span(doc, target)->offset : h->offset;
    list->length = array ? ll_doc_span(doc, target)->length : 0;
    place_empty(list, records, h->offset + h->length);
    return LL_OK;
}

ll_status ll_shares_read(const ll_doc *doc, ll_arena *arena, ll_shares *shares)
{
    const ll_format *format = doc->format;
    bool none;
    uint32_t owner = format && format->share_count ? only_span(doc, format->shares[0].layout, &none) : LL_NO_SPAN;
    bool told = owner != LL_NO_SPAN && doc->region_count == 1 && ll_doc_span(doc, owner)->flags & LL_SPAN_ARRAY;
    ll_status status = LL_OK;
    *shares = (ll_shares){.owner = owner, .records = told ? ll_doc_span(doc, owner)->count : 0};
    for (size_t i = 0; told && i < format->share_count && i < LL_SHARES_MAX && status == LL_OK; i++) {
        status = read_list(doc, arena, &format->shares[i], owner, &shares->lists[shares->count++]);
    }
    return status;
}

void ll_shares_meet(const ll_doc *one, ll_shares *shares, const ll_doc *other, ll_shares *others)
{
    for (unsigned i = 0; i < LL_SHARES_MAX; i++) {
        ll_share_list *a = &shares->lists[i], *b = &others->lists[i];
        a->told = b->told = a->told && b->told;
        a->same = b->same = a->split && b->split && a->length == b->length &&
                            (!a->length || memcmp(one->bytes + a->from, other->bytes + b->from, a->length) == 0);
    }
}

/* ------------------------------------------------------------------ splitting */

/* Claims the first piece of an array under its number, or all other pieces: elements before the first share, each copy
 * of a share, elements after the last. */
static void claim_parts(ll_doc *out, const ll_span *s, const ll_share_list *list, uint32_t records, bool others)
{
    uint32_t size = out->layouts[s->layout].size, pos = s->offset, end = s->offset + s->length, record = 0;
    do {
        while (record < records && list->end[record] <= pos) {
            record++;
        }
        uint32_t start = record < records && list->start[record] < end ? list->start[record] : end;
        bool shared = record < records && start <= pos;
        uint32_t length = shared ? list->count[record] * size : start - pos;
        if (others == (pos != s->offset)) {
            ll_span part = *s;
            part.offset = pos;
            part.length = length;
            part.index = shared ? record : LL_NO_INDEX;
            part.count = length / size;
            ll_mark_span(out, ll_claim(out, part), part.flags);
        }
        pos += length;
    } while (pos < end);
}

static void claim_all(ll_doc *out, const ll_doc *doc, const ll_shares *shares, bool others)
{
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        const ll_share_list *list = ll_share_of(shares, s->layout);
        if (list && list->split) {
            claim_parts(out, s, list, shares->records, others);
        } else if (!others) {
            ll_mark_span(out, ll_claim(out, *s), s->flags);
        }
    }
}

static bool sort_spans(const ll_doc *doc, ll_arena *arena, ll_shares *shares)
{
    ll_sort_key *keys = ll_arena_alloc(arena, doc->span_count, 2 * sizeof *keys);
    uint32_t n = 0;
    for (uint32_t i = 0; keys && i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, ll_span_in_order(doc, i));
        if (ll_share_of(shares, s->layout) && s->index != LL_NO_INDEX) {
            keys[n++] = (ll_sort_key){s->index, i, i};
        }
    }
    shares->span_count = n;
    shares->spans = keys ? ll_sort(keys, keys + doc->span_count, n) : NULL;
    return keys;
}

ll_status ll_shares_split(const ll_doc *doc, ll_arena *arena, ll_shares *shares, const ll_doc **out)
{
    const ll_allocator memory = ll_arena_allocator(arena);
    bool told = false;
    *out = doc;
    for (unsigned i = 0; i < shares->count; i++) {
        told = told || shares->lists[i].told;
    }
    ll_doc *split = told ? ll_arena_alloc(arena, 1, sizeof *split) : NULL;
    if (!split) {
        return told ? LL_E_MEMORY : LL_OK;
    }
    ll_doc_init(split, &memory);
    ll_doc_open(split, doc->bytes, doc->size, doc->name);
    ll_doc_set_format(split, doc->format);
    split->memo = doc->memo;
    split->names = doc->names;
    claim_all(split, doc, shares, false);
    claim_all(split, doc, shares, true);
    ll_doc_seal(split);
    *out = split;
    return split->status != LL_OK ? split->status : sort_spans(split, arena, shares) ? LL_OK : LL_E_MEMORY;
}
