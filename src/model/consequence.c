/* See consequence.h. The moved document has the spans of the parsed one, in the same order and at their new places,
 * over the new bytes. Trusts the ledger; no value of the file leads anywhere. */
#include "model/consequence.h"

#include "model/derive.h"

#include <string.h>

typedef struct cut { /* `size` bytes, zeros unless `bytes` holds them, take the place of `removed` */
    uint32_t offset, removed, size;
    const uint8_t *bytes;
} cut;

typedef struct move {
    const ll_doc *doc;
    cut cuts[2]; /* in the order of their places; the second may be empty */
    bool *holds; /* by span */
    ll_doc moved;
    uint32_t to; /* end of what is another, in the bytes as they were */
    ll_consequences *out;
} move;

/* Where an address comes to lie. stays: where bytes are put in right there, it is in front of them. */
static uint32_t address(const move *m, uint32_t at, bool stays)
{
    int64_t moved = at;
    for (size_t i = 0; i < 2; i++) {
        const cut *c = &m->cuts[i];
        uint32_t end = c->offset + c->removed;
        bool behind = at >= end && (at > c->offset || !stays);
        moved += behind ? (int64_t)c->size - c->removed : at > c->offset ? (int64_t)c->offset - at : 0;
    }
    if (at > m->doc->size && m->out->size > m->doc->size) { /* other regions: out of the way of a longer file */
        moved = at + (int64_t)ll_align_up(m->out->size - m->doc->size, 16);
    } else if (at > m->doc->size) {
        moved = at;
    }
    return (uint32_t)moved;
}

static ll_span move_span(const move *m, uint32_t number)
{
    ll_span s = *ll_doc_span(m->doc, number);
    const ll_layout *layout = ll_doc_layout(m->doc, number);
    bool holds = m->holds[number];
    uint32_t own = layout->kind == LL_KIND_RECORD ? layout->size * s.count : s.count;
    uint32_t start = address(m, s.offset, holds);
    uint32_t end = address(m, s.offset + s.length, !holds);
    uint32_t own_end = address(m, s.offset + own, !(holds && own == s.length));
    s.length = end > start ? end - start : 0;
    uint32_t left = own_end > start ? own_end - start : 0;
    if (layout->kind == LL_KIND_STRING) {
        s.count = left;
    } else if (layout->kind == LL_KIND_RECORD) {
        uint32_t room = left / layout->size;
        s.count = room < s.count || s.flags & LL_SPAN_ARRAY ? room : s.count;
    }
    if (!s.length && ll_doc_span(m->doc, number)->length) { /* all of it was taken out */
        s.layout = LL_LAYOUT_GAP;
        s.count = 0;
    }
    s.offset = start;
    return s;
}

static ll_status put_bytes(move *m, ll_arena *arena)
{
    const ll_doc *doc = m->doc;
    ll_consequences *out = m->out;
    uint64_t room = (uint64_t)doc->size + m->cuts[0].size + m->cuts[1].size; /* also for records that lost bytes */
    uint32_t at = 0;
    if (room > UINT32_MAX - 64) {
        return LL_E_ARGUMENT;
    }
    out->bytes = ll_arena_zalloc(arena, (size_t)room, 1);
    if (!out->bytes) {
        return LL_E_MEMORY;
    }
    for (size_t i = 0; i < 2; i++) {
        const cut *c = &m->cuts[i];
        memcpy(out->bytes + out->size, doc->bytes + at, c->offset - at);
        out->size += c->offset - at;
        if (c->bytes) {
            memcpy(out->bytes + out->size, c->bytes, c->size);
        }
        out->size += c->size;
        at = c->offset + c->removed;
    }
    memcpy(out->bytes + out->size, doc->bytes + at, doc->size - at);
    out->size += doc->size - at;
    return LL_OK;
}

