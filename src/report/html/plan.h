/* The plan of a file: what has a place in space, from above, as a drawing that needs no script. */
#ifndef LL_REPORT_HTML_PLAN_H
#define LL_REPORT_HTML_PLAN_H

#include "report/report.h"

enum { LL_PLAN_THINGS_MAX = 2000 }; /* that are drawn: those with findings first, the severest of them first */

/* Appends a <figure class="plan"> for HTML: one inline <svg>, 720 units wide, and a <figcaption> with its layers, each
 * with glyph and number, and what is not drawn. Axes with the names, the ticks and the unit of the game; spheres,
 * cones, boxes, polygons and directions as in the page's "From above", fitted in the same way; what has findings has
 * the sign of the severest, and tells them and its path as <title>. It has no ids and no style: its classes are those
 * of plan.css, with the colours of colors.css. Text of the file goes through ll_html_text().
 *
 * Of a linted report; findings that are marked (baselines, suppressions) count for nothing. Findings are composed, so
 * that texts of one that was composed before are gone. Memory comes from the arena of the report. Returns false, and
 * appends nothing, where nothing of the file has a place, so that there is nothing to show; where memory runs out,
 * out->failed is set. */
bool ll_space_plan(ll_report *report, ll_text *out);

#endif
