/* Out of memory: runs every scenario once for every allocation that it makes (or for some of thousands), with that one
 * failing, and again with all failing from there on. Each run must return LL_E_MEMORY, or LL_OK with the normal output,
 * and release everything.
 *
 * First with ll_allocator; then, unless a sanitizer replaces malloc, with malloc itself failing in the whole
 * process, so that PCRE2, libyaml and cJSON run out of memory, too. */
#include "sample.h"

#include "base/endian.h"
#include "made/script_map.h"

#include <lightlint/lightlint.h>

#include <stdio.h>

#if defined(__has_feature)
#define HAS_FEATURE(feature) __has_feature(feature)
#else
#define HAS_FEATURE(feature) 0
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                           \
    !HAS_FEATURE(address_sanitizer) && !HAS_FEATURE(thread_sanitizer) && !HAS_FEATURE(memory_sanitizer)
#define OWN_MALLOC 1
#else
#define OWN_MALLOC 0
#endif

/* ------------------------------------------------------------------ counting and failing */

typedef struct meter {
    long live;          /* blocks allocated and not released */
    long calls;         /* since arm() */
    long fail_at;       /* number of the call that fails */
    bool armed, onward; /* onward: all later calls fail, too */
    bool failed;
    bool misused; /* something was released that was never allocated */
} meter;

static meter library; /* calls through ll_allocator */

static void arm(meter *m, long fail_at, bool onward)
{
    m->calls = 0;
    m->fail_at = fail_at;
    m->onward = onward;
    m->failed = false;
    m->armed = true;
}

static bool refuses(meter *m)
{
    if (!m->armed) {
        return false;
    }
    m->calls++;
    bool no = m->calls == m->fail_at || (m->onward && m->calls > m->fail_at);
    m->failed = m->failed || no;
    return no;
}

static void *metered_alloc(void *ctx, size_t size)
{
    meter *m = ctx;
    void *block = refuses(m) ? NULL : malloc(size);
    m->live += block != NULL;
    return block;
}

static void metered_release(void *ctx, void *block)
{
    meter *m = ctx;
    m->misused = m->misused || !block || m->live == 0;
    m->live--;
    free(block);
}

#if OWN_MALLOC
static meter process; /* every malloc, calloc and realloc */

/* The project hides its symbols; the other libraries must see these. */
#define SEEN __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

SEEN void *malloc(size_t size)
{
    void *block = refuses(&process) ? NULL : __libc_malloc(size);
    process.live += block != NULL;
    return block;
}

SEEN void *calloc(size_t count, size_t size)
{
    void *block = refuses(&process) ? NULL : __libc_calloc(count, size);
    process.live += block != NULL;
    return block;
}

SEEN void *realloc(void *old, size_t size)
{
    if (refuses(&process)) {
        return NULL;
    }
    void *block = __libc_realloc(old, size);
    process.live += (block != NULL) - (old != NULL && (block != NULL || size == 0));
    return block;
}

SEEN void free(void *block)
{
    process.live -= block != NULL;
    __libc_free(block);
}
#endif

/* ------------------------------------------------------------------ data for the scenarios */

static const char PACK[] = "- id: YARD001\n"
                           "  name: yard-name\n"
                           "  severity: warning\n"
                           "  tags: [name, yard]\n"
                           "  on: [grx.name, grx.dataset_path]\n"
                           "  field: text\n"
                           "  check: regex\n"
                           "  value: '^(?:YARD|HOUSE|GARDEN|STREET|TOWER|BRIDGE|HARBOUR|STATION|LIBRARY|"
                           "FACTORY|WAREHOUSE|LIGHTHOUSE|BARRACKS|OBSERVATORY)_[0-9]+$'\n"
                           "  yields_to: [name-empty]\n"
                           "  title: The name does not follow the rules of the yard.\n"
                           "  why: Names are sorted.\n"
                           "  fix: Rename the light.\n"
                           "- id: YARD002\n"
                           "  name: yard-values\n"
                           "  severity: note\n"
                           "  tags: [value]\n"
                           "  on: 'grx.*_light'\n"
                           "  field: '*'\n"
                           "  except: [rotation, tag]\n"
                           "  check: finite\n"
                           "  when: {field: tag, check: one_of, value: [PL02, PL03]}\n"
                           "  title: A value is not finite.\n"
                           "  why: Nothing can be computed with it.\n"
                           "  fix: >-\n"
                           "    Write a number.\n";

/* Hash of all output of a scenario. */
typedef struct digest {
    uint64_t hash;
} digest;

static bool digest_bytes(void *ctx, const char *bytes, size_t size)
{
    digest *d = ctx;
    for (size_t i = 0; i < size; i++) {
        d->hash = (d->hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001B3);
    }
    return true;
}

static void digest_text(digest *d, const char *text)
{
    (void)digest_bytes(d, text, strlen(text) + 1);
}

typedef struct piece {
    const char *text;
} piece;

typedef struct world {
    const ll_allocator *allocator;
    ll_ruleset *rules; /* sealed */
    sample good, bad, damaged;
    image map;             /* actors with scripts */
    char *census;          /* as "jsonl" */
    char *journal;         /* journal of a fix of the bad file */
    char *json, *map_json; /* dumps of the bad file and of the map */
    uint8_t *fixed;        /* the bad file after that fix */
    size_t fixed_size;
} world;

