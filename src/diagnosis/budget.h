/* Limits on the work of a report and of a fix. Work is counted in steps, which depend on the bytes and the rules alone,
 * so every machine tries the same patches and stops at the same one. A step costs a few nanoseconds: about what parsing
 * and judging one sound byte costs. */
#ifndef LL_DIAGNOSIS_BUDGET_H
#define LL_DIAGNOSIS_BUDGET_H

#include "findings/report.h"

enum {
    LL_STEPS_LINT = 1 << 16,      /* for each lint, whatever the size of the file */
    LL_STEPS_FINDING = 64,        /* for each finding: its texts, and comparing it */
    LL_STEPS_SEARCHED = 16,       /* for each unit of ll_doc.searched */
    LL_STEPS_SETTLE = 1 << 24,    /* limit for trying the patches of one report */
    LL_STEPS_TRANSPORT = 1 << 23, /* limit for finding a damage in transport */
    LL_STEPS_IN_PLACE = 1 << 20,  /* limit for trying patches that keep the file's length: these are rarely wrong */
    LL_STEPS_SMALL = 1 << 18      /* bytes: a smaller file counts as this large when a fix is bounded */
};

/* Steps that the last lint of a report took. */
static inline uint64_t ll_steps_of_lint(const ll_report *report)
{
    return report->doc.size + report->doc.unpacked + LL_STEPS_LINT +
           (uint64_t)LL_STEPS_FINDING * report->entries.count + (uint64_t)LL_STEPS_SEARCHED * report->doc.searched;
}

/* Limit for one ll_fix_run(): LL_FIX_LINTS_MAX lints of the file. A run checks it before it tries the next patch and
 * finishes what it has begun, so it may exceed the limit by one LL_STEPS_SETTLE and one lint. */
static inline uint64_t ll_steps_of_fix(uint64_t size)
{
    return LL_FIX_LINTS_MAX * (size > LL_STEPS_SMALL ? size : LL_STEPS_SMALL);
}

#endif
