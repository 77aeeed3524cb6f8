/* Writes one finding as a SARIF result: message, places with their bytes, fix and properties. */
#include "output/emit/sarif_pieces.h"

#include "base/path.h"

enum { ROW = 16, SNIPPET_MAX = 256, RENDERED_MAX = 64, FIX_MAX = 8 << 10 /* FIX_MAX: bytes that a fix writes */ };

/* The result being written. */
typedef struct result {
    const ll_emitter *emitter;
    ll_report *report;
    const ll_finding *finding;
    uint64_t file; /* index of the document's artifact in the chunk; those of its regions follow */
    ll_chunk *chunk;
    ll_text *scratch;
    ll_jsonw json;
} result;

/* Empties the scratch text. If it had failed, so does the chunk, which holds text made from it. */
static ll_text *empty_scratch(result *r)
{
    r->chunk->text.failed = r->chunk->text.failed || r->scratch->failed;
    ll_text_clear(r->scratch);
    return r->scratch;
}

/* ------------------------------------------------------------------ names of files */

static void put_encoded(ll_text *out, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t c = (uint8_t)bytes[i];
        bool plain =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c && strchr("-._~", c));
        if (plain) {
            ll_text_char(out, bytes[i]);
        } else {
            char escape[] = {'%', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15]};
            ll_text_put(out, escape, sizeof escape);
        }
    }
}

/* Removes the last segment of a path. False: none, or it is "..". */
static bool step_up(ll_text *out, size_t root)
{
    size_t start = out->length;
    while (start > root && out->data[start - 1] != '/') {
        start--;
    }
    bool upwards = out->length - start == 2 && memcmp(out->data + start, "..", 2) == 0;
    if (out->length == root || upwards) {
        return false;
    }
    out->length = start > root ? start - 1 : root;
    return true;
}

/* Appends "file:///", "file:///C:/" or "file://server/share/"; returns the name after the drive. */
static const char *put_drive(ll_text *out, const char *name)
{
    size_t drive = ll_path_drive(name);
    bool shared = drive && name[0] == '/';
    ll_text_str(out, drive && !shared ? "file:///" : shared ? "file:" : "file://");
    for (size_t i = 0; i < drive; i++) {
        if (name[i] == '/' || name[i] == ':') {
            ll_text_char(out, name[i]);
        } else {
            put_encoded(out, name + i, 1);
        }
    }
    ll_text_char(out, '/');
    return name + drive;
}

/* Appends a file name as a percent-encoded URI without empty, "." and inner ".." segments. True: relative to the source
 * root; false: absolute, or outside the root. */
static bool put_uri(ll_text *out, const char *name)
{
    bool absolute = ll_path_is_absolute(name);
    bool leaves = false;
    const char *p = absolute ? put_drive(out, name) : name;
    size_t root = out->length;
    while (*p && !out->failed) {
        size_t n = strcspn(p, "/");
        bool dots = n == 2 && memcmp(p, "..", 2) == 0;
        bool nothing = n == 0 || (n == 1 && p[0] == '.');
        bool stepped = dots && step_up(out, root);
        if (!nothing && !stepped && !(dots && absolute)) {
            ll_text_str(out, out->length > root ? "/" : "");
            put_encoded(out, p, n);
            leaves = leaves || dots;
        }
        p += n + (p[n] == '/');
    }
    if (out->length == root && !absolute) {
        ll_text_str(out, "unnamed");
    }
    return !absolute && !leaves;
}

void ll_sarif_location(ll_jsonw *json, const char *name)
{
    ll_jsonw_begin(json, '{');
    ll_jsonw_key(json, "uri");
    ll_jsonw_open(json);
    bool relative = put_uri(json->out, name);
    ll_jsonw_close(json);
    if (relative) {
        LL_JSON_PLAIN(json, "uriBaseId", "%SRCROOT%");
    }
    ll_jsonw_end(json, '}');
}

void ll_sarif_nested_uri(ll_jsonw *json, const char *region)
{
    ll_jsonw_key(json, "uri");
    ll_jsonw_open(json);
    put_encoded(json->out, region, strlen(region));
    ll_jsonw_close(json);
}

/* ------------------------------------------------------------------ bytes */

