/* Compares two documents record by record. Reads both as trees of records (records.h), aligns the children of paired
 * records from the root down (align.h), then compares pairs field by field.
 *
 * What belongs to one record alone is split off and becomes a record in it, if this is known in both files (shares.h).
 * An array that is equal on both sides is not split, so that a wrong count is one difference. What the same field of
 * two equal records leads to is equal too, unless it was matched with something else. What only records of one side
 * lead to is reported with them. ll_leaf_follows() leaves out fields that follow from others; a reference is equal if
 * its targets are. */
#include "base/array.h"
#include "base/map.h"
#include "model/value.h"
#include "files/align.h"
#include "files/dump.h"
#include "files/records.h"
#include "findings/words.h"

#include <stdlib.h>

enum {
    LIKE_ANYWAY = 3, /* records with at most this many fields are paired even if all fields differ, when `sure` */
    BYTES_SHOWN = 16,
    FEW = 4 /* elements of a field that are shown together */
};

typedef LL_ARRAY(ll_leaf) leaves;

typedef struct side {
    ll_report *report;
    const ll_doc *doc; /* document with its shares split off */
    ll_shares shares;
    ll_records records;
    ll_deriver deriver;              /* .spans NULL: not started yet */
    ll_resolver *resolvers;          /* by row of the format's references */
    uint64_t *named[LL_LAYOUTS_MAX]; /* by layout and field: hash of the name of the field; 0: not content */
    uint64_t *content;               /* by record: hash of its content, without names and derived values */
    uint64_t led;                    /* hash of the content of the records that the current record points to; 0: none */
    bool leads[LL_LAYOUTS_MAX];      /* by layout: has fields that point to records */
    bool open[LL_LAYOUTS_MAX];       /* by layout: references to such records are followed */
    uint32_t *partner;               /* by record: its pair on the other side, or LL_NO_RECORD */
    uint8_t *marks;                  /* by record: MOVED, ... */
    ll_align_item *items;            /* children of the current record */
    leaves leaves;                   /* leaves of the current record */
    leaves holes;                    /* bytes that no record covers */
    ll_text words;                   /* texts of the current difference */
} side;

/* Marks of a record. A member's bytes are compared as a file. */
enum { MOVED = 1, MEMBER = 2, LED_TO = 4, LED_TO_BY_PAIRED = 8 };

typedef struct led {
    uint32_t record;
    uint64_t content;
} led;

typedef struct differ {
    side sides[2];
    ll_arena *arena;
    ll_allocator allocator;
    LL_ARRAY(uint32_t) paired; /* records of the first side that have a pair, outer ones first */
    ll_difference_fn visit;
    void *ctx;
    ll_status status;
    bool going; /* the visitor wants more */
    bool told;  /* a difference was reported */
    bool all;   /* report derived values too */
} differ;

/* ------------------------------------------------------------------ leaves of a record */

static bool add_leaf(void *ctx, const ll_leaf *leaf)
{
    differ *d = ((void **)ctx)[0];
    leaves *to = ((void **)ctx)[1];
    ll_leaf *room = LL_ARRAY_ADD(to, &d->allocator);
    if (!room) {
        d->status = LL_E_MEMORY;
        return false;
    }
    *room = *leaf;
    room->part = NULL;
    return true;
}

/* Reads the leaves of a record; valid until the next call for that side. */
static void read_leaves(differ *d, unsigned which, uint32_t record)
{
    side *s = &d->sides[which];
    const ll_record *r = &s->records.items[record];
    s->leaves.count = 0;
    if (r->span != LL_NO_SPAN) {
        (void)ll_doc_walk_element(s->doc, r->span, r->element, add_leaf, (void *[]){d, &s->leaves});
    }
}

static const ll_field *field_of(const side *s, const ll_leaf *leaf)
{
    const ll_layout *layout = ll_doc_layout(s->doc, leaf->span);
    return leaf->field < layout->field_count ? &layout->fields[leaf->field] : NULL;
}

static const uint8_t *bytes_of(const side *s, const ll_leaf *leaf)
{
    return ll_doc_at(s->doc, leaf->offset);
}

/* The leaf with the same field name in the other side's record, or NULL. */
static const ll_leaf *same_leaf(const differ *d, unsigned which, size_t i)
{
    const side *s = &d->sides[which];
    const side *o = &d->sides[!which];
    const ll_field *field = field_of(s, &s->leaves.items[i]);
    for (size_t k = 0; k < o->leaves.count; k++) {
        const ll_leaf *leaf = &o->leaves.items[(i + k) % o->leaves.count]; /* usually at the same index */
        const ll_field *other = field_of(o, leaf);
        if (field == other || (field && other && strcmp(field->name, other->name) == 0)) {
            return leaf;
        }
    }
    return NULL;
}

static bool equal_bytes(const differ *d, const ll_leaf *a, const ll_leaf *b)
{
    return a->length == b->length && memcmp(bytes_of(&d->sides[0], a), bytes_of(&d->sides[1], b), a->length) == 0;
}

/* The records have one layout and the same bytes, so no field differs. */
static bool equal_records(const differ *d, const uint32_t records[2])
{
    const ll_span *s[2];
    ll_leaf own[2];
    for (unsigned i = 0; i < 2; i++) {
        const side *of = &d->sides[i];
        const ll_record *r = &of->records.items[records[i]];
        if (r->element == LL_NO_ELEMENT) {
            return false;
        }
        s[i] = ll_doc_span(of->doc, r->span);
        const ll_layout *layout = &of->doc->layouts[s[i]->layout];
        bool fields = layout->kind == LL_KIND_RECORD;
        bool none = layout->kind == LL_KIND_GROUP || (fields && !s[i]->count);
        own[i] = (ll_leaf){.offset = s[i]->offset + (fields ? r->element * layout->size : 0),
                           .length = none     ? 0
                                     : fields ? layout->size
                                              : s[i]->length};
    }
    bool text = d->sides[0].doc->layouts[s[0]->layout].kind == LL_KIND_STRING;
    return s[0]->layout == s[1]->layout && (!text || s[0]->count == s[1]->count) && equal_bytes(d, &own[0], &own[1]);
}

