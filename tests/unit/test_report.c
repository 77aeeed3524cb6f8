/* The report module, with a toy format and findings made by hand: what is kept and in which order, texts and
 * fingerprints, all output formats, dump and catalogue. */
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
#include "output/emit/emit.h"

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
    {"toy.name", "name", LL_KIND_STRING, LL_LITTLE, LL_ROLE_STRING, 0, LL_STRING_PARTS, LL_NO_FIELD, ll_string_fields,
     ""},
    {"toy.pair", "pair", LL_KIND_RECORD, LL_BIG, LL_ROLE_DATA, PAIR_BYTES, 2, LL_NO_FIELD, pair_fields, ""},
};
static const ll_format toy = {.family = "toy", .layouts = layouts, .layout_count = sizeof layouts / sizeof layouts[0]};

/* ------------------------------------------------------------------ a toy catalogue */

enum { BAD_KEY, BAD_SCALE, ODD_COUNT, ODD_SCALE, LOCKED, RULES };

static const char *const tags[] = {"value", "corpus"};
static const uint32_t odd_scale_yields[] = {BAD_SCALE};
static const uint32_t odd_count_yields[] = {ODD_SCALE, BAD_KEY};

static const ll_rule rule_table[RULES] = {
    [BAD_KEY] = {.id = "TOY001",
                 .name = "bad-key",
                 .family = "toy",
                 .fault = "",
                 .severity = LL_ERROR,
                 .tags = {tags, 2},
                 .title = "The key is wrong.",
                 .why = "Nothing finds it.",
                 .evidence = "3 of 3 files.",
                 .fix = "Write the right key.",
                 .target = "toy.item.key",
                 .check_text = "not_equals 0"},
    [BAD_SCALE] = {.id = "TOY002",
                   .name = "bad-scale",
                   .family = "toy",
                   .fault = "",
                   .severity = LL_WARNING,
                   .tags = {tags, 2},
                   .title = "The scale is {negative}",
                   .why = "It turns inside out.",
                   .evidence = "",
                   .fix = "Make it positive.",
                   .target = "toy.item.scale",
                   .check_text = "range '>= 0'"},
    [ODD_COUNT] = {.id = "TOY003",
                   .name = "toy-odd-count",
                   .family = "toy",
                   .fault = "",
                   .severity = LL_NOTE,
                   .tags = {tags, 1},
                   .title = "The count is odd.",
                   .why = "",
                   .evidence = "",
                   .fix = "Add one.",
                   .target = "toy.item.count",
                   .check_text = "multiple_of 2"},
    [ODD_SCALE] = {.id = "TOY004",
                   .name = "odd-scale",
                   .family = "toy",
                   .fault = "",
                   .severity = LL_NOTE,
                   .tags = {tags, 1},
                   .title = "The scale is odd.",
                   .why = "",
                   .evidence = "",
                   .fix = "Round it.",
                   .target = "toy.item.scale",
                   .check_text = "multiple_of 2"},
    [LOCKED] = {.id = "TOY005",
                .name = "locked",
                .family = "toy",
                .fault = "",
                .severity = LL_ERROR,
                .locked = true,
                .tags = {tags, 1},
                .title = "The file is no toy.",
                .why = "",
                .evidence = "",
                .fix = "Take another.",
                .target = "file",
                .check_text = "fault `no-toy`"},
};

static ll_active_rule active_rules[RULES];
static ll_ruleset rules;

static void make_rules(void)
{
    for (size_t i = 0; i < RULES; i++) {
        active_rules[i] = (ll_active_rule){.own = &rule_table[i], .severity = rule_table[i].severity};
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

/* Header, items of 32 bytes (8 of them a name), four pairs, 4 unclaimed bytes, 4 unparsed bytes. */
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

/* Parses a file with one item per key. */
static void parse_toy(ll_report *report, toy_file *file, const char *name, const uint64_t *keys, uint32_t count)
{
    file->size = 8 + count * ITEM_SPAN + PAIR_COUNT * PAIR_BYTES + 8;
    memset(file->bytes, 0, sizeof file->bytes);
    memcpy(file->bytes, "TOY!", 4);
    ll_put_uint(file->bytes + 4, 4, 0, file->size);
    ll_doc *doc = &report->doc;
    ll_doc_open(doc, file->bytes, file->size, name);
    ll_doc_set_format(doc, &toy);
    report->rules = &rules;
    report->file.size = file->size;
    file->header = ll_claim(
        doc,
        (ll_span){.offset = 0, .length = 8, .parent = LL_NO_SPAN, .index = LL_NO_INDEX, .count = 1, .layout = HEADER});
    uint32_t at = 8;
    for (uint32_t i = 0; i < count; i++, at += ITEM_SPAN) {
        write_item(file->bytes + at, keys[i]);
        file->items[i] = ll_claim(
            doc,
            (ll_span){.offset = at, .length = ITEM_SPAN, .parent = LL_NO_SPAN, .index = i, .count = 1, .layout = ITEM});
        file->names[i] = ll_claim(doc, (ll_span){.offset = at + ITEM_BYTES,
                                                 .length = 8,
                                                 .parent = file->items[i],
                                                 .index = LL_NO_INDEX,
                                                 .count = 4,
                                                 .layout = NAME});
    }
    file->pairs = ll_claim(doc, (ll_span){.offset = at,
                                          .length = PAIR_COUNT * PAIR_BYTES,
                                          .parent = LL_NO_SPAN,
                                          .index = LL_NO_INDEX,
                                          .count = PAIR_COUNT,
                                          .layout = PAIRS});
    ll_mark_span(doc, file->pairs, LL_SPAN_ARRAY);
    ll_put_uint(file->bytes + at, 2, 1, 0xFFFE);
    at += PAIR_COUNT * PAIR_BYTES + 4;
    file->unparsed = ll_claim(
        doc,
        (ll_span){.offset = at, .length = 4, .parent = LL_NO_SPAN, .index = LL_NO_INDEX, .layout = LL_LAYOUT_UNPARSED});
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

/* Passes a finding to the sink, as the engine does. */
static ll_status say(bench *b, uint32_t rule, ll_where at, const char *found, const char *expected)
{
    ll_hit hit = {.rule = rule,
                  .at = at,
                  .related = nowhere(),
                  .found = found,
                  .expected = expected,
                  .hint = "",
                  .related_text = ""};
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

/* ------------------------------------------------------------------ outputs in memory */

typedef struct capture {
    char *data;
    size_t length;
    size_t refuse_after; /* number of calls; 0: never refuses */
    size_t calls;
} capture;

static bool keep(void *ctx, const char *bytes, size_t size)
{
    capture *c = ctx;
    c->calls++;
    if (c->refuse_after && c->calls >= c->refuse_after) {
        return false;
    }
    char *data = realloc(c->data, c->length + size + 1);
    if (!data) {
        return false;
    }
    memcpy(data + c->length, bytes, size);
    c->data = data;
    c->length += size;
    data[c->length] = '\0';
    return true;
}

static void drop(capture *c)
{
    free(c->data);
    *c = (capture){0};
}

static ll_emit_options options_for(const char *format)
{
    return (ll_emit_options){.size = sizeof(ll_emit_options), .format = format, .fail_level = LL_WARNING};
}

/* The whole output of a run with this report. */
static capture emit(const ll_emit_options *options, ll_report *report, int exit_code)
{
    capture out = {0};
    ll_emitter *emitter;
    ll_chunk *chunk;
    assert_int_equal(ll_emitter_create(NULL, &rules, options, keep, &out, &emitter), LL_OK);
    assert_int_equal(ll_chunk_create(NULL, &chunk), LL_OK);
    assert_int_equal(ll_emitter_render(emitter, report, chunk), LL_OK);
    assert_int_equal(ll_emitter_commit(emitter, chunk), LL_OK);
    assert_int_equal(ll_emitter_finish(emitter, exit_code), LL_OK);
    ll_emitter_free(emitter);
    ll_chunk_free(chunk);
    return out;
}

static cJSON *parse(const capture *out)
{
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithLengthOpts(out->data, out->length, &end, false);
    assert_non_null(json);
    assert_true(strspn(end, "\n") == strlen(end));
    return json;
}

/* Finds a JSON value by a path such as "runs|0|results|2|level". */
static cJSON *dig(cJSON *json, const char *path)
{
    char step[64];
    while (json && *path) {
        size_t n = strcspn(path, "|");
        assert_true(n < sizeof step);
        memcpy(step, path, n);
        step[n] = '\0';
        bool number = step[0] >= '0' && step[0] <= '9';
        json = number ? cJSON_GetArrayItem(json, atoi(step)) : cJSON_GetObjectItemCaseSensitive(json, step);
        path += n + (path[n] == '|');
    }
    return json;
}

static const char *text_at(cJSON *json, const char *path)
{
    cJSON *item = dig(json, path);
    assert_non_null(item);
    assert_true(cJSON_IsString(item));
    return item->valuestring;
}

static double number_at(cJSON *json, const char *path)
{
    cJSON *item = dig(json, path);
    assert_non_null(item);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

static void assert_number(cJSON *json, const char *path, double value)
{
    double is = number_at(json, path);
    assert_true(is >= value && is <= value);
}

static void assert_contains(const capture *out, const char *text)
{
    if (!out->data || !strstr(out->data, text)) {
        fail_msg("'%s' is not in:\n%s", text, out->data ? out->data : "");
    }
}

static void assert_lacks(const capture *out, const char *text)
{
    if (out->data && strstr(out->data, text)) {
        fail_msg("'%s' is in:\n%s", text, out->data);
    }
}

/* ------------------------------------------------------------------ sink: limits */

static void limits_count_what_they_drop(void **state)
{
    bench *b = *state;
    b->report->options.max_per_rule = 2;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(say(b, BAD_SCALE, scale_of(b, i, 1), "-2", ""), LL_OK);
    }
    b->report->options.max_per_file = 3;
    assert_int_equal(say(b, BAD_KEY, key_of(b, 0), "", ""), LL_OK);
    assert_int_equal(say(b, BAD_KEY, key_of(b, 1), "", ""), LL_OK);
    assert_int_equal(say(b, ODD_COUNT, count_of(b, 1), "", ""), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    ll_summary summary;
    ll_report_summary(b->report, &summary);
    assert_int_equal(ll_report_finding_count(b->report), 3);
    assert_int_equal(summary.warnings, 3);
    assert_int_equal(summary.errors, 2);
    assert_int_equal(summary.notes, 1);
    assert_int_equal(summary.dropped, 3);
    assert_true(summary.truncated);
}

static void a_new_file_starts_from_nothing(void **state)
{
    bench *b = *state;
    assert_int_equal(say(b, BAD_KEY, key_of(b, 0), "", ""), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    open_bench(b, "other.toy");
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    ll_summary summary;
    ll_report_summary(b->report, &summary);
    assert_int_equal(ll_report_finding_count(b->report), 0);
    assert_int_equal(summary.errors + summary.dropped, 0);
}

static void a_place_outside_the_file_is_a_defect(void **state)
{
    bench *b = *state;
    uint32_t size = b->file.size;
    assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, size, 0), "", ""), LL_OK);
    assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, size, 1), "", ""), LL_E_INTERNAL);
    assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, size + 1, 0), "", ""), LL_E_INTERNAL);
    assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, 4, UINT32_MAX), "", ""), LL_E_INTERNAL);
    ll_hit hit = {.rule = LOCKED,
                  .at = key_of(b, 0),
                  .related = nowhere(),
                  .patch = {LL_PATCH_SAFE, size - 1, 2, 3, 0, (const uint8_t *)"abc", false, NULL}};
    assert_int_equal(b->sink.take(b->sink.ctx, &hit), LL_E_INTERNAL); /* there is only one byte */
    hit.patch.removed = 0;
    assert_int_equal(b->sink.take(b->sink.ctx, &hit), LL_OK);
}

/* ------------------------------------------------------------------ sink: order, duplicates, yielding */

