/* Prints what was done to a file as text and as JSON Lines. The lines that undo needs form the journal. */
#include "files/fix.h"

#include "base/ints.h"
#include "base/sort.h"
#include "files/dump.h"
#include "base/json_write.h"
#include "findings/words.h"

enum { SCHEMA = 1, PIECE = 64 * 1024, BYTES_SHOWN = 16, CHANGES_SHOWN = 4 };

/* ------------------------------------------------------------------ changed fields */

/* A leaf whose bytes changed. */
typedef struct change {
    uint32_t offset, length;
    const char *path, *was, *is; /* was, is: values; NULL: no such leaf, or it has no value */
} change;

typedef LL_ARRAY(change) changes;

typedef struct collector {
    const ll_fix_state *mine, *other;
    ll_arena *arena;
    ll_leaf_reader reader;
    changes *out;
    size_t met;  /* index into `out`: changes before it precede the leaf */
    size_t most; /* changes found in the old bytes */
    bool is_new;
    ll_status status;
} collector;

static bool differs(const collector *c, const ll_leaf *leaf)
{
    bool there = leaf->offset < c->mine->size; /* else the leaf is in a decompressed region */
    return there && (!ll_fits(leaf->offset, leaf->length, c->other->size) ||
                     memcmp(c->mine->bytes + leaf->offset, c->other->bytes + leaf->offset, leaf->length) != 0);
}

/* The change at the same place in the old bytes, or NULL. */
static change *known_change(collector *c, const ll_leaf *leaf)
{
    while (c->met < c->most && c->out->items[c->met].offset < leaf->offset) {
        c->met++;
    }
    change *same = c->met < c->most ? &c->out->items[c->met] : NULL;
    return same && same->offset == leaf->offset && same->length == leaf->length ? same : NULL;
}

static bool collect(void *ctx, const ll_leaf *leaf)
{
    collector *c = ctx;
    ll_allocator a = ll_arena_allocator(c->arena);
    ll_span_info span;
    if (!differs(c, leaf)) {
        return true;
    }
    c->status = ll_leaf_describe(&c->reader, leaf, &span);
    if (c->status != LL_OK) {
        return false;
    }
    change *known = c->is_new ? known_change(c, leaf) : NULL;
    const char *value = span.value ? ll_arena_copy(c->arena, span.value, strlen(span.value)) : NULL;
    const char *path = ll_arena_copy(c->arena, span.path, strlen(span.path));
    change *room = known ? known : LL_ARRAY_ADD(c->out, &a);
    if (!room || !path || (span.value && !value)) {
        c->status = LL_E_MEMORY;
        return false;
    }
    *room = (change){leaf->offset, leaf->length, path, c->is_new ? (known ? known->was : NULL) : value,
                     c->is_new ? value : NULL};
    return true;
}

/* Finds the changes, in order of place. Where a leaf became another one, the old leaf comes first. */
static ll_status find_changes(ll_fix *fix, changes *out)
{
    const ll_fix_state *before = &fix->states[0];
    const ll_fix_state *after = &fix->states[fix->now];
    changes found = {.items = NULL};
    ll_status status = LL_OK;
    for (unsigned pass = 0; pass < 2 && status == LL_OK && before != after; pass++) {
        collector c = {.mine = pass ? after : before,
                       .other = pass ? before : after,
                       .arena = &fix->scratch,
                       .out = &found,
                       .most = found.count,
                       .is_new = pass};
        c.status = ll_leaf_reader_start(c.mine->report, &c.reader);
        if (c.status == LL_OK) {
            ll_doc_walk(&c.mine->report->doc, collect, &c);
        }
        status = c.status;
    }
    ll_allocator a = ll_arena_allocator(&fix->scratch);
    ll_sort_key *keys = ll_arena_alloc(&fix->scratch, found.count, 2 * sizeof *keys);
    for (uint32_t i = 0; keys && i < found.count; i++) {
        keys[i] = (ll_sort_key){found.items[i].offset, 0, i};
    }
    const ll_sort_key *sorted = keys ? ll_sort(keys, keys + found.count, (uint32_t)found.count) : NULL;
    if (!sorted || !LL_ARRAY_ROOM(out, found.count, &a)) {
        return status == LL_OK ? LL_E_MEMORY : status;
    }
    for (size_t i = 0; i < found.count; i++) {
        out->items[out->count++] = found.items[sorted[i].item];
    }
    return status;
}

