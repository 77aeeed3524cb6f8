/* Finds the sections of a Redguard scene file and hands their payloads on. Decides where each section begins and ends,
 * which tag a damaged one had, and which sections are missing, double or out of place; rgm_sections.c
 * parses what is in them.
 *
 * One damaged byte shall not give many findings: a length is taken only if another section follows at its end; else
 * the length with its bytes swapped is tried, then the one that counts ask for, and after that the next place where a
 * section can start. */
#include "formats/rgm/soup.h"

#include "base/array.h"
#include "model/tiling.h"

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

enum {
    TAG_END = LL_LETTERS_LE('E', 'N', 'D', ' '),
    LIKE_LETTERS = 2 /* of four, for a damaged tag to be taken for another */
};

/* The section of a tag, also of the three short ones that an importer takes for longer ones; RGM_SECTIONS: none. */
static unsigned ordinal_of(uint32_t tag)
{
    switch (tag) {
#define LL_RGM_SECTION(name, layout, a, b, c, d, ...)                                                                  \
    case LL_LETTERS_LE(a, b, c, d):                                                                                    \
        return RGM_##name;
#include "formats/rgm/rgm_sections.def"
#undef LL_RGM_SECTION
    case LL_LETTERS_LE('M', 'P', 'L', ' '):
        return RGM_MPSL;
    case LL_LETTERS_LE('M', 'P', 'F', ' '):
        return RGM_MPSF;
    case LL_LETTERS_LE('M', 'P', 'M', ' '):
        return RGM_MPMK;
    default:
        return RGM_SECTIONS;
    }
}

/* ------------------------------------------------------------------ probe */

