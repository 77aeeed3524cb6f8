/* Works out what follows from a patch. The moved document has the spans of the parsed one, in the same order, at their
 * new places over the new bytes. The ledger is trusted; references are resolved in it. */
#include "model/consequence.h"

#include "model/derive.h"
#include "model/reference.h"
#include "model/reorder.h"

#include <string.h>

typedef struct move {
    const ll_doc *doc;
    const ll_edit *edit;
    bool lead;                /* references follow their targets */
    uint32_t rest;            /* surplus after an array that bytes are taken out of; LL_NO_SPAN: none */
    uint32_t array;           /* that array; LL_NO_SPAN: none */
    bool *holds;              /* by span: bytes that are put in at its edge belong to it */
    const uint32_t **numbers; /* by span: the new numbers of its elements; NULL: they keep theirs */
    ll_doc moved;
    ll_span *spans; /* spans of the moved document */
    ll_deriver before, after;
    ll_resolver *resolvers; /* of the parsed document, by number of the row */
    uint32_t to;            /* address in the old file after the last byte that differs */
    ll_consequences *out;
} move;

/* The new place of an address. stays: if bytes are put in at this address, it stays in front of them. */
static uint32_t address(const move *m, uint32_t at, bool stays)
{
    const ll_edit *edit = m->edit;
    uint32_t end = edit->offset + edit->removed;
    bool behind = at >= end && (at > edit->offset || !stays);
    int64_t moved = behind ? (int64_t)at + edit->size - edit->removed : at > edit->offset ? edit->offset : at;
    if (at > m->doc->size && m->out->size > m->doc->size) { /* other regions move out of the way of a longer file */
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
    if (number == m->array) { /* the surplus after the array belongs to it now */
        own_end += m->edit->removed;
        end += own == s.length ? m->edit->removed : 0;
    } else if (number == m->rest) {
        start += m->edit->removed;
    }
    s.length = end > start ? end - start : 0;
    uint32_t left = own_end > start ? own_end - start : 0;
    if (layout->kind == LL_KIND_STRING) {
        s.count = left;
    } else if (layout->kind == LL_KIND_RECORD) {
        uint32_t room = left / layout->size;
        s.count = room < s.count || s.flags & LL_SPAN_ARRAY ? room : s.count;
    }
    if (!s.length && ll_doc_span(m->doc, number)->length) { /* all its bytes were taken out */
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
    const ll_edit *edit = m->edit;
    uint64_t room = (uint64_t)doc->size + edit->size; /* zeros after the file, for records that lost bytes */
    if (room > UINT32_MAX - 64) {
        return LL_E_ARGUMENT;
    }
    out->bytes = ll_arena_zalloc(arena, (size_t)room, 1);
    if (!out->bytes) {
        return LL_E_MEMORY;
    }
    uint32_t end = edit->offset + edit->removed;
    memcpy(out->bytes, doc->bytes, edit->offset);
    if (edit->size) {
        memcpy(out->bytes + edit->offset, edit->bytes, edit->size);
    }
    memcpy(out->bytes + edit->offset + edit->size, doc->bytes + end, doc->size - end);
    out->size = doc->size - edit->removed + edit->size;
    return LL_OK;
}

/* Makes the moved document, with the spans still at their old places. */
static ll_status copy_spans(move *m, ll_arena *arena)
{
    const ll_doc *doc = m->doc;
    uint32_t n = doc->span_count;
    uint32_t chunks = n / LL_SPANS_PER_CHUNK + 1;
    ll_span **rows = ll_arena_alloc(arena, chunks, sizeof *rows);
    m->spans = ll_arena_alloc(arena, n ? n : 1, sizeof *m->spans);
    m->holds = ll_arena_zalloc(arena, n ? n : 1, sizeof *m->holds);
    m->numbers = ll_arena_zalloc(arena, n ? n : 1, sizeof *m->numbers);
    if (!rows || !m->spans || !m->holds || !m->numbers) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) {
        m->spans[i] = *ll_doc_span(doc, i);
    }
    for (uint32_t i = 0; i < chunks; i++) {
        rows[i] = m->spans + (size_t)i * LL_SPANS_PER_CHUNK;
    }
    m->moved = *doc;
    m->moved.chunks.items = rows;
    m->moved.bytes = m->moved.regions[0].bytes = m->out->bytes;
    m->moved.size = m->moved.regions[0].size = m->out->size;
    return LL_OK;
}

/* If bytes were put into an array of records, its last bytes were pushed out and stand after it as surplus. Finds that
 * array and the surplus. */
static void find_rest(move *m)
{
    const ll_doc *doc = m->doc;
    const ll_edit *edit = m->edit;
    for (uint32_t i = 0; i + 1 < doc->span_count && m->rest == LL_NO_SPAN && !edit->size; i++) {
        const ll_span *s = ll_doc_span(doc, i), *next = ll_doc_span(doc, i + 1);
        const uint32_t own = s->flags & LL_SPAN_ARRAY ? ll_doc_layout(doc, i)->size * s->count : 0;
        const bool within =
            edit->offset >= s->offset && own >= edit->removed && edit->offset - s->offset <= own - edit->removed;
        if (own && within && next->layout == LL_LAYOUT_UNPARSED && next->offset == s->offset + own &&
            next->length >= edit->removed) {
            m->array = i;
            m->rest = i + 1;
        }
    }
}

static ll_status move_spans(move *m, uint32_t span)
{
    const ll_doc *doc = m->doc;
    find_rest(m);
    for (; span != LL_NO_SPAN; span = ll_doc_span(doc, span)->parent) {
        m->holds[span] = true;
    }
    for (uint32_t i = 0; i < doc->span_count; i++) {
        m->spans[i] = move_span(m, i);
    }
    for (uint32_t i = 1; i < doc->region_count; i++) {
        m->moved.regions[i].base = address(m, doc->regions[i].base, false);
    }
    return LL_OK;
}

/* ------------------------------------------------------------------ what follows */

static void widen(move *m, uint32_t from, uint32_t to)
{
    m->out->from = from < m->out->from ? from : m->out->from;
    m->to = to > m->to ? to : m->to;
}

/* The new address of an element, and its new number. False: it is not there as a whole. */
static bool find_moved(const move *m, uint32_t span, uint32_t element, uint32_t *place, uint32_t *number)
{
    const ll_span *s = ll_doc_span(m->doc, span);
    const ll_span *t = ll_doc_span(&m->moved, span);
    uint32_t size = ll_doc_layout(m->doc, span)->size, record = s->offset + element * size;
    if (m->edit->order || !size) {
        *number = m->numbers[span] ? m->numbers[span][element] : element;
        *place = t->offset + *number * size;
        return t->layout == s->layout;
    }
    *place = address(m, record, m->holds[span] && element == 0);
    *number = (*place - t->offset) / size;
    return address(m, record + size, true) == *place + size && *place >= t->offset &&
           (*place - t->offset) % size == 0 && *number < t->count;
}

/* The new value of a reference that led to the start of a target. False: it led elsewhere, or targets were put in or
 * taken out, so the meant one is unknown. */
static bool lead_again(const move *m, const ll_reference *row, uint32_t span, uint32_t element, uint32_t number,
                       uint8_t *bytes)
{
    const ll_doc *doc = m->doc;
    const ll_layout *layout = ll_doc_layout(doc, span);
    const ll_field *f = &layout->fields[row->field];
    ll_resolver *resolver = &m->resolvers[row - doc->format->references];
    ll_target t;
    uint32_t place, target;
    ll_resolve(resolver, span, element, &t);
    ll_where at = ll_target_place(resolver, &t);
    if (at.span == LL_NO_SPAN || !find_moved(m, at.span, at.element, &place, &target)) {
        return false;
    }
    const ll_span *was = ll_doc_span(doc, at.span), *is = ll_doc_span(&m->moved, at.span);
    int64_t value = ll_reference_value(doc, row, span, element, at.span, at.element);
    ll_put_uint(bytes, f->bytes, layout->endian == LL_BIG, (uint64_t)value);
    bool led = memcmp(bytes, ll_doc_at(doc, ll_at_field(doc, span, element, row->field).offset), f->bytes) == 0;
    return led && (was->count == is->count || !(was->flags & LL_SPAN_ARRAY)) &&
           ll_put_number(layout, row->field, ll_reference_value(&m->moved, row, span, number, at.span, target), bytes);
}

/* The new value of a field, if its old value was the derived one or led to a target that moved. False: the field keeps
 * its value. */
static bool follows(const move *m, uint32_t span, uint32_t element, uint32_t number, unsigned field, uint8_t *bytes)
{
    const ll_span *s = ll_doc_span(m->doc, span);
    const ll_layout *layout = ll_doc_layout(m->doc, span);
    const ll_field *f = &layout->fields[field];
    const uint8_t *stated = m->doc->bytes + s->offset + element * layout->size + f->offset;
    if (f->bytes > LL_DERIVED_MAX) {
        return false;
    }
    if (ll_derive(&m->before, span, element, field, bytes) == LL_DERIVED && memcmp(bytes, stated, f->bytes) == 0) {
        return ll_derive(&m->after, span, number, field, bytes) == LL_DERIVED;
    }
    const ll_reference *row =
        m->before.references[s->layout] ? ll_reference_of(m->doc->format, s->layout, field) : NULL;
    bool leads = row && lead_again(m, row, span, element, number, bytes) && memcmp(bytes, stated, f->bytes) != 0;
    m->out->leads = m->out->leads || leads;
    return leads && (m->lead || m->edit->order);
}

/* Updates the fields of an element whose values were the derived ones. Bytes that the patch itself changes stay. */
static void follow(move *m, uint32_t span, uint32_t element)
{
    const ll_layout *layout = ll_doc_layout(m->doc, span);
    uint32_t record = ll_doc_span(m->doc, span)->offset + element * layout->size, place, number;
    bool whole = find_moved(m, span, element, &place, &number);
    for (unsigned i = 0; whole && i < layout->field_count; i++) {
        uint8_t right[LL_DERIVED_MAX];
        const ll_field *f = &layout->fields[i];
        uint8_t *is = m->out->bytes + place + f->offset;
        bool kept = memcmp(is, m->doc->bytes + record + f->offset, f->bytes) == 0;
        if (kept && follows(m, span, element, number, i, right) && memcmp(is, right, f->bytes) != 0) {
            memcpy(is, right, f->bytes);
            widen(m, record + f->offset, record + f->offset + f->bytes);
        }
    }
}

static ll_status follow_all(move *m, ll_arena *arena)
{
    const ll_doc *doc = m->doc;
    m->resolvers = ll_resolvers_start(doc, arena);
    if (!m->resolvers || !ll_deriver_start(&m->before, doc, arena) || !ll_deriver_start(&m->after, &m->moved, arena)) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        bool derives = m->before.rows[s->layout] || m->before.references[s->layout];
        if (!derives || s->offset >= doc->size || ll_doc_span(&m->moved, i)->layout != s->layout) {
            continue;
        }
        for (uint32_t element = 0; element < s->count; element++) {
            follow(m, i, element);
        }
    }
    return LL_OK;
}