static void findings_are_sorted_and_told_once(void **state)
{
    bench *b = *state;
    assert_int_equal(say(b, BAD_KEY, key_of(b, 2), "", ""), LL_OK);
    assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, 8, 40), "long", ""), LL_OK);
    assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, 8, 4), "short", ""), LL_OK);
    assert_int_equal(say(b, BAD_KEY, key_of(b, 0), "first", ""), LL_OK);
    assert_int_equal(say(b, BAD_KEY, key_of(b, 0), "again", ""), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    const char *found[] = {"first", "short", "long", ""};
    assert_int_equal(ll_report_finding_count(b->report), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(b->report->entries.items[i].found, found[i]);
    }
    assert_int_equal(b->report->summary.errors, 4);
}

static void many_findings_are_sorted(void **state)
{
    bench *b = *state;
    enum { MANY = LL_FINDINGS_MAX };
    ll_where at = ll_at_bytes(LL_NO_SPAN, 0, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t mixed = i * 7919U % MANY;
        at.offset = mixed % b->file.size;
        at.length = mixed / b->file.size % (b->file.size - at.offset + 1);
        assert_int_equal(say(b, mixed % 3, at, "", ""), LL_OK);
    }
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    uint32_t n = (uint32_t)b->report->entries.count;
    assert_true(n > 1000);
    for (uint32_t i = 1; i < n; i++) {
        const ll_entry *one = &b->report->entries.items[i - 1];
        const ll_entry *two = &b->report->entries.items[i];
        bool rising = one->at.offset != two->at.offset ? one->at.offset < two->at.offset
                      : one->rule != two->rule         ? one->rule < two->rule
                                                       : one->at.length < two->at.length;
        assert_true(rising);
    }
    ll_summary s;
    ll_report_summary(b->report, &s);
    assert_int_equal(s.errors + s.warnings + s.notes, n);
}

/* Number of remaining findings of ODD_SCALE, which yields to BAD_SCALE. */
static size_t left_of_odd(bench *b)
{
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    size_t left = 0;
    for (uint32_t i = 0; i < b->report->entries.count; i++) {
        left += b->report->entries.items[i].rule == ODD_SCALE;
    }
    return left;
}

static void rules_give_way_on_the_same_bytes(void **state)
{
    bench *b = *state;
    assert_int_equal(say(b, ODD_SCALE, scale_of(b, 0, 1), "", ""), LL_OK);
    assert_int_equal(say(b, BAD_SCALE, scale_of(b, 0, 1), "", ""), LL_OK);
    assert_int_equal(left_of_odd(b), 0);
    assert_int_equal(b->report->summary.notes, 0);
    assert_int_equal(b->report->summary.warnings, 1);
}

static void rules_give_way_on_another_part_of_the_field(void **state)
{
    bench *b = *state;
    assert_int_equal(say(b, ODD_SCALE, scale_of(b, 0, 0), "", ""), LL_OK);
    assert_int_equal(say(b, ODD_SCALE, scale_of(b, 1, 0), "", ""), LL_OK);
    assert_int_equal(say(b, BAD_SCALE, scale_of(b, 0, 2), "", ""), LL_OK);
    assert_int_equal(left_of_odd(b), 1);
    assert_int_equal(b->report->entries.items[1].at.offset, scale_of(b, 1, 0).offset);
}

static void rules_give_way_to_what_covers_them(void **state)
{
    bench *b = *state;
    assert_int_equal(say(b, BAD_SCALE, ll_at_bytes(b->file.items[0], 8, 90), "", ""),
                     LL_OK); /* long, and not the last one before it */
    assert_int_equal(say(b, BAD_SCALE, ll_at_bytes(b->file.items[0], 9, 1), "", ""), LL_OK);
    assert_int_equal(say(b, ODD_SCALE, scale_of(b, 2, LL_NO_PART), "", ""), LL_OK);
    assert_int_equal(say(b, ODD_SCALE, ll_at_bytes(LL_NO_SPAN, 98, 2), "", ""),
                     LL_OK); /* starts at the end of the long one */
    assert_int_equal(left_of_odd(b), 1);
}

static void rules_do_not_give_way_to_neighbours(void **state)
{
    bench *b = *state;
    assert_int_equal(say(b, ODD_SCALE, scale_of(b, 0, LL_NO_PART), "", ""), LL_OK);
    assert_int_equal(say(b, BAD_SCALE, key_of(b, 0), "", ""), LL_OK);             /* ends at the start of the scale */
    assert_int_equal(say(b, BAD_SCALE, count_of(b, 0), "", ""), LL_OK);           /* starts at its end */
    assert_int_equal(say(b, BAD_KEY, scale_of(b, 0, LL_NO_PART), "", ""), LL_OK); /* ODD_SCALE does not yield to it */
    assert_int_equal(left_of_odd(b), 1);
}

static void missing_bytes_give_way_at_their_place(void **state)
{
    bench *b = *state;
    uint32_t end = b->file.size;
    assert_int_equal(say(b, ODD_SCALE, ll_at_bytes(LL_NO_SPAN, end, 0), "", ""), LL_OK);
    assert_int_equal(say(b, BAD_SCALE, ll_at_bytes(LL_NO_SPAN, end, 0), "", ""), LL_OK);
    assert_int_equal(say(b, ODD_SCALE, ll_at_bytes(LL_NO_SPAN, 0, 0), "", ""), LL_OK);
    assert_int_equal(left_of_odd(b), 1);
}

static void a_ladder_gives_way_step_by_step(void **state)
{
    bench *b = *state; /* ODD_COUNT yields to ODD_SCALE, which yields to BAD_SCALE: only the last remains */
    ll_where at = scale_of(b, 0, LL_NO_PART);
    assert_int_equal(say(b, ODD_COUNT, at, "", ""), LL_OK);
    assert_int_equal(say(b, ODD_SCALE, at, "", ""), LL_OK);
    assert_int_equal(say(b, BAD_SCALE, at, "", ""), LL_OK);
    assert_int_equal(left_of_odd(b), 0);
    assert_int_equal(ll_report_finding_count(b->report), 1);
    assert_int_equal(b->report->summary.notes, 0);
}

/* ------------------------------------------------------------------ texts */

static ll_finding finding_at(bench *b, size_t index)
{
    ll_finding f;
    assert_int_equal(ll_report_finding(b->report, index, &f), LL_OK);
    return f;
}

static void a_finding_says_it_all(void **state)
{
    bench *b = *state;
    char scratch[] = "-2"; /* texts are only borrowed during the call */
    ll_hit hit = {.rule = BAD_SCALE,
                  .at = scale_of(b, 1, 1),
                  .related = ll_at_field(&b->report->doc, b->file.names[1], 0, LL_STRING_TEXT),
                  .found = scratch,
                  .expected = "at least 0",
                  .hint = "a slip",
                  .related_text = "its name",
                  .patch = {LL_PATCH_UNSAFE, 52, 4, 4, 0, (const uint8_t *)"\1\2\3\4", false, NULL}};
    assert_true(b->sink.admit(b->sink.ctx, BAD_SCALE));
    assert_int_equal(b->sink.take(b->sink.ctx, &hit), LL_OK);
    scratch[0] = 'X';
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    ll_finding f = finding_at(b, 0);
    assert_int_equal(f.rule, BAD_SCALE);
    assert_int_equal(f.severity, LL_WARNING);
    assert_string_equal(f.id, "TOY002");
    assert_string_equal(f.name, "bad-scale");
    assert_string_equal(f.path, "item[1].scale.y");
    assert_string_equal(f.record, "toy.item");
    assert_string_equal(f.type, "f32 LE");
    assert_string_equal(f.value, "-2");
    assert_string_equal(f.found, "-2");
    assert_string_equal(f.hint, "a slip");
    assert_string_equal(f.fix, "Make it positive.");
    assert_string_equal(f.why, "It turns inside out.");
    assert_string_equal(
        f.message, "'item[1].scale.y' at '+0x34..0x38': The scale is {negative}. Found '-2', expected 'at least 0'.");
    assert_int_equal(f.related_count, 1);
    assert_string_equal(f.related[0].path, "item[1].name.text");
    assert_string_equal(f.related[0].text, "its name");
    assert_int_equal(f.related[0].offset, 64);
    assert_int_equal(f.patch.tier, LL_PATCH_UNSAFE);
    assert_memory_equal(f.patch.bytes, "\1\2\3\4", 4);
    assert_int_equal(strlen(f.fingerprint), 16);
}

static void texts_of_two_findings_live_side_by_side(void **state)
{
    bench *b = *state;
    assert_int_equal(say(b, BAD_KEY, key_of(b, 0), "", ""), LL_OK);
    assert_int_equal(say(b, BAD_KEY, key_of(b, 1), "", ""), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    ll_finding one = finding_at(b, 0);
    ll_finding two = finding_at(b, 1);
    assert_string_equal(one.path, "item[0].key");
    assert_string_equal(two.path, "item[1].key");
    assert_string_equal(one.value, "0x0000000000001111");
    assert_string_equal(one.message, "'item[0].key' at '+0x8..0x10': The key is wrong.");
    ll_finding none;
    assert_int_equal(ll_report_finding(b->report, 2, &none), LL_E_ARGUMENT);
}

static void places_without_a_field_have_words_too(void **state)
{
    bench *b = *state;
    uint32_t size = b->file.size;
    assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, 0, size), "", ""), LL_OK);
    assert_int_equal(say(b, LOCKED, ll_at_bytes(b->file.items[0], 8, ITEM_SPAN), "this", ""), LL_OK);
    assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, size, 0), "", "more"), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    ll_finding whole = finding_at(b, 0);
    assert_string_equal(whole.path, "file");
    assert_string_equal(whole.record, "");
    assert_string_equal(whole.type, "");
    assert_string_equal(whole.value, "");
    assert_int_equal(whole.related_count, 0);
    assert_string_equal(whole.message, "'file' at '+0x0..0x80': The file is no toy.");
    ll_finding span = finding_at(b, 1);
    assert_string_equal(span.path, "item[0]");
    assert_string_equal(span.record, "toy.item");
    assert_string_equal(span.message, "'item[0]' at '+0x8..0x28': The file is no toy. Found 'this'.");
    assert_string_equal(finding_at(b, 2).message, "'file' at '+0x80': The file is no toy. Expected 'more'.");
}

/* ------------------------------------------------------------------ fingerprints */

/* The fingerprint of a finding on the key of item `item`, in a file with these keys. */
static void print_of(bench *b, const char *name, const uint64_t *keys, uint32_t count, uint32_t item, char out[17])
{
    parse_toy(b->report, &b->file, name, keys, count);
    b->sink = ll_report_sink(b->report);
    assert_int_equal(say(b, BAD_KEY, key_of(b, item), "", ""), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    memcpy(out, finding_at(b, 0).fingerprint, 17);
}

static void fingerprints_follow_the_record(void **state)
{
    bench *b = *state;
    const uint64_t before[] = {10, 20, 30};
    const uint64_t after[] = {10, 15, 20, 30};
    char one[17];
    char two[17];
    print_of(b, "a.toy", before, 3, 1, one);
    print_of(b, "a.toy", after, 4, 2, two); /* a record was inserted: index and offset changed */
    assert_string_equal(one, two);
    print_of(b, "./a.toy", before, 3, 1, two);
    assert_string_equal(one, two);
    print_of(b, "b.toy", before, 3, 1, two);
    assert_string_not_equal(one, two);
    print_of(b, "a.toy", before, 3, 2, two);
    assert_string_not_equal(one, two);
}

static void fingerprints_tell_equal_records_apart(void **state)
{
    bench *b = *state; /* items 1 and 2 have the same key */
    assert_int_equal(say(b, BAD_KEY, key_of(b, 1), "", ""), LL_OK);
    assert_int_equal(say(b, BAD_KEY, key_of(b, 2), "", ""), LL_OK);
    assert_int_equal(say(b, ODD_COUNT, key_of(b, 2), "", ""), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    char second[17];
    memcpy(second, finding_at(b, 1).fingerprint, 17);
    assert_string_not_equal(finding_at(b, 0).fingerprint, second);
    open_bench(b, "dir/a b.toy"); /* the other one was corrected */
    assert_int_equal(say(b, BAD_KEY, key_of(b, 2), "", ""), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    assert_string_equal(finding_at(b, 0).fingerprint, second);
}

static void fingerprints_are_unique_where_paths_are_not(void **state)
{
    bench *b = *state;
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, i, 1), "", ""), LL_OK);
    }
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    for (size_t i = 0; i < 20; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(finding_at(b, i).fingerprint, finding_at(b, j).fingerprint);
        }
    }
}

