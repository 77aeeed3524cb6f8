/* Tries texts that do not have the hash that a record states: with one letter changed, put in or taken out, a text may
 * have it again. */
#include "diagnosis/tries.h"

#include "model/derive.h"

#include <string.h>

enum {
    COST_LETTER = 30,
    COST_LETTER_MOVED = 60,
    LETTERS_MAX = 16,      /* most changes that are kept */
    LETTERS_OF_TEXT = 255, /* longest text, in bytes, in which a letter is searched for */
    MOVED_MAX = 64,        /* a text is searched for up to this many bytes from its place */
    TEXTS_MAX = 60,        /* most leftovers whose texts are searched */
    SPELLED_MAX = 1 << 20  /* largest file whose texts are searched, in bytes */
};

/* A change with which a text has its hash: `size` bytes (0 or 1) replace `removed` ones. byte: the new one. */
typedef struct letter {
    uint32_t offset, removed, size;
    uint8_t byte;
} letter;

typedef struct spelling {
    ll_search_plan *p;
    ll_doc doc; /* the file as it was read, over a copy of its bytes with room for one more byte and a NUL */
    const ll_derivation *row;
    uint32_t text; /* span of the text */
    const uint8_t *hash;
    unsigned hash_bytes;
    letter found[LETTERS_MAX];
    unsigned count;
} spelling;

/* The text in the copy has the stated hash. */
static bool has_hash(const spelling *t)
{
    uint8_t bytes[LL_DERIVED_MAX];
    (void)ll_derive_hash(&t->doc, t->row, t->text, bytes);
    return memcmp(bytes, t->hash, t->hash_bytes) == 0;
}

/* Keeps the change if the text in the copy has the hash. True: it has. */
static bool note_letter(spelling *t, letter change)
{
    const bool has = t->count < LETTERS_MAX && has_hash(t);
    if (has) {
        t->found[t->count++] = change;
    }
    return has;
}

/* Tries all printable characters but the space at one place of the copy. */
static void spell_at(spelling *t, uint8_t *place, letter change)
{
    const uint8_t was = *place;
    for (change.byte = ' ' + 1; change.byte <= '~'; change.byte++) {
        *place = change.byte;
        if (change.byte != was || !change.removed) {
            note_letter(t, change);
        }
    }
    *place = was;
}

/* Tries the text with another letter, cut by a NUL, joined with the next text, and with one letter more. */
static void spell(spelling *t, uint8_t *copy)
{
    ll_span *span = &t->doc.chunks.items[t->text / LL_SPANS_PER_CHUNK][t->text % LL_SPANS_PER_CHUNK];
    const uint32_t length = span->count, size = t->doc.size;
    const ll_search *s = t->p->s;
    uint8_t *text = copy + span->offset;
    for (uint32_t i = 0; i < length; i++) {
        spell_at(t, text + i, (letter){span->offset + i, 1, 1, 0});
    }
    for (uint32_t i = 1; i < length; i++) { /* a NUL became a letter, and the rest is another text or too much */
        span->count = i;
        text[i] = 0;
        if (note_letter(t, (letter){span->offset + i, 1, 1, 0}) && t->count < LETTERS_MAX) {
            t->found[t->count++] = (letter){span->offset + i, length - i, 0, 0};
        }
        text[i] = s->bytes[span->offset + i];
    }
    const uint32_t behind = size - span->offset - length - 1;
    const uint8_t *next = behind < size ? memchr(text + length + 1, 0, behind) : NULL;
    if (next && next - text <= LETTERS_OF_TEXT && next > text + length + 1) { /* a letter became a NUL */
        span->count = (uint32_t)(next - text);
        spell_at(t, text + length, (letter){span->offset + length, 1, 1, 0});
    }
    span->count = length + 1;
    for (uint32_t i = 0; i <= length; i++) {
        memmove(text + i + 1, text + i, size - span->offset - i);
        spell_at(t, text + i, (letter){span->offset + i, 0, 1, 0});
        memcpy(text, s->bytes + span->offset, size - span->offset);
    }
    span->count = length;
}

