/* Shared parts of the fuzz targets: rule sets, collected output, and checks of text and JSON. Relies only on the C
 * library and cJSON. */
#include "fuzz.h"

#include <cJSON.h>
#include <stdarg.h>

_Noreturn void fuzz_die(const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs(where, stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* ------------------------------------------------------------------ rules */

static ll_ruleset *make_rules(bool all)
{
    ll_ruleset *rules = NULL;
    ll_problem problem = {0};
    FUZZ_CHECK(ll_ruleset_create(NULL, &rules) == LL_OK, "rules");
    for (size_t i = 0; all && i < ll_ruleset_count(rules); i++) {
        ll_rule_info info;
        FUZZ_CHECK(ll_ruleset_rule(rules, i, &info), "rule %zu", i);
        if (info.default_severity == LL_SEVERITY_OFF) {
            FUZZ_CHECK(ll_ruleset_set_severity(rules, info.id, LL_NOTE, &problem) == LL_OK, "%s", problem.text);
        }
    }
    FUZZ_CHECK(ll_ruleset_seal(rules, &problem) == LL_OK, "%s", problem.text);
    return rules;
}

const ll_ruleset *fuzz_rules(bool all)
{
    static ll_ruleset *sealed[2];
    if (!sealed[all]) {
        sealed[all] = make_rules(all);
    }
    return sealed[all];
}

/* ------------------------------------------------------------------ unread bytes */

typedef struct unread_walk {
    ll_report *report;
    const char *fault;
} unread_walk;

/* Is the leaf in the record of the finding, or in one around it? "a.b" contains "a.b.c.unparsed" and
 * "a.b[3].unparsed". */
static bool is_around(const char *record, size_t length, const char *leaf)
{
    return length && strncmp(record, leaf, length) == 0 &&
           (leaf[length] == '.' || leaf[length] == '[' || !leaf[length]);
}

static bool covers(const ll_finding *f, const ll_span_info *leaf)
{
    bool here = !f->inner.region == !leaf->region && (!leaf->region || strcmp(f->inner.region, leaf->region) == 0);
    uint64_t offset = leaf->region || f->inner.member ? f->inner.offset : f->offset;
    uint64_t length = leaf->region || f->inner.member ? f->inner.length : f->length;
    bool meets = here && offset <= leaf->offset + leaf->length && offset + length >= leaf->offset;
    const char *end = strrchr(f->path, '.');
    size_t record = end ? (size_t)(end - f->path) : strlen(f->path);
    bool around = is_around(f->path, strlen(f->path), leaf->path) || is_around(f->path, record, leaf->path);
    return meets || around || f->unread;
}

static bool is_covered(void *ctx, const ll_span_info *leaf)
{
    unread_walk *w = ctx;
    bool covered = strcmp(leaf->type, "unparsed") != 0;
    for (size_t i = 0; !covered && i < ll_report_finding_count(w->report); i++) {
        ll_finding f;
        covered = ll_report_finding(w->report, i, &f) == LL_OK && covers(&f, leaf);
    }
    w->fault = covered ? NULL : "unread bytes are not under a finding";
    return covered;
}

static bool find_unparsed(void *ctx, const ll_span_info *leaf)
{
    bool *found = ctx;
    *found = strcmp(leaf->type, "unparsed") == 0;
    return !*found;
}

const char *fuzz_unread_fault(ll_report *report)
{
    ll_summary sum;
    bool any = false;
    unread_walk w = {report, NULL};
    ll_report_summary(report, &sum);
    if (ll_report_spans(report, find_unparsed, &any) != LL_OK) {
        return "no spans";
    }
    if (!any || sum.dropped || sum.unsupported) { /* unsupported parts may be allowed */
        return NULL;
    }
    if (!sum.unchecked) {
        return "bytes were not read, but the file counts as checked";
    }
    return ll_report_spans(report, is_covered, &w) == LL_OK ? w.fault : "no spans";
}

/* ------------------------------------------------------------------ output */

bool fuzz_collect(void *ctx, const char *bytes, size_t size)
{
    fuzz_buffer *buffer = ctx;
    if (buffer->refuse_after && buffer->size + size > buffer->refuse_after) {
        return false;
    }
    if (size > buffer->capacity - buffer->size) {
        buffer->capacity = (buffer->size + size) * 2;
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
        FUZZ_CHECK(buffer->bytes, "no memory for output");
    }
    if (size) {
        memcpy(buffer->bytes + buffer->size, bytes, size);
    }
    buffer->size += size;
    return true;
}

void fuzz_buffer_free(fuzz_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (fuzz_buffer){NULL, 0, 0, 0};
}

void fuzz_emit(const ll_ruleset *rules, ll_report *report, const char *format, fuzz_buffer *out)
{
    ll_emitter *emitter = NULL;
    ll_chunk *chunk = NULL;
    ll_emit_options options = {.size = sizeof options, .format = format, .fail_level = LL_WARNING};
    FUZZ_CHECK(ll_emitter_create(NULL, rules, &options, fuzz_collect, out, &emitter) == LL_OK, "%s", format);
    FUZZ_CHECK(ll_chunk_create(NULL, &chunk) == LL_OK, "%s", format);
    FUZZ_CHECK(ll_emitter_render(emitter, report, chunk) == LL_OK, "%s", format);
    FUZZ_CHECK(ll_emitter_commit(emitter, chunk) == LL_OK, "%s", format);
    FUZZ_CHECK(ll_emitter_finish(emitter, 1) == LL_OK, "%s", format);
    ll_chunk_free(chunk);
    ll_emitter_free(emitter);
}

/* ------------------------------------------------------------------ text */

/* Decodes one character. Returns its length, or 0 if the bytes are not UTF-8 (overlong, surrogate, cut, out of
 * range). */
static size_t decode(const unsigned char *p, size_t n, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = p[0] < 0x80                   ? 1
                    : p[0] >= 0xC0 && p[0] < 0xE0 ? 2
                    : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
                    : p[0] >= 0xF0 && p[0] < 0xF8 ? 4
                                                  : 0;
    if (length == 0 || length > n) {
        return 0;
    }
    uint32_t c = length == 1 ? p[0] : p[0] & (0x7FU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
        c = c << 6 | (p[i] & 0x3FU);
    }
    *out = c;
    return c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? 0 : length;
}

static bool is_harmful(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/* Length of "ESC [ digits and semicolons m" at the start; 0 if there is none. */
static size_t sgr_length(const char *bytes, size_t size)
{
    size_t at = 2;
    if (size < 3 || bytes[0] != 0x1B || bytes[1] != '[') {
        return 0;
    }
    while (at < size && strchr("0123456789;", bytes[at]) && bytes[at]) {
        at++;
    }
    return at < size && bytes[at] == 'm' ? at + 1 : 0;
}

static void check_characters(const char *what, const char *bytes, size_t size, bool page, bool color)
{
    for (size_t at = 0; at < size;) {
        uint32_t c = 0;
        size_t length = decode((const unsigned char *)bytes + at, size - at, &c);
        FUZZ_CHECK(length, "%s: byte %zu is not UTF-8", what, at);
        if (c == 0x1B && color) {
            length = sgr_length(bytes + at, size - at);
            FUZZ_CHECK(length, "%s: byte %zu starts no colour", what, at);
        } else {
            FUZZ_CHECK(!is_harmful(c) || (page && c == '\n'), "%s: byte %zu is U+%04X", what, at, (unsigned)c);
        }
        at += length;
    }
}

void fuzz_check_text(const char *what, const char *bytes, size_t size)
{
    check_characters(what, bytes, size, false, false);
}

void fuzz_check_page(const char *what, const fuzz_buffer *page, bool color)
{
    check_characters(what, page->bytes, page->size, true, color);
    FUZZ_CHECK(page->size == 0 || page->bytes[page->size - 1] == '\n', "%s: the last line has no end", what);
}

/* ------------------------------------------------------------------ JSON */

static size_t digits_at(const char *bytes, size_t size)
{
    size_t n = 0;
    while (n < size && bytes[n] >= '0' && bytes[n] <= '9') {
        n++;
    }
    return n;
}

/* Length of the number at the start by the grammar of RFC 8259, which cJSON does not enforce; 0 if there is none. */
static size_t number_length(const char *bytes, size_t size)
{
    size_t at = size && bytes[0] == '-';
    size_t whole = digits_at(bytes + at, size - at);
    if (whole == 0 || (whole > 1 && bytes[at] == '0')) {
        return 0;
    }
    at += whole;
    if (at < size && bytes[at] == '.') {
        size_t fraction = digits_at(bytes + at + 1, size - at - 1);
        if (fraction == 0) {
            return 0;
        }
        at += 1 + fraction;
    }
    if (at < size && (bytes[at] == 'e' || bytes[at] == 'E')) {
        at++;
        if (at < size && (bytes[at] == '+' || bytes[at] == '-')) {
            at++;
        }
        size_t exponent = digits_at(bytes + at, size - at);
        if (exponent == 0) {
            return 0;
        }
        at += exponent;
    }
    return at;
}

/* Rejects what cJSON accepts: malformed numbers, and control characters in strings. */
static void check_tokens(const char *what, const char *bytes, size_t size)
{
    bool quoted = false;
    for (size_t at = 0; at < size; at++) {
        char c = bytes[at];
        if (quoted) {
            FUZZ_CHECK((unsigned char)c >= 0x20, "%s: byte %zu is a control character inside of a string", what, at);
            at += c == '\\';
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (strchr("+-.0123456789", c) && c) {
            size_t length = number_length(bytes + at, size - at);
            FUZZ_CHECK(length, "%s: byte %zu is not the start of a number", what, at);
            at += length - 1;
            FUZZ_CHECK(at + 1 == size || strchr(",]} \n", bytes[at + 1]), "%s: byte %zu is not the end of a number",
                       what, at);
        }
    }
}

static void check_document(const char *what, const char *bytes, size_t size)
{
    const char *end = NULL;
    cJSON *tree = cJSON_ParseWithLengthOpts(bytes, size, &end, false);
    FUZZ_CHECK(tree, "%s: not JSON at byte %zd of %zu", what, end ? end - bytes : (ptrdiff_t)-1, size);
    for (size_t at = (size_t)(end - bytes); at < size; at++) {
        FUZZ_CHECK(bytes[at] == '\n', "%s: byte %zu follows the document", what, at);
    }
    cJSON_Delete(tree);
    check_tokens(what, bytes, size);
}

void fuzz_check_json(const char *what, const fuzz_buffer *json, bool lines)
{
    for (size_t at = 0; at < json->size;) { /* strings may contain any character, so only the encoding is checked */
        uint32_t c = 0;
        size_t length = decode((const unsigned char *)json->bytes + at, json->size - at, &c);
        FUZZ_CHECK(length, "%s: byte %zu is not UTF-8", what, at);
        at += length;
    }
    FUZZ_CHECK(json->size && json->bytes[json->size - 1] == '\n', "%s: the last line has no end", what);
    if (!lines) {
        check_document(what, json->bytes, json->size);
        return;
    }
    for (size_t at = 0; at < json->size;) {
        const char *feed = memchr(json->bytes + at, '\n', json->size - at);
        size_t length = (size_t)(feed - json->bytes) + 1 - at;
        check_document(what, json->bytes + at, length);
        at += length;
    }
}

/* ------------------------------------------------------------------ formats */

static bool is_one_of(const char *format, const char *const *names)
{
    while (*names && strcmp(*names, format) != 0) {
        names++;
    }
    return *names != NULL;
}

void fuzz_check_format(const char *format, const fuzz_buffer *out, bool color)
{
    static const char *const lines[] = {"jsonl", "sweep", NULL};
    static const char *const documents[] = {"json", "sarif", "sarif-github", "gitlab", NULL};
    if (is_one_of(format, lines) || is_one_of(format, documents)) {
        fuzz_check_json(format, out, is_one_of(format, lines));
    } else {
        fuzz_check_page(format, out, color);
    }
}