static ll_status move_spans(move *m, uint32_t span, ll_arena *arena)
{
    const ll_doc *doc = m->doc;
    uint32_t n = doc->span_count;
    uint32_t chunks = n / LL_SPANS_PER_CHUNK + 1;
    ll_span *spans = ll_arena_alloc(arena, n ? n : 1, sizeof *spans);
    ll_span **rows = ll_arena_alloc(arena, chunks, sizeof *rows);
    m->holds = ll_arena_zalloc(arena, n ? n : 1, sizeof *m->holds);
    if (!spans || !rows || !m->holds) {
        return LL_E_MEMORY;
    }
    for (; span != LL_NO_SPAN; span = ll_doc_span(doc, span)->parent) {
        m->holds[span] = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        spans[i] = move_span(m, i);
    }
    for (uint32_t i = 0; i < chunks; i++) {
        rows[i] = spans + (size_t)i * LL_SPANS_PER_CHUNK;
    }
    m->moved = *doc;
    m->moved.chunks.items = rows;
    m->moved.bytes = m->moved.regions[0].bytes = m->out->bytes;
    m->moved.size = m->moved.regions[0].size = m->out->size;
    for (uint32_t i = 1; i < doc->region_count; i++) {
        m->moved.regions[i].base = address(m, doc->regions[i].base, false);
    }
    return LL_OK;
}

static void widen(move *m, uint32_t from, uint32_t to)
{
    m->out->from = from < m->out->from ? from : m->out->from;
    m->to = to > m->to ? to : m->to;
}

/* The fields of an element that were as they follow from the rest, and should be so again. */
static void follow(move *m, const ll_deriver *before, const ll_deriver *after, uint32_t span, uint32_t element)
{
    const ll_span *s = ll_doc_span(m->doc, span);
    const ll_span *t = ll_doc_span(&m->moved, span);
    const ll_layout *layout = ll_doc_layout(m->doc, span);
    uint32_t record = s->offset + element * layout->size;
    uint32_t place = address(m, record, m->holds[span] && element == 0);
    uint32_t number = (place - t->offset) / layout->size;
    bool whole = address(m, record + layout->size, true) == place + layout->size && place >= t->offset &&
                 (place - t->offset) % layout->size == 0 && number < t->count;
    for (unsigned i = 0; whole && i < layout->field_count; i++) {
        uint8_t was[LL_DERIVED_MAX];
        uint8_t is[LL_DERIVED_MAX];
        const ll_field *f = &layout->fields[i];
        if (f->bytes <= LL_DERIVED_MAX && ll_derive(before, span, element, i, was) == LL_DERIVED &&
            memcmp(was, m->doc->bytes + record + f->offset, f->bytes) == 0 &&
            ll_derive(after, span, number, i, is) == LL_DERIVED && memcmp(was, is, f->bytes) != 0) {
            memcpy(m->out->bytes + place + f->offset, is, f->bytes);
            widen(m, record + f->offset, record + f->offset + f->bytes);
        }
    }
}

static ll_status follow_all(move *m, ll_arena *arena)
{
    ll_deriver before;
    ll_deriver after;
    if (!ll_deriver_start(&before, m->doc, arena) || !ll_deriver_start(&after, &m->moved, arena)) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < m->doc->span_count; i++) {
        const ll_span *s = ll_doc_span(m->doc, i);
        bool derives = before.rows[s->layout] || before.references[s->layout];
        if (!derives || s->offset >= m->doc->size || ll_doc_span(&m->moved, i)->layout != s->layout) {
            continue;
        }
        for (uint32_t element = 0; element < s->count; element++) {
            follow(m, &before, &after, i, element);
        }
    }
    return LL_OK;
}

ll_status ll_consequences_of(const ll_doc *doc, uint32_t span, const ll_edit *edit, ll_arena *arena,
                             ll_consequences *out)
{
    *out = (ll_consequences){.from = UINT32_MAX};
    cut main = {edit->offset, edit->removed, edit->size, edit->bytes};
    cut other = {edit->balance, edit->size, edit->removed, NULL}; /* as many bytes the other way */
    bool before = edit->balance && edit->balance < edit->offset;
    if (!edit->balance) {
        other = (cut){doc->size, 0, 0, NULL};
    }
    move m = {.doc = doc, .cuts = {before ? other : main, before ? main : other}, .out = out};
    uint64_t end = (uint64_t)m.cuts[0].offset + m.cuts[0].removed;
    if (end > m.cuts[1].offset || !ll_fits(m.cuts[1].offset, m.cuts[1].removed, doc->size)) {
        return LL_E_ARGUMENT;
    }
    for (size_t i = 0; i < (edit->balance ? 2U : 1U); i++) {
        widen(&m, m.cuts[i].offset, m.cuts[i].offset + m.cuts[i].removed);
    }
    ll_status status = put_bytes(&m, arena);
    status = status == LL_OK && doc->format ? move_spans(&m, span, arena) : status;
    status = status == LL_OK && doc->format ? follow_all(&m, arena) : status;
    out->was = m.to - out->from;
    out->is = out->was + out->size - doc->size;
    return status;
}
