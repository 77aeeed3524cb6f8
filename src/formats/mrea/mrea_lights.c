/* Claims every byte of a lights section as mrea_reading.c reads it, and says what is wrong with it. */
#include "formats/mrea/mrea_reading.h"

#include "base/text.h"

enum { MAGIC_LENGTH = MREA_LIGHTS_MAGIC_LENGTH, COUNT_LENGTH = mrea_layer_SIZE };

typedef struct section {
    mrea_section in;
    ll_doc *doc;
    mrea_summary *summary;
    uint32_t offset;
    bool bare; /* the file is the section */
} section;

/* ------------------------------------------------------------------ claims */

static ll_where at_count(const section *s, unsigned layer)
{
    return ll_at_field(s->doc, s->summary->layer[layer], 0, mrea_layer_count);
}

/* Everything from a place on that is below `parent`; a fault of a layer says why. */
static void leave_rest(const section *s, uint32_t parent, uint32_t from)
{
    uint32_t rest = ll_claim_unparsed(s->doc, parent, s->offset + from, s->offset + s->in.length);
    ll_mark_span(s->doc, rest, LL_SPAN_TOLD);
}

/* Claims a layer that takes `length` bytes, with n lights. */
static void claim_layer(const section *s, const mrea_walk *w, unsigned layer, uint32_t length, uint32_t n)
{
    uint32_t at = s->offset + w->at[layer];
    uint32_t span = ll_claim_record(s->doc, s->summary->lights, mrea_layer_LAYOUT, at, at + length, layer);
    s->summary->layer[layer] = span;
    s->summary->array[layer] = ll_claim_array(s->doc, span, w->form->layout, at + COUNT_LENGTH, n);
}

static void claim_layers(const section *s, const mrea_walk *w)
{
    for (unsigned k = 0; k < w->layers; k++) {
        claim_layer(s, w, k, COUNT_LENGTH + w->count[k] * w->record[k], w->count[k]);
    }
}

/* Claims a layer up to an address, with n lights at its front; the rest of it is for the caller to claim. */
static uint32_t claim_broken_layer(const section *s, const mrea_walk *w, unsigned layer, uint32_t end, uint32_t n)
{
    claim_layer(s, w, layer, end - s->offset - w->at[layer], n);
    ll_mark_span(s->doc, s->summary->layer[layer], LL_SPAN_BROKEN);
    return s->summary->layer[layer];
}

/* A light of which no more is believed than its place. */
static uint32_t claim_unread(const section *s, uint32_t layer, uint32_t from, uint32_t to, uint32_t number)
{
    uint32_t span = ll_claim_group(s->doc, layer, mrea_light_unread_LAYOUT, from, to, number);
    ll_mark_span(s->doc, span, LL_SPAN_BROKEN);
    return span;
}

/* The light at an address is one of those that the reading does not believe. */
static bool is_unread(const section *s, const mrea_reading *r, unsigned layer, uint32_t light, uint32_t at)
{
    return r->cause == MREA_SWAPPED_FLOATS ? mrea_is_swapped(r->best.form, ll_doc_at(s->doc, at))
                                           : r->lights && layer == r->layer && light == r->light;
}

/* Claims a layer in which some lights are not believed; they have r->by bytes more than the others. Gives the place of
 * the first one. Where a count is wrong, one light of its layer may be there twice or none of it, so that they are
 * believed one by one. */
static ll_where claim_around(const section *s, const mrea_reading *r, unsigned layer)
{
    const mrea_walk *w = &r->best;
    uint32_t n = w->count[layer];
    uint32_t record = w->record[layer];
    uint32_t at = s->offset + mrea_position_of(w, layer, 0);
    bool counted = r->cause != MREA_WRONG_COUNT || layer != r->layer;
    uint32_t good = 0;
    while (counted && good < n && !is_unread(s, r, layer, good, at)) {
        good++;
        at += record;
    }
    if (good == n) {
        claim_layer(s, w, layer, COUNT_LENGTH + n * record, n);
        return ll_nowhere();
    }
    uint32_t end = at + (n - good) * record + (uint32_t)(counted ? r->by : 0);
    uint32_t span = claim_broken_layer(s, w, layer, end, good);
    ll_where first = ll_nowhere();
    for (uint32_t i = good; i < n && s->doc->status == LL_OK; i++) {
        if (is_unread(s, r, layer, i, at)) {
            uint32_t next = at + record + (uint32_t)r->by;
            uint32_t light = claim_unread(s, span, at, next, i);
            ll_mark_span(s->doc, light, first.span == LL_NO_SPAN ? 0 : LL_SPAN_TOLD);
            first = first.span == LL_NO_SPAN ? ll_at_bytes(light, at, next - at) : first;
            at = next;
        } else {
            ll_claim_record(s->doc, span, w->form->layout, at, at + record, i);
            at += record;
        }
    }
    return first;
}

