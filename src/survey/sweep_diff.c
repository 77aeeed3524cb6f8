/* Compares two sweeps file by file: findings that are new, gone or changed. Findings are paired by fingerprint; equal
 * fingerprints in order of place. Holds the findings of one file, counts by rule, and a few examples. */
#include "survey/sweep_diff.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/sort.h"

enum { RULES_MAX = 4096 };

/* One of the two sweeps, and the findings of its current file. */
typedef struct side {
    ll_sweep_source source;
    ll_arena arena; /* reset for each file */
    LL_ARRAY(ll_diff_item) items;
    ll_sort_key *order; /* in the arena; by fingerprint, then place */
    const char *file;   /* in the arena */
} side;

typedef struct diff {
    ll_allocator allocator;
    side sides[2]; /* old, new */
    ll_arena rule_names;
    LL_ARRAY(ll_diff_rule) rules; /* sorted by id */
    ll_diff_page page;
    ll_problem *problem;
} diff;

/* ------------------------------------------------------------------ reading */

static ll_status read_item(const diff *d, side *s)
{
    ll_diff_item item = {.in_member = s->source.file[s->source.stem] != '\0'};
    ll_jsonr *json = &s->source.survey.json;
    const struct {
        const char *key, **to;
    } texts[] = {{"rule", &item.rule},
                 {"name", &item.name},
                 {"severity", &item.severity},
                 {"path", &item.path},
                 {"message", &item.message}};
    ll_status status = LL_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == LL_OK; i++) {
        status = ll_jsonr_text(json, texts[i].key, texts[i].to, d->problem);
        const char *text = status == LL_OK ? *texts[i].to : "";
        *texts[i].to = ll_arena_copy(&s->arena, text, strlen(text));
        status = *texts[i].to ? status : LL_E_MEMORY;
    }
    status = status == LL_OK ? ll_jsonr_u64(json, "offset", &item.offset, d->problem) : status;
    status = status == LL_OK ? ll_jsonr_u64(json, "length", &item.length, d->problem) : status;
    status = status == LL_OK ? ll_jsonr_hash(json, "fingerprint", &item.fingerprint, d->problem) : status;
    if (status != LL_OK) {
        return status == LL_E_INPUT ? ll_survey_where(&s->source.survey, d->problem) : status;
    }
    ll_diff_item *kept = s->items.count < UINT32_MAX / 2 ? LL_ARRAY_ADD(&s->items, &d->allocator) : NULL;
    if (!kept) {
        return LL_E_MEMORY;
    }
    *kept = item;
    return LL_OK;
}

static ll_status sort_items(side *s)
{
    uint32_t n = (uint32_t)s->items.count;
    ll_sort_key *keys = ll_arena_alloc(&s->arena, n ? n : 1, 2 * sizeof *keys);
    if (!keys) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (ll_sort_key){s->items.items[i].fingerprint, i, i};
    }
    s->order = ll_sort(keys, keys + n, n);
    return LL_OK;
}

/* Reads the findings of the current file and moves to the next file. */
static ll_status load(const diff *d, side *s)
{
    ll_status status = LL_OK;
    bool last = false;
    ll_arena_reset(&s->arena);
    s->items.count = 0;
    s->file = ll_arena_copy(&s->arena, s->source.file, strlen(s->source.file));
    status = s->file ? LL_OK : LL_E_MEMORY;
    while (status == LL_OK && !last) {
        last = s->source.kind == LL_SWEEP_FILE;
        status = last ? LL_OK : read_item(d, s);
        status = status == LL_OK ? ll_sweep_next_file(&s->source, d->problem) : status;
    }
    return status == LL_OK ? sort_items(s) : status;
}

/* ------------------------------------------------------------------ rules */

