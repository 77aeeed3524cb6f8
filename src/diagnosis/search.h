/* Looks for the one damage that explains what is wrong with a file: hypotheses from the rows of its format, each of
 * them tried on a copy (hypothesis.h). */
#ifndef LL_DIAGNOSIS_SEARCH_H
#define LL_DIAGNOSIS_SEARCH_H

#include "diagnosis/hypothesis.h"

/* Hypotheses about the file, best first, in search->tried. variant: of the format, as ll_doc.variant. spent: readings
 * that were made of it before, of those that one file may take. False: no memory. */
bool ll_search_run(ll_search *search, const ll_ruleset *rules, const ll_format *format, const char *name,
                   unsigned variant, const uint8_t *bytes, uint32_t size, uint32_t spent);
void ll_search_free(ll_search *search);

#endif