/* The same of all layers. */
static ll_where claim_all_around(const section *s, const mrea_reading *r)
{
    ll_where first = ll_nowhere();
    for (unsigned k = 0; k < r->best.layers; k++) {
        ll_where here = claim_around(s, r, k);
        first = first.span == LL_NO_SPAN ? here : first;
    }
    return first;
}

/* ------------------------------------------------------------------ faults */

/* A count with the value that makes everything fit as its repair. */
static void blame_count(const section *s, const mrea_reading *r)
{
    uint32_t stated = r->raw.count[r->layer];
    uint32_t right = r->best.count[r->layer];
    uint32_t left = mrea_room_of(&s->in, &r->raw, r->layer);
    uint64_t need = (uint64_t)stated * r->raw.form->record;
    ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_LAYER_COUNT, MREA_HINT_COUNT_FIELD, at_count(s, r->layer), ll_nowhere(),
                                   ll_uint(stated), ll_uint(right));
    if (need > left) {
        fault.code = MREA_FAULT_LAYER_TRUNCATED;
        fault.hint =
            right && right == ll_le32(s->in.bytes + r->raw.at[r->layer]) ? MREA_HINT_SWAPPED : MREA_HINT_COUNT_FIELD;
        fault.arg[1] = ll_uint(need);
        fault.arg[2] = ll_uint(left);
        fault.arg[3] = ll_uint(right);
        s->doc->unread = s->doc->unread || (s->bare && fault.hint != MREA_HINT_SWAPPED); /* the file may be cut */
    }
    /* else the file may have been cut, or something else is wrong */
    if (s->in.length - r->best.end == mrea_pad_of(r->best.end) && r->cost < 2 * MREA_COST_FAULT) {
        ll_patch_field(s->doc, &fault, LL_PATCH_UNSAFE, right);
    }
    ll_raise(s->doc, &fault);
}

static const uint8_t zeros[2 * MREA_ALIGNMENT] = {0};

/* The size of the section, where its table states it; else its last row of 32 bytes. */
static ll_where at_size(const section *s)
{
    const mrea_summary *summary = s->summary;
    if (summary->size_table != LL_NO_SPAN && summary->lights_index < ll_doc_span(s->doc, summary->size_table)->count) {
        return ll_at_field(s->doc, summary->size_table, summary->lights_index, mrea_section_size_section_size);
    }
    uint32_t partial = s->in.length % MREA_ALIGNMENT;
    return ll_at_bytes(summary->lights, s->offset + s->in.length - partial, partial);
}

/* Padding is missing. A bare section can be given it. */
static void report_unaligned(const section *s, const mrea_walk *w)
{
    uint32_t end = w->end;
    uint64_t right = ll_align_up(end, MREA_ALIGNMENT);
    ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_SECTION_UNALIGNED, MREA_HINT_NONE, at_size(s), ll_nowhere(),
                                   ll_uint(s->in.length), ll_uint(right));
    if (s->bare) {
        fault.code = MREA_FAULT_SECTION_UNALIGNED_BARE;
        fault.at = ll_at_bytes(LL_NO_SPAN, s->in.length, 0);
        if (end == s->in.length && mrea_looks_sound(&s->in, w)) { /* else bytes may have been taken out elsewhere */
            ll_patch_bytes(s->doc, &fault, LL_PATCH_SAFE, s->in.length, 0, zeros, (uint32_t)(right - s->in.length));
        }
    }
    ll_raise(s->doc, &fault);
}

