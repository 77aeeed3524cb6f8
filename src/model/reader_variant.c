/* Reads a document, or a part of it. If variants of the format differ in their parts and the file does not name its
 * variant, reads it as each of them and takes the one that leaves least unread. */
#include "model/reader.h"

#include "model/oddity.h"
#include "model/reader_parts.h"
#include "model/value.h"

enum {
    WEIGHT_FAULT = 300,
    MUCH_ODDER = 2 /* times as odd */
};

/* The state before a reading, to take it back. */
typedef struct attempt {
    ll_doc_mark mark;
    bool unread, broken, unsupported;
    const ll_fault_node *unsupported_fault;
} attempt;

static attempt begin_attempt(const ll_doc *doc)
{
    return (attempt){ll_doc_mark_here(doc), doc->unread, doc->broken, doc->unsupported, doc->unsupported_fault};
}

static void take_back(ll_doc *doc, const attempt *a)
{
    ll_doc_rewind(doc, &a->mark);
    doc->unread = a->unread;
    doc->broken = a->broken;
    doc->unsupported = a->unsupported;
    doc->unsupported_fault = a->unsupported_fault;
}

static uint64_t weigh_floats(const ll_doc *doc, const ll_span *s)
{
    const ll_layout *l = &doc->layouts[s->layout];
    const uint8_t *bytes = ll_doc_at(doc, s->offset);
    uint64_t weight = 0;
    for (unsigned k = 0; k < l->field_count; k++) {
        const ll_field *f = &l->fields[k];
        for (uint32_t e = 0; f->type == LL_TYPE_F32 && e < s->count; e++) {
            for (uint32_t at = f->offset; at < (uint32_t)f->offset + f->bytes; at += LL_TYPE_BYTES_F32) {
                weight += ll_oddity_of_float(
                    (uint32_t)ll_read_uint(bytes + (size_t)e * l->size + at, LL_TYPE_BYTES_F32, l->endian));
            }
        }
    }
    return weight;
}

/* What a reading leaves over: faults and unread bytes, and odd numbers, as weights. */
typedef struct leftovers {
    uint64_t structure, numbers;
} leftovers;

/* Weighs the reading since a state. plain: odd numbers are not weighed if the structure has no faults. */
static leftovers weigh(const ll_doc *doc, const attempt *a, bool plain)
{
    leftovers all = {(uint64_t)WEIGHT_FAULT * (doc->fault_count - a->mark.fault_count), 0};
    for (uint32_t i = a->mark.span_count; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        const unsigned kind = doc->layouts[s->layout].kind;
        all.structure += kind == LL_KIND_UNPARSED ? (uint64_t)LL_WEIGHT_BYTE * s->length : 0; /* faults cover others */
    }
    for (uint32_t i = a->mark.span_count; i < doc->span_count && (all.structure || !plain); i++) {
        const ll_span *s = ll_doc_span(doc, i);
        all.numbers += doc->layouts[s->layout].kind == LL_KIND_RECORD ? weigh_floats(doc, s) : 0;
    }
    return all;
}

/* Only `one` has a faultless structure, and its numbers are not much odder than what `other` leaves besides a single
 * fault, such as surplus bytes at the end. A cut file may end where another variant does: then its numbers are odd. */
static bool is_sounder(leftovers one, leftovers other)
{
    const uint64_t more = other.structure > WEIGHT_FAULT ? other.structure : 0;
    return !one.structure && other.structure && one.numbers <= MUCH_ODDER * (more + other.numbers);
}

/* Above 0: `one` is worse. Below 0: `other` is. */
static int compare(leftovers one, leftovers other)
{
    if (is_sounder(one, other) || is_sounder(other, one)) {
        return one.structure ? 1 : -1;
    }
    const uint64_t a = one.structure + one.numbers, b = other.structure + other.numbers;
    return (a > b) - (a < b);
}

/* Neither is sounder, or much odder: the variant stays unknown. */
static bool is_doubtful(leftovers one, leftovers other)
{
    const uint64_t a = one.structure + one.numbers, b = other.structure + other.numbers;
    return !is_sounder(one, other) && !is_sounder(other, one) && a <= MUCH_ODDER * b && b <= MUCH_ODDER * a;
}

/* Two variants (1 + number) have the same parts. */
static bool is_same(const ll_format *format, unsigned one, unsigned other)
{
    bool same = true;
    for (size_t i = 0; i < format->part_count; i++) {
        const unsigned variants = format->parts[i].variants;
        same = same && (!variants || (variants >> (one - 1) & 1) == (variants >> (other - 1) & 1));
    }
    return same;
}

/* The next variant whose parts differ from those of all variants before it. 0: there is none. */
static unsigned next_variant(const ll_format *format, unsigned variant)
{
    bool known = true;
    while (known && ++variant <= format->variant_count) {
        known = false;
        for (unsigned other = 1; other < variant && !known; other++) {
            known = is_same(format, other, variant);
        }
    }
    return known || variant > format->variant_count ? 0 : variant;
}

/* Raises the fault that states the variant that was read, and another one that fits. */
static void raise_variant(ll_doc *doc, const ll_stretch *what, ll_read_kind kind, unsigned variant, unsigned other)
{
    const ll_layout *l = &doc->layouts[what->layout ? what->layout : doc->format->parts[0].layout];
    const uint32_t span = doc->firsts[l - doc->layouts] - 1;
    const ll_where at = span != LL_NO_SPAN ? ll_at_field(doc, span, 0, ll_tag_field(l))
                                           : ll_at_bytes(what->parent, what->from, what->to - what->from);
    ll_fault fault = ll_read_fault(doc->format, kind, what->layout, at,
                                   (ll_read_words){ll_word(doc->format->variants[variant - 1].name),
                                                   ll_word(doc->format->variants[other - 1].name), "variant"});
    ll_raise(doc, &fault);
}

