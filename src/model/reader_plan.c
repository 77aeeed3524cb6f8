/* Makes the plan of a format: gathers what its rows say about each part and layout. */
#include "model/reader_plan.h"

#include "base/ints.h"
#include "model/derive.h"
#include "model/reader_kind.h"
#include "model/reference.h"

#include <string.h>

unsigned ll_tag_field(const ll_layout *l)
{
    unsigned i = 0;
    while (i + 1 < l->field_count && l->fields[i].role != LL_ROLE_MAGIC && l->fields[i].role != LL_ROLE_TERMINATOR) {
        i++;
    }
    return i;
}

/* Finds the field that leads to a part: a field of the owner, or of any record for a part of the file. It counts from
 * the start of the file, from the record, or from itself. */
static void plan_place(const ll_format *format, const ll_part_row *part, const ll_reference *reference,
                       struct ll_part_plan *p)
{
    ll_derivation *place = &p->place;
    p->rather = 0;
    if (reference && reference->how != LL_BY_OFFSET_IN_BODY) {
        bool from_field = reference->how == LL_BY_OFFSET_FROM_FIELD;
        *place = (ll_derivation){.layout = reference->layout,
                                 .field = reference->field,
                                 .how = from_field ? LL_DERIVE_OFFSET_FROM_FIELD : LL_DERIVE_OFFSET_IN_FILE,
                                 .which = LL_WHICH_FIRST};
    }
    for (size_t k = 0; k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        bool leads = row->how == LL_DERIVE_OFFSET_IN_FILE || row->how == LL_DERIVE_OFFSET_FROM_RECORD ||
                     row->how == LL_DERIVE_OFFSET_FROM_FIELD;
        bool each = part->how == LL_PART_EACH;
        bool meant = row->which == (each ? LL_WHICH_SAME_NUMBER : LL_WHICH_FIRST) && (!each || row->layout == part->of);
        if (leads && meant && row->target == part->layout && row->within == part->owner) {
            const bool second = k > 0 && row[-1].layout == row->layout && row[-1].field == row->field;
            *place = *row;
            p->rather = second ? row[-1].target : 0;
        }
    }
}

static void plan_tag(ll_plan *plan, size_t i)
{
    const ll_format *format = plan->format;
    const ll_part_row *part = &format->parts[i], *next = part + 1;
    const ll_layout *layout = &format->layouts[part->layout];
    bool ends = i + 1 == format->part_count || next->how != LL_PART_TAGGED || next->owner != part->owner;
    const uint16_t none = (uint16_t)format->part_count, row = (uint16_t)i;
    ll_list_rows list =
        ends ? (ll_list_rows){.end = (uint16_t)(row + 1), .last = none, .other = none} : plan->part[i + 1].list;
    const uint32_t tag = part->tag ? ll_le32((const uint8_t *)part->tag) : 0, hash = ll_hash_of_tag(tag);
    list.tags[hash / 32] |= part->tag ? UINT32_C(1) << hash % 32 : 0;
    list.last = part->place == LL_PLACE_LAST ? row : list.last;
    list.other = part->tag || list.other != none ? list.other : row;
    plan->part[i].tag = tag;
    plan->part[i].tag_at = layout->fields[ll_tag_field(layout)].offset;
    if (!ends && plan->part[i].tag_at != plan->part[i + 1].tag_at) { /* tags at several offsets */
        memset(list.tags, 0xFF, sizeof list.tags);
    }
    plan->part[i].list = list;
}

/* The first reference that leads to the part, from its owner or, for a part of the file, from any record. NULL: there
 * is none. */
static const ll_reference *reference_to(const ll_format *format, const ll_part_row *part)
{
    for (size_t k = 0; k < format->reference_count; k++) {
        const ll_reference *row = &format->references[k];
        bool leads = row->target == part->layout && row->how != LL_BY_INDEX && row->within == part->owner;
        if (leads && (part->owner == LL_WITHIN_FILE || row->layout == part->owner)) {
            return row;
        }
    }
    return NULL;
}

