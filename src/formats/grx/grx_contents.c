/* What is inside one entry of a Fox Engine array: name, tails, vertex and face arrays, and bytes that nothing refers
 * to. Decides which field is the wrong one where they contradict each other: where an offset and the contents disagree,
 * the contents are parsed at their canonical place if they fill the entry exactly from there. Stays inside [pos, end)
 * of the entry, which the caller has decided. */
#include "formats/grx/grx_entry.h"

#include "base/endian.h"
#include "base/half.h"
#include "base/text.h"
#include "formats/strcode.h"

#include <string.h>

enum {
    ENTRY_HEADER = grx_unknown_entry_SIZE,
    NAME_GROWN = 32,    /* bytes by which a renamed light's tails are off, at the most; the longest name seen has 44 */
    TERMINATOR_MAX = 4, /* NUL and padding */
    SHIFTED_ENTRIES = 1024, /* entries that are searched for a shift: bounds the work on a file of faults */
    NAME_LEAST = 4,         /* shortest run of letters that is taken for a name */
    NAME_COPIED = 255,      /* longest name compared with its hash where no NUL follows it */
    ONE = 0x3F800000,       /* 1.0, the W of a vertex */
    DAMAGED_MAX = 2,        /* damaged vertices and faces that are told apart */
    PIECES = 3              /* string and two tails, or two arrays */
};

/* Their name blocks are read as that of a dataset. */
#define SAME_NAME(kind)                                                                                                \
    LL_SAME_FIELD(grx, kind, dataset, name_hash);                                                                      \
    LL_SAME_FIELD(grx, kind, dataset, name_offset);                                                                    \
    LL_SAME_FIELD(grx, kind, dataset, name_reserved)
SAME_NAME(point_light);
SAME_NAME(spot_light);
SAME_NAME(probe);
#undef SAME_NAME

/* ------------------------------------------------------------------ pieces behind the fixed part */

typedef struct piece {
    uint32_t offset, length;
    uint16_t layout;
    uint32_t count;
    uint16_t flag; /* ll_span_flag, or 0 */
} piece;

typedef struct pieces {
    piece at[PIECES];
    unsigned count;
} pieces;

static bool is_string(const piece *p)
{
    return p->layout == grx_name_LAYOUT || p->layout == grx_dataset_path_LAYOUT;
}

static void add_piece(pieces *all, piece p)
{
    unsigned i = all->count++;
    for (; i > 0 && all->at[i - 1].offset > p.offset; i--) {
        all->at[i] = all->at[i - 1];
    }
    all->at[i] = p;
}

static bool is_free(const pieces *all, uint32_t offset, uint32_t length)
{
    for (unsigned i = 0; i < all->count; i++) {
        const piece *p = &all->at[i];
        if (offset < p->offset + p->length && p->offset < offset + length) {
            return false;
        }
    }
    return true;
}

static unsigned hint_of_length(const grx_entry *e)
{
    return grx_is_named(e->kind) ? GRX_HINT_LENGTH_CHANGED : GRX_HINT_NONE;
}

/* ------------------------------------------------------------------ names and tails */

/* The stored hash is that of the bytes [start, end), which no NUL need follow. */
static bool has_stored_hash(const grx_entry *e, uint32_t start, uint32_t end)
{
    uint8_t name[NAME_COPIED + 1];
    uint32_t n = end - start;
    if (n == 0 || n > NAME_COPIED) {
        return false;
    }
    memcpy(name, e->doc->bytes + start, n);
    name[n] = 0;
    return ll_strcode64(name, n) == ll_le64(e->doc->bytes + e->pos + grx_dataset_at_name_hash);
}

bool grx_matches_hash(const grx_entry *e, uint32_t start, uint32_t limit)
{
    const uint8_t *name = e->doc->bytes + start;
    const uint8_t *nul = start < limit ? memchr(name, 0, limit - start) : NULL;
    return nul && has_stored_hash(e, start, start + (uint32_t)(nul - name));
}

/* Another fault says that the contents have not the length that they should have. */
static bool is_explained(const grx_entry *e)
{
    return e->size_faulted || e->length_faulted;
}

/* What nobody refers to; in front of the name the offset of the name is what is reported. */
static void claim_hole(const grx_entry *e, uint32_t from, uint32_t to, bool before_name)
{
    ll_where at = ll_claim_gap(e->doc, e->span, from, to);
    bool unnamed = grx_is_named(e->kind) && !grx_word_at(e->doc, e->pos + grx_dataset_at_name_offset);
    if (is_explained(e) || before_name) {
        return;
    }
    if (unnamed) { /* it may be its name */
        LL_RAISE(e->doc, GRX_FAULT_UNREFERENCED, hint_of_length(e), at, ll_uint(to - from));
    } else {
        LL_RAISE_SURPLUS(e->doc, GRX_FAULT_UNREFERENCED, hint_of_length(e), at, ll_uint(to - from));
    }
}

/* A box with edges and a rotation may stand at an offset. */
static bool looks_like_transform(const grx_entry *e, uint32_t offset)
{
    bool like = ll_fits(offset, GRX_TRANSFORM, e->end);
    for (unsigned i = 0; like && i < 3; i++) {
        like = ll_single_to_double(grx_word_at(e->doc, offset + 4 * i)) > 0;
    }
    double norm = like ? ll_sum_of_squares(e->doc->bytes + offset + grx_light_area_at_rotation, 4, false) : 0;
    return norm > 0.98 && norm < 1.02;
}

