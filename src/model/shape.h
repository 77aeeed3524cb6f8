/* What records look like in space: the rows of a <format>_space.def. */
#ifndef LL_MODEL_SHAPE_H
#define LL_MODEL_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* What a row of a <format>_space.def says of records of a layout, by fields in the order of these words. A vector is
 * one field of three numbers, or three fields of one. */
typedef enum ll_shape_kind {
    LL_SHAPE_LOOK, /* the rows behind it, up to the next of this kind, are what records look like: of several, the first
                      whose field 0, where it is not LL_NO_FIELD, holds the number that field 1 is here */
    LL_SHAPE_AT,   /* vector: position */
    LL_SHAPE_COLOR,     /* vector: red, green, blue; of integers 255 is full, of floats the largest, or 1 */
    LL_SHAPE_DIRECTION, /* vector, or LL_NO_FIELD; field 3: the rotation that it is turned by */
    LL_SHAPE_REACH, /* where field 0 holds the number that field 1 is here: the radius or range of the rows behind it
                       that name no field for it is brightness (field 2 * the largest of the three numbers of field 3)
                       / `divisor`, */
    LL_SHAPE_REACH_SQUARE, /* or the root of that */
    LL_SHAPE_SPHERE,       /* radius; the first one of a look is the outer one */
    LL_SHAPE_CONE,         /* range, and full angle in degrees, around the direction; the first one is the outer one */
    LL_SHAPE_BOX,          /* edges, rotation; the parts of the half box toward + and toward -, or LL_NO_FIELD: all */
    LL_SHAPE_POLYGON       /* corners: what the ll_reference of the field leads to, and their position there */
} ll_shape_kind;
enum { LL_SHAPE_FIELDS = 4 };
enum ll_look_when { LL_LOOK_SHOWN, LL_LOOK_ASIDE };

/* LL_LOOK, LL_SHAPE, LL_REACH and LL_CORNERS of a <format>_space.def. */
typedef struct ll_shape {
    uint16_t layout;
    uint8_t kind;                    /* ll_shape_kind */
    bool aside;                      /* LOOK: shown where nothing else is there, or on demand */
    uint16_t field[LL_SHAPE_FIELDS]; /* LL_NO_FIELD: there is none; of a radius or range: REACH tells it */
    const char *layer, *glyph;       /* LOOK: several may have the same layer */
    double divisor;                  /* REACH */
} ll_shape;

/* LL_WORLD of a <format>_space.def: the axes of a game. */
typedef struct ll_world {
    uint8_t up; /* axis that points up: 1 or 2 */
    const char *unit;
    double scale[3], start[3]; /* a position is value * scale + start */
    double size;               /* a length is value * size */
} ll_world;

#endif
