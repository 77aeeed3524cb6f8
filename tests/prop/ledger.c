/* Whatever happens to a file, its spans tile it and every finding lies in it. Cuts each good file at every length and
 * changes each byte in several ways; --every N: only at every Nth place, for slow builds. The bytes are in a heap block
 * of exactly their size, so that a sanitizer notices access outside. Does not check which rules report something, only
 * that one does if bytes are missing.
 *
 * usage: prop_ledger [--every N] FILE...     exit: 0 it holds, 1 it does not, 2 a file could not be read */
#include <lightlint/lightlint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tiling {
    uint64_t at, file; /* file: end of the file's spans, while a region is walked */
    const char *region;
    bool broken;
} tiling;

typedef struct bench {
    const ll_ruleset *rules;
    ll_report *report;
    const char *name;
    size_t every; /* step between the places that are tried */
    unsigned long inputs, faults;
} bench;

static bool next_leaf(void *ctx, const ll_span_info *span)
{
    tiling *t = ctx;
    if (span->region != t->region) { /* spans of a region follow those of the file, with offsets from 0 */
        t->file = t->region ? t->file : t->at;
        t->at = 0;
        t->region = span->region;
    }
    t->broken = t->broken || span->offset != t->at || span->length == 0 || !span->path[0] || !span->type[0];
    t->at = span->offset + span->length;
    return true;
}

static bool findings_lie_inside(ll_report *report, uint64_t size)
{
    size_t count = ll_report_finding_count(report);
    for (size_t i = 0; i < count; i++) {
        ll_finding f;
        if (ll_report_finding(report, i, &f) != LL_OK || f.offset > size || f.length > size - f.offset) {
            return false;
        }
        for (size_t k = 0; k < f.related_count; k++) {
            if (f.related[k].offset > size || f.related[k].length > size - f.related[k].offset) {
                return false;
            }
        }
    }
    return true;
}

static void complain(bench *b, const char *what, const char *how, size_t at)
{
    b->faults++;
    fprintf(stderr, "%s: %s %zu: %s\n", b->name, how, at, what);
}

/* Lints one input and checks the report. */
static void try_input(bench *b, const uint8_t *bytes, size_t size, bool whole, const char *how, size_t at)
{
    const char *slash = strrchr(b->name, '/');
    ll_lint_options options = {.size = sizeof options, .name = slash ? slash + 1 : b->name};
    b->inputs++;
    if (ll_lint(b->rules, bytes, size, &options, b->report) != LL_OK) {
        complain(b, "ll_lint failed", how, at);
        return;
    }
    tiling t = {.at = 0};
    if (ll_report_spans(b->report, next_leaf, &t) != LL_OK || t.broken || (t.region ? t.file : t.at) != size) {
        complain(b, "spans do not tile the file", how, at);
    }
    if (!findings_lie_inside(b->report, size)) {
        complain(b, "a finding lies outside the file", how, at);
    }
    ll_summary summary;
    ll_report_summary(b->report, &summary);
    if (!whole && summary.errors + summary.warnings + summary.notes == 0) {
        complain(b, "no finding", how, at); /* a note if only padding is missing */
    }
}

static uint8_t *copy_of(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    memcpy(copy, bytes, size);
    return copy;
}

static void cut_everywhere(bench *b, const uint8_t *bytes, size_t size)
{
    for (size_t length = size % b->every; length <= size; length += b->every) {
        uint8_t *copy = copy_of(bytes, length);
        try_input(b, copy, length, length == size, "cut at", length);
        free(copy);
    }
}

static void change_everywhere(bench *b, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = copy_of(bytes, size);
    for (size_t at = size % b->every; at < size; at += b->every) {
        const uint8_t old = bytes[at];
        const uint8_t changed[] = {(uint8_t)(old ^ 0x01), (uint8_t)(old ^ 0x80), (uint8_t)(old + 4), 0x00, 0xFF};
        for (size_t i = 0; i < sizeof changed; i++) {
            copy[at] = changed[i];
            try_input(b, copy, size, true, "changed byte", at);
        }
        copy[at] = old;
    }
    free(copy);
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    enum { MOST = 1 << 20 };
    uint8_t *bytes = malloc(MOST);
    *size = bytes ? fread(bytes, 1, MOST, file) : 0;
    bool fine = bytes && !ferror(file) && *size < MOST;
    fclose(file);
    if (!fine) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

int main(int argc, char **argv)
{
    ll_ruleset *rules = NULL;
    ll_problem problem;
    bench b = {0};
    if (ll_ruleset_create(NULL, &rules) != LL_OK || ll_ruleset_seal(rules, &problem) != LL_OK ||
        ll_report_create(NULL, &b.report) != LL_OK) {
        return 2;
    }
    b.rules = rules;
    int first = argc > 2 && strcmp(argv[1], "--every") == 0 ? 3 : 1;
    b.every = first > 1 ? strtoul(argv[2], NULL, 10) : 1;
    if (b.every == 0) {
        fprintf(stderr, "--every: %s is no step\n", argv[2]);
        return 2;
    }
    for (int i = first; i < argc; i++) {
        size_t size = 0;
        uint8_t *bytes = read_file(argv[i], &size);
        if (!bytes) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 2;
        }
        b.name = argv[i];
        cut_everywhere(&b, bytes, size);
        change_everywhere(&b, bytes, size);
        free(bytes);
    }
    printf("%d files, %lu inputs, %lu faults\n", argc - first, b.inputs, b.faults);
    ll_report_free(b.report);
    ll_ruleset_free(rules);
    return b.faults || argc < 2 ? 1 : 0;
}