static void values_and_words_leave_fingerprints_alone(void **state)
{
    bench *b = *state;
    char before[17];
    print_of(b, "a.toy", some_keys, 3, 0, before);
    open_bench(b, "a.toy");
    assert_int_equal(say(b, BAD_KEY, key_of(b, 0), "other", "words"), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    assert_string_equal(finding_at(b, 0).fingerprint, before);
}

/* ------------------------------------------------------------------ a report to print */

static void fill(bench *b)
{
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(say(b, BAD_SCALE, scale_of(b, i, 1), "-2", "at least 0"), LL_OK);
    }
    ll_hit hit = {.rule = BAD_KEY,
                  .at = key_of(b, 1),
                  .related = ll_at_field(&b->report->doc, b->file.names[1], 0, LL_STRING_TEXT),
                  .found = "0x2222",
                  .expected = "the hash of {\"key\\x1b\"}",
                  .hint = "The name was edited.",
                  .related_text = "the name",
                  .patch = {LL_PATCH_SAFE, 40, 8, 8, 0, (const uint8_t *)"\1\2\3\4\5\6\7\10", false, NULL}};
    assert_true(b->sink.admit(b->sink.ctx, BAD_KEY));
    assert_int_equal(b->sink.take(b->sink.ctx, &hit), LL_OK);
    assert_int_equal(say(b, ODD_COUNT, count_of(b, 0), "7", ""), LL_OK);
    ll_hit cut = {.rule = LOCKED,
                  .at = ll_at_bytes(LL_NO_SPAN, b->file.size, 0),
                  .related = nowhere(),
                  .found = "",
                  .expected = "more",
                  .hint = "",
                  .related_text = "",
                  .patch = {LL_PATCH_SAFE, b->file.size, 0, 2, 0, (const uint8_t *)"\0\0", false, NULL}};
    assert_true(b->sink.admit(b->sink.ctx, LOCKED));
    assert_int_equal(b->sink.take(b->sink.ctx, &cut), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
}

static capture emit_filled(bench *b, const char *format)
{
    fill(b);
    ll_emit_options options = options_for(format);
    return emit(&options, b->report, 1);
}

/* ------------------------------------------------------------------ full and concise */

static void full_shows_bytes_and_words(void **state)
{
    bench *b = *state;
    capture out = emit_filled(b, "full");
    assert_contains(&out, "error[TOY001 bad-key]: The key is wrong\n"
                          "  --> dir/a b.toy +0x28..0x30 (byte 40, 8 bytes)\n"
                          "   |  item[1].key  of toy.item\n"
                          "   |\n"
                          "   |         00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f\n"
                          "   | 0x0010  00 00 00 3f 00 00 00 c0  00 00 40 40 07 00 00 00  ...?......@@....\n"
                          "   | 0x0020  6b 65 79 1b 00 00 00 00  22 22 00 00 00 00 00 00  key.....\"\"......\n"
                          "   |                                  ^^^^^^^^^^^^^^^^^^^^^^^ u64 LE = 0x0000000000002222\n"
                          "   |\n"
                          "   = found:    0x2222\n"
                          "   = expected: the hash of {\"key\\x1b\"}\n"
                          "   = see:      the name, +0x40..0x44 item[1].name.text\n"
                          "   = why:      Nothing finds it.\n"
                          "   = likely:   The name was edited.\n"
                          "   = help:     Write the right key.\n"
                          "   = patch:    safe, at +0x28..0x30: 22 22 00 00 00 00 00 00 -> 01 02 03 04 05 06 07 08\n"
                          "   = more:     lightlint explain TOY001\n\n");
    assert_contains(&out, "warning[TOY002 bad-scale]: The scale is {negative} (3 times)\n");
    assert_contains(&out, "   = and 2 more at +0x34, +0x54 (--all shows each)\n");
    assert_contains(&out, "  --> dir/a b.toy +0x80 (byte 128, the end of the file)\n");
    assert_contains(&out, "   | 0x0080\n   |         ^^ the file ends here\n");
    assert_contains(&out, "   = patch:    safe, at +0x80: add 00 00\n");
    assert_contains(&out, "\n1 file checked, 1 with findings: 2 errors, 3 warnings, 1 note.\n");
    assert_lacks(&out, "\x1b");
    drop(&out);
}

static void all_unfolds(void **state)
{
    bench *b = *state;
    fill(b);
    ll_emit_options options = options_for("full");
    options.all = true;
    capture out = emit(&options, b->report, 1);
    assert_contains(&out, "item[0].scale.y");
    assert_contains(&out, "item[2].scale.y");
    assert_lacks(&out, "times)");
    drop(&out);
}

static void long_stretches_are_elided(void **state)
{
    bench *b = *state;
    assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, 0, b->file.size), "", ""), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    ll_emit_options options = options_for("full");
    capture out = emit(&options, b->report, 1);
    assert_contains(&out, "  --> dir/a b.toy +0x0..0x80 (byte 0, the whole file, 128 bytes)\n   |\n");
    assert_contains(&out, "   | 0x0010  ");
    assert_contains(&out, "   | ...  80 bytes more\n   | 0x0070  ");
    assert_lacks(&out, "   | 0x0020  ");
    drop(&out);
}

