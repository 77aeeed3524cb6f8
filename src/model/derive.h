/* Values of fields that follow from the rest of the document: sizes, counts, places of other records, hashes. The rows
 * (ll_derivation, and ll_reference for what lies in the same record) say from what; here they are worked out. What the
 * file states is not looked at, but for numbers of parts beside those that are asked for. */
#ifndef LL_MODEL_DERIVE_H
#define LL_MODEL_DERIVE_H

#include "base/sort.h"
#include "model/format.h"

enum { LL_DERIVED_MAX = 16 }; /* bytes of a field that can be derived */

typedef enum ll_derived {
    LL_NOT_DERIVED, /* no row says what it follows from, or there is no such target */
    LL_DERIVED,
    LL_DERIVED_TOO_LARGE /* the field has no room for the value */
} ll_derived;

/* The spans of a document in an order in which targets are found. One document, one thread; void when spans change. */
typedef struct ll_deriver {
    const ll_doc *doc;
    const ll_sort_key *spans;    /* by parent and layout, then by index */
    const ll_sort_key *numbered; /* by layout, then by index; NULL: no row asks for it */
    const ll_sort_key *names;    /* of LL_DERIVE_NAMED: hashes of what records are called, in order */
    uint32_t name_count;
    uint16_t rows[LL_LAYOUTS_MAX];       /* 1 + number of the first ll_derivation of the layout; 0: it has none */
    uint16_t references[LL_LAYOUTS_MAX]; /* the same of ll_reference */
} ll_deriver;

/* `arena`: for the order. False: it has no memory. */
bool ll_deriver_start(ll_deriver *deriver, const ll_doc *doc, ll_arena *arena);

/* The bytes of a field as they should be, into `bytes`; of a record of a layout with fields. */
ll_derived ll_derive(const ll_deriver *deriver, uint32_t span, uint32_t element, unsigned field,
                     uint8_t bytes[LL_DERIVED_MAX]);

/* The row says that its field is a hash of the text that is its target. */
static inline bool ll_is_hash_row(const ll_derivation *row)
{
    return row->how == LL_DERIVE_TEXT_HASH || row->how == LL_DERIVE_TEXT_MD5;
}
/* It says what follows from the parts of the record. */
static inline bool ll_is_parts_row(const ll_derivation *row)
{
    return row->how == LL_DERIVE_PARTS || row->how == LL_DERIVE_PARTS_END;
}
/* Values of such rows, as the field holds them, into `bytes`, which has room for LL_DERIVED_MAX: of a record whose
 * parts were read; of LL_DERIVE_COUNTED, by the text that it is called; of a text. False: there is none. */
bool ll_derive_parts(const ll_doc *doc, const ll_derivation *row, uint32_t record, uint8_t *bytes);
bool ll_derive_counted(const ll_doc *doc, const ll_derivation *row, uint32_t text, uint8_t *bytes);
bool ll_derive_hash(const ll_doc *doc, const ll_derivation *row, uint32_t text, uint8_t *bytes);

/* The field of the first LL_NAME of a layout; LL_NO_FIELD: there is none. */
unsigned ll_name_field(const ll_format *format, unsigned layout);
/* The layout of the records one of which has a field, or a row, that leads to what has a layout by its number; 0: there
 * is none in the document. */
unsigned ll_owner_layout(const ll_doc *doc, unsigned layout);

/* Writes an integer as the field holds it; false: it has no room. */
bool ll_put_number(const ll_layout *layout, unsigned field, int64_t value, uint8_t *bytes);

#endif