static bool equal_values(differ *d, const ll_leaf *const both[2])
{
    const ll_layout *one = ll_doc_layout(d->sides[0].doc, both[0]->span);
    const ll_layout *two = ll_doc_layout(d->sides[1].doc, both[1]->span);
    const ll_field *a = field_of(&d->sides[0], both[0]);
    const ll_field *b = field_of(&d->sides[1], both[1]);
    if (a == b || (one->endian == two->endian && a->type == b->type)) {
        return equal_bytes(d, both[0], both[1]);
    }
    for (unsigned i = 0; i < 2; i++) {
        ll_text_clear(&d->sides[i].words);
        ll_leaf_whole_value(d->sides[i].doc, both[i], &d->sides[i].words);
    }
    const ll_text *x = &d->sides[0].words;
    const ll_text *y = &d->sides[1].words;
    return x->length == y->length && memcmp(x->data, y->data, x->length) == 0;
}

/* ------------------------------------------------------------------ targets of fields */

/* The record that a field points into; *into: bytes from its start. LL_NO_RECORD: unknown. *null: the field points to
 * nothing. */
static uint32_t target_of(const side *s, const ll_leaf *leaf, uint32_t *into, bool *null)
{
    const ll_format *format = s->doc->format;
    const ll_reference *row = ll_reference_of(format, ll_doc_span(s->doc, leaf->span)->layout, leaf->field);
    ll_target target;
    *null = false;
    if (!row) {
        return LL_NO_RECORD;
    }
    ll_resolver *resolver = &s->resolvers[row - format->references];
    ll_resolve(resolver, leaf->span, leaf->element, &target);
    *null = target.null;
    ll_where at = target.null || !target.inside ? ll_nowhere() : ll_target_place(resolver, &target);
    if (at.span == LL_NO_SPAN) {
        return LL_NO_RECORD;
    }
    const ll_span *span = ll_doc_span(s->doc, at.span);
    *into = at.offset - span->offset - at.element * ll_doc_layout(s->doc, at.span)->size;
    return s->records.of_span[at.span] + at.element;
}

/* The record that the field of `row` points into; LL_NO_RECORD: none, or its layout is not open. */
static uint32_t led_by(const side *s, uint32_t record, const ll_reference *row)
{
    const ll_record *r = &s->records.items[record];
    const ll_leaf leaf = {.span = r->span, .element = r->element, .field = row->field};
    uint32_t into;
    bool null;
    return s->open[row->target] && r->span != LL_NO_SPAN && r->element != LL_NO_ELEMENT &&
                   ll_doc_span(s->doc, r->span)->layout == row->layout && ll_is_usable(s->doc, r->span)
               ? target_of(s, &leaf, &into, &null)
               : LL_NO_RECORD;
}

/* Whether the record has fields that point to records. */
static bool leads(const side *s, uint32_t record)
{
    uint32_t span = s->records.items[record].span;
    return span != LL_NO_SPAN && s->leads[ll_doc_span(s->doc, span)->layout];
}

typedef void (*lead_fn)(side *s, uint32_t record, uint32_t target);

/* Calls `visit` for each record that a record points to. */
static void visit_led(side *s, uint32_t record, lead_fn visit)
{
    const ll_format *format = s->doc->format;
    for (size_t k = 0; leads(s, record) && k < format->reference_count; k++) {
        uint32_t target = led_by(s, record, &format->references[k]);
        if (target != LL_NO_RECORD) {
            visit(s, record, target);
        }
    }
}

/* ------------------------------------------------------------------ content of a record */

/* Finds the fields that belong to the content of a record: those that are no names, sizes and offsets. */
static void name_content(differ *d, side *s)
{
    for (unsigned i = 0; i < LL_LAYOUTS_MAX && d->status == LL_OK; i++) {
        const ll_layout *layout = s->doc->firsts[i] ? &s->doc->layouts[i] : NULL;
        unsigned count = layout ? layout->field_count : 0;
        s->named[i] = ll_arena_zalloc(d->arena, count, sizeof *s->named[i]);
        d->status = s->named[i] ? LL_OK : LL_E_MEMORY;
        for (unsigned k = 0; k < count && s->named[i]; k++) {
            const ll_field *field = &layout->fields[k];
            bool key = layout->key_field == k && layout->kind == LL_KIND_RECORD;
            uint64_t hash = ll_map_hash_bytes(1, field->name, strlen(field->name));
            s->named[i][k] = key || field->role == LL_ROLE_SIZE || field->role == LL_ROLE_OFFSET ? 0 : hash ? hash : 1;
        }
    }
}

/* Adds a leaf to the content hash of its record, unless it is no content, or zero. */
static bool add_content(void *ctx, const ll_leaf *leaf)
{
    side *s = ctx;
    if (leaf->kind == LL_KIND_GAP || leaf->kind == LL_KIND_UNPARSED) {
        return true;
    }
    const unsigned number = ll_doc_span(s->doc, leaf->span)->layout;
    const ll_layout *layout = &s->doc->layouts[number];
    const ll_field *field = leaf->field < layout->field_count ? &layout->fields[leaf->field] : NULL;
    unsigned role = field ? field->role : layout->role;
    uint64_t named = field ? s->named[number][leaf->field] : role;
    bool counts = field ? named : role != LL_ROLE_SIZE && role != LL_ROLE_OFFSET;
    const uint8_t *bytes = bytes_of(s, leaf);
    if (!counts || (role != LL_ROLE_DATA && ll_is_zero(bytes, bytes + leaf->length))) {
        return true;
    }
    uint32_t record = s->records.of_span[leaf->span] + leaf->element;
    bool may_name = layout->kind == LL_KIND_STRING || s->records.items[record].by == LL_BY_FIELDS;
    if (!may_name || layout->key_field == leaf->field || !ll_record_shows(&s->records, record, leaf->field)) {
        s->content[record] = ll_map_hash_bytes(named ^ s->content[record], bytes, leaf->length);
    }
    return true;
}

