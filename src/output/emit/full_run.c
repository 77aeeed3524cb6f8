/* Sorts the findings of a run for a terminal, prints those that fit, and counts the rest. */
#include "output/emit/full.h"

enum {
    LINES_MAX = 200,   /* of a run, without --all */
    PLACES_LISTED = 4, /* of an entry, besides the first */
    KEYS_MAX = 16384,  /* texts that are remembered; later ones are shown each time */
    TABLE_REST = 8,    /* lines around the table by rule, which it leaves of the last screen */
    TABLE_MOST = 40    /* rows of it */
};

void ll_full_open(ll_emitter *emitter)
{
    ll_full_run *r = emitter->state;
    ll_counts_init(&r->rules, &emitter->allocator);
    ll_counts_init(&r->once, &emitter->allocator);
}

/* Frees the entries from number `from` on. */
static void drop_entries(ll_full_run *r, size_t from, const ll_allocator *allocator)
{
    for (size_t i = from; i < r->entries.count; i++) {
        ll_text_free(&r->entries.items[i].text);
        ll_text_free(&r->entries.items[i].places);
        LL_ARRAY_FREE(&r->entries.items[i].pieces, allocator);
    }
    r->entries.count = from < r->entries.count ? from : r->entries.count;
}

void ll_full_close(ll_emitter *emitter)
{
    ll_full_run *r = emitter->state;
    drop_entries(r, 0, &emitter->allocator);
    LL_ARRAY_FREE(&r->entries, &emitter->allocator);
    ll_counts_free(&r->rules);
    ll_counts_free(&r->once);
}

/* ------------------------------------------------------------------ entries */

static const char *rule_of(const ll_piece *piece)
{
    return piece->rule ? piece->rule->id : "";
}

/* Does a finding belong in front of an entry? */
static bool is_before(const ll_piece *piece, const ll_full_entry *entry)
{
    if (piece->severity != entry->severity) {
        return piece->severity > entry->severity;
    }
    if (piece->explains != entry->explains) {
        return piece->explains;
    }
    return strcmp(rule_of(piece), entry->rule) < 0;
}

/* Drops what stands after LINES_MAX lines. What is after an entry stays after it, and entries only grow: what was
 * dropped, or had no place, never gets one. */
static void trim(ll_full_run *r, const ll_allocator *allocator)
{
    uint64_t lines = 0;
    size_t count = 0;
    while (count < r->entries.count && lines < LINES_MAX) {
        lines += r->entries.items[count++].lines;
    }
    drop_entries(r, count, allocator);
}

/* Opens an entry for a finding of a new kind; NULL: it has no place, or *failed. */
static ll_full_entry *open_entry(ll_full_run *r, const ll_piece *first, const ll_allocator *allocator, bool *failed)
{
    uint64_t lines = 0;
    size_t at = 0;
    while (at < r->entries.count && !is_before(first, &r->entries.items[at])) {
        lines += r->entries.items[at++].lines;
    }
    if (lines >= LINES_MAX) {
        return NULL;
    }
    *failed = !LL_ARRAY_ROOM(&r->entries, 1, allocator);
    if (*failed) {
        return NULL;
    }
    ll_full_entry *entry = &r->entries.items[at];
    memmove(entry + 1, entry, (r->entries.count++ - at) * sizeof *entry);
    *entry = (ll_full_entry){
        .kind = first->key, .rule = rule_of(first), .severity = first->severity, .explains = first->explains};
    ll_text_init(&entry->text, allocator);
    ll_text_init(&entry->places, allocator);
    return entry;
}

/* Keeps the pieces of a finding, all but its place, as an entry. */
static bool keep_pieces(ll_full_entry *entry, const ll_piece *pieces, size_t count, const char *text,
                        const ll_allocator *allocator)
{
    bool room = LL_ARRAY_ROOM(&entry->pieces, count, allocator);
    for (size_t i = 0; room && i < count; i++) {
        bool is_place = pieces[i].part == LL_FULL_PLACE;
        size_t length = is_place ? 0 : pieces[i].length;
        ll_text_put(&entry->text, text, length);
        entry->lines += pieces[i].part == LL_FULL_ONCE ? 0 : ll_count_lines(text, length);
        entry->pieces.items[entry->pieces.count] = pieces[i];
        entry->pieces.items[entry->pieces.count++].length = length;
        text += pieces[i].length;
    }
    return room && !entry->text.failed;
}

