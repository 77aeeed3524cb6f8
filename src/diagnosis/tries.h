/* What the search tries, file by file. search.c runs all of it; none of it looks at what another file tries. */
#ifndef LL_DIAGNOSIS_TRIES_H
#define LL_DIAGNOSIS_TRIES_H

#include "diagnosis/plan.h"

/* try_text.c: texts that do not have the hashes that are stated. To be called while the weigher has the file as it is.
 */
void ll_search_try_texts(ll_search_plan *p);

/* try_value.c: values that rules and the reader ask for, and unknown values. */
void ll_search_try_values(ll_search_plan *p);
/* The size of a part behind which, in padding, something stands. */
void ll_search_try_sizes(ll_search_plan *p);
/* Fields that lead from a record to the next one, or say that there is none. */
void ll_search_try_chains(ll_search_plan *p);

/* try_order.c: integers that stand where a float is meant. */
void ll_search_try_types(ll_search_plan *p);
/* Numbers of fields, and of whole records, in the other byte order. */
void ll_search_try_orders(ll_search_plan *p);

/* try_count.c: other counts: those near it, or small ones. unsized: of records whose size nobody states, else of all
 * others. */
void ll_search_try_counts(ll_search_plan *p, bool unsized);
/* Padding may hold elements, so that a count next to the best one is as good; not all counts were tried. */
void ll_search_try_next_counts(ll_search_plan *p);

/* try_kind.c: other tags of the parts of a list. */
void ll_search_try_tags(ll_search_plan *p);
/* Parts that are there or not: a reference that is null, or leads to where a part may stand. */
void ll_search_try_options(ll_search_plan *p);
/* Numbers that say which layout a record has, or what follows it. */
void ll_search_try_kinds(ll_search_plan *p);
/* Fields whose bits say which parts there are. */
void ll_search_try_choices(ll_search_plan *p);

/* try_element.c: elements that are there twice, exchanged, lost or added. */
void ll_search_try_elements(ll_search_plan *p);

/* compound.c: several changes at once: the same one in each record of a list, and bytes put in or taken out with the
 * size of their record made right again. After all others, as they begin with the best of these. */
void ll_search_try_compounds(ll_search_plan *p);

#endif
