/* SARIF 2.1.0, in two profiles. `sarif` keeps to the standard: binary regions only (3.30.1), results streamed as
 * they come. `sarif-github` serves GitHub code scanning: a line and column in every region, one result for each rule
 * and field of a file, the severest first, at most RESULTS_MAX of them. In both the rules that spoke, and the list
 * of files, follow the results. Findings that are marked are shown, and said to be.
 *
 * The only file that knows cJSON. Trees are one result or one rule large. cJSON takes its memory from malloc: its
 * hooks are process-wide, and so the host's business and not ours; where it fails the status is LL_E_MEMORY. Strings
 * are made valid UTF-8 before it sees them, numbers stay below 2^53. */
#include "report/emit.h"

#include "rules/cross_check.h"

#include <cjson/cJSON.h>

/* Where the project lives, set by the build; "" leaves informationUri and helpUri out. */
#ifndef LIGHTLINT_HOME_URI
#define LIGHTLINT_HOME_URI ""
#endif

enum { RESULTS_MAX = 5000, ROW = 16, SNIPPET_MAX = 256, RENDERED_MAX = 64, DESCRIPTION_MAX = 1000, TAGS_MAX = 10 };

/* ------------------------------------------------------------------ trees */

/* A tree in the making: the first failure sticks, so that it is asked for once, at the end. */
typedef struct tree {
    cJSON *root;
    ll_text *scratch;
    bool failed;
} tree;

/* Hangs an item under a parent: key NULL in arrays. Keys are literals. Gives the item back, NULL when that failed. */
static cJSON *add(tree *t, cJSON *parent, const char *key, cJSON *item)
{
    bool added = item && (key ? cJSON_AddItemToObjectCS(parent, key, item) : cJSON_AddItemToArray(parent, item));
    if (!added) {
        cJSON_Delete(item);
        t->failed = true;
        return NULL;
    }
    return item;
}

static cJSON *add_object(tree *t, cJSON *parent, const char *key)
{
    return add(t, parent, key, cJSON_CreateObject());
}

static cJSON *add_array(tree *t, cJSON *parent, const char *key)
{
    return add(t, parent, key, cJSON_CreateArray());
}

static bool is_utf8(const char *s)
{
    const uint8_t *p = (const uint8_t *)s;
    size_t n = strlen(s);
    for (size_t at = 0; at < n;) {
        size_t length = ll_utf8_length(p + at, n - at);
        if (!length) {
            return false;
        }
        at += length;
    }
    return true;
}

/* A string that outlives the tree. */
static void add_string(tree *t, cJSON *parent, const char *key, const char *s)
{
    if (is_utf8(s)) {
        (void)add(t, parent, key, cJSON_CreateStringReference(s));
        return;
    }
    ll_text_clear(t->scratch);
    ll_text_escape(t->scratch, s, strlen(s));
    (void)add(t, parent, key, cJSON_CreateString(ll_text_cstr(t->scratch)));
    t->failed = t->failed || t->scratch->failed;
}

/* What stands in the scratch text, which is valid UTF-8. */
static void add_scratch(tree *t, cJSON *parent, const char *key)
{
    (void)add(t, parent, key, cJSON_CreateString(ll_text_cstr(t->scratch)));
    t->failed = t->failed || t->scratch->failed;
}

/* Leaves out what JSON readers could not hold; no file that could be read is so large. */
static void add_u64(tree *t, cJSON *parent, const char *key, uint64_t value)
{
    if (value <= UINT64_C(1) << 53) {
        (void)add(t, parent, key, cJSON_CreateNumber((double)value));
    }
}

/* "key": {"text": s} */
static void add_message(tree *t, cJSON *parent, const char *key, const char *s)
{
    add_string(t, add_object(t, parent, key), "text", s);
}

static void add_base64(tree *t, cJSON *parent, const char *key, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    ll_text *out = t->scratch;
    ll_text_clear(out);
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t v =
            (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0U);
        char four[4] = {digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=',
                        left > 2 ? digits[v & 63] : '='};
        ll_text_put(out, four, sizeof four);
    }
    add_scratch(t, parent, key);
}

static tree plant(ll_text *scratch)
{
    cJSON *root = cJSON_CreateObject();
    return (tree){root, scratch, root == NULL};
}

/* Prints the tree behind what `out` holds, and fells it. */
static ll_status harvest(tree *t, ll_text *out)
{
    char *printed = t->failed ? NULL : cJSON_PrintUnformatted(t->root);
    cJSON_Delete(t->root);
    t->root = NULL;
    if (!printed) {
        return LL_E_MEMORY;
    }
    ll_text_str(out, printed);
    cJSON_free(printed);
    return out->failed ? LL_E_MEMORY : LL_OK;
}

/* ------------------------------------------------------------------ places */

static bool is_github(const ll_emitter *emitter)
{
    return emitter->format == &ll_emit_sarif_github;
}

static void put_encoded(ll_text *out, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t c = (uint8_t)bytes[i];
        bool plain =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c && strchr("-._~", c));
        if (plain) {
            ll_text_char(out, bytes[i]);
        } else {
            char escape[3] = {'%', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15]};
            ll_text_put(out, escape, sizeof escape);
        }
    }
}

/* Takes the last segment of a path off again. False when there is none, or it leads upwards itself. */
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

/* The name of a file as a percent-encoded URI without empty, "." or inner ".." segments. True if it is relative to
 * the root of the sources; an absolute name, or one that leaves the root, stands for itself. */
