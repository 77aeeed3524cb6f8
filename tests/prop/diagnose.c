/* Prints the results of the cause search (diagnosis/search.h). For each file: a line with its weight (0: no finding
 * above odd), the number of readings, and whether more were wanted. Then a line for each of the best hypotheses: kind,
 * offset and length of its range, score, cost, tier of the patch, offset, bytes removed, bytes inserted. Columns are
 * separated by tabs; the second kind of line starts with one.
 *
 * usage: prop_diagnose [--best N] [--variant N] FILE...     exit: 0, 2 a file could not be read */
#include "diagnosis/search.h"

#include "read_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const ll_hypothesis *h)
{
    printf("\t%s\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t", ll_cause_names[h->kind], (unsigned)h->offset, (unsigned)h->length,
           (unsigned)h->score, (unsigned)h->cost, (unsigned)h->edit.tier, (unsigned)h->edit.offset,
           (unsigned)h->edit.removed);
    for (uint32_t i = 0; i < h->edit.size; i++) {
        printf("%02x", h->edit.bytes[i]);
    }
    printf("\n");
}

static bool diagnose(const ll_ruleset *rules, const char *path, unsigned variant, unsigned best)
{
    size_t size;
    uint8_t *bytes = read_file(path, &size);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const ll_format *format = bytes ? ll_format_choose(bytes, size, name) : NULL;
    if (!bytes) {
        return false;
    }
    if (format) {
        ll_search search;
        bool done = ll_search_run(&search, rules, &(ll_searched){format, name, variant, bytes, (uint32_t)size}, 0);
        printf("%s\t%u\t%u\t%d\n", path, search.readings ? (unsigned)search.base : 0U, (unsigned)search.readings,
               search.untried != UINT32_MAX);
        for (size_t i = 0; done && i < search.tried.count && i < best; i++) {
            show(&search.tried.items[i]);
        }
        ll_search_free(&search);
    }
    free(bytes);
    return true;
}

int main(int argc, char **argv)
{
    ll_problem problem;
    ll_ruleset *rules = NULL;
    if (ll_ruleset_create(NULL, &rules) != LL_OK || ll_ruleset_seal(rules, &problem) != LL_OK) {
        return 2;
    }
    unsigned best = 5, variant = 0;
    int status = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--best") == 0 && i + 1 < argc) {
            best = (unsigned)strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--variant") == 0 && i + 1 < argc) {
            variant = (unsigned)strtoul(argv[++i], NULL, 10);
        } else if (!diagnose(rules, argv[i], variant, best)) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            status = 2;
        }
    }
    ll_ruleset_free(rules);
    return status;
}
