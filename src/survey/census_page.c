/* Builds the report of a census: a table of the records of each format, and for each record its fields and claims. */
#include "survey/census_words.h"

#include "findings/words.h"

enum { ONCE_SHOWN = 3, SHOWN_BYTES = 16, ABOUT_MOST = 40, BINS = 24 };

typedef struct printer {
    const ll_census *census;
    ll_outline tree;
    uint32_t record;      /* number of the current record, from 1 */
    const void *contents; /* format whose table of records was built last */
} printer;

typedef ll_census_claim claim;

static const ll_rule *rule_at(const printer *p, uint32_t number)
{
    return ll_rule_at(p->census->claims, number);
}

/* The anchor of a record; those below are of formats. */
static uint32_t anchor_of(uint32_t record)
{
    return (uint32_t)ll_format_count() + record;
}

/* ------------------------------------------------------------------ histograms */

/* Ranges of a histogram, and their counts. */
typedef struct bins {
    double low, step;
    uint64_t counts[BINS];
} bins;

static size_t bin_of(const bins *b, double value)
{
    double at = (value - b->low) / b->step;
    return at >= BINS ? BINS - 1 : at > 0 ? (size_t)at : 0;
}

static void put_bins(ll_outline *tree, const ll_column_def *def, const ll_column *column, bins *b)
{
    ll_census_column_name(def, &tree->words);
    ll_text_format(&tree->words, ": how many of %" PRIu64 " values are how large", ll_column_sampled(column));
    ll_outline_piece(tree, LL_NODE_HISTOGRAM);
    for (size_t i = 0; i < column->seen.count; i++) {
        double value = ll_column_value(def, column->seen.items[i].key);
        if (value - value == 0) { /* finite */
            b->counts[bin_of(b, value)] += column->seen.items[i].count;
        }
    }
    for (size_t i = 0; i < BINS; i++) {
        ll_text_float(&tree->words, b->low + b->step * (double)i, 32);
        ll_text_str(&tree->words, " to ");
        ll_text_float(&tree->words, b->low + b->step * (double)(i + 1), 32);
        ll_text_format(&tree->words, ": %" PRIu64, b->counts[i]);
        ll_outline_value(tree, LL_NODE_BIN, NULL, b->counts[i], 0);
    }
}

/* Builds a cell with the histogram of a column; empty if the most frequent values show everything. */
static void put_histogram(ll_outline *tree, const ll_column_def *def, const ll_column *column)
{
    bool numbers = def->form != LL_COLUMN_TEXT && column->ranged && !ll_field_is_hex(def->field);
    bins b = {.low = 0};
    if (numbers && column->seen.count > LL_CENSUS_FREQUENT) {
        b.low = ll_column_value(def, ll_column_unordered(def, column->low));
        b.step = (ll_column_value(def, ll_column_unordered(def, column->high)) - b.low) / BINS;
    }
    ll_outline_cell(tree);
    if (b.step > 0) {
        put_bins(tree, def, column, &b);
    }
}

/* ------------------------------------------------------------------ fields */

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

/* Appends remarks on all values of a column after those shown. */
static void put_remarks(ll_text *out, const ll_column *column)
{
    if (!ll_column_is_whole(column)) {
        ll_text_format(out, " (of a sample that holds %" PRIu64 " of them)", ll_column_sampled(column));
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
            ll_text_format(out, "; %" PRIu64 " %s", odd[i].count, odd[i].name);
        }
    }
}

static void put_values(ll_outline *tree, const ll_column_def *def, const ll_column *column)
{
    const ll_seen *seen[LL_CENSUS_FREQUENT];
    size_t n = ll_column_frequent(column, def, seen, LL_CENSUS_FREQUENT);
    n = n > ONCE_SHOWN && seen[0]->count == 1 ? ONCE_SHOWN : n; /* all values occur once */
    ll_outline_cell(tree);
    for (size_t i = 0; i < n; i++) {
        put_seen(def, seen[i], &tree->words);
        ll_text_format(&tree->words, " x%" PRIu64, seen[i]->count);
        ll_outline_value(tree, LL_NODE_SHARE, NULL, seen[i]->count, column->count);
    }
    put_remarks(&tree->words, column);
}

