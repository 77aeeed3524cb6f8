/* Decides which section a damaged one is, and reads the contents of all sections, in the order of their rows. */
#include "model/section_state.h"

#include "model/reader.h"

#include <string.h>

enum { LIKE_LETTERS = 2 /* letters of four that must agree for a damaged tag to be taken for another */ };

/* ------------------------------------------------------------------ which section it is */

static unsigned like_letters(const uint8_t *a, const char *b)
{
    unsigned like = 0;
    for (unsigned i = 0; i < 4; i++) {
        like += ((a[i] ^ (uint8_t)b[i]) & 0xDFU) == 0; /* ignoring case */
    }
    return like;
}

/* The missing section of rows [from, before) whose tag is most like `tag`. s->count: none is like it. */
static unsigned nearest_absent(const sections *s, const bool *present, unsigned from, unsigned before,
                               const uint8_t *tag, unsigned least)
{
    unsigned best = s->count;
    for (unsigned i = from; i < before; i++) {
        const unsigned like = present[i] || s->same[i] != i ? 0 : like_letters(tag, ll_section_letters(s, i));
        const unsigned needed = ll_is_needed(s, i) ? least : LIKE_LETTERS + 1;
        best = like >= needed && (best == s->count || like > like_letters(tag, ll_section_letters(s, best))) ? i : best;
    }
    return best;
}

/* Counts the needed sections of rows [from, before) that are missing. *only: one of them. If none is missing, counts a
 * missing one that may be at any place. */
static unsigned count_absent(const sections *s, const bool *present, unsigned from, unsigned before, unsigned *only)
{
    unsigned count = 0, anywhere = s->count;
    for (unsigned i = 0; i < s->count; i++) {
        const bool absent = !present[i] && ll_is_needed(s, i);
        const bool between = absent && i >= from && i < before;
        *only = between ? i : *only;
        count += between;
        anywhere = absent && ll_is_free(s, i) ? i : anywhere;
    }
    *only = count == 0 && anywhere < s->count ? anywhere : *only;
    return count == 0 ? anywhere < s->count : count;
}

bool ll_is_copy(const sections *s, const section *one, const section *other)
{
    const uint32_t bytes = one->end - one->pos;
    return other->end - other->pos == bytes &&
           memcmp(ll_section_bytes(s, one->pos), ll_section_bytes(s, other->pos), bytes) == 0;
}

/* One of the two is a copy of the other, so its tag is right. Equal empty tables are no copies: their contents are
 * zeros. */
static bool is_copied(const sections *s, const section *one, const section *other)
{
    const uint8_t *bytes = ll_section_bytes(s, one->pos);
    const uint32_t size = one->end - one->pos;
    return size > s->header && ll_is_copy(s, one, other) && !ll_is_zero(bytes + s->header, bytes + size);
}

/* Tells which section an unknown tag, or a tag of another section, stands for: by its place and by the sections that
 * are missing there. other: another section with its tag; NULL: there is none. s->count: not known. Also marks remains
 * of several sections. */
static unsigned tell_section(const sections *s, section *f, const bool *present, const section *other, unsigned from,
                             unsigned next)
{
    const bool twice = other != NULL;
    const bool known = f->row < s->count, whole = f->end - f->pos >= s->header;
    const bool in_place = known && f->row >= from && f->row < next;
    const uint8_t *tag = ll_section_bytes(s, f->pos);
    unsigned row = s->count, only = s->count;
    const unsigned absent = count_absent(s, present, from, next, &only);
    if (whole && !in_place && (!known || twice || ll_is_free(s, f->row))) {
        row = nearest_absent(s, present, from, next, tag, LIKE_LETTERS + known);
        row = row == s->count && twice && absent == 1 && !f->wrong && !is_copied(s, f, other) ? only : row;
    }
    if (row < s->count || known || (whole && !f->wrong && ll_is_printable(tag))) {
        return row;
    }
    f->guessed = whole && absent == 1; /* no letter of the tag, or no size, is left */
    const bool behind =
        f->wrong == 1 + LL_READ_CUT_INSIDE; /* what the cut took off is not known: the fault about its size says so */
    f->remains = !f->guessed && !behind && absent && (f->wrong || !whole);
    return f->guessed ? only : s->count;
}

