/* Predicates on references: what a field points to, as the LL_REFERENCE rows of the format say (model/reference.h).
 * References to targets on which a fault casts doubt are not judged. */
#include "rules/predicate_span.h"

#include "base/sort.h"
#include "model/reference.h"
#include "rules/literal.h"

enum { MOST_BETWEEN = 4 }; /* bytes that may lie between two targets: one word */

static ll_status bind_reference(ll_binding *b)
{
    ll_bound_test *t = b->test;
    unsigned layout = (unsigned)(t->layout - b->format->layouts);
    t->reference = ll_reference_of(b->format, layout, t->field_number);
    return t->reference ? LL_OK
                        : LL_PROBLEM(b->problem, "field '", t->field->name, "' of '", t->layout->name,
                                     "' is not a reference: its layout has no reference row for it");
}

/* Binds a reference whose row has an extent: a field with the size or number of the targets. */
static ll_status bind_slice(ll_binding *b)
{
    ll_status status = bind_reference(b);
    bool stated = status != LL_OK || b->test->reference->extent != LL_NO_FIELD;
    return stated ? status
                  : LL_PROBLEM(b->problem, "no field states the size or number of targets of '", b->test->field->name,
                               "'");
}

/* The state of a test of references, for all spans of the file. It caches the targets that were found last. */
static ll_resolver *resolver_of(const ll_span_case *c)
{
    ll_resolver *resolver = ll_span_state(c, sizeof *resolver);
    if (resolver && !resolver->row) {
        *resolver = ll_resolver_start(c->run->doc, c->test->reference);
    }
    return resolver;
}

/* Resolves the reference of an element. False after the last element, or if there is no memory. Inline for the same
 * reason as ll_resolve(). */
__attribute__((always_inline)) static inline bool target_at(const ll_span_case *c, ll_resolver *resolver,
                                                            uint32_t element, ll_target *target)
{
    bool there = resolver && element < c->span->count;
    if (there) {
        ll_resolve(resolver, c->run->span, element, target);
    }
    return there;
}

/* Makes a fault at the field of an element, with the arguments {0} to {2} that most of these tests share. */
static ll_fault reference_fault(const ll_span_case *c, uint32_t element, const ll_target *target)
{
    ll_fault fault = ll_span_fault(c, element, LL_NO_PART);
    fault.arg[0] = ll_int(target->first);
    fault.arg[1] = ll_int(target->end);
    fault.arg[2] = ll_uint(target->size);
    return fault;
}

/* ------------------------------------------------------------------ leads_inside */

static ll_status bind_inside(ll_binding *b)
{
    ll_status status = ll_bind_word(b, "aligned");
    return status == LL_OK ? bind_reference(b) : status;
}

static bool is_aligned(const ll_target *target)
{
    return target->first % target->unit == 0;
}

/* Is the extent wrong rather than the offset? It is if it is too large for any offset, or if the offset follows the end
 * of the reference before (`before`). */
static bool is_extent_wrong(const ll_reference *row, const ll_target *target, int64_t before)
{
    bool sound = target->first >= 0 && (uint64_t)target->first <= target->size && is_aligned(target);
    int64_t between = target->first - before;
    bool follows = between >= 0 && between <= (row->how == LL_BY_INDEX ? 0 : MOST_BETWEEN);
    return sound && (target->extent > target->size || follows);
}

/* Is this the only reference of the file to targets of its kind? With several references to a kind of target that the
 * file does not have, the targets are missing rather than the references wrong. */
static bool leads_alone(const ll_span_case *c)
{
    const ll_doc *doc = c->run->doc;
    uint32_t count = 0;
    for (size_t i = 0; i < doc->format->reference_count; i++) {
        const ll_reference *row = &doc->format->references[i];
        ll_resolver resolver = ll_resolver_start(doc, row);
        for (uint32_t span = 0; row->target == c->test->reference->target && span < doc->span_count; span++) {
            const ll_span *s = ll_doc_span(doc, span);
            for (uint32_t e = 0; s->layout == row->layout && e < s->count && count < 2; e++) {
                ll_target target;
                ll_resolve(&resolver, span, e, &target);
                count += !target.null;
            }
        }
    }
    return count == 1;
}