/* The first change that a patch touches. */
static uint32_t first_change(const changes *all, const ll_patch *patch)
{
    LL_BISECT(low, all->count, i, all->items[i].offset + (uint64_t)all->items[i].length <= patch->offset);
    return low;
}

static bool reaches(const changes *all, uint32_t i, const ll_patch *patch)
{
    return i < all->count && all->items[i].offset < patch->offset + patch->size;
}

/* ------------------------------------------------------------------ text */

static const char *const why_left[] = {[LL_FIX_SPOILS] = "its patch adds",
                                       [LL_FIX_IDLE] = "its patch does not remove it",
                                       [LL_FIX_DECLINED] = "declined",
                                       [LL_FIX_UNTRIED] =
                                           "not tried: the limit of work on a file is reached; fix it again"};

static void put_some_bytes(const uint8_t *bytes, uint64_t n, ll_text *out)
{
    ll_text_bytes(out, bytes, n < BYTES_SHOWN ? (size_t)n : BYTES_SHOWN);
    ll_text_str(out, n > BYTES_SHOWN ? " .." : n ? "" : "nothing");
}

static void put_changes(const changes *all, const ll_fix_step *step, ll_text *out)
{
    unsigned shown = 0;
    uint64_t more = 0;
    for (uint32_t i = first_change(all, &step->patch); reaches(all, i, &step->patch); i++) {
        const change *c = &all->items[i];
        if (shown == CHANGES_SHOWN) {
            more++;
            continue;
        }
        ll_text_str(out, shown++ ? "; " : ": ");
        if (strcmp(c->path, step->path) != 0) {
            ll_text_format(out, "%s ", c->path);
        }
        ll_text_format(out, "%s -> %s", c->was ? c->was : "nothing", c->is ? c->is : "nothing");
    }
    if (more) {
        ll_text_str(out, "; ");
        ll_count_text(out, more, "field");
        ll_text_str(out, " more");
    }
}

static void put_step_text(const ll_fix *fix, const ll_fix_step *step, const changes *all, bool written, ll_text *out)
{
    bool applied = step->outcome == LL_FIX_APPLIED;
    ll_name_text(fix->states[0].report, out);
    ll_text_str(out, ":+0x");
    ll_text_hex(out, step->patch.offset, 1);
    ll_text_str(out, !applied ? ": left " : written ? ": fixed " : ": would fix ");
    ll_heading_text(false, step->severity, step->id, step->name, out);
    ll_text_format(out, " %s", step->path);
    if (applied) {
        put_changes(all, step, out);
        ll_text_str(out, " (");
        put_some_bytes(step->was, step->patch.removed, out);
        ll_text_str(out, " -> ");
        put_some_bytes(step->patch.bytes, step->patch.size, out);
        ll_text_char(out, ')');
    } else {
        ll_text_format(out, ": %s", why_left[step->outcome]);
    }
    if (step->outcome == LL_FIX_SPOILS && step->spoiler_id[0]) {
        ll_text_char(out, ' ');
        ll_heading_text(false, step->spoiler_severity, step->spoiler_id, step->spoiler_name, out);
        ll_text_format(out, " at %s", step->spoiler_path);
    } else if (step->outcome == LL_FIX_SPOILS) {
        ll_text_str(out, " findings whose names a limit leaves out");
    }
    ll_text_char(out, '\n');
}

/* ------------------------------------------------------------------ JSON */

static void begin_line(const ll_fix *fix, const char *type, ll_jsonw *json)
{
    ll_jsonw_begin(json, '{');
    LL_JSON_PLAIN(json, "type", type);
    LL_JSON_STR(json, "file", fix->place ? fix->place->file : ll_report_name(fix->states[0].report));
}

/* Writes the name as hex too if it holds bytes other than printable ASCII, which JSON may not preserve. */
static void put_exact_name(const char *name, ll_jsonw *json)
{
    const char *at = name;
    while (*at >= 0x20 && *at < 0x7F) {
        at++;
    }
    if (*at) {
        ll_jsonw_key(json, "file_hex");
        ll_jsonw_hex(json, (const uint8_t *)name, strlen(name));
    }
}

