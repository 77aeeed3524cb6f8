/* Reads a document as a tree of records and names them. */
#include "files/records.h"

#include "base/map.h"
#include "model/derive.h"
#include "model/names.h"
#include "model/value.h"

enum { DEPTH_MAX = 16, NAME_SHOWN = 100 };

/* ------------------------------------------------------------------ the tree */

static uint32_t elements_of(const ll_doc *doc, uint32_t span)
{
    const ll_span *s = ll_doc_span(doc, span);
    return ll_doc_layout(doc, span)->kind == LL_KIND_RECORD && s->count ? s->count : 1;
}

/* The list that the span is (part of) as a share of a record, or NULL. */
static const ll_share_list *list_of(const ll_records *records, uint32_t span)
{
    const ll_span *s = ll_doc_span(records->doc, span);
    const ll_share_list *list = s->index == LL_NO_INDEX ? NULL : ll_share_of(records->shares, s->layout);
    return list && list->split && list->reference->extent != LL_NO_FIELD && list->reference->unit != LL_COUNTS_PRESENCE
               ? list
               : NULL;
}

/* The record that owns an element or span by its number; LL_NO_RECORD: none. */
static uint32_t owner_of(const ll_records *records, uint32_t span, uint32_t element)
{
    const ll_doc *doc = records->doc;
    const ll_span *s = ll_doc_span(doc, span);
    bool by_place = s->flags & LL_SPAN_ARRAY && !ll_share_of(records->shares, s->layout);
    uint32_t number = by_place ? element : s->index;
    unsigned layout = records->owners[s->layout];
    uint32_t first = layout ? doc->firsts[layout] - 1 : 0;
    return layout && number < elements_of(doc, first) ? records->of_span[first] + number : LL_NO_RECORD;
}

/* The text of a record: a child without number, or owned by it; LL_NO_RECORD: none. */
static uint32_t text_of(const ll_records *records, uint32_t record)
{
    const ll_doc *doc = records->doc;
    uint32_t i = records->items[record].first;
    for (; i != LL_NO_RECORD; i = records->items[i].next) {
        uint32_t span = records->items[i].span;
        const ll_span *s = ll_doc_span(doc, span);
        bool alone = s->index == LL_NO_INDEX || records->items[i].by == LL_BY_OWNER;
        if (ll_doc_layout(doc, span)->kind == LL_KIND_STRING && alone && s->count) {
            break;
        }
    }
    return i;
}

/* How to name a record without owner. */
static ll_known_by known_by(const ll_records *records, uint32_t record, ll_text *scratch)
{
    const ll_doc *doc = records->doc;
    const ll_record *r = &records->items[record];
    const ll_span *s = ll_doc_span(doc, r->span);
    const ll_layout *layout = ll_doc_layout(doc, r->span);
    bool has_fields = layout->kind == LL_KIND_RECORD && s->count;
    ll_text_clear(scratch);
    return has_fields && doc->format && ll_name_field(doc->format, s->layout) != LL_NO_FIELD ? LL_BY_FIELDS
           : r->text != LL_NO_RECORD                                                         ? LL_BY_TEXT
           : !(s->flags & LL_SPAN_ARRAY) && ll_span_name(doc, r->span, scratch)              ? LL_BY_FORMAT
           : has_fields && layout->key_field != LL_NO_FIELD                                  ? LL_BY_KEY
                                                                                             : LL_BY_PLACE;
}

static bool make_room(ll_records *records, ll_arena *arena)
{
    const ll_doc *doc = records->doc;
    uint64_t count = 1;
    records->of_span = ll_arena_alloc(arena, doc->span_count, sizeof *records->of_span);
    for (uint32_t i = 0; records->of_span && i < doc->span_count; i++) {
        uint32_t span = ll_span_in_order(doc, i);
        count += list_of(records, span) != NULL; /* one more record for the list itself, before its elements */
        records->of_span[span] = (uint32_t)count;
        count += elements_of(doc, span);
    }
    records->items = count < LL_NO_RECORD ? ll_arena_alloc(arena, (size_t)count, sizeof *records->items) : NULL;
    records->count = (uint32_t)count;
    return records->of_span && records->items;
}

