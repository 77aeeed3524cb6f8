/* Build tool: packc [--small] OUT.c PACK.yaml... [TEXT...]
 *
 * Compiles the shipped packs and text files to const tables. Packs are read and checked as at run time, with some
 * additional checks for shipped packs: each fault and each named check has a rule, and each rule has evidence. OUT.c is
 * written only if there is no error. Errors go to stderr as "file:line:column: error: text". */
#include "base/array.h"
#include "base/map.h"
#include "base/problem.h"
#include "model/format.h"
#include "model/reader_kind.h"
#include "packc/screen_text.h"
#include "rules/across.h"
#include "rules/cross_check.h"
#include "rules/pack.h"
#include "rules/regex.h"
#include "rules/resolve.h"

#include <errno.h>
#if LIGHTLINT_WITH_LZO
#include <lzo/lzo1x.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_MAX = 256 * 1024 * 1024, MOST_TEXT = 1024 * 1024 };

/* A pack of rules, or a text file to be embedded unchanged, which has no rules. */
typedef struct pack {
    const char *path;
    bool is_text;
    char *text;
    size_t size;
    ll_rule *rules;
    size_t count;
} pack;

typedef struct packc {
    ll_arena arena;   /* packs and rules */
    ll_arena scratch; /* for one check */
    pack *packs;
    size_t pack_count;
    const ll_rule **rules;   /* of all packs, in order of reading; sorted by id before writing */
    ll_resolved *resolved;   /* by index of the rule */
    bool small;              /* screens do not tell which tests may fail */
    bool packed;             /* texts are compressed, which needs liblzo2 */
    ll_text texts;           /* all texts, each once with its NUL */
    LL_ARRAY(size_t) places; /* offset of each text in `texts` */
    ll_map by_text;
    ll_screen_tests (*screens)[LL_LAYOUTS_MAX]; /* by format and layout */
    size_t rule_count;
    ll_text tables; /* of patterns, as C */
    size_t table_count;
    unsigned errors;
} packc;

/* ------------------------------------------------------------------ errors */

static void complain(packc *run, const char *path, const ll_problem *problem)
{
    size_t n = strlen(path);
    bool prefixed = strncmp(problem->text, path, n) == 0 && strncmp(problem->text + n, ": ", 2) == 0;
    const char *text = problem->text + (prefixed ? n + 2 : 0);
    if (problem->line) {
        (void)fprintf(stderr, "%s:%u:%u: error: %s\n", path, problem->line, problem->column, text);
    } else {
        (void)fprintf(stderr, "%s: error: %s\n", path, text);
    }
    run->errors++;
}

/* Ends the run for a status other than LL_E_PACK, such as out of memory. */
static void give_up(ll_status status)
{
    (void)fprintf(stderr, "packc: error: %s\n", ll_status_text(status));
    exit(EXIT_FAILURE);
}

/* Reports a problem with rule number `rule` of a pack; does nothing for LL_OK. */
static void file_rule(packc *run, const pack *at, size_t rule, ll_status status, ll_problem *problem)
{
    if (status == LL_E_PACK) {
        (void)ll_pack_locate(NULL, &(ll_pack_text){at->path, at->text, at->size}, rule, problem);
        complain(run, at->path, problem);
    } else if (status != LL_OK) {
        give_up(status);
    }
}

/* ------------------------------------------------------------------ reading */

static bool read_all(packc *run, FILE *file, pack *out)
{
    enum { MOST = MOST_TEXT + 1 }; /* one byte too many, so that the reader reports the limit */
    out->text = ll_arena_zalloc(&run->arena, MOST + 1, 1);
    if (!out->text) {
        give_up(LL_E_MEMORY);
    }
    out->size = fread(out->text, 1, MOST, file);
    return !ferror(file);
}

static void read_pack(packc *run, pack *out)
{
    FILE *file = fopen(out->path, "rb");
    ll_problem problem = {0};
    if (!file || !read_all(run, file, out)) {
        (void)LL_PROBLEM(&problem, strerror(errno));
        complain(run, out->path, &problem);
    } else if (out->is_text) {
        if (strlen(out->text) != out->size || out->size > MOST_TEXT) {
            (void)LL_PROBLEM(&problem, "expected a text of at most 1 MiB without NUL bytes");
            complain(run, out->path, &problem);
        }
    } else {
        ll_status status = ll_pack_read(&run->arena, &(ll_pack_text){out->path, out->text, out->size}, &out->rules,
                                        &out->count, &problem);
        if (status == LL_E_PACK) {
            complain(run, out->path, &problem);
            out->count = 0;
        } else if (status != LL_OK) {
            give_up(status);
        }
    }
    if (file) {
        (void)fclose(file);
    }
}

