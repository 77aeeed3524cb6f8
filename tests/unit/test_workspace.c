/* Workspaces: which files make a package, what counts as known, in which order and pieces files may come, facts as
 * lines, reports on findings across files, and memory that runs out. What each rule finds is in corpus/mod. */
#include "unit.h"

#include "base/text.h"
#include "formats/strcode.h"

#include <lightlint/lightlint.h>

#include <stdlib.h>

#define ARRAY "/Assets/tpp/level/a_fox2_grxla_win.grxla"
#define DATASET "/Assets/tpp/level/a.fox2"
#define HARMONICS "/Assets/tpp/level/a.lpsh"

/* ------------------------------------------------------------------ made bytes */

enum { ROOM = 512, MEMBER_AT = 0xA0 };

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

/* An array without lights that states a DataSet. */
static size_t make_array(uint8_t *out, const char *dataset)
{
    size_t padded = (strlen(dataset) + 4) / 4 * 4;
    memcpy(out, "FGxL\0\0\0\0\x10\0\0\0\x01\0\0\0CM00", 20);
    put(out + 20, 0x18 + padded, 4);
    put(out + 24, ll_strcode64((const uint8_t *)dataset, strlen(dataset)), 8);
    put(out + 32, 8, 4);
    put(out + 36, 0, 4);
    memset(out + 40, 0, padded + 8);
    memcpy(out + 40, dataset, strlen(dataset));
    put(out + 44 + padded, 8, 4);
    return 48 + padded;
}

/* An archive of no or one member. */
static size_t make_archive(uint8_t *out, const char *path, const uint8_t *member, size_t size)
{
    memset(out, 0, ROOM);
    memcpy(out, "foxfpk\0win", 10);
    put(out + 0x20, 2, 4);
    put(out + 0x24, path ? 1 : 0, 4);
    size_t end = 0x30;
    if (path) {
        put(out + 0x30, MEMBER_AT, 8);
        put(out + 0x38, size, 8);
        put(out + 0x40, 0x60, 8);
        put(out + 0x48, strlen(path), 8);
        memcpy(out + 0x60, path, strlen(path));
        memcpy(out + MEMBER_AT, member, size);
        end = (MEMBER_AT + size + 15) / 16 * 16;
    }
    put(out + 0x0A, end, 4);
    return end;
}

/* ------------------------------------------------------------------ fixture */

typedef struct fixture {
    ll_ruleset *rules;
    ll_report *report, *member;
    ll_workspace *w;
    uint8_t bytes[ROOM];
} fixture;

static int begin(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    ll_problem problem;
    assert_non_null(f);
    assert_int_equal(ll_ruleset_create(NULL, &f->rules), LL_OK);
    assert_int_equal(ll_ruleset_seal(f->rules, &problem), LL_OK);
    assert_int_equal(ll_report_create(NULL, &f->report), LL_OK);
    assert_int_equal(ll_report_create(NULL, &f->member), LL_OK);
    assert_int_equal(ll_workspace_create(NULL, f->rules, &f->w), LL_OK);
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    ll_workspace_free(f->w);
    ll_report_free(f->report);
    ll_report_free(f->member);
    ll_ruleset_free(f->rules);
    free(f);
    return 0;
}

static void again(fixture *f)
{
    ll_workspace_free(f->w);
    assert_int_equal(ll_workspace_create(NULL, f->rules, &f->w), LL_OK);
}

static void add(fixture *f, const char *name, size_t size)
{
    ll_lint_options options = {.size = sizeof options, .name = name};
    assert_int_equal(ll_lint(f->rules, f->bytes, size, &options, f->report), LL_OK);
    assert_int_equal(ll_workspace_add(f->w, f->report), LL_OK);
    for (size_t i = 0; i < ll_report_member_count(f->report); i++) {
        assert_int_equal(ll_lint_member(f->rules, f->report, i, NULL, f->member), LL_OK);
        assert_int_equal(ll_workspace_add(f->w, f->member), LL_OK);
    }
}