static void add_span(ll_records *out, uint32_t span)
{
    const ll_doc *doc = out->doc;
    uint32_t above = ll_doc_span(doc, span)->parent, first = out->of_span[span];
    uint32_t inside = above == LL_NO_SPAN ? 0 : out->of_span[above];
    ll_record record = {span, 0, inside, LL_NO_RECORD, LL_NO_RECORD, LL_NO_RECORD, LL_BY_PLACE};
    bool list = list_of(out, span);
    for (uint32_t i = 0; i < elements_of(doc, span) + list; i++) {
        uint32_t owner = list && i ? LL_NO_RECORD : owner_of(out, span, i);
        record.element = list ? i - 1 : i; /* LL_NO_ELEMENT + 1 is 0 */
        record.parent = owner != LL_NO_RECORD ? owner : list ? first - 1 : inside;
        record.by = owner != LL_NO_RECORD ? LL_BY_OWNER : LL_BY_PLACE;
        out->items[first - list + i] = record;
    }
}

ll_status ll_records_read(const ll_doc *doc, const ll_shares *shares, ll_arena *arena, ll_records *out)
{
    const ll_allocator allocator = ll_arena_allocator(arena);
    ll_text scratch;
    *out = (ll_records){.doc = doc, .shares = shares};
    for (unsigned i = LL_LAYOUT_BUILTINS; doc->format && i < doc->format->layout_count; i++) {
        const ll_share_list *list = ll_share_of(shares, i);
        out->owners[i] = (uint16_t)(list ? list->row->layout : ll_owner_layout(doc, i));
    }
    if (!make_room(out, arena)) {
        return LL_E_MEMORY;
    }
    ll_record *items = out->items;
    items[0] = (ll_record){LL_NO_SPAN, 0, LL_NO_RECORD, LL_NO_RECORD, LL_NO_RECORD, LL_NO_RECORD, LL_BY_PLACE};
    for (uint32_t i = 0; i < doc->span_count; i++) {
        add_span(out, i);
    }
    for (uint32_t i = out->count; i-- > 1;) { /* backwards, as each one is put in front of its siblings */
        ll_record *parent = &items[items[i].parent];
        items[i].next = parent->first;
        parent->first = i;
    }
    ll_text_init(&scratch, &allocator);
    for (uint32_t i = 1; i < out->count; i++) {
        items[i].text = text_of(out, i);
        items[i].by = (uint8_t)(items[i].by == LL_BY_OWNER ? LL_BY_OWNER : known_by(out, i, &scratch));
    }
    return scratch.failed ? LL_E_MEMORY : LL_OK;
}

uint32_t ll_records_next(const ll_records *records, uint32_t record)
{
    const ll_record *r = &records->items[record];
    if (r->first != LL_NO_RECORD) {
        return r->first;
    }
    while (r->next == LL_NO_RECORD && r->parent != LL_NO_RECORD) {
        r = &records->items[r->parent];
    }
    return r->next;
}

ll_where ll_record_place(const ll_records *records, uint32_t record)
{
    const ll_record *r = &records->items[record];
    const ll_span *s = ll_doc_span(records->doc, r->span);
    uint32_t size = ll_doc_layout(records->doc, r->span)->size;
    bool element = s->flags & LL_SPAN_ARRAY && r->element != LL_NO_ELEMENT;
    return ll_at_bytes(r->span, s->offset + (element ? r->element * size : 0), element ? size : s->length);
}

bool ll_record_repeats(const ll_records *records, uint32_t record)
{
    const ll_record *r = &records->items[record];
    const ll_span *s = ll_doc_span(records->doc, r->span);
    const ll_share_list *list = list_of(records, r->span);
    return list && s->offset > list->start[s->index] &&
           memcmp(ll_doc_at(records->doc, s->offset - s->length), ll_doc_at(records->doc, s->offset), s->length) == 0;
}

/* ------------------------------------------------------------------ names */

static void put_bytes(const uint8_t *bytes, uint32_t length, ll_text *out)
{
    uint32_t shown = length < NAME_SHOWN ? length : NAME_SHOWN;
    ll_text_escape(out, (const char *)bytes, shown);
    ll_text_str(out, shown < length ? "..." : "");
}

