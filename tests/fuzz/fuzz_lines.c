/* Reads arbitrary bytes as a baseline, a sweep, facts of a workspace, and a census without its header. A refusal has
 * a line and a message. An accepted baseline, workspace or census reads back what it writes; a workspace joins; a
 * sweep equals itself, merges with itself, and every page about it is sound. */
#include "fuzz.h"

static void check_refusal(ll_status status, const ll_problem *problem)
{
    FUZZ_CHECK(status == LL_E_INPUT, "status %d", (int)status);
    FUZZ_CHECK(problem->text[0], "a refusal without a message");
    FUZZ_CHECK(problem->line, "a refusal without a line: %s", problem->text);
    fuzz_check_text("problem", problem->text, strlen(problem->text));
}

/* ------------------------------------------------------------------ baselines */

static void check_baseline(const void *data, size_t size)
{
    fuzz_buffer out[2] = {{0}, {0}};
    ll_baseline *read[2] = {NULL, NULL};
    ll_problem problem = {.text = ""};
    FUZZ_CHECK(ll_baseline_create(NULL, &read[0]) == LL_OK && ll_baseline_create(NULL, &read[1]) == LL_OK, "baseline");
    ll_status status = ll_baseline_read(read[0], data, size, &problem);
    if (status == LL_OK) {
        FUZZ_CHECK(ll_baseline_write(read[0], fuzz_collect, &out[0]) == LL_OK, "write");
        fuzz_check_json("baseline", &out[0], true);
        status = ll_baseline_read(read[1], out[0].bytes, out[0].size, &problem);
        FUZZ_CHECK(status == LL_OK, "what was written is refused: %s", problem.text);
        FUZZ_CHECK(ll_baseline_write(read[1], fuzz_collect, &out[1]) == LL_OK, "write again");
        FUZZ_CHECK(out[0].size == out[1].size && (!out[0].size || memcmp(out[0].bytes, out[1].bytes, out[0].size) == 0),
                   "other lines");
    } else {
        check_refusal(status, &problem);
        FUZZ_CHECK(ll_baseline_count(read[0]) == 0, "a refused baseline left entries");
    }
    ll_baseline_free(read[0]);
    ll_baseline_free(read[1]);
    fuzz_buffer_free(&out[0]);
    fuzz_buffer_free(&out[1]);
}

/* ------------------------------------------------------------------ sweeps */

/* Gives every reader the same bytes, in pieces of odd sizes. */
typedef struct bytes {
    const char *at;
    size_t left, piece;
} bytes;

static bool read_piece(void *ctx, char *buffer, size_t capacity, size_t *size)
{
    bytes *b = ctx;
    b->piece = b->piece * 5 % 1021 + 1;
    *size = b->left < b->piece ? b->left : b->piece;
    *size = *size < capacity ? *size : capacity;
    if (*size) {
        memcpy(buffer, b->at, *size);
        b->at += *size;
        b->left -= *size;
    }
    return true;
}

static ll_status merge(const fuzz_buffer *in, fuzz_buffer *out, ll_problem *problem)
{
    bytes b = {in->bytes, in->size, 7};
    ll_sweep_input input = {"fuzz", read_piece, &b};
    out->size = 0;
    return ll_sweep_merge(NULL, &input, 1, NULL, &(ll_sweep_output){NULL, fuzz_collect, out}, problem);
}

static ll_status compare(const fuzz_buffer *one, const fuzz_buffer *two, const char *format, ll_sweep_changes *changes,
                         fuzz_buffer *out, ll_problem *problem)
{
    bytes b[2] = {{one->bytes, one->size, 7}, {two->bytes, two->size, 11}};
    ll_sweep_input inputs[2] = {{"one", read_piece, &b[0]}, {"two", read_piece, &b[1]}};
    out->size = 0;
    return ll_sweep_diff(NULL, &inputs[0], &inputs[1], &(ll_sweep_output){format, fuzz_collect, out}, changes, problem);
}

static ll_status show(const fuzz_buffer *in, const char *format, fuzz_buffer *out, ll_problem *problem)
{
    bytes b = {in->bytes, in->size, 7};
    ll_sweep_input input = {"fuzz", read_piece, &b};
    out->size = 0;
    return ll_sweep_print(NULL, &input, &(ll_sweep_output){format, fuzz_collect, out}, problem);
}

