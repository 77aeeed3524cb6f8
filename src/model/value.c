/* Writes paths of places and decoded values as text. Bytes of the file are escaped here, and only here: the result is
 * valid UTF-8 and safe for a terminal. */
#include "model/value.h"

#include "model/format.h"
#include "model/names.h"

enum { TEXT_SHOWN = 200, BYTES_SHOWN = 16 };

const ll_field *ll_where_field(const ll_doc *doc, const ll_where *at)
{
    if (at->span == LL_NO_SPAN || at->field == LL_NO_FIELD) {
        return NULL;
    }
    const ll_layout *layout = ll_doc_layout(doc, at->span);
    return at->field < layout->field_count ? &layout->fields[at->field] : NULL;
}

static bool has_key(const ll_doc *doc, uint32_t span)
{
    return ll_doc_layout(doc, span)->key_field != LL_NO_FIELD;
}

uint32_t ll_keyed_span(const ll_doc *doc, const ll_where *at)
{
    uint32_t span = at->span;
    while (span != LL_NO_SPAN && !has_key(doc, span)) {
        span = ll_doc_span(doc, span)->parent;
    }
    return span;
}

uint64_t ll_span_key(const ll_doc *doc, uint32_t span)
{
    ll_element record;
    return ll_element_at(doc, span, 0, &record) ? ll_get_uint(&record, record.layout->key_field) : UINT64_MAX;
}

static void put_index(ll_text *out, uint32_t index)
{
    ll_text_char(out, '[');
    ll_text_u64(out, index);
    ll_text_char(out, ']');
}

static void put_span(const ll_doc *doc, uint32_t span, bool keyed, bool first, ll_text *out)
{
    const ll_span *s = ll_doc_span(doc, span);
    const ll_layout *layout = ll_doc_layout(doc, span);
    if (layout->label[0] && !first) {
        ll_text_char(out, '.');
    }
    ll_text_str(out, layout->label);
    if (keyed && has_key(doc, span)) {
        ll_text_char(out, '{');
        ll_text_hex(out, ll_span_key(doc, span), 16);
        ll_text_char(out, '}');
    } else if (s->index != LL_NO_INDEX && !ll_span_name(doc, span, out)) {
        put_index(out, s->index);
    }
}

static void put_part(const ll_field *field, unsigned part, ll_text *out)
{
    if (ll_field_elements(field) <= 4) {
        ll_text_format(out, ".%c", "xyzw"[part & 3]);
    } else {
        put_index(out, part);
    }
}

static void put_span_path(const ll_doc *doc, uint32_t of, bool keyed, ll_text *out)
{
    if (of == LL_NO_SPAN) {
        ll_text_str(out, "file");
    }
    uint32_t chain[LL_PATH_DEPTH];
    unsigned depth = 0;
    for (uint32_t span = of; span != LL_NO_SPAN && depth < LL_PATH_DEPTH; span = ll_doc_span(doc, span)->parent) {
        chain[depth++] = span;
    }
    for (unsigned i = depth; i-- > 0;) {
        put_span(doc, chain[i], keyed, i + 1 == depth, out);
    }
}

void ll_field_path_text(const ll_doc *doc, const ll_where *at, ll_text *out)
{
    if (at->span == LL_NO_SPAN) {
        return;
    }
    if (ll_doc_layout(doc, at->span)->role == LL_ROLE_CODE && at->length < ll_doc_span(doc, at->span)->length &&
        doc->format->part_name) {
        ll_text_char(out, '.');
        doc->format->part_name(doc, at->span, at->offset, at->length, out);
        return;
    }
    const ll_field *field = ll_where_field(doc, at);
    if ((ll_doc_span(doc, at->span)->flags & LL_SPAN_ARRAY) &&
        (field || at->length < ll_doc_span(doc, at->span)->length)) {
        put_index(out, at->element);
    }
    if (field) {
        ll_text_char(out, '.');
        ll_text_str(out, field->name);
        if (at->part != LL_NO_PART) {
            put_part(field, at->part, out);
        }
    }
}

