/* Claims the sections of a map and what is between and behind them, and hands their payloads on. */
#include "formats/rgm/rgm_scan.h"

/* Every section starts with its tag and its length. */
#define LL_RGM_SECTION(name, header, ...)                                                                              \
    LL_SAME_FIELD(rgm, header, rahd, tag);                                                                             \
    LL_SAME_FIELD(rgm, header, rahd, length);
#include "formats/rgm/rgm_sections.def"
#undef LL_RGM_SECTION
LL_SAME_FIELD(rgm, unknown, rahd, tag);
LL_SAME_FIELD(rgm, unknown, rahd, length);
LL_SAME_FIELD(rgm, duplicate, rahd, tag);
LL_SAME_FIELD(rgm, end, rahd, tag);
LL_SAME_FIELD(rgm, end_long, rahd, tag);

/* ------------------------------------------------------------------ claims */

/* Of a section that nobody knows the length is told instead of the tag, if it has a tag. */
static bool is_length_told(const rgm_scan *s, const rgm_frame *f)
{
    if (f->ordinal == RGM_SECTIONS) {
        return f->fault && f->span != LL_NO_SPAN && !f->remains && rgm_is_printable(s->doc->bytes + f->pos);
    }
    return f->fault && !f->duplicate && !s->p->summary->section[f->ordinal].shifted;
}

/* Do the contents ask for that length? Of records that no number counts, one may be lost or there twice where the
 * stated length is one of whole records as well. */
static bool is_length_decided(const ll_doc *doc, const rgm_frame *f, uint32_t right)
{
    const rgm_form *form = &rgm_forms[f->ordinal];
    bool absurd = f->stated == 0 || ll_le32(doc->bytes + f->pos + 4) == right;
    return absurd ||
           (f->expected ? f->expected == right : form->size && right % form->size == 0 && f->stated % form->size);
}

/* What is wrong with the length of the i-th section; after all is claimed, as it points to the next one. */
static void raise_length(const rgm_scan *s, uint32_t i)
{
    ll_doc *doc = s->p->doc;
    const rgm_frame *f = &s->frames.items[i];
    uint32_t next = i + 1 < s->frames.count ? s->frames.items[i + 1].span : s->p->summary->end;
    uint32_t start = f->pos + RGM_HEADER;
    uint32_t right = f->end - start;
    bool corrected = f->hint != RGM_HINT_CUT_FILE;
    ll_fault fault = LL_MAKE_FAULT(f->fault, f->hint, ll_at_field(doc, f->span, 0, rgm_rahd_length),
                                   corrected ? ll_at_field(doc, next, 0, rgm_unknown_tag) : ll_nowhere(),
                                   ll_uint(f->stated), ll_uint((uint64_t)start + f->stated),
                                   ll_uint(f->fault == RGM_FAULT_SECTION_OVERRUN ? doc->size : f->end), ll_uint(right));
    const rgm_form *form = &rgm_forms[f->ordinal];
    bool whole = form->per_item || !form->size || right % form->size == 0;
    bool ends =
        f->ordinal != RGM_RAST || !right || (!doc->bytes[f->end - 1] && !ll_has_high_bytes(doc->bytes + start, right));
    if (corrected && f->ordinal == RGM_SECTIONS) {
        fault.hint = RGM_HINT_NONE;
    } else if (corrected && (!whole || !ends)) { /* of a record, or of the last string, a part is missing */
        fault.hint = RGM_HINT_BYTES_SHIFTED;
    }
    if (corrected && f->ordinal < RGM_SECTIONS && fault.hint != RGM_HINT_BYTES_SHIFTED) {
        const bool swapped = f->fault == RGM_FAULT_SECTION_LENGTH_ENDIAN; /* the value is stated */
        ll_patch_field(doc, &fault, swapped ? LL_PATCH_SAFE : LL_PATCH_UNSAFE, right);
        if (!is_length_decided(doc, f, right)) {
            ll_patch_none(&fault);
        }
    } else if (corrected && fault.hint == RGM_HINT_BYTES_SHIFTED) {
        ll_patch_moved(doc, &fault, ll_at_bytes(f->span, start, right), (int64_t)right - f->stated);
    }
    ll_raise(doc, &fault);
}

