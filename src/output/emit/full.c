/* Writes the format `full`: findings laid out like a compiler's diagnostics, with bytes in place of the source line.
 * Escapes the names of files; other texts were escaped when they were composed.
 *
 * A file or pipe gets everything about each finding, in the order of files, in lines of any length. On a terminal,
 * lines are wrapped, and rendering cuts a finding into pieces, of which full_run.c shows what a reader can take. */
#include "output/emit/finding_words.h"
#include "output/emit/full.h"

enum {
    ROW = 16,
    HIT_ROWS = 4,
    HIT_ROWS_HEAD = 2,
    LABEL = 15,      /* column of the texts after "   = found:    " */
    BAR = 4,         /* columns of "   |" */
    HEX_COLUMNS = 66 /* columns of a row of bytes and characters */
};

/* The finding being written. */
typedef struct page {
    ll_text *out;
    bool color;
    const ll_emitter *emitter;
    const ll_terminal *terminal;
    ll_report *report;
    const ll_finding *finding;
    const ll_where *at;
    ll_chunk *chunk;
    size_t cut;   /* start of the next piece */
    unsigned row; /* bytes per hex row */
    bool bare;    /* no room for "0x" before addresses */
} page;

static const char *code(const page *p, ll_style style)
{
    return ll_style_code(p->color, style);
}

/* ------------------------------------------------------------------ bytes */

static unsigned column(unsigned cell)
{
    return 3 * cell + (cell >= ROW / 2);
}

static bool on_terminal(const page *p)
{
    return p->terminal->columns > 0;
}

/* Ends a line that began at `from`; wraps it to the terminal. */
static void end_line(const page *p, size_t from, size_t indent)
{
    ll_end_line(p->out, from, indent, p->terminal);
}

/* Writes the gutter bar at the left of a line, then `text`. */
static void put_bar(const page *p, const char *text)
{
    ll_text_str(p->out, code(p, LL_GUTTER));
    ll_text_str(p->out, "   |");
    ll_text_str(p->out, code(p, LL_PLAIN));
    ll_text_str(p->out, text);
}

/* Writes a blank gutter line; left out on a terminal to save space. */
static void put_gap(const page *p)
{
    if (!on_terminal(p)) {
        put_bar(p, "\n");
    }
}

static unsigned address_digits(const page *p)
{
    return ll_address_digits(ll_found_range(p->report).end | (ROW - 1));
}

/* Columns between the bar and the bytes. */
static unsigned address_columns(const page *p)
{
    return (p->bare ? 3 : 5) + address_digits(p);
}

/* On a narrow terminal, drops the "0x" of addresses, or halves the row. */
static void choose_row(page *p)
{
    unsigned columns = p->terminal->columns;
    p->bare = false;
    p->bare = columns && BAR + address_columns(p) + HEX_COLUMNS > columns;
    p->row = p->bare && BAR + address_columns(p) - 2 + HEX_COLUMNS > columns ? ROW / 2 : ROW;
    p->bare = p->bare && p->row == ROW;
}

static void put_ruler(const page *p)
{
    static const char ruler[] = "00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f";
    put_bar(p, "");
    ll_text_repeat(p->out, ' ', address_columns(p));
    ll_text_put(p->out, ruler, p->row == ROW ? sizeof ruler - 1 : column(ROW / 2) - 2);
    ll_text_char(p->out, '\n');
}

static void put_row(const page *p, uint64_t row)
{
    const ll_region *region = p->report->last.view.region;
    uint64_t left = row < region->size ? region->size - row : 0;
    unsigned count = left < p->row ? (unsigned)left : p->row;
    put_bar(p, p->bare ? " " : " 0x");
    ll_text_hex(p->out, row, address_digits(p));
    ll_text_str(p->out, count ? "  " : "");
    ll_text_bytes(p->out, region->bytes + row, count < ROW / 2 ? count : ROW / 2);
    if (count > ROW / 2) {
        ll_text_str(p->out, "  ");
        ll_text_bytes(p->out, region->bytes + row + ROW / 2, count - ROW / 2);
    }
    if (count) {
        ll_text_repeat(p->out, ' ', column(p->row - 1) + 4 - (column(count - 1) + 2));
    }
    ll_characters_text(region->bytes + row, count, p->out);
    ll_text_char(p->out, '\n');
}

