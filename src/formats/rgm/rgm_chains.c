/* Slices of the actors that lie one behind the other in the order of the headers: entries of RASB, variables of RAVA,
 * blocks of RASC. Every offset is the end of the slice before it and all sizes add up to the section, so each number is
 * stated twice; where a chain breaks, the field that no other agrees with is the wrong one. Trusts no offset and no
 * size. */
#include "formats/rgm/rgm_parser.h"

enum {
    PREAMBLE = 4,     /* bytes in front of the first block, as all known files have it */
    PREAMBLE_MAX = 16 /* most that are believed */
};

static const uint64_t SLICE_MAX = UINT64_C(1) << 40;

typedef enum wrong_field { WRONG_NONE, WRONG_OFFSET, WRONG_SIZE } wrong_field;

typedef struct link {
    uint64_t size;   /* as stated */
    uint64_t right;  /* what the wrong field should say: an offset, or bytes */
    uint32_t offset; /* as stated */
    uint8_t wrong;   /* wrong_field */
} link;

/* What a chain is about, and what is said of it. */
typedef struct chain_kind {
    uint8_t unit; /* bytes of one of what the size field counts */
    uint16_t offset, size;
    uint16_t length;              /* field that repeats the size in bytes; 0: there is none */
    uint16_t range, total, order; /* faults */
} chain_kind;

static const chain_kind kinds[RGM_SECTIONS] = {
    [RGM_RASB] = {4, rgm_actor_string_offsets_index, rgm_actor_num_strings, rgm_actor_rasb_length,
                  RGM_FAULT_RASB_OUT_OF_RANGE, RGM_FAULT_RASB_TOTAL, RGM_FAULT_RASB_CONTIGUOUS},
    [RGM_RAVA] = {4, rgm_actor_variable_offset, rgm_actor_num_variables, rgm_actor_rava_length, RGM_FAULT_RAVA_RANGE,
                  RGM_FAULT_RAVA_TOTAL, RGM_FAULT_RAVA_OFFSET},
    [RGM_RASC] = {1, rgm_actor_script_data_offset, rgm_actor_script_length, 0, RGM_FAULT_RASC_RANGE,
                  RGM_FAULT_RASC_TOTAL, RGM_FAULT_RASC_OFFSET},
};

typedef struct chain {
    const chain_kind *kind;
    unsigned ordinal;
    link *links;
    uint32_t count;
    uint64_t base;  /* where the first slice begins */
    uint64_t sum;   /* of all sizes */
    uint64_t total; /* length of the section */
    bool explained; /* the sum is right, or a field is marked as wrong */
    uint32_t wrong; /* fields that are marked */
} chain;

uint64_t rgm_slice_size(const rgm_parser *p, unsigned ordinal, uint32_t actor)
{
    uint64_t size;
    if (ordinal == RGM_RASB) {
        size = 4 * (uint64_t)rgm_actor_word(p, actor, rgm_actor_at_num_strings);
    } else if (ordinal == RGM_RASC) {
        size = rgm_actor_word(p, actor, rgm_actor_at_script_length);
    } else {
        uint32_t instances = rgm_actor_word(p, actor, rgm_actor_at_instances) & UINT16_MAX;
        size = 4 * (uint64_t)rgm_actor_word(p, actor, rgm_actor_at_num_variables) * instances;
    }
    return size < SLICE_MAX ? size : SLICE_MAX;
}

/* ------------------------------------------------------------------ what is wrong */

/* First slice behind `i` that is not empty. */
static uint32_t next_slice(const chain *c, uint32_t i)
{
    do {
        i++;
    } while (i < c->count && c->links[i].size == 0);
    return i;
}

/* Where what is behind slice `i` begins, as the headers say. */
static uint64_t follower(const chain *c, uint32_t i)
{
    uint32_t next = next_slice(c, i);
    return next < c->count ? c->links[next].offset : c->total;
}

/* RASC begins with a preamble whose length only its first offset tells, and the sum of the blocks. */
static uint64_t code_base(const chain *c)
{
    uint64_t stated = c->links[0].offset;
    uint64_t left = c->sum <= c->total ? c->total - c->sum : c->total;
    if (c->sum == 0 && left <= PREAMBLE_MAX) {
        return left;
    }
    bool agrees = c->links[0].size && follower(c, 0) == left + c->links[0].size;
    bool certain = left == PREAMBLE || next_slice(c, 0) < c->count || stated > PREAMBLE_MAX;
    return agrees && stated != PREAMBLE && left <= PREAMBLE_MAX && certain ? left : stated;
}

