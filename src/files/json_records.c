/* Writes records as a tree without what build can compute: derived fields (model/derive.h), padding, and numbers of
 * records in sequence. References name labels of their targets. */
#include "files/json_records.h"

#include "base/half.h"

#include "model/reference.h"
#include "files/shares.h"
#include "findings/texts.h"

/* Depth of nested records that build can read; a record shown inside its owner may be DEEPER. */
enum { DEEPER = 2, DEPTH = 6 + DEEPER };

/* A span whose children are being written. */
typedef struct level {
    uint32_t span; /* LL_NO_SPAN: the file or region */
    uint32_t pos, end;
    uint32_t last;    /* layout of the child written last; LL_NO_FIELD: none */
    bool has_records; /* the key "records" is written */
} level;

typedef struct ll_teller {
    const ll_doc *doc;
    const ll_region *region;
    unsigned first; /* layout of the first span; LL_LAYOUT_GAP: no span */
    ll_jsonw *json; /* NULL: dry run, nothing is written */
    ll_text *scratch;
    ll_deriver deriver;
    ll_resolver *resolvers; /* by row of the format's references */
    uint32_t *numbers;      /* by span: number of its first element among all elements of its layout */
    uint32_t bases[LL_LAYOUTS_MAX];
    uint8_t *pointed; /* by bases[layout] + number: a reference points to the element */
    ll_shares shares;
    uint64_t marked;   /* bit set: lists of shares whose place is written */
    uint32_t left_out; /* spans before this offset are shown inside their owners */
    bool in_owner;     /* writing a span inside its owner */
    ll_hashes texts;
    bool texts_follow; /* the table of texts is derived and left out */
    level stack[DEPTH + 1];
    uint32_t next[DEPTH + 1][LL_LAYOUTS_MAX]; /* by depth and layout family: number of the next record, if not stated */
    unsigned depth;
    ll_status (*flush)(void *ctx);
    void *ctx;
} teller;

/* ------------------------------------------------------------------ what build can compute */

static bool is_array(const ll_span *s)
{
    return s->flags & LL_SPAN_ARRAY;
}

static uint32_t elements_of(const ll_doc *doc, const ll_span *s)
{
    return doc->layouts[s->layout].kind == LL_KIND_RECORD ? s->count : 1;
}

static const uint8_t *bytes_of(const ll_doc *doc, uint32_t span, uint32_t element, const ll_field *f)
{
    const ll_span *s = ll_doc_span(doc, span);
    return ll_doc_at(doc, s->offset) + (size_t)element * doc->layouts[s->layout].size + f->offset;
}

static bool is_derived(const teller *t, uint32_t span, uint32_t element, unsigned field)
{
    const ll_field *f = &ll_doc_layout(t->doc, span)->fields[field];
    const uint8_t *stated = bytes_of(t->doc, span, element, f);
    uint8_t bytes[LL_DERIVED_MAX];
    ll_derived derived = ll_shares_derive(&t->shares, &t->deriver, span, element, field, bytes);
    return derived == LL_DERIVED
               ? memcmp(bytes, stated, f->bytes) == 0
               : derived == LL_NOT_DERIVED && ll_field_is_filler(f) && ll_is_zero(stated, stated + f->bytes);
}

/* The row that aligns a span, given the layout of the span before it. */
static const ll_alignment *alignment_of(const teller *t, unsigned layout, unsigned last)
{
    const ll_format *format = t->doc->format;
    const ll_alignment *row = ll_alignment_of(format, layout, LL_ALIGN_START);
    return row || last == layout ? row : ll_alignment_of(format, layout, LL_ALIGN_FIRST);
}

static const ll_alignment *end_alignment_of(const teller *t, uint32_t span)
{
    const ll_format *format = t->doc->format;
    return span == LL_NO_SPAN ? ll_end_alignment_of(format, t->first)
                              : ll_alignment_of(format, ll_doc_span(t->doc, span)->layout, LL_ALIGN_END);
}

