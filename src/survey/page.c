/* Writes tables as text, Markdown and HTML. */
#include "survey/page.h"

#include "output/html/html.h"
#include "findings/words.h"

static void put_plain(ll_text *out, const char *text)
{
    ll_text_str(out, text);
}

static void put_html_code(ll_text *out, const char *text)
{
    ll_html_element(out, "code", text);
}

const ll_page_style ll_page_styles[LL_PAGE_FORMATS] = {
    [LL_PAGE_TEXT] = {.words = ll_text_put,
                      .code = put_plain,
                      .fits = true,
                      .heading = "\n",
                      .heading_end = "\n",
                      .table = "",
                      .head = {"  ", "  ", ""},
                      .head_end = "",
                      .rule = "",
                      .rules_end = "",
                      .row = "",
                      .cell = {"  ", "  "},
                      .cell_end = "",
                      .row_end = "\n",
                      .shares = {"", ", "},
                      .share_end = "",
                      .table_end = ""},
    [LL_PAGE_MARKDOWN] = {.words = ll_markdown_text,
                          .code = ll_markdown_code,
                          .heading = "\n## ",
                          .heading_end = "\n\n",
                          .table = "",
                          .head = {"| ", "| ", ""},
                          .head_end = " ",
                          .rule = "| --- ",
                          .rules_end = "|\n",
                          .row = "",
                          .cell = {"| ", "| "},
                          .cell_end = " ",
                          .row_end = "|\n",
                          .shares = {"", ", "},
                          .share_end = "",
                          .table_end = ""},
    [LL_PAGE_HTML] = {.words = ll_html_text,
                      .code = put_html_code,
                      .draws = true,
                      .heading = "<h2>",
                      .heading_end = "</h2>\n",
                      .table = "<div class=\"scroll\" tabindex=\"0\"><table>\n<tr>",
                      .head = {"<th scope=\"col\">", "<th scope=\"col\" class=\"number\">",
                               "<th scope=\"col\" class=\"chart\">"},
                      .head_end = "</th>",
                      .rule = "",
                      .rules_end = "",
                      .row = "<tr>",
                      .cell = {"<td>", "<td class=\"number\">"},
                      .cell_end = "</td>",
                      .row_end = "</tr>\n",
                      .shares = {"<span class=\"share\">", "<span class=\"share\">"},
                      .share_end = "</span>",
                      .table_end = "</table></div>\n"},
};

void ll_page_init(ll_page *page, ll_page_format format, ll_text *out)
{
    *page = (ll_page){.format = format, .style = &ll_page_styles[format], .out = out};
    ll_text_init(&page->cell, &out->allocator);
}

static void end_cell(ll_page *page)
{
    page->out->failed = page->out->failed || page->cell.failed;
    ll_text_clear(&page->cell);
}

void ll_page_words(ll_page *page)
{
    page->style->words(page->out, page->cell.data, page->cell.length);
    end_cell(page);
}

void ll_page_code(ll_page *page)
{
    page->style->code(page->out, ll_text_cstr(&page->cell));
    end_cell(page);
}

static void put_cell(ll_page *page, const char *begin, const char *end, size_t width, bool right)
{
    size_t fill = page->style->fits && page->cell.length < width ? width - page->cell.length : 0;
    ll_text_str(page->out, begin);
    ll_text_repeat(page->out, ' ', right ? fill : 0);
    ll_page_words(page);
    ll_text_repeat(page->out, ' ', right ? 0 : fill);
    ll_text_str(page->out, end);
}

void ll_page_cell(ll_page *page, size_t width, bool right)
{
    put_cell(page, page->style->cell[right], page->style->cell_end, width, right);
}

void ll_page_begin_cell(ll_page *page)
{
    ll_text_str(page->out, page->style->cell[0]);
}

void ll_page_end_cell(ll_page *page)
{
    ll_page_words(page);
    ll_text_str(page->out, page->style->cell_end);
}

void ll_page_share(ll_page *page, bool more, uint64_t value, uint64_t most)
{
    ll_text_str(page->out, page->style->shares[more]);
    if (page->style->draws) {
        ll_html_bar(page->out, value, most);
    }
    ll_page_words(page);
    ll_text_str(page->out, page->style->share_end);
}

void ll_page_bar(ll_page *page, uint64_t value, uint64_t most)
{
    if (page->style->draws) {
        ll_html_bar_cell(page->out, value, most);
    }
}

void ll_page_begin_table(ll_page *page, const ll_page_head *heads, size_t count)
{
    const ll_page_style *style = page->style;
    ll_text_str(page->out, style->table);
    for (size_t i = 0; i < count; i++) {
        if (!heads[i].chart || style->draws) {
            ll_text_str(&page->cell, heads[i].name);
            put_cell(page, style->head[heads[i].chart ? 2 : heads[i].right], style->head_end, heads[i].width,
                     heads[i].right);
        }
    }
    ll_page_end_row(page);
    for (size_t i = 0; i < count; i++) {
        ll_text_str(page->out, heads[i].chart ? "" : style->rule);
    }
    ll_text_str(page->out, style->rules_end);
}

void ll_page_begin_row(ll_page *page, const char *tone)
{
    if (page->style->draws && tone) {
        ll_text_format(page->out, "<tr class=\"%s\">", tone);
        return;
    }
    ll_text_str(page->out, page->style->row);
}

void ll_page_end_row(ll_page *page)
{
    ll_text *out = page->out;
    while (page->style->fits && out->length && out->data[out->length - 1] == ' ') {
        out->length--;
    }
    ll_text_str(out, page->style->row_end);
}

void ll_page_end_table(ll_page *page)
{
    ll_text_str(page->out, page->style->table_end);
}

void ll_page_heading(ll_page *page, const char *words)
{
    ll_text_str(page->out, page->style->heading);
    ll_text_str(page->out, words);
    ll_text_str(page->out, page->style->heading_end);
}
