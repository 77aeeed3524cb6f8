#include "findings/texts.h"

ll_hashed *ll_hashes_note(ll_hashes *h, uint64_t hash, const ll_allocator *allocator)
{
    uint32_t number = (uint32_t)h->all.count;
    ll_map_key key = {h->all.items, sizeof *h->all.items, hash};
    if (!ll_map_room(&h->map, number, ll_map_key_hash, &key, allocator) || !LL_ARRAY_ROOM(&h->all, 1, allocator)) {
        return NULL;
    }
    key.rows = h->all.items;
    uint32_t earlier = ll_map_note(&h->map, ll_map_hash(hash), number, ll_map_has_key, &key);
    if (earlier != LL_MAP_NONE) {
        return &h->all.items[earlier];
    }
    h->all.items[number] = (ll_hashed){.hash = hash};
    h->all.count++;
    return &h->all.items[number];
}

const ll_hashed *ll_hashes_find(const ll_hashes *h, uint64_t hash)
{
    ll_map_key key = {h->all.items, sizeof *h->all.items, hash};
    uint32_t i = ll_map_find(&h->map, ll_map_hash(hash), ll_map_has_key, &key);
    return i == LL_MAP_NONE ? NULL : &h->all.items[i];
}

bool ll_holds_text(const ll_format *format, unsigned layout, const ll_field *field)
{
    return ll_is_text_hash(format, field) && layout != format->texts->layout;
}

bool ll_is_plain_text(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t length = ll_shown_length(bytes + i, n - i);
        bool rare = length == 3 && bytes[i] >= 0xEE; /* private use, byte order marks, noncharacters */
        if (length == 0 ? bytes[i] < ' ' || bytes[i] > '~' : rare) {
            return false;
        }
        i += length ? length : 1;
    }
    return true;
}

static bool note_uses(ll_hashes *h, const ll_doc *doc, uint32_t span, const ll_allocator *allocator)
{
    const ll_span *s = ll_doc_span(doc, span);
    const ll_layout *layout = &doc->layouts[s->layout];
    for (uint32_t e = 0; layout->kind == LL_KIND_RECORD && e < s->count; e++) {
        const uint8_t *bytes = ll_doc_at(doc, s->offset) + (size_t)e * layout->size;
        for (unsigned i = 0; i < layout->field_count; i++) {
            const ll_field *f = &layout->fields[i];
            if (ll_holds_text(doc->format, s->layout, f)) {
                ll_hashed *used =
                    ll_hashes_note(h, ll_read_uint(bytes + f->offset, f->bytes, layout->endian), allocator);
                if (!used) {
                    return false;
                }
                used->used = true;
            }
        }
    }
    return true;
}

/* Notes an entry of the table with its text, the next span in order. *number: of its hash; LL_MAP_NONE if build would
 * write the entry differently. False: out of memory. */
static bool note_entry(ll_hashes *h, const ll_doc *doc, uint32_t at, const ll_allocator *allocator, uint32_t *number)
{
    const ll_text_table *table = doc->format->texts;
    uint32_t span = ll_span_in_order(doc, at);
    const ll_span *s = ll_doc_span(doc, span);
    const ll_span *t = at + 1 < doc->span_count ? ll_doc_span(doc, ll_span_in_order(doc, at + 1)) : s;
    const ll_field *f = &doc->layouts[s->layout].fields[table->field];
    uint64_t hash = ll_read_uint(ll_doc_at(doc, s->offset) + f->offset, f->bytes, doc->layouts[s->layout].endian);
    ll_hashed *entry = ll_hashes_note(h, hash, allocator);
    *number = LL_MAP_NONE;
    if (!entry) {
        return false;
    }
    bool has_text = t->layout == table->text && t->parent == span;
    const uint8_t *text = ll_doc_at(doc, t->offset);
    if (has_text && !entry->entered && t->count && ll_is_plain_text(text, t->count) &&
        doc->format->text_hash(text, t->count) == hash) {
        entry->text = (const char *)text;
        entry->length = t->count;
        *number = entry->used && s->parent == LL_NO_SPAN ? (uint32_t)(entry - h->all.items) : LL_MAP_NONE;
    }
    entry->entered = true;
    return true;
}

bool ll_hashes_survey(ll_hashes *h, const ll_doc *doc, const ll_allocator *allocator, bool *follows)
{
    const ll_text_table *table = ll_texts_of(doc->format);
    uint32_t next = 0, number, i = 0;
    bool ends = false;
    *follows = table != NULL;
    for (; table && i < doc->span_count; i++) {
        uint32_t span = ll_span_in_order(doc, i);
        if (ll_doc_span(doc, span)->layout == table->layout) {
            break;
        }
        if (!note_uses(h, doc, span, allocator)) {
            return false;
        }
    }
    ll_hashed *none = table ? ll_hashes_note(h, doc->format->text_hash((const uint8_t *)"", 0), allocator) : NULL;
    if (none) {
        none->text = "";
    }
    for (; table && i < doc->span_count; i++) {
        unsigned layout = ll_doc_span(doc, ll_span_in_order(doc, i))->layout;
        if (layout == table->layout) {
            if (!note_entry(h, doc, i, allocator, &number)) {
                return false;
            }
            *follows = *follows && number != LL_MAP_NONE && number >= next;
            next = number + 1;
        } else if (layout == table->before) {
            ends = true;
            break;
        } else {
            *follows = *follows && layout == table->text;
        }
    }
    *follows = *follows && ends;
    return !table || none;
}
