/* Parameters of a file: reads them and matches their hashes and names with the known parameters. */
#include "formats/lpsh/lpsh.h"

#include <string.h>

const lpsh_known_parameter lpsh_parameters[LPSH_PARAMETERS] = {
    [LPSH_PROBES] = {LPSH_PROBES_HASH, "numLightProbes"},
    [LPSH_TIMES] = {LPSH_TIMES_HASH, "numDiv"},
    [LPSH_FORMAT] = {LPSH_FORMAT_HASH, "formatType"},
};

/* Span of the name of parameter `number`. LL_NO_SPAN: there is none. */
static uint32_t text_of(const ll_doc *doc, uint32_t number)
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

/* The known parameter with a hash, or with the text of a span; LPSH_UNKNOWN: there is none. */
static unsigned known_by_hash(uint32_t hash)
{
    unsigned i = 0;
    while (i < LPSH_PARAMETERS && lpsh_parameters[i].hash != hash) {
        i++;
    }
    return i;
}

static unsigned known_by_text(const ll_doc *doc, uint32_t text)
{
    unsigned i = text == LL_NO_SPAN ? LPSH_UNKNOWN : 0;
    while (i < LPSH_PARAMETERS && !lpsh_is_text(doc, text, lpsh_parameters[i].name)) {
        i++;
    }
    return i;
}

bool lpsh_read_parameter(const ll_doc *doc, uint32_t span, uint32_t number, lpsh_parameter *out)
{
    if (number == LPSH_PARAMETERS_MAX || !ll_element_at(doc, span, number, &out->record)) {
        return false;
    }
    out->text = text_of(doc, number);
    out->by_hash = known_by_hash((uint32_t)ll_get_uint(&out->record, lpsh_parameter_name_hash));
    out->by_text = known_by_text(doc, out->text);
    return true;
}

uint32_t lpsh_find_parameter(const ll_doc *doc, unsigned known)
{
    lpsh_parameter p;
    for (uint32_t i = 0; lpsh_read_parameter(doc, doc->firsts[lpsh_parameter_LAYOUT] - 1, i, &p); i++) {
        if ((p.by_hash == LPSH_UNKNOWN ? p.by_text : p.by_hash) == known) {
            return i;
        }
    }
    return LL_NO_INDEX;
}
