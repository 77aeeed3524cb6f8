/* reference, predicate_span, predicate_reference: targets of fields, and each predicate on spans and references.
 * Each fires, is silent for a near miss, refuses wrong arguments with a message, and survives lack of memory. The
 * format is made up. */
#include "unit.h"

#include "model/reference.h"
#include "rules/predicate.h"
#include "rules/regex.h"

enum {
    HOLDER = LL_LAYOUT_BUILTINS,
    ITEM,
    POINTER,
    ROUTE,
    STRETCH,
    LAYOUTS,
    ITEMS = 4,
    POINTERS = 3,
    FILE_SIZE = 512,
    HOLDER_AT = 16,
    ITEMS_AT = HOLDER_AT + 4,
    POINTERS_AT = 128,
    LONE_AT = 400,
};

#define FIELD(name, offset, bytes, type, role)                                                                         \
    {                                                                                                                  \
        name, offset, bytes, LL_TYPE_##type, LL_ROLE_##role, LL_SURE_KNOWN, "", ""                                     \
    }

enum { HOLDER_COUNT, HOLDER_SIZE };
static const ll_field holder_fields[] = {FIELD("count", 0, 2, U16, COUNT), FIELD("size", 2, 2, U16, SIZE)};

enum { ITEM_KEY, ITEM_LINKS };
static const ll_field item_fields[] = {FIELD("key", 0, 4, U32, DATA), FIELD("links", 4, 4, CHARS, DATA)};

enum { P_OFFSET, P_LENGTH, P_INDEX, P_BACK, P_BIG, P_TOTAL, P_PARTS, P_MORE, P_VECTOR, P_BITS, P_NAME, P_FIELDS };
static const ll_field pointer_fields[P_FIELDS] = {
    [P_OFFSET] = FIELD("offset", 0, 4, U32, OFFSET), [P_LENGTH] = FIELD("length", 4, 2, U16, DATA),
    [P_INDEX] = FIELD("index", 6, 2, U16, DATA),     [P_BACK] = FIELD("back", 8, 4, I32, OFFSET),
    [P_BIG] = FIELD("big", 12, 8, U64, OFFSET),      [P_TOTAL] = FIELD("total", 20, 4, I16, DATA),
    [P_PARTS] = FIELD("parts", 24, 4, I16, DATA),    [P_MORE] = FIELD("more", 28, 4, I16, DATA),
    [P_VECTOR] = FIELD("vector", 32, 12, F32, DATA), [P_BITS] = FIELD("bits", 44, 4, U32, DATA),
    [P_NAME] = FIELD("name", 48, 8, CHARS, STRING),
};

static const ll_field route_fields[] = {FIELD("target", 0, 2, U16, DATA)};

#define RECORD(name, label, size, fields)                                                                              \
    {                                                                                                                  \
        name, label, LL_KIND_RECORD, LL_LITTLE, LL_ROLE_DATA, size, sizeof(fields) / sizeof(fields)[0], LL_NO_FIELD,   \
            fields, ""                                                                                                 \
    }
static const ll_layout layouts[LAYOUTS] = {
    [LL_LAYOUT_UNPARSED] = {.name = "unparsed", .label = "", .kind = LL_KIND_UNPARSED},
    [HOLDER] = RECORD("t.holder", "holder", 4, holder_fields),
    [ITEM] = RECORD("t.item", "item", 8, item_fields),
    [POINTER] = RECORD("t.pointer", "pointer", 56, pointer_fields),
    [ROUTE] = RECORD("t.route", "\0no label", 2, route_fields),
    [STRETCH] = {.name = "t.stretch", .label = "stretch", .kind = LL_KIND_BYTES},
};

static const ll_reference references[] = {
    {POINTER, P_OFFSET, ITEM, HOLDER, P_LENGTH, LL_BY_OFFSET_IN_BODY, LL_COUNTS_TARGETS,
     LL_NULL_MINUS_ONE | LL_NULL_NO_EXTENT},
    {POINTER, P_INDEX, ITEM, HOLDER, LL_NO_FIELD, LL_BY_INDEX, LL_COUNTS_TARGETS, LL_NULL_MINUS_ONE},
    {POINTER, P_BACK, ITEM, HOLDER, LL_NO_FIELD, LL_BY_OFFSET_FROM_FIELD, LL_COUNTS_TARGETS, LL_NULL_ZERO},
    {POINTER, P_BIG, ITEM, LL_WITHIN_FILE, LL_NO_FIELD, LL_BY_OFFSET_IN_FILE, LL_COUNTS_TARGETS, LL_NULL_NEVER},
    {ROUTE, 0, ITEM, HOLDER, LL_NO_FIELD, LL_BY_INDEX, LL_COUNTS_TARGETS, LL_NULL_NEVER},
};
enum { BY_OFFSET, BY_INDEX, BACK, BIG };
static const ll_format format = {.family = "t",
                                 .layouts = layouts,
                                 .layout_count = LAYOUTS,
                                 .references = references,
                                 .reference_count = sizeof references / sizeof references[0]};

/* ------------------------------------------------------------------ a file */

/* Four items in a holder, and three pointers: the first two point to one item each, the third to two items. */
typedef struct bench {
    uint8_t bytes[FILE_SIZE];
    ll_doc doc;
    uint32_t holder, items, pointers;
    ll_arena arena;
    ll_bound_test *test; /* lives as long as `state` */
    ll_bound_test when;
    ll_matcher matcher;
    ll_problem problem;
    void *state;
    unsigned count;
    ll_fault faults[8];
} bench;

