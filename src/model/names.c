/* Notes the names of records of a document, finds records by name, and writes names into paths. */
#include "model/names.h"

#include <string.h>

enum { NAME_SHOWN = 200 }; /* bytes of the longest name that is shown, as it may occur any number of times */

/* ------------------------------------------------------------------ rows */

unsigned ll_name_field(const ll_format *format, unsigned layout)
{
    size_t i = 0;
    while (i < format->identity_count && (format->identities[i].layout != layout || format->identities[i].owner)) {
        i++;
    }
    return i < format->identity_count ? format->identities[i].field : LL_NO_FIELD;
}

unsigned ll_owner_layout(const ll_doc *doc, unsigned layout)
{
    const ll_format *format = doc->format;
    for (size_t i = 0; format && i < format->derivation_count; i++) {
        const ll_derivation *row = &format->derivations[i];
        bool numbered = row->which == LL_WHICH_SAME_NUMBER || row->which == LL_WHICH_SAME_NUMBER_BELOW;
        if (numbered && row->target == layout && doc->firsts[row->layout]) {
            return row->layout;
        }
    }
    for (size_t i = 0; format && i < format->identity_count; i++) {
        const ll_identity *row = &format->identities[i];
        if (row->owner && row->layout == layout && doc->firsts[row->owner]) {
            return row->owner;
        }
    }
    return 0;
}

/* ------------------------------------------------------------------ texts of a table */

bool ll_is_text_hash(const ll_format *format, const ll_field *field)
{
    const ll_text_table *table = ll_texts_of(format);
    return table && field->role == LL_ROLE_HASH &&
           field->bytes == format->layouts[table->layout].fields[table->field].bytes;
}

static bool note_texts(ll_doc *doc, ll_doc_names *names, const ll_allocator *arena)
{
    const ll_text_table *table = ll_texts_of(doc->format);
    const ll_layout *l = &doc->layouts[table->layout];
    const uint32_t first = doc->firsts[table->layout] - 1;
    const uint32_t most = first == LL_NO_SPAN ? 0 : (doc->span_count - first) / 2 + 1; /* entries and texts alternate */
    bool room = ll_map_open(&names->by_hash, most, most, arena);
    const ll_field *hash = &l->fields[table->field];
    const bool plain = hash->bytes == sizeof(uint64_t) && l->endian == LL_LITTLE;
    const ll_span *s = most ? ll_doc_span(doc, first) : NULL;
    for (uint32_t i = first; room && i < doc->span_count; i++) {
        s = i == first ? s : ll_doc_span_behind(doc, s, i);
        if (s->layout != table->layout) {
            continue;
        }
        const uint32_t number = (uint32_t)names->texts.count, text = s->offset + l->size, length = s->length - l->size;
        const uint8_t *record = ll_doc_at(doc, s->offset);
        const uint64_t stated =
            plain ? ll_le64(record + hash->offset) : ll_read_uint(record + hash->offset, hash->bytes, l->endian);
        ll_table_text *entry = LL_ARRAY_ADD(&names->texts, arena);
        if (!entry) {
            return false;
        }
        *entry = (ll_table_text){.hash = stated ? stated : doc->format->text_hash(record + l->size, length),
                                 .span = i,
                                 .text = text,
                                 .length = length};
        room = ll_map_add_row(&names->by_hash, names->texts.items, sizeof *entry, number, &entry->again, arena);
    }
    return room;
}

/* ------------------------------------------------------------------ names in letters */

typedef struct sought_name {
    const ll_doc *doc;
    const ll_doc_names *names;
    const uint8_t *name;
    uint32_t length;
} sought_name;

static const uint8_t *name_of(const ll_doc *doc, const ll_doc_names *names, uint32_t record, uint32_t *length)
{
    const ll_where at = ll_at_field(doc, names->owners, record, names->field);
    const uint8_t *name = ll_doc_at(doc, at.offset), *nul = memchr(name, 0, at.length);
    *length = nul ? (uint32_t)(nul - name) : at.length;
    return name;
}

static bool has_name(const void *sought, uint32_t record)
{
    const sought_name *s = sought;
    uint32_t length;
    const uint8_t *name = name_of(s->doc, s->names, record, &length);
    return length == s->length && memcmp(name, s->name, length) == 0;
}

/* The span of records with names: their first LL_NAME field is letters, and others belong to them by number.
 * LL_NO_SPAN: there is none. */