/* Whether the i-th span in order is padding that a row requires. */
static bool is_asked_for(const teller *t, uint32_t i, const level *top)
{
    const ll_doc *doc = t->doc;
    const ll_span *s = ll_doc_span(doc, ll_span_in_order(doc, i));
    const ll_span *next = i + 1 < doc->span_count ? ll_doc_span(doc, ll_span_in_order(doc, i + 1)) : NULL;
    if (doc->layouts[s->layout].role != LL_ROLE_PADDING) {
        return false;
    }
    bool last = s->offset + s->length == top->end;
    const ll_alignment *row = last                                ? end_alignment_of(t, top->span)
                              : next && next->parent == s->parent ? alignment_of(t, next->layout, top->last)
                                                                  : NULL;
    const uint8_t *bytes = ll_doc_at(doc, s->offset);
    return row && row->padding == s->layout && ll_padding_at(row, s->offset - t->region->base) == s->length &&
           ll_is_filling(t->doc->format, s->layout, bytes, s->length);
}

/* ------------------------------------------------------------------ labels */

/* Finds the target of a field that can be replaced by a label. False: write the value. */
static bool leads_to(const teller *t, const ll_reference *row, uint32_t span, uint32_t element, ll_where *at)
{
    ll_resolver *r = &t->resolvers[row - t->doc->format->references];
    ll_target target;
    ll_resolve(r, span, element, &target);
    if (target.null || !target.inside) {
        return false;
    }
    *at = ll_target_place(r, &target);
    if (at->span == LL_NO_SPAN || at->offset > t->doc->size || ll_doc_span(t->doc, span)->offset > t->doc->size ||
        at->element >= elements_of(t->doc, ll_doc_span(t->doc, at->span))) {
        return false;
    }
    const ll_layout *layout = ll_doc_layout(t->doc, span);
    const ll_field *f = &layout->fields[row->field];
    int64_t value = ll_reference_value(t->doc, row, span, element, at->span, at->element);
    return value ==
           ll_read_int(bytes_of(t->doc, span, element, f), f->bytes, ll_type_is_signed(f->type), layout->endian);
}

static uint8_t *mark_of(const teller *t, const ll_where *at)
{
    return &t->pointed[t->bases[ll_doc_span(t->doc, at->span)->layout] + t->numbers[at->span] + at->element];
}

static const ll_reference *label_row(const teller *t, uint32_t span, uint32_t element, unsigned field, ll_where *at)
{
    const ll_reference *row =
        ll_is_usable(t->doc, span) ? ll_reference_of(t->doc->format, ll_doc_span(t->doc, span)->layout, field) : NULL;
    return row && leads_to(t, row, span, element, at) ? row : NULL;
}

/* Numbers all elements and marks the targets of references. False: out of memory. */
static bool mark_targets(teller *t, ll_arena *arena)
{
    const ll_doc *doc = t->doc;
    const ll_format *format = doc->format;
    uint64_t total = 0, counts[LL_LAYOUTS_MAX] = {0};
    t->numbers = ll_arena_alloc(arena, doc->span_count + 1U, sizeof *t->numbers);
    t->resolvers = ll_resolvers_start(doc, arena);
    for (uint32_t i = 0; t->numbers && i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        t->numbers[i] = (uint32_t)counts[s->layout];
        counts[s->layout] += elements_of(doc, s);
    }
    for (size_t i = 0; i < format->layout_count; i++) {
        t->bases[i] = (uint32_t)total;
        total += counts[i];
    }
    t->pointed = ll_arena_zalloc(arena, (size_t)total + 1, 1);
    if (!t->numbers || !t->resolvers || !t->pointed) {
        return false;
    }
    for (size_t k = 0; k < format->reference_count; k++) {
        const ll_reference *row = &format->references[k];
        for (uint32_t i = doc->firsts[row->layout] ? doc->firsts[row->layout] - 1 : doc->span_count;
             i < doc->span_count; i++) {
            const ll_span *s = ll_doc_span(doc, i);
            for (uint32_t e = 0; s->layout == row->layout && ll_is_usable(doc, i) && e < s->count; e++) {
                ll_where at;
                if (!is_derived(t, i, e, row->field) && leads_to(t, row, i, e, &at)) {
                    *mark_of(t, &at) = 1;
                }
            }
        }
    }
    return true;
}

static void put_label(const teller *t, const ll_where *at)
{
    ll_jsonw_open(t->json);
    ll_text_format(t->json->out, "%s.%u", ll_layout_tail(ll_doc_layout(t->doc, at->span)),
                   t->numbers[at->span] + at->element);
    ll_jsonw_close(t->json);
}

