/* What belongs to one record alone (ll_share), for a dump in which it stands in that record: a document of the same
 * file, in which each share of an array is a span of its own, with the number of the record it belongs to. */
#ifndef LL_REPORT_SHARES_H
#define LL_REPORT_SHARES_H

#include "base/sort.h"
#include "model/format.h"

/* The shares of a row. */
typedef struct ll_share_list {
    const ll_share *row;
    const ll_reference *reference;
    bool told;       /* they stand in their records; else where they are in the file */
    bool split;      /* they are parts of an array */
    uint32_t body;   /* where offsets begin */
    uint32_t *start; /* by record: where its share begins, or would */
    uint32_t *end;
    uint32_t *count; /* by record: elements of the extent, as told */
} ll_share_list;

typedef struct ll_shares {
    ll_share_list lists[LL_SHARES_MAX];
    unsigned count;
    uint32_t records;         /* that have shares */
    const ll_sort_key *spans; /* those that stand in a record: by its number, then in order; .item is the place in it */
    uint32_t span_count;
} ll_shares;

/* The list of what has a layout, NULL where it belongs to no record alone. */
const ll_share_list *ll_share_of(const ll_shares *shares, unsigned layout);
/* The value of a field that follows from a share, as a row and the numbers of a record say; false: it follows from
 * none. */
bool ll_share_value(const ll_format *format, const ll_share_list *list, unsigned field, uint32_t record,
                    int64_t *value);

/* Takes the shares of a sealed document and claims all of its spans again in `out`, which is open on the same bytes.
 * LL_E_MEMORY. */
ll_status ll_shares_split(const ll_doc *doc, ll_doc *out, ll_shares *shares);

#endif