static void put(bench *b, unsigned pointer, unsigned field, unsigned part, uint64_t bits)
{
    const ll_field *f = &pointer_fields[field];
    unsigned step = ll_type_bytes(f->type);
    ll_put_uint(b->bytes + POINTERS_AT + pointer * 56 + f->offset + part * step, step, false, bits);
}

static void point(bench *b, unsigned pointer, uint64_t offset, uint64_t length)
{
    put(b, pointer, P_OFFSET, 0, offset);
    put(b, pointer, P_LENGTH, 0, length);
}

static void claim_items(bench *b)
{
    b->holder = ll_claim(&b->doc, (ll_span){.offset = HOLDER_AT,
                                            .length = 4 + ITEMS * 8,
                                            .parent = LL_NO_SPAN,
                                            .index = LL_NO_INDEX,
                                            .count = 1,
                                            .layout = HOLDER});
    b->items = ll_claim(&b->doc, (ll_span){.offset = ITEMS_AT,
                                           .length = ITEMS * 8,
                                           .parent = b->holder,
                                           .index = LL_NO_INDEX,
                                           .count = ITEMS,
                                           .layout = ITEM});
}

static void claim_pointers(bench *b)
{
    b->pointers = ll_claim(&b->doc, (ll_span){.offset = POINTERS_AT,
                                              .length = POINTERS * 56,
                                              .parent = LL_NO_SPAN,
                                              .index = LL_NO_INDEX,
                                              .count = POINTERS,
                                              .layout = POINTER});
}

static void open_file(bench *b)
{
    ll_doc_open(&b->doc, b->bytes, FILE_SIZE, "test");
    ll_doc_set_format(&b->doc, &format);
}

static int set_up(void **state)
{
    bench *b = test_calloc(1, sizeof *b);
    ll_doc_init(&b->doc, NULL);
    open_file(b);
    claim_items(b);
    claim_pointers(b);
    for (unsigned i = 0; i < ITEMS; i++) {
        b->bytes[ITEMS_AT + 8 * i] = (uint8_t)(10 + i);
    }
    for (unsigned i = 0; i < POINTERS; i++) {
        point(b, i, 8U * i, i == 2 ? 2 : 1);
        put(b, i, P_INDEX, 0, i);
        put(b, i, P_VECTOR, 0, 0x3F800000U);
        b->bytes[POINTERS_AT + 56 * i + 48] = (uint8_t)('A' + i);
    }
    ll_arena_init(&b->arena, NULL, SIZE_MAX);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    ll_matcher_free(&b->matcher);
    ll_arena_free(&b->arena);
    ll_doc_free(&b->doc);
    test_free(b);
    return 0;
}

#define WORDS(...)                                                                                                     \
    ((ll_words){(const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)})
#define NO_WORDS ((ll_words){NULL, 0})

static ll_words *keep(bench *b, ll_words words)
{
    ll_words *kept = ll_arena_alloc(&b->arena, 1, sizeof *kept);
    const char **at = ll_arena_alloc(&b->arena, words.count, sizeof *at);
    for (size_t i = 0; i < words.count; i++) {
        at[i] = words.at[i];
    }
    *kept = (ll_words){at, words.count};
    return kept;
}

static ll_status bind(bench *b, const char *check, unsigned layout, unsigned field, ll_words values)
{
    ll_test *test = ll_arena_alloc(&b->arena, 1, sizeof *test);
    *test = (ll_test){check, *keep(b, values)};
    b->state = NULL;
    b->test = ll_arena_zalloc(&b->arena, 1, sizeof *b->test);
    return ll_test_bind(&b->arena, &format, test,
                        (ll_rule_target){.layout = (uint16_t)layout, .field = (uint16_t)field}, b->test, &b->problem);
}

static void must_bind(bench *b, const char *check, unsigned layout, unsigned field, ll_words values)
{
    if (bind(b, check, layout, field, values) != LL_OK) {
        fail_msg("%s: %s", check, b->problem.text);
    }
    assert_true(ll_test_judges_spans(b->test));
    assert_non_null(ll_predicate_arguments(check));
}

static void note(void *ctx, const ll_fault *fault)
{
    bench *b = ctx;
    assert_in_range(b->count, 0, 7);
    b->faults[b->count++] = *fault;
}

/* Number of faults that the test raises for a span. */
static unsigned judge(bench *b, uint32_t span)
{
    ll_check_run run = {&b->doc, span, &b->doc.arena, NULL, note, b, LL_OK, &b->doc.searched};
    b->count = 0;
    ll_test_judge_span(b->test, b->when.predicate ? &b->when : NULL, &run, &b->matcher, LL_PATCH_SAFE, &b->state);
    assert_int_equal(run.status, LL_OK);
    return b->count;
}

/* As judge(), for a new file. */
static unsigned judge_anew(bench *b, uint32_t span)
{
    b->state = NULL;
    return judge(b, span);
}

static void assert_fault(const bench *b, unsigned i, uint32_t offset, uint32_t length, uint32_t related)
{
    assert_int_equal(b->faults[i].at.offset, offset);
    assert_int_equal(b->faults[i].at.length, length);
    assert_int_equal(b->faults[i].related.offset, related);
}

static uint32_t place(unsigned pointer, unsigned field)
{
    return POINTERS_AT + pointer * 56 + pointer_fields[field].offset;
}

/* ------------------------------------------------------------------ targets of fields */

static ll_target target_of(bench *b, unsigned row, unsigned pointer, ll_where *at)
{
    ll_resolver resolver = ll_resolver_start(&b->doc, &references[row]);
    ll_target target;
    ll_resolve(&resolver, b->pointers, pointer, &target);
    *at = ll_target_place(&resolver, &target);
    assert_int_equal(resolver.targets.known, target.targets->known);
    target.targets = NULL;
    return target;
}

