/* See reader_series.h. */
#include "model/reader_series.h"

#include "model/derive.h"

#include <limits.h>
#include <string.h>

enum {
    FLAWS_MAX = 4,        /* more are not counted: with its letters a record may have one less */
    SURE_BYTES = 16,      /* that a record has alike with all others: one field of them may be wrong */
    SHORT_TEXT = 512,     /* bytes of the longest text that is tried where a record is sought */
    HASHED_MAX = 1 << 20, /* bytes of texts that are hashed in search of one, in all */
    NOISE_BYTES = 2,      /* that are no zeros: more are a stretch that was overwritten */
    EXCHANGED_MAX = 256,  /* bytes that one part of a series is larger than another */
    REST_MAX = 64         /* bytes of the end of a file that are the same in all files */
};

/* ------------------------------------------------------------------ what records have alike */

static bool is_constant(const reader *r, unsigned layout, uint32_t at, const ll_constant *c)
{
    const ll_doc *doc = r->doc;
    const uint8_t *p = ll_doc_at(doc, at) + c->offset;
    if (doc->unknown_from < doc->unknown_to && at + c->offset < doc->unknown_to &&
        at + c->offset + c->bytes > doc->unknown_from) {
        return true;
    }
    if (!c->value) {
        return ll_is_zero(p, p + c->bytes);
    }
    return ll_read_uint(p, c->bytes, c->tag ? LL_LITTLE : ll_order_of(r, layout, at)) == c->value;
}

/* All that records of the layout have alike is there. */
static inline bool is_like(const reader *r, unsigned layout, const uint8_t *record)
{
    const unsigned at = r->plan->like[layout].mask, words = r->plan->like[layout].words;
    uint64_t differ = 0, word[2];
    if (!at) {
        return false;
    }
    const uint64_t *mask = &r->plan->mask[at - 1], *value = &r->plan->value[at - 1];
    if (words % 2) { /* as it stands there, like these */
        memcpy(word, record + (words - 1) * sizeof *word, sizeof *word);
        differ = (word[0] & mask[words - 1]) ^ value[words - 1];
    }
    for (unsigned i = 0; i + 1 < words; i += 2) {
        memcpy(word, record + i * sizeof *word, sizeof word);
        differ |= ((word[0] & mask[i]) ^ value[i]) | ((word[1] & mask[i + 1]) ^ value[i + 1]);
    }
    return !differ;
}

/* The record says that it is smaller than its fields are. */
static bool is_too_small(const reader *r, unsigned layout, uint32_t at)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const ll_field *f = r->plan->size[layout] ? &l->fields[r->plan->size[layout] - 1] : NULL;
    const bool unknown = f && at + f->offset < r->doc->unknown_to && at + f->offset + f->bytes > r->doc->unknown_from;
    return f && !unknown &&
           ll_read_uint(ll_doc_at(r->doc, at) + f->offset, f->bytes, ll_order_of(r, layout, at)) < l->size;
}

/* The row that holds for the record of which the bytes begin; NULL: none does. */
static inline const ll_choice *find_choice(const reader *r, const uint8_t *record, bool is)
{
    const ll_choice *rows = r->format->choices, *end = rows + r->format->choice_count;
    const uint32_t number = ll_le32(record + r->plan->choice_at);
    const unsigned first = r->plan->choice[number & UINT8_MAX];
    for (const ll_choice *row = rows + first - 1; first && row < end; row++) {
        if ((number & row->bits) == row->value && (is || row->how != LL_CHOICE_IS)) {
            return row;
        }
        if ((uint8_t)row->value != (uint8_t)number) {
            break;
        }
    }
    return NULL;
}

const ll_choice *ll_choice_of(const reader *r, unsigned layout, const uint8_t *record, bool is)
{
    return ll_has_choices(r->format, layout) ? find_choice(r, record, is) : NULL;
}

/* How much of what all records of the layout have alike is not there; UINT_MAX: there is no room for one. No more than
 * FLAWS_MAX are counted. */
static unsigned count_flaws(const reader *r, unsigned layout, uint32_t at, uint32_t limit)
{
    series_seen *seen = r->series;
    if (seen->at == at && seen->limit == limit && seen->layout == layout) {
        return seen->flaws;
    }
    unsigned flaws = UINT_MAX;
    const ll_layout *l = &r->doc->layouts[layout];
    if (ll_fits(at, l->size, limit)) {
        flaws = ll_has_choices(r->format, layout) && !find_choice(r, ll_doc_at(r->doc, at), true);
        flaws += is_too_small(r, layout, at);
        const bool like = is_like(r, layout, ll_doc_at(r->doc, at));
        for (unsigned i = r->plan->like[layout].first; !like && i < r->plan->like[layout].end && flaws < FLAWS_MAX;
             i++) {
            flaws += !is_constant(r, layout, at, &r->plan->constants[i]);
        }
    }
    seen->at = at;
    seen->limit = limit;
    seen->layout = (uint16_t)layout;
    seen->flaws = flaws;
    return flaws;
}

