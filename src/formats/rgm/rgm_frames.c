/* Finds the sections of a map: where each begins and ends.
 *
 * One damaged byte shall not give many findings: a length is taken only if another section follows at its end; else
 * the length with its bytes swapped is tried, then the one that counts ask for, and after that the next place where a
 * section can start. */
#include "formats/rgm/rgm_scan.h"

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

/* A needed section belongs between two others and was not found in front of them; so many bytes stand between them. */
static bool is_gap(const rgm_scan *s, unsigned after, unsigned before, uint64_t room)
{
    bool gap = false;
    for (unsigned i = after + 1; i < before; i++) {
        bool found = s->seen >> i & 1 || (i == RGM_RAVC && room < RGM_HEADER); /* which may stand anywhere */
        gap = gap || (rgm_is_needed(s->p, i) && !found);
    }
    return gap;
}

bool rgm_is_start(const ll_doc *doc, uint64_t pos)
{
    if (!ll_fits(pos, 4, doc->size)) {
        return false;
    }
    uint32_t tag = rgm_word(doc, (uint32_t)pos);
    return tag == RGM_TAG_END || (ordinal_of(tag) != RGM_SECTIONS && ll_fits(pos, RGM_HEADER, doc->size));
}

/* Behind the section at pos another one starts, if its length is right. */
static bool is_followed(const ll_doc *doc, uint64_t pos)
{
    return ll_fits(pos, RGM_HEADER, doc->size) && rgm_is_start(doc, pos + RGM_HEADER + ll_be32(doc->bytes + pos + 4));
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
    return is_last(doc, pos) && rgm_word(doc, (uint32_t)pos) == RGM_TAG_END;
}

/* Bytes at the end of the file that are of END's form but for the tag. */
static bool is_damaged_end(const ll_doc *doc, uint64_t pos)
{
    return is_last(doc, pos) && !is_file_end(doc, (uint64_t)doc->size - rgm_end_SIZE) &&
           ordinal_of(rgm_word(doc, (uint32_t)pos)) == RGM_SECTIONS;
}

/* The next place at or behind `from` where a section of a known tag stands whose length leads on, or the END of the
 * file. Every byte is looked at once in the life of a scan. */
static uint32_t resync(rgm_scan *s, uint32_t from)
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
static void correct_length(const rgm_scan *s, rgm_frame *f, uint64_t expected, uint32_t end)
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
static bool skips_section(rgm_scan *s, const rgm_frame *f, uint64_t end)
{
    uint32_t start = f->pos + RGM_HEADER;
    unsigned next = ordinal_of(rgm_word(s->doc, (uint32_t)end));
    return next < RGM_SECTIONS && is_gap(s, f->ordinal, next, end - start) && resync(s, start) < end;
}

/* Decides where the section at f->pos ends. */
static void judge_length(rgm_scan *s, rgm_frame *f)
{
    const ll_doc *doc = s->doc;
    uint32_t start = f->pos + RGM_HEADER;
    uint64_t stated_end = (uint64_t)start + f->stated;
    uint32_t swapped = ll_le32(doc->bytes + f->pos + 4);
    uint64_t expected =
        f->ordinal == RGM_SECTIONS ? 0 : rgm_expected_length(s->p, f->ordinal, start, doc->size - start);
    bool leads = rgm_is_start(doc, start + expected); /* also to the section right behind an empty one */
    f->end = stated_end <= doc->size ? (uint32_t)stated_end : doc->size;
    if (rgm_is_start(doc, stated_end) && !(leads && expected < f->stated)) {
        if (skips_section(s, f, stated_end)) {
            correct_length(s, f, expected, s->found);
        }
        return;
    }
    if (!expected && f->ordinal < RGM_SECTIONS) {
        expected = rgm_reach(s->p, f->ordinal);
        leads = rgm_is_start(doc, start + expected);
    }
    if (rgm_is_start(doc, (uint64_t)start + swapped) && !skips_section(s, f, (uint64_t)start + swapped)) {
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
static void take_end(rgm_scan *s, uint32_t pos)
{
    uint32_t left = s->doc->size - pos;
    s->end = pos;
    bool has_length = left == rgm_end_long_SIZE || (left > rgm_end_long_SIZE && !rgm_word(s->doc, pos + 4));
    s->end_size = has_length ? rgm_end_long_SIZE : rgm_end_SIZE;
}

/* Bytes of an END that the last sections of the file stand behind: the first of them is not there yet. 0: there is
 * none. */
static uint32_t early_end(const rgm_scan *s, uint32_t pos)
{
    const ll_doc *doc = s->doc;
    uint32_t size =
        ll_fits(pos, rgm_end_long_SIZE, doc->size) && !rgm_word(doc, pos + 4) ? rgm_end_long_SIZE : rgm_end_SIZE;
    uint32_t behind = pos + size;
    if (s->early < doc->size || rgm_word(doc, pos) != RGM_TAG_END || !ll_fits(behind, RGM_HEADER, doc->size) ||
        !ll_fits((uint64_t)behind + RGM_HEADER, ll_be32(doc->bytes + behind + 4), doc->size)) {
        return 0;
    }
    unsigned ordinal = ordinal_of(rgm_word(doc, behind));
    return ordinal < RGM_SECTIONS && !(s->seen >> ordinal & 1) ? size : 0;
}

void rgm_find_sections(rgm_scan *s)
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
        if ((left >= 4 && rgm_word(doc, pos) == RGM_TAG_END) || (s->frames.count && is_damaged_end(doc, pos))) {
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
