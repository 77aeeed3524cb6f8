/* Works out values of fields that follow from the rest of the document: sizes, counts, offsets, hashes. The rows are
 * ll_derivation, and ll_reference for targets in the same record. The stated value of the field is not used. Of other
 * fields only numbers of parts are, as rows ask for them. */
#ifndef LL_MODEL_DERIVE_H
#define LL_MODEL_DERIVE_H

#include "base/sort.h"
#include "model/format.h"

enum { LL_DERIVED_MAX = 16 }; /* bytes of a field, at most */

typedef enum ll_derived {
    LL_NOT_DERIVED, /* no row derives it, or the target does not exist */
    LL_DERIVED,
    LL_DERIVED_TOO_LARGE /* the field cannot hold the value */
} ll_derived;

/* Sorted spans of a document, to find targets by bisection. For one document and one thread; invalid once spans
 * change. */
typedef struct ll_deriver {
    const ll_doc *doc;
    const ll_sort_key *spans;    /* sorted by parent and layout, then by index */
    const ll_sort_key *numbered; /* sorted by layout, then by index; NULL: no row needs it */
    const ll_sort_key *names;    /* sorted hashes of names, for LL_DERIVE_NAMED */
    uint32_t name_count;
    uint16_t rows[LL_LAYOUTS_MAX];       /* by layout: 1 + number of its first ll_derivation; 0: none */
    uint16_t references[LL_LAYOUTS_MAX]; /* by layout: 1 + number of its first ll_reference; 0: none */
} ll_deriver;

/* Sorts the spans, in memory of `arena`. False: no memory. */
bool ll_deriver_start(ll_deriver *deriver, const ll_doc *doc, ll_arena *arena);

/* Derives the value of a field and writes it to `bytes`, as the field should hold it. The span must be of a record
 * layout. */
ll_derived ll_derive(const ll_deriver *deriver, uint32_t span, uint32_t element, unsigned field,
                     uint8_t bytes[LL_DERIVED_MAX]);

/* The row derives a hash of its target, a text. */
static inline bool ll_is_hash_row(const ll_derivation *row)
{
    return row->how == LL_DERIVE_TEXT_HASH || row->how == LL_DERIVE_TEXT_MD5;
}
/* The row derives a value from the parts of the record. */
static inline bool ll_is_parts_row(const ll_derivation *row)
{
    return row->how == LL_DERIVE_PARTS || row->how == LL_DERIVE_PARTS_END;
}
/* Compute the value of a row and write it to `bytes` in the byte order of the field; `bytes` must hold LL_DERIVED_MAX
 * bytes. ll_derive_parts(): from the parts of a record, which must have been read. ll_derive_counted(): the number of
 * parts in the text of a span, for LL_DERIVE_COUNTED rows. ll_derive_hash(): the hash of the text of a span. Return
 * false if there is no value. */
bool ll_derive_parts(const ll_doc *doc, const ll_derivation *row, uint32_t record, uint8_t *bytes);
bool ll_derive_counted(const ll_doc *doc, const ll_derivation *row, uint32_t text, uint8_t *bytes);
bool ll_derive_hash(const ll_doc *doc, const ll_derivation *row, uint32_t text, uint8_t *bytes);

/* Writes an integer as the field holds it. False: the field cannot hold it. */
bool ll_put_number(const ll_layout *layout, unsigned field, int64_t value, uint8_t *bytes);

#endif
