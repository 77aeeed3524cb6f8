/* Reads, writes and applies baselines: lists of known findings, which do not count. Works on bytes, never on files. A
 * baseline may be the result of a merge: lines come in any order and may be repeated. */
#include "base/array.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "findings/words.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { SCHEMA = 1, ENTRIES_MAX = 1 << 28 };

typedef struct entry {
    const char *file, *rule, *path; /* in the arena */
    uint64_t fingerprint, count;
    uint64_t offset, length; /* of its line, in bytes */
    unsigned line;
    atomic_bool judged;
    atomic_ullong met;
} entry;

/* A hash of a file's bytes at the time its entries were made, by which a file that was moved is found again. */
typedef struct content {
    const char *file; /* in the arena */
    uint64_t hash;
    bool fresh; /* from a report of this run: it supersedes the hashes read for this file */
    bool asked; /* whether the file is gone was asked already */
    bool moved; /* a report of another name was matched with this file */
} content;

struct ll_baseline {
    ll_arena arena; /* owns the texts */
    ll_allocator allocator;
    ll_text scratch;
    LL_ARRAY(entry) entries; /* one per file and fingerprint, sorted unless `unsorted` */
    ll_map map;              /* index into `entries` by file and fingerprint */
    LL_ARRAY(content) contents;
    bool unsorted;
};

/* ------------------------------------------------------------------ life */

ll_status ll_baseline_create(const ll_allocator *allocator, ll_baseline **out)
{
    if (!out) {
        return LL_E_ARGUMENT;
    }
    ll_allocator a = ll_allocator_or_default(allocator);
    ll_baseline *baseline = a.alloc(a.ctx, sizeof *baseline);
    *out = baseline;
    if (!baseline) {
        return LL_E_MEMORY;
    }
    *baseline = (ll_baseline){.allocator = a};
    ll_arena_init(&baseline->arena, &a, SIZE_MAX);
    ll_text_init(&baseline->scratch, &a);
    return LL_OK;
}

void ll_baseline_free(ll_baseline *baseline)
{
    if (baseline) {
        ll_allocator a = baseline->allocator;
        LL_ARRAY_FREE(&baseline->entries, &a);
        LL_ARRAY_FREE(&baseline->contents, &a);
        ll_map_free(&baseline->map, &a);
        ll_arena_free(&baseline->arena);
        ll_text_free(&baseline->scratch);
        a.release(a.ctx, baseline);
    }
}

/* ------------------------------------------------------------------ entries, one for each file and fingerprint */

typedef struct entry_key {
    const entry *entries;
    const char *file;
    uint64_t fingerprint;
} entry_key;

static bool is_entry(const void *sought, uint32_t index)
{
    const entry_key *key = sought;
    const entry *e = &key->entries[index];
    return e->fingerprint == key->fingerprint && strcmp(e->file, key->file) == 0;
}

static uint64_t hash_of(const char *file, uint64_t fingerprint)
{
    return ll_map_hash(ll_fnv(fingerprint, file, strlen(file)));
}

static uint64_t hash_of_entry(const void *owner, uint32_t index)
{
    const entry *e = &((const ll_baseline *)owner)->entries.items[index];
    return hash_of(e->file, e->fingerprint);
}

/* Index of the entry, or LL_MAP_NONE. */
static uint32_t find(const ll_baseline *baseline, const char *file, uint64_t fingerprint)
{
    return ll_map_find(&baseline->map, hash_of(file, fingerprint), is_entry,
                       &(entry_key){baseline->entries.items, file, fingerprint});
}

/* Adds entry `index` to the map. Returns the index of an equal entry if there is one, else LL_MAP_NONE. */
static uint32_t note_entry(ll_baseline *baseline, uint32_t index, const entry *e)
{
    return ll_map_note(&baseline->map, hash_of(e->file, e->fingerprint), index, is_entry,
                       &(entry_key){baseline->entries.items, e->file, e->fingerprint});
}

