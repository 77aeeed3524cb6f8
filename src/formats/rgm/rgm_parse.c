/* Finds the sections of a Redguard scene file and hands their payloads on. Decides where each section begins and ends,
 * which tag a damaged one had, and which sections are missing, double or out of place; what is in them is
 * rgm_sections.c's business.
 *
 * One damaged byte shall not give many findings: a length is taken only if another section follows at its end; else
 * the length with its bytes swapped is tried, then the one that counts ask for, and after that the next place where a
 * section can start. */
#include "formats/rgm/soup.h"

#include "base/array.h"

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
    if (size < RGM_HEADER) {
        return size >= 4 && ordinal_of(ll_le32(bytes)) == RGM_RAHD ? LL_PROBE_MAYBE : LL_PROBE_NO;
    }
    unsigned ordinal = ordinal_of(ll_le32(bytes));
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

/* The sections as they are found. */
typedef struct scan {
    rgm_parser *p;
    const ll_doc *doc;
    LL_ARRAY(rgm_frame) frames; /* at most one for every 8 bytes of the file */
    uint32_t searched,
        found;         /* from where the next sound section was looked for, and where it is; doc->size: there is none */
    uint32_t end;      /* where END or what stands for it begins; doc->size: nowhere */
    uint32_t end_size; /* 4 or 8; 0: there is none */
    bool end_damaged;
    bool cut; /* nothing can be said about what follows the last section */
} scan;

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
    f->hint = RGM_HINT_LENGTH_FIELD;
    f->end = f->payload = end;
    if (expected && expected != end - start) {
        f->hint = RGM_HINT_BYTES_SHIFTED;
        f->lost = true;
    }
}

/* Between a section and the one to which its length leads some are missing: one of them that stands in between all the
 * same. `end`: none. */