typedef ll_status scenario_fn(const world *w, const char *variant, digest *out);

/* ------------------------------------------------------------------ scenarios */

static ll_status make_rules(const world *w, ll_ruleset **out)
{
    ll_problem problem;
    ll_status status = ll_ruleset_create(w->allocator, out);
    if (status == LL_OK) {
        status = ll_ruleset_add_pack(*out, "yard.yaml", PACK, sizeof PACK - 1, &problem);
    }
    if (status == LL_OK) {
        status = ll_ruleset_set_severity(*out, "tag:yard", LL_ERROR, &problem);
    }
    return status == LL_OK ? ll_ruleset_seal(*out, &problem) : status;
}

static ll_status run_rules(const world *w, const char *variant, digest *out)
{
    (void)variant;
    ll_ruleset *rules = NULL;
    ll_status status = make_rules(w, &rules);
    for (size_t i = 0; status == LL_OK && i < ll_ruleset_count(rules); i++) {
        ll_rule_info info;
        (void)ll_ruleset_rule(rules, i, &info);
        digest_text(out, info.id);
        digest_text(out, ll_severity_text(info.severity));
        digest_text(out, info.target);
        digest_text(out, info.check);
    }
    ll_ruleset_free(rules);
    return status;
}

/* A refused pack. The problem has a text; without memory the status is LL_E_MEMORY instead. */
static ll_status run_bad_pack(const world *w, const char *variant, digest *out)
{
    ll_ruleset *rules = NULL;
    ll_problem problem = {0};
    ll_status status = ll_ruleset_create(w->allocator, &rules);
    if (status == LL_OK) {
        status = ll_ruleset_add_pack(rules, "bad.yaml", variant, strlen(variant), &problem);
        assert_int_not_equal(status, LL_OK);
        assert_true(status == LL_E_MEMORY || problem.text[0]);
    }
    if (status == LL_E_PACK) {
        digest_text(out, ll_status_text(status)); /* the text of the problem may be missing without memory */
        status = LL_OK;
    }
    ll_ruleset_free(rules);
    return status;
}

static bool digest_span(void *ctx, const ll_span_info *span)
{
    digest_text(ctx, span->path);
    digest_text(ctx, span->value ? span->value : "");
    return true;
}

static ll_status read_report(ll_report *report, digest *out)
{
    ll_status status = LL_OK;
    for (size_t i = 0; status == LL_OK && i < ll_report_finding_count(report); i++) {
        ll_finding finding;
        status = ll_report_finding(report, i, &finding);
        if (status == LL_OK) {
            digest_text(out, finding.fingerprint);
            digest_text(out, finding.message);
        }
    }
    return status == LL_OK ? ll_report_spans(report, digest_span, out) : status;
}

static ll_status lint(const world *w, const sample *s, const char *name, ll_report *report)
{
    ll_lint_options options = {.size = sizeof options, .name = name};
    return ll_lint(w->rules, s->bytes, s->size, &options, report);
}

static ll_status run_lint(const world *w, const char *variant, digest *out)
{
    (void)variant;
    const sample *const files[] = {&w->bad, &w->good, &w->damaged, &w->bad};
    ll_report *report = NULL;
    ll_status status = ll_report_create(w->allocator, &report);
    for (size_t i = 0; status == LL_OK && i < sizeof files / sizeof files[0]; i++) {
        status = lint(w, files[i], "a.grxla", report);
        status = status == LL_OK ? read_report(report, out) : status;
    }
    if (status == LL_OK) {
        status = ll_lint_unreadable(w->rules, "No such file\x1b", NULL, report);
        status = status == LL_OK ? read_report(report, out) : status;
    }
    ll_report_free(report);
    return status;
}

/* Two files in one chunk, one in the next. */
static ll_status write_all(const world *w, ll_emitter *emitter, ll_report *report, ll_chunk *chunk)
{
    const sample *const files[] = {&w->bad, &w->good, &w->damaged};
    ll_status status = LL_OK;
    for (size_t i = 0; status == LL_OK && i < sizeof files / sizeof files[0]; i++) {
        status = lint(w, files[i], i ? "\x1b[m\xFF.grxla" : "a.grxla", report);
        status = status == LL_OK ? ll_emitter_render(emitter, report, chunk) : status;
        status = status == LL_OK && i > 0 ? ll_emitter_commit(emitter, chunk) : status;
    }
    return status == LL_OK ? ll_emitter_finish(emitter, 1) : status;
}

/* An archive and its members. */
static ll_status render_members(const world *w, ll_emitter *emitter, ll_chunk *chunk, ll_report *archive,
                                ll_report *report)
{
    static sample s;
    ll_member_info member;
    size_t at[3];
    sample_archive(&s, at);
    ll_status status = lint(w, &s, "a.fpk", archive);
    status = status == LL_OK ? ll_emitter_render(emitter, archive, chunk) : status;
    for (size_t i = 0; status == LL_OK && i < ll_report_member_count(archive); i++) {
        status = ll_report_member(archive, i, &member);
        status = status == LL_OK ? ll_lint_member(w->rules, archive, i, NULL, report) : status;
        status = status == LL_OK ? ll_emitter_render(emitter, report, chunk) : status;
    }
    return status == LL_OK ? ll_emitter_commit(emitter, chunk) : status;
}

