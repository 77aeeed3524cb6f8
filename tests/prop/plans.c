/* Prints the plan drawings of files, and of damaged copies of them, for plans.py. For each: a line with its name, the
 * plan if it has one, a NUL, the same turned, a NUL, the positions as JSON, a NUL.
 *
 * usage: prop_plans [--damage N] FILE...     N damaged copies of each file
 * exit: 0 all was written, 2 a file could not be read, or linting it failed */
#include "output/html/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool append(void *ctx, const char *bytes, size_t size)
{
    ll_text_put(ctx, bytes, size);
    return true;
}

static bool write_one(const ll_ruleset *rules, ll_report *report, const char *name, const uint8_t *bytes, size_t size)
{
    ll_lint_options options = {.size = sizeof options, .name = name};
    ll_text out;
    ll_text_init(&out, NULL);
    bool good = ll_lint(rules, bytes, size, &options, report) == LL_OK;
    ll_text_format(&out, "%s\n", name);
    if (good) {
        size_t before = out.length;
        bool drawn = ll_space_plan(report, NULL, &out);
        good = drawn == (out.length > before);
    }
    ll_text_char(&out, '\0');
    const ll_camera turned = {sizeof turned, 600, 400, true, 1 + (double)size, 0.7, .chosen = 1};
    good = good && ll_draw(report, &turned, append, &out) == LL_OK;
    ll_text_char(&out, '\0');
    good = good && ll_dump(report, "space", NULL, append, &out) == LL_OK && !out.failed;
    ll_text_char(&out, '\0');
    good = good && fwrite(out.data, 1, out.length, stdout) == out.length;
    ll_text_free(&out);
    return good;
}

/* Replaces some words by values that are no position: NaN, infinities, the largest and the smallest numbers; or by
 * any bytes. */
static void damage(uint8_t *bytes, size_t size, uint32_t *chance)
{
    static const uint32_t odd[] = {0x7FC00000, 0x7F800000, 0xFF800000, 0x7F7FFFFF,
                                   0x00000001, 0x4B189680, 0,          0xFFFFFFFF};
    for (unsigned i = 0; i < 12 && size >= 0x20; i++) {
        *chance = *chance * 1664525u + 1013904223u;
        size_t at = 0x10 + (*chance >> 8) % ((size - 0x14) / 2) * 2;
        *chance = *chance * 1664525u + 1013904223u;
        uint32_t word = *chance >> 28 < 8 ? odd[*chance >> 28] : *chance;
        for (unsigned j = 0; j < 4; j++) {
            bytes[at + j] = (uint8_t)(word >> 8 * (i % 2 ? j : 3 - j));
        }
    }
}

static bool write_file(const ll_ruleset *rules, ll_report *report, const char *path, unsigned copies)
{
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    uint8_t *bytes = size < 0 ? NULL : malloc(2 * (size_t)size + 1);
    bool good = bytes && fseek(file, 0, SEEK_SET) == 0 && fread(bytes, 1, (size_t)size, file) == (size_t)size;
    uint32_t chance = (uint32_t)size;
    for (unsigned i = 0; i <= copies && good; i++) {
        uint8_t *copy = bytes + size;
        memcpy(copy, bytes, (size_t)size);
        if (i) {
            damage(copy, (size_t)size, &chance);
        }
        good = write_one(rules, report, path, copy, (size_t)size);
    }
    free(bytes);
    if (file) {
        (void)fclose(file);
    }
    return good;
}

int main(int argc, char **argv)
{
    int first = argc > 2 && strcmp(argv[1], "--damage") == 0 ? 3 : 1;
    unsigned copies = first == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    ll_ruleset *rules = NULL;
    ll_report *report = NULL;
    bool good = ll_ruleset_create(NULL, &rules) == LL_OK && ll_ruleset_seal(rules, NULL) == LL_OK &&
                ll_report_create(NULL, &report) == LL_OK;
    for (int i = first; i < argc && good; i++) {
        good = write_file(rules, report, argv[i], copies);
        if (!good) {
            (void)fprintf(stderr, "%s: not read, or not linted\n", argv[i]);
        }
    }
    ll_report_free(report);
    ll_ruleset_free(rules);
    return good ? 0 : 2;
}
