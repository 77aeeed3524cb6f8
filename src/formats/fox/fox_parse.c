/* Claims every byte of a DataSet. Nothing has a mark of its own but entities, and most of what a property states is in
 * it twice, so that entities and properties are told by what is alike in all of them: the walk goes on where the next
 * one stands, and counts, sizes and offsets are compared with what it met. */
#include "formats/fox/fox.h"

#include "base/ints.h"

#include <limits.h>
#include <string.h>

enum {
    UNIT = 16,
    LEAST_FILE = 0x40,
    VERSION = 0x35,
    EXCHANGED_MAX = 0x100, /* bytes that one property is longer than another */
    LARGEST_PROPERTY = UINT16_MAX,
    MOST_VALUES = INT16_MAX, /* FoxTool reads the number signed */
    SOUGHT_MAX = 1 << 16     /* places where a string is sought, in all */
};

static const char magic[4] = {'\xf2', 'b', 'o', 'x'};

/* What begins at a place. */
typedef enum what { NOTHING, PROPERTY, ENTITY, TABLE } what;

typedef struct walk {
    ll_doc *doc;
    uint32_t header;
    uint32_t found;   /* entities that were claimed */
    uint32_t pos;     /* everything before it is claimed */
    uint32_t table;   /* where the string table begins, as stated */
    uint32_t sought;  /* places where a string was sought */
    uint32_t seen_at; /* the place looked at last, and what begins there; at 0 is the header */
    what seen;
    unsigned flaws; /* of the property there */
    int64_t grown;  /* bytes by which entities are longer than they say, in all */
    bool moved;     /* bytes were put in or taken out, or cannot be read, so that sums do not come out */
} walk;

/* An entity while its properties are claimed. */
typedef struct entity {
    uint32_t span, from;
    uint32_t properties; /* claimed */
    uint64_t all, size;  /* properties and bytes, as stated */
    uint32_t fixed_end;  /* of the static ones, as many as stated, from the entity; 0: there are fewer */
    bool splits;         /* the dynamic offset leads behind the static properties, as many as stated */
    bool damaged;        /* a fault said that it cannot be read in full */
} entity;

ll_probe_result fox_probe(const uint8_t *bytes, size_t size)
{
    if (size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0) {
        return LL_PROBE_SURE;
    }
    bool likely = size >= fox_header_SIZE && ll_le32(bytes + fox_header_at_version) == VERSION &&
                  ll_le32(bytes + fox_header_at_first_entity_offset) == fox_header_SIZE;
    return likely ? LL_PROBE_MAYBE : LL_PROBE_NO;
}

static const uint8_t *at_pos(const walk *w, uint64_t at)
{
    return w->doc->bytes + at;
}

/* A field whose value the places of everything else decide; `alone`: and which is all that is wrong. */
static void expect_number(const walk *w, unsigned fault, uint32_t span, unsigned field, uint64_t computed, bool alone)
{
    ll_element record;
    uint64_t stated = computed;
    if (ll_element_at(w->doc, span, 0, &record)) {
        stated = ll_get_uint(&record, field);
    }
    if (stated != computed) {
        ll_fault f = LL_MAKE_FAULT(fault, 0, ll_at_field(w->doc, span, 0, field), ll_nowhere(), ll_uint(stated),
                                   ll_uint(computed));
        if (alone) {
            ll_patch_field(w->doc, &f, LL_PATCH_SAFE, computed);
        }
        ll_raise(w->doc, &f);
    }
}

static void expect_field(const walk *w, unsigned fault, uint32_t span, unsigned field, uint64_t computed)
{
    expect_number(w, fault, span, field, computed, true);
}

/* ------------------------------------------------------------------ what stands where */

static bool type_known(unsigned type)
{
    return type < FOX_TYPES && fox_types[type].size;
}

/* How much is not there of what all properties have alike. */
static unsigned flaws_of_property(const walk *w, uint32_t at)
{
    if (!ll_fits(at, fox_property_SIZE, w->doc->size)) {
        return UINT_MAX;
    }
    const uint8_t *p = at_pos(w, at);
    uint16_t size = ll_le16(p + fox_property_at_size);
    return (unsigned)(ll_le16(p + fox_property_at_name + 6) != 0) + !type_known(p[fox_property_at_type]) +
           (p[fox_property_at_container] >= FOX_CONTAINERS) +
           (ll_le16(p + fox_property_at_value_offset) != fox_property_SIZE) +
           (size < fox_property_SIZE || size % UNIT) +
           ((ll_le64(p + fox_property_at_reserved) | ll_le64(p + fox_property_at_reserved + 8)) != 0);
}