static void judge_inside(const ll_span_case *c)
{
    ll_resolver *resolver = resolver_of(c);
    int64_t before = 0; /* end of the last correct reference */
    bool first = true;  /* no wrong reference so far */
    ll_target target;
    for (uint32_t element = 0; target_at(c, resolver, element, &target); element++) {
        if (!target.targets->known) {
            return;
        }
        if (target.null) {
            continue;
        }
        if (target.inside && (!c->test->which || is_aligned(&target))) {
            before = target.end;
            continue;
        }
        ll_fault fault = reference_fault(c, element, &target);
        unsigned extent = c->test->reference->extent;
        if (extent != LL_NO_FIELD && c->test->reference->unit != LL_COUNTS_PRESENCE &&
            is_extent_wrong(c->test->reference, &target, before)) {
            fault.at = ll_at_field(c->run->doc, c->run->span, element, extent);
        }
        fault.related = ll_targets_stated(resolver);
        const bool may_be_null = c->test->reference->null & LL_NULL_MINUS_ONE;
        if (c->patch && first && target.targets->count == 0 && may_be_null && leads_alone(c)) {
            ll_patch_field(c->run->doc, &fault, (ll_patch_tier)c->patch, UINT64_MAX);
        }
        first = false;
        ll_span_raise(c, element, &fault);
    }
}

/* ------------------------------------------------------------------ same_number, not_self */

/* Each record must point to the target with its own number. */
static void judge_same_number(const ll_span_case *c)
{
    ll_resolver *resolver = resolver_of(c);
    ll_target target;
    for (uint32_t element = 0; target_at(c, resolver, element, &target); element++) {
        int64_t right = target.targets->base + target.unit * element;
        if (!target.null && target.first != right) {
            ll_fault fault = reference_fault(c, element, &target);
            fault.arg[1] = ll_int(right);
            if (c->patch) {
                int64_t value = ll_span_number(c, element, c->test->field_number, 0) + right - target.first;
                ll_patch_field(c->run->doc, &fault, (ll_patch_tier)c->patch, (uint64_t)value);
            }
            ll_span_raise(c, element, &fault);
        }
    }
}

static void judge_not_self(const ll_span_case *c)
{
    ll_resolver *resolver = resolver_of(c);
    uint32_t own = c->run->span;
    while (own != LL_NO_SPAN && ll_doc_span(c->run->doc, own)->layout != c->test->reference->target) {
        own = ll_doc_span(c->run->doc, own)->parent;
    }
    uint32_t number = own == LL_NO_SPAN ? LL_NO_INDEX : ll_doc_span(c->run->doc, own)->index;
    for (uint32_t element = 0; resolver && number != LL_NO_INDEX && element < c->span->count; element++) {
        if (ll_span_number(c, element, c->test->field_number, 0) == (int64_t)number) {
            ll_target target;
            ll_resolve(resolver, c->run->span, element, &target);
            ll_fault fault = reference_fault(c, element, &target);
            if (!target.null) {
                ll_span_raise(c, element, &fault);
            }
        }
    }
}

/* ------------------------------------------------------------------ same_as_counterpart */

/* The first two values are the reference field and the field of the target. */
static ll_status bind_counterpart(ll_binding *b)
{
    ll_bound_test *t = b->test;
    uint16_t *operands = ll_arena_alloc(b->arena, 2, sizeof *operands);
    if (!operands) {
        return LL_E_MEMORY;
    }
    if (b->words->count < 2) {
        return LL_PROBLEM(b->problem, "check '", t->predicate->name,
                          "' takes a reference field and a field of its target");
    }
    ll_status status = ll_bind_operand(b, t->layout, b->words->at[0], &operands[0]);
    if (status != LL_OK) {
        return status;
    }
    t->reference = ll_reference_of(b->format, (unsigned)(t->layout - b->format->layouts), operands[0]);
    if (!t->reference) {
        return LL_PROBLEM(b->problem, "field '", b->words->at[0], "' is not a reference");
    }
    const ll_layout *target = &b->format->layouts[t->reference->target];
    status = ll_bind_operand(b, target, b->words->at[1], &operands[1]);
    t->operands = operands;
    t->bound = (ll_bound){0, UINT64_MAX};
    for (size_t i = 2; status == LL_OK && i < b->words->count; i++) {
        bool at_target = strcmp(b->words->at[i], "at target") == 0;
        t->which |= at_target;
        t->bound = at_target || i > 2 ? t->bound : ll_keys_of_type(target->fields[operands[1]].type);
        status = at_target
                     ? LL_OK
                     : ll_literal_narrow(b->words->at[i], target->fields[operands[1]].type, &t->bound, b->problem);
    }
    return status;
}