bool ll_is_hash_of(const ll_format *format, const ll_derivation *row, const ll_part_row *part)
{
    return row->target == part->layout && ll_is_hash_row(row) &&
           ll_read_code(format, LL_READ_HASH, row->layout, row->field) != LL_FAULT_GAP;
}

static void plan_part(ll_plan *plan, size_t i)
{
    const ll_format *format = plan->format;
    const ll_part_row *part = &format->parts[i];
    const ll_reference *reference = reference_to(format, part);
    struct ll_part_plan *p = &plan->part[i];
    p->count = reference && reference->unit == LL_COUNTS_TARGETS ? (ll_field_of){reference->layout, reference->extent}
                                                                 : (ll_field_of){0, LL_NO_FIELD};
    p->size = (ll_field_of){part->of, LL_NO_FIELD};
    p->hash = (ll_field_of){part->owner, LL_NO_FIELD};
    p->chain = (ll_field_of){part->layout, LL_NO_FIELD};
    bool counted = false;
    p->there = (ll_field_of){part->of, part->field};
    p->bits = part->bits;
    p->value = part->value;
    if (part->field == LL_NO_FIELD && reference && reference->null & LL_NULL_ZERO) {
        p->there = (ll_field_of){reference->layout, reference->field};
        p->bits = UINT32_MAX;
        p->unless = true;
    }
    for (size_t k = 0; k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        if (!counted && row->how == LL_DERIVE_COUNT && row->target == part->layout && row->within == part->owner) {
            p->count = (ll_field_of){row->layout, row->field};
            counted = true;
        }
        const bool each = part->how == LL_PART_EACH && row->layout == part->of && row->target == part->layout;
        const bool own = part->how == LL_PART_ONE && part->owner && row->layout == part->owner &&
                         row->target == part->layout && row->within == part->owner;
        if ((each && row->how == LL_DERIVE_BYTES) || ((each || own) && row->how == LL_DERIVE_TEXT_BYTES)) {
            p->size = (ll_field_of){row->layout, row->field};
        }
        if (own && ll_is_hash_row(row)) {
            p->hash = (ll_field_of){row->layout, row->field};
        }
        if (row->which == LL_WHICH_NEXT && row->layout == part->layout) {
            p->chain.field = row->field;
            p->chain_end = row->plus;
        }
        p->hashed = p->hashed || ll_is_hash_of(format, row, part);
    }
    plan_place(format, part, reference, p);
    const bool from_field = p->place.how == LL_DERIVE_OFFSET_FROM_FIELD;
    p->from =
        (from_field ? format->layouts[p->place.layout].fields[p->place.field].offset : 0) - (int64_t)p->place.plus;
    if (part->how == LL_PART_TAGGED) {
        plan_tag(plan, i);
    }
    p->start = ll_alignment_of(format, part->layout, LL_ALIGN_START);
    p->first = ll_alignment_of(format, part->layout, LL_ALIGN_FIRST);
    p->end = ll_alignment_of(format, part->layout, LL_ALIGN_END);
}

/* The fields of the owner, a record, alone tell whether the part is there, where, and how many there are; and the part
 * has no parts. */
static bool is_plain(const ll_plan *plan, size_t i)
{
    const ll_part_row *part = &plan->format->parts[i];
    const struct ll_part_plan *p = &plan->part[i];
    const uint16_t of = part->layout, owner = part->owner;
    const bool text = plan->format->layouts[of].kind == LL_KIND_STRING && part->how == LL_PART_ONE;
    const bool record = plan->format->layouts[of].kind == LL_KIND_RECORD && !plan->size[of] &&
                        plan->rows[of].first == plan->rows[of].end &&
                        (part->how == LL_PART_ONE || (part->how == LL_PART_ARRAY && p->count.layout == owner));
    const bool by_place = p->unless && p->there.layout == owner && p->there.field == p->place.field;
    return (text || record) && p->place.layout == owner && p->place.how != LL_DERIVE_OFFSET_IN_FILE &&
           (p->there.field == LL_NO_FIELD || by_place) && p->chain.field == LL_NO_FIELD && !p->hashed && !p->start &&
           !p->first;
}

