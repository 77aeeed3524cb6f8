/* Tries numbers in the other byte order, or of the other type. Such a number makes no sense as it stands; put right, it
 * often has few digits. */
#include "diagnosis/tries.h"

#include "base/half.h"

#include <string.h>

enum {
    FEW_UNITS = 64, /* most records of a file of sections that are all tried: the reader may have blamed another one */
    COST_SWAP = 110,
    COST_SWAP_PART = 120,
    COST_TYPE = 120,
    COST_TYPE_LARGE = 180
};

void ll_search_try_types(ll_search_plan *p)
{
    ll_search *s = p->s;
    for (size_t i = 0; i < s->leftovers.count && i < LL_SEARCH_ASKED; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        const ll_field *f =
            l->at.field != LL_NO_FIELD && l->layout ? &s->weigher.format->layouts[l->layout].fields[l->at.field] : NULL;
        bool big = f && s->weigher.format->layouts[l->layout].endian == LL_BIG;
        for (uint32_t at = l->offset; f && f->type == LL_TYPE_F32 && at + 4 <= l->offset + l->length; at += 4) {
            int32_t value = (int32_t)(big ? ll_be32(s->bytes + at) : ll_le32(s->bytes + at));
            if (value != 0 && value > -1000000 && value < 1000000) {
                float real = (float)value;
                uint32_t bits;
                uint8_t bytes[4];
                memcpy(&bits, &real, sizeof bits);
                ll_put_uint(bytes, 4, big ? LL_BIG : LL_LITTLE, bits);
                const ll_hypothesis h = {.kind = LL_CAUSE_TYPE,
                                         .cost = value >= -360 && value <= 360 ? COST_TYPE : COST_TYPE_LARGE,
                                         .unsure =
                                             true}; /* a fraction may be lost, or it may be what is left of a float */
                ll_search_try_bytes(s, h, at, bytes, 4);
            }
        }
    }
}

/* The number has at most TYPED_DIGITS digits, as somebody types it. Zeros at either end do not count. */
static bool is_short(ll_text *scratch, double number)
{
    enum { TYPED_DIGITS = 4 };
    unsigned digits = 0, zeros = 0;
    ll_text_clear(scratch);
    ll_text_float(scratch, number, 32);
    const char *c = scratch->failed ? "" : ll_text_cstr(scratch);
    for (; *c && *c != 'e'; c++) {
        const bool digit = *c >= '0' && *c <= '9', zero = *c == '0';
        digits += digit && !zero ? 1 + zeros : 0;
        zeros = digit && !zero ? 0 : zeros + (zero && digits);
    }
    return digits && digits <= TYPED_DIGITS;
}

/* The bytes tell the byte order reliably. A single half looks good in both orders too often, and so does a float with
 * one byte that is not zero. One in ten single floats that were overwritten looks good reversed, but hardly any of them
 * is short then. */
static bool says_order(ll_search *s, const uint8_t *bytes, uint32_t size, unsigned type, unsigned endian)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < size; i++) {
        others += bytes[i] != 0;
    }
    const bool single = type == LL_TYPE_F32 && size == LL_TYPE_BYTES_F32;
    return !ll_type_is_float(type) ||
           (others > 1 &&
            (single ? is_short(&s->weigher.scratch, ll_single_to_double((uint32_t)ll_read_uint(bytes, size, endian)))
                    : size > ll_type_bytes(type)));
}

/* Tries numbers in the other byte order. bytes: with the right order; unsure: they do not say which it is. */
static void try_order(ll_search *s, unsigned cost, bool unsure, uint32_t at, const uint8_t *bytes, uint32_t size)
{
    const ll_hypothesis h = {
        .kind = LL_CAUSE_BYTE_ORDER, .cost = cost, .floats = cost == LL_COST_SWAP_FLOATS, .unsure = unsure};
    ll_search_try_bytes(s, h, at, bytes, size);
}

/* Reverses the bytes of each number in the fields from an offset on. floats: only of floats. */
static void reverse_numbers(const ll_layout *l, uint32_t from, uint8_t *record, bool floats)
{
    for (unsigned k = 0; k < l->field_count; k++) {
        const ll_field *f = &l->fields[k];
        const unsigned width = ll_type_bytes(f->type);
        const bool turned = width > 1 && f->offset >= from && (!floats || ll_type_is_float(f->type));
        for (uint32_t at = f->offset; turned && at < (uint32_t)f->offset + f->bytes; at += width) {
            ll_reverse(record + at, width);
        }
    }
}

/* The layout that a number in the record gives it (LL_CHOICE); NULL: none, and what follows is not part of the
 * record. */