static ll_status run_members(const world *w, const char *variant, digest *out)
{
    ll_report *archive = NULL;
    ll_report *report = NULL;
    ll_emitter *emitter = NULL;
    ll_chunk *chunk = NULL;
    ll_emit_options options = {.size = sizeof options, .format = variant};
    ll_status status = ll_report_create(w->allocator, &archive);
    status = status == LL_OK ? ll_report_create(w->allocator, &report) : status;
    status = status == LL_OK ? ll_chunk_create(w->allocator, &chunk) : status;
    status =
        status == LL_OK ? ll_emitter_create(w->allocator, w->rules, &options, digest_bytes, out, &emitter) : status;
    status = status == LL_OK ? render_members(w, emitter, chunk, archive, report) : status;
    status = status == LL_OK ? ll_emitter_finish(emitter, 1) : status;
    ll_chunk_free(chunk);
    ll_emitter_free(emitter);
    ll_report_free(report);
    ll_report_free(archive);
    return status;
}

static ll_status run_emitter(const world *w, const char *variant, digest *out)
{
    ll_report *report = NULL;
    ll_emitter *emitter = NULL;
    ll_chunk *chunk = NULL;
    ll_emit_options options = {.size = sizeof options, .format = variant, .verbosity = 1, .fail_level = LL_WARNING};
    ll_status status = ll_report_create(w->allocator, &report);
    if (status == LL_OK) {
        status = ll_emitter_create(w->allocator, w->rules, &options, digest_bytes, out, &emitter);
    }
    if (status == LL_OK) {
        status = ll_chunk_create(w->allocator, &chunk);
    }
    if (status == LL_OK) {
        status = write_all(w, emitter, report, chunk);
    }
    ll_emitter_free(emitter);
    ll_chunk_free(chunk);
    ll_report_free(report);
    return status;
}

static ll_status run_dump(const world *w, const char *variant, digest *out)
{
    ll_report *report = NULL;
    ll_status status = ll_report_create(w->allocator, &report);
    if (status == LL_OK) {
        status = lint(w, &w->bad, "a.grxla", report);
    }
    if (status == LL_OK) {
        status = ll_dump(report, variant, NULL, digest_bytes, out);
    }
    ll_report_free(report);
    return status;
}

/* An area with uncompressed lights, to which a light was added. */
static const char area_json[] =
    "{\"format\":\"mrea\",\"records\":["
    "{\"record\":\"mrea.header_mp2\",\"magic\":\"0xdeadbeef\",\"version\":25,\"transform\":[1,0,0,0,0,1,0,0,0,0,1,0],"
    "\"world_model_count\":0,\"script_layer_count\":0,\"geometry_index\":0,\"script_layers_index\":0,"
    "\"generated_objects_index\":0,\"collision_index\":0,\"unknown_index\":0,\"lights_index\":0,\"visibility_index\":0,"
    "\"path_index\":0,\"ffff_index\":0,\"portal_area_index\":0,\"static_geometry_map_index\":0},"
    "{\"record\":\"mrea.section_size\",\"items\":[{\"section_size\":32}]},"
    "{\"record\":\"mrea.block_row\",\"items\":[{\"buffer_size\":320,\"decompressed_size\":32,\"compressed_size\":34,"
    "\"section_count\":1}]},{\"record\":\"mrea.table_padding_blocks\",\"zeros\":16},"
    "{\"record\":\"mrea.block\",\"records\":[{\"record\":\"mrea.lead_padding\",\"zeros\":30},"
    "{\"record\":\"mrea.segment\",\"stored_size\":-32,\"records\":[{\"record\":\"mrea.segment_data\",\"hex\":"
    "\"babedead00000000000000000000000000000000000000000000000000000000\"}]}]}],"
    "\"regions\":[{\"name\":\"section[0]\",\"records\":[{\"record\":\"mrea.section\",\"records\":["
    "{\"record\":\"mrea.lights\",\"magic\":\"0xbabedead\",\"records\":[{\"record\":\"mrea.layer\",\"records\":["
    "{\"record\":\"mrea.light\",\"items\":[{\"type\":2,\"color\":[1,1,1],\"position\":[0,0,0],\"direction\":[0,0,0],"
    "\"brightness\":9,\"spot_cutoff\":0,\"unknown_30\":0,\"cast_shadows\":1,\"unknown_35\":0,\"falloff_type\":2,"
    "\"unknown_3d\":0}]}]},{\"record\":\"mrea.layer\"}]}]}]}]}";

/* Builds a file from a dump. variant: "" for the dump of the bad file. */
static ll_status run_build(const world *w, const char *variant, digest *out)
{
    ll_built *built = NULL;
    ll_problem problem = {0};
    const void *bytes = NULL;
    size_t size = 0;
    const char *json = strcmp(variant, "map") == 0 ? w->map_json : *variant ? area_json : w->json;
    ll_status status = ll_build(w->allocator, json, strlen(json), &built, &problem);
    if (status == LL_OK) {
        ll_built_bytes(built, &bytes, &size);
        (void)digest_bytes(out, bytes, size);
        digest_text(out, ll_built_note(built, 0) ? ll_built_note(built, 0) : "");
    }
    ll_built_free(built);
    return status;
}

