/* Walks a Fox Engine array and claims every byte of it. Decides structure only: where entries, names, tails and arrays lie, and
 * which field is the wrong one where they contradict each other. Trusts no count, size or offset before it fits the bytes left.
 *
 * Two principles keep one damaged byte from giving many findings. An entry's size is believed only while an entry follows where it
 * leads; else the size that the contents add up to is tried. And where an offset and the contents disagree, the contents are parsed at
 * their canonical place if they fill the entry exactly from there. */
#include "formats/grx/grx.h"

#include "base/endian.h"
#include "base/half.h"
#include "model/cursor.h"

#include <string.h>

enum {
    ENTRY_HEADER = grx_unknown_entry_SIZE,
    TRANSFORM = grx_light_area_SIZE,
    LEAST_FILE = grx_header_SIZE + grx_dataset_SIZE + grx_terminator_SIZE,
    NAME_SEARCHED = 1024, /* longest name looked for when measuring an entry whose size is wrong; the longest seen is 81 */
    VERTEX_OFFSET = grx_occluder_SIZE - grx_occluder_at_vertex_array_offset, /* canonical: behind the fixed record */
    PIECES = 3 /* string and two tails, or two arrays */
};

#define TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

static const grx_kind kinds[] = {
    {TAG('C', 'M', '0', '0'), grx_dataset_LAYOUT, grx_dataset_SIZE, GRX_CLASSES, 0, false},
    {TAG('P', 'L', '0', '1'), grx_point_light_LAYOUT, grx_point_light_SIZE, GRX_CLASS_LIGHT, 1, false},
    {TAG('P', 'L', '0', '2'), grx_point_light_LAYOUT, grx_point_light_SIZE, GRX_CLASS_LIGHT, 2, false},
    {TAG('P', 'L', '0', '3'), grx_point_light_LAYOUT, grx_point_light_SIZE, GRX_CLASS_LIGHT, 3, false},
    {TAG('S', 'L', '0', '1'), grx_spot_light_LAYOUT, grx_spot_light_SIZE, GRX_CLASS_LIGHT, 1, true},
    {TAG('S', 'L', '0', '2'), grx_spot_light_LAYOUT, grx_spot_light_SIZE, GRX_CLASS_LIGHT, 2, true},
    {TAG('S', 'L', '0', '3'), grx_spot_light_LAYOUT, grx_spot_light_SIZE, GRX_CLASS_LIGHT, 3, true},
    {TAG('E', 'P', '0', '0'), grx_probe_LAYOUT, grx_probe_SIZE, GRX_CLASS_PROBE, 0, false},
    {TAG('O', 'C', '0', '0'), grx_occluder_LAYOUT, grx_occluder_SIZE, GRX_CLASS_OCCLUDER, 0, false},
    {TAG('D', 'L', '0', '0'), grx_opaque_entry_LAYOUT, grx_opaque_entry_SIZE, GRX_CLASSES, 0, false},
    {TAG('L', 'P', '0', '0'), grx_opaque_entry_LAYOUT, grx_opaque_entry_SIZE, GRX_CLASSES, 0, false},
};

static const uint32_t MAGIC_LIGHTS = TAG('F', 'G', 'x', 'L');
static const uint32_t MAGIC_OCCLUDERS = TAG('F', 'G', 'x', 'O');
static const uint32_t TAG_CM00 = TAG('C', 'M', '0', '0');

/* What a terminator looks like, for the patch of a missing one. */
static const uint8_t terminator_bytes[grx_terminator_SIZE] = {0, 0, 0, 0, grx_terminator_SIZE, 0, 0, 0};

const grx_kind *grx_kind_of(uint32_t tag)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].tag == tag) {
            return &kinds[i];
        }
    }
    return NULL;
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
    bool words = size >= grx_header_SIZE + ENTRY_HEADER && ll_le32(bytes + grx_header_at_first_entry_offset) == grx_header_SIZE &&
                 ll_le32(bytes + grx_header_SIZE) == TAG_CM00;
    return words ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

/* ------------------------------------------------------------------ faults */

typedef struct entry {
    ll_doc *doc;
    const grx_kind *kind;
    uint32_t span;
    uint32_t pos;    /* first byte of the tag */
    uint32_t end;    /* behind the last byte that belongs to it */
    uint32_t stated; /* the size field */
    uint32_t index;
    bool size_faulted; /* the size was already spoken of */
} entry;

static uint32_t word_at(const ll_doc *doc, uint32_t offset)
{
    return ll_le32(doc->bytes + offset);
}

static ll_fault fault_at(unsigned code, ll_where at)
{
    return (ll_fault){.code = (uint16_t)code, .at = at, .related = ll_at_bytes(LL_NO_SPAN, 0, 0)};
}

static void raise4(ll_doc *doc, unsigned code, unsigned hint, ll_where at, const ll_arg *args, unsigned count)
{
    ll_fault fault = fault_at(code, at);
    fault.hint = (uint16_t)hint;
    for (unsigned i = 0; i < count && i < LL_FAULT_ARGS; i++) {
        fault.arg[i] = args[i];
    }
    ll_raise(doc, &fault);
}

#define RAISE(doc, code, hint, at, ...)                                                          \
    do {                                                                                         \
        const ll_arg args_[] = {__VA_ARGS__};                                                    \
        raise4(doc, code, hint, at, args_, (unsigned)(sizeof args_ / sizeof args_[0]));          \
    } while (0)

/* ------------------------------------------------------------------ sizes */

static bool follows_entry(const ll_doc *doc, uint64_t pos)
{
    if (!ll_fits(pos, ENTRY_HEADER, doc->size)) {
        return false;
    }
    uint32_t tag = word_at(doc, (uint32_t)pos);
    return tag ? grx_kind_of(tag) != NULL : word_at(doc, (uint32_t)pos + 4) == grx_terminator_SIZE;
}

