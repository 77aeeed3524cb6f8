/* A census in words: tables for a terminal, and the same as Markdown. Everything that comes from a file is escaped.
 * Also what the formats say of a value in the same way. */
#include "report/survey/census.h"

#include "base/half.h"
#include "report/words.h"

enum { ONCE_SHOWN = 3, SHOWN_BYTES = 16 };

/* ------------------------------------------------------------------ what all formats say */

void ll_census_number(const ll_column_def *def, uint64_t bits, ll_text *out)
{
    if (def->form == LL_COLUMN_NORM) {
        double value;
        memcpy(&value, &bits, sizeof value);
        ll_text_float(out, value, 64);
    } else if (def->suffix[0] == '\0' && ll_field_is_hex(def->field)) {
        ll_text_str(out, "0x");
        ll_text_hex(out, bits, 2U * def->bytes);
    } else if (def->exponent) {
        bool half = def->type == LL_TYPE_F16;
        ll_text_float(out, half ? ll_half_to_double((uint16_t)bits) : ll_single_to_double((uint32_t)bits),
                      half ? 16 : 32);
    } else if (ll_type_is_signed(def->type)) {
        uint64_t sign = UINT64_C(1) << (8U * def->bytes - 1);
        ll_text_i64(out, (int64_t)(bits ^ sign) - (int64_t)sign);
    } else {
        ll_text_u64(out, bits);
    }
}

void ll_census_seen(const ll_column_def *def, const ll_seen *seen, ll_text *out)
{
    if (def->form == LL_COLUMN_NUMBER || def->form == LL_COLUMN_NORM) {
        ll_census_number(def, seen->key, out);
        return;
    }
    char packed[8];
    for (unsigned i = 0; i < def->bytes; i++) {
        packed[i] = (char)(seen->key >> (8U * (def->bytes - 1U - i)));
    }
    const char *bytes = def->form == LL_COLUMN_TEXT ? seen->text->bytes : packed;
    uint32_t kept = def->form == LL_COLUMN_TEXT ? seen->text->kept : def->bytes;
    uint32_t length = def->form == LL_COLUMN_TEXT ? seen->text->length : def->bytes;
    if (def->field->type == LL_TYPE_BYTES) {
        kept = kept < SHOWN_BYTES ? kept : SHOWN_BYTES;
        ll_text_bytes(out, (const uint8_t *)bytes, kept);
    } else {
        ll_text_char(out, '"');
        ll_text_escape(out, bytes, kept);
        ll_text_char(out, '"');
    }
    if (kept < length) {
        ll_text_str(out, "... (");
        ll_text_u64(out, length);
        ll_text_str(out, " bytes)");
    }
}

void ll_census_column_name(const ll_column_def *def, ll_text *out)
{
    ll_text_str(out, def->field->name);
    ll_text_str(out, def->suffix);
    if (def->elements > 1) {
        ll_text_str(out, "[]");
    } else if (def->part != LL_COLUMN_ALL) {
        ll_text_char(out, '.');
        ll_text_char(out, "xyzw"[def->part & 3]);
    }
}

void ll_census_type(const ll_column_def *def, const ll_layout *layout, ll_text *out)
{
    if (def->form == LL_COLUMN_NORM) {
        ll_text_str(out, "norm");
    } else if (def->suffix[0]) {
        ll_text_str(out, "length");
    } else if (def->part != LL_COLUMN_ALL) {
        ll_text_str(out, ll_type_name(def->type));
        ll_text_str(out, def->bytes == 1 ? "" : layout->endian == LL_BIG ? " BE" : " LE");
    } else {
        ll_type_text(def->field, layout->endian, out);
    }
}

void ll_census_kind(const ll_census_group *group, ll_text *out)
{
    char bytes[8];
    for (unsigned i = 0; i < group->kind_bytes; i++) {
        bytes[i] = (char)(group->kind >> (8U * (group->kind_bytes - 1U - i)));
    }
    if (group->other) {
        ll_text_str(out, "other");
    } else {
        ll_text_escape(out, bytes, group->kind_bytes);
    }
}

