/* Parts that fields of records lead to (LL_PART_LED), each a list of items with a last part. Several records may lead
 * to one list, or to an item in it. A list to which no offset leads is unreferenced. An offset that leads into the
 * middle of an item is wrong; if there is one unreferenced list, the offset should lead to it. */
#include "base/sort.h"
#include "model/reader_like.h"
#include "model/reader_parts.h"
#include "model/reference.h"

/* A list, with all records that have its offset. */
typedef struct list {
    uint32_t record, sharers; /* the first of these records, and their number */
    uint64_t offset;          /* as the records state it */
    uint32_t start, end;      /* addresses */
    bool lost;                /* no item begins at the offset */
} list;

typedef struct lists {
    reader *r;
    size_t row;
    const ll_reference *to;
    ll_items of;
    uint32_t records, from, limit;
    uint32_t budget; /* items that may still be stepped over; at first, as many as there are bytes */
    list *items;
    uint32_t count;
    uint32_t lost;         /* number of lost lists */
    uint32_t gaps;         /* number of lists to which no offset leads */
    uint32_t gap, gap_end; /* addresses of the last of these */
    /* The end of a list without a last part, for which a fault was raised: the next list may begin elsewhere. */
    uint32_t told;
} lists;

/* The address where the list at an address ends. 0: it has no last part. */
static uint32_t end_of_list(lists *l, uint32_t at)
{
    uint32_t next = at;
    for (; (next = ll_end_of_sound(l->r, &l->of, at)) != 0 && l->budget; l->budget--) {
        at = next;
    }
    return ll_ends_items(l->r, &l->of, at) ? at + l->r->doc->layouts[l->of.last].size : 0;
}

/* Steps over items from `at`, which begins an item, up to the first one at or after `to`. Returns its address, or
 * l->limit. */
static uint32_t step_to(const lists *l, uint32_t at, uint32_t to)
{
    uint32_t next = at;
    while (at < to && next) {
        next = ll_end_of_sound(l->r, &l->of, at);
        at = next ? next : at;
    }
    return at < to ? l->limit : at;
}

/* Whether what looks like the last part of a list is an item whose size became 0: after as many bytes as its number of
 * elements takes, more items follow, which fill the unreferenced bytes. Otherwise these bytes may be a list of their
 * own. */
static bool is_size_lost(lists *l, uint32_t at, uint32_t limit)
{
    const ll_layout *item = &l->r->doc->layouts[l->of.layout];
    const uint32_t last = l->r->doc->layouts[l->of.last].size;
    const size_t row = l->r->plan->rows[l->of.layout].first;
    const uint32_t next =
        ll_fits(at, (uint64_t)item->size + last, limit) ? ll_end_of_sound(l->r, &l->of, at + last) : limit;
    if (next == limit || (next && end_of_list(l, next)) || !ll_fits(at, (uint64_t)item->size + last, limit)) {
        return false;
    }
    const uint64_t elements = ll_number_at(item, l->r->plan->part[row].count.field, ll_doc_at(l->r->doc, at));
    const uint64_t behind = at + item->size + elements * l->r->doc->layouts[l->r->format->parts[row].layout].size;
    if (!elements || behind > limit) {
        return false;
    }
    const uint32_t stop = step_to(l, (uint32_t)behind, limit - last);
    return stop == limit - last ? ll_ends_items(l->r, &l->of, stop) : stop == limit && end_of_list(l, limit);
}

/* ------------------------------------------------------------------ where the lists are */

static void expect_offset(const lists *l, const list *one, bool known, uint32_t start)
{
    const bool outside = one->offset >= l->limit - l->from;
    const int64_t right = known ? (int64_t)(start - l->from) : 0;
    const unsigned size = l->r->plan->size[l->r->top->layout];
    const ll_where length = size ? ll_at_field(l->r->doc, l->r->top->span, 0, size - 1U) : ll_nowhere();
    const ll_read_kind kind = outside ? LL_READ_OUTSIDE : LL_READ_OFFSET;
    const uint64_t want = outside ? l->from + one->offset + l->r->doc->layouts[l->of.last].size : 0;
    if (known && one->sharers == 1) {
        ll_expect_with(l->r, kind, l->to->layout, ll_field_in(l->records, one->record, l->to->field), right,
                       &(evidence){.from = l->from, .want = want, .related = length});
    } else {
        ll_fault fault = ll_read_fault(l->r->format, kind, l->to->layout,
                                       ll_at_field(l->r->doc, l->records, one->record, l->to->field),
                                       (ll_read_words){ll_uint(one->offset), ll_int(right),
                                                       l->r->doc->layouts[l->to->layout].fields[l->to->field].name});
        fault.want = want;
        fault.related = length;
        ll_raise(l->r->doc, &fault);
    }
}

/* Notes the bytes between two lists if they are an unreferenced list. */
static void note_gap(lists *l, uint32_t from, uint32_t to)
{
    if (from < to && end_of_list(l, from) == to) {
        l->gaps++;
        l->gap = from;
        l->gap_end = to;
    }
}

