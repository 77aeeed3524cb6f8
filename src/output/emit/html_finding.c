/* Writes one finding as HTML. Rows of sixteen bytes are split in halves, which a narrow page shows one below the
 * other. */
#include "output/emit/html_finding.h"

#include "model/value.h"
#include "files/dump.h"
#include "output/emit/finding_words.h"

enum {
    ROW = 16,
    HALF = ROW / 2,
    HIT_ROWS = 8, /* rows shown of a finding; of a longer one the first and the last two */
    HIT_ROWS_HEAD = 5,
    HIT_ROWS_TAIL = 2,
    RELATED_ROWS = 2,
    LINES = 4,
    WINDOWS = 3 /* ranges of rows */
};

typedef struct page {
    const ll_emitter *emitter;
    ll_report *report;
    const ll_finding *finding;
    ll_text *out, *raw;
    ll_range hit, beside; /* ranges of the finding and of its related place */
    bool any_beside;
    bool has_roles; /* the document was parsed */
} page;

/* ------------------------------------------------------------------ pieces */

/* Appends what `raw` holds from `from` on, escaped, and removes it there. */
static void move_escaped(ll_text *out, ll_text *raw, size_t from)
{
    out->failed = out->failed || raw->failed;
    if (!raw->failed) {
        ll_html_text(out, raw->data + from, raw->length - from);
        raw->length = from;
    }
}

/* "GRX012 name-hash", as a link if the rule has a page. */
static void put_rule(const ll_emitter *emitter, const char *id, const char *name, ll_text *out, ll_text *raw)
{
    size_t from = raw->length;
    bool is_linked = ll_rule_url(emitter, id, name, raw);
    if (is_linked) {
        ll_text_str(out, "<a href=\"");
        move_escaped(out, raw, from);
        ll_text_str(out, "\">");
    }
    ll_text_format(raw, "%s %s", id, name);
    move_escaped(out, raw, from);
    ll_text_str(out, is_linked ? "</a>" : "");
}

/* ------------------------------------------------------------------ bytes */

/* How a byte is shown. */
typedef struct look {
    const char *role;
    bool bad, beside;
} look;

static look look_of(const page *p, uint64_t at, ll_leaf *leaf, bool *has_leaf)
{
    const ll_region *region = p->report->last.view.region;
    uint32_t address = region->base + (uint32_t)at;
    bool holds = *has_leaf && address >= leaf->offset && address - leaf->offset < leaf->length;
    *has_leaf = holds || (p->has_roles && ll_doc_leaf_at(&p->report->doc, address, leaf));
    return (look){*has_leaf ? ll_leaf_role(&p->report->doc, leaf) : "", ll_range_covers(p->hit, at),
                  p->any_beside && ll_range_covers(p->beside, at)};
}

static bool is_same(look a, look b)
{
    return a.bad == b.bad && a.beside == b.beside && strcmp(a.role, b.role) == 0;
}

static void begin_run(ll_text *out, look l)
{
    const char *tag = l.bad ? "b" : l.beside ? "i" : "span";
    if (l.role[0]) {
        ll_text_format(out, "<%s class=\"role-%s\">", tag, l.role);
    } else if (l.bad || l.beside) {
        ll_text_format(out, "<%s>", tag);
    }
}

static void end_run(ll_text *out, look l)
{
    ll_text_str(out, l.bad ? "</b>" : l.beside ? "</i>" : l.role[0] ? "</span>" : "");
}

/* Writes half a row as hex or characters; adjacent bytes that look alike share an element. */
static void put_half(const page *p, uint64_t start, const look *looks, unsigned count, bool hex)
{
    const uint8_t *bytes = p->report->last.view.region->bytes + start;
    ll_text_str(p->out, "<span>");
    for (unsigned i = 0; i < count;) {
        unsigned n = 1;
        while (i + n < count && is_same(looks[i], looks[i + n])) {
            n++;
        }
        begin_run(p->out, looks[i]);
        if (hex) {
            ll_text_bytes(p->out, bytes + i, n);
        } else {
            ll_characters_text(bytes + i, n, p->raw);
            move_escaped(p->out, p->raw, 0);
        }
        end_run(p->out, looks[i]);
        i += n;
        ll_text_str(p->out, hex && i < count ? " " : "");
    }
    bool ends = start + count == p->report->last.view.region->size && p->hit.start == start + count && count < HALF;
    if (hex && ends) { /* marks what is missing after the last byte */
        ll_text_str(p->out, count ? " <b>  </b>" : "<b>  </b>");
        count++;
    }
    ll_text_repeat(p->out, ' ', hex ? 3 * (HALF - count) - !count : 0);
    ll_text_str(p->out, "</span>");
}

