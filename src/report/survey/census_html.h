/* What only a page with charts has of a census. */
#ifndef LL_REPORT_CENSUS_HTML_H
#define LL_REPORT_CENSUS_HTML_H

#include "report/survey/census.h"
#include "report/survey/page.h"

typedef struct ll_census_printer {
    const ll_census *census;
    ll_page page;
    uint32_t record;      /* html: number of the record at hand, from 1 */
    const void *contents; /* html: the format whose table of contents was written last */
} ll_census_printer;

/* A cell with the histogram of a column; an empty one where the most frequent values say it all. */
void ll_census_histogram(ll_page *page, const ll_column_def *def, const ll_column *column);
/* The record's place up to its summary; before the first of a format, the table of its records. */
void ll_census_begin_record(ll_census_printer *p, const ll_census_walk *at);
void ll_census_end_record(ll_census_printer *p);

#endif
