/* Composes findings: paths, values, the message that every format uses, fingerprints and groups. Judges nothing and
 * writes nothing; reads the entries, the document and the catalogue. */
#include "findings/report.h"

#include "base/array.h"
#include "base/map.h"
#include "model/value.h"

/* ------------------------------------------------------------------ counters */

/* A count or number by key. Memory comes from the arena of the report. */
typedef struct counter {
    uint64_t key;
    uint32_t value;
} counter;

typedef struct counters {
    LL_ARRAY(counter) rows;
    ll_map by_key;
} counters;

/* NULL: not found. */
static counter *find_counter(const counters *all, uint64_t key)
{
    ll_map_key sought = {all->rows.items, sizeof *all->rows.items, key};
    uint32_t at = ll_map_find(&all->by_key, ll_map_hash(key), ll_map_has_key, &sought);
    return at == LL_MAP_NONE ? NULL : &all->rows.items[at];
}

/* Makes room for `most` keys. False: out of memory. */
static bool open_counters(ll_arena *arena, uint32_t most, counters *all)
{
    ll_allocator a = ll_arena_allocator(arena);
    *all = (counters){.by_key = {.slots = NULL}};
    return LL_ARRAY_ROOM(&all->rows, most, &a) && ll_map_open(&all->by_key, most, most, &a);
}

/* The counter of a key; a new one has the value 0. */
static counter *add_counter(counters *all, uint64_t key)
{
    ll_map_key sought = {all->rows.items, sizeof *all->rows.items, key};
    uint32_t number = (uint32_t)all->rows.count;
    uint32_t at = ll_map_note(&all->by_key, ll_map_hash(key), number, ll_map_has_key, &sought);
    if (at == LL_MAP_NONE) {
        at = number;
        all->rows.items[all->rows.count++] = (counter){key, 0};
    }
    return &all->rows.items[at];
}

/* ------------------------------------------------------------------ fingerprints */

const char *ll_plain_name(const char *name)
{
    while (name[0] == '.' && name[1] == '/') {
        name += 2;
    }
    return name;
}

/* Numbers the records that share a key, for the records that findings are about. One pass over the spans. */
static ll_status number_records(ll_report *report, counters *ordinals)
{
    const ll_doc *doc = &report->doc;
    counters keys;
    if (!open_counters(&report->doc.arena, (uint32_t)report->entries.count, &keys) ||
        !open_counters(&report->doc.arena, (uint32_t)report->entries.count, ordinals)) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < report->entries.count; i++) {
        uint32_t span = ll_keyed_span(doc, &report->entries.items[i].at);
        if (span != LL_NO_SPAN) {
            (void)add_counter(&keys, ll_span_key(doc, span));
            (void)add_counter(ordinals, span);
        }
    }
    for (uint32_t span = 0; keys.rows.count && span < doc->span_count; span++) {
        bool keyed = ll_doc_layout(doc, span)->key_field != LL_NO_FIELD;
        counter *key = keyed ? find_counter(&keys, ll_span_key(doc, span)) : NULL;
        counter *ordinal = key && key->value++ > 0 ? find_counter(ordinals, span) : NULL;
        if (ordinal) {
            ordinal->value = key->value;
        }
    }
    return LL_OK;
}

/* Adds an ordinal to a hash to tell equal ones apart; the first keeps its hash. */
static uint64_t hash_ordinal(uint64_t hash, char mark, uint32_t ordinal)
{
    if (ordinal < 2) {
        return hash;
    }
    uint8_t bytes[6] = {0, (uint8_t)mark};
    for (unsigned i = 0; i < 4; i++) {
        bytes[2 + i] = (uint8_t)(ordinal >> 8 * i);
    }
    return ll_fnv(hash, bytes, sizeof bytes);
}

