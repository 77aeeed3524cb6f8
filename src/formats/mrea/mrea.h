/* The Metroid Prime family: lights sections, bare or in their areas (MREA). Numbers of its records, fields, faults and
 * hints, and what its files share. All numbers of these files are big-endian. Byte layouts and evidence:
 * docs/formats/mrea.md. */
#ifndef LL_FORMATS_MREA_H
#define LL_FORMATS_MREA_H

#include "model/format.h"

/* In the order of the variants in mrea_format: doc->variant is 1 + one of these; 0: told by content. */
typedef enum mrea_game { MREA_MP1, MREA_MP2, MREA_MP3, MREA_DKCR, MREA_GAMES } mrea_game;
/* How the segments of a compressed block are compressed. */
enum { MREA_LZO, MREA_ZLIB };

#define MREA_MAGIC UINT32_C(0xDEADBEEF)
#define MREA_LIGHTS_MAGIC UINT32_C(0xBABEDEAD)
#define MREA_LIGHTS_MAGIC_SWAPPED UINT32_C(0xADDEBEBA)

#define LL_FAMILY mrea
#define LL_FAMILY_CAPS MREA
#define LL_FAMILY_LAYOUTS "formats/mrea/mrea_layout.def"
#define LL_FAMILY_FAULTS "formats/mrea/mrea_faults.def"
#define LL_FAMILY_CHECKS "formats/mrea/mrea_checks.def"
#define LL_FAMILY_HINTS "formats/mrea/mrea_hints.def"
#define LL_FAMILY_SPACE "formats/mrea/mrea_space.def"
#define LL_FAMILY_NEEDS mrea_index
#include "model/family_expand.h"

enum {
    MREA_ALIGNMENT = 32, /* sections, tables and blocks start at multiples of this */
    MREA_LAYERS_MAX = 4
};

/* Layout of the lights in a lights section. */
typedef struct mrea_form {
    uint16_t layout;                                /* mrea_light_LAYOUT or mrea_light_mp3_LAYOUT */
    uint16_t record;                                /* bytes of a light */
    uint8_t layers;                                 /* layers in a section: 2 or 4 */
    uint8_t floats_end, cast_shadows, falloff_type; /* offsets in a light; floats from the colour on */
} mrea_form;
extern const mrea_form mrea_form_mp12, mrea_form_mp3;

/* Index of the document, made by mrea_index(). Spans are LL_NO_SPAN if there are none. */
typedef struct mrea_summary {
    /* the area; LL_NO_SPAN and 0 for a bare lights section */
    uint32_t header;      /* mrea.header_...; its layout tells the game */
    uint32_t size_table;  /* one array span of mrea.section_size */
    uint32_t block_table; /* one array span of mrea.block_row */
    uint32_t tag_table;   /* one array span of mrea.tag_row */
    uint32_t version;
    uint32_t sections;     /* rows of size_table */
    uint32_t blocks;       /* rows of block_table */
    uint32_t tags;         /* rows of tag_table */
    uint32_t lights_index; /* number of the section that was read as lights; LL_NO_INDEX: none */
    uint32_t visibility;   /* mrea.visibility_head */
    const uint8_t *kinds;  /* number of the LL_SECTION row of each section; NULL: there are no blocks, or no memory */
    mrea_game game;        /* by the version, or as assumed for a bare section (MP1 stands for MP1 and MP2) */
    /* the lights section */
    const mrea_form *form;           /* NULL: no lights section could be read */
    uint32_t lights;                 /* mrea.lights */
    uint32_t layer[MREA_LAYERS_MAX]; /* mrea.layer */
    uint32_t array[MREA_LAYERS_MAX]; /* array of the layer's lights; LL_NO_SPAN: it is empty or was not read */
} mrea_summary;

extern const ll_format mrea_format;
extern const ll_codec mrea_codec;

const void *mrea_index(ll_doc *doc);
ll_probe_result mrea_probe(const uint8_t *bytes, size_t size);

/* Big-endian word at an address of the document (file or region). The four bytes must be there. */
static inline uint32_t mrea_word(const ll_doc *doc, uint32_t at)
{
    return ll_be32(ll_doc_at(doc, at));
}

#endif