static void add_led(side *s, uint32_t record, uint32_t target)
{
    (void)record;
    s->led = ll_map_hash(s->led ^ ll_map_hash(s->content[target]));
}

/* Gives a record without content of its own the content of the records that it points to. */
static void read_led(differ *d, side *s)
{
    LL_ARRAY(led) all = {.items = NULL};
    for (uint32_t i = 1; i < s->records.count && d->status == LL_OK; i++) {
        s->led = 0;
        if (!s->content[i]) {
            visit_led(s, i, add_led);
        }
        led *room = s->led ? LL_ARRAY_ADD(&all, &d->allocator) : NULL;
        d->status = s->led && !room ? LL_E_MEMORY : LL_OK;
        if (room) {
            *room = (led){i, s->led};
        }
    }
    for (size_t i = 0; i < all.count; i++) {
        s->content[all.items[i].record] = all.items[i].content;
    }
    LL_ARRAY_FREE(&all, &d->allocator);
}

/* The spans stand one after the other, and each leaf is a field or a whole span: no gaps, no unparsed bytes, no
 * code. */
static bool is_plain(const ll_doc *doc)
{
    bool plain = doc->tiled == doc->size && doc->region_count == 1;
    for (unsigned i = 0; i < LL_LAYOUTS_MAX && plain; i++) {
        const ll_layout *layout = doc->firsts[i] ? &doc->layouts[i] : NULL;
        plain = !layout ||
                (layout->kind != LL_KIND_GAP && layout->kind != LL_KIND_UNPARSED && layout->role != LL_ROLE_CODE);
    }
    return plain;
}

/* The record has the same number, bytes and name on both sides. */
static bool is_same_record(const differ *d, uint32_t record)
{
    const ll_record *a = &d->sides[0].records.items[record], *b = &d->sides[1].records.items[record];
    const ll_record *above = &d->sides[0].records.items[a->parent], *its = &d->sides[1].records.items[b->parent];
    return a->parent == b->parent && a->by == b->by && a->text == b->text && above->by == its->by &&
           above->text == its->text && equal_records(d, (const uint32_t[2]){record, record});
}

/* Hashes the own bytes of records. Records that are the same on the other side, if that was read, are not read again.
 */
static void read_own_content(differ *d, side *s)
{
    const side *other = &d->sides[s == d->sides];
    s->content = ll_arena_zalloc(d->arena, s->records.count, sizeof *s->content);
    d->status = s->content ? LL_OK : LL_E_MEMORY;
    name_content(d, s);
    if (d->status != LL_OK) {
        return;
    }
    if (!other->content || s->records.count != other->records.count || !is_plain(s->doc) || !is_plain(other->doc)) {
        ll_doc_walk(s->doc, add_content, s);
        return;
    }
    for (uint32_t i = 1; i < s->records.count; i++) {
        if (is_same_record(d, i)) {
            s->content[i] = other->content[i];
        } else {
            (void)ll_doc_walk_element(s->doc, s->records.items[i].span, s->records.items[i].element, add_content, s);
        }
    }
}

/* The first child of the first child and so on of a record; the record itself if it has none. */
static uint32_t innermost(const side *s, uint32_t record)
{
    while (s->records.items[record].first != LL_NO_RECORD) {
        record = s->records.items[record].first;
    }
    return record;
}

static void read_content(differ *d, side *s)
{
    memset(s->open, 1, sizeof s->open);
    read_led(d, s);
    for (uint32_t i = innermost(s, 0); i != 0;) { /* children before their parents */
        const ll_record *r = &s->records.items[i];
        s->content[r->parent] = ll_map_hash(s->content[r->parent] ^ ll_map_hash(s->content[i] + 1));
        i = r->next == LL_NO_RECORD ? r->parent : innermost(s, r->next);
    }
}

static bool add_hole(void *ctx, const ll_leaf *leaf)
{
    bool hole = leaf->kind == LL_KIND_GAP || leaf->kind == LL_KIND_UNPARSED;
    return !hole || add_leaf(ctx, leaf);
}

static void open_side(differ *d, side *s)
{
    d->status = ll_shares_split(&s->report->doc, d->arena, &s->shares, &s->doc);
    d->status = d->status == LL_OK ? ll_records_read(s->doc, &s->shares, d->arena, &s->records) : d->status;
    if (d->status != LL_OK) {
        return;
    }
    size_t count = s->records.count;
    s->partner = ll_arena_alloc(d->arena, count, sizeof *s->partner);
    s->marks = ll_arena_zalloc(d->arena, count, sizeof *s->marks);
    s->items = ll_arena_alloc(d->arena, count, sizeof *s->items);
    s->resolvers = ll_resolvers_start(s->doc, d->arena);
    bool room = s->partner && s->marks && s->items && s->resolvers;
    d->status = d->status == LL_OK && !room ? LL_E_MEMORY : d->status;
    if (d->status == LL_OK) {
        memset(s->partner, 0xFF, count * sizeof *s->partner);
        for (uint32_t i = 0; i < s->report->members.count; i++) {
            s->marks[s->records.of_span[s->report->members.items[i].span]] = MEMBER;
        }
        for (size_t i = 0; s->doc->format && i < s->doc->format->reference_count; i++) {
            s->leads[s->doc->format->references[i].layout] = true;
        }
        read_own_content(d, s);
        if (!is_plain(s->doc)) {
            ll_doc_walk(s->doc, add_hole, (void *[]){d, &s->holes});
        }
    }
}

/* ------------------------------------------------------------------ pairing records */

