/* What parsers claim, by shape. All take the parent (LL_NO_SPAN: none) and addresses; a stretch is [from, to). All
 * return the span, or LL_NO_SPAN where there are no bytes to claim or doc->status is no longer LL_OK; then nothing
 * below it is claimed either, and places of it are nowhere, so a parser need look at doc->status in its loops only. */
#ifndef LL_MODEL_CLAIM_H
#define LL_MODEL_CLAIM_H

#include "model/fault.h"

/* One record and what follows its fields, for its children. index: its ordinal, LL_NO_INDEX: it has none. */
static inline uint32_t ll_claim_record(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t from, uint32_t to,
                                       uint32_t index)
{
    return ll_claim(doc, parent, layout, from, to - from, 1, index);
}

/* The same where a fault says that its fields mean nothing. */
static inline uint32_t ll_claim_broken(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t from, uint32_t to,
                                       uint32_t index)
{
    uint32_t span = ll_claim_record(doc, parent, layout, from, to, index);
    ll_mark_span(doc, span, LL_SPAN_BROKEN);
    return span;
}

/* One record of its fixed size, without an ordinal. */
static inline uint32_t ll_claim_fixed(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t from)
{
    return ll_claim(doc, parent, layout, from, doc->layouts[layout].size, 1, LL_NO_INDEX);
}

/* `count` equal records, numbered in paths also where there is one. The caller has seen that they fit. */
static inline uint32_t ll_claim_array(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t from, uint32_t count)
{
    if (count == 0) {
        return LL_NO_SPAN;
    }
    uint32_t span = ll_claim(doc, parent, layout, from, count * doc->layouts[layout].size, count, LL_NO_INDEX);
    if (span != LL_NO_SPAN) {
        doc->last_span->flags = LL_SPAN_ARRAY;
    }
    return span;
}

/* A text of `length` bytes; what is left of the stretch is its NUL and padding. */
static inline uint32_t ll_claim_string(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t from, uint32_t to,
                                       uint32_t length, uint32_t index)
{
    return ll_claim(doc, parent, layout, from, to - from, length, index);
}

/* A stretch of bytes or children that has an ordinal. Also one without bytes. */
static inline uint32_t ll_claim_group(ll_doc *doc, uint32_t parent, uint16_t layout, uint32_t from, uint32_t to,
                                      uint32_t index)
{
    return ll_claim(doc, parent, layout, from, to - from, 0, index);
}

/* A stretch that is not looked into; nothing where it is empty. */
static inline uint32_t ll_claim_bytes(ll_doc *doc, uint32_t parent, uint16_t layout, uint64_t from, uint64_t to)
{
    return from < to ? ll_claim_group(doc, parent, layout, (uint32_t)from, (uint32_t)to, LL_NO_INDEX) : LL_NO_SPAN;
}

/* What a fault leaves unread. */
static inline uint32_t ll_claim_unparsed(ll_doc *doc, uint32_t parent, uint64_t from, uint64_t to)
{
    return ll_claim_bytes(doc, parent, LL_LAYOUT_UNPARSED, from, to);
}

/* Bytes that nothing refers to, in front of, between or behind the rest; the place is for the fault that says so. */
static inline ll_where ll_claim_gap(ll_doc *doc, uint32_t parent, uint64_t from, uint64_t to)
{
    uint32_t span = ll_claim_bytes(doc, parent, LL_LAYOUT_GAP, from, to);
    return ll_at_bytes(span, (uint32_t)from, (uint32_t)(to - from));
}

/* The bytes behind the end of what is read: a gap, or unread where it goes on there. */
static inline ll_where ll_claim_behind(ll_doc *doc, uint32_t from, bool goes_on)
{
    uint32_t span = ll_claim_bytes(doc, LL_NO_SPAN, goes_on ? LL_LAYOUT_UNPARSED : LL_LAYOUT_GAP, from, doc->size);
    return ll_at_bytes(span, from, doc->size - from);
}

#endif
