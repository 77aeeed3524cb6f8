/* What the named checks of the mrea family share. Their words and severities are in rules/mrea.yaml. */
#ifndef LL_FORMATS_MREA_CHECK_H
#define LL_FORMATS_MREA_CHECK_H

#include "formats/mrea/mrea.h"

/* NULL where there is none. */
static inline const mrea_summary *mrea_summary_of(const ll_check_run *run)
{
    return run->doc->index;
}

#endif
