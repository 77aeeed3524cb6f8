/* Reads a document in the form that it has: as a header, tables and numbered sections, or by its parts. */
#include "model/reader.h"
#include "model/reader_parts.h"
#include "model/store_state.h"

/* Whether the first record of the file is missing: the file begins with the array that should follow the record and
 * holds nothing else but padding. */
static bool is_headless(ll_doc *doc, const ll_plan *plan)
{
    const ll_format *format = doc->format;
    const uint16_t first = format->parts->layout;
    if (!ll_has_read_row(format, LL_READ_HEADLESS, first)) {
        return false;
    }
    const uint16_t part = format->parts[plan->rows[first].first].layout;
    const size_t row = plan->rows[part].first;
    const ll_layout *l = &doc->layouts[part];
    const uint64_t count = doc->size < l->size ? 0 : ll_number_at(l, plan->part[row].count.field, doc->bytes),
                   end = l->size + count * doc->layouts[format->parts[row].layout].size;
    const ll_stretch what = {part, LL_NO_SPAN, 0, (uint32_t)end, false};
    const ll_alignment *fill = ll_alignment_of(format, first, LL_ALIGN_END);
    return count && end <= doc->size && end + ll_padding_at(fill, end) == doc->size && ll_reads_well(doc, &what, 1, 0);
}

/* Leaves a file without its first record unread, and raises a fault. */
static void leave_headless(ll_doc *doc)
{
    const uint16_t first = doc->format->parts->layout;
    const ll_layout *l = &doc->layouts[first];
    const unsigned field = ll_tag_field(l);
    const uint32_t head = ll_claim_broken(doc, LL_NO_SPAN, first, 0, doc->size, LL_NO_INDEX);
    const ll_where at = ll_at_field(doc, head, 0, field);
    ll_mark_span(doc, ll_claim_unparsed(doc, head, l->size, doc->size), LL_SPAN_EXPLAINED);
    doc->fatal = true;
    ll_fault fault =
        ll_read_fault(doc->format, LL_READ_HEADLESS, first, at,
                      (ll_read_words){ll_uint(ll_number_at(l, field, doc->bytes)), (ll_arg){0}, l->fields[field].name});
    ll_raise(doc, &fault);
}

void ll_doc_read(ll_doc *doc)
{
    const ll_plan *plan = ll_plan_of(doc);
    if (!plan || ll_read_as_store(doc, plan)) {
        return;
    }
    if (is_headless(doc, plan)) {
        leave_headless(doc);
        return;
    }
    ll_read_file(doc);
}
