/* Shares (ll_share): what belongs to one record alone. Dumps and comparisons show it inside that record, using a second
 * document of the same file in which each share is a span with the number of its record. */
#ifndef LL_FILES_SHARES_H
#define LL_FILES_SHARES_H

#include "base/sort.h"
#include "model/derive.h"

/* The shares of one row. */
typedef struct ll_share_list {
    const ll_share *row;
    const ll_reference *reference;
    bool told;             /* shown inside their records; else where they are in the file */
    bool split;            /* parts of an array */
    bool same;             /* the array equals that of the other document, so elements are not compared */
    uint32_t body;         /* offset 0 of the row's offsets */
    uint32_t from, length; /* of the array, in bytes */
    uint32_t *start;       /* by record: offset of its share, also if empty */
    uint32_t *end;
    uint32_t *count; /* by record: elements of one copy */
} ll_share_list;

typedef struct ll_shares {
    ll_share_list lists[LL_SHARES_MAX];
    unsigned count;
    uint32_t owner;           /* span whose elements have shares; LL_NO_SPAN: none */
    uint32_t records;         /* number of its elements */
    const ll_sort_key *spans; /* spans shown inside records, sorted: .first record number, .item place in order */
    uint32_t span_count;
} ll_shares;

/* The list of shares with that layout; NULL: shown where they are in the file. */
const ll_share_list *ll_share_of(const ll_shares *shares, unsigned layout);
/* Reads the shares of a sealed document; what *shares refers to lives in the arena. LL_E_MEMORY. */
ll_status ll_shares_read(const ll_doc *doc, ll_arena *arena, ll_shares *shares);
/* Prepares the comparison of two documents of one format: a list is shown inside records only if both can do so, and
 * equal arrays are compared by the numbers of their records alone. */
void ll_shares_meet(const ll_doc *one, ll_shares *shares, const ll_doc *other, ll_shares *others);
/* Makes the document with its shares split off, in the arena; *out is `doc` if it has none. Spans keep their numbers;
 * the first piece of a split array has the number of the array. LL_E_MEMORY. */
ll_status ll_shares_split(const ll_doc *doc, ll_arena *arena, ll_shares *shares, const ll_doc **out);

/* ll_derive() for a split document, extended by what shares determine. */
ll_derived ll_shares_derive(const ll_shares *shares, const ll_deriver *deriver, uint32_t span, uint32_t element,
                            unsigned field, uint8_t bytes[LL_DERIVED_MAX]);

#endif
