/* The lint target for Metroid Prime lights sections and areas. */
#include "fuzz_lint.h"

const char *const fuzz_names[8] = {
    "a.mrea", "a.lights", NULL, "a.lights", "a.lights", "a.mrea", "dir/\x1b[m\xFF\n.MREA", "a.bin",
};
const char *const fuzz_variants[8] = {NULL, NULL, NULL, "mp1", "mp3", "mp2", NULL, NULL};