static bool put_uri(ll_text *out, const char *name)
{
    bool absolute = name[0] == '/';
    bool leaves = false;
    ll_text_clear(out);
    ll_text_str(out, absolute ? "file:///" : "");
    size_t root = out->length;
    for (const char *p = name; *p && !out->failed;) {
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

static void add_artifact_location(tree *t, cJSON *parent, const char *key, const char *name)
{
    cJSON *location = add_object(t, parent, key);
    bool relative = put_uri(t->scratch, name);
    add_scratch(t, location, "uri");
    if (relative) {
        add_string(t, location, "uriBaseId", "%SRCROOT%");
    }
}

static void add_nested_uri(tree *t, cJSON *location, const char *region)
{
    ll_text_clear(t->scratch);
    put_encoded(t->scratch, region, strlen(region));
    add_scratch(t, location, "uri");
}

/* A nested artifact is known by its index alone, and that by where its file comes in the run: put_result() writes it in
 * place of the negative number. */
static const char NESTED_INDEX[] = "\"index\":-";

static void add_nested_location(tree *t, cJSON *parent, const ll_report *report, const char *name)
{
    uint32_t number = 1;
    while (number + 1 < report->doc.region_count && report->doc.regions[number].name != name) {
        number++;
    }
    cJSON *location = add_object(t, parent, "artifactLocation");
    add_nested_uri(t, location, name);
    (void)add(t, location, "index", cJSON_CreateNumber(-(double)number));
}

static cJSON *add_region(tree *t, cJSON *parent, const char *key, uint64_t offset, uint64_t length)
{
    cJSON *region = add_object(t, parent, key);
    add_u64(t, region, "byteOffset", offset);
    add_u64(t, region, "byteLength", length);
    return region;
}

/* GitHub shows nothing without lines, and takes no file whose results lack them; a binary file has only the first. */
static void add_lines(tree *t, cJSON *region, uint32_t line)
{
    static const char *const keys[] = {"startLine", "startColumn", "endLine", "endColumn"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        add_u64(t, region, keys[i], i % 2 ? 1 : line);
    }
}

/* ------------------------------------------------------------------ bytes */

static void put_hex_row(const uint8_t *bytes, uint64_t row, uint64_t end, ll_text *out)
{
    ll_text_str(out, "0x");
    ll_text_hex(out, row, 4);
    ll_text_str(out, "  ");
    uint64_t n = end - row < ROW ? end - row : ROW;
    ll_text_bytes(out, bytes + row, (size_t)n);
    ll_text_repeat(out, ' ', 3 * (size_t)(ROW - n) + 2);
    for (uint64_t i = 0; i < n; i++) {
        uint8_t byte = bytes[row + i];
        ll_text_char(out, byte >= 0x20 && byte < 0x7F ? (char)byte : '.');
    }
}

/* The marked bytes, and what they say if f is not NULL. Long stretches are not copied, only begun. */
static void add_snippet(tree *t, cJSON *region, const ll_view *view, const ll_finding *f)
{
    cJSON *snippet = add_object(t, region, "snippet");
    if (view->length > 0 && view->length <= SNIPPET_MAX) {
        add_base64(t, snippet, "binary", ll_view_bytes(view), view->length);
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
        ll_text_str(t->scratch, "  (");
        ll_text_str(t->scratch, f->type);
        ll_text_str(t->scratch, " = ");
        ll_text_str(t->scratch, f->value);
        ll_text_char(t->scratch, ')');
    }
    add_scratch(t, add_object(t, snippet, "rendered"), "text");
}

/* Whole rows of sixteen bytes that hold the region and more than it; nothing where the file has no more. */
static void add_context(tree *t, cJSON *place, const ll_view *view)
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
    cJSON *snippet = add_object(t, region, "snippet");
    add_base64(t, snippet, "binary", view->region->bytes + start, (size_t)(end - start));
    ll_text_clear(t->scratch);
    for (uint64_t row = start; row < end; row += ROW) {
        ll_text_str(t->scratch, row > start ? "\n" : "");
        put_hex_row(view->region->bytes, row, end, t->scratch);
    }
    add_scratch(t, add_object(t, snippet, "rendered"), "text");
}

/* ------------------------------------------------------------------ one result */

static void add_logical(tree *t, cJSON *parent, const char *path, bool is_field)
{
    cJSON *logical = add_object(t, add_array(t, parent, "logicalLocations"), NULL);
    const char *dot = strrchr(path, '.');
    add_string(t, logical, "name", dot ? dot + 1 : path);
    add_string(t, logical, "fullyQualifiedName", path);
    add_string(t, logical, "kind", is_field ? "member" : "type");
}

/* Where the bytes of a place are: in the file, or in an artifact nested in it. Gives the region; *out: the physical
 * location. */
static cJSON *add_place(tree *t, cJSON *location, const ll_emitter *emitter, ll_report *report, uint64_t offset,
                        uint64_t length, const ll_inner *inner, cJSON **out)
{
    *out = add_object(t, location, "physicalLocation");
    if (inner->region) {
        add_nested_location(t, *out, report, inner->region);
    } else {
        add_artifact_location(t, *out, "artifactLocation", ll_report_name(report));
    }
    cJSON *region = inner->region ? add_region(t, *out, "region", inner->offset, inner->length)
                                  : add_region(t, *out, "region", offset, length);
    if (is_github(emitter)) {
        add_lines(t, region, ll_report_line(report, offset));
    }
    return region;
}

/* Viewers know files only: the location of what was decompressed is that of the bytes which hold it. */
static void add_location(tree *t, const ll_emitter *emitter, ll_report *report, const ll_finding *f)
{
    static const ll_inner none = {NULL, 0, 0};
    cJSON *location = add_object(t, add_array(t, t->root, "locations"), NULL);
    cJSON *place;
    cJSON *region = add_place(t, location, emitter, report, f->offset, f->length, &none, &place);
    if (f->inner.region) {
        ll_view outer = {report->doc.regions, (uint32_t)f->offset, (uint32_t)f->length};
        add_snippet(t, region, &outer, NULL);
    } else {
        add_snippet(t, region, &report->view, f);
        add_context(t, place, &report->view);
    }
    add_logical(t, location, f->path, f->type[0] != '\0');
}

static cJSON *add_related_location(tree *t, cJSON *list, uint64_t id, const char *words)
{
    cJSON *location = add_object(t, list, NULL);
    add_u64(t, location, "id", id);
    add_message(t, location, "message", words);
    return location;
}

static void add_related(tree *t, const ll_emitter *emitter, ll_report *report, const ll_finding *f)
{
    if (!f->related_count && !f->inner.region) {
        return;
    }
    cJSON *list = add_array(t, t->root, "relatedLocations");
    cJSON *place;
    uint64_t id = 1;
    if (f->inner.region) {
        cJSON *location = add_related_location(t, list, id++, "The bytes, decompressed.");
        cJSON *region = add_place(t, location, emitter, report, 0, 0, &f->inner, &place);
        add_snippet(t, region, &report->view, f);
        add_context(t, place, &report->view);
    }
    for (size_t i = 0; i < f->related_count; i++) {
        const ll_place *related = &f->related[i];
        const char *words = related->text[0] ? related->text : "A related place.";
        cJSON *location = add_related_location(t, list, id++, words);
        (void)add_place(t, location, emitter, report, related->offset, related->length, &related->inner, &place);
        if (related->path[0]) {
            add_logical(t, location, related->path, true);
        }
    }
}

/* Braces mean placeholders in message strings, unless doubled. */
static void put_braced(ll_text *out, const char *s)
{
    for (const char *p = s; *p; p++) {
        if (*p == '{' || *p == '}') {
            ll_text_char(out, *p);
        }
        ll_text_char(out, *p);
    }
}

static void add_result_message(tree *t, const ll_view *view, const ll_finding *f)
{
    ll_message_form form = ll_message_form_of(f->found, f->expected);
    cJSON *message = add_object(t, t->root, "message");
    ll_text_clear(t->scratch);
    put_braced(t->scratch, f->message);
    add_scratch(t, message, "text");
    add_string(t, message, "id", ll_message_rows[form].id);
    cJSON *arguments = add_array(t, message, "arguments");
    add_string(t, arguments, NULL, f->path);
    ll_text_clear(t->scratch);
    ll_view_text(view, t->scratch);
    add_scratch(t, arguments, NULL);
    if (f->found[0]) {
        add_string(t, arguments, NULL, f->found);
    }
    if (f->expected[0]) {
        add_string(t, arguments, NULL, f->expected);
    }
}

static void add_fixes(tree *t, const ll_report *report, const ll_finding *f)
{
    if (f->patch.tier == LL_PATCH_NONE) {
        return;
    }
    cJSON *fix = add_object(t, add_array(t, t->root, "fixes"), NULL);
    add_message(t, fix, "description", f->fix);
    cJSON *change = add_object(t, add_array(t, fix, "artifactChanges"), NULL);
    add_artifact_location(t, change, "artifactLocation", ll_report_name(report));
    cJSON *replacement = add_object(t, add_array(t, change, "replacements"), NULL);
    (void)add_region(t, replacement, "deletedRegion", f->patch.offset, f->patch.removed);
    add_base64(t, add_object(t, replacement, "insertedContent"), "binary", f->patch.bytes, f->patch.size);
    add_string(t, add_object(t, fix, "properties"), "tier", f->patch.tier == LL_PATCH_SAFE ? "safe" : "unsafe");
}

static void add_fingerprints(tree *t, const ll_finding *f)
{
    cJSON *prints = add_object(t, t->root, "partialFingerprints");
    ll_text_clear(t->scratch);
    ll_text_str(t->scratch, f->fingerprint);
    ll_text_str(t->scratch, ":1");
    add_scratch(t, prints, "primaryLocationLineHash");
    add_string(t, prints, "lightlintFieldPath/v1", f->fingerprint);
}

/* Somebody knows of the finding: who says so, and where. */
static void add_suppression(tree *t, cJSON *list, const ll_mark *mark)
{
    cJSON *suppression = add_object(t, list, NULL);
    add_string(t, suppression, "kind", "external");
    add_string(t, suppression, "status", "accepted");
    if (mark->kind == LL_MARK_SUPPRESSED) {
        add_string(t, suppression, "justification", mark->reason);
    } else {
        ll_text_clear(t->scratch);
        ll_text_str(t->scratch, "In the baseline ");
        ll_text_escape(t->scratch, mark->file, strlen(mark->file));
        ll_text_char(t->scratch, '.');
        add_scratch(t, suppression, "justification");
    }
    cJSON *place = add_object(t, add_object(t, suppression, "location"), "physicalLocation");
    add_artifact_location(t, place, "artifactLocation", mark->file);
    if (mark->line) {
        add_u64(t, add_object(t, place, "region"), "startLine", mark->line);
    }
}

/* All results of a run say whether they are suppressed, and in a run with a baseline whether they are new. */
static void add_marks(tree *t, const ll_emitter *emitter, const ll_mark *mark)
{
    bool old = mark->kind == LL_MARK_BASELINED && emitter->options.baseline;
    cJSON *list = add_array(t, t->root, "suppressions");
    if (mark->kind != LL_MARK_NONE && !old) {
        add_suppression(t, list, mark);
    }
    if (emitter->options.baseline) {
        add_string(t, t->root, "baselineState", old ? "unchanged" : "new");
    }
}

/* Everything but ruleId and ruleIndex, which are known when the chunk is committed. */
static ll_status render_result(const ll_emitter *emitter, ll_report *report, uint32_t index, uint32_t times,
                               ll_text *out)
{
    ll_finding f;
    ll_status status = ll_finding_compose(report, index, &f);
    if (status != LL_OK) {
        return status;
    }
    tree t = plant(&report->scratch);
    add_string(&t, t.root, "level", ll_severity_text(f.severity));
    add_result_message(&t, &report->view, &f);
    add_location(&t, emitter, report, &f);
    add_related(&t, emitter, report, &f);
    add_fingerprints(&t, &f);
    if (times > 1) {
        add_u64(&t, t.root, "occurrenceCount", times);
    }
    add_marks(&t, emitter, &f.mark);
    add_fixes(&t, report, &f);
    if (f.hint[0]) {
        add_string(&t, add_object(&t, t.root, "properties"), "likelyCause", f.hint);
    }
    return harvest(&t, out);
}

/* ------------------------------------------------------------------ chunks */

typedef struct result_mark { /* one result of a chunk */
    size_t length;
    const ll_active_rule *rule; /* of a rule set that lives as long as the emitter */
    uint8_t severity, form;
    bool nested; /* speaks of a nested artifact */
    bool marked; /* does not count */
} result_mark;

typedef struct file_mark { /* one file; its name follows, then its nested artifacts, where a result may speak of them */
    uint64_t size;
    size_t name;
    uint32_t results;
    uint32_t nested;
    bool is_text;
} file_mark;

typedef struct nested_mark { /* what was decompressed; its name follows */
    uint32_t outer_offset, size;
    size_t name;
} nested_mark;

static void put_file_mark(const ll_report *report, uint32_t results, ll_text *out)
{
    const char *name = ll_report_name(report);
    const ll_doc *doc = &report->doc;
    file_mark file = {report->size, strlen(name), results, results ? doc->region_count - 1 : 0, report->is_text};
    ll_text_put(out, (const char *)&file, sizeof file);
    ll_text_put(out, name, file.name);
    for (uint32_t i = 1; i <= file.nested; i++) {
        const ll_region *region = &doc->regions[i];
        nested_mark nested = {region->outer_offset, region->size, strlen(region->name)};
        ll_text_put(out, (const char *)&nested, sizeof nested);
        ll_text_put(out, region->name, nested.name);
    }
}

/* Reads a mark and the name behind it; gives the place behind both. */
static size_t read_file_mark(const ll_text *marks, size_t at, file_mark *file, ll_text *name)
{
    memcpy(file, marks->data + at, sizeof *file);
    ll_text_clear(name);
    ll_text_put(name, marks->data + at + sizeof *file, file->name);
    return at + sizeof *file + file->name;
}

static size_t read_nested_mark(const ll_text *marks, size_t at, nested_mark *nested, ll_text *name)
{
    memcpy(nested, marks->data + at, sizeof *nested);
    ll_text_clear(name);
    ll_text_put(name, marks->data + at + sizeof *nested, nested->name);
    return at + sizeof *nested + nested->name;
}

static ll_status render(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    ll_fold fold = {NULL, NULL};
    uint32_t results = 0;
    if (report->entry_count == 0) {
        put_file_mark(report, 0, &chunk->files);
        return LL_OK;
    }
    if (ll_report_identify(report) != LL_OK || (is_github(emitter) && ll_report_fold(report, &fold) != LL_OK)) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < report->entry_count; i++) {
        if (fold.count && !fold.count[i]) {
            continue;
        }
        const ll_entry *entry = &report->entries[i];
        size_t before = chunk->text.length;
        ll_status status = render_result(emitter, report, i, fold.count ? fold.count[i] : 1, &chunk->text);
        if (status != LL_OK) {
            return status;
        }
        result_mark mark = {chunk->text.length - before,
                            &report->rules->rules[entry->rule],
                            entry->severity,
                            (uint8_t)ll_message_form_of(entry->found, entry->expected),
                            report->doc.region_count > 1,
                            entry->mark != NULL};
        ll_text_put(&chunk->marks, (const char *)&mark, sizeof mark);
        results++;
    }
    put_file_mark(report, results, &chunk->files);
    return LL_OK;
}

