/* Lints arbitrary bytes with the shipped rules and checks what the public header promises of any report. Every family
 * has a target of its own, so that each fuzzer has its own seeds, dictionary and corpus; fuzz_lint_<f>.c has the file
 * names.
 *
 * The first byte selects: bits 0-2 file name and variant, bit 3 limits, bits 4-6 what is rendered, bit 7 also the
 * rules that are off by default. The rest is the file. */
#include "fuzz_lint.h"

enum { PATCHES_MAX = 512, PATCH_MAX = 64 };

/* ------------------------------------------------------------------ one finding */

static void check_string(const char *what, const char *text)
{
    FUZZ_CHECK(text, "%s is NULL", what);
    fuzz_check_text(what, text, strlen(text));
}

static void check_place(const char *what, uint64_t offset, uint64_t length, size_t size)
{
    FUZZ_CHECK(offset <= size && length <= size - offset, "%s at %llu, %llu bytes, of %zu", what,
               (unsigned long long)offset, (unsigned long long)length, size);
}

static void check_inner(const char *what, const ll_inner *inner)
{
    if (inner->region) {
        check_string(what, inner->region);
        check_place(what, inner->offset, inner->length, UINT32_MAX);
    }
}

static void check_patch(const ll_patch *patch, size_t size)
{
    if (patch->tier == LL_PATCH_NONE) {
        FUZZ_CHECK(patch->size == 0 && patch->removed == 0, "a patch without a tier");
        return;
    }
    FUZZ_CHECK(patch->tier == LL_PATCH_SAFE || patch->tier == LL_PATCH_UNSAFE, "tier %d", (int)patch->tier);
    FUZZ_CHECK((patch->bytes && patch->size) || patch->removed, "a patch without bytes");
    check_place("patch", patch->offset, patch->removed, size);
    uint64_t told = 0;
    for (size_t i = 0; i < patch->part_count; i++) {
        const ll_patch_part *part = &patch->parts[i];
        FUZZ_CHECK(part->length && part->length <= patch->size - told, "part %zu is too long", i);
        FUZZ_CHECK(!part->bytes || memcmp(part->bytes, patch->bytes + told, part->length) == 0, "part %zu", i);
        check_place("part of a patch", part->bytes ? 0 : part->from, part->bytes ? 0 : part->length, size);
        told += part->length;
    }
    FUZZ_CHECK(told == patch->size || !patch->part_count, "parts of %llu bytes", (unsigned long long)told);
}

static void check_finding(const ll_ruleset *rules, const ll_finding *f, size_t size)
{
    ll_rule_info info;
    FUZZ_CHECK(ll_ruleset_rule(rules, f->rule, &info), "rule %zu", f->rule);
    FUZZ_CHECK(f->severity == info.severity && f->severity >= LL_NOTE && f->severity <= LL_ERROR, "%s: severity %d",
               f->id, (int)f->severity);
    FUZZ_CHECK(strcmp(f->id, info.id) == 0 && strcmp(f->name, info.name) == 0, "%s is not rule %zu", f->id, f->rule);
    check_place(f->id, f->offset, f->length, size);
    check_inner(f->id, &f->inner);
    FUZZ_CHECK(!f->inner.region || f->patch.tier == LL_PATCH_NONE, "%s: a patch inside a region", f->id);
    check_string("title", f->title);
    check_string("path", f->path);
    check_string("record", f->record);
    check_string("type", f->type);
    check_string("value", f->value);
    check_string("found", f->found);
    check_string("expected", f->expected);
    check_string("message", f->message);
    check_string("hint", f->hint);
    check_string("fix", f->fix);
    FUZZ_CHECK(f->message[0] && f->fix[0], "%s says nothing", f->id);
    FUZZ_CHECK(strspn(f->fingerprint, "0123456789abcdef") == 16 && !f->fingerprint[16], "%s: fingerprint", f->id);
    for (size_t i = 0; i < f->related_count; i++) {
        check_place("related place", f->related[i].offset, f->related[i].length, size);
        check_inner("related place", &f->related[i].inner);
        check_string("path of a related place", f->related[i].path);
        check_string("text of a related place", f->related[i].text);
    }
    check_patch(&f->patch, size);
}

