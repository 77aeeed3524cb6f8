/* JSON for programs: the writer, `json` (one document) and `jsonl` (one object a line).
 * docs/schema/finding.schema.json describes what is written; keys are only ever added. Findings are written straight
 * into the chunk: a run with many of them costs little more than a clean one. */
#include "report/emit.h"
#include "report/jsonw.h"

/* ------------------------------------------------------------------ writer */

static void separate(ll_jsonw *json)
{
    if (json->comma) {
        ll_text_char(json->out, ',');
    }
    json->comma = true;
}

void ll_jsonw_begin(ll_jsonw *json, char bracket)
{
    separate(json);
    ll_text_char(json->out, bracket);
    json->comma = false;
}

void ll_jsonw_end(ll_jsonw *json, char bracket)
{
    ll_text_char(json->out, bracket);
    json->comma = true;
}

void ll_jsonw_string(ll_jsonw *json, const char *bytes, size_t n)
{
    ll_text_put(json->out, json->comma ? ",\"" : "\"", json->comma ? 2 : 1);
    json->comma = true;
    ll_text_json(json->out, bytes, n);
    ll_text_char(json->out, '"');
}

void ll_jsonw_plain(ll_jsonw *json, const char *s)
{
    ll_text_put(json->out, json->comma ? ",\"" : "\"", json->comma ? 2 : 1);
    json->comma = true;
    ll_text_str(json->out, s);
    ll_text_char(json->out, '"');
}

void ll_jsonw_u64(ll_jsonw *json, uint64_t value)
{
    bool exact = value <= UINT64_C(1) << 53;
    separate(json);
    if (!exact) {
        ll_text_char(json->out, '"');
    }
    ll_text_u64(json->out, value);
    if (!exact) {
        ll_text_char(json->out, '"');
    }
}

void ll_jsonw_bool(ll_jsonw *json, bool value)
{
    separate(json);
    ll_text_str(json->out, value ? "true" : "false");
}

void ll_jsonw_hex(ll_jsonw *json, const uint8_t *bytes, size_t n)
{
    char digits[64];
    separate(json);
    ll_text_char(json->out, '"');
    for (size_t at = 0; at < n;) {
        size_t used = 0;
        for (; at < n && used < sizeof digits; at++) {
            digits[used++] = "0123456789abcdef"[bytes[at] >> 4];
            digits[used++] = "0123456789abcdef"[bytes[at] & 15];
        }
        ll_text_put(json->out, digits, used);
    }
    ll_text_char(json->out, '"');
}

void ll_jsonw_raw(ll_jsonw *json, const char *bytes, size_t n)
{
    separate(json);
    ll_text_put(json->out, bytes, n);
}

/* ------------------------------------------------------------------ findings */

enum { SCHEMA = 1, RAW_MAX = 64 };

/* Bytes of the file, and where in what they decompress to. */
static void put_range(ll_jsonw *json, uint64_t offset, uint64_t length, const ll_inner *inner)
{
    ll_jsonw_key(json, "offset");
    ll_jsonw_u64(json, offset);
    ll_jsonw_key(json, "length");
    ll_jsonw_u64(json, length);
    if (inner->region) {
        ll_jsonw_key(json, "inner");
        ll_jsonw_begin(json, '{');
        ll_jsonw_key(json, "region");
        ll_jsonw_str(json, inner->region);
        ll_jsonw_key(json, "offset");
        ll_jsonw_u64(json, inner->offset);
        ll_jsonw_key(json, "length");
        ll_jsonw_u64(json, inner->length);
        ll_jsonw_end(json, '}');
    }
}

static void put_place(ll_jsonw *json, const ll_place *place)
{
    ll_jsonw_begin(json, '{');
    put_range(json, place->offset, place->length, &place->inner);
    ll_jsonw_key(json, "path");
    ll_jsonw_str(json, place->path);
    ll_jsonw_key(json, "text");
    ll_jsonw_str(json, place->text);
    ll_jsonw_end(json, '}');
}

static void put_patch(ll_jsonw *json, const ll_patch *patch)
{
    ll_jsonw_begin(json, '{');
    ll_jsonw_key(json, "tier");
    ll_jsonw_str(json, patch->tier == LL_PATCH_SAFE ? "safe" : "unsafe");
    ll_jsonw_key(json, "offset");
    ll_jsonw_u64(json, patch->offset);
    ll_jsonw_key(json, "removed");
    ll_jsonw_u64(json, patch->removed);
    ll_jsonw_key(json, "bytes");
    ll_jsonw_hex(json, patch->bytes, patch->size);
    ll_jsonw_end(json, '}');
}