/* Finds the constant value of a field. False: the field is not constant. */
static bool find_constant(const ll_plan *plan, unsigned layout, unsigned field, const char *tag, ll_constant *out)
{
    const ll_format *format = plan->format;
    const ll_layout *l = &format->layouts[layout];
    const ll_field *f = &l->fields[field];
    *out = (ll_constant){.field = (uint16_t)field, .offset = f->offset, .bytes = f->bytes};
    if (f->role == LL_ROLE_MAGIC && tag && f->bytes <= LL_NUMBER_MAX) {
        const bool number = ll_type_is_integer(f->type);
        out->tag = number ? NULL : (const uint8_t *)tag;
        out->value = ll_read_uint((const uint8_t *)tag, f->bytes, number ? l->endian : LL_LITTLE);
        return true;
    }
    for (size_t k = plan->derived[layout]; k && k <= format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k - 1];
        if (row->layout != layout) {
            break;
        }
        if (row->field == field && row->how == LL_DERIVE_CONSTANT) {
            out->value = (uint64_t)row->plus;
            return true;
        }
    }
    return f->role == LL_ROLE_RESERVED || f->role == LL_ROLE_PADDING || f->role == LL_ROLE_TERMINATOR;
}

/* Sets bits of a little-endian number in a mask, and their value. */
static void put_number(uint8_t *mask, uint8_t *value, unsigned at, unsigned bytes, uint32_t bits, uint32_t number)
{
    for (unsigned k = 0; k < bytes && k < sizeof number; k++) {
        mask[at + k] |= (uint8_t)(bits >> 8 * k);
        value[at + k] |= (uint8_t)((number & bits) >> 8 * k);
    }
}

/* Makes the mask of a layout: which bits of a record are constant, and their values, as words in file order. */
static void plan_mask(ll_plan *plan, unsigned layout, unsigned *used)
{
    const ll_layout *l = &plan->format->layouts[layout];
    const unsigned words = l->size / sizeof *plan->mask;
    if (l->size % sizeof *plan->mask || *used + words > LL_MASK_WORDS) {
        return;
    }
    plan->like[layout].words = (uint16_t)words;
    plan->like[layout].mask = (uint16_t)(*used + 1);
    uint8_t *mask = (uint8_t *)&plan->mask[*used], *value = (uint8_t *)&plan->value[*used];
    for (unsigned i = plan->like[layout].first; i < plan->like[layout].end; i++) {
        const ll_constant *c = &plan->constants[i];
        for (unsigned k = 0; k < c->bytes; k++) {
            const unsigned shift = c->tag || l->endian == LL_LITTLE ? k : c->bytes - 1U - k;
            mask[c->offset + k] = UINT8_MAX;
            value[c->offset + k] = (uint8_t)(shift < LL_NUMBER_MAX ? c->value >> 8 * shift : 0);
        }
    }
    const ll_choice *one = NULL;
    uint32_t bits = 0;
    for (size_t i = 0; i < plan->format->choice_count;
         i++) { /* the bits that all LL_CHOICE_IS rows of the layout share */
        const ll_choice *row = &plan->format->choices[i];
        if (row->how == LL_CHOICE_IS && row->part == layout) {
            bits = one ? bits & row->bits & ~(row->value ^ one->value) : row->bits;
            one = one ? one : row;
        }
    }
    if (one) {
        put_number(mask, value, plan->format->layouts[one->layout].fields[one->field].offset, 4, bits, one->value);
    }
    const ll_field *size = one && plan->size[layout] ? &l->fields[plan->size[layout] - 1] : NULL;
    if (size && l->endian == LL_LITTLE) {
        put_number(mask, value, size->offset, size->bytes, UINT32_MAX, l->size);
    }
    *used += words;
}

static void plan_constants(ll_plan *plan, unsigned layout, const char *tag, unsigned *count, unsigned *used)
{
    const ll_layout *l = &plan->format->layouts[layout];
    if (l->kind != LL_KIND_RECORD || plan->like[layout].end) {
        return;
    }
    plan->like[layout].first = (uint8_t)*count;
    for (unsigned i = 0; i < l->field_count && *count < LL_CONSTANTS_MAX; i++) {
        if (find_constant(plan, layout, i, tag, &plan->constants[*count])) {
            plan->like[layout].bytes = (uint16_t)(plan->like[layout].bytes + l->fields[i].bytes);
            ++*count;
        }
    }
    plan->like[layout].end = (uint8_t)*count;
    plan_mask(plan, layout, used);
}

