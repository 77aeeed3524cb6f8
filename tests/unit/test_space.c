/* space, html/plan: rows of shipped formats name suitable fields; each kind of row, non-finite numbers, too many
 * corners; names are never markup; a plan states what it leaves out. The format is made up. */
#include <math.h>

#include "unit.h"

#include "output/html/plan.h"
#include "files/space.h"
#include "sample.h"

#include <stdio.h>

enum { BODY = LL_LAYOUT_BUILTINS, CORNERS, LABEL, LAYOUTS, BODY_SIZE = 112 };

#define FIELD(name, offset, bytes, type, role)                                                                         \
    {                                                                                                                  \
        name, offset, bytes, LL_TYPE_##type, LL_ROLE_##role, LL_SURE_KNOWN, "", ""                                     \
    }
enum { KIND, AT, X, Y, Z, COLOR, R, G, B, WAY, TURN, REACH, ANGLE, EDGES, PLUS, MINUS, FIRST, COUNT, NAME, FIELDS };
static const ll_field body_fields[FIELDS] = {[KIND] = FIELD("kind", 0, 2, U16, DATA),
                                             [AT] = FIELD("at", 2, 12, F32, DATA),
                                             [X] = FIELD("x", 14, 3, I24, DATA),
                                             [Y] = FIELD("y", 17, 3, I24, DATA),
                                             [Z] = FIELD("z", 20, 3, U24, DATA),
                                             [COLOR] = FIELD("color", 23, 12, F32, DATA),
                                             [R] = FIELD("r", 35, 1, U8, DATA),
                                             [G] = FIELD("g", 36, 1, U8, DATA),
                                             [B] = FIELD("b", 37, 1, U8, DATA),
                                             [WAY] = FIELD("way", 38, 12, F32, DATA),
                                             [TURN] = FIELD("turn", 50, 16, F32, DATA),
                                             [REACH] = FIELD("reach", 66, 4, F32, DATA),
                                             [ANGLE] = FIELD("angle", 70, 4, F32, DATA),
                                             [EDGES] = FIELD("edges", 74, 12, F32, DATA),
                                             [PLUS] = FIELD("plus", 86, 6, F16, DATA),
                                             [MINUS] = FIELD("minus", 92, 6, F16, DATA),
                                             [FIRST] = FIELD("first", 98, 2, U16, DATA),
                                             [COUNT] = FIELD("count", 100, 2, U16, COUNT),
                                             [NAME] = FIELD("name", 102, 10, CHARS, STRING)};
static const ll_field corner_fields[] = {FIELD("place", 0, 12, F32, DATA)};

static const ll_layout layouts[LAYOUTS] = {
    [LL_LAYOUT_UNPARSED] = {.name = "unparsed", .label = "", .kind = LL_KIND_UNPARSED},
    [BODY] = {"t.body", "body", LL_KIND_RECORD, LL_LITTLE, LL_ROLE_DATA, BODY_SIZE, FIELDS, LL_NO_FIELD, body_fields,
              ""},
    [CORNERS] = {"t.corner", "corner", LL_KIND_RECORD, LL_LITTLE, LL_ROLE_DATA, 12, 1, LL_NO_FIELD, corner_fields, ""},
    [LABEL] = {"t.label", "label", LL_KIND_STRING, LL_LITTLE, LL_ROLE_STRING, 0, LL_STRING_PARTS, LL_NO_FIELD,
               ll_string_fields, ""}};

static const ll_reference references[] = {
    {BODY, FIRST, CORNERS, LL_WITHIN_FILE, COUNT, LL_BY_INDEX, LL_COUNTS_TARGETS, 0}};
static const ll_world world = {1, "m", {2, 2, 2}, {10, 0, 0}, 3};

enum { NONE = LL_NO_FIELD, SPHERE = 1, CONE, BOX, FACE, POINT, OTHER };
#define LOOK(kind, layer, glyph, aside)                                                                                \
    {                                                                                                                  \
        BODY, LL_SHAPE_LOOK, aside, {KIND, kind}, layer, glyph, 0                                                      \
    }
#define SHAPE(kind, ...)                                                                                               \
    {                                                                                                                  \
        BODY, LL_SHAPE_##kind, false, {__VA_ARGS__}, NULL, NULL, 8                                                     \
    }
