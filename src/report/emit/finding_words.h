/* Places, bytes and patches of a finding, in the words that all formats for people have for them. Texts that are
 * appended are fit for a terminal. */
#ifndef LL_REPORT_FINDING_WORDS_H
#define LL_REPORT_FINDING_WORDS_H

#include "report/report.h"

enum { LL_VALUE_SHOWN = 64 }; /* bytes of a decoded value */

/* Bytes of the region of a finding: the file, or what was decompressed. */
typedef struct ll_range {
    uint64_t start, end;
} ll_range;

/* Of the finding last composed. */
ll_range ll_found_range(const ll_report *report);
/* Of its related place; false where it has none in the same region. */
bool ll_related_range(const ll_finding *finding, ll_range *out);
/* No bytes are covered as if they were one: the place where something is missing. */
bool ll_range_covers(ll_range range, uint64_t offset);
/* Digits that addresses need where the last byte shown is at `last`. */
unsigned ll_address_digits(uint64_t last);

/* What is shown of a line of a file that has lines. */
typedef struct ll_excerpt {
    uint64_t start, end;
    uint64_t next;              /* where the next line begins */
    bool cut_front, cut_behind; /* there is more of it */
} ll_excerpt;
/* The line that holds `at`; of one without end, such as a manifest whose elements are not indented, what is near. */
ll_excerpt ll_excerpt_at(const ll_report *report, uint64_t at);

/* "+0x140..0x144 (byte 320, 4 bytes)", or "4:5"; nothing where the file is empty. */
void ll_found_at_text(ll_report *report, const ll_finding *finding, ll_text *out);
/* What the bytes of the finding say: "f32 LE = 2"; of no bytes what is there instead; nothing where they say nothing.
 */
void ll_decoded_text(const ll_report *report, const ll_finding *finding, ll_text *out);
/* "the count, +0x10..0x14 header.count" */
void ll_related_text(const ll_report *report, const ll_place *place, ll_text *out);
/* "safe, at +0x10..0x14: 01 00 00 00 -> 02 00 00 00" */
void ll_patch_text(const ll_report *report, const ll_patch *patch, ll_text *out);
/* "3 other findings, which --all shows", of a finding that others follow from. */
void ll_explains_text(const ll_finding *finding, ll_text *out);
/* "and 3 more at +0x10, +0x20, +0x30 (--all shows each)", of the group of an entry; nothing where it is alone. */
void ll_others_text(const ll_report *report, const ll_fold *fold, uint32_t first, ll_text *out);

#endif