/* Behind the last layer there is more than padding can be. */
static void report_rest(const section *s, uint32_t end, ll_where at, unsigned hint)
{
    bool zero = ll_is_zero(s->in.bytes + end, s->in.bytes + s->in.length);
    uint32_t pad = mrea_pad_of(end);
    ll_fault fault = LL_MAKE_FAULT(zero ? MREA_FAULT_PADDING_TOO_LONG : MREA_FAULT_REST_NONZERO, hint, at, ll_nowhere(),
                                   ll_uint(s->in.length - end), ll_uint(pad));
    bool lost = s->in.length - end > mrea_light_SIZE; /* lights may have been overwritten */
    if (s->in.length - end > pad && !lost) {
        ll_patch_bytes(s->doc, &fault, LL_PATCH_UNSAFE, s->offset + end, s->in.length - end, zeros, pad);
    }
    ll_raise(s->doc, &fault);
}

/* What lies behind the last layer. */
static void finish(const section *s, const mrea_reading *r)
{
    uint32_t end = r->best.end;
    uint32_t rest = s->in.length - end;
    uint32_t pad = mrea_pad_of(end);
    uint32_t from = s->offset + end;
    if (r->others) {
        ll_claim_bytes(s->doc, s->summary->lights, mrea_lights_padding_LAYOUT, from, from + rest - r->others);
        leave_rest(s, s->summary->lights, s->in.length - r->others);
        return;
    }
    if (rest > pad && !r->cause && !s->in.by && !s->in.cut) {
        report_rest(s, end, ll_claim_gap(s->doc, s->summary->lights, from, from + rest), MREA_HINT_NONE);
        return;
    }
    ll_claim_bytes(s->doc, s->summary->lights, mrea_lights_padding_LAYOUT, from, from + rest);
    if (rest < pad && !s->in.cut && !r->cause && !s->in.by) {
        report_unaligned(s, &r->best);
    }
}

/* A section that is whole but for counts of its last layers. Padded as it is, one tool left them out, and zeros in
 * front of the padding are what it should have written. */
static void report_missing(const section *s, const mrea_walk *w, unsigned hint)
{
    uint32_t rest = s->in.length - w->end;
    uint32_t end = w->end + (w->form->layers - w->layers) * COUNT_LENGTH;
    ll_where at = ll_at_bytes(s->summary->lights, s->offset + w->end, rest);
    bool padded = w->form == &mrea_form_mp12 && w->layers && s->in.length % MREA_ALIGNMENT == 0 &&
                  ll_is_zero(s->in.bytes + w->end, s->in.bytes + s->in.length) && mrea_looks_sound(&s->in, w);
    ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_LAYER_MISSING, padded ? MREA_HINT_LEFT_OUT : hint, at, ll_nowhere(),
                                   ll_uint(w->layers), ll_uint(w->form->layers), ll_uint(rest));
    if (s->bare && padded) {
        uint32_t right = (uint32_t)ll_align_up(end, MREA_ALIGNMENT);
        ll_patch_bytes(s->doc, &fault, LL_PATCH_UNSAFE, s->in.length, 0, zeros, right - s->in.length);
    }
    ll_raise(s->doc, &fault);
}

/* Says why a walk did not end where the section does, when what it gives has been claimed. */
static void report_stop(const section *s, const mrea_walk *w, unsigned hint)
{
    ll_doc *doc = s->doc;
    uint32_t rest = s->in.length - w->end;
    ll_where at = ll_at_bytes(s->summary->lights, s->offset + w->end, rest);
    if (s->in.cut) { /* of a cut file it has been said */
        return;
    }
    doc->fatal = true;
    if (w->layers == w->form->layers) {
        report_rest(s, w->end, at, hint);
    } else if (!mrea_stops_at_count(&s->in, w)) {
        report_missing(s, w, hint);
    } else {
        uint32_t count = w->count[w->layers];
        LL_RAISE(doc, MREA_FAULT_LAYER_TRUNCATED, hint, at_count(s, w->layers), ll_uint(count),
                 ll_uint((uint64_t)count * w->record[0]), ll_uint(mrea_room_of(&s->in, w, w->layers)),
                 ll_uint(mrea_records_of(&s->in, w, w->layers)));
    }
}

