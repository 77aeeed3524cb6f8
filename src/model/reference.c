/* Resolves references by the ledger. It relies on the ledger, and on children being claimed before the next sibling of
 * their parent. No value of the file is trusted. */
#include "model/reference.h"

#include "base/sort.h"
#include "model/value.h"

_Static_assert(LL_NO_SPAN == UINT32_MAX, "of a layout without spans, firsts[] - 1 is none");

enum { SEARCHED = 4096 }; /* most spans that are checked for an index */

const ll_reference *ll_reference_of(const ll_format *format, unsigned layout, unsigned field)
{
    for (size_t i = 0; i < format->reference_count; i++) {
        if (format->references[i].layout == layout && format->references[i].field == field) {
            return &format->references[i];
        }
    }
    return NULL;
}

const ll_reference *ll_reference_to(const ll_format *format, const ll_part_row *part)
{
    for (size_t i = 0; i < format->reference_count; i++) {
        const ll_reference *row = &format->references[i];
        if (row->target == part->layout && row->within == part->owner) {
            return row;
        }
    }
    return NULL;
}

static ll_number_field number_field(const ll_layout *layout, unsigned number)
{
    if (number == LL_NO_FIELD) {
        return (ll_number_field){0, 0, false};
    }
    const ll_field *f = &layout->fields[number]; /* one number, as vectors do not point */
    return (ll_number_field){f->offset, (uint8_t)f->bytes, ll_type_is_signed(f->type)};
}

ll_resolver ll_resolver_start(const ll_doc *doc, const ll_reference *row)
{
    const ll_layout *layout = &doc->layouts[row->layout];
    uint16_t size = row->how == LL_BY_INDEX ? 1 : doc->layouts[row->target].size;
    ll_resolver r = {.doc = doc,
                     .row = row,
                     .targets = {.holder = LL_NO_SPAN, .first = LL_NO_SPAN},
                     .span = LL_NO_SPAN,
                     .record_size = layout->size,
                     .endian = layout->endian,
                     .value = number_field(layout, row->field),
                     .extent = number_field(layout, row->extent),
                     .counted = row->extent != LL_NO_FIELD && row->unit != LL_COUNTS_PRESENCE,
                     .unit = size ? size : 1,
                     .origin_step = row->how == LL_BY_OFFSET_FROM_FIELD ? layout->size : 0};
    const bool minus_one = row->null & LL_NULL_MINUS_ONE;
    r.ones = minus_one ? UINT64_MAX >> (64U - 8U * r.value.bytes) : 0;
    r.nowhere = minus_one ? r.ones : 1; /* `& 0` never gives 1 */
    r.step = r.counted && row->unit == LL_COUNTS_BYTES ? 1 : r.unit;
    return r;
}

ll_resolver *ll_resolvers_start(const ll_doc *doc, ll_arena *arena)
{
    size_t count = doc->format ? doc->format->reference_count : 0;
    ll_resolver *resolvers = ll_arena_alloc(arena, count + 1, sizeof *resolvers);
    for (size_t i = 0; resolvers && i < count; i++) {
        resolvers[i] = ll_resolver_start(doc, &doc->format->references[i]);
    }
    return resolvers;
}

/* ------------------------------------------------------------------ targets */

/* The nearest span of a layout at or above `span`. LL_NO_SPAN: there is none. */
static uint32_t find_above(const ll_doc *doc, uint32_t span, unsigned layout)
{
    while (span != LL_NO_SPAN && ll_doc_span(doc, span)->layout != layout) {
        span = ll_doc_span(doc, span)->parent;
    }
    return span;
}

/* Counts the spans of the target's layout right below the holder, or in the whole file. */
static void count_targets(const ll_resolver *r, ll_targets *out)
{
    bool all = r->row->within == LL_WITHIN_FILE;
    for (uint32_t i = all ? 0 : out->holder + 1; i < r->doc->span_count; i++) {
        const ll_span *s = ll_doc_span(r->doc, i);
        if (!all && (s->parent == LL_NO_SPAN || s->parent < out->holder)) {
            break;
        }
        if (s->layout == LL_LAYOUT_UNPARSED && s->parent == out->holder) {
            out->known = false;
        }
        if (s->layout == r->row->target && (all || s->parent == out->holder)) {
            out->first = out->first == LL_NO_SPAN ? i : out->first;
            out->count += ll_doc_layout(r->doc, i)->kind == LL_KIND_RECORD ? s->count : 1;
        }
    }
}

