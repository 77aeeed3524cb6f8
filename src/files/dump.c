/* Dumps every leaf of a file: place, meaning and value. Judges nothing; the leaves cover the file without gaps. Writes
 * text and JSON, and serves the visitor of the public API. */
#include "files/dump.h"

#include "findings/json.h"
#include "findings/words.h"
#include "files/json_records.h"
#include "files/records.h"
#include "files/space.h"

#include "model/derive.h"
#include "model/reference.h"
#include "model/value.h"

enum { HEX_SHOWN = 8, PATH_WIDTH = 36, TYPE_WIDTH = 12, COLUMNS = 110, BYTES_WHOLE = 64, INDENT = 2 };

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

static unsigned role_of(const ll_doc *doc, const ll_leaf *leaf)
{
    const ll_field *field = field_of(doc, leaf);
    return field ? field->role : leaf->span == LL_NO_SPAN ? LL_ROLE_DATA : ll_doc_layout(doc, leaf->span)->role;
}

const char *ll_leaf_role(const ll_doc *doc, const ll_leaf *leaf)
{
    return leaf->kind == LL_KIND_GAP        ? "gap"
           : leaf->kind == LL_KIND_UNPARSED ? "unparsed"
                                            : ll_role_name((ll_role)role_of(doc, leaf));
}

void ll_leaf_type(const ll_doc *doc, const ll_leaf *leaf, ll_text *out)
{
    const ll_field *field = field_of(doc, leaf);
    const char *role = ll_leaf_role(doc, leaf);
    if (leaf->part) {
        ll_text_str(out, leaf->part->type);
    } else if (role[0]) {
        ll_text_str(out, role);
    } else if (field) {
        ll_type_text(field, endian_of(doc, leaf), out);
    } else {
        ll_text_str(out, "bytes");
    }
}

void ll_leaf_whole_value(const ll_doc *doc, const ll_leaf *leaf, ll_text *out)
{
    const ll_field *field = field_of(doc, leaf);
    const uint8_t *bytes = ll_doc_at(doc, leaf->offset);
    size_t from = out->length;
    if (leaf->part && leaf->part->value) {
        ll_text_str(out, leaf->part->value);
    } else if (field && !leaf->part && (field->type == LL_TYPE_TEXT || field->type == LL_TYPE_CHARS)) {
        ll_text_char(out, '"');
        ll_text_escape(out, (const char *)bytes, leaf->length);
        ll_text_char(out, '"');
    } else if (field && field->type < LL_TYPE_CHARS && ll_value_is_whole(field, leaf->length)) {
        ll_value_text(doc, field, endian_of(doc, leaf), leaf->offset, leaf->length, out);
        if (!out->failed && ll_type_is_float(field->type) && memchr(out->data + from, 'N', out->length - from)) {
            ll_text_str(out, ", bytes ");
            ll_text_bytes(out, bytes, leaf->length);
        }
    } else if (leaf->length <= BYTES_WHOLE) {
        ll_text_bytes(out, bytes, leaf->length);
    } else {
        ll_count_text(out, leaf->length, "byte");
        ll_text_format(out, ", hash %016" PRIx64, ll_fnv(LL_FNV_START, bytes, leaf->length));
    }
}

bool ll_bytes_are_held(const ll_doc *doc, uint32_t offset, uint32_t length)
{
    bool held = false;
    for (uint32_t i = 1; i < doc->region_count; i++) {
        const ll_region *region = &doc->regions[i];
        uint32_t outer = region->outer_offset - doc->regions[0].outer_offset;
        held = held || (offset >= outer && offset + length <= outer + region->outer_length);
    }
    return held;
}

static bool leads_by_offset(const ll_doc *doc, const ll_leaf *leaf)
{
    const ll_reference *row = ll_reference_of(doc->format, ll_doc_span(doc, leaf->span)->layout, leaf->field);
    return !row || row->how != LL_BY_INDEX;
}

