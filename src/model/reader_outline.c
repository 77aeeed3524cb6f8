/* Sections (section_state.h): raises faults about their headers, about unknown and repeated sections, and about the
 * end of the list. */
#include "model/section_state.h"

#include "model/derive.h"
#include "model/reader.h"

#include <string.h>

/* ------------------------------------------------------------------ headers */

/* Whether a fault about the size explains what is wrong. For a section with an unknown tag: only if the tag is
 * printable. */
static bool is_size_told(const sections *s, const section *f)
{
    if (f->row == s->count) {
        return f->wrong && f->span != LL_NO_SPAN && !f->remains && ll_is_printable(ll_section_bytes(s, f->pos));
    }
    return f->wrong && !f->again && !f->shifted;
}

/* `right` is certain to be the size of the contents. If no field counts the records and the stated size is also one of
 * whole records, a record may have been lost or doubled instead. */
static bool is_size_decided(const sections *s, const section *f, uint32_t right)
{
    const uint32_t unit = ll_section_unit(s, f->row);
    return f->stated == 0 || f->wrong == 1 + LL_READ_ASTRAY_TURNED ||
           (f->expected ? f->expected == right : unit && right % unit == 0 && f->stated % unit);
}

/* The last record, or the last text, is incomplete. */
static bool is_part_missing(const sections *s, const section *f)
{
    const uint32_t start = f->pos + s->header, unit = ll_section_unit(s, f->row), length = f->end - start;
    const size_t row = s->r->plan->rows[ll_section_row(s, f->row)->layout].first;
    const bool texts = ll_has_parts(s->r, ll_section_row(s, f->row)->layout) &&
                       s->doc->layouts[s->r->format->parts[row].layout].kind == LL_KIND_STRING;
    const uint8_t *bytes = ll_section_bytes(s, start);
    return (unit && length % unit) || (texts && length && (bytes[length - 1] || ll_has_high_bytes(bytes, length)));
}

/* Raises the fault about the size of section i. Called when all sections are claimed, as the fault names the next
 * one. */
static void raise_size(const sections *s, size_t i)
{
    const section *f = &s->found.items[i];
    const bool known = f->row < s->count, cut = f->wrong == 1 + LL_READ_CUT_INSIDE;
    const uint32_t start = f->pos + s->header, right = f->end - start;
    const bool moved = !cut && known && (f->lost || is_part_missing(s, f));
    const ll_read_kind kind = moved ? LL_READ_ASTRAY_MOVED : (ll_read_kind)(f->wrong - 1);
    ll_fault fault = ll_section_fault(s, kind, known ? ll_section_row(s, f->row)->layout : 0,
                                      ll_at_section_size(s, f->span), ll_uint(f->stated), ll_uint(right));
    fault.hint = known ? fault.hint : 0; /* the contents ask for no size */
    fault.arg[2] = ll_uint((uint64_t)start + f->stated);
    fault.arg[3] = ll_uint(f->wrong == 1 + LL_READ_ASTRAY_BEYOND || cut ? s->doc->size : f->end);
    if (!cut) {
        fault.related = i + 1 < s->found.count ? ll_at_section_tag(s, s->found.items[i + 1].span)
                                               : ll_at_section_tag(s, s->end_span);
    }
    if (moved) {
        ll_patch_moved(s->doc, &fault, ll_at_bytes(f->span, start, right), (int64_t)right - f->stated);
    } else if (!cut && known && is_size_decided(s, f, right)) { /* if TURNED, the value is certain */
        ll_patch_field(s->doc, &fault, kind == LL_READ_ASTRAY_TURNED ? LL_PATCH_SAFE : LL_PATCH_UNSAFE, right);
    } else if (!cut && known) {
        ll_patch_none(&fault);
    }
    ll_raise(s->r->doc, &fault);
}

/* Looks for letters of a tag that were removed, so that all bytes after them moved to the front. Patches them in. */
static void patch_letters(const sections *s, ll_fault *fault, const section *f, const char *name)
{
    const uint8_t *tag = ll_section_bytes(s, f->pos);
    for (uint32_t count = 1; count <= 4; count++) {
        for (uint32_t at = 0; at + count <= 4 && ll_fits(f->pos, 4, s->doc->size); at++) {
            if (memcmp(tag, name, at) == 0 && memcmp(tag + at, name + at + count, 4 - at - count) == 0) {
                ll_patch_insert(s->doc, fault, LL_PATCH_UNSAFE, f->pos + at, (const uint8_t *)name + at, count);
                return;
            }
        }
    }
}

/* Exactly one letter of a tag is wrong. Zeros at its edge would be overwritten bytes. */
static bool is_letter_wrong(const uint8_t *tag, const char *name)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < 4; i++) {
        wrong += tag[i] != (uint8_t)name[i];
    }
    return wrong == 1 && tag[0] && tag[3];
}

/* Raises a fault about a damaged tag, or about a whole header if what follows cannot be read. In that case, the size
 * that leads to the header is the related place. */
