/* The lint target for locators. */
#include "fuzz_lint.h"

const char *const fuzz_names[8] = {"a.lba", "b.lba",    "dir/\x1b[m\xFF\n.LBA", "a.bin", "a.grxla", "lba",
                                   ".lba",  "a.lba.lba"};
const char *const fuzz_variants[8] = {NULL};
