/* Reports as HTML: one file without script, to read, print or send. Whatever comes out of a file goes through
 * ll_html_text(), so that it is never markup. Nothing here depends on the locale. */
#ifndef LL_REPORT_HTML_H
#define LL_REPORT_HTML_H

#include "base/text.h"

/* Bytes that may be anything as content or as the value of an attribute in double quotes: valid UTF-8 without what a
 * terminal would obey; other bytes become \xNN. */
void ll_html_text(ll_text *out, const char *text, size_t n);
/* A text that NUL ends, as content of an element <tag>; `tag` may have attributes, which are written as they are. */
void ll_html_element(ll_text *out, const char *tag, const char *text);

/* The page as far as the title and its heading, and its end. The policy in it lets it load nothing. */
void ll_html_begin(ll_text *out, const char *title);
void ll_html_end(ll_text *out);

/* A bar of value / most of its width (at least a sliver, where value is not 0); what the value is stands beside it. The
 * second is a cell of a table. */
void ll_html_bar(ll_text *out, uint64_t value, uint64_t most);
void ll_html_bar_cell(ll_text *out, uint64_t value, uint64_t most);
/* Columns side by side, as high as their counts. `titles`: what each says of itself to who points at it or has it read;
 * `label` says what all of it is. Nothing for n = 0. */
void ll_html_histogram(ll_text *out, const char *label, const uint64_t *counts, const char *const *titles, size_t n);

#endif
