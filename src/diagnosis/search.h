/* Searches for the one change that explains what is wrong with a file: makes hypotheses from the rows of its format and
 * tries each on a copy (hypothesis.h). */
#ifndef LL_DIAGNOSIS_SEARCH_H
#define LL_DIAGNOSIS_SEARCH_H

#include "diagnosis/hypothesis.h"

/* The bytes that are searched: a file, or a part of one. */
typedef struct ll_searched {
    const ll_format *format;
    const char *name; /* of the file; NULL: the bytes are a part of one */
    unsigned variant; /* of the format, as ll_doc.variant */
    const uint8_t *bytes;
    uint32_t size;
} ll_searched;

/* Fills search->tried with hypotheses about the bytes, best first. spent: readings of them that were made before; they
 * count against the limit. False: no memory. Call ll_search_free() in any case. */
bool ll_search_run(ll_search *search, const ll_ruleset *rules, const ll_searched *what, uint32_t spent);
void ll_search_free(ll_search *search);

#endif
