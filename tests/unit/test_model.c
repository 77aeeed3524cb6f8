/* model: claims, tiling, gaps of one byte, paths and values. The grx layouts serve as an example. */
#include "unit.h"

#include "formats/fox/fox.h"
#include "formats/grx/grx.h"
#include "formats/strcode.h"
#include "model/value.h"

enum { SIZE = 0x40 };

static void open_doc(ll_doc *doc, const uint8_t *bytes, uint32_t size)
{
    ll_doc_init(doc, NULL);
    ll_doc_open(doc, bytes, size, "test.grxla");
    ll_doc_set_format(doc, &grx_format);
}

typedef struct seen {
    unsigned count, gaps;
    uint32_t end;
    uint32_t gap_offset, gap_length;
    bool tiles;
} seen;

static bool note(void *ctx, const ll_leaf *leaf)
{
    seen *s = ctx;
    s->tiles = s->tiles && leaf->offset == s->end && leaf->length > 0;
    s->end = leaf->offset + leaf->length;
    s->count++;
    if (leaf->kind == LL_KIND_GAP) {
        s->gaps++;
        s->gap_offset = leaf->offset;
        s->gap_length = leaf->length;
    }
    return true;
}

static seen walk(const ll_doc *doc)
{
    seen s = {.tiles = true};
    ll_doc_walk(doc, note, &s);
    return s;
}

static void test_a_hole_of_one_byte_is_seen(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    ll_doc doc;
    open_doc(&doc, bytes, 0x11);
    uint32_t header = ll_claim(&doc, (ll_span){.offset = 0,
                                               .length = 0x10,
                                               .parent = LL_NO_SPAN,
                                               .index = LL_NO_INDEX,
                                               .count = 1,
                                               .layout = grx_header_LAYOUT});
    assert_int_equal(header, 0);
    ll_doc_seal(&doc);
    seen s = walk(&doc);
    assert_true(s.tiles);
    assert_int_equal(s.end, 0x11);
    assert_int_equal(s.gaps, 1);
    assert_int_equal(s.gap_offset, 0x10);
    assert_int_equal(s.gap_length, 1);
    assert_int_equal(doc.fault_count, 1);
    assert_int_equal(doc.first_fault->fault.code, LL_FAULT_GAP);
    ll_doc_free(&doc);
}

static void test_neighbours_leave_no_hole(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    ll_doc doc;
    open_doc(&doc, bytes, 0x18);
    (void)ll_claim(&doc, (ll_span){.offset = 0,
                                   .length = 0x10,
                                   .parent = LL_NO_SPAN,
                                   .index = LL_NO_INDEX,
                                   .count = 1,
                                   .layout = grx_header_LAYOUT});
    (void)ll_claim(&doc, (ll_span){.offset = 0x10,
                                   .length = 8,
                                   .parent = LL_NO_SPAN,
                                   .index = LL_NO_INDEX,
                                   .count = 1,
                                   .layout = grx_terminator_LAYOUT});
    ll_doc_seal(&doc);
    seen s = walk(&doc);
    assert_true(s.tiles);
    assert_int_equal(s.gaps, 0);
    assert_int_equal(s.count, 6);
    assert_int_equal(doc.fault_count, 0);
    ll_doc_free(&doc);
}

static void test_claims_out_of_order_tile_too(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    ll_doc doc;
    open_doc(&doc, bytes, 0x18);
    (void)ll_claim(&doc, (ll_span){.offset = 0x10,
                                   .length = 8,
                                   .parent = LL_NO_SPAN,
                                   .index = LL_NO_INDEX,
                                   .count = 1,
                                   .layout = grx_terminator_LAYOUT});
    (void)ll_claim(&doc, (ll_span){.offset = 0,
                                   .length = 0x10,
                                   .parent = LL_NO_SPAN,
                                   .index = LL_NO_INDEX,
                                   .count = 1,
                                   .layout = grx_header_LAYOUT});
    ll_doc_seal(&doc);
    assert_non_null(doc.order);
    seen s = walk(&doc);
    assert_true(s.tiles);
    assert_int_equal(s.end, 0x18);
    assert_int_equal(doc.fault_count, 0);
    ll_doc_free(&doc);
}

