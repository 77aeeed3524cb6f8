/* Baselines: findings that were there before, which do not count. Decides what a baseline file says, what goes into
 * one, and which findings of a report it holds; reads and writes bytes only. A file may have been put together by a
 * merge: order means nothing, lines may be doubled. */
#include "report/json_read.h"
#include "report/jsonw.h"
#include "report/report.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { SCHEMA = 1, BLOCK = 64 * 1024, ENTRIES_MAX = 1 << 28 };

typedef struct entry {
    const char *file, *rule, *path; /* arena */
    uint64_t fingerprint, count;
    uint64_t offset, length; /* of its line */
    unsigned line;
    atomic_bool judged;
    atomic_ullong met;
} entry;

/* Where the entry of a fingerprint is. */
typedef struct place {
    uint64_t fingerprint;
    uint32_t entry;
} place;

struct ll_baseline {
    ll_arena arena; /* texts */
    ll_allocator allocator;
    ll_text scratch;
    entry *entries; /* sorted up to `settled` */
    uint32_t count, capacity, settled;
    place *places; /* of the settled entries, sorted */
    uint32_t place_capacity;
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

static void give_back(const ll_baseline *baseline, void *block)
{
    if (block) {
        baseline->allocator.release(baseline->allocator.ctx, block);
    }
}

void ll_baseline_free(ll_baseline *baseline)
{
    if (baseline) {
        ll_allocator a = baseline->allocator;
        give_back(baseline, baseline->entries);
        give_back(baseline, baseline->places);
        ll_arena_free(&baseline->arena);
        ll_text_free(&baseline->scratch);
        a.release(a.ctx, baseline);
    }
}

/* Room for one entry more; NULL when memory ran out. */
static entry *add_room(ll_baseline *baseline)
{
    if (baseline->count == baseline->capacity) {
        uint32_t capacity = baseline->capacity ? baseline->capacity * 2 : 64;
        entry *entries = capacity <= ENTRIES_MAX
                             ? baseline->allocator.alloc(baseline->allocator.ctx, capacity * sizeof *entries)
                             : NULL;
        if (!entries) {
            return NULL;
        }
        if (baseline->count) {
            memcpy(entries, baseline->entries, baseline->count * sizeof *entries);
        }
        give_back(baseline, baseline->entries);
        baseline->entries = entries;
        baseline->capacity = capacity;
    }
    return &baseline->entries[baseline->count];
}

/* The text in the arena; that of the entry before, where it is the same: whole runs of entries share file and rule. */
static const char *keep(ll_baseline *baseline, const char *text, const char *before)
{
    return before && strcmp(before, text) == 0 ? before : ll_arena_copy(&baseline->arena, text, strlen(text));
}

static ll_status add(ll_baseline *baseline, const entry *given)
{
    entry *e = add_room(baseline);
    const entry *last = baseline->count ? &baseline->entries[baseline->count - 1] : NULL;
    if (!e) {
        return LL_E_MEMORY;
    }
    *e = *given;
    e->file = keep(baseline, given->file, last ? last->file : NULL);
    e->rule = keep(baseline, given->rule, last ? last->rule : NULL);
    e->path = keep(baseline, given->path, NULL);
    if (!e->file || !e->rule || !e->path) {
        return LL_E_MEMORY;
    }
    baseline->count++;
    return LL_OK;
}

/* ------------------------------------------------------------------ order */

/* Files apart, fingerprints together: what is one entry lies side by side. */
static int by_fingerprint(const void *a, const void *b)
{
    const entry *one = a;
    const entry *two = b;
    int order = strcmp(one->file, two->file);
    order = order ? order : (one->fingerprint > two->fingerprint) - (one->fingerprint < two->fingerprint);
    order = order ? order : strcmp(one->rule, two->rule);
    order = order ? order : strcmp(one->path, two->path);
    return order ? order : (one->line > two->line) - (one->line < two->line);
}

static int by_place(const void *a, const void *b)
{
    const entry *one = a;
    const entry *two = b;
    int order = strcmp(one->file, two->file);
    order = order ? order : strcmp(one->rule, two->rule);
    order = order ? order : strcmp(one->path, two->path);
    return order ? order : (one->fingerprint > two->fingerprint) - (one->fingerprint < two->fingerprint);
}

static int compare_places(const void *a, const void *b)
{
    const place *one = a;
    const place *two = b;
    if (one->fingerprint != two->fingerprint) {
        return one->fingerprint < two->fingerprint ? -1 : 1;
    }
    return (one->entry > two->entry) - (one->entry < two->entry);
}

static uint64_t sum_counts(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Sorts, and makes one entry of those with one file and fingerprint: of lines that were read the highest count holds,
 * findings add up. */
static ll_status settle(ll_baseline *baseline, bool highest)
{
    uint32_t kept = 0;
    if (baseline->settled == baseline->count) {
        return LL_OK;
    }
    if (baseline->place_capacity < baseline->count) {
        place *places = baseline->allocator.alloc(baseline->allocator.ctx, baseline->count * sizeof *places);
        if (!places) {
            return LL_E_MEMORY;
        }
        give_back(baseline, baseline->places);
        baseline->places = places;
        baseline->place_capacity = baseline->count;
    }
    qsort(baseline->entries, baseline->count, sizeof *baseline->entries, by_fingerprint);
    for (uint32_t i = 0; i < baseline->count; i++) {
        const entry *e = &baseline->entries[i];
        entry *last = kept ? &baseline->entries[kept - 1] : NULL;
        if (!last || last->fingerprint != e->fingerprint || strcmp(last->file, e->file) != 0) {
            baseline->entries[kept++] = *e;
        } else if (!highest) {
            last->count = sum_counts(last->count, e->count);
        } else if (e->count > last->count) {
            last->count = e->count;
        }
    }
    baseline->count = baseline->settled = kept;
    qsort(baseline->entries, kept, sizeof *baseline->entries, by_place);
    for (uint32_t i = 0; i < kept; i++) {
        baseline->places[i] = (place){baseline->entries[i].fingerprint, i};
    }
    qsort(baseline->places, kept, sizeof *baseline->places, compare_places);
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
        return LL_REFUSE(
            problem,
            "this is another form of baseline than schema 1, which this version knows; use the version that made it");
    }
    return status;
}

static ll_status read_entry(const ll_jsonr *json, entry *out, ll_problem *problem)
{
    ll_status status = ll_jsonr_hash(json, "fingerprint", &out->fingerprint, problem);
    status = status == LL_OK ? ll_jsonr_text(json, "rule", &out->rule, problem) : status;
    status = status == LL_OK ? ll_jsonr_text(json, "file", &out->file, problem) : status;
    status = status == LL_OK ? ll_jsonr_text(json, "path", &out->path, problem) : status;
    status = status == LL_OK ? ll_jsonr_u64(json, "count", &out->count, problem) : status;
    if (status == LL_OK && (!out->count || !out->file[0] || !out->rule[0])) {
        return LL_REFUSE(problem, "an entry has a rule, a file, and a count from 1 on");
    }
    return status;
}

/* What Git leaves where it could not merge. */
static bool is_conflict(const char *line, size_t size)
{
    static const char *const marks[] = {"<<<<<<<", "|||||||", "=======", ">>>>>>>"};
    bool any = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        any = any || (size >= strlen(marks[i]) && memcmp(line, marks[i], strlen(marks[i])) == 0);
    }
    return any;
}