/* ------------------------------------------------------------------ values */

static void put_hex_object(ll_jsonw *json, const uint8_t *bytes, size_t n)
{
    ll_jsonw_begin(json, '{');
    ll_jsonw_key(json, "hex");
    ll_jsonw_hex(json, bytes, n);
    ll_jsonw_end(json, '}');
}

static void put_bits(ll_jsonw *json, uint64_t bits, unsigned bytes)
{
    ll_jsonw_open(json);
    ll_text_str(json->out, "0x");
    ll_text_hex(json->out, bits, 2 * bytes);
    ll_jsonw_close(json);
}

/* Writes a number so that it reads back bit for bit: -0, infinities and NaNs as bits. */
static void put_number(const teller *t, const ll_field *f, unsigned endian, const uint8_t *p)
{
    unsigned bytes = ll_type_bytes(f->type);
    uint64_t bits = ll_read_uint(p, bytes, endian);
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    bool odd =
        ll_type_is_float(f->type) &&
        (bits == sign || !(bytes == 2 ? ll_half_is_finite((uint16_t)bits) : ll_single_is_finite((uint32_t)bits)));
    if (odd || ll_field_is_hex(f)) {
        put_bits(t->json, bits, bytes);
        return;
    }
    if (!ll_type_is_float(f->type) && !ll_type_is_signed(f->type)) {
        ll_jsonw_u64(t->json, bits);
        return;
    }
    ll_text_clear(t->scratch);
    if (ll_type_is_float(f->type)) {
        ll_text_float(t->scratch, ll_read_number(p, f->type, endian), 8 * bytes);
    } else {
        ll_text_i64(t->scratch, ll_read_int(p, bytes, true, endian));
    }
    t->json->out->failed = t->json->out->failed || t->scratch->failed;
    ll_jsonw_raw(t->json, t->scratch->data, t->scratch->length);
}

static void put_value(const teller *t, const ll_field *f, unsigned endian, const uint8_t *p)
{
    unsigned elements = ll_field_elements(f), bytes = ll_type_bytes(f->type);
    if (f->type == LL_TYPE_BYTES) {
        ll_jsonw_hex(t->json, p, f->bytes);
        return;
    }
    if (f->type == LL_TYPE_CHARS) {
        size_t n = f->bytes;
        while (n && p[n - 1] == 0) {
            n--;
        }
        if (ll_is_plain_text(p, n)) {
            ll_jsonw_string(t->json, (const char *)p, n);
        } else {
            put_hex_object(t->json, p, f->bytes);
        }
        return;
    }
    if (elements > 1) {
        ll_jsonw_begin(t->json, '[');
    }
    for (unsigned i = 0; i < elements; i++) {
        put_number(t, f, endian, p + (size_t)i * bytes);
    }
    if (elements > 1) {
        ll_jsonw_end(t->json, ']');
    }
}

/* The text with that hash; NULL: write the hash. */
static const ll_hashed *text_of(const teller *t, unsigned layout, const ll_field *f, unsigned endian, const uint8_t *p)
{
    const ll_hashed *known =
        ll_holds_text(t->doc->format, layout, f) ? ll_hashes_find(&t->texts, ll_read_uint(p, f->bytes, endian)) : NULL;
    return known && known->text ? known : NULL;
}

/* Writes a text; as an object if it could be taken for a number. */
static void put_hashed(ll_jsonw *json, const ll_hashed *known)
{
    bool bare = ll_is_bare_text(known->length ? known->text : "");
    if (!bare) {
        ll_jsonw_begin(json, '{');
        ll_jsonw_key(json, "text");
    }
    ll_jsonw_string(json, known->text, known->length);
    if (!bare) {
        ll_jsonw_end(json, '}');
    }
}

/* ------------------------------------------------------------------ records */

/* Starts another member of an object on a new line. */
static void put_line(const teller *t, unsigned indent)
{
    ll_jsonw_line(t->json);
    ll_text_repeat(t->json->out, ' ', indent);
}

