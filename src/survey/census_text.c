/* Writes a census as tables for a terminal, as Markdown, and as HTML with charts. Everything from a file is escaped. */
#include "survey/census_html.h"
#include "survey/census_words.h"

#include "output/html/html.h"
#include "findings/words.h"

enum { ONCE_SHOWN = 3, SHOWN_BYTES = 16 };

/* ------------------------------------------------------------------ fields */

typedef ll_census_printer printer;
typedef ll_census_claim claim;

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

/* Appends remarks on all values of a column after those shown. */
static void put_remarks(ll_page *page, const ll_column *column)
{
    if (!ll_column_is_whole(column)) {
        ll_text_format(&page->cell, " (of a sample that holds %" PRIu64 " of them)", ll_column_sampled(column));
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
            ll_text_format(&page->cell, "; %" PRIu64 " %s", odd[i].count, odd[i].name);
        }
    }
}

static void put_values(ll_page *page, const ll_column_def *def, const ll_column *column)
{
    const ll_seen *seen[LL_CENSUS_FREQUENT];
    size_t n = ll_column_frequent(column, def, seen, LL_CENSUS_FREQUENT);
    n = n > ONCE_SHOWN && seen[0]->count == 1 ? ONCE_SHOWN : n; /* all values occur once */
    ll_page_begin_cell(page);
    for (size_t i = 0; i < n; i++) {
        put_seen(def, seen[i], &page->cell);
        ll_text_format(&page->cell, " x%" PRIu64, seen[i]->count);
        ll_page_share(page, i > 0, seen[i]->count, column->count);
    }
    put_remarks(page, column);
    ll_page_end_cell(page);
}

static void put_bits(ll_page *page, const ll_column_def *def, const ll_column *column)
{
    static const char *const around[LL_PAGE_FORMATS][2] = {
        {"    ", "\n"}, {"| ", " | | | | | | |\n"}, {"<tr><td colspan=\"8\">", "</td></tr>\n"}};
    uint64_t bits[64];
    if (!strstr(def->field->meaning, "bit 0") || !ll_column_bits(column, def, bits)) {
        return;
    }
    ll_text_format(page->out, "%sbits of %s:", around[page->format][0], def->field->name);
    bool any = false;
    for (unsigned i = 0; i < 64; i++) {
        if (bits[i]) {
            ll_text_format(page->out, "%s%" PRIu64 " x%" PRIu64, any ? ", " : " ", (uint64_t)i, bits[i]);
            any = true;
        }
    }
    ll_text_format(page->out, "%s%s", any ? "" : " none set", around[page->format][1]);
}

static void put_column(printer *p, const ll_census_layout *layout, const ll_column_def *def, const ll_column *column,
                       size_t width)
{
    ll_page *page = &p->page;
    ll_page_begin_row(page, NULL);
    ll_census_column_name(def, &page->cell);
    ll_page_cell(page, width, false);
    ll_census_type(def, layout->layout, &page->cell);
    ll_page_cell(page, TYPE_WIDTH, false);
    LL_PAGE_CELL(page, COUNT_WIDTH, true, "%" PRIu64, column->count);
    if (!ll_column_is_whole(column)) {
        ll_text_format(&page->cell, ">%" PRIu32 ", ~", p->census->store.limit);
    }
    LL_PAGE_CELL(page, COUNT_WIDTH + 1, true, "%" PRIu64, ll_column_distinct(column, def));
    for (unsigned i = 0; i < 2; i++) {
        if (column->ranged && !ll_field_is_hex(def->field)) {
            ll_census_number(def, ll_column_unordered(def, i ? column->high : column->low), &page->cell);
        } else {
            ll_text_char(&page->cell, '-');
        }
        ll_page_cell(page, RANGE_WIDTH, true);
    }
    if (page->style->draws) {
        ll_census_histogram(page, def, column);
    }
    put_values(page, def, column);
    ll_page_end_row(page);
    put_bits(page, def, column);
}