/* How many vertices or faces do not look like such; counts to DAMAGED_MAX. vertices: how many faces may use. */
static unsigned count_damaged(const grx_entry *e, const piece *p, uint64_t vertices)
{
    uint32_t unit = e->doc->layouts[p->layout].size;
    unsigned damaged = 0;
    for (uint32_t i = 0; i < p->count && damaged < DAMAGED_MAX; i++) {
        const uint8_t *at = e->doc->bytes + p->offset + (size_t)i * unit;
        unsigned count = ll_le16(at + grx_face_at_vertex_count);
        bool face = count >= 3 && count <= 7 && ll_le16(at + grx_face_at_first_vertex) + (uint64_t)count <= vertices &&
                    ll_le16(at) <= 3 && ll_le16(at + grx_face_at_mode) <= 1;
        damaged += p->layout == grx_face_LAYOUT ? !face : ll_le32(at + grx_vertex_at_w) != ONE;
    }
    return damaged;
}

/* What stands in the place of a piece does not look like one. */
static bool is_damaged(const grx_entry *e, const piece *p)
{
    if (is_string(p)) {
        return !grx_matches_hash(e, p->offset, e->end);
    }
    return p->flag & LL_SPAN_ARRAY ? count_damaged(e, p, UINT64_MAX) > 0 : !looks_like_transform(e, p->offset);
}

/* Claims the pieces behind `pos` in file order, and what nobody refers to between them. What does not look like
 * what it should be is not judged where bytes were put in or taken out. */
static void claim_pieces(const grx_entry *e, const pieces *all, uint32_t pos)
{
    uint32_t left = e->end - pos;
    for (unsigned i = 0; i < all->count; i++) {
        left -= all->at[i].length;
    }
    for (unsigned i = 0; i < all->count; i++) {
        const piece *p = &all->at[i];
        if (p->offset > pos) {
            claim_hole(e, pos, p->offset, is_string(p));
        }
        uint32_t span = ll_claim(e->doc, e->span, p->layout, p->offset, p->length, p->count, LL_NO_INDEX);
        bool damaged = (left || is_explained(e)) && !(e->overwritten && is_string(p)) && is_damaged(e, p);
        if (p->flag || damaged) {
            unsigned flags = !damaged ? 0U
                             : left   ? LL_SPAN_BROKEN | LL_SPAN_TOLD
                                      : LL_SPAN_BROKEN; /* by what is left */
            ll_mark_span(e->doc, span, p->flag | flags);
        }
        pos = p->offset + p->length;
    }
    if (pos < e->end) {
        ll_where rest = ll_claim_gap(e->doc, e->span, pos, e->end);
        if (!is_explained(e)) {
            LL_RAISE_RELATED(e->doc, GRX_FAULT_ENTRY_SIZE_SURPLUS, hint_of_length(e),
                             ll_at_field(e->doc, e->span, 0, grx_unknown_entry_entry_size), rest, ll_uint(e->stated),
                             ll_uint(pos - e->pos));
        }
    }
}

static uint64_t target_of(const grx_entry *e, unsigned slot)
{
    uint32_t field = e->pos + e->kind->tails[slot].at;
    return (uint64_t)field + grx_word_at(e->doc, field);
}

static bool is_tail_stated(const grx_entry *e, unsigned slot)
{
    return grx_word_at(e->doc, e->pos + e->kind->tails[slot].at) != 0;
}

/* A tail, numbered from `slot` on, leads to some of the bytes [start, end). */
static bool meets_tail(const grx_entry *e, unsigned slot, uint64_t start, uint64_t end)
{
    bool meets = false;
    for (; slot < e->kind->tail_count; slot++) {
        uint64_t tail = target_of(e, slot);
        meets = meets || (is_tail_stated(e, slot) && start < tail + GRX_TRANSFORM && tail < end);
    }
    return meets;
}

/* Where the name starts, 0 when there is none. Reports an offset that leads nowhere. */
static uint32_t name_start(const grx_entry *e)
{
    uint32_t canonical = e->pos + e->kind->fixed;
    uint32_t field = e->pos + grx_dataset_at_name_offset;
    uint32_t offset = grx_word_at(e->doc, field);
    uint64_t target = (uint64_t)field + offset;
    if (offset && target == canonical && target < e->end) {
        return canonical;
    }
    bool dataset = e->kind->layout == grx_dataset_LAYOUT;
    bool in_range = offset && target >= canonical && target < e->end && !meets_tail(e, 0, target, target + 1);
    bool name_in_place = grx_matches_hash(e, canonical, e->end); /* the offset is wrong, not the name */
    if (!in_range && (offset || dataset || name_in_place)) {
        ll_fault fault =
            LL_MAKE_FAULT(dataset ? GRX_FAULT_CM00_STRING_OFFSET : GRX_FAULT_NAME_OFFSET_RANGE, GRX_HINT_NONE,
                          ll_at_field(e->doc, e->span, 0, grx_dataset_name_offset), ll_nowhere(), ll_uint(offset),
                          ll_uint(target), ll_uint(canonical), ll_uint(e->end));
        if (name_in_place) {
            ll_patch_field(e->doc, &fault, LL_PATCH_SAFE, canonical - field);
        }
        ll_raise(e->doc, &fault);
        bool text = canonical < e->end && e->doc->bytes[canonical] >= 0x20 && e->doc->bytes[canonical] < 0x7F;
        return name_in_place || text ? canonical : 0;
    }
    if (name_in_place) {
        return canonical;
    }
    return in_range ? (uint32_t)target : 0;
}

