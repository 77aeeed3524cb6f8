/* packages/manifest: entries of a manifest and their positions, refused manifests with reasons, and bounds. */
#include "unit.h"

#include "base/text.h"
#include "packages/manifest.h"

#include <stdlib.h>

#define XSI "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
#define ROOT "<ArchiveFile " XSI "xsi:type=\"FpkFile\" Name=\"a.fpk\" FpkType=\"Fpk\">"

typedef struct read {
    ll_manifest manifest;
    ll_arena arena;
} read;

static read read_text(const char *text, size_t size)
{
    read r;
    ll_arena_init(&r.arena, NULL, SIZE_MAX);
    assert_int_equal(ll_manifest_read(&r.manifest, text, size, &r.arena), LL_OK);
    return r;
}

/* The value is at the position in the document that the row states. */
static void assert_text(const char *document, const ll_manifest_text *row, const char *text)
{
    assert_non_null(row->text);
    assert_string_equal(row->text, text);
    assert_int_equal(row->length, strlen(text));
    assert_memory_equal(document + row->offset, text, strlen(text));
}

static void test_rows(void **state)
{
    static const char text[] = "<?xml version=\"1.0\"?>\r\n" ROOT "\r\n"
                               "  <Entries>\r\n"
                               "    <Entry FilePath=\"/Assets/a.grxla\" />\r\n"
                               "    <Entry Hash=\"12\"  FilePath = '/Assets/b\"c.lpsh'></Entry>\n"
                               "    <Entry Hash=\"FilePath=\" />\n"
                               "    <Other FilePath=\"/x\" />\n"
                               "  </Entries>\n"
                               "  <References><Reference FilePath=\"/Assets/r.fpk\" /></References>\n"
                               "</ArchiveFile>";
    read r = read_text(text, sizeof text - 1);
    (void)state;
    assert_null(r.manifest.refused);
    assert_text(text, &r.manifest.name, "a.fpk");
    assert_text(text, &r.manifest.type, "Fpk");
    assert_int_equal(r.manifest.entries.count, 3);
    assert_text(text, &r.manifest.entries.items[0], "/Assets/a.grxla");
    assert_text(text, &r.manifest.entries.items[1], "/Assets/b\"c.lpsh");
    assert_null(r.manifest.entries.items[2].text); /* without the attribute, the row is the tag */
    assert_memory_equal(text + r.manifest.entries.items[2].offset, "<Entry Hash=\"FilePath=\" />", 26);
    assert_int_equal(r.manifest.entries.items[2].length, 26);
    ll_arena_free(&r.arena);
}