/* Adds a finding of the kind of an entry: its line, or its number. */
static bool add_place(ll_full_entry *entry, const ll_piece *pieces, size_t count, const char *text)
{
    bool listed = entry->place_count < PLACES_LISTED;
    for (size_t i = 0; listed && i < count; i++) {
        if (pieces[i].part == LL_FULL_PLACE) {
            ll_text_put(&entry->places, text, pieces[i].length);
            entry->lines++;
        }
        text += pieces[i].length;
    }
    entry->place_count += listed;
    entry->more += listed ? 0 : pieces->findings;
    entry->more_files += !listed && entry->last_file != pieces->file;
    return !entry->places.failed;
}

static bool take_finding(ll_full_run *r, const ll_piece *pieces, size_t count, const char *text,
                         const ll_allocator *allocator)
{
    ll_full_entry *entry = NULL;
    bool failed = false;
    for (size_t i = 0; pieces->key && !entry && i < r->entries.count; i++) {
        entry = r->entries.items[i].kind == pieces->key ? &r->entries.items[i] : NULL;
    }
    if (entry) {
        failed = !add_place(entry, pieces, count, text);
    } else {
        entry = open_entry(r, pieces, allocator, &failed);
        failed = failed || (entry && !keep_pieces(entry, pieces, count, text, allocator));
    }
    r->found[pieces->severity] += pieces->findings;
    if (entry) {
        entry->findings += pieces->findings;
        entry->last_file = pieces->file;
        trim(r, allocator);
    }
    return !failed;
}

/* ------------------------------------------------------------------ showing */

/* Is a text new? Remembers it as long as there is room. */
static bool is_new(ll_full_run *r, uint64_t key, ll_text *out)
{
    if (r->once.rows.count >= KEYS_MAX) {
        return !ll_counts_find(&r->once, key);
    }
    const ll_counts_row *row = ll_counts_add(&r->once, key, "", 0, 1, 1);
    out->failed = out->failed || !row;
    return row && row->count == 1;
}

/* Shows a finding, and those of an entry that stand below it; NULL: none. */
static void put_pieces(ll_full_run *r, const ll_piece *pieces, size_t count, const char *text, const ll_text *places,
                       ll_text *out)
{
    for (size_t i = 0; i < count; i++) {
        const ll_piece *piece = &pieces[i];
        bool is_place = piece->part == LL_FULL_PLACE;
        if (!is_place && (piece->part != LL_FULL_ONCE || is_new(r, piece->key, out))) {
            ll_text_put(out, text, piece->length);
        }
        if (is_place && places) {
            ll_text_put(out, places->data, places->length);
        }
        text += piece->length;
    }
}

ll_status ll_full_commit(ll_emitter *emitter, ll_chunk *chunk)
{
    ll_full_run *r = emitter->state;
    ll_text *out = &emitter->out;
    const char *text = chunk->text.data;
    const char *name = chunk->names.data;
    if (!emitter->options.terminal.columns) {
        return ll_emit_text(emitter, &chunk->text);
    }
    for (size_t i = 0, next; i < chunk->pieces.count; i = next) {
        const ll_piece *first = &chunk->pieces.items[i];
        size_t length = first->length;
        for (next = i + 1; next < chunk->pieces.count && chunk->pieces.items[next].part != LL_FULL_BEGINS; next++) {
            length += chunk->pieces.items[next].length;
        }
        bool counted = !first->key || ll_counts_add(&r->rules, ll_map_hash_bytes(0, name, first->name), name,
                                                    first->name, first->findings, first->file);
        out->failed = out->failed || !counted;
        if (emitter->options.all) {
            put_pieces(r, first, next - i, text, NULL, out);
        } else {
            out->failed = out->failed || !take_finding(r, first, next - i, text, &emitter->allocator);
        }
        text += length;
        name += first->name;
    }
    r->lines += out->failed ? 0 : ll_count_lines(out->data, out->length);
    return ll_emit_text(emitter, out);
}

/* ------------------------------------------------------------------ the end */

/* "      and in 104 more files (--all shows each)" */
static void put_more(const ll_full_entry *entry, const ll_terminal *terminal, ll_text *out)
{
    size_t from = out->length;
    if (entry->more) {
        ll_text_str(out, entry->more_files ? "      and in " : "      and ");
        ll_text_u64(out, entry->more_files ? entry->more_files : entry->more);
        ll_text_str(out, entry->more_files == 1 ? " more file" : entry->more_files > 1 ? " more files" : " more");
        ll_text_str(out, " (--all shows each)");
        ll_end_line(out, from, 6, terminal);
    }
}