/* ------------------------------------------------------------------ the run */

enum { MARKED = LL_SEVERITY_OFF, LEVELS = LL_ERROR + 1 }; /* what is marked goes below all that counts */

typedef struct level_results { /* sarif-github: results of one severity, each with a comma before it */
    ll_text text;
    ll_text lengths; /* a size_t each */
    size_t count;
} level_results;

typedef struct spoken {           /* a rule that has a result */
    const ll_active_rule *active; /* of the rule set in which it first spoke */
    unsigned forms;               /* bits of ll_message_form */
} spoken;

typedef struct run {
    spoken *rules;   /* in the order in which they first spoke */
    uint32_t *by_id; /* places in rules, sorted by id */
    uint32_t rule_count, rule_capacity;
    ll_text files;      /* file_mark and what follows it, each */
    uint64_t artifacts; /* in them */
    level_results levels[LEVELS];
    size_t kept;
    uint64_t cut; /* results that did not fit */
} run;

static void close_run(ll_emitter *emitter)
{
    run *r = emitter->state;
    if (!r) {
        return;
    }
    for (size_t i = 0; i < sizeof r->levels / sizeof r->levels[0]; i++) {
        ll_text_free(&r->levels[i].text);
        ll_text_free(&r->levels[i].lengths);
    }
    ll_text_free(&r->files);
    if (r->rules) {
        emitter->allocator.release(emitter->allocator.ctx, r->rules);
    }
    emitter->allocator.release(emitter->allocator.ctx, r);
    emitter->state = NULL;
}

