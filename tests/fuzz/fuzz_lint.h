/* What a family's lint target chooses from by the first byte. */
#ifndef LL_TESTS_FUZZ_LINT_H
#define LL_TESTS_FUZZ_LINT_H

#include "fuzz.h"

extern const char *const fuzz_names[8];    /* of the file; NULL: none */
extern const char *const fuzz_variants[8]; /* beside them; NULL: told by content */

#endif
