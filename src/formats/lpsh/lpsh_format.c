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

const ll_format lpsh_format = {
    LL_FORMAT_TABLES(lpsh), .derive = lpsh_derive, .zeros_at_end = UINT32_MAX, /* coefficients of the dark */
    .probe = lpsh_probe,    .parse = lpsh_parse,
};