static void raise_damaged(const sections *s, const section *f)
{
    const char *name = ll_section_letters(s, f->row);
    ll_fault fault =
        ll_section_fault(s, f->lost ? LL_READ_TAG_MOVED : LL_READ_TAG_DAMAGED, ll_section_row(s, f->row)->layout,
                         ll_at_section_tag(s, f->span), ll_chars(f->pos, 4), ll_section_word(s, f->row));
    if (!f->lost) {
        const bool safe = is_letter_wrong(ll_section_bytes(s, f->pos), name);
        ll_patch_replace(s->doc, &fault, safe ? LL_PATCH_SAFE : LL_PATCH_UNSAFE, f->pos, (const uint8_t *)name, 4);
    } else {
        fault.related = f > s->found.items ? ll_at_section_size(s, f[-1].span) : ll_nowhere();
        patch_letters(s, &fault, f, name);
    }
    ll_raise(s->r->doc, &fault);
}

/* ------------------------------------------------------------------ sections without known contents */

/* The layout of the row without a tag: for any tag, or for a repeated section. */
static uint16_t layout_of(const sections *s, ll_part_place place)
{
    unsigned row = s->count;
    while (ll_section_row(s, row)->tag || ll_section_row(s, row)->place != place) {
        row++;
    }
    return ll_section_row(s, row)->layout;
}

/* Raises the fault about a second section with a tag. Adjacent repeated sections are one fault. */
static void raise_again(const sections *s, const section *f, ll_where tag)
{
    const section *last = f;
    bool copies = ll_is_copy(s, f, s->chosen[f->row]); /* if they are no copies, a tag may be wrong */
    ll_fault fault = ll_section_fault(s, LL_READ_AGAIN, ll_section_row(s, f->row)->layout, tag, ll_chars(f->pos, 4),
                                      ll_section_word(s, f->row));
    fault.related = ll_at_section_tag(s, s->chosen[f->row]->span);
    while (last + 1 < s->found.items + s->found.count && last[1].again) {
        last++;
        copies = copies && ll_is_copy(s, last, s->chosen[last->row]);
    }
    if (copies) {
        ll_patch_remove(s->doc, &fault, LL_PATCH_UNSAFE, f->pos, last->end - f->pos);
    }
    ll_raise(s->r->doc, &fault);
}

/* Claims a section whose contents are not read, as it is unknown or repeated. Remains of sections raise no fault here:
 * the missing sections do. */
static void claim_opaque(const sections *s, section *f, uint32_t index)
{
    ll_doc *doc = s->r->doc;
    const bool whole = f->end - f->pos >= s->header, printable = ll_is_printable(ll_section_bytes(s, f->pos));
    const uint16_t layout = layout_of(s, f->again ? LL_PLACE_AGAIN : LL_PLACE_ANY);
    f->span = whole ? ll_claim_record(doc, LL_NO_SPAN, layout, f->pos, f->end, index) : LL_NO_SPAN;
    const uint32_t rest = ll_claim_unparsed(doc, f->span, f->pos + (whole ? s->header : 0), f->end);
    const bool follows = f->again && index && f[-1].again;
    ll_mark_span(doc, f->span, follows ? LL_SPAN_EXPLAINED : 0);
    const ll_where tag = whole ? ll_at_section_tag(s, f->span) : ll_at_bytes(rest, f->pos, f->end - f->pos);
    if (f->again && !follows) {
        raise_again(s, f, tag);
    } else if (!f->again && !f->remains && !is_size_told(s, f)) {
        ll_fault fault = ll_section_fault(s, printable ? LL_READ_TAG : LL_READ_TAG_LETTERS, layout, tag,
                                          ll_chars(tag.offset, tag.length), ll_uint(0));
        ll_patch_remove(doc, &fault, LL_PATCH_UNSAFE, tag.offset, f->end - tag.offset);
        ll_raise(doc, &fault);
    }
}

static void claim_all(sections *s)
{
    for (unsigned i = 0; i < s->count && s->doc->status == LL_OK; i++) { /* the first ones state sizes of the others */
        if (s->chosen[i] && !s->chosen[i]->read) {
            ll_read_section(s, s->chosen[i]);
        }
    }
    for (uint32_t i = 0; i < s->found.count && s->doc->status == LL_OK; i++) {
        section *f = &s->found.items[i];
        if (f->row == s->count || f->again) {
            claim_opaque(s, f, i);
        }
    }
}

/* ------------------------------------------------------------------ the end */

/* The row of a last part with that size. */
static const ll_part_row *row_of_end(const sections *s, uint32_t size)
{
    unsigned row = s->count;
    while (ll_section_row(s, row + 1)->place == LL_PLACE_LAST &&
           s->doc->layouts[ll_section_row(s, row)->layout].size < size) {
        row++;
    }
    return ll_section_row(s, row);
}