/* Shows entries as long as `room` lines hold them, the first one in any case. Returns how many. */
static size_t put_entries(ll_full_run *r, uint64_t room, const ll_terminal *terminal, ll_text *out)
{
    size_t i = 0;
    for (; i < r->entries.count && !out->failed; i++) {
        ll_full_entry *entry = &r->entries.items[i];
        size_t from = out->length;
        put_more(entry, terminal, &entry->places);
        put_pieces(r, entry->pieces.items, entry->pieces.count, entry->text.data, &entry->places, out);
        out->failed = out->failed || entry->places.failed;
        uint64_t lines = out->failed ? 0 : ll_count_lines(out->data + from, out->length - from);
        if (i > 0 && (r->lines > room || lines > room - r->lines)) {
            out->length = from;
            break;
        }
        r->lines += lines;
    }
    return i;
}

/* "2 errors, 30 warnings, 1 note do not fit into 200 lines, 7 more are not shown (--all shows each, --format concise a
 * line for each)". `dropped`: findings left out by a limit or because another one explains them. */
static void put_left_out(const uint64_t left[LL_ERROR + 1], uint64_t dropped, const ll_terminal *terminal, ll_text *out)
{
    size_t from = out->length;
    ll_severities_text(left[LL_ERROR], left[LL_WARNING], left[LL_NOTE], out);
    if (left[0]) {
        ll_text_str(out, ", ");
        ll_count_text(out, left[0], "clean file");
    }
    ll_text_format(out, " do not fit into %u lines", (unsigned)LINES_MAX);
    if (dropped) {
        ll_text_format(out, ", %" PRIu64 " more %s not shown", dropped, dropped == 1 ? "is" : "are");
    }
    ll_text_str(out, " (--all shows each, --format concise a line for each)");
    ll_end_line(out, from, 2, terminal);
    ll_text_char(out, '\n');
}

ll_status ll_full_finish(ll_emitter *emitter, int exit_code)
{
    ll_full_run *r = emitter->state;
    const ll_terminal *terminal = &emitter->options.terminal;
    ll_text *out = &emitter->out;
    if (!terminal->columns) {
        return ll_emit_verdict(emitter, exit_code);
    }
    unsigned most = terminal->lines > 2 * TABLE_REST ? terminal->lines - TABLE_REST : TABLE_REST;
    static const ll_counts_head head = {
        "By rule", {{"rule", LL_CELL_NAME}}, .files = true, .rest = " (--statistics shows all)"};
    ll_text table;
    ll_outline tree;
    ll_text_init(&table, &emitter->allocator);
    ll_outline_init(&tree, &ll_outline_text, terminal, &emitter->allocator);
    ll_counts_outline(&r->rules, &head, most < TABLE_MOST ? most : TABLE_MOST, &tree);
    ll_outline_finish(&tree, &table);
    ll_text_str(&table, table.length ? "\n" : "");
    ll_outline_free(&tree);
    /* What ends the output is composed first, to see how many lines it takes. */
    put_left_out(r->found, 0, terminal, out);
    ll_status status = ll_emit_verdict(emitter, exit_code);
    uint64_t end = out->failed || table.failed
                       ? 0
                       : ll_count_lines(out->data, out->length) + ll_count_lines(table.data, table.length);
    out->length = 0;
    size_t shown = emitter->options.all ? 0 : put_entries(r, end < LINES_MAX ? LINES_MAX - end : 0, terminal, out);
    uint64_t left = 0, dropped = emitter->totals.dropped;
    for (size_t i = 0; i < shown; i++) {
        r->found[r->entries.items[i].severity] -= r->entries.items[i].findings;
    }
    for (size_t i = 0; i <= LL_ERROR; i++) {
        left += r->found[i];
    }
    if (left) { /* one line says all that is not shown */
        put_left_out(r->found, dropped, terminal, out);
        emitter->totals.dropped = 0;
    }
    if (left || r->lines > terminal->lines) {
        ll_text_put(out, table.data, table.length);
    }
    out->failed = out->failed || table.failed;
    ll_text_free(&table);
    status = status == LL_OK ? ll_emit_verdict(emitter, exit_code) : status;
    emitter->totals.dropped = dropped;
    return status;
}