static void put_element(const teller *t, uint32_t span, uint32_t element, bool lines)
{
    const ll_layout *layout = ll_doc_layout(t->doc, span);
    ll_where at = {.span = span, .element = element};
    if (*mark_of(t, &at)) {
        ll_jsonw_key(t->json, "label");
        put_label(t, &at);
    }
    for (unsigned i = 0; i < layout->field_count && layout->kind == LL_KIND_RECORD; i++) {
        const ll_field *f = &layout->fields[i];
        const uint8_t *bytes = bytes_of(t->doc, span, element, f);
        if (is_derived(t, span, element, i)) {
            continue;
        }
        if (lines) {
            put_line(t, 2 * t->depth);
        }
        ll_jsonw_name(t->json, f->name);
        const ll_hashed *text = text_of(t, ll_doc_span(t->doc, span)->layout, f, layout->endian, bytes);
        if (label_row(t, span, element, i, &at)) {
            put_label(t, &at);
        } else if (text) {
            put_hashed(t->json, text);
        } else {
            put_value(t, f, layout->endian, bytes);
        }
    }
}

static bool take_span(teller *t, uint32_t i);
static void close_level(teller *t);

static const ll_span *owned_at(const teller *t, uint32_t i)
{
    return ll_doc_span(t->doc, ll_span_in_order(t->doc, t->shares.spans[i].item));
}

static unsigned layout_at(const teller *t, uint32_t i)
{
    return owned_at(t, i)->layout;
}

/* Whether two spans inside one owner hold the same bytes. */
static bool repeats(const teller *t, uint32_t a, uint32_t b)
{
    const ll_span *s = owned_at(t, a), *other = owned_at(t, b);
    return s->length == other->length &&
           memcmp(ll_doc_at(t->doc, s->offset), ll_doc_at(t->doc, other->offset), s->length) == 0;
}

/* Writes a span and its children inside its owner. */
static void put_owned(teller *t, uint32_t at)
{
    const ll_span *s = ll_doc_span(t->doc, ll_span_in_order(t->doc, at));
    unsigned base = ++t->depth;
    uint32_t end = s->offset + s->length;
    t->stack[base] = (level){s->parent, s->offset, end, LL_NO_FIELD, true};
    memset(t->next[base], 0, sizeof t->next[base]);
    t->next[base][ll_layout_family(t->doc->layouts, s->layout)] = s->index;
    for (uint32_t i = at; i < t->doc->span_count && ll_doc_span(t->doc, ll_span_in_order(t->doc, i))->offset < end;
         i++) {
        (void)take_span(t, i);
    }
    while (t->depth > base) {
        close_level(t);
    }
    t->depth = base - 1;
}

/* Writes what belongs to an element. Of equal spans at the end of a list, only the first is written. */
static void put_shares(teller *t, uint32_t span, uint32_t element)
{
    const ll_shares *shares = &t->shares;
    if (!shares->count || ll_doc_span(t->doc, span)->layout != shares->lists[0].row->layout) {
        return;
    }
    LL_BISECT(first, shares->span_count, i, shares->spans[i].first < element);
    uint32_t end = first;
    while (end < shares->span_count && shares->spans[end].first == element) {
        end++;
    }
    if (first == end) {
        return;
    }
    LL_JSON_BEGIN(t->json, "records", '[');
    t->in_owner = true;
    for (uint32_t i = first, behind; i < end; i = behind) {
        for (behind = i + 1; behind < end && layout_at(t, behind) == layout_at(t, i);) {
            behind++;
        }
        uint32_t last = behind - 1;
        while (last > i && repeats(t, last - 1, last)) {
            last--;
        }
        for (; i <= last; i++) {
            put_owned(t, shares->spans[i].item);
        }
    }
    t->in_owner = false;
    ll_jsonw_end(t->json, ']');
}

static void put_items(teller *t, uint32_t span)
{
    LL_JSON_BEGIN(t->json, "items", '[');
    for (uint32_t i = 0; i < ll_doc_span(t->doc, span)->count; i++) {
        put_line(t, 2 * t->depth);
        ll_jsonw_begin(t->json, '{');
        put_element(t, span, i, false);
        put_shares(t, span, i);
        ll_jsonw_end(t->json, '}');
    }
    ll_jsonw_end(t->json, ']');
}