/* Writes {"text": s} after a key. */
static void put_message(ll_jsonw *json, const char *s, size_t n)
{
    ll_jsonw_begin(json, '{');
    ll_jsonw_key(json, "text");
    ll_jsonw_string(json, s, n);
    ll_jsonw_end(json, '}');
}

/* Begins a region with its offset and length; the caller ends it. */
static void begin_region(ll_jsonw *json, uint64_t offset, uint64_t length)
{
    ll_jsonw_begin(json, '{');
    LL_JSON_U64(json, "byteOffset", offset);
    LL_JSON_U64(json, "byteLength", length);
}

static void put_hex_row(const uint8_t *bytes, uint64_t row, uint64_t end, ll_text *out)
{
    ll_text_str(out, "0x");
    ll_text_hex(out, row, 4);
    ll_text_str(out, "  ");
    uint64_t n = end - row < ROW ? end - row : ROW;
    ll_text_bytes(out, bytes + row, (size_t)n);
    ll_text_repeat(out, ' ', 3 * (size_t)(ROW - n) + 2);
    ll_characters_text(bytes + row, (size_t)n, out);
}

/* Writes n bytes, and the scratch text as their rendering. */
static void put_snippet(result *r, const uint8_t *bytes, size_t n)
{
    LL_JSON_BEGIN(&r->json, "snippet", '{');
    if (n) {
        ll_jsonw_key(&r->json, "binary");
        ll_jsonw_base64(&r->json, bytes, n);
    }
    ll_jsonw_key(&r->json, "rendered");
    put_message(&r->json, r->scratch->data, r->scratch->length);
    ll_jsonw_end(&r->json, '}');
}

/* Writes the bytes of the region; decoded: also their value. Only the start of a long stretch is written. */
static void put_marked_bytes(result *r, const ll_view *view, bool decoded)
{
    const ll_finding *f = r->finding;
    ll_text *shown = empty_scratch(r);
    if (!view->region->bytes) {
        return;
    }
    ll_text_bytes(shown, ll_view_bytes(view), view->length < RENDERED_MAX ? view->length : RENDERED_MAX);
    if (view->length == 0) {
        bool end = view->region->size && view->offset == view->region->size;
        ll_text_str(shown, !end                 ? "(no bytes)"
                           : view->region->name ? "(the section ends here)"
                                                : "(the file ends here)");
    }
    ll_text_str(shown, view->length > RENDERED_MAX ? " ..." : "");
    if (decoded && f->value[0]) {
        ll_text_str(shown, "  (");
        ll_text_str(shown, f->type);
        ll_text_str(shown, " = ");
        ll_text_str(shown, f->value);
        ll_text_char(shown, ')');
    }
    put_snippet(r, ll_view_bytes(view), view->length <= SNIPPET_MAX ? view->length : 0);
}

/* Writes whole rows of sixteen bytes around the region; nothing if the file has no more bytes. */
static void put_context(result *r, const ll_view *view)
{
    uint64_t size = view->region->size;
    uint64_t start = view->offset / ROW * ROW;
    uint64_t end = ((uint64_t)view->offset + view->length + ROW - 1) / ROW * ROW;
    end = end < size ? end : size;
    if (end - start <= view->length) {
        start = start >= ROW ? start - ROW : start;
        end = size - end > ROW ? end + ROW : size;
    }
    if (view->length > SNIPPET_MAX || end - start <= view->length || !view->region->bytes) {
        return;
    }
    ll_text *shown = empty_scratch(r);
    for (uint64_t row = start; row < end; row += ROW) {
        ll_text_str(shown, row > start ? "\n" : "");
        put_hex_row(view->region->bytes, row, end, shown);
    }
    ll_jsonw_key(&r->json, "contextRegion");
    begin_region(&r->json, start, end - start);
    put_snippet(r, view->region->bytes + start, (size_t)(end - start));
    ll_jsonw_end(&r->json, '}');
}

/* ------------------------------------------------------------------ places */

static void put_logical(ll_jsonw *json, const char *path, bool is_field)
{
    const char *dot = strrchr(path, '.');
    LL_JSON_BEGIN(json, "logicalLocations", '[');
    ll_jsonw_begin(json, '{');
    LL_JSON_STR(json, "name", dot ? dot + 1 : path);
    LL_JSON_STR(json, "fullyQualifiedName", path);
    LL_JSON_PLAIN(json, "kind", is_field ? "member" : "type");
    ll_jsonw_end(json, '}');
    ll_jsonw_end(json, ']');
}

