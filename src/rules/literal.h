/* Numbers and bytes as rules write them, brought into the form in which fields are compared. Knows nothing of
 * predicates. */
#ifndef LL_RULES_LITERAL_H
#define LL_RULES_LITERAL_H

#include "base/arena.h"
#include "rules/predicate.h"

typedef enum ll_relation { LL_AT_LEAST, LL_ABOVE, LL_AT_MOST, LL_BELOW } ll_relation;

/* Bits of one element of a numeric type as its key, and back: a number of as many bits, whose unsigned order is the
 * order of the values. The key of -0 is that of 0, which lies one behind what ll_in_order() makes of -0. */
uint64_t ll_key_of_bits(unsigned type, uint64_t bits);
uint64_t ll_bits_of_key(unsigned type, uint64_t key);
/* `flip` of ll_in_order() for a type; 0 for bytes. */
uint64_t ll_flip_of(unsigned type);
/* Least and greatest key of a numeric type; of floats, of the finite values. */
ll_bound ll_keys_of_type(unsigned type);

/* Decimal, 0x hex, negative; floats also 0.5 and 1e-3. An integer must fit the type; a float is rounded to the nearest
 * value of the type, which must be finite. LL_E_PACK with words. */
ll_status ll_literal_key(const char *text, unsigned type, uint64_t *key, ll_problem *problem);
/* Any finite number. */
ll_status ll_literal_number(const char *text, double *number, ll_problem *problem);

/* Splits '>= 0' into relation and number; NULL when there is no relation. */
const char *ll_literal_relation(const char *text, ll_relation *relation);
/* Narrows `bound` by '>= 0', '> 0', '<= 1' or '< 1', compared exactly: 0.1 is not rounded to the field's type. */
ll_status ll_literal_narrow(const char *text, unsigned type, ll_bound *bound, ll_problem *problem);

/* Exactly `size` bytes from hex pairs ("00 1f"), and from characters with the escapes \0, \xNN and \\. */
ll_status ll_literal_hex(ll_arena *arena, const char *text, size_t size, const uint8_t **bytes, ll_problem *problem);
ll_status ll_literal_chars(ll_arena *arena, const char *text, size_t size, const uint8_t **bytes, ll_problem *problem);

#endif