/* Where a name at start must end: at the nearest tail that an offset leads to, or at the entry's end. */
static uint32_t name_limit(const grx_entry *e, uint32_t start)
{
    uint32_t limit = e->end;
    for (unsigned i = 0; i < e->kind->tail_count; i++) {
        uint32_t field = e->pos + e->kind->tails[i].at;
        uint32_t offset = grx_word_at(e->doc, field);
        uint64_t target = (uint64_t)field + offset;
        bool sound = offset && target > start && ll_fits(target, GRX_TRANSFORM, e->end) && (target - e->pos) % 4 == 0;
        if (sound && target < limit) {
            limit = (uint32_t)target;
        }
    }
    return limit;
}

static unsigned stated_tails(const grx_entry *e)
{
    unsigned stated = 0;
    for (unsigned i = 0; i < e->kind->tail_count; i++) {
        stated += is_tail_stated(e, i);
    }
    return stated;
}

static uint64_t padded_end(const grx_entry *e, uint32_t start, uint32_t length)
{
    return e->pos + ll_align_up((uint64_t)start - e->pos + length + 1, 4);
}

/* A name and the tails that offsets lead to leave no byte of the entry over. */
static bool fills_entry(const grx_entry *e, uint32_t start, uint32_t length)
{
    return padded_end(e, start, length) + (uint64_t)stated_tails(e) * GRX_TRANSFORM == e->end;
}

/* Length of the name at start up to its NUL, or up to the next one if that fills the entry exactly and the name has not
 * its hash up to the first: then the first NUL stands in the place of a letter. */
static uint32_t length_to_nul(const grx_entry *e, uint32_t start, uint32_t first)
{
    uint32_t behind = start + first + 1;
    const uint8_t *next = behind < e->end ? memchr(e->doc->bytes + behind, 0, e->end - behind) : NULL;
    uint32_t second = next ? (uint32_t)(next - e->doc->bytes) - start : first;
    bool hit = second > first + 1 && fills_entry(e, start, second) && !has_stored_hash(e, start, start + first);
    return hit ? second : first;
}

/* Length of the name at start; *broken when it has no NUL where it should, and *limit is then where it ends. The NUL
 * may lie behind the place to which a tail's offset leads; then either that offset is wrong, or the NUL is, or the name
 * was written over the tail. */
static uint32_t measure_name(grx_entry *e, uint32_t start, uint32_t *limit, bool *broken)
{
    const uint8_t *name = e->doc->bytes + start;
    const uint8_t *nul = memchr(name, 0, e->end - start);
    uint32_t length = nul ? length_to_nul(e, start, (uint32_t)(nul - name)) : e->end - start;
    if (length < *limit - start) {
        return length;
    }
    bool fills = nul && fills_entry(e, start, length);
    uint32_t from = nul ? *limit : start; /* what to point at: from where the NUL is missing */
    for (uint32_t taken = 1; !fills && taken <= TERMINATOR_MAX && taken < *limit - start; taken++) {
        if (has_stored_hash(e, start, *limit - taken)) {
            from = *limit - taken;
        }
    }
    if (!nul || from < *limit) {
        if (!is_explained(e)) {
            static const uint8_t nuls[TERMINATOR_MAX] = {0};
            uint32_t least = nul || *limit - from > TERMINATOR_MAX ? *limit - 1 : from;
            for (uint32_t taken = 1; !nul && taken <= TERMINATOR_MAX && taken < *limit - start; taken++) {
                least = has_stored_hash(e, start, *limit - taken) ? *limit - taken : least;
            }
            ll_fault fault = LL_MAKE_FAULT(GRX_FAULT_NAME_UNTERMINATED, nul ? GRX_HINT_NONE : GRX_HINT_LENGTH_CHANGED,
                                           ll_at_bytes(e->span, from, *limit - from), ll_nowhere(),
                                           ll_uint(*limit - start), ll_uint(*limit));
            ll_patch_bytes(e->doc, &fault, LL_PATCH_UNSAFE, least, *limit - least, nuls, *limit - least);
            fault.patch.guessed = true;
            ll_raise(e->doc, &fault);
        }
        *broken = true;
        return *limit - start;
    }
    e->overwritten = !fills && !has_stored_hash(e, start, start + length);
    e->length_faulted = e->length_faulted || e->overwritten;
    *limit = e->end;
    return length;
}