/* Fills `line` with the marks of a row; adjacent marks of one kind are joined. Returns its length; 0: no marks. */
static size_t mark_row(const page *p, uint64_t row, char line[ROW * 3 + 1])
{
    char last = ' ';
    size_t length = 0;
    ll_range hit = ll_found_range(p->report);
    ll_range beside = {0, 0};
    bool any_beside = ll_related_range(p->finding, &beside);
    memset(line, ' ', ROW * 3 + 1);
    for (unsigned i = 0; i < p->row; i++) {
        bool other = any_beside && ll_range_covers(beside, row + i);
        char mark = ll_range_covers(hit, row + i) ? '^' : other ? '-' : ' ';
        if (mark != ' ') {
            unsigned from = mark == last ? column(i - 1) + 2 : column(i);
            memset(line + from, mark, column(i) + 2 - from);
            length = column(i) + 2;
        }
        last = mark;
    }
    return length;
}

/* Writes the decoded value after the marks, which take `marks` columns from column `first` on; below them if the line
 * would be too long. */
static void put_caption(const page *p, size_t first, size_t marks)
{
    char caption[4 * LL_VALUE_SHOWN];
    size_t from = p->out->length;
    ll_text_char(p->out, ' ');
    ll_decoded_text(p->report, p->finding, p->out);
    p->out->length -= !p->out->failed && p->out->length == from + 1;
    size_t n = p->out->failed ? 0 : p->out->length - from;
    size_t columns = n ? ll_columns(p->out->data + from, n, p->terminal) : 0;
    if (!on_terminal(p) || n > sizeof caption || first + marks + columns <= p->terminal->columns) {
        return;
    }
    memcpy(caption, p->out->data + from, n);
    p->out->length = from;
    ll_text_format(p->out, "%s\n", code(p, LL_PLAIN));
    size_t line = p->out->length;
    size_t last = columns + BAR < p->terminal->columns ? p->terminal->columns - columns : BAR;
    size_t indent = first - 1 < last ? first - 1 : last;
    put_bar(p, "");
    ll_text_repeat(p->out, ' ', indent - BAR);
    ll_text_str(p->out, code(p, ll_severity_style(p->finding->severity)));
    ll_text_put(p->out, caption, n);
    ll_fit(p->out, line, indent + 1, p->terminal);
}

static void put_marks(const page *p, uint64_t row, bool last)
{
    char line[ROW * 3 + 1];
    size_t length = mark_row(p, row, line);
    if (!length) {
        return;
    }
    put_bar(p, "");
    ll_text_repeat(p->out, ' ', address_columns(p));
    ll_text_format(p->out, "%s%.*s", code(p, ll_severity_style(p->finding->severity)), (int)length, line);
    if (last) {
        size_t blank = strspn(line, " ");
        put_caption(p, BAR + address_columns(p) + blank, length - blank);
    }
    ll_text_format(p->out, "%s\n", code(p, LL_PLAIN));
}

static void put_bytes(page *p)
{
    choose_row(p);
    ll_range hit = ll_found_range(p->report);
    uint64_t first = hit.start / p->row * p->row;
    uint64_t final = (hit.end > hit.start ? hit.end - 1 : hit.start) / p->row * p->row;
    bool elide = (final - first) / p->row + 1 > HIT_ROWS;
    put_ruler(p);
    for (uint64_t row = first >= p->row ? first - p->row : first; row <= final; row += p->row) {
        put_row(p, row);
        put_marks(p, row, row == final);
        if (elide && row == first + p->row * (HIT_ROWS_HEAD - 1)) {
            put_bar(p, " ...  ");
            ll_text_format(p->out, "%" PRIu64 " bytes more\n", final - row - p->row);
            row = final - p->row;
        }
    }
}

/* ------------------------------------------------------------------ lines of a text file */

/* Writes the line that holds `at` with its number, and marks below the bytes of the finding. Returns the start of the
 * next line. */