/* Writes uninterpreted bytes. */
static void put_stretch(ll_jsonw *json, const uint8_t *bytes, size_t n)
{
    if (n && ll_is_zero(bytes, bytes + n)) {
        LL_JSON_U64(json, "zeros", n);
        return;
    }
    ll_jsonw_key(json, "hex");
    ll_jsonw_hex(json, bytes, n);
}

/* Whether the bytes after a text are as build would write them. */
static bool ends_as_asked(const teller *t, const ll_span *s)
{
    const uint8_t *bytes = ll_doc_at(t->doc, s->offset);
    const ll_alignment *row = ll_alignment_of(t->doc->format, s->layout, LL_ALIGN_END);
    uint32_t nul = !row || row->unit;
    uint32_t asked = nul + ll_padding_at(row, (uint64_t)s->offset - t->region->base + s->count + nul);
    return ll_is_zero(bytes + s->count, bytes + s->length) && s->count + asked == s->length;
}

/* Whether the table of texts equals what build would write. */
static bool entries_follow(const teller *t, const ll_text_table *table)
{
    uint32_t number = 0;
    for (uint32_t i = t->doc->firsts[table->layout] ? t->doc->firsts[table->layout] - 1 : t->doc->span_count;
         i < t->doc->span_count; i++) {
        const ll_span *s = ll_doc_span(t->doc, i);
        bool entry = s->layout == table->layout;
        if ((s->layout == table->text && !ends_as_asked(t, s)) ||
            (entry && (is_array(s) || s->index != number++ || ll_doc_locate(t->doc, s->offset)->base))) {
            return false;
        }
        for (unsigned f = 0; entry && f < t->doc->layouts[table->layout].field_count; f++) {
            if (!is_derived(t, i, 0, f)) {
                return false;
            }
        }
    }
    return true;
}

static void put_text(const teller *t, const ll_span *s)
{
    const uint8_t *bytes = ll_doc_at(t->doc, s->offset);
    if (ll_is_plain_text(bytes, s->count)) {
        ll_jsonw_key(t->json, "text");
        ll_jsonw_string(t->json, (const char *)bytes, s->count);
    } else {
        ll_jsonw_key(t->json, "hex");
        ll_jsonw_hex(t->json, bytes, s->count);
    }
    if (!ends_as_asked(t, s)) {
        ll_jsonw_key(t->json, "behind");
        ll_jsonw_hex(t->json, bytes + s->count, s->length - s->count);
    }
}

/* Whether an entry of the table of texts is not used by a record before it. */
static bool is_unused(const teller *t, const ll_span *s)
{
    const ll_text_table *table = ll_texts_of(t->doc->format);
    if (!table || s->layout != table->layout || is_array(s)) {
        return false;
    }
    const ll_layout *layout = &t->doc->layouts[s->layout];
    const ll_field *f = &layout->fields[table->field];
    const ll_hashed *known =
        ll_hashes_find(&t->texts, ll_read_uint(ll_doc_at(t->doc, s->offset) + f->offset, f->bytes, layout->endian));
    return !known || !known->used;
}

static void open_record(teller *t, uint32_t i)
{
    const ll_doc *doc = t->doc;
    uint32_t span = ll_span_in_order(doc, i);
    const ll_span *s = ll_doc_span(doc, span);
    const ll_layout *layout = &doc->layouts[s->layout];
    level *top = &t->stack[t->depth];
    const ll_alignment *row = alignment_of(t, s->layout, top->last);
    const ll_alignment *ends = layout->kind == LL_KIND_STRING ? NULL : end_alignment_of(t, span);
    uint32_t start = s->offset - t->region->base;
    put_line(t, 2 * t->depth);
    ll_jsonw_begin(t->json, '{');
    LL_JSON_PLAIN(t->json, "record", layout->name);
    uint32_t *number = &t->next[t->depth][ll_layout_family(doc->layouts, s->layout)];
    if (s->index != LL_NO_INDEX && s->index != *number && layout->role != LL_ROLE_PADDING) {
        LL_JSON_U64(t->json, "index", s->index);
    }
    *number = (s->index == LL_NO_INDEX ? *number : s->index) + 1;
    if (ll_padding_at(row, start) || ll_padding_at(ends, (uint64_t)start + s->length)) {
        LL_JSON_BOOL(t->json, "aligned", false);
    }
    if (is_unused(t, s)) {
        LL_JSON_BOOL(t->json, "unused", true);
    }
    t->depth++;
    if (layout->kind == LL_KIND_RECORD && is_array(s)) {
        put_items(t, span);
    } else {
        put_element(t, span, 0, true);
    }
    if (layout->kind == LL_KIND_STRING) {
        put_text(t, s);
    } else if (layout->kind != LL_KIND_RECORD && layout->kind != LL_KIND_GROUP) {
        put_stretch(t->json, ll_doc_at(doc, s->offset), s->length);
    }
    t->depth--;
}

