/* Faults that every format can have, and what rows of a format say of a layout. What faults are called and how bad they
 * are is in rules/core.yaml and rules/ledger.yaml. */
#include "model/format.h"

#include <string.h>

const ll_named ll_core_faults[LL_CORE_FAULTS] = {
    [LL_FAULT_UNREADABLE] = {"unreadable", "{0} reason"},
    [LL_FAULT_FOREIGN_FILE] = {"foreign-file", "{0} what the file is, {1} extension of what it should be"},
    [LL_FAULT_OTHER_FAMILY] = {"other-family", "{0} extension of what the file is, {1} that of its name"},
    [LL_FAULT_TRANSPORT] = {"transport", "{0} what happened, {1} size, {2} size without it, {3} where"},
    [LL_FAULT_EMPTY] = {"empty", "none"},
    [LL_FAULT_UNKNOWN_FORMAT] = {"unknown-format", "{0} first bytes"},
    [LL_FAULT_CRASH] = {"crash", "none"},
    [LL_FAULT_TOO_LARGE] = {"too-large", "{0} size"},
    [LL_FAULT_LIMIT] = {"limit", "{0} which limit, {1} how many were dropped"},
    [LL_FAULT_UNDECIDED] = {"undecided", "{0} the first pattern, {1} how many matches"},
    [LL_FAULT_ARCHIVE_UNREAD] = {"archive-unread", "{0} what kind of archive, {1} first bytes, or path of the member"},
    [LL_FAULT_UNREAD] = {"unread", "{0} what was not read, {1} the fault that belongs to it"},
    [LL_FAULT_UNEXPLAINED] = {"unexplained", "{0} what was not read"},
    [LL_FAULT_GAP] = {"gap", "{0} bytes"},
    [LL_FAULT_OVERLAP] = {"overlap", "{0} end of the claim before it"},
};

const ll_named ll_core_hints[LL_CORE_HINTS] = {
#define LL_KIND(slug, what) {#slug, what},
#define LL_SIGNATURE(slug, offset, bytes)
#define LL_SHAPE(slug, function)
#include "identity/kinds.def"
#undef LL_KIND
#undef LL_SIGNATURE
#undef LL_SHAPE
#define LL_UNDO(slug, what, function) {#slug, what},
#define LL_SPLIT(slug, what, function) {#slug, what},
#define LL_LOSS(slug, what, function) {#slug, what},
#include "identity/damages.def"
#undef LL_UNDO
#undef LL_SPLIT
#undef LL_LOSS
};

bool ll_is_chosen(const ll_format *format, unsigned layout)
{
    bool chosen = ll_has_choices(format, layout);
    for (size_t i = 0; i < format->choice_count && !chosen; i++) {
        chosen = format->choices[i].how == LL_CHOICE_IS && format->choices[i].part == layout;
    }
    return chosen;
}

const ll_alignment *ll_alignment_of(const ll_format *format, unsigned layout, ll_align_where where)
{
    for (size_t i = 0; i < format->alignment_count; i++) {
        if (format->alignments[i].layout == layout && format->alignments[i].where == (unsigned)where) {
            return &format->alignments[i];
        }
    }
    return NULL;
}

const ll_alignment *ll_end_alignment_of(const ll_format *format, unsigned first)
{
    const ll_alignment *row = ll_alignment_of(format, LL_WITHIN_FILE, LL_ALIGN_END);
    return row ? row : ll_alignment_of(format, first, LL_ALIGN_FILE_END);
}

bool ll_is_filling(const ll_format *format, unsigned layout, const uint8_t *bytes, uint32_t n)
{
    uint8_t fill = 0;
    for (size_t i = 0; format && i < format->alignment_count; i++) {
        fill = format->alignments[i].padding == layout ? format->alignments[i].fill : fill;
    }
    return n == 0 || (bytes[0] == fill && memcmp(bytes, bytes + 1, n - 1) == 0);
}
