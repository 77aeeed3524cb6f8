/* What the search tries, file by file. search.c runs all of it; none of it looks at what another file tries. */
#ifndef LL_DIAGNOSIS_TRIES_H
#define LL_DIAGNOSIS_TRIES_H

#include "diagnosis/plan.h"

/* try_text.c: texts that do not have the hashes that are stated. While the weigher has the file as it is. */
void ll_search_try_texts(ll_search_plan *p);

/* try_value.c: values that rules and the reader ask for, and unknown values. */
void ll_search_try_values(ll_search_plan *p);
/* NULs that texts in front of what is wrong may have lost. */
void ll_search_try_ends(ll_search_plan *p);
/* The size of a part behind which, in padding, something stands. */
void ll_search_try_sizes(ll_search_plan *p);
/* Fields that lead from a record to the next one, or say that there is none. */
void ll_search_try_chains(ll_search_plan *p);

/* Numbers of a sum that is not what a field, or the size of the file, says: each of them takes what is missing. */
void ll_search_try_terms(ll_search_plan *p);

/* try_order.c: integers that stand where a float is meant. */
void ll_search_try_types(ll_search_plan *p);
/* Numbers of whole records, and of single fields, in the other byte order. */
void ll_search_try_record_orders(ll_search_plan *p);
void ll_search_try_field_orders(ll_search_plan *p);

/* try_count.c: other counts: those near it, or small ones. unsized: of records whose size nobody states, else of all
 * others. */
void ll_search_try_counts(ll_search_plan *p, bool unsized);
/* Padding may hold elements, so that a count next to the best one is as good; not all counts were tried. */
void ll_search_try_next_counts(ll_search_plan *p);
/* How many elements, or how often they, are a record's share of an array: of these the reader says which is wrong. */
bool ll_search_is_shared(const ll_format *format, unsigned layout, unsigned field);

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

/* try_end.c: the end of the file is missing, or lost among zeros. */
void ll_search_try_end(ll_search_plan *p);
/* The last part of the file's list, or of the file, is its end, or a field says where it ends, and is right. */
bool ll_search_has_right_end(const ll_search *s);

/* try_bytes.c: these amounts of bytes put in or taken out, at the edges, then the best of them at each byte around. */
void ll_search_try_amounts(ll_search_plan *p, const int32_t *by, unsigned amount_count);
/* Small amounts, where none that is asked for explains the file. */
void ll_search_try_shifts(ll_search_plan *p);
/* Several things in one stretch are wrong, from the first to the last of them: what stood there was overwritten. */
void ll_search_try_overwritten(ll_search_plan *p);

/* compound.c: several changes at once: the same one in each record of a list, and bytes put in or taken out with the
 * size of their record made right again. After all others, as they begin with the best of these. */
void ll_search_try_compounds(ll_search_plan *p);

#endif