static void gather_rules(packc *run)
{
    for (size_t i = 0; i < run->pack_count; i++) {
        run->rule_count += run->packs[i].count;
    }
    run->rules = ll_arena_alloc(&run->arena, run->rule_count + 1, sizeof *run->rules);
    if (!run->rules) {
        give_up(LL_E_MEMORY);
    }
    size_t n = 0;
    for (size_t i = 0; i < run->pack_count; i++) {
        for (size_t j = 0; j < run->packs[i].count; j++) {
            run->rules[n++] = &run->packs[i].rules[j];
        }
    }
}

/* ------------------------------------------------------------------ checks */

static ll_status check_tags(const ll_rule *rule, ll_problem *problem)
{
    static const char *const words[] = {"structure", "reference",   "padding", "size", "value",
                                        "name",      "composition", "input",   "seed", "corpus",
                                        "engine",    "tool",        "inferred"};
    const ll_names known = LL_NAME_LIST(words, sizeof words / sizeof words[0]);
    ll_status status = LL_OK;
    for (size_t i = 0; status == LL_OK && i < rule->tags.count; i++) {
        size_t number;
        status = ll_names_pick(&known, "tag", "", rule->tags.at[i], &number, problem);
    }
    return status;
}

/* Checks that apply to shipped rules only. `before`: the previous rule of the pack, or NULL. */
static ll_status check_shipped(const ll_rule *rule, const ll_rule *before, ll_problem *problem)
{
    const char *family = ll_shipped_family(rule->id);
    if (!family || strcmp(family, rule->family) != 0) {
        return LL_PROBLEM(problem, "id '", rule->id, "' does not have a prefix of family ", rule->family);
    }
    if (before && strcmp(before->id, rule->id) > 0) {
        return LL_PROBLEM(problem, "id '", rule->id, "' stands after '", before->id, "': a pack is sorted by id");
    }
    if (!*rule->evidence) {
        return LL_PROBLEM(problem, rule->id, " lacks the key 'evidence'");
    }
    return check_tags(rule, problem);
}

static void check_pack(packc *run, const pack *at)
{
    for (size_t i = 0; i < at->count; i++) {
        const ll_rule *rule = &at->rules[i];
        ll_problem problem = {0};
        ll_arena_reset(&run->scratch);
        ll_status status = check_shipped(rule, i ? &at->rules[i - 1] : NULL, &problem);
        status = status == LL_OK ? ll_rule_check(&run->scratch, rule, true, &problem) : status;
        status = status == LL_OK ? ll_rule_check_hints(rule, &problem) : status;
        file_rule(run, at, i, status, &problem);
    }
}

static void check_together(packc *run)
{
    ll_problem problem = {0};
    size_t culprit;
    ll_arena_reset(&run->scratch);
    ll_status status = ll_rules_cross_check(&run->scratch, run->rules, run->rule_count, &culprit, &problem);
    for (size_t i = 0; i < run->pack_count; i++) {
        if (culprit < run->packs[i].count) {
            file_rule(run, &run->packs[i], culprit, status, &problem);
            return;
        }
        culprit -= run->packs[i].count;
    }
}

/* Checks that a rule reports "<family>.<name>", unless no rule of the family is shipped yet. Another check finds faults
 * with two rules. */
static void check_has_rule(packc *run, const char *family, const char *name, bool fault)
{
    const ll_rule *shipped = NULL;
    for (size_t i = 0; i < run->rule_count; i++) {
        const ll_rule *rule = run->rules[i];
        const char *dot = strchr(fault ? rule->fault : rule->test.check, '.');
        bool meant = strcmp(rule->family, family) == 0;
        if (meant && dot && strcmp(dot + 1, name) == 0) {
            return;
        }
        shipped = meant && !shipped ? rule : shipped;
    }
    if (shipped) {
        ll_problem problem = {0};
        (void)LL_PROBLEM(&problem, fault ? "fault '" : "check '", family, ".", name, "' has no rule");
        complain(run, shipped->origin, &problem);
    }
}