static void mark_wrong(link *l, wrong_field wrong, uint64_t right)
{
    l->wrong = (uint8_t)wrong;
    l->right = right;
}

/* The slices up to `from` should reach to `to`: the size of the last empty one that begins there is wrong (behind an
 * earlier one the next would begin later), or else that of the last slice. False when neither can be. */
static bool mark_size(chain *c, uint32_t last, uint32_t before, uint64_t from, uint64_t to)
{
    for (uint32_t i = before; to > from && i-- > (last == UINT32_MAX ? 0 : last + 1);) {
        if (c->links[i].offset == from) {
            mark_wrong(&c->links[i], WRONG_SIZE, to - from);
            return true;
        }
    }
    uint64_t start = last == UINT32_MAX                     ? 0
                     : c->links[last].wrong == WRONG_OFFSET ? c->links[last].right
                                                            : c->links[last].offset;
    if (last == UINT32_MAX || to < start || (to - start) % c->kind->unit) {
        return false;
    }
    mark_wrong(&c->links[last], WRONG_SIZE, to - start);
    return true;
}

/* Finds the wrong field of every slice; false when the sum is wrong and no slice is it. */
static bool judge(chain *c)
{
    uint64_t expected = c->base;
    uint32_t last = UINT32_MAX; /* slice before this one */
    bool sums_up = c->base + c->sum == c->total;
    bool explained = sums_up;
    for (uint32_t i = c->links[0].size ? 0 : next_slice(c, 0); i < c->count; i = next_slice(c, i)) {
        link *l = &c->links[i];
        uint64_t behind = follower(c, i);
        if (l->offset != expected && behind != expected + l->size && behind == l->offset + l->size && !sums_up &&
            mark_size(c, last, i, expected, l->offset)) {
            explained = true;
            expected = l->offset;
        } else if (l->offset != expected) {
            bool alone = behind == expected + l->size; /* those behind it go on as if it stood in its place */
            mark_wrong(l, WRONG_OFFSET, expected);
            expected = alone || sums_up ? expected : l->offset;
        }
        expected += l->size;
        last = i;
    }
    return expected == c->total || explained || mark_size(c, last, c->count, expected, c->total);
}

/* Where a slice ends; an empty one: that before it, which ends at `end`. */
static uint64_t end_of(const link *l, uint64_t end)
{
    return l->size ? (l->wrong == WRONG_OFFSET ? l->right : l->offset) + l->size : end;
}

/* Blocks are taken out of RASC by their offset though they may be empty. */
static void judge_empty(chain *c)
{
    uint64_t end = c->base;
    for (uint32_t i = 0; i < c->count; i++) {
        link *l = &c->links[i];
        if (l->size == 0 && !l->wrong && l->offset > c->total) {
            mark_wrong(l, WRONG_OFFSET, end);
        }
        end = end_of(l, end);
    }
}

/* False where there are no actors, or no memory. */
static bool make_chain(rgm_parser *p, unsigned ordinal, chain *c)
{
    const chain_kind *kind = &kinds[ordinal];
    *c = (chain){.kind = kind,
                 .ordinal = ordinal,
                 .count = p->summary->actor_count,
                 .sum = p->slices[ordinal],
                 .total = p->summary->section[ordinal].length};
    c->links = c->count ? ll_doc_zalloc(p->doc, c->count, sizeof *c->links) : NULL;
    uint32_t at = p->doc->format->layouts[rgm_actor_LAYOUT].fields[kind->offset].offset;
    for (uint32_t i = 0; c->links && i < c->count; i++) {
        c->links[i] = (link){.size = rgm_slice_size(p, ordinal, i), .offset = rgm_actor_word(p, i, at)};
    }
    if (c->links) {
        c->base = ordinal == RGM_RASB ? 0 : ordinal == RGM_RAVA ? rgm_variable_SIZE : code_base(c);
        c->explained = judge(c);
        if (ordinal == RGM_RASC) {
            judge_empty(c);
        }
        for (uint32_t i = 0; i < c->count; i++) {
            c->wrong += c->links[i].wrong != WRONG_NONE;
        }
    }
    return c->links != NULL;
}

void rgm_note_slices(rgm_parser *p, unsigned ordinal)
{
    chain c;
    bool made = make_chain(p, ordinal, &c);
    for (uint32_t i = 0; made && i < c.count; i++) {
        p->summary->actors[i].sound[ordinal - RGM_RASB] = !c.links[i].wrong;
    }
}

