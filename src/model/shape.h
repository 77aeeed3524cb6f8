/* What records look like in space: the rows of a <format>_space.def. */
#ifndef LL_MODEL_SHAPE_H
#define LL_MODEL_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of rows of a <format>_space.def, with their fields 0 to 3 in this order. A vector is one field of three
 * numbers, or three fields of one number. */
typedef enum ll_shape_kind {
    LL_SHAPE_LOOK,  /* begins a look; the rows after it, up to the next LOOK, describe it. A record has its first look
                       whose field 0 holds the number in place of field 1, or has no field 0 */
    LL_SHAPE_AT,    /* position, a vector */
    LL_SHAPE_COLOR, /* red, green and blue, a vector; full is 255 for integers, and 1 or the largest one for floats */
    LL_SHAPE_DIRECTION, /* direction, a vector or LL_NO_FIELD; field 3: a rotation to apply to it */
    LL_SHAPE_REACH, /* radius or range for later rows that have no field for it, if field 0 holds the number in place of
                       field 1: field 2 (brightness) * the largest number of field 3 (color) / `divisor` */
    LL_SHAPE_REACH_SQUARE, /* the square root of that */
    LL_SHAPE_SPHERE,       /* radius; the first sphere of a look is the outer one */
    LL_SHAPE_CONE,         /* range, and full angle in degrees, around the direction; the first cone is the outer one */
    LL_SHAPE_BOX, /* edge lengths, rotation, and the parts of the half box toward + and toward -; LL_NO_FIELD for these:
                     all */
    LL_SHAPE_POLYGON /* corners: field 0 has the ll_reference to them, field 1 is their position */
} ll_shape_kind;
enum { LL_SHAPE_FIELDS = 4 };
enum ll_look_when { LL_LOOK_SHOWN, LL_LOOK_ASIDE };

/* LL_LOOK, LL_SHAPE, LL_REACH and LL_CORNERS of a <format>_space.def. */
typedef struct ll_shape {
    uint16_t layout;
    uint8_t kind;                    /* ll_shape_kind */
    bool aside;                      /* LOOK: shown if nothing else is there, or on demand */
    uint16_t field[LL_SHAPE_FIELDS]; /* LL_NO_FIELD: none; for a radius or range: REACH gives it */
    const char *layer, *glyph;       /* LOOK; several may share a layer */
    double divisor;                  /* for REACH */
} ll_shape;

/* LL_WORLD of a <format>_space.def: the axes of a game. */
typedef struct ll_world {
    uint8_t up; /* axis that points up: 1 or 2 */
    const char *unit;
    double scale[3], start[3]; /* a position is value * scale + start */
    double size;               /* a length is value * size */
} ll_world;

#endif
