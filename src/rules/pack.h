/* Reads a rule pack: a YAML list of stanzas into ll_rule. Checks the form of every stanza (known keys, one of
 * fault/check, severities, id and name patterns, required texts) and reports the first thing wrong with line, column
 * and the nearest known key. It does not look at records or fields: ll_rule_check() does. Also run at build time by
 * packc. */
#ifndef LL_RULES_PACK_H
#define LL_RULES_PACK_H

#include "base/arena.h"
#include "rules/rule.h"

enum {
    LL_PACK_RULES_MAX = 4096,
    LL_PACK_PROSE_MAX = 2048 /* bytes of what is shown to people: a finding takes 64 KiB at most */
};

/* `name` stands in messages and in ll_rule.origin. Rules live in the arena. LL_E_PACK with *problem, LL_E_MEMORY. What
 * is too large (prose longer than 2 KiB, other text than 64 KiB, more than 4096 rules, pack above 1 MiB) is LL_E_PACK
 * with words. */
ll_status ll_pack_read(ll_arena *arena, const char *name, const char *yaml, size_t size, ll_rule **rules, size_t *count,
                       ll_problem *problem);

/* Gives a place to a problem that somebody found in rule number `rule` of a pack that ll_pack_read() took: the word
 * that the problem quotes, else the first line of the stanza. Without memory, the first line. Also puts `name` before
 * the text. Returns LL_E_PACK. */
ll_status ll_pack_locate(const ll_allocator *allocator, const char *name, const char *yaml, size_t size, size_t rule,
                         ll_problem *problem);

/* What stands next in a template: an argument {0} to {3} with its form (":x"), {value}, or text. */
typedef struct ll_piece {
    enum { LL_PIECE_TEXT, LL_PIECE_ARGUMENT, LL_PIECE_VALUE } kind;
    unsigned argument;
    const char *form; /* "", "x", "+x" or "h" */
    const char *text; /* `length` bytes; of a brace that is written twice, one */
    size_t length;
} ll_piece;

/* Takes the next piece off a template that is not empty. NULL: there is a brace that begins none. */
const char *ll_template_next(const char *template, ll_piece *out);

#endif