/* Whether a record is a group, without bytes of its own, that holds a region. */
static bool is_holder(const side *s, uint32_t record)
{
    uint32_t number = s->records.items[record].span;
    const ll_span *span = number == LL_NO_SPAN ? NULL : ll_doc_span(s->doc, number);
    bool is = false;
    for (uint32_t i = 1; span && ll_doc_layout(s->doc, number)->kind == LL_KIND_GROUP && i < s->doc->region_count;
         i++) {
        const ll_region *region = &s->doc->regions[i];
        is = is || (span->offset == region->outer_offset - s->doc->regions[0].outer_offset &&
                    span->length == region->outer_length);
    }
    return is;
}

/* Whether all bytes of a record are shown as a region instead. */
static bool is_held(const side *s, uint32_t record)
{
    const ll_span *span = ll_doc_span(s->doc, s->records.items[record].span);
    return span->length && ll_bytes_are_held(s->doc, span->offset, span->length) && !is_holder(s, record);
}

/* Whether a record is filler bytes. */
static bool is_filling(const side *s, uint32_t record)
{
    uint32_t number = s->records.items[record].span;
    const ll_span *span = ll_doc_span(s->doc, number);
    const uint8_t *bytes = ll_doc_at(s->doc, span->offset);
    return ll_doc_layout(s->doc, number)->kind == LL_KIND_BYTES &&
           ll_doc_layout(s->doc, number)->role != LL_ROLE_DATA &&
           ll_is_filling(s->doc->format, span->layout, bytes, span->length);
}

static uint32_t list_records(side *s, uint32_t parent)
{
    uint32_t n = 0;
    for (uint32_t i = s->records.items[parent].first; i != LL_NO_RECORD; i = s->records.items[i].next) {
        if (!ll_record_is_hole(&s->records, i) && !is_held(s, i) && !is_filling(s, i)) {
            s->items[n++] =
                (ll_align_item){ll_record_key(&s->records, i, &s->words), s->content[i], i, LL_NO_PARTNER, false};
        }
    }
    return n;
}

/* An ll_align_like. Records with different names are different, unless one record was renamed. */
static bool are_like(void *ctx, uint32_t one, uint32_t other, bool sure)
{
    differ *d = ctx;
    const side *a = &d->sides[0];
    const side *b = &d->sides[1];
    const ll_layout *layout = ll_doc_layout(a->doc, a->records.items[one].span);
    const ll_layout *its = ll_doc_layout(b->doc, b->records.items[other].span);
    size_t total = 0;
    size_t equal = 0;
    bool same_label = layout->label[0] ? strcmp(layout->label, its->label) == 0 : strcmp(layout->name, its->name) == 0;
    if (layout->kind != its->kind || (!same_label && layout->kind != LL_KIND_BYTES)) {
        return false;
    }
    if (a->content[one] == b->content[other] ||
        !same_label) { /* what bytes mean depends on another field, so they must be equal */
        return a->content[one] == b->content[other];
    }
    if (ll_record_is_named(&a->records, one) || ll_record_is_named(&b->records, other)) {
        return false;
    }
    read_leaves(d, 0, one);
    read_leaves(d, 1, other);
    for (size_t i = 0; i < a->leaves.count; i++) {
        const ll_leaf *both[2] = {&a->leaves.items[i], same_leaf(d, 0, i)};
        const ll_field *field = field_of(a, both[0]);
        bool counts = !field || field->role == LL_ROLE_DATA || field->role == LL_ROLE_COUNT;
        total += counts;
        equal += counts && both[1] && equal_values(d, both);
    }
    return (sure && total <= LIKE_ANYWAY) || (total && 2 * equal >= total);
}

static bool add_pair(differ *d, uint32_t one, uint32_t other)
{
    uint32_t *room = LL_ARRAY_ADD(&d->paired, &d->allocator);
    if (!room) {
        d->status = LL_E_MEMORY;
        return false;
    }
    *room = one;
    d->sides[0].partner[one] = other;
    d->sides[1].partner[other] = one;
    return true;
}

/* Aligns the children of paired records, from number `first` on; new pairs are added and aligned too. */
static void align_from(differ *d, size_t first)
{
    for (size_t i = first; d->status == LL_OK && i < d->paired.count; i++) {
        const uint32_t pair[2] = {d->paired.items[i], d->sides[0].partner[d->paired.items[i]]};
        uint32_t n[2];
        if (d->sides[0].records.items[pair[0]].first == LL_NO_RECORD ||
            d->sides[1].records.items[pair[1]].first == LL_NO_RECORD) {
            continue; /* one of them has no children */
        }
        for (unsigned which = 0; which < 2; which++) {
            n[which] = list_records(&d->sides[which], pair[which]);
        }
        ll_align_item *a = d->sides[0].items;
        ll_align_item *b = d->sides[1].items;
        d->status = ll_align((ll_align_list){a, n[0]}, (ll_align_list){b, n[1]}, d->arena, are_like, d);
        for (uint32_t k = 0; d->status == LL_OK && k < n[0]; k++) {
            if (a[k].partner != LL_NO_PARTNER && add_pair(d, a[k].item, b[a[k].partner].item)) {
                d->sides[1].marks[b[a[k].partner].item] |= a[k].moved ? MOVED : 0;
            }
        }
    }
}

/* Pairs the unpaired records that the same reference of two paired records points to, if they are alike. */
static void pair_led(differ *d, uint32_t record)
{
    const ll_format *format = d->sides[0].doc->format;
    const uint32_t records[2] = {record, d->sides[0].partner[record]};
    for (size_t k = 0; leads(&d->sides[0], record) && k < format->reference_count; k++) {
        uint32_t target[2];
        bool free = true;
        for (unsigned i = 0; i < 2 && free; i++) {
            target[i] = led_by(&d->sides[i], records[i], &format->references[k]);
            free = target[i] != LL_NO_RECORD && d->sides[i].partner[target[i]] == LL_NO_RECORD;
        }
        if (free && are_like(d, target[0], target[1], true)) {
            (void)add_pair(d, target[0], target[1]);
        }
    }
}

static void note_led(side *s, uint32_t record, uint32_t target)
{
    s->marks[target] |= s->partner[record] == LL_NO_RECORD ? LED_TO : LED_TO_BY_PAIRED;
}

