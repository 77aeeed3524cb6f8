/* Decides which tag a damaged section of a map had, and which sections are missing, double or out of place;
 * rgm_frames.c finds them, rgm_claims.c claims them, and rgm_sections.c parses what is in them. */
#include "formats/rgm/rgm_scan.h"
#include "formats/rgm/soup.h"
#include "model/tiling.h"

enum { LIKE_LETTERS = 2 /* of four, for a damaged tag to be taken for another */ };

/* ------------------------------------------------------------------ tags */

static unsigned like_letters(uint32_t a, uint32_t b)
{
    unsigned like = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        like += ((a >> shift ^ b >> shift) & 0xDFU) == 0; /* but for upper and lower case */
    }
    return like;
}

/* The section that is absent and belongs between two others, whose tag is nearest to the one that stands there;
 * RGM_SECTIONS: none. */
static unsigned nearest_absent(const rgm_parser *p, const bool *present, int after, unsigned before, uint32_t tag,
                               unsigned least)
{
    unsigned best = RGM_SECTIONS;
    for (unsigned i = (unsigned)(after + 1); i < before; i++) {
        unsigned like = present[i] ? 0 : like_letters(tag, rgm_forms[i].tag);
        unsigned needed = rgm_is_needed(p, i) ? least : LIKE_LETTERS + 1;
        if (like >= needed && (best == RGM_SECTIONS || like > like_letters(tag, rgm_forms[best].tag))) {
            best = i;
        }
    }
    return best;
}

/* How many needed sections are absent behind `after` and in front of `before`; *only: one of them. RAVC may be absent
 * anywhere. */
static unsigned count_absent(const rgm_parser *p, const bool *present, int after, unsigned before, unsigned *only)
{
    unsigned count = 0;
    for (unsigned i = (unsigned)(after + 1); i < before; i++) {
        bool absent = !present[i] && rgm_is_needed(p, i);
        *only = absent ? i : *only;
        count += absent;
    }
    if (count == 0 && !present[RGM_RAVC] && p->collides) {
        *only = RGM_RAVC;
        count = 1;
    }
    return count;
}

/* What a section with a tag that is not known, or that of another one, is by where it stands and what is absent there.
 * Tells also what are remains of several. */
static unsigned tell_section(const rgm_scan *s, rgm_frame *f, const bool *present, bool twice, int after, unsigned next)
{
    bool known = f->ordinal < RGM_SECTIONS;
    bool in_place = known && (int)f->ordinal > after && f->ordinal < next;
    bool whole = f->end - f->pos >= RGM_HEADER;
    unsigned ordinal = RGM_SECTIONS;
    unsigned only = RGM_SECTIONS;
    unsigned absent = count_absent(s->p, present, after, next, &only);
    if (whole && !in_place && (!known || twice || f->ordinal == RGM_RAVC)) {
        ordinal = nearest_absent(s->p, present, after, next, rgm_word(s->doc, f->pos), LIKE_LETTERS + known);
    }
    if (ordinal < RGM_SECTIONS || known || (whole && !f->fault && rgm_is_printable(s->doc->bytes + f->pos))) {
        return ordinal;
    }
    f->guessed = whole && absent == 1;          /* no letter of the tag, or no length, is left */
    bool behind = f->hint == RGM_HINT_CUT_FILE; /* what is missing behind the end is not told: its length is */
    f->remains = !f->guessed && !behind && absent && (f->fault || !whole);
    return f->guessed ? only : RGM_SECTIONS;
}

/* Tells what sections with an unknown tag, or with that of another section, are by where they stand. */
static void name_sections(rgm_scan *s)
{
    bool present[RGM_SECTIONS + 1] = {false}, twice[RGM_SECTIONS + 1] = {false};
    for (uint32_t i = 0; i < s->frames.count; i++) {
        unsigned ordinal = s->frames.items[i].ordinal;
        twice[ordinal] = present[ordinal];
        present[ordinal] = true;
    }
    int after = -1;
    for (uint32_t i = 0; i < s->frames.count; i++) {
        rgm_frame *f = &s->frames.items[i];
        unsigned next = RGM_SECTIONS;
        for (uint32_t j = i + 1; next == RGM_SECTIONS && j < s->frames.count && j <= i + RGM_SECTIONS; j++) {
            unsigned behind = s->frames.items[j].ordinal;
            next = behind == RGM_RAVC ? next : behind; /* which may stand anywhere */
        }
        unsigned ordinal = tell_section(s, f, present, twice[f->ordinal], after, next);
        if (ordinal < RGM_SECTIONS) {
            present[f->ordinal] = f->ordinal < RGM_SECTIONS && twice[f->ordinal];
            present[ordinal] = true;
            f->ordinal = (uint8_t)ordinal;
            f->damaged = true;
            f->lost = f->fault != 0; /* the whole header is damaged */
            f->surplus = f->lost ? 0 : f->surplus;
        }
        after = f->ordinal < RGM_SECTIONS && f->ordinal < next ? f->ordinal : after;
    }
}

