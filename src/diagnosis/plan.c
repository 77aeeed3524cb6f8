/* Finds where to look for the cause, and answers questions about a place for the files of the search. */
#include "diagnosis/plan.h"

#include "base/sort.h"
#include "model/derive.h"
#include "model/reader_plan.h"

#include <stdlib.h>
#include <string.h>

enum {
    REACH = 420,           /* bytes on either side of a place to look at that are in reach */
    SHIFTED_MAX = 1 << 16, /* largest amount of bytes by which a size or an offset may be off */
    RULES_MAX = 8,         /* rules whose notes are counted */
    REPEATED_LEAST = 12    /* bytes: fewer may be equal by chance */
};

/* ------------------------------------------------------------------ places to look at */

static int by_place(const void *a, const void *b)
{
    const ll_search_unit *x = a, *y = b;
    return x->at != y->at       ? (x->at > y->at) - (x->at < y->at)
           : x->size != y->size ? (x->size < y->size) - (x->size > y->size)
                                : (int)x->layout - (int)y->layout;
}

bool ll_search_find_units(ll_search_plan *p)
{
    ll_doc *doc = &p->s->weigher.doc;
    uint32_t count = 0;
    for (uint32_t i = 0; i < doc->span_count; i++) {
        count += ll_doc_layout(doc, i)->kind == LL_KIND_RECORD ? ll_doc_span(doc, i)->count : 1;
    }
    p->units = ll_search_alloc(p->s, count, sizeof *p->units);
    if (!p->units) {
        return false;
    }
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *span = ll_doc_span(doc, i);
        const ll_layout *l = &doc->layouts[span->layout];
        bool array = l->kind == LL_KIND_RECORD && span->flags & LL_SPAN_ARRAY;
        uint32_t elements = array ? span->count : 1;
        const bool part = l->kind == LL_KIND_BYTES && span->index != LL_NO_INDEX; /* a numbered part of a record */
        const bool numbered = l->kind == LL_KIND_GROUP && span->index != LL_NO_INDEX;
        bool holds = span->offset < doc->size && span->length &&
                     (l->kind == LL_KIND_RECORD || l->kind == LL_KIND_STRING || part || numbered);
        for (uint32_t e = 0; holds && e < elements; e++) {
            uint32_t list = array ? i : span->index != LL_NO_INDEX && !part ? LL_SEARCH_LIST(span->parent) : UINT32_MAX;
            p->units[p->unit_count++] =
                (ll_search_unit){span->offset + e * l->size, array ? l->size : span->length, list, span->layout, array};
        }
    }
    qsort(p->units, p->unit_count, sizeof *p->units, by_place);
    for (uint32_t i = 0; i < p->unit_count; i++) {
        const uint16_t layout = p->units[i].layout;
        p->head[layout] = p->head[layout] ? p->head[layout] : i + 1;
        p->tail[layout] = i + 1;
    }
    return true;
}

const ll_search_unit *ll_search_unit_at(const ll_search_plan *p, uint32_t at, unsigned within)
{
    LL_BISECT(behind, p->unit_count, u, p->units[u].at <= at);
    while (behind > 0) {
        const ll_search_unit *one = &p->units[--behind];
        if (one->list != UINT32_MAX && at < one->at + one->size && within-- == 0) {
            return one;
        }
    }
    return NULL;
}

int64_t ll_search_led_to(const ll_search *s, const ll_leftover *l)
{
    if (!l->leads) {
        return -1;
    }
    const unsigned endian = s->weigher.format->layouts[l->layout].endian;
    return l->from + (int64_t)ll_read_uint(s->bytes + l->offset, (unsigned)l->length, endian);
}

/* The rule with the most notes; LL_NO_RULE: odd numbers and unread bytes are more. */
static uint32_t rule_of_most(const ll_search *s)
{
    uint32_t best = LL_NO_RULE, most = 0, looked = 0;
    for (size_t i = 0; i < s->leftovers.count && looked < RULES_MAX; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        bool seen = l->loud;
        for (size_t k = 0; k < i && !seen; k++) {
            seen = !s->leftovers.items[k].loud && s->leftovers.items[k].rule == l->rule;
        }
        uint32_t count = 0;
        for (size_t k = i; k < s->leftovers.count && !seen; k++) {
            count += !s->leftovers.items[k].loud && s->leftovers.items[k].rule == l->rule;
        }
        looked += !seen;
        best = count > most ? l->rule : best;
        most = count > most ? count : most;
    }
    return best;
}

