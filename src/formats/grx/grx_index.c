/* The summary of a parsed file, which checks look up: its entries by kind, and the parts of the file name. */
#include "formats/grx/grx.h"

/* The kind of an entry. If its tag does not fit the layout with which it was read, the tag is damaged. Then its kind is
 * that of the entry before or after it, if that has the same layout; else the usual kind of the layout. NULL: there is
 * none. before: the kind of the entry before it, or NULL. */
static const grx_kind *kind_of(const ll_doc *doc, uint32_t span, const grx_kind *before)
{
    const ll_span *s = ll_doc_span(doc, span);
    const grx_kind *kind = grx_kind_of(ll_le32(doc->bytes + s->offset));
    if (kind && kind->layout == s->layout) {
        return kind;
    }
    const uint64_t end = (uint64_t)s->offset + s->length;
    const bool more = ll_fits(end, sizeof(uint32_t), doc->size);
    const grx_kind *const others[] = {before,
                                      more ? grx_kind_of(ll_le32(doc->bytes + end)) : NULL,
                                      grx_kind_of(LL_LETTERS_LE('E', 'P', '0', '0')),
                                      grx_kind_of(LL_LETTERS_LE('P', 'L', '0', '3')),
                                      grx_kind_of(LL_LETTERS_LE('S', 'L', '0', '3')),
                                      grx_kind_of(LL_LETTERS_LE('O', 'C', '0', '0'))};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i] && others[i]->layout == s->layout) {
            return others[i];
        }
    }
    return NULL;
}

/* Adds an entry to the tally of its kind, and notes the first probe whose index is not its ordinal. */
static void count_entry(const ll_doc *doc, grx_summary *out, uint32_t span, const grx_kind *kind)
{
    grx_tally *tally = &out->kinds[kind->number];
    const uint8_t *index = doc->bytes + ll_doc_span(doc, span)->offset + grx_probe_at_sh_data_index;
    if (kind->layout == grx_probe_LAYOUT && out->misplaced == LL_NO_SPAN && ll_le16(index) != tally->count) {
        out->misplaced = span;
        out->misplaced_ordinal = tally->count;
    }
    tally->first = tally->count++ ? tally->first : span;
    tally->last = span;
}

static grx_file_name read_file_name(const char *name)
{
#define LL_GRX_PART(name, text, ...) {text, sizeof(text) - 1 + __VA_ARGS__}, /* with its NUL if it ends the name */
    static const struct {
        const char *text;
        size_t length;
    } parts[] = {LL_GRX_PARTS};
#undef LL_GRX_PART
    grx_file_name out = {name, 0};
    for (; *name; name++) {
        if (*name == '/' || *name == '\\') {
            out = (grx_file_name){name + 1, 0};
        }
        for (unsigned i = 0; (*name == '.' || *name == '_') && i < sizeof parts / sizeof parts[0]; i++) {
            bool here = (name[1] | ' ') == parts[i].text[1] && *name == *parts[i].text &&
                        ll_same_letters(name, parts[i].text, parts[i].length);
            out.parts |= (unsigned)here << i;
        }
    }
    return out;
}

const void *grx_index(ll_doc *doc)
{
    enum { AHEAD = 128 }; /* spans whose tags are fetched before they are needed */
    grx_summary *out = ll_doc_zalloc(doc, 1, sizeof *out);
    const grx_kind *before = NULL;
    if (!out) {
        return NULL;
    }
    out->header = doc->firsts[grx_header_LAYOUT] - 1; /* LL_NO_SPAN where there is none */
    out->terminator = doc->firsts[grx_terminator_LAYOUT] - 1;
    out->misplaced = LL_NO_SPAN;
    for (unsigned i = 0; i < GRX_KINDS; i++) {
        out->kinds[i].first = LL_NO_SPAN;
    }
    out->name = read_file_name(doc->name ? doc->name : "");
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        if (i + AHEAD < doc->span_count) {
            __builtin_prefetch(doc->bytes + ll_doc_span(doc, i + AHEAD)->offset);
        }
        const grx_kind *kind = s->parent == LL_NO_SPAN && s->index != LL_NO_INDEX ? kind_of(doc, i, before) : NULL;
        if (kind) {
            count_entry(doc, out, i, kind);
        }
        out->unknown +=
            s->parent == LL_NO_SPAN && (s->layout == grx_unknown_entry_LAYOUT || s->layout == LL_LAYOUT_UNPARSED);
        before = s->parent == LL_NO_SPAN ? kind : before;
    }
    return out;
}

uint32_t grx_child_of(const ll_doc *doc, uint32_t span, uint16_t layout)
{
    for (uint32_t i = span + 1; i < doc->span_count && ll_doc_span(doc, i)->parent == span; i++) {
        if (ll_doc_span(doc, i)->layout == layout) {
            return i;
        }
    }
    return LL_NO_SPAN;
}