static void test_an_offset_in_a_body(void **state)
{
    bench *b = *state;
    ll_where at;
    assert_ptr_equal(ll_reference_of(&format, POINTER, P_OFFSET), &references[BY_OFFSET]);
    assert_null(ll_reference_of(&format, POINTER, P_TOTAL));
    ll_target target = target_of(b, BY_OFFSET, 2, &at);
    assert_true(target.inside && !target.null && !target.half_null);
    assert_int_equal(target.first, 16);
    assert_int_equal(target.end, 32);
    assert_int_equal(target.extent, 16);
    assert_int_equal(target.size, 32);
    assert_int_equal(target.unit, 8);
    assert_int_equal(at.offset, ITEMS_AT + 16);
    assert_int_equal(at.element, 2);
    point(b, 2, 24, 2);
    assert_false(target_of(b, BY_OFFSET, 2, &at).inside);
    assert_int_equal(at.span, LL_NO_SPAN);
    point(b, 2, 28, 1); /* not at the start of a target */
    assert_false(target_of(b, BY_OFFSET, 2, &at).inside);
    point(b, 2, 0xFFFFFFF0U, 0xFFFF);
    target = target_of(b, BY_OFFSET, 2, &at);
    assert_false(target.inside || target.null);
    assert_int_equal(target.end, 0xFFFFFFF0LL + 0xFFFF * 8LL);
}

static void test_what_points_to_nothing(void **state)
{
    bench *b = *state;
    ll_where at;
    point(b, 0, UINT32_MAX, 0);
    ll_target target = target_of(b, BY_OFFSET, 0, &at);
    assert_true(target.null && !target.half_null && !target.inside);
    point(b, 0, UINT32_MAX, 1);
    target = target_of(b, BY_OFFSET, 0, &at);
    assert_true(target.null && target.half_null);
    point(b, 0, 8, 0);
    target = target_of(b, BY_OFFSET, 0, &at);
    assert_true(target.null && target.half_null);
    put(b, 0, P_BACK, 0, 0);
    assert_true(target_of(b, BACK, 0, &at).null);
    put(b, 0, P_INDEX, 0, 0xFFFF);
    assert_true(target_of(b, BY_INDEX, 0, &at).null);
}

static void test_indexes_and_negative_and_huge_values(void **state)
{
    bench *b = *state;
    ll_where at;
    ll_target target = target_of(b, BY_INDEX, 1, &at);
    assert_true(target.inside);
    assert_int_equal(target.size, ITEMS);
    assert_int_equal(at.offset, ITEMS_AT + 8);
    put(b, 1, P_INDEX, 0, ITEMS);
    assert_false(target_of(b, BY_INDEX, 1, &at).inside);
    put(b, 0, P_BACK, 0, 0 - (uint64_t)(place(0, P_BACK) - ITEMS_AT));
    target = target_of(b, BACK, 0, &at);
    assert_true(target.inside);
    assert_int_equal(at.offset, ITEMS_AT);
    put(b, 0, P_BACK, 0, 0x80000000U);
    target = target_of(b, BACK, 0, &at);
    assert_true(target.first < 0 && !target.inside);
    put(b, 0, P_BIG, 0, ITEMS_AT + 8);
    target = target_of(b, BIG, 0, &at);
    assert_true(target.inside);
    assert_int_equal(target.size, FILE_SIZE);
    assert_int_equal(at.element, 1);
    put(b, 0, P_BIG, 0, UINT64_MAX);
    assert_false(target_of(b, BIG, 0, &at).inside);
}

/* Targets are known if the holder is. */
static bool are_known(bench *b)
{
    ll_resolver resolver = ll_resolver_start(&b->doc, &references[BY_INDEX]);
    ll_target target;
    ll_resolve(&resolver, b->pointers, 0, &target);
    return target.targets->known;
}

static void test_holders(void **state)
{
    bench *b = *state;
    assert_true(are_known(b));
    ll_mark_span(&b->doc, b->holder, LL_SPAN_DOUBTFUL);
    assert_false(are_known(b));
    open_file(b);
    claim_pointers(b);
    assert_false(are_known(b));
    open_file(b);
    claim_items(b);
    ll_mark_span(&b->doc, b->holder, LL_SPAN_BROKEN);
    claim_pointers(b);
    assert_false(are_known(b));
    open_file(b);
    b->holder = ll_claim(&b->doc, (ll_span){.offset = HOLDER_AT,
                                            .length = 4 + ITEMS * 8,
                                            .parent = LL_NO_SPAN,
                                            .index = LL_NO_INDEX,
                                            .count = 1,
                                            .layout = HOLDER});
    b->items = ll_claim(
        &b->doc,
        (ll_span){
            .offset = ITEMS_AT, .length = 16, .parent = b->holder, .index = LL_NO_INDEX, .count = 2, .layout = ITEM});
    (void)ll_claim_unparsed(&b->doc, b->holder, ITEMS_AT + 16, ITEMS_AT + 32);
    claim_pointers(b);
    assert_false(are_known(b));
}

static void test_a_region_has_its_own_targets(void **state)
{
    bench *b = *state;
    static const uint8_t inner[64] = {0};
    uint32_t base = ll_doc_add_region(&b->doc, "inner", inner, sizeof inner, 0, 8);
    uint32_t holder = ll_claim(
        &b->doc,
        (ll_span){
            .offset = base, .length = 64, .parent = LL_NO_SPAN, .index = LL_NO_INDEX, .count = 1, .layout = HOLDER});
    (void)ll_claim(
        &b->doc,
        (ll_span){.offset = base + 4, .length = 8, .parent = holder, .index = LL_NO_INDEX, .count = 1, .layout = ITEM});
    uint32_t route = ll_claim(
        &b->doc,
        (ll_span){
            .offset = base + 12, .length = 2, .parent = holder, .index = LL_NO_INDEX, .count = 1, .layout = ROUTE});
    ll_resolver resolver = ll_resolver_start(&b->doc, &references[BIG + 1]);
    ll_target target;
    ll_resolve(&resolver, route, 0, &target);
    assert_int_equal(target.targets->holder, holder);
    assert_int_equal(target.size, 1);
    assert_int_equal(ll_target_place(&resolver, &target).offset, base + 4);
    assert_int_equal(ll_targets_stated(&resolver).offset, base); /* offset of the count */
}