static void related_bytes_are_marked_on_the_same_rows(void **state)
{
    bench *b = *state;
    ll_hit hit = {.rule = BAD_KEY,
                  .at = count_of(b, 0),
                  .related = scale_of(b, 0, 1),
                  .found = "",
                  .expected = "",
                  .hint = "",
                  .related_text = ""};
    assert_true(b->sink.admit(b->sink.ctx, BAD_KEY));
    assert_int_equal(b->sink.take(b->sink.ctx, &hit), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    ll_emit_options options = options_for("full");
    capture out = emit(&options, b->report, 1);
    assert_contains(&out, "   |                     -----------              ^^^^^ u16 LE = 7\n");
    drop(&out);
}

static void colours_only_when_asked_for(void **state)
{
    bench *b = *state;
    fill(b);
    ll_emit_options options = options_for("concise");
    options.color = true;
    capture out = emit(&options, b->report, 1);
    assert_contains(&out, "\x1b[1;31merror[TOY001 bad-key]\x1b[0m");
    assert_contains(&out, "\x1b[1;33mwarning[");
    drop(&out);
}

static void concise_is_one_line_each(void **state)
{
    bench *b = *state;
    capture out = emit_filled(b, "concise");
    assert_string_equal(out.data,
                        "dir/a b.toy:+0x14: warning[TOY002 bad-scale] item[0].scale.y: The scale is {negative}; found "
                        "-2, expected at least 0\n"
                        "dir/a b.toy:+0x1c: note[TOY003 toy-odd-count] item[0].count: The count is odd; found 7\n"
                        "dir/a b.toy:+0x28: error[TOY001 bad-key] item[1].key: The key is wrong; found 0x2222, "
                        "expected the hash of {\"key\\x1b\"}\n"
                        "dir/a b.toy:+0x34: warning[TOY002 bad-scale] item[1].scale.y: The scale is {negative}; found "
                        "-2, expected at least 0\n"
                        "dir/a b.toy:+0x54: warning[TOY002 bad-scale] item[2].scale.y: The scale is {negative}; found "
                        "-2, expected at least 0\n"
                        "dir/a b.toy:+0x80: error[TOY005 locked] file: The file is no toy; expected more\n"
                        "1 file checked, 1 with findings: 2 errors, 3 warnings, 1 note.\n");
    drop(&out);
}

static void quiet_and_loud(void **state)
{
    bench *b = *state;
    fill(b);
    ll_emit_options options = options_for("concise");
    options.verbosity = -2;
    capture out = emit(&options, b->report, 1);
    assert_lacks(&out, "note[");
    assert_lacks(&out, "checked");
    assert_contains(&out, "warning[");
    drop(&out);
    options.fail_level = LL_SEVERITY_OFF;
    out = emit(&options, b->report, 0);
    assert_null(out.data);
    drop(&out);
    open_bench(b, "evil\x1b[2J\xff.toy");
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    options.verbosity = -1;
    out = emit(&options, b->report, 0);
    assert_null(out.data);
    options.verbosity = 0;
    out = emit(&options, b->report, 0);
    assert_string_equal(out.data, "1 file checked, no findings.\n");
    drop(&out);
    options.verbosity = 1;
    out = emit(&options, b->report, 0);
    assert_string_equal(out.data, "evil\\x1b[2J\\xff.toy: clean (toy, 128 bytes)\n1 file checked, no findings.\n");
    drop(&out);
}

static void the_verdict_owns_up(void **state)
{
    bench *b = *state;
    b->report->options.max_per_rule = 1;
    assert_int_equal(say(b, BAD_KEY, key_of(b, 0), "", ""), LL_OK);
    assert_int_equal(say(b, BAD_KEY, key_of(b, 1), "", ""), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    b->report->summary.unchecked = b->report->summary.incomplete = true;
    ll_emit_options options = options_for("full");
    capture out = emit(&options, b->report, 2);
    assert_contains(&out,
                    "1 finding not shown (--all shows up to 50000 of a file)\n"
                    "0 files checked, 1 not checked or not in full, 1 with findings: 2 errors, 0 warnings, 0 notes.\n");
    drop(&out);
}

static void no_report_keeps_all_there_may_be(void **state)
{
    enum { BEYOND = 3 };
    bench *b = *state;
    for (unsigned i = 0; i < LL_FINDINGS_MAX + BEYOND; i++) {
        ll_where at = ll_at_bytes(LL_NO_SPAN, i % 128, 0);
        assert_int_equal(say(b, i % 2 ? BAD_KEY : ODD_COUNT, at, "", ""), LL_OK);
    }
    ll_summary sum = b->report->summary;
    assert_int_equal(b->report->entries.count, LL_FINDINGS_MAX);
    assert_int_equal(sum.dropped, BEYOND);
    assert_int_equal(sum.errors + sum.notes, LL_FINDINGS_MAX + BEYOND);
    assert_true(sum.truncated);
    size_t errors = 0;
    for (size_t i = 0; i < LL_FINDINGS_MAX; i++) { /* the most severe ones are kept */
        errors += b->report->entries.items[i].severity == LL_ERROR;
    }
    assert_int_equal(errors, sum.errors);
}

/* ------------------------------------------------------------------ JSON */

static void jsonl_is_one_object_a_line(void **state)
{
    bench *b = *state;
    capture out = emit_filled(b, "jsonl");
    size_t lines = 0;
    char *line = out.data;
    while (*line) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        cJSON *json = cJSON_Parse(line);
        assert_non_null(json);
        if (lines == 2) {
            assert_string_equal(text_at(json, "type"), "finding");
            assert_string_equal(text_at(json, "file"), "dir/a b.toy");
            assert_string_equal(text_at(json, "rule"), "TOY001");
            assert_number(json, "offset", 40);
            assert_string_equal(text_at(json, "raw"), "2222000000000000");
            assert_string_equal(text_at(json, "expected"), "the hash of {\"key\\x1b\"}");
            assert_string_equal(text_at(json, "hint"), "The name was edited.");
            assert_string_equal(text_at(json, "patch|bytes"), "0102030405060708");
            assert_string_equal(text_at(json, "related|0|path"), "item[1].name.text");
        }
        cJSON_Delete(json);
        lines++;
        line = end + 1;
    }
    assert_int_equal(lines, 7);
    drop(&out);
}

static void the_summary_is_the_last_line(void **state)
{
    bench *b = *state;
    capture out = emit_filled(b, "jsonl");
    assert_contains(
        &out,
        "\n{\"type\":\"summary\",\"schema\":2,\"files\":1,\"members\":0,\"errors\":2,\"warnings\":3,\"notes\":1,"
        "\"files_with_findings\":1,\"dropped\":0,\"suppressed\":0,\"baselined\":0,\"unchecked\":0,\"exit_code\":1}\n");
    drop(&out);
    open_bench(b, "clean.toy");
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    ll_emit_options options = options_for("jsonl");
    out = emit(&options, b->report, 0);
    assert_int_equal(strncmp(out.data, "{\"type\":\"summary\"", 17), 0);
    drop(&out);
}

static void json_is_one_document(void **state)
{
    bench *b = *state;
    capture out = emit_filled(b, "json");
    cJSON *json = parse(&out);
    assert_number(json, "schema", 2);
    assert_string_equal(text_at(json, "files|0|format"), "toy");
    assert_number(json, "files|0|size", 128);
    assert_int_equal(cJSON_GetArraySize(dig(json, "files|0|findings")), 6);
    assert_number(json, "summary|errors", 2);
    cJSON_Delete(json);
    drop(&out);
}

static void json_of_no_file_is_a_document_too(void **state)
{
    (void)state;
    static const char *const documents[] = {"json", "sarif", "sarif-github"};
    for (size_t i = 0; i < 3; i++) {
        capture out = {0};
        ll_emitter *emitter;
        ll_emit_options options = options_for(documents[i]);
        assert_int_equal(ll_emitter_create(NULL, &rules, &options, keep, &out, &emitter), LL_OK);
        assert_int_equal(ll_emitter_finish(emitter, 0), LL_OK);
        ll_emitter_free(emitter);
        cJSON *json = parse(&out);
        assert_int_equal(cJSON_GetArraySize(i ? dig(json, "runs|0|results") : dig(json, "files")), 0);
        cJSON_Delete(json);
        drop(&out);
    }
}

static void json_takes_any_name(void **state)
{
    bench *b = *state;
    open_bench(b, "q\"\\\n\xff\xc3\xa9.toy");
    fill(b);
    ll_emit_options options = options_for("json");
    capture out = emit(&options, b->report, 1);
    cJSON *json = parse(&out);
    assert_string_equal(text_at(json, "files|0|file"), "q\"\\\n\\xff\xc3\xa9.toy");
    cJSON_Delete(json);
    drop(&out);
}

static void numbers_beyond_doubles_are_strings(void **state)
{
    bench *b = *state;
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    b->report->file.size = (UINT64_C(1) << 53) + 1;
    ll_emit_options options = options_for("json");
    capture out = emit(&options, b->report, 0);
    assert_contains(&out, "\"size\":\"9007199254740993\"");
    drop(&out);
}

/* ------------------------------------------------------------------ SARIF */

/* The message string of a result with its arguments filled in; braces stay doubled. */
static void unfold(const char *template, cJSON *arguments, char *out, size_t size)
{
    size_t n = 0;
    for (const char *p = template; *p && n + 1 < size; p++) {
        if (p[0] == '{' && p[1] >= '0' && p[1] <= '9' && p[2] == '}') {
            const char *argument = cJSON_GetArrayItem(arguments, p[1] - '0')->valuestring;
            for (; *argument && n + 2 < size; argument++) {
                if (*argument == '{' || *argument == '}') {
                    out[n++] = *argument;
                }
                out[n++] = *argument;
            }
            p += 2;
        } else {
            out[n++] = *p;
        }
    }
    out[n] = '\0';
}

static void sarif_messages_follow_their_templates(void **state)
{
    bench *b = *state;
    capture out = emit_filled(b, "sarif");
    cJSON *json = parse(&out);
    cJSON *results = dig(json, "runs|0|results");
    assert_int_equal(cJSON_GetArraySize(results), 6);
    cJSON *result;
    cJSON_ArrayForEach(result, results)
    {
        cJSON *rule = cJSON_GetArrayItem(dig(json, "runs|0|tool|driver|rules"), (int)number_at(result, "ruleIndex"));
        assert_string_equal(text_at(rule, "id"), text_at(result, "ruleId"));
        cJSON *strings = dig(rule, "messageStrings");
        const char *template =
            text_at(cJSON_GetObjectItemCaseSensitive(strings, text_at(result, "message|id")), "text");
        char expected[512];
        unfold(template, dig(result, "message|arguments"), expected, sizeof expected);
        assert_string_equal(text_at(result, "message|text"), expected);
    }
    cJSON_Delete(json);
    drop(&out);
}

static void sarif_keeps_to_bytes(void **state)
{
    bench *b = *state;
    capture out = emit_filled(b, "sarif");
    assert_lacks(&out, "startLine");
    assert_lacks(&out, "columnKind");
    cJSON *json = parse(&out);
    cJSON *place = dig(json, "runs|0|results|2|locations|0|physicalLocation");
    assert_string_equal(text_at(place, "artifactLocation|uri"), "dir/a%20b.toy");
    assert_number(place, "region|byteOffset", 40);
    assert_number(place, "region|byteLength", 8);
    assert_string_equal(text_at(place, "region|snippet|binary"), "IiIAAAAAAAA=");
    assert_number(place, "contextRegion|byteOffset", 32);
    assert_number(place, "contextRegion|byteLength", 16);
    cJSON *fix = dig(json, "runs|0|results|2|fixes|0|artifactChanges|0|replacements|0");
    assert_string_equal(text_at(fix, "insertedContent|binary"), "AQIDBAUGBwg=");
    assert_number(fix, "deletedRegion|byteLength", 8);
    cJSON *missing = dig(json, "runs|0|results|5");
    assert_number(missing, "locations|0|physicalLocation|region|byteLength", 0);
    assert_number(missing, "locations|0|physicalLocation|contextRegion|byteOffset", 112);
    assert_string_equal(text_at(missing, "fixes|0|artifactChanges|0|replacements|0|insertedContent|binary"), "AAA=");
    assert_string_equal(text_at(json, "runs|0|artifacts|0|roles|1"), "resultFile");
    assert_string_equal(text_at(json, "runs|0|tool|driver|rules|0|name"), "ToyBadScale");
    assert_string_equal(text_at(json, "runs|0|tool|driver|rules|1|name"), "ToyOddCount");
    cJSON_Delete(json);
    drop(&out);
}

static void github_gets_lines_and_groups(void **state)
{
    bench *b = *state;
    capture out = emit_filled(b, "sarif-github");
    cJSON *json = parse(&out);
    cJSON *results = dig(json, "runs|0|results");
    assert_int_equal(cJSON_GetArraySize(results), 4);
    const char *const levels[] = {"error", "error", "warning", "note"};
    for (int i = 0; i < 4; i++) {
        cJSON *result = cJSON_GetArrayItem(results, i);
        assert_string_equal(text_at(result, "level"), levels[i]);
        assert_number(result, "locations|0|physicalLocation|region|startLine", 1);
        assert_number(result, "locations|0|physicalLocation|region|endColumn", 1);
    }
    assert_number(results, "2|occurrenceCount", 3);
    assert_null(dig(results, "0|occurrenceCount"));
    cJSON_Delete(json);
    drop(&out);
}

static void github_takes_the_severest(void **state)
{
    bench *b = *state;
    enum { FILES = 2000 }; /* three results each, 6000 in all: notes are dropped */
    capture out = {0};
    ll_emitter *emitter;
    ll_chunk *chunk;
    ll_emit_options options = options_for("sarif-github");
    assert_int_equal(ll_emitter_create(NULL, &rules, &options, keep, &out, &emitter), LL_OK);
    assert_int_equal(ll_chunk_create(NULL, &chunk), LL_OK);
    for (int i = 0; i < FILES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%d.toy", i);
        open_bench(b, name);
        assert_int_equal(say(b, ODD_COUNT, count_of(b, 0), "", ""), LL_OK);
        assert_int_equal(say(b, BAD_KEY, key_of(b, 0), "", ""), LL_OK);
        assert_int_equal(say(b, BAD_SCALE, scale_of(b, 1, 0), "", ""), LL_OK);
        assert_int_equal(ll_report_finish(b->report), LL_OK);
        assert_int_equal(ll_emitter_render(emitter, b->report, chunk), LL_OK);
        assert_int_equal(ll_emitter_commit(emitter, chunk), LL_OK);
    }
    assert_int_equal(ll_emitter_finish(emitter, 1), LL_OK);
    ll_emitter_free(emitter);
    ll_chunk_free(chunk);
    cJSON *json = parse(&out);
    cJSON *results = dig(json, "runs|0|results");
    assert_int_equal(cJSON_GetArraySize(results), 5000);
    int count[3] = {0};
    cJSON *result;
    cJSON_ArrayForEach(result, results)
    {
        const char *level = text_at(result, "level");
        count[level[0] == 'e' ? 0 : level[0] == 'w' ? 1 : 2]++;
    }
    assert_int_equal(count[0], FILES);
    assert_int_equal(count[1], FILES);
    assert_int_equal(count[2], 1000);
    assert_string_equal(text_at(json, "runs|0|invocations|0|toolExecutionNotifications|0|message|text"),
                        "1000 findings were left out, by a limit or because another one explains them.");
    assert_string_equal(text_at(json, "runs|0|tool|driver|notifications|0|id"),
                        text_at(json, "runs|0|invocations|0|toolExecutionNotifications|0|descriptor|id"));
    assert_int_equal(cJSON_GetArraySize(dig(json, "runs|0|artifacts")), FILES);
    cJSON_Delete(json);
    drop(&out);
}

static void uris_are_normal(void **state)
{
    static const struct {
        const char *name, *uri;
        bool relative;
    } rows[] = {
        {"a/b.toy", "a/b.toy", true},
        {"./a//b/../c.toy", "a/c.toy", true},
        {"a b%\xc3\xa9[1].toy", "a%20b%25%C3%A9%5B1%5D.toy", true},
        {"\xff", "%FF", true},
        {"c:x", "c%3Ax", true},
        {"../a/../b", "../b", false},
        {"../../b", "../../b", false},
        {"/a/../../b c", "file:///b%20c", false},
        {"a/..", "unnamed", true},
        {"<stdin>", "%3Cstdin%3E", true},
    };
    bench *b = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_bench(b, rows[i].name);
        assert_int_equal(ll_report_finish(b->report), LL_OK);
        ll_emit_options options = options_for("sarif");
        capture out = emit(&options, b->report, 0);
        cJSON *json = parse(&out);
        assert_string_equal(text_at(json, "runs|0|artifacts|0|location|uri"), rows[i].uri);
        assert_int_equal(dig(json, "runs|0|artifacts|0|location|uriBaseId") != NULL, rows[i].relative);
        cJSON_Delete(json);
        drop(&out);
    }
}

static void sarif_states_changed_severities(void **state)
{
    bench *b = *state;
    active_rules[BAD_SCALE].severity = LL_ERROR;
    capture out = emit_filled(b, "sarif");
    cJSON *json = parse(&out);
    assert_string_equal(text_at(json, "runs|0|results|0|level"), "error");
    assert_string_equal(text_at(json, "runs|0|tool|driver|rules|0|defaultConfiguration|level"), "warning");
    cJSON *override = dig(json, "runs|0|invocations|0|ruleConfigurationOverrides|0");
    assert_string_equal(text_at(override, "descriptor|id"), "TOY002");
    assert_string_equal(text_at(override, "configuration|level"), "error");
    cJSON_Delete(json);
    drop(&out);
}

static void a_file_that_was_not_read_has_a_place(void **state)
{
    bench *b = *state;
    static const char *const names[] = {"full", "concise", "jsonl", "json", "sarif", "sarif-github"};
    ll_doc_open(&b->report->doc, NULL, 0, "gone.toy");
    b->report->file.size = 0;
    b->sink = ll_report_sink(b->report);
    assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, 0, 0), "no such file", ""), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    for (size_t i = 0; i < 6; i++) {
        ll_emit_options options = options_for(names[i]);
        capture out = emit(&options, b->report, 2);
        assert_contains(&out, "gone.toy");
        assert_contains(&out, "no such file");
        if (i >= 4) {
            cJSON *json = parse(&out);
            assert_number(json, "runs|0|results|0|locations|0|physicalLocation|region|byteOffset", 0);
            assert_true(cJSON_IsTrue(dig(json, "runs|0|invocations|0|executionSuccessful")));
            cJSON_Delete(json);
        }
        drop(&out);
    }
}

/* ------------------------------------------------------------------ marks */

static const ll_mark suppressed = {LL_MARK_SUPPRESSED, "Known since 1998.", "dir/.lightlint-ignore.yaml", 7};
static const ll_mark baselined = {LL_MARK_BASELINED, "", "base line.jsonl", 3};