static void add_array(fixture *f, const char *name)
{
    add(f, name, make_array(f->bytes, DATASET));
}

static void add_name(fixture *f, const char *name)
{
    assert_int_equal(ll_workspace_add_name(f->w, name), LL_OK);
}

static void add_folder(fixture *f, const char *name)
{
    assert_int_equal(ll_workspace_add_folder(f->w, name), LL_OK);
}

static void read_lines(fixture *f, const char *lines)
{
    ll_problem problem = {0};
    assert_int_equal(ll_workspace_read(f->w, lines, strlen(lines), &problem), LL_OK);
}

static bool keep(void *ctx, const char *bytes, size_t size)
{
    ll_text_put(ctx, bytes, size);
    return true;
}

/* "RULE FILE OFFSET FOUND", a line for each finding, without bytes. */
static const char *joined(fixture *f, ll_text *out)
{
    assert_int_equal(ll_workspace_join(f->w), LL_OK);
    ll_text_init(out, NULL);
    for (size_t i = 0; i < ll_workspace_file_count(f->w); i++) {
        ll_workspace_file file;
        assert_true(ll_workspace_file_at(f->w, i, &file));
        assert_int_equal(ll_workspace_report(f->w, f->rules, i, NULL, 0, NULL, f->report), LL_OK);
        for (size_t k = 0; k < ll_report_finding_count(f->report); k++) {
            ll_finding finding;
            assert_int_equal(ll_report_finding(f->report, k, &finding), LL_OK);
            ll_text_format(out, "%s %s %llu %s\n", finding.id, file.name, (unsigned long long)finding.offset,
                           finding.found);
        }
    }
    return ll_text_cstr(out);
}

static void assert_found(fixture *f, const char *expected)
{
    ll_text text;
    assert_string_equal(joined(f, &text), expected);
    ll_text_free(&text);
}

/* ------------------------------------------------------------------ packages */

/* The DataSet is missing where the data part is known, in whatever way folders are written. */
static void test_known_parts(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *main, *data, *folder;
        bool known;
    } rows[] = {
        {"m/x_fpk", "m/x_fpkd", "m", true},
        {"m/x_fpk", "m/x_fpkd", "m/", true},
        {"m/x_fpk", "m/x_fpkd", ".", true},
        {"./m/x_fpk", "m//x_fpkd", "./m", true},
        {"m/x_fpk", "m/x_fpkd", "m/x_fpkd", true},
        {"m/x_fpk", "m/x_fpkd", "m/x_fpk", false},
        {"m/x_fpk", "m/x_fpkd", "m/x", false},
        {"m/x_fpk", "m/x_fpkd", "/", false},
        {"/m/x_fpk", "/m/x_fpkd", "/", true},
        {"/m/x_fpk", "/m/x_fpkd", ".", false},
        {"../m/x_fpk", "../m/x_fpkd", "..", true},
        {"../m/x_fpk", "../m/x_fpkd", ".", false},
        {"m/x_fpk", "n/x_fpkd", ".", false},
        {"m/x_fpk", "m/y_fpkd", ".", false},
        {"o_fpk/x_fpk", "o_fpk/x_fpkd", "o_fpk", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char array[128] = "", other[128] = "", expected[256] = "";
        strcat(strcat(array, rows[i].main), ARRAY);
        strcat(strcat(other, rows[i].data), "/Assets/tpp/level/b.lua");
        if (rows[i].known) {
            strcat(strcat(strcat(expected, "MOD020 "), array), " 40 " DATASET "\n");
        }
        again(f);
        add_array(f, array);
        add_name(f, other);
        add_folder(f, rows[i].folder);
        assert_found(f, expected);
    }
}