void ll_census_guard(const ll_rule *rule, ll_text *out)
{
    if (rule->when.check[0]) {
        ll_text_str(out, rule->when_field);
        ll_text_char(out, ' ');
        ll_text_str(out, rule->when.check);
        for (size_t i = 0; i < rule->when.value.count; i++) {
            ll_text_str(out, i ? ", '" : " '");
            ll_text_str(out, rule->when.value.at[i]);
            ll_text_char(out, '\'');
        }
    }
}

/* ------------------------------------------------------------------ rows */

typedef struct printer {
    const ll_census *census;
    ll_text *out;
    ll_text cell; /* the one at hand */
    bool markdown;
} printer;

static void put_count(uint64_t n, const char *one, const char *many, ll_text *out)
{
    ll_text_u64(out, n);
    ll_text_char(out, ' ');
    ll_text_str(out, n == 1 ? one : many);
}

/* Ends a cell: aligned on a terminal, escaped in Markdown. */
static void put_cell(printer *p, size_t width, bool right)
{
    ll_text *cell = &p->cell;
    if (p->markdown) {
        ll_text_str(p->out, "| ");
        ll_markdown_text(p->out, cell->data, cell->length);
        ll_text_char(p->out, ' ');
    } else {
        size_t fill = cell->length < width ? width - cell->length : 0;
        ll_text_repeat(p->out, ' ', 2 + (right ? fill : 0));
        ll_text_put(p->out, cell->data, cell->length);
        ll_text_repeat(p->out, ' ', right ? 0 : fill);
    }
    if (cell->failed) {
        p->out->failed = true;
    }
    ll_text_clear(cell);
}

static void end_row(printer *p)
{
    while (!p->markdown && p->out->length && p->out->data[p->out->length - 1] == ' ') {
        p->out->length--;
    }
    ll_text_str(p->out, p->markdown ? "|\n" : "\n");
}

static void put_word(printer *p, const char *word, size_t width, bool right)
{
    ll_text_str(&p->cell, word);
    put_cell(p, width, right);
}

enum { TYPE_WIDTH = 9, COUNT_WIDTH = 7, RANGE_WIDTH = 11, RULE_WIDTH = 34, CLAIM_WIDTH = 40, HOLD_WIDTH = 24 };

static void put_values(printer *p, const ll_column_def *def, const ll_column *column)
{
    const ll_seen *seen[LL_CENSUS_FREQUENT];
    size_t n = ll_column_frequent(column, def, seen, LL_CENSUS_FREQUENT);
    n = n > ONCE_SHOWN && seen[0]->count == 1 ? ONCE_SHOWN : n; /* none is more frequent than another */
    for (size_t i = 0; i < n; i++) {
        ll_text_str(&p->cell, i ? ", " : "");
        ll_census_seen(def, seen[i], &p->cell);
        ll_text_str(&p->cell, " x");
        ll_text_u64(&p->cell, seen[i]->count);
    }
    if (!ll_column_is_whole(column)) {
        uint64_t kept = 0;
        for (uint32_t i = 0; i < column->capacity; i++) {
            kept += column->slots[i].count;
        }
        ll_text_str(&p->cell, " (of a sample that holds ");
        ll_text_u64(&p->cell, kept);
        ll_text_str(&p->cell, " of them)");
    }
    const struct {
        uint64_t count;
        const char *name;
    } odd[] = {{column->nan, "NaN"},
               {column->infinite, "infinite"},
               {column->denormal, "denormal"},
               {column->negative_zero, "-0"}};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        if (odd[i].count) {
            ll_text_str(&p->cell, "; ");
            ll_text_u64(&p->cell, odd[i].count);
            ll_text_char(&p->cell, ' ');
            ll_text_str(&p->cell, odd[i].name);
        }
    }
    put_cell(p, 0, false);
}

static void put_bits(printer *p, const ll_column_def *def, const ll_column *column)
{
    uint64_t bits[64];
    if (!strstr(def->field->meaning, "bit 0") || !ll_column_bits(column, def, bits)) {
        return;
    }
    ll_text_str(p->out, p->markdown ? "| bits of " : "    bits of ");
    ll_text_str(p->out, def->field->name);
    ll_text_char(p->out, ':');
    bool any = false;
    for (unsigned i = 0; i < 64; i++) {
        if (bits[i]) {
            ll_text_str(p->out, any ? ", " : " ");
            ll_text_u64(p->out, i);
            ll_text_str(p->out, " x");
            ll_text_u64(p->out, bits[i]);
            any = true;
        }
    }
    ll_text_str(p->out, any ? "" : " none set");
    ll_text_str(p->out, p->markdown ? " | | | | | | |\n" : "\n");
}

