/* What of a document has a place in space, and what it looks like there, as the rows of its format say (ll_shape): in
 * the axes of the game, with numbers that can be drawn whatever the file holds. */
#ifndef LL_REPORT_SPACE_H
#define LL_REPORT_SPACE_H

#include "model/reference.h"
#include "report/report.h"

enum {
    LL_SOLIDS_MAX = 2,           /* of a thing */
    LL_CORNERS_MAX = 4096,       /* of a polygon that are shown */
    LL_ALL_CORNERS_MAX = 1 << 20 /* of all polygons of a document: those behind have no place */
};
#define LL_SPACE_FAR 1e7 /* numbers beyond it are no places or lengths of a level */

/* A body around the position of a thing, or a polygon. */
typedef struct ll_solid {
    uint8_t kind;                /* LL_SHAPE_SPHERE, _CONE, _BOX, _POLYGON */
    bool dashed;                 /* the inner one of two */
    double reach;                /* SPHERE: radius; CONE: range, above 0 */
    double angle;                /* CONE: full, in degrees, 0 to 180; around the direction of the thing */
    double low[3], high[3];      /* BOX: corners, from the position, before it is turned */
    double rotation[4];          /* BOX: quaternion X Y Z W, of any length */
    const ll_field *corner;      /* POLYGON: position in a record, */
    uint32_t span, first, count; /* and the elements of a span that are its corners, at least two */
} ll_solid;

/* A record that has a look. */
typedef struct ll_thing {
    uint32_t span, element;
    const ll_shape *look; /* of kind LL_SHAPE_LOOK: layer, glyph */
    bool placed;          /* it has a place that can be drawn: else nothing below but the colour is there */
    bool colored, aimed;  /* it has a colour, a direction */
    double at[3];         /* of a polygon: the middle of its corners */
    double toward[3];     /* of length 1 */
    uint8_t color[3];     /* red, green, blue */
    unsigned solid_count;
    ll_solid solids[LL_SOLIDS_MAX];
} ll_thing;

/* Visits all of them, in the order of their bytes; after ll_doc_seal(). A visit that says false ends it. The thing is
 * valid during the visit, and as a copy as long as the document. */
typedef bool (*ll_thing_fn)(void *ctx, const ll_thing *thing);
void ll_space_walk(const ll_doc *doc, ll_thing_fn visit, void *ctx);

/* Corner i < count of a polygon. */
void ll_solid_corner(const ll_doc *doc, const ll_solid *solid, uint32_t i, double out[3]);
/* A vector turned by a quaternion X Y Z W. */
void ll_turn(const double v[3], const double rotation[4], double out[3]);

/* Appends the path of a thing: "entry[3].light_area". */
void ll_thing_path(const ll_doc *doc, const ll_thing *thing, ll_text *out);
/* Appends what it calls itself, which never is long: a text of its own, or of a string that belongs to it; nothing
 * where it has none. Bytes of the file are escaped as in paths. */
void ll_thing_name(const ll_doc *doc, const ll_thing *thing, ll_text *out);

/* Appends all of them as JSON, as docs/web.md describes it. flush, which may be NULL, is called between them. */
ll_status ll_space_json(ll_report *report, ll_text *out, ll_status (*flush)(void *ctx), void *ctx);

#endif
