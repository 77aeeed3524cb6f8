/* What records ask of the bytes that they lead to: how many there are, and how many elements. */
#include "base/sort.h"
#include "model/reader.h"
#include "model/reader_parts.h"
#include "model/reference.h"

/* The span of a layout's records. LL_NO_SPAN: there is none, or its fields mean nothing. */
static uint32_t usable(const ll_doc *doc, unsigned layout)
{
    const uint32_t span = doc->firsts[layout] - 1U;
    return ll_is_usable(doc, span) ? span : LL_NO_SPAN;
}

static uint64_t field_of(const ll_element *record, unsigned field)
{
    return field == LL_NO_FIELD ? 0 : ll_get_uint(record, field);
}

/* Bytes of what a record leads to. */
static uint64_t extent_of(const ll_doc *doc, const ll_reference *row, const ll_element *record)
{
    const uint64_t extent = field_of(record, row->extent);
    return row->unit == LL_COUNTS_BYTES
               ? extent
               : (row->unit == LL_COUNTS_PRESENCE && extent ? 1 : extent) * doc->layouts[row->target].size;
}

static const ll_reference *row_with_extent(const ll_doc *doc, unsigned layout)
{
    for (size_t i = 0; i < doc->format->reference_count; i++) {
        const ll_reference *row = &doc->format->references[i];
        if (row->within == layout && row->extent != LL_NO_FIELD && row->how == LL_BY_OFFSET_IN_BODY) {
            return row;
        }
    }
    return NULL;
}

uint64_t ll_reach(ll_doc *doc, unsigned layout)
{
    const ll_reference *row = row_with_extent(doc, layout);
    const uint32_t span = row ? usable(doc, row->layout) : LL_NO_SPAN;
    const uint32_t count = span == LL_NO_SPAN ? 0 : ll_doc_span(doc, span)->count;
    const uint32_t between = row && row->unit == LL_COUNTS_BYTES ? doc->layouts[row->target].size : 0; /* terminator */
    ll_sort_key *keys = count ? ll_doc_alloc(doc, count, 2 * sizeof *keys) : NULL;
    ll_element record;
    for (uint32_t i = 0; keys && ll_element_at(doc, span, i, &record); i++) {
        keys[i] = (ll_sort_key){ll_get_uint(&record, row->field), i, i};
    }
    const ll_sort_key *sorted = keys ? ll_sort(keys, keys + count, count) : NULL;
    uint64_t start = 0, end = 0;
    for (uint32_t i = 0; sorted && i < count && ll_element_at(doc, span, sorted[i].item, &record); i++) {
        const uint64_t extent = extent_of(doc, row, &record), first = sorted[i].first;
        const bool shared = end && first == start;
        if (extent == 0 || (shared && end == start + extent)) {
            continue;
        }
        if (shared || first < end || first - end > between) {
            return 0;
        }
        start = first;
        end = start + extent;
    }
    ll_doc_release(doc, keys);
    return end;
}

bool ll_is_referred_to(const ll_doc *doc, unsigned layout)
{
    for (size_t i = 0; i < doc->format->reference_count; i++) {
        const ll_reference *row = &doc->format->references[i];
        const uint32_t span = row->within == layout ? usable(doc, row->layout) : LL_NO_SPAN;
        ll_element record;
        for (uint32_t k = 0; span != LL_NO_SPAN && ll_element_at(doc, span, k, &record); k++) {
            const bool nowhere = row->null & LL_NULL_MINUS_ONE && ll_get_uint(&record, row->field) == UINT32_MAX;
            if (!nowhere && (row->extent == LL_NO_FIELD || field_of(&record, row->extent))) {
                return true;
            }
        }
    }
    return false;
}

bool ll_is_number_lost(const ll_doc *doc, unsigned layout, uint64_t actual, uint64_t stated)
{
    for (size_t i = 0; i < doc->format->reference_count; i++) {
        const ll_reference *row = &doc->format->references[i];
        const bool number = row->within == layout && row->how == LL_BY_INDEX && doc->layouts[row->target].size;
        const uint32_t span = number ? usable(doc, row->layout) : LL_NO_SPAN;
        ll_element record;
        for (uint32_t k = 0; span != LL_NO_SPAN && ll_element_at(doc, span, k, &record); k++) {
            const uint64_t value = ll_get_uint(&record, row->field), size = doc->layouts[row->target].size;
            if (value >= actual / size && value < stated / size) {
                return true;
            }
        }
    }
    return false;
}

uint32_t ll_records_of(const ll_doc *doc, size_t part)
{
    const ll_part_row *row = &doc->format->parts[part];
    for (size_t i = 0; i < doc->format->derivation_count; i++) {
        const ll_derivation *d = &doc->format->derivations[i];
        const ll_reference *to = d->how == LL_DERIVE_REFERENCE && d->which == LL_WHICH_SAME_NUMBER &&
                                         d->target == row->layout && d->within == row->owner
                                     ? ll_reference_of(doc->format, d->layout, d->field)
                                     : NULL;
        if (to && to->extent == LL_NO_FIELD) {
            const uint32_t span = usable(doc, d->layout);
            return span == LL_NO_SPAN ? 0 : ll_doc_span(doc, span)->count;
        }
    }
    return 0;
}

bool ll_sum_shares(const ll_doc *doc, size_t part, uint64_t *sum)
{
    enum { SHARE_MAX = 1 << 30 }; /* keeps the sum in 64 bits; no file is as long */
    const ll_part_row *row = &doc->format->parts[part];
    for (size_t i = 0; i < doc->format->share_count; i++) {
        const ll_share *share = &doc->format->shares[i];
        const ll_reference *to = ll_reference_of(doc->format, share->layout, share->field);
        if (!to || to->target != row->layout || to->within != row->owner) {
            continue;
        }
        const uint32_t span = usable(doc, share->layout), n = span == LL_NO_SPAN ? 0 : ll_doc_span(doc, span)->count;
        const ll_layout *l = &doc->layouts[share->layout];
        const uint8_t *record = n ? ll_doc_at(doc, ll_doc_span(doc, span)->offset) : NULL;
        const uint64_t unit = to->unit == LL_COUNTS_BYTES ? 1 : doc->layouts[to->target].size;
        *sum += n && to->unit == LL_COUNTS_BYTES ? ll_number_at(l, share->field, record) : 0;
        for (uint32_t k = 0; k < n; k++, record += l->size) {
            const uint64_t stated = to->extent == LL_NO_FIELD ? 0 : ll_number_at(l, to->extent, record),
                           one = unit * (to->unit == LL_COUNTS_PRESENCE && stated ? 1 : stated),
                           times = share->times == LL_NO_FIELD ? 1 : ll_number_at(l, share->times, record);
            *sum += one < SHARE_MAX && times <= UINT16_MAX && one * times < SHARE_MAX ? one * times : SHARE_MAX;
        }
        *sum += to->unit == LL_COUNTS_BYTES ? 0 : (uint64_t)row->times * doc->layouts[row->layout].size;
        return span != LL_NO_SPAN;
    }
    return false;
}