static void put_columns(printer *p, const ll_census_layout *layout, const ll_census_group *group)
{
    ll_text *cell = &p->page.cell;
    size_t width = sizeof "field" - 1;
    for (uint32_t i = 0; i < layout->def_count; i++) {
        ll_census_column_name(&layout->defs[i], cell);
        width = cell->length > width ? cell->length : width;
        ll_text_clear(cell);
    }
    if (layout->def_count == 0) {
        return;
    }
    const ll_page_head heads[] = {{"field", width, .right = false},      {"type", TYPE_WIDTH, .right = false},
                                  {"count", COUNT_WIDTH, .right = true}, {"distinct", COUNT_WIDTH + 1, .right = true},
                                  {"min", RANGE_WIDTH, .right = true},   {"max", RANGE_WIDTH, .right = true},
                                  {"histogram", .chart = true},          {"most frequent", 0, .right = false}};
    ll_page_begin_table(&p->page, heads, sizeof heads / sizeof *heads);
    for (uint32_t i = 0; i < layout->def_count; i++) {
        put_column(p, layout, &layout->defs[i], &group->columns[i], width);
    }
    ll_page_end_table(&p->page);
}

/* ------------------------------------------------------------------ claims */

static const ll_rule *rule_at(const printer *p, uint32_t number)
{
    return ll_rule_at(p->census->claims, number);
}

static void put_place(ll_page *page, const ll_broken_place *place)
{
    static const char *const around[LL_PAGE_FORMATS][2] = {{"      ", "\n"}, {"- ", "\n"}, {"<li>", "</li>\n"}};
    ll_text *cell = &page->cell;
    ll_text_str(page->out, around[page->format][0]);
    ll_text_escape(cell, place->file, strlen(place->file));
    ll_text_char(cell, ' ');
    ll_place_text(place->offset, place->length, cell);
    if (place->inner.region) {
        ll_text_str(cell, " (");
        ll_place_text(place->inner.offset, place->inner.length, cell);
        ll_text_format(cell, " in %s)", place->inner.region);
    }
    ll_text_format(cell, " %s%s%s", place->path, place->value[0] ? " = " : "", place->value);
    ll_page_code(page);
    ll_text_str(page->out, around[page->format][1]);
}

/* Writes the fields of a claim, as many as fit on a terminal. */
static void put_about(ll_page *page, const ll_census_layout *layout, const claim *c)
{
    uint32_t listed = 0;
    uint32_t fields = c->end - c->first;
    for (uint32_t i = 0; i < fields && i == listed; i++) {
        const char *name = layout->program->tests[layout->by_rule[c->first + i].item].test.field->name;
        bool fits = page->cell.length + strlen(name) + sizeof ", and 99 more" <= CLAIM_WIDTH || !page->style->fits;
        if (fits || listed == 0) {
            ll_text_format(&page->cell, "%s%s", listed++ ? ", " : "", name);
        }
    }
    if (listed < fields) {
        ll_text_format(&page->cell, " and %" PRIu32 " more", fields - listed);
    }
    ll_page_cell(page, CLAIM_WIDTH, false);
}

static void put_claim(printer *p, const ll_census_layout *layout, const claim *c, size_t width)
{
    ll_page *page = &p->page;
    const ll_rule *rule = rule_at(p, c->rule);
    bool broken = c->sum.broken;
    ll_page_begin_row(page, broken ? "error" : NULL);
    LL_PAGE_CELL(page, width, false, "%s %s", rule->id, rule->name);
    put_about(page, layout, c);
    LL_PAGE_CELL(page, HOLD_WIDTH, false, "%s %" PRIu64 " of %" PRIu64, broken ? "BROKEN" : "holds",
                 broken ? c->sum.broken : c->sum.examined, c->sum.examined);
    ll_page_bar(page, c->sum.examined - c->sum.broken, c->sum.examined);
    LL_PAGE_CELL(page, 0, false, "%s", rule->check_text);
    ll_page_end_row(page);
}

