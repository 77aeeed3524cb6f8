/* Writes one finding as HTML, and pieces that the rest of the page uses too. Texts from files, packs and configurations
 * are escaped by ll_html_text(). */
#ifndef LL_OUTPUT_HTML_FINDING_H
#define LL_OUTPUT_HTML_FINDING_H

#include "output/emit/emit.h"
#include "output/html/html.h"

/* Appends what `raw` holds from `from` on, escaped, and removes it there. */
void ll_html_move(ll_text *out, ll_text *raw, size_t from);
/* "GRX012 name-hash", as a link if the rule has a page. raw: buffer. */
void ll_html_rule(const ll_emitter *emitter, const char *id, const char *name, ll_text *out, ll_text *raw);
/* The walk's finding, or its group, as an <article>. raw: buffer. */
void ll_html_finding(const ll_emitter *emitter, const ll_walk *walk, ll_text *out, ll_text *raw);

#endif
