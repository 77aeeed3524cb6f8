/* Findings for people: `full`, laid out like a compiler's diagnostics with the bytes in place of the source line,
 * and `concise`, one line each. Decides what is shown and how, never what is found. Names of files are escaped here;
 * all other texts were when they were composed. */
#include "report/emit.h"

enum { ROW = 16, HIT_ROWS = 4, HIT_ROWS_HEAD = 2, PLACES_LISTED = 4, VALUE_SHOWN = 64, PATCH_SHOWN = 16 };

/* ------------------------------------------------------------------ colours */

typedef enum style { PLAIN, STRONG, GUTTER, NOTE, WARNING, ERROR, STYLES } style;

static const char *const ansi[STYLES] = {
    [PLAIN] = "\x1b[0m",   [STRONG] = "\x1b[1m",     [GUTTER] = "\x1b[1;34m",
    [NOTE] = "\x1b[1;36m", [WARNING] = "\x1b[1;33m", [ERROR] = "\x1b[1;31m",
};

/* Where one finding is written to. */
typedef struct page {
    ll_text *out;
    bool color;
    style loud; /* of the finding's severity */
    const ll_report *report;
    const ll_finding *finding;
} page;

static void paint(const page *p, style s)
{
    if (p->color) {
        ll_text_str(p->out, ansi[s]);
    }
}

static void put_painted(const page *p, style s, const char *text)
{
    paint(p, s);
    ll_text_str(p->out, text);
    paint(p, PLAIN);
}

static style style_of(ll_severity severity)
{
    switch (severity) {
    case LL_ERROR:
        return ERROR;
    case LL_WARNING:
        return WARNING;
    case LL_NOTE:
    case LL_SEVERITY_OFF:
        break;
    }
    return NOTE;
}

/* ------------------------------------------------------------------ pieces of text */

void ll_count_text(ll_text *out, uint64_t n, const char *one)
{
    ll_text_u64(out, n);
    ll_text_char(out, ' ');
    ll_text_str(out, one);
    if (n != 1) {
        ll_text_char(out, 's');
    }
}

static void put_name(ll_text *out, const ll_report *report)
{
    const char *name = ll_report_name(report);
    ll_text_escape(out, name, strlen(name));
}

/* How many findings do not count, where there are any. */
static void put_marked(ll_text *out, uint64_t suppressed, uint64_t baselined)
{
    if (suppressed) {
        ll_text_str(out, ", ");
        ll_text_u64(out, suppressed);
        ll_text_str(out, " suppressed");
    }
    if (baselined) {
        ll_text_str(out, ", ");
        ll_text_u64(out, baselined);
        ll_text_str(out, " in the baseline");
    }
}

/* A title without its full stop, for places where the line goes on. */
static void put_title(ll_text *out, const char *title)
{
    size_t n = strlen(title);
    ll_text_put(out, title, n && title[n - 1] == '.' ? n - 1 : n);
}

static void put_label(const page *p)
{
    paint(p, p->loud);
    ll_text_str(p->out, ll_severity_text(p->finding->severity));
    ll_text_char(p->out, '[');
    ll_text_str(p->out, p->finding->id);
    ll_text_char(p->out, ' ');
    ll_text_str(p->out, p->finding->name);
    ll_text_char(p->out, ']');
    paint(p, PLAIN);
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

static void gutter(const page *p)
{
    put_painted(p, GUTTER, "   |");
}

static unsigned address_digits(const page *p)
{
    uint64_t last = primary(p).end | (ROW - 1);
    return last > 0xFFFFFF ? 8 : last > 0xFFFF ? 6 : 4;
}

static void put_ruler(const page *p)
{
    gutter(p);
    ll_text_repeat(p->out, ' ', 5 + address_digits(p));
    for (unsigned i = 0; i < ROW; i++) {
        ll_text_str(p->out, i == ROW / 2 ? "  " : i ? " " : "");
        ll_text_hex(p->out, i, 2);
    }
    ll_text_char(p->out, '\n');
}

static void put_row(const page *p, uint64_t row)
{
    const ll_region *region = p->report->view.region;
    unsigned count = row < region->size ? (unsigned)(region->size - row < ROW ? region->size - row : ROW) : 0;
    gutter(p);
    ll_text_str(p->out, " 0x");
    ll_text_hex(p->out, row, address_digits(p));
    ll_text_str(p->out, count ? "  " : "");
    for (unsigned i = 0; i < count; i++) {
        ll_text_str(p->out, i == ROW / 2 ? "  " : i ? " " : "");
        ll_text_hex(p->out, region->bytes[row + i], 2);
    }
    if (count) {
        ll_text_repeat(p->out, ' ', column(ROW - 1) + 4 - (column(count - 1) + 2));
    }
    for (unsigned i = 0; i < count; i++) {
        uint8_t byte = region->bytes[row + i];
        ll_text_char(p->out, byte >= 0x20 && byte < 0x7F ? (char)byte : '.');
    }
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

/* At most VALUE_SHOWN bytes, cut between characters. */
static void put_short(ll_text *out, const char *text)
{
    size_t n = strlen(text);
    if (n <= VALUE_SHOWN) {
        ll_text_put(out, text, n);
        return;
    }
    n = VALUE_SHOWN;
    while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) {
        n--;
    }
    ll_text_put(out, text, n);
    ll_text_str(out, "...");
}

/* "160" in hex as well: offsets and sizes are sought in hex editors. Nothing for small numbers and for what is no
 * whole number. */
static void put_as_hex(ll_text *out, const char *value)
{
    size_t n = strlen(value);
    uint64_t number = 0;
    if (n < 2 || n > 19 || strspn(value, "0123456789") != n) {
        return;
    }
    for (const char *p = value; *p; p++) {
        number = number * 10 + (unsigned)(*p - '0');
    }
    ll_text_str(out, " (0x");
    ll_text_hex(out, number, 1);
    ll_text_char(out, ')');
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
        ll_text_char(p->out, ' ');
        ll_text_str(p->out, f->type);
        ll_text_str(p->out, " = ");
        put_short(p->out, f->value);
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
    gutter(p);
    ll_text_repeat(p->out, ' ', 5 + address_digits(p));
    paint(p, p->loud);
    ll_text_put(p->out, line, length);
    if (last) {
        put_decoded(p);
    }
    paint(p, PLAIN);
    ll_text_char(p->out, '\n');
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
            gutter(p);
            ll_text_str(p->out, " ...  ");
            ll_text_u64(p->out, final - row - ROW);
            ll_text_str(p->out, " bytes more\n");
            row = final - ROW;
        }
    }
    gutter(p);
    ll_text_char(p->out, '\n');
}