static const ll_shape shapes[] = {LOOK(SPHERE, "Spheres", "●", false),
                                  SHAPE(AT, AT, NONE, NONE, NONE),
                                  SHAPE(COLOR, COLOR, NONE, NONE, NONE),
                                  SHAPE(SPHERE, REACH, NONE, NONE, NONE),
                                  SHAPE(REACH, KIND, CONE, REACH, COLOR),
                                  SHAPE(REACH_SQUARE, KIND, SPHERE, REACH, COLOR),
                                  SHAPE(SPHERE, NONE, NONE, NONE, NONE),
                                  LOOK(CONE, "Cones", "◆", false),
                                  SHAPE(AT, AT, NONE, NONE, NONE),
                                  SHAPE(DIRECTION, WAY, NONE, NONE, TURN),
                                  SHAPE(CONE, REACH, ANGLE, NONE, NONE),
                                  LOOK(BOX, "Boxes", "■", true),
                                  SHAPE(AT, AT, NONE, NONE, NONE),
                                  SHAPE(BOX, EDGES, TURN, NONE, NONE),
                                  SHAPE(BOX, EDGES, TURN, PLUS, MINUS),
                                  LOOK(FACE, "Faces", "▰", false),
                                  SHAPE(POLYGON, FIRST, 0, 0, 0),
                                  LOOK(POINT, "Points", "+", false),
                                  SHAPE(AT, X, Y, Z, NONE),
                                  SHAPE(COLOR, R, G, B, NONE)};

static const ll_format format = {.family = "t",
                                 .layouts = layouts,
                                 .layout_count = LAYOUTS,
                                 .references = references,
                                 .reference_count = 1,
                                 .world = &world,
                                 .shapes = shapes,
                                 .shape_count = sizeof shapes / sizeof *shapes};

/* ------------------------------------------------------------------ files */

enum {
    BODIES = 2500,
    CORNER_COUNT = 5000,
    LABEL_SIZE = 8,
    FILE_SIZE = BODIES * BODY_SIZE + CORNER_COUNT * 12 + LABEL_SIZE
};
static uint8_t bytes[FILE_SIZE];

static uint8_t *field_at(unsigned body, unsigned field)
{
    return bytes + (size_t)body * BODY_SIZE + body_fields[field].offset;
}

static void put_singles(uint8_t *at, unsigned n, const float *values)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        ll_put_uint(at + 4 * i, 4, LL_LITTLE, bits);
    }
}

/* Writes a body of a kind at 5 6 7, as far as the kind has a position of that form. */
static void put_body(unsigned body, unsigned kind)
{
    memset(bytes + (size_t)body * BODY_SIZE, 0, BODY_SIZE);
    ll_put_uint(field_at(body, KIND), 2, LL_LITTLE, kind);
    put_singles(field_at(body, AT), 3, (const float[]){5, 6, 7});
    put_singles(field_at(body, COLOR), 3, (const float[]){0.5F, 4, -1});
    put_singles(field_at(body, WAY), 3, (const float[]){0, -2, 0});
    put_singles(field_at(body, TURN), 4, (const float[]){0, 0, 0.70710678F, 0.70710678F});
    put_singles(field_at(body, REACH), 1, (const float[]){8});
    put_singles(field_at(body, ANGLE), 1, (const float[]){200});
    put_singles(field_at(body, EDGES), 3, (const float[]){2, 4, 6});
    for (unsigned i = 0; i < 3; i++) {
        ll_put_uint(field_at(body, PLUS) + 2 * i, 2, LL_LITTLE, 0x3800);  /* 0.5 */
        ll_put_uint(field_at(body, MINUS) + 2 * i, 2, LL_LITTLE, 0x3400); /* 0.25 */
    }
    ll_put_uint(field_at(body, X), 3, LL_LITTLE, 0xFFFFFF);
    ll_put_uint(field_at(body, Z), 3, LL_LITTLE, 3);
    memcpy(field_at(body, R), "\x00\x80\xFF", 3);
}

