/* The other byte order: reverses numbers of a copy, and recognises a file for another machine by its first record. */
#include "model/reader_parts.h"

void ll_swap_numbers(const reader *r, unsigned layout, uint32_t at, uint32_t count, uint32_t least)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const bool floats = r->doc->swap.floats;
    for (uint32_t i = 0; i < count && ll_is_swapped(r, layout, at); i++, at += l->size) {
        for (unsigned k = 0; k < l->field_count; k++) {
            const ll_field *f = &l->fields[k];
            unsigned width = ll_type_bytes(f->type);
            const bool meant = width > 1 && f->offset >= least && (!floats || ll_type_is_float(f->type));
            for (uint32_t from = at + f->offset; meant && from < at + f->offset + f->bytes; from += width) {
                ll_reverse(r->doc->copy + from, width);
            }
        }
    }
}

/* The right value of a field of the file's first record: the place of the next part, if that stands right after, or
 * the file size. 0: the field states neither. */
static uint64_t right_at_start(const reader *r, unsigned field)
{
    const uint16_t layout = r->format->parts[0].layout;
    const ll_derivation *place = r->format->part_count > 1 ? &r->plan->part[1].place : NULL;
    if (place && place->layout == layout && place->field == field && place->how != LL_DERIVE_OFFSET_FROM_FIELD) {
        return r->doc->layouts[layout].size + (uint64_t)place->plus;
    }
    for (size_t k = 0; r->plan->ends && k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        if (row->layout == layout && row->field == field && row->how == LL_DERIVE_FILE_BYTES) {
            return r->doc->size + (uint64_t)row->plus;
        }
    }
    return 0;
}

/* The field counts records. *fits: the file has room for that many. */
static bool is_count_of_records(const reader *r, unsigned layout, unsigned field, uint64_t count, bool *fits)
{
    for (size_t k = 0; k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        const uint32_t size = r->doc->layouts[row->target].size;
        if (row->layout == layout && row->field == field && row->how == LL_DERIVE_COUNT && size) {
            *fits = count <= r->doc->size / size;
            return true;
        }
    }
    return false;
}

/* The first part of the record owns an array, and there is room for the number of elements that it states as it
 * stands. */
static bool is_next_sound(const reader *r, unsigned layout)
{
    const size_t row = r->plan->rows[layout].first;
    const unsigned next = row < r->plan->rows[layout].end ? r->format->parts[row].layout : LL_ANY_LAYOUT;
    const size_t array = next ? r->plan->rows[next].first : 0;
    const bool counts = next && array < r->plan->rows[next].end && r->format->parts[array].how == LL_PART_ARRAY &&
                        r->plan->part[array].count.layout == next;
    const uint32_t own = counts ? r->doc->layouts[next].size : 0, left = r->top->limit - r->at;
    return counts && left >= own &&
           ll_number_at(&r->doc->layouts[next], r->plan->part[array].count.field, ll_doc_at(r->doc, r->at)) <=
               (left - own) / r->doc->layouts[r->format->parts[array].layout].size;
}

/* Marks the file as one for another machine, and leaves the rest unread. */
static void leave_swapped(reader *r, uint32_t span)
{
    ll_mark_unsupported(r->doc);
    ll_mark_span(r->doc, span, LL_SPAN_BROKEN);
    r->swapped = true;
    ll_leave_rest(r);
}

void ll_judge_magic_order(reader *r, uint32_t span)
{
    ll_fault *last = r->doc->last_fault ? &r->doc->last_fault->fault : NULL;
    if (last && last->read == LL_READ_SWAPPED + 1 && last->at.span == span &&
        !is_next_sound(r, ll_doc_span(r->doc, span)->layout)) {
        ll_patch_none(last);
        leave_swapped(r, span);
    }
}

void ll_judge_byte_order(reader *r, uint32_t span)
{
    const ll_layout *l = ll_doc_layout(r->doc, span);
    const unsigned layout = ll_doc_span(r->doc, span)->layout;
    const uint8_t *bytes = ll_doc_at(r->doc, ll_doc_span(r->doc, span)->offset);
    unsigned swapped = LL_NO_FIELD, order = l->endian;
    uint64_t right = 0;
    bool any = false, counted = false, asked = false;
    for (unsigned i = 0; i < l->field_count && !any; i++) {
        const ll_field *f = &l->fields[i];
        uint64_t value = right_at_start(r, i);
        const uint64_t stated = f->bytes <= sizeof stated ? ll_read_uint(bytes + f->offset, f->bytes, order) : 0;
        bool fits = false;
        const bool counts = is_count_of_records(r, layout, i, stated, &fits);
        counted = counted || counts;
        asked = asked || (counts && stated);
        any = (value && stated == value) || (stated && fits);
        if (value && !any && ll_read_uint(bytes + f->offset, f->bytes, order == LL_BIG ? LL_LITTLE : LL_BIG) == value) {
            swapped = swapped == LL_NO_FIELD ? i : swapped;
            right = swapped == i ? value : right;
        }
    }
    if (!any && swapped != LL_NO_FIELD && (asked || !counted)) {
        const ll_where at = ll_at_field(r->doc, span, 0, swapped);
        ll_fault fault =
            ll_read_fault(r->format, LL_READ_SWAPPED, layout, at,
                          (ll_read_words){ll_uint(ll_read_uint(bytes + l->fields[swapped].offset, at.length, order)),
                                          ll_uint(right), l->fields[swapped].name});
        ll_raise(r->doc, &fault);
        leave_swapped(r, span);
    }
}