/* ------------------------------------------------------------------ what is said */

/* The objects of an actor's name. */
static uint32_t count_objects(const rgm_parser *p, uint32_t actor)
{
    const uint8_t *name = p->summary->heads + (size_t)actor * rgm_actor_SIZE + rgm_actor_at_script_name;
    uint32_t length = rgm_name_length(name, RGM_NAME);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->object_count; i++) {
        const uint8_t *other = p->doc->bytes + p->objects + (size_t)i * rgm_object_SIZE + rgm_object_at_script_name;
        count += rgm_name_length(other, RGM_NAME) == length && memcmp(name, other, length) == 0;
    }
    return count;
}

/* The field that makes a slice too long or too short. With variables it is the instances where another field confirms
 * their number. */
static unsigned size_field(const rgm_parser *p, const chain *c, uint32_t i, const ll_element *actor, uint64_t *right,
                           uint64_t *stated, bool *exact)
{
    uint64_t bytes = c->links[i].right;
    *stated = ll_get_uint(actor, c->kind->size);
    *right = bytes / c->kind->unit;
    if (c->ordinal != RGM_RAVA) {
        return c->kind->size;
    }
    uint64_t instances = ll_get_uint(actor, rgm_actor_instances);
    bool confirmed = ll_get_uint(actor, rgm_actor_rava_length) == *stated * 4 ||
                     (c->wrong == 1 && *stated && count_objects(p, i) == bytes / (4 * *stated));
    if (*stated && (confirmed || instances == 0 || bytes % (4 * instances)) && bytes % (4 * *stated) == 0) {
        *right = bytes / (4 * *stated);
        *stated = instances;
        return rgm_actor_instances;
    }
    *right = instances ? bytes / (4 * instances) : 0;
    *exact = instances && bytes % (4 * instances) == 0;
    return rgm_actor_num_variables;
}

/* The length beside a count is that of so many: 4 bytes for each; of strings it may be 0, of variables those of all
 * instances. */
static bool is_length_of(const chain *c, const ll_element *actor, uint64_t count)
{
    uint64_t length = ll_get_uint(actor, c->kind->length);
    uint64_t one = c->kind->unit * count;
    return length == one || length == (c->ordinal == RGM_RAVA ? one * ll_get_uint(actor, rgm_actor_instances) : 0);
}

static void raise_link(rgm_parser *p, const chain *c, uint32_t i, const ll_element *actor)
{
    ll_doc *doc = p->doc;
    const link *l = &c->links[i];
    bool offset = l->wrong == WRONG_OFFSET;
    uint64_t end = l->offset + l->size;
    uint64_t right = l->right;
    bool exact = true; /* the value makes the slice as long as it should be */
    uint64_t stated = l->offset;
    unsigned field = offset ? c->kind->offset : size_field(p, c, i, actor, &right, &stated, &exact);
    bool raised = field == rgm_actor_instances && l->right < l->size;
    unsigned hint = field == rgm_actor_num_strings ? RGM_HINT_STRINGS_STALE
                    : raised                       ? RGM_HINT_INSTANCES_RAISED
                                                   : RGM_HINT_NONE;
    ll_where at = rgm_actor_at(doc, i, field);
    ll_where length = rgm_length_at(doc, &p->summary->section[c->ordinal]);
    ll_fault fault;
    if (offset && c->ordinal == RGM_RAVA) { /* the copy is wrong as well, or this is the only wrong one */
        exact = ll_get_uint(actor, rgm_actor_variable_offset_dup) == right;
    } else if (field == c->kind->size && c->kind->length) { /* the field that repeats the number confirms it */
        bool open = c->ordinal == RGM_RASB && next_slice(c, i) == c->count && /* no offset confirms it */
                    (right > stated || rgm_find_orphan(p) < UINT32_MAX);
        exact = exact && !open && is_length_of(c, actor, right);
    } else if (c->ordinal == RGM_RASC) { /* else a part of the preamble may be what is missing */
        exact = c->base < PREAMBLE || !rgm_word(doc, p->summary->section[RGM_RASC].start);
    }
    if (end > c->total) {
        fault = LL_MAKE_FAULT(c->kind->range, hint, at, length, ll_uint(l->offset), ll_uint(end), ll_uint(c->total),
                              ll_uint(right));
    } else if (offset) {
        ll_where before = i ? rgm_actor_at(doc, i - 1, field) : ll_nowhere();
        fault = LL_MAKE_FAULT(c->kind->order, hint, at, before, ll_uint(stated), ll_uint(right));
    } else {
        ll_where behind = i + 1 < c->count ? rgm_actor_at(doc, i + 1, c->kind->offset) : length;
        fault = LL_MAKE_FAULT(c->kind->total, hint, at, behind, ll_uint(stated), ll_uint(right),
                              ll_uint(c->base + c->sum), ll_uint(c->total));
    }
    bool in_place = ll_get_uint(actor, rgm_actor_raat_offset) == (uint64_t)i * rgm_attribute_set_SIZE;
    const bool outside = end > c->total, bound = c->ordinal != RGM_RASB && (outside || (!offset && stated));
    ll_patch_field(doc, &fault, exact && in_place && bound ? LL_PATCH_SAFE : LL_PATCH_UNSAFE, right);
    fault.patch.guessed = !exact || !in_place;          /* else the record may have been moved */
    if (field == rgm_actor_variable_offset && !exact) { /* with its copy */
        uint8_t *both = ll_doc_alloc(doc, 2, sizeof(uint32_t));
        if (both) {
            ll_put_uint(both, 4, false, right);
            ll_put_uint(both + 4, 4, false, right);
            ll_patch_bytes(doc, &fault, LL_PATCH_UNSAFE, fault.at.offset, 8, both, 8);
            fault.patch.guessed = true;
        }
    }
    ll_raise(doc, &fault);
}

