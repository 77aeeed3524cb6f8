/* Exports records and fields as Kaitai Struct and ImHex. A layout becomes the type FAMILY_RECORD, which is no word of
 * either language. A reference relative to its own field becomes a member named after the target's record. */
#include "output/fields_export.h"

#include "output/shipped.h"

typedef struct language {
    const char *name, *mark;     /* mark: the line of the skeleton that types replace */
    const char *types[LL_TYPES]; /* by ll_type: name in the language; NULL: none */
    void (*put)(const struct language *language, const ll_format *format, size_t layout, ll_text *out);
} language;

/* ------------------------------------------------------------------ names and texts */

/* "grx.point_light" becomes grx_point_light. */
static void put_type(const ll_layout *layout, ll_text *out)
{
    const char *dot = strchr(layout->name, '.');
    ll_text_format(out, "%.*s_%s", (int)(dot - layout->name), layout->name, dot + 1);
}

/* A name that is a word of one of the languages gets a trailing _. */
static const char *name_end(const char *name)
{
    static const char *const words[] = {
        "addressof", "and",    "any",      "as",      "auto",       "be",    "bitfield", "bool",      "break",  "catch",
        "char",      "const",  "continue", "double",  "else",       "enum",  "false",    "float",     "fn",     "for",
        "if",        "import", "in",       "inf",     "is",         "le",    "match",    "namespace", "nan",    "not",
        "null",      "or",     "out",      "padding", "parent",     "ref",   "return",   "signed",    "sizeof", "str",
        "struct",    "this",   "true",     "try",     "typenameof", "union", "unsigned", "using",     "while"};
    size_t i = 0, count = sizeof words / sizeof *words;
    while (i < count && strcmp(words[i], name) != 0) {
        i++;
    }
    return i < count ? "_" : "";
}

static void put_quoted(const char *text, ll_text *out)
{
    ll_jsonw json = {out, false};
    ll_jsonw_str(&json, text);
}

/* Appends a field's meaning, certainty and source, quoted. */
static void put_meaning(const ll_field *field, ll_text *out)
{
    ll_text_char(out, '"');
    ll_text_json(out, field->meaning, strlen(field->meaning));
    ll_text_format(out, "%s%s%s%s%s\"", *field->meaning ? "; " : "", ll_sure_name(field->sure),
                   *field->source ? " (" : "", field->source, *field->source ? ")" : "");
}

/* Elements of a vector; bytes of a stretch or text; 1 for the NUL of a string. */
static unsigned elements_of(const ll_field *field)
{
    return field->bytes ? field->bytes / ll_type_bytes(field->type) : 1U;
}

/* First row, from `row` on, for a reference of the layout relative to its own field. NULL: none. */
static const ll_reference *from_field(const ll_format *format, const ll_reference *row, size_t layout)
{
    const ll_reference *end = format->references + format->reference_count;
    while (row < end && (row->layout != layout || row->how != LL_BY_OFFSET_FROM_FIELD)) {
        row++;
    }
    return row < end ? row : NULL;
}

static const char *target_name(const ll_format *format, const ll_reference *row)
{
    return strchr(format->layouts[row->target].name, '.') + 1;
}

/* ------------------------------------------------------------------ Kaitai Struct */

static void put_ksy_field(const language *l, const ll_field *field, ll_text *out)
{
    ll_text_format(out, "      - id: %s%s\n        doc: ", field->name, name_end(field->name));
    put_meaning(field, out);
    ll_text_char(out, '\n');
    if (l->types[field->type]) {
        ll_text_format(out, "        type: %s\n", l->types[field->type]);
    }
    if (field->type == LL_TYPE_TEXT) { /* the NUL is a separate field */
        ll_text_str(out, "        encoding: UTF-8\n        terminator: 0\n        consume: false\n");
    } else if (field->type >= LL_TYPE_CHARS) {
        ll_text_format(out, "        size: %u\n", elements_of(field));
        ll_text_str(out, field->type == LL_TYPE_CHARS ? "        encoding: ISO-8859-1\n" : "");
    } else if (elements_of(field) > 1) {
        ll_text_format(out, "        repeat: expr\n        repeat-expr: %u\n", elements_of(field));
    }
}

/* Writes a reference as a position. The record must begin its own stream, so the skeleton states its size. */
static void put_ksy_target(const ll_format *format, const ll_reference *row, ll_text *out)
{
    const ll_layout *layout = &format->layouts[row->layout];
    const char *field = layout->fields[row->field].name;
    ll_text_format(out, "      %s:\n        pos: %u + %s\n        type: ", target_name(format, row),
                   (unsigned)layout->fields[row->field].offset, field);
    put_type(&format->layouts[row->target], out);
    ll_text_char(out, '\n');
    if (row->null & LL_NULL_ZERO) {
        ll_text_format(out, "        if: %s != 0\n", field);
    }
    if (row->extent != LL_NO_FIELD) {
        ll_text_format(out, "        repeat: expr\n        repeat-expr: %s\n", layout->fields[row->extent].name);
    }
}