ll_follows ll_leaf_follows(const ll_shares *shares, const ll_deriver *deriver, const ll_leaf *leaf)
{
    const ll_doc *doc = deriver->doc;
    unsigned role = role_of(doc, leaf);
    bool fills = role == LL_ROLE_PADDING || role == LL_ROLE_RESERVED || role == LL_ROLE_TERMINATOR;
    const uint8_t *at = ll_doc_at(doc, leaf->offset);
    uint8_t bytes[LL_DERIVED_MAX];
    unsigned layout = leaf->span == LL_NO_SPAN ? LL_LAYOUT_GAP : ll_doc_span(doc, leaf->span)->layout;
    if (ll_bytes_are_held(doc, leaf->offset, leaf->length) ||
        (fills && ll_is_filling(doc->format, layout, at, leaf->length))) {
        return LL_FOLLOWS;
    }
    ll_derived derived = leaf->kind == LL_KIND_RECORD
                             ? ll_shares_derive(shares, deriver, leaf->span, leaf->element, leaf->field, bytes)
                             : LL_NOT_DERIVED;
    return derived == LL_DERIVED && memcmp(bytes, at, leaf->length) == 0 ? LL_FOLLOWS
           : derived != LL_NOT_DERIVED                                   ? LL_STANDS
           : role == LL_ROLE_SIZE                                        ? LL_FOLLOWS_PERHAPS
           : role == LL_ROLE_OFFSET && leads_by_offset(doc, leaf)        ? LL_FOLLOWS_PERHAPS
                                                                         : LL_STANDS;
}

ll_status ll_leaf_reader_start(ll_report *report, ll_leaf_reader *out)
{
    *out = (ll_leaf_reader){report, ll_resolvers_start(&report->doc, &report->doc.arena)};
    return out->resolvers ? LL_OK : LL_E_MEMORY;
}

/* Appends what the field of a leaf points to. False: not a reference, or one to nothing. */
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
    ll_text *text = &r->report->leaf;
    ll_where at = {leaf->span, leaf->element, field ? leaf->field : LL_NO_FIELD,
                   LL_NO_PART, leaf->offset,  leaf->length};
    if (leaf->part) { /* the part has its name already */
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
    ll_leaf_type(doc, leaf, text);
    ll_text_char(text, '\0');
    size_t value = text->length;
    bool has_value = leaf->part ? leaf->part->value != NULL : field && ll_value_is_whole(field, leaf->length);
    if (has_value && leaf->part) {
        ll_text_str(text, leaf->part->value);
    } else if (has_value) {
        ll_value_text(doc, field, endian_of(doc, leaf), leaf->offset, leaf->length, text);
    }
    ll_text_char(text, '\0');
    size_t leads_to = text->length;
    bool leads = has_value && field && leaf->kind == LL_KIND_RECORD && put_target(r, leaf, text);
    ll_text_char(text, '\0');
    if (text->failed) {
        return LL_E_MEMORY;
    }
    const ll_region *region = ll_doc_locate(doc, leaf->offset);
    bool is_record = leaf->span != LL_NO_SPAN && leaf->kind != LL_KIND_GAP && leaf->kind != LL_KIND_UNPARSED;
    *out = (ll_span_info){.offset = leaf->offset - region->base,
                          .length = leaf->length,
                          .region = region->name,
                          .record = is_record ? ll_doc_layout(doc, leaf->span)->name : NULL,
                          .path = text->data,
                          .type = text->data + type,
                          .value = has_value ? text->data + value : NULL,
                          .leads_to = leads ? text->data + leads_to : NULL};
    return LL_OK;
}

/* ------------------------------------------------------------------ regions */

size_t ll_report_region_count(const ll_report *report)
{
    return report && report->doc.region_count ? report->doc.region_count - 1 : 0;
}

