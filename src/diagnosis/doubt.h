/* Drops or downgrades patches that are doubtful for reasons visible without trying them: bytes that nothing explains, a
 * value with another explanation, a file that may belong to another family. docs/fix.md says what safe and unsafe
 * mean. */
#ifndef LL_DIAGNOSIS_DOUBT_H
#define LL_DIAGNOSIS_DOUBT_H

#include "findings/report.h"

/* What a finding is about: the outermost span that holds it and is an array or has a number, or else the outermost
 * span. `element` is set only if that span is the finding's own. A finding about a gap or the whole file has
 * LL_NO_SPAN. */
typedef struct ll_unit {
    uint32_t span, element;
} ll_unit;
ll_unit ll_unit_of(const ll_doc *doc, const ll_where *at);
bool ll_is_same_unit(const ll_unit *one, const ll_unit *other);

/* The content, not only the file name's extension, says that the file is of its family. */
bool ll_fits_format(const ll_doc *doc);

/* Call before patches are tried. Drops patches if the family is uncertain, and patches of bytes that nothing explains;
 * makes other doubtful ones unsafe. */
void ll_doubt(ll_report *report);

/* Call after patches were tried. Drops those that have another explanation. */
void ll_drop_undecided(ll_report *report);

/* True if another rule has an unexplained finding close to the bytes that the patch of entry `number` replaces. The
 * entries must be sorted by offset. */
bool ll_has_neighbour(const ll_report *report, uint32_t number);

#endif
