/* The first finding of a file in which something is wrong: the cause, with what it explains behind it. */
#ifndef LL_DIAGNOSIS_LEAD_H
#define LL_DIAGNOSIS_LEAD_H

#include "diagnosis/diagnose.h"

/* Puts the cause first, when its fault was raised and the file was judged once more, and marks what it explains. */
ll_status ll_diagnosis_lead(ll_report *report, const char *variant, const ll_diagnosis *diagnosis);

#endif
