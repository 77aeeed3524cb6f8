/* bind and engine: how rules are compiled, and what they report. The rules are defined here; records are those of
 * the grx family, in documents whose spans are claimed by hand. */
#include "unit.h"

#include "formats/grx/grx.h"
#include "rules/engine.h"

#include <limits.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ rules */

#define WORDS(...)                                                                                                     \
    {                                                                                                                  \
        (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)          \
    }
#define NO_WORDS                                                                                                       \
    {                                                                                                                  \
        NULL, 0                                                                                                        \
    }
#define RULE(name_, ...)                                                                                               \
    {                                                                                                                  \
        .id = name_, .name = name_, .family = "grx", .severity = LL_WARNING, .origin = "test", __VA_ARGS__             \
    }
#define FAULT(name_, family_, ...)                                                                                     \
    {                                                                                                                  \
        .id = name_, .name = name_, .family = family_, .severity = LL_ERROR, .origin = "test", __VA_ARGS__             \
    }

/* Sets missing texts of a rule to "", as pack.h promises. */
static ll_rule filled(const ll_rule *rule)
{
    ll_rule r = *rule;
    const char **texts[] = {&r.test.check, &r.when.check, &r.when_field, &r.fault, &r.title,
                            &r.why,        &r.evidence,   &r.fix,        &r.found, &r.expected,
                            &r.related,    &r.target,     &r.check_text};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        *texts[i] = *texts[i] ? *texts[i] : "";
    }
    return r;
}

enum { RULES_MAX = 16 };

/* A rule set with only these rules. */
typedef struct set {
    ll_ruleset rules;
    ll_rule filled[RULES_MAX];
    ll_active_rule active[RULES_MAX];
} set;

static ll_status bind_set(set *s, const ll_rule *rules, size_t count, const ll_allocator *allocator,
                          ll_problem *problem)
{
    *s = (set){0};
    for (size_t i = 0; i < count; i++) {
        s->filled[i] = filled(&rules[i]);
        s->active[i] = (ll_active_rule){.own = &s->filled[i], .severity = rules[i].severity};
    }
    s->rules.rules = s->active;
    s->rules.count = count;
    ll_arena_init(&s->rules.arena, allocator, SIZE_MAX);
    return ll_ruleset_bind(&s->rules, problem);
}

static void free_set(set *s)
{
    ll_ruleset_unbind(&s->rules);
    ll_arena_free(&s->rules.arena);
}

static const ll_format_program *program_of(const set *s, const ll_format *format)
{
    const ll_format_program *program = NULL;
    assert_int_equal(ll_ruleset_program(&s->rules, format, LL_PROGRAM_ALL, &program), LL_OK);
    assert_non_null(program);
    return program;
}

static void must_bind(set *s, const ll_rule *rules, size_t count)
{
    ll_problem problem = {0};
    if (bind_set(s, rules, count, NULL, &problem) != LL_OK) {
        fail_msg("line %u: %s", problem.line, problem.text);
    }
}

/* ------------------------------------------------------------------ documents and findings */

enum { SIZE = 0x400, HITS_MAX = 32 };

typedef struct said {
    uint32_t rule;
    ll_where at, related;
    char found[160], expected[160], hint[80], related_text[80];
    unsigned tier;
    uint32_t patch_offset, patch_removed, patch_size;
    uint8_t patch[16];
} said;

typedef struct bench {
    uint8_t bytes[SIZE];
    ll_doc doc;
    ll_text text;
    said hits[HITS_MAX];
    size_t hit_count, admitted;
    bool refuses; /* admit() returns false */
    ll_status take_status;
} bench;

static bool admit(void *ctx, uint32_t rule)
{
    bench *b = ctx;
    (void)rule;
    b->admitted++;
    return !b->refuses;
}

static void copy(char *to, size_t size, const char *from)
{
    size_t n = strlen(from);
    assert_true(n < size);
    memcpy(to, from, n + 1);
}

static ll_status take(void *ctx, const ll_hit *hit)
{
    bench *b = ctx;
    assert_true(b->hit_count < HITS_MAX);
    said *s = &b->hits[b->hit_count++];
    *s = (said){.rule = hit->rule,
                .at = hit->at,
                .related = hit->related,
                .tier = hit->patch.tier,
                .patch_offset = hit->patch.offset,
                .patch_removed = hit->patch.removed,
                .patch_size = hit->patch.size};
    copy(s->found, sizeof s->found, hit->found);
    copy(s->expected, sizeof s->expected, hit->expected);
    copy(s->hint, sizeof s->hint, hit->hint);
    copy(s->related_text, sizeof s->related_text, hit->related_text);
    if (hit->patch.size) {
        memcpy(s->patch, hit->patch.bytes, hit->patch.size);
    }
    return b->take_status;
}

static int set_up(void **state)
{
    bench *b = test_calloc(1, sizeof *b);
    ll_doc_init(&b->doc, NULL);
    ll_doc_open(&b->doc, b->bytes, SIZE, "test.grxla");
    ll_doc_set_format(&b->doc, &grx_format);
    ll_text_init(&b->text, NULL);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    ll_text_free(&b->text);
    ll_doc_free(&b->doc);
    test_free(b);
    return 0;
}