/* Opens the list "records" of the current span, if it is not open. */
static void begin_records(teller *t)
{
    level *top = &t->stack[t->depth];
    if (!top->has_records && t->json && t->depth) {
        put_line(t, 2 * t->depth);
        LL_JSON_BEGIN(t->json, "records", '[');
    }
    if (!top->has_records) {
        memset(t->next[t->depth], 0, sizeof t->next[0]);
    }
    top->has_records = true;
}

/* Writes the bytes up to `to` that no span covers as a gap. */
static void put_hole(teller *t, uint32_t to)
{
    level *top = &t->stack[t->depth];
    if (top->pos < to) {
        begin_records(t);
        top->last = LL_LAYOUT_GAP;
        if (t->json) {
            put_line(t, 2 * t->depth);
            ll_jsonw_begin(t->json, '{');
            LL_JSON_PLAIN(t->json, "record", "gap");
            put_stretch(t->json, ll_doc_at(t->doc, top->pos), to - top->pos);
            ll_jsonw_end(t->json, '}');
        }
        top->pos = to;
    }
}

/* Writes the place of a list whose spans are shown inside their owners. */
static void put_place(teller *t, const ll_share_list *list)
{
    uint64_t bit = UINT64_C(1) << (list - t->shares.lists);
    if (t->json && !(t->marked & bit)) {
        begin_records(t);
        put_line(t, 2 * t->depth);
        ll_jsonw_begin(t->json, '{');
        LL_JSON_PLAIN(t->json, "record", t->doc->layouts[list->reference->target].name);
        LL_JSON_PLAIN(t->json, "of", t->doc->layouts[list->row->layout].name);
        ll_jsonw_end(t->json, '}');
    }
    t->marked |= bit;
}

static void close_level(teller *t)
{
    level *top = &t->stack[t->depth];
    put_hole(t, top->end);
    for (unsigned i = 0; i < t->shares.count && t->depth && !t->in_owner; i++) {
        const ll_share_list *list = &t->shares.lists[i];
        if (list->told && list->reference->within == ll_doc_span(t->doc, top->span)->layout) {
            put_place(t, list);
        }
    }
    if (t->json && t->depth) {
        if (top->has_records) {
            ll_jsonw_end(t->json, ']');
        }
        ll_jsonw_end(t->json, '}');
    }
    if (t->depth) {
        t->stack[t->depth - 1].pos = top->end;
        t->depth--;
    }
}

/* Bytes of a span before its children. */
static uint32_t own_length(const ll_doc *doc, const ll_span *s)
{
    const ll_layout *layout = &doc->layouts[s->layout];
    return layout->kind == LL_KIND_RECORD ? s->count * layout->size : layout->kind == LL_KIND_GROUP ? 0 : s->length;
}

