/* Converts numbers and bytes from the text of rules to the form in which fields are compared. Independent of
 * predicates. */
#ifndef LL_RULES_LITERAL_H
#define LL_RULES_LITERAL_H

#include "base/arena.h"
#include "rules/predicate.h"

typedef enum ll_relation { LL_AT_LEAST, LL_ABOVE, LL_AT_MOST, LL_BELOW } ll_relation;

/* Converts the bits of one element of a numeric type to its key, and back. A key has as many bits as the type; keys,
 * compared as unsigned integers, have the order of the values. -0 has the key of 0, which is one above the result of
 * ll_in_order() for -0. */
uint64_t ll_key_of_bits(unsigned type, uint64_t bits);
uint64_t ll_bits_of_key(unsigned type, uint64_t key);
/* The `flip` of ll_in_order() for a type; 0 for bytes. */
uint64_t ll_flip_of(unsigned type);
/* The least and greatest key of a numeric type; for floats, those of finite values. */
ll_bound ll_keys_of_type(unsigned type);

/* Reads a decimal or 0x hex number, which may be negative; for floats also 0.5 and 1e-3. An integer must fit the type.
 * A float is rounded to the nearest value of the type, which must be finite. LL_E_PACK with a message in *problem. */
ll_status ll_literal_key(const char *text, unsigned type, uint64_t *key, ll_problem *problem);
/* Reads any finite number. */
ll_status ll_literal_number(const char *text, double *number, ll_problem *problem);

/* Reads the relation of '>= 0' and returns the number after it; NULL if there is no relation. */
const char *ll_literal_relation(const char *text, ll_relation *relation);
/* Narrows `bound` by '>= 0', '> 0', '<= 1' or '< 1', compared exactly: 0.1 is not rounded to the field's type. */
ll_status ll_literal_narrow(const char *text, unsigned type, ll_bound *bound, ll_problem *problem);

/* Read exactly `size` bytes from hex pairs ("00 1f"), or from characters with the escapes \0, \xNN and \\. The bytes
 * are allocated from the arena. */
ll_status ll_literal_hex(ll_arena *arena, const char *text, size_t size, const uint8_t **bytes, ll_problem *problem);
ll_status ll_literal_chars(ll_arena *arena, const char *text, size_t size, const uint8_t **bytes, ll_problem *problem);

#endif