static void test_double_claims_are_an_overlap_and_still_tile(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    ll_doc doc;
    open_doc(&doc, bytes, 0x14);
    (void)ll_claim(&doc, (ll_span){.offset = 0,
                                   .length = 0x10,
                                   .parent = LL_NO_SPAN,
                                   .index = LL_NO_INDEX,
                                   .count = 1,
                                   .layout = grx_header_LAYOUT});
    (void)ll_claim(&doc, (ll_span){.offset = 0x0C,
                                   .length = 8,
                                   .parent = LL_NO_SPAN,
                                   .index = LL_NO_INDEX,
                                   .count = 1,
                                   .layout = grx_terminator_LAYOUT});
    ll_doc_seal(&doc);
    assert_int_equal(doc.fault_count, 1);
    assert_int_equal(doc.first_fault->fault.code, LL_FAULT_OVERLAP);
    assert_int_equal(doc.first_fault->fault.at.offset, 0x0C);
    assert_int_equal(doc.first_fault->fault.at.length, 4);
    assert_true(walk(&doc).tiles);
    ll_doc_free(&doc);
}

static void test_claims_outside_file_or_parent_end_the_parse(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    ll_doc doc;
    open_doc(&doc, bytes, 0x20);
    assert_int_equal(ll_claim(&doc, (ll_span){.offset = 0x18,
                                              .length = 0x10,
                                              .parent = LL_NO_SPAN,
                                              .index = LL_NO_INDEX,
                                              .count = 1,
                                              .layout = grx_header_LAYOUT}),
                     LL_NO_SPAN);
    assert_int_equal(doc.status, LL_E_INTERNAL);
    open_doc(&doc, bytes, 0x20);
    uint32_t parent = ll_claim(&doc, (ll_span){.offset = 0x08,
                                               .length = 0x10,
                                               .parent = LL_NO_SPAN,
                                               .index = 0,
                                               .count = 1,
                                               .layout = grx_opaque_entry_LAYOUT});
    assert_int_equal(ll_claim(&doc, (ll_span){.offset = 0x10,
                                              .length = 0x10,
                                              .parent = parent,
                                              .index = LL_NO_INDEX,
                                              .layout = grx_opaque_body_LAYOUT}),
                     LL_NO_SPAN);
    assert_int_equal(doc.status, LL_E_INTERNAL);
    ll_doc_free(&doc);
}

static bool note_region(void *ctx, const ll_leaf *leaf)
{
    uint32_t *ends = ctx;
    unsigned region = leaf->offset > SIZE;
    assert_int_equal(leaf->offset, ends[region]);
    ends[region] += leaf->length;
    return true;
}

static void test_a_region_has_a_tiling_of_its_own(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    static const uint8_t inner[0x19] = {[0x10] = 0x12, 0x34};
    ll_doc doc;
    open_doc(&doc, bytes, SIZE);
    uint32_t base = ll_doc_add_region(&doc, "part[3]", inner, sizeof inner, 0x20, 0x10);
    assert_true(base > SIZE);
    assert_ptr_equal(ll_doc_at(&doc, SIZE), bytes + SIZE);
    assert_ptr_equal(ll_doc_at(&doc, base), inner);
    assert_null(ll_doc_locate(&doc, SIZE)->name);
    assert_string_equal(ll_doc_locate(&doc, base + sizeof inner)->name, "part[3]");
    (void)ll_claim(
        &doc,
        (ll_span){
            .offset = 0, .length = SIZE, .parent = LL_NO_SPAN, .index = LL_NO_INDEX, .layout = LL_LAYOUT_UNPARSED});
    (void)ll_claim(&doc, (ll_span){.offset = base,
                                   .length = 0x10,
                                   .parent = LL_NO_SPAN,
                                   .index = LL_NO_INDEX,
                                   .count = 1,
                                   .layout = grx_header_LAYOUT});
    uint32_t terminator = ll_claim(&doc, (ll_span){.offset = base + 0x10,
                                                   .length = 8,
                                                   .parent = LL_NO_SPAN,
                                                   .index = LL_NO_INDEX,
                                                   .count = 1,
                                                   .layout = grx_terminator_LAYOUT});
    ll_element record = {NULL, NULL};
    assert_true(ll_element_at(&doc, terminator, 0, &record));
    assert_int_equal(ll_get_uint(&record, 0), 0x3412);
    ll_doc_seal(&doc);
    assert_int_equal(doc.fault_count, 1); /* the last byte of the region is unclaimed */
    assert_int_equal(doc.first_fault->fault.code, LL_FAULT_GAP);
    assert_int_equal(doc.first_fault->fault.at.offset, base + 0x18);
    uint32_t ends[2] = {0, base};
    ll_doc_walk(&doc, note_region, ends);
    assert_int_equal(ends[0], SIZE);
    assert_int_equal(ends[1], base + sizeof inner);
    ll_doc_free(&doc);
}

