/* Reads what has a position in space. Whatever a record holds, the numbers are small enough to draw, and the things are
 * bounded in number. */
#include "files/space.h"

#include "base/json_write.h"

#include "base/vector.h"
#include "model/value.h"

enum { NAME_SHOWN = 100, NAME_SPANS = 16 }; /* bytes of a name; spans after a record that are searched for its string */

typedef struct reader {
    const ll_doc *doc;
    const ll_shape *row, *end; /* rows of the current thing */
    ll_resolver resolver;      /* for polygons */
    uint32_t corners;          /* of all polygons so far */
    ll_thing thing;
    ll_element record; /* the record of the thing */
    double reach;      /* from LL_SHAPE_REACH rows; 0: none applies */
} reader;

/* False for NaN, too. */
static bool is_near(double value)
{
    return value > -LL_SPACE_FAR && value < LL_SPACE_FAR;
}

static bool are_near(const double *values, unsigned n)
{
    bool near = true;
    for (unsigned i = 0; i < n; i++) {
        near = near && is_near(values[i]);
    }
    return near;
}

static double number_of(const reader *r, unsigned field, unsigned part)
{
    return ll_get_number(&r->record, field, part);
}

static const ll_field *field_of(const reader *r, unsigned field)
{
    return &ll_doc_layout(r->doc, r->thing.span)->fields[field];
}

/* Reads n numbers from one field of n, or from n fields. False: absent, or a number is too large. */
static bool read_vector(const reader *r, const uint16_t *fields, unsigned n, double *out)
{
    if (fields[0] == LL_NO_FIELD) {
        return false;
    }
    bool whole = ll_field_elements(field_of(r, fields[0])) == n;
    for (unsigned i = 0; i < n; i++) {
        out[i] = whole ? number_of(r, fields[0], i) : number_of(r, fields[i], 0);
    }
    return are_near(out, n);
}

/* A radius or range in units of the world; 0: none. */
static double read_reach(const reader *r, unsigned field)
{
    double value = field != LL_NO_FIELD ? number_of(r, field, 0) : r->reach;
    value *= r->doc->format->world->size;
    return value > 0 && is_near(value) ? value : 0;
}

void ll_turn(const double v[3], const double rotation[4], double out[3])
{
    double by[3], again[3];
    ll_cross(rotation, v, by);
    ll_cross(rotation, by, again);
    for (unsigned i = 0; i < 3; i++) {
        out[i] = v[i] + 2 * (rotation[3] * by[i] + again[i]);
    }
}

/* ------------------------------------------------------------------ rows */

static void read_at(reader *r)
{
    const ll_world *world = r->doc->format->world;
    ll_thing *t = &r->thing;
    t->placed = read_vector(r, r->row->field, 3, t->at);
    for (unsigned i = 0; i < 3 && t->placed; i++) {
        t->at[i] = t->at[i] * world->scale[i] + world->start[i];
    }
}

static void read_color(reader *r)
{
    double color[3];
    ll_thing *t = &r->thing;
    t->colored = read_vector(r, r->row->field, 3, color);
    double full = 1;
    for (unsigned i = 0; i < 3 && t->colored; i++) {
        full = color[i] > full ? color[i] : full;
    }
    full = ll_type_is_float(field_of(r, r->row->field[0])->type) ? full : 255;
    for (unsigned i = 0; i < 3 && t->colored; i++) {
        double part = color[i] / full;
        t->color[i] = (uint8_t)(part > 1 ? 255 : part > 0 ? 255 * part + 0.5 : 0);
    }
}

static void read_direction(reader *r)
{
    double way[3], rotation[4];
    ll_thing *t = &r->thing;
    if (!read_vector(r, r->row->field, 3, way)) {
        return;
    }
    if (read_vector(r, &r->row->field[3], 4, rotation)) {
        ll_turn(way, rotation, way);
    }
    double length = ll_length(way);
    t->aimed = length > 1e-9 && is_near(length);
    for (unsigned i = 0; i < 3 && t->aimed; i++) {
        t->toward[i] = way[i] / length;
    }
}

static void read_falloff(reader *r)
{
    const ll_shape *row = r->row;
    double brightest = number_of(r, row->field[3], 0);
    for (unsigned i = 1; i < 3; i++) {
        double one = number_of(r, row->field[3], i);
        brightest = one > brightest ? one : brightest;
    }
    double power = brightest * number_of(r, row->field[2], 0) / row->divisor;
    if (ll_get_uint(&r->record, row->field[0]) == row->field[1]) {
        r->reach = row->kind == LL_SHAPE_REACH ? power : sqrt(power > 0 ? power : 0);
    }
}