/* start: hash of the file name, common to all findings of the file. */
static uint64_t hash_identity(ll_report *report, const ll_entry *entry, uint64_t start, const counters *ordinals)
{
    const char *id = ll_rule_at(report->rules, entry->rule)->id;
    ll_text *path = &report->scratch;
    ll_text_clear(path);
    if (entry->path) {
        ll_text_str(path, entry->path);
    } else {
        ll_key_path_text(&report->doc, &entry->at, path);
    }
    uint64_t hash = ll_fnv(start, id, strlen(id) + 1);
    hash = ll_fnv(hash, path->data, path->length);
    uint32_t span = ll_keyed_span(&report->doc, &entry->at);
    const counter *ordinal = span == LL_NO_SPAN ? NULL : find_counter(ordinals, span);
    return ordinal ? hash_ordinal(hash, '#', ordinal->value) : hash;
}

/* Computes the fingerprints of all entries for a file named `name`. */
static ll_status identify(ll_report *report, const char *name, uint64_t **out)
{
    uint32_t n = (uint32_t)report->entries.count;
    counters ordinals;
    counters seen;
    uint64_t *hashes = ll_arena_alloc(&report->doc.arena, n, sizeof *hashes);
    if (!hashes || number_records(report, &ordinals) != LL_OK || !open_counters(&report->doc.arena, n, &seen)) {
        return LL_E_MEMORY;
    }
    name = ll_plain_name(name ? name : ll_report_name(report));
    uint64_t start = ll_fnv(LL_FNV_START, name, strlen(name) + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t hash = hash_identity(report, &report->entries.items[i], start, &ordinals);
        hashes[i] = hash_ordinal(hash, '@', ++add_counter(&seen, hash)->value);
        if (report->scratch.failed) {
            return LL_E_MEMORY;
        }
    }
    *out = hashes;
    return LL_OK;
}

ll_status ll_report_identify(ll_report *report)
{
    return report->prints.of_run || report->entries.count == 0
               ? LL_OK
               : identify(report, report->options.identity, &report->prints.of_run);
}

const char *ll_report_baseline_name(const ll_report *report)
{
    return report->prints.moved_from ? report->prints.moved_from : report->options.baseline_identity;
}

ll_status ll_report_identify_for_baseline(ll_report *report)
{
    if (report->prints.for_baseline || report->entries.count == 0) {
        return LL_OK;
    }
    const char *name = ll_report_baseline_name(report);
    if (name && strcmp(name, report->options.identity) != 0) {
        return identify(report, name, &report->prints.for_baseline);
    }
    ll_status status = ll_report_identify(report);
    report->prints.for_baseline = report->prints.of_run;
    return status;
}

/* ------------------------------------------------------------------ groups */

enum { EXPLAINED = 3 }; /* a value that ll_mark_kind leaves free in its two bits */

ll_status ll_report_fold(ll_report *report, ll_fold *out)
{
    uint32_t n = (uint32_t)report->entries.count;
    counters heads; /* values are entry numbers + 1 */
    out->count = ll_arena_zalloc(&report->doc.arena, n, sizeof *out->count);
    out->next = ll_arena_alloc(&report->doc.arena, n, sizeof *out->next);
    uint32_t *last =
        ll_arena_alloc(&report->doc.arena, n, sizeof *last); /* by first entry of a group: its last entry so far */
    if (!out->count || !out->next || !last || !open_counters(&report->doc.arena, n, &heads)) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) {
        const ll_entry *entry = &report->entries.items[i];
        uint32_t layout = entry->at.span == LL_NO_SPAN ? 0 : ll_doc_span(&report->doc, entry->at.span)->layout;
        uint64_t kind = entry->mark ? (unsigned)entry->mark->kind : entry->explained ? EXPLAINED : LL_MARK_NONE;
        uint64_t key = (uint64_t)entry->rule << 34 | kind << 32 | layout << 16 | entry->at.field;
        counter *head = add_counter(&heads, report->file.is_text ? i : key);
        if (head->value == 0) {
            head->value = i + 1;
        } else {
            out->next[last[head->value - 1]] = i;
        }
        out->next[i] = LL_NO_ENTRY;
        last[head->value - 1] = i;
        out->count[head->value - 1]++;
    }
    return LL_OK;
}

/* ------------------------------------------------------------------ words */

