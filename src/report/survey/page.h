/* Tables of what was counted, for a terminal, as Markdown and as HTML: a row each says what stands around words and
 * cells. Who writes a page goes over its subject once, whatever the format. */
#ifndef LL_REPORT_PAGE_H
#define LL_REPORT_PAGE_H

#include "base/text.h"

typedef enum ll_page_format { LL_PAGE_TEXT, LL_PAGE_MARKDOWN, LL_PAGE_HTML, LL_PAGE_FORMATS } ll_page_format;

typedef struct ll_page_style {
    void (*words)(ll_text *out, const char *text, size_t n); /* so that they are nothing but words */
    void (*code)(ll_text *out, const char *text);            /* the same, as something to be copied */
    bool fits;  /* columns are as wide as their heads say, and lines fit a terminal */
    bool draws; /* has charts */
    const char *heading, *heading_end;
    const char *table, *head[3], *head_end, *rule, *rules_end, *table_end; /* head: of words, of numbers, of charts */
    const char *row, *cell[2], *cell_end, *row_end;
    const char *shares[2], *share_end; /* the first, another */
} ll_page_style;
extern const ll_page_style ll_page_styles[LL_PAGE_FORMATS];

typedef struct ll_page {
    ll_page_format format;
    const ll_page_style *style; /* of the format */
    ll_text *out;
    ll_text cell; /* words that are not yet in `out`; safe for a terminal */
} ll_page;

typedef struct ll_page_head {
    const char *name;
    size_t width;
    bool right; /* a number */
    bool chart; /* only where there are charts */
} ll_page_head;

/* ll_text_free() of the cell ends it. */
void ll_page_init(ll_page *page, ll_page_format format, ll_text *out);
/* Moves the cell to the page. */
void ll_page_words(ll_page *page);
void ll_page_code(ll_page *page);
/* The same, as a cell of a table. */
void ll_page_cell(ll_page *page, size_t width, bool right);
#define LL_PAGE_CELL(page, width, right, ...)                                                                          \
    (ll_text_format(&(page)->cell, __VA_ARGS__), ll_page_cell((page), (width), (right)))
/* A cell in pieces. */
void ll_page_begin_cell(ll_page *page);
void ll_page_end_cell(ll_page *page);
/* A piece of it that stands for so much of `most`; `more`: one stands in front of it. */
void ll_page_share(ll_page *page, bool more, uint64_t value, uint64_t most);
/* A cell that says how much of `most` a value is, where there are charts. */
void ll_page_bar(ll_page *page, uint64_t value, uint64_t most);
void ll_page_begin_table(ll_page *page, const ll_page_head *heads, size_t count);
/* `tone`: what colour it has where there are colours, "error", "warning" or "note"; NULL: none. */
void ll_page_begin_row(ll_page *page, const char *tone);
void ll_page_end_row(ll_page *page);
void ll_page_end_table(ll_page *page);
void ll_page_heading(ll_page *page, const char *words);

#endif