/* Finds or adds the counts of a rule. NULL: too many rules or out of memory; see *status. */
static ll_diff_rule *rule_of(diff *d, const ll_diff_item *item, ll_status *status)
{
    size_t low = 0;
    size_t high = d->rules.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(d->rules.items[middle].id, item->rule);
        if (order == 0) {
            return &d->rules.items[middle];
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    if (d->rules.count == RULES_MAX) {
        *status = LL_SURVEY_REFUSE(&d->sides[1].source.survey, d->problem,
                                   "the sweeps have findings of more than 4096 rules");
        return NULL;
    }
    const char *id = ll_arena_copy(&d->rule_names, item->rule, strlen(item->rule));
    const char *name = ll_arena_copy(&d->rule_names, item->name, strlen(item->name));
    if (!id || !name || !LL_ARRAY_ROOM(&d->rules, 1, &d->allocator)) {
        *status = LL_E_MEMORY;
        return NULL;
    }
    ll_diff_rule *at = &d->rules.items[low];
    memmove(at + 1, at, (d->rules.count++ - low) * sizeof *at);
    *at = (ll_diff_rule){.id = id, .name = name};
    return at;
}

/* ------------------------------------------------------------------ comparing */

static bool same(const ll_diff_item *a, const ll_diff_item *b)
{
    return (a->in_member || a->offset == b->offset) && a->length == b->length &&
           strcmp(a->severity, b->severity) == 0 && strcmp(a->path, b->path) == 0 &&
           strcmp(a->message, b->message) == 0;
}

/* Pairs the findings of both sweeps. */
static void pair_items(side *before, side *after)
{
    size_t i = 0;
    size_t k = 0;
    while (i < before->items.count && k < after->items.count) {
        ll_diff_item *a = &before->items.items[before->order[i].item];
        ll_diff_item *b = &after->items.items[after->order[k].item];
        bool both = a->fingerprint == b->fingerprint;
        if (both) {
            a->other = b;
            b->other = a;
        }
        i += both || a->fingerprint < b->fingerprint;
        k += both || a->fingerprint > b->fingerprint;
    }
}

/* Counts a change and adds it to the page. */
static ll_status add_change(diff *d, ll_diff_kind kind, const ll_diff_item *item)
{
    ll_status status = LL_OK;
    ll_diff_rule *rule = rule_of(d, item, &status);
    ll_sweep_changes *changes = &d->page.changes;
    uint64_t *const totals[] = {&changes->came, &changes->went, &changes->changed};
    if (rule) {
        rule->counts[kind]++;
        (*totals[kind])++;
        ll_diff_put(&d->page, rule, kind, item);
    }
    return status;
}

/* Adds the findings of a side that have no counterpart, or those that changed. */
static ll_status add_changes(diff *d, const side *s, ll_diff_kind kind)
{
    ll_status status = LL_OK;
    for (size_t i = 0; i < s->items.count && status == LL_OK; i++) {
        const ll_diff_item *item = &s->items.items[i];
        if (kind == LL_DIFF_CHANGED ? item->other && !same(item->other, item) : !item->other) {
            status = add_change(d, kind, item);
        }
    }
    return status;
}

static ll_status compare_file(diff *d, const char *file)
{
    side *before = &d->sides[0];
    side *after = &d->sides[1];
    pair_items(before, after);
    ll_diff_begin_file(&d->page, file, LL_DIFF_BOTH);
    ll_status status = add_changes(d, after, LL_DIFF_CAME);
    status = status == LL_OK ? add_changes(d, before, LL_DIFF_WENT) : status;
    status = status == LL_OK ? add_changes(d, after, LL_DIFF_CHANGED) : status;
    return status == LL_OK ? ll_diff_end_file(&d->page) : status;
}

/* Lists a file that only one sweep has; its findings count as neither new nor gone. */
static ll_status list_file(diff *d, unsigned which)
{
    const side *s = &d->sides[which];
    ll_sweep_changes *changes = &d->page.changes;
    (*(which ? &changes->new_files : &changes->old_files))++;
    *(which ? &changes->new_findings : &changes->old_findings) += s->items.count;
    ll_diff_begin_file(&d->page, s->file, which ? LL_DIFF_NEW : LL_DIFF_OLD);
    ll_diff_list(&d->page, s->items.items, (uint32_t)s->items.count);
    return ll_diff_end_file(&d->page);
}

/* Findings across files follow all files. */
static int order_of(const ll_sweep_source *before, const ll_sweep_source *after)
{
    int order = (before->file == NULL) - (after->file == NULL);
    order = order ? order : before->across - after->across;
    return order ? order : ll_sweep_order(before, after);
}

/* Compares the file that comes first. In the list of findings across files, a file that is missing has none. */
static ll_status compare_next(diff *d)
{
    int order = order_of(&d->sides[0].source, &d->sides[1].source);
    side *first = &d->sides[order > 0];
    bool across = first->source.across;
    ll_status status = load(d, first);
    if (order == 0) {
        status = status == LL_OK ? load(d, &d->sides[1]) : status;
    } else {
        d->sides[order < 0].items.count = 0;
    }
    if (status != LL_OK) {
        return status;
    }
    d->page.changes.files += !across && !order;
    return across || !order ? compare_file(d, first->file) : list_file(d, order > 0);
}

static ll_status compare(diff *d)
{
    ll_sweep_source *before = &d->sides[0].source;
    ll_sweep_source *after = &d->sides[1].source;
    ll_status status = ll_sweep_next_file(before, d->problem);
    status = status == LL_OK ? ll_sweep_next_file(after, d->problem) : status;
    while (status == LL_OK && (before->file || after->file)) {
        status = compare_next(d);
    }
    for (unsigned i = 0; i < 2 && status == LL_OK; i++) {
        status = ll_sweep_next(&d->sides[i].source, d->problem); /* reports anything after the summary */
    }
    return status;
}

/* ------------------------------------------------------------------ the call */

static ll_status run(diff *d, const ll_sweep_input *const inputs[2])
{
    ll_status status = LL_OK;
    for (unsigned i = 0; i < 2; i++) { /* open both, so that both can be closed */
        ll_status opened =
            ll_sweep_open(&d->sides[i].source, &d->allocator, inputs[i], status == LL_OK ? d->problem : NULL);
        status = status == LL_OK ? opened : status;
        d->page.sources[i] = &d->sides[i].source.survey;
    }
    status = status == LL_OK ? ll_diff_begin(&d->page) : status;
    status = status == LL_OK ? compare(d) : status;
    return status == LL_OK ? ll_diff_end(&d->page, d->rules.items, d->rules.count) : status;
}

ll_status ll_sweep_diff(const ll_allocator *allocator, const ll_sweep_input *before, const ll_sweep_input *after,
                        const ll_sweep_output *out, ll_sweep_changes *changes, ll_problem *problem)
{
    const ll_sweep_input *const inputs[2] = {before, after};
    ll_allocator a = ll_allocator_or_default(allocator);
    diff d = {.allocator = a, .problem = problem};
    if (!before || !after || !before->read || !after->read || !out || !out->write ||
        !ll_diff_open(&d.page, &a, out->format, out->write, out->ctx)) {
        return LL_E_ARGUMENT;
    }
    ll_arena_init(&d.rule_names, &a, SIZE_MAX);
    ll_arena_init(&d.sides[0].arena, &a, SIZE_MAX);
    ll_arena_init(&d.sides[1].arena, &a, SIZE_MAX);
    ll_status status = run(&d, inputs);
    if (changes && status == LL_OK) {
        *changes = d.page.changes;
    }
    for (unsigned i = 0; i < 2; i++) {
        ll_sweep_close(&d.sides[i].source);
        ll_arena_free(&d.sides[i].arena);
        LL_ARRAY_FREE(&d.sides[i].items, &a);
    }
    LL_ARRAY_FREE(&d.rules, &a);
    ll_arena_free(&d.rule_names);
    ll_diff_close(&d.page);
    return status;
}
