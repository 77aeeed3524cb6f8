/* What fields state about the parts of an owner: whether they are there, how many there are, and where they begin and
 * end. */
#include "model/reader_parts.h"

/* Reads a field of the record that ll_record_of() returns. False: there is no such record. */
static bool read_first(const reader *r, ll_field_of f, uint64_t *value)
{
    if (f.layout == r->top->layout && r->top->record.bytes) {
        *value = ll_get_uint(&r->top->record, f.field);
        return true;
    }
    return ll_read_field(r, ll_record_of(r, f.layout), 0, f.field, value);
}

bool ll_is_there(const reader *r, size_t row)
{
    const struct ll_part_plan *p = &r->plan->part[row];
    const uint8_t variants = r->format->parts[row].variants;
    uint64_t value = 0;
    if (variants && r->variant && !(variants >> (r->variant - 1) & 1)) {
        return false;
    }
    if (p->there.field == LL_NO_FIELD) {
        return true;
    }
    return (read_first(r, p->there, &value) && (value & p->bits) == p->value) != p->unless;
}

/* Counts the records of a chain, in which each record leads to the next one. Returns the length of the chain if no row
 * states a number, or if the offset of the first part after the records agrees with the length; else the number that
 * the rows state. *by: nowhere, as no single field states the number. */
static uint64_t count_chain(const reader *r, size_t row, uint64_t by_rows, ll_where *by)
{
    enum { CHAIN_MAX = 16 };
    const ll_part_row *part = &r->format->parts[row];
    const ll_layout *l = &r->doc->layouts[part->layout];
    const uint32_t left = r->top->limit - r->at;
    const uint8_t *first = left >= l->size ? ll_doc_at(r->doc, r->at) : NULL;
    uint64_t count = 0, to_part = 0;
    for (bool more = first; more; count++) {
        const uint32_t at = (uint32_t)count * l->size;
        more = count + 1 < CHAIN_MAX && ll_fits((uint64_t)at + l->size, l->size, left) &&
               ll_number_at(l, r->plan->part[row].chain.field, first + at) == l->size;
    }
    for (size_t i = row; first && i < r->top->end; i++) {
        const struct ll_part_plan *of_each = &r->plan->part[i];
        if (r->format->parts[i].how == LL_PART_EACH && of_each->place.layout == part->layout) {
            to_part = ll_number_at(l, of_each->place.field, first) + (uint64_t)of_each->from;
        }
    }
    *by = ll_nowhere();
    return by_rows == LL_COUNT_UNKNOWN || to_part == count * l->size ? count : by_rows;
}

uint64_t ll_count_of(const reader *r, size_t row, ll_where *by)
{
    const ll_part_row *part = &r->format->parts[row];
    ll_field_of f = r->plan->part[row].count;
    uint32_t span = f.field != LL_NO_FIELD ? ll_record_of(r, f.layout) : LL_NO_SPAN;
    uint64_t count = 0;
    *by = ll_at_field(r->doc, span, 0, f.field);
    if (part->how == LL_PART_COUNTED) {
        count = ll_counted(r->doc, part, r->top->span, by);
        return r->plan->part[row].chain.field == LL_NO_FIELD ? count : count_chain(r, row, count, by);
    }
    return span != LL_NO_SPAN && ll_read_field(r, span, 0, f.field, &count) ? count : 0;
}

uint32_t ll_stated_end(const reader *r, unsigned layout, uint32_t at)
{
    const ll_layout *l = &r->doc->layouts[layout];
    uint16_t size = r->plan->size[layout];
    if (!size || !ll_fits(at, l->size, r->top->limit)) { /* at the end of the file, a tag alone has no size */
        return 0;
    }
    const ll_field *f = &l->fields[size - 1];
    uint64_t bytes = ll_read_uint(ll_doc_at(r->doc, at) + f->offset, f->bytes, ll_order_of(r, layout, at));
    return bytes >= l->size && ll_fits(at, bytes, r->top->limit) ? at + (uint32_t)bytes : 0;
}

uint64_t ll_need_behind(const reader *r)
{
    const frame *f = r->top;
    uint64_t need = 0;
    for (size_t row = f->row; row < f->end; row++) {
        const ll_part_row *part = &r->format->parts[row];
        const ll_layout *l = &r->doc->layouts[part->layout];
        const bool sized = l->kind == LL_KIND_RECORD &&
                           (part->how == LL_PART_ONE || part->how == LL_PART_ARRAY || part->how == LL_PART_TIMES);
        ll_where by;
        uint64_t count = !sized || !ll_is_there(r, row) ? 0
                         : part->how == LL_PART_ONE     ? 1
                         : part->how == LL_PART_TIMES   ? part->times - (row == f->row ? f->number : 0)
                                                        : ll_count_of(r, row, &by);
        need += count <= UINT32_MAX ? count * l->size : 0;
    }
    return need;
}

int64_t ll_base_of(const reader *r, const ll_derivation *place, uint32_t span, uint32_t element)
{
    const ll_layout *l = &r->doc->layouts[place->layout];
    int64_t record = (int64_t)ll_doc_span(r->doc, span)->offset + (int64_t)element * l->size;
    return place->how == LL_DERIVE_OFFSET_IN_FILE       ? 0
           : place->how == LL_DERIVE_OFFSET_FROM_RECORD ? record
                                                        : record + l->fields[place->field].offset;
}

uint32_t ll_leader_of(const reader *r, size_t row)
{
    const ll_derivation *place = &r->plan->part[row].place;
    const uint16_t rather = r->plan->part[row].rather;
    bool leads = place->layout && !(rather && r->doc->firsts[rather]) && !ll_is_behind_end(r) &&
                 r->doc->layouts[place->layout].kind == LL_KIND_RECORD;
    return leads ? ll_record_of(r, place->layout) : LL_NO_SPAN;
}

uint64_t ll_stated_place(const reader *r, size_t row, uint32_t element)
{
    const ll_derivation *place = &r->plan->part[row].place;
    uint32_t span = ll_leader_of(r, row);
    uint64_t stated = 0;
    return span != LL_NO_SPAN && ll_read_field(r, span, element, place->field, &stated)
               ? (uint64_t)ll_base_of(r, place, span, element) + stated - (uint64_t)(int64_t)place->plus
               : r->at;
}

bool ll_is_end_stated(const reader *r, uint64_t end)
{
    bool right = false;
    for (size_t k = 0; r->plan->ends && k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        uint64_t stated = 0;
        if (row->how == LL_DERIVE_FILE_BYTES) {
            right = ll_read_field(r, r->doc->firsts[row->layout] - 1, 0, row->field, &stated) &&
                    stated == end + (uint64_t)(int64_t)row->plus;
            if (!right) {
                return false;
            }
        }
    }
    return right;
}