static void test_claims_across_regions_end_the_parse(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    ll_doc doc;
    open_doc(&doc, bytes, SIZE);
    uint32_t base = ll_doc_add_region(&doc, "part[3]", bytes, 0x10, 0x20, 0x10);
    assert_int_equal(ll_claim(&doc, (ll_span){.offset = 0,
                                              .length = base + 1,
                                              .parent = LL_NO_SPAN,
                                              .index = LL_NO_INDEX,
                                              .layout = LL_LAYOUT_UNPARSED}),
                     LL_NO_SPAN);
    assert_int_equal(doc.status, LL_E_INTERNAL);
    ll_doc_free(&doc);
}

static void test_regions_end_with_the_addresses(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    ll_doc doc;
    open_doc(&doc, bytes, SIZE);
    assert_int_equal(ll_doc_add_region(&doc, "too large", bytes, UINT32_MAX - SIZE, 0, SIZE), 0);
    assert_int_not_equal(ll_doc_add_region(&doc, "fits", bytes, SIZE, 0, SIZE), 0);
    assert_int_equal(doc.status, LL_OK);
    ll_doc_free(&doc);
}

static void test_a_hole_is_cut_at_the_end_of_its_holder(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    ll_doc doc;
    open_doc(&doc, bytes, 0x20);
    (void)ll_claim(&doc, (ll_span){.offset = 0,
                                   .length = 0x10,
                                   .parent = LL_NO_SPAN,
                                   .index = 0,
                                   .count = 1,
                                   .layout = grx_opaque_entry_LAYOUT});
    (void)ll_claim(&doc, (ll_span){.offset = 0x18,
                                   .length = 8,
                                   .parent = LL_NO_SPAN,
                                   .index = LL_NO_INDEX,
                                   .count = 1,
                                   .layout = grx_terminator_LAYOUT});
    ll_doc_seal(&doc);
    assert_int_equal(doc.fault_count, 2); /* 8..0x10 in the entry, 0x10..0x18 outside it */
    assert_int_equal(doc.first_fault->fault.at.span, 0);
    assert_int_equal(doc.first_fault->fault.at.length, 8);
    assert_int_equal(doc.last_fault->fault.at.span, LL_NO_SPAN);
    assert_true(walk(&doc).tiles);
    ll_doc_free(&doc);
}

static void test_a_field_gets_a_value_in_the_file_alone(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    ll_doc doc;
    open_doc(&doc, bytes, SIZE);
    uint32_t base = ll_doc_add_region(&doc, "part[3]", bytes, SIZE, 0x20, 0x10);
    uint32_t spans[] = {ll_claim_fixed(&doc, LL_NO_SPAN, grx_header_LAYOUT, 0),
                        ll_claim_fixed(&doc, LL_NO_SPAN, grx_header_LAYOUT, base)};
    for (unsigned i = 0; i < 2; i++) {
        ll_fault fault = LL_MAKE_FAULT(0, 0, ll_at_field(&doc, spans[i], 0, grx_header_version), ll_nowhere(),
                                       ll_uint(1), ll_uint(2));
        assert_int_equal(fault.arg[1].v.u, 2);
        ll_patch_field(&doc, &fault, LL_PATCH_UNSAFE, 0x01020304);
        assert_int_equal(fault.patch.tier, i ? LL_PATCH_NONE : LL_PATCH_UNSAFE);
        assert_int_equal(fault.patch.size, i ? 0 : 4);
        if (i == 0) {
            assert_int_equal(fault.patch.offset, grx_header_at_version);
            assert_int_equal(ll_le32(ll_fault_patch(&fault)), 0x01020304);
        }
    }
    ll_fault end = ll_fault_at(0, ll_at_bytes(LL_NO_SPAN, SIZE, 0));
    ll_patch_replace(&doc, &end, LL_PATCH_SAFE, SIZE, bytes, 1); /* after the last byte */
    assert_int_equal(end.patch.tier, LL_PATCH_NONE);
    ll_patch_insert(&doc, &end, LL_PATCH_SAFE, SIZE, bytes, 1);
    assert_int_equal(end.patch.tier, LL_PATCH_SAFE);
    ll_doc_free(&doc);
}