/* Of two sections the first whose length is sound is the one that is taken. Only now is it decided which one is RAHD.
 */
static void choose_sections(rgm_scan *s)
{
    for (uint32_t i = 0; i < s->frames.count; i++) {
        rgm_frame *f = &s->frames.items[i];
        rgm_frame *other = f->ordinal < RGM_SECTIONS ? s->chosen[f->ordinal] : NULL;
        bool better = other && other->fault && !f->fault;
        if (other) {
            (better ? other : f)->duplicate = true;
        }
        s->chosen[f->ordinal] = other && !better ? other : f;
    }
    const rgm_frame *heads = s->chosen[RGM_RAHD];
    bool found = heads && !heads->lost;
    rgm_find_actors(s->p, found ? heads->pos + RGM_HEADER : 0, found ? heads->end - heads->pos - RGM_HEADER : 0);
}

/* ------------------------------------------------------------------ which sections there are */

/* Sections that stand in ascending order, as many of them as can be: the others are those that were moved. The place of
 * RAVC is not judged. */
static void judge_order(const rgm_scan *s)
{
    uint32_t longest[RGM_SECTIONS], before[RGM_SECTIONS], last = RGM_SECTIONS;
    for (uint32_t i = 0; i < RGM_SECTIONS; i++) {
        longest[i] = s->chosen[i] && i != RGM_RAVC;
        before[i] = RGM_SECTIONS;
        for (uint32_t j = 0; longest[i] && j < i; j++) {
            if (longest[j] && longest[j] + 1 >= longest[i] && s->chosen[j]->pos < s->chosen[i]->pos) {
                longest[i] = longest[j] + 1;
                before[i] = j;
            }
        }
        last = longest[i] && (last == RGM_SECTIONS || longest[i] >= longest[last]) ? i : last;
    }
    bool in_order[RGM_SECTIONS] = {[RGM_RAVC] = true};
    for (uint32_t i = last; i < RGM_SECTIONS; i = before[i]) {
        in_order[i] = true;
    }
    const rgm_section *section = s->p->summary->section;
    uint32_t neighbour = RGM_SECTIONS; /* the last one in front that is there */
    for (uint32_t i = 0; i < RGM_SECTIONS; i++) {
        if (s->chosen[i] && !in_order[i]) {
            uint32_t in_front = neighbour < RGM_SECTIONS ? section[neighbour].span : LL_NO_SPAN;
            ll_fault fault = LL_MAKE_FAULT(
                RGM_FAULT_SECTION_ORDER, RGM_HINT_NONE, ll_at_field(s->doc, section[i].span, 0, rgm_rahd_tag),
                ll_at_field(s->doc, in_front, 0, rgm_rahd_tag), ll_chars(s->chosen[i]->pos, 4),
                ll_word(neighbour < RGM_SECTIONS ? rgm_forms[neighbour].name : "nothing"));
            uint32_t place = neighbour < RGM_SECTIONS ? s->chosen[neighbour]->end : s->frames.items[0].pos;
            uint32_t pos = s->chosen[i]->pos;
            ll_patch_order(s->p->doc, &fault, pos < place ? pos : place, pos < place ? s->chosen[i]->end : pos,
                           pos < place ? place : s->chosen[i]->end);
            ll_raise(s->p->doc, &fault);
        }
        neighbour = s->chosen[i] ? i : neighbour;
    }
}

/* The tag in front of what remains of a section, or an empty section: of RAFS with its byte, else with a count of 0
 * where it has one. */
static void patch_missing(ll_doc *doc, ll_fault *fault, unsigned ordinal, bool remains)
{
    const rgm_form *form = &rgm_forms[ordinal];
    uint32_t length = ordinal == RGM_RAFS ? 1 : form->head ? 4 : 0;
    uint8_t *bytes = ll_doc_zalloc(doc, RGM_HEADER + length, 1);
    if (bytes) {
        memcpy(bytes, form->name, 4);
        ll_put_uint(bytes + 4, 4, true, length);
        ll_patch_bytes(doc, fault, LL_PATCH_UNSAFE, fault->at.offset, 0, bytes, remains ? 4 : RGM_HEADER + length);
    }
}