/* Claims bodies, each in a span of its own with a label in the last one, or all in one array; corners follow. */
static void parse(ll_report *report, unsigned bodies, bool array)
{
    ll_doc *doc = &report->doc;
    uint32_t corners = bodies * BODY_SIZE, label = corners + CORNER_COUNT * 12;
    memmove(bytes + corners, bytes + BODIES * BODY_SIZE, CORNER_COUNT * 12 + LABEL_SIZE);
    ll_doc_open(doc, bytes, label + LABEL_SIZE, "test");
    ll_doc_set_format(doc, &format);
    if (array) {
        (void)ll_claim_array(doc, LL_NO_SPAN, BODY, 0, bodies);
    }
    for (unsigned i = 0; i < bodies && !array; i++) {
        (void)ll_claim(doc, (ll_span){.offset = i * BODY_SIZE,
                                      .length = BODY_SIZE,
                                      .parent = LL_NO_SPAN,
                                      .index = i,
                                      .count = 1,
                                      .layout = BODY});
    }
    (void)ll_claim_array(doc, LL_NO_SPAN, CORNERS, corners, CORNER_COUNT);
    (void)ll_claim(doc, (ll_span){.offset = label,
                                  .length = LABEL_SIZE,
                                  .parent = LL_NO_SPAN,
                                  .index = LL_NO_INDEX,
                                  .count = 7,
                                  .layout = LABEL});
    ll_doc_seal(doc);
    assert_int_equal(doc->status, LL_OK);
}

enum { SEEN_MAX = BODIES };
typedef struct seen {
    ll_thing things[SEEN_MAX];
    unsigned count;
} seen;

static bool see(void *ctx, const ll_thing *thing)
{
    seen *s = ctx;
    s->things[s->count++] = *thing;
    return s->count < SEEN_MAX;
}

static seen all;

static const ll_thing *only(ll_report *report)
{
    all.count = 0;
    parse(report, 1, false);
    ll_space_walk(&report->doc, see, &all);
    assert_int_equal(all.count, 1);
    return &all.things[0];
}

static int set_up(void **state)
{
    ll_report *report = NULL;
    memset(bytes, 0, sizeof bytes);
    for (unsigned i = 0; i < CORNER_COUNT; i++) {
        put_singles(bytes + BODIES * BODY_SIZE + 12 * (size_t)i, 3,
                    (const float[]){(float)(i % 4), 1, (float)(i / 4 % 4)});
    }
    memcpy(bytes + FILE_SIZE - LABEL_SIZE, "<label>", 7);
    int failed = ll_report_create(NULL, &report) != LL_OK;
    *state = report;
    return failed;
}

static int tear_down(void **state)
{
    ll_report_free(*state);
    return 0;
}

static void near(const double *have, double x, double y, double z)
{
    const double want[] = {x, y, z};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(have[i] > want[i] - 1e-6 && have[i] < want[i] + 1e-6);
    }
}

/* ------------------------------------------------------------------ rows of the formats */

static bool is_number(const ll_layout *layout, unsigned field)
{
    return field < layout->field_count && layout->fields[field].type < LL_TYPE_CHARS &&
           ll_field_elements(&layout->fields[field]) == 1;
}

/* Is it one field of n numbers? `apart`: or n fields of one number. */
static bool is_vector(const ll_layout *layout, const uint16_t *field, unsigned n, bool apart)
{
    bool good = field[0] < layout->field_count && layout->fields[field[0]].type < LL_TYPE_CHARS &&
                ll_field_elements(&layout->fields[field[0]]) == n;
    bool all_good = apart;
    for (unsigned i = 0; i < n && !good; i++) {
        all_good = all_good && is_number(layout, field[i]);
    }
    return good || all_good;
}

/* A field, or a preceding row that states the reach. */
static bool is_reach(const ll_shape *row, const ll_layout *layout)
{
    const ll_shape *told = row - (row->field[0] == LL_NO_FIELD);
    return told->kind == LL_SHAPE_REACH || told->kind == LL_SHAPE_REACH_SQUARE || is_number(layout, row->field[0]);
}

static bool is_polygon(const ll_format *f, const ll_shape *row)
{
    const ll_reference *to = ll_reference_of(f, row->layout, row->field[0]);
    return to && to->extent != LL_NO_FIELD && to->unit == LL_COUNTS_TARGETS &&
           is_vector(&f->layouts[to->target], &row->field[1], 3, false);
}

