/* C checks of geometry (rows of grx_checks.def): the inner areas of probes and the faces of occluders. Lengths are in
 * metres; rotations are quaternions. */
#include "formats/grx/grx.h"

#include "base/half.h"
#include "base/vector.h"
#include "model/value.h"

enum { FACE_VERTICES_MAX = 7 }; /* FoxKit's class OccluderEx has as many positions */

static const double INSIDE_TOLERANCE = 1e-3; /* of the edge of the box; no more than 0 in 81 real inner areas */
static const double PLANAR_TOLERANCE = 1e-3; /* of the extent of the face; at most 3e-6 in 156 real faces */
static const double CONVEX_TOLERANCE = 1e-6; /* of the squared extent, for cross products */

/* ------------------------------------------------------------------ boxes of probes */

enum { SCALE = 0, ROTATION = 3, TRANSLATION = 7, TRANSFORM = 10 }; /* indexes of its numbers, and their count */

/* Reads the ten numbers of a transform. field: the field of its scale. False: a number is not finite, or the length of
 * the quaternion is not 1. */
static bool read_transform(const ll_doc *doc, uint32_t span, unsigned field, double out[TRANSFORM])
{
    const uint8_t *p = doc->bytes + ll_at_field(doc, span, 0, field).offset;
    bool finite = ll_read_singles(p, TRANSFORM, false, out);
    double norm = ll_sum_of_squares(p + grx_light_area_at_rotation, 4, false);
    return finite && norm > 0.98 && norm < 1.02;
}

/* Rotates v by the unit quaternion q (X Y Z W): v + 2w(u x v) + 2u x (u x v). conjugate: rotates back. */
static void turn(const double q[4], bool conjugate, const double v[3], double out[3])
{
    double sign = conjugate ? -1 : 1;
    double u[3] = {sign * q[0], sign * q[1], sign * q[2]};
    double once[3], twice[3];
    ll_cross(u, v, once);
    ll_cross(u, once, twice);
    for (unsigned i = 0; i < 3; i++) {
        out[i] = v[i] + 2 * (q[3] * once[i] + twice[i]);
    }
}

/* Reports an inner area with a corner outside of the box of its probe. */
void grx_check_inner_area_fits(ll_check_run *run)
{
    static const char *const axes[] = {"x", "y", "z"};
    const ll_doc *doc = run->doc;
    uint32_t inner = grx_child_of(doc, run->span, grx_inner_area_LAYOUT);
    double box[TRANSFORM], area[TRANSFORM];
    if (inner == LL_NO_SPAN || !read_transform(doc, run->span, grx_probe_scale, box) ||
        !read_transform(doc, inner, grx_inner_area_scale, area)) {
        return;
    }
    double centre[3], edges[3][3]; /* centre and half edges of the inner area, in coordinates of the box */
    for (unsigned i = 0; i < 3; i++) {
        double half[3] = {0, 0, 0};
        double world[3];
        half[i] = area[SCALE + i] / 2;
        turn(area + ROTATION, false, half, world);
        turn(box + ROTATION, true, world, edges[i]);
        centre[i] = area[TRANSLATION + i] - box[TRANSLATION + i];
    }
    turn(box + ROTATION, true, centre, centre);
    for (unsigned corner = 0; corner < 8; corner++) {
        for (unsigned i = 0; i < 3; i++) {
            double at = centre[i];
            for (unsigned k = 0; k < 3; k++) {
                at += corner >> k & 1U ? edges[k][i] : -edges[k][i];
            }
            double edge = fabs(box[SCALE + i]) / 2;
            if (fabs(at) > edge + INSIDE_TOLERANCE * fabs(box[SCALE + i])) {
                LL_REPORT_RELATED(run, GRX_HINT_NONE,
                                  ll_at_bytes(inner, ll_doc_span(doc, inner)->offset, grx_inner_area_SIZE),
                                  ll_at_field(doc, run->span, 0, grx_probe_scale), ll_word(axes[i]), ll_float(at),
                                  ll_float(-edge), ll_float(edge));
                return;
            }
        }
    }
}

/* ------------------------------------------------------------------ occluders */

typedef struct polygon {
    unsigned count;
    double at[FACE_VERTICES_MAX][3];
    double normal[3]; /* by Newell's method, not normalised: its length is twice the area */
    double extent;    /* largest distance of a vertex from the first */
} polygon;