static void put_bits(ll_outline *tree, const ll_column_def *def, const ll_column *column)
{
    uint64_t bits[64];
    if (!strstr(def->field->meaning, "bit 0") || !ll_column_bits(column, def, bits)) {
        return;
    }
    ll_outline_open(tree, LL_NODE_REMARK, NULL);
    ll_text_format(&tree->words, "bits of %s:", def->field->name);
    const char *separator = " ";
    for (unsigned i = 0; i < 64; i++) {
        if (bits[i]) {
            ll_text_format(&tree->words, "%s%u x%" PRIu64, separator, i, bits[i]);
            separator = ", ";
        }
    }
    ll_text_str(&tree->words, *separator == ',' ? "" : " none set");
}

static void put_column(printer *p, const ll_census_layout *layout, const ll_column_def *def, const ll_column *column)
{
    ll_outline *tree = &p->tree;
    ll_outline_open(tree, LL_NODE_ROW, NULL);
    ll_outline_cell(tree);
    ll_census_column_name(def, &tree->words);
    ll_outline_cell(tree);
    ll_census_type(def, layout->layout, &tree->words);
    ll_outline_number(tree, column->count);
    if (ll_column_is_whole(column)) {
        ll_outline_number(tree, ll_column_distinct(column, def));
    } else {
        LL_OUTLINE_CELL(tree, ">%" PRIu32 ", ~%" PRIu64, p->census->store.limit, ll_column_distinct(column, def));
    }
    for (unsigned i = 0; i < 2; i++) {
        ll_outline_cell(tree);
        if (column->ranged && !ll_field_is_hex(def->field)) {
            ll_census_number(def, ll_column_unordered(def, i ? column->high : column->low), &tree->words);
        } else {
            ll_text_char(&tree->words, '-');
        }
    }
    put_histogram(tree, def, column);
    put_values(tree, def, column);
    put_bits(tree, def, column);
}

static void put_columns(printer *p, const ll_census_layout *layout, const ll_census_group *group)
{
    static const ll_outline_column heads[] = {{"field", LL_CELL_NAME},      {"type", LL_CELL_WORDS},
                                              {"count", LL_CELL_NUMBER},    {"distinct", LL_CELL_NUMBER},
                                              {"min", LL_CELL_NUMBER},      {"max", LL_CELL_NUMBER},
                                              {"histogram", LL_CELL_CHART}, {"most frequent", LL_CELL_WORDS}};
    if (layout->def_count) {
        ll_outline_table(&p->tree, heads, sizeof heads / sizeof *heads);
    }
    for (uint32_t i = 0; i < layout->def_count; i++) {
        put_column(p, layout, &layout->defs[i], &group->columns[i]);
    }
}

/* ------------------------------------------------------------------ claims */

static void put_place(ll_outline *tree, const ll_broken_place *place)
{
    ll_text *out = &tree->words;
    ll_outline_open(tree, LL_NODE_REMARK, "error");
    ll_text_escape(out, place->file, strlen(place->file));
    ll_text_char(out, ' ');
    ll_place_text(place->offset, place->length, out);
    if (place->inner.region) {
        ll_text_str(out, " (");
        ll_place_text(place->inner.offset, place->inner.length, out);
        ll_text_format(out, " in %s)", place->inner.region);
    }
    ll_text_format(out, " %s%s%s", place->path, place->value[0] ? " = " : "", place->value);
    ll_outline_piece(tree, LL_NODE_CODE);
}

static void put_places(ll_outline *tree, const ll_census_layout *layout, const ll_census_group *group, const claim *c)
{
    for (uint32_t i = c->first; i < c->end; i++) {
        uint32_t test = layout->by_rule[i].item;
        const ll_places *places = group->places[test];
        for (uint32_t k = 0; places && k < places->count; k++) {
            put_place(tree, &places->at[k]);
        }
        if (places && group->tallies[test].broken > places->count) {
            ll_outline_open(tree, LL_NODE_REMARK, "error");
            ll_text_format(&tree->words, "and %" PRIu64 " more", group->tallies[test].broken - places->count);
        }
    }
}