static void test_what_could_not_be_claimed_is_nowhere(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    ll_doc doc;
    open_doc(&doc, bytes, SIZE);
    assert_int_equal(ll_claim_unparsed(&doc, LL_NO_SPAN, 8, 8), LL_NO_SPAN);
    assert_int_equal(ll_claim_array(&doc, LL_NO_SPAN, grx_vertex_LAYOUT, 0, 0), LL_NO_SPAN);
    assert_int_equal(doc.span_count, 0);
    ll_where at = ll_at_field(&doc, LL_NO_SPAN, 0, grx_header_magic);
    assert_int_equal(at.span, LL_NO_SPAN);
    assert_int_equal(at.length, 0);
    ll_where gap = ll_claim_gap(&doc, LL_NO_SPAN, 0, 8);
    assert_int_equal(gap.span, 0);
    assert_int_equal(gap.length, 8);
    ll_doc_free(&doc);
}

static void test_faults_stop_at_their_limit_but_the_word_about_it_gets_through(void **state)
{
    (void)state;
    static const uint8_t bytes[SIZE];
    ll_doc doc;
    open_doc(&doc, bytes, 4);
    ll_fault fault = {.code = LL_FAULT_GAP, .at = ll_at_bytes(LL_NO_SPAN, 0, 1)};
    for (int i = 0; i < LL_FAULTS_MAX + 5; i++) {
        ll_raise(&doc, &fault);
    }
    assert_int_equal(doc.fault_count, LL_FAULTS_MAX);
    assert_int_equal(doc.faults_dropped, 5);
    fault.code = LL_FAULT_LIMIT;
    ll_raise(&doc, &fault);
    assert_int_equal(doc.last_fault->fault.code, LL_FAULT_LIMIT);
    ll_doc_free(&doc);
}

static void path_is(const ll_doc *doc, ll_where at, const char *path)
{
    ll_text t;
    ll_text_init(&t, NULL);
    ll_path_text(doc, &at, &t);
    assert_string_equal(ll_text_cstr(&t), path);
    ll_text_free(&t);
}

static void test_paths(void **state)
{
    (void)state;
    static const uint8_t bytes[0x200];
    ll_doc doc;
    open_doc(&doc, bytes, sizeof bytes);
    uint32_t light = ll_claim(&doc, (ll_span){.offset = 0,
                                              .length = 0x98,
                                              .parent = LL_NO_SPAN,
                                              .index = 3,
                                              .count = 1,
                                              .layout = grx_point_light_LAYOUT});
    uint32_t name = ll_claim(&doc, (ll_span){.offset = 0x60,
                                             .length = 0x10,
                                             .parent = light,
                                             .index = LL_NO_INDEX,
                                             .count = 14,
                                             .layout = grx_name_LAYOUT});
    uint32_t area = ll_claim(&doc, (ll_span){.offset = 0x70,
                                             .length = 0x28,
                                             .parent = light,
                                             .index = LL_NO_INDEX,
                                             .count = 1,
                                             .layout = grx_light_area_LAYOUT});
    uint32_t occluder = ll_claim(&doc, (ll_span){.offset = 0x98,
                                                 .length = 0x1C + 0x20,
                                                 .parent = LL_NO_SPAN,
                                                 .index = 4,
                                                 .count = 1,
                                                 .layout = grx_occluder_LAYOUT});
    uint32_t vertices = ll_claim(&doc, (ll_span){.offset = 0x98 + 0x1C,
                                                 .length = 0x20,
                                                 .parent = occluder,
                                                 .index = LL_NO_INDEX,
                                                 .count = 2,
                                                 .layout = grx_vertex_LAYOUT});
    ll_mark_span(&doc, vertices, LL_SPAN_ARRAY);
    path_is(&doc, ll_at_field(&doc, light, 0, grx_point_light_outer_range), "entry[3].outer_range");
    path_is(&doc, ll_at_field(&doc, name, 0, LL_STRING_TEXT), "entry[3].name.text");
    ll_where scale = ll_at_field(&doc, area, 0, grx_light_area_scale);
    path_is(&doc, scale, "entry[3].light_area.scale");
    scale.part = 2;
    path_is(&doc, scale, "entry[3].light_area.scale.z");
    path_is(&doc, ll_at_field(&doc, vertices, 1, grx_vertex_w), "entry[4].vertex[1].w");
    path_is(&doc, ll_at_bytes(LL_NO_SPAN, 0, 4), "file");
    path_is(&doc, ll_at_bytes(light, 0, 4), "entry[3]");
    assert_int_equal(ll_at_field(&doc, vertices, 1, grx_vertex_w).offset, 0x98 + 0x1C + 0x1C);
    ll_where padding = ll_at_field(&doc, name, 0, LL_STRING_PADDING);
    assert_int_equal(padding.offset, 0x60 + 15);
    assert_int_equal(padding.length, 1);
    ll_doc_free(&doc);
}