/* What stands only where there is something to say. */
static void put_details(ll_jsonw *json, const ll_view *view, const ll_finding *f)
{
    if (f->record[0]) {
        ll_jsonw_key(json, "record");
        ll_jsonw_plain(json, f->record);
    }
    if (f->type[0]) {
        ll_jsonw_key(json, "field_type");
        ll_jsonw_plain(json, f->type);
    }
    if (f->value[0]) {
        ll_jsonw_key(json, "value");
        ll_jsonw_str(json, f->value);
    }
    if (view->length) {
        ll_jsonw_key(json, "raw");
        ll_jsonw_hex(json, ll_view_bytes(view), view->length < RAW_MAX ? view->length : RAW_MAX);
    }
}

static void put_remedy(ll_jsonw *json, const ll_finding *f)
{
    if (f->hint[0]) {
        ll_jsonw_key(json, "hint");
        ll_jsonw_str(json, f->hint);
    }
    ll_jsonw_key(json, "why");
    ll_jsonw_str(json, f->why);
    ll_jsonw_key(json, "fix");
    ll_jsonw_str(json, f->fix);
    ll_jsonw_key(json, "fingerprint");
    ll_jsonw_plain(json, f->fingerprint);
    if (f->related_count) {
        ll_jsonw_key(json, "related");
        ll_jsonw_begin(json, '[');
        for (size_t i = 0; i < f->related_count; i++) {
            put_place(json, &f->related[i]);
        }
        ll_jsonw_end(json, ']');
    }
    if (f->patch.tier != LL_PATCH_NONE) {
        ll_jsonw_key(json, "patch");
        put_patch(json, &f->patch);
    }
}

/* The keys of a finding that both formats have. */
static void put_finding(ll_jsonw *json, const ll_view *view, const ll_finding *f)
{
    ll_jsonw_key(json, "rule");
    ll_jsonw_plain(json, f->id);
    ll_jsonw_key(json, "name");
    ll_jsonw_plain(json, f->name);
    ll_jsonw_key(json, "severity");
    ll_jsonw_plain(json, ll_severity_text(f->severity));
    put_range(json, f->offset, f->length, &f->inner);
    ll_jsonw_key(json, "path");
    ll_jsonw_str(json, f->path);
    put_details(json, view, f);
    ll_jsonw_key(json, "found");
    ll_jsonw_str(json, f->found);
    ll_jsonw_key(json, "expected");
    ll_jsonw_str(json, f->expected);
    ll_jsonw_key(json, "message");
    ll_jsonw_str(json, f->message);
    put_remedy(json, f);
}

static void put_summary(ll_jsonw *json, const ll_totals *totals, int exit_code)
{
    ll_jsonw_key(json, "files");
    ll_jsonw_u64(json, totals->files);
    ll_jsonw_key(json, "errors");
    ll_jsonw_u64(json, totals->errors);
    ll_jsonw_key(json, "warnings");
    ll_jsonw_u64(json, totals->warnings);
    ll_jsonw_key(json, "notes");
    ll_jsonw_u64(json, totals->notes);
    ll_jsonw_key(json, "files_with_findings");
    ll_jsonw_u64(json, totals->files_with_findings);
    ll_jsonw_key(json, "dropped");
    ll_jsonw_u64(json, totals->dropped);
    ll_jsonw_key(json, "suppressed");
    ll_jsonw_u64(json, totals->suppressed);
    ll_jsonw_key(json, "baselined");
    ll_jsonw_u64(json, totals->baselined);
    ll_jsonw_key(json, "unchecked");
    ll_jsonw_u64(json, totals->unchecked);
    ll_jsonw_key(json, "exit_code");
    ll_jsonw_u64(json, exit_code < 0 ? 0 : (unsigned)exit_code);
}

/* ------------------------------------------------------------------ jsonl */

/* What every line of a file begins with. */
static void put_line_start(const ll_report *report, ll_text *out)
{
    ll_jsonw json = {out, false};
    ll_jsonw_begin(&json, '{');
    ll_jsonw_key(&json, "type");
    ll_jsonw_plain(&json, "finding");
    ll_jsonw_key(&json, "file");
    ll_jsonw_str(&json, ll_report_name(report));
}