/* Claims the name as a piece; returns where it ends with its padding. */
static uint32_t parse_name(grx_entry *e, pieces *all)
{
    uint32_t start = name_start(e);
    if (!start) {
        return e->pos + e->kind->fixed;
    }
    uint16_t layout = e->kind->layout == grx_dataset_LAYOUT ? grx_dataset_path_LAYOUT : grx_name_LAYOUT;
    uint32_t limit = name_limit(e, start);
    bool broken = false;
    uint32_t length = measure_name(e, start, &limit, &broken);
    uint64_t padded = padded_end(e, start, length);
    uint32_t end = broken || padded > limit ? limit : (uint32_t)padded;
    add_piece(all, (piece){start, end - start, layout, length, broken ? LL_SPAN_BROKEN : 0});
    return end;
}

/* A value that a float field would hold: probes once had an "exposure" documented where the inner-area offset is. */
static bool looks_like_float(uint32_t bits)
{
    double value = ll_single_to_double(bits);
    return ll_single_is_finite(bits) && (value > 1e-4 || value < -1e-4) && value < 1e5 && value > -1e5;
}

/* One tail of an entry, resolved against the place where a canonical file has it. */
typedef struct tail {
    grx_tail_slot slot;
    uint32_t offset;   /* value of the field */
    uint64_t target;   /* where it leads */
    uint32_t expected; /* canonical place */
    bool in_range;     /* it leads behind the record and ends in the entry */
    bool usable;       /* and lies on nothing else */
    bool exact;        /* name and tails, one behind the other, fill the entry */
} tail;

static void raise_tail(const grx_entry *e, const tail *t, unsigned code, unsigned hint)
{
    uint32_t field = e->pos + t->slot.at;
    bool ranged = code == GRX_FAULT_TAIL_RANGE;
    ll_fault fault = LL_MAKE_FAULT(
        code, hint, ll_at_field(e->doc, e->span, 0, t->slot.field), ll_nowhere(), ll_uint(t->offset),
        ll_uint(t->target), ll_uint(ranged ? (uint64_t)e->pos + e->kind->fixed : t->expected - field), ll_uint(e->end));
    bool sound = t->exact && (!grx_word_at(e->doc, e->pos + grx_dataset_at_name_offset) ||
                              grx_matches_hash(e, e->pos + e->kind->fixed, e->end));
    if (sound && ll_fits(t->expected, GRX_TRANSFORM, e->end)) {
        ll_patch_field(e->doc, &fault, LL_PATCH_UNSAFE, t->expected - field);
    }
    ll_raise(e->doc, &fault);
}

/* A tail lies as far from its place as a name that grew or shrank by a few letters puts it. */
static bool is_moved(const tail *t)
{
    uint64_t distance = t->target > t->expected ? t->target - t->expected : t->expected - t->target;
    return distance % 4 == 0 && distance <= NAME_GROWN;
}

/* A tail shares no more with the name than its padding. */
static bool begins_in_padding(const pieces *all, const tail *t)
{
    const piece *name = all->at;
    return all->count == 1 && is_string(name) && t->target > (uint64_t)name->offset + name->count &&
           t->target < t->expected;
}

/* A tail leads out of the entry. */
static bool leaves_entry(const grx_entry *e)
{
    bool leaves = false;
    for (unsigned slot = 0; slot < e->kind->tail_count; slot++) {
        leaves = leaves || (is_tail_stated(e, slot) && !ll_fits(target_of(e, slot), GRX_TRANSFORM, e->end));
    }
    return leaves;
}

/* What is wrong with a tail that does not lie at its expected place. Of several that moved the first is reported, or
 * rather the first that leads out of the entry, and none where the size was. */
static void judge_tail(grx_entry *e, const tail *t, const pieces *all, bool after_area)
{
    bool moved = is_moved(t);
    unsigned hint = moved ? GRX_HINT_LENGTH_CHANGED : GRX_HINT_NONE;
    bool shifted = t->slot.layout == grx_irradiation_point_LAYOUT && !after_area &&
                   t->target == (uint64_t)t->expected + GRX_TRANSFORM && ll_fits(t->expected, GRX_TRANSFORM, e->end);
    if (moved && (is_explained(e) || (t->in_range && leaves_entry(e)))) {
        return;
    }
    if (shifted) {
        raise_tail(e, t, GRX_FAULT_IR_WITHOUT_LA_SHIFT, GRX_HINT_TAIL_SHIFTED);
    } else if (!t->in_range) {
        bool exposure = t->slot.layout == grx_inner_area_LAYOUT && looks_like_float(t->offset);
        raise_tail(e, t, GRX_FAULT_TAIL_RANGE, exposure ? GRX_HINT_EXPOSURE_AS_FLOAT : hint);
    } else if (!t->usable && !begins_in_padding(all, t)) {
        raise_tail(e, t, GRX_FAULT_TAIL_OVERLAP, hint);
    } else if ((t->target - e->pos) % 4) {
        raise_tail(e, t, GRX_FAULT_TAIL_ALIGN, GRX_HINT_NONE);
    } else {
        raise_tail(e, t, GRX_FAULT_TAIL_CANONICAL, hint);
    }
    e->length_faulted = e->length_faulted || moved;
}

/* Every tail lies where its offset leads. */
static bool are_tails_there(const grx_entry *e)
{
    bool there = true;
    for (unsigned i = 0; i < e->kind->tail_count; i++) {
        uint64_t target = target_of(e, i);
        there = there && (!is_tail_stated(e, i) ||
                          (target >= e->pos + (uint64_t)e->kind->fixed && ll_fits(target, GRX_TRANSFORM, e->end) &&
                           looks_like_transform(e, (uint32_t)target)));
    }
    return there;
}