/* ------------------------------------------------------------------ one report */

static ll_finding finding_at(ll_report *report, size_t index)
{
    ll_finding f;
    FUZZ_CHECK(ll_report_finding(report, index, &f) == LL_OK, "finding %zu", index);
    return f;
}

/* Sorted by offset; at one offset first findings in the file, by rule, then findings in a region, by offset there,
 * then by rule. */
static bool is_in_order(const ll_finding *a, const ll_finding *b)
{
    if (a->offset != b->offset) {
        return a->offset < b->offset;
    }
    if (!a->inner.region != !b->inner.region) {
        return !a->inner.region;
    }
    if (a->inner.region && strcmp(a->inner.region, b->inner.region) != 0) {
        return true;
    }
    return a->inner.offset < b->inner.offset || (a->inner.offset == b->inner.offset && a->rule <= b->rule);
}

static int by_text(const void *a, const void *b)
{
    return memcmp(a, b, 16);
}

static void check_fingerprints(ll_report *report)
{
    size_t count = ll_report_finding_count(report);
    char(*all)[16] = malloc(count * sizeof *all + 1);
    FUZZ_CHECK(all, "no memory");
    for (size_t i = 0; i < count; i++) {
        ll_finding f = finding_at(report, i);
        memcpy(all[i], f.fingerprint, sizeof *all);
    }
    qsort(all, count, sizeof *all, by_text);
    for (size_t i = 1; i < count; i++) {
        FUZZ_CHECK(memcmp(all[i - 1], all[i], sizeof *all) != 0, "two findings %.16s", all[i]);
    }
    free(all);
}

/* size: of the user's file */
static void check_findings(const ll_ruleset *rules, ll_report *report, size_t size, bool limited)
{
    uint64_t kept[4] = {0};
    ll_finding last = {0};
    ll_summary sum;
    ll_report_summary(report, &sum);
    for (size_t i = 0; i < ll_report_finding_count(report); i++) {
        ll_finding f = finding_at(report, i);
        check_finding(rules, &f, size);
        bool behind_cause = i == 1 && last.hint[0]; /* the cause comes first, whatever its offset */
        FUZZ_CHECK(i == 0 || behind_cause || is_in_order(&last, &f), "finding %zu is out of order", i);
        kept[f.severity]++;
        last = f;
    }
    FUZZ_CHECK(kept[LL_ERROR] <= sum.errors && kept[LL_WARNING] <= sum.warnings && kept[LL_NOTE] <= sum.notes,
               "counts");
    FUZZ_CHECK(ll_report_finding_count(report) + sum.dropped == sum.errors + sum.warnings + sum.notes, "sum of counts");
    FUZZ_CHECK(limited || sum.dropped == 0, "dropped without a limit");
    check_fingerprints(report);
}

typedef struct tiling {
    const ll_report *report;
    uint64_t next, size; /* size of the tiled bytes */
    const char *region;
    size_t regions; /* number of regions so far, including the current one */
} tiling;

/* Starts the leaves of the next region. */
static void enter_region(tiling *t, const char *name)
{
    ll_region_info info;
    FUZZ_CHECK(t->next == t->size, "leaves end at %llu of %llu", (unsigned long long)t->next,
               (unsigned long long)t->size);
    FUZZ_CHECK(ll_report_region(t->report, t->regions++, &info) == LL_OK && strcmp(info.name, name) == 0, "region %s",
               name);
    check_string("region", name);
    volatile uint8_t last = 0; /* forces each byte to be read */
    for (uint64_t i = 0; i < info.size; i++) {
        last = info.bytes[i];
    }
    (void)last;
    *t = (tiling){t->report, 0, info.size, name, t->regions};
}

static bool tile(void *ctx, const ll_span_info *span)
{
    tiling *t = ctx;
    if (span->region != t->region) { /* all leaves of a region share the string */
        enter_region(t, span->region);
    }
    FUZZ_CHECK(span->offset == t->next && span->length, "leaf at %llu, expected at %llu",
               (unsigned long long)span->offset, (unsigned long long)t->next);
    check_string("path of a leaf", span->path);
    check_string("type of a leaf", span->type);
    if (span->value) {
        check_string("value of a leaf", span->value);
    }
    t->next += span->length;
    return true;
}

