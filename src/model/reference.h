/* Where fields lead. The rows (ll_reference) say what a field points to; here they are worked out over a parsed
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
    bool known;          /* there is a holder, no fault casts doubt on it, and it was read to its end */
} ll_targets;

/* Remembers the targets found last, so that an array of references looks for them once. Begins with
 * ll_resolver_start(). One document, one thread. */
typedef struct ll_resolver {
    const ll_doc *doc;
    const ll_reference *row;
    ll_targets targets;
    uint32_t span; /* of the reference at hand; LL_NO_SPAN: nothing was looked for yet */
    const uint8_t *records;
} ll_resolver;

/* Where one reference leads. Amounts are bytes, or numbers of targets where the value is a number of one. */
typedef struct ll_lead {
    const ll_targets *targets;
    bool null;       /* points to nothing */
    bool half;       /* of offset and extent, one says that there is something and the other that there is not */
    int64_t first;   /* from the first place that may be pointed to; below 0: in front of it */
    uint64_t extent; /* how much is pointed to; what a negative number says is more than there is */
    int64_t end;     /* first + extent as the file states it */
    uint64_t size;   /* how much there is to point to */
    uint64_t unit;   /* of one target, 1 where targets differ in size */
    bool inside;     /* first and extent lie in it */
} ll_lead;

/* The row of a field, or NULL. */
const ll_reference *ll_reference_of(const ll_format *format, unsigned layout, unsigned field);

ll_resolver ll_resolver_start(const ll_doc *doc, const ll_reference *row);
/* Where the field of an element of a span of row->layout leads. `lead` is valid until the next call. */
void ll_resolve(ll_resolver *resolver, uint32_t span, uint32_t element, ll_lead *lead);
/* The place of the first target of a reference that lies inside: a target as a whole, or the bytes that are pointed to
 * where no target begins. .span is LL_NO_SPAN where it cannot be told without a search. */
ll_where ll_lead_place(const ll_resolver *resolver, const ll_lead *lead);
/* Where it leads in words: the path of the target, "in RASC +0x14" where no target begins, "outside RASC". Nothing for
 * a reference to nothing. */
void ll_lead_text(const ll_resolver *resolver, const ll_lead *lead, ll_text *out);
/* The field that states how many targets there are, or how long what holds them is; .span is LL_NO_SPAN: there is no
 * such field. */
ll_where ll_targets_stated(const ll_resolver *resolver);

#endif
