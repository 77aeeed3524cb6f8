/* Tries a missing end of the file, and an end overwritten with zeros. The lost bytes are unknown; everything that asks
 * for them is explained. */
#include "diagnosis/tries.h"

#include <string.h>

enum {
    CUT_WEIGHT_LEAST =
        1000, /* a cut explains leftovers at the end up to this weight, or up to that of the largest record */
    COST_CUT = 190,
    COST_CUT_DOUBLED = 25,
    CUT_TIMES = 16, /* the whole file is at most this many times as large as what is left */
    COST_ZEROED = 200,
    COST_ZEROED_USUAL = 160
};

/* Weight that remains if the end of the file, from `end` on, is missing. The record that was cut and not read weighs
 * nothing. *wants: something asks for bytes after the end. */
static uint32_t weigh_cut(const ll_weigher *w, uint32_t end, bool *wants)
{
    uint64_t sum = w->sum, most = CUT_WEIGHT_LEAST;
    *wants = false;
    for (size_t i = 0; i < w->format->layout_count; i++) {
        const uint64_t record = (uint64_t)LL_WEIGHT_BYTE * w->format->layouts[i].size;
        most = record > most ? record : most;
    }
    for (size_t i = 0; i < w->leftovers.count; i++) {
        const ll_leftover *l = &w->leftovers.items[i];
        bool at_end = l->rule == LL_NO_RULE && !l->redundant && l->kind != LL_READ_TAG && l->kind != LL_READ_ORDER &&
                      l->offset + l->length + 8 >= end && l->weight <= most;
        *wants = *wants || (l->beyond && !ll_search_is_size_of_file(w->format, l));
        sum -= l->beyond || at_end ? l->weight : 0;
    }
    return sum < UINT32_MAX / 2 ? (uint32_t)sum : UINT32_MAX / 2;
}

/* Adds to the cost for each doubling of the file. False: the whole file would be implausibly large. */
static bool cost_of_cut(const ll_weigher *w, uint32_t size, unsigned *cost)
{
    uint64_t want = 0;
    for (size_t i = 0; i < w->leftovers.count; i++) {
        const ll_leftover *l = &w->leftovers.items[i];
        want = l->beyond && l->want > want ? l->want : want;
    }
    for (uint64_t n = (uint64_t)size * 2; n && n <= want && want <= (uint64_t)size * CUT_TIMES; n *= 2) {
        *cost += COST_CUT_DOUBLED;
    }
    return want <= (uint64_t)size * CUT_TIMES;
}

static void keep_cut(ll_search *s, ll_cause_kind kind, uint32_t at, unsigned cost, uint32_t left)
{
    if (s->by_rows && !s->weigher.doc.by_rows) { /* the reader finds the end of the file right */
        return;
    }
    ll_search_keep(
        s, &(ll_hypothesis){
               .kind = kind, .offset = at, .length = s->size - at, .cost = cost, .score = cost + left, .left = left});
}

/* Tries the padding that the reader misses at the end. False: it misses none. */
static bool try_padding(ll_search *s)
{
    for (size_t i = 0; i < s->leftovers.count; i++) {
        const ll_edit *patch = &s->leftovers.items[i].patch;
        if (patch->tier != LL_PATCH_NONE && !patch->removed && patch->bytes && patch->offset == s->size) {
            const ll_hypothesis h = {.kind = LL_CAUSE_CUT,
                                     .offset = s->size,
                                     .cost = LL_COST_FIELD,
                                     .redundant = true,
                                     .safe = patch->tier == LL_PATCH_SAFE};
            (void)ll_search_try(s, h, s->size, 0, patch->bytes, patch->size);
            return true;
        }
    }
    return false;
}

/* The file ends with the part: the part was read there, or the tag and the size there are its own. */
static bool ends_with(const ll_doc *doc, const ll_part_row *part)
{
    const ll_layout *l = &doc->layouts[part->layout];
    if (l->size > doc->size || !part->tag) {
        return false;
    }
    const uint32_t span = doc->firsts[part->layout] - 1, at = doc->size - l->size;
    const uint8_t *record = doc->bytes + at;
    bool sized = span != LL_NO_SPAN && ll_doc_span(doc, span)->offset == at, tagged = sized;
    for (size_t i = 0; i < l->field_count; i++) {
        const ll_field *f = &l->fields[i];
        tagged = tagged || ((f->role == LL_ROLE_MAGIC || f->role == LL_ROLE_TERMINATOR) && f->bytes <= 4 &&
                            memcmp(record + f->offset, part->tag, f->bytes) == 0);
        sized = sized || (f->role == LL_ROLE_SIZE && ll_read_uint(record + f->offset, f->bytes, l->endian) == l->size);
    }
    return tagged && sized;
}

