/* Every leaf of a file: where, what, and the value. Nothing is judged, and what is
 * shown tiles the file. Text is for people, JSON for programs; the visitor serves both and the public API. */
#include "report/dump.h"

#include "report/emit/emit.h"
#include "report/json_write.h"
#include "report/json_records.h"

#include "model/reference.h"
#include "model/value.h"

enum { HEX_SHOWN = 8, PATH_WIDTH = 36, TYPE_WIDTH = 12, COLUMNS = 110 };

/* ------------------------------------------------------------------ leaves in words */

static const ll_field *field_of(const ll_doc *doc, const ll_leaf *leaf)
{
    ll_where at = {leaf->span, leaf->element, leaf->field, LL_NO_PART, leaf->offset, leaf->length};
    return leaf->kind == LL_KIND_GAP || leaf->kind == LL_KIND_UNPARSED ? NULL : ll_where_field(doc, &at);
}

static unsigned endian_of(const ll_doc *doc, const ll_leaf *leaf)
{
    return ll_doc_layout(doc, leaf->span)->endian;
}

static void put_type(const ll_doc *doc, const ll_leaf *leaf, const ll_field *field, ll_text *out)
{
    unsigned role = field                      ? field->role
                    : leaf->span == LL_NO_SPAN ? LL_ROLE_DATA
                                               : ll_doc_layout(doc, leaf->span)->role;
    if (leaf->kind == LL_KIND_GAP || leaf->kind == LL_KIND_UNPARSED) {
        ll_text_str(out, leaf->kind == LL_KIND_GAP ? "gap" : "unparsed");
    } else if (leaf->part) {
        ll_text_str(out, leaf->part->type);
    } else if (role != LL_ROLE_DATA) {
        ll_text_str(out, ll_role_name(role));
    } else if (field) {
        ll_type_text(field, endian_of(doc, leaf), out);
    } else {
        ll_text_str(out, "bytes");
    }
}

ll_status ll_leaf_reader_start(ll_report *report, ll_leaf_reader *out)
{
    const ll_format *format = report->doc.format;
    size_t count = format ? format->reference_count : 0;
    *out = (ll_leaf_reader){report, ll_arena_alloc(&report->doc.arena, count, sizeof *out->resolvers)};
    for (size_t i = 0; out->resolvers && i < count; i++) {
        out->resolvers[i] = ll_resolver_start(&report->doc, &format->references[i]);
    }
    return out->resolvers ? LL_OK : LL_E_MEMORY;
}

/* What the field of a leaf points to; false: it is no reference, or one to nothing. */
static bool put_target(const ll_leaf_reader *r, const ll_leaf *leaf, ll_text *out)
{
    const ll_doc *doc = &r->report->doc;
    const ll_reference *row = ll_reference_of(doc->format, ll_doc_span(doc, leaf->span)->layout, leaf->field);
    ll_target target = {.null = true};
    if (row) {
        ll_resolver *resolver = &r->resolvers[row - doc->format->references];
        ll_resolve(resolver, leaf->span, leaf->element, &target);
        ll_target_text(resolver, &target, out);
    }
    return !target.null;
}

ll_status ll_leaf_describe(const ll_leaf_reader *r, const ll_leaf *leaf, ll_span_info *out)
{
    const ll_doc *doc = &r->report->doc;
    const ll_field *field = field_of(doc, leaf);
    ll_text *text = &r->report->strings;
    ll_where at = {leaf->span, leaf->element, field ? leaf->field : LL_NO_FIELD,
                   LL_NO_PART, leaf->offset,  leaf->length};
    if (leaf->part) { /* which has its name already */
        const ll_span *whole = ll_doc_span(doc, leaf->span);
        at = ll_at_bytes(leaf->span, whole->offset, whole->length);
    }
    ll_text_clear(text);
    ll_path_text(doc, &at, text);
    if (leaf->part && leaf->part->path) {
        ll_text_format(text, ".%s", leaf->part->path);
    } else if (leaf->part) {
        text->failed = true;
    }
    ll_text_char(text, '\0');
    size_t type = text->length;
    put_type(doc, leaf, field, text);
    ll_text_char(text, '\0');
    size_t value = text->length;
    bool has_value = leaf->part ? leaf->part->value != NULL : field && ll_value_is_whole(field, leaf->length);
    if (has_value && leaf->part) {
        ll_text_str(text, leaf->part->value);
    } else if (has_value) {
        ll_value_text(doc, field, endian_of(doc, leaf), leaf->offset, leaf->length, LL_NO_PART, text);
    }
    ll_text_char(text, '\0');
    size_t leads_to = text->length;
    bool leads = has_value && field && leaf->kind == LL_KIND_RECORD && put_target(r, leaf, text);
    ll_text_char(text, '\0');
    if (text->failed) {
        return LL_E_MEMORY;
    }
    const ll_region *region = ll_doc_locate(doc, leaf->offset);
    *out = (ll_span_info){.offset = leaf->offset - region->base,
                          .length = leaf->length,
                          .region = region->name,
                          .path = text->data,
                          .type = text->data + type,
                          .value = has_value ? text->data + value : NULL,
                          .leads_to = leads ? text->data + leads_to : NULL};
    return LL_OK;
}