static bool row_is_good(const ll_format *f, const ll_shape *row, bool aimed)
{
    const ll_layout *l = &f->layouts[row->layout];
    const uint16_t *field = row->field;
    switch (row->kind) {
    case LL_SHAPE_LOOK:
        return row->layer[0] && row->glyph[0] && (field[0] == LL_NO_FIELD || is_number(l, field[0]));
    case LL_SHAPE_AT:
    case LL_SHAPE_COLOR:
        return is_vector(l, field, 3, true);
    case LL_SHAPE_DIRECTION:
        return (field[0] == LL_NO_FIELD || is_vector(l, field, 3, true)) &&
               (field[3] == LL_NO_FIELD ? field[0] != LL_NO_FIELD : is_vector(l, &field[3], 4, false));
    case LL_SHAPE_REACH:
    case LL_SHAPE_REACH_SQUARE:
        return is_number(l, field[0]) && is_number(l, field[2]) && is_vector(l, &field[3], 3, false) &&
               row->divisor > 0;
    case LL_SHAPE_SPHERE:
        return is_reach(row, l);
    case LL_SHAPE_CONE:
        return aimed && is_reach(row, l) && is_number(l, field[1]);
    case LL_SHAPE_BOX:
        return is_vector(l, &field[0], 3, false) && (field[1] == LL_NO_FIELD || is_vector(l, &field[1], 4, false)) &&
               (field[2] == LL_NO_FIELD) == (field[3] == LL_NO_FIELD) &&
               (field[2] == LL_NO_FIELD || (is_vector(l, &field[2], 3, false) && is_vector(l, &field[3], 3, false)));
    default:
        return row->kind == LL_SHAPE_POLYGON && is_polygon(f, row);
    }
}

static void check_rows(const ll_format *f)
{
    bool seen_layout[LL_LAYOUTS_MAX] = {false};
    unsigned solids = 0;
    bool placed = true, aimed = false;
    for (size_t i = 0; i < f->shape_count; i++) {
        const ll_shape *row = &f->shapes[i];
        bool begins = row->kind == LL_SHAPE_LOOK, goes_on = i && row->layout == f->shapes[i - 1].layout;
        assert_in_range(row->layout, LL_LAYOUT_BUILTINS, f->layout_count - 1);
        assert_int_equal(f->layouts[row->layout].kind, LL_KIND_RECORD);
        assert_true(begins ? placed : goes_on); /* a row with a shape has a position or is a polygon */
        assert_true(goes_on || !seen_layout[row->layout]);
        seen_layout[row->layout] = true;
        placed = begins ? false : placed || row->kind == LL_SHAPE_AT || row->kind == LL_SHAPE_POLYGON;
        aimed = begins ? false : aimed || row->kind == LL_SHAPE_DIRECTION;
        solids = begins ? 0 : solids + (row->kind >= LL_SHAPE_SPHERE);
        assert_true(placed || row->kind < LL_SHAPE_SPHERE);
        assert_in_range(solids, 0, LL_SOLIDS_MAX);
        if (!row_is_good(f, row, aimed)) {
            fail_msg("row %zu of %s, of %s", i, f->family, f->layouts[row->layout].name);
        }
    }
    assert_true(placed);
    if (f->shape_count) {
        assert_true(f->world->unit[0] && (f->world->up == 1 || f->world->up == 2) && f->world->size > 0);
        assert_true(f->world->scale[0] != 0 && f->world->scale[1] != 0 && f->world->scale[2] != 0);
    }
}

static void test_rows_name_fields_that_fit(void **state)
{
    (void)state;
    unsigned with_shapes = 0;
    for (size_t i = 0; i < ll_format_count(); i++) {
        check_rows(ll_format_at(i));
        with_shapes += ll_format_at(i)->shape_count > 0;
    }
    assert_true(with_shapes >= 4);
    check_rows(&format);
}

/* ------------------------------------------------------------------ kinds of rows */

static void test_a_sphere(void **state)
{
    put_body(0, SPHERE);
    const ll_thing *t = only(*state);
    assert_true(t->placed && t->colored && !t->aimed);
    near(t->at, 20, 12, 14);                          /* value * 2 + 10, and * 2 */
    assert_memory_equal(t->color, "\x20\xFF\x00", 3); /* relative to the maximum, 4; negative numbers count as 0 */
    assert_int_equal(t->solid_count, 2);
    assert_true(t->solids[0].kind == LL_SHAPE_SPHERE && !t->solids[0].dashed && t->solids[1].dashed);
    assert_true(t->solids[0].reach > 23.9 && t->solids[0].reach < 24.1); /* in world units */
    assert_true(t->solids[1].reach > 5.9 && t->solids[1].reach < 6.1);   /* the square root of 8 * 4 / 8 */
}