/* The six findings of fill(); the second and third in print order are marked: TOY003 suppressed, TOY001 baselined. */
static void fill_marked(bench *b)
{
    fill(b);
    assert_int_equal(ll_report_mark(b->report, 1, &suppressed), LL_OK);
    assert_int_equal(ll_report_mark(b->report, 2, &baselined), LL_OK);
}

static void marks_do_not_count(void **state)
{
    bench *b = *state;
    fill_marked(b);
    ll_summary summary;
    ll_report_summary(b->report, &summary);
    assert_int_equal(ll_report_finding_count(b->report), 6);
    assert_int_equal(summary.errors, 1);
    assert_int_equal(summary.warnings, 3);
    assert_int_equal(summary.notes, 0);
    assert_int_equal(summary.suppressed, 1);
    assert_int_equal(summary.baselined, 1);
    ll_finding finding = finding_at(b, 1);
    assert_int_equal(finding.mark.kind, LL_MARK_SUPPRESSED);
    assert_string_equal(finding.mark.reason, "Known since 1998.");
    assert_string_equal(finding.mark.file, "dir/.lightlint-ignore.yaml");
    assert_int_equal(finding.mark.line, 7);
    assert_int_equal(finding_at(b, 0).mark.kind, LL_MARK_NONE);
    ll_walk walk = ll_walk_findings(b->report);
    assert_true(ll_walk_next_entry(&walk) && walk.entry == 0);
    assert_true(ll_walk_next_entry(&walk) && walk.entry == 3);
    ll_mark bad = suppressed;
    assert_int_equal(ll_report_mark(b->report, 1, &baselined), LL_E_ARGUMENT);
    assert_int_equal(ll_report_mark(b->report, 6, &suppressed), LL_E_ARGUMENT);
    bad.kind = LL_MARK_NONE;
    assert_int_equal(ll_report_mark(b->report, 0, &bad), LL_E_ARGUMENT);
    bad = (ll_mark){LL_MARK_SUPPRESSED, NULL, "a", 1};
    assert_int_equal(ll_report_mark(b->report, 0, &bad), LL_E_ARGUMENT);
    assert_int_equal(ll_report_mark(b->report, 0, NULL), LL_E_ARGUMENT);
    ll_report_summary(b->report, &summary);
    assert_int_equal(summary.suppressed + summary.baselined, 2);
    open_bench(b, "next.toy");
    fill(b);
    assert_int_equal(finding_at(b, 1).mark.kind, LL_MARK_NONE);
}

static void only_sarif_shows_marked_findings(void **state)
{
    bench *b = *state;
    for (size_t i = 0; ll_emit_formats()[i]; i++) {
        const char *format = ll_emit_formats()[i];
        open_bench(b, "dir/a b.toy");
        fill_marked(b);
        ll_emit_options options = options_for(format);
        options.all = true;
        capture out = emit(&options, b->report, 1);
        if (strcmp(format, "sarif") == 0) {
            assert_contains(&out, "\"ruleId\":\"TOY001\"");
            assert_contains(&out, "\"ruleId\":\"TOY003\"");
        } else {
            assert_contains(&out, "TOY002");
            assert_lacks(&out, "TOY001");
            assert_lacks(&out, "bad-key");
            assert_lacks(&out, "TOY003");
            assert_lacks(&out, "odd-count");
        }
        drop(&out);
    }
}

static void summaries_name_what_is_marked(void **state)
{
    bench *b = *state;
    fill_marked(b);
    ll_emit_options options = options_for("concise");
    capture out = emit(&options, b->report, 1);
    assert_contains(
        &out, "\n1 file checked, 1 with findings: 1 error, 3 warnings, 0 notes, 1 suppressed, 1 in the baseline.\n");
    drop(&out);
    options = options_for("json");
    out = emit(&options, b->report, 1);
    cJSON *json = parse(&out);
    assert_number(json, "summary|suppressed", 1);
    assert_number(json, "summary|baselined", 1);
    assert_number(json, "summary|errors", 1);
    assert_int_equal(cJSON_GetArraySize(dig(json, "files|0|findings")), 4);
    cJSON_Delete(json);
    drop(&out);
    for (ll_walk walk = ll_walk_findings(b->report); ll_walk_next_entry(&walk);) {
        assert_int_equal(ll_report_mark(b->report, walk.entry, &suppressed), LL_OK);
    }
    options = options_for("full");
    options.verbosity = 1;
    out = emit(&options, b->report, 0);
    assert_string_equal(out.data, "dir/a b.toy: clean (toy, 128 bytes, 5 suppressed, 1 in the baseline)\n"
                                  "1 file checked, no findings, 5 suppressed, 1 in the baseline.\n");
    drop(&out);
    options.verbosity = -1;
    out = emit(&options, b->report, 0);
    assert_null(out.data);
}

static void sarif_says_who_knows_of_a_finding(void **state)
{
    bench *b = *state;
    fill_marked(b);
    ll_emit_options options = options_for("sarif");
    capture out = emit(&options, b->report, 1);
    assert_lacks(&out, "baselineState");
    cJSON *json = parse(&out);
    cJSON *results = dig(json, "runs|0|results");
    assert_int_equal(cJSON_GetArraySize(results), 6);
    for (int i = 0; i < 6; i++) {
        cJSON *list = dig(cJSON_GetArrayItem(results, i), "suppressions");
        assert_true(cJSON_IsArray(list));
        assert_int_equal(cJSON_GetArraySize(list), i == 1 || i == 2);
    }
    cJSON *known = dig(results, "1|suppressions|0");
    assert_string_equal(text_at(known, "kind"), "external");
    assert_string_equal(text_at(known, "status"), "accepted");
    assert_string_equal(text_at(known, "justification"), "Known since 1998.");
    assert_string_equal(text_at(known, "location|physicalLocation|artifactLocation|uri"), "dir/.lightlint-ignore.yaml");
    assert_string_equal(text_at(known, "location|physicalLocation|artifactLocation|uriBaseId"), "%SRCROOT%");
    assert_number(known, "location|physicalLocation|region|startLine", 7);
    known = dig(results, "2|suppressions|0");
    assert_string_equal(text_at(known, "kind"), "external");
    assert_string_equal(text_at(known, "justification"), "In the baseline base line.jsonl.");
    assert_number(known, "location|physicalLocation|region|startLine", 3);
    cJSON_Delete(json);
    drop(&out);
    options.baseline = true;
    out = emit(&options, b->report, 1);
    json = parse(&out);
    results = dig(json, "runs|0|results");
    for (int i = 0; i < 6; i++) {
        cJSON *result = cJSON_GetArrayItem(results, i);
        assert_string_equal(text_at(result, "baselineState"), i == 2 ? "unchanged" : "new");
        assert_int_equal(cJSON_GetArraySize(dig(result, "suppressions")), i == 1);
    }
    cJSON_Delete(json);
    drop(&out);
}

/* One group per rule, field and mark; marked ones come last, whatever their severity. */
static void github_leaves_marked_findings_out(void **state)
{
    bench *b = *state;
    fill(b);
    assert_int_equal(ll_report_mark(b->report, 0, &suppressed), LL_OK); /* one of three of TOY002 */
    assert_int_equal(ll_report_mark(b->report, 2, &suppressed), LL_OK); /* TOY001, an error */
    ll_emit_options options = options_for("sarif-github");
    capture out = emit(&options, b->report, 1);
    cJSON *json = parse(&out);
    cJSON *results = dig(json, "runs|0|results");
    static const char *const ids[] = {"TOY005", "TOY002", "TOY003"};
    assert_int_equal(cJSON_GetArraySize(results), 3);
    for (int i = 0; i < 3; i++) {
        cJSON *result = cJSON_GetArrayItem(results, i);
        assert_string_equal(text_at(result, "ruleId"), ids[i]);
        assert_int_equal(cJSON_GetArraySize(dig(result, "suppressions")), 0);
        cJSON *rule = cJSON_GetArrayItem(dig(json, "runs|0|tool|driver|rules"), (int)number_at(result, "ruleIndex"));
        assert_string_equal(text_at(rule, "id"), ids[i]);
    }
    assert_number(results, "1|occurrenceCount", 2);
    cJSON_Delete(json);
    drop(&out);
    options = options_for("full");
    out = emit(&options, b->report, 1);
    assert_contains(&out, "The scale is {negative} (2 times)\n");
    assert_contains(&out, "   = and 1 more at +0x54 (--all shows each)\n");
    drop(&out);
}

/* ------------------------------------------------------------------ limits with marks */

static void limits_pass_over_marked_findings(void **state)
{
    bench *b = *state;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(say(b, BAD_SCALE, scale_of(b, 2 - i, 1), "-2", ""), LL_OK);
    }
    assert_int_equal(say(b, BAD_KEY, key_of(b, 0), "", ""), LL_OK);
    assert_int_equal(say(b, BAD_KEY, key_of(b, 1), "", ""), LL_OK);
    assert_int_equal(say(b, ODD_COUNT, count_of(b, 1), "", ""), LL_OK);
    assert_int_equal(ll_report_finish(b->report), LL_OK);
    assert_int_equal(ll_report_finding_count(b->report), 6);
    char prints[6][17];
    for (size_t i = 0; i < 6; i++) {
        memcpy(prints[i], finding_at(b, i).fingerprint, 17);
    }
    assert_string_equal(finding_at(b, 0).id, "TOY001");
    assert_int_equal(ll_report_mark(b->report, 0, &baselined), LL_OK);
    static const ll_fold unfolded = {NULL, NULL};
    assert_int_equal(ll_report_choose(b->report, &unfolded, 0, 0, true), LL_OK);
    assert_int_equal(b->report->left_out, 0);
    assert_int_equal(ll_report_choose(b->report, &unfolded, 2, 3, true), LL_OK);
    /* the second of TOY001, an error, and two of TOY002, in the order in which they were reported */
    static const struct {
        const char *id;
        size_t before;
    } kept[] = {{"TOY001", 0}, {"TOY001", 2}, {"TOY002", 3}, {"TOY002", 5}};
    size_t next = 0;
    for (size_t i = 0; i < 6; i++) {
        if (!b->report->entries.items[i].left_out) {
            assert_int_equal(kept[next].before, i);
            assert_string_equal(finding_at(b, i).id, kept[next++].id);
            assert_string_equal(finding_at(b, i).fingerprint, prints[i]);
        }
    }
    assert_int_equal(next, 4);
    ll_summary summary;
    ll_report_summary(b->report, &summary);
    assert_int_equal(summary.errors, 1);
    assert_int_equal(summary.warnings, 3);
    assert_int_equal(summary.notes, 1);
    assert_int_equal(summary.baselined, 1);
    assert_int_equal(ll_report_missing(b->report), 2);
}

/* Applying limits afterwards keeps the same findings as applying them from the start. */
static void limits_keep_the_same_findings_afterwards(void **state)
{
    bench *b = *state;
    char kept[2][8][80];
    for (int way = 0; way < 2; way++) {
        open_bench(b, "a.toy");
        b->report->options.max_per_rule = way ? 0 : 2;
        b->report->options.max_per_file = way ? 0 : 4;
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(say(b, BAD_SCALE, scale_of(b, 2 - i, 1), "", ""), LL_OK);
            assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, 120 - i, 1), "", ""), LL_OK);
            assert_int_equal(say(b, BAD_KEY, key_of(b, i), "", ""), LL_OK);
        }
        assert_int_equal(ll_report_finish(b->report), LL_OK);
        assert_int_equal(ll_report_choose(b->report, &(ll_fold){NULL, NULL}, way ? 2 : 0, way ? 4 : 0, true), LL_OK);
        ll_summary summary;
        ll_report_summary(b->report, &summary);
        assert_int_equal(ll_report_missing(b->report), 5);
        assert_int_equal(summary.errors + summary.warnings, 9);
        size_t n = 0;
        for (size_t i = 0; i < ll_report_finding_count(b->report); i++) {
            if (!b->report->entries.items[i].left_out) {
                (void)snprintf(kept[way][n++], sizeof kept[way][0], "%s", finding_at(b, i).message);
            }
        }
        assert_int_equal(n, 4);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(kept[0][i], kept[1][i]);
    }
    b->report->options.max_per_rule = b->report->options.max_per_file = 0;
}