static void check_tiling(ll_report *report, size_t size)
{
    tiling t = {.report = report, .size = size};
    FUZZ_CHECK(ll_report_spans(report, tile, &t) == LL_OK, "spans");
    FUZZ_CHECK(t.next == t.size && t.regions == ll_report_region_count(report), "leaves end at %llu of %llu",
               (unsigned long long)t.next, (unsigned long long)t.size);
    const char *fault = fuzz_unread_fault(report);
    FUZZ_CHECK(!fault, "%s", fault);
}

/* ------------------------------------------------------------------ renderings */

static void render(const ll_ruleset *rules, ll_report *report, unsigned choice)
{
    static const char *const formats[] = {NULL, "sarif", "sarif-github", "full", "concise", "json"};
    enum { FORMATS = sizeof formats / sizeof formats[0] };
    fuzz_buffer out = {0};
    if (choice >= FORMATS || choice == 0) {
        const char *format = choice == FORMATS ? "json" : choice ? "text" : "stable";
        FUZZ_CHECK(ll_dump(report, format, NULL, fuzz_collect, &out) == LL_OK, "%s", format);
        if (choice == FORMATS) {
            fuzz_check_json("dump", &out, false);
        } else {
            fuzz_check_page("dump", &out, false);
        }
        fuzz_buffer_free(&out);
        out = (fuzz_buffer){0};
        FUZZ_CHECK(ll_dump(report, "space", NULL, fuzz_collect, &out) == LL_OK, "space");
        fuzz_check_json("space", &out, false);
    } else {
        fuzz_emit(rules, report, formats[choice], &out);
        if (choice == 3 || choice == 4) {
            fuzz_check_page(formats[choice], &out, false);
        } else {
            fuzz_check_json(formats[choice], &out, false);
        }
    }
    fuzz_buffer_free(&out);
}

/* ------------------------------------------------------------------ fixes */

typedef struct place {
    size_t rule;
    uint64_t offset;
} place;

/* The findings before the fixes, and the bytes that the fixes wrote. */
typedef struct mending {
    place *found;
    size_t found_count;
    place mended[PATCHES_MAX]; /* findings whose patch was applied */
    uint64_t start[PATCHES_MAX], end[PATCHES_MAX];
    size_t mended_count;
    bool broken; /* more was found than fixed; the reader may then take another way through what is still broken */
    uint8_t *bytes;
    size_t size;
} mending;

static bool has_place(const place *all, size_t count, const ll_finding *wanted)
{
    for (size_t i = 0; i < count; i++) {
        if (all[i].rule == wanted->rule && all[i].offset == wanted->offset) {
            return true;
        }
    }
    return false;
}

/* Applies all safe patches, except those that overlap an earlier one. */
static void apply_safe(ll_report *report, const uint8_t *bytes, size_t size, mending *m)
{
    uint64_t end = 0; /* end of the last patch; findings, and usually their patches, are sorted */
    m->found_count = ll_report_finding_count(report);
    m->found = malloc((m->found_count + 1) * sizeof *m->found);
    m->bytes = malloc(size + PATCH_MAX);
    FUZZ_CHECK(m->found && m->bytes, "no memory");
    memcpy(m->bytes, bytes, size);
    m->size = size;
    for (size_t i = 0; i < m->found_count; i++) {
        ll_finding f = finding_at(report, i);
        m->found[i] = (place){f.rule, f.offset};
        bool moves = f.patch.removed != f.patch.size && f.patch.offset + f.patch.removed != size;
        bool fits = f.patch.offset >= end && f.patch.size <= PATCH_MAX && m->mended_count < PATCHES_MAX && !moves;
        if (f.patch.tier != LL_PATCH_SAFE || !fits) {
            m->broken = m->broken || f.severity >= LL_WARNING;
            continue;
        }
        if (f.patch.size) { /* a patch that cuts off the end has no bytes */
            memcpy(m->bytes + f.patch.offset, f.patch.bytes, f.patch.size);
        }
        end = f.patch.offset + f.patch.size;
        m->size = f.patch.removed != f.patch.size || end > m->size ? (size_t)end : m->size;
        m->mended[m->mended_count] = m->found[i];
        m->start[m->mended_count] = f.patch.offset;
        m->end[m->mended_count++] = end;
    }
}

