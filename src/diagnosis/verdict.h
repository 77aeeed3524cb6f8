/* Which of the hypotheses about a file holds, and what else may have happened. */
#ifndef LL_DIAGNOSIS_VERDICT_H
#define LL_DIAGNOSIS_VERDICT_H

#include "diagnosis/doubt.h"
#include "diagnosis/hypothesis.h"

enum { LL_UNEXPLAINED = 100 }; /* cost of a file as it is, to which its leftovers are added */

typedef struct ll_verdict {
    const ll_search *search;
    const ll_report *report; /* NULL: no rival is sought */
    const ll_hypothesis *best;
    const ll_hypothesis *rival; /* the best of those that are as good and are about something else; NULL: none */
    bool alone;                 /* all that are as good make the same file, */
    bool decided;               /* all its bytes are known, and it is sound */
} ll_verdict;

/* False: nothing explains the file better than that something unknown happened to it. */
bool ll_verdict_find(const ll_report *report, const ll_search *s, ll_verdict *v);
/* Nothing else is as good, and all its bytes are known. */
bool ll_verdict_is_sure(const ll_verdict *v);

/* Behind the last address of the file, or of the region. */
uint32_t ll_region_end(const ll_doc *doc, uint32_t address);
/* The leaf that an address lies in, or the last one. */
bool ll_leaf_near(const ll_doc *doc, uint32_t offset, ll_leaf *leaf);
/* What a finding about an address is about. */
ll_unit ll_unit_at(const ll_doc *doc, uint32_t offset);

#endif