static ll_status lint_map(const world *w, ll_report **report)
{
    ll_lint_options options = {.size = sizeof options, .name = "a.rgm"};
    ll_status status = ll_report_create(w->allocator, report);
    return status == LL_OK ? ll_lint(w->rules, w->map.bytes, w->map.size, &options, *report) : status;
}

/* An area of Donkey Kong Country Returns with one block of 64 zeros: first with a correct zlib stream, then with one
 * that unpacks to more. */
static ll_status run_inflate(const world *w, const char *variant, digest *out)
{
    (void)variant;
    static const uint8_t stream[] = {0x78, 0xDA, 0x63, 0x60, 0xA0, 0x0C, 0x00, 0x00, 0x00, 0x40, 0x00, 0x01};
    enum { STREAM = sizeof stream, SIZE = 0x100, BLOCK_END = 0xE0 };
    static const uint32_t words[][2] = {{0, 0xDEADBEEF},    {4, 0x20},          {8, 0x3F800000}, {0x1C, 0x3F800000},
                                        {0x30, 0x3F800000}, {0x38, 1},          {0x3C, 1},       {0x40, 1},
                                        {0x44, 1},          {0x48, 1},          {0x60, 64},      {0x80, 64 + 0x120},
                                        {0x84, 64},         {0x88, 2 + STREAM}, {0x8C, 1},       {0xA0, 0x4C495445}};
    uint8_t area[SIZE] = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ll_put_uint(area + words[i][0], 4, true, words[i][1]);
    }
    ll_put_uint(area + BLOCK_END - STREAM - 2, 2, true, STREAM);
    memcpy(area + BLOCK_END - STREAM, stream, STREAM);
    memset(area + BLOCK_END, 0xFF, SIZE - BLOCK_END);
    ll_lint_options options = {.size = sizeof options, .name = "a.mrea"};
    ll_report *report = NULL;
    ll_status status = ll_report_create(w->allocator, &report);
    for (uint32_t size = 64; status == LL_OK && size >= 32; size -= 32) {
        ll_put_uint(area + 0x60, 4, true, size);
        ll_put_uint(area + 0x80, 4, true, size + 0x120);
        ll_put_uint(area + 0x84, 4, true, size);
        status = ll_lint(w->rules, area, sizeof area, &options, report);
        if (status == LL_OK) {
            ll_summary sum;
            ll_report_summary(report, &sum);
            assert_int_equal(sum.errors, size == 64 ? 0 : 1);
        }
        status = status == LL_OK ? read_report(report, out) : status;
    }
    ll_report_free(report);
    return status;
}

static ll_status run_dump_of_scripts(const world *w, const char *variant, digest *out)
{
    ll_report *report = NULL;
    ll_status status = lint_map(w, &report);
    status = status == LL_OK ? ll_dump(report, variant, NULL, digest_bytes, out) : status;
    ll_report_free(report);
    return status;
}

/* Compares a map with a copy in which some bytes differ: fields, scripts and records. */
static ll_status run_diff(const world *w, const char *variant, digest *out)
{
    ll_report *reports[2] = {NULL, NULL};
    ll_differences *differences = NULL;
    ll_diff_options options = {.size = sizeof options, .format = variant, .write = digest_bytes, .ctx = out};
    ll_lint_options lint_options = {.size = sizeof lint_options, .name = "b.rgm"};
    static uint8_t other[4096];
    assert_in_range(w->map.size, 1, sizeof other);
    memcpy(other, w->map.bytes, w->map.size);
    for (size_t i = w->map.size / 2; i < w->map.size; i += 97) {
        other[i] ^= 1;
    }
    ll_status status = lint_map(w, &reports[0]);
    status = status == LL_OK ? ll_report_create(w->allocator, &reports[1]) : status;
    status = status == LL_OK ? ll_lint(w->rules, other, w->map.size, &lint_options, reports[1]) : status;
    status = status == LL_OK ? ll_differences_create(w->allocator, &options, &differences) : status;
    status = status == LL_OK ? ll_differences_add(differences, reports[0], reports[1]) : status;
    status = status == LL_OK ? ll_differences_finish(differences, NULL) : status;
    ll_differences_free(differences);
    ll_report_free(reports[1]);
    ll_report_free(reports[0]);
    return status;
}

static ll_status run_listing(const world *w, const char *variant, digest *out)
{
    ll_report *report = NULL;
    ll_problem problem = {0};
    ll_status status = lint_map(w, &report);
    status = status == LL_OK ? ll_list(report, variant, NULL, digest_bytes, out, &problem) : status;
    ll_report_free(report);
    return status;
}

