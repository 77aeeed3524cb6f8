/* The lint target for DataSets. */
#include "fuzz_lint.h"

const char *const fuzz_names[8] = {"a.fox2", NULL,         "dir/\x1b[m\xFF\n.FOX2", "a.bin", "a.grxla", "fox2",
                                   ".fox2",  "a.fox2.fox2"};
const char *const fuzz_variants[8] = {NULL};
