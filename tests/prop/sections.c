/* Whatever happens to the sections of a file, the program survives, its spans tile the file, and unread bytes are under
 * a finding. A section here is any span of the ledger with all it contains, or an element of an array; so the test
 * knows no family and treats sections of a map, members of an archive, entries, entities and rows of a table alike.
 * Sections are dropped, doubled, emptied, exchanged, lengthened and shortened, one to four in sequence; the sizes,
 * counts and offsets that depend on them are corrected or not. Every mutant is linted and dumped, and every FIX_EVERYth
 * is fixed. Bytes are in a heap block of exactly their size, so that a sanitizer notices access outside.
 *
 * usage: prop_sections [--last FILE] COUNT FILE...   exit: 0 it holds, 1 it does not, 2 a file could not be read
 * COUNT: mutants of each family. --last: write every mutant to FILE before it is linted. */
#include "../fuzz/fuzz.h"
#include "model/consequence.h"
#include "model/format.h"
#include "findings/report.h"

#include <time.h>

enum { FILES_MAX = 4096, MOST = 1 << 16, CHAIN = 4, FIX_EVERY = 16, FAMILIES_MAX = 32, EXAMPLES = 20 };

typedef struct input {
    const char *name;
    uint8_t *bytes;
    size_t size;
} input;

/* A range of the file. */
typedef struct section {
    uint32_t span, offset, length;
    uint32_t element; /* LL_NO_INDEX: the whole span */
} section;

typedef enum mutation { DROP, DOUBLE, EMPTY, EXCHANGE, LENGTHEN, SHORTEN, MUTATIONS } mutation;

typedef struct bench {
    ll_report *report;
    ll_fix *fix;
    ll_arena scratch;
    const char *last;
    const char *name; /* file that mutants are made from */
    uint64_t random;
    unsigned long inputs, faults, moved, fixed;
    double slowest; /* longest time for lint, dump and fix of a mutant, in seconds */
    uint64_t at;    /* end of the spans so far */
    bool broken;
} bench;

static uint64_t next_random(bench *b)
{
    b->random ^= b->random << 13;
    b->random ^= b->random >> 7;
    b->random ^= b->random << 17;
    return b->random >> 11;
}

static uint32_t below(bench *b, uint32_t n)
{
    return (uint32_t)(next_random(b) % n);
}

/* ------------------------------------------------------------------ sections */

/* Draws a span of the file or an element of one. False if the span drawn is not suitable, such as a field of a
 * record. */
static bool draw_section(bench *b, const ll_doc *doc, section *out)
{
    if (!doc->format || !doc->span_count) {
        return false;
    }
    uint32_t number = below(b, doc->span_count);
    const ll_span *s = ll_doc_span(doc, number);
    uint32_t size = ll_doc_layout(doc, number)->size;
    *out = (section){number, s->offset, s->length, LL_NO_INDEX};
    bool elements = s->count > 1 && size && (uint64_t)size * s->count <= s->length && below(b, 3);
    if (elements) {
        out->element = below(b, s->count);
        out->offset += out->element * size;
        out->length = size;
    }
    return out->length && out->offset < doc->size && out->length <= doc->size - out->offset;
}

/* Draws another section, of the same layout if possible. */
static bool draw_like(bench *b, const ll_doc *doc, const section *of, section *out)
{
    bool found = false;
    for (unsigned i = 0; i < 64 && !found; i++) {
        found = draw_section(b, doc, out) &&
                (out->offset >= of->offset + of->length || of->offset >= out->offset + out->length);
        found = found && (i >= 32 || ll_doc_span(doc, out->span)->layout == ll_doc_span(doc, of->span)->layout);
    }
    return found;
}

/* ------------------------------------------------------------------ mutants */

typedef struct mutant {
    uint8_t *bytes;
    uint32_t size;
} mutant;

/* Stores a copy in a block of its size. Frees the previous block. */
static void take(mutant *m, const uint8_t *bytes, uint32_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    FUZZ_CHECK(copy, "no memory");
    if (size) {
        memcpy(copy, bytes, size);
    }
    free(m->bytes);
    *m = (mutant){copy, size};
}