/* ------------------------------------------------------------------ visiting */

typedef struct visit_run {
    ll_leaf_reader reader;
    ll_span_fn visit;
    void *ctx;
    ll_status status;
} visit_run;

static bool visit_leaf(void *ctx, const ll_leaf *leaf)
{
    visit_run *run = ctx;
    ll_span_info span;
    run->status = ll_leaf_describe(&run->reader, leaf, &span);
    return run->status == LL_OK && run->visit(run->ctx, &span);
}

ll_status ll_report_spans(ll_report *report, ll_span_fn visit, void *ctx)
{
    if (!report || !visit) {
        return LL_E_ARGUMENT;
    }
    visit_run run = {.visit = visit, .ctx = ctx};
    run.status = ll_leaf_reader_start(report, &run.reader);
    if (run.status == LL_OK) {
        ll_doc_walk(&report->doc, visit_leaf, &run);
    }
    return run.status;
}

/* ------------------------------------------------------------------ output */

typedef struct dump_run {
    ll_report *report;
    ll_leaf_reader reader;
    ll_terminal terminal;    /* what the text fits */
    const ll_region *region; /* of the leaf shown last */
    ll_text out;
    ll_jsonw json;
    ll_write_fn write;
    ll_dump_line_fn line; /* in place of `write`; may be NULL */
    void *ctx;
    ll_status status;
} dump_run;

/* ------------------------------------------------------------------ text */

/* The next region, when the leaf is the first of one; else NULL. */
static const ll_region *enters(dump_run *run, const ll_leaf *leaf)
{
    const ll_region *region = ll_doc_locate(&run->report->doc, leaf->offset);
    bool same = region == run->region;
    run->region = region;
    return same ? NULL : region;
}

static void put_region_head(const ll_region *region, ll_text *out)
{
    ll_text_format(out, "\n%s: decompressed from ", region->name);
    ll_place_text(region->outer_offset, region->outer_length, out);
    ll_text_str(out, ", ");
    ll_count_text(out, region->size, "byte");
    ll_text_char(out, '\n');
}

/* What stands in the text is of the leaf at that address. */
static bool end_leaf(dump_run *run, uint32_t address)
{
    if (!run->line) {
        run->status = ll_send_text(&run->out, LL_SEND_AT, run->write, run->ctx);
        return run->status == LL_OK;
    }
    run->status = run->out.failed ? LL_E_MEMORY : run->line(run->ctx, address, run->out.data, run->out.length);
    ll_text_clear(&run->out);
    return run->status == LL_OK;
}

static bool text_leaf(void *ctx, const ll_leaf *leaf)
{
    dump_run *run = ctx;
    ll_text *out = &run->out;
    ll_span_info span;
    run->status = ll_leaf_describe(&run->reader, leaf, &span);
    if (run->status != LL_OK) {
        return false;
    }
    const ll_region *region = enters(run, leaf);
    if (region) {
        put_region_head(region, out);
        if (!end_leaf(run, leaf->offset)) {
            return false;
        }
    }
    bool narrow = run->terminal.columns && run->terminal.columns < COLUMNS; /* columns are half as wide then */
    unsigned most = narrow ? HEX_SHOWN / 2 : HEX_SHOWN;
    uint32_t shown = leaf->length < most ? leaf->length : most;
    size_t line = out->length;
    ll_text_format(out, "0x%06" PRIx64 " %7" PRIu64 "  ", span.offset, span.length);
    size_t start = out->length;
    ll_text_bytes(out, ll_doc_at(&run->report->doc, leaf->offset), shown);
    ll_text_format(out, "%-*s  ", 3 * (int)most + 2 - (int)(out->length - start), shown < leaf->length ? " .." : "");
    size_t indent = out->length - line;
    ll_text_format(out, "%-*s  ", narrow ? PATH_WIDTH / 2 : PATH_WIDTH, span.path);
    if (span.value) {
        ll_text_format(out, "%-*s  %s%s%s", narrow ? TYPE_WIDTH / 2 : TYPE_WIDTH, span.type, span.value,
                       span.leads_to ? "  -> " : "", span.leads_to ? span.leads_to : "");
    } else {
        ll_text_str(out, span.type);
    }
    ll_end_line(out, line, indent, &run->terminal);
    return end_leaf(run, leaf->offset);
}

