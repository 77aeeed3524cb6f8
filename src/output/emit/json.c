/* Writes the formats `json` (one document) and `jsonl` (one object per line). docs/schema/finding.schema.json describes
 * them; keys are only ever added. Findings are written straight into the chunk, so many findings cost little more than
 * none. */
#include "output/emit/emit.h"
#include "findings/json.h"

/* ------------------------------------------------------------------ findings */

#define SCHEMA "2"
enum { RAW_MAX = 64 };

static void put_place(ll_jsonw *json, const ll_place *place)
{
    ll_jsonw_begin(json, '{');
    ll_json_range(json, place->offset, place->length, &place->inner);
    if (place->file) {
        LL_JSON_STR(json, "file", place->file);
        if (place->inner.member) {
            LL_JSON_STR(json, "member", place->inner.member);
        }
    }
    LL_JSON_STR(json, "path", place->path);
    LL_JSON_STR(json, "text", place->text);
    ll_jsonw_end(json, '}');
}

/* Writes a patch that moves bytes as parts: stretches of the file and new bytes. */
static void put_parts(ll_jsonw *json, const ll_patch *patch)
{
    uint64_t to = patch->offset;
    LL_JSON_U64(json, "size", patch->size);
    if (!patch->part_count) {
        LL_JSON_PLAIN(json, "left_out", "the bytes are too many to print; lightlint fix has them");
        return;
    }
    LL_JSON_BEGIN(json, "parts", '[');
    for (size_t i = 0; i < patch->part_count; i++) {
        const ll_patch_part *part = &patch->parts[i];
        ll_jsonw_begin(json, '{');
        LL_JSON_U64(json, "to", to);
        if (part->bytes) {
            ll_jsonw_key(json, "bytes");
            ll_jsonw_hex(json, part->bytes, (size_t)part->length);
        } else {
            LL_JSON_U64(json, "from", part->from);
            LL_JSON_U64(json, "length", part->length);
        }
        ll_jsonw_end(json, '}');
        to += part->length;
    }
    ll_jsonw_end(json, ']');
}

static void put_patch(ll_jsonw *json, const ll_patch *patch)
{
    ll_jsonw_begin(json, '{');
    LL_JSON_STR(json, "tier", patch->tier == LL_PATCH_SAFE ? "safe" : "unsafe");
    LL_JSON_U64(json, "offset", patch->offset);
    LL_JSON_U64(json, "removed", patch->removed);
    if (!patch->size || (patch->part_count == 1 && patch->parts->bytes)) {
        ll_jsonw_key(json, "bytes");
        ll_jsonw_hex(json, patch->bytes, patch->size);
    } else {
        put_parts(json, patch);
    }
    ll_jsonw_end(json, '}');
}

/* Writes optional members; empty ones are left out. */
static void put_details(ll_jsonw *json, const ll_view *view, const ll_finding *f)
{
    if (f->record[0]) {
        LL_JSON_PLAIN(json, "record", f->record);
    }
    if (f->type[0]) {
        LL_JSON_PLAIN(json, "field_type", f->type);
    }
    if (f->value[0]) {
        LL_JSON_STR(json, "value", f->value);
    }
    if (view->length && ll_view_bytes(view)) {
        ll_jsonw_key(json, "raw");
        ll_jsonw_hex(json, ll_view_bytes(view), view->length < RAW_MAX ? view->length : RAW_MAX);
    }
}