/* Letters of a tag were taken out, so that what follows it stands too far in front. */
static void patch_letters(const ll_doc *doc, ll_fault *fault, const rgm_frame *f, const char *name)
{
    for (uint32_t count = 1; count <= 4; count++) {
        for (uint32_t at = 0; at + count <= 4 && ll_fits(f->pos, 4, doc->size); at++) {
            if (memcmp(doc->bytes + f->pos, name, at) == 0 &&
                memcmp(doc->bytes + f->pos + at, name + at + count, 4 - at - count) == 0) {
                ll_patch_bytes(doc, fault, LL_PATCH_UNSAFE, f->pos + at, 0, (const uint8_t *)name + at, count);
                return;
            }
        }
    }
}

/* One letter of a tag is wrong, and nothing tells that bytes beside the tag were overwritten with it: zeros at its edge
 * would. */
static bool is_letter_wrong(const uint8_t *tag, const char *name)
{
    unsigned wrong = 0;
    bool edge = false;
    for (unsigned i = 0; i < 4; i++) {
        wrong += tag[i] != (uint8_t)name[i];
        edge = edge || (tag[i] == 0 && i % 3 == 0);
    }
    return wrong == 1 && !edge;
}

/* A damaged tag, or the whole header, where what follows it cannot be read. The length of the section in front, which
 * leads here, may be told with it. */
static void raise_damaged(const rgm_scan *s, const rgm_frame *f)
{
    ll_doc *doc = s->p->doc;
    const char *name = rgm_forms[f->ordinal].name;
    ll_where before = f->lost && f > s->frames.items ? ll_at_field(doc, f[-1].span, 0, rgm_rahd_length) : ll_nowhere();
    ll_fault fault =
        LL_MAKE_FAULT(RGM_FAULT_SECTION_TAG_DAMAGED, f->lost ? RGM_HINT_BYTES_SHIFTED : RGM_HINT_NONE,
                      ll_at_field(doc, f->span, 0, rgm_rahd_tag), before, ll_chars(f->pos, 4), ll_word(name));
    if (!f->lost) {
        const ll_patch_tier tier = is_letter_wrong(doc->bytes + f->pos, name) ? LL_PATCH_SAFE : LL_PATCH_UNSAFE;
        ll_patch_bytes(doc, &fault, tier, f->pos, 4, (const uint8_t *)name, 4);
    } else {
        patch_letters(doc, &fault, f, name);
    }
    ll_raise(doc, &fault);
}

/* A tag that no section has. */
static void raise_unknown(ll_doc *doc, ll_where tag, uint32_t end)
{
    bool printable = rgm_is_printable(doc->bytes + tag.offset);
    ll_fault fault = LL_MAKE_FAULT(printable ? RGM_FAULT_SECTION_UNKNOWN : RGM_FAULT_SECTION_TAG_CHARSET, RGM_HINT_NONE,
                                   tag, ll_nowhere(), ll_chars(tag.offset, tag.length));
    ll_patch_bytes(doc, &fault, LL_PATCH_UNSAFE, tag.offset, end - tag.offset, NULL, 0);
    ll_raise(doc, &fault);
}

/* A section that has the bytes of the one that is read. */
static bool is_copy(const rgm_scan *s, const rgm_frame *f)
{
    const ll_doc *doc = s->p->doc;
    const rgm_frame *one = s->chosen[f->ordinal];
    return one && one->end - one->pos == f->end - f->pos &&
           memcmp(doc->bytes + one->pos, doc->bytes + f->pos, f->end - f->pos) == 0;
}

/* A section that is not looked into: unknown, or the second of its tag. Of remains it is said what is missing. */
static void claim_opaque(const rgm_scan *s, rgm_frame *f, uint32_t index)
{
    ll_doc *doc = s->p->doc;
    uint16_t layout = f->duplicate ? rgm_duplicate_LAYOUT : rgm_unknown_LAYOUT;
    bool whole = f->end - f->pos >= RGM_HEADER;
    f->span = whole ? ll_claim_record(doc, LL_NO_SPAN, layout, f->pos, f->end, index) : LL_NO_SPAN;
    uint32_t rest = ll_claim_unparsed(doc, f->span, f->pos + (whole ? RGM_HEADER : 0), f->end);
    bool follows = f->duplicate && index && f[-1].duplicate;
    ll_mark_span(doc, f->span, follows ? LL_SPAN_TOLD : 0);
    ll_where tag = whole ? ll_at_field(doc, f->span, 0, rgm_unknown_tag) : ll_at_bytes(rest, f->pos, f->end - f->pos);
    if (f->duplicate && !follows) { /* sections that were copied together are one fault */
        ll_where first = ll_at_field(doc, s->p->summary->section[f->ordinal].span, 0, rgm_rahd_tag);
        ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_SECTION_DUPLICATE, RGM_HINT_NONE, tag, first, ll_chars(f->pos, 4));
        const rgm_frame *last = f;
        bool copies = is_copy(s, f); /* else a tag may be what is wrong */
        while (last + 1 < s->frames.items + s->frames.count && last[1].duplicate) {
            last++;
            copies = copies && is_copy(s, last);
        }
        if (copies) {
            ll_patch_bytes(doc, &fault, LL_PATCH_UNSAFE, f->pos, last->end - f->pos, NULL, 0);
        }
        ll_raise(doc, &fault);
    } else if (!f->duplicate && !f->remains && !is_length_told(s, f)) {
        raise_unknown(doc, tag, f->end);
    }
}