/* Opens the layouts that have unpaired records. False: there are none. */
static bool find_open(side *s)
{
    bool any = false;
    memset(s->open, 0, sizeof s->open);
    for (uint32_t i = 1; i < s->records.count; i++) {
        if (s->partner[i] == LL_NO_RECORD) {
            s->open[ll_doc_span(s->doc, s->records.items[i].span)->layout] = any = true;
        }
    }
    return any;
}

static void align_all(differ *d)
{
    (void)(d->status == LL_OK && add_pair(d, 0, 0));
    align_from(d, 0);
    size_t count = d->paired.count;
    bool open[2] = {false, false};
    for (unsigned i = 0; d->status == LL_OK && i < 2; i++) {
        open[i] = find_open(&d->sides[i]);
    }
    for (size_t i = 0; d->status == LL_OK && open[0] && open[1] && i < count; i++) {
        pair_led(d, d->paired.items[i]);
    }
    align_from(d, count);
    for (unsigned i = 0; d->status == LL_OK && i < 2; i++) {
        side *s = &d->sides[i];
        for (uint32_t record = 1; open[i] && record < s->records.count; record++) {
            visit_led(s, record, note_led);
        }
    }
}

/* ------------------------------------------------------------------ differences */

/* Whether fields point to the same record, to records of equal content, or both to nothing. */
static bool same_target(const differ *d, const ll_leaf *const both[2])
{
    uint32_t into[2] = {0, 0};
    bool null[2];
    uint32_t one = target_of(&d->sides[0], both[0], &into[0], &null[0]);
    uint32_t other = target_of(&d->sides[1], both[1], &into[1], &null[1]);
    return one == LL_NO_RECORD || other == LL_NO_RECORD
               ? null[0] && null[1]
               : into[0] == into[1] &&
                     (d->sides[0].partner[one] == other || d->sides[0].content[one] == d->sides[1].content[other]);
}

/* A row derives the field of a leaf, or the field is a reference. */
static bool has_row(const ll_doc *doc, const ll_leaf *leaf)
{
    const ll_format *format = doc->format;
    unsigned layout = ll_doc_span(doc, leaf->span)->layout;
    bool has = ll_reference_of(format, layout, leaf->field);
    for (size_t i = 0; i < format->derivation_count && !has; i++) {
        has = format->derivations[i].layout == layout && format->derivations[i].field == leaf->field;
    }
    return has;
}

/* ll_leaf_follows(). Starts the deriver, which sorts all spans, for the first leaf that a row derives. No memory:
 * d->status says so. */
static ll_follows follows_on(differ *d, side *s, const ll_leaf *leaf)
{
    bool needed = leaf->kind == LL_KIND_RECORD && !s->deriver.spans && has_row(s->doc, leaf);
    s->deriver.doc = s->doc;
    if (needed && !ll_deriver_start(&s->deriver, s->doc, d->arena)) {
        d->status = LL_E_MEMORY;
        return LL_FOLLOWS;
    }
    return ll_leaf_follows(&s->shares, &s->deriver, leaf);
}

/* Whether a field differs only because other bytes do. It may be absent on one side. */
static bool follows(differ *d, const ll_leaf *const both[2])
{
    ll_follows how[2] = {LL_FOLLOWS, LL_FOLLOWS};
    for (unsigned i = 0; i < 2; i++) {
        how[i] = both[i] ? follows_on(d, &d->sides[i], both[i]) : LL_FOLLOWS;
    }
    if (how[0] == LL_FOLLOWS && how[1] == LL_FOLLOWS) {
        return true;
    }
    bool fields = both[0] && both[1] && both[0]->kind == LL_KIND_RECORD && both[1]->kind == LL_KIND_RECORD;
    bool right = how[0] == LL_FOLLOWS || how[1] == LL_FOLLOWS;
    bool stands = how[0] == LL_STANDS || how[1] == LL_STANDS;
    return fields && !(right && stands) && /* derived correctly on one side only */
           (same_target(d, both) || (!stands && field_of(&d->sides[0], both[0])->role == LL_ROLE_SIZE));
}

static void tell(differ *d, ll_difference *difference)
{
    for (unsigned i = 0; i < 2; i++) {
        d->status = d->sides[i].words.failed ? LL_E_MEMORY : d->status;
    }
    d->told = true;
    d->going = d->status == LL_OK && d->visit(d->ctx, difference);
}

static void put_place(const side *s, uint32_t address, uint32_t length, bool after, ll_difference *out)
{
    const ll_region *region = ll_doc_locate(s->doc, address);
    out->region = region->name ? region->name : out->region;
    *(after ? &out->is_after : &out->is_before) = true;
    *(after ? &out->offset_after : &out->offset_before) = address - region->base;
    *(after ? &out->length_after : &out->length_before) = length;
}

/* Ends a text in `words` with a NUL; returns its start, since addresses change until all texts are there. */
static size_t end_text(ll_text *words, size_t from)
{
    ll_text_char(words, '\0');
    return from;
}

static void tell_record(differ *d, ll_difference_kind kind, uint32_t one, uint32_t other)
{
    unsigned which = other != LL_NO_RECORD;
    side *s = &d->sides[which];
    uint32_t records[2] = {one, other};
    ll_difference difference = {.kind = kind};
    ll_text_clear(&s->words);
    ll_record_full_path(&s->records, records[which], &s->words);
    ll_text_char(&s->words, '\0');
    size_t type = s->words.length;
    ll_where at = ll_record_place(&s->records, records[which]);
    if (ll_kind_field(ll_doc_layout(s->doc, at.span)) != LL_NO_FIELD) {
        (void)ll_kind_text(s->doc, &at, "", &s->words);
    }
    (void)end_text(&s->words, 0);
    for (unsigned i = 0; i < 2; i++) {
        const side *of = &d->sides[i];
        if (records[i] != LL_NO_RECORD) {
            ll_where place = ll_record_place(&of->records, records[i]);
            put_place(of, place.offset, place.length, i, &difference);
        }
    }
    difference.path = s->words.data;
    difference.type = s->words.data + type;
    tell(d, &difference);
}