uint16_t ll_kind_field(const ll_layout *layout)
{
    for (unsigned f = 0; layout->kind == LL_KIND_RECORD && f < layout->field_count; f++) {
        const ll_field *field = &layout->fields[f];
        if (field->type == LL_TYPE_CHARS && field->role == LL_ROLE_MAGIC && field->bytes <= LL_KIND_BYTES_MAX) {
            return (uint16_t)f;
        }
    }
    return LL_NO_FIELD;
}

const ll_layout *ll_record_layout(const ll_doc *doc, uint32_t span)
{
    const ll_format *format = doc->format;
    const ll_span *s = ll_doc_span(doc, span);
    const ll_layout *own = ll_doc_layout(doc, span);
    const uint16_t field = ll_kind_field(own);
    enum { TAG_BYTES = 4 };
    const bool tagged = format && field != LL_NO_FIELD && own->fields[field].bytes == TAG_BYTES;
    bool other = false;
    for (size_t i = 0; tagged && i < format->part_count && !other; i++) {
        other = format->parts[i].how == LL_PART_TAGGED && !format->parts[i].tag && format->parts[i].layout == s->layout;
    }
    for (size_t i = 0; other && i < format->part_count; i++) {
        const ll_part_row *part = &format->parts[i];
        const uint8_t *tag = ll_doc_at(doc, s->offset + own->fields[field].offset);
        if (part->how == LL_PART_TAGGED && part->tag && part->place != LL_PLACE_LAST &&
            memcmp(part->tag, tag, TAG_BYTES) == 0) {
            return &format->layouts[part->layout];
        }
    }
    return own;
}

bool ll_kind_text(const ll_doc *doc, const ll_where *at, const char *lead, ll_text *out)
{
    uint32_t span = at->span;
    uint16_t field = LL_NO_FIELD;
    for (; span != LL_NO_SPAN; span = ll_doc_span(doc, span)->parent) {
        field = ll_kind_field(ll_doc_layout(doc, span));
        if (field != LL_NO_FIELD && ll_doc_span(doc, span)->index != LL_NO_INDEX) {
            break;
        }
    }
    if (span == LL_NO_SPAN) {
        return false;
    }
    ll_where tag = ll_at_field(doc, span, 0, field);
    const uint8_t *bytes = ll_doc_at(doc, tag.offset);
    for (uint32_t i = 0; i < tag.length; i++) {
        if (bytes[i] <= 0x20 || bytes[i] >= 0x7F) {
            return false;
        }
    }
    ll_text_str(out, lead);
    ll_text_put(out, (const char *)bytes, tag.length);
    return true;
}

void ll_path_text(const ll_doc *doc, const ll_where *at, ll_text *out)
{
    put_span_path(doc, at->span, false, out);
    ll_field_path_text(doc, at, out);
}

/* A span is claimed after those around it, so steps with higher numbers are not above it. */
void ll_span_path_to(ll_span_path *path, const ll_doc *doc, uint32_t of)
{
    uint32_t chain[LL_PATH_DEPTH];
    unsigned n = 0;
    uint32_t span = of;
    for (; span != LL_NO_SPAN && n < LL_PATH_DEPTH; span = ll_doc_span(doc, span)->parent) {
        while (path->depth && path->steps[path->depth - 1].span > span) {
            path->depth--;
        }
        if (path->depth && path->steps[path->depth - 1].span == span) {
            break;
        }
        chain[n++] = span;
    }
    path->depth = span == LL_NO_SPAN || path->depth + n > LL_PATH_DEPTH ? 0 : path->depth;
    path->text.length = path->depth ? path->steps[path->depth - 1].end : 0;
    while (n-- > 0) {
        put_span(doc, chain[n], false, path->depth == 0, &path->text);
        path->steps[path->depth].span = chain[n];
        path->steps[path->depth++].end = path->text.length;
    }
}

void ll_key_path_text(const ll_doc *doc, const ll_where *at, ll_text *out)
{
    put_span_path(doc, at->span, true, out);
    ll_field_path_text(doc, at, out);
}

static void put_quoted(const uint8_t *bytes, uint32_t length, ll_text *out)
{
    uint32_t shown = length < TEXT_SHOWN ? length : TEXT_SHOWN;
    ll_text_char(out, '"');
    ll_text_escape(out, (const char *)bytes, shown);
    ll_text_str(out, shown < length ? "...\"" : "\"");
}