/* The unreferenced list at `from` covers the address `place`, at which no item begins: the offset should lead to the
 * list. */
static bool is_meant(lists *l, uint32_t from, uint32_t place)
{
    return from < place && end_of_list(l, from) > place && step_to(l, from, place) != place;
}

/* The address where a list ends. limit: address of the next list. */
static uint32_t place_end(lists *l, uint32_t start, uint32_t limit)
{
    const uint32_t end = end_of_list(l, start), last = l->r->doc->layouts[l->of.last].size;
    return !end || (end < limit && is_size_lost(l, end - last, limit)) ? limit : end;
}

/* Assigns the unreferenced list to the lost offset, if there is one of each. Raises faults about lost offsets. */
static void place_lost(lists *l)
{
    const bool found = l->lost == 1 && l->gaps == 1;
    for (uint32_t i = 0; l->lost && i < l->count; i++) {
        list *one = &l->items[i];
        if (one->lost) {
            expect_offset(l, one, found, l->gap);
            one->start = l->gap;
            one->end = l->gap_end;
            one->lost = !found;
        }
    }
}

/* Decides for each offset, in ascending order, where its list is. */
static void place_lists(lists *l)
{
    uint32_t done = l->from, cursor = l->from; /* end of the list before, and the item reached in it */
    list *last = NULL;
    for (uint32_t i = 0; i < l->count; i++) {
        list *one = &l->items[i];
        const uint64_t next = i + 1 < l->count ? l->from + l->items[i + 1].offset : l->limit;
        one->start = l->from + (uint32_t)one->offset;
        one->lost = !ll_fits(one->offset, l->r->doc->layouts[l->of.last].size, l->limit - l->from);
        if (!one->lost && one->start < done) { /* an item of the list before, or nothing */
            cursor = step_to(l, cursor, one->start);
            one->lost = !last || cursor != one->start;
        }
        l->lost += one->lost;
        if (one->lost) {
            continue;
        }
        note_gap(l, done, one->start);
        if (one->start < done) {
            last->end = one->start;
            one->end = done;
        } else if (is_meant(l, done, one->start)) {
            expect_offset(l, one, true, done);
            one->start = done;
            one->end = end_of_list(l, done);
        } else {
            one->end = place_end(l, one->start, next < l->limit ? (uint32_t)next : l->limit);
        }
        cursor = one->start;
        done = one->end;
        last = one;
    }
    note_gap(l, done, l->limit);
    place_lost(l);
}

/* ------------------------------------------------------------------ claims */

/* Claims an item whose size and number of elements lead nowhere, and leaves the rest of the list unread. */
static void read_unsized(lists *l, const list *one, uint32_t index)
{
    reader *r = l->r;
    const ll_layout *item = &r->doc->layouts[l->of.layout];
    const size_t row = r->plan->rows[l->of.layout].first;
    const uint8_t *bytes = ll_doc_at(r->doc, r->at);
    const unsigned size = r->plan->size[l->of.layout] - 1U, count = r->plan->part[row].count.field;
    const uint64_t own = ll_number_at(item, count, bytes) * r->doc->layouts[r->format->parts[row].layout].size;
    const uint32_t span = ll_claim_broken(r->doc, r->top->span, l->of.layout, r->at, one->end, index);
    (void)ll_claim_unparsed(r->doc, span, r->at + item->size, one->end);
    ll_fault fault =
        ll_read_fault(r->format, LL_READ_SIZE, l->of.layout, ll_at_field(r->doc, span, 0, size),
                      (ll_read_words){ll_uint(ll_number_at(item, size, bytes)),
                                      ll_uint(item->size + own - (uint64_t)(int64_t)r->plan->less[l->of.layout]),
                                      item->fields[size].name});
    fault.related = ll_at_field(r->doc, span, 0, count);
    ll_raise(r->doc, &fault);
    r->at = one->end;
}

/* The last part of a list is damaged or missing: raises a fault. */
static void read_no_end(lists *l, const list *one, uint32_t index)
{
    reader *r = l->r;
    const uint32_t size = r->doc->layouts[l->of.last].size, left = one->end - r->at;
    if (!index && l->told == one->start) {
        ll_mark_span(r->doc, ll_claim_unparsed(r->doc, r->top->span, r->at, one->end), LL_SPAN_EXPLAINED);
        r->at = one->end;
    } else if (left == size) {
        const uint32_t span = r->doc->span_count;
        (void)ll_claim_broken(r->doc, r->top->span, l->of.last, r->at, one->end, LL_NO_INDEX);
        ll_judge_constants(r, l->of.last, span);
        r->at = one->end;
    } else if (left >= r->doc->layouts[l->of.layout].size && r->plan->size[l->of.layout]) {
        read_unsized(l, one, index);
    } else {
        const uint32_t rest = left ? ll_claim_unparsed(r->doc, r->top->span, r->at, one->end) : r->top->span;
        ll_fault fault = ll_read_fault(r->format, LL_READ_CUT, l->of.last, ll_at_bytes(rest, r->at, left),
                                       (ll_read_words){ll_uint(left), ll_uint(size), "size"});
        fault.want = (uint64_t)r->at + size;
        ll_raise(r->doc, &fault);
        r->at = one->end;
    }
    l->told = one->end;
}

