/* What the entries of a report say of a cause, and which of their patches hold. */
#ifndef LL_DIAGNOSIS_ENTRIES_H
#define LL_DIAGNOSIS_ENTRIES_H

#include "diagnosis/verdict.h"

bool ll_overlaps(const ll_where *a, const ll_where *b);
/* Errors and warnings. */
uint64_t ll_count_loud(const ll_report *report);

/* The loud entry that says it best: about these bytes, the reader's, the severest, the first. */
uint32_t ll_find_entry(const ll_verdict *v, const ll_where *cause);
/* The entry in which a parser has said what the hypothesis says; LL_NO_ENTRY: it has not. */
uint32_t ll_find_told(const ll_report *report, const ll_hypothesis *h, const ll_where *cause);
/* A parser says of bytes at this place that they were put in or taken out, or that they are turned round. */
bool ll_parser_says(const ll_doc *doc, const ll_where *at, ll_read_kind kind);

/* The rule of the entry states it. */
bool ll_is_plain(const ll_report *report, const ll_entry *entry);
/* A plain fault of the reader has no patch: only the search knows what undoes a cause. Where nobody knows what
 * happened to a file that does not read, no other finding has one either. */
void ll_drop_plain_patches(ll_report *report, bool known);
/* The patch of the entry and the hypothesis make the same file. */
bool ll_is_patch_of(const ll_doc *doc, const ll_entry *entry, const ll_hypothesis *h);
/* Other bytes decide the patch of the entry, or its rule has offered the same as a safe one; the rule allows it to be
 * safe, and nothing else is wrong beside it. */
bool ll_is_safe(const ll_report *report, bool safe, uint32_t number);

#endif
