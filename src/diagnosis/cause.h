/* Describes a hypothesis as a finding: its place, its fault and its words. */
#ifndef LL_DIAGNOSIS_CAUSE_H
#define LL_DIAGNOSIS_CAUSE_H

#include "diagnosis/verdict.h"

/* Place of the bytes that a hypothesis is about: the field if all of them lie in one field and their number stays the
 * same, else the span that holds their middle byte (their first byte if two records were exchanged). */
ll_where ll_cause_place(const ll_doc *doc, const ll_hypothesis *h);
/* Builds the fault that states the cause. False: the format has no rule for such a fault, so a finding that
 * is already there has to state the cause. */
bool ll_cause_fault(const ll_doc *doc, const ll_hypothesis *h, const ll_where *at, ll_fault *out);
/* Builds the fault of a missing end of the file. The size that the file should have comes from the first leftover that
 * leads beyond the end. False: none does, or the format has no rule for it. */
bool ll_cause_fault_of_end(const ll_doc *doc, const ll_search *s, ll_where at, ll_fault *out);
/* True if the report has no finding at the first byte of the part whose size, place or other property the field at `at`
 * states. A wrong size does not move that byte, so a finding there means that more is wrong. True as well if the
 * hypothesis changes no field, if the field becomes 0, or if its element has no part. False if the part is an empty
 * text. */
bool ll_cause_is_confirmed(const ll_report *report, const ll_hypothesis *h, const ll_where *at);
/* Words for the best hypothesis and for its rival; in the arena. NULL: no memory. */
const char *ll_cause_in_words(const ll_verdict *v, ll_arena *arena);

/* The fault of the reader with exactly this offset and length; NULL: there is none. */
const ll_fault *ll_reader_fault_at(const ll_doc *doc, const ll_where *at);
/* Layout of the span of a place; LL_ANY_LAYOUT: the place has no span. */
unsigned ll_layout_at(const ll_doc *doc, const ll_where *at);

#endif
