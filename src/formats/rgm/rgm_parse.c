/* Reads a map, by its rows. Of strings, which entries of another section lead to, it is judged here whether bytes moved
 * among them: one fault says how many were put in or taken out. */
#include "formats/rgm/soup.h"

#include "model/reader.h"

ll_probe_result rgm_probe(const uint8_t *bytes, size_t size)
{
    static const uint8_t prefix[] = {0x1B, 0x80, 0x37, 0x00};
    static const char tags[] = "MPL MPF MPM "
#define LL_RGM_SECTION(name, ...) #name
#include "formats/rgm/rgm_sections.def"
#undef LL_RGM_SECTION
        ;
    const uint32_t tag = size >= 4 ? ll_le32(bytes) : 0;
    bool known = false;
    for (size_t i = 0; memchr("RMWF", (uint8_t)tag, 4) && i + 4 < sizeof tags; i += 4) {
        known = known || ll_le32((const uint8_t *)tags + i) == tag;
    }
    const bool heads = known && memcmp(bytes, "RAHD", 4) == 0;
    if (size < RGM_HEADER) {
        return heads ? LL_PROBE_MAYBE : LL_PROBE_NO;
    }
    if (size >= RGM_HEADER + rgm_rahd_head_SIZE) {
        const uint64_t needed = rgm_rahd_head_SIZE + (uint64_t)ll_le32(bytes + RGM_HEADER) * rgm_actor_SIZE;
        const bool counted = needed == ll_be32(bytes + 4) || needed == ll_le32(bytes + 4);
        const bool prefixed = memcmp(bytes + RGM_HEADER + rgm_rahd_head_at_prefix, prefix, sizeof prefix) == 0;
        if (heads + counted + prefixed >= 2) {
            return LL_PROBE_SURE;
        }
    }
    return known ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

/* ------------------------------------------------------------------ strings */

typedef struct parser {
    ll_doc *doc;
    rgm_section *section; /* by ordinal */
} parser;

/* Says that `more` bytes were put into RAST (below 0: taken out), at `place` or in front of it. */
static void raise_shift(ll_doc *doc, const rgm_section *text, uint32_t span, uint32_t place, int64_t more)
{
    const bool recoded = ll_has_high_bytes(doc->bytes + text->start, text->length);
    ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_SECTION_SHIFTED, recoded ? RGM_HINT_TEXT_RECODED : RGM_HINT_NONE,
                                   ll_at_bytes(span, place, text->start + text->length - place),
                                   rgm_length_at(doc, text), ll_uint((uint64_t)(more < 0 ? -more : more)),
                                   ll_word(more < 0 ? "taken out" : "put in"), ll_word("RAST"), ll_uint(place));
    ll_patch_moved(doc, &fault, ll_at_bytes(span, text->start, text->length), more);
    ll_fault_node *node = doc->first_fault;
    while (node && node->fault.at.offset != fault.related.offset) {
        node = node->next;
    }
    if (node) { /* rather than that its length is wrong */
        node->fault = fault;
    } else {
        ll_raise(doc, &fault);
    }
    ll_mark_span(doc, text->span, LL_SPAN_BROKEN | LL_SPAN_DOUBTFUL);
}

static bool is_start(const parser *p, int64_t offset)
{
    const rgm_section *text = &p->section[RGM_RAST];
    const uint8_t *bytes = p->doc->bytes + text->start;
    return offset >= 0 && offset < (int64_t)text->length && (offset == 0 || bytes[offset - 1] == 0);
}

/* All entries lead to strings, those from `first` on when `more` is added. */
static bool lead_all(const parser *p, uint32_t first, int64_t more)
{
    const rgm_section *entries = &p->section[RGM_RASB];
    bool all = true;
    for (uint32_t i = 0; all && i < entries->count; i++) {
        int64_t offset = rgm_word(p->doc, entries->start + i * (uint32_t)rgm_string_offset_SIZE);
        all = is_start(p, offset + (offset < first ? 0 : more));
    }
    return all;
}

