/* Finds where a part begins to which no field leads. In a list, its tag is there. In a series, the constants of its
 * layout are, or a text with its hash. */
#include "model/derive.h"
#include "model/reader_like.h"
#include "model/reader_parts.h"

#include <limits.h>
#include <string.h>

enum { TAG_BYTES = 4 };

/* ------------------------------------------------------------------ tags */

static bool has_tag(const struct ll_part_plan *p, const uint8_t *bytes, uint32_t left)
{
    return left >= p->tag_at + TAG_BYTES && ll_le32(bytes + p->tag_at) == p->tag;
}

/* A fast test. False: no part of the list that begins with row `p` has the tag. True: it must be looked up. */
static bool may_be_tag(const struct ll_part_plan *p, const uint8_t *bytes, uint32_t left)
{
    const uint32_t hash = left >= p->tag_at + TAG_BYTES ? ll_hash_of_tag(ll_le32(bytes + p->tag_at)) : 0;
    return left && p->list.tags[hash / 32] >> hash % 32 & 1;
}

size_t ll_row_of_tag(const reader *r, size_t first, uint32_t at, uint32_t left)
{
    const ll_list_rows *list = &r->plan->part[first].list;
    const uint8_t *bytes = left ? ll_doc_at(r->doc, at) : NULL;
    const struct ll_part_plan *p = &r->plan->part[first];
    tag_seen *seen = r->seen;
    if (seen->first == first && seen->at == at && seen->left == left) {
        return seen->row;
    }
    size_t i = may_be_tag(p, bytes, left) ? first : list->end;
    if (i < list->end && seen->first == first && seen->row < list->other &&
        has_tag(&r->plan->part[seen->row], bytes, left)) {
        i = seen->row;
    } else {
        while (i < list->end && (i == list->other || !has_tag(p, bytes, left))) {
            i++;
            p++;
        }
    }
    if (i == list->end) {
        const bool other = list->other < i && left >= r->doc->layouts[r->format->parts[list->other].layout].size;
        i = other ? list->other : r->format->part_count;
    }
    *seen = (tag_seen){at, left, first, i};
    return i;
}

bool ll_is_part(const reader *r, size_t row, uint32_t at, uint32_t limit, bool anywhere)
{
    const ll_part_row *part = &r->format->parts[row];
    if (row == r->format->part_count || !part->tag) {
        return false;
    }
    const uint32_t size = r->doc->layouts[part->layout].size;
    if (size > limit - at || (!anywhere && part->tag[0])) {
        return size <= limit - at;
    }
    const uint32_t fixed = at + size, end = r->plan->size[part->layout] ? ll_stated_end(r, part->layout, at) : fixed;
    return end && (ll_has_parts(r, part->layout) || end == fixed);
}

bool ll_begins_part(const reader *r, size_t first, uint32_t at, uint32_t limit, bool anywhere)
{
    return at <= limit && ll_is_part(r, ll_row_of_tag(r, first, at, limit - at), at, limit, anywhere);
}

uint32_t ll_next_part(const reader *r, size_t list, uint32_t from, uint32_t limit)
{
    const struct ll_part_plan *p = &r->plan->part[list];
    while (from < limit &&
           !(may_be_tag(p, ll_doc_at(r->doc, from), limit - from) && ll_begins_part(r, list, from, limit, true))) {
        from++;
    }
    return from;
}

/* ------------------------------------------------------------------ series */

size_t ll_text_row(const reader *r, unsigned layout)
{
    const size_t first = r->plan->rows[layout].first;
    const bool hashed = first < r->plan->rows[layout].end && r->plan->part[first].hash.field != LL_NO_FIELD &&
                        r->plan->part[first].size.field != LL_NO_FIELD;
    return hashed ? first : r->format->part_count;
}

static bool has_hash(const reader *r, const uint8_t *text, uint64_t length, uint64_t hash)
{
    r->series->hashed += length;
    return r->format->text_hash(text, (size_t)length) == hash;
}

/* Bytes of the text that the record at `at` states. 0: they do not fit, are more than `longest`, or the text is
 * empty. */
static uint32_t stated_text(const reader *r, unsigned layout, size_t row, uint32_t at, uint32_t limit, uint32_t longest)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const uint64_t left = ll_fits(at, l->size, limit) ? limit - at - l->size : 0;
    const uint64_t length = left ? ll_number_at(l, r->plan->part[row].size.field, ll_doc_at(r->doc, at)) : 0;
    return length <= left && length <= longest ? (uint32_t)length : 0;
}

bool ll_is_text_right(const reader *r, unsigned layout, size_t row, uint32_t at, uint32_t limit, uint32_t longest)
{
    const ll_layout *l = &r->doc->layouts[layout];
    if (r->series->sound == at) {
        return true;
    }
    const uint32_t length = stated_text(r, layout, row, at, limit, longest);
    const uint64_t hash = length ? ll_number_at(l, r->plan->part[row].hash.field, ll_doc_at(r->doc, at)) : 0;
    if (!length || hash >> r->format->texts->bits || (length > LL_SHORT_TEXT && r->series->hashed > LL_HASHED_MAX)) {
        return false;
    }
    const bool right = has_hash(r, ll_doc_at(r->doc, at) + l->size, length, hash);
    r->series->sound = right ? at : r->series->sound;
    r->series->hashed -= right ? length : 0; /* only bytes hashed in vain count */
    return right;
}