/* What begins a property, or an entity, stands there, however it goes on. */
static bool begins_like_one(const walk *w, uint64_t at)
{
    if (!ll_fits(at, fox_property_SIZE, w->doc->size)) {
        return false;
    }
    const uint8_t *p = at_pos(w, at);
    bool named = ll_le64(p) && ll_le16(p + fox_property_at_name + 6) == 0;
    return (named && (type_known(p[fox_property_at_type]) || p[fox_property_at_container] < FOX_CONTAINERS)) ||
           (ll_le16(p) == fox_entity_SIZE && memcmp(p + fox_entity_at_tag, "ent", 4) == 0);
}

static bool looks_like_entity(const walk *w, uint32_t at, unsigned wrong)
{
    if (!ll_fits(at, fox_entity_SIZE, w->doc->size)) {
        return false;
    }
    const uint8_t *p = at_pos(w, at);
    uint32_t size = ll_le32(p + fox_entity_at_size);
    return (unsigned)(ll_le16(p + fox_entity_at_header_size) != fox_entity_SIZE) +
               (memcmp(p + fox_entity_at_tag, "ent", 4) != 0) +
               (ll_le32(p + fox_entity_at_static_offset) != fox_entity_SIZE) + (size < fox_entity_SIZE || size % UNIT) +
               !ll_is_zero(p + fox_entity_at_reserved, p + fox_entity_SIZE) <=
           wrong;
}

/* Of what all have alike, at most one thing may be wrong. The end of a property is asked for twice: by it, and by what
 * goes on there. */
static inline what what_is_at(walk *w, uint64_t at)
{
    uint32_t here = (uint32_t)at;
    if (at > w->doc->size) {
        return NOTHING;
    }
    if (here != w->seen_at) {
        w->seen_at = here;
        w->flaws = flaws_of_property(w, here);
        w->seen = w->flaws <= 1                                     ? PROPERTY
                  : looks_like_entity(w, here, 1)                   ? ENTITY
                  : here == w->table || fox_is_string(w->doc, here) ? TABLE
                                                                    : NOTHING;
    }
    return w->seen;
}

/* The next place from `from` on where something begins without doubt, in an entity or only behind it; else the end of
 * the file. */
static uint32_t seek(walk *w, uint32_t from, bool in_entity)
{
    uint32_t at = from < w->doc->size ? from : w->doc->size;
    for (; at < w->doc->size; at++) {
        bool here = looks_like_entity(w, at, 0) || (in_entity && flaws_of_property(w, at) == 0);
        bool plausible = !here && w->doc->size - at >= 8 && ll_le16(at_pos(w, at) + 6) == 0 && ++w->sought < SOUGHT_MAX;
        if (here || (plausible && fox_is_string(w->doc, at))) {
            break;
        }
    }
    return at;
}

/* ------------------------------------------------------------------ properties */

static uint32_t item_size(const fox_type *type)
{
    return (uint32_t)ll_align_up((uint64_t)fox_string_at_length + type->size, UNIT);
}

static uint64_t computed_size(unsigned type, unsigned container, uint32_t values)
{
    const fox_type *t = &fox_types[type];
    return ll_align_up(fox_property_SIZE + (uint64_t)values * (container == FOX_MAP ? item_size(t) : t->size), UNIT);
}

/* Bytes that should be zeros, at most 16, and are not. */
static void raise_nonzero(const walk *w, unsigned fault, ll_where at)
{
    static const uint8_t zeros[UNIT];
    const uint8_t *first = at_pos(w, at.offset);
    while (*first == 0) {
        first++;
    }
    ll_fault f = LL_MAKE_FAULT(fault, 0, at, ll_nowhere(), ll_uint(*first));
    ll_patch_bytes(w->doc, &f, LL_PATCH_SAFE, at.offset, at.length, zeros, at.length);
    ll_raise(w->doc, &f);
}

static inline void judge_padding(const walk *w, uint32_t span, uint64_t from, uint64_t to)
{
    if (!ll_is_zero(at_pos(w, from), at_pos(w, to)) && span != LL_NO_SPAN) {
        const ll_layout *layout = ll_doc_layout(w->doc, span);
        ll_where at = layout->kind == LL_KIND_RECORD ? ll_at_field(w->doc, span, 0, layout->field_count - 1U)
                                                     : ll_at_bytes(span, (uint32_t)from, (uint32_t)(to - from));
        raise_nonzero(w, FOX_FAULT_VALUE_PADDING, at);
    }
}

