/* Collects findings: applies limits, drops duplicates and findings that yield to another rule, sorts, and marks. Relies
 * on the engine's rule numbers, but checks places: one outside the file is a bug of lightlint and ends the file with
 * LL_E_INTERNAL. Composes no texts. */
#include "base/array.h"
#include "base/sort.h"
#include "findings/report.h"

#include <string.h>

/* Bytes kept of each text that a finding brings, and the mark of a text that was cut. */
enum { TEXT_MAX = 1024 };
static const char CUT[] = " ... (cut)";

/* ------------------------------------------------------------------ taking */

static uint64_t *severity_count(ll_summary *s, unsigned severity)
{
    return severity == LL_ERROR ? &s->errors : severity == LL_WARNING ? &s->warnings : &s->notes;
}

/* Finds a place for a finding in a full report: that of the last one with the lowest severity below this one. False:
 * none. */
static bool make_room(ll_collection *c, const ll_entries *entries, unsigned severity)
{
    for (unsigned least = LL_NOTE; least < severity; least++) {
        uint32_t *behind = &c->sought[least]; /* 1 + index from which no entry has that severity */
        *behind = *behind ? *behind : (uint32_t)entries->count + 1;
        while (*behind > 1) {
            (*behind)--;
            if (entries->items[*behind - 1].severity == least) {
                c->at = *behind - 1;
                return true;
            }
        }
    }
    return false;
}

static bool admit(void *ctx, uint32_t rule)
{
    ll_report *report = ctx;
    ll_collection *c = &report->collecting;
    if (!c->rule_counts) {
        c->rule_counts = ll_arena_zalloc(&report->doc.arena, report->rules->count, sizeof *c->rule_counts);
        if (!c->rule_counts) {
            return true; /* take() reports it */
        }
    }
    unsigned severity = report->rules->rules[rule].severity;
    (*severity_count(&report->summary, severity))++;
    const ll_lint_options *o = &report->options;
    uint32_t most = o->max_per_file && o->max_per_file < LL_FINDINGS_MAX ? o->max_per_file : LL_FINDINGS_MAX;
    bool rule_full = o->max_per_rule && c->rule_counts[rule] >= o->max_per_rule;
    bool file_full = report->entries.count >= most;
    bool must = ll_rule_at(report->rules, rule)->locked && c->rule_counts[rule] == 0; /* it explains exit code 2 */
    c->at = (uint32_t)report->entries.count;
    bool replaces = file_full && !rule_full && make_room(c, &report->entries, severity);
    bool kept = must || replaces || !(rule_full || file_full);
    if (replaces || !kept) {
        report->summary.dropped++;
        report->summary.truncated = true;
    }
    c->rule_counts[rule] += kept;
    return kept;
}

static bool in_region(const ll_doc *doc, uint32_t address, uint32_t length)
{
    const ll_region *region = ll_doc_locate(doc, address);
    return ll_fits(address - region->base, length, region->size);
}

static bool inside(const ll_report *report, const ll_hit *hit)
{
    const ll_doc *doc = &report->doc;
    bool patch_fits = hit->patch.tier == LL_PATCH_NONE || in_region(doc, hit->patch.offset, hit->patch.removed);
    return in_region(doc, hit->at.offset, hit->at.length) && in_region(doc, hit->related.offset, hit->related.length) &&
           patch_fits;
}

/* Bytes of a text to keep. Texts from files and patterns may have any length. */
static size_t kept_length(const char *text)
{
    size_t length = strlen(text);
    if (length > TEXT_MAX) {
        length = TEXT_MAX;
        while (length && ((uint8_t)text[length] & 0xC0) == 0x80) { /* do not cut inside a character */
            length--;
        }
    }
    return length;
}