void ll_name_sections(sections *s)
{
    bool present[LL_PARTS_MAX] = {false};
    const section *first[LL_PARTS_MAX] = {NULL}, *second[LL_PARTS_MAX] = {NULL};
    for (size_t i = 0; i < s->found.count; i++) {
        const section *f = &s->found.items[i];
        present[f->row] = true;
        second[f->row] = first[f->row] && !second[f->row] ? f : second[f->row];
        first[f->row] = first[f->row] ? first[f->row] : f;
    }
    unsigned from = 0;
    for (size_t i = 0; i < s->found.count; i++) {
        section *f = &s->found.items[i];
        unsigned next = s->count;
        for (size_t j = i + 1; next == s->count && j < s->found.count && j <= i + s->count; j++) {
            const unsigned behind = s->found.items[j].row;
            next = ll_is_free(s, behind) ? next : behind;
        }
        const section *other = first[f->row] == f ? second[f->row] : first[f->row];
        const unsigned row = tell_section(s, f, present, other, from, next);
        if (row < s->count) {
            present[f->row] = f->row < s->count && second[f->row];
            present[row] = true;
            f->row = (uint16_t)row;
            f->damaged = true;
            f->lost = f->wrong != 0; /* the whole header is damaged */
            f->surplus = f->lost ? 0 : f->surplus;
        }
        from = f->row < s->count && f->row < next ? f->row + 1U : from;
    }
}

void ll_choose_sections(sections *s)
{
    for (size_t i = 0; i < s->found.count; i++) {
        section *f = &s->found.items[i], *other = f->row < s->count ? s->chosen[f->row] : NULL;
        const bool better = other && !other->read && (f->read || (other->wrong && !f->wrong));
        if (other) {
            (better ? other : f)->again = true;
        }
        s->chosen[f->row] = other && !better ? other : f;
    }
}

/* ------------------------------------------------------------------ contents */

/* No count says how long the section is, and it is shorter than its first record: raises a fault. False: it is not. */
static bool is_short(sections *s, section *f)
{
    static const uint8_t zeros[16];
    const ll_part_row *head = &s->r->format->parts[s->r->plan->rows[ll_section_row(s, f->row)->layout].first];
    const uint32_t start = f->pos + s->header, length = f->end - start, size = s->doc->layouts[head->layout].size;
    if (head->owner != ll_section_row(s, f->row)->layout || head->how != LL_PART_ONE || length >= size) {
        return false;
    }
    (void)ll_claim_unparsed(s->r->doc, f->span, start, f->end);
    ll_fault fault = ll_section_fault(s, LL_READ_CUT, head->layout, ll_at_section_size(s, f->span),
                                      ll_section_word(s, f->row), ll_uint(length));
    if (f->row) {
        ll_patch_edit(
            s->doc, &fault,
            (ll_edit){.tier = LL_PATCH_UNSAFE, .offset = start, .removed = length, .bytes = zeros, .size = size});
    }
    ll_raise(s->r->doc, &fault);
    ll_mark_span(s->r->doc, f->span,
                 length || !f->row ? LL_SPAN_DOUBTFUL : 0); /* most readers take a section without contents as empty */
    return true;
}

/* The first address in the section among the places of faults from `node` on. */
static uint32_t first_place(uint32_t start, const ll_fault_node *node, uint32_t place)
{
    for (; node; node = node->next) {
        const uint32_t at[] = {node->fault.at.offset, node->fault.related.offset};
        for (unsigned i = 0; i < 2; i++) {
            place = at[i] >= start && at[i] < place ? at[i] : place;
        }
    }
    return place;
}

/* The padding and the strings of a record are plausible. Those of shifted records seldom are. */
static bool is_plausible(const ll_layout *l, const uint8_t *record)
{
    bool plausible = true;
    for (unsigned i = 0; plausible && i < l->field_count; i++) {
        const ll_field *field = &l->fields[i];
        const uint8_t *bytes = record + field->offset;
        const uint8_t *nul = field->role == LL_ROLE_STRING ? memchr(bytes, 0, field->bytes) : NULL;
        for (uint32_t k = 0; plausible && k < field->bytes; k++) {
            const bool letter = bytes[k] >= ' ' && bytes[k] <= '~';
            plausible = field->role == LL_ROLE_PADDING  ? bytes[k] == 0 || bytes[k] == 0xFF
                        : field->role == LL_ROLE_STRING ? (nul && bytes + k >= nul ? bytes[k] == 0 : letter)
                                                        : true;
        }
    }
    return plausible;
}

