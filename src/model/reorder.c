/* Moves the elements of an array, and all that belongs to them by number, in copies of the bytes and the spans of a
 * document. */
#include "model/reorder.h"

#include "base/sort.h"
#include "model/names.h"

#include <string.h>

/* Moves spans of one layout below one parent, with the padding in front of each. was: by address; is: in the new order.
 * False: something else stands among them, or what is after them would have to move. */
static bool lay_pieces(const ll_reordering *m, const ll_sort_key *was, const ll_sort_key *is, uint32_t count)
{
    const ll_doc *doc = m->doc;
    unsigned layout = ll_doc_span(doc, was[0].item)->layout;
    const ll_alignment *front = ll_alignment_of(doc->format, layout, LL_ALIGN_START);
    const ll_alignment *back = ll_alignment_of(doc->format, layout, LL_ALIGN_END);
    uint32_t from = ll_doc_span(doc, was[0].item)->offset, end = from, at = from;
    for (uint32_t i = 0; i < count; i++) {
        const ll_span *s = ll_doc_span(doc, was[i].item);
        uint32_t start = end + (i ? ll_padding_at(front, end) : 0);
        if (s->offset != start || !ll_is_zero(doc->bytes + end, doc->bytes + start)) {
            return false;
        }
        end = start + s->length;
    }
    uint32_t padded = end + ll_padding_at(front, end), to = padded < doc->size ? padded : doc->size;
    if (!ll_is_zero(doc->bytes + end, doc->bytes + to)) {
        return false;
    }
    memset(m->bytes + from, 0, to - from);
    for (uint32_t i = 0; i < count; i++) {
        const ll_span *s = ll_doc_span(doc, is[i].item);
        at += i ? ll_padding_at(front, at) : 0;
        if (is[i].second != i || at > to || s->length > to - at ||
            (back && back->unit && (at - s->offset) % back->unit)) {
            return false;
        }
        memcpy(m->bytes + at, doc->bytes + s->offset, s->length);
        m->spans[is[i].item].offset = at;
        m->spans[is[i].item].index = is[i].second;
        at += s->length;
    }
    return at + ll_padding_at(front, at) == padded;
}

/* Moves the elements of an array. */
static void lay_elements(const ll_reordering *m, uint32_t span, const uint32_t *numbers)
{
    const ll_span *s = ll_doc_span(m->doc, span);
    uint32_t size = ll_doc_layout(m->doc, span)->size;
    m->numbers[span] = numbers;
    for (uint32_t i = 0; i < s->count; i++) {
        memcpy(m->bytes + s->offset + (size_t)numbers[i] * size, m->doc->bytes + s->offset + (size_t)i * size, size);
    }
}

/* Moves the spans and elements that belong to the records of an array by number, with all that they hold. False: it is
 * not possible. */
static bool lay_all(const ll_reordering *m, uint32_t span, const uint32_t *numbers, ll_sort_key *was, ll_sort_key *is)
{
    const ll_doc *doc = m->doc;
    const ll_span *of = ll_doc_span(doc, span);
    uint32_t spans = doc->span_count, n = 0;
    bool belongs[LL_LAYOUTS_MAX] = {false};
    for (unsigned i = LL_LAYOUT_BUILTINS; i < doc->format->layout_count; i++) {
        belongs[i] = ll_owner_layout(doc, i) == of->layout;
    }
    for (uint32_t i = 0; i < spans; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        bool array = s->flags & LL_SPAN_ARRAY;
        if (i != span && !belongs[s->layout]) {
            if (s->parent != LL_NO_SPAN && m->numbers[s->parent]) {
                return false; /* it may belong to any element */
            }
            continue;
        }
        if ((array ? s->count != of->count : s->index >= of->count) || s->offset >= doc->size) {
            return false;
        }
        if (array) {
            lay_elements(m, i, numbers);
        } else {
            uint64_t family = (uint64_t)s->parent << 16 | s->layout;
            was[n] = (ll_sort_key){family, s->offset, i};
            is[n++] = (ll_sort_key){family, numbers[s->index], i};
        }
    }
    was = ll_sort(was, was + spans, n);
    is = ll_sort(is, is + spans, n);
    for (uint32_t i = 0; i < n; i += of->count) {
        uint32_t last = i + of->count - 1;
        if (last >= n || was[last].first != was[i].first || !lay_pieces(m, was + i, is + i, of->count)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < spans; i++) {
        uint32_t parent = ll_doc_span(doc, i)->parent;
        if (parent != LL_NO_SPAN && !belongs[ll_doc_span(doc, i)->layout]) {
            m->spans[i].offset += m->spans[parent].offset - ll_doc_span(doc, parent)->offset;
        }
    }
    return true;
}

ll_status ll_reorder(const ll_reordering *m, uint32_t span, const uint32_t *order, ll_arena *arena)
{
    const ll_doc *doc = m->doc;
    const ll_span *s = span < doc->span_count ? ll_doc_span(doc, span) : NULL;
    if (!s || !(s->flags & LL_SPAN_ARRAY) || span != doc->firsts[s->layout] - 1) {
        return LL_E_ARGUMENT;
    }
    size_t room = doc->span_count;
    ll_sort_key *was = ll_arena_alloc(arena, room, 2 * sizeof *was), *is = ll_arena_alloc(arena, room, 2 * sizeof *is);
    uint32_t *numbers = ll_arena_zalloc(arena, s->count, sizeof *numbers);
    if (!was || !is || !numbers) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        numbers[order[i]] = i;
    }
    return lay_all(m, span, numbers, was, is) ? LL_OK : LL_E_ARGUMENT;
}