static ll_status run(bench *b, const set *s)
{
    ll_sink sink = {.ctx = b, .admit = admit, .take = take};
    b->hit_count = b->admitted = 0;
    return ll_engine_run(&s->rules, &b->doc, &b->text, &sink);
}

static void must_run(bench *b, const set *s, size_t hits)
{
    assert_int_equal(run(b, s), LL_OK);
    assert_int_equal(b->hit_count, hits);
}

static uint32_t claim(bench *b, unsigned layout, uint32_t offset, uint32_t length, uint32_t count)
{
    uint32_t span = ll_claim(&b->doc, (ll_span){.offset = offset,
                                                .length = length,
                                                .parent = LL_NO_SPAN,
                                                .index = LL_NO_INDEX,
                                                .count = count,
                                                .layout = (uint16_t)layout});
    assert_int_equal(b->doc.status, LL_OK);
    return span;
}

static void put(bench *b, size_t at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++) {
        b->bytes[at + i] = (uint8_t)(value >> 8 * i);
    }
}

static void assert_place(const ll_where *at, uint32_t span, uint32_t element, unsigned field, unsigned part,
                         uint32_t offset, uint32_t length)
{
    assert_int_equal(at->span, span);
    assert_int_equal(at->element, element);
    assert_int_equal(at->field, field);
    assert_int_equal(at->part, part);
    assert_int_equal(at->offset, offset);
    assert_int_equal(at->length, length);
}

/* ------------------------------------------------------------------ tests on records */

static void test_a_predicate_speaks(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {RULE("a", .on = WORDS("grx.header"), .fields = WORDS("reserved"),
                                  .test = {"equals", WORDS("0")}, .patch = LL_PATCH_SAFE),
                             RULE("b", .on = WORDS("grx.header"), .fields = WORDS("version"),
                                  .test = {"range", WORDS("<= 1")}, .patch = LL_PATCH_SAFE)};
    set s;
    must_bind(&s, rules, 2);
    uint32_t header = claim(b, grx_header_LAYOUT, 0x20, 16, 1);
    must_run(b, &s, 0);
    assert_int_equal(b->admitted, 0);
    put(b, 0x24, 4, 0x0107);
    put(b, 0x2C, 4, 2);
    must_run(b, &s, 2);
    const said *first = &b->hits[0];
    assert_int_equal(first->rule, 0);
    assert_place(&first->at, header, 0, grx_header_reserved, LL_NO_PART, 0x24, 4);
    assert_place(&first->related, LL_NO_SPAN, 0, LL_NO_FIELD, LL_NO_PART, 0, 0);
    assert_string_equal(first->found, "263");
    assert_string_equal(first->expected, "0");
    assert_string_equal(first->hint, "");
    assert_string_equal(first->related_text, "");
    assert_int_equal(first->tier, LL_PATCH_SAFE);
    assert_int_equal(first->patch_offset, 0x24);
    assert_int_equal(first->patch_removed, 4);
    assert_int_equal(first->patch_size, 4);
    assert_memory_equal(first->patch, "\0\0\0\0", 4);
    assert_int_equal(b->hits[1].rule, 1);
    assert_string_equal(b->hits[1].expected, "at most 1");
    assert_int_equal(b->hits[1].tier, LL_PATCH_NONE); /* the right value is unknown */
    free_set(&s);
}

static void test_no_patch_unless_the_rule_offers_it(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.header"), .fields = WORDS("reserved"), .test = {"equals", WORDS("0")})};
    set s;
    must_bind(&s, rules, 1);
    (void)claim(b, grx_header_LAYOUT, 0, 16, 1);
    put(b, 4, 4, 1);
    must_run(b, &s, 1);
    assert_int_equal(b->hits[0].tier, LL_PATCH_NONE);
    assert_int_equal(b->hits[0].patch_size, 0);
    free_set(&s);
}

static void test_elements_of_an_array(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.vertex"), .fields = WORDS("position"), .test = {"finite", NO_WORDS}),
        RULE("b", .on = WORDS("grx.vertex"), .fields = WORDS("w"), .test = {"equals", WORDS("1")})};
    set s;
    must_bind(&s, rules, 2);
    uint32_t vertices = claim(b, grx_vertex_LAYOUT, 0x40, 0x50, 5);
    for (unsigned i = 0; i < 5; i++) {
        put(b, 0x4C + 16 * i, 4, 0x3F800000U);
    }
    must_run(b, &s, 0);
    put(b, 0x40 + 3 * 16 + 4, 4, 0x7FC00000U);
    put(b, 0x40 + 3 * 16 + 8, 4, 0x7F800000U); /* only one finding per vector */
    put(b, 0x4C + 4 * 16, 4, 0);
    must_run(b, &s, 2);
    assert_place(&b->hits[0].at, vertices, 3, grx_vertex_position, 1, 0x40 + 3 * 16 + 4, 4);
    assert_string_equal(b->hits[0].found, "NaN");
    assert_place(&b->hits[1].at, vertices, 4, grx_vertex_w, LL_NO_PART, 0x4C + 4 * 16, 4);
    free_set(&s);
}

