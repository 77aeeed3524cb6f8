/* Writes HTML: one file without script, to read, print or send. Bytes from a file are escaped by ll_html_text(), so
 * they are never markup. Output does not depend on the locale. */
#ifndef LL_OUTPUT_HTML_H
#define LL_OUTPUT_HTML_H

#include "base/text.h"

/* Appends any bytes as content or as an attribute value in double quotes: valid UTF-8 without terminal control
 * characters; other bytes become \xNN. */
void ll_html_text(ll_text *out, const char *text, size_t n);

/* Append the page up to its heading, and its end. Its content security policy forbids loading anything. */
void ll_html_begin(ll_text *out, const char *title);
void ll_html_end(ll_text *out);

/* Appends a word in its colour; a severity has its sign before it: "✕ error". */
void ll_html_mark(ll_text *out, const char *word);
/* Appends a bar of value / most of its width, at least a sliver if value is not 0. The caller shows the value beside
 * it. */
void ll_html_bar(ll_text *out, uint64_t value, uint64_t most);
/* Appends columns as high as their counts. titles: a tooltip for each; label: a description of the whole. Nothing for n
 * = 0. */
void ll_html_histogram(ll_text *out, const char *label, const uint64_t *counts, const char *const *titles, size_t n);

#endif