static void test_a_cone(void **state)
{
    put_body(0, CONE);
    const ll_thing *t = only(*state);
    assert_true(t->placed && !t->colored && t->aimed);
    near(t->toward, 1, 0, 0); /* downwards, turned by 90 degrees around Z */
    assert_true(t->solid_count == 1 && t->solids[0].angle > 179 && t->solids[0].angle <= 180);
    put_singles(field_at(0, WAY), 3, (const float[]){0, 0, 0});
    t = only(*state);
    assert_true(t->placed && !t->aimed && t->solid_count == 0);
}

static void test_a_box(void **state)
{
    put_body(0, BOX);
    const ll_thing *t = only(*state);
    assert_true(t->look->aside && t->solid_count == 2);
    near(t->solids[0].low, -1, -2, -3);
    near(t->solids[0].high, 1, 2, 3);
    near(t->solids[1].low, -0.25, -0.5, -0.75);
    near(t->solids[1].high, 0.5, 1, 1.5);
    assert_true(t->solids[1].dashed);
    put_singles(field_at(0, TURN), 1, (const float[]){1e30F});
    t = only(*state);
    near(t->solids[0].rotation, 0, 0, 0); /* not turned, because the rotation is impossible */
    assert_true(t->solids[0].rotation[3] > 0.9);
}

static void test_a_polygon(void **state)
{
    put_body(0, FACE);
    ll_put_uint(field_at(0, FIRST), 2, LL_LITTLE, 1);
    ll_put_uint(field_at(0, COUNT), 2, LL_LITTLE, 2);
    const ll_thing *t = only(*state);
    double corner[3];
    near(t->at, 1.5, 1, 0);
    assert_int_equal(t->solids[0].count, 2);
    ll_report *report = *state;
    ll_solid_corner(&report->doc, &t->solids[0], 1, corner);
    near(corner, 2, 1, 0);
    ll_put_uint(field_at(0, COUNT), 2, LL_LITTLE, 1);
    assert_false(only(*state)->placed); /* one corner is no line */
    ll_put_uint(field_at(0, COUNT), 2, LL_LITTLE, 0xFFFF);
    assert_int_equal(only(*state)->solids[0].count, LL_CORNERS_MAX);
    ll_put_uint(field_at(0, FIRST), 2, LL_LITTLE, CORNER_COUNT - 2);
    assert_int_equal(only(*state)->solids[0].count, 2); /* only as many as exist */
    ll_put_uint(field_at(0, FIRST), 2, LL_LITTLE, CORNER_COUNT);
    assert_false(only(*state)->placed);
}

static void test_a_position_of_three_fields(void **state)
{
    put_body(0, POINT);
    const ll_thing *t = only(*state);
    near(t->at, 8, 0, 6);
    assert_memory_equal(t->color, "\x00\x80\xFF", 3);
    assert_int_equal(t->solid_count, 0);
    ll_put_uint(field_at(0, Z), 3, LL_LITTLE, 0xFFFFFF); /* farther than the limit */
    assert_false(only(*state)->placed);
}

static void test_what_has_no_look(void **state)
{
    put_body(0, OTHER);
    all.count = 0;
    parse(*state, 1, false);
    ll_report *report = *state;
    ll_space_walk(&report->doc, see, &all);
    assert_int_equal(all.count, 0);
    ll_text out;
    ll_text_init(&out, NULL);
    assert_false(ll_space_plan(report, NULL, &out));
    assert_int_equal(out.length, 0);
    ll_doc_open(&report->doc, bytes, 4, "none"); /* without a format */
    ll_doc_seal(&report->doc);
    assert_false(ll_space_plan(report, NULL, &out));
    assert_int_equal(ll_space_json(report, &out, NULL, NULL), LL_OK);
    assert_string_equal(ll_text_cstr(&out), "{\"up\":1,\"unit\":\"\",\"things\":[]}\n");
    ll_text_free(&out);
}

/* ------------------------------------------------------------------ non-finite numbers */

