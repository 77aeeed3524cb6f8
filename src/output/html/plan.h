/* Draws the plan of a file: what has a position in space, as SVG without script, for reports and for the page. */
#ifndef LL_OUTPUT_PLAN_H
#define LL_OUTPUT_PLAN_H

#include "findings/report.h"

enum {
    LL_PLAN_THINGS_MAX = 2000, /* most things drawn in a report: those with findings first, by severity */
    LL_VIEW_THINGS_MAX = 20000 /* the same of ll_draw() */
};

/* Appends a <figure class="plan"> for HTML: an inline <svg> and a <figcaption> with the layers, their glyphs and
 * numbers, and what is not drawn. Axes have the names, ticks and unit of the game. A thing with findings has the sign
 * of the most severe; its <title> holds its path and findings. No ids, no styles: the classes are those of plan.css,
 * with the colours of colors.css. Text of the file is escaped by ll_html_text().
 *
 * camera: what ll_draw() describes; NULL: that of a report, which is 720 units wide and shows the file from above.
 * The report must be linted; marked findings (baselines, suppressions) are ignored. Composes findings, so texts of a
 * finding composed before become invalid. False: nothing in the file has a position, nothing is appended. Sets
 * out->failed if memory runs out. */
bool ll_space_plan(ll_report *report, const ll_camera *camera, ll_text *out);

#endif