/* Goes over the members of an archive that can be dumped themselves. */
static void put_members(dump_run *run, void (*put)(dump_run *run, const ll_member_info *member))
{
    ll_member_info member;
    for (size_t i = 0; run->status == LL_OK && i < run->report->member_count; i++) {
        run->status = ll_report_member(run->report, i, &member);
        if (run->status == LL_OK) {
            put(run, &member);
            run->status = ll_send_text(&run->out, LL_SEND_AT, run->write, run->ctx);
        }
    }
}

static void text_member(dump_run *run, const ll_member_info *member)
{
    ll_text_format(&run->out, "0x%06" PRIx64 " %7" PRIu64 "  ", member->offset, member->length);
    ll_text_escape(&run->out, member->path, strlen(member->path));
    ll_text_char(&run->out, '\n');
}

static void dump_text(dump_run *run)
{
    const ll_report *report = run->report;
    ll_name_text(report, &run->out);
    size_t from = run->out.length;
    ll_text_format(&run->out, ": %s, ", ll_report_format(report));
    ll_count_text(&run->out, report->size, "byte");
    if (report->member) {
        ll_text_str(&run->out, ", ");
        ll_archive_place_text(ll_report_start(report), report->size, &run->out);
    }
    ll_end_line(&run->out, from, 2, &run->terminal);
    if (end_leaf(run, 0)) {
        ll_doc_walk(&report->doc, text_leaf, run);
    }
    if (report->member_count && !run->line) {
        ll_text_str(&run->out, "\nmembers that can be dumped, as ARCHIVE!PATH:\n");
        put_members(run, text_member);
    }
}

/* ------------------------------------------------------------------ JSON */

/* One number: as a number where JSON has one for it, else as a string (hashes, NaN, infinities). */
static void put_json_number(dump_run *run, const ll_leaf *leaf, const ll_field *field, unsigned part)
{
    ll_text *text = &run->report->scratch;
    const ll_doc *doc = &run->report->doc;
    unsigned bytes = ll_type_bytes(field->type);
    uint32_t offset = leaf->offset + part * bytes;
    ll_text_clear(text);
    ll_value_text(doc, field, endian_of(doc, leaf), offset, bytes, part, text);
    const char *digits = ll_text_cstr(text);
    char first = digits[digits[0] == '-'];
    bool number = first >= '0' && first <= '9' && !ll_field_is_hex(field);
    if (field->type == LL_TYPE_U64 && number) {
        ll_jsonw_u64(&run->json, ll_read_uint(ll_doc_at(doc, offset), bytes, endian_of(doc, leaf)));
    } else if (number) {
        ll_jsonw_raw(&run->json, digits, strlen(digits));
    } else {
        ll_jsonw_str(&run->json, digits);
    }
}

static void put_json_value(dump_run *run, const ll_leaf *leaf, const ll_field *field)
{
    const ll_doc *doc = &run->report->doc;
    if (field->type >= LL_TYPE_CHARS) {
        ll_text *text = &run->report->scratch;
        ll_text_clear(text);
        if (field->type == LL_TYPE_BYTES) {
            ll_text_bytes(text, ll_doc_at(doc, leaf->offset), leaf->length);
        } else {
            ll_text_escape(text, (const char *)ll_doc_at(doc, leaf->offset), leaf->length);
        }
        ll_jsonw_string(&run->json, text->data, text->length);
        run->out.failed = run->out.failed || text->failed;
        return;
    }
    unsigned elements = ll_field_elements(field);
    if (elements == 1) {
        put_json_number(run, leaf, field, 0);
        return;
    }
    ll_jsonw_begin(&run->json, '[');
    for (unsigned part = 0; part < elements; part++) {
        put_json_number(run, leaf, field, part);
    }
    ll_jsonw_end(&run->json, ']');
}

