/* Reads sections (section_state.h), and raises faults about sections that are out of order or missing. */
#include "model/section_state.h"

#include <string.h>

/* Marks the sections that were moved: those outside the longest ascending run. Sections that may be at any place are
 * left out. */
static void find_moved(const sections *s, bool *moved)
{
    uint32_t longest[LL_PARTS_MAX], before[LL_PARTS_MAX], last = s->count;
    for (unsigned i = 0; i < s->count; i++) {
        longest[i] = moved[i] = s->chosen[i] && !ll_is_free(s, i);
        before[i] = s->count;
        for (unsigned j = 0; longest[i] && j < i; j++) {
            if (longest[j] && longest[j] + 1 >= longest[i] && s->chosen[j]->pos < s->chosen[i]->pos) {
                longest[i] = longest[j] + 1;
                before[i] = j;
            }
        }
        last = longest[i] && (last == s->count || longest[i] >= longest[last]) ? i : last;
    }
    for (uint32_t i = last; i < s->count; i = before[i]) {
        moved[i] = false;
    }
}

static void judge_order(const sections *s)
{
    bool moved[LL_PARTS_MAX] = {false};
    const section *front = NULL; /* the last section in front that is there */
    find_moved(s, moved);
    for (unsigned i = 0; i < s->count; i++) {
        const section *f = s->chosen[i];
        if (moved[i]) {
            ll_fault fault =
                ll_section_fault(s, LL_READ_ORDER, ll_section_row(s, i)->layout, ll_at_section_tag(s, f->span),
                                 ll_chars(f->pos, 4), front ? ll_section_word(s, front->row) : ll_word("nothing"));
            const uint32_t place = front ? front->end : s->found.items[0].pos;
            fault.related = front ? ll_at_section_tag(s, front->span) : ll_nowhere();
            ll_patch_order(s->r->doc, &fault, f->pos < place ? f->pos : place, f->pos < place ? f->end : f->pos,
                           f->pos < place ? place : f->end);
            ll_raise(s->r->doc, &fault);
        }
        front = f ? f : front;
    }
}

/* Patches in a missing section: its tag in front of what remains of it, or an empty section, with a count of 0 or the
 * usual number of records. */
static void patch_missing(const sections *s, ll_fault *fault, unsigned row, bool remains)
{
    const unsigned owner = ll_section_row(s, row)->layout;
    const ll_layout *l = &s->doc->layouts[owner];
    const ll_field *size = &l->fields[ll_section_size_field(s)];
    uint32_t length = 0;
    for (size_t k = s->r->plan->rows[owner].first; k < s->r->plan->rows[owner].end; k++) {
        const ll_part_row *part = &s->r->format->parts[k];
        length += (part->how == LL_PART_ONE ? 1 : ll_usual_count(part)) * s->doc->layouts[part->layout].size;
    }
    uint8_t *bytes = ll_doc_zalloc(s->r->doc, s->header + length, 1);
    if (bytes) {
        memcpy(bytes, ll_section_letters(s, row), 4);
        ll_put_uint(bytes + size->offset, size->bytes, l->endian == LL_BIG, length);
        ll_patch_insert(s->doc, fault, LL_PATCH_UNSAFE, fault->at.offset, bytes, remains ? 4 : s->header + length);
    }
}

static void judge_presence(const sections *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->chosen[i] || ll_is_free(s, i) || s->same[i] != i) {
            continue;
        }
        unsigned next = i + 1;
        while (next < s->count && !s->chosen[next]) {
            next++;
        }
        if (s->cut && next == s->count) { /* they are after the cut */
            return;
        }
        const section *behind = next < s->count ? s->chosen[next] : s->found.items + s->found.count;
        const section *front = behind > s->found.items && behind[-1].remains ? behind - 1 : NULL;
        const uint32_t place = next < s->count ? behind->pos : s->end;
        ll_fault fault = ll_section_fault(s, LL_READ_MISSING, ll_section_row(s, i)->layout,
                                          front ? ll_at_bytes(front->span, front->pos, place - front->pos)
                                                : ll_at_bytes(LL_NO_SPAN, place, 0),
                                          ll_section_word(s, i), ll_section_word(s, next));
        patch_missing(s, &fault, i, front != NULL);
        ll_raise(s->r->doc, &fault);
    }
}

