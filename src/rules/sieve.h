/* The filters of a record once more, sorted by what they cost: one pass without branches says that a clean record is
 * clean. Which filter a record fails, and whose tests that concerns, the filters themselves say. */
#ifndef LL_RULES_SIEVE_H
#define LL_RULES_SIEVE_H

#include "rules/ruleset.h"

/* Makes the sieve of `count` filters; its memory is from the arena. False without memory. */
bool ll_sieve_make(ll_arena *arena, const ll_filter *filters, uint32_t count, ll_sieve *out);

#endif
