/* What the named checks of the mrea family share. Their words and severities are in rules/mrea.yaml. */
#ifndef LL_FORMATS_MREA_CHECK_H
#define LL_FORMATS_MREA_CHECK_H

#include "formats/mrea/mrea.h"

/* NULL where the parser did not get so far as to have one. */
static inline const mrea_summary *mrea_summary_of(const ll_check_run *run)
{
    return run->doc->format_data;
}

/* Sections that stand alone in their blocks: `count` script layers from `first` on, and the generated objects. */
typedef struct mrea_script {
    uint64_t first, count, generated;
} mrea_script;
/* mrea_order_checks.c; false where the numbers of an area's sections contradict each other. */
bool mrea_find_script(const ll_doc *doc, const mrea_summary *summary, mrea_script *out);

#endif
