/* Random valid scripts have no findings. A changed byte of an opcode, jump target, number or count gives a finding in
 * 95 of 100 cases, and always unless the change makes another valid script. The output is the same for the same
 * arguments.
 *
 * usage: prop_soup_programs [SCRIPTS [CHANGES]]     exit: 0 it holds, 1 it does not, 2 a test could not run */
#include "made/script_map.h"

#include <lightlint/lightlint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPTS = 4000, CHANGES = 4000, TOGETHER = 50, BYTES_MOST = 1200, SHOWN = 5, FLOOR_PERCENT = 95 };

static const char *const kind_names[MARK_KINDS] = {
    [MARK_OPCODE] = "opcode",           [MARK_TARGET] = "jump target",  [MARK_IF_END] = "end of an If",
    [MARK_FUNCTION] = "function",       [MARK_FLAG] = "flag",           [MARK_VARIABLE] = "variable",
    [MARK_STRING] = "string",           [MARK_COUNT] = "count",         [MARK_OBJECT] = "object kind",
    [MARK_CALL_KIND] = "call kind",     [MARK_REFERENCE] = "reference", [MARK_COMPARISON] = "comparison",
    [MARK_CONJUNCTION] = "conjunction", [MARK_OPERATOR] = "operator",   [MARK_ZERO] = "slot, padding",
};

/* The only note that valid scripts may have: shipped readers disagree about these statements. */
static const char ALLOWED[] = "op-rare";

typedef struct tally {
    unsigned long made, found;
} tally;

typedef struct bench {
    ll_ruleset *rules;
    ll_report *report;
    made_random random;
    made_script script;
    map_parts parts;
    image file;
    tally kinds[MARK_KINDS];
    unsigned long opcodes[256][256]; /* opcode changes without a finding, by old and new opcode */
    unsigned long missed;            /* changes without a finding that do not make another valid script */
} bench;

static void lint(bench *b)
{
    ll_lint_options options = {.size = sizeof options, .name = "made.rgm"};
    if (ll_lint(b->rules, b->file.bytes, b->file.size, &options, b->report) != LL_OK) {
        die("ll_lint");
    }
}

static void finding_at(bench *b, size_t i, ll_finding *f)
{
    if (ll_report_finding(b->report, i, f) != LL_OK) {
        die("ll_report_finding");
    }
}

/* Counts findings: *allowed gets those of ALLOWED; returns the others. Prints the others with `print`, unless it is
 * NULL. */
static size_t count_findings(bench *b, const char *print, size_t *allowed)
{
    size_t others = 0;
    *allowed = 0;
    for (size_t i = 0; i < ll_report_finding_count(b->report); i++) {
        ll_finding f;
        finding_at(b, i, &f);
        bool fine = strcmp(f.name, ALLOWED) == 0;
        *allowed += fine;
        others += !fine;
        if (!fine && print && others <= SHOWN) {
            fprintf(stderr, "%s: 0x%llx %s: %s %s: %s\n", print, (unsigned long long)f.offset, f.path,
                    ll_severity_text(f.severity), f.name, f.message);
        }
    }
    return others;
}

static void write_failed(const bench *b, const char *path)
{
    FILE *out = fopen(path, "wb");
    if (out && fwrite(b->file.bytes, 1, b->file.size, out) == b->file.size && fclose(out) == 0) {
        fprintf(stderr, "the file was written as %s\n", path);
    }
}

/* Lints valid scripts, several as actors of each map. */
static unsigned long try_valid(bench *b, unsigned long scripts)
{
    unsigned long faults = 0, bytes = 0, statements = 0;
    for (unsigned long done = 0; done < scripts && faults == 0; done += TOGETHER) {
        b->parts.count = b->parts.code.size = 0;
        for (unsigned i = 0; i < TOGETHER; i++) {
            make_script(&b->script, &b->random, made_pick(&b->random, BYTES_MOST));
            map_parts_add(&b->parts, &b->script);
            bytes += b->script.code.size;
            statements += b->script.start_count;
        }
        (void)make_script_map(&b->file, &b->parts);
        lint(b);
        size_t allowed;
        faults += count_findings(b, "valid script", &allowed);
        if (faults) {
            write_failed(b, "soup_programs_valid.rgm");
        }
    }
    printf("%lu scripts of %lu statements in %lu bytes: %lu findings\n", scripts, statements, bytes, faults);
    return faults;
}