/* ------------------------------------------------------------------ other rule sets than the emitter's */

static void rules_of_one_id_are_one_rule(void **state)
{
    bench *b = *state;
    ll_rule other_rules[] = {rule_table[ODD_COUNT], rule_table[BAD_KEY], rule_table[LOCKED]};
    other_rules[0].id = "TOY000";
    other_rules[0].name = "toy-another";
    other_rules[1].title = "Another title.";
    ll_active_rule active[3];
    for (size_t i = 0; i < 3; i++) {
        active[i] = (ll_active_rule){.own = &other_rules[i], .severity = LL_NOTE};
    }
    ll_ruleset others = rules;
    others.rules = active;
    others.count = 3;
    for (size_t f = 0; ll_emit_formats()[f]; f++) {
        const char *format = ll_emit_formats()[f];
        ll_emit_options options = options_for(format);
        capture out = {0};
        ll_emitter *emitter;
        ll_chunk *chunk;
        assert_int_equal(ll_emitter_create(NULL, &rules, &options, keep, &out, &emitter), LL_OK);
        assert_int_equal(ll_chunk_create(NULL, &chunk), LL_OK);
        open_bench(b, "one.toy");
        assert_int_equal(say(b, LOCKED, ll_at_bytes(LL_NO_SPAN, 0, 1), "", ""), LL_OK);
        assert_int_equal(say(b, BAD_KEY, key_of(b, 0), "", ""), LL_OK);
        assert_int_equal(ll_report_finish(b->report), LL_OK);
        assert_int_equal(ll_emitter_render(emitter, b->report, chunk), LL_OK);
        open_bench(b, "two.toy");
        b->report->rules = &others;
        for (uint32_t rule = 0; rule < 3; rule++) {
            assert_int_equal(say(b, rule, ll_at_bytes(LL_NO_SPAN, rule, 1), "", ""), LL_OK);
        }
        assert_int_equal(ll_report_finish(b->report), LL_OK);
        assert_int_equal(ll_emitter_render(emitter, b->report, chunk), LL_OK);
        assert_int_equal(ll_emitter_commit(emitter, chunk), LL_OK);
        assert_int_equal(ll_emitter_finish(emitter, 1), LL_OK);
        ll_emitter_free(emitter);
        ll_chunk_free(chunk);
        if (strncmp(format, "sarif", 5) == 0) {
            cJSON *json = parse(&out);
            cJSON *listed = dig(json, "runs|0|tool|driver|rules");
            assert_int_equal(cJSON_GetArraySize(listed), 3);
            cJSON *result;
            cJSON_ArrayForEach(result, dig(json, "runs|0|results"))
            {
                cJSON *rule = cJSON_GetArrayItem(listed, (int)number_at(result, "ruleIndex"));
                assert_string_equal(text_at(rule, "id"), text_at(result, "ruleId"));
                assert_string_not_equal(text_at(rule, "shortDescription|text"), "Another title.");
            }
            assert_int_equal(cJSON_GetArraySize(dig(json, "runs|0|results")), 5);
            cJSON_Delete(json);
        } else {
            assert_contains(&out, "TOY000");
        }
        drop(&out);
    }
}

static void a_file_may_have_a_fail_level_of_its_own(void **state)
{
    bench *b = *state;
    fill(b);
    ll_emit_options options = options_for("concise");
    options.verbosity = -2;
    b->report->options.has_fail_level = true;
    b->report->options.fail_level = LL_ERROR;
    capture out = emit(&options, b->report, 1);
    assert_contains(&out, "error[");
    assert_lacks(&out, "warning[");
    drop(&out);
    b->report->options.fail_level = LL_SEVERITY_OFF;
    out = emit(&options, b->report, 0);
    assert_null(out.data);
    b->report->options.has_fail_level = false;
    out = emit(&options, b->report, 1);
    assert_contains(&out, "warning[");
    drop(&out);
}

/* ------------------------------------------------------------------ remarks */

static const char notes_text[] = "suppress:\n- file: a\n  reason: x\n- file: b\n  reason: y\n";
static const ll_remark notes[] = {
    {"LL009", 32, 21, "suppress[1]", "2020-01-01", ""},
    {"unused-suppression", 10, 21, "suppress[0]\x1b", "", ""},
    {"unused-suppression", 32, 21, "", "nothing at all", "something"},
    {"stale-baseline", 0, 9, "", "", ""},
};
enum { NOTES = sizeof notes / sizeof notes[0], NOTES_SIZE = sizeof notes_text - 1 };

static ll_ruleset *shipped_rules(const char *ignored)
{
    ll_ruleset *set = NULL;
    ll_problem problem;
    assert_int_equal(ll_ruleset_create(NULL, &set), LL_OK);
    if (ignored) {
        assert_int_equal(ll_ruleset_ignore(set, ignored, &problem), LL_OK);
    }
    assert_int_equal(ll_ruleset_seal(set, &problem), LL_OK);
    return set;
}

static void remarks_are_findings_in_a_text(void **state)
{
    bench *b = *state;
    ll_ruleset *set = shipped_rules("stale-baseline");
    ll_lint_options options = {.size = sizeof options, .name = "sub/.lightlint-ignore.yaml", .identity = "id"};
    assert_int_equal(ll_lint_remarks(set, notes_text, NOTES_SIZE, &options, (ll_remarks){notes, NOTES}, b->report),
                     LL_OK);
    assert_int_equal(ll_report_finding_count(b->report), 3);
    assert_string_equal(ll_report_format(b->report), "text");
    ll_finding first = finding_at(b, 0);
    assert_string_equal(first.id, "LL008");
    assert_int_equal(first.offset, 10);
    assert_int_equal(first.length, 21);
    assert_string_equal(first.path, "suppress[0]\\x1b");
    assert_string_equal(first.found, "no matching finding");
    assert_string_equal(first.expected, "a finding to suppress");
    assert_int_equal(ll_report_line(b->report, first.offset), 2);
    ll_finding second = finding_at(b, 1);
    assert_string_equal(second.path, "file");
    assert_string_equal(second.found, "nothing at all");
    assert_string_equal(second.expected, "something");
    ll_finding third = finding_at(b, 2);
    assert_string_equal(third.id, "LL009");
    assert_string_equal(third.found, "2020-01-01");
    assert_int_equal(ll_report_line(b->report, third.offset), 4);
    assert_int_equal(ll_report_line(b->report, 9), 1);
    assert_int_equal(ll_report_line(b->report, 1000), 6);
    assert_string_not_equal(first.fingerprint, third.fingerprint);
    ll_summary summary;
    ll_report_summary(b->report, &summary);
    assert_int_equal(summary.warnings, 3);
    assert_false(summary.unchecked);
    for (size_t i = 0; ll_emit_formats()[i]; i++) {
        ll_emit_options emit_options = options_for(ll_emit_formats()[i]);
        capture out = emit(&emit_options, b->report, 1); /* toy rules belong to another set */
        assert_contains(&out, "LL008");
        assert_contains(&out, "LL009");
        if (strcmp(ll_emit_formats()[i], "sarif-github") == 0) {
            cJSON *json = parse(&out);
            assert_number(json, "runs|0|results|0|locations|0|physicalLocation|region|startLine", 2);
            assert_number(json, "runs|0|results|2|locations|0|physicalLocation|region|endLine", 4);
            assert_string_equal(text_at(json, "runs|0|artifacts|0|mimeType"), "text/plain");
            cJSON_Delete(json);
        }
        drop(&out);
    }
    for (unsigned columns = 1; columns < 100; columns += 7) {
        ll_emit_options narrow = options_for("full");
        narrow.terminal = (ll_terminal){.columns = columns, .lines = 1};
        capture out = emit(&narrow, b->report, 1);
        assert_contains(&out, "^");
        drop(&out);
    }
    ll_ruleset_free(set);
}

/* Line and column of a finding do not depend on earlier queries: forwards and backwards, in one line and over
 * several. */
static void positions_are_those_of_lines_and_columns(void **state)
{
    static const char text[] = "ab\xC3\xA4\xE2\x82\xAC"
                               "cd\nx\n\nyz";
    static const ll_remark at[] = {{"LL009", 1, 1, "", "", ""},  {"LL009", 4, 3, "", "", ""},
                                   {"LL009", 8, 1, "", "", ""},  {"LL009", 9, 1, "", "", ""},
                                   {"LL009", 10, 1, "", "", ""}, {"LL009", 12, 0, "", "", ""},
                                   {"LL009", 14, 1, "", "", ""}};
    static const char *const places[] = {"1:2", "1:4", "1:6", "1:7", "2:1", "3:1", "4:2"};
    static const size_t asked[] = {0, 1, 2, 3, 4, 5, 6, 6, 2, 1, 0, 3, 6, 4, 0};
    enum { COUNT = sizeof at / sizeof at[0] };
    bench *b = *state;
    ll_ruleset *set = shipped_rules(NULL);
    assert_int_equal(ll_lint_remarks(set, text, sizeof text - 1, NULL, (ll_remarks){at, COUNT}, b->report), LL_OK);
    assert_int_equal(ll_report_finding_count(b->report), COUNT);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        ll_finding finding;
        ll_text out;
        ll_text_init(&out, NULL);
        assert_int_equal(ll_finding_compose(b->report, asked[i], &finding), LL_OK);
        ll_position_text(b->report, &out);
        assert_string_equal(ll_text_cstr(&out), places[asked[i]]);
        ll_text_free(&out);
    }
    assert_int_equal(ll_report_line(b->report, sizeof text - 1), 4);
    assert_int_equal(ll_report_line(b->report, 10), 2);
    assert_int_equal(ll_report_line(b->report, 9), 1);
    ll_ruleset_free(set);
}

/* Only the surroundings are shown of a line without end, with whole characters at both ends. */
static void long_lines_are_cut_around_the_finding(void **state)
{
    enum { SIZE = 30000, NEAR = 1024, AT = 15000 };
    bench *b = *state;
    ll_ruleset *set = shipped_rules(NULL);
    char *text = malloc(SIZE);
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; i++) {
        text[i] = "\xE2\x82\xAC"[i % 3];
    }
    memcpy(text + AT, "herewe", 6);
    ll_remark remark = {"LL009", AT, 6, "", "", ""};
    ll_emit_options options = options_for("full");
    assert_int_equal(ll_lint_remarks(set, text, SIZE, NULL, (ll_remarks){&remark, 1}, b->report), LL_OK);
    capture out = emit(&options, b->report, 1);
    assert_true(out.length < 4 * NEAR);
    assert_contains(&out, "   |  1  ...\xE2\x82\xAC\xE2");
    assert_contains(&out, "\xACherewe");
    assert_contains(&out, "\xE2\x82\xAC...\n");
    assert_lacks(&out, "\\x");
    const char *marks = strstr(out.data, "^^^^^^\n");
    assert_non_null(marks);
    assert_int_equal(strspn(marks, "^"), 6);
    drop(&out);
    memset(text, '.', SIZE); /* a complete line of maximum length */
    text[AT - NEAR - 1] = text[AT + NEAR] = '\n';
    text[AT - NEAR] = '<';
    text[AT + NEAR - 1] = '>';
    assert_int_equal(ll_lint_remarks(set, text, SIZE, NULL, (ll_remarks){&remark, 1}, b->report), LL_OK);
    out = emit(&options, b->report, 1);
    assert_contains(&out, "   |  2  <");
    assert_contains(&out, ".>\n");
    assert_lacks(&out, "....\n");
    drop(&out);
    free(text);
    ll_ruleset_free(set);
}