static void judge_presence(const rgm_scan *s)
{
    const rgm_section *section = s->p->summary->section;
    for (unsigned i = 0; i < RGM_SECTIONS; i++) {
        if (section[i].span != LL_NO_SPAN || i == RGM_RAVC) {
            continue;
        }
        unsigned next = i + 1;
        while (next < RGM_SECTIONS && section[next].span == LL_NO_SPAN) {
            next++;
        }
        if (s->cut && next == RGM_SECTIONS) { /* they were behind the cut */
            return;
        }
        const rgm_frame *behind = next < RGM_SECTIONS ? s->chosen[next] : s->frames.items + s->frames.count;
        const rgm_frame *front = behind > s->frames.items && behind[-1].remains ? behind - 1 : NULL;
        uint32_t place = next < RGM_SECTIONS ? behind->pos : s->end;
        ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_SECTION_MISSING, RGM_HINT_NONE,
                                       front ? ll_at_bytes(front->span, front->pos, place - front->pos)
                                             : ll_at_bytes(LL_NO_SPAN, place, 0),
                                       ll_nowhere(), ll_word(rgm_forms[i].name), ll_word(rgm_forms[next].name));
        patch_missing(s->p->doc, &fault, i, front != NULL);
        ll_raise(s->p->doc, &fault);
    }
}

/* Gives up on a file of which nothing is a section of such a file. */
static bool refuse_foreign(const rgm_scan *s)
{
    ll_doc *doc = s->p->doc;
    for (uint32_t i = 0; i < s->frames.count; i++) {
        if (s->frames.items[i].ordinal < RGM_SECTIONS) {
            return false;
        }
    }
    if (s->frames.count) {
        uint32_t span = ll_claim_broken(doc, LL_NO_SPAN, rgm_unknown_LAYOUT, 0, doc->size, 0);
        ll_claim_unparsed(doc, span, RGM_HEADER, doc->size);
        LL_RAISE(doc, LL_FAULT_UNKNOWN_FORMAT, RGM_HINT_NONE, ll_at_field(doc, span, 0, rgm_unknown_tag),
                 ll_chars(0, 4));
        doc->fatal = doc->opaque = doc->unchecked = true;
    }
    return doc->opaque;
}

/* The number of actors and their section's length are in reverse, and with that number the actors fill the section. */
static bool is_swapped_head(const ll_doc *doc, const rgm_frame *f)
{
    const uint32_t length = f->end - f->pos - RGM_HEADER, at = f->pos + RGM_HEADER;
    return f->ordinal == RGM_RAHD && f->fault == RGM_FAULT_SECTION_LENGTH_ENDIAN && length >= rgm_rahd_head_SIZE &&
           ll_be32(doc->bytes + at) != ll_le32(doc->bytes + at) &&
           rgm_rahd_head_SIZE + (uint64_t)rgm_actor_SIZE * ll_be32(doc->bytes + at) == length;
}

/* Gives up on a file all of whose numbers are in the other byte order: no value of it would mean anything. */
static bool refuse_swapped(const rgm_scan *s)
{
    ll_doc *doc = s->p->doc;
    uint32_t lengths = 0, swapped = 0;
    size_t head = s->frames.count;
    for (size_t i = 0; i < s->frames.count; i++) {
        const rgm_frame *f = &s->frames.items[i];
        head = is_swapped_head(doc, f) ? i : head;
        lengths += f->end - f->pos > RGM_HEADER;
        swapped += f->fault == RGM_FAULT_SECTION_LENGTH_ENDIAN;
    }
    if (head == s->frames.count || swapped <= lengths / 2) {
        return false;
    }
    const uint32_t at = s->frames.items[head].pos;
    ll_claim_unparsed(doc, LL_NO_SPAN, 0, at);
    uint32_t span = ll_claim_broken(doc, LL_NO_SPAN, rgm_rahd_LAYOUT, at, doc->size, LL_NO_INDEX);
    ll_mark_span(doc, ll_claim_unparsed(doc, span, at + RGM_HEADER, doc->size), LL_SPAN_TOLD);
    LL_RAISE(doc, RGM_FAULT_MAP_BYTE_ORDER, RGM_HINT_NONE, ll_at_field(doc, span, 0, rgm_rahd_length),
             ll_uint(ll_be32(doc->bytes + at + 4)));
    doc->fatal = true;
    return true;
}

static void parse(rgm_parser *p)
{
    ll_doc *doc = p->doc;
    rgm_scan s = {.p = p, .doc = doc};
    rgm_find_sections(&s);
    if (refuse_foreign(&s) || refuse_swapped(&s)) {
        return;
    }
    name_sections(&s);
    choose_sections(&s);
    rgm_claim_sections(&s);
    judge_order(&s);
    judge_presence(&s);
    doc->index = NULL; /* what was noted for the claims; all that is claimed is looked up in the document's own */
    if (ll_doc_index(doc)) {
        soup_verify(doc);
    }
}

void rgm_parse(ll_doc *doc)
{
    rgm_summary summary;
    rgm_clear(&summary);
    doc->index = &summary; /* what else looks it up; the document's own is made when all is claimed */
    rgm_parser p = {.doc = doc, .summary = &summary};
    parse(&p);
    doc->index = doc->index == &summary ? NULL : doc->index;
}
