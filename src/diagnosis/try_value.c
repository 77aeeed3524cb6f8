/* Tries the values that the reader or a rule asks for in its patches, unknown values, lost NULs, and sizes. */
#include "diagnosis/tries.h"

#include "base/sort.h"
#include "model/derive.h"

#include <string.h>

enum {
    COST_SIZE = 40,       /* for a size if several bytes of padding are not zero: padding is rarely wrong */
    COST_SIZE_BYTE = 170, /* for a size if one byte is: then the padding is more likely wrong */
    TERMINATOR_MAX = 4,   /* bytes at the end of a text where its NUL may be */
    COST_TERMINATOR = 35, /* low, as an offset into a text means that there are two */
    COST_UNKNOWN = 200,
    TEXT_MAX = 255,       /* bytes of the rest of a text after a NUL */
    COST_NO_TAG = 39,     /* added if no byte of the tag is right: what moves it is as good */
    COST_ELSEWHERE = 110, /* added if the right value stands at another place */
    COST_TERM = 65,       /* added if any number of a sum may be the wrong one */
    SUMS_MAX = 8,         /* most sums that are tried */
    TERMS_MAX = 512       /* most elements that are tried for each sum */
};

static void try_nul(ll_search *s, uint32_t at)
{
    static const uint8_t nul = 0;
    const ll_hypothesis h = {.kind = LL_CAUSE_TERMINATOR, .cost = COST_TERMINATOR, .redundant = true, .safe = true};
    ll_search_try_bytes(s, h, at, &nul, 1);
}

/* Tries a NUL at the end of a text that has none, or in front of the place inside a text to which an offset leads. */
static void try_end_of_text(ll_search_plan *p, const ll_leftover *l)
{
    ll_search *s = p->s;
    const int64_t to = ll_search_led_to(s, l);
    for (uint32_t n = 1; l->kind == LL_READ_TEXT && n <= TERMINATOR_MAX && n < l->length; n++) {
        try_nul(s, l->offset + l->length - n);
    }
    if (l->kind == LL_READ_SIZE && l->from > 0) { /* the size of a text, which may be right */
        const unsigned endian = s->weigher.format->layouts[l->layout].endian;
        const uint64_t size = ll_read_uint(s->bytes + l->offset, (unsigned)l->length, endian);
        if (size < s->size - (uint64_t)l->from) {
            try_nul(s, (uint32_t)l->from + (uint32_t)size);
        }
    }
    LL_BISECT(behind, p->unit_count, u, p->units[u].at < to);
    const ll_search_unit *text = behind > 0 ? &p->units[behind - 1] : NULL;
    if (text && s->weigher.format->layouts[text->layout].kind == LL_KIND_STRING && to > (int64_t)text->at + 1 &&
        to < (int64_t)text->at + text->size) {
        try_nul(s, (uint32_t)to - 1);
    }
}

static bool has_role(const ll_search *s, const ll_leftover *l, unsigned role)
{
    const ll_layout *layout = &s->weigher.format->layouts[l->layout];
    return l->at.field < layout->field_count && layout->fields[l->at.field].role == role;
}

/* A record has a field with this hash. */
static bool asks_for(const ll_search *s, const ll_search_unit *u, const uint8_t *hash, uint32_t size)
{
    const ll_layout *l = &s->weigher.format->layouts[u->layout];
    bool asks = false;
    for (unsigned k = 0; l->kind == LL_KIND_RECORD && k < l->field_count && !asks; k++) {
        const ll_field *f = &l->fields[k];
        asks = f->role == LL_ROLE_HASH && f->bytes == size && ll_fits(u->at + f->offset, size, s->size) &&
               memcmp(s->bytes + u->at + f->offset, hash, size) == 0;
    }
    return asks;
}

/* The stated hash was certainly not that of the text: it is 0, that of another record, or the right one in the other
 * byte order, or some record refers to the right hash. Otherwise the text may have been changed instead of the hash. */