static int by_place(const void *a, const void *b)
{
    const entry *one = a;
    const entry *two = b;
    int order = strcmp(one->file, two->file);
    order = order ? order : strcmp(one->rule, two->rule);
    order = order ? order : strcmp(one->path, two->path);
    order = order ? order : (one->fingerprint > two->fingerprint) - (one->fingerprint < two->fingerprint);
    return order ? order : (one->line > two->line) - (one->line < two->line);
}

static int by_file(const void *a, const void *b)
{
    const content *one = a;
    const content *two = b;
    int order = strcmp(one->file, two->file);
    order = order ? order : two->fresh - one->fresh;
    return order ? order : (one->hash > two->hash) - (one->hash < two->hash);
}

static void sort_contents(ll_baseline *baseline)
{
    content *all = baseline->contents.items;
    size_t kept = 0;
    if (baseline->contents.count) {
        qsort(all, baseline->contents.count, sizeof *all, by_file);
    }
    for (size_t i = 0; i < baseline->contents.count; i++) {
        const content *last = kept ? &all[kept - 1] : NULL;
        if (!last || strcmp(last->file, all[i].file) != 0 || (!last->fresh && last->hash != all[i].hash)) {
            all[kept++] = all[i];
        }
    }
    baseline->contents.count = kept;
}

/* First content of a file in the sorted contents, or NULL. */
static const content *content_of(const ll_baseline *baseline, const char *file)
{
    const content *all = baseline->contents.items;
    LL_BISECT(low, baseline->contents.count, i, strcmp(all[i].file, file) < 0);
    return low < baseline->contents.count && strcmp(all[low].file, file) == 0 ? &all[low] : NULL;
}

static void sort(ll_baseline *baseline)
{
    if (!baseline->unsorted) {
        return;
    }
    sort_contents(baseline);
    if (baseline->entries.count) { /* empty when memory ran out for the first one */
        qsort(baseline->entries.items, baseline->entries.count, sizeof *baseline->entries.items, by_place);
    }
    ll_map_clear(&baseline->map);
    for (uint32_t i = 0; i < baseline->entries.count; i++) {
        (void)note_entry(baseline, i, &baseline->entries.items[i]);
    }
    baseline->unsorted = false;
}

/* Copies a text into the arena; returns `before` if it is equal, since runs of entries share file and rule. */
static const char *keep(ll_baseline *baseline, const char *text, const char *before)
{
    return before && strcmp(before, text) == 0 ? before : ll_arena_copy(&baseline->arena, text, strlen(text));
}

/* Adds the content hash of a file. hash 0: unknown, adds nothing. */
static ll_status add_content(ll_baseline *baseline, const char *file, uint64_t hash, bool fresh)
{
    const content *last = baseline->contents.count ? &baseline->contents.items[baseline->contents.count - 1] : NULL;
    content c = {.hash = hash, .fresh = fresh};
    if (!hash) {
        return LL_OK;
    }
    c.file = keep(baseline, file, last ? last->file : NULL);
    content *kept = c.file ? LL_ARRAY_ADD(&baseline->contents, &baseline->allocator) : NULL;
    if (!kept) {
        return LL_E_MEMORY;
    }
    *kept = c;
    baseline->unsorted = true;
    return LL_OK;
}

/* Adds an entry or merges it with the one of the same file and fingerprint. `highest`: the higher count wins (lines
 * that were read); else counts are added (findings). */
