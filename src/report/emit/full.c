/* Writes the format `full`: findings laid out like a compiler's diagnostics, with bytes in place of the source line.
 * Escapes the names of files; other texts were escaped when they were composed.
 *
 * A file or pipe gets everything about each finding, in lines of any length. On a terminal, lines are wrapped; texts of
 * a rule are shown once per run; a finding equal to one in an earlier file is only counted; and a table by rule ends a
 * run that filled more than a screen. So rendering cuts a finding into pieces, and committing, which follows the order
 * of files, leaves out pieces shown before. */
#include "report/emit/counts.h"
#include "report/emit/finding_words.h"

enum {
    ROW = 16,
    HIT_ROWS = 4,
    HIT_ROWS_HEAD = 2,
    LABEL = 15,           /* column of the texts after "   = found:    " */
    BAR = 4,              /* columns of "   |" */
    HEX_COLUMNS = 66,     /* columns of a row of bytes and characters */
    KEYS_MAX = 16384,     /* findings and texts remembered, */
    KEYS_BYTES = 1048576, /* and bytes of their names; later ones are always shown */
    EQUAL_LISTED = 20,
    TABLE_REST = 8 /* lines kept free beside the table by rule on the last screen */
};

/* Kind of a piece of text. */
typedef enum piece_part {
    PART_FINDING, /* start of a finding; key 0: always shown */
    PART_ONCE,    /* left out if a piece with its key was shown */
    PART_REST
} piece_part;

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
    const ll_region *region = p->report->view.region;
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
    const char *bytes = (const char *)p->report->view.region->bytes;
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
    ll_text_str(p->out, p->report->is_text ? ":" : p->report->size ? " " : "");
    ll_found_at_text(p->report, f, p->out);
    end_line(p, from, 6);
    if (p->report->member) {
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
static ll_piece *cut(page *p, piece_part part, uint64_t key)
{
    if (!on_terminal(p) || p->out->length == p->cut) {
        return NULL;
    }
    ll_piece *piece = LL_ARRAY_ADD(&p->chunk->pieces, &p->chunk->allocator);
    p->out->failed = p->out->failed || !piece;
    if (piece) {
        const char *name = ll_report_name(p->report);
        *piece = (ll_piece){.length = p->out->length - p->cut,
                            .part = (uint8_t)part,
                            .key = key,
                            .file = p->chunk->file,
                            .report = ll_fnv(LL_FNV_START, name, strlen(name))};
    }
    p->cut = p->out->length;
    return piece;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return ll_map_hash_bytes(hash, text, strlen(text));
}

/* Hash of everything about a finding but its place; findings with equal hashes count as equal. Skips brackets in paths:
 * they hold numbers and names of records. */
static uint64_t key_of(const ll_finding *f)
{
    const char *texts[] = {f->id, f->record, f->value, f->found, f->expected, f->hint};
    uint64_t key = ll_map_hash(f->severity);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        key = hash_text(key, texts[i]);
    }
    for (const char *path = f->path; *path;) {
        size_t n = strcspn(path, "[");
        key = ll_map_hash_bytes(key, path, n);
        path += n;
        path += strcspn(path, "]");
    }
    return key ? key : 1;
}

/* Writes a line that the rule repeats for many findings. */
static void put_once(page *p, const char *label, const char *text)
{
    put_line(p, label, text);
    (void)cut(p, PART_ONCE, hash_text(hash_text(0, p->finding->id), text));
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
    if (p->report->view.region->size && p->report->view.region->bytes) {
        if (p->report->is_text) {
            put_lines(p);
        } else {
            put_bytes(p);
        }
        put_gap(p);
    }
    put_line(p, "found:", f->found);
    put_line(p, "expected:", f->expected);
    put_related(p);
    ll_piece *piece = cut(p, PART_FINDING, key_of(f));
    if (piece) {
        size_t name = p->chunk->names.length;
        ll_heading_text(p->color, f->severity, f->id, f->name, &p->chunk->names);
        piece->plain = p->chunk->names.length - name;
        ll_text_str(&p->chunk->names, " in ");
        ll_name_text(p->report, &p->chunk->names);
        piece->name = p->chunk->names.length - name;
        piece->findings = walk->times;
    }
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
    (void)cut(p, PART_REST, 0);
    from = put_note(p, "more:");
    ll_text_format(p->out, "lightlint explain %s", f->id);
    end_line(p, from, LABEL);
    (void)cut(p, PART_ONCE, hash_text(0, f->id));
    ll_text_char(p->out, '\n');
    (void)cut(p, PART_REST, 0);
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
    (void)cut(&p, PART_FINDING, 0);
    while (ll_walk_next(&walk)) {
        p.at = &report->entries[walk.entry].at;
        put_finding(&p, &walk);
        p.cut = ll_chunk_pass_on(chunk) ? 0 : p.cut;
    }
    return walk.status;
}