/* A list may begin at an address: there the owner begins, or another list ends. */
static bool is_due(const lists *l, uint32_t at)
{
    bool due = at == l->from;
    for (uint32_t i = 0; i < l->count && !due; i++) {
        due = l->items[i].end == at;
    }
    return due;
}

/* Claims the last part of a list, and the unreferenced bytes up to the next list. */
static void read_end(lists *l, const list *one, bool damaged)
{
    reader *r = l->r;
    const uint32_t size = r->doc->layouts[l->of.last].size;
    (void)ll_claim_record(r->doc, r->top->span, l->of.last, r->at, r->at + size, LL_NO_INDEX);
    const uint32_t rest = ll_claim_unparsed(r->doc, r->top->span, r->at + size, one->end);
    ll_mark_span(r->doc, rest, damaged ? LL_SPAN_EXPLAINED : 0);
    r->at = one->end;
}

/* Reads the items of a list up to its last part, or to where another list begins. */
static void read_list(lists *l, const list *one)
{
    reader *r = l->r;
    const ll_fault_node *last = r->doc->last_fault;
    const uint32_t size = r->doc->layouts[l->of.last].size;
    const ll_items of = {l->of.layout, l->of.last, one->end};
    for (uint32_t index = 0; r->doc->status == LL_OK && (r->at < one->end || one->end == l->limit); index++) {
        const bool ends = ll_ends_items(r, &of, r->at);
        if (ends && (one->end - r->at == size || !is_size_lost(l, r->at, one->end))) {
            read_end(l, one, r->doc->last_fault != last);
            return;
        }
        const uint32_t next = r->at < one->end ? ll_end_of_item(r, &of, r->at) : 0;
        if (!next) {
            read_no_end(l, one, index);
        } else {
            ll_read_counted(r, l->of.layout, index, next);
        }
        if (!index && r->doc->last_fault != last && !is_due(l, one->start)) { /* the list may begin elsewhere */
            ll_patch_none(&r->doc->last_fault->fault);
        }
        if (!next) {
            return;
        }
    }
}

static void claim_list(lists *l, const list *one, uint16_t gap)
{
    reader *r = l->r;
    (void)ll_claim_bytes(r->doc, r->top->span, gap, r->at, one->start);
    r->at = one->start;
    const uint16_t layout = r->format->parts[l->row].layout;
    const uint32_t span = ll_claim_group(r->doc, r->top->span, layout, one->start, one->end, one->record);
    if (r->doc->status == LL_OK) {
        ll_push_owner(r, l->row, layout, span, (bounds){one->start, one->end, 0});
        read_list(l, one);
        r->depth--;
        r->top--;
    }
}

/* ------------------------------------------------------------------ all of them */

static bool open_lists(reader *r, size_t row, lists *l)
{
    const ll_part_row *part = &r->format->parts[row];
    const size_t first = r->plan->rows[part->layout].first;
    *l = (lists){.r = r, .row = row, .from = r->at, .limit = r->top->limit, .budget = r->top->limit - r->at};
    l->of = (ll_items){r->format->parts[first].layout, r->format->parts[first + 1].layout, r->top->limit};
    l->to = ll_reference_to(r->format, part);
    l->records = l->to ? r->doc->firsts[l->to->layout] - 1U : LL_NO_SPAN;
    return ll_is_usable(r->doc, l->records);
}

void ll_read_ended(reader *r, size_t row)
{
    lists l;
    const uint16_t gap = ll_gap_of(r, row + 1);
    const uint32_t n = open_lists(r, row, &l) ? ll_doc_span(r->doc, l.records)->count : 0;
    ll_sort_key *keys = ll_doc_alloc(r->doc, (size_t)n + 1, 2 * sizeof *keys);
    l.items = ll_doc_zalloc(r->doc, (size_t)n + 1, sizeof *l.items);
    if (!keys || !l.items) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t offset = 0;
        (void)ll_read_field(r, l.records, i, l.to->field, &offset);
        keys[i] = (ll_sort_key){offset, i, i};
    }
    const ll_sort_key *sorted = ll_sort(keys, keys + n + 1, n);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || sorted[i].first != sorted[i - 1].first) {
            l.items[l.count++] = (list){.record = sorted[i].item, .offset = sorted[i].first};
        }
        l.items[l.count - 1].sharers++;
    }
    place_lists(&l);
    for (uint32_t i = 0; i < l.count && r->doc->status == LL_OK; i++) {
        const list *one = &l.items[i];
        if (!one->lost && one->start >= r->at) {
            claim_list(&l, one, gap);
        }
    }
    (void)ll_claim_bytes(r->doc, r->top->span, gap, r->at, l.limit);
    r->at = l.limit;
    ll_doc_release(r->doc, keys);
    ll_doc_release(r->doc, l.items);
}
