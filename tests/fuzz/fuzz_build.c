/* Builds files from changed JSON. A refusal has a message. A built file can be linted and dumped, and equals the file
 * built from its own dump, byte for byte.
 *
 * Byte 0: bit 7: the rest is JSON; otherwise the low 3 bits are a number of changes, each of three bytes: position
 * in the JSON, in 65,536ths, and the new byte. Then length of the name, name, and the file whose dump is changed. */
#include "fuzz.h"

static void dump_json(const void *bytes, size_t size, const char *name, fuzz_buffer *out)
{
    ll_report *report = NULL;
    ll_lint_options lint = {.size = sizeof lint, .name = name};
    FUZZ_CHECK(ll_report_create(NULL, &report) == LL_OK, "report");
    FUZZ_CHECK(ll_lint(fuzz_rules(false), bytes, size, &lint, report) == LL_OK, "lint");
    const char *fault = fuzz_unread_fault(report);
    FUZZ_CHECK(!fault, "%s", fault);
    FUZZ_CHECK(ll_dump(report, "records", NULL, fuzz_collect, out) == LL_OK, "dump");
    FUZZ_CHECK(fuzz_collect(out, "", 1), "dump");
    out->size--;
    ll_report_free(report);
}

/* NULL if it was refused. */
static ll_built *build(const char *json, size_t size)
{
    ll_built *built = NULL;
    ll_problem problem = {.text = ""};
    ll_status status = ll_build(NULL, json, size, &built, &problem);
    FUZZ_CHECK(status == LL_OK || status == LL_E_INPUT, "status %d", (int)status);
    FUZZ_CHECK((status == LL_OK) == (built != NULL), "status %d", (int)status);
    if (!built) {
        FUZZ_CHECK(problem.text[0], "a refusal without a message");
        fuzz_check_text("problem", problem.text, strlen(problem.text));
    }
    return built;
}

/* Checks that the file built from the dump of a file equals it. */
static void check_way_back(const void *bytes, size_t size, const char *name, const fuzz_buffer *json)
{
    const void *result = NULL;
    size_t result_size = 0;
    if (!strstr(json->bytes, "\"records\":[")) {
        return;
    }
    ll_built *built = build(json->bytes, json->size);
    FUZZ_CHECK(built, "the dump of %s is refused", name ? name : "a file");
    ll_built_bytes(built, &result, &result_size);
    FUZZ_CHECK(result_size == size && (!size || memcmp(result, bytes, size) == 0), "other bytes than those dumped");
    ll_built_free(built);
}

static void check_built(ll_built *built, const char *name)
{
    const void *bytes = NULL;
    size_t size = 0;
    fuzz_buffer json = {0};
    ll_built_bytes(built, &bytes, &size);
    if (size < 1 << 20) {
        dump_json(bytes, size, name, &json);
        fuzz_check_json("json", &json, false);
        check_way_back(bytes, size, name, &json);
    }
    fuzz_buffer_free(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[256];
    fuzz_buffer json = {0};
    size_t changes = size && !(data[0] & 0x80) ? data[0] & 7U : 0;
    size_t head = 2 + 3 * changes;
    bool is_json = size && data[0] & 0x80;
    if (size < 2 || (!is_json && (size < head || data[head - 1] > size - head))) {
        return 0;
    }
    size_t length = is_json ? 0 : data[head - 1];
    memcpy(name, data + head, length);
    name[length] = '\0';
    if (is_json) {
        (void)fuzz_collect(&json, (const char *)data + 1, size - 1);
    } else {
        dump_json(data + head + length, size - head - length, length ? name : NULL, &json);
        check_way_back(data + head + length, size - head - length, length ? name : NULL, &json);
    }
    for (size_t i = 0; i < changes; i++) {
        const uint8_t *change = data + 1 + 3 * i;
        size_t at = ((size_t)change[0] << 8 | change[1]) * json.size >> 16;
        json.bytes[at] = (char)change[2];
    }
    ll_built *built = build(json.bytes, json.size);
    if (built) {
        check_built(built, length ? name : NULL);
        ll_built_free(built);
    }
    fuzz_buffer_free(&json);
    return 0;
}