/* Copies the texts of a hit and the bytes of its patch into one block; empty texts need no room. */
static bool copy_texts(ll_arena *arena, const ll_hit *hit, ll_entry *entry)
{
    const char *from[] = {hit->found, hit->expected, hit->hint, hit->related_text};
    const char **to[] = {&entry->found, &entry->expected, &entry->hint, &entry->related_text};
    enum { TEXTS = sizeof from / sizeof from[0] };
    size_t kept[TEXTS], length[TEXTS];
    size_t need = hit->patch.size;
    for (size_t i = 0; i < TEXTS; i++) {
        kept[i] = from[i] ? kept_length(from[i]) : 0;
        length[i] = kept[i] ? kept[i] + (from[i][kept[i]] ? sizeof CUT : 1) : 0;
        if (!ll_add_size(need, length[i], &need)) {
            return false;
        }
        *to[i] = "";
    }
    entry->patch.bytes = NULL;
    if (need == 0) {
        return true;
    }
    char *block = ll_arena_alloc(arena, need, 1);
    if (!block) {
        return false;
    }
    for (size_t i = 0; i < TEXTS; i++) {
        if (length[i]) {
            memcpy(block, from[i], kept[i]);
            memcpy(block + kept[i], CUT + (from[i][kept[i]] ? 0 : sizeof CUT - 1), length[i] - kept[i]);
            *to[i] = block;
            block += length[i];
        }
    }
    if (hit->patch.size) {
        memcpy(block, hit->patch.bytes, hit->patch.size);
        entry->patch.bytes = (const uint8_t *)block;
    }
    return true;
}

static ll_status take(void *ctx, const ll_hit *hit)
{
    ll_report *report = ctx;
    if (!inside(report, hit)) {
        return LL_E_INTERNAL;
    }
    ll_collection *c = &report->collecting;
    ll_allocator a = ll_arena_allocator(&report->doc.arena);
    if (!c->rule_counts || !LL_ARRAY_ROOM(&report->entries, c->at == report->entries.count, &a)) {
        return LL_E_MEMORY;
    }
    /* decompressed bytes cannot be patched, and a member keeps its length */
    ll_hit kept = *hit;
    if (kept.patch.offset > report->doc.size || (report->file.member && kept.patch.removed != kept.patch.size)) {
        kept.patch = (ll_edit){.tier = LL_PATCH_NONE};
    }
    ll_entry entry = {
        .rule = hit->rule,
        .severity = report->rules->rules[hit->rule].severity,
        .is_unread = hit->is_unread,
        .at = hit->at,
        .related = hit->related,
        .patch = kept.patch,
        .order = c->taken++,
    };
    if (!copy_texts(&report->doc.arena, &kept, &entry)) {
        return LL_E_MEMORY;
    }
    report->entries.count += c->at == report->entries.count;
    report->entries.items[c->at] = entry;
    return LL_OK;
}

ll_sink ll_report_sink(ll_report *report)
{
    report->entries = (ll_entries){.items = NULL};
    report->collecting = (ll_collection){.rule_counts = NULL};
    report->left_out = 0;
    report->prints.of_run = report->prints.for_baseline = NULL;
    report->summary = (ll_summary){0};
    return (ll_sink){.ctx = report, .admit = admit, .take = take, .timing = report->options.timing};
}

/* ------------------------------------------------------------------ order */

typedef ll_sort_key key_fn(const ll_report *report, const ll_entry *entry);

/* Entries sorted by key, stable. NULL: out of memory. */
static const ll_sort_key *sort_entries(ll_report *report, key_fn *key)
{
    uint32_t n = (uint32_t)report->entries.count;
    ll_sort_key *keys = ll_arena_alloc(&report->doc.arena, n, 2 * sizeof *keys);
    for (uint32_t i = 0; keys && i < n; i++) {
        keys[i] = key(report, &report->entries.items[i]);
        keys[i].item = i;
    }
    return keys ? ll_sort(keys, keys + n, n) : NULL;
}

/* By offset, then rule number (rules are sorted by id), then length; entries that differ only in texts keep the
 * engine's order. */
static ll_sort_key key_of_place(const ll_report *report, const ll_entry *entry)
{
    (void)report;
    return (ll_sort_key){(uint64_t)entry->at.offset << 32 | entry->rule, entry->at.length, 0};
}

/* By offset in the file; findings in a region follow those on the bytes that hold it, in the order of their
 * addresses. */