/* Records at the end of the file are checked without filters, because filters read eight bytes at a time. */
static void test_the_last_bytes_of_a_file(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.face"), .fields = WORDS("vertex_count"), .test = {"range", WORDS(">= 3", "<= 7")}),
        RULE("b", .on = WORDS("grx.face"), .fields = WORDS("flags"), .test = {"not_equals", WORDS("9")})};
    set s;
    must_bind(&s, rules, 2);
    uint8_t *exact = malloc(16);
    assert_non_null(exact);
    memset(exact, 0, 16);
    exact[6] = exact[14] = 4;
    ll_doc_open(&b->doc, exact, 16, "x");
    ll_doc_set_format(&b->doc, &grx_format);
    uint32_t faces = claim(b, grx_face_LAYOUT, 0, 16, 2);
    must_run(b, &s, 0);
    exact[6] = 2;
    exact[14] = 8;
    must_run(b, &s, 2);
    assert_place(&b->hits[0].at, faces, 0, grx_face_vertex_count, LL_NO_PART, 6, 2);
    assert_place(&b->hits[1].at, faces, 1, grx_face_vertex_count, LL_NO_PART, 14, 2);
    exact[6] = exact[14] = 3;
    exact[8] = 9;
    must_run(b, &s, 1);
    assert_int_equal(b->hits[0].rule, 1);
    free_set(&s);
    free(exact);
}

/* Several tests of one vector: each gives one finding, however many elements fail. */
static void test_tests_of_one_field_speak_once_each(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.light_area"), .fields = WORDS("scale"), .test = {"range", WORDS("> 0")}),
        RULE("b", .on = WORDS("grx.light_area"), .fields = WORDS("scale"), .test = {"finite", NO_WORDS}),
        RULE("c", .on = WORDS("grx.light_area"), .fields = WORDS("scale"), .test = {"range", WORDS("<= 100")}),
        RULE("d", .on = WORDS("grx.light_area"), .fields = WORDS("scale"), .test = {"normal", NO_WORDS}),
    };
    set s;
    must_bind(&s, rules, 4);
    (void)claim(b, grx_light_area_LAYOUT, 0, 0x28, 1);
    put(b, 0, 4, 0x3F800000U);
    put(b, 4, 4, 0xBF800000U); /* -1 */
    put(b, 8, 4, 0x43480000U); /* 200 */
    must_run(b, &s, 2);
    assert_int_equal(b->hits[0].rule, 0);
    assert_int_equal(b->hits[0].at.part, 1);
    assert_int_equal(b->hits[1].rule, 2);
    assert_int_equal(b->hits[1].at.part, 2);
    put(b, 8, 4, 0x7F800000U);
    must_run(b, &s, 2);
    assert_int_equal(b->hits[1].rule, 1);
    free_set(&s);
}

static void test_broken_spans_are_left_alone(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.header"), .fields = WORDS("version"), .test = {"equals", WORDS("1")}),
        RULE("b", .on = WORDS("grx.point_light"), .fields = WORDS("irradiation_offset"),
             .test = {"leads_inside", NO_WORDS}),
    };
    set s;
    must_bind(&s, rules, 2);
    uint32_t header = claim(b, grx_header_LAYOUT, 0, 16, 1);
    uint32_t light = claim(b, grx_point_light_LAYOUT, 0x40, 0x60, 1);
    put(b, 0x40 + grx_point_light_at_irradiation_offset, 4, 44);
    must_run(b, &s, 2);
    ll_mark_span(&b->doc, header, LL_SPAN_BROKEN);
    ll_mark_span(&b->doc, light, LL_SPAN_BROKEN);
    must_run(b, &s, 0);
    free_set(&s);
}

static void test_guards(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.face"), .fields = WORDS("mode"), .test = {"equals", WORDS("0")},
             .when_field = "vertex_count", .when = {"range", WORDS(">= 4")}, .patch = LL_PATCH_UNSAFE),
    };
    set s;
    must_bind(&s, rules, 1);
    uint32_t faces = claim(b, grx_face_LAYOUT, 0, 24, 3);
    for (unsigned i = 0; i < 3; i++) {
        put(b, 8 * i + 2, 2, 5);
    }
    must_run(b, &s, 0);
    put(b, 8 + 6, 2, 4); /* guards test their own element */
    must_run(b, &s, 1);
    assert_place(&b->hits[0].at, faces, 1, grx_face_mode, LL_NO_PART, 10, 2);
    assert_int_equal(b->hits[0].tier, LL_PATCH_UNSAFE);
    free_set(&s);
}

static void test_strings(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.name"), .fields = WORDS("text"), .test = {"regex", WORDS("^[a-z]+$")}),
        RULE("b", .on = WORDS("grx.name"), .fields = WORDS("padding"), .test = {"all_zero", NO_WORDS},
             .patch = LL_PATCH_SAFE),
        RULE("c", .on = WORDS("grx.name"), .fields = WORDS("terminator"), .test = {"never", NO_WORDS}),
    };
    set s;
    must_bind(&s, rules, 3);
    assert_int_equal(program_of(&s, &grx_format)->patterns.count, 1);
    memcpy(b->bytes, "abc\0\0\0\0\0", 8);
    uint32_t name = claim(b, grx_name_LAYOUT, 0, 8, 3);
    must_run(b, &s, 1);
    assert_place(&b->hits[0].at, name, 0, LL_STRING_TERMINATOR, LL_NO_PART, 3, 1);
    memcpy(b->bytes, "a1c\0\0\0x\0", 8);
    must_run(b, &s, 3);
    assert_place(&b->hits[0].at, name, 0, LL_STRING_TEXT, LL_NO_PART, 0, 3);
    assert_string_equal(b->hits[0].found, "\"a1c\"");
    assert_string_equal(b->hits[0].expected, "text that matches ^[a-z]+$");
    assert_place(&b->hits[1].at, name, 0, LL_STRING_PADDING, LL_NO_PART, 6, 1);
    assert_string_equal(b->hits[1].found, "78");
    assert_int_equal(b->hits[1].patch_size, 1);
    free_set(&s);
}