static void put_places(ll_page *page, const ll_census_layout *layout, const ll_census_group *group, const claim *c)
{
    static const char *const around[LL_PAGE_FORMATS][2] = {
        {"      and ", " more\n"}, {"- and ", " more\n"}, {"<li>and ", " more</li>\n"}};
    for (uint32_t i = c->first; i < c->end; i++) {
        uint32_t test = layout->by_rule[i].item;
        const ll_places *places = group->places[test];
        for (uint32_t k = 0; places && k < places->count; k++) {
            put_place(page, &places->at[k]);
        }
        if (places && group->tallies[test].broken > places->count) {
            ll_text_format(page->out, "%s%" PRIu64 "%s", around[page->format][0],
                           group->tallies[test].broken - places->count, around[page->format][1]);
        }
    }
}

/* Width of the longest "GRX012 name-hash" of a table. */
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

/* Lists the places where claims fail, after the table; on a terminal the table has them. */
static void put_breaks(printer *p, const ll_census_layout *layout, const ll_census_group *group)
{
    static const char *const around[LL_PAGE_FORMATS][3] = {
        {""}, {"\nWhere ", " breaks:\n\n", ""}, {"<p>Where ", " breaks:</p>\n<ul>\n", "</ul>\n"}};
    const char *const *words = around[p->page.format];
    for (claim c = {.end = 0}; !p->page.style->fits && ll_census_next_claim(layout, group, &c);) {
        if (c.sum.broken) {
            ll_text_format(p->page.out, "%s%s%s", words[0], rule_at(p, c.rule)->id, words[1]);
            put_places(&p->page, layout, group, &c);
            ll_text_str(p->page.out, words[2]);
        }
    }
}

static void put_claims(printer *p, const ll_census_layout *layout, const ll_census_group *group)
{
    static const char *const silence[LL_PAGE_FORMATS][2] = {{"  ", "\n"}, {"\n", "\n"}, {"<p>", "</p>\n"}};
    ll_page *page = &p->page;
    uint32_t silent = 0;
    bool any = false;
    size_t width = label_width(p, layout);
    for (claim c = {.end = 0}; ll_census_next_claim(layout, group, &c);) {
        silent += c.sum.examined == 0;
        if (c.sum.examined && !any) {
            const ll_page_head heads[] = {{"claim", width, .right = false},
                                          {"about", CLAIM_WIDTH, .right = false},
                                          {"result", HOLD_WIDTH, .right = false},
                                          {"holds", .chart = true},
                                          {"says", 0, .right = false}};
            ll_text_str(page->out, page->style->draws ? "" : "\n");
            ll_page_begin_table(page, heads, sizeof heads / sizeof *heads);
            any = true;
        }
        if (c.sum.examined) {
            put_claim(p, layout, &c, width);
        }
        if (c.sum.broken && page->style->fits) {
            put_places(page, layout, group, &c);
        }
    }
    if (any) {
        ll_page_end_table(page);
    }
    if (silent) {
        ll_text_format(page->out, "%s%" PRIu32 " %s never examined here.%s", silence[page->format][0], silent,
                       silent == 1 ? "claim was" : "claims were", silence[page->format][1]);
    }
    put_breaks(p, layout, group);
}

/* ------------------------------------------------------------------ groups and the whole */

static void put_group(printer *p, const ll_census_walk *at)
{
    static const char *const around[LL_PAGE_FORMATS][3] = {
        {"\n", ": ", "\n"}, {"\n## ", "\n\n", "\n\n"}, {"<b>", "</b> ", "</summary>\n"}};
    const char *const *words = around[p->page.format];
    const ll_census_group *group = at->group;
    const ll_layout *layout = at->layout->layout;
    ll_text *out = p->page.out;
    if (p->page.style->draws) {
        ll_census_begin_record(p, at);
    }
    ll_text_str(out, words[0]);
    ll_census_group_name(&p->page, at->format->format, at->layout, group);
    ll_text_str(out, words[1]);
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
    ll_text_format(&p->page.cell, "%s%s", layout->meaning[0] ? ". " : "", layout->meaning);
    ll_page_words(&p->page);
    ll_text_str(out, words[2]);
    if (p->page.style->draws) {
        ll_text_format(out, "<div id=\"record-%" PRIu32 "\">\n", p->record);
    }
    put_columns(p, at->layout, group);
    put_claims(p, at->layout, group);
    if (p->page.style->draws) {
        ll_census_end_record(p);
    }
}