/* ------------------------------------------------------------------ references */

static void test_leads_inside(void **state)
{
    bench *b = *state;
    must_bind(b, "leads_inside", POINTER, P_OFFSET, NO_WORDS);
    assert_int_equal(judge(b, b->pointers), 0);
    point(b, 1, 25, 1);
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, place(1, P_OFFSET), 4, HOLDER_AT + 2);
    assert_int_equal(b->faults[0].arg[0].v.i, 25);
    assert_int_equal(b->faults[0].arg[1].v.i, 33);
    assert_int_equal(b->faults[0].arg[2].v.u, 32);
    point(b, 1, 8, 9); /* the length alone is too large */
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, place(1, P_LENGTH), 2, HOLDER_AT + 2);
    point(b, 1, 4, 1);
    assert_int_equal(judge(b, b->pointers), 0);
    must_bind(b, "leads_inside", POINTER, P_OFFSET, WORDS("aligned"));
    assert_int_equal(judge(b, b->pointers), 1);
    ll_mark_span(&b->doc, b->holder, LL_SPAN_DOUBTFUL);
    assert_int_equal(judge_anew(b, b->pointers), 0);
}

static void test_same_number(void **state)
{
    bench *b = *state;
    must_bind(b, "same_number", POINTER, P_OFFSET, NO_WORDS);
    assert_int_equal(judge(b, b->pointers), 0);
    point(b, 1, UINT32_MAX, 0);
    assert_int_equal(judge(b, b->pointers), 0);
    point(b, 1, 16, 1);
    assert_int_equal(judge(b, b->pointers), 1);
    assert_int_equal(b->faults[0].arg[0].v.i, 16);
    assert_int_equal(b->faults[0].arg[1].v.u, 8);
    point(b, 0, 16, 1);
    point(b, 2, 8, 1);
    assert_int_equal(judge(b, b->pointers), 3); /* first, middle and last */
    assert_int_equal(b->faults[0].at.element, 0);
    assert_int_equal(b->faults[2].at.element, 2);
}

static void test_both_or_neither(void **state)
{
    bench *b = *state;
    must_bind(b, "both_or_neither", POINTER, P_OFFSET, NO_WORDS);
    assert_int_equal(judge(b, b->pointers), 0);
    point(b, 0, UINT32_MAX, 1);
    point(b, 2, UINT32_MAX, 2);
    assert_int_equal(judge(b, b->pointers), 2);
    assert_int_equal(b->faults[0].at.element, 0);
    assert_int_equal(b->faults[1].at.element, 2);
}

static void test_not_self(void **state)
{
    bench *b = *state;
    open_file(b);
    b->holder = ll_claim(&b->doc, (ll_span){.offset = HOLDER_AT,
                                            .length = 64,
                                            .parent = LL_NO_SPAN,
                                            .index = LL_NO_INDEX,
                                            .count = 1,
                                            .layout = HOLDER});
    uint32_t item = ll_claim(
        &b->doc,
        (ll_span){.offset = ITEMS_AT, .length = 12, .parent = b->holder, .index = 3, .count = 1, .layout = ITEM});
    uint32_t routes = ll_claim(
        &b->doc,
        (ll_span){
            .offset = ITEMS_AT + 8, .length = 4, .parent = item, .index = LL_NO_INDEX, .count = 2, .layout = ROUTE});
    must_bind(b, "not_self", ROUTE, 0, NO_WORDS);
    assert_int_equal(judge(b, routes), 0);
    b->bytes[ITEMS_AT + 10] = 3;
    assert_int_equal(judge(b, routes), 1);
    assert_fault(b, 0, ITEMS_AT + 10, 2, 0);
}

static void test_same_as_counterpart(void **state)
{
    bench *b = *state;
    must_bind(b, "same_as_counterpart", POINTER, P_BITS, WORDS("index", "key"));
    for (unsigned i = 0; i < POINTERS; i++) {
        put(b, i, P_BITS, 0, 10 + i);
    }
    assert_int_equal(judge(b, b->pointers), 0);
    put(b, 1, P_BITS, 0, 12);
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, place(1, P_BITS), 4, ITEMS_AT + 8);
    assert_int_equal(b->faults[0].arg[0].v.i, 12);
    assert_int_equal(b->faults[0].arg[1].v.i, 11);
    must_bind(b, "same_as_counterpart", POINTER, P_BITS, WORDS("index", "key", "at target"));
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, ITEMS_AT + 8, 4, place(1, P_BITS));
    must_bind(b, "same_as_counterpart", POINTER, P_BITS, WORDS("index", "key", "> 11"));
    assert_int_equal(judge(b, b->pointers), 0);
    put(b, 1, P_INDEX, 0, 2); /* index of another item: other rules report that */
    must_bind(b, "same_as_counterpart", POINTER, P_BITS, WORDS("index", "key"));
    assert_int_equal(judge(b, b->pointers), 0);
    put(b, 0, P_BITS, 0, 9);
    assert_int_equal(judge(b, b->pointers), 1);
    open_file(b); /* without items there is nothing to compare with */
    claim_pointers(b);
    must_bind(b, "same_as_counterpart", POINTER, P_BITS, WORDS("index", "key"));
    assert_int_equal(judge(b, b->pointers), 0);
}