/* The values of a property whose size is beyond doubt. */
static void claim_values(walk *w, uint32_t span, uint32_t from, uint32_t end)
{
    ll_doc *doc = w->doc;
    const uint8_t *p = at_pos(w, from);
    const fox_type *type = &fox_types[p[fox_property_at_type]];
    uint32_t values = ll_le16(p + fox_property_at_value_count), at = from + fox_property_SIZE;
    if (p[fox_property_at_container] == FOX_MAP) {
        uint32_t size = item_size(type), used = fox_string_at_length + type->size;
        for (uint32_t i = 0; i < values && doc->status == LL_OK; i++, at += size) {
            uint32_t item = ll_claim_record(doc, span, type->item, at, at + size, i);
            judge_padding(w, item, at + used, at + size);
        }
        return;
    }
    (void)ll_claim_array(doc, span, type->value, at, values);
    at += values * type->size;
    judge_padding(w, ll_claim_bytes(doc, span, fox_padding_LAYOUT, at, end), at, end);
}

/* What is alike in all properties, where one of them may be wrong. */
static void judge_head(const walk *w, uint32_t span)
{
    const uint8_t *p = at_pos(w, ll_doc_span(w->doc, span)->offset);
    if (ll_le16(p + fox_property_at_value_offset) != fox_property_SIZE) {
        expect_field(w, FOX_FAULT_PROPERTY_SIZE, span, fox_property_value_offset, fox_property_SIZE);
    }
    if (!ll_is_zero(p + fox_property_at_reserved, p + fox_property_SIZE)) {
        raise_nonzero(w, FOX_FAULT_PROPERTY_RESERVED, ll_at_field(w->doc, span, 0, fox_property_reserved));
    }
}

static bool is_odd_count(unsigned container, uint32_t values)
{
    return (values == 0 && container == FOX_STATIC_ARRAY) || values > MOST_VALUES;
}

/* A property of several values, or of none, that ends at `end` without doubt. */
static uint32_t claim_several(walk *w, const entity *e, uint32_t end)
{
    ll_doc *doc = w->doc;
    uint32_t from = w->pos;
    unsigned container = at_pos(w, from)[fox_property_at_container];
    uint32_t values = ll_le16(at_pos(w, from) + fox_property_at_value_count);
    uint32_t span = ll_claim_record(doc, e->span, fox_property_LAYOUT, from, end, e->properties);
    claim_values(w, span, from, end);
    if (is_odd_count(container, values) && end - from <= LARGEST_PROPERTY) {
        LL_RAISE(doc, FOX_FAULT_PROPERTY_COUNT, 0, ll_at_field(doc, span, 0, fox_property_value_count),
                 ll_uint(values));
    }
    return span;
}

/* A property that ends at `end` without doubt. */
static inline uint32_t claim_sound(walk *w, const entity *e, uint32_t end)
{
    const uint8_t *p = at_pos(w, w->pos);
    const fox_type *type = &fox_types[p[fox_property_at_type]];
    uint32_t span;
    if (p[fox_property_at_container] == FOX_STATIC_ARRAY && ll_le16(p + fox_property_at_value_count) == 1) {
        span = ll_claim_record(w->doc, e->span, type->single, w->pos, end, e->properties);
        judge_padding(w, span, w->pos + fox_property_SIZE + type->size, end);
    } else {
        span = claim_several(w, e, end);
    }
    w->pos = end;
    return span;
}

/* The field that makes a property of another size than it has, where its end is certain: the container if the other way
 * to count gives it, the number of values if another one gives it, else the type. */
static unsigned wrong_of_size(const uint8_t *p, uint32_t size)
{
    unsigned type = p[fox_property_at_type], container = p[fox_property_at_container];
    uint32_t values = ll_le16(p + fox_property_at_value_count);
    const fox_type *t = &fox_types[type];
    if (computed_size(type, container == FOX_MAP ? FOX_LIST : FOX_MAP, values) == size) {
        return fox_property_container;
    }
    uint32_t fitting = (size - fox_property_SIZE) / (container == FOX_MAP ? item_size(t) : t->size);
    bool fits = computed_size(type, container, fitting) == size && (fitting || container != FOX_STATIC_ARRAY);
    return fits ? fox_property_value_count : fox_property_type;
}

