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

/* compound.c: several changes at once: the same one in each record of a list, and bytes put in or taken out with the
 * size of their record made right again. After all others, as they begin with the best of these. */
void ll_search_try_compounds(ll_search_plan *p);

#endif
