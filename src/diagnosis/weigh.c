/* Reads a candidate and adds up the weights of its faults, unread bytes, odd floats and findings of rules.
 * docs/diagnosis.md lists the weights and says why they are what they are. */
#include "diagnosis/weigh.h"

#include "base/map.h"
#include "model/reader.h"
#include "model/reader_kind.h"

#include <string.h>

enum {
    WEIGHT_RECORD = 300, /* oddities of a record weigh at most this and half of what its bytes weigh if unread */
    ALIKE_MAX = 1 << 16,
    TEXT_MAX = 64,                    /* bytes of a text without a NUL that count as read */
    LEFTOVERS_MAX = 2 * LL_FAULTS_MAX /* leftovers that are kept; others are only weighed */
};

static const uint16_t fault_weights[LL_READ_KINDS] = {
    [LL_READ_CUT] = 500,      [LL_READ_SURPLUS] = 300, [LL_READ_TAG] = 300,      [LL_READ_ORDER] = 400,
    [LL_READ_END] = 500,      [LL_READ_TEXT] = 300,    [LL_READ_SIZE] = 300,     [LL_READ_OFFSET] = 300,
    [LL_READ_COUNT] = 500,    [LL_READ_HASH] = 400,    [LL_READ_SWAPPED] = 500,  [LL_READ_UNCOUNTED] = 500,
    [LL_READ_SEQUENCE] = 80,  [LL_READ_CHOICE] = 300,  [LL_READ_CONSTANT] = 200, [LL_READ_MISPLACED] = 60,
    [LL_READ_UNFILLED] = 100,
};
static const uint16_t rule_weights[LL_ERROR + 1] = {[LL_NOTE] = 80, [LL_WARNING] = 200, [LL_ERROR] = 300};

void ll_weigher_init(ll_weigher *w, const ll_ruleset *rules, const ll_format *format, const char *name)
{
    *w = (ll_weigher){.rules = rules, .format = format, .name = name, .limit = UINT64_MAX, .unowned = UINT32_MAX};
    ll_doc_init(&w->doc, NULL);
    ll_text_init(&w->scratch, NULL);
}

void ll_weigher_free(ll_weigher *w)
{
    ll_doc_free(&w->doc);
    ll_text_free(&w->scratch);
    LL_ARRAY_FREE(&w->leftovers, NULL);
}

/* Number of unknown bytes in a stretch. */
static uint32_t count_unknown(const ll_doc *doc, uint32_t offset, uint32_t length)
{
    uint32_t from = offset > doc->unknown_from ? offset : doc->unknown_from;
    uint32_t end = offset + length, to = end < doc->unknown_to ? end : doc->unknown_to;
    return from < to ? to - from : 0;
}

/* A field is known if all its bytes are; a stretch is known if one byte is. */
static bool is_known(const ll_weigher *w, const ll_where *at)
{
    uint32_t length = at->length ? at->length : 1, unknown = count_unknown(&w->doc, at->offset, length);
    return at->field == LL_NO_FIELD ? unknown < length : unknown == 0;
}

/* Limits the total weight of the odd numbers, or of rule findings, of a record; returns what may be added. Without a
 * limit, a change that makes the reader stop would explain a record full of odd numbers best. */
static uint32_t cap(ll_weigher *w, uint32_t span, bool by_rule, uint32_t weight)
{
    const ll_doc *doc = &w->doc;
    if (!w->spans || span >= doc->span_count || ll_doc_layout(doc, span)->kind != LL_KIND_RECORD) {
        return weight;
    }
    const uint64_t own = (uint64_t)ll_doc_layout(doc, span)->size * ll_doc_span(doc, span)->count;
    uint64_t *sum = &w->spans[2 * span + by_rule];
    const uint64_t left = own * (LL_WEIGHT_BYTE / 2) + WEIGHT_RECORD - *sum;
    const uint32_t capped = weight < left ? weight : (uint32_t)left;
    *sum += capped;
    return capped;
}

/* What is wrong at this place has a weight. */
static bool is_counted(const ll_weigher *w, const ll_where *at)
{
    const bool part = w->only_part && w->doc.rows_from < w->doc.rows_to;
    const bool meant = !part || (at->offset >= w->doc.rows_from && at->offset < w->doc.rows_to);
    return meant && is_known(w, at);
}

