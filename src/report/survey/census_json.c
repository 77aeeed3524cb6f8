/* A census for programs: one JSON document, docs/schema/census.schema.json. Everything that was counted, and every
 * claim, whether it was ever examined or not. */
#include "report/survey/census.h"
#include "report/emit/emit.h"
#include "report/json_write.h"

typedef struct printer {
    const ll_census *census;
    ll_jsonw json;
    ll_text text; /* a value at hand */
} printer;

static void put_text(printer *p)
{
    ll_jsonw_string(&p->json, p->text.data, p->text.length);
    p->json.out->failed = p->json.out->failed || p->text.failed;
    ll_text_clear(&p->text);
}

#define PUT_U64(p, name, value)                                                                                        \
    do {                                                                                                               \
        ll_jsonw_key(&(p)->json, name);                                                                                \
        ll_jsonw_u64(&(p)->json, value);                                                                               \
    } while (0)
#define PUT_STR(p, name, value)                                                                                        \
    do {                                                                                                               \
        ll_jsonw_key(&(p)->json, name);                                                                                \
        ll_jsonw_str(&(p)->json, value);                                                                               \
    } while (0)

/* ------------------------------------------------------------------ values */

/* A number where JSON and its readers have one, else a string. */
static void put_number(printer *p, const ll_column_def *def, uint64_t bits)
{
    ll_census_number(def, bits, &p->text);
    bool finite = !def->exponent || (bits & def->exponent) != def->exponent;
    bool small = def->bytes < 8 || def->exponent || bits <= UINT64_C(1) << 53;
    bool hex = def->suffix[0] == '\0' && ll_field_is_hex(def->field);
    if (def->exponent && bits == def->sign) {
        ll_text_str(&p->text, ".0"); /* -0 would be read as a whole number, which has no sign */
    }
    if (finite && small && !hex) {
        ll_jsonw_raw(&p->json, p->text.data, p->text.length);
        p->json.out->failed = p->json.out->failed || p->text.failed;
        ll_text_clear(&p->text);
    } else {
        put_text(p);
    }
}

static void put_seen(printer *p, const ll_column_def *def, const ll_seen *seen)
{
    ll_jsonw_begin(&p->json, '{');
    ll_jsonw_key(&p->json, "value");
    if (def->form == LL_COLUMN_NUMBER || def->form == LL_COLUMN_NORM) {
        put_number(p, def, seen->key);
    } else {
        uint8_t packed[8];
        for (unsigned i = 0; i < def->bytes; i++) {
            packed[i] = (uint8_t)(seen->key >> (8U * (def->bytes - 1U - i)));
        }
        bool text = def->form == LL_COLUMN_TEXT;
        const char *bytes = text ? seen->text->bytes : (const char *)packed;
        uint32_t kept = text ? seen->text->kept : def->bytes;
        if (def->field->type == LL_TYPE_BYTES) {
            ll_text_bytes(&p->text, (const uint8_t *)bytes, kept);
            put_text(p);
        } else {
            ll_jsonw_string(&p->json, bytes, kept);
        }
        if (text && kept < seen->text->length) {
            PUT_U64(p, "length", seen->text->length);
        }
    }
    PUT_U64(p, "count", seen->count);
    ll_jsonw_end(&p->json, '}');
}

static void put_bits(printer *p, const ll_column_def *def, const ll_column *column)
{
    uint64_t bits[64];
    if (!strstr(def->field->meaning, "bit 0") || !ll_column_bits(column, def, bits)) {
        return;
    }
    ll_jsonw_key(&p->json, "bits");
    ll_jsonw_begin(&p->json, '[');
    for (unsigned i = 0; i < 8U * def->bytes; i++) {
        ll_jsonw_u64(&p->json, bits[i]);
    }
    ll_jsonw_end(&p->json, ']');
}

static void put_distinct(printer *p, const ll_column_def *def, const ll_column *column)
{
    uint64_t kept = 0;
    for (uint32_t i = 0; i < column->capacity; i++) {
        kept += column->slots[i].count;
    }
    PUT_U64(p, "distinct", ll_column_distinct(column, def));
    ll_jsonw_key(&p->json, "exact");
    ll_jsonw_bool(&p->json, ll_column_is_whole(column));
    PUT_U64(p, "sampled", kept);
}