static bool was_written(const mending *m, const ll_finding *f)
{
    for (size_t i = 0; i < m->mended_count; i++) {
        if (f->offset >= m->start[i] && f->offset < m->end[i]) {
            return true;
        }
    }
    return false;
}

/* Fixed findings are gone; written bytes have no new findings above notes; and there is no new error anywhere if all
 * findings could be fixed. Three exceptions are not the fault of a fix: zeroing a line feed may leave only CR LF
 * pairs, so that a damaged file looks converted; a corrected hash may equal that of another entry; and the place of
 * an archive entry is checked only once the MD5 of its path is right. */
static void check_after(const mending *m, const ll_finding *f)
{
    bool is_asked_late = strcmp(f->name, "transport") == 0 || strcmp(f->name, "fpkd-grouping") == 0;
    bool is_new = !is_asked_late && !has_place(m->found, m->found_count, f);
    FUZZ_CHECK(!has_place(m->mended, m->mended_count, f), "fixed, but still there: %s", f->message);
    FUZZ_CHECK(m->broken || !is_new || f->severity != LL_ERROR, "new after the safe fixes: %s", f->message);
    FUZZ_CHECK(m->broken || !is_new || f->severity == LL_NOTE || f->related_count || !was_written(m, f),
               "made by a safe fix: %s", f->message);
}

static void check_fixes(const ll_ruleset *rules, ll_report *report, const uint8_t *bytes, size_t size,
                        const ll_lint_options *options)
{
    mending m = {.mended_count = 0};
    apply_safe(report, bytes, size, &m);
    if (m.mended_count) {
        ll_report *after = NULL;
        ll_lint_options unlimited = {.size = sizeof unlimited, .name = options->name, .variant = options->variant};
        FUZZ_CHECK(ll_report_create(NULL, &after) == LL_OK, "report");
        FUZZ_CHECK(ll_lint(rules, m.bytes, m.size, &unlimited, after) == LL_OK, "lint of the fixed file");
        for (size_t i = 0; i < ll_report_finding_count(after); i++) {
            ll_finding f = finding_at(after, i);
            check_after(&m, &f);
        }
        ll_report_free(after);
    }
    free(m.found);
    free(m.bytes);
}

/* ------------------------------------------------------------------ members */

/* Each member is inside the archive, and its findings are inside the member. */
static void check_members(const ll_ruleset *rules, ll_report *archive, uint8_t choice, size_t size,
                          const ll_lint_options *options)
{
    ll_lint_options own = *options;
    ll_report *report = NULL;
    own.name = NULL;
    FUZZ_CHECK(ll_report_create(NULL, &report) == LL_OK, "report");
    for (size_t i = 0; i < ll_report_member_count(archive); i++) {
        ll_member_info member;
        FUZZ_CHECK(ll_report_member(archive, i, &member) == LL_OK, "member %zu", i);
        check_place("member", member.offset, member.length, size);
        FUZZ_CHECK(ll_lint_member(rules, archive, i, &own, report) == LL_OK, "lint of member %zu", i);
        FUZZ_CHECK(ll_report_size(report) == member.length && member.length, "size of member %zu", i);
        check_findings(rules, report, size, own.max_per_rule > 0);
        for (size_t k = 0; k < ll_report_finding_count(report); k++) {
            ll_finding f = finding_at(report, k);
            check_place(f.id, f.offset - member.offset, f.length, (size_t)member.length);
            FUZZ_CHECK(f.inner.member && (f.inner.region || f.inner.offset == f.offset - member.offset), "inner of %s",
                       f.id);
        }
        check_tiling(report, (size_t)member.length);
        render(rules, report, choice >> 4 & 7);
    }
    ll_report_free(report);
}

/* ------------------------------------------------------------------ comparison with a changed file */

static bool count_difference(void *ctx, const ll_difference *difference)
{
    FUZZ_CHECK(difference->path && difference->type && (difference->is_before || difference->is_after), "difference");
    ++*(size_t *)ctx;
    return true;
}