static void remarks_keep_to_their_file_and_rules(void **state)
{
    bench *b = *state;
    ll_ruleset *set = shipped_rules(NULL);
    assert_int_equal(ll_lint_remarks(set, notes_text, NOTES_SIZE, NULL, (ll_remarks){NULL, 0}, b->report), LL_OK);
    assert_int_equal(ll_report_finding_count(b->report), 0);
    ll_remark remark = {"unreadable", 0, 1, "", "", ""};
    assert_int_equal(ll_lint_remarks(set, notes_text, NOTES_SIZE, NULL, (ll_remarks){&remark, 1}, b->report),
                     LL_E_ARGUMENT);
    remark.rule = "no-such-rule";
    assert_int_equal(ll_lint_remarks(set, notes_text, NOTES_SIZE, NULL, (ll_remarks){&remark, 1}, b->report),
                     LL_E_ARGUMENT);
    remark.rule = "LL008";
    remark.offset = NOTES_SIZE;
    assert_int_equal(ll_lint_remarks(set, notes_text, NOTES_SIZE, NULL, (ll_remarks){&remark, 1}, b->report),
                     LL_E_ARGUMENT);
    remark.length = 0;
    assert_int_equal(ll_lint_remarks(set, notes_text, NOTES_SIZE, NULL, (ll_remarks){&remark, 1}, b->report), LL_OK);
    assert_int_equal(ll_report_finding_count(b->report), 1);
    assert_int_equal(ll_lint_remarks(set, NULL, 1, NULL, (ll_remarks){NULL, 0}, b->report), LL_E_ARGUMENT);
    assert_int_equal(ll_lint_remarks(set, "", 0, NULL, (ll_remarks){NULL, 1}, b->report), LL_E_ARGUMENT);
    assert_int_equal(ll_lint(set, "", 0, NULL, b->report), LL_OK); /* a light file again */
    assert_string_equal(ll_report_format(b->report), "unknown");
    assert_int_equal(ll_report_line(b->report, 0), 1);
    ll_ruleset_free(set);
}

static void fingerprints_are_made_from_the_identity(void **state)
{
    bench *b = *state;
    ll_ruleset *set = shipped_rules(NULL);
    static const struct {
        const char *name, *identity;
    } ways[] = {
        {"a/b.grxla", NULL}, {"/somewhere/a/b.grxla", "a/b.grxla"}, {"b.grxla", "./a/b.grxla"}, {"b.grxla", NULL}};
    char prints[4][17];
    for (size_t i = 0; i < 4; i++) {
        ll_lint_options options = {.size = sizeof options, .name = ways[i].name, .identity = ways[i].identity};
        assert_int_equal(ll_lint(set, "", 0, &options, b->report), LL_OK);
        memcpy(prints[i], finding_at(b, 0).fingerprint, 17);
        assert_string_equal(ll_report_name(b->report), ways[i].name);
    }
    assert_string_equal(prints[0], prints[1]);
    assert_string_equal(prints[0], prints[2]);
    assert_string_not_equal(prints[0], prints[3]);
    ll_ruleset_free(set);
}

/* ------------------------------------------------------------------ emitters */

static void formats_are_known_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"full",         "concise",    "json",   "jsonl", "sarif",
                                        "sarif-github", "github",     "gitlab", "junit", "markdown",
                                        "html",         "statistics", NULL};
    const char *const *known = ll_emit_formats();
    for (size_t i = 0; names[i]; i++) {
        assert_string_equal(known[i], names[i]);
    }
    ll_emitter *emitter = NULL;
    ll_emit_options options = options_for("yaml");
    capture out = {0};
    assert_int_equal(ll_emitter_create(NULL, &rules, &options, keep, &out, &emitter), LL_E_ARGUMENT);
    options = options_for("json");
    options.size--;
    assert_int_equal(ll_emitter_create(NULL, &rules, &options, keep, &out, &emitter), LL_E_ARGUMENT);
}

static void chunks_appear_in_the_order_of_commits(void **state)
{
    bench *b = *state;
    capture out = {0};
    ll_emitter *emitter;
    ll_chunk *chunks[2];
    ll_emit_options options = options_for("json");
    assert_int_equal(ll_emitter_create(NULL, &rules, &options, keep, &out, &emitter), LL_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ll_chunk_create(NULL, &chunks[i]), LL_OK);
        open_bench(b, i ? "second.toy" : "first.toy");
        fill(b);
        assert_int_equal(ll_emitter_render(emitter, b->report, chunks[i]), LL_OK);
    }
    assert_int_equal(ll_emitter_commit(emitter, chunks[1]), LL_OK);
    assert_int_equal(ll_emitter_commit(emitter, chunks[0]), LL_OK);
    assert_int_equal(ll_emitter_commit(emitter, chunks[0]), LL_OK); /* empty after the first commit */
    assert_int_equal(ll_emitter_finish(emitter, 1), LL_OK);
    cJSON *json = parse(&out);
    assert_int_equal(cJSON_GetArraySize(dig(json, "files")), 2);
    assert_string_equal(text_at(json, "files|0|file"), "second.toy");
    assert_string_equal(text_at(json, "files|1|file"), "first.toy");
    assert_number(json, "summary|files", 2);
    cJSON_Delete(json);
    ll_emitter_free(emitter);
    ll_chunk_free(chunks[0]);
    ll_chunk_free(chunks[1]);
    drop(&out);
}

static void a_refused_write_sticks(void **state)
{
    bench *b = *state;
    fill(b);
    for (size_t i = 0; ll_emit_formats()[i]; i++) {
        capture out = {.refuse_after = 1};
        ll_emitter *emitter;
        ll_chunk *chunk;
        ll_emit_options options = options_for(ll_emit_formats()[i]);
        assert_int_equal(ll_emitter_create(NULL, &rules, &options, keep, &out, &emitter), LL_OK);
        assert_int_equal(ll_chunk_create(NULL, &chunk), LL_OK);
        assert_int_equal(ll_emitter_render(emitter, b->report, chunk), LL_OK);
        (void)!ll_emitter_commit(emitter, chunk);
        assert_int_equal(ll_emitter_finish(emitter, 1), LL_E_WRITE);
        assert_int_equal(ll_emitter_finish(emitter, 1), LL_E_WRITE);
        assert_int_equal(out.calls, 1);
        ll_emitter_free(emitter);
        ll_chunk_free(chunk);
        drop(&out);
    }
}

/* ------------------------------------------------------------------ out of memory */

typedef struct limited { /* an allocator whose n-th and all later calls fail */
    size_t calls, fail_at, live;
} limited;

static void *limited_alloc(void *ctx, size_t size)
{
    limited *l = ctx;
    if (++l->calls >= l->fail_at) {
        return NULL;
    }
    l->live++;
    return malloc(size);
}

static void limited_release(void *ctx, void *block)
{
    limited *l = ctx;
    l->live--;
    free(block);
}

/* Uses everything in the interface of a report, with limited memory. */
static ll_status whole_run(const ll_allocator *a, const char *format, unsigned columns, capture *out)
{
    bench b = {0};
    ll_emitter *emitter = NULL;
    ll_chunk *chunk = NULL;
    ll_emit_options options = options_for(format);
    options.terminal = (ll_terminal){.columns = columns, .lines = 2};
    ll_status status = ll_report_create(a, &b.report);
    if (status == LL_OK) {
        parse_toy(b.report, &b.file, "a.toy", some_keys, 3);
        status = b.report->doc.status;
    }
    for (uint32_t i = 0; status == LL_OK && i < 40; i++) {
        b.sink = i ? b.sink : ll_report_sink(b.report);
        status = say(&b, i % 3, i % 2 ? key_of(&b, i % 3) : ll_at_bytes(LL_NO_SPAN, i, 1), "found", "expected");
    }
    status = status == LL_OK ? ll_report_finish(b.report) : status;
    ll_finding finding;
    status = status == LL_OK ? ll_report_finding(b.report, 0, &finding) : status;
    status = status == LL_OK ? ll_report_mark(b.report, 1, &suppressed) : status;
    status = status == LL_OK ? ll_report_mark(b.report, 2, &baselined) : status;
    status = status == LL_OK ? ll_report_choose(b.report, &(ll_fold){NULL, NULL}, 8, 0, true) : status;
    status = status == LL_OK ? ll_emitter_create(a, &rules, &options, keep, out, &emitter) : status;
    status = status == LL_OK ? ll_chunk_create(a, &chunk) : status;
    for (unsigned i = 0; status == LL_OK && i < 2; i++) { /* the second is equal to the first */
        status = ll_emitter_render(emitter, b.report, chunk);
        status = status == LL_OK ? ll_emitter_commit(emitter, chunk) : status;
    }
    status = status == LL_OK ? ll_emitter_finish(emitter, 1) : status;
    status = status == LL_OK ? ll_dump(b.report, "text", &options.terminal, keep, out) : status;
    status = status == LL_OK ? ll_dump(b.report, "json", NULL, keep, out) : status;
    ll_chunk_free(chunk);
    ll_emitter_free(emitter);
    ll_report_free(b.report);
    return status;
}

/* Remarks, with a rule set made before. */
static ll_status whole_remarks(const ll_allocator *a, const ll_ruleset *set, capture *out)
{
    ll_report *report = NULL;
    ll_emitter *emitter = NULL;
    ll_chunk *chunk = NULL;
    ll_emit_options options = options_for("sarif-github");
    ll_status status = ll_report_create(a, &report);
    status = status == LL_OK ? ll_lint_remarks(set, notes_text, NOTES_SIZE, NULL, (ll_remarks){notes, NOTES}, report)
                             : status;
    status = status == LL_OK ? ll_emitter_create(a, set, &options, keep, out, &emitter) : status;
    status = status == LL_OK ? ll_chunk_create(a, &chunk) : status;
    status = status == LL_OK ? ll_emitter_render(emitter, report, chunk) : status;
    status = status == LL_OK ? ll_emitter_commit(emitter, chunk) : status;
    status = status == LL_OK ? ll_emitter_finish(emitter, 1) : status;
    ll_chunk_free(chunk);
    ll_emitter_free(emitter);
    ll_report_free(report);
    return status;
}

static void short_memory_of_remarks_is_said(void **state)
{
    (void)state;
    ll_ruleset *set = shipped_rules(NULL);
    ll_status status = LL_E_MEMORY;
    size_t n = 1;
    for (; status == LL_E_MEMORY; n++) {
        limited l = {.fail_at = n};
        ll_allocator a = {limited_alloc, limited_release, &l};
        capture out = {0};
        status = whole_remarks(&a, set, &out);
        assert_int_equal(l.live, 0);
        drop(&out);
    }
    assert_int_equal(status, LL_OK);
    assert_true(n > 5);
    ll_ruleset_free(set);
}

static void short_memory_is_said_and_leaks_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; ll_emit_formats()[i]; i++) {
        ll_status status = LL_E_MEMORY;
        for (size_t n = 1; status == LL_E_MEMORY; n++) {
            limited l = {.fail_at = n};
            ll_allocator a = {limited_alloc, limited_release, &l};
            capture out = {0};
            status = whole_run(&a, ll_emit_formats()[i], n % 2 ? 0 : 50, &out);
            assert_int_equal(l.live, 0);
            assert_true(status == LL_OK ? l.calls < n : status == LL_E_MEMORY);
            drop(&out);
        }
        assert_int_equal(status, LL_OK);
    }
}

static size_t tree_budget; /* allocations left for cJSON, whose hooks have no context */

static void *tree_alloc(size_t size)
{
    if (tree_budget == 0) {
        return NULL;
    }
    tree_budget--;
    return malloc(size);
}

static void failing_trees_are_said(void **state)
{
    bench *b = *state;
    fill(b);
    cJSON_Hooks hooks = {tree_alloc, free};
    ll_status status = LL_E_MEMORY;
    for (size_t n = 0; status == LL_E_MEMORY; n++) {
        capture out = {0};
        ll_emitter *emitter;
        ll_chunk *chunk;
        ll_emit_options options = options_for("sarif");
        assert_int_equal(ll_emitter_create(NULL, &rules, &options, keep, &out, &emitter), LL_OK);
        assert_int_equal(ll_chunk_create(NULL, &chunk), LL_OK);
        tree_budget = n;
        cJSON_InitHooks(&hooks);
        status = ll_emitter_render(emitter, b->report, chunk);
        status = status == LL_OK ? ll_emitter_commit(emitter, chunk) : status;
        status = status == LL_OK ? ll_emitter_finish(emitter, 1) : status;
        cJSON_InitHooks(NULL);
        assert_true(status == LL_OK || status == LL_E_MEMORY);
        ll_emitter_free(emitter);
        ll_chunk_free(chunk);
        drop(&out);
    }
    assert_int_equal(status, LL_OK);
}

