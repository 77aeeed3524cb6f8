/* What belongs to one record alone (ll_share), for dumps and comparisons in which it stands in that record: a document
 * of the same file, in which each share of an array is a span of its own, with the number of the record it belongs to.
 */
#ifndef LL_REPORT_SHARES_H
#define LL_REPORT_SHARES_H

#include "base/sort.h"
#include "model/derive.h"

/* The shares of a row. */
typedef struct ll_share_list {
    const ll_share *row;
    const ll_reference *reference;
    bool told;             /* they stand in their records; else where they are in the file */
    bool split;            /* they are parts of an array */
    bool same;             /* the array is that of the other document: its elements are not told apart */
    uint32_t body;         /* where offsets begin */
    uint32_t from, length; /* of the array */
    uint32_t *start;       /* by record: where its share begins, or would */
    uint32_t *end;
    uint32_t *count; /* by record: elements of the extent, as told */
} ll_share_list;

typedef struct ll_shares {
    ll_share_list lists[LL_SHARES_MAX];
    unsigned count;
    uint32_t owner;           /* the span whose elements have shares; LL_NO_SPAN: there is none */
    uint32_t records;         /* its elements */
    const ll_sort_key *spans; /* those that stand in a record: by its number, then in order; .item is the place in it */
    uint32_t span_count;
} ll_shares;

/* The list of what has a layout, NULL where it belongs to no record alone. */
const ll_share_list *ll_share_of(const ll_shares *shares, unsigned layout);
/* Takes the shares of a sealed document; what is in *shares lives in the arena. LL_E_MEMORY. */
ll_status ll_shares_read(const ll_doc *doc, ll_arena *arena, ll_shares *shares);
/* Before documents of the same format are compared: lists that are not told in both are told in none, and where their
 * bytes are the same only the numbers of the records say what belongs to which. */
void ll_shares_meet(const ll_doc *one, ll_shares *shares, const ll_doc *other, ll_shares *others);
/* The document with its shares apart, which lives in the arena; the same one where there are none. Spans have the
 * numbers that they have in `doc`; of an array that is split it is the first part that has it. LL_E_MEMORY. */
ll_status ll_shares_split(const ll_doc *doc, ll_arena *arena, ll_shares *shares, const ll_doc **out);

/* ll_derive() of the document with its shares apart, and what follows from these. */
ll_derived ll_shares_derive(const ll_shares *shares, const ll_deriver *deriver, uint32_t span, uint32_t element,
                            unsigned field, uint8_t bytes[LL_DERIVED_MAX]);

#endif
