/* Findings for people, `full`: laid out like a compiler's diagnostics, with the bytes in place of the source line.
 * Decides what is shown and how, never what is found. Names of files are escaped here; all other texts were when they
 * were composed. */
#include "report/emit/emit.h"

#include <stdlib.h>

enum { ROW = 16, HIT_ROWS = 4, HIT_ROWS_HEAD = 2, PLACES_LISTED = 4, VALUE_SHOWN = 64, PATCH_SHOWN = 16 };

/* Where one finding is written to. */
typedef struct page {
    ll_text *out;
    bool color;
    const ll_report *report;
    const ll_finding *finding;
} page;

static const char *code(const page *p, ll_style style)
{
    return ll_style_code(p->color, style);
}

/* ------------------------------------------------------------------ bytes */

typedef struct range {
    uint64_t start, end;
} range;

/* Bytes are shown as they are in the region of the finding: the file, or what was decompressed. */
static range primary(const page *p)
{
    const ll_view *view = &p->report->view;
    return (range){view->offset, (uint64_t)view->offset + view->length};
}

/* False where the finding has no related place among the bytes shown. */
static bool related(const page *p, range *out)
{
    const ll_finding *f = p->finding;
    bool here = f->related_count && f->related->inner.region == f->inner.region;
    if (here) {
        uint64_t start = f->inner.region ? f->related->inner.offset : f->related->offset;
        *out = (range){start, start + (f->inner.region ? f->related->inner.length : f->related->length)};
    }
    return here;
}

/* No bytes are marked as if they were one: the place where something is missing. */
static bool covers(range r, uint64_t offset)
{
    return offset == r.start ? true : offset > r.start && offset < r.end;
}

static unsigned column(unsigned cell)
{
    return 3 * cell + (cell >= ROW / 2);
}

/* The bar at the left of a line, and what follows it. */
static void put_bar(const page *p, const char *text)
{
    ll_text_str(p->out, code(p, LL_GUTTER));
    ll_text_str(p->out, "   |");
    ll_text_str(p->out, code(p, LL_PLAIN));
    ll_text_str(p->out, text);
}

static unsigned address_digits(const page *p)
{
    uint64_t last = primary(p).end | (ROW - 1);
    return last > 0xFFFFFF ? 8 : last > 0xFFFF ? 6 : 4;
}

static void put_ruler(const page *p)
{
    put_bar(p, "");
    ll_text_repeat(p->out, ' ', 5 + address_digits(p));
    ll_text_str(p->out, "00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f\n");
}

static void put_row(const page *p, uint64_t row)
{
    const ll_region *region = p->report->view.region;
    unsigned count = row < region->size ? (unsigned)(region->size - row < ROW ? region->size - row : ROW) : 0;
    put_bar(p, " 0x");
    ll_text_hex(p->out, row, address_digits(p));
    ll_text_str(p->out, count ? "  " : "");
    ll_text_bytes(p->out, region->bytes + row, count < ROW / 2 ? count : ROW / 2);
    if (count > ROW / 2) {
        ll_text_str(p->out, "  ");
        ll_text_bytes(p->out, region->bytes + row + ROW / 2, count - ROW / 2);
    }
    if (count) {
        ll_text_repeat(p->out, ' ', column(ROW - 1) + 4 - (column(count - 1) + 2));
    }
    ll_characters_text(region->bytes + row, count, p->out);
    ll_text_char(p->out, '\n');
}

/* Fills line with the marks of a row; neighbours of one kind are joined. Returns its length, 0 for none. */
static size_t mark_row(const page *p, uint64_t row, char line[ROW * 3 + 1])
{
    char last = ' ';
    size_t length = 0;
    range beside = {0, 0};
    bool any_beside = related(p, &beside);
    memset(line, ' ', ROW * 3 + 1);
    for (unsigned i = 0; i < ROW; i++) {
        bool other = any_beside && covers(beside, row + i);
        char mark = covers(primary(p), row + i) ? '^' : other ? '-' : ' ';
        if (mark != ' ') {
            unsigned from = mark == last ? column(i - 1) + 2 : column(i);
            memset(line + from, mark, column(i) + 2 - from);
            length = column(i) + 2;
        }
        last = mark;
    }
    return length;
}

/* "160" in hex as well: offsets and sizes are sought in hex editors. Nothing for small numbers and for what is no
 * whole number. */