/* Of one file under two names it does not matter which came first. */
static void test_two_names(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"./m/x_fpkd/a.lpsh", "m//x_fpkd/a.lpsh"};
    for (unsigned first = 0; first < 2; first++) {
        again(f);
        add_name(f, names[first]);
        add_name(f, names[1 - first]);
        assert_found(f, "MOD090 ./m/x_fpkd/a.lpsh 0 /a.lpsh in x_fpkd\n");
    }
}

/* A DataSet that is there and was not linted is not missing, and what it holds is not judged. */
static void test_unread_partner(void **state)
{
    fixture *f = *state;
    add_array(f, "m/x_fpk" ARRAY);
    add_name(f, "m/x_fpkd" DATASET);
    add_folder(f, "m");
    assert_found(f, "");
}

/* Files of the same bytes, which share what they refer to, are judged each by its own place. */
static void test_same_bytes(void **state)
{
    fixture *f = *state;
    add_array(f, "m/x_fpk" ARRAY);
    add_array(f, "m/x_fpk/Assets/tpp/level/b_fox2_grxla_win.grxla");
    add_name(f, "m/x_fpkd/Assets/tpp/level/b.lua");
    add_array(f, "n/x_fpk" ARRAY);
    add_folder(f, ".");
    assert_found(f, "MOD020 m/x_fpk" ARRAY " 40 " DATASET "\n"
                    "MOD010 m/x_fpk/Assets/tpp/level/b_fox2_grxla_win.grxla 40 " DATASET "\n");
}

static void test_archives(void **state)
{
    fixture *f = *state;
    uint8_t array[ROOM];
    size_t size = make_array(array, DATASET);
    size_t archive = make_archive(f->bytes, ARRAY, array, size);
    add(f, "m/x.fpk", archive);
    uint8_t kept[ROOM];
    memcpy(kept, f->bytes, archive);
    add(f, "m/x.fpkd", make_archive(f->bytes, NULL, NULL, 0));
    assert_int_equal(ll_workspace_join(f->w), LL_OK);
    ll_workspace_file file;
    ll_finding finding;
    assert_int_equal(ll_workspace_file_count(f->w), 1);
    assert_true(ll_workspace_file_at(f->w, 0, &file));
    assert_string_equal(file.name, "m/x.fpk!" ARRAY);
    assert_string_equal(file.archive, "m/x.fpk");
    assert_int_equal(file.offset, MEMBER_AT);
    assert_int_equal(file.size, size);
    assert_int_equal(ll_workspace_report(f->w, f->rules, 0, kept, archive - 48, NULL, f->report), LL_E_ARGUMENT);
    assert_int_equal(ll_workspace_report(f->w, f->rules, 0, kept, archive, NULL, f->report), LL_OK);
    assert_int_equal(ll_report_finding(f->report, 0, &finding), LL_OK);
    assert_string_equal(finding.name, "mod-dataset-missing");
    assert_string_equal(finding.path, "entry[0].path.text");
    assert_string_equal(finding.expected, "a file of that path in x.fpkd");
    assert_int_equal(finding.offset, MEMBER_AT + 40);
    assert_int_equal(finding.inner.offset, 40);
    assert_string_equal(finding.inner.member, ARRAY);
    assert_int_equal(ll_workspace_report(f->w, f->rules, 1, kept, archive, NULL, f->report), LL_E_ARGUMENT);
}

static void test_notices(void **state)
{
    fixture *f = *state;
    ll_workspace_summary sum;
    ll_workspace_notice notice;
    add_array(f, "m/x_fpk" ARRAY);
    add_name(f, "m/y_fpk/Assets/readme.lua");
    add_array(f, "loose" ARRAY);
    add_folder(f, ".");
    assert_int_equal(ll_workspace_join(f->w), LL_OK);
    ll_workspace_summarize(f->w, &sum);
    assert_int_equal(sum.files, 2);
    assert_int_equal(sum.packages, 2);
    assert_int_equal(sum.checked, 1);
    assert_int_equal(sum.not_run, 1);
    assert_true(ll_workspace_notice_at(f->w, 0, &notice));
    assert_string_equal(notice.package, "m/x");
    assert_string_equal(notice.missing, "data part");
    assert_true(notice.rules > 0);
    assert_int_equal(notice.rules, sum.rules_not_run);
    assert_false(ll_workspace_notice_at(f->w, 1, &notice));
}

