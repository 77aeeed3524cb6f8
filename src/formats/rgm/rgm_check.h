/* What the named checks of the rgm family share. Their words and severities are in rules/rgm.yaml. */
#ifndef LL_FORMATS_RGM_CHECK_H
#define LL_FORMATS_RGM_CHECK_H

#include "formats/rgm/rgm.h"

static inline const rgm_section *rgm_section_of(const ll_doc *doc, unsigned ordinal)
{
    return &rgm_summary_of(doc)->section[ordinal];
}

/* What other sections say about it may be compared with it. */
static inline bool rgm_is_sound(const rgm_section *section)
{
    return section->span != LL_NO_SPAN && section->sound;
}

#endif
