/* Renders the report of an arbitrary file with an arbitrary name. JSON must parse, text must be safe for a terminal,
 * and a writer that refuses must end the output.
 *
 * Byte 0: bit 0 colours, bit 1 no folding, bits 2-3 verbosity, bits 4-5 fail level, bit 6 limits, bit 7 a writer
 * that refuses. Byte 1: number of the format; after the last one, dumps; bit 7 a narrow terminal. Byte 2: length of
 * the name (0: none), which follows; then the file. */
#include "fuzz.h"

enum { REPORTS = 3, REFUSED_AFTER = 700 };

typedef struct run {
    const ll_ruleset *rules;
    ll_report *reports[REPORTS];
    ll_emit_options options;
    bool refusing;
} run;

/* Writes all reports, the first two in one chunk. */
static ll_status write_all(const run *r, ll_emitter *emitter, ll_chunk *chunk)
{
    for (size_t i = 0; i < REPORTS; i++) {
        FUZZ_CHECK(ll_emitter_render(emitter, r->reports[i], chunk) == LL_OK, "report %zu", i);
        ll_status status = i > 0 ? ll_emitter_commit(emitter, chunk) : LL_OK;
        if (status != LL_OK) {
            return status;
        }
    }
    return ll_emitter_finish(emitter, 1);
}

static void check_format(const run *r, const char *format)
{
    fuzz_buffer out = {.refuse_after = r->refusing ? REFUSED_AFTER : 0};
    ll_emit_options options = r->options;
    ll_emitter *emitter = NULL;
    ll_chunk *chunk = NULL;
    options.format = format;
    FUZZ_CHECK(ll_emitter_create(NULL, r->rules, &options, fuzz_collect, &out, &emitter) == LL_OK, "%s", format);
    FUZZ_CHECK(ll_chunk_create(NULL, &chunk) == LL_OK, "%s", format);
    ll_status status = write_all(r, emitter, chunk);
    if (status != LL_OK) {
        size_t written = out.size;
        FUZZ_CHECK(status == LL_E_WRITE && r->refusing, "%s: %s", format, ll_status_text(status));
        out.refuse_after = 0;
        FUZZ_CHECK(ll_emitter_finish(emitter, 1) == LL_E_WRITE && out.size == written, "%s: writes after a failure",
                   format);
    } else {
        bool human = strcmp(format, "full") == 0 || strcmp(format, "concise") == 0;
        fuzz_check_format(format, &out, human && r->options.color);
    }
    ll_chunk_free(chunk);
    ll_emitter_free(emitter);
    fuzz_buffer_free(&out);
}

static void check_dump(const run *r, bool json)
{
    fuzz_buffer out = {0};
    FUZZ_CHECK(ll_dump(r->reports[1], json ? "json" : "text", &r->options.terminal, fuzz_collect, &out) == LL_OK,
               "dump");
    if (json) {
        fuzz_check_json("dump json", &out, false);
    } else {
        fuzz_check_page("dump text", &out, false);
    }
    fuzz_buffer_free(&out);
}

static void check_output(const run *r, unsigned choice)
{
    unsigned formats = 0;
    while (ll_emit_formats()[formats]) {
        formats++;
    }
    choice %= formats + 2;
    if (choice < formats) {
        check_format(r, ll_emit_formats()[choice]);
    } else {
        check_dump(r, choice == formats);
    }
}

static void emit_all(uint8_t flags, uint8_t choice, const char *name, const uint8_t *bytes, size_t size)
{
    run r = {.rules = fuzz_rules(false), .refusing = flags >> 7};
    ll_lint_options lint = {.size = sizeof lint, .name = name, .max_per_rule = flags & 64 ? 1 : 0};
    r.options = (ll_emit_options){.size = sizeof r.options,
                                  .color = flags & 1,
                                  .all = flags >> 1 & 1,
                                  .verbosity = (flags >> 2 & 3) - 2,
                                  .fail_level = (ll_severity)(flags >> 4 & 3),
                                  .terminal = {.columns = choice & 128 ? 25 : 0, .lines = 1}};
    for (size_t i = 0; i < REPORTS; i++) {
        FUZZ_CHECK(ll_report_create(NULL, &r.reports[i]) == LL_OK, "report");
    }
    FUZZ_CHECK(ll_lint(r.rules, bytes, size / 2, NULL, r.reports[0]) == LL_OK, "lint");
    FUZZ_CHECK(ll_lint(r.rules, bytes, size, &lint, r.reports[1]) == LL_OK, "lint");
    FUZZ_CHECK(ll_lint_unreadable(r.rules, name ? name : "gone", &lint, r.reports[2]) == LL_OK, "lint");
    for (size_t i = 0; i < 2; i++) {
        const char *fault = fuzz_unread_fault(r.reports[i]);
        FUZZ_CHECK(!fault, "%s", fault);
    }
    check_output(&r, choice & 127);
    for (size_t i = 0; i < REPORTS; i++) {
        ll_report_free(r.reports[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[256];
    if (size < 3 || data[2] > size - 3) {
        return 0;
    }
    size_t length = data[2];
    memcpy(name, data + 3, length);
    name[length] = '\0';
    emit_all(data[0], data[1], length ? name : NULL, data + 3 + length, size - 3 - length);
    return 0;
}