/* Adds a weight and keeps a leftover for it. NULL: it was not kept, or not counted at all. */
static ll_leftover *add(ll_weigher *w, uint32_t weight, const ll_fault *fault, uint32_t rule)
{
    if (!is_counted(w, &fault->at)) {
        return NULL;
    }
    weight = fault->read ? weight : cap(w, fault->at.span, rule != LL_NO_RULE, weight);
    w->sum += weight;
    if (!w->keep || w->leftovers.count >= LEFTOVERS_MAX) {
        return NULL;
    }
    ll_leftover *l = LL_ARRAY_ADD(&w->leftovers, NULL);
    if (l) {
        *l = (ll_leftover){.weight = weight,
                           .offset = fault->at.offset,
                           .length = fault->at.length,
                           .rule = rule,
                           .kind = LL_READ_KINDS,
                           .at = fault->at,
                           .related = fault->related,
                           .patch = fault->patch};
        l->layout = fault->at.span < w->doc.span_count ? ll_doc_span(&w->doc, fault->at.span)->layout : 0;
        const ll_region *region = ll_doc_locate(&w->doc, fault->at.offset);
        if (region != w->doc.regions) { /* unpacked bytes cannot be changed: name the packed ones */
            l->offset = region->outer_offset;
            l->length = region->outer_length;
            l->at = ll_at_bytes(LL_NO_SPAN, l->offset, l->length);
            l->related = ll_nowhere();
            l->patch = (ll_edit){.tier = LL_PATCH_NONE};
        }
        memcpy(l->patch_value, fault->patch_value, sizeof l->patch_value);
        if (l->patch.bytes && l->patch.size) { /* the caller's bytes live only during the call */
            uint8_t *own = ll_doc_alloc(&w->doc, l->patch.size, 1);
            l->patch.bytes = own ? memcpy(own, l->patch.bytes, l->patch.size) : NULL;
        }
    } else {
        w->status = LL_E_MEMORY;
    }
    return l;
}

static uint64_t note_bit(uint32_t what)
{
    return UINT64_C(1) << ll_map_hash(what) % 64;
}

/* A wrong size leads beyond the end of the file. If the size that the file should have is unknown, any size that is too
 * large counts. */
static bool leads_beyond(const ll_doc *doc, const ll_leftover *l)
{
    return l->want ? l->want > doc->size : l->more < 0;
}

/* Number of surplus bytes: what is there minus what should be, if the fault states both and that is less than the
 * stretch, else the whole stretch. */
static int64_t surplus_of(const ll_leftover *l, const ll_fault *fault)
{
    const uint64_t more = fault->arg[0].v.u - fault->arg[1].v.u;
    const bool numbers = fault->arg[0].kind == LL_ARG_UINT && fault->arg[1].kind == LL_ARG_UINT;
    return (int64_t)(numbers && more && more < l->length ? more : l->length);
}

/* Fills in what follows from the kind of a fault and from its arguments. */
static void fill(ll_leftover *l, const ll_doc *doc, const ll_fault *fault, ll_read_kind kind)
{
    bool at_end = l->offset + l->length >= doc->size;
    l->loud = kind != LL_READ_ALTERNATIVE;
    l->kind = (uint8_t)kind;
    l->leads = kind == LL_READ_OFFSET;
    l->from = fault->from;
    l->want = fault->want;
    l->redundant = kind >= LL_READ_SIZE;
    const bool numbers = fault->arg[0].kind <= LL_ARG_INT && fault->arg[1].kind <= LL_ARG_INT;
    l->more = numbers && (kind == LL_READ_SIZE || kind == LL_READ_OFFSET)
                  ? (int64_t)(fault->arg[1].v.u - fault->arg[0].v.u)
              : kind == LL_READ_SURPLUS ? surplus_of(l, fault)
              : kind == LL_READ_SHIFTED ? (int64_t)l->patch.removed - (int64_t)l->patch.size
              : l->want > doc->size     ? (int64_t)(doc->size - l->want)
                                        : 0;
    l->off = numbers ? (int64_t)(fault->arg[1].v.u - fault->arg[0].v.u) : 0;
    const bool filled = fault->read != LL_READ_UNFILLED + 1;
    l->beyond = (at_end && ((kind == LL_READ_CUT && filled) || kind == LL_READ_END || kind == LL_READ_TEXT)) ||
                (kind == LL_READ_COUNT && fault->arg[0].v.u > fault->arg[1].v.u) ||
                (kind == LL_READ_SIZE && leads_beyond(doc, l));
}

/* The weight is beyond the limit already, so what else is wrong does not matter. */
static bool is_enough(const ll_weigher *w)
{
    return !w->keep && w->sum > w->limit;
}

/* Weighs what a test or a check finds. A finding about unknown bytes does not count: the bytes that its patch asks for
 * are written to the copy. False: the weight is enough. */