static size_t differences(ll_report *before, ll_report *after)
{
    size_t count = 0;
    FUZZ_CHECK(ll_diff(before, after, count_difference, &count) == LL_OK, "diff");
    return count;
}

/* Removes, inserts or changes bytes, depending on the input. Files with the same bytes do not differ, and others do,
 * in both directions. */
static void check_diff(const ll_ruleset *rules, ll_report *report, const uint8_t *bytes, size_t size,
                       const ll_lint_options *options)
{
    ll_report *other = NULL;
    uint8_t *made = malloc(size + 64);
    size_t word = size < 4 ? 0 : (size_t)bytes[size - 1] << 8 | bytes[size - 2];
    size_t at = size ? word * 4 % size : 0;
    size_t cut = size ? bytes[size / 2] % 96 : 0;
    FUZZ_CHECK(made && ll_report_create(NULL, &other) == LL_OK, "report");
    cut = cut < size - at ? cut : size - at;
    size_t put = word % 3 == 0 ? 0 : word % 3 == 1 ? cut % 64 : cut;
    put = put > cut + 64 ? cut + 64 : put;
    memcpy(made, bytes, at);
    memset(made + at, (int)word, put);
    memcpy(made + at + put, bytes + at + cut, size - at - cut);
    size_t made_size = size - cut + put;
    FUZZ_CHECK(ll_lint(rules, made, made_size, options, other) == LL_OK, "lint of another");
    bool same = made_size == size && memcmp(made, bytes, size) == 0;
    size_t one = differences(report, other);
    size_t back = differences(other, report);
    bool members = ll_report_member_count(report) && ll_report_member_count(other); /* compared separately */
    FUZZ_CHECK(members || ((one == 0) == same && (back == 0) == same), "%zu and %zu differences", one, back);
    FUZZ_CHECK(differences(report, report) == 0, "a file differs from itself");
    ll_report_free(other);
    free(made);
}

/* ------------------------------------------------------------------ the target */

static void lint_and_check(uint8_t choice, const uint8_t *bytes, size_t size)
{
    const ll_ruleset *rules = fuzz_rules(choice >> 7);
    bool limited = choice >> 3 & 1;
    ll_lint_options options = {.size = sizeof options,
                               .name = fuzz_names[choice & 7],
                               .variant = fuzz_variants[choice & 7],
                               .max_per_rule = limited ? 2 : 0,
                               .max_per_file = limited ? 9 : 0};
    ll_report *report = NULL;
    ll_report *again = NULL;
    fuzz_buffer first = {0};
    fuzz_buffer second = {0};
    FUZZ_CHECK(ll_report_create(NULL, &report) == LL_OK && ll_report_create(NULL, &again) == LL_OK, "reports");
    FUZZ_CHECK(ll_lint(rules, bytes, size, &options, report) == LL_OK, "lint");
    FUZZ_CHECK(ll_report_size(report) == size, "size %llu", (unsigned long long)ll_report_size(report));
    check_findings(rules, report, size, limited);
    check_tiling(report, size);
    check_members(rules, report, choice, size, &options);
    fuzz_emit(rules, report, "jsonl", &first);
    fuzz_check_json("jsonl", &first, true);
    FUZZ_CHECK(ll_lint(rules, "FGxL", 4, NULL, again) == LL_OK,
               "another file"); /* earlier contents of a report must not matter */
    FUZZ_CHECK(ll_lint(rules, bytes, size, &options, again) == LL_OK, "lint again");
    fuzz_emit(rules, again, "jsonl", &second);
    FUZZ_CHECK(first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0, "two runs differ");
    render(rules, report, choice >> 4 & 7);
    if ((choice >> 4 & 7) == 0 && size <= UINT16_MAX) {
        check_diff(rules, report, bytes, size, &options);
    }
    if (!limited) {
        check_fixes(rules, report, bytes, size, &options);
    }
    fuzz_buffer_free(&first);
    fuzz_buffer_free(&second);
    ll_report_free(report);
    ll_report_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size) {
        lint_and_check(data[0], data + 1, size - 1);
    }
    return 0;
}
