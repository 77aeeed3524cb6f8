/* The report room on a toy format and hand-made findings: what is kept and in which order, words and fingerprints, every output
 * format, the dump and the catalogue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "base/endian.h"
#include "report/emit.h"

/* ------------------------------------------------------------------ a toy format */

enum { HEADER = LL_LAYOUT_BUILTINS, ITEM, NAME, PAIRS };
enum { HEADER_MAGIC, HEADER_SIZE };
enum { ITEM_KEY, ITEM_SCALE, ITEM_COUNT, ITEM_PAD };
enum { ITEM_BYTES = 24, ITEM_SPAN = 32, PAIR_BYTES = 4, PAIR_COUNT = 4 };

static const ll_field header_fields[] = {
    {"magic", 0, 4, LL_TYPE_CHARS, LL_ROLE_MAGIC, LL_SURE_KNOWN, "", ""},
    {"size", 4, 4, LL_TYPE_U32, LL_ROLE_SIZE, LL_SURE_KNOWN, "", ""},
};
static const ll_field item_fields[] = {
    {"key", 0, 8, LL_TYPE_U64, LL_ROLE_HASH, LL_SURE_KNOWN, "", ""},
    {"scale", 8, 12, LL_TYPE_F32, LL_ROLE_DATA, LL_SURE_KNOWN, "", ""},
    {"count", 20, 2, LL_TYPE_U16, LL_ROLE_DATA, LL_SURE_KNOWN, "", ""},
    {"pad", 22, 2, LL_TYPE_U16, LL_ROLE_PADDING, LL_SURE_KNOWN, "", ""},
};
static const ll_field pair_fields[] = {
    {"a", 0, 2, LL_TYPE_I16, LL_ROLE_DATA, LL_SURE_KNOWN, "", ""},
    {"b", 2, 2, LL_TYPE_U16, LL_ROLE_DATA, LL_SURE_KNOWN, "", ""},
};
static const ll_layout layouts[] = {
    {"gap", "gap", LL_KIND_GAP, LL_LITTLE, LL_ROLE_DATA, 0, 0, LL_NO_FIELD, NULL, ""},
    {"unparsed", "unparsed", LL_KIND_UNPARSED, LL_LITTLE, LL_ROLE_DATA, 0, 0, LL_NO_FIELD, NULL, ""},
    {"toy.header", "header", LL_KIND_RECORD, LL_LITTLE, LL_ROLE_DATA, 8, 2, LL_NO_FIELD, header_fields, ""},
    {"toy.item", "item", LL_KIND_RECORD, LL_LITTLE, LL_ROLE_DATA, ITEM_BYTES, 4, ITEM_KEY, item_fields, ""},
    {"toy.name", "name", LL_KIND_STRING, LL_LITTLE, LL_ROLE_STRING, 0, LL_STRING_PARTS, LL_NO_FIELD, ll_string_fields, ""},
    {"toy.pair", "pair", LL_KIND_RECORD, LL_BIG, LL_ROLE_DATA, PAIR_BYTES, 2, LL_NO_FIELD, pair_fields, ""},
};
static const ll_format toy = {.family = "toy", .layouts = layouts, .layout_count = sizeof layouts / sizeof layouts[0]};

/* ------------------------------------------------------------------ a toy catalogue */

enum { BAD_KEY, BAD_SCALE, ODD_COUNT, ODD_SCALE, LOCKED, RULES };

static const char *const tags[] = {"value", "corpus"};
static const uint32_t odd_scale_yields[] = {BAD_SCALE};
static const uint32_t odd_count_yields[] = {ODD_SCALE, BAD_KEY};

static const ll_rule rule_table[RULES] = {
    [BAD_KEY] = {.id = "TOY001", .name = "bad-key", .family = "toy", .severity = LL_ERROR, .tags = {tags, 2},
                 .title = "The key is wrong.", .why = "Nothing finds it.", .evidence = "3 of 3 files.",
                 .fix = "Write the right key.", .target = "toy.item.key", .check_text = "not_equals 0"},
    [BAD_SCALE] = {.id = "TOY002", .name = "bad-scale", .family = "toy", .severity = LL_WARNING, .tags = {tags, 2},
                   .title = "The scale is {negative}", .why = "It turns inside out.", .evidence = "", .fix = "Make it positive.",
                   .target = "toy.item.scale", .check_text = "range '>= 0'"},
    [ODD_COUNT] = {.id = "TOY003", .name = "toy-odd-count", .family = "toy", .severity = LL_NOTE, .tags = {tags, 1},
                   .title = "The count is odd.", .why = "", .evidence = "", .fix = "Add one.", .target = "toy.item.count",
                   .check_text = "multiple_of 2"},
    [ODD_SCALE] = {.id = "TOY004", .name = "odd-scale", .family = "toy", .severity = LL_NOTE, .tags = {tags, 1},
                   .title = "The scale is odd.", .why = "", .evidence = "", .fix = "Round it.", .target = "toy.item.scale",
                   .check_text = "multiple_of 2"},
    [LOCKED] = {.id = "TOY005", .name = "locked", .family = "toy", .severity = LL_ERROR, .locked = true, .tags = {tags, 1},
                .title = "The file is no toy.", .why = "", .evidence = "", .fix = "Take another.", .target = "file",
                .check_text = "fault `no-toy`"},
};

static ll_active_rule active_rules[RULES];
static ll_ruleset rules;

