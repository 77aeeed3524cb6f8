/* Names and numbers that all formats of a census share. */
#ifndef LL_SURVEY_CENSUS_WORDS_H
#define LL_SURVEY_CENSUS_WORDS_H

#include "survey/census.h"

/* Append a value, the name and the type of a column. */
void ll_census_number(const ll_column_def *def, uint64_t bits, ll_text *out);
void ll_census_column_name(const ll_column_def *def, ll_text *out);
void ll_census_type(const ll_column_def *def, const ll_layout *layout, ll_text *out);

/* The tests of one rule: [first, end) of by_rule. */
typedef struct ll_census_claim {
    uint32_t rule, first, end;
    ll_tally sum;
} ll_census_claim;

/* Moves to the next claim; start with zeros. False: none. */
bool ll_census_next_claim(const ll_census_layout *layout, const ll_census_group *group, ll_census_claim *c);
/* Appends "grx.point_light PL03". format: prefixed if the layout's name lacks it; may be NULL. */
void ll_census_group_name(ll_text *out, const ll_format *format, const ll_census_layout *layout,
                          const ll_census_group *group);

#endif
