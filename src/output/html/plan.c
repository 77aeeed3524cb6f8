/* Draws the plan of a file in four steps: reads the things, chooses which to draw, fits them into the frame, draws. All
 * pixels are those of the drawing. */
#include "output/html/plan.h"

#include "output/html/html.h"
#include "files/space.h"
#include "findings/words.h"

#include "base/sort.h"
#include "base/vector.h"

enum {
    WIDTH = 720, /* in a report */
    WIDTH_MOST = 10000,
    LEFT = 46, /* left edge of the frame, after the axis numbers */
    TOP = 8,
    BELOW = 34, /* space below the frame: axis numbers and scale */
    HEIGHT_LEAST = 220,
    HEIGHT_MOST = 520,
    REACH_LEAST = 1000, /* units of the game: outlines up to this distance are always fitted */
    MARGIN = 40,        /* between what is drawn and the frame */
    ROUND = 48,         /* corners of a circle */
    LAYERS_MAX = 32,
    NAMES_MAX = 60, /* things that are named even without findings */
    LABELS_MAX = 200,
    LABEL_BYTES = 40,
    TOLD_MAX = 4,     /* findings listed for a thing */
    POINTS_EACH = 30, /* corners of all outlines together, by most things */
    FEW = 3           /* things so few that a turned sphere has its rim, too */
};
#define PI 3.14159265358979323846

typedef struct layer {
    const ll_shape *look;
    uint32_t count, faulty;
    uint32_t placed[LL_ERROR + 1]; /* by severity */
    bool off;
} layer;

/* A thing that is drawn. */
typedef struct dot {
    ll_thing thing;
    uint32_t told, findings; /* range in plan.joins */
    uint8_t severity;        /* the highest; LL_SEVERITY_OFF: no findings */
    bool near, chosen;
    uint32_t number; /* in the order of ll_space_walk() */
    double x, y;     /* in pixels */
    double reach;    /* greatest distance of its position and outlines from plan.middle */
} dot;

/* The room of a name. */
typedef struct name_box {
    double left, right, y;
} name_box;

typedef struct plan {
    ll_report *report;
    const ll_doc *doc;
    ll_camera camera;
    bool live; /* `camera` was given: the drawing can be turned and picked */
    ll_arena arena;
    ll_text *out, words;
    const ll_sort_key *joins; /* findings by span and element of their thing, most severe first; item: entry */
    uint32_t join_count;
    layer layers[LAYERS_MAX];
    unsigned layer_count;
    bool any; /* a layer is not off */
    uint32_t placeless, faulty;
    uint32_t walked;
    uint32_t places[LL_ERROR + 1]; /* by severity: things still to be drawn */
    dot *dots;
    uint64_t there;
    uint32_t dot_count, dot_max, far, bare; /* far: away from the rest; bare: drawn without outlines */
    double rims[ROUND][2];                  /* corners of a circle of radius 1 */
    double axes[2][3];                      /* to the right and down, in the axes of the game */
    double least[3], most[3];               /* range of what is fitted, in the axes of the game */
    double low[2], high[2];                 /* visible range, to the right and down */
    double middle[2], reach;                /* of all things; outlines beyond reach are not fitted */
    double zoom, width, height;             /* pixels per unit; width of the drawing, height of the frame */
    uint32_t points;
} plan;

/* Not a number gives `least`. */
static double between(double value, double least, double most)
{
    return value > most ? most : value > least ? value : least;
}

/* ------------------------------------------------------------------ things with a position */

/* Finds the thing that a place belongs to: its record, or the first one above it that has a look. */
static bool owner_of(const ll_doc *doc, const bool *looks, const ll_where *at, uint64_t *thing)
{
    uint32_t span = at->span, element = at->element;
    while (span != LL_NO_SPAN && !looks[ll_doc_span(doc, span)->layout]) {
        const ll_span *s = ll_doc_span(doc, span);
        uint32_t above = s->parent;
        element = above != LL_NO_SPAN && ll_doc_span(doc, above)->count > 1 ? s->index : 0;
        span = above;
    }
    *thing = (uint64_t)span << 32 | element;
    return span != LL_NO_SPAN;
}

/* False: out of memory. */
static bool join_findings(plan *p)
{
    const ll_format *format = p->doc->format;
    uint32_t n = (uint32_t)p->report->entries.count, count = 0;
    bool looks[LL_LAYOUTS_MAX] = {false};
    for (size_t i = 0; i < format->shape_count; i++) {
        looks[format->shapes[i].layout] = true;
    }
    ll_sort_key *keys = ll_arena_alloc(&p->arena, (size_t)n * 2 + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < n; i++) {
        const ll_entry *e = &p->report->entries.items[i];
        uint64_t thing;
        if (!e->mark && owner_of(p->doc, looks, &e->at, &thing)) {
            keys[count++] = (ll_sort_key){thing, (uint32_t)LL_ERROR - e->severity, i};
        }
    }
    p->join_count = count;
    p->joins = keys ? ll_sort(keys, keys + n, count) : NULL;
    return keys;
}

/* Findings of a thing: *first in plan.joins, which is the most severe, and their number. */
static uint32_t findings_of(const plan *p, const ll_thing *thing, uint32_t *first)
{
    uint64_t key = (uint64_t)thing->span << 32 | thing->element;
    LL_BISECT(low, p->join_count, i, p->joins[i].first < key);
    uint32_t end = low;
    while (end < p->join_count && p->joins[end].first == key) {
        end++;
    }
    *first = low;
    return end - low;
}