/* Refuses a file without a known section. False: it has one. */
static bool refuse_foreign(const sections *s)
{
    ll_doc *doc = s->r->doc;
    unsigned other = s->count;
    for (size_t i = 0; i < s->found.count; i++) {
        if (s->found.items[i].row < s->count) {
            return false;
        }
    }
    while (ll_section_row(s, other)->tag) {
        other++;
    }
    if (s->found.count) {
        const uint32_t span = ll_claim_broken(doc, LL_NO_SPAN, ll_section_row(s, other)->layout, 0, doc->size, 0);
        (void)ll_claim_unparsed(doc, span, s->header, doc->size);
        LL_RAISE(doc, LL_FAULT_UNKNOWN_FORMAT, 0, ll_at_section_tag(s, span), ll_chars(0, 4));
        doc->fatal = doc->opaque = doc->unchecked = true;
    }
    return doc->opaque;
}

/* The first section has its size and its first count in the other byte order, and records of that number fill it. */
static bool is_turned_head(const sections *s, const section *f)
{
    const uint32_t at = f->pos + s->header, length = f->end - at;
    const size_t row = s->r->plan->rows[ll_section_row(s, 0)->layout].first;
    const uint32_t head = s->doc->layouts[s->r->format->parts[row].layout].size;
    const uint32_t one = s->doc->layouts[s->r->format->parts[row + 1].layout].size;
    const uint8_t *count = ll_section_bytes(s, at);
    return f->row == 0 && f->wrong == 1 + LL_READ_ASTRAY_TURNED && length >= head && ll_be32(count) != ll_le32(count) &&
           head + (uint64_t)one * ll_be32(count) == length;
}

/* Refuses a file whose numbers are all in the other byte order, as no value of it would mean anything. False: it is
 * not. */
static bool refuse_turned(const sections *s, const ll_doc_mark *mark)
{
    ll_doc *doc = s->r->doc;
    uint32_t sizes = 0, turned = 0;
    const section *head = NULL;
    for (size_t i = 0; i < s->found.count; i++) {
        const section *f = &s->found.items[i];
        head = is_turned_head(s, f) ? f : head;
        sizes += f->end - f->pos > s->header;
        turned += f->wrong == 1 + LL_READ_ASTRAY_TURNED;
    }
    if (!head || turned <= sizes / 2) {
        return false;
    }
    ll_doc_rewind(doc, mark);
    (void)ll_claim_unparsed(doc, LL_NO_SPAN, 0, head->pos);
    const uint32_t span =
        ll_claim_broken(doc, LL_NO_SPAN, ll_section_row(s, 0)->layout, head->pos, doc->size, LL_NO_INDEX);
    ll_mark_span(doc, ll_claim_unparsed(doc, span, head->pos + s->header, doc->size), LL_SPAN_EXPLAINED);
    const ll_where at = ll_at_section_size(s, span);
    ll_fault fault = ll_section_fault(s, LL_READ_TURNED, ll_section_row(s, 0)->layout, at,
                                      ll_uint(ll_be32(ll_section_bytes(s, at.offset))), ll_uint(0));
    ll_raise(doc, &fault);
    doc->fatal = true;
    return true;
}

void ll_read_sections(reader *r)
{
    frame *f = r->top;
    const ll_doc_mark mark = ll_doc_mark_here(r->doc);
    sections s = {.r = r, .doc = r->doc, .first = f->row};
    s.header = r->doc->layouts[r->format->parts[s.first].layout].size;
    r->doc->by_rows = false; /* causes of wrong headers and sizes are decided here, not by the search */
    while (r->format->parts[s.first + s.count].place != LL_PLACE_LAST) {
        unsigned same = 0;
        while (r->format->parts[s.first + same].layout != r->format->parts[s.first + s.count].layout) {
            same++;
        }
        s.same[s.count++] = (uint8_t)same;
    }
    ll_seek_sections(&s);
    if (!refuse_foreign(&s) && !refuse_turned(&s, &mark)) {
        ll_name_sections(&s);
        ll_choose_sections(&s);
        ll_claim_sections(&s);
        judge_order(&s);
        judge_presence(&s);
    }
    f->row = f->end;
    r->at = r->doc->size;
    f->left = true;
}