static void put_field(const ll_doc *doc, const ll_record *r, unsigned number, ll_text *out)
{
    const ll_layout *layout = ll_doc_layout(doc, r->span);
    const ll_field *field = &layout->fields[number];
    ll_where at = ll_at_field(doc, r->span, r->element, number);
    const uint8_t *bytes = ll_doc_at(doc, at.offset);
    uint32_t length = at.length;
    size_t from = out->length;
    if (field->type == LL_TYPE_CHARS) {
        while (length && !bytes[length - 1]) {
            length--;
        }
        put_bytes(bytes, length, out);
        return;
    }
    ll_hash_text(doc, field, ll_read_uint(bytes, length, layout->endian), out);
    size_t added = out->failed ? 0 : out->length - from;
    if (added > 3 && added <= NAME_SHOWN) { /* strip the blank and the quotes */
        memmove(out->data + from, out->data + from + 2, added - 3);
        out->length -= 3;
    } else {
        out->length = from;
        ll_value_text(doc, field, layout->endian, at.offset, at.length, out);
    }
}

static void put_name(const ll_records *records, const ll_record *r, ll_text *out)
{
    const ll_doc *doc = records->doc;
    if (r->by == LL_BY_FORMAT) {
        (void)ll_span_name(doc, r->span, out);
        return;
    }
    ll_text_char(out, '[');
    if (r->by == LL_BY_TEXT) {
        const ll_span *text = ll_doc_span(doc, records->items[r->text].span);
        put_bytes(ll_doc_at(doc, text->offset), text->count, out);
    } else if (r->by == LL_BY_KEY) {
        put_field(doc, r, ll_doc_layout(doc, r->span)->key_field, out);
    }
    bool more = false;
    for (size_t i = 0; r->by == LL_BY_FIELDS && i < doc->format->identity_count; i++) {
        const ll_identity *row = &doc->format->identities[i];
        if (row->layout == ll_doc_span(doc, r->span)->layout) {
            ll_text_str(out, more ? " " : "");
            put_field(doc, r, row->field, out);
            more = true;
        }
    }
    ll_text_char(out, ']');
}

/* Whether a record is an element of a list that is a record. */
static bool is_listed(const ll_records *records, uint32_t record)
{
    const ll_record *r = &records->items[record];
    return r->element != LL_NO_ELEMENT && list_of(records, r->span);
}

/* Collects a record and the records around it, innermost first, without the root. to_named: stops before the next named
 * one. Returns their number. */
static unsigned chain_of(const ll_records *records, uint32_t record, bool to_named, uint32_t chain[DEPTH_MAX])
{
    unsigned depth = 0;
    for (uint32_t at = record; at != 0 && depth < DEPTH_MAX;) {
        uint32_t above = ll_doc_span(records->doc, records->items[at].span)->parent;
        if (to_named && at != record && ll_record_is_named(records, at)) {
            break;
        }
        chain[depth++] = at;
        at = is_listed(records, at) ? records->items[at].parent : above == LL_NO_SPAN ? 0 : records->of_span[above];
    }
    return depth;
}

/* Appends the label; for elements of a list it was appended with the list. */
static void put_label(const ll_records *records, uint32_t record, size_t from, ll_text *out)
{
    const char *label = ll_doc_layout(records->doc, records->items[record].span)->label;
    if (!is_listed(records, record)) {
        ll_text_str(out, label[0] && out->length > from ? "." : "");
        ll_text_str(out, label);
    }
}

void ll_record_path(const ll_records *records, uint32_t record, ll_text *out)
{
    uint32_t chain[DEPTH_MAX];
    unsigned depth = chain_of(records, record, true, chain);
    size_t from = out->length;
    for (unsigned i = depth; i-- > 0;) {
        put_label(records, chain[i], from, out);
    }
    if (record && ll_record_is_named(records, record)) {
        put_name(records, &records->items[record], out);
    }
}