static bool any_change(const ll_sweep_changes *c)
{
    return c->came || c->went || c->changed || c->old_files || c->new_files;
}

static void check_sweep(const fuzz_buffer *in)
{
    static const char nothing[] =
        "{\"type\":\"sweep\",\"schema\":1,\"lightlint\":\"0\",\"rules\":\"0\"}\n"
        "{\"type\":\"summary\",\"schema\":1,\"files\":0,\"errors\":0,\"warnings\":0,\"notes\":0,"
        "\"files_with_findings\":0,\"dropped\":0,\"suppressed\":0,\"baselined\":0,"
        "\"unchecked\":0,\"exit_code\":0}\n";
    fuzz_buffer empty = {0};
    fuzz_buffer joined = {0};
    fuzz_buffer again = {0};
    ll_problem problem = {.text = ""};
    ll_sweep_changes changes;
    ll_status status = merge(in, &joined, &problem);
    (void)fuzz_collect(&empty, nothing, sizeof nothing - 1);
    if (status != LL_OK) {
        check_refusal(status, &problem);
    } else {
        FUZZ_CHECK(merge(&joined, &again, &problem) == LL_OK, "the merged sweep is refused: %s", problem.text);
        FUZZ_CHECK(joined.size == again.size && memcmp(joined.bytes, again.bytes, again.size) == 0,
                   "joined to something else");
    }
    status = compare(in, in, "text", &changes, &again, &problem);
    FUZZ_CHECK(status != LL_OK || !any_change(&changes), "a sweep is not equal to itself");
    static const char *const formats[] = {"text", "markdown", "html", "json"};
    for (size_t i = 0; i < 4 && status == LL_OK; i++) {
        FUZZ_CHECK(compare(&empty, in, formats[i], &changes, &again, &problem) == LL_OK, "%s", problem.text);
        if (i < 3) {
            fuzz_check_page(formats[i], &again, false);
            FUZZ_CHECK(show(in, formats[i], &again, &problem) == LL_OK, "%s", problem.text);
            fuzz_check_page(formats[i], &again, false);
        } else {
            fuzz_check_json(formats[i], &again, false);
        }
    }
    fuzz_buffer_free(&empty);
    fuzz_buffer_free(&joined);
    fuzz_buffer_free(&again);
}

/* ------------------------------------------------------------------ censuses */

static ll_census *new_census(void)
{
    ll_census *census = NULL;
    FUZZ_CHECK(ll_census_create(NULL, fuzz_rules(true), NULL, &census) == LL_OK, "census");
    return census;
}

static ll_status read_census(ll_census *census, const fuzz_buffer *in, ll_problem *problem)
{
    bytes b = {in->bytes, in->size, 7};
    ll_sweep_input input = {"fuzz", read_piece, &b};
    return ll_census_read(census, &input, 1, problem);
}

/* Prepends a valid header to the bytes: it contains a hash of the rules, which a fuzzer cannot find. */
static void check_census(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"text", "markdown", "html", "json", "jsonl"};
    fuzz_buffer empty = {0};
    fuzz_buffer in = {0};
    fuzz_buffer out = {0};
    fuzz_buffer again = {0};
    ll_problem problem = {.text = ""};
    ll_census *census = new_census();
    FUZZ_CHECK(ll_census_print(census, "jsonl", fuzz_collect, &empty) == LL_OK, "print");
    const char *header = memchr(empty.bytes, '\n', empty.size);
    FUZZ_CHECK(header && fuzz_collect(&in, empty.bytes, (size_t)(header - empty.bytes) + 1) &&
                   fuzz_collect(&in, (const char *)data, size),
               "memory");
    ll_status status = read_census(census, &in, &problem);
    for (size_t i = 0; i < 5 && status == LL_OK; i++) {
        out.size = 0;
        FUZZ_CHECK(ll_census_print(census, formats[i], fuzz_collect, &out) == LL_OK, "%s", formats[i]);
        if (i < 3) {
            fuzz_check_page(formats[i], &out, false);
        } else {
            fuzz_check_json(formats[i], &out, i == 4);
        }
    }
    if (status == LL_OK) {
        ll_census *copy = new_census();
        FUZZ_CHECK(read_census(copy, &out, &problem) == LL_OK, "what was written is refused: %s", problem.text);
        FUZZ_CHECK(ll_census_print(copy, "jsonl", fuzz_collect, &again) == LL_OK, "print again");
        FUZZ_CHECK(out.size == again.size && memcmp(out.bytes, again.bytes, again.size) == 0, "another census");
        ll_census_free(copy);
    } else {
        check_refusal(status, &problem);
    }
    ll_census_free(census);
    fuzz_buffer_free(&empty);
    fuzz_buffer_free(&in);
    fuzz_buffer_free(&out);
    fuzz_buffer_free(&again);
}

