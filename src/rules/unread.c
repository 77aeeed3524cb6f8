/* Finds unread bytes and the fault that explains them. It is a fault of the innermost record around the byte range that
 * has a fault, or else a fault whose bytes, record or related bytes overlap the range or end where it begins. A fault
 * that a rule reports is preferred. */
#include "rules/unread.h"

#include "base/array.h"
#include "base/sort.h"

#include <string.h>

/* A place of a fault, [offset, end). */
typedef struct reached {
    uint32_t offset, end, fault;
    uint32_t farthest; /* index of the place, up to this one, that ends last */
} reached;

typedef struct finder {
    ll_doc *doc;
    const ll_ruleset *rules;
    const ll_format_program *program;
    uint32_t fault_count;
    const ll_fault_node **faults; /* in order, numbered from 1; number 0 means no fault */
    bool *reported;               /* by number: a rule reports the fault */
    uint32_t *of_span;            /* by span: number of a fault in it, or 0 */
    reached *places[2];           /* places of unreported [0] and reported [1] faults, sorted by offset */
    uint32_t place_count[2];
    LL_ARRAY(ll_unread) unreported;
    const ll_fault_node *why;
} finder;

uint32_t ll_rule_of_fault(const ll_ruleset *rules, const ll_format_program *program, unsigned code)
{
    if (code < LL_CORE_FAULTS) {
        return rules->core_fault_rules[code];
    }
    return program ? program->fault_rules[code - LL_CORE_FAULTS] : LL_NO_RULE;
}

const char *ll_fault_name(const ll_doc *doc, unsigned code)
{
    return code < LL_CORE_FAULTS ? ll_core_faults[code].name : doc->format->faults[code - LL_CORE_FAULTS].name;
}

/* Is the rule of the fault an error by default? It need not be in force. */
static bool is_error(const finder *f, unsigned code)
{
    const char *name = ll_fault_name(f->doc, code);
    for (size_t i = 0; i < f->rules->count; i++) {
        const ll_rule *rule = ll_rule_at(f->rules, i);
        const char *slug = strchr(rule->fault, '.');
        if (slug && strcmp(slug + 1, name) == 0 &&
            (code < LL_CORE_FAULTS || strcmp(rule->family, f->doc->format->family) == 0)) {
            return rule->severity == LL_ERROR;
        }
    }
    return false;
}

/* Does the file end too early, according to the reader or to a fault at the end of the file? */
static bool is_cut(const finder *f)
{
    bool cut = f->doc->fatal || f->doc->unread;
    for (const ll_fault_node *node = f->doc->first_fault; node && !cut; node = node->next) {
        cut = node->fault.at.offset == f->doc->size && node->fault.at.length == 0 && is_error(f, node->fault.code);
    }
    return cut;
}

/* Is the span unread? It is if the reader skipped it, or if it is a broken string, byte range or array. */
static bool is_unread(const ll_doc *doc, const ll_span *span)
{
    unsigned kind = doc->layouts[span->layout].kind;
    bool values = kind == LL_KIND_STRING || kind == LL_KIND_BYTES || span->flags & LL_SPAN_ARRAY;
    return span->length && (span->layout == LL_LAYOUT_UNPARSED || (values && span->flags & LL_SPAN_BROKEN));
}

/* The places of a fault: its bytes, the related bytes and, for faults of the document, the bytes of its record without
 * its parts. Returns their number. */
static unsigned places_of(const finder *f, const ll_fault *fault, reached out[3])
{
    const ll_doc *doc = f->doc;
    unsigned count = 0;
    const ll_where *at[] = {&fault->at, &fault->related};
    for (unsigned i = 0; i < 2; i++) {
        if (i == 0 || at[i]->length || at[i]->span != LL_NO_SPAN) {
            out[count++] = (reached){.offset = at[i]->offset, .end = at[i]->offset + at[i]->length};
        }
    }
    if (f->rules && fault->at.span < doc->span_count) {
        const ll_span *span = ll_doc_span(doc, fault->at.span);
        uint32_t own = doc->layouts[span->layout].kind == LL_KIND_RECORD ? doc->layouts[span->layout].size * span->count
                                                                         : span->length;
        out[count++] = (reached){.offset = span->offset, .end = span->offset + own};
    }
    return count;
}