static void value_is(const ll_doc *doc, uint32_t span, unsigned field, const char *value)
{
    ll_text t;
    ll_text_init(&t, NULL);
    ll_where at = ll_at_field(doc, span, 0, field);
    ll_value_text(doc, ll_where_field(doc, &at), LL_LITTLE, at.offset, at.length, &t);
    assert_string_equal(ll_text_cstr(&t), value);
    ll_text_free(&t);
}

static void test_values_of_two_elements(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 0, 2, 0, 3, 0};
    static const ll_field fields[] = {{"pair", 0, 4, LL_TYPE_U16, LL_ROLE_DATA, LL_SURE_KNOWN, "", ""},
                                      {"three", 0, 6, LL_TYPE_U16, LL_ROLE_DATA, LL_SURE_KNOWN, "", ""}};
    static const char *const shown[] = {"[1, 2]", "[1, 2, 3]"};
    ll_doc doc;
    open_doc(&doc, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        ll_text t;
        ll_text_init(&t, NULL);
        ll_value_text(&doc, &fields[i], LL_LITTLE, 0, fields[i].bytes, &t);
        assert_string_equal(ll_text_cstr(&t), shown[i]);
        ll_text_clear(&t);
        ll_value_text(&doc, &fields[i], LL_LITTLE, 2, 2, &t);
        assert_string_equal(ll_text_cstr(&t), "2");
        ll_text_free(&t);
    }
    ll_doc_free(&doc);
}

/* Values show sixteen bytes, or the first sixteen of more. */
static void test_values_of_bytes(void **state)
{
    (void)state;
    static const uint8_t bytes[17] = {0xAB};
    static const char first[] = "ab 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00";
    ll_field field = {.name = "bytes", .type = LL_TYPE_BYTES};
    ll_doc doc;
    open_doc(&doc, bytes, sizeof bytes);
    for (uint32_t length = 15; length <= 17; length++) {
        ll_text t;
        ll_text_init(&t, NULL);
        ll_value_text(&doc, &field, LL_LITTLE, 0, length, &t);
        assert_memory_equal(ll_text_cstr(&t), first, length == 15 ? 44 : 47);
        assert_string_equal(ll_text_cstr(&t) + (length == 15 ? 44 : 47), length == 17 ? " ..." : "");
        ll_text_free(&t);
    }
    ll_doc_free(&doc);
}

static void test_values(void **state)
{
    (void)state;
    uint8_t bytes[0x68] = {'E', 'P', '0', '0', 0x68, 0, 0, 0, 0x24, 0x2C, 0x2F, 0x89, 0x01, 0x86};
    bytes[grx_probe_at_priority] = 0xFF;
    bytes[grx_probe_at_priority + 1] = 0xFF;
    bytes[grx_probe_at_inner_scale_positive + 1] = 0x3C; /* 1.0 */
    bytes[grx_probe_at_scale + 3] = 0x40;                /* 2.0f */
    ll_doc doc;
    open_doc(&doc, bytes, sizeof bytes);
    uint32_t probe = ll_claim(&doc, (ll_span){.offset = 0,
                                              .length = sizeof bytes,
                                              .parent = LL_NO_SPAN,
                                              .index = 1,
                                              .count = 1,
                                              .layout = grx_probe_LAYOUT});
    bytes[grx_probe_at_scale + 11] = 0x41; /* 8.0f, the third */
    ll_element record = {NULL, NULL};
    assert_true(ll_element_at(&doc, probe, 0, &record));
    assert_true(ll_get_number(&record, grx_probe_scale, 2) == 8.0);
    bytes[grx_probe_at_scale + 11] = 0;
    value_is(&doc, probe, grx_probe_tag, "\"EP00\"");
    value_is(&doc, probe, grx_probe_entry_size, "104");
    value_is(&doc, probe, grx_probe_name_hash, "0x00008601892f2c24");
    value_is(&doc, probe, grx_probe_priority, "-1");
    value_is(&doc, probe, grx_probe_inner_scale_positive, "[1, 0, 0]");
    value_is(&doc, probe, grx_probe_scale, "[2, 0, 0]");
    assert_true(ll_get_number(&record, grx_probe_priority, 0) < -0.5);
    ll_where at = ll_at_field(&doc, probe, 0, grx_probe_priority);
    ll_text t;
    ll_text_init(&t, NULL);
    ll_key_path_text(&doc, &at, &t);
    assert_string_equal(ll_text_cstr(&t), "entry{00008601892f2c24}.priority");
    ll_text_free(&t);
    ll_doc_free(&doc);
}

