/* Writes the unified diff of the text dumps of two reports on one file. Dumps are sorted by address, so one pass over
 * both finds the differences; a second pass makes the texts of the lines shown. */
#include "report/dump.h"

#include "base/array.h"
#include "base/sort.h"
#include "report/words.h"

enum { CONTEXT = 3 };

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

typedef struct differ {
    side sides[2];
    LL_ARRAY(hunk) hunks;
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

/* Keeps the text of a unit that is in or near a hunk. */
static ll_status keep_unit(void *ctx, uint32_t address, const char *text, size_t length)
{
    side *s = ctx;
    const differ *d = s->differ;
    size_t which = s == &d->sides[1];
    uint32_t unit = s->unit++;
    uint32_t lines = 0;
    (void)address;
    for (size_t i = 0; i < length; i++) {
        lines += text[i] == '\n';
    }
    while (s->hunk < d->hunks.count && d->hunks.items[s->hunk].to[which] + CONTEXT <= unit) {
        s->hunk++;
    }
    s->line += lines;
    if (s->hunk == d->hunks.count || d->hunks.items[s->hunk].from[which] > unit + CONTEXT) {
        return LL_OK;
    }
    shown *row = LL_ARRAY_ADD(&s->shown, &s->allocator);
    if (!row) {
        return LL_E_MEMORY;
    }
    *row = (shown){unit, lines, s->line - lines + 1, s->text.length, length};
    ll_text_put(&s->text, text, length);
    return s->text.failed ? LL_E_MEMORY : LL_OK;
}

/* First row at or behind that unit. */
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
    uint32_t left = (uint32_t)d->sides[0].units.count - h[end - 1].to[0];
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

ll_status ll_dump_diff(ll_report *before, ll_report *after, ll_arena *arena, ll_text *scratch, ll_write_fn write,
                       void *ctx)
{
    differ d = {.hunks.items = NULL};
    ll_report *reports[2] = {before, after};
    ll_status status = LL_OK;
    for (unsigned i = 0; i < 2; i++) {
        d.sides[i] = (side){.report = reports[i], .allocator = ll_arena_allocator(arena), .differ = &d};
        ll_text_init(&d.sides[i].text, &d.sides[i].allocator);
        status = status == LL_OK ? ll_dump_lines(reports[i], note_unit, &d.sides[i]) : status;
    }
    status = status == LL_OK ? compare(&d) : status;
    for (unsigned i = 0; i < 2 && status == LL_OK && d.hunks.count; i++) {
        status = ll_dump_lines(reports[i], keep_unit, &d.sides[i]);
    }
    ll_text_clear(scratch);
    return status == LL_OK ? print(&d, scratch, write, ctx) : status;
}
