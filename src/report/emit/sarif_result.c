/* One finding as a SARIF result: its message, its places with their bytes, its fix, and what is known of it. */
#include "report/emit/sarif.h"

enum { ROW = 16, SNIPPET_MAX = 256, RENDERED_MAX = 64 };

/* ------------------------------------------------------------------ bytes */

static cJSON *add_region(ll_tree *t, cJSON *parent, const char *key, uint64_t offset, uint64_t length)
{
    cJSON *region = ll_tree_object(t, parent, key);
    ll_tree_u64(t, region, "byteOffset", offset);
    ll_tree_u64(t, region, "byteLength", length);
    return region;
}

static void put_hex_row(const uint8_t *bytes, uint64_t row, uint64_t end, ll_text *out)
{
    ll_text_format(out, "0x%04" PRIx64 "  ", row);
    uint64_t n = end - row < ROW ? end - row : ROW;
    ll_text_bytes(out, bytes + row, (size_t)n);
    ll_text_repeat(out, ' ', 3 * (size_t)(ROW - n) + 2);
    ll_characters_text(bytes + row, (size_t)n, out);
}

/* The marked bytes, and what they say if f is not NULL. Long stretches are not copied, only begun. */
static void add_snippet(ll_tree *t, cJSON *region, const ll_view *view, const ll_finding *f)
{
    cJSON *snippet = ll_tree_object(t, region, "snippet");
    if (view->length > 0 && view->length <= SNIPPET_MAX) {
        ll_tree_base64(t, snippet, "binary", ll_view_bytes(view), view->length);
    }
    ll_text_clear(t->scratch);
    uint32_t shown = view->length < RENDERED_MAX ? view->length : RENDERED_MAX;
    if (view->length == 0) {
        bool end = view->region->size && view->offset == view->region->size;
        ll_text_str(t->scratch, !end                 ? "(no bytes)"
                                : view->region->name ? "(the section ends here)"
                                                     : "(the file ends here)");
    } else {
        ll_text_bytes(t->scratch, ll_view_bytes(view), shown);
    }
    if (shown < view->length) {
        ll_text_str(t->scratch, " ...");
    }
    if (f && f->value[0]) {
        ll_text_format(t->scratch, "  (%s = %s)", f->type, f->value);
    }
    ll_tree_scratch(t, ll_tree_object(t, snippet, "rendered"), "text");
}

/* Whole rows of sixteen bytes that hold the region and more than it; nothing where the file has no more. */
static void add_context(ll_tree *t, cJSON *place, const ll_view *view)
{
    uint64_t size = view->region->size;
    uint64_t start = view->offset / ROW * ROW;
    uint64_t end = ((uint64_t)view->offset + view->length + ROW - 1) / ROW * ROW;
    end = end < size ? end : size;
    if (end - start <= view->length) {
        start = start >= ROW ? start - ROW : start;
        end = size - end > ROW ? end + ROW : size;
    }
    if (view->length > SNIPPET_MAX || end - start <= view->length) {
        return;
    }
    cJSON *region = add_region(t, place, "contextRegion", start, end - start);
    cJSON *snippet = ll_tree_object(t, region, "snippet");
    ll_tree_base64(t, snippet, "binary", view->region->bytes + start, (size_t)(end - start));
    ll_text_clear(t->scratch);
    for (uint64_t row = start; row < end; row += ROW) {
        ll_text_str(t->scratch, row > start ? "\n" : "");
        put_hex_row(view->region->bytes, row, end, t->scratch);
    }
    ll_tree_scratch(t, ll_tree_object(t, snippet, "rendered"), "text");
}

/* ------------------------------------------------------------------ places */

/* GitHub shows nothing without lines, and takes no file whose results lack them; a binary file has only the first. */
static void add_lines(ll_tree *t, cJSON *region, uint32_t line)
{
    static const char *const keys[] = {"startLine", "startColumn", "endLine", "endColumn"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        ll_tree_u64(t, region, keys[i], i % 2 ? 1 : line);
    }
}

static void add_logical(ll_tree *t, cJSON *parent, const char *path, bool is_field)
{
    cJSON *logical = ll_tree_object(t, ll_tree_array(t, parent, "logicalLocations"), NULL);
    const char *dot = strrchr(path, '.');
    ll_tree_string(t, logical, "name", dot ? dot + 1 : path);
    ll_tree_string(t, logical, "fullyQualifiedName", path);
    ll_tree_string(t, logical, "kind", is_field ? "member" : "type");
}