static void put_column(printer *p, const ll_layout *layout, const ll_column_def *def, const ll_column *column)
{
    ll_jsonw_begin(&p->json, '{');
    ll_census_column_name(def, &p->text);
    ll_jsonw_key(&p->json, "field");
    put_text(p);
    ll_census_type(def, layout, &p->text);
    ll_jsonw_key(&p->json, "type");
    put_text(p);
    PUT_STR(p, "role", ll_role_name(def->field->role));
    PUT_STR(p, "meaning", def->field->meaning);
    PUT_U64(p, "count", column->count);
    put_distinct(p, def, column);
    if (column->ranged) {
        ll_jsonw_key(&p->json, "min");
        put_number(p, def, ll_column_unordered(def, column->low));
        ll_jsonw_key(&p->json, "max");
        put_number(p, def, ll_column_unordered(def, column->high));
    }
    if (def->exponent) {
        PUT_U64(p, "nan", column->nan);
        PUT_U64(p, "infinite", column->infinite);
        PUT_U64(p, "denormal", column->denormal);
        PUT_U64(p, "negative_zero", column->negative_zero);
    }
    const ll_seen *seen[LL_CENSUS_FREQUENT];
    size_t n = ll_column_frequent(column, def, seen, LL_CENSUS_FREQUENT);
    ll_jsonw_key(&p->json, "values");
    ll_jsonw_begin(&p->json, '[');
    for (size_t i = 0; i < n; i++) {
        put_seen(p, def, seen[i]);
    }
    ll_jsonw_end(&p->json, ']');
    put_bits(p, def, column);
    ll_jsonw_end(&p->json, '}');
}

/* ------------------------------------------------------------------ claims */

static void put_place(printer *p, const ll_broken_place *place)
{
    ll_jsonw_begin(&p->json, '{');
    PUT_STR(p, "file", place->file);
    PUT_U64(p, "offset", place->offset);
    PUT_U64(p, "length", place->length);
    if (place->region) {
        ll_jsonw_key(&p->json, "inner");
        ll_jsonw_begin(&p->json, '{');
        PUT_STR(p, "region", place->region);
        PUT_U64(p, "offset", place->inner_offset);
        PUT_U64(p, "length", place->inner_length);
        ll_jsonw_end(&p->json, '}');
    }
    PUT_STR(p, "path", place->path);
    PUT_STR(p, "value", place->value);
    ll_jsonw_end(&p->json, '}');
}

static void put_rule(printer *p, uint32_t number)
{
    const ll_active_rule *active = &p->census->rules->rules[number];
    PUT_STR(p, "rule", active->rule->id);
    PUT_STR(p, "name", active->rule->name);
    PUT_STR(p, "severity", ll_severity_text((ll_severity)active->severity));
}

static void put_claim(printer *p, const ll_bound_rule *test, const ll_tally *tally, const ll_places *places)
{
    const ll_rule *rule = p->census->claims->rules[test->rule].rule;
    ll_jsonw_begin(&p->json, '{');
    put_rule(p, test->rule);
    PUT_STR(p, "field", test->test.field->name);
    PUT_STR(p, "check", rule->check_text);
    if (rule->when.check[0]) {
        ll_census_guard(rule, &p->text);
        ll_jsonw_key(&p->json, "when");
        put_text(p);
    }
    PUT_U64(p, "examined", tally->examined);
    PUT_U64(p, "broken", tally->broken);
    if (places && places->count) {
        ll_jsonw_key(&p->json, "places");
        ll_jsonw_begin(&p->json, '[');
        for (uint32_t i = 0; i < places->count; i++) {
            put_place(p, &places->at[i]);
        }
        ll_jsonw_end(&p->json, ']');
    }
    ll_jsonw_end(&p->json, '}');
}

/* By field, then rule: the order of the program is that of its filters. */
static void put_claims(printer *p, const ll_census_layout *layout, const ll_census_group *group)
{
    const ll_program *program = layout->program;
    ll_jsonw_key(&p->json, "claims");
    ll_jsonw_begin(&p->json, '[');
    uint64_t done = 0; /* one more than the key of the claim before */
    for (uint32_t n = 0; n < program->test_count; n++) {
        uint64_t least = UINT64_MAX;
        uint32_t at = 0;
        for (uint32_t i = 0; i < program->test_count; i++) {
            uint64_t key = (uint64_t)program->tests[i].test.field_number << 32 | program->tests[i].rule;
            if (key >= done && key < least) {
                least = key;
                at = i;
            }
        }
        if (least == UINT64_MAX) {
            break;
        }
        done = least + 1;
        put_claim(p, &program->tests[at], &group->tallies[at], group->places[at]);
    }
    ll_jsonw_end(&p->json, ']');
}

/* ------------------------------------------------------------------ the whole */

/* The next element of an array begins a line. */
static void put_line(printer *p)
{
    ll_text_str(p->json.out, p->json.comma ? ",\n" : "\n");
    p->json.comma = false;
}