/* Replaces `removed` bytes by `size` bytes. */
static void splice(bench *b, mutant *m, const ll_edit *edit)
{
    uint32_t size = m->size - edit->removed + edit->size;
    uint8_t *made = ll_arena_alloc(&b->scratch, size + 1, 1);
    FUZZ_CHECK(made, "no memory");
    memcpy(made, m->bytes, edit->offset);
    memcpy(made + edit->offset, edit->bytes, edit->size);
    memcpy(made + edit->offset + edit->size, m->bytes + edit->offset + edit->removed,
           m->size - edit->offset - edit->removed);
    take(m, made, size);
}

/* Applies an edit, with or without correcting what depends on it. */
static void apply(bench *b, const ll_doc *doc, mutant *m, uint32_t span, const ll_edit *edit)
{
    ll_consequences now;
    if (below(b, 2) && ll_consequences_of(doc, span, edit, below(b, 2), &b->scratch, &now) == LL_OK) {
        b->moved++;
        take(m, now.bytes, now.size);
    } else {
        splice(b, m, edit);
    }
}

/* Exchanges the bytes of two sections. */
static void exchange(bench *b, const ll_doc *doc, mutant *m, const section *one)
{
    section other;
    if (!draw_like(b, doc, one, &other)) {
        return;
    }
    const section *first = one->offset < other.offset ? one : &other;
    const section *second = first == one ? &other : one;
    uint32_t end = second->offset + second->length, start = first->offset;
    uint32_t middle = second->offset - (first->offset + first->length);
    uint8_t *made = ll_arena_alloc(&b->scratch, end - start, 1);
    FUZZ_CHECK(made, "no memory");
    memcpy(made, m->bytes + second->offset, second->length);
    memcpy(made + second->length, m->bytes + start + first->length, middle);
    memcpy(made + second->length + middle, m->bytes + start, first->length);
    ll_edit edit = {.offset = start, .removed = end - start, .size = end - start, .bytes = made};
    splice(b, m, &edit);
}

static void mutate(bench *b, const ll_doc *doc, mutant *m, const section *s)
{
    uint8_t *bytes = ll_arena_alloc(&b->scratch, 2 * (size_t)s->length + 64, 1);
    FUZZ_CHECK(bytes, "no memory");
    memcpy(bytes, m->bytes + s->offset, s->length);
    memcpy(bytes + s->length, m->bytes + s->offset, s->length);
    ll_edit edit = {.tier = LL_PATCH_UNSAFE, .offset = s->offset, .removed = s->length, .bytes = bytes};
    uint32_t own = ll_doc_layout(doc, s->span)->size;
    uint32_t n = 1 + below(b, below(b, 2) ? 4 : s->length < 64 ? s->length : 64);
    n = n < s->length ? n : s->length;
    mutation what = (mutation)below(b, MUTATIONS);
    edit.size = what == DOUBLE ? 2 * s->length : 0;
    if (what == EMPTY) { /* its contents are removed or set to zeros */
        bool zeros = below(b, 2);
        uint32_t kept = own < s->length ? own : 0;
        memset(bytes + kept, 0, s->length - kept);
        edit.size = zeros ? s->length : kept;
    } else if (what == LENGTHEN) {
        edit.offset += s->length;
        edit.removed = 0;
        memset(bytes, below(b, 2) ? 0 : (int)below(b, 256), n);
        edit.size = n;
    } else if (what == SHORTEN) {
        edit.offset += s->length - n;
        edit.removed = n;
    }
    if (what == EXCHANGE) {
        exchange(b, doc, m, s);
    } else if (m->size - edit.removed + edit.size <= 2 * MOST) {
        apply(b, doc, m, s->span, &edit);
    }
}

/* ------------------------------------------------------------------ one mutant */

static bool next_leaf(void *ctx, const ll_span_info *leaf)
{
    bench *b = ctx;
    if (!leaf->region) {
        b->broken = b->broken || leaf->offset != b->at || !leaf->length;
        b->at = leaf->offset + leaf->length;
    }
    return true;
}

static void write_last(const bench *b, const mutant *m)
{
    FILE *file = b->last ? fopen(b->last, "wb") : NULL;
    if (file) {
        (void)fwrite(m->bytes, 1, m->size, file);
        (void)fclose(file);
    }
}

