/* The known parameters: the records and texts of a file that are theirs. */
#include "formats/lpsh/lpsh.h"

#include <string.h>

const lpsh_known_parameter lpsh_parameters[LPSH_PARAMETERS] = {
    [LPSH_PROBES] = {UINT32_C(0xCEA22E52), "numLightProbes"},
    [LPSH_TIMES] = {UINT32_C(0xDA990A4A), "numDiv"},
    [LPSH_FORMAT] = {UINT32_C(0xCE0E17C5), "formatType"},
};

uint32_t lpsh_parameter_text(const ll_doc *doc, uint32_t number)
{
    for (uint32_t span = doc->firsts[lpsh_parameter_name_LAYOUT] - 1; span < doc->span_count; span++) {
        const ll_span *s = ll_doc_span(doc, span);
        if (s->layout == lpsh_parameter_name_LAYOUT && s->index == number) {
            return span;
        }
        if (s->layout != lpsh_parameter_name_LAYOUT && s->layout != lpsh_padding_LAYOUT) {
            break;
        }
    }
    return LL_NO_SPAN;
}

bool lpsh_is_text(const ll_doc *doc, uint32_t string, const char *text)
{
    const ll_span *s = ll_doc_span(doc, string);
    return s->count == strlen(text) && memcmp(ll_doc_at(doc, s->offset), text, s->count) == 0;
}

unsigned lpsh_known_by_hash(uint32_t hash)
{
    unsigned i = 0;
    while (i < LPSH_PARAMETERS && lpsh_parameters[i].hash != hash) {
        i++;
    }
    return i;
}

unsigned lpsh_known_by_text(const ll_doc *doc, uint32_t text)
{
    unsigned i = text == LL_NO_SPAN ? LPSH_UNKNOWN : 0;
    while (i < LPSH_PARAMETERS && !lpsh_is_text(doc, text, lpsh_parameters[i].name)) {
        i++;
    }
    return i;
}

uint32_t lpsh_find_parameter(const ll_doc *doc, unsigned known)
{
    ll_element parameter;
    for (uint32_t i = 0; i < LPSH_PARAMETERS_MAX; i++) {
        if (!ll_element_at(doc, doc->firsts[lpsh_parameter_LAYOUT] - 1, i, &parameter)) {
            break;
        }
        unsigned is = lpsh_known_by_hash((uint32_t)ll_get_uint(&parameter, lpsh_parameter_name_hash));
        if ((is == LPSH_UNKNOWN ? lpsh_known_by_text(doc, lpsh_parameter_text(doc, i)) : is) == known) {
            return i;
        }
    }
    return LL_NO_INDEX;
}
