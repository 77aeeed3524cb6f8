/* Tables of the lpsh family, expanded from the .def files, and its entry in the registry. */
#define LL_FAMILY_TABLES
#include "formats/lpsh/lpsh.h"

#include "formats/strcode.h"
#include "model/derive.h"

/* The parameters that are counts, by their names. */
static bool lpsh_derive(const ll_doc *doc, const ll_derivation *row, uint32_t span, uint32_t element, uint32_t target,
                        uint8_t *bytes)
{
    static const uint16_t counted[LPSH_PARAMETERS] = {
        [LPSH_PROBES] = lpsh_probe_LAYOUT, [LPSH_TIMES] = lpsh_time_LAYOUT};
    uint8_t hash[4];
    if (row->field != lpsh_parameter_value || row->layout != lpsh_parameter_LAYOUT) {
        return ll_strcode_derive(doc, row, span, element, target, bytes);
    }
    const ll_derivation name = {.layout = lpsh_parameter_LAYOUT, .field = lpsh_parameter_name_hash};
    if (!ll_strcode_derive(doc, &name, span, element, target, hash)) {
        return false;
    }
    for (unsigned i = 0; i < LPSH_PARAMETERS; i++) {
        if (counted[i] && lpsh_parameters[i].hash == ll_le32(hash)) {
            uint32_t first = doc->firsts[counted[i]];
            return ll_put_number(ll_doc_layout(doc, span), row->field, first ? ll_doc_span(doc, first - 1)->count : 0,
                                 bytes);
        }
    }
    return false;
}

/* What the first parameter of a hash says; 0: there is none. */
static uint64_t value_of(const ll_doc *doc, unsigned known)
{
    ll_element parameter;
    uint64_t value = 0;
    for (uint32_t i = 0; ll_element_at(doc, doc->firsts[lpsh_parameter_LAYOUT] - 1, i, &parameter); i++) {
        if (ll_get_uint(&parameter, lpsh_parameter_name_hash) == lpsh_parameters[known].hash) {
            return ll_get_uint(&parameter, lpsh_parameter_value);
        }
    }
    return value;
}

/* Times and probes, which parameters count by their names, and the sets that the flags of a probe ask for. */
static uint64_t lpsh_count(const ll_doc *doc, const ll_part_row *part, uint32_t owner)
{
    ll_element probe;
    if (part->layout != lpsh_set_LAYOUT) {
        return value_of(doc, part->layout == lpsh_time_LAYOUT ? LPSH_TIMES : LPSH_PROBES);
    }
    uint32_t number = ll_doc_span(doc, owner)->index;
    bool there = ll_element_at(doc, doc->firsts[lpsh_probe_LAYOUT] - 1, number, &probe);
    return there ? lpsh_set_count((uint32_t)ll_get_uint(&probe, lpsh_probe_flags), (uint32_t)value_of(doc, LPSH_TIMES))
                 : 0;
}

const ll_format lpsh_format = {
    LL_FORMAT_TABLES(lpsh), .derive = lpsh_derive,
    .count = lpsh_count,    .zeros_at_end = UINT32_MAX, /* coefficients of the dark */
    .probe = lpsh_probe,    .parse = lpsh_parse,
};