/* Reads a face as a polygon relative to its first vertex. False: other rules report the face. */
static bool read_polygon(const ll_doc *doc, const ll_span *vertices, const uint8_t *face, polygon *out)
{
    unsigned first = ll_le16(face + grx_face_at_first_vertex);
    unsigned count = ll_le16(face + grx_face_at_vertex_count);
    if (count < 3 || count > FACE_VERTICES_MAX || !ll_fits(first, count, vertices->count)) {
        return false;
    }
    const uint8_t *vertex = doc->bytes + vertices->offset + (size_t)first * grx_vertex_SIZE;
    double origin[3];
    *out = (polygon){.count = count};
    for (unsigned i = 0; i < count; i++, vertex += grx_vertex_SIZE) {
        if (!ll_read_singles(vertex + grx_vertex_at_position, 3, false, i ? out->at[i] : origin)) {
            return false;
        }
        for (unsigned k = 0; i && k < 3; k++) {
            out->at[i][k] -= origin[k];
        }
        double distance = ll_length(out->at[i]);
        out->extent = distance > out->extent ? distance : out->extent;
    }
    for (unsigned i = 0; i < count; i++) {
        double part[3];
        ll_cross(out->at[i], out->at[(i + 1) % count], part);
        for (unsigned k = 0; k < 3; k++) {
            out->normal[k] += part[k];
        }
    }
    return true;
}

/* The place of a face: the bytes of first_vertex and of vertex_count, which follow each other. */
static ll_where face_at(const ll_check_run *run, uint32_t element)
{
    ll_where at = ll_at_field(run->doc, run->span, element, grx_face_first_vertex);
    at.length = grx_face_SIZE - grx_face_at_first_vertex;
    return at;
}

/* Calls judge for each readable face of the occluder of run->span. */
static void judge_faces(ll_check_run *run, void (*judge)(ll_check_run *run, uint32_t element, const polygon *p))
{
    const ll_span *span = ll_doc_span(run->doc, run->span);
    uint32_t vertices =
        span->parent == LL_NO_SPAN ? LL_NO_SPAN : grx_child_of(run->doc, span->parent, grx_vertex_LAYOUT);
    uint32_t faces = vertices == LL_NO_SPAN ? 0 : span->count;
    const uint8_t *face = run->doc->bytes + span->offset;
    polygon p;
    for (uint32_t element = 0; element < faces; element++, face += grx_face_SIZE) {
        if (read_polygon(run->doc, ll_doc_span(run->doc, vertices), face, &p)) {
            judge(run, element, &p);
        }
    }
}

static void judge_planar(ll_check_run *run, uint32_t element, const polygon *p)
{
    double length = ll_length(p->normal);
    double least = 0;
    double most = 0;
    for (unsigned i = 0; length > 0 && i < p->count; i++) {
        double height = ll_dot(p->at[i], p->normal) / length;
        least = height < least ? height : least;
        most = height > most ? height : most;
    }
    if ((most - least) / 2 > PLANAR_TOLERANCE * p->extent) {
        LL_REPORT(run, GRX_HINT_NONE, face_at(run, element), ll_float((most - least) / 2),
                  ll_float(PLANAR_TOLERANCE * p->extent));
    }
}

void grx_check_face_planar(ll_check_run *run)
{
    judge_faces(run, judge_planar);
}

/* The argument of the finding about a polygon that is not convex. NULL: it is convex. */
static const char *what_is_not_convex(const polygon *p)
{
    double tolerance = CONVEX_TOLERANCE * p->extent * p->extent;
    double length = ll_length(p->normal);
    if (length <= tolerance) {
        return "no area";
    }
    for (unsigned i = 0; i < p->count; i++) {
        const double *here = p->at[i];
        const double *next = p->at[(i + 1) % p->count];
        const double *after = p->at[(i + 2) % p->count];
        double a[3] = {next[0] - here[0], next[1] - here[1], next[2] - here[2]};
        double b[3] = {after[0] - next[0], after[1] - next[1], after[2] - next[2]};
        double corner[3];
        if (ll_dot(a, a) <= tolerance * CONVEX_TOLERANCE) {
            return "a repeated vertex";
        }
        ll_cross(a, b, corner);
        if (ll_dot(corner, p->normal) / length < -tolerance) {
            return "an inward corner";
        }
    }
    return NULL;
}

static void judge_convex(ll_check_run *run, uint32_t element, const polygon *p)
{
    const char *wrong = what_is_not_convex(p);
    if (wrong) {
        LL_REPORT(run, GRX_HINT_NONE, face_at(run, element), ll_word(wrong));
    }
}

void grx_check_face_convex(ll_check_run *run)
{
    judge_faces(run, judge_convex);
}
