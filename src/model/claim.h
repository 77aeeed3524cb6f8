/* Functions with which the reader and codecs claim bytes, by shape. All take the parent span (LL_NO_SPAN: none) and
 * addresses; a range is [from, to). All return the new span. They return LL_NO_SPAN if there are no bytes to claim or
 * doc->status is no longer LL_OK. Then claims below it fail too and its places are nowhere, so a reader needs to check
 * doc->status only in its loops. */
#ifndef LL_MODEL_CLAIM_H
#define LL_MODEL_CLAIM_H

#include "model/fault.h"

/* One record, with the bytes after its fields for its children. index: its ordinal; LL_NO_INDEX: none. */
static inline uint32_t ll_claim_record(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t from, uint32_t to,
                                       uint32_t index)
{
    return ll_claim(
        doc,
        (ll_span){.offset = from, .length = to - from, .parent = parent, .index = index, .count = 1, .layout = layout});
}

/* A record whose fields mean nothing, as a fault says. */
static inline uint32_t ll_claim_broken(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t from, uint32_t to,
                                       uint32_t index)
{
    uint32_t span = ll_claim_record(doc, parent, layout, from, to, index);
    ll_mark_span(doc, span, LL_SPAN_BROKEN);
    return span;
}

/* One record of its layout's size, without an ordinal. */
static inline uint32_t ll_claim_fixed(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t from)
{
    return ll_claim(doc, (ll_span){.offset = from,
                                   .length = doc->layouts[layout].size,
                                   .parent = parent,
                                   .index = LL_NO_INDEX,
                                   .count = 1,
                                   .layout = layout});
}

/* `count` equal records as one span; paths number them even if there is only one. The caller has checked that they
 * fit. */
static inline uint32_t ll_claim_array(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t from, uint32_t count)
{
    if (count == 0) {
        return LL_NO_SPAN;
    }
    return ll_claim(doc, (ll_span){.offset = from,
                                   .length = count * doc->layouts[layout].size,
                                   .parent = parent,
                                   .index = LL_NO_INDEX,
                                   .count = count,
                                   .layout = layout,
                                   .flags = LL_SPAN_ARRAY});
}

/* A range for bytes or children, with an ordinal. It may be empty. */
static inline uint32_t ll_claim_group(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t from, uint32_t to,
                                      uint32_t index)
{
    return ll_claim(doc,
                    (ll_span){.offset = from, .length = to - from, .parent = parent, .index = index, .layout = layout});
}

/* A range of bytes without fields. Claims nothing if it is empty. */
static inline uint32_t ll_claim_bytes(ll_doc *doc, uint32_t parent, uint16_t layout, uint64_t from, uint64_t to)
{
    return from < to ? ll_claim_group(doc, parent, layout, (uint32_t)from, (uint32_t)to, LL_NO_INDEX) : LL_NO_SPAN;
}

/* Bytes that a fault leaves unread. */
static inline uint32_t ll_claim_unparsed(ll_doc *doc, uint32_t parent, uint64_t from, uint64_t to)
{
    return ll_claim_bytes(doc, parent, LL_LAYOUT_UNPARSED, from, to);
}

/* Bytes that nothing refers to. Returns the place for the fault that reports them. */
static inline ll_where ll_claim_gap(ll_doc *doc, uint32_t parent, uint64_t from, uint64_t to)
{
    uint32_t span = ll_claim_bytes(doc, parent, LL_LAYOUT_GAP, from, to);
    return ll_at_bytes(span, (uint32_t)from, (uint32_t)(to - from));
}

/* The bytes after the end of what was read: a gap, or unparsed if the data goes on there. */
static inline ll_where ll_claim_behind(ll_doc *doc, uint32_t from, bool goes_on)
{
    uint32_t span = ll_claim_bytes(doc, LL_NO_SPAN, goes_on ? LL_LAYOUT_UNPARSED : LL_LAYOUT_GAP, from, doc->size);
    return ll_at_bytes(span, from, doc->size - from);
}

#endif
