/* The lint target for Redguard scene files. */
#include "fuzz_lint.h"

const char *const fuzz_names[8] = {
    "a.rgm", "ISLAND.RGM", NULL, "a.rgm", "a.rgm", "maps/a.rgm", "dir/\x1b[m\xFF\n.RGM", "a.bin",
};
const char *const fuzz_variants[8] = {NULL};