static ll_status add(ll_baseline *baseline, const entry *given, bool highest)
{
    size_t count = baseline->entries.count;
    entry e = *given;
    if (count >= ENTRIES_MAX ||
        !ll_map_room(&baseline->map, (uint32_t)count, hash_of_entry, baseline, &baseline->allocator) ||
        !LL_ARRAY_ROOM(&baseline->entries, 1, &baseline->allocator)) {
        return LL_E_MEMORY;
    }
    const entry *last = count ? &baseline->entries.items[count - 1] : NULL;
    e.file = keep(baseline, given->file, last ? last->file : NULL);
    e.rule = keep(baseline, given->rule, last ? last->rule : NULL);
    e.path = keep(baseline, given->path, NULL);
    if (!e.file || !e.rule || !e.path) {
        return LL_E_MEMORY;
    }
    uint32_t at = note_entry(baseline, (uint32_t)count, &e);
    baseline->unsorted = true;
    if (at == LL_MAP_NONE) {
        baseline->entries.items[baseline->entries.count++] = e;
        return LL_OK;
    }
    entry *same = &baseline->entries.items[at];
    uint64_t sum = e.count > UINT64_MAX - same->count ? UINT64_MAX : e.count + same->count;
    uint64_t joined = !highest ? sum : e.count > same->count ? e.count : same->count;
    *same = by_place(&e, same) < 0 ? e : *same; /* the first by place, so that the order of lines does not matter */
    same->count = joined;
    return LL_OK;
}

/* ------------------------------------------------------------------ reading */

static ll_status read_header(const ll_jsonr *json, const char *type, ll_problem *problem)
{
    uint64_t schema = 0;
    if (strcmp(type, "baseline") != 0) {
        return LL_REFUSE(problem, "this is of type '", type,
                         "', not of a baseline; lightlint baseline create makes one");
    }
    ll_status status = ll_jsonr_u64(json, "schema", &schema, problem);
    if (status == LL_OK && schema != SCHEMA) {
        return LL_REFUSE(problem, "this baseline has another schema than 1, the only one that this version reads; use "
                                  "the version that made it");
    }
    return status;
}

static ll_status read_entry(const ll_jsonr *json, entry *out, uint64_t *bytes, ll_problem *problem)
{
    ll_status status = ll_jsonr_hash(json, "fingerprint", &out->fingerprint, problem);
    status = status == LL_OK ? ll_jsonr_text(json, "rule", &out->rule, problem) : status;
    status = status == LL_OK ? ll_jsonr_text(json, "file", &out->file, problem) : status;
    status = status == LL_OK ? ll_jsonr_text(json, "path", &out->path, problem) : status;
    status = status == LL_OK ? ll_jsonr_u64(json, "count", &out->count, problem) : status;
    if (status == LL_OK && ll_jsonr_has(json, "content")) {
        status = ll_jsonr_hash(json, "content", bytes, problem);
    }
    if (status == LL_OK && (!out->count || !out->file[0] || !out->rule[0])) {
        return LL_REFUSE(problem, "an entry has a rule, a file, and a count from 1 on");
    }
    return status;
}

/* A conflict marker of Git. */
static bool is_conflict(const char *line, size_t size)
{
    static const char *const marks[] = {"<<<<<<<", "|||||||", "=======", ">>>>>>>"};
    bool any = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        any = any || (size >= strlen(marks[i]) && memcmp(line, marks[i], strlen(marks[i])) == 0);
    }
    return any;
}

static ll_status read_line(ll_baseline *baseline, ll_jsonr *json, const char *line, entry *e, bool *header,
                           ll_problem *problem)
{
    const char *type = NULL;
    if (is_conflict(line, (size_t)e->length)) {
        return LL_REFUSE(problem,
                         "a conflict mark of an unfinished merge; keep the lines of both sides and remove the marks");
    }
    ll_status status = ll_jsonr_open(json, line, (size_t)e->length, problem);
    if (status == LL_OK && ll_jsonr_has(json, "type")) {
        status = ll_jsonr_text(json, "type", &type, problem);
        status = status == LL_OK ? read_header(json, type, problem) : status;
        *header = *header || status == LL_OK;
    } else if (status == LL_OK) {
        uint64_t bytes = 0;
        status = read_entry(json, e, &bytes, problem);
        status = status == LL_OK ? add_content(baseline, e->file, bytes, false) : status;
        status = status == LL_OK ? add(baseline, e, true) : status;
    }
    return status;
}