/* ------------------------------------------------------------------ workspaces */

static ll_workspace *new_workspace(void)
{
    ll_workspace *workspace = NULL;
    FUZZ_CHECK(ll_workspace_create(NULL, fuzz_rules(true), &workspace) == LL_OK, "workspace");
    return workspace;
}

/* Checks the findings of a joined workspace, without bytes, and its packages. */
static void check_joined(const ll_workspace *workspace, fuzz_buffer *out)
{
    static const char *const formats[] = {"text", "json", "dot"};
    ll_report *report = NULL;
    FUZZ_CHECK(ll_report_create(NULL, &report) == LL_OK, "report");
    for (size_t i = 0; i < ll_workspace_file_count(workspace); i++) {
        ll_finding finding;
        FUZZ_CHECK(ll_workspace_report(workspace, fuzz_rules(true), i, NULL, report) == LL_OK, "report");
        for (size_t k = 0; k < ll_report_finding_count(report); k++) {
            FUZZ_CHECK(ll_report_finding(report, k, &finding) == LL_OK, "finding");
            fuzz_check_text("message", finding.message, strlen(finding.message));
        }
    }
    for (size_t i = 0; i < 3; i++) {
        out->size = 0;
        FUZZ_CHECK(ll_workspace_print(workspace, formats[i], fuzz_collect, out) == LL_OK, "%s", formats[i]);
        if (i == 1) {
            fuzz_check_json(formats[i], out, false);
        } else {
            fuzz_check_page(formats[i], out, false);
        }
    }
    ll_report_free(report);
}

static void check_workspace(const char *data, size_t size)
{
    fuzz_buffer out[2] = {{0}, {0}};
    ll_problem problem = {.text = ""};
    ll_workspace *workspace = new_workspace();
    ll_status status = ll_workspace_read(workspace, data, size, &problem);
    if (status == LL_OK) {
        ll_workspace *again = new_workspace();
        FUZZ_CHECK(ll_workspace_write(workspace, fuzz_collect, &out[0]) == LL_OK, "write");
        if (out[0].size) { /* without files there are no lines */
            fuzz_check_json("workspace", &out[0], true);
        }
        status = ll_workspace_read(again, out[0].bytes, out[0].size, &problem);
        FUZZ_CHECK(status == LL_OK, "what was written is refused: %s", problem.text);
        FUZZ_CHECK(ll_workspace_write(again, fuzz_collect, &out[1]) == LL_OK, "write again");
        FUZZ_CHECK(out[0].size == out[1].size && (!out[0].size || memcmp(out[0].bytes, out[1].bytes, out[0].size) == 0),
                   "other lines");
        FUZZ_CHECK(ll_workspace_merge(again, workspace) == LL_OK && ll_workspace_join(again) == LL_OK, "join");
        check_joined(again, &out[0]);
        ll_workspace_free(again);
    } else {
        check_refusal(status, &problem);
    }
    ll_workspace_free(workspace);
    fuzz_buffer_free(&out[0]);
    fuzz_buffer_free(&out[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_buffer in = {0};
    check_baseline(size ? (const void *)data : "", size);
    FUZZ_CHECK(fuzz_collect(&in, size ? (const char *)data : "", size), "memory");
    check_sweep(&in);
    check_workspace(in.bytes ? in.bytes : "", in.size);
    check_census(size ? data : (const uint8_t *)"", size);
    fuzz_buffer_free(&in);
    return 0;
}
