/* One finding as HTML, and the pieces that the page around it has too. What comes of a file, of a pack or of a
 * configuration goes through ll_html_text(). */
#ifndef LL_REPORT_HTML_FINDING_H
#define LL_REPORT_HTML_FINDING_H

#include "report/emit/emit.h"
#include "report/html/html.h"

/* Escapes what was put into `raw` since `from`, and takes it away there. */
void ll_html_move(ll_text *out, ll_text *raw, size_t from);
/* "✕ error": sign and word. */
void ll_html_mark(ll_text *out, ll_severity severity);
/* "GRX012 name-hash", with a link where there is a page of the rule; `raw` is for composing. */
void ll_html_rule(const ll_emitter *emitter, const char *id, const char *name, ll_text *out, ll_text *raw);
/* The finding that the walk is at, or the group that it stands for, as an <article>; `raw` is for composing. */
void ll_html_finding(const ll_emitter *emitter, const ll_walk *walk, ll_text *out, ll_text *raw);

#endif