static uint64_t put_text_line(const page *p, uint64_t at, unsigned digits)
{
    const char *bytes = (const char *)p->report->last.view.region->bytes;
    ll_excerpt e = ll_excerpt_at(p->report, at);
    ll_range hit = ll_found_range(p->report);
    at = e.start;
    size_t n = (size_t)(e.end - at);
    size_t from = hit.start > at ? (size_t)(hit.start - at) : 0;
    while (hit.start <= at && from < n && bytes[at + from] == ' ') {
        from++;
    }
    from = from < n ? from : n;
    size_t to = hit.end - at < n ? (size_t)(hit.end - at) : n;
    to = to < from ? from : to;
    size_t line = p->out->length;
    put_bar(p, " ");
    ll_text_format(p->out, "%*" PRIu32 "  ", (int)digits, ll_report_line(p->report, at));
    ll_text_str(p->out, e.cut_front ? "..." : "");
    size_t stops[3];
    const size_t parts[] = {0, from, to, n};
    for (unsigned i = 0; i < 3; i++) {
        ll_text_escape(p->out, bytes + at + parts[i], parts[i + 1] - parts[i]);
        stops[i] = p->out->failed ? 0 : ll_columns(p->out->data + line, p->out->length - line, p->terminal);
    }
    ll_text_str(p->out, e.cut_behind ? "..." : "");
    ll_cut(p->out, line, p->terminal);
    ll_text_char(p->out, '\n');
    size_t most = on_terminal(p) ? p->terminal->columns : SIZE_MAX;
    size_t first = stops[0] < most ? stops[0] : most;
    size_t last = stops[1] < most ? stops[1] : most;
    put_bar(p, "");
    ll_text_repeat(p->out, ' ', first > BAR ? first - BAR : 0);
    ll_text_str(p->out, code(p, ll_severity_style(p->finding->severity)));
    ll_text_repeat(p->out, '^', last > first ? last - first : 1);
    ll_text_format(p->out, "%s\n", code(p, LL_PLAIN));
    return e.next;
}

static void put_lines(const page *p)
{
    ll_range hit = ll_found_range(p->report);
    uint64_t at = hit.start;
    unsigned shown = 0;
    uint32_t last = ll_report_line(p->report, hit.end > hit.start ? hit.end - 1 : hit.start);
    unsigned digits = last > 999 ? 6 : last > 99 ? 3 : 2;
    do {
        at = put_text_line(p, at, digits);
    } while (at < hit.end && ++shown < HIT_ROWS);
    if (at < hit.end) {
        put_bar(p, " ...  ");
        ll_count_text(p->out, last + 1 - ll_report_line(p->report, at), "line");
        ll_text_str(p->out, " more\n");
    }
}

/* ------------------------------------------------------------------ notes below the bytes */

/* Writes a label; returns where its text begins, for end_line(). */
static size_t put_note(const page *p, const char *label)
{
    ll_text_format(p->out, "%s   =%s %s%s%s", code(p, LL_GUTTER), code(p, LL_PLAIN), code(p, LL_STRONG), label,
                   code(p, LL_PLAIN));
    ll_text_repeat(p->out, ' ', LABEL - 5 - strlen(label));
    return p->out->length;
}

static void put_line(const page *p, const char *label, const char *text)
{
    if (text[0]) {
        size_t from = put_note(p, label);
        ll_text_str(p->out, text);
        end_line(p, from, LABEL);
    }
}

static void put_related(const page *p)
{
    for (size_t i = 0; i < p->finding->related_count; i++) {
        size_t from = put_note(p, "see:");
        ll_related_text(p->report, &p->finding->related[i], p->out);
        end_line(p, from, LABEL);
    }
}

static void put_patch(const page *p)
{
    if (p->finding->patch.tier != LL_PATCH_NONE) {
        size_t from = put_note(p, "patch:");
        ll_patch_text(p->report, &p->finding->patch, p->out);
        end_line(p, from, LABEL);
    }
}

static void put_others(const page *p, const ll_fold *fold, uint32_t first)
{
    if (fold->count && fold->count[first] > 1) {
        size_t from = p->out->length;
        ll_text_format(p->out, "%s   =%s ", code(p, LL_GUTTER), code(p, LL_PLAIN));
        ll_others_text(p->report, fold, first, p->out);
        end_line(p, from, LABEL);
    }
}

/* ------------------------------------------------------------------ one finding in full */