static void put_as_hex(ll_text *out, const char *value)
{
    size_t n = strlen(value);
    if (n >= 2 && n <= 19 && strspn(value, "0123456789") == n) {
        ll_text_format(out, " (0x%llx)", strtoull(value, NULL, 10));
    }
}

/* What the marked bytes say. */
static void put_decoded(const page *p)
{
    const ll_finding *f = p->finding;
    const ll_view *view = &p->report->view;
    if (view->length == 0) {
        ll_text_str(p->out, view->offset < view->region->size ? " no bytes here"
                            : f->inner.region                 ? " the section ends here"
                                                              : " the file ends here");
    } else if (f->value[0]) {
        ll_text_format(p->out, " %s = ", f->type);
        ll_short_text(f->value, VALUE_SHOWN, p->out);
        if (f->type[0] == 'u') {
            put_as_hex(p->out, f->value);
        }
    }
}

static void put_marks(const page *p, uint64_t row, bool last)
{
    char line[ROW * 3 + 1];
    size_t length = mark_row(p, row, line);
    if (!length) {
        return;
    }
    put_bar(p, "");
    ll_text_repeat(p->out, ' ', 5 + address_digits(p));
    ll_text_format(p->out, "%s%.*s", code(p, ll_severity_style(p->finding->severity)), (int)length, line);
    if (last) {
        put_decoded(p);
    }
    ll_text_format(p->out, "%s\n", code(p, LL_PLAIN));
}

static void put_bytes(const page *p)
{
    range hit = primary(p);
    uint64_t first = hit.start / ROW * ROW;
    uint64_t final = (hit.end > hit.start ? hit.end - 1 : hit.start) / ROW * ROW;
    bool elide = (final - first) / ROW + 1 > HIT_ROWS;
    put_ruler(p);
    for (uint64_t row = first >= ROW ? first - ROW : first; row <= final; row += ROW) {
        put_row(p, row);
        put_marks(p, row, row == final);
        if (elide && row == first + ROW * (HIT_ROWS_HEAD - 1)) {
            put_bar(p, " ...  ");
            ll_text_format(p->out, "%" PRIu64 " bytes more\n", final - row - ROW);
            row = final - ROW;
        }
    }
    put_bar(p, "\n");
}

/* ------------------------------------------------------------------ lines below the bytes */

static void put_note(const page *p, const char *label, const char *text)
{
    if (!text[0]) {
        return;
    }
    ll_text_str(p->out, code(p, LL_GUTTER));
    ll_text_str(p->out, "   =");
    ll_text_str(p->out, code(p, LL_PLAIN));
    ll_text_char(p->out, ' ');
    ll_text_str(p->out, code(p, LL_STRONG));
    ll_text_str(p->out, label);
    ll_text_str(p->out, code(p, LL_PLAIN));
    ll_text_repeat(p->out, ' ', 10 - strlen(label));
    ll_text_str(p->out, text);
}

static void put_line(const page *p, const char *label, const char *text)
{
    put_note(p, label, text);
    if (text[0]) {
        ll_text_char(p->out, '\n');
    }
}

/* Of something in a region: where in it, and where the bytes are that hold it. */
static void put_place(ll_text *out, uint64_t offset, uint64_t length, const ll_inner *inner)
{
    if (inner->region) {
        ll_place_text(inner->offset, inner->length, out);
        ll_text_format(out, " in %s, decompressed from ", inner->region);
    }
    ll_place_text(offset, length, out);
}

static void put_related(const page *p)
{
    for (size_t i = 0; i < p->finding->related_count; i++) {
        const ll_place *place = &p->finding->related[i];
        put_note(p, "see:", place->text[0] ? place->text : "a related place");
        ll_text_str(p->out, ", ");
        put_place(p->out, place->offset, place->length, &place->inner);
        ll_text_format(p->out, "%s%s\n", place->path[0] ? " " : "", place->path);
    }
}

static void put_some_bytes(ll_text *out, const uint8_t *bytes, uint64_t n)
{
    ll_text_bytes(out, bytes, n < PATCH_SHOWN ? (size_t)n : PATCH_SHOWN);
    if (n > PATCH_SHOWN) {
        ll_text_str(out, " ...");
    }
}