static void put_column(printer *p, const ll_census_layout *layout, const ll_column_def *def, const ll_column *column,
                       size_t width)
{
    ll_census_column_name(def, &p->cell);
    put_cell(p, width, false);
    ll_census_type(def, layout->layout, &p->cell);
    put_cell(p, TYPE_WIDTH, false);
    ll_text_u64(&p->cell, column->count);
    put_cell(p, COUNT_WIDTH, true);
    if (ll_column_is_whole(column)) {
        ll_text_u64(&p->cell, column->used);
    } else {
        ll_text_char(&p->cell, '>');
        ll_text_u64(&p->cell, p->census->limit);
        ll_text_str(&p->cell, ", ~");
        ll_text_u64(&p->cell, ll_column_distinct(column, def));
    }
    put_cell(p, COUNT_WIDTH + 1, true);
    bool number = def->form == LL_COLUMN_NUMBER || def->form == LL_COLUMN_NORM;
    for (unsigned i = 0; i < 2; i++) {
        if (number && column->ranged && !ll_field_is_hex(def->field)) {
            ll_census_number(def, ll_column_unordered(def, i ? column->high : column->low), &p->cell);
        } else {
            ll_text_char(&p->cell, '-');
        }
        put_cell(p, RANGE_WIDTH, true);
    }
    put_values(p, def, column);
    end_row(p);
    put_bits(p, def, column);
}

static void put_rule_line(printer *p, unsigned columns)
{
    for (unsigned i = 0; p->markdown && i < columns; i++) {
        ll_text_str(p->out, "| --- ");
    }
    ll_text_str(p->out, p->markdown ? "|\n" : "");
}

static void put_columns(printer *p, const ll_census_layout *layout, const ll_census_group *group)
{
    size_t width = sizeof "field" - 1;
    for (uint32_t i = 0; i < layout->def_count; i++) {
        ll_census_column_name(&layout->defs[i], &p->cell);
        width = p->cell.length > width ? p->cell.length : width;
        ll_text_clear(&p->cell);
    }
    if (layout->def_count == 0) {
        return;
    }
    put_word(p, "field", width, false);
    put_word(p, "type", TYPE_WIDTH, false);
    put_word(p, "count", COUNT_WIDTH, true);
    put_word(p, "distinct", COUNT_WIDTH + 1, true);
    put_word(p, "min", RANGE_WIDTH, true);
    put_word(p, "max", RANGE_WIDTH, true);
    put_word(p, "most frequent", 0, false);
    end_row(p);
    put_rule_line(p, 7);
    for (uint32_t i = 0; i < layout->def_count; i++) {
        put_column(p, layout, &layout->defs[i], &group->columns[i], width);
    }
}

/* ------------------------------------------------------------------ claims */

static const ll_rule *rule_at(const printer *p, uint32_t number)
{
    return p->census->claims->rules[number].rule;
}

/* The tests of one rule, in the order of the program. */
typedef struct claim {
    uint32_t rule, tests;
    ll_tally sum;
} claim;

static claim sum_claim(const ll_census_layout *layout, const ll_census_group *group, uint32_t rule)
{
    claim sum = {rule, 0, {0, 0}};
    for (uint32_t i = 0; i < layout->program->test_count; i++) {
        if (layout->program->tests[i].rule == rule) {
            sum.tests++;
            sum.sum.examined += group->tallies[i].examined;
            sum.sum.broken += group->tallies[i].broken;
        }
    }
    return sum;
}

/* The next rule behind `after` (LL_NO_RULE: the first) that has tests here; LL_NO_RULE: none. */
static uint32_t next_rule(const ll_census_layout *layout, uint32_t after)
{
    uint32_t next = LL_NO_RULE;
    for (uint32_t i = 0; i < layout->program->test_count; i++) {
        uint32_t rule = layout->program->tests[i].rule;
        if ((after == LL_NO_RULE || rule > after) && rule < next) {
            next = rule;
        }
    }
    return next;
}

