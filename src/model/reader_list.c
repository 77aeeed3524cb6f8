/* Reads the parts of a list, which begin with tags (LL_PART_TAGGED). */
#include "model/reader_parts.h"

/* Raises a fault about the tag of a record. */
static void raise_tag(reader *r, ll_read_kind kind, unsigned layout, uint32_t span)
{
    if (span < r->doc->span_count) { /* false: the claim failed */
        const ll_where at = ll_at_field(r->doc, span, 0, ll_tag_field(&r->doc->layouts[layout]));
        ll_raise_bytes(r, kind, layout, at, ll_chars(at.offset, at.length), "tag");
    }
}

/* Ends the list, as there is no room for another part. If its last part was read, the bytes after it are surplus. */
static void end_list(reader *r, size_t first)
{
    const frame *f = r->top;
    const ll_part_row *parts = r->format->parts;
    const ll_list_rows *list = &r->plan->part[first].list;
    const uint32_t left = f->limit - r->at;
    if (f->ended) {
        ll_raise_rest(r, f->span, f->layout, f->begin, r->at, f->limit);
        r->at = f->limit;
    } else if (left && list->other < r->format->part_count) {
        ll_raise_cut(r, parts[list->other].layout, r->doc->layouts[parts[list->other].layout].size, left);
    } else if (left || list->last < r->format->part_count) {
        ll_raise_bytes(r, LL_READ_END, parts[first].layout, ll_at_bytes(f->span, r->at, 0), ll_uint(r->at), "end");
    }
    ll_leave_rest(r);
}

/* Raises the fault that parts follow what should be the last part of the list. */
static void go_on(reader *r, size_t first)
{
    frame *f = r->top;
    const uint16_t layout = r->format->parts[r->plan->part[first].list.last].layout;
    ll_where at = ll_at_bytes(f->span, r->at, f->limit - r->at);
    ll_raise_bytes(r, LL_READ_ORDER, layout, at, ll_uint(r->at - r->doc->layouts[layout].size), "end");
    f->ended = false;
}

/* Claims a part with an unknown tag, up to the next part. */
static void read_unknown(reader *r, size_t first, uint32_t index)
{
    const frame *f = r->top;
    const uint16_t layout = r->format->parts[r->plan->part[first].list.other].layout;
    const uint32_t at = r->at, own = r->doc->layouts[layout].size;
    uint32_t to = ll_stated_end(r, layout, at);
    to = to && (to == f->limit || ll_begins_part(r, first, to, f->limit, false))
             ? to
             : ll_next_part(r, first, at + own, f->limit);
    const uint32_t span = ll_claim_broken(r->doc, f->span, layout, at, to, index);
    raise_tag(r, LL_READ_TAG, layout, span);
    (void)ll_claim_unparsed(r->doc, span, at + own, to);
    r->at = to;
}

/* The part has the tag of the last part, but the size after the tag leads to another part of the list. */
static bool leads_on(const reader *r, size_t row, size_t first)
{
    const uint32_t end = ll_stated_end(r, r->format->parts[row].layout, r->at);
    return end > r->at + r->doc->layouts[r->format->parts[row].layout].size &&
           ll_begins_part(r, first, end, r->top->limit, false);
}

/* Fetches the cache lines of bytes that will be read soon. */
static inline void fetch(const uint8_t *bytes, uint32_t length)
{
    enum { LINE = 64 };
    for (uint32_t i = 0; i < length; i += LINE) {
        __builtin_prefetch(bytes + i);
    }
}

enum { FETCHED = 4096 }; /* how far ahead; a small file is in the caches anyway */

/* Reads the next parts at once while they are plain and neither the first nor the last of the list. */
static void read_plain_parts(reader *r, size_t first)
{
    frame *f = r->top;
    const size_t none = r->format->part_count;
    size_t row = ll_row_of_tag(r, first, r->at, f->limit - r->at);
    while (row < none && r->format->parts[row].tag && !r->format->parts[row].place &&
           r->plan->plain[r->format->parts[row].layout]) {
        const uint32_t end = ll_stated_end(r, r->format->parts[row].layout, r->at);
        const size_t next = end ? ll_row_of_tag(r, first, end, f->limit - end) : none;
        if (end && f->limit - end > FETCHED) {
            fetch(ll_doc_at(r->doc, r->at) + FETCHED, end - r->at);
        }
        const bool leads = end && (end == f->limit || ll_is_part(r, next, end, f->limit, false));
        if (!leads || !ll_is_untried(r->doc, r->at, end) ||
            !ll_read_plain_record(r, row, r->format->parts[row].layout, f->number, end)) {
            return;
        }
        f->number++;
        row = next;
    }
}

void ll_read_tagged(reader *r)
{
    frame *f = r->top;
    const ll_part_row *parts = r->format->parts;
    const size_t first = f->row, none = r->format->part_count;
    const ll_list_rows *list = &r->plan->part[first].list;
    if (f->number == 0) {
        ll_follow(r, first, 0);
    } else if (!f->ended) {
        read_plain_parts(r, first);
    }
    size_t row = ll_row_of_tag(r, first, r->at, f->limit - r->at);
    if (f->ended && !ll_begins_part(r, first, r->at, f->limit, true)) { /* other bytes follow the list */
        f->row = list->end;
        return;
    }
    if (row == none) {
        end_list(r, first);
        return;
    }
    if (f->ended) {
        go_on(r, first);
    }
    row = row == list->last && list->other < none && leads_on(r, row, first) ? list->other : row;
    const ll_part_row *part = &parts[row];
    const uint32_t span = r->doc->span_count, index = f->number++;
    if (!part->tag) {
        read_unknown(r, first, index);
    } else if (!ll_read_record(r, row, part->place == LL_PLACE_LAST ? LL_NO_INDEX : index, f->limit)) {
        ll_leave_rest(r);
        return;
    }
    f->ended = part->place == LL_PLACE_LAST;
    if (parts[first].place == LL_PLACE_FIRST && (part->place == LL_PLACE_FIRST) != (index == 0)) {
        raise_tag(r, LL_READ_ORDER, part->layout, span);
    }
}
