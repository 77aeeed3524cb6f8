/* Reads the parts of a file or of a part of it, row by row. The owners whose parts are being read are on a stack, at
 * most as deep as rows can nest. */
#include "model/reader.h"

#include "model/derive.h"
#include "model/reader_like.h"
#include "model/reader_parts.h"

#include <string.h>

/* Each part of a LED row is a list of items with a last part. */
static bool is_ended(const reader *r, size_t row)
{
    const unsigned layout = r->format->parts[row].layout;
    return r->plan->rows[layout].end - r->plan->rows[layout].first > 1;
}

/* Reads the parts of a row whose kind has a function of its own that reads all of it. False: the kind has none. */
static bool read_whole_row(reader *r, size_t row)
{
    const struct ll_part_plan *p = &r->plan->part[row];
    switch (r->format->parts[row].how) {
    case LL_PART_TAGGED:
        (r->format->parts[row].place >= LL_PLACE_ONCE ? ll_read_sections : ll_read_tagged)(r);
        return true;
    case LL_PART_ARRAY:
        if (r->doc->layouts[r->format->parts[row].layout].kind != LL_KIND_RECORD ||
            ll_usual_count(&r->format->parts[row])) {
            r->top->row++;
            ll_read_filling(r, row);
            return true;
        }
        return false;
    case LL_PART_SERIES:
        ll_read_series(r);
        return true;
    case LL_PART_ITEMS:
        ll_read_items(r, row);
        return true;
    case LL_PART_SHARED:
    case LL_PART_LED:
    case LL_PART_GAP: /* a GAP row is claimed with the parts of the row beside it */
        r->top->row++;
        if (r->format->parts[row].how == LL_PART_SHARED) {
            ll_read_shares(r, row);
        } else if (r->format->parts[row].how == LL_PART_LED) {
            (is_ended(r, row) ? ll_read_ended : ll_read_led)(r, row);
        }
        return true;
    default:
        if (p->hash.field != LL_NO_FIELD && p->size.field != LL_NO_FIELD) {
            ll_read_hashed(r, row);
            return true;
        }
        return false;
    }
}

/* Reads the next part, or parts, of the owner's next row. */
static void read_row(reader *r)
{
    frame *f = r->top;
    size_t row = f->row;
    const ll_part_row *part = &r->format->parts[row];
    if (read_whole_row(r, row)) {
        return;
    }
    const bool of_each = part->how == LL_PART_EACH, times = part->how == LL_PART_TIMES;
    uint32_t of = of_each ? r->doc->firsts[part->of] : 0;
    if (of_each && r->plan->part[row].size.field != LL_NO_FIELD && !f->number && part[-1].how != LL_PART_EACH) {
        f->body = r->at; /* what records lead to stands after them */
    }
    const uint32_t most = of ? ll_doc_span(r->doc, of - 1)->count : times ? part->times : 0;
    if (((of_each || times) && f->number >= most) || (!of_each && !ll_is_there(r, row))) {
        f->number = 0;
        f->row++;
        return;
    }
    f->row += (uint16_t)(!of_each && !times);
    if (of_each && !f->number && r->plan->part[row].size.field != LL_NO_FIELD) {
        ll_find_order(r, row);
    }
    const each e = {row, of_each || times ? f->number++ : 0};
    const uint32_t index = of_each ? ll_each_element(r, e) : times ? e.number : LL_NO_INDEX;
    if (row + 1 != f->end || r->depth > 1 || !r->plan->like[part->layout].mask || !ll_find_last(r, row)) {
        ll_read_padding(r, r->plan->part[row].start, 0, part->layout, part->how != LL_PART_ONE);
    }
    if (f->before != part->layout) {
        ll_read_padding(r, r->plan->part[row].first, 0, part->layout, part->how != LL_PART_ONE);
    }
    ll_follow(r, row, of_each ? index : 0);
    f->before = part->layout;
    if (part->how == LL_PART_REST) {
        uint32_t to = f->stated ? f->stated : f->limit;
        (void)ll_claim_bytes(r->doc, f->span, part->layout, r->at, to);
        r->doc->unsupported = true; /* their meaning is unknown */
        r->at = to;
    } else if (part->how == LL_PART_ARRAY || part->how == LL_PART_COUNTED) {
        ll_where by;
        const uint64_t stated = ll_count_of(r, row, &by), count = ll_count_filling(r, row, stated, &by);
        const uint32_t span = r->doc->span_count;
        ll_read_array(r, row, part->layout, false, count, &by);
        ll_judge_chain(r, row, span < r->doc->span_count ? span : LL_NO_SPAN);
    } else if (part->how == LL_PART_CHOICE) {
        ll_read_choice(r, row);
    } else if (r->doc->layouts[part->layout].kind == LL_KIND_STRING) {
        ll_read_string(r, e);
    } else if (of_each && r->plan->part[row].size.field != LL_NO_FIELD) {
        ll_read_bytes(r, e);
    } else if (!ll_read_record(r, row, index, f->limit)) {
        ll_leave_rest(r);
    } else if (row == 0 && f == r->stack && part->how == LL_PART_ONE && r->doc->firsts[part->layout] &&
               r->doc->swap.from == r->doc->swap.to && ll_has_read_row(r->format, LL_READ_SWAPPED, part->layout)) {
        (part->tag ? ll_judge_magic_order : ll_judge_byte_order)(r, r->doc->firsts[part->layout] - 1);
    }
}