static bool is_no_hash(const ll_search_plan *p, const ll_leftover *l)
{
    const ll_search *s = p->s;
    const uint8_t *stated = s->bytes + l->offset, *right = l->patch.bytes ? l->patch.bytes : l->patch_value;
    const uint32_t size = (uint32_t)l->length;
    uint8_t reversed[LL_DERIVED_MAX];
    if (size > sizeof reversed || l->patch.size != size) {
        return false;
    }
    memcpy(reversed, right, size);
    ll_reverse(reversed, size);
    bool known = ll_is_zero(stated, stated + size) || memcmp(stated, reversed, size) == 0;
    const uint32_t within = s->weigher.format->layouts[l->layout].fields[l->at.field].offset;
    for (uint32_t i = 0; i < p->unit_count && !known; i++) {
        const uint32_t at = p->units[i].at + within;
        known = (p->units[i].layout == l->layout && at != l->offset && ll_fits(at, size, s->size) &&
                 memcmp(stated, s->bytes + at, size) == 0) ||
                asks_for(s, &p->units[i], right, size);
    }
    return known;
}

/* The tag was changed, and not only by losing the high bit of its bytes, as in a file that was made ASCII. */
static bool is_damaged_tag(const ll_search *s, uint32_t at, const uint8_t *right, uint32_t size)
{
    const uint8_t *stated = s->bytes + at;
    uint32_t stripped = 0;
    for (uint32_t i = 0; i < size; i++) {
        stripped += stated[i] == (right[i] & 0x7F);
    }
    return stripped < size;
}

/* The leftover is about a tag of which no byte is right. */
static bool is_no_tag(const ll_search *s, const ll_leftover *l, const uint8_t *right, uint32_t size)
{
    bool none = has_role(s, l, LL_ROLE_MAGIC);
    for (uint32_t i = 0; i < size && none; i++) {
        none = s->bytes[l->offset + i] != right[i];
    }
    return none;
}

/* The reader found at another place what should be here. */
static bool is_elsewhere(const ll_search *s, const ll_leftover *l)
{
    bool is = false;
    for (size_t i = 0; i < s->leftovers.count && !is; i++) {
        const ll_leftover *other = &s->leftovers.items[i];
        is = other->kind == LL_READ_CONSTANT && other->related.length && other->offset == l->offset;
    }
    return is;
}

/* The extent of a record's share is 0, or a number is among zeros at the end of the file: zeros may have overwritten
 * what is beside it as well, which nothing shows. */
static bool is_zeroed(const ll_search *s, const ll_leftover *l)
{
    return (l->kind != LL_READ_CONSTANT && ll_search_is_zero_end(s, l->offset, l->length, l->length)) ||
           (ll_is_zero(s->bytes + l->offset, s->bytes + l->offset + l->length) &&
            ll_search_is_shared(s->weigher.format, l->layout, l->at.field));
}

/* Tries a NUL near the end of the text right in front of a wrong record: the first bytes of the record may belong to a
 * text that has lost its NUL. */
static void try_end_in_front(ll_search_plan *p, const ll_leftover *l)
{
    LL_BISECT(behind, p->unit_count, u, p->units[u].at <= l->offset);
    const ll_search_unit *text = behind > 1 ? &p->units[behind - 2] : NULL;
    const bool follows = text && p->s->weigher.format->layouts[text->layout].kind == LL_KIND_STRING &&
                         text->at + text->size == p->units[behind - 1].at && l->at.field != LL_NO_FIELD;
    for (uint32_t n = 2; follows && n <= TERMINATOR_MAX && n < text->size; n++) {
        try_nul(p->s, text->at + text->size - n);
    }
}

void ll_search_try_ends(ll_search_plan *p)
{
    for (size_t i = 0; i < p->s->leftovers.count && i < LL_SEARCH_ASKED; i++) {
        try_end_in_front(p, &p->s->leftovers.items[i]);
    }
}

/* An offset leads to the end of the second of two texts, which may be the rest of the first: tries an unknown letter in
 * place of the NUL between them. */
static void try_letter_in_front(ll_search *s, const ll_leftover *l)
{
    const int64_t to = l->off < 0 && l->off >= -TEXT_MAX ? ll_search_led_to(s, l) : -1, nul = to + l->off - 1;
    if (to > 0 && nul >= 0 && to <= s->size && s->bytes[nul] == 0 &&
        memchr(s->bytes + nul + 1, 0, (size_t)(to - nul - 1)) == s->bytes + to - 1) {
        ll_search_try_bytes(s, (ll_hypothesis){.kind = LL_CAUSE_UNKNOWN, .cost = COST_UNKNOWN}, (uint32_t)nul, NULL, 1);
    }
}

