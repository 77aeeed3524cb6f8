/* What is inside one entry of a Fox Engine array: name, tails, vertex and face arrays, and bytes that nothing refers
 * to. Decides which field is the wrong one where they contradict each other: where an offset and the contents disagree,
 * the contents are parsed at their canonical place if they fill the entry exactly from there. Stays inside [pos, end)
 * of the entry, which the caller has decided. */
#include "formats/grx/grx_entry.h"

#include "base/endian.h"
#include "base/half.h"

#include <string.h>

enum {
    ENTRY_HEADER = grx_unknown_entry_SIZE,
    NAME_GROWN = 32,    /* bytes by which a renamed light's tails are off, at the most; the longest name seen has 44 */
    TERMINATOR_MAX = 4, /* NUL and padding */
    NAME_COPIED = 255,  /* longest name compared with its hash where no NUL follows it */
    PIECES = 3          /* string and two tails, or two arrays */
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

static void claim_hole(const grx_entry *e, uint32_t from, uint32_t to)
{
    if (e->lost) {
        ll_claim_unparsed(e->doc, e->span, from, to);
        return;
    }
    LL_RAISE(e->doc, GRX_FAULT_UNREFERENCED, hint_of_length(e), ll_claim_gap(e->doc, e->span, from, to),
             ll_uint(to - from));
}

/* Claims the pieces in file order, and what nobody refers to between them. */
static void claim_pieces(const grx_entry *e, const pieces *all)
{
    uint32_t pos = e->pos + e->kind->fixed;
    for (unsigned i = 0; i < all->count; i++) {
        const piece *p = &all->at[i];
        if (p->offset > pos) {
            claim_hole(e, pos, p->offset);
        }
        uint32_t span = ll_claim(e->doc, e->span, p->layout, p->offset, p->length, p->count, LL_NO_INDEX);
        ll_mark_span(e->doc, span, p->flag);
        pos = p->offset + p->length;
    }
    if (pos < e->end) {
        if (!e->size_faulted && !e->lost) {
            LL_RAISE(e->doc, GRX_FAULT_ENTRY_SIZE_SURPLUS, hint_of_length(e),
                     ll_at_field(e->doc, e->span, 0, grx_unknown_entry_entry_size), ll_uint(e->stated),
                     ll_uint(pos - e->pos));
        }
        claim_hole(e, pos, e->end);
    }
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
    return grx_strcode64(name, n) == ll_le64(e->doc->bytes + e->pos + grx_dataset_at_name_hash);
}

static bool matches_hash(const grx_entry *e, uint32_t start, uint32_t limit)
{
    const uint8_t *name = e->doc->bytes + start;
    const uint8_t *nul = start < limit ? memchr(name, 0, limit - start) : NULL;
    return nul && has_stored_hash(e, start, start + (uint32_t)(nul - name));
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
    bool in_range = offset && target >= canonical && target < e->end;
    bool name_in_place = matches_hash(e, canonical, e->end); /* the offset is wrong, not the name */
    if (!in_range && (offset || dataset || name_in_place)) {
        LL_RAISE(e->doc, dataset ? GRX_FAULT_CM00_STRING_OFFSET : GRX_FAULT_NAME_OFFSET_RANGE, GRX_HINT_NONE,
                 ll_at_field(e->doc, e->span, 0, grx_dataset_name_offset), ll_uint(offset), ll_uint(target),
                 ll_uint(canonical), ll_uint(e->end));
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
        stated += grx_word_at(e->doc, e->pos + e->kind->tails[i].at) != 0;
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

/* Length of the name at start up to its NUL, or up to the next one if that fills the entry exactly and the first does
 * not: then the first NUL stands in the place of a letter. */
static uint32_t length_to_nul(const grx_entry *e, uint32_t start, uint32_t first)
{
    uint32_t behind = start + first + 1;
    const uint8_t *next = behind < e->end ? memchr(e->doc->bytes + behind, 0, e->end - behind) : NULL;
    uint32_t second = next ? (uint32_t)(next - e->doc->bytes) - start : first;
    return second > first + 1 && !fills_entry(e, start, first) && fills_entry(e, start, second) ? second : first;
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
        LL_RAISE(e->doc, GRX_FAULT_NAME_UNTERMINATED, nul ? GRX_HINT_NONE : GRX_HINT_LENGTH_CHANGED,
                 ll_at_bytes(e->span, from, *limit - from), ll_uint(*limit - start), ll_uint(*limit));
        *broken = true;
        return *limit - start;
    }
    e->lost = !fills && !has_stored_hash(e, start, start + length);
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
} tail;

static void raise_tail(const grx_entry *e, const tail *t, unsigned code, unsigned hint)
{
    uint32_t field = e->pos + t->slot.at;
    bool ranged = code == GRX_FAULT_TAIL_RANGE;
    ll_fault fault = LL_MAKE_FAULT(
        code, hint, ll_at_field(e->doc, e->span, 0, t->slot.field), ll_nowhere(), ll_uint(t->offset),
        ll_uint(t->target), ll_uint(ranged ? (uint64_t)e->pos + e->kind->fixed : t->expected - field), ll_uint(e->end));
    if (!ranged && ll_fits(t->expected, GRX_TRANSFORM, e->end)) {
        ll_patch_field(e->doc, &fault, LL_PATCH_UNSAFE, t->expected - field);
    }
    ll_raise(e->doc, &fault);
}

/* A tail as far from its place as a name that grew or shrank by a few letters puts it. */
static unsigned hint_of_distance(const tail *t)
{
    uint64_t distance = t->target > t->expected ? t->target - t->expected : t->expected - t->target;
    return distance % 4 == 0 && distance <= NAME_GROWN ? GRX_HINT_LENGTH_CHANGED : GRX_HINT_NONE;
}

/* What is wrong with a tail that does not lie at its expected place. */
static void judge_tail(const grx_entry *e, const tail *t, bool after_area)
{
    bool shifted = t->slot.layout == grx_irradiation_point_LAYOUT && !after_area &&
                   t->target == (uint64_t)t->expected + GRX_TRANSFORM && ll_fits(t->expected, GRX_TRANSFORM, e->end);
    if (shifted) {
        raise_tail(e, t, GRX_FAULT_IR_WITHOUT_LA_SHIFT, GRX_HINT_TAIL_SHIFTED);
    } else if (!t->in_range) {
        bool exposure = t->slot.layout == grx_inner_area_LAYOUT && looks_like_float(t->offset);
        raise_tail(e, t, GRX_FAULT_TAIL_RANGE, exposure ? GRX_HINT_EXPOSURE_AS_FLOAT : hint_of_distance(t));
    } else if (!t->usable) {
        raise_tail(e, t, GRX_FAULT_TAIL_OVERLAP, hint_of_distance(t));
    } else if ((t->target - e->pos) % 4) {
        raise_tail(e, t, GRX_FAULT_TAIL_ALIGN, GRX_HINT_NONE);
    } else {
        raise_tail(e, t, GRX_FAULT_TAIL_CANONICAL, hint_of_distance(t));
    }
}

/* The rotation of a transform that may stand at an offset is one. */
static bool looks_like_transform(const grx_entry *e, uint32_t offset)
{
    double norm = 0;
    if (ll_fits(offset, GRX_TRANSFORM, e->end)) {
        norm = ll_sum_of_squares(e->doc->bytes + offset + grx_light_area_at_rotation, 4, false);
    }
    return norm > 0.98 && norm < 1.02;
}

static void parse_tails(const grx_entry *e, uint32_t name_end, pieces *all)
{
    uint32_t expected = name_end;
    uint64_t contents_end = name_end + (uint64_t)stated_tails(e) * GRX_TRANSFORM;
    bool exact = contents_end == e->end;
    bool after_area = false;
    for (unsigned i = 0; i < e->kind->tail_count; i++) {
        grx_tail_slot slot = e->kind->tails[i];
        uint32_t offset = grx_word_at(e->doc, e->pos + slot.at);
        tail t = {slot, offset, (uint64_t)e->pos + slot.at + offset, expected, false, false};
        t.in_range = t.target >= e->pos + (uint64_t)e->kind->fixed && ll_fits(t.target, GRX_TRANSFORM, e->end);
        t.usable = t.in_range && is_free(all, (uint32_t)t.target, GRX_TRANSFORM);
        bool orphan = !offset && contents_end + GRX_TRANSFORM == e->end && looks_like_transform(e, expected);
        if (!offset && !orphan) {
            continue;
        }
        bool expected_fits = ll_fits(expected, GRX_TRANSFORM, e->end);
        if (orphan) { /* exactly its bytes are left over */
            raise_tail(e, &t, GRX_FAULT_TAIL_CANONICAL, GRX_HINT_NONE);
            contents_end = e->end;
            exact = true;
        } else if (t.target != expected || !expected_fits) {
            judge_tail(e, &t, after_area);
        }
        uint32_t place = t.usable && !exact ? (uint32_t)t.target : expected;
        if ((expected_fits && is_free(all, expected, GRX_TRANSFORM)) || (t.usable && place != expected)) {
            add_piece(all, (piece){place, GRX_TRANSFORM, slot.layout, 1, 0});
        }
        after_area = after_area || offset != 0;
        expected += GRX_TRANSFORM;
    }
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

static void raise_array(const grx_entry *e, const array *a, unsigned code, bool of_offset, uint64_t fitting)
{
    unsigned field = a->offset_field + !of_offset;
    ll_fault fault = LL_MAKE_FAULT(code, GRX_HINT_VERTICES_CHANGED, ll_at_field(e->doc, e->span, 0, field),
                                   ll_nowhere(), ll_uint(ll_get_uint(e->doc, e->span, 0, field)), ll_uint(fitting));
    if (code == GRX_FAULT_OCC_ARRAYS_RANGE) {
        fault.arg[1] = ll_uint(a->end);
        fault.arg[2] = ll_uint(e->end);
        fault.arg[3] = ll_uint(fitting);
    }
    ll_raise(e->doc, &fault);
}

static bool lies_behind_record(const grx_entry *e, const array *a)
{
    return a->start >= (uint64_t)e->pos + e->kind->fixed && a->end <= e->end;
}

/* Of an array that does not lie in the entry, its offset is wrong if it leads out of it, else its count. */
static void raise_outside(const grx_entry *e, const array *a)
{
    bool offset_wrong = a->start < (uint64_t)e->pos + e->kind->fixed || a->start > e->end || lies_behind_record(e, a);
    raise_array(e, a, GRX_FAULT_OCC_ARRAYS_RANGE, offset_wrong, 0);
}

static void add_array(pieces *all, const array *a)
{
    if (a->count) {
        uint32_t length = (uint32_t)(a->count * a->unit);
        add_piece(all, (piece){(uint32_t)a->start, length, a->layout, (uint32_t)a->count, LL_SPAN_ARRAY});
    }
}

/* Follows the offsets as they are, where no single field explains the disagreement. */
static void follow_arrays(const grx_entry *e, const array *v, const array *f, pieces *all)
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
        raise_array(e, v, GRX_FAULT_OCC_OFFSETS_CANONICAL, true, base - v->at);
    } else if (vertices_fit && f->start != v->end) {
        raise_array(e, f, GRX_FAULT_OCC_OFFSETS_CANONICAL, true, v->end - f->at);
    }
}

/* Size, face offset and the two counts state the same thing three times: where two agree, the third is the wrong one.
 */
static void parse_arrays(const grx_entry *e, pieces *all)
{
    array v = read_array(e, grx_vertex_LAYOUT, grx_occluder_vertex_array_offset);
    array f = read_array(e, grx_face_LAYOUT, grx_occluder_face_array_offset);
    uint64_t base = (uint64_t)e->pos + e->kind->fixed;
    uint64_t room = e->end - base;
    bool size_fits = v.count * v.unit + f.count * f.unit == room; /* below 2^37 */
    bool faces_fit = f.start == base + v.count * v.unit;
    bool vertices_fit = v.start == base;
    uint64_t before_faces = f.start >= base ? f.start - base : 1; /* 1: no multiple of a vertex */
    if (size_fits && faces_fit && !vertices_fit) {
        raise_array(e, &v, v.count ? GRX_FAULT_OCC_ARRAYS_RANGE : GRX_FAULT_OCC_OFFSETS_CANONICAL, true, base - v.at);
    } else if (size_fits && vertices_fit && !faces_fit) {
        raise_array(e, &f, GRX_FAULT_OCC_ARRAYS_RANGE, true, v.end - f.at);
    } else if (vertices_fit && faces_fit && !size_fits && before_faces <= room && (room - before_faces) % f.unit == 0) {
        uint64_t faces = (room - before_faces) / f.unit;
        raise_array(e, &f, f.count > faces ? GRX_FAULT_OCC_ARRAYS_RANGE : GRX_FAULT_OCC_OFFSETS_CANONICAL, false,
                    faces);
        f.count = faces;
    } else if (vertices_fit && !faces_fit && before_faces % v.unit == 0 && before_faces <= room &&
               room - before_faces == f.count * f.unit) {
        uint64_t vertices = before_faces / v.unit;
        raise_array(e, &v, v.count > vertices ? GRX_FAULT_OCC_ARRAYS_RANGE : GRX_FAULT_OCC_OFFSETS_CANONICAL, false,
                    vertices);
        v.count = vertices;
    } else if (!(size_fits && faces_fit && vertices_fit)) {
        follow_arrays(e, &v, &f, all);
        return;
    }
    v.start = base;
    f.start = base + v.count * v.unit;
    add_array(all, &v);
    add_array(all, &f);
}

void grx_parse_contents(grx_entry *e)
{
    pieces all = {.count = 0};
    if (e->kind->layout == grx_opaque_entry_LAYOUT) {
        e->doc->unsupported = true;
        ll_claim_bytes(e->doc, e->span, grx_opaque_body_LAYOUT, e->pos + ENTRY_HEADER, e->end);
        return;
    }
    if (grx_is_named(e->kind)) {
        uint32_t name_end = parse_name(e, &all);
        parse_tails(e, name_end, &all);
    } else {
        parse_arrays(e, &all);
    }
    claim_pieces(e, &all);
}
