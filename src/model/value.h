/* Places and values as text: field paths, decoded values, record keys. The one way in which reports name things. */
#ifndef LL_MODEL_VALUE_H
#define LL_MODEL_VALUE_H

#include "base/text.h"
#include "model/doc.h"

/* The field of a place, or NULL (a place that is no field). Also the parts of strings. */
const ll_field *ll_where_field(const ll_doc *doc, const ll_where *at);

/* Appends the field path: "header.magic", "entry[3].light_area.scale.x", "entry[1].vertex[5].position.w",
 * "entry[2].name.text". A place that is no field of a span gives the span's path; no span gives "file". */
void ll_path_text(const ll_doc *doc, const ll_where *at, ll_text *out);
/* What stands behind the path of its span in that of a place. */
void ll_field_path_text(const ll_doc *doc, const ll_where *at, ll_text *out);

/* The path of one span after the other, of which only what differs is written anew. Begun as zeros but for the text. */
enum { LL_PATH_DEPTH = 16 };
typedef struct ll_span_path {
    ll_text text;
    unsigned depth;
    struct {
        uint32_t span;
        size_t end; /* of its name in the text */
    } steps[LL_PATH_DEPTH];
} ll_span_path;
void ll_span_path_to(ll_span_path *path, const ll_doc *doc, uint32_t span);

/* The same with record keys instead of ordinals where the record has a key ("entry{0000728f9b2c769b}.priority"): what
 * fingerprints are made of, stable when records are inserted. The report adds an ordinal where keys repeat. */
void ll_key_path_text(const ll_doc *doc, const ll_where *at, ll_text *out);

/* The layout that reports name for the record of a span. A record that was claimed as one of any tag, as it could not
 * be read, has the layout of the part with its tag. */
const ll_layout *ll_record_layout(const ll_doc *doc, uint32_t span);
/* The field that holds the kind of a record, four letters as a rule; LL_NO_FIELD: there is none. */
enum { LL_KIND_BYTES_MAX = 8 };
uint16_t ll_kind_field(const ll_layout *layout);
/* Appends `lead` and the kind that the record of a place states, or the numbered one around it: "EP00". False: none
 * does, or it is not legible. */
bool ll_kind_text(const ll_doc *doc, const ll_where *at, const char *lead, ll_text *out);

/* The span nearest above `at` (itself included) whose record has a key; LL_NO_SPAN when none. */
uint32_t ll_keyed_span(const ll_doc *doc, const ll_where *at);
/* The key's value, of 64 bits. `span` came from ll_keyed_span(). */
uint64_t ll_span_key(const ll_doc *doc, uint32_t span);

/* Appends the decoded value of `length` bytes at `offset` read as `field`: 0.5, [1, 2, 3], "PL02", 0x00008601892f2c24
 * (hashes), 65536. part: one element of a vector, LL_NO_PART: all. Bytes of the file are escaped. */
void ll_value_text(const ll_doc *doc, const ll_field *field, unsigned endian, uint32_t offset, uint32_t length,
                   unsigned part, ll_text *out);

/* Appends the text that a hash in a field stands for, with a blank in front and in quotes; nothing where the file does
 * not say. */
void ll_hash_text(const ll_doc *doc, const ll_field *field, uint64_t hash, ll_text *out);

/* False for a piece of a number, which has no value. */
static inline bool ll_value_is_whole(const ll_field *field, uint32_t length)
{
    return field->type >= LL_TYPE_CHARS || field->bytes == length;
}

/* Appends "u32 LE", "f16[3] LE", "char[4]", "string". */
void ll_type_text(const ll_field *field, unsigned endian, ll_text *out);

/* Appends an argument after `spec`: "" decimal, "x" 0x1f, "+x" +0x1f (a place in the file), "h" 16 hex digits. */
void ll_arg_text(const ll_doc *doc, const ll_arg *arg, const char *spec, size_t spec_length, ll_text *out);

#endif