static void put_format(printer *p, const ll_census_format *format)
{
    static const char *const around[LL_PAGE_FORMATS][2] = {{"  ", "\n"}, {"- ", "\n"}, {"<li>", "</li>\n"}};
    ll_text *out = p->page.out;
    ll_text_str(out, around[p->page.format][0]);
    if (p->page.style->draws) {
        ll_text_format(out, "<a href=\"#%s\">%s</a>: ", format->format->family, format->format->family);
    } else {
        ll_text_format(out, "%s: ", format->format->family);
    }
    ll_count_text(out, format->files, "file");
    const char *separator = "; begins with ";
    for (size_t l = 0; l < format->layout_count; l++) {
        const ll_census_layout *layout = &format->layouts[l];
        for (uint32_t g = 0; g < layout->group_count; g++) {
            if (layout->groups[g]->leads) {
                ll_text_str(out, separator);
                ll_census_group_name(&p->page, NULL, layout, layout->groups[g]);
                ll_text_format(out, " x%" PRIu64, layout->groups[g]->leads);
                separator = ", ";
            }
        }
    }
    ll_text_str(out, around[p->page.format][1]);
}

static void put_head(printer *p)
{
    static const char *const around[LL_PAGE_FORMATS][4] = {
        {"", "\n", "", "\n"}, {"# Census\n\n", "\n\n", "\n", "\n"}, {"<p>", "</p>\n<ul>\n", "</ul>\n<p>", "</p>\n"}};
    const char *const *words = around[p->page.format];
    const ll_census *census = p->census;
    ll_text *out = p->page.out;
    if (p->page.style->draws) {
        ll_html_begin(out, "Census");
    }
    ll_text_str(out, words[0]);
    ll_files_text(census->files, census->members, out);
    ll_text_str(out, ", ");
    ll_count_text(out, census->bytes, "byte");
    ll_text_format(out, "; %" PRIu64 " not read or not read in full, %" PRIu64 " of no known format%s",
                   census->unchecked, census->unknown, words[1]);
    for (size_t f = 0; f < census->format_count; f++) {
        if (census->formats[f].files) {
            put_format(p, &census->formats[f]);
        }
    }
    ll_text_format(
        &p->page.cell,
        "Of each field up to %" PRIu32
        " distinct values are kept; their counts are exact. Where there are more, '>' says so, '~' is an estimate,\n"
        "and the most frequent ones are those of a sample of the values that is the same whatever the order of the "
        "files.",
        census->store.limit);
    ll_text_str(out, words[2]);
    ll_text_put(out, p->page.cell.data, p->page.cell.length); /* plain text of lightlint: no escapes needed */
    ll_text_clear(&p->page.cell);
    ll_text_str(out, words[3]);
}

/* Writes the heading and head of a table once. */
static void begin_table(ll_page *page, bool *begun, const char *name, const ll_page_head *heads, size_t count)
{
    if (!*begun) {
        ll_page_heading(page, name);
        ll_page_begin_table(page, heads, count);
    }
    *begun = true;
}

static void end_table(ll_page *page, bool begun)
{
    if (begun) {
        ll_page_end_table(page);
    }
}

enum { REFERENCE_WIDTH = 40, TARGET_WIDTH = 21 };