static uint32_t find_owners(const ll_doc *doc, uint16_t *field)
{
    const ll_format *format = doc->format;
    for (size_t i = 0; i < format->identity_count; i++) {
        const unsigned layout = format->identities[i].layout;
        *field = (uint16_t)ll_name_field(format, layout);
        const bool letters = doc->firsts[layout] && *field != LL_NO_FIELD &&
                             format->layouts[layout].fields[*field].type == LL_TYPE_CHARS;
        for (size_t k = 0; letters && k < format->derivation_count; k++) {
            if (format->derivations[k].layout == layout && format->derivations[k].which == LL_WHICH_SAME_NUMBER) {
                return doc->firsts[layout] - 1;
            }
        }
    }
    return LL_NO_SPAN;
}

static bool note_owners(ll_doc *doc, ll_doc_names *names, const ll_allocator *arena)
{
    const uint32_t n = names->owners == LL_NO_SPAN ? 0 : ll_doc_span(doc, names->owners)->count;
    if (!n) {
        return true;
    }
    names->shared = ll_doc_zalloc(doc, (size_t)n + 1, sizeof *names->shared);
    bool room = names->shared && ll_map_open(&names->by_name, n, n, arena);
    for (uint32_t i = 0; room && i < n; i++) {
        sought_name s = {.doc = doc, .names = names};
        s.name = name_of(doc, names, i, &s.length);
        const uint32_t first =
            s.length ? ll_map_note(&names->by_name, ll_map_hash_bytes(0, s.name, s.length), i, has_name, &s)
                     : LL_MAP_NONE;
        if (first != LL_MAP_NONE) {
            names->shared[first] = names->shared[i] = true;
        }
    }
    return room;
}

uint32_t ll_find_named(const ll_doc *doc, const uint8_t *name, uint32_t length)
{
    const sought_name s = {doc, doc->names, name, length};
    return doc->names ? ll_map_find(&doc->names->by_name, ll_map_hash_bytes(0, name, length), has_name, &s)
                      : LL_MAP_NONE;
}

bool ll_is_name_shared(const ll_doc *doc, uint32_t record)
{
    const ll_doc_names *names = doc->names;
    const bool owners = names && names->shared && names->owners != LL_NO_SPAN;
    return owners && record < ll_doc_span(doc, names->owners)->count && names->shared[record];
}

void ll_note_names(ll_doc *doc)
{
    const bool texts = ll_texts_of(doc->format);
    const ll_allocator arena = ll_arena_allocator(&doc->arena);
    uint16_t field = LL_NO_FIELD;
    const uint32_t owners = find_owners(doc, &field);
    ll_doc_names *names = texts || owners != LL_NO_SPAN ? ll_doc_zalloc(doc, 1, sizeof *names) : NULL;
    if (names) {
        names->owners = owners;
        names->field = field;
        if ((texts && !note_texts(doc, names, &arena)) || !note_owners(doc, names, &arena)) {
            doc->status = LL_E_MEMORY;
        }
        doc->names = doc->status == LL_OK ? names : NULL;
    }
}

/* ------------------------------------------------------------------ names in reports */

static bool put_name(const uint8_t *name, uint32_t length, uint32_t number, ll_text *out)
{
    if (!length || length > NAME_SHOWN) {
        return false;
    }
    for (uint32_t i = 0; i < length; i++) {
        if (name[i] <= ' ' || name[i] > '~' || memchr("[]{}.\\", name[i], 6)) {
            return false;
        }
    }
    ll_text_char(out, '[');
    if (number != LL_NO_INDEX) {
        ll_text_u64(out, number);
        ll_text_char(out, ':');
    }
    ll_text_put(out, (const char *)name, length);
    ll_text_char(out, ']');
    return true;
}

bool ll_span_name(const ll_doc *doc, uint32_t span, ll_text *out)
{
    const ll_doc_names *names = doc->names;
    const ll_span *s = ll_doc_span(doc, span);
    if (!names || s->index == LL_NO_INDEX || s->layout < LL_LAYOUT_BUILTINS) {
        return false;
    }
    const unsigned named = ll_name_field(doc->format, s->layout);
    const unsigned field = named == LL_NO_FIELD ? doc->layouts[s->layout].key_field : named;
    ll_element record;
    uint32_t length;
    if (field != LL_NO_FIELD && ll_is_text_hash(doc->format, &doc->layouts[s->layout].fields[field])) {
        const ll_table_text *text =
            ll_element_at(doc, span, 0, &record) ? ll_find_text(names, ll_get_uint(&record, field)) : NULL;
        return text &&
               put_name(ll_doc_at(doc, text->text), text->length, named == LL_NO_FIELD ? LL_NO_INDEX : s->index, out);
    }
    if (names->owners == LL_NO_SPAN || s->index >= ll_doc_span(doc, names->owners)->count || names->shared[s->index] ||
        ll_owner_layout(doc, s->layout) != ll_doc_span(doc, names->owners)->layout) {
        return false;
    }
    const uint8_t *name = name_of(doc, names, s->index, &length);
    return put_name(name, length, LL_NO_INDEX, out);
}