static bool take_fault(void *ctx, uint32_t rule, const ll_fault *fault)
{
    ll_weigher *w = ctx;
    ll_doc *doc = &w->doc;
    const ll_edit *patch = &fault->patch;
    if (!is_known(w, &fault->at)) {
        const uint8_t *bytes = ll_fault_patch(fault);
        for (uint32_t i = 0; patch->tier && patch->removed == patch->size && i < patch->size; i++) {
            if (patch->offset + i >= doc->unknown_from && patch->offset + i < doc->unknown_to) {
                doc->copy[patch->offset + i] = bytes[i];
            }
        }
        return true;
    }
    unsigned severity = w->rules->rules[rule].severity;
    const uint64_t before = w->sum;
    ll_leftover *l = add(w, rule_weights[severity], fault, rule);
    if (severity == LL_NOTE) {
        w->odd += w->sum - before;
        w->notes |= note_bit(rule);
    }
    if (l) {
        const ll_read_kind kind = ll_read_kind_of(doc, fault);
        if (kind != LL_READ_KINDS) {
            fill(l, doc, fault, kind);
            l->rule = LL_NO_RULE;
        }
        l->loud = severity > LL_NOTE;
    }
    return !is_enough(w);
}

static void add_faults(ll_weigher *w)
{
    const ll_doc *doc = &w->doc;
    for (const ll_fault_node *node = doc->first_fault; node; node = node->next) {
        if (!node->fault.read) { /* add_spans() weighs what the ledger finds, take_fault() what the reader does */
            continue;
        }
        const ll_read_kind exact = (ll_read_kind)(node->fault.read - 1), kind = ll_read_base(exact);
        const uint32_t alike = node->fault.alike < ALIKE_MAX ? node->fault.alike : ALIKE_MAX;
        const uint32_t weight = fault_weights[fault_weights[exact] ? exact : kind];
        const bool kept = weight || kind == LL_READ_ALTERNATIVE; /* else of a variant */
        ll_leftover *l = kept ? add(w, weight * (1 + alike), &node->fault, LL_NO_RULE) : NULL;
        if (l) {
            fill(l, doc, &node->fault, kind);
        }
    }
}

static bool is_changed(const ll_candidate *c, uint32_t at)
{
    return at >= c->changed_from && at < c->changed_to;
}

/* Adds the weight of an odd float. Damaged files have thousands, so a fault is made only for a leftover. */
static void add_float(ll_weigher *w, uint32_t weight, uint32_t span, uint32_t element, unsigned field, uint32_t offset)
{
    ll_where at = {.span = span, .field = (uint16_t)field, .offset = offset, .length = 4};
    if (w->keep) {
        at = ll_at_field(&w->doc, span, element, field);
        at.offset = offset;
        at.length = 4;
        const ll_fault fault = ll_fault_at(0, at);
        (void)add(w, weight, &fault, LL_NO_RULE);
    } else if (is_counted(w, &at)) {
        w->sum += cap(w, span, false, weight);
    }
}

static void add_floats(ll_weigher *w, const ll_candidate *c, uint32_t span)
{
    const ll_doc *doc = &w->doc;
    const ll_span *s = ll_doc_span(doc, span);
    const ll_layout *l = &doc->layouts[s->layout];
    const uint8_t *bytes = ll_doc_at(doc, s->offset);
    for (unsigned k = 0; k < l->field_count; k++) {
        const ll_field *f = &l->fields[k];
        for (uint32_t e = 0; f->type == LL_TYPE_F32 && e < s->count && !is_enough(w); e++) {
            for (uint32_t at = f->offset; at < (uint32_t)f->offset + f->bytes; at += 4) {
                const uint8_t *p = bytes + (size_t)e * l->size + at;
                uint32_t weight = ll_oddity_of_float(l->endian == LL_BIG ? ll_be32(p) : ll_le32(p));
                if (weight) {
                    const uint32_t offset = s->offset + e * l->size + at;
                    const uint64_t before = w->sum;
                    add_float(w, weight, span, e, k, offset);
                    w->floats += is_changed(c, offset) ? 0 : w->sum - before;
                }
            }
        }
    }
}

/* Bytes of the layout are what is left of their owner (LL_PART_REST): no row explains them. */
static bool is_rest(const ll_format *format, unsigned layout)
{
    size_t i = 0;
    while (i < format->part_count && (format->parts[i].layout != layout || format->parts[i].how != LL_PART_REST)) {
        i++;
    }
    return i < format->part_count;
}

