/* What speaks against a patch without trying it: bytes that nobody has explained, a value for which there is another
 * explanation, a file that may be of another family. See docs/fix.md for what safe and unsafe mean. */
#ifndef LL_DIAGNOSIS_DOUBT_H
#define LL_DIAGNOSIS_DOUBT_H

#include "report/report.h"

/* What a finding is about: the element of the outermost array that holds it, or the outermost span; of the whole file:
 * LL_NO_SPAN. */
typedef struct ll_unit {
    uint32_t span, element;
} ll_unit;
ll_unit ll_unit_of(const ll_doc *doc, const ll_where *at);
bool ll_is_same_unit(const ll_unit *one, const ll_unit *other);

/* More than the extension says that the file is of its family. */
bool ll_is_founded(const ll_doc *doc);

/* Before patches are tried: those of a file whose family is not certain, or of bytes that nobody has explained, are
 * dropped; others are no longer safe. */
void ll_doubt(ll_report *report);

/* When they were tried: what is left and has another explanation is dropped. */
void ll_drop_undecided(ll_report *report);

/* What another rule finds, and the cause does not explain, stands beside the bytes of the patch of an entry. Of entries
 * in the order of their places. */
bool ll_has_neighbour(const ll_report *report, uint32_t number);

#endif