/* ------------------------------------------------------------------ lines, pieces, order */

#define FILE_LINE(name, kind)                                                                                          \
    "{\"type\":\"workspace-file\",\"file\":\"" name "\",\"kind\":\"" kind "\",\"size\":4096,\"whole\":1}\n"
#define FACT(kind, owner, number, text, at)                                                                            \
    "{\"type\":\"workspace-fact\",\"kind\":\"" kind "\",\"owner\":" owner ",\"number\":" number ",\"text\":\"" text    \
    "\",\"path\":\"" kind "\",\"offset\":" at ",\"length\":8}\n"

static const char package[] =
    "{\"type\":\"workspace-folder\",\"file\":\"m\"}\n" FILE_LINE("m/x_fpkd" DATASET, "dataset")
        FACT("light-array-file", "1", "5", "/Assets/tpp/level/other/a_fox2_grxla_win.grxla", "64")
            FACT("harmonics-file", "2", "7", HARMONICS, "96") FILE_LINE("m/x_fpk" HARMONICS, "harmonics")
                FILE_LINE("m/x_fpk/Assets/a\\\\x0a.lua", "other");

static const char package_findings[] =
    "MOD025 m/x_fpk" ARRAY " 0 no entity of " DATASET " that names it\nMOD035 m/x_fpkd" DATASET
    " 64 /Assets/tpp/level/other/a_fox2_grxla_win.grxla\n";

#define FOLDER_LINE(name) "{\"type\":\"workspace-folder\",\"file\":\"" name "\"}\n"
#define MEMBER_LINE(archive, path)                                                                                     \
    "{\"type\":\"workspace-file\",\"file\":\"" archive "!" path "\",\"archive\":\"" archive                            \
    "\",\"kind\":\"other\",\"offset\":64,\"size\":16}\n"

/* What a manifest lists and what an archive holds, beside the files of a folder: whatever the case of letters. */
static void test_letters(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *lines, *found;
    } rows[] = {
        {FILE_LINE("m/x_fpkd/a.lua", "other"), ""},
        {FILE_LINE("m/x_fpkd/A.lua", "other"), ""},
        {FILE_LINE("m/x_fpkd/a.lua", "other") FILE_LINE("m/x_fpkd/A.lua", "other"), ""},
        {FILE_LINE("m/x_fpkd/A.LUA", "other") FILE_LINE("m/x_fpkd/notes.txt", "other"), ""},
        {FILE_LINE("m/x_fpkd/A.LUA", "other") FILE_LINE("m/x_fpkd/b.lua", "other"),
         "MOD100 m/x.fpkd 0 files that are not in the archive: 1; the first is /b.lua\n"
         "MOD095 m/x.fpkd.xml 0 files that are not listed: 1; the first is /b.lua\n"},
        {FILE_LINE("m/x_fpkd/b.lua", "other"),
         "MOD100 m/x.fpkd 0 files that are not in the archive: 1; the first is /b.lua\n"
         "MOD101 m/x.fpkd 0 members that are not in the folder: 1; the first is /a.LUA\n"
         "MOD095 m/x.fpkd.xml 0 files that are not listed: 1; the first is /b.lua\n"
         "MOD096 m/x.fpkd.xml 8 /A.lua\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        again(f);
        read_lines(f, FOLDER_LINE("m") FILE_LINE("m/x.fpkd.xml", "manifest")
                          FACT("manifest-entry", "0", "1", "/A.lua", "8"));
        read_lines(f, rows[i].lines);
        read_lines(f, FILE_LINE("m/x.fpkd", "archive") MEMBER_LINE("m/x.fpkd", "/a.LUA"));
        assert_found(f, rows[i].found);
    }
}