/* ------------------------------------------------------------------ the end of the file */

/* Checks the fields that state where the file ends. padding: number of zeros that are missing there, if nothing else is
 * wrong. */
static void judge_ends(reader *r, uint32_t padding)
{
    static const uint8_t zeros[UINT8_MAX];
    for (size_t k = 0; r->plan->ends && k < r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k];
        uint32_t span = r->doc->firsts[row->layout] - 1, target = r->doc->firsts[row->target] - 1;
        bool to_end = row->how == LL_DERIVE_BYTES_TO_END && target != LL_NO_SPAN;
        if (row->how == LL_DERIVE_FILE_BYTES || to_end) {
            int64_t from = to_end ? ll_doc_span(r->doc, target)->offset : 0;
            const ll_fault_node *last = r->doc->last_fault;
            ll_expect_with(
                r, LL_READ_SIZE, row->layout, ll_field_in(span, 0, row->field), r->doc->size - from + row->plus,
                &(evidence){.related = padding ? ll_at_bytes(LL_NO_SPAN, r->doc->size - 1, 1) : ll_nowhere()});
            if (padding && r->doc->last_fault != last) {
                ll_patch_insert(r->doc, &r->doc->last_fault->fault, LL_PATCH_SAFE, r->doc->size, zeros, padding);
            }
        }
    }
}

/* Reads the padding at the end of the file. If some is missing and no field says that the file ends here, raises a
 * fault about the cut file. Returns the number of missing zeros if the stated file size includes them and nothing else
 * is wrong. It is 0 if zeros stand at the end of the last part, as then bytes of the part may be missing instead. */
static uint32_t pad_end(reader *r)
{
    const ll_alignment *row = ll_alignment_of(r->format, LL_WITHIN_FILE, LL_ALIGN_END);
    const uint32_t need = ll_padding_at(row, r->at), left = r->doc->size - r->at;
    const uint32_t missing = need > left && !r->doc->unread ? need - left : 0;
    const bool alone = missing && r->at > missing && !r->doc->fault_count &&
                       ll_is_end_stated(r, (uint64_t)r->at + need) &&
                       !ll_is_zero(ll_doc_at(r->doc, r->at - missing), ll_doc_at(r->doc, r->at - missing) + missing);
    if (missing && !alone && !ll_is_end_stated(r, r->doc->size)) {
        ll_raise_cut(r, LL_ANY_LAYOUT, need, left);
    }
    ll_read_padding(r, row, 0, LL_WITHIN_FILE, true);
    return alone ? missing : 0;
}

/* Claims the bytes after the last part. If the file size is as stated, the last part may be larger than its size
 * says. */