/* Ends the list of spans before, and begins that of the region; the first region begins the list of regions. */
static void open_region(dump_run *run, const ll_region *region)
{
    ll_jsonw *json = &run->json;
    ll_jsonw_end(json, ']');
    if (region == &run->report->doc.regions[1]) {
        LL_JSON_BEGIN(json, "regions", '[');
    } else {
        ll_jsonw_end(json, '}');
    }
    ll_jsonw_begin(json, '{');
    LL_JSON_STR(json, "name", region->name);
    LL_JSON_U64(json, "offset", region->outer_offset);
    LL_JSON_U64(json, "length", region->outer_length);
    LL_JSON_U64(json, "size", region->size);
    LL_JSON_BEGIN(json, "spans", '[');
}

static bool json_leaf(void *ctx, const ll_leaf *leaf)
{
    dump_run *run = ctx;
    ll_span_info span;
    run->status = ll_leaf_describe(&run->reader, leaf, &span);
    if (run->status != LL_OK) {
        return false;
    }
    ll_jsonw *json = &run->json;
    const ll_region *region = enters(run, leaf);
    if (region) {
        open_region(run, region);
    }
    ll_text_str(&run->out, json->comma ? ",\n" : "\n");
    json->comma = false;
    ll_jsonw_begin(json, '{');
    LL_JSON_U64(json, "offset", span.offset);
    LL_JSON_U64(json, "length", span.length);
    LL_JSON_STR(json, "path", span.path);
    LL_JSON_STR(json, "type", span.type);
    if (span.value) {
        ll_jsonw_key(json, "value");
        if (leaf->part) {
            ll_jsonw_str(json, span.value);
        } else {
            put_json_value(run, leaf, field_of(&run->report->doc, leaf));
        }
    }
    if (span.leads_to) {
        LL_JSON_STR(json, "leads_to", span.leads_to);
    }
    ll_jsonw_end(json, '}');
    run->status = ll_send_text(&run->out, LL_SEND_AT, run->write, run->ctx);
    return run->status == LL_OK;
}

static void json_member(dump_run *run, const ll_member_info *member)
{
    ll_jsonw *json = &run->json;
    ll_jsonw_line(json);
    ll_jsonw_begin(json, '{');
    LL_JSON_STR(json, "path", member->path);
    LL_JSON_U64(json, "offset", member->offset);
    LL_JSON_U64(json, "length", member->length);
    ll_jsonw_end(json, '}');
}

static ll_status flush_run(void *ctx)
{
    dump_run *run = ctx;
    return ll_send_text(&run->out, LL_SEND_AT, run->write, run->ctx);
}

static void dump_json(dump_run *run)
{
    ll_jsonw *json = &run->json;
    ll_jsonw_begin(json, '{');
    ll_json_file(json, run->report);
    if (run->report->member) {
        LL_JSON_U64(json, "offset", ll_report_start(run->report));
    }
    run->status = ll_json_records(run->report, json, flush_run, run);
    if (run->status != LL_OK) {
        return;
    }
    LL_JSON_BEGIN(json, "spans", '[');
    ll_doc_walk(&run->report->doc, json_leaf, run);
    ll_text_str(&run->out, run->region->name ? "\n]}]" : "\n]");
    if (run->report->member_count) {
        json->comma = true;
        LL_JSON_BEGIN(json, "members", '[');
        put_members(run, json_member);
        ll_jsonw_end(json, ']');
    }
    ll_text_str(&run->out, "}\n");
}

static ll_status dump(dump_run *run, bool as_json)
{
    run->region = run->report->doc.regions;
    run->status = ll_leaf_reader_start(run->report, &run->reader);
    if (run->status != LL_OK) {
        return run->status;
    }
    ll_text_init(&run->out, &run->report->doc.arena.allocator);
    run->json.out = &run->out;
    if (as_json) {
        dump_json(run);
    } else {
        dump_text(run);
    }
    if (run->status == LL_OK && !run->line) {
        run->status = ll_send_text(&run->out, 0, run->write, run->ctx);
    }
    ll_text_free(&run->out);
    return run->status;
}

ll_status ll_dump(ll_report *report, const char *format, const ll_terminal *terminal, ll_write_fn write, void *ctx)
{
    bool as_json = format && strcmp(format, "json") == 0;
    if (!report || !write || !format || (!as_json && strcmp(format, "text") != 0)) {
        return LL_E_ARGUMENT;
    }
    dump_run run = {
        .report = report, .terminal = terminal ? *terminal : (ll_terminal){.columns = 0}, .write = write, .ctx = ctx};
    return dump(&run, as_json);
}

ll_status ll_dump_lines(ll_report *report, ll_dump_line_fn line, void *ctx)
{
    dump_run run = {.report = report, .line = line, .ctx = ctx};
    return dump(&run, false);
}