static void put_place(printer *p, const ll_broken_place *place)
{
    ll_text *out = &p->cell;
    ll_text_escape(out, place->file, strlen(place->file));
    ll_text_char(out, ' ');
    ll_place_text(place->offset, place->length, out);
    if (place->region) {
        ll_text_str(out, " (");
        ll_place_text(place->inner_offset, place->inner_length, out);
        ll_text_str(out, " in ");
        ll_text_str(out, place->region);
        ll_text_char(out, ')');
    }
    ll_text_char(out, ' ');
    ll_text_str(out, place->path);
    if (place->value[0]) {
        ll_text_str(out, " = ");
        ll_text_str(out, place->value);
    }
    ll_text_str(p->out, p->markdown ? "- " : "      ");
    if (p->markdown) {
        ll_markdown_code(p->out, ll_text_cstr(out));
    } else {
        ll_text_put(p->out, out->data, out->length);
    }
    ll_text_char(p->out, '\n');
    p->out->failed = p->out->failed || out->failed;
    ll_text_clear(out);
}

/* The fields of a rule, as many as fit on a terminal. */
static void put_about(printer *p, const ll_census_layout *layout, const claim *c)
{
    uint32_t listed = 0;
    uint32_t fields = 0;
    for (uint32_t i = 0; i < layout->program->test_count; i++) {
        const ll_bound_rule *test = &layout->program->tests[i];
        if (test->rule != c->rule) {
            continue;
        }
        const char *name = test->test.field->name;
        bool fits = p->cell.length + strlen(name) + sizeof ", and 99 more" <= CLAIM_WIDTH || p->markdown;
        if (listed == fields++ && (fits || listed == 0)) {
            ll_text_str(&p->cell, listed++ ? ", " : "");
            ll_text_str(&p->cell, name);
        }
    }
    if (listed < fields) {
        ll_text_str(&p->cell, " and ");
        ll_text_u64(&p->cell, fields - listed);
        ll_text_str(&p->cell, " more");
    }
    put_cell(p, CLAIM_WIDTH, false);
}

static void put_claim(printer *p, const ll_census_layout *layout, const claim *c, size_t width)
{
    const ll_rule *rule = rule_at(p, c->rule);
    ll_text_str(&p->cell, rule->id);
    ll_text_char(&p->cell, ' ');
    ll_text_str(&p->cell, rule->name);
    put_cell(p, width, false);
    put_about(p, layout, c);
    if (c->sum.broken) {
        ll_text_str(&p->cell, "BROKEN ");
        ll_text_u64(&p->cell, c->sum.broken);
    } else {
        ll_text_str(&p->cell, "holds ");
        ll_text_u64(&p->cell, c->sum.examined);
    }
    ll_text_str(&p->cell, " of ");
    ll_text_u64(&p->cell, c->sum.examined);
    put_cell(p, HOLD_WIDTH, false);
    ll_text_str(&p->cell, rule->check_text);
    put_cell(p, 0, false);
    end_row(p);
}

static void put_places(printer *p, const ll_census_layout *layout, const ll_census_group *group, uint32_t rule)
{
    for (uint32_t i = 0; i < layout->program->test_count; i++) {
        const ll_places *places = group->places[i];
        for (uint32_t k = 0; layout->program->tests[i].rule == rule && places && k < places->count; k++) {
            put_place(p, &places->at[k]);
        }
        if (layout->program->tests[i].rule == rule && places && group->tallies[i].broken > places->count) {
            ll_text_str(p->out, p->markdown ? "- and " : "      and ");
            ll_text_u64(p->out, group->tallies[i].broken - places->count);
            ll_text_str(p->out, " more\n");
        }
    }
}

/* The longest "GRX012 name-hash" of a table. */
static size_t label_width(const printer *p, const ll_census_layout *layout)
{
    size_t width = RULE_WIDTH;
    for (uint32_t i = 0; i < layout->program->test_count; i++) {
        const ll_rule *rule = rule_at(p, layout->program->tests[i].rule);
        size_t length = strlen(rule->id) + 1 + strlen(rule->name);
        width = length > width ? length : width;
    }
    return width;
}