static void claim_section(const rgm_scan *s, rgm_frame *f)
{
    rgm_parser *p = s->p;
    ll_doc *doc = p->doc;
    rgm_section *section = &p->summary->section[f->ordinal];
    uint32_t start = f->pos + RGM_HEADER;
    uint32_t span = ll_claim_record(doc, LL_NO_SPAN, rgm_forms[f->ordinal].header, f->pos, f->end, LL_NO_INDEX);
    if (span == LL_NO_SPAN) {
        return;
    }
    *section = (rgm_section){.span = span, .start = start, .length = f->end - start, .records = LL_NO_SPAN};
    f->span = span;
    if (f->fault) {
        ll_mark_span(doc, span, LL_SPAN_BROKEN);
    }
    section->surplus = f->surplus;
    if (f->lost && !f->surplus) {
        ll_claim_unparsed(doc, span, start, f->end);
    } else {
        ll_doc_mark mark = ll_doc_mark_here(doc);
        p->rows.from = doc->rows_from;
        p->rows.to = doc->rows_to;
        p->rows.part = doc->rows_part;
        p->rows.wrong = doc->rows_wrong;
        rgm_parse_section(p, f->ordinal);
        rgm_judge_walk(p, f->ordinal, &mark);
        bool next_damaged = f + 1 < s->frames.items + s->frames.count && (f[1].remains || (f[1].damaged && f[1].lost));
        if ((f->guessed || next_damaged) && doc->fault_count > mark.fault_count) { /* they come of the damaged header */
            f->lost = true;
            rgm_take_back(p, f->ordinal, &mark);
        }
    }
    if (!section->sound) {
        ll_mark_span(doc, span, LL_SPAN_DOUBTFUL);
    }
    if (f->ordinal == RGM_RAHD && section->records == LL_NO_SPAN) { /* actors whose records are not read are none */
        rgm_find_actors(p, 0, 0);
    }
}

/* In their order, wherever they stand: what is in them is told by those in front. */
static void claim_all(const rgm_scan *s)
{
    for (unsigned i = 0; i < RGM_SECTIONS && s->doc->status == LL_OK; i++) {
        if (s->chosen[i]) {
            claim_section(s, s->chosen[i]);
        }
    }
    for (uint32_t i = 0; i < s->frames.count && s->doc->status == LL_OK; i++) {
        rgm_frame *f = &s->frames.items[i];
        if (f->ordinal == RGM_SECTIONS || f->duplicate) {
            claim_opaque(s, f, i);
        }
    }
}

/* ------------------------------------------------------------------ the end */

static void miss_end(const rgm_scan *s)
{
    ll_doc *doc = s->p->doc;
    static const uint8_t letters[] = {'E', 'N', 'D', ' '};
    ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_MISSING_END, RGM_HINT_NONE, ll_at_bytes(LL_NO_SPAN, s->end, 0),
                                   ll_nowhere(), ll_uint(s->end), ll_word("the end of the file"));
    if (s->end_size) {
        fault.at = ll_at_field(doc, s->p->summary->end, 0, rgm_end_tag);
        fault.hint = RGM_HINT_DAMAGED_END;
        fault.arg[1] = ll_chars(s->end, 4);
    } else if (s->p->summary->section[RGM_FLAT].span == LL_NO_SPAN) {
        fault.hint = RGM_HINT_CUT_FILE;
    }
    bool known = s->frames.count && s->frames.items[s->frames.count - 1].ordinal < RGM_SECTIONS;
    bool noise = s->end_size && !ll_is_zero(doc->bytes + s->end, doc->bytes + s->end + sizeof letters);
    for (uint32_t i = 0; i < sizeof letters && noise; i++) { /* not a letter is left, in any order */
        noise = memchr(letters, doc->bytes[s->end + i], sizeof letters) == NULL;
    }
    if (fault.hint != RGM_HINT_CUT_FILE && s->end_size != rgm_end_long_SIZE && known &&
        !noise) { /* else more is wrong than the letters */
        ll_patch_bytes(doc, &fault, LL_PATCH_UNSAFE, s->end, s->end_size ? 4 : 0, letters, sizeof letters);
    }
    ll_raise(doc, &fault);
}