/* Where a result is: what its places are made of. */
typedef struct site {
    const ll_emitter *emitter;
    ll_report *report;
    uint64_t file; /* its artifact in the chunk; what was decompressed out of it follows, region by region */
} site;

/* A nested artifact is known by its index alone. */
static void add_nested_location(ll_tree *t, cJSON *parent, const site *where, const char *name)
{
    const ll_doc *doc = &where->report->doc;
    uint32_t number = 1;
    while (number + 1 < doc->region_count && doc->regions[number].name != name) {
        number++;
    }
    cJSON *location = ll_tree_object(t, parent, "artifactLocation");
    ll_tree_nested_uri(t, location, name);
    ll_tree_index(t, location, where->file + number);
}

/* Where the bytes of a place are: in the file, or in an artifact nested in it. Gives the region; *out: the physical
 * location. */
static cJSON *add_place(ll_tree *t, cJSON *location, const site *where, uint64_t offset, uint64_t length,
                        const ll_inner *inner, cJSON **out)
{
    *out = ll_tree_object(t, location, "physicalLocation");
    if (inner->region) {
        add_nested_location(t, *out, where, inner->region);
    } else {
        ll_tree_location(t, *out, "artifactLocation", ll_report_name(where->report));
    }
    cJSON *region = inner->region ? add_region(t, *out, "region", inner->offset, inner->length)
                                  : add_region(t, *out, "region", offset, length);
    if (ll_sarif_is_github(where->emitter)) {
        add_lines(t, region, ll_report_line(where->report, offset));
    }
    return region;
}

/* Viewers know files only: the location of what was decompressed is that of the bytes which hold it. */
static void add_location(ll_tree *t, const site *where, const ll_finding *f)
{
    static const ll_inner none = {NULL, 0, 0};
    cJSON *location = ll_tree_object(t, ll_tree_array(t, t->root, "locations"), NULL);
    cJSON *place;
    cJSON *region = add_place(t, location, where, f->offset, f->length, &none, &place);
    if (f->inner.region) {
        ll_view outer = {where->report->doc.regions, (uint32_t)f->offset, (uint32_t)f->length};
        add_snippet(t, region, &outer, NULL);
    } else {
        add_snippet(t, region, &where->report->view, f);
        add_context(t, place, &where->report->view);
    }
    add_logical(t, location, f->path, f->type[0] != '\0');
}

static cJSON *add_related_location(ll_tree *t, cJSON *list, uint64_t id, const char *words)
{
    cJSON *location = ll_tree_object(t, list, NULL);
    ll_tree_u64(t, location, "id", id);
    ll_tree_message(t, location, "message", words);
    return location;
}

static void add_related(ll_tree *t, const site *where, const ll_finding *f)
{
    if (!f->related_count && !f->inner.region) {
        return;
    }
    cJSON *list = ll_tree_array(t, t->root, "relatedLocations");
    cJSON *place;
    uint64_t id = 1;
    if (f->inner.region) {
        cJSON *location = add_related_location(t, list, id++, "The bytes, decompressed.");
        cJSON *region = add_place(t, location, where, 0, 0, &f->inner, &place);
        add_snippet(t, region, &where->report->view, f);
        add_context(t, place, &where->report->view);
    }
    for (size_t i = 0; i < f->related_count; i++) {
        const ll_place *related = &f->related[i];
        const char *words = related->text[0] ? related->text : "A related place.";
        cJSON *location = add_related_location(t, list, id++, words);
        (void)add_place(t, location, where, related->offset, related->length, &related->inner, &place);
        if (related->path[0]) {
            add_logical(t, location, related->path, true);
        }
    }
}

/* ------------------------------------------------------------------ one result */

static void add_result_message(ll_tree *t, const ll_view *view, const ll_finding *f)
{
    ll_message_form form = ll_message_form_of(f->found, f->expected);
    cJSON *message = ll_tree_object(t, t->root, "message");
    ll_sarif_braced(ll_tree_empty(t), f->message);
    ll_tree_scratch(t, message, "text");
    ll_tree_string(t, message, "id", ll_message_rows[form].id);
    cJSON *arguments = ll_tree_array(t, message, "arguments");
    ll_tree_string(t, arguments, NULL, f->path);
    ll_view_text(view, ll_tree_empty(t));
    ll_tree_scratch(t, arguments, NULL);
    if (f->found[0]) {
        ll_tree_string(t, arguments, NULL, f->found);
    }
    if (f->expected[0]) {
        ll_tree_string(t, arguments, NULL, f->expected);
    }
}