static void put_claims(printer *p, const ll_census_layout *layout, const ll_census_group *group)
{
    uint32_t silent = 0;
    bool any = false;
    size_t width = label_width(p, layout);
    for (uint32_t rule = next_rule(layout, LL_NO_RULE); rule != LL_NO_RULE; rule = next_rule(layout, rule)) {
        claim c = sum_claim(layout, group, rule);
        silent += c.sum.examined == 0;
        if (c.sum.examined && !any) {
            ll_text_char(p->out, '\n');
            put_word(p, "claim", width, false);
            put_word(p, "about", CLAIM_WIDTH, false);
            put_word(p, "result", HOLD_WIDTH, false);
            put_word(p, "says", 0, false);
            end_row(p);
            put_rule_line(p, 4);
            any = true;
        }
        if (c.sum.examined) {
            put_claim(p, layout, &c, width);
        }
        if (c.sum.broken && !p->markdown) {
            put_places(p, layout, group, rule);
        }
    }
    if (silent) {
        ll_text_str(p->out, p->markdown ? "\n" : "  ");
        put_count(silent, "claim was", "claims were", p->out);
        ll_text_str(p->out, " never examined here.\n");
    }
    for (uint32_t rule = next_rule(layout, LL_NO_RULE); p->markdown && rule != LL_NO_RULE;
         rule = next_rule(layout, rule)) {
        if (sum_claim(layout, group, rule).sum.broken) {
            ll_text_str(p->out, "\nWhere ");
            ll_text_str(p->out, rule_at(p, rule)->id);
            ll_text_str(p->out, " breaks:\n\n");
            put_places(p, layout, group, rule);
        }
    }
}

/* ------------------------------------------------------------------ groups and the whole */

static void put_group_name(printer *p, const ll_census_layout *layout, const ll_census_group *group)
{
    ll_text *out = p->out;
    ll_text_str(out, layout->layout->name);
    if (group->kind_bytes || group->other) {
        ll_text_str(out, layout->kind_field == LL_NO_FIELD ? " of " : " ");
        ll_census_kind(group, &p->cell);
        if (p->markdown) {
            ll_markdown_text(out, p->cell.data, p->cell.length);
        } else {
            ll_text_put(out, p->cell.data, p->cell.length);
        }
        out->failed = out->failed || p->cell.failed;
        ll_text_clear(&p->cell);
    }
}

static void put_group(printer *p, const ll_census_format *format, const ll_census_layout *layout,
                      const ll_census_group *group)
{
    ll_text *out = p->out;
    ll_text_str(out, p->markdown ? "\n## " : "\n");
    if (!strchr(layout->layout->name, '.')) {
        ll_text_str(out, format->format->family);
        ll_text_char(out, '.');
    }
    put_group_name(p, layout, group);
    ll_text_str(out, p->markdown ? "\n\n" : ": ");
    put_count(group->records, "record", "records", out);
    if (!group->other) {
        ll_text_str(out, " in ");
        ll_text_u64(out, group->files);
        ll_text_str(out, " of ");
        put_count(format->files, "file", "files", out);
        ll_text_str(out, ", ");
        ll_text_u64(out, group->file_min);
        if (group->file_max > group->file_min) {
            ll_text_str(out, " to ");
            ll_text_u64(out, group->file_max);
        }
        ll_text_str(out, " in each");
    }
    if (group->broken) {
        ll_text_str(out, "; ");
        ll_text_u64(out, group->broken);
        ll_text_str(out, " broken and not looked into");
    }
    if (layout->layout->meaning[0]) {
        ll_text_str(out, ". ");
        ll_text_str(out, layout->layout->meaning);
    }
    ll_text_str(out, p->markdown ? "\n\n" : "\n");
    put_columns(p, layout, group);
    put_claims(p, layout, group);
}