/* May the reader raise a fault of this kind for the format? */
static bool may_find(const ll_format *format, ll_read_kind kind)
{
    bool tags = false, arrays = false, counted = false, texts = false, sizes = false, places = false, choices = false;
    bool sections = false;
    for (size_t i = 0; i < format->part_count; i++) {
        choices = choices || format->parts[i].field != LL_NO_FIELD;
        tags = tags || format->parts[i].how == LL_PART_TAGGED;
        sections = sections || format->parts[i].place >= LL_PLACE_ONCE;
        arrays = arrays || format->parts[i].how == LL_PART_ARRAY;
        counted = counted || format->parts[i].how == LL_PART_COUNTED;
        texts = texts || format->layouts[format->parts[i].layout].kind == LL_KIND_STRING;
    }
    for (size_t i = 0; i < format->derivation_count; i++) {
        unsigned how = format->derivations[i].how;
        sizes = sizes || how == LL_DERIVE_BYTES || how == LL_DERIVE_FILE_BYTES || how == LL_DERIVE_BYTES_TO_END;
        places = places || (how >= LL_DERIVE_OFFSET_IN_FILE && how <= LL_DERIVE_OFFSET_FROM_FIELD);
    }
    for (size_t i = 0; i < format->reference_count; i++) {
        places = places || format->references[i].how != LL_BY_INDEX;
    }
    if (sections) { /* other rows give the faults of each section and field */
        arrays = texts = sizes = places = false;
    }
    const bool found[LL_READ_KINDS] = {
        [LL_READ_CUT] = true,     [LL_READ_SURPLUS] = true,      [LL_READ_TAG] = tags,       [LL_READ_ORDER] = tags,
        [LL_READ_END] = tags,     [LL_READ_TEXT] = texts,        [LL_READ_SIZE] = sizes,     [LL_READ_OFFSET] = places,
        [LL_READ_COUNT] = arrays, [LL_READ_UNCOUNTED] = counted, [LL_READ_CHOICE] = choices,
    };
    return found[kind];
}

/* Checks that a format read by its parts has a fault for everything the reader may raise. */
static void check_reads(packc *run, const ll_format *format)
{
    static const char *const names[] = {
#define LL_READ_NAME(kind, base) #kind,
        LL_READ_KIND_ROWS(LL_READ_NAME)
#undef LL_READ_NAME
    };
    for (unsigned kind = 0; kind < LL_READ_KINDS; kind++) {
        if (may_find(format, (ll_read_kind)kind) &&
            ll_read_code(format, (ll_read_kind)kind, LL_ANY_LAYOUT, LL_NO_FIELD) == LL_FAULT_GAP) {
            ll_problem problem = {0};
            (void)LL_PROBLEM(&problem, "no row LL_READ(..., ", names[kind],
                             ", any) says what fault that is in family '", format->family, "'");
            complain(run, "the rows of formats", &problem);
        }
    }
}

static void check_coverage(packc *run)
{
    for (size_t i = 0; ll_remark_faults[i]; i++) {
        check_has_rule(run, "core", ll_remark_faults[i], true);
    }
    for (size_t i = 0; i < LL_CORE_FAULTS; i++) {
        check_has_rule(run, i < LL_FAULT_GAP ? "core" : "ledger", ll_core_faults[i].name, true);
    }
    for (size_t i = 0; i < LL_ACROSS_COUNT; i++) {
        check_has_rule(run, "mod", ll_across_faults[i].name, true);
    }
    for (size_t f = 0; f < ll_format_count(); f++) {
        const ll_format *format = ll_format_at(f);
        for (size_t i = 0; i < format->fault_count; i++) {
            check_has_rule(run, format->family, format->faults[i].name, true);
        }
        for (size_t i = 0; i < format->check_count; i++) {
            check_has_rule(run, format->family, format->checks[i].name, false);
        }
        check_reads(run, format);
    }
}

/* ------------------------------------------------------------------ writing */

