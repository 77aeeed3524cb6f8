/* Fits lines of text to a terminal: measures, wraps and cuts them. */
#ifndef LL_BASE_FIT_H
#define LL_BASE_FIT_H

#include "base/text.h"

/* Columns of n bytes of UTF-8 without line feeds. Escape sequences for colours and links take none. */
size_t ll_columns(const char *bytes, size_t n, const ll_terminal *terminal);

/* Wraps the last line of the text, which has no line feed yet, at spaces after offset `from`. Continuation lines begin
 * at column `indent`, or less on a narrow terminal. A word longer than a line is split at its end. Does nothing if the
 * terminal has no columns. */
void ll_fit(ll_text *text, size_t from, size_t indent, const ll_terminal *terminal);

/* Cuts the line that begins at offset `line` to the width of the terminal and appends "...", if it is too long. */
void ll_cut(ll_text *text, size_t line, const ll_terminal *terminal);

#endif
