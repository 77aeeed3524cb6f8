/* Applies the patches of an arbitrary file. There is no new finding; the result equals the file with the patches
 * applied; fixing it again changes nothing; undoing the journal restores the file; and the output is sound.
 *
 * Byte 0: bit 0 unsafe patches, bit 1 every second patch is declined, bit 2 all rules judge. Byte 1: length of the
 * name (0: none), which follows; then the file. */
#include "fuzz.h"

enum { FINDINGS_MAX = 400 }; /* more are not compared */

typedef struct run {
    ll_fix *fix, *again;
    ll_report *before, *after;
    ll_lint_options lint;
    ll_fix_options options;
} run;

/* ------------------------------------------------------------------ findings */

/* How a finding before is matched with one after: by place, by path, or by path without numbers, because removing a
 * record renumbers those after it. */
typedef enum likeness { BY_PLACE, BY_PATH, BY_NAMES, LIKENESSES } likeness;

static const char *behind_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

static bool has_names(const char *a, const char *b)
{
    for (a = behind_digits(a), b = behind_digits(b); *a && *a == *b;) {
        a = behind_digits(a + 1);
        b = behind_digits(b + 1);
    }
    return *a == *b;
}

static bool is_same(const ll_finding *a, const ll_finding *b, likeness by)
{
    bool place = a->offset == b->offset && a->inner.offset == b->inner.offset && !a->inner.region == !b->inner.region;
    return a->rule == b->rule && (by == BY_PLACE  ? place
                                  : by == BY_PATH ? strcmp(a->path, b->path) == 0
                                                  : has_names(a->path, b->path));
}

/* Is a more severe finding gone from that place, to which this one may have yielded? */
static bool was_hidden(const ll_finding *before, const bool *met, size_t count, const ll_finding *after)
{
    bool hidden = false;
    for (size_t i = 0; i < count && !hidden; i++) {
        hidden = !met[i] && before[i].severity > after->severity &&
                 (before[i].offset == after->offset || strcmp(before[i].path, after->path) == 0);
    }
    return hidden;
}

/* Every finding after matches a different one before, or was hidden by a more severe one. */
static void check_findings(const run *r)
{
    static ll_finding before[FINDINGS_MAX];
    static ll_finding after[FINDINGS_MAX];
    static bool met[2][FINDINGS_MAX];
    size_t old = ll_report_finding_count(r->before);
    size_t new = ll_report_finding_count(r->after);
    if (old > FINDINGS_MAX || new > FINDINGS_MAX) {
        return;
    }
    memset(met, 0, sizeof met);
    for (size_t i = 0; i < old; i++) {
        FUZZ_CHECK(ll_report_finding(r->before, i, &before[i]) == LL_OK, "finding");
    }
    for (size_t i = 0; i < new; i++) {
        FUZZ_CHECK(ll_report_finding(r->after, i, &after[i]) == LL_OK, "finding");
    }
    for (likeness by = BY_PLACE; by < LIKENESSES; by++) {
        for (size_t i = 0; i < new; i++) {
            for (size_t k = 0; k < old && !met[1][i]; k++) {
                met[1][i] = !met[0][k] && is_same(&before[k], &after[i], by);
                met[0][k] = met[0][k] || met[1][i];
            }
        }
    }
    for (size_t i = 0; i < new; i++) {
        FUZZ_CHECK(met[1][i] || was_hidden(before, met[0], old, &after[i]), "new finding %s at %s", after[i].id,
                   after[i].path);
    }
}

/* ------------------------------------------------------------------ bytes */

/* Checks that the result equals the file with the applied steps. */
static void check_bytes(const ll_fix *fix, const uint8_t *bytes, size_t size)
{
    const void *result = NULL;
    size_t result_size = 0;
    size_t applied = ll_fix_result(fix, &result, &result_size);
    uint64_t room = size;
    ll_fix_step step;
    for (size_t i = 0; i < applied; i++) {
        FUZZ_CHECK(ll_fix_at(fix, i, &step) && step.outcome == LL_FIX_APPLIED, "step %zu", i);
        room += step.patch.size;
    }
    uint8_t *made = malloc((size_t)room + 1);
    FUZZ_CHECK(made, "no memory");
    memcpy(made, size ? bytes : (const uint8_t *)"", size);
    for (size_t i = 0; i < applied; i++) {
        (void)ll_fix_at(fix, i, &step);
        const ll_patch *p = &step.patch;
        FUZZ_CHECK(p->offset <= size && p->removed <= size - p->offset, "step %zu lies outside", i);
        uint8_t *at = made + p->offset;
        FUZZ_CHECK(memcmp(at, step.was, (size_t)p->removed) == 0, "step %zu replaces other bytes", i);
        memmove(at + p->size, at + p->removed, size - (size_t)(p->offset + p->removed));
        memcpy(at, p->bytes, p->size);
        size = size - (size_t)p->removed + p->size;
    }
    FUZZ_CHECK(size == result_size && memcmp(made, result, size) == 0, "other bytes than those of the patches");
    free(made);
}