static void put_row(const page *p, uint64_t row)
{
    const ll_region *region = p->report->last.view.region;
    uint64_t left = row < region->size ? region->size - row : 0;
    unsigned count = left < ROW ? (unsigned)left : ROW;
    unsigned first = count < HALF ? count : HALF;
    look looks[ROW];
    ll_leaf leaf;
    bool has_leaf = false;
    for (unsigned i = 0; i < count; i++) {
        looks[i] = look_of(p, row + i, &leaf, &has_leaf);
    }
    ll_text_str(p->out, "<div><span>");
    ll_text_hex(p->out, row, ll_address_digits(region->size));
    ll_text_str(p->out, "</span>  ");
    put_half(p, row, looks, first, true);
    ll_text_str(p->out, "  ");
    put_half(p, row + HALF, looks + first, count - first, true);
    ll_text_str(p->out, "  ");
    put_half(p, row, looks, first, false);
    put_half(p, row + HALF, looks + first, count - first, false);
    ll_text_str(p->out, "</div>\n");
}

/* A range of rows. */
typedef struct window {
    uint64_t from, to; /* half-open, in bytes */
} window;

static uint64_t row_of(uint64_t at)
{
    return at / ROW * ROW;
}

/* Chooses the ranges of rows to show, sorted by start; returns their number. */
static unsigned choose_windows(const page *p, window out[WINDOWS])
{
    uint64_t size = p->report->last.view.region->size;
    uint64_t first = row_of(p->hit.start);
    uint64_t end = row_of(p->hit.end > p->hit.start ? p->hit.end - 1 : p->hit.start) + ROW;
    unsigned count = 0;
    bool whole = end - first <= HIT_ROWS * ROW;
    uint64_t before = first ? first - ROW : 0;
    uint64_t behind = end < size ? end + ROW : end;
    out[count++] = (window){before, whole ? behind : first + HIT_ROWS_HEAD * ROW};
    if (!whole) {
        out[count++] = (window){end - HIT_ROWS_TAIL * ROW, behind};
    }
    if (p->any_beside && p->beside.start < size) {
        uint64_t start = row_of(p->beside.start);
        uint64_t last = row_of(p->beside.end > p->beside.start ? p->beside.end - 1 : p->beside.start);
        last = last - start < (RELATED_ROWS - 1) * ROW ? last : start + (RELATED_ROWS - 1) * ROW;
        window w = {start, last + ROW};
        unsigned i = count++;
        for (; i > 0 && out[i - 1].from > w.from; i--) {
            out[i] = out[i - 1];
        }
        out[i] = w;
    }
    return count;
}

static void put_bytes(const page *p)
{
    window windows[WINDOWS];
    unsigned count = choose_windows(p, windows);
    uint64_t at = windows[0].from;
    ll_text_str(p->out, "<div class=\"hex\">\n");
    for (unsigned i = 0; i < count; i++) {
        if (windows[i].from > at + ROW) { /* else the one row between is shown */
            ll_text_format(p->out, "<div class=\"muted\">... %" PRIu64 " bytes more</div>\n", windows[i].from - at);
            at = windows[i].from;
        }
        for (; at < windows[i].to; at += ROW) {
            put_row(p, at);
        }
    }
    ll_text_str(p->out, "</div>\n");
}

/* ------------------------------------------------------------------ lines of a text file */