ll_status ll_report_region(const ll_report *report, size_t index, ll_region_info *out)
{
    if (!out || index >= ll_report_region_count(report)) {
        return LL_E_ARGUMENT;
    }
    const ll_region *region = &report->doc.regions[index + 1];
    *out = (ll_region_info){region->name, region->outer_offset, region->outer_length, region->bytes, region->size};
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
    ll_terminal terminal;      /* limits of the text output */
    const ll_region *region;   /* region of the previous leaf */
    const ll_records *records; /* for --stable */
    const ll_deriver *deriver; /* for --stable */
    size_t indent;
    ll_text out;
    ll_jsonw json;
    ll_teller *teller; /* for JSON */
    ll_write_fn write;
    ll_dump_line_fn line;  /* receives the lines instead of `write`; may be NULL */
    const ll_leaf *leaves; /* the leaves to show; NULL: all */
    size_t leaf_count;
    void *ctx;
    ll_status status;
} dump_run;

/* ------------------------------------------------------------------ text */

/* Returns the leaf's region if the previous leaf was in another one, else NULL. */
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

/* Hands over the text of the leaf at `address`. */
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
    bool narrow = run->terminal.columns && run->terminal.columns < COLUMNS; /* half as many hex columns then */
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

/* Calls `put` for each member of an archive that can be dumped. */
static void put_members(dump_run *run, void (*put)(dump_run *run, const ll_member_info *member))
{
    ll_member_info member;
    for (size_t i = 0; run->status == LL_OK && i < run->report->members.count; i++) {
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
    ll_count_text(&run->out, report->file.size, "byte");
    if (report->file.member) {
        ll_text_str(&run->out, ", ");
        ll_archive_place_text(ll_report_start(report), report->file.size, &run->out);
    }
    ll_end_line(&run->out, from, 2, &run->terminal);
    bool going = end_leaf(run, 0);
    for (size_t i = 0; run->leaves && going && i < run->leaf_count; i++) {
        going = text_leaf(run, &run->leaves[i]);
    }
    if (going && !run->leaves) {
        ll_doc_walk(&report->doc, text_leaf, run);
    }
    if (report->members.count && !run->line) {
        ll_text_str(&run->out, "\nmembers that can be dumped, as ARCHIVE!PATH:\n");
        put_members(run, text_member);
    }
}

/* ------------------------------------------------------------------ stable */

void ll_part_path(const char *path, ll_text *out)
{
    for (const char *p = path; *p; p++) {
        size_t digits = *p == '[' ? strspn(p + 1, "0123456789") : 0;
        if (digits && p[1 + digits] == ']') {
            p += 1 + digits;
        } else {
            ll_text_char(out, *p);
        }
    }
}

static bool end_stable_line(dump_run *run)
{
    ll_text_char(&run->out, '\n');
    run->status = ll_send_text(&run->out, LL_SEND_AT, run->write, run->ctx);
    return run->status == LL_OK;
}

static bool stable_leaf(void *ctx, const ll_leaf *leaf)
{
    dump_run *run = ctx;
    const ll_doc *doc = run->records->doc;
    const ll_field *field = field_of(doc, leaf);
    ll_text *out = &run->out;
    bool hole = leaf->kind == LL_KIND_GAP || leaf->kind == LL_KIND_UNPARSED;
    uint32_t record = hole ? 0 : run->records->of_span[leaf->span] + leaf->element;
    if (ll_leaf_follows(run->records->shares, run->deriver, leaf) != LL_STANDS ||
        (field && ll_record_shows(run->records, record, leaf->field))) {
        return true;
    }
    size_t from = out->length;
    ll_text_repeat(out, ' ', run->indent);
    size_t name = out->length;
    if (hole) {
        ll_leaf_type(doc, leaf, out);
    } else if (!ll_record_is_named(run->records, record)) {
        ll_record_path(run->records, record, out);
    }
    ll_text_str(out, out->length > name && (field || leaf->part) ? "." : "");
    ll_text_str(out, field ? field->name : "");
    if (leaf->part && leaf->part->path) {
        ll_part_path(leaf->part->path, out);
    }
    out->failed = out->failed || (leaf->part && !leaf->part->path);
    ll_text_repeat(out, ' ', out->length - from < PATH_WIDTH ? PATH_WIDTH + from - out->length : 0);
    ll_text_str(out, "  ");
    ll_leaf_whole_value(doc, leaf, out);
    return end_stable_line(run);
}

static bool stable_hole(void *ctx, const ll_leaf *leaf)
{
    bool hole = leaf->kind == LL_KIND_GAP || leaf->kind == LL_KIND_UNPARSED;
    return !hole || stable_leaf(ctx, leaf);
}

/* Writes the line of a named record and sets the indent of its fields. Fields of a record without a name are indented
 * like those of its parent. */
static bool stable_head(dump_run *run, uint32_t record)
{
    uint32_t above = run->records->items[record].parent;
    run->indent = 0;
    for (; above; above = run->records->items[above].parent) {
        run->indent += ll_record_is_named(run->records, above) ? INDENT : 0;
    }
    if (!ll_record_is_named(run->records, record)) {
        return true;
    }
    ll_text_repeat(&run->out, ' ', run->indent);
    ll_record_path(run->records, record, &run->out);
    run->indent += INDENT;
    return end_stable_line(run);
}

/* Writes record by record, so that a removed record is one block of lines; then the bytes that no record covers. */
static void dump_stable(dump_run *run)
{
    ll_arena *arena = &run->report->doc.arena;
    const ll_doc *doc = NULL;
    ll_shares shares;
    ll_records records;
    ll_deriver deriver;
    run->status = ll_shares_read(&run->report->doc, arena, &shares);
    run->status = run->status == LL_OK ? ll_shares_split(&run->report->doc, arena, &shares, &doc) : run->status;
    run->status = run->status == LL_OK ? ll_records_read(doc, &shares, arena, &records) : run->status;
    run->status = run->status == LL_OK && !ll_deriver_start(&deriver, doc, arena) ? LL_E_MEMORY : run->status;
    run->records = &records;
    run->deriver = &deriver;
    ll_text_format(&run->out, "%s\n", ll_report_format(run->report));
    uint32_t i = run->status == LL_OK ? ll_records_next(&records, 0) : LL_NO_RECORD;
    for (; i != LL_NO_RECORD && run->status == LL_OK; i = ll_records_next(&records, i)) {
        if (!ll_record_is_hole(&records, i) && stable_head(run, i)) {
            (void)ll_doc_walk_element(doc, records.items[i].span, records.items[i].element, stable_leaf, run);
        }
    }
    run->indent = 0;
    if (run->status == LL_OK) {
        ll_doc_walk(doc, stable_hole, run);
    }
}

/* ------------------------------------------------------------------ JSON */

/* Writes one number: as a JSON number where possible, else as a string (hashes, NaN, infinities). */
static void put_json_number(dump_run *run, const ll_leaf *leaf, const ll_field *field, unsigned part)
{
    ll_text *text = &run->report->scratch;
    const ll_doc *doc = &run->report->doc;
    unsigned bytes = ll_type_bytes(field->type);
    uint32_t offset = leaf->offset + part * bytes;
    ll_text_clear(text);
    ll_value_text(doc, field, endian_of(doc, leaf), offset, bytes, text);
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

/* Ends the previous list of spans and begins that of the region. The first region also begins the list of regions. */
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
    run->status = ll_json_records(run->teller, region);
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
    if (run->status != LL_OK) {
        return false;
    }
    ll_text_str(&run->out, json->comma ? ",\n" : "\n");
    json->comma = false;
    ll_jsonw_begin(json, '{');
    LL_JSON_U64(json, "offset", span.offset);
    LL_JSON_U64(json, "length", span.length);
    if (span.record) {
        LL_JSON_STR(json, "record", span.record);
    }
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

static void begin_records(dump_run *run)
{
    ll_jsonw_begin(&run->json, '{');
    ll_json_file(&run->json, run->report);
    run->status = ll_teller_start(run->report, &run->json, flush_run, run, &run->teller);
    run->status = run->status == LL_OK ? ll_json_records(run->teller, run->report->doc.regions) : run->status;
}

/* Writes only the records, which is all that build reads. */
static void dump_records(dump_run *run)
{
    const ll_doc *doc = &run->report->doc;
    ll_jsonw *json = &run->json;
    begin_records(run);
    bool regions = run->teller && doc->region_count > 1;
    if (regions) {
        LL_JSON_BEGIN(json, "regions", '[');
    }
    for (uint32_t i = 1; regions && i < doc->region_count && run->status == LL_OK; i++) {
        ll_jsonw_begin(json, '{');
        LL_JSON_STR(json, "name", doc->regions[i].name);
        run->status = ll_json_records(run->teller, &doc->regions[i]);
        ll_jsonw_end(json, '}');
    }
    if (regions) {
        ll_jsonw_end(json, ']');
    }
    ll_text_str(&run->out, "}\n");
}

static void dump_json(dump_run *run)
{
    ll_jsonw *json = &run->json;
    begin_records(run);
    if (run->status != LL_OK) {
        return;
    }
    if (run->report->file.member) {
        LL_JSON_U64(json, "offset", ll_report_start(run->report));
    }
    LL_JSON_BEGIN(json, "spans", '[');
    ll_doc_walk(&run->report->doc, json_leaf, run);
    ll_text_str(&run->out, run->region->name ? "\n]}]" : "\n]");
    if (run->report->members.count) {
        json->comma = true;
        LL_JSON_BEGIN(json, "members", '[');
        put_members(run, json_member);
        ll_jsonw_end(json, ']');
    }
    ll_text_str(&run->out, "}\n");
}

/* Writes what has a position in space. */
static void dump_space(dump_run *run)
{
    run->status = ll_space_json(run->report, &run->out, flush_run, run);
}

static ll_status dump(dump_run *run, void (*put)(dump_run *run))
{
    run->region = run->report->doc.regions;
    run->status = ll_leaf_reader_start(run->report, &run->reader);
    if (run->status != LL_OK) {
        return run->status;
    }
    ll_text_init(&run->out, &run->report->doc.arena.allocator);
    run->json.out = &run->out;
    put(run);
    if (run->status == LL_OK && !run->line) {
        run->status = ll_send_text(&run->out, 0, run->write, run->ctx);
    }
    ll_text_free(&run->out);
    return run->status;
}

ll_status ll_dump(ll_report *report, const char *format, const ll_terminal *terminal, ll_write_fn write, void *ctx)
{
    static const struct {
        const char *name;
        void (*put)(dump_run *run);
    } formats[] = {{"text", dump_text},
                   {"json", dump_json},
                   {"records", dump_records},
                   {"stable", dump_stable},
                   {"space", dump_space}};
    size_t i = 0;
    while (format && i < sizeof formats / sizeof *formats && strcmp(formats[i].name, format) != 0) {
        i++;
    }
    if (!report || !write || !format || i == sizeof formats / sizeof *formats) {
        return LL_E_ARGUMENT;
    }
    dump_run run = {
        .report = report, .terminal = terminal ? *terminal : (ll_terminal){.columns = 0}, .write = write, .ctx = ctx};
    return dump(&run, formats[i].put);
}

ll_status ll_dump_lines(ll_report *report, ll_dump_line_fn line, void *ctx)
{
    dump_run run = {.report = report, .line = line, .ctx = ctx};
    return dump(&run, dump_text);
}

ll_status ll_dump_some_lines(ll_report *report, const ll_leaf *leaves, size_t count, ll_dump_line_fn line, void *ctx)
{
    dump_run run = {.report = report, .line = line, .leaves = leaves, .leaf_count = count, .ctx = ctx};
    return dump(&run, dump_text);
}