static void put_where(const page *p)
{
    const ll_finding *f = p->finding;
    ll_text_format(p->out, "%s  --> %s", code(p, LL_GUTTER), code(p, LL_PLAIN));
    ll_name_text(p->report, p->out);
    size_t from = p->out->length;
    ll_text_str(p->out, p->report->file.is_text ? ":" : p->report->file.size ? " " : "");
    ll_found_at_text(p->report, f, p->out);
    end_line(p, from, 6);
    if (p->report->file.member) {
        put_bar(p, "  ");
        from = p->out->length;
        ll_archive_place_text(f->offset, f->length, p->out);
        end_line(p, from, 6);
    }
    if (f->inner.region) {
        put_bar(p, "  which decompress to ");
        from = p->out->length;
        ll_text_format(p->out, "%s; in it ", f->inner.region);
        ll_place_text(f->inner.offset, f->inner.length, p->out);
        end_line(p, from, 6);
    }
    if (f->record[0] || strcmp(f->path, "file") != 0) {
        put_bar(p, "  ");
        from = p->out->length;
        ll_text_format(p->out, "%s%s%s", code(p, LL_STRONG), f->path, code(p, LL_PLAIN));
        bool kind = ll_kind_text(&p->report->doc, p->at, "  of ", p->out);
        ll_text_format(p->out, "%s%s", !f->record[0] ? "" : kind ? ", " : "  of ", f->record);
        end_line(p, from, 6);
    }
}

/* ------------------------------------------------------------------ pieces */

/* On a terminal, makes the text since the last cut a piece. NULL: nothing was cut, or out of memory. */
static ll_piece *cut(page *p, ll_full_part part, uint64_t key)
{
    if (!on_terminal(p) || p->out->length == p->cut) {
        return NULL;
    }
    ll_piece *piece = LL_ARRAY_ADD(&p->chunk->pieces, &p->chunk->allocator);
    p->out->failed = p->out->failed || !piece;
    if (piece) {
        *piece =
            (ll_piece){.length = p->out->length - p->cut, .part = (uint8_t)part, .key = key, .file = p->chunk->file};
    }
    p->cut = p->out->length;
    return piece;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return ll_map_hash_bytes(hash, text, strlen(text));
}

/* Hash of what findings of one entry share: the rule, the field of the record, and the words of the likely cause before
 * its first name or number; of notes the rule alone. Skips brackets in paths: they hold numbers and names of records.
 */
static uint64_t kind_of(const ll_finding *f)
{
    uint64_t kind = hash_text(ll_map_hash(f->severity << 1 | (f->explains > 0)), f->id);
    if (f->severity > LL_NOTE) {
        kind = hash_text(kind, f->record);
        kind = ll_map_hash_bytes(kind, f->hint, strcspn(f->hint, "\"/0123456789"));
        for (const char *path = f->path; *path;) {
            size_t n = strcspn(path, "[");
            kind = ll_map_hash_bytes(kind, path, n);
            path += n;
            path += strcspn(path, "]");
        }
    }
    return kind ? kind : 1;
}

/* Writes a line that the rule repeats for many findings. */
static void put_once(page *p, const char *label, const char *text)
{
    put_line(p, label, text);
    (void)cut(p, LL_FULL_ONCE, hash_text(hash_text(0, p->finding->id), text));
}

/* The piece that a finding begins with, and what it is sorted and counted by. */
static void begin_pieces(page *p, const ll_walk *walk)
{
    const ll_finding *f = p->finding;
    ll_piece *piece = on_terminal(p) ? cut(p, LL_FULL_BEGINS, kind_of(f)) : NULL;
    if (piece) {
        size_t name = p->chunk->names.length;
        ll_heading_text(p->color, f->severity, f->id, f->name, &p->chunk->names);
        piece->name = p->chunk->names.length - name;
        piece->findings = walk->times;
        piece->rule = ll_rule_at(p->report->rules, p->report->entries.items[walk->entry].rule);
        piece->severity = (uint8_t)f->severity;
        piece->explains = f->explains > 0;
    }
}