/* ------------------------------------------------------------------ lines below the bytes */

static void put_note(const page *p, const char *label, const char *text)
{
    if (!text[0]) {
        return;
    }
    size_t n = strlen(label);
    put_painted(p, GUTTER, "   =");
    ll_text_char(p->out, ' ');
    put_painted(p, STRONG, label);
    ll_text_repeat(p->out, ' ', n < 10 ? 10 - n : 1);
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
        ll_text_str(out, " in ");
        ll_text_str(out, inner->region);
        ll_text_str(out, ", decompressed from ");
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
        if (place->path[0]) {
            ll_text_str(p->out, " ");
            ll_text_str(p->out, place->path);
        }
        ll_text_char(p->out, '\n');
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
    uint32_t more = fold->count[first] - 1;
    if (!more) {
        return;
    }
    put_painted(p, GUTTER, "   =");
    ll_text_str(p->out, " and ");
    ll_text_u64(p->out, more);
    ll_text_str(p->out, " more at ");
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
    put_painted(p, GUTTER, "  --> ");
    put_name(p->out, p->report);
    if (p->report->size) {
        ll_text_char(p->out, ' ');
        ll_place_text(f->offset, f->length, p->out);
        ll_text_str(p->out, " (byte ");
        ll_text_u64(p->out, f->offset);
        ll_text_str(p->out, ", ");
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
        gutter(p);
        ll_text_str(p->out, "  which decompress to ");
        ll_text_str(p->out, f->inner.region);
        ll_text_str(p->out, "; in it ");
        ll_place_text(f->inner.offset, f->inner.length, p->out);
        ll_text_char(p->out, '\n');
    }
    if (f->record[0] || strcmp(f->path, "file") != 0) {
        gutter(p);
        ll_text_str(p->out, "  ");
        put_painted(p, STRONG, f->path);
        if (f->record[0]) {
            ll_text_str(p->out, "  of ");
            ll_text_str(p->out, f->record);
        }
        ll_text_char(p->out, '\n');
    }
}

static void put_full(const page *p, const ll_fold *fold, uint32_t index)
{
    const ll_finding *f = p->finding;
    uint32_t times = fold->count ? fold->count[index] : 1;
    put_label(p);
    paint(p, STRONG);
    ll_text_str(p->out, ": ");
    put_title(p->out, f->title);
    paint(p, PLAIN);
    if (times > 1) {
        ll_text_str(p->out, " (");
        ll_text_u64(p->out, times);
        ll_text_str(p->out, " times)");
    }
    ll_text_char(p->out, '\n');
    put_where(p);
    gutter(p);
    ll_text_char(p->out, '\n');
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
    if (fold->count) {
        put_others(p, fold, index);
    }
    put_note(p, "more:", "lightlint explain ");
    ll_text_str(p->out, f->id);
    ll_text_str(p->out, "\n\n");
}

static bool is_shown(const ll_emitter *emitter, const ll_report *report, unsigned severity)
{
    return emitter->options.verbosity > -2 || ll_emit_fails(emitter, report, severity);
}