static ll_status read_line(ll_baseline *baseline, const char *line, entry *e, bool *header, ll_problem *problem)
{
    ll_jsonr json = {NULL};
    const char *type = NULL;
    if (is_conflict(line, (size_t)e->length)) {
        return LL_REFUSE(problem,
                         "a mark of a merge that was not finished; keep the lines of both sides, without the marks");
    }
    ll_status status = ll_jsonr_open(&json, line, (size_t)e->length, problem);
    if (status == LL_OK && ll_jsonr_has(&json, "type")) {
        status = ll_jsonr_text(&json, "type", &type, problem);
        status = status == LL_OK ? read_header(&json, type, problem) : status;
        *header = *header || status == LL_OK;
    } else if (status == LL_OK) {
        status = read_entry(&json, e, problem);
        status = status == LL_OK ? add(baseline, e) : status;
    }
    ll_jsonr_close(&json);
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
    if (!baseline || (!bytes && size) || baseline->count) {
        return LL_E_ARGUMENT;
    }
    unsigned line = 0;
    for (size_t at = ll_bom_length(text, size); at < size && status == LL_OK;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end ? (size_t)(end - (text + at)) : size - at;
        entry e = {.offset = at, .length = n, .line = ++line};
        (void)ll_problem_at(problem, line, 0);
        status = is_blank(text + at, n) ? LL_OK : read_line(baseline, text + at, &e, &header, problem);
        at += n + (end != NULL);
    }
    if (status == LL_OK && !header) {
        (void)ll_problem_at(problem, 1, 0);
        status = LL_REFUSE(problem, "no baseline: there is no line {\"type\":\"baseline\",\"schema\":1}");
    }
    status = status == LL_OK ? settle(baseline, true) : status;
    if (status != LL_OK) {
        baseline->count = baseline->settled = 0;
    }
    return status;
}