static void raise_shift(grx_entry *e, ll_where at, int64_t shift)
{
    if (!is_explained(e)) {
        ll_fault fault =
            LL_MAKE_FAULT(GRX_FAULT_ENTRY_SHIFTED, GRX_HINT_NONE, at, ll_nowhere(),
                          ll_uint((uint64_t)(shift < 0 ? -shift : shift)), ll_word(shift < 0 ? "taken out" : "put in"));
        ll_patch_moved(e->doc, &fault, at, shift);
        grx_raise_once(e, &fault, shift);
    }
    e->length_faulted = true;
}

/* The last `count` tails of an entry, which end with it, if transforms stand there. */
static void parse_last_tails(const grx_entry *e, uint32_t from, unsigned count, pieces *all)
{
    uint64_t length = (uint64_t)count * GRX_TRANSFORM;
    uint32_t first = length <= e->end - from ? e->end - (uint32_t)length : e->end;
    for (unsigned i = 0; i < count && looks_like_transform(e, first + i * GRX_TRANSFORM); i++) {
        add_piece(all, (piece){first + i * GRX_TRANSFORM, GRX_TRANSFORM, e->kind->tails[i].layout, 1, 0});
    }
}

/* Behind a sound name are more or fewer bytes than its tails take, not by a whole tail, and they are not where offsets
 * lead: bytes were put in among them, or taken out. */
static bool parse_moved_tails(grx_entry *e, uint32_t name_end, pieces *all)
{
    unsigned stated = stated_tails(e);
    int64_t more = (int64_t)e->end - name_end - (int64_t)stated * GRX_TRANSFORM;
    if (stated == 0 || more % GRX_TRANSFORM == 0 || more > SHIFT_MAX || more < -SHIFT_MAX || all->count == 0 ||
        !grx_matches_hash(e, all->at[0].offset, e->end) || are_tails_there(e)) {
        return false;
    }
    raise_shift(e, ll_at_bytes(e->span, name_end, e->end - name_end), more);
    parse_last_tails(e, name_end, stated, all);
    return true;
}

static void parse_tails(grx_entry *e, uint32_t name_end, pieces *all)
{
    uint32_t expected = name_end;
    uint64_t contents_end = name_end + (uint64_t)stated_tails(e) * GRX_TRANSFORM;
    bool exact = contents_end == e->end;
    bool after_area = false;
    if (!exact && parse_moved_tails(e, name_end, all)) {
        return;
    }
    for (unsigned i = 0; i < e->kind->tail_count; i++) {
        grx_tail_slot slot = e->kind->tails[i];
        uint32_t offset = grx_word_at(e->doc, e->pos + slot.at);
        if (!offset && exact) {
            continue;
        }
        tail t = {slot, offset, target_of(e, i), expected, false, false, exact};
        t.in_range = t.target >= e->pos + (uint64_t)e->kind->fixed && ll_fits(t.target, GRX_TRANSFORM, e->end);
        t.usable = t.in_range && is_free(all, (uint32_t)t.target, GRX_TRANSFORM) &&
                   (t.target == expected || !meets_tail(e, i + 1, t.target, t.target + GRX_TRANSFORM));
        bool orphan = !offset && contents_end + GRX_TRANSFORM == e->end && looks_like_transform(e, expected);
        if (!offset && !orphan) {
            continue;
        }
        bool expected_fits = ll_fits(expected, GRX_TRANSFORM, e->end);
        /* bytes in front of the tails, which end with the entry: those are what is reported */
        bool hole = t.usable && t.target > expected && t.target - expected == e->end - contents_end;
        if (orphan) { /* exactly its bytes are left over */
            t.exact = true;
            raise_tail(e, &t, GRX_FAULT_TAIL_CANONICAL, GRX_HINT_NONE);
            contents_end = e->end;
            exact = true;
        } else if ((t.target != expected || !expected_fits) && !hole) {
            judge_tail(e, &t, all, after_area);
        }
        uint32_t place = t.usable && !exact ? (uint32_t)t.target : expected;
        if ((expected_fits && is_free(all, expected, GRX_TRANSFORM)) || (t.usable && place != expected)) {
            add_piece(all, (piece){place, GRX_TRANSFORM, slot.layout, 1, 0});
        }
        after_area = after_area || offset != 0;
        expected += GRX_TRANSFORM;
    }
}

/* ------------------------------------------------------------------ bytes put in or taken out */

/* The name block stands `shift` bytes from its place, and a name where its offset leads. */
static bool is_block_shifted(const grx_entry *e, int32_t shift)
{
    uint32_t at = (uint32_t)((int64_t)e->pos + grx_dataset_at_name_offset + shift);
    return shift >= -(int32_t)sizeof(uint64_t) && ll_fits(at, 8, e->end) && grx_word_at(e->doc, at + 4) == 0 &&
           grx_word_at(e->doc, at) == e->kind->fixed - (uint32_t)grx_dataset_at_name_offset;
}