static uint32_t skipped_section(scan *s, unsigned ordinal, uint32_t start, uint32_t end)
{
    unsigned next = ordinal_of(rgm_word(s->doc, end));
    bool in_order = ordinal + 1 == next || (ordinal + 1 == RGM_RAVC && ordinal + 2 == next);
    if (ordinal == RGM_SECTIONS || next <= ordinal || in_order) {
        return end;
    }
    uint32_t found = resync(s, start);
    unsigned between = found < end ? ordinal_of(rgm_word(s->doc, found)) : RGM_SECTIONS;
    return between > ordinal && between < next ? found : end;
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
    f->end = f->payload = stated_end <= doc->size ? (uint32_t)stated_end : doc->size;
    if (is_start(doc, stated_end) &&
        !(leads && expected < f->stated)) { /* a length that skips a section leads to one by chance */
        uint32_t skipped = skipped_section(s, f->ordinal, start, (uint32_t)stated_end);
        if (skipped < stated_end) {
            correct_length(s, f, expected, skipped);
        }
        return;
    }
    if (leads && expected == 0) {
        correct_length(s, f, expected, start);
        return;
    }
    if (is_start(doc, (uint64_t)start + swapped)) {
        f->fault = RGM_FAULT_SECTION_LENGTH_ENDIAN;
        f->end = f->payload = start + swapped;
        return;
    }
    if (expected && expected != f->stated && (leads || is_damaged_end(doc, start + expected))) {
        correct_length(s, f, expected, start + (uint32_t)expected);
        return;
    }
    if (is_unknown_section(doc, stated_end) || is_damaged_end(doc, stated_end)) {
        return; /* the tag behind it is what is damaged */
    }
    uint32_t next = resync(s, start);
    if (next < doc->size) {
        correct_length(s, f, expected, next);
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
    s->end_damaged = rgm_word(s->doc, pos) != TAG_END;
    bool has_length = left == rgm_end_long_SIZE || (left > rgm_end_long_SIZE && !rgm_word(s->doc, pos + 4));
    s->end_size = has_length ? rgm_end_long_SIZE : rgm_end_SIZE;
}

/* Finds all sections; s->end is then where they end. */
static void find_sections(scan *s)
{
    const ll_doc *doc = s->doc;
    ll_allocator allocator = ll_arena_allocator(&s->p->doc->arena);
    uint32_t pos = 0;
    s->end = doc->size;
    s->searched = UINT32_MAX;
    while (pos < doc->size && doc->status == LL_OK) {
        uint32_t left = doc->size - pos;
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
        judge_length(s, f);
        if (f->ordinal == RGM_RAHD && !f->lost && !s->p->actors) {
            rgm_find_actors(s->p, pos + RGM_HEADER, f->payload - pos - RGM_HEADER);
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
static unsigned nearest_absent(const bool *present, int after, unsigned before, uint32_t tag, unsigned least)
{
    unsigned best = RGM_SECTIONS;
    for (unsigned i = (unsigned)(after + 1); i < before; i++) {
        unsigned like = present[i] ? 0 : like_letters(tag, rgm_forms[i].tag);
        unsigned needed = i == RGM_RAVC ? LIKE_LETTERS + 1 : least; /* it need not be there */
        if (like >= needed && (best == RGM_SECTIONS || like > like_letters(tag, rgm_forms[best].tag))) {
            best = i;
        }
    }
    return best;
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
        unsigned next = i + 1 < s->frames.count ? s->frames.items[i + 1].ordinal : RGM_SECTIONS;
        for (uint32_t j = i + 1; next == RGM_SECTIONS && j < s->frames.count && j <= i + RGM_SECTIONS; j++) {
            next = s->frames.items[j].ordinal;
        }
        bool known = f->ordinal < RGM_SECTIONS;
        bool in_place = known && (int)f->ordinal > after && f->ordinal < next;
        unsigned ordinal = RGM_SECTIONS;
        if (!in_place && (!known || twice[f->ordinal] || f->ordinal == RGM_RAVC)) {
            ordinal = nearest_absent(present, after, next, rgm_word(s->doc, f->pos), LIKE_LETTERS + known);
        }
        if (ordinal < RGM_SECTIONS) {
            present[f->ordinal] = known && twice[f->ordinal];
            present[ordinal] = true;
            f->ordinal = (uint8_t)ordinal;
            f->damaged = true;
        }
        after = f->ordinal < RGM_SECTIONS && f->ordinal < next ? f->ordinal : after;
    }
}

/* The first of two sections is the one that is taken. Only now is it decided which one is RAHD. */
static void choose_sections(scan *s)
{
    bool seen[RGM_SECTIONS] = {false};
    rgm_find_actors(s->p, 0, 0);
    for (uint32_t i = 0; i < s->frames.count; i++) {
        rgm_frame *f = &s->frames.items[i];
        if (f->ordinal == RGM_SECTIONS) {
            continue;
        }
        f->duplicate = seen[f->ordinal];
        seen[f->ordinal] = true;
        if (f->ordinal == RGM_RAHD && !f->lost && !f->duplicate) {
            rgm_find_actors(s->p, f->pos + RGM_HEADER, f->payload - f->pos - RGM_HEADER);
        }
    }
}

/* ------------------------------------------------------------------ claims */

/* What is wrong with the length of the i-th section; after all is claimed, as it points to the next one. */
static void raise_length(const scan *s, uint32_t i)
{
    ll_doc *doc = s->p->doc;
    const rgm_frame *f = &s->frames.items[i];
    uint32_t span = s->p->summary->section[f->ordinal].span;
    uint32_t next = i + 1 < s->frames.count ? s->frames.items[i + 1].span : s->p->summary->end;
    uint32_t start = f->pos + RGM_HEADER;
    uint32_t right = f->end - start;
    bool corrected = f->hint != RGM_HINT_CUT_FILE;
    ll_fault fault =
        LL_MAKE_FAULT(f->fault, f->hint, ll_at_field(doc, span, 0, rgm_rahd_length), ll_nowhere(), ll_uint(f->stated));
    if (f->fault == RGM_FAULT_SECTION_LENGTH_ENDIAN) {
        fault.arg[1] = ll_uint(right);
    } else {
        fault.arg[1] = ll_uint((uint64_t)start + f->stated);
        fault.arg[2] = ll_uint(f->fault == RGM_FAULT_SECTION_OVERRUN ? doc->size : f->end);
        fault.arg[3] = ll_uint(corrected ? right : 0);
    }
    if (corrected && next != LL_NO_SPAN) {
        fault.related = ll_at_field(doc, next, 0, rgm_unknown_tag);
    }
    if (corrected && f->hint != RGM_HINT_BYTES_SHIFTED) {
        ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, right);
    }
    ll_raise(doc, &fault);
}

/* A tag that no section has. */
static void raise_unknown(ll_doc *doc, ll_where tag, unsigned hint)
{
    bool printable = rgm_is_printable(doc->bytes + tag.offset);
    LL_RAISE(doc, printable ? RGM_FAULT_SECTION_UNKNOWN : RGM_FAULT_SECTION_TAG_CHARSET,
             printable ? hint : RGM_HINT_NONE, tag, ll_chars(tag.offset, 4));
}

/* A section that is not looked into: unknown, or the second of its tag. */
static void claim_opaque(const scan *s, rgm_frame *f, uint32_t index, bool leftover)
{
    ll_doc *doc = s->p->doc;
    uint16_t layout = f->duplicate ? rgm_duplicate_LAYOUT : rgm_unknown_LAYOUT;
    uint32_t span = ll_claim_record(doc, LL_NO_SPAN, layout, f->pos, f->end, index);
    bool readable = f->fault == 0 || f->fault == RGM_FAULT_SECTION_LENGTH_ENDIAN;
    ll_claim_bytes(doc, span, readable ? rgm_opaque_body_LAYOUT : LL_LAYOUT_UNPARSED, f->pos + RGM_HEADER, f->end);
    f->span = span;
    ll_where tag = ll_at_field(doc, span, 0, rgm_unknown_tag);
    if (f->duplicate) {
        ll_where first = ll_at_field(doc, s->p->summary->section[f->ordinal].span, 0, rgm_rahd_tag);
        LL_RAISE_RELATED(doc, RGM_FAULT_SECTION_DUPLICATE, RGM_HINT_NONE, tag, first, ll_chars(f->pos, 4));
    } else {
        raise_unknown(doc, tag, leftover ? RGM_HINT_CUT_FILE : RGM_HINT_NONE);
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
    *section = (rgm_section){.span = span, .start = start, .length = f->payload - start, .records = LL_NO_SPAN};
    if (f->damaged) {
        LL_RAISE(doc, RGM_FAULT_SECTION_TAG_DAMAGED, RGM_HINT_NONE, ll_at_field(doc, span, 0, rgm_rahd_tag),
                 ll_chars(f->pos, 4), ll_word(rgm_forms[f->ordinal].name));
    }
    f->span = span;
    if (f->fault) {
        ll_mark_span(doc, span, LL_SPAN_BROKEN);
    }
    if (f->lost) {
        ll_claim_unparsed(doc, span, start, f->end);
        return;
    }
    rgm_forms[f->ordinal].parse(p, f->ordinal);
    ll_claim_unparsed(doc, span, f->payload, f->end);
}

static void claim_sections(const scan *s)
{
    uint32_t heads = UINT32_MAX; /* RAHD goes first wherever it stands: the others need its records */
    for (uint32_t i = 0; i < s->frames.count; i++) {
        if (s->frames.items[i].ordinal == RGM_RAHD && !s->frames.items[i].duplicate) {
            claim_section(s, &s->frames.items[i]);
            heads = i;
        }
    }
    for (uint32_t i = 0; i < s->frames.count && s->doc->status == LL_OK; i++) {
        rgm_frame *f = &s->frames.items[i];
        if (f->ordinal == RGM_SECTIONS || f->duplicate) {
            claim_opaque(s, f, i, s->cut && i + 1 == s->frames.count);
        } else if (i != heads) {
            claim_section(s, f);
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
    if (fault.hint != RGM_HINT_CUT_FILE) { /* else there is more to put back than END */
        ll_patch_bytes(doc, &fault, LL_PATCH_UNSAFE, s->end, s->end_size ? 4 : 0, letters, sizeof letters);
    }
    ll_raise(doc, &fault);
}

/* Claims END and what follows it. */
static void claim_end(scan *s)
{
    ll_doc *doc = s->p->doc;
    uint32_t left = doc->size - s->end;
    if (s->end_size) {
        bool longer = s->end_size == rgm_end_long_SIZE;
        uint32_t span = ll_claim_record(doc, LL_NO_SPAN, longer ? rgm_end_long_LAYOUT : rgm_end_LAYOUT, s->end,
                                        s->end + s->end_size, LL_NO_INDEX);
        s->p->summary->end = span;
        if (s->end_damaged) {
            ll_mark_span(doc, span, LL_SPAN_BROKEN);
            miss_end(s);
        }
        uint32_t behind = s->end + s->end_size;
        if (behind < doc->size) {
            bool sections_follow = is_start(doc, behind);
            LL_RAISE(doc, RGM_FAULT_TRAILING_BYTES, sections_follow ? RGM_HINT_SECTIONS_BEHIND_END : RGM_HINT_NONE,
                     ll_claim_gap(doc, LL_NO_SPAN, behind, doc->size), ll_uint(doc->size - behind), ll_uint(behind));
            s->cut = s->cut || sections_follow;
        }
        return;
    }
    if (left) {
        uint32_t rest = ll_claim_unparsed(doc, LL_NO_SPAN, s->end, doc->size);
        LL_RAISE(doc, RGM_FAULT_SECTION_TRUNCATED_HEADER, RGM_HINT_CUT_FILE, ll_at_bytes(rest, s->end, left),
                 ll_uint(left), ll_uint(RGM_HEADER));
    } else if (!s->cut) {
        miss_end(s);
    }
    s->cut = doc->fatal = true;
}

/* ------------------------------------------------------------------ which sections there are */

/* Sections that stand in ascending order, as many of them as can be: the others are those that were moved. */
static void judge_order(const scan *s)
{
    uint32_t frame[RGM_SECTIONS], longest[RGM_SECTIONS], before[RGM_SECTIONS], count = 0;
    for (uint32_t i = 0; i < s->frames.count; i++) {
        const rgm_frame *f = &s->frames.items[i];
        if (f->ordinal < RGM_SECTIONS && f->ordinal != RGM_RAVC && !f->duplicate) {
            frame[count++] = i;
        }
    }
    uint32_t last = RGM_SECTIONS;
    for (uint32_t i = 0; i < count; i++) {
        longest[i] = 1;
        before[i] = RGM_SECTIONS;
        for (uint32_t j = 0; j < i; j++) {
            if (s->frames.items[frame[j]].ordinal < s->frames.items[frame[i]].ordinal && longest[j] >= longest[i]) {
                longest[i] = longest[j] + 1;
                before[i] = j;
            }
        }
        last = last == RGM_SECTIONS || longest[i] > longest[last] ? i : last;
    }
    bool in_order[RGM_SECTIONS] = {false};
    for (uint32_t i = last; i < RGM_SECTIONS; i = before[i]) {
        in_order[i] = true;
    }
    const rgm_section *section = s->p->summary->section;
    for (uint32_t i = 0; i < count; i++) {
        const rgm_frame *f = &s->frames.items[frame[i]];
        unsigned neighbour = f->ordinal;
        while (neighbour > 0 && section[neighbour - 1].span == LL_NO_SPAN) {
            neighbour--;
        }
        uint32_t before_it = neighbour ? section[neighbour - 1].span : LL_NO_SPAN;
        if (!in_order[i]) {
            LL_RAISE_RELATED(s->p->doc, RGM_FAULT_SECTION_ORDER, RGM_HINT_NONE,
                             ll_at_field(s->doc, section[f->ordinal].span, 0, rgm_rahd_tag),
                             ll_at_field(s->doc, before_it, 0, rgm_rahd_tag), ll_chars(f->pos, 4),
                             ll_word(neighbour ? rgm_forms[neighbour - 1].name : "nothing"));
        }
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
        uint32_t place = next < RGM_SECTIONS ? section[next].start - RGM_HEADER : s->end;
        LL_RAISE(s->p->doc, RGM_FAULT_SECTION_MISSING, RGM_HINT_NONE, ll_at_bytes(LL_NO_SPAN, place, 0),
                 ll_word(rgm_forms[i].name), ll_word(rgm_forms[next].name));
    }
}

/* Nothing here is a section of such a file. */
static bool is_foreign(const scan *s)
{
    uint32_t unknown = 0;
    while (unknown < s->frames.count && s->frames.items[unknown].ordinal == RGM_SECTIONS) {
        unknown++;
    }
    return unknown && unknown == s->frames.count;
}

static void refuse(const scan *s)
{
    ll_doc *doc = s->p->doc;
    uint32_t span = ll_claim_broken(doc, LL_NO_SPAN, rgm_unknown_LAYOUT, 0, doc->size, 0);
    ll_claim_unparsed(doc, span, RGM_HEADER, doc->size);
    LL_RAISE(doc, LL_FAULT_UNKNOWN_FORMAT, RGM_HINT_NONE, ll_at_field(doc, span, 0, rgm_unknown_tag), ll_chars(0, 4));
    doc->fatal = doc->opaque = doc->unchecked = true;
}

void rgm_parse(ll_doc *doc)
{
    rgm_summary *summary = ll_doc_zalloc(doc, 1, sizeof *summary);
    rgm_memo *memo = ll_doc_zalloc(doc, 1, sizeof *memo);
    if (!summary || !memo) {
        return;
    }
    summary->memo = memo;
    for (unsigned i = 0; i < RGM_SECTIONS; i++) {
        summary->section[i].span = summary->section[i].records = LL_NO_SPAN;
    }
    summary->end = LL_NO_SPAN;
    doc->format_data = summary;
    rgm_parser p = {.doc = doc, .summary = summary};
    scan s = {.p = &p, .doc = doc};
    find_sections(&s);
    if (is_foreign(&s)) {
        refuse(&s);
        return;
    }
    name_sections(&s);
    choose_sections(&s);
    claim_sections(&s);
    for (unsigned i = 0; i < RGM_SECTIONS; i++) {
        if (!summary->section[i].sound) {
            ll_mark_span(doc, summary->section[i].span, LL_SPAN_DOUBTFUL);
        }
    }
    claim_end(&s);
    for (uint32_t i = 0; i < s.frames.count; i++) {
        const rgm_frame *f = &s.frames.items[i];
        if (f->fault && f->ordinal < RGM_SECTIONS && !f->duplicate) {
            raise_length(&s, i);
        }
    }
    judge_order(&s);
    judge_presence(&s);
    summary->complete = !s.cut;
    if (doc->status == LL_OK) {
        rgm_judge_chains(&p);
        rgm_measure_lists(&p);
        soup_verify(&p);
    }
}