static void test_holder_present(void **state)
{
    bench *b = *state;
    must_bind(b, "holder_present", POINTER, P_INDEX, NO_WORDS);
    assert_int_equal(judge(b, b->pointers), 0);
    open_file(b);
    claim_pointers(b);
    must_bind(b, "holder_present", POINTER, P_INDEX, NO_WORDS);
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, place(0, P_INDEX), 2, 0);
    assert_int_equal(b->faults[0].arg[2].v.u, POINTERS);
    put(b, 0, P_INDEX, 0, UINT16_MAX); /* points to nothing */
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, place(1, P_INDEX), 2, 0);
    assert_int_equal(b->faults[0].arg[2].v.u, POINTERS - 1);
    must_bind(b, "holder_present", POINTER, P_BACK, NO_WORDS);
    for (unsigned i = 0; i < POINTERS; i++) {
        put(b, i, P_BACK, 0, (uint32_t)-FILE_SIZE); /* before the file: a range rule reports that */
    }
    assert_int_equal(judge(b, b->pointers), 0);
}

static void test_consecutive(void **state)
{
    bench *b = *state;
    must_bind(b, "consecutive", POINTER, P_OFFSET, NO_WORDS);
    assert_int_equal(judge(b, b->pointers), 0);
    point(b, 1, 16, 1);
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, place(1, P_OFFSET), 4, 0);
    assert_int_equal(b->faults[0].arg[1].v.u, 8);
    point(b, 1, 8, 1);
    point(b, 2, 16, 1); /* the last item is not covered */
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, ITEMS_AT + 24, 8, 0);
    assert_string_equal(b->faults[0].arg[0].v.word, "no pointer");
    uint32_t routes = ll_claim(
        &b->doc,
        (ll_span){
            .offset = LONE_AT, .length = 4, .parent = LL_NO_SPAN, .index = LL_NO_INDEX, .count = 2, .layout = ROUTE});
    ll_put_uint(b->bytes + LONE_AT + 2, 2, false, 1);
    must_bind(b, "consecutive", ROUTE, 0, NO_WORDS);
    assert_int_equal(judge(b, routes), 1);
    assert_string_equal(b->faults[0].arg[0].v.word, "no record");
}

static void test_referenced(void **state)
{
    bench *b = *state;
    must_bind(b, "referenced", ITEM, LL_NO_FIELD, WORDS("t.pointer.offset"));
    assert_int_equal(judge(b, b->items), 0);
    point(b, 1, 0, 1);
    point(b, 2, 16, 1);
    assert_int_equal(judge(b, b->items), 2);
    assert_fault(b, 0, ITEMS_AT + 8, 8, HOLDER_AT + 2);
    assert_fault(b, 1, ITEMS_AT + 24, 8, HOLDER_AT + 2);
    assert_int_equal(b->faults[1].arg[0].v.u, 1);
    point(b, 0, 100, 1); /* a wrong reference explains unreferenced items */
    assert_int_equal(judge(b, b->items), 0);
    point(b, 0, 8, 0); /* so does an incomplete one */
    assert_int_equal(judge(b, b->items), 0);
    point(b, 0, 4, 1); /* so does one between two items */
    assert_int_equal(judge(b, b->items), 0);
}

/* A target may be in the holder but outside the array, or in another array. */
static void test_referenced_beside_the_array(void **state)
{
    bench *b = *state;
    open_file(b);
    b->holder = ll_claim(&b->doc, (ll_span){.offset = HOLDER_AT,
                                            .length = 4 + ITEMS * 8,
                                            .parent = LL_NO_SPAN,
                                            .index = LL_NO_INDEX,
                                            .count = 1,
                                            .layout = HOLDER});
    b->items = ll_claim(
        &b->doc,
        (ll_span){
            .offset = ITEMS_AT, .length = 8, .parent = b->holder, .index = LL_NO_INDEX, .count = 1, .layout = ITEM});
    (void)ll_claim(&b->doc, (ll_span){.offset = ITEMS_AT + 8,
                                      .length = (ITEMS - 1) * 8,
                                      .parent = b->holder,
                                      .index = LL_NO_INDEX,
                                      .layout = STRETCH});
    claim_pointers(b);
    for (unsigned i = 0; i < POINTERS; i++) {
        point(b, i, 8 + 8 * i, 1);
    }
    must_bind(b, "referenced", ITEM, LL_NO_FIELD, WORDS("t.pointer.offset"));
    assert_int_equal(judge(b, b->items), 0); /* only bytes outside the target are referenced */
    open_file(b);
    claim_items(b);
    claim_pointers(b);
    uint32_t lone = ll_claim(
        &b->doc,
        (ll_span){
            .offset = LONE_AT, .length = 8, .parent = LL_NO_SPAN, .index = LL_NO_INDEX, .count = 1, .layout = ITEM});
    must_bind(b, "referenced", ITEM, LL_NO_FIELD, WORDS("t.pointer.offset"));
    point(b, 1, 0, 1);
    assert_int_equal(judge(b, lone), 0);
    assert_int_equal(judge(b, b->items), 0);
}