/* Is the value of the target within the bounds of the rule? */
static bool is_counted(const ll_bound_test *t, const ll_doc *doc, uint32_t targets, uint32_t element)
{
    const ll_field *other = &doc->layouts[t->reference->target].fields[t->operands[1]];
    ll_element target;
    if (!ll_element_at(doc, targets, element, &target)) {
        return false;
    }
    uint64_t key = ll_key_of_bits(other->type, ll_get_uint(&target, t->operands[1]));
    return key >= t->bound.first && key <= t->bound.last;
}

static void judge_counterpart(const ll_span_case *c)
{
    const ll_bound_test *t = c->test;
    const ll_doc *doc = c->run->doc;
    ll_resolver *resolver = resolver_of(c);
    ll_target target;
    if (!resolver) {
        return;
    }
    ll_resolve(resolver, c->run->span, 0, &target);
    uint32_t targets = target.targets->first;
    if (targets == LL_NO_SPAN || !target.targets->known) {
        return;
    }
    const ll_layout *other = ll_doc_layout(doc, targets);
    const uint8_t *records = ll_doc_at(doc, ll_doc_span(doc, targets)->offset);
    uint32_t pairs = ll_doc_span(doc, targets)->count;
    for (uint32_t element = 0; element < c->span->count && element < pairs; element++) {
        int64_t here = ll_span_number(c, element, t->field_number, 0);
        int64_t there = ll_number_of(other, records + (size_t)element * other->size, t->operands[1], 0);
        if (here == there || !is_counted(t, doc, targets, element) || !ll_span_is_judged(c, element)) {
            continue;
        }
        ll_resolve(resolver, c->run->span, element, &target);
        if (!target.inside || target.first != target.targets->base + target.unit * element) {
            continue;
        }
        ll_fault fault = ll_span_fault(c, element, LL_NO_PART);
        fault.related = ll_at_field(doc, targets, element, t->operands[1]);
        fault.arg[0] = ll_int(t->which ? there : here);
        fault.arg[1] = ll_int(t->which ? here : there);
        if (t->which) {
            ll_where swap = fault.at;
            fault.at = fault.related;
            fault.related = swap;
        }
        ll_span_raise(c, element, &fault);
    }
}

/* ------------------------------------------------------------------ consecutive */

/* "no face", "a face" */
static ll_arg with_article(const ll_span_case *c, const char *article)
{
    ll_text text;
    ll_text_init(&text, &c->run->arena->allocator);
    ll_text_format(&text, "%s %s", article, c->test->layout->label[0] ? c->test->layout->label : "record");
    return ll_text_arg(c->run, &text);
}

/* Each reference must start where the one before ended, and the last must end where the targets end. Raises at most one
 * fault for a span. */
static void judge_consecutive(const ll_span_case *c)
{
    ll_resolver *resolver = resolver_of(c);
    ll_target target = {.null = true};
    uint64_t next = 0;
    for (uint32_t element = 0; target_at(c, resolver, element, &target); element++) {
        if (!target.targets->known) {
            return;
        }
        if (!target.null && target.first != (int64_t)next) {
            ll_fault fault = reference_fault(c, element, &target);
            fault.arg[1] = ll_uint(next);
            ll_span_raise(c, element, &fault);
            return;
        }
        next += target.null ? 0 : target.extent;
    }
    if (!target.null && next < target.size) {
        ll_target rest = {.targets = target.targets, .first = (int64_t)next, .unit = target.unit, .inside = true};
        ll_fault fault = ll_span_fault(c, 0, LL_NO_PART);
        fault.at = ll_target_place(resolver, &rest);
        fault.arg[0] = with_article(c, "no");
        fault.arg[1] = with_article(c, "a");
        if (fault.at.span != LL_NO_SPAN) {
            ll_span_raise(c, 0, &fault);
        }
    }
}

