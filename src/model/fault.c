/* Makes faults with places, arguments and patches, and keeps the list of faults of a document. Words and severities are
 * in rules/. */
#include "model/fault.h"

#include "model/format.h"

#include <string.h>

ll_where ll_at_field(const ll_doc *doc, uint32_t span, uint32_t element, unsigned field)
{
    if (span >= doc->span_count) {
        return ll_nowhere();
    }
    const ll_span *s = ll_doc_span(doc, span);
    const ll_layout *layout = ll_doc_layout(doc, span);
    ll_where at = {span, element, (uint16_t)field, LL_NO_PART, s->offset, s->length};
    if (layout->kind == LL_KIND_STRING) {
        uint32_t nul = s->count < s->length;
        if (field == LL_STRING_TEXT) {
            at.length = s->count;
        } else if (field == LL_STRING_TERMINATOR) {
            at.offset += s->count;
            at.length = nul;
        } else {
            at.offset += s->count + nul;
            at.length -= s->count + nul;
        }
    } else if (element >= s->count && layout->kind == LL_KIND_RECORD) {
        return ll_nowhere();
    } else if (field < layout->field_count) {
        at.offset += element * layout->size + layout->fields[field].offset;
        at.length = layout->fields[field].bytes;
    }
    return at;
}

ll_fault ll_fault_with(unsigned code, unsigned hint, ll_where at, ll_where related, const ll_arg *args, unsigned count)
{
    ll_fault fault = {.code = (uint16_t)code, .hint = (uint16_t)hint, .at = at, .related = related};
    for (unsigned i = 0; i < count && i < LL_FAULT_ARGS; i++) {
        fault.arg[i] = args[i];
    }
    return fault;
}

void ll_raise(ll_doc *doc, const ll_fault *fault)
{
    if (doc->fault_count >= LL_FAULTS_MAX &&
        fault->code != LL_FAULT_LIMIT) { /* the fault that reports the limit must get through */
        doc->faults_dropped++;
        return;
    }
    ll_fault_node *node = ll_doc_alloc(doc, 1, sizeof *node);
    if (!node) {
        return;
    }
    *node = (ll_fault_node){NULL, *fault};
    if (doc->last_fault) {
        doc->last_fault->next = node;
    } else {
        doc->first_fault = node;
    }
    doc->last_fault = node;
    doc->fault_count++;
}

bool ll_raise_first(ll_doc *doc, const ll_fault *fault)
{
    ll_fault_node *node = ll_doc_alloc(doc, 1, sizeof *node);
    if (node) {
        *node = (ll_fault_node){doc->first_fault, *fault};
        doc->first_fault = node;
        doc->last_fault = doc->last_fault ? doc->last_fault : node;
        doc->fault_count++;
    }
    return node;
}

void ll_patch_edit(const ll_doc *doc, ll_fault *fault, ll_edit edit)
{
    if (ll_fits(edit.offset, edit.removed, doc->size)) {
        fault->patch = edit;
    }
}

void ll_patch_moved(const ll_doc *doc, ll_fault *fault, ll_where among, int64_t by)
{
    if (by > 0 && by <= LL_MOVED_MAX && by < among.length && ll_fits(among.offset, among.length, doc->size)) {
        uint32_t removed = (uint32_t)by;
        fault->patch = (ll_edit){LL_PATCH_UNSAFE, among.offset, removed, 0, among.length - removed, NULL, true, NULL};
    } else if (by > 0) {
        ll_patch_none(fault);
    }
}

void ll_patch_guess(const ll_doc *doc, ll_fault *fault, uint32_t offset, const uint8_t *bytes, uint32_t size)
{
    ll_patch_replace(doc, fault, LL_PATCH_UNSAFE, offset, bytes, size);
    fault->patch.guessed = true;
}

void ll_patch_order(ll_doc *doc, ll_fault *fault, uint32_t from, uint32_t middle, uint32_t to)
{
    uint8_t *bytes = from < middle && middle < to && to <= doc->size ? ll_doc_alloc(doc, to - from, 1) : NULL;
    if (bytes) {
        memcpy(bytes, doc->bytes + middle, to - middle);
        memcpy(bytes + (to - middle), doc->bytes + from, middle - from);
        ll_patch_guess(doc, fault, from, bytes, to - from);
    }
}

void ll_patch_elements(ll_fault *fault, const uint32_t *order)
{
    if (order) {
        fault->patch = (ll_edit){.tier = LL_PATCH_UNSAFE, .offset = fault->at.offset, .guessed = true, .order = order};
    }
}

void ll_raise_surplus(ll_doc *doc, ll_fault fault)
{
    ll_patch_remove(doc, &fault, LL_PATCH_UNSAFE, fault.at.offset, fault.at.length);
    ll_raise(doc, &fault);
}

bool ll_fill_in(const ll_doc *doc, ll_where at, uint64_t value)
{
    bool filled = false;
    for (uint32_t i = 0; doc->copy && i < at.length; i++) {
        if (at.offset + i >= doc->unknown_from && at.offset + i < doc->unknown_to) {
            const bool big = ll_doc_layout(doc, at.span)->endian == LL_BIG;
            doc->copy[at.offset + i] = (uint8_t)(value >> 8 * (big ? at.length - 1 - i : i));
            filled = true;
        }
    }
    return filled;
}

void ll_patch_field(const ll_doc *doc, ll_fault *fault, ll_patch_tier tier, uint64_t value)
{
    uint32_t width = fault->at.length;
    uint64_t beyond = width < LL_PATCH_VALUE ? value >> 8 * width : 0; /* bits beyond the field */
    bool fits = beyond == 0 || beyond == UINT64_MAX >> 8 * width;
    if (fault->at.span < doc->span_count && width <= LL_PATCH_VALUE && fits) {
        ll_put_uint(fault->patch_value, width, ll_doc_layout(doc, fault->at.span)->endian == LL_BIG, value);
        ll_patch_replace(doc, fault, tier, fault->at.offset, NULL, width);
    }
}
