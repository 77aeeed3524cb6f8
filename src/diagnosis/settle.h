/* Tries the patches of a report, in particular those that put bytes in or take bytes out, and keeps those that hold. */
#ifndef LL_DIAGNOSIS_SETTLE_H
#define LL_DIAGNOSIS_SETTLE_H

#include "findings/report.h"

/* Tries patches by linting a copy with the rules of the report. A patch that changes the number of bytes is completed
 * with its consequences (consequence.h), as one replacement from the first byte that differs to the last. It holds at a
 * place if its finding disappears and no new one appears there. The first such place makes the patch; the finding has
 * no patch if there is none, or if another place holds with other bytes. budget.h limits the work. */
ll_status ll_report_settle(ll_report *report);

/* True if two patches make the same bytes of `file`. Both have to have bytes and no order of elements. */
bool ll_is_same_patch(const uint8_t *file, const ll_edit *one, const ll_edit *other);

#endif
