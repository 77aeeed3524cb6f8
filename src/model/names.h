/* What records of a document go by: texts of its table (ll_text_table) by their hashes, and names in letters (LL_NAME)
 * of records to which others belong by their numbers. */
#ifndef LL_MODEL_NAMES_H
#define LL_MODEL_NAMES_H

#include "base/map.h"
#include "base/text.h"
#include "model/format.h"

/* An entry of the table. */
typedef struct ll_table_text {
    uint64_t hash; /* as stated, or that of the text where 0 is; first, for ll_map_has_key() */
    uint32_t span;
    uint32_t text, length;
    bool again; /* an earlier one has its hash */
} ll_table_text;

typedef struct ll_doc_names {
    LL_ARRAY(ll_table_text) texts;
    ll_map by_hash;
    uint32_t owners; /* the records with names, one span; LL_NO_SPAN: there are none */
    uint16_t field;  /* that holds them */
    ll_map by_name;
    bool *shared; /* by record: another one has its name */
} ll_doc_names;

/* Records of the format may have names: there is a table of texts, or something belongs to a record. */
static inline bool ll_has_names(const ll_format *format)
{
    return (format->texts && format->texts->layout) || format->share_count;
}
/* Made by ll_doc_seal(), of the spans; doc->names stays NULL where a format has neither, and where there is no memory,
 * as doc->status says. */
void ll_note_names(ll_doc *doc);

/* The table of a format that has one, else NULL. */
static inline const ll_text_table *ll_texts_of(const ll_format *format)
{
    return format->texts && format->texts->layout ? format->texts : NULL;
}
/* A field holds hashes of its texts, as that of an entry does. */
bool ll_is_text_hash(const ll_format *format, const ll_field *field);
/* The text that a hash stands for; NULL: the file does not say. */
static inline const ll_table_text *ll_find_text(const ll_doc_names *names, uint64_t hash)
{
    uint32_t i = ll_map_find_row(&names->by_hash, names->texts.items, sizeof *names->texts.items, hash);
    return i == LL_MAP_NONE ? NULL : &names->texts.items[i];
}
/* The first record of that name; LL_MAP_NONE: there is none. */
uint32_t ll_find_named(const ll_doc *doc, const uint8_t *name, uint32_t length);
/* Another record has the name of that one. */
bool ll_is_name_shared(const ll_doc *doc, uint32_t record);

/* Appends "[NAME]" for a span with an index, if it has a name that can be shown. The name is the text whose hash is its
 * key; or, behind its index, the text whose hash another field is; or the name of the record to which it belongs by its
 * index, if no other record has that name. False: it has none, and the caller shows the index. */
bool ll_span_name(const ll_doc *doc, uint32_t span, ll_text *out);

#endif