#define PLACE(member) offsetof(ll_rule, member),
static const size_t text_places[] = {LL_RULE_TEXTS(PLACE)};
static const size_t list_places[] = {LL_RULE_LISTS(PLACE)};
#undef PLACE

static const char *text_of(const ll_rule *rule, size_t text)
{
    const char *at;
    memcpy(&at, (const char *)rule + text_places[text], sizeof at);
    return at;
}

static const ll_words *list_of(const ll_rule *rule, size_t list)
{
    return (const void *)((const char *)rule + list_places[list]);
}

typedef struct sought_text {
    const packc *run;
    const char *text;
} sought_text;

static const char *packed_text(const packc *run, uint32_t item)
{
    return run->texts.data + run->places.items[item];
}

static bool is_text(const void *sought, uint32_t item)
{
    const sought_text *s = sought;
    return strcmp(packed_text(s->run, item), s->text) == 0;
}

static uint64_t hash_text(const char *text)
{
    return ll_map_hash_bytes(0, text, strlen(text));
}

static uint64_t hash_packed(const void *run, uint32_t item)
{
    return hash_text(packed_text(run, item));
}

/* Offset of a text in run->texts; adds it if it is new. */
static size_t pack_text(packc *run, const char *text)
{
    uint32_t item = (uint32_t)run->places.count;
    sought_text sought = {run, text};
    if (!LL_ARRAY_ROOM(&run->places, 1, NULL) || !ll_map_room(&run->by_text, item, hash_packed, run, NULL)) {
        give_up(LL_E_MEMORY);
    }
    uint32_t there = ll_map_note(&run->by_text, hash_text(text), item, is_text, &sought);
    if (there == LL_MAP_NONE) {
        there = item;
        run->places.items[run->places.count++] = run->texts.length;
        ll_text_put(&run->texts, text, strlen(text) + 1);
    }
    return run->places.items[there];
}

/* Writes the items of all lists as offsets of texts. */
static void put_words(FILE *out, packc *run)
{
    size_t count = 0;
    (void)fputs("const uint32_t ll_shipped_words[] = {\n", out);
    for (size_t i = 0; i < run->rule_count; i++) {
        for (size_t l = 0; l < LL_RULE_LIST_COUNT; l++) {
            const ll_words *words = list_of(run->rules[i], l);
            for (size_t w = 0; w < words->count; w++, count++) {
                (void)fprintf(out, "%zu,%s", pack_text(run, words->at[w]), count % 16 == 15 ? "\n" : "");
            }
        }
    }
    (void)fprintf(out, "};\nconst size_t ll_shipped_word_count = %zu;\n\n", count);
}

/* Index of the rule with that name; it exists, as cross_check.h has checked. */
static size_t place_of(const packc *run, const char *family, const char *name)
{
    size_t i = 0;
    while (strcmp(run->rules[i]->name, name) != 0 || strcmp(run->rules[i]->family, family) != 0) {
        i++;
    }
    return i;
}

static void put_yields(FILE *out, const packc *run)
{
    (void)fprintf(out, "const uint32_t ll_shipped_yields[] = {\n");
    for (size_t i = 0; i < run->rule_count; i++) {
        const ll_rule *rule = run->rules[i];
        for (size_t j = 0; j < rule->yields_to.count; j++) {
            (void)fprintf(out, "%zu, ", place_of(run, rule->family, rule->yields_to.at[j]));
        }
    }
    (void)fprintf(out, "0 /* unused */};\n\n");
}

/* Writes the targets of all rules. */
static void put_targets(FILE *out, const packc *run)
{
    (void)fprintf(out, "const ll_rule_target ll_shipped_targets[] = {\n");
    for (size_t i = 0; i < run->rule_count; i++) {
        const ll_resolved *r = &run->resolved[i];
        for (size_t t = 0; t < r->target_count; t++) {
            (void)fprintf(out, "{%u, %u, %u, %u}, ", r->targets[t].layout, r->targets[t].field, r->targets[t].which,
                          r->targets[t].screened);
        }
    }
    (void)fprintf(out, "{0, 0, 0, 0} /* unused */};\n\n");
}

