/* The tables of the mrea family, expanded from the .def files, and its ll_format. */
#define LL_FAMILY_TABLES
#include "formats/mrea/mrea.h"

static const ll_named variants[] = {
    [MREA_MP1] = {"mp1", "Metroid Prime"},
    [MREA_MP2] = {"mp2", "Metroid Prime 2: Echoes"},
    [MREA_MP3] = {"mp3", "Metroid Prime 3: Corruption"},
};

const ll_format mrea_format = {
    LL_FORMAT_TABLES(mrea), .variants = variants, .variant_count = sizeof variants / sizeof variants[0],
    .zeros_at_end = 256, /* the last numbers of lights, and sections of other kinds, may be zeros */
    .probe = mrea_probe,    .codec = &mrea_codec,
};
