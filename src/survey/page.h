/* Writes tables of counts for a terminal, as Markdown and as HTML. A style holds what each format puts around words and
 * cells, so callers write a page once for all formats. */
#ifndef LL_SURVEY_PAGE_H
#define LL_SURVEY_PAGE_H

#include "base/text.h"

typedef enum ll_page_format { LL_PAGE_TEXT, LL_PAGE_MARKDOWN, LL_PAGE_HTML, LL_PAGE_FORMATS } ll_page_format;

typedef struct ll_page_style {
    void (*words)(ll_text *out, const char *text, size_t n); /* escapes words */
    void (*code)(ll_text *out, const char *text);            /* writes text to be copied */
    bool fits;  /* columns have the width of their heads, and lines fit a terminal */
    bool draws; /* has charts */
    const char *heading, *heading_end;
    const char *table, *head[3], *head_end, *rule, *rules_end,
        *table_end; /* head: of a column of words, numbers, charts */
    const char *row, *cell[2], *cell_end, *row_end;
    const char *shares[2], *share_end; /* start of the first, of another share */
} ll_page_style;
extern const ll_page_style ll_page_styles[LL_PAGE_FORMATS];

typedef struct ll_page {
    ll_page_format format;
    const ll_page_style *style; /* style of the format */
    ll_text *out;
    ll_text cell; /* words not yet in `out`; safe to print on a terminal */
} ll_page;

typedef struct ll_page_head {
    const char *name;
    size_t width;
    bool right; /* a number, right-aligned */
    bool chart; /* only in formats with charts */
} ll_page_head;

/* Free the page with ll_text_free(&page->cell). */
void ll_page_init(ll_page *page, ll_page_format format, ll_text *out);
/* Move the cell's text to `out`, as words or as code. */
void ll_page_words(ll_page *page);
void ll_page_code(ll_page *page);
/* Writes the cell's text as a cell of a table. */
void ll_page_cell(ll_page *page, size_t width, bool right);
#define LL_PAGE_CELL(page, width, right, ...)                                                                          \
    (ll_text_format(&(page)->cell, __VA_ARGS__), ll_page_cell((page), (width), (right)))
/* Begin and end a cell written in pieces. */
void ll_page_begin_cell(ll_page *page);
void ll_page_end_cell(ll_page *page);
/* Writes a piece with a bar for value / most. more: it is not the first piece. */
void ll_page_share(ll_page *page, bool more, uint64_t value, uint64_t most);
/* Writes a cell with a bar for value / most, in formats with charts. */
void ll_page_bar(ll_page *page, uint64_t value, uint64_t most);
void ll_page_begin_table(ll_page *page, const ll_page_head *heads, size_t count);
/* tone: colour class "error", "warning" or "note"; NULL: none. */
void ll_page_begin_row(ll_page *page, const char *tone);
void ll_page_end_row(ll_page *page);
void ll_page_end_table(ll_page *page);
void ll_page_heading(ll_page *page, const char *words);

#endif