/* Finds the constants of layouts that are recognised by them: parts of a series, parts that may stand after a series
 * or after items, parts with a tag of their own, and layouts of LL_CHOICE rows. */
static void plan_series(ll_plan *plan)
{
    const ll_format *format = plan->format;
    unsigned count = 0, used = 0;
    bool behind = false;
    for (size_t i = 0; i < format->part_count; i++) {
        const ll_part_row *part = &format->parts[i];
        behind = part->how == LL_PART_SERIES || (behind && part->how == LL_PART_ONE && part->owner == part[-1].owner);
        const bool ends =
            i && part->how == LL_PART_ONE && part[-1].how == LL_PART_ITEMS && part->owner == part[-1].owner;
        if (behind || ends || (part->how == LL_PART_ONE && part->tag)) {
            plan_constants(plan, part->layout, part->tag, &count, &used);
        }
    }
    for (size_t i = format->choice_count; i > 0; i--) {
        plan_constants(plan, format->choices[i - 1].part, NULL, &count, &used);
        plan->choice[format->choices[i - 1].value & UINT8_MAX] = (uint16_t)i;
        plan->choice_at = format->layouts[format->choices[0].layout].fields[format->choices[0].field].offset;
    }
}

static bool owns_series(const ll_format *format, unsigned layout)
{
    bool owns = false;
    for (size_t i = 0; i < format->part_count; i++) {
        owns = owns || (format->parts[i].owner == layout && format->parts[i].how == LL_PART_SERIES);
    }
    return owns;
}

/* Finds the fields and layouts of a store. */
static void plan_store(ll_plan *plan)
{
    const ll_format *format = plan->format;
    ll_store_plan *s = &plan->store;
    const ll_field_of none = {0, LL_NO_FIELD};
    s->size = s->buffer = s->unpacked = s->packed = s->count = s->tag = s->index = none;
    for (size_t k = 0; k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        const ll_field_of f = {row->layout, row->field};
        if (row->how == LL_DERIVE_STORED && row->which == LL_WHICH_SAME_NUMBER_BELOW) {
            s->size = f;
            s->section = row->target;
        } else if (row->how == LL_DERIVE_STORED) {
            s->unpacked = f;
        } else if (row->how == LL_DERIVE_BUFFER) {
            s->buffer = f;
            s->extra = (uint32_t)row->plus;
        } else if (row->how == LL_DERIVE_PACKED) {
            s->packed = s->count = f;
            s->block = row->target;
        }
    }
    for (unsigned i = 0; s->block && i < format->layouts[s->count.layout].field_count; i++) {
        s->count.field =
            format->layouts[s->count.layout].fields[i].role == LL_ROLE_COUNT ? (uint16_t)i : s->count.field;
    }
    for (size_t k = 0; k < format->reference_count; k++) {
        const ll_reference *row = &format->references[k];
        for (size_t i = 0; s->section && row->target == s->size.layout && i < format->identity_count; i++) {
            const bool named = format->identities[i].layout == row->layout; /* by its tag */
            s->index = named ? (ll_field_of){row->layout, row->field} : s->index;
            s->tag = named ? (ll_field_of){row->layout, format->identities[i].field} : s->tag;
        }
    }
    for (size_t i = 0; s->block && i + 1 < format->part_count; i++) {
        const ll_part_row *part = &format->parts[i];
        const bool gap = part->owner == s->block && part->how == LL_PART_GAP;
        s->lead = gap && part[1].how == LL_PART_STREAM ? part->layout : s->lead;
        s->behind = gap && part[1].how != LL_PART_STREAM ? part->layout : s->behind;
    }
    for (size_t i = 0; i < format->part_count; i++) {
        const ll_part_row *part = &format->parts[i];
        const unsigned endian = format->layouts[part->layout].endian;
        s->magic = part->how == LL_PART_EDITION
                       ? (uint32_t)ll_read_uint((const uint8_t *)part->tag, sizeof(uint32_t), endian)
                       : s->magic;
    }
    s->least = UINT32_MAX;
    const ll_alignment *first = s->section ? ll_alignment_of(format, s->section, LL_ALIGN_FIRST) : NULL;
    s->unit = first ? first->unit : 1;
    for (size_t i = 1; i < format->edition_count; i++) {
        const uint32_t size = (uint32_t)ll_align_up(format->layouts[format->editions[i].layout].size, s->unit);
        const bool read = format->editions[i].layout != format->editions->layout;
        s->least = read && size < s->least ? size : s->least;
    }
    for (uint16_t i = 1; i < format->kind_count; i++) {
        s->main = format->kinds[i].record == format->parts[plan->rows[LL_WITHIN_FILE].first].layout ? i : s->main;
    }
}

