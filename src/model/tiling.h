/* The leaves of a document, which tile it: ll_doc_seal() proves it, ll_doc_walk() shows them. */
#ifndef LL_MODEL_TILING_H
#define LL_MODEL_TILING_H

#include "model/doc.h"

/* Ends the parse: sorts, raises ledger faults for holes and double claims that nobody reported. Where every span was
 * claimed at the end of the one before it there are none. Then notes the names of records (names.h). */
void ll_doc_seal(ll_doc *doc);

/* What a format's split() says of a leaf. */
typedef struct ll_part {
    const char *path; /* behind that of the span: "statement[12].function" */
    const char *type;
    const char *value; /* as it is shown, bytes of the file escaped; NULL: the bytes say it all */
} ll_part;

/* A leaf of the tiling. field: LL_NO_FIELD for bytes without fields, gaps and unparsed. */
typedef struct ll_leaf {
    uint32_t span; /* LL_NO_SPAN for a hole outside all spans */
    uint32_t element;
    uint16_t field; /* or string part */
    uint16_t kind;  /* ll_kind of the leaf: RECORD for a field, STRING for a part, BYTES, GAP, UNPARSED */
    uint32_t offset, length;
    const ll_part *part; /* of a stretch of code, valid during the visit; else NULL */
} ll_leaf;
typedef bool (*ll_leaf_fn)(void *ctx, const ll_leaf *leaf);
/* All leaves in file order; needs ll_doc_seal(). Stops when visit says false. */
void ll_doc_walk(const ll_doc *doc, ll_leaf_fn visit, void *ctx);
/* The leaves of one element of a span, also those whose bytes another span owns; all of a span of code. False: a visit
 * said so. */
bool ll_doc_walk_element(const ll_doc *doc, uint32_t span, uint32_t element, ll_leaf_fn visit, void *ctx);
/* The leaf that holds an address of a region, without its part of code; where spans overlap, that of the one which
 * begins last. Takes the logarithm of the number of spans. False: too many spans without bytes of their own begin there
 * for it to be told. */
bool ll_doc_leaf_at(const ll_doc *doc, uint32_t address, ll_leaf *out);

#endif