static void add_fixes(ll_tree *t, const ll_report *report, const ll_finding *f)
{
    if (f->patch.tier == LL_PATCH_NONE) {
        return;
    }
    cJSON *fix = ll_tree_object(t, ll_tree_array(t, t->root, "fixes"), NULL);
    ll_tree_message(t, fix, "description", f->fix);
    cJSON *change = ll_tree_object(t, ll_tree_array(t, fix, "artifactChanges"), NULL);
    ll_tree_location(t, change, "artifactLocation", ll_report_name(report));
    cJSON *replacement = ll_tree_object(t, ll_tree_array(t, change, "replacements"), NULL);
    (void)add_region(t, replacement, "deletedRegion", f->patch.offset, f->patch.removed);
    ll_tree_base64(t, ll_tree_object(t, replacement, "insertedContent"), "binary", f->patch.bytes, f->patch.size);
    ll_tree_string(t, ll_tree_object(t, fix, "properties"), "tier", f->patch.tier == LL_PATCH_SAFE ? "safe" : "unsafe");
}

static void add_fingerprints(ll_tree *t, const ll_finding *f)
{
    cJSON *prints = ll_tree_object(t, t->root, "partialFingerprints");
    ll_text_format(ll_tree_empty(t), "%s:1", f->fingerprint);
    ll_tree_scratch(t, prints, "primaryLocationLineHash");
    ll_tree_string(t, prints, "lightlintFieldPath/v1", f->fingerprint);
}

/* Somebody knows of the finding: who says so, and where. */
static void add_suppression(ll_tree *t, cJSON *list, const ll_mark *mark)
{
    cJSON *suppression = ll_tree_object(t, list, NULL);
    ll_tree_string(t, suppression, "kind", "external");
    ll_tree_string(t, suppression, "status", "accepted");
    if (mark->kind == LL_MARK_SUPPRESSED) {
        ll_tree_string(t, suppression, "justification", mark->reason);
    } else {
        ll_text_str(ll_tree_empty(t), "In the baseline ");
        ll_text_escape(t->scratch, mark->file, strlen(mark->file));
        ll_text_char(t->scratch, '.');
        ll_tree_scratch(t, suppression, "justification");
    }
    cJSON *place = ll_tree_object(t, ll_tree_object(t, suppression, "location"), "physicalLocation");
    ll_tree_location(t, place, "artifactLocation", mark->file);
    if (mark->line) {
        ll_tree_u64(t, ll_tree_object(t, place, "region"), "startLine", mark->line);
    }
}

/* All results of a run say whether they are suppressed, and in a run with a baseline whether they are new. */
static void add_marks(ll_tree *t, const ll_emitter *emitter, const ll_mark *mark)
{
    bool old = mark->kind == LL_MARK_BASELINED && emitter->options.baseline;
    cJSON *list = ll_tree_array(t, t->root, "suppressions");
    if (mark->kind != LL_MARK_NONE && !old) {
        add_suppression(t, list, mark);
    }
    if (emitter->options.baseline) {
        ll_tree_string(t, t->root, "baselineState", old ? "unchanged" : "new");
    }
}

ll_status ll_sarif_result(const ll_emitter *emitter, ll_report *report, uint32_t index, uint32_t times, uint64_t file,
                          ll_chunk *chunk)
{
    ll_finding f;
    site where = {emitter, report, file};
    ll_status status = ll_finding_compose(report, index, &f);
    if (status != LL_OK) {
        return status;
    }
    ll_tree t = ll_tree_start(&report->scratch);
    ll_tree_string(&t, t.root, "level", ll_severity_text(f.severity));
    add_result_message(&t, &report->view, &f);
    add_location(&t, &where, &f);
    add_related(&t, &where, &f);
    add_fingerprints(&t, &f);
    if (times > 1) {
        ll_tree_u64(&t, t.root, "occurrenceCount", times);
    }
    add_marks(&t, emitter, &f.mark);
    add_fixes(&t, report, &f);
    if (f.hint[0]) {
        ll_tree_string(&t, ll_tree_object(&t, t.root, "properties"), "likelyCause", f.hint);
    }
    ll_tree_print(&t, &chunk->text, &chunk->indexes);
    return LL_OK;
}