void ll_search_try_values(ll_search_plan *p)
{
    ll_search *s = p->s;
    ll_search_try_ends(p);
    unsigned asked[2] = {0, 0}; /* leftovers of the reader, of rules */
    for (size_t i = 0; i < s->leftovers.count; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        const ll_edit *patch = &l->patch;
        if (asked[l->rule != LL_NO_RULE]++ >= LL_SEARCH_ASKED) {
            continue;
        }
        const uint8_t *bytes = patch->bytes ? patch->bytes : l->patch_value;
        try_letter_in_front(s, l);
        if (patch->tier != LL_PATCH_NONE && patch->size == patch->removed && !patch->order) {
            ll_hypothesis h = {
                .kind = LL_CAUSE_FIELD, .cost = LL_COST_FIELD, .redundant = l->rule == LL_NO_RULE && l->redundant};
            h.unsure =
                l->rule == LL_NO_RULE && patch->guessed; /* a guess of a rule is judged by the rest of the file */
            if (l->kind == LL_READ_TEXT) {               /* the size of the text says where its NUL is */
                const bool letter = s->bytes[patch->offset] >= ' ' && s->bytes[patch->offset] <= '~';
                h = (ll_hypothesis){.kind = LL_CAUSE_TERMINATOR,
                                    .cost = COST_TERMINATOR,
                                    .redundant = true,
                                    .unsure = patch->guessed && letter}; /* the NUL may be missing instead */
            }
            /* elements confirm their count */
            const bool again = l->related.length == l->length; /* another field states the same number */
            const bool none = l->kind == LL_READ_COUNT && !again && ll_is_zero(bytes, bytes + patch->size);
            h.unsure = h.unsure || (none && s->leftovers.count > 1 && ll_search_is_sized(s, l->layout) &&
                                    ll_search_counts_own(s->weigher.format, l->layout, l->at.field));
            h.confirmed = l->kind == LL_READ_COUNT && s->filled && !ll_search_is_sized(s, l->layout) &&
                          ll_search_counts_own(s->weigher.format, l->layout, l->at.field);
            const bool own = patch->offset == l->offset && patch->size <= l->length; /* the patch is of the field */
            const bool guess = l->rule != LL_NO_RULE && patch->guessed;
            h.safe = has_role(s, l, LL_ROLE_HASH)    ? !guess && is_no_hash(p, l)
                     : has_role(s, l, LL_ROLE_MAGIC) ? own && is_damaged_tag(s, l->offset, bytes, patch->size)
                                                     : h.redundant && !none && !is_zeroed(s, l);
            const bool no_tag = own && is_no_tag(s, l, bytes, patch->size);
            h.cost += no_tag ? COST_NO_TAG : 0;
            h.cost += no_tag && is_elsewhere(s, l) ? COST_ELSEWHERE : 0;
            ll_search_try_bytes(s, h, patch->offset, bytes, patch->size);
        }
        try_end_of_text(p, l);
        if (l->loud && !l->hashed && l->at.field != LL_NO_FIELD && l->length) {
            const unsigned cost = COST_UNKNOWN + (is_elsewhere(s, l) ? COST_ELSEWHERE : 0);
            ll_search_try_bytes(s, (ll_hypothesis){.kind = LL_CAUSE_UNKNOWN, .cost = cost}, l->offset, NULL, l->length);
        }
    }
}

/* Tries a larger size for the part in front of padding that is not zero, up to the last byte that is not. If only one
 * byte is not zero, the padding is rather wrong. */
static void try_size(ll_search_plan *p, const ll_leftover *l, const ll_search_unit *part)
{
    ll_search *s = p->s;
    const ll_format *format = s->weigher.format;
    const ll_derivation *size = NULL, *place = NULL;
    for (size_t k = 0; k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        const bool meant = row->which == LL_WHICH_SAME_NUMBER && row->target == part->layout;
        size = meant && row->how == LL_DERIVE_BYTES ? row : size;
        place = meant && row->how == LL_DERIVE_OFFSET_IN_FILE ? row : place;
    }
    for (uint32_t i = 0; size && place && size->layout == place->layout && i < p->unit_count; i++) {
        const ll_search_unit *u = &p->units[i];
        const ll_layout *record = &format->layouts[size->layout];
        const ll_field *at = &record->fields[place->field], *bytes = &record->fields[size->field];
        if (u->layout == size->layout &&
            ll_read_uint(s->bytes + u->at + at->offset, at->bytes, record->endian) == part->at &&
            ll_read_uint(s->bytes + u->at + bytes->offset, bytes->bytes, record->endian) == part->size) {
            const ll_hypothesis h = {.cost = l->length > 1 ? COST_SIZE : COST_SIZE_BYTE, .unsure = true};
            ll_search_try_number(s, h, record, u->at, size->field, (int64_t)(l->offset + l->length - part->at));
        }
    }
}

