/* Puts the cause of what is wrong with a file in front of the other findings. */
#ifndef LL_DIAGNOSIS_LEAD_H
#define LL_DIAGNOSIS_LEAD_H

#include "diagnosis/diagnose.h"

/* Puts the cause first and marks the findings that it explains. Call it after the fault of the cause was raised and the
 * file was judged again. variant: as for the lint of the report. */
ll_status ll_diagnosis_lead(ll_report *report, const char *variant, const ll_diagnosis *diagnosis);

#endif