static void test_lines(void **state)
{
    fixture *f = *state;
    ll_text lines;
    ll_text_init(&lines, NULL);
    read_lines(f, package);
    add_array(f, "m/x_fpk" ARRAY);
    assert_int_equal(ll_workspace_write(f->w, keep, &lines), LL_OK);
    assert_non_null(strstr(ll_text_cstr(&lines), "a\\\\x0a.lua"));
    assert_found(f, package_findings);
    again(f);
    read_lines(f, ll_text_cstr(&lines));
    ll_text second;
    ll_text_init(&second, NULL);
    assert_int_equal(ll_workspace_write(f->w, keep, &second), LL_OK);
    assert_string_equal(ll_text_cstr(&second), ll_text_cstr(&lines));
    assert_found(f, package_findings);
    ll_text_free(&lines);
    ll_text_free(&second);
}

/* However files are spread over workspaces, and whatever comes first. */
static void test_pieces(void **state)
{
    fixture *f = *state;
    for (unsigned way = 0; way < 4; way++) {
        ll_workspace *other;
        again(f);
        assert_int_equal(ll_workspace_create(NULL, f->rules, &other), LL_OK);
        ll_workspace *first = way & 1 ? f->w : other;
        ll_workspace *second = way & 1 ? other : f->w;
        ll_problem problem;
        assert_int_equal(ll_workspace_read(first, package, strlen(package), &problem), LL_OK);
        if (way & 2) {
            assert_int_equal(ll_workspace_add_name(first, "./m/x_fpk" ARRAY), LL_OK);
        }
        ll_workspace *kept = f->w;
        f->w = second;
        add_array(f, "m/x_fpk" ARRAY);
        f->w = kept;
        assert_int_equal(ll_workspace_merge(f->w, other), LL_OK);
        ll_workspace_free(other);
        assert_found(f, package_findings);
    }
}

static void test_related_place(void **state)
{
    fixture *f = *state;
    read_lines(f, package);
    read_lines(f, FILE_LINE("m/x_fpkd/Assets/tpp/level/b.fox2", "dataset")
                      FACT("light-array-file", "3", "5", "/Assets/tpp/level/other/a_fox2_grxla_win.grxla", "640"));
    assert_int_equal(ll_workspace_join(f->w), LL_OK);
    ll_finding finding;
    assert_int_equal(ll_workspace_file_count(f->w), 2);
    assert_int_equal(ll_workspace_report(f->w, f->rules, 1, NULL, 0, NULL, f->report), LL_OK);
    size_t last = ll_report_finding_count(f->report);
    bool shared = false;
    for (size_t i = 0; i < last; i++) {
        assert_int_equal(ll_report_finding(f->report, i, &finding), LL_OK);
        if (strcmp(finding.id, "MOD040") == 0) {
            shared = true;
            assert_int_equal(finding.related_count, 1);
            assert_string_equal(finding.related->file, "m/x_fpkd" DATASET);
            assert_int_equal(finding.related->offset, 64);
            assert_string_equal(finding.related->text, "the first entity that names it");
        }
    }
    assert_true(shared);
}