void ll_search_add_amount(ll_search_plan *p, int64_t by)
{
    bool known = by == 0 || by > SHIFTED_MAX || by < -SHIFTED_MAX || p->amount_count == LL_SEARCH_AMOUNTS;
    for (unsigned k = 0; k < p->amount_count && !known; k++) {
        known = p->amounts[k] == by;
    }
    if (!known) {
        p->amounts[p->amount_count++] = (int32_t)by;
    }
}

static void add_difference(ll_search_plan *p, int64_t by)
{
    ll_search *s = p->s;
    if (by && s->difference_count < LL_DIFFERENCES_MAX) {
        s->differences[s->difference_count++] = by;
        ll_search_add_amount(p, by);
    }
}

/* Adds the differences between offsets and sizes that the first record of each layout states and those derived from
 * what was read. Only for sections, whose reader goes on where it can and may have raised another fault. Otherwise it
 * reports each difference itself. */
static void add_differences(ll_search_plan *p)
{
    const ll_doc *doc = &p->s->weigher.doc;
    ll_deriver deriver;
    uint8_t right[LL_DERIVED_MAX];
    if (p->s->by_rows || !ll_deriver_start(&deriver, doc, &p->s->arena)) {
        return;
    }
    for (unsigned layout = 1; layout < doc->format->layout_count; layout++) {
        const ll_layout *l = &doc->layouts[layout];
        ll_element first;
        const bool read = doc->firsts[layout] && ll_element_at(doc, doc->firsts[layout] - 1, 0, &first);
        for (unsigned k = 0; read && k < l->field_count; k++) {
            const ll_field *f = &l->fields[k];
            const bool moves = f->role == LL_ROLE_OFFSET || f->role == LL_ROLE_SIZE;
            if (moves && ll_derive(&deriver, doc->firsts[layout] - 1, 0, k, right) == LL_DERIVED) {
                add_difference(p, (int64_t)(ll_read_uint(right, f->bytes, l->endian) - ll_get_uint(&first, k)));
            }
        }
    }
}

uint32_t ll_search_unit_of_end(const ll_search *s)
{
    const ll_format *format = s->weigher.format;
    const ll_alignment *fill =
        format->part_count ? ll_alignment_of(format, format->parts[0].layout, LL_ALIGN_END) : NULL;
    return fill && fill->padding && s->weigher.doc.by_rows ? fill->unit : 0;
}

/* The file does not begin with the first part of its rows, such as an area that holds that part: only the padding unit
 * tells where the part ends. */
static bool is_container(const ll_search *s)
{
    const ll_doc *doc = &s->weigher.doc;
    return doc->format->part_count && doc->span_count && ll_doc_span(doc, 0)->layout != doc->format->parts[0].layout;
}

bool ll_search_find_firsts(ll_search_plan *p)
{
    uint32_t any = UINT32_MAX, plain = UINT32_MAX, odd = UINT32_MAX, led = UINT32_MAX, innermost = UINT32_MAX,
             behind = UINT32_MAX, tied = UINT32_MAX, inside = p->s->rows_to;
    const uint32_t part = p->s->weigher.doc.rows_part;
    const uint32_t body = p->unit_count && !p->units[0].at && !p->units[0].counted ? p->units[0].size : 0;
    const uint32_t rule = rule_of_most(p->s);
    p->reads = true;
    for (size_t i = 0; i < p->s->leftovers.count; i++) {
        const ll_leftover *l = &p->s->leftovers.items[i];
        ll_search_add_amount(p, l->more);
        if (p->s->sized.size && l->want) { /* bytes by which the elements exceed the part */
            ll_search_add_amount(p, (int64_t)p->s->rows_to - (int64_t)l->want);
        }
        any = l->loud && l->offset < any ? l->offset : any;
        p->reads = p->reads && (l->rule != LL_NO_RULE || !l->loud);
        inside = l->loud && l->offset >= part && l->offset < inside ? l->offset : inside;
        behind = l->loud && l->offset >= body && l->offset < behind ? l->offset : behind;
        tied = l->loud && l->kind == LL_READ_CONSTANT && l->related.length && tied == UINT32_MAX ? l->related.offset
                                                                                                 : tied;
        odd = l->rule == rule && l->offset < odd ? l->offset : odd;
        plain = l->loud && !l->redundant && l->offset < plain ? l->offset : plain;
        const int64_t to = ll_search_led_to(p->s, l);
        led = to > 0 && to < led ? (uint32_t)to : led;
        const bool sized = l->loud && l->redundant && l->kind == LL_READ_SIZE && l->rule == LL_NO_RULE;
        innermost = sized && (innermost == UINT32_MAX || l->offset > innermost) ? l->offset : innermost;
    }
    add_differences(p);
    const int64_t unit = ll_search_unit_of_end(p->s), rest = unit ? p->s->size % unit : 0;
    ll_search_add_amount(p, unit);
    ll_search_add_amount(p, -unit);
    if (rest && is_container(p->s)) {
        ll_search_add_amount(p, rest);
        ll_search_add_amount(p, rest - unit);
    }
    p->first[p->firsts++] = any;
    if (plain != UINT32_MAX && plain != any) {
        p->first[p->firsts++] = plain;
    }
    if (odd != any && odd != plain) { /* shifted numbers may raise notes only */
        p->first[p->firsts++] = odd;
    }
    if (innermost != UINT32_MAX && innermost != any && innermost > any + REACH) { /* all owners are wrong too */
        p->first[p->firsts++] = innermost;
    }
    if (is_container(p->s) && any < body && behind < p->s->size && behind != plain) {
        p->first[p->firsts++] = behind;
    }
    if (tied != UINT32_MAX) {
        p->first[p->firsts++] = tied;
    }
    if (p->s->sized.size && any < part) {
        p->first[p->firsts++] = inside;
    }
    if (led != UINT32_MAX) { /* something in front of the place moved it */
        p->first[p->firsts++] = led;
    }
    return any != UINT32_MAX;
}