static bool is_blank(const char *line, size_t size)
{
    size_t at = 0;
    while (at < size && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) {
        at++;
    }
    return at == size;
}

ll_status ll_baseline_read(ll_baseline *baseline, const void *bytes, size_t size, ll_problem *problem)
{
    const char *text = bytes;
    bool header = false;
    ll_status status = LL_OK;
    ll_jsonr json;
    if (!baseline || (!bytes && size) || baseline->entries.count) {
        return LL_E_ARGUMENT;
    }
    ll_jsonr_init(&json, &baseline->allocator);
    unsigned line = 0;
    for (size_t at = ll_bom_length(text, size); at < size && status == LL_OK;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end ? (size_t)(end - (text + at)) : size - at;
        entry e = {.offset = at, .length = n, .line = ++line};
        (void)ll_problem_at(problem, line, 0);
        status = is_blank(text + at, n) ? LL_OK : read_line(baseline, &json, text + at, &e, &header, problem);
        at += n + (end != NULL);
    }
    ll_jsonr_free(&json);
    if (status == LL_OK && !header) {
        (void)ll_problem_at(problem, 1, 0);
        status = LL_REFUSE(problem, "not a baseline: it has no line {\"type\":\"baseline\",\"schema\":1}");
    }
    if (status != LL_OK) {
        baseline->entries.count = baseline->contents.count = 0;
        ll_map_clear(&baseline->map);
    }
    sort(baseline);
    return status;
}

/* ------------------------------------------------------------------ reports */

/* Appends a name as the baseline stores it: invalid UTF-8 becomes \xNN. */
static void put_name(ll_text *out, const char *name)
{
    size_t n = strlen(name);
    for (size_t at = 0; at < n;) {
        size_t length = ll_utf8_length((const uint8_t *)name + at, n - at);
        if (length) {
            ll_text_put(out, name + at, length);
        } else {
            ll_text_format(out, "\\x%02x", (unsigned char)name[at]);
        }
        at += length ? length : 1;
    }
}

/* The name of a report's file, or "ARCHIVE!PATH" of a member. Valid until `out` changes. */
static const char *name_of(const ll_report *report, ll_text *out)
{
    ll_text_clear(out);
    put_name(out, ll_plain_name(ll_report_baseline_name(report)));
    return ll_text_cstr(out);
}

/* Whether a baseline may list the finding: no, if it is marked, or if it says that a file was not checked, or is about
 * a file of lightlint itself. */
static bool may_hold(const ll_report *report, uint32_t index)
{
    const ll_entry *e = &report->entries.items[index];
    return !e->mark && ll_rule_may_be_marked(ll_rule_at(report->rules, e->rule));
}

/* Entries of a file: [*first, return value). */
static uint32_t range_of(const ll_baseline *baseline, const char *file, uint32_t *first)
{
    const entry *all = baseline->entries.items;
    LL_BISECT(low, baseline->entries.count, i, strcmp(all[i].file, file) < 0);
    *first = low;
    while (low < baseline->entries.count && strcmp(all[low].file, file) == 0) {
        low++;
    }
    return low;
}

/* False if the rule is off, so that its entries cannot be judged. An unknown rule counts as on. */
static bool rule_runs(const ll_ruleset *rules, const char *id)
{
    size_t first = 0, end = rules->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        int order = strcmp(id, ll_rule_at(rules, middle)->id);
        if (order == 0) {
            return rules->rules[middle].severity != LL_SEVERITY_OFF;
        }
        first = order > 0 ? middle + 1 : first;
        end = order < 0 ? middle : end;
    }
    return true;
}