/* variant: output format; "journal": the lines for undoing. */
static ll_status run_fix(const world *w, const char *variant, digest *out)
{
    ll_fix *fix = NULL;
    ll_fix_options options = {.size = sizeof options, .tier = LL_PATCH_UNSAFE, .judge = w->rules};
    ll_lint_options lint_as = {.size = sizeof lint_as, .name = "a.grxla"};
    ll_status status = ll_fix_create(w->allocator, &fix);
    status = status == LL_OK ? ll_fix_run(fix, w->rules, w->bad.bytes, w->bad.size, &lint_as, &options) : status;
    ll_fix_place place = {.file = "a.grxla", .was = w->bad.bytes, .was_size = w->bad.size};
    if (status == LL_OK && strcmp(variant, "journal") == 0) {
        status = ll_fix_note(fix, &place, digest_bytes, out);
    } else if (status == LL_OK) {
        status = ll_fix_print(fix, variant, true, digest_bytes, out);
    }
    ll_fix_free(fix);
    return status;
}

static ll_status run_undo(const world *w, const char *variant, digest *out)
{
    (void)variant;
    ll_journal *journal = NULL;
    ll_problem problem = {0};
    ll_undone undone;
    ll_status status = ll_journal_create(w->allocator, w->journal, strlen(w->journal), &journal, &problem);
    status = status == LL_OK ? ll_journal_undo(journal, 0, w->fixed, w->fixed_size, &undone) : status;
    if (status == LL_OK) {
        assert_int_equal(undone.outcome, LL_UNDO_DONE);
        assert_int_equal(undone.size, w->bad.size);
        assert_memory_equal(undone.bytes, w->bad.bytes, undone.size);
        (void)digest_bytes(out, undone.bytes, undone.size);
    }
    ll_journal_free(journal);
    return status;
}

/* Adds two files to one census, one to another, and merges both. */
static ll_status count_all(const world *w, ll_census *const censuses[2], ll_report *report)
{
    const sample *const files[] = {&w->good, &w->bad, &w->damaged};
    ll_status status = LL_OK;
    for (size_t i = 0; status == LL_OK && i < sizeof files / sizeof files[0]; i++) {
        status = lint(w, files[i], "a.grxla", report);
        status = status == LL_OK ? ll_census_add(censuses[i / 2], report) : status;
    }
    return status == LL_OK ? ll_census_merge(censuses[0], censuses[1]) : status;
}

static ll_status run_census(const world *w, const char *variant, digest *out)
{
    ll_census *censuses[2] = {NULL, NULL};
    ll_report *report = NULL;
    ll_status status = ll_census_create(w->allocator, w->rules, NULL, &censuses[0]);
    status = status == LL_OK ? ll_census_create(w->allocator, w->rules, NULL, &censuses[1]) : status;
    status = status == LL_OK ? ll_report_create(w->allocator, &report) : status;
    status = status == LL_OK ? count_all(w, censuses, report) : status;
    status = status == LL_OK ? ll_census_print(censuses[0], variant, digest_bytes, out) : status;
    ll_report_free(report);
    ll_census_free(censuses[0]);
    ll_census_free(censuses[1]);
    return status;
}

static bool read_part(void *ctx, char *buffer, size_t capacity, size_t *size)
{
    piece *p = ctx;
    size_t n = strlen(p->text);
    *size = n < capacity ? n : capacity;
    memcpy(buffer, p->text, *size);
    p->text += *size;
    return true;
}

/* Reads and prints part of a census. */
static ll_status run_census_merge(const world *w, const char *variant, digest *out)
{
    piece text = {w->census};
    const ll_sweep_input input = {"part", read_part, &text};
    ll_census *census = NULL;
    ll_problem problem = {0};
    ll_status status = ll_census_create(w->allocator, w->rules, NULL, &census);
    status = status == LL_OK ? ll_census_read(census, &input, 1, &problem) : status;
    status = status == LL_OK ? ll_census_print(census, variant, digest_bytes, out) : status;
    ll_census_free(census);
    return status;
}

static ll_status run_catalogue(const world *w, const char *variant, digest *out)
{
    return ll_print_rules(w->rules, false, variant, digest_bytes, out);
}

static ll_status run_explain(const world *w, const char *variant, digest *out)
{
    return ll_explain(w->rules, 0, variant, true, digest_bytes, out);
}

static ll_status run_version(const world *w, const char *variant, digest *out)
{
    return ll_print_version(w->rules, variant, digest_bytes, out);
}

static ll_status run_fields(const world *w, const char *variant, digest *out)
{
    return ll_print_fields(w->allocator, NULL, variant, digest_bytes, out);
}

static ll_status run_export(const world *w, const char *variant, digest *out)
{
    return ll_print_fields(w->allocator, "grx", variant, digest_bytes, out);
}

static const char BASELINE[] =
    "{\"type\":\"baseline\",\"schema\":1}\n"
    "{\"fingerprint\":\"0123456789abcdef\",\"rule\":\"GRX001\",\"file\":\"z.grxla\",\"path\":\"a.b\",\"count\":2,"
    "\"content\":\"00000000000000ff\"}\n"
    "{\"fingerprint\":\"0000000000000001\",\"rule\":\"GRX001\",\"file\":\"a.grxla\",\"path\":\"a.b\",\"count\":1}\n"
    "{\"fingerprint\":\"0123456789abcdef\",\"rule\":\"GRX001\",\"file\":\"z.grxla\",\"path\":\"a.c\",\"count\":3}\n";