/* Writes the location of a nested artifact, which only its index identifies. */
static void put_nested_location(result *r, const ll_inner *inner)
{
    const ll_doc *doc = &r->report->doc;
    uint32_t number = 0;
    while (number + 1 < doc->region_count && doc->regions[number].name != inner->region) {
        number++;
    }
    ll_jsonw_begin(&r->json, '{');
    ll_sarif_nested_uri(&r->json, inner->region ? inner->region : inner->member);
    ll_jsonw_key(&r->json, "index");
    ll_artifact_index *index = LL_ARRAY_ADD(&r->chunk->indexes, &r->chunk->allocator);
    if (index) {
        *index = (ll_artifact_index){r->json.out->length, r->file + number};
    }
    r->json.out->failed = r->json.out->failed || !index;
    r->json.comma = true;
    ll_jsonw_end(&r->json, '}');
}

/* Adds lines and columns for GitHub, which shows no result and accepts no file without them. A binary file has line 1
 * only. */
static void put_github_lines(result *r, uint32_t line)
{
    if (ll_sarif_is_github(r->emitter)) {
        LL_JSON_U64(&r->json, "startLine", line);
        LL_JSON_U64(&r->json, "startColumn", 1);
        LL_JSON_U64(&r->json, "endLine", line);
        LL_JSON_U64(&r->json, "endColumn", 1);
    }
}

static void begin_place(result *r, uint64_t offset, uint64_t length, const ll_inner *inner)
{
    ll_jsonw *json = &r->json;
    LL_JSON_BEGIN(json, "physicalLocation", '{');
    ll_jsonw_key(json, "artifactLocation");
    bool is_inner = inner->region || inner->member;
    if (is_inner) {
        put_nested_location(r, inner);
    } else {
        ll_jsonw_raw(json, r->chunk->scratch.data, r->chunk->scratch.length);
    }
    ll_jsonw_key(json, "region");
    begin_region(json, is_inner ? inner->offset : offset, is_inner ? inner->length : length);
    put_github_lines(r, ll_report_line(r->report, offset));
}

/* Writes a place in another file; for a place in a member, its bytes in the archive. */
static void put_elsewhere(result *r, const ll_place *place)
{
    ll_jsonw *json = &r->json;
    LL_JSON_BEGIN(json, "physicalLocation", '{');
    ll_jsonw_key(json, "artifactLocation");
    ll_sarif_location(json, place->file);
    ll_jsonw_key(json, "region");
    begin_region(json, place->offset, place->length);
    put_github_lines(r, 1);
    ll_jsonw_end(json, '}');
    ll_jsonw_end(json, '}');
}

/* Writes a place with its bytes, their value, and the bytes around them. */
static void put_shown_place(result *r, uint64_t offset, uint64_t length, const ll_inner *inner)
{
    begin_place(r, offset, length, inner);
    put_marked_bytes(r, &r->report->last.view, true);
    ll_jsonw_end(&r->json, '}');
    put_context(r, &r->report->last.view);
    ll_jsonw_end(&r->json, '}');
}

/* Writes the location. Viewers know only files, so a place in a member or region is shown as the bytes of the file that
 * hold it. */
static void put_location(result *r)
{
    static const ll_inner none = {.region = NULL};
    const ll_finding *f = r->finding;
    LL_JSON_BEGIN(&r->json, "locations", '[');
    ll_jsonw_begin(&r->json, '{');
    if (f->inner.region || f->inner.member) {
        ll_view outer = {r->report->doc.regions, (uint32_t)f->offset - ll_report_start(r->report), (uint32_t)f->length};
        begin_place(r, f->offset, f->length, &none);
        put_marked_bytes(r, &outer, !f->inner.region);
        ll_jsonw_end(&r->json, '}');
        ll_jsonw_end(&r->json, '}');
    } else {
        put_shown_place(r, f->offset, f->length, &none);
    }
    put_logical(&r->json, f->path, f->type[0] != '\0');
    ll_jsonw_end(&r->json, '}');
    ll_jsonw_end(&r->json, ']');
}