static void test_absent_parts_of_strings_are_not_judged(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.name"), .fields = WORDS("terminator", "padding"), .test = {"never", NO_WORDS}),
        RULE("b", .on = WORDS("grx.name"), .fields = WORDS("text"), .test = {"regex", WORDS("x")}),
    };
    set s;
    must_bind(&s, rules, 2);
    (void)claim(b, grx_name_LAYOUT, 0, 0, 0);
    must_run(b, &s, 1); /* an empty text is a text */
    assert_int_equal(b->hits[0].rule, 1);
    free_set(&s);
}

static void test_templates(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {RULE("a", .on = WORDS("grx.header"), .fields = WORDS("magic"),
                                  .test = {"equals", WORDS("FGxL")}, .found = "magic {value} {{0}} {{{value}}}",
                                  .expected = "{{{{ }} {value}? {{x}}")};
    set s;
    must_bind(&s, rules, 1);
    (void)claim(b, grx_header_LAYOUT, 0, 16, 1);
    memcpy(b->bytes, "FG\n\\", 4);
    must_run(b, &s, 1);
    assert_string_equal(b->hits[0].found, "magic \"FG\\x0a\\\\\" {0} {\"FG\\x0a\\\\\"}");
    assert_string_equal(b->hits[0].expected, "{{ } \"FG\\x0a\\\\\"? {x}");
    free_set(&s);
}

/* ------------------------------------------------------------------ faults and checks */

static void test_faults_in_the_rules_words(void **state)
{
    bench *b = *state;
    static const uint8_t right[] = {0x18, 0, 0, 0};
    const ll_rule rules[] = {
        FAULT("a", "grx", .fault = "grx.entry-size-min", .found = "size {0:x} at {1:+x}, tag {2}",
              .expected = "{0}, {3:h} {value}", .related = "the header",
              .hints = WORDS("name-edited-hash-kept", "no", "non-ascii-name", "Readers loop.")),
    };
    set s;
    must_bind(&s, rules, 1);
    uint32_t entry = claim(b, grx_dataset_LAYOUT, 0x10, 0x18, 1);
    memcpy(b->bytes + 0x10, "CM00", 4);
    put(b, 0x14, 4, 31);
    ll_fault fault = {.code = GRX_FAULT_ENTRY_SIZE_MIN,
                      .hint = GRX_HINT_NON_ASCII,
                      .at = ll_at_field(&b->doc, entry, 0, grx_dataset_entry_size),
                      .related = ll_at_bytes(LL_NO_SPAN, 0, 16),
                      .arg = {ll_uint(31), ll_uint(0x10), ll_chars(0x10, 4), ll_uint(255)},
                      .patch = {LL_PATCH_UNSAFE, 0x14, 4, 4, 0, right, false, NULL}};
    ll_raise(&b->doc, &fault);
    fault.hint = 0;
    fault.related = ll_at_bytes(LL_NO_SPAN, 0, 0);
    fault.patch.tier = LL_PATCH_NONE;
    ll_raise(&b->doc, &fault);
    fault.hint = GRX_HINT_CLASS_LOST; /* the rule has no words for this hint */
    ll_raise(&b->doc, &fault);
    must_run(b, &s, 3);
    assert_string_equal(b->hits[0].found, "size 0x1f at +0x10, tag \"CM00\"");
    assert_string_equal(b->hits[0].expected, "31, 00000000000000ff 31");
    assert_string_equal(b->hits[0].hint, "Readers loop.");
    assert_string_equal(b->hits[0].related_text, "the header");
    assert_int_equal(b->hits[0].related.length, 16);
    assert_int_equal(b->hits[0].tier, LL_PATCH_UNSAFE);
    assert_memory_equal(b->hits[0].patch, right, 4);
    assert_string_equal(b->hits[1].hint, "");
    assert_string_equal(b->hits[1].related_text, "");
    assert_int_equal(b->hits[1].tier, LL_PATCH_NONE);
    assert_string_equal(b->hits[2].hint, "");
    free_set(&s);
}

