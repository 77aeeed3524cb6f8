/* How much work a report and a fix may take. Work is counted in steps, which depend on the bytes and the rules alone,
 * so that what is tried, and where it ends, is the same on every machine. A step is about what parsing and judging a
 * sound byte costs, a few nanoseconds. */
#ifndef LL_DIAGNOSIS_BUDGET_H
#define LL_DIAGNOSIS_BUDGET_H

#include "report/report.h"

enum {
    LL_STEPS_LINT = 1 << 16,      /* of each lint, whatever the size of the file */
    LL_STEPS_FINDING = 64,        /* of each finding: its texts, and comparing it */
    LL_STEPS_SEARCHED = 16,       /* of what ll_doc.searched counts */
    LL_STEPS_SETTLE = 1 << 24,    /* that trying the patches of one report takes at most, */
    LL_STEPS_TRANSPORT = 1 << 23, /* that finding out what happened to a file takes, */
    LL_STEPS_IN_PLACE = 1 << 20,  /* and those that stay in place, and are hardly ever wrong */
    LL_STEPS_SMALL = 1 << 18      /* bytes of a file that is smaller, where fixing is bounded */
};

/* What the last lint of a report cost. */
static inline uint64_t ll_steps_of_lint(const ll_report *report)
{
    return report->doc.size + report->doc.unpacked + LL_STEPS_LINT + (uint64_t)LL_STEPS_FINDING * report->entry_count +
           (uint64_t)LL_STEPS_SEARCHED * report->doc.searched;
}

/* What one ll_fix_run() may take: so many lints of the file. It ends before the next patch is tried; what was begun is
 * finished, so that it may take one LL_STEPS_SETTLE and one lint more. */
static inline uint64_t ll_steps_of_fix(uint64_t size)
{
    return LL_FIX_LINTS_MAX * (size > LL_STEPS_SMALL ? size : LL_STEPS_SMALL);
}

#endif