/* ------------------------------------------------------------------ reports */

/* The name of a report's file as a baseline has it: what JSON makes of it. */
static const char *name_of(const ll_report *report, ll_text *out)
{
    const char *name = ll_plain_name(report->baseline_identity);
    size_t n = strlen(name);
    ll_text_clear(out);
    for (size_t at = 0; at < n;) {
        size_t length = ll_utf8_length((const uint8_t *)name + at, n - at);
        if (length) {
            ll_text_put(out, name + at, length);
        } else {
            ll_text_str(out, "\\x");
            ll_text_hex(out, (unsigned char)name[at], 2);
        }
        at += length ? length : 1;
    }
    return ll_text_cstr(out);
}

/* Whether a finding can be in a baseline: not what says that a file was not checked, and nothing about files of our
 * own. */
static bool may_hold(const ll_report *report, uint32_t index)
{
    const ll_entry *e = &report->entries[index];
    return !e->mark && !report->is_text && !report->rules->rules[e->rule].rule->locked;
}

/* The entries of a file: [*first, return value). */
static uint32_t range_of(const ll_baseline *baseline, const char *file, uint32_t *first)
{
    uint32_t bounds[2];
    for (unsigned upper = 0; upper < 2; upper++) {
        uint32_t low = 0;
        uint32_t high = baseline->count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            int order = strcmp(baseline->entries[middle].file, file);
            if (order < 0 || (upper && order == 0)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        bounds[upper] = low;
    }
    *first = bounds[0];
    return bounds[1];
}

/* The entry of a fingerprint among [first, end), or `end`. */
static uint32_t find(const ll_baseline *baseline, uint64_t fingerprint, uint32_t first, uint32_t end)
{
    uint32_t low = 0;
    uint32_t high = baseline->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const place *p = &baseline->places[middle];
        if (p->fingerprint < fingerprint || (p->fingerprint == fingerprint && p->entry < first)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool there = low < baseline->count && baseline->places[low].fingerprint == fingerprint;
    return there && baseline->places[low].entry < end ? baseline->places[low].entry : end;
}

/* False when the rule is switched off: then that it was not met says nothing. A rule that there is no more is not off.
 */
static bool rule_runs(const ll_ruleset *rules, const char *id)
{
    size_t low = 0;
    size_t high = rules->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(rules->rules[middle].rule->id, id);
        if (order == 0) {
            return rules->rules[middle].severity != LL_SEVERITY_OFF;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return true;
}

/* What an entry has met is a maximum, so that it does not matter who comes first. */
static void note(const ll_report *report, entry *e, uint64_t met)
{
    unsigned long long seen = atomic_load(&e->met);
    while (seen < met && !atomic_compare_exchange_weak(&e->met, &seen, met)) {
    }
    if (!report->summary.unchecked && rule_runs(report->rules, e->rule)) {
        atomic_store(&e->judged, true);
    }
}

ll_status ll_baseline_apply(ll_baseline *baseline, ll_report *report, const char *file)
{
    if (!baseline || !report || !report->rules || !file || baseline->settled != baseline->count) {
        return LL_E_ARGUMENT;
    }
    uint32_t first = 0;
    uint32_t end = range_of(baseline, name_of(report, &report->scratch), &first);
    if (report->scratch.failed) {
        return LL_E_MEMORY;
    }
    if (first == end) {
        return LL_OK;
    }
    ll_status status = ll_report_identify_for_baseline(report);
    uint32_t *met = ll_arena_zalloc(&report->doc.arena, end - first, sizeof *met);
    status = met ? status : LL_E_MEMORY;
    for (uint32_t i = 0; i < report->entry_count && status == LL_OK; i++) {
        uint32_t at = may_hold(report, i) ? find(baseline, report->baseline_prints[i], first, end) : end;
        if (at < end && met[at - first] < baseline->entries[at].count) {
            ll_mark mark = {LL_MARK_BASELINED, "", file, baseline->entries[at].line};
            met[at - first]++;
            status = ll_report_mark(report, i, &mark);
        }
    }
    for (uint32_t i = first; i < end && status == LL_OK; i++) {
        note(report, &baseline->entries[i], met[i - first]);
    }
    return status;
}

ll_status ll_baseline_take(ll_baseline *baseline, ll_report *report, uint64_t *added)
{
    if (!report || !report->rules) {
        return LL_E_ARGUMENT;
    }
    ll_status status = ll_report_identify_for_baseline(report);
    const char *file = baseline ? name_of(report, &baseline->scratch) : "";
    status = baseline && baseline->scratch.failed ? LL_E_MEMORY : status;
    for (uint32_t i = 0; i < report->entry_count && status == LL_OK; i++) {
        if (!may_hold(report, i)) {
            continue;
        }
        if (baseline) {
            ll_finding finding;
            status = ll_finding_compose(report, i, &finding);
            entry e = {.file = file,
                       .rule = finding.id,
                       .path = finding.path,
                       .count = 1,
                       .fingerprint = report->baseline_prints[i]};
            status = status == LL_OK ? add(baseline, &e) : status;
        }
        *(added ? added : &(uint64_t){0}) += status == LL_OK;
    }
    return status;
}

/* ------------------------------------------------------------------ entries */

static bool read_fingerprint(const char digits[17], uint64_t *out)
{
    uint64_t value = 0;
    if (digits[16] || strspn(digits, "0123456789abcdef") != 16) {
        return false;
    }
    for (const char *p = digits; *p; p++) {
        value = value << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
    }
    *out = value;
    return true;
}

ll_status ll_baseline_put(ll_baseline *baseline, const ll_baseline_entry *given)
{
    entry e = {.count = 0};
    if (!baseline || !given || !given->rule || !given->file || !given->path || !given->count ||
        !read_fingerprint(given->fingerprint, &e.fingerprint)) {
        return LL_E_ARGUMENT;
    }
    e.file = given->file;
    e.rule = given->rule;
    e.path = given->path;
    e.count = given->count;
    return add(baseline, &e);
}

size_t ll_baseline_count(ll_baseline *baseline)
{
    return baseline && settle(baseline, false) == LL_OK ? baseline->count : 0;
}

static void write_fingerprint(uint64_t value, char out[17])
{
    for (unsigned i = 0; i < 16; i++) {
        out[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    }
    out[16] = '\0';
}

bool ll_baseline_at(ll_baseline *baseline, size_t index, ll_baseline_entry *out)
{
    if (index >= ll_baseline_count(baseline) || !out) {
        return false;
    }
    entry *e = &baseline->entries[index];
    *out = (ll_baseline_entry){.rule = e->rule,
                               .file = e->file,
                               .path = e->path,
                               .count = e->count,
                               .met = atomic_load(&e->met),
                               .judged = atomic_load(&e->judged),
                               .offset = e->offset,
                               .length = e->length,
                               .line = e->line};
    write_fingerprint(e->fingerprint, out->fingerprint);
    return true;
}

static void put_entry(ll_text *out, const entry *e)
{
    char fingerprint[17];
    ll_jsonw json = {out, false};
    write_fingerprint(e->fingerprint, fingerprint);
    ll_jsonw_begin(&json, '{');
    ll_jsonw_key(&json, "fingerprint");
    ll_jsonw_plain(&json, fingerprint);
    ll_jsonw_key(&json, "rule");
    ll_jsonw_str(&json, e->rule);
    ll_jsonw_key(&json, "file");
    ll_jsonw_str(&json, e->file);
    ll_jsonw_key(&json, "path");
    ll_jsonw_str(&json, e->path);
    ll_jsonw_key(&json, "count");
    ll_jsonw_u64(&json, e->count);
    ll_jsonw_end(&json, '}');
    ll_text_char(out, '\n');
}

ll_status ll_baseline_write(ll_baseline *baseline, ll_write_fn write, void *ctx)
{
    if (!baseline || !write) {
        return LL_E_ARGUMENT;
    }
    ll_status status = settle(baseline, false);
    ll_text *out = &baseline->scratch;
    ll_text_clear(out);
    ll_text_str(out, "{\"type\":\"baseline\",\"schema\":1}\n");
    for (uint32_t i = 0; i <= baseline->count && status == LL_OK; i++) {
        if (i < baseline->count) {
            put_entry(out, &baseline->entries[i]);
        }
        if (out->failed) {
            status = LL_E_MEMORY;
        } else if (out->length >= BLOCK || i == baseline->count) {
            status = write(ctx, out->data, out->length) ? LL_OK : LL_E_WRITE;
            ll_text_clear(out);
        }
    }
    return status;
}