static void test_values_of_one_and_three_bytes(void **state)
{
    (void)state;
    static const ll_field fields[] = {
        {"small", 0, 1, LL_TYPE_I8, LL_ROLE_DATA, LL_SURE_KNOWN, "", ""},
        {"up", 1, 3, LL_TYPE_U24, LL_ROLE_DATA, LL_SURE_KNOWN, "", ""},
        {"down", 4, 6, LL_TYPE_I24, LL_ROLE_DATA, LL_SURE_KNOWN, "", ""},
    };
    static const ll_layout layouts[LL_LAYOUT_BUILTINS + 1] = {
        [LL_LAYOUT_BUILTINS] = {"t.record", "record", LL_KIND_RECORD, LL_LITTLE, LL_ROLE_DATA, 10, 3, LL_NO_FIELD,
                                fields, ""}};
    static const ll_format format = {.family = "t", .layouts = layouts, .layout_count = LL_LAYOUT_BUILTINS + 1};
    static const uint8_t bytes[10] = {0x80, 0xFF, 0xFF, 0x80, 0xFF, 0xFF, 0x7F, 0xEC, 0xFF, 0xFF};
    ll_doc doc;
    ll_doc_init(&doc, NULL);
    ll_doc_open(&doc, bytes, sizeof bytes, "test");
    ll_doc_set_format(&doc, &format);
    uint32_t record = ll_claim(&doc, (ll_span){.offset = 0,
                                               .length = sizeof bytes,
                                               .parent = LL_NO_SPAN,
                                               .index = LL_NO_INDEX,
                                               .count = 1,
                                               .layout = LL_LAYOUT_BUILTINS});
    value_is(&doc, record, 0, "-128");
    value_is(&doc, record, 1, "8454143");
    value_is(&doc, record, 2, "[8388607, -20]");
    ll_element one = {NULL, NULL};
    assert_true(ll_element_at(&doc, record, 0, &one));
    assert_int_equal(ll_get_uint(&one, 1), 0x80FFFF);
    assert_true(ll_get_number(&one, 2, 1) < -19.5);
    assert_true(ll_read_uint(bytes + 7, 3, LL_BIG) == 0xECFFFF);
    ll_doc_free(&doc);
}

/* Unclaimed records cannot be read and have no position. */
static void test_only_claimed_records_are_read(void **state)
{
    (void)state;
    uint8_t bytes[0x18] = {0};
    ll_doc doc;
    ll_element record = {NULL, NULL};
    open_doc(&doc, bytes, sizeof bytes);
    assert_false(ll_element_at(&doc, LL_NO_SPAN, 0, &record));
    assert_false(ll_element_at(&doc, 0, 0, &record));
    uint32_t array = ll_claim_array(&doc, LL_NO_SPAN, grx_terminator_LAYOUT, 0, 2);
    uint32_t rest = ll_claim_unparsed(&doc, LL_NO_SPAN, 0x10, sizeof bytes);
    assert_true(ll_element_at(&doc, array, 1, &record));
    assert_ptr_equal(record.bytes, bytes + 8);
    assert_false(ll_element_at(&doc, array, 2, &record));
    assert_false(ll_element_at(&doc, rest, 0, &record));
    assert_false(ll_element_at(&doc, rest + 1, 0, &record));
    assert_int_equal(ll_at_field(&doc, array, 1, grx_terminator_tag).offset, 8);
    assert_int_equal(ll_at_field(&doc, array, 2, grx_terminator_tag).span, LL_NO_SPAN);
    ll_doc_mark mark = ll_doc_mark_here(&doc);
    uint32_t taken_back = ll_claim(
        &doc,
        (ll_span){.offset = 0x10, .length = 0, .parent = rest, .index = LL_NO_INDEX, .layout = grx_header_LAYOUT});
    ll_doc_rewind(&doc, &mark);
    assert_false(ll_element_at(&doc, taken_back, 0, &record));
    assert_int_equal(doc.firsts[grx_header_LAYOUT], 0);
    ll_doc_free(&doc);
}

