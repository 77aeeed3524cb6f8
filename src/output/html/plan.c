/* Draws the plan of a file in four steps: reads the things, chooses which to draw, fits them into the frame, draws. All
 * pixels are those of the drawing, whose width is fixed. */
#include "output/html/plan.h"

#include "output/html/html.h"
#include "files/space.h"
#include "findings/words.h"

#include "base/sort.h"
#include "base/vector.h"

enum {
    WIDTH = 720,
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
    TOLD_MAX = 4,      /* findings listed for a thing */
    POINTS_MAX = 60000 /* corners of all outlines together */
};
#define PI 3.14159265358979323846

typedef struct layer {
    const ll_shape *look;
    uint32_t count, faulty;
} layer;

/* A thing that is drawn. */
typedef struct dot {
    ll_thing thing;
    uint32_t told, findings; /* range in plan.joins */
    uint8_t severity;        /* the highest; LL_SEVERITY_OFF: no findings */
    bool near;
    double x, y;  /* in pixels */
    double reach; /* greatest distance of its position and outlines from plan.middle */
} dot;

/* The room of a name. */
typedef struct name_box {
    double left, right, y;
} name_box;

typedef struct plan {
    ll_report *report;
    const ll_doc *doc;
    ll_text *out, words;
    const ll_sort_key *joins; /* findings by span and element of their thing, most severe first; item: entry */
    uint32_t join_count;
    layer layers[LAYERS_MAX];
    unsigned layer_count;
    uint32_t placeless, faulty;
    bool all_layers;                   /* also draw layers shown on demand */
    uint32_t classes[2][LL_ERROR + 1]; /* placed things: by whether they are shown on demand, by severity */
    uint32_t places[LL_ERROR + 1];     /* by severity: things still to be drawn */
    dot *dots;
    uint32_t dot_count, dot_max, far, bare; /* far: not drawn, away from the rest; bare: drawn without outlines */
    double low[2], high[2];                 /* visible range, to the right and down */
    double middle[2], reach;                /* of all things; outlines beyond reach are not fitted */
    double zoom, height;                    /* pixels per unit; height of the frame */
    uint32_t points;
} plan;

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
    uint32_t n = p->report->entry_count, count = 0;
    bool looks[LL_LAYOUTS_MAX] = {false};
    for (size_t i = 0; i < format->shape_count; i++) {
        looks[format->shapes[i].layout] = true;
    }
    ll_sort_key *keys = ll_arena_alloc(&p->report->doc.arena, (size_t)n * 2 + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < n; i++) {
        const ll_entry *e = &p->report->entries[i];
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
    return findings_of(p, thing, &first) ? p->report->entries[p->joins[first].item].severity : LL_SEVERITY_OFF;
}

static bool count_thing(void *ctx, const ll_thing *thing)
{
    plan *p = ctx;
    unsigned i = 0;
    while (i < p->layer_count && strcmp(p->layers[i].look->layer, thing->look->layer) != 0) {
        i++;
    }
    if (i == LAYERS_MAX) {
        return true;
    }
    uint8_t severity = severity_of(p, thing);
    p->layers[i].look = thing->look;
    p->layers[i].count++;
    p->layers[i].faulty += severity != LL_SEVERITY_OFF;
    p->layer_count += i == p->layer_count;
    p->faulty += severity != LL_SEVERITY_OFF;
    p->placeless += !thing->placed;
    p->all_layers = p->all_layers && thing->look->aside;
    p->classes[thing->look->aside][severity] += thing->placed;
    return true;
}

/* ------------------------------------------------------------------ choosing things */

static bool is_shown(const plan *p, const ll_thing *thing, uint8_t severity)
{
    return thing->placed && (p->all_layers || !thing->look->aside || severity != LL_SEVERITY_OFF);
}

static bool choose_thing(void *ctx, const ll_thing *thing)
{
    plan *p = ctx;
    uint8_t severity = severity_of(p, thing);
    if (is_shown(p, thing, severity) && p->places[severity]) {
        p->places[severity]--;
        dot *d = &p->dots[p->dot_count++];
        *d = (dot){.thing = *thing, .severity = severity};
        d->findings = findings_of(p, thing, &d->told);
    }
    return p->dot_count < p->dot_max;
}