static const char *judge(bench *b, const mutant *m)
{
    ll_lint_options options = {.size = sizeof options, .name = b->name};
    if (ll_lint(fuzz_rules(false), m->bytes, m->size, &options, b->report) != LL_OK) {
        return "ll_lint failed";
    }
    b->at = 0;
    b->broken = false;
    if (ll_report_spans(b->report, next_leaf, b) != LL_OK || b->broken || b->at != m->size) {
        return "leaves do not tile the file";
    }
    if (b->inputs % FIX_EVERY == 0) {
        ll_fix_options fix = {.size = sizeof fix, .tier = LL_PATCH_UNSAFE};
        b->fixed++;
        if (ll_fix_run(b->fix, fuzz_rules(false), m->bytes, m->size, &options, &fix) != LL_OK) {
            return "ll_fix_run failed";
        }
    }
    return fuzz_unread_fault(b->report);
}

static void try_mutant(bench *b, const mutant *m)
{
    clock_t start = clock();
    write_last(b, m);
    const char *fault = judge(b, m);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    b->slowest = seconds > b->slowest ? seconds : b->slowest;
    b->inputs++;
    if (fault && ++b->faults <= EXAMPLES) {
        (void)fprintf(stderr, "mutant %lu, of %s: %s\n", b->inputs, b->name, fault);
    }
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Makes one to CHAIN mutations of a file in sequence. Each step gives a mutant, and the next step uses its ledger. */
static void try_chain(bench *b, const input *file)
{
    mutant m = {NULL, 0};
    ll_lint_options options = {.size = sizeof options, .name = b->name = file_name(file->name)};
    take(&m, file->bytes, (uint32_t)file->size);
    FUZZ_CHECK(ll_lint(fuzz_rules(false), m.bytes, m.size, &options, b->report) == LL_OK, "%s", file->name);
    for (uint32_t left = 1 + below(b, CHAIN); left; left--) {
        section s;
        ll_arena_reset(&b->scratch);
        if (draw_section(b, &b->report->doc, &s)) {
            mutate(b, &b->report->doc, &m, &s);
        }
        try_mutant(b, &m);
    }
    free(m.bytes);
}

/* ------------------------------------------------------------------ files */

static bool read_file(const char *path, input *out)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = file ? malloc(MOST) : NULL;
    size_t size = bytes ? fread(bytes, 1, MOST, file) : 0;
    *out = (input){path, bytes, size};
    if (file) {
        (void)fclose(file);
    }
    return size;
}

/* Tries mutants of the files of one family. */
static void try_family(bench *b, const ll_format *format, const input *files, size_t count, unsigned long mutants)
{
    static const input *own[FILES_MAX];
    uint32_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (files[i].size < MOST &&
            ll_format_choose(files[i].bytes, (uint32_t)files[i].size, file_name(files[i].name)) == format) {
            own[n++] = &files[i];
        }
    }
    if (!n) {
        return;
    }
    b->inputs = b->faults = b->moved = b->fixed = 0;
    b->slowest = 0;
    while (b->inputs < mutants) {
        try_chain(b, own[below(b, n)]);
    }
    printf("%s: %u files, %lu mutants, %lu followed, %lu fixed, %lu faults; the slowest took %.2f s\n", format->family,
           n, b->inputs, b->moved, b->fixed, b->faults, b->slowest);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    static input files[FILES_MAX];
    static bench b = {.random = UINT64_C(0x9E3779B97F4A7C15)};
    bool last = argc > 2 && strcmp(argv[1], "--last") == 0;
    int first = last ? 3 : 1;
    unsigned long count = argc > first ? strtoul(argv[first], NULL, 10) : 0, faults = 0;
    size_t file_count = 0;
    b.last = last ? argv[2] : NULL;
    FUZZ_CHECK(ll_report_create(NULL, &b.report) == LL_OK && ll_fix_create(NULL, &b.fix) == LL_OK, "no memory");
    b.report->trying.which = LL_TRY_NONE;
    ll_arena_init(&b.scratch, &b.report->doc.arena.allocator, SIZE_MAX);
    for (int i = first + 1; i < argc && file_count < FILES_MAX; i++) {
        if (!read_file(argv[i], &files[file_count++])) {
            (void)fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 2;
        }
    }
    for (unsigned i = 0; i < ll_format_count(); i++) {
        try_family(&b, ll_format_at(i), files, file_count, count);
        faults += b.faults;
    }
    for (size_t i = 0; i < file_count; i++) {
        free(files[i].bytes);
    }
    ll_arena_free(&b.scratch);
    ll_report_free(b.report);
    ll_fix_free(b.fix);
    return faults || !file_count || !count ? 1 : 0;
}