/* The row of a text behind the fields of the record that has its size and its hash; part_count: there is none. */
static size_t text_row(const reader *r, unsigned layout)
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

/* The record that begins at `at` states the size of its text, which fits; 0: it does not, or the text is empty. */
static uint32_t stated_text(const reader *r, unsigned layout, size_t row, uint32_t at, uint32_t limit, uint32_t longest)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const uint64_t left = ll_fits(at, l->size, limit) ? limit - at - l->size : 0;
    const uint64_t length = left ? ll_number_at(l, r->plan->part[row].size.field, ll_doc_at(r->doc, at)) : 0;
    return length <= left && length <= longest ? (uint32_t)length : 0;
}

/* Its text has its hash. */
static bool is_text_right(const reader *r, unsigned layout, size_t row, uint32_t at, uint32_t limit, uint32_t longest)
{
    const ll_layout *l = &r->doc->layouts[layout];
    if (r->series->sound == at) {
        return true;
    }
    const uint32_t length = stated_text(r, layout, row, at, limit, longest);
    const uint64_t hash = length ? ll_number_at(l, r->plan->part[row].hash.field, ll_doc_at(r->doc, at)) : 0;
    if (!length || hash >> r->format->texts->bits || (length > SHORT_TEXT && r->series->hashed > HASHED_MAX)) {
        return false;
    }
    const bool right = has_hash(r, ll_doc_at(r->doc, at) + l->size, length, hash);
    r->series->sound = right ? at : r->series->sound;
    r->series->hashed -= right ? length : 0; /* bytes that were hashed for nothing are counted */
    return right;
}

/* The letters of the layout stand there. */
static bool has_letters(const reader *r, unsigned layout, uint32_t at)
{
    bool has = false;
    for (unsigned i = r->plan->like[layout].first; i < r->plan->like[layout].end; i++) {
        has = has || (r->plan->constants[i].tag && is_constant(r, layout, at, &r->plan->constants[i]));
    }
    return has;
}

static bool is_unknown(const reader *r, uint32_t at)
{
    return at < r->doc->unknown_to && at >= r->doc->unknown_from;
}

/* A part of the row begins at `at`. */
static bool begins(const reader *r, size_t row, uint32_t at, uint32_t limit, ll_begins how)
{
    const unsigned layout = r->format->parts[row].layout;
    const size_t text = text_row(r, layout);
    const bool certain = how == LL_BEGINS_SURELY;
    if (text < r->format->part_count) {
        const bool long_too = !certain && r->series->hashed < HASHED_MAX;
        return (!certain || r->series->hashed < HASHED_MAX) &&
               is_text_right(r, layout, text, at, limit, long_too ? UINT32_MAX : SHORT_TEXT);
    }
    const bool sure = r->plan->like[layout].bytes >= SURE_BYTES;
    if (certain &&
        (!sure || !ll_fits(at, r->doc->layouts[layout].size, limit) || !is_like(r, layout, ll_doc_at(r->doc, at)))) {
        return false; /* as at nearly all places */
    }
    const unsigned flaws = sure ? count_flaws(r, layout, at, limit) : UINT_MAX;
    return flaws <= !certain || (!certain && flaws < FLAWS_MAX && has_letters(r, layout, at));
}

/* The part of the row, of which there is one, stands at `at`, as what stands behind it says: of what both have alike no
 * more than `wrong` fields are, and none if the file goes on behind them. */
static bool stands_once(const reader *r, const frame *f, size_t row, uint32_t at, unsigned wrong)
{
    const unsigned layout = r->format->parts[row].layout, first = count_flaws(r, layout, at, f->limit);
    const uint64_t end = (uint64_t)at + r->doc->layouts[layout].size;
    if (first > wrong || row + 1 == f->end) {
        return first <= wrong && end == f->limit;
    }
    const unsigned next = r->format->parts[row + 1].layout;
    const uint32_t size = r->doc->layouts[next].size;
    const uint64_t from = end + ll_padding_at(r->plan->part[row + 1].start, end);
    const bool last = row + 2 == f->end && f->limit - end >= size && f->limit - end - size < 2 * SURE_BYTES;
    const uint32_t at_end = last ? f->limit - size : 0;
    return (from < f->limit && !first && !count_flaws(r, next, (uint32_t)from, f->limit)) ||
           (last && first + count_flaws(r, next, at_end, f->limit) <= wrong) ||
           (wrong && row + 2 == f->end && !first && f->limit - end < size + 2 * SURE_BYTES);
}