/* Names in paths: a property is named by the text of its hash, an entity by its number and the text of its class. */
static void test_a_name_in_place_of_a_number(void **state)
{
    (void)state;
    enum { ENTITY = 2 * fox_property_SIZE, STRING = ENTITY + fox_entity_SIZE, END = STRING + fox_string_SIZE + 5 };
    static uint8_t bytes[END];
    ll_doc doc;
    memcpy(bytes + STRING + fox_string_SIZE, "CYRUS", 5);
    const uint64_t hash = ll_strcode64_unended(bytes + STRING + fox_string_SIZE, 5);
    ll_put_uint(bytes + STRING, 8, false, hash);
    ll_put_uint(bytes, 8, false, hash);
    ll_put_uint(bytes + ENTITY + fox_entity_at_class_name, 8, false, hash);
    open_doc(&doc, bytes, sizeof bytes);
    ll_doc_set_format(&doc, &fox_format);
    uint32_t first = ll_claim(&doc, (ll_span){.offset = 0,
                                              .length = fox_property_SIZE,
                                              .parent = LL_NO_SPAN,
                                              .index = 3,
                                              .count = 1,
                                              .layout = fox_property_LAYOUT});
    uint32_t second = ll_claim(&doc, (ll_span){.offset = fox_property_SIZE,
                                               .length = fox_property_SIZE,
                                               .parent = LL_NO_SPAN,
                                               .index = 4,
                                               .count = 1,
                                               .layout = fox_property_LAYOUT});
    uint32_t entity = ll_claim(&doc, (ll_span){.offset = ENTITY,
                                               .length = fox_entity_SIZE,
                                               .parent = LL_NO_SPAN,
                                               .index = 0,
                                               .count = 1,
                                               .layout = fox_entity_LAYOUT});
    (void)ll_claim(&doc, (ll_span){.offset = STRING,
                                   .length = END - STRING,
                                   .parent = LL_NO_SPAN,
                                   .index = 0,
                                   .count = 1,
                                   .layout = fox_string_LAYOUT});
    path_is(&doc, ll_at_field(&doc, first, 0, fox_property_size), "property[3].size");
    ll_note_names(&doc);
    path_is(&doc, ll_at_field(&doc, first, 0, fox_property_size), "property[CYRUS].size");
    path_is(&doc, ll_at_field(&doc, second, 0, fox_property_size), "property[4].size");
    path_is(&doc, ll_at_field(&doc, entity, 0, fox_entity_size), "entity[0:CYRUS].size");
    ll_doc_free(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_hole_of_one_byte_is_seen),
        cmocka_unit_test(test_neighbours_leave_no_hole),
        cmocka_unit_test(test_claims_out_of_order_tile_too),
        cmocka_unit_test(test_double_claims_are_an_overlap_and_still_tile),
        cmocka_unit_test(test_claims_outside_file_or_parent_end_the_parse),
        cmocka_unit_test(test_a_hole_is_cut_at_the_end_of_its_holder),
        cmocka_unit_test(test_a_region_has_a_tiling_of_its_own),
        cmocka_unit_test(test_claims_across_regions_end_the_parse),
        cmocka_unit_test(test_regions_end_with_the_addresses),
        cmocka_unit_test(test_a_field_gets_a_value_in_the_file_alone),
        cmocka_unit_test(test_what_could_not_be_claimed_is_nowhere),
        cmocka_unit_test(test_faults_stop_at_their_limit_but_the_word_about_it_gets_through),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_values_of_two_elements),
        cmocka_unit_test(test_values_of_bytes),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_values_of_one_and_three_bytes),
        cmocka_unit_test(test_only_claimed_records_are_read),
        cmocka_unit_test(test_a_name_in_place_of_a_number),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
