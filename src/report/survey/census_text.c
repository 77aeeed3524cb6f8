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
        ll_text_format(out, "0x%0*" PRIx64, 2 * def->bytes, bits);
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

void ll_census_column_name(const ll_column_def *def, ll_text *out)
{
    ll_text_format(out, "%s%s", def->field->name, def->suffix);
    if (def->elements > 1) {
        ll_text_str(out, "[]");
    } else if (def->part != LL_COLUMN_ALL) {
        ll_text_format(out, ".%c", "xyzw"[def->part & 3]);
    }
}

void ll_census_type(const ll_column_def *def, const ll_layout *layout, ll_text *out)
{
    if (def->form == LL_COLUMN_NORM) {
        ll_text_str(out, "norm");
    } else if (def->suffix[0]) {
        ll_text_str(out, "length");
    } else if (def->part != LL_COLUMN_ALL) {
        const char *endian = layout->endian == LL_BIG ? " BE" : " LE";
        ll_text_format(out, "%s%s", ll_type_name(def->type), def->bytes == 1 ? "" : endian);
    } else {
        ll_type_text(def->field, layout->endian, out);
    }
}

/* ------------------------------------------------------------------ rows */

typedef struct printer {
    const ll_census *census;
    ll_text *out;
    ll_text cell; /* the current one */
    bool markdown;
} printer;

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

#define PUT_CELL(p, width, right, ...) (ll_text_format(&(p)->cell, __VA_ARGS__), put_cell((p), (width), (right)))

typedef struct head {
    const char *name;
    size_t width;
    bool right;
} head;

static void put_heads(printer *p, const head *heads, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        PUT_CELL(p, heads[i].width, heads[i].right, "%s", heads[i].name);
    }
    end_row(p);
    for (size_t i = 0; i < count && p->markdown; i++) {
        ll_text_str(p->out, "| --- ");
    }
    ll_text_str(p->out, p->markdown ? "|\n" : "");
}

/* The name and the heads of a table, if it has not begun. */
static void begin_table(printer *p, bool *begun, const char *name, const head *heads, size_t count)
{
    if (!*begun) {
        ll_text_format(p->out, "\n%s%s%s", p->markdown ? "## " : "", name, p->markdown ? "\n\n" : "\n");
        put_heads(p, heads, count);
    }
    *begun = true;
}

enum { TYPE_WIDTH = 9, COUNT_WIDTH = 7, RANGE_WIDTH = 11, RULE_WIDTH = 34, CLAIM_WIDTH = 40, HOLD_WIDTH = 24 };

static void put_seen(const ll_column_def *def, const ll_seen *seen, ll_text *out)
{
    if (def->form != LL_COLUMN_TEXT) {
        ll_census_number(def, seen->key, out);
        return;
    }
    const ll_seen_text *text = seen->text;
    uint32_t shown = text->kept;
    if (def->field->type == LL_TYPE_BYTES) {
        shown = shown < SHOWN_BYTES ? shown : SHOWN_BYTES;
        ll_text_bytes(out, (const uint8_t *)text->bytes, shown);
    } else {
        ll_text_char(out, '"');
        ll_text_escape(out, text->bytes, text->kept);
        ll_text_char(out, '"');
    }
    if (shown < text->length) {
        ll_text_format(out, "... (%" PRIu32 " bytes)", text->length);
    }
}