static void test_numbers_that_are_none(void **state)
{
    static const unsigned kinds[] = {SPHERE, CONE, BOX, POINT}, fields[] = {AT, COLOR, WAY, TURN, REACH, ANGLE, EDGES};
    static const uint32_t odd[] = {0x7FC00000, 0x7F800000, 0xFF800000, 0x7F7FFFFF,
                                   0xFF7FFFFF, 0x4B18967F, 0x4B189680, 1};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds * (sizeof fields / sizeof *fields) * 8; i++) {
        put_body(0, kinds[i % 4]);
        ll_put_uint(field_at(0, fields[i / 4 % 7]), 4, LL_LITTLE, odd[i / 28]);
        const ll_thing *t = only(*state);
        for (unsigned j = 0; j < 3; j++) {
            assert_true(!t->placed || (t->at[j] >= -2 * LL_SPACE_FAR && t->at[j] <= 2 * LL_SPACE_FAR + 10));
            assert_true(t->toward[j] >= -1.0001 && t->toward[j] <= 1.0001);
        }
        for (unsigned j = 0; j < t->solid_count; j++) {
            const ll_solid *s = &t->solids[j];
            assert_true(t->placed && s->reach >= 0 && s->reach < LL_SPACE_FAR && s->angle >= 0 && s->angle <= 180);
            for (unsigned k = 0; k < 3; k++) {
                assert_true(s->low[k] > -LL_SPACE_FAR && s->high[k] < LL_SPACE_FAR);
            }
        }
    }
}

static void test_corners_of_all_polygons_have_a_limit(void **state)
{
    enum { FACES = 400 };
    ll_report *report = *state;
    unsigned placed = 0;
    for (unsigned i = 0; i < FACES; i++) {
        put_body(i, FACE);
        ll_put_uint(field_at(i, COUNT), 2, LL_LITTLE, 0xFFFF);
    }
    parse(report, FACES, true);
    all.count = 0;
    ll_space_walk(&report->doc, see, &all);
    for (unsigned i = 0; i < all.count; i++) {
        placed += all.things[i].placed;
    }
    assert_int_equal(all.count, FACES);
    assert_int_equal(placed, LL_ALL_CORNERS_MAX / LL_CORNERS_MAX);
    ll_text out;
    ll_text_init(&out, NULL);
    assert_true(ll_space_plan(report, NULL, &out));
    const char *plan = ll_text_cstr(&out);
    assert_non_null(strstr(plan, "<p>144 without a place that can be drawn</p>"));
    assert_non_null(strstr(plan, "<p>242 drawn without outlines, which would be too many</p>"));
    assert_true(out.length < (1U << 20));
    ll_text_free(&out);
}

/* ------------------------------------------------------------------ names, JSON, plans */

static void test_names(void **state)
{
    ll_report *report = *state;
    ll_text name;
    ll_text_init(&name, NULL);
    put_body(0, POINT);
    const ll_thing *t = only(report);
    ll_thing_name(&report->doc, t, &name);
    assert_int_equal(name.length, 0); /* the label is unclaimed */
    memcpy(field_at(0, NAME), "a<b>\x1b&\xFF", 8);
    ll_thing_name(&report->doc, t, &name);
    assert_string_equal(ll_text_cstr(&name), "a<b>\\x1b&\\xff");
    ll_text_clear(&name);
    ll_thing_path(&report->doc, t, &name);
    assert_string_equal(ll_text_cstr(&name), "body[0]");
    put_body(1, POINT);
    parse(report, 2, true);
    all.count = 0;
    ll_space_walk(&report->doc, see, &all);
    ll_text_clear(&name);
    ll_thing_path(&report->doc, &all.things[1], &name);
    assert_string_equal(ll_text_cstr(&name), "body[1]");
    ll_text_free(&name);
}