/* Writes a rule, and adds to the places in the tables what is its own. */
static void put_rule(FILE *out, packc *run, size_t number, ll_rule_row *next)
{
    const ll_rule *rule = run->rules[number];
    const ll_resolved *r = &run->resolved[number];
    (void)fprintf(out, "    {.texts = {");
    for (size_t t = 0; t < LL_RULE_TEXT_COUNT; t++) {
        (void)fprintf(out, "%zu, ", pack_text(run, text_of(rule, t)));
    }
    (void)fprintf(out, "}, .listed = {");
    size_t words = 0;
    for (size_t l = 0; l < LL_RULE_LIST_COUNT; l++) {
        words += list_of(rule, l)->count;
        (void)fprintf(out, "%zu, ", list_of(rule, l)->count);
    }
    (void)fprintf(out, "}, .first_word = %u, .family = %zu, .first_yield = %u, .yield_count = %zu,\n", next->first_word,
                  pack_text(run, rule->family), next->first_yield, rule->yields_to.count);
    (void)fprintf(out, "     .first_target = %u, .target_count = %u, .fault = %u, .check = %u,\n", next->first_target,
                  r->target_count, r->fault, r->check);
    (void)fprintf(out, "     .line = %u, .severity = %u, .patch = %u, .locked = %s}, /* %s */\n", rule->line,
                  rule->severity, rule->patch, rule->locked ? "true" : "false", rule->id);
    next->first_word += (uint32_t)words;
    next->first_yield += (uint32_t)rule->yields_to.count;
    next->first_target += r->target_count;
}

static void put_rules(FILE *out, packc *run)
{
    ll_rule_row next = {.first_word = 0};
    (void)fprintf(out, "const ll_rule_row ll_shipped_rules[] = {\n");
    for (size_t i = 0; i < run->rule_count; i++) {
        put_rule(out, run, i, &next);
    }
    (void)fprintf(out, "};\nconst size_t ll_shipped_rule_count = %zu;\n\n", run->rule_count);
}

static void put_screen(FILE *out, const ll_format *format, size_t layout, const ll_screen_tests *tests, bool small)
{
    ll_text text;
    ll_text_init(&text, NULL);
    bool string = format->layouts[layout].kind == LL_KIND_STRING;
    (void)fprintf(out,
                  "static uint32_t screen_%s_%zu(const uint8_t *p, uint32_t count, uint32_t length, bool *fails)\n{\n",
                  format->family, layout);
    (void)fputs("    if (fails) {\n", out);
    if (small) {
        (void)fprintf(out, "        memset(fails + 1, true, %zu);\n", tests->count);
    }
    for (size_t i = 0; i < tests->count && !small; i++) {
        (void)fprintf(out, "        fails[%zu] = !(%s);\n", i + 1, tests->items[i].text);
    }
    (void)fputs("        return 0;\n    }\n", out);
    (void)fprintf(out, "    for (uint32_t i = 0; i < %s; i++, p += %u) {\n        bool passes = true;\n",
                  string ? "1" : "count", format->layouts[layout].size);
    for (size_t i = 0; i < tests->count; i++) {
        if (!tests->items[i].joined) {
            (void)fprintf(out, "        passes &= %s;\n", tests->items[i].text);
        }
    }
    for (size_t i = 0; i < tests->all.count; i++) {
        ll_text_clear(&text);
        ll_screen_put_term(&tests->all.items[i], &text);
        (void)fprintf(out, "        passes &= %.*s;\n", (int)text.length, text.data);
    }
    ll_text_free(&text);
    (void)fprintf(out, "        if (!passes) {\n            return %s;\n        }\n    }\n",
                  string ? "UINT32_MAX" : "i");
    (void)fputs("    (void)length;\n    return count;\n}\n", out);
}

static void put_screens(FILE *out, const packc *run)
{
    for (size_t f = 0; f < ll_format_count(); f++) {
        const ll_format *format = ll_format_at(f);
        for (size_t l = 0; l < format->layout_count; l++) {
            if (run->screens[f][l].count) {
                put_screen(out, format, l, &run->screens[f][l], run->small);
            }
        }
        (void)fprintf(out, "static ll_screen *const screens_%s[%zu] = {", format->family, format->layout_count);
        for (size_t l = 0; l < format->layout_count; l++) {
            if (run->screens[f][l].count) {
                (void)fprintf(out, "[%zu] = screen_%s_%zu, ", l, format->family, l);
            }
        }
        (void)fputs("};\n", out);
    }
    (void)fputs("ll_screen *const *const ll_shipped_screens[] = {", out);
    for (size_t f = 0; f < ll_format_count(); f++) {
        (void)fprintf(out, "screens_%s, ", ll_format_at(f)->family);
    }
    (void)fputs("};\n", out);
}