/* The only differing element of a field with many; LL_NO_PART: several differ, or the field has few. */
static unsigned one_part(const differ *d, const ll_leaf *const both[2])
{
    const ll_field *field = both[0] && both[1] ? field_of(&d->sides[0], both[0]) : NULL;
    unsigned bytes = field ? ll_type_bytes(field->type) : 0;
    unsigned part = LL_NO_PART;
    bool many = field && field->type < LL_TYPE_CHARS && ll_field_elements(field) > FEW &&
                both[0]->length == field->bytes && both[1]->length == field->bytes &&
                field == field_of(&d->sides[1], both[1]);
    for (unsigned i = 0; many && i < ll_field_elements(field); i++) {
        if (memcmp(bytes_of(&d->sides[0], both[0]) + i * bytes, bytes_of(&d->sides[1], both[1]) + i * bytes, bytes) !=
            0) {
            if (part != LL_NO_PART) {
                return LL_NO_PART;
            }
            part = i;
        }
    }
    return part;
}

static void put_leaf_value(const side *s, const ll_leaf *leaf, unsigned part, ll_text *out)
{
    if (part == LL_NO_PART) {
        ll_leaf_whole_value(s->doc, leaf, out);
        return;
    }
    const ll_field *field = field_of(s, leaf);
    unsigned bytes = ll_type_bytes(field->type);
    ll_value_text(s->doc, field, ll_doc_layout(s->doc, leaf->span)->endian, leaf->offset + part * bytes, bytes, out);
}

/* Reports a field, or bytes outside all records, that differ or are on one side only. */
static void tell_leaf(differ *d, ll_difference_kind kind, uint32_t record, const ll_leaf *const both[2])
{
    ll_difference difference = {.kind = kind};
    unsigned which = both[1] != NULL;
    unsigned part = one_part(d, both);
    ll_text *path = &d->sides[which].words;
    size_t value[2] = {0, 0};
    ll_text_clear(&d->sides[0].words);
    ll_text_clear(&d->sides[1].words);
    if (record != LL_NO_RECORD) {
        const ll_field *field = field_of(&d->sides[which], both[which]);
        ll_record_full_path(&d->sides[which].records, record, path);
        ll_text_str(path, field ? "." : "");
        ll_text_str(path, field ? field->name : "");
        if (part != LL_NO_PART) {
            ll_text_format(path, "[%u]", part);
        }
    } else {
        ll_text_str(path, both[which]->kind == LL_KIND_GAP ? "gap" : "unparsed");
    }
    ll_text_char(path, '\0');
    size_t type = path->length;
    ll_leaf_type(d->sides[which].doc, both[which], path);
    ll_text_char(path, '\0');
    for (unsigned i = 0; i < 2; i++) {
        if (both[i]) {
            value[i] = d->sides[i].words.length;
            put_leaf_value(&d->sides[i], both[i], part, &d->sides[i].words);
            ll_text_char(&d->sides[i].words, '\0');
            put_place(&d->sides[i], both[i]->offset, both[i]->length, i, &difference);
        }
    }
    difference.path = path->data;
    difference.type = path->data + type;
    difference.was = both[0] ? d->sides[0].words.data + value[0] : NULL;
    difference.is = both[1] ? d->sides[1].words.data + value[1] : NULL;
    tell(d, &difference);
}

/* ------------------------------------------------------------------ paired records */

static bool is_of_record(const ll_leaf *leaf)
{
    return leaf->kind != LL_KIND_GAP && leaf->kind != LL_KIND_UNPARSED;
}

static void compare_leaf(differ *d, uint32_t record, const ll_leaf *const both[2])
{
    if (both[0] && both[1] ? !equal_values(d, both) : is_of_record(both[0] ? both[0] : both[1])) {
        if (d->all || !follows(d, both)) {
            tell_leaf(d, LL_FIELD_CHANGED, record, both);
        }
    }
}

static void compare_fields(differ *d, const uint32_t records[2])
{
    if (equal_records(d, records)) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        read_leaves(d, i, records[i]);
    }
    for (size_t i = 0; d->going && i < d->sides[1].leaves.count; i++) {
        compare_leaf(d, records[1], (const ll_leaf *[2]){same_leaf(d, 1, i), &d->sides[1].leaves.items[i]});
    }
    for (size_t i = 0; d->going && i < d->sides[0].leaves.count; i++) {
        if (!same_leaf(d, 0, i)) {
            compare_leaf(d, records[0], (const ll_leaf *[2]){&d->sides[0].leaves.items[i], NULL});
        }
    }
}

/* ------------------------------------------------------------------ code */

/* A part of code: statement or operand. */
typedef struct part {
    uint64_t what, value; /* hash of its path without numbers and its type; hash of its value */
    const char *path, *type, *text;
    uint32_t offset, length;
    bool is_place; /* its value is a position in the code, which shifts */
} part;

typedef LL_ARRAY(part) parts;

typedef struct part_reader {
    differ *d;
    const ll_doc *doc;
    parts *to;
} part_reader;

static bool add_part(void *ctx, const ll_leaf *leaf)
{
    part_reader *r = ctx;
    part *room = LL_ARRAY_ADD(r->to, &r->d->allocator);
    const ll_part *p = leaf->part;
    ll_text *text = &r->d->sides[0].words;
    if (!room || !p || !p->path) {
        r->d->status = LL_E_MEMORY;
        return false;
    }
    ll_text_clear(text);
    ll_part_path(p->path, text);
    ll_text_str(text, p->type);
    uint64_t what = ll_map_hash_bytes(0, text->data, text->length);
    ll_text_clear(text);
    ll_leaf_whole_value(r->doc, leaf, text);
    *room = (part){.what = what,
                   .value = ll_map_hash_bytes(0, text->data, text->length),
                   .path = ll_arena_copy(r->d->arena, p->path, strlen(p->path)),
                   .type = p->type,
                   .text = ll_arena_copy(r->d->arena, text->data, text->length),
                   .offset = leaf->offset,
                   .length = leaf->length,
                   .is_place = strcmp(p->type, ll_role_name(LL_ROLE_OFFSET)) == 0};
    r->d->status = room->path && room->text && !text->failed ? LL_OK : LL_E_MEMORY;
    return r->d->status == LL_OK;
}