/* Reads a baseline, adds the findings of a file, applies it to the same file, writes it. */
static ll_status use_baselines(const world *w, ll_baseline *read, ll_baseline *made, ll_report *report, digest *out)
{
    ll_problem problem = {0};
    ll_baseline_entry entry;
    ll_summary sum;
    ll_status status = ll_baseline_read(read, BASELINE, sizeof BASELINE - 1, &problem);
    status = status == LL_OK ? lint(w, &w->bad, "a\xFF.grxla", report) : status;
    status = status == LL_OK ? ll_baseline_take(made, report, NULL) : status;
    status = status == LL_OK ? ll_baseline_note(made, report) : status;
    for (size_t i = 0; status == LL_OK && i < 2; i++) {
        if (!ll_baseline_at(read, i, &entry)) {
            status = LL_E_MEMORY;
        }
        status = status == LL_OK ? ll_baseline_put(made, &entry) : status;
    }
    status = status == LL_OK ? ll_baseline_write(made, digest_bytes, out) : status;
    status = status == LL_OK ? ll_baseline_apply(made, report, "b.jsonl") : status;
    if (status == LL_OK) {
        ll_report_summary(report, &sum);
        assert_int_equal(sum.baselined, ll_report_finding_count(report));
        assert_int_not_equal(sum.baselined, 0);
    }
    return status;
}

static ll_status run_baseline(const world *w, const char *variant, digest *out)
{
    (void)variant;
    ll_baseline *read = NULL;
    ll_baseline *made = NULL;
    ll_report *report = NULL;
    ll_status status = ll_baseline_create(w->allocator, &read);
    status = status == LL_OK ? ll_baseline_create(w->allocator, &made) : status;
    status = status == LL_OK ? ll_report_create(w->allocator, &report) : status;
    status = status == LL_OK ? use_baselines(w, read, made, report, out) : status;
    ll_report_free(report);
    ll_baseline_free(read);
    ll_baseline_free(made);
    return status;
}

#define SWEEP_LINE(file, rule, at)                                                                                     \
    "{\"type\":\"finding\",\"file\":\"" file "\",\"rule\":\"" rule "\",\"name\":\"n\",\"severity\":\"note\","          \
    "\"offset\":" at ",\"length\":4,\"path\":\"p\",\"message\":\"m\",\"fingerprint\":\"000000000000000" at "\"}\n"
#define SWEEP_START "{\"type\":\"sweep\",\"schema\":1,\"lightlint\":\"0.1.0\",\"rules\":\"0123456789abcdef\"}\n"
#define SWEEP_END                                                                                                      \
    "{\"type\":\"summary\",\"schema\":1,\"files\":1,\"errors\":0,\"warnings\":0,\"notes\":2,\"files_with_findings\":"  \
    "1,"                                                                                                               \
    "\"dropped\":0,\"suppressed\":0,\"baselined\":0,\"unchecked\":0,\"exit_code\":0}\n"
#define SWEEP_FILE(file)                                                                                               \
    "{\"type\":\"file\",\"file\":\"" file "\",\"format\":\"grx\",\"size\":1,\"errors\":0,\"warnings\":0,\"notes\":2}"  \
    "\n"

static bool read_some(void *ctx, char *buffer, size_t capacity, size_t *size)
{
    piece *p = ctx;
    size_t n = strlen(p->text);
    *size = n < 100 ? n : 100;
    *size = *size < capacity ? *size : capacity;
    memcpy(buffer, p->text, *size);
    p->text += *size;
    return true;
}

/* variant: format of a comparison, or "show FORMAT" of a summary; "" merges. */
static ll_status run_sweeps(const world *w, const char *variant, digest *out)
{
    static const char one[] =
        SWEEP_START SWEEP_LINE("a", "R001", "1") SWEEP_LINE("a", "R002", "2") SWEEP_FILE("a") SWEEP_END;
    static const char two[] =
        SWEEP_START SWEEP_LINE("b", "R001", "1") SWEEP_LINE("b", "R002", "3") SWEEP_FILE("b") SWEEP_END;
    static const char new[] =
        SWEEP_START SWEEP_LINE("a", "R003", "1") SWEEP_LINE("a", "R002", "3") SWEEP_FILE("a") SWEEP_FILE("b") SWEEP_END;
    piece pieces[] = {{one}, {*variant ? new : two}};
    const ll_sweep_input inputs[] = {{"one", read_some, &pieces[0]}, {"two", read_some, &pieces[1]}};
    ll_problem problem = {0};
    if (strncmp(variant, "show ", 5) == 0) {
        return ll_sweep_print(w->allocator, &inputs[0], &(ll_sweep_output){variant + 5, digest_bytes, out}, &problem);
    }
    return *variant
               ? ll_sweep_diff(w->allocator, &inputs[0], &inputs[1], &(ll_sweep_output){variant, digest_bytes, out},
                               NULL, &problem)
               : ll_sweep_merge(w->allocator, inputs, 2, NULL, &(ll_sweep_output){NULL, digest_bytes, out}, &problem);
}

typedef struct scenario {
    const char *name;
    scenario_fn *run;
    const char *variant;
} scenario;