static void put_bytes(FILE *out, const char *name, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    (void)fprintf(out, "static const uint8_t %s[] = {", name);
    for (size_t i = 0; i < n; i++) {
        (void)fprintf(out, "%u,%s", p[i], i % 32 == 31 ? "\n" : "");
    }
    (void)fputs("};\n", out);
}

static void gather_files(packc *run)
{
    for (size_t i = 0; i < run->pack_count; i++) {
        if (run->packs[i].is_text) {
            (void)pack_text(run, run->packs[i].text);
        }
    }
}

/* Writes text files under their names without folder and ".in". */
static void put_files(FILE *out, packc *run)
{
    (void)fputs("const ll_shipped ll_shipped_files[] = {\n", out);
    for (size_t i = 0; i < run->pack_count; i++) {
        const char *name = strrchr(run->packs[i].path, '/');
        name = name ? name + 1 : run->packs[i].path;
        if (run->packs[i].is_text) {
            (void)fprintf(out, "    {\"%.*s\", (const char *)texts + %zu},\n",
                          (int)(strlen(name) - (ll_ends_with(name, ".in") ? 3 : 0)), name,
                          pack_text(run, run->packs[i].text));
        }
    }
    (void)fputs("    {0}};\n\n", out);
}

/* Writes the compressed texts and a function that decompresses them at program start. LZO1X does not compress best, but
 * the library contains its decoder already. */
static bool put_packed(FILE *out, packc *run)
{
#if LIGHTLINT_WITH_LZO
    lzo_uint size = run->texts.length + run->texts.length / 16 + 67; /* worst case */
    uint8_t *packed = ll_arena_alloc(&run->arena, size, 1);
    void *work = ll_arena_alloc(&run->arena, LZO1X_999_MEM_COMPRESS, 16);
    if (!packed || !work) {
        give_up(LL_E_MEMORY);
    }
    if (lzo_init() != LZO_E_OK ||
        lzo1x_999_compress((const uint8_t *)run->texts.data, run->texts.length, packed, &size, work) != LZO_E_OK) {
        return false;
    }
    put_bytes(out, "packed", packed, size);
    (void)fprintf(out,
                  "static uint8_t texts[%zu];\n"
                  "__attribute__((constructor)) static void unpack(void)\n{\n"
                  "    size_t made = sizeof texts;\n"
                  "    (void)ll_lzo_decode(packed, sizeof packed, texts, &made);\n}\n",
                  run->texts.length);
#else
    (void)out;
    (void)run;
#endif
    return true;
}

static bool put_tables(FILE *out, packc *run)
{
    (void)fputs("/* Made by packc from the shipped packs, which say more. Do not edit. */\n#include \"base/lzo.h\"\n"
                "#include \"output/shipped.h\"\n#include \"rules/screen.h\"\n\n",
                out);
    put_words(out, run);
    put_yields(out, run);
    put_targets(out, run);
    put_rules(out, run);
    gather_files(run);
    if (run->texts.failed) {
        give_up(LL_E_MEMORY);
    }
    if (run->packed && !put_packed(out, run)) {
        return false;
    }
    if (!run->packed) { /* as an array, because standard C limits the length of literals */
        put_bytes(out, "texts", run->texts.data, run->texts.length);
    }
    (void)fputs("const char *const ll_shipped_texts = (const char *)texts;\n\n", out);
    put_files(out, run);
    if (run->tables.length) {
        (void)fwrite(run->tables.data, 1, run->tables.length, out);
    }
    put_screens(out, run);
    return !ferror(out);
}

static bool write_tables(packc *run, const char *path)
{
    FILE *out = fopen(path, "wb");
    bool written = out && put_tables(out, run);
    if ((out && fclose(out) != 0) || !written) {
        (void)fprintf(stderr, "%s: error: %s\n", path, strerror(errno));
        (void)remove(path);
        return false;
    }
    return true;
}