/* A walk that does not come to the end and that no other count corrects. The lights of its last layer are believed when
 * they are lights: then they run out with the section, and the count need not be wrong. */
static void stop_short(const section *s, const mrea_walk *w)
{
    unsigned hint = s->bare && w->layers && mrea_looks_sound(&s->in, w) ? MREA_HINT_CUT_FILE : MREA_HINT_NONE;
    claim_layers(s, w);
    if (mrea_stops_at_count(&s->in, w)) {
        uint32_t n = mrea_records_of(&s->in, w, w->layers);
        bool lights = s->in.cut || mrea_are_mostly_lights(&s->in, w, w->layers, n);
        n = lights ? n : 0;
        uint32_t layer = claim_broken_layer(s, w, w->layers, s->offset + s->in.length, n);
        ll_mark_span(s->doc, layer, s->in.cut ? LL_SPAN_TOLD : 0);
        leave_rest(s, s->summary->layer[w->layers], mrea_position_of(w, w->layers, n));
        hint = n ? MREA_HINT_CUT_FILE : MREA_HINT_NONE;
    } else {
        leave_rest(s, s->summary->lights, w->end);
    }
    report_stop(s, w, hint);
}

/* "4", or "4 to 16". */
static ll_arg number_of(ll_doc *doc, int by, int last)
{
    unsigned one = (unsigned)(by < 0 ? -by : by);
    unsigned other = (unsigned)(last < 0 ? -last : last);
    if (one == other) {
        return ll_uint(one);
    }
    ll_allocator allocator = ll_arena_allocator(&doc->arena);
    ll_text text;
    ll_text_init(&text, &allocator); /* not freed: the words live as long as the document */
    ll_text_u64(&text, one < other ? one : other);
    ll_text_str(&text, " to ");
    ll_text_u64(&text, one < other ? other : one);
    return ll_word(ll_text_cstr(&text));
}

/* What is said of a light, or of the count of a layer, with bytes put in or taken out. */
static void report_shift(const section *s, const mrea_reading *r, ll_where at)
{
    bool last = r->light + 1 == r->best.count[r->layer];
    ll_where next = ll_nowhere();
    if (r->or_next) {
        next = last ? at_count(s, r->layer + 1)
                    : ll_at_bytes(s->summary->layer[r->layer], at.offset + at.length, r->best.record[r->layer]);
    }
    ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_LIGHT_SHIFTED, MREA_HINT_NONE, at, next,
                                   number_of(s->doc, r->by, r->by_last), ll_word(r->by < 0 ? "taken out" : "put in"));
    ll_patch_moved(s->doc, &fault, at, r->by);
    ll_raise(s->doc, &fault);
}

/* All lights are believed but some; or all, but a count is wrong. */
static void claim_but_some(const section *s, const mrea_reading *r)
{
    ll_where first = claim_all_around(s, r);
    if (r->cause == MREA_WRONG_COUNT) {
        blame_count(s, r);
    } else if (r->cause == MREA_SHIFTED_LIGHT) {
        report_shift(s, r, first);
    } else if (r->cause == MREA_SWAPPED_FLOATS) {
        LL_RAISE(s->doc, MREA_FAULT_FLOATS_SWAPPED, MREA_HINT_NONE, first, ll_uint(r->lights));
    } else {
        LL_RAISE(s->doc, MREA_FAULT_LIGHT_DAMAGED, MREA_HINT_NONE, first,
                 ll_uint(mrea_faults_of(r->best.form, ll_doc_at(s->doc, first.offset))));
    }
}

