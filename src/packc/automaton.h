/* Compiles simple patterns to tables for screens: one look-up per byte. PCRE2 matches patterns of users' packs, and
 * whatever fails its screen. */
#ifndef LL_PACKC_AUTOMATON_H
#define LL_PACKC_AUTOMATON_H

#include <stdbool.h>
#include <stdint.h>

enum { LL_AUTOMATON_STATES = 64 };

typedef struct ll_automaton {
    uint8_t next[LL_AUTOMATON_STATES][256];
    uint8_t count, first,
        accepting; /* number of states; start state; first accepting state, all later ones accept, too */
} ll_automaton;

/* Supports characters, escapes of them, `.`, classes, groups, `|`, `?`, `*` and `+`, between optional `\A` or `^` and
 * optional `\z` or `$`. False: the pattern contains something else or is too long. */
bool ll_automaton_make(const char *pattern, ll_automaton *out);

#endif