static void put_values(printer *p, const ll_column_def *def, const ll_column *column)
{
    const ll_seen *seen[LL_CENSUS_FREQUENT];
    size_t n = ll_column_frequent(column, def, seen, LL_CENSUS_FREQUENT);
    n = n > ONCE_SHOWN && seen[0]->count == 1 ? ONCE_SHOWN : n; /* none is more frequent than another */
    for (size_t i = 0; i < n; i++) {
        ll_text_str(&p->cell, i ? ", " : "");
        put_seen(def, seen[i], &p->cell);
        ll_text_format(&p->cell, " x%" PRIu64, seen[i]->count);
    }
    if (!ll_column_is_whole(column)) {
        ll_text_format(&p->cell, " (of a sample that holds %" PRIu64 " of them)", ll_column_sampled(column));
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
            ll_text_format(&p->cell, "; %" PRIu64 " %s", odd[i].count, odd[i].name);
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
    ll_text_format(p->out, "%s%s:", p->markdown ? "| bits of " : "    bits of ", def->field->name);
    bool any = false;
    for (unsigned i = 0; i < 64; i++) {
        if (bits[i]) {
            ll_text_format(p->out, "%s%" PRIu64 " x%" PRIu64, any ? ", " : " ", (uint64_t)i, bits[i]);
            any = true;
        }
    }
    ll_text_format(p->out, "%s%s", any ? "" : " none set", p->markdown ? " | | | | | | |\n" : "\n");
}

static void put_column(printer *p, const ll_census_layout *layout, const ll_column_def *def, const ll_column *column,
                       size_t width)
{
    ll_census_column_name(def, &p->cell);
    put_cell(p, width, false);
    ll_census_type(def, layout->layout, &p->cell);
    put_cell(p, TYPE_WIDTH, false);
    PUT_CELL(p, COUNT_WIDTH, true, "%" PRIu64, column->count);
    if (!ll_column_is_whole(column)) {
        ll_text_format(&p->cell, ">%" PRIu32 ", ~", p->census->store.limit);
    }
    PUT_CELL(p, COUNT_WIDTH + 1, true, "%" PRIu64, ll_column_distinct(column, def));
    for (unsigned i = 0; i < 2; i++) {
        if (column->ranged && !ll_field_is_hex(def->field)) {
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
    const head heads[] = {{"field", width, false},      {"type", TYPE_WIDTH, false},
                          {"count", COUNT_WIDTH, true}, {"distinct", COUNT_WIDTH + 1, true},
                          {"min", RANGE_WIDTH, true},   {"max", RANGE_WIDTH, true},
                          {"most frequent", 0, false}};
    put_heads(p, heads, sizeof heads / sizeof *heads);
    for (uint32_t i = 0; i < layout->def_count; i++) {
        put_column(p, layout, &layout->defs[i], &group->columns[i], width);
    }
}

/* ------------------------------------------------------------------ claims */

static const ll_rule *rule_at(const printer *p, uint32_t number)
{
    return p->census->claims->rules[number].rule;
}

/* The tests of one rule: [first, end) of the layout's list by rule. */
typedef struct claim {
    uint32_t rule, first, end;
    ll_tally sum;
} claim;

/* Goes to the next claim; begin with zeros. */
static bool next_claim(const ll_census_layout *layout, const ll_census_group *group, claim *c)
{
    const ll_sort_key *tests = layout->by_rule;
    *c = (claim){.first = c->end, .end = c->end};
    for (; c->end < layout->program->test_count && tests[c->end].first == tests[c->first].first; c->end++) {
        c->rule = (uint32_t)tests[c->end].first;
        c->sum.examined += group->tallies[tests[c->end].item].examined;
        c->sum.broken += group->tallies[tests[c->end].item].broken;
    }
    return c->end > c->first;
}

static void put_place(printer *p, const ll_broken_place *place)
{
    ll_text *out = &p->cell;
    ll_text_escape(out, place->file, strlen(place->file));
    ll_text_char(out, ' ');
    ll_place_text(place->offset, place->length, out);
    if (place->inner.region) {
        ll_text_str(out, " (");
        ll_place_text(place->inner.offset, place->inner.length, out);
        ll_text_format(out, " in %s)", place->inner.region);
    }
    ll_text_format(out, " %s%s%s", place->path, place->value[0] ? " = " : "", place->value);
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
    uint32_t fields = c->end - c->first;
    for (uint32_t i = 0; i < fields && i == listed; i++) {
        const char *name = layout->program->tests[layout->by_rule[c->first + i].item].test.field->name;
        bool fits = p->cell.length + strlen(name) + sizeof ", and 99 more" <= CLAIM_WIDTH || p->markdown;
        if (fits || listed == 0) {
            ll_text_format(&p->cell, "%s%s", listed++ ? ", " : "", name);
        }
    }
    if (listed < fields) {
        ll_text_format(&p->cell, " and %" PRIu32 " more", fields - listed);
    }
    put_cell(p, CLAIM_WIDTH, false);
}

static void put_claim(printer *p, const ll_census_layout *layout, const claim *c, size_t width)
{
    const ll_rule *rule = rule_at(p, c->rule);
    bool broken = c->sum.broken;
    PUT_CELL(p, width, false, "%s %s", rule->id, rule->name);
    put_about(p, layout, c);
    PUT_CELL(p, HOLD_WIDTH, false, "%s %" PRIu64 " of %" PRIu64, broken ? "BROKEN" : "holds",
             broken ? c->sum.broken : c->sum.examined, c->sum.examined);
    PUT_CELL(p, 0, false, "%s", rule->check_text);
    end_row(p);
}

static void put_places(printer *p, const ll_census_layout *layout, const ll_census_group *group, const claim *c)
{
    for (uint32_t i = c->first; i < c->end; i++) {
        uint32_t test = layout->by_rule[i].item;
        const ll_places *places = group->places[test];
        for (uint32_t k = 0; places && k < places->count; k++) {
            put_place(p, &places->at[k]);
        }
        if (places && group->tallies[test].broken > places->count) {
            ll_text_format(p->out, "%s%" PRIu64 " more\n", p->markdown ? "- and " : "      and ",
                           group->tallies[test].broken - places->count);
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
    for (claim c = {.end = 0}; next_claim(layout, group, &c);) {
        silent += c.sum.examined == 0;
        if (c.sum.examined && !any) {
            const head heads[] = {{"claim", width, false},
                                  {"about", CLAIM_WIDTH, false},
                                  {"result", HOLD_WIDTH, false},
                                  {"says", 0, false}};
            ll_text_char(p->out, '\n');
            put_heads(p, heads, sizeof heads / sizeof *heads);
            any = true;
        }
        if (c.sum.examined) {
            put_claim(p, layout, &c, width);
        }
        if (c.sum.broken && !p->markdown) {
            put_places(p, layout, group, &c);
        }
    }
    if (silent) {
        ll_text_format(p->out, "%s%" PRIu32 " %s never examined here.\n", p->markdown ? "\n" : "  ", silent,
                       silent == 1 ? "claim was" : "claims were");
    }
    for (claim c = {.end = 0}; p->markdown && next_claim(layout, group, &c);) {
        if (c.sum.broken) {
            ll_text_format(p->out, "\nWhere %s breaks:\n\n", rule_at(p, c.rule)->id);
            put_places(p, layout, group, &c);
        }
    }
}

/* ------------------------------------------------------------------ groups and the whole */

static void put_group_name(printer *p, const ll_census_layout *layout, const ll_census_group *group)
{
    ll_text *out = p->out;
    char kind[8];
    ll_unpack_bytes(group->kind, group->kind_bytes, kind);
    ll_text_str(out, layout->layout->name);
    if (group->kind_bytes || group->other) {
        ll_text_str(out, layout->kind_field == LL_NO_FIELD ? " of " : " ");
        if (group->other) {
            ll_text_str(&p->cell, "other");
        } else {
            ll_text_escape(&p->cell, kind, group->kind_bytes);
        }
        if (p->markdown) {
            ll_markdown_text(out, p->cell.data, p->cell.length);
        } else {
            ll_text_put(out, p->cell.data, p->cell.length);
        }
        out->failed = out->failed || p->cell.failed;
        ll_text_clear(&p->cell);
    }
}

static void put_group(printer *p, const ll_census_walk *at)
{
    const ll_census_group *group = at->group;
    const ll_layout *layout = at->layout->layout;
    ll_text *out = p->out;
    ll_text_str(out, p->markdown ? "\n## " : "\n");
    if (!strchr(layout->name, '.')) {
        ll_text_format(out, "%s.", at->format->format->family);
    }
    put_group_name(p, at->layout, group);
    ll_text_str(out, p->markdown ? "\n\n" : ": ");
    ll_count_text(out, group->records, "record");
    if (!group->other) {
        ll_text_format(out, " in %" PRIu64 " of ", group->files);
        ll_count_text(out, at->format->files, "file");
        ll_text_format(out, ", %" PRIu64, group->file_min);
        if (group->file_max > group->file_min) {
            ll_text_format(out, " to %" PRIu64, group->file_max);
        }
        ll_text_str(out, " in each");
    }
    if (group->broken) {
        ll_text_format(out, "; %" PRIu64 " broken and not looked into", group->broken);
    }
    ll_text_format(out, "%s%s%s", layout->meaning[0] ? ". " : "", layout->meaning, p->markdown ? "\n\n" : "\n");
    put_columns(p, at->layout, group);
    put_claims(p, at->layout, group);
}

static void put_format(printer *p, const ll_census_format *format)
{
    ll_text *out = p->out;
    ll_text_format(out, "%s%s: ", p->markdown ? "- " : "  ", format->format->family);
    ll_count_text(out, format->files, "file");
    const char *separator = "; begins with ";
    for (size_t l = 0; l < format->layout_count; l++) {
        const ll_census_layout *layout = &format->layouts[l];
        for (uint32_t g = 0; g < layout->group_count; g++) {
            if (layout->groups[g]->leads) {
                ll_text_str(out, separator);
                put_group_name(p, layout, layout->groups[g]);
                ll_text_format(out, " x%" PRIu64, layout->groups[g]->leads);
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
    ll_files_text(census->files, census->members, out);
    ll_text_str(out, ", ");
    ll_count_text(out, census->bytes, "byte");
    ll_text_format(out, "; %" PRIu64 " not read or not read in full, %" PRIu64 "%s", census->unchecked, census->unknown,
                   p->markdown ? " of no known format\n\n" : " of no known format\n");
    for (size_t f = 0; f < census->format_count; f++) {
        if (census->formats[f].files) {
            put_format(p, &census->formats[f]);
        }
    }
    ll_text_format(
        out,
        "%sOf each field up to %" PRIu32
        " distinct values are kept; their counts are exact. Where there are more, '>' says so, '~' is an estimate,\n"
        "and the most frequent ones are those of a sample of the values that is the same whatever the order of the "
        "files.\n",
        p->markdown ? "\n" : "", census->store.limit);
}

enum { REFERENCE_WIDTH = 40, TARGET_WIDTH = 21 };

/* Rows of references that files have. */
static void put_references(printer *p)
{
    head heads[2 + LL_LEADS] = {{"reference", REFERENCE_WIDTH, false}, {"to", TARGET_WIDTH, false}};
    bool any = false;
    for (unsigned i = 0; i < LL_LEADS; i++) {
        heads[2 + i] = (head){ll_leads_names[i], COUNT_WIDTH + 1, true};
    }
    for (size_t i = 0; i < p->census->references.count; i++) {
        const ll_census_reference *reference = &p->census->references.items[i];
        if (!reference->leads[LL_LEADS_COUNT]) {
            continue;
        }
        begin_table(p, &any, "References", heads, sizeof heads / sizeof *heads);
        PUT_CELL(p, REFERENCE_WIDTH, false, "%s.%s", reference->layout->name,
                 reference->layout->fields[reference->row->field].name);
        PUT_CELL(p, TARGET_WIDTH, false, "%s", reference->target->name);
        for (unsigned k = 0; k < LL_LEADS; k++) {
            PUT_CELL(p, COUNT_WIDTH + 1, true, "%" PRIu64, reference->leads[k]);
        }
        end_row(p);
    }
}

/* Faults of parsers and C checks. */
static void put_findings(printer *p)
{
    const ll_census *census = p->census;
    static const head heads[] = {{"rule", RULE_WIDTH, false}, {"findings", COUNT_WIDTH + 1, true}, {"says", 0, false}};
    uint32_t silent = 0;
    bool any = false;
    for (uint32_t i = 0; i < census->rules->count; i++) {
        const ll_rule *rule = rule_at(p, i);
        bool chosen = census->claims->rules[i].severity != LL_SEVERITY_OFF;
        silent += !census->has_claims[i] && chosen && census->found[i] == 0;
        if (census->found[i] == 0) {
            continue;
        }
        begin_table(p, &any, "Faults and checks", heads, sizeof heads / sizeof *heads);
        PUT_CELL(p, RULE_WIDTH, false, "%s %s", rule->id, rule->name);
        PUT_CELL(p, COUNT_WIDTH + 1, true, "%" PRIu64, census->found[i]);
        PUT_CELL(p, 0, false, "%s", rule->title);
        end_row(p);
    }
    ll_text_format(p->out, "\n%" PRIu32 " %s found nothing.\n", silent,
                   silent == 1 ? "fault or check" : "faults and checks");
}

ll_status ll_census_print_text(const ll_census *census, bool markdown, ll_text *text, ll_write_fn write, void *ctx)
{
    printer p = {.census = census, .out = text, .markdown = markdown};
    ll_text_init(&p.cell, &census->store.allocator);
    put_head(&p);
    ll_status status = ll_send_text(text, LL_SEND_AT, write, ctx);
    ll_census_walk walk = {.format = NULL};
    while (status == LL_OK && ll_census_next(census, &walk)) {
        put_group(&p, &walk);
        status = ll_send_text(text, LL_SEND_AT, write, ctx);
    }
    put_references(&p);
    put_findings(&p);
    ll_text_free(&p.cell);
    return status == LL_OK ? ll_send_text(text, 0, write, ctx) : status;
}
