/* The faults that every format can have, and look-ups in the rows of a format. Words and severities of these faults are
 * in rules/core.yaml and rules/ledger.yaml. */
#include "model/format.h"

#include "base/half.h"

#include <math.h>
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

/* The document is one record. Counts fields that should be 0 and are not: numbers of parts, reserved fields, and bits
 * that no LL_PART_WHEN row names. One wrong field is allowed. */
static bool is_sound_alone(const ll_doc *doc)
{
    const ll_format *format = doc->format;
    unsigned wrong = 0;
    ll_element record;
    if (!ll_element_at(doc, 0, 0, &record) || record.layout->size != doc->size) {
        return false;
    }
    for (unsigned f = 0; f < record.layout->field_count; f++) {
        const uint8_t role = record.layout->fields[f].role;
        uint64_t bits = 0;
        for (size_t i = 0; i < format->part_count; i++) {
            const ll_part_row *row = &format->parts[i];
            const bool asks = row->field == f && &format->layouts[row->of] == record.layout;
            bits |= asks ? row->bits : 0;
        }
        const bool known = bits || role == LL_ROLE_COUNT || role == LL_ROLE_RESERVED;
        wrong += known && (ll_get_uint(&record, f) & ~bits) != 0;
    }
    return wrong <= 1;
}

bool ll_is_content_confirmed(const ll_doc *doc)
{
    uint64_t rotations = 0, units = 0;
    ll_element e;
    for (size_t i = 0; i < doc->format->shape_count; i++) {
        const ll_shape *row = &doc->format->shapes[i];
        const unsigned field = row->kind == LL_SHAPE_DIRECTION ? row->field[3] : LL_NO_FIELD;
        const uint32_t span = field == LL_NO_FIELD ? LL_NO_SPAN : doc->firsts[row->layout] - 1;
        for (uint32_t k = 0; ll_element_at(doc, span, k, &e); k++, rotations++) {
            const uint8_t *rotation = e.bytes + e.layout->fields[field].offset;
            units += fabs(ll_sum_of_squares(rotation, 4, e.layout->endian) - 1.0) < 0.02;
        }
    }
    return rotations ? 2 * units > rotations : is_sound_alone(doc);
}

const ll_edition *ll_edition_of(const ll_format *format, uint32_t version)
{
    size_t i = 1;
    while (i < format->edition_count &&
           (format->editions[i].value != version || format->editions[i].layout == format->editions->layout)) {
        i++;
    }
    return i < format->edition_count ? &format->editions[i] : NULL;
}

const ll_edition *ll_edition_with(const ll_format *format, unsigned header, uint32_t version)
{
    const ll_edition *found = ll_edition_of(format, version);
    found = found && found->layout == header ? found : NULL;
    for (size_t i = 1; i < format->edition_count && !found; i++) {
        found = format->editions[i].layout == header ? &format->editions[i] : NULL;
    }
    return found;
}

const ll_section_by *ll_kinds_by(const ll_format *format, unsigned header, unsigned *count)
{
    const ll_section_by *row = format->kinds_by, *end = row + format->kind_by_count;
    while (row < end && (row->layout != header || row->counts)) {
        row++;
    }
    *count = 0;
    while (row + *count < end && row[*count].layout == header && !row[*count].counts) {
        ++*count;
    }
    return row;
}

unsigned ll_kind_of_tag(const ll_format *format, uint32_t tag)
{
    size_t kind = format->kind_count;
    while (tag && kind > 1 && format->kinds[kind - 1].tag != tag) {
        kind--;
    }
    return tag && kind > 1 ? (unsigned)kind - 1U : 0;
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
