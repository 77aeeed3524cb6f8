/* Writes the unified diff of the text dumps of two reports on one file. Dumps are sorted by address, so one pass over
 * both finds the differences; a second pass makes the texts of the lines shown. If only values changed, lines that
 * cannot differ are counted, not made. */
#include "files/dump.h"

#include "base/array.h"
#include "base/sort.h"
#include "model/derive.h"
#include "model/names.h"
#include "findings/words.h"

enum { CONTEXT = 3, ELEMENTS_MAX = 16384, BLOCK = 4096 };

/* A unit is the text of one leaf. */
typedef struct shown {
    uint32_t unit;
    uint32_t lines;
    uint64_t line; /* 1-based */
    size_t start, length;
} shown;

typedef struct side {
    ll_report *report;
    ll_allocator allocator;
    LL_ARRAY(uint64_t) units; /* address << 32 | hash of the text */
    uint32_t unit_count;
    LL_ARRAY(shown) shown;
    ll_text text;        /* of `shown` */
    uint32_t unit, hunk; /* position of the second pass */
    uint64_t line;
    const struct differ *differ;
} side;

/* Units that differ: [from, to) on each side. */
typedef struct hunk {
    uint32_t from[2], to[2];
} hunk;

/* The own bytes [from, to) of an element that differs, and the start of the first leaf of context before it. */
typedef struct changed {
    uint32_t near, from, to;
} changed;

typedef struct differ {
    side sides[2];
    LL_ARRAY(hunk) hunks;
    LL_ARRAY(changed) changed;
    LL_ARRAY(ll_leaf) leaves; /* those of changed elements, with context */
    LL_ARRAY(uint32_t) units; /* by leaf: its unit */
    uint32_t unit, next;      /* position of the walk: current leaf, next changed element */
    uint32_t behind;          /* last unit of context after the last changed element */
    bool full;                /* out of memory */
} differ;

static ll_status note_unit(void *ctx, uint32_t address, const char *text, size_t length)
{
    side *s = ctx;
    uint64_t *unit = LL_ARRAY_ADD(&s->units, &s->allocator);
    uint64_t hash = ll_fnv(LL_FNV_START, text, length);
    if (!unit) {
        return LL_E_MEMORY;
    }
    *unit = (uint64_t)address << 32 | (uint32_t)(hash ^ hash >> 32);
    return LL_OK;
}

/* Adds differing units to the last hunk, or to a new one if equal units are between. */
static ll_status add_difference(differ *d, const uint32_t at[2], const uint32_t more[2])
{
    hunk *last = d->hunks.count ? &d->hunks.items[d->hunks.count - 1] : NULL;
    if (!last || last->to[0] != at[0] || last->to[1] != at[1]) {
        last = LL_ARRAY_ADD(&d->hunks, &d->sides[0].allocator);
        if (!last) {
            return LL_E_MEMORY;
        }
        *last = (hunk){{at[0], at[1]}, {at[0], at[1]}};
    }
    last->to[0] += more[0];
    last->to[1] += more[1];
    return LL_OK;
}

static ll_status compare(differ *d)
{
    const side *a = &d->sides[0];
    const side *b = &d->sides[1];
    uint32_t at[2] = {0, 0};
    ll_status status = LL_OK;
    while (status == LL_OK && (at[0] < a->units.count || at[1] < b->units.count)) {
        uint64_t one = at[0] < a->units.count ? a->units.items[at[0]] : UINT64_MAX;
        uint64_t two = at[1] < b->units.count ? b->units.items[at[1]] : UINT64_MAX;
        uint32_t more[2] = {one >> 32 <= two >> 32, two >> 32 <= one >> 32};
        status = one == two ? LL_OK : add_difference(d, at, more);
        at[0] += more[0];
        at[1] += more[1];
    }
    return status;
}

static ll_status add_row(side *s, uint32_t unit, uint64_t line, const char *text, size_t length)
{
    shown *row = LL_ARRAY_ADD(&s->shown, &s->allocator);
    if (!row) {
        return LL_E_MEMORY;
    }
    *row = (shown){unit, ll_count_lines(text, length), line, s->text.length, length};
    ll_text_put(&s->text, text, length);
    return s->text.failed ? LL_E_MEMORY : LL_OK;
}

