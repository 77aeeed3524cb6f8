/* Tests the contract of the public header as a program would use it: arguments, ownership, limits, contents of
 * reports, and selectors. The cases test individual rules. */
#include "sample.h"

#include <lightlint/lightlint.h>

#include <stdio.h>

enum { FINDINGS_MAX = 64 };

static const char NAME[] = "yard_light.grxla";

/* ------------------------------------------------------------------ helpers */

static ll_ruleset *new_rules(void)
{
    ll_ruleset *rules = NULL;
    assert_int_equal(ll_ruleset_create(NULL, &rules), LL_OK);
    assert_non_null(rules);
    return rules;
}

static ll_ruleset *new_sealed_rules(void)
{
    ll_ruleset *rules = new_rules();
    ll_problem problem = {0};
    assert_int_equal(ll_ruleset_ignore(rules, "name-absent", &problem),
                     LL_OK); /* this note would be reported for every light without a name */
    assert_int_equal(ll_ruleset_seal(rules, &problem), LL_OK);
    return rules;
}

static ll_report *new_report(void)
{
    ll_report *report = NULL;
    assert_int_equal(ll_report_create(NULL, &report), LL_OK);
    assert_non_null(report);
    return report;
}

static ll_lint_options named(const char *name)
{
    return (ll_lint_options){.size = sizeof(ll_lint_options), .name = name};
}

/* Lints a copy of exactly the size of the sample. The report keeps only its own texts; the caller frees the copy. */
static uint8_t *lint_sample(const ll_ruleset *rules, const sample *s, const char *name, ll_report *report)
{
    ll_lint_options options = named(name);
    uint8_t *bytes = sample_exact(s);
    assert_non_null(bytes);
    assert_int_equal(ll_lint(rules, bytes, s->size, &options, report), LL_OK);
    return bytes;
}

static ll_finding finding_at(ll_report *report, size_t index)
{
    ll_finding finding;
    assert_int_equal(ll_report_finding(report, index, &finding), LL_OK);
    return finding;
}

/* The first finding of a rule, by name. */
static ll_finding finding_of(ll_report *report, const char *rule)
{
    for (size_t i = 0; i < ll_report_finding_count(report); i++) {
        ll_finding finding = finding_at(report, i);
        if (strcmp(finding.name, rule) == 0) {
            return finding;
        }
    }
    fail_msg("no finding of %s", rule);
    return (ll_finding){0};
}

static ll_summary summary_of(const ll_report *report)
{
    ll_summary summary;
    ll_report_summary(report, &summary);
    return summary;
}

static ll_severity severity_of(const ll_ruleset *rules, const char *what)
{
    size_t index;
    ll_rule_info info;
    ll_problem problem;
    assert_true(ll_ruleset_find(rules, what, &index, &problem));
    assert_true(ll_ruleset_rule(rules, index, &info));
    return info.severity;
}

typedef struct output {
    char bytes[1 << 20];
    size_t size;
    size_t stop_after; /* number of calls; 0: never */
    size_t calls;
} output;

static bool collect(void *ctx, const char *bytes, size_t size)
{
    output *out = ctx;
    if (++out->calls == out->stop_after || size > sizeof out->bytes - 1 - out->size) {
        return false;
    }
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
    out->bytes[out->size] = '\0';
    return true;
}

static output shared_output;

static output *fresh_output(void)
{
    shared_output.bytes[0] = '\0';
    shared_output.size = shared_output.calls = shared_output.stop_after = 0;
    return &shared_output;
}

/* ------------------------------------------------------------------ versions and names */

static void test_versions_agree(void **state)
{
    (void)state;
    char composed[32];
    assert_true(snprintf(composed, sizeof composed, "%d.%d.%d", LL_VERSION_MAJOR, LL_VERSION_MINOR, LL_VERSION_PATCH) >
                0);
    assert_string_equal(composed, LL_VERSION_STRING);
    assert_string_equal(ll_version(), LL_VERSION_STRING);
}

static void test_every_status_and_severity_has_words(void **state)
{
    (void)state;
    for (int status = LL_OK; status <= LL_E_INTERNAL; status++) {
        const char *text = ll_status_text((ll_status)status);
        assert_true(strlen(text) > 1);
        assert_true(text[strlen(text) - 1] != '.');
    }
    assert_non_null(ll_status_text((ll_status)1000));
    assert_string_equal(ll_severity_text(LL_SEVERITY_OFF), "off");
    assert_string_equal(ll_severity_text(LL_NOTE), "note");
    assert_string_equal(ll_severity_text(LL_WARNING), "warning");
    assert_string_equal(ll_severity_text(LL_ERROR), "error");
    assert_non_null(ll_severity_text((ll_severity)1000));
}

static void test_extensions_and_formats_are_lists(void **state)
{
    (void)state;
    const char *const *extension = ll_extensions();
    assert_string_equal(extension[0], ".grxla");
    assert_string_equal(extension[1], ".grxoc");
    assert_string_equal(extension[2], ".mrea");
    assert_string_equal(extension[3], ".lights");
    assert_string_equal(extension[4], ".rgm");
    assert_string_equal(extension[5], ".lpsh");
    assert_string_equal(extension[6], ".fpk");
    assert_string_equal(extension[7], ".fpkd");
    assert_string_equal(extension[8], ".fox2");
    assert_string_equal(extension[9], ".lba");
    assert_null(extension[10]);
    const char *meaning = NULL;
    assert_string_equal(ll_variant(0, &meaning), "mp1");
    assert_true(meaning && meaning[0]);
    assert_string_equal(ll_variant(2, NULL), "mp3");
    assert_null(ll_variant(3, &meaning));
    static const char *const formats[] = {"full",
                                          "concise",
                                          "json",
                                          "jsonl",
                                          "sarif",
                                          "sarif-github",
                                          "github",
                                          "gitlab",
                                          "junit",
                                          "markdown",
                                          "html",
                                          "statistics",
                                          "statistics-markdown",
                                          "statistics-html",
                                          "statistics-json",
                                          "sweep"};
    const char *const *listed = ll_emit_formats();
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        assert_string_equal(listed[i], formats[i]);
    }
    assert_null(listed[sizeof formats / sizeof formats[0]]);
}

/* ------------------------------------------------------------------ arguments */

static void test_freeing_nothing_is_allowed(void **state)
{
    (void)state;
    ll_ruleset_free(NULL);
    ll_report_free(NULL);
    ll_chunk_free(NULL);
    ll_emitter_free(NULL);
}

