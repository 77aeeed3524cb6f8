/* Looks up the fault of a format for a kind of finding of the reader, and makes faults of it. */
#include "model/reader_kind.h"

ll_read_kind ll_read_base(ll_read_kind kind)
{
    static const uint8_t bases[LL_READ_KINDS] = {
#define LL_READ_BASE(kind, base) [LL_READ_##kind] = LL_READ_##base,
        LL_READ_KIND_ROWS(LL_READ_BASE)
#undef LL_READ_BASE
    };
    return (ll_read_kind)bases[kind];
}

static bool is_about(const ll_read_row *row, ll_read_kind kind, unsigned layout, unsigned field)
{
    return (row->kind == kind || row->kind == ll_read_base(kind)) &&
           (row->layout == LL_ANY_LAYOUT || row->layout == layout) &&
           (row->field == LL_NO_FIELD || row->field == field);
}

/* The first row that matches the kind and the place. NULL: there is none. */
static const ll_read_row *find_row(const ll_format *format, ll_read_kind kind, unsigned layout, unsigned field)
{
    size_t i = 0;
    while (i < format->read_count && !is_about(&format->reads[i], kind, layout, field)) {
        i++;
    }
    return i < format->read_count ? &format->reads[i] : NULL; /* packc checks that each kind has a row */
}

unsigned ll_read_code(const ll_format *format, ll_read_kind kind, unsigned layout, unsigned field)
{
    const ll_read_row *row = find_row(format, kind, layout, field);
    return row ? row->fault : LL_FAULT_GAP;
}

bool ll_has_read_row(const ll_format *format, ll_read_kind kind, unsigned layout)
{
    size_t i = 0;
    while (i < format->read_count &&
           (format->reads[i].kind != kind || !is_about(&format->reads[i], kind, layout, LL_NO_FIELD))) {
        i++;
    }
    return i < format->read_count;
}

bool ll_has_own_read_row(const ll_format *format, ll_read_kind kind, unsigned layout)
{
    size_t i = 0;
    while (i < format->read_count && (format->reads[i].kind != kind || format->reads[i].layout != layout)) {
        i++;
    }
    return i < format->read_count;
}

ll_read_kind ll_read_kind_of(const ll_doc *doc, const ll_fault *fault)
{
    const ll_format *format = doc->format;
    const unsigned layout = fault->at.span < doc->span_count ? ll_doc_span(doc, fault->at.span)->layout : LL_ANY_LAYOUT;
    for (size_t i = 0; !doc->by_rows && i < format->read_count; i++) {
        const ll_read_row *row = &format->reads[i];
        if (row->fault == fault->code && is_about(row, (ll_read_kind)row->kind, layout, fault->at.field)) {
            const bool open = row->kind >= LL_READ_ASTRAY && row->kind <= LL_READ_ASTRAY_MOVED &&
                              fault->patch.tier == LL_PATCH_NONE; /* bytes may have moved instead */
            return open ? LL_READ_KINDS : ll_read_base((ll_read_kind)row->kind);
        }
    }
    return LL_READ_KINDS;
}

ll_fault ll_read_fault(const ll_format *format, ll_read_kind kind, unsigned layout, ll_where at, ll_read_words words)
{
    const ll_read_row *row = find_row(format, kind, layout, at.field);
    ll_fault fault = ll_fault_at(row ? row->fault : LL_FAULT_GAP, at);
    fault.hint = row ? row->hint : 0;
    fault.read = (uint16_t)(kind + 1);
    fault.arg[0] = words.found;
    fault.arg[1] = words.expected;
    fault.arg[2] = ll_word(words.noun);
    return fault;
}
