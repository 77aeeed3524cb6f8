/* Writes the parts of a census that only HTML has: a table of records, and histograms. */
#include "survey/census_html.h"

#include "output/html/html.h"
#include "survey/census_words.h"
#include "findings/words.h"

/* ------------------------------------------------------------------ histograms */

enum { BINS = 24 };

/* Ranges of a histogram: counts, and offsets of their titles. */
typedef struct bins {
    double low, step;
    uint64_t counts[BINS];
    size_t titles[BINS];
} bins;

static size_t bin_of(const bins *b, double value)
{
    double at = (value - b->low) / b->step;
    return at >= BINS ? BINS - 1 : at > 0 ? (size_t)at : 0;
}

/* Appends "0.5 to 1: 12" for each range; each text ends with NUL. */
static void put_titles(bins *b, ll_text *out)
{
    for (size_t i = 0; i < BINS; i++) {
        b->titles[i] = out->length;
        ll_text_float(out, b->low + b->step * (double)i, 32);
        ll_text_str(out, " to ");
        ll_text_float(out, b->low + b->step * (double)(i + 1), 32);
        ll_text_format(out, ": %" PRIu64, b->counts[i]);
        ll_text_char(out, '\0');
    }
}

static void put_histogram(ll_page *page, const ll_column_def *def, const ll_column *column, bins *b)
{
    const char *titles[BINS];
    ll_text text;
    ll_text_init(&text, &page->out->allocator);
    for (size_t i = 0; i < column->seen.count; i++) {
        double value = ll_column_value(def, column->seen.items[i].key);
        if (value - value == 0) { /* finite */
            b->counts[bin_of(b, value)] += column->seen.items[i].count;
        }
    }
    put_titles(b, &text);
    ll_census_column_name(def, &page->cell);
    ll_text_format(&page->cell, ": how many of %" PRIu64 " values are how large", ll_column_sampled(column));
    for (size_t i = 0; i < BINS; i++) {
        titles[i] = text.failed ? "" : text.data + b->titles[i];
    }
    ll_html_histogram(page->out, ll_text_cstr(&page->cell), b->counts, titles, BINS);
    page->out->failed = page->out->failed || text.failed || page->cell.failed;
    ll_text_clear(&page->cell);
    ll_text_free(&text);
}

void ll_census_histogram(ll_page *page, const ll_column_def *def, const ll_column *column)
{
    bool numbers = def->form != LL_COLUMN_TEXT && column->ranged && !ll_field_is_hex(def->field);
    bins b = {.low = 0};
    if (numbers && column->seen.count > LL_CENSUS_FREQUENT) {
        b.low = ll_column_value(def, ll_column_unordered(def, column->low));
        b.step = (ll_column_value(def, ll_column_unordered(def, column->high)) - b.low) / BINS;
    }
    ll_text_str(page->out, "<td class=\"chart\">");
    if (b.step > 0) {
        put_histogram(page, def, column, &b);
    }
    ll_text_str(page->out, "</td>");
}

/* ------------------------------------------------------------------ records */

static void put_contents_row(ll_page *page, const ll_census_format *format, const ll_census_layout *layout,
                             const ll_census_group *group, uint64_t most, uint32_t number)
{
    uint64_t claims = 0;
    uint64_t broken = 0;
    for (ll_census_claim c = {.end = 0}; ll_census_next_claim(layout, group, &c);) {
        claims += c.sum.examined > 0;
        broken += c.sum.broken > 0;
    }
    ll_page_begin_row(page, broken ? "error" : NULL);
    ll_text_format(page->out, "<td><a href=\"#record-%" PRIu32 "\">", number);
    ll_census_group_name(page, format->format, layout, group);
    ll_text_str(page->out, "</a></td>");
    LL_PAGE_CELL(page, 0, true, "%" PRIu64, group->records);
    ll_html_bar_cell(page->out, group->records, most);
    LL_PAGE_CELL(page, 0, true, "%" PRIu64, claims);
    LL_PAGE_CELL(page, 0, true, "%s%" PRIu64, broken ? "BROKEN " : "", broken);
    ll_page_end_row(page);
}

/* Writes a table of a format's records, with links. `first`: number of the first. */
static void put_contents(ll_page *page, const ll_census_format *format, uint32_t first)
{
    static const ll_page_head heads[] = {{"record", .right = false},
                                         {"records", .right = true},
                                         {"of the most", .chart = true},
                                         {"claims", .right = true},
                                         {"broken", .right = true}};
    uint64_t most = 0;
    for (size_t l = 0; l < format->layout_count; l++) {
        const ll_census_layout *layout = &format->layouts[l];
        for (uint32_t g = 0; g < layout->group_count; g++) {
            most = layout->groups[g]->records > most ? layout->groups[g]->records : most;
        }
    }
    ll_text_format(page->out, "<h2 id=\"%s\">%s</h2>\n", format->format->family, format->format->family);
    ll_page_begin_table(page, heads, sizeof heads / sizeof *heads);
    for (size_t l = 0; l < format->layout_count; l++) {
        const ll_census_layout *layout = &format->layouts[l];
        for (uint32_t g = 0; g < layout->group_count; g++) {
            put_contents_row(page, format, layout, layout->groups[g], most, first++);
        }
    }
    ll_page_end_table(page);
}

void ll_census_begin_record(ll_census_printer *p, const ll_census_walk *at)
{
    p->record++;
    if (p->contents != at->format) {
        p->contents = at->format;
        put_contents(&p->page, at->format, p->record);
    }
    ll_text_str(p->page.out, "<details class=\"record\"><summary>");
}

void ll_census_end_record(ll_census_printer *p)
{
    ll_text_str(p->page.out, "</div></details>\n");
}