/* Keeps the text of a unit that is in or near a hunk. */
static ll_status keep_unit(void *ctx, uint32_t address, const char *text, size_t length)
{
    side *s = ctx;
    const differ *d = s->differ;
    size_t which = s == &d->sides[1];
    uint32_t unit = s->unit++;
    uint32_t lines = ll_count_lines(text, length);
    (void)address;
    while (s->hunk < d->hunks.count && d->hunks.items[s->hunk].to[which] + CONTEXT <= unit) {
        s->hunk++;
    }
    s->line += lines;
    bool near = s->hunk < d->hunks.count && d->hunks.items[s->hunk].from[which] <= unit + CONTEXT;
    return near ? add_row(s, unit, s->line - lines + 1, text, length) : LL_OK;
}

/* First row at or after that unit. */
static uint32_t row_of(const side *s, uint32_t unit)
{
    LL_BISECT(low, s->shown.count, i, s->shown.items[i].unit < unit);
    return low;
}

static void put_rows(const side *s, uint32_t from, uint32_t to, char sign, ll_text *out)
{
    for (uint32_t row = row_of(s, from); row < s->shown.count && s->shown.items[row].unit < to; row++) {
        const shown *r = &s->shown.items[row];
        for (size_t at = 0; at < r->length;) {
            const char *text = s->text.data + r->start + at;
            const char *end = memchr(text, '\n', r->length - at);
            size_t n = end ? (size_t)(end - text) + 1 : r->length - at;
            ll_text_char(out, sign);
            ll_text_put(out, text, n);
            at += n;
        }
    }
}

/* Appends the line range of units: "10,4". */
static void put_range(const side *s, uint32_t from, uint32_t to, ll_text *out)
{
    uint64_t lines = 0;
    uint32_t first = row_of(s, from);
    for (uint32_t row = first; row < s->shown.count && s->shown.items[row].unit < to; row++) {
        lines += s->shown.items[row].lines;
    }
    uint64_t line = first < s->shown.count ? s->shown.items[first].line : s->line + 1;
    ll_text_format(out, "%" PRIu64 ",%" PRIu64, lines ? line : line - 1, lines);
}

/* Writes hunks that have few equal units between them, with context. Returns the number of the next hunk. */
static uint32_t put_group(const differ *d, uint32_t first, ll_text *out)
{
    const hunk *h = d->hunks.items;
    uint32_t end = first + 1;
    while (end < d->hunks.count && h[end].from[0] - h[end - 1].to[0] <= 2 * CONTEXT) {
        end++;
    }
    uint32_t before = h[first].from[0] < CONTEXT ? h[first].from[0] : CONTEXT;
    uint32_t left = d->sides[0].unit_count - h[end - 1].to[0];
    uint32_t behind = left < CONTEXT ? left : CONTEXT;
    ll_text_str(out, "@@ -");
    put_range(&d->sides[0], h[first].from[0] - before, h[end - 1].to[0] + behind, out);
    ll_text_str(out, " +");
    put_range(&d->sides[1], h[first].from[1] - before, h[end - 1].to[1] + behind, out);
    ll_text_str(out, " @@\n");
    put_rows(&d->sides[0], h[first].from[0] - before, h[first].from[0], ' ', out);
    for (uint32_t i = first; i < end; i++) {
        put_rows(&d->sides[0], h[i].from[0], h[i].to[0], '-', out);
        put_rows(&d->sides[1], h[i].from[1], h[i].to[1], '+', out);
        put_rows(&d->sides[0], h[i].to[0], i + 1 < end ? h[i + 1].from[0] : h[i].to[0] + behind, ' ', out);
    }
    return end;
}

static ll_status print(const differ *d, ll_text *out, ll_write_fn write, void *ctx)
{
    ll_status status = LL_OK;
    for (unsigned i = 0; i < 2 && d->hunks.count; i++) {
        ll_text_str(out, i ? "+++ b/" : "--- a/");
        ll_name_text(d->sides[i].report, out);
        ll_text_char(out, '\n');
    }
    for (uint32_t i = 0; i < d->hunks.count && status == LL_OK;) {
        i = put_group(d, i, out);
        status = ll_send_text(out, LL_SEND_AT, write, ctx);
    }
    return status == LL_OK ? ll_send_text(out, 0, write, ctx) : status;
}

/* ------------------------------------------------------------------ only values changed */

/* No byte is claimed twice. */
static bool is_claimed_once(const ll_doc *doc)
{
    bool once = doc->faults_dropped == 0;
    for (const ll_fault_node *node = doc->first_fault; node && once; node = node->next) {
        once = node->fault.code != LL_FAULT_OVERLAP;
    }
    return once;
}

