/* The filters of a record once more, sorted by what they cost: one pass without branches says that a clean record is
 * clean. Which filter a record fails, and whose tests that concerns, the filters themselves say. */
#ifndef LL_RULES_SIEVE_H
#define LL_RULES_SIEVE_H

#include "rules/ruleset.h"

/* Makes the sieve of the program from its filters; its memory is from the arena. False without memory. */
bool ll_sieve_make(ll_arena *arena, ll_arena *scratch, ll_program *program);

#endif