static void test_json(void **state)
{
    ll_report *report = *state;
    ll_text out;
    ll_text_init(&out, NULL);
    put_body(0, CONE);
    memcpy(field_at(0, NAME), "\"x\"", 3);
    put_singles(field_at(0, TURN), 4, (const float[]){0, 0, 0, 1});
    parse(report, 1, false);
    assert_int_equal(ll_space_json(report, &out, NULL, NULL), LL_OK);
    assert_string_equal(
        ll_text_cstr(&out),
        "{\"up\":1,\"unit\":\"m\",\"things\":[\n{\"record\":\"t.body\",\"path\":\"body[0]\",\"offset\":0,"
        "\"layer\":\"Cones\",\"glyph\":\"◆\",\"name\":\"\\\"x\\\"\",\"at\":[20,12,14],"
        "\"toward\":[0,-1,0],\"solids\":[{\"kind\":\"cone\",\"reach\":24,\"angle\":180}]}]}\n");
    ll_text_free(&out);
}

static void has(ll_text *plan, const char *words, bool there)
{
    if ((strstr(ll_text_cstr(plan), words) != NULL) != there) {
        (void)fwrite(plan->data, 1, plan->length, stderr);
        fail_msg("%s '%s'", there ? "no" : "a", words);
    }
}

static void test_a_plan_of_made_things(void **state)
{
    ll_report *report = *state;
    ll_text out;
    ll_text_init(&out, NULL);
    put_body(0, POINT);
    memcpy(field_at(0, NAME), "<img x>&\"'", 10);
    put_body(1, SPHERE);
    put_body(2, BOX);
    parse(report, 3, false);
    assert_true(ll_space_plan(report, NULL, &out));
    has(&out, "<img", false);
    has(&out, "<title>&lt;img x&gt;&amp;&quot;&#39;, body[0]</title>", true);
    has(&out, "aria-label=\"Plan from above: Points 1, Spheres 1, Boxes 1; 0 with findings\"", true);
    has(&out, "fill=\"#0080ff\"", true);
    has(&out, " m</text>", true); /* the scale */
    has(&out, "body[2]", false);  /* boxes are listed only if there is nothing else */
    has(&out, "Boxes: 1 (only those with findings are drawn)", true);
    put_body(0, BOX);
    put_body(1, BOX);
    ll_text_clear(&out);
    parse(report, 3, false);
    assert_true(ll_space_plan(report, NULL, &out));
    has(&out, "body[2]", true);
    has(&out, " inner\"", true);
    ll_text_free(&out);
}

static bool append(void *ctx, const char *text, size_t size)
{
    ll_text_put(ctx, text, size);
    return true;
}

static void draw(ll_report *report, const ll_camera *camera, ll_text *out)
{
    ll_text_clear(out);
    assert_int_equal(ll_draw(report, camera, append, out), LL_OK);
    has(out, "nan", false);
    has(out, "inf", false);
}

static void test_a_camera(void **state)
{
    ll_report *report = *state;
    ll_camera camera = {.size = sizeof camera, .width = 400, .height = 300, .turned = true, .yaw = 1, .pitch = 0.5};
    ll_text out;
    ll_text_init(&out, NULL);
    put_body(0, SPHERE);
    put_body(1, CONE);
    put_body(2, BOX);
    put_body(3, POINT);
    parse(report, 4, false);
    draw(report, &camera, &out);
    has(&out, "viewBox=\"0 0 400 300\" role=\"img\" aria-label=\"Plan, turned: Spheres 1, Cones 1", true);
    has(&out, "<ellipse", true);
    has(&out, "<circle class=\"plain inner", false); /* a rim, which only few have */
    has(&out, "<g class=\"dot plain\" data-thing=\"2\">", true);
    camera.chosen = 1;
    camera.hidden = 1U << 1;
    draw(report, &camera, &out);
    has(&out, "<g class=\"dot plain chosen\" data-thing=\"0\">", true);
    has(&out, "<circle class=\"plain inner chosen", true);
    has(&out, "data-thing=\"1\"", false); /* the cone is hidden */
    camera = (ll_camera){.size = sizeof camera, .zoom = 10, .middle = {20, 12, 14}, .move = {30, -40}};
    draw(report, &camera, &out);
    has(&out, "data-camera=\"10 17 12 18\"", true);
    camera = (ll_camera){.size = sizeof camera, .hidden = UINT32_MAX};
    draw(report, &camera, &out);
    has(&out, "data-camera=\"0 0 0 0\"", true); /* nothing to fit */
    has(&out, "class=\"dot", false);
    const double none = (double)NAN, far = (double)INFINITY;
    camera = (ll_camera){sizeof camera, none, far, true, none, -far, far, {none, far, -far}, {far, none}, true, 0, 9};
    draw(report, &camera, &out);
    camera.size = 0;
    assert_int_equal(ll_draw(report, &camera, append, &out), LL_E_ARGUMENT);
    ll_text_free(&out);
}

