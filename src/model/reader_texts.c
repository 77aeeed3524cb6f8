/* Sections of texts to which offsets in records of another section lead (LL_REFERENCE). Some offsets may lead beside
 * the texts. If all lead to texts once the same number is added to those from some place on, that many bytes were put
 * in there. */
#include "model/section_state.h"
#include "model/reference.h"

enum { MOVED_MAX = 64 /* most bytes put in or taken out that are tried */ };

/* The texts of a section, and the records whose offsets lead to them. */
typedef struct led_texts {
    const ll_doc *doc;
    const uint8_t *bytes; /* bytes of the texts */
    uint32_t length;
    uint32_t records; /* span of the records */
    unsigned field;   /* their field with the offset */
} led_texts;

/* The offset in the next record. An offset beyond 32 bits leads to no text, whatever is added to it. */
static bool next_offset(const led_texts *t, uint32_t *number, int64_t *offset)
{
    ll_element record;
    const bool there = ll_element_at(t->doc, t->records, *number, &record);
    const uint64_t value = there ? ll_get_uint(&record, t->field) : 0;
    *offset = value < UINT32_MAX ? (int64_t)value : INT64_MAX / 2;
    *number += there;
    return there;
}

static bool is_start(const led_texts *t, int64_t offset)
{
    return offset >= 0 && offset < (int64_t)t->length && (offset == 0 || t->bytes[offset - 1] == 0);
}

/* Number of offsets that lead to no start of a text. *lowest: the lowest of these offsets. */
static uint32_t count_astray(const led_texts *t, int64_t *lowest)
{
    uint32_t count = 0;
    int64_t offset;
    *lowest = INT64_MAX;
    for (uint32_t i = 0; next_offset(t, &i, &offset);) {
        if (!is_start(t, offset)) {
            *lowest = offset < *lowest ? offset : *lowest;
            count++;
        }
    }
    return count;
}

/* The offset of the first text to which no record leads. The length of the texts: there is none. */
static int64_t find_unled(ll_doc *doc, const led_texts *t)
{
    bool *led = ll_doc_zalloc(doc, t->length, sizeof *led);
    int64_t offset;
    for (uint32_t i = 0; led && next_offset(t, &i, &offset);) {
        led[is_start(t, offset) ? offset : 0] = true;
    }
    offset = led ? 0 : t->length;
    while (offset < (int64_t)t->length && (led[offset] || !is_start(t, offset))) {
        offset++;
    }
    return offset;
}

/* All offsets lead to starts of texts once `more` is added to those from `first` on. */
static bool lead_all(const led_texts *t, int64_t first, int64_t more)
{
    int64_t offset;
    bool all = true;
    for (uint32_t i = 0; all && next_offset(t, &i, &offset);) {
        all = is_start(t, offset < first ? offset : offset + more);
    }
    return all;
}

/* Number of bytes that were put in (below 0: taken out) in front of *place. 0: none were. surplus: bytes by which the
 * section is longer than its size says. */
static int64_t find_moved(ll_doc *doc, const led_texts *t, int64_t surplus, int64_t *place)
{
    const uint32_t astray = count_astray(t, place);
    if (!astray && surplus > 0) {
        *place = find_unled(doc, t) + 1;
        return *place <= (int64_t)t->length ? surplus : 0;
    }
    int64_t more = astray ? surplus : 0;
    for (int64_t step = 2; astray > 1 && !more && step < 2 * (MOVED_MAX + 1); step++) {
        const int64_t by = step % 2 ? -(step / 2) : step / 2;
        more = lead_all(t, *place, by) ? by : 0;
    }
    *place += more;
    return more;
}

/* Finds the records whose offsets lead to the texts of a section. False: there are none, or their section is
 * doubtful. */
static bool find_records(const ll_doc *doc, const ll_part_row *part, led_texts *t)
{
    const ll_reference *row = ll_reference_to(doc->format, part);
    t->records = row && row->how == LL_BY_OFFSET_IN_BODY ? doc->firsts[row->layout] - 1U : LL_NO_SPAN;
    t->field = row ? row->field : LL_NO_FIELD;
    const uint32_t owner = ll_is_usable(doc, t->records) ? ll_doc_span(doc, t->records)->parent : LL_NO_SPAN;
    return owner != LL_NO_SPAN && !(ll_doc_span(doc, owner)->flags & LL_SPAN_DOUBTFUL);
}

/* The span of the text in front of an address, which became longer or shorter. The holder's span: there is none. */
static uint32_t text_before(const ll_doc *doc, unsigned layout, uint32_t holder, int64_t place)
{
    uint32_t span = doc->firsts[layout] ? doc->firsts[layout] - 1U : holder;
    while (span != holder && span + 1 < doc->span_count && ll_doc_span(doc, span + 1)->layout == layout &&
           ll_doc_span(doc, span + 1)->offset < place) {
        span++;
    }
    return span;
}

void ll_judge_texts(sections *s, section *f)
{
    ll_doc *doc = s->r->doc;
    const unsigned owner = ll_section_row(s, f->row)->layout;
    const ll_part_row *part = &s->r->format->parts[s->r->plan->rows[owner].first];
    const uint32_t start = f->pos + s->header;
    led_texts t = {.doc = doc, .bytes = ll_section_bytes(s, start), .length = f->end - start};
    const bool texts = part->owner == owner && part->how == LL_PART_ARRAY &&
                       doc->layouts[part->layout].kind == LL_KIND_STRING && !f->damaged;
    if (!texts || (t.length && !doc->firsts[part->layout]) || !find_records(doc, part, &t)) {
        return;
    }
    int64_t place;
    const int64_t more = find_moved(doc, &t, f->surplus, &place);
    if (more) {
        const uint32_t span = text_before(doc, part->layout, f->span, start + place);
        const uint32_t from = span == f->span ? start : ll_doc_span(doc, span)->offset;
        ll_raise_moved(s, f, ll_has_high_bytes(t.bytes, t.length) ? LL_READ_SHIFTED_LETTERS : LL_READ_SHIFTED_PART,
                       ll_at_bytes(span, from, f->end - from), more);
    }
}