static ll_status render_lines(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    (void)emitter;
    ll_status status = ll_report_identify(report);
    ll_text_clear(&chunk->marks); /* serves as scratch: these chunks have no marks */
    if (report->entry_count) {
        put_line_start(report, &chunk->marks);
    }
    for (uint32_t i = ll_report_next(report, 0); i != LL_NO_ENTRY && status == LL_OK;
         i = ll_report_next(report, i + 1)) {
        ll_finding finding;
        status = ll_finding_compose(report, i, &finding);
        if (status == LL_OK) {
            ll_text_put(&chunk->text, chunk->marks.data, chunk->marks.length);
            ll_jsonw json = {&chunk->text, true};
            put_finding(&json, &report->view, &finding);
            ll_jsonw_end(&json, '}');
            ll_text_char(&chunk->text, '\n');
        }
    }
    return status;
}

static ll_status finish_lines(ll_emitter *emitter, int exit_code)
{
    ll_jsonw json = {&emitter->out, false};
    ll_jsonw_begin(&json, '{');
    ll_jsonw_key(&json, "type");
    ll_jsonw_str(&json, "summary");
    ll_jsonw_key(&json, "schema");
    ll_jsonw_u64(&json, SCHEMA);
    put_summary(&json, &emitter->totals, exit_code);
    ll_jsonw_end(&json, '}');
    ll_text_char(&emitter->out, '\n');
    return ll_emit_text(emitter, &emitter->out);
}

const ll_emit_format ll_emit_jsonl = {NULL, render_lines, ll_emit_plain, finish_lines, NULL};

/* ------------------------------------------------------------------ json */

void ll_json_file(ll_jsonw *json, const ll_report *report)
{
    ll_jsonw_key(json, "file");
    ll_jsonw_str(json, ll_report_name(report));
    ll_jsonw_key(json, "format");
    ll_jsonw_str(json, ll_report_format(report));
    ll_jsonw_key(json, "size");
    ll_jsonw_u64(json, report->size);
}

/* Every file starts with a comma, which the first one of the run loses when it is written. */
static ll_status render_file(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    (void)emitter;
    ll_status status = ll_report_identify(report);
    ll_text_put(&chunk->text, ",\n", 2);
    ll_jsonw json = {&chunk->text, false};
    ll_jsonw_begin(&json, '{');
    ll_json_file(&json, report);
    ll_jsonw_key(&json, "findings");
    ll_jsonw_begin(&json, '[');
    for (uint32_t i = ll_report_next(report, 0); i != LL_NO_ENTRY && status == LL_OK;
         i = ll_report_next(report, i + 1)) {
        ll_finding finding;
        status = ll_finding_compose(report, i, &finding);
        if (status == LL_OK) {
            ll_jsonw_begin(&json, '{');
            put_finding(&json, &report->view, &finding);
            ll_jsonw_end(&json, '}');
        }
    }
    ll_jsonw_end(&json, ']');
    ll_jsonw_end(&json, '}');
    return status;
}

static const char DOCUMENT_START[] = "{\"schema\":1,\"files\":[";
_Static_assert(SCHEMA == 1, "the number stands in DOCUMENT_START");

static ll_status commit_files(ll_emitter *emitter, ll_chunk *chunk)
{
    if (emitter->started) {
        return ll_emit_plain(emitter, chunk);
    }
    (void)ll_emit_bytes(emitter, DOCUMENT_START, sizeof DOCUMENT_START - 1);
    return ll_emit_bytes(emitter, chunk->text.data + 1, chunk->text.length - 1);
}

static ll_status finish_document(ll_emitter *emitter, int exit_code)
{
    if (!emitter->started) {
        (void)ll_emit_bytes(emitter, DOCUMENT_START, sizeof DOCUMENT_START - 1);
    }
    ll_jsonw json = {&emitter->out, false};
    ll_text_put(&emitter->out, "\n],", 3);
    ll_jsonw_key(&json, "summary");
    ll_jsonw_begin(&json, '{');
    put_summary(&json, &emitter->totals, exit_code);
    ll_jsonw_end(&json, '}');
    ll_text_put(&emitter->out, "}\n", 2);
    return ll_emit_text(emitter, &emitter->out);
}

const ll_emit_format ll_emit_json = {NULL, render_file, commit_files, finish_document, NULL};