static void tell_part(differ *d, ll_difference_kind kind, uint32_t record, const part *const both[2],
                      size_t path_length)
{
    ll_difference difference = {.kind = kind};
    const part *shown = both[1] ? both[1] : both[0];
    ll_text *words = &d->sides[0].words;
    bool field = kind == LL_FIELD_CHANGED;
    ll_text_clear(words);
    ll_record_full_path(&d->sides[both[1] != NULL].records, record, words);
    ll_text_char(words, '.');
    ll_text_put(words, shown->path, path_length);
    ll_text_char(words, '\0');
    for (unsigned i = 0; i < 2; i++) {
        if (both[i]) {
            put_place(&d->sides[i], both[i]->offset, both[i]->length, i, &difference);
        }
    }
    difference.path = words->data;
    difference.type = field ? shown->type : "";
    difference.was = field && both[0] ? both[0]->text : NULL;
    difference.is = field && both[1] ? both[1]->text : NULL;
    tell(d, &difference);
}

/* Reports statements of one side that the other lacks: parts [from, to), one difference per statement. */
static void tell_statements(differ *d, unsigned which, uint32_t record, const part *all, size_t from, size_t to)
{
    while (d->going && from < to) {
        size_t n = strcspn(all[from].path, ".");
        size_t end = from + 1;
        while (end < to && strncmp(all[end].path, all[from].path, n) == 0 && strchr(".", all[end].path[n])) {
            end++;
        }
        part whole = all[from];
        whole.length = all[end - 1].offset + all[end - 1].length - whole.offset;
        const part *both[2] = {which ? NULL : &whole, which ? &whole : NULL};
        tell_part(d, which ? LL_RECORD_ADDED : LL_RECORD_REMOVED, record, both, n);
        from = end;
    }
}

static bool equal_parts(const part *a, const part *b, bool places)
{
    return a->what == b->what && (a->value == b->value || (a->is_place && !places));
}

static void compare_parts(differ *d, const uint32_t records[2], const parts lists[2])
{
    const part *a = lists[0].items;
    const part *b = lists[1].items;
    size_t from = 0;
    size_t to[2] = {lists[0].count, lists[1].count};
    bool same_count = to[0] == to[1];
    while (!same_count && from < to[0] && from < to[1] && equal_parts(&a[from], &b[from], false)) {
        from++;
    }
    while (!same_count && to[0] > from && to[1] > from && equal_parts(&a[to[0] - 1], &b[to[1] - 1], false)) {
        to[0]--;
        to[1]--;
    }
    for (size_t i = 0; d->going && same_count && i < to[0]; i++) {
        if (!equal_parts(&a[i], &b[i], true)) {
            tell_part(d, LL_FIELD_CHANGED, records[1], (const part *[2]){&a[i], &b[i]}, strlen(b[i].path));
        }
    }
    if (!same_count) {
        tell_statements(d, 0, records[0], a, from, to[0]);
        tell_statements(d, 1, records[1], b, from, to[1]);
    }
}

static void compare_code(differ *d, const uint32_t records[2])
{
    parts lists[2] = {{.items = NULL}, {.items = NULL}};
    for (unsigned i = 0; i < 2 && d->status == LL_OK; i++) {
        const side *s = &d->sides[i];
        part_reader reader = {d, s->doc, &lists[i]};
        (void)s->doc->format->split(s->doc, s->records.items[records[i]].span, add_part, &reader);
    }
    if (d->status == LL_OK) {
        compare_parts(d, records, lists);
    }
    LL_ARRAY_FREE(&lists[0], &d->allocator);
    LL_ARRAY_FREE(&lists[1], &d->allocator);
}

/* ------------------------------------------------------------------ all */

static bool is_code(const side *s, uint32_t record)
{
    uint32_t span = s->records.items[record].span;
    return ll_doc_layout(s->doc, span)->role == LL_ROLE_CODE && s->doc->format->split;
}

static bool equal_spans(const differ *d, const uint32_t records[2])
{
    ll_leaf whole[2];
    for (unsigned i = 0; i < 2; i++) {
        const ll_span *span = ll_doc_span(d->sides[i].doc, d->sides[i].records.items[records[i]].span);
        whole[i] = (ll_leaf){.offset = span->offset, .length = span->length};
    }
    return equal_bytes(d, &whole[0], &whole[1]);
}

static void compare_records(differ *d, const uint32_t records[2])
{
    const side *a = &d->sides[0];
    const side *b = &d->sides[1];
    if (b->marks[records[1]] & MOVED && !d->all) {
        tell_record(d, LL_RECORD_MOVED, records[0], records[1]);
    }
    bool repeat = ll_record_repeats(&a->records, records[0]) && ll_record_repeats(&b->records, records[1]);
    if (!d->going || (repeat && !d->all)) {
        return;
    }
    if (a->marks[records[0]] & b->marks[records[1]] & MEMBER) {
        d->told = d->told || !equal_spans(d, records);
    } else if (is_code(a, records[0]) && is_code(b, records[1])) {
        if (!equal_spans(d, records)) {
            compare_code(d, records);
        }
    } else {
        compare_fields(d, records);
    }
}

/* Whether only unpaired records, which are reported themselves, point to the record. It must point nowhere itself. */
static bool is_told_of(const side *s, uint32_t record)
{
    return (s->marks[record] & (LED_TO | LED_TO_BY_PAIRED)) == LED_TO &&
           s->records.items[record].first == LL_NO_RECORD && !leads(s, record);
}

