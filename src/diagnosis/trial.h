/* Bytes that are tried are linted into a second report, which the first one keeps for the next try. */
#ifndef LL_DIAGNOSIS_TRIAL_H
#define LL_DIAGNOSIS_TRIAL_H

#include "report/report.h"

/* Lints them, by the rules of the report and as `lint` says, into report->trial. */
static inline ll_status ll_trial_lint(ll_report *report, const ll_lint_options *lint, const uint8_t *bytes, size_t size)
{
    ll_status status = report->trial ? LL_OK : ll_report_create(&report->doc.arena.allocator, &report->trial);
    if (status == LL_OK) {
        report->trial->trials = LL_TRY_NONE;
        status = ll_lint(report->rules, bytes, size, lint, report->trial);
    }
    return status;
}

#endif