void ll_search_try_sizes(ll_search_plan *p)
{
    const ll_format *format = p->s->weigher.format;
    if (p->s->leftovers.count != 1) {
        return;
    }
    const ll_leftover *l = &p->s->leftovers.items[0];
    LL_BISECT(behind, p->unit_count, u, p->units[u].at < l->offset);
    const ll_search_unit *part = behind ? &p->units[behind - 1] : NULL;
    if (part && format->layouts[l->layout].role == LL_ROLE_PADDING && part->at + part->size == l->offset &&
        format->layouts[part->layout].kind == LL_KIND_BYTES) {
        try_size(p, l, part);
    }
}

void ll_search_try_chains(ll_search_plan *p)
{
    ll_search *s = p->s;
    const ll_format *format = s->weigher.format;
    for (uint32_t i = 0; i < p->unit_count; i++) {
        for (size_t k = 0; ll_search_is_suspect(p, i) && k < format->derivation_count; k++) {
            const ll_derivation *row = &format->derivations[k];
            const ll_layout *l = &format->layouts[row->layout];
            if (row->which == LL_WHICH_NEXT && row->layout == p->units[i].layout) {
                ll_search_try_number(s, (ll_hypothesis){.cost = LL_COST_FIELD}, l, p->units[i].at, row->field, l->size);
                ll_search_try_number(s, (ll_hypothesis){.cost = LL_COST_FIELD}, l, p->units[i].at, row->field,
                                     row->plus);
            }
        }
    }
}

/* ------------------------------------------------------------------ sums */

/* A loud leftover begins at this address. */
static bool is_named(const ll_search *s, uint32_t at)
{
    bool named = false;
    for (size_t i = 0; i < s->leftovers.count && !named; i++) {
        named = s->leftovers.items[i].loud && s->leftovers.items[i].offset == at;
    }
    return named;
}

/* Tries each number of an element as the one that makes a sum wrong. of_end: the sum misses the end of the file. Then
 * bytes may be missing or surplus instead, unless something else is wrong with the number. */
static void try_term(ll_search_plan *p, const ll_search_unit *u, unsigned role, int64_t off, bool of_end)
{
    ll_search *s = p->s;
    const ll_layout *l = &s->weigher.format->layouts[u->layout];
    for (unsigned k = 0; l->kind == LL_KIND_RECORD && k < l->field_count; k++) {
        const ll_field *f = &l->fields[k];
        if (f->role != role || !ll_type_is_integer(f->type)) {
            continue;
        }
        const int64_t stated = (int64_t)ll_read_uint(s->bytes + u->at + f->offset, f->bytes, l->endian);
        if (stated >= off) {
            const bool odd = stated > s->size || is_named(s, u->at + f->offset);
            const ll_hypothesis h = {.cost =
                                         LL_COST_FIELD + (odd || stated == 0 || role == LL_ROLE_COUNT ? 0 : COST_TERM),
                                     .unsure = of_end && !odd,
                                     .redundant = true,
                                     .safe = true};
            ll_search_try_number(s, h, l, u->at, k, stated - off);
        }
    }
}

void ll_search_try_terms(ll_search_plan *p)
{
    int64_t tried[SUMS_MAX];
    unsigned count = 0;
    const ll_weigher *w = &p->s->weigher;
    if (!w->format->edition_count && w->doc.by_rows) { /* rows state the place or size of each part */
        return;
    }
    for (size_t i = 0; i < p->s->leftovers.count && count < SUMS_MAX; i++) {
        const ll_leftover *l = &p->s->leftovers.items[i];
        bool known = !l->off || !l->loud || l->off > UINT32_MAX || l->off < -(int64_t)UINT32_MAX;
        for (unsigned k = 0; k < count && !known; k++) {
            known = tried[k] == l->off;
        }
        if (known) {
            continue;
        }
        tried[count++] = l->off;
        const unsigned role = l->kind == LL_READ_COUNT ? LL_ROLE_COUNT : LL_ROLE_SIZE;
        for (uint32_t k = 0, terms = 0; k < p->unit_count && terms < TERMS_MAX; k++) {
            if (p->units[k].counted) {
                try_term(p, &p->units[k], role, l->off, l->kind == LL_READ_CUT || l->kind == LL_READ_SURPLUS);
                terms++;
            }
        }
    }
}