/* The first target need not be at the start of its holder. */
static void test_targets_behind_something_else(void **state)
{
    bench *b = *state;
    open_file(b);
    b->holder = ll_claim(&b->doc, (ll_span){.offset = HOLDER_AT,
                                            .length = 4 + ITEMS * 8,
                                            .parent = LL_NO_SPAN,
                                            .index = LL_NO_INDEX,
                                            .count = 1,
                                            .layout = HOLDER});
    (void)ll_claim(
        &b->doc,
        (ll_span){.offset = ITEMS_AT, .length = 8, .parent = b->holder, .index = LL_NO_INDEX, .layout = STRETCH});
    b->items = ll_claim(&b->doc, (ll_span){.offset = ITEMS_AT + 8,
                                           .length = (ITEMS - 1) * 8,
                                           .parent = b->holder,
                                           .index = LL_NO_INDEX,
                                           .count = ITEMS - 1,
                                           .layout = ITEM});
    claim_pointers(b);
    for (unsigned i = 0; i < POINTERS; i++) {
        point(b, i, 8 + 8 * i, 1);
    }
    must_bind(b, "same_number", POINTER, P_OFFSET, NO_WORDS);
    assert_int_equal(judge(b, b->pointers), 0);
    must_bind(b, "referenced", ITEM, LL_NO_FIELD, WORDS("t.pointer.offset"));
    assert_int_equal(judge(b, b->items), 0);
    point(b, 1, 8, 1);
    assert_int_equal(judge(b, b->items), 1);
    assert_int_equal(b->faults[0].at.offset, ITEMS_AT + 16);
    must_bind(b, "same_number", POINTER, P_OFFSET, NO_WORDS);
    assert_int_equal(judge(b, b->pointers), 1);
    assert_int_equal(b->faults[0].arg[1].v.i, 16);
}

/* ------------------------------------------------------------------ spans */

static void test_unique(void **state)
{
    bench *b = *state;
    must_bind(b, "unique", POINTER, P_INDEX, NO_WORDS);
    assert_int_equal(judge(b, b->pointers), 0);
    put(b, 2, P_INDEX, 0, 0);
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, place(2, P_INDEX), 2, place(0, P_INDEX));
    assert_int_equal(b->faults[0].arg[0].v.u, 0);
    assert_int_equal(b->faults[0].arg[2].v.u, 0);
    assert_int_equal(b->faults[0].arg[3].v.bytes.offset, place(2, P_NAME));
    assert_int_equal(b->faults[0].arg[3].v.bytes.length, 1);
    must_bind(b, "unique", POINTER, P_INDEX, WORDS("0")); /* 0 does not count */
    assert_int_equal(judge(b, b->pointers), 0);
    must_bind(b, "unique", POINTER, P_NAME, NO_WORDS);
    assert_int_equal(judge(b, b->pointers), 0);
    b->bytes[place(1, P_NAME)] = 'A';
    b->bytes[place(1, P_NAME) + 2] = 'x'; /* after the NUL */
    assert_int_equal(judge(b, b->pointers), 1);
    b->bytes[place(0, P_NAME)] = b->bytes[place(1, P_NAME)] = '\0'; /* empty names do not count */
    assert_int_equal(judge(b, b->pointers), 0);
    must_bind(b, "unique", ITEM, LL_NO_FIELD, NO_WORDS); /* whole records */
    assert_int_equal(judge(b, b->items), 0);
    b->bytes[ITEMS_AT + 24] = 11;
    assert_int_equal(judge(b, b->items), 1);
    assert_fault(b, 0, ITEMS_AT + 24, 8, ITEMS_AT + 8);
}

static void test_unique_beyond_a_span(void **state)
{
    bench *b = *state;
    b->bytes[LONE_AT] = 11;
    uint32_t lone = ll_claim(
        &b->doc,
        (ll_span){
            .offset = LONE_AT, .length = 8, .parent = LL_NO_SPAN, .index = LL_NO_INDEX, .count = 1, .layout = ITEM});
    static const struct {
        const char *scope;
        unsigned found;
    } rows[] = {{"span", 0}, {"parent", 0}, {"file", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        must_bind(b, "unique", ITEM, ITEM_KEY, WORDS(rows[i].scope));
        bool finishes = strcmp(rows[i].scope, "span") != 0;
        assert_int_equal(ll_test_finishes(b->test), finishes);
        assert_int_equal(judge(b, b->items), 0);
        assert_int_equal(judge(b, lone), 0);
        assert_int_equal(finishes ? judge(b, LL_NO_SPAN) : 0, rows[i].found);
    }
    assert_fault(b, 0, LONE_AT, 4, ITEMS_AT + 8);
}

/* Tests of one rule on several fields share their data; each field is compared only with the same field. */
static void test_unique_on_several_fields(void **state)
{
    bench *b = *state;
    for (unsigned i = 0; i < POINTERS; i++) {
        put(b, i, P_LENGTH, 0, 7 + i);
        put(b, i, P_INDEX, 0, 9 - i);
        put(b, i, P_BITS, 0, 7 + i);
    }
    static const unsigned fields[] = {P_LENGTH, P_INDEX, P_BITS};
    for (unsigned again = 0; again < 2; again++) {
        void *gathered = NULL;
        for (unsigned i = 0; i < 3; i++) {
            must_bind(b, "unique", POINTER, fields[i], WORDS("file"));
            b->state = gathered;
            assert_int_equal(judge(b, b->pointers), 0);
            gathered = b->state;
        }
        assert_int_equal(judge(b, LL_NO_SPAN), again);
        put(b, 2, P_INDEX, 0, 9);
    }
    assert_int_equal(b->faults[0].at.offset, place(2, P_INDEX));
    assert_int_equal(b->faults[0].related.offset, place(0, P_INDEX));
}

static void test_every_byte(void **state)
{
    bench *b = *state;
    uint32_t stretch = ll_claim(
        &b->doc,
        (ll_span){.offset = LONE_AT, .length = 16, .parent = LL_NO_SPAN, .index = LL_NO_INDEX, .layout = STRETCH});
    must_bind(b, "every_byte", STRETCH, LL_NO_FIELD, WORDS("0xee"));
    memset(b->bytes + LONE_AT, 0xEE, 16);
    assert_int_equal(judge(b, stretch), 0);
    b->bytes[LONE_AT + 3] = 1;
    b->bytes[LONE_AT + 7] = 2;
    assert_int_equal(judge(b, stretch), 1);
    assert_fault(b, 0, LONE_AT + 3, 5, 0);
    assert_int_equal(b->faults[0].arg[0].v.u, 2);
    assert_int_equal(b->faults[0].arg[1].v.u, 1);
    assert_int_equal(b->faults[0].patch.size, 5);
    assert_int_equal(ll_fault_patch(&b->faults[0])[4], 0xEE);
}

static void test_equals_sum(void **state)
{
    bench *b = *state;
    must_bind(b, "equals_sum", POINTER, P_TOTAL, WORDS("parts", "more"));
    put(b, 1, P_PARTS, 1, 30000);
    put(b, 1, P_MORE, 1, 0xFFFF); /* -1 */
    put(b, 1, P_TOTAL, 1, 29999);
    assert_int_equal(judge(b, b->pointers), 0);
    put(b, 1, P_MORE, 1, 30000); /* beyond the range of 16 bits */
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, place(1, P_TOTAL) + 2, 2, place(1, P_PARTS));
    assert_int_equal(b->faults[0].arg[3].v.i, 60000);
    assert_int_equal(b->faults[0].patch.size, 0);
    put(b, 1, P_MORE, 1, 2767); /* the maximum of 16 bits */
    assert_int_equal(judge(b, b->pointers), 1);
    assert_int_equal(b->faults[0].patch.size, 2);
    assert_int_equal(ll_le16(ll_fault_patch(&b->faults[0])), 32767);
}