/* The fault of a property that ends at `end`. `certain`: its size word leads there. */
static void raise_doubt(const walk *w, uint32_t span, uint64_t computed, uint32_t end, bool certain)
{
    ll_doc *doc = w->doc;
    const uint8_t *p = at_pos(w, w->pos);
    unsigned type = p[fox_property_at_type], container = p[fox_property_at_container];
    uint32_t stated = ll_le16(p + fox_property_at_size);
    ll_where at = ll_at_field(doc, span, 0, fox_property_size);
    if (!type_known(type)) {
        at = ll_at_field(doc, span, 0, fox_property_type);
        LL_RAISE(doc, FOX_FAULT_PROPERTY_TYPE, 0, at, ll_uint(type));
    } else if (container >= FOX_CONTAINERS) {
        at = ll_at_field(doc, span, 0, fox_property_container);
        LL_RAISE(doc, FOX_FAULT_PROPERTY_CONTAINER, 0, at, ll_uint(container));
    } else {
        at = certain ? ll_at_field(doc, span, 0, wrong_of_size(p, stated)) : at;
        LL_RAISE(doc, computed > LARGEST_PROPERTY ? FOX_FAULT_PROPERTY_OVERFLOW : FOX_FAULT_PROPERTY_SIZE, 0, at,
                 ll_uint(stated), ll_uint(certain || computed > LARGEST_PROPERTY ? computed : end - w->pos));
    }
}

/* The entity ends where its size and the number of its properties say. */
static bool ends_as_stated(const entity *e, uint64_t at)
{
    return e->properties == e->all && at - e->from == e->size;
}

/* A property says that it ends at `at`, where nothing begins before `next`. It is right where something begins there
 * however it goes on, or where nothing was put into the entity. */
static bool is_behind(const walk *w, const entity *e, uint64_t at, uint32_t next)
{
    uint64_t end = e->from + e->size;
    bool last = e->properties + 1 == e->all && at == end && next >= at + fox_entity_SIZE;
    bool whole = end < w->doc->size && (looks_like_entity(w, (uint32_t)end, 1) || fox_is_string(w->doc, (uint32_t)end));
    return last || (next > at + UNIT && (whole || begins_like_one(w, at)));
}

/* A property of which not all fits: its end is where the next thing begins, the nearer one of the two places that size
 * and values state, else the first that is found. */
static void claim_doubtful(walk *w, entity *e)
{
    ll_doc *doc = w->doc;
    const uint8_t *p = at_pos(w, w->pos);
    unsigned type = p[fox_property_at_type], container = p[fox_property_at_container];
    uint32_t stated = ll_le16(p + fox_property_at_size);
    bool known = type_known(type) && container < FOX_CONTAINERS;
    uint64_t computed = known ? computed_size(type, container, ll_le16(p + fox_property_at_value_count)) : stated;
    bool by_word = stated >= fox_property_SIZE && what_is_at(w, (uint64_t)w->pos + stated) != NOTHING;
    bool by_values = known && what_is_at(w, w->pos + computed) != NOTHING;
    if (by_values && (!by_word || computed < stated)) {
        uint32_t span = claim_sound(w, e, w->pos + (uint32_t)computed);
        if (computed > LARGEST_PROPERTY) {
            LL_RAISE(doc, FOX_FAULT_PROPERTY_OVERFLOW, 0, ll_at_field(doc, span, 0, fox_property_size), ll_uint(stated),
                     ll_uint(computed));
        } else {
            expect_field(w, FOX_FAULT_PROPERTY_SIZE, span, fox_property_size, computed);
        }
        return;
    }
    uint32_t end = by_word ? w->pos + stated : seek(w, w->pos + fox_property_SIZE, true);
    if (!by_word && known && stated == computed && is_behind(w, e, (uint64_t)w->pos + stated, end)) {
        (void)claim_sound(w, e, w->pos + stated); /* what is behind it is not */
        return;
    }
    uint32_t span = ll_claim_record(doc, e->span, fox_property_LAYOUT, w->pos, end, e->properties);
    (void)ll_claim_unparsed(doc, span, w->pos + fox_property_SIZE, end);
    if (!by_word) {
        w->moved = e->damaged = true;
    }
    if (end < doc->size) { /* else the file is cut, which is said there */
        raise_doubt(w, span, computed, end, by_word);
    }
    w->pos = end;
}