/* Sorts the places of the reported or the unreported faults. False: no memory. */
static bool sort_places(finder *f, bool reported)
{
    uint32_t n = 0;
    reached three[3];
    reached *all = ll_doc_alloc(f->doc, (size_t)f->fault_count + 1, 2 * sizeof three);
    ll_sort_key *keys = ll_doc_alloc(f->doc, (size_t)f->fault_count + 1, 6 * sizeof *keys);
    if (!all || !keys) {
        return false;
    }
    for (uint32_t number = 1; number <= f->fault_count; number++) {
        unsigned count = f->reported[number] == reported ? places_of(f, &f->faults[number]->fault, three) : 0;
        for (unsigned i = 0; i < count; i++, n++) {
            three[i].fault = number;
            all[n] = three[i];
            keys[n] = (ll_sort_key){three[i].offset, number, n};
        }
    }
    const ll_sort_key *sorted = ll_sort(keys, keys + n, n);
    reached *places = all + n;
    for (uint32_t i = 0; i < n; i++) {
        places[i] = all[sorted[i].item];
        uint32_t before = i ? places[i - 1].farthest : 0;
        places[i].farthest = places[before].end > places[i].end ? before : i;
    }
    f->places[reported] = places;
    f->place_count[reported] = n;
    return true;
}

/* Numbers the faults and sorts their places. If f->rules is NULL, all of them count as reported. False: no memory. */
static bool prepare(finder *f, const ll_fault_node *first, uint32_t n)
{
    ll_doc *doc = f->doc;
    f->fault_count = n;
    f->faults = ll_doc_alloc(doc, (size_t)n + 1, sizeof *f->faults);
    f->reported = ll_doc_zalloc(doc, (size_t)n + 1, sizeof *f->reported);
    f->of_span = ll_doc_zalloc(doc, (size_t)doc->span_count + 1, sizeof *f->of_span);
    if (doc->status != LL_OK) {
        return false;
    }
    uint32_t number = 1;
    f->faults[0] = NULL;
    for (const ll_fault_node *node = first; node; node = node->next, number++) {
        uint32_t span = node->fault.at.span;
        f->faults[number] = node;
        f->reported[number] = !f->rules || ll_rule_of_fault(f->rules, f->program, node->fault.code) != LL_NO_RULE;
        if (span < doc->span_count && !f->reported[f->of_span[span]]) {
            f->of_span[span] = number;
        }
    }
    return sort_places(f, false) && sort_places(f, true);
}

/* The number of the last fault that begins before the byte range or at its start; else the first fault, or 0. */
static uint32_t find_fault_before(const finder *f, const ll_where *at)
{
    const reached *last = NULL;
    for (unsigned reported = 2; reported-- > 0;) {
        const reached *places = f->places[reported];
        LL_BISECT(begun, f->place_count[reported], i, places[i].offset <= at->offset);
        const reached *here = begun ? &places[begun - 1] : NULL;
        last = here && (!last || here->offset > last->offset) ? here : last;
    }
    return last ? last->fault : f->fault_count ? 1 : 0;
}

/* The number of the fault that explains a byte range; 0: none. */
static uint32_t find_fault(const finder *f, const ll_where *at)
{
    for (uint32_t span = at->span; span != LL_NO_SPAN; span = ll_doc_span(f->doc, span)->parent) {
        if (f->of_span[span]) {
            return f->of_span[span];
        }
        /* a fault of the reader about another record explains this span; findings of rules do not */
        if (f->rules && ll_doc_span(f->doc, span)->flags & LL_SPAN_EXPLAINED) {
            return find_fault_before(f, at);
        }
    }
    for (unsigned reported = 2; reported-- > 0;) {
        const reached *places = f->places[reported];
        LL_BISECT(begun, f->place_count[reported], i, places[i].offset <= (uint64_t)at->offset + at->length);
        const reached *last = begun ? &places[places[begun - 1].farthest] : NULL;
        if (last && last->end >= at->offset) {
            return last->fault;
        }
    }
    return 0;
}

