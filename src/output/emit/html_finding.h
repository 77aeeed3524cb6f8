/* Writes one finding as HTML. Texts from files, packs and configurations
 * are escaped by ll_html_text(). */
#ifndef LL_OUTPUT_HTML_FINDING_H
#define LL_OUTPUT_HTML_FINDING_H

#include "output/emit/emit.h"
#include "output/html/html.h"

/* The walk's finding, or its group, as an <article>. raw: buffer. */
void ll_html_finding(const ll_emitter *emitter, const ll_walk *walk, ll_text *out, ll_text *raw);

#endif