/* Finds the range that differs, if bytes were only moved. */
static void narrow(move *m)
{
    ll_consequences *out = m->out;
    out->from = 0;
    m->to = out->size;
    ll_trim_alike(out->bytes, m->doc->bytes, &out->from, &m->to);
}

ll_status ll_consequences_of(const ll_doc *doc, uint32_t span, const ll_edit *edit, bool lead, ll_arena *arena,
                             ll_consequences *out)
{
    *out = (ll_consequences){.from = UINT32_MAX};
    move m = {.doc = doc, .edit = edit, .lead = lead, .rest = LL_NO_SPAN, .array = LL_NO_SPAN, .out = out};
    if (!ll_fits(edit->offset, edit->removed, doc->size)) {
        return LL_E_ARGUMENT;
    }
    widen(&m, edit->offset, edit->offset + edit->removed);
    ll_status status = put_bytes(&m, arena);
    bool moves = edit->removed != edit->size || edit->order; /* otherwise nothing follows */
    if (status == LL_OK && doc->format && moves) {
        status = copy_spans(&m, arena);
        const ll_reordering other = {doc, out->bytes, m.spans, m.numbers};
        status = status != LL_OK ? status
                 : edit->order   ? ll_reorder(&other, span, edit->order, arena)
                                 : move_spans(&m, span);
        status = status == LL_OK ? follow_all(&m, arena) : status;
    }
    if (edit->order) {
        narrow(&m);
    }
    out->was = m.to - out->from;
    out->is = out->was + out->size - doc->size;
    return status;
}