static void begin_related(ll_jsonw *json, uint64_t id, const char *words)
{
    ll_jsonw_begin(json, '{');
    LL_JSON_U64(json, "id", id);
    ll_jsonw_key(json, "message");
    put_message(json, words, strlen(words));
}

static void put_related(result *r)
{
    const ll_finding *f = r->finding;
    ll_jsonw *json = &r->json;
    bool is_inner = f->inner.region || f->inner.member;
    if (!f->related_count && !is_inner) {
        return;
    }
    uint64_t id = 1;
    LL_JSON_BEGIN(json, "relatedLocations", '[');
    if (is_inner) {
        begin_related(json, id++, f->inner.region ? "The bytes, decompressed." : "The bytes in the member.");
        put_shown_place(r, 0, 0, &f->inner);
        ll_jsonw_end(json, '}');
    }
    for (size_t i = 0; i < f->related_count; i++) {
        const ll_place *related = &f->related[i];
        begin_related(json, id++, related->text[0] ? related->text : "A related place.");
        if (related->file) {
            put_elsewhere(r, related);
        } else {
            begin_place(r, related->offset, related->length, &related->inner);
            ll_jsonw_end(json, '}');
            ll_jsonw_end(json, '}');
        }
        if (related->path[0]) {
            put_logical(json, related->path, true);
        }
        ll_jsonw_end(json, '}');
    }
    ll_jsonw_end(json, ']');
}

/* ------------------------------------------------------------------ one result */

static void put_result_message(result *r)
{
    const ll_finding *f = r->finding;
    ll_jsonw *json = &r->json;
    ll_message_form form = ll_message_form_of(f->found, f->expected);
    ll_sarif_braced(empty_scratch(r), f->message);
    LL_JSON_BEGIN(json, "message", '{');
    ll_jsonw_key(json, "text");
    ll_jsonw_string(json, r->scratch->data, r->scratch->length);
    LL_JSON_PLAIN(json, "id", ll_message_rows[form].id);
    LL_JSON_BEGIN(json, "arguments", '[');
    ll_jsonw_str(json, f->path);
    ll_member_view_text(&r->report->file, &r->report->last.view, empty_scratch(r));
    ll_jsonw_string(json, r->scratch->data, r->scratch->length);
    if (f->found[0]) {
        ll_jsonw_str(json, f->found);
    }
    if (f->expected[0]) {
        ll_jsonw_str(json, f->expected);
    }
    ll_jsonw_end(json, ']');
    ll_jsonw_end(json, '}');
}

static void put_fixes(result *r)
{
    const ll_finding *f = r->finding;
    ll_jsonw *json = &r->json;
    if (f->patch.tier == LL_PATCH_NONE || f->patch.size > FIX_MAX) {
        return;
    }
    LL_JSON_BEGIN(json, "fixes", '[');
    ll_jsonw_begin(json, '{');
    ll_jsonw_key(json, "description");
    put_message(json, f->fix, strlen(f->fix));
    LL_JSON_BEGIN(json, "artifactChanges", '[');
    ll_jsonw_begin(json, '{');
    ll_jsonw_key(json, "artifactLocation");
    ll_jsonw_raw(json, r->chunk->scratch.data, r->chunk->scratch.length);
    LL_JSON_BEGIN(json, "replacements", '[');
    ll_jsonw_begin(json, '{');
    ll_jsonw_key(json, "deletedRegion");
    begin_region(json, f->patch.offset, f->patch.removed);
    ll_jsonw_end(json, '}');
    LL_JSON_BEGIN(json, "insertedContent", '{');
    ll_jsonw_key(json, "binary");
    ll_jsonw_base64(json, f->patch.bytes, f->patch.size);
    ll_text_str(json->out, "}}]}]"); /* content, replacement, change */
    LL_JSON_BEGIN(json, "properties", '{');
    LL_JSON_PLAIN(json, "tier", f->patch.tier == LL_PATCH_SAFE ? "safe" : "unsafe");
    ll_text_str(json->out, "}}]");
}