/* Chooses the things to draw, those with findings first. False: out of memory. */
static bool choose(plan *p)
{
    for (unsigned severity = LL_ERROR + 1; severity-- > 0;) {
        bool wrong = severity != LL_SEVERITY_OFF;
        uint32_t there = p->classes[0][severity] + (wrong || p->all_layers ? p->classes[1][severity] : 0);
        uint32_t room = LL_PLAN_THINGS_MAX - p->dot_max;
        p->places[severity] = there < room ? there : room;
        p->dot_max += p->places[severity];
    }
    p->dots = ll_arena_alloc(&p->report->doc.arena, (size_t)p->dot_max + 1, sizeof *p->dots);
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

/* Drops things far from the others, as the page does: they would shrink all others to a dot. Drops none if most are
 * far. */
static bool leave_far(plan *p)
{
    ll_sort_key *keys = ll_arena_alloc(&p->report->doc.arena, (size_t)p->dot_count * 2 + 1, sizeof *keys);
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
    bool most = p->far > p->dot_count / 2;
    for (uint32_t i = 0; keys && i < p->dot_count && most; i++) {
        p->dots[i].near = true;
    }
    p->far = most ? 0 : p->far;
    return keys;
}

/* ------------------------------------------------------------------ outlines */

/* Takes a point of an outline, in the axes of the game. moves: a new line begins. */
typedef void (*pen_fn)(plan *p, const double point[3], bool moves);

/* Projects X Y Z to the right and down, as seen from above. */
static void flat(const plan *p, const double point[3], double out[2])
{
    out[0] = point[0];
    out[1] = p->doc->format->world->up == 1 ? point[2] : -point[1];
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

/* Corner number `corner` of ROUND on a circle around the origin, in the plane of two vectors. */
static void rim(unsigned corner, double radius, const double a[3], const double b[3], double out[3])
{
    double x, y;
    unit_of(corner % ROUND * (2 * PI / ROUND), &x, &y);
    for (unsigned i = 0; i < 3; i++) {
        out[i] = radius * (a[i] * x + b[i] * y);
    }
}

static void put_point(plan *p, const ll_thing *thing, const double point[3], bool moves, pen_fn pen)
{
    double there[3] = {thing->at[0] + point[0], thing->at[1] + point[1], thing->at[2] + point[2]};
    pen(p, there, moves);
}

static void trace_sphere(plan *p, const ll_thing *thing, const ll_solid *solid, pen_fn pen)
{
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    double point[3];
    for (unsigned i = 0; i <= ROUND; i++) {
        rim(i, solid->reach, x, p->doc->format->world->up == 1 ? z : y, point);
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
        rim(line ? (i - ROUND) * (ROUND / 4) : i, aside, side, other, point);
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
    for (unsigned i = 0; i < 2 && within; i++) {
        p->low[i] = at[i] < p->low[i] ? at[i] : p->low[i];
        p->high[i] = at[i] > p->high[i] ? at[i] : p->high[i];
    }
}

static void trace_all(plan *p, const dot *d, pen_fn pen)
{
    pen(p, d->thing.at, true);
    for (unsigned j = 0; j < d->thing.solid_count; j++) {
        trace(p, &d->thing, &d->thing.solids[j], pen);
    }
}

/* Computes middle and reach, as the page does: outlines that reach more than 12 times the median are not fitted. False:
 * out of memory. */
static bool bound(plan *p)
{
    double sum[2] = {0, 0}, at[2];
    uint32_t count = p->dot_count - p->far, n = 0;
    ll_sort_key *keys = ll_arena_alloc(&p->report->doc.arena, (size_t)count * 2 + 1, sizeof *keys);
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

static double between(double value, double least, double most)
{
    return value > most ? most : value > least ? value : least;
}

/* Fits the things into the frame. False: out of memory. */
static bool fit(plan *p)
{
    if (!bound(p)) {
        return false;
    }
    p->low[0] = p->low[1] = LL_SPACE_FAR * LL_SPACE_FAR;
    p->high[0] = p->high[1] = -p->low[0];
    for (uint32_t i = 0; i < p->dot_count; i++) {
        if (p->dots[i].near) {
            trace_all(p, &p->dots[i], widen);
        }
    }
    double frame = WIDTH - LEFT - 2, wide = p->high[0] - p->low[0], tall = p->high[1] - p->low[1];
    double zoom = (frame - 2 * MARGIN) / (wide > 1e-9 ? wide : 1e-9);
    p->height = between(tall * zoom + 2 * MARGIN, HEIGHT_LEAST, HEIGHT_MOST);
    double other = (p->height - 2 * MARGIN) / (tall > 1e-9 ? tall : 1e-9);
    p->zoom = between(other < zoom ? other : zoom, 1e-4, 200);
    p->middle[0] = (p->low[0] + p->high[0]) / 2;
    p->middle[1] = (p->low[1] + p->high[1]) / 2;
    p->low[0] = p->middle[0] - frame / 2 / p->zoom;
    p->low[1] = p->middle[1] - p->height / 2 / p->zoom;
    p->high[0] = p->middle[0] + frame / 2 / p->zoom;
    p->high[1] = p->middle[1] + p->height / 2 / p->zoom;
    return true;
}

static double pixel(const plan *p, unsigned axis, double at)
{
    return (axis ? TOP : LEFT) + (at - p->low[axis]) * p->zoom;
}

/* ------------------------------------------------------------------ drawing */

/* Appends a coordinate, rounded to a tenth of a pixel and clamped far outside the visible range. */
static void put_pixel(ll_text *out, double value)
{
    double tenths = between(value, -1e5, 1e5) * 10;
    int64_t whole = (int64_t)(tenths < 0 ? tenths - 0.5 : tenths + 0.5);
    uint64_t size = (uint64_t)(whole < 0 ? -whole : whole);
    ll_text_format(out, "%s%" PRIu64, whole < 0 ? "-" : "", size / 10);
    if (size % 10) {
        ll_text_format(out, ".%u", (unsigned)(size % 10));
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
                put_pixel(p->out, WIDTH - LEFT - 2);
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

/* Draws the names of the axes, and a bar of a round length. */
static void put_axes(plan *p)
{
    const ll_world *world = p->doc->format->world;
    round_length scale = round_of(160 / p->zoom);
    double right = WIDTH - 12, left = right - scale.length * p->zoom, y = TOP + p->height - 12;
    bool down = world->up == 1;
    put_words(p, "axis", WIDTH - 12, TOP + p->height + 28, "X →");
    put_words(p, "axis", LEFT + 16, down ? TOP + p->height - 8 : TOP + 14, down ? "Z ↓" : "Y ↑");
    put_at(p->out, "<path class=\"scale\" d=\"M", left, " ", y - 4, "v8M");
    put_at(p->out, "", left, " ", y, "H");
    put_at(p->out, "", right, "M", right, " ");
    put_pixel(p->out, y - 4);
    put_at(p->out, "v8\"/><text class=\"scale\" x=\"", (left + right) / 2, "\" y=\"", y - 7, "\">");
    put_times(p->out, 1, &scale);
    ll_text_format(p->out, " %s</text>\n", world->unit);
}

static const struct {
    const char *sign, *class; /* by severity */
} marks[] = {[LL_SEVERITY_OFF] = {"", "plain"},
             [LL_NOTE] = {"●", "note"},
             [LL_WARNING] = {"▲", "warning"},
             [LL_ERROR] = {"✕", "error"}};

static void put_solid(plan *p, const dot *d, const ll_solid *solid)
{
    ll_text_format(p->out, "<%s class=\"%s%s%s\"", solid->kind == LL_SHAPE_SPHERE ? "circle" : "path",
                   marks[d->severity].class, solid->dashed ? " inner" : "",
                   solid->kind == LL_SHAPE_POLYGON ? " filled" : "");
    if (solid->kind == LL_SHAPE_SPHERE) {
        put_at(p->out, " cx=\"", d->x, "\" cy=\"", d->y, "\" r=\"");
        put_pixel(p->out, solid->reach * p->zoom);
    } else {
        ll_text_str(p->out, " d=\"");
        trace(p, &d->thing, solid, draw);
    }
    ll_text_str(p->out, "\"/>\n");
}

/* Draws the direction; nothing if it points up or down. */
static void put_arrow(plan *p, const dot *d)
{
    double way[2];
    flat(p, d->thing.toward, way);
    double length = sqrt(way[0] * way[0] + way[1] * way[1]);
    if (!d->thing.aimed || length <= 0.08) {
        return;
    }
    double x = d->x + 26 * way[0], y = d->y + 26 * way[1], a = way[0] / length, b = way[1] / length;
    ll_text_format(p->out, "<path class=\"%s arrow\" d=\"", marks[d->severity].class);
    put_at(p->out, "M", d->x, " ", d->y, "L");
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
    bool fits = corners < POINTS_MAX && p->points < POINTS_MAX - corners;
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
    ll_text_format(p->out, "<g class=\"dot %s\">", marks[d->severity].class);
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

/* Writes names beside things as far as there is room. wrong: those with findings, else the others. */
static void put_labels(plan *p, bool wrong, name_box *taken, uint32_t *count)
{
    for (uint32_t i = 0; i < p->dot_count && *count < LABELS_MAX; i++) {
        const dot *d = &p->dots[i];
        if (!d->near || (d->severity != LL_SEVERITY_OFF) != wrong) {
            continue;
        }
        const char *title = title_of(p, d);
        double wide = 0;
        for (const char *c = title; *c && c - title < LABEL_BYTES; c++) {
            wide += ((unsigned char)*c & 0xC0) == 0x80 ? 0 : 6.4;
        }
        bool right = d->x + 9 + wide < WIDTH - 4;
        name_box l = {right ? d->x + 9 : d->x - 9 - wide, right ? d->x + 9 + wide : d->x - 9, d->y};
        uint32_t j = 0;
        while (j < *count && (taken[j].left > l.right || taken[j].right < l.left || fabs(taken[j].y - l.y) > 13)) {
            j++;
        }
        if (j == *count) {
            taken[(*count)++] = l;
            ll_text_format(p->out, "<text class=\"label%s %s\"", right ? "" : " left", marks[d->severity].class);
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
    ll_text_str(words, "Plan from above: ");
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
        ll_text_str(p->out,
                    l->look->aside && !p->all_layers ? " (only those with findings are drawn)</li>\n" : "</li>\n");
    }
    ll_text_str(p->out, "</ul>\n");
}

/* Says what is not drawn. */
static void put_left_out(plan *p)
{
    uint64_t there = 0;
    for (unsigned severity = 0; severity <= LL_ERROR; severity++) {
        there += p->classes[0][severity] + (severity || p->all_layers ? p->classes[1][severity] : 0);
    }
    const struct {
        uint64_t count;
        const char *words;
    } rows[] = {{there - p->dot_count, "not drawn, as there are so many: those with findings come first"},
                {p->bare, "drawn without outlines, which would be too many"},
                {p->far, "far outside"},
                {p->placeless, "without a place that can be drawn"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].count) {
            ll_text_format(p->out, "<p>%" PRIu64 " %s</p>\n", rows[i].count, rows[i].words);
        }
    }
}

/* Draws by severity, so that the most severe is on top. */
static void put_each(plan *p, void (*put)(plan *p, const dot *d))
{
    for (unsigned severity = 0; severity <= LL_ERROR; severity++) {
        for (uint32_t i = 0; i < p->dot_count; i++) {
            if (p->dots[i].near && p->dots[i].severity == severity) {
                put(p, &p->dots[i]);
            }
        }
    }
}

static void put_figure(plan *p)
{
    name_box taken[LABELS_MAX];
    uint32_t names = 0;
    ll_text_format(p->out,
                   "<figure class=\"plan\">\n<div class=\"scroll\" role=\"group\" aria-label=\"Plan\" "
                   "tabindex=\"0\"><svg viewBox=\"0 0 %u ",
                   (unsigned)WIDTH);
    put_pixel(p->out, p->height + TOP + BELOW);
    ll_text_str(p->out, "\" role=\"img\" aria-label=\"");
    put_summary(p);
    ll_text_str(p->out, "\">\n");
    put_at(p->out, "<rect class=\"ground\" x=\"", LEFT, "\" y=\"", TOP, "\" width=\"");
    put_at(p->out, "", WIDTH - LEFT - 2, "\" height=\"", p->height, "\"/>\n");
    put_grid(p);
    ll_text_format(p->out, "<svg x=\"%u\" y=\"%u\" width=\"%u\" height=\"", (unsigned)LEFT, (unsigned)TOP,
                   (unsigned)(WIDTH - LEFT - 2));
    put_pixel(p->out, p->height);
    ll_text_format(p->out, "\" viewBox=\"%u %u %u ", (unsigned)LEFT, (unsigned)TOP, (unsigned)(WIDTH - LEFT - 2));
    put_pixel(p->out, p->height);
    ll_text_str(p->out, "\">\n"); /* clips at the frame */
    ll_text_str(p->out, "<g class=\"lines\">\n");
    put_each(p, put_outlines);
    ll_text_str(p->out, "</g>\n");
    put_each(p, put_dot);
    put_labels(p, true, taken, &names);
    if (p->dot_count <= NAMES_MAX) {
        put_labels(p, false, taken, &names);
    }
    ll_text_str(p->out, "</svg>\n");
    put_axes(p);
    ll_text_str(p->out, "</svg></div>\n<figcaption>\n");
    put_layers(p);
    put_left_out(p);
    ll_text_str(p->out, "</figcaption>\n</figure>\n");
}

bool ll_space_plan(ll_report *report, ll_text *out)
{
    plan p = {.report = report, .doc = &report->doc, .out = out, .all_layers = true};
    if (!p.doc->format || !p.doc->format->shape_count) {
        return false;
    }
    bool memory = join_findings(&p);
    if (memory) {
        ll_space_walk(p.doc, count_thing, &p);
    }
    memory = memory && choose(&p) && leave_far(&p);
    out->failed = out->failed || !memory;
    if (!memory || !p.dot_count) {
        return false;
    }
    if (!fit(&p)) {
        out->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < p.dot_count; i++) {
        double at[2];
        flat(&p, p.dots[i].thing.at, at);
        p.dots[i].x = pixel(&p, 0, at[0]);
        p.dots[i].y = pixel(&p, 1, at[1]);
    }
    ll_text_init(&p.words, &p.doc->arena.allocator);
    put_figure(&p);
    out->failed = out->failed || p.words.failed;
    ll_text_free(&p.words);
    return true;
}