/* Raises the number of findings that an entry matched. It is a maximum, so the order of reports does not matter. */
static void note(const ll_report *report, entry *e, uint64_t met)
{
    unsigned long long seen = atomic_load(&e->met);
    while (seen < met && !atomic_compare_exchange_weak(&e->met, &seen, met)) {
    }
    if (!report->summary.failed && !report->summary.unsupported && rule_runs(report->rules, e->rule)) {
        atomic_store(&e->judged, true);
    }
}

/* Judges entries of members that the archive no longer holds: they matched nothing. */
static ll_status judge_members(const ll_baseline *baseline, ll_report *report)
{
    ll_text *name = &report->scratch;
    ll_text *path = &report->last.texts;
    entry *all = baseline->entries.items;
    (void)name_of(report, name);
    ll_text_char(name, '!');
    const char *start = ll_text_cstr(name);
    size_t length = name->length;
    LL_BISECT(low, baseline->entries.count, i, strncmp(all[i].file, start, length) < 0);
    uint32_t end = low;
    while (end < baseline->entries.count && strncmp(all[end].file, start, length) == 0) {
        end++;
    }
    if (low == end && !name->failed) {
        return LL_OK;
    }
    bool *held = ll_arena_zalloc(&report->doc.arena, end - low, sizeof *held);
    for (uint32_t i = 0; held && i < report->members.count; i++) {
        uint32_t first = 0;
        ll_text_clear(path);
        ll_member_path(&report->doc, &report->members.items[i], path);
        name->length = length;
        put_name(name, ll_text_cstr(path));
        uint32_t behind = range_of(baseline, ll_text_cstr(name), &first);
        memset(held + (first - low), true, behind - first);
    }
    for (uint32_t i = low; held && i < end; i++) {
        if (!held[i - low]) {
            note(report, &all[i], 0);
        }
    }
    return held && !name->failed && !path->failed ? LL_OK : LL_E_MEMORY;
}

ll_status ll_baseline_apply(ll_baseline *baseline, ll_report *report, const char *file)
{
    if (!baseline || !report || !report->rules || !file || baseline->unsorted) {
        return LL_E_ARGUMENT;
    }
    if (report->members.items && !report->summary.unchecked && judge_members(baseline, report) != LL_OK) {
        return LL_E_MEMORY;
    }
    uint32_t first = 0;
    const char *name = name_of(report, &report->scratch);
    uint32_t end = range_of(baseline, name, &first);
    if (report->scratch.failed) {
        return LL_E_MEMORY;
    }
    if (first == end) {
        return LL_OK;
    }
    name = baseline->entries.items[first].file; /* equal, but owned by the baseline */
    ll_status status = ll_report_identify_for_baseline(report);
    uint32_t *met = ll_arena_zalloc(&report->doc.arena, end - first, sizeof *met);
    status = met ? status : LL_E_MEMORY;
    for (uint32_t i = 0; i < report->entries.count && status == LL_OK; i++) {
        uint32_t at = may_hold(report, i) ? find(baseline, name, report->prints.for_baseline[i]) : LL_MAP_NONE;
        if (at != LL_MAP_NONE && met[at - first] < baseline->entries.items[at].count) {
            ll_mark mark = {LL_MARK_BASELINED, "", file, baseline->entries.items[at].line};
            met[at - first]++;
            status = ll_report_mark(report, i, &mark);
        }
    }
    for (uint32_t i = first; i < end && status == LL_OK; i++) {
        note(report, &baseline->entries.items[i], met[i - first]);
    }
    return status;
}

/* Adds a finding of a report whose baseline_prints exist. */
static ll_status take_entry(ll_baseline *baseline, ll_report *report, uint32_t index)
{
    ll_finding finding;
    const char *file = name_of(report, &baseline->scratch);
    ll_status status = baseline->scratch.failed ? LL_E_MEMORY : ll_finding_compose(report, index, &finding);
    entry e = {.file = file, .count = 1, .fingerprint = report->prints.for_baseline[index]};
    if (status == LL_OK) {
        e.rule = finding.id;
        e.path = finding.path;
        status = add(baseline, &e, false);
    }
    return status;
}