static bool read_sphere(reader *r, ll_solid *solid)
{
    solid->reach = read_reach(r, r->row->field[0]);
    return solid->reach > 0;
}

static bool read_cone(reader *r, ll_solid *solid)
{
    double angle = number_of(r, r->row->field[1], 0);
    solid->reach = read_reach(r, r->row->field[0]);
    solid->angle = angle > 180 ? 180 : angle > 0 ? angle : 0;
    return r->thing.aimed && solid->reach > 0 && is_near(angle);
}

static bool read_box(reader *r, ll_solid *solid)
{
    double edges[3], parts[2][3] = {{1, 1, 1}, {1, 1, 1}};
    const uint16_t *field = r->row->field;
    bool has = read_vector(r, &field[0], 3, edges);
    for (unsigned side = 0; side < 2 && field[2 + side] != LL_NO_FIELD; side++) {
        has = has && read_vector(r, &field[2 + side], 3, parts[side]);
    }
    for (unsigned i = 0; i < 3 && has; i++) {
        solid->high[i] = edges[i] / 2 * parts[0][i];
        solid->low[i] = -edges[i] / 2 * parts[1][i];
    }
    if (!has || !read_vector(r, &field[1], 4, solid->rotation)) {
        static const double none[4] = {0, 0, 0, 1};
        memcpy(solid->rotation, none, sizeof none);
    }
    return has && are_near(solid->low, 3) && are_near(solid->high, 3);
}

void ll_solid_corner(const ll_doc *doc, const ll_solid *solid, uint32_t i, double out[3])
{
    unsigned field = (unsigned)(solid->corner - ll_doc_layout(doc, solid->span)->fields);
    ll_element record;
    bool there = ll_element_at(doc, solid->span, solid->first + i, &record);
    for (unsigned part = 0; part < 3; part++) {
        out[part] =
            there ? ll_get_number(&record, field, part) : (double)INFINITY; /* fails the test for near numbers */
    }
}

/* Reads the corners of a polygon; the thing's position becomes their middle. */
static bool read_polygon(reader *r, ll_solid *solid)
{
    const ll_doc *doc = r->doc;
    ll_thing *t = &r->thing;
    ll_target target;
    const ll_reference *row = ll_reference_of(doc->format, r->row->layout, r->row->field[0]);
    if (r->resolver.row != row) {
        r->resolver = ll_resolver_start(doc, row);
    }
    ll_resolve(&r->resolver, t->span, t->element, &target);
    solid->span = target.targets->first;
    uint32_t there = solid->span == LL_NO_SPAN ? 0 : ll_doc_span(doc, solid->span)->count;
    if (target.null || target.first < 0 || target.first >= there) {
        return false;
    }
    solid->first = (uint32_t)target.first;
    uint64_t count = target.extent < there - solid->first ? target.extent : there - solid->first;
    solid->count = (uint32_t)(count < LL_CORNERS_MAX ? count : LL_CORNERS_MAX);
    solid->corner = &ll_doc_layout(doc, solid->span)->fields[r->row->field[1]];
    t->placed = solid->count > 1 && solid->count <= LL_ALL_CORNERS_MAX - r->corners;
    r->corners += t->placed ? solid->count : 0;
    for (uint32_t i = 0; i < solid->count && t->placed; i++) {
        double corner[3];
        ll_solid_corner(doc, solid, i, corner);
        t->placed = are_near(corner, 3);
        for (unsigned part = 0; part < 3; part++) {
            t->at[part] += corner[part] / solid->count;
        }
    }
    return t->placed;
}

/* ------------------------------------------------------------------ things */

static void read_row(reader *r)
{
    static void (*const marks[])(reader *) = {[LL_SHAPE_AT] = read_at,
                                              [LL_SHAPE_COLOR] = read_color,
                                              [LL_SHAPE_DIRECTION] = read_direction,
                                              [LL_SHAPE_REACH] = read_falloff,
                                              [LL_SHAPE_REACH_SQUARE] = read_falloff};
    static bool (*const solids[])(reader *, ll_solid *) = {[LL_SHAPE_SPHERE] = read_sphere,
                                                           [LL_SHAPE_CONE] = read_cone,
                                                           [LL_SHAPE_BOX] = read_box,
                                                           [LL_SHAPE_POLYGON] = read_polygon};
    ll_thing *t = &r->thing;
    unsigned kind = r->row->kind;
    if (kind < LL_SHAPE_SPHERE) {
        marks[kind](r);
    } else if ((t->placed || kind == LL_SHAPE_POLYGON) && t->solid_count < LL_SOLIDS_MAX) {
        t->solids[t->solid_count] = (ll_solid){.kind = (uint8_t)kind, .dashed = t->solid_count > 0};
        t->solid_count += solids[kind](r, &t->solids[t->solid_count]);
    }
}