/* Address that offsets in the body of a holder count from. */
static uint32_t body_of(const ll_doc *doc, uint32_t holder)
{
    const ll_span *s = ll_doc_span(doc, holder);
    const ll_layout *layout = ll_doc_layout(doc, holder);
    return s->offset + (layout->kind == LL_KIND_RECORD ? s->count * layout->size : 0U);
}

static void look_for_targets(ll_resolver *r, uint32_t holder)
{
    ll_targets *out = &r->targets;
    *out = (ll_targets){.holder = holder, .first = LL_NO_SPAN, .end = r->doc->size, .known = !r->doc->fatal};
    if (r->row->within != LL_WITHIN_FILE) {
        const ll_span *s = holder == LL_NO_SPAN ? NULL : ll_doc_span(r->doc, holder);
        out->known = s && !(s->flags & (LL_SPAN_BROKEN | LL_SPAN_DOUBTFUL));
        out->end = s ? s->offset + s->length : 0;
        if (!s) {
            return;
        }
        out->start = r->row->how == LL_BY_OFFSET_FROM_FIELD ? s->offset : body_of(r->doc, holder);
    }
    count_targets(r, out);
    if (out->first != LL_NO_SPAN && r->row->how != LL_BY_INDEX) {
        out->base = (int64_t)ll_doc_span(r->doc, out->first)->offset - out->start;
    }
}

/* ------------------------------------------------------------------ one reference */

/* Looks for the targets again only if the holder is another one. A record outside of all holders refers to the first
 * one. */
void ll_resolver_enter(ll_resolver *r, uint32_t span)
{
    unsigned within = r->row->within;
    uint32_t holder = within == LL_WITHIN_FILE ? LL_NO_SPAN : find_above(r->doc, span, within);
    if (holder == LL_NO_SPAN && within != LL_WITHIN_FILE) {
        holder = r->doc->firsts[within] - 1;
    }
    if (r->span == LL_NO_SPAN || holder != r->targets.holder) {
        look_for_targets(r, holder);
    }
    uint32_t offset = ll_doc_span(r->doc, span)->offset;
    bool from_field = r->row->how == LL_BY_OFFSET_FROM_FIELD;
    r->span = span;
    r->records = ll_doc_at(r->doc, offset);
    r->origin = from_field ? (int64_t)offset + r->value.offset - r->targets.start : 0;
    r->size = r->row->how == LL_BY_INDEX ? r->targets.count : r->targets.end - r->targets.start;
}

int64_t ll_reference_value(const ll_doc *doc, const ll_reference *row, uint32_t span, uint32_t element, uint32_t target,
                           uint32_t target_element)
{
    const ll_span *s = ll_doc_span(doc, span), *t = ll_doc_span(doc, target);
    const ll_layout *layout = &doc->layouts[row->layout];
    int64_t address = (int64_t)t->offset + (int64_t)target_element * doc->layouts[t->layout].size;
    switch ((ll_how)row->how) {
    case LL_BY_INDEX:
        return t->flags & LL_SPAN_ARRAY || t->index == LL_NO_INDEX ? target_element : t->index;
    case LL_BY_OFFSET_FROM_FIELD:
        return address - s->offset - (int64_t)element * layout->size - layout->fields[row->field].offset;
    case LL_BY_OFFSET_IN_BODY: {
        uint32_t holder = find_above(doc, target, row->within);
        return address - (holder == LL_NO_SPAN ? 0 : body_of(doc, holder));
    }
    case LL_BY_OFFSET_IN_FILE:
        break;
    }
    return address;
}

bool ll_reference_in_row(const ll_doc *doc, const ll_reference *row, uint32_t span, uint32_t element, bool extent,
                         int64_t *value)
{
    ll_resolver r = ll_resolver_start(doc, row);
    ll_target t;
    ll_resolve(&r, span, element, &t);
    const ll_target own = t;
    int64_t from = r.targets.base;
    int64_t to = r.size;
    for (uint32_t i = 0; i < ll_doc_span(doc, span)->count; i++) {
        ll_resolve(&r, span, i, &t);
        if (i < element && t.inside && t.end > from) {
            from = t.end;
        } else if (i > element && t.inside && t.first >= from && t.first < to) {
            to = t.first;
        }
    }
    int64_t start = own.first >= from && own.first <= to ? own.first : from;
    *value = !extent                     ? from - r.origin - element * r.origin_step
             : own.null && own.half_null ? 0
                                         : (to - start) / r.step;
    return r.targets.first != LL_NO_SPAN;
}

/* ------------------------------------------------------------------ places */