static const scenario scenarios[] = {
    {"rules", run_rules, ""},
    {"pack that is no list", run_bad_pack, "a: b\n"},
    {"pack that is no YAML", run_bad_pack, "- id: [\n"},
    {"pack of an unknown record", run_bad_pack,
     "- {id: YARD001, name: a, severity: note, tags: [value], on: grx.lihgt, field: a, check: finite, title: T., why: "
     "W., fix: F.}\n"},
    {"pack of a bad pattern", run_bad_pack,
     "- {id: YARD001, name: a, severity: note, tags: [value], on: grx.name, field: text, check: regex, value: '(', "
     "title: T., "
     "why: W., fix: F.}\n"},
    {"lint", run_lint, ""},
    {"lint of zlib streams", run_inflate, ""},
    {"full", run_emitter, "full"},
    {"concise", run_emitter, "concise"},
    {"json", run_emitter, "json"},
    {"jsonl", run_emitter, "jsonl"},
    {"sarif", run_emitter, "sarif"},
    {"sarif-github", run_emitter, "sarif-github"},
    {"github", run_emitter, "github"},
    {"gitlab", run_emitter, "gitlab"},
    {"junit", run_emitter, "junit"},
    {"markdown", run_emitter, "markdown"},
    {"html", run_emitter, "html"},
    {"statistics", run_emitter, "statistics"},
    {"statistics as json", run_emitter, "statistics-json"},
    {"sweep", run_emitter, "sweep"},
    {"members in jsonl", run_members, "jsonl"},
    {"members in sarif", run_members, "sarif"},
    {"members in html", run_members, "html"},
    {"baseline", run_baseline, ""},
    {"sweep --merge", run_sweeps, ""},
    {"sweep --diff text", run_sweeps, "text"},
    {"sweep --diff json", run_sweeps, "json"},
    {"sweep --diff markdown", run_sweeps, "markdown"},
    {"sweep --diff html", run_sweeps, "html"},
    {"sweep as text", run_sweeps, "show text"},
    {"sweep as html", run_sweeps, "show html"},
    {"dump text", run_dump, "text"},
    {"dump json", run_dump, "json"},
    {"dump of records", run_dump, "records"},
    {"build", run_build, ""},
    {"build of a map", run_build, "map"},
    {"build of an area", run_build, "area"},
    {"stable dump", run_dump, "stable"},
    {"stable dump of scripts", run_dump_of_scripts, "stable"},
    {"dump text of scripts", run_dump_of_scripts, "text"},
    {"dump json of scripts", run_dump_of_scripts, "json"},
    {"dump --script", run_listing, "0"},
    {"diff text", run_diff, "text"},
    {"diff json", run_diff, "json"},
    {"diff markdown", run_diff, "markdown"},
    {"census text", run_census, "text"},
    {"census json", run_census, "json"},
    {"census html", run_census, "html"},
    {"census jsonl", run_census, "jsonl"},
    {"census --merge", run_census_merge, "text"},
    {"fix text", run_fix, "text"},
    {"fix jsonl", run_fix, "jsonl"},
    {"fix --diff", run_fix, "diff"},
    {"fix --journal", run_fix, "journal"},
    {"fix --undo", run_undo, ""},
    {"rules text", run_catalogue, "text"},
    {"rules json", run_catalogue, "json"},
    {"rules markdown", run_catalogue, "markdown"},
    {"explain text", run_explain, "text"},
    {"explain json", run_explain, "json"},
    {"explain markdown", run_explain, "markdown"},
    {"version text", run_version, "text"},
    {"version json", run_version, "json"},
    {"fields text", run_fields, "text"},
    {"fields json", run_fields, "json"},
    {"fields ksy", run_export, "ksy"},
    {"fields hexpat", run_export, "hexpat"},
};

/* ------------------------------------------------------------------ the loop */

/* Makes a damaged file: a good file with all line feeds converted to CR LF. The linter parses it a second time. */
static void make_damaged(const sample *good, sample *out)
{
    sample with_feed = *good;
    sample_put(&with_feed, SAMPLE_LIGHT + SAMPLE_TRANSLATION, 4, 0x4140000A);
    out->size = 0;
    for (size_t i = 0; i < with_feed.size; i++) {
        if (with_feed.bytes[i] == '\n') {
            out->bytes[out->size++] = '\r';
        }
        out->bytes[out->size++] = with_feed.bytes[i];
    }
}

/* Two small scripts, always the same. */
static void make_map(image *out)
{
    made_random random = {1};
    made_script script = {.only_common = true};
    map_parts parts = {.items = NULL};
    for (int i = 0; i < 2; i++) {
        make_script(&script, &random, 120);
        map_parts_add(&parts, &script);
    }
    (void)make_script_map(out, &parts);
    release_script(&script);
    release_map_parts(&parts);
}

static bool gather_text(void *ctx, const char *bytes, size_t size)
{
    image *all = ctx;
    size_t at = grow(all, size);
    memcpy(all->bytes + at, bytes, size);
    return true;
}

static void make_census(world *w)
{
    image all = {.bytes = NULL};
    ll_census *census = NULL;
    ll_report *report = NULL;
    assert_int_equal(ll_census_create(NULL, w->rules, NULL, &census), LL_OK);
    assert_int_equal(ll_report_create(NULL, &report), LL_OK);
    assert_int_equal(lint(w, &w->bad, "a.grxla", report), LL_OK);
    assert_int_equal(ll_census_add(census, report), LL_OK);
    assert_int_equal(ll_census_print(census, "jsonl", gather_text, &all), LL_OK);
    assert_true(gather_text(&all, "", 1));
    w->census = (char *)all.bytes;
    ll_report_free(report);
    ll_census_free(census);
}