static ll_sort_key key_of_outer(const ll_report *report, const ll_entry *entry)
{
    const ll_region *region = ll_doc_locate(&report->doc, entry->at.offset);
    return (ll_sort_key){(uint64_t)region->outer_offset + (region->name ? 0 : entry->at.offset), 0, 0};
}

static ll_sort_key key_of_rule(const ll_report *report, const ll_entry *entry)
{
    (void)report;
    return (ll_sort_key){(uint64_t)entry->rule << 32 | entry->at.offset, 0, 0};
}

/* By severity, highest first, then in the engine's order. */
static ll_sort_key key_of_weight(const ll_report *report, const ll_entry *entry)
{
    (void)report;
    return (ll_sort_key){(uint64_t)(LL_ERROR - entry->severity) << 32 | entry->order, 0, 0};
}

/* ------------------------------------------------------------------ yielding */

/* The bytes that entries cover, to ask whether an entry of a rule overlaps a range. */
typedef struct coverage {
    const ll_sort_key *keys; /* sorted by rule, then offset */
    uint64_t *ends;          /* by key: the highest end so far within the rule */
    uint32_t count;
} coverage;

/* An empty range counts as one byte, so that a finding of something missing overlaps others at that place. */
static uint64_t end_of(uint64_t offset, uint64_t length)
{
    return offset + (length ? length : 1);
}

static ll_status collect_coverage(ll_report *report, coverage *out)
{
    *out = (coverage){sort_entries(report, key_of_rule), NULL, (uint32_t)report->entries.count};
    out->ends = ll_arena_alloc(&report->doc.arena, out->count, sizeof *out->ends);
    if (!out->keys || !out->ends) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        const ll_sort_key *key = &out->keys[i];
        const ll_where *at = &report->entries.items[key->item].at;
        uint64_t before = i && key[-1].first >> 32 == key->first >> 32 ? out->ends[i - 1] : 0;
        uint64_t end = end_of(at->offset, at->length);
        out->ends[i] = end > before ? end : before;
    }
    return LL_OK;
}

static bool overlaps(const coverage *all, uint32_t rule, uint64_t start, uint64_t end)
{
    uint64_t behind = ((uint64_t)rule << 32) + end;
    LL_BISECT(low, all->count, i, all->keys[i].first < behind); /* entries that start before `end` */
    return low > 0 && all->keys[low - 1].first >> 32 == rule && all->ends[low - 1] > start;
}

/* Widens the bytes of a finding to the whole field: a finding on .x yields to one on .z. */
static void whole_field(const ll_doc *doc, const ll_where *at, uint64_t *start, uint64_t *end)
{
    *start = at->offset;
    *end = end_of(at->offset, at->length);
    const ll_field *field = ll_where_field(doc, at);
    if (field && field->bytes) {
        ll_where whole = ll_at_field(doc, at->span, at->element, at->field);
        *start = whole.offset < *start ? whole.offset : *start;
        *end = end_of(whole.offset, whole.length) > *end ? end_of(whole.offset, whole.length) : *end;
    }
}

static bool yields_to_other(const ll_report *report, const coverage *all, const ll_entry *entry)
{
    const ll_active_rule *rule = &report->rules->rules[entry->rule];
    uint64_t start;
    uint64_t end;
    whole_field(&report->doc, &entry->at, &start, &end);
    for (uint32_t i = 0; i < rule->yields_count; i++) {
        if (rule->yields_to[i] != LL_NO_RULE && overlaps(all, rule->yields_to[i], start, end)) {
            return true;
        }
    }
    return false;
}

static ll_status move_to_outer(ll_report *report)
{
    uint32_t n = (uint32_t)report->entries.count;
    const ll_sort_key *sorted = sort_entries(report, key_of_outer);
    ll_entry *moved = ll_arena_alloc(&report->doc.arena, n, sizeof *moved);
    if (!sorted || !moved) {
        return LL_E_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) {
        moved[i] = report->entries.items[sorted[i].item];
    }
    report->entries.items = moved;
    return LL_OK;
}

static bool same_finding(const ll_sort_key *a, const ll_sort_key *b)
{
    return a->first == b->first && a->second == b->second;
}

