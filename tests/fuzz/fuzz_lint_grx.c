/* The lint target for Fox Engine arrays. */
#include "fuzz_lint.h"

const char *const fuzz_names[8] = {
    "a.grxla",
    "a.grxoc",
    NULL,
    "x_light_fox2_grxla_win.grxla",
    "x_tgrxla_win.grxla",
    "x.steam_tpp.grxla",
    "dir/\x1b[m\xFF\n.GRXLA",
    "a.bin",
};
const char *const fuzz_variants[8] = {NULL};
