/* What in a document has a position in space, and how it looks there, according to the rows of its format (ll_shape).
 * Coordinates are in the axes of the game and can be drawn, whatever the file holds. */
#ifndef LL_FILES_SPACE_H
#define LL_FILES_SPACE_H

#include "model/reference.h"
#include "findings/report.h"

enum {
    LL_SOLIDS_MAX = 2,           /* per thing */
    LL_CORNERS_MAX = 4096,       /* shown of a polygon */
    LL_ALL_CORNERS_MAX = 1 << 20 /* of all polygons of a document; later ones have no position */
};
#define LL_SPACE_FAR 1e7 /* larger numbers are no positions or lengths in a level */

/* A solid around a thing's position, or a polygon. */
typedef struct ll_solid {
    uint8_t kind;                /* LL_SHAPE_SPHERE, _CONE, _BOX or _POLYGON */
    bool dashed;                 /* the inner one of two */
    double reach;                /* SPHERE: radius; CONE: range; > 0 */
    double angle;                /* CONE: full angle in degrees, 0 to 180, around the thing's direction */
    double low[3], high[3];      /* BOX: corners relative to the position, before rotation */
    double rotation[4];          /* BOX: quaternion X Y Z W, of any length */
    const ll_field *corner;      /* POLYGON: field of the position in a corner's record */
    uint32_t span, first, count; /* POLYGON: span and elements that are its corners, at least two */
} ll_solid;

/* A record that has a look. */
typedef struct ll_thing {
    uint32_t span, element;
    const ll_shape *look; /* row of kind LL_SHAPE_LOOK: layer, glyph */
    bool placed;          /* it has a position that can be drawn; else only the colour below is set */
    bool colored, aimed;  /* `color`, `toward` are set */
    double at[3];         /* position; of a polygon: the middle of its corners */
    double toward[3];     /* direction, of length 1 */
    uint8_t color[3];     /* red, green, blue */
    unsigned solid_count;
    ll_solid solids[LL_SOLIDS_MAX];
} ll_thing;

/* Visits all things in the order of their bytes; call it after ll_doc_seal(). The walk ends when `visit` returns false.
 * A thing, and a copy of it, is valid as long as the document. */
typedef bool (*ll_thing_fn)(void *ctx, const ll_thing *thing);
void ll_space_walk(const ll_doc *doc, ll_thing_fn visit, void *ctx);

/* Position of corner i < count of a polygon. */
void ll_solid_corner(const ll_doc *doc, const ll_solid *solid, uint32_t i, double out[3]);
/* Rotates a vector by a quaternion X Y Z W. */
void ll_turn(const double v[3], const double rotation[4], double out[3]);

/* Appends the path of a thing: "entry[3].light_area". */
void ll_thing_path(const ll_doc *doc, const ll_thing *thing, ll_text *out);
/* Appends the thing's own name, cut to a fixed length: a text of its own or of a string that belongs to it; nothing if
 * it has none. Bytes of the file are escaped as in paths. */
void ll_thing_name(const ll_doc *doc, const ll_thing *thing, ll_text *out);

/* Appends all things as JSON (docs/web.md). flush: called between things; may be NULL. */
ll_status ll_space_json(ll_report *report, ll_text *out, ll_status (*flush)(void *ctx), void *ctx);

#endif
