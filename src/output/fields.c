/* Lists records and fields for authors of packs: what `on` and `field` of a rule may name, offset, type, meaning,
 * certainty and source. Everything comes from the tables of layouts that the parsers use. */
#include "base/problem.h"
#include "model/reference.h"
#include "output/fields_export.h"
#include "findings/words.h"

static const char *const kinds[] = {
    [LL_KIND_RECORD] = "record", [LL_KIND_STRING] = "string", [LL_KIND_BYTES] = "bytes",
    [LL_KIND_GROUP] = "group",   [LL_KIND_GAP] = "gap",       [LL_KIND_UNPARSED] = "unparsed"};

/* Elements of a vector, letters of a text, or bytes. */
static unsigned elements_of(const ll_field *field)
{
    bool counted = field->type == LL_TYPE_CHARS || field->type == LL_TYPE_BYTES;
    return counted && field->bytes ? field->bytes : ll_field_elements(field);
}

/* Name of the record that a field points to, or NULL. */
static const char *target_of(const ll_format *format, size_t layout, size_t field)
{
    const ll_reference *row = ll_reference_of(format, (unsigned)layout, (unsigned)field);
    return row ? format->layouts[row->target].name : NULL;
}

/* ------------------------------------------------------------------ text */

/* Pads the text since `start` to the width of a column. */
static void end_cell(ll_text *out, size_t start, size_t width)
{
    size_t used = out->length - start;
    ll_text_repeat(out, ' ', used < width ? width - used + 2 : 2);
}

static void put_text_field(const ll_field *field, bool placed, const char *target, ll_text *out)
{
    size_t start = out->length;
    ll_text_format(out, placed ? "  +0x%03x" : "  ", (unsigned)field->offset);
    end_cell(out, start, 8);
    start = out->length;
    ll_text_str(out, ll_type_name(field->type));
    if (elements_of(field) > 1) {
        ll_text_format(out, "[%u]", elements_of(field));
    }
    end_cell(out, start, 8);
    ll_text_format(out, "%-26s  %-10s  %-5s  %s%s%s", field->name, ll_role_name(field->role), ll_sure_name(field->sure),
                   field->meaning, target ? " -> " : "", target ? target : "");
    ll_text_format(out, *field->source ? " (%s)\n" : "%s\n", field->source);
}

static void put_text(const ll_format *format, size_t number, ll_jsonw *json)
{
    const ll_layout *layout = &format->layouts[number];
    bool record = layout->kind == LL_KIND_RECORD;
    ll_text *out = json->out;
    ll_text_format(out, "%s: %s, %s", layout->name, layout->meaning, kinds[layout->kind]);
    if (record) {
        ll_text_format(out, " of %u bytes, %s-endian", (unsigned)layout->size,
                       layout->endian == LL_BIG ? "big" : "little");
    }
    ll_text_char(out, '\n');
    for (size_t i = 0; i < layout->field_count; i++) {
        put_text_field(&layout->fields[i], record, target_of(format, number, i), out);
    }
    ll_text_char(out, '\n');
}

/* ------------------------------------------------------------------ JSON */

static void put_json_field(const ll_field *field, bool placed, const char *target, ll_jsonw *json)
{
    ll_jsonw_begin(json, '{');
    LL_JSON_STR(json, "name", field->name);
    if (placed) {
        LL_JSON_U64(json, "offset", field->offset);
        LL_JSON_U64(json, "bytes", field->bytes);
    }
    LL_JSON_STR(json, "type", ll_type_name(field->type));
    LL_JSON_U64(json, "elements", elements_of(field));
    LL_JSON_STR(json, "role", ll_role_name(field->role));
    LL_JSON_STR(json, "meaning", field->meaning);
    LL_JSON_STR(json, "certainty", ll_sure_name(field->sure));
    LL_JSON_STR(json, "source", field->source);
    if (target) {
        LL_JSON_STR(json, "points_to", target);
    }
    ll_jsonw_end(json, '}');
}

static void put_json(const ll_format *format, size_t number, ll_jsonw *json)
{
    const ll_layout *layout = &format->layouts[number];
    bool record = layout->kind == LL_KIND_RECORD;
    ll_jsonw_line(json);
    ll_jsonw_begin(json, '{');
    LL_JSON_STR(json, "record", layout->name);
    LL_JSON_STR(json, "family", format->family);
    LL_JSON_STR(json, "kind", kinds[layout->kind]);
    LL_JSON_STR(json, "label", layout->label);
    LL_JSON_STR(json, "meaning", layout->meaning);
    if (record) {
        LL_JSON_U64(json, "size", layout->size);
        LL_JSON_STR(json, "endian", layout->endian == LL_BIG ? "big" : "little");
    }
    LL_JSON_BEGIN(json, "fields", '[');
    for (size_t i = 0; i < layout->field_count; i++) {
        put_json_field(&layout->fields[i], record, target_of(format, number, i), json);
    }
    ll_jsonw_end(json, ']');
    ll_jsonw_end(json, '}');
}

/* ------------------------------------------------------------------ all */

static const struct {
    const char *name, *head, *end;
    void (*put)(const ll_format *format, size_t layout, ll_jsonw *json);
} formats[] = {{"text", "", "", put_text}, {"json", "{\"records\":[", "\n]}\n", put_json}};

/* Writes all records in a format that lists them one by one. False: `format` is not one of these. */
static bool put_list(const char *family, const char *format, ll_text *out)
{
    const ll_names known = LL_NAMES(formats, sizeof formats / sizeof *formats, name);
    size_t number = ll_names_find(&known, format);
    if (number == known.count) {
        return false;
    }
    ll_jsonw json = {out, false};
    ll_text_str(out, formats[number].head);
    for (size_t f = 0; f < ll_format_count(); f++) {
        const ll_format *one = ll_format_at(f);
        bool wanted = !family || strcmp(one->family, family) == 0;
        for (size_t i = LL_LAYOUT_BUILTINS; wanted && i < one->layout_count; i++) {
            formats[number].put(one, i, &json);
        }
    }
    ll_text_str(out, formats[number].end);
    return true;
}

ll_status ll_print_fields(const ll_allocator *allocator, const char *family, const char *format, ll_write_fn write,
                          void *ctx)
{
    const ll_format *one = family ? ll_format_find(family) : NULL;
    if (!write || !format || (family && !one)) {
        return LL_E_ARGUMENT;
    }
    ll_text out;
    ll_text_init(&out, allocator);
    bool known = put_list(family, format, &out) || (one && ll_fields_export(one, format, &out));
    ll_status status = known ? ll_send_text(&out, 0, write, ctx) : LL_E_ARGUMENT;
    ll_text_free(&out);
    return status;
}