static const ll_layout *find_kind(const ll_format *format, const uint8_t *record)
{
    const ll_choice *rows = format->choices;
    const uint32_t number = ll_le32(record + format->layouts[rows[0].layout].fields[rows[0].field].offset);
    for (size_t k = 0; k < format->choice_count; k++) {
        if (rows[k].how == LL_CHOICE_IS && (number & rows[k].bits) == rows[k].value) {
            return &format->layouts[rows[k].part];
        }
    }
    return NULL;
}

/* More integers of the record are small in the stated byte order than in the other one. */
static bool is_small(const ll_layout *l, const uint8_t *record)
{
    int small = 0;
    for (unsigned k = 0; k < l->field_count; k++) {
        const ll_field *f = &l->fields[k];
        const unsigned width = ll_type_bytes(f->type);
        for (uint32_t at = f->offset; ll_type_is_integer(f->type) && width > 1 && at < (uint32_t)f->offset + f->bytes;
             at += width) {
            const uint8_t first = record[at], last = record[at + width - 1];
            const int little = (first && !last) - (last && !first);
            small += l->endian == LL_BIG ? -little : little;
        }
    }
    return small > 0;
}

/* Tries all numbers of a record in the other byte order. */
static void try_record_order(ll_search *s, const ll_search_unit *u)
{
    const ll_format *format = s->weigher.format;
    const ll_layout *l = &format->layouts[u->layout], *whole = l;
    uint8_t all[512];
    /* if one field is all that is wrong, and the other numbers look right, it is that field */
    const bool one = s->leftovers.count == 1 && s->leftovers.items[0].redundant && is_small(l, s->bytes + u->at);
    if (l->kind != LL_KIND_RECORD || l->size > sizeof all || one) {
        return;
    }
    memcpy(all, s->bytes + u->at, l->size);
    reverse_numbers(l, 0, all, false);
    if (ll_has_choices(format, u->layout)) {
        whole = find_kind(format, all);
    }
    if (whole && whole->size <= sizeof all && ll_fits(u->at, whole->size, s->size)) {
        memcpy(all + l->size, s->bytes + u->at + l->size, whole->size - l->size);
        reverse_numbers(whole, l->size, all, false);
        try_order(s, LL_COST_SWAP_RECORD, false, u->at, all, whole->size);
    }
}

/* Tries the other byte order for the numbers of each field of a record, and for all its floats. */
static void try_field_orders(ll_search *s, const ll_search_unit *u)
{
    const ll_layout *l = &s->weigher.format->layouts[u->layout];
    uint8_t all[512];
    if (l->kind != LL_KIND_RECORD || l->size > sizeof all) {
        return;
    }
    memcpy(all, s->bytes + u->at, l->size);
    reverse_numbers(l, 0, all, false);
    for (unsigned k = 0; k < l->field_count; k++) {
        const ll_field *f = &l->fields[k];
        const unsigned width = ll_type_bytes(f->type);
        for (uint32_t at = f->offset; width > 1 && f->bytes > width && at < (uint32_t)f->offset + f->bytes;
             at += width) {
            try_order(s, COST_SWAP_PART, !says_order(s, all + at, width, f->type, l->endian), u->at + at, all + at,
                      width);
        }
        if (width > 1) {
            try_order(s, COST_SWAP, !says_order(s, all + f->offset, f->bytes, f->type, l->endian), u->at + f->offset,
                      all + f->offset, f->bytes);
        }
    }
    memcpy(all, s->bytes + u->at, l->size);
    reverse_numbers(l, 0, all, true);
    try_order(s, LL_COST_SWAP_FLOATS, false, u->at, all, l->size);
}

void ll_search_try_record_orders(ll_search_plan *p)
{
    const bool few = !p->s->by_rows && p->unit_count <= FEW_UNITS;
    for (uint32_t i = 0; i < p->unit_count; i++) {
        if (few || ll_search_is_suspect(p, i)) {
            try_record_order(p->s, &p->units[i]);
        }
    }
}

/* A leftover touches the element, or is related to a place in it. */
static bool is_concerned(const ll_search *s, const ll_search_unit *u)
{
    bool concerned = ll_search_is_touched(s, u);
    for (size_t i = 0; i < s->leftovers.count && !concerned; i++) {
        const ll_where *related = &s->leftovers.items[i].related;
        concerned = related->length && related->offset - u->at < u->size;
    }
    return concerned;
}

void ll_search_try_field_orders(ll_search_plan *p)
{
    for (uint32_t i = 0; i < p->unit_count; i++) {
        /* if the reader finds nothing wrong, only values that a leftover is about can be */
        if (ll_search_is_suspect(p, i) && (!p->reads || is_concerned(p->s, &p->units[i]))) {
            try_field_orders(p->s, &p->units[i]);
        }
    }
}