/* Finds the look that applies to an element and reads its rows. False: none applies. `row`: first row of the layout. */
static bool read_thing(reader *r, const ll_shape *row, uint32_t span, uint32_t element)
{
    r->thing = (ll_thing){.span = span, .element = element};
    r->reach = 0;
    if (!ll_element_at(r->doc, span, element, &r->record)) {
        return false;
    }
    for (; row < r->end && row->layout == ll_doc_span(r->doc, span)->layout; row++) {
        bool begins = row->kind == LL_SHAPE_LOOK;
        r->row = row;
        if (begins && r->thing.look) {
            break;
        }
        bool holds =
            begins && (row->field[0] == LL_NO_FIELD || ll_get_uint(&r->record, row->field[0]) == row->field[1]);
        if (holds) {
            r->thing.look = row;
        } else if (r->thing.look) {
            read_row(r);
        }
    }
    return r->thing.look;
}

void ll_space_walk(const ll_doc *doc, ll_thing_fn visit, void *ctx)
{
    const ll_format *format = doc->format;
    uint16_t looks[LL_LAYOUTS_MAX] = {0}; /* by layout: 1 + index of its first row; 0: none */
    if (!format || !format->shape_count) {
        return;
    }
    reader r = {.doc = doc, .end = format->shapes + format->shape_count};
    for (size_t i = format->shape_count; i > 0; i--) {
        looks[format->shapes[i - 1].layout] = (uint16_t)i;
    }
    for (uint32_t i = 0; i < doc->span_count; i++) {
        uint32_t span = ll_span_in_order(doc, i);
        const ll_span *s = ll_doc_span(doc, span);
        uint32_t count = looks[s->layout] ? s->count : 0;
        for (uint32_t element = 0; element < count; element++) {
            if (read_thing(&r, &format->shapes[looks[s->layout] - 1], span, element) && !visit(ctx, &r.thing)) {
                return;
            }
        }
    }
}

/* ------------------------------------------------------------------ names */

void ll_thing_path(const ll_doc *doc, const ll_thing *thing, ll_text *out)
{
    ll_where at = ll_at_field(doc, thing->span, thing->element, 0);
    ll_path_text(doc, &at, out);
    size_t cut = strlen(ll_doc_layout(doc, thing->span)->fields[0].name) + 1; /* and the dot before it */
    out->length -= out->failed ? 0 : cut;
}

static bool put_name(const uint8_t *bytes, uint32_t length, ll_text *out)
{
    while (length && !bytes[length - 1]) {
        length--;
    }
    uint32_t shown = length < NAME_SHOWN ? length : NAME_SHOWN;
    ll_text_escape(out, (const char *)bytes, shown);
    ll_text_str(out, shown < length ? "..." : "");
    return length;
}

void ll_thing_name(const ll_doc *doc, const ll_thing *thing, ll_text *out)
{
    const ll_layout *layout = ll_doc_layout(doc, thing->span);
    for (unsigned i = 0; i < layout->field_count; i++) {
        ll_where at = ll_at_field(doc, thing->span, thing->element, i);
        if (layout->fields[i].role == LL_ROLE_STRING && put_name(ll_doc_at(doc, at.offset), at.length, out)) {
            return;
        }
    }
    for (uint32_t i = thing->span + 1; i < doc->span_count && i - thing->span <= NAME_SPANS; i++) {
        const ll_span *s = ll_doc_span(doc, i);
        if (s->parent == thing->span && ll_doc_layout(doc, i)->kind == LL_KIND_STRING &&
            put_name(ll_doc_at(doc, s->offset), s->count, out)) {
            return;
        }
    }
}

/* ------------------------------------------------------------------ JSON */

typedef struct teller {
    const ll_doc *doc;
    ll_jsonw json;
    ll_text text;
    ll_status (*flush)(void *ctx);
    void *ctx;
    ll_status status;
} teller;

/* The file holds single precision at most. */
static void tell_number(teller *t, double value)
{
    ll_jsonw_raw(&t->json, "", 0); /* only the comma */
    ll_text_float(t->json.out, (double)(float)value, 32);
}

static void tell_numbers(teller *t, const char *key, const double *values, unsigned n)
{
    if (key) {
        ll_jsonw_name(&t->json, key);
    }
    ll_jsonw_begin(&t->json, '[');
    for (unsigned i = 0; i < n; i++) {
        tell_number(t, values[i]);
    }
    ll_jsonw_end(&t->json, ']');
}