static void make_journal(world *w)
{
    image all = {.bytes = NULL};
    ll_fix *fix = NULL;
    const void *bytes = NULL;
    ll_fix_options options = {.size = sizeof options, .tier = LL_PATCH_UNSAFE};
    assert_int_equal(ll_fix_create(NULL, &fix), LL_OK);
    assert_int_equal(ll_fix_run(fix, w->rules, w->bad.bytes, w->bad.size, NULL, &options), LL_OK);
    assert_true(ll_fix_result(fix, &bytes, &w->fixed_size) > 0);
    ll_fix_place place = {"a.grxla", w->bad.bytes, bytes, w->bad.size, w->fixed_size, 0};
    assert_int_equal(ll_fix_note(fix, &place, gather_text, &all), LL_OK);
    assert_true(gather_text(&all, "", 1));
    w->journal = (char *)all.bytes;
    w->fixed = malloc(w->fixed_size);
    assert_non_null(w->fixed);
    memcpy(w->fixed, bytes, w->fixed_size);
    ll_fix_free(fix);
}

static char *make_json(const world *w, const void *bytes, size_t size, const char *name)
{
    image all = {.bytes = NULL};
    ll_report *report = NULL;
    ll_lint_options options = {.size = sizeof options, .name = name};
    assert_int_equal(ll_report_create(NULL, &report), LL_OK);
    assert_int_equal(ll_lint(w->rules, bytes, size, &options, report), LL_OK);
    assert_int_equal(ll_dump(report, "records", NULL, gather_text, &all), LL_OK);
    assert_true(gather_text(&all, "", 1));
    ll_report_free(report);
    return (char *)all.bytes;
}

static void open_world(world *w, const ll_allocator *allocator)
{
    w->allocator = allocator;
    sample_good(&w->good);
    sample_bad(&w->bad);
    make_damaged(&w->good, &w->damaged);
    make_map(&w->map);
    assert_int_equal(make_rules(w, &w->rules), LL_OK);
    make_census(w);
    make_journal(w);
    w->json = make_json(w, w->bad.bytes, w->bad.size, "a.grxla");
    w->map_json = make_json(w, w->map.bytes, w->map.size, "a.rgm");
}

/* One run with the n-th allocation failing. False if there are fewer than n. */
static bool run_failing(const world *w, const scenario *s, meter *m, long n, bool onward, uint64_t wanted)
{
    long live = m->live;
    digest out = {0};
    arm(m, n, onward);
    ll_status status = s->run(w, s->variant, &out);
    m->armed = false;
    if (m->live != live || m->misused) {
        fail_msg("%s: allocation %ld failing%s: %ld blocks not released", s->name, n, onward ? " onward" : "",
                 m->live - live);
    }
    if (status != LL_OK && !(status == LL_E_MEMORY && m->failed)) {
        fail_msg("%s: allocation %ld failing%s: %s", s->name, n, onward ? " onward" : "", ll_status_text(status));
    }
    if (status == LL_OK && out.hash != wanted) {
        fail_msg("%s: allocation %ld failing%s: different output, but LL_OK", s->name, n, onward ? " onward" : "");
    }
    return m->failed;
}

/* Scenarios may make thousands of similar allocations. The first `all_up_to` are tried, then steps that are a share
 * of the number. With an argument, ten times as many are tried. */
static long all_up_to = 30;

/* Returns the number of allocations of all scenarios. */
static long run_all(const ll_allocator *allocator, meter *m)
{
    static world w;
    long live = m->live;
    long total = 0;
    open_world(&w, allocator);
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        const scenario *s = &scenarios[i];
        digest wanted = {0};
        assert_int_equal(s->run(&w, s->variant, &wanted), LL_OK);
        long n = 1;
        while (run_failing(&w, s, m, n, false, wanted.hash)) {
            (void)run_failing(&w, s, m, n, true, wanted.hash);
            n += n < all_up_to ? 1 : n / 10;
        }
        print_message("%s: %ld allocations\n", s->name, n - 1);
        total += n - 1;
    }
    ll_ruleset_free(w.rules);
    free(w.map.bytes);
    free(w.census);
    free(w.journal);
    free(w.json);
    free(w.map_json);
    free(w.fixed);
    w.map = (image){.bytes = NULL};
    assert_int_equal(m->live, live);
    return total;
}

static void test_the_allocator_fails(void **state)
{
    (void)state;
    const ll_allocator metered = {metered_alloc, metered_release, &library};
    assert_true(run_all(&metered, &library) > 0);
}

#if OWN_MALLOC
static void test_malloc_fails(void **state)
{
    (void)state;
    long total = run_all(NULL, &process);
    assert_true(total > 1000); /* the other libraries call it, too; otherwise they would not be tested */
}
#endif

int main(int argc, char **argv)
{
    (void)argv;
    all_up_to *= argc > 1 ? 10 : 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_allocator_fails),
#if OWN_MALLOC
        cmocka_unit_test(test_malloc_fails),
#endif
    };
    return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}
