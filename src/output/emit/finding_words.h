/* Describes places, bytes and patches of findings for the formats that people read. Appended texts are safe to print on
 * a terminal. */
#ifndef LL_OUTPUT_FINDING_WORDS_H
#define LL_OUTPUT_FINDING_WORDS_H

#include "findings/report.h"

enum { LL_VALUE_SHOWN = 64 }; /* bytes of a decoded value that are shown */

/* Half-open range of bytes in the region of a finding: the file, or decompressed bytes. */
typedef struct ll_range {
    uint64_t start, end;
} ll_range;

/* Range of the finding composed last. */
ll_range ll_found_range(const ll_report *report);
/* Range of the related place. False: none in the same region. */
bool ll_related_range(const ll_finding *finding, ll_range *out);
/* Whether a range holds an offset. An empty range counts as one byte, where something is missing. */
bool ll_range_covers(ll_range range, uint64_t offset);
/* Hex digits for addresses up to `last`. */
unsigned ll_address_digits(uint64_t last);

/* The part of a text file's line that is shown. */
typedef struct ll_excerpt {
    uint64_t start, end;
    uint64_t next;              /* start of the next line */
    bool cut_front, cut_behind; /* the line has more before, after */
} ll_excerpt;
/* The line that holds `at`. A very long line, as in a manifest without line feeds, is cut around `at`. */
ll_excerpt ll_excerpt_at(const ll_report *report, uint64_t at);

/* Appends "+0x140..0x144 (byte 320, 4 bytes)", or "4:5"; nothing for an empty file. */
void ll_found_at_text(ll_report *report, const ll_finding *finding, ll_text *out);
/* Appends the decoded bytes of the finding: "f32 LE = 2"; for an empty range what is there instead; may be nothing. */
void ll_decoded_text(const ll_report *report, const ll_finding *finding, ll_text *out);
/* "the count, +0x10..0x14 header.count" */
void ll_related_text(const ll_report *report, const ll_place *place, ll_text *out);
/* "safe, at +0x10..0x14: 01 00 00 00 -> 02 00 00 00" */
void ll_patch_text(const ll_report *report, const ll_patch *patch, ll_text *out);
/* Appends "3 other findings, which --all shows" for a finding that explains others. */
void ll_explains_text(const ll_finding *finding, ll_text *out);
/* Appends "and 3 more at +0x10, +0x20, +0x30 (--all shows each)" for the other entries of a group; nothing if alone. */
void ll_others_text(const ll_report *report, const ll_fold *fold, uint32_t first, ll_text *out);

#endif