static void test_faults_without_a_rule_are_silent(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        FAULT("a", "grx", .fault = "grx.grx-header-gap", .found = "", .expected = ""),
        FAULT("b", "core", .fault = "core.empty", .found = "0 bytes", .expected = "more"),
        FAULT("c", "ledger", .fault = "ledger.gap", .found = "{0} bytes", .expected = ""),
        FAULT("d", "grx", .fault = "grx.grx-too-short", .found = "", .expected = ""),
    };
    set s;
    ll_rule off[4];
    memcpy(off, rules, sizeof off);
    off[3].severity = LL_SEVERITY_OFF;
    must_bind(&s, off, 4);
    static const uint16_t codes[] = {GRX_FAULT_TOO_SHORT, GRX_FAULT_HEADER_GAP, GRX_FAULT_UNREFERENCED,
                                     LL_FAULT_EMPTY,      LL_FAULT_GAP,         LL_FAULT_OVERLAP};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        ll_fault fault = {.code = codes[i],
                          .at = ll_at_bytes(LL_NO_SPAN, 0, 0),
                          .related = ll_at_bytes(LL_NO_SPAN, 0, 0),
                          .arg = {ll_uint(3)}};
        ll_raise(&b->doc, &fault);
    }
    must_run(b, &s, 3);
    assert_int_equal(b->hits[0].rule, 0);
    assert_string_equal(b->hits[0].found, ""); /* neither words nor a field */
    assert_int_equal(b->hits[1].rule, 1);
    assert_int_equal(b->hits[2].rule, 2);
    assert_string_equal(b->hits[2].found, "3 bytes");
    ll_doc_set_format(&b->doc, NULL);
    must_run(b, &s, 2);
    assert_int_equal(b->hits[0].rule, 1);
    free_set(&s);
}

/* A reader that leaves bytes unread and raises no fault. */
static void test_bytes_that_nothing_explains(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {FAULT("u", "core", .fault = "core.unexplained", .found = "{0}", .expected = "")};
    set s;
    must_bind(&s, rules, 1);
    must_run(b, &s, 0);
    (void)ll_claim_unparsed(&b->doc, LL_NO_SPAN, SIZE - 8, SIZE);
    must_run(b, &s, 1);
    assert_int_equal(b->hits[0].at.offset, SIZE - 8);
    assert_int_equal(b->hits[0].at.length, 8);
    assert_string_equal(b->hits[0].found, "bytes that were not read");
    free_set(&s);
}

static void test_the_order_of_findings(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        RULE("a", .test = {"grx.array_empty", NO_WORDS}, .found = "none", .expected = "some"),
        RULE("b", .on = WORDS("grx.point_light"), .fields = WORDS("irradiation_offset"),
             .test = {"leads_inside", NO_WORDS}, .expected = "both"),
        RULE("c", .on = WORDS("grx.point_light"), .fields = WORDS("outer_range"),
             .test = {"ordered", WORDS("inner_range")}),
        RULE("d", .on = WORDS("grx.point_light"), .fields = WORDS("lumen"), .test = {"range", WORDS("> 0")}),
        FAULT("e", "grx", .fault = "grx.trailing-data", .found = "", .expected = ""),
        RULE("f", .on = WORDS("grx.terminator"), .fields = WORDS("entry_size"), .test = {"equals", WORDS("8")}),
        RULE("g", .on = WORDS("grx.point_light"), .fields = WORDS("entry_size"), .test = {"never", NO_WORDS}),
    };
    set s;
    must_bind(&s, rules, 7);
    uint32_t light = claim(b, grx_point_light_LAYOUT, 0x40, 0x60, 1);
    uint32_t terminator = claim(b, grx_terminator_LAYOUT, 0xA0, 8, 1);
    put(b, 0x40 + grx_point_light_at_irradiation_offset, 4, 44);
    put(b, 0x40 + grx_point_light_at_outer_range, 2, 0x3C00);
    ll_raise(&b->doc, &(ll_fault){.code = GRX_FAULT_TRAILING_DATA,
                                  .at = ll_at_bytes(LL_NO_SPAN, 0, 0),
                                  .related = ll_at_bytes(LL_NO_SPAN, 0, 0)});
    grx_summary summary = {.terminator = terminator,
                           .kinds[GRX_CM00] = {1, light, light}}; /* as grx_index() would have made it */
    b->doc.memo = &(ll_memo){&b->doc, &summary};
    must_run(b, &s, 7);
    static const uint32_t order[] = {4, 2, 3, 6, 1, 5, 0}; /* faults; per span tests, then checks; whole file */
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        assert_int_equal(b->hits[i].rule, order[i]);
    }
    assert_place(&b->hits[4].at, light, 0, grx_point_light_irradiation_offset, LL_NO_PART, 0x40 + 0x5C, 4);
    assert_string_equal(b->hits[4].found, "44"); /* without words: the value */
    assert_string_equal(b->hits[4].expected, "both");
    free_set(&s);
}

static void test_checks_of_the_whole_file(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {RULE("a", .test = {"grx.array_empty", NO_WORDS}, .found = "none", .expected = "some")};
    set s;
    must_bind(&s, rules, 1);
    must_run(b, &s, 0); /* a document without spans */
    uint32_t dataset = claim(b, grx_dataset_LAYOUT, 0x10, 0x18, 1);
    uint32_t terminator = claim(b, grx_terminator_LAYOUT, 0x28, 8, 1);
    grx_summary summary = {.terminator = terminator,
                           .kinds = {[GRX_CM00] = {1, dataset, dataset}, [GRX_PL03] = {1, dataset, dataset}}};
    b->doc.memo = &(ll_memo){&b->doc, &summary};
    must_run(b, &s, 0);
    summary.kinds[GRX_PL03].count = 0;
    must_run(b, &s, 1);
    assert_string_equal(b->hits[0].found, "none");
    assert_int_equal(b->hits[0].at.offset, 0x28);
    free_set(&s);
}

