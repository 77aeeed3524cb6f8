/* Reads a rule pack: a YAML list of stanzas into ll_rule. Checks the form of every stanza (known keys, one of
 * fault/check, severities, id and name patterns, required texts) and reports the first error with line, column and the
 * nearest known key. It does not check records and fields; ll_rule_check() does. packc runs it at build time. */
#ifndef LL_RULES_PACK_H
#define LL_RULES_PACK_H

#include "base/arena.h"
#include "rules/rule.h"

enum {
    LL_PACK_RULES_MAX = 4096,
    LL_PACK_PROSE_MAX = 2048 /* bytes of a text for people, so that a finding takes at most 64 KiB */
};

typedef struct ll_pack_text {
    const char *name; /* in messages and in ll_rule.origin */
    const char *yaml; /* `size` bytes */
    size_t size;
} ll_pack_text;

/* The rules live in the arena. LL_E_MEMORY, or LL_E_PACK with
 * *problem. LL_E_PACK also if a limit is exceeded: 1 MiB and 4096 rules for a pack, 2 KiB for a text for people, 64 KiB
 * for other texts. */
ll_status ll_pack_read(ll_arena *arena, const ll_pack_text *pack, ll_rule **rules, size_t *count, ll_problem *problem);

/* Adds a place to a problem that was found in rule number `rule` of a pack after ll_pack_read() accepted it: the place
 * of the word that the problem quotes, or else the first line of the stanza. Without memory, the place is not changed.
 * Also puts the name of the pack before the text. Returns LL_E_PACK. */
ll_status ll_pack_locate(const ll_allocator *allocator, const ll_pack_text *pack, size_t rule, ll_problem *problem);

/* One piece of a template: an argument {0} to {3} or {value} with its form (":x"), or text. */
typedef struct ll_piece {
    enum { LL_PIECE_TEXT, LL_PIECE_ARGUMENT, LL_PIECE_VALUE } kind;
    unsigned argument;
    const char *form; /* "", "x", "+x", "h" or, of values only, "t" */
    const char *text; /* `length` bytes; a doubled brace gives one brace */
    size_t length;
} ll_piece;

/* Reads the next piece of a template that is not empty, and returns the rest. NULL: a brace that begins no argument. */
const char *ll_template_next(const char *template, ll_piece *out);

#endif
