/* Parts of a census that only HTML has. */
#ifndef LL_SURVEY_CENSUS_HTML_H
#define LL_SURVEY_CENSUS_HTML_H

#include "survey/census.h"
#include "survey/page.h"

typedef struct ll_census_printer {
    const ll_census *census;
    ll_page page;
    uint32_t record;      /* html: number of the current record, from 1 */
    const void *contents; /* html: format whose table of records was written last */
} ll_census_printer;

/* Writes a cell with the histogram of a column; empty if the most frequent values show everything. */
void ll_census_histogram(ll_page *page, const ll_column_def *def, const ll_column *column);
/* Begins and ends a record's section; the first of a format is preceded by the table of records. */
void ll_census_begin_record(ll_census_printer *p, const ll_census_walk *at);
void ll_census_end_record(ll_census_printer *p);

#endif