static void test_what_is_not_admitted_is_not_composed(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.header"), .fields = WORDS("version"), .test = {"equals", WORDS("1")}),
        FAULT("b", "core", .fault = "core.empty", .found = "", .expected = "")};
    set s;
    must_bind(&s, rules, 2);
    (void)claim(b, grx_header_LAYOUT, 0, 16, 1);
    ll_raise(&b->doc, &(ll_fault){.code = LL_FAULT_EMPTY,
                                  .at = ll_at_bytes(LL_NO_SPAN, 0, 0),
                                  .related = ll_at_bytes(LL_NO_SPAN, 0, 0)});
    b->refuses = true;
    must_run(b, &s, 0);
    assert_int_equal(b->admitted, 2);
    assert_null(b->text.data);
    b->refuses = false;
    b->take_status = LL_E_WRITE;
    assert_int_equal(run(b, &s), LL_E_WRITE);
    assert_int_equal(b->hit_count, 1);
    free_set(&s);
}

static void *no_memory(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return NULL;
}

static void no_release(void *ctx, void *block)
{
    (void)ctx;
    (void)block;
}

static void test_words_without_memory(void **state)
{
    bench *b = *state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.header"), .fields = WORDS("version"), .test = {"equals", WORDS("1")})};
    const ll_allocator nothing = {no_memory, no_release, NULL};
    set s;
    must_bind(&s, rules, 1);
    (void)claim(b, grx_header_LAYOUT, 0, 16, 1);
    ll_text_free(&b->text);
    ll_text_init(&b->text, &nothing);
    assert_int_equal(run(b, &s), LL_E_MEMORY);
    assert_int_equal(b->hit_count, 0);
    free_set(&s);
}

/* ------------------------------------------------------------------ binding */

static size_t count_float_fields(const ll_layout *layout)
{
    size_t count = 0;
    for (unsigned f = 0; f < layout->field_count; f++) {
        count += ll_type_is_float(layout->fields[f].type);
    }
    return count;
}

static void test_globs_and_every_field(void **state)
{
    (void)state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.*"), .fields = WORDS("*"), .except = WORDS("rotation"),
             .test = {"finite", NO_WORDS}),
        RULE("b", .on = WORDS("*_light", "grx.probe"), .fields = WORDS("entry_size", "lumen"),
             .test = {"never", NO_WORDS}),
        RULE("c", .on = WORDS("grx.*"), .fields = WORDS("name_offset"), .test = {"not_equals", WORDS("0")},
             .when_field = "light_flags", .when = {"mask_set", WORDS("1")}),
    };
    set s;
    must_bind(&s, rules, 3);
    const ll_format_program *f = program_of(&s, &grx_format);
    assert_ptr_equal(f->format, &grx_format);
    for (unsigned i = LL_LAYOUT_BUILTINS; i < grx_format.layout_count; i++) {
        const ll_layout *layout = &grx_format.layouts[i];
        size_t count[3] = {0};
        for (uint32_t t = 0; t < f->layouts[i].test_count; t++) {
            count[f->layouts[i].tests[t].rule]++;
        }
        size_t rotations = layout->kind == LL_KIND_RECORD && ll_layout_find(layout, "rotation") != LL_NO_FIELD;
        bool light = strstr(layout->name, "_light") != NULL;
        assert_int_equal(count[0], count_float_fields(layout) - rotations);
        assert_int_equal(count[1], light ? 2 : strcmp(layout->name, "grx.probe") == 0);
        assert_int_equal(count[2], light); /* only records that have the guard's field */
    }
    free_set(&s);
}

