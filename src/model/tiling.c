/* Finds holes and double claims in the tiling, walks the leaves, and finds the leaf at an address. */
#include "model/tiling.h"

#include "base/sort.h"
#include "model/fault.h"
#include "model/format.h"
#include "model/names.h"

/* Number of bytes at the front of a span that are its own. Its children are after them. */
static uint32_t own_bytes(const ll_doc *doc, uint32_t span)
{
    const ll_layout *layout = ll_doc_layout(doc, span);
    if (layout->kind == LL_KIND_RECORD) {
        return ll_doc_span(doc, span)->count * layout->size;
    }
    return layout->kind == LL_KIND_GROUP ? 0 : ll_doc_span(doc, span)->length;
}

/* The innermost span at or above `span` that contains pos. LL_NO_SPAN: none does. */
static uint32_t holder(const ll_doc *doc, uint32_t span, uint32_t pos)
{
    while (span != LL_NO_SPAN) {
        const ll_span *s = ll_doc_span(doc, span);
        if (pos >= s->offset && pos - s->offset < s->length) {
            break;
        }
        span = s->parent;
    }
    return span;
}

typedef struct tiling {
    const ll_doc *doc;
    bool (*hole)(struct tiling *t, uint32_t holder, uint32_t offset, uint32_t length);
    bool (*own)(struct tiling *t, uint32_t span, uint32_t covered); /* covered: address up to which bytes are taken */
    ll_leaf_fn visit;
    void *ctx;
} tiling;

/* Calls t->hole() for [from, to), in pieces where spans end in it. */
static bool holes(tiling *t, uint32_t last, uint32_t from, uint32_t to)
{
    while (from < to) {
        uint32_t inside = holder(t->doc, last, from);
        uint32_t end = to;
        if (inside != LL_NO_SPAN) {
            const ll_span *s = ll_doc_span(t->doc, inside);
            end = s->offset + s->length < to ? s->offset + s->length : to;
        }
        if (!t->hole(t, inside, from, end - from)) {
            return false;
        }
        from = end;
    }
    return true;
}

/* Tiles the addresses [from, to) with the spans that begin there, from position *next on. Sets *next to the first span
 * after. */
static bool tile_stretch(tiling *t, uint32_t from, uint32_t to, uint32_t *next)
{
    uint32_t pos = from;
    uint32_t last = LL_NO_SPAN;
    for (; *next < t->doc->span_count; ++*next) {
        uint32_t span = ll_span_in_order(t->doc, *next);
        uint32_t own = own_bytes(t->doc, span);
        uint32_t offset = ll_doc_span(t->doc, span)->offset;
        if (offset > to) {
            break;
        }
        if (own) {
            if (!holes(t, last, pos, offset) || !t->own(t, span, pos)) {
                return false;
            }
            pos = offset + own > pos ? offset + own : pos;
        }
        last = span;
    }
    return holes(t, last, pos, to);
}

static void tile(tiling *t)
{
    uint32_t next = 0;
    bool going = true;
    for (uint32_t i = 0; going && i < t->doc->region_count; i++) {
        const ll_region *region = &t->doc->regions[i];
        going = tile_stretch(t, region->base, region->base + region->size, &next);
    }
}

static bool is_sorted(const ll_doc *doc)
{
    for (uint32_t i = 1; i < doc->span_count; i++) {
        if (ll_doc_span(doc, i)->offset < ll_doc_span(doc, i - 1)->offset) {
            return false;
        }
    }
    return true;
}

/* A stable sort: parents stay in front of children that begin at the same place. */
static void sort_spans(ll_doc *doc)
{
    uint32_t n = doc->span_count;
    uint32_t *order = ll_doc_alloc(doc, n, sizeof *order);
    ll_sort_key *keys = ll_doc_alloc(doc, n, 2 * sizeof *keys);
    if (!keys || !order) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (ll_sort_key){ll_doc_span(doc, i)->offset, 0, i};
    }
    const ll_sort_key *sorted = ll_sort(keys, keys + n, n);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = sorted[i].item;
    }
    ll_doc_release(doc, keys);
    doc->order = order;
}

static bool seal_hole(tiling *t, uint32_t inside, uint32_t offset, uint32_t length)
{
    LL_RAISE(t->ctx, LL_FAULT_GAP, 0, ll_at_bytes(inside, offset, length), ll_uint(length));
    return true;
}

static bool seal_own(tiling *t, uint32_t span, uint32_t covered)
{
    uint32_t offset = ll_doc_span(t->doc, span)->offset;
    if (offset < covered) {
        uint32_t own = own_bytes(t->doc, span);
        uint32_t both = covered - offset < own ? covered - offset : own;
        LL_RAISE(t->ctx, LL_FAULT_OVERLAP, 0, ll_at_bytes(span, offset, both), ll_uint(covered));
    }
    return true;
}

/* Only needed if some span was not claimed at the end of the one before. */
static void sort_and_tile(ll_doc *doc)
{
    if (!is_sorted(doc)) {
        sort_spans(doc);
    }
    if (doc->status == LL_OK) {
        tiling t = {.doc = doc, .hole = seal_hole, .own = seal_own, .ctx = doc};
        tile(&t);
    }
}

