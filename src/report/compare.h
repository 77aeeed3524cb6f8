/* Which findings of a file are new, once some of its bytes were changed. */
#ifndef LL_REPORT_COMPARE_H
#define LL_REPORT_COMPARE_H

#include "report/report.h"

/* What two reports of one file have in common. */
typedef struct ll_comparison {
    bool *stays;       /* by entry of the first report: the second has it too; in the arena of the call */
    uint32_t newcomer; /* the severest entry of the second that the first has not, else LL_NO_ENTRY */
    bool grew;         /* a limit left findings out of the first, and the second has more of some severity */
} ll_comparison;

/* A finding is the same where rule and place are, else where rule and path are, else where rule and words are and the
 * path is but for numbers, as those of a record that was moved; each has one like it at most. One that yields to a
 * severer one that is gone from the same bytes is not new: it was there before, and not told. Of a report that left
 * findings out, nobody knows which are new: then their numbers are compared. */
ll_status ll_report_compare(const ll_report *before, const ll_report *after, ll_arena *arena, ll_text *scratch,
                            ll_comparison *out);

#endif