/* Bytes of the layout lie between parts that records lead to (LL_PART_LED), and belong to none of them. */
static bool is_unowned(const ll_format *format, unsigned layout)
{
    size_t i = 1;
    while (i < format->part_count && (format->parts[i].layout != layout || format->parts[i].how != LL_PART_GAP ||
                                      format->parts[i - 1].how != LL_PART_LED)) {
        i++;
    }
    return i < format->part_count;
}

/* Weighs bytes that belong to no part, beyond as many as the file has: a change that only cuts parts off from their
 * records explains nothing. */
static void add_unowned(ll_weigher *w)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < w->doc.span_count; i++) {
        const ll_span *s = ll_doc_span(&w->doc, i);
        if (w->doc.layouts[s->layout].kind == LL_KIND_BYTES && is_unowned(w->doc.format, s->layout)) {
            bytes += s->length - count_unknown(&w->doc, s->offset, s->length);
        }
    }
    w->unowned = w->unowned == UINT32_MAX ? bytes : w->unowned;
    w->sum += bytes > w->unowned ? (uint64_t)LL_WEIGHT_BYTE * (bytes - w->unowned) : 0;
}

/* Weighs unread bytes, then odd floats. Unread bytes come first so that all of them are kept as leftovers. */
static void add_spans(ll_weigher *w, const ll_candidate *c)
{
    const ll_doc *doc = &w->doc;
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        unsigned kind = doc->layouts[s->layout].kind;
        const bool text = kind == LL_KIND_STRING && s->flags & LL_SPAN_BROKEN && s->length > TEXT_MAX; /* no NUL */
        if (kind == LL_KIND_UNPARSED || kind == LL_KIND_GAP || text) {
            const uint32_t from = s->offset + (text ? TEXT_MAX : 0), length = s->length - (text ? TEXT_MAX : 0);
            ll_fault fault = ll_fault_at(0, ll_at_bytes(i, from, length));
            (void)add(w, LL_WEIGHT_BYTE * (length - count_unknown(doc, from, length)), &fault, LL_NO_RULE);
        }
    }
    for (uint32_t i = 0; i < doc->span_count && !is_enough(w); i++) {
        const ll_span *s = ll_doc_span(doc, i);
        unsigned kind = doc->layouts[s->layout].kind;
        if (doc->by_rows && kind == LL_KIND_BYTES && is_rest(doc->format, s->layout)) {
            const ll_fault fault = ll_fault_at(0, ll_at_bytes(i, s->offset, s->length));
            const uint32_t weight = LL_WEIGHT_BYTE * (s->length - count_unknown(doc, s->offset, s->length));
            (void)add(w, weight, &fault, LL_NO_RULE);
            w->floats += weight;
        }
        if (kind == LL_KIND_RECORD && !(s->flags & LL_SPAN_BROKEN)) {
            add_floats(w, c, i);
        }
    }
}

uint64_t ll_weigh(ll_weigher *w, const ll_candidate *c)
{
    ll_doc *doc = &w->doc;
    ll_sink sink = {.ctx = w, .weigh = take_fault};
    w->sum = w->odd = w->notes = w->floats = 0;
    w->leftovers.count = 0;
    ll_doc_open(doc, c->bytes, c->size, w->name);
    ll_doc_set_format(doc, w->format);
    doc->copy = c->bytes;
    doc->unknown_from = c->unknown_from;
    doc->unknown_to = c->unknown_to;
    doc->swap = c->swap;
    doc->variant = w->variant;
    doc->matched = w->matched;
    /* a wrong hash weighs the same whichever letter of its text is wrong: search for the letter only for a leftover */
    doc->searched = w->keep ? w->searched : UINT32_MAX;
    ll_doc_read(doc);
    w->variant = doc->variant ? doc->variant : doc->read_as;
    ll_doc_seal(doc);
    w->spans = doc->status == LL_OK ? ll_doc_zalloc(doc, 2 * ((size_t)doc->span_count + 1), sizeof *w->spans) : NULL;
    add_faults(w);
    add_spans(w, c);
    add_unowned(w);
    ll_status status =
        doc->status == LL_OK && !is_enough(w) ? ll_engine_run(w->rules, doc, &w->scratch, &sink) : doc->status;
    status = status == LL_E_WRITE ? LL_OK : status; /* take_fault() stopped it */
    w->matched = doc->matched;
    w->unpacked += doc->unpacked;
    w->searched = w->keep ? doc->searched : w->searched;
    w->status = w->status == LL_OK ? status : w->status;
    return w->status == LL_OK ? w->sum : UINT64_MAX;
}
