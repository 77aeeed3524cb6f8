/* Reads arbitrary bytes as the manifest of an archive. A refused manifest gives a reason and leaves nothing behind.
 * An accepted one is written as lines that can be read back, judged with a folder that has none of its entries, and
 * printed. */
#include "fuzz.h"

static ll_workspace *create(void)
{
    ll_workspace *workspace = NULL;
    FUZZ_CHECK(ll_workspace_create(NULL, fuzz_rules(true), &workspace) == LL_OK, "workspace");
    FUZZ_CHECK(ll_workspace_add_name(workspace, "m/a_fpk/Assets/a.lua") == LL_OK, "name");
    FUZZ_CHECK(ll_workspace_add_folder(workspace, "m") == LL_OK, "folder");
    return workspace;
}

/* Joins a workspace and prints everything about it. */
static void show(ll_workspace *workspace, const uint8_t *data, size_t size, fuzz_buffer *out)
{
    static const char *const formats[] = {"text", "dot", "json"};
    ll_report *report = NULL;
    FUZZ_CHECK(ll_workspace_join(workspace) == LL_OK, "join");
    for (size_t i = 0; i < 3; i++) {
        size_t before = out->size;
        FUZZ_CHECK(ll_workspace_print(workspace, formats[i], fuzz_collect, out) == LL_OK, "%s", formats[i]);
        fuzz_buffer page = {out->bytes + before, out->size - before, 0, 0};
        if (i < 2) {
            fuzz_check_page(formats[i], &page, false);
        } else {
            fuzz_check_json(formats[i], &page, false);
        }
    }
    FUZZ_CHECK(ll_report_create(NULL, &report) == LL_OK, "report");
    for (size_t i = 0; i < ll_workspace_file_count(workspace); i++) {
        FUZZ_CHECK(ll_workspace_report(workspace, fuzz_rules(true), i, NULL, report) == LL_OK, "report %zu", i);
        FUZZ_CHECK(ll_report_show(report, data, size) == LL_OK, "bytes of report %zu", i);
        fuzz_emit(fuzz_rules(true), report, "jsonl", out);
    }
    ll_report_free(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ll_workspace *workspace = create();
    ll_problem problem = {.text = ""};
    const uint8_t *bytes = size ? data : (const uint8_t *)"";
    ll_status status = ll_workspace_add_manifest(workspace, "m/a.fpk.xml", bytes, size, &problem);
    if (status == LL_OK) {
        fuzz_buffer lines = {0};
        fuzz_buffer one = {0};
        fuzz_buffer other = {0};
        ll_workspace *copy = NULL;
        FUZZ_CHECK(ll_workspace_create(NULL, fuzz_rules(true), &copy) == LL_OK, "copy");
        FUZZ_CHECK(ll_workspace_write(workspace, fuzz_collect, &lines) == LL_OK, "write");
        FUZZ_CHECK(ll_workspace_read(copy, lines.bytes, lines.size, &problem) == LL_OK, "refused: %s", problem.text);
        show(workspace, bytes, size, &one);
        show(copy, bytes, size, &other);
        FUZZ_CHECK(one.size == other.size && memcmp(one.bytes, other.bytes, one.size) == 0, "another workspace");
        ll_workspace_free(copy);
        fuzz_buffer_free(&lines);
        fuzz_buffer_free(&one);
        fuzz_buffer_free(&other);
    } else {
        FUZZ_CHECK(status == LL_E_INPUT && problem.text[0], "status %d", (int)status);
        fuzz_check_text("problem", problem.text, strlen(problem.text));
    }
    ll_workspace_free(workspace);
    return 0;
}
