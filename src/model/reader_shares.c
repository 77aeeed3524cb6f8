/* Shares (LL_PART_SHARED): parts that fill an owner, one for each record, in the order of the records. Each offset is
 * the end of the share before, and the sizes add up to that of the owner. So each number is stated twice. If two
 * disagree, the field that agrees with no other is wrong. */
#include "model/reader_parts.h"
#include "model/reference.h"

enum { BASE_MAX = 16 /* most bytes that may stand in front of the first share */ };

static const uint64_t SHARE_MAX = UINT64_C(1) << 40; /* keeps sums over all records in 64 bits */

typedef enum wrong_field { WRONG_NONE, WRONG_OFFSET, WRONG_SIZE } wrong_field;

typedef struct share {
    uint64_t offset, size; /* as stated */
    uint64_t right;        /* what the wrong field should state: an offset, or bytes */
    uint8_t wrong;         /* wrong_field */
} share;

typedef struct shares {
    reader *r;
    const ll_reference *to;
    const ll_share *row;
    share *items;
    uint32_t records, count; /* span of the records, and its number of elements */
    const uint8_t *bytes;    /* bytes of that span */
    const ll_layout *layout; /* layout of the records */
    uint32_t start;          /* address of the first byte of the owner's shares */
    uint32_t unit;           /* bytes of one unit of the extent */
    uint32_t wrong;          /* number of wrong fields */
    uint64_t base;           /* offset where the first share should begin */
    uint64_t sum, total;     /* bytes of all shares, and bytes for them in the owner */
    bool summed;             /* the sizes add up, or a field is marked as wrong */
    bool rest;               /* no field is wrong, but the owner is too long or too short */
} shares;

static uint64_t number_of(const shares *s, uint32_t i, unsigned field)
{
    return ll_number_at(s->layout, field, s->bytes + (size_t)i * s->layout->size);
}

/* Bytes of the extent of a record, and how often it is repeated. */
static uint64_t one_of(const shares *s, uint32_t i)
{
    return s->unit * number_of(s, i, s->to->extent);
}
static uint64_t times_of(const shares *s, uint32_t i)
{
    return s->row->times == LL_NO_FIELD ? 1 : number_of(s, i, s->row->times);
}

static uint64_t size_of(const shares *s, uint32_t i)
{
    const uint64_t one = one_of(s, i), times = times_of(s, i);
    return one < SHARE_MAX && times <= UINT16_MAX && one * times < SHARE_MAX ? one * times : SHARE_MAX;
}

/* ------------------------------------------------------------------ what is wrong */

/* The first share after `i` that is not empty. */
static uint32_t next_share(const shares *s, uint32_t i)
{
    do {
        i++;
    } while (i < s->count && s->items[i].size == 0);
    return i;
}

/* The offset where the bytes after share `i` begin, according to fields. */
static uint64_t follower(const shares *s, uint32_t i)
{
    const uint32_t next = next_share(s, i);
    return next < s->count ? s->items[next].offset : s->total;
}

/* The offset where the first share begins. If shares are bytes, only its offset and the sum of all sizes tell. */
static uint64_t base_of(const shares *s, uint32_t usual)
{
    const share *first = &s->items[0];
    const uint64_t left = s->sum <= s->total ? s->total - s->sum : s->total;
    if (s->to->unit != LL_COUNTS_BYTES) {
        return usual * s->unit;
    }
    if (s->sum == 0 && left <= BASE_MAX) {
        return left;
    }
    const bool agrees = first->size && follower(s, 0) == left + first->size;
    const bool certain = left == usual || next_share(s, 0) < s->count || first->offset > BASE_MAX;
    return agrees && first->offset != usual && left <= BASE_MAX && certain ? left : first->offset;
}

/* The share has `bytes` bytes with another extent, or with another number of repetitions. */
static bool is_extent_for(const shares *s, uint32_t i, uint64_t bytes)
{
    return times_of(s, i) && bytes % (s->unit * times_of(s, i)) == 0;
}
static bool is_times_for(const shares *s, uint32_t i, uint64_t bytes)
{
    return s->row->times != LL_NO_FIELD && one_of(s, i) && bytes % one_of(s, i) == 0;
}

static void mark_wrong(share *one, wrong_field wrong, uint64_t right)
{
    one->wrong = (uint8_t)wrong;
    one->right = right;
}

/* The shares from `last` up to `before` should end at `to`, not at `from`. The size of the last empty share there is
 * wrong, or that of the share `last`; a wrong one further in front would move the next share. False: neither can be. */
