/* Writes a census as one JSON document (docs/schema/census.schema.json): everything that was counted, and every claim,
 * examined or not. */
#include "output/emit/emit.h"
#include "findings/json.h"
#include "survey/census_words.h"

typedef struct printer {
    const ll_census *census;
    ll_jsonw json;
    ll_text text; /* the current value */
} printer;

static void put_text(printer *p)
{
    ll_jsonw_string(&p->json, p->text.data, p->text.length);
    p->json.out->failed = p->json.out->failed || p->text.failed;
    ll_text_clear(&p->text);
}

/* ------------------------------------------------------------------ values */

/* Writes a number as JSON if readers can hold it, else as a string. */
static void put_number(printer *p, const ll_column_def *def, uint64_t bits)
{
    ll_census_number(def, bits, &p->text);
    bool finite = !def->exponent || (bits & def->exponent) != def->exponent;
    bool small = def->bytes < 8 || def->exponent || bits <= UINT64_C(1) << 53;
    bool hex = def->suffix[0] == '\0' && ll_field_is_hex(def->field);
    if (def->exponent && bits == def->sign) {
        ll_text_str(&p->text, ".0"); /* -0 would be read as an integer, which has no sign */
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
    if (def->form != LL_COLUMN_TEXT) {
        put_number(p, def, seen->key);
    } else {
        if (def->field->type == LL_TYPE_BYTES) {
            ll_text_bytes(&p->text, (const uint8_t *)seen->text->bytes, seen->text->kept);
            put_text(p);
        } else {
            ll_jsonw_string(&p->json, seen->text->bytes, seen->text->kept);
        }
        if (seen->text->kept < seen->text->length) {
            LL_JSON_U64(&p->json, "length", seen->text->length);
        }
    }
    LL_JSON_U64(&p->json, "count", seen->count);
    ll_jsonw_end(&p->json, '}');
}

static void put_bits(printer *p, const ll_column_def *def, const ll_column *column)
{
    uint64_t bits[64];
    if (!strstr(def->field->meaning, "bit 0") || !ll_column_bits(column, def, bits)) {
        return;
    }
    LL_JSON_BEGIN(&p->json, "bits", '[');
    for (unsigned i = 0; i < 8U * def->bytes; i++) {
        ll_jsonw_u64(&p->json, bits[i]);
    }
    ll_jsonw_end(&p->json, ']');
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
    LL_JSON_STR(&p->json, "role", ll_role_name(def->field->role));
    LL_JSON_STR(&p->json, "meaning", def->field->meaning);
    LL_JSON_U64(&p->json, "count", column->count);
    LL_JSON_U64(&p->json, "distinct", ll_column_distinct(column, def));
    LL_JSON_BOOL(&p->json, "exact", ll_column_is_whole(column));
    LL_JSON_U64(&p->json, "sampled", ll_column_sampled(column));
    if (column->ranged) {
        ll_jsonw_key(&p->json, "min");
        put_number(p, def, ll_column_unordered(def, column->low));
        ll_jsonw_key(&p->json, "max");
        put_number(p, def, ll_column_unordered(def, column->high));
    }
    if (def->exponent) {
        LL_JSON_U64(&p->json, "nan", column->nan);
        LL_JSON_U64(&p->json, "infinite", column->infinite);
        LL_JSON_U64(&p->json, "denormal", column->denormal);
        LL_JSON_U64(&p->json, "negative_zero", column->negative_zero);
    }
    const ll_seen *seen[LL_CENSUS_FREQUENT];
    size_t n = ll_column_frequent(column, def, seen, LL_CENSUS_FREQUENT);
    LL_JSON_BEGIN(&p->json, "values", '[');
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
    LL_JSON_STR(&p->json, "file", place->file);
    ll_json_range(&p->json, place->offset, place->length, &place->inner);
    LL_JSON_STR(&p->json, "path", place->path);
    LL_JSON_STR(&p->json, "value", place->value);
    ll_jsonw_end(&p->json, '}');
}

static void put_rule(printer *p, uint32_t number)
{
    const ll_rule *rule = ll_rule_at(p->census->rules, number);
    unsigned severity = p->census->rules->rules[number].severity;
    LL_JSON_STR(&p->json, "rule", rule->id);
    LL_JSON_STR(&p->json, "name", rule->name);
    LL_JSON_STR(&p->json, "severity", ll_severity_text((ll_severity)severity));
}

static void put_guard(printer *p, const ll_rule *rule)
{
    if (rule->when.check[0]) {
        ll_text_format(&p->text, "%s %s", rule->when_field, rule->when.check);
        for (size_t i = 0; i < rule->when.value.count; i++) {
            ll_text_format(&p->text, "%s '%s'", i ? "," : "", rule->when.value.at[i]);
        }
        ll_jsonw_key(&p->json, "when");
        put_text(p);
    }
}

static void put_claim(printer *p, const ll_bound_rule *test, const ll_tally *tally, const ll_places *places)
{
    const ll_rule *rule = ll_rule_at(p->census->claims, test->rule);
    ll_jsonw_begin(&p->json, '{');
    put_rule(p, test->rule);
    LL_JSON_STR(&p->json, "field", test->test.field->name);
    LL_JSON_STR(&p->json, "check", rule->check_text);
    put_guard(p, rule);
    LL_JSON_U64(&p->json, "examined", tally->examined);
    LL_JSON_U64(&p->json, "broken", tally->broken);
    if (places && places->count) {
        LL_JSON_BEGIN(&p->json, "places", '[');
        for (uint32_t i = 0; i < places->count; i++) {
            put_place(p, &places->at[i]);
        }
        ll_jsonw_end(&p->json, ']');
    }
    ll_jsonw_end(&p->json, '}');
}

/* Writes claims by field, then rule; if a rule tests a field twice, the first test only. */
static void put_claims(printer *p, const ll_census_layout *layout, const ll_census_group *group)
{
    LL_JSON_BEGIN(&p->json, "claims", '[');
    for (uint32_t i = 0; i < layout->program->test_count; i++) {
        const ll_sort_key *key = &layout->by_field[i];
        if (i == 0 || key[-1].first != key->first) {
            put_claim(p, &layout->program->tests[key->item], &group->tallies[key->item], group->places[key->item]);
        }
    }
    ll_jsonw_end(&p->json, ']');
}

/* ------------------------------------------------------------------ the whole */

static void put_kind(printer *p, const ll_census_group *group)
{
    if (group->kind_bytes || group->other) {
        char bytes[8];
        ll_unpack_bytes(group->kind, group->kind_bytes, bytes);
        ll_jsonw_key(&p->json, "kind");
        ll_jsonw_string(&p->json, group->other ? "other" : bytes, group->other ? strlen("other") : group->kind_bytes);
    }
    if (group->other) {
        LL_JSON_BOOL(&p->json, "other", true);
    }
}

static void put_group(printer *p, const ll_census_format *format, const ll_census_layout *layout,
                      const ll_census_group *group)
{
    ll_jsonw_begin(&p->json, '{');
    LL_JSON_STR(&p->json, "format", format->format->family);
    LL_JSON_STR(&p->json, "record", layout->layout->name);
    put_kind(p, group);
    LL_JSON_STR(&p->json, "meaning", layout->layout->meaning);
    LL_JSON_U64(&p->json, "records", group->records);
    LL_JSON_U64(&p->json, "broken", group->broken);
    if (!group->other) {
        LL_JSON_U64(&p->json, "files", group->files);
        LL_JSON_U64(&p->json, "per_file_min", group->file_min);
        LL_JSON_U64(&p->json, "per_file_max", group->file_max);
    }
    LL_JSON_U64(&p->json, "leads", group->leads);
    LL_JSON_BEGIN(&p->json, "fields", '[');
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
    LL_JSON_STR(&p->json, "type", "census");
    LL_JSON_STR(&p->json, "version", ll_version());
    LL_JSON_U64(&p->json, "files", census->files);
    LL_JSON_U64(&p->json, "members", census->members);
    LL_JSON_U64(&p->json, "bytes", census->bytes);
    LL_JSON_U64(&p->json, "unchecked", census->unchecked);
    LL_JSON_U64(&p->json, "unknown", census->unknown);
    LL_JSON_U64(&p->json, "distinct_limit", census->store.limit);
    LL_JSON_BEGIN(&p->json, "formats", '[');
    for (size_t f = 0; f < census->format_count; f++) {
        if (census->formats[f].files) {
            ll_jsonw_begin(&p->json, '{');
            LL_JSON_STR(&p->json, "format", census->formats[f].format->family);
            LL_JSON_U64(&p->json, "files", census->formats[f].files);
            LL_JSON_U64(&p->json, "bytes", census->formats[f].bytes);
            ll_jsonw_end(&p->json, '}');
        }
    }
    ll_jsonw_end(&p->json, ']');
    LL_JSON_BEGIN(&p->json, "records", '[');
}

static void put_references(printer *p)
{
    LL_JSON_BEGIN(&p->json, "references", '[');
    for (size_t i = 0; i < p->census->references.count; i++) {
        const ll_census_reference *reference = &p->census->references.items[i];
        ll_jsonw_line(&p->json);
        ll_jsonw_begin(&p->json, '{');
        ll_text_format(&p->text, "%s.%s", reference->layout->name,
                       reference->layout->fields[reference->row->field].name);
        ll_jsonw_key(&p->json, "reference");
        put_text(p);
        LL_JSON_STR(&p->json, "to", reference->target->name);
        for (unsigned k = 0; k < LL_LEADS; k++) {
            ll_jsonw_name(&p->json, ll_leads_names[k]);
            ll_jsonw_u64(&p->json, reference->leads[k]);
        }
        ll_jsonw_end(&p->json, '}');
    }
    ll_jsonw_end(&p->json, ']');
}

static void put_findings(printer *p)
{
    const ll_census *census = p->census;
    LL_JSON_BEGIN(&p->json, "findings", '[');
    for (uint32_t i = 0; i < census->rules->count; i++) {
        const ll_rule *rule = ll_rule_at(census->claims, i);
        bool is_fault = *rule->fault != '\0';
        if (census->claims->rules[i].severity == LL_SEVERITY_OFF || census->has_claims[i]) {
            continue;
        }
        ll_jsonw_line(&p->json);
        ll_jsonw_begin(&p->json, '{');
        put_rule(p, i);
        LL_JSON_STR(&p->json, "origin", is_fault ? "fault" : "check");
        LL_JSON_U64(&p->json, "count", census->found[i]);
        ll_jsonw_end(&p->json, '}');
    }
    ll_jsonw_end(&p->json, ']');
}

ll_status ll_census_print_json(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx)
{
    printer p = {.census = census, .json = {text, false}};
    ll_text_init(&p.text, &census->store.allocator);
    put_head(&p);
    ll_status status = LL_OK;
    ll_census_walk walk = {.format = NULL};
    while (status == LL_OK && ll_census_next(census, &walk)) {
        ll_jsonw_line(&p.json);
        put_group(&p, walk.format, walk.layout, walk.group);
        status = ll_send_text(text, LL_SEND_AT, write, ctx);
    }
    ll_jsonw_end(&p.json, ']');
    put_references(&p);
    put_findings(&p);
    ll_jsonw_end(&p.json, '}');
    ll_text_char(text, '\n');
    ll_text_free(&p.text);
    return status == LL_OK ? ll_send_text(text, 0, write, ctx) : status;
}