/* ------------------------------------------------------------------ referenced */

/* The value is a reference field with its record: "rgm.actor.ravc_offset". */
static ll_status bind_referrer(ll_binding *b)
{
    const char *name = b->words->at[0];
    const ll_format *format = b->format;
    for (size_t i = 0; i < format->reference_count; i++) {
        const ll_reference *row = &format->references[i];
        const ll_layout *layout = &format->layouts[row->layout];
        size_t length = strlen(layout->name);
        if (strncmp(name, layout->name, length) == 0 && name[length] == '.' &&
            strcmp(name + length + 1, layout->fields[row->field].name) == 0 &&
            &format->layouts[row->target] == b->test->layout) {
            b->test->reference = row;
            return LL_OK;
        }
    }
    return LL_PROBLEM(b->problem, "no field '", name, "' points to '", b->test->layout->name, "'");
}

/* Writes, for each target, the number of references that begin there less the number that end there. False if a
 * reference is wrong, because it may be the one that should point to unused targets; false also if the file has several
 * arrays of targets. */
static bool note_edges(const ll_span_case *c, ll_resolver *resolver, int32_t *edges)
{
    const ll_doc *doc = c->run->doc;
    const ll_reference *row = c->test->reference;
    bool found = false;
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        if (s->layout == row->target && i != c->run->span) {
            return false;
        }
        for (uint32_t element = 0; s->layout == row->layout && element < s->count; element++) {
            ll_target target;
            ll_resolve(resolver, i, element, &target);
            bool doubtful = s->parent != LL_NO_SPAN && (ll_doc_span(doc, s->parent)->flags & LL_SPAN_DOUBTFUL);
            if (doubtful || (s->flags & LL_SPAN_BROKEN) || !target.targets->known || target.half_null ||
                (!target.null && (!target.inside || !is_aligned(&target)))) {
                return false;
            }
            found = true;
            if (target.null || !target.extent) {
                continue;
            }
            int64_t from = (target.first - target.targets->base) / target.unit;
            int64_t to = (target.end - target.targets->base + target.unit - 1) / target.unit;
            if (target.first < target.targets->base || to > (int64_t)c->span->count) { /* outside the array */
                return false;
            }
            edges[from]++;
            edges[to]--;
        }
    }
    return found;
}

static void raise_unreferenced(const ll_span_case *c, const ll_resolver *resolver, uint32_t from, uint32_t to)
{
    uint32_t size = c->test->layout->size;
    ll_where at = ll_at_bytes(c->run->span, c->span->offset + from * size, (to - from) * size);
    at.element = from;
    ll_fault fault = ll_fault_at(0, at);
    fault.related = ll_targets_stated(resolver);
    fault.arg[0] = ll_uint(to - from);
    ll_span_raise(c, from, &fault);
}

/* Raises one fault for each run of targets that no reference points to. */
static void judge_referenced(const ll_span_case *c)
{
    ll_resolver *resolver = resolver_of(c);
    int32_t *edges = resolver ? ll_check_zalloc(c->run, (size_t)c->span->count + 1, sizeof *edges) : NULL;
    if (!edges || !note_edges(c, resolver, edges)) {
        return;
    }
    int64_t users = 0;
    uint32_t from = 0;
    for (uint32_t i = 0; i < c->span->count; i++) {
        bool was_used = users > 0;
        users += edges[i];
        if (users > 0 && !was_used && i > from) {
            raise_unreferenced(c, resolver, from, i);
        }
        from = users > 0 ? i + 1 : from;
    }
    if (from < c->span->count) {
        raise_unreferenced(c, resolver, from, c->span->count);
    }
}

/* ------------------------------------------------------------------ on_boundary */