static bool mark_size(shares *s, uint32_t last, uint32_t before, uint64_t from, uint64_t to)
{
    for (uint32_t i = before; to > from && i-- > (last == UINT32_MAX ? 0 : last + 1);) {
        if (s->items[i].offset == from && (is_extent_for(s, i, to - from) || is_times_for(s, i, to - from))) {
            mark_wrong(&s->items[i], WRONG_SIZE, to - from);
            return true;
        }
    }
    const uint64_t start = last == UINT32_MAX                     ? 0
                           : s->items[last].wrong == WRONG_OFFSET ? s->items[last].right
                                                                  : s->items[last].offset;
    if (last == UINT32_MAX || to < start ||
        !(is_extent_for(s, last, to - start) || is_times_for(s, last, to - start))) {
        return false;
    }
    mark_wrong(&s->items[last], WRONG_SIZE, to - start);
    return true;
}

/* Finds the wrong field of each share. False: the sum is wrong, and no share explains it. */
static bool judge(shares *s)
{
    uint64_t expected = s->base;
    uint32_t last = UINT32_MAX; /* the share before this one */
    const bool sums_up = s->base + s->sum == s->total;
    bool explained = sums_up;
    for (uint32_t i = s->items[0].size ? 0 : next_share(s, 0); i < s->count; i = next_share(s, i)) {
        share *one = &s->items[i];
        const uint64_t behind = follower(s, i);
        if (one->offset != expected && behind != expected + one->size && behind == one->offset + one->size &&
            !sums_up && mark_size(s, last, i, expected, one->offset)) {
            explained = true;
            expected = one->offset;
        } else if (one->offset != expected) {
            const bool alone =
                behind == expected + one->size; /* the shares after it go on as if its offset was right */
            mark_wrong(one, WRONG_OFFSET, expected);
            expected = alone || sums_up ? expected : one->offset;
        }
        expected += one->size;
        last = i;
    }
    return expected == s->total || explained || mark_size(s, last, s->count, expected, s->total);
}

/* The end of a share. That of an empty share is the end of the share before, `end`. */
static uint64_t end_of(const share *one, uint64_t end)
{
    return one->size ? (one->wrong == WRONG_OFFSET ? one->right : one->offset) + one->size : end;
}

/* Marks wrong offsets of empty shares. Readers may look up a share by its offset even if it is empty. */
static void judge_empty(shares *s)
{
    uint64_t end = s->base;
    for (uint32_t i = 0; i < s->count; i++) {
        share *one = &s->items[i];
        if (one->size == 0 && !one->wrong && one->offset > s->total) {
            mark_wrong(one, WRONG_OFFSET, end);
        }
        end = end_of(one, end);
    }
}

/* Finds the rows and records whose fields lead to the parts of `row`. False: there are none, or no memory. */
static bool find_shares(reader *r, size_t row, shares *s)
{
    const ll_part_row *part = &r->format->parts[row];
    *s = (shares){.r = r, .start = r->at, .total = r->top->limit - r->at, .records = LL_NO_SPAN};
    for (size_t i = 0; i < r->format->share_count && !s->to; i++) {
        const ll_share *of = &r->format->shares[i];
        const ll_reference *to = ll_reference_of(r->format, of->layout, of->field);
        s->row = of;
        s->to = to && to->target == part->layout && to->within == part->owner ? to : NULL;
    }
    const uint32_t records = s->to ? r->doc->firsts[s->to->layout] - 1U : LL_NO_SPAN;
    if (!ll_is_usable(r->doc, records)) {
        return false;
    }
    s->records = records;
    s->bytes = ll_doc_at(r->doc, ll_doc_span(r->doc, records)->offset);
    s->layout = ll_doc_layout(r->doc, records);
    s->count = ll_doc_span(r->doc, records)->count;
    s->unit = s->to->unit == LL_COUNTS_BYTES ? 1 : r->doc->layouts[part->layout].size;
    s->items = s->count ? ll_doc_zalloc(r->doc, s->count, sizeof *s->items) : NULL;
    for (uint32_t i = 0; s->items && i < s->count; i++) {
        s->items[i] = (share){.offset = number_of(s, i, s->to->field), .size = size_of(s, i)};
        s->sum += s->items[i].size;
    }
    return s->items;
}

/* The field beside the extent states as many bytes. */
static bool is_confirmed(const shares *s, uint32_t i)
{
    return s->row->bytes != LL_NO_FIELD && number_of(s, i, s->row->bytes) == one_of(s, i);
}

/* The owner is longer or shorter than its shares. Then no size is wrong, or only that of the last share, which no
 * offset states and which another field confirms. */