static void end_line(ll_jsonw *json)
{
    ll_jsonw_end(json, '}');
    ll_text_char(json->out, '\n');
    json->comma = false;
}

/* Number of lines that a patch takes: readers limit the length of a line. */
static uint64_t pieces_of(const ll_patch *patch)
{
    uint64_t longest = patch->removed > patch->size ? patch->removed : patch->size;
    return longest > PIECE ? (longest - 1) / PIECE + 1 : 1;
}

static void put_state(const ll_fix_state *state, bool after, const ll_fix_place *place, ll_jsonw *json)
{
    const ll_summary *sum = &state->report->summary;
    const void *bytes = !place ? state->bytes : after ? place->is : place->was;
    size_t size = !place ? state->size : after ? place->is_size : place->was_size;
    const uint64_t counts[] = {size, sum->errors, sum->warnings, sum->notes};
    static const char *const names[][2] = {{"size_before", "size_after"},
                                           {"errors_before", "errors_after"},
                                           {"warnings_before", "warnings_after"},
                                           {"notes_before", "notes_after"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        ll_jsonw_name(json, names[i][after]);
        ll_jsonw_u64(json, counts[i]);
    }
    ll_jsonw_name(json, after ? "hash_after" : "hash_before");
    ll_jsonw_hash(json, ll_fnv(LL_FNV_START, bytes, size));
}

static void put_head(const ll_fix *fix, bool written, ll_jsonw *json)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < fix->applied.count; i++) {
        lines += pieces_of(&fix->applied.items[i].patch);
    }
    begin_line(fix, "file", json);
    LL_JSON_U64(json, "schema", SCHEMA);
    put_exact_name(fix->place ? fix->place->file : ll_report_name(fix->states[0].report), json);
    LL_JSON_PLAIN(json, "format", ll_report_format(fix->states[0].report));
    LL_JSON_BOOL(json, "written", written);
    LL_JSON_U64(json, "patches", lines);
    LL_JSON_U64(json, "left_out", fix->left.count);
    put_state(&fix->states[0], false, fix->place, json);
    put_state(&fix->states[fix->now], true, fix->place, json);
    end_line(json);
}

static void put_finding_of(const ll_fix_step *step, ll_jsonw *json)
{
    LL_JSON_PLAIN(json, "rule", step->id);
    LL_JSON_PLAIN(json, "name", step->name);
    LL_JSON_PLAIN(json, "severity", ll_severity_text(step->severity));
    LL_JSON_STR(json, "path", step->path);
    LL_JSON_PLAIN(json, "tier", step->patch.tier == LL_PATCH_SAFE ? "safe" : "unsafe");
}

/* Writes bytes [from, from + PIECE) of both sides, as far as there are any. base: added to the patch's offset. */
static void put_piece(const ll_fix_step *step, uint64_t base, size_t from, ll_jsonw *json)
{
    const ll_patch *patch = &step->patch;
    uint64_t was = patch->removed < from ? 0 : patch->removed - from;
    size_t is = patch->size < from ? 0 : patch->size - from;
    LL_JSON_U64(json, "offset", base + patch->offset + (from < patch->size ? from : patch->size));
    ll_jsonw_key(json, "was");
    ll_jsonw_hex(json, was ? step->was + from : NULL, was < PIECE ? (size_t)was : PIECE);
    ll_jsonw_key(json, "bytes");
    ll_jsonw_hex(json, is ? patch->bytes + from : NULL, is < PIECE ? is : PIECE);
}

static void put_value(ll_jsonw *json, const char *value)
{
    if (value) {
        ll_jsonw_str(json, value);
    } else {
        ll_jsonw_raw(json, "null", 4);
    }
}

