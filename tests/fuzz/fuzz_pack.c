/* Reads arbitrary bytes as a user pack. A refused pack must give a reason and leave nothing behind; an accepted one
 * must seal, print and lint. */
#include "fuzz.h"

/* Writes header, DataSet, a point light and a spot light with wrong values, a probe and the terminator, so that most
 * rules have something to check. */
static size_t make_file(uint8_t *out, size_t most)
{
    static const struct {
        const char *tag;
        unsigned size;
    } entries[] = {{"CM00", 0x20}, {"PL03", 0x68}, {"SL03", 0x90}, {"EP00", 0x70}};
    size_t at = 16;
    memset(out, 0, most);
    memcpy(out, "FGxL\0\0\0\0\x10\0\0\0\1\0\0\0", 16);
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        unsigned size = entries[i].size;
        memset(out + at + 0x18, (int)(0x3C + i), size - 0x18);
        memcpy(out + at, entries[i].tag, 4);
        out[at + 4] = (uint8_t)size;
        out[at + 0x10] = (uint8_t)(size - 8 - 0x10); /* the last 8 bytes are the name */
        memcpy(out + at + size - 8, "Name\0\1\2\3", 8);
        at += size;
    }
    out[at + 4] = 8;
    return at + 8;
}

static void check_refusal(const ll_problem *problem)
{
    FUZZ_CHECK(problem->text[0], "a refusal without a word");
    FUZZ_CHECK(memchr(problem->text, 0, sizeof problem->text), "a refusal without an end");
    fuzz_check_text("problem", problem->text, strlen(problem->text));
}

static void check_output(const ll_ruleset *rules, ll_report *report)
{
    static const char *const lists[] = {"json", "text", "markdown"};
    fuzz_buffer out = {0};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        out.size = 0;
        FUZZ_CHECK(ll_print_rules(rules, false, lists[i], fuzz_collect, &out) == LL_OK, "%s", lists[i]);
        if (i == 0) {
            fuzz_check_json(lists[i], &out, false);
        } else {
            fuzz_check_page(lists[i], &out, false);
        }
    }
    for (size_t i = 0; i < ll_ruleset_count(rules); i++) {
        ll_rule_info info;
        FUZZ_CHECK(ll_ruleset_rule(rules, i, &info), "rule %zu", i);
        if (strncmp(info.id, "GRX", 3) != 0) {
            out.size = 0;
            FUZZ_CHECK(ll_explain(rules, i, "text", false, fuzz_collect, &out) == LL_OK, "explain %s", info.id);
            fuzz_check_page("explain", &out, false);
        }
    }
    for (const char *const *format = ll_emit_formats(); *format; format++) {
        out.size = 0;
        fuzz_emit(rules, report, *format, &out);
        fuzz_check_format(*format, &out, false);
    }
    fuzz_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t file[1024];
    size_t file_size = make_file(file, sizeof file);
    ll_ruleset *rules = NULL;
    ll_report *report = NULL;
    ll_problem problem = {.line = 77, .text = ""};
    ll_lint_options options = {.size = sizeof options, .name = "a.grxla"};
    FUZZ_CHECK(ll_ruleset_create(NULL, &rules) == LL_OK, "rules");
    size_t before = ll_ruleset_count(rules);
    ll_status status = ll_ruleset_add_pack(rules, "fuzz.yaml", data, size, &problem);
    if (status == LL_OK) {
        status = ll_ruleset_seal(rules, &problem);
        FUZZ_CHECK(status == LL_OK, "a pack that was taken does not seal: %s", problem.text);
        FUZZ_CHECK(ll_report_create(NULL, &report) == LL_OK, "report");
        FUZZ_CHECK(ll_lint(rules, file, file_size, &options, report) == LL_OK, "lint");
        check_output(rules, report);
    } else {
        FUZZ_CHECK(status == LL_E_PACK, "status %d", (int)status);
        FUZZ_CHECK(ll_ruleset_count(rules) == before, "a refused pack left rules");
        check_refusal(&problem);
    }
    ll_report_free(report);
    ll_ruleset_free(rules);
    return 0;
}