static bool is_rest(const shares *s)
{
    uint32_t i = 0;
    while (i < s->count && s->items[i].wrong != WRONG_SIZE) {
        i++;
    }
    if (s->wrong != 1 || i == s->count || s->items[i].offset + s->items[i].right != s->total) {
        return s->wrong == 0 && !s->summed;
    }
    const bool repeats = s->row->times != LL_NO_FIELD;
    return is_confirmed(s, i) && (repeats ? !is_times_for(s, i, s->items[i].right) : s->items[i].size > 0);
}

static void judge_all(shares *s, uint32_t usual)
{
    s->base = base_of(s, usual);
    s->summed = judge(s);
    if (s->to->unit == LL_COUNTS_BYTES) {
        judge_empty(s);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        s->wrong += s->items[i].wrong != WRONG_NONE;
    }
    s->rest = is_rest(s);
    for (uint32_t i = 0; s->rest && i < s->count; i++) {
        s->items[i].wrong = WRONG_NONE;
    }
}

/* ------------------------------------------------------------------ faults */

/* The field that makes a share too long or too short: the extent, or the number of repetitions if another field
 * confirms the extent. second: the other of the two; LL_NO_FIELD: it cannot be. *right: its right value. */
static unsigned size_field(const shares *s, uint32_t i, bool second, uint64_t *right)
{
    const uint64_t bytes = s->items[i].right;
    const bool by_extent = is_extent_for(s, i, bytes), by_times = is_times_for(s, i, bytes);
    const bool rather = by_times && (is_confirmed(s, i) || !by_extent);
    if (second && !(by_extent && by_times)) {
        return LL_NO_FIELD;
    }
    *right = bytes / (rather != second ? one_of(s, i) : s->unit * times_of(s, i));
    return rather != second ? s->row->times : s->to->extent;
}

static void expect(const shares *s, ll_read_kind kind, uint32_t i, unsigned field, uint64_t right, ll_where related)
{
    const bool last = kind != LL_READ_OFFSET && next_share(s, i) == s->count; /* or the length of the owner is wrong */
    ll_expect_with(s->r, kind, s->to->layout, ll_field_in(s->records, i, field), (int64_t)right,
                   &(evidence){.from = s->start, .want = last ? s->start + s->base + s->sum : 0, .related = related});
}

static void judge_share(const shares *s, uint32_t i)
{
    const share *one = &s->items[i];
    const bool outside = one->offset + one->size > s->total;
    const bool bytes = s->to->unit == LL_COUNTS_BYTES;
    const unsigned size = s->r->plan->size[s->r->top->layout];
    const ll_where length = size ? ll_at_field(s->r->doc, s->r->top->span, 0, size - 1U) : ll_nowhere();
    if (one->wrong == WRONG_OFFSET) {
        const ll_where before = i && !outside ? ll_at_field(s->r->doc, s->records, i - 1, s->to->field) : length;
        expect(s, outside ? LL_READ_OUTSIDE : LL_READ_OFFSET, i, s->to->field, one->right, before);
    }
    for (unsigned k = 0; one->wrong == WRONG_SIZE && k < 1U + (s->r->doc->copy != NULL); k++) {
        uint64_t right = 0;
        const unsigned field = size_field(s, i, k, &right);
        const ll_read_kind kind = k         ? LL_READ_ALTERNATIVE
                                  : !bytes  ? (outside ? LL_READ_COUNT_BEYOND : LL_READ_COUNT)
                                  : outside ? LL_READ_SIZE_BEYOND
                                            : LL_READ_SIZE;
        if (field != LL_NO_FIELD) {
            const bool behind = !outside && i + 1 < s->count;
            expect(s, kind, i, field, right, behind ? ll_at_field(s->r->doc, s->records, i + 1, s->to->field) : length);
        }
    }
}

/* Checks fields that repeat the offset, or state the bytes of the extent; these may also be 0, or the bytes of the
 * whole share. If two offsets of an empty share differ, the one that is the end of the share before is right. */