static void test_zero_from(void **state)
{
    bench *b = *state;
    must_bind(b, "zero_from", POINTER, P_PARTS, WORDS("1"));
    put(b, 2, P_PARTS, 0, 7);
    assert_int_equal(judge(b, b->pointers), 0);
    put(b, 2, P_PARTS, 1, 7);
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, place(2, P_PARTS) + 2, 2, 0);
    assert_int_equal(b->faults[0].arg[1].v.u, 1);
}

static void test_bits_one_of(void **state)
{
    bench *b = *state;
    must_bind(b, "bits_one_of", POINTER, P_BITS, WORDS("4..7", "0", "3"));
    put(b, 0, P_BITS, 0, 0xFFFFFF3FU);
    assert_int_equal(judge(b, b->pointers), 0);
    put(b, 0, P_BITS, 0, 0x40);
    assert_int_equal(judge(b, b->pointers), 1);
    assert_int_equal(b->faults[0].arg[0].v.u, 4);
    assert_int_equal(b->faults[0].arg[1].v.u, 0x40);
}

static void test_longer_than(void **state)
{
    bench *b = *state;
    must_bind(b, "longer_than", POINTER, P_VECTOR, WORDS("0.5"));
    put(b, 0, P_VECTOR, 0, 0x3F000000U); /* exactly 0.5 */
    put(b, 1, P_VECTOR, 1, 0x7FC00000U); /* NaN */
    assert_int_equal(judge(b, b->pointers), 0);
    put(b, 2, P_VECTOR, 0, 0x3EFFFFFFU);
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, place(2, P_VECTOR), 12, 0);
}

static void test_guards_and_doubts(void **state)
{
    bench *b = *state;
    static const char *const zero[] = {"0"};
    ll_test guard = {"equals", {zero, 1}};
    must_bind(b, "bits_one_of", POINTER, P_BITS, WORDS("0..7", "1"));
    assert_int_equal(judge(b, b->pointers), 3);
    assert_int_equal(ll_test_bind(&b->arena, &format, &guard,
                                  (ll_rule_target){.layout = (uint16_t)POINTER, .field = (uint16_t)P_INDEX}, &b->when,
                                  &b->problem),
                     LL_OK);
    assert_int_equal(judge(b, b->pointers), 1);
    assert_fault(b, 0, place(0, P_BITS), 4, 0);
    must_bind(b, "unique", ITEM, ITEM_LINKS, NO_WORDS);
    b->when.predicate = NULL;
    memset(b->bytes + ITEMS_AT, 'a', ITEMS * 8);
    assert_int_equal(judge(b, b->items), 3);
    ll_mark_span(&b->doc, b->holder, LL_SPAN_DOUBTFUL);
    assert_int_equal(judge_anew(b, b->items), 0);
}

/* ------------------------------------------------------------------ refusals */

