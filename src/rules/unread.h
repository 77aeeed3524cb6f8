/* What of a file was not read, and which fault says why: a file is not clean because the rule of that fault is off, or
 * because a parser gave up bytes without a word. */
#ifndef LL_RULES_UNREAD_H
#define LL_RULES_UNREAD_H

#include "rules/ruleset.h"

/* A stretch that was not read, or a record whose fields are not believed; without bytes: the end of a file that lacks
 * some. */
typedef struct ll_unread {
    ll_where at;
    const ll_fault_node *why; /* the fault that belongs to it; NULL: none does */
} ll_unread;

typedef struct ll_unread_list {
    ll_unread *items; /* in the arena of the document */
    size_t count;
    const ll_fault_node *why; /* the first fault that says why something was not read; NULL: none does */
    bool unexplained;         /* to one of them no fault belongs: a finding of another rule may */
} ll_unread_list;

/* The rule in force that reports a fault, or LL_NO_RULE. program: of the document's format; NULL: it has none. */
uint32_t ll_rule_of_fault(const ll_ruleset *rules, const ll_format_program *program, unsigned code);

/* Finds the stretches of a sealed document that were not read and of which no rule says why, and broken records to
 * which no fault belongs; sets doc->unread if there is any stretch that was not read. */
ll_status ll_unread_find(ll_doc *doc, const ll_ruleset *rules, const ll_format_program *program, ll_unread_list *out);
/* Takes out of the list what is explained by what the rules found, `count` nodes of which only places are looked at. If
 * something is left to which nothing belongs, sets doc->unchecked. */
ll_status ll_unread_settle(ll_doc *doc, const ll_fault_node *found, uint32_t count, ll_unread_list *list);
/* The name of a fault. */
const char *ll_fault_name(const ll_doc *doc, unsigned code);

#endif