static bool is_prepared(finder *f)
{
    return f->faults || prepare(f, f->doc->first_fault, f->doc->fault_count);
}

/* Records an unread place. `number` is that of the fault that explains it; 0: none. */
static void take(finder *f, ll_where at, uint32_t number)
{
    ll_doc *doc = f->doc;
    const ll_fault_node *why = f->faults[number];
    if (f->reported[number]) {
        f->why = f->why ? f->why : why;
    } else if (!number || why != doc->unsupported_fault || !doc->unsupported_allowed) {
        ll_allocator allocator = ll_arena_allocator(&doc->arena);
        ll_unread *item = LL_ARRAY_ADD(&f->unreported, &allocator);
        if (item) {
            *item = (ll_unread){at, why};
        } else {
            doc->status = LL_E_MEMORY;
        }
    }
}

/* Records all unread spans, and broken records that no fault explains. Returns whether any span is unread. */
static bool take_spans(finder *f)
{
    ll_doc *doc = f->doc;
    bool any = false;
    bool besides = false;
    for (uint32_t i = 0; i < doc->span_count && doc->status == LL_OK; i++) {
        const ll_span *span = ll_doc_span(doc, i);
        bool unread = is_unread(doc, span);
        if ((unread || (span->flags & LL_SPAN_BROKEN)) && is_prepared(f)) {
            ll_where at = ll_at_bytes(i, span->offset, span->length);
            uint32_t number = find_fault(f, &at);
            any = any || unread;
            besides = besides || (unread && (!number || f->faults[number] != doc->unsupported_fault));
            if (unread || !number) {
                take(f, at, number);
            }
        }
    }
    doc->unread = doc->unread || any;
    doc->unread_besides = doc->unread_besides || besides;
    return any;
}

/* The number of the fault with the highest offset; at equal offsets, a fault that a rule reports. 0: no faults. */
static uint32_t last_fault(const finder *f)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i <= f->fault_count; i++) {
        uint32_t offset = f->faults[i]->fault.at.offset;
        uint32_t most = last ? f->faults[last]->fault.at.offset : 0;
        last = !last || offset > most || (offset == most && (f->reported[i] || !f->reported[last])) ? i : last;
    }
    return last;
}

ll_status ll_unread_find(ll_doc *doc, const ll_ruleset *rules, const ll_format_program *program, ll_unread_list *out)
{
    finder f = {.doc = doc, .rules = rules, .program = program};
    *out = (ll_unread_list){.items = NULL};
    doc->unread_besides = doc->unread; /* as the reader says */
    if (doc->fault_count == 0 && !doc->firsts[LL_LAYOUT_UNPARSED] && !doc->broken && !doc->fatal) {
        return LL_OK;
    }
    bool any = take_spans(&f);
    if (!any && is_cut(&f) && is_prepared(&f)) {
        take(&f, ll_at_bytes(LL_NO_SPAN, doc->size, 0), last_fault(&f));
        doc->unread = doc->unread_besides = any = true;
    }
    if (!any && doc->unsupported_fault && is_prepared(&f)) {
        uint32_t number = 1;
        while (f.faults[number] != doc->unsupported_fault) {
            number++;
        }
        take(&f, doc->unsupported_fault->fault.at, number);
    }
    *out = (ll_unread_list){f.unreported.items, f.unreported.count, f.why, false};
    for (size_t i = 0; i < out->count && !out->unexplained; i++) {
        out->unexplained = !out->items[i].why;
    }
    return doc->status;
}

ll_status ll_unread_settle(ll_doc *doc, const ll_fault_node *found, uint32_t count, ll_unread_list *list)
{
    finder f = {.doc = doc};
    size_t kept = 0;
    if (!list->unexplained || !prepare(&f, found, count)) {
        return doc->status;
    }
    for (size_t i = 0; i < list->count; i++) {
        ll_unread *item = &list->items[i];
        bool explained = !item->why && find_fault(&f, &item->at);
        if (!explained) {
            doc->unread = doc->unread || !item->why;
            doc->unread_besides = doc->unread_besides || !item->why;
            doc->unchecked = doc->unchecked || !item->why;
            list->items[kept++] = *item;
        }
    }
    list->count = kept;
    return LL_OK;
}
