/* Places and values as text: field paths, decoded values, record keys. All reports name things this way. */
#ifndef LL_MODEL_VALUE_H
#define LL_MODEL_VALUE_H

#include "base/text.h"
#include "model/doc.h"

/* The field, or part of a string, of a place. NULL: the place has no field. */
const ll_field *ll_where_field(const ll_doc *doc, const ll_where *at);

/* Appends the field path: "header.magic", "entry[3].light_area.scale.x", "entry[1].vertex[5].position.w",
 * "entry[2].name.text". A place without a field gives the path of its span; a place without a span gives "file". */
void ll_path_text(const ll_doc *doc, const ll_where *at, ll_text *out);
/* Appends the piece of the path after that of the span. */
void ll_field_path_text(const ll_doc *doc, const ll_where *at, ll_text *out);

/* Paths of spans, for a walk: only what differs from the path before is written again. Initialise to zeros, except the
 * text. */
enum { LL_PATH_DEPTH = 16 };
typedef struct ll_span_path {
    ll_text text;
    unsigned depth;
    struct {
        uint32_t span;
        size_t end; /* length of the path up to this span */
    } steps[LL_PATH_DEPTH];
} ll_span_path;
void ll_span_path_to(ll_span_path *path, const ll_doc *doc, uint32_t span);

/* Appends the field path with record keys in place of ordinals ("entry{0000728f9b2c769b}.priority"). Fingerprints are
 * made of it, as it stays when records are inserted. The report adds an ordinal if keys repeat. */
void ll_key_path_text(const ll_doc *doc, const ll_where *at, ll_text *out);

/* The layout that reports name for the record of a span. A record that could not be read was claimed as one of any tag;
 * its layout here is that of the part with its tag. */
const ll_layout *ll_record_layout(const ll_doc *doc, uint32_t span);
/* The field that holds the kind of a record, usually four letters. LL_NO_FIELD: there is none. */
enum { LL_KIND_BYTES_MAX = 8 };
uint16_t ll_kind_field(const ll_layout *layout);
/* Appends `lead` and the kind of the record of a place, or of the nearest record around it with an ordinal: "EP00".
 * False, appending nothing: there is no kind, or it is not printable. */
bool ll_kind_text(const ll_doc *doc, const ll_where *at, const char *lead, ll_text *out);

/* The nearest span at or above a place whose record has a key. LL_NO_SPAN: there is none. */
uint32_t ll_keyed_span(const ll_doc *doc, const ll_where *at);
/* The 64-bit key of a span that ll_keyed_span() returned. */
uint64_t ll_span_key(const ll_doc *doc, uint32_t span);

/* Appends the decoded value of `length` bytes at address `offset`, read as `field` or, if they are fewer, as elements
 * of it: 0.5, [1, 2, 3], "PL02", 0x00008601892f2c24 (hashes), 65536. Bytes of the file are escaped. */
void ll_value_text(const ll_doc *doc, const ll_field *field, unsigned endian, uint32_t offset, uint32_t length,
                   ll_text *out);

/* Appends a blank and, in quotes, the text with a hash. Appends nothing if the file does not hold that text. */
void ll_hash_text(const ll_doc *doc, const ll_field *field, uint64_t hash, ll_text *out);

/* False for a range of bytes that is only part of a number: it has no value. */
static inline bool ll_value_is_whole(const ll_field *field, uint32_t length)
{
    return field->type >= LL_TYPE_CHARS || field->bytes == length;
}

/* Appends "u32 LE", "f16[3] LE", "char[4]", "string". */
void ll_type_text(const ll_field *field, unsigned endian, ll_text *out);

/* Appends an argument in the format `spec`: "" decimal, "x" 0x1f, "+x" +0x1f (an address), "h" 16 hex digits. */
void ll_arg_text(const ll_doc *doc, const ll_arg *arg, const char *spec, size_t spec_length, ll_text *out);

#endif