static void a_failed_render_leaves_the_chunk_whole(void **state)
{
    bench *b = *state;
    limited l = {.fail_at = SIZE_MAX};
    ll_allocator a = {limited_alloc, limited_release, &l};
    capture out = {0};
    ll_emitter *emitter;
    ll_chunk *chunk;
    ll_emit_options options = options_for("jsonl");
    assert_int_equal(ll_emitter_create(NULL, &rules, &options, keep, &out, &emitter), LL_OK);
    assert_int_equal(ll_chunk_create(&a, &chunk), LL_OK);
    fill(b);
    assert_int_equal(ll_emitter_render(emitter, b->report, chunk), LL_OK);
    l.fail_at = l.calls + 1;
    ll_status status = LL_OK;
    for (int i = 0; i < 20 && status == LL_OK; i++) { /* until the buffer must grow */
        status = ll_emitter_render(emitter, b->report, chunk);
    }
    assert_int_equal(status, LL_E_MEMORY);
    assert_int_equal(ll_emitter_commit(emitter, chunk), LL_OK);
    assert_int_equal(out.data[out.length - 1], '\n');
    drop(&out);
    ll_emitter_free(emitter);
    ll_chunk_free(chunk);
    assert_int_equal(l.live, 0);
}

/* ------------------------------------------------------------------ dump */

typedef struct tiles {
    uint64_t end;
    size_t count, stop_after;
} tiles;

static bool check_tile(void *ctx, const ll_span_info *span)
{
    tiles *t = ctx;
    assert_int_equal(span->offset, t->end);
    t->end += span->length;
    t->count++;
    return t->count != t->stop_after;
}

static void spans_tile_the_file(void **state)
{
    bench *b = *state;
    tiles t = {0};
    assert_int_equal(ll_report_spans(b->report, check_tile, &t), LL_OK);
    assert_int_equal(t.end, b->file.size);
    tiles few = {.stop_after = 3};
    assert_int_equal(ll_report_spans(b->report, check_tile, &few), LL_OK);
    assert_int_equal(few.count, 3);
}

static void dump_speaks_json(void **state)
{
    bench *b = *state;
    capture out = {0};
    assert_int_equal(ll_dump(b->report, "json", NULL, keep, &out), LL_OK);
    cJSON *json = parse(&out);
    cJSON *spans = dig(json, "spans");
    double end = 0;
    cJSON *span;
    cJSON_ArrayForEach(span, spans)
    {
        assert_true(number_at(span, "offset") <= end && number_at(span, "offset") >= end);
        end += number_at(span, "length");
    }
    assert_true(end <= b->file.size && end >= b->file.size);
    assert_string_equal(text_at(json, "format"), "toy");
    assert_string_equal(text_at(spans, "0|type"), "magic");
    assert_string_equal(text_at(spans, "0|value"), "TOY!");
    assert_string_equal(text_at(spans, "2|value"), "0x0000000000001111");
    assert_string_equal(text_at(spans, "3|type"), "f32[3] LE");
    assert_number(spans, "3|value|1", -2);
    assert_string_equal(text_at(spans, "6|value"), "key\\x1b");
    assert_string_equal(text_at(spans, "23|path"), "pair[0].a");
    assert_number(spans, "23|value", -2);
    assert_string_equal(text_at(spans, "31|type"), "gap");
    assert_string_equal(text_at(spans, "32|type"), "unparsed");
    assert_null(dig(spans, "31|value"));
    cJSON_Delete(json);
    drop(&out);
    assert_int_equal(ll_dump(b->report, "xml", NULL, keep, &out), LL_E_ARGUMENT);
    out.refuse_after = 1;
    assert_int_equal(ll_dump(b->report, "text", NULL, keep, &out), LL_E_WRITE);
}

static void dump_has_numbers_that_json_has_not(void **state)
{
    bench *b = *state;
    ll_put_uint(b->file.bytes + 16, 4, 0, 0x7FC00000U); /* NaN */
    ll_put_uint(b->file.bytes + 20, 4, 0, 0xFF800000U); /* -Infinity */
    capture out = {0};
    assert_int_equal(ll_dump(b->report, "json", NULL, keep, &out), LL_OK);
    cJSON *json = parse(&out);
    assert_string_equal(text_at(json, "spans|3|value|0"), "NaN");
    assert_string_equal(text_at(json, "spans|3|value|1"), "-Infinity");
    cJSON_Delete(json);
    drop(&out);
}

static void dump_text_has_a_row_for_each_leaf(void **state)
{
    bench *b = *state;
    capture out = {0};
    assert_int_equal(ll_dump(b->report, "text", NULL, keep, &out), LL_OK);
    assert_contains(
        &out,
        "dir/a b.toy: toy, 128 bytes\n"
        "0x000000       4  54 4f 59 21                 header.magic                          magic         \"TOY!\"\n");
    assert_contains(&out, "0x000010      12  00 00 00 3f 00 00 00 c0 ..  item[0].scale                         f32[3] "
                          "LE     [0.5, -2, 3]\n");
    assert_contains(&out,
                    "0x00007c       4  00 00 00 00                 unparsed                              unparsed\n");
    drop(&out);
}

/* ------------------------------------------------------------------ catalogue */

static void the_catalogue_is_complete(void **state)
{
    (void)state;
    capture out = {0};
    assert_int_equal(ll_print_rules(&rules, false, "json", keep, &out), LL_OK);
    cJSON *json = parse(&out);
    assert_int_equal(cJSON_GetArraySize(dig(json, "rules")), RULES);
    cJSON *rule = dig(json, "rules|4");
    assert_string_equal(text_at(rule, "id"), "TOY005");
    assert_string_equal(text_at(rule, "family"), "toy");
    assert_string_equal(text_at(rule, "severity"), "error");
    assert_string_equal(text_at(rule, "tags|0"), "value");
    assert_string_equal(text_at(rule, "check"), "fault `no-toy`");
    assert_true(cJSON_IsTrue(dig(rule, "locked")));
    cJSON_Delete(json);
    drop(&out);
    assert_int_equal(ll_print_rules(&rules, false, "text", keep, &out), LL_OK);
    assert_contains(&out, "TOY003   note     toy-odd-count  The count is odd.\n");
    assert_contains(&out, "5 rules: 2 errors, 1 warning, 2 notes, 0 off.\n");
    drop(&out);
    assert_int_equal(ll_print_rules(&rules, false, "xml", keep, &out), LL_E_ARGUMENT);
}

static void markdown_has_a_section_for_each_rule(void **state)
{
    (void)state;
    capture out = {0};
    assert_int_equal(ll_print_rules(&rules, false, "markdown", keep, &out), LL_OK);
    for (size_t i = 0; i < RULES; i++) {
        char head[64];
        (void)snprintf(head, sizeof head, "\n### %s %s\n", rule_table[i].id, rule_table[i].name);
        assert_contains(&out, head);
    }
    assert_contains(&out, "| [TOY001](#toy001-bad-key) | bad-key | error | The key is wrong. |\n");
    assert_contains(&out, "- check: `` fault `no-toy` ``\n");
    drop(&out);
}

static void explain_wraps_and_tells_how_to_change(void **state)
{
    (void)state;
    capture out = {0};
    assert_int_equal(ll_explain(&rules, BAD_KEY, "text", false, keep, &out), LL_OK);
    assert_contains(&out, "error[TOY001 bad-key]\n  The key is wrong.\n\nWhy\n  Nothing finds it.\n");
    assert_contains(&out, "--severity TOY001=LEVEL");
    drop(&out);
    assert_int_equal(ll_explain(&rules, LOCKED, "text", true, keep, &out), LL_OK);
    assert_contains(&out, "the rule is locked");
    assert_contains(&out, "\x1b[1;31merror[TOY005 locked]\x1b[0m\n");
    drop(&out);
    assert_int_equal(ll_explain(&rules, RULES, "text", false, keep, &out), LL_E_ARGUMENT);
}

#define REPORT_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        REPORT_TEST(limits_count_what_they_drop),
        REPORT_TEST(a_new_file_starts_from_nothing),
        REPORT_TEST(a_place_outside_the_file_is_a_defect),
        REPORT_TEST(findings_are_sorted_and_told_once),
        REPORT_TEST(many_findings_are_sorted),
        REPORT_TEST(rules_give_way_on_the_same_bytes),
        REPORT_TEST(rules_give_way_on_another_part_of_the_field),
        REPORT_TEST(rules_give_way_to_what_covers_them),
        REPORT_TEST(rules_do_not_give_way_to_neighbours),
        REPORT_TEST(missing_bytes_give_way_at_their_place),
        REPORT_TEST(a_ladder_gives_way_step_by_step),
        REPORT_TEST(a_finding_says_it_all),
        REPORT_TEST(texts_of_two_findings_live_side_by_side),
        REPORT_TEST(places_without_a_field_have_words_too),
        REPORT_TEST(fingerprints_follow_the_record),
        REPORT_TEST(fingerprints_tell_equal_records_apart),
        REPORT_TEST(fingerprints_are_unique_where_paths_are_not),
        REPORT_TEST(values_and_words_leave_fingerprints_alone),
        REPORT_TEST(full_shows_bytes_and_words),
        REPORT_TEST(all_unfolds),
        REPORT_TEST(long_stretches_are_elided),
        REPORT_TEST(related_bytes_are_marked_on_the_same_rows),
        REPORT_TEST(colours_only_when_asked_for),
        REPORT_TEST(concise_is_one_line_each),
        REPORT_TEST(quiet_and_loud),
        REPORT_TEST(the_verdict_owns_up),
        REPORT_TEST(no_report_keeps_all_there_may_be),
        REPORT_TEST(jsonl_is_one_object_a_line),
        REPORT_TEST(the_summary_is_the_last_line),
        REPORT_TEST(json_is_one_document),
        REPORT_TEST(json_of_no_file_is_a_document_too),
        REPORT_TEST(json_takes_any_name),
        REPORT_TEST(numbers_beyond_doubles_are_strings),
        REPORT_TEST(sarif_messages_follow_their_templates),
        REPORT_TEST(sarif_keeps_to_bytes),
        REPORT_TEST(github_gets_lines_and_groups),
        REPORT_TEST(github_takes_the_severest),
        REPORT_TEST(uris_are_normal),
        REPORT_TEST(sarif_states_changed_severities),
        REPORT_TEST(a_file_that_was_not_read_has_a_place),
        REPORT_TEST(marks_do_not_count),
        REPORT_TEST(only_sarif_shows_marked_findings),
        REPORT_TEST(summaries_name_what_is_marked),
        REPORT_TEST(sarif_says_who_knows_of_a_finding),
        REPORT_TEST(github_leaves_marked_findings_out),
        REPORT_TEST(limits_pass_over_marked_findings),
        REPORT_TEST(limits_keep_the_same_findings_afterwards),
        REPORT_TEST(rules_of_one_id_are_one_rule),
        REPORT_TEST(a_file_may_have_a_fail_level_of_its_own),
        REPORT_TEST(remarks_are_findings_in_a_text),
        REPORT_TEST(positions_are_those_of_lines_and_columns),
        REPORT_TEST(long_lines_are_cut_around_the_finding),
        REPORT_TEST(remarks_keep_to_their_file_and_rules),
        REPORT_TEST(fingerprints_are_made_from_the_identity),
        REPORT_TEST(formats_are_known_by_name),
        REPORT_TEST(chunks_appear_in_the_order_of_commits),
        REPORT_TEST(a_refused_write_sticks),
        REPORT_TEST(short_memory_is_said_and_leaks_nothing),
        REPORT_TEST(short_memory_of_remarks_is_said),
        REPORT_TEST(failing_trees_are_said),
        REPORT_TEST(a_failed_render_leaves_the_chunk_whole),
        REPORT_TEST(spans_tile_the_file),
        REPORT_TEST(dump_speaks_json),
        REPORT_TEST(dump_has_numbers_that_json_has_not),
        REPORT_TEST(dump_text_has_a_row_for_each_leaf),
        REPORT_TEST(the_catalogue_is_complete),
        REPORT_TEST(markdown_has_a_section_for_each_rule),
        REPORT_TEST(explain_wraps_and_tells_how_to_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
