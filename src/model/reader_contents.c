/* How many bytes the contents of a section take by its rows, before they are read. */
#include "model/section_state.h"

/* The number of elements that the first record of the section states. UINT64_MAX: it does not. */
static uint64_t count_at(const sections *s, size_t row, uint32_t at, uint32_t left)
{
    const ll_field_of f = s->r->plan->part[row].count;
    const ll_part_row *head = &s->r->format->parts[s->r->plan->rows[s->r->format->parts[row].owner].first];
    return head->how == LL_PART_ONE && head->layout == f.layout && left >= s->doc->layouts[f.layout].size
               ? ll_number_at(&s->doc->layouts[f.layout], f.field, ll_section_bytes(s, at))
               : UINT64_MAX;
}

/* Bytes of all shares of a section. Unknown until the records of the first section are read. */
static asked sum_shares(sections *s, unsigned number, size_t row)
{
    asked *shares = &s->shares[number];
    if (!shares->known) {
        *shares = (asked){.known = s->headed};
        shares->told = ll_sum_shares(s->doc, row, &shares->value);
    }
    return *shares;
}

uint64_t ll_section_contents(sections *s, unsigned number, uint32_t at)
{
    const unsigned owner = ll_section_row(s, number)->layout;
    const uint32_t left = s->doc->size - at;
    uint64_t sum = 0;
    for (size_t row = s->r->plan->rows[owner].first; row < s->r->plan->rows[owner].end; row++) {
        const ll_part_row *part = &s->r->format->parts[row];
        const uint32_t size = s->doc->layouts[part->layout].size;
        uint64_t count = part->how == LL_PART_ONE ? 1 : 0;
        bool told = count || part->how == LL_PART_GAP;
        if (part->how == LL_PART_SHARED) {
            const asked shares = sum_shares(s, number, row);
            told = shares.told;
            sum += shares.value;
        } else if (part->how == LL_PART_ARRAY && s->r->plan->part[row].count.field != LL_NO_FIELD) {
            count = count_at(s, row, at, left);
            told = count != UINT64_MAX;
        } else if (part->how == LL_PART_ARRAY &&
                   part->bits) { /* bytes; if there is another usual number, the one after which the list ends */
            count = part->value && ll_is_end_tag(s, at + sum + part->value) ? part->value : part->bits;
            sum += size ? 0 : count;
            told = true;
        } else if (part->how == LL_PART_ARRAY) {
            count = ll_records_of(s->doc, row);
            told = count || (sum && s->doc->layouts[part->layout].kind == LL_KIND_BYTES);
        }
        if (!told) {
            return 0;
        }
        sum += count * size;
    }
    return sum;
}

uint32_t ll_section_unit(const sections *s, unsigned number)
{
    const unsigned owner = ll_section_row(s, number)->layout;
    uint32_t unit = 0;
    for (size_t row = s->r->plan->rows[owner].first; row < s->r->plan->rows[owner].end; row++) {
        const ll_part_row *part = &s->r->format->parts[row];
        const bool fills = (part->how == LL_PART_ARRAY || part->how == LL_PART_SHARED) && !ll_usual_count(part) &&
                           s->r->plan->part[row].count.field == LL_NO_FIELD;
        unit =
            fills && s->doc->layouts[part->layout].kind == LL_KIND_RECORD ? s->doc->layouts[part->layout].size : unit;
    }
    return unit;
}