static void make_rules(void)
{
    for (size_t i = 0; i < RULES; i++) {
        active_rules[i] = (ll_active_rule){.rule = &rule_table[i], .severity = rule_table[i].severity};
    }
    active_rules[ODD_SCALE].yields_to = odd_scale_yields;
    active_rules[ODD_SCALE].yields_count = 1;
    active_rules[ODD_COUNT].yields_to = odd_count_yields;
    active_rules[ODD_COUNT].yields_count = 2;
    ll_arena arena;
    ll_arena_init(&arena, NULL, SIZE_MAX);
    rules = (ll_ruleset){.arena = arena, .rules = active_rules, .count = RULES, .sealed = true};
}

/* ------------------------------------------------------------------ a toy file */

/* Header, items of 32 bytes (8 of them a name), four pairs, 4 bytes that nobody claims, 4 that were not parsed. */
enum { ITEMS_MAX = 8, TOY_MAX = 8 + ITEMS_MAX * ITEM_SPAN + PAIR_COUNT * PAIR_BYTES + 8 };

typedef struct toy_file {
    uint8_t bytes[TOY_MAX];
    uint32_t size;
    uint32_t header, items[ITEMS_MAX], names[ITEMS_MAX], pairs, unparsed;
} toy_file;

static void put_single(uint8_t *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    ll_put_uint(out, 4, 0, bits);
}

static void write_item(uint8_t *p, uint64_t key)
{
    ll_put_uint(p, 8, 0, key);
    put_single(p + 8, 0.5F);
    put_single(p + 12, -2.0F);
    put_single(p + 16, 3.0F);
    ll_put_uint(p + 20, 2, 0, 7);
    memcpy(p + ITEM_BYTES, "key\x1b\0\0\0\0", 8);
}

/* A parsed file with one item for each key. */
static void parse_toy(ll_report *report, toy_file *file, const char *name, const uint64_t *keys, uint32_t count)
{
    file->size = 8 + count * ITEM_SPAN + PAIR_COUNT * PAIR_BYTES + 8;
    memset(file->bytes, 0, sizeof file->bytes);
    memcpy(file->bytes, "TOY!", 4);
    ll_put_uint(file->bytes + 4, 4, 0, file->size);
    ll_doc *doc = &report->doc;
    ll_doc_open(doc, file->bytes, file->size, name);
    doc->format = &toy;
    report->rules = &rules;
    report->size = file->size;
    file->header = ll_claim(doc, LL_NO_SPAN, HEADER, 0, 8, 1, LL_NO_INDEX);
    uint32_t at = 8;
    for (uint32_t i = 0; i < count; i++, at += ITEM_SPAN) {
        write_item(file->bytes + at, keys[i]);
        file->items[i] = ll_claim(doc, LL_NO_SPAN, ITEM, at, ITEM_SPAN, 1, i);
        file->names[i] = ll_claim(doc, file->items[i], NAME, at + ITEM_BYTES, 8, 4, LL_NO_INDEX);
    }
    file->pairs = ll_claim(doc, LL_NO_SPAN, PAIRS, at, PAIR_COUNT * PAIR_BYTES, PAIR_COUNT, LL_NO_INDEX);
    ll_mark(doc, file->pairs, LL_SPAN_ARRAY);
    ll_put_uint(file->bytes + at, 2, 1, 0xFFFE);
    at += PAIR_COUNT * PAIR_BYTES + 4;
    file->unparsed = ll_claim(doc, LL_NO_SPAN, LL_LAYOUT_UNPARSED, at, 4, 0, LL_NO_INDEX);
    ll_doc_seal(doc);
}

static const uint64_t some_keys[] = {0x1111, 0x2222, 0x2222};

typedef struct bench {
    ll_report *report;
    toy_file file;
    ll_sink sink;
} bench;

static void open_bench(bench *b, const char *name)
{
    parse_toy(b->report, &b->file, name, some_keys, 3);
    b->sink = ll_report_sink(b->report);
}

static ll_where nowhere(void)
{
    return ll_at_bytes(LL_NO_SPAN, 0, 0);
}

static ll_where part_at(ll_where at, uint16_t part, uint32_t bytes)
{
    at.part = part;
    at.offset += part * bytes;
    at.length = bytes;
    return at;
}

/* Hands a finding to the sink as the engine does. */
static ll_status say(bench *b, uint32_t rule, ll_where at, const char *found, const char *expected)
{
    ll_hit hit = {.rule = rule, .at = at, .related = nowhere(), .found = found, .expected = expected, .hint = "", .related_text = ""};
    return b->sink.admit(b->sink.ctx, rule) ? b->sink.take(b->sink.ctx, &hit) : LL_OK;
}

static ll_where key_of(bench *b, uint32_t item)
{
    return ll_at_field(&b->report->doc, b->file.items[item], 0, ITEM_KEY);
}

static ll_where scale_of(bench *b, uint32_t item, uint16_t part)
{
    ll_where at = ll_at_field(&b->report->doc, b->file.items[item], 0, ITEM_SCALE);
    return part == LL_NO_PART ? at : part_at(at, part, 4);
}

static ll_where count_of(bench *b, uint32_t item)
{
    return ll_at_field(&b->report->doc, b->file.items[item], 0, ITEM_COUNT);
}

static int setup(void **state)
{
    make_rules();
    bench *b = calloc(1, sizeof *b);
    if (!b || ll_report_create(NULL, &b->report) != LL_OK) {
        return 1;
    }
    open_bench(b, "dir/a b.toy");
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    ll_report_free(b->report);
    free(b);
    return 0;
}