ll_probe_result rgm_probe(const uint8_t *bytes, size_t size)
{
    static const uint8_t prefix[] = {0x1B, 0x80, 0x37, 0x00};
    unsigned ordinal = size >= 4 ? ordinal_of(ll_le32(bytes)) : RGM_SECTIONS;
    if (size < RGM_HEADER) {
        return ordinal == RGM_RAHD ? LL_PROBE_MAYBE : LL_PROBE_NO;
    }
    if (size >= RGM_HEADER + rgm_rahd_head_SIZE) {
        uint64_t needed = rgm_rahd_head_SIZE + (uint64_t)ll_le32(bytes + RGM_HEADER) * rgm_actor_SIZE;
        bool counted = needed == ll_be32(bytes + 4) || needed == ll_le32(bytes + 4);
        bool prefixed = memcmp(bytes + RGM_HEADER + rgm_rahd_head_at_prefix, prefix, sizeof prefix) == 0;
        if ((ordinal == RGM_RAHD) + counted + prefixed >= 2) {
            return LL_PROBE_SURE;
        }
    }
    return ordinal != RGM_SECTIONS ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

/* ------------------------------------------------------------------ lengths */

/* Every map has this section: all but RAVC, which stands where an actor has collision points. */
static bool is_needed(const rgm_parser *p, unsigned ordinal)
{
    return ordinal != RGM_RAVC || p->collides;
}

/* The sections as they are found. */
typedef struct scan {
    rgm_parser *p;
    const ll_doc *doc;
    LL_ARRAY(rgm_frame) frames; /* at most one for every 8 bytes of the file */
    uint32_t searched,
        found; /* from where the next sound section was looked for, and where it is; doc->size: there is none */
    rgm_frame *chosen[RGM_SECTIONS + 1]; /* of each ordinal the first that is sound; NULL: there is none */
    uint32_t seen;                       /* a bit for each ordinal that was found */
    uint32_t early;                      /* where an END stands that sections stand behind; doc->size: nowhere */
    uint32_t end;                        /* where END or what stands for it begins; doc->size: nowhere */
    uint32_t end_size;                   /* 4 or 8; 0: there is none */
    bool cut;                            /* nothing can be said about what follows the last section */
} scan;

/* A needed section belongs between two others and was not found in front of them; so many bytes stand between them. */
static bool is_gap(const scan *s, unsigned after, unsigned before, uint64_t room)
{
    bool gap = false;
    for (unsigned i = after + 1; i < before; i++) {
        bool found = s->seen >> i & 1 || (i == RGM_RAVC && room < RGM_HEADER); /* which may stand anywhere */
        gap = gap || (is_needed(s->p, i) && !found);
    }
    return gap;
}

/* A section of a known tag, or END, starts at pos. */
static bool is_start(const ll_doc *doc, uint64_t pos)
{
    if (!ll_fits(pos, 4, doc->size)) {
        return false;
    }
    uint32_t tag = rgm_word(doc, (uint32_t)pos);
    return tag == TAG_END || (ordinal_of(tag) != RGM_SECTIONS && ll_fits(pos, RGM_HEADER, doc->size));
}

/* Behind the section at pos another one starts, if its length is right. */
static bool is_followed(const ll_doc *doc, uint64_t pos)
{
    return ll_fits(pos, RGM_HEADER, doc->size) && is_start(doc, pos + RGM_HEADER + ll_be32(doc->bytes + pos + 4));
}

/* A section of another tag stands at pos, and one of a known tag behind it. Where the length is 0, so may be much that
 * is none: there the tag must be letters, but for one that is damaged. */
static bool is_unknown_section(const ll_doc *doc, uint64_t pos)
{
    if (!is_followed(doc, pos)) {
        return false;
    }
    unsigned letters = 0;
    for (uint64_t i = pos; i < pos + 4; i++) {
        letters += doc->bytes[i] >= 'A' && doc->bytes[i] <= 'Z';
    }
    return letters >= 3 || ll_be32(doc->bytes + pos + 4);
}

/* As many bytes are left at pos as END has, with its length or without. */
static bool is_last(const ll_doc *doc, uint64_t pos)
{
    return ll_fits(pos, rgm_end_SIZE, doc->size) &&
           (doc->size - pos == rgm_end_SIZE ||
            (doc->size - pos == rgm_end_long_SIZE && !rgm_word(doc, (uint32_t)pos + 4)));
}

static bool is_file_end(const ll_doc *doc, uint64_t pos)
{
    return is_last(doc, pos) && rgm_word(doc, (uint32_t)pos) == TAG_END;
}

/* Bytes at the end of the file that are of END's form but for the tag. */
static bool is_damaged_end(const ll_doc *doc, uint64_t pos)
{
    return is_last(doc, pos) && !is_file_end(doc, (uint64_t)doc->size - rgm_end_SIZE) &&
           ordinal_of(rgm_word(doc, (uint32_t)pos)) == RGM_SECTIONS;
}

/* The next place at or behind `from` where a section of a known tag stands whose length leads on, or the END of the
 * file. Every byte is looked at once in the life of a scan. */
static uint32_t resync(scan *s, uint32_t from)
{
    if (from >= s->searched && from <= s->found) {
        return s->found;
    }
    const ll_doc *doc = s->doc;
    uint64_t pos = from;
    for (; ll_fits(pos, 4, doc->size); pos++) {
        uint8_t second = doc->bytes[pos + 1]; /* few bytes of other contents get past this */
        if (second != 'A' && second != 'P' && second != 'D' && second != 'L' && second != 'N') {
            continue;
        }
        if (is_file_end(doc, pos) ||
            (ordinal_of(rgm_word(doc, (uint32_t)pos)) != RGM_SECTIONS && is_followed(doc, pos))) {
            break;
        }
    }
    s->searched = from;
    s->found = ll_fits(pos, 4, doc->size) ? (uint32_t)pos : doc->size;
    return s->found;
}

/* The length is wrong, and the section ends at `end`, where the next one begins. What the contents ask for tells
 * whether the length alone is wrong or bytes were put in or taken out. */
static void correct_length(const scan *s, rgm_frame *f, uint64_t expected, uint32_t end)
{
    uint32_t start = f->pos + RGM_HEADER;
    bool overruns = f->stated > s->doc->size - start;
    f->fault = overruns ? RGM_FAULT_SECTION_OVERRUN : RGM_FAULT_SECTION_LENGTH;
    f->end = end;
    f->expected = expected;
    f->lost = expected && expected != end - start;
    f->surplus = !expected || (f->lost && expected == f->stated) ? (int64_t)(end - start) - f->stated : 0;
    f->hint = f->lost ? RGM_HINT_BYTES_SHIFTED : RGM_HINT_LENGTH_FIELD;
}

/* A length that skips a section that is needed leads to another one by chance; s->found: where that one is. */
static bool skips_section(scan *s, const rgm_frame *f, uint64_t end)
{
    uint32_t start = f->pos + RGM_HEADER;
    unsigned next = ordinal_of(rgm_word(s->doc, (uint32_t)end));
    return next < RGM_SECTIONS && is_gap(s, f->ordinal, next, end - start) && resync(s, start) < end;
}

/* Decides where the section at f->pos ends. */
static void judge_length(scan *s, rgm_frame *f)
{
    const ll_doc *doc = s->doc;
    uint32_t start = f->pos + RGM_HEADER;
    uint64_t stated_end = (uint64_t)start + f->stated;
    uint32_t swapped = ll_le32(doc->bytes + f->pos + 4);
    uint64_t expected =
        f->ordinal == RGM_SECTIONS ? 0 : rgm_expected_length(s->p, f->ordinal, start, doc->size - start);
    bool leads = is_start(doc, start + expected); /* also to the section right behind an empty one */
    f->end = stated_end <= doc->size ? (uint32_t)stated_end : doc->size;
    if (is_start(doc, stated_end) && !(leads && expected < f->stated)) {
        if (skips_section(s, f, stated_end)) {
            correct_length(s, f, expected, s->found);
        }
        return;
    }
    if (!expected && f->ordinal < RGM_SECTIONS) {
        expected = rgm_reach(s->p, f->ordinal);
        leads = is_start(doc, start + expected);
    }
    if (is_start(doc, (uint64_t)start + swapped) && !skips_section(s, f, (uint64_t)start + swapped)) {
        f->fault = RGM_FAULT_SECTION_LENGTH_ENDIAN;
        f->end = start + swapped;
        return;
    }
    if (expected != f->stated && (leads || (f->ordinal == RGM_FLAT && is_damaged_end(doc, start + expected)))) {
        correct_length(s, f, expected, start + (uint32_t)expected);
        return;
    }
    if (is_unknown_section(doc, stated_end) || is_damaged_end(doc, stated_end)) {
        return; /* the tag behind it is what is damaged */
    }
    uint32_t next = resync(s, start);
    if (next < doc->size) {
        bool trusted = expected <= f->stated && stated_end < next; /* what is damaged stands behind it */
        if (!trusted || !is_gap(s, f->ordinal, ordinal_of(rgm_word(doc, next)), next - stated_end)) {
            correct_length(s, f, expected, next);
        }
    } else if (stated_end > doc->size) {
        f->fault = RGM_FAULT_SECTION_OVERRUN;
        f->hint = RGM_HINT_CUT_FILE;
        f->lost = true;
        s->cut = true;
    }
}

/* ------------------------------------------------------------------ the walk */

/* END at pos. Four bytes behind it are a length; more than that are too much, but for a length of 0 in front of them.
 */
static void take_end(scan *s, uint32_t pos)
{
    uint32_t left = s->doc->size - pos;
    s->end = pos;
    bool has_length = left == rgm_end_long_SIZE || (left > rgm_end_long_SIZE && !rgm_word(s->doc, pos + 4));
    s->end_size = has_length ? rgm_end_long_SIZE : rgm_end_SIZE;
}

/* Bytes of an END that the last sections of the file stand behind: the first of them is not there yet. 0: there is
 * none. */
static uint32_t early_end(const scan *s, uint32_t pos)
{
    const ll_doc *doc = s->doc;
    uint32_t size =
        ll_fits(pos, rgm_end_long_SIZE, doc->size) && !rgm_word(doc, pos + 4) ? rgm_end_long_SIZE : rgm_end_SIZE;
    uint32_t behind = pos + size;
    if (s->early < doc->size || rgm_word(doc, pos) != TAG_END || !ll_fits(behind, RGM_HEADER, doc->size) ||
        !ll_fits((uint64_t)behind + RGM_HEADER, ll_be32(doc->bytes + behind + 4), doc->size)) {
        return 0;
    }
    unsigned ordinal = ordinal_of(rgm_word(doc, behind));
    return ordinal < RGM_SECTIONS && !(s->seen >> ordinal & 1) ? size : 0;
}

/* Finds all sections; s->end is then where they end. */
static void find_sections(scan *s)
{
    const ll_doc *doc = s->doc;
    ll_allocator allocator = ll_arena_allocator(&s->p->doc->arena);
    uint32_t pos = 0;
    s->end = s->early = doc->size;
    s->searched = UINT32_MAX;
    while (pos < doc->size && doc->status == LL_OK) {
        uint32_t left = doc->size - pos;
        uint32_t early = left >= RGM_HEADER ? early_end(s, pos) : 0;
        if (early) {
            s->early = pos;
            pos += early;
            continue;
        }
        if ((left >= 4 && rgm_word(doc, pos) == TAG_END) || (s->frames.count && is_damaged_end(doc, pos))) {
            take_end(s, pos);
            return;
        }
        if (left < RGM_HEADER) {
            s->end = pos;
            return;
        }
        rgm_frame *f = LL_ARRAY_ADD(&s->frames, &allocator);
        if (!f) {
            s->p->doc->status = LL_E_MEMORY;
            return;
        }
        *f = (rgm_frame){
            .pos = pos, .stated = ll_be32(doc->bytes + pos + 4), .ordinal = (uint8_t)ordinal_of(rgm_word(doc, pos))};
        bool unknown = s->frames.count > 1 && f->ordinal == RGM_SECTIONS && resync(s, pos) < pos + RGM_HEADER;
        if (unknown && s->found < doc->size &&
            is_gap(s, f[-1].ordinal, ordinal_of(rgm_word(doc, s->found)), s->found - pos)) {
            f->end = s->found; /* not all of a header is left */
        } else {
            judge_length(s, f);
        }
        s->seen |= 1U << f->ordinal;
        if (f->ordinal == RGM_RAHD && !f->lost && !s->p->summary->heads) {
            rgm_find_actors(s->p, pos + RGM_HEADER, f->end - pos - RGM_HEADER);
        }
        pos = f->end;
    }
}

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
        unsigned needed = is_needed(p, i) ? least : LIKE_LETTERS + 1;
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
        bool absent = !present[i] && is_needed(p, i);
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
static unsigned tell_section(const scan *s, rgm_frame *f, const bool *present, bool twice, int after, unsigned next)
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
static void name_sections(scan *s)
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
static void choose_sections(scan *s)
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

/* ------------------------------------------------------------------ claims */

/* What is wrong with the length of the i-th section; after all is claimed, as it points to the next one. */
/* Of a section that nobody knows the length is told instead of the tag, if it has a tag. */
static bool is_length_told(const scan *s, const rgm_frame *f)
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

static void raise_length(const scan *s, uint32_t i)
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
static void raise_damaged(const scan *s, const rgm_frame *f)
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
static bool is_copy(const scan *s, const rgm_frame *f)
{
    const ll_doc *doc = s->p->doc;
    const rgm_frame *one = s->chosen[f->ordinal];
    return one && one->end - one->pos == f->end - f->pos &&
           memcmp(doc->bytes + one->pos, doc->bytes + f->pos, f->end - f->pos) == 0;
}

/* A section that is not looked into: unknown, or the second of its tag. Of remains it is said what is missing. */
static void claim_opaque(const scan *s, rgm_frame *f, uint32_t index)
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

static void claim_section(const scan *s, rgm_frame *f)
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
        rgm_forms[f->ordinal].parse(p, f->ordinal);
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
static void claim_sections(const scan *s)
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

static void miss_end(const scan *s)
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
static void claim_early(scan *s)
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
static void claim_end(scan *s)
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
        if (rgm_word(doc, s->end) != TAG_END) {
            ll_mark_span(doc, span, LL_SPAN_BROKEN);
            doc->unread = s->p->summary->section[RGM_FLAT].span == LL_NO_SPAN; /* the file may be cut */
            miss_end(s);
        }
        uint32_t behind = s->end + s->end_size;
        if (behind < doc->size) {
            bool sections_follow = is_start(doc, behind);
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

/* ------------------------------------------------------------------ which sections there are */

/* Sections that stand in ascending order, as many of them as can be: the others are those that were moved. The place of
 * RAVC is not judged. */
static void judge_order(const scan *s)
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

static void judge_presence(const scan *s)
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
static bool refuse_foreign(const scan *s)
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
static bool refuse_swapped(const scan *s)
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

static void clear(rgm_summary *summary)
{
    memset(summary, 0, sizeof *summary);
    for (unsigned i = 0; i < RGM_SECTIONS; i++) {
        summary->section[i].span = summary->section[i].records = LL_NO_SPAN;
    }
    summary->end = LL_NO_SPAN;
}

static void parse(rgm_parser *p)
{
    ll_doc *doc = p->doc;
    scan s = {.p = p, .doc = doc};
    find_sections(&s);
    if (refuse_foreign(&s) || refuse_swapped(&s)) {
        return;
    }
    name_sections(&s);
    choose_sections(&s);
    claim_sections(&s);
    claim_end(&s);
    for (uint32_t i = 0; i < s.frames.count; i++) {
        const rgm_frame *f = &s.frames.items[i];
        if (f->damaged) {
            raise_damaged(&s, f);
        } else if (is_length_told(&s, f)) {
            raise_length(&s, i);
        }
    }
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
    clear(&summary);
    doc->index = &summary; /* what else looks it up; the document's own is made when all is claimed */
    rgm_parser p = {.doc = doc, .summary = &summary};
    parse(&p);
    doc->index = doc->index == &summary ? NULL : doc->index;
}

/* ------------------------------------------------------------------ the index */

/* A section, by its header and what is in it. */
static void index_section(const ll_doc *doc, rgm_summary *out, unsigned ordinal)
{
    const rgm_form *form = &rgm_forms[ordinal];
    const uint32_t span = doc->firsts[form->header] - 1;
    if (span == LL_NO_SPAN) {
        return;
    }
    const ll_span *s = ll_doc_span(doc, span);
    out->section[ordinal] = (rgm_section){.span = span,
                                          .start = s->offset + RGM_HEADER,
                                          .length = s->length - RGM_HEADER,
                                          .records = LL_NO_SPAN,
                                          .sound = !(s->flags & LL_SPAN_DOUBTFUL)};
}

/* What the records of a section are. */
static uint16_t record_layout(unsigned ordinal)
{
    static const uint16_t walked[RGM_SECTIONS] = {
        [RGM_RAST] = rgm_string_LAYOUT,     [RGM_RAAN] = rgm_raan_list_LAYOUT, [RGM_RAGR] = rgm_ragr_list_LAYOUT,
        [RGM_RANM] = rgm_space_name_LAYOUT, [RGM_RASC] = rgm_block_LAYOUT,     [RGM_WDNM] = rgm_walk_map_LAYOUT,
        [RGM_RAFS] = rgm_rafs_byte_LAYOUT};
    return walked[ordinal] ? walked[ordinal] : rgm_forms[ordinal].layout;
}

/* Files, animation groups and blocks by the actor that each is the first of; LL_NO_SPAN: there are none. */
enum { FILES, GROUPS, BLOCKS, LISTS };
typedef struct actor_lists {
    uint32_t actors;
    uint32_t *of[LISTS];
} actor_lists;

static bool open_lists(ll_doc *doc, actor_lists *lists)
{
    const uint32_t heads = doc->firsts[rgm_actor_LAYOUT];
    lists->actors = heads ? ll_doc_span(doc, heads - 1)->count : 0;
    for (unsigned i = 0; i < LISTS; i++) {
        lists->of[i] = ll_doc_alloc(doc, (size_t)lists->actors + 1, sizeof *lists->of[i]);
        if (!lists->of[i]) {
            return false;
        }
        memset(lists->of[i], 0xFF, (size_t)lists->actors * sizeof *lists->of[i]); /* LL_NO_SPAN */
    }
    return true;
}

/* What is in the sections: of equal records the one array, of others the first; and bytes that were not read. */
static void index_children(const ll_doc *doc, rgm_summary *out, const actor_lists *lists)
{
    uint8_t ordinals[LL_LAYOUTS_MAX] = {0}; /* 1 + that of a header */
    rgm_section *section = NULL;
    uint32_t parent = LL_NO_SPAN;
    uint16_t record = 0;
    uint32_t *firsts = NULL;
    const ll_span *s = NULL;
    for (unsigned i = 0; i < RGM_SECTIONS; i++) {
        ordinals[rgm_forms[i].header] = (uint8_t)(i + 1);
    }
    for (uint32_t i = 0; i < doc->span_count; i++) {
        s = ll_doc_span_behind(doc, s, i);
        if (s->parent != parent) {
            parent = s->parent;
            unsigned ordinal = parent == LL_NO_SPAN ? 0 : ordinals[ll_doc_span(doc, parent)->layout];
            section = ordinal && out->section[ordinal - 1].span == parent ? &out->section[ordinal - 1] : NULL;
            record = section ? record_layout(ordinal - 1) : 0;
            firsts = record == rgm_raan_list_LAYOUT   ? lists->of[FILES]
                     : record == rgm_ragr_list_LAYOUT ? lists->of[GROUPS]
                     : record == rgm_block_LAYOUT     ? lists->of[BLOCKS]
                                                      : NULL;
        }
        if (!section) {
            continue;
        }
        if (s->layout == record && record) {
            section->records = section->records == LL_NO_SPAN ? i : section->records;
            section->count += s->flags & LL_SPAN_ARRAY ? s->count : 1;
            if (firsts && s->index < lists->actors) {
                firsts[s->index] = i;
            }
        } else if (s->layout == LL_LAYOUT_UNPARSED) {
            section->shifted = true; /* here: not all of it was read */
        }
    }
}

/* The actors that have the same numbers in three fields share what one of them has: item of keys, by these. */
static const ll_sort_key *sort_shares(rgm_parser *p, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t n = p->summary->actor_count;
    ll_sort_key *keys = ll_doc_alloc(p->doc, (size_t)n + 1, 2 * sizeof *keys);
    for (uint32_t i = 0; keys && i < n; i++) {
        keys[i] = (ll_sort_key){(uint64_t)rgm_actor_word(p, i, a) << 32 | rgm_actor_word(p, i, b),
                                rgm_actor_word(p, i, c), i};
    }
    return keys ? ll_sort(keys, keys + n + 1, n) : NULL;
}

static bool is_same_share(const ll_sort_key *one, const ll_sort_key *other)
{
    return one->first == other->first && one->second == other->second;
}

/* The frames of the files of each list, which all actors have that lead to it. */
static void index_frames(rgm_parser *p, const uint32_t *lists)
{
    const ll_doc *doc = p->doc;
    rgm_actor_info *actors = p->summary->actors;
    const rgm_section *section = &p->summary->section[RGM_RAAN];
    const ll_sort_key *keys =
        sort_shares(p, rgm_actor_at_raan_offset, rgm_actor_at_raan_count, rgm_actor_at_raan_data_size);
    bool read = keys && section->span != LL_NO_SPAN && !section->shifted;
    for (uint32_t i = 0, next = 0; read && i < p->summary->actor_count; i = next) {
        uint32_t list = LL_NO_SPAN, frames = 0;
        for (next = i; next < p->summary->actor_count && is_same_share(&keys[i], &keys[next]); next++) {
            list = lists[keys[next].item] == LL_NO_SPAN ? list : lists[keys[next].item];
        }
        const uint32_t count = (uint32_t)keys[i].first;
        bool known = (int32_t)count <= 0 ? count == 0 && keys[i].second == 0 : false;
        for (uint32_t k = list; list != LL_NO_SPAN && ++k < doc->span_count;) {
            const ll_span *s = ll_doc_span(doc, k);
            if (s->offset >= ll_doc_span(doc, list)->offset + ll_doc_span(doc, list)->length) {
                break;
            }
            if (s->layout == rgm_model_file_LAYOUT) {
                uint8_t here = doc->bytes[s->offset + rgm_model_file_at_frame_count];
                known = here && (known || !s->index);
                frames += here;
            }
        }
        for (uint32_t k = i; k < next; k++) {
            actors[keys[k].item].frames = frames;
            actors[keys[k].item].frames_known = known;
        }
    }
}

/* The animation groups of each actor. */
static void index_groups(rgm_parser *p, const uint32_t *lists)
{
    const ll_doc *doc = p->doc;
    rgm_actor_info *actors = p->summary->actors;
    const ll_sort_key *keys =
        sort_shares(p, rgm_actor_at_ragr_offset, rgm_actor_at_ragr_offset, rgm_actor_at_ragr_offset);
    for (uint32_t i = 0, next = 0; keys && i < p->summary->actor_count; i = next) {
        uint32_t list = LL_NO_SPAN, frames = 0;
        bool known = true;
        for (next = i; next < p->summary->actor_count && is_same_share(&keys[i], &keys[next]); next++) {
            const rgm_actor_info *info = &actors[keys[next].item];
            list = lists[keys[next].item] == LL_NO_SPAN ? list : lists[keys[next].item];
            known = known && info->frames_known;
            frames = info->frames > frames ? info->frames : frames;
        }
        for (uint32_t k = i; k < next && list != LL_NO_SPAN; k++) {
            actors[keys[k].item].ragr_list = list;
        }
        if (list != LL_NO_SPAN) {
            rgm_actor_info *first = &actors[ll_doc_span(doc, list)->index];
            first->list_frames = known ? frames : 0;
            first->list_highest = rgm_highest_group(doc, list);
        }
    }
}

/* Of which actors the slices lie where they should: no fault is about the fields that say so. */
static void index_slices(const ll_doc *doc, rgm_summary *out)
{
    static const uint8_t slices[] = {[rgm_actor_string_offsets_index] = 1 << (RGM_RASB - RGM_RASB),
                                     [rgm_actor_num_strings] = 1 << (RGM_RASB - RGM_RASB),
                                     [rgm_actor_variable_offset] = 1 << (RGM_RAVA - RGM_RASB),
                                     [rgm_actor_num_variables] = 1 << (RGM_RAVA - RGM_RASB),
                                     [rgm_actor_instances] = 1 << (RGM_RAVA - RGM_RASB),
                                     [rgm_actor_script_data_offset] = 1 << (RGM_RASC - RGM_RASB),
                                     [rgm_actor_script_length] = 1 << (RGM_RASC - RGM_RASB)};
    for (unsigned k = 0; k < RGM_SLICED; k++) {
        const rgm_section *section = &out->section[RGM_RASB + k];
        const bool broken =
            section->records != LL_NO_SPAN && k != RGM_RASC - RGM_RASB && !ll_is_usable(doc, section->records);
        for (uint32_t i = 0; i < out->actor_count; i++) {
            out->actors[i].sound[k] = section->span != LL_NO_SPAN && !section->shifted && !broken;
        }
    }
    for (const ll_fault_node *node = doc->first_fault; node; node = node->next) {
        const ll_where *at = &node->fault.at;
        const bool of_actor =
            at->span == out->section[RGM_RAHD].records && at->field < sizeof slices && at->element < out->actor_count;
        for (unsigned k = 0; of_actor && node->fault.read && k < RGM_SLICED; k++) {
            out->actors[at->element].sound[k] = out->actors[at->element].sound[k] && !(slices[at->field] >> k & 1);
        }
    }
}

/* What is known of the actors, where they were read. */
static void index_actors(rgm_parser *p, const actor_lists *lists)
{
    ll_doc *doc = p->doc;
    rgm_summary *out = p->summary;
    const rgm_section *heads = &out->section[RGM_RAHD];
    if (heads->records == LL_NO_SPAN) {
        return;
    }
    rgm_find_actors(p, heads->start, heads->length);
    if (out->actor_count) {
        rgm_note_names(p);
    } else { /* records that do not fill the section are none */
        out->section[RGM_RAHD].records = LL_NO_SPAN;
    }
    if (doc->status != LL_OK || !out->actors) {
        return;
    }
    for (uint32_t i = 0; i < out->actor_count; i++) {
        out->actors[i].block = lists->of[BLOCKS][i];
    }
    index_slices(doc, out);
    index_frames(p, lists->of[FILES]);
    index_groups(p, lists->of[GROUPS]);
}

const void *rgm_index(ll_doc *doc)
{
    rgm_summary *out = ll_doc_alloc(doc, 1, sizeof *out);
    if (!out) {
        return NULL;
    }
    clear(out);
    out->memo = ll_doc_zalloc(doc, 1, sizeof *out->memo);
    if (!out->memo) {
        return NULL;
    }
    out->memo->arena = &doc->arena;
    for (unsigned i = 0; i < RGM_SECTIONS; i++) {
        index_section(doc, out, i);
    }
    actor_lists lists;
    if (!open_lists(doc, &lists)) {
        return NULL;
    }
    index_children(doc, out, &lists);
    out->end = doc->firsts[rgm_end_LAYOUT] ? doc->firsts[rgm_end_LAYOUT] - 1 : doc->firsts[rgm_end_long_LAYOUT] - 1;
    rgm_parser p = {.doc = doc, .summary = out};
    doc->index = out; /* what is noted of actors looks them up by it */
    index_actors(&p, &lists);
    return doc->status == LL_OK ? out : NULL;
}
