/* Draws the plan of a file: what has a position in space, seen from above, as SVG without script. */
#ifndef LL_OUTPUT_PLAN_H
#define LL_OUTPUT_PLAN_H

#include "findings/report.h"

enum { LL_PLAN_THINGS_MAX = 2000 }; /* most things drawn: those with findings first, by severity */

/* Appends a <figure class="plan"> for HTML: an inline <svg>, 720 units wide, and a <figcaption> with the layers, their
 * glyphs and numbers, and what is not drawn. Axes have the names, ticks and unit of the game. Spheres, cones, boxes,
 * polygons and directions look as in the page's "From above" and are fitted in the same way. A thing with findings has
 * the sign of the most severe; its <title> holds its path and findings. No ids, no styles: the classes are those of
 * plan.css, with the colours of colors.css. Text of the file is escaped by ll_html_text().
 *
 * The report must be linted; marked findings (baselines, suppressions) are ignored. Composes findings, so texts of a
 * finding composed before become invalid. Memory comes from the arena of the report. False: nothing in the file has a
 * position, nothing is appended. Sets out->failed if memory runs out. */
bool ll_space_plan(ll_report *report, ll_text *out);

#endif