/* Writes the rows of references that occur in the files. */
static void put_references(printer *p)
{
    ll_page *page = &p->page;
    ll_page_head heads[3 + LL_LEADS] = {{"reference", REFERENCE_WIDTH, .right = false},
                                        {"to", TARGET_WIDTH, .right = false}};
    bool any = false;
    for (unsigned i = 0; i < LL_LEADS; i++) {
        heads[2 + i] = (ll_page_head){ll_leads_names[i], COUNT_WIDTH + 1, .right = true};
    }
    heads[2 + LL_LEADS] = (ll_page_head){"to a target", .chart = true};
    for (size_t i = 0; i < p->census->references.count; i++) {
        const ll_census_reference *reference = &p->census->references.items[i];
        if (!reference->leads[LL_LEADS_COUNT]) {
            continue;
        }
        begin_table(page, &any, "References", heads, sizeof heads / sizeof *heads);
        ll_page_begin_row(page, NULL);
        LL_PAGE_CELL(page, REFERENCE_WIDTH, false, "%s.%s", reference->layout->name,
                     reference->layout->fields[reference->row->field].name);
        LL_PAGE_CELL(page, TARGET_WIDTH, false, "%s", reference->target->name);
        for (unsigned k = 0; k < LL_LEADS; k++) {
            LL_PAGE_CELL(page, COUNT_WIDTH + 1, true, "%" PRIu64, reference->leads[k]);
        }
        ll_page_bar(page, reference->leads[LL_LEADS_TARGET], reference->leads[LL_LEADS_COUNT]);
        ll_page_end_row(page);
    }
    end_table(page, any);
}

/* Writes the findings of parsers and C checks. */
static void put_findings(printer *p)
{
    static const char *const around[LL_PAGE_FORMATS][2] = {{"\n", "\n"}, {"\n", "\n"}, {"<p>", "</p>\n"}};
    const ll_census *census = p->census;
    ll_page *page = &p->page;
    static const ll_page_head heads[] = {{"rule", RULE_WIDTH, .right = false},
                                         {"findings", COUNT_WIDTH + 1, .right = true},
                                         {"of the most", .chart = true},
                                         {"says", 0, .right = false}};
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
        if (census->found[i] == 0) {
            continue;
        }
        begin_table(page, &any, "Faults and checks", heads, sizeof heads / sizeof *heads);
        ll_page_begin_row(page, NULL);
        LL_PAGE_CELL(page, RULE_WIDTH, false, "%s %s", rule->id, rule->name);
        LL_PAGE_CELL(page, COUNT_WIDTH + 1, true, "%" PRIu64, census->found[i]);
        ll_page_bar(page, census->found[i], most);
        LL_PAGE_CELL(page, 0, false, "%s", rule->title);
        ll_page_end_row(page);
    }
    end_table(page, any);
    ll_text_format(page->out, "%s%" PRIu32 " %s found nothing.%s", around[page->format][0], silent,
                   silent == 1 ? "fault or check" : "faults and checks", around[page->format][1]);
}

static ll_status print(const ll_census *census, ll_page_format format, ll_text *text, ll_write_fn write, void *ctx)
{
    printer p = {.census = census};
    ll_page_init(&p.page, format, text);
    put_head(&p);
    ll_status status = ll_send_text(text, LL_SEND_AT, write, ctx);
    ll_census_walk walk = {.format = NULL};
    while (status == LL_OK && ll_census_next(census, &walk)) {
        put_group(&p, &walk);
        status = ll_send_text(text, LL_SEND_AT, write, ctx);
    }
    put_references(&p);
    put_findings(&p);
    if (p.page.style->draws) {
        ll_html_end(text);
    }
    ll_text_free(&p.page.cell);
    return status == LL_OK ? ll_send_text(text, 0, write, ctx) : status;
}

ll_status ll_census_print_text(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx)
{
    return print(census, LL_PAGE_TEXT, text, write, ctx);
}

ll_status ll_census_print_markdown(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx)
{
    return print(census, LL_PAGE_MARKDOWN, text, write, ctx);
}

ll_status ll_census_print_html(const ll_census *census, ll_text *text, ll_write_fn write, void *ctx)
{
    return print(census, LL_PAGE_HTML, text, write, ctx);
}