static void put_applied(const ll_fix *fix, const ll_fix_step *step, const changes *all, ll_jsonw *json)
{
    for (uint64_t piece = 0; piece < pieces_of(&step->patch); piece++) {
        begin_line(fix, "patch", json);
        put_finding_of(step, json);
        put_piece(step, fix->place ? fix->place->offset : 0, (size_t)piece * PIECE, json);
        uint32_t first = first_change(all, &step->patch);
        if (piece || !reaches(all, first, &step->patch)) {
            end_line(json);
            continue;
        }
        LL_JSON_BEGIN(json, "changes", '[');
        for (uint32_t i = first; reaches(all, i, &step->patch); i++) {
            ll_jsonw_begin(json, '{');
            LL_JSON_STR(json, "path", all->items[i].path);
            ll_jsonw_key(json, "was");
            put_value(json, all->items[i].was);
            ll_jsonw_key(json, "is");
            put_value(json, all->items[i].is);
            ll_jsonw_end(json, '}');
        }
        ll_jsonw_end(json, ']');
        end_line(json);
    }
}

static void put_left(const ll_fix *fix, const ll_fix_step *step, ll_jsonw *json)
{
    static const char *const names[] = {[LL_FIX_SPOILS] = "spoils",
                                        [LL_FIX_IDLE] = "idle",
                                        [LL_FIX_DECLINED] = "declined",
                                        [LL_FIX_UNTRIED] = "untried"};
    begin_line(fix, "left", json);
    put_finding_of(step, json);
    put_piece(step, 0, 0, json);
    LL_JSON_PLAIN(json, "why", names[step->outcome]);
    if (step->spoiler_id[0]) {
        LL_JSON_BEGIN(json, "brings", '{');
        LL_JSON_PLAIN(json, "rule", step->spoiler_id);
        LL_JSON_PLAIN(json, "name", step->spoiler_name);
        LL_JSON_PLAIN(json, "severity", ll_severity_text(step->spoiler_severity));
        LL_JSON_STR(json, "path", step->spoiler_path);
        ll_jsonw_end(json, '}');
    }
    end_line(json);
}

/* ------------------------------------------------------------------ public */

static const char *const formats[] = {"text", "jsonl", "diff", NULL};

const char *const *ll_fix_formats(void)
{
    return formats;
}

static ll_status print_steps(ll_fix *fix, bool as_text, bool written, ll_write_fn write, void *ctx)
{
    bool journal = fix->place;
    ll_text *out = &fix->text;
    ll_jsonw json = {out, false};
    changes all = {.items = NULL};
    ll_status status = journal ? LL_OK : find_changes(fix, &all);
    if (!as_text && status == LL_OK) {
        put_head(fix, written, &json);
    }
    for (size_t i = 0; i < (journal ? fix->applied.count : ll_fix_count(fix)) && status == LL_OK; i++) {
        bool applied = i < fix->applied.count;
        const ll_fix_step *step = applied ? &fix->applied.items[i] : &fix->left.items[i - fix->applied.count];
        if (as_text) {
            put_step_text(fix, step, &all, written, out);
        } else if (applied) {
            put_applied(fix, step, &all, &json);
        } else {
            put_left(fix, step, &json);
        }
        status = ll_send_text(out, LL_SEND_AT, write, ctx);
    }
    return status == LL_OK ? ll_send_text(out, 0, write, ctx) : status;
}

ll_status ll_fix_print(ll_fix *fix, const char *format, bool written, ll_write_fn write, void *ctx)
{
    bool known = false;
    for (size_t i = 0; format && formats[i]; i++) {
        known = known || strcmp(formats[i], format) == 0;
    }
    if (!fix || !known || !write) {
        return LL_E_ARGUMENT;
    }
    if (!ll_fix_count(fix)) {
        return LL_OK;
    }
    ll_arena_reset(&fix->scratch);
    ll_text_clear(&fix->text);
    if (strcmp(format, "diff") == 0) {
        return ll_dump_diff(fix->states[0].report, fix->states[fix->now].report, &fix->scratch, &fix->text, write, ctx);
    }
    return print_steps(fix, strcmp(format, "text") == 0, written, write, ctx);
}

ll_status ll_fix_note(ll_fix *fix, const ll_fix_place *place, ll_write_fn write, void *ctx)
{
    if (!fix || !place || !place->file || !write) {
        return LL_E_ARGUMENT;
    }
    if (!fix->applied.count) {
        return LL_OK;
    }
    ll_arena_reset(&fix->scratch);
    ll_text_clear(&fix->text);
    fix->place = place;
    ll_status status = print_steps(fix, false, true, write, ctx);
    fix->place = NULL;
    return status;
}