/* The name block is damaged, but a name begins `shift` bytes from its place, behind which tails fill the entry. */
static bool is_name_shifted(const grx_entry *e, uint32_t start)
{
    const uint8_t *text = e->doc->bytes + start;
    uint32_t length = 0;
    while (length < e->end - start && text[length] > ' ' && text[length] <= '~') {
        length++;
    }
    uint64_t name_end = start + ll_align_up((uint64_t)length + 1, 4);
    bool begins = text[-1] <= ' ' || (length > 8 && memcmp(text, "/Assets/", 8) == 0);
    bool ends = begins && length >= NAME_LEAST && name_end <= e->end && text[length] == 0;
    return ends && !is_block_shifted(e, 0) && (e->end - name_end) % GRX_TRANSFORM == 0 &&
           (e->end - name_end) / GRX_TRANSFORM <= e->kind->tail_count;
}

static bool is_shifted_by(const grx_entry *e, int32_t shift)
{
    int64_t start = (int64_t)e->pos + e->kind->fixed + shift;
    return start > (int64_t)e->pos + grx_dataset_at_name_offset && start < e->end && e->doc->bytes[start] > ' ' &&
           (grx_matches_hash(e, (uint32_t)start, e->end) || is_block_shifted(e, shift) ||
            is_name_shifted(e, (uint32_t)start));
}

/* Each tail lies where its offset leads, one behind the other from `at` to the end of the entry. */
static bool are_tails_in_order(const grx_entry *e, uint64_t at)
{
    bool in_order = true;
    for (unsigned i = 0; i < e->kind->tail_count; i++) {
        bool stated = is_tail_stated(e, i);
        in_order = in_order && (!stated || target_of(e, i) == at);
        at += stated ? GRX_TRANSFORM : 0;
    }
    return in_order && at == e->end;
}

/* Claims the name and the tails of such an entry. */
static void claim_in_order(const grx_entry *e)
{
    bool dataset = e->kind->layout == grx_dataset_LAYOUT;
    uint32_t start = e->pos + e->kind->fixed;
    uint32_t pos = (uint32_t)padded_end(e, start, e->name_length);
    ll_claim_string(e->doc, e->span, dataset ? grx_dataset_path_LAYOUT : grx_name_LAYOUT, start, pos, e->name_length,
                    LL_NO_INDEX);
    for (unsigned i = 0; i < e->kind->tail_count; i++) {
        if (is_tail_stated(e, i)) {
            ll_claim_fixed(e->doc, e->span, e->kind->tails[i].layout, pos);
            pos += GRX_TRANSFORM;
        }
    }
}

int32_t grx_measure_shift(grx_entry *e)
{
    if (!grx_is_named(e->kind) || e->doc->size - e->pos < e->kind->fixed) {
        return 0; /* where the fixed part ends behind the file, its words cannot be read */
    }
    uint32_t start = e->pos + e->kind->fixed;
    uint32_t field = e->pos + grx_dataset_at_name_offset;
    uint32_t offset = grx_word_at(e->doc, field);
    const uint8_t *nul = start < e->end ? memchr(e->doc->bytes + start, 0, e->end - start) : NULL;
    uint32_t length = nul ? (uint32_t)(nul - e->doc->bytes) - start : 0;
    bool plain = length >= NAME_LEAST && offset == start - field && grx_ends_fixed(e->doc, e->kind, e->pos);
    bool in_order = plain && are_tails_in_order(e, padded_end(e, start, length));
    /* the NUL and the padding are the upper bytes of a word */
    if ((in_order || (plain && fills_entry(e, start, length))) &&
        grx_word_at(e->doc, start + length / 4 * 4) >> 8 * (length % 4) == 0) {
        e->name_length = in_order ? length : 0;
        return 0;
    }
    bool unnamed = offset == 0 && start + (uint64_t)stated_tails(e) * GRX_TRANSFORM == e->end;
    if (unnamed || e->index >= SHIFTED_ENTRIES || grx_matches_hash(e, start, e->end)) {
        return 0;
    }
    for (int32_t by = 1; by <= SHIFT_MAX; by++) {
        bool behind = is_shifted_by(e, by);
        if (behind || is_shifted_by(e, -by)) {
            int32_t shift = behind ? by : -by;
            return (uint64_t)field + offset == (uint64_t)((int64_t)start + shift) ? 0 : shift;
        }
    }
    return 0;
}

void grx_parse_shifted(grx_entry *e, int32_t shift)
{
    pieces all = {.count = 0};
    uint32_t start = (uint32_t)((int64_t)e->pos + e->kind->fixed + shift);
    const uint8_t *nul = memchr(e->doc->bytes + start, 0, e->end - start);
    uint32_t length = nul ? (uint32_t)(nul - e->doc->bytes) - start : e->end - start;
    uint64_t padded = start + ll_align_up((uint64_t)length + 1, 4);
    uint32_t name_end = padded < e->end ? (uint32_t)padded : e->end;
    uint16_t layout = e->kind->layout == grx_dataset_LAYOUT ? grx_dataset_path_LAYOUT : grx_name_LAYOUT;
    raise_shift(e, ll_at_bytes(e->span, e->pos + ENTRY_HEADER, start - e->pos - ENTRY_HEADER), shift);
    ll_claim_unparsed(e->doc, e->span, e->pos + ENTRY_HEADER, start);
    add_piece(&all, (piece){start, name_end - start, layout, length, nul ? 0 : LL_SPAN_BROKEN});
    unsigned tails = (e->end - name_end) / GRX_TRANSFORM;
    parse_last_tails(e, name_end, tails < e->kind->tail_count ? tails : e->kind->tail_count, &all);
    claim_pieces(e, &all, start);
}