/* Writes what SARIF has no key for, and what was left out. */
static void put_properties(result *r)
{
    const ll_finding *f = r->finding;
    bool too_large = f->patch.tier != LL_PATCH_NONE && f->patch.size > FIX_MAX;
    if (!f->hint[0] && !f->explains && !f->explained && !too_large) {
        return;
    }
    LL_JSON_BEGIN(&r->json, "properties", '{');
    if (f->hint[0]) {
        LL_JSON_STR(&r->json, "likelyCause", f->hint);
    }
    if (f->explains) {
        LL_JSON_U64(&r->json, "explains", f->explains);
    }
    if (f->explained) {
        LL_JSON_BOOL(&r->json, "explained", true);
    }
    if (too_large) {
        ll_text_format(empty_scratch(r), "The %s patch writes %zu bytes, too many to print; lightlint fix has them.",
                       f->patch.tier == LL_PATCH_SAFE ? "safe" : "unsafe", f->patch.size);
        LL_JSON_STR(&r->json, "fixLeftOut", ll_text_cstr(r->scratch));
    }
    ll_jsonw_end(&r->json, '}');
}

static void put_fingerprints(ll_jsonw *json, const ll_finding *f)
{
    LL_JSON_BEGIN(json, "partialFingerprints", '{');
    ll_jsonw_key(json, "primaryLocationLineHash");
    ll_jsonw_open(json);
    ll_text_str(json->out, f->fingerprint);
    ll_text_str(json->out, ":1");
    ll_jsonw_close(json);
    LL_JSON_PLAIN(json, "lightlintFieldPath/v1", f->fingerprint);
    ll_jsonw_end(json, '}');
}

/* Writes who suppressed the finding, and where. */
static void put_suppression(ll_jsonw *json, const ll_mark *mark, ll_text *scratch)
{
    ll_jsonw_begin(json, '{');
    LL_JSON_PLAIN(json, "kind", "external");
    LL_JSON_PLAIN(json, "status", "accepted");
    if (mark->kind == LL_MARK_BASELINED) {
        ll_text_str(scratch, "In the baseline ");
        ll_text_escape(scratch, mark->file, strlen(mark->file));
        ll_text_char(scratch, '.');
    }
    LL_JSON_STR(json, "justification", mark->kind == LL_MARK_BASELINED ? ll_text_cstr(scratch) : mark->reason);
    LL_JSON_BEGIN(json, "location", '{');
    LL_JSON_BEGIN(json, "physicalLocation", '{');
    ll_jsonw_key(json, "artifactLocation");
    ll_sarif_location(json, mark->file);
    if (mark->line) {
        LL_JSON_BEGIN(json, "region", '{');
        LL_JSON_U64(json, "startLine", mark->line);
        ll_jsonw_end(json, '}');
    }
    ll_text_str(json->out, "}}}");
}

/* Writes the suppressions and, in a run with a baseline, whether the finding is new. */
static void put_marks(result *r)
{
    const ll_mark *mark = &r->finding->mark;
    bool old = mark->kind == LL_MARK_BASELINED && r->emitter->options.baseline;
    LL_JSON_BEGIN(&r->json, "suppressions", '[');
    if (mark->kind != LL_MARK_NONE && !old) {
        put_suppression(&r->json, mark, empty_scratch(r));
    }
    ll_jsonw_end(&r->json, ']');
    if (r->emitter->options.baseline) {
        LL_JSON_PLAIN(&r->json, "baselineState", old ? "unchanged" : "new");
    }
}

ll_status ll_sarif_result(const ll_emitter *emitter, ll_report *report, uint32_t index, uint32_t times, uint64_t file,
                          ll_chunk *chunk)
{
    ll_finding f;
    result r = {emitter, report, &f, file, chunk, &report->scratch, {&chunk->text, false}};
    ll_status status = ll_finding_compose(report, index, &f);
    if (status != LL_OK) {
        return status;
    }
    LL_JSON_PLAIN(&r.json, "level", ll_severity_text(f.severity));
    put_result_message(&r);
    put_location(&r);
    put_related(&r);
    put_fingerprints(&r.json, &f);
    if (times > 1) {
        LL_JSON_U64(&r.json, "occurrenceCount", times);
    }
    put_marks(&r);
    put_fixes(&r);
    put_properties(&r);
    ll_jsonw_end(&r.json, '}');
    return report->scratch.failed ? LL_E_MEMORY : LL_OK;
}