bool ll_series_goes_on(const reader *r, const frame *f, uint32_t at, ll_begins how)
{
    if (is_unknown(r, at)) { /* anything may begin there, and something does where they begin */
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
            if (stated || begins(r, row, at, f->limit, how)) {
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

/* ------------------------------------------------------------------ one part */

/* Texts that do not have their hashes lead, by their sizes, to one that has it, or to what ends the series. */
static bool leads_by_texts(const reader *r, const frame *f, unsigned layout, size_t text, uint32_t at)
{
    const ll_layout *l = &r->doc->layouts[layout];
    uint32_t end = at, length;
    if (at < r->series->framed) {
        return true;
    }
    while (r->series->hashed < HASHED_MAX && (length = stated_text(r, layout, text, end, f->limit, SHORT_TEXT)) > 0) {
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

/* The size with which the text of the record at `at` has its hash; 0: there is none. */
static uint32_t fitting_size(const reader *r, unsigned layout, size_t text, uint32_t at, uint32_t limit)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const uint32_t left = ll_fits(at, l->size, limit) ? limit - at - l->size : 0;
    const uint8_t *record = left ? ll_doc_at(r->doc, at) : NULL;
    const uint64_t hash = left ? ll_number_at(l, r->plan->part[text].hash.field, record) : 0;
    if (!hash || hash >> r->format->texts->bits) {
        return 0;
    }
    for (uint32_t n = 1; n <= left && n <= SHORT_TEXT && r->series->hashed < HASHED_MAX; n++) {
        if (has_hash(r, record + l->size, n, hash)) {
            return n;
        }
    }
    return 0;
}

/* What stands at `at` is a part of the row by where it says that it ends. */
static bool leads_on(const reader *r, size_t row, uint32_t at)
{
    const frame *f = r->top;
    const unsigned layout = r->format->parts[row].layout;
    const size_t text = text_row(r, layout);
    if (text < r->format->part_count) {
        return leads_by_texts(r, f, layout, text, at) || fitting_size(r, layout, text, at, f->limit);
    }
    const size_t first = r->plan->rows[layout].first;
    const uint32_t body = at + r->doc->layouts[layout].size;
    if (first < r->plan->rows[layout].end && r->format->parts[first].how == LL_PART_SERIES && body < f->limit &&
        begins(r, first, body, f->limit, LL_BEGINS_SURELY)) {
        return true; /* its parts are there, whatever became of its fields */
    }
    const uint32_t end = ll_stated_end(r, layout, at);
    return end && (end == f->limit || ll_series_goes_on(r, f, end, LL_BEGINS_MAYBE));
}

/* Bytes that are no part of the series, up to where it goes on. */
static void pass_over(reader *r, size_t row)
{
    frame *f = r->top;
    const unsigned layout = r->format->parts[row].layout;
    const uint32_t from = r->at, next = ll_series_next(r, f, from);
    const uint32_t span = ll_claim_unparsed(r->doc, f->span, from, next);
    f->damaged = true;
    r->at = next;
    if (next < r->doc->size) {
        ll_fault fault = ll_read_fault(r->format, LL_READ_SURPLUS, layout, ll_at_bytes(span, from, next - from),
                                       ll_uint(next - f->begin), ll_uint(from - f->begin), "size");
        ll_mark_span(r->doc, span, LL_SPAN_TOLD);
        ll_raise(r->doc, &fault);
    }
}

/* The file ends in the series or right behind it: the parts that follow the series are missing. */
static void raise_cut(reader *r, size_t row)
{
    uint64_t all = r->at + ll_need_behind(r);
    for (size_t i = row + 1; i < r->top->end; i++) {
        const uint64_t place = ll_stated_place(r, i, 0);
        all = place > all && place <= UINT32_MAX ? place + ll_need_behind(r) : all;
    }
    const uint64_t missing = all - r->at - ll_need_behind(r);
    if (!ll_is_behind_end(r)) {
        ll_raise_cut(r, r->format->parts[row + !missing].layout, missing, r->top->limit - r->at);
        if (!missing) {
            ll_offer_rest(r, row + 1);
        }
    }
    ll_leave_rest(r);
}

/* As many as a field says. */
static void judge_number(reader *r, size_t row)
{
    const ll_field_of count = r->plan->part[row].count;
    const frame *f = r->top;
    if (count.field != LL_NO_FIELD && !f->damaged) {
        ll_expect_with(r, LL_READ_COUNT, count.layout, ll_record_of(r, count.layout), 0, count.field, f->number,
                       (evidence){.related = ll_nowhere()});
    }
}

/* A part that is as long as it says, and as its kind and its number ask for. */
typedef struct plain {
    const ll_choice *choice; /* NULL: there is none */
    uint32_t size, count;
} plain;

/* What follows the fields of the record fills it, as many elements as are counted, and zeros. */
static bool is_filled(const reader *r, unsigned layout, const uint8_t *record, plain *out)
{
    const uint32_t size = r->doc->layouts[layout].size, one = r->doc->layouts[out->choice->part].size;
    const size_t row = r->plan->rows[layout].first;
    const uint64_t count = ll_number_at(&r->doc->layouts[layout], r->plan->part[row].count.field, record);
    const uint64_t used = size + count * one; /* a count has four bytes at most */
    const ll_alignment *fill = ll_fill_of(r, layout);
    const uint8_t *item = record + size;
    bool like = used + (fill ? ll_padding_at(fill, used) : 0) == out->size && is_like(r, layout, record) &&
                ll_is_zero(record + used, record + out->size);
    const bool judged = out->choice->how == LL_CHOICE_ITEMS && r->plan->like[out->choice->part].end;
    for (uint64_t i = 0; like && judged && i < count; i++, item += one) {
        like = is_like(r, out->choice->part, item);
    }
    out->count = (uint32_t)count;
    return like;
}

static bool is_plain_array(const reader *r, unsigned layout, const uint8_t *record, uint32_t left, plain *out)
{
    const ll_layout *l = &r->doc->layouts[layout];
    const uint64_t stated = left >= l->size ? ll_number_at(l, r->plan->size[layout] - 1U, record) : 0;
    out->choice = stated ? find_choice(r, record, false) : NULL;
    out->size = (uint32_t)stated;
    return out->choice && stated >= l->size && stated <= left && is_filled(r, layout, record, out);
}

/* What is the same in all records of a kind says its kind and its size. left: bytes up to the end of the owner. */
static inline bool is_plain(const reader *r, unsigned layout, const uint8_t *record, uint32_t left, plain *out)
{
    const uint32_t number = r->plan->choice_at;
    const unsigned first = left > number ? r->plan->choice[record[number]] : 0;
    if (!first) {
        return false;
    }
    out->choice = &r->format->choices[first - 1];
    out->size = r->doc->layouts[out->choice->part].size;
    return (out->choice->how == LL_CHOICE_IS && out->size <= left && is_like(r, out->choice->part, record)) ||
           is_plain_array(r, layout, record, left, out);
}

static void claim_plain_array(reader *r, unsigned layout, uint32_t owner, uint32_t index, uint32_t at, const plain *p)
{
    const uint16_t part = p->choice->part;
    const uint32_t one = r->doc->layouts[part].size, end = at + p->size;
    const uint32_t span = ll_claim_record(r->doc, owner, (uint16_t)layout, at, end, index);
    at += r->doc->layouts[layout].size;
    if (p->choice->how == LL_CHOICE_ARRAY) {
        (void)ll_claim_array(r->doc, span, part, at, p->count);
        at += p->count * one;
    }
    for (uint32_t i = 0; p->choice->how == LL_CHOICE_ITEMS && i < p->count && r->doc->status == LL_OK; i++) {
        (void)ll_claim_record(r->doc, span, part, at, at + one, i);
        at += one;
    }
    if (at < end) {
        (void)ll_claim_bytes(r->doc, span, ll_fill_of(r, layout)->padding, at, end);
    }
}

/* Claims the next parts of an owner, of the layout, in one loop as long as nothing is wrong with them. Returns how many
 * they are; *at: where they end. */
static uint32_t claim_plain_choices(reader *r, unsigned layout, uint32_t owner, uint32_t *at, uint32_t limit)
{
    const uint8_t *record = ll_doc_at(r->doc, *at);
    uint32_t number = 0;
    plain p;
    for (; r->doc->status == LL_OK && is_plain(r, layout, record, limit - *at, &p); number++) {
        if (p.choice->how == LL_CHOICE_IS) {
            (void)ll_claim_record(r->doc, owner, p.choice->part, *at, *at + p.size, number);
        } else {
            claim_plain_array(r, layout, owner, number, *at, &p);
        }
        *at += p.size;
        record += p.size;
    }
    return number;
}

/* The parts of an owner are one series, of which each says its kind and its size, and nothing else leads to them. */
static bool owns_choices(const reader *r, unsigned layout)
{
    const size_t row = r->plan->rows[layout].first;
    if (r->plan->rows[layout].end != row + 1) {
        return false;
    }
    const ll_part_row *part = &r->format->parts[row];
    return part->how == LL_PART_SERIES && ll_has_choices(r->format, part->layout) && r->plan->size[part->layout] &&
           r->plan->part[row].count.field == LL_NO_FIELD && !r->plan->part[row].place.layout && r->plan->size[layout] &&
           !r->plan->fill[layout] && r->plan->unit == 1 && r->plan->like[layout].bytes >= SURE_BYTES;
}

/* The next records with parts of their own, in one go as long as nothing is wrong with them, which holds for nearly
 * all: their parts end where they say, and the series goes on there. */
static void read_plain_owners(reader *r, size_t row)
{
    frame *f = r->top;
    ll_doc *doc = r->doc;
    const uint16_t layout = r->format->parts[row].layout;
    const size_t part = r->plan->rows[layout].first;
    const ll_layout *l = &doc->layouts[layout];
    const uint32_t before = f->number;
    const uint8_t *record = ll_doc_at(doc, r->at);
    bool like = ll_fits(r->at, l->size, f->limit) && is_like(r, layout, record);
    while (like && doc->status == LL_OK) {
        const uint64_t stated = ll_number_at(l, r->plan->size[layout] - 1U, record);
        if (stated < l->size || stated >= f->limit - r->at) {
            break;
        }
        const uint32_t end = r->at + (uint32_t)stated;
        like = f->limit - end >= l->size && is_like(r, layout, record + stated);
        if (!like && !ll_series_goes_on(r, f, end, LL_BEGINS_MAYBE)) {
            break;
        }
        const ll_doc_mark mark = ll_doc_mark_here(doc);
        const uint32_t span = ll_claim_record(doc, f->span, layout, r->at, end, f->number);
        uint32_t at = r->at + l->size;
        const uint32_t count = claim_plain_choices(r, r->format->parts[part].layout, span, &at, end);
        if (at != end) {
            ll_doc_rewind(doc, &mark);
            break;
        }
        if (!r->format->is_derived || !r->format->is_derived(record, (uint32_t)stated, count)) {
            frame owner = {.span = span, .layout = layout, .begin = r->at, .number = count};
            if (ll_element_at(doc, span, 0, &owner.record)) {
                ll_judge_derived(r, &owner);
            }
        }
        record += stated;
        r->at = end;
        f->number++;
    }
    if (f->number > before) {
        r->sizes[row].fault = r->sizes[part].fault = NULL;
    }
}

/* The next parts that are a record with a text each that has its hash. */
static void read_plain_texts(reader *r, size_t row, size_t text)
{
    frame *f = r->top;
    const uint16_t layout = r->format->parts[row].layout, of_text = r->format->parts[text].layout;
    const ll_layout *l = &r->doc->layouts[layout];
    const unsigned hash = r->plan->part[text].hash.field, size = r->plan->part[text].size.field;
    const uint8_t *base = r->at < f->limit ? ll_doc_at(r->doc, r->at) - r->at : NULL;
    while (r->doc->status == LL_OK && ll_fits(r->at, l->size, f->limit)) {
        const uint8_t *record = base + r->at;
        const uint32_t left = f->limit - r->at - l->size, from = r->at + l->size;
        const uint64_t length = ll_number_at(l, size, record);
        if (length == 0 || length > left || (length > SHORT_TEXT && r->series->hashed > HASHED_MAX) ||
            r->format->text_hash(record + l->size, (size_t)length) != ll_number_at(l, hash, record)) {
            r->series->hashed += length <= left ? length : 0; /* for nothing */
            return;
        }
        r->at = from + (uint32_t)length;
        const uint32_t span = ll_claim_record(r->doc, f->span, layout, from - l->size, r->at, f->number++);
        (void)ll_claim_string(r->doc, span, of_text, from, r->at, (uint32_t)length, LL_NO_INDEX);
    }
}

static void read_plain(reader *r, size_t row)
{
    const unsigned layout = r->format->parts[row].layout;
    const size_t text = text_row(r, layout);
    if (text < r->format->part_count) {
        read_plain_texts(r, row, text);
    } else if (owns_choices(r, layout)) {
        read_plain_owners(r, row);
    }
}

void ll_read_series(reader *r)
{
    frame *f = r->top;
    const size_t row = f->row;
    const bool last = row + 1 == f->end; /* nothing is to stand behind it */
    if (f->number == 0 && !f->damaged && (last || f->limit - r->at >= ll_need_behind(r))) {
        ll_follow(r, row, 0);
    }
    if (!r->doc->copy) {
        read_plain(r, row);
    }
    while (r->at < f->limit && !ll_is_behind_end(r)) {
        const bool ends = r->at == f->stated && f->number > 0; /* as its size says */
        const bool here = !(ends && is_unknown(r, r->at)) &&
                          (begins(r, row, r->at, f->limit, LL_BEGINS_MAYBE) || leads_on(r, row, r->at));
        if (here) {
            if (!ll_read_record(r, row, f->number++, f->limit)) {
                ll_leave_rest(r);
            }
            return;
        }
        if (ends || ll_series_goes_on(r, f, r->at, LL_BEGINS_MAYBE)) {
            break;
        }
        pass_over(r, row);
    }
    if (!last && f->limit - r->at < ll_need_behind(r)) {
        raise_cut(r, row);
        return;
    }
    if (r->at < r->doc->size || r->depth == 1) { /* else the file is cut, which is said there */
        judge_number(r, row);
    }
    f->row++;
    f->number = f->row < f->end ? 0 : f->number;
}

/* Parts of the owner may have that size in all: it is a multiple of the unit that they are padded to. */
static bool is_whole(const reader *r, const frame *f, int64_t bytes)
{
    const ll_part_row *part = &r->format->parts[r->plan->rows[f->layout].first];
    const ll_alignment *fill = ll_fill_of(r, part->layout);
    return bytes % (fill && fill->unit ? fill->unit : 1) == 0;
}

void ll_judge_coded(reader *r, const frame *f)
{
    const ll_layout *l = &r->doc->layouts[f->layout];
    const size_t first = r->plan->coded[f->layout];
    for (size_t k = first; k && k <= r->format->derivation_count; k++) {
        const ll_derivation *row = &r->format->derivations[k - 1];
        uint8_t bytes[LL_DERIVED_MAX] = {0};
        if (row->layout != f->layout) {
            return;
        }
        if (row->how != LL_DERIVE_CODE || row->which != LL_WHICH_ITSELF) {
            continue;
        }
        const ll_field *field = &l->fields[row->field];
        const bool told = r->format->derive(r->doc, row, f->span, 0, LL_NO_SPAN, bytes);
        if (told && memcmp(bytes, f->record.bytes + field->offset, field->bytes) == 0) {
            continue;
        }
        if (!told) {
            ll_fault fault =
                ll_read_fault(r->format, LL_READ_COUNT, f->layout, ll_at_field(r->doc, f->span, 0, row->field),
                              ll_uint(ll_get_uint(&f->record, row->field)), ll_uint(f->number), field->name);
            ll_raise(r->doc, &fault);
        } else {
            const bool counts = field->role == LL_ROLE_COUNT;
            const int64_t right = (int64_t)ll_read_uint(bytes, field->bytes, l->endian);
            const int64_t off = right - (int64_t)ll_get_uint(&f->record, row->field);
            const bool exchanged = !counts && off < EXCHANGED_MAX && off > -EXCHANGED_MAX && is_whole(r, f, off);
            ll_expect_with(r, counts ? LL_READ_COUNT : LL_READ_OFFSET, f->layout, f->span, 0, row->field, right,
                           (evidence){.from = f->begin, .related = ll_nowhere(), .guessed = exchanged});
        }
    }
}

/* ------------------------------------------------------------------ fields that never differ */

/* All bytes of a record are the same in all files. */
static bool is_all_constant(const reader *r, unsigned layout)
{
    const ll_layout *l = &r->doc->layouts[layout];
    return l->kind == LL_KIND_RECORD && r->plan->like[layout].mask && r->plan->like[layout].bytes == l->size;
}

/* A record whose bytes are the same in all files: one fault covers those that differ. */
static void judge_whole(reader *r, unsigned layout, ll_where at)
{
    const uint8_t *bytes = ll_doc_at(r->doc, at.offset);
    const uint32_t size = at.length;
    const uint8_t *right = (const uint8_t *)&r->plan->value[r->plan->like[layout].mask - 1];
    uint32_t from = 0, to = size;
    while (bytes[from] == right[from]) {
        from++;
    }
    while (bytes[to - 1] == right[to - 1]) {
        to--;
    }
    ll_fault fault =
        ll_read_fault(r->format, LL_READ_CONSTANT, layout, ll_at_bytes(at.span, at.offset + from, to - from),
                      ll_uint(size), ll_uint(size), "size");
    ll_patch_bytes(r->doc, &fault, LL_PATCH_UNSAFE, at.offset + from, to - from, right + from, to - from);
    ll_raise(r->doc, &fault);
}

/* Zeros that should stand at a place, by the bytes that differ. */
static void judge_zeros(reader *r, ll_read_kind kind, unsigned layout, ll_where at, const char *noun)
{
    static const uint8_t zeros[UINT8_MAX];
    while (*ll_doc_at(r->doc, at.offset) == 0) {
        at.offset++;
        at.length--;
    }
    while (*ll_doc_at(r->doc, at.offset + at.length - 1) == 0) {
        at.length--;
    }
    ll_fault fault =
        ll_read_fault(r->format, kind, layout, at, ll_uint(*ll_doc_at(r->doc, at.offset)), ll_uint(0), noun);
    if (at.length <= sizeof zeros) {
        ll_patch_bytes(r->doc, &fault, LL_PATCH_UNSAFE, at.offset, at.length, zeros, at.length);
    }
    fault.patch.guessed = at.length > NOISE_BYTES; /* then bytes around them may be others as well */
    ll_raise(r->doc, &fault);
}

static void judge_letters(reader *r, unsigned layout, const ll_constant *c, ll_where at)
{
    ll_fault fault = ll_read_fault(r->format, LL_READ_CONSTANT, layout, at, ll_chars(at.offset, at.length), ll_uint(0),
                                   r->doc->layouts[layout].fields[c->field].name);
    ll_patch_bytes(r->doc, &fault, LL_PATCH_UNSAFE, at.offset, at.length, c->tag, at.length);
    ll_raise(r->doc, &fault);
}

void ll_judge_padding(reader *r, unsigned layout, uint32_t span)
{
    const ll_span *s = span != LL_NO_SPAN ? ll_doc_span(r->doc, span) : NULL;
    const uint8_t *bytes = s ? ll_doc_at(r->doc, s->offset) : NULL;
    if (s && s->length <= UINT8_MAX && !ll_is_zero(bytes, bytes + s->length) &&
        ll_read_code(r->format, LL_READ_PADDING, layout, LL_NO_FIELD) != LL_FAULT_GAP) {
        judge_zeros(r, LL_READ_PADDING, layout, ll_at_bytes(span, s->offset, s->length), "padding");
    }
}

void ll_judge_fields(reader *r, unsigned layout, uint32_t span)
{
    const unsigned end = r->plan->like[layout].end;
    if (span == LL_NO_SPAN || is_like(r, layout, ll_doc_at(r->doc, ll_doc_span(r->doc, span)->offset))) {
        return;
    }
    for (unsigned i = r->plan->like[layout].first; i < end; i++) {
        const ll_constant *c = &r->plan->constants[i];
        const ll_span *s = ll_doc_span(r->doc, span);
        const ll_field *f = &r->doc->layouts[layout].fields[c->field];
        const ll_read_kind kind = f->role == LL_ROLE_RESERVED  ? LL_READ_RESERVED
                                  : f->role == LL_ROLE_PADDING ? LL_READ_PADDING
                                                               : LL_READ_CONSTANT;
        if (is_constant(r, layout, s->offset, c) || ll_read_code(r->format, kind, layout, c->field) == LL_FAULT_GAP) {
            continue;
        }
        if (ll_type_is_integer(f->type)) {
            const unsigned other = r->doc->layouts[layout].endian == LL_BIG ? LL_LITTLE : LL_BIG;
            const uint8_t *bytes = ll_doc_at(r->doc, s->offset + c->offset);
            const bool swapped = kind == LL_READ_CONSTANT && ll_is_said(r->format, LL_READ_SWAPPED, layout) &&
                                 ll_read_uint(bytes, c->bytes, other) == c->value;
            ll_expect_with(r, swapped ? LL_READ_SWAPPED : kind, layout, span, 0, c->field, (int64_t)c->value,
                           (evidence){.related = ll_nowhere()});
        } else if (is_all_constant(r, layout)) {
            judge_whole(r, layout, ll_at_bytes(span, s->offset, r->doc->layouts[layout].size));
            return;
        } else if (c->tag) {
            judge_letters(r, layout, c, ll_at_field(r->doc, span, 0, c->field));
        } else {
            judge_zeros(r, kind, layout, ll_at_field(r->doc, span, 0, c->field), f->name);
        }
    }
}

void ll_offer_rest(reader *r, size_t row)
{
    uint8_t *rest = ll_doc_zalloc(r->doc, REST_MAX, 1);
    uint64_t at = r->at;
    for (; rest && row < r->top->end; row++) {
        const unsigned layout = r->format->parts[row].layout;
        const ll_alignment *start = r->plan->part[row].start;
        at += start ? ll_padding_at(start, at) : 0;
        if (r->format->parts[row].how != LL_PART_ONE || !is_all_constant(r, layout) ||
            at - r->at + r->doc->layouts[layout].size > REST_MAX) {
            return;
        }
        memcpy(rest + (at - r->at), &r->plan->value[r->plan->like[layout].mask - 1], r->doc->layouts[layout].size);
        at += r->doc->layouts[layout].size;
    }
    const uint32_t left = r->doc->size - r->at;
    if (rest && r->depth == 1 && at > r->doc->size && r->doc->last_fault &&
        memcmp(ll_doc_at(r->doc, r->at), rest, left) == 0) {
        ll_patch_bytes(r->doc, &r->doc->last_fault->fault, LL_PATCH_SAFE, r->doc->size, 0, rest + left,
                       (uint32_t)(at - r->doc->size));
    }
}

bool ll_find_last(reader *r, size_t row)
{
    const frame *f = r->top;
    const unsigned layout = r->format->parts[row].layout;
    const uint32_t size = r->doc->layouts[layout].size;
    const ll_alignment *start = r->plan->part[row].start;
    const uint32_t need = ll_padding_at(start, r->at), from = r->at;
    if (ll_read_code(r->format, LL_READ_MISPLACED, layout, LL_NO_FIELD) == LL_FAULT_GAP || r->depth != 1 ||
        row + 1 != f->end || !start || !is_all_constant(r, layout) || f->limit - from < size ||
        f->limit - size - from >= 2U * start->unit || f->limit - size - from == need ||
        count_flaws(r, layout, f->limit - size, f->limit) ||
        !ll_is_zero(ll_doc_at(r->doc, from), ll_doc_at(r->doc, f->limit - size))) {
        return false;
    }
    const uint32_t to = f->limit - size;
    const uint32_t span = ll_claim_bytes(r->doc, f->span, start->padding, from, to);
    ll_fault fault = ll_read_fault(r->format, LL_READ_MISPLACED, layout, ll_at_bytes(span, from, to - from),
                                   ll_uint(to - from + size), ll_uint(need + size), "size");
    uint8_t *zeros = ll_doc_zalloc(r->doc, need + 1, 1);
    if (zeros && !r->doc->fault_count) { /* else what else is wrong moved it */
        ll_patch_bytes(r->doc, &fault, LL_PATCH_UNSAFE, from, to - from, zeros, need);
        ll_raise(r->doc, &fault);
    }
    r->at = to;
    return true;
}

/* ------------------------------------------------------------------ texts with a hash */

void ll_read_hashed(reader *r, size_t row)
{
    frame *f = r->top;
    ll_doc *doc = r->doc;
    const ll_field_of size = r->plan->part[row].size, hash = r->plan->part[row].hash;
    const uint32_t left = f->limit - r->at;
    const uint64_t stated = ll_get_uint(&f->record, size.field), own = ll_get_uint(&f->record, hash.field);
    const bool right = is_text_right(r, f->layout, row, f->begin, f->limit, UINT32_MAX);
    const bool fits = stated <= left && (right || leads_by_texts(r, f - 1, f->layout, row, f->begin) ||
                                         ll_series_goes_on(r, f - 1, r->at + (uint32_t)stated, LL_BEGINS_MAYBE));
    const uint32_t other = fits ? 0 : fitting_size(r, f->layout, row, f->begin, f->limit);
    const uint32_t length = fits ? (uint32_t)stated : other ? other : ll_series_next(r, f - 1, r->at) - r->at;
    const uint32_t span =
        ll_claim_string(doc, f->span, r->format->parts[row].layout, r->at, r->at + length, length, LL_NO_INDEX);
    const ll_where text = ll_at_bytes(span, r->at, length);
    f->row++;
    r->at += length;
    if (stated != length || length == 0) {
        ll_expect_with(r,
                       stated == 0     ? LL_READ_SIZE_LEAST
                       : stated > left ? LL_READ_SIZE_BEYOND
                                       : LL_READ_SIZE,
                       f->layout, f->span, 0, size.field, length,
                       (evidence){.from = r->at - length, .want = r->at - length + stated, .related = text});
        doc->unread = doc->unread || (stated > left && !other);
    }
    if (!right && !other) {
        ll_mark_span(doc, f->span, LL_SPAN_DOUBTFUL);
    }
    if (own == 0 && length) { /* a hash of zeros would end the series */
        const uint64_t of_text = r->format->text_hash(ll_doc_at(doc, text.offset), length);
        ll_expect_with(r, LL_READ_HASH, f->layout, f->span, 0, hash.field, (int64_t)of_text,
                       (evidence){.related = text});
    }
}