/* Writes the i-th span in order. False: it is not inside its parent, overlaps another span, or is too deep. */
static bool take_span(teller *t, uint32_t i)
{
    const ll_doc *doc = t->doc;
    const ll_span *s = ll_doc_span(doc, ll_span_in_order(doc, i));
    if ((t->texts_follow && s->layout == doc->format->texts->text) || (s->offset < t->left_out && !t->in_owner)) {
        return true; /* shown, or left out, together with its parent */
    }
    while (t->depth && t->stack[t->depth].span != s->parent) {
        close_level(t);
    }
    level *top = &t->stack[t->depth];
    if (top->span != s->parent || s->offset < top->pos || s->length > top->end - s->offset ||
        t->depth == (t->in_owner ? DEPTH : DEPTH - DEEPER)) {
        return false;
    }
    const ll_share_list *list = t->in_owner || s->index == LL_NO_INDEX ? NULL : ll_share_of(&t->shares, s->layout);
    if (list) {
        put_hole(t, s->offset);
        put_place(t, list);
        top->pos += s->length;
        top->last = s->layout;
        t->left_out = s->offset + s->length;
        return true;
    }
    bool left_out = t->texts_follow && s->layout == doc->format->texts->layout;
    if (left_out || (top->pos == s->offset && is_asked_for(t, i, top))) {
        put_hole(t, s->offset);
        top->pos += s->length;
        top->last = left_out ? s->layout : top->last;
        return true;
    }
    put_hole(t, s->offset);
    begin_records(t);
    if (t->json) {
        open_record(t, i);
    }
    top->last = s->layout;
    t->stack[++t->depth] =
        (level){ll_span_in_order(doc, i), s->offset + own_length(doc, s), s->offset + s->length, LL_NO_FIELD, false};
    return true;
}

/* Visits the spans of the region. False: they form no tree, or a flush failed. */
static bool tell(teller *t, ll_status *status)
{
    const ll_doc *doc = t->doc;
    uint32_t end = t->region->base + t->region->size;
    t->depth = 0;
    t->left_out = 0;
    t->first = LL_LAYOUT_GAP;
    t->stack[0] = (level){LL_NO_SPAN, t->region->base, end, LL_NO_FIELD, false};
    for (uint32_t i = 0; i < doc->span_count; i++) {
        uint32_t offset = ll_doc_span(doc, ll_span_in_order(doc, i))->offset;
        if (offset > end) {
            break; /* part of the next region */
        }
        if (offset < t->region->base) {
            continue;
        }
        t->first = t->first == LL_LAYOUT_GAP ? ll_doc_span(doc, ll_span_in_order(doc, i))->layout : t->first;
        if (!take_span(t, i)) {
            return false;
        }
        *status = t->json ? t->flush(t->ctx) : LL_OK;
        if (*status != LL_OK) {
            return false;
        }
    }
    while (t->depth) {
        close_level(t);
    }
    close_level(t);
    return true;
}

ll_status ll_teller_start(ll_report *report, ll_jsonw *json, ll_status (*flush)(void *ctx), void *ctx, ll_teller **out)
{
    ll_doc *doc = &report->doc;
    teller *t = ll_arena_alloc(&doc->arena, 1, sizeof *t);
    ll_status status;
    *out = NULL;
    if (!t) {
        return LL_E_MEMORY;
    }
    *t = (teller){.doc = doc, .region = doc->regions, .scratch = &report->scratch, .flush = flush, .ctx = ctx};
    status = ll_shares_read(doc, &doc->arena, &t->shares);
    status = status == LL_OK ? ll_shares_split(doc, &doc->arena, &t->shares, &t->doc) : status;
    if (!doc->format || status != LL_OK || !tell(t, &status)) {
        return status;
    }
    const ll_allocator memory = ll_arena_allocator(&doc->arena);
    if (!ll_deriver_start(&t->deriver, t->doc, &doc->arena) || !mark_targets(t, &doc->arena) ||
        !ll_hashes_survey(&t->texts, t->doc, &memory, &t->texts_follow)) {
        return LL_E_MEMORY;
    }
    t->texts_follow = t->texts_follow && entries_follow(t, ll_texts_of(doc->format));
    t->json = json;
    *out = t;
    return LL_OK;
}

ll_status ll_json_records(ll_teller *t, const ll_region *region)
{
    ll_status status = LL_OK;
    ll_jsonw *json = t ? t->json : NULL;
    if (!t) {
        return LL_OK;
    }
    t->region = region;
    t->json = NULL;
    bool tree = tell(t, &status);
    t->json = json;
    t->marked = 0;
    if (!tree) {
        return LL_OK;
    }
    if (ll_padding_at(end_alignment_of(t, LL_NO_SPAN), region->size)) {
        LL_JSON_BOOL(json, "aligned", false);
    }
    LL_JSON_BEGIN(json, "records", '[');
    (void)tell(t, &status);
    ll_text_char(json->out, '\n');
    ll_jsonw_end(json, ']');
    return status;
}
