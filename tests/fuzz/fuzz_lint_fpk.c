/* The lint target for archives. */
#include "fuzz_lint.h"

const char *const fuzz_names[8] = {"a.fpk", NULL,        "dir/\x1b[m\xFF\n.FPKD", "a.bin", "a.fpkd", "fpk",
                                   ".fpk",  "a.fpk.fpkd"};
const char *const fuzz_variants[8] = {NULL};