/* ------------------------------------------------------------------ the run on a terminal */

typedef struct run {
    ll_counts rules; /* findings by rule */
    ll_counts equal; /* findings by key_of(), with the files that have them */
    ll_counts once;  /* texts that were shown */
    uint64_t lines;  /* lines shown */
} run;

static void open_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    ll_counts_init(&r->rules, &emitter->allocator);
    ll_counts_init(&r->equal, &emitter->allocator);
    ll_counts_init(&r->once, &emitter->allocator);
}

static void close_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    ll_counts_free(&r->rules);
    ll_counts_free(&r->equal);
    ll_counts_free(&r->once);
}

/* Counts a key; a new one gets the name if there is room. NULL: no room, or out of memory. */
static const ll_counts_row *count_key(ll_emitter *emitter, ll_counts *counts, uint64_t key, const char *name, size_t n,
                                      uint64_t file)
{
    bool room = (counts->rows.count < KEYS_MAX && counts->keys.length < KEYS_BYTES) || ll_counts_find(counts, key);
    const ll_counts_row *row = room ? ll_counts_add(counts, key, name, n, 1, file) : NULL;
    emitter->out.failed = emitter->out.failed || (room && !row);
    return row;
}

/* Counts a finding. True: an equal one was shown for an earlier report. */
static bool is_repeated(ll_emitter *emitter, const ll_piece *piece, const char *name)
{
    run *r = emitter->state;
    uint64_t rule = ll_map_hash_bytes(0, name, piece->plain);
    bool counted = ll_counts_add(&r->rules, rule, name, piece->plain, piece->findings, piece->file) != NULL;
    emitter->out.failed = emitter->out.failed || !counted;
    const ll_counts_row *row =
        emitter->options.all ? NULL : count_key(emitter, &r->equal, piece->key, name, piece->name, piece->report);
    return row && row->first_file != piece->report;
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    run *r = emitter->state;
    ll_text *out = &emitter->out;
    const char *text = chunk->text.data;
    const char *name = chunk->names.data;
    bool repeated = false;
    if (!emitter->options.terminal.columns) {
        return ll_emit_text(emitter, &chunk->text);
    }
    for (size_t i = 0; i < chunk->pieces.count; i++) {
        const ll_piece *piece = &chunk->pieces.items[i];
        bool once = piece->part == PART_ONCE;
        if (piece->part == PART_FINDING) {
            repeated = piece->key && is_repeated(emitter, piece, name);
            name += piece->name;
        }
        const ll_counts_row *row = once && !repeated ? count_key(emitter, &r->once, piece->key, "", 0, 1) : NULL;
        if (!repeated && (!row || row->count == 1)) {
            ll_text_put(out, text, piece->length);
        }
        text += piece->length;
    }
    for (size_t i = 0; !out->failed && i < out->length; i++) {
        r->lines += out->data[i] == '\n';
    }
    return ll_emit_text(emitter, out);
}

/* Lists the findings that were counted instead of shown. */
static void put_equal(run *r, const ll_terminal *terminal, ll_text *out)
{
    uint64_t left = 0;
    size_t listed = 0;
    ll_counts_sort(&r->equal);
    for (size_t i = 0; i < r->equal.rows.count; i++) {
        const ll_counts_row *row = &r->equal.rows.items[i];
        if (row->files < 2) {
            continue;
        }
        if (listed == EQUAL_LISTED) {
            left++;
            continue;
        }
        size_t from = out->length;
        if (listed++ == 0) {
            ll_text_str(out, "Equal findings, each shown in one file (--all shows all):");
            ll_end_line(out, from, 2, terminal);
            from = out->length;
        }
        ll_text_format(out, "  %s, and in ", row->name);
        ll_count_text(out, row->files - 1, "more file");
        ll_end_line(out, from, 4, terminal);
    }
    if (left) {
        ll_text_str(out, "  and ");
        ll_count_text(out, left, "more such finding");
        ll_text_char(out, '\n');
    }
    ll_text_str(out, listed ? "\n" : "");
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    run *r = emitter->state;
    const ll_terminal *terminal = &emitter->options.terminal;
    put_equal(r, terminal, &emitter->out);
    if (terminal->columns && r->lines > terminal->lines) {
        unsigned most = terminal->lines > 2 * TABLE_REST ? terminal->lines - TABLE_REST : TABLE_REST;
        ll_counts_table(&r->rules, most, "By rule", "rule", terminal, &emitter->out);
    }
    return ll_emit_verdict(emitter, exit_code);
}

const ll_emit_format ll_emit_full = {.state_size = sizeof(run),
                                     .open = open_run,
                                     .close = close_run,
                                     .render = render,
                                     .commit = commit,
                                     .folds = true,
                                     .patches = true,
                                     .for_people = true,
                                     .finish = finish};
