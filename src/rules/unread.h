/* Finds the bytes of a file that were not read, and the fault that explains each of them. This keeps a file from
 * looking clean if the rule of that fault is off, or if the reader skipped bytes without a fault. */
#ifndef LL_RULES_UNREAD_H
#define LL_RULES_UNREAD_H

#include "rules/ruleset.h"

/* A byte range that was not read, or a broken record, whose fields are not judged. A length of 0: the end of a file
 * that is too short. */
typedef struct ll_unread {
    ll_where at;
    const ll_fault_node *why; /* the fault that explains it; NULL: no fault does */
} ll_unread;

typedef struct ll_unread_list {
    ll_unread *items; /* in the arena of the document */
    size_t count;
    const ll_fault_node *why; /* the first reported fault that explains unread bytes; NULL: there is none */
    bool unexplained;         /* no fault explains one of the items; a finding of another rule may */
} ll_unread_list;

/* The rule in force that reports a fault, or LL_NO_RULE. `program` is that of the document's format, or NULL. */
uint32_t ll_rule_of_fault(const ll_ruleset *rules, const ll_format_program *program, unsigned code);

/* Finds, in a sealed document, byte ranges that were not read and whose fault no rule in force reports, and broken
 * records that no fault explains. Sets doc->unread if any byte range was not read. */
ll_status ll_unread_find(ll_doc *doc, const ll_ruleset *rules, const ll_format_program *program, ll_unread_list *out);
/* Removes the items that are explained by findings of rules. `found` is a list of `count` nodes; only their places are
 * used. Sets doc->unchecked if an item without any explanation is left. */
ll_status ll_unread_settle(ll_doc *doc, const ll_fault_node *found, uint32_t count, ll_unread_list *list);
/* The name of a fault. */
const char *ll_fault_name(const ll_doc *doc, unsigned code);

#endif