/* The sorted starts and ends of all references of a span that are not null. NULL: no memory. */
static const ll_sort_key *sort_boundaries(const ll_span_case *c, ll_resolver *resolver, uint32_t *count)
{
    size_t most = 2 * (size_t)c->span->count;
    ll_sort_key *keys = ll_check_alloc(c->run, most, 2 * sizeof *keys);
    *count = 0;
    ll_target target;
    for (uint32_t element = 0; keys && target_at(c, resolver, element, &target); element++) {
        if (!target.null) {
            keys[(*count)++] = (ll_sort_key){.first = (uint64_t)target.first};
            keys[(*count)++] = (ll_sort_key){.first = (uint64_t)target.end};
        }
    }
    return keys ? ll_sort(keys, keys + most, *count) : NULL;
}

/* A null reference may have the offset 0 or -1, or the place of the next target, which some tools write: the end of the
 * targets, the start or end of another reference, or, for targets of fixed size, the start of any target. */
static void judge_boundary(const ll_span_case *c)
{
    ll_resolver *resolver = resolver_of(c);
    const ll_sort_key *keys = NULL;
    uint32_t count = 0;
    ll_target target;
    for (uint32_t element = 0; target_at(c, resolver, element, &target); element++) {
        if (!target.targets->known) {
            return;
        }
        bool none = target.first == 0 || target.first == -1 || target.first == UINT32_MAX;
        bool inside = target.first >= 0 && (uint64_t)target.first < target.size;
        if (!target.null || none || target.first == (int64_t)target.size ||
            (inside && target.unit > 1 && is_aligned(&target))) {
            continue;
        }
        keys = keys || target.unit > 1 ? keys : sort_boundaries(c, resolver, &count);
        if (c->run->status == LL_OK && !ll_sort_find(keys, count, &(ll_sort_key){.first = (uint64_t)target.first})) {
            ll_fault fault = reference_fault(c, element, &target);
            fault.related = ll_targets_stated(resolver);
            ll_span_raise(c, element, &fault);
        }
    }
}

/* ------------------------------------------------------------------ both_or_neither */

/* The size of all targets less the sum of all references. */
static int64_t count_left(const ll_span_case *c, ll_resolver *resolver)
{
    uint64_t left = 0; /* modulo 2^64, so sums of numbers from the file cannot overflow */
    ll_target target;
    for (uint32_t element = 0; target_at(c, resolver, element, &target); element++) {
        left += element == 0 && target.targets->known ? target.size : 0;
        left -= target.null ? 0 : (uint64_t)(target.end - target.first);
    }
    return (int64_t)left;
}

/* Offers a patch that makes both fields null; or, if only the extent is 0 and targets are left over, one that sets the
 * extent to these. */
static void patch_both(const ll_span_case *c, const ll_target *target, int64_t left, bool offset_wrong, ll_fault *fault)
{
    const ll_reference *row = c->test->reference;
    const ll_patch_tier tier = (ll_patch_tier)c->patch;
    const int64_t extent = target->end - target->first;
    if (!tier) {
        return;
    }
    if (offset_wrong && extent == 0 && row->null & LL_NULL_MINUS_ONE) {
        ll_patch_field(c->run->doc, fault, tier, UINT64_MAX);
    } else if (!offset_wrong && extent) {
        ll_patch_field(c->run->doc, fault, tier, 0);
    } else if (!offset_wrong && left > 0 && left % target->unit == 0 && row->unit == LL_COUNTS_TARGETS) {
        ll_patch_field(c->run->doc, fault, tier, (uint64_t)(left / target->unit));
    }
}

/* Raises a fault if only one of offset and extent is null. If enough targets are left over for the extent, the offset
 * is wrong; otherwise the extent is. */
static void judge_both(const ll_span_case *c)
{
    ll_resolver *resolver = resolver_of(c);
    bool counted = false;
    int64_t left = 0;
    ll_target target;
    for (uint32_t element = 0; target_at(c, resolver, element, &target); element++) {
        if (!target.half_null) {
            continue;
        }
        left = counted ? left : count_left(c, resolver);
        counted = true;
        int64_t extent = target.end - target.first;
        bool offset_wrong = extent == 0 ? left == 0 : extent > 0 && extent <= left;
        ll_where offset = ll_at_field(c->run->doc, c->run->span, element, c->test->field_number);
        ll_where size = ll_at_field(c->run->doc, c->run->span, element, c->test->reference->extent);
        ll_fault fault = reference_fault(c, element, &target);
        fault.at = offset_wrong ? offset : size;
        fault.related = offset_wrong ? size : offset;
        fault.arg[1] = ll_int(extent / (int64_t)target.unit);
        patch_both(c, &target, left, offset_wrong, &fault);
        ll_span_raise(c, element, &fault);
    }
}