void ll_raise_moved(sections *s, section *f, ll_read_kind kind, ll_where at, int64_t more)
{
    ll_doc *doc = s->r->doc;
    const uint32_t start = f->pos + s->header;
    ll_fault fault =
        ll_section_fault(s, kind, ll_section_row(s, f->row)->layout, at, ll_uint((uint64_t)(more < 0 ? -more : more)),
                         ll_word(more < 0 ? "taken out" : "put in"));
    fault.related = ll_at_section_size(s, f->span);
    fault.arg[2] = ll_section_word(s, f->row);
    fault.arg[3] = ll_uint(at.offset);
    ll_patch_moved(doc, &fault, ll_at_bytes(f->span, start, f->end - start), more);
    ll_raise(doc, &fault);
    ll_mark_span(doc, f->span, LL_SPAN_BROKEN | LL_SPAN_DOUBTFUL);
    f->shifted = true;
}

/* Raises the fault that bytes were put into a section or taken out of it: in front of the first implausible record, or
 * of the first place that faults from `node` on are about. Reads the section up to there. */
static void raise_shift(sections *s, section *f, const ll_doc_mark *mark, const ll_fault_node *node)
{
    ll_doc *doc = s->r->doc;
    const unsigned owner = ll_section_row(s, f->row)->layout;
    const size_t first = s->r->plan->rows[owner].first;
    const uint32_t start = f->pos + s->header;
    const int64_t more = f->surplus;
    uint32_t place = first_place(start, node, f->end), at = start, head = LL_NO_SPAN;
    place = place < f->end ? place : start;
    ll_doc_rewind(doc, mark);
    for (size_t row = first; row < s->r->plan->rows[owner].end; row++) {
        const ll_part_row *part = &s->r->format->parts[row];
        const ll_layout *l = &doc->layouts[part->layout];
        if (part->how == LL_PART_ONE && ll_fits(at, l->size, f->end)) {
            head = ll_claim_fixed(doc, f->span, part->layout, at);
            at += l->size;
            continue;
        }
        const bool records = l->kind == LL_KIND_RECORD && part->how != LL_PART_ITEMS && !ll_usual_count(part);
        place = records ? at : place;
        while (records && ll_fits(place, l->size, f->end) && is_plausible(l, ll_section_bytes(s, place))) {
            place += l->size;
        }
        if (records && f->row) {
            head = ll_claim_array(doc, f->span, part->layout, at, (place - at) / l->size);
            at = place;
        }
        ll_mark_span(doc, records ? head : LL_NO_SPAN,
                     LL_SPAN_BROKEN); /* if other sections need the records, none is used */
        break;
    }
    const uint32_t rest = ll_claim_unparsed(doc, f->span, at, f->end);
    ll_raise_moved(s, f, LL_READ_SHIFTED_PART, ll_at_bytes(rest == LL_NO_SPAN ? f->span : rest, place, f->end - place),
                   more);
}

/* Marks records that do not fill their section as broken, so that nothing is looked up in them. */
static void judge_heads(sections *s, const section *f)
{
    for (size_t i = 0; i < s->r->format->share_count; i++) {
        const uint32_t span = s->doc->firsts[s->r->format->shares[i].layout] - 1U;
        const ll_span *records = span < s->doc->span_count ? ll_doc_span(s->doc, span) : NULL;
        if (records && records->parent == f->span &&
            (f->end - records->offset) % s->doc->layouts[records->layout].size) {
            ll_mark_span(s->r->doc, span, LL_SPAN_BROKEN);
            ll_mark_span(s->r->doc, f->span, LL_SPAN_DOUBTFUL);
        }
    }
}

/* Checks that the section has as many records as there are owners. If not, raises only that fault, and none about an
 * incomplete last record. */
