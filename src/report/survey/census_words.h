/* A census as a page (census_text.c), and what only a page with charts has (census_html.c). */
#ifndef LL_REPORT_CENSUS_WORDS_H
#define LL_REPORT_CENSUS_WORDS_H

#include "report/survey/census.h"
#include "report/survey/page.h"

typedef struct ll_census_printer {
    const ll_census *census;
    ll_page page;
    uint32_t record;      /* html: number of the record at hand, from 1 */
    const void *contents; /* html: the format whose table of contents was written last */
} ll_census_printer;

/* The tests of one rule: [first, end) of the layout's list by rule. */
typedef struct ll_census_claim {
    uint32_t rule, first, end;
    ll_tally sum;
} ll_census_claim;

/* Goes to the next claim; begin with zeros. */
bool ll_census_next_claim(const ll_census_layout *layout, const ll_census_group *group, ll_census_claim *c);
/* "grx.point_light PL03"; format: put in front where the layout's name does not say it; may be NULL. */
void ll_census_group_name(ll_page *page, const ll_format *format, const ll_census_layout *layout,
                          const ll_census_group *group);

/* A cell with the histogram of a column; an empty one where the most frequent values say it all. */
void ll_census_histogram(ll_page *page, const ll_column_def *def, const ll_column *column);
/* The record's place up to its summary; before the first of a format, the table of its records. */
void ll_census_begin_record(ll_census_printer *p, const ll_census_walk *at);
void ll_census_end_record(ll_census_printer *p);

#endif