static void put_format(printer *p, const ll_census_format *format)
{
    ll_text *out = p->out;
    ll_text_str(out, p->markdown ? "- " : "  ");
    ll_text_str(out, format->format->family);
    ll_text_str(out, ": ");
    put_count(format->files, "file", "files", out);
    const char *separator = "; begins with ";
    for (size_t l = 0; l < format->format->layout_count; l++) {
        const ll_census_layout *layout = &format->layouts[l];
        for (uint32_t g = 0; g < layout->group_count; g++) {
            if (layout->groups[g]->leads) {
                ll_text_str(out, separator);
                put_group_name(p, layout, layout->groups[g]);
                ll_text_str(out, " x");
                ll_text_u64(out, layout->groups[g]->leads);
                separator = ", ";
            }
        }
    }
    ll_text_char(out, '\n');
}

static void put_head(printer *p)
{
    const ll_census *census = p->census;
    ll_text *out = p->out;
    ll_text_str(out, p->markdown ? "# Census\n\n" : "");
    put_count(census->files, "file", "files", out);
    ll_text_str(out, ", ");
    put_count(census->bytes, "byte", "bytes", out);
    ll_text_str(out, "; ");
    ll_text_u64(out, census->unchecked);
    ll_text_str(out, " not read or not read in full, ");
    ll_text_u64(out, census->unknown);
    ll_text_str(out, p->markdown ? " of no known format\n\n" : " of no known format\n");
    for (size_t f = 0; f < census->format_count; f++) {
        if (census->formats[f].files) {
            put_format(p, &census->formats[f]);
        }
    }
    ll_text_str(out, p->markdown ? "\n" : "");
    ll_text_str(out, "Of each field up to ");
    ll_text_u64(out, census->limit);
    ll_text_str(
        out,
        " distinct values are kept; their counts are exact. Where there are more, '>' says so, '~' is an estimate,\n"
        "and the most frequent ones are those of a sample of the values that is the same whatever the order of the "
        "files.\n");
}

/* Faults of parsers and C checks. */
static void put_findings(printer *p)
{
    const ll_census *census = p->census;
    uint32_t silent = 0;
    bool any = false;
    for (uint32_t i = 0; i < census->rules->count; i++) {
        const ll_rule *rule = rule_at(p, i);
        bool is_claim = !*rule->fault && !strchr(rule->test.check, '.');
        bool chosen = census->claims->rules[i].severity != LL_SEVERITY_OFF;
        silent += !is_claim && chosen && census->found[i] == 0;
        if (census->found[i] == 0) {
            continue;
        }
        if (!any) {
            ll_text_str(p->out, p->markdown ? "\n## Faults and checks\n\n" : "\nFaults and checks\n");
            put_word(p, "rule", RULE_WIDTH, false);
            put_word(p, "findings", COUNT_WIDTH + 1, true);
            put_word(p, "says", 0, false);
            end_row(p);
            put_rule_line(p, 3);
            any = true;
        }
        ll_text_str(&p->cell, rule->id);
        ll_text_char(&p->cell, ' ');
        put_word(p, rule->name, RULE_WIDTH, false);
        ll_text_u64(&p->cell, census->found[i]);
        put_cell(p, COUNT_WIDTH + 1, true);
        put_word(p, rule->title, 0, false);
        end_row(p);
    }
    ll_text_char(p->out, '\n');
    put_count(silent, "fault or check", "faults and checks", p->out);
    ll_text_str(p->out, " found nothing.\n");
}

ll_status ll_census_print_text(const ll_census *census, bool markdown, ll_text *text, ll_write_fn write, void *ctx)
{
    printer p = {.census = census, .out = text, .markdown = markdown};
    ll_text_init(&p.cell, &census->allocator);
    put_head(&p);
    ll_status status = ll_send_text(text, LL_SEND_AT, write, ctx);
    for (size_t f = 0; f < census->format_count; f++) {
        const ll_census_format *format = &census->formats[f];
        for (size_t l = 0; l < format->format->layout_count; l++) {
            for (uint32_t g = 0; status == LL_OK && g < format->layouts[l].group_count; g++) {
                put_group(&p, format, &format->layouts[l], format->layouts[l].groups[g]);
                status = ll_send_text(text, LL_SEND_AT, write, ctx);
            }
        }
    }
    put_findings(&p);
    ll_text_free(&p.cell);
    return status == LL_OK ? ll_send_text(text, 0, write, ctx) : status;
}
