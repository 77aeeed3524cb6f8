/* Decides which of the hypotheses about a file holds, and what may have happened instead. */
#ifndef LL_DIAGNOSIS_VERDICT_H
#define LL_DIAGNOSIS_VERDICT_H

#include "diagnosis/doubt.h"
#include "diagnosis/hypothesis.h"

enum { LL_UNEXPLAINED = 100 }; /* cost of explaining nothing; the weight of the file as it is is added */

typedef struct ll_verdict {
    const ll_search *search;
    const ll_report *report; /* NULL: no rival is looked for */
    const ll_hypothesis *best;
    const ll_hypothesis *rival; /* best one of those that are as good and about something else; NULL: none */
    bool alone;                 /* all that are as good make the same file, with known bytes */
    bool decided;               /* the best one is sure (ll_verdict_is_sure()) and leaves a sound file */
} ll_verdict;

/* Picks the best hypothesis. False: none explains the file clearly better than an unknown change. */
bool ll_verdict_find(const ll_report *report, const ll_search *s, ll_verdict *v);
/* Nothing else is as good, all bytes of the best one are known, and no reading was left out that could change that. */
bool ll_verdict_is_sure(const ll_verdict *v);

/* Address after the last byte of the region (the file or unpacked bytes) that holds an address. */
uint32_t ll_region_end(const ll_doc *doc, uint32_t address);
/* The leaf at an address, or the last leaf of its region. False: there is none, or no span holds it. */
bool ll_leaf_near(const ll_doc *doc, uint32_t offset, ll_leaf *leaf);
/* What a finding about an address is about (doubt.h). */
ll_unit ll_unit_at(const ll_doc *doc, uint32_t offset);

#endif