static void test_refused_lines(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *line, *why;
    } rows[] = {
        {"[]", "not JSON"},
        {"{\"type\":\"workspace-none\"}", "unknown type 'workspace-none'"},
        {"{\"type\":\"workspace-fact\",\"kind\":\"entry\",\"path\":\"\"}", "a fact without a file"},
        {"{\"type\":\"workspace-fact\",\"kind\":\"x\"}", "unknown kind 'x'"},
        {"{\"type\":\"workspace-file\",\"kind\":\"array\"}", "'file'"},
        {"{\"type\":\"workspace-file\",\"kind\":\"array\",\"file\":\"a!b\",\"archive\":\"b\"}", "a member whose name"},
        {"{\"type\":\"workspace-file\",\"kind\":\"array\",\"file\":\"a\",\"archive\":\"a\"}", "a member whose name"},
        {"{\"type\":\"workspace-file\",\"kind\":\"array\",\"file\":\"a\",\"size\":-1}", "'size'"},
        {"{\"type\":\"workspace-file\",\"kind\":\"array\",\"file\":\"a\",\"offset\":1}", "an offset above 32 bits"},
        {"{\"type\":\"workspace-file\",\"kind\":\"array\",\"file\":\"a!b\",\"archive\":\"a\",\"offset\":4294967296}",
         "an offset above 32 bits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ll_problem problem = {0};
        again(f);
        assert_int_equal(ll_workspace_read(f->w, rows[i].line, strlen(rows[i].line), &problem), LL_E_INPUT);
        assert_non_null(strstr(problem.text, rows[i].why));
        assert_int_equal(problem.line, 1);
    }
}

/* Bytes that are not those of the file are refused, and of one that is too large none is looked at. */
static void test_bytes_of_reports(void **state)
{
    static const char huge[] =
        "{\"type\":\"workspace-file\",\"file\":\"m/x_fpkd/a.lpsh\",\"kind\":\"other\","
        "\"size\":5000000000}\n"
        "{\"type\":\"workspace-file\",\"file\":\"m/y.fpk!/a.fox2\",\"archive\":\"m/y.fpk\","
        "\"kind\":\"dataset\",\"offset\":64,\"size\":32}\n" FACT("link-archive", "1", "2", "", "8");
    fixture *f = *state;
    ll_finding finding;
    read_lines(f, huge);
    assert_int_equal(ll_workspace_join(f->w), LL_OK);
    assert_int_equal(ll_workspace_file_count(f->w), 2);
    assert_int_equal(ll_workspace_report(f->w, f->rules, 0, f->bytes, ROOM, NULL, f->report), LL_E_ARGUMENT);
    assert_int_equal(ll_workspace_report(f->w, f->rules, 0, f->bytes, (size_t)5000000000, NULL, f->report), LL_OK);
    assert_int_equal(ll_report_finding(f->report, 0, &finding), LL_OK);
    assert_string_equal(finding.id, "MOD090");
    ll_emit_options options = {.size = sizeof options, .format = "full"};
    ll_emitter *emitter;
    ll_chunk *chunk;
    ll_text text;
    ll_text_init(&text, NULL);
    assert_int_equal(ll_emitter_create(NULL, f->rules, &options, keep, &text, &emitter), LL_OK);
    assert_int_equal(ll_chunk_create(NULL, &chunk), LL_OK);
    assert_int_equal(ll_emitter_render(emitter, f->report, chunk), LL_OK);
    assert_int_equal(ll_emitter_commit(emitter, chunk), LL_OK);
    assert_non_null(strstr(ll_text_cstr(&text), "MOD090"));
    assert_null(strstr(ll_text_cstr(&text), "00 01 02"));
    ll_chunk_free(chunk);
    ll_emitter_free(emitter);
    ll_text_free(&text);
    assert_int_equal(ll_workspace_report(f->w, f->rules, 1, f->bytes, 95, NULL, f->report), LL_E_ARGUMENT);
    assert_int_equal(ll_workspace_report(f->w, f->rules, 1, f->bytes, 96, NULL, f->report), LL_OK);
}