/* Offset of the first string of RAST that no entry of RASB leads to, UINT32_MAX: there is none. */
static uint32_t find_orphan(const parser *p)
{
    const rgm_section *text = &p->section[RGM_RAST];
    const rgm_section *entries = &p->section[RGM_RASB];
    bool *used = ll_doc_zalloc(p->doc, text->length, sizeof *used);
    for (uint32_t i = 0; used && i < entries->count; i++) {
        uint32_t offset = rgm_word(p->doc, entries->start + i * (uint32_t)rgm_string_offset_SIZE);
        used[offset < text->length ? offset : 0] = true;
    }
    for (uint32_t i = 0; used && i < text->count; i++) {
        uint32_t offset = ll_doc_span(p->doc, text->records + i)->offset - text->start;
        if (!used[offset]) {
            return offset;
        }
    }
    return UINT32_MAX;
}

/* Where entries of RASB lead beside the strings, bytes of RAST moved. */
static void judge_strings(const parser *p)
{
    ll_doc *doc = p->doc;
    rgm_section *text = &p->section[RGM_RAST], *entries = &p->section[RGM_RASB];
    text->records = doc->firsts[rgm_string_LAYOUT] - 1U;
    for (uint32_t i = text->records; i < doc->span_count && ll_doc_span(doc, i)->layout == rgm_string_LAYOUT; i++) {
        text->count++;
    }
    entries->count = doc->firsts[rgm_string_offset_LAYOUT] ? entries->length / rgm_string_offset_SIZE : 0;
    const bool read = text->span != LL_NO_SPAN && (text->count || !text->length) && entries->sound;
    if (!read || memcmp(doc->bytes + text->start - RGM_HEADER, "RAST", 4) != 0) { /* its header is damaged */
        return;
    }
    const uint32_t stated = rgm_length_at(doc, text).offset;
    const bool turned = ll_le32(doc->bytes + stated) == text->length;
    const int64_t surplus = turned ? 0 : (int64_t)text->length - ll_be32(doc->bytes + stated);
    uint32_t lowest = UINT32_MAX; /* offset that leads to no string */
    uint32_t count = 0;
    for (uint32_t i = 0; (text->count || surplus) && i < entries->count; i++) {
        const uint32_t offset = rgm_word(doc, entries->start + i * (uint32_t)rgm_string_offset_SIZE);
        if (!is_start(p, offset)) {
            count++;
            lowest = offset < lowest ? offset : lowest;
        }
    }
    if (!count && surplus > 0) {
        lowest = find_orphan(p);
    }
    int64_t more = lowest < UINT32_MAX ? surplus : 0;
    for (int64_t step = 2; count > 1 && !more && step < 2 * (RGM_SHIFT_MAX + 1); step++) {
        const int64_t by = step % 2 ? -(step / 2) : step / 2;
        more = lead_all(p, lowest, by) ? by : 0;
    }
    if (more && !text->count) {
        raise_shift(doc, text, text->span, text->start, more);
    } else if (more) { /* the string in front of the first that is not where it should be became longer or shorter */
        const int64_t behind = text->start + (int64_t)lowest + (count ? more : 1); /* the one that no entry leads to */
        uint32_t span = text->records;
        for (uint32_t i = 1; i < text->count && ll_doc_span(doc, text->records + i)->offset < behind; i++) {
            span = text->records + i;
        }
        raise_shift(doc, text, span, ll_doc_span(doc, span)->offset, more);
    }
}

/* ------------------------------------------------------------------ all of it */

/* The first variable belongs to nobody. */
static void judge_sentinel(ll_doc *doc)
{
    const ll_where at = ll_at_field(doc, doc->firsts[rgm_variable_LAYOUT] - 1U, 0, rgm_variable_value);
    if (at.length && rgm_word(doc, at.offset)) {
        rgm_raise_value(doc,
                        LL_MAKE_FAULT(RGM_FAULT_RAVA_SENTINEL, RGM_HINT_NONE, at, ll_nowhere(),
                                      ll_int((int32_t)rgm_word(doc, at.offset))),
                        LL_PATCH_UNSAFE, 0);
    }
}

void rgm_parse(ll_doc *doc)
{
    rgm_summary summary;
    const parser p = {.doc = doc, .section = summary.section};
    rgm_clear(&summary);
    ll_read(doc);
    doc->by_rows = false; /* of sections the reader judges causes, and so is done here */
    rgm_index_sections(doc, &summary);
    if (doc->status == LL_OK && !doc->opaque) {
        judge_strings(&p);
        judge_sentinel(doc);
    }
}
