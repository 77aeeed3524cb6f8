/* Finds out which findings of a file are new after some of its bytes changed. */
#ifndef LL_FINDINGS_COMPARE_H
#define LL_FINDINGS_COMPARE_H

#include "findings/report.h"

/* Result of comparing two reports of one file. */
typedef struct ll_comparison {
    bool *stays;       /* by entry of the first report: the second has it too; in the arena passed in */
    uint32_t newcomer; /* the most severe new entry of the second report, or LL_NO_ENTRY */
    bool grew;         /* set if limits dropped findings: the second report has more errors or more findings */
} ll_comparison;

/* Findings are the same if rule and place are equal, else if rule and path are, else if rule, words and path without
 * numbers are (a record that was moved). Each finding matches at most one. A finding that had yielded to a more severe
 * one, now gone, on the same bytes is not new. If a limit dropped findings of a report, new ones cannot be told; only
 * counts are compared then. */
ll_status ll_report_compare(const ll_report *before, const ll_report *after, ll_arena *arena, ll_text *scratch,
                            ll_comparison *out);

#endif