static void make_plan(ll_plan *plan, const ll_format *format)
{
    *plan = (ll_plan){.format = format, .unit = 1};
    for (size_t i = 0; i < format->alignment_count; i++) {
        const ll_alignment *row = &format->alignments[i];
        plan->fill[row->layout] =
            row->where == LL_ALIGN_END && row->padding && i < UINT8_MAX ? (uint8_t)(i + 1) : plan->fill[row->layout];
        plan->unit = row->where == LL_ALIGN_END && !row->padding && row->unit > 1 ? row->unit : plan->unit;
    }
    for (size_t i = format->part_count; i > 0; i--) {
        const ll_part_row *part = &format->parts[i - 1];
        if (part->how == LL_PART_EDITION) { /* another form of the file, not one of its parts */
            continue;
        }
        plan->rows[part->owner].end = plan->rows[part->owner].end ? plan->rows[part->owner].end : (uint16_t)i;
        plan->rows[part->owner].first = (uint16_t)(i - 1);
        plan_part(plan, i - 1);
    }
    for (size_t k = 0; k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        plan->derived[row->layout] = plan->derived[row->layout] ? plan->derived[row->layout] : (uint16_t)(k + 1);
        if (row->how == LL_DERIVE_BYTES && row->which == LL_WHICH_ITSELF) {
            plan->size[row->layout] = (uint16_t)(row->field + 1);
            plan->less[row->layout] = (int8_t)-row->plus;
            plan->plain[row->layout] = format->layouts[row->layout].kind == LL_KIND_RECORD;
        }
        if (ll_is_parts_row(row) && !plan->tallied[row->layout] && owns_series(format, row->layout)) {
            plan->tallied[row->layout] = (uint16_t)(k + 1);
        }
        plan->ends = plan->ends || row->how == LL_DERIVE_FILE_BYTES || row->how == LL_DERIVE_BYTES_TO_END;
    }
    plan_series(plan);
    plan_store(plan);
    for (size_t i = 0; i < format->read_count; i++) {
        plan->judges_padding = plan->judges_padding || format->reads[i].kind == LL_READ_PADDING;
    }
    for (size_t i = 0; i < format->part_count; i++) {
        plan->plain[format->parts[i].owner] = plan->plain[format->parts[i].owner] && is_plain(plan, i);
        plan->varies = plan->varies || format->parts[i].variants;
    }
}

const ll_plan *ll_plan_of(ll_doc *doc)
{
    ll_kept *kept = doc->kept;
    while (kept && ((const ll_plan *)kept)->format != doc->format) {
        kept = kept->next;
    }
    ll_plan *plan = (ll_plan *)kept;
    if (!plan) {
        plan = doc->arena.allocator.alloc(doc->arena.allocator.ctx, sizeof *plan);
        if (!plan) {
            doc->status = LL_E_MEMORY;
            return NULL;
        }
        make_plan(plan, doc->format);
        plan->kept.next = doc->kept;
        doc->kept = &plan->kept;
    }
    return plan;
}

unsigned ll_count_field(const ll_format *format, unsigned header, ll_field_of table)
{
    for (size_t k = 0; table.layout && k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        if (row->layout == header && row->how == LL_DERIVE_COUNT && row->target == table.layout) {
            return row->field;
        }
    }
    return LL_NO_FIELD;
}