static void judge_repeated(const shares *s, uint32_t i, uint64_t end)
{
    const share *one = &s->items[i];
    const ll_share *row = s->row;
    if (row->bytes != LL_NO_FIELD && !one->wrong) {
        const uint64_t count = number_of(s, i, s->to->extent), bytes = number_of(s, i, row->bytes);
        const bool sum = bytes == (row->times == LL_NO_FIELD ? 0 : one->size);
        if (!sum && bytes != s->unit * count) {
            expect(s, LL_READ_SIZE, i, row->bytes, s->unit * count,
                   ll_at_field(s->r->doc, s->records, i, s->to->extent));
        }
    }
    const uint64_t copy = row->again != LL_NO_FIELD ? number_of(s, i, row->again) : one->offset;
    if (copy != one->offset && one->wrong != WRONG_OFFSET) {
        const bool first = !one->size && copy == end; /* the offset itself is wrong */
        const unsigned wrong = first ? s->to->field : row->again, other = first ? row->again : s->to->field;
        const ll_fault_node *before = s->r->doc->last_fault;
        expect(s, LL_READ_OFFSET, i, wrong, first ? copy : one->offset, ll_at_field(s->r->doc, s->records, i, other));
        if (s->r->doc->last_fault != before) { /* whichever is wrong, the fault is that they differ */
            ll_fault *fault = &s->r->doc->last_fault->fault;
            fault->code = (uint16_t)ll_read_code(s->r->format, LL_READ_OFFSET, s->to->layout, row->again);
            fault->patch.guessed = !one->size && !first && one->offset != end;
        }
    }
}

static void judge_fields(const shares *s)
{
    uint64_t end = s->base;
    const unsigned size = s->r->plan->size[s->r->top->layout];
    if (s->rest && s->to->unit == LL_COUNTS_BYTES && size) {
        const frame *f = s->r->top;
        ll_expect_with(s->r, LL_READ_SIZE, f->layout, ll_field_in(f->span, 0, size - 1U),
                       (int64_t)(s->start - f->begin - s->r->doc->layouts[f->layout].size + s->base + s->sum),
                       &(evidence){.related = ll_at_field(s->r->doc, s->records, s->count - 1, s->to->extent)});
    }
    for (uint32_t i = 0; i < s->count && s->r->doc->status == LL_OK; i++) {
        if (s->items[i].wrong) {
            judge_share(s, i);
        }
        judge_repeated(s, i, end);
        end = end_of(&s->items[i], end);
    }
}

/* ------------------------------------------------------------------ claims */

/* Claims shares that are spans of their own, by the fields that are right. */
static void claim_shares(const shares *s, size_t row)
{
    ll_doc *doc = s->r->doc;
    const uint32_t owner = s->r->top->span, end = s->r->top->limit;
    uint32_t pos = s->start;
    for (uint32_t i = 0; i < s->count && doc->status == LL_OK; i++) {
        const share *one = &s->items[i];
        const uint64_t start = s->start + (one->wrong == WRONG_OFFSET ? one->right : one->offset);
        const uint64_t size = one->wrong == WRONG_SIZE ? one->right : one->size;
        if (size == 0 || start < pos || !ll_fits(start, size, end)) {
            continue;
        }
        const bool first = pos == s->start && start - pos <= BASE_MAX;
        ll_claim_bytes(doc, owner, ll_gap_of(s->r, first ? row - 1 : row + 1), pos, start);
        (void)ll_claim_group(doc, owner, s->r->format->parts[row].layout, (uint32_t)start, (uint32_t)(start + size), i);
        pos = (uint32_t)(start + size);
    }
    ll_claim_bytes(doc, owner, ll_gap_of(s->r, row + 1), pos, end);
    s->r->at = end;
}

/* Claims as many elements as there is room for or, if the owner is too long, as the shares have. */
static void claim_elements(const shares *s, size_t row)
{
    reader *r = s->r;
    const uint16_t layout = r->format->parts[row].layout;
    const ll_where by = ll_nowhere();
    const uint64_t need = s->base + s->sum;
    const uint32_t limit = r->top->limit;
    r->top->limit = s->rest && need < s->total ? s->start + (uint32_t)need : limit;
    ll_read_array(r, row, layout, false, LL_COUNT_UNKNOWN, &by);
    r->top->limit = limit;
    if (s->rest && need > s->total) {
        const ll_fault_node *before = r->doc->last_fault;
        ll_raise_cut(r, layout, s->start + need - r->at, limit - r->at);
        if (r->doc->last_fault != before) { /* any of them may be missing */
            r->doc->last_fault->fault.related = ll_at_bytes(r->top->span, s->start, limit - s->start);
        }
        ll_leave_rest(r);
    }
}

void ll_read_shares(reader *r, size_t row)
{
    const ll_part_row *part = &r->format->parts[row];
    const bool apart = r->doc->layouts[part->layout].kind != LL_KIND_RECORD;
    shares s;
    const bool found = find_shares(r, row, &s);
    if (found) {
        judge_all(&s, part->times);
    }
    s.count = found ? s.count : 0;
    if (!apart) {
        claim_elements(&s, row);
    }
    judge_fields(&s);
    if (apart) {
        claim_shares(&s, row);
    }
    ll_doc_release(r->doc, s.items);
}