static uint32_t field_value(const uint8_t *field, unsigned bytes)
{
    uint32_t value = 0;
    while (bytes-- > 0) {
        value = value << 8 | field[bytes];
    }
    return value;
}

static void change_once(bench *b, size_t code, size_t allowed_before)
{
    const script_mark *mark = &b->script.marks[made_pick(&b->random, (uint32_t)b->script.mark_count)];
    uint8_t *field = &b->file.bytes[code + mark->offset];
    uint8_t *byte = field + made_pick(&b->random, mark->length);
    uint8_t old = *byte;
    size_t allowed;
    *byte = (uint8_t)(old + 1 + made_pick(&b->random, UINT8_MAX));
    lint(b);
    bool found = count_findings(b, NULL, &allowed) > 0 || allowed > allowed_before;
    b->kinds[mark->kind].made++;
    b->kinds[mark->kind].found += found;
    b->opcodes[old][*byte] += !found && mark->kind == MARK_OPCODE;
    if (!found && !is_another_script(&b->script, mark, field_value(field, mark->length)) && b->missed++ == 0) {
        fprintf(stderr, "%s: byte %02x at 0x%zx made %02x, nothing found\n", kind_names[mark->kind], old,
                (size_t)(byte - b->file.bytes), *byte);
        write_failed(b, "soup_programs_missed.rgm");
    }
    *byte = old;
}

/* Lints changed scripts, one per map. */
static void try_changes(bench *b, unsigned long changes)
{
    enum { EACH = 10 };
    for (unsigned long done = 0; done < changes; done += EACH) {
        b->parts.count = b->parts.code.size = 0;
        make_script(&b->script, &b->random, made_pick(&b->random, BYTES_MOST));
        map_parts_add(&b->parts, &b->script);
        size_t code = make_script_map(&b->file, &b->parts);
        lint(b);
        size_t allowed;
        (void)count_findings(b, NULL, &allowed);
        for (unsigned i = 0; i < EACH; i++) {
            change_once(b, code, allowed);
        }
    }
}

static void print_row(const char *what, tally t)
{
    double percent = t.made ? 100.0 * (double)t.found / (double)t.made : 100.0;
    printf("%-16s %8lu %8lu %7.2f%%\n", what, t.made, t.found, percent);
}

/* Prints the number of changes found, by kind; returns whether they are enough. */
static bool judge_changes(const bench *b)
{
    tally all = {0};
    printf("%-16s %8s %8s\n", "changed", "times", "found");
    for (size_t kind = 0; kind < MARK_KINDS; kind++) {
        if (kind == MARK_OBJECT) {
            print_row("together", all);
        }
        if (kind < MARK_OBJECT) {
            all.made += b->kinds[kind].made;
            all.found += b->kinds[kind].found;
        }
        print_row(kind_names[kind], b->kinds[kind]);
    }
    printf("opcodes that may stand for each other:");
    for (size_t old = 0; old < 256; old++) {
        for (size_t new = 0; new < 256; new ++) {
            if (b->opcodes[old][new]) {
                printf(" %02zX>%02zX:%lu", old, new, b->opcodes[old][new]);
            }
        }
    }
    printf("\nnot found, and no other valid script: %lu\n", b->missed);
    return all.found * 100 >= all.made * FLOOR_PERCENT && b->missed == 0;
}

int main(int count, char **arguments)
{
    static bench b; /* too large for the stack */
    unsigned long scripts = count > 1 ? strtoul(arguments[1], NULL, 10) : SCRIPTS;
    unsigned long changes = count > 2 ? strtoul(arguments[2], NULL, 10) : CHANGES;
    ll_problem problem;
    b.random.state = 0x5075;
    if (ll_ruleset_create(NULL, &b.rules) != LL_OK || ll_ruleset_seal(b.rules, &problem) != LL_OK ||
        ll_report_create(NULL, &b.report) != LL_OK) {
        return 2;
    }
    bool holds = try_valid(&b, scripts) == 0;
    if (holds && changes) {
        try_changes(&b, changes);
        holds = judge_changes(&b);
    }
    ll_report_free(b.report);
    ll_ruleset_free(b.rules);
    release_script(&b.script);
    release_map_parts(&b.parts);
    free(b.file.bytes);
    return holds ? 0 : 1;
}