/* Appends the record's name, its owner's name or a number; for a list that its owner repeats, also which repetition. */
static void put_name_or_number(const ll_records *records, uint32_t record, ll_text *out)
{
    const ll_record *r = &records->items[record];
    const ll_span *s = ll_doc_span(records->doc, r->span);
    const ll_share_list *list = r->element == LL_NO_ELEMENT ? list_of(records, r->span) : NULL;
    uint32_t number = s->flags & LL_SPAN_ARRAY && !list ? r->element : s->index;
    bool owned = r->by == LL_BY_OWNER && ll_record_is_named(records, r->parent);
    if (owned || ll_record_is_named(records, record)) {
        put_name(records, owned ? &records->items[r->parent] : r, out);
    } else if (number != LL_NO_INDEX) {
        ll_text_format(out, "[%" PRIu32 "]", number);
    }
    if (list && list->row->times != LL_NO_FIELD) {
        ll_text_format(out, "[%" PRIu32 "]", (s->offset - list->start[s->index]) / s->length);
    }
}

void ll_record_full_path(const ll_records *records, uint32_t record, ll_text *out)
{
    uint32_t chain[DEPTH_MAX];
    unsigned depth = chain_of(records, record, false, chain);
    size_t from = out->length;
    for (unsigned i = depth; i-- > 0;) {
        put_label(records, chain[i], from, out);
        put_name_or_number(records, chain[i], out);
    }
    ll_text_str(out, depth ? "" : "file");
}

static uint64_t hash_field(const ll_doc *doc, const ll_record *r, unsigned field, uint64_t hash)
{
    ll_where at = ll_at_field(doc, r->span, r->element, field);
    return ll_map_hash_bytes(hash, ll_doc_at(doc, at.offset), at.length);
}

uint64_t ll_record_key(const ll_records *records, uint32_t record, ll_text *scratch)
{
    const ll_doc *doc = records->doc;
    const ll_record *r = &records->items[record];
    const ll_layout *layout = ll_doc_layout(doc, r->span);
    const char *kind = r->by == LL_BY_OWNER ? layout->name : layout->label;
    uint64_t hash = ll_map_hash_bytes(r->by, kind, strlen(kind));
    const ll_span *s = ll_doc_span(doc, r->span);
    if (r->by == LL_BY_PLACE && (s->flags & LL_SPAN_ARRAY || s->index != LL_NO_INDEX)) {
        return 0;
    }
    if (r->by == LL_BY_TEXT) {
        const ll_span *text = ll_doc_span(doc, records->items[r->text].span);
        hash = ll_map_hash_bytes(hash, ll_doc_at(doc, text->offset), text->count);
    } else if (r->by == LL_BY_FIELDS) {
        for (size_t i = 0; i < doc->format->identity_count; i++) {
            const ll_identity *row = &doc->format->identities[i];
            bool of_it = row->layout == s->layout && !row->owner;
            hash = of_it ? hash_field(doc, r, row->field, hash) : hash;
        }
    } else if (r->by > LL_BY_TEXT && layout->key_field != LL_NO_FIELD) {
        hash = hash_field(doc, r, layout->key_field, hash);
    } else if (r->by == LL_BY_FORMAT) {
        ll_text_clear(scratch);
        put_name(records, r, scratch);
        hash = ll_map_hash_bytes(hash, scratch->data, scratch->length);
    }
    return hash ? hash : 1;
}

bool ll_record_shows(const ll_records *records, uint32_t record, unsigned field)
{
    const ll_doc *doc = records->doc;
    const ll_record *r = &records->items[record];
    const ll_record *above = &records->items[r->parent];
    const ll_span *s = ll_doc_span(doc, r->span);
    if (above->by == LL_BY_TEXT && above->text == record) {
        return field == LL_STRING_TEXT && s->count <= NAME_SHOWN;
    }
    bool shown = (r->by == LL_BY_KEY || r->by == LL_BY_FORMAT) && ll_doc_layout(doc, r->span)->key_field == field;
    for (size_t i = 0; r->by == LL_BY_FIELDS && i < doc->format->identity_count; i++) {
        const ll_identity *row = &doc->format->identities[i];
        shown = shown || (row->layout == s->layout && row->field == field);
    }
    return shown;
}