/* Adds the distance if a text close to the stated place has the hash: it was moved. */
static void find_moved(spelling *t)
{
    ll_search_plan *p = t->p;
    ll_span *span = &t->doc.chunks.items[t->text / LL_SPANS_PER_CHUNK][t->text % LL_SPANS_PER_CHUNK];
    const ll_span was = *span;
    const uint32_t size = t->doc.size;
    for (int32_t by = -MOVED_MAX; by <= MOVED_MAX; by++) {
        const int64_t at = (int64_t)was.offset + by;
        const uint8_t *nul = at > 0 && at < size ? memchr(p->s->bytes + at, 0, size - (size_t)at) : NULL;
        if (by == 0 || !nul || nul - p->s->bytes - at > LETTERS_OF_TEXT || nul - p->s->bytes == at) {
            continue;
        }
        span->offset = (uint32_t)at;
        span->count = (uint32_t)(nul - p->s->bytes - at);
        span->length = span->count + 1;
        if (has_hash(t)) {
            ll_search_add_amount(p, by);
        }
    }
    *span = was;
}

/* The row that derives the field as a hash of texts; NULL: the field is no hash. */
static const ll_derivation *row_of_hash(const ll_doc *doc, const ll_where *at)
{
    const ll_field *field = ll_where_field(doc, at);
    const ll_format *format = doc->format;
    const unsigned layout = field ? ll_doc_span(doc, at->span)->layout : 0;
    for (size_t k = 0; field && k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        if (row->layout == layout && row->field == at->field && ll_is_hash_row(row)) {
            return row;
        }
    }
    return NULL;
}

/* The field that states the hash of a record's text; nowhere: there is none. */
static ll_where hash_of_text(const ll_doc *doc, const ll_where *text)
{
    const bool known = text->span < doc->span_count && ll_doc_layout(doc, text->span)->kind == LL_KIND_STRING;
    const ll_span *span = known ? ll_doc_span(doc, text->span) : NULL;
    for (size_t k = 0; span && span->index != LL_NO_INDEX && k < doc->format->derivation_count; k++) {
        const ll_derivation *row = &doc->format->derivations[k];
        const uint32_t record = doc->firsts[row->layout] - 1;
        if (row->which == LL_WHICH_SAME_NUMBER && row->target == span->layout && ll_is_hash_row(row) &&
            record != LL_NO_SPAN && span->index < ll_doc_span(doc, record)->count) {
            return ll_at_field(doc, record, span->index, row->field);
        }
    }
    return ll_nowhere();
}

void ll_search_try_texts(ll_search_plan *p)
{
    ll_search *s = p->s;
    spelling t = {.p = p, .doc = s->weigher.doc};
    if (s->size > SPELLED_MAX) {
        return;
    }
    uint8_t *copy = ll_search_alloc(s, s->size + 2U, 1);
    if (!copy) {
        return;
    }
    t.doc.bytes = t.doc.regions[0].bytes = copy;
    for (size_t i = 0; i < s->leftovers.count && i < TEXTS_MAX; i++) {
        ll_leftover *l = &s->leftovers.items[i];
        const bool first = row_of_hash(&t.doc, &l->at);
        const ll_where own = first || l->related.span < t.doc.span_count ? l->related : hash_of_text(&t.doc, &l->at);
        const ll_where *hash = first ? &l->at : &own, *text = first ? &l->related : &l->at;
        t.row = hash->span < t.doc.span_count ? row_of_hash(&t.doc, hash) : NULL;
        t.text = text->span;
        bool spelled = t.row && t.text < t.doc.span_count && ll_doc_layout(&t.doc, t.text)->kind == LL_KIND_STRING &&
                       ll_doc_span(&t.doc, t.text)->count <= LETTERS_OF_TEXT;
        if (spelled) {
            const ll_where field = ll_at_field(&t.doc, hash->span, hash->element, hash->field);
            t.hash = s->bytes + field.offset;
            t.hash_bytes = field.length;
            memcpy(copy, s->bytes, s->size);
            copy[s->size] = 0;
            l->hashed = has_hash(&t);
            if (!l->hashed) {
                spell(&t, copy);
                find_moved(&t);
            }
        }
    }
    for (unsigned i = 0; i < t.count; i++) {
        const letter *c = &t.found[i];
        ll_hypothesis h = {.kind = c->size == c->removed ? LL_CAUSE_TEXT
                                   : c->size             ? LL_CAUSE_MISSING
                                                         : LL_CAUSE_INSERTED,
                           .offset = c->offset,
                           .length = c->removed,
                           .cost = c->size == c->removed ? COST_LETTER : COST_LETTER_MOVED};
        (void)ll_search_try(s, h, c->offset, c->removed, &c->byte, c->size);
    }
}