static void put_clean(const ll_emitter *emitter, const ll_report *report, ll_text *out)
{
    const ll_summary *s = &report->summary;
    if (emitter->options.verbosity < 1 || s->errors + s->warnings + s->notes || s->unchecked) {
        return;
    }
    put_name(out, report);
    ll_text_str(out, ": clean (");
    ll_text_str(out, ll_report_format(report));
    ll_text_str(out, ", ");
    ll_count_text(out, report->size, "byte");
    put_marked(out, s->suppressed, s->baselined);
    ll_text_str(out, ")\n");
}

/* ------------------------------------------------------------------ concise */

static void put_concise(const page *p)
{
    const ll_finding *f = p->finding;
    put_name(p->out, p->report);
    ll_text_char(p->out, ':');
    ll_place_text(f->offset, 0, p->out);
    ll_text_str(p->out, ": ");
    put_label(p);
    ll_text_char(p->out, ' ');
    if (f->inner.region) {
        ll_view_text(&p->report->view, p->out);
        ll_text_str(p->out, ": ");
    }
    put_painted(p, STRONG, f->path);
    ll_text_str(p->out, ": ");
    put_title(p->out, f->title);
    if (f->found[0]) {
        ll_text_str(p->out, "; found ");
        ll_text_str(p->out, f->found);
    }
    if (f->expected[0]) {
        ll_text_str(p->out, f->found[0] ? ", expected " : "; expected ");
        ll_text_str(p->out, f->expected);
    }
    ll_text_char(p->out, '\n');
}

/* ------------------------------------------------------------------ files */

/* In full, a finding for each group of `fold`; without one, a line for each finding. */
static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk, const ll_fold *fold)
{
    put_clean(emitter, report, &chunk->text);
    for (uint32_t i = ll_report_next(report, 0); i != LL_NO_ENTRY; i = ll_report_next(report, i + 1)) {
        unsigned severity = report->entries[i].severity;
        if ((fold && fold->count && !fold->count[i]) || !is_shown(emitter, report, severity)) {
            continue;
        }
        ll_finding finding;
        ll_status status = ll_finding_compose(report, i, &finding);
        if (status != LL_OK) {
            return status;
        }
        page p = {&chunk->text, emitter->options.color, style_of((ll_severity)severity), report, &finding};
        if (fold) {
            put_full(&p, fold, i);
        } else {
            put_concise(&p);
        }
    }
    return LL_OK;
}

static ll_status render_full(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_fold fold = {NULL, NULL};
    if (report->entry_count > 1 && !emitter->options.all && ll_report_fold(report, &fold) != LL_OK) {
        return LL_E_MEMORY;
    }
    return render(emitter, report, chunk, &fold);
}

static ll_status render_concise(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    return render(emitter, report, chunk, NULL);
}

/* ------------------------------------------------------------------ verdict */

void ll_verdict_text(const ll_totals *totals, ll_text *out)
{
    uint64_t findings = totals->errors + totals->warnings + totals->notes;
    if (totals->dropped) {
        ll_count_text(out, totals->dropped, "finding");
        ll_text_str(out, " not shown (limit reached; --all shows them)\n");
    }
    ll_count_text(out, totals->files, "file");
    ll_text_str(out, findings ? " checked, " : " checked, no findings");
    if (findings) {
        ll_text_u64(out, totals->files_with_findings);
        ll_text_str(out, " with findings: ");
        ll_count_text(out, totals->errors, "error");
        ll_text_str(out, ", ");
        ll_count_text(out, totals->warnings, "warning");
        ll_text_str(out, ", ");
        ll_count_text(out, totals->notes, "note");
    }
    put_marked(out, totals->suppressed, totals->baselined);
    ll_text_char(out, '.');
    if (totals->unchecked) {
        ll_text_char(out, ' ');
        ll_count_text(out, totals->unchecked, "file");
        ll_text_str(out, " not checked, or not in full.");
    }
    ll_text_char(out, '\n');
}

bool ll_wants_verdict(const ll_emitter *emitter)
{
    bool clean = emitter->totals.files_with_findings == 0 && emitter->totals.unchecked == 0;
    return emitter->options.verbosity >= 0 || (emitter->options.verbosity == -1 && !clean);
}

static ll_status finish_human(ll_emitter *emitter, int exit_code)
{
    (void)exit_code;
    if (ll_wants_verdict(emitter)) {
        ll_verdict_text(&emitter->totals, &emitter->out);
    }
    return ll_emit_text(emitter, &emitter->out);
}

const ll_emit_format ll_emit_full = {NULL, render_full, ll_emit_plain, finish_human, NULL};
const ll_emit_format ll_emit_concise = {NULL, render_concise, ll_emit_plain, finish_human, NULL};