static void judge_number(sections *s, const section *f, const ll_doc_mark *mark)
{
    const size_t row = s->r->plan->rows[ll_section_row(s, f->row)->layout].first;
    const uint32_t count = s->r->format->parts[row].how == LL_PART_ARRAY ? ll_records_of(s->doc, row) : 0,
                   length = f->end - f->pos - s->header;
    const uint64_t expected = (uint64_t)count * ll_section_unit(s, f->row);
    if (!expected || expected == length) {
        return;
    }
    if (s->doc->fault_count > mark->fault_count) {
        ll_mark_span(s->r->doc, s->doc->last_fault->fault.at.span, LL_SPAN_EXPLAINED);
        ll_doc_forget(s->r->doc, mark);
    }
    ll_fault fault = ll_section_fault(s, LL_READ_SIZE, ll_section_row(s, f->row)->layout,
                                      ll_at_section_size(s, f->span), ll_uint(length), ll_uint(expected));
    fault.arg[2] = ll_uint(count);
    fault.related = ll_at_section_size(s, s->chosen[0] ? s->chosen[0]->span : LL_NO_SPAN);
    ll_raise(s->r->doc, &fault);
}

/* Reads the contents of a section by its rows, and checks whether bytes in it moved. */
static void read_rows(sections *s, section *f, const ll_doc_mark *mark)
{
    ll_doc *doc = s->r->doc;
    const unsigned layout = ll_section_row(s, f->row)->layout;
    const uint32_t start = f->pos + s->header, length = f->end - start;
    const ll_stretch rows = {
        .layout = (uint16_t)layout, .parent = f->span, .from = f->pos, .to = f->end, .claimed = true};
    ll_read_part(doc, &rows, s->r->variant);
    judge_number(s, f, mark);
    const ll_part_row *part = &s->r->format->parts[s->r->plan->rows[layout].first];
    const bool texts = doc->layouts[part->layout].kind == LL_KIND_STRING && part->how != LL_PART_LED;
    const bool raised = doc->fault_count > mark->fault_count, several = doc->fault_count > mark->fault_count + 1;
    const uint64_t reach = part->how == LL_PART_LED && several && !f->surplus ? ll_reach(doc, layout) : 0;
    f->surplus = reach ? (int64_t)length - (int64_t)reach : f->surplus;
    if (texts && f->surplus) { /* the last text may go on after the section, or end before it */
        ll_doc_forget(doc, mark);
    } else if (f->surplus && (raised || ll_section_contents(s, f->row, start) || ll_reach(doc, layout) ||
                              ll_is_number_lost(doc, layout, length, (uint64_t)((int64_t)length - f->surplus)))) {
        raise_shift(s, f, mark, mark->last_fault ? mark->last_fault->next : doc->first_fault);
    }
    ll_mark_span(doc, f->span, raised || f->surplus ? LL_SPAN_DOUBTFUL : 0);
}

/* Reads the contents of a section. Drops faults that its own damaged header, or that of the next section, caused. */
static void read_contents(sections *s, section *f)
{
    ll_doc *doc = s->r->doc;
    const ll_doc_mark mark = ll_doc_mark_here(doc);
    const bool next_damaged = f + 1 < s->found.items + s->found.count && (f[1].remains || (f[1].damaged && f[1].lost));
    if (!is_short(s, f)) {
        read_rows(s, f, &mark);
    }
    if (doc->fault_count > mark.fault_count && (f->guessed || next_damaged)) {
        f->lost = true;
        ll_doc_rewind(doc, &mark);
        ll_mark_span(doc, f->span, LL_SPAN_DOUBTFUL);
        (void)ll_claim_unparsed(doc, f->span, f->pos + s->header, f->end);
    }
}

void ll_read_section(sections *s, section *f)
{
    ll_doc *doc = s->r->doc;
    const unsigned layout = ll_section_row(s, f->row)->layout;
    f->span = ll_claim_record(doc, LL_NO_SPAN, (uint16_t)layout, f->pos, f->end, LL_NO_INDEX);
    f->read = true;
    ll_mark_span(doc, f->span, f->wrong ? LL_SPAN_BROKEN : 0);
    if (f->lost && !f->surplus) {
        (void)ll_claim_unparsed(doc, f->span, f->pos + s->header, f->end);
        ll_mark_span(doc, f->span, LL_SPAN_DOUBTFUL);
    } else {
        read_contents(s, f);
    }
    if (f->row == 0) {
        judge_heads(s, f);
        s->headed = true;
        for (unsigned i = 0; i < s->count; i++) {
            s->referred = s->referred || (ll_is_free(s, i) && ll_is_referred_to(doc, ll_section_row(s, i)->layout));
        }
    }
}