/* Offset fields of the tails of a kind, in tail order; returns how many. */
typedef struct tail_slot {
    unsigned field;
    uint16_t at;
    uint16_t layout;
} tail_slot;

static unsigned tail_slots(const grx_kind *kind, tail_slot out[2])
{
    switch (kind->layout) {
    case grx_point_light_LAYOUT:
        out[0] = (tail_slot){grx_point_light_light_area_offset, grx_point_light_at_light_area_offset, grx_light_area_LAYOUT};
        out[1] = (tail_slot){grx_point_light_irradiation_offset, grx_point_light_at_irradiation_offset, grx_irradiation_point_LAYOUT};
        return 2;
    case grx_spot_light_LAYOUT:
        out[0] = (tail_slot){grx_spot_light_light_area_offset, grx_spot_light_at_light_area_offset, grx_light_area_LAYOUT};
        out[1] = (tail_slot){grx_spot_light_irradiation_offset, grx_spot_light_at_irradiation_offset, grx_irradiation_point_LAYOUT};
        return 2;
    case grx_probe_LAYOUT:
        out[0] = (tail_slot){grx_probe_inner_area_offset, grx_probe_at_inner_area_offset, grx_inner_area_LAYOUT};
        return 1;
    default:
        return 0;
    }
}

static bool is_named(const grx_kind *kind)
{
    return kind->layout == grx_dataset_LAYOUT || kind->class_ == GRX_CLASS_LIGHT || kind->class_ == GRX_CLASS_PROBE;
}

/* Size that the contents of the entry at pos add up to, by its counts and by which offsets are not 0; 0 when that cannot be said or
 * does not fit the file. */
static uint32_t measured_size(const ll_doc *doc, const grx_kind *kind, uint32_t pos)
{
    uint32_t left = doc->size - pos;
    if (!kind || left < kind->fixed || kind->layout == grx_opaque_entry_LAYOUT) {
        return 0;
    }
    uint64_t size = kind->fixed;
    if (kind->class_ == GRX_CLASS_OCCLUDER) {
        size += (uint64_t)word_at(doc, pos + grx_occluder_at_vertex_count) * grx_vertex_SIZE +
                (uint64_t)word_at(doc, pos + grx_occluder_at_face_count) * grx_face_SIZE;
        return size <= left ? (uint32_t)size : 0;
    }
    if (word_at(doc, pos + grx_dataset_at_name_offset)) {
        uint32_t searched = left - kind->fixed < NAME_SEARCHED ? left - kind->fixed : NAME_SEARCHED;
        const uint8_t *name = doc->bytes + pos + kind->fixed;
        const uint8_t *nul = memchr(name, 0, searched);
        if (!nul) {
            return 0;
        }
        size += ll_align_up((uint64_t)(nul - name) + 1, 4);
    }
    tail_slot slots[2];
    unsigned count = tail_slots(kind, slots);
    for (unsigned i = 0; i < count; i++) {
        size += word_at(doc, pos + slots[i].at) ? TRANSFORM : 0;
    }
    return size <= left ? (uint32_t)size : 0;
}

/* The next place at or behind `from`, in steps of 4 from the file's start, where an entry of a known kind with a sound size stands. */
static uint32_t resync(const ll_doc *doc, uint32_t from)
{
    for (uint64_t pos = ll_align_up(from, 4); ll_fits(pos, ENTRY_HEADER, doc->size); pos += 4) {
        uint32_t tag = word_at(doc, (uint32_t)pos);
        uint32_t size = word_at(doc, (uint32_t)pos + 4);
        const grx_kind *kind = tag ? grx_kind_of(tag) : NULL;
        bool entry_here = kind && size >= kind->fixed && size % 4 == 0 && size <= doc->size - pos;
        bool end_here = tag == 0 && size == grx_terminator_SIZE && pos + grx_terminator_SIZE == doc->size;
        if (entry_here || end_here) {
            return (uint32_t)pos;
        }
    }
    return doc->size;
}

/* ------------------------------------------------------------------ pieces behind the fixed part */