/* Both documents have the same spans, and no byte is claimed twice. */
static bool equal_spans(const ll_doc *a, const ll_doc *b)
{
    bool equal = a->layouts == b->layouts && a->format == b->format && a->size == b->size && a->region_count == 1 &&
                 b->region_count == 1 && a->span_count == b->span_count;
    for (uint32_t from = 0; equal && from < a->span_count; from += LL_SPANS_PER_CHUNK) {
        uint32_t left = a->span_count - from;
        uint32_t n = left < LL_SPANS_PER_CHUNK ? left : LL_SPANS_PER_CHUNK;
        equal = memcmp(ll_doc_span(a, from), ll_doc_span(b, from), n * sizeof(ll_span)) == 0;
    }
    return equal && is_claimed_once(a);
}

/* Texts of other leaves depend on this one: it is a name, a key or a text of the table. */
static bool tells_of_others(const ll_doc *doc, const ll_leaf *leaf)
{
    const ll_text_table *texts = ll_texts_of(doc->format);
    unsigned layout = ll_doc_span(doc, leaf->span)->layout;
    bool tells = leaf->field != LL_NO_FIELD &&
                 (leaf->field == doc->layouts[layout].key_field || leaf->field == ll_name_field(doc->format, layout));
    for (uint32_t i = leaf->span; texts && i != LL_NO_SPAN && !tells; i = ll_doc_span(doc, i)->parent) {
        tells = ll_doc_span(doc, i)->layout == texts->layout;
    }
    return tells && doc->names;
}

/* A reference of the record is outside of what holds its targets, so that ll_resolve() depends on the references it
 * resolved before. */
static bool leads_by_chance(const ll_doc *doc, uint32_t span)
{
    const ll_format *format = doc->format;
    for (size_t i = 0; i < format->reference_count; i++) {
        const ll_reference *row = &format->references[i];
        uint32_t above = span;
        if (row->layout != ll_doc_span(doc, span)->layout || row->within == LL_WITHIN_FILE) {
            continue;
        }
        while (above != LL_NO_SPAN && ll_doc_span(doc, above)->layout != row->within) {
            above = ll_doc_span(doc, above)->parent;
        }
        if (above == LL_NO_SPAN) {
            return true;
        }
    }
    return false;
}

static bool has_code(const ll_doc *doc)
{
    bool code = false;
    for (size_t i = 0; doc->format && doc->format->split && i < doc->format->layout_count; i++) {
        code = code || (doc->firsts[i] && doc->layouts[i].role == LL_ROLE_CODE);
    }
    return code;
}

/* The first address from `at` on where the bytes differ, or the size. */
static uint32_t find_difference(const ll_doc *a, const ll_doc *b, uint32_t at)
{
    while (a->size - at >= BLOCK && memcmp(a->bytes + at, b->bytes + at, BLOCK) == 0) {
        at += BLOCK;
    }
    while (at < a->size && a->bytes[at] == b->bytes[at]) {
        at++;
    }
    return at;
}

/* Finds the elements whose texts may differ. False: others may differ too, or there are more than ELEMENTS_MAX. */
static bool find_changed(differ *d, ll_status *status)
{
    const ll_doc *a = &d->sides[0].report->doc;
    const ll_doc *b = &d->sides[1].report->doc;
    ll_leaf leaf = {.length = 0};
    if (!a->format || !equal_spans(a, b) || has_code(a)) {
        return false;
    }
    for (uint32_t at = 0; (at = find_difference(a, b, at)) < a->size; at = leaf.offset + leaf.length) {
        if (!ll_doc_leaf_at(a, at, &leaf) || leaf.span == LL_NO_SPAN || tells_of_others(a, &leaf) ||
            d->changed.count == ELEMENTS_MAX) {
            return false;
        }
        const ll_span *s = ll_doc_span(a, leaf.span);
        const ll_layout *layout = ll_doc_layout(a, leaf.span);
        uint32_t from = s->offset + leaf.element * layout->size;
        changed *last = d->changed.count ? &d->changed.items[d->changed.count - 1] : NULL;
        if (last && at < last->to) {
            continue;
        }
        last = LL_ARRAY_ADD(&d->changed, &d->sides[0].allocator);
        if (!last) {
            *status = LL_E_MEMORY;
            return false;
        }
        *last = (changed){from, from, layout->kind == LL_KIND_RECORD ? from + layout->size : s->offset + s->length};
        for (unsigned i = 0; i < CONTEXT && last->near; i++) {
            ll_leaf before;
            if (!ll_doc_leaf_at(a, last->near - 1, &before) || before.span == LL_NO_SPAN) {
                return false;
            }
            last->near = before.offset;
        }
    }
    return true;
}

