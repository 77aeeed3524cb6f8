/* Walks a Fox Engine array and claims every byte of it. Decides where the header, the entries and the terminator
 * lie; grx_contents.c parses what is inside an entry. Trusts no size before it fits the bytes left.
 *
 * One damaged byte shall not give many findings: an entry's size is taken only if another entry follows at its end;
 * else the size that the contents add up to is tried, and after that the next place where an entry can start. */
#include "formats/grx/grx_entry.h"

#include "base/endian.h"

#include <string.h>

enum {
    ENTRY_HEADER = grx_unknown_entry_SIZE,
    LEAST_FILE = grx_header_SIZE + grx_dataset_SIZE + grx_terminator_SIZE,
    SURPLUS_SHARE = 4, /* so much of an entry is known to be too many at most */
    NAME_SEARCHED =
        1024 /* longest name looked for when measuring an entry whose size is wrong; the longest seen is 81 */
};

static const grx_tail_slot point_light_tails[] = {
    {grx_point_light_light_area_offset, grx_point_light_at_light_area_offset, grx_light_area_LAYOUT},
    {grx_point_light_irradiation_offset, grx_point_light_at_irradiation_offset, grx_irradiation_point_LAYOUT},
};
static const grx_tail_slot spot_light_tails[] = {
    {grx_spot_light_light_area_offset, grx_spot_light_at_light_area_offset, grx_light_area_LAYOUT},
    {grx_spot_light_irradiation_offset, grx_spot_light_at_irradiation_offset, grx_irradiation_point_LAYOUT},
};
static const grx_tail_slot probe_tails[] = {
    {grx_probe_inner_area_offset, grx_probe_at_inner_area_offset, grx_inner_area_LAYOUT},
};

/* Every entry starts with its tag and its size. */
#define LL_GRX_KIND(name, a, b, c, d, layout, ...)                                                                     \
    LL_SAME_FIELD(grx, layout, unknown_entry, tag);                                                                    \
    LL_SAME_FIELD(grx, layout, unknown_entry, entry_size);
#include "formats/grx/grx_kinds.def"
LL_SAME_FIELD(grx, terminator, unknown_entry, tag);
LL_SAME_FIELD(grx, terminator, unknown_entry, entry_size);

static const uint32_t MAGIC_LIGHTS = LL_LETTERS_LE('F', 'G', 'x', 'L');
static const uint32_t MAGIC_OCCLUDERS = LL_LETTERS_LE('F', 'G', 'x', 'O');
static const uint32_t TAG_CM00 = LL_LETTERS_LE('C', 'M', '0', '0');

/* What a terminator looks like, for the patch of a missing one. */
static const uint8_t terminator_bytes[grx_terminator_SIZE] = {0, 0, 0, 0, grx_terminator_SIZE, 0, 0, 0};