static void put_remedy(ll_jsonw *json, const ll_finding *f)
{
    if (f->hint[0]) {
        LL_JSON_STR(json, "hint", f->hint);
    }
    if (f->explains) {
        LL_JSON_U64(json, "explains", f->explains);
    }
    if (f->explained) {
        LL_JSON_BOOL(json, "explained", true);
    }
    LL_JSON_STR(json, "why", f->why);
    LL_JSON_STR(json, "fix", f->fix);
    LL_JSON_PLAIN(json, "fingerprint", f->fingerprint);
    if (f->related_count) {
        LL_JSON_BEGIN(json, "related", '[');
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

/* Writes the keys of a finding that both formats have. */
static void put_finding(ll_jsonw *json, const ll_view *view, const ll_finding *f)
{
    LL_JSON_PLAIN(json, "rule", f->id);
    LL_JSON_PLAIN(json, "name", f->name);
    LL_JSON_PLAIN(json, "severity", ll_severity_text(f->severity));
    ll_json_range(json, f->offset, f->length, &f->inner);
    LL_JSON_STR(json, "path", f->path);
    put_details(json, view, f);
    LL_JSON_STR(json, "found", f->found);
    LL_JSON_STR(json, "expected", f->expected);
    LL_JSON_STR(json, "message", f->message);
    put_remedy(json, f);
}

static void put_configs(ll_jsonw *json, const ll_totals *totals)
{
    if (!totals->config_count) {
        return;
    }
    LL_JSON_BEGIN(json, "configurations", '[');
    for (size_t i = 0; i < totals->config_count; i++) {
        const ll_found_config *c = &totals->configs[i];
        ll_jsonw_begin(json, '{');
        LL_JSON_STR(json, "file", c->file);
        LL_JSON_U64(json, "rules_off", c->rules_off);
        LL_JSON_U64(json, "rules_lowered", c->rules_lowered);
        LL_JSON_U64(json, "left_out", c->left_out);
        if (c->fail_on) {
            LL_JSON_PLAIN(json, "fail_on", c->fail_on);
        }
        LL_JSON_BOOL(json, "cross", !c->no_cross);
        LL_JSON_BOOL(json, "unsupported_allowed", c->allows_unsupported);
        ll_jsonw_end(json, '}');
    }
    ll_jsonw_end(json, ']');
}

static void put_summary(ll_jsonw *json, ll_totals totals, int exit_code)
{
    for (size_t i = 0; i < LL_TOTAL_COUNT; i++) {
        if (ll_total_of(&totals, i) != &totals.partly || totals.partly) {
            ll_jsonw_name(json, ll_total_rows[i].name);
            ll_jsonw_u64(json, *ll_total_of(&totals, i));
        }
    }
    if (totals.packages) {
        LL_JSON_U64(json, "packages", totals.packages);
        LL_JSON_U64(json, "rules_not_run", totals.rules_not_run);
    }
    put_configs(json, &totals);
    LL_JSON_U64(json, "exit_code", exit_code < 0 ? 0 : (unsigned)exit_code);
}

/* ------------------------------------------------------------------ jsonl */

/* All lines of a file share their beginning. */
ll_status ll_json_lines(ll_report *report, ll_chunk *chunk)
{
    ll_text *out = &chunk->text;
    ll_text *scratch = &chunk->scratch;
    ll_walk walk = ll_walk_findings(report);
    ll_text_clear(scratch);
    if (report->entries.count) {
        ll_jsonw json = {scratch, false};
        ll_jsonw_begin(&json, '{');
        LL_JSON_PLAIN(&json, "type", "finding");
        ll_json_name(&json, report);
    }
    while (ll_walk_next(&walk)) {
        ll_jsonw json = {out, true};
        ll_text_put(out, scratch->data, scratch->length);
        put_finding(&json, &report->last.view, &walk.finding);
        ll_jsonw_end(&json, '}');
        ll_text_char(out, '\n');
        (void)ll_chunk_pass_on(chunk);
    }
    return walk.status;
}

void ll_json_summary_line(const ll_totals *totals, int exit_code, ll_text *out)
{
    ll_jsonw json = {out, false};
    ll_jsonw_begin(&json, '{');
    LL_JSON_PLAIN(&json, "type", "summary");
    ll_jsonw_key(&json, "schema");
    ll_jsonw_raw(&json, SCHEMA, strlen(SCHEMA));
    put_summary(&json, *totals, exit_code);
    ll_jsonw_end(&json, '}');
    ll_text_char(out, '\n');
}

static ll_status render_lines(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    (void)emitter;
    return ll_json_lines(report, chunk);
}

static ll_status finish_lines(ll_emitter *emitter, int exit_code)
{
    ll_json_summary_line(&emitter->totals, exit_code, &emitter->out);
    return LL_OK;
}

const ll_emit_format ll_emit_jsonl = {.render = render_lines, .patches = true, .finish = finish_lines};

/* ------------------------------------------------------------------ json */

static ll_status render_file(const ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    (void)emitter;
    ll_walk walk = ll_walk_findings(report);
    ll_jsonw json = {&chunk->text, true};
    ll_jsonw_line(&json);
    ll_jsonw_begin(&json, '{');
    ll_json_file(&json, report);
    LL_JSON_BEGIN(&json, "findings", '[');
    while (ll_walk_next(&walk)) {
        ll_jsonw_begin(&json, '{');
        put_finding(&json, &report->last.view, &walk.finding);
        ll_jsonw_end(&json, '}');
        (void)ll_chunk_pass_on(chunk);
    }
    ll_jsonw_end(&json, ']');
    ll_jsonw_end(&json, '}');
    return walk.status;
}

static ll_status finish_document(ll_emitter *emitter, int exit_code)
{
    ll_jsonw json = {&emitter->out, false};
    ll_jsonw_line(&json);
    ll_jsonw_end(&json, ']');
    LL_JSON_BEGIN(&json, "summary", '{');
    put_summary(&json, emitter->totals, exit_code);
    ll_jsonw_end(&json, '}');
    ll_jsonw_end(&json, '}');
    ll_text_char(&emitter->out, '\n');
    return LL_OK;
}

const ll_emit_format ll_emit_json = {.head = "{\"schema\":" SCHEMA ",\"files\":[",
                                     .render = render_file,
                                     .is_list = true,
                                     .patches = true,
                                     .finish = finish_document};