/* Unit `i` is one of those next to a place to look at. */
static bool is_near(const ll_search_plan *p, uint32_t i)
{
    for (unsigned k = 0; k < p->firsts; k++) {
        LL_BISECT(at, p->unit_count, u, p->units[u].at <= p->first[k]);
        if (i + LL_SEARCH_NEAR >= at && i < at + LL_SEARCH_NEAR) {
            return true;
        }
    }
    return false;
}

bool ll_search_is_suspect(const ll_search_plan *p, uint32_t i)
{
    const ll_search_unit *u = &p->units[i];
    const ll_leftover *l = p->s->leftovers.items;
    const bool alone = p->reads && p->s->leftovers.count == 1;
    const bool touched =
        !alone || l->offset - u->at < u->size || (l->related.length && l->related.offset - u->at < u->size);
    return touched && is_near(p, i);
}

bool ll_search_is_in_reach(const ll_search_plan *p, uint32_t from, uint32_t to)
{
    for (unsigned k = 0; k < p->firsts; k++) {
        if ((uint64_t)from <= (uint64_t)p->first[k] + REACH && (uint64_t)to + REACH >= p->first[k]) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ questions about a place */

bool ll_search_is_touched(const ll_search *s, const ll_search_unit *u)
{
    bool touched = false;
    for (size_t i = 0; i < s->leftovers.count && !touched; i++) {
        const ll_leftover *l = &s->leftovers.items[i];
        touched = l->offset <= (uint64_t)u->at + u->size && (uint64_t)l->offset + l->length >= u->at;
    }
    return touched;
}

bool ll_search_counts_own(const ll_format *format, unsigned layout, unsigned field)
{
    bool own = false;
    for (size_t i = 0; i < format->derivation_count && !own; i++) {
        const ll_derivation *row = &format->derivations[i];
        own = row->layout == layout && row->field == field &&
              (row->within == layout || ll_is_parts_row(row) || row->how == LL_DERIVE_CONSTANT);
    }
    return own;
}

bool ll_search_is_sized(const ll_search *s, unsigned layout)
{
    return !s->rows || s->rows->size[layout];
}

bool ll_search_is_size_of_file(const ll_format *format, const ll_leftover *l)
{
    bool is = false;
    for (size_t k = 0; k < format->derivation_count; k++) {
        const ll_derivation *row = &format->derivations[k];
        is = is || (row->how == LL_DERIVE_FILE_BYTES && row->layout == l->layout && row->field == l->at.field);
    }
    return is;
}

bool ll_search_is_repeated(const ll_search *s, uint32_t at, uint32_t n)
{
    uint32_t from = at, to = at;
    while (from > 0 && at - from < n && s->bytes[from - 1] == s->bytes[from - 1 + n]) {
        from--;
    }
    while (to - from < n && ll_fits(to, n + 1, s->size) && s->bytes[to] == s->bytes[to + n]) {
        to++;
    }
    return n >= REPEATED_LEAST && to - from >= n;
}