/* The span of a layout that begins at an address. LL_NO_SPAN: there is none. */
static uint32_t find_at(const ll_doc *doc, uint32_t address, unsigned layout)
{
    LL_BISECT(low, doc->span_count, i, ll_doc_span(doc, ll_span_in_order(doc, i))->offset < address);
    for (; low < doc->span_count; low++) {
        uint32_t span = ll_span_in_order(doc, low);
        if (ll_doc_span(doc, span)->offset != address) {
            break;
        }
        if (ll_doc_span(doc, span)->layout == layout) {
            return span;
        }
    }
    return LL_NO_SPAN;
}

ll_where ll_target_place(const ll_resolver *r, const ll_target *target)
{
    const ll_targets *t = target->targets;
    const ll_span *s = t->first == LL_NO_SPAN ? NULL : ll_doc_span(r->doc, t->first);
    ll_where at = ll_nowhere();
    if (!target->inside || !s) {
        return at;
    }
    if (s->index != LL_NO_INDEX && r->row->how == LL_BY_INDEX) {
        uint32_t i = t->first;
        for (uint32_t left = SEARCHED; left && i < r->doc->span_count; left--, i++) {
            const ll_span *other = ll_doc_span(r->doc, i);
            if (other->layout == r->row->target && other->index == (uint64_t)target->first) {
                return ll_at_bytes(i, other->offset, other->length);
            }
        }
        return at;
    }
    uint32_t size = r->doc->layouts[r->row->target].size;
    uint64_t address =
        r->row->how == LL_BY_INDEX ? s->offset + (uint64_t)target->first * size : t->start + (uint64_t)target->first;
    if (size && s->count == t->count && address >= s->offset && (address - s->offset) / size < s->count) {
        at = ll_at_bytes(t->first, (uint32_t)address, size);
        at.element = (uint32_t)((address - s->offset) / size);
        at.field = LL_NO_FIELD;
    } else if (r->row->how != LL_BY_INDEX) {
        uint32_t span = find_at(r->doc, (uint32_t)address, r->row->target);
        uint32_t length = span == LL_NO_SPAN ? (uint32_t)target->extent : ll_doc_span(r->doc, span)->length;
        at = ll_at_bytes(span, (uint32_t)address, length);
    }
    return at;
}

void ll_target_text(const ll_resolver *r, const ll_target *target, ll_text *out)
{
    ll_where at = ll_target_place(r, target);
    uint32_t holder = target->targets->holder;
    ll_where whole = holder == LL_NO_SPAN ? at : ll_at_bytes(holder, ll_doc_span(r->doc, holder)->offset, 0);
    if (target->null) {
        return;
    }
    if (at.span != LL_NO_SPAN) {
        ll_path_text(r->doc, &at, out);
        return;
    }
    ll_text_str(out, target->inside ? "in " : "outside ");
    ll_path_text(r->doc, &whole, out);
    if (target->inside) {
        ll_text_str(out, r->row->how == LL_BY_INDEX ? " number " : " +0x");
        if (r->row->how == LL_BY_INDEX) {
            ll_text_i64(out, target->first);
        } else {
            ll_text_hex(out, (uint64_t)target->first, 1);
        }
    }
}

static unsigned field_with_role(const ll_layout *layout, ll_role role)
{
    for (unsigned i = 0; i < layout->field_count; i++) {
        if (layout->fields[i].role == role) {
            return i;
        }
    }
    return LL_NO_FIELD;
}

ll_where ll_targets_stated(const ll_resolver *r)
{
    uint32_t holder = r->targets.holder;
    if (holder == LL_NO_SPAN) {
        return ll_nowhere();
    }
    const ll_layout *layout = ll_doc_layout(r->doc, holder);
    unsigned field = LL_NO_FIELD; /* the holder may count its own targets */
    for (size_t i = 0; i < r->doc->format->reference_count && field == LL_NO_FIELD; i++) {
        const ll_reference *other = &r->doc->format->references[i];
        bool of_holder = other->layout == ll_doc_span(r->doc, holder)->layout;
        field = of_holder && other->target == r->row->target ? other->extent : LL_NO_FIELD;
    }
    if (field == LL_NO_FIELD && r->row->how == LL_BY_INDEX) {
        field = field_with_role(layout, LL_ROLE_COUNT);
    }
    field = field != LL_NO_FIELD ? field : field_with_role(layout, LL_ROLE_SIZE);
    return field == LL_NO_FIELD ? ll_nowhere() : ll_at_field(r->doc, holder, 0, field);
}
