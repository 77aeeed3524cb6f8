/* Finds the entry of a report that states a cause, and decides which patches of entries stand. */
#ifndef LL_DIAGNOSIS_ENTRIES_H
#define LL_DIAGNOSIS_ENTRIES_H

#include "diagnosis/verdict.h"

bool ll_overlaps(const ll_where *a, const ll_where *b);
/* Number of errors and warnings. */
uint64_t ll_count_loud(const ll_report *report);

/* The error or warning that states the cause best: entries that overlap its bytes come first, then those of the reader,
 * then errors, then the first one. LL_NO_ENTRY: there is none. */
uint32_t ll_find_entry(const ll_verdict *v, const ll_where *cause);
/* The entry in which the reader has stated the hypothesis already; LL_NO_ENTRY: there is none. */
uint32_t ll_find_reported(const ll_report *report, const ll_hypothesis *h, const ll_where *cause);
/* The reader raised a fault of this kind with exactly this offset and length. */
bool ll_reader_says(const ll_doc *doc, const ll_where *at, ll_read_kind kind);

/* The entry comes from a fault, and the reader has a fault about the structure of the file at the same place. */
bool ll_is_plain(const ll_report *report, const ll_entry *entry);
/* Drops the patches of plain entries: only the search knows how to undo a cause. Drops all patches if `known` is false
 * (the cause is not known) and the file has a plain entry, that is, does not read. */
void ll_drop_plain_patches(ll_report *report, bool known);
/* The patch of the entry and that of the hypothesis make the same file. */
bool ll_is_patch_of(const ll_doc *doc, const ll_entry *entry, const ll_hypothesis *h);
/* The patch of entry `number` is safe: `safe` is true (other bytes determine the patch, or its rule offers it as a safe
 * one), its rule allows safe patches, and no other finding is close to it. */
bool ll_is_safe(const ll_report *report, bool safe, uint32_t number);

#endif