static ll_status open_run(ll_emitter *emitter)
{
    const ll_allocator *a = &emitter->allocator;
    run *r = a->alloc(a->ctx, sizeof *r);
    if (!r) {
        return LL_E_MEMORY;
    }
    *r = (run){.rules = NULL};
    ll_text_init(&r->files, a);
    for (size_t i = 0; i < sizeof r->levels / sizeof r->levels[0]; i++) {
        ll_text_init(&r->levels[i].text, a);
        ll_text_init(&r->levels[i].lengths, a);
    }
    emitter->state = r;
    return LL_OK;
}

/* ------------------------------------------------------------------ rules that spoke */

/* Room for one rule more; both arrays are one block. */
static bool grow_rules(const ll_allocator *a, run *r)
{
    if (r->rule_count < r->rule_capacity) {
        return true;
    }
    uint32_t capacity = r->rule_capacity ? r->rule_capacity * 2 : 64;
    size_t bytes;
    if (capacity < r->rule_capacity || !ll_mul_size(capacity, sizeof(spoken) + sizeof(uint32_t), &bytes)) {
        return false;
    }
    spoken *rules = a->alloc(a->ctx, bytes);
    if (!rules) {
        return false;
    }
    uint32_t *by_id = (uint32_t *)(rules + capacity);
    if (r->rules) {
        memcpy(rules, r->rules, r->rule_count * sizeof *rules);
        memcpy(by_id, r->by_id, r->rule_count * sizeof *by_id);
        a->release(a->ctx, r->rules);
    }
    r->rules = rules;
    r->by_id = by_id;
    r->rule_capacity = capacity;
    return true;
}

