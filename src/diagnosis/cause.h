/* A cause as a finding states it: where it is, the fault, and the words. */
#ifndef LL_DIAGNOSIS_CAUSE_H
#define LL_DIAGNOSIS_CAUSE_H

#include "diagnosis/verdict.h"

/* The bytes of a hypothesis; where they are one field, the field, else in the record that their middle lies in. */
ll_where ll_cause_place(const ll_doc *doc, const ll_hypothesis *h);
/* Makes the fault that states the cause. False: the format has no such fault, and an entry has to state it. */
bool ll_cause_fault(const ll_doc *doc, const ll_hypothesis *h, const ll_where *at, ll_fault *out);
/* The end of the file is missing. The reader says how long the file should be, from a part that does not fit. */
bool ll_cause_fault_of_end(const ll_doc *doc, const ll_search *s, ll_where at, ll_fault *out);
/* Nothing is odd about the first bytes of the part that the element with the field is about: whatever its size is, they
 * stay where they are, so that they may say that more is wrong. If it is 0, there are none. */
bool ll_cause_is_borne_out(const ll_report *report, const ll_hypothesis *h, const ll_where *at);
/* What happened, and what may have happened instead; in the arena. NULL: no memory. */
const char *ll_cause_in_words(const ll_verdict *v, ll_arena *arena);

/* The fault of the reader about a place; NULL: there is none. */
const ll_fault *ll_reader_fault_at(const ll_doc *doc, const ll_where *at);
/* Of the span that a place is in; LL_ANY_LAYOUT: it is in none. */
unsigned ll_layout_at(const ll_doc *doc, const ll_where *at);

#endif