bool ll_series_begins(const reader *r, size_t row, uint32_t at, uint32_t limit, ll_begins how)
{
    const unsigned layout = r->format->parts[row].layout;
    const size_t text = ll_text_row(r, layout);
    const bool certain = how == LL_BEGINS_SURELY;
    if (text < r->format->part_count) {
        const bool long_too = !certain && r->series->hashed < LL_HASHED_MAX;
        return (!certain || r->series->hashed < LL_HASHED_MAX) &&
               ll_is_text_right(r, layout, text, at, limit, long_too ? UINT32_MAX : LL_SHORT_TEXT);
    }
    const bool sure = r->plan->like[layout].bytes >= LL_SURE_BYTES;
    if (certain &&
        (!sure || !ll_fits(at, r->doc->layouts[layout].size, limit) || !ll_is_like(r, layout, ll_doc_at(r->doc, at)))) {
        return false; /* most places end here */
    }
    const unsigned flaws = sure ? ll_count_flaws(r, layout, at, limit) : UINT_MAX;
    return flaws <= !certain || (!certain && flaws < LL_FLAWS_MAX && ll_has_letters(r, layout, at));
}

/* The single part of the row is at `at`, as the bytes after it confirm. At most `wrong` constants of both are wrong,
 * and none if the file goes on after them. */
static bool stands_once(const reader *r, const frame *f, size_t row, uint32_t at, unsigned wrong)
{
    const unsigned layout = r->format->parts[row].layout, first = ll_count_flaws(r, layout, at, f->limit);
    const uint64_t end = (uint64_t)at + r->doc->layouts[layout].size;
    if (first > wrong || row + 1 == f->end) {
        return first <= wrong && end == f->limit;
    }
    const unsigned next = r->format->parts[row + 1].layout;
    const uint32_t size = r->doc->layouts[next].size;
    const uint64_t from = end + ll_padding_at(r->plan->part[row + 1].start, end);
    const bool last = row + 2 == f->end && f->limit - end >= size && f->limit - end - size < 2 * LL_SURE_BYTES;
    const uint32_t at_end = last ? f->limit - size : 0;
    return (from < f->limit && !first && !ll_count_flaws(r, next, (uint32_t)from, f->limit)) ||
           (last && first + ll_count_flaws(r, next, at_end, f->limit) <= wrong) ||
           (wrong && row + 2 == f->end && !first && f->limit - end < size + 2 * LL_SURE_BYTES);
}

bool ll_series_goes_on(const reader *r, const frame *f, uint32_t at, ll_begins how)
{
    if (ll_is_unknown(r, at)) { /* anything may begin in unknown bytes, so a part begins at the first of them */
        return how == LL_BEGINS_MAYBE && at == r->doc->unknown_from;
    }
    for (;; f--) {
        if (at > f->limit) {
            return false;
        }
        for (size_t row = f->row; row < f->end; row++) {
            if (r->format->parts[row].how != LL_PART_SERIES) {
                return how != LL_BEGINS_SURELY && r->format->parts[row].how == LL_PART_ONE &&
                       stands_once(r, f, row, at, how == LL_BEGINS_MAYBE);
            }
            const bool stated = how == LL_BEGINS_MAYBE && row > f->row && at == r->at &&
                                r->plan->part[row].place.layout && ll_stated_place(r, row, 0) == at;
            if (stated || ll_series_begins(r, row, at, f->limit, how)) {
                return true;
            }
        }
        if (f == r->stack) {
            return false;
        }
    }
}

uint32_t ll_series_next(const reader *r, const frame *f, uint32_t from)
{
    while (from < f->limit && !ll_series_goes_on(r, f, from, LL_BEGINS_SURELY)) {
        from++;
    }
    return from < f->limit ? from : f->limit;
}

bool ll_leads_by_texts(const reader *r, const frame *f, unsigned layout, size_t text, uint32_t at)
{
    const ll_layout *l = &r->doc->layouts[layout];
    uint32_t end = at, length;
    if (at < r->series->framed) {
        return true;
    }
    while (r->series->hashed < LL_HASHED_MAX &&
           (length = stated_text(r, layout, text, end, f->limit, LL_SHORT_TEXT)) > 0) {
        const uint64_t hash = ll_number_at(l, r->plan->part[text].hash.field, ll_doc_at(r->doc, end));
        if (end > at && (!hash || hash >> r->format->texts->bits)) {
            break;
        }
        end += l->size + length;
        r->series->hashed += l->size;
        if (ll_series_goes_on(r, f, end, hash ? LL_BEGINS_SOUND : LL_BEGINS_SURELY)) {
            r->series->framed = end;
            return true;
        }
    }
    return false;
}

uint32_t ll_fitting_size(const reader *r, unsigned layout, size_t text, uint32_t at, uint32_t limit)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const uint32_t left = ll_fits(at, l->size, limit) ? limit - at - l->size : 0;
    const uint8_t *record = left ? ll_doc_at(r->doc, at) : NULL;
    const uint64_t hash = left ? ll_number_at(l, r->plan->part[text].hash.field, record) : 0;
    if (!hash || hash >> r->format->texts->bits) {
        return 0;
    }
    const uint32_t most = left < LL_SHORT_TEXT ? left : LL_SHORT_TEXT;
    const uint8_t *bytes = record + l->size, *nul = memchr(bytes, 0, most); /* no text has a NUL */
    const uint32_t end = nul ? (uint32_t)(nul - bytes) : most;
    for (uint32_t n = 1; n <= end && r->series->hashed < LL_HASHED_MAX; n++) {
        if (has_hash(r, bytes, n, hash)) {
            return n;
        }
    }
    return 0;
}

/* ------------------------------------------------------------------ lists and series */

uint32_t ll_next_of(const reader *r, const frame *f, uint32_t from)
{
    return r->format->parts[f->row].how == LL_PART_SERIES ? ll_series_next(r, f, from)
                                                          : ll_next_part(r, f->row, from, f->limit);
}
