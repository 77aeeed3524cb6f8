/* What fields point to. The rows (ll_reference) say what a field points to; here they are worked out over a parsed
 * document. Nothing here judges: whether a reference is right is for rules to say. */
#ifndef LL_MODEL_REFERENCE_H
#define LL_MODEL_REFERENCE_H

#include "model/format.h"

/* The span that holds the targets of a reference, and how many they are. */
typedef struct ll_targets {
    uint32_t holder;     /* LL_NO_SPAN: not found, or the whole file */
    uint32_t start, end; /* addresses of what may be pointed to, [start, end) */
    uint32_t first;      /* first span of the target's layout; LL_NO_SPAN: none */
    uint32_t count;      /* targets: elements of all such spans */
    int64_t base;        /* where the first target is, from start or in numbers: 0 unless something stands before it */
    bool known;          /* there is a holder, no fault casts doubt on it, and it was read to its end */
} ll_targets;

/* A number of a record. */
typedef struct ll_number_field {
    uint16_t offset;
    uint8_t bytes;
    bool is_signed;
} ll_number_field;

/* Remembers the targets found last, so that an array of references looks for them once, and what of the row and of the
 * span does not change from element to element. One document, one thread. */
typedef struct ll_resolver {
    const ll_doc *doc;
    const ll_reference *row;
    ll_targets targets;
    uint32_t span;          /* the one of the last reference; LL_NO_SPAN: there was none */
    const uint8_t *records; /* of that span */
    uint32_t record_size;
    unsigned endian;
    ll_number_field value, extent;
    bool counted;                /* there is an extent that counts targets or bytes */
    uint64_t ones, nowhere;      /* a value of which these bits are those leads nowhere, as -1 does */
    int64_t unit, step;          /* bytes, or targets, in a target; the same for what the extent counts */
    int64_t origin, origin_step; /* from the start of the targets, where offsets of element 0 begin, and what each
                                    element adds */
    int64_t size;                /* how much there is to point to */
} ll_resolver;

/* What one reference points to. Amounts are bytes, or numbers of targets where the value is a number of one. */
typedef struct ll_target {
    const ll_targets *targets;
    bool null;       /* points to nothing */
    bool half_null;  /* of offset and extent, one says that there is something and the other that there is not */
    int64_t first;   /* from the first place that may be pointed to; below 0: in front of it */
    uint64_t extent; /* how much is pointed to; what a negative number says is more than there is */
    int64_t end;     /* first + extent as the file states it */
    uint64_t size;   /* how much there is to point to */
    int64_t unit;    /* of one target, 1 where targets differ in size */
    bool inside;     /* first and extent lie in it */
} ll_target;

/* The row of the fields that lead to a part, or NULL. */
const ll_reference *ll_reference_to(const ll_format *format, const ll_part_row *part);
/* The row of a field, or NULL. */
const ll_reference *ll_reference_of(const ll_format *format, unsigned layout, unsigned field);

ll_resolver ll_resolver_start(const ll_doc *doc, const ll_reference *row);
/* One for each row of the format; NULL: no memory. */
ll_resolver *ll_resolvers_start(const ll_doc *doc, ll_arena *arena);
/* Prepares for the references of another span of row->layout. */
void ll_resolver_enter(ll_resolver *resolver, uint32_t span);

/* Numbers beyond 2^46 lead outside of every file, wherever they begin and whatever they count: they are all taken for
 * that, so that no sum and no product of them overflows. */
static inline int64_t ll_number_read(const uint8_t *record, const ll_number_field *field, unsigned endian)
{
    const int64_t most = INT64_C(1) << 46;
    if (field->bytes == 4 && endian == LL_LITTLE) { /* as nearly all are */
        uint32_t bits = ll_le32(record + field->offset);
        return field->is_signed ? (int32_t)bits : (int64_t)bits;
    }
    int64_t value = ll_read_int(record + field->offset, field->bytes, field->is_signed, endian);
    bool huge = value > most || (value < 0 && !field->is_signed);
    return huge ? most : value < -most ? -most : value;
}

/* What the field of an element of a span of row->layout points to. `target` is valid until the next call. Inline, as
 * maps have a dozen references for each actor. */
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
    int64_t extent = (r->counted ? stated : 1) * r->step; /* of 32 bits and 16 bits */
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

/* Where the targets of all elements of a span stand one behind the other, in their order: the value, or the extent, of
 * the one of `element` as the others leave room for it. Of a row with an extent. */
bool ll_reference_in_row(const ll_doc *doc, const ll_reference *row, uint32_t span, uint32_t element, bool extent,
                         int64_t *value);

/* The place of the first target of a reference that lies inside: a target as a whole, or the bytes that are pointed to
 * where no target begins. .span is LL_NO_SPAN where it cannot be told without a search. */
ll_where ll_target_place(const ll_resolver *resolver, const ll_target *target);
/* Where it leads in words: the path of the target, "in RASC +0x14" where no target begins, "outside RASC". Nothing for
 * a reference to nothing. */
void ll_target_text(const ll_resolver *resolver, const ll_target *target, ll_text *out);
/* The field that states how many targets there are, or how long what holds them is; .span is LL_NO_SPAN: there is no
 * such field. */
ll_where ll_targets_stated(const ll_resolver *resolver);

#endif