const ll_message_row ll_message_rows[LL_MESSAGE_FORMS] = {
    [LL_MESSAGE_PLACE] = {"place", ""},
    [LL_MESSAGE_FOUND] = {"found", " Found '{2}'."},
    [LL_MESSAGE_EXPECTED] = {"expected", " Expected '{2}'."},
    [LL_MESSAGE_BOTH] = {"default", " Found '{2}', expected '{3}'."},
};

ll_message_form ll_message_form_of(const char *found, const char *expected)
{
    if (found[0]) {
        return expected[0] ? LL_MESSAGE_BOTH : LL_MESSAGE_FOUND;
    }
    return expected[0] ? LL_MESSAGE_EXPECTED : LL_MESSAGE_PLACE;
}

void ll_hash_digits(uint64_t hash, char out[17])
{
    for (unsigned i = 0; i < 16; i++) {
        out[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    }
    out[16] = '\0';
}

void ll_place_text(uint64_t offset, uint64_t length, ll_text *out)
{
    ll_text_put(out, "+0x", 3);
    ll_text_hex(out, offset, 1);
    if (length) {
        ll_text_put(out, "..0x", 4);
        ll_text_hex(out, offset + length, 1);
    }
}

ll_view ll_view_of(const ll_doc *doc, const ll_where *at)
{
    const ll_region *region = ll_doc_locate(doc, at->offset);
    return (ll_view){region, at->offset - region->base, at->length};
}

uint32_t ll_report_line(ll_report *report, uint64_t offset)
{
    if (!report->file.is_text || !report->doc.regions[0].bytes) {
        return 1;
    }
    ll_cursor *c = &report->last.cursor;
    while (c->line_start > offset) { /* move backwards: for the place of a finding, or for another output */
        c->line_start--;
        c->lines -= report->doc.bytes[c->line_start] == '\n';
    }
    uint64_t end = offset < report->doc.size ? offset : report->doc.size;
    for (; c->line_start < end; c->line_start++) {
        c->lines += report->doc.bytes[c->line_start] == '\n';
    }
    return c->lines + 1;
}

/* Column of an offset in a text file, counted from the previous column if that is on the same line. */
static uint64_t column_of(ll_cursor *cursor, const uint8_t *bytes, uint64_t offset)
{
    uint64_t at = offset;
    uint64_t columns = 0;
    for (; at > 0 && at != cursor->column_at && bytes[at - 1] != '\n'; at--) {
        columns += (bytes[at - 1] & 0xC0) != 0x80;
    }
    cursor->columns = columns + (at == cursor->column_at ? cursor->columns : 0);
    cursor->column_at = offset;
    return cursor->columns + 1;
}

void ll_view_text(const ll_view *view, ll_text *out)
{
    ll_place_text(view->offset, view->length, out);
    if (view->region->name) {
        ll_text_format(out, " in %s", view->region->name);
    }
}

void ll_member_view_text(const ll_linted *file, const ll_view *view, ll_text *out)
{
    ll_view_text(view, out);
    if (file->member) {
        ll_text_str(out, " in ");
        ll_text_escape(out, file->member, strlen(file->member));
    }
}

void ll_archive_place_text(uint64_t offset, uint64_t length, ll_text *out)
{
    ll_place_text(offset, length, out);
    ll_text_str(out, " in the archive");
}

void ll_position_text(ll_report *report, ll_text *out)
{
    if (!report->file.is_text || !report->doc.regions[0].bytes) {
        ll_view_text(&report->last.view, out);
        if (report->file.member) {
            uint64_t outer;
            uint64_t length;
            (void)ll_view_split(&report->file, &report->last.view, &outer, &length);
            ll_text_str(out, ", ");
            ll_archive_place_text(outer, length, out);
        }
        return;
    }
    uint64_t offset = report->last.view.offset;
    uint64_t column = column_of(&report->last.cursor, report->doc.bytes, offset);
    ll_text_format(out, "%" PRIu32 ":%" PRIu64, ll_report_line(report, offset), column);
}

ll_inner ll_view_split(const ll_linted *file, const ll_view *view, uint64_t *offset, uint64_t *length)
{
    const ll_region *region = view->region;
    bool as_is = !region->name;
    *offset = (uint64_t)region->outer_offset + (as_is ? view->offset : 0);
    *length = as_is ? view->length : region->outer_length;
    return as_is && !file->member ? (ll_inner){.region = NULL}
                                  : (ll_inner){file->member, region->name, view->offset, view->length};
}

const char *ll_sentence_end(const char *title)
{
    size_t n = strlen(title);
    return n == 0 || !strchr(".!?", title[n - 1]) ? "." : "";
}

static void put_message(const ll_report *report, const ll_entry *entry, const ll_text *path, const char *title,
                        ll_text *out)
{
    ll_text_char(out, '\'');
    ll_text_put(out, path->data, path->length);
    ll_text_put(out, "' at '", 6);
    ll_view view = ll_view_of(&report->doc, &entry->at);
    ll_member_view_text(&report->file, &view, out);
    ll_text_put(out, "': ", 3);
    ll_text_str(out, title);
    ll_text_str(out, ll_sentence_end(title));
    const char *argument[] = {entry->found[0] ? entry->found : entry->expected, entry->expected};
    const char *tail = ll_message_rows[ll_message_form_of(entry->found, entry->expected)].tail;
    for (const char *brace = strchr(tail, '{'); brace; brace = strchr(tail, '{')) {
        ll_text_put(out, tail, (size_t)(brace - tail));
        ll_text_str(out, argument[brace[1] - '2']);
        tail = brace + 3;
    }
    ll_text_str(out, tail);
}

/* The field as its bytes are shown: for one element of a vector, not a vector. */
static ll_field part_of(const ll_field *field, const ll_where *at)
{
    ll_field part = *field;
    if (at->part != LL_NO_PART) {
        part.bytes = (uint16_t)ll_type_bytes(field->type);
    }
    return part;
}

/* Offsets in report->last.texts; each text ends with a NUL. */
typedef struct text_starts {
    size_t path, type, value, message, related;
} text_starts;

/* Ends a text; returns the offset of the next one. */
static size_t end_text(ll_text *out)
{
    ll_text_char(out, '\0');
    return out->length;
}

static text_starts put_texts(ll_report *report, const ll_entry *entry, const char *title)
{
    const ll_doc *doc = &report->doc;
    ll_text *out = &report->last.texts;
    ll_text *path = &report->scratch;
    text_starts at = {0};
    ll_text_clear(out);
    ll_text_clear(path);
    if (entry->path) {
        ll_text_str(path, entry->path);
    } else {
        ll_path_text(doc, &entry->at, path);
    }
    ll_text_put(out, path->data, path->length);
    at.type = end_text(out);
    const ll_field *field = ll_where_field(doc, &entry->at);
    unsigned endian = field ? ll_doc_layout(doc, entry->at.span)->endian : LL_LITTLE;
    ll_field part = {0};
    if (field) {
        part = part_of(field, &entry->at);
        ll_type_text(&part, endian, out);
    }
    at.value = end_text(out);
    if (field && entry->at.length && ll_value_is_whole(&part, entry->at.length)) {
        ll_value_text(doc, field, endian, entry->at.offset, entry->at.length, out);
    }
    at.message = end_text(out);
    put_message(report, entry, path, title, out);
    at.related = end_text(out);
    if (entry->related.span != LL_NO_SPAN) {
        ll_path_text(doc, &entry->related, out);
    }
    ll_text_char(out, '\0');
    return at;
}

static const char *record_of(const ll_doc *doc, const ll_where *at)
{
    const ll_layout *layout = at->span == LL_NO_SPAN ? NULL : ll_record_layout(doc, at->span);
    return layout && layout->kind != LL_KIND_GAP && layout->kind != LL_KIND_UNPARSED ? layout->name : "";
}

static bool has_related(const ll_entry *entry)
{
    return entry->related.span != LL_NO_SPAN || entry->related.length > 0;
}

static size_t count_explained(const ll_report *report)
{
    size_t count = 0;
    for (uint32_t i = 1; i < report->entries.count; i++) {
        count += report->entries.items[i].explained;
    }
    return count;
}

ll_status ll_finding_compose(ll_report *report, size_t index, ll_finding *out)
{
    if (index >= report->entries.count) {
        return LL_E_ARGUMENT;
    }
    const ll_entry *entry = &report->entries.items[index];
    const ll_rule *rule = ll_rule_at(report->rules, entry->rule);
    text_starts at = put_texts(report, entry, rule->title);
    if (report->last.texts.failed || report->scratch.failed) {
        return LL_E_MEMORY;
    }
    const char *texts = report->last.texts.data;
    *out = (ll_finding){
        .rule = entry->rule,
        .severity = (ll_severity)entry->severity,
        .id = rule->id,
        .name = rule->name,
        .title = rule->title,
        .path = texts + at.path,
        .record = record_of(&report->doc, &entry->at),
        .type = texts + at.type,
        .value = texts + at.value,
        .found = entry->found,
        .expected = entry->expected,
        .message = texts + at.message,
        .hint = entry->hint,
        .why = rule->why,
        .fix = rule->fix,
        .unread = entry->is_unread,
        .explained = entry->explained,
        .explains = index == 0 && ll_report_is_led(report) ? count_explained(report) : 0,
        .patch = {(ll_patch_tier)entry->patch.tier, (uint64_t)ll_report_start(report) + entry->patch.offset,
                  entry->patch.removed, entry->patch.bytes, entry->patch.size, entry->parts, entry->part_count},
    };
    if (entry->mark) {
        out->mark = *entry->mark;
    }
    report->last.view = ll_view_of(&report->doc, &entry->at);
    out->inner = ll_view_split(&report->file, &report->last.view, &out->offset, &out->length);
    if (has_related(entry)) {
        ll_view related = ll_view_of(&report->doc, &entry->related);
        report->last.related = (ll_place){.path = texts + at.related, .text = entry->related_text};
        report->last.related.inner =
            ll_view_split(&report->file, &related, &report->last.related.offset, &report->last.related.length);
        out->related = &report->last.related;
        out->related_count = 1;
    }
    if (entry->elsewhere) {
        out->related = entry->elsewhere;
        out->related_count = 1;
    }
    if (report->prints.of_run) {
        ll_hash_digits(report->prints.of_run[index], out->fingerprint);
    }
    return LL_OK;
}

/* ------------------------------------------------------------------ public */

/* Copies the texts of ll_finding_compose() from the report's buffer to its arena. */
static ll_status keep_texts(ll_report *report, ll_finding *out)
{
    const char *from = report->last.texts.data;
    const char *to = ll_arena_copy(&report->doc.arena, from, report->last.texts.length);
    if (!to) {
        return LL_E_MEMORY;
    }
    out->path = to + (out->path - from);
    out->type = to + (out->type - from);
    out->value = to + (out->value - from);
    out->message = to + (out->message - from);
    if (out->related_count && !out->related->file) {
        ll_place *related = ll_arena_alloc(&report->doc.arena, 1, sizeof *related);
        if (!related) {
            return LL_E_MEMORY;
        }
        *related = out->related[0];
        related->path = to + (related->path - from);
        out->related = related;
    }
    return LL_OK;
}

size_t ll_report_finding_count(const ll_report *report)
{
    return report->entries.count;
}

ll_status ll_report_finding(ll_report *report, size_t index, ll_finding *out)
{
    if (!report || !out) {
        return LL_E_ARGUMENT;
    }
    ll_status status = ll_report_settle_patches(report);
    status = status == LL_OK ? ll_report_identify(report) : status;
    if (status == LL_OK) {
        status = ll_finding_compose(report, index, out);
    }
    return status == LL_OK ? keep_texts(report, out) : status;
}

const char *ll_report_name(const ll_report *report)
{
    return report->doc.name ? report->doc.name : "<bytes>";
}

const char *ll_report_file(const ll_report *report)
{
    return report->file.archive ? report->file.archive : ll_report_name(report);
}

const char *ll_report_format(const ll_report *report)
{
    return report->file.is_text ? "text" : report->doc.format ? report->doc.format->family : "unknown";
}

uint64_t ll_report_size(const ll_report *report)
{
    return report->file.size;
}

void ll_report_summary(const ll_report *report, ll_summary *out)
{
    *out = report->summary;
}