void ll_hash_text(const ll_doc *doc, const ll_field *field, uint64_t hash, ll_text *out)
{
    const bool known = doc->names && ll_is_text_hash(doc->format, field);
    const ll_table_text *text = known ? ll_find_text(doc->names, hash) : NULL;
    if (text || (known && hash == doc->format->text_hash((const uint8_t *)"", 0))) {
        ll_text_char(out, ' ');
        put_quoted(text ? ll_doc_at(doc, text->text) : (const uint8_t *)"", text ? text->length : 0, out);
    }
}

static void put_element(const ll_field *field, unsigned endian, const uint8_t *p, ll_text *out)
{
    if (ll_field_is_hex(field)) {
        ll_text_format(out, "0x%0*" PRIx64, 2 * field->bytes, ll_read_uint(p, field->bytes, endian));
    } else if (ll_type_is_float(field->type)) {
        ll_text_float(out, ll_read_number(p, field->type, endian), field->type == LL_TYPE_F16 ? 16 : 32);
    } else if (ll_type_is_signed(field->type)) {
        ll_text_i64(out, (int64_t)ll_read_number(p, field->type, endian));
    } else {
        ll_text_u64(out, ll_read_uint(p, ll_type_bytes(field->type), endian));
    }
}

void ll_value_text(const ll_doc *doc, const ll_field *field, unsigned endian, uint32_t offset, uint32_t length,
                   ll_text *out)
{
    const uint8_t *p = ll_doc_at(doc, offset);
    if (field->type == LL_TYPE_TEXT || field->type == LL_TYPE_CHARS) {
        put_quoted(p, length, out);
        return;
    }
    if (field->type == LL_TYPE_BYTES) {
        ll_text_bytes(out, p, length < BYTES_SHOWN ? length : BYTES_SHOWN);
        ll_text_str(out, length > BYTES_SHOWN ? " ..." : "");
        return;
    }
    unsigned elements = length / ll_type_bytes(field->type);
    if (elements == 1) {
        put_element(field, endian, p, out);
        if (doc->names &&
            ll_is_text_hash(doc->format, field)) { /* other hashes are wider than a number, or part of a field */
            ll_hash_text(doc, field, ll_read_uint(p, field->bytes, endian), out);
        }
        return;
    }
    for (unsigned i = 0; i < elements; i++) {
        ll_text_str(out, i ? ", " : "[");
        put_element(field, endian, p + (size_t)i * ll_type_bytes(field->type), out);
    }
    ll_text_char(out, ']');
}

void ll_type_text(const ll_field *field, unsigned endian, ll_text *out)
{
    ll_text_str(out, ll_type_name(field->type));
    if (field->type == LL_TYPE_CHARS || (field->type == LL_TYPE_BYTES && field->bytes)) {
        put_index(out, field->bytes);
    } else if (ll_field_elements(field) > 1) {
        put_index(out, ll_field_elements(field));
    }
    if (ll_type_bytes(field->type) > 1) {
        ll_text_str(out, endian == LL_BIG ? " BE" : " LE");
    }
}

static void put_number(uint64_t u, const char *spec, size_t length, ll_text *out)
{
    if (length == 0) {
        ll_text_u64(out, u);
        return;
    }
    bool prefixed = spec[length - 1] == 'x';
    ll_text_str(out, !prefixed ? "" : spec[0] == '+' ? "+0x" : "0x");
    ll_text_hex(out, u, prefixed ? 1 : 16);
}

void ll_arg_text(const ll_doc *doc, const ll_arg *arg, const char *spec, size_t spec_length, ll_text *out)
{
    switch ((ll_arg_kind)arg->kind) {
    case LL_ARG_UINT:
        put_number(arg->v.u, spec, spec_length, out);
        break;
    case LL_ARG_INT:
        ll_text_i64(out, arg->v.i);
        break;
    case LL_ARG_FLOAT:
        ll_text_float(out, arg->v.f, 32);
        break;
    case LL_ARG_WORD:
        ll_text_str(out, arg->v.word);
        break;
    case LL_ARG_BYTES:
        put_quoted(ll_doc_at(doc, arg->v.bytes.offset), arg->v.bytes.length, out);
        break;
    case LL_ARG_NONE:
        ll_text_char(out, '-');
        break;
    }
}