static void put_part(const page *p, const char *bytes, uint64_t from, uint64_t to)
{
    ll_text_escape(p->raw, bytes + from, to > from ? (size_t)(to - from) : 0);
    move_escaped(p->out, p->raw, 0);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Writes the line that holds `at`; returns the start of the next line. */
static uint64_t put_line_of(const page *p, uint64_t at)
{
    const char *bytes = (const char *)p->report->last.view.region->bytes;
    ll_excerpt e = ll_excerpt_at(p->report, at);
    uint64_t from = smaller(p->hit.start > e.start ? p->hit.start : e.start, e.end);
    uint64_t to = smaller(p->hit.end > from ? p->hit.end : from, e.end);
    ll_text_format(p->out, "<div><span>%4" PRIu32 "</span>  %s", ll_report_line(p->report, e.start),
                   e.cut_front ? "..." : "");
    put_part(p, bytes, e.start, from);
    ll_text_str(p->out, "<b>");
    put_part(p, bytes, from, to);
    ll_text_str(p->out, to > from ? "</b>" : " </b>");
    put_part(p, bytes, to, e.end);
    ll_text_format(p->out, "%s</div>\n", e.cut_behind ? "..." : "");
    return e.next;
}

static void put_lines(const page *p)
{
    uint64_t at = p->hit.start;
    unsigned shown = 0;
    ll_text_str(p->out, "<div class=\"hex lines\">\n");
    do {
        at = put_line_of(p, at);
    } while (at < p->hit.end && ++shown < LINES);
    ll_text_str(p->out, at < p->hit.end ? "<div>...</div>\n" : "");
    ll_text_str(p->out, "</div>\n");
}

/* ------------------------------------------------------------------ facts of a finding */

/* Writes a row of the list of facts from the text in `raw`, unless that is empty. */
static void put_composed(const page *p, const char *label, bool as_code)
{
    p->out->failed = p->out->failed || p->raw->failed;
    if (p->raw->length) {
        ll_text_format(p->out, "<dt>%s</dt><dd>%s", label, as_code ? "<code>" : "");
        move_escaped(p->out, p->raw, 0);
        ll_text_str(p->out, as_code ? "</code></dd>\n" : "</dd>\n");
    }
}

static void put_fact(const page *p, const char *label, const char *text, bool as_code)
{
    ll_text_str(p->raw, text);
    put_composed(p, label, as_code);
}

static void put_where(const page *p, const ll_where *at)
{
    const ll_finding *f = p->finding;
    ll_found_at_text(p->report, f, p->raw);
    if (p->report->file.member) {
        ll_text_str(p->raw, p->raw->length ? ", " : "");
        ll_archive_place_text(f->offset, f->length, p->raw);
    }
    if (f->inner.region) {
        ll_text_format(p->raw, ", which decompress to %s; in it ", f->inner.region);
        ll_place_text(f->inner.offset, f->inner.length, p->raw);
    }
    put_composed(p, "where", false);
    if (f->record[0] || strcmp(f->path, "file") != 0) {
        ll_text_str(p->out, "<dt>field</dt><dd><code>");
        ll_text_str(p->raw, f->path);
        move_escaped(p->out, p->raw, 0);
        ll_text_str(p->out, "</code>");
        bool kind = ll_kind_text(&p->report->doc, at, " of ", p->raw);
        ll_text_format(p->raw, "%s%s", !f->record[0] ? "" : kind ? ", " : " of ", f->record);
        move_escaped(p->out, p->raw, 0);
        ll_text_str(p->out, "</dd>\n");
    }
}

static void put_rest(const page *p, const ll_walk *walk)
{
    const ll_finding *f = p->finding;
    const ll_region *region = p->report->last.view.region;
    if (!p->report->file.is_text && region->size && region->bytes) {
        ll_decoded_text(p->report, f, p->raw);
        put_composed(p, "bytes", true);
    }
    put_fact(p, "found", f->found, true);
    put_fact(p, "expected", f->expected, true);
    for (size_t i = 0; i < f->related_count; i++) {
        ll_related_text(p->report, &f->related[i], p->raw);
        put_composed(p, "see", false);
    }
    put_fact(p, "likely", f->hint, false);
    if (f->explains) {
        ll_explains_text(f, p->raw);
        put_composed(p, "explains", false);
    }
    put_fact(p, "help", f->fix, false);
    if (f->patch.tier != LL_PATCH_NONE) {
        ll_patch_text(p->report, &f->patch, p->raw);
        put_composed(p, "patch", false);
    }
    put_fact(p, "why", f->why, false);
    put_fact(p, "evidence", ll_rule_at(p->report->rules, f->rule)->evidence, false);
    ll_others_text(p->report, &walk->fold, walk->entry, p->raw);
    put_composed(p, "others", false);
}

void ll_html_finding(const ll_emitter *emitter, const ll_walk *walk, ll_text *out, ll_text *raw)
{
    const ll_finding *f = &walk->finding;
    ll_report *report = walk->report;
    const ll_region *region = report->last.view.region;
    page p = {
        .emitter = emitter, .report = report, .finding = f, .out = out, .raw = raw, .hit = ll_found_range(report)};
    p.any_beside = ll_related_range(f, &p.beside);
    p.has_roles = report->doc.format && !report->file.is_second && !report->file.is_text;
    ll_text_clear(raw);
    ll_text_format(out, "<article class=\"%s\">\n<h3>", ll_severity_text(f->severity));
    ll_html_mark(out, ll_severity_text(f->severity));
    ll_text_char(out, ' ');
    put_rule(emitter, f->id, f->name, out, raw);
    ll_text_str(out, ": ");
    ll_text_put(raw, f->title, ll_title_length(f->title));
    ll_times_text(walk->times, raw);
    move_escaped(out, raw, 0);
    ll_text_str(out, "</h3>\n<dl class=\"facts\">\n");
    put_where(&p, &report->entries.items[walk->entry].at);
    ll_text_str(out, "</dl>\n");
    if (region->size && region->bytes) {
        (report->file.is_text ? put_lines : put_bytes)(&p);
    }
    ll_text_str(out, "<dl class=\"facts\">\n");
    put_rest(&p, walk);
    ll_text_str(out, "</dl>\n</article>\n");
}