/* Builds the cell with the fields of a claim, the first ones if there are many. */
static void put_about(ll_outline *tree, const ll_census_layout *layout, const claim *c)
{
    uint32_t listed = 0;
    uint32_t fields = c->end - c->first;
    ll_outline_cell(tree);
    size_t from = tree->words.length;
    for (; listed < fields; listed++) {
        const char *name = layout->program->tests[layout->by_rule[c->first + listed].item].test.field->name;
        if (listed && tree->words.length - from + strlen(name) + sizeof ", and 99 more" > ABOUT_MOST) {
            ll_text_format(&tree->words, " and %" PRIu32 " more", fields - listed);
            break;
        }
        ll_text_format(&tree->words, "%s%s", listed ? ", " : "", name);
    }
}

static void put_claim(printer *p, const ll_census_layout *layout, const claim *c)
{
    ll_outline *tree = &p->tree;
    const ll_rule *rule = rule_at(p, c->rule);
    bool broken = c->sum.broken;
    ll_outline_open(tree, LL_NODE_ROW, broken ? "error" : NULL);
    LL_OUTLINE_CELL(tree, "%s %s", rule->id, rule->name);
    put_about(tree, layout, c);
    LL_OUTLINE_CELL(tree, "%s %" PRIu64 " of %" PRIu64, broken ? "BROKEN" : "holds",
                    broken ? c->sum.broken : c->sum.examined, c->sum.examined);
    ll_outline_bar(tree, c->sum.examined - c->sum.broken, c->sum.examined);
    LL_OUTLINE_CELL(tree, "%s", rule->check_text);
}

static void put_claims(printer *p, const ll_census_layout *layout, const ll_census_group *group)
{
    static const ll_outline_column heads[] = {{"claim", LL_CELL_NAME},
                                              {"about", LL_CELL_WORDS},
                                              {"result", LL_CELL_WORDS},
                                              {"holds", LL_CELL_CHART},
                                              {"says", LL_CELL_WORDS}};
    uint32_t silent = 0;
    bool any = false;
    for (claim c = {.end = 0}; ll_census_next_claim(layout, group, &c);) {
        silent += c.sum.examined == 0;
        if (c.sum.examined && !any) {
            ll_outline_table(&p->tree, heads, sizeof heads / sizeof *heads);
            any = true;
        }
        if (c.sum.examined) {
            put_claim(p, layout, &c);
            put_places(&p->tree, layout, group, &c);
        }
    }
    if (silent) {
        ll_outline_open(&p->tree, LL_NODE_PARAGRAPH, NULL);
        ll_text_format(&p->tree.words, "%" PRIu32 " %s never examined here.", silent,
                       silent == 1 ? "claim was" : "claims were");
    }
}

/* ------------------------------------------------------------------ records */

static void put_contents_row(ll_outline *tree, const ll_census_walk *at, uint64_t most, uint32_t number)
{
    uint64_t claims = 0;
    uint64_t broken = 0;
    for (claim c = {.end = 0}; ll_census_next_claim(at->layout, at->group, &c);) {
        claims += c.sum.examined > 0;
        broken += c.sum.broken > 0;
    }
    ll_outline_open(tree, LL_NODE_ROW, broken ? "error" : NULL);
    ll_outline_cell(tree);
    ll_census_group_name(&tree->words, at->format->format, at->layout, at->group);
    ll_outline_value(tree, LL_NODE_LINK, NULL, anchor_of(number), 0);
    ll_outline_number(tree, at->group->records);
    ll_outline_bar(tree, at->group->records, most);
    ll_outline_number(tree, claims);
    ll_outline_number(tree, broken);
}

