/* Matches the findings of two reports: sorts both by a key and merges them, by place, then the rest by path, then by
 * words. */
#include "findings/compare.h"

#include "base/map.h"
#include "base/sort.h"
#include "model/value.h"

#include <string.h>

typedef struct side {
    const ll_report *report;
    bool *met;     /* by entry: the other report has the same finding */
    uint32_t left; /* number of entries that are not met */
} side;

typedef uint64_t key_fn(const ll_report *report, const ll_entry *entry, ll_text *scratch);

static uint64_t key_of_place(const ll_report *report, const ll_entry *entry, ll_text *scratch)
{
    (void)report;
    (void)scratch;
    return (uint64_t)entry->at.offset << 32 | entry->rule;
}

static void put_path(const ll_report *report, const ll_entry *entry, ll_text *scratch)
{
    ll_text_clear(scratch);
    if (entry->path) {
        ll_text_str(scratch, entry->path);
    } else {
        ll_path_text(&report->doc, &entry->at, scratch);
    }
}

static uint64_t key_of_path(const ll_report *report, const ll_entry *entry, ll_text *scratch)
{
    put_path(report, entry, scratch);
    return ll_fnv(ll_map_hash(entry->rule), scratch->data, scratch->length);
}

/* Hash of rule, path without numbers, and words: matches findings of a record that was moved. */
static uint64_t key_of_words(const ll_report *report, const ll_entry *entry, ll_text *scratch)
{
    const char *const words[] = {entry->found, entry->expected, entry->related_text};
    uint64_t key = ll_map_hash(entry->rule);
    bool number = false;
    put_path(report, entry, scratch);
    for (size_t i = 0; i < scratch->length; i++) {
        number = number ? scratch->data[i] != ']' : scratch->data[i] == '[';
        key = number ? key : ll_fnv(key, scratch->data + i, 1);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        key = ll_fnv(key, words[i], strlen(words[i]) + 1);
    }
    return key;
}

/* Entries not matched yet, sorted by key. NULL: out of memory. */
static const ll_sort_key *sorted(const side *s, key_fn *key, ll_arena *arena, ll_text *scratch)
{
    ll_sort_key *keys = ll_arena_alloc(arena, s->left, 2 * sizeof *keys);
    for (uint32_t i = 0, n = 0; keys && n < s->left; i++) {
        if (!s->met[i]) {
            keys[n++] = (ll_sort_key){key(s->report, &s->report->entries.items[i], scratch), 0, i};
        }
    }
    return keys && !scratch->failed ? ll_sort(keys, keys + s->left, s->left) : NULL;
}

static ll_status meet(side *one, side *other, key_fn *key, ll_arena *arena, ll_text *scratch)
{
    if (!one->left || !other->left) {
        return LL_OK;
    }
    const ll_sort_key *a = sorted(one, key, arena, scratch);
    const ll_sort_key *b = a ? sorted(other, key, arena, scratch) : NULL;
    for (uint32_t i = 0, k = 0, left = one->left, right = other->left; b && i < left && k < right;) {
        if (a[i].first == b[k].first) {
            one->met[a[i++].item] = other->met[b[k++].item] = true;
            one->left--;
            other->left--;
        } else if (a[i].first < b[k].first) {
            i++;
        } else {
            k++;
        }
    }
    return b ? LL_OK : LL_E_MEMORY;
}

/* Includes marked findings: a patch is judged by the bytes, not by what is suppressed. */
static uint64_t found_in_all(const ll_report *report)
{
    const ll_summary *s = &report->summary;
    return s->errors + s->warnings + s->notes + s->suppressed + s->baselined;
}

static bool yields(const ll_active_rule *rule, uint32_t to)
{
    uint32_t i = 0;
    while (i < rule->yields_count && rule->yields_to[i] != to) {
        i++;
    }
    return i < rule->yields_count;
}

/* Whether a finding of `other` is not new: it yielded in `one` to a more severe finding on the same bytes that is now
 * gone. */
static bool was_hidden(const side *one, const side *other, uint32_t number)
{
    const ll_entry *entry = &other->report->entries.items[number];
    const ll_active_rule *rule = &other->report->rules->rules[entry->rule];
    bool hidden = false;
    for (uint32_t i = 0; i < one->report->entries.count && rule->yields_count && !hidden; i++) {
        const ll_entry *gone = &one->report->entries.items[i];
        hidden = !one->met[i] && gone->severity > entry->severity && yields(rule, gone->rule) &&
                 gone->at.offset == entry->at.offset && gone->at.length == entry->at.length;
    }
    return hidden;
}

ll_status ll_report_compare(const ll_report *before, const ll_report *after, ll_arena *arena, ll_text *scratch,
                            ll_comparison *out)
{
    side one = {before, ll_arena_zalloc(arena, before->entries.count, sizeof(bool)), (uint32_t)before->entries.count};
    side other = {after, ll_arena_zalloc(arena, after->entries.count, sizeof(bool)), (uint32_t)after->entries.count};
    *out = (ll_comparison){.stays = one.met, .newcomer = LL_NO_ENTRY};
    if (!one.met || !other.met) {
        return LL_E_MEMORY;
    }
    ll_status status = meet(&one, &other, key_of_place, arena, scratch);
    status = status == LL_OK ? meet(&one, &other, key_of_path, arena, scratch) : status;
    status = status == LL_OK ? meet(&one, &other, key_of_words, arena, scratch) : status;
    if (before->summary.dropped || after->summary.dropped) {
        out->grew = after->summary.errors > before->summary.errors || found_in_all(after) > found_in_all(before);
        return status;
    }
    for (uint32_t i = 0; i < after->entries.count; i++) {
        bool severer = out->newcomer == LL_NO_ENTRY ||
                       after->entries.items[i].severity > after->entries.items[out->newcomer].severity;
        bool is_new = !other.met[i] && severer && !was_hidden(&one, &other, i);
        out->newcomer = is_new ? i : out->newcomer;
    }
    return status;
}