/* Whether a record without a pair is reported. Not if the other side may have it in another form. */
static bool is_told(const differ *d, unsigned which, uint32_t record)
{
    const side *s = &d->sides[which];
    uint32_t above = ll_doc_span(s->doc, s->records.items[record].span)->parent;
    uint32_t partner = above == LL_NO_SPAN ? LL_NO_RECORD : s->partner[s->records.of_span[above]];
    bool perhaps = partner != LL_NO_RECORD && is_holder(&d->sides[!which], partner);
    return !ll_record_is_hole(&s->records, record) && !is_held(s, record) && !is_filling(s, record) &&
           (d->all || !(perhaps || ll_record_repeats(&s->records, record) || is_told_of(s, record)));
}

/* Reports the children of the old record that have no pair. */
static void tell_removed(differ *d, uint32_t record)
{
    const side *a = &d->sides[0];
    uint32_t before = d->sides[1].partner[record];
    for (uint32_t i = a->records.items[before].first; i != LL_NO_RECORD && d->going; i = a->records.items[i].next) {
        if (a->partner[i] == LL_NO_RECORD && is_told(d, 0, i)) {
            tell_record(d, LL_RECORD_REMOVED, i, LL_NO_RECORD);
        }
    }
}

/* Reports in the order of the new tree; removed records are reported with their former parent. */
static void tell_all(differ *d)
{
    const side *b = &d->sides[1];
    for (uint32_t i = 0; i != LL_NO_RECORD && d->going && d->status == LL_OK; i = ll_records_next(&b->records, i)) {
        bool known = b->partner[i] != LL_NO_RECORD;
        if (known && i) {
            compare_records(d, (const uint32_t[2]){b->partner[i], i});
        } else if (!known && b->partner[b->records.items[i].parent] != LL_NO_RECORD && is_told(d, 1, i)) {
            tell_record(d, LL_RECORD_ADDED, LL_NO_RECORD, i);
        }
        if (known && d->going) {
            tell_removed(d, i);
        }
    }
}

static void tell_holes(differ *d)
{
    const leaves *a = &d->sides[0].holes;
    const leaves *b = &d->sides[1].holes;
    for (size_t i = 0; d->going && (i < a->count || i < b->count); i++) {
        const ll_leaf *both[2] = {i < a->count ? &a->items[i] : NULL, i < b->count ? &b->items[i] : NULL};
        if (!both[0] || !both[1] || !equal_bytes(d, both[0], both[1])) {
            tell_leaf(d, LL_BYTES_CHANGED, LL_NO_RECORD, both);
        }
    }
}

/* Reports the first byte that differs, when no record and no field does. */
static void tell_bytes(differ *d)
{
    const ll_doc *a = d->sides[0].doc;
    const ll_doc *b = d->sides[1].doc;
    uint32_t from = 0;
    while (from < a->size && from < b->size && a->bytes[from] == b->bytes[from]) {
        from++;
    }
    ll_difference difference = {.kind = LL_BYTES_CHANGED, .path = "file", .type = "bytes"};
    for (unsigned i = 0; i < 2; i++) {
        const ll_doc *doc = d->sides[i].doc;
        ll_text *words = &d->sides[i].words;
        uint32_t length = doc->size - from;
        ll_text_clear(words);
        ll_text_bytes(words, doc->bytes + from, length < BYTES_SHOWN ? length : BYTES_SHOWN);
        ll_text_str(words, length > BYTES_SHOWN ? " .." : "");
        ll_text_char(words, '\0');
        put_place(&d->sides[i], from, length, i, &difference);
    }
    difference.was = d->sides[0].words.data;
    difference.is = d->sides[1].words.data;
    tell(d, &difference);
}

static bool equal_files(const differ *d)
{
    const ll_doc *a = d->sides[0].doc;
    const ll_doc *b = d->sides[1].doc;
    return a->size == b->size && (!a->size || memcmp(a->bytes, b->bytes, a->size) == 0);
}

/* Shares are shown inside their records only if both sides can do so. */
static void open_sides(differ *d)
{
    for (unsigned i = 0; i < 2 && d->status == LL_OK; i++) {
        d->status = ll_shares_read(d->sides[i].doc, d->arena, &d->sides[i].shares);
    }
    ll_shares_meet(d->sides[0].doc, &d->sides[0].shares, d->sides[1].doc, &d->sides[1].shares);
    for (unsigned i = 0; i < 2 && d->status == LL_OK; i++) {
        open_side(d, &d->sides[i]);
    }
    for (unsigned i = 0; i < 2 && d->status == LL_OK; i++) {
        read_content(d, &d->sides[i]);
    }
}

static void compare_documents(differ *d)
{
    if (d->sides[0].doc->format == d->sides[1].doc->format) {
        open_sides(d);
        align_all(d);
        for (unsigned round = 0; round < 2 && d->status == LL_OK && !d->told; round++) {
            d->all = round;
            tell_all(d);
            tell_holes(d);
        }
    }
    if (d->status == LL_OK && !d->told) {
        tell_bytes(d);
    }
}

ll_status ll_diff(ll_report *before, ll_report *after, ll_difference_fn visit, void *ctx)
{
    if (!before || !after || !visit || before->file.size != before->doc.size || after->file.size != after->doc.size) {
        return LL_E_ARGUMENT;
    }
    ll_arena arena;
    ll_arena_init(&arena, &before->doc.arena.allocator, SIZE_MAX);
    differ d = {.arena = &arena, .allocator = ll_arena_allocator(&arena), .visit = visit, .ctx = ctx, .going = true};
    for (unsigned i = 0; i < 2; i++) {
        d.sides[i].report = i ? after : before;
        d.sides[i].doc = &d.sides[i].report->doc;
        ll_text_init(&d.sides[i].words, &d.allocator);
    }
    if (!equal_files(&d)) {
        compare_documents(&d);
    }
    ll_arena_free(&arena);
    return d.status;
}
