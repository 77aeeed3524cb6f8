/* Names and variants of a family's lint target, selected by the first byte. */
#ifndef LL_TESTS_FUZZ_LINT_H
#define LL_TESTS_FUZZ_LINT_H

#include "fuzz.h"

extern const char *const fuzz_names[8];    /* file names; NULL: none */
extern const char *const fuzz_variants[8]; /* the variant for each name; NULL: detected by contents */

#endif