/* The copy of a variable offset. end: of the slice before it. Of the two offsets of no variables the one that leads
 * there is right. */
static void judge_copy(const rgm_parser *p, const chain *c, uint32_t i, const ll_element *actor, uint64_t end)
{
    const link *l = &c->links[i];
    const uint64_t copy = ll_get_uint(actor, rgm_actor_variable_offset_dup);
    if (copy == l->offset || l->wrong == WRONG_OFFSET) {
        return;
    }
    const ll_where at[] = {rgm_actor_at(p->doc, i, rgm_actor_variable_offset_dup),
                           rgm_actor_at(p->doc, i, rgm_actor_variable_offset)};
    static const char *const names[] = {"variable_offset_dup", "variable_offset"};
    const bool first = !l->size && copy == end; /* it is the one that is wrong */
    const uint64_t found = first ? l->offset : copy, right = first ? copy : l->offset;
    const ll_fault fault = LL_MAKE_FAULT(RGM_FAULT_RAVA_DUP, RGM_HINT_NONE, at[first], at[!first], ll_uint(found),
                                         ll_uint(right), ll_word(names[first]), ll_word(names[!first]));
    rgm_raise_value(p->doc, fault, c->wrong ? LL_PATCH_UNSAFE : LL_PATCH_SAFE,
                    l->size || right == end ? right : UINT64_MAX);
}

/* The length beside a count. Where the slice itself is wrong, nothing is said of it. */
static void judge_length(const rgm_parser *p, const chain *c, uint32_t i, const ll_element *actor)
{
    ll_where at = rgm_actor_at(p->doc, i, c->kind->length);
    uint64_t length = ll_get_uint(actor, c->kind->length);
    uint64_t count = ll_get_uint(actor, c->kind->size);
    uint64_t one = c->kind->unit * count;
    if (!is_length_of(c, actor, count)) {
        unsigned code = c->ordinal == RGM_RAVA ? RGM_FAULT_RAHD_RAVA_LENGTH : RGM_FAULT_RAHD_RASB_LENGTH;
        ll_fault fault = LL_MAKE_FAULT(code, RGM_HINT_NONE, at, rgm_actor_at(p->doc, i, c->kind->size), ll_uint(length),
                                       ll_uint(one));
        rgm_raise_value(p->doc, fault, LL_PATCH_UNSAFE, one);
    }
}

/* The one wrong size is that of the last slice, where no offset tells it, and other fields repeat it: what is wrong is
 * the section, which has more bytes, or less, than anyone asks for. */