const grx_kind *grx_kind_of(uint32_t tag)
{
    switch (tag) {
#define LL_GRX_KIND(name, a, b, c, d, layout, ...)                                                                     \
    case LL_LETTERS_LE(a, b, c, d): {                                                                                  \
        static const grx_kind kind = {                                                                                 \
            LL_LETTERS_LE(a, b, c, d), grx_##layout##_LAYOUT, grx_##layout##_SIZE, GRX_##name, #name, __VA_ARGS__};    \
        return &kind;                                                                                                  \
    }
#include "formats/grx/grx_kinds.def"
    default:
        return NULL;
    }
}

ll_probe_result grx_probe(const uint8_t *bytes, size_t size)
{
    if (size < 4) {
        return LL_PROBE_NO;
    }
    uint32_t magic = ll_le32(bytes);
    if (magic == MAGIC_LIGHTS || magic == MAGIC_OCCLUDERS) {
        return LL_PROBE_SURE;
    }
    /* a damaged magic over the header words and the first tag of every known file */
    bool words = size >= grx_header_SIZE + ENTRY_HEADER &&
                 ll_le32(bytes + grx_header_at_first_entry_offset) == grx_header_SIZE &&
                 ll_le32(bytes + grx_header_SIZE) == TAG_CM00;
    return words ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

/* ------------------------------------------------------------------ sizes */

/* The tag of an entry stands at pos. */
static bool is_entry_at(const ll_doc *doc, uint32_t pos)
{
    return doc->size - pos >= ENTRY_HEADER && grx_kind_of(grx_word_at(doc, pos)) != NULL;
}

/* A null tag at pos ends the list: the file is not one that goes on there and has its terminator at the end. */
static bool ends_list(const grx_walk *w, uint32_t pos)
{
    const ll_doc *doc = w->doc;
    uint32_t end = pos + grx_terminator_SIZE;
    return end >= w->filled || (grx_word_at(doc, pos + 4) == grx_terminator_SIZE && is_entry_at(doc, end));
}

/* Something that the list may hold starts at pos. `like`: a kind to try first, as entries of one kind stand together;
 * may be NULL. */
static bool follows_entry(const grx_walk *w, uint64_t pos, const grx_kind *like)
{
    const ll_doc *doc = w->doc;
    if (!ll_fits(pos, ENTRY_HEADER, doc->size)) {
        return false;
    }
    uint32_t tag = grx_word_at(doc, (uint32_t)pos);
    if (like && tag == like->tag) {
        return true;
    }
    return tag ? grx_kind_of(tag) != NULL
               : grx_word_at(doc, (uint32_t)pos + 4) == grx_terminator_SIZE && ends_list(w, (uint32_t)pos);
}

/* Size that the contents of the entry at pos add up to, by its counts and by which offsets are not 0; 0 when that
 * cannot be said or does not fit the file. */
static uint32_t measured_size(const ll_doc *doc, const grx_kind *kind, uint32_t pos)
{
    uint32_t left = doc->size - pos;
    if (!kind || left < kind->fixed || kind->layout == grx_opaque_entry_LAYOUT) {
        return 0;
    }
    uint64_t size = kind->fixed;
    if (kind->layout == grx_occluder_LAYOUT) {
        size += (uint64_t)grx_word_at(doc, pos + grx_occluder_at_vertex_count) * grx_vertex_SIZE +
                (uint64_t)grx_word_at(doc, pos + grx_occluder_at_face_count) * grx_face_SIZE;
        return size <= left ? (uint32_t)size : 0;
    }
    if (grx_word_at(doc, pos + grx_dataset_at_name_offset)) {
        uint32_t searched = left - kind->fixed < NAME_SEARCHED ? left - kind->fixed : NAME_SEARCHED;
        const uint8_t *name = doc->bytes + pos + kind->fixed;
        const uint8_t *nul = memchr(name, 0, searched);
        if (!nul) {
            return 0;
        }
        size += ll_align_up((uint64_t)(nul - name) + 1, 4);
    }
    for (unsigned i = 0; i < kind->tail_count; i++) {
        size += grx_word_at(doc, pos + kind->tails[i].at) ? GRX_TRANSFORM : 0;
    }
    return size <= left ? (uint32_t)size : 0;
}

/* An entry of a known kind with a sound size, or the terminator at the file's end. */
static bool is_sound_entry(const ll_doc *doc, uint64_t pos)
{
    if (!ll_fits(pos, ENTRY_HEADER, doc->size)) {
        return false;
    }
    uint32_t tag = grx_word_at(doc, (uint32_t)pos);
    uint32_t size = grx_word_at(doc, (uint32_t)pos + 4);
    const grx_kind *kind = tag ? grx_kind_of(tag) : NULL;
    bool entry_here = kind && size >= kind->fixed && size % 4 == 0 && size <= doc->size - pos;
    return entry_here || (tag == 0 && size == grx_terminator_SIZE && pos + grx_terminator_SIZE == doc->size);
}

/* Where an entry stands a little before or behind `end`, the place where one is expected: bytes were taken out of the
 * entry before it, or put in. The nearest such place, 0 when there is none. */
static uint32_t shifted_end(const ll_doc *doc, uint32_t end)
{
    for (uint32_t by = 1; by <= SHIFT_MAX; by++) {
        if (is_sound_entry(doc, (uint64_t)end + by)) {
            return end + by;
        }
        if (end > by && is_sound_entry(doc, end - by)) {
            return end - by;
        }
    }
    return 0;
}

/* The name block reads as one, and the name stands where its offset leads, right behind the fixed part: bytes put in or
 * taken out before it would have moved it. */
static bool has_name_in_place(const ll_doc *doc, const grx_kind *kind, uint32_t pos)
{
    if (!grx_is_named(kind)) {
        return true;
    }
    uint32_t offset = grx_word_at(doc, pos + grx_dataset_at_name_offset);
    bool canonical =
        offset == kind->fixed - (uint32_t)grx_dataset_at_name_offset && doc->bytes[pos + kind->fixed] > ' ';
    return grx_word_at(doc, pos + grx_dataset_at_name_reserved) == 0 && (offset == 0 || canonical) &&
           grx_ends_fixed(doc, kind, pos);
}

/* The next place at or behind `from`, in steps of 4 from the file's start, where an entry of a known kind with a sound
 * size stands. */
static uint32_t resync(const ll_doc *doc, uint32_t from)
{
    for (uint64_t pos = ll_align_up(from, 4); ll_fits(pos, ENTRY_HEADER, doc->size); pos += 4) {
        if (is_sound_entry(doc, pos)) {
            return (uint32_t)pos;
        }
    }
    return doc->size;
}

/* ------------------------------------------------------------------ the walk */

/* An entry of unknown tag or size: its header, the rest unparsed; all unparsed where the next entry starts inside the
 * header. */
static void claim_unknown(ll_doc *doc, uint32_t pos, uint32_t end, uint32_t index)
{
    if (end - pos < ENTRY_HEADER) {
        ll_claim_unparsed(doc, LL_NO_SPAN, pos, end);
        return;
    }
    uint32_t span = ll_claim_broken(doc, LL_NO_SPAN, grx_unknown_entry_LAYOUT, pos, end, index);
    ll_claim_unparsed(doc, span, pos + ENTRY_HEADER, end);
}

uint16_t grx_meant_layout(const ll_doc *doc, uint32_t span)
{
    const ll_span *s = ll_doc_span(doc, span);
    const grx_kind *kind = s->layout == grx_unknown_entry_LAYOUT ? grx_kind_of(grx_word_at(doc, s->offset)) : NULL;
    return kind ? kind->layout : s->layout;
}

/* Four capitals or digits and a size that fits: an entry of a kind that nobody has documented. */
static bool is_like_entry(const ll_doc *doc, uint32_t pos)
{
    if (!ll_fits(pos, ENTRY_HEADER, doc->size)) {
        return false;
    }
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t c = doc->bytes[pos + i];
        if (!((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) {
            return false;
        }
    }
    uint32_t size = grx_word_at(doc, pos + 4);
    return size >= ENTRY_HEADER && size % 4 == 0 && size <= doc->size - pos;
}

/* Where an entry ends, and what is wrong with its size: said when the span is there to point at. */
typedef struct size_verdict {
    uint32_t end;
    uint32_t measured;
    unsigned code; /* fault, 0: none */
    unsigned hint;
    bool parse; /* contents may be parsed up to end */
} size_verdict;

static unsigned size_fault(const ll_doc *doc, const grx_kind *kind, uint32_t pos, uint32_t stated)
{
    if (stated < ENTRY_HEADER || (kind && stated < kind->fixed)) {
        return GRX_FAULT_ENTRY_SIZE_MIN;
    }
    if (stated > doc->size - pos) {
        return GRX_FAULT_ENTRY_SIZE_OVERRUN;
    }
    return stated % 4 ? GRX_FAULT_ENTRY_SIZE_ALIGN : 0U;
}

static size_verdict judge_size(const grx_walk *w, const grx_kind *kind, uint32_t pos)
{
    const ll_doc *doc = w->doc;
    uint32_t stated = grx_word_at(doc, pos + 4);
    size_verdict v = {.code = size_fault(doc, kind, pos, stated), .end = pos + stated, .parse = true};
    if (!v.code && follows_entry(w, (uint64_t)pos + stated, kind)) {
        return v;
    }
    v.parse = false;
    if (!kind) { /* the tag cannot be believed, its size only if something like an entry follows */
        bool next_is_entry = !v.code && (stated == doc->size - pos || is_like_entry(doc, pos + stated));
        v.end = next_is_entry ? v.end : resync(doc, pos + 4);
        return v;
    }
    v.measured = measured_size(doc, kind, pos);
    bool measured_leads_on = v.measured && follows_entry(w, (uint64_t)pos + v.measured, kind);
    if (measured_leads_on && v.measured != stated) {
        if (!v.code) {
            v.code = v.measured > stated ? GRX_FAULT_ENTRY_SIZE_EXCEEDED : GRX_FAULT_ENTRY_SIZE_TOO_LARGE;
        }
        v.parse = true;
        v.hint = has_name_in_place(doc, kind, pos) ? GRX_HINT_SIZE_FIELD : GRX_HINT_BYTES_SHIFTED;
        v.end = pos + v.measured;
        return v;
    }
    uint32_t shifted = v.code ? 0 : shifted_end(doc, pos + stated);
    if (shifted > pos + ENTRY_HEADER) {
        v.measured = shifted - pos;
        v.code = v.measured > stated ? GRX_FAULT_ENTRY_SIZE_EXCEEDED : GRX_FAULT_ENTRY_SIZE_TOO_LARGE;
        v.hint = GRX_HINT_BYTES_SHIFTED;
        v.end = shifted;
        v.parse = grx_is_named(kind); /* the numbers of an occluder cannot be told apart any more */
        return v;
    }
    if (!v.code) { /* nothing better to believe: the next tag or the terminator is what is damaged */
        v.parse = true;
        return v;
    }
    v.hint = v.code == GRX_FAULT_ENTRY_SIZE_MIN && stated < ENTRY_HEADER ? GRX_HINT_SIZE_BELOW_HEADER : GRX_HINT_NONE;
    bool next_is_entry = stated >= ENTRY_HEADER && follows_entry(w, (uint64_t)pos + stated, kind);
    v.end = next_is_entry ? v.end : resync(doc, pos + 4);
    v.parse = next_is_entry || (v.measured && v.end == doc->size && v.code != GRX_FAULT_ENTRY_SIZE_OVERRUN);
    if (v.code == GRX_FAULT_ENTRY_SIZE_OVERRUN && v.end == doc->size && !v.measured) {
        v.hint = GRX_HINT_CUT_FILE;
    }
    v.end = v.parse && !next_is_entry ? pos + v.measured : v.end;
    return v;
}

void grx_raise_once(grx_entry *e, ll_fault *fault, int64_t number)
{
    grx_walk *w = e->walk;
    ll_fault *before = w->alike ? &w->alike->fault : NULL;
    if (before && before->code == fault->code && w->alike_number == number) {
        before->related = before->arg[2].v.u > 1 ? before->related : fault->at;
        before->hint = GRX_HINT_ALL_ALIKE;
        before->arg[2].v.u++;
        ll_mark_span(e->doc, e->span, LL_SPAN_TOLD);
        return;
    }
    fault->arg[2] = ll_uint(1);
    ll_raise(e->doc, fault);
    w->alike = e->doc->faults_dropped ? NULL : e->doc->last_fault;
    w->alike_number = number;
}

/* Where the name and all that follows it are in their places, the size alone is wrong. */
static void raise_size(grx_entry *e, const size_verdict *v, bool tag_known)
{
    bool least = v->code == GRX_FAULT_ENTRY_SIZE_MIN;
    bool over = v->code == GRX_FAULT_ENTRY_SIZE_OVERRUN;
    uint64_t right = least ? e->kind->fixed : over ? (uint64_t)e->pos + e->stated : v->measured;
    ll_fault fault = LL_MAKE_FAULT(v->code, v->hint, ll_at_field(e->doc, e->span, 0, grx_unknown_entry_entry_size),
                                   ll_nowhere(), ll_uint(e->stated), ll_uint(right),
                                   over ? ll_uint(e->doc->size) : ll_chars(e->pos, 4), ll_uint(v->measured));
    if (v->hint == GRX_HINT_SIZE_FIELD && tag_known) {
        ll_patch_field(e->doc, &fault, LL_PATCH_SAFE, v->measured);
    }
    if (v->hint == GRX_HINT_BYTES_SHIFTED) {
        uint32_t length = v->measured > ENTRY_HEADER ? v->measured - ENTRY_HEADER : 0;
        int64_t by = (int64_t)v->measured - e->stated;
        if (by > length / SURPLUS_SHARE) { /* it may be what is left of the next one, of which the header was lost */
            ll_patch_none(&fault);
        } else {
            ll_patch_moved(e->doc, &fault, ll_at_bytes(e->span, e->pos + ENTRY_HEADER, length), by);
        }
        grx_raise_once(e, &fault, (int64_t)v->measured - e->stated);
    } else {
        ll_raise(e->doc, &fault);
    }
}

/* Byte for byte: else the tag may be what is wrong, and the entry one that nobody could restore. */
static bool is_copy_of(const grx_entry *e, uint32_t first)
{
    const ll_span *other = ll_doc_span(e->doc, first);
    return other->length == e->end - e->pos &&
           memcmp(e->doc->bytes + other->offset, e->doc->bytes + e->pos, other->length) == 0;
}

static void check_dataset_place(const grx_entry *e)
{
    bool dataset = e->kind->tag == TAG_CM00;
    bool second = dataset && e->walk->dataset != LL_NO_SPAN;
    if (second || (e->index == 0 && !dataset)) {
        ll_fault fault = LL_MAKE_FAULT(second ? GRX_FAULT_CM00_SINGLE : GRX_FAULT_CM00_FIRST, GRX_HINT_NONE,
                                       ll_at_field(e->doc, e->span, 0, grx_unknown_entry_tag), ll_nowhere(),
                                       second ? ll_uint(e->index) : ll_chars(e->pos, 4));
        if (second && is_copy_of(e, e->walk->dataset)) {
            ll_patch_bytes(e->doc, &fault, LL_PATCH_UNSAFE, e->pos, e->end - e->pos, NULL, 0);
        }
        ll_raise(e->doc, &fault);
    }
}

/* What an entry is whose tag is no tag: the kind whose contents add up to the size, where another entry follows. The
 * version is that of the entry before or behind it, if one of them is of the same kind. */
static const grx_kind *guess_kind(const grx_walk *w, uint32_t pos)
{
    const ll_doc *doc = w->doc;
    const grx_kind *before = w->before;
    static const uint32_t tags[] = {LL_LETTERS_LE('E', 'P', '0', '0'), LL_LETTERS_LE('P', 'L', '0', '3'),
                                    LL_LETTERS_LE('S', 'L', '0', '3'), LL_LETTERS_LE('O', 'C', '0', '0')};
    uint32_t size = grx_word_at(doc, pos + 4);
    if (size_fault(doc, NULL, pos, size) || !follows_entry(w, (uint64_t)pos + size, NULL)) {
        return NULL;
    }
    const grx_kind *likely[2 + sizeof tags / sizeof tags[0]] = {before ? before : grx_kind_of(TAG_CM00),
                                                                grx_kind_of(grx_word_at(doc, pos + size))};
    for (unsigned i = 0; i < sizeof likely / sizeof likely[0]; i++) {
        const grx_kind *kind = i < 2 ? likely[i] : grx_kind_of(tags[i - 2]);
        if (kind && !(before && kind->tag == TAG_CM00) && measured_size(doc, kind, pos) == size &&
            has_name_in_place(doc, kind, pos)) {
            return kind;
        }
    }
    return NULL;
}

/* guess: what it is all the same, or NULL. */
static void raise_tag(ll_doc *doc, uint32_t span, uint32_t pos, const grx_kind *guess)
{
    bool gone = grx_word_at(doc, pos) == 0;
    ll_fault fault =
        LL_MAKE_FAULT(GRX_FAULT_ENTRY_TAG_KNOWN,
                      gone    ? GRX_HINT_TAG_GONE
                      : guess ? GRX_HINT_TAG_GUESSED
                              : GRX_HINT_NONE,
                      ll_at_field(doc, span, 0, grx_unknown_entry_tag), ll_nowhere(), ll_chars(pos, 4),
                      ll_word(gone ? "the tag of an entry, as the list goes on"
                                   : "CM00, PL01 to PL03, SL01 to SL03, EP00, OC00, DL00, LP00 or four NULs"));
    if (guess) {
        fault.arg[1] = ll_word(guess->name);
        ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, guess->tag);
    }
    ll_raise(doc, &fault);
}

/* One entry whose 8 header bytes are there; returns where the next one starts. */
static uint32_t parse_entry(grx_walk *w, uint32_t pos, uint32_t index)
{
    ll_doc *doc = w->doc;
    const grx_kind *known = grx_kind_of(grx_word_at(doc, pos));
    const grx_kind *kind = known ? known : guess_kind(w, pos);
    size_verdict v = judge_size(w, kind, pos);
    uint32_t number = doc->span_count;
    grx_entry e = {doc, w, kind, number, pos, v.end, grx_word_at(doc, pos + 4), index, v.code != 0, false, false, 0};
    int32_t shift = kind && v.parse ? grx_measure_shift(&e) : 0;
    bool readable = kind && v.parse && !shift && v.end - pos >= kind->fixed &&
                    (v.hint != GRX_HINT_BYTES_SHIFTED || grx_matches_hash(&e, pos + kind->fixed, v.end));
    w->before = kind;
    if (readable) {
        if (ll_claim_record(doc, LL_NO_SPAN, kind->layout, pos, v.end, index) == LL_NO_SPAN) {
            return doc->size; /* contents are read out of the span */
        }
    } else if (shift) {
        ll_claim_broken(doc, LL_NO_SPAN, grx_unknown_entry_LAYOUT, pos, v.end, index);
    } else {
        claim_unknown(doc, pos, v.end, index);
    }
    if (!known) {
        raise_tag(doc, number, pos, kind);
    }
    if (v.code && kind) {
        unsigned edit = v.hint == GRX_HINT_SIZE_FIELD && readable ? grx_edit_of(&e) : GRX_HINT_NONE;
        v.hint = edit ? edit : v.hint;
        raise_size(&e, &v, known);
    }
    if (kind) {
        check_dataset_place(&e);
    }
    if (readable) {
        w->dataset = kind->number == GRX_CM00 && w->dataset == LL_NO_SPAN ? e.span : w->dataset;
        grx_parse_contents(&e);
    } else if (shift) {
        grx_parse_shifted(&e, shift);
    }
    doc->fatal = doc->fatal || (!readable && v.end == doc->size);
    return v.end;
}

static void parse_terminator(ll_doc *doc, uint32_t pos, uint32_t index)
{
    uint32_t terminator = ll_claim_fixed(doc, LL_NO_SPAN, grx_terminator_LAYOUT, pos);
    if (index == 0) {
        ll_fault fault =
            LL_MAKE_FAULT(GRX_FAULT_CM00_FIRST, GRX_HINT_NONE, ll_at_field(doc, terminator, 0, grx_terminator_tag),
                          ll_nowhere(), ll_chars(pos, 4));
        ll_patch_bytes(doc, &fault, LL_PATCH_UNSAFE, pos, grx_terminator_SIZE, NULL, 0);
        ll_raise(doc, &fault);
    }
    uint32_t end = pos + grx_terminator_SIZE;
    if (end < doc->size) {
        bool is_entry = is_entry_at(doc, end);
        ll_fault fault =
            LL_MAKE_FAULT(is_entry ? GRX_FAULT_ENTRY_BEHIND : GRX_FAULT_TRAILING_DATA, GRX_HINT_NONE,
                          ll_claim_behind(doc, end, is_entry), ll_nowhere(), ll_uint(doc->size - end), ll_uint(end));
        if (is_entry) { /* the list goes on */
            ll_patch_bytes(doc, &fault, LL_PATCH_UNSAFE, pos, grx_terminator_SIZE, NULL, 0);
        } else {
            ll_patch_bytes(doc, &fault, LL_PATCH_UNSAFE, end, doc->size - end, NULL, 0);
        }
        ll_raise(doc, &fault);
    }
}

/* The list ends without a null tag: nothing is left, or the last 8 bytes are a terminator with a damaged tag. */
static void miss_terminator(ll_doc *doc, uint32_t pos, uint32_t index)
{
    ll_fault fault = LL_MAKE_FAULT(GRX_FAULT_TERMINATOR_MISSING, GRX_HINT_NONE, ll_at_bytes(LL_NO_SPAN, pos, 0),
                                   ll_nowhere(), ll_uint(pos), ll_word("the end of the file"));
    if (index > 1) { /* else more than the terminator is lost */
        ll_patch_bytes(doc, &fault, LL_PATCH_SAFE, pos, 0, terminator_bytes, sizeof terminator_bytes);
    }
    if (pos < doc->size) {
        claim_unknown(doc, pos, doc->size, index);
        fault.at = ll_at_field(doc, doc->span_count - 1, 0, grx_unknown_entry_tag);
        fault.hint = GRX_HINT_DAMAGED_TERMINATOR;
        fault.arg[1] = ll_chars(pos, 4);
        ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, 0);
    }
    ll_raise(doc, &fault);
}

static bool is_damaged_terminator(const ll_doc *doc, uint32_t pos)
{
    uint32_t tag = grx_word_at(doc, pos);
    return tag && doc->size - pos == grx_terminator_SIZE && grx_word_at(doc, pos + 4) == grx_terminator_SIZE &&
           !grx_kind_of(tag);
}

static void walk_entries(grx_walk *w, uint32_t first)
{
    ll_doc *doc = w->doc;
    uint32_t pos = first;
    uint32_t last = doc->size - grx_terminator_SIZE;
    bool ends = memcmp(doc->bytes + last, terminator_bytes, sizeof terminator_bytes) == 0;
    while (ends && last > first && doc->bytes[last - 1] == 0) {
        last--;
    }
    w->filled = ends ? last : 0;
    for (uint32_t index = 0; doc->status == LL_OK; index++) {
        uint32_t left = doc->size - pos;
        if (left == 0 && doc->fatal) {
            return;
        }
        if (left && left < ENTRY_HEADER) {
            uint32_t rest = ll_claim_unparsed(doc, LL_NO_SPAN, pos, doc->size);
            LL_RAISE(doc, GRX_FAULT_ENTRY_HEADER_TRUNCATED, GRX_HINT_CUT_FILE, ll_at_bytes(rest, pos, left),
                     ll_uint(left), ll_uint(ENTRY_HEADER));
            doc->fatal = true;
            return;
        }
        if (left == 0 || is_damaged_terminator(doc, pos)) {
            miss_terminator(doc, pos, index);
            return;
        }
        if (grx_word_at(doc, pos) == 0 && ends_list(w, pos) && !guess_kind(w, pos)) {
            parse_terminator(doc, pos, index);
            return;
        }
        pos = parse_entry(w, pos, index);
    }
}

/* ------------------------------------------------------------------ the header */

/* First entry's offset, or 0 when the walk cannot start. */
static uint32_t start_of_entries(const grx_walk *w, uint32_t header)
{
    ll_doc *doc = w->doc;
    uint32_t first = grx_word_at(doc, grx_header_at_first_entry_offset);
    bool cm00_behind_header = grx_word_at(doc, grx_header_SIZE) == TAG_CM00;
    bool leads = first >= grx_header_SIZE && first % 4 == 0 && first < doc->size;
    if (!leads || (first > grx_header_SIZE && cm00_behind_header && !follows_entry(w, first, NULL))) {
        ll_fault fault = LL_MAKE_FAULT(GRX_FAULT_FIRST_OFFSET, GRX_HINT_NONE,
                                       ll_at_field(doc, header, 0, grx_header_first_entry_offset), ll_nowhere(),
                                       ll_uint(first), ll_uint(doc->size));
        bool shifted = grx_word_at(doc, grx_header_at_version) != 1; /* bytes were put into the header or taken out */
        if (cm00_behind_header) {
            ll_patch_field(doc, &fault, shifted ? LL_PATCH_UNSAFE : LL_PATCH_SAFE, grx_header_SIZE);
        }
        ll_raise(doc, &fault);
        if (shifted) {
            ll_mark_span(doc, header, LL_SPAN_BROKEN);
        }
        return cm00_behind_header ? (uint32_t)grx_header_SIZE : 0;
    }
    if (first > grx_header_SIZE) {
        LL_RAISE_SURPLUS(doc, GRX_FAULT_HEADER_GAP, GRX_HINT_NONE,
                         ll_claim_gap(doc, LL_NO_SPAN, grx_header_SIZE, first), ll_uint(first - grx_header_SIZE));
    }
    return first;
}

static bool is_big_endian(const ll_doc *doc)
{
    return ll_be32(doc->bytes + grx_header_at_first_entry_offset) == grx_header_SIZE ||
           ll_be32(doc->bytes + grx_header_at_version) == 1;
}

/* Claims the header and says whether the walk can start, and where. Order: size, byte order, magic, first offset. */
static uint32_t parse_header(const grx_walk *w)
{
    ll_doc *doc = w->doc;
    if (doc->size < LEAST_FILE) {
        LL_RAISE(doc, GRX_FAULT_TOO_SHORT, GRX_HINT_NONE, ll_at_bytes(LL_NO_SPAN, 0, doc->size), ll_uint(doc->size),
                 ll_uint(LEAST_FILE));
        return 0;
    }
    uint32_t header = ll_claim_fixed(doc, LL_NO_SPAN, grx_header_LAYOUT, 0);
    uint32_t first = grx_word_at(doc, grx_header_at_first_entry_offset);
    uint32_t version = grx_word_at(doc, grx_header_at_version);
    if (is_big_endian(doc)) {
        bool offset_swapped = first == UINT32_C(0x10000000);
        LL_RAISE(doc, GRX_FAULT_BYTE_ORDER, GRX_HINT_NONE,
                 ll_at_field(doc, header, 0, offset_swapped ? grx_header_first_entry_offset : grx_header_version),
                 ll_uint(first), ll_uint(version));
        if (offset_swapped) { /* else the file may be damaged */
            ll_mark_unsupported(doc);
        }
        ll_mark_span(doc, header, LL_SPAN_BROKEN);
        return 0;
    }
    uint32_t magic = grx_word_at(doc, grx_header_at_magic);
    if (magic != MAGIC_LIGHTS && magic != MAGIC_OCCLUDERS) {
        bool array = first == grx_header_SIZE || grx_word_at(doc, grx_header_SIZE) == TAG_CM00;
        ll_fault fault = LL_MAKE_FAULT(GRX_FAULT_MAGIC, array ? GRX_HINT_NONE : GRX_HINT_LITTLE_MAGIC,
                                       ll_at_field(doc, header, 0, grx_header_magic), ll_nowhere(), ll_chars(0, 4));
        uint64_t second = grx_header_SIZE + (uint64_t)grx_word_at(doc, grx_header_SIZE + 4);
        if (array && ll_fits(second, ENTRY_HEADER, doc->size)) { /* the class is that of the first entry */
            const grx_kind *kind = grx_kind_of(grx_word_at(doc, (uint32_t)second));
            bool occluders = kind && kind->number == GRX_OC00;
            ll_patch_field(doc, &fault, LL_PATCH_UNSAFE, occluders ? MAGIC_OCCLUDERS : MAGIC_LIGHTS);
        }
        ll_raise(doc, &fault);
        if (!array) {
            ll_mark_span(doc, header, LL_SPAN_BROKEN);
            return 0;
        }
    }
    return start_of_entries(w, header);
}

void grx_parse(ll_doc *doc)
{
    grx_walk w = {.doc = doc, .dataset = LL_NO_SPAN};
    uint32_t first = parse_header(&w);
    if (first) {
        walk_entries(&w, first);
        return;
    }
    doc->fatal = true;
    ll_claim_unparsed(doc, LL_NO_SPAN, doc->firsts[grx_header_LAYOUT] ? grx_header_SIZE : 0, doc->size);
}
