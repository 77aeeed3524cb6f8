/* Texts whose hashes a file holds, if its format has a table of texts (ll_text_table): which fields hold such hashes,
 * and which texts are used, in order of first use. Shared by dump and build. */
#ifndef LL_FINDINGS_TEXTS_H
#define LL_FINDINGS_TEXTS_H

#include "model/names.h"

typedef struct ll_hashed {
    uint64_t hash;    /* first, for ll_map_has_key() */
    const char *text; /* text with that hash; NULL: unknown, or not printable */
    uint32_t length;
    bool used, entered; /* a field holds it; the table has an entry for it */
    const void *place;  /* of build: node that first gave the text */
} ll_hashed;

/* In the order in which they were noted. */
typedef struct ll_hashes {
    LL_ARRAY(ll_hashed) all;
    ll_map map;
} ll_hashes;

/* Finds or adds a hash; a new one has no text and no flags. NULL: out of memory. */
ll_hashed *ll_hashes_note(ll_hashes *hashes, uint64_t hash, const ll_allocator *allocator);
/* NULL: the hash was not noted. */
const ll_hashed *ll_hashes_find(const ll_hashes *hashes, uint64_t hash);

/* Whether a field holds the hash of a text of the table. False for the field of the table's own entries. */
bool ll_holds_text(const ll_format *format, unsigned layout, const ll_field *field);

/* Notes the hashes of all records before the table, then its entries. *follows: build would write the same table, in
 * order of first use. False: out of memory. */
bool ll_hashes_survey(ll_hashes *hashes, const ll_doc *doc, const ll_allocator *allocator, bool *follows);

/* Whether JSON and YAML can both hold the text without escapes. */
bool ll_is_plain_text(const uint8_t *bytes, size_t n);
/* Whether a text cannot be taken for a number, so that it needs no quotes. */
static inline bool ll_is_bare_text(const char *text)
{
    return !strchr("0123456789+-.", *text) || !*text;
}

#endif