static bool judge_rest(rgm_parser *p, const chain *c)
{
    rgm_section *section = &p->summary->section[c->ordinal];
    uint32_t i = 0;
    while (i < c->count && c->links[i].wrong != WRONG_SIZE) {
        i++;
    }
    ll_element actor;
    if (c->wrong != 1 || i == c->count || !rgm_actor_record(p->doc, i, &actor) || !c->kind->length ||
        next_slice(c, i) < c->count) {
        return false;
    }
    uint64_t count = ll_get_uint(&actor, c->kind->size);
    bool counted = c->ordinal == RGM_RAVA ? count_objects(p, i) == ll_get_uint(&actor, rgm_actor_instances) : count;
    if (!counted || ll_get_uint(&actor, c->kind->length) != c->kind->unit * count) {
        return false;
    }
    uint64_t start = c->links[i].size ? c->links[i].offset : c->base + c->sum;
    rgm_raise_shift(p, c->ordinal, section->records, section->start + (uint32_t)(start < c->total ? start : c->total),
                    (int64_t)c->total - (int64_t)(c->base + c->sum));
    ll_mark_span(p->doc, section->records, LL_SPAN_BROKEN);
    return true;
}

static void judge_slices(rgm_parser *p, const chain *c)
{
    if (judge_rest(p, c)) {
        return;
    }
    if (!c->explained) {
        ll_where length = rgm_length_at(p->doc, &p->summary->section[c->ordinal]);
        LL_RAISE_RELATED(p->doc, c->kind->total, RGM_HINT_NONE, length,
                         rgm_actor_at(p->doc, c->count - 1, c->kind->size), ll_uint(c->total),
                         ll_uint(c->base + c->sum), ll_uint(c->base + c->sum), ll_uint(c->total));
    }
    rgm_section *section = &p->summary->section[c->ordinal];
    section->sound = section->sound && c->base + c->sum == c->total; /* else entries are another actor's */
    uint64_t end = c->base;
    ll_element actor;
    for (uint32_t i = 0; i < c->count && rgm_actor_record(p->doc, i, &actor); i++) {
        const link *l = &c->links[i];
        p->summary->actors[i].sound[c->ordinal - RGM_RASB] = !l->wrong;
        if (l->wrong) {
            raise_link(p, c, i, &actor);
        } else if (c->kind->length) {
            judge_length(p, c, i, &actor);
        }
        if (c->ordinal == RGM_RAVA) {
            judge_copy(p, c, i, &actor, end);
        }
        end = end_of(l, end);
    }
}

/* ------------------------------------------------------------------ sections */

void rgm_parse_slices(rgm_parser *p, unsigned ordinal)
{
    const rgm_section *section = &p->summary->section[ordinal];
    chain c;
    rgm_parse_array(p, ordinal);
    if (section->sound && (ordinal != RGM_RASB || rgm_judge_strings(p)) && make_chain(p, ordinal, &c)) {
        judge_slices(p, &c);
    }
    if (ordinal == RGM_RAVA && section->count && rgm_word(p->doc, section->start)) {
        ll_where at = ll_at_field(p->doc, section->records, 0, rgm_variable_value);
        rgm_raise_value(p->doc,
                        LL_MAKE_FAULT(RGM_FAULT_RAVA_SENTINEL, RGM_HINT_NONE, at, ll_nowhere(),
                                      ll_int((int32_t)rgm_word(p->doc, section->start))),
                        LL_PATCH_UNSAFE, 0);
    }
}

void rgm_parse_rasc(rgm_parser *p, unsigned ordinal)
{
    ll_doc *doc = p->doc;
    rgm_section *section = &p->summary->section[ordinal];
    uint32_t end = section->start + section->length;
    uint32_t pos = section->start;
    chain c;
    section->sound = true;
    (void)make_chain(p, ordinal, &c);
    for (uint32_t i = 0; i < c.count && doc->status == LL_OK; i++) {
        const link *l = &c.links[i];
        uint64_t start = section->start + (l->wrong == WRONG_OFFSET ? l->right : l->offset);
        uint64_t size = l->wrong == WRONG_SIZE ? l->right : l->size;
        if (size == 0 || start < pos || !ll_fits(start, size, end)) {
            continue;
        }
        bool first = pos == section->start && start - pos <= PREAMBLE_MAX;
        ll_claim_bytes(doc, section->span, first ? rgm_preamble_LAYOUT : rgm_unreferenced_LAYOUT, pos, (uint32_t)start);
        uint32_t span =
            ll_claim_group(doc, section->span, rgm_block_LAYOUT, (uint32_t)start, (uint32_t)start + (uint32_t)size, i);
        p->summary->actors[i].block = span;
        section->records = section->records == LL_NO_SPAN ? span : section->records;
        section->count++;
        pos = (uint32_t)(start + size);
    }
    ll_claim_bytes(doc, section->span, rgm_unreferenced_LAYOUT, pos, end);
    if (c.links) {
        judge_slices(p, &c);
    }
}
