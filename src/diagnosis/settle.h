/* Patches that put bytes in or take bytes out: made whole, and tried. */
#ifndef LL_DIAGNOSIS_SETTLE_H
#define LL_DIAGNOSIS_SETTLE_H

#include "report/report.h"

/* A patch that changes how many bytes there are gets what follows from it (consequence.h), as one replacement from the
 * first byte that is another to the last. It is linted, by the rules of the report, at each place where it may be
 * meant; the first at which its finding is gone and none is there that was not before is the patch, and where there is
 * none the finding has no patch. How much is linted is bounded (budget.h). */
ll_status ll_report_settle(ll_report *report);

/* Do two patches of the bytes of a file, which have bytes and no order, make the same of it? */
bool ll_is_same_patch(const uint8_t *file, const ll_edit *one, const ll_edit *other);

#endif