static void test_what_lies_far_is_left_out(void **state)
{
    ll_report *report = *state;
    ll_text out;
    ll_text_init(&out, NULL);
    for (unsigned i = 0; i < 9; i++) {
        put_body(i, SPHERE);
        put_singles(field_at(i, AT), 1, (const float[]){i == 8 ? 5000000.0F : (float)i});
    }
    parse(report, 9, false);
    assert_true(ll_space_plan(report, NULL, &out));
    has(&out, "<p>1 far outside</p>", true);
    has(&out, "body[8]", false);
    has(&out, "body[7]", true);
    ll_camera camera = {.size = sizeof camera, .width = 400, .height = 300};
    draw(report, &camera, &out);
    has(&out, "<p>1 far outside</p>", true); /* drawn, to be moved to */
    has(&out, "body[8]", true);
    camera.far = true;
    draw(report, &camera, &out);
    has(&out, "far outside", false);
    ll_text_free(&out);
}

static void test_so_many_are_drawn(void **state)
{
    ll_report *report = *state;
    ll_text out;
    ll_text_init(&out, NULL);
    for (unsigned i = 0; i < BODIES; i++) {
        put_body(i, SPHERE);
    }
    parse(report, BODIES, true);
    assert_true(ll_space_plan(report, NULL, &out));
    has(&out, "<p>500 not drawn, because there are too many; things with findings are drawn first</p>", true);
    has(&out, "body[1999]", true);
    has(&out, "body[2000]", false);
    ll_text_free(&out);
}

static void test_findings_have_signs(void **state)
{
    (void)state;
    sample s;
    sample_bad(&s);
    ll_ruleset *rules = NULL;
    ll_report *report = NULL;
    ll_lint_options options = {.size = sizeof options, .name = "x.grxla"};
    ll_text out, again;
    ll_text_init(&out, NULL);
    ll_text_init(&again, NULL);
    assert_int_equal(ll_ruleset_create(NULL, &rules), LL_OK);
    assert_int_equal(ll_ruleset_seal(rules, NULL), LL_OK);
    assert_int_equal(ll_report_create(NULL, &report), LL_OK);
    assert_int_equal(ll_lint(rules, s.bytes, s.size, &options, report), LL_OK);
    assert_true(ll_space_plan(report, NULL, &out) && ll_space_plan(report, NULL, &again));
    assert_string_equal(ll_text_cstr(&out), ll_text_cstr(&again));
    has(&out, "Point lights: 2, 2 with findings", true);
    has(&out, "1 without a place that can be drawn", true); /* its height is infinite */
    has(&out, "<g class=\"dot warning\"><title>LP_\\x1b[m8, entry[2]\n▲ GRX550 ", true);
    has(&out, ">▲</text></g>", true);
    has(&out, " 32, expected ", true); /* the finding's text */
    for (size_t i = 0; i < ll_report_finding_count(report); i++) {
        assert_int_equal(ll_report_mark(report, i, &(ll_mark){LL_MARK_SUPPRESSED, "", "x", 1}), LL_OK);
    }
    ll_text_clear(&out);
    assert_true(ll_space_plan(report, NULL, &out));
    has(&out, "; 0 with findings", true); /* suppressed findings do not count */
    ll_report_free(report);
    ll_ruleset_free(rules);
    ll_text_free(&out);
    ll_text_free(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_name_fields_that_fit),
        cmocka_unit_test(test_a_sphere),
        cmocka_unit_test(test_a_cone),
        cmocka_unit_test(test_a_box),
        cmocka_unit_test(test_a_polygon),
        cmocka_unit_test(test_a_position_of_three_fields),
        cmocka_unit_test(test_what_has_no_look),
        cmocka_unit_test(test_numbers_that_are_none),
        cmocka_unit_test(test_corners_of_all_polygons_have_a_limit),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_a_plan_of_made_things),
        cmocka_unit_test(test_a_camera),
        cmocka_unit_test(test_what_lies_far_is_left_out),
        cmocka_unit_test(test_so_many_are_drawn),
        cmocka_unit_test(test_findings_have_signs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