static void test_what_is_refused(void **state)
{
    bench *b = *state;
    const struct {
        const char *check;
        unsigned layout, field;
        ll_words values;
        const char *words;
    } rows[] = {
        {"unique", POINTER, P_NAME, WORDS("flie"), "'flie' is not a scope ('span', 'parent', 'file')"},
        {"unique", POINTER, P_INDEX, WORDS("flie"), "'flie' is not an integer"},
        {"unique", POINTER, P_VECTOR, NO_WORDS, "check 'unique' judges "},
        {"every_byte", STRETCH, LL_NO_FIELD, WORDS("256"), "'256' does not fit the type u8"},
        {"every_byte", POINTER, P_BITS, WORDS("0"), "check 'every_byte' judges bytes without fields; "},
        {"equals_sum", POINTER, P_TOTAL, WORDS("prats"), "unknown field 'prats'; did you mean 'parts'?"},
        {"equals_sum", POINTER, P_TOTAL, WORDS("bits"), "field 'bits' cannot be a summand of 'total'"},
        {"zero_from", POINTER, P_PARTS, WORDS("x"), "'x' is not an integer"},
        {"zero_from", POINTER, P_PARTS, WORDS("2"), "field 'parts' has no element '2'"},
        {"zero_from", POINTER, LL_NO_FIELD, WORDS("1"), "check 'zero_from' judges fields, but the rule lacks"},
        {"bits_one_of", POINTER, P_BITS, WORDS("4", "0"), "check 'bits_one_of' takes a range of bits"},
        {"bits_one_of", POINTER, P_BITS, WORDS("24..32", "0"), "field 'bits' has no bits '24..32'"},
        {"bits_one_of", POINTER, P_BITS, WORDS("5..4", "0"), "field 'bits' has no bits '5..4'"},
        {"longer_than", POINTER, P_VECTOR, WORDS("much"), "'much' is not a number"},
        {"leads_inside", POINTER, P_OFFSET, WORDS("alined"), "check 'leads_inside' takes no value except 'aligned'"},
        {"leads_inside", POINTER, P_BITS, NO_WORDS, "field 'bits' of 't.pointer' is not a reference"},
        {"same_number", POINTER, P_BITS, NO_WORDS, "field 'bits' of 't.pointer' is not a reference"},
        {"not_self", POINTER, P_OFFSET, WORDS("1"), "check 'not_self' takes no value"},
        {"same_as_counterpart", POINTER, P_BITS, WORDS("index"), "check 'same_as_counterpart' takes a reference field"},
        {"same_as_counterpart", POINTER, P_BITS, WORDS("bits", "key"), "field 'bits' is not a reference"},
        {"same_as_counterpart", POINTER, P_BITS, WORDS("index", "kye"), "unknown field 'kye'; did you mean 'key'?"},
        {"same_as_counterpart", POINTER, P_BITS, WORDS("index", "key", "1"), "'1' is not a bound"},
        {"consecutive", POINTER, P_TOTAL, NO_WORDS, "check 'consecutive' judges integers; field 'total' is a vector"},
        {"referenced", ITEM, LL_NO_FIELD, WORDS("t.pointer.bits"), "no field 't.pointer.bits' points to 't.item'"},
        {"referenced", HOLDER, LL_NO_FIELD, WORDS("t.pointer.index"), "no field 't.pointer.index' points to"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ll_status status = bind(b, rows[i].check, rows[i].layout, rows[i].field, rows[i].values);
        if (status != LL_E_PACK || strncmp(b->problem.text, rows[i].words, strlen(rows[i].words)) != 0) {
            fail_msg("%s: status %d, %s", rows[i].check, status, b->problem.text);
        }
    }
}

static void test_without_memory(void **state)
{
    bench *b = *state;
    const struct {
        const char *check;
        unsigned layout, field;
        ll_words values;
        bool binds; /* even without memory */
    } rows[] = {
        {"unique", ITEM, LL_NO_FIELD, WORDS("file"), false},
        {"equals_sum", POINTER, P_TOTAL, WORDS("parts"), false},
        {"bits_one_of", POINTER, P_BITS, WORDS("0..3", "0"), false},
        {"same_as_counterpart", POINTER, P_BITS, WORDS("index", "key"), false},
        {"leads_inside", POINTER, P_OFFSET, NO_WORDS, true},
        {"referenced", ITEM, LL_NO_FIELD, WORDS("t.pointer.offset"), true},
    };
    ll_arena none;
    ll_arena_init(&none, NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ll_test test = {rows[i].check, rows[i].values};
        const ll_layout *layout = &layouts[rows[i].layout];
        ll_bound_test bound;
        assert_int_equal(ll_test_bind(&none, &format, &test,
                                      (ll_rule_target){.layout = (uint16_t)(uint16_t)(layout - layouts),
                                                       .field = (uint16_t)rows[i].field},
                                      &bound, &b->problem),
                         rows[i].binds ? LL_OK : LL_E_MEMORY);
        must_bind(b, rows[i].check, rows[i].layout, rows[i].field, rows[i].values);
        uint32_t span = rows[i].layout == ITEM ? b->items : b->pointers;
        ll_check_run run = {&b->doc, span, &none, NULL, note, b, LL_OK, &b->doc.searched};
        bool remembers = strcmp(rows[i].check, "equals_sum") != 0 && strcmp(rows[i].check, "bits_one_of") != 0;
        b->count = 0;
        ll_test_judge_span(b->test, NULL, &run, &b->matcher, 0, &b->state);
        assert_int_equal(run.status, remembers ? LL_E_MEMORY : LL_OK);
        assert_int_equal(b->count, 0);
    }
    ll_arena_free(&none);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_an_offset_in_a_body),
        TEST(test_what_points_to_nothing),
        TEST(test_indexes_and_negative_and_huge_values),
        TEST(test_holders),
        TEST(test_a_region_has_its_own_targets),
        TEST(test_leads_inside),
        TEST(test_same_number),
        TEST(test_both_or_neither),
        TEST(test_not_self),
        TEST(test_same_as_counterpart),
        TEST(test_holder_present),
        TEST(test_consecutive),
        TEST(test_referenced),
        TEST(test_referenced_beside_the_array),
        TEST(test_targets_behind_something_else),
        TEST(test_unique),
        TEST(test_unique_beyond_a_span),
        TEST(test_unique_on_several_fields),
        TEST(test_every_byte),
        TEST(test_equals_sum),
        TEST(test_zero_from),
        TEST(test_bits_one_of),
        TEST(test_longer_than),
        TEST(test_guards_and_doubts),
        TEST(test_what_is_refused),
        TEST(test_without_memory),
    };
    return cmocka_run_group_tests_name("relation", tests, NULL, NULL);
}