static void put_patch(const page *p)
{
    const ll_patch *patch = &p->finding->patch;
    if (patch->tier == LL_PATCH_NONE) {
        return;
    }
    put_note(p, "patch:", patch->tier == LL_PATCH_SAFE ? "safe, at " : "unsafe, at ");
    ll_place_text(patch->offset, patch->removed, p->out);
    if (patch->removed) {
        ll_text_str(p->out, ": ");
        put_some_bytes(p->out, p->report->doc.bytes + patch->offset, patch->removed);
        ll_text_str(p->out, " -> ");
    } else {
        ll_text_str(p->out, ": add ");
    }
    put_some_bytes(p->out, patch->bytes, patch->size);
    ll_text_char(p->out, '\n');
}

static void put_others(const page *p, const ll_fold *fold, uint32_t first)
{
    uint32_t more = fold->count ? fold->count[first] - 1 : 0;
    if (!more) {
        return;
    }
    ll_text_format(p->out, "%s   =%s and %" PRIu32 " more at ", code(p, LL_GUTTER), code(p, LL_PLAIN), more);
    uint32_t entry = fold->next[first];
    for (uint32_t i = 0; i < PLACES_LISTED && entry != LL_NO_ENTRY; i++, entry = fold->next[entry]) {
        ll_view view = ll_view_of(&p->report->doc, &p->report->entries[entry].at);
        view.length = 0;
        ll_text_str(p->out, i ? ", " : "");
        ll_view_text(&view, p->out);
    }
    ll_text_str(p->out, more > PLACES_LISTED ? ", ... (--all shows each)\n" : " (--all shows each)\n");
}

/* ------------------------------------------------------------------ one finding in full */

static void put_where(const page *p)
{
    const ll_finding *f = p->finding;
    ll_text_format(p->out, "%s  --> %s", code(p, LL_GUTTER), code(p, LL_PLAIN));
    ll_name_text(p->report, p->out);
    if (p->report->size) {
        ll_text_char(p->out, ' ');
        ll_place_text(f->offset, f->length, p->out);
        ll_text_format(p->out, " (byte %" PRIu64 ", ", f->offset);
        if (f->length == 0) {
            ll_text_str(p->out, f->offset == p->report->size ? "the end of the file" : "no bytes");
        } else {
            ll_text_str(p->out, f->length == p->report->size ? "the whole file, " : "");
            ll_count_text(p->out, f->length, "byte");
        }
        ll_text_char(p->out, ')');
    }
    ll_text_char(p->out, '\n');
    if (f->inner.region) {
        put_bar(p, "  which decompress to ");
        ll_text_format(p->out, "%s; in it ", f->inner.region);
        ll_place_text(f->inner.offset, f->inner.length, p->out);
        ll_text_char(p->out, '\n');
    }
    if (f->record[0] || strcmp(f->path, "file") != 0) {
        put_bar(p, "  ");
        ll_text_format(p->out, "%s%s%s%s%s\n", code(p, LL_STRONG), f->path, code(p, LL_PLAIN),
                       f->record[0] ? "  of " : "", f->record);
    }
}

static void put_finding(const page *p, const ll_walk *walk)
{
    const ll_finding *f = p->finding;
    ll_heading_text(p->color, f->severity, f->id, f->name, p->out);
    ll_text_format(p->out, "%s: %.*s%s", code(p, LL_STRONG), (int)ll_title_length(f->title), f->title,
                   code(p, LL_PLAIN));
    if (walk->times > 1) {
        ll_text_format(p->out, " (%" PRIu32 " times)", walk->times);
    }
    ll_text_char(p->out, '\n');
    put_where(p);
    put_bar(p, "\n");
    if (p->report->view.region->size) {
        put_bytes(p);
    }
    put_line(p, "found:", f->found);
    put_line(p, "expected:", f->expected);
    put_related(p);
    put_line(p, "why:", f->why);
    put_line(p, "likely:", f->hint);
    put_line(p, "help:", f->fix);
    put_patch(p);
    put_others(p, &walk->fold, walk->entry);
    put_note(p, "more:", "lightlint explain ");
    ll_text_format(p->out, "%s\n\n", f->id);
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_walk walk = ll_walk_groups(emitter, report);
    walk.severities = ll_severities_shown(emitter, report);
    ll_clean_text(emitter, report, &chunk->text);
    while (ll_walk_next(&walk)) {
        page p = {&chunk->text, emitter->options.color, report, &walk.finding};
        put_finding(&p, &walk);
    }
    return walk.status;
}

const ll_emit_format ll_emit_full = {.render = render, .finish = ll_emit_verdict};