static uint8_t severity_of(const plan *p, const ll_thing *thing)
{
    uint32_t first;
    return findings_of(p, thing, &first) ? p->report->entries.items[p->joins[first].item].severity : LL_SEVERITY_OFF;
}

/* The layer of a thing, which is added if it is new; NULL: there are too many. */
static layer *layer_of(plan *p, const ll_thing *thing)
{
    unsigned i = 0;
    while (i < p->layer_count && strcmp(p->layers[i].look->layer, thing->look->layer) != 0) {
        i++;
    }
    if (i == p->layer_count && i < LAYERS_MAX) {
        bool off = p->live ? p->camera.hidden >> i & 1 : thing->look->aside;
        p->layers[p->layer_count++] = (layer){.look = thing->look, .off = off};
        p->any = p->any || !off;
    }
    return i < LAYERS_MAX ? &p->layers[i] : NULL;
}

static bool count_thing(void *ctx, const ll_thing *thing)
{
    plan *p = ctx;
    layer *l = layer_of(p, thing);
    if (l) {
        uint8_t severity = severity_of(p, thing);
        l->count++;
        l->faulty += severity != LL_SEVERITY_OFF;
        l->placed[severity] += thing->placed;
        p->faulty += severity != LL_SEVERITY_OFF;
        p->placeless += !thing->placed;
    }
    return true;
}

/* ------------------------------------------------------------------ choosing things */

/* A report also shows things with findings in layers that are off, and all of these layers if there are no others. */
static bool is_shown(const plan *p, const layer *l, unsigned severity)
{
    return !l->off || (!p->live && (severity != LL_SEVERITY_OFF || !p->any));
}

static bool choose_thing(void *ctx, const ll_thing *thing)
{
    plan *p = ctx;
    uint8_t severity = severity_of(p, thing);
    const layer *l = layer_of(p, thing);
    uint32_t number = p->walked++;
    if (l && thing->placed && is_shown(p, l, severity) && p->places[severity]) {
        p->places[severity]--;
        dot *d = &p->dots[p->dot_count++];
        *d = (dot){.thing = *thing,
                   .severity = severity,
                   .number = number,
                   .chosen = p->live && p->camera.chosen == number + 1};
        d->findings = findings_of(p, thing, &d->told);
    }
    return p->dot_count < p->dot_max;
}

/* Chooses the things to draw, those with findings first. False: out of memory. */
static bool choose(plan *p)
{
    uint32_t most = p->live ? LL_VIEW_THINGS_MAX : LL_PLAN_THINGS_MAX;
    for (unsigned severity = LL_ERROR + 1; severity-- > 0;) {
        uint32_t there = 0, room = most - p->dot_max;
        for (unsigned i = 0; i < p->layer_count; i++) {
            there += is_shown(p, &p->layers[i], severity) ? p->layers[i].placed[severity] : 0;
        }
        p->there += there;
        p->places[severity] = there < room ? there : room;
        p->dot_max += p->places[severity];
    }
    p->dots = ll_arena_alloc(&p->arena, (size_t)p->dot_max + 1, sizeof *p->dots);
    if (p->dots && p->dot_max) {
        ll_space_walk(p->doc, choose_thing, p);
    }
    return p->dots;
}

/* Maps doubles to integers of the same order. */
static uint64_t order_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The median of the dots' coordinates on an axis; away: of their distances from `from`. */
static double median(const plan *p, ll_sort_key *keys, unsigned axis, double from, bool away)
{
    for (uint32_t i = 0; i < p->dot_count; i++) {
        double value = p->dots[i].thing.at[axis];
        keys[i] = (ll_sort_key){order_of(away ? fabs(value - from) : value), 0, i};
    }
    const ll_sort_key *sorted = ll_sort(keys, keys + p->dot_count, p->dot_count);
    double value = p->dots[sorted[p->dot_count / 2].item].thing.at[axis];
    return away ? fabs(value - from) : value;
}

/* Finds things far from the others, which would shrink all others to a dot: none if most are far. */
static bool leave_far(plan *p)
{
    ll_sort_key *keys = ll_arena_alloc(&p->arena, (size_t)p->dot_count * 2 + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < p->dot_count; i++) {
        p->dots[i].near = true;
    }
    for (unsigned axis = 0; keys && p->dot_count && axis < 3; axis++) {
        double at = median(p, keys, axis, 0, false), reach = 12 * median(p, keys, axis, at, true);
        reach = reach > 60 ? reach : 60;
        for (uint32_t i = 0; i < p->dot_count; i++) {
            p->dots[i].near = p->dots[i].near && fabs(p->dots[i].thing.at[axis] - at) <= reach;
        }
    }
    for (uint32_t i = 0; keys && i < p->dot_count; i++) {
        p->far += !p->dots[i].near;
    }
    bool most = p->far > p->dot_count / 2 || p->camera.far;
    for (uint32_t i = 0; keys && i < p->dot_count && most; i++) {
        p->dots[i].near = true;
    }
    p->far = most ? 0 : p->far;
    return keys;
}

/* ------------------------------------------------------------------ outlines */

/* Takes a point of an outline, in the axes of the game. moves: a new line begins. */
typedef void (*pen_fn)(plan *p, const double point[3], bool moves);

/* Projects X Y Z to the right and down. */
static void flat(const plan *p, const double point[3], double out[2])
{
    for (unsigned i = 0; i < 2; i++) {
        const double *axis = p->axes[i];
        out[i] = axis[0] * point[0] + axis[1] * point[1] + axis[2] * point[2];
    }
}

