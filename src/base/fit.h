/* Lines of text that fit a terminal: how many columns a text takes, and where a line that takes too many is broken. */
#ifndef LL_BASE_FIT_H
#define LL_BASE_FIT_H

#include "base/text.h"

/* Columns of n bytes of UTF-8 without line feeds. Escape sequences that set colours or make links take none. */
size_t ll_columns(const char *bytes, size_t n, const ll_terminal *terminal);

/* Breaks the last line of the text, which has no line feed yet, at spaces behind `from`; what is broken off begins
 * `indent` columns from the left, or fewer on a narrow terminal. A word that is longer than a line is broken where the
 * line ends. Nothing happens where the terminal has no columns. */
void ll_fit(ll_text *text, size_t from, size_t indent, const ll_terminal *terminal);

/* Cuts off what of the line from `line` to the end of the text does not fit the terminal, "..." in its place. */
void ll_cut(ll_text *text, size_t line, const ll_terminal *terminal);

#endif