/* The place of a rule among those that spoke. Rule sets may differ from report to report; what has one id is one rule.
 * LL_NO_RULE: no memory. */
static uint32_t spoken_index(const ll_allocator *a, run *r, const ll_active_rule *active)
{
    uint32_t low = 0;
    uint32_t high = r->rule_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const ll_active_rule *other = r->rules[r->by_id[middle]].active;
        int order = other == active ? 0 : strcmp(other->rule->id, active->rule->id);
        if (order == 0) {
            return r->by_id[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (!grow_rules(a, r)) {
        return LL_NO_RULE;
    }
    memmove(r->by_id + low + 1, r->by_id + low, (r->rule_count - low) * sizeof *r->by_id);
    r->by_id[low] = r->rule_count;
    r->rules[r->rule_count] = (spoken){active, 0};
    return r->rule_count++;
}

/* ------------------------------------------------------------------ results of the run */

/* Text of a result with the indices of nested artifacts, which count from that of their file. */
static void put_indexed(const char *text, size_t n, uint64_t file, ll_text *out)
{
    const size_t key = sizeof NESTED_INDEX - 1;
    size_t done = 0;
    for (size_t at = 0; at + key < n; at++) {
        if (memcmp(text + at, NESTED_INDEX, key) == 0) {
            ll_text_put(out, text + done, at + key - 1 - done); /* without the minus */
            ll_text_u64(out, file + (unsigned)(text[at + key] - '0'));
            done = at + key + 1;
        }
    }
    ll_text_put(out, text + done, n - done);
}
_Static_assert(LL_REGIONS_MAX <= 10, "the number is one digit");

/* The result with its rule, behind a comma. file: index of its artifact. */
static void put_result(ll_emitter *emitter, const result_mark *mark, const char *result, uint64_t file, ll_text *out)
{
    run *r = emitter->state;
    uint32_t index = spoken_index(&emitter->allocator, r, mark->rule);
    if (index == LL_NO_RULE) {
        emitter->status = LL_E_MEMORY;
        return;
    }
    r->rules[index].forms |= 1U << mark->form;
    ll_text_str(out, ",\n{\"ruleId\":\"");
    ll_text_str(out, mark->rule->rule->id); /* letters and digits */
    ll_text_str(out, "\",\"ruleIndex\":");
    ll_text_u64(out, index);
    ll_text_char(out, ',');
    if (mark->nested) {
        put_indexed(result + 1, mark->length - 1, file, out);
    } else {
        ll_text_put(out, result + 1, mark->length - 1);
    }
}

/* Makes room for a result of this severity, or one that is MARKED, by giving up the last of the least severe ones.
 * False: the new one is that. */
static bool make_room(run *r, unsigned severity)
{
    if (r->kept < RESULTS_MAX) {
        return true;
    }
    for (unsigned i = MARKED; i < severity; i++) {
        level_results *level = &r->levels[i];
        if (level->count) {
            size_t last;
            level->lengths.length -= sizeof last;
            memcpy(&last, level->lengths.data + level->lengths.length, sizeof last);
            level->text.length -= last;
            level->count--;
            r->kept--;
            r->cut++;
            return true;
        }
    }
    r->cut++;
    return false;
}

static void keep_result(ll_emitter *emitter, const result_mark *mark, const char *result, uint64_t file)
{
    run *r = emitter->state;
    unsigned severity = mark->marked ? MARKED : mark->severity;
    if (!make_room(r, severity)) {
        return;
    }
    level_results *level = &r->levels[severity];
    size_t before = level->text.length;
    put_result(emitter, mark, result, file, &level->text);
    size_t length = level->text.length - before;
    ll_text_put(&level->lengths, (const char *)&length, sizeof length);
    level->count++;
    r->kept++;
    if (level->text.failed || level->lengths.failed) {
        emitter->status = LL_E_MEMORY;
    }
}

static const char RUN_START[] =
    "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"results\":[";

/* Results begin with a comma, which the first one loses. */
static void emit_results(ll_emitter *emitter, ll_text *results)
{
    if (!emitter->started && results->length) {
        (void)ll_emit_bytes(emitter, RUN_START, sizeof RUN_START - 1);
        if (results->failed) {
            emitter->status = LL_E_MEMORY;
        }
        (void)ll_emit_bytes(emitter, results->data + 1, results->length - 1);
        ll_text_clear(results);
        return;
    }
    (void)ll_emit_text(emitter, results);
}

/* Hands over the results of one file, from *result and *mark on. */
static void commit_results(ll_emitter *emitter, const file_mark *file, const char **mark_bytes, const char **result)
{
    run *r = emitter->state;
    for (uint32_t i = 0; i < file->results; i++) {
        result_mark mark;
        memcpy(&mark, *mark_bytes, sizeof mark);
        if (is_github(emitter)) {
            keep_result(emitter, &mark, *result, r->artifacts);
        } else {
            put_result(emitter, &mark, *result, r->artifacts, &emitter->out);
        }
        *mark_bytes += sizeof mark;
        *result += mark.length;
    }
    r->artifacts += 1 + file->nested;
}

static ll_status commit(ll_emitter *emitter, ll_chunk *chunk)
{
    run *r = emitter->state;
    const char *result = chunk->text.data;
    const char *mark = chunk->marks.data;
    ll_text name;
    ll_text_init(&name, &emitter->allocator);
    ll_text_put(&r->files, chunk->files.data, chunk->files.length);
    for (size_t at = 0; at < chunk->files.length;) {
        file_mark file;
        at = read_file_mark(&chunk->files, at, &file, &name);
        for (uint32_t i = 0; i < file.nested; i++) {
            nested_mark nested;
            at = read_nested_mark(&chunk->files, at, &nested, &name);
        }
        commit_results(emitter, &file, &mark, &result);
    }
    ll_text_free(&name);
    emit_results(emitter, &emitter->out);
    return r->files.failed ? LL_E_MEMORY : emitter->status;
}

/* ------------------------------------------------------------------ rules */

/* "name-hash" of "grx" to "GrxNameHash": unique over the families, and never the id. A part of one letter gets no
 * capital: validators do not take that for Pascal case. */
static void put_pascal(ll_text *out, const ll_rule *rule)
{
    size_t family = strlen(rule->family);
    bool named = strncmp(rule->name, rule->family, family) == 0 && rule->name[family] == '-';
    const char *parts[] = {named ? "" : rule->family, rule->name};
    for (size_t i = 0; i < 2; i++) {
        bool upper = true;
        for (const char *p = parts[i]; *p; p++) {
            if (*p == '-') {
                upper = true;
                continue;
            }
            bool alone = p[1] == '\0' || p[1] == '-';
            ll_text_char(out, upper && !alone && *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p);
            upper = false;
        }
    }
}

/* A description; GitHub takes no more than 1024 characters. */
static void add_description(tree *t, const char *key, const char *text)
{
    size_t n = strlen(text);
    ll_text_clear(t->scratch);
    if (n > DESCRIPTION_MAX) {
        n = DESCRIPTION_MAX;
        while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) {
            n--;
        }
        ll_text_put(t->scratch, text, n);
        ll_text_str(t->scratch, "...");
    } else {
        ll_text_put(t->scratch, text, n);
    }
    add_scratch(t, add_object(t, t->root, key), "text");
}

static void put_paragraph(ll_text *out, bool markdown, const char *head, const char *text)
{
    if (!text[0]) {
        return;
    }
    ll_text_str(out, out->length ? "\n\n" : "");
    ll_text_str(out, markdown ? "**" : "");
    ll_text_str(out, head);
    ll_text_str(out, markdown ? "** " : " ");
    ll_text_str(out, text);
}

static void add_help(tree *t, const ll_rule *rule)
{
    static const char *const keys[] = {"text", "markdown"};
    cJSON *help = add_object(t, t->root, "help");
    for (size_t i = 0; i < 2; i++) {
        ll_text_clear(t->scratch);
        put_paragraph(t->scratch, i == 1, "What to do:", rule->fix[0] ? rule->fix : rule->title);
        put_paragraph(t->scratch, i == 1, "Why:", rule->why);
        put_paragraph(t->scratch, i == 1, "What the rule rests on:", rule->evidence);
        add_scratch(t, help, keys[i]);
    }
}

/* The section of docs/rules.md. */
static void add_help_uri(tree *t, const ll_rule *rule)
{
    if (!LIGHTLINT_HOME_URI[0] || !ll_shipped_family(rule->id)) {
        return;
    }
    ll_text_clear(t->scratch);
    ll_text_str(t->scratch, LIGHTLINT_HOME_URI "/docs/rules.md");
    ll_rule_anchor(rule->id, rule->name, t->scratch);
    add_scratch(t, t->root, "helpUri");
}

static void add_message_strings(tree *t, const ll_rule *rule, unsigned forms)
{
    cJSON *strings = add_object(t, t->root, "messageStrings");
    for (unsigned form = 0; form < LL_MESSAGE_FORMS; form++) {
        if (!(forms & 1U << form)) {
            continue;
        }
        ll_text_clear(t->scratch);
        ll_text_str(t->scratch, "'{0}' at '{1}': ");
        size_t start = t->scratch->length;
        put_braced(t->scratch, rule->title);
        if (t->scratch->length == start || !strchr(".!?", t->scratch->data[t->scratch->length - 1])) {
            ll_text_char(t->scratch, '.');
        }
        ll_text_str(t->scratch, ll_message_rows[form].tail);
        add_scratch(t, add_object(t, strings, ll_message_rows[form].id), "text");
    }
}

static bool has_tag(const ll_rule *rule, const char *tag)
{
    for (size_t i = 0; i < rule->tags.count; i++) {
        if (strcmp(rule->tags.at[i], tag) == 0) {
            return true;
        }
    }
    return false;
}

/* What the rule rests on, in the words that GitHub knows. */
static const char *precision_of(const ll_rule *rule)
{
    if (has_tag(rule, "corpus") || has_tag(rule, "engine") || has_tag(rule, "tool")) {
        return "very-high";
    }
    return has_tag(rule, "seed") ? "high" : "medium";
}

static void add_rule_properties(tree *t, const ll_rule *rule)
{
    static const char *const github[] = {"recommendation", "recommendation", "warning", "error"};
    cJSON *properties = add_object(t, t->root, "properties");
    cJSON *tags = add_array(t, properties, "tags");
    for (size_t i = 0; i < rule->tags.count && i < TAGS_MAX; i++) {
        add_string(t, tags, NULL, rule->tags.at[i]);
    }
    add_string(t, properties, "precision", precision_of(rule));
    add_string(t, properties, "problem.severity", github[rule->severity & 3]);
}

static void add_level(tree *t, cJSON *configuration, unsigned severity)
{
    if (severity == LL_SEVERITY_OFF) {
        (void)add(t, configuration, "enabled", cJSON_CreateFalse());
    } else {
        add_string(t, configuration, "level", ll_severity_text((ll_severity)severity));
    }
}

static ll_status put_rule(const spoken *spoke, ll_text *scratch, ll_text *out)
{
    const ll_rule *rule = spoke->active->rule;
    tree t = plant(scratch);
    add_string(&t, t.root, "id", rule->id);
    ll_text_clear(scratch);
    put_pascal(scratch, rule);
    add_scratch(&t, t.root, "name");
    add_description(&t, "shortDescription", rule->title);
    add_description(&t, "fullDescription", rule->why[0] ? rule->why : rule->title);
    add_help(&t, rule);
    add_help_uri(&t, rule);
    add_message_strings(&t, rule, spoke->forms);
    add_level(&t, add_object(&t, t.root, "defaultConfiguration"), rule->severity);
    add_rule_properties(&t, rule);
    return harvest(&t, out);
}

/* ------------------------------------------------------------------ the end of the run */

static const char TRUNCATION_ID[] = "LLN001";

static ll_status put_truncation(const ll_emitter *emitter, ll_text *scratch, ll_text *out)
{
    static const char text[] = "Findings were left out because a limit was reached.";
    tree t = plant(scratch);
    (void)emitter;
    add_string(&t, t.root, "id", TRUNCATION_ID);
    add_string(&t, t.root, "name", "FindingsLeftOut");
    add_message(&t, t.root, "shortDescription", text);
    add_message(&t, t.root, "fullDescription", text);
    add_message(&t, t.root, "help",
                "Mend what is reported and run again, or raise the limits: --all, --max-per-rule 0, --max-per-file 0. "
                "The profile for GitHub keeps 5000 results, the severest first; the others keep all.");
    return harvest(&t, out);
}

static bool is_truncated(const ll_emitter *emitter)
{
    const run *r = emitter->state;
    return emitter->totals.dropped || r->cut;
}

static ll_status put_tool(const ll_emitter *emitter, ll_text *scratch, ll_text *out)
{
    const run *r = emitter->state;
    ll_text_str(out, "\"tool\":{\"driver\":{\"name\":\"lightlint\",\"semanticVersion\":\"" LL_VERSION_STRING
                     "\",\"version\":\"" LL_VERSION_STRING "\",");
    if (LIGHTLINT_HOME_URI[0]) {
        ll_text_str(out, "\"informationUri\":\"" LIGHTLINT_HOME_URI "\",");
    }
    ll_text_str(out, "\"rules\":[");
    for (uint32_t i = 0; i < r->rule_count; i++) {
        ll_text_str(out, i ? ",\n" : "\n");
        ll_status status = put_rule(&r->rules[i], scratch, out);
        if (status != LL_OK) {
            return status;
        }
    }
    ll_text_str(out, "]");
    if (is_truncated(emitter)) {
        ll_text_str(out, ",\"notifications\":[");
        ll_status status = put_truncation(emitter, scratch, out);
        if (status != LL_OK) {
            return status;
        }
        ll_text_str(out, "]");
    }
    ll_text_str(out, "}}");
    return LL_OK;
}

static void add_notification(tree *t, const ll_emitter *emitter)
{
    if (!is_truncated(emitter)) {
        return;
    }
    const run *r = emitter->state;
    cJSON *notification = add_object(t, add_array(t, t->root, "toolExecutionNotifications"), NULL);
    cJSON *descriptor = add_object(t, notification, "descriptor");
    add_string(t, descriptor, "id", TRUNCATION_ID);
    add_u64(t, descriptor, "index", 0);
    add_string(t, notification, "level", "warning");
    ll_text_clear(t->scratch);
    ll_text_u64(t->scratch, emitter->totals.dropped + r->cut);
    ll_text_str(t->scratch, " findings were left out because a limit was reached.");
    add_scratch(t, add_object(t, notification, "message"), "text");
}

/* Severities that the user chose, for rules that spoke. */
static void add_overrides(tree *t, const ll_emitter *emitter)
{
    const run *r = emitter->state;
    cJSON *list = NULL;
    for (uint32_t i = 0; i < r->rule_count && !t->failed; i++) {
        const ll_active_rule *active = r->rules[i].active;
        if (active->severity == active->rule->severity) {
            continue;
        }
        list = list ? list : add_array(t, t->root, "ruleConfigurationOverrides");
        cJSON *override = add_object(t, list, NULL);
        cJSON *descriptor = add_object(t, override, "descriptor");
        add_string(t, descriptor, "id", active->rule->id);
        add_u64(t, descriptor, "index", i);
        add_level(t, add_object(t, override, "configuration"), active->severity);
    }
}

static ll_status put_invocation(const ll_emitter *emitter, int exit_code, ll_text *scratch, ll_text *out)
{
    static const char *const meaning[] = {
        "Everything was checked; no finding at or above the fail level.",
        "Everything was checked; findings at or above the fail level.",
        "Something that was asked for was not checked or not done.",
    };
    bool known = exit_code >= 0 && exit_code <= 2;
    tree t = plant(scratch);
    (void)add(&t, t.root, "executionSuccessful",
              cJSON_CreateBool(known)); /* a file that cannot be read is a result, not a failure */
    (void)add(&t, t.root, "exitCode", cJSON_CreateNumber(exit_code));
    if (known) {
        add_string(&t, t.root, "exitCodeDescription", meaning[exit_code]);
    }
    add_overrides(&t, emitter);
    add_notification(&t, emitter);
    ll_text_str(out, "\"invocations\":[");
    ll_status status = harvest(&t, out);
    ll_text_str(out, "]");
    return status;
}

static ll_status put_nested_artifact(const nested_mark *nested, const char *name, uint64_t parent, ll_text *scratch,
                                     ll_text *out)
{
    tree t = plant(scratch);
    add_nested_uri(&t, add_object(&t, t.root, "location"), name);
    add_u64(&t, t.root, "parentIndex", parent);
    add_u64(&t, t.root, "offset", nested->outer_offset);
    add_u64(&t, t.root, "length", nested->size);
    add_string(&t, t.root, "mimeType", "application/octet-stream");
    ll_text_str(out, ",\n");
    return harvest(&t, out);
}

static ll_status put_artifact(const file_mark *file, const char *name, ll_text *scratch, ll_text *out)
{
    tree t = plant(scratch);
    add_artifact_location(&t, t.root, "location", name);
    add_u64(&t, t.root, "length", file->size);
    add_string(&t, t.root, "mimeType", file->is_text ? "text/plain" : "application/octet-stream");
    cJSON *roles = add_array(&t, t.root, "roles");
    add_string(&t, roles, NULL, "analysisTarget");
    if (file->results) {
        add_string(&t, roles, NULL, "resultFile");
    }
    return harvest(&t, out);
}

static ll_status emit_artifacts(ll_emitter *emitter, ll_text *scratch, ll_text *name)
{
    run *r = emitter->state;
    ll_text *out = &emitter->out;
    ll_text_str(out, "\"artifacts\":[");
    ll_status status = LL_OK;
    uint64_t index = 0;
    for (size_t at = 0; at < r->files.length && status == LL_OK;) {
        file_mark file;
        ll_text_str(out, at ? ",\n" : "\n");
        at = read_file_mark(&r->files, at, &file, name);
        status = put_artifact(&file, ll_text_cstr(name), scratch, out);
        for (uint32_t i = 0; i < file.nested && status == LL_OK; i++) {
            nested_mark nested;
            at = read_nested_mark(&r->files, at, &nested, name);
            status = put_nested_artifact(&nested, ll_text_cstr(name), index, scratch, out);
        }
        index += 1 + file.nested;
        status = status == LL_OK && name->failed ? LL_E_MEMORY : status;
        if (status == LL_OK && out->length > 65536) {
            status = ll_emit_text(emitter, out);
        }
    }
    ll_text_str(out, "]}]}\n");
    return status;
}

static void emit_kept(ll_emitter *emitter)
{
    run *r = emitter->state;
    for (unsigned i = LEVELS; i > 0; i--) {
        emit_results(emitter, &r->levels[i - 1].text);
    }
    if (!emitter->started) {
        (void)ll_emit_bytes(emitter, RUN_START, sizeof RUN_START - 1);
    }
}

static ll_status finish(ll_emitter *emitter, int exit_code)
{
    ll_text scratch;
    ll_text name;
    ll_text_init(&scratch, &emitter->allocator);
    ll_text_init(&name, &emitter->allocator);
    ll_text *out = &emitter->out;
    emit_kept(emitter);
    ll_text_str(out, "],\n");
    ll_status status = put_tool(emitter, &scratch, out);
    ll_text_str(out, ",\n\"automationDetails\":{\"id\":\"lightlint/default/\"},\n"
                     "\"originalUriBaseIds\":{\"%SRCROOT%\":{\"description\":{\"text\":\"The directory that the paths "
                     "start from.\"}}},\n");
    if (status == LL_OK) {
        status = put_invocation(emitter, exit_code, &scratch, out);
    }
    ll_text_str(out, ",\n");
    if (status == LL_OK) {
        status = emit_artifacts(emitter, &scratch, &name);
    }
    ll_text_free(&scratch);
    ll_text_free(&name);
    return status == LL_OK ? ll_emit_text(emitter, out) : status;
}

const ll_emit_format ll_emit_sarif = {open_run, render, commit, finish, close_run};
const ll_emit_format ll_emit_sarif_github = {open_run, render, commit, finish, close_run};