void ll_doc_seal(ll_doc *doc)
{
    if (doc->status == LL_OK && (doc->tiled != doc->size || doc->region_count > 1)) {
        sort_and_tile(doc);
    }
    if (!doc->names && doc->status == LL_OK && doc->format && ll_has_names(doc->format)) {
        ll_note_names(doc);
    }
    if (!doc->memo && doc->status == LL_OK) {
        doc->own_memo = (ll_memo){doc, NULL};
        doc->memo = &doc->own_memo;
    }
}

static bool walk_hole(tiling *t, uint32_t inside, uint32_t offset, uint32_t length)
{
    ll_leaf leaf = {inside, 0, LL_NO_FIELD, LL_KIND_GAP, offset, length, NULL};
    return t->visit(t->ctx, &leaf);
}

/* Visits the bytes from `covered` on. Bytes that are claimed twice belong to the first owner. */
static bool walk_element(const ll_doc *doc, uint32_t span, uint32_t element, uint32_t covered, ll_leaf_fn visit,
                         void *ctx)
{
    const ll_span *s = ll_doc_span(doc, span);
    const ll_layout *layout = ll_doc_layout(doc, span);
    const bool record = layout->kind == LL_KIND_RECORD && layout->field_count;
    const uint32_t begin = s->offset + (record ? element * layout->size : 0);
    uint32_t fields = layout->field_count ? layout->field_count : 1;
    for (uint32_t field = 0; field < fields; field++) {
        ll_where at = ll_at_bytes(span, s->offset, s->length);
        if (record) { /* as ll_at_field() does, but without a call for each field */
            at.field = (uint16_t)field;
            at.offset = begin + layout->fields[field].offset;
            at.length = layout->fields[field].bytes;
        } else if (layout->field_count) {
            at = ll_at_field(doc, span, element, field);
        }
        uint32_t end = at.offset + at.length;
        uint32_t start = at.offset < covered ? covered : at.offset;
        ll_leaf leaf = {span, element, at.field, layout->kind, start, end - start, NULL};
        if (end > start && !visit(ctx, &leaf)) {
            return false;
        }
    }
    return true;
}

static bool is_split(const ll_doc *doc, uint32_t span)
{
    return ll_doc_layout(doc, span)->role == LL_ROLE_CODE && doc->format->split;
}

/* Number of times that a span has its fields. */
static uint32_t elements_of(const ll_doc *doc, uint32_t span)
{
    unsigned kind = ll_doc_layout(doc, span)->kind;
    return kind == LL_KIND_RECORD ? ll_doc_span(doc, span)->count : kind == LL_KIND_GROUP ? 0 : 1;
}

bool ll_doc_walk_element(const ll_doc *doc, uint32_t span, uint32_t element, ll_leaf_fn visit, void *ctx)
{
    if (is_split(doc, span)) {
        return doc->format->split(doc, span, visit, ctx);
    }
    return element >= elements_of(doc, span) || walk_element(doc, span, element, 0, visit, ctx);
}

static bool walk_own(tiling *t, uint32_t span, uint32_t covered)
{
    if (is_split(t->doc, span) && ll_doc_span(t->doc, span)->offset >= covered) {
        return t->doc->format->split(t->doc, span, t->visit, t->ctx);
    }
    for (uint32_t element = 0; element < elements_of(t->doc, span); element++) {
        if (!walk_element(t->doc, span, element, covered, t->visit, t->ctx)) {
            return false;
        }
    }
    return true;
}

void ll_doc_walk(const ll_doc *doc, ll_leaf_fn visit, void *ctx)
{
    tiling t = {.doc = doc, .hole = walk_hole, .own = walk_own, .visit = visit, .ctx = ctx};
    tile(&t);
}

/* ------------------------------------------------------------------ one leaf */

typedef struct search {
    uint32_t address;
    ll_leaf *out;
} search;

static bool is_elsewhere(void *ctx, const ll_leaf *leaf)
{
    const search *s = ctx;
    bool holds = s->address >= leaf->offset && s->address - leaf->offset < leaf->length;
    if (holds) {
        *s->out = *leaf;
    }
    return !holds;
}

bool ll_doc_leaf_at(const ll_doc *doc, uint32_t address, ll_leaf *out)
{
    enum { BACK = 256 };
    const ll_region *region = ll_doc_locate(doc, address);
    uint32_t end = region->base + region->size;
    LL_BISECT(behind, doc->span_count, i, ll_doc_span(doc, ll_span_in_order(doc, i))->offset <= address);
    uint32_t first = behind > BACK ? behind - BACK : 0;
    if (behind < doc->span_count) {
        uint32_t next = ll_doc_span(doc, ll_span_in_order(doc, behind))->offset;
        end = next < end ? next : end;
    }
    while (behind > first && !own_bytes(doc, ll_span_in_order(doc, behind - 1))) {
        behind--;
    }
    uint32_t span = behind > first ? ll_span_in_order(doc, behind - 1) : LL_NO_SPAN;
    uint32_t into = span == LL_NO_SPAN ? UINT32_MAX : address - ll_doc_span(doc, span)->offset;
    if (span != LL_NO_SPAN && into < own_bytes(doc, span)) {
        search sought = {address, out};
        uint32_t each = ll_doc_layout(doc, span)->kind == LL_KIND_RECORD ? ll_doc_layout(doc, span)->size : 0;
        return !walk_element(doc, span, each ? into / each : 0, 0, is_elsewhere, &sought);
    }
    *out = (ll_leaf){LL_NO_SPAN, 0, LL_NO_FIELD, LL_KIND_GAP, address, end - address, NULL};
    return span != LL_NO_SPAN || first == 0;
}