static void test_arguments(void **state)
{
    fixture *f = *state;
    ll_workspace *none = NULL;
    ll_problem problem;
    assert_int_equal(ll_workspace_create(NULL, NULL, &none), LL_E_ARGUMENT);
    assert_int_equal(ll_workspace_merge(f->w, f->w), LL_E_ARGUMENT);
    assert_int_equal(ll_workspace_add_name(f->w, NULL), LL_E_ARGUMENT);
    ll_text text;
    ll_text_init(&text, NULL);
    assert_int_equal(ll_workspace_print(f->w, "text", keep, &text), LL_E_ARGUMENT); /* not joined */
    assert_int_equal(ll_workspace_join(f->w), LL_OK);
    assert_int_equal(ll_workspace_join(f->w), LL_E_ARGUMENT);
    assert_int_equal(ll_workspace_add_name(f->w, "x"), LL_E_ARGUMENT);
    assert_int_equal(ll_workspace_add_folder(f->w, "x"), LL_E_ARGUMENT);
    assert_int_equal(ll_workspace_read(f->w, "", 0, &problem), LL_E_ARGUMENT);
    assert_int_equal(ll_workspace_write(f->w, keep, &text), LL_E_ARGUMENT);
    assert_int_equal(ll_workspace_print(f->w, "yaml", keep, &text), LL_E_ARGUMENT);
    assert_int_equal(ll_workspace_print(f->w, "json", keep, &text), LL_OK);
    assert_string_equal(ll_text_cstr(&text), "{\"schema\":1,\"packages\":[\n]}\n");
    ll_text_free(&text);
    ll_workspace_free(NULL);
}

/* ------------------------------------------------------------------ memory */

typedef struct meter {
    long left, live;
} meter;

static void *metered(void *ctx, size_t size)
{
    meter *m = ctx;
    if (m->left-- <= 0) {
        return NULL;
    }
    m->live++;
    return malloc(size);
}

static void give_back(void *ctx, void *block)
{
    ((meter *)ctx)->live -= block != NULL;
    free(block);
}

static ll_status everything(fixture *f, const ll_allocator *a)
{
    ll_workspace *w, *other = NULL;
    ll_text text;
    ll_problem problem;
    ll_status status = ll_workspace_create(a, f->rules, &w);
    if (status != LL_OK) {
        return status;
    }
    ll_text_init(&text, NULL);
    status = ll_workspace_create(a, f->rules, &other);
    status = status == LL_OK ? ll_workspace_add(other, f->report) : status;
    status = status == LL_OK ? ll_workspace_read(w, package, strlen(package), &problem) : status;
    status = status == LL_OK ? ll_workspace_merge(w, other) : status;
    status = status == LL_OK ? ll_workspace_write(w, keep, &text) : status;
    status = status == LL_OK ? ll_workspace_join(w) : status;
    status = status == LL_OK ? ll_workspace_print(w, "dot", keep, &text) : status;
    if (status == LL_OK) {
        assert_int_equal(ll_workspace_file_count(w), 2);
    }
    ll_text_free(&text);
    ll_workspace_free(other);
    ll_workspace_free(w);
    return status;
}

static void test_memory(void **state)
{
    fixture *f = *state;
    ll_lint_options options = {.size = sizeof options, .name = "m/x_fpk" ARRAY};
    size_t size = make_array(f->bytes, DATASET);
    assert_int_equal(ll_lint(f->rules, f->bytes, size, &options, f->report), LL_OK);
    ll_status status = LL_E_MEMORY;
    for (long n = 0; status != LL_OK; n++) {
        meter m = {n, 0};
        status = everything(f, &(ll_allocator){metered, give_back, &m});
        assert_true(status == LL_OK || status == LL_E_MEMORY);
        assert_int_equal(m.live, 0);
        assert_true(n < 10000);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(test_known_parts), TEST(test_two_names),     TEST(test_unread_partner), TEST(test_same_bytes),
        TEST(test_archives),    TEST(test_notices),       TEST(test_letters),        TEST(test_lines),
        TEST(test_pieces),      TEST(test_related_place), TEST(test_refused_lines),  TEST(test_bytes_of_reports),
        TEST(test_arguments),   TEST(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