/* Cosine and sine of an angle from 0 to 2 pi, as a series. Those of the C library differ in the last digit between
 * systems, and are larger in lightlint.wasm than the rest of this file. */
static void unit_of(double angle, double *x, double *y)
{
    enum { TERMS = 32 };
    double sums[2] = {0, 0}, turned = angle - PI, term = -1;
    for (unsigned i = 0; i < TERMS; i++) {
        sums[i % 2] += i % 4 < 2 ? term : -term;
        term *= turned / (i + 1);
    }
    *x = sums[0];
    *y = sums[1];
}

/* Sets the axes of the drawing: those seen from above, or turned by yaw and then by pitch. */
static void aim(plan *p)
{
    unsigned up = p->doc->format->world->up, other = 3 - up;
    double yaw[2] = {1, 0}, pitch[2] = {0, 1}; /* cosine, sine */
    if (p->camera.turned) {
        unit_of(between(p->camera.yaw, 0, 2 * PI), &yaw[0], &yaw[1]);
        unit_of(between(p->camera.pitch, -PI / 2, PI / 2), &pitch[0], &pitch[1]);
    }
    const double to[2][3] = {{yaw[0], -yaw[1], 0}, /* in right, away and up */
                             {-yaw[1] * pitch[1], -yaw[0] * pitch[1], -pitch[0]}};
    for (unsigned i = 0; i < 2; i++) {
        p->axes[i][0] = to[i][0];
        p->axes[i][other] = up == 1 ? -to[i][1] : to[i][1];
        p->axes[i][up] = to[i][2];
    }
    for (unsigned i = 0; i < ROUND; i++) {
        unit_of(i * (2 * PI / ROUND), &p->rims[i][0], &p->rims[i][1]);
    }
}

/* Corner number `corner` of ROUND on a circle around the origin, in the plane of two vectors. */
static void rim(const plan *p, unsigned corner, double radius, const double a[3], const double b[3], double out[3])
{
    const double *at = p->rims[corner % ROUND];
    for (unsigned i = 0; i < 3; i++) {
        out[i] = radius * (a[i] * at[0] + b[i] * at[1]);
    }
}

static void put_point(plan *p, const ll_thing *thing, const double point[3], bool moves, pen_fn pen)
{
    double there[3] = {thing->at[0] + point[0], thing->at[1] + point[1], thing->at[2] + point[2]};
    pen(p, there, moves);
}

static void trace_sphere(plan *p, const ll_thing *thing, const ll_solid *solid, pen_fn pen)
{
    double point[3];
    for (unsigned i = 0; i <= ROUND; i++) {
        rim(p, i, solid->reach, p->axes[0], p->axes[1], point);
        put_point(p, thing, point, i == 0, pen);
    }
}