static void put_kind(printer *p, const ll_census_group *group)
{
    if (group->kind_bytes || group->other) {
        char bytes[8];
        for (unsigned i = 0; i < group->kind_bytes; i++) {
            bytes[i] = (char)(group->kind >> (8U * (group->kind_bytes - 1U - i)));
        }
        ll_jsonw_key(&p->json, "kind");
        ll_jsonw_string(&p->json, group->other ? "other" : bytes, group->other ? strlen("other") : group->kind_bytes);
    }
    if (group->other) {
        ll_jsonw_key(&p->json, "other");
        ll_jsonw_bool(&p->json, true);
    }
}

static void put_group(printer *p, const ll_census_format *format, const ll_census_layout *layout,
                      const ll_census_group *group)
{
    ll_jsonw_begin(&p->json, '{');
    PUT_STR(p, "format", format->format->family);
    PUT_STR(p, "record", layout->layout->name);
    put_kind(p, group);
    PUT_STR(p, "meaning", layout->layout->meaning);
    PUT_U64(p, "records", group->records);
    PUT_U64(p, "broken", group->broken);
    if (!group->other) {
        PUT_U64(p, "files", group->files);
        PUT_U64(p, "per_file_min", group->file_min);
        PUT_U64(p, "per_file_max", group->file_max);
    }
    PUT_U64(p, "leads", group->leads);
    ll_jsonw_key(&p->json, "fields");
    ll_jsonw_begin(&p->json, '[');
    for (uint32_t i = 0; i < layout->def_count; i++) {
        put_column(p, layout->layout, &layout->defs[i], &group->columns[i]);
    }
    ll_jsonw_end(&p->json, ']');
    put_claims(p, layout, group);
    ll_jsonw_end(&p->json, '}');
}

static void put_head(printer *p)
{
    const ll_census *census = p->census;
    ll_jsonw_begin(&p->json, '{');
    PUT_STR(p, "type", "census");
    PUT_STR(p, "version", ll_version());
    PUT_U64(p, "files", census->files);
    PUT_U64(p, "bytes", census->bytes);
    PUT_U64(p, "unchecked", census->unchecked);
    PUT_U64(p, "unknown", census->unknown);
    PUT_U64(p, "distinct_limit", census->limit);
    ll_jsonw_key(&p->json, "formats");
    ll_jsonw_begin(&p->json, '[');
    for (size_t f = 0; f < census->format_count; f++) {
        if (census->formats[f].files) {
            ll_jsonw_begin(&p->json, '{');
            PUT_STR(p, "format", census->formats[f].format->family);
            PUT_U64(p, "files", census->formats[f].files);
            PUT_U64(p, "bytes", census->formats[f].bytes);
            ll_jsonw_end(&p->json, '}');
        }
    }
    ll_jsonw_end(&p->json, ']');
    ll_jsonw_key(&p->json, "records");
    ll_jsonw_begin(&p->json, '[');
}

static void put_findings(printer *p)
{
    const ll_census *census = p->census;
    ll_jsonw_key(&p->json, "findings");
    ll_jsonw_begin(&p->json, '[');
    for (uint32_t i = 0; i < census->rules->count; i++) {
        const ll_rule *rule = census->claims->rules[i].rule;
        bool is_fault = *rule->fault != '\0';
        if (census->claims->rules[i].severity == LL_SEVERITY_OFF || (!is_fault && !strchr(rule->test.check, '.'))) {
            continue;
        }
        put_line(p);
        ll_jsonw_begin(&p->json, '{');
        put_rule(p, i);
        PUT_STR(p, "origin", is_fault ? "fault" : "check");
        PUT_U64(p, "count", census->found[i]);
        ll_jsonw_end(&p->json, '}');
    }
    ll_jsonw_end(&p->json, ']');
}

ll_status ll_census_print_json(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx)
{
    printer p = {.census = census, .json = {text, false}};
    ll_text_init(&p.text, &census->allocator);
    put_head(&p);
    ll_status status = LL_OK;
    for (size_t f = 0; f < census->format_count; f++) {
        const ll_census_format *format = &census->formats[f];
        for (size_t l = 0; l < format->format->layout_count; l++) {
            for (uint32_t g = 0; status == LL_OK && g < format->layouts[l].group_count; g++) {
                put_line(&p);
                put_group(&p, format, &format->layouts[l], format->layouts[l].groups[g]);
                status = ll_send_text(text, LL_SEND_AT, write, ctx);
            }
        }
    }
    ll_jsonw_end(&p.json, ']');
    put_findings(&p);
    ll_jsonw_end(&p.json, '}');
    ll_text_char(text, '\n');
    ll_text_free(&p.text);
    return status == LL_OK ? ll_send_text(text, 0, write, ctx) : status;
}