/* The part is the last one of its owner. */
static bool is_last_part(const ll_format *format, size_t row)
{
    const ll_part_row *part = &format->parts[row];
    return part->how == LL_PART_ONE && (row + 1 == format->part_count || part[1].owner != part->owner);
}

/* Size in bytes of the last part of the file, if the file ends with it; 0: it does not. */
static uint32_t size_of_end(const ll_search *s)
{
    const ll_doc *doc = &s->weigher.doc;
    uint32_t size = 0;
    for (size_t i = 0; i < doc->format->part_count; i++) {
        const ll_part_row *part = &doc->format->parts[i];
        const bool last = part->owner == LL_WITHIN_FILE && is_last_part(doc->format, i);
        size = last && ends_with(doc, part) ? doc->layouts[part->layout].size : size;
    }
    return size;
}

/* All errors and warnings are about surplus bytes among the `zeros` zeros at the end of the file. */
static bool are_only_surplus(const ll_search *s, uint32_t zeros)
{
    bool only = true;
    for (size_t i = 0; i < s->leftovers.count && only; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        only = !l->loud || (l->kind == LL_READ_SURPLUS && l->offset >= s->size - zeros);
    }
    return only;
}

void ll_search_try_end(ll_search_plan *p)
{
    ll_search *s = p->s;
    bool wants;
    if (try_padding(s)) {
        return;
    }
    uint32_t zeros = 0, left = weigh_cut(&s->weigher, s->size, &wants);
    unsigned cost = COST_CUT;
    if (wants && !p->ends_right && cost_of_cut(&s->weigher, s->size, &cost)) {
        keep_cut(s, LL_CAUSE_CUT, s->size, cost, left);
    }
    while (zeros < s->size && s->bytes[s->size - 1 - zeros] == 0) {
        zeros++;
    }
    s->only_surplus = are_only_surplus(s, zeros);
    if (zeros < 5 || zeros == s->size || wants || zeros < size_of_end(s) || s->only_surplus) {
        return;
    }
    ll_candidate c = {.bytes = s->copy.items, .size = s->size - zeros};
    memcpy(s->copy.items, s->bytes, c.size);
    s->weigher.keep = true;
    s->readings++;
    (void)ll_weigh(&s->weigher, &c);
    left = weigh_cut(&s->weigher, c.size, &wants);
    s->weigher.keep = false;
    if (wants) {
        const bool usual = zeros <= s->weigher.format->zeros_at_end; /* sound files may end in as many */
        keep_cut(s, LL_CAUSE_ZEROED, c.size, COST_ZEROED + (usual ? COST_ZEROED_USUAL : zeros < 32 ? 80 : 0), left);
    }
}

bool ll_search_has_right_end(const ll_search *s)
{
    const ll_doc *doc = &s->weigher.doc;
    bool right = false;
    for (size_t i = 0; i < doc->format->part_count; i++) {
        const ll_part_row *part = &doc->format->parts[i];
        const bool last = part->place == LL_PLACE_LAST || is_last_part(doc->format, i);
        right = right || (last && part->owner == LL_WITHIN_FILE && ends_with(doc, part));
    }
    for (size_t k = 0; k < doc->format->derivation_count && !right; k++) {
        const ll_derivation *row = &doc->format->derivations[k];
        const bool ends = row->how == LL_DERIVE_FILE_BYTES || row->how == LL_DERIVE_BYTES_TO_END;
        const uint32_t span = doc->firsts[row->layout] - 1;
        if (ends && span != LL_NO_SPAN && (row->how == LL_DERIVE_FILE_BYTES || doc->firsts[row->target])) {
            const uint32_t at = ll_at_field(doc, span, 0, row->field).offset;
            size_t i = 0;
            while (i < s->leftovers.count && s->leftovers.items[i].offset != at) {
                i++;
            }
            right = i == s->leftovers.count;
        }
    }
    return right;
}