/* The property at pos; it looks like one. */
static void claim_property(walk *w, entity *e)
{
    const uint8_t *p = at_pos(w, w->pos);
    unsigned type = p[fox_property_at_type], container = p[fox_property_at_container];
    uint32_t stated = ll_le16(p + fox_property_at_size), span = w->doc->span_count;
    bool flawless = w->flaws == 0;
    bool sound = (flawless || (type_known(type) && container < FOX_CONTAINERS)) &&
                 computed_size(type, container, ll_le16(p + fox_property_at_value_count)) == stated &&
                 what_is_at(w, (uint64_t)w->pos + stated) != NOTHING;
    if (sound) {
        (void)claim_sound(w, e, w->pos + stated);
    } else {
        claim_doubtful(w, e);
    }
    if (!flawless && w->doc->status == LL_OK && !e->damaged) {
        judge_head(w, span);
    }
    e->properties++;
}

/* ------------------------------------------------------------------ entities */

/* Counts, offsets and size of an entity, which ends at pos, against what was met. Where a count and the size are wrong,
 * properties were put in or taken out, and that is one fault. */
static void judge_entity(walk *w, const entity *e)
{
    ll_doc *doc = w->doc;
    uint32_t size = w->pos - e->from;
    int64_t grown = (int64_t)size - (int64_t)e->size;
    w->grown += grown;
    if (e->damaged) {
        ll_mark_span(doc, e->span, LL_SPAN_DOUBTFUL);
        return;
    }
    const uint8_t *p = at_pos(w, e->from);
    if (ll_le16(p + fox_entity_at_header_size) != fox_entity_SIZE) {
        expect_field(w, FOX_FAULT_ENTITY_HEADER, e->span, fox_entity_header_size, fox_entity_SIZE);
    }
    if (ll_le32(p + fox_entity_at_static_offset) != fox_entity_SIZE) {
        expect_field(w, FOX_FAULT_ENTITY_OFFSETS, e->span, fox_entity_static_offset, fox_entity_SIZE);
    }
    if (memcmp(p + fox_entity_at_tag, "ent", 4) != 0) {
        ll_where tag = ll_at_field(doc, e->span, 0, fox_entity_tag);
        ll_fault fault = LL_MAKE_FAULT(FOX_FAULT_ENTITY_HEADER, 0, tag, ll_nowhere(), ll_chars(tag.offset, tag.length),
                                       ll_word("ent and a NUL"));
        ll_patch_bytes(doc, &fault, LL_PATCH_SAFE, tag.offset, tag.length, (const uint8_t *)"ent", tag.length);
        ll_raise(doc, &fault);
    }
    uint32_t fixed = ll_le16(p + fox_entity_at_static_count);
    uint32_t dynamic = ll_le16(p + fox_entity_at_dynamic_count);
    if (fixed + dynamic != e->properties) {
        bool fixed_right = e->splits || e->properties < dynamic;
        unsigned field = fixed_right ? fox_entity_dynamic_count : fox_entity_static_count;
        expect_number(w, FOX_FAULT_ENTITY_COUNTS, e->span, field, e->properties - (fixed_right ? fixed : dynamic),
                      !grown);
        ll_mark_span(doc, e->span, LL_SPAN_DOUBTFUL);
        w->moved = w->moved || grown;
        return;
    }
    if (grown) {
        expect_field(w, FOX_FAULT_ENTITY_SIZE, e->span, fox_entity_size, size);
    }
    int64_t offset = (int64_t)ll_le32(p + fox_entity_at_dynamic_offset);
    if (offset != e->fixed_end && (!grown || offset + grown != (int64_t)e->fixed_end)) {
        int64_t by = offset - (int64_t)e->fixed_end; /* or a property of so many units more stands elsewhere */
        bool exchanged = by % UNIT == 0 && by < EXCHANGED_MAX && by > -EXCHANGED_MAX;
        expect_number(w, FOX_FAULT_ENTITY_OFFSETS, e->span, fox_entity_dynamic_offset, e->fixed_end, !exchanged);
    }
}

