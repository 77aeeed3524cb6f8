/* Names of records: the texts of the format's table (ll_text_table) by their hashes, and names in letters (LL_NAME) of
 * records to which others belong by number. */
#ifndef LL_MODEL_NAMES_H
#define LL_MODEL_NAMES_H

#include "base/map.h"
#include "base/text.h"
#include "model/format.h"

/* An entry of the table of texts. */
typedef struct ll_table_text {
    uint64_t hash; /* as stated; if that is 0, the hash of the text. First member, for ll_map_has_key() */
    uint32_t span;
    uint32_t text, length;
    bool again; /* an earlier entry has this hash */
} ll_table_text;

typedef struct ll_doc_names {
    LL_ARRAY(ll_table_text) texts;
    ll_map by_hash;
    uint32_t owners; /* the span of the records with names in letters; LL_NO_SPAN: there are none */
    uint16_t field;  /* their field with the name */
    ll_map by_name;
    bool *shared; /* by record: another record has its name */
} ll_doc_names;

/* Records of the format may have names: the format has a table of texts, or shares. */
static inline bool ll_has_names(const ll_format *format)
{
    return (format->texts && format->texts->layout) || format->share_count;
}
/* Notes the names, for ll_doc_seal(). doc->names stays NULL if the format has no names, or no memory is left, as
 * doc->status says. */
void ll_note_names(ll_doc *doc);

/* The table of texts of a format, or NULL. */
static inline const ll_text_table *ll_texts_of(const ll_format *format)
{
    return format->texts && format->texts->layout ? format->texts : NULL;
}
/* The field of the first LL_NAME row of a layout. LL_NO_FIELD: there is none. */
unsigned ll_name_field(const ll_format *format, unsigned layout);
/* Layout of the records to which spans or elements of a layout belong by number (LL_DERIVE with SAME_NUMBER, or
 * LL_OWNER). 0: the document has none. */
unsigned ll_owner_layout(const ll_doc *doc, unsigned layout);

/* The field holds hashes of the table's texts. */
bool ll_is_text_hash(const ll_format *format, const ll_field *field);
/* The text with a hash. NULL: the file does not hold it. */
static inline const ll_table_text *ll_find_text(const ll_doc_names *names, uint64_t hash)
{
    uint32_t i = ll_map_find_row(&names->by_hash, names->texts.items, sizeof *names->texts.items, hash);
    return i == LL_MAP_NONE ? NULL : &names->texts.items[i];
}
/* The first record with that name. LL_MAP_NONE: there is none. */
uint32_t ll_find_named(const ll_doc *doc, const uint8_t *name, uint32_t length);
/* Another record has the same name. */
bool ll_is_name_shared(const ll_doc *doc, uint32_t record);

/* Appends "[NAME]" for a span with an index. NAME is the text whose hash is the span's key; or its index and the text
 * whose hash its LL_NAME field holds; or the name of the record to which it belongs by index, if only that record has
 * the name. False, appending nothing: it has no name that can be shown; the caller shows the index. */
bool ll_span_name(const ll_doc *doc, uint32_t span, ll_text *out);

#endif