unsigned grx_edit_of(const grx_entry *e)
{
    uint32_t start = e->pos + e->kind->fixed;
    if (e->kind->layout == grx_occluder_LAYOUT) {
        uint32_t offset = grx_word_at(e->doc, e->pos + grx_occluder_at_face_array_offset);
        uint64_t vertices = grx_word_at(e->doc, e->pos + grx_occluder_at_vertex_count);
        bool right = offset == start - (e->pos + grx_occluder_at_face_array_offset) + vertices * grx_vertex_SIZE;
        return right ? GRX_HINT_NONE : GRX_HINT_VERTICES_CHANGED;
    }
    if (!grx_is_named(e->kind) || !grx_word_at(e->doc, e->pos + grx_dataset_at_name_offset) ||
        grx_matches_hash(e, start, e->end)) {
        return GRX_HINT_NONE;
    }
    const uint8_t *name = e->doc->bytes + start;
    const uint8_t *nul = memchr(name, 0, e->end - start);
    return ll_has_high_bytes(name, nul ? (size_t)(nul - name) : 0) ? GRX_HINT_NON_ASCII : GRX_HINT_LENGTH_CHANGED;
}

/* ------------------------------------------------------------------ occluders */

/* Vertices or faces, as their offset and count state them. */
typedef struct array {
    uint64_t start, count, end;
    uint32_t at;           /* of the offset field */
    uint16_t layout, unit; /* bytes of an element */
    uint16_t offset_field; /* the count is the field behind it */
} array;

static array read_array(const grx_entry *e, uint16_t layout, uint16_t offset_field)
{
    uint32_t at = ll_at_field(e->doc, e->span, 0, offset_field).offset;
    uint64_t start = (uint64_t)at + grx_word_at(e->doc, at);
    uint64_t count = grx_word_at(e->doc, at + 4);
    uint16_t unit = e->doc->layouts[layout].size;
    return (array){start, count, start + count * unit, at, layout, unit, offset_field};
}

/* patch: no vertices or faces were put in or taken out. */
static void raise_array(grx_entry *e, const array *a, unsigned code, bool of_offset, uint64_t fitting, bool patch)
{
    unsigned field = a->offset_field + !of_offset;
    ll_element record;
    if (is_explained(e) || !ll_element_at(e->doc, e->span, 0, &record)) {
        return;
    }
    ll_fault fault = LL_MAKE_FAULT(code, GRX_HINT_VERTICES_CHANGED, ll_at_field(e->doc, e->span, 0, field),
                                   ll_nowhere(), ll_uint(ll_get_uint(&record, field)), ll_uint(fitting));
    if (code == GRX_FAULT_OCC_ARRAYS_RANGE) {
        fault.arg[1] = ll_uint(a->end);
        fault.arg[2] = ll_uint(e->end);
        fault.arg[3] = ll_uint(fitting);
    }
    if (patch) {
        ll_patch_field(e->doc, &fault, LL_PATCH_UNSAFE, fitting);
    }
    ll_raise(e->doc, &fault);
    e->length_faulted = true;
}

static bool lies_behind_record(const grx_entry *e, const array *a)
{
    return a->start >= (uint64_t)e->pos + e->kind->fixed && a->end <= e->end;
}

/* Of an array that does not lie in the entry, its offset is wrong if it leads out of it, else its count. */
static void raise_outside(grx_entry *e, const array *a)
{
    bool offset_wrong = a->start < (uint64_t)e->pos + e->kind->fixed || a->start > e->end || lies_behind_record(e, a);
    raise_array(e, a, GRX_FAULT_OCC_ARRAYS_RANGE, offset_wrong, 0, false);
}

static piece piece_of(const array *a)
{
    uint32_t length = (uint32_t)(a->count * a->unit);
    return (piece){(uint32_t)a->start, length, a->layout, (uint32_t)a->count, LL_SPAN_ARRAY};
}

static void add_array(pieces *all, const array *a)
{
    if (a->count) {
        add_piece(all, piece_of(a));
    }
}

/* Follows the offsets as they are, where no single field explains the disagreement. */
static void follow_arrays(grx_entry *e, const array *v, const array *f, pieces *all)
{
    bool vertices_fit = lies_behind_record(e, v);
    bool apart = v->end <= f->start || f->end <= v->start || !v->count || !f->count;
    bool faces_usable = lies_behind_record(e, f) && (apart || !vertices_fit);
    if (vertices_fit) {
        add_array(all, v);
    } else {
        raise_outside(e, v);
    }
    if (!faces_usable) {
        raise_outside(e, f);
        return;
    }
    add_array(all, f);
    uint64_t base = (uint64_t)e->pos + e->kind->fixed;
    if (vertices_fit && v->start != base) {
        raise_array(e, v, GRX_FAULT_OCC_OFFSETS_CANONICAL, true, base - v->at, false);
    } else if (vertices_fit && f->start != v->end) {
        raise_array(e, f, GRX_FAULT_OCC_OFFSETS_CANONICAL, true, v->end - f->at, false);
    }
}