static void end_file(reader *r)
{
    const size_t row = r->top->end - (size_t)(r->top->end > 0);
    const uint32_t count = r->top->end ? ll_each_count(r, row) : 0;
    if (count && r->at < r->doc->size && !r->doc->unread && ll_is_end_stated(r, r->doc->size)) {
        ll_raise_gap(r, (each){row, count - 1}, r->doc->size);
    } else {
        const bool once = r->top->end && r->format->parts[row].how == LL_PART_ONE;
        ll_raise_rest(r, LL_NO_SPAN, once ? r->format->parts[row].layout : LL_WITHIN_FILE, 0, r->at, r->doc->size);
    }
}

/* ------------------------------------------------------------------ all parts */

/* Reads parts until none is left, or memory runs out. */
static void read_parts(reader *r)
{
    while (r->depth && r->doc->status == LL_OK) {
        const frame *f = r->top;
        if (f->row < f->end) {
            read_row(r);
            continue;
        }
        if (r->depth == 1 && f->layout == LL_WITHIN_FILE && !r->swapped && f->end) {
            judge_ends(r, pad_end(r));
            end_file(r);
        }
        ll_pop_owner(r);
    }
}

/* Claims the bytes after the parts of a record whose size is known, and raises a fault. The record cannot just
 * become shorter. If a number states how many parts there are, these bytes are surplus. */
static void end_part(reader *r, const ll_stretch *what)
{
    const ll_plan *plan = r->plan;
    const unsigned size = what->claimed ? plan->size[what->layout] : 0U;
    bool counted = false;
    for (size_t i = plan->rows[what->layout].first; what->claimed && i < plan->rows[what->layout].end; i++) {
        counted = counted || plan->part[i].count.field != LL_NO_FIELD || r->format->parts[i].how == LL_PART_SHARED;
    }
    const ll_fault_node *last = r->doc->last_fault;
    ll_raise_left(r, what->parent, what->layout, what->from, r->at, what->to);
    if (r->doc->last_fault == last) { /* no memory, or too many faults */
        return;
    }
    ll_fault *fault = &r->doc->last_fault->fault;
    ll_patch_none(fault);
    fault->patch.guessed = !counted;
    fault->related = size ? ll_at_field(r->doc, what->parent, 0, size - 1U) : fault->related;
}

/* what->layout: layout of a record at what->from that goes on, with its parts, to what->to; LL_WITHIN_FILE: the range
 * is the file. */
void ll_read_as(ll_doc *doc, const ll_plan *plan, const ll_stretch *what, unsigned variant)
{
    tag_seen seen = {.at = UINT32_MAX};
    series_seen series = {.at = UINT32_MAX, .sound = UINT32_MAX};
    reader r; /* not initialised as a whole: most of it is not needed, and files are small */
    r.doc = doc;
    r.format = doc->format;
    r.plan = plan;
    r.seen = &seen;
    r.series = &series;
    r.depth = 0;
    r.at = what->from;
    r.paddings = 0;
    r.ahead = doc->size;
    r.order = NULL;
    r.swapped = false;
    r.variant = variant;
    memset(r.offsets, 0, sizeof *r.offsets * doc->format->part_count);
    memset(r.sizes, 0, sizeof *r.sizes * doc->format->part_count);
    ll_push_owner(&r, 0, LL_WITHIN_FILE, what->parent, (bounds){what->from, what->to, 0});
    if (what->claimed) {
        r.depth = 0;
        r.at = what->from + doc->layouts[what->layout].size;
        ll_push_owner(&r, 0, what->layout, what->parent, (bounds){what->from, what->to, what->to});
    } else if (what->layout != LL_WITHIN_FILE) {
        size_t row = 0;
        while (row + 1 < doc->format->part_count && doc->format->parts[row].layout != what->layout) {
            row++;
        }
        r.top->row = r.top->end = 0; /* the file's own parts are not read */
        if (!ll_read_record(&r, row, LL_NO_INDEX, what->to)) {
            ll_leave_rest(&r);
        }
    }
    read_parts(&r);
    if (what->layout != LL_WITHIN_FILE && r.at < what->to) {
        end_part(&r, what);
    }
}