static void test_programs_are_in_order(void **state)
{
    (void)state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.vertex"), .fields = WORDS("position"), .test = {"unit_norm", WORDS("1")}),
        RULE("b", .on = WORDS("grx.vertex"), .fields = WORDS("w"), .test = {"equals", WORDS("1")}),
        RULE("c", .on = WORDS("grx.vertex"), .fields = WORDS("position"), .test = {"finite", NO_WORDS}),
        RULE("d", .on = WORDS("grx.vertex"), .fields = WORDS("w"), .test = {"never", NO_WORDS}),
        RULE("e", .on = WORDS("grx.vertex"), .fields = WORDS("w"), .test = {"finite", NO_WORDS}),
    };
    set s;
    must_bind(&s, rules, 5);
    const ll_program *p = &program_of(&s, &grx_format)->layouts[grx_vertex_LAYOUT];
    assert_int_equal(p->test_count, 5);
    assert_int_equal(p->screened_count, 0); /* packc has not compiled screens for them */
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(p->tests[i].rule, i);
    }
    free_set(&s);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    const struct {
        ll_rule rule;
        const char *words;
    } rows[] = {
        {RULE("a", .on = WORDS("grx.haeder"), .fields = WORDS("x"), .test = {"never", NO_WORDS}, .line = 7),
         "unknown record 'grx.haeder'; did you mean 'grx.header'?"},
        {RULE("a", .on = WORDS("grx.header", "grx.x*"), .fields = WORDS("x"), .test = {"never", NO_WORDS}),
         "no record matches 'grx.x*'"},
        {RULE("a", .on = WORDS("grx.point_light", "grx.probe"), .fields = WORDS("name_hash"),
              .test = {"unique", WORDS("file")}, .when_field = "tag", .when = {"equals", WORDS("PL03")}),
         "'when' needs a single record in 'on', because check 'unique' compares beyond a span"},
        {RULE("a", .on = WORDS("grx.header"), .fields = WORDS("versoin"), .test = {"never", NO_WORDS}),
         "unknown field 'versoin'; did you mean 'version'?"},
        {RULE("a", .on = WORDS("grx.header", "grx.probe"), .fields = WORDS("version", "priorty"),
              .test = {"never", NO_WORDS}),
         "unknown field 'priorty'; did you mean 'priority'?"},
        {RULE("a", .on = WORDS("grx.header"), .fields = WORDS("*"), .except = WORDS("magik"),
              .test = {"all_zero", NO_WORDS}),
         "unknown field 'magik'; did you mean 'magic'?"},
        {RULE("a", .on = WORDS("grx.header"), .fields = WORDS("*"), .test = {"finite", NO_WORDS}),
         "there is no field that check 'finite' can judge"},
        {RULE("a", .on = WORDS("grx.opaque_body"), .fields = WORDS("body"), .test = {"never", NO_WORDS}),
         "unknown field 'body'"},
        {RULE("a", .on = WORDS("grx.header"), .fields = WORDS("version"), .test = {"nver", NO_WORDS}),
         "unknown check 'nver'; did you mean 'never'?"},
        {RULE("a", .on = WORDS("grx.header"), .fields = WORDS("version"), .test = {"equals", WORDS("-1")}),
         "'-1' does not fit the type u32"},
        {RULE("a", .on = WORDS("grx.header"), .fields = WORDS("version"), .test = {"never", NO_WORDS},
              .when_field = "tag", .when = {"equals", WORDS("x")}),
         "unknown field 'tag'"},
        {RULE("a", .on = WORDS("grx.header"), .fields = WORDS("version"), .test = {"never", NO_WORDS},
              .when_field = "magic", .when = {"equals", WORDS("x")}),
         "'x' must be 4 characters long, the size of the field"},
        {RULE("a", .on = WORDS("grx.name"), .fields = WORDS("text"), .test = {"regex", WORDS("x")},
              .when_field = "text", .when = {"regex", WORDS("(")}),
         "pattern '(' is refused at offset 1: missing closing parenthesis"},
        {RULE("a", .on = WORDS("grx.header"), .fields = WORDS("version"), .test = {"never", NO_WORDS},
              .found = "{{0}} is {0}"),
         "'{{0}} is {0}' has an argument, but the predicate provides none"},
        {RULE("a", .on = WORDS("grx.probe"), .test = {"grx.nam_hash", NO_WORDS}),
         "unknown check 'grx.nam_hash'; did you mean 'grx.name_hash'?"},
        {RULE("a", .test = {"grx.name_hash", NO_WORDS}), "check 'grx.name_hash' needs records in 'on'"},
        {RULE("a", .on = WORDS("grx.probe"), .test = {"grx.array_empty", NO_WORDS}),
         "check 'grx.array_empty' judges the whole file and cannot have 'on'"},
        {FAULT("a", "grx", .fault = "grx.gxr-header-gap"),
         "unknown fault 'grx.gxr-header-gap'; did you mean 'grx.grx-header-gap'?"},
        {FAULT("a", "core", .fault = "core.gap"), "unknown fault 'core.gap'"},
        {FAULT("a", "ledger", .fault = "ledger.gapp"), "unknown fault 'ledger.gapp'; did you mean 'ledger.gap'?"},
        {FAULT("a", "gxr", .fault = "gxr.grx-magic"), "unknown family 'gxr'; did you mean 'grx'?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ll_arena scratch;
        ll_arena_init(&scratch, NULL, SIZE_MAX);
        ll_problem problem = {.line = 99, .column = 9};
        ll_rule rule = filled(&rows[i].rule);
        assert_int_equal(ll_rule_check(&scratch, &rule, false, &problem), LL_E_PACK);
        assert_memory_equal(problem.text, rows[i].words, strlen(rows[i].words));
        assert_int_equal(problem.line, i ? 0 : 7);
        assert_int_equal(problem.column, 0);
        assert_int_equal(ll_rule_check(&scratch, &rule, false, NULL), LL_E_PACK);
        ll_arena_free(&scratch);
        set s;
        assert_int_equal(bind_set(&s, &rows[i].rule, 1, NULL, &problem), LL_E_PACK);
        assert_null(s.rules.formats);
        free_set(&s);
    }
}

static void test_rules_that_are_off_are_not_bound(void **state)
{
    (void)state;
    ll_rule rules[] = {RULE("a", .on = WORDS("grx.nothing"), .fields = WORDS("x"), .test = {"never", NO_WORDS})};
    rules[0].severity = LL_SEVERITY_OFF;
    set s;
    must_bind(&s, rules, 1);
    free_set(&s);
}

static void test_a_fault_has_one_rule(void **state)
{
    (void)state;
    const ll_rule rules[] = {FAULT("a", "grx", .fault = "grx.grx-header-gap"),
                             FAULT("b", "grx", .fault = "grx.grx-header-gap", .line = 12)};
    ll_problem problem = {0};
    set s;
    assert_int_equal(bind_set(&s, rules, 2, NULL, &problem), LL_E_PACK);
    assert_string_equal(problem.text, "fault 'grx.grx-header-gap' already has rule 'a'");
    assert_int_equal(problem.line, 12);
    free_set(&s);
}

