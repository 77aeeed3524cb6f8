/* A screen never lets a record pass in which one of its tests finds something. In every record of good files that has a
 * screen, changes each byte in several ways, and several bytes at random, and compares the screen with its tests. The
 * screen may stop records that the tests accept, but rarely.
 *
 * usage: prop_screens FILE...     exit: 0 it holds, 1 it does not, 2 a file could not be read */
#include "findings/report.h"
#include "rules/regex.h"
#include "rules/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 3, RANDOM_ROUNDS = 400, STRICT_PERCENT = 2 };

typedef struct bench {
    const ll_ruleset *rules;
    ll_report *report;
    const char *name;
    ll_matcher matcher;
    uint64_t seed;
    unsigned long asked, passed, strict, faults;
} bench;

static uint32_t next_random(bench *b)
{
    b->seed = b->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(b->seed >> 33);
}

/* Does the test report something? */
static bool finds(const ll_bound_rule *bound, ll_subject *subject)
{
    ll_miss miss;
    ll_status status = LL_OK;
    ll_subject_aim(subject, &bound->test);
    return !ll_test_holds(&bound->test, subject, &miss) && ll_guard_holds(bound->when, subject, &status);
}

static void complain(bench *b, const ll_layout *layout, uint32_t at, const char *what)
{
    if (b->faults++ < 10) {
        fprintf(stderr, "%s: %s, changed at +%u: the screen misses what %s finds\n", b->name, layout->name, at, what);
    }
}

static void compare(bench *b, const ll_program *p, ll_screen *screen, ll_subject *subject, uint32_t at)
{
    const ll_span *span = ll_doc_span(subject->doc, subject->span);
    const ll_layout *layout = ll_doc_layout(subject->doc, subject->span);
    uint32_t count = layout->kind == LL_KIND_RECORD ? 1 : span->count;
    bool fails[LL_SCREENED_MAX + 1] = {false};
    bool passes = screen(subject->record, count, span->length, NULL) == count;
    bool any_fails = false;
    bool any_finds = false;
    (void)screen(subject->record, count, span->length, fails);
    for (uint32_t i = 0; i < p->screened_count; i++) {
        bool found = finds(&p->tests[i], subject);
        any_fails = any_fails || fails[p->tests[i].screened];
        any_finds = any_finds || found;
        if (found && !fails[p->tests[i].screened]) {
            complain(b, layout, at, ll_rule_at(b->rules, p->tests[i].rule)->name);
        }
    }
    if (passes == any_fails) {
        complain(b, layout, at, "the screen of all tests");
    }
    b->asked++;
    b->passed += passes;
    b->strict += !passes && !any_finds;
}

/* Tries changes of one record. `bytes` points to the record in the file; the document sees each change. */
static void try_record(bench *b, const ll_program *p, ll_screen *screen, ll_subject *subject, uint8_t *bytes,
                       uint32_t size)
{
    static const uint8_t others[] = {0x00, 0x01, 0x02, 0x3F, 0x7B, 0x7C, 0x7F, 0x80, 0xBF, 0xFC, 0xFF};
    uint8_t right[4096];
    if (size == 0 || size > sizeof right) {
        return;
    }
    memcpy(right, bytes, size);
    compare(b, p, screen, subject, 0);
    for (uint32_t at = 0; at < size; at++) {
        for (size_t i = 0; i < sizeof others; i++) {
            bytes[at] = others[i];
            compare(b, p, screen, subject, at);
        }
        bytes[at] = right[at];
    }
    for (unsigned i = 0; i < RANDOM_ROUNDS; i++) {
        uint32_t at = next_random(b) % size;
        if (i % 8 == 0) {
            memcpy(bytes, right, size);
        }
        bytes[at] = i & 1 ? (uint8_t)next_random(b) : others[next_random(b) % sizeof others];
        compare(b, p, screen, subject, at);
    }
    memcpy(bytes, right, size);
}

static void try_file(bench *b, uint8_t *bytes, size_t size)
{
    ll_lint_options options = {.size = sizeof options, .name = b->name};
    const ll_format_program *program = NULL;
    if (ll_lint(b->rules, bytes, size, &options, b->report) != LL_OK ||
        ll_ruleset_program(b->rules, b->report->doc.format, LL_PROGRAM_ALL, &program) != LL_OK || !program) {
        fprintf(stderr, "%s: not linted\n", b->name);
        b->faults++;
        return;
    }
    const ll_doc *doc = &b->report->doc;
    for (uint32_t i = 0; i < doc->span_count; i++) {
        const ll_span *span = ll_doc_span(doc, i);
        const ll_layout *layout = ll_doc_layout(doc, i);
        ll_screen *screen = ll_shipped_screens[program->number][span->layout];
        bool record = layout->kind == LL_KIND_RECORD;
        for (uint32_t e = 0; screen && span->offset < size && e < (record ? span->count : 1) && e < ELEMENTS; e++) {
            uint32_t offset = span->offset + e * layout->size;
            ll_subject subject = {
                .doc = doc, .span = i, .element = e, .record = bytes + offset, .matcher = &b->matcher};
            try_record(b, &program->layouts[span->layout], screen, &subject, bytes + offset,
                       record ? layout->size : span->length);
        }
    }
}

int main(int argc, char **argv)
{
    enum { MOST = 1 << 20 };
    ll_ruleset *rules = NULL;
    ll_problem problem;
    bench b = {.seed = 11};
    uint8_t *bytes = malloc(MOST);
    if (!bytes || ll_ruleset_create(NULL, &rules) != LL_OK || ll_ruleset_seal(rules, &problem) != LL_OK ||
        ll_report_create(NULL, &b.report) != LL_OK) {
        return 2;
    }
    b.rules = rules;
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        size_t size = file ? fread(bytes, 1, MOST, file) : 0;
        if (!file || ferror(file) || size == MOST) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 2;
        }
        fclose(file);
        b.name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
        try_file(&b, bytes, size);
    }
    printf("%lu records, %lu pass, %lu are clean but stopped\n", b.asked, b.passed, b.strict);
    bool holds = b.faults == 0 && b.passed > b.asked / 10 && b.strict * 100 <= b.asked * STRICT_PERCENT;
    ll_matcher_free(&b.matcher);
    ll_report_free(b.report);
    ll_ruleset_free(rules);
    free(bytes);
    return !holds;
}
