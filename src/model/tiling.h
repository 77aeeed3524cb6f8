/* The leaves of a document, which cover each byte once. ll_doc_seal() checks that; ll_doc_walk() visits them. */
#ifndef LL_MODEL_TILING_H
#define LL_MODEL_TILING_H

#include "model/doc.h"

/* Ends the parse: sorts the spans, raises faults for holes and double claims, and notes the names of records (names.h).
 * Skips the sorting and the search if each span was claimed at the end of the one before. */
void ll_doc_seal(ll_doc *doc);

/* What a format's split() says about a leaf. */
typedef struct ll_part {
    const char *path; /* path after that of the span: "statement[12].function" */
    const char *type;
    const char *value; /* as it is shown, with bytes of the file escaped; NULL: the bytes are shown */
} ll_part;

/* A leaf of the tiling. field: LL_NO_FIELD for bytes without fields, gaps and unparsed bytes. */
typedef struct ll_leaf {
    uint32_t span; /* LL_NO_SPAN for a hole outside all spans */
    uint32_t element;
    uint16_t field; /* number of a field or of a string part */
    uint16_t kind;  /* ll_kind: RECORD for a field, STRING for a part of a string, BYTES, GAP, UNPARSED */
    uint32_t offset, length;
    const ll_part *part; /* for a part of code, valid during the visit; else NULL */
} ll_leaf;
typedef bool (*ll_leaf_fn)(void *ctx, const ll_leaf *leaf);
/* Visits all leaves in file order, until a visit returns false. The document must be sealed. */
void ll_doc_walk(const ll_doc *doc, ll_leaf_fn visit, void *ctx);
/* Visits the leaves of one element of a span, even if another span owns their bytes too; for code, those of the whole
 * span. False: a visit returned false. */
bool ll_doc_walk_element(const ll_doc *doc, uint32_t span, uint32_t element, ll_leaf_fn visit, void *ctx);
/* The leaf that holds an address, with part NULL. If spans overlap, the span that begins last wins. Takes time
 * logarithmic in the number of spans. False: not found, as too many spans without own bytes begin there. */
bool ll_doc_leaf_at(const ll_doc *doc, uint32_t address, ll_leaf *out);

#endif
