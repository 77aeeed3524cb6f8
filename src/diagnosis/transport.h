/* Damage in transport: finds out what happened to a file in which something is wrong, by undoing it. */
#ifndef LL_DIAGNOSIS_TRANSPORT_H
#define LL_DIAGNOSIS_TRANSPORT_H

#include "report/report.h"

/* A damage, and what undoes it. */
typedef struct ll_transport {
    bool found;
    uint64_t steps; /* that it took to find it, or nothing */
    ll_fault fault; /* bytes of its patch live as long as the report's document */
} ll_transport;

/* Tries all proposals for the file of the report, which was linted as `variant`, and keeps the first with which the
 * file reads without a loud finding. LL_OK also if there is none. */
ll_status ll_transport_find(ll_report *report, const char *variant, ll_transport *out);

#endif