/* ------------------------------------------------------------------ moved files */

/* Hash of the file's bytes, never 0; 0: there are none. */
static uint64_t hash_of_content(const ll_report *report)
{
    if (report->doc.size == 0 || report->file.is_text || !report->doc.regions[0].bytes) {
        return 0;
    }
    uint64_t hash = ll_fnv(LL_FNV_START, report->doc.bytes, report->doc.size);
    return hash ? hash : 1;
}

/* Next content with that hash, from *at on; NULL: none. */
static content *next_equal(const ll_baseline *baseline, uint64_t hash, size_t *at)
{
    while (*at < baseline->contents.count) {
        content *c = &baseline->contents.items[(*at)++];
        if (c->hash == hash) {
            return c;
        }
    }
    return NULL;
}

ll_status ll_baseline_may_follow(ll_baseline *baseline, ll_report *report, bool *out)
{
    uint32_t first = 0;
    if (!baseline || !report || !report->rules || !out || baseline->unsorted) {
        return LL_E_ARGUMENT;
    }
    *out = false;
    if (baseline->contents.count == 0) {
        return LL_OK;
    }
    bool known = range_of(baseline, name_of(report, &report->scratch), &first) > first;
    *out = !known && !report->scratch.failed && next_equal(baseline, hash_of_content(report), &(size_t){0});
    return report->scratch.failed ? LL_E_MEMORY : LL_OK;
}

void ll_baseline_follow(ll_baseline *baseline, ll_report *report, bool (*gone)(void *ctx, const char *file), void *ctx)
{
    uint64_t hash = hash_of_content(report);
    size_t at = 0;
    content *c = next_equal(baseline, hash, &at);
    while (c && (c->asked || !gone(ctx, c->file))) { /* look for a file that is gone; the first one is taken */
        c->asked = true;
        c = next_equal(baseline, hash, &at);
    }
    if (c) {
        c->asked = c->moved = true;
        report->prints.moved_from = c->file;
    }
}

ll_status ll_baseline_take_moved(ll_baseline *to, const ll_baseline *from, ll_report *report)
{
    if (!to || !from || !report || !report->rules) {
        return LL_E_ARGUMENT;
    }
    const char *old = report->prints.moved_from;
    const uint64_t *old_prints = report->prints.for_baseline;
    if (!old) {
        return LL_OK;
    }
    report->prints.moved_from = NULL;
    report->prints.for_baseline = NULL;
    ll_status status = ll_report_identify_for_baseline(report);
    for (uint32_t i = 0; i < report->entries.count && status == LL_OK && old_prints; i++) {
        const ll_mark *mark = report->entries.items[i].mark;
        uint32_t at = mark && mark->kind == LL_MARK_BASELINED ? find(from, old, old_prints[i]) : LL_MAP_NONE;
        if (at != LL_MAP_NONE && atomic_load(&from->entries.items[at].judged)) {
            status = take_entry(to, report, i);
        }
    }
    return status;
}

ll_status ll_baseline_note(ll_baseline *baseline, const ll_report *report)
{
    if (!baseline || !report || !report->rules) {
        return LL_E_ARGUMENT;
    }
    const char *file = name_of(report, &baseline->scratch);
    return baseline->scratch.failed ? LL_E_MEMORY : add_content(baseline, file, hash_of_content(report), true);
}

ll_status ll_baseline_take(ll_baseline *baseline, ll_report *report, uint64_t *added)
{
    if (!report || !report->rules) {
        return LL_E_ARGUMENT;
    }
    ll_status status = ll_report_identify_for_baseline(report);
    for (uint32_t i = 0; i < report->entries.count && status == LL_OK; i++) {
        if (may_hold(report, i)) {
            status = baseline ? take_entry(baseline, report, i) : LL_OK;
            *(added ? added : &(uint64_t){0}) += status == LL_OK;
        }
    }
    return status;
}

