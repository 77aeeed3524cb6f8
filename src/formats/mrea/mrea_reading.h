/* How a lights section is read: which record layout, which counts, and what is wrong where it cannot be read as it
 * stands. Nothing is claimed or reported here. */
#ifndef LL_FORMATS_MREA_READING_H
#define LL_FORMATS_MREA_READING_H

#include "base/half.h"
#include "formats/mrea/mrea.h"

typedef struct mrea_section {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t looks; /* records that a search may still look at */
    bool inside;    /* an area, so that other sections may follow */
    bool cut;       /* the file ends before the section does */
    bool plain;     /* nothing is sought: a copy on which something is tried */
    int by;         /* bytes that it has too many, as what lies behind it shows; below 0: too few */
} mrea_section;

/* Where a walk ends: not where the section does; there, with padding that is not zero; there, with zero padding. */
typedef enum mrea_ending { MREA_ENDS_WRONG, MREA_ENDS_NONZERO, MREA_ENDS_RIGHT } mrea_ending;

/* One way to go through the layers. Positions are from the start of the section. */
typedef struct mrea_walk {
    const mrea_form *form;
    uint32_t at[MREA_LAYERS_MAX];     /* of the layers' counts; of a layer that was moved, 4 in front of its lights */
    uint32_t count[MREA_LAYERS_MAX];  /* of the layers that are there whole, and of the one at which the walk stopped */
    uint32_t record[MREA_LAYERS_MAX]; /* bytes of a light */
    unsigned layers;                  /* that are there whole */
    uint32_t end;                     /* behind the last of them */
    mrea_ending ending;
} mrea_walk;

/* What keeps a section from being read as it stands. */
typedef enum mrea_cause {
    MREA_NO_CAUSE,
    MREA_WRONG_COUNT,
    MREA_SHIFTED_COUNT, /* bytes were put in or taken out at the count of a layer */
    MREA_SHIFTED_LIGHT, /* the same in a light */
    MREA_DAMAGED_LIGHT,
    MREA_WRONG_LENGTH,  /* of all records of a layer, or of all layers */
    MREA_SWAPPED_FLOATS /* of one light, or of more */
} mrea_cause;

/* Lights among the records that were looked at. */
typedef struct mrea_share {
    uint32_t good, looked;
} mrea_share;

/* What has been found out about a section in one form. */
typedef struct mrea_reading {
    mrea_walk raw;  /* by the counts as they stand */
    mrea_walk best; /* as it is claimed */
    mrea_cause cause;
    uint64_t cost;          /* of the best walk; until a cause is found, what it must stay below */
    bool ambiguous;         /* the same cause with another number costs as much */
    unsigned layer;         /* of the count or light that is wrong, or of the first one */
    uint32_t light;         /* number of the light */
    uint32_t lights;        /* that are wrong */
    uint32_t others;        /* bytes at the end that belong to the next section */
    bool or_next;           /* the next light, or the next count, may be the shifted one as well */
    int by;                 /* bytes put in; below 0: taken out */
    int by_last;            /* as many as this may have been */
    const mrea_form *other; /* the layout that fits where the one that was asked for does not */
    const mrea_form *rival; /* the layout that nobody can rule out; NULL: which one it is, is certain */
    mrea_share own, rivals; /* that the records show of the one and of the other */
} mrea_reading;

/* Reads the section in the form that the user or the version of the area says; NULL: in the one that fits. */
mrea_reading mrea_read_lights(mrea_section *s, const mrea_form *form);

/* The walk stopped at a count, not in front of one. */
bool mrea_stops_at_count(const mrea_section *s, const mrea_walk *w);
/* Records of a layer that lie in the section, also of the one at which the walk stopped. */
uint32_t mrea_records_of(const mrea_section *s, const mrea_walk *w, unsigned layer);
/* Before there was a magic, a section was a count and the lights of one layer. */
bool mrea_is_legacy(const mrea_section *s);

/* Bytes behind the count of a layer. */
uint32_t mrea_room_of(const mrea_section *s, const mrea_walk *w, unsigned layer);
uint32_t mrea_position_of(const mrea_walk *w, unsigned layer, uint32_t light);
/* Padding that belongs behind `end`. */
uint32_t mrea_pad_of(uint32_t end);
/* Of the first n records of a layer, nearly all are lights. */
bool mrea_are_mostly_lights(const mrea_section *s, const mrea_walk *w, unsigned layer, uint32_t n);
/* First and last record of every layer are lights, and the others are not plainly none. */
bool mrea_looks_sound(const mrea_section *s, const mrea_walk *w);
/* ------------------------------------------------------------------ mrea_records.c: what a record costs */

enum {
    MREA_COST_UNLIKELY = 8, /* of a value that lights seldom have */
    MREA_COST_ODD = 10,     /* of a float that nobody knows and that is none, or of one that nobody writes */
    MREA_COST_FAULT = 64,   /* of a field that holds what no light can */
    MREA_SPLITS = 2 * (mrea_light_mp3_unknown_61 + 1) /* places in the longer record where bytes may be put in */
};
#define MREA_COST_TOO_MUCH UINT64_MAX

static inline uint64_t mrea_add_costs(uint64_t a, uint64_t b)
{
    return a < MREA_COST_TOO_MUCH - b ? a + b : MREA_COST_TOO_MUCH;
}

/* Bits of a float without its sign. NaN and infinities are larger than all others. */
static inline bool mrea_is_plausible(uint32_t magnitude)
{
    return !ll_single_is_denormal(magnitude) && magnitude <= 0x4E6E6B28; /* 1e9 */
}

/* What the record at p costs, if its floats have that byte order. One that is all zero is no light. */
uint32_t mrea_cost_of_record(const mrea_form *form, const uint8_t *p, unsigned order);
static inline uint32_t mrea_cost_of_light(const mrea_form *form, const uint8_t *p)
{
    return mrea_cost_of_record(form, p, LL_BIG);
}

static inline bool mrea_is_light(const mrea_form *form, const uint8_t *p)
{
    return mrea_cost_of_light(form, p) < MREA_COST_FAULT;
}

/* The light at p reads better with the bytes of its floats turned. */
bool mrea_is_swapped(const mrea_form *form, const uint8_t *p);
/* Fields of the light at p that hold what no light can. */
uint32_t mrea_faults_of(const mrea_form *form, const uint8_t *p);
/* Adds what a record costs into which bytes were put, or out of which they were taken, in or in front of one field:
 * that field, and what was taken out, costs nothing. Two costs for every field, as what is taken out begins where the
 * field does, or inside it. room: bytes that are there, at least as many as the record has now. */
void mrea_add_splits(const mrea_form *form, const uint8_t *p, int by, uint32_t room, uint64_t costs[MREA_SPLITS]);
uint64_t mrea_least_split(const mrea_form *form, const uint64_t costs[MREA_SPLITS]);

#endif