/* On a terminal, the line for the finding below another one of its kind. What is found is cut where the line ends. */
static void put_place(page *p, uint32_t times)
{
    const ll_finding *f = p->finding;
    size_t line = p->out->length;
    if (!on_terminal(p)) {
        return;
    }
    ll_text_format(p->out, "%s  --> %s", code(p, LL_GUTTER), code(p, LL_PLAIN));
    ll_name_text(p->report, p->out);
    ll_text_str(p->out, p->report->file.is_text ? ":" : p->report->file.size ? " " : "");
    if (p->report->file.is_text) {
        ll_position_text(p->report, p->out);
    } else if (p->report->file.size) {
        ll_place_text(f->offset - ll_report_start(p->report), 0, p->out);
    }
    size_t named = p->out->length;
    if (strcmp(f->path, "file") != 0) {
        ll_text_format(p->out, " %s", f->path);
    }
    ll_times_text(times, p->out);
    if (f->found[0]) {
        ll_text_format(p->out, ": found %s", f->found);
    }
    if (f->expected[0]) {
        ll_text_format(p->out, "%s expected %s", f->found[0] ? "," : ":", f->expected);
    }
    bool fits = !p->out->failed && ll_columns(p->out->data + line, named - line, p->terminal) < p->terminal->columns;
    p->out->length = fits || p->out->failed ? p->out->length : named;
    if (fits) {
        ll_cut(p->out, line, p->terminal);
    }
    ll_text_char(p->out, '\n');
    (void)cut(p, LL_FULL_PLACE, 0);
}

static void put_finding(page *p, const ll_walk *walk)
{
    const ll_finding *f = p->finding;
    size_t from = p->out->length;
    ll_linked_heading_text(p->emitter, f, p->out);
    ll_text_format(p->out, "%s: %.*s%s", code(p, LL_STRONG), (int)ll_title_length(f->title), f->title,
                   code(p, LL_PLAIN));
    if (walk->times > 1) {
        ll_text_format(p->out, " (%" PRIu32 " times)", walk->times);
    }
    end_line(p, from, 4);
    put_where(p);
    put_gap(p);
    if (p->report->last.view.region->size && p->report->last.view.region->bytes) {
        if (p->report->file.is_text) {
            put_lines(p);
        } else {
            put_bytes(p);
        }
        put_gap(p);
    }
    put_line(p, "found:", f->found);
    put_line(p, "expected:", f->expected);
    put_related(p);
    begin_pieces(p, walk);
    put_once(p, "why:", f->why);
    put_once(p, "likely:", f->hint);
    if (f->explains) {
        size_t start = put_note(p, "explains:");
        ll_explains_text(f, p->out);
        end_line(p, start, LABEL);
    }
    put_once(p, "help:", f->fix);
    put_patch(p);
    put_others(p, &walk->fold, walk->entry);
    (void)cut(p, LL_FULL_REST, 0);
    from = put_note(p, "more:");
    ll_text_format(p->out, "lightlint explain %s", f->id);
    end_line(p, from, LABEL);
    (void)cut(p, LL_FULL_ONCE, hash_text(0, f->id));
    put_place(p, walk->times);
    ll_text_char(p->out, '\n');
    (void)cut(p, LL_FULL_REST, 0);
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_walk walk = ll_walk_groups(emitter, report);
    walk.severities = ll_severities_shown(emitter, report);
    page p = {.out = &chunk->text,
              .color = emitter->options.color,
              .emitter = emitter,
              .terminal = &emitter->options.terminal,
              .report = report,
              .finding = &walk.finding,
              .chunk = chunk,
              .cut = chunk->text.length};
    ll_clean_text(emitter, report, &chunk->text);
    ll_piece *clean = cut(&p, LL_FULL_BEGINS, 0);
    if (clean) {
        clean->findings = 1;
    }
    while (ll_walk_next(&walk)) {
        p.at = &report->entries.items[walk.entry].at;
        put_finding(&p, &walk);
        p.cut = ll_chunk_pass_on(chunk) ? 0 : p.cut;
    }
    return walk.status;
}

const ll_emit_format ll_emit_full = {.state_size = sizeof(ll_full_run),
                                     .open = ll_full_open,
                                     .close = ll_full_close,
                                     .render = render,
                                     .commit = ll_full_commit,
                                     .folds = true,
                                     .patches = true,
                                     .for_people = true,
                                     .finish = ll_full_finish};
