/* Resolves references: what fields point to (ll_reference), in a parsed document. Nothing here judges a reference;
 * rules do. */
#ifndef LL_MODEL_REFERENCE_H
#define LL_MODEL_REFERENCE_H

#include "model/format.h"

/* The targets of a reference, and the span that holds them. */
typedef struct ll_targets {
    uint32_t holder;     /* LL_NO_SPAN: not found, or the file itself */
    uint32_t start, end; /* addresses [start, end) that may be pointed to */
    uint32_t first;      /* first span of the target's layout; LL_NO_SPAN: none */
    uint32_t count;      /* number of targets: elements of all spans of their layout */
    int64_t base;        /* bytes from `start` to the first target; 0 for references by number */
    bool known;          /* the holder exists, no fault casts doubt on it, and it was read to its end */
} ll_targets;

/* A numeric field of a record. */
typedef struct ll_number_field {
    uint16_t offset;
    uint8_t bytes;
    bool is_signed;
} ll_number_field;

/* Resolves the references of one row. Keeps the targets found last and all that does not change between elements, so
 * that an array of references searches once. For one document and one thread. */
typedef struct ll_resolver {
    const ll_doc *doc;
    const ll_reference *row;
    ll_targets targets;
    uint32_t span;          /* span of the last reference; LL_NO_SPAN: there was none */
    const uint8_t *records; /* the bytes of that span */
    uint32_t record_size;
    unsigned endian;
    ll_number_field value, extent;
    bool counted;           /* an extent field counts targets or bytes */
    uint64_t ones, nowhere; /* the reference is null if value & ones == nowhere, as for -1 */
    int64_t unit,
        step; /* unit: bytes of a target, 1 for references by number; step: the same for one unit of the extent */
    int64_t origin, origin_step; /* bytes from the start of the targets to where offsets of element 0 count from; and
                                    what each further element adds */
    int64_t size;                /* bytes, or number, of all that may be pointed to */
} ll_resolver;

/* What one reference points to, in bytes, or in targets for references by number. */
typedef struct ll_target {
    const ll_targets *targets;
    bool null;       /* it points to nothing */
    bool half_null;  /* only one of offset and extent says that it points to nothing */
    int64_t first;   /* from the first place that may be pointed to; negative: in front of it */
    uint64_t extent; /* how much it points to; UINT64_MAX if the stated number is negative */
    int64_t end;     /* first + extent, as the file states it */
    uint64_t size;   /* how much there is to point to */
    int64_t unit;    /* size of one target; 1 if targets differ in size */
    bool inside;     /* all of [first, end) may be pointed to */
} ll_target;

/* The row whose targets are a part, or NULL. */
const ll_reference *ll_reference_to(const ll_format *format, const ll_part_row *part);
/* The row of a field, or NULL. */
const ll_reference *ll_reference_of(const ll_format *format, unsigned layout, unsigned field);

ll_resolver ll_resolver_start(const ll_doc *doc, const ll_reference *row);
/* A resolver for each row of the format, in memory of `arena`. NULL: no memory. */
ll_resolver *ll_resolvers_start(const ll_doc *doc, ll_arena *arena);
/* Prepares for the references of another span of row->layout. */
void ll_resolver_enter(ll_resolver *resolver, uint32_t span);

/* The number in a field. Numbers beyond 2^46 lead out of every file, so they are reduced to 2^46: no sum or product
 * with them overflows. */
static inline int64_t ll_number_read(const uint8_t *record, const ll_number_field *field, unsigned endian)
{
    const int64_t most = INT64_C(1) << 46;
    if (field->bytes == 4 && endian == LL_LITTLE) { /* nearly all fields */
        uint32_t bits = ll_le32(record + field->offset);
        return field->is_signed ? (int32_t)bits : (int64_t)bits;
    }
    int64_t value = ll_read_int(record + field->offset, field->bytes, field->is_signed, endian);
    bool huge = value > most || (value < 0 && !field->is_signed);
    return huge ? most : value < -most ? -most : value;
}

/* Resolves the reference in an element of a span of row->layout. target->targets is valid until the next call. Inline,
 * as maps have a dozen references for each actor. */
__attribute__((always_inline)) static inline void ll_resolve(ll_resolver *r, uint32_t span, uint32_t element,
                                                             ll_target *target)
{
    if (span != r->span) {
        ll_resolver_enter(r, span);
    }
    const uint8_t *record = r->records + (size_t)element * r->record_size;
    unsigned null = r->row->null;
    int64_t value = ll_number_read(record, &r->value, r->endian);
    int64_t stated = r->extent.bytes ? ll_number_read(record, &r->extent, r->endian) : 1;
    int64_t extent = (r->counted ? stated : 1) * r->step; /* at most 2^46 times 2^16 */
    bool nowhere = (value == 0 && (null & LL_NULL_ZERO)) || ((uint64_t)value & r->ones) == r->nowhere;
    bool may_be_empty = null & LL_NULL_NO_EXTENT;
    target->targets = &r->targets;
    target->first = value + r->origin + element * r->origin_step;
    target->end = target->first + extent;
    target->extent = extent < 0 ? UINT64_MAX : (uint64_t)extent;
    target->size = (uint64_t)r->size;
    target->unit = r->unit;
    target->null = nowhere || (may_be_empty && stated == 0);
    target->half_null = may_be_empty && (nowhere ? stated != 0 : stated == 0 && value != 0);
    target->inside = !target->null && target->first >= 0 && extent >= 0 && target->end <= r->size;
}

/* The value with which a reference leads to an element of a span of row->target. */
int64_t ll_reference_value(const ll_doc *doc, const ll_reference *row, uint32_t span, uint32_t element, uint32_t target,
                           uint32_t target_element);

/* For an array of references whose targets stand one after the other, in their order: the value (or the extent) that
 * the reference of `element` should have to fit between its neighbours. The row has an extent. False: there are no
 * targets. */
bool ll_reference_in_row(const ll_doc *doc, const ll_reference *row, uint32_t span, uint32_t element, bool extent,
                         int64_t *value);

/* The place of the first target of a reference: a whole target, or the bytes pointed to if no target begins there.
 * .span is LL_NO_SPAN if the reference is not inside, or the target cannot be found without a long search. */
ll_where ll_target_place(const ll_resolver *resolver, const ll_target *target);
/* Appends where the reference leads: the path of the target, "in RASC +0x14" if no target begins there, "outside RASC".
 * Appends nothing for a null reference. */
void ll_target_text(const ll_resolver *resolver, const ll_target *target, ll_text *out);
/* The field that states the number of targets, or the size of their holder. .span is LL_NO_SPAN: there is no such
 * field. */
ll_where ll_targets_stated(const ll_resolver *resolver);

#endif