/* ------------------------------------------------------------------ entries */

ll_status ll_baseline_put(ll_baseline *baseline, const ll_baseline_entry *given)
{
    uint64_t fingerprint = 0;
    if (!baseline || !given || !given->rule || !given->file || !given->path || !given->count ||
        !ll_read_hash(given->fingerprint, &fingerprint)) {
        return LL_E_ARGUMENT;
    }
    entry e = {.file = given->file, .rule = given->rule, .path = given->path, .count = given->count};
    e.fingerprint = fingerprint;
    uint64_t bytes = 0;
    if (given->content[0] && !ll_read_hash(given->content, &bytes)) {
        return LL_E_ARGUMENT;
    }
    ll_status status = add_content(baseline, given->file, bytes, false);
    return status == LL_OK ? add(baseline, &e, false) : status;
}

static bool is_of(const ll_baseline *baseline, const content *c, const char *file)
{
    return c < baseline->contents.items + baseline->contents.count && strcmp(c->file, file) == 0;
}

size_t ll_baseline_count(ll_baseline *baseline)
{
    if (!baseline) {
        return 0;
    }
    sort(baseline);
    return baseline->entries.count;
}

bool ll_baseline_at(ll_baseline *baseline, size_t index, ll_baseline_entry *out)
{
    if (index >= ll_baseline_count(baseline) || !out) {
        return false;
    }
    entry *e = &baseline->entries.items[index];
    *out = (ll_baseline_entry){.rule = e->rule,
                               .file = e->file,
                               .path = e->path,
                               .count = e->count,
                               .met = atomic_load(&e->met),
                               .judged = atomic_load(&e->judged),
                               .offset = e->offset,
                               .length = e->length,
                               .line = e->line};
    ll_hash_digits(e->fingerprint, out->fingerprint);
    for (const content *c = content_of(baseline, e->file); c && is_of(baseline, c, e->file); c++) {
        if (!out->content[0]) {
            ll_hash_digits(c->hash, out->content);
        }
        out->moved = out->moved || c->moved;
    }
    return true;
}

/* `c`: content of the entry's file; NULL: unknown, or written with an earlier entry. */
static void put_entry(ll_text *out, const entry *e, const content *c)
{
    ll_jsonw json = {out, false};
    ll_jsonw_begin(&json, '{');
    ll_jsonw_key(&json, "fingerprint");
    ll_jsonw_hash(&json, e->fingerprint);
    LL_JSON_STR(&json, "rule", e->rule);
    LL_JSON_STR(&json, "file", e->file);
    LL_JSON_STR(&json, "path", e->path);
    LL_JSON_U64(&json, "count", e->count);
    if (c) {
        ll_jsonw_key(&json, "content");
        ll_jsonw_hash(&json, c->hash);
    }
    ll_jsonw_end(&json, '}');
    ll_text_char(out, '\n');
}

ll_status ll_baseline_write(ll_baseline *baseline, ll_write_fn write, void *ctx)
{
    if (!baseline || !write) {
        return LL_E_ARGUMENT;
    }
    size_t count = ll_baseline_count(baseline);
    ll_status status = LL_OK;
    ll_text *out = &baseline->scratch;
    ll_text_clear(out);
    ll_text_str(out, "{\"type\":\"baseline\",\"schema\":1}\n");
    for (size_t i = 0; i < count && status == LL_OK; i++) {
        const entry *e = &baseline->entries.items[i];
        bool first = i == 0 || strcmp(e[-1].file, e->file) != 0;
        put_entry(out, e, first ? content_of(baseline, e->file) : NULL);
        status = ll_send_text(out, LL_SEND_AT, write, ctx);
    }
    return status == LL_OK ? ll_send_text(out, 0, write, ctx) : status;
}
