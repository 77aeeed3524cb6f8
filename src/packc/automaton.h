/* Simple patterns as tables, for screens: one look-up for each byte. Patterns of users' packs are
 * matched by PCRE2, and so is what fails its screen. */
#ifndef LL_PACKC_AUTOMATON_H
#define LL_PACKC_AUTOMATON_H

#include <stdbool.h>
#include <stdint.h>

enum { LL_AUTOMATON_STATES = 64 };

typedef struct ll_automaton {
    uint8_t next[LL_AUTOMATON_STATES][256];
    uint8_t count, first,
        accepting; /* states; where it begins; the first of those that match, which stand at the end */
} ll_automaton;

/* Characters, escapes of them, `.`, classes, groups, `|`, `?`, `*` and `+`, between `\A` or `^` and `\z` or `$`, of
 * which each may be absent. False: the pattern has something else, or is too long. */
bool ll_automaton_make(const char *pattern, ll_automaton *out);

#endif