/* Keeps the leaves of changed elements and their context. Ends the walk after the last one. */
static bool pass_leaf(void *ctx, const ll_leaf *leaf)
{
    differ *d = ctx;
    uint32_t unit = ++d->unit;
    while (d->next < d->changed.count && d->changed.items[d->next].to <= leaf->offset) {
        d->next++;
    }
    const changed *c = d->next < d->changed.count ? &d->changed.items[d->next] : NULL;
    d->behind = c && leaf->offset >= c->from ? unit + CONTEXT : d->behind;
    if (unit <= d->behind || (c && leaf->offset >= c->near)) {
        ll_leaf *room = LL_ARRAY_ADD(&d->leaves, &d->sides[0].allocator);
        uint32_t *number = LL_ARRAY_ADD(&d->units, &d->sides[0].allocator);
        d->full = !room || !number;
        if (d->full) {
            return false;
        }
        *room = *leaf;
        *number = unit;
    }
    return c || unit < d->behind;
}

/* Keeps the text of a leaf from pass_leaf(). Each leaf has one line. */
static ll_status keep_some(void *ctx, uint32_t address, const char *text, size_t length)
{
    side *s = ctx;
    uint32_t row = s->unit++;
    uint32_t unit = row ? s->differ->units.items[row - 1] : 0;
    (void)address;
    return add_row(s, unit, row ? s->shown.items[0].lines + unit : 1, text, length);
}

/* Sets *known if only texts of changed elements can differ, and then finds the differences. */
static ll_status compare_values(differ *d, bool *known)
{
    ll_status status = LL_OK;
    side *a = &d->sides[0], *b = &d->sides[1];
    *known = find_changed(d, &status);
    if (*known && !d->changed.count) {
        return LL_OK;
    }
    if (*known) {
        ll_doc_walk(&a->report->doc, pass_leaf, d);
        status = d->full ? LL_E_MEMORY : LL_OK;
    }
    for (size_t i = 0; i < d->leaves.count && *known; i++) {
        *known = !leads_by_chance(&a->report->doc, d->leaves.items[i].span);
    }
    for (unsigned i = 0; i < 2 && *known && status == LL_OK; i++) {
        side *s = &d->sides[i];
        s->unit_count = d->unit + 1;
        status = ll_dump_some_lines(s->report, d->leaves.items, d->leaves.count, keep_some, s);
    }
    for (size_t i = 0; i < a->shown.count && *known && status == LL_OK; i++) {
        const shown *one = &a->shown.items[i], *two = &b->shown.items[i];
        bool same = one->length == two->length &&
                    memcmp(a->text.data + one->start, b->text.data + two->start, one->length) == 0;
        status = same ? LL_OK : add_difference(d, (const uint32_t[2]){one->unit, one->unit}, (const uint32_t[2]){1, 1});
    }
    return status;
}

/* ------------------------------------------------------------------ all */

static ll_status compare_lines(differ *d)
{
    ll_status status = LL_OK;
    for (unsigned i = 0; i < 2 && status == LL_OK; i++) {
        status = ll_dump_lines(d->sides[i].report, note_unit, &d->sides[i]);
        d->sides[i].unit_count = (uint32_t)d->sides[i].units.count;
    }
    status = status == LL_OK ? compare(d) : status;
    for (unsigned i = 0; i < 2 && status == LL_OK && d->hunks.count; i++) {
        status = ll_dump_lines(d->sides[i].report, keep_unit, &d->sides[i]);
    }
    return status;
}

ll_status ll_dump_diff(ll_report *before, ll_report *after, ll_arena *arena, ll_text *scratch, ll_write_fn write,
                       void *ctx)
{
    differ d = {.hunks.items = NULL};
    ll_report *reports[2] = {before, after};
    bool known;
    for (unsigned i = 0; i < 2; i++) {
        d.sides[i] = (side){.report = reports[i], .allocator = ll_arena_allocator(arena), .differ = &d};
        ll_text_init(&d.sides[i].text, &d.sides[i].allocator);
    }
    ll_status status = compare_values(&d, &known);
    status = status == LL_OK && !known ? compare_lines(&d) : status;
    ll_text_clear(scratch);
    return status == LL_OK ? print(&d, scratch, write, ctx) : status;
}