static void check_undo(ll_fix *fix, const uint8_t *bytes, size_t size)
{
    fuzz_buffer lines = {0};
    ll_journal *journal = NULL;
    ll_problem problem = {.text = ""};
    ll_undone undone;
    const void *result = NULL;
    size_t result_size = 0;
    if (!ll_fix_result(fix, &result, &result_size)) {
        return;
    }
    ll_fix_place place = {"it", bytes, result, size, result_size, 0};
    FUZZ_CHECK(ll_fix_note(fix, &place, fuzz_collect, &lines) == LL_OK, "journal");
    FUZZ_CHECK(ll_journal_create(NULL, lines.bytes, lines.size, &journal, &problem) == LL_OK, "%s", problem.text);
    FUZZ_CHECK(ll_journal_undo(journal, 0, result, result_size, &undone) == LL_OK, "undo");
    FUZZ_CHECK(undone.outcome == LL_UNDO_DONE && undone.size == size && memcmp(undone.bytes, bytes, size) == 0,
               "undo does not restore the file");
    FUZZ_CHECK(ll_journal_undo(journal, 0, bytes, size, &undone) == LL_OK, "undo");
    FUZZ_CHECK(undone.outcome == LL_UNDO_NOTHING, "undone twice");
    ll_journal_free(journal);
    fuzz_buffer_free(&lines);
}

static void check_prints(ll_fix *fix)
{
    for (const char *const *format = ll_fix_formats(); *format; format++) {
        fuzz_buffer out = {0};
        FUZZ_CHECK(ll_fix_print(fix, *format, false, fuzz_collect, &out) == LL_OK, "%s", *format);
        if (out.size && strcmp(*format, "jsonl") == 0) {
            fuzz_check_json("jsonl", &out, true);
        } else {
            fuzz_check_page(*format, &out, false);
        }
        fuzz_buffer_free(&out);
    }
}

/* ------------------------------------------------------------------ one file */

static bool every_second(void *ctx, const ll_finding *finding)
{
    (void)ctx;
    return (finding->patch.offset ^ finding->rule) & 1;
}

static void fix_all(const run *r, const uint8_t *bytes, size_t size)
{
    const ll_ruleset *rules = fuzz_rules(false);
    const void *result = NULL;
    size_t result_size = 0;
    FUZZ_CHECK(ll_lint(rules, bytes, size, &r->lint, r->before) == LL_OK, "lint");
    FUZZ_CHECK(ll_fix_run(r->fix, rules, bytes, size, &r->lint, &r->options) == LL_OK, "fix");
    size_t applied = ll_fix_result(r->fix, &result, &result_size);
    FUZZ_CHECK(ll_lint(rules, result, result_size, &r->lint, r->after) == LL_OK, "lint");
    FUZZ_CHECK(applied || (result == bytes && result_size == size), "other bytes without a patch");
    const char *fault = fuzz_unread_fault(r->after);
    FUZZ_CHECK(!fault, "%s", fault);
    check_findings(r);
    check_bytes(r->fix, bytes, size);
    check_undo(r->fix, bytes, size);
    check_prints(r->fix);
    bool limited = false;
    ll_fix_step step;
    for (size_t i = applied; ll_fix_at(r->fix, i, &step); i++) {
        FUZZ_CHECK(step.outcome != LL_FIX_APPLIED, "step %zu", i);
        limited = limited || step.outcome == LL_FIX_UNTRIED;
    }
    FUZZ_CHECK(ll_fix_run(r->again, rules, result, result_size, &r->lint, &r->options) == LL_OK, "fix");
    FUZZ_CHECK(limited || !ll_fix_result(r->again, &result, &result_size), "fixing it again changes it");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[256];
    if (size < 2 || data[1] > size - 2) {
        return 0;
    }
    size_t length = data[1];
    memcpy(name, data + 2, length);
    name[length] = '\0';
    run r = {.lint = {.size = sizeof r.lint, .name = length ? name : NULL},
             .options = {.size = sizeof r.options,
                         .tier = data[0] & 1 ? LL_PATCH_UNSAFE : LL_PATCH_SAFE,
                         .wants = data[0] & 2 ? every_second : NULL,
                         .judge = data[0] & 4 ? fuzz_rules(true) : NULL}};
    FUZZ_CHECK(ll_fix_create(NULL, &r.fix) == LL_OK && ll_fix_create(NULL, &r.again) == LL_OK, "fix");
    FUZZ_CHECK(ll_report_create(NULL, &r.before) == LL_OK && ll_report_create(NULL, &r.after) == LL_OK, "report");
    fix_all(&r, data + 2 + length, size - 2 - length);
    ll_report_free(r.before);
    ll_report_free(r.after);
    ll_fix_free(r.fix);
    ll_fix_free(r.again);
    return 0;
}