static void test_every_shipped_rule_fits(void **state)
{
    (void)state;
    ll_ruleset *rules;
    assert_int_equal(ll_ruleset_create(NULL, &rules), LL_OK);
    for (size_t i = 0; i < ll_shipped_rule_count; i++) {
        ll_arena scratch;
        ll_arena_init(&scratch, NULL, SIZE_MAX);
        ll_problem problem;
        if (ll_rule_check(&scratch, ll_rule_at(rules, i), true, &problem) != LL_OK) {
            fail_msg("%s: %s", ll_rule_at(rules, i)->id, problem.text);
        }
        ll_arena_free(&scratch);
    }
    ll_ruleset_free(rules);
}

static void test_a_rule_on_a_guess_is_a_note(void **state)
{
    (void)state;
    const struct {
        ll_severity severity;
        ll_rule rule;
        const char *words; /* NULL: accepted */
    } rows[] = {
        {LL_WARNING,
         RULE("a", .on = WORDS("grx.occluder"), .fields = WORDS("unknown_00"), .test = {"not_zero", NO_WORDS}),
         "the meaning of field 'unknown_00' of grx.occluder is a guess: a rule on it must be a note"},
        {LL_ERROR, RULE("a", .on = WORDS("grx.*"), .fields = WORDS("*"), .test = {"not_zero", NO_WORDS}),
         "the meaning of field 'related_light_count' of grx.probe is a guess: a rule on it must be a note"},
        {LL_NOTE, RULE("a", .on = WORDS("grx.occluder"), .fields = WORDS("unknown_00"), .test = {"not_zero", NO_WORDS}),
         NULL},
        {LL_ERROR,
         RULE("a", .on = WORDS("grx.point_light"), .fields = WORDS("unknown_14"), .test = {"not_zero", NO_WORDS}),
         NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ll_problem problem = {.line = 0};
        ll_rule rule = filled(&rows[i].rule);
        rule.severity = (uint8_t)rows[i].severity;
        ll_arena scratch;
        ll_arena_init(&scratch, NULL, SIZE_MAX);
        ll_status status = ll_rule_check(&scratch, &rule, true, &problem);
        ll_arena_free(&scratch);
        assert_int_equal(status, rows[i].words ? LL_E_PACK : LL_OK);
        assert_string_equal(problem.text, rows[i].words ? rows[i].words : "");
    }
}

typedef struct meter {
    long live, calls, fail_at;
} meter;

static void *meter_alloc(void *ctx, size_t size)
{
    meter *m = ctx;
    if (++m->calls == m->fail_at) {
        return NULL;
    }
    m->live++;
    return malloc(size);
}

static void meter_release(void *ctx, void *block)
{
    meter *m = ctx;
    m->live--;
    free(block);
}

static void test_binding_without_memory(void **state)
{
    (void)state;
    const ll_rule rules[] = {
        RULE("a", .on = WORDS("grx.name", "grx.dataset_path"), .fields = WORDS("text"),
             .test = {"regex", WORDS("^a+$")}, .when_field = "text", .when = {"regex", WORDS("b")}),
        RULE("b", .on = WORDS("grx.*"), .fields = WORDS("*"), .test = {"finite", NO_WORDS}),
        RULE("c", .on = WORDS("grx.*"), .fields = WORDS("tag"), .test = {"one_of", WORDS("PL01", "PL02")}),
        RULE("d", .test = {"grx.array_empty", NO_WORDS}),
    };
    long refused = 0;
    long calls = LONG_MAX;
    for (long fail_at = 1; fail_at <= calls; fail_at++) {
        meter m = {.fail_at = fail_at};
        ll_allocator allocator = {meter_alloc, meter_release, &m};
        ll_problem problem;
        set s;
        ll_status status = bind_set(&s, rules, 4, &allocator, &problem);
        free_set(&s);
        assert_int_equal(m.live, 0);
        assert_true(status == LL_OK || status == LL_E_MEMORY);
        refused += status == LL_E_MEMORY;
        calls = status == LL_OK ? m.calls : calls;
    }
    assert_true(refused > 4); /* PCRE2 uses malloc */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_predicate_speaks),
        TEST(test_no_patch_unless_the_rule_offers_it),
        TEST(test_elements_of_an_array),
        TEST(test_the_last_bytes_of_a_file),
        TEST(test_tests_of_one_field_speak_once_each),
        TEST(test_broken_spans_are_left_alone),
        TEST(test_guards),
        TEST(test_strings),
        TEST(test_absent_parts_of_strings_are_not_judged),
        TEST(test_templates),
        TEST(test_faults_in_the_rules_words),
        TEST(test_faults_without_a_rule_are_silent),
        TEST(test_bytes_that_nothing_explains),
        TEST(test_the_order_of_findings),
        TEST(test_checks_of_the_whole_file),
        TEST(test_what_is_not_admitted_is_not_composed),
        TEST(test_words_without_memory),
        cmocka_unit_test(test_globs_and_every_field),
        cmocka_unit_test(test_programs_are_in_order),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_rules_that_are_off_are_not_bound),
        cmocka_unit_test(test_a_fault_has_one_rule),
        cmocka_unit_test(test_every_shipped_rule_fits),
        cmocka_unit_test(test_a_rule_on_a_guess_is_a_note),
        cmocka_unit_test(test_binding_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