/* What is wrong with arrays one of whose fields disagrees with the others: v and f as they should be, and as stated. */
static void raise_field(grx_entry *e, const array *v, const array *f, const array stated[2], unsigned damaged)
{
    bool of_offset = v->count == stated[0].count && f->count == stated[1].count;
    bool vertices = of_offset ? v->start != stated[0].start : v->count != stated[0].count;
    const array *right = vertices ? v : f;
    const array *wrong = &stated[!vertices];
    piece faces = piece_of(f);
    bool too_few = vertices && wrong->count < right->count && count_damaged(e, &faces, wrong->count) > damaged;
    bool outside = of_offset ? right->count != 0 : wrong->count > right->count;
    raise_array(e, wrong,
                too_few && !of_offset ? GRX_FAULT_OCC_VERTEX_COUNT
                : outside             ? GRX_FAULT_OCC_ARRAYS_RANGE
                                      : GRX_FAULT_OCC_OFFSETS_CANONICAL,
                of_offset, of_offset ? right->start - right->at : right->count, damaged == 0);
}

/* Size, face offset and the two counts state the same thing three times: where two agree, the third is the wrong one,
 * if vertices and faces stand where the others say; else bytes were put in or taken out, and the size with them: then
 * nothing can be claimed. */
static bool parse_arrays(grx_entry *e, pieces *all)
{
    array v = read_array(e, grx_vertex_LAYOUT, grx_occluder_vertex_array_offset);
    array f = read_array(e, grx_face_LAYOUT, grx_occluder_face_array_offset);
    const array stated[] = {v, f};
    uint64_t base = (uint64_t)e->pos + e->kind->fixed;
    uint64_t room = e->end - base;
    int64_t more = (int64_t)room - (int64_t)(v.count * v.unit + f.count * f.unit); /* both below 2^37 */
    bool vertices_fit = v.start == base;
    bool faces_fit = f.start == base + v.count * v.unit;
    uint64_t before_faces = f.start >= base ? f.start - base : 1; /* 1: no multiple of a vertex */
    bool offset_wrong = more == 0 && vertices_fit != faces_fit;
    bool faces_wrong = more && vertices_fit && faces_fit && before_faces < room && (room - before_faces) % f.unit == 0;
    bool vertices_wrong = vertices_fit && !faces_fit && before_faces % v.unit == 0 && before_faces <= room &&
                          room - before_faces == f.count * f.unit;
    bool right = more == 0 && vertices_fit && faces_fit;
    int64_t shift = (int64_t)room - (int64_t)before_faces - (int64_t)(f.count * f.unit); /* behind the fixed part */
    bool may_shift = vertices_fit && (faces_fit || v.count == 0) && before_faces % v.unit == 0;
    unsigned damaged = DAMAGED_MAX;
    f.count = faces_wrong ? (room - before_faces) / f.unit : f.count;
    v.count = vertices_wrong ? before_faces / v.unit : v.count;
    if (right || offset_wrong || faces_wrong || vertices_wrong) {
        v.start = base;
        f.start = base + v.count * v.unit;
        piece vertices = piece_of(&v);
        piece faces = piece_of(&f);
        damaged = right ? 0 : count_damaged(e, &vertices, 0) + DAMAGED_MAX * count_damaged(e, &faces, v.count);
    }
    uint32_t from = faces_fit ? (uint32_t)base : v.at + 4; /* else the count is not in its place */
    if (damaged >= DAMAGED_MAX && may_shift && shift && shift <= SHIFT_MAX && shift >= -SHIFT_MAX) {
        raise_shift(e, ll_at_bytes(e->span, from, e->end - from), shift);
        ll_claim_unparsed(e->doc, e->span, base, e->end);
        return false;
    }
    if (damaged >= DAMAGED_MAX && !offset_wrong) {
        follow_arrays(e, &stated[0], &stated[1], all);
        return true;
    }
    if (!right) {
        raise_field(e, &v, &f, stated, damaged);
    }
    add_array(all, &v);
    add_array(all, &f);
    return true;
}

/* ------------------------------------------------------------------ an entry */

void grx_parse_contents(grx_entry *e)
{
    pieces all = {.count = 0};
    if (e->kind->layout == grx_opaque_entry_LAYOUT) {
        e->doc->unsupported = true;
        ll_claim_bytes(e->doc, e->span, grx_opaque_body_LAYOUT, e->pos + ENTRY_HEADER, e->end);
        return;
    }
    if (e->name_length && !is_explained(e)) {
        claim_in_order(e);
    } else if (grx_is_named(e->kind)) {
        uint32_t name_end = parse_name(e, &all);
        parse_tails(e, name_end, &all);
        claim_pieces(e, &all, e->pos + e->kind->fixed);
    } else if (parse_arrays(e, &all)) {
        claim_pieces(e, &all, e->pos + e->kind->fixed);
    }
    if (!is_explained(e) && e->kind->layout != grx_dataset_LAYOUT) {
        grx_judge_floats(e);
    }
}