static int by_id(const void *a, const void *b)
{
    const ll_rule *const *left = a;
    const ll_rule *const *right = b;
    return strcmp((*left)->id, (*right)->id);
}

/* Adds a test to the screen of its record, if the screen can express it. */
static void add_to_screen(packc *run, const ll_rule *rule, const ll_format *format, size_t number, ll_rule_target *at)
{
    ll_bound_rule bound = {0};
    ll_problem problem = {0};
    ll_status status = ll_rule_bind(&run->arena, rule, format, at, &bound, &problem);
    ll_screen_tests *tests = &run->screens[number][at->layout];
    bool added = status == LL_OK && ll_screen_add(&run->arena, &bound, tests, &run->tables, &run->table_count, &status);
    if (status != LL_OK) {
        give_up(status);
    }
    at->screened = added ? (uint8_t)tests->count : 0;
    ll_regex_free(bound.test.regex);
    ll_regex_free(bound.when ? bound.when->regex : NULL);
}

/* Resolves all rules, and builds screens for those that are not off. */
static void resolve_all(packc *run)
{
    run->resolved = ll_arena_alloc(&run->arena, run->rule_count, sizeof *run->resolved);
    run->screens = ll_arena_zalloc(&run->arena, ll_format_count(), sizeof *run->screens);
    for (size_t i = 0; run->resolved && run->screens && i < run->rule_count; i++) {
        const ll_rule *rule = run->rules[i];
        ll_resolved *r = &run->resolved[i];
        const ll_format *format;
        ll_problem problem = {0};
        ll_status status = ll_rule_resolve(&run->arena, rule, &format, r, &problem);
        ll_rule_target *targets =
            status == LL_OK ? ll_arena_alloc(&run->arena, r->target_count, sizeof *targets) : NULL;
        if (!targets) {
            give_up(status != LL_OK ? status : LL_E_MEMORY);
        }
        size_t number = 0;
        while (format && ll_format_at(number) != format) {
            number++;
        }
        for (size_t t = 0; t < r->target_count; t++) {
            targets[t] = r->targets[t];
            if (r->check == LL_NO_CHECK && rule->severity != LL_SEVERITY_OFF) {
                add_to_screen(run, rule, format, number, &targets[t]);
            }
        }
        r->targets = targets;
    }
    if (!run->resolved || !run->screens) {
        give_up(LL_E_MEMORY);
    }
}

static bool compile(packc *run, const char *out, char **paths)
{
    for (size_t i = 0; i < run->pack_count; i++) {
        run->packs[i].path = paths[i];
        run->packs[i].is_text = !ll_ends_with(paths[i], ".yaml");
        read_pack(run, &run->packs[i]);
    }
    gather_rules(run);
    for (size_t i = 0; i < run->pack_count; i++) {
        check_pack(run, &run->packs[i]);
    }
    if (run->errors == 0) {
        check_together(run);
        check_coverage(run);
    }
    if (run->errors) {
        return false;
    }
    qsort(run->rules, run->rule_count, sizeof *run->rules, by_id);
    resolve_all(run);
    return write_tables(run, out);
}

int main(int argc, char **argv)
{
    bool small = argc > 1 && strcmp(argv[1], "--small") == 0;
    argv += small;
    argc -= small;
    if (argc < 3) {
        (void)fputs("usage: packc [--small] OUT.c PACK.yaml... [TEXT...]\n", stderr);
        return EXIT_FAILURE;
    }
    packc run = {.pack_count = (size_t)argc - 2, .small = small, .packed = small && LIGHTLINT_WITH_LZO};
    ll_arena_init(&run.arena, NULL, MEMORY_MAX);
    ll_arena_init(&run.scratch, NULL, MEMORY_MAX);
    run.tables.allocator = ll_arena_allocator(&run.arena);
    ll_text_init(&run.texts, NULL);
    run.packs = ll_arena_zalloc(&run.arena, run.pack_count, sizeof *run.packs);
    if (!run.packs) {
        give_up(LL_E_MEMORY);
    }
    bool done = compile(&run, argv[1], argv + 2);
    ll_text_free(&run.texts);
    LL_ARRAY_FREE(&run.places, NULL);
    ll_map_free(&run.by_text, NULL);
    ll_arena_free(&run.scratch);
    ll_arena_free(&run.arena);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