static void test_creating_needs_a_place_for_the_result(void **state)
{
    (void)state;
    assert_int_equal(ll_ruleset_create(NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_report_create(NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_chunk_create(NULL, NULL), LL_E_ARGUMENT);
}

static void test_lint_refuses_what_does_not_fit(void **state)
{
    (void)state;
    ll_ruleset *rules = new_rules();
    ll_report *report = new_report();
    ll_lint_options options = named(NAME);
    uint8_t byte = 0;
    assert_int_equal(ll_lint(rules, &byte, 1, &options, report), LL_E_ARGUMENT); /* the rule set is not sealed */
    assert_int_equal(ll_lint_unreadable(rules, "gone", &options, report), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_seal(rules, NULL), LL_OK);
    assert_int_equal(ll_lint(NULL, &byte, 1, &options, report), LL_E_ARGUMENT);
    assert_int_equal(ll_lint(rules, &byte, 1, &options, NULL), LL_E_ARGUMENT);
    ll_lint_options unknown = {.size = sizeof unknown, .variant = "mp4"};
    assert_int_equal(ll_lint(rules, &byte, 1, &unknown, report), LL_E_ARGUMENT);
    assert_int_equal(ll_lint(rules, NULL, 1, &options, report), LL_E_ARGUMENT);
    assert_int_equal(ll_lint_unreadable(rules, NULL, &options, report), LL_E_ARGUMENT);
    options.size--;
    assert_int_equal(ll_lint(rules, &byte, 1, &options, report), LL_E_ARGUMENT);
    options.size = 0;
    assert_int_equal(ll_lint(rules, &byte, 1, &options, report), LL_E_ARGUMENT);
    assert_int_equal(ll_lint(rules, &byte, 1, NULL, report), LL_OK); /* options may be NULL */
    assert_string_equal(ll_report_name(report), "<bytes>");
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_nothing_changes_after_sealing(void **state)
{
    (void)state;
    static const char pack[] = "[]\n";
    ll_ruleset *rules = new_sealed_rules();
    ll_problem problem = {0};
    assert_int_equal(ll_ruleset_select(rules, "all", &problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_ignore(rules, "name-hash", &problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_set_severity(rules, "name-hash", LL_NOTE, &problem), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_add_pack(rules, "pack", pack, sizeof pack - 1, &problem), LL_E_ARGUMENT);
    ll_ruleset_free(rules);
}

static void test_rule_set_calls_refuse_nothing_and_nonsense(void **state)
{
    (void)state;
    ll_ruleset *rules = new_rules();
    assert_int_equal(ll_ruleset_select(NULL, "all", NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_select(rules, NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_ignore(rules, NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_set_severity(rules, "all", (ll_severity)4, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_add_pack(rules, NULL, "[]", 2, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_add_pack(rules, "pack", NULL, 2, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_seal(NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_ruleset_select(rules, "no-such-rule", NULL), LL_E_PACK); /* problem may be NULL */
    ll_ruleset_free(rules);
}

static void test_reading_a_report_refuses_what_is_not_there(void **state)
{
    (void)state;
    ll_report *report = new_report();
    ll_finding finding;
    assert_int_equal(ll_report_finding(report, 0, &finding), LL_E_ARGUMENT);
    assert_int_equal(ll_report_finding(NULL, 0, &finding), LL_E_ARGUMENT);
    assert_int_equal(ll_report_spans(NULL, NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_report_spans(report, NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_dump(report, "yaml", NULL, collect, fresh_output()), LL_E_ARGUMENT);
    assert_int_equal(ll_dump(report, NULL, NULL, collect, fresh_output()), LL_E_ARGUMENT);
    assert_int_equal(ll_dump(report, "text", NULL, NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_dump(NULL, "text", NULL, collect, fresh_output()), LL_E_ARGUMENT);
    ll_report_free(report);
}

static void test_an_unused_report_is_empty(void **state)
{
    (void)state;
    ll_report *report = new_report();
    assert_int_equal(ll_report_finding_count(report), 0);
    assert_string_equal(ll_report_format(report), "unknown");
    assert_non_null(ll_report_name(report));
    assert_int_equal(ll_report_size(report), 0);
    ll_summary summary = summary_of(report);
    assert_true(summary.errors == 0 && summary.warnings == 0 && summary.notes == 0 && summary.dropped == 0);
    assert_false(summary.unchecked || summary.truncated);
    ll_report_free(report);
}

/* ------------------------------------------------------------------ findings */

static void test_a_good_file_has_no_findings(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    sample s;
    sample_good(&s);
    uint8_t *bytes = lint_sample(rules, &s, NAME, report);
    for (size_t i = 0; i < ll_report_finding_count(report); i++) {
        print_error("%s\n", finding_at(report, i).message);
    }
    assert_int_equal(ll_report_finding_count(report), 0);
    assert_string_equal(ll_report_name(report), NAME);
    assert_string_equal(ll_report_format(report), "grx");
    assert_int_equal(ll_report_size(report), s.size);
    assert_false(summary_of(report).unchecked);
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void check_texts(const ll_finding *f)
{
    const char *const texts[] = {f->id,    f->name,  f->title,    f->path,    f->record, f->type,
                                 f->value, f->found, f->expected, f->message, f->hint,   f->fix};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_non_null(texts[i]);
        for (const char *c = texts[i]; *c; c++) {
            assert_true((unsigned char)*c >= 0x20 && *c != 0x7F);
        }
    }
    assert_int_equal(strspn(f->fingerprint, "0123456789abcdef"), 16);
    assert_true(f->message[0] != '\0' && f->fix[0] != '\0');
}

static void test_findings_are_sorted_and_whole(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    sample s;
    sample_bad(&s);
    uint8_t *bytes = lint_sample(rules, &s, NAME, report);
    size_t count = ll_report_finding_count(report);
    ll_summary summary = summary_of(report);
    assert_true(count >= 8);
    assert_true(summary.errors > 0 && summary.warnings > 0);
    assert_int_equal(summary.errors + summary.warnings + summary.notes, count);
    assert_int_equal(summary.dropped, 0);
    ll_finding last = {0};
    for (size_t i = 0; i < count; i++) {
        ll_finding f = finding_at(report, i);
        check_texts(&f);
        assert_true(f.severity >= LL_NOTE && f.severity <= LL_ERROR);
        assert_true(f.offset <= s.size && f.length <= s.size - f.offset);
        assert_true(i == 0 || f.offset > last.offset || (f.offset == last.offset && strcmp(f.id, last.id) >= 0));
        ll_rule_info info;
        assert_true(ll_ruleset_rule(rules, f.rule, &info));
        assert_string_equal(info.id, f.id);
        assert_int_equal(info.severity, f.severity);
        last = f;
    }
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_texts_of_all_findings_live_together(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    sample s;
    sample_bad(&s);
    uint8_t *bytes = lint_sample(rules, &s, NAME, report);
    size_t count = ll_report_finding_count(report);
    static ll_finding kept[FINDINGS_MAX];
    assert_true(count <= FINDINGS_MAX);
    for (size_t i = 0; i < count; i++) {
        kept[i] = finding_at(report, i);
    }
    for (size_t i = 0; i < count; i++) {
        ll_finding again = finding_at(report, i);
        assert_string_equal(kept[i].path, again.path);
        assert_string_equal(kept[i].value, again.value);
        assert_string_equal(kept[i].message, again.message);
        assert_string_equal(kept[i].fingerprint, again.fingerprint);
        assert_true(i == 0 || strcmp(kept[i].fingerprint, kept[i - 1].fingerprint) != 0);
    }
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_what_a_finding_says(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    sample s;
    sample_bad(&s);
    uint8_t *bytes = lint_sample(rules, &s, NAME, report);
    ll_finding f = finding_of(report, "name-reserved");
    assert_string_equal(f.id, "GRX275");
    assert_string_equal(f.path, "entry[1].name_reserved");
    assert_string_equal(f.record, "grx.point_light");
    assert_string_equal(f.value, "1");
    assert_int_equal(f.offset, SAMPLE_LIGHT + SAMPLE_RESERVED);
    assert_int_equal(f.length, 4);
    assert_int_equal(f.patch.tier, LL_PATCH_NONE); /* the entry has other faults that no patch explains */
    f = finding_of(report, "name-hash-48bit-named");
    assert_int_equal(f.offset, SAMPLE_CM00 + 8);
    assert_int_equal(f.length, 8);
    assert_int_equal(f.patch.tier, LL_PATCH_UNSAFE);
    assert_int_equal(f.patch.offset, SAMPLE_CM00 + 8);
    assert_int_equal(f.patch.removed, 8);
    assert_int_equal(f.patch.size, 8);
    assert_memory_equal(f.patch.bytes, "\x66\xFA\x24\x05\x87\x71\0\0", 8);
    f = finding_of(report, "name-hash");
    assert_int_equal(f.related_count, 1);
    assert_string_equal(f.related[0].path, "entry[1].name.text");
    assert_int_equal(f.related[0].offset, SAMPLE_LIGHT + SAMPLE_NAME);
    assert_int_equal(f.related[0].length, 7);
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_a_report_serves_many_files(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    sample good;
    sample bad;
    sample_good(&good);
    sample_bad(&bad);
    size_t count = 0;
    char fingerprint[17] = "";
    for (unsigned round = 0; round < 3; round++) {
        uint8_t *bytes = lint_sample(rules, &bad, NAME, report);
        if (round == 0) {
            count = ll_report_finding_count(report);
            memcpy(fingerprint, finding_at(report, 0).fingerprint, sizeof fingerprint);
        }
        assert_int_equal(ll_report_finding_count(report), count);
        assert_string_equal(finding_at(report, 0).fingerprint, fingerprint);
        free(bytes);
        bytes = lint_sample(rules, &good, "other.grxla", report);
        assert_int_equal(ll_report_finding_count(report), 0);
        assert_int_equal(summary_of(report).errors, 0);
        assert_string_equal(ll_report_name(report), "other.grxla");
        free(bytes);
        assert_int_equal(ll_lint_unreadable(rules, "gone", NULL, report), LL_OK);
        assert_int_equal(ll_report_finding_count(report), 1);
    }
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_a_fingerprint_survives_a_move(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    char fingerprint[17] = "";
    uint64_t offset = 0;
    for (unsigned in_front = 0; in_front < 3; in_front++) {
        sample s;
        sample_begin(&s);
        for (unsigned i = 0; i < in_front; i++) {
            (void)sample_light(&s, false);
        }
        size_t at = sample_light(&s, true);
        sample_put(&s, at + SAMPLE_RESERVED, 4, 1);
        sample_end(&s);
        uint8_t *bytes = lint_sample(rules, &s, NAME, report);
        ll_finding f = finding_of(report, "name-reserved");
        if (in_front) {
            assert_true(f.offset > offset);
            assert_string_equal(f.fingerprint, fingerprint);
        }
        offset = f.offset;
        memcpy(fingerprint, f.fingerprint, sizeof fingerprint);
        free(bytes);
    }
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_limits_are_counted(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    sample s;
    sample_begin(&s);
    for (unsigned i = 0; i < 10; i++) {
        size_t at = sample_light(&s, false);
        sample_put(&s, at + SAMPLE_RESERVED, 4, 1);
    }
    sample_put(&s, 4, 4, 7);
    sample_end(&s);
    uint8_t *bytes = sample_exact(&s);
    assert_non_null(bytes);
    ll_lint_options options = named(NAME);
    assert_int_equal(ll_lint(rules, bytes, s.size, &options, report), LL_OK);
    assert_int_equal(ll_report_finding_count(report), 11);
    assert_false(summary_of(report).truncated);
    options.max_per_rule = 3;
    assert_int_equal(ll_lint(rules, bytes, s.size, &options, report), LL_OK);
    assert_int_equal(ll_report_finding_count(report), 4);
    assert_int_equal(summary_of(report).warnings, 11);
    assert_int_equal(summary_of(report).dropped, 7);
    assert_true(summary_of(report).truncated);
    options = named(NAME);
    options.max_per_file = 5;
    assert_int_equal(ll_lint(rules, bytes, s.size, &options, report), LL_OK);
    assert_int_equal(ll_report_finding_count(report), 5);
    assert_int_equal(summary_of(report).warnings, 11);
    assert_int_equal(summary_of(report).dropped, 6);
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

/* ------------------------------------------------------------------ spans */

typedef struct tiling {
    uint64_t next;
    unsigned seen, stop_at;
    char first[64];
} tiling;

static bool tile(void *ctx, const ll_span_info *span)
{
    tiling *t = ctx;
    assert_int_equal(span->offset, t->next);
    assert_true(span->length > 0);
    assert_true(span->path && span->type && span->type[0]);
    t->next = span->offset + span->length;
    if (t->seen++ == 0) {
        assert_true(snprintf(t->first, sizeof t->first, "%s %s %s", span->path, span->type, span->value) > 0);
    }
    return t->seen != t->stop_at;
}

static void test_leaves_tile_the_file(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    sample s;
    sample_bad(&s);
    uint8_t *bytes = lint_sample(rules, &s, NAME, report);
    tiling all = {0};
    assert_int_equal(ll_report_spans(report, tile, &all), LL_OK);
    assert_int_equal(all.next, s.size);
    assert_string_equal(all.first, "header.magic magic \"FGxL\"");
    tiling some = {.stop_at = 5};
    assert_int_equal(ll_report_spans(report, tile, &some), LL_OK);
    assert_int_equal(some.seen, 5);
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

/* ------------------------------------------------------------------ input in other formats */

/* Lints, expects one finding, and returns it. */
static ll_finding only_finding(const ll_ruleset *rules, const void *bytes, size_t size, const char *name,
                               ll_report *report)
{
    ll_lint_options options = named(name);
    assert_int_equal(ll_lint(rules, bytes, size, &options, report), LL_OK);
    assert_int_equal(ll_report_finding_count(report), 1);
    assert_int_equal(ll_report_size(report), size);
    return finding_at(report, 0);
}

static void test_empty_input(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    assert_string_equal(only_finding(rules, NULL, 0, NAME, report).name, "empty");
    assert_string_equal(only_finding(rules, "", 0, NULL, report).name, "empty");
    assert_int_equal(finding_at(report, 0).offset, 0);
    assert_int_equal(finding_at(report, 0).length, 0);
    assert_int_equal(summary_of(report).errors, 1);
    tiling all = {0};
    assert_int_equal(ll_report_spans(report, tile, &all), LL_OK);
    assert_int_equal(all.seen, 0);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_unknown_format(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    ll_finding f = only_finding(rules, "GIF89a", 6, "picture.gif", report);
    assert_string_equal(f.name, "unknown-format");
    assert_string_equal(ll_report_format(report), "unknown");
    assert_true(summary_of(report).unchecked);
    assert_string_equal(only_finding(rules, "\x1b", 1, NULL, report).name, "unknown-format");
    tiling all = {0};
    assert_int_equal(ll_report_spans(report, tile, &all), LL_OK);
    assert_int_equal(all.next, 1);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_lfs_pointer(void **state)
{
    (void)state;
    static const char pointer[] =
        "version https://git-lfs.github.com/spec/v1\n"
        "oid sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\nsize 1234\n";
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    ll_finding f = only_finding(rules, pointer, sizeof pointer - 1, NAME, report);
    assert_string_equal(f.name, "foreign-file");
    assert_string_equal(f.found, "a Git LFS pointer");
    assert_non_null(strstr(f.hint, "git lfs pull"));
    assert_true(summary_of(report).unchecked);
    assert_string_equal(only_finding(rules, pointer, 40, NAME, report).name, "foreign-file"); /* without its id */
    ll_report_free(report);
    ll_ruleset_free(rules);
}

/* Converts LF to CR LF. */
static void convert_line_feeds(const sample *from, sample *to)
{
    to->size = 0;
    for (size_t i = 0; i < from->size; i++) {
        if (from->bytes[i] == '\n') {
            to->bytes[to->size++] = '\r';
        }
        to->bytes[to->size++] = from->bytes[i];
    }
}

static void test_line_ending_damage(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    sample good;
    sample damaged;
    sample_begin(&good);
    size_t first = sample_light(&good, true);
    size_t second = sample_light(&good, false);
    sample_end(&good);
    sample_put(&good, first + SAMPLE_TRANSLATION, 4, 0x41400A0A);
    sample_put(&good, second + SAMPLE_TRANSLATION, 4, 0x4140000A);
    uint8_t *bytes = lint_sample(rules, &good, NAME, report);
    assert_int_equal(ll_report_finding_count(report), 0);
    free(bytes);
    convert_line_feeds(&good, &damaged);
    assert_int_equal(damaged.size, good.size + 3);
    bytes = lint_sample(rules, &damaged, NAME, report);
    ll_finding f = finding_at(report, 0); /* the findings that it explains follow */
    assert_true(ll_report_finding_count(report) > 1);
    free(bytes);
    assert_string_equal(f.name, "transport");
    assert_int_equal(f.offset, first + SAMPLE_TRANSLATION);
    assert_int_equal(f.patch.tier, LL_PATCH_SAFE);
    assert_string_equal(f.found, "line feeds written as CR LF");
    damaged.bytes[4] = '\n'; /* a line feed without CR: no conversion does that */
    bytes = lint_sample(rules, &damaged, NAME, report);
    for (size_t i = 0; i < ll_report_finding_count(report); i++) {
        assert_string_not_equal(finding_at(report, i).name, "transport");
    }
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_unreadable_file(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    ll_lint_options options = named("gone\x1b[31m.grxla");
    assert_int_equal(ll_lint_unreadable(rules, "No such\x07 file", &options, report), LL_OK);
    assert_int_equal(ll_report_finding_count(report), 1);
    ll_finding f = finding_at(report, 0);
    assert_string_equal(f.id, "LL001");
    assert_int_equal(f.severity, LL_ERROR);
    check_texts(&f);
    assert_non_null(strstr(f.found, "No such\\x07 file"));
    assert_true(summary_of(report).unchecked);
    assert_string_equal(ll_report_name(report), "gone\x1b[31m.grxla"); /* as given; only outputs escape names */
    ll_report_free(report);
    ll_ruleset_free(rules);
}

#if SIZE_MAX > UINT32_MAX
static void test_more_bytes_than_offsets_reach(void **state)
{
    (void)state;
    const void *nowhere = (const void *)(uintptr_t)16; /* reading it would crash */
    size_t size = (size_t)UINT32_MAX + 1;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    ll_finding f = only_finding(rules, nowhere, size, NAME, report);
    assert_string_equal(f.name, "too-large");
    assert_int_equal(f.offset, 0);
    assert_int_equal(f.length, 0);
    assert_true(summary_of(report).unchecked);
    assert_string_equal(only_finding(rules, nowhere, SIZE_MAX, NAME, report).name, "too-large");
    tiling none = {0};
    assert_int_equal(ll_report_spans(report, tile, &none), LL_OK);
    assert_int_equal(ll_dump(report, "json", NULL, collect, fresh_output()), LL_OK);
    assert_non_null(strstr(shared_output.bytes, "\"size\":\"18446744073709551615\"")); /* above 2^53: a string */
    ll_report_free(report);
    ll_ruleset_free(rules);
}
#endif

/* ------------------------------------------------------------------ the catalogue */

static void test_catalogue_is_sorted_and_whole(void **state)
{
    (void)state;
    ll_ruleset *rules = new_rules();
    size_t count = ll_ruleset_count(rules);
    ll_rule_info info;
    assert_true(count > 100);
    assert_false(ll_ruleset_rule(rules, count, &info));
    const char *last = "";
    for (size_t i = 0; i < count; i++) {
        assert_true(ll_ruleset_rule(rules, i, &info));
        assert_true(strcmp(last, info.id) < 0);
        const char *const needed[] = {info.name,     info.family, info.title,  info.why,
                                      info.evidence, info.fix,    info.target, info.check};
        for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++) {
            assert_true(needed[k] && needed[k][0]);
        }
        assert_true(info.tag_count > 0 && info.tags[0][0]);
        assert_int_equal(info.severity, info.default_severity);
        last = info.id;
    }
    ll_ruleset_free(rules);
}

static void test_rules_are_found_by_id_and_name(void **state)
{
    (void)state;
    ll_ruleset *rules = new_rules();
    ll_problem problem = {0};
    static const char *const spellings[] = {"GRX265", "name-hash", "grx/name-hash"};
    size_t at[3];
    for (size_t i = 0; i < 3; i++) {
        assert_true(ll_ruleset_find(rules, spellings[i], &at[i], &problem));
        assert_int_equal(at[i], at[0]);
    }
    assert_false(ll_ruleset_find(rules, "name-hsah", &at[0], &problem));
    assert_non_null(strstr(problem.text, "'name-hash'"));
    assert_false(ll_ruleset_find(rules, "GRX", &at[0], &problem)); /* a prefix names no rule */
    assert_false(ll_ruleset_find(rules, "", &at[0], &problem));
    assert_false(ll_ruleset_find(rules, "mrea/name-hash", &at[0], NULL));
    ll_ruleset_free(rules);
}

/* ------------------------------------------------------------------ selection */

static void test_selecting_switches_the_rest_off(void **state)
{
    (void)state;
    ll_ruleset *rules = new_rules();
    assert_int_equal(ll_ruleset_select(rules, "name-hash", NULL), LL_OK);
    assert_int_equal(severity_of(rules, "name-hash"), LL_WARNING);
    assert_int_equal(severity_of(rules, "name-reserved"), LL_SEVERITY_OFF);
    assert_int_equal(ll_ruleset_select(rules, "GRX275", NULL), LL_OK);
    assert_int_equal(severity_of(rules, "name-hash"), LL_WARNING);
    assert_int_equal(severity_of(rules, "name-reserved"), LL_WARNING);
    assert_int_equal(severity_of(rules, "unreadable"), LL_ERROR); /* locked: unread files are always reported */
    assert_int_equal(ll_ruleset_seal(rules, NULL), LL_OK);
    ll_report *report = new_report();
    sample s;
    sample_bad(&s);
    uint8_t *bytes = lint_sample(rules, &s, NAME, report);
    assert_int_equal(ll_report_finding_count(report), 3);
    assert_string_equal(finding_at(report, 0).name, "name-hash");
    assert_string_equal(finding_at(report, 1).name, "name-reserved");
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_ignoring_wins(void **state)
{
    (void)state;
    ll_ruleset *rules = new_rules();
    assert_int_equal(ll_ruleset_ignore(rules, "name-hash", NULL), LL_OK);
    assert_int_equal(ll_ruleset_select(rules, "tag:name", NULL), LL_OK);
    assert_int_equal(severity_of(rules, "name-hash"), LL_SEVERITY_OFF);
    assert_int_equal(severity_of(rules, "name-padding"), LL_WARNING);
    assert_int_equal(ll_ruleset_set_severity(rules, "name-hash", LL_ERROR, NULL), LL_OK);
    assert_int_equal(severity_of(rules, "name-hash"), LL_SEVERITY_OFF);
    ll_ruleset_free(rules);
}

static void test_every_kind_of_selector(void **state)
{
    (void)state;
    static const struct {
        const char *selector, *takes, *leaves;
    } rows[] = {
        {"GRX265", "name-hash", "name-hash-48bit"},
        {"GRX2", "name-hash", "terminator-size"},
        {"name-hash", "name-hash", "name-hash-48bit"},
        {"grx/name-hash", "name-hash", "cm00-hash"},
        {"*-hash", "cm00-hash", "name-hash-48bit"},
        {"GRX?65", "name-hash", "cm00-hash"},
        {"name-has?", "name-hash", "cm00-hash"},
        {"grx/*-hash", "cm00-hash", "terminator-size"},
        {"tag:padding", "name-padding", "name-hash"},
        {"tag:name", "name-hash", "terminator-size"},
        {"LED", "gap", "name-hash"},
        {"ledger/*", "gap", "name-hash"},
        {"all", "name-hash", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ll_ruleset *rules = new_rules();
        ll_problem problem = {0};
        assert_int_equal(ll_ruleset_select(rules, rows[i].selector, &problem), LL_OK);
        assert_int_not_equal(severity_of(rules, rows[i].takes), LL_SEVERITY_OFF);
        if (rows[i].leaves) {
            assert_int_equal(severity_of(rules, rows[i].leaves), LL_SEVERITY_OFF);
        }
        ll_ruleset_free(rules);
    }
}

static void test_unknown_selectors_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *selector, *nearest;
    } rows[] = {
        {"name-hsah", "'name-hash'"},
        {"grx/name-hsah", "'name-hash'"},
        {"tag:nmae", "'name'"},
        {"GRX999", "'GRX"},
        {"zzz-*", "zzz-*"},
        {"", ""},
        {"tag:", ""},
        {"mrea/name-hash", ""},
        {"name-hash\x1b[m", "name-hash"},
    };
    ll_ruleset *rules = new_rules();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ll_problem problem = {0};
        assert_int_equal(ll_ruleset_select(rules, rows[i].selector, &problem), LL_E_PACK);
        assert_non_null(strstr(problem.text, rows[i].nearest));
        assert_null(strchr(problem.text, 0x1B));
        assert_true(problem.text[0] != '\0' && !strchr(problem.text, '\n'));
        assert_int_equal(ll_ruleset_ignore(rules, rows[i].selector, &problem), LL_E_PACK);
        assert_int_equal(ll_ruleset_set_severity(rules, rows[i].selector, LL_NOTE, &problem), LL_E_PACK);
    }
    assert_int_equal(severity_of(rules, "name-hash"), LL_WARNING); /* a refused selector changes nothing */
    ll_ruleset_free(rules);
}

static void test_severities_change_what_is_reported(void **state)
{
    (void)state;
    ll_ruleset *rules = new_rules();
    ll_report *report = new_report();
    sample s;
    sample_good(&s);
    sample_put(&s, SAMPLE_LIGHT + SAMPLE_RESERVED, 4, 1);
    assert_int_equal(ll_ruleset_set_severity(rules, "name-reserved", LL_NOTE, NULL), LL_OK);
    assert_int_equal(ll_ruleset_set_severity(rules, "GRX275", LL_ERROR, NULL), LL_OK); /* the last call wins */
    size_t index;
    ll_rule_info info;
    assert_true(ll_ruleset_find(rules, "name-reserved", &index, NULL));
    assert_true(ll_ruleset_rule(rules, index, &info));
    assert_int_equal(info.severity, LL_ERROR);
    assert_int_equal(info.default_severity, LL_WARNING);
    assert_int_equal(ll_ruleset_seal(rules, NULL), LL_OK);
    uint8_t *bytes = lint_sample(rules, &s, NAME, report);
    assert_int_equal(ll_report_finding_count(report), 1);
    assert_int_equal(finding_at(report, 0).severity, LL_ERROR);
    assert_int_equal(summary_of(report).errors, 1);
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_locked_rules_stay(void **state)
{
    (void)state;
    ll_ruleset *rules = new_rules();
    ll_problem problem = {0};
    assert_int_equal(ll_ruleset_set_severity(rules, "unreadable", LL_NOTE, &problem), LL_E_PACK);
    assert_non_null(strstr(problem.text, "locked"));
    assert_int_equal(ll_ruleset_ignore(rules, "LL001", &problem), LL_E_PACK);
    assert_int_equal(ll_ruleset_set_severity(rules, "all", LL_NOTE, &problem),
                     LL_OK); /* of a group, only unlocked rules change */
    assert_int_equal(severity_of(rules, "unreadable"), LL_ERROR);
    assert_int_equal(severity_of(rules, "name-hash"), LL_NOTE);
    assert_int_equal(ll_ruleset_ignore(rules, "LL*", &problem), LL_OK);
    assert_int_equal(severity_of(rules, "unreadable"), LL_ERROR);
    assert_int_equal(severity_of(rules, "transport"), LL_SEVERITY_OFF);
    assert_int_equal(ll_ruleset_set_severity(rules, "unreadable", LL_ERROR, &problem), LL_OK); /* not lowered */
    ll_ruleset_free(rules);
}

/* ------------------------------------------------------------------ packs */

static const char PACK[] = "- id: YARD001\n"
                           "  name: too-bright\n"
                           "  severity: warning\n"
                           "  tags: [value]\n"
                           "  on: grx.point_light\n"
                           "  field: lumen\n"
                           "  check: range\n"
                           "  value: '<= 1000'\n"
                           "  title: The light is brighter than this project allows.\n"
                           "  why: Bright lights wash out the yard.\n"
                           "  fix: Lower the value.\n";

static void test_a_pack_adds_rules(void **state)
{
    (void)state;
    ll_ruleset *rules = new_rules();
    ll_report *report = new_report();
    ll_problem problem = {0};
    size_t before = ll_ruleset_count(rules);
    char *text = malloc(sizeof PACK - 1); /* not NUL-terminated, and freed before the rules are used */
    assert_non_null(text);
    memcpy(text, PACK, sizeof PACK - 1);
    assert_int_equal(ll_ruleset_add_pack(rules, "yard.yaml", text, sizeof PACK - 1, &problem), LL_OK);
    memset(text, '#', sizeof PACK - 1);
    free(text);
    assert_int_equal(ll_ruleset_count(rules), before + 1);
    assert_int_equal(severity_of(rules, "grx/too-bright"), LL_WARNING);
    assert_int_equal(ll_ruleset_add_pack(rules, "again.yaml", PACK, sizeof PACK - 1, &problem),
                     LL_E_PACK); /* the id is taken */
    assert_int_equal(ll_ruleset_count(rules), before + 1);
    assert_int_equal(ll_ruleset_seal(rules, &problem), LL_OK);
    sample s;
    sample_good(&s);
    uint8_t *bytes = lint_sample(rules, &s, NAME, report);
    assert_int_equal(ll_report_finding_count(report), 1);
    ll_finding f = finding_at(report, 0);
    assert_string_equal(f.id, "YARD001");
    assert_string_equal(f.path, "entry[1].lumen");
    assert_string_equal(f.value, "3000");
    assert_int_equal(f.offset, SAMPLE_LIGHT + SAMPLE_LUMEN);
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

static void test_bad_packs_are_refused_whole(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to; /* replaces the first `from` in PACK by `to` */
        unsigned line;
        const char *says;
    } rows[] = {
        {"YARD001", "GRX990", 1, "GRX990"},
        {"YARD001", "yard-1", 1, ""},
        {"too-bright", "name-hash", 2, "name-hash"},
        {"severity: warning", "severity: wraning", 3, "warning"},
        {"grx.point_light", "grx.piont_light", 5, "grx.point_light"},
        {"field: lumen", "field: lunem", 6, "lumen"},
        {"check: range", "check: rnage", 7, "range"},
        {"<= 1000", "<= one", 8, "one"},
        {"title", "titel", 9, "title"},
        {"- id", "-\tid", 1, ""},
    };
    ll_ruleset *rules = new_rules();
    size_t before = ll_ruleset_count(rules);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[sizeof PACK + 64];
        const char *at = strstr(PACK, rows[i].from);
        assert_non_null(at);
        int n = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - PACK), PACK, rows[i].to, at + strlen(rows[i].from));
        ll_problem problem = {0};
        assert_int_equal(ll_ruleset_add_pack(rules, "yard.yaml", text, (size_t)n, &problem), LL_E_PACK);
        if (problem.line != rows[i].line || !strstr(problem.text, rows[i].says)) {
            fail_msg("%s: line %u: %s", rows[i].to, problem.line, problem.text);
        }
        assert_int_equal(ll_ruleset_count(rules), before);
    }
    ll_problem problem = {0};
    assert_int_equal(ll_ruleset_add_pack(rules, "yard.yaml", PACK, sizeof PACK - 1, &problem),
                     LL_OK); /* refused packs left nothing behind */
    assert_int_equal(ll_ruleset_seal(rules, &problem), LL_OK);
    ll_ruleset_free(rules);
}

/* ------------------------------------------------------------------ output */

static ll_emit_options emit_as(const char *format)
{
    return (ll_emit_options){.size = sizeof(ll_emit_options), .format = format, .fail_level = LL_WARNING};
}

static void test_emitters_refuse_what_does_not_fit(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_emitter *emitter = NULL;
    ll_emit_options options = emit_as("full");
    assert_int_equal(ll_emitter_create(NULL, NULL, &options, collect, NULL, &emitter), LL_E_ARGUMENT);
    assert_int_equal(ll_emitter_create(NULL, rules, NULL, collect, NULL, &emitter), LL_E_ARGUMENT);
    assert_int_equal(ll_emitter_create(NULL, rules, &options, NULL, NULL, &emitter), LL_E_ARGUMENT);
    assert_int_equal(ll_emitter_create(NULL, rules, &options, collect, NULL, NULL), LL_E_ARGUMENT);
    options.format = "fulll";
    assert_int_equal(ll_emitter_create(NULL, rules, &options, collect, NULL, &emitter), LL_E_ARGUMENT);
    options.format = NULL;
    assert_int_equal(ll_emitter_create(NULL, rules, &options, collect, NULL, &emitter), LL_E_ARGUMENT);
    options = emit_as("full");
    options.size = 0;
    assert_int_equal(ll_emitter_create(NULL, rules, &options, collect, NULL, &emitter), LL_E_ARGUMENT);
    assert_int_equal(ll_emitter_render(NULL, NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_emitter_commit(NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_emitter_finish(NULL, 0), LL_E_ARGUMENT);
    ll_ruleset_free(rules);
}

static void test_a_report_may_come_from_other_rules(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_ruleset *others = new_sealed_rules();
    ll_report *report = new_report();
    ll_emitter *emitter = NULL;
    ll_chunk *chunk = NULL;
    ll_emit_options options = emit_as("jsonl");
    assert_int_equal(ll_emitter_create(NULL, rules, &options, collect, fresh_output(), &emitter), LL_OK);
    assert_int_equal(ll_chunk_create(NULL, &chunk), LL_OK);
    assert_int_equal(ll_emitter_render(emitter, report, chunk), LL_E_ARGUMENT); /* nothing was linted yet */
    assert_int_equal(ll_lint(others, "x", 1, NULL, report), LL_OK);
    assert_int_equal(ll_emitter_render(emitter, report, chunk), LL_OK);
    assert_int_equal(ll_lint(rules, "x", 1, NULL, report), LL_OK);
    assert_int_equal(ll_emitter_render(emitter, report, chunk), LL_OK);
    ll_emitter_free(emitter);
    ll_chunk_free(chunk);
    ll_report_free(report);
    ll_ruleset_free(others);
    ll_ruleset_free(rules);
}

/* Renders each report as one chunk of the format into `out`. Returns the first status that is not LL_OK. */
static ll_status emit_all(const ll_ruleset *rules, const char *format, ll_report *const *reports, size_t count,
                          output *out)
{
    ll_emitter *emitter = NULL;
    ll_chunk *chunk = NULL;
    ll_emit_options options = emit_as(format);
    assert_int_equal(ll_emitter_create(NULL, rules, &options, collect, out, &emitter), LL_OK);
    assert_int_equal(ll_chunk_create(NULL, &chunk), LL_OK);
    ll_status status = LL_OK;
    for (size_t i = 0; i < count && status == LL_OK; i++) {
        status = ll_emitter_render(emitter, reports[i], chunk);
        if (status == LL_OK) {
            status = ll_emitter_commit(emitter, chunk);
        }
    }
    if (status == LL_OK) {
        status = ll_emitter_finish(emitter, 1);
    }
    if (status == LL_E_WRITE) { /* returned again, without further output */
        size_t calls = out->calls;
        assert_int_equal(ll_emitter_commit(emitter, chunk), LL_E_WRITE);
        assert_int_equal(ll_emitter_finish(emitter, 1), LL_E_WRITE);
        assert_int_equal(out->calls, calls);
    }
    ll_emitter_free(emitter);
    ll_chunk_free(chunk);
    return status;
}

/* Services look up files in a repository by paths without "./". */
static void test_paths_for_services_are_plain(void **state)
{
    (void)state;
    static const char *const wanted[][2] = {
        {"github", "file=b.grxla,"}, {"gitlab", "\"path\":\"b.grxla\""}, {"junit", "<testcase name=\"b.grxla\""}};
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    sample bad;
    sample_bad(&bad);
    uint8_t *bytes = lint_sample(rules, &bad, "././b.grxla", report);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        output *out = fresh_output();
        assert_int_equal(emit_all(rules, wanted[i][0], &report, 1, out), LL_OK);
        assert_non_null(strstr(out->bytes, wanted[i][1]));
    }
    ll_report_free(report);
    ll_ruleset_free(rules);
    free(bytes);
}

static void test_every_format_writes_every_kind_of_report(void **state)
{
    (void)state;
    enum { REPORTS = 4 };
    ll_ruleset *rules = new_sealed_rules();
    ll_report *reports[REPORTS];
    for (size_t i = 0; i < REPORTS; i++) {
        reports[i] = new_report();
    }
    sample good;
    sample bad;
    sample_good(&good);
    sample_bad(&bad);
    uint8_t *good_bytes = lint_sample(rules, &good, "a.grxla", reports[0]);
    uint8_t *bad_bytes = lint_sample(rules, &bad, "b.grxla", reports[1]);
    ll_lint_options options = named("c.grxla");
    assert_int_equal(ll_lint_unreadable(rules, "gone", &options, reports[2]), LL_OK);
    assert_int_equal(ll_lint(rules, NULL, 0, NULL, reports[3]), LL_OK);
    for (const char *const *format = ll_emit_formats(); *format; format++) {
        output *out = fresh_output();
        assert_int_equal(emit_all(rules, *format, reports, REPORTS, out), LL_OK);
        if (strncmp(*format, "statistics", strlen("statistics")) != 0) { /* they only count files */
            assert_non_null(strstr(out->bytes, "b.grxla"));
        }
        assert_non_null(strstr(out->bytes, "GRX275"));
        assert_non_null(strstr(out->bytes, "LL001"));
        assert_null(strchr(out->bytes, 0x1B)); /* no colour, because it was not requested; names are escaped */
        assert_int_equal(out->bytes[out->size - 1], '\n');
        size_t calls = out->calls;
        for (size_t stop = 1; stop <= calls; stop++) {
            out = fresh_output();
            out->stop_after = stop;
            assert_int_equal(emit_all(rules, *format, reports, REPORTS, out), LL_E_WRITE);
        }
        out = fresh_output();
        assert_int_equal(emit_all(rules, *format, reports, 0, out), LL_OK); /* complete without files, too */
    }
    for (size_t i = 0; i < REPORTS; i++) {
        ll_report_free(reports[i]);
    }
    free(good_bytes);
    free(bad_bytes);
    ll_ruleset_free(rules);
}

static void test_dump_and_catalogue_write(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    sample s;
    sample_bad(&s);
    uint8_t *bytes = lint_sample(rules, &s, NAME, report);
    static const char *const dumps[] = {"text", "json", "stable"};
    for (size_t i = 0; i < 3; i++) {
        output *out = fresh_output();
        assert_int_equal(ll_dump(report, dumps[i], NULL, collect, out), LL_OK);
        assert_non_null(strstr(out->bytes, i < 2 ? "entry[1].name.text" : "\nentry["));
        assert_null(strchr(out->bytes, 0x1B));
        out = fresh_output();
        out->stop_after = 1;
        assert_int_equal(ll_dump(report, dumps[i], NULL, collect, out), LL_E_WRITE);
    }
    static const char *const lists[] = {"text", "json", "markdown"};
    for (size_t i = 0; i < 3; i++) {
        output *out = fresh_output();
        assert_int_equal(ll_print_rules(rules, false, lists[i], collect, out), LL_OK);
        assert_non_null(strstr(out->bytes, "name-hash"));
        out = fresh_output();
        out->stop_after = 1;
        assert_int_equal(ll_print_rules(rules, false, lists[i], collect, out), LL_E_WRITE);
    }
    assert_int_equal(ll_print_rules(rules, false, "xml", collect, fresh_output()), LL_E_ARGUMENT);
    assert_int_equal(ll_print_rules(rules, false, NULL, collect, fresh_output()), LL_E_ARGUMENT);
    assert_int_equal(ll_print_rules(NULL, false, "text", collect, fresh_output()), LL_E_ARGUMENT);
    for (size_t i = 0; i < ll_ruleset_count(rules); i++) {
        output *out = fresh_output();
        ll_rule_info info;
        assert_true(ll_ruleset_rule(rules, i, &info));
        assert_int_equal(ll_explain(rules, i, "text", false, collect, out), LL_OK);
        assert_non_null(strstr(out->bytes, info.id));
    }
    assert_int_equal(ll_explain(rules, ll_ruleset_count(rules), "text", false, collect, fresh_output()), LL_E_ARGUMENT);
    assert_int_equal(ll_explain(NULL, 0, "text", false, collect, fresh_output()), LL_E_ARGUMENT);
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

/* ------------------------------------------------------------------ members */

static void test_members_are_linted_where_they_lie(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *archive = new_report();
    ll_report *report = new_report();
    ll_report *alone = new_report();
    static sample s;
    static sample bad;
    size_t at[3];
    ll_member_info member;
    sample_archive(&s, at);
    sample_bad(&bad);
    uint8_t *bytes = lint_sample(rules, &s, "mod/a.fpk", archive);
    assert_int_equal(ll_report_member_count(archive), 2);
    assert_int_equal(ll_report_member(archive, 0, &member), LL_OK);
    assert_string_equal(member.path, "/a/good.grxla");
    assert_int_equal(member.offset, at[2]);
    assert_int_equal(ll_report_member(archive, 1, &member), LL_OK);
    assert_string_equal(member.path, "/b/bad.grxla");
    assert_int_equal(member.length, bad.size);
    assert_int_equal(ll_lint_member(rules, archive, 0, NULL, report), LL_OK);
    assert_int_equal(ll_report_finding_count(report), 0);
    assert_int_equal(ll_lint_member(rules, archive, 1, NULL, report), LL_OK);
    assert_string_equal(ll_report_name(report), "mod/a.fpk!/b/bad.grxla");
    uint8_t *copy = lint_sample(rules, &bad, "mod/a.fpk!/b/bad.grxla", alone);
    assert_int_equal(ll_report_finding_count(report), ll_report_finding_count(alone));
    assert_true(ll_report_finding_count(report) > 0);
    for (size_t i = 0; i < ll_report_finding_count(report); i++) {
        ll_finding one = finding_at(report, i);
        ll_finding other = finding_at(alone, i);
        assert_string_equal(one.fingerprint, other.fingerprint);
        assert_string_equal(one.path, other.path);
        assert_int_equal(one.offset, at[0] + other.offset);
        assert_int_equal(one.inner.offset, other.offset);
        assert_string_equal(one.inner.member, "/b/bad.grxla");
        assert_null(one.inner.region);
        assert_null(other.inner.member);
        assert_int_equal(one.patch.tier != LL_PATCH_NONE && one.patch.offset != at[0] + other.patch.offset, 0);
    }
    assert_int_equal(ll_report_member_count(report), 0);
    free(copy);
    free(bytes);
    ll_report_free(alone);
    ll_report_free(report);
    ll_report_free(archive);
    ll_ruleset_free(rules);
}

static void test_members_refuse_what_does_not_fit(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *archive = new_report();
    ll_report *report = new_report();
    static sample s;
    size_t at[3];
    ll_member_info member;
    ll_lint_options options = {.size = sizeof options, .name = "x", .identity = "y"};
    assert_int_equal(ll_report_member_count(NULL), 0);
    assert_int_equal(ll_report_member_count(archive), 0);
    assert_int_equal(ll_report_member(archive, 0, &member), LL_E_ARGUMENT);
    assert_int_equal(ll_lint_member(rules, archive, 0, NULL, report), LL_E_ARGUMENT);
    sample_archive(&s, at);
    uint8_t *bytes = lint_sample(rules, &s, "a.fpk", archive);
    assert_int_equal(ll_report_member(archive, 2, &member), LL_E_ARGUMENT);
    assert_int_equal(ll_report_member(archive, 0, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_lint_member(rules, archive, 2, NULL, report), LL_E_ARGUMENT);
    assert_int_equal(ll_lint_member(rules, archive, 0, NULL, archive), LL_E_ARGUMENT);
    assert_int_equal(ll_lint_member(rules, NULL, 0, NULL, report), LL_E_ARGUMENT);
    assert_int_equal(ll_lint_member(rules, archive, 0, NULL, NULL), LL_E_ARGUMENT);
    assert_int_equal(ll_lint_member(rules, archive, 1, &options, report), LL_OK);
    assert_string_equal(ll_report_name(report), "x");
    assert_string_equal(finding_at(report, 0).inner.member, "/b/bad.grxla");
    free(bytes);
    ll_report_free(report);
    ll_report_free(archive);
    ll_ruleset_free(rules);
}

/* tests/fuzz/fuzz_lint.c reads the bytes of regions. */
static void test_a_file_without_regions_has_none(void **state)
{
    (void)state;
    ll_ruleset *rules = new_sealed_rules();
    ll_report *report = new_report();
    static sample s;
    ll_region_info region;
    assert_int_equal(ll_report_region_count(NULL), 0);
    assert_int_equal(ll_report_region_count(report), 0);
    sample_good(&s);
    uint8_t *bytes = lint_sample(rules, &s, "a.grxla", report);
    assert_int_equal(ll_report_region_count(report), 0);
    assert_int_equal(ll_report_region(report, 0, &region), LL_E_ARGUMENT);
    assert_int_equal(ll_report_region(report, 0, NULL), LL_E_ARGUMENT);
    free(bytes);
    ll_report_free(report);
    ll_ruleset_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions_agree),
        cmocka_unit_test(test_every_status_and_severity_has_words),
        cmocka_unit_test(test_extensions_and_formats_are_lists),
        cmocka_unit_test(test_freeing_nothing_is_allowed),
        cmocka_unit_test(test_creating_needs_a_place_for_the_result),
        cmocka_unit_test(test_lint_refuses_what_does_not_fit),
        cmocka_unit_test(test_nothing_changes_after_sealing),
        cmocka_unit_test(test_rule_set_calls_refuse_nothing_and_nonsense),
        cmocka_unit_test(test_reading_a_report_refuses_what_is_not_there),
        cmocka_unit_test(test_an_unused_report_is_empty),
        cmocka_unit_test(test_a_good_file_has_no_findings),
        cmocka_unit_test(test_findings_are_sorted_and_whole),
        cmocka_unit_test(test_texts_of_all_findings_live_together),
        cmocka_unit_test(test_what_a_finding_says),
        cmocka_unit_test(test_a_report_serves_many_files),
        cmocka_unit_test(test_a_fingerprint_survives_a_move),
        cmocka_unit_test(test_limits_are_counted),
        cmocka_unit_test(test_leaves_tile_the_file),
        cmocka_unit_test(test_empty_input),
        cmocka_unit_test(test_unknown_format),
        cmocka_unit_test(test_lfs_pointer),
        cmocka_unit_test(test_line_ending_damage),
        cmocka_unit_test(test_unreadable_file),
#if SIZE_MAX > UINT32_MAX
        cmocka_unit_test(test_more_bytes_than_offsets_reach),
#endif
        cmocka_unit_test(test_catalogue_is_sorted_and_whole),
        cmocka_unit_test(test_rules_are_found_by_id_and_name),
        cmocka_unit_test(test_selecting_switches_the_rest_off),
        cmocka_unit_test(test_ignoring_wins),
        cmocka_unit_test(test_every_kind_of_selector),
        cmocka_unit_test(test_unknown_selectors_are_refused),
        cmocka_unit_test(test_severities_change_what_is_reported),
        cmocka_unit_test(test_locked_rules_stay),
        cmocka_unit_test(test_a_pack_adds_rules),
        cmocka_unit_test(test_bad_packs_are_refused_whole),
        cmocka_unit_test(test_emitters_refuse_what_does_not_fit),
        cmocka_unit_test(test_a_report_may_come_from_other_rules),
        cmocka_unit_test(test_paths_for_services_are_plain),
        cmocka_unit_test(test_every_format_writes_every_kind_of_report),
        cmocka_unit_test(test_dump_and_catalogue_write),
        cmocka_unit_test(test_members_are_linted_where_they_lie),
        cmocka_unit_test(test_members_refuse_what_does_not_fit),
        cmocka_unit_test(test_a_file_without_regions_has_none),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
