/* Texts that hashes of a file stand for, where the format has a table of them (ll_text_table): which fields hold such
 * hashes, and who is used, in the order of first use. Shared by a dump and the way back. */
#ifndef LL_REPORT_TEXTS_H
#define LL_REPORT_TEXTS_H

#include "model/names.h"

typedef struct ll_hashed {
    uint64_t hash;    /* first, for ll_map_has_key() */
    const char *text; /* whose hash it is; NULL: it is not known, or cannot be shown */
    uint32_t length;
    bool used, entered; /* a field holds it; the table has an entry of it */
    const void *place;  /* of build: where the text was said first */
} ll_hashed;

/* In the order in which they were noted. */
typedef struct ll_hashes {
    LL_ARRAY(ll_hashed) all;
    ll_map map;
} ll_hashes;

/* The one of a hash; a new one has nothing but that. NULL: no memory. */
ll_hashed *ll_hashes_note(ll_hashes *hashes, uint64_t hash, const ll_allocator *allocator);
/* NULL: it was not noted. */
const ll_hashed *ll_hashes_find(const ll_hashes *hashes, uint64_t hash);

/* A field holds the hash of a text of the table, and is not that of an entry. */
bool ll_holds_text(const ll_format *format, unsigned layout, const ll_field *field);

/* Notes the hashes of all records in front of the table, then of the entries. *follows: each entry is as it follows
 * from the rest, and stands in the order of first use. False: no memory. */
bool ll_hashes_survey(ll_hashes *hashes, const ll_doc *doc, const ll_allocator *allocator, bool *follows);

/* Letters that JSON and YAML both take as they are. */
bool ll_is_plain_text(const uint8_t *bytes, size_t n);
/* Begins as no number does, so that a scalar is the text. */
static inline bool ll_is_bare_text(const char *text)
{
    return !strchr("0123456789+-.", *text) || !*text;
}

#endif
