/* Visits the facts of a document that the rows of its family name. */
#include "model/fact.h"

#include "model/fault.h"
#include "model/format.h"

/* The ordinal of an element: its number in an array, else that of the record or of the nearest one around it. 0: none
 * has one. */
static uint32_t owner_of(const ll_doc *doc, uint32_t number, uint32_t element)
{
    const ll_span *span = ll_doc_span(doc, number);
    if (span->flags & LL_SPAN_ARRAY) {
        return element;
    }
    while (span->index == LL_NO_INDEX && span->parent != LL_NO_SPAN) {
        span = ll_doc_span(doc, span->parent);
    }
    return span->index == LL_NO_INDEX ? 0 : span->index;
}

static bool visit_row(const ll_doc *doc, const ll_fact_row *row, uint32_t number, ll_fact_fn visit, void *ctx)
{
    const ll_span *span = ll_doc_span(doc, number);
    bool string = doc->layouts[row->layout].kind == LL_KIND_STRING;
    bool more = true;
    ll_element record;
    for (uint32_t i = 0; more && (string ? i == 0 : ll_element_at(doc, number, i, &record)); i++) {
        ll_fact fact = {.kind = (ll_fact_kind)row->kind,
                        .owner = owner_of(doc, number, i),
                        .at = ll_at_field(doc, number, i, row->field)};
        if (string) {
            fact.text = ll_doc_at(doc, span->offset);
            fact.text_length = span->count;
        } else {
            fact.number = ll_get_uint(&record, row->field);
        }
        more = visit(ctx, &fact);
    }
    return more;
}

/* Visits the facts that are values of fields. */
static bool visit_records(const ll_doc *doc, ll_fact_fn visit, void *ctx)
{
    const ll_format *format = doc->format;
    bool more = true;
    for (uint32_t i = 0; more && i < doc->span_count; i++) {
        uint16_t layout = ll_doc_span(doc, i)->layout;
        for (size_t r = 0; more && r < format->fact_row_count; r++) {
            more = format->fact_rows[r].layout != layout || !ll_is_usable(doc, i) ||
                   visit_row(doc, &format->fact_rows[r], i, visit, ctx);
        }
    }
    return more;
}

bool ll_facts(const ll_doc *doc, ll_fact_fn visit, void *ctx)
{
    const ll_format *format = doc->format;
    bool more = format && !doc->opaque, fields = false;
    for (size_t r = 0; more && r < format->fact_row_count; r++) {
        const ll_fact_row *row = &format->fact_rows[r];
        fields = fields || !row->visit;
        more = !row->visit || row->visit(doc, visit, ctx);
    }
    return more && fields ? visit_records(doc, visit, ctx) : more;
}