/* Builds the table of a format's records, of which the walk is at the first one. */
static void put_contents(printer *p, const ll_census_walk *at)
{
    static const ll_outline_column heads[] = {{"record", LL_CELL_NAME},
                                              {"records", LL_CELL_NUMBER},
                                              {"of the most", LL_CELL_CHART},
                                              {"claims", LL_CELL_NUMBER},
                                              {"broken", LL_CELL_NUMBER}};
    uint64_t most = 0;
    uint32_t number = p->record;
    for (ll_census_walk walk = *at; walk.format == at->format;) {
        most = walk.group->records > most ? walk.group->records : most;
        if (!ll_census_next(p->census, &walk)) {
            break;
        }
    }
    ll_outline_open_at(&p->tree, LL_NODE_HEADING, (uint32_t)at->format_number + 1);
    ll_text_str(&p->tree.words, at->format->format->family);
    ll_outline_table(&p->tree, heads, sizeof heads / sizeof *heads);
    for (ll_census_walk walk = *at; walk.format == at->format;) {
        put_contents_row(&p->tree, &walk, most, number++);
        if (!ll_census_next(p->census, &walk)) {
            break;
        }
    }
}

static void put_group(printer *p, const ll_census_walk *at)
{
    const ll_census_group *group = at->group;
    const ll_layout *layout = at->layout->layout;
    ll_text *out = &p->tree.words;
    p->record++;
    if (p->contents != at->format) {
        p->contents = at->format;
        put_contents(p, at);
    }
    ll_outline_open(&p->tree, LL_NODE_FOLD, NULL);
    ll_outline_open_at(&p->tree, LL_NODE_SUMMARY, anchor_of(p->record));
    ll_census_group_name(out, at->format->format, at->layout, group);
    ll_outline_piece(&p->tree, LL_NODE_STRONG);
    ll_text_str(out, ": ");
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
        ll_text_format(out, "; %" PRIu64 " broken and not examined", group->broken);
    }
    ll_text_format(out, "%s%s", layout->meaning[0] ? ". " : "", layout->meaning);
    put_columns(p, at->layout, group);
    put_claims(p, at->layout, group);
}

/* ------------------------------------------------------------------ the whole */

static void put_format(printer *p, const ll_census_format *format)
{
    ll_text *out = &p->tree.words;
    bool any = false;
    for (size_t l = 0; l < format->layout_count; l++) {
        any = any || format->layouts[l].group_count;
    }
    ll_outline_open(&p->tree, LL_NODE_ITEM, NULL);
    ll_text_str(out, format->format->family);
    if (any) {
        ll_outline_value(&p->tree, LL_NODE_LINK, NULL, (uint64_t)(format - p->census->formats) + 1, 0);
    }
    ll_text_str(out, ": ");
    ll_count_text(out, format->files, "file");
    const char *separator = "; begins with ";
    for (size_t l = 0; l < format->layout_count; l++) {
        const ll_census_layout *layout = &format->layouts[l];
        for (uint32_t g = 0; g < layout->group_count; g++) {
            if (layout->groups[g]->leads) {
                ll_text_str(out, separator);
                ll_census_group_name(out, NULL, layout, layout->groups[g]);
                ll_text_format(out, " x%" PRIu64, layout->groups[g]->leads);
                separator = ", ";
            }
        }
    }
}

static void put_head(printer *p)
{
    const ll_census *census = p->census;
    ll_text *out = &p->tree.words;
    ll_outline_title(&p->tree, "Census");
    ll_outline_open(&p->tree, LL_NODE_PARAGRAPH, NULL);
    ll_files_text(census->files, census->members, out);
    ll_text_str(out, ", ");
    ll_count_text(out, census->bytes, "byte");
    ll_text_format(out, "; %" PRIu64 " not read or not read in full, %" PRIu64 " of no known format", census->unchecked,
                   census->unknown);
    bool any = false;
    for (size_t f = 0; f < census->format_count; f++) {
        if (census->formats[f].files) {
            if (!any) {
                ll_outline_open(&p->tree, LL_NODE_LIST, NULL);
            }
            any = true;
            put_format(p, &census->formats[f]);
        }
    }
    ll_outline_open(&p->tree, LL_NODE_PARAGRAPH, NULL);
    ll_text_format(out,
                   "Of each field up to %" PRIu32 " distinct values are kept; their counts are exact. Where there are "
                   "more, '>' says so, and '~' is an estimate.",
                   census->store.limit);
    ll_outline_open(&p->tree, LL_NODE_PARAGRAPH, NULL);
    ll_text_str(out,
                "The most frequent ones are then those of a sample of the values that is the same whatever the order "
                "of the files.");
}

