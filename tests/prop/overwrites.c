/* Whatever part of a good file is overwritten, all unread bytes are under a finding, and the file counts as not
 * completely checked. Overwrites tails, ranges in the middle and records of good files with random bytes, 0xff, zeros
 * and parts of the other files. The bytes are in a heap block of exactly their size, so that a sanitizer notices access
 * outside.
 *
 * usage: prop_overwrites TIMES FILE...     exit: 0 it holds, 1 it does not, 2 a file could not be read
 * TIMES: number of tries of each way with each file. */
#include "../fuzz/fuzz.h"

#include <inttypes.h>

enum { FILES_MAX = 4096, SPANS_MAX = 4096, EXAMPLES = 20 };

typedef struct input {
    const char *name;
    uint8_t *bytes;
    size_t size;
} input;

/* Range to overwrite. */
typedef struct stretch {
    size_t from, to;
} stretch;

typedef struct bench {
    ll_report *report;
    const input *files;
    size_t file_count;
    stretch records[SPANS_MAX]; /* of the good file */
    size_t record_count;
    char record[256]; /* path of the last one */
    uint64_t random;
    unsigned long inputs, faults, unexplained;
} bench;

static uint64_t next_random(bench *b)
{
    b->random ^= b->random << 13;
    b->random ^= b->random >> 7;
    b->random ^= b->random << 17;
    return b->random;
}

/* A random number below `n`; n is not 0. */
static size_t below(bench *b, size_t n)
{
    return (size_t)(next_random(b) % n);
}

/* ------------------------------------------------------------------ records */

/* Merges spans of the same record: those with the same path up to the last dot. */
static bool add_record(void *ctx, const ll_span_info *leaf)
{
    bench *b = ctx;
    const char *dot = strrchr(leaf->path, '.');
    size_t length = dot ? (size_t)(dot - leaf->path) : strlen(leaf->path);
    length = length < sizeof b->record ? length : sizeof b->record - 1;
    bool same = b->record_count && strlen(b->record) == length && memcmp(b->record, leaf->path, length) == 0;
    if (leaf->region || (!same && b->record_count == SPANS_MAX)) {
        return false;
    }
    if (!same) {
        memcpy(b->record, leaf->path, length);
        b->record[length] = '\0';
        b->records[b->record_count++].from = (size_t)leaf->offset;
    }
    b->records[b->record_count - 1].to = (size_t)(leaf->offset + leaf->length);
    return true;
}

/* ------------------------------------------------------------------ one input */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool has_unexplained(ll_report *report)
{
    for (size_t i = 0; i < ll_report_finding_count(report); i++) {
        ll_finding f;
        if (ll_report_finding(report, i, &f) == LL_OK && strcmp(f.name, "unexplained") == 0) {
            return true;
        }
    }
    return false;
}

static void try_input(bench *b, const input *file, const uint8_t *bytes, const char *how, stretch at)
{
    ll_lint_options options = {.size = sizeof options, .name = file_name(file->name)};
    bool linted = ll_lint(fuzz_rules(false), bytes, file->size, &options, b->report) == LL_OK;
    const char *fault = linted ? fuzz_unread_fault(b->report) : "ll_lint failed";
    b->inputs++;
    if (linted && has_unexplained(b->report)) {
        b->unexplained++;
    }
    if (fault && ++b->faults <= EXAMPLES) {
        (void)fprintf(stderr, "%s: [%#zx, %#zx) overwritten with %s: %s\n", file->name, at.from, at.to, how, fault);
    }
}

static void overwrite(bench *b, const input *file, stretch at)
{
    static const char *const hows[] = {"random bytes", "0xff", "zeros", "another file"};
    for (unsigned how = 0; how < sizeof hows / sizeof *hows; how++) {
        uint8_t *bytes = malloc(file->size);
        const input *other = &b->files[below(b, b->file_count)];
        size_t start = below(b, other->size);
        FUZZ_CHECK(bytes, "no memory");
        memcpy(bytes, file->bytes, file->size);
        for (size_t i = at.from; i < at.to; i++) {
            const uint8_t with[] = {(uint8_t)(next_random(b) >> 32), 0xFF, 0,
                                    other->bytes[(start + i - at.from) % other->size]};
            bytes[i] = with[how];
        }
        try_input(b, file, bytes, hows[how], at);
        free(bytes);
    }
}

static void try_file(bench *b, const input *file, unsigned long times)
{
    ll_lint_options options = {.size = sizeof options, .name = file_name(file->name)};
    b->record_count = 0;
    FUZZ_CHECK(ll_lint(fuzz_rules(false), file->bytes, file->size, &options, b->report) == LL_OK, "%s", file->name);
    FUZZ_CHECK(ll_report_spans(b->report, add_record, b) == LL_OK, "%s", file->name);
    for (unsigned long i = 0; i < times; i++) {
        size_t from = below(b, file->size);
        size_t to = from + 1 + below(b, file->size - from);
        overwrite(b, file, (stretch){from, file->size});
        overwrite(b, file, (stretch){from, to});
        overwrite(b, file, b->records[below(b, b->record_count)]);
    }
}

/* ------------------------------------------------------------------ files */

static bool read_file(const char *path, input *out)
{
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = file ? malloc(MOST) : NULL;
    size_t size = bytes ? fread(bytes, 1, MOST, file) : 0;
    *out = (input){path, bytes, size};
    if (file) {
        (void)fclose(file);
    }
    return size && size < MOST;
}

int main(int argc, char **argv)
{
    static input files[FILES_MAX];
    static bench b = {.files = files, .random = UINT64_C(0x9E3779B97F4A7C15)};
    unsigned long times = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    FUZZ_CHECK(ll_report_create(NULL, &b.report) == LL_OK, "no memory");
    for (int i = 2; i < argc && b.file_count < FILES_MAX; i++) {
        if (!read_file(argv[i], &files[b.file_count++])) {
            (void)fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 2;
        }
    }
    for (size_t i = 0; i < b.file_count; i++) {
        try_file(&b, &files[i], times);
    }
    for (size_t i = 0; i < b.file_count; i++) {
        free(files[i].bytes);
    }
    printf("%zu files, %lu inputs, %lu with bytes that no rule explains, %lu faults\n", b.file_count, b.inputs,
           b.unexplained, b.faults);
    ll_report_free(b.report);
    return b.faults || !b.inputs ? 1 : 0;
}
