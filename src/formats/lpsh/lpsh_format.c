/* Tables of the lpsh family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/lpsh/lpsh.h"

#include "base/ints.h"
#include "formats/strcode.h"
#include "model/derive.h"
#include "model/fault.h"

/* The parameters that are counts, by their names. */
static bool lpsh_derive(const ll_doc *doc, const ll_derivation *row, uint32_t span, uint32_t element, uint32_t target,
                        uint8_t *bytes)
{
    static const uint16_t counted[LPSH_PARAMETERS] = {
        [LPSH_PROBES] = lpsh_probe_LAYOUT, [LPSH_TIMES] = lpsh_time_LAYOUT};
    uint8_t hash[LL_DERIVED_MAX];
    (void)element;
    if (row->layout != lpsh_parameter_LAYOUT || target == LL_NO_SPAN) { /* flags do not follow from the sets */
        return false;
    }
    const ll_derivation name = {
        .layout = lpsh_parameter_LAYOUT, .field = lpsh_parameter_name_hash, .how = LL_DERIVE_TEXT_HASH};
    ll_derive_hash(doc, &name, target, hash);
    for (unsigned i = 0; i < LPSH_PARAMETERS; i++) {
        if (counted[i] && lpsh_parameters[i].hash == ll_le32(hash)) {
            uint32_t first = doc->firsts[counted[i]];
            return ll_put_number(ll_doc_layout(doc, span), row->field, first ? ll_doc_span(doc, first - 1)->count : 0,
                                 bytes);
        }
    }
    return false;
}

/* Version, chain and the place of the first name tell how many parameters there are: two that agree, or the version. */
static uint64_t count_parameters(const ll_doc *doc)
{
    const ll_span *name = ll_doc_span(doc, doc->firsts[lpsh_name_LAYOUT] - 1);
    const uint64_t from = ll_align_up((uint64_t)name->offset + name->length, 16);
    ll_element header;
    uint64_t by_chain = 0, at = from;
    bool ended = false, named = ll_fits(from, lpsh_parameter_SIZE, doc->size);
    while (by_chain < LPSH_PARAMETERS_MAX && !ended && ll_fits(at, lpsh_parameter_SIZE, doc->size)) {
        ended = ll_le16(doc->bytes + at + lpsh_parameter_at_next_offset) != lpsh_parameter_SIZE;
        at += lpsh_parameter_SIZE;
        by_chain++;
    }
    const uint64_t to_name =
        named ? ll_le32(doc->bytes + from + lpsh_parameter_at_name_offset) + lpsh_parameter_at_name_hash : 1;
    const uint64_t by_name = to_name % lpsh_parameter_SIZE == 0 ? to_name / lpsh_parameter_SIZE : 0;
    const bool headed = ll_element_at(doc, doc->firsts[lpsh_header_LAYOUT] - 1, 0, &header);
    const uint64_t version = headed ? ll_get_uint(&header, lpsh_header_version) : 0;
    const uint64_t by_version = version == 3 ? LPSH_FORMAT : version == 4 ? LPSH_PARAMETERS : 0;
    return by_chain == by_name || !by_version ? by_chain : by_version;
}

/* Parameters; times and probes, which these count by their names; the sets that the flags of a probe ask for. */
static uint64_t lpsh_count(const ll_doc *doc, const ll_part_row *part, uint32_t owner, ll_where *by)
{
    ll_element probe, parameter;
    if (part->layout == lpsh_parameter_LAYOUT) {
        return doc->firsts[lpsh_name_LAYOUT] ? count_parameters(doc) : 0;
    }
    const unsigned counted = part->layout == lpsh_probe_LAYOUT ? LPSH_PROBES : LPSH_TIMES;
    const uint32_t parameters = doc->firsts[lpsh_parameter_LAYOUT] - 1, i = lpsh_find_parameter(doc, counted);
    const bool known = i != LL_NO_INDEX && ll_element_at(doc, parameters, i, &parameter);
    const uint64_t count = known ? ll_get_uint(&parameter, lpsh_parameter_value) : 0;
    if (part->layout != lpsh_set_LAYOUT) {
        *by = known ? ll_at_field(doc, parameters, i, lpsh_parameter_value)
                    : ll_at_field(doc, doc->firsts[lpsh_node_LAYOUT] - 1, 0, lpsh_node_parameter_offset);
        return known ? count : LL_COUNT_UNKNOWN;
    }
    const uint32_t probes = doc->firsts[lpsh_probe_LAYOUT] - 1, number = ll_doc_span(doc, owner)->index;
    if (!ll_element_at(doc, probes, number, &probe)) {
        return 0;
    }
    *by = ll_at_field(doc, probes, number, lpsh_probe_flags);
    return lpsh_set_count((uint32_t)ll_get_uint(&probe, lpsh_probe_flags), count);
}

static ll_probe_result lpsh_probe(const uint8_t *bytes, size_t size)
{
    if (size < lpsh_header_SIZE) {
        return LL_PROBE_NO;
    }
    bool named = ll_le32(bytes + lpsh_header_at_name_hash) == LPSH_NAME_HASH;
    bool placed = ll_le32(bytes + lpsh_header_at_node_offset) == lpsh_header_SIZE &&
                  ll_le32(bytes + lpsh_header_at_name_offset) == lpsh_header_SIZE + lpsh_node_SIZE;
    return named && placed ? LL_PROBE_SURE : named || placed ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

const ll_format lpsh_format = {
    LL_FORMAT_TABLES(lpsh), .derive = lpsh_derive,      .text_hash = ll_strcode64_unended,
    .count = lpsh_count,    .zeros_at_end = UINT32_MAX, /* coefficients of the dark */
    .probe = lpsh_probe,
};
