/* See unread.h. The fault that belongs to a stretch is one of the innermost record around it that has a fault, else the
 * last one in front of it. Of several at one place, one that a rule reports. */
#include "rules/unread.h"

#include "base/array.h"
#include "base/sort.h"

#include <string.h>

typedef struct finder {
    ll_doc *doc;
    const ll_ruleset *rules;
    const ll_format_program *program;
    const ll_fault_node **faults; /* in their order; number 0 is none */
    bool *said;                   /* by number */
    uint32_t *of_span;            /* number of a fault of each span */
    const ll_sort_key *by_offset;
    LL_ARRAY(ll_unread) unsaid;
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

/* The rule of the fault is an error by default, whether it is in force or not. */
static bool is_error(const finder *f, unsigned code)
{
    const char *name = ll_fault_name(f->doc, code);
    for (size_t i = 0; i < f->rules->count; i++) {
        const ll_rule *rule = f->rules->rules[i].rule;
        const char *slug = strchr(rule->fault, '.');
        if (slug && strcmp(slug + 1, name) == 0 &&
            (code < LL_CORE_FAULTS || strcmp(rule->family, f->doc->format->family) == 0)) {
            return rule->severity == LL_ERROR;
        }
    }
    return false;
}

/* Bytes are missing where the file ends, as far as the parser or a fault knows. */
static bool is_cut(const finder *f)
{
    bool cut = f->doc->fatal || f->doc->unread;
    for (const ll_fault_node *node = f->doc->first_fault; node && !cut; node = node->next) {
        cut = node->fault.at.offset == f->doc->size && node->fault.at.length == 0 && is_error(f, node->fault.code);
    }
    return cut;
}

/* The bytes were given up, or are a text that has no end, which rules do not look at. */
static bool is_unread(const ll_doc *doc, const ll_span *span)
{
    bool broken_text = span->flags & LL_SPAN_BROKEN && doc->layouts[span->layout].kind == LL_KIND_STRING;
    return span->length && (span->layout == LL_LAYOUT_UNPARSED || broken_text);
}

static bool prepare(finder *f)
{
    ll_doc *doc = f->doc;
    uint32_t n = doc->fault_count;
    ll_sort_key *keys = ll_doc_alloc(doc, n, 2 * sizeof *keys);
    f->faults = ll_doc_alloc(doc, n + 1, sizeof *f->faults);
    f->said = ll_doc_zalloc(doc, n + 1, sizeof *f->said);
    f->of_span = ll_doc_zalloc(doc, doc->span_count + 1, sizeof *f->of_span);
    if (doc->status != LL_OK) {
        return false;
    }
    uint32_t number = 1;
    for (const ll_fault_node *node = doc->first_fault; node; node = node->next, number++) {
        uint32_t span = node->fault.at.span;
        f->faults[number] = node;
        f->said[number] = ll_rule_of_fault(f->rules, f->program, node->fault.code) != LL_NO_RULE;
        keys[number - 1] = (ll_sort_key){node->fault.at.offset, 0, number};
        if (span < doc->span_count && !f->said[f->of_span[span]]) {
            f->of_span[span] = number;
        }
    }
    f->by_offset = ll_sort(keys, keys + n, n);
    return true;
}

/* The number of the fault that belongs to a stretch. */
static uint32_t find_fault(const finder *f, const ll_where *at)
{
    for (uint32_t span = at->span; span != LL_NO_SPAN; span = ll_doc_span(f->doc, span)->parent) {
        if (f->of_span[span]) {
            return f->of_span[span];
        }
    }
    uint32_t low = 0;
    uint32_t high = f->doc->fault_count;
    while (low < high) { /* the first behind the end of the stretch */
        uint32_t middle = low + (high - low) / 2;
        bool behind = f->by_offset[middle].first > (uint64_t)at->offset + at->length;
        low = behind ? low : middle + 1;
        high = behind ? middle : high;
    }
    uint32_t last = low ? low - 1 : 0;
    uint32_t best = last;
    while (best && !f->said[f->by_offset[best].item] && f->by_offset[best - 1].first == f->by_offset[last].first) {
        best--;
    }
    return f->by_offset[f->said[f->by_offset[best].item] ? best : last].item;
}

static void take(finder *f, ll_where at, uint32_t number)
{
    const ll_fault_node *why = f->faults[number];
    if (f->said[number]) {
        f->why = f->why ? f->why : why;
        return;
    }
    if (why == f->doc->unsupported_fault && f->doc->unsupported_allowed) {
        return;
    }
    ll_allocator allocator = ll_arena_allocator(&f->doc->arena);
    ll_unread *item = LL_ARRAY_ADD(&f->unsaid, &allocator);
    if (item) {
        *item = (ll_unread){at, why};
    } else {
        f->doc->status = LL_E_MEMORY;
    }
}

ll_status ll_unread_find(ll_doc *doc, const ll_ruleset *rules, const ll_format_program *program, ll_unread_list *out)
{
    finder f = {.doc = doc, .rules = rules, .program = program};
    bool any = false;
    *out = (ll_unread_list){.items = NULL};
    if (doc->fault_count == 0) {
        return LL_OK;
    }
    for (uint32_t i = 0; i < doc->span_count && doc->status == LL_OK; i++) {
        const ll_span *span = ll_doc_span(doc, i);
        if (is_unread(doc, span) && (f.faults || prepare(&f))) {
            ll_where at = ll_at_bytes(i, span->offset, span->length);
            doc->unread = any = true;
            take(&f, at, find_fault(&f, &at));
        }
    }
    if (!any && is_cut(&f) && prepare(&f)) {
        ll_where end = ll_at_bytes(LL_NO_SPAN, doc->size, 0);
        doc->unread = any = true;
        take(&f, end, find_fault(&f, &end));
    }
    if (!any && doc->unsupported_fault && prepare(&f)) {
        uint32_t number = 1;
        while (f.faults[number] != doc->unsupported_fault) {
            number++;
        }
        take(&f, doc->unsupported_fault->fault.at, number);
    }
    *out = (ll_unread_list){f.unsaid.items, f.unsaid.count, f.why};
    return doc->status;
}