/* Draws a cone of light: it ends at its range in all directions, so the rim lies on a sphere; four lines lead to it. */
static void trace_cone(plan *p, const ll_thing *thing, const ll_solid *solid, pen_fn pen)
{
    static const double none[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    double side[3], other[3], point[3], forth, aside;
    unit_of(solid->angle * (PI / 360), &forth, &aside);
    forth *= solid->reach;
    aside *= solid->reach;
    ll_cross(thing->toward, fabs(thing->toward[1]) < 0.9 ? y : x, side);
    double length = ll_length(side);
    for (unsigned i = 0; i < 3; i++) {
        side[i] /= length;
    }
    ll_cross(thing->toward, side, other);
    for (unsigned i = 0; i <= ROUND + 4; i++) {
        bool line = i > ROUND;
        rim(p, line ? (i - ROUND) * (ROUND / 4) : i, aside, side, other, point);
        for (unsigned j = 0; j < 3; j++) {
            point[j] += thing->toward[j] * forth;
        }
        if (line) {
            put_point(p, thing, none, true, pen);
        }
        put_point(p, thing, point, i == 0, pen);
    }
}

static void trace_box(plan *p, const ll_thing *thing, const ll_solid *solid, pen_fn pen)
{
    static const uint8_t path[] = {0, 1, 3, 2, 0, 4, 5, 7,
                                   6, 4, 1, 5, 3, 7, 2, 6}; /* corners, as bits for their axes */
    for (unsigned i = 0; i < sizeof path; i++) {
        double corner[3], point[3];
        for (unsigned j = 0; j < 3; j++) {
            corner[j] = path[i] >> j & 1 ? solid->high[j] : solid->low[j];
        }
        ll_turn(corner, solid->rotation, point);
        put_point(p, thing, point, i == 0 || (i >= 10 && i % 2 == 0), pen);
    }
}

static void trace_polygon(plan *p, const ll_thing *thing, const ll_solid *solid, pen_fn pen)
{
    (void)thing;
    for (uint32_t i = 0; i <= solid->count; i++) {
        double corner[3];
        ll_solid_corner(p->doc, solid, i % solid->count, corner);
        pen(p, corner, i == 0);
    }
}

static void trace(plan *p, const ll_thing *thing, const ll_solid *solid, pen_fn pen)
{
    static void (*const traces[])(plan *, const ll_thing *, const ll_solid *,
                                  pen_fn) = {[LL_SHAPE_SPHERE] = trace_sphere,
                                             [LL_SHAPE_CONE] = trace_cone,
                                             [LL_SHAPE_BOX] = trace_box,
                                             [LL_SHAPE_POLYGON] = trace_polygon};
    traces[solid->kind](p, thing, solid, pen);
}

/* ------------------------------------------------------------------ fitting */

static double away(const plan *p, const double at[2])
{
    double x = at[0] - p->middle[0], y = at[1] - p->middle[1];
    return sqrt(x * x + y * y);
}

/* A pen: raises plan.reach to the farthest point. */
static void stretch(plan *p, const double point[3], bool moves)
{
    double at[2];
    (void)moves;
    flat(p, point, at);
    double distance = away(p, at);
    p->reach = distance > p->reach ? distance : p->reach;
}

/* A pen: extends the visible range by points within reach. */
static void widen(plan *p, const double point[3], bool moves)
{
    double at[2];
    (void)moves;
    flat(p, point, at);
    bool within = away(p, at) <= p->reach;
    for (unsigned i = 0; i < 3 && within; i++) {
        p->least[i] = point[i] < p->least[i] ? point[i] : p->least[i];
        p->most[i] = point[i] > p->most[i] ? point[i] : p->most[i];
    }
}

static void trace_all(plan *p, const dot *d, pen_fn pen)
{
    pen(p, d->thing.at, true);
    for (unsigned j = 0; j < d->thing.solid_count; j++) {
        trace(p, &d->thing, &d->thing.solids[j], pen);
    }
}

/* Computes middle and reach: outlines that reach more than 12 times the median are not fitted. False: out of memory. */
static bool bound(plan *p)
{
    double sum[2] = {0, 0}, at[2];
    uint32_t count = p->dot_count - p->far, n = 0;
    ll_sort_key *keys = ll_arena_alloc(&p->arena, (size_t)count * 2 + 1, sizeof *keys);
    for (uint32_t i = 0; i < p->dot_count; i++) {
        flat(p, p->dots[i].thing.at, at);
        sum[0] += p->dots[i].near ? at[0] : 0;
        sum[1] += p->dots[i].near ? at[1] : 0;
    }
    p->middle[0] = sum[0] / count;
    p->middle[1] = sum[1] / count;
    for (uint32_t i = 0; keys && i < p->dot_count; i++) {
        p->reach = 0;
        if (p->dots[i].near) {
            trace_all(p, &p->dots[i], stretch);
            p->dots[i].reach = p->reach;
            keys[n++] = (ll_sort_key){order_of(p->reach), 0, i};
        }
    }
    if (keys) {
        double middling = p->dots[ll_sort(keys, keys + count, count)[count / 2].item].reach;
        p->reach = middling * 12 > REACH_LEAST ? middling * 12 : REACH_LEAST;
    }
    return keys;
}

/* Fits the things into the frame. False: out of memory. */
static bool fit(plan *p)
{
    if (!bound(p)) {
        return false;
    }
    double half[2] = {0, 0};
    for (unsigned i = 0; i < 3; i++) {
        p->least[i] = LL_SPACE_FAR * LL_SPACE_FAR;
        p->most[i] = -p->least[i];
    }
    for (uint32_t i = 0; i < p->dot_count; i++) {
        if (p->dots[i].near) {
            trace_all(p, &p->dots[i], widen);
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        double size = (p->most[i] - p->least[i]) / 2;
        p->camera.middle[i] = p->least[i] + size;
        half[0] += fabs(p->axes[0][i]) * size;
        half[1] += fabs(p->axes[1][i]) * size;
    }
    double zoom = ((p->width - LEFT - 2) / 2 - MARGIN) / (half[0] > 5e-10 ? half[0] : 5e-10);
    p->height = p->live ? p->height : between(2 * half[1] * zoom + 2 * MARGIN, HEIGHT_LEAST, HEIGHT_MOST);
    double other = (p->height / 2 - MARGIN) / (half[1] > 5e-10 ? half[1] : 5e-10);
    p->camera.zoom = between(other < zoom ? other : zoom, 1e-4, 200);
    return true;
}

static double pixel(const plan *p, unsigned axis, double at)
{
    return (axis ? TOP : LEFT) + (at - p->low[axis]) * p->zoom;
}

/* Decides what the frame shows. False: out of memory. */
static bool frame(plan *p)
{
    double *middle = p->camera.middle, *move = p->camera.move;
    p->width = p->live ? between(p->camera.width, 4 * LEFT, WIDTH_MOST) : WIDTH;
    p->height = between(p->camera.height - TOP - BELOW, LEFT, WIDTH_MOST);
    if (p->dot_count && !(p->camera.zoom > 0)) {
        move[0] = move[1] = 0;
        if (!fit(p)) {
            return false;
        }
    }
    p->zoom = p->camera.zoom > 0 ? between(p->camera.zoom, 1e-4, 1e5) : 1;
    for (unsigned i = 0; i < 3; i++) {
        middle[i] -= (move[0] * p->axes[0][i] + move[1] * p->axes[1][i]) / p->zoom;
        middle[i] = between(middle[i], -10 * LL_SPACE_FAR, 10 * LL_SPACE_FAR);
    }
    flat(p, middle, p->middle);
    for (unsigned i = 0; i < 2; i++) {
        double half = (i ? p->height : p->width - LEFT - 2) / 2 / p->zoom;
        p->low[i] = p->middle[i] - half;
        p->high[i] = p->middle[i] + half;
    }
    for (uint32_t i = 0; i < p->dot_count; i++) {
        double at[2];
        flat(p, p->dots[i].thing.at, at);
        p->dots[i].x = pixel(p, 0, at[0]);
        p->dots[i].y = pixel(p, 1, at[1]);
        p->dots[i].near = p->dots[i].near || p->live; /* one can move to what is far */
    }
    return true;
}

/* ------------------------------------------------------------------ drawing */

/* Appends a coordinate, rounded to a tenth of a pixel and clamped far outside the visible range. */
static void put_pixel(ll_text *out, double value)
{
    double tenths = between(value, -1e5, 1e5) * 10;
    int64_t whole = (int64_t)(tenths < 0 ? tenths - 0.5 : tenths + 0.5);
    uint64_t size = (uint64_t)(whole < 0 ? -whole : whole);
    ll_text_str(out, whole < 0 ? "-" : "");
    ll_text_u64(out, size / 10);
    if (size % 10) {
        ll_text_char(out, '.');
        ll_text_u64(out, size % 10);
    }
}

static void put_at(ll_text *out, const char *x, double at_x, const char *y, double at_y, const char *end)
{
    ll_text_str(out, x);
    put_pixel(out, at_x);
    ll_text_str(out, y);
    put_pixel(out, at_y);
    ll_text_str(out, end);
}

static void draw(plan *p, const double point[3], bool moves)
{
    double at[2];
    flat(p, point, at);
    put_at(p->out, moves ? "M" : "L", pixel(p, 0, at[0]), " ", pixel(p, 1, at[1]), "");
    p->points++;
}

/* The longest length up to `most` that is 1, 2 or 5 times a power of ten: digit * 10^power. */
typedef struct round_length {
    unsigned digit;
    int power; /* at least -1, the smallest that is drawn */
    double length;
} round_length;

static round_length round_of(double most)
{
    round_length r = {1, -1, 0.1};
    while (r.length * 10 <= most && r.power < 9) {
        r.length *= 10;
        r.power++;
    }
    r.digit = r.length * 5 <= most ? 5 : r.length * 2 <= most ? 2 : 1;
    r.length *= r.digit;
    return r;
}

/* Appends n times the length, exactly. */
static void put_times(ll_text *out, int64_t n, const round_length *r)
{
    uint64_t value = (uint64_t)(n < 0 ? -n : n) * r->digit;
    for (int i = 0; i < r->power; i++) {
        value *= 10;
    }
    uint64_t tenths = r->power < 0 ? value % 10 : 0;
    ll_text_format(out, "%s%" PRIu64, n < 0 ? "-" : "", r->power < 0 ? value / 10 : value);
    if (tenths) {
        ll_text_format(out, ".%u", (unsigned)tenths);
    }
}

static void put_tick(plan *p, const char *class, double x, double y, int64_t n, const round_length *step)
{
    ll_text_format(p->out, "<text class=\"%s\"", class);
    put_at(p->out, " x=\"", x, "\" y=\"", y, "\">");
    put_times(p->out, n, step);
    ll_text_str(p->out, "</text>");
}

/* Draws lines at round coordinates with their numbers. A Y axis points up, so its numbers are negated. */
static void put_grid(plan *p)
{
    round_length step = round_of(110 / p->zoom);
    int64_t up = p->doc->format->world->up == 1 ? 1 : -1;
    for (unsigned axis = 0; axis < 2; axis++) {
        int64_t first = (int64_t)ceil(p->low[axis] / step.length), last = (int64_t)floor(p->high[axis] / step.length);
        for (int64_t n = first; n <= last; n++) {
            double at = pixel(p, axis, (double)n * step.length);
            ll_text_format(p->out, "<path class=\"%s\"", n ? "grid" : "grid zero");
            if (axis == 0) {
                put_at(p->out, " d=\"M", at, " ", TOP, "v");
                put_pixel(p->out, p->height);
            } else {
                put_at(p->out, " d=\"M", LEFT, " ", at, "h");
                put_pixel(p->out, p->width - LEFT - 2);
            }
            ll_text_str(p->out, "\"/>");
            put_tick(p, axis ? "tick y" : "tick x", axis ? LEFT - 5 : at, axis ? at + 4 : TOP + p->height + 14,
                     axis ? n * up : n, &step);
        }
    }
    ll_text_char(p->out, '\n');
}

static void put_words(plan *p, const char *class, double x, double y, const char *words)
{
    ll_text_format(p->out, "<text class=\"%s\"", class);
    put_at(p->out, " x=\"", x, "\" y=\"", y, "\">");
    ll_html_text(p->out, words, strlen(words));
    ll_text_str(p->out, "</text>\n");
}

/* Draws the names of the axes along the frame, or where they point in a turned view. */
static void put_axes(plan *p)
{
    double x = LEFT + 48, y = TOP + p->height - 48;
    bool down = p->doc->format->world->up == 1;
    if (!p->camera.turned) {
        put_words(p, "axis", p->width - 12, TOP + p->height + 28, "X →");
        put_words(p, "axis", LEFT + 16, down ? TOP + p->height - 8 : TOP + 14, down ? "Z ↓" : "Y ↑");
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        double way[2] = {24 * p->axes[0][i], 24 * p->axes[1][i]};
        if (way[0] * way[0] + way[1] * way[1] > 9) {
            put_at(p->out, "<path class=\"scale\" d=\"M", x, " ", y, "l");
            put_at(p->out, "", way[0], " ", way[1], "\"/>");
            put_words(p, "axis", x + way[0] * 1.4, y + way[1] * 1.4 + 4, (const char *[]){"X", "Y", "Z"}[i]);
        }
    }
}

/* Draws a bar of a round length. */
static void put_scale(plan *p)
{
    round_length scale = round_of(160 / p->zoom);
    double right = p->width - 12, left = right - scale.length * p->zoom, y = TOP + p->height - 12;
    put_at(p->out, "<path class=\"scale\" d=\"M", left, " ", y - 4, "v8M");
    put_at(p->out, "", left, " ", y, "H");
    put_at(p->out, "", right, "M", right, " ");
    put_pixel(p->out, y - 4);
    put_at(p->out, "v8\"/><text class=\"scale\" x=\"", (left + right) / 2, "\" y=\"", y - 7, "\">");
    put_times(p->out, 1, &scale);
    ll_text_format(p->out, " %s</text>\n", p->doc->format->world->unit);
}

static const struct {
    const char *sign, *class; /* by severity */
} marks[] = {[LL_SEVERITY_OFF] = {"", "plain"},
             [LL_NOTE] = {"●", "note"},
             [LL_WARNING] = {"▲", "warning"},
             [LL_ERROR] = {"✕", "error"}};

/* Appends the classes of an outline, and the colour of a thing without findings, which the style shows if the
 * background is not as light or as dark. */
static void put_look(plan *p, const dot *d, const char *more)
{
    const uint8_t *color = d->thing.color;
    ll_text_format(p->out, " class=\"%s%s%s", marks[d->severity].class, more, d->chosen ? " chosen" : "");
    if (d->thing.colored && d->severity == LL_SEVERITY_OFF) {
        bool pale = color[0] * 30u + color[1] * 59u + color[2] * 11u > 13000;
        ll_text_format(p->out, " %s\" color=\"#%02x%02x%02x", pale ? "pale" : "deep", (unsigned)color[0],
                       (unsigned)color[1], (unsigned)color[2]);
    }
    ll_text_char(p->out, '"');
}

/* Draws the circle of a sphere in the plane of the ground, with its rim if it is chosen or one of few. */
static void put_sphere(plan *p, const dot *d, const ll_solid *solid)
{
    double radius = solid->reach * p->zoom, rise = p->axes[1][p->doc->format->world->up];
    bool flattened = p->camera.turned, rim = !flattened || d->chosen || p->dot_count <= FEW;
    for (unsigned i = !rim; i < 1u + flattened; i++) {
        ll_text_str(p->out, i ? "<ellipse" : "<circle");
        put_look(p, d, solid->dashed ? " inner" : "");
        put_at(p->out, " cx=\"", d->x, "\" cy=\"", d->y, i ? "\" rx=\"" : "\" r=\"");
        put_pixel(p->out, radius);
        if (i) {
            ll_text_str(p->out, "\" ry=\"");
            put_pixel(p->out, radius * sqrt(between(1 - rise * rise, 0, 1)));
        }
        ll_text_str(p->out, "\"/>\n");
    }
}

static void put_solid(plan *p, const dot *d, const ll_solid *solid)
{
    if (solid->kind == LL_SHAPE_SPHERE) {
        put_sphere(p, d, solid);
        return;
    }
    ll_text_str(p->out, "<path");
    put_look(p, d, solid->kind == LL_SHAPE_POLYGON ? " filled" : solid->dashed ? " inner" : "");
    ll_text_str(p->out, " d=\"");
    trace(p, &d->thing, solid, draw);
    ll_text_str(p->out, "\"/>\n");
}

/* Draws the direction; nothing if it points to or from the viewer. */
static void put_arrow(plan *p, const dot *d)
{
    double way[2];
    flat(p, d->thing.toward, way);
    double length = sqrt(way[0] * way[0] + way[1] * way[1]);
    if (!d->thing.aimed || length <= 0.08) {
        return;
    }
    double x = d->x + 26 * way[0], y = d->y + 26 * way[1], a = way[0] / length, b = way[1] / length;
    ll_text_str(p->out, "<path");
    put_look(p, d, " arrow");
    put_at(p->out, " d=\"M", d->x, " ", d->y, "L");
    put_at(p->out, "", x, " ", y, "M");
    put_at(p->out, "", x - 6 * a - 3.6 * b, " ", y - 6 * b + 3.6 * a, "L");
    put_at(p->out, "", x, " ", y, "L");
    put_at(p->out, "", x - 6 * a + 3.6 * b, " ", y - 6 * b - 3.6 * a, "\"/>\n");
}

static void put_outlines(plan *p, const dot *d)
{
    const ll_thing *thing = &d->thing;
    uint32_t corners = 0;
    for (unsigned j = 0; j < thing->solid_count; j++) {
        corners += thing->solids[j].kind == LL_SHAPE_POLYGON ? thing->solids[j].count : 1;
    }
    uint32_t most = POINTS_EACH * (p->live ? LL_VIEW_THINGS_MAX : LL_PLAN_THINGS_MAX);
    bool fits = corners < most && p->points < most - corners;
    p->bare += !fits;
    for (unsigned j = 0; j < thing->solid_count && fits; j++) {
        put_solid(p, d, &thing->solids[j]);
    }
    put_arrow(p, d);
}

/* Returns the name of a thing, or else its path. */
static const char *title_of(plan *p, const dot *d)
{
    ll_text_clear(&p->words);
    ll_thing_name(p->doc, &d->thing, &p->words);
    if (!p->words.length) {
        ll_thing_path(p->doc, &d->thing, &p->words);
    }
    const char *title = ll_text_cstr(&p->words);
    p->out->failed = p->out->failed || p->words.failed;
    return title;
}

/* Appends plan.words, escaped, and empties it. */
static void put_escaped(plan *p)
{
    p->out->failed = p->out->failed || p->words.failed;
    ll_html_text(p->out, p->words.data, p->words.length);
    ll_text_clear(&p->words);
}

/* Appends name, path and the first findings, one per line. */
static void put_title(plan *p, const dot *d)
{
    ll_text *words = &p->words;
    ll_text_clear(words);
    ll_thing_name(p->doc, &d->thing, words);
    ll_text_str(words, words->length ? ", " : "");
    ll_thing_path(p->doc, &d->thing, words);
    ll_text_str(p->out, "<title>");
    put_escaped(p);
    for (uint32_t i = 0; i < d->findings && i < TOLD_MAX; i++) {
        ll_finding finding;
        if (ll_finding_compose(p->report, p->joins[d->told + i].item, &finding) != LL_OK) {
            p->out->failed = true;
            break;
        }
        ll_text_format(p->out, "\n%s ", marks[finding.severity].sign);
        ll_text_format(words, "%s ", finding.id);
        ll_statement_text(&finding, words);
        put_escaped(p);
    }
    if (d->findings > TOLD_MAX) {
        ll_text_format(p->out, "\nand %" PRIu32 " more", d->findings - TOLD_MAX);
    }
    ll_text_str(p->out, "</title>");
}

/* Draws the glyph of the layer in the thing's colour, and the sign of its severity. */
static void put_dot(plan *p, const dot *d)
{
    const ll_thing *thing = &d->thing;
    const char *glyph = thing->look->glyph;
    bool round = strcmp(glyph, "●") == 0, solid = round || strcmp(glyph, "◆") == 0 || strcmp(glyph, "■") == 0;
    ll_text_format(p->out, "<g class=\"dot %s%s\"", marks[d->severity].class, d->chosen ? " chosen" : "");
    if (p->live) {
        ll_text_format(p->out, " data-thing=\"%" PRIu32 "\"", d->number);
    }
    ll_text_char(p->out, '>');
    put_title(p, d);
    if (round) {
        put_at(p->out, "<circle cx=\"", d->x, "\" cy=\"", d->y, "\" r=\"4.5\"");
    } else {
        bool diamond = strcmp(glyph, "◆") == 0;
        put_at(p->out, "<path d=\"M", d->x - (diamond ? 0 : 4), " ", d->y - (diamond ? 5.5 : 4),
               diamond ? "l5.5 5.5l-5.5 5.5l-5.5 -5.5z\"" : "h8v8h-8z\"");
    }
    if (thing->colored) {
        ll_text_format(p->out, " fill=\"#%02x%02x%02x\"", (unsigned)thing->color[0], (unsigned)thing->color[1],
                       (unsigned)thing->color[2]);
    } else {
        ll_text_str(p->out, solid ? " class=\"solid\"" : " class=\"hollow\"");
    }
    ll_text_str(p->out, "/>");
    if (d->severity != LL_SEVERITY_OFF) {
        put_at(p->out, "<text class=\"sign\" x=\"", d->x, "\" y=\"", d->y - 8, "\">");
        ll_text_format(p->out, "%s</text>", marks[d->severity].sign);
    }
    ll_text_str(p->out, "</g>\n");
}

/* A thing is named first if it is chosen, then if it has findings, then if there are few. */
static unsigned turn_of(const dot *d)
{
    return d->chosen ? 0 : d->severity != LL_SEVERITY_OFF ? 1 : 2;
}

/* Writes names beside things as far as there is room. */
static void put_labels(plan *p, unsigned turn, name_box *taken, uint32_t *count)
{
    for (uint32_t i = 0; i < p->dot_count && *count < LABELS_MAX; i++) {
        const dot *d = &p->dots[i];
        if (turn_of(d) != turn || !d->near) {
            continue;
        }
        const char *title = title_of(p, d);
        double wide = 0;
        for (const char *c = title; *c && c - title < LABEL_BYTES; c++) {
            wide += ((unsigned char)*c & 0xC0) == 0x80 ? 0 : 6.4;
        }
        bool right = d->x + 9 + wide < p->width - 4;
        name_box l = {right ? d->x + 9 : d->x - 9 - wide, right ? d->x + 9 + wide : d->x - 9, d->y};
        uint32_t j = 0;
        while (j < *count && (taken[j].left > l.right || taken[j].right < l.left || fabs(taken[j].y - l.y) > 13)) {
            j++;
        }
        if (j == *count) {
            taken[(*count)++] = l;
            ll_text_format(p->out, "<text class=\"label%s %s%s\"", right ? "" : " left", marks[d->severity].class,
                           d->chosen ? " chosen" : "");
            put_at(p->out, " x=\"", right ? l.left : l.right, "\" y=\"", l.y + 4, "\">");
            ll_text short_title;
            ll_text_init(&short_title, &p->doc->arena.allocator);
            ll_short_text(title, LABEL_BYTES, &short_title);
            p->out->failed = p->out->failed || short_title.failed;
            ll_html_text(p->out, short_title.data, short_title.length);
            ll_text_free(&short_title);
            ll_text_str(p->out, "</text>\n");
        }
    }
}

/* ------------------------------------------------------------------ descriptions */

/* "Plan from above: Lights 3; 1 with findings": describes the drawing for those who cannot see it. */
static void put_summary(plan *p)
{
    ll_text *words = &p->words;
    ll_text_clear(words);
    ll_text_str(words, p->camera.turned ? "Plan, turned: " : "Plan from above: ");
    for (unsigned i = 0; i < p->layer_count; i++) {
        ll_text_format(words, "%s%s %" PRIu32, i ? ", " : "", p->layers[i].look->layer, p->layers[i].count);
    }
    ll_text_format(words, "; %" PRIu32 " with findings", p->faulty);
    put_escaped(p);
}

static void put_layers(plan *p)
{
    ll_text_str(p->out, "<ul>\n");
    for (unsigned i = 0; i < p->layer_count; i++) {
        const layer *l = &p->layers[i];
        ll_text_format(p->out, "<li><span aria-hidden=\"true\">%s</span> %s: %" PRIu32, l->look->glyph, l->look->layer,
                       l->count);
        if (l->faulty) {
            ll_text_format(p->out, ", %" PRIu32 " with findings", l->faulty);
        }
        ll_text_str(p->out, l->off && p->any ? " (only those with findings are drawn)</li>\n" : "</li>\n");
    }
    ll_text_str(p->out, "</ul>\n");
}

/* Says what is not drawn. */
static void put_left_out(plan *p)
{
    const struct {
        uint64_t count;
        const char *words;
    } rows[] = {
        {p->there - p->dot_count, "not drawn, because there are too many; things with findings are drawn first"},
        {p->bare, "drawn without outlines, which would be too many"},
        {p->far, "far outside"},
        {p->placeless, "without a place that can be drawn"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].count) {
            ll_text_format(p->out, "<p>%" PRIu64 " %s</p>\n", rows[i].count, rows[i].words);
        }
    }
}

/* Draws by severity, so that the most severe is on top, and what is chosen above all. */
static void put_each(plan *p, void (*put)(plan *p, const dot *d))
{
    for (unsigned severity = 0; severity <= LL_ERROR + 1; severity++) {
        for (uint32_t i = 0; i < p->dot_count; i++) {
            const dot *d = &p->dots[i];
            if (d->near && (d->chosen ? LL_ERROR + 1u : d->severity) == severity) {
                put(p, d);
            }
        }
    }
}

static void put_drawing(plan *p)
{
    name_box taken[LABELS_MAX];
    uint32_t names = 0;
    double wide = p->width - LEFT - 2;
    put_at(p->out, "<rect class=\"ground\" x=\"", LEFT, "\" y=\"", TOP, "\" width=\"");
    put_at(p->out, "", wide, "\" height=\"", p->height, "\"/>\n");
    if (!p->camera.turned) {
        put_grid(p);
    }
    put_at(p->out, "<svg x=\"", LEFT, "\" y=\"", TOP, "\" width=\"");
    put_at(p->out, "", wide, "\" height=\"", p->height, "\" viewBox=\"");
    put_at(p->out, "", LEFT, " ", TOP, " ");
    put_at(p->out, "", wide, " ", p->height, "\">\n<g class=\"lines\">\n"); /* clips at the frame */
    put_each(p, put_outlines);
    ll_text_str(p->out, "</g>\n");
    put_each(p, put_dot);
    for (unsigned turn = 0; turn < (p->dot_count <= NAMES_MAX ? 3u : 2u); turn++) {
        put_labels(p, turn, taken, &names);
    }
    ll_text_str(p->out, "</svg>\n");
    put_axes(p);
    put_scale(p);
}

static void put_figure(plan *p)
{
    ll_text_str(p->out, "<figure class=\"plan\">\n<div class=\"scroll\" role=\"group\" aria-label=\"Plan\" "
                        "tabindex=\"0\"><svg");
    put_at(p->out, " viewBox=\"0 0 ", p->width, " ", p->height + TOP + BELOW, "\" role=\"img\" aria-label=\"");
    put_summary(p);
    if (p->live) {
        ll_text_str(p->out, "\" data-camera=\"");
        ll_text_float(p->out, p->camera.zoom, 64);
        for (unsigned i = 0; i < 3; i++) {
            ll_text_char(p->out, ' ');
            ll_text_float(p->out, p->camera.middle[i], 64);
        }
    }
    ll_text_str(p->out, "\">\n");
    put_drawing(p);
    ll_text_str(p->out, "</svg></div>\n<figcaption>\n");
    put_layers(p);
    put_left_out(p);
    ll_text_str(p->out, "</figcaption>\n</figure>\n");
}

/* False: there is nothing to draw, or memory ran out. */
static bool make(plan *p)
{
    bool memory = join_findings(p);
    if (memory) {
        ll_space_walk(p->doc, count_thing, p);
        aim(p);
    }
    memory = memory && choose(p) && leave_far(p);
    bool any = memory && (p->live ? p->layer_count : p->dot_count);
    p->out->failed = p->out->failed || !memory || (any && !frame(p));
    if (any && !p->out->failed) {
        put_figure(p);
    }
    p->out->failed = p->out->failed || p->words.failed;
    return any && !p->out->failed;
}

bool ll_space_plan(ll_report *report, const ll_camera *camera, ll_text *out)
{
    plan p = {.report = report, .doc = &report->doc, .out = out, .live = camera};
    if (!p.doc->format || !p.doc->format->shape_count) {
        return false;
    }
    if (camera) {
        p.camera = *camera;
    }
    ll_arena_init(&p.arena, &p.doc->arena.allocator, p.doc->arena.ceiling);
    ll_text_init(&p.words, &p.doc->arena.allocator);
    bool drawn = make(&p);
    ll_text_free(&p.words);
    ll_arena_free(&p.arena);
    return drawn;
}

ll_status ll_draw(ll_report *report, const ll_camera *camera, ll_write_fn write, void *ctx)
{
    if (!report || !camera || camera->size < sizeof *camera || !write) {
        return LL_E_ARGUMENT;
    }
    ll_text out;
    ll_text_init(&out, &report->doc.arena.allocator);
    (void)ll_space_plan(report, camera, &out);
    ll_status status = out.failed ? LL_E_MEMORY : write(ctx, out.data, out.length) ? LL_OK : LL_E_WRITE;
    ll_text_free(&out);
    return status;
}