/* Escapes, another prefix, a byte order mark: entries are the same, and positions stay inside the tag. */
static void test_forms(void **state)
{
    static const char text[] =
        "\xEF\xBB\xBF<ArchiveFile xmlns:s=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "s:type=\"FpkFile\"><Entries><Entry FilePath=\"/a&amp;b&#x2F;c\"/></Entries></ArchiveFile>";
    read r = read_text(text, sizeof text - 1);
    (void)state;
    assert_null(r.manifest.refused);
    assert_null(r.manifest.name.text);
    assert_int_equal(r.manifest.name.offset, 3);
    assert_string_equal(r.manifest.entries.items[0].text, "/a&b/c");
    assert_memory_equal(text + r.manifest.entries.items[0].offset, "/a&amp;b&#x2F;c", 15);
    assert_int_equal(r.manifest.entries.items[0].length, 15);
    ll_arena_free(&r.arena);

    char wide[2 * sizeof text];
    for (size_t i = 3; i < sizeof text - 1; i++) {
        wide[2 * i - 4] = text[i];
        wide[2 * i - 3] = '\0';
    }
    wide[0] = '\xFF';
    wide[1] = '\xFE';
    r = read_text(wide, 2 * (sizeof text - 4) + 2);
    assert_null(r.manifest.refused);
    assert_string_equal(r.manifest.entries.items[0].text, "/a&b/c");
    assert_memory_equal(wide + r.manifest.entries.items[0].offset, "<\0E\0n\0", 6); /* the whole tag */
    ll_arena_free(&r.arena);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *why;
        unsigned line, column;
    } cases[] = {
        {"", "no element found", 1, 1},
        {"no XML", "syntax error", 1, 1},
        {ROOT "\n<Entries>\n <Entry FilePath=\"/a\"></Entries></ArchiveFile>", "mismatched tag", 3, 25},
        {ROOT "\n<Entries><Entry FilePath=\"/a\" FilePath=\"/b\"/></Entries></ArchiveFile>", "duplicate attribute", 2,
         31},
        {ROOT "&nbsp;</ArchiveFile>", "undefined entity", 1, 114},
        {ROOT "</ArchiveFile><x/>", "junk after document element", 1, 128},
        {"<?xml version=\"1.0\" encoding=\"EBCDIC-US\"?><ArchiveFile/>", "unknown encoding", 1, 31},
        {"<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>" ROOT "&b;</ArchiveFile>",
         "a document type declaration, which no manifest needs", 1, 13},
        {"<!DOCTYPE x SYSTEM \"file:///x\">" ROOT "</ArchiveFile>",
         "a document type declaration, which no manifest needs", 1, 31},
        {"<html><body/></html>", "another root element than ArchiveFile", 1, 1},
        {ROOT
         "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a/></a></a></a></a></a></a></a></a></a></a></a></a></a></a></a>"
         "</ArchiveFile>",
         "elements in more than 16 others", 1, 159},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read r = read_text(cases[i].text, strlen(cases[i].text));
        const ll_manifest *m = &r.manifest;
        if (!m->refused || strcmp(m->refused, cases[i].why) != 0 || m->line != cases[i].line ||
            m->column != cases[i].column || m->offset > strlen(cases[i].text)) {
            fail_msg("%s: %s at %u:%u", cases[i].text, m->refused ? m->refused : "taken", m->line, m->column);
        }
        ll_arena_free(&r.arena);
    }
}

/* Every cut manifest is refused, at an offset within its bytes. */
static void test_cut(void **state)
{
    static const char text[] = ROOT "<Entries><Entry FilePath=\"/a\"/></Entries></ArchiveFile>";
    (void)state;
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *copy = malloc(n + 1); /* exact size, so that a sanitizer notices access outside */
        assert_non_null(copy);
        memcpy(copy, text, n);
        read r = read_text(copy, n);
        assert_non_null(r.manifest.refused);
        assert_true(r.manifest.offset <= n);
        ll_arena_free(&r.arena);
        free(copy);
    }
}

static void test_many(void **state)
{
    enum { N = 50000 };
    ll_text text;
    (void)state;
    ll_text_init(&text, NULL);
    ll_text_str(&text, ROOT "<Entries>");
    for (unsigned i = 0; i < N; i++) {
        ll_text_format(&text, "<Entry FilePath=\"/Assets/%u\"/>\n", i);
    }
    ll_text_str(&text, "</Entries></ArchiveFile>");
    read r = read_text(text.data, text.length);
    assert_null(r.manifest.refused);
    assert_int_equal(r.manifest.entries.count, N);
    assert_text(text.data, &r.manifest.entries.items[N - 1], "/Assets/49999");
    ll_arena_free(&r.arena);
    ll_text_free(&text);
}

/* A full arena counts as out of memory, wherever it fills up. */
static void test_memory(void **state)
{
    static const char text[] = ROOT "<Entries><Entry FilePath=\"/a\"/></Entries></ArchiveFile>";
    ll_arena arena;
    ll_manifest manifest;
    (void)state;
    ll_arena_init(&arena, NULL, 0);
    assert_int_equal(ll_manifest_read(&manifest, text, sizeof text - 1, &arena), LL_E_MEMORY);
    ll_arena_free(&arena);
}

static bool has_expat(void)
{
    read r = read_text("", 0);
    ll_arena_free(&r.arena);
    return r.manifest.line > 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows), cmocka_unit_test(test_forms), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cut),  cmocka_unit_test(test_many),  cmocka_unit_test(test_memory),
    };
    if (!has_expat()) {
        return 77; /* skipped */
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
