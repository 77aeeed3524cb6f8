/* The lint target for light-probe harmonics. */
#include "fuzz_lint.h"

const char *const fuzz_names[8] = {"a.lpsh", NULL,         "dir/\x1b[m\xFF\n.LPSH", "a.bin", "a.grxla", "lpsh",
                                   ".lpsh",  "a.lpsh.lpsh"};
const char *const fuzz_variants[8] = {NULL};