/* Builds the heading and head of a table once. */
static void begin_table(ll_outline *tree, bool *begun, const char *name, const ll_outline_column *heads, size_t count)
{
    if (!*begun) {
        ll_outline_open(tree, LL_NODE_HEADING, NULL);
        ll_text_str(&tree->words, name);
        ll_outline_table(tree, heads, count);
    }
    *begun = true;
    ll_outline_open(tree, LL_NODE_ROW, NULL);
}

/* Builds the rows of references that occur in the files. */
static void put_references(printer *p)
{
    ll_outline *tree = &p->tree;
    ll_outline_column heads[3 + LL_LEADS] = {{"reference", LL_CELL_NAME}, {"to", LL_CELL_WORDS}};
    bool any = false;
    for (unsigned i = 0; i < LL_LEADS; i++) {
        heads[2 + i] = (ll_outline_column){ll_leads_names[i], LL_CELL_NUMBER};
    }
    heads[2 + LL_LEADS] = (ll_outline_column){"to a target", LL_CELL_CHART};
    for (size_t i = 0; i < p->census->references.count; i++) {
        const ll_census_reference *reference = &p->census->references.items[i];
        if (!reference->leads[LL_LEADS_COUNT]) {
            continue;
        }
        begin_table(tree, &any, "References", heads, sizeof heads / sizeof *heads);
        LL_OUTLINE_CELL(tree, "%s.%s", reference->layout->name, reference->layout->fields[reference->row->field].name);
        LL_OUTLINE_CELL(tree, "%s", reference->target->name);
        for (unsigned k = 0; k < LL_LEADS; k++) {
            ll_outline_number(tree, reference->leads[k]);
        }
        ll_outline_bar(tree, reference->leads[LL_LEADS_TARGET], reference->leads[LL_LEADS_COUNT]);
    }
}

/* Builds the findings of parsers and C checks. */
static void put_findings(printer *p)
{
    static const ll_outline_column heads[] = {
        {"rule", LL_CELL_NAME}, {"findings", LL_CELL_NUMBER}, {"of the most", LL_CELL_CHART}, {"says", LL_CELL_WORDS}};
    const ll_census *census = p->census;
    ll_outline *tree = &p->tree;
    uint32_t silent = 0;
    uint64_t most = 0;
    bool any = false;
    for (uint32_t i = 0; i < census->rules->count; i++) {
        most = census->found[i] > most ? census->found[i] : most;
    }
    for (uint32_t i = 0; i < census->rules->count; i++) {
        const ll_rule *rule = rule_at(p, i);
        bool chosen = census->claims->rules[i].severity != LL_SEVERITY_OFF;
        silent += !census->has_claims[i] && chosen && census->found[i] == 0;
        if (census->found[i]) {
            begin_table(tree, &any, "Faults and checks", heads, sizeof heads / sizeof *heads);
            LL_OUTLINE_CELL(tree, "%s %s", rule->id, rule->name);
            ll_outline_number(tree, census->found[i]);
            ll_outline_bar(tree, census->found[i], most);
            LL_OUTLINE_CELL(tree, "%s", rule->title);
        }
    }
    ll_outline_open(tree, LL_NODE_PARAGRAPH, NULL);
    ll_text_format(&tree->words, "%" PRIu32 " %s found nothing.", silent,
                   silent == 1 ? "fault or check" : "faults and checks");
}

ll_status ll_census_print_report(const ll_census *census, const ll_outline_printer *printed, ll_text *text,
                                 ll_write_fn write, void *ctx)
{
    printer p = {.census = census};
    ll_outline_init(&p.tree, printed, NULL, &text->allocator);
    put_head(&p);
    ll_status status = LL_OK;
    ll_census_walk walk = {.format = NULL};
    while (status == LL_OK && ll_census_next(census, &walk)) {
        put_group(&p, &walk);
        ll_outline_print(&p.tree, text);
        status = ll_send_text(text, LL_SEND_AT, write, ctx);
    }
    put_references(&p);
    put_findings(&p);
    ll_outline_finish(&p.tree, text);
    ll_outline_free(&p.tree);
    return status == LL_OK ? ll_send_text(text, 0, write, ctx) : status;
}