/* Nobody can say what the count of a layer was, but its lights are there. */
static void claim_moved_layer(const section *s, const mrea_reading *r)
{
    const mrea_walk *w = &r->best;
    ll_doc *doc = s->doc;
    for (unsigned k = 0; k < w->layers; k++) {
        if (k != r->layer) {
            claim_layer(s, w, k, COUNT_LENGTH + w->count[k] * w->record[k], w->count[k]);
            continue;
        }
        uint32_t from = s->offset + r->raw.at[k];
        uint32_t lights = s->offset + mrea_position_of(w, k, 0);
        uint32_t end = s->offset + mrea_position_of(w, k, w->count[k]);
        uint32_t layer = ll_claim_group(doc, s->summary->lights, mrea_layer_unread_LAYOUT, from, end, k);
        ll_mark_span(doc, layer, LL_SPAN_BROKEN);
        ll_claim_unparsed(doc, layer, from, lights);
        s->summary->layer[k] = layer;
        s->summary->array[k] = ll_claim_array(doc, layer, w->form->layout, lights, w->count[k]);
        report_shift(s, r, ll_at_bytes(layer, from, lights - from));
    }
}

/* Of lights of another length nothing is believed but how many they are and how long. */
static void claim_lengths(const section *s, const mrea_reading *r)
{
    ll_doc *doc = s->doc;
    const mrea_walk *w = &r->best;
    ll_where first = ll_nowhere();
    uint32_t record = 0;
    for (unsigned k = 0; k < w->layers; k++) {
        if (w->record[k] == w->form->record || !w->count[k]) {
            claim_layer(s, w, k, COUNT_LENGTH + w->count[k] * w->record[k], w->count[k]);
            continue;
        }
        uint32_t from = s->offset + mrea_position_of(w, k, 0);
        uint32_t end = s->offset + mrea_position_of(w, k, w->count[k]);
        uint32_t layer = claim_broken_layer(s, w, k, end, 0);
        if (first.span == LL_NO_SPAN) {
            record = w->record[k];
            first = ll_at_bytes(claim_unread(s, layer, from, from + record, 0), from, record);
            from += record;
        } else {
            ll_mark_span(doc, layer, LL_SPAN_TOLD);
        }
        ll_claim_unparsed(doc, layer, from, end);
    }
    doc->fatal = true;
    LL_RAISE(doc, MREA_FAULT_LIGHT_LENGTH, MREA_HINT_NONE, first, ll_uint(record), ll_uint(w->form->record));
}

/* The form that was asked for does not fit, and the other one does: lights read in the wrong form would be nonsense. */
static void refuse_form(const section *s, const mrea_walk *w)
{
    if (mrea_stops_at_count(&s->in, w)) {
        ll_claim_unparsed(s->doc, s->summary->lights, s->offset + MAGIC_LENGTH, s->offset + w->end);
        claim_broken_layer(s, w, w->layers, s->offset + s->in.length, 0);
        leave_rest(s, s->summary->layer[w->layers], mrea_position_of(w, w->layers, 0));
    } else {
        leave_rest(s, s->summary->lights, MAGIC_LENGTH);
    }
    report_stop(s, w, MREA_HINT_OTHER_LAYOUT);
}

/* ------------------------------------------------------------------ the section */

/* lights: all that follows is right, so that no other word can stand there. */
static void report_magic(const section *s, bool lights)
{
    uint32_t magic = ll_be32(s->in.bytes);
    ll_where at = ll_at_field(s->doc, s->summary->lights, 0, mrea_lights_magic);
    ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_LIGHTS_MAGIC, MREA_HINT_NONE, at, ll_nowhere(), ll_uint(magic));
    if (magic == MREA_LIGHTS_MAGIC_SWAPPED) {
        const uint8_t *count = s->in.bytes + MAGIC_LENGTH;
        bool all = s->in.length >= MAGIC_LENGTH + COUNT_LENGTH && ll_le32(count) < ll_be32(count);
        fault.code = MREA_FAULT_LIGHTS_MAGIC_SWAPPED;
        fault.hint = all ? MREA_HINT_SWAPPED : MREA_HINT_NONE;
    } else {
        fault.hint = !lights && mrea_is_legacy(&s->in) ? MREA_HINT_LEGACY_SINGLE_LAYER : MREA_HINT_NONE;
    }
    if (lights) {
        ll_patch_field(s->doc, &fault, LL_PATCH_SAFE, MREA_LIGHTS_MAGIC);
    }
    ll_raise(s->doc, &fault);
}

