/* The library as lightlint.wasm: exported functions over the public header that take numbers and addresses.
 * lightlint.mjs calls them and documents them. Texts and bytes from JavaScript are blocks of web_alloc(), borrowed for
 * the call unless the function says otherwise. Results are put in the output, which is valid until the next call. A
 * function that fails returns false or NULL; web_problem() then puts the reason in the output. */
#include "base/text.h"

#include <limits.h>
#include <stdlib.h>

/* Declares an exported function. */
#define EXPORT(type, name, ...)                                                                                        \
    __attribute__((export_name(#name))) type name(__VA_ARGS__);                                                        \
    type name(__VA_ARGS__)

/* Fields of 4 bytes; lightlint.mjs writes them in this order. */
typedef struct settings {
    const char *variant; /* "": detect by content */
    uint32_t fail_level;
    uint32_t allow_unsupported;
    uint32_t max_per_rule, max_per_file; /* limits of the output */
    uint32_t all;
    int32_t verbosity;
    uint32_t color;
    uint32_t cross;
} settings;

/* A run of several files with one output. */
typedef struct run {
    settings settings;
    const ll_ruleset *rules;
    ll_report *report, *member;
    ll_workspace *workspace; /* NULL: files are not checked against each other */
    ll_emitter *emitter;
    ll_chunk *chunk;
    bool failing, unchecked;
} run;

static ll_text output;
static ll_problem problem;
static ll_status failure;
static uint32_t chance;

/* ------------------------------------------------------------------ blocks, output, errors */

EXPORT(void *, web_alloc, size_t size)
{
    return malloc(size ? size : 1);
}

EXPORT(void, web_release, void *block)
{
    free(block);
}

/* Seed for the hash tables of expat, against inputs made to cause collisions. */
EXPORT(void, web_seed, uint32_t seed)
{
    chance = seed;
}

/* Replacement for expat's calls to the system; dependencies.sh renames them. */
void ll_web_random(void *bytes, size_t size);
void ll_web_random(void *bytes, size_t size)
{
    for (unsigned char *at = bytes; size--; at++) {
        chance = chance * 1664525u + 1013904223u;
        *at = (unsigned char)(chance >> 24);
    }
}

const char *ll_web_getenv(const char *name);
const char *ll_web_getenv(const char *name)
{
    (void)name;
    return NULL;
}

EXPORT(const char *, web_output, void)
{
    return output.data;
}

EXPORT(size_t, web_output_size, void)
{
    return output.length;
}

/* Sets the output to "LINE:COLUMN: WORDS" of a refusal, or to the text of the status. */
EXPORT(void, web_problem, void)
{
    ll_text_clear(&output);
    if (problem.text[0] && problem.line) {
        ll_text_format(&output, "%u:%u: ", problem.line, problem.column);
    }
    ll_text_str(&output, problem.text[0] ? problem.text : ll_status_text(failure));
}

static void begin(void)
{
    if (!output.allocator.alloc) {
        ll_text_init(&output, NULL);
    }
    ll_text_clear(&output);
    problem = (ll_problem){.line = 0};
    failure = LL_OK;
}

static bool end(ll_status status)
{
    failure = status == LL_OK && output.failed ? LL_E_MEMORY : status;
    return failure == LL_OK;
}

/* An ll_write_fn. */
static bool append(void *ctx, const char *bytes, size_t size)
{
    (void)ctx;
    ll_text_put(&output, bytes, size);
    return !output.failed;
}

static void put_word(const char *word)
{
    ll_text_put(&output, word ? word : "", word ? strlen(word) + 1 : 1);
}

/* ------------------------------------------------------------------ rules and descriptions */

EXPORT(ll_ruleset *, web_rules, void)
{
    ll_ruleset *rules = NULL;
    begin();
    return end(ll_ruleset_create(NULL, &rules)) ? rules : NULL;
}

EXPORT(bool, web_rules_pack, ll_ruleset *rules, const char *name, const char *yaml, size_t size)
{
    begin();
    return end(ll_ruleset_add_pack(rules, name, yaml, size, &problem));
}

EXPORT(bool, web_rules_select, ll_ruleset *rules, const char *selector)
{
    begin();
    return end(ll_ruleset_select(rules, selector, &problem));
}

EXPORT(bool, web_rules_ignore, ll_ruleset *rules, const char *selector)
{
    begin();
    return end(ll_ruleset_ignore(rules, selector, &problem));
}

EXPORT(bool, web_rules_severity, ll_ruleset *rules, const char *selector, ll_severity severity)
{
    begin();
    return end(ll_ruleset_set_severity(rules, selector, severity, &problem));
}

EXPORT(bool, web_rules_seal, ll_ruleset *rules)
{
    begin();
    return end(ll_ruleset_seal(rules, &problem));
}

EXPORT(void, web_rules_free, ll_ruleset *rules)
{
    ll_ruleset_free(rules);
}

EXPORT(bool, web_print_rules, const ll_ruleset *rules, bool chosen, const char *format)
{
    begin();
    return end(ll_print_rules(rules, chosen, format, append, NULL));
}

EXPORT(bool, web_explain, const ll_ruleset *rules, const char *rule, const char *format)
{
    size_t index = 0;
    begin();
    bool found = ll_ruleset_find(rules, rule, &index, &problem);
    return end(found ? ll_explain(rules, index, format, false, append, NULL) : LL_E_ARGUMENT);
}

/* family "": all families. */
EXPORT(bool, web_print_fields, const char *family, const char *format)
{
    begin();
    return end(ll_print_fields(NULL, family[0] ? family : NULL, format, append, NULL));
}

EXPORT(bool, web_print_version, const ll_ruleset *rules, const char *format)
{
    begin();
    return end(ll_print_version(rules, format, append, NULL));
}

/* Puts the words of a list in the output, each with its NUL. */
EXPORT(bool, web_words, unsigned list)
{
    const char *const *const lists[] = {ll_extensions(), ll_emit_formats(), ll_fix_formats(), ll_diff_formats()};
    begin();
    for (size_t i = 0; list == 0 && ll_family(i); i++) {
        put_word(ll_family(i));
    }
    for (const char *const *word = list ? lists[list - 1] : NULL; word && *word; word++) {
        put_word(*word);
    }
    return end(LL_OK);
}

/* known: `first` and `size` are given; else only the name decides. */
EXPORT(bool, web_unread_archive, const char *name, bool known, const void *first, size_t size)
{
    return ll_is_unread_archive(name, known ? first : NULL, size);
}

/* ------------------------------------------------------------------ runs */

static ll_lint_options lint_options(const settings *settings, const char *name)
{
    return (ll_lint_options){.size = sizeof(ll_lint_options),
                             .name = name,
                             .variant = settings->variant[0] ? settings->variant : NULL,
                             .has_fail_level = true,
                             .fail_level = (ll_severity)settings->fail_level,
                             .allow_unsupported = settings->allow_unsupported};
}

EXPORT(void, web_run_free, run *r)
{
    ll_chunk_free(r->chunk);
    ll_emitter_free(r->emitter);
    ll_workspace_free(r->workspace);
    ll_report_free(r->member);
    ll_report_free(r->report);
    free(r);
}

static ll_status open_run(run *r, const char *format)
{
    const settings *s = &r->settings;
    ll_emit_options emit = {.size = sizeof emit,
                            .format = format,
                            .color = s->color,
                            .all = s->all,
                            .max_per_rule = s->max_per_rule,
                            .max_per_file = s->max_per_file,
                            .verbosity = s->verbosity,
                            .fail_level = (ll_severity)s->fail_level};
    ll_status status = ll_report_create(NULL, &r->report);
    status = status == LL_OK ? ll_report_create(NULL, &r->member) : status;
    status = status == LL_OK && s->cross ? ll_workspace_create(NULL, r->rules, &r->workspace) : status;
    status = status == LL_OK ? ll_emitter_create(NULL, r->rules, &emit, append, NULL, &r->emitter) : status;
    return status == LL_OK ? ll_chunk_create(NULL, &r->chunk) : status;
}

/* settings->variant and the rules must outlive the run. */
EXPORT(run *, web_run, const ll_ruleset *rules, const settings *settings, const char *format)
{
    run *r = calloc(1, sizeof *r);
    begin();
    if (r) {
        r->settings = *settings;
        r->rules = rules;
    }
    if (end(r ? open_run(r, format) : LL_E_MEMORY)) {
        return r;
    }
    if (r) {
        web_run_free(r);
    }
    return NULL;
}

/* Renders a report to the output and adds it to the workspace. */
static ll_status conclude(run *r, ll_report *report, bool joins)
{
    ll_summary sum;
    ll_severity level = (ll_severity)r->settings.fail_level;
    ll_report_summary(report, &sum);
    r->unchecked = r->unchecked || sum.incomplete;
    r->failing = r->failing || (level != LL_SEVERITY_OFF && sum.errors) || (level == LL_NOTE && sum.notes) ||
                 ((level == LL_NOTE || level == LL_WARNING) && sum.warnings);
    ll_status status = ll_emitter_render(r->emitter, report, r->chunk);
    status = status == LL_OK ? ll_emitter_commit(r->emitter, r->chunk) : status;
    return status == LL_OK && joins && r->workspace ? ll_workspace_add(r->workspace, report) : status;
}

static ll_status add_members(run *r)
{
    ll_status status = LL_OK;
    for (size_t i = 0; i < ll_report_member_count(r->report) && status == LL_OK; i++) {
        ll_lint_options options = lint_options(&r->settings, NULL);
        status = ll_lint_member(r->rules, r->report, i, &options, r->member);
        status = status == LL_OK ? conclude(r, r->member, true) : status;
    }
    return status;
}

static bool is_manifest(const char *name)
{
    return ll_ends_with(name, ".fpk.xml") || ll_ends_with(name, ".fpkd.xml");
}

/* Lints a file and its members. The output is what the format has so far. */
EXPORT(bool, web_run_add, run *r, const char *name, const void *bytes, size_t size)
{
    ll_lint_options options = lint_options(&r->settings, name);
    bool manifest = r->workspace && is_manifest(name);
    begin();
    ll_status status = manifest ? ll_lint_manifest(r->rules, r->workspace, bytes, size, &options, r->report)
                                : ll_lint(r->rules, bytes, size, &options, r->report);
    status = status == LL_OK ? conclude(r, r->report, !manifest) : status;
    return end(status == LL_OK ? add_members(r) : status);
}

EXPORT(bool, web_run_add_unreadable, run *r, const char *name, const char *why)
{
    ll_lint_options options = lint_options(&r->settings, name);
    begin();
    r->unchecked = true;
    ll_status status = ll_lint_unreadable(r->rules, why, &options, r->report);
    return end(status == LL_OK ? conclude(r, r->report, true) : status);
}

/* Adds the name of a file that exists but was not linted, or of a folder of which everything was added. */
EXPORT(bool, web_run_add_name, run *r, const char *path, bool folder)
{
    begin();
    return end(!r->workspace ? LL_OK
               : folder      ? ll_workspace_add_folder(r->workspace, path)
                             : ll_workspace_add_name(r->workspace, path));
}

/* Runs the rules across files and passes the result to the emitter. */
EXPORT(bool, web_run_join, run *r)
{
    begin();
    ll_status status = r->workspace ? ll_workspace_join(r->workspace) : LL_OK;
    return end(status == LL_OK && r->workspace ? ll_emitter_join(r->emitter, r->workspace) : status);
}

/* For each file with findings across files: name of the file or archive whose bytes web_run_joined() needs. */
EXPORT(bool, web_run_joined_names, run *r)
{
    ll_workspace_file file;
    begin();
    for (size_t i = 0; r->workspace && ll_workspace_file_at(r->workspace, i, &file); i++) {
        put_word(file.archive ? file.archive : file.name);
    }
    return end(LL_OK);
}

/* Renders the findings across files of one of these files. */
EXPORT(bool, web_run_joined, run *r, size_t index, const void *bytes, size_t size)
{
    ll_lint_options options = lint_options(&r->settings, NULL);
    begin();
    ll_status status = ll_workspace_report(r->workspace, r->rules, index, &options, r->report);
    status = status == LL_OK && bytes ? ll_report_show(r->report, bytes, size) : status;
    return end(status == LL_OK ? conclude(r, r->report, false) : status);
}

/* Writes the end of the output. Returns the exit code; -1: failed. */
EXPORT(int, web_run_finish, run *r)
{
    int code = r->unchecked ? 2 : r->failing;
    begin();
    ll_status status = ll_emitter_finish(r->emitter, code);
    return end(status) ? code : -1;
}

/* Number of findings missing from the output, at most INT_MAX. */
EXPORT(int, web_run_missing, const run *r)
{
    const uint64_t missing = ll_emitter_missing(r->emitter);
    return missing < INT_MAX ? (int)missing : INT_MAX;
}

EXPORT(bool, web_run_packages, run *r, const char *format)
{
    begin();
    return end(r->workspace ? ll_workspace_print(r->workspace, format, append, NULL) : LL_E_ARGUMENT);
}

/* For each package with skipped rules: package, what is missing, why, number of rules. */
EXPORT(bool, web_run_notices, run *r)
{
    ll_workspace_notice notice;
    begin();
    for (size_t i = 0; r->workspace && ll_workspace_notice_at(r->workspace, i, &notice); i++) {
        put_word(notice.package);
        put_word(notice.missing);
        put_word(notice.why);
        ll_text_u64(&output, notice.rules);
        put_word(NULL);
    }
    return end(LL_OK);
}

/* ------------------------------------------------------------------ one file */

/* A linted file: its report, and that of the selected member. */
typedef struct file {
    settings settings;
    const ll_ruleset *rules;
    ll_report *report, *member;
    ll_report *shown; /* report of the file or of the member */
} file;

EXPORT(void, web_file_free, file *f)
{
    ll_report_free(f->member);
    ll_report_free(f->report);
    free(f);
}

static ll_status open_file(file *f, const char *name, const void *bytes, size_t size)
{
    ll_lint_options options = lint_options(&f->settings, name);
    ll_status status = ll_report_create(NULL, &f->report);
    status = status == LL_OK ? ll_report_create(NULL, &f->member) : status;
    f->shown = f->report;
    return status == LL_OK ? ll_lint(f->rules, bytes, size, &options, f->report) : status;
}

/* Lints a file. `name`, `bytes`, settings->variant and the rules must outlive it. */
EXPORT(file *, web_file, const ll_ruleset *rules, const settings *settings, const char *name, const void *bytes,
       size_t size)
{
    file *f = calloc(1, sizeof *f);
    begin();
    if (f) {
        f->settings = *settings;
        f->rules = rules;
    }
    if (end(f ? open_file(f, name, bytes, size) : LL_E_MEMORY)) {
        return f;
    }
    if (f) {
        web_file_free(f);
    }
    return NULL;
}

/* Path, offset and length of each member that can be linted. */
EXPORT(bool, web_file_members, file *f)
{
    ll_member_info member;
    ll_status status = LL_OK;
    begin();
    for (size_t i = 0; i < ll_report_member_count(f->report) && status == LL_OK; i++) {
        status = ll_report_member(f->report, i, &member);
        put_word(member.path);
        ll_text_u64(&output, member.offset);
        put_word(NULL);
        ll_text_u64(&output, member.length);
        put_word(NULL);
    }
    return end(status);
}

/* Lints a member; from now on, functions show it. */
EXPORT(bool, web_file_enter, file *f, size_t index)
{
    ll_lint_options options = lint_options(&f->settings, NULL);
    begin();
    f->shown = f->member;
    return end(ll_lint_member(f->rules, f->report, index, &options, f->member));
}

/* An ll_write_fn that fails if the output would exceed *ctx bytes. */
static bool append_some(void *ctx, const char *bytes, size_t size)
{
    static const char words[] = "the dump has more bytes than its limit";
    const size_t *limit = ctx;
    if (size > *limit || output.length > *limit - size) {
        memcpy(problem.text, words, sizeof words);
        return false;
    }
    return append(NULL, bytes, size);
}

/* Puts the bytes of a region of the shown report in the output. */
EXPORT(bool, web_region, const file *f, const char *name)
{
    ll_region_info region;
    ll_status status = LL_E_ARGUMENT;
    begin();
    for (size_t i = 0; ll_report_region(f->shown, i, &region) == LL_OK; i++) {
        if (strcmp(region.name, name) == 0) {
            ll_text_put(&output, (const char *)region.bytes, (size_t)region.size);
            status = LL_OK;
        }
    }
    return end(status);
}

/* limit: most bytes of the dump. */
EXPORT(bool, web_dump, file *f, const char *format, size_t limit)
{
    begin();
    return end(ll_dump(f->shown, format, NULL, append_some, &limit));
}

/* n: the fields of an ll_camera after its size. */
EXPORT(bool, web_draw, file *f, const double *n, size_t size)
{
    (void)size;
    const ll_camera camera = {sizeof camera,
                              n[0], n[1], n[2] != 0, n[3], n[4], n[5], {n[6], n[7], n[8]}, {n[9], n[10]}, n[11] != 0,
                              (uint32_t)n[12], (uint32_t)n[13]};
    begin();
    return end(ll_draw(f->shown, &camera, append, NULL));
}

EXPORT(bool, web_list, file *f, const char *script)
{
    begin();
    return end(ll_list(f->shown, script, NULL, append, NULL, &problem));
}

/* ------------------------------------------------------------------ comparing, building, fixing */

EXPORT(ll_differences *, web_diff, const char *format, bool heads)
{
    ll_diff_options options = {.size = sizeof options, .format = format, .heads = heads, .write = append};
    ll_differences *differences = NULL;
    begin();
    return end(ll_differences_create(NULL, &options, &differences)) ? differences : NULL;
}

/* Compares the shown reports; NULL: the file exists on the other side only. */
EXPORT(bool, web_diff_add, ll_differences *differences, file *before, file *after)
{
    begin();
    return end(ll_differences_add(differences, before ? before->shown : NULL, after ? after->shown : NULL));
}

/* Returns the number of differences and frees the object; -1: failed. */
EXPORT(double, web_diff_finish, ll_differences *differences)
{
    uint64_t count = 0;
    begin();
    ll_status status = ll_differences_finish(differences, &count);
    ll_differences_free(differences);
    return end(status) ? (double)count : -1;
}

EXPORT(ll_built *, web_build, const void *json, size_t size)
{
    ll_built *built = NULL;
    begin();
    return end(ll_build(NULL, json, size, &built, &problem)) ? built : NULL;
}

EXPORT(bool, web_built_bytes, const ll_built *built)
{
    const void *bytes;
    size_t size;
    begin();
    ll_built_bytes(built, &bytes, &size);
    ll_text_put(&output, bytes, size);
    return end(LL_OK);
}

/* Puts format, name and notes in the output. */
EXPORT(bool, web_built_words, const ll_built *built)
{
    begin();
    put_word(ll_built_format(built));
    put_word(ll_built_name(built));
    for (size_t i = 0; ll_built_note(built, i); i++) {
        put_word(ll_built_note(built, i));
    }
    return end(LL_OK);
}

EXPORT(void, web_built_free, ll_built *built)
{
    ll_built_free(built);
}

/* Which patches are tried. */
typedef struct wanted {
    bool *chosen;             /* by rule; NULL: all */
    const char *fingerprints; /* each followed by a space; "": all */
} wanted;

/* ll_fix_options.wants */
static bool wants(void *ctx, const ll_finding *finding)
{
    const wanted *w = ctx;
    return (!w->chosen || w->chosen[finding->rule]) &&
           (!w->fingerprints[0] || strstr(w->fingerprints, finding->fingerprint));
}

/* Sets `chosen` for all rules in `selectors`, each followed by a space. */
static ll_status choose(const ll_ruleset *rules, const char *selectors, bool *chosen)
{
    ll_text selector;
    ll_status status = LL_OK;
    ll_text_init(&selector, NULL);
    for (const char *at = selectors; *at && status == LL_OK; at += strcspn(at, " ") + 1) {
        ll_text_clear(&selector);
        ll_text_put(&selector, at, strcspn(at, " "));
        status = ll_ruleset_choose(rules, ll_text_cstr(&selector), chosen, &problem);
    }
    ll_text_free(&selector);
    return status;
}

/* Applies patches of a file. `selectors` "": of all rules. The file must outlive the result. */
EXPORT(ll_fix *, web_fix, file *f, const void *bytes, size_t size, bool unsafe, const char *selectors,
       const char *fingerprints)
{
    ll_fix *fix = NULL;
    wanted w = {NULL, fingerprints};
    ll_lint_options lint = lint_options(&f->settings, ll_report_name(f->report));
    ll_fix_options options = {.size = sizeof options,
                              .tier = unsafe ? LL_PATCH_UNSAFE : LL_PATCH_SAFE,
                              .notes = selectors[0] || fingerprints[0],
                              .wants = wants,
                              .ctx = &w};
    begin();
    ll_status status = ll_fix_create(NULL, &fix);
    if (selectors[0]) {
        w.chosen = calloc(ll_ruleset_count(f->rules), sizeof *w.chosen);
        status = status != LL_OK ? status : w.chosen ? choose(f->rules, selectors, w.chosen) : LL_E_MEMORY;
    }
    status = status == LL_OK ? ll_fix_run(fix, f->rules, bytes, size, &lint, &options) : status;
    free(w.chosen);
    if (end(status)) {
        return fix;
    }
    ll_fix_free(fix);
    return NULL;
}

EXPORT(bool, web_fix_print, ll_fix *fix, const char *format, bool written)
{
    begin();
    return end(ll_fix_print(fix, format, written, append, NULL));
}

EXPORT(bool, web_fix_bytes, const ll_fix *fix)
{
    const void *bytes = NULL;
    size_t size = 0;
    begin();
    (void)ll_fix_result(fix, &bytes, &size);
    ll_text_put(&output, bytes, size);
    return end(LL_OK);
}

EXPORT(void, web_fix_free, ll_fix *fix)
{
    ll_fix_free(fix);
}
