/* Finds damage in transport: undoes what may have happened to a faulty file, and lints the result. */
#ifndef LL_DIAGNOSIS_TRANSPORT_H
#define LL_DIAGNOSIS_TRANSPORT_H

#include "findings/report.h"

/* A damage, and the patch that undoes it. */
typedef struct ll_transport {
    bool found;
    uint64_t steps; /* steps that the search took, also if it found nothing */
    ll_fault fault; /* the bytes of its patch live as long as the report's document */
} ll_transport;

/* Tries all proposals for the file of the report. Keeps the first one that reads without
 * an error or a warning, or else a loss that leaves traces. LL_OK also if there is none. */
ll_status ll_transport_find(ll_report *report, ll_transport *out);

#endif