ll_status ll_report_finish(ll_report *report)
{
    uint32_t n = (uint32_t)report->entries.count;
    if (n == 0) {
        return LL_OK;
    }
    coverage all;
    const ll_sort_key *keys = sort_entries(report, key_of_place);
    ll_entry *kept = ll_arena_alloc(&report->doc.arena, n, sizeof *kept);
    if (!keys || !kept || collect_coverage(report, &all) != LL_OK) {
        return LL_E_MEMORY;
    }
    uint32_t count = 0;
    bool unread = false; /* a dropped finding explained why something was not read: the next one takes that over */
    for (uint32_t i = 0; i < n; i++) {
        const ll_entry *entry = &report->entries.items[keys[i].item];
        if ((i > 0 && same_finding(&keys[i - 1], &keys[i])) || yields_to_other(report, &all, entry)) {
            (*severity_count(&report->summary, entry->severity))--;
            unread = unread || entry->is_unread;
            continue;
        }
        kept[count] = *entry;
        kept[count].is_unread = entry->is_unread || unread;
        unread = false;
        count++;
    }
    if (unread && count) {
        kept[count - 1].is_unread = true;
    }
    report->entries = (ll_entries){.items = kept, .count = count, .capacity = n};
    return report->doc.region_count > 1 && count ? move_to_outer(report) : LL_OK;
}

void ll_report_lead_by(ll_report *report, uint32_t number)
{
    ll_entry cause = report->entries.items[number];
    cause.leads = true;
    memmove(report->entries.items + 1, report->entries.items, number * sizeof *report->entries.items);
    report->entries.items[0] = cause;
    for (uint32_t i = 1; i < report->entries.count; i++) {
        if (report->entries.items[i].explained) {
            report->entries.items[i].patch = (ll_edit){.tier = LL_PATCH_NONE};
        }
    }
}

/* ------------------------------------------------------------------ marks and limits */

ll_status ll_report_mark(ll_report *report, size_t index, const ll_mark *mark)
{
    bool known = mark && (mark->kind == LL_MARK_SUPPRESSED || mark->kind == LL_MARK_BASELINED);
    if (!report || index >= report->entries.count || report->entries.items[index].mark || !known || !mark->reason ||
        !mark->file) {
        return LL_E_ARGUMENT;
    }
    ll_mark *kept = ll_arena_alloc(&report->doc.arena, 1, sizeof *kept);
    if (!kept) {
        return LL_E_MEMORY;
    }
    *kept = *mark;
    report->entries.items[index].mark = kept;
    (*severity_count(&report->summary, report->entries.items[index].severity))--;
    (*(mark->kind == LL_MARK_SUPPRESSED ? &report->summary.suppressed : &report->summary.baselined))++;
    return LL_OK;
}

ll_status ll_report_choose(ll_report *report, const ll_fold *fold, uint32_t max_per_rule, uint32_t max_per_file,
                           bool all)
{
    uint32_t n = (uint32_t)report->entries.count;
    bool led = ll_report_is_led(report) && !all && !report->entries.items[0].mark;
    report->left_out = 0;
    for (uint32_t i = 0; i < n; i++) {
        report->entries.items[i].left_out = false;
    }
    if (!led && (!max_per_rule || n <= max_per_rule) && (!max_per_file || n <= max_per_file)) {
        return LL_OK;
    }
    const ll_sort_key *sorted = sort_entries(report, key_of_weight);
    uint32_t *counts = ll_arena_zalloc(&report->doc.arena, report->rules->count, sizeof *counts);
    if (!sorted || !counts) {
        return LL_E_MEMORY;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        ll_entry *entry = &report->entries.items[sorted[i].item];
        uint32_t times = fold->count ? fold->count[sorted[i].item] : 1;
        if (entry->mark || !times) {
            continue;
        }
        if ((max_per_rule && counts[entry->rule] >= max_per_rule) || (max_per_file && kept >= max_per_file) ||
            (led && entry->explained)) {
            entry->left_out = true;
            report->left_out += times;
        } else {
            counts[entry->rule]++;
            kept++;
        }
    }
    return LL_OK;
}