/* The entity at pos; it looks like one. It ends where another one begins, or the string table. */
static void claim_entity(walk *w)
{
    ll_doc *doc = w->doc;
    uint32_t from = w->pos;
    entity e = {ll_claim_record(doc, LL_NO_SPAN, fox_entity_LAYOUT, from, doc->size, w->found), .from = from};
    if (doc->status != LL_OK) {
        return;
    }
    const uint8_t *p = at_pos(w, from);
    uint32_t fixed = ll_le16(p + fox_entity_at_static_count), offset = ll_le32(p + fox_entity_at_dynamic_offset);
    e.all = fixed + ll_le16(p + fox_entity_at_dynamic_count);
    e.size = ll_le32(p + fox_entity_at_size);
    w->pos += fox_entity_SIZE;
    for (what here = PROPERTY; doc->status == LL_OK; here = what_is_at(w, w->pos)) {
        if (e.properties == fixed) {
            e.fixed_end = w->pos - from;
            e.splits = e.fixed_end == offset;
        }
        here = e.properties ? here : what_is_at(w, w->pos);
        if (here == PROPERTY) {
            claim_property(w, &e);
            continue;
        }
        if (here != NOTHING || w->pos == doc->size || ends_as_stated(&e, w->pos)) {
            break;
        }
        uint32_t next = seek(w, w->pos, true);
        uint32_t span = ll_claim_unparsed(doc, e.span, w->pos, next);
        if (next < doc->size) {
            LL_RAISE(doc, FOX_FAULT_PROPERTY_SIZE, 0, ll_at_bytes(span, w->pos, next - w->pos), ll_uint(next - w->pos),
                     ll_word("a property"));
        }
        w->moved = e.damaged = true;
        w->pos = next;
    }
    ll_end_span(doc, e.span, w->pos);
    w->found++;
    if (doc->status == LL_OK) {
        judge_entity(w, &e);
    }
}

/* ------------------------------------------------------------------ the file */

static void claim_entities(walk *w)
{
    ll_doc *doc = w->doc;
    while (doc->status == LL_OK && w->pos < doc->size) {
        what here = what_is_at(w, w->pos);
        if (here == ENTITY) {
            claim_entity(w);
            continue;
        }
        if (here == TABLE) {
            return;
        }
        uint32_t next = seek(w, w->pos, false);
        uint32_t span = ll_claim_unparsed(doc, LL_NO_SPAN, w->pos, next);
        if (next < doc->size) {
            LL_RAISE(doc, FOX_FAULT_ENTITY_HEADER, 0, ll_at_bytes(span, w->pos, next - w->pos), ll_uint(next - w->pos),
                     ll_word("an entity"));
        }
        w->moved = true;
        w->pos = next;
    }
}

/* Number of entities and place of the string table, which begins at pos, as the header states them. */
static void judge_walk(walk *w)
{
    ll_element header;
    bool counted =
        ll_element_at(w->doc, w->header, 0, &header) && ll_get_uint(&header, fox_header_entity_count) == w->found;
    bool placed = w->table + w->grown == w->pos;
    if (!w->moved && !counted) {
        expect_number(w, FOX_FAULT_ENTITY_WALK, w->header, fox_header_entity_count, w->found, placed);
    } else if (!w->moved && !placed) {
        expect_field(w, FOX_FAULT_ENTITY_WALK, w->header, fox_header_string_table_offset, w->pos);
    }
    w->moved = w->moved || w->table != w->pos || w->pos % UNIT;
}

void fox_parse(ll_doc *doc)
{
    walk w = {.doc = doc, .pos = fox_header_SIZE};
    uint32_t moved_from = doc->size;
    if (doc->size < LEAST_FILE) {
        uint32_t rest = ll_claim_unparsed(doc, LL_NO_SPAN, 0, doc->size);
        LL_RAISE(doc, FOX_FAULT_TOO_SHORT, 0, ll_at_bytes(rest, 0, doc->size), ll_uint(doc->size), ll_uint(LEAST_FILE));
        doc->fatal = true;
        return;
    }
    w.header = ll_claim_fixed(doc, LL_NO_SPAN, fox_header_LAYOUT, 0);
    ll_element header;
    if (!ll_element_at(doc, w.header, 0, &header)) {
        return;
    }
    w.table = (uint32_t)ll_get_uint(&header, fox_header_string_table_offset);
    claim_entities(&w);
    if (doc->status != LL_OK) {
        return;
    }
    if (w.pos == doc->size && w.table != w.pos) {
        LL_RAISE(doc, FOX_FAULT_TRUNCATED, 0, ll_at_bytes(LL_NO_SPAN, doc->size, 0), ll_uint(doc->size),
                 ll_uint(w.table));
        doc->unread = true;
    } else {
        judge_walk(&w);
        moved_from = fox_claim_strings(doc, w.pos, w.moved);
    }
    if (doc->status == LL_OK) {
        fox_resolve(doc, moved_from);
    }
}