static void miss_end(const sections *s)
{
    const section *last = s->found.count ? &s->found.items[s->found.count - 1] : NULL;
    const ll_part_row *end = ll_section_row(s, s->count);
    const uint8_t *bytes = ll_section_bytes(s, s->end);
    const bool there = s->end_size, cut = !there && !s->chosen[s->count - 1];
    ll_fault fault =
        ll_section_fault(s,
                         cut     ? LL_READ_CUT
                         : there ? LL_READ_END_DAMAGED
                                 : LL_READ_END,
                         end->layout,
                         there ? ll_at_field(s->doc, s->end_span, 0, ll_tag_field(&s->doc->layouts[end->layout]))
                               : ll_at_bytes(LL_NO_SPAN, s->end, 0),
                         ll_uint(s->end), there ? ll_chars(s->end, 4) : ll_word("the end of the file"));
    bool noise = there && !ll_is_zero(bytes, bytes + 4);
    for (unsigned i = 0; i < 4 && noise; i++) { /* none of its letters is left, in any order */
        noise = memchr(end->tag, bytes[i], 4) == NULL;
    }
    if (!cut && s->end_size <= s->doc->layouts[end->layout].size && last && last->row < s->count && !noise) {
        ll_patch_edit(s->doc, &fault,
                      (ll_edit){.tier = LL_PATCH_UNSAFE,
                                .offset = s->end,
                                .removed = there ? 4 : 0,
                                .bytes = (const uint8_t *)end->tag,
                                .size = 4});
    } /* otherwise more than the letters is wrong */
    ll_raise(s->r->doc, &fault);
}

/* Claims a closing section that other sections follow, and raises a fault. The sections after it are still read. */
static void claim_early(sections *s)
{
    ll_doc *doc = s->r->doc;
    size_t i = 0;
    while (s->found.items[i].pos < s->early) {
        i++;
    }
    const section *f = &s->found.items[i];
    const uint16_t layout = row_of_end(s, f->pos - s->early)->layout;
    s->end_span = ll_claim_record(doc, LL_NO_SPAN, layout, s->early, f->pos, LL_NO_INDEX);
    ll_fault fault = ll_section_fault(s, LL_READ_ORDER, layout, ll_at_section_tag(s, f->span), ll_chars(f->pos, 4),
                                      ll_uint(s->early));
    fault.related = ll_at_section_tag(s, s->end_span);
    ll_patch_order(doc, &fault, s->early, f->pos, doc->size);
    if (s->end_size) { /* there is another one at the end */
        ll_patch_remove(doc, &fault, LL_PATCH_UNSAFE, s->early, f->pos - s->early);
    }
    ll_raise(doc, &fault);
}

/* Claims bytes after the last part, and raises a fault. */
static void claim_behind(sections *s, uint32_t from)
{
    const bool goes_on = ll_is_section_start(s, from);
    const unsigned layout = layout_of(s, LL_PLACE_ANY);
    ll_raise_surplus(s->r->doc, ll_section_fault(s, LL_READ_SURPLUS, goes_on ? layout : LL_WITHIN_FILE,
                                                 ll_claim_behind(s->r->doc, from, goes_on),
                                                 ll_uint(s->doc->size - from), ll_uint(from)));
    s->cut = s->cut || goes_on;
}

/* Claims the last part and the bytes after it. */
static void claim_end(sections *s)
{
    ll_doc *doc = s->r->doc;
    const uint32_t left = doc->size - s->end, behind = s->end + s->end_size;
    s->end_span = LL_NO_SPAN;
    if (s->early < doc->size && doc->status == LL_OK) {
        claim_early(s);
    }
    if (s->end_size) {
        const uint16_t layout = row_of_end(s, s->end_size)->layout;
        s->end_span = ll_claim_record(doc, LL_NO_SPAN, layout, s->end, behind, LL_NO_INDEX);
        if (memcmp(ll_section_bytes(s, s->end), ll_section_letters(s, s->count), 4) != 0) {
            ll_mark_span(doc, s->end_span, LL_SPAN_BROKEN);
            doc->unread = !s->chosen[s->count - 1]; /* the file may be cut */
            miss_end(s);
        }
        if (behind < doc->size) {
            claim_behind(s, behind);
        }
        return;
    }
    if (left) {
        const unsigned layout = layout_of(s, LL_PLACE_ANY);
        const uint32_t rest = ll_claim_unparsed(doc, LL_NO_SPAN, s->end, doc->size);
        ll_fault fault = ll_section_fault(s, LL_READ_CUT, layout, ll_at_bytes(rest, s->end, left), ll_uint(left),
                                          ll_uint(s->header));
        ll_raise(doc, &fault);
    } else if (s->early < doc->size && !s->cut) {
        return;
    } else if (!s->cut) {
        miss_end(s);
    }
    s->cut = doc->fatal = true;
}

void ll_claim_sections(sections *s)
{
    claim_all(s);
    claim_end(s);
    for (unsigned i = 0; i < s->count && s->doc->status == LL_OK; i++) {
        if (s->chosen[i]) {
            ll_judge_texts(s, s->chosen[i]);
        }
    }
    for (size_t i = 0; i < s->found.count; i++) {
        const section *f = &s->found.items[i];
        if (f->damaged) {
            raise_damaged(s, f);
        } else if (is_size_told(s, f)) {
            raise_size(s, i);
        }
    }
}