typedef struct piece {
    uint32_t offset, length;
    uint16_t layout;
    uint32_t count;
    bool broken, array;
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

static void claim_hole(const entry *e, uint32_t from, uint32_t to)
{
    uint32_t gap = ll_claim(e->doc, e->span, LL_LAYOUT_GAP, from, to - from, 0, LL_NO_INDEX);
    if (gap != LL_NO_SPAN) {
        RAISE(e->doc, GRX_FAULT_UNREFERENCED, GRX_HINT_H2_LENGTH_CHANGED, ll_at_bytes(gap, from, to - from), ll_uint(to - from));
    }
}

/* Claims the pieces in file order, and what nobody refers to between them. */
static void claim_pieces(const entry *e, const pieces *all)
{
    uint32_t pos = e->pos + e->kind->fixed;
    for (unsigned i = 0; i < all->count; i++) {
        const piece *p = &all->at[i];
        if (p->offset > pos) {
            claim_hole(e, pos, p->offset);
        }
        uint32_t span = ll_claim(e->doc, e->span, p->layout, p->offset, p->length, p->count, LL_NO_INDEX);
        if (p->broken) {
            ll_mark(e->doc, span, LL_SPAN_BROKEN);
        }
        if (p->array) {
            ll_mark(e->doc, span, LL_SPAN_ARRAY);
        }
        pos = p->offset + p->length;
    }
    if (pos < e->end) {
        if (!e->size_faulted) {
            RAISE(e->doc, GRX_FAULT_ENTRY_SIZE_SURPLUS, GRX_HINT_H2_LENGTH_CHANGED,
                  ll_at_field(e->doc, e->span, 0, grx_unknown_entry_entry_size), ll_uint(e->stated), ll_uint(pos - e->pos));
        }
        claim_hole(e, pos, e->end);
    }
}

/* ------------------------------------------------------------------ names and tails */

static bool matches_hash(const entry *e, uint32_t start, uint32_t limit)
{
    const uint8_t *name = e->doc->bytes + start;
    const uint8_t *nul = start < limit ? memchr(name, 0, limit - start) : NULL;
    uint64_t stored = ll_le64(e->doc->bytes + e->pos + grx_dataset_at_name_hash);
    return nul && nul > name && grx_strcode64(name, (size_t)(nul - name)) == stored;
}

/* Where the name starts, 0 when there is none. Speaks of an offset that leads nowhere. */
static uint32_t name_start(const entry *e)
{
    uint32_t canonical = e->pos + e->kind->fixed;
    uint32_t field = e->pos + grx_dataset_at_name_offset;
    uint32_t offset = word_at(e->doc, field);
    uint64_t target = (uint64_t)field + offset;
    if (offset && target == canonical && target < e->end) {
        return canonical;
    }
    bool dataset = e->kind->layout == grx_dataset_LAYOUT;
    bool in_range = offset && target >= canonical && target < e->end;
    bool lies_there = matches_hash(e, canonical, e->end); /* the offset is wrong, not the name */
    if (!in_range && (offset || dataset || lies_there)) {
        RAISE(e->doc, dataset ? GRX_FAULT_CM00_STRING_OFFSET : GRX_FAULT_NAME_OFFSET_RANGE, GRX_HINT_NONE,
              ll_at_field(e->doc, e->span, 0, grx_dataset_name_offset), ll_uint(offset), ll_uint(target), ll_uint(canonical),
              ll_uint(e->end));
        bool text = canonical < e->end && e->doc->bytes[canonical] >= 0x20 && e->doc->bytes[canonical] < 0x7F;
        return lies_there || text ? canonical : 0;
    }
    if (lies_there) {
        return canonical;
    }
    return in_range ? (uint32_t)target : 0;
}

/* Where a name at start must end: at the nearest tail that an offset leads to, or at the entry's end. */
static uint32_t name_limit(const entry *e, uint32_t start)
{
    uint32_t limit = e->end;
    tail_slot slots[2];
    unsigned count = tail_slots(e->kind, slots);
    for (unsigned i = 0; i < count; i++) {
        uint32_t offset = word_at(e->doc, e->pos + slots[i].at);
        uint64_t target = (uint64_t)e->pos + slots[i].at + offset;
        bool sound = offset && target > start && ll_fits(target, TRANSFORM, e->end) && (target - e->pos) % 4 == 0;
        if (sound && target < limit) {
            limit = (uint32_t)target;
        }
    }
    return limit;
}

/* Claims the name as a piece; returns where it ends with its padding. */
static uint32_t parse_name(const entry *e, pieces *all)
{
    uint32_t fixed_end = e->pos + e->kind->fixed;
    uint32_t start = name_start(e);
    if (!start) {
        return fixed_end;
    }
    uint16_t layout = e->kind->layout == grx_dataset_LAYOUT ? grx_dataset_path_LAYOUT : grx_name_LAYOUT;
    uint32_t limit = name_limit(e, start);
    const uint8_t *name = e->doc->bytes + start;
    const uint8_t *nul = memchr(name, 0, limit - start);
    if (!nul) {
        RAISE(e->doc, GRX_FAULT_NAME_UNTERMINATED, GRX_HINT_H2_LENGTH_CHANGED, ll_at_bytes(e->span, start, limit - start),
              ll_uint(limit - start), ll_uint(limit));
        add_piece(all, (piece){start, limit - start, layout, limit - start, true, false});
        return limit;
    }
    uint32_t length = (uint32_t)(nul - name);
    uint64_t padded = e->pos + ll_align_up((uint64_t)start - e->pos + length + 1, 4);
    uint32_t end = padded < limit ? (uint32_t)padded : limit;
    add_piece(all, (piece){start, end - start, layout, length, false, false});
    return end;
}

static bool looks_like_transform(const ll_doc *doc, uint32_t offset)
{
    double norm = 0;
    for (unsigned i = 0; i < 10; i++) {
        uint32_t bits = word_at(doc, offset + 4 * i);
        double value = ll_single_to_double(bits);
        if (!ll_single_is_finite(bits) || (i < 3 && value <= 0)) {
            return false;
        }
        norm += i >= 3 && i < 7 ? value * value : 0;
    }
    return norm > 0.98 && norm < 1.02;
}

/* A value that a float field would hold: probes once had an "exposure" documented where the inner-area offset is. */
static bool looks_like_float(uint32_t bits)
{
    double value = ll_single_to_double(bits);
    return ll_single_is_finite(bits) && (value > 1e-4 || value < -1e-4) && value < 1e5 && value > -1e5;
}

/* One tail of an entry, resolved against the place where a canonical file has it. */
typedef struct tail {
    tail_slot slot;
    uint32_t offset;   /* value of the field */
    uint64_t target;   /* where it leads */
    uint32_t expected; /* canonical place */
} tail;

static void raise_tail(const entry *e, const tail *t, unsigned code, unsigned hint)
{
    uint32_t field = e->pos + t->slot.at;
    bool ranged = code == GRX_FAULT_TAIL_RANGE;
    ll_fault fault = fault_at(code, ll_at_field(e->doc, e->span, 0, t->slot.field));
    fault.hint = (uint16_t)hint;
    fault.arg[0] = ll_uint(t->offset);
    fault.arg[1] = ll_uint(t->target);
    fault.arg[2] = ll_uint(ranged ? (uint64_t)e->pos + e->kind->fixed : t->expected - field);
    fault.arg[3] = ll_uint(e->end);
    if (!ranged && ll_fits(t->expected, TRANSFORM, e->end)) {
        uint8_t *right = ll_arena_alloc(&e->doc->arena, 4, 1);
        if (right) {
            ll_put_uint(right, 4, 0, t->expected - field);
            fault.patch_tier = LL_PATCH_UNSAFE;
            fault.patch_offset = field;
            fault.patch_removed = fault.patch_size = 4;
            fault.patch_bytes = right;
        }
    }
    ll_raise(e->doc, &fault);
}

/* What is wrong with a tail that does not lie at its expected place. */
static void judge_tail(const entry *e, const tail *t, const pieces *all, bool after_area)
{
    uint32_t least = e->pos + e->kind->fixed;
    bool in_range = t->target >= least && ll_fits(t->target, TRANSFORM, e->end);
    bool shifted = t->slot.layout == grx_irradiation_point_LAYOUT && !after_area &&
                   t->target == (uint64_t)t->expected + TRANSFORM && ll_fits(t->expected, TRANSFORM, e->end);
    if (shifted) {
        raise_tail(e, t, GRX_FAULT_IR_WITHOUT_LA_SHIFT, GRX_HINT_G1_SHIFT);
    } else if (!in_range) {
        bool exposure = t->slot.layout == grx_inner_area_LAYOUT && looks_like_float(t->offset);
        raise_tail(e, t, GRX_FAULT_TAIL_RANGE, exposure ? GRX_HINT_G9_EXPOSURE : GRX_HINT_H2_LENGTH_CHANGED);
    } else if (!is_free(all, (uint32_t)t->target, TRANSFORM)) {
        raise_tail(e, t, GRX_FAULT_TAIL_OVERLAP, GRX_HINT_H2_LENGTH_CHANGED);
    } else if ((t->target - e->pos) % 4) {
        raise_tail(e, t, GRX_FAULT_TAIL_ALIGN, GRX_HINT_NONE);
    } else {
        raise_tail(e, t, GRX_FAULT_TAIL_CANONICAL, GRX_HINT_H2_LENGTH_CHANGED);
    }
}

/* A tail whose offset is 0 although exactly its bytes are left over and read as a transform. */
static bool is_orphan(const entry *e, const tail *t, uint32_t contents_end)
{
    return t->offset == 0 && e->end - contents_end == TRANSFORM && ll_fits(t->expected, TRANSFORM, e->end) &&
           looks_like_transform(e->doc, t->expected);
}

static void parse_tails(const entry *e, uint32_t name_end, pieces *all)
{
    tail_slot slots[2];
    tail tails[2];
    unsigned count = tail_slots(e->kind, slots);
    uint64_t contents_end = name_end;
    for (unsigned i = 0; i < count; i++) {
        uint32_t offset = word_at(e->doc, e->pos + slots[i].at);
        tails[i] = (tail){slots[i], offset, (uint64_t)e->pos + slots[i].at + offset, (uint32_t)contents_end};
        contents_end += offset ? TRANSFORM : 0;
    }
    bool exact = contents_end == e->end;
    uint32_t shift = 0; /* of later tails, when an orphan is found before them */
    for (unsigned i = 0; i < count; i++) {
        tail *t = &tails[i];
        t->expected += shift;
        if (contents_end <= e->end && shift == 0 && is_orphan(e, t, (uint32_t)contents_end)) {
            raise_tail(e, t, GRX_FAULT_TAIL_CANONICAL, GRX_HINT_NONE);
            add_piece(all, (piece){t->expected, TRANSFORM, t->slot.layout, 1, false, false});
            shift = TRANSFORM;
            exact = true;
            continue;
        }
        if (!t->offset) {
            continue;
        }
        bool right = t->target == t->expected && ll_fits(t->target, TRANSFORM, e->end);
        bool usable = t->target >= e->pos + (uint64_t)e->kind->fixed && ll_fits(t->target, TRANSFORM, e->end) &&
                      is_free(all, (uint32_t)t->target, TRANSFORM);
        if (!right) {
            judge_tail(e, t, all, i > 0 && tails[0].offset != 0);
        }
        bool canonical_free = ll_fits(t->expected, TRANSFORM, e->end) && is_free(all, t->expected, TRANSFORM);
        uint32_t place = usable && !exact ? (uint32_t)t->target : t->expected;
        if (usable || canonical_free) {
            if (place != t->expected || canonical_free) {
                add_piece(all, (piece){place, TRANSFORM, t->slot.layout, 1, false, false});
            }
        }
    }
}

/* ------------------------------------------------------------------ occluders */

typedef struct arrays {
    uint64_t vertices, faces;             /* counts as stated */
    uint64_t vertex_start, face_start;    /* where the offsets lead */
    uint32_t base;                        /* canonical start of the vertices */
} arrays;

static void raise_array(const entry *e, unsigned code, unsigned field, uint64_t array_end, uint64_t fitting)
{
    bool range = code == GRX_FAULT_OCC_ARRAYS_RANGE;
    uint64_t value = ll_get_uint(e->doc, e->span, 0, field);
    if (range) {
        RAISE(e->doc, code, GRX_HINT_H11_VERTEX_ADDED, ll_at_field(e->doc, e->span, 0, field), ll_uint(value), ll_uint(array_end),
              ll_uint(e->end), ll_uint(fitting));
    } else {
        RAISE(e->doc, code, GRX_HINT_H11_VERTEX_ADDED, ll_at_field(e->doc, e->span, 0, field), ll_uint(value), ll_uint(fitting));
    }
}

static void add_array(pieces *all, uint16_t layout, uint16_t unit, uint64_t offset, uint64_t count)
{
    if (count) {
        add_piece(all, (piece){(uint32_t)offset, (uint32_t)(count * unit), layout, (uint32_t)count, false, true});
    }
}

/* Follows the offsets as they are, where no single field explains the disagreement. */
static void follow_arrays(const entry *e, const arrays *a, pieces *all)
{
    uint64_t fixed_end = (uint64_t)e->pos + e->kind->fixed;
    uint64_t vertex_end = a->vertex_start + a->vertices * grx_vertex_SIZE;
    uint64_t face_end = a->face_start + a->faces * grx_face_SIZE;
    bool vertices_fit = a->vertex_start >= fixed_end && vertex_end <= e->end;
    bool faces_fit = a->face_start >= fixed_end && face_end <= e->end;
    bool apart = vertex_end <= a->face_start || face_end <= a->vertex_start || !a->vertices || !a->faces;
    if (vertices_fit) {
        add_array(all, grx_vertex_LAYOUT, grx_vertex_SIZE, a->vertex_start, a->vertices);
    } else {
        unsigned field = a->vertex_start < fixed_end || a->vertex_start > e->end ? (unsigned)grx_occluder_vertex_array_offset
                                                                                 : (unsigned)grx_occluder_vertex_count;
        raise_array(e, GRX_FAULT_OCC_ARRAYS_RANGE, field, vertex_end, 0);
    }
    if (faces_fit && (apart || !vertices_fit)) {
        add_array(all, grx_face_LAYOUT, grx_face_SIZE, a->face_start, a->faces);
    } else if (vertices_fit || !faces_fit) {
        unsigned field = a->face_start < fixed_end || a->face_start > e->end || faces_fit
                             ? (unsigned)grx_occluder_face_array_offset
                             : (unsigned)grx_occluder_face_count;
        raise_array(e, GRX_FAULT_OCC_ARRAYS_RANGE, field, face_end, 0);
    }
    if (vertices_fit && faces_fit && apart) {
        uint64_t right = grx_occluder_SIZE - grx_occluder_at_face_array_offset + a->vertices * grx_vertex_SIZE;
        unsigned wrong = a->vertex_start != a->base ? (unsigned)grx_occluder_vertex_array_offset
                                                    : (unsigned)grx_occluder_face_array_offset;
        if (a->vertex_start != a->base || a->face_start != a->base + a->vertices * grx_vertex_SIZE) {
            raise_array(e, GRX_FAULT_OCC_OFFSETS_CANONICAL, wrong, 0,
                        a->vertex_start != a->base ? VERTEX_OFFSET : right);
        }
    }
}

/* Size, face offset and the two counts state the same thing three times: where two agree, the third is the wrong one. */
static void parse_arrays(const entry *e, pieces *all)
{
    const ll_doc *doc = e->doc;
    arrays a = {.vertices = word_at(doc, e->pos + grx_occluder_at_vertex_count),
                .faces = word_at(doc, e->pos + grx_occluder_at_face_count),
                .base = e->pos + grx_occluder_SIZE};
    a.vertex_start = (uint64_t)e->pos + grx_occluder_at_vertex_array_offset + word_at(doc, e->pos + grx_occluder_at_vertex_array_offset);
    a.face_start = (uint64_t)e->pos + grx_occluder_at_face_array_offset + word_at(doc, e->pos + grx_occluder_at_face_array_offset);
    uint64_t room = e->end - a.base;
    uint64_t needed = a.vertices * grx_vertex_SIZE + a.faces * grx_face_SIZE; /* below 2^37 */
    bool size_fits = needed == room;
    bool faces_fit = a.face_start == a.base + a.vertices * grx_vertex_SIZE;
    bool vertices_fit = a.vertex_start == a.base;
    uint64_t before_faces = a.face_start >= a.base ? a.face_start - a.base : 1; /* 1: no multiple of a vertex */
    uint64_t vertices = a.vertices;
    uint64_t faces = a.faces;
    uint64_t face_offset = a.base + a.vertices * grx_vertex_SIZE - (e->pos + grx_occluder_at_face_array_offset);
    if (size_fits && faces_fit && !vertices_fit) {
        raise_array(e, a.vertices ? GRX_FAULT_OCC_ARRAYS_RANGE : GRX_FAULT_OCC_OFFSETS_CANONICAL,
                    grx_occluder_vertex_array_offset, a.vertex_start + a.vertices * grx_vertex_SIZE, VERTEX_OFFSET);
    } else if (size_fits && vertices_fit && !faces_fit) {
        raise_array(e, GRX_FAULT_OCC_ARRAYS_RANGE, grx_occluder_face_array_offset, a.face_start + a.faces * grx_face_SIZE, face_offset);
    } else if (vertices_fit && faces_fit && !size_fits && before_faces <= room && (room - before_faces) % grx_face_SIZE == 0) {
        faces = (room - before_faces) / grx_face_SIZE;
        raise_array(e, a.faces > faces ? GRX_FAULT_OCC_ARRAYS_RANGE : GRX_FAULT_OCC_OFFSETS_CANONICAL, grx_occluder_face_count,
                    a.face_start + a.faces * grx_face_SIZE, faces);
    } else if (vertices_fit && !faces_fit && before_faces % grx_vertex_SIZE == 0 && before_faces <= room &&
               room - before_faces == a.faces * grx_face_SIZE) {
        vertices = before_faces / grx_vertex_SIZE;
        raise_array(e, a.vertices > vertices ? GRX_FAULT_OCC_ARRAYS_RANGE : GRX_FAULT_OCC_OFFSETS_CANONICAL,
                    grx_occluder_vertex_count, a.vertex_start + a.vertices * grx_vertex_SIZE, vertices);
    } else if (!(size_fits && faces_fit && vertices_fit)) {
        follow_arrays(e, &a, all);
        return;
    }
    add_array(all, grx_vertex_LAYOUT, grx_vertex_SIZE, a.base, vertices);
    add_array(all, grx_face_LAYOUT, grx_face_SIZE, a.base + vertices * grx_vertex_SIZE, faces);
}

/* ------------------------------------------------------------------ the walk */

static void parse_contents(const entry *e)
{
    pieces all = {.count = 0};
    if (e->kind->layout == grx_opaque_entry_LAYOUT) {
        if (e->end > e->pos + ENTRY_HEADER) {
            (void)ll_claim(e->doc, e->span, grx_opaque_body_LAYOUT, e->pos + ENTRY_HEADER, e->end - e->pos - ENTRY_HEADER, 0,
                           LL_NO_INDEX);
        }
        return;
    }
    if (is_named(e->kind)) {
        uint32_t name_end = parse_name(e, &all);
        parse_tails(e, name_end, &all);
    } else {
        parse_arrays(e, &all);
    }
    claim_pieces(e, &all);
}

static void count_entry(grx_census *census, const grx_kind *kind, uint32_t span)
{
    if (kind->tag == TAG_CM00) {
        census->dataset = census->dataset == LL_NO_SPAN ? span : census->dataset;
        return;
    }
    census->first_entry = census->entries++ ? census->first_entry : span;
    if (kind->class_ == GRX_CLASSES) {
        return;
    }
    uint32_t nth = census->count[kind->class_]++;
    if (nth == 0) {
        census->first[kind->class_] = span;
    } else if (nth == 1 && kind->class_ == GRX_CLASS_OCCLUDER) {
        census->second_occluder = span;
    }
    if (kind->class_ == GRX_CLASS_LIGHT) {
        if (census->version_count[kind->version]++ == 0) {
            census->version_first[kind->version] = span;
        }
        if (kind->spot && census->first_spot == LL_NO_SPAN) {
            census->first_spot = span;
        } else if (!kind->spot && census->first_spot != LL_NO_SPAN && census->point_after_spot == LL_NO_SPAN) {
            census->point_after_spot = span;
        }
    }
}

static uint32_t claim_rest(ll_doc *doc, uint32_t parent, uint32_t pos, uint32_t end)
{
    return pos < end ? ll_claim(doc, parent, LL_LAYOUT_UNPARSED, pos, end - pos, 0, LL_NO_INDEX) : LL_NO_SPAN;
}

/* An entry of unknown tag or size: its header, the rest unparsed. */
static void claim_unknown(ll_doc *doc, uint32_t pos, uint32_t end, uint32_t index, grx_census *census)
{
    uint32_t span = ll_claim(doc, LL_NO_SPAN, grx_unknown_entry_LAYOUT, pos, end - pos, 1, index);
    ll_mark(doc, span, LL_SPAN_BROKEN);
    (void)claim_rest(doc, span, pos + ENTRY_HEADER, end);
    census->unknown++;
}

/* Decides where the entry ends. Returns false when only its header can be believed; then *end is where the walk goes on. The fault,
 * if any, is left in *code for when the span is there to point at. */
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

static size_verdict judge_size(const ll_doc *doc, const grx_kind *kind, uint32_t pos)
{
    uint32_t stated = word_at(doc, pos + 4);
    size_verdict v = {.code = size_fault(doc, kind, pos, stated)};
    if (!v.code && follows_entry(doc, (uint64_t)pos + stated)) {
        v.end = pos + stated;
        v.parse = true;
        return v;
    }
    if (!kind) { /* neither tag nor size can be believed */
        v.end = !v.code && stated == doc->size - pos ? doc->size : resync(doc, pos + 4);
        return v;
    }
    v.measured = measured_size(doc, kind, pos);
    bool measured_leads_on = v.measured && follows_entry(doc, (uint64_t)pos + v.measured);
    if (measured_leads_on && v.measured != stated) {
        if (!v.code) {
            v.code = v.measured > stated ? GRX_FAULT_ENTRY_SIZE_EXCEEDED : GRX_FAULT_ENTRY_SIZE_SURPLUS;
        }
        v.hint = GRX_HINT_SIZE_FIELD;
        v.end = pos + v.measured;
        v.parse = true;
        return v;
    }
    if (!v.code) { /* nothing better to believe: the next tag or the terminator is what is damaged */
        v.end = pos + stated;
        v.parse = true;
        return v;
    }
    v.hint = v.code == GRX_FAULT_ENTRY_SIZE_MIN && stated < ENTRY_HEADER ? GRX_HINT_H9_ZERO_SIZE : GRX_HINT_NONE;
    bool leads_on = stated >= ENTRY_HEADER && follows_entry(doc, (uint64_t)pos + stated);
    v.end = leads_on ? pos + stated : resync(doc, pos + 4);
    v.parse = v.measured && v.end == doc->size && v.code != GRX_FAULT_ENTRY_SIZE_OVERRUN;
    if (v.code == GRX_FAULT_ENTRY_SIZE_OVERRUN && v.end == doc->size && !v.measured) {
        v.hint = GRX_HINT_CUT_FILE;
    }
    if (v.parse) {
        v.end = pos + v.measured;
    }
    return v;
}

static void raise_size(const entry *e, const size_verdict *v)
{
    ll_where at = ll_at_field(e->doc, e->span, 0, grx_unknown_entry_entry_size);
    switch (v->code) {
    case GRX_FAULT_ENTRY_SIZE_MIN:
        RAISE(e->doc, v->code, v->hint, at, ll_uint(e->stated), ll_uint(e->kind ? e->kind->fixed : ENTRY_HEADER),
              ll_chars(e->pos, 4));
        break;
    case GRX_FAULT_ENTRY_SIZE_OVERRUN:
        RAISE(e->doc, v->code, v->hint, at, ll_uint(e->stated), ll_uint((uint64_t)e->pos + e->stated), ll_uint(e->doc->size),
              ll_uint(v->measured));
        break;
    default:
        RAISE(e->doc, v->code, v->hint, at, ll_uint(e->stated), ll_uint(v->measured));
        break;
    }
}

static void check_dataset_place(const entry *e, const grx_census *census)
{
    ll_where tag = ll_at_field(e->doc, e->span, 0, grx_unknown_entry_tag);
    bool dataset = e->kind->tag == TAG_CM00;
    if (e->index == 0 && !dataset) {
        RAISE(e->doc, GRX_FAULT_CM00_FIRST, GRX_HINT_NONE, tag, ll_chars(e->pos, 4));
    }
    if (dataset && census->dataset != LL_NO_SPAN) {
        RAISE(e->doc, GRX_FAULT_CM00_SINGLE, GRX_HINT_NONE, tag, ll_uint(e->index));
    }
}

/* One entry whose 8 header bytes are there; returns where the next one starts. */
static uint32_t parse_entry(ll_doc *doc, uint32_t pos, uint32_t index, grx_census *census)
{
    const grx_kind *kind = grx_kind_of(word_at(doc, pos));
    size_verdict v = judge_size(doc, kind, pos);
    uint32_t number = doc->span_count;
    entry e = {doc, kind, number, pos, v.end, word_at(doc, pos + 4), index, v.code != 0};
    if (!kind || !v.parse) {
        claim_unknown(doc, pos, v.end, index, census);
        if (doc->status == LL_OK && !kind) {
            RAISE(doc, GRX_FAULT_ENTRY_TAG_KNOWN, GRX_HINT_NONE, ll_at_field(doc, number, 0, grx_unknown_entry_tag), ll_chars(pos, 4));
        } else if (doc->status == LL_OK) {
            raise_size(&e, &v);
            check_dataset_place(&e, census);
        }
        doc->fatal = doc->fatal || v.end == doc->size;
        return v.end;
    }
    e.span = ll_claim(doc, LL_NO_SPAN, kind->layout, pos, v.end - pos, 1, index);
    if (e.span == LL_NO_SPAN) {
        return doc->size;
    }
    if (v.code) {
        raise_size(&e, &v);
    }
    check_dataset_place(&e, census);
    count_entry(census, kind, e.span);
    parse_contents(&e);
    return v.end;
}

static void parse_terminator(ll_doc *doc, uint32_t pos, uint32_t index, grx_census *census)
{
    census->terminator = ll_claim(doc, LL_NO_SPAN, grx_terminator_LAYOUT, pos, grx_terminator_SIZE, 1, LL_NO_INDEX);
    if (index == 0 && census->terminator != LL_NO_SPAN) {
        RAISE(doc, GRX_FAULT_CM00_FIRST, GRX_HINT_NONE, ll_at_field(doc, census->terminator, 0, grx_terminator_tag), ll_chars(pos, 4));
    }
    uint32_t end = pos + grx_terminator_SIZE;
    if (end < doc->size) {
        bool is_entry = doc->size - end >= ENTRY_HEADER && grx_kind_of(word_at(doc, end));
        uint32_t gap = ll_claim(doc, LL_NO_SPAN, LL_LAYOUT_GAP, end, doc->size - end, 0, LL_NO_INDEX);
        RAISE(doc, GRX_FAULT_TRAILING_DATA, is_entry ? GRX_HINT_H3_AFTER_TERMINATOR : GRX_HINT_NONE,
              ll_at_bytes(gap, end, doc->size - end), ll_uint(doc->size - end), ll_uint(end));
    }
}

/* The list ends without a null tag: nothing is left, or the last 8 bytes are a terminator with a damaged tag. */
static void miss_terminator(ll_doc *doc, uint32_t pos, uint32_t index, grx_census *census)
{
    ll_fault fault = fault_at(GRX_FAULT_TERMINATOR_MISSING, ll_at_bytes(LL_NO_SPAN, pos, 0));
    fault.arg[0] = ll_uint(pos);
    fault.arg[1] = ll_word("the end of the file");
    fault.patch_tier = LL_PATCH_SAFE;
    fault.patch_offset = pos;
    fault.patch_bytes = terminator_bytes;
    fault.patch_size = grx_terminator_SIZE;
    if (pos < doc->size) {
        claim_unknown(doc, pos, doc->size, index, census);
        if (doc->status != LL_OK) {
            return;
        }
        fault.at = ll_at_field(doc, doc->span_count - 1, 0, grx_unknown_entry_tag);
        fault.hint = GRX_HINT_DAMAGED_TERMINATOR;
        fault.arg[1] = ll_chars(pos, 4);
        fault.patch_tier = LL_PATCH_UNSAFE;
        fault.patch_removed = fault.patch_size = 4;
    }
    ll_raise(doc, &fault);
}

static bool is_damaged_terminator(const ll_doc *doc, uint32_t pos)
{
    return doc->size - pos == grx_terminator_SIZE && word_at(doc, pos + 4) == grx_terminator_SIZE && !grx_kind_of(word_at(doc, pos));
}

static void walk_entries(ll_doc *doc, uint32_t first, grx_census *census)
{
    ll_cursor at = {first, doc->size};
    for (uint32_t index = 0; doc->status == LL_OK; index++) {
        uint32_t left = ll_cursor_left(&at);
        if (left == 0) {
            if (!doc->fatal) {
                miss_terminator(doc, at.pos, index, census);
            }
            return;
        }
        if (left < ENTRY_HEADER) {
            uint32_t rest = claim_rest(doc, LL_NO_SPAN, at.pos, at.end);
            RAISE(doc, GRX_FAULT_ENTRY_HEADER_TRUNCATED, GRX_HINT_CUT_FILE, ll_at_bytes(rest, at.pos, left), ll_uint(left),
                  ll_uint(ENTRY_HEADER));
            doc->fatal = true;
            return;
        }
        if (word_at(doc, at.pos) == 0) {
            parse_terminator(doc, at.pos, index, census);
            return;
        }
        if (is_damaged_terminator(doc, at.pos)) {
            miss_terminator(doc, at.pos, index, census);
            return;
        }
        at.pos = parse_entry(doc, at.pos, index, census);
    }
}

/* ------------------------------------------------------------------ the header */

/* First entry's offset, or 0 when the walk cannot start. */
static uint32_t start_of_entries(ll_doc *doc, uint32_t header)
{
    uint32_t first = word_at(doc, grx_header_at_first_entry_offset);
    bool cm00_behind_header = word_at(doc, grx_header_SIZE) == TAG_CM00;
    if (first < grx_header_SIZE || first % 4 || first >= doc->size) {
        RAISE(doc, GRX_FAULT_FIRST_OFFSET, GRX_HINT_NONE, ll_at_field(doc, header, 0, grx_header_first_entry_offset), ll_uint(first),
              ll_uint(doc->size));
        return cm00_behind_header ? (uint32_t)grx_header_SIZE : 0;
    }
    if (first > grx_header_SIZE && cm00_behind_header && !follows_entry(doc, first)) {
        return grx_header_SIZE; /* the word is wrong, not the place of the entries; grx-first-offset-unusual speaks of it */
    }
    if (first > grx_header_SIZE) {
        uint32_t length = first - grx_header_SIZE;
        uint32_t gap = ll_claim(doc, LL_NO_SPAN, LL_LAYOUT_GAP, grx_header_SIZE, length, 0, LL_NO_INDEX);
        RAISE(doc, GRX_FAULT_HEADER_GAP, GRX_HINT_NONE, ll_at_bytes(gap, grx_header_SIZE, length), ll_uint(length));
    }
    return first;
}

static bool is_big_endian(const ll_doc *doc)
{
    return ll_be32(doc->bytes + grx_header_at_first_entry_offset) == grx_header_SIZE || ll_be32(doc->bytes + grx_header_at_version) == 1;
}

/* Claims the header and says whether the walk can start, and where. Order: size, byte order, magic, first offset. */
static uint32_t parse_header(ll_doc *doc, grx_census *census)
{
    if (doc->size < LEAST_FILE) {
        RAISE(doc, GRX_FAULT_TOO_SHORT, GRX_HINT_NONE, ll_at_bytes(LL_NO_SPAN, 0, doc->size), ll_uint(doc->size), ll_uint(LEAST_FILE));
        return 0;
    }
    uint32_t header = ll_claim(doc, LL_NO_SPAN, grx_header_LAYOUT, 0, grx_header_SIZE, 1, LL_NO_INDEX);
    if (header == LL_NO_SPAN) {
        return 0;
    }
    census->header = header;
    uint32_t first = word_at(doc, grx_header_at_first_entry_offset);
    uint32_t version = word_at(doc, grx_header_at_version);
    if (is_big_endian(doc)) {
        bool offset_swapped = first == UINT32_C(0x10000000);
        RAISE(doc, GRX_FAULT_BYTE_ORDER, GRX_HINT_NONE,
              ll_at_field(doc, header, 0, offset_swapped ? grx_header_first_entry_offset : grx_header_version), ll_uint(first),
              ll_uint(version));
        doc->big_endian = true;
        ll_mark(doc, header, LL_SPAN_BROKEN);
        return 0;
    }
    uint32_t magic = word_at(doc, grx_header_at_magic);
    if (magic != MAGIC_LIGHTS && magic != MAGIC_OCCLUDERS) {
        bool array = first == grx_header_SIZE || word_at(doc, grx_header_SIZE) == TAG_CM00;
        RAISE(doc, GRX_FAULT_MAGIC, array ? GRX_HINT_NONE : GRX_HINT_LITTLE_MAGIC, ll_at_field(doc, header, 0, grx_header_magic),
              ll_chars(0, 4));
        if (!array) {
            ll_mark(doc, header, LL_SPAN_BROKEN);
            return 0;
        }
    }
    return start_of_entries(doc, header);
}

void grx_parse(ll_doc *doc)
{
    grx_census *census = ll_arena_alloc(&doc->arena, 1, sizeof *census);
    if (!census) {
        doc->status = LL_E_MEMORY;
        return;
    }
    memset(census, 0xFF, sizeof *census); /* LL_NO_SPAN everywhere; counts follow */
    census->entries = census->unknown = 0;
    memset(census->count, 0, sizeof census->count);
    memset(census->version_count, 0, sizeof census->version_count);
    doc->format_data = census;
    uint32_t first = parse_header(doc, census);
    if (first) {
        walk_entries(doc, first, census);
        return;
    }
    doc->fatal = true;
    uint32_t claimed = census->header == LL_NO_SPAN ? 0 : grx_header_SIZE;
    (void)claim_rest(doc, LL_NO_SPAN, claimed, doc->size);
}