/* Claims an END that sections stand behind; they are read all the same. */
static void claim_early(rgm_scan *s)
{
    ll_doc *doc = s->p->doc;
    uint32_t i = 0;
    while (s->frames.items[i].pos < s->early) {
        i++;
    }
    const rgm_frame *f = &s->frames.items[i];
    bool longer = f->pos - s->early == rgm_end_long_SIZE;
    s->p->summary->end =
        ll_claim_record(doc, LL_NO_SPAN, longer ? rgm_end_long_LAYOUT : rgm_end_LAYOUT, s->early, f->pos, LL_NO_INDEX);
    ll_fault fault =
        LL_MAKE_FAULT(RGM_FAULT_SECTION_BEHIND_END, RGM_HINT_NONE, ll_at_field(doc, f->span, 0, rgm_unknown_tag),
                      ll_at_field(doc, s->p->summary->end, 0, rgm_end_tag), ll_chars(f->pos, 4), ll_uint(s->early));
    ll_patch_order(doc, &fault, s->early, f->pos, doc->size);
    if (s->end_size) { /* there is another one at the end */
        ll_patch_bytes(doc, &fault, LL_PATCH_UNSAFE, s->early, f->pos - s->early, NULL, 0);
    }
    ll_raise(doc, &fault);
}

/* Claims END and what follows it. */
static void claim_end(rgm_scan *s)
{
    ll_doc *doc = s->p->doc;
    uint32_t left = doc->size - s->end;
    if (s->early < doc->size && doc->status == LL_OK) {
        claim_early(s);
    }
    if (s->end_size) {
        bool longer = s->end_size == rgm_end_long_SIZE;
        uint32_t span = ll_claim_record(doc, LL_NO_SPAN, longer ? rgm_end_long_LAYOUT : rgm_end_LAYOUT, s->end,
                                        s->end + s->end_size, LL_NO_INDEX);
        s->p->summary->end = span;
        if (rgm_word(doc, s->end) != RGM_TAG_END) {
            ll_mark_span(doc, span, LL_SPAN_BROKEN);
            doc->unread = s->p->summary->section[RGM_FLAT].span == LL_NO_SPAN; /* the file may be cut */
            miss_end(s);
        }
        uint32_t behind = s->end + s->end_size;
        if (behind < doc->size) {
            bool sections_follow = rgm_is_start(doc, behind);
            LL_RAISE_SURPLUS(
                doc, RGM_FAULT_TRAILING_BYTES, sections_follow ? RGM_HINT_SECTIONS_BEHIND_END : RGM_HINT_NONE,
                ll_claim_behind(doc, behind, sections_follow), ll_uint(doc->size - behind), ll_uint(behind));
            s->cut = s->cut || sections_follow;
        }
        return;
    }
    if (left) {
        uint32_t rest = ll_claim_unparsed(doc, LL_NO_SPAN, s->end, doc->size);
        LL_RAISE(doc, RGM_FAULT_SECTION_TRUNCATED_HEADER, RGM_HINT_CUT_FILE, ll_at_bytes(rest, s->end, left),
                 ll_uint(left), ll_uint(RGM_HEADER));
    } else if (s->early < doc->size && !s->cut) {
        return;
    } else if (!s->cut) {
        miss_end(s);
    }
    s->cut = doc->fatal = true;
}

/* ------------------------------------------------------------------ all of them */

void rgm_claim_sections(rgm_scan *s)
{
    claim_all(s);
    claim_end(s);
    for (uint32_t i = 0; i < s->frames.count; i++) {
        const rgm_frame *f = &s->frames.items[i];
        if (f->damaged) {
            raise_damaged(s, f);
        } else if (is_length_told(s, f)) {
            raise_length(s, i);
        }
    }
}
