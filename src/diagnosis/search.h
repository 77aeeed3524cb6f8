/* Searches for the one change that explains what is wrong with a file: makes hypotheses from the rows of its format and
 * tries each on a copy (hypothesis.h). */
#ifndef LL_DIAGNOSIS_SEARCH_H
#define LL_DIAGNOSIS_SEARCH_H

#include "diagnosis/hypothesis.h"

/* Fills search->tried with hypotheses about the file, best first. variant: of the format, as ll_doc.variant. spent:
 * readings of the file that were made before; they count against its limit. False: no memory. Call ll_search_free() in
 * any case. */
bool ll_search_run(ll_search *search, const ll_ruleset *rules, const ll_format *format, const char *name,
                   unsigned variant, const uint8_t *bytes, uint32_t size, uint32_t spent);
void ll_search_free(ll_search *search);

#endif