/* ------------------------------------------------------------------ holder_present */

/* Raises one fault for a span, at the first reference whose holder is missing: the section with the targets. Nothing if
 * the file was not read to its end, because the holder may be in the unread part. */
static void judge_holder(const ll_span_case *c)
{
    ll_resolver *resolver = resolver_of(c);
    ll_target first = {.null = true};
    uint32_t at = 0;
    uint64_t count = 0;
    ll_target target;
    for (uint32_t element = 0; !c->run->doc->fatal && target_at(c, resolver, element, &target); element++) {
        if (target.targets->holder != LL_NO_SPAN) {
            return;
        }
        if (!target.null && target.first >= 0 && target.end > target.first) {
            at = count ? at : element;
            first = count ? first : target;
            count++;
        }
    }
    if (count) {
        ll_fault fault = reference_fault(c, at, &first);
        fault.arg[2] = ll_uint(count);
        ll_span_raise(c, at, &fault);
    }
}

/* ------------------------------------------------------------------ the rows */

#define LEAD_ARGUMENTS "{0} where it begins, {1} where it ends, {2} how much there is, {3} name of the record"

static const ll_predicate rows[] = {
    {.name = "leads_inside",
     .accepts = LL_HOLDS_INT,
     .values = LL_SOME_VALUES,
     .bind = bind_inside,
     .judge_span = judge_inside,
     .arguments = LEAD_ARGUMENTS,
     .words = "a reference to an existing target"},
    {.name = "same_number",
     .accepts = LL_HOLDS_INT,
     .bind = bind_reference,
     .judge_span = judge_same_number,
     .arguments = "{0} where it begins, {1} where that of the record's own number begins, {3} name of the record",
     .words = "a reference to the target that has the record's own number"},
    {.name = "not_self",
     .accepts = LL_HOLDS_INT,
     .bind = bind_reference,
     .judge_span = judge_not_self,
     .arguments = LEAD_ARGUMENTS,
     .words = "a reference to another record"},
    {.name = "same_as_counterpart",
     .accepts = LL_HOLDS_INT,
     .values = LL_ANY_VALUES,
     .bind = bind_counterpart,
     .judge_span = judge_counterpart,
     .arguments = "{0} value here, {1} value there, {3} name of the record",
     .words = "the value of the target that has the record's own number"},
    {.name = "consecutive",
     .accepts = LL_HOLDS_INT,
     .bind = bind_reference,
     .judge_span = judge_consecutive,
     .arguments = "{0} where it begins or 'no ...', {1} where it should begin or 'a ...', {2} how much there is",
     .words = "consecutive references that cover every target once"},
    {.name = "referenced",
     .accepts = LL_HOLDS_RECORD,
     .values = LL_ONE_VALUE,
     .bind = bind_referrer,
     .judge_span = judge_referenced,
     .arguments = "{0} targets that nothing points to",
     .words = "a reference to every target"},
    {.name = "on_boundary",
     .accepts = LL_HOLDS_INT,
     .bind = bind_slice,
     .judge_span = judge_boundary,
     .arguments = LEAD_ARGUMENTS,
     .words = "0, -1, or the start or end of a target"},
    {.name = "both_or_neither",
     .accepts = LL_HOLDS_INT,
     .bind = bind_slice,
     .judge_span = judge_both,
     .arguments = "{0} where it begins, {1} how many targets, {2} how much there is, {3} name of the record",
     .words = "offset and size that agree whether there is a target"},
    {.name = "holder_present",
     .accepts = LL_HOLDS_INT,
     .bind = bind_reference,
     .judge_span = judge_holder,
     .arguments = "{0} where it begins, {1} where it ends, {2} references that lead there, {3} name of the record",
     .words = "the section that it points into"},
};
const ll_predicates ll_reference_predicates = LL_PREDICATES(rows);