/* Reads a range as the variant that leaves least over; the first of equal ones. Raises a fault if another one leaves
 * about as much. asked: read as this variant; if that has faults and another variant leaves nothing over, the range
 * stays unread, as a fault says. 0: none is asked for. */
static void read_best(ll_doc *doc, const ll_plan *plan, const ll_stretch *what, unsigned asked)
{
    const attempt a = begin_attempt(doc);
    unsigned first = asked ? asked : next_variant(doc->format, 0), best = first, last = first, rival = 0;
    ll_read_as(doc, plan, what, first);
    leftovers least = weigh(doc, &a, asked);
    for (unsigned v = next_variant(doc->format, 0); v && doc->status == LL_OK && !(asked && !least.structure);
         v = next_variant(doc->format, v)) {
        if (is_same(doc->format, v, first)) {
            continue;
        }
        take_back(doc, &a);
        ll_read_as(doc, plan, what, v);
        const leftovers all = weigh(doc, &a, false);
        const int better = compare(least, all);
        last = v;
        rival = is_doubtful(least, all) ? (better > 0 ? best : v) : better > 0 ? 0 : rival;
        if (better > 0 && !(asked && (all.structure || all.numbers))) {
            best = v;
            least = all;
        }
    }
    if (asked && best != asked) { /* as asked, its contents would be nonsense */
        take_back(doc, &a);
        const uint32_t rest = ll_claim_unparsed(doc, what->parent, what->from, what->to);
        ll_mark_span(doc, rest, LL_SPAN_EXPLAINED);
        doc->fatal = true;
        raise_variant(doc, what, LL_READ_OTHER_VARIANT, asked, best);
        return;
    }
    if (last != best) {
        take_back(doc, &a);
        ll_read_as(doc, plan, what, best);
    }
    doc->read_as = asked ? 0 : best;
    if (!asked && rival && !doc->unsupported) {
        raise_variant(doc, what, LL_READ_VARIANT, best, rival);
    }
}

static void read_stretch(ll_doc *doc, const ll_stretch *what, unsigned variant)
{
    const ll_plan *plan = ll_plan_of(doc);
    if (!plan) {
        return;
    }
    if (!plan->varies) {
        ll_read_as(doc, plan, what, 0);
    } else if (doc->copy && variant) { /* the first copy was read as the best variant */
        ll_read_as(doc, plan, what, variant);
    } else {
        read_best(doc, plan, what, variant);
    }
}

/* The place of the record that has the field of a place. If the place has no field, the place itself. */
static ll_where record_of(const ll_doc *doc, const ll_where *at)
{
    const ll_field *field = ll_where_field(doc, at);
    const ll_layout *l = field ? ll_doc_layout(doc, at->span) : NULL;
    return l && l->kind == LL_KIND_RECORD ? ll_at_bytes(at->span, at->offset - field->offset, l->size) : *at;
}

void ll_read_part(ll_doc *doc, const ll_stretch *what, unsigned variant)
{
    const uint32_t faults = doc->fault_count;
    const ll_fault_node *last = doc->last_fault;
    const bool before = doc->rows_wrong;
    doc->rows_variant = variant;
    read_stretch(doc, what, variant);
    doc->rows_wrong = before || doc->fault_count > faults;
    if (doc->fault_count > faults || !before) {
        const uint32_t from = what->from + (what->claimed ? doc->layouts[what->layout].size : 0U);
        doc->rows_part = before ? doc->rows_part : from;
        doc->rows_from = before && doc->rows_from < from ? doc->rows_from : from;
        doc->rows_to = before && doc->rows_to > what->to ? doc->rows_to : what->to;
        for (const ll_fault_node *node = last ? last->next : doc->first_fault; node; node = node->next) {
            const ll_where at = record_of(doc, &node->fault.at);
            doc->rows_from = at.offset < doc->rows_from ? at.offset : doc->rows_from;
            doc->rows_to = at.offset + at.length > doc->rows_to ? at.offset + at.length : doc->rows_to;
        }
    }
}

bool ll_reads_well(ll_doc *doc, const ll_stretch *what, unsigned variant, unsigned faults)
{
    const ll_plan *plan = ll_plan_of(doc);
    const attempt a = begin_attempt(doc);
    if (!plan) {
        return false;
    }
    ll_read_as(doc, plan, what, variant);
    const leftovers all = weigh(doc, &a, false);
    take_back(doc, &a);
    return all.structure <= (uint64_t)faults * WEIGHT_FAULT && !all.numbers;
}

unsigned ll_other_variant(const ll_doc *doc)
{
    unsigned other = doc->read_as ? next_variant(doc->format, 0) : 0;
    while (other && is_same(doc->format, other, doc->read_as)) {
        other = next_variant(doc->format, other);
    }
    return other;
}

void ll_read_file(ll_doc *doc)
{
    doc->by_rows = true;
    read_stretch(doc, &(ll_stretch){.layout = LL_WITHIN_FILE, .parent = LL_NO_SPAN, .to = doc->size}, doc->variant);
}