static void put_ksy(const language *l, const ll_format *format, size_t number, ll_text *out)
{
    const ll_layout *layout = &format->layouts[number];
    const ll_field *fields = layout->fields;
    ll_text_str(out, "  ");
    put_type(layout, out);
    ll_text_format(out, ":\n    meta:\n      endian: %s\n    doc: ", layout->endian == LL_BIG ? "be" : "le");
    put_quoted(layout->meaning, out);
    ll_text_str(out, "\n    seq:\n");
    for (size_t i = 0; i < layout->field_count; i++) {
        if (fields[i].bytes || fields[i].role != LL_ROLE_PADDING) { /* the padding after a string is not part of it */
            put_ksy_field(l, &fields[i], out);
        }
    }
    const ll_reference *row = from_field(format, format->references, number);
    ll_text_str(out, row ? "    instances:\n" : "");
    for (; row; row = from_field(format, row + 1, number)) {
        put_ksy_target(format, row, out);
    }
}

/* ------------------------------------------------------------------ ImHex */

static void put_hexpat_field(const language *l, const ll_layout *layout, const ll_field *field, ll_text *out)
{
    unsigned elements = elements_of(field);
    bool ordered = field->type < LL_TYPE_CHARS && ll_type_bytes(field->type) > 1;
    ll_text_format(out, "    %s%s %s%s",
                   !ordered                   ? ""
                   : layout->endian == LL_BIG ? "be "
                                              : "le ",
                   l->types[field->type], field->name, name_end(field->name));
    if (field->type == LL_TYPE_TEXT) { /* up to and including the NUL */
        ll_text_str(out, "[]");
    } else if (elements > 1) {
        ll_text_format(out, "[%u]", elements);
    }
    ll_text_str(out, " [[comment(");
    put_meaning(field, out);
    ll_text_str(out, ")]];\n");
}

static void put_hexpat_target(const ll_format *format, const ll_reference *row, ll_text *out)
{
    const ll_layout *layout = &format->layouts[row->layout];
    const char *field = layout->fields[row->field].name;
    if (row->null & LL_NULL_ZERO) {
        ll_text_format(out, "    if (%s != 0)\n    ", field);
    }
    ll_text_str(out, "    ");
    put_type(&format->layouts[row->target], out);
    ll_text_format(out, " %s", target_name(format, row));
    if (row->extent != LL_NO_FIELD) {
        ll_text_format(out, "[%s]", layout->fields[row->extent].name);
    }
    ll_text_format(out, " @ addressof(%s) + %s;\n", field, field);
}

/* Declares the type of a target, which must be known before it is used. */
static void declare_target(const ll_format *format, const ll_reference *row, ll_text *out)
{
    for (const ll_reference *before = format->references; before < row; before++) {
        if (before->target == row->target && before->how == LL_BY_OFFSET_FROM_FIELD) {
            return;
        }
    }
    ll_text_str(out, "using ");
    put_type(&format->layouts[row->target], out);
    ll_text_str(out, ";\n");
}

static void put_hexpat(const language *l, const ll_format *format, size_t number, ll_text *out)
{
    const ll_layout *layout = &format->layouts[number];
    const ll_field *fields = layout->fields;
    const ll_reference *first = from_field(format, format->references, number);
    for (const ll_reference *row = first; row; row = from_field(format, row + 1, number)) {
        declare_target(format, row, out);
    }
    ll_text_format(out, "/* %s */\nstruct ", layout->meaning);
    put_type(layout, out);
    ll_text_str(out, " {\n");
    for (size_t i = 0; i < layout->field_count; i++) {
        if (fields[i].type != LL_TYPE_BYTES || fields[i].bytes) { /* the text of a string includes its NUL */
            put_hexpat_field(l, layout, &fields[i], out);
        }
    }
    for (const ll_reference *row = first; row; row = from_field(format, row + 1, number)) {
        put_hexpat_target(format, row, out);
    }
    ll_text_str(out, "};\n\n");
}

/* ------------------------------------------------------------------ all */

static const language languages[] = {
    {"ksy",
     "# @types@\n",
     {"u1", "u2", "u24", "u4", "u8", "s1", "s2", "i24", "s4", "f16", "f4", "str", NULL, "str"},
     put_ksy},
    {"hexpat",
     "// @types@\n",
     {"u8", "u16", "u24", "u32", "u64", "s8", "s16", "s24", "s32", "type::float16", "float", "char", "u8", "char"},
     put_hexpat},
};

static bool has_type(const ll_format *format, unsigned type)
{
    for (size_t i = 0; i < format->layout_count; i++) {
        for (size_t f = 0; f < format->layouts[i].field_count; f++) {
            if (format->layouts[i].fields[f].type == type) {
                return true;
            }
        }
    }
    return false;
}

bool ll_fields_export(const ll_format *format, const char *language_name, ll_text *out)
{
    const language *l = languages, *end = languages + sizeof languages / sizeof *languages;
    while (l < end && strcmp(l->name, language_name) != 0) {
        l++;
    }
    const char *skeleton = l < end ? ll_shipped_text(format->family, language_name) : NULL;
    const char *mark = skeleton ? strstr(skeleton, l->mark) : NULL;
    if (!mark) {
        return false;
    }
    ll_text_put(out, skeleton, (size_t)(mark - skeleton));
    for (unsigned type = 0; type < LL_TYPES; type++) { /* definitions of types that the language lacks */
        const char *text = has_type(format, type) ? ll_shipped_text(ll_type_name(type), language_name) : NULL;
        ll_text_str(out, text ? text : "");
    }
    for (size_t i = LL_LAYOUT_BUILTINS; i < format->layout_count; i++) {
        if (format->layouts[i].kind == LL_KIND_RECORD || format->layouts[i].kind == LL_KIND_STRING) {
            l->put(l, format, i, out);
        }
    }
    ll_text_str(out, mark + strlen(l->mark));
    return true;
}