/* Claims what the reading gives, below the section's span, and says what is wrong with it. */
static void parse_reading(const section *s, const mrea_reading *r, bool magic)
{
    bool fits = r->best.ending != MREA_ENDS_WRONG || r->cause;
    if (!magic && (!fits || r->cause)) { /* nothing says that these are lights */
        s->doc->fatal = true;
        leave_rest(s, s->summary->lights, MAGIC_LENGTH);
        return;
    }
    if (r->other && !fits) {
        refuse_form(s, &r->raw);
        return;
    }
    s->summary->form = r->best.form;
    if (!fits && r->best.layers < r->best.form->layers) {
        stop_short(s, &r->best);
        return;
    }
    switch (r->cause) {
    case MREA_SHIFTED_COUNT:
        claim_moved_layer(s, r);
        break;
    case MREA_WRONG_COUNT:
    case MREA_SHIFTED_LIGHT:
    case MREA_DAMAGED_LIGHT:
    case MREA_SWAPPED_FLOATS:
        claim_but_some(s, r);
        break;
    case MREA_WRONG_LENGTH:
        claim_lengths(s, r);
        break;
    case MREA_NO_CAUSE:
        claim_layers(s, &r->best);
    }
    finish(s, r);
}

/* "3 of 4", in the arena. */
static ll_arg share_words(ll_doc *doc, mrea_share share)
{
    ll_allocator allocator = ll_arena_allocator(&doc->arena);
    ll_text text;
    ll_text_init(&text, &allocator);
    ll_text_format(&text, "%" PRIu32 " of %" PRIu32, share.good, share.looked);
    return ll_word(ll_text_cstr(&text));
}

/* Says which form was taken, where that is not certain. */
static void report_choice(const section *s, const mrea_reading *r)
{
    ll_fault fault = LL_MAKE_FAULT(MREA_FAULT_VARIANT_AMBIGUOUS, MREA_HINT_NONE,
                                   ll_at_field(s->doc, s->summary->lights, 0, mrea_lights_magic), ll_nowhere(),
                                   ll_word(r->best.form->name), ll_word(r->rival->name), share_words(s->doc, r->own),
                                   share_words(s->doc, r->rivals));
    ll_raise(s->doc, &fault);
}

void mrea_parse_lights(ll_doc *doc, mrea_summary *summary, uint32_t parent, uint32_t offset, uint32_t length,
                       const mrea_form *form, bool cut, int by)
{
    section s = {.in = {.bytes = ll_doc_at(doc, offset),
                        .length = length,
                        .inside = summary->header != LL_NO_SPAN,
                        .cut = cut,
                        .plain = doc->copy != NULL,
                        .by = by},
                 .doc = doc,
                 .summary = summary,
                 .offset = offset,
                 .bare = summary->header == LL_NO_SPAN};
    if (length < MAGIC_LENGTH) { /* bare ones and empty ones have been reported */
        if (length && !cut) {
            LL_RAISE(doc, MREA_FAULT_LAYER_MISSING, MREA_HINT_NONE, ll_at_bytes(parent, offset, length), ll_uint(0),
                     ll_uint((form ? form : &mrea_form_mp12)->layers), ll_uint(length));
        }
        leave_rest(&s, parent, 0);
        return;
    }
    summary->lights = ll_claim_record(doc, parent, mrea_lights_LAYOUT, offset, offset + length, LL_NO_INDEX);
    if (!form && doc->variant) {
        form = doc->variant == 1 + MREA_MP3 ? &mrea_form_mp3 : &mrea_form_mp12;
    }
    mrea_reading r = mrea_read_lights(&s.in, form);
    bool magic = ll_be32(s.in.bytes) == MREA_LIGHTS_MAGIC;
    if (!magic) {
        report_magic(&s, r.best.ending == MREA_ENDS_RIGHT && !r.cause &&
                             r.best.end > MAGIC_LENGTH + r.best.layers * COUNT_LENGTH);
    }
    parse_reading(&s, &r, magic);
    if (r.rival && magic) {
        report_choice(&s, &r);
    }
    if (s.bare && summary->form == &mrea_form_mp3) {
        summary->game = MREA_MP3;
    }
}