static void tell_text(teller *t, const char *key, void (*put)(const ll_doc *, const ll_thing *, ll_text *),
                      const ll_thing *thing)
{
    ll_text_clear(&t->text);
    put(t->doc, thing, &t->text);
    if (t->text.length) {
        ll_jsonw_name(&t->json, key);
        ll_jsonw_string(&t->json, t->text.data, t->text.length);
    }
    t->json.out->failed = t->json.out->failed || t->text.failed;
}

static void tell_solid(teller *t, const ll_solid *solid)
{
    static const char *const kinds[] = {
        [LL_SHAPE_SPHERE] = "sphere", [LL_SHAPE_CONE] = "cone", [LL_SHAPE_BOX] = "box", [LL_SHAPE_POLYGON] = "polygon"};
    ll_jsonw *json = &t->json;
    ll_jsonw_begin(json, '{');
    LL_JSON_PLAIN(json, "kind", kinds[solid->kind]);
    if (solid->dashed) {
        LL_JSON_BOOL(json, "dashed", true);
    }
    if (solid->reach > 0) {
        ll_jsonw_key(json, "reach");
        tell_number(t, solid->reach);
    }
    if (solid->kind == LL_SHAPE_CONE) {
        ll_jsonw_key(json, "angle");
        tell_number(t, solid->angle);
    } else if (solid->kind == LL_SHAPE_BOX) {
        tell_numbers(t, "low", solid->low, 3);
        tell_numbers(t, "high", solid->high, 3);
        tell_numbers(t, "rotation", solid->rotation, 4);
    } else if (solid->kind == LL_SHAPE_POLYGON) {
        LL_JSON_BEGIN(json, "corners", '[');
        for (uint32_t i = 0; i < solid->count; i++) {
            double corner[3];
            ll_solid_corner(t->doc, solid, i, corner);
            tell_numbers(t, NULL, corner, 3);
        }
        ll_jsonw_end(json, ']');
    }
    ll_jsonw_end(json, '}');
}

static bool tell_thing(void *ctx, const ll_thing *thing)
{
    teller *t = ctx;
    ll_jsonw *json = &t->json;
    const ll_span *s = ll_doc_span(t->doc, thing->span);
    const ll_layout *layout = ll_doc_layout(t->doc, thing->span);
    const ll_region *region = ll_doc_locate(t->doc, s->offset);
    ll_jsonw_line(json);
    ll_jsonw_begin(json, '{');
    LL_JSON_STR(json, "record", layout->name);
    tell_text(t, "path", ll_thing_path, thing);
    if (region->name) {
        LL_JSON_STR(json, "region", region->name);
    }
    LL_JSON_U64(json, "offset", s->offset - region->base + (uint64_t)thing->element * layout->size);
    LL_JSON_STR(json, "layer", thing->look->layer);
    LL_JSON_STR(json, "glyph", thing->look->glyph);
    if (thing->look->aside) {
        LL_JSON_BOOL(json, "aside", true);
    }
    tell_text(t, "name", ll_thing_name, thing);
    if (thing->colored) {
        double color[3] = {thing->color[0], thing->color[1], thing->color[2]};
        tell_numbers(t, "color", color, 3);
    }
    if (thing->placed) {
        tell_numbers(t, "at", thing->at, 3);
    }
    if (thing->placed && thing->aimed) {
        tell_numbers(t, "toward", thing->toward, 3);
    }
    LL_JSON_BEGIN(json, "solids", '[');
    for (unsigned i = 0; i < thing->solid_count; i++) {
        tell_solid(t, &thing->solids[i]);
    }
    ll_jsonw_end(json, ']');
    ll_jsonw_end(json, '}');
    t->status = t->flush ? t->flush(t->ctx) : LL_OK;
    return t->status == LL_OK && !json->out->failed;
}

ll_status ll_space_json(ll_report *report, ll_text *out, ll_status (*flush)(void *ctx), void *ctx)
{
    const ll_doc *doc = &report->doc;
    teller t = {.doc = doc, .json = {.out = out}, .flush = flush, .ctx = ctx};
    ll_jsonw *json = &t.json;
    ll_text_init(&t.text, &doc->arena.allocator);
    ll_jsonw_begin(json, '{');
    bool any = doc->format && doc->format->shape_count;
    LL_JSON_U64(json, "up", any ? doc->format->world->up : 1);
    LL_JSON_STR(json, "unit", any ? doc->format->world->unit : "");
    LL_JSON_BEGIN(json, "things", '[');
    ll_space_walk(doc, tell_thing, &t);
    ll_jsonw_end(json, ']');
    ll_jsonw_end(json, '}');
    ll_text_char(out, '\n');
    ll_text_free(&t.text);
    return t.status == LL_OK && out->failed ? LL_E_MEMORY : t.status;
}
